"""Every live figure of every notebook, drawn by the page and by matplotlib itself: the same picture."""

from itertools import product

import numpy as np
import pytest
from matplotlib.text import Text

from live_figures.tests.browser.page_drawing import Screen, check_likeness, size_of
from tests.driving import live_figures, values_of

SHIFTS = sorted(product(range(-4, 5), repeat=2), key=np.linalg.norm)


@pytest.fixture(scope="module")
def screen(browser):
    return Screen(browser)


def settings_of(figure):
    """The start, all controls at either end, then four random steps."""
    rng = np.random.default_rng(0)
    values = {name: values_of(control, rng) for name, control in figure.controls.items()}
    yield {name: control.value for name, control in figure.controls.items()}
    for end in (0, 1):
        yield {name: ends[end] for name, ends in values.items()}
    for _ in range(4):
        yield {name: values[name][rng.integers(len(values[name]))] for name in values}


def ink_boxes(figure):
    """The texts of a figure, and where they stand: slices of its pixels."""
    for text in figure.findobj(Text):
        box = text.get_window_extent()
        left, right = int(box.x0), int(box.x1) + 1
        top, bottom = (round(figure.bbox.height) - int(edge) for edge in (box.y1 + 1, box.y0))
        is_inside = (
            4 <= left < right - 4 < figure.bbox.width - 4 and 4 <= top < bottom - 4 < figure.bbox.height - 4
        )
        if text.get_visible() and text.get_text().strip() and is_inside:
            yield text, slice(top, bottom), slice(left, right)


def displacement(drawn, expected, rows, columns):
    """By how many pixels what stands in this box in one picture is moved in the other."""
    wanted = expected[rows, columns].astype("int16")

    def unlike(shift):
        moved = drawn[rows.start + shift[0] :, columns.start + shift[1] :]
        moved = moved[: wanted.shape[0], : wanted.shape[1]]
        return abs(moved - wanted).mean() if moved.shape == wanted.shape else np.inf

    return 0 if unlike((0, 0)) < 10 else max(map(abs, min(SHIFTS, key=unlike)))


def test_the_page_draws_what_matplotlib_draws(screen, path):
    for figure in live_figures(path):
        screen.clear()
        for values in settings_of(figure):
            figure.go_to(values)
            drawn = screen.show(figure.display_lists(), size_of(figure.figure), figure.caption)
            expected = check_likeness(drawn, figure.figure)
            for text, *box in ink_boxes(figure.figure):
                assert displacement(drawn, expected, *box) <= 2, text
        figure.to_start()
