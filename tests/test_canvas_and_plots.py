"""The picture after a partial redraw is the picture of a full one, and a PNG that others can read."""

import numpy as np
import pytest
import torch
from conftest import fully_drawn, pixels

from pe_helpers import sinusoidal
from pe_helpers.figures import plots
from pe_helpers.figures._canvas import Canvas


@pytest.fixture
def scene():
    """A figure with all that the notebooks move: image, lines, markers, bars, texts, limits, a legend."""
    figure, (left, middle, right) = plots.new_figure(9, 3, columns=3)
    image = plots.heatmap(left, sinusoidal(20, 16), title="map", x_label="dimension", bar="value")
    mark = left.axhline(3, color="black")
    lines = plots.curves(middle, range(5), np.eye(2, 5), labels=["a", "b"], title="curves")
    bars = right.bar(range(3), [1, 2, 3])
    note = right.text(0, 2.5, "note")
    right.axis("off")
    headline = figure.suptitle("before")
    changes = {
        "image": lambda: image.set_data(sinusoidal(20, 16, base=10)),
        "another shape": lambda: image.set_data(sinusoidal(30, 8)),
        "mark": lambda: mark.set_ydata([7, 7]),
        "curve": lambda: lines[0].set_ydata([3, 1, 4, 1, 5]),
        "limits": lambda: (middle.relim(), middle.autoscale_view()),
        "bar": lambda: bars[1].set_height(0.5),
        "text": lambda: note.set_text("another"),
        "title": lambda: middle.set_title("other curves"),
        "legend": lambda: middle.get_legend().get_texts()[0].set_text("c"),
        "headline": lambda: headline.set_text("after"),
        "ticks": lambda: left.set_xticks([1, 2, 3]),
        "colours": lambda: image.set_clim(-0.5, 0.5),
        "hidden": lambda: lines[1].set_visible(False),
        "shown": lambda: lines[1].set_visible(True),
        "new artist": lambda: middle.plot([0, 4], [0, 1]),
        "removed artist": lambda: note.remove(),
        "background": lambda: middle.set_facecolor("#ffeeee"),
    }
    return figure, changes


def test_a_partial_redraw_gives_the_pixels_of_a_full_one(scene):
    figure, changes = scene
    canvas = Canvas(figure)
    before = pixels(canvas.png())
    assert np.array_equal(before, fully_drawn(figure))
    order = list(changes) + list(np.random.default_rng(0).permutation(list(changes)[:14]))
    for name in order:
        changes[name]()
        after = pixels(canvas.png())
        assert np.array_equal(after, fully_drawn(figure)), name


@pytest.mark.parametrize("name", ["image", "mark", "curve", "bar", "text", "title", "legend", "headline"])
def test_a_change_changes_the_picture(scene, name):
    figure, changes = scene
    canvas = Canvas(figure)
    before = canvas.png()
    changes[name]()
    assert canvas.png() != before


def awkward_scenes():
    """Figures in which drawing one artist over the rest would be wrong: (name, figure, changes)."""
    figure, axes = plots.new_figure(4, 3)
    bars, twin = axes.bar(range(3), [1, 2, 3]), axes.twinx()
    twin.plot([0, 1, 2], [3, 1, 2], "r", linewidth=5)
    yield "twin axes", figure, [lambda: bars[0].set_height(3), lambda: bars[1].set_height(1)]

    figure, axes = plots.new_figure(4, 3)
    image = plots.heatmap(axes, np.eye(3))
    figure.text(0.5, 0.5, "over the axes")
    yield "text of the figure", figure, [lambda: image.set_data(np.ones((3, 3)))]

    figure, axes = plots.new_figure(4, 3)
    image = plots.heatmap(axes, np.eye(3))
    axes.tick_params(direction="in")
    yield "inward ticks", figure, [lambda: image.set_data(np.ones((3, 3)))]

    figure, axes = plots.new_figure(4, 3)
    axes.xaxis.tick_top()
    yield "ticks on top", figure, [lambda: axes.set_title("a title"), lambda: axes.set_title("another")]

    figure, (left, right) = plots.new_figure(5, 3, columns=2)
    lines = plots.curves(left, range(3), np.eye(3))
    points = right.scatter(range(3), range(3))
    right.grid(True)
    yield (
        "stacking and visibility",
        figure,
        [
            lambda: lines[0].set_ydata([1, 2, 3]),
            lambda: points.set_offsets([[0, 1], [1, 2], [2, 0]]),
            lambda: lines[0].set_zorder(9),
            lambda: left.axis("off"),
            lambda: right.set_frame_on(False),
            lambda: right.set_visible(False),
            lambda: right.set_visible(True),
            lambda: left.xaxis.label.set_text("a label"),
            lambda: left.axis("on"),
            lambda: left.xaxis.label.set_text("another label"),
            lambda: right.set_position([0.6, 0.2, 0.3, 0.3]),
            lambda: figure.set_size_inches(6, 4),
        ],
    )


