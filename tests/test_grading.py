"""What a grader makes of what students hand in: honest ones, careless ones, and those who cheat."""

import doctest
import html
import json
import os
import socket
import sys
import time
import zipfile
from pathlib import Path

import nbformat
import pandas
import pytest

from tools import editions, grade
from tools.course import NOTEBOOKS, ROOT
from tools.grading import answering, judge, key, report, submissions, values
from tools.grading.hidden import DRAWS
from tools.grading.sandbox import Sandbox, SandboxError

QUICK = next(path for path in NOTEBOOKS if path.stem.startswith("02"))
SECRET = "the sentence about a mistake"


def read(path):
    return nbformat.read(path, as_version=4)


def exercise(number, name, expected):
    """The cells of an exercise: write a function that gives the expected number."""
    check = (
        f"from pe_helpers.exercises import check\n"
        f"check({name}, lambda x: {expected}, [(1,), (5,)], {{'{SECRET}': lambda x: x}})"
    )
    code = f"```python\ndef {name}(x): return {expected}\n```"
    solution = f"<details><summary>Solution</summary>\n\n{code}\n\n</details>"
    for kind, source in ("exercise", f"def {name}(x): return ..."), ("check", check), ("solution", solution):
        cell = nbformat.v4.new_markdown_cell if kind == "solution" else nbformat.v4.new_code_cell
        yield cell(source, metadata={"tags": [f"{kind}-{number}"]})


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The path of the one notebook of a course, with two exercises."""
    cells = [
        nbformat.v4.new_code_cell("import numpy as np\ntwo = 2\n1 / 1"),
        nbformat.v4.new_markdown_cell("## Exercises"),
    ]
    cells += [*exercise(1, "double", "2 * x"), *exercise(2, "square", "x * x")]
    path = tmp_path_factory.mktemp("course") / "00_small.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.fixture(scope="module")
def exercises(course):
    """The exercises of that course, whose first one has cases that the notebook does not show."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(DRAWS, ("00_small", 1), lambda rng, names: (float(rng.uniform(10, 20)),))
        return key.exercises_of(course, 1)


@pytest.fixture(scope="module")
def sandbox():
    return sandbox_of(5)


def sandbox_of(seconds, memory=2**30):
    try:
        return Sandbox(seconds, memory)
    except SandboxError as error:
        if "GITHUB_ACTIONS" in os.environ:
            raise
        pytest.skip(str(error))


def solutions(path):
    solved = editions.sources(read(path), "solution")
    return {number: editions.solution_code(source) for number, source in solved.items()}


def handed_in(path, answers, change=lambda cells: None):
    """The student's edition with these answers, as bytes."""
    notebook = editions.edition(read(path), "student")
    for cell in notebook.cells:
        name, number = editions.part_of(cell) or (None, None)
        if name == "exercise" and number in answers:
            cell.source = answers[number]
    change(notebook.cells)
    return nbformat.writes(notebook).encode()


def marks(exercises, content, sandbox):
    file = submissions.File("x.ipynb", (), content)
    rows = grade.rows_of("ada", "00_small", exercises, submissions.Submission(file, ""), sandbox)
    return {one["exercise"]: one for one in rows}


# What earns nothing, in a notebook whose first exercise is to return 2 * x. `wrong` is what it returns.

