"""Words in a plane: labels never overlap, and nothing that a reader types makes it fail."""

import re
import time
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import to_hex

from live_figures import display_lists
from live_figures.tests.conftest import fully_drawn
from pe_helpers.figures import plots, word_map
from tests.word_maps import astray, touching, unclear

WORDS = "king queen man woman dog wolf football basketball red green yellow".split()


def boxes(words):
    return np.array([place[:4] for place in words._places() if place is not None]).reshape(-1, 4)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 60), st.floats(0.01, 1), st.integers(0, 10**6))
def test_labels_lie_over_no_label_no_dot_and_not_outside(n, spread, seed):
    figure, axes = plots.new_figure(5, 5)
    points = np.random.default_rng(seed).uniform(-spread, spread, (n, 2))
    words = word_map(axes, points, (WORDS * 6)[:n])
    display_lists(figure)
    found = boxes(words)
    assert len(found) == n - len(words.hidden())
    low, high = found[:, None, :2], found[:, None, 2:]
    crossing = ((low < found[:, 2:]) & (high > found[:, :2])).all(axis=2)
    assert crossing.sum() == len(found)  # each with itself alone
    dots = axes.transData.transform(points).reshape(-1, 2)
    assert not ((low < dots) & (high > dots)).all(axis=2).any()
    frame = axes.bbox
    assert (found[:, :2] >= [frame.x0, frame.y0]).all() and (found[:, 2:] <= [frame.x1, frame.y1]).all()


def test_every_word_has_its_label_where_there_is_room():
    figure, axes = plots.new_figure(6, 6)
    words = word_map(axes, np.random.default_rng(0).uniform(-1, 1, (11, 2)), WORDS)
    display_lists(figure)
    assert words.hidden() == []
    words.set_data(np.zeros((11, 2)), WORDS)
    assert words.hidden() == []  # the thin lines make room
    words.set_data(np.zeros((99, 2)), WORDS * 9)
    assert 40 < len(words.hidden()) < 90


@pytest.mark.parametrize("dpi", [50, 100, 250])
@pytest.mark.parametrize("word", ["jumpy", "Ångström", "слово", "$x$", "f_{}|"])
def test_the_ink_of_a_label_fills_its_box(word, dpi):
    figure, axes = plots.new_figure(3, 3)
    figure.set_dpi(dpi)
    words = word_map(axes, [[0, 0]], [word])
    drawn = fully_drawn(figure)[::-1]  # row 0 at the bottom, as in matplotlib's pixels
    left, bottom, right, top, *_ = words._places()[0]
    dark = np.argwhere((drawn < 128).all(axis=2))  # the dot is blue, the frame is light
    margin = np.array([1, 2]) * dpi / 72 + 2.5  # a font leaves room beside a letter; places are whole pixels
    assert (abs(dark.min(axis=0) - (bottom, left)) <= margin).all()
    assert (abs(dark.max(axis=0) + 1 - (top, right)) <= margin).all()


