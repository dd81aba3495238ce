"""The checks of the exercises without their solutions: they judge answers as before, and give none away.

In the place of what a check expects and of the mistakes that it knows stands a text of fingerprints
(`pe_helpers.exercises.fingerprint`). The sentence about a mistake is scrambled, and the results of that
mistake are the key: who has not made it cannot read it. The cases stay, as numbers, or as code where they are
functions or many numbers.

A fingerprint hides a result, not whether a guess is right: of a True or False nothing is hidden by anything
that says "right". What earns marks is what a grader sees, who asks in other cases, too.
"""

import ast
import base64
import copy
import io
import json
import math
import zlib
from contextlib import chdir, redirect_stdout, suppress
from typing import NamedTuple
from unittest.mock import patch

import nbformat
import numpy as np

from pe_helpers import exercises

IMPORT = "from pe_helpers.exercises import check"
MOST = 500  # numbers of an exercise's cases that are written out


class Check(NamedTuple):
    """What the check of an exercise was called with."""

    expect: object
    on: list
    mistakes: dict


def recorded(source, names):
    """The Check of a cell that checks an exercise, which runs with these names and may change them."""
    found = []

    def check(answer, expect, on, mistakes=None):
        found.append(Check(expect, list(on), mistakes or {}))

    with patch.object(exercises, "check", check):
        names["check"] = check
        exec(source, names)
    (one,) = found
    return one


def checks_of(path, parts):
    """{number: Check} of a notebook, which runs as far as its last check.

    parts: for each cell ("check", number), or another pair, or None.
    """
    cells = nbformat.read(path, as_version=4).cells
    checks = {place: part[1] for place, part in enumerate(parts) if part and part[0] == "check"}
    names, found = {"__name__": "__main__"}, {}
    with chdir(path.parent), redirect_stdout(io.StringIO()):
        for place, cell in enumerate(cells[: max(checks, default=-1) + 1]):
            if place in checks:
                found[checks[place]] = recorded(cell.source, names)
            elif cell.cell_type == "code":
                exec(cell.source, names)
    return found