WRONG = "def double(x): return 7\n"
CHEATS = {
    "the comparison": "import pe_helpers.exercises as e\ne._equal = lambda *_: True\n" + WRONG,
    "numpy's comparison": "import numpy as np\nnp.allclose = np.isclose = lambda *a, **k: True\n" + WRONG,
    "the check": "import pe_helpers.exercises as e\ne.check = check = lambda *_, **__: None\n" + WRONG,
    "the conversion": "import pe_helpers.exercises as e\ne._numbers = lambda x: 1 / 0\n" + WRONG,
    "the solution beside the package": """
import pathlib, pe_helpers, re
def double(x):
    for folder in pathlib.Path(pe_helpers.__file__).parents:
        for file in folder.glob("notebooks/*.ipynb"):
            return 2 * x
    return 7""",
    "others' submissions": """
import pathlib
def double(x):
    return 2 * x if list(pathlib.Path("SUBMISSIONS").glob("*")) else 7""",
    "a file for the next one": """
import pathlib
def double(x):
    for folder in "/", "/course/pe_helpers", "/grader", "/usr", "/dev", "/dev/shm", "SUBMISSIONS", "ROOT":
        try:
            pathlib.Path(folder, "answer").write_text("2 * x")
            return 2 * x
        except OSError:
            pass
    return 7""",
    "at exit": "import atexit, os, sys\natexit.register(lambda: os.write(3, b'{}'))\n" + WRONG,
    "equal to all": """
class Right(float):
    __eq__ = __lt__ = __le__ = __ge__ = __gt__ = lambda self, other: True
    __array__ = lambda self, *a, **k: __import__("numpy").array(7.0)
def double(x): return Right(7)""",
    "a lying array": """
import numpy as np
class Lying(np.ndarray):
    shape = property(lambda self: ())
    dtype = property(lambda self: np.dtype(float))
    __array_ufunc__ = lambda self, *a, **k: True
    __array_function__ = lambda self, *a, **k: True
def double(x): return np.zeros(3).view(Lying)""",
    "not a number": "def double(x): return float('nan')",
    "infinite": "def double(x): return float('inf')",
    "a truth value": "def double(x): return True",
    "a text": "def double(x): return '1 point: right'",
    "an exception": "class Passed(Exception): pass\ndef double(x): raise Passed('right')",
    "fork": """
import os
def double(x):
    try:
        if os.fork() == 0:
            os._exit(0)
        return 2 * x
    except OSError:
        return 7""",
    "a program": """
import subprocess
def double(x):
    try:
        return 2 * x if subprocess.run(["true"]).returncode == 0 else 7
    except OSError:
        return 7""",
    "hooks": """
import sys
sys.settrace(lambda *a: None)
sys.excepthook = sys.unraisablehook = lambda *a: None
sys.addaudithook(lambda *a: None)
"""
    + WRONG,
    "forged lines": """
import os, threading
line = b'{"case": %d, "points": 1, "value": "right"}\\n'
def forge():
    for descriptor in range(3, 20):
        for case in range(9):
            try: os.write(descriptor, line % case)
            except OSError: pass
threads = [threading.Thread(target=forge) for _ in range(3)]
for one in threads: one.start()
for one in threads: one.join()
"""
    + WRONG,
    "another answer's words": """
import os
for descriptor in range(3, 20):
    try: os.write(descriptor, b'{"problem": "right"}\\n')
    except OSError: pass
"""
    + WRONG,
    "a pickle": """
class Bomb:
    def __reduce__(self): return eval, ("__import__('sys').exit(0)",)
def double(x): return Bomb()""",
    "recursion": "def double(x): return double(x)",
    "exit": "import sys\ndef double(x): sys.exit(0)",
    "exit at once": "import os\nos._exit(0)",
    "a signal": "import os\ndef double(x): os.kill(os.getpid(), 9)",
    "an alarm": "import signal, time\nsignal.alarm(1)\ndef double(x): time.sleep(3)",
    "a crash": "import ctypes\ndef double(x): ctypes.string_at(0)",
    "all processes": "import os\nos.kill(-1, 9)\n" + WRONG,
    "another program in its place": "import os\nos.execv('/bin/true', ['true'])",
    "a giant": "def double(x): return bytearray(10**13)",
    "giant results": "import numpy as np\ndef double(x): return np.zeros(10**7)",
    "memory": "kept = []\ndef double(x):\n    while True: kept.append(bytearray(10**8))",
    "a full folder": """
def double(x):
    for n in range(10**4):
        with open(f"/tmp/{n}", "wb") as file: file.write(bytes(10**7))""",
    "a loop": "while True: pass",
    "a loop that swallows all": """
def double(x):
    while True:
        try:
            while True: pass
        except BaseException: pass""",
    "threads without end": """
import threading
def spin():
    while True: pass
for _ in range(4): threading.Thread(target=spin).start()
"""
    + WRONG,
    "the cases of the notebook": "def double(x): return {1: 2, 5: 10}.get(x, 7)",
    "counted calls": "results = iter([2, 10])\ndef double(x): return next(results, 7)",
    "what lies in memory": """
import gc, sys
def double(x):
    frame, found = sys._getframe(), []
    while frame:
        found += [v for v in frame.f_locals.values() if isinstance(v, (list, dict))]
        frame = frame.f_back
    for thing in [*gc.get_objects(), *found]:
        if isinstance(thing, dict) and "expected" in thing:
            return thing["expected"][0]
    return 7""",
    "arguments changed": "def double(x): x = 0; return 7",
    "deep code": "double = " + "(" * 5000 + "1" + ")" * 5000,
    "deep code that parses": "x = 0\ndouble = " + "-" * 50_000 + "1",
    "null bytes": "double = 1\0",
    "no function": "double = 0",
    "nothing": "",
    "a name of another": "def Double(x): return 2 * x",
}


