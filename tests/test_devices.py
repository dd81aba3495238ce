"""Where `gpu` cells run, with and without a GPU."""

import nbformat
import numpy as np
import pytest
import torch

from pe_helpers import (
    alibi_bias,
    angle_rates,
    apply_rotary,
    rotary_table,
    rotate_pairs,
    sinusoidal,
    t5_bucket,
)
from pe_helpers.models import SCHEMES, Transformer, accelerator, loss_by_position
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


needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")


def both(function):
    """What a function of a device gives on the GPU, where it has to stay, and on the CPU."""
    on_gpu, on_cpu = function("cuda"), function("cpu")
    assert on_gpu.device.type == "cuda" and on_gpu.dtype == on_cpu.dtype
    return on_gpu.cpu(), on_cpu


@needs_cuda
@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("start", [0, 900_000, 0.5])
def test_encodings_on_a_gpu_are_those_of_the_cpu(start, layout):
    found, expected = both(
        lambda device: sinusoidal(torch.arange(4096, device=device) + start, 64, layout=layout)
    )
    assert torch.allclose(found, expected, atol=2e-7, rtol=0)
    exact = torch.from_numpy(sinusoidal(np.arange(4096) + float(start), 64, layout=layout))
    assert torch.allclose(found.double(), exact, atol=2e-7, rtol=0)


@needs_cuda
@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64], ids=str)
def test_rotary_on_a_gpu_is_that_of_the_cpu(dtype, layout):
    x = torch.randn(2, 3, 300, 16, dtype=dtype, generator=torch.Generator().manual_seed(0))
    found, expected = both(lambda device: apply_rotary(x.to(device), 300, layout=layout))
    assert torch.allclose(found, expected, atol=8 * torch.finfo(dtype).eps, rtol=torch.finfo(dtype).eps)
    table = rotary_table(300, angle_rates(16), dtype="float32")  # NumPy's, and it goes where x is
    assert torch.allclose(rotate_pairs(x.to("cuda"), table, layout=layout).cpu(), found, atol=1e-5)


@needs_cuda
def test_biases_on_a_gpu_are_those_of_the_cpu():
    assert torch.equal(*both(lambda device: alibi_bias(8, torch.arange(300, device=device))))
    distance = torch.arange(300) - torch.arange(300)[:, None]
    assert torch.equal(*both(lambda device: t5_bucket(distance.to(device), bidirectional=False)))


@needs_cuda
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_model_on_a_gpu_has_the_losses_of_the_cpu(scheme):
    torch.manual_seed(0)
    model = Transformer(16, scheme).eval()
    texts = torch.randint(16, (4, 101), generator=torch.Generator().manual_seed(0))
    expected = loss_by_position(model, texts)
    assert np.allclose(loss_by_position(model.to("cuda"), texts.to("cuda")), expected, atol=1e-4)
