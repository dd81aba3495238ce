"""The mark of an answer: what it returned, as the sandbox tells it, beside what is right."""

import json
import random
import re
from typing import NamedTuple

import numpy as np

from pe_helpers.exercises import check
from tools.grading.report import BEYOND
from tools.grading.values import unpacked, unpacked_result

ENDED = "It took more than", "It ended its process"  # as the remark on a process begins that was not done
BLANK = "Not filled in yet"


class Mark(NamedTuple):
    """Of one exercise: 1 point or 0, why, and the first call that is not right, if one is."""

    points: int
    remark: str
    call: str = ""
    came: str = ""
    expected: str = ""


class Other:
    """A result that is not made of real numbers; its text stands for it."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def mark_of(exercise, cells, sandbox, below=()):
    """The Mark of an answer.

    exercise: a `key.Exercise`. cells: of a student, as `submissions.answer_cells` gives them. below: those
        below the check. They run first: they may define what is missing, and change nothing above.

    What fills a helper may be hidden from `answering.needed`; so what is wrong is tried once more with all
    that stands above the check, as a notebook runs from top to bottom. The cases that no notebook shows are
    for an answer that is right in the others, in a process of their own, whose words no page has.
    """
    way = [*below, *cells], False
    mark = mark_in(exercise, exercise.shown, *way, sandbox)
    has_more = any(not is_answer for _, is_answer in cells)
    if has_more and not mark.points and not mark.remark.startswith((*ENDED, BLANK)):
        way = cells, True
        again = mark_in(exercise, exercise.shown, *way, sandbox)
        mark = again if again.points else mark
    if mark.remark.startswith(BLANK) and is_defined_elsewhere(exercise.function, [*below, *cells]):
        elsewhere = f"Another cell defines `{exercise.function}`, too: the last one above the check counts."
        mark = mark._replace(remark=f"{mark.remark} {elsewhere}")
    if mark.points and exercise.hidden.arguments:
        beyond = mark_in(exercise, exercise.hidden, *way, sandbox)
        if not beyond.points:
            return beyond._replace(remark=f"{BEYOND}: {beyond.remark}")
    return mark


def mark_in(exercise, cases, cells, is_whole, sandbox):
    """The Mark of an answer in these Cases.

    is_whole: all statements of the cells run, of each cell up to its first error.
    """
    count = len(cases.arguments)
    order = random.sample(range(count), count)  # who counts calls knows nothing
    task = {
        "function": exercise.function,
        "functions": sorted(functions_in(cases.arguments)),
        "course": exercise.course,
        "own": [{"source": source, "is_answer": is_answer} for source, is_answer in cells],
        "is_whole": is_whole,
        "cases": [cases.arguments[place] for place in order],
    }
    ended = sandbox.run(task)
    try:
        problem, results = read(ended.results, count)
    except Exception:  # whatever an answer may write there
        return Mark(0, ended.why or "The answer wrote something else in the place of its results.")
    if problem is not None:
        return Mark(0, f"The answer's process says: {problem}")
    if set(results) != set(range(count)):
        return Mark(0, ended.why or "It ended its process before all calls were done.")
    return judged(exercise.function, cases, [results[order.index(place)] for place in range(count)])


def may_change(remark):
    """Whether the machine may be to blame for a remark, so that another run may find the answer right.

    >>> may_change("It took more than 20 s."), may_change("right")
    (True, False)
    """
    return remark.removeprefix(f"{BEYOND}: ").startswith(ENDED)


def is_defined_elsewhere(name, cells):
    """Whether a cell that is not the exercise's defines the function, too."""
    return any(re.search(rf"^def {name}\b", source, re.M) for source, is_answer in cells if not is_answer)


def functions_in(packed):
    """The names of the course's functions among packed arguments."""
    if isinstance(packed, dict):
        ((kind, inside),) = packed.items()
        return {inside} if kind == "function" else functions_in(inside)
    return set().union(*map(functions_in, packed)) if isinstance(packed, list) else set()


def read(written, calls):
    """(problem or None, {number of the call: a result, or what to raise}) of what the process wrote.

    calls: how many there were. Raises ValueError, or what else comes of it, where it is something else.
    """
    found = {}
    for line in written.decode("ascii").splitlines():
        said = json.loads(line)
        if "problem" in said:
            return printable(said["problem"]), {}
        number = said["case"]
        if type(number) is not int or not 0 <= number < calls or number in found:
            raise ValueError("each call has one result")
        if "error" in said:
            name, text = said["error"]
            found[number] = type(printable(name)[:80], (Exception,), {})(printable(text))
        elif "other" in said:
            found[number] = Other(printable(said["other"]))
        elif "blank" in said:
            found[number] = ...
        else:
            found[number] = None if "nothing" in said else unpacked_result(said["value"])
    return None, found


def printable(text):
    """A text as it can stand in a table: one line, no control characters, 500 characters at most."""
    clean = "".join(letter if letter.isprintable() else " " for letter in str(text))
    return clean if len(clean) <= 500 else f"{clean[:500]} …"


def judged(name, cases, came):
    """The Mark for these results; both hands of the comparison are ours."""
    calls = [tuple(unpacked(value, stand_in) for value in case) for case in cases.arguments]
    mistakes = {says: replay(name, results) for says, results in cases.mistakes.items()}
    passed, remark = check(replay(name, came), cases.expected, calls, mistakes)
    if passed:
        return Mark(1, "right")
    for arguments, result, expected in zip(calls, came, cases.expected, strict=True):
        if not check(replay(name, [result]), [expected], [arguments]).passed:
            call = f"{name}({', '.join(map(shown_value, arguments))})"
            return Mark(0, printable(remark), call, shown_value(result), shown_value(expected))
    raise AssertionError(f"{name} is wrong in all cases together and right in each")


def replay(name, results):
    """A function of that name that gives these results one after the other; errors it raises."""
    rest = iter(results)

    def again(*_):
        result = next(rest)
        if isinstance(result, Exception):
            raise result
        return result

    again.__name__ = name
    return again


def stand_in(name):
    """A function of that name, where only the name is needed."""
    return replay(name, [])


def shown_value(value):
    """A value as a page shows it; of a long array its beginning and its end.

    >>> shown_value(np.zeros([2] * 17))
    'shape (2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2): [0. 0. 0. ... 0. 0. 0.]'
    """
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {value}"
    if isinstance(value, np.ndarray):
        is_deep = value.ndim > 3  # numpy leaves values out of an axis, not axes
        text = f"shape {value.shape}: " if is_deep else ""
        flat = value.ravel() if is_deep else value
        return text + np.array2string(flat, precision=6, threshold=60, max_line_width=90)
    return getattr(value, "__name__", None) or printable(repr(value))