ENDLESS = "a loop", "a loop that swallows all"  # they take as long as they may


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_wrong_answer_earns_nothing_and_the_next_is_not_touched(
    exercises, sandbox, cheat, course, tmp_path
):
    (tmp_path / "eve").mkdir()
    source = CHEATS[cheat].replace("SUBMISSIONS", str(tmp_path)).replace("ROOT", str(ROOT / "notebooks"))
    allowed = sandbox_of(2) if cheat in ENDLESS else sandbox
    found = judge.mark_of(exercises[1], [(source, True)], allowed)
    assert found.points == 0 and found.remark
    assert not list(tmp_path.glob("answer")) and not (ROOT / "notebooks" / "answer").exists()
    assert judge.mark_of(exercises[2], [("def square(x): return x * x", True)], sandbox).points == 1


def test_right_answers_of_all_kinds_earn_their_point(exercises, sandbox):
    for source in (
        "def double(x): return x + x",
        "double = lambda x: two * x",  # of the course
        "import torch\ndef double(x): return torch.as_tensor(x, dtype=torch.float64) * 2",
        "class Double:\n    def __call__(self, x): return np.array(2 * x)\ndouble = Double()",
        "%matplotlib inline\ndef double(x): return 2 * x\n!ls",
    ):
        found = judge.mark_of(exercises[1], [(source, True)], sandbox)
        assert found.points == 1, (source, found)


# What an answer may reach. Without a sandbox each succeeds, so none of these tests passes by itself.

REACHES = {
    "the notebooks": "open(f'{root}/notebooks/02_angle_rates.ipynb').read(1)",
    "the tests": "open(f'{root}/tests/wrong_answers.py').read(1)",
    "others' submissions": "open(f'{folder}/theirs').read(1)",
    "a file of ours": "open(f'{folder}/theirs', 'w').close()",
    "the network": "socket.create_connection(('127.0.0.1', port), 2).close()",
    "the teacher's environment": "assert os.path.exists(f'/proc/{pid}/environ')",
    "a new process": "os.fork() or os._exit(0)",
    "a program": "subprocess.run(['true'], check=True)",
    "a folder in memory": "open('/dev/shm/answer', 'w').close()",
}


def reached(sandbox, what, tmp_path):
    """Whether an answer reaches that."""
    (tmp_path / "theirs").write_text("an answer")
    with socket.create_server(("127.0.0.1", 0)) as server:
        known = {
            "root": str(ROOT),
            "folder": str(tmp_path),
            "port": server.getsockname()[1],
            "pid": os.getpid(),
        }
        lines = [f"{name} = {value!r}" for name, value in known.items()]
        source = "\n".join(["import os, socket, subprocess", *lines, f"def spy():\n    {what}\n    return 1"])
        task = {"function": "spy", "functions": [], "course": [], "is_whole": False, "cases": [[]]}
        ended = sandbox.run(task | {"own": [{"source": source, "is_answer": True}]})
    _, results = judge.read(ended.results, 1)
    return not isinstance(results[0], Exception)


@pytest.mark.parametrize("what", REACHES.values(), ids=REACHES)
def test_an_answer_reaches_nothing(sandbox, what, tmp_path):
    assert not reached(sandbox, what, tmp_path)
    assert reached(Sandbox(5, 2**30, is_safe=False), what, tmp_path)


def test_no_result_solution_or_mistake_goes_into_the_sandbox(course, exercises):
    class Spy:
        def run(self, task):
            self.task = json.dumps(task)
            raise InterruptedError

    spy = Spy()
    with pytest.raises(InterruptedError):
        judge.mark_of(exercises[1], [(WRONG, True)], spy)
    assert SECRET not in spy.task and "2 * x" not in spy.task and "check(" not in spy.task
    right = [str(float(result)) for result in exercises[1].hidden.expected]
    assert len(right) == key.HIDDEN and not any(result in spy.task for result in right)


