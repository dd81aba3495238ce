"""What notebook 00 says without a number, and that it is no matter of its own random numbers."""

import re

import nbformat
import numpy as np
import pytest

from live_figures._narrow import narrow
from pe_helpers import sinusoidal
from pe_helpers.figures import plots
from pe_helpers.models import load_trained
from tests.conftest import run_notebook
from tools.course import NOTEBOOKS

SEEDS = range(100)


@pytest.fixture(scope="module")
def names():
    return run_notebook(NOTEBOOKS[0]).names


@pytest.fixture(scope="module")
def weights_of_bites(names):
    def weights(words, w_query, w_key):  # {word and how often it came before: weight}
        found = names["attention_weights"](names["placed"](words), w_query, w_key)[2]  # (5,)
        return {(word, words[:n].count(word)): found[n] for n, word in enumerate(words)}

    return weights


def test_00_what_is_worked_out_on_paper(names):
    """Parts of 2, 1 and 4 are near enough to say two digits of the outputs; the formula does the same."""
    before = run_notebook(NOTEBOOKS[0]).before["exercise-1"]
    x, swap, outputs = before["x"], before["swap"], before["outputs"]
    parts = 2.0 ** before["products"]
    assert parts[1].tolist() == [2, 1, 4] and parts[0].tolist() == [1, 2, 1]
    on_paper = parts / parts.sum(axis=1, keepdims=True) @ x
    assert np.allclose(on_paper[1].round(1), [1.4, 0.1]) and np.allclose(outputs[1].round(1), [1.4, 0.1])
    assert np.allclose(on_paper[0], [0.75, 0.5]) and np.allclose(outputs[0].round(2), [0.74, 0.5])
    assert np.allclose(names["attention"](x, swap, np.eye(2), np.eye(2)), outputs)
    assert before["weights"][1].argmax() == 2
    sums = before["wrong"].sum(axis=1)  # the dog hears too little, bites too much
    assert sums[0] < 0.9 and sums[1] > 1.1


def test_00_the_outputs_move_with_their_words(names):
    before, after, order = names["before"], names["after"], names["order"]
    assert np.allclose(after, before[order]) and not np.allclose(after[1], before[1], atol=0.1)
    assert max(before.max(), after.max()) <= 1.5  # the end of the colours


def test_00_without_positions_no_head_points_at_the_subject_in_both(names, weights_of_bites):
    """With hands nearly every head has other weights, without them none has."""
    pair = names["dog_first"], names["man_first"]
    for seed in SEEDS:
        w_query, w_key = np.random.default_rng(seed).normal(size=(2, 4, 4))
        seeing = [weights_of_bites(words, w_query, w_key) for words in pair]
        assert max(abs(seeing[0][word] - seeing[1][word]) for word in seeing[0]) > 1e-6
        w_query[2:], w_key[2:] = 0, 0  # the hands have no say
        blind = [weights_of_bites(words, w_query, w_key) for words in pair]
        assert all(np.isclose(blind[0][word], blind[1][word]) for word in blind[0])


def test_00_the_subject_head(names):
    """Only in one sentence another bar becomes the longest; the presets point where they say."""

    def longest(words, loudness, k):
        return words[names["weights_of_bites"](words, loudness, k).argmax()]

    dog_first, man_first = names["dog_first"], names["man_first"]
    louder = [[longest(words, loudness, -1) for loudness in range(13)] for words in (dog_first, man_first)]
    assert list(dict.fromkeys(louder[0])) == ["man", "dog"] and louder[0][9] == "dog"
    assert set(louder[1]) == {"man"}
    assert [longest(words, 9, 2) for words in (dog_first, man_first)] == ["man", "dog"]
    hands = names["hands"]
    assert np.isclose(hands([1])[0] @ hands([4])[0], 0)


