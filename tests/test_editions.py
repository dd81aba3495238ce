"""The editions for a class: folders to publish, and to grade from."""

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pandas
import pytest

from tests.conftest import run_cell
from tests.test_setup_cell import READY, check_words, folder, git, run
from tools import course, editions, sealing
from tools.refresh_notebooks import setup_cell
from tools.sealing import Check

REPO = "https://github.com/teacher/class"
PAPER = """\
**3.** *On paper.* Is 7 odd?

<details><summary>Hint</summary>

Halve it.

</details>
<details><summary>One answer</summary>

It is: 3 and 3 make six.

</details>"""


def read(path):
    return nbformat.read(path, as_version=4)


def markdown(source, *tags):
    return nbformat.v4.new_markdown_cell(source, metadata={"tags": list(tags)} if tags else {})


def code(source, *tags):
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)} if tags else {})


def exercise(number, hole, solution, then=""):
    """The cells of an exercise about one function, whose check knows the solution."""
    name = hole.partition("(")[0].removeprefix("def ")
    checks = f"from pe_helpers.exercises import check\n\n{solution.replace(name, 'right')}\n\n\n"
    checks += f"check({name}, right, [(1,), (5,)], {{'Twice is enough.': lambda x: 3 * x}})"
    hint, folded = "\n\nLook at x.\n\n</details>\n", "<details><summary>{}</summary>"
    folds = f"{folded.format('Hint')}{hint}{folded.format('Solution')}\n\n"
    yield code(hole, f"exercise-{number}")
    yield code(f"# @title Check {name}\n{checks}", "hide-input", f"check-{number}")
    yield markdown(f"{folds}```python\n{solution}\n```\n\n{then}\n\n</details>", f"solution-{number}")


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """The path of a small notebook with three exercises: a hole, a bug, and one on paper."""
    badge = "https://colab.research.google.com/github/OWNER/positional-encoding-course/blob/main/notebooks/00.ipynb"
    cells = [
        markdown(f"# Small\n\n**5 minutes** · [![Open in Colab](https://badge.svg)]({badge})"),
        code(setup_cell(course.repository()), "setup"),
        markdown("## Exercises\n\n**1.** *Write it.* `double(x)`. Then: is it even?"),
        *exercise(
            1,
            "def double(x):\n    return ...  # replace the dots",
            "def double(x):\n    return 2 * x",
            "Always even.",
        ),
        markdown("**2.** *Find the bug.* `square(x)`"),
        *exercise(
            2, "def square(x):\n    return x + x", "def square(x):\n    return x * x", "The sum was the bug."
        ),
        markdown(PAPER),
        code("# @title Check the answer on paper\nassert 3 + 3 == 6", "hide-input"),
        markdown("## Going deeper"),
        code("7 * 6"),
    ]
    path = tmp_path / "course" / "00_small.ipynb"
    path.parent.mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    rubric = {1: ["says yes"], 3: ["says yes", "halves it"]}
    monkeypatch.setattr(editions, "rubrics_of", lambda path: rubric)
    return path


SECRETS = "2 * x", "x * x", "3 * x", "Twice", "Always even", "was the bug", "3 and 3", "3 + 3", "halves it"


def made(notebook, kind, out, repo=None):
    editions.write(kind, out, repo, [notebook])
    return read(out / ("notebooks" if kind == "student" else "") / notebook.name)


def test_the_student_s_folder_gives_nothing_away_and_has_what_its_notebooks_need(notebook, tmp_path):
    out = tmp_path / "student"
    student = made(notebook, "student", out)
    assert {file.name for file in out.iterdir()} == {
        *("notebooks", "pe_helpers", "live_figures", "data"),
        *("README.md", "LICENSE", "requirements.txt", "pyproject.toml"),
    }
    names = {part for file in out.rglob("*") for part in file.relative_to(out).parts}
    assert not names & {
        "tests",
        "tools",
        "deploy",
        "TEACHING.md",
        "wrong_answers.py",
        "rubrics.toml",
        "__pycache__",
    }
    text = json.dumps(student)
    assert not [secret for secret in SECRETS if secret in text]
    assert "Halve it." in text and "Look at x." in text and "7 * 6" in text
    kinds = [cell.metadata.get("tags", [""])[-1] for cell in student.cells]
    assert kinds[3:] == [
        *("", "exercise-1", "check-1", "solution-1", "answer-1", "", "exercise-2", "check-2", "solution-2"),
        *("", "answer-3", "", ""),
    ]
    assert editions.sources(student, "answer")[3] == "*Your answer to exercise 3 (2 points):*"
    readme = (out / "README.md").read_text()
    assert "requirements.txt" in readme and "Handing in" in readme and "badge" not in readme


def test_the_package_of_the_student_s_folder_works(notebook, tmp_path):
    made(notebook, "student", tmp_path / "student")
    code = "import pe_helpers, pe_helpers.words as w; print(pe_helpers.__file__, len(w.load_word_vectors()))"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "student",
        env=os.environ | {"PYTHONPATH": str(tmp_path / "student")},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    file, count = ran.stdout.split()
    assert file == str(tmp_path / "student" / "pe_helpers" / "__init__.py") and int(count) > 10_000
    project = tomllib.loads((tmp_path / "student" / "pyproject.toml").read_text())
    assert project["project"]["name"] == "pe-helpers" and "urls" not in project["project"]
    assert project["tool"].keys() == {"setuptools"}


