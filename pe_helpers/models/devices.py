"""Where the cells tagged `gpu` run."""

import os

import torch


def accelerator():
    """The CUDA device where there is one, else the CPU.

    With PE_REQUIRE_GPU=1 in the environment, as in the tests of a machine with a GPU, the lack of CUDA
    raises RuntimeError instead.
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    if os.environ.get("PE_REQUIRE_GPU") == "1":
        raise RuntimeError("PE_REQUIRE_GPU=1 asks for a CUDA GPU, and torch sees none on this machine.")
    return torch.device("cpu")
