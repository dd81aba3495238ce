"""Run what students handed in, and say for each exercise what was right and what was not.

    python -m tools.grade SUBMISSIONS --out grades

SUBMISSIONS has a folder for each student, with notebooks under the names of the course. Of a notebook only
the answers are taken, the cells of the exercises; everything else runs as the course has it, in a kernel of
its own and in an empty folder. An answer that takes too long, ends the kernel or needs too much memory
loses its own point and no other, and so does an exercise whose check was changed.

The grades are in OUT/grades.csv, and OUT/STUDENT.html is a page to hand back. The code of students is run
as you: use a container or an account of its own for people whom you do not trust.
"""

import argparse
import csv
import html
import os
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
    answers, checks = sources(theirs, "exercise"), sources(theirs, "check")
    found = {}
    for number, check in sources(course, "check").items():
        if number not in answers:
            found[number] = 0, "The cell of this exercise is missing."
        elif checks.get(number) != check:
            found[number] = 0, "The check of this exercise was changed or is missing."
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
    """A Grade for each exercise of each notebook that is in the student's folder."""
    for path in NOTEBOOKS:
        handed_in = student / path.name
        if handed_in.exists():
            for number, (points, remark) in grades_of(path, handed_in, seconds, memory).items():
                yield Grade(student.name, path.stem, number, points, remark)


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
    every = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        of_each = pool.map(lambda one: list(graded(one, arguments.seconds, arguments.memory)), students)
        for student, grades in zip(students, of_each, strict=True):
            (arguments.out / f"{student.name}.html").write_text(page(student.name, grades), encoding="utf-8")
            print(f"{student.name}: {sum(grade.points for grade in grades)} of {len(grades)}", flush=True)
            every += grades
    with (arguments.out / "grades.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(Grade._fields)
        writer.writerows(every)


if __name__ == "__main__":
    main()
