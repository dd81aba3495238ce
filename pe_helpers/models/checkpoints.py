"""The state of a training in one file (safetensors), written whole or not at all."""

import json
import os
from pathlib import Path

import safetensors.torch
import torch


def write_whole(path, content):
    """Write bytes under another name, then rename: a reader finds the old file or the new one."""
    path = Path(path)
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def save(path, model, optimizer, settings, loss, right):
    """Write weights, the optimizer's state, both curves (lists of floats) and what they were made with."""
    tensors = {f"model.{name}": value.contiguous() for name, value in model.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(value) for name, value in state.items()}
    tensors["loss"], tensors["right"] = (torch.tensor(x, dtype=torch.float64) for x in (loss, right))
    described = {name: json.dumps(value) for name, value in _described(model, settings).items()}
    write_whole(path, safetensors.torch.save(tensors, described))


def load(path, model, optimizer, settings):
    """Take up what `save` wrote; returns the curves (loss, right), or None where there is no file.

    Raises ValueError, with model and optimizer as they were, for a file that cannot be read, that `save` did
    not write, or that was made with another model or other settings.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        if path.parent.is_dir():
            return None
        raise ValueError(f"checkpoint must be in a folder that exists; got {str(path)!r}") from None
    except OSError as error:
        told = f"checkpoint must be a file that can be read; {str(path)!r} cannot: {error.strerror or error}"
        raise ValueError(told) from error
    described, weights, state, curves = _parsed(content, path)
    now = _described(model, settings) | _shapes(model.state_dict())
    then = described | _shapes(weights)
    for name in now | then:
        if then.get(name) != now.get(name):
            raise ValueError(
                f"checkpoint {path} was made with other {name}: {then.get(name)}; now it is {now.get(name)}. "
                "Delete it or choose another path"
            )
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    model.load_state_dict(weights)
    return curves


def _described(model, settings):
    """What a checkpoint must agree with besides the weights, as JSON has it."""
    described = {"model": f"{type(model).__name__}({model.extra_repr()})", "settings": settings._asdict()}
    return json.loads(json.dumps(described))


def _shapes(weights):
    return {f"weights {name}": tuple(value.shape) for name, value in weights.items()}


def _parsed(content, path):
    """(what it was made with, weights, the optimizer's state, curves) of a file's bytes, or a ValueError."""
    try:
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        described = {name: json.loads(header["__metadata__"][name]) for name in ("model", "settings")}
        tensors = safetensors.torch.load(content)
        curves = tensors.pop("loss").tolist(), tensors.pop("right").tolist()
        if len(curves[0]) != len(curves[1]):
            raise ValueError("its curves differ in length")
        weights, state = {}, {}
        for name, value in tensors.items():
            kind, rest = name.split(".", 1)
            if kind == "model":
                weights[rest] = value
            else:
                number, part = rest.split(".")
                state.setdefault(int(number), {})[part] = value
    except (safetensors.SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"checkpoint must be a file that train wrote; {path} is not, or is broken: {error!r}. "
            "Delete it or choose another path"
        ) from error
    return described, weights, state, curves
