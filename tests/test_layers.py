"""Positions as torch modules: they give what the functions give, wherever they are moved."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_helpers import (
    angle_rates,
    apply_rotary,
    ntk_rates,
    rotary_table,
    sinusoidal,
    t5_bucket,
)
from pe_helpers.models import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias
from tests.strategies import bases, dimensions, queries_and_keys

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
counts = st.integers(1, 20)


@given(counts, dimensions, bases, st.integers(0, 2000))
def test_rotary_rotates_both_by_their_positions(length, d, base, offset):
    q, k = queries_and_keys(2, 3, length, d)
    module = RotaryPositions(offset + length + 3, d, rates=angle_rates(d, base=base))
    positions = torch.arange(offset, offset + length)
    for x, result in zip((q, k), module(q, k, offset), strict=True):
        assert torch.allclose(result, apply_rotary(x, positions, base=base), atol=1e-5)


def test_rotary_takes_other_rates_and_rotates_some_columns_only():
    q, k = queries_and_keys(5, 8)
    rates = ntk_rates(4, 8)
    rotated, _ = RotaryPositions(5, 8, rates=rates)(q, k)
    assert torch.allclose(rotated, apply_rotary(q, 5, rates=rates), atol=1e-6)
    assert torch.equal(rotated[:, 4:], q[:, 4:])
    odd = queries_and_keys(5, 7)
    assert RotaryPositions(5, 7, rates=rates)(*odd)[0].shape == (5, 7)


@given(counts, counts)
def test_decoding_with_a_cache_gives_the_scores_of_the_whole_text(before, after):
    q, k = queries_and_keys(2, before + after, 8)
    rotary = RotaryPositions(before + after, 8)
    whole_q, whole_k = rotary(q, k)
    _, cached = rotary(q[:, :before], k[:, :before])
    new_q, new_k = rotary(q[:, before:], k[:, before:], offset=before)
    scores = new_q @ torch.cat([cached, new_k], dim=1).mT
    assert torch.allclose(scores, (whole_q @ whole_k.mT)[:, before:], atol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("move", ["to", "method", "inside"])
def test_the_angles_survive_bfloat16(device, move):
    module = RotaryPositions(4096, 8)
    exact = rotary_table(4096, angle_rates(8), dtype="float32")
    if move == "to":
        module.to(device, torch.bfloat16)
    elif move == "method":
        module.to(device).bfloat16()
    else:
        torch.nn.Sequential(torch.nn.Linear(2, 2), module).to(torch.bfloat16).to(device).double()
    assert module.table.device.type == device
    assert np.array_equal(module.table.cpu().numpy(), exact)
    q, k = queries_and_keys(4096, 8).to(device, torch.bfloat16)
    rotated, _ = module(q, k)
    assert rotated.dtype == torch.bfloat16 and rotated.device.type == device
    reference = apply_rotary(q.double(), 4096)
    assert (abs(rotated.double() - reference) <= 2**-8 * abs(reference) + 1e-5).all()


def test_nothing_that_can_be_computed_again_is_saved_or_trained():
    for module in (RotaryPositions(5, 4), AlibiBias(4), SinusoidalPositions(5, 4)):
        assert not module.state_dict() and not list(module.parameters())
    assert list(T5Bias(4).state_dict()) == ["embedding.weight"]
    assert list(LearnedPositions(5, 4).state_dict()) == ["table"]


def test_gradients_reach_queries_and_keys():
    q, k = (x.requires_grad_() for x in queries_and_keys(5, 4).unbind())
    rotated_q, rotated_k = RotaryPositions(5, 4)(q, k)
    (rotated_q * rotated_k).sum().backward()
    assert torch.allclose(q.grad, k.detach(), atol=1e-6) and torch.allclose(k.grad, q.detach(), atol=1e-6)


def test_alibi_of_two_heads_written_out():
    distance = torch.tensor([[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]])
    expected = torch.stack([-distance / 16, -distance / 256])  # slopes 2^-4 and 2^-8: Press et al., section 3
    assert torch.equal(AlibiBias(2)(4), expected)


@given(counts, counts)
def test_the_last_query_of_alibi_sees_what_mpt_gives(heads, length):
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor  # it loads slowly

    their = build_mpt_alibi_tensor(heads, length)  # (heads, 1, keys), for the last query
    assert torch.allclose(AlibiBias(heads)(length)[:, -1:], their, rtol=1e-5)


@given(counts, st.integers(1, 200), st.booleans(), st.integers(4, 40), st.integers(20, 200))
def test_t5_looks_its_buckets_up(heads, length, bidirectional, buckets, max_distance):
    options = {"bidirectional": bidirectional, "buckets": buckets, "max_distance": max_distance}
    module = T5Bias(heads, **options)
    assert not module.embedding.weight.any()  # what training never meets stays without preference
    torch.nn.init.normal_(module.embedding.weight)
    bias = module(length)
    assert bias.shape == (heads, length, length)
    m, n = length // 3, length - 1
    for query, key in ((m, n), (n, m), (m, m)):
        row = module.embedding.weight[int(t5_bucket(np.array(key - query), **options))]
        assert torch.equal(bias[:, query, key], row)


@pytest.mark.parametrize("device", DEVICES)
def test_biases_follow_the_module_and_only_that_of_t5_learns(device):
    for module in (AlibiBias(4), T5Bias(4)):
        bias = module.to(device, torch.bfloat16)(7)
        assert bias.dtype == torch.bfloat16 and bias.device.type == device
        assert bias.requires_grad == isinstance(module, T5Bias)
    module = T5Bias(2)
    module(3).sum().backward()
    distances = [0, 1, 2, 17, 18]  # the buckets of 0, -1, -2, 1, 2
    assert module.embedding.weight.grad[distances, 0].tolist() == [3, 2, 1, 2, 1]


def test_rows_are_added_from_the_first_position_on():
    x = torch.zeros(2, 3, 8)
    assert torch.allclose(SinusoidalPositions(5, 8)(x)[1], torch.tensor(sinusoidal(3, 8)).float())
    learned = LearnedPositions(5, 8)
    assert torch.equal(learned(x)[0], learned.table[:3])
    assert LearnedPositions(5, 7)(torch.zeros(3, 7)).shape == (3, 7)  # trained rows need no pairs


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("max_length", lambda: RotaryPositions(0, 8)),
        ("d_head", lambda: RotaryPositions(5, 7)),
        ("table", lambda: RotaryPositions(3, 8, rates=[1.0] * 5)(*torch.zeros(2, 3, 8))),
        ("rates", lambda: RotaryPositions(5, 8, rates=[np.nan])),
        ("q", lambda: RotaryPositions(5, 8)(*torch.zeros(2, 6, 8))),
        ("q", lambda: RotaryPositions(5, 8)(*torch.zeros(2, 3, 8), offset=3)),
        ("q", lambda: RotaryPositions(5, 8)(*torch.zeros(2, 3, 10))),
        ("q", lambda: RotaryPositions(5, 8)(*torch.zeros(2, 8))),
        ("k", lambda: RotaryPositions(5, 8)(torch.zeros(3, 8), torch.zeros(2, 8))),
        ("k", lambda: RotaryPositions(5, 8)(torch.zeros(3, 8), torch.zeros(8))),
        ("offset", lambda: RotaryPositions(5, 8)(*torch.zeros(2, 3, 8), offset=-1)),
        ("heads", lambda: AlibiBias(0)),
        ("length", lambda: AlibiBias(2)(0)),
        ("heads", lambda: T5Bias(0)),
        ("buckets", lambda: T5Bias(2, buckets=3)(4)),
        ("max_distance", lambda: T5Bias(2, max_distance=8)(4)),
        ("length", lambda: T5Bias(2)(2.5)),
        ("max_length", lambda: SinusoidalPositions(0, 8)),
        ("d_model", lambda: SinusoidalPositions(5, 7)),
        ("x", lambda: SinusoidalPositions(5, 8)(torch.zeros(6, 8))),
        ("x", lambda: SinusoidalPositions(5, 8)(torch.zeros(8))),
        ("x", lambda: LearnedPositions(5, 8)(torch.zeros(6, 8))),
        ("x", lambda: LearnedPositions(5, 8)(torch.zeros(3, 9))),
    ],
)
def test_an_error_names_the_argument(name, call):
    with pytest.raises(ValueError, match=rf"^{name} must "):
        call()
