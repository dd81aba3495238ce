"""Notebook 07 with other vectors than those that ship, and the limits of its score."""

import nbformat
import numpy as np
from conftest import NOTEBOOKS, code_cells, run_cell, run_notebook

from pe_helpers.words import word_vectors

WORDS = NOTEBOOKS[7]
SOURCE = 'source = "embedded"'


def run_with(source, cells=None):
    """The variables of the notebook after its first `cells` code cells, with other vectors."""
    names = {"__name__": "__main__"}
    code = [cell.source for cell in code_cells(nbformat.read(WORDS, as_version=4))]
    assert sum(SOURCE in cell for cell in code) == 1
    for cell in code[:cells]:
        run_cell(cell.replace(SOURCE, f"source = {str(source)!r}"), names)
    return names


def test_07_runs_with_real_rows_of_glove(tmp_path, monkeypatch, glove_rows):
    monkeypatch.setenv("PE_HELPERS_CACHE", str(tmp_path))
    names = run_with(glove_rows)
    assert len(names["vectors"]) == 2604 and not names["ships"]
    words, positions = names["read"](names["sentence"])
    assert words == "king queen man woman football basketball red green".split()
    assert positions.tolist() == [0, 1, 2, 3, 6, 7, 8, 9]  # of the others, too, which have no vector here
    assert names["ours"] == names["GLOVE"]  # stored in the notebook for those without these rows


def test_07_without_a_network_it_says_so_and_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PE_HELPERS_CACHE", str(tmp_path))
    monkeypatch.setattr(word_vectors, "SOURCES", [("http://127.0.0.1:9/", "md5:0", None)])
    names = run_with("glove.6B.100d", cells=3)
    told = capsys.readouterr().out
    assert "glove.6B.100d could not be downloaded" in told and "no connection" in told
    assert names["vectors"].name == "embedded" and names["ships"]


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
