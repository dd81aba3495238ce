"""The state of a training in one file, which is written completely or not at all."""

from __future__ import annotations

import io
import os
from pathlib import Path

import torch
from torch.nn import Module
from torch.optim import Optimizer


def write_whole(path: str | Path, content: bytes) -> None:
    """Write under another name, then rename: a reader finds the old file or the new one, never a part.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "table.csv")
    >>> write_whole(path, b"a,b")
    >>> path.read_bytes()
    b'a,b'
    """
    part = Path(f"{path}.{os.getpid()}.part")  # another process may write the same file
    part.write_bytes(content)
    os.replace(part, path)


def save(path: Path, model: Module, optimizer: Optimizer, settings: object, *curves: list[float]) -> None:
    """Write the model, the optimizer, the curves (a number per step) and a description of the training."""
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "curves": curves}
    file = io.BytesIO()
    torch.save(state | {"description": _description(model, settings)}, file)
    write_whole(path, file.getvalue())


def load(path: Path, model: Module, optimizer: Optimizer, settings: object) -> list[list[float]]:
    """Restore what `save` wrote into model and optimizer; return the curves, two empty ones without a file.

    Raises ValueError, with model and optimizer unchanged, for a file that `save` did not write, or wrote for
    another model or other settings, and for a folder that does not exist.
    """
    if not path.parent.is_dir():
        raise ValueError(f"checkpoint must be in a folder that exists; got {path}")
    if not path.exists():
        return [[], []]
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        then = state["description"]
    except Exception as error:  # torch raises many kinds
        raise ValueError(f"checkpoint must be a file that train wrote; got {path}") from error
    now = _description(model, settings)
    for name in now | then:
        if then.get(name) != now.get(name):
            raise ValueError(f"checkpoint must have {name} {now.get(name)}; got {then.get(name)} in {path}")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["curves"]


def _description(model: Module, settings: object) -> dict[str, str]:
    """Return what a checkpoint and the training that resumes from it must have in common."""
    shapes = {f"weights {name}": str(tuple(x.shape)) for name, x in model.state_dict().items()}
    return {"model": f"{type(model).__name__}({model.extra_repr()})", "settings": str(settings), **shapes}
