"""What the prose states with a number, recomputed: `claim("at most 1.22 times", ratios.max())`.

The words are those of the prose, letter by letter; the number and the comparison are read out of them.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ._arguments import as_numpy, real_array

# Every claim that was made, the latest last: {"words": …, "value": a number or [lowest, highest], "holds": …}
made: list[dict[str, Any]] = []

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: n for n, word in enumerate(_ONES)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_WORDS |= {f"{ten}-{one}": _WORDS[ten] + _WORDS[one] for ten in _TENS for one in _ONES[1:10]}
_WORDS |= {"no": 0, "none": 0, "once": 1, "twice": 2, "a": 1}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_PARTS = "half third quarter fifth sixth seventh eighth ninth tenth".split()
_SHARES = {part: n for n, part in enumerate(_PARTS, 2)} | {"hundredth": 100, "thousandth": 1000}

_WORD = "|".join(sorted(set(_WORDS) - {"a"}, key=len, reverse=True))
_NUMBER = re.compile(
    r"(?<![\w.,/^√\\-])(?P<digits>-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
    r"(?:\s?[·×]\s?10\^(?P<power>-?\d+)|/(?P<divisor>\d{1,3}(?:,\d{3})+|\d+))?"
    r"(?:\s(?P<millions>million|billion)\b)?(?![\w^√/]|[.,]\d|\s?[·×])"
    rf"|\b(?P<count>a|{_WORD})[\s-](?P<part>{'|'.join(_SHARES)})s?\b|\b(?P<half>half)\b"
    rf"|\b(?P<scaled>a|{_WORD})\s(?P<scale>{'|'.join(_SCALES)})\b|\b(?P<word>{_WORD})\b"
)
_MORE = r"\b(?:more|larger|greater|longer|higher|farther) than\b"
_LESS = r"\b(?:less|fewer|smaller|shorter|lower|nearer) than\b"
_PHRASES = {  # what becomes a sign before the number is looked for
    rf"\bat most\b|\b(?:no|not) {_MORE}": "≤",
    rf"\bat least\b|\b(?:no|not) {_LESS}": "≥",
    _MORE: ">",
    _LESS: "<",
}
_SIGNS = {"above": ">", "over": ">", "beyond": ">", "below": "<", "under": "<", "within": "≤", "up to": "≤"}
_CLAIM = re.compile(
    rf"(?:(?<!\w)(?P<sign>[≤≥<>]|exactly|between|{'|'.join(_SIGNS)})\s*)?"
    r"(?P<about>(?:about|around|roughly|approximately|≈)\s?)?"
    r"\0(?:(?:\s?%)?(?P<join>\s(?:out )?of (?:the |all )?|\sto\s|\s?–\s?|\sand\s)\0)?"
    r"(?P<percent>\s?%|\sper ?cent\b)?"
)
# What turns the sense of a number, or is a number that is not read.
_UNREAD = re.compile(
    r"[\0\d≤≥<>]|\b(?:not|never|nor|neither|cannot|but|except|minus|or (?:more|less|fewer))\b|n['’]t\b"
)


class ClaimError(AssertionError):
    """Raised by `claim` where the words do not hold; the message quotes them and the value.

    >>> raise ClaimError("“about 18 %” does not hold: the value is 0.31")
    Traceback (most recent call last):
    pe_helpers.claims.ClaimError: “about 18 %” does not hold: the value is 0.31
    """


def claim(words: str, value: Any) -> None:
    """Raise ClaimError unless `value` is as the words say, which stand so in the prose.

    words: a piece of a sentence with one number: digits ("14,495", "−0.5", "3·10⁻⁵", "38 million"), a word
        ("none", "eleven", "twice", "half", "two thirds"), a share ("18 %" is 0.18, "nine of ten" is 0.9,
        "1/8" is 0.125) or two ends ("between 3 and 5", "2.08 to 2.60"). Directly before it may stand "about",
        and "at most", "at least", "more than", "fewer than", "above", "below" … or "exactly".
    value: a real number, or an array of them, all of which must be as the words say.
    With "about", or nothing, value and number are equal when rounded to the digits that are written (a half
    counts both ways); "nine of ten" and "a third" when rounded to a tenth; "no" and "none" are exactly 0.
    "Between" includes its ends. "2 to 5" says of an array, too, that its ends, rounded, are 2 and 5.
    Raises ValueError for words in which this reads no number, several, or one that other words may turn
    ("not", "all but"), and for a value that is not a real number. Adds an entry to `made`.

    >>> claim("at most 1.22 times", 1.2193)
    >>> claim("about 18 %", 0.1834)
    >>> claim("more than nine of ten", 0.912)
    >>> claim("all eleven", 10)
    Traceback (most recent call last):
    pe_helpers.claims.ClaimError: “all eleven” does not hold: the value is 10
    """
    sign, numbers, unit = _read(words)
    values = as_numpy(real_array("value", value, None, "a real number, or an array", finite=False)[0])
    low, high = float(values.min()), float(values.max())
    holds = bool(_holds(sign, numbers, unit, low, high, values.size > 1))
    made.append({"words": words, "value": low if low == high else [low, high], "holds": holds})
    if not holds:
        found = f"value is {low:.12g}" if low == high else f"values go from {low:.12g} to {high:.12g}"
        raise ClaimError(f"“{words}” does not hold: the {found}")


def _read(words):
    """Return (sign, one number or two, what the last digit counts) of the words."""
    text = re.sub("[⁰¹²³⁴-⁹⁻]+", _raised, words.lower().replace("−", "-"))
    text = re.sub(r"[*_`$\s]+", " ", re.sub(r"[{}]", "", text))
    for phrase, sign in _PHRASES.items():
        text = re.sub(phrase, sign, text)
    read = [_number(**found.groupdict()) for found in _NUMBER.finditer(text)]
    text = _NUMBER.sub("\0", text)
    found = _CLAIM.search(text)
    if not found or _UNREAD.search(_CLAIM.sub(" ", text, count=1)):
        raise ValueError(f"words must hold one number that can be read; got {words!r}")
    numbers, units = np.transpose(read)
    sign, join = _SIGNS.get(found["sign"], found["sign"] or ""), (found["join"] or "").strip()
    if "of" in join:
        share, whole = numbers
        sign = "?" if share % 1 or whole % 1 or not 0 <= share <= whole or not whole else sign
        numbers, units = numbers[:1] / max(whole, 1), np.array([min(0.1, 1 / max(whole, 1))]) * (units[0] > 0)
    elif join:
        sign = {("between", "and"): sign, ("", "to"): "to", ("", "–"): "to"}.get((sign, join), "?")
        if units[0] == 1 and units[1] >= 1e6:  # "1 to 2 million"
            numbers, units = numbers * [units[1], 1], units[[1, 1]]
    if sign == "?" or not np.isfinite(numbers).all() or (sign == "between") != (join == "and"):
        raise ValueError(f"words must hold one comparison that can be read; got {words!r}")
    exact = sign and sign != "to" and not found["about"]
    scale = 0.01 if found["percent"] else 1.0
    return sign, numbers * scale, 0.0 if exact else units.min() * scale


def _raised(found):
    return "^" + found[0].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))


def _number(digits, power, divisor, millions, count, half, part, scaled, scale, word):
    """Return (a number, what its last written digit counts); "no" and "none" are exact."""
    if digits:
        digits, below = digits.replace(",", ""), float((divisor or "1").replace(",", ""))
        if divisor:
            return float(digits) / (below or np.nan), abs(float(digits)) / max(below, 1) ** 2
        size = 10.0 ** int(power or 0) * _SCALES.get(millions, 1)
        return float(digits) * size, 10.0 ** -len(digits.partition(".")[2]) * size
    if half or part:
        return _WORDS[count or "a"] / _SHARES[half or part], min(0.1, 1 / _SHARES[half or part])
    number, size = _WORDS[scaled or word], _SCALES.get(scale, 1)
    return number * size, (size if size >= 1e6 else 1.0) if number else 0.0


def _holds(sign, numbers, unit, low, high, several):
    """Return whether values from `low` to `high` are as said; a last bit of float64 does not count."""
    first, last = numbers[0], numbers[-1]
    room = unit / 2 + 1e-12 * max(abs(numbers))
    if sign == "to" and several:
        return abs(low - first) <= room and abs(high - last) <= room
    return {
        "≤": high <= first + room,
        "≥": low >= first - room,
        "<": high < first + room if unit else high < first - room,
        ">": low > first - room if unit else low > first + room,
    }.get(sign, low >= first - room and high <= last + room)
