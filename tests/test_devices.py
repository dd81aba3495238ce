"""Where `gpu` cells run, with and without a GPU."""

import pytest
import torch

from pe_helpers.models.devices import accelerator


def test_it_is_cuda_where_there_is_one_else_the_cpu(monkeypatch):
    monkeypatch.delenv("PE_REQUIRE_GPU", raising=False)
    for there in (True, False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        assert accelerator().type == ("cuda" if there else "cpu")


def test_a_required_gpu_that_is_missing_is_an_error(monkeypatch):
    monkeypatch.setenv("PE_REQUIRE_GPU", "1")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(RuntimeError, match="PE_REQUIRE_GPU=1 asks for a CUDA GPU"):
        accelerator()
