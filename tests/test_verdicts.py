"""The verdict below an exercise is of the answer as it is now, in a kernel as a notebook has it."""

import re

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from pe_helpers.exercises import Verdict, check

CHECK = """
from pe_helpers.exercises import check
check({0}, lambda x: 2 * x, [(1,), (3,)], {{"You squared `x`.": lambda x: x * x}})
"""


class Page:
    """A notebook in which cells are run one by one, in any order."""

    def __init__(self):
        self.notebook = new_notebook()
        self.client = NotebookClient(self.notebook, kernel_name="python3", allow_errors=True, timeout=60)

    def run(self, source):
        """Run a new cell, or one that is there already."""
        cells = self.notebook.cells
        if source not in cells:
            source = new_code_cell(source)
            cells.append(source)
        return self.client.execute_cell(source, cells.index(source))

    def exercise(self, name, answer="return ..."):
        """Define an answer and check it; returns the cell of the check."""
        self.answer(name, answer)
        return self.run(CHECK.format(name))

    def answer(self, name, answer):
        return self.run(f"def {name}(x):\n    {answer}")


@pytest.fixture(scope="module")
def page():
    page = Page()
    with page.client.setup_kernel():
        yield page


def said(cell):
    """What stands below a cell, one text for each output."""
    return [output.get("text") or output["data"]["text/plain"] for output in cell.outputs]


def test_another_answer_is_judged_in_the_place_of_the_old_verdict(page):
    checked = page.exercise("twice")
    assert said(checked) == ["– Not filled in yet: replace the dots in twice, then run its cell."]
    for answer, told in {
        "return x + x": "✓ twice is right in all 2 cases.",
        "return x * x": "✗ You squared `x`.",
        "return x / 0": "✗ twice(1) stops with ZeroDivisionError: division by zero",
        "return x * 2": "✓ twice is right in all 2 cases.",
    }.items():
        cell = page.answer("twice", answer)
        assert said(checked) == [told] and not cell.outputs
    html = checked.outputs[0].data["text/html"]
    assert "#009E73" in html and "twice is right" in html
    page.run("twice = 2")
    assert said(checked) == ["✗ This must be a function; it is 2."]


def test_a_cell_that_stops_before_its_answer_is_there_takes_the_tick(page):
    checked = page.exercise("stops", "return 2 * x")
    assert said(checked)[0].startswith("✓")
    page.answer("stops", "return 2 *")
    assert said(checked) == ["✗ Not checked: the cell of `stops` stops with SyntaxError."]
    page.answer("stops", "return 2 * x")
    assert said(checked)[0].startswith("✓")
    page.run("1 / 0  # elsewhere")
    assert said(checked)[0].startswith("✓")
    page.run("1 / 0\ndef stops(x): pass")
    assert said(checked) == ["✗ Not checked: the cell of `stops` stops with ZeroDivisionError."]
    page.run("def stops(x): return 3\n1 / 0")  # the answer is there
    assert said(checked) == ["✗ stops(1) is 3; it should be 2."]


def test_only_what_changed_is_judged(page):
    page.run("calls = []")
    page.exercise("counted", "calls.append(x); return 2 * x")
    page.run("1 + 1")
    assert said(page.run("print(calls)")) == ["[1, 3]\n"]
    page.answer("counted", "calls.append(x); return x")
    assert said(page.run("print(calls)")) == ["[1, 3, 1, 3]\n"]


def test_two_checks_of_one_answer_are_both_kept_and_a_check_that_ran_again_once(page):
    page.run("calls = []")
    first = page.exercise("both")
    second = page.run(f"# in other words{CHECK.format('both')}\nverdict = _\ncheck(both, [5], [(4,)])")
    page.run(first)
    page.answer("both", "calls.append(x); return 2 * x")
    assert said(first) == ["✓ both is right in all 2 cases."]
    assert said(second) == ["✗ both(4) is 8; it should be 5."]
    assert said(page.run("print(calls)")) == ["[4, 1, 3]\n"]  # each once


def test_what_judges_an_answer_stays_when_its_names_mean_something_else(page):
    page.run("def right(x): return 2 * x")
    page.answer("named", "return ...")
    checked = page.run("from pe_helpers.exercises import check\ncheck(named, right, [(2,)])")
    page.run("def right(x): return 'another exercise'")
    page.answer("named", "return 2 * x")
    assert said(checked) == ["✓ named is right in all 1 cases."]


def test_an_answer_that_is_stopped_or_a_check_that_fails_has_no_tick_and_no_traceback(page):
    checked = page.exercise("stopped", "return 2 * x")
    cell = page.answer("stopped", "raise KeyboardInterrupt")
    assert said(checked) == ["✗ `stopped` has changed and is not checked yet: run this cell."]
    assert not cell.outputs
    page.answer("stopped", "return 2 * x")
    assert said(checked)[0].startswith("✓")
    page.run("import pe_helpers._verdict as kept; data, kept._data = kept._data, None")
    cell = page.answer("stopped", "return x")
    page.run("kept._data = data")
    assert not cell.outputs


def test_a_lambda_is_known_by_its_name_in_the_check(page):
    page.run("short = lambda x: x")
    checked = page.run(CHECK.format("short"))
    page.run("short = lambda x: 2 * x")
    assert said(checked) == ["✓ <lambda> is right in all 2 cases."]


def test_a_verdict_is_still_a_pair():
    passed, message = verdict = check(lambda x: x, [1], [(1,)])
    assert verdict == Verdict(passed, message) == (True, "<lambda> is right in all 1 cases.")
    assert repr(verdict) == "✓ <lambda> is right in all 1 cases." and verdict._fields == ("passed", "message")


def test_a_check_above_which_nothing_ran_says_so_and_shows_no_result(page):
    asks = "# @title Check thrice\nfrom pe_helpers.exercises import check\n"
    (missing,) = page.run(asks + "check(thrice, expect=[42], on=[(14,)])").outputs
    assert missing.output_type == "error" and missing.ename == "NameError"
    how = "Run all cells first: menu Run, Run All Cells (in Colab: Runtime, Run all)."
    assert missing.traceback == [f"Not checked: thrice is not defined yet. {how}"]
    (usual,) = page.run("1 + thrice(14)").outputs
    shown = re.sub(r"\x1b\[[\d;]*m", "", "".join(usual.traceback))  # without its colours
    assert usual.ename == "NameError" and "1 + thrice(14)" in shown
