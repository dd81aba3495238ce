"""Checks for the exercises: they say what is wrong, never just "no"."""

from __future__ import annotations

import copy
import html
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ._arguments import as_numpy

TOLERANCE = 1e-5  # relative, and absolute


class NotPassed(AssertionError):
    """Raised by `check` in place of a verdict that is not passed, where a grader asks for it.

    >>> raise NotPassed("k[0] is 0; it should be 1.")
    Traceback (most recent call last):
    pe_helpers.exercises.NotPassed: k[0] is 0; it should be 1.
    """


class Verdict(NamedTuple):
    """What a check found: `passed`, and `message`, which a notebook shows as the output of the cell.

    >>> Verdict(True, "All three cases are right.")
    ✓ All three cases are right.
    """

    passed: bool
    message: str

    def __repr__(self) -> str:
        return f"{'✓' if self.passed else '✗'} {self.message}"

    def _repr_html_(self) -> str:
        colour = "#009E73" if self.passed else "#D55E00"
        box = f"border-left: 5px solid {colour}; padding: 0.4em 0.8em; font-size: 1.05em"
        return f"<div style='{box}'>{html.escape(repr(self))}</div>"


def check(answer: Callable, expect: Any, on: Sequence, mistakes: dict | None = None) -> Verdict:
    """Call a reader's function with every tuple of arguments in `on`; return a Verdict.

    answer: the reader's function; one that returns None or ... counts as not filled in.
    expect: a correct function of the same arguments, or the list of the correct results, one for each tuple
        in `on`; a result is a number or an array.
    mistakes: {what to tell the reader: a function that makes that mistake}. The reader is told the first one
        that gives the reader's results in every case.
    Results that differ by 1e-5, absolute or relative, still count as equal.
    Raises ValueError, meant for the author of the exercise, if `expect` gives anything but real numbers. With
    the environment variable PE_GRADE=1, as graders set it, an answer that does not pass raises NotPassed.

    >>> check(lambda i: i / 64, expect=lambda i: 2 * i / 64, on=[(0,), (3,)])
    ✗ <lambda>(3) is 0.046875; it should be 0.09375.
    >>> mistakes = {"The exponent is 2i/d_model; yours is i/d_model.": lambda i: i / 64}
    >>> check(lambda i: i / 64, lambda i: 2 * i / 64, [(0,), (3,)], mistakes)
    ✗ The exponent is 2i/d_model; yours is i/d_model.
    """
    verdict = Verdict(*_verdict(answer, expect, on, mistakes or {}))
    if os.environ.get("PE_GRADE") == "1" and not verdict.passed:
        raise NotPassed(verdict.message)
    return verdict


def _verdict(answer, expect, on, mistakes):
    """Return (whether the answer is right in every case, what to tell the reader)."""
    correct = [_call(expect, arguments) for arguments in on] if callable(expect) else expect
    for result in correct:
        if _numbers(result) is None:
            raise ValueError(f"expect must give real numbers in every case; got {_brief(result)}")
    if not callable(answer):
        return False, f"This must be a function; it is {_brief(answer)}."
    name = getattr(answer, "__name__", type(answer).__name__)
    calls = [f"{name}({', '.join(map(_brief, arguments))})" for arguments in on]
    results = []
    for call, arguments in zip(calls, on, strict=True):
        try:
            results.append(_call(answer, arguments))
        except Exception as error:
            return False, f"{call} stops with {type(error).__name__}: {_brief(str(error))}"
        if results[-1] is None or results[-1] is ...:
            return False, f"Not filled in yet: {call} returns nothing so far."

    wrong = [case for case in zip(calls, results, correct, strict=True) if not _equal(*case[1:])]
    if not wrong:
        return True, f"{name} is right in all {len(on)} cases."
    for says, mistaken in mistakes.items():
        with suppress(Exception):  # a mistake need not work for all arguments
            made = [_call(mistaken, arguments) for arguments in on]
            if all(map(_equal, results, made)):
                return False, says
    return False, _difference(*wrong[0])


def _call(function, arguments):
    """Return the result; what the function later does to its arguments and its array changes nothing."""
    result = function(*copy.deepcopy(arguments))
    return result.copy() if isinstance(result, np.ndarray) else result


def _equal(result, expected):
    result, expected = _numbers(result), _numbers(expected)
    same_shape = result is not None and result.shape == expected.shape
    return same_shape and np.allclose(result, expected, rtol=TOLERANCE, atol=TOLERANCE)


def _numbers(value):
    """Return a number, list, array or tensor as an array of real numbers; None if it is something else."""
    try:
        array = as_numpy(value)
    except (TypeError, ValueError, RuntimeError):
        return None
    return array.astype(float) if array.dtype.kind in "biuf" else None


def _difference(call, result, expected):
    """Return a sentence that says how the result of `call` differs from what it should be."""
    values, expected = _numbers(result), _numbers(expected)
    if values is None:
        wanted = "an array of real numbers" if expected.ndim else "a real number"
        return f"{call} returns {_brief(result)}, which is not {wanted}."
    if values.shape != expected.shape:
        return f"{call} has shape {values.shape}; it should be {expected.shape}."
    if not expected.ndim:
        return f"{call} is {_brief(values[()])}; it should be {_brief(expected[()])}."
    differs = ~np.isclose(values, expected, rtol=TOLERANCE, atol=TOLERANCE)
    first = tuple(int(axis[0]) for axis in np.nonzero(differs))
    where = f"{call}[{', '.join(map(str, first))}]"
    count = f"{differs.sum()} of {differs.size} values differ"
    return f"{where} is {_brief(values[first])}; it should be {_brief(expected[first])} ({count})."


def _brief(value):
    """Return an argument or a number as text, short enough for a sentence."""
    if getattr(value, "shape", ()) != ():
        return f"array of shape {tuple(value.shape)}"
    if callable(value):
        return getattr(value, "__name__", "a function")
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 200 else text[:200] + " …"
