"""Checks for the exercises: they say what is wrong, never just "no"."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import sys
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ._arguments import as_numpy
from ._verdict import Verdict, _explain_missing_names, _Kept

if "IPython" in sys.modules:
    _explain_missing_names()

TOLERANCE = 1e-5  # relative, and absolute


class _Sealed(NamedTuple):
    """Words that only those results open which they were sealed with, up to 1e-5."""

    salt: str
    shapes: list  # of each result
    shifts: str
    words: str  # hexadecimal

    def opened(self, results):
        """Return the words; None if these are other results."""
        if [list(np.shape(result)) for result in results] != self.shapes:
            return None
        words = scramble(bytes.fromhex(self.words), fingerprint(results, self.salt, self.shifts)[0])
        return words[8:].decode() if words[:8] == bytes(8) else None


def fingerprint(results: Sequence, salt: str, shifts: str = "") -> tuple[bytes, str]:
    """Return 32 bytes by which results can be recognised up to 1e-5 but not worked out, and the `shifts`.

    results: real numbers or arrays. What is taken of them is their shapes and, of each value x, the cell of
        sign(x) log(1 + |x|) on a grid of cells of 5e-5. So what differs by 1e-5, absolute or relative, lies
        in one cell, unless there is an edge between:
    shifts: of each value "1" where its grid is moved by half a cell, else "0". They are chosen, where none
        are given, so that each value lies at least a quarter of a cell from its edges. With these shifts
        what differs by 1e-5 has the same fingerprint, and what differs by 4e-5 another.
    salt: with another one the same results have another fingerprint.
    It takes some milliseconds, on purpose: who tries all numbers waits.

    >>> right, shifts = fingerprint([0.25, [1, 2]], "exercise 1")
    >>> fingerprint([0.250009, [1, 2]], "exercise 1", shifts)[0] == right
    True
    >>> fingerprint([0.25004, [1, 2]], "exercise 1", shifts)[0] == right
    False
    """
    arrays = [as_numpy(result).astype(float) for result in results]
    values = np.concatenate([array.ravel() for array in arrays])
    places = np.copysign(np.log1p(abs(values)), values) / (5 * TOLERANCE)
    shifts = shifts or "".join("01"[int(at_edge)] for at_edge in abs(places % 1 - 0.5) > 0.25)
    cells = np.floor(places + np.array(list(shifts), float) / 2)
    what = repr([array.shape for array in arrays]).encode() + cells.astype("<f8").tobytes()
    return hashlib.pbkdf2_hmac("sha256", what, salt.encode(), 20_000), shifts


def scramble(text: bytes, key: bytes) -> bytes:
    """Return the text as nobody can read it who has not got the key; once more with the key, the text.

    >>> scramble(scramble(b"a mistake", b"key"), b"key")
    b'a mistake'
    """
    stream = hashlib.shake_256(key).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, stream, strict=True))


def check(answer: Callable, expect: Any, on: Sequence, mistakes: dict | None = None) -> Verdict:
    """Call a reader's function with every tuple of arguments in `on`; return a Verdict.

    Where a notebook shows it, it is replaced as soon as a cell gives the answer's name to another function.

    answer: the reader's function; one that returns its three dots is not filled in.
    expect: a correct function of the same arguments, or the list of the correct results, one for each tuple
        in `on`; a result is a number or an array. Or the text that `tools.sealing.sealed` makes of these and
        the mistakes, by which answers can be judged and which gives none away.
    mistakes: {what to tell the reader: a function that makes that mistake}. The reader is told the first one
        that gives the reader's results in every case.
    Results that differ by 1e-5, absolute or relative, still count as equal.
    Raises ValueError, meant for the author of the exercise, if `expect` gives anything but real numbers
        or `on` is empty.

    >>> check(lambda i: i / 64, expect=lambda i: 2 * i / 64, on=[(0,), (3,)])
    ✗ <lambda>(3) is 0.046875; it should be 0.09375.
    >>> mistakes = {"The exponent is 2i/d_model; yours is i/d_model.": lambda i: i / 64}
    >>> check(lambda i: i / 64, lambda i: 2 * i / 64, [(0,), (3,)], mistakes)
    ✗ The exponent is 2i/d_model; yours is i/d_model.
    """
    if not len(on):
        raise ValueError(f"on must have a tuple of arguments for each case; got {on!r}")
    if isinstance(expect, str):
        right, mistakes = json.loads(zlib.decompress(base64.b64decode(expect)))
        correct: list = [_Sealed(*each) for each in right]
    else:
        right = [_call(expect, arguments) for arguments in on] if callable(expect) else expect
        correct = [*map(_numbers, right)]
    for result, numbers in zip(right, correct, strict=True):
        if numbers is None:
            raise ValueError(f"expect must give real numbers in every case; got {_brief(result)}")
    return _Kept.of(answer, partial(_judged, correct=correct, on=on, mistakes=mistakes or {}))


def _judged(answer, correct, on, mistakes):
    """Return the Verdict on an answer."""
    if not callable(answer):
        return Verdict(False, f"This must be a function; it is {_brief(answer)}.")
    name = getattr(answer, "__name__", type(answer).__name__)
    calls = [f"{name}({', '.join(map(_brief, arguments))})" for arguments in on]
    results = []
    for call, arguments in zip(calls, on, strict=True):
        try:
            results.append(_call(answer, arguments))
        except (Exception, SystemExit) as error:
            return Verdict(False, f"{call} stops with {type(error).__name__}: {_brief(str(error))}")
        if results[-1] is ...:
            return Verdict(None, f"Not filled in yet: replace the dots in {name}, then run its cell.")
        if results[-1] is None:
            return Verdict(
                False, f"{call} returns nothing (print only shows a result, return gives it back)."
            )

    values = [*map(_numbers, results)]
    is_right = [*map(_equal, values, correct)]
    if all(is_right):
        return Verdict(True, f"{name} is right in all {len(on)} cases.")
    first = is_right.index(False)
    difference = _difference(calls[first], results[first], correct[first], f"{first + 1} of {len(on)}")
    return Verdict(False, _mistake(values, on, mistakes) or difference)


def _mistake(values, on, mistakes):
    """Return what to tell the reader about a mistake that gives these values; None if none does."""
    if isinstance(mistakes, list):
        known = all(value is not None for value in values)
        return next(filter(None, (_Sealed(*each).opened(values) for each in mistakes if known)), None)
    for says, mistaken in mistakes.items():
        with suppress(Exception):  # a mistake need not work for all arguments
            if all(map(_equal, values, [_numbers(_call(mistaken, arguments)) for arguments in on])):
                return says
    return None


def _call(function, arguments):
    """Return the result; what the function later does to its arguments and its array changes nothing."""
    result = function(*copy.deepcopy(arguments))
    return result.copy() if isinstance(result, np.ndarray) else result


def _equal(values, expected):
    if values is None:
        return False
    if isinstance(expected, _Sealed):
        return expected.opened([values]) is not None
    return values.shape == expected.shape and np.allclose(values, expected, rtol=TOLERANCE, atol=TOLERANCE)


def _numbers(value):
    """Return a number, list, array or tensor as an array, of bool or float; None if it is something else."""
    try:
        array = as_numpy(value)
    except (TypeError, ValueError, RuntimeError):
        return None
    kind = array.dtype.kind  # what is True or False stays so: a message says it
    return array.astype(bool if kind == "b" else float) if kind in "biuf" else None


def _difference(call, result, expected, case):
    """Return a sentence that says how the result of `call`, case "2 of 3", differs from what it should be."""
    is_sealed = isinstance(expected, _Sealed)
    values = _numbers(result)
    shape = tuple(expected.shapes[0]) if is_sealed else expected.shape
    if values is None:
        wanted = "an array of numbers" if shape else "a number, True or False"
        given = f"the text '{_brief(result)}'" if isinstance(result, str) else _brief(result)
        return f"{call} returns {given}; it should return {wanted}."
    if values.shape != shape == ():
        return f"{call} gives {values.size} values; it should give one."
    if values.shape != shape:
        return f"{call} has shape {values.shape}; it should be {shape}."
    if is_sealed:
        return f"Not right yet: case {case}, where {call} is {_brief(values[()])}."
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
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        return f"{value:.6g}"
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 200 else text[:200] + " …"
