"""The state of a training in one file (safetensors), written whole or not at all."""

import json
import os
from pathlib import Path

import safetensors.torch
import torch


def _described(model, settings):
    """What a checkpoint must agree with, as JSON has it."""
    described = {"model": f"{type(model).__name__}({model.extra_repr()})", "settings": settings._asdict()}
    return json.loads(json.dumps(described))


def save(path, model, optimizer, settings, loss, right):
    """Write the whole state under another name, then rename: a reader finds the old one or the new one."""
    path = Path(path)
    tensors = {f"model.{name}": value.contiguous() for name, value in model.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(value) for name, value in state.items()}
    tensors["loss"], tensors["right"] = (torch.tensor(x, dtype=torch.float64) for x in (loss, right))
    described = {name: json.dumps(value) for name, value in _described(model, settings).items()}
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as file:
        file.write(safetensors.torch.save(tensors, described))
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def load(path, model, optimizer, settings):
    """Take up the state of a checkpoint if there is one; returns the (loss, right) so far."""
    path = Path(path)
    if not path.parent.is_dir():
        raise ValueError(f"checkpoint must be in a folder that exists; got {str(path)!r}")
    if not path.exists():
        return [], []
    described, tensors = _read(path)
    for name, wanted in _described(model, settings).items():
        if described[name] != wanted:
            raise ValueError(
                f"checkpoint {path} was made with other {name}: {described[name]}; now it is {wanted}. "
                "Delete it or choose another path"
            )
    weights, state = {}, {}
    for name, value in tensors.items():
        kind, _, rest = name.partition(".")
        if kind == "model":
            weights[rest] = value
        elif kind == "optimizer":
            number, _, part = rest.partition(".")
            state.setdefault(int(number), {})[part] = value
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        told = f"checkpoint {path} is of another model; delete it or choose another path. {error}"
        raise ValueError(told) from error
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    return tensors["loss"].tolist(), tensors["right"].tolist()


def _read(path):
    """(what it was made with, {name: tensor}) of a checkpoint, or a ValueError."""
    try:
        with safetensors.safe_open(path, "pt") as file:
            described = {name: json.loads(file.metadata()[name]) for name in ("model", "settings")}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if len(tensors["loss"]) == len(tensors["right"]):
                return described, tensors
            raise ValueError("its curves differ in length")
    except (safetensors.SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"checkpoint must be a file that train wrote; {path} is not, or is broken: {error!r}. Delete it"
        ) from error
