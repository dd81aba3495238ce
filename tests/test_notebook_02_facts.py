"""Notebook 02: its live figures draw the rates and the angles that their controls name.

What a figure should show is worked out here from the paper's formula, without the package.
"""

import re
from itertools import product

import nbformat
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from pe_helpers import apply_rotary
from pe_helpers.models import loss_by_position, with_rates
from pe_helpers.plots import Heatmap
from tests.conftest import code_cells, run_notebook
from tests.driving import live_figures
from tools.course import NOTEBOOKS

RATES = NOTEBOOKS[2]
SETTINGS = list(product((10.0, 1e4, 1e6), (8, 128, 512)))


def rates_of(base, d_model):
    return base ** -(np.arange(d_model // 2) / (d_model / 2))


def figure_at(number, **controls):
    figure = live_figures(RATES)[number]
    figure.go_to(controls)
    return figure


@pytest.mark.parametrize(("base", "d_model"), SETTINGS)
def test_02_every_hand_has_a_dot_at_its_rate(base, d_model):
    figure = figure_at(0, base=base, d_model=d_model)
    axes = figure.figure.axes[0]
    rates = rates_of(base, d_model)
    assert axes.get_yscale() == "log"
    (dots,) = (line for line in axes.lines if line.get_marker() == "o")
    assert np.allclose(dots.get_ydata(), rates)
    assert np.allclose(dots.get_xdata() * d_model / 2, np.arange(d_model // 2))
    below = [(text.get_position()[0] * d_model / 2, text.get_text()) for text in axes.texts]
    assert below == [(n * d_model / 8, str(n * d_model // 8)) for n in range(4)]  # under its dot, the hand
    assert f"the slowest hand has a wavelength of {2 * np.pi / rates[-1]:,.0f} positions" in figure.caption


def test_02_the_right_axis_has_the_wavelengths_of_the_left():
    left, right = live_figures(RATES)[0].figure.axes
    for share in (0, 0.3, 1):
        rate, wave = (
            axes.transData.inverted().transform(axes.transAxes.transform((0, share)))[1]
            for axes in (left, right)
        )
        assert np.isclose(rate * wave, 2 * np.pi)


@pytest.mark.parametrize(("base", "d_model"), [*product((10.0, 1e4, 1e6), (50, 100, 200))])
def test_02_the_map_has_the_angles_in_degrees_and_the_first_full_turns(base, d_model):
    figure = figure_at(1, base=base, d_model=d_model)
    axes, bar = figure.figure.axes
    (image,) = (artist for artist in axes.images if isinstance(artist, Heatmap))
    turns = np.arange(121)[:, None] * rates_of(base, d_model) / (2 * np.pi)  # (121, d/2)
    apart = np.asarray(image.get_array()) / 360 - turns
    assert np.allclose(apart, apart.round(), atol=1e-6)  # the same but for whole turns
    assert image.get_cmap().name == "twilight" and image.get_clim() == (0, 360)
    assert bar.get_yticks().tolist() == [0, 60, 120, 180, 240, 300, 360]
    figure.figure.canvas.draw()
    low, high = axes.get_xlim()
    assert (low, high) == (-0.5, d_model // 2 - 0.5) and axes.get_ylim() == (120.5, -0.5)
    assert all(tick == round(tick) for tick in axes.get_xticks() if low <= tick <= high)

    (border,) = (line for line in axes.lines if line.get_color() == "black" and line.get_linestyle() == "-")
    x, y = border.get_xdata(), border.get_ydata()
    complete = turns >= 1
    for hand in np.flatnonzero(complete[120]):
        first = y[(x == hand - 0.5) | (x == hand + 0.5)].tolist()
        assert complete[:, hand].argmax() - 0.5 in first
    early, late = complete[60].sum(), complete[120].sum()
    assert x[-1] == late - 0.5 and y[-1] == 120.5
    assert f"by position 60: {early} of {d_model // 2} hands" in figure.caption
    assert f"by position 120: {late}." in figure.caption


def test_02_the_table_has_each_position_and_the_angles_of_its_four_hands():
    cells = code_cells(nbformat.read(RATES, as_version=4))
    (told,) = (cell.outputs[0].data["text/html"] for cell in cells if "without full turns" in cell.source)
    rows = re.findall(r"<tr>(<td>.*?)</tr>", told)
    numbers = np.array(
        [[float(n.replace(",", "")) for n in re.findall("<td>(.*?)</td>", row)] for row in rows]
    )
    positions = [0, 1, 2, 6, 7, 60, 70]
    expected = np.outer(positions, rates_of(1e4, 8)) * 180 / np.pi
    assert numbers[:, 0].tolist() == positions
    assert np.allclose(numbers[:, 1:5], expected, atol=0.0501)
    assert np.allclose(numbers[:, 5], expected[:, 0] % 360, atol=0.0501)


def test_02_step_and_the_hands_that_do_not_come_round_follow_from_the_formula():
    """The step without the package; the hands of the two tables from the last exponent that fits."""
    names = run_notebook(RATES).before["exercise-1"]
    for n, base in enumerate((100, 10_000, 1_000_000)):
        rates = rates_of(base, 100)
        assert np.isclose(names["steps"][n], np.sqrt((2 - 2 * np.cos(rates)).mean()))
        left = np.log(1000 / (2 * np.pi)) / np.log(base) * 50  # this hand comes round at position 1,000
        assert names["slow"][n] == max(0, 50 - int(left) - 1)
        left = np.log(127 / (2 * np.pi)) / np.log(base) * 16
        assert names["unseen"][n].sum() == 16 - int(left) - 1
        cost, gain = names["cost"].lines[n], names["gain"].lines[n]
        moves = np.hypot(np.sin(rates), 1 - np.cos(rates))
        assert np.allclose(cost.get_ydata(), moves) and cost.get_label() == f"base {base:,}"
        assert np.isclose(np.sqrt((moves**2).mean()), names["steps"][n])
        assert gain.get_ydata()[gain.get_xdata().searchsorted(1000)] == names["slow"][n]


def test_02_slowed_are_the_hands_that_did_not_come_round_in_training():
    names = run_notebook(RATES).before["exercise-1"]
    assert names["texts"].shape[1] - 1 == 4 * 128  # so a quarter of the rate is as far as in training
    for own, unseen in zip(names["sixteen"], names["unseen"], strict=True):
        assert (
            unseen.any() and (127 * own[unseen] < 2 * np.pi).all() and (127 * own[~unseen] >= 2 * np.pi).all()
        )


def test_02_the_texts_are_harder_at_the_end_of_the_trained_length_as_its_picture_says():
    """Not by their place: they're as hard for whoever begins to read 32 tokens later."""
    names = run_notebook(RATES).before["exercise-1"]
    texts = names["texts"]
    for model, loss in zip(names["models"], names["losses"], strict=True):
        assert loss[96:128].mean() > loss[32:64].mean() + 0.1
        later = loss_by_position(model, texts[:, 32:161])
        assert abs(later[64:96].mean() - loss[96:128].mean()) < 0.03


def test_02_the_one_hand_of_each_model_is_the_one_that_its_short_texts_miss_most():
    names = run_notebook(RATES).names
    part = names["texts"][::2, :129]
    for model, own, unseen, rise, hand in zip(
        *(names[name] for name in ("models", "sixteen", "unseen", "most", "its_hand")), strict=True
    ):
        assert unseen[hand]
        rises = []
        for still in np.flatnonzero(unseen)[:3]:  # the others turn by less
            rates = own.copy()
            rates[still] = 0
            rises.append(
                (loss_by_position(with_rates(model, rates), part) - loss_by_position(model, part)).mean()
            )
        assert np.isclose(max(rises), rise) and np.flatnonzero(unseen)[np.argmax(rises)] == hand


def test_02_the_arrow_that_is_turned_on_paper_is_turned_so_by_the_helper_and_the_models():
    """As clocks turn, and models turn back; a model's query has as many numbers as the text says."""
    text = "\n".join(cell.source for cell in nbformat.read(RATES, as_version=4).cells)
    told = re.search(
        r"\$\((\S+), (\S+)\)\$: the tip.*Turned clockwise by three hours it is at \$\((\S+), (\S+)\)\$", text
    )
    before, after = np.array(told.groups(), dtype=float).reshape(2, 2)
    assert np.allclose(apply_rotary(before[None], positions=[-1], rates=[np.pi / 2]), after[None])
    width, hands = map(int, re.search(r"has `(\d+)` numbers, so `(\d+)` pairs", text).groups())
    for model in run_notebook(RATES).before["exercise-1"]["models"]:
        assert model.rotary.d_head == width and len(model.rates) == hands


def test_02_the_colours_of_0_and_360_degrees_agree():
    image = live_figures(RATES)[1].figure.axes[0].images[0]
    ends = [np.array(to_rgb(image.get_cmap()(end))) for end in (0.0, 1.0)]
    assert abs(ends[0] - ends[1]).max() < 0.02


def test_02_the_mean_over_the_hands_is_the_cosine_of_whole_vectors():
    names = run_notebook(RATES).before["exercise-1"]
    angle = np.outer(np.arange(40), rates_of(1e4, 128))  # (position, hand)
    vectors = np.hstack([np.sin(angle), np.cos(angle)])
    across = vectors @ vectors[7] / np.linalg.norm(vectors, axis=1) / np.linalg.norm(vectors[7])
    assert np.allclose(names["cosines"](33, 128, 10_000), across[7:])
