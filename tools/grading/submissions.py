"""Who handed in what: folders, archives of learning platforms, files under the names that browsers give."""

import io
import json
import os
import re
import stat
import unicodedata
import zipfile
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path
from typing import NamedTuple

import nbformat

from tools.editions import part_of

LARGEST = 20 * 2**20  # bytes of a notebook
MOST = 10 * LARGEST  # bytes of all that is unpacked or read of a student
MOST_FILES = 10_000  # notebooks and archives of a student, and as many others
MOST_CODE = 10**6  # characters of a notebook
NOTEBOOK = re.compile(r"\.ipynb([ (-]*\d+\)?)?(\.(txt|json))?$", re.I)  # browsers write .ipynb.txt
ARCHIVE = re.compile(r"\.(zip|7z|rar|tar|tgz|tbz2?|txz|(tar\.)?(gz|bz2|xz|zst))$", re.I)
OTHER = "it is no notebook (.ipynb)"
MOODLE = re.compile(r"^(.*)_(\d+)_assignsubmission_")  # Ada Lovelace_1234_assignsubmission_file_
CANVAS = re.compile(r"^(.+?)(?:_LATE)?_(\d+)_(\d+)_")  # lovelaceada_LATE_123_4567_homework.zip
LOOSE = re.compile(r"(_LATE)?(_\d+)*_*$")  # what may stand between a student's name and that of a notebook


class File(NamedTuple):
    """A file that somebody handed in: its place in it all, its time, its content or what is wrong."""

    place: str
    time: tuple = ()
    content: bytes = b""
    problem: str = ""


class Submission(NamedTuple):
    """A student's file for a notebook of the course, and what to say about it, or ""."""

    file: File
    note: str


class Owner(NamedTuple):
    """Whose a file is: the student's name, and the longer one that counts where two would have the same."""

    name: str
    full: str


class NotANotebook(ValueError):
    """Raised for a file that cannot be read as a notebook; it says why."""


class NotAClass(ValueError):
    """Raised for what is no folder or zip archive of students; it says why."""


class Unread(Exception):
    """A file is not read, and why."""


def submissions_in(folder, stems, roster=()):
    """({student: {stem: Submission}}, {student: [what is wrong with a file]}) of a folder or an archive.

    stems: the names of the notebooks, without .ipynb. A folder or archive in the folder is a student. Files
        that lie beside them have the student's name before that of the notebook, as Canvas writes it.
    roster: students' names; one with the number that a platform gave is used for the student of that number.
    Raises NotAClass where the folder is a file and no zip archive, and where students lie a folder deeper.
    """
    found = defaultdict(lambda: defaultdict(list))
    handed_in = list(Reader().class_in(folder))
    others = not_of_canvas({file.place.split("/")[0] for file in handed_in})
    for file in handed_in:
        owner, stem = owner_of(file.place, stems, others)
        if file.problem == OTHER and owner.name == nobody(file.place):
            continue  # a file of the teacher's
        files = found[owner]  # whoever has a folder is a student
        if file.problem or not file.place.endswith("/"):
            files[stem].append(file)
    if found and all(map(holds_students, found.values())):
        place = min(file.place for files in found.values() for each in files.values() for file in each)
        raise NotAClass(
            f"the students seem to lie a folder deeper, such as {short(place)}. Give the folder or archive "
            "in which theirs lie; and where these are copies of one student's, leave one"
        )
    names = Counter(name for owner in found for name in {*owner})
    every, strange = {}, {}
    for owner, files in sorted(found.items()):
        student = owner.full if names[owner.name] > 1 or owner.full in roster else owner.name
        while student in every:
            student += "'"  # somebody's name may look like another's with the number
        without = told(files.pop(None, []), is_all=not files)
        if without:
            strange[student] = without
        every[student] = {stem: chosen(stem, each) for stem, each in files.items()}
    return every, strange


