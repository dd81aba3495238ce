"""Write the student's and the solved edition of the course from its notebooks.

    python -m tools.editions student --repo https://github.com/you/class    # dist/student/
    python -m tools.editions solutions                                      # dist/solutions/

The student's edition is a folder to publish as it is, at the address of --repo: notebooks without solutions,
the package and its data, how to open it and how to hand in. Its checks judge by fingerprints
(`tools.sealing`). Without --repo it has no badges, and in Colab the set-up cells fetch the package from the
course's own address, but no notebook.

The solved edition is for nbgrader: `generate_assignment` takes out what stands between its markers and
leaves what the student's edition has. Exercises in words have what earns a point there beside the answer.
Nothing of an edition is kept in the repository: the notebooks and rubrics.toml have it all.
"""

import argparse
import re
import shutil
import textwrap
import tomllib
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import nbformat

from tools import course, sealing
from tools.course import NOTEBOOKS, ROOT
from tools.refresh_notebooks import setup_cell

KINDS = "student", "solutions"
CODE = re.compile(r"```python\n(.*?)```", re.S)
FOLDED = re.compile(r"<details><summary>([^<]+)</summary>(.*?)</details>\s*", re.S)
TAG = re.compile(r"(exercise|check|solution|answer)-(\d+)")
EXERCISE = re.compile(r"^(?=\*\*\d+\.\*\* )", re.M)  # the text of one begins there
BADGE = re.compile(r" · \[!\[Open in Colab\]\(.*?\)\]\(.*?\)")
MARKED = "### BEGIN SOLUTION\n{}\n### END SOLUTION"  # what `generate_assignment` takes out
PUBLISHED = "pe_helpers", "live_figures", "data"
NBGRADER = """\
# For nbgrader: put this file into the folder of your course and the notebooks into source/NAME, then
# `nbgrader generate_assignment NAME`. Answers run in one process with their checks: somebody who wants to can
# get round them there, and cannot where `make grade` runs them.
c = get_config()  # noqa: F821
c.ClearSolutions.code_stub = {"python": "...  # your code here"}
"""
README = """\
# Positional encoding: the notebooks of your class

Open them with Python 3.11 or newer, in this folder:

```
python3 -m venv .venv
.venv/bin/python -m pip install -r requirements.txt -e .
.venv/bin/jupyter lab notebooks/00_start_here.ipynb
```

On Windows it is `py` for `python3` and `.venv\\Scripts` for `.venv/bin`.COLAB

## Exercises

Write code into the cell of an exercise and run it, then the check below it: it says whether your function is
right in every case, which known mistake it makes, or which case is not right yet. What it compares with are
fingerprints of the right results, so there is nothing to read in it. Write words into the cells that begin
with “Your answer”. Some exercises are repairs: the code stands there, and is wrong.

## Handing in

Save the notebook, and hand in its file under the name that it has, in the way your teacher told you. Leave
the cells of the exercises and checks where they are. What counts is what you wrote: your teacher runs it
anew, and may do so in cases that the check doesn't show.

Code: MIT. Text and pictures: CC BY 4.0. See [LICENSE](LICENSE).
"""
ON_COLAB = "\n\nOr open a notebook in Colab by the badge at its top; it fetches the rest."
SETUP = {  # what the set-up cell of the course says: what it says for students
    '"--depth=1", address,': '"--depth=1", "--filter=blob:none", "--no-checkout", address,',
    "    needed = [": """\
    folders = ["git", "checkout", "HEAD", "--", FOLDERS]  # not the rest
    fetched = subprocess.run(folders, cwd=course, **quiet)
    if fetched.returncode:
        raise SetupError(f"{address} does not give the package. Git says: {fetched.stderr.strip()}")
    needed = [""".replace("FOLDERS", ", ".join(f'"{folder}"' for folder in PUBLISHED)),
    """This notebook needs the whole course, {address}: "
        "type `make lab` in its folder, and open the notebook there.""": (
        'The README.md beside the notebooks "\n        "says how to open them.'
    ),
}
NEWEST = {  # the repository of a class has one state, and no tags
    'if not course.exists() and subprocess.run([*clone, "--branch", version], **quiet).returncode:': (
        "if not course.exists():"
    ),
    '        print("Found no", version, "of the course: this is its newest state.")\n': "",
}


def part_of(cell):
    """("exercise", 1) for a cell with that tag, so for check, solution and answer; None for other cells."""
    tags = (TAG.fullmatch(tag) for tag in cell.metadata.get("tags", []))
    return next(((tag[1], int(tag[2])) for tag in tags if tag), None)


