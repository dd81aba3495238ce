"""Notebook 06: its Keras twin gives what its torch layer gives; what its text says and no claim guards."""

import re

import nbformat
import numpy as np
import pandas
import pytest

from pe_helpers.models import Transformer, loss_by_position
from tests.conftest import code_cells, run_notebook
from tools.course import NOTEBOOKS, ROOT


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
    update = run_notebook(NOTEBOOKS[6]).names["update_push"]
    assert update(1 / 3).startswith("Word : position = 0.333 : 1, or 1 : 3: 100% of")
    assert update(3).startswith("Word : position = 3 : 1: 29% of the positions are read right")


def test_06_a_position_is_read_right_where_no_push_goes_half_the_way():
    """So the picture counts what the table counts."""
    names = run_notebook(NOTEBOOKS[6]).names
    for ratio in names["ratios"].values():
        assert ((names["read"](ratio) == names["at"]) == (ratio * names["largest"] < 1)).all()


def test_06_its_example_on_paper_is_the_rule_of_the_picture():
    """Two words as long as the positions, and only the one that pushes past half the way is misread."""
    names = run_notebook(NOTEBOOKS[6]).before["exercise-1"]
    two, pair = names["two"], names["pair"]  # (2, d) each
    assert (np.linalg.norm(np.vstack([two, pair]), axis=1) == 5).all()
    way = two[1] - two[0]
    push = pair @ way / (way @ way / 2)
    assert (push > 1).tolist() == [False, True]
    of_formula = (pair @ way / np.linalg.norm(way)) / (np.linalg.norm(way) / 2)  # as the text writes it
    assert np.allclose(of_formula, [0, 4 / 3]) and np.allclose(of_formula, push)
    assert ((pair + two[0]) @ two.T).argmax(axis=1).tolist() == [0, 1]


def test_06_fewer_than_one_in_ten_push_beyond_1_towards_each_neighbour_and_no_others_matter():
    """So two neighbours explain how many are misread."""
    names = run_notebook(NOTEBOOKS[6]).names
    words, positions, at = (names[name] for name in ("words", "positions", "at"))
    beyond = np.zeros((2, len(at)), bool)
    for side, step in enumerate((1, -1)):
        there = (at + step >= 0) & (at + step < 64)
        way = positions[at[there] + step] - positions[at[there]]
        push = (words[there] * way).sum(axis=1) / ((way**2).sum(axis=1) / 2)
        assert 0.08 < (push > 1).mean() < 0.1
        assert 0.7 < np.sqrt((push**2).mean()) < 0.8 and 0.45 < (push > 0).mean() < 0.55
        beyond[side, there] = push > 1
    misread = names["read"](1) != at
    assert abs(beyond.any(axis=0).mean() - misread.mean()) < 0.005


def test_06_who_is_misread_at_1_to_1_is_taken_for_a_neighbour():
    """So section 3 may speak of half the way to the next position alone."""
    names = run_notebook(NOTEBOOKS[6]).names
    off = abs(names["read"](1) - names["at"])
    assert (off[off > 0] == 1).mean() > 0.95


def test_06_the_tables_of_its_trained_models_began_with_rows_of_length_one():
    models = run_notebook(NOTEBOOKS[6]).names["models"]
    for trained in models.values():
        model = trained.model
        assert model.output.weight is model.embedding.weight  # one table for both jobs
        begun = Transformer(*model.embedding.weight.shape[:1], "sinusoidal", d_model=128, tied=True)
        assert np.isclose(begun.embedding.weight.norm(dim=1).mean().item(), 1, atol=0.02)


