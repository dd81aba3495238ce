"""The mark of an answer: what it returned, as the sandbox tells it, beside what is right."""

import json
import random
import re
from typing import NamedTuple

import numpy as np

from pe_helpers.exercises import NotPassed, check
from tools.grading.values import unpacked, unpacked_result


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


def mark_of(exercise, cells, sandbox):
    """The Mark of an answer.

    exercise: a `key.Exercise`. cells: of a student, as `submissions.answer_cells` gives them.
    """
    shown, hidden = exercise.shown, exercise.hidden
    arguments = [*shown.arguments, *hidden.arguments]
    order = random.sample(range(len(arguments)), len(arguments))  # who counts calls knows nothing
    task = {
        "function": exercise.function,
        "functions": sorted(functions_in(arguments)),
        "course": exercise.course,
        "own": [{"source": source, "is_answer": is_answer} for source, is_answer in cells],
        "cases": [arguments[place] for place in order],
    }
    ended = sandbox.run(task)
    try:
        problem, results = read(ended.results, len(arguments))
    except Exception:  # whatever an answer may write there
        return Mark(0, ended.why or "The answer wrote something else in the place of its results.")
    if problem is not None:
        return Mark(0, f"The answer's process says: {problem}")
    if set(results) != set(range(len(arguments))):
        return Mark(0, ended.why or "It ended its process before all calls were done.")
    came = [results[order.index(place)] for place in range(len(arguments))]
    mark = judged(exercise.function, shown, came[: len(shown.arguments)])
    if mark.remark.startswith("Not filled in yet") and is_defined_elsewhere(exercise.function, cells):
        elsewhere = f"Another cell defines `{exercise.function}`, too: the last one above the check counts."
        mark = mark._replace(remark=f"{mark.remark} {elsewhere}")
    if mark.points and hidden.arguments:
        beyond = judged(exercise.function, hidden, came[len(shown.arguments) :])
        if not beyond.points:
            return beyond._replace(
                remark=f"Right in the cases of the notebook, not in others: {beyond.remark}"
            )
    return mark


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
    passed, remark = verdict(replay(name, came), cases.expected, calls, mistakes)
    if passed:
        return Mark(1, "right")
    for arguments, result, expected in zip(calls, came, cases.expected, strict=True):
        if not verdict(replay(name, [result]), [expected], [arguments])[0]:
            call = f"{name}({', '.join(map(shown_value, arguments))})"
            return Mark(0, printable(remark), call, shown_value(result), shown_value(expected))
    raise AssertionError(f"{name} is wrong in all cases together and right in each")


def verdict(answer, expected, calls, mistakes=None):
    """(whether it passed, what to say) of `check`, also where the environment lets it raise."""
    try:
        return check(answer, expected, calls, mistakes)
    except NotPassed as error:
        return False, str(error)


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
