"""The sinusoidal position encoding and the matrix that shifts it.

One convention holds everywhere: a row is a position, and a matrix stands to the right of the rows, so
PE(p) @ T(k) = PE(p + k). The functions take NumPy arrays and torch tensors on any device and return the kind
that they were given.
Formulas: Vaswani et al., "Attention Is All You Need" (2017), section 3.5, https://arxiv.org/abs/1706.03762.
"""

from __future__ import annotations

import numpy as np
from array_api_compat import is_torch_array

from .._arguments import Array, ArrayLike, even_dimension, one_of, real
from ._waves import are_consecutive, as_positions, floating_dtype, outer, waves_by_shifts

LAYOUTS = ("interleaved", "half")


def angle_rates(d_model: int, *, base: float = 1e4, spacing: str = "paper") -> np.ndarray:
    """Return how fast each pair of sine and cosine rotates: ω_i = base^(-2i / d_model), i from 0.

    spacing: "paper" is the formula above. "endpoint" stretches the exponents so that the last rate is 1/base
        exactly, ω_i = base^(-i / (d_model/2 - 1)), as `get_timing_signal_1d` of tensor2tensor does. A single
        pair has the rate 1 in both.
    Returns a float64 NumPy array of shape (d_model/2,), in radians per position, falling from 1.
    Raises ValueError for an odd or too small d_model, a base ≤ 1 or an unknown spacing.

    >>> angle_rates(6, base=1000).round(4).tolist()
    [1.0, 0.1, 0.01]
    """
    pairs = even_dimension(d_model) // 2
    base = real("base", base, above=1)
    steps = pairs if one_of("spacing", spacing, ("paper", "endpoint")) == "paper" else max(pairs - 1, 1)
    return base ** -(np.arange(pairs) / steps)


def angles(positions: ArrayLike, d_model: int, *, base: float = 1e4, spacing: str = "paper") -> Array:
    """Return the angle of every pair at every position, p · ω_i.

    positions: an int L for 0 … L-1, or any 1-D array of numbers, fractions and negative numbers included.
    Returns an array of shape (L, d_model/2), in radians, in float64 where the device has it.
    Raises ValueError as `angle_rates` does, and for positions that are not finite, real and 1-D.

    >>> angles([0, 1, 2.5], 4).round(4).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.5, 0.025]]
    """
    rates = angle_rates(d_model, base=base, spacing=spacing)
    positions, xp = as_positions(positions)
    return outer(positions, rates, xp)


def sinusoidal(
    positions: ArrayLike,
    d_model: int,
    *,
    base: float = 1e4,
    spacing: str = "paper",
    layout: str = "interleaved",
    dtype: object = None,
) -> Array:
    """Return the encoding: the sine and the cosine of all `angles`, a row for every position.

    positions: an int L for 0 … L-1, or any 1-D array of numbers, fractions and negative numbers included.
    layout: "interleaved" puts the sine and the cosine of pair i into columns 2i and 2i+1, as the paper does;
        "half" puts all sines first, then all cosines.
    dtype: a floating dtype of the positions' library, or its name; None means float64 for NumPy and
        torch's default dtype for tensors.
    Returns an array of shape (L, d_model), with values in [-1, 1], on the positions' device.
    Raises ValueError as `angles` does, and for an unknown layout or a dtype that is not floating.

    Integers that rise by 1 are encoded by products: PE(a + b) = PE(a) T(b), so few sines are computed. Other
    positions get their own sines and cosines.

    >>> sinusoidal(2, 4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    rates = angle_rates(d_model, base=base, spacing=spacing)
    positions, xp = as_positions(positions)
    one_of("layout", layout, LAYOUTS)
    dtype = floating_dtype(dtype, xp)
    if are_consecutive(positions, xp):  # sin θ + i cos θ = i e^(-iθ)
        pairs = _as_real_pairs(waves_by_shifts(positions, -rates, dtype, xp, start=1j), xp)
    else:
        theta = outer(positions, rates, xp)  # (L, d_model/2)
        pairs = xp.stack([xp.sin(theta), xp.cos(theta)], axis=-1)  # (L, d_model/2, 2)
    if layout == "half":
        pairs = xp.matrix_transpose(pairs)  # (L, 2, d_model/2)
    return xp.reshape(xp.astype(pairs, dtype, copy=False), (positions.shape[0], d_model))


def shift_matrix(
    offset: float, d_model: int, *, base: float = 1e4, spacing: str = "paper", layout: str = "interleaved"
) -> np.ndarray:
    """Return T(k), with sinusoidal(p) @ T(k) == sinusoidal(p + k) for every position p.

    offset: k, a finite number of positions; negative numbers and fractions shift too.
    Returns a float64 NumPy array of shape (d_model, d_model). In the interleaved layout the block
    [[cos kω_i, -sin kω_i], [sin kω_i, cos kω_i]] of pair i stands on the diagonal, and all else is 0. In the
    half-split layout the same entries stand where `layout_permutation` puts them.
    Raises ValueError for an offset that is not a finite number, and as `sinusoidal` does.
    Source: the angle-sum identities; the paper mentions the property in section 3.5.

    >>> np.allclose(sinusoidal([5, 7], 8) @ shift_matrix(3, 8), sinusoidal([8, 10], 8))
    True
    """
    theta = real("offset", offset) * angle_rates(d_model, base=base, spacing=spacing)
    one_of("layout", layout, LAYOUTS)
    cosine, sine, minus_sine = (np.diag(wave) for wave in (np.cos(theta), np.sin(theta), -np.sin(theta)))
    half = np.block([[cosine, minus_sine], [sine, cosine]])
    if layout == "half":
        return half
    order = np.argsort(layout_permutation(d_model))
    return half[np.ix_(order, order)]


def layout_permutation(d_model: int) -> np.ndarray:
    """Return the order of columns that makes the half-split layout of the interleaved one.

    Returns an integer NumPy array of shape (d_model,): interleaved[:, layout_permutation(d_model)] == half.
    Raises ValueError for an odd or too small d_model.

    >>> layout_permutation(6).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    return np.arange(even_dimension(d_model)).reshape(-1, 2).T.ravel()  # (d_model/2, 2) -> (d_model,)


def _as_real_pairs(waves, xp):
    """Return the same memory read as real numbers: (L, d/2) complex becomes (L, d/2, 2)."""
    if is_torch_array(waves):
        return xp.view_as_real(waves)
    return waves.view(waves.real.dtype).reshape(*waves.shape, 2)
