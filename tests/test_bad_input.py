"""Values that would give a wrong number are refused, in words that name the argument and the value.

A row of the table is a function, a call of it that works, and bad values for some of the arguments.
"""

import re

import numpy as np
import pytest
import torch

import pe_helpers as pe
from pe_helpers.figures import choice, log_slider, plots, slider

POSITIONS = [-1, 2.5, None, "abc", np.ones((2, 2)), [1, np.nan], [1j]]
MATRICES = [3, [1, 2], [["a"]], None, [[1, np.inf]], torch.ones(2, 2, 2)]
RATES = [3, "abc", [[1.0]], [np.nan], [np.inf, 1], [1j]]
NOT_POSITIVE = [0, -1, np.nan, np.inf, "2", None]
COUNTS = [0, -1, 2.5, "2", None]
BASES = [1, 0.5, np.nan, np.inf, "10", None]
DIMENSIONS = [7, 0, -2, 8.0, "8", None]

X, RATES_OF_X = np.ones((4, 8)), pe.angle_rates(8)
ROTATIONS = pe.rotary_table(4, RATES_OF_X)
MASKED = np.ma.masked_array(X, X > 0.5)
DTYPES = ["int32", np.int64, "complex64"]
TABLES = [None, "table", [[1j]], RATES_OF_X, ROTATIONS.real, ROTATIONS[0], ROTATIONS[:3]]
TABLES.append(np.ones((4, 5), complex))


def heatmap(**arguments):
    return plots.heatmap(plots.new_figure(2, 2)[1], **arguments)


FIGURES = [
    (heatmap, {"matrix": np.eye(2)}, {"colours": ["jet"], "limits": [(1, 1), (2, 1), (0, np.nan)]}),
    (heatmap, {"matrix": np.eye(2)}, {"strength": [0, -1, 1.1, np.nan]}),
    (heatmap, {"matrix": np.eye(2), "strength": 0.5}, {"colours": ["magnitude"]}),
    (heatmap, {"matrix": np.eye(2), "numbers": "{:.1f}"}, {"colours": ["magnitude", "angle"]}),
    (slider, {"low": 0, "high": 5}, {"high": [0, -1], "start": [9, -1], "step": [-1, "x", np.nan]}),
    (log_slider, {"low": 1, "high": 10}, {"low": [0, -1, None], "high": [1, 1.1], "start": [0.5, 20]}),
    (choice, {"options": ["a", "b"]}, {"start": ["c", 3]}),
]