def test_06_the_sums_of_its_first_table_fit_to_the_printed_digit():
    """Whoever adds two printed numbers finds the third."""
    cells = code_cells(nbformat.read(NOTEBOOKS[6], as_version=4))
    (told,) = (cell.outputs[0].data["text/html"] for cell in cells if "word row 2, robot" in cell.source)
    told = told.replace("−", "-")
    rows = [re.findall("<td[^>]*>(.*?)</td>", row)[1:] for row in re.findall(r"<tr>(<td.*?)</tr>", told)]
    word, position, added = np.array(rows, float).reshape(2, 3, 4).swapaxes(0, 1)  # (texts, d) each
    assert np.allclose(word + position, added, atol=1e-9)


def test_06_what_its_reader_misreads_is_off_by_little_and_the_nearest_row_has_the_largest_dot_product():
    names = run_notebook(NOTEBOOKS[6]).names
    model, ids = names["models"]["with √d"].model, names["models"]["with √d"].texts()[:, :-1]
    places = model.absolute.table[:128]
    read = ((model.embedding_scale * model.embedding(ids) + places) @ places.T).argmax(-1)
    off = abs(read.numpy() - np.arange(128))
    told = names["right"][:2, 0]
    assert np.allclose((100 * (off == 0).mean(), 100 * (off <= 1).mean()), told)
    sums = 3 * names["words"] + names["positions"][names["at"]]
    apart = ((sums[:1000, None] - names["positions"]) ** 2).sum(axis=2)
    assert (apart.argmin(axis=1) == names["read"](3)[:1000]).all()


def test_06_its_trained_layers_fit_the_words_as_long_as_they_are():
    """Both got used to them: a tenth longer or shorter, and the loss is higher."""
    for trained in run_notebook(NOTEBOOKS[6]).names["models"].values():
        model, factor = trained.model, trained.model.embedding_scale
        losses = []
        for times in (0.9, 1, 1.1):
            model.embedding_scale = times * factor
            losses.append(loss_by_position(model, trained.texts()).mean())
        model.embedding_scale = factor
        assert min(losses) == losses[1]


def test_06_the_factor_lowers_the_loss_in_all_three_trainings():
    table = pandas.read_csv(ROOT / "data" / "language_models" / "table.csv", comment="#")
    table = table[(table["steps"] == 6000) & (table["length"] == 128) & table["window"].isna()]
    table["all"] = table["loss"] * (table["last"] - table["first"] + 1) / 128
    losses = table.groupby(["scheme", "seed"])["all"].sum()
    gains = losses["sinusoidal_unscaled"] - losses["sinusoidal"]
    assert len(gains) == 3 and (gains > 0.15).all()


def test_06_its_word_table_stays_short_in_both_trainings_so_the_factor_makes_words_long():
    names = run_notebook(NOTEBOOKS[6]).names
    of_rows = {name: trained.model.embedding.weight.norm(dim=1) for name, trained in names["models"].items()}
    assert names["long"][0, 0] / names["begun"][0] < names["long"][0, 1] / names["begun"][1] < 2
    assert of_rows["with √d"].mean() < of_rows["without √d"].mean()


def test_06_its_trained_sums_are_read_as_section_3_lets_one_expect():
    """More than at 3 : 1, fewer than at 1 : 1, as the words' length lies between."""
    names = run_notebook(NOTEBOOKS[6]).names
    assert 1 < names["long"][0, 0] / names["long"][1, 0] < 3
    most, fewest = (100 * (names["read"](ratio) == names["at"]).mean() for ratio in (1, 3))
    assert fewest < names["right"][0, 0] < most


def test_06_the_probe_shortens_what_words_have_and_positions_have_not():
    """Of the sums, it shrinks the words' part more than the positions'."""
    names = run_notebook(NOTEBOOKS[6]).names
    words, positions, at = (names[name] for name in ("words", "positions", "at"))
    sums = np.hstack([words + positions[at], np.ones((len(words), 1))])
    W = np.linalg.lstsq(sums[:9000], positions[at[:9000]])[0][:-1]

    def kept(rows):
        rows = rows - rows.mean(axis=0)
        return np.linalg.norm(rows @ W) / np.linalg.norm(rows)

    assert kept(words[9000:]) < 0.7 * kept(positions)
