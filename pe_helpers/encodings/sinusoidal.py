"""The sinusoidal position encoding and the matrix that shifts it.

Formulas: Vaswani et al., "Attention Is All You Need" (2017), section 3.5, https://arxiv.org/abs/1706.03762.
All of it works on NumPy arrays and torch tensors on any device: what kind of positions goes in comes out.
"""

from numbers import Integral

import numpy as np
from array_api_compat import is_torch_array

from .._arguments import even_dimension, one_of, real
from ._waves import are_consecutive, as_positions, floating_dtype, outer, waves_by_shifts

SPACINGS = ("paper", "endpoint")
LAYOUTS = ("interleaved", "half")


def angle_rates(d_model, *, base=10000.0, spacing="paper"):
    """How fast each sine-cosine pair turns: ω_i = base^(-2i / d_model), i = 0 … d_model/2 - 1.

    spacing: "paper", as above; "endpoint" stretches the exponents so that the last rate is 1/base
        exactly, ω_i = base^(-i / (d_model/2 - 1)), as in tensor2tensor's `get_timing_signal_1d`
        (with a single pair its rate is 1 in both).
    Returns a float64 NumPy array of shape (d_model/2,), in radians per position, falling from 1.
    Raises ValueError for an odd or too small d_model, a base ≤ 1 or an unknown spacing.
    """
    pairs = even_dimension(d_model) // 2
    base = real("base", base, above=1)
    steps = pairs if one_of("spacing", spacing, SPACINGS) == "paper" else max(pairs - 1, 1)
    return base ** -(np.arange(pairs) / steps)


def angles(positions, d_model, *, base=10000.0, spacing="paper"):
    """The angle of every pair at every position, p · ω_i.

    positions: an int L for 0 … L-1, or any 1-D array of numbers, fractions and negatives included.
    Returns an array of shape (L, d_model/2), in radians, in float64 where the device has it.
    Raises ValueError as `angle_rates` does, and for positions that are not finite, real and 1-D.
    """
    rates = angle_rates(d_model, base=base, spacing=spacing)
    positions, xp = as_positions(positions)
    return outer(positions, rates, xp)


def sinusoidal(positions, d_model, *, base=10000.0, spacing="paper", layout="interleaved", dtype=None):
    """The encoding: the sine and the cosine of every angle of `angles`.

    positions: an int L for 0 … L-1, or any 1-D array of numbers, fractions and negatives included.
    layout: "interleaved" puts sine and cosine of pair i into columns 2i and 2i+1, as the paper does;
        "half" puts all sines first, then all cosines.
    dtype: a floating dtype of the positions' library, or its name; None means float64 for NumPy and
        torch's default dtype for tensors.
    Returns an array of shape (L, d_model), values in [-1, 1], on the positions' device.
    Raises ValueError as `angles` does, and for an unknown layout or a dtype that is not floating.

    For consecutive whole positions the sines of the first row and of one step are enough: the shift
    theorem, PE(a + b) = PE(a) T(b), makes all other rows by complex multiplication. Other positions are
    evaluated directly.
    """
    rates = angle_rates(d_model, base=base, spacing=spacing)
    is_length = isinstance(positions, Integral)
    positions, xp = as_positions(positions)
    one_of("layout", layout, LAYOUTS)
    dtype = floating_dtype(dtype, positions, xp)
    if is_length or are_consecutive(positions, xp):
        waves = waves_by_shifts(positions, rates, dtype, xp)
        if layout == "interleaved":
            return xp.astype(_as_real_pairs(waves, xp), dtype, copy=False)
        sines, cosines = xp.real(waves), xp.imag(waves)
    else:
        theta = outer(positions, rates, xp)
        sines, cosines = xp.sin(theta), xp.cos(theta)
    if layout == "interleaved":
        table = xp.reshape(xp.stack([sines, cosines], axis=-1), (positions.shape[0], d_model))
    else:
        table = xp.concat([sines, cosines], axis=-1)
    return xp.astype(table, dtype, copy=False)


def shift_matrix(offset, d_model, *, base=10000.0, spacing="paper", layout="interleaved"):
    """T(k), with sinusoidal(p + k) == sinusoidal(p) @ T(k) for every position p.

    offset: k, a finite number of positions; negative and fractional offsets shift too.
    Returns a float64 NumPy array of shape (d_model, d_model). In the interleaved layout it is block
    diagonal, pair i being turned by [[cos kω_i, -sin kω_i], [sin kω_i, cos kω_i]]; in the half-split
    layout the same entries stand where `layout_permutation` puts them.
    Raises ValueError for an offset that is not a finite number, and as `sinusoidal` does.
    Source: the angle-sum identities; the paper mentions the property in section 3.5.
    """
    turn = real("offset", offset) * angle_rates(d_model, base=base, spacing=spacing)
    one_of("layout", layout, LAYOUTS)
    sine, cosine = np.arange(0, d_model, 2), np.arange(1, d_model, 2)
    matrix = np.zeros((d_model, d_model))
    matrix[sine, sine] = matrix[cosine, cosine] = np.cos(turn)
    matrix[cosine, sine] = np.sin(turn)
    matrix[sine, cosine] = -np.sin(turn)
    if layout == "half":
        order = layout_permutation(d_model)
        matrix = matrix[np.ix_(order, order)]
    return matrix


def layout_permutation(d_model):
    """The column order that turns the interleaved layout into the half-split one.

    Returns an integer NumPy array of shape (d_model,): interleaved[:, layout_permutation(d)] == half.
    Raises ValueError for an odd or too small d_model.
    """
    columns = np.arange(even_dimension(d_model))
    return np.concatenate([columns[0::2], columns[1::2]])


def _as_real_pairs(waves, xp):
    """The same memory read as real numbers: (L, d/2) complex becomes (L, d)."""
    if is_torch_array(waves):
        return xp.flatten(xp.view_as_real(waves), start_dim=1)
    return waves.view(waves.real.dtype)
