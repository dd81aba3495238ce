"""Slopes and buckets: the published figures and what defines them."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_helpers import alibi_bias, alibi_slopes, t5_bucket


def softmax(logits):
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def test_slopes_of_eight_and_of_twelve_heads():
    assert np.array_equal(alibi_slopes(8), 0.5 ** np.arange(1, 9))
    between = 2.0 ** -np.array([0.5, 1.5, 2.5, 3.5])
    assert np.allclose(alibi_slopes(12), [*alibi_slopes(8), *between], rtol=1e-15)
    assert alibi_slopes(1) == 2.0**-8


@given(st.integers(0, 7), st.integers(1, 40))
def test_slopes_of_a_power_of_two_fall_evenly_to_a_256th(power, heads):
    slopes = alibi_slopes(2**power)
    assert slopes[-1] == 2.0**-8
    assert np.allclose(slopes[1:] / slopes[:-1], slopes[0])
    assert len(alibi_slopes(heads)) == len(set(alibi_slopes(heads))) == heads


@given(st.integers(1, 20), st.integers(1, 30))
def test_bias_is_the_slope_times_the_distance(heads, length):
    bias = alibi_bias(heads, length)
    assert bias.shape == (heads, length, length)
    for m, n in np.ndindex(length, length):
        assert np.allclose(bias[:, m, n], -alibi_slopes(heads) * abs(m - n))
    shifted = alibi_bias(heads, torch.arange(5.0, 5 + length), dtype=torch.float64)
    assert np.allclose(shifted, bias)
    assert not np.signbit(bias).diagonal(axis1=1, axis2=2).any()


def test_under_a_causal_mask_a_bias_of_the_key_alone_is_the_same():
    length = 20
    logits = np.random.default_rng(0).standard_normal((4, length, length))
    mask = np.where(np.tri(length, dtype=bool), 0, -np.inf)
    relative = softmax(logits + alibi_bias(4, length) + mask)
    of_the_key = softmax(logits + alibi_slopes(4)[:, None, None] * np.arange(length) + mask)
    assert np.allclose(relative, of_the_key)


def test_what_kind_goes_in_comes_out():
    assert alibi_bias(2, 3).dtype == np.float64
    assert alibi_bias(2, torch.arange(3)).dtype == torch.float32
    assert alibi_bias(2, torch.arange(3), dtype="bfloat16").dtype == torch.bfloat16
    assert alibi_bias(2, 0).shape == (2, 0, 0)
    assert isinstance(t5_bucket(torch.arange(3)), torch.Tensor)
    assert t5_bucket([[0, 1], [2, 3]]).shape == (2, 2)
    assert t5_bucket(np.array(5)).shape == ()
    small = np.array([200, 255], dtype=np.uint8)
    assert np.array_equal(t5_bucket(small), [31, 31])
    assert np.array_equal(t5_bucket(small, bidirectional=False), [0, 0])


@pytest.mark.parametrize("kind", [np.asarray, torch.asarray])
def test_integers_of_any_width_have_their_buckets(kind):
    assert t5_bucket(kind(np.array([-128, 127], np.int8))).tolist() == [15, 31]
    assert t5_bucket(kind(np.array([-(2**62), 2**62])), bidirectional=False).tolist() == [31, 0]
    for dtype in ("uint8", "uint16", "uint32", "uint64"):
        position = np.array([0, 1, 20, 100, 200])
        assert t5_bucket(kind(position.astype(dtype))).tolist() == t5_bucket(position).tolist()


def test_where_the_last_buckets_of_t5_begin():
    """At 91 and 113: one more bucket would begin at 128, the `max_distance`."""
    distance = np.arange(200)
    for options, last, begins in (
        ({}, 15, 91),
        ({"bidirectional": False}, 31, 113),
    ):
        bucket = t5_bucket(-distance, **options)
        assert bucket.max() == last
        assert np.flatnonzero(bucket == last)[0] == begins
    ahead = t5_bucket(distance)
    assert np.flatnonzero(ahead == 31)[0] == 91
    assert np.array_equal(ahead[1:], 16 + t5_bucket(-distance)[1:])
    assert np.array_equal(t5_bucket(distance, bidirectional=False), np.zeros(200))


@given(st.integers(2, 64), st.integers(1, 1000))
def test_buckets_rise_with_the_distance_and_the_first_half_hold_one_each(buckets, more):
    single = buckets // 2
    bucket = t5_bucket(
        -np.arange(single + more + 5), bidirectional=False, buckets=buckets, max_distance=single + more
    )
    assert np.array_equal(bucket[:single], np.arange(single))
    assert (np.diff(bucket) >= 0).all()
    assert bucket[-1] == buckets - 1


@pytest.mark.parametrize("buckets", [4, 32])
def test_the_direction_takes_half_of_the_buckets(buckets):
    position = np.arange(-300, 301)
    bucket = t5_bucket(position, buckets=buckets)
    assert set(bucket[position > 0]) <= set(range(buckets // 2, buckets))
    assert set(bucket[position <= 0]) == set(range(buckets // 2))
