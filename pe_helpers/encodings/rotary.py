"""Rotary encoding: the query and the key are rotated by their position.

Formula: Su et al., "RoFormer" (2021), section 3.2, https://arxiv.org/abs/2104.09864. A pair of columns is a
complex number, and at position p that of pair i is multiplied by e^(i p ω_i). With T, the `shift_matrix` of
the sinusoidal encoding, the row x at position p becomes x @ T(-p). That is the other direction: PE(p) is
PE(0) @ T(p). The score of a query q at position m with a key k at n is q @ T(n - m) @ kᵀ.
The functions take NumPy arrays and torch tensors on any device and return the kind that they were given.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from array_api_compat import device, is_array_api_obj, is_torch_array

from .._arguments import Array, ArrayLike, as_floating, even_dimension, float_array, one_of, real_array
from ._waves import are_consecutive, as_positions, complex_dtype, floating_dtype, outer, waves_by_shifts
from .sinusoidal import LAYOUTS, angle_rates

BLOCK = 2**18  # how many numbers are rotated at once: as many as fit into the cache


def apply_rotary(
    x: ArrayLike, positions: ArrayLike, *, base: float = 1e4, layout: str = "interleaved", rates: Any = None
) -> Array:
    """Rotate every pair of columns of x by the angle p · ω_i, p being the position of the row.

    x: queries or keys, (…, L, d): positions on the axis before the last, as in (batch, heads, L, d). NaNs and
        infinities are not refused; they spoil their own pair only.
    positions: the int L for 0 … L-1, or L numbers, fractions and negative numbers included.
    layout: "interleaved" rotates columns 2i and 2i+1 together, "half" columns i and i + d/2.
    rates: ω_i, radians per position; None means `angle_rates(d, base=base)`. With n < d/2 of them only the
        first 2n columns are rotated, in the same layout, and the others stay as they are (partial rotary).
    Returns an array of the shape, dtype and device of x, as exact as `rotate_pairs` says. To rotate several
    arrays by the same positions, make the `rotary_table` once and call `rotate_pairs`.
    Raises ValueError for x with less than two axes, for an odd d without rates, and as `rotary_table` and
    `rotate_pairs` do: there must be as many positions as rows, and at most half as many rates as columns.

    >>> apply_rotary([[1, 0], [1, 0]], 2).round(2).tolist()
    [[1.0, 0.0], [0.54, 0.84]]
    """
    x, xp = _vectors(x)
    if rates is None:
        rates = angle_rates(even_dimension(x.shape[-1], "x.shape[-1]"), base=base)
    table = rotary_table(positions, rates, dtype="float32" if xp.finfo(x.dtype).bits <= 32 else "float64")
    return rotate_pairs(x, table, layout=layout)


def rotary_table(positions: ArrayLike, rates: ArrayLike, *, dtype: object = None) -> Array:
    """Return e^(i p ω), by which `rotate_pairs` multiplies: cosines as real part, sines as imaginary part.

    positions: an int L for 0 … L-1, or any 1-D array of numbers, fractions and negative numbers included.
    rates: ω, radians per position, one for each pair: `angle_rates(d)`, or a function of `rates`.
    dtype: floating dtype of what will be rotated, or its name; None means float64 for NumPy and torch's
        default dtype for tensors.
    Returns an array of shape (L, len(rates)) on the positions' device, complex64 up to float32 and complex128
    for wider dtypes; the angles are formed in float64 where the device has it. The table of -p is its
    conjugate, that of p + q is the product of both.
    Raises ValueError for rates or positions that are not 1-D, real and finite, or a dtype that is not
    floating.

    >>> rotary_table(2, [1.0, 0.5]).real.round(2).tolist()
    [[1.0, 1.0], [0.54, 0.88]]
    """
    if getattr(rates, "requires_grad", False):
        raise ValueError(f"rates must be detached, for gradients end here; got {rates!r:.80}")
    rates = float_array("rates", rates, 1, "a 1-D array of finite real numbers, radians per position")
    positions, xp = as_positions(positions)
    dtype = floating_dtype(dtype, xp)
    if are_consecutive(positions, xp):
        return waves_by_shifts(positions, rates, dtype, xp)
    return xp.astype(xp.exp(1j * outer(positions, rates, xp)), complex_dtype(dtype, xp), copy=False)


def rotate_pairs(x: ArrayLike, table: Array, *, layout: str = "interleaved") -> Array:
    """Multiply every pair of columns of x, as a complex number, by the entry of the table.

    x, layout: as in `apply_rotary`.
    table: complex, (L, n) with 2n ≤ d, from `rotary_table`; the first 2n columns of x are multiplied. A table
        times a number scales as well (`yarn_attention_factor`); its conjugate rotates back. Or real, its
        cosines and sines, (2, L, n): `torch.compile` makes no code for complex numbers, and is faster so.
    Returns an array of the shape, dtype (byte order included) and device of x; computed in float32 where x is
    narrower, and no more exact than float64 where it is wider.
    Raises ValueError for x or a table of another kind or shape.

    >>> rotate_pairs([[1.0, 2.0, 3.0, 4.0]], np.array([[1j, -1]])).tolist()
    [[-2.0, 1.0, -3.0, -4.0]]
    >>> cosines, sines = [[0.0, -1.0]], [[1.0, 0.0]]
    >>> rotate_pairs([[1.0, 2.0, 3.0, 4.0]], np.array([cosines, sines])).tolist()
    [[-2.0, 1.0, -3.0, -4.0]]
    """
    x, xp = _vectors(x)
    one_of("layout", layout, LAYOUTS)
    table = _table_for(x, table, xp)  # (L, n), or (2, L, n)
    columns, is_torch = 2 * table.shape[-1], is_torch_array(x)
    if columns < x.shape[-1]:
        rotated = rotate_pairs(x[..., :columns], table, layout=layout)
        return xp.astype(xp.concat([rotated, x[..., columns:]], axis=-1), x.dtype, copy=False)
    # There are no narrower complex numbers, and torch.compile leaves complex numbers out.
    if table.ndim == 3 or xp.finfo(x.dtype).bits < 32 or (is_torch and xp.compiler.is_compiling()):
        return _rotate_by_parts(x, table, layout, xp)
    if layout == "interleaved":
        return _rotate_complex(x, table, xp)
    if is_torch and x.device.type == "cpu":
        rotated, cosine, sine = xp.empty_like(x), xp.real(table), xp.imag(table).contiguous()
        cosines = xp.concat([cosine, cosine], axis=-1).expand(x.shape)
        with suppress(RuntimeError):  # torch refuses to write in place under gradients and torch.func
            _rotate_halves(xp, x, rotated, cosines, sine.expand(*x.shape[:-1], -1))  # allocates nothing
            return rotated
    return _rotate_by_parts(x, table, layout, xp)


def _vectors(x):
    """Return (x in a floating dtype, its array namespace), or raise a ValueError that says what x may be."""
    x, xp = real_array("x", x, None, "an array of real numbers, (…, positions, columns)", finite=False)
    if x.ndim < 2:
        raise ValueError(f"x must be (…, positions, columns); got shape {tuple(x.shape)}")
    return as_floating(x, xp), xp


def _table_for(x, table, xp):
    """Return the table in the library, precision and place of x; raise ValueError if it does not fit x."""
    is_array = is_array_api_obj(table)
    is_complex, is_real = (is_array and kind in str(table.dtype) for kind in ("complex", "float"))
    is_table = (is_complex and table.ndim == 2) or (is_real and table.ndim == 3 and len(table) == 2)
    if not is_table or table.shape[-2] != x.shape[-2] or 2 * table.shape[-1] > x.shape[-1]:
        found = f"{table.dtype}, shape {tuple(table.shape)}" if is_array else repr(table)
        sizes = f"{x.shape[-2]} positions × at most {x.shape[-1] // 2} rates"
        allowed = f"complex, {sizes} for this x, or two such real ones in one array"
        raise ValueError(f"table must be {allowed}; got {found}")
    kind = complex_dtype(x.dtype, xp)
    if is_real:
        kind = xp.float32 if kind == xp.complex64 else xp.float64
    if not is_torch_array(x):
        return np.asarray(table, dtype=kind)
    table = table if is_torch_array(table) else xp.asarray(table)  # asarray would drop a gradient
    return table.to(device(x), kind)


def _rotate_by_parts(x, table, layout, xp):
    """Write out (a + ib)(cos + i sin), in float32 or wider; torch.compile makes one pass of it."""
    cosine, sine = table if table.ndim == 3 else (xp.real(table), xp.imag(table))
    half = cosine.shape[1]
    wide = xp.astype(x, cosine.dtype, copy=False)
    if layout == "half":
        axis, first, second = -2, wide[..., :half], wide[..., half:]  # (…, L, d/2) each
    else:
        axis, first, second = -1, wide[..., 0::2], wide[..., 1::2]
    # narrow again before both are put together: else a compiler keeps a wide array in between
    parts = first * cosine - second * sine, second * cosine + first * sine
    rotated = xp.stack([xp.astype(part, x.dtype, copy=False) for part in parts], axis=axis)
    return xp.astype(xp.reshape(rotated, x.shape), x.dtype, copy=False)


def _rotate_complex(x, table, xp):
    """Read interleaved pairs as complex numbers, without a copy where they lie in memory as those do."""
    if not is_torch_array(x):
        pairs = np.ascontiguousarray(x, dtype=table.real.dtype)
        return (pairs.view(table.dtype) * table).view(pairs.dtype).astype(x.dtype, copy=False)
    pairs = x.unflatten(-1, (-1, 2))  # (…, L, d/2, 2)
    *strides, last = pairs.stride()
    if last != 1 or any(stride % 2 for stride in (*strides, x.storage_offset())):
        pairs = pairs.clone(memory_format=xp.contiguous_format)
    return xp.view_as_real(xp.view_as_complex(pairs) * table).flatten(-2)


def _rotate_halves(xp, source, target, cosines, sine):
    """Write both halves times the cosines, then add the other half times the sines, a block at a time.

    Each block is read three times, so it has to stay in the cache meanwhile.
    """
    axis = next((axis for axis, size in enumerate(source.shape[:-1]) if size > 1), None)
    if source.numel() > BLOCK and axis is not None:
        parts = (whole.chunk(2, axis) for whole in (source, target, cosines, sine))
        for part in zip(*parts, strict=True):
            _rotate_halves(xp, *part)
        return
    half = sine.shape[-1]
    xp.multiply(source, cosines, out=target)
    target[..., :half].addcmul_(source[..., half:], sine, value=-1)
    target[..., half:].addcmul_(source[..., :half], sine)