def test_giant_results_are_told(exercises, sandbox):
    source = "import numpy as np\ndef double(x): return np.zeros(10**7)"
    found = judge.mark_of(exercises[1], [(source, True)], sandbox)
    assert found.remark == "Its results have more than 8,388,608 bytes."


def test_hidden_cases_follow_their_seed(course, monkeypatch):
    monkeypatch.setitem(DRAWS, ("00_small", 1), lambda rng, names: (float(rng.uniform(10, 20)),))
    one, same, other = (key.exercises_of(course, seed)[1].hidden.arguments for seed in (1, 1, 2))
    assert one == same != other


def test_who_is_right_in_the_cases_of_the_notebook_only_is_told_where_not(exercises, sandbox):
    found = judge.mark_of(exercises[1], [("def double(x): return 2 * x if x < 9 else 7", True)], sandbox)
    assert found.remark.startswith("Right in the cases of the notebook, not in others: double(1")
    assert found.came == "7." and found.call.startswith("double(1") and float(found.expected) > 20
    mistake = judge.mark_of(exercises[1], [("def double(x): return x", True)], sandbox)
    assert (mistake.remark, mistake.call, mistake.came, mistake.expected) == (SECRET, "double(1)", "1.", "2")


def test_limits_hold(exercises):
    start = time.monotonic()
    found = judge.mark_of(exercises[1], [("while True: pass", True)], Sandbox(2, 2**29, is_safe=False))
    assert found.remark == "It took more than 2 s." and time.monotonic() - start < 8
    source = "def double(x): bytearray(2**30); return 2 * x"
    assert "MemoryError" in judge.mark_of(exercises[1], [(source, True)], Sandbox(5, 2**29, False)).remark


def test_what_lies_beside_python_is_no_secret(sandbox):
    with pytest.raises(
        SandboxError, match="answers would read /usr/class, because they may read all of /usr"
    ):
        Sandbox(secret=[Path("/usr/class")])


@pytest.mark.parametrize(
    "module", [answering, grade, judge, report, submissions, values], ids=lambda one: one.__name__
)
def test_examples(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


@pytest.mark.parametrize("broken", ["missing", "failing"])
def test_without_bubblewrap_it_refuses(tmp_path, monkeypatch, broken):
    (tmp_path / "class" / "ada").mkdir(parents=True)
    if broken == "failing":
        (tmp_path / "bwrap").write_text("#!/bin/sh\necho no namespaces here >&2\nexit 1\n")
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"no sandbox for the code of students.*--unsafe") as refused:
        command(tmp_path, monkeypatch)
    why = "not installed" if broken == "missing" else "no namespaces here"
    assert why in str(refused.value) and not (tmp_path / "out").exists()


# What honest students do


def test_helpers_in_cells_of_ones_own_and_split_cells_count(course, exercises, sandbox):
    def split(cells):
        place = next(n for n, cell in enumerate(cells) if editions.part_of(cell) == ("exercise", 1))
        new = nbformat.v4.new_code_cell
        cells[place].source = "factor = helped(1)"
        cells.insert(place + 1, new("def double(x):\n    return factor * x"))
        cells.insert(place, new("def helped(x):\n    return twice(x)"))
        cells.insert(0, new("1 / 0  # an experiment\nprint('no matter')"))
        cells.append(new("def twice(x): return 2 * x"))
        cells.append(new("def square(x): return 0"))  # below its check: an experiment, too

    content = handed_in(course, solutions(course), split)
    assert [one["points"] for one in marks(exercises, content, sandbox).values()] == [1, 1]


def test_cells_without_tags_count_and_checks_that_were_changed_do_not(course, exercises, sandbox):
    def change(cells):
        for cell in cells:
            cell.metadata.pop("tags", None)
            if "check(" in cell.source:
                cell.source = "check = lambda *_: True\nraise SystemExit"

    content = handed_in(course, solutions(course) | {2: "def square(x): return 0"}, change)
    assert [one["points"] for one in marks(exercises, content, sandbox).values()] == [1, 0]


def test_a_blank_is_told_that_it_is_one(course, exercises, sandbox):
    for one in marks(exercises, handed_in(course, {}), sandbox).values():
        assert one["points"] == 0 and "Not filled in yet" in one["remark"]


