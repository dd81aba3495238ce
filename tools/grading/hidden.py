"""Cases that no notebook shows, drawn anew for each class: who has copied the results of the others fails.

For each exercise a function of a random generator and of the notebook's names, which gives the arguments of
one case. The exercise's text must allow them; the right results are those of the course's solution. Positions
stay small where float32, which torch students use, would miss a sine by 1e-5 farther out.
"""

import numpy as np

from pe_helpers import angle_rates, apply_rotary, interpolate_rates, ntk_rates, sinusoidal, yarn_rates

DRAWS = {}


def draws(stem, number):
    """Mark a function that draws a case of that exercise."""

    def keep(function):
        DRAWS[stem, number] = function
        return function

    return keep


def even(rng, low, high):
    """An even whole number between low and high."""
    return 2 * int(rng.integers(low // 2, high // 2 + 1))


def whole(rng, low, high):
    """A whole number between low and high."""
    return int(rng.integers(low, high + 1))


def base(rng):
    return round(10 ** rng.uniform(3, 6))


@draws("00_start_here", 1)
def _(rng, names):
    # the layer's name is not enough: where all words are the same, of these only `neighbours` has an effect
    layer = names[rng.choice(["running_mean", "neighbours", "first_word"])]
    words = rng.standard_normal((5, even(rng, 4, 12)))
    return layer, words[[0] * 5] if rng.integers(2) else words


@draws("00_start_here", 2)
def _(rng, names):
    return rng.standard_normal((whole(rng, 1, 6), even(rng, 4, 20))), whole(rng, 8, 300)


@draws("01_formula", 1)
def _(rng, names):
    return whole(rng, 1, 99), even(rng, 8, 200)


@draws("01_formula", 2)
def _(rng, names):
    angle = whole(rng, 0, 999) / 10 ** np.arange(4) + np.deg2rad(rng.uniform(-10, 10, 4))
    return (np.stack([np.sin(angle), np.cos(angle)], axis=1).reshape(8),)


@draws("02_angle_rates", 1)
def _(rng, names):
    candidates = sorted({round(10**power) for power in rng.uniform(2, 6, 4)})
    return whole(rng, 500, 2000), even(rng, 32, 128), [*candidates, 3_000_000]


@draws("02_angle_rates", 2)
def _(rng, names):
    return base(rng), whole(rng, 2, 16), even(rng, 8, 256)


@draws("03_heatmaps", 1)
def _(rng, names):
    positions = whole(rng, 1, 50) + np.arange(whole(rng, 3, 60))
    return (sinusoidal(positions, even(rng, 6, 80), base=base(rng), layout="half"),)


@draws("03_heatmaps", 2)
def _(rng, names):
    return even(rng, 32, 400), whole(rng, 20, 5000), base(rng)


@draws("04_similarity", 1)
def _(rng, names):
    return whole(rng, 1, 200), even(rng, 8, 512)


@draws("04_similarity", 2)
def _(rng, names):
    return even(rng, 32, 512), base(rng)


@draws("05_shift_matrices", 1)
def _(rng, names):
    start, offset = rng.uniform(0, 900), rng.uniform(0.5, 2.9) * rng.choice([-1, 1])
    return tuple(sinusoidal([start, start + offset], even(rng, 8, 64)))


@draws("05_shift_matrices", 2)
def _(rng, names):
    return (sinusoidal(np.arange(whole(rng, 3, 20)) + rng.integers(100), even(rng, 8, 64)),)


@draws("06_embedding_layers", 1)
def _(rng, names):
    texts, length = whole(rng, 2, 5), whole(rng, 4, 8)
    ids = rng.integers(2, 10, (texts, length))
    ids[np.arange(length) >= rng.integers(1, length, (texts, 1))] = 0
    return rng.normal(size=(texts, length, 4)), ids


@draws("06_embedding_layers", 2)
def _(rng, names):
    tables = rng.normal(size=(10, 6)), sinusoidal(30, 6)
    return rng.integers(10, size=whole(rng, 1, 4)), *tables, whole(rng, 1, 25)


@draws("07_words_and_positions", 1)
def _(rng, names):
    words, d = whole(rng, 4, 9), even(rng, 8, 40)
    return rng.uniform(0.1, 0.9), rng.normal(1, 2, (words, d)), sinusoidal(words, d)


@draws("07_words_and_positions", 2)
def _(rng, names):
    d = even(rng, 64, 128)
    return rng.uniform(0.1, 0.35) * d / 2, d


@draws("08_rotary", 1)
def _(rng, names):
    return *rng.standard_normal((2, even(rng, 4, 64))), whole(rng, 0, 50), whole(rng, 0, 50)


@draws("08_rotary", 2)
def _(rng, names):
    return rng.standard_normal(even(rng, 4, 64)), whole(rng, 1, 60)


@draws("09_relative_bias", 1)
def _(rng, names):
    return rng.standard_normal((32, whole(rng, 1, 6))), whole(rng, 10, 180)


@draws("09_relative_bias", 2)
def _(rng, names):
    return 2 ** -rng.uniform(1, 6), rng.uniform(1, 8)


@draws("10_context_extension", 1)
def _(rng, names):
    old, trained, factor = angle_rates(even(rng, 64, 128)), whole(rng, 1000, 8000), whole(rng, 2, 8)
    d = 2 * len(old)
    new = [old, interpolate_rates(d, factor), ntk_rates(d, factor), yarn_rates(d, factor, trained)]
    return old, new[rng.integers(4)], trained, round(trained * rng.uniform(2, 8))


@draws("10_context_extension", 2)
def _(rng, names):
    d, factor = even(rng, 64, 128), whole(rng, 2, 8)
    rates = angle_rates(d), ntk_rates(d, factor)
    return rng.standard_normal(d), whole(rng, 1, 4000), *rates


@draws("11_length_generalisation", 1)
def _(rng, names):
    trained, doublings, seeds = whole(rng, 8, 20), whole(rng, 2, 4), whole(rng, 2, 5)
    blocks = [trained, *(trained * 2**n for n in range(doublings))]
    lost = rng.random((seeds, doublings)) < 0.4
    means = rng.uniform(0.4, 0.6, (seeds, 1)) + np.column_stack([np.zeros(seeds), lost])
    return np.repeat(means, blocks, axis=1), trained, rng.uniform(0.2, 0.8)


@draws("11_length_generalisation", 2)
def _(rng, names):
    return whole(rng, 10, 30), whole(rng, 2, 5), whole(rng, 1, 4)


@draws("12_fourteen_configs", 1)
def _(rng, names):
    models = [name for name in names["LAYERS"] if "DeepSeek" not in name]
    return str(rng.choice(models)), 2 ** whole(rng, 8, 17) + whole(rng, 0, 200)


@draws("12_fourteen_configs", 2)
def _(rng, names):
    return even(rng, 64, 256), 2 ** whole(rng, 12, 20), whole(rng, 4, 25)


@draws("13_decoding", 1)
def _(rng, names):
    return rng.standard_normal((whole(rng, 10, 40), names["d"])), whole(rng, 2, 12)


@draws("13_decoding", 2)
def _(rng, names):
    keys = rng.standard_normal((whole(rng, 3, 12), names["d"]))
    return apply_rotary(keys, len(keys)), whole(rng, 1, 50)


@draws("14_two_dimensions", 1)
def _(rng, names):
    videos = [tuple(map(int, rng.integers(1, 6, 3))) for _ in range(2)]
    return ([whole(rng, 1, 5), videos[0], whole(rng, 1, 5), videos[1], 1],)


@draws("14_two_dimensions", 2)
def _(rng, names):
    return whole(rng, 1, 40), whole(rng, 1, 16), whole(rng, 1, 16)


@draws("15_inside_a_trained_model", 1)
def _(rng, names):
    logits = rng.normal(0, 2, whole(rng, 3, 30))
    return logits, int(rng.integers(len(logits)))


@draws("15_inside_a_trained_model", 2)
def _(rng, names):
    scores = np.tril(np.exp(rng.normal(size=[whole(rng, 5, 20)] * 2)))
    return (scores / scores.sum(axis=1, keepdims=True),)
