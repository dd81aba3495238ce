"""The student's edition of every notebook: it gives nothing away, and judges as the course does."""

import ast
import dis
import io
import random
import re
import signal
from contextlib import chdir, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from types import CodeType

import nbformat
import numpy as np
import pytest

from pe_helpers.exercises import check
from tests.conftest import code_cells, run_cell, run_notebook
from tests.wrong_answers import WRONG_ANSWERS
from tools import editions, sealing
from tools.course import NOTEBOOKS
from tools.grading import key

SAMPLE = 150  # literals that are tried as the answer to an exercise
SECONDS = 1  # that something pasted as an answer may take
KNOWN = {  # what the path itself teaches: a check sees results, not how often somebody rotated
    ("08_rotary", 1): {"rotated_score", "score_of"},
    ("13_decoding", 2): {"rotate"},
}


@dataclass
class Student:
    """A notebook of the student's edition whose exercises were run as they are handed out."""

    notebook: nbformat.NotebookNode
    before: dict  # number -> the names before that exercise
    said: dict  # number -> what the check of the empty exercise says
    checks: dict  # number -> sealing.Check: what the course's own check has


@cache
def student(path):
    """Checks are sealed as they stand in the one run of the notebook; the exercises go on from its first."""
    notebook, run = nbformat.read(path, as_version=4), run_notebook(path)
    checks = dict(zip(editions.sources(notebook, "check"), run.checks, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealing, "checks_of", lambda *_: checks)
        sealed = editions.checks_without_solutions(path, "student")
    at_first = dict(run.before["check-1"])
    made = editions.edition(notebook, "student", sealed, editions.rubrics_of(path))
    names, before, said = at_first, {}, {}
    with chdir(path.parent), redirect_stdout(io.StringIO()):
        for cell in code_cells(made):
            name, number = editions.part_of(cell) or (None, None)
            if name == "exercise":
                before[number] = dict(names)
            value = run_cell(cell.source, names) if before and len(said) < len(checks) else None
            if name == "check":
                said[number] = value
    return Student(made, before, said, checks)


def judged(path, number, answer, **names):
    """What the check of the student's edition says about an answer; `names` are known besides."""
    names |= student(path).before[number]
    run_cell(answer, names)
    return run_cell(editions.sources(student(path).notebook, "check")[number], names)


def test_it_runs_as_it_is_handed_out(path):
    """Nothing is answered yet."""
    holes = editions.sources(student(path).notebook, "exercise")
    assert student(path).said.keys() == holes.keys() and holes
    for number, hole in holes.items():
        assert not student(path).said[number].passed
        assert ("Not filled in yet" in student(path).said[number].message) == ("return ..." in hole)


def names_read(cell):
    """The global names that a cell reads."""
    codes = [compile(cell.source, "<cell>", "exec")]
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    told = [instruction for code in codes for instruction in dis.get_instructions(code)]
    return {each.argval for each in told if each.opname in ("LOAD_NAME", "LOAD_GLOBAL")}


def test_what_was_taken_out_is_needed_nowhere(path):
    def made(notebook):
        nodes = [node for cell in code_cells(notebook) for node in ast.parse(cell.source).body]
        return set().union(*map(sealing.stored, nodes))

    missing = made(nbformat.read(path, as_version=4)) - made(student(path).notebook)
    for cell in code_cells(student(path).notebook):
        assert not names_read(cell) & missing, cell.source


def test_a_solution_passes_its_check(path):
    course = nbformat.read(path, as_version=4)
    for number, solution in editions.sources(course, "solution").items():
        result = judged(path, number, editions.solution_code(solution))
        assert result.passed, result.message


def test_wrong_answers_are_told_the_same_as_in_the_course_but_for_numbers(path):
    for (stem, number), answers in WRONG_ANSWERS.items():
        for answer, told in answers.items() if stem == path.stem else ():
            # some use what stands in the course's check
            found = judged(path, number, answer, **run_notebook(path).names)
            assert not found.passed
            if not re.fullmatch(r"Not right yet: case \d+ of \d+, where .* is .*\.", found.message):
                assert told in found.message
                assert not re.search(r"it should be (?!\()", found.message)


def texts(notebook):
    """Everything that a notebook says: sources, outputs, metadata."""
    for cell in notebook.cells:
        yield cell.source
        yield str(cell.metadata)
        yield str(cell.get("outputs", ""))


def test_no_text_of_it_has_a_solution_or_an_answer(path):
    course = nbformat.read(path, as_version=4)
    text = "\n".join(texts(student(path).notebook))
    of_students = "\n".join(
        cell.source for cell in student(path).notebook.cells if cell.cell_type == "markdown"
    )
    exercises = of_students[of_students.index("## Exercises") :].partition("## Going deeper")[0]
    assert re.findall(r"<summary>(.*?)</summary>", exercises) == ["Hint"] * exercises.count("<details>")
    assert exercises.count("<details>") == exercises.count("</details>") >= 3
    for cell in course.cells:
        part = editions.part_of(cell)
        if cell.cell_type == "markdown" and part and part[0] == "solution":
            code = editions.solution_code(cell.source)
            assert code not in text and code.partition("\n")[2] not in text
        for fold in editions.FOLDED.finditer(cell.source) if in_exercises(course, cell) else ():
            if fold[1] != "Hint":
                for paragraph in fold[2].split("\n\n"):
                    assert len(paragraph) < 20 or paragraph.strip() not in text
        if part and part[0] == "check":
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Lambda | ast.FunctionDef):
                    assert ast.get_source_segment(cell.source, node) not in text
        if part is None and in_exercises(course, cell) and "hide-input" in cell.metadata.get("tags", []):
            assert cell.source not in text