def test_00_what_bites_asks_is_a_matrix_times_its_numbers(names, weights_of_bites):
    """So the formula of section 2 gives the same weights; and the products are those of the text."""
    placed, hands, query_of_bites = (names[name] for name in ("placed", "hands", "query_of_bites"))
    pair = names["dog_first"], names["man_first"]
    for loudness, k in ((9, -1), (9, 2), (0, -1), (4, 1)):
        s, c = hands([k])[0]
        w_query = np.zeros((4, 4))
        w_query[:2, :2], w_query[2:, 2:] = 3 * names["swap"], loudness * np.array([[c, -s], [s, c]])
        for words in pair:
            assert np.allclose(placed(words)[2] @ w_query, query_of_bites(loudness, k))
            found = list(weights_of_bites(words, w_query, np.eye(4)).values())
            assert np.allclose(found, names["weights_of_bites"](words, loudness, k))
    products = [placed(words) @ query_of_bites(9, -1) for words in pair]  # (5,) each
    assert np.allclose([products[0][[1, 4]], products[1][[4, 1]]], [[3 + 9, 6], [3, 6 + 9]])


def test_00_creatures_count_threefold_to_drown_out_the(names):
    """With the plain query *dog* would get less, and the two beside it more."""
    keys, plain = names["placed"](names["dog_first"]), names["query_of_bites"](9, -1)
    loud = names["weights_of_bites"](names["dog_first"], 9, -1)
    plain[:2] /= 3
    parts = np.exp(keys @ plain / 2)
    before = parts / parts.sum()
    assert loud[1] > before[1] + 0.1 and (loud[[0, 2]] < before[[0, 2]] / 2).all()


def test_00_the_title_of_the_clock_says_what_is_seen(names):
    """Without loudness there is no blue hand: nothing may call it blue."""
    clock = names["clock"]
    for loudness in (9, 0, 1):
        names["update"](loudness, -1)
        length = np.ptp(names["asked"].get_xydata(), axis=0).max()
        assert ("Blue" in clock.get_title()) == (length > 0)


def test_00_on_a_phone_the_clock_comes_first_and_all_stand_close(names):
    """Who moves k sees the hand turn, and on a screen of 812 pixels the bars of one sentence, at least."""
    clock = names["clock"]
    bars = [axes for axes in clock.figure.axes if axes is not clock]
    with narrow(clock.figure, 340):
        assert len(bars) == 2 and max(axes.bbox.y1 for axes in bars) < clock.bbox.y0
        assert clock.bbox.y1 - min(axes.bbox.y0 for axes in bars) < 540


def test_00_the_query_of_the_table_is_that_of_the_text(names):
    """For its subject, with loudness 9; a hand that agrees adds the loudness."""
    before = run_notebook(NOTEBOOKS[0]).before["exercise-1"]
    query, dog = before["query"], before["dog"]
    assert np.allclose(query, names["query_of_bites"](9, -1)) and np.allclose(
        dog, names["placed"](names["dog_first"])[1]
    )
    assert query[:2].tolist() == [3, 0] and np.isclose(query[2:] @ dog[2:], 9) and np.isclose(query @ dog, 12)


def test_00_the_hands_on_their_dial(names):
    """A hand for each word, as many hours on as words before it; beside it, what one o'clock makes of it."""
    _, clock = plots.new_figure(3, 3)
    names["dial"](clock, ["a", "b", "c", "d"], "hands")
    face, hours, *lines = clock.lines
    ends = np.array([line.get_xydata()[1] for line in lines])  # (4, 2)
    assert np.allclose(ends, names["hands"](range(4))) and len(hours.get_xydata()) == 12
    assert np.allclose(np.linalg.norm(face.get_xydata(), axis=1), 1)
    written = [text.get_position() for text in clock.texts]  # each outside, on the side of its hand
    assert [text.get_text() for text in clock.texts] == ["a", "b", "c", "d"]
    assert (np.sum(ends * written, axis=1) > 1.1).all()
    (agree,) = names["agree"].values()
    assert agree.round(2).tolist() == [0.87, 1, 0.87, 0.5, 0]
    twelve, three = names["hands"]([0, 3]).round(9)
    assert twelve.tolist() == [0, 1] and three.tolist() == [1, 0]  # as worked out in the text


