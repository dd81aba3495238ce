"""What every public function says when an argument is wrong: its name, its value, and what is allowed."""

import math
from numbers import Integral, Real

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj


def integer(name, value, low):
    """`value` as an int, if it is one and at least `low`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise ValueError(f"{name} must be an integer ≥ {low}; got {value!r}")
    return int(value)


def boolean(name, value):
    """`value` as a bool, if it is one."""
    if not isinstance(value, bool | np.bool):
        raise ValueError(f"{name} must be True or False; got {value!r}")
    return bool(value)


def real(name, value, above=-math.inf):
    """`value` as a float, if it is a finite number greater than `above`."""
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:
        number = math.inf
    if not above < number < math.inf:
        allowed = "a finite number" if above == -math.inf else f"a finite number > {above:g}"
        raise ValueError(f"{name} must be {allowed}; got {value!r}")
    return number


def one_of(name, value, allowed):
    """`value`, if it is one of the strings in `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")
    return value


def strings(name, value, allowed="a list of strings"):
    """`value` as a list, if it is a list or another iterable of strings; one string is none."""
    try:
        words = None if isinstance(value, str) else list(value)
    except TypeError:  # not an iterable
        words = None
    if words is None:
        raise ValueError(f"{name} must be {allowed}; got {value!r}")
    for n, word in enumerate(words):
        if not isinstance(word, str):
            raise ValueError(f"{name} must be {allowed}; got {word!r} at index {n}")
    return words


def even_dimension(value, name="d_model"):
    """`value` as an int, if sines and cosines can share that many columns in pairs."""
    number = integer(name, value, 2)
    if number % 2:
        raise ValueError(
            f"{name} must be an even integer ≥ 2, a sine and a cosine for every rate; got {number}"
        )
    return number


def real_array(name, value, ndim, allowed, *, finite=True):
    """(`value` as an array, its array namespace), if it holds finite real numbers in `ndim` dimensions.

    NumPy arrays and torch tensors stay what they are; lists and ranges become NumPy arrays.
    ndim: None allows any number of dimensions.
    finite: False spares the search for NaN and infinity, which costs as much as a copy.
    """
    array = value
    if not is_array_api_obj(value):
        try:
            array = np.asarray(value)
        except (TypeError, ValueError, RuntimeError):  # rows of unequal length, lists of tensors on a GPU
            array = np.asarray(None)
    try:
        xp = array_namespace(array)
        is_real = xp.isdtype(array.dtype, ("integral", "real floating"))
    except TypeError:  # an array of objects or strings
        is_real = False
    if not is_real or ndim not in (None, array.ndim):
        found = f"an array of {array.dtype}, shape {tuple(array.shape)}" if array.ndim else repr(value)
        raise ValueError(f"{name} must be {allowed}; got {found}")
    if finite and xp.isdtype(array.dtype, "real floating") and not bool(xp.all(xp.isfinite(array))):
        bad = ~xp.isfinite(array)
        index = tuple(int(where[0]) for where in xp.nonzero(bad))
        raise ValueError(f"{name} must be {allowed}; got {float(array[index])} at index {list(index)}")
    return array, xp


def float_array(name, value, ndim, allowed):
    """A copy of `value` as a float64 NumPy array, if it holds finite real numbers in `ndim` dimensions."""
    return as_numpy(real_array(name, value, ndim, allowed)[0]).astype(float)


def as_floating(array, xp):
    """The array as it is, if it is floating, else in the default floating dtype of its library."""
    if xp.isdtype(array.dtype, "real floating"):
        return array
    return xp.astype(
        array, xp.__array_namespace_info__().default_dtypes(device=device(array))["real floating"]
    )


def as_numpy(value):
    """A number, a list, an array or a tensor, also on a GPU, in bfloat16 or with a gradient, as an array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if value.is_floating_point() and value.itemsize < 4 else value
    return np.asarray(value)