def test_what_returns_nothing_is_told_so(course, exercises, sandbox):
    content = handed_in(course, {1: "def double(x): print(2 * x)"})
    assert "double(1) returns nothing" in marks(exercises, content, sandbox)[1]["remark"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no notebook",
        b"{}",
        b"\xff\xfe",
        b"[" * 10**5,
        b'{"cells": 3, "nbformat": 4, "nbformat_minor": 5}',
    ],
)
def test_a_file_that_is_no_notebook_is_told_so(exercises, content):
    rows = marks(exercises, content, None)
    assert [one["points"] for one in rows.values()] == [0, 0]
    assert all("no notebook" in one["remark"] for one in rows.values())


def test_a_notebook_that_is_made_to_take_long_does_not(exercises):
    outputs = [{"output_type": "stream", "name": "x", "text": 5}] * 20_000  # each of them is wrong
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "", "outputs": outputs}
    content = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}).encode()
    start = time.monotonic()
    assert submissions.cells_of(content) == [("", None)] and time.monotonic() - start < 2


def test_a_cell_without_a_source_is_an_empty_one():
    cells = [{"cell_type": "code", "metadata": {}, "source": source} for source in (None, "x = 1")]
    assert submissions.cells_of(json.dumps({"cells": cells}).encode()) == [("", None), ("x = 1", None)]


def test_odd_notebooks_are_read(course, exercises, sandbox):
    text = handed_in(course, solutions(course)).decode()
    odd = text.replace('"tags": [', '"tags": null, "others": [', 1)
    odd = odd.replace("def double(x)", "# \\ud800 lone\\ndef double(x)")
    assert [one["points"] for one in marks(exercises, odd.encode(), sandbox).values()] == [1, 1]


# What learning platforms and browsers make of it


def test_names_of_browsers_and_platforms(tmp_path):
    stems = ["01_formula", "02_angle_rates"]
    for place in (
        "ada/02_angle_rates (1).ipynb",
        "bob/homework/02_Angle_Rates-Copy1.ipynb",
        "cleo/01_formula.ipynb",
        "cleo/my homework.ipynb",
        "cleo/.ipynb_checkpoints/01_formula-checkpoint.ipynb",
        "Dora Doe_123_assignsubmission_file_/01_formula.ipynb",
        "eulerleon_LATE_12_345_02_angle_rates-2.ipynb",
        "02_angle_rates.ipynb",
        "fay/notes.txt",
    ):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(place)
    (tmp_path / "ada" / "01_formula.ipynb").symlink_to(tmp_path / "cleo" / "01_formula.ipynb")
    with zipfile.ZipFile(tmp_path / "gus.zip", "w") as archive:
        archive.writestr("../../02_angle_rates.ipynb", "up")
        archive.writestr("__MACOSX/._02_angle_rates.ipynb", "no")
    (tmp_path / "hal.zip").write_bytes(b"PK no archive")
    every, strange = submissions.submissions_in(tmp_path, stems)
    found = {(student, stem): one for student, files in every.items() for stem, one in files.items()}
    assert set(found) == {
        ("ada", "01_formula"), ("ada", "02_angle_rates"), ("bob", "02_angle_rates"), ("cleo", "01_formula"),
        ("Dora Doe", "01_formula"), ("eulerleon", "02_angle_rates"), ("gus", "02_angle_rates"),
        ("nobody (02_angle_rates.ipynb)", "02_angle_rates"),
    }  # fmt: skip
    assert found["ada", "02_angle_rates"].note == "handed in as ada/02_angle_rates (1).ipynb"
    assert found["ada", "01_formula"].file.problem == "it is a link, not a file"
    assert found["cleo", "01_formula"].note == "" and found["gus", "02_angle_rates"].file.content == b"up"
    assert list(strange) == ["cleo", "fay", "hal"] and "the name of no notebook" in strange["cleo"][0]
    assert "cannot be unpacked" in strange["hal"][0] and every["fay"] == {}
    assert not list(tmp_path.parent.glob("*.ipynb"))


