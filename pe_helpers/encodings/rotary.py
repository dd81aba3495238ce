"""Rotary encoding: the query and the key are turned by their position.

Formula: Su et al., "RoFormer" (2021), section 3.2, https://arxiv.org/abs/2104.09864. A pair of columns is a
complex number, and at position p that of pair i is multiplied by e^(i p ω_i). As a column vector x becomes
T(p) x, T being the `shift_matrix` of the sinusoidal encoding, so the score of a query at m with a key at n
is qᵀ T(n - m) k. Works on NumPy arrays and torch tensors on any device: what kind goes in comes out.
"""

from contextlib import suppress

import numpy as np
from array_api_compat import device, is_array_api_obj, is_torch_array

from .._arguments import as_floating, as_numpy, float_array, one_of, real_array
from ._waves import are_consecutive, as_positions, complex_dtype, floating_dtype, outer, waves_by_shifts
from .sinusoidal import LAYOUTS, angle_rates

BLOCK = 2**18  # as many numbers are turned at once as the cache holds


def apply_rotary(x, positions, *, base=10000.0, layout="interleaved", rates=None):
    """Turn every pair of columns of x by the angle p · ω_i, p being the position of the row.

    x: queries or keys, (…, L, d): positions on the axis before the last, as in (batch, heads, L, d). It is
        not searched for NaNs and infinities; they stay within their pair.
    positions: the int L for 0 … L-1, or L numbers, fractions and negatives included.
    layout: "interleaved" turns columns 2i and 2i+1 together, "half" columns i and i + d/2.
    rates: ω_i, radians per position; None means `angle_rates(d, base=base)`. With n < d/2 of them only the
        first 2n columns turn, in the same layout, and the others stay as they are (partial rotary).
    Returns an array of the shape, dtype and device of x, as exact as `rotate_pairs` says. To turn several
    arrays by the same positions, make the `rotary_table` once and call `rotate_pairs`.
    Raises ValueError for x with less than two axes, for an odd d without rates, for positions or rates that
    do not fit x, and as `rotary_table` does.
    """
    x, xp = _vectors(x)
    length, d = x.shape[-2:]
    if rates is None:
        if d < 2 or d % 2:
            raise ValueError(f"x must be of an even number ≥ 2 of columns, unless rates are given; got {d}")
        rates = angle_rates(d, base=base)
    rates = _rates(rates)
    if 2 * len(rates) > d:
        raise ValueError(f"rates must be at most half as many as x has columns, {d // 2}; got {len(rates)}")
    positions, _ = as_positions(positions)
    if len(positions) != length:
        raise ValueError(f"positions must be as many as x has rows, {length}; got {len(positions)}")
    table = rotary_table(positions, rates, dtype="float32" if xp.finfo(x.dtype).bits <= 32 else "float64")
    return rotate_pairs(x, table, layout=layout)


def rotary_table(positions, rates, *, dtype=None):
    """e^(i p ω), by which `rotate_pairs` multiplies: cosines in its real part, sines in its imaginary part.

    positions: an int L for 0 … L-1, or any 1-D array of numbers, fractions and negatives included.
    rates: ω, radians per position, one for each pair: `angle_rates(d)`, or a function of `rates`.
    dtype: floating dtype of what will be turned, or its name; None means float64 for NumPy and torch's
        default dtype for tensors.
    Returns an array of shape (L, len(rates)) on the positions' device, complex64 up to float32 and complex128
    for wider dtypes; the angles are formed in float64 where the device has it. The table of -p is its
    conjugate, that of p + q the product of both.
    Raises ValueError for rates or positions that are not 1-D, real and finite, or a dtype that is not
    floating.
    """
    rates = _rates(rates)
    positions, xp = as_positions(positions)
    dtype = floating_dtype(dtype, positions, xp)
    if are_consecutive(positions, xp):
        return -1j * waves_by_shifts(positions, -rates, dtype, xp)
    return xp.astype(xp.exp(1j * outer(positions, rates, xp)), complex_dtype(dtype, xp), copy=False)


def rotate_pairs(x, table, *, layout="interleaved"):
    """Multiply every pair of columns of x, as a complex number, by the entry of the table.

    x, layout: as in `apply_rotary`.
    table: complex, (L, n) with 2n ≤ d, from `rotary_table`; the first 2n columns of x are multiplied. Times
        a number it scales as well (`yarn_attention_factor`); its conjugate turns back.
    Returns an array of the shape, dtype (byte order included) and device of x; computed in float32 where x is
    narrower, and no more exact than float64 where it is wider.
    Raises ValueError for x or a table of another kind or shape.

    Interleaved pairs are multiplied as complex numbers in one pass; halves of tensors on the CPU go block by
    block through the cache. Under `torch.compile`, and where x is narrower than float32, both are
    plain arithmetic, which the compiler fuses into one pass.
    """
    x, xp = _vectors(x)
    one_of("layout", layout, LAYOUTS)
    table = _table_for(x, table, xp)
    columns = 2 * table.shape[1]
    if columns < x.shape[-1]:
        turned = rotate_pairs(x[..., :columns], table, layout=layout)
        return xp.astype(xp.concat([turned, x[..., columns:]], axis=-1), x.dtype, copy=False)
    if _is_for_the_compiler(x, xp):
        return _turn_by_parts(x, table, layout, xp)
    if layout == "interleaved":
        return _turn_complex(x, table, xp)
    if is_torch_array(x) and x.device.type == "cpu":
        with suppress(RuntimeError):  # it writes in place, which gradients and torch.func do not allow
            return _turn_halves(x, table, xp)
    return _turn_by_parts(x, table, layout, xp)


