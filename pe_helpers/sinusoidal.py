"""The sinusoidal position encoding and the matrix that shifts it.

Formulas: Vaswani et al., "Attention Is All You Need" (2017), section 3.5, https://arxiv.org/abs/1706.03762.
All of it works on NumPy arrays and torch tensors on any device: what kind of positions goes in comes out.
"""

from numbers import Integral

import numpy as np
from array_api_compat import device, is_torch_array

from .arguments import even_dimension, integer, one_of, real, real_array

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
    positions, xp = _as_positions(positions)
    return _outer(positions, rates, xp)


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
    positions, xp = _as_positions(positions)
    one_of("layout", layout, LAYOUTS)
    dtype = _floating_dtype(dtype, positions, xp)
    if is_length or _are_consecutive(positions, xp):
        waves = _waves_by_shifts(positions, rates, dtype, xp)
        if layout == "interleaved":
            return xp.astype(_as_real_pairs(waves, xp), dtype, copy=False)
        sines, cosines = xp.real(waves), xp.imag(waves)
    else:
        theta = _outer(positions, rates, xp)
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


def _as_positions(positions):
    """(1-D array, its array namespace), or a ValueError that says what positions may be."""
    if isinstance(positions, Integral) and not isinstance(positions, bool):
        positions = np.arange(integer("positions", positions, 0))
    return real_array("positions", positions, 1, "an int ≥ 0 or a 1-D array of finite real numbers")


def _floating_dtype(dtype, positions, xp):
    if dtype is None:
        info = xp.__array_namespace_info__()
        return info.default_dtypes(device=device(positions))["real floating"]
    try:
        found = getattr(xp, dtype) if isinstance(dtype, str) else dtype
        found = found if is_torch_array(positions) else np.dtype(found)
        floating = xp.isdtype(found, "real floating")
    except (TypeError, ValueError, AttributeError):  # not a dtype of this library
        floating = False
    if not floating:
        library = "torch" if is_torch_array(positions) else "NumPy"
        raise ValueError(f"dtype must be None or a floating dtype of {library}; got {dtype!r}")
    return found


def _outer(positions, rates, xp):
    """positions × rates, (L, d/2), in float64 where the device has it."""
    where = device(positions)
    has_float64 = "float64" in xp.__array_namespace_info__().dtypes(device=where, kind="real floating")
    exact = xp.float64 if has_float64 else xp.float32
    rates = xp.asarray(rates, dtype=exact, device=where)
    return xp.astype(positions, exact)[:, None] * rates


def _are_consecutive(positions, xp):
    """Whether the positions are n, n+1, n+2 … of an integer dtype, which the shift theorem needs."""
    length = positions.shape[0]
    if not xp.isdtype(positions.dtype, "integral"):
        return False
    if length and int(positions[-1]) - int(positions[0]) != length - 1:
        return False
    positions = xp.astype(positions, xp.int64, copy=False)  # a difference of uint8 would wrap
    return bool(xp.all(positions[1:] - positions[:-1] == 1))


def _waves_by_shifts(positions, rates, dtype, xp):
    """sin θ + i cos θ for consecutive positions, (L, d/2), complex64 up to float32, else complex128.

    A table of fine turns, a step each, and one of coarse turns, each as long as all fine ones, have about
    √L rows; both are made in float64. Every row of the result is a product of one row of each.
    """
    length, pairs = positions.shape[0], len(rates)
    bits = max(length - 1, 0).bit_length()
    first = 1j * np.exp(-1j * (int(positions[0]) * rates if length else rates))
    fine, turn = _by_doubling(np.ones(pairs), np.exp(-1j * rates), bits // 2)
    coarse, _ = _by_doubling(first, turn, bits - bits // 2)

    kind = xp.complex64 if xp.finfo(dtype).bits <= 32 else xp.complex128
    where = device(positions)
    fine, coarse = (xp.asarray(table, dtype=kind, device=where) for table in (fine, coarse))
    waves = xp.empty((length, pairs), dtype=kind, device=where)
    whole, rest = divmod(length, len(fine))
    done = length - rest
    blocks = xp.reshape(waves[:done], (whole, len(fine), pairs))
    xp.multiply(coarse[:whole, None, :], fine, out=blocks)
    if rest:
        xp.multiply(coarse[whole], fine[:rest], out=waves[done:])
    return waves


def _by_doubling(first, turn, bits):
    """(first · turnⁿ for n = 0 … 2^bits - 1, turn^(2^bits)), complex128: each product doubles the table.

    Squaring doubles the error along with the angle, so the error stays in proportion to the position, as
    does that of the product p · ω.
    """
    table = np.empty((1 << bits, len(first)), complex)
    table[0] = first
    for bit in range(bits):
        half = 1 << bit
        np.multiply(table[:half], turn, out=table[half : 2 * half])
        turn = turn * turn
    return table, turn


def _as_real_pairs(waves, xp):
    """The same memory read as real numbers: (L, d/2) complex becomes (L, d)."""
    if is_torch_array(waves):
        return xp.flatten(xp.view_as_real(waves), start_dim=1)
    return waves.view(waves.real.dtype)
