"""Rotary encoding and biases against the library that people run: random shapes, bases and factors."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj import modeling_gptj
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention

from pe_helpers import (
    alibi_slopes,
    angle_rates,
    angles,
    apply_rotary,
    dynamic_ntk_rates,
    interpolate_rates,
    layout_permutation,
    llama3_rates,
    rotary_table,
    rotate_pairs,
    t5_bucket,
    yarn_attention_factor,
    yarn_rates,
)
from tests.strategies import (
    dimensions,
    factors,
    queries_and_keys,
    rates_of_transformers,
    rope_config,
    seeds,
    usual_bases,
    wide,
)

contexts = st.integers(64, 200_000)
shapes = st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 80))  # batch, heads, positions
dtypes = st.sampled_from([torch.float32, torch.float64])


@given(shapes, dimensions, usual_bases, dtypes, seeds)
def test_both_layouts_are_those_of_llama_and_gptj(shape, d, base, dtype, seed):
    q, k = queries_and_keys(*shape, d, dtype=dtype, seed=seed)
    theta = torch.asarray(angles(shape[-1], d, base=base))
    cosine, sine = theta.cos().to(dtype)[None], theta.sin().to(dtype)[None]
    tolerance = {"rtol": 0, "atol": 5e-6 if dtype == torch.float32 else 1e-12}

    twice = [torch.cat([wave, wave], dim=-1) for wave in (cosine, sine)]
    for mine, their in zip((q, k), apply_rotary_pos_emb(q, k, *twice), strict=True):
        rotated = apply_rotary(mine, shape[-1], base=base, layout="half")
        assert rotated.dtype == dtype
        torch.testing.assert_close(rotated, their, **tolerance)
        order = layout_permutation(d)  # the other layout, through the permutation of the columns
        interleaved = apply_rotary(mine[..., np.argsort(order)], shape[-1], base=base)
        torch.testing.assert_close(interleaved[..., order], their, **tolerance)

    their = modeling_gptj.apply_rotary_pos_emb(q.transpose(1, 2), sine, cosine).transpose(1, 2)
    torch.testing.assert_close(apply_rotary(q, shape[-1], base=base), their, **tolerance)


@given(shapes, dimensions, usual_bases, seeds)
def test_the_whole_of_llama_in_float32(shape, d, base, seed):
    """Its own rates, angles and waves; they are float32, so the angles are off by half a place."""
    q, k = queries_and_keys(*shape, d, seed=seed)
    positions = torch.arange(shape[-1])
    waves = LlamaRotaryEmbedding(rope_config("default", d, base, 2048))(q, positions[None])
    for mine, their in zip((q, k), apply_rotary_pos_emb(q, k, *waves), strict=True):
        rotated = apply_rotary(mine, positions, base=base, layout="half")
        torch.testing.assert_close(rotated, their, rtol=0, atol=1e-4)


@given(shapes, wide, usual_bases, factors, contexts, seeds)
def test_the_whole_of_yarn_in_float32(shape, d, base, factor, trained, seed):
    q, k = queries_and_keys(*shape, d, seed=seed)
    positions = torch.arange(shape[-1])
    parameters = {"factor": factor, "original_max_position_embeddings": trained}
    waves = LlamaRotaryEmbedding(rope_config("yarn", d, base, trained, **parameters))(q, positions[None])
    table = yarn_attention_factor(factor) * rotary_table(positions, yarn_rates(d, factor, trained, base=base))
    for mine, their in zip((q, k), apply_rotary_pos_emb(q, k, *waves), strict=True):
        torch.testing.assert_close(rotate_pairs(mine, table, layout="half"), their, rtol=0, atol=2e-4)


@given(wide, usual_bases, factors, contexts)
def test_default_and_linear_rates(d, base, factor, trained):
    default, _ = LlamaRotaryEmbedding.compute_default_rope_parameters(
        rope_config("default", d, base, trained)
    )
    assert np.allclose(angle_rates(d, base=base), default, rtol=5e-6, atol=0)
    linear, attention_factor = rates_of_transformers("linear", d, base, trained, factor=factor)
    assert np.allclose(interpolate_rates(d, factor, base=base), linear, rtol=5e-6, atol=0)
    assert attention_factor == 1


@given(wide, usual_bases, factors, contexts, st.floats(0.1, 20))
def test_dynamic_rates(d, base, factor, trained, times):
    length = max(int(trained * times), 1)
    dynamic, attention_factor = rates_of_transformers(
        "dynamic", d, base, trained, length=length, factor=factor
    )
    mine = dynamic_ntk_rates(d, factor, length, trained, base=base)
    assert np.allclose(mine, dynamic, rtol=1e-5, atol=0)
    assert attention_factor == 1


@given(wide, usual_bases, factors, contexts, st.floats(0.1, 4), st.floats(1.5, 40), st.booleans())
def test_yarn_rates(d, base, factor, trained, alpha, ratio, truncate):
    ends = {"alpha": alpha, "beta": alpha * ratio}
    assume(trained > 2 * np.pi * alpha)  # else the library keeps all pairs that it should interpolate
    yarn, attention_factor = rates_of_transformers(
        "yarn",
        d,
        base,
        trained,
        factor=factor,
        original_max_position_embeddings=trained,
        beta_slow=ends["alpha"],
        beta_fast=ends["beta"],
        truncate=truncate,
    )
    mine = yarn_rates(d, factor, trained, base=base, truncate=truncate, **ends)
    first_interpolated = len(mine) * np.log(trained / (2 * np.pi * ends["beta"])) / np.log(base)
    assume(first_interpolated < d - 1)  # else it interpolates all pairs that it should keep
    assert np.allclose(mine, yarn, rtol=2e-5, atol=0)
    assert np.isclose(yarn_attention_factor(factor), attention_factor)


@given(wide, usual_bases, factors, contexts, st.floats(0.1, 4), st.floats(1.5, 40))
def test_llama3_rates(d, base, factor, trained, low, ratio):
    bands = {"low_freq_factor": low, "high_freq_factor": low * ratio}
    parameters = {"factor": factor, "original_max_position_embeddings": trained, **bands}
    llama3, attention_factor = rates_of_transformers("llama3", d, base, trained, **parameters)
    mine = llama3_rates(d, factor, trained, base=base, **bands)
    assert np.allclose(mine, llama3, rtol=2e-4, atol=0)  # its ramp is in float32
    assert attention_factor == 1


@pytest.mark.parametrize("heads", [*range(1, 41), 64, 71, 112, 128])
def test_slopes_of_bloom_and_mpt(heads):
    length = 9
    bloom = build_alibi_tensor(torch.ones(1, length, dtype=torch.long), heads, torch.float32)
    mpt = build_mpt_alibi_tensor(heads, length)
    slopes = alibi_slopes(heads)[:, None, None]
    keys = np.arange(length)
    assert np.allclose(slopes * keys, bloom, rtol=1e-5)
    assert np.allclose(slopes * (keys - (length - 1)), mpt, rtol=1e-5)


@given(st.booleans(), st.integers(4, 80), st.integers(3, 4096))
def test_buckets_of_t5(bidirectional, buckets, max_distance):
    assume(max_distance > buckets // (4 if bidirectional else 2))
    far = torch.tensor([10**6, 2**31 - 1, 2**40])
    near = torch.arange(2 * max_distance + 3)
    position = torch.cat([-far, -near, near, far])
    their = T5Attention._relative_position_bucket(position, bidirectional, buckets, max_distance)
    options = {"bidirectional": bidirectional, "buckets": buckets, "max_distance": max_distance}
    assert torch.equal(t5_bucket(position, **options), their)
    assert np.array_equal(t5_bucket(position.numpy(), **options), their)
