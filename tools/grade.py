"""Run what students handed in, and say for each exercise what was right and what was not.

    python -m tools.grade SUBMISSIONS --out grades

SUBMISSIONS has a folder for each student, with notebooks of the course; "02_angle_rates (1).ipynb" counts as
the second. Of a notebook only the answers are taken, the cells of the exercises; everything else, the checks
too, runs as the course has it, in a kernel of its own and in an empty folder. An answer that takes too long,
ends the kernel or needs too much memory loses its own point and no other. What is missing, handed in twice
or cannot be read has a row that says so.

The grades are in OUT/grades.csv, written as they come, and OUT/STUDENT.html is a page to hand back. A second
run grades who has changed something since, and those who are new. The code of students is run as you, in one
process with the checks: use a container or an account of its own for people whom you do not trust, and look
at the answers of those who have all points.
"""

import argparse
import csv
import html
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from tools.course import NOTEBOOKS
from tools.editions import part_of, sources

LIMITS = """
import os
os.environ["PE_GRADE"] = "1"
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({bytes}, {bytes}))
except ImportError:  # Windows has no such limit
    pass
"""
# before each check: what an answer may have put in the place of the course's own
CHECK = """
import importlib, os
import pe_helpers.exercises
os.environ["PE_GRADE"] = "1"
check = importlib.reload(pe_helpers.exercises).check
"""
FORMULA = re.compile(r"^[=+\-@\t\r]")  # what a spreadsheet takes for one at the start of a cell
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{student}</title>
<style>body {{ font: 16px/1.5 sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }}
td, th {{ text-align: left; vertical-align: top; padding: 0.2em 1em 0.2em 0 }}</style>
<h1>{student}: {points} of {most}</h1>
<table><tr><th>notebook</th><th>exercise</th><th>points</th><th>remark</th></tr>
{rows}</table></html>
"""


class Grade(NamedTuple):
    """Of one exercise: 1 point or 0, and why."""

    student: str
    notebook: str
    exercise: int
    points: int
    remark: str


class Lost(Exception):
    """An answer after which the kernel is of no more use; it has the exercise's number and the reason."""


class Disturbed(Exception):
    """A cell of the course fails, because of an answer before it, if there is one."""


def grades_of(path, handed_in, seconds, memory):
    """{number: (points, remark)} of the exercises of a notebook of the course, as a student handed it in.

    handed_in: the path of the student's notebook. seconds: for each answer and for each check.
    memory: of the kernel, in gigabytes.
    """
    course = nbformat.read(path, as_version=4)
    numbers = sources(course, "exercise")
    try:
        theirs = nbformat.read(handed_in, as_version=4)
    except Exception as error:  # nbformat raises many kinds
        return {number: (0, f"The file is no notebook: {error}"[:300]) for number in numbers}
    try:
        answers = sources(theirs, "exercise")
    except Exception as error:  # cells without tags, tags that are none
        return {number: (0, f"The file has cells that cannot be read: {error}"[:300]) for number in numbers}
    found = {
        number: (0, "The cell of this exercise is missing.")
        for number in sources(course, "check")
        if number not in answers
    }
    waiting = {number: answers[number] for number in numbers if number not in found}
    found |= judged(course, waiting, seconds, memory)
    return dict(sorted(found.items()))


def judged(course, answers, seconds, memory):
    """What `run` finds; an answer that ends or disturbs the run loses its point, and the others run again."""
    try:
        return run(course, answers, seconds, memory)
    except Lost as lost:
        number, why = lost.args
        others = {other: source for other, source in answers.items() if other != number}
        return {number: (0, why)} | judged(course, others, seconds, memory)
    except Disturbed as why:
        if not answers:
            raise
        if len(answers) == 1:
            return dict.fromkeys(answers, (0, f"A later cell of the course fails after it: {why}"))
        alone = (judged(course, {number: source}, seconds, memory) for number, source in answers.items())
        return {number: point for each in alone for number, point in each.items()}


def run(course, answers, seconds, memory):
    """{number: (points, remark)} for these answers, {number: source}; raises Lost where one ends it all.

    Other exercises run as the course has them, not filled in: later cells may use what they define.
    """
    found, broken = {}, {}
    notebook = nbformat.v4.new_notebook(metadata=course.metadata)
    cells = [nbformat.v4.new_code_cell(LIMITS.format(bytes=int(memory * 1e9))), *course.cells]
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, resources={"metadata": {"path": folder}})
        with client.setup_kernel():
            for cell in cells:
                if cell.cell_type != "code" or len(found) == len(answers):
                    continue
                name, number = part_of(cell) or (None, None)
                is_theirs = number in answers
                source = answers[number] if name == "exercise" and is_theirs else cell.source
                source = CHECK + source if name == "check" else source
                client.timeout = seconds if is_theirs else 600
                fault = execute(client, nbformat.v4.new_code_cell(source), number if is_theirs else None)
                if fault and name is None:
                    raise Disturbed(fault)
                if name == "exercise" and fault:
                    broken[number] = fault
                if name == "check" and is_theirs:
                    fault = broken.get(number, fault)
                    found[number] = (0, fault) if fault else (1, "right")
    return found