def test_any_script_and_no_mathematics():
    figure, axes = plots.new_figure(5, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        word_map(axes, np.random.default_rng(0).uniform(-1, 1, (4, 2)), ["$x_$", "日本語", "🐶", "العربية"])
        display_lists(figure)


def test_bad_input_is_named():
    _, axes = plots.new_figure(3, 3)
    with pytest.raises(ValueError, match=r"points must be an array of shape \(2, 2\).*got shape \(3, 2\)"):
        word_map(axes, np.zeros((3, 2)), ["a", "b"])
    with pytest.raises(ValueError, match="points must be"):
        word_map(axes, [[np.nan, 0]], ["a"])
    with pytest.raises(ValueError, match="words must be a list of strings; got 'a'"):
        word_map(axes, [[0, 0]], "a")
    for colours in (["red"], ["red"] * 3, [], "red"):
        with pytest.raises(ValueError, match="colours must be one for each of 2 words; got"):
            word_map(axes, np.zeros((2, 2)), ["a", "b"], colours=colours)
    word_map(axes, np.zeros((2, 2)), ["a", "b"], colours=np.eye(2, 3))


def test_the_points_are_the_maps_own():
    figure, axes = plots.new_figure(5, 5)
    points = np.zeros((1, 2))
    words = word_map(axes, points, ["a"])
    before = display_lists(figure)
    points[:] = 0.9
    words.stale = True
    assert display_lists(figure) == before


def test_other_words_are_recorded_as_if_they_had_been_there_from_the_start():
    points, colours = np.random.default_rng(0).uniform(-1, 1, (4, 2)), ["red", "C1", "C2", "k"]
    figure, axes = plots.new_figure(4, 4)
    words = word_map(axes, points, WORDS[:4])
    display_lists(figure)
    words.set_data(-points, WORDS[4:8], colours)
    anew, axes = plots.new_figure(4, 4)
    word_map(axes, -points, WORDS[4:8], colours=colours)
    assert display_lists(figure) == display_lists(anew)


def test_a_ring_has_the_edge_of_its_colour_and_shows_what_lies_below():
    figure, axes = plots.new_figure(3, 3)
    words = word_map(axes, [[0, 0], [0.5, 0]], ["a", "b"], colours=["red", "blue"], rings=[True, False])
    plain, _ = (fully_drawn(figure), words.set_data([[0, 0], [0.5, 0]], ["a", "b"], ["red", "blue"]))
    full = fully_drawn(figure)
    across, down = axes.transData.transform([0, 0]).round().astype(int)
    middle = len(full) - 1 - down, across
    assert (plain[middle] == plain[0, 0]).all()  # the ground
    assert (full[middle][:3] == [255, 0, 0]).all()
    near = plain[middle[0] - 8 : middle[0] + 9, across - 8 : across + 9, :3]
    assert (near == [255, 0, 0]).all(axis=2).sum() > 10  # its edge
    assert (plain[:, across + 20 :] == full[:, across + 20 :]).all()  # the other is a dot in both


@pytest.mark.parametrize("rings", [[True], [1, 0], "ab", [[True, False]]])
def test_rings_that_are_not_one_for_each_word_are_named(rings):
    _, axes = plots.new_figure(3, 3)
    with pytest.raises(ValueError, match="rings must be one bool for each of 2 words; got"):
        word_map(axes, np.zeros((2, 2)), ["a", "b"], rings=rings)


def test_a_line_leads_from_each_word_to_that_which_is_given_and_labels_keep_off_it():
    _, axes = plots.new_figure(5, 4)
    points = np.array([[-0.8, 0], [0.8, 0], [0, 0.7]])
    words = word_map(axes, points, ["a", "b", "c"], to=[1, 0, 0], in_order=True)
    far, near = (links(words, n) for n in (0, 1))
    assert np.array_equal(far[0], points[[[2, 0]]]) and np.array_equal(near[0], points[[[0, 1], [1, 0]]])
    assert [to_hex(lines.get_edgecolor()) for lines in words._lines] == [plots.LIGHT, "#000000"]
    heads = np.concatenate([near[1], far[1]])
    for (one, tip, other), (start, end) in zip(heads, points[[[0, 1], [1, 0], [2, 0]]], strict=True):
        assert 0 < np.linalg.norm(end - tip) < 0.1 < np.linalg.norm(end - (one + other) / 2)
        assert abs(np.cross([*(end - start), 0], [*(end - tip), 0])).max() < 1e-12  # it is on the line
    words.set_data(points * 0.15, ["a", "b", "c"], to=[1, 0, 0])  # lines of 0.24 and 0.16
    (one, tip, other), _ = np.concatenate([links(words, n)[1] for n in (0, 1)])
    assert 0.04 < np.linalg.norm(tip - (one + other) / 2) < 0.075  # smaller, and so two fit
    words.set_data(points / 10, ["a", "b", "c"], to=[1, 2, 0])
    assert not len(links(words, 0)[1])  # no room
    words.set_data(points, ["a", "b", "c"], to=[1, 0, 0])
    (left, line), (right, _) = axes.transData.transform(points[:2])
    for start, bottom, end, top, *_ in words._places()[:2]:
        assert top < line or bottom > line or end < left or start > right
    words.set_data(points, ["a", "b", "c"])  # again in order
    assert np.array_equal(links(words, 0)[0], points[[[0, 1], [1, 2]]])


def test_a_line_bends_round_a_dot_that_is_in_its_way_and_both_directions_are_one():
    _, axes = plots.new_figure(5, 4)
    points = np.array([[-0.8, 0], [0.8, 0], [0.1, 0.02]])
    words = word_map(axes, points, ["a", "b", "c"], to=[1, 0, 0])
    curves = words._lines[0].get_path().vertices[:9].reshape(3, 3, 2)
    t = np.linspace(0, 1, 100)[:, None]
    start, control, end = curves[0]
    along = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    assert 0.075 <= np.hypot(*(along - points[2]).T).min() < 0.15
    assert np.array_equal(curves[1], curves[0, ::-1])
    assert np.allclose(curves[2, 1], curves[2, [0, 2]].mean(axis=0))  # nothing is in the way of the third
    crowd = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    words.set_data(crowd, [f"w{n}" for n in range(400)], to=np.roll(range(400), 1))  # no room to bend
    curves = words._lines[0].get_path().vertices[:1200].reshape(400, 3, 2)
    assert np.allclose(curves[:, 1], curves[:, [0, 2]].mean(axis=1))


def test_after_the_same_way_the_same_lines_leave_the_labels_where_they_were():
    random = np.random.default_rng(1)
    way, to = random.uniform(-1, 1, (5, 11, 2)), random.integers(0, 11, (5, 11))
    shown = []
    for first in (0, 3):
        figure, axes = plots.new_figure(5, 5)
        words = word_map(axes, way[0], WORDS, to=to[0])
        for n in (first, 4):
            words.set_data(way[n], WORDS, to=to[n], way=way[:n])
            lists = display_lists(figure)
        shown.append(lists)
    assert shown[0] == shown[1]


@pytest.mark.parametrize("to", [[1], [0, 2], [0.0, 1.0], [-1, 0], [[0, 1]], 1, "ab", [True, False]])
def test_lines_that_do_not_lead_to_words_are_named(to):
    _, axes = plots.new_figure(3, 3)
    with pytest.raises(ValueError, match="to must be the number of a word for each of 2 words; got"):
        word_map(axes, np.zeros((2, 2)), ["a", "b"], to=to)


def links(words, n):
    """The starts and ends of the grey lines (n = 0) or the black ones (1), (lines, 2, 2), and their heads."""
    path = words._lines[n].get_path()
    curves = path.vertices[: 3 * (np.count_nonzero(path.codes == path.CURVE3) // 2)].reshape(-1, 3, 2)
    return curves[:, [0, 2]], path.vertices[3 * len(curves) :].reshape(-1, 3, 2)


def sides(words):
    """Where each label stands, seen from its dot, in pixels; (words, 2)."""
    dots = words.axes.transData.transform(words._points)
    places = np.array([place[:4] for place in words._places()])
    return (places[:, :2] + places[:, 2:]) / 2 - dots


def test_labels_keep_the_side_that_they_had_on_the_way_there():
    _, axes = plots.new_figure(5, 5)
    before, after = np.random.default_rng(7).uniform(-0.8, 0.8, (2, 11, 2))
    ways = [before + share * (after - before) for share in np.linspace(0, 1, 30)]
    words = word_map(axes, before, WORDS)

    def jumps(has_way):
        found = []
        for n, points in enumerate(ways):
            words.set_data(points, WORDS, way=ways[:n] if has_way else ())
            found.append(sides(words))
        return (np.hypot(*np.diff(found, axis=0).T) > 6).sum()

    assert jumps(has_way=True) < 0.7 * jumps(has_way=False)
    last = sides(words)
    words.set_data(before, WORDS)
    words.set_data(after, WORDS, way=ways[:-1])
    assert unclear(words) == [] and words.hidden() == []
    anew = word_map(plots.new_figure(5, 5)[1], before, WORDS)
    anew.set_data(after, WORDS, way=ways[:-1])
    assert (sides(anew) == sides(words)).all()  # whatever was drawn before
    words.set_data(after, WORDS)
    assert (sides(words) == last).all()
    with pytest.raises(ValueError, match=re.escape("way must be an array of shape (11, 2)")):
        words.set_data(after, WORDS, way=[np.zeros((10, 2))])


def test_labels_are_beside_their_dots_in_a_pdf(tmp_path):
    figure, axes = plots.new_figure(5, 5)
    heights = []
    words = word_map(axes, [[0, 0.5]], ["word"])
    figure.savefig(tmp_path / "map.png")
    place = words._places()[0]

    class Renderer(RendererBase):  # y grows upwards, as in a PDF
        height = 360.0

        def flipy(self):
            return False

        def draw_path(self, *_):
            pass

        def draw_text(self, pen, x, y, *rest, **options):
            heights.append(y)

    words.draw(Renderer())
    assert abs(heights[0] - (place[1] + place[4])) <= 1


@pytest.mark.parametrize("shift", [0.02, 0.05, 0.1])
def test_no_label_lies_nearer_to_another_dot_than_to_its_own(shift):
    figure, axes = plots.new_figure(5, 5)
    points = np.array([[0, 0], [shift, 0], [0.5, 0.5], [0.5, 0.5 + shift]])
    words = word_map(axes, points, ["10 wolf", "4 green", "king", "queen"])
    display_lists(figure)
    assert unclear(words, margin=1) == []


def test_a_label_that_two_dots_could_own_has_a_thin_line_that_touches_neither_another_dot_nor_a_label():
    figure, axes = plots.new_figure(5, 3)
    cross = [(0, 0), (0.14, 0), (-0.14, 0), (0, 0.14), (0, -0.14)]
    words = word_map(axes, cross, WORDS[:5])
    display_lists(figure)
    assert words.hidden() == [] and unclear(words) == []
    assert [place[5] for place in words._places()] == [True] + [False] * 4


def test_labels_keep_apart_and_none_stands_in_the_corner_of_its_dot_beside_another():
    figure, axes = plots.new_figure(4, 3)
    names = ["football", "basketball", "wolf", "green", "king"]
    points = [(0.1, 0), (0, 0.12), (0.8, 0), (0.85, -0.14), (-0.9, 0.05)]
    words = word_map(axes, points, names, in_order=True)
    for shift in np.linspace(0, 0.3, 31):  # football and wolf go down
        words.set_data(np.subtract(points, np.outer([1, 0, 1, 0, 0], [0, shift])), names)
        display_lists(figure)
        assert words.hidden() == touching(words) == astray(words) == []


def test_where_the_alphabetical_order_leaves_a_label_unclear_the_reverse_is_tried():
    figure, axes = plots.new_figure(4, 3)
    rows = [(2, -2), (0, -1), (-2, -1), (0, 1), (1, -3), (-1, 1), (-2, 3), (2, -3)]
    words = word_map(axes, np.divide(rows, 10), WORDS[:8])
    display_lists(figure)
    assert words.hidden() == unclear(words) == touching(words) == []


def test_words_in_order_are_numbered_and_a_line_joins_them_below_their_labels():
    _, axes = plots.new_figure(5, 5)
    words = word_map(axes, [[-1, 0], [0, 0], [1, 0]], ["the", "dog", "bites"], in_order=True, width=1.5)
    assert axes.get_xlim() == (-1.5, 1.5)
    words.set_data([[-1, 0.5], [0, 0], [0.1, 0.02], [1, 0]], ["a", "dog", "saw", "me"])
    drawn, heads = links(words, 0)
    assert not len(heads) and not len(links(words, 1)[0])
    assert drawn[..., 0].tolist() == [[-1, 0], [0, 0.1], [0.1, 1]]
    assert words._lines[0].get_zorder() < words.get_zorder()
    words.set_data([[5, 5]] * 2, ["outside", "too"])
    assert words.hidden() == ["0 outside", "1 too"]


def test_a_label_keeps_off_the_line_where_it_can_and_hides_it_where_it_cannot():
    figure, axes = plots.new_figure(5, 5)
    words = word_map(axes, [[-1, 0], [0, 0], [0.9, 0]], ["a", "b", "c"], in_order=True)
    display_lists(figure)
    left, bottom, right, top = boxes(words)[1]
    assert not bottom < axes.transData.transform((0, 0))[1] < top
    star = [
        point for angle in np.arange(16) * np.pi / 8 for point in ((0, 0), (np.cos(angle), np.sin(angle)))
    ]
    words.set_data(star, [f"w{n}" for n in range(32)])
    words._lines[0].set_edgecolor("red")
    drawn = fully_drawn(figure)[::-1]
    for left, bottom, right, top in boxes(words)[:, :4].round().astype(int):
        assert not (drawn[bottom + 1 : top - 1, left + 1 : right - 1] == (255, 0, 0)).all(axis=2).any()


def test_a_line_between_dots_goes_on_faintly_below_a_label_and_one_to_a_label_is_dotted():
    figure, axes = plots.new_figure(5, 3)
    star = [
        point for angle in np.arange(16) * np.pi / 8 for point in ((0, 0), (np.cos(angle), np.sin(angle)))
    ]
    words = word_map(axes, star, [f"w{n}" for n in range(32)], in_order=True)
    words._lines[0].set_edgecolor("red")
    drawn = fully_drawn(figure)[::-1].astype(int)
    faint = 0
    for left, bottom, right, top in boxes(words).round().astype(int):
        red, *others = np.moveaxis(drawn[bottom + 1 : top - 1, left + 1 : right - 1], 2, 0)
        faint += ((red > 240) & (others[0] > 120) & (others[0] < 200)).sum()
    assert faint > 50
    words = word_map(plots.new_figure(5, 3)[1], np.zeros((11, 2)), WORDS)
    shown = str(display_lists(words.figure))
    assert any(place[5] for place in words._places()) and re.search(r"dashes\W+\d", shown)


def test_labels_follow_what_moves_them():
    figure, axes = plots.new_figure(5, 5)
    words = word_map(axes, [[0, 0]], ["king"])
    first = words._places()
    assert words._places() is first  # a frame asks twice
    for change in (lambda: axes.set_xlim(-2, 3), lambda: figure.set_dpi(150)):
        change()
        assert words._places() != first
        first = words._places()


def test_many_words_do_not_freeze_it():
    figure, axes = plots.new_figure(5, 5)
    rng = np.random.default_rng(0)
    words = word_map(axes, rng.uniform(-1, 1, (400, 2)), [f"word{n}" for n in range(400)], in_order=True)
    display_lists(figure)
    start = time.process_time()  # seconds of work: on a busy machine the clock on the wall says more
    words.set_data(rng.uniform(-1, 1, (400, 2)), [f"word{n}" for n in range(400)])
    words.hidden()
    display_lists(figure)
    assert time.process_time() - start < 2