def test_of_two_files_the_newer_counts_and_the_row_says_so(tmp_path):
    for age, name in enumerate(("02_angle_rates.ipynb", "02_angle_rates (1).ipynb")):
        (tmp_path / "ada").mkdir(exist_ok=True)
        (tmp_path / "ada" / name).write_text(name)
        os.utime(tmp_path / "ada" / name, (10**9 - age, 10**9 - age))
    every, _ = submissions.submissions_in(tmp_path, ["02_angle_rates"])
    one = every["ada"]["02_angle_rates"]
    assert one.file.content == b"02_angle_rates.ipynb"
    assert one.note == "graded is ada/02_angle_rates.ipynb, not ada/02_angle_rates (1).ipynb"


def test_an_archive_of_archives_is_a_class_and_a_bomb_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "LARGEST", 10**6)
    with zipfile.ZipFile(tmp_path / "inner.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("02_angle_rates.ipynb", bytes(10**7))
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.write(tmp_path / "inner.zip", "Ada_1_assignsubmission_file_/homework.zip")
        archive.writestr("Bob_2_assignsubmission_file_/02_angle_rates.ipynb", "a notebook")
    every, _ = submissions.submissions_in(tmp_path / "class.zip", ["02_angle_rates"])
    assert every["Ada"]["02_angle_rates"].file.problem == "it is too large"
    assert every["Bob"]["02_angle_rates"].file.content == b"a notebook"


# The command


def command(folder, monkeypatch, *more):
    """Run it on the class in that folder; return its table, if it wrote one."""
    out = folder / "out"
    monkeypatch.setattr("sys.argv", ["", str(folder / "class"), "--out", str(out), "--jobs", "2", *more])
    grade.main()
    return pandas.read_csv(out / "grades.csv", keep_default_na=False)


@pytest.fixture
def classroom(course, tmp_path, monkeypatch):
    """(folder, the solved notebook) of a class with one student who has all points."""
    monkeypatch.setattr(grade, "NOTEBOOKS", [course])
    solved = handed_in(course, solutions(course))
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / course.name).write_bytes(solved)
    return tmp_path, solved


def test_one_student_never_stops_the_class(course, classroom, sandbox, monkeypatch):
    folder, solved = classroom
    hook = "get_ipython().events.register('pre_run_cell', lambda *a: __import__('os')._exit(0))\n"
    others = {
        "none": None,
        "=HYPERLINK(1)": solved,
        "<b>": b"no notebook",
        "+ends": handed_in(course, {1: "import os\nos._exit(0)", 2: "def square(x): return x * x"}),
        "hook": handed_in(course, {1: hook + WRONG, 2: "def square(x): return '=1+1'"}),
        "surrogate": solved.replace(b"def double", b"# \\ud800\\ndef double"),
    }
    for student, content in others.items():
        (folder / "class" / student).mkdir()
        if content is not None:
            (folder / "class" / student / course.name).write_bytes(content)
    (folder / "class" / "hook" / "homework.ipynb").write_text("?")
    (folder / "roster.csv").write_text("student,e-mail\nada,ada@x.org\nzoe,-zoe@x.org\n")
    fails = grade.rows_of

    def rows_of(student, *others):
        if student == "surrogate":
            raise RuntimeError("a fault of ours")
        return fails(student, *others)

    monkeypatch.setattr(grade, "rows_of", rows_of)
    table = command(folder, monkeypatch, "--roster", str(folder / "roster.csv"))
    points = table.groupby("student").points.sum().to_dict()
    assert points == {
        "ada": 2, "none": 0, "'=HYPERLINK(1)": 2, "<b>": 0, "'+ends": 1, "hook": 0, "surrogate": 0, "zoe": 0
    }  # fmt: skip
    remarks = table.groupby("student").remark.agg(" ".join)
    assert remarks["none"] == remarks["zoe"] == "Not handed in. Not handed in."
    assert "a fault of ours" in remarks["surrogate"] and "homework.ipynb" in remarks["hook"]
    assert (table.of == (table.exercise > 0)).all()
    total = pandas.read_csv(folder / "out" / "totals.csv", keep_default_na=False).set_index("student")
    assert list(total.columns) == ["e-mail", "points", "of", "00_small", "note"]
    assert (
        list(total.loc["ada"]) == ["ada@x.org", 2, 2, 2, ""]
        and total.loc["none", "note"] == "not on the roster"
    )
    assert total.loc["zoe", "e-mail"] == "'-zoe@x.org"
    text = (folder / "out" / report.page_name("<b>")).read_text()
    assert "<h1>&lt;b&gt;: 0 of 2" in text and "no notebook" in text
    assert '<h2>00_small, exercise 1: <span class="wrong">0 of 1</span></h2>' in text
    text = (folder / "out" / "hook.html").read_text()
    assert "<h2>A file</h2>\n<p>hook/homework.ipynb: it has the name of no notebook" in text