def test_00_the_weights_at_each_button(names):
    """Word by word: without positions both sentences have the same weights, with them no word has."""
    heard = np.array(names["heard"]).reshape(3, 2, 5)  # (button, sentence, word of the first sentence)
    for (first, second), (button, at) in zip(heard, names["presets"].items(), strict=True):
        for words, found in ((names["dog_first"], first), (names["man_first"], second)):
            weights = names["weights_of_bites"](words, **at)
            told = {word: weights[words.index(word)] for word in ("dog", "bites", "man")}
            assert np.allclose(found[[1, 2, 4]], list(told.values()))
        assert (np.isclose(first, second, atol=1e-9) == (button == "no positions")).all()


def test_00_numbers_of_a_table_have_as_many_decimals_as_those_of_its_bars():
    """Weights are written with two in pictures, too, so they can be compared."""
    cells = nbformat.read(NOTEBOOKS[0], as_version=4).cells
    for said, count in (('axis=0": sums[0]', 6), ('"second the"', 30)):
        (cell,) = [cell for cell in cells if cell.cell_type == "code" and said in cell.source]
        (shown,) = [output.data["text/html"] for output in cell.outputs]
        numbers = re.findall(r"<td>([\d.]+)</td>", shown)
        assert len(numbers) == count and all(re.fullmatch(r"\d\.\d\d", number) for number in numbers)


def test_00_products_grow_like_the_root(names):
    """Of rows of random numbers of both signs; of numbers from 0 to 1 they grow like their count."""
    draw = np.random.default_rng(0)
    signed = [np.std(np.sum(draw.normal(size=(2, 20_000, d)).prod(axis=0), axis=1)) for d in (16, 64)]
    assert signed[1] / signed[0] == pytest.approx(2, rel=0.05)
    positive = [np.mean(np.sum(draw.random((2, 20_000, d)).prod(axis=0), axis=1)) for d in (16, 64)]
    assert positive[1] / positive[0] == pytest.approx(4, rel=0.05)


def test_00_the_doors_hold_whatever_the_numbers(names):
    """The mask is the usual one; heads and a norm pass P on; a second masked layer tells the last word."""
    attention, masked, deep = (names[name] for name in ("attention", "masked", "deep"))
    draw = np.random.default_rng(1)
    x, matrices = draw.normal(size=(5, 16)), draw.normal(size=(3, 16, 16)) / 4
    scores = (x @ matrices[0]) @ (x @ matrices[1]).T / 4
    scores[np.triu_indices(5, k=1)] = -np.inf
    usual = np.exp(scores - scores.max(axis=1, keepdims=True))
    usual = usual / usual.sum(axis=1, keepdims=True) @ (x @ matrices[2])
    assert np.allclose(usual, masked(x, *matrices))

    def two_heads_normed(x):
        x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
        return np.hstack([attention(x, *deep[head, :3, :, :8]) for head in (0, 1)])

    effects = [
        names["order_effect"](f, x, p).max()
        for p in names["orders"]
        for f in (two_heads_normed, names["four_layers"])
    ]
    assert max(effects) < 1e-9
    for seed in SEEDS:
        draw = np.random.default_rng(seed)
        words, here = draw.normal(size=(5, 16)), [3, 2, 1, 0, 4]
        first, second = draw.normal(size=(2, 3, 16, 16)) / 4
        one, two = masked(words, *first), masked(words[here], *first)
        assert np.allclose(one[4], two[4])
        assert abs(masked(one, *second)[4] - masked(two, *second)[4]).max() > 1e-3


