"""What the sinusoidal and the rotary encoding share: the angle of every pair at every position, as a wave."""

from numbers import Integral

import numpy as np
from array_api_compat import device, is_torch_array

from .._arguments import integer, real_array


def as_positions(positions):
    """(1-D array, its array namespace), or a ValueError that says what positions may be."""
    if isinstance(positions, Integral) and not isinstance(positions, bool):
        positions = np.arange(integer("positions", positions, 0))
    return real_array("positions", positions, 1, "an int ≥ 0 or a 1-D array of finite real numbers")


def floating_dtype(dtype, positions, xp):
    """The floating dtype of the positions' library that `dtype` names; None means the library's default."""
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


def complex_dtype(dtype, xp):
    """What waves are held in: complex64 up to float32, else complex128."""
    return xp.complex64 if xp.finfo(dtype).bits <= 32 else xp.complex128


def outer(positions, rates, xp):
    """positions × rates, (L, d/2), in float64 where the device has it."""
    positions = as_exact(positions, xp)
    return positions[:, None] * xp.asarray(rates, dtype=positions.dtype, device=device(positions))


def as_exact(positions, xp):
    """The positions in float64, or in float32 on a device that has no float64."""
    kinds = xp.__array_namespace_info__().dtypes(device=device(positions), kind="real floating")
    return xp.astype(positions, kinds.get("float64", xp.float32))


def are_consecutive(positions, xp):
    """Whether the positions are n, n+1, n+2 … of an integer dtype, which the shift theorem needs."""
    length = positions.shape[0]
    if not xp.isdtype(positions.dtype, "integral"):
        return False
    if length and int(positions[-1]) - int(positions[0]) != length - 1:
        return False
    positions = xp.astype(positions, xp.int64, copy=False)  # a difference of uint8 would wrap
    return bool(xp.all(positions[1:] - positions[:-1] == 1))


def waves_by_shifts(positions, rates, dtype, xp):
    """sin θ + i cos θ for consecutive positions, (L, d/2), complex64 up to float32, else complex128.

    A table of fine turns, a step each, and one of coarse turns, each as long as all fine ones, have about
    √L rows; both are made in float64. Every row of the result is a product of one row of each.
    """
    length, pairs = positions.shape[0], len(rates)
    bits = max(length - 1, 0).bit_length()
    first = 1j * np.exp(-1j * (int(positions[0]) * rates if length else rates))
    fine, turn = _by_doubling(np.ones(pairs), np.exp(-1j * rates), bits // 2)
    coarse, _ = _by_doubling(first, turn, bits - bits // 2)

    kind, where = complex_dtype(dtype, xp), device(positions)
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
