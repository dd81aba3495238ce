"""`claim`: what the words say is what is checked; and the notebooks' claims stand in their prose."""

import ast
import copy
import re
from collections import Counter
from functools import cache

import nbformat
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_helpers import claims
from pe_helpers.claims import ClaimError, claim
from tests.conftest import code_cells
from tools.course import NOTEBOOKS

# words, values that are so, values that are not
SAID = [
    # rounded to the digits that are written
    ("the weight 0.33 in both sentences", [0.33, 0.3261, 1 / 3, [0.331, 0.334]], [0.32, 0.34, [0.33, 0.34]]),
    ("about 18 %", [0.18, 0.1834, 0.1751], [0.19, 0.17, 18, 0.0018]),
    ("18.0 percent", [0.18, 0.1804], [0.1834]),
    ("5 per cent", [0.05, 0.052], [0.06, 5]),
    ("about 90,000 positions", [90_000, 90_000.4], [92_000, 90_001]),
    ("14,495 positions", [14_495, 14_495.2], [14_496, 14.495]),
    ("38 million", [38_000_000, 37_969_062], [39_000_000, 37_400_000]),
    ("**2.60** long", [2.6, 2.604], [2.61]),
    ("the peak, 4", [4, 4.2, torch.tensor(4.0)], [5, -4]),
    ("16° short", [16, 16.4], [17]),
    ("600-fold", [600.3], [601]),
    ("−0.5", [-0.5, -0.51], [0.5]),
    ("from -0.5 on", [-0.5], [0.5]),
    ("3·10⁻⁵", [3e-5, 3.2e-5], [4e-5, 3e5]),
    ("$3 × 10^{-5}$", [3e-5], [4e-5]),
    # number words
    ("all eleven", [11, torch.tensor(11)], [10, 12, 1.0]),
    ("The two *the* (grey) are equal", [2], [3, 1]),
    ("in twenty-one of them", [21], [20, 1]),
    ("fifty pairs", [50], [15]),
    ("three hundred rows", [300], [3, 301]),
    ("a thousand", [1000], [1]),
    ("twice as far", [2, 2.3], [1, 3]),
    ("none", [0, 0.0], [1, 0.3, 1e-9]),
    ("no order changes any output", [0], [1]),
    ("none of the 24 orders", [0], [1 / 24, 0.001]),
    # shares
    ("half of them", [0.5, 0.54], [0.56, 0.4, 50]),
    ("a third", [1 / 3, 0.3], [0.25, 0.4]),
    ("two thirds", [2 / 3, 0.7], [0.6, 2.3]),
    ("three quarters", [0.75], [0.65]),
    ("nine of ten", [0.9, 0.93], [0.96, 9, 10]),
    ("25 of 64 pairs", [25 / 64], [24 / 64, 26 / 64]),
    ("10 out of 11", [10 / 11], [9 / 11, 1]),
    ("5 of the 34", [5 / 34], [6 / 34]),
    ("slope 1/256", [1 / 256, 1 / 256.4], [1 / 257, 1 / 255, 0.5 / 256]),
    ("1/10,000", [1e-4], [1e-3, 1.01e-4]),
    ("more than 3/4", [0.76], [0.75]),
    # comparisons
    ("at most 1.22 times", [1.22, 1.0, [0.5, 1.22]], [1.221, [1.0, 1.23]]),
    ("no more than 5", [5, 4], [5.1]),
    ("not longer than 5", [5, 4], [5.1]),
    ("up to 14,495", [14_495], [14_496]),
    ("within five positions", [5, 0], [6]),
    ("at least 3", [3, 4], [2.9]),
    ("no fewer than 3", [3, 4], [2.9]),
    ("more than nine of ten", [0.91, 1.0], [0.9, 0.89]),
    ("more than 1,390 turns", [1390.2, 5000], [1390, 1389]),
    ("more than a tenth", [0.11], [0.1, 0.05]),
    ("more than twice the shortest", [2.1], [2, 1.9]),
    ("above 0.98", [0.981, [0.985, 0.99]], [0.98, [0.97, 0.99]]),
    ("fewer than 12", [11], [12, 13]),
    ("less than 4°", [3.9], [4]),
    ("below one", [0.9, -5], [1]),
    ("exactly 2.5", [2.5, 5 / 2 + 1e-14], [2.51, 2.5001]),
    ("at most about 1.2", [1.24], [1.26]),
    ("more than about 5", [4.6], [4.4]),
    # two ends
    ("between 3 and 5", [3, 5, 4.2, [3, 4]], [2.9, 5.1, [3, 6]]),
    ("between −1 and 1", [-1, 0, 1], [-1.1, 1.1]),
    ("from 2.08 to 2.60 long", [2.3, [2.0801, 2.4, 2.5996]], [2.0, 2.7, [2.2, 2.4], [2.08, 2.7]]),
    ("22–45 %", [0.3, [0.2231, 0.4453]], [0.5, [0.3, 0.45]]),
    ("2 % to 5 %", [[0.02, 0.05]], [[2, 5]]),
    ("1 to 2 million", [1_400_000], [2_600_000, 1.4]),
]