def sources(notebook, kind):
    """{number: source} of all cells that are the exercise, the check or the solution of a number."""
    parts = ((part_of(cell), cell.source) for cell in notebook.cells)
    return {part[1]: source for part, source in parts if part and part[0] == kind}


def solution_code(solution):
    """The Python code of a solution's cell."""
    return CODE.search(solution)[1].rstrip()


def told(source):
    """What the folded answer or solution of an exercise says, without a solution's code."""
    folds = [fold[2].strip() for fold in FOLDED.finditer(source) if fold[1] != "Hint"]
    return re.sub(
        r"\n{3,}", "\n\n", "\n\n".join(CODE.sub("", fold, count=1).strip() for fold in folds)
    ).strip()


def unanswered(source):
    """The text of exercises without what folds hold, but for hints."""
    return FOLDED.sub(lambda fold: fold[0] if fold[1] == "Hint" else "", source).rstrip()


def edition(notebook, kind, checks=None, rubrics=None):
    """The notebook for students, or with solutions.

    checks: {number: source} of check cells that give nothing away, as `checks_without_solutions` makes them.
        Without them the checks stay as the course has them, solutions and all.
    rubrics: {number: what earns a point, a sentence for each} of the exercises that are answered in words.
    """
    notebook = nbformat.from_dict(notebook)
    rubrics, solved = rubrics or {}, sources(notebook, "solution")
    section, kept = "", []
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (head := re.search(r"^## (.+)", cell.source, re.M)):
            section = head[1]
        name, number = part_of(cell) or (None, None)
        if name in ("exercise", "check"):
            cell.outputs, cell.execution_count = [], None
            cell.metadata["nbgrader"] = nbgrader(name, number)
        if name == "check" and checks:
            cell.source = checks[number]
        if name == "exercise" and kind == "solutions":
            words = "" if number in rubrics else told(solved[number])
            cell.source = filled_in(cell.source, solution_code(solved[number]), words)
        if section != "Exercises" or name in ("exercise", "check"):
            kept.append(cell)
        elif name == "solution":
            kept += words_of(cell, cell.source, number, kind, rubrics)
        elif cell.cell_type == "markdown":
            pieces = EXERCISE.split(cell.source)
            for piece in pieces:
                paper = int(piece[2:].split(".")[0]) if piece.startswith("**") else None
                kept += words_of(cell, piece, paper if paper not in solved else None, kind, rubrics)
        elif "hide-input" not in cell.metadata.get("tags", []):  # those check the answers on paper
            kept.append(cell)
    notebook.cells = kept
    return notebook


def words_of(cell, source, number, kind, rubrics):
    """The Markdown of an exercise without its answer and, where it is answered in words, a cell for them."""
    if text := unanswered(source):
        yield nbformat.from_dict(cell | {"source": text, "id": cell.id if text == cell.source else new_id()})
    if number in rubrics:
        yield answer_cell(number, told(source) if kind == "solutions" else None, rubrics[number])


def new_id():
    return nbformat.v4.new_markdown_cell().id


def answer_cell(number, answer, rubric):
    """The cell for an answer in words; with the answer and what earns a point, if there is one."""
    points = f"{len(rubric)} point{'s' * (len(rubric) > 1)}"
    lines = [f"*Your answer to exercise {number} ({points}):*"]
    if answer is not None:
        earned = "\n".join(f"- {criterion}" for criterion in rubric)
        lines.append(MARKED.format(f"{answer}\n\nA point each for an answer that\n\n{earned}"))
    cell = nbformat.v4.new_markdown_cell("\n\n".join(lines), metadata={"tags": [f"answer-{number}"]})
    cell.metadata["nbgrader"] = nbgrader("answer", number, len(rubric))
    return cell


