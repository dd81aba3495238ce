"""What notebook 00 says without a number, and that it is no matter of its own random numbers."""

import numpy as np
import pytest

from pe_helpers import sinusoidal
from tests.conftest import run_notebook
from tools.course import NOTEBOOKS

SEEDS = range(100)


@pytest.fixture(scope="module")
def names():
    return run_notebook(NOTEBOOKS[0]).before["exercise-1"]


def test_00_the_outputs_move_with_their_words(names):
    before, after, order = names["before"], names["after"], names["order"]
    assert np.allclose(after, before[order]) and not np.allclose(after[1], before[1], atol=0.1)
    assert max(abs(before).max(), abs(after).max()) <= 1.25  # the ends of the colours


def test_00_the_orders_and_the_mask(names):
    """Section 2's table, with room on both sides; the mask is the usual one; heads and a norm pass P on."""
    x, matrices, deep, stays = (names[name] for name in ("x", "matrices", "deep", "stays"))
    any_word = [effect.max() for effect in names["effects"].values()]
    last_word = [effect[stays, 4].max() for effect in names["effects"].values()]
    assert max(any_word[:2]) < 1e-9 < 0.5 < min(any_word[2:])
    assert max(last_word[:3]) < 1e-9 < 0.1 < last_word[3] and sum(stays) == 24

    scores = (x @ matrices[0]) @ (x @ matrices[1]).T / 4
    scores[np.triu_indices(5, k=1)] = -np.inf
    usual = np.exp(scores - scores.max(axis=1, keepdims=True))
    usual = usual / usual.sum(axis=1, keepdims=True) @ (x @ matrices[2])
    assert np.allclose(usual, names["masked"](x, *matrices))

    def two_heads_normed(x):
        x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
        return np.hstack([names["attention"](x, *deep[head, :3, :, :8]) for head in (0, 1)])

    assert max(names["order_effect"](two_heads_normed, x, p).max() for p in names["orders"]) < 1e-9


def test_00_a_second_masked_layer_tells_the_last_word_whatever_the_numbers(names):
    masked = names["masked"]
    for seed in SEEDS:
        draw = np.random.default_rng(seed)
        words, here = draw.normal(size=(5, 16)), [3, 2, 1, 0, 4]
        first, second = draw.normal(size=(2, 3, 16, 16)) / 4
        one, two = masked(words, *first), masked(words[here], *first)
        assert np.allclose(one[4], two[4])
        assert abs(masked(one, *second)[4] - masked(two, *second)[4]).max() > 1e-3


def test_00_position_vectors_change_weights_and_outputs_whatever_the_numbers(names):
    x, encoding, order, attention = (names[name] for name in ("x", "encoding", "order", "attention"))

    def effect_with(vectors, x, matrices):  # (5,): on the outputs, of the swap
        return names["order_effect"](lambda words: attention(words + vectors, *matrices), x, order)

    assert np.allclose(encoding, sinusoidal(5, 16)) and abs(x + encoding).max() < 3
    assert not np.allclose(x[0] + encoding[0], x[3] + encoding[3], atol=0.5)
    assert effect_with(encoding, x, names["matrices"]).min() > 0.1
    for same in (0, encoding[2]):  # none, and the same one everywhere
        assert np.allclose(*names["weights_of_bites"](same))
        assert effect_with(same, x, names["matrices"]).max() < 1e-9
    for seed in SEEDS:
        draw = np.random.default_rng(seed)
        others, matrices = draw.normal(size=(5, 16)), draw.normal(size=(3, 16, 16)) / 4
        others[3] = others[0]
        for vectors in (encoding, draw.normal(size=(5, 16))):
            pair = [
                names["attention_weights"](y + vectors, *matrices[:2])[2] for y in (others, others[order])
            ]
            assert abs(pair[0] - pair[1][order]).max() > 1e-4
            assert effect_with(vectors, others, matrices).min() > 1e-6


def test_00_only_sines_with_the_identity_keep_the_curve(names):
    same, mixed, unlike = names["scores_of"].values()  # (60, 60) each
    assert np.allclose(same[1:, 1:], same[:-1, :-1])  # the same all along each diagonal
    assert np.allclose(same, same.T) and (same.argmax(axis=1) == np.arange(60)).all()
    assert np.allclose(np.diag(same), 4)
    assert min(np.ptp(np.diag(mixed, 1)), np.ptp(np.diag(unlike, 1))) > 0.5
    assert abs(unlike - 4 * np.eye(60)).max() < 2  # nothing but the peak
    assert all(scores.min() > -2 and scores.max() < 4.5 for scores in (same, mixed, unlike))  # in the picture
    scores_of, identity = names["position_scores"], names["identity"]
    for seed in SEEDS:
        draw = np.random.default_rng(seed)
        tables = draw.normal(size=(60, 64)), draw.choice([-1, 1], size=(60, 64)) / np.sqrt(2)
        cases = [
            (names["sines"], *draw.normal(size=(2, 64, 64)) / 8),
            *((rows, *identity) for rows in tables),
        ]
        assert all(np.ptp(np.diag(scores_of(*case), 1)) > 0.5 for case in cases)


def test_00_the_wrong_axis_gives_each_copy_one_position(names):
    shifts, encoding, batch = (names[name] for name in ("shifts", "encoding", "batch"))
    assert np.allclose(shifts[0], encoding[0]) and np.allclose(shifts[1], encoding[1])
    wrong, right = names["add_along_first_axis"], names["add_along_time"]
    assert names["between_copies"](wrong) > 0.1 and names["between_copies"](right) == 0
    assert names["effect_on_a_sentence"](wrong) < 1e-9 < 1 < names["effect_on_a_sentence"](right)
    assert np.allclose(right(batch) - batch, encoding)


def test_00_the_answers_on_paper():
    names = run_notebook(NOTEBOOKS[0]).names
    x, order, encoding, matrices = (names[name] for name in ("x", "order", "encoding", "matrices"))
    assert names["order_effect"](names["neighbours"], x, names["backwards"]).max() < 1e-9
    assert names["order_effect"](names["first_word"], x, order).max() < 1e-9
    late = [names["attention"](words, *matrices) + encoding for words in (x, x[order])]  # (5, 16) each
    assert np.allclose(*(outputs.mean(axis=0) for outputs in late))
    assert np.allclose(*((outputs @ matrices[0]).mean(axis=0) for outputs in late))  # a linear step
    early = [names["attention"](words + encoding, *matrices) for words in (x, x[order])]  # (5, 16) each
    assert not np.allclose(*(outputs.mean(axis=0) for outputs in early), atol=0.01)