@pytest.mark.parametrize(("words", "so", "not_so"), SAID, ids=[words for words, *_ in SAID])
def test_words_hold_for_what_they_say_and_for_nothing_else(words, so, not_so):
    for value in so:
        assert claim(words, value) is None
    for value in not_so:
        with pytest.raises(ClaimError) as refused:
            claim(words, value)
        assert words in str(refused.value)  # and the value:
        assert all(f"{end:.12g}" in str(refused.value) for end in (np.min(value), np.max(value)))


@pytest.mark.parametrize("value", [np.nan, [4, np.nan]])
@pytest.mark.parametrize("words", ["4", "at most 4", "more than 4", "between 3 and 5", "3 to 5", "exactly 4"])
def test_what_is_not_a_number_is_as_no_words_say(words, value):
    with pytest.raises(ClaimError):
        claim(words, value)


UNREADABLE = [
    *[
        "",
        "many",
        "all",
        "the third layer",
        "GPT-2",
        "2π",
        "√32",
        "12x",
        "3rd",
        "5²",
        "2 · 3",
        "1/base",
        "1/2/3",
    ],
    *[
        "5,3",
        "1,0000",
        "0.5.3",
        "10^",
        "5-3",
        "0.2 and 0.025",
        "5 and 6",
        "between 3",
        "between 3 to 5",
        "between 3 of 5",
    ],
    *["more than 3 and less than 5", "at least 5 or more", "at most between 3 and 5", "half of 60", "5 of 4"],
    *["not 5", "isn't 5", "all but two", "never 3", "does not grow by more than 3", "at most, always, 5"],
    *[
        "no more than",
        "Llama 3.1 has 32 layers",
        "in 14 pairs below one turn",
        "1 of 0",
        "1 : 0",
        "1 : 1.78",
        "minus 2.5",
        "10⁶ keys",
        "1e-9",
        "3 or more",
        "position 3: 5 words",
    ],
]


@pytest.mark.parametrize("words", UNREADABLE)
def test_words_that_could_be_misread_are_refused(words):
    with pytest.raises(ValueError, match=r"^words must hold one .* that can be read; got "):
        claim(words, 1)


@pytest.mark.parametrize("value", [None, "5", True, 1j, {"five": 5}])
def test_values_that_are_no_real_numbers_are_refused(value):
    with pytest.raises(ValueError, match=r"^value must be a real number, or an array"):
        claim("five", value)


@pytest.mark.parametrize("value", [[], np.empty(0), [[1], [2, 3]]])
def test_no_values_and_no_array_are_refused_by_numpy(value):
    with pytest.raises(ValueError):
        claim("five", value)


numbers = st.floats(-1e7, 1e7).filter(lambda number: number == 0 or abs(number) > 1e-3)


@given(numbers, st.integers(0, 4), st.floats(-3, 3))
def test_a_number_as_python_writes_it_is_read_as_python_rounds_it(number, digits, off):
    words = f"{number:,.{digits}f}".replace("-", "−")
    claim(words, number)
    claim(f"about {words} of something", number)
    written = float(f"{number:.{digits}f}")
    other = written + off * 10**-digits
    if abs(abs(off) - 0.5) > 1e-3:
        if abs(off) < 0.5:
            claim(words, other)
        else:
            with pytest.raises(ClaimError):
                claim(words, other)


@given(numbers, numbers)
def test_comparisons_are_those_of_python(bound, value):
    words = f"{bound:.17g}"
    for say, holds in {
        f"more than {words}": value > bound,
        f"less than {words}": value < bound,
        f"at most {words}": value <= bound,
        f"at least {words}": value >= bound,
    }.items():
        if not np.isclose(value, bound, rtol=1e-9, atol=0):
            assert_holds(say, value, holds)
    low, high = sorted([bound, 2.0])
    assert_holds(f"between {low:.17g} and {high:.17g}", value, low <= value <= high)


def assert_holds(words, value, holds):
    if holds:
        claim(words, value)
    else:
        with pytest.raises(ClaimError):
            claim(words, value)


