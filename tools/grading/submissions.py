"""Who handed in what: folders, archives of learning platforms, files under the names that browsers give."""

import io
import json
import re
import unicodedata
import zipfile
from collections import defaultdict
from pathlib import PurePosixPath
from typing import NamedTuple

import nbformat

from tools.editions import part_of

LARGEST = 20 * 2**20  # bytes of a file
MOST_CODE = 10**6  # characters of a notebook
MOST_FILES = 10_000  # in an archive
MOODLE = re.compile(r"_\d+_assignsubmission_.*$")  # Ada Lovelace_1234_assignsubmission_file_
CANVAS = re.compile(r"(_LATE)?(_\d+)*_*$")  # lovelaceada_LATE_123_4567_


class File(NamedTuple):
    """A file that somebody handed in: its place in it all, its time, its content or what is wrong."""

    place: str
    time: tuple
    content: bytes
    problem: str = ""


class Submission(NamedTuple):
    """A student's file for a notebook of the course, and what to say about it, or ""."""

    file: File
    note: str


class NotANotebook(ValueError):
    """Raised for a file that cannot be read as a notebook; it says why."""


def submissions_in(folder, stems):
    """({student: {stem: Submission}}, {student: [what is wrong with a file]}) of a folder or an archive.

    stems: the names of the notebooks, without .ipynb. A folder or archive in the folder is a student. Files
        that lie beside them have the student's name before that of the notebook, as Canvas writes it.
    """
    found, strange = defaultdict(lambda: defaultdict(list)), defaultdict(list)
    for file in files_in(folder):
        student, stem = owner_of(file.place, stems)
        found[student]  # whoever hands in something is a student
        if stem is None:
            why = file.problem or "it has the name of no notebook of the course"
            strange[student].append(f"{file.place}: {why}")
        else:
            found[student][stem].append(file)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            found[student_name(path.name)]  # also one whose folder is empty
    every = {
        student: {stem: chosen(stem, files) for stem, files in notebooks.items()}
        for student, notebooks in sorted(found.items())
    }
    return every, dict(strange)


def files_in(folder):
    """Each notebook in a folder or an archive, and each file that cannot be looked into, as a File."""
    if folder.is_file():
        yield from files_of("", folder.read_bytes(), (), 0, is_class=True)
        return
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder).as_posix()
        is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.relative_to(folder).parts)
        if is_hidden or path.suffix.lower() not in (".ipynb", ".zip"):
            continue
        if path.resolve() != folder.resolve() / path.relative_to(folder) or not path.is_file():
            yield File(place, (), b"", "it is a link, not a file")
        elif path.stat().st_size > 50 * LARGEST:
            yield File(place, (), b"", "it is too large")
        else:
            time = (path.stat().st_mtime,)
            yield from files_of(place, path.read_bytes(), time, 0)


def files_of(place, content, time, depth, is_class=False):
    """The File at this place or, where it is an archive, the notebooks in it."""
    if not is_class and not place.lower().endswith(".zip"):
        is_large = len(content) > LARGEST
        yield File(place, time, b"" if is_large else content, "it is too large" if is_large else "")
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist()[:MOST_FILES]:
                parts = PurePosixPath(member.filename.replace("\\", "/")).parts
                inner = "/".join(part for part in parts if part not in ("/", "..", "."))
                is_hidden = any(part.startswith((".", "__MACOSX")) for part in parts if part != "..")
                if is_hidden or not inner.lower().endswith((".ipynb", ".zip")):
                    continue
                with archive.open(member) as file:
                    inside = file.read(LARGEST + 1)
                if depth < 2 or not inner.lower().endswith(".zip"):
                    yield from files_of(
                        f"{place}/{inner}".lstrip("/"), inside, (*member.date_time,), depth + 1
                    )
    except Exception as error:  # zipfile raises many kinds
        yield File(place or "archive", (), b"", f"it cannot be unpacked ({type(error).__name__}: {error})")


def owner_of(place, stems):
    """(student, stem of the notebook or None) of a file by its place.

    >>> owner_of("ada/02_angle_rates (1).ipynb", ["02_angle_rates"])
    ('ada', '02_angle_rates')
    >>> owner_of("lovelaceada_LATE_123_456_02_angle_rates-1.ipynb", ["02_angle_rates"])
    ('lovelaceada', '02_angle_rates')
    >>> owner_of("ada.zip/homework.ipynb", ["02_angle_rates"])
    ('ada', None)
    """
    first, *rest = place.split("/")
    name = plain((rest or [first])[-1])
    stem = next((stem for stem in stems if plain(stem) in name), None)
    if rest or first.lower().endswith(".zip"):
        return student_name(first), stem
    before = first[: name.index(plain(stem))] if stem else ""
    return student_name(CANVAS.sub("", before)) or f"nobody ({first})", stem


def plain(name):
    """A file's name as it is compared: no capitals, and `_` for all that is neither a letter nor a digit."""
    return re.sub(r"[^a-z0-9]", "_", name.lower())


def student_name(folder):
    """A student's name from that of a folder or archive."""
    name = re.sub(r"\.zip$", "", folder, flags=re.I)
    name = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))
    return MOODLE.sub("", name).strip()


def chosen(stem, files):
    """The Submission among a student's files for one notebook: the newest, or the last by name."""
    files = sorted(files, key=lambda file: (not file.problem, file.time, file.place))
    *others, file = files
    notes = [] if file.place.split("/")[-1] == f"{stem}.ipynb" else [f"handed in as {file.place}"]
    if others:
        notes.append(f"graded is {file.place}, not {', '.join(other.place for other in others)}")
    return Submission(file, "; ".join(notes))


def cells_of(content):
    """[(source, ("exercise", 1), or another part, or None)] of the code cells; raises NotANotebook."""
    try:  # not by nbformat, which takes minutes for what somebody makes for that
        cells = [
            cell for cell in json.loads(content.decode("utf-8-sig"))["cells"] if cell["cell_type"] == "code"
        ]
        found = [(as_text(cell["source"]), part_of(tagged(cell))) for cell in cells]
    except Exception as error:  # a file can be anything
        raise NotANotebook(f"The file is no notebook ({type(error).__name__}: {error})"[:300]) from error
    if sum(len(source) for source, _ in found) > MOST_CODE:
        raise NotANotebook(f"The notebook has more than {MOST_CODE:,} characters of code.")
    return found


def tagged(cell):
    """A cell with the tags of this one that are texts, and nothing else."""
    tags = (cell.get("metadata") or {}).get("tags") or []
    return nbformat.from_dict({"metadata": {"tags": [tag for tag in tags if isinstance(tag, str)]}})


def as_text(source):
    """The source of a cell, a text or a list of lines, as a text that can be written as UTF-8."""
    text = source if isinstance(source, str) else "".join(source)
    return text.encode("utf-8", "replace").decode("utf-8")


def answer_cells(cells, course, number):
    """[(source, whether it is the exercise's)] of the student's own cells, in the order in which they run.

    cells: as `cells_of` gives them. course: the sources of the course's cells, which the student has, too.
    Cells below the check come first: they may define what is missing, and change nothing that stands above.
    """
    end = next((n for n, (_, part) in enumerate(cells) if part == ("check", number)), len(cells))
    known = {source.strip() for source in course}
    own = [
        (source, part == ("exercise", number), place < end)
        for place, (source, part) in enumerate(cells)
        if source.strip() and source.strip() not in known
    ]
    return [(source, is_answer) for source, is_answer, is_above in sorted(own, key=lambda cell: cell[2])]
