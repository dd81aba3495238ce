"""Rotation by position, and the rates of the context extensions: identities over random arguments."""

import numpy as np
import pytest
import torch
from array_api_compat import array_namespace
from hypothesis import given
from hypothesis import strategies as st

from pe_helpers import (
    angle_rates,
    apply_rotary,
    dynamic_ntk_rates,
    interpolate_rates,
    layout_permutation,
    llama3_rates,
    ntk_rates,
    rotary_table,
    rotate_pairs,
    shift_matrix,
    sinusoidal,
    yarn_attention_factor,
    yarn_rates,
)
from pe_helpers.encodings import rotary
from pe_helpers.models import RotaryPositions
from tests.strategies import bases, dimensions, factors, layouts, lengths, offsets, seeds, starts

heads = st.lists(st.integers(1, 4), max_size=2).map(tuple)
contexts = st.integers(2, 200_000)


def vectors(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@given(starts, lengths, dimensions, bases, layouts, seeds)
def test_each_row_is_shifted_back_by_its_position(start, length, d, base, layout, seed):
    x, positions = vectors(length, d, seed=seed), np.arange(start, start + length)
    rotated = apply_rotary(x, positions, base=base, layout=layout)
    for row in {0, length // 2, length - 1}:
        matrix = shift_matrix(-positions[row], d, base=base, layout=layout)
        assert np.allclose(rotated[row], x[row] @ matrix, atol=1e-9)


@given(offsets, dimensions, bases, layouts)
def test_the_sinusoidal_encoding_is_rotated_to_position_zero(position, d, base, layout):
    """PE(p) = PE(0) @ T(p), and rotary multiplies by T(-p): the two rotate in opposite directions."""
    options = {"base": base, "layout": layout}
    encoding = sinusoidal([position], d, **options)
    assert np.allclose(apply_rotary(encoding, [position], **options), sinusoidal(1, d, **options), atol=1e-9)


@given(st.tuples(offsets, offsets), offsets, dimensions, bases, layouts, seeds)
def test_the_score_depends_on_the_distance_alone(places, move, d, base, layout, seed):
    query, key = vectors(2, 1, d, seed=seed)

    def score(m, n):
        q, k = (apply_rotary(x, [place], base=base, layout=layout) for x, place in ((query, m), (key, n)))
        return (q @ k.T).item()

    m, n = places
    bound = 1e-9 * np.linalg.norm(query) * np.linalg.norm(key)
    assert abs(score(m, n) - score(m + move, n + move)) <= bound
    between = shift_matrix(n - m, d, base=base, layout=layout)
    assert abs(score(m, n) - (query @ between @ key.T).item()) <= bound


@given(lengths, heads, dimensions, bases, layouts, seeds)
def test_rotation_keeps_every_norm_and_is_undone(length, heads, d, base, layout, seed):
    x, positions = vectors(*heads, length, d, seed=seed), vectors(length, seed=seed) * 1000
    rotated = apply_rotary(x, positions, base=base, layout=layout)
    assert rotated.shape == x.shape
    assert np.allclose(np.linalg.norm(rotated, axis=-1), np.linalg.norm(x, axis=-1))
    assert np.allclose(apply_rotary(rotated, -positions, base=base, layout=layout), x)
    table = rotary_table(positions, angle_rates(d, base=base))
    assert np.allclose(rotate_pairs(rotated, table.conj(), layout=layout), x)


@given(starts, starts, lengths, dimensions, bases)
def test_tables_multiply_as_positions_add(start, offset, length, d, base):
    rates, positions = angle_rates(d, base=base), np.arange(start, start + length)
    product = rotary_table(positions, rates) * rotary_table([offset], rates)
    assert np.allclose(rotary_table(positions + offset, rates), product, atol=1e-10)
    assert np.allclose(rotary_table(positions + 0.0, rates), rotary_table(positions, rates), atol=1e-10)


@given(starts, lengths, dimensions, bases, st.sampled_from(["float32", "float64"]))
def test_the_table_holds_the_waves_of_the_encoding(start, length, d, base, dtype):
    positions = np.arange(start, start + length)
    table = rotary_table(positions, angle_rates(d, base=base), dtype=dtype)
    encoding = sinusoidal(positions, d, base=base, layout="half", dtype=dtype)
    assert np.allclose(np.hstack([table.imag, table.real]), encoding, rtol=0, atol=2.5e-7)
    assert table.real.dtype == encoding.dtype


@given(lengths, heads, dimensions, bases, seeds)
def test_the_permutation_maps_one_layout_to_the_other(length, heads, d, base, seed):
    x, order = vectors(*heads, length, d, seed=seed), layout_permutation(d)
    interleaved = apply_rotary(x, length, base=base)
    half = apply_rotary(x[..., order], length, base=base, layout="half")
    assert np.allclose(interleaved[..., order], half)


@given(lengths, heads, dimensions, st.integers(0, 7), layouts, seeds)
def test_with_few_rates_only_the_first_columns_are_rotated(length, heads, d, more, layout, seed):
    x, rates = vectors(*heads, length, d + more, seed=seed), angle_rates(d)
    for kind in (x, torch.asarray(x)):
        rotated = apply_rotary(kind, length, rates=rates, layout=layout)
        assert np.allclose(rotated[..., :d], apply_rotary(x[..., :d], length, layout=layout))
        assert np.array_equal(rotated[..., d:], x[..., d:])


@given(starts, lengths, heads, dimensions, bases, layouts, st.sampled_from([2, 100, rotary.BLOCK]), seeds)
def test_numpy_and_torch_agree(start, length, heads, d, base, layout, block, seed):
    x, positions = vectors(*heads, length, d, seed=seed), np.arange(start, start + length)
    options = {"base": base, "layout": layout}
    expected = apply_rotary(x, positions, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rotary, "BLOCK", block)
        for kind in (positions, torch.asarray(positions), torch.asarray(positions + 0.0)):
            assert np.allclose(apply_rotary(torch.asarray(x), kind, **options), expected, atol=1e-10)
            assert np.allclose(apply_rotary(x, kind, **options), expected, atol=1e-10)
        single = apply_rotary(torch.asarray(x).float(), positions, **options)
    assert single.dtype == torch.float32
    assert np.allclose(single, expected, atol=5e-6)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_what_kind_goes_in_comes_out(layout):
    x = vectors(2, 5, 8)
    exact = apply_rotary(x, 5, layout=layout)
    for dtype, rounding in ((torch.bfloat16, 2**-8), (torch.float16, 2**-11), (torch.float32, 1e-6)):
        given = torch.asarray(x).to(dtype)
        rotated = apply_rotary(given, 5, layout=layout)
        assert rotated.dtype == dtype
        once_rounded = apply_rotary(given.double(), 5, layout=layout)
        assert (abs(rotated.double() - once_rounded) <= rounding * abs(once_rounded) + 1e-6).all()
    assert apply_rotary(x.astype(np.float16), 5, layout=layout).dtype == np.float16
    assert apply_rotary(np.eye(8, dtype=int), 8, layout=layout).dtype == np.float64
    assert apply_rotary(torch.eye(8, dtype=int), 8, layout=layout).dtype == torch.float32
    assert apply_rotary(x[:, :0], 0, layout=layout).shape == (2, 0, 8)
    assert apply_rotary(torch.asarray(x[:, :0]), 0, layout=layout).shape == (2, 0, 8)
    assert np.allclose(apply_rotary(x.tolist()[0], range(5), layout=layout), exact[0])


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize(
    ("dtype", "bound"), [(">f4", 1e-6), (">f8", 1e-12), (np.longdouble, 1e-12), (np.float16, 2e-3)]
)
def test_other_dtypes_of_numpy_are_as_exact_and_come_back(layout, dtype, bound):
    x, positions = vectors(2, 5, 8), np.array([0.5, 2, -3, 1000, 7])
    for rates in (None, angle_rates(4)):
        exact = apply_rotary(x, positions, layout=layout, rates=rates)
        rotated = apply_rotary(x.astype(dtype), positions.astype(dtype), layout=layout, rates=rates)
        assert rotated.dtype == dtype
        assert abs(rotated - exact).max() <= bound


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("kind", [np.asarray, torch.asarray])
def test_the_argument_may_lie_in_memory_in_any_order_and_stays_as_it_was(layout, kind):
    x = vectors(2, 3, 5, 8)
    table = rotary_table(5, angle_rates(8))
    expected = rotate_pairs(x, table, layout=layout)
    others = {
        "heads after positions": kind(x.transpose(0, 2, 1, 3).copy()).swapaxes(1, 2),
        "columns first": kind(x.transpose(0, 3, 1, 2).copy()).swapaxes(1, 3).swapaxes(1, 2),
        "an odd distance of rows": kind(np.concatenate([x, x[..., :3]], axis=-1))[..., :8],
        "an odd start": kind(np.append(0, x))[1:].reshape(x.shape),
        "an odd start of every row": kind(np.concatenate([x[..., :1], x, x[..., :1]], axis=-1))[..., 1:-1],
    }
    for name, other in others.items():
        assert np.allclose(rotate_pairs(other, table, layout=layout), expected), name
        assert np.array_equal(other, x), name


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_what_is_not_finite_stays_within_its_pair(layout):
    x = vectors(2, 4, 6)
    x[1, 2, 0], x[0, 1, 5] = np.nan, np.inf
    partner = {"interleaved": (1, 4), "half": (3, 2)}[layout]
    for kind in (x, torch.asarray(x)):
        bad = ~np.isfinite(np.asarray(apply_rotary(kind, 4, layout=layout)))
        assert sorted(zip(*map(list, np.nonzero(bad)), strict=True)) == sorted(
            [(1, 2, 0), (1, 2, partner[0]), (0, 1, 5), (0, 1, partner[1])]
        )


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_gradients_flow_to_vectors_and_positions(layout):
    x = torch.asarray(vectors(2, 3, 4)).requires_grad_()
    positions = torch.tensor([0.5, 2.0, -1.0], dtype=torch.float64, requires_grad=True)

    def rotate(x, positions):
        return apply_rotary(x, positions, layout=layout)

    assert torch.autograd.gradcheck(rotate, (x, positions))
    assert torch.autograd.gradcheck(rotate, (x.detach(), positions))
    assert torch.autograd.gradcheck(rotate, (x, positions.detach()))


def test_a_lack_of_memory_is_not_hidden(monkeypatch):
    """Halves take a slower path where torch refuses to write in place, but not where memory is short."""

    def no_memory(*_, **__):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    x, table = torch.ones(5, 8), rotary_table(5, angle_rates(8))
    monkeypatch.setattr(array_namespace(x), "empty_like", no_memory)
    with pytest.raises(RuntimeError, match="can't allocate memory"):
        rotate_pairs(x, table, layout="half")


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_the_transforms_of_torch_pass_through(layout):
    x, table = torch.asarray(vectors(3, 2, 5, 8)), rotary_table(5, angle_rates(8))

    def rotate(x):
        return rotate_pairs(x, table, layout=layout)

    assert torch.allclose(torch.func.vmap(rotate)(x), rotate(x))
    rotated, tangent = torch.func.jvp(rotate, (x,), (2 * x,))
    assert torch.allclose(rotated, rotate(x)) and torch.allclose(tangent, 2 * rotate(x))
    squares = torch.func.grad(lambda x: (rotate(x) ** 2).sum())(x)
    assert torch.allclose(squares, 2 * x)  # the norm does not change


@pytest.mark.filterwarnings("ignore:Dynamo detected:UserWarning")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_compiler_sees_one_graph_without_complex_products(layout, dtype):
    graphs = []

    def backend(graph, _):
        graphs.append({str(node.target) for node in graph.graph.nodes if node.op != "placeholder"})
        return graph.forward

    x, table = torch.asarray(vectors(2, 5, 8)).to(dtype), rotary_table(torch.arange(5), angle_rates(8))
    compiled = torch.compile(rotate_pairs, backend=backend, fullgraph=True)
    assert torch.allclose(compiled(x, table, layout=layout), rotate_pairs(x, table, layout=layout), atol=1e-6)
    assert len(graphs) == 1 and not any("view_as_complex" in target for target in graphs[0])


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("partial", [0, 2])
def test_cosines_and_sines_in_one_real_table_rotate_as_complex_numbers(layout, partial):
    x = np.random.default_rng(0).normal(size=(3, 5, 8))
    table = rotary_table(5, angle_rates(8)[partial:])
    real = np.stack([table.real, table.imag])
    expected = rotate_pairs(x, table, layout=layout)
    assert np.allclose(rotate_pairs(x, real, layout=layout), expected, rtol=0, atol=1e-12)
    tensor = torch.from_numpy(x).float()
    found = rotate_pairs(tensor, torch.from_numpy(real), layout=layout)
    assert found.dtype == torch.float32 and np.allclose(found.numpy(), expected, atol=1e-6)
    with pytest.raises(ValueError, match="or two such real ones in one array; got float64, shape"):
        rotate_pairs(x, real[:1], layout=layout)


def test_a_compiled_module_has_no_complex_numbers_in_its_graph():
    graphs, rotary = [], RotaryPositions(9, 8)

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    q, k = torch.randn(2, 2, 5, 8)
    for found, expected in zip(
        torch.compile(rotary, backend=backend, fullgraph=True)(q, k, 3), rotary(q, k, 3), strict=True
    ):
        assert torch.allclose(found, expected, atol=1e-6)
    assert len(graphs) == 1 and "complex" not in graphs[0].code


def test_far_positions_are_exact_in_float32():
    x = np.ones((3, 64), np.float32)
    far = [10**6 - 1, 10**6, 10**6 + 1]
    assert abs(apply_rotary(x, far) - apply_rotary(x.astype(float), far)).max() <= 5e-7


@given(dimensions, factors, bases)
def test_interpolation_stretches_positions_and_ntk_the_base(d, factor, base):
    rates = angle_rates(d, base=base)
    x = vectors(4, d)
    stretched = apply_rotary(x, np.arange(4) / factor, base=base)
    assert np.allclose(apply_rotary(x, 4, rates=interpolate_rates(d, factor, base=base)), stretched)
    ntk = ntk_rates(d, factor, base=base)
    assert ntk[0] == 1
    if d > 2:
        assert np.isclose(ntk[-1], rates[-1] / factor, rtol=1e-12)
        assert np.allclose(ntk, angle_rates(d, base=base * factor ** (d / (d - 2))))
        assert (rates / factor <= ntk * (1 + 1e-12)).all()


@given(dimensions, factors, bases, contexts, st.floats(0.01, 1))
def test_dynamic_scaling_begins_beyond_the_trained_length(d, factor, base, trained, share):
    within = dynamic_ntk_rates(d, factor, share * trained, trained, base=base)
    assert np.array_equal(within, angle_rates(d, base=base))
    beyond = dynamic_ntk_rates(d, factor, 3 * trained, trained, base=base)
    assert np.allclose(beyond, ntk_rates(d, 1 + 2 * factor, base=base))


@given(dimensions, factors, bases, contexts, st.floats(0.1, 4), st.floats(1.5, 40))
def test_bands_keep_the_fast_pairs_and_interpolate_the_slow_ones(d, factor, base, trained, low, ratio):
    rates, high = angle_rates(d, base=base), low * ratio
    rotations = trained * rates / (2 * np.pi)
    bands = {"low_freq_factor": low, "high_freq_factor": high}
    ends = {"alpha": low, "beta": high}
    for name, stretched in (
        ("llama3", llama3_rates(d, factor, trained, base=base, **bands)),
        ("yarn", yarn_rates(d, factor, trained, base=base, truncate=False, **ends)),
    ):
        divided = rates / stretched
        assert np.allclose(divided[rotations >= high * (1 + 1e-9)], 1), name
        assert np.allclose(divided[rotations <= low * (1 - 1e-9)], factor, rtol=1e-9), name
        assert (divided >= 1 - 1e-9).all() and (divided <= factor * (1 + 1e-9)).all(), name
        assert (np.diff(divided) >= -1e-9).all(), name


def test_llama3_by_hand():
    """Llama 3.1 as published: 128 columns, base 500,000, trained on 8,192 positions, factors 8, 1 and 4.

    Pair i has the wavelength λ = 2π · 500000^(i/64). Below 8192/4 = 2048 positions its rate stays, above
    8192/1 it is divided by 8, and between them the share (8192/λ - 1) / (4 - 1) stays:
      pair 24: λ = 2π · 500000^0.375 = 862, stays
      pair 32: λ = 2π · 707.107 = 4442.9; of 1/707.107, the share .28128 stays and .71872 is divided by 8
      pair 40: λ = 2π · 500000^0.625 = 22906, divided by 8
    """
    rates = llama3_rates(128, 8, 8192, base=500_000)
    expected = [500_000**-0.375, (0.28128 + 0.71872 / 8) / 707.107, 500_000**-0.625 / 8]
    assert np.allclose(rates[[24, 32, 40]], expected, rtol=1e-5, atol=0)


def test_the_attention_factor():
    assert yarn_attention_factor(1) == yarn_attention_factor(0.5) == 1
    assert np.isclose(yarn_attention_factor(np.e), 1.1)
    x = vectors(3, 8)
    table = yarn_attention_factor(4) * rotary_table(3, yarn_rates(8, 4, 2048))
    norms = np.linalg.norm(rotate_pairs(x, table), axis=1) / np.linalg.norm(x, axis=1)
    assert np.allclose(norms, 0.1 * np.log(4) + 1)
