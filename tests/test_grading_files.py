"""Files as people, browsers and learning platforms make them, and those that are made to stop a grader."""

import csv
import io
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from tools import grade
from tools.course import ROOT
from tools.grading import judge, report, submissions

STEMS = ["01_formula", "02_angle_rates"]
NAME = "02_angle_rates.ipynb"


def zipped(files, compression=zipfile.ZIP_DEFLATED):
    """An archive of {place: content}, as bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for place, inside in files.items():
            archive.writestr(place, inside)
    return content.getvalue()


def handed_in(folder, files, roster=()):
    """(every, strange) of a class with these files: {place: content}; without a folder, of their archive."""
    for place, content in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(content)
    return submissions.submissions_in(folder, STEMS, roster)


def in_archive(folder, files, roster=()):
    """The same of one archive with these files."""
    path = folder.parent / f"{folder.name}-class.zip"
    path.write_bytes(zipped(files))
    return submissions.submissions_in(path, STEMS, roster)


def file(every, student):
    return every[student]["02_angle_rates"].file


BOTH = pytest.mark.parametrize("read", [handed_in, in_archive], ids=["folder", "archive"])


# What is made to stop it


@BOTH
def test_many_small_archives_of_large_notebooks_fill_no_memory(tmp_path, monkeypatch, read):
    monkeypatch.setattr(submissions, "LARGEST", 10**6)
    monkeypatch.setattr(submissions, "MOST", 5 * 2**20)
    inner = zipped({f"{n}_{NAME}": bytes(10**6) for n in range(30)})
    bomb = zipped({f"{n}.zip": inner for n in range(3)})
    assert len(bomb) < 100_000
    tracemalloc.start()
    every, strange = read(
        tmp_path, {"ada/" + NAME: b"honest", "eve/homework.zip": bomb, "zoe/" + NAME: b"too"}
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 15 * 10**6
    assert file(every, "ada").content == b"honest" and file(every, "zoe").content == b"too"
    assert file(every, "eve").content == bytes(10**6)  # what came first
    assert strange["eve"][0] == "eve/homework.zip/1.zip: a student's files may have 5 MB together"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_python_unpacks_without_a_limit_is_not_unpacked(tmp_path, method):
    every, _ = handed_in(tmp_path, {"eve.zip": zipped({NAME: bytes(10**6)}, method)})
    assert file(every, "eve").problem == "it is compressed by another method than deflate"


def test_an_archive_with_millions_of_names_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "LARGEST", 10**5)
    many = zipped({f"{n}": b"" for n in range(3000)})
    _, strange = handed_in(tmp_path, {"eve/homework.zip": zipped({"inner.zip": many}), "zoe.zip": many})
    for student in "eve", "zoe":
        assert "its list of files is too long" in strange[student][0]


@BOTH
def test_thousands_of_files_of_one_leave_the_others_alone(tmp_path, monkeypatch, read):
    monkeypatch.setattr(submissions, "MOST_FILES", 20)
    many = {f"aaa/{n}_{NAME}": b"" for n in range(50)} | {f"bbb/{n}.txt": b"" for n in range(50)}
    honest = {f"{student:03}/{name}.ipynb": b"{}" for student in range(30) for name in STEMS}
    every, strange = read(tmp_path, many | honest)
    assert len(every) == 32 and all(len(every[f"{n:03}"]) == 2 for n in range(30))
    assert "aaa" in strange and any("more than 20 files" in one for one in strange["aaa"])
    assert len(strange["bbb"]) <= 11 and strange["bbb"][-1] == "and 10 more files"


def test_a_damaged_file_in_an_archive_leaves_the_others_alone(tmp_path):
    whole = zipped({f"{student}/{NAME}": student.encode() * 50 for student in ("ada", "bob", "zoe")}, 0)
    (tmp_path / "class.zip").write_bytes(whole.replace(b"bob" * 50, b"bub" * 50))
    every, _ = submissions.submissions_in(tmp_path / "class.zip", STEMS)
    assert file(every, "ada").content == b"ada" * 50 and file(every, "zoe").content == b"zoe" * 50
    assert "BadZipFile" in file(every, "bob").problem


def test_links_and_pipes_and_what_nobody_may_read_have_a_row(tmp_path, monkeypatch):
    handed_in(tmp_path, {f"{student}/notes.txt": b"" for student in ("bob", "cleo", "eve")})
    handed_in(tmp_path, {"ada/" + NAME: b"honest", "dora/" + NAME: b"hers"})
    (tmp_path / "bob" / NAME).symlink_to(NAME)  # to itself
    os.mkfifo(tmp_path / "cleo" / NAME)
    (tmp_path / "fay").symlink_to(tmp_path / "fay")
    really, scan = Path.open, os.scandir

    def refused(path, *others, really):
        if Path(path).parts[-2:] in (("dora", NAME), (tmp_path.name, "eve")):
            raise PermissionError(13, "Permission denied", str(path))
        return really(path, *others)

    # root may read all
    monkeypatch.setattr(Path, "open", lambda *a, **k: refused(*a, really=really))
    monkeypatch.setattr(os, "scandir", lambda *a: refused(*a, really=scan))
    every, strange = submissions.submissions_in(tmp_path, STEMS)
    assert file(every, "ada").content == b"honest"
    assert file(every, "bob").problem == "it is a link, not a file"
    assert file(every, "cleo").problem == "it is no file"
    assert file(every, "dora").problem == "it cannot be read (Permission denied)"
    assert strange["eve"] == ["eve/: it cannot be read (Permission denied)"]
    assert strange["nobody (fay)"] == ["fay: it is a link, not a file"]


@pytest.mark.parametrize("name", ["\U00020000" * 63, "\U00020000" * 90, "a" * 300, "é" * 200])
def test_a_page_has_a_name_that_a_disk_takes(tmp_path, name):
    (tmp_path / report.page_name(name)).write_text("")
    assert report.page_name(name) != report.page_name(name + "a")


def test_a_name_that_is_long_or_empty_stops_nobody(tmp_path):
    files = {f"ada/{'x' * 60_000}/{NAME}": b"", f"{'y' * 5000}/{NAME}": b"", f" /{NAME}": b""}
    every, _ = in_archive(tmp_path, files | {"zoe/" + NAME: b"honest"})
    assert file(every, "zoe").content == b"honest" and len(every) == 4 and "nobody ( )" in every
    assert file(every, "ada").problem == "its name is too long" and len(file(every, "ada").place) < 500


def test_a_note_has_an_end():
    mark = judge.Mark(0, "wrong")
    assert len(grade.row("eve", "02", 1, mark, "x" * 10**6 + "\n")["note"]) < 600
    many = [submissions.File(f"eve/{n}{'x' * 900}_{NAME}", (), b"") for n in range(150)]
    note = submissions.chosen("02_angle_rates", many).note
    assert len(note) < 500 and note.endswith("and 146 more")


# What honest people hand in


@BOTH
def test_other_endings_have_a_row(tmp_path, read):
    every, strange = read(
        tmp_path,
        {
            "ada/02_angle_rates.ipynb.txt": b"by Safari",
            "bob/02_angle_rates.ipynb.json": b"by Firefox",
            "cleo/02_angle_rates.py": b"x = 1",
            "dora/homework.tar.gz": b"",
            "eve/homework.7z": b"",
            "fay/notes.txt": b"",
            "gus/02_angle_rates.rar": b"",
            "hal/" + NAME: b"right",
            "hal/02_angle_rates.html": b"",
            "hal/notes.txt": b"",
        },
    )
    assert list(every) == ["ada", "bob", "cleo", "dora", "eve", "fay", "gus", "hal"]
    assert file(every, "ada").content == b"by Safari" and file(every, "bob").content == b"by Firefox"
    assert every["ada"]["02_angle_rates"].note == "handed in as ada/02_angle_rates.ipynb.txt"
    assert file(every, "cleo").problem == "it is no notebook (.ipynb)"
    assert file(every, "gus").problem == "of archives only .zip is unpacked"
    assert strange == {
        "dora": ["dora/homework.tar.gz: of archives only .zip is unpacked"],
        "eve": ["eve/homework.7z: of archives only .zip is unpacked"],
        "fay": ["fay/notes.txt: it is no notebook (.ipynb)"],
    }
    assert file(every, "hal").content == b"right" and every["hal"]["02_angle_rates"].note == ""


@BOTH
def test_two_students_of_one_name_stay_two(tmp_path, read):
    moodle = "{}_{}_assignsubmission_{}_/{}"
    every, _ = read(
        tmp_path,
        {
            moodle.format("Wei Wang", 1, "file", NAME): b"first",
            moodle.format("Wei Wang", 2, "file", NAME): b"second",
            moodle.format("Wei Wang", 2, "onlinetext", "onlinetext.html"): b"",
            moodle.format("Ada Lovelace", 3, "file", NAME): b"third",
            moodle.format("Ada Lovelace", 3, "onlinetext", "onlinetext.html"): b"",
        },
    )
    assert list(every) == ["Ada Lovelace", "Wei Wang_1", "Wei Wang_2"]
    contents = [file(every, student).content for student in every]
    assert contents == [b"third", b"first", b"second"]


@BOTH
def test_nobody_takes_the_place_of_another_by_a_name(tmp_path, read):
    moodle = "{}_{}_assignsubmission_file_/" + NAME
    files = {moodle.format("Wei Wang", n): b"%d" % n for n in (1, 2)}
    files |= {moodle.format("Wei Wang_1", 77): b"77", "Wei Wang_2/" + NAME: b"a folder"}
    files |= {moodle.format("Ada", 5): b"Ada's", moodle.format("Ada_5_assignsubmission_x", 99): b"eve's"}
    every, _ = read(tmp_path, files)
    assert {student: file(every, student).content for student in every} == {
        "Ada": b"Ada's",
        "Ada_5_assignsubmission_x": b"eve's",
        "Wei Wang_1": b"1",
        "Wei Wang_2": b"2",
        "Wei Wang_1_77": b"77",
        "Wei Wang_2'": b"a folder",
    }


@BOTH
def test_archives_with_numbers_in_their_names_are_not_canvas(tmp_path, read):
    archives = "hw_02_2026_ada", "hw_02_2026_bob", "2026_11_03_cy", "2026_11_03_dora"
    files = {f"{name}.zip": zipped({NAME: name.encode()}) for name in archives}
    loose = {f"ws_2026_11_{student}_{NAME}": b"" for student in ("eve", "fay")}
    every, _ = read(tmp_path, files | loose)
    assert set(every) == {*archives, "ws_2026_11_eve", "ws_2026_11_fay"}
    assert all(file(every, name).content == name.encode() for name in archives)


@BOTH
@pytest.mark.parametrize(
    "files",
    [
        {f"submissions/{student}/{NAME}": b"" for student in ("ada", "bob")},
        {f"Sheet 1/Handed in/{student}/1_{NAME}": b"" for student in ("ada", "bob")},
        {"02.zip": zipped({f"{student}_1_assignsubmission_file_/{NAME}": b"" for student in ("ada", "bob")})},
    ],
    ids=["a folder", "two folders", "archives of a platform"],
)
def test_students_a_folder_deeper_are_refused(tmp_path, read, files):
    with pytest.raises(submissions.NotAClass, match=r"lie a folder deeper, such as .*(ada|Handed in)"):
        read(tmp_path, files)
    (tmp_path / "2").mkdir()
    every, _ = read(tmp_path / "2", {"ada/homework/" + NAME: b"", "ada/homework/01_formula.ipynb": b""})
    assert list(every) == ["ada"]


@BOTH
def test_a_roster_may_name_the_number_of_a_platform(tmp_path, read):
    files = {f"Wei Wang_2_assignsubmission_file_/{NAME}": b"second"}
    every, _ = read(tmp_path, files, {"Wei Wang_1": [], "Wei Wang_2": []})
    assert list(every) == ["Wei Wang_2"]


@BOTH
def test_archives_of_canvas_belong_to_their_students(tmp_path, read):
    every, strange = read(
        tmp_path,
        {
            "lovelaceada_123_456_homework.zip": zipped({NAME: b"ada's"}),
            "lovelaceada_123_457_01_formula.ipynb": b"ada's, too",
            "wangwei_LATE_5_460_" + NAME: b"first",
            "wangwei_6_461_02_angle_rates-1.ipynb": b"second",
            "hopper_7_470_homework.py": b"",
            "class list.csv": b"the teacher's",
        },
    )
    assert list(every) == ["hopper", "lovelaceada", "wangwei_5", "wangwei_6"]
    assert set(every["lovelaceada"]) == set(STEMS) and file(every, "wangwei_6").content == b"second"
    assert strange == {"hopper": ["hopper_7_470_homework.py: it is no notebook (.ipynb)"]}


@BOTH
def test_an_archive_with_the_name_of_anothers_folder_is_another(tmp_path, read):
    files = {"ada/" + NAME: b"ada's", "ada.zip": zipped({NAME: b"eve's"})}
    every, _ = read(tmp_path, files)
    assert {student: file(every, student).content for student in every} == {
        "ada": b"ada's",
        "ada.zip": b"eve's",
    }


def test_a_students_archive_may_be_larger_than_a_notebook(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "LARGEST", 10**4)
    monkeypatch.setattr(submissions, "MOST", 10**5)
    sizes = {"ada": 5 * 10**4, "bob": 2 * 10**5}
    archives = {
        f"{student}_1_assignsubmission_file_/homework.zip": zipped({NAME: b"x", "data": os.urandom(size)})
        for student, size in sizes.items()
    }
    every, strange = in_archive(tmp_path, archives)
    assert file(every, "ada").content == b"x"
    assert strange["bob"][0].endswith("homework.zip: it is too large")


def test_a_class_that_is_no_zip_archive_is_refused(tmp_path):
    (tmp_path / "class.7z").write_bytes(b"7z")
    with pytest.raises(submissions.NotAClass, match="not a zip file"):
        submissions.submissions_in(tmp_path / "class.7z", STEMS)


# Rosters and tables


@pytest.mark.parametrize(
    "content",
    [
        "student,mail\nJürgen,j@x\n".encode(),
        "student,mail\r\nJürgen,j@x\r\n".encode("utf-8-sig"),
        "student;mail\nJürgen;j@x\n".encode(),
        "student\tmail\nJürgen\tj@x\n".encode("utf-16"),
        '"student";"mail"\n"Jürgen";"j@x"\n'.encode(),
    ],
)
def test_rosters_as_programs_write_them_are_read(tmp_path, content):
    (tmp_path / "roster.csv").write_bytes(content)
    assert grade.read_roster(tmp_path / "roster.csv") == ({"Jürgen": ["j@x"]}, ["mail"])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        ("student,mail\nJürgen,j@x\n".encode("latin-1"), "must be UTF-8"),
        (b"\xff\xfes", "must be UTF-8 or UTF-16"),
        (b"student,mail\nada," + b"x" * 200_000, "field larger than field limit"),
        (b'student,mail\n"ada,x\nbob,y', "unexpected end of data"),
        (b"student,mail\nada,x\nbob,y\nada,z\n", "each student once; got ada twice"),
    ],
)
def test_other_rosters_are_refused(tmp_path, content, why):
    (tmp_path / "roster.csv").write_bytes(content)
    with pytest.raises(grade.Refused, match=rf"--roster .*{why}"):
        grade.read_roster(tmp_path / "roster.csv")


def test_no_cell_is_a_formula_where_a_semicolon_separates(tmp_path):
    texts = "a;=1+1;-2", 'a; ""=1+1', "a;\uff1d1", ";@a"
    report.write_table(tmp_path / "table.csv", ["student", *texts], [])
    ((*cells,),) = csv.reader((tmp_path / "table.csv").open(encoding="utf-8", newline=""), delimiter=";")
    assert len(cells) == 6 and not any(report.FORMULA.match(cell.replace('"', "")) for cell in cells)
    assert report.cell("(0, -1); x = 1") == "(0, -1); x = 1"


def test_a_name_that_looks_like_a_page_is_another_page():
    page = report.page_name("o'brien").removesuffix(".html")
    assert report.page_name(page) != f"{page}.html"


def test_make_grade_takes_a_path_with_blanks():
    assert '$(if $(SUBMISSIONS),"$(SUBMISSIONS)")' in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize("text", ["\x01=1+1", "\u200b=1", "\u00ad=1", "\x01\t-1", "\u2028@a", "\ud800=1"])
def test_no_cell_is_a_formula_behind_what_is_not_seen(tmp_path, text):
    report.write_table(tmp_path / "table.csv", [text], [])
    ((written,),) = csv.reader((tmp_path / "table.csv").open(encoding="utf-8", newline=""))
    assert written.startswith("'")
