"""Notebook 01 builds the encoding in sight: one step a cell, and each cell prints all that it makes."""

import nbformat
import numpy as np
import pytest

from tests.conftest import code_cells, run_notebook
from tests.driving import live_figures
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


@pytest.mark.parametrize("position", [0, 150, 200])
def test_the_eight_hands_show_how_far_all_others_are_and_how_long_a_step_is(position):
    figure = live_figures(NOTEBOOK)[1]
    figure.go_to({"position": position, "base": 10_000.0})
    gaps, step = figure.figure.axes[-1].lines
    angle = np.outer(np.arange(201) - position, 10_000 ** (-np.arange(8) / 8))
    expected = (2 * (1 - np.cos(angle)).sum(axis=1)) ** 0.5  # of two hands of length one: 2 − 2 cos
    assert np.allclose(gaps.get_ydata(), expected, atol=1e-6)
    assert np.allclose(step.get_ydata(), (2 * (1 - np.cos(10_000 ** (-np.arange(8) / 8))).sum()) ** 0.5)
    assert np.sort(expected)[1] >= step.get_ydata()[0] - 1e-9  # near and clear: none is closer than a step


def test_the_slow_hand_of_the_preset_stands_beside_the_one_that_moves():
    figure = live_figures(NOTEBOOK)[0]
    moving, slow = figure.figure.axes[1].lines[:2]
    figure.go_to({"turn": 200.0})
    assert np.allclose(moving.get_ydata(), slow.get_ydata())