def in_exercises(notebook, cell):
    """Whether a cell stands in the section of the exercises."""
    above = notebook.cells[: notebook.cells.index(cell) + 1]
    text = "\n".join(each.source for each in above if each.cell_type == "markdown")
    return re.findall(r"^## (.+)", text, re.M)[-1:] == ["Exercises"]


def codes(notebook):
    """All Python that stands in a notebook, blocks in its text included."""
    for cell in notebook.cells:
        found = (
            [cell.source]
            if cell.cell_type == "code"
            else re.findall(r"```python\n(.*?)```", cell.source, re.S)
        )
        for code in found:
            with suppress(SyntaxError):
                yield ast.parse(code)


@cache
def functions():
    """(name, code) of every function in the edition, lambdas and inner ones included."""
    found = {}
    for other in NOTEBOOKS:
        made = editions.edition(
            nbformat.read(other, as_version=4), "student", {number: "" for number in range(9)}
        )
        for tree in codes(made):
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef):
                    node.decorator_list = []
                    found[ast.unparse(node)] = node.name
                elif isinstance(node, ast.Lambda):
                    found[f"pasted = {ast.unparse(node)}"] = "pasted"
    return found


def callables(path, number):
    """(name, function): all that has a name in the notebook, and every function of the edition."""
    for name, value in student(path).before[number].items():
        if callable(value):
            yield name, value
    for code, name in functions().items():
        names = dict(student(path).before[number])
        with suppress(Exception):
            exec(code, names)
            yield name, names[name]


def literals(path, number):
    """Some of the numbers and lists that stand in the notebook: in code, in text, in outputs."""
    found = {}
    for tree in codes(student(path).notebook):
        for node in ast.walk(tree):
            with suppress(ValueError, TypeError):
                value = ast.literal_eval(node)
                found[repr(value)] = value
    for number_ in re.findall(r"-?\b\d+(?:\.\d+)?\b", "\n".join(texts(student(path).notebook))):
        found[number_] = float(number_)
    kept = sorted(found.items())
    return [value for _, value in random.Random(number).sample(kept, min(SAMPLE, len(kept)))]


def stop(*_):
    raise TimeoutError


def test_nothing_that_stands_in_it_is_an_answer(path):
    """Every function of the edition, and literals, pasted as the answer: they earn nothing."""
    before = signal.signal(signal.SIGALRM, stop)
    tried = 0
    try:
        for number, known in student(path).checks.items():
            correct = known.expect
            if callable(correct):
                correct = [correct(*case) for case in known.on]
            pasted = list(callables(path, number))
            for value in literals(path, number):
                pasted.append((repr(value), lambda *_, value=value: value))
                if isinstance(value, list | tuple):
                    each = iter(value)
                    pasted.append((f"one after the other: {value}", lambda *_, each=each: next(each)))
            tried, earned = tried + len(pasted), set()
            for name, answer in pasted:
                signal.setitimer(signal.ITIMER_REAL, SECONDS)
                with redirect_stdout(io.StringIO()):
                    if check(answer, correct, known.on).passed:
                        earned.add(name)
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert earned == KNOWN.get((path.stem, number), set()), number
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert tried > 400


def test_a_grader_who_runs_what_is_needed_has_what_the_whole_notebook_has(path):
    for number, one in key.exercises_of(path, 1).items():
        whole = key.Cases(student(path).checks[number].on, *student(path).checks[number][::2])
        whole = key.as_data(whole, student(path).before[number])
        assert one.shown.arguments == whole.arguments, number
        assert one.shown.mistakes.keys() == whole.mistakes.keys()
        for says in ("", *whole.mistakes):
            pairs = zip(
                *(cases.mistakes.get(says, cases.expected) for cases in (one.shown, whole)), strict=True
            )
            assert all(np.array_equal(ours, theirs, equal_nan=True) for ours, theirs in pairs), (number, says)