def test_with_an_address_everything_leads_there_and_without_there_is_no_badge(notebook, tmp_path):
    out = tmp_path / "student"
    with_address = json.dumps(made(notebook, "student", out, REPO))
    assert "colab.research.google.com/github/teacher/class/blob/main/notebooks/00_small.ipynb" in with_address
    assert f'address = \\"{REPO}\\"' in with_address and "positional-encoding-course" not in with_address
    project = tomllib.loads((out / "pyproject.toml").read_text())
    assert project["project"]["urls"] == {"Repository": REPO}
    assert "badge" in (out / "README.md").read_text()
    without = json.dumps(made(notebook, "student", out))
    assert "colab.research.google.com" not in without and "badge" not in without


def test_what_git_knows_of_the_folder_stays(notebook, tmp_path):
    out = tmp_path / "class"
    (out / ".git").mkdir(parents=True)
    (out / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (out / "notebooks").mkdir()
    (out / "notebooks" / "99_old.ipynb").write_text("old")
    made(notebook, "student", out)
    assert (out / ".git" / "HEAD").exists() and not (out / "notebooks" / "99_old.ipynb").exists()


@pytest.mark.parametrize("wrong", ["git@github.com:a/b", "https://example.org/a/b", "https://github.com/a"])
def test_an_address_that_is_none_is_refused(wrong):
    assert (
        editions.address("https://github.com/a/b.git")
        == editions.address("https://github.com/a/b/")
        == ("https://github.com/a/b")
    )
    with pytest.raises(
        argparse.ArgumentTypeError, match=r"https://github.com/owner/name; got '" + re.escape(wrong)
    ):
        editions.address(wrong)


@pytest.fixture
def remote(tmp_path):
    """The address of a repository that has more than its package."""
    work, bare = tmp_path / "work", tmp_path / "remote.git"
    for name in (
        "pe_helpers/__init__.py",
        "live_figures/__init__.py",
        "data/a.csv",
        "notebooks/00.ipynb",
        "TEACHING.md",
    ):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text('__version__ = "1.2.3"' if "pe_helpers" in name else "")
    git("init", cwd=work)
    git("add", ".", cwd=work)
    git("commit", "--message", "all", cwd=work)
    git("clone", "--bare", work.as_uri(), str(bare), cwd=tmp_path)
    git("config", "uploadpack.allowFilter", "true", cwd=bare)
    return bare.as_uri()


def setup_of_students(address, repo=None):
    cells = [nbformat.v4.new_markdown_cell("# Title"), code(setup_cell(course.repository()), "setup")]
    made = editions.addressed(nbformat.v4.new_notebook(cells=cells), "00.ipynb", repo).cells[1].source
    return made.replace(repo or course.repository(), address)


@pytest.mark.slow
@pytest.mark.parametrize("repo", [None, REPO])
def test_the_set_up_cell_fetches_the_package_and_no_notebook(tmp_path, remote, repo):
    here = folder(tmp_path)
    printed, (error, file, *_) = run(setup_of_students(remote, repo), here, times=2)
    assert error == "NoneType" and printed[-1] == f"The course's own code (pe_helpers 1.2.3) {READY}"
    assert file == str(here / "course" / "pe_helpers" / "__init__.py")
    assert {path.name for path in (here / "course").iterdir()} == {
        ".git",
        "pe_helpers",
        "live_figures",
        "data",
    }
    assert ("newest state" in printed[0]) == (repo is None)  # a class's repository has no tags


@pytest.mark.slow
def test_a_repository_without_the_package_is_said_in_words(tmp_path, remote):
    git("clone", remote, "clone", cwd=tmp_path)
    git("rm", "-r", "data", cwd=tmp_path / "clone")
    git("commit", "--message", "less", cwd=tmp_path / "clone")
    address = (tmp_path / "clone").as_uri()
    printed, (error, *_) = run(setup_of_students(address, REPO), folder(tmp_path))
    check_words(printed, error, "does not give the package", "Git says: error")
    printed, (error, *_) = run(setup_of_students(address, REPO), tmp_path, "elsewhere")
    check_words(printed, error, "README.md beside the notebooks says how to open them")


def test_every_answer_in_words_can_be_handed_in_and_has_its_points(path):
    notebook, rubrics = read(path), editions.rubrics_of(path)
    with_code = editions.sources(notebook, "exercise")
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    exercises = re.findall(r"^\*\*(\d)\.\*\* (.+)$", text[text.index("## Exercises") :], re.M)
    assert rubrics.keys() <= {int(number) for number, _ in exercises}
    for number, asked in exercises:
        asks = (
            re.search(r"\bThen\b(?! write)|When does|Does a|Which of", asked) or int(number) not in with_code
        )
        assert bool(asks) == (int(number) in rubrics), asked
        for criterion in rubrics.get(int(number), ()):
            assert len(criterion.split()) >= 3 and criterion not in text
    for kind in editions.KINDS:
        made = editions.edition(notebook, kind, rubrics=rubrics)
        answers = editions.sources(made, "answer")
        assert list(answers) == sorted(rubrics)
        for cell in made.cells:
            if (part := editions.part_of(cell)) and part[0] == "answer":
                assert cell.metadata.nbgrader.points == len(rubrics[part[1]])
                assert ("### BEGIN SOLUTION" in cell.source) == (kind == "solutions")


def test_the_solved_edition_has_every_exercise_filled_in_between_markers(path):
    notebook = read(path)
    solved = editions.edition(notebook, "solutions", rubrics=editions.rubrics_of(path))
    holes = editions.sources(notebook, "exercise")
    for number, source in editions.sources(solved, "exercise").items():
        ours, theirs = {}, {}
        exec(editions.solution_code(editions.sources(notebook, "solution")[number]), ours)
        exec(source, theirs)
        (name,) = ours.keys() - {"__builtins__"}
        assert same(ours[name].__code__, theirs[name].__code__)
        left, _ = re.subn(r" *### BEGIN SOLUTION.*?### END SOLUTION", "...", source, flags=re.S)
        assert left.splitlines()[0] == holes[number].splitlines()[0]
        if "return ..." not in holes[number]:
            assert left.startswith(holes[number])  # the code that is to be repaired


def same(code, other):
    constants = [[c for c in each.co_consts if not hasattr(c, "co_code")] for each in (code, other)]
    return code.co_code == other.co_code and constants[0] == constants[1]


@pytest.mark.slow
def test_nbgrader_releases_no_solution_and_grades_what_comes_back(notebook, tmp_path):
    """Read is what `generate_assignment` releases, as a student gets it."""
    pytest.importorskip("nbgrader")
    home, source = tmp_path / "nbgrader", tmp_path / "nbgrader" / "source" / "ps1"
    made(notebook, "solutions", source)
    config = (source / "nbgrader_config.py").read_text() + "c.CourseDirectory.course_id = 'pe'\n"
    (home / "nbgrader_config.py").write_text(config)
    (source / "nbgrader_config.py").unlink()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it calls alembic
    environment = os.environ | {"PATH": path}

    def nbgrader(*command):
        run = [sys.executable, "-m", "nbgrader", *command]
        result = subprocess.run(run, cwd=home, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr

    nbgrader("generate_assignment", "ps1")
    (released,) = (home / "release" / "ps1").iterdir()
    text = released.read_text()
    assert not [secret for secret in SECRETS if secret in text]
    cells = read(released)
    holes = editions.sources(cells, "exercise")
    assert holes[1] == "def double(x):\n    ...  # your code here"
    assert holes[2] == "def square(x):\n    return x + x\n\n\n...  # your code here"
    assert (
        editions.sources(cells, "answer")[3] == "*Your answer to exercise 3 (2 points):*\n\nYOUR ANSWER HERE"
    )

    right = {1: "def double(x):\n    return x + x", 2: "def square(x):\n    return x**2"}
    for student, answers in (("ada", right), ("eve", {}), ("tom", {1: "def double(x):\n    return 3 * x"})):
        handed_in = read(released)
        for cell in handed_in.cells:
            name, number = editions.part_of(cell) or (None, None)
            if name == "exercise":
                cell.source = answers.get(number, cell.source)
            if name == "answer" and student == "ada":
                cell.source = "Yes, as 7 is 3 + 3 + 1."
        place = home / "submitted" / student / "ps1" / released.name
        place.parent.mkdir(parents=True)
        nbformat.write(handed_in, place)
    nbgrader("autograde", "ps1")
    nbgrader("export")
    table = pandas.read_csv(home / "grades.csv").set_index("student_id")
    assert table.score.to_dict() == {"ada": 2, "eve": 0, "tom": 0} and set(table.max_score) == {5}
    graded = json.dumps(read(home / "autograded" / "tom" / "ps1" / released.name))
    assert "AssertionError" in graded and "Twice is enough." in graded


def test_cases_stay_code_only_where_they_share_nothing_with_the_solution():
    lines = "import math\nstart = range(700)\ndef f(x): return x\nverdict = 1\n"
    known = Check(lambda x: x, [(list(range(700)),)], {})
    kept = sealing.student_check([lines + "check(g, lambda x: x, on=[(list(start),)])"], known, "a/1")
    assert "start = range(700)" in kept and "import math" in kept
    assert "def f" not in kept and "lambda" not in kept
    for shares in ("check(g, lambda x: start, on=[(list(start),)])", "check(g, math.sin, on=[(f(start),)])"):
        with pytest.raises(
            ValueError, match=r"cases of a/1 must not need what may tell its solution; they need"
        ):
            sealing.student_check([lines + shares], known, "a/1")
    few = Check([1, 2], [(1, [0.5, True]), (2, ("a",))], {})
    written = sealing.student_check([lines + "check(g, f, on=[f(start)])"], few, "a/1")
    assert "(1, [0.5, True])," in written and "(2, ('a',))," in written and "start" not in written
    assert run_cell(written, {"g": lambda *given: given[0]}).passed
