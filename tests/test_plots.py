"""The pictures: heatmaps, curves, and figures that show themselves."""

import numpy as np
import pytest
import torch

from live_figures.tests.conftest import fully_drawn
from pe_helpers._description import description
from pe_helpers.figures import plots, table


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


def test_a_picture_says_its_data_to_those_who_do_not_see_it():
    figure, (curve, clock, matrix, large) = plots.new_figure(9, 2, columns=4)
    labels = {"x_label": "position", "y_label": "loss", "title": "Reading on"}
    plots.curves(curve, [0, 1, 2, 3], [[3, 2, 2, 9], [5, 5, 4, 4]], labels=["rotary", "T5"], **labels)
    turn = np.linspace(0, 2 * np.pi, 50)
    clock.plot(np.sin(turn), np.cos(turn))
    plots.note(clock, 0, 1, "the dog")
    plots.heatmap(matrix, [[1, -0.5], [1e-17, 2000]], title="weights", bar="value")
    plots.heatmap(large, np.eye(30))
    assert description(figure).split(". ") == [
        "Reading on, loss over position: "
        "rotary: from 3 at 0 to 9 at 3, at least 2 at 1; T5: from 5 at 0 to 4 at 3",
        "the dog",
        "weights: row 0: 1, −0.5; row 1: 0, 2,000",
        "30 rows of 30 numbers from 0 to 1",
    ]
    shown, other = plots.new_figure(6, 2, columns=2)[1]
    plots.bars(shown, ["dog", "man"], {"before": [0.5, 0.25], "after": [0.1, 0]}, "{value:.2f}")
    other.bar(range(20), range(20))
    said = "before: dog 0.5, man 0.25; after: dog 0.1, man 0. 20 bars from 0 to 19"
    assert description(shown.figure) == said
    lines, rows = plots.new_figure(6, 2, columns=2)[1]
    for height in (1, 2):  # of which the legend names the first
        lines.plot([0, 1, 2], [0, 0, height], color=plots.ORANGE, label="heads" if height == 1 else None)
    for colour in (plots.BLUE, plots.GREY):
        plots.dots(rows, [1, 2], [0, 0], colour)
    rows.set(yticks=[0, 1], yticklabels=["base 10", "base 100"])
    said = "heads: 2 lines, from 0 to 0 at 0, from 1 to 2 at 2. base 10: 4 dots from 1 to 2"
    assert description(lines.figure) == said


def test_bars_stand_in_the_order_in_which_they_are_named():
    _, axes = plots.new_figure(3, 2)
    plots.bars(axes, ["dog", "man"], {"before": [0.5, 0.25], "after": [0.1, 0]}, "{group} {value:.2f}")
    axes.figure.draw_without_rendering()
    written = {text.get_text(): text.xy for text in axes.texts}
    assert {words: xy[0] for words, xy in written.items()} == {
        "before 0.50": 0.5,
        "before 0.25": 0.25,
        "after 0.10": 0.1,
        "after 0.00": 0,
    }
    heights = [bar.get_y() + bar.get_height() / 2 for bar in axes.patches]
    assert heights == pytest.approx([-0.2, 0.8, 0.2, 1.2])  # dog before, man before, dog after, man after
    assert axes.get_ylim() == (1.5, -0.5)  # from above
    with pytest.raises(ValueError):
        plots.bars(axes, ["dog"], {"a": [1], "b": [1], "c": [1]}, "{value}")  # a colour is missing


def test_words_dots_grids_and_legends_look_alike_everywhere():
    _, axes = plots.new_figure(3, 2)
    dots = plots.dots(axes, [1, 2], [3, 4], plots.GREEN, 5, label="some dots", zorder=9)
    assert (dots.get_linestyle(), dots.get_color(), dots.get_markersize()) == ("None", plots.GREEN, 5)
    assert dots.get_zorder() == 9
    note = plots.note(axes, 1, 3, "here", plots.GREEN, ha="right")
    assert (note.get_fontsize(), note.get_color(), note.get_ha()) == (11, plots.GREEN, "right")
    plots.legend(axes)
    axes.figure.draw_without_rendering()
    assert axes.get_legend().get_window_extent().x0 >= axes.bbox.x1  # beside the axes
    plots.legend(axes, "upper left", title="these")
    assert axes.get_legend().get_title().get_text() == "these" and not axes.get_legend().get_frame_on()
    plots.grid(axes, "x")
    assert [line.get_visible() for line in (axes.get_xgridlines()[0], axes.get_ygridlines()[0])] == [
        True,
        False,
    ]


def test_a_logarithmic_scale_has_the_ticks_it_is_given():
    _, axes = plots.new_figure(3, 2)
    plots.log_scale(axes, "x", [0.5, 1024, 1_000_000])
    plots.log_scale(axes, "y", [1, 10])
    axes.figure.draw_without_rendering()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.5", "1,024", "1,000,000"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["1", "10"]
    assert axes.get_xscale() == axes.get_yscale() == "log" and not axes.get_xticks(minor=True).size


def test_a_table_marks_the_largest_number_of_each_row_in_a_page():
    columns = {"query": ["the", "9"], "0": [5.49, 2.0], "1": [5.07, 2.0], "2": [4.61, 1.0]}
    told = table(columns, digits=3, largest=True)
    rows = ["the</td><td><b>5.49</b></td><td>5.07", "9</td><td><b>2</b></td><td><b>2</b></td><td>1"]
    assert all(row in told._repr_html_() for row in rows)
    assert "<b>" not in table(columns)._repr_html_() and "<b>" not in repr(told)
