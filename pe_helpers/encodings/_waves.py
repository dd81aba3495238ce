"""What the sinusoidal and the rotary encoding share: the angle of every pair at every position, as a wave.

xp is the array namespace of the positions: NumPy or torch, under the names of the array API standard.
"""

from numbers import Integral

import numpy as np
from array_api_compat import device

from .._arguments import integer, real_array


def as_positions(positions):
    """Return (1-D array, its array namespace), or raise a ValueError that says what positions may be."""
    if isinstance(positions, Integral):
        positions = np.arange(integer("positions", positions, 0))
    return real_array("positions", positions, 1, "an int ≥ 0 or a 1-D array of finite real numbers")


def floating_dtype(dtype, xp):
    """Return the floating dtype of the library that `dtype` names; None means its default."""
    named = getattr(xp, dtype) if isinstance(dtype, str) else dtype
    found = xp.empty(0, dtype=named).dtype  # the library itself refuses what is no dtype of its own
    if not xp.isdtype(found, "real floating"):
        raise ValueError(f"dtype must be None or a floating dtype; got {dtype!r}")
    return found


def complex_dtype(dtype, xp):
    """Return the dtype of the waves: complex64 up to float32, else complex128."""
    return xp.complex64 if xp.finfo(dtype).bits <= 32 else xp.complex128


def outer(positions, rates, xp):
    """Return positions × rates, (L, d/2), in float64 where the device has it."""
    positions = as_exact(positions, xp)
    return positions[:, None] * xp.asarray(rates, dtype=positions.dtype, device=device(positions))


def as_exact(positions, xp):
    """Return the positions in float64, or in float32 on a device that has no float64."""
    kinds = xp.__array_namespace_info__().dtypes(device=device(positions), kind="real floating")
    return xp.astype(positions, kinds.get("float64", xp.float32))


def are_consecutive(positions, xp):
    """Return whether the positions are at least one integer and rise by 1, as `waves_by_shifts` needs."""
    if not positions.shape[0] or not xp.isdtype(positions.dtype, "integral"):
        return False
    positions = as_exact(positions, xp)  # a difference of integers may wrap
    return bool(xp.all(positions[1:] - positions[:-1] == 1))


def waves_by_shifts(positions, rates, dtype, xp, start=1):
    """Return start · e^(i p ω) for consecutive positions p, (L, d/2), in the `complex_dtype` of dtype.

    The positions are cut into about √L blocks of √L positions. One table holds the steps within a block, the
    other the start of every block, both in float64; each row of the result is a row of one times a row of
    the other, because e^(i (a + b) ω) = e^(i a ω) e^(i b ω). On a CUDA device their sines are all computed
    there: that is less than doubling the tables here and sending them.
    """
    length, pairs = positions.shape[0], len(rates)
    bits = (length - 1).bit_length()
    kind, where = complex_dtype(dtype, xp), device(positions)
    if getattr(where, "type", "") == "cuda":
        count = 1 << bits // 2
        steps = xp.exp(1j * outer(positions[:count] - positions[0], rates, xp))  # (steps, d/2)
        starts = start * xp.exp(1j * outer(positions[::count], rates, xp))  # (blocks, d/2)
    else:
        steps, block = _by_doubling(np.ones(pairs), np.exp(1j * rates), bits // 2)
        first = start * np.exp(1j * (int(positions[0]) * rates))
        starts, _ = _by_doubling(first, block, bits - bits // 2)
        starts = starts[: -(-length // len(steps))]
    starts, steps = (xp.asarray(table, dtype=kind, device=where) for table in (starts, steps))
    waves = starts[:, None, :] * steps  # (blocks, steps, d/2)
    return xp.reshape(waves, (len(starts) * len(steps), pairs))[:length]


def _by_doubling(first, factor, bits):
    """Return (first · factorⁿ for n = 0 … 2^bits - 1, factor^(2^bits)); each step doubles the table.

    Squaring doubles the error along with the angle. So the error stays in proportion to the position, as
    that of the product p · ω does.
    """
    table = np.empty((1 << bits, len(first)), complex)
    table[0] = first
    for bit in range(bits):
        np.multiply(table[: 1 << bit], factor, out=table[1 << bit : 2 << bit])
        factor = factor * factor
    return table, factor