class Reader:
    """Reads what a class handed in; whatever a file is, it is one File with a problem and stops no other."""

    def __init__(self):
        # of each student, by the first part of a place; files: those that are read and others
        self.bytes, self.files = Counter(), Counter()

    def class_in(self, folder):
        """Each file of a class as a File, but hidden ones; the content of notebooks only.

        A place that ends with "/" is a folder, which may be empty.
        """
        if folder.is_dir():
            yield from self.folder(folder)
            return
        with folder.open("rb") as file:
            try:
                archive = zipfile.ZipFile(file)
            except Exception as error:  # zipfile raises many kinds
                raise NotAClass(str(error)) from error
            yield from self.members("", archive, 0)

    def folder(self, folder):
        """The files in a folder."""
        waiting = [("", folder)]
        while waiting:
            place, path = waiting.pop()
            try:
                entries = sorted(os.scandir(path), key=lambda entry: entry.name)
            except OSError as error:
                yield File(f"{place}/", problem=unreadable(error))
                continue
            for entry in entries:
                inner = f"{place}/{entry.name}" if place else entry.name
                if is_hidden(entry.name):
                    continue
                if entry.is_symlink():
                    is_folder = os.path.isdir(entry.path)
                    yield File(f"{inner}/" if is_folder else inner, problem="it is a link, not a file")
                elif entry.is_dir():
                    yield File(f"{inner}/")
                    waiting.append((inner, entry.path))
                else:
                    yield from self.loose(inner, Path(entry.path))

    def loose(self, place, path):
        """A file in a folder, or the files in it."""
        try:
            about = path.stat()
        except OSError as error:
            yield File(place, problem=unreadable(error))
            return
        if stat.S_ISREG(about.st_mode):
            yield from self.file(place, (about.st_mtime,), partial(path.open, "rb"), 0)
        else:
            yield File(place, problem="it is no file")

    def members(self, place, archive, depth):
        """The files in an archive; at no place, in that of a class, each first folder is a student's."""
        for member in archive.infolist():
            parts = member.filename.replace("\\", "/").split("/")
            parts = [part for part in parts if part not in ("", ".", "..")]
            is_long = len(member.filename) > 1000
            if is_long:
                parts = [part[:200] for part in parts[:5]]
            if not parts or is_hidden(parts[0]):
                continue
            if not place and (len(parts) > 1 or member.is_dir()):
                yield File(f"{parts[0]}/")
            if member.is_dir() or any(map(is_hidden, parts)):
                continue
            inner = "/".join([place, *parts] if place else parts)
            if is_long:
                yield File(inner, problem="its name is too long")
            else:
                yield from self.file(inner, member.date_time, partial(opened, archive, member), depth + 1)

    def file(self, place, time, opening, depth):
        """The File at this place or, where it is an archive, the files in it.

        opening: a function that opens it. depth: how many archives it lies in.
        """
        student, is_zip = place.split("/")[0], place.lower().endswith(".zip")
        is_read = is_zip or bool(NOTEBOOK.search(place))
        self.files[student, is_read] += 1
        count = self.files[student, is_read]
        if is_read and count == MOST_FILES + 1:
            yield File(f"{student}/", problem=f"of more than {MOST_FILES:,} files the rest is not read")
        if count > MOST_FILES:
            return
        if not is_read:
            is_archive = ARCHIVE.search(place)
            yield File(place, time, problem="of archives only .zip is unpacked" if is_archive else OTHER)
            return
        try:
            with opening() as file:
                if not is_zip:
                    yield File(place, time, self.content(student, file, LARGEST))
                elif depth > 2:
                    raise Unread("it lies in too many archives")
                else:  # one on the disk is read where it lies
                    inside = io.BytesIO(self.content(student, file, MOST)) if depth else file
                    with zipfile.ZipFile(Guarded(inside)) as archive:
                        yield from self.members(place, archive, depth)
        except Unread as error:
            yield File(place, time, problem=str(error))
        except OSError as error:
            yield File(place, time, problem=unreadable(error))
        except Exception as error:  # zipfile raises many kinds
            what = "unpacked" if is_zip else "read"
            yield File(place, time, problem=f"it cannot be {what} ({type(error).__name__}: {error})"[:300])

    def content(self, student, file, most):
        """The bytes of a file; raises Unread where it, or all files of a student, have too many."""
        allowed = max(0, min(most, MOST - self.bytes[student]))
        content = file.read(allowed + 1)
        self.bytes[student] += len(content)
        if len(content) > allowed:
            together = f"a student's files may have {MOST / 2**20:.0f} MB together"
            raise Unread("it is too large" if allowed == most else together)
        return content


class Guarded(io.BufferedReader):
    """An archive's file for zipfile, which reads the list of what is in it at once, however long."""

    def read(self, size=-1):
        if size > LARGEST + 1:
            raise Unread("its list of files is too long")
        return super().read(size)