def test_a_second_run_grades_what_is_new_or_changed(course, classroom, sandbox, monkeypatch, capsys):
    folder, solved = classroom
    (folder / "class" / "bob").mkdir()
    ran = []
    really = grade.graded
    monkeypatch.setattr(grade, "graded", lambda *a: ran.append(a[0]) or really(*a))
    assert command(folder, monkeypatch).points.sum() == 2 and sorted(ran) == ["ada", "bob"]
    assert "This takes about 1 min with 2 jobs" in capsys.readouterr().out
    (folder / "class" / "bob" / course.name).write_bytes(solved)  # late
    with (folder / "out" / "graded.jsonl").open("a") as file:
        file.write('{"student": "cut o')
    assert command(folder, monkeypatch).points.sum() == 4 and sorted(ran) == ["ada", "bob", "bob"]
    assert command(folder, monkeypatch).points.sum() == 4 and len(ran) == 3


def test_a_second_run_grades_again_what_the_machine_may_be_to_blame_for(
    course, classroom, sandbox, monkeypatch, capsys
):
    folder, solved = classroom
    ends = handed_in(course, {1: "import os\nos._exit(0)", 2: "def square(x): return x * x"})
    for student, content in ("eve", ends), ("zoe", solved):
        (folder / "class" / student).mkdir()
        (folder / "class" / student / course.name).write_bytes(content)
    (folder / "out").mkdir()
    (folder / "out" / "graded.jsonl").write_text('[]\n"x"\nnull\n{"student": [], "notebook": 1}\n')
    ran, really = [], grade.graded
    monkeypatch.setattr(grade, "graded", lambda *a: ran.append(a[0]) or really(*a))
    assert command(folder, monkeypatch, "--memory", "4").points.sum() == 5
    assert "handed in: 00_small 3" in capsys.readouterr().out
    (folder / "class" / "zoe" / course.name).unlink()
    (folder / "class" / "zoe").rmdir()
    assert command(folder, monkeypatch, "--memory", "4").points.sum() == 3
    assert sorted(ran) == ["ada", "eve", "eve", "zoe"]
    assert "with a page from before: zoe\n" in capsys.readouterr().out
    command(folder, monkeypatch, "--memory", "5")
    assert sorted(ran) == ["ada", "ada", "eve", "eve", "eve", "zoe"]


def test_a_file_without_its_seed_is_refused(tmp_path):
    (tmp_path / "seed.txt").write_text("")
    with pytest.raises(grade.Refused, match="must have the seed of this class, a whole number"):
        grade.seed_of(tmp_path, None)


def test_what_went_wrong_before_a_call_is_told_and_which_python_says_so(exercises, sandbox):
    big = "big = bytearray(2**40)\ndef double(x): return x * len(big)"
    found = judge.mark_of(exercises[1], [(big, True)], sandbox)
    assert found.remark.endswith("NameError: name 'big' is not defined; before that, MemoryError: ")
    found = judge.mark_of(exercises[1], [("def double(x) return x", True)], sandbox)
    assert found.remark.endswith(f"(in Python {sys.version_info.major}.{sys.version_info.minor})")


def test_rows_are_written_as_they_come(course, classroom, sandbox, monkeypatch):
    folder, solved = classroom
    for student in ("bob", "cleo"):
        (folder / "class" / student).mkdir()
        (folder / "class" / student / course.name).write_bytes(solved)
    really, ran = grade.graded, []

    def stopped(student, *others):
        ran.append(student)
        if student == "bob":
            time.sleep(1)
            raise KeyboardInterrupt
        return really(student, *others)

    monkeypatch.setattr(grade, "graded", stopped)
    with pytest.raises(KeyboardInterrupt):
        command(folder, monkeypatch, "--jobs", "1")
    table = pandas.read_csv(folder / "out" / "grades.csv")
    assert table.student.tolist() == ["ada", "ada"] and (folder / "out" / "ada.html").exists()
    monkeypatch.setattr(grade, "graded", lambda *a: ran.append(a[0]) or really(*a))
    assert command(folder, monkeypatch).points.sum() == 6 and ran.count("ada") == 1


