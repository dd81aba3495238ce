"""The notebooks reproduce what other courses printed (`figures`).

The number in a test's name is that of the notebook which it runs (conftest.scope).
"""

import numpy as np

from pe_helpers import angle_rates, shift_matrix, sinusoidal
from tests.conftest import run_notebook
from tests.driving import live_figures
from tools.course import NOTEBOOKS


def names(number):
    return run_notebook(NOTEBOOKS[number]).names


def before(number, tag):
    return run_notebook(NOTEBOOKS[number]).before[tag]


def test_01_step_by_step(figures):
    told, names = figures["step_by_step_torch"], run_notebook(NOTEBOOKS[1]).names
    d, length, decimals = told["d_model"], told["max_sequence_length"], told["printed_decimals"]
    denominators = np.array(told["denominators"])
    assert np.allclose(names["even_denominator"], denominators, rtol=1e-5)
    assert np.allclose(names["odd_denominator"], denominators, rtol=1e-5)
    assert list(names["even_i"]) == [0, 2, 4] and list(names["odd_i"]) == [1, 3, 5]
    expected = np.array(told["encoding"])
    assert names["even_PE"].shape == names["odd_PE"].shape == (length, d // 2)
    tables = {"even_PE": expected[:, 0::2], "odd_PE": expected[:, 1::2], "encoding": expected}
    for name, wanted in tables.items():
        assert np.array_equal(names[name].double().numpy().round(decimals), wanted), name
    assert np.array_equal(np.round(names["double_loop"](length, d), decimals), expected)
    assert np.allclose(names["module"].table, expected, atol=0.6 * 10**-decimals)
    assert np.array_equal(np.round(sinusoidal(length, d, base=told["base"]), decimals), expected)


def test_04_word_embedding_lab(figures):
    told = figures["word_embedding_lab"]
    table = sinusoidal(told["positions"], told["d"])
    assert np.allclose(np.linalg.norm(table, axis=1), told["norm_at_any_position"], atol=1e-6)
    apart = np.linalg.norm(table[2:] - table[:-2], axis=1)
    assert np.allclose(apart, told["norm_of_difference_k2"], atol=1e-6)
    assert np.allclose(names(4)["two_apart"], told["norm_of_difference_k2"], atol=1e-6)


def test_06_embedding_layer_tutorial(figures):
    told, layers = figures["keras_layer"], before(6, "exercise-1")
    assert layers["vocabulary"].words == told["vocabulary"]
    assert layers["ids"].tolist() == told["token_ids"]
    assert np.allclose(layers["fixed_output"], told["fixed_weights_output"], atol=2e-7)


def test_07_word_embedding_lab(figures):
    told, lab = figures["word_embedding_lab"], names(7)
    assert [lab["sentence"], lab["shuffled"]] == told["sentences"]
    assert lab["padded"].shape == (2, told["padded_length"]) and lab["matrix"].shape[1] == told["d"]
    assert np.array_equal(lab["padded"][:, :11] - 1, told["token_ids"])  # the lab has no [UNK]
    weights = [[told["d"] ** 0.5 if w == "sqrt(100)" else w for w in pair] for pair in told["weights"]]
    (live_figure,) = live_figures(NOTEBOOKS[7])
    even = [1, live_figure.settings["1 : 1"]["b"]]
    assert [even, *map(list, lab["all_ratios"].values())] == weights


def test_02_shift_notebook(figures):
    told, rates = figures["shift_notebook"], names(2)
    length, depth = told["num_positions"], told["depth"]
    assert np.allclose(
        rates["linspace_rates"], angle_rates(depth, base=1 / told["min_rate"], spacing="endpoint")
    )
    assert rates["degrees"].shape == (length, depth // 2)
    assert rates["degrees"].min() >= 0 and rates["degrees"].max() < 360


def test_04_shift_notebook(figures):
    told, similarity = figures["shift_notebook"], names(4)
    assert similarity["all_products"][20].argmax() == told["compare_with_position"]
    assert similarity["squared_errors"].argmin() == told["compare_with_position"]


def test_05_shift_notebook(figures):
    told, found = figures["shift_notebook"], names(5)["moved"]
    length, depth, shift = told["num_positions"], told["depth"], told["shift"]
    of_tensorflow = {"spacing": "endpoint", "layout": "half"}
    moved = sinusoidal(length, depth, **of_tensorflow) @ shift_matrix(shift, depth, **of_tensorflow)
    assert np.allclose(found, moved)
    expected = sinusoidal(np.arange(length) + shift, depth, **of_tensorflow)
    assert abs(found - expected).max() < 1e-13
