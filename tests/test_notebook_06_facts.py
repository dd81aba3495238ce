"""Notebook 06: its Keras twin gives what its torch layer gives; what its text says and no claim guards."""

import re

import nbformat
import numpy as np
import pytest

from pe_helpers.models import Transformer
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


def test_06_the_tables_of_its_trained_models_began_with_rows_of_length_one():
    models = run_notebook(NOTEBOOKS[6]).names["models"]
    for trained in models.values():
        model = trained.model
        assert model.output.weight is model.embedding.weight  # one table for both jobs
        begun = Transformer(*model.embedding.weight.shape[:1], "sinusoidal", d_model=128, tied=True)
        assert np.isclose(begun.embedding.weight.norm(dim=1).mean().item(), 1, atol=0.02)


def test_06_without_its_matrix_the_nearest_row_is_mostly_right_and_less_often():
    names = run_notebook(NOTEBOOKS[6]).names
    positions, at, words = (names[name] for name in ("positions", "at", "words"))
    of_sums = (words[9000:] + positions[at[9000:]]) @ positions.T  # of one norm: the largest is nearest
    right = (of_sums.argmax(axis=1) == at[9000:]).mean()
    assert 0.8 < right < names["exact"]


def test_06_even_padding_can_look_like_a_word():
    names = run_notebook(NOTEBOOKS[6]).names
    first, *_, padding, _ = names["fixed_output"][1]  # “you”, id 3, at position 0; padding at position 3
    assert names["ids"][1].tolist() == [3, 4, 2, 0, 0] and (first == padding).all()
