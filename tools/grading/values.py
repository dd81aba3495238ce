"""Arguments and results as JSON. Reading them runs nothing, whoever wrote them."""

import base64
import io
import math

import numpy as np


def packed(value, functions=None):
    """The value as what JSON has.

    value: None, a truth value, a number, a text, an array or tensor of such, a list or tuple of all these, or
        a function that the notebook has under a name.
    functions: {id of a function: its name}.
    Raises ValueError for anything else.

    >>> packed((1, [0.5, "a"]))
    {'tuple': [1, {'list': [0.5, 'a']}]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if type(value) in (list, tuple):
        return {type(value).__name__: [packed(each, functions) for each in value]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        return {"array": base64.b64encode(file.getvalue()).decode()}
    if type(value).__module__ == "torch" and hasattr(value, "detach"):
        return {"tensor": packed(value.detach().cpu().numpy())}
    if callable(value) and id(value) in (functions or {}):
        return {"function": functions[id(value)]}
    kinds = "numbers, texts, arrays, lists and tuples of them, or functions that the notebook names"
    raise ValueError(f"arguments must be {kinds}; got {value!r}")


def unpacked(value, function):
    """The value that `packed` was given.

    function: what gives the function of a name.

    >>> unpacked({"tuple": [1, {"list": [0.5, "a"]}]}, None)
    (1, [0.5, 'a'])
    """
    if not isinstance(value, dict):
        return value
    ((kind, inside),) = value.items()
    if kind == "array":
        return np.load(io.BytesIO(base64.b64decode(inside)), allow_pickle=False)
    if kind == "tensor":
        import torch

        return torch.from_numpy(unpacked(inside, function))
    if kind == "function":
        return function(inside)
    return {"list": list, "tuple": tuple}[kind](unpacked(each, function) for each in inside)


def packed_result(array):
    """An array of real numbers as what JSON has: its shape, and its values as float64.

    >>> packed_result(np.array(1.0))
    {'shape': [], 'values': 'AAAAAAAA8D8='}
    """
    return {"shape": list(array.shape), "values": base64.b64encode(array.astype("<f8").tobytes()).decode()}


def unpacked_result(result):
    """The array of real numbers that `packed_result` was given; raises ValueError where nobody gave it that.

    The shape takes no memory before the values are there.

    >>> unpacked_result({"shape": [], "values": "AAAAAAAA8D8="})
    array(1.)
    >>> unpacked_result({"shape": [10**9, 10**9], "values": ""})
    Traceback (most recent call last):
    ValueError: a result must have as many values as its shape says
    """
    shape, values = result["shape"], base64.b64decode(result["values"], validate=True)
    is_shape = isinstance(shape, list) and all(type(n) is int and 0 <= n < 2**31 for n in shape)
    if not is_shape or len(shape) > 32 or 8 * math.prod(shape) != len(values):
        raise ValueError("a result must have as many values as its shape says")
    return np.frombuffer(values, "<f8").reshape(shape)