def test_what_was_claimed_is_on_record():
    before = len(claims.made)
    claim("at most 3", [1, 2.5])
    with pytest.raises(ClaimError):
        claim("about 18 %", 0.31)
    assert claims.made[before:] == [
        {"words": "at most 3", "value": [1.0, 2.5], "holds": True},
        {"words": "about 18 %", "value": 0.31, "holds": False},
    ]


# ---- the notebooks

MOVED = [  # the notebooks whose prose has no number without a claim: those with a path and a door
    path for path in NOTEBOOKS if path.name.startswith("00") or "## Going deeper" in path.read_text()
]
# What is no part of the path's sentences: code, formulas, answers, tables, links and their words, sources.
LINK = r"!?\[(?:[^][]|\[[^]]*\]\([^)]*\))*\]\([^)]*\)"
NOT_SAID = (
    rf"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|<details>.*?</details>|^\|.*?$|{LINK}|<[^>]+>"
    r"|^## Sources\n.*\Z"
)
# Numerals that only name a place, a time or a thing.
PLACES = "position dimension row column word pair step layer head section notebook table figure exercise"
PLACE = rf"(?<!\d )\b(?i:{PLACES.replace(' ', '|')})s? \d[\d.]*(?:(?:, | and | or )\d[\d.]*)*(?![\d,.]*\d)"
LISTED = r"^\d+\. |\b\d+(?:st|nd|rd|th)\b"
MODEL = (
    r"\b\d[\d.]*B\b|\b[A-Z]\w*(?:-\w+)*[-/]\d[\w.-]*|\b(?:BERT|GPT|T|Llama|Gemma|Qwen|Phi|GLM)[- ]?\d[\d.]*"
)
NAMES = rf"^#+ \d+\. |\*\*\d+ minutes\*\*|\((?:19|20)\d\d\)|{PLACE}|{LISTED}|{MODEL}"
NUMERAL = re.compile(r"(?<![\w.])\d[\d,.]*")
BESIDE = re.compile(r"#+ (Exercises|Going deeper)\b")  # what is no part of the path begins so


@cache
def blank(pattern, text):
    return re.sub(pattern, lambda found: " " * len(found[0]), text, flags=re.S | re.M)


@cache
def claims_in(source):
    """The words of every claim in a cell; they must be written out where they are claimed."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    words = [node.args[0] for node in calls if getattr(node.func, "id", "") == "claim"]
    assert all(isinstance(each, ast.Constant) for each in words), (
        f"a claim's words are a text as it is: {source}"
    )
    return [each.value for each in words]


def claimed(notebook):
    """The words of every claim in the notebook's cells."""
    for cell in code_cells(notebook):
        yield from claims_in(cell.source)


def shown(cell):
    """What the tables that a cell shows say."""
    for output in cell.get("outputs", []):
        if "text/html" in output.get("data", {}):
            yield from NUMERAL.findall(output.data["text/plain"])


def path_of(notebook):
    """The cells of code and the pieces of prose of the path, each piece from one heading to the next."""
    on_the_path = True
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield cell
            continue
        for piece in re.split(r"^(?=#)", blank(r"```.*?```", cell.source), flags=re.M):
            if piece.startswith(("# ", "## ")):
                on_the_path = not BESIDE.match(piece)
            if on_the_path:
                yield piece


def more_than(known, left):
    """What is left besides what was known."""
    return list((Counter(left) - Counter(known)).elements())


def without_a_claim(notebook):
    """The numerals of the path's prose that stand in no claim and in no table of the same section."""
    words, tables, left = frozenset(claimed(notebook)), set(), []
    for part in path_of(notebook):
        if not isinstance(part, str):
            tables.update(shown(part))
            continue
        if part.startswith("#"):
            tables.clear()
        left += [numeral for numeral in free(part, words) if numeral not in tables]
    return left


@cache  # hundreds of notebooks are looked at that differ in one piece
def free(part, words):
    """The numerals of a piece of prose that stand in none of these words."""
    covered = {
        place
        for said in words
        for found in re.finditer(re.escape(said), part)
        for place in range(found.start(), found.end())
    }
    numerals = NUMERAL.finditer(blank(NAMES, blank(NOT_SAID, part)))
    return [found[0].rstrip(".,") for found in numerals if found.start() not in covered]


def test_each_claim_stands_in_the_prose_letter_by_letter(notebook):
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    for words in claimed(notebook):
        assert any(words in text for text in prose), (
            f"claim({words!r}, …): its words stand in no Markdown cell"
        )


