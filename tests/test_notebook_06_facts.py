"""Notebook 06: its Keras twin gives what its torch layer gives."""

import re

import nbformat
import numpy as np
import pytest

from tests.conftest import run_notebook
from tools.course import NOTEBOOKS


def test_06_the_same_layer_in_keras(monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    pytest.importorskip("keras", reason="Keras is not among what Colab's tests need")
    notebook = nbformat.read(NOTEBOOKS[6], as_version=4)
    (fold,) = (cell.source for cell in notebook.cells if "<summary>The same layer in Keras" in cell.source)
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", fold, re.S)[1], names)
    ours = run_notebook(NOTEBOOKS[6]).before["exercise-1"]["fixed_output"]  # (texts, L, d_model)
    assert np.allclose(np.asarray(names["output"]), ours, atol=1e-6)
    assert not names["words"].trainable_weights and not names["positions"].trainable_weights


def test_06_the_caption_says_a_ratio_as_its_slider_does_and_as_the_text():
    update = run_notebook(NOTEBOOKS[6]).names["update_probe"]
    assert update(1 / 3).startswith("Word : position = 0.333 : 1, or 1 : 3: the probe reads")
    assert update(3).startswith("Word : position = 3 : 1: the probe reads")
