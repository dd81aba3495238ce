"""Notebook 02: its live figures draw the rates and the angles that their controls name.

What a figure should show is worked out here from the paper's formula, without the package.
"""

from itertools import product

import nbformat
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from pe_helpers.plots import Heatmap
from tests.conftest import code_cells, run_notebook
from tests.driving import live_figures
from tools.course import NOTEBOOKS

RATES = NOTEBOOKS[2]
SETTINGS = list(product((10.0, 1e4, 1e6), (8, 100, 200), ("paper", "endpoint")))


def rates_of(base, d_model, spacing):
    pairs = d_model // 2
    exponents = np.linspace(0, 1, pairs, endpoint=spacing == "endpoint")
    return base**-exponents


def figure_at(number, **controls):
    figure = live_figures(RATES)[number]
    figure.go_to(controls)
    return figure


@pytest.mark.parametrize(("base", "d_model", "spacing"), SETTINGS)
def test_02_every_pair_has_a_point_at_its_rate(base, d_model, spacing):
    d_model -= d_model % 8  # what this slider can take
    figure = figure_at(0, base=base, d_model=d_model, spacing=spacing)
    axes = figure.figure.axes[0]
    rates = rates_of(base, d_model, spacing)
    assert axes.get_yscale() == "log"
    (every, fast) = (line for line in axes.lines if line.get_marker() == "o")
    assert np.allclose(every.get_ydata(), rates)
    assert np.allclose(every.get_xdata() * d_model / 2, np.arange(d_model // 2))
    assert np.allclose(fast.get_ydata(), rates[rates > 0.1 + 1e-9])
    assert f"{len(fast.get_ydata())} of them above 1/10" in figure.caption
    assert f"the slowest hand needs {2 * np.pi / rates[-1]:,.0f} positions" in figure.caption


def test_02_the_right_axis_has_the_wavelengths_of_the_left():
    left, right = live_figures(RATES)[0].figure.axes
    for share in (0, 0.3, 1):
        rate, wave = (
            axes.transData.inverted().transform(axes.transAxes.transform((0, share)))[1]
            for axes in (left, right)
        )
        assert np.isclose(rate * wave, 2 * np.pi)


@pytest.mark.parametrize(("base", "d_model"), [*product((10.0, 1e4, 1e6), (8, 100, 200))])
def test_02_the_map_has_the_angles_in_degrees_and_the_first_full_turns(base, d_model):
    figure = figure_at(1, base=base, d_model=d_model)
    axes, bar = figure.figure.axes
    (image,) = (artist for artist in axes.images if isinstance(artist, Heatmap))
    turns = np.arange(119)[:, None] * rates_of(base, d_model, "paper") / (2 * np.pi)  # (119, d/2)
    apart = np.asarray(image.get_array()) / 360 - turns
    assert np.allclose(apart, apart.round(), atol=1e-6)  # the same but for whole turns
    assert image.get_cmap().name == "twilight" and image.get_clim() == (0, 360)
    assert bar.get_yticks().tolist() == [0, 60, 120, 180, 240, 300, 360]
    figure.figure.canvas.draw()
    low, high = axes.get_xlim()
    assert (low, high) == (-0.5, d_model // 2 - 0.5) and axes.get_ylim() == (118.5, -0.5)
    assert all(tick == round(tick) for tick in axes.get_xticks() if low <= tick <= high)

    (border,) = (line for line in axes.lines if line.get_color() == "black" and line.get_linestyle() == "-")
    x, y = border.get_xdata(), border.get_ydata()
    complete = turns >= 1
    for pair in np.flatnonzero(complete[118]):
        first = y[(x == pair - 0.5) | (x == pair + 0.5)].tolist()
        assert complete[:, pair].argmax() - 0.5 in first
    early, late = complete[59].sum(), complete[118].sum()
    assert x[-1] == late - 0.5 and y[-1] == 118.5
    assert f"by position 59, {early} of {d_model // 2} hands" in figure.caption
    assert f"by position 118, {late}." in figure.caption


def test_02_prints_degrees_before_and_after_wrapping():
    cells = code_cells(nbformat.read(RATES, as_version=4))
    (printed,) = (cell.outputs[0].text for cell in cells if "print((turned % 360)" in cell.source)
    numbers = np.array(printed.replace("[", " ").replace("]", " ").split(), dtype=float).reshape(2, 7, 4)
    expected = np.outer([0, 1, 2, 6, 7, 60, 70], rates_of(1e4, 8, "paper")) * 180 / np.pi
    assert np.allclose(numbers[0], expected, atol=0.0501) and np.allclose(
        numbers[1], expected % 360, atol=0.0501
    )


def test_02_the_colours_of_0_and_360_degrees_agree():
    image = live_figures(RATES)[1].figure.axes[0].images[0]
    ends = [np.array(to_rgb(image.get_cmap()(end))) for end in (0.0, 1.0)]
    assert abs(ends[0] - ends[1]).max() < 0.02


def test_02_the_mean_over_the_hands_is_the_cosine_of_whole_vectors():
    names = run_notebook(RATES).before["exercise-1"]
    hand = np.array([[np.sin(angle), np.cos(angle)] for angle in np.deg2rad([30, 90])])
    assert np.isclose(hand[0] @ hand[1], 0.5) and np.isclose(np.cos(np.deg2rad(60)), 0.5)
    angle = np.outer(np.arange(40), rates_of(1e4, 128, "paper"))  # (position, hand)
    vectors = np.hstack([np.sin(angle), np.cos(angle)])
    across = vectors @ vectors[7] / np.linalg.norm(vectors, axis=1) / np.linalg.norm(vectors[7])
    assert np.allclose(names["cosines"](33, 128, 10_000), across[7:])