def test_each_number_of_the_path_stands_in_a_claim(notebook, path):
    if path in MOVED:
        left = without_a_claim(notebook)
        assert not left, (
            f"{path.name}: {left} in the path's prose stand in no claim and in no table of their section."
            " Claim what was computed; set in backticks what is a setting, such as `100` positions."
        )
        claims = sum(1 for _ in claimed(notebook))
        assert claims >= 5, f"{path.name} has {claims} claims, fewer than five"
        folded = [cell for cell in code_cells(notebook) if "hide-input" in cell.metadata.get("tags", [])]
        mute = [cell.source for cell in folded if re.search(r"^ *assert ", cell.source, re.M)]
        assert not mute, f"{path.name}: a claim says what is checked, in place of `assert`, in {mute}"


@pytest.fixture(params=MOVED, ids=lambda path: path.stem)
def moved(request):
    return nbformat.read(request.param, as_version=4)


@pytest.mark.parametrize("invented", ["some 73 %", "73.5 of them", "at most 1,073 positions", "−73 in all"])
def test_an_invented_number_is_found(moved, invented):
    known = without_a_claim(moved)
    for cell in moved.cells:
        if cell.cell_type == "markdown":
            before = cell.source
            cell.source = f"It is {invented}.\n\n{before}"
            left = more_than(known, without_a_claim(moved))
            cell.source = before
            assert left == NUMERAL.findall(invented), f"a number is overlooked in: {before}"
            if re.search("^## Exercises", before, re.M):
                return  # from there on none is looked for


def with_another_number(notebook):
    """For each claim of the path: its words, what has no claim once its first number is 37, its others."""
    path = "\n".join(part for part in path_of(notebook) if isinstance(part, str))
    path = blank("<details>.*?</details>", path)
    known = without_a_claim(notebook)
    for words in claimed(notebook):
        numerals = [numeral.rstrip(".,") for numeral in NUMERAL.findall(blank(NAMES, words))]
        if words in path and numerals:  # the others stand behind a door or in a fold
            changed = copy.deepcopy(notebook)
            for cell in changed.cells:
                if cell.cell_type == "markdown":
                    cell.source = cell.source.replace(words, words.replace(numerals[0], "37", 1))
            yield words, more_than(known, without_a_claim(changed)), numerals[1:]


def test_another_number_in_the_place_of_a_claimed_one_is_found(moved):
    for words, left, others in with_another_number(moved):
        # the words' second number has lost its claim, too, where no table shows it
        assert left[:1] == ["37"] and set(left[1:]) <= set(others), (words, left)


def test_a_claim_may_have_two_numbers():
    prose = "## 1. A heading\n\nBetween 1 and 2 % are lost, and 5 of the 34 pairs."
    code = 'claim("Between 1 and 2 %", 0.012)\nclaim("5 of the 34", 5 / 34)'
    cells = [nbformat.v4.new_markdown_cell(prose), nbformat.v4.new_code_cell(code)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    assert not without_a_claim(notebook)
    assert list(with_another_number(notebook)) == [
        ("Between 1 and 2 %", ["37", "2"], ["2"]),
        ("5 of the 34", ["37", "34"], ["34"]),
    ]


def test_what_only_names_something_needs_no_claim():
    prose = """# A title

**20 minutes** without the exercises. Vaswani et al. (2017).

## 2. A heading

See [section 3](#3.-Here), position 7, rows 3 and 4, and GPT-2; `x[5]`, $2^6$. Of 31 pairs 12 are slow.

| 99 | 98 |
|---|---|

<details><summary>77</summary>88</details>

## Exercises

**1.** Take 64 pairs.

## What you saw

- Only 3 of them.

## Sources

Chapter 11."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(prose)])
    assert without_a_claim(notebook) == ["31", "12", "3"]
    for code, left in {
        'claim("Of 31 pairs", 31)': ["12", "3"],
        'claim("12 are slow", 12)\nclaim("Only 3", 3)': ["31"],
        'claim("of 31 pairs", 31)': ["31", "12", "3"],
    }.items():
        notebook.cells[1:] = [nbformat.v4.new_code_cell(code)]
        assert without_a_claim(notebook) == left
    table = nbformat.v4.new_output("display_data", {"text/html": "", "text/plain": "pairs\n   31"})
    notebook.cells[1:] = [nbformat.v4.new_code_cell("table(pairs)", outputs=[table])]
    notebook.cells.append(nbformat.v4.new_markdown_cell("So 31, not 12.\n\n## 3. Next\n\nAnd 31?"))
    assert without_a_claim(notebook)[-2:] == ["12", "31"]
