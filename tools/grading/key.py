"""What is right: of a notebook of the course runs what its checks and solutions need; its cases become data.

Figures that they do not need are not drawn. No code of students runs in this process.
"""

import ast
import io
import zlib
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from copy import deepcopy
from tempfile import TemporaryDirectory
from typing import NamedTuple

import nbformat
import numpy as np

from pe_helpers._arguments import as_numpy
from tools import sealing
from tools.editions import part_of, solution_code, sources
from tools.grading.answering import base_of, needed, statements
from tools.grading.hidden import DRAWS
from tools.grading.values import packed

HIDDEN = 3  # cases that are drawn anew


class Cases(NamedTuple):
    """Calls of an answer: arguments as data, the right results, {sentence: the results of that mistake}."""

    arguments: list
    expected: list
    mistakes: dict


class Exercise(NamedTuple):
    """An exercise: the function's name, what the course has before, its solution, the cases."""

    function: str
    course: list  # the sources of its cells
    known: list  # the sources of all code cells of the notebook but those of exercises
    solution: str
    shown: Cases
    hidden: Cases


def exercises_of(path, seed):
    """{number: Exercise} of a notebook of the course.

    seed: of the hidden cases; the same seed draws the same ones.
    """
    notebook = nbformat.read(path, as_version=4)
    solutions = sources(notebook, "solution")
    names, course, found = {"__name__": "__main__"}, [], {}
    checks = [n for n, cell in enumerate(notebook.cells) if (part_of(cell) or [""])[0] == "check"]
    cells = notebook.cells[: max(checks, default=-1) + 1]
    code_cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    known = [cell.source for cell in code_cells if (part_of(cell) or [""])[0] != "exercise"]
    is_over = False  # the path, where every cell counts
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(io.StringIO()):
        for cell, code in zip(cells, needed_by_checks(cells, solutions), strict=True):
            kind, number = part_of(cell) or (None, None)
            is_over |= cell.cell_type == "markdown" and "## Exercises" in cell.source.splitlines()
            if kind == "check":
                answer, imports = asked(cell.source)
                course.append(imports)  # answers may need them
                check = sealing.recorded(cell.source, names)
                shown = Cases(check.on, check.expect, check.mistakes)
                solution = solution_code(solutions[number])
                draw = DRAWS.get((path.stem, number))
                rng = np.random.default_rng([seed, zlib.crc32(path.stem.encode()), number])
                hidden = drawn(draw, rng, names, solution, answer, shown) if draw else Cases([], [], {})
                shown, hidden = (as_data(cases, names) for cases in (shown, hidden))
                found[number] = Exercise(answer, list(course), known, solution, shown, hidden)
            elif cell.cell_type == "code":
                for statement in code:
                    statement.run(names)
                if kind is None and not (is_over and "hide-input" in cell.metadata.get("tags", [])):
                    course.append(cell.source)
    return found


def needed_by_checks(cells, solutions):
    """For each cell its statements that the checks and solutions need; none for a check, which runs whole."""
    code = [statements(cell.source) if cell.cell_type == "code" else [] for cell in cells]
    wanted = [one for source in solutions.values() for one in statements(solution_code(source))]
    for place, cell in enumerate(cells):
        if (part_of(cell) or [""])[0] == "check":
            wanted += code[place]
            code[place] = []
    every = [one for part in code for one in part]
    modules = {
        name for one in every if isinstance(one.node, ast.Import | ast.ImportFrom) for name in one.stores
    }
    for one in every:
        one.stores |= names_asked(one.node) - modules
    chosen = set(needed(every, set().union(*(one.loads for one in wanted))))
    return [[one for one in part if one in chosen] for part in code]


def names_asked(node):
    """The names whose methods a statement calls, which may change what they name.

    >>> names_asked(ast.parse("x = rng.normal()").body[0])
    {'rng'}
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return set()
    calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return {base_of(function) for function in calls if isinstance(function, ast.Attribute)}


def asked(source):
    """(the name of the function that a cell checks, the source of what it imports)."""
    every = list(ast.walk(ast.parse(source)))
    (call,) = filter(sealing.is_check, every)
    imports = [ast.unparse(node) for node in every if isinstance(node, ast.Import | ast.ImportFrom)]
    return call.args[0].id, "\n".join(imports)


def drawn(draw, rng, names, solution, answer, shown):
    """Cases that the notebook does not show, for the solution to do.

    What it refuses is drawn anew, and so is what has one number as the result of every case: who always
    returns that is to be wrong.
    """
    names = dict(names)
    exec(solution, names)
    cases, results, tries = [], [], 0
    while len(cases) < HIDDEN or all(result.shape == () and result == results[0] for result in results):
        tries += 1
        case = draw(rng, names)
        with suppress(Exception):
            result = as_numpy(names[answer](*deepcopy(case)))
            if result.dtype.kind in "biuf":
                cases, results = [*cases, case][-HIDDEN:], [*results, result][-HIDDEN:]
        if tries > 100:
            raise ValueError(
                f"the solution of {answer} must take what is drawn for it, with results that differ; "
                f"got {case!r}"
            )
    return Cases(cases, names[answer], shown.mistakes)


def as_data(cases, names):
    """The Cases as what can be handed over, with the results of each mistake that has some."""
    functions = {id(value): name for name, value in names.items() if callable(value)}
    arguments = [[packed(value, functions) for value in case] for case in cases.arguments]
    expect = cases.expected
    expected = results_of(expect, cases.arguments) if callable(expect) else list(map(as_numpy, expect))
    mistakes = {}
    for says, mistaken in cases.mistakes.items():
        with suppress(Exception), redirect_stderr(io.StringIO()):  # it need not work for all arguments
            mistakes[says] = results_of(mistaken, cases.arguments)
    return Cases(arguments, expected, mistakes)


def results_of(function, cases):
    """The results of a function as arrays."""
    return [as_numpy(result) for result in sealing.results_of(function, cases)]
