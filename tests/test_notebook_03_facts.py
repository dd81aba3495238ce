"""Notebook 03: its live figure draws the table that its controls name, and marks one hand's two columns.

What the figure should show is worked out here from the paper's formula, without the package.
"""

from itertools import product

import nbformat
import numpy as np
import pytest

from pe_helpers.plots import Heatmap
from tests.conftest import code_cells, run_notebook
from tests.driving import live_figures
from tools.course import NOTEBOOKS

TABLE = NOTEBOOKS[3]
SETTINGS = [*product((8, 50), (4, 100, 128), (100, 10_000, 1_000_000), ("interleaved", "half"))]


@pytest.mark.parametrize(("positions", "d_model", "base", "layout"), SETTINGS)
def test_03_every_number_stands_in_its_cell_and_both_marks_on_one_hand(positions, d_model, base, layout):
    (figure,) = live_figures(TABLE)
    figure.go_to({"positions": positions, "d_model": d_model, "base": base, "layout": layout})
    axes = figure.figure.axes[0]
    (image,) = (artist for artist in axes.images if isinstance(artist, Heatmap))
    hands = d_model // 2
    angle = np.arange(positions)[:, None] * base ** (-np.arange(hands) / hands)  # (L, d/2)
    place = np.arange(hands)
    sines, cosines = (2 * place, 2 * place + 1) if layout == "interleaved" else (place, hands + place)
    shown = np.asarray(image.get_array())
    assert shown.shape == (positions, d_model)
    assert np.allclose(shown[:, sines], np.sin(angle)) and np.allclose(shown[:, cosines], np.cos(angle))

    whole = int((angle[-1] >= 2 * np.pi).sum())
    marked = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "v"]
    assert marked == [sines[whole - 1], cosines[whole - 1]]
    assert f"{whole} of {hands} hands come round within the text" in figure.caption
    assert f"sine in column {marked[0]} and its cosine in column {marked[1]}" in figure.caption


def test_03_the_hardest_two_are_those_that_every_two_positions_give():
    names = run_notebook(TABLE).before["exercise-1"]
    tips = np.exp(1j * np.outer(np.arange(50), 10_000 ** (-np.arange(50) / 50)))  # (position, hand)
    nearest = [
        min(abs(tips[p, hand] - tips[q, hand]) for p in range(50) for q in range(p)) for hand in range(50)
    ]
    assert np.allclose(names["closest"], nearest)
    assert names["best"] == np.argmax(nearest) == 12  # as the prose and the picture call it
    assert (
        2 * np.pi * 10_000 ** (11 / 50) < 49 < 2 * np.pi * 10_000 ** (12 / 50)
    )  # 11 comes round, 12 does not
    assert nearest[11] == abs(tips[48, 11] - tips[0, 11])  # a late dot beside an early one


def test_03_the_picture_of_the_clocks_names_the_best_hand():
    cells = code_cells(nbformat.read(TABLE, as_version=4))
    (picture,) = [cell for cell in cells if "their two columns, and their clocks" in cell.source]
    assert "the best, hand 12" in picture.outputs[0].data["text/plain"]


def test_03_the_picture_for_slides_has_two_pixels_for_each_dimension():
    cells = code_cells(nbformat.read(TABLE, as_version=4))
    (tagged,) = [cell for cell in cells if "sinusoidal_300x100.svg" in cell.source]
    assert "savefig" in tagged.source
    axes = run_notebook(TABLE).names["lying"].axes[0]
    box = axes.get_window_extent()
    assert np.allclose([box.width, box.height], [700, 600]) and np.allclose([box.x0, box.y0], [70, 60])
    (image,) = axes.images
    assert image.get_array().shape == (300, 100)
    assert "</svg>" in (TABLE.parent / "sinusoidal_300x100.svg").read_text()
