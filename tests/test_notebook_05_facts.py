"""What notebook 05's live figure says in words."""

import itertools

from tests.conftest import run_notebook
from tools.course import NOTEBOOKS


def test_05_the_caption_takes_two_lines_of_a_page_everywhere():
    """So what stands below does not jump: a line of a page 1,280 pixels wide has some ninety letters."""
    update = run_notebook(NOTEBOOKS[5]).names["update_shift"]
    for values in itertools.product((-50, -10, 0, 3, 50), (10, 10_000, 1_000_000), (8, 32, 128)):
        assert 110 < len(update(*values)) < 165
