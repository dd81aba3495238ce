"""The encoding and its shift matrix: identities over random arguments, and accuracy."""

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_helpers import (
    angle_rates,
    angles,
    cosine_similarity,
    dot_products,
    euclidean_distances,
    layout_permutation,
    shift_matrix,
    sinusoidal,
)
from tests.strategies import bases, dimensions, layouts, lengths, offsets, spacings, starts


def formula(positions, d_model, base, spacing):
    """The interleaved encoding, written out as slowly as possible."""
    pairs = d_model // 2
    steps = pairs if spacing == "paper" else max(pairs - 1, 1)
    table = np.empty((len(positions), d_model))
    for row, p in enumerate(positions):
        for i in range(pairs):
            angle = float(p) * base ** -(i / steps)
            table[row, 2 * i : 2 * i + 2] = np.sin(angle), np.cos(angle)
    return table


@given(starts, lengths, dimensions, bases, spacings)
def test_ranges_and_other_positions_follow_the_formula(start, length, d, base, spacing):
    positions = np.arange(start, start + length)
    expected = formula(positions, d, base, spacing)
    options = {"base": base, "spacing": spacing}
    assert np.allclose(sinusoidal(positions, d, **options), expected, atol=1e-10)
    shuffled = np.random.default_rng(0).permutation(length)
    assert np.allclose(sinusoidal(positions[shuffled], d, **options), expected[shuffled], atol=1e-10)
    assert np.allclose(sinusoidal(positions + 0.0, d, **options), expected, atol=1e-10)


@given(lengths, dimensions, bases, spacings, layouts)
def test_an_int_means_the_positions_from_zero(length, d, base, spacing, layout):
    options = {"base": base, "spacing": spacing, "layout": layout}
    table = sinusoidal(length, d, **options)
    assert table.shape == (length, d) and table.dtype == np.float64
    assert np.array_equal(table, sinusoidal(np.arange(length), d, **options))


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=30), offsets, dimensions, bases, spacings, layouts)
def test_the_shift_matrix_shifts(positions, offset, d, base, spacing, layout):
    positions, options = np.array(positions), {"base": base, "spacing": spacing, "layout": layout}
    moved = sinusoidal(positions, d, **options) @ shift_matrix(offset, d, **options)
    assert np.allclose(moved, sinusoidal(positions + offset, d, **options), atol=1e-9)


@given(offsets, offsets, dimensions, bases, spacings, layouts)
def test_shift_matrices_are_a_group_of_rotations(a, b, d, base, spacing, layout):
    def shift(offset):
        return shift_matrix(offset, d, base=base, spacing=spacing, layout=layout)

    assert np.allclose(shift(a) @ shift(b), shift(a + b), atol=1e-9)
    assert np.allclose(shift(-a), shift(a).T)
    assert np.allclose(shift(a) @ shift(a).T, np.eye(d))
    assert np.isclose(np.linalg.det(shift(a)), 1)
    assert np.array_equal(shift(0), np.eye(d))