def opened(archive, member):
    """The file of a member; raises Unread for methods that Python unpacks whole, however large."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Unread("it is compressed by another method than deflate")
    return archive.open(member)


def is_hidden(name):
    """Whether nobody hands in a file or folder of this name."""
    return name.startswith((".", "__MACOSX"))


def unreadable(error):
    """What is wrong with a file that raises this OSError."""
    return f"it cannot be read ({error.strerror or error})"


def holds_students(files):
    """Whether the notebooks in a folder, {stem: [File]}, lie deeper, and one of them in several folders."""
    folders = [[file.place.split("/")[:-1] for file in each] for stem, each in files.items() if stem]
    is_deep = all(len(folder) > 1 for each in folders for folder in each)
    return is_deep and any(len(set(map(tuple, each))) > 1 for each in folders)


def not_of_canvas(firsts):
    """{(name, number)} of what looks like Canvas's, and is not, because that numbers each file anew.

    >>> not_of_canvas(["hw_02_2026_ada.zip", "hw_02_2026_bob.zip", "ada_123_456_hw.zip"])
    {('hw', '02')}
    """
    counts = Counter(known.groups() for known in map(CANVAS.match, firsts) if known)
    return {known[:2] for known, count in counts.items() if count > 1}


def owner_of(place, stems, others=()):
    """(Owner, stem of the notebook or None) of a file by its place.

    others: what `not_of_canvas` finds.

    >>> owner_of("ada/02_angle_rates (1).ipynb", ["02_angle_rates"])
    (Owner(name='ada', full='ada'), '02_angle_rates')
    >>> owner_of("lovelaceada_LATE_123_456_02_angle_rates-1.ipynb", ["02_angle_rates"])
    (Owner(name='lovelaceada', full='lovelaceada_123'), '02_angle_rates')
    >>> owner_of("ada.zip/homework.ipynb", ["02_angle_rates"])
    (Owner(name='ada', full='ada.zip'), None)
    """
    first, *rest = place.split("/")
    name = plain((rest or [first])[-1])
    stem = next((stem for stem in stems if plain(stem) in name), None)
    is_archive = ARCHIVE.search(first)
    before = first[: name.index(plain(stem))] if stem and not rest else first
    known = MOODLE.match(first) or ((is_archive or not rest) and CANVAS.match(before))
    if known and known.groups()[:2] not in others:
        student = as_written(known[1]).strip()
        return Owner(student, f"{student}_{known[2]}"), stem
    if rest or is_archive:
        return Owner(student_name(first) or nobody(first), as_written(first)), stem
    student = (stem and student_name(LOOSE.sub("", before))) or nobody(first)
    return Owner(student, student), stem


def nobody(name):
    """The student of a file that lies loose and has no student's name."""
    return f"nobody ({as_written(name)})"


def plain(name):
    """A file's name as it is compared: no capitals, and `_` for all that is neither a letter nor a digit."""
    return re.sub(r"[^a-z0-9]", "_", name.lower())


def student_name(folder):
    """A student's name from that of a folder or archive."""
    name = as_written(ARCHIVE.sub("", folder))
    known = MOODLE.match(name)
    return (known[1] if known else name).strip()


def as_written(name):
    """A name in one form of its letters, as UTF-8 can have it."""
    return unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))


def told(files, is_all):
    """What is wrong with a student's files that have the name of no notebook, ten at most.

    is_all: there are no others; else those of other kinds may be anything, such as data.
    """
    odd = [file for file in files if file.problem != OTHER] or (files if is_all else [])
    lines = [
        f"{short(file.place)}: {file.problem or 'it has the name of no notebook of the course'}"
        for file in odd[:10]
    ]
    return lines + ([f"and {len(odd) - 10} more files"] if len(odd) > 10 else [])


def short(place):
    """A file's place, or the end of a long one."""
    return place if len(place) <= 80 else f"…{place[-79:]}"


def chosen(stem, files):
    """The Submission among a student's files for one notebook: the newest, or the last by name."""
    files = [file for file in files if file.problem != OTHER] or files[-1:]
    files = sorted(files, key=lambda file: (not file.problem, file.time, file.place))
    *others, file = files
    note = "" if file.place.split("/")[-1] == f"{stem}.ipynb" else f"handed in as {short(file.place)}"
    if others:
        names = ", ".join(short(other.place) for other in others[:3])
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        note = f"graded is {short(file.place)}, not {names}{more}"
    return Submission(file, note)


def cells_of(content):
    """[(source, ("exercise", 1), or another part, or None)] of the code cells; raises NotANotebook."""
    try:  # not by nbformat, which takes minutes for what somebody makes for that
        cells = [
            cell for cell in json.loads(content.decode("utf-8-sig"))["cells"] if cell["cell_type"] == "code"
        ]
        found = [(as_text(cell["source"] or ""), part_of(tagged(cell))) for cell in cells]
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


def answer_cells(cells, known, number):
    """(those above the check, those below it) of the student's own cells, each (source, is the exercise's).

    cells: as `cells_of` gives them. known: the sources of the course's cells, which the student has, too.
    """
    end = next((n for n, (_, part) in enumerate(cells) if part == ("check", number)), len(cells))
    known = {source.strip() for source in known}
    above, below = (
        [
            (source, part == ("exercise", number))
            for source, part in some
            if source.strip() and source.strip() not in known
        ]
        for some in (cells[:end], cells[end:])
    )
    return above, below
