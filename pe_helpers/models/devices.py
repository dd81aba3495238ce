"""The device on which the notebook cells tagged `gpu` run."""

from __future__ import annotations

import os

import torch


def accelerator() -> torch.device:
    """Return the CUDA device if there is one, else the CPU.

    With PE_REQUIRE_GPU=1 in the environment, as in tests on a machine with a GPU, a missing GPU raises
    RuntimeError instead.

    >>> accelerator().type in ("cuda", "cpu")
    True
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    if os.environ.get("PE_REQUIRE_GPU") == "1":
        raise RuntimeError("PE_REQUIRE_GPU=1 asks for a CUDA GPU, and torch sees none on this machine.")
    return torch.device("cpu")
