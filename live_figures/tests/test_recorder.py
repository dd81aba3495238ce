"""Display lists: an artist that did not change keeps its own, and what changed is recorded again."""

import json

import numpy as np
import pytest

from live_figures import png
from live_figures._display_cache import DisplayCache

from .drawing import heatmap, new_figure
from .gallery import GALLERY, figure_of
from .scenes import SCENES


def digests(lists):
    return [each.digest for each in lists]


def header(display_list):
    length = int.from_bytes(display_list.data[:4], "little")
    return json.loads(display_list.data[4 : 4 + length])


@pytest.mark.parametrize("name", SCENES)
def test_what_is_kept_is_what_would_be_recorded_anew(name):
    figure, changes = SCENES[name]()
    cache = DisplayCache.of(figure)
    order = [*changes, *changes, *np.random.default_rng(0).permutation(changes)]
    for number, change in enumerate([lambda: None, *order]):
        change()
        kept = digests(cache.record())
        assert kept == digests(cache.record()), (number, "nothing changed")
        cache.invalidate()
        assert kept == digests(cache.record()), number


@pytest.mark.parametrize("name", SCENES)
def test_every_change_is_seen(name):
    figure, changes = SCENES[name]()
    cache = DisplayCache.of(figure)
    before = digests(cache.record())
    for change in changes:
        change()
    assert digests(cache.record()) != before


@pytest.mark.parametrize("name", GALLERY)
def test_a_frame_is_the_same_in_any_order(name):
    figure, update = figure_of(name)
    update(0.5)
    cache, frames = DisplayCache.of(figure), {}
    for t in (0.1, 0.9, 0.5, 0.1):
        update(t)
        kept = digests(cache.record())
        assert frames.setdefault(t, kept) == kept
    cache.invalidate()
    assert digests(cache.record()) == kept
    assert len(set(map(tuple, frames.values()))) > 1


def test_only_what_changed_is_recorded():
    figure, (left, right) = new_figure(6, 3, columns=2)
    image = heatmap(left, np.eye(3), title="a title", bar="value")
    right.plot([1, 2])
    cache = DisplayCache.of(figure)
    before = set(cache.record())
    image.set_data(np.ones((3, 3)))
    (new,) = set(cache.record()) - before
    assert [operation[0] for operation in header(new)[1]] == ["clip", "cells"]


@pytest.mark.parametrize("edges", [{"edgecolors": "white", "linewidth": 2}, {"edgecolor": "black"}])
def test_the_edges_of_a_mesh_are_drawn(edges):
    recorded = []
    for look in ({}, edges):
        figure, axes = new_figure(3, 3)
        axes.pcolormesh(np.eye(3), **look)
        recorded.append(digests(DisplayCache.of(figure).record()))
    assert recorded[0] != recorded[1]


def test_a_figure_has_one_cache():
    figure, _ = new_figure(2, 2)
    assert DisplayCache.of(figure) is DisplayCache.of(figure)


def test_matrices_stay_matrices():
    figure, axes = new_figure(3, 3)
    heatmap(axes, np.arange(200.0).reshape(10, 20))
    (cells,) = [each for each in DisplayCache.of(figure).record() if "cells" in str(header(each))]
    kind, *_, columns, rows, alpha, length, table = header(cells)[1][-1]
    assert (kind, columns, rows, alpha, length, table) == ("cells", 20, 10, 1, 200, 0)
    assert len(cells.data) < 400 and header(cells.resources[0])[1] == [["table", 256]]


def test_a_glyph_is_shared():
    figure, axes = new_figure(3, 3)
    title = axes.set_title("level")
    first = {glyph for each in DisplayCache.of(figure).record() for glyph in each.resources}
    title.set_text("lever")
    second = {glyph for each in DisplayCache.of(figure).record() for glyph in each.resources}
    assert len(second - first) == 1


def test_the_layout_stays():
    figure, axes = new_figure(3, 3)
    DisplayCache.of(figure)
    before = axes.get_position().bounds
    axes.set_ylabel("a label\nof two lines")
    DisplayCache.of(figure).record()
    assert axes.get_position().bounds == before


def test_drawing_by_others_goes_on_as_before():
    figure, _ = new_figure(2, 2)
    DisplayCache.of(figure).record()
    assert not any("draw" in vars(artist) for artist in figure.findobj())
    assert png(figure).startswith(b"\x89PNG")
