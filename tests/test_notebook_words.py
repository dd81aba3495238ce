"""Notebook 07 with other vectors than those that ship, with any text, and the limits of its score."""

import nbformat
import numpy as np
import pytest

from pe_helpers.words import WordVectorsError, word_vectors
from tests.conftest import code_cells, run_cell, run_notebook
from tests.driving import live_figures
from tools.course import NOTEBOOKS

WORDS = NOTEBOOKS[7]
SOURCE = 'source = "glove.6B.100d.12000"'


def run_with(source, cells=None):
    """The variables of the notebook after its first `cells` code cells, with other vectors."""
    names = {"__name__": "__main__"}
    code = [cell.source for cell in code_cells(nbformat.read(WORDS, as_version=4))]
    assert sum(SOURCE in cell for cell in code) == 1
    for cell in code[:cells]:
        run_cell(cell.replace(SOURCE, f"source = {str(source)!r}"), names)
    return names


def test_07_runs_with_vectors_of_another_kind(tmp_path, monkeypatch):
    monkeypatch.setenv("PE_HELPERS_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    words = "hi king queen man woman dog wolf football basketball red green yellow".split()
    lines = [" ".join([word, *(f"{x:.4f}" for x in rng.normal(size=50))]) for word in words]
    (tmp_path / "own.txt").write_text("\n".join([*lines, ""]))
    names = run_with(tmp_path / "own.txt")
    assert len(names["vectors"]) == 12
    assert names["matrix"].shape == (13, 50) and names["meaning"].shape == (11, 50)
    assert names["positions"].shape == (100, 50)


def test_07_without_a_network_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PE_HELPERS_CACHE", str(tmp_path))
    monkeypatch.setattr(word_vectors, "SOURCE", ("http://127.0.0.1:9/", "md5:0"))
    with pytest.raises(WordVectorsError, match=r"no connection(.|\n)*which needs no network"):
        run_with("glove.6B.100d", cells=2)


TEXTS = {
    "": "Type at least two words",
    "dog": "Type at least two words",
    "zzyzx qqqq": "Unknown: zzyzx, qqqq.",
    "the zzyzx follows the man": "of 4 blue",
    "dog dog": "2 of 2 blue",
    "Dog dog dog, dog!": "4 of 4 blue",
    "king queen " * 20: "of 40 blue",
    "king queen man " * 60: "No room for: ",
}


@pytest.mark.parametrize("text", TEXTS)
def test_07_any_text_can_be_typed(text):
    (figure,) = live_figures(WORDS)
    for b in (0.1, 1.0, 10.0):
        figure.go_to({"b": b, "typed": text})
        assert TEXTS[text] in figure.caption


def test_07_the_score_at_its_limits():
    names = run_notebook(WORDS).names
    share = names["position_share"]
    rng = np.random.default_rng(0)
    for _ in range(20):
        n, d = rng.integers(2, 30, 2)
        meaning, position = rng.normal(size=(2, n, d)) * rng.uniform(0.1, 10, (2, 1, 1))
        assert share(1, 0, meaning, position) == 0 and share(0, 1, meaning, position) == 1
        assert share(1, 1e-6, meaning, position) < 1e-6 < 1 - 1e-6 < share(1e-6, 1, meaning, position)
        ratios = np.geomspace(0.01, 100, 30)
        shares = share(1, ratios, meaning, position)
        assert (np.diff(shares) > 0).all() and np.allclose(shares, share(3, 3 * ratios, meaning, position))
        crossing = (names["variance"](meaning) / names["variance"](position)) ** 0.5
        assert np.isclose(share(1, crossing, meaning, position), 0.5)