TABLE = [
    (
        pe.angle_rates,
        {"d_model": 8},
        {"d_model": DIMENSIONS, "base": BASES, "spacing": ["papers", None]},
    ),
    (pe.angles, {"positions": 4, "d_model": 8}, {"positions": POSITIONS, "base": [1]}),
    (
        pe.sinusoidal,
        {"positions": 4, "d_model": 8},
        {
            "positions": POSITIONS,
            "layout": ["halves", None],
            "dtype": DTYPES,
        },
    ),
    (
        pe.sinusoidal,
        {"positions": torch.arange(4), "d_model": 8},
        {"dtype": [torch.complex64]},
    ),
    (
        pe.shift_matrix,
        {"offset": 4, "d_model": 8},
        {"offset": [np.nan, np.inf, "1", None], "layout": ["halves"], "spacing": ["papers"], "base": [1]},
    ),
    (pe.layout_permutation, {"d_model": 8}, {"d_model": DIMENSIONS}),
    (pe.dot_products, {"x": np.eye(2)}, {"x": MATRICES}),
    (pe.cosine_similarity, {"x": np.eye(2)}, {"x": MATRICES}),
    (pe.euclidean_distances, {"x": np.eye(2)}, {"x": MATRICES}),
    (pe.pearson_correlation, {"x": np.eye(2)}, {"x": MATRICES}),
    (
        pe.apply_rotary,
        {"x": X, "positions": 4},
        {
            "x": [
                [1, 2],
                [["a"]],
                None,
                MASKED,
                X + 1j,
                torch.ones(3),
                X[:, :7],
                X[:, :1],
            ],
            "positions": POSITIONS,
            "rates": [*RATES, torch.ones(4, requires_grad=True)],
            "layout": ["halves", None],
            "base": [1],
        },
    ),
    (
        pe.rotary_table,
        {"positions": 4, "rates": RATES_OF_X},
        {"positions": POSITIONS, "rates": RATES, "dtype": ["int32", np.int64, "complex64"]},
    ),
    (
        pe.rotate_pairs,
        {"x": X, "table": ROTATIONS},
        {"x": [[["a"]], None, X + 1j, X[0]], "table": TABLES, "layout": ["halves"]},
    ),
    (pe.rotate_pairs, {"x": torch.ones(4, 8), "table": ROTATIONS}, {"table": TABLES}),
    (
        pe.interpolate_rates,
        {"d_head": 8, "factor": 2},
        {"d_head": DIMENSIONS, "factor": NOT_POSITIVE, "base": BASES},
    ),
    (pe.ntk_rates, {"d_head": 8, "factor": 2}, {"d_head": [7], "factor": NOT_POSITIVE, "base": [1]}),
    (
        pe.dynamic_ntk_rates,
        {"d_head": 8, "factor": 2, "length": 100, "trained_length": 50},
        {"d_head": [7], "factor": [0], "length": NOT_POSITIVE, "trained_length": NOT_POSITIVE, "base": [1]},
    ),
    (
        pe.yarn_rates,
        {"d_head": 8, "factor": 2, "trained_length": 50},
        {
            "d_head": [7],
            "factor": NOT_POSITIVE,
            "trained_length": NOT_POSITIVE,
            "base": [1],
            "alpha": NOT_POSITIVE,
            "beta": [1, 0.5, np.inf, "2", None],
        },
    ),
    (pe.yarn_attention_factor, {"factor": 2}, {"factor": NOT_POSITIVE}),
    (
        pe.llama3_rates,
        {"d_head": 8, "factor": 2, "trained_length": 50},
        {
            "d_head": [7],
            "factor": NOT_POSITIVE,
            "trained_length": NOT_POSITIVE,
            "base": [1],
            "low_freq_factor": NOT_POSITIVE,
            "high_freq_factor": [0.5, 0, np.inf, "2", None],
        },
    ),
    (
        pe.rates_from_config,
        {"config": {"type": "linear", "factor": 2}, "d_head": 8},
        {"config": [None, 3, [1]], "d_head": DIMENSIONS[:-1]},
    ),
    (pe.rope_parameters, {"config": {"type": "linear", "factor": 2}}, {"config": [None, 3, [1]]}),
    (
        pe.layers_from_config,
        {"config": {"model_type": "llama", "num_hidden_layers": 1, "head_dim": 8, "rope_theta": 500}},
        {"config": [None, 3, [1]], "length": [0, -1, 2.5, "2"]},
    ),
    (pe.alibi_slopes, {"heads": 8}, {"heads": COUNTS}),
    (
        pe.alibi_bias,
        {"heads": 8, "positions": 4},
        {"heads": COUNTS, "positions": POSITIONS, "dtype": ["int32", np.int64]},
    ),
    (
        pe.t5_bucket,
        {"relative_position": [1]},
        {
            "relative_position": [[0.5], "abc", None, [1j], torch.ones(2)],
            "buckets": [*COUNTS, 3],
            "max_distance": [*COUNTS, 8],
        },
    ),
    (
        pe.t5_bucket,
        {"relative_position": [1], "bidirectional": False},
        {"buckets": [1], "max_distance": [16]},
    ),
    *FIGURES,
]


def is_plain(value):
    return value is None or isinstance(value, str | int | float | tuple | type | torch.dtype)


def shown(value):
    """The value as it stands in the name of a test: short, and the same in every process."""
    if isinstance(value, np.ndarray | torch.Tensor):
        return f"{type(value).__name__} of {value.dtype} {tuple(value.shape)}"
    words = repr(value)
    return words if len(words) < 40 else words[:40] + "…"


CASES = [
    pytest.param(function, valid, argument, value, id=f"{function.__name__}-{argument}-{shown(value)}")
    for function, valid, bad in TABLE
    for argument, values in bad.items()
    for value in values
]


@pytest.mark.parametrize(
    ("function", "valid"), [row[:2] for row in TABLE], ids=[row[0].__name__ for row in TABLE]
)
def test_the_call_with_good_values_works(function, valid):
    function(**valid)


@pytest.mark.parametrize(("function", "valid", "argument", "value"), CASES)
def test_a_bad_value_is_refused_by_name(function, valid, argument, value):
    with pytest.raises(ValueError) as caught:
        function(**valid | {argument: value})
    message = str(caught.value)
    assert re.match(rf"{argument}\S* must be .+; got .+", message, re.S), message
    if is_plain(value):
        assert message.endswith(f"; got {value!r}"), message


@pytest.mark.parametrize(
    "call",
    [
        lambda: pe.apply_rotary(X, 3),
        lambda: pe.apply_rotary(X, torch.arange(5)),
        lambda: pe.apply_rotary(X, 4, rates=np.ones(5)),
    ],
)
def test_positions_and_rates_that_do_not_fit_are_refused(call):
    with pytest.raises(
        ValueError, match="table must be complex, 4 positions × at most 4 rates for this x, or two such real"
    ):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: pe.dot_products([[1], [1, 2]]),
        lambda: pe.dot_products([[torch.ones((), device="meta")]]),  # no list for NumPy
        lambda: pe.sinusoidal(4, 8, dtype="foo"),
        lambda: pe.sinusoidal(4, 8, base=10**400),
        lambda: pe.t5_bucket([1], max_distance=2**63),
    ],
)
def test_what_python_and_the_libraries_refuse_is_refused(call):
    with pytest.raises((ValueError, TypeError, AttributeError, OverflowError, RuntimeError)):
        call()
