"""Where `gpu` cells run, with and without a GPU."""

import nbformat
import pytest
import torch

from pe_helpers.models import accelerator
from tests.conftest import code_cells, run_cell, run_notebook
from tools.course import NOTEBOOKS

IS_CUDA = 'device.type == "cuda"'
GPU = {  # notebook: its cell that runs on a GPU where there is one
    path: cell
    for path in NOTEBOOKS
    for cell in code_cells(nbformat.read(path, as_version=4))
    if "gpu" in cell.metadata.get("tags", [])
}


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


def text_of(cell):
    """What a stored cell printed, and the text of what it showed."""
    return [output.get("text") or output.data["text/plain"] for output in cell.outputs]


def test_gpu_cells_differ_on_cuda_by_this_condition_alone():
    assert any(IS_CUDA in cell.source for cell in GPU.values())
    for cell in GPU.values():
        assert "cuda" not in cell.source.replace(IS_CUDA, ""), cell.source


@pytest.mark.parametrize(
    "path", [path for path in GPU if IS_CUDA in GPU[path].source], ids=lambda path: path.stem
)
def test_what_gpu_cells_do_on_cuda_also_runs_at_that_size_on_the_cpu(path, capsys):
    """A stand-in where there is no GPU: the branch of a `gpu` cell that is for CUDA, its sizes and types.

    What it prints and shows there is what the stored cell did at the CPU's size. A cell without the branch
    does on the CPU what it does on CUDA, and nbval runs it.
    """
    names, source = dict(run_notebook(path).before["gpu"]), GPU[path].source
    capsys.readouterr()
    shown = run_cell(source.replace(IS_CUDA, "True"), names)
    found = [capsys.readouterr().out, "" if shown is None else repr(shown)]
    assert [text for text in found if text] == text_of(GPU[path])
