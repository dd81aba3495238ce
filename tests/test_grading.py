"""What a grader makes of the student's edition when it comes back."""

import shutil

import nbformat
import pandas
import pytest

from tools import editions, grade
from tools.course import NOTEBOOKS

QUICK = next(path for path in NOTEBOOKS if path.stem.startswith("02"))
LIMITS = 20, 8  # seconds and gigabytes


def read(path):
    return nbformat.read(path, as_version=4)


def exercise(number, name, expected):
    """The cells of an exercise: write a function that gives the expected number."""
    check = f"from pe_helpers.exercises import check\ncheck({name}, lambda x: {expected}, [(1,), (5,)])"
    code = f"```python\ndef {name}(x): return {expected}\n```"
    solution = f"<details><summary>Solution</summary>\n\n{code}\n\n</details>"
    for kind, source in ("exercise", f"def {name}(x): return ..."), ("check", check), ("solution", solution):
        cell = nbformat.v4.new_markdown_cell if kind == "solution" else nbformat.v4.new_code_cell
        yield cell(source, metadata={"tags": [f"{kind}-{number}"]})


@pytest.fixture
def course(tmp_path, monkeypatch):
    """The path of the one notebook of a course, with two exercises."""
    cells = [nbformat.v4.new_markdown_cell("## Exercises"), *exercise(1, "double", "2 * x")]
    cells += [nbformat.v4.new_code_cell("assert callable(double)"), *exercise(2, "square", "x * x")]
    path = tmp_path / "00_small.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    monkeypatch.setattr(grade, "NOTEBOOKS", [path])
    return path


def solutions(path):
    solved = editions.sources(read(path), "solution")
    return {number: editions.solution_code(source) for number, source in solved.items()}


def hand_in(path, answers, change=None, student="ada"):
    """Write the student's edition with these answers; return its path."""
    notebook = editions.edition(read(path), "student")
    for cell in notebook.cells:
        name, number = editions.part_of(cell) or (None, None)
        if name == "exercise" and number in answers:
            cell.source = answers[number]
        if change and (name, number) == change:
            cell.source += "\nprint('all is right')"
    handed_in = path.parent / "class" / student / path.name
    handed_in.parent.mkdir(parents=True)
    nbformat.write(notebook, handed_in)
    return handed_in


def test_solutions_of_a_real_notebook_have_all_points_and_blanks_none(tmp_path):
    path = tmp_path / QUICK.name
    shutil.copy(QUICK, path)
    assert grade.grades_of(path, hand_in(path, solutions(path)), *LIMITS) == {
        1: (1, "right"),
        2: (1, "right"),
    }
    blank = grade.grades_of(path, hand_in(path, {}, student="eve"), *LIMITS)
    assert [points for points, _ in blank.values()] == [0, 0]
    assert all("Not filled in yet" in remark for _, remark in blank.values())


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("while True: pass", "more than 3 s"),
        ("import os\nos._exit(1)", "ended the kernel"),
        ("raise OSError('no file')", "OSError: no file"),
        ("double = bytearray(10**13)", "MemoryError"),
        ("def check(*_, **__): print('all is right')\ndef double(x): return 0", "it should be 2"),
        ("double = 0", "This must be a function"),
    ],
)
def test_what_goes_wrong_costs_its_own_point_alone(course, answer, told):
    found = grade.grades_of(course, hand_in(course, solutions(course) | {1: answer}), 3, 8)
    assert found[1][0] == 0 and told in found[1][1]
    assert found[2] == (1, "right")


@pytest.mark.parametrize("change", [("check", 1), ("check", 2)])
def test_the_checks_are_the_courses_own(course, change):
    blank = grade.grades_of(course, hand_in(course, {}, change=change), *LIMITS)
    assert [points for points, _ in blank.values()] == [0, 0]


CHEATS = {
    "the environment": "import os\nos.environ['PE_GRADE'] = '0'",
    "the comparison": "import pe_helpers.exercises as e\ne._equal = lambda *_: True",
    "the check": "check = lambda *_, **__: None",
    "the check in its module": "import pe_helpers.exercises as e\ne.check = lambda *_, **__: None",
}


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS)
def test_what_an_answer_puts_in_the_place_of_the_courses_own_is_put_back(course, cheat):
    wrong = f"{cheat}\ndef double(x): return 0"
    found = grade.grades_of(course, hand_in(course, {1: wrong, 2: "def square(x): return 1"}), *LIMITS)
    assert [points for points, _ in found.values()] == [0, 0]


def graded(folder, out, monkeypatch):
    monkeypatch.setattr("sys.argv", ["", str(folder), "--out", str(out), "--jobs", "1"])
    grade.main()
    return pandas.read_csv(out / "grades.csv")


def test_one_student_never_stops_the_class(course, tmp_path, monkeypatch):
    handed_in = hand_in(course, solutions(course))
    folder, notebook = handed_in.parent.parent, read(handed_in)
    for student in ("=1+1", "none", "twice", "tags"):
        (folder / student).mkdir()
    nbformat.write(notebook, folder / "=1+1" / "00_small (1).ipynb")
    for name in ("00_small.ipynb", "00_small(2).ipynb"):
        nbformat.write(notebook, folder / "twice" / name)
    text = handed_in.read_text().replace('"tags": [', '"tags": null, "others": [')
    (folder / "tags" / course.name).write_text(text)
    out = tmp_path / "out"
    table = graded(folder, out, monkeypatch).set_index("student")
    assert table.points.groupby("student").sum().to_dict() == {
        "ada": 2, "'=1+1": 2, "none": 0, "twice": 0, "tags": 0
    }  # fmt: skip
    assert table.remark["none"].iloc[0] == "Not handed in."
    assert "twice" in table.remark["twice"].iloc[0] and "(2).ipynb" in table.remark["twice"].iloc[0]

    pages = {page: page.stat().st_mtime_ns for page in out.glob("*.html")}
    (folder / "none" / course.name).write_text(handed_in.read_text())  # late
    again = graded(folder, out, monkeypatch).set_index("student")
    assert again.points.groupby("student").sum()["none"] == 2 and len(again) == len(table)
    new = {page.stem for page, time in pages.items() if page.stat().st_mtime_ns != time}
    assert new == {"none"}


def test_the_command_writes_a_table_and_a_page_for_each_student(course, tmp_path, monkeypatch):
    folder = hand_in(course, solutions(course)).parent.parent
    (folder / "<eve>").mkdir()
    (folder / "<eve>" / course.name).write_text("no notebook")
    monkeypatch.setattr("sys.argv", ["", str(folder), "--out", str(tmp_path / "out"), "--jobs", "1"])
    grade.main()
    table = pandas.read_csv(tmp_path / "out" / "grades.csv")
    assert table.groupby("student").points.sum().to_dict() == {"ada": 2, "<eve>": 0}
    assert "The file is no notebook" in table.remark[0]
    assert "<h1>&lt;eve&gt;: 0 of 2" in (tmp_path / "out" / "<eve>.html").read_text()