def filled_in(exercise, solution, words):
    """The cell of an exercise with its solution between markers; what stands before them is left to students.

    words: what the solution says besides, which becomes a comment.
    """
    head = exercise.splitlines()[0]
    is_hole = "return ..." in exercise and solution.startswith(f"{head}\n")
    before, indent = (head, "    ") if is_hole else (f"{exercise}\n\n", "")
    inside = textwrap.fill(words, 100, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")
    inside += "\n" * bool(words) + (solution.removeprefix(f"{head}\n") if is_hole else solution)
    return f"{before}\n{indent}" + MARKED.replace("\n###", f"\n{indent}###").format(inside)


def nbgrader(name, number, points=1):
    """What nbgrader wants to know about a cell; a check is worth one point."""
    about = {"schema_version": 3, "grade_id": f"{name}-{number}", "task": False}
    about |= {"grade": name != "exercise", "solution": name != "check", "locked": name == "check"}
    return about | ({"points": points} if about["grade"] else {})


def checks_without_solutions(path, kind):
    """{number: source} of the check cells of a notebook; in the solved edition they assert that it passed."""
    notebook = nbformat.read(path, as_version=4)
    checks = sealing.checks_of(path, [part_of(cell) for cell in notebook.cells])
    cells = sources(notebook, "check")
    return {
        number: sealing.student_check(
            [cells[other] for other in sorted(cells) if other <= number],
            check,
            f"{path.stem}/{number}",
            must_pass=kind == "solutions",
        )
        for number, check in checks.items()
    }


def rubrics_of(path):
    """{number: [what earns a point]} of a notebook's exercises in words."""
    rubrics = tomllib.loads((Path(__file__).parent / "rubrics.toml").read_text("utf-8"))
    return {int(number): rubric for number, rubric in rubrics.get(path.stem, {}).items()}


def replaced(text, changes):
    """The text with every key of `changes` replaced by its value; each must be there once."""
    for old, new in changes.items():
        if text.count(old) != 1:
            raise ValueError(f"the set-up cell must have this once: {old}")
        text = text.replace(old, new)
    return text


def addressed(notebook, name, repo):
    """Let badge and set-up cell lead to the repository of the class; without one there is no badge."""
    title = notebook.cells[0]
    if repo:
        colab = repo.replace("https://github.com", "https://colab.research.google.com/github")
        badge = f"{colab}/blob/main/notebooks/{name}"
        title.source = re.sub(r"https://colab\.research\.google\.com/github/[^)]*", badge, title.source)
    else:
        title.source = BADGE.sub("", title.source)
    for cell in notebook.cells:
        if "setup" in cell.metadata.get("tags", []):
            setup = replaced(setup_cell(repo or course.repository()), SETUP)
            cell.source = replaced(setup, NEWEST) if repo else setup
    return notebook


def address(text):
    """The address of a repository, https://github.com/owner/name."""
    found = re.fullmatch(r"(https://github\.com/[\w.-]+/[\w.-]+?)(\.git)?/?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"must look like https://github.com/owner/name; got {text!r}")
    return found[1]


def add_package(out, repo):
    """Put into a folder what its notebooks need, and how to open them; nothing of teachers or tests."""
    for folder in PUBLISHED:
        shutil.copytree(ROOT / folder, out / folder, ignore=shutil.ignore_patterns("tests", "__pycache__"))
    for name in ("LICENSE", "requirements.txt"):
        shutil.copy(ROOT / name, out / name)
    (out / "README.md").write_text(README.replace("COLAB", ON_COLAB if repo else ""), "utf-8")
    project = (ROOT / "pyproject.toml").read_text("utf-8").partition("[tool.ruff]")[0].rstrip() + "\n"
    urls = f'[project.urls]\nRepository = "{repo}"\n\n' if repo else ""
    project = re.sub(r"# The one place where.*?(?=\[tool\.setuptools\])", urls, project, flags=re.S)
    (out / "pyproject.toml").write_text(project, "utf-8")


def write(kind, out, repo=None, paths=NOTEBOOKS):
    """Write an edition of these notebooks into a folder, in the place of all there but a `.git`."""
    for old in out.iterdir() if out.exists() else ():
        if old.is_dir() and old.name != ".git":
            shutil.rmtree(old)
        elif old.is_file():
            old.unlink()
    notebooks = out / "notebooks" if kind == "student" else out
    notebooks.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(2) as pool:
        every = pool.map(checks_without_solutions, paths, repeat(kind))
        for path, checks in zip(paths, every, strict=True):
            made = edition(nbformat.read(path, as_version=4), kind, checks, rubrics_of(path))
            nbformat.write(addressed(made, path.name, repo), notebooks / path.name)
            print(f"wrote {path.name}", flush=True)
    if kind == "student":
        add_package(out, repo)
    else:
        (out / "nbgrader_config.py").write_text(NBGRADER, "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--repo", type=address, help="where it will be published")
    parser.add_argument("--out", type=Path, help="by default dist/student or dist/solutions")
    arguments = parser.parse_args()
    out = arguments.out or ROOT / "dist" / arguments.kind
    write(arguments.kind, out, arguments.repo)
    print(f"{len(NOTEBOOKS)} notebooks in {out}")


if __name__ == "__main__":
    main()