@given(offsets, dimensions, bases)
def test_the_interleaved_shift_matrix_is_block_diagonal(offset, d, base):
    matrix = shift_matrix(offset, d, base=base)
    blocks = np.kron(np.eye(d // 2), np.ones((2, 2)))
    assert not matrix[blocks == 0].any()


@given(lengths, dimensions, bases, spacings)
def test_the_permutation_maps_one_layout_to_the_other(length, d, base, spacing):
    options = {"base": base, "spacing": spacing}
    interleaved = sinusoidal(length, d, **options)
    half = sinusoidal(length, d, layout="half", **options)
    assert np.array_equal(interleaved[:, layout_permutation(d)], half)
    assert np.allclose(half[:, : d // 2], np.sin(angles(length, d, **options)), atol=1e-12)


@given(st.integers(2, 60), dimensions, bases, spacings)
def test_norms_dot_products_and_distances(length, d, base, spacing):
    table = sinusoidal(length, d, base=base, spacing=spacing)
    lags = np.subtract.outer(np.arange(length), np.arange(length))
    kernel = np.cos(lags[..., None] * angle_rates(d, base=base, spacing=spacing)).sum(axis=2)
    assert np.allclose(np.linalg.norm(table, axis=1), np.sqrt(d / 2))
    assert np.allclose(dot_products(table), kernel)
    assert np.allclose(cosine_similarity(table), kernel / (d / 2))
    assert np.allclose(euclidean_distances(table) ** 2, d - 2 * kernel, atol=1e-10)


@given(dimensions, bases)
def test_rates_fall_geometrically_from_one(d, base):
    paper, endpoint = angle_rates(d, base=base), angle_rates(d, base=base, spacing="endpoint")
    assert paper[0] == endpoint[0] == 1
    assert np.allclose(paper, base ** (-np.arange(0, d, 2) / d))
    assert np.isclose(paper[-1], base ** -((d - 2) / d))
    if d > 2:
        assert np.isclose(endpoint[-1], 1 / base, rtol=1e-15)


@given(starts, lengths, dimensions, bases, spacings, layouts)
def test_numpy_and_torch_agree(start, length, d, base, spacing, layout):
    options = {"base": base, "spacing": spacing, "layout": layout}
    positions = np.arange(start, start + length)
    for kind in (positions, positions + 0.25):
        tensor = sinusoidal(torch.asarray(kind), d, dtype=torch.float64, **options)
        assert np.allclose(tensor, sinusoidal(kind, d, **options), rtol=0, atol=1e-12)


def test_what_kind_goes_in_comes_out():
    assert sinusoidal(torch.arange(3), 4).dtype == torch.float32
    assert sinusoidal(torch.arange(3.5), 4, dtype="bfloat16").dtype == torch.bfloat16
    assert sinusoidal([0, 2.5], 4).dtype == np.float64
    assert sinusoidal(range(3), 4, dtype=np.float16).dtype == np.float16
    assert angles(torch.arange(3), 4).dtype == torch.float64
    assert sinusoidal(0, 4).shape == (0, 4)
    previous = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        assert sinusoidal(torch.arange(3), 4).dtype == torch.float64
    finally:
        torch.set_default_dtype(previous)


def test_integers_that_wrap_around_are_not_consecutive():
    positions = np.array([254, 255, 0], dtype=np.uint8)
    assert np.allclose(sinusoidal(positions, 6), sinusoidal([254.0, 255.0, 0.0], 6))
    positions = np.array([2**64 - 1, 0], dtype=np.uint64)
    assert np.allclose(sinusoidal(positions, 6)[1], [0, 1, 0, 1, 0, 1])


def test_gradients_flow_to_fractional_positions():
    position = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    sinusoidal(position, 2, dtype=torch.float64)[0, 0].backward()
    assert np.isclose(position.grad.item(), np.cos(0.5))


@pytest.mark.parametrize("start", [0, 990_000])
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_accuracy_against_extended_precision(start, layout):
    """≤ 1e-9 in float64 and ≤ 2.5e-7 in float32, up to position 10⁶; ranges and single positions."""
    d, positions = 64, np.arange(start, start + 10_001)
    tables = {
        1e-9: [sinusoidal(positions, d, layout=layout), sinusoidal(positions + 0.0, d, layout=layout)],
        2.5e-7: [
            sinusoidal(positions, d, layout=layout, dtype="float32"),
            sinusoidal(torch.asarray(positions), d, layout=layout, dtype=torch.float32).numpy(),
        ],
    }
    rng = np.random.default_rng(1)
    rows = np.append(rng.integers(0, len(positions), 200), len(positions) - 1)
    with mpmath.workdps(40):
        for row, i in zip(rows, rng.integers(0, d // 2, len(rows)), strict=True):
            angle = mpmath.mpf(int(positions[row])) * mpmath.power(10_000, -mpmath.mpf(2 * int(i)) / d)
            sine, cosine = (i, i + d // 2) if layout == "half" else (2 * i, 2 * i + 1)
            for most, both in tables.items():
                for table in both:
                    assert abs(mpmath.sin(angle) - float(table[row, sine])) <= most
                    assert abs(mpmath.cos(angle) - float(table[row, cosine])) <= most


def test_float32_tables_are_the_float64_table_rounded():
    exact = sinusoidal(1_000_001, 16)
    assert abs(sinusoidal(1_000_001, 16, dtype="float32") - exact).max() <= 2.5e-7
