"""Positions that enter the attention logits as a number added to them: ALiBi's slopes and T5's buckets.

What kind of positions goes in, NumPy array or torch tensor on any device, comes out.
"""

from bisect import bisect_left

import numpy as np
from array_api_compat import device

from .._arguments import integer, real_array
from ._waves import as_exact, as_positions, floating_dtype


def alibi_slopes(heads):
    """The slope of every head: 2^(-8i/h), i = 1 … h, where the number of heads h is a power of two.

    Between two powers the slopes of the lower one come first, then the first, third, fifth … of the higher
    one, until there are enough: 12 heads have 2^-1 … 2^-8, then 2^-0.5, 2^-1.5, 2^-2.5, 2^-3.5.
    Returns a float64 NumPy array of shape (heads,), per position.
    Raises ValueError for heads that are not an integer ≥ 1.
    Source: Press et al. (2021), section 3, https://arxiv.org/abs/2108.12409, and `get_slopes` in its code.
    """
    heads = integer("heads", heads, 1)
    power = 1 << (heads.bit_length() - 1)
    lower, higher = (2.0 ** (-8 * np.arange(1, n + 1) / n) for n in (power, 2 * power))
    return np.concatenate([lower, higher[::2][: heads - power]])


def alibi_bias(heads, positions, *, dtype=None):
    """-slope · |m - n|, what each head adds to the logit of the query at position m for the key at n.

    positions: an int L for 0 … L-1, or any 1-D array of numbers, of queries and keys alike.
    dtype: a floating dtype of the positions' library, or its name; None means float64 for NumPy and torch's
        default dtype for tensors.
    Returns an array of shape (heads, L, L): head, query, key; a causal mask comes on top of it. Under that
    mask slope · n alone gives the same attention, because softmax ignores what a whole row has in common.
    Raises ValueError as `alibi_slopes` does, for positions that are not finite, real and 1-D, and for a
    dtype that is not floating.
    Source: Press et al. (2021), section 3.
    """
    slopes = alibi_slopes(heads)
    positions, xp = as_positions(positions)
    dtype = floating_dtype(dtype, positions, xp)
    positions = as_exact(positions, xp)
    slopes = xp.asarray(slopes, dtype=positions.dtype, device=device(positions))
    reach = positions[None, :] - positions[:, None]
    farness = xp.minimum(reach, xp.matrix_transpose(reach))  # -|m - n|, and no -0 on the diagonal
    return xp.astype(slopes[:, None, None] * farness, dtype, copy=False)


def t5_bucket(relative_position, *, bidirectional=True, buckets=32, max_distance=128):
    """The number of the bucket whose learned bias belongs to a relative position.

    relative_position: n - m, the key's position less the query's; whole numbers in an array of any shape.
    bidirectional: True spends half of the buckets on the keys ahead; False puts those into bucket 0.
    buckets: of one direction, the first half hold one distance each; the k-th of the other K begins where
        the distance reaches e · (D / e)^(k/K), e being the number of the first half and D max_distance.
        The last one holds everything farther.
    Returns an integer array of that shape, from 0 to buckets - 1.
    Raises ValueError for positions that are not whole numbers, buckets that leave no distance of its own
    (< 2, or < 4 in two directions), or a max_distance ≤ e.
    Source: `_relative_position_bucket` in mesh_tensorflow/transformer/transformer_layers.py, described in
    Raffel et al. (2020), section 2.1, https://arxiv.org/abs/1910.10683. Here the boundaries are found in
    whole numbers; the rounded logarithms of the original give the same.
    """
    one_way = integer("buckets", buckets, 4 if bidirectional else 2) // (2 if bidirectional else 1)
    max_distance = integer("max_distance", max_distance, one_way // 2 + 1)
    position, xp = real_array("relative_position", relative_position, None, "an array of whole numbers")
    if not xp.isdtype(position.dtype, "integral"):
        raise ValueError(f"relative_position must be an array of whole numbers; got {position.dtype}")
    position = xp.astype(position, xp.int64, copy=False)
    distance = xp.abs(position) if bidirectional else xp.maximum(-position, xp.zeros_like(position))
    starts = xp.asarray(_bucket_starts(one_way, max_distance), device=device(position))
    flat = xp.searchsorted(starts, xp.reshape(distance, (-1,)), side="right") - 1
    bucket = xp.reshape(flat, position.shape)
    return bucket + one_way * xp.astype(position > 0, bucket.dtype) if bidirectional else bucket


def _bucket_starts(buckets, max_distance):
    """The first distance of each bucket: n ≥ e (D/e)^(k/K) means n^K ≥ D^k e^(K-k), in whole numbers."""
    single = buckets // 2
    others = buckets - single
    return [*range(single)] + [
        bisect_left(range(max_distance), max_distance**k * single ** (others - k), key=lambda n: n**others)
        for k in range(others)
    ]