def execute(client, cell, number):
    """Run a cell; what is wrong, or "". Raises Lost(number, why) where the kernel is of no more use."""
    client.nb.cells.append(cell)
    try:
        client.execute_cell(cell, len(client.nb.cells) - 1)
    except CellExecutionError as error:
        return error.evalue if error.ename == "NotPassed" else f"{error.ename}: {error.evalue}"[:300]
    except (CellTimeoutError, DeadKernelError) as error:
        if number is None:
            raise
        is_slow = isinstance(error, CellTimeoutError)
        why = f"It took more than {client.timeout} s." if is_slow else "It ended the kernel."
        raise Lost(number, why) from error
    return ""


def graded(student, seconds, memory):
    """A Grade for each exercise of each notebook of the course, whatever is in the student's folder."""
    for path in NOTEBOOKS:
        number = path.stem[:2]
        files = sorted(file for file in student.glob("*.ipynb") if file.name.startswith(f"{number}_"))
        exercises = sorted(sources(nbformat.read(path, as_version=4), "exercise"))
        if len(files) != 1:
            names = ", ".join(file.name for file in files)
            why = f"Handed in twice or more: {names}." if files else "Not handed in."
            found = dict.fromkeys(exercises, (0, why))
        else:
            try:
                found = grades_of(path, files[0], seconds, memory)
            except Exception as error:  # one student stops nobody else
                why = f"This could not be graded: {type(error).__name__}: {error}"[:300]
                found = dict.fromkeys(exercises, (0, why))
        for exercise, (points, remark) in found.items():
            yield Grade(student.name, path.stem, exercise, points, remark)


def is_done(student, page):
    """Whether this student was graded after the last change of what was handed in."""
    files = [student, *student.glob("*.ipynb")]
    return page.exists() and page.stat().st_mtime > max(file.stat().st_mtime for file in files)


def without_formulas(row):
    """A row for a spreadsheet: text that it would take for a formula begins with an apostrophe."""
    return [f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value for value in row]


def page(student, grades):
    """The HTML page of a student."""
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(value))}</td>" for value in grade[1:]) + "</tr>\n"
        for grade in grades
    )
    points = sum(grade.points for grade in grades)
    return PAGE.format(student=html.escape(student), points=points, most=len(grades), rows=rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("submissions", type=Path)
    parser.add_argument("--out", type=Path, default=Path("grades"))
    parser.add_argument("--seconds", type=int, default=20, help="for each answer, and for each check")
    parser.add_argument("--memory", type=float, default=8, help="of a kernel, in GB of address space")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="students at a time")
    arguments = parser.parse_args()
    if not arguments.submissions.is_dir():
        parser.error(f"argument submissions: must be a folder; got {arguments.submissions}")
    students = sorted(folder for folder in arguments.submissions.iterdir() if folder.is_dir())
    if not students:
        parser.error(
            f"argument submissions: must have a folder for each student; got {arguments.submissions}"
        )
    arguments.out.mkdir(parents=True, exist_ok=True)
    waiting = [one for one in students if not is_done(one, arguments.out / f"{one.name}.html")]
    names = {one.name for one in waiting}
    table = arguments.out / "grades.csv"
    if not table.exists():
        waiting, rows = students, [list(Grade._fields)]
    else:
        with table.open(newline="", encoding="utf-8") as file:  # who is graded again loses the old rows
            rows = [row for row in csv.reader(file) if row[0].removeprefix("'") not in names]
    print(f"{len(waiting)} of {len(students)} students to grade, {arguments.jobs} at a time", flush=True)
    with table.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file:
        writer = csv.writer(file)
        writer.writerows(rows)
        with ThreadPoolExecutor(arguments.jobs) as pool:
            of_each = pool.map(lambda one: list(graded(one, arguments.seconds, arguments.memory)), waiting)
            for student, grades in zip(waiting, of_each, strict=True):
                writer.writerows(map(without_formulas, grades))
                file.flush()
                text = page(student.name, grades).encode("utf-8", "backslashreplace")
                (arguments.out / f"{student.name}.html").write_bytes(text)
                print(f"{student.name}: {sum(grade.points for grade in grades)} of {len(grades)}", flush=True)


if __name__ == "__main__":
    main()