def test_00_only_sines_with_the_identity_keep_the_curve(names):
    same, mixed, unlike = names["cases"].values()  # (60, 60) each
    assert np.allclose(same[1:, 1:], same[:-1, :-1])  # the same all along each diagonal
    assert np.allclose(same, same.T) and (same.argmax(axis=1) == np.arange(60)).all()
    assert np.allclose(np.diag(same), 4)
    assert min(np.ptp(np.diag(mixed, 1)), np.ptp(np.diag(unlike, 1))) > 0.5
    assert abs(unlike - 4 * np.eye(60)).max() < 2  # nothing but the peak
    assert all(scores.min() > -2 and scores.max() < 4.5 for scores in (same, mixed, unlike))  # in the picture
    scores_of, identity = names["position_scores"], (np.eye(64), np.eye(64))
    for seed in SEEDS:
        draw = np.random.default_rng(seed)
        tables = draw.normal(size=(60, 64)), draw.choice([-1, 1], size=(60, 64)) / np.sqrt(2)
        cases = [
            (names["sines"], *draw.normal(size=(2, 64, 64)) / 8),
            *((rows, *identity) for rows in tables),
        ]
        assert all(np.ptp(np.diag(scores_of(*case), 1)) > 0.5 for case in cases)


def test_00_the_wrong_axis_gives_each_copy_one_position(names):
    batch, attention = names["batch"], names["attention"]
    matrices = np.random.default_rng(2).normal(size=(3, 16, 16)) / 4
    wrong, right = batch + names["by_sentence"], batch + names["by_word"]
    assert np.allclose(right - batch, sinusoidal(5, 16))
    apart = [abs(attention(a, *matrices) - attention(b, *matrices)).max() for a, b in (wrong, right)]
    assert apart[0] > 0.1 and apart[1] == 0
    effects = [
        names["order_effect"](lambda x, some=some: attention(x + some, *matrices), batch[1], [4, 3, 2, 1, 0])
        for some in (names["by_sentence"][1], names["by_word"][0])
    ]
    assert effects[0].max() < 1e-9 and effects[1].min() > 0.01


def test_00_the_answers_on_paper(names):
    five, order, orders = (names[name] for name in ("five", "order", "orders"))
    assert names["order_effect"](names["neighbours"], five, names["backwards"]).max() < 1e-9
    assert names["order_effect"](names["first_word"], five, order).max() < 1e-9
    matrices, encoding = np.random.default_rng(3).normal(size=(3, 16, 16)) / 4, sinusoidal(5, 16)
    for p in orders:
        late = [names["attention"](words, *matrices) + encoding for words in (five, five[p])]  # (5, 16) each
        assert np.allclose(*(outputs.mean(axis=0) for outputs in late))
    early = [names["attention"](words + encoding, *matrices) for words in (five, five[order])]  # (5, 16) each
    assert not np.allclose(*(outputs.mean(axis=0) for outputs in early), atol=0.01)


def test_00_a_marked_row_is_framed_and_its_name_stands_out(names):
    _, axes = plots.new_figure(3, 2)
    names["number_map"](axes, np.eye(3), ["one", "two", "three"], "abc", "", "{:.0f}")
    names["mark_row"](axes, 1, plots.ORANGE)
    (frame,) = axes.patches
    assert frame.get_bbox().bounds == pytest.approx((-0.5, 0.54, 3, 0.92))
    axes.figure.draw_without_rendering()
    labels = axes.get_yticklabels()
    assert [label.get_weight() for label in labels] == ["normal", "bold", "normal"]
    assert [label.get_color() == plots.ORANGE for label in labels] == [False, True, False]


def test_00_the_products_that_make_bites_ask_louder(names):
    """Asked as in section 1, *the* comes close to *dog*; with (3, 0) it does not."""
    keys, asks = names["placed"](names["dog_first"]), names["query_of_bites"](9, -1)
    plain = keys @ np.hstack([asks[:2] / 3, asks[2:]])
    assert plain[1] == pytest.approx(10) and plain[0].round(1) == 7.8 == round(9 * 0.87, 1)
    assert (keys @ asks)[1] == pytest.approx(12) and (keys @ asks)[0] == pytest.approx(plain[0])
    prose = "\n".join(cell.source for cell in nbformat.read(NOTEBOOKS[0], as_version=4).cells)
    assert r"$1 + 9 = 10$. *The* and *bites*, an hour off, have $9 \cdot 0.87 \approx 7.8$" in prose


def test_00_each_trained_model_has_a_second_layer():
    for name in ("none", "sinusoidal", "alibi", "rotary"):
        assert len(load_trained(name).model.blocks) == 2
