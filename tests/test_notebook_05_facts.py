"""What notebook 05's live figure says in words, and what its table marks."""

import itertools
import re

import nbformat

from tests.conftest import run_notebook
from tools.course import NOTEBOOKS


def test_05_the_caption_takes_two_lines_of_a_page_everywhere():
    """So what stands below does not jump: a line of a page 1,280 pixels wide has some ninety letters."""
    update = run_notebook(NOTEBOOKS[5]).names["update_shift"]
    for values in itertools.product((-50, -10, 0, 3, 50), (10, 10_000, 1_000_000), (8, 32, 128)):
        assert 110 < len(update(*values)) < 165


def test_05_the_highest_score_of_each_query_is_bold():
    """One place left of the diagonal, which nobody finds among twenty-five plain numbers."""
    cells = nbformat.read(NOTEBOOKS[5], as_version=4).cells
    (cell,) = (cell for cell in cells if "largest=True" in cell.source)
    rows = re.findall(r"<tr>(<td>.*?)</tr>", cell.outputs[0].data["text/html"])
    assert [row.split("</td>").index("<td><b>5.66</b>") for row in rows[1:]] == [1, 2, 3, 4]