def sealed(check, name):
    """The text that `pe_helpers.exercises.check` takes for `expect`.

    name: of the exercise, "02_angle_rates/1"; no two exercises have the same.
    Raises ValueError where a right result is not made of finite real numbers.
    """
    right = results_of(check.expect, check.on) if callable(check.expect) else check.expect
    for result in right:
        if not np.isfinite(np.asarray(result, dtype=float)).all():
            raise ValueError(f"results of {name} must be finite real numbers; got {result!r}")
    boxes = [box([result], "", f"{name}/{case}") for case, result in enumerate(right, 1)]
    mistaken = []
    for says, mistake in check.mistakes.items():
        with suppress(Exception):  # a mistake need not work for all arguments
            made = results_of(mistake, check.on)
            mistaken.append(box(made, says, f"{name}/mistake {len(mistaken) + 1}"))
    text = json.dumps([boxes, mistaken], separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def results_of(function, cases):
    """What a function returns for each case; what it does to its arguments changes no other case."""
    return [copy.deepcopy(function(*copy.deepcopy(case))) for case in cases]


def box(results, words, salt):
    """(salt, shapes, shifts, words as nobody reads them who has other results)."""
    key, shifts = exercises.fingerprint(results, salt)
    hidden = exercises.scramble(bytes(8) + words.encode(), key)
    return salt, [list(np.shape(result)) for result in results], shifts, hidden.hex()


def student_check(sources, check, name, must_pass=False):
    """The source of the last of these cells, which check the exercises of a notebook, for students.

    check: the Check of the last one. name: as for `sealed`. must_pass: whether it asserts that.
    Raises ValueError where the cases need code that the solution needs, too.
    """
    *_, call = [node for node in ast.walk(ast.parse(sources[-1])) if is_check(node)]
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    given |= dict(zip(("expect", "on", "mistakes"), call.args[1:], strict=False))
    definitions, cases = needed(sources, given["on"]), source_of(sources[-1], given["on"])
    if definitions:
        try:
            definitions, cases = [], written(check.on)
        except ValueError:
            refuse_what_is_shared(sources, definitions, given, name)
    here = ast.parse(sources[-1]).body  # an answer may need what is imported here
    imports = [source_of(sources[-1], node) for node in here if isinstance(node, ast.Import | ast.ImportFrom)]
    kept = dict.fromkeys([IMPORT, *imports, *(source for source, _ in definitions)])
    title = [line for line in sources[-1].splitlines()[:1] if line.startswith("# @title")]
    answer = source_of(sources[-1], call.args[0])
    expect = f'expect="{sealed(check, name)}",  # fingerprints of results: they give none away'
    code = f"check(\n    {answer},\n    on={cases},\n    {expect}\n)"
    if must_pass:
        code = f"verdict = {code}\nassert verdict.passed, verdict.message\nverdict"
    return "\n".join([*title, *kept, "", code])


def is_check(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"


def source_of(source, node):
    return ast.get_source_segment(source, node)


def written(cases):
    """The code of a list of cases, a line for each; raises ValueError where they cannot be written so."""
    lines = [f"        {literal(tuple(case))}," for case in cases]
    if sum(map(count, cases)) > MOST:
        raise ValueError(f"cases must have at most {MOST} numbers to be written out")
    return "\n".join(["[", *lines, "    ]"])


def count(value):
    """How many numbers a value has that can be written out."""
    if isinstance(value, np.ndarray):
        return value.size
    return sum(map(count, value)) if isinstance(value, list | tuple) else 1


def literal(value):
    """Python code for numbers, texts, lists, tuples and arrays; raises ValueError for anything else.

    >>> literal((1, [0.5, np.array([1, 2])]))
    '(1, [0.5, np.array([1, 2])])'
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
    if isinstance(value, np.ndarray) and value.size and value.dtype.kind in "bif":
        kind = "" if value.dtype in (bool, int, float) else f', dtype="{value.dtype}"'
        return f"np.array({literal(value.tolist())}{kind})"
    raise ValueError(f"cases must be numbers, texts, lists, tuples or arrays; got {type(value).__name__}")


def needed(sources, cases):
    """[(source, statement)] of the check cells that the code of the cases needs, in order."""
    wanted, chosen = loaded(cases), []
    for source, node in reversed(statements(sources)):
        if stored(node) & wanted:
            wanted |= loaded(node)
            chosen.insert(0, (source_of(source, node), node))
    return chosen


def statements(sources):
    """[(source, statement)] of cells, without those that check."""
    found = [(source, node) for source in sources for node in ast.parse(source).body]
    return [(source, node) for source, node in found if not any(map(is_check, ast.walk(node)))]


def refuse_what_is_shared(sources, definitions, given, name):
    """Raise ValueError where the cases need a function, or a name that the solution or a mistake needs."""
    secret = set().union(*(loaded(given[key]) for key in ("expect", "mistakes") if key in given))
    for _, node in reversed(statements(sources)):
        secret |= loaded(node) if stored(node) & secret else set()
    for source, node in definitions:
        is_import = isinstance(node, ast.Import | ast.ImportFrom)
        if not is_import and (isinstance(node, ast.FunctionDef) or stored(node) & secret):
            raise ValueError(
                f"the cases of {name} must not need what may tell its solution; they need {source}"
            )


def loaded(node):
    """The names that some code reads."""
    return {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }


def stored(node):
    """The names that a statement makes or changes, `x[0] = 1` included."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    parts = [part for part in ast.walk(node) if isinstance(getattr(part, "ctx", None), ast.Store)]
    changed = (loaded(part.value) for part in parts if isinstance(part, ast.Subscript | ast.Attribute))
    return {part.id for part in parts if isinstance(part, ast.Name)}.union(*changed)
