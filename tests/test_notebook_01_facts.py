"""Notebook 01 builds the encoding in sight: one step a cell, and each cell prints all that it makes."""

import nbformat
import pytest

from tests.conftest import code_cells, run_notebook
from tools.course import NOTEBOOKS

NOTEBOOK = NOTEBOOKS[1]
STEPS = "even_i", "even_denominator", "odd_i", "odd_denominator", "position", "even_PE", "odd_PE", "stacked"


@pytest.mark.parametrize("step", [*STEPS, "encoding", "module.table"])
def test_a_step_has_a_cell_of_its_own_and_is_printed_whole(step):
    cells = code_cells(nbformat.read(NOTEBOOK, as_version=4))
    (cell,) = (cell for cell in cells if cell.source.splitlines()[-1] == step)
    assert "hide-input" not in cell.metadata.get("tags", [])
    assert not [other for other in (*STEPS, "encoding") if other != step and f"\n{other} = " in cell.source]
    names = run_notebook(NOTEBOOK).names
    name, _, attribute = step.partition(".")
    value = getattr(names[name], attribute) if attribute else names[name]
    (output,) = cell.outputs
    assert output.data["text/plain"] == repr(value) and "..." not in repr(value)


def test_the_steps_come_in_order_and_the_module_prints_their_table():
    cells = code_cells(nbformat.read(NOTEBOOK, as_version=4))
    shown = {cell.source.splitlines()[-1]: cell for cell in cells}
    order = [line for line in shown if line in (*STEPS, "encoding", "module.table")]
    assert order == [*STEPS, "encoding", "module.table"]
    assert shown["module.table"].outputs[0].data == shown["encoding"].outputs[0].data
