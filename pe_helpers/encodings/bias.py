"""Positions that enter the attention logits as a number added to them: ALiBi's slopes and T5's buckets.

Positions may be a NumPy array or a torch tensor on any device; the result is of the same kind.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from array_api_compat import device

from .._arguments import Array, ArrayLike, integer, real_array
from ._waves import as_exact, as_positions, floating_dtype


def alibi_slopes(heads: int) -> np.ndarray:
    """Return the slope of every head: 2^(-8i/h), i = 1 … h, if the number of heads h is a power of two.

    For other numbers of heads, first come the slopes of the next lower power of two, then the first, third,
    fifth … slope of the next higher one. 12 heads have 2^-1 … 2^-8, then 2^-0.5, 2^-1.5, 2^-2.5, 2^-3.5.
    Returns a float64 NumPy array of shape (heads,), per position.
    Raises ValueError for heads that are not an integer ≥ 1.
    Source: Press et al. (2021), section 3, https://arxiv.org/abs/2108.12409, and `get_slopes` in its code.

    >>> alibi_slopes(4).tolist()
    [0.25, 0.0625, 0.015625, 0.00390625]
    """
    heads = integer("heads", heads, 1)
    power = 1 << (heads.bit_length() - 1)
    lower, higher = (2.0 ** (-8 * np.arange(1, n + 1) / n) for n in (power, 2 * power))
    return np.concatenate([lower, higher[::2][: heads - power]])


def alibi_bias(heads: int, positions: ArrayLike, *, dtype: object = None) -> Array:
    """Return -slope · |m - n|, which each head adds to the logit of the query at position m for the key at n.

    positions: of the queries and of the keys: an int L for 0 … L-1, or any 1-D array of numbers.
    dtype: a floating dtype of the positions' library, or its name; None means float64 for NumPy and torch's
        default dtype for tensors.
    Returns an array of shape (heads, L, L): head, query, key. It contains no causal mask. Under such a mask,
    slope · n alone gives the same attention, because softmax ignores what a whole row has in common.
    Raises ValueError as `alibi_slopes` does, for positions that are not finite, real and 1-D, and for a
    dtype that is not floating.
    Source: Press et al. (2021), section 3.

    >>> alibi_bias(4, 3)[0].tolist()
    [[0.0, -0.25, -0.5], [-0.25, 0.0, -0.25], [-0.5, -0.25, 0.0]]
    """
    positions, xp = as_positions(positions)
    dtype = floating_dtype(dtype, xp)
    positions = as_exact(positions, xp)
    slopes = xp.asarray(alibi_slopes(heads), dtype=positions.dtype, device=device(positions))
    bias = 0 - slopes[:, None, None] * xp.abs(positions[:, None] - positions)  # without a -0, (heads, L, L)
    return xp.astype(bias, dtype, copy=False)


def t5_bucket(
    relative_position: ArrayLike, *, bidirectional: bool = True, buckets: int = 32, max_distance: int = 128
) -> Array:
    """Return the number of the bucket whose learned bias belongs to a relative position.

    relative_position: integers in an array of any shape: n - m, the key's position minus the query's, as in
        T5. It is minus the distance m - n of the other functions.
    bidirectional: True gives half of the buckets to keys after the query; False puts those into bucket 0.
    buckets: of one direction, the first half, e in number, hold one distance each. The k-th of the other K,
        counted from 0, begins at distance e · (D / e)^(k/K), D being max_distance. The last one has no end.
    Returns an integer array of that shape, from 0 to buckets - 1.
    Raises ValueError for positions that are not integers, for buckets < 2 (< 4 in two directions) and for a
    max_distance ≤ e.
    Source: `_relative_position_bucket` in mesh_tensorflow/transformer/transformer_layers.py, described in
    Raffel et al. (2020), section 2.1, https://arxiv.org/abs/1910.10683. The original compares rounded
    logarithms; here the boundaries are found in integers.

    >>> t5_bucket([-1000, -9, -8, -1, 0, 1]).tolist()
    [15, 8, 8, 1, 0, 17]
    """
    one_way = integer("buckets", buckets, 4 if bidirectional else 2) // (2 if bidirectional else 1)
    max_distance = integer("max_distance", max_distance, one_way // 2 + 1)
    given, xp = real_array("relative_position", relative_position, None, "an array of integers")
    if not xp.isdtype(given.dtype, "integral"):
        raise ValueError(f"relative_position must be an array of integers; got {given.dtype}")
    position = xp.astype(given, xp.int64, copy=False)
    distance = xp.abs(position) if bidirectional else xp.clip(-position, min=0)
    starts = xp.asarray(_bucket_starts(one_way, max_distance), device=device(position))
    bucket = xp.searchsorted(starts, distance, side="right") - 1
    return bucket + one_way * (position > 0) if bidirectional else bucket


def _bucket_starts(buckets, max_distance):
    """Return the first distance of each bucket; n ≥ e (D/e)^(k/K) means n^K ≥ D^k e^(K-k), in integers."""
    single = buckets // 2
    others = buckets - single
    powers = [max_distance**k * single ** (others - k) for k in range(others)]
    return [*range(single), *(bisect_left(range(max_distance), p, key=lambda n: n**others) for p in powers)]