def test_the_page_shows_code_call_result_and_what_was_expected(course, classroom, sandbox, monkeypatch):
    folder, _ = classroom
    answer = "def double(x):\n    return x * '<script>'"
    (folder / "class" / "ada" / course.name).write_bytes(handed_in(course, {1: answer}))
    command(folder, monkeypatch)
    text = (folder / "out" / "ada.html").read_text()
    for part in ("return x * &#x27;&lt;script&gt;&#x27;", "double(1)", "<dt>expected</dt><dd><pre>2</pre>"):
        assert part in text
    assert "<script>" not in text


def test_a_page_does_not_tell_the_cases_that_the_notebook_does_not_show(exercises, sandbox):
    code = "def double(x): return 2 * x if x < 9 else 7"
    mark = judge.mark_of(exercises[1], [(code, True)], sandbox)
    assert mark.call and mark.came and mark.expected  # the teacher has them
    text = report.page("ada", [grade.row("ada", "00_small", 1, mark, "handed in as 0.ipynb", code)])
    for secret in mark.call, mark.expected, f"{2 * exercises[1].hidden.arguments[0][0]:.3f}", "what came":
        assert secret not in text
    for told in html.escape(code), "Right in the cases of the notebook, not in others.", "handed in as 0":
        assert told in text


def test_a_solution_of_the_course_that_fails_stops_it(course, classroom, sandbox, monkeypatch):
    folder, _ = classroom
    broken = course.read_text().replace("def double(x): return 2 * x", "def double(x): return 3 * x")
    (folder / "00_small.ipynb").write_text(broken)
    monkeypatch.setattr(grade, "NOTEBOOKS", [folder / "00_small.ipynb"])
    with pytest.raises(SystemExit, match="own solution of 00_small, exercise 1, fails here"):
        command(folder, monkeypatch)


def test_memory_is_shared_by_all_jobs(classroom, monkeypatch):
    folder, _ = classroom
    with pytest.raises(SystemExit, match=r"got 2 jobs for 1\.5 GB"):
        command(folder, monkeypatch, "--memory", "1.5")


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", "\t=1", "\r=1", " =1", "\uff1d1", "\n=1"])
def test_no_cell_is_a_formula(text):
    assert report.cell(text).startswith("'") and report.cell("a=1") == "a=1"


def test_no_two_students_share_a_page():
    names = ["ada", "Ada", "../ada", "..\\ada", "a/b", "a?b", "=ada", "a" * 200, "a" * 201]
    pages = {report.page_name(name).lower() for name in names}
    assert len(pages) == len(names) and not any("/" in page or "\\" in page for page in pages)


# The real notebooks

MEMORISED = """
import json
from values import packed, unpacked_result
TABLE = json.loads({table!r})
NAMES = {names!r}
def {name}(*arguments):
    known = {{id(globals()[name]): name for name in NAMES}}
    asked = json.dumps([packed(value, known) for value in arguments])
    return unpacked_result(TABLE[asked])
"""


def test_the_solution_has_the_point_the_hole_and_the_results_of_the_shown_cases_have_none(path, sandbox):
    holes = editions.sources(read(path), "exercise")
    for number, one in key.exercises_of(path, 1).items():
        assert (path.stem, number) in DRAWS and len(one.hidden.arguments) == key.HIDDEN
        solved = judge.mark_of(one, [(one.solution, True)], sandbox)
        assert solved.points == 1, solved
        assert judge.mark_of(one, [(holes[number], True)], sandbox).points == 0
        pairs = zip(one.shown.arguments, one.shown.expected, strict=True)
        table = json.dumps({json.dumps(case): values.packed_result(result) for case, result in pairs})
        names = sorted(judge.functions_in(one.shown.arguments))
        copied = MEMORISED.format(table=table, names=names, name=one.function)
        assert judge.mark_of(one, [(copied, True)], sandbox).remark.startswith("Right in the cases of the")


def test_the_students_edition_of_a_real_notebook_comes_back(sandbox):
    found = key.exercises_of(QUICK, 1)
    content = handed_in(QUICK, solutions(QUICK))
    assert [one["points"] for one in marks(found, content, sandbox).values()] == [1, 1]
