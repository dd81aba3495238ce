"""Checks for the exercises: they say what is wrong, never just "no".

check(my_rates, expect=angle_rates, on=[(6,), (512,)], mistakes={
    "the exponent is 2i/d_model; yours is i/d_model": lambda d: 10000 ** -(np.arange(d // 2) / d),
})
"""

import copy
import html

import numpy as np

from ._arguments import as_numpy


class Verdict:
    """What a check found: `passed`, and `message`, which a notebook shows as the output of the cell."""

    def __init__(self, passed, message):
        self.passed, self.message = passed, message

    def __repr__(self):
        return f"{'✓' if self.passed else '✗'} {self.message}"

    def _repr_html_(self):
        colour = "#009E73" if self.passed else "#D55E00"
        box = f"border-left: 5px solid {colour}; padding: 0.4em 0.8em; font-size: 1.05em"
        return f"<div style='{box}'>{html.escape(repr(self))}</div>"


def check(answer, expect, on, mistakes=None, tolerance=1e-5):
    """Call a reader's function with every tuple of arguments in `on`; returns a Verdict.

    answer: the reader's function; one that returns None or ... counts as not filled in.
    expect: a function of the same arguments that is right, or the list of the right results, one for
        each tuple in `on`; a result is a number or an array.
    mistakes: {what to tell the reader: a function that makes that mistake}; the first one that gives
        the reader's results in every case is told.
    tolerance: the largest difference, absolute or relative, that still counts as equal.
    """
    if not callable(answer):
        return Verdict(False, f"This must be a function; it is {_brief(answer)}.")
    name = getattr(answer, "__name__", type(answer).__name__)
    right = [_call(expect, arguments) for arguments in on] if callable(expect) else expect
    cases = []
    for arguments, expected in zip(on, right, strict=True):
        call = f"{name}({', '.join(map(_brief, arguments))})"
        try:
            result = _call(answer, arguments)
        except Exception as error:
            return Verdict(False, f"{call} stops with {type(error).__name__}: {_brief(str(error))}")
        if result is None or result is ...:
            return Verdict(False, f"Not filled in yet: {call} returns nothing so far.")
        cases.append((call, result, expected))

    wrong = [case for case in cases if not _equal(*case[1:], tolerance)]
    if not wrong:
        return Verdict(True, f"{name} is right in all {len(cases)} cases.")
    for says, mistaken in (mistakes or {}).items():
        if _makes(mistaken, on, cases, tolerance):
            return Verdict(False, says)
    return Verdict(False, _difference(*wrong[0], tolerance))


def _call(function, arguments):
    """The result on copies, so that no function can change what the next one is given."""
    result = function(*copy.deepcopy(arguments))
    return result.copy() if isinstance(result, np.ndarray) else result  # not a buffer used again


def _makes(mistaken, on, cases, tolerance):
    """Whether the mistake explains the reader's result in every case."""
    try:
        return all(
            _equal(result, _call(mistaken, arguments), tolerance)
            for arguments, (_, result, _) in zip(on, cases, strict=True)
        )
    except Exception:  # a mistake need not work for all arguments
        return False


def _equal(result, expected, tolerance):
    result, expected = _numbers(result), _numbers(expected)
    if result is None or result.shape != expected.shape:
        return False
    return np.allclose(result, expected, rtol=tolerance, atol=tolerance)


def _numbers(value):
    """A number, a list, an array or a tensor as an array of real numbers; None if it is something else."""
    try:
        array = as_numpy(value)
    except (TypeError, ValueError, RuntimeError):
        return None
    return array.astype(float) if array.dtype.kind in "biuf" else None


def _difference(call, result, expected, tolerance):
    """A sentence that says how the result of `call` differs from what it should be."""
    values, expected = _numbers(result), _numbers(expected)
    if values is None:
        wanted = "an array of real numbers" if expected.ndim else "a real number"
        return f"{call} returns {_brief(result)}, which is not {wanted}."
    if values.shape != expected.shape:
        return f"{call} has shape {values.shape}; it should be {expected.shape}."
    if not expected.ndim:
        return f"{call} is {_brief(values[()])}; it should be {_brief(expected[()])}."
    differs = ~np.isclose(values, expected, rtol=tolerance, atol=tolerance)
    first = tuple(int(axis[0]) for axis in np.nonzero(differs))
    where = ", ".join(map(str, first))
    return (
        f"{call}[{where}] is {_brief(values[first])}; it should be {_brief(expected[first])} "
        f"({differs.sum()} of {differs.size} values differ)."
    )


def _brief(value):
    """An argument or a number, short enough for a sentence."""
    if getattr(value, "shape", ()) != ():
        return f"array of shape {tuple(value.shape)}"
    if callable(value):
        return getattr(value, "__name__", "a function")
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    words = value if isinstance(value, str) else repr(value)
    return words if len(words) <= 200 else words[:200] + " …"
