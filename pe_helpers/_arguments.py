"""Checks that every room uses. Their errors name the argument, say what is allowed and give the value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj

if TYPE_CHECKING:
    import torch

# The first is what functions return: the kind that goes in comes out. The second is what they take: lists,
# ranges and numbers, too. Both are strings, so that torch need not be loaded.
Array: TypeAlias = "np.ndarray | torch.Tensor"
ArrayLike: TypeAlias = "np.typing.ArrayLike | torch.Tensor"


def integer(name: str, value: Any, low: int) -> int:
    """Return `value` as an int if it is an integer and at least `low`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise ValueError(f"{name} must be an integer ≥ {low}; got {value!r}")
    return int(value)


def real(name: str, value: Any, above: float = -math.inf) -> float:
    """Return `value` as a float if it is a finite number greater than `above`."""
    if isinstance(value, bool) or not isinstance(value, Real) or not above < float(value) < math.inf:
        allowed = "a finite number" if above == -math.inf else f"a finite number > {above:g}"
        raise ValueError(f"{name} must be {allowed}; got {value!r}")
    return float(value)


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the strings in `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")
    return value


def strings(name: str, value: Iterable[str]) -> list[str]:
    """Return an iterable of strings as a list; a string, of which each letter is one, is refused."""
    if isinstance(value, str):
        raise ValueError(f"{name} must be a list of strings; got {value!r}")
    return list(value)


def even_dimension(value: Any, name: str = "d_model") -> int:
    """Return `value` as an int if that many columns can be split into pairs."""
    number = integer(name, value, 2)
    if number % 2:
        raise ValueError(f"{name} must be an even integer ≥ 2, two columns for each rate; got {number}")
    return number


def real_array(
    name: str, value: Any, ndim: int | None, allowed: str, *, finite: bool = True
) -> tuple[Any, Any]:
    """Return (array, its array namespace) if `value` holds finite real numbers in `ndim` dimensions.

    NumPy arrays and torch tensors keep their kind; lists and ranges become NumPy arrays.
    ndim: None allows any number of dimensions.
    finite: False skips the search for NaN and infinity, which takes as long as a copy.
    """
    if isinstance(value, np.ma.MaskedArray):  # what comes back would have no mask
        raise ValueError(f"{name} must be {allowed}, not masked; got {value!r:.80}")
    array = value if is_array_api_obj(value) else np.asarray(value)
    xp = array_namespace(array)
    if not xp.isdtype(array.dtype, ("integral", "real floating")) or ndim not in (None, array.ndim):
        found = f"an array of {array.dtype}, shape {tuple(array.shape)}" if array.ndim else repr(value)
        raise ValueError(f"{name} must be {allowed}; got {found}")
    if finite and xp.isdtype(array.dtype, "real floating") and not bool(xp.all(xp.isfinite(array))):
        index = tuple(int(axis[0]) for axis in xp.nonzero(~xp.isfinite(array)))
        raise ValueError(f"{name} must be {allowed}; got {float(array[index])} at index {list(index)}")
    return array, xp


def float_array(name: str, value: Any, ndim: int, allowed: str) -> np.ndarray:
    """Return a float64 NumPy copy of `value` if it holds finite real numbers in `ndim` dimensions."""
    return as_numpy(real_array(name, value, ndim, allowed)[0]).astype(float)


def as_floating(array: Any, xp: Any) -> Any:
    """Return a floating array as it is, another one in the default floating dtype of its library."""
    if xp.isdtype(array.dtype, "real floating"):
        return array
    info = xp.__array_namespace_info__()
    return xp.astype(array, info.default_dtypes(device=device(array))["real floating"])


def as_numpy(value: Any) -> np.ndarray:
    """Return a number, a list, an array or a tensor as a NumPy array.

    A tensor may be on a GPU, in bfloat16, or require a gradient.
    """
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if value.is_floating_point() and value.itemsize < 4 else value
    return np.asarray(value)