@pytest.mark.parametrize(("name", "figure", "changes"), list(awkward_scenes()))
def test_awkward_figures_too(name, figure, changes):
    canvas = Canvas.of(figure)
    for change in [*changes, *changes]:
        change()
        assert np.array_equal(pixels(canvas.png()), fully_drawn(figure))


def test_a_figure_has_one_canvas():
    figure, _ = plots.new_figure(2, 2)
    assert Canvas.of(figure) is Canvas.of(figure)


def test_nothing_changed_gives_the_same_picture(scene):
    canvas = Canvas(scene[0])
    assert canvas.png() == canvas.png()


def test_only_what_changed_is_drawn(scene, monkeypatch):
    figure, changes = scene
    canvas = Canvas(figure)
    changes["curve"]()
    canvas.png()
    monkeypatch.setattr(type(figure), "draw", lambda *_: pytest.fail("the whole figure was drawn"))
    changes["curve"]()
    canvas.png()


def test_a_heatmap_follows_its_matrix():
    _, axes = plots.new_figure(3, 3)
    image = plots.heatmap(axes, np.eye(4))
    assert axes.get_xlim() == (-0.5, 3.5) and axes.get_ylim() == (3.5, -0.5)
    image.set_data(np.ones((6, 2)))
    assert axes.get_xlim() == (-0.5, 1.5) and axes.get_ylim() == (5.5, -0.5)
    axes.set_xlim(0, 1)
    image.set_data(np.zeros((6, 2)))
    assert axes.get_xlim() == (0, 1)  # only another shape moves the limits
    _, axes = plots.new_figure(3, 3)
    image = plots.heatmap(axes, np.eye(4))
    axes.invert_yaxis()
    assert axes.get_ylim() == (-0.5, 3.5)


def test_every_cell_of_a_heatmap_has_its_colour():
    figure, axes = plots.new_figure(2, 2)
    matrix = np.array([[-1.0, 0.0], [0.5, 1.0]])
    image = plots.heatmap(axes, matrix)
    axes.set_axis_off()
    drawn = fully_drawn(figure)
    for row, column in np.ndindex(2, 2):
        x, y = axes.transData.transform((column, row))
        expected = np.array(image.to_rgba(matrix[row, column], bytes=True)[:3], int)
        assert abs(drawn[200 - round(y), round(x)] - expected).max() <= 1


def test_limits_of_colours():
    for colours, limits in {"signed": (-3, 3), "magnitude": (0, 3), "angle": (0, 360)}.items():
        image = plots.heatmap(plots.new_figure(2, 2)[1], [[-3, 1]], colours=colours)
        assert image.get_clim() == limits

    image = plots.heatmap(plots.new_figure(2, 2)[1], np.zeros((2, 2)))
    assert image.get_clim() == (-1, 1)
    image = plots.heatmap(plots.new_figure(2, 2)[1], np.eye(2), limits=(0, 5))
    image.set_data(9 * np.eye(2))
    assert image.get_clim() == (0, 5)


@pytest.mark.parametrize("limits", [(1, 1), (2, 1), (0, np.nan), (0, np.inf), (1,), (1, 2, 3), "ab"])
def test_limits_that_would_give_wrong_colours_are_refused(limits):
    with pytest.raises((ValueError, TypeError)):
        plots.heatmap(plots.new_figure(2, 2)[1], np.eye(2), limits=limits)


def test_lengths_that_differ_are_refused():
    _, axes = plots.new_figure(2, 2)
    with pytest.raises(ValueError):
        plots.curves(axes, range(3), [1, 2])
    for labels in (["a"], ["a", "b", "c"]):
        with pytest.raises(ValueError):
            plots.curves(axes, range(2), np.eye(2), labels=labels)


def test_titles_labels_and_options_go_where_they_belong():
    _, (left, right) = plots.new_figure(6, 3, columns=2, width_ratios=[1, 2])
    words = {"title": "a title", "x_label": "across", "y_label": "down"}
    image = plots.heatmap(left, np.eye(2), zorder=7, **words)
    (line,) = plots.curves(right, range(2), range(2), linestyle="--", **words)
    for axes in (left, right):
        assert [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()] == list(words.values())
    assert image.get_zorder() == 7 and line.get_linestyle() == "--" and line.get_linewidth() == 2
    with pytest.raises(AttributeError, match="x_labels"):
        plots.heatmap(left, np.eye(2), x_labels="a slip")


def test_matrices_of_every_kind_can_be_drawn():
    for matrix in (
        np.array([[3, 1]], np.uint8),
        np.array([[-128, 1]], np.int8),
        torch.nn.Parameter(torch.tensor([[3.0, -1.0]])),
        torch.tensor([[3, 1]], dtype=torch.bfloat16),
    ):
        image = plots.heatmap(plots.new_figure(2, 2)[1], matrix)
        peak = 128 if getattr(matrix, "dtype", None) == np.int8 else 3
        assert image.get_clim() == (-peak, peak)


def test_a_picture_shows_itself():
    figure, axes = plots.new_figure(2, 1)
    axes.set_title("a title")
    bundle = figure._repr_mimebundle_()
    assert bundle["text/plain"] == "Picture · a title"
    assert bundle["image/png"].startswith("iVBOR")
