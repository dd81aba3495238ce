"""Write the student's and the solved edition of the course from its notebooks.

    python -m tools.editions student      # dist/student/: no solutions and no answers on paper; hints stay
    python -m tools.editions solutions    # dist/solutions/: every exercise filled in

Both have the metadata of nbgrader, which knows from it what is answered and what is graded. Nothing of an
edition is kept in the repository: the notebooks have it all.
"""

import argparse
import re
import shutil
from pathlib import Path

import nbformat

from tools.course import NOTEBOOKS, ROOT

KINDS = "student", "solutions"
CODE = re.compile(r"```python\n(.*?)```", re.S)
FOLDED = re.compile(r"<details><summary>(\w+)</summary>.*?</details>\s*", re.S)
TAG = re.compile(r"(exercise|check|solution)-(\d+)")


def part_of(cell):
    """("exercise", 1) for a cell with that tag, ("check", 1), ("solution", 1); None for other cells."""
    tags = (TAG.fullmatch(tag) for tag in cell.metadata.get("tags", []))
    return next(((tag[1], int(tag[2])) for tag in tags if tag), None)


def sources(notebook, kind):
    """{number: source} of all cells that are the exercise, the check or the solution of a number."""
    parts = ((part_of(cell), cell.source) for cell in notebook.cells)
    return {part[1]: source for part, source in parts if part and part[0] == kind}


def solution_code(solution):
    """The Python code of a solution's cell."""
    return CODE.search(solution)[1].rstrip()


def edition(notebook, kind):
    """The notebook for students, or with solutions."""
    notebook = nbformat.from_dict(notebook)
    solved = sources(notebook, "solution")
    section, kept = "", []
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (head := re.search(r"^## (.+)", cell.source, re.M)):
            section = head[1]
        name, number = part_of(cell) or (None, None)
        if name in ("exercise", "check"):
            cell.outputs, cell.execution_count = [], None
            cell.metadata["nbgrader"] = nbgrader(name, number)
        if kind == "solutions":
            if name == "exercise":
                cell.source = solution_code(solved[number])
        elif name == "solution" or (section == "Exercises" and cell.cell_type == "markdown"):
            cell.source = FOLDED.sub(lambda fold: fold[0] if fold[1] == "Hint" else "", cell.source).rstrip()
        elif section == "Exercises" and name is None and "hide-input" in cell.metadata.get("tags", []):
            continue  # it checks the answers on paper
        kept.append(cell)
    notebook.cells = kept
    return notebook


def nbgrader(name, number):
    """What nbgrader wants to know about a cell; a check is worth one point."""
    told = {"schema_version": 3, "grade_id": f"{name}-{number}", "task": False}
    if name == "exercise":
        return told | {"grade": False, "solution": True, "locked": False}
    return told | {"grade": True, "solution": False, "locked": True, "points": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--out", type=Path, help="by default dist/student or dist/solutions")
    arguments = parser.parse_args()
    out = arguments.out or ROOT / "dist" / arguments.kind
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for path in NOTEBOOKS:
        nbformat.write(edition(nbformat.read(path, as_version=4), arguments.kind), out / path.name)
    print(f"{len(NOTEBOOKS)} notebooks in {out}")


if __name__ == "__main__":
    main()
