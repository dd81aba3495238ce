"""Where `gpu` cells run, with and without a GPU."""

import pytest
import torch
from conftest import cell_with_tag, run_cell, run_notebook
from refresh_notebooks import NOTEBOOKS

from pe_helpers.models.devices import accelerator

GPU = [path for path in NOTEBOOKS if 'device.type == \\"cuda\\"' in path.read_text(encoding="utf-8")]


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


@pytest.mark.parametrize("path", GPU, ids=lambda path: path.stem)
def test_what_gpu_cells_do_on_cuda_also_runs_at_that_size_on_the_cpu(path):
    """A stand-in where there is no GPU: the branch of a `gpu` cell that is for CUDA, its sizes and types."""
    source = cell_with_tag(path, "gpu")
    assert 'device.type == "cuda"' in source
    names = dict(run_notebook(path).before["gpu"])
    run_cell(source.replace('device.type == "cuda"', "True"), names)
