"""Recorded frames: an artist that did not change keeps its piece, and what changed is recorded again."""

import json

import numpy as np
import pytest
from scenes import SCENES

from pe_helpers.figures import plots
from pe_helpers.figures._frames import Frames


def names(pieces):
    return [piece.name for piece in pieces]


def header(piece):
    length = int.from_bytes(piece.data[:4], "little")
    return json.loads(piece.data[4 : 4 + length])


@pytest.mark.parametrize("name", SCENES)
def test_what_is_kept_is_what_would_be_recorded_anew(name):
    figure, changes = SCENES[name]()
    frames = Frames.of(figure)
    order = [*changes, *changes, *np.random.default_rng(0).permutation(changes)]
    for number, change in enumerate([lambda: None, *order]):
        change()
        kept = names(frames.record())
        assert kept == names(frames.record()), (number, "nothing changed")
        frames.forget()
        assert kept == names(frames.record()), number


@pytest.mark.parametrize("name", SCENES)
def test_every_change_is_seen(name):
    figure, changes = SCENES[name]()
    frames = Frames.of(figure)
    before = names(frames.record())
    for change in changes:
        change()
    assert names(frames.record()) != before


def test_only_what_changed_is_recorded():
    figure, (left, right) = plots.new_figure(6, 3, columns=2)
    image = plots.heatmap(left, np.eye(3), title="a title", bar="value")
    right.plot([1, 2])
    frames = Frames.of(figure)
    before = set(frames.record())
    image.set_data(np.ones((3, 3)))
    (new,) = set(frames.record()) - before
    assert [operation[0] for operation in header(new)[1]] == ["clip", "cells"]


def test_a_figure_has_one_recording():
    figure, _ = plots.new_figure(2, 2)
    assert Frames.of(figure) is Frames.of(figure)


def test_matrices_stay_matrices():
    figure, axes = plots.new_figure(3, 3)
    plots.heatmap(axes, np.arange(200.0).reshape(10, 20))
    (cells,) = [piece for piece in Frames.of(figure).record() if "cells" in str(header(piece))]
    kind, *_, columns, rows, alpha, length, table = header(cells)[1][-1]
    assert (kind, columns, rows, alpha, length, table) == ("cells", 20, 10, 1, 200, 0)
    assert len(cells.data) < 400 and header(cells.parts[0])[1] == [["table", 256]]


def test_a_letter_is_a_piece_of_its_own():
    figure, axes = plots.new_figure(3, 3)
    title = axes.set_title("level")
    first = {part for piece in Frames.of(figure).record() for part in piece.parts}
    title.set_text("lever")
    second = {part for piece in Frames.of(figure).record() for part in piece.parts}
    assert len(second - first) == 1


def test_the_layout_stays():
    figure, axes = plots.new_figure(3, 3)
    Frames.of(figure)
    before = axes.get_position().bounds
    axes.set_ylabel("a label\nof two lines")
    Frames.of(figure).record()
    assert axes.get_position().bounds == before


def test_drawing_by_others_goes_on_as_before():
    figure, _ = plots.new_figure(2, 2)
    Frames.of(figure).record()
    assert not any("draw" in vars(artist) for artist in figure.findobj())
    assert plots.png(figure).startswith(b"\x89PNG")