def _rates(rates):
    """The rates as a float64 NumPy array, or a ValueError that says what they may be."""
    return float_array("rates", rates, 1, "a 1-D array of finite real numbers, radians per position")


def _vectors(x):
    """(x in a floating dtype, its array namespace), or a ValueError that says what x may be."""
    allowed = "an array of real numbers, (…, positions, columns)"
    x, xp = real_array("x", x, None, allowed, finite=False)
    if x.ndim < 2:
        raise ValueError(f"x must be {allowed}; got shape {tuple(x.shape)}")
    return as_floating(x, xp), xp


def _table_for(x, table, xp):
    """The table in the library, precision and place of x, or a ValueError if it does not fit."""
    allowed = f"complex, ({x.shape[-2]}, at most {x.shape[-1] // 2}) for this x"
    if not is_array_api_obj(table) or "complex" not in str(table.dtype):
        raise ValueError(f"table must be {allowed}; got {table!r}")
    if table.ndim != 2 or table.shape[0] != x.shape[-2] or 2 * table.shape[1] > x.shape[-1]:
        raise ValueError(f"table must be {allowed}; got shape {tuple(table.shape)}")
    if is_torch_array(x) and is_torch_array(table):  # keeps its gradient
        return table.to(device(x), complex_dtype(x.dtype, xp))
    table = table if is_torch_array(x) else as_numpy(table)
    return xp.asarray(table, dtype=complex_dtype(x.dtype, xp), device=device(x))


def _is_for_the_compiler(x, xp):
    """Whether x is too narrow for complex numbers, or torch.compile, which leaves those out, is at work."""
    return xp.finfo(x.dtype).bits < 32 or (is_torch_array(x) and xp.compiler.is_compiling())


def _turn_by_parts(x, table, layout, xp):
    """(a + ib)(cos + i sin) written out, in float32 or wider."""
    half = x.shape[-1] // 2
    wide = xp.astype(x, xp.float32, copy=False) if xp.finfo(x.dtype).bits < 32 else x
    if layout == "half":
        first, second = wide[..., :half], wide[..., half:]
    else:
        pairs = xp.reshape(wide, (*x.shape[:-1], half, 2))
        first, second = pairs[..., 0], pairs[..., 1]
    cosine, sine = xp.real(table), xp.imag(table)
    turned = first * cosine - second * sine, second * cosine + first * sine
    joined = (
        xp.concat(turned, axis=-1) if layout == "half" else xp.reshape(xp.stack(turned, axis=-1), x.shape)
    )
    return xp.astype(joined, x.dtype, copy=False)


def _turn_complex(x, table, xp):
    """Interleaved pairs are complex numbers as they lie in memory; no copy of native ones but the product."""
    if not is_torch_array(x):
        pairs = np.ascontiguousarray(x, dtype=table.real.dtype)
        return (pairs.view(table.dtype) * table).view(pairs.dtype).astype(x.dtype, copy=False)
    pairs = x.unflatten(-1, (-1, 2))
    *strides, last = pairs.stride()
    if last != 1 or any(stride % 2 for stride in (*strides, x.storage_offset())):
        pairs = pairs.contiguous()
    return xp.view_as_real(xp.view_as_complex(pairs) * table).flatten(-2)


def _turn_halves(x, table, xp):
    cosine, sine = xp.real(table).contiguous(), xp.imag(table).contiguous()
    turned = xp.empty_like(x)
    _turn_in_blocks(x, turned, xp.concat([cosine, cosine], axis=-1), sine, xp)
    return turned


def _turn_in_blocks(source, target, cosines, sine, xp):
    """Both halves times the cosines, then crosswise times the sines, while the block is in the cache."""
    if source.numel() <= BLOCK or source.shape[:-1].numel() == 1:
        half = sine.shape[-1]
        xp.multiply(source, cosines, out=target)
        target[..., :half].addcmul_(source[..., half:], sine, value=-1)
        target[..., half:].addcmul_(source[..., :half], sine)
    elif source.ndim == 2:
        for part in zip(*(whole.chunk(2) for whole in (source, target, cosines, sine)), strict=True):
            _turn_in_blocks(*part, xp)
    elif len(source) == 1:
        _turn_in_blocks(source[0], target[0], cosines, sine, xp)
    else:
        for part in zip(source.chunk(2), target.chunk(2), strict=True):
            _turn_in_blocks(*part, cosines, sine, xp)
