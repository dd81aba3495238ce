"""Notebook 15 takes away what it says it does: the context's order, the positions, the window."""

import pytest
import torch
from torch.nn import functional

from tests.conftest import run_notebook
from tools.course import NOTEBOOKS


@pytest.fixture(scope="module")
def names():
    return run_notebook(next(path for path in NOTEBOOKS if path.stem == "15_inside_a_trained_model")).names


def test_15_the_models_differ_in_positions_alone(names):
    models = [trained.model for trained in names["trained"].values()]
    assert [trained.positions for trained in names["trained"].values()] == names["names"]
    assert len({(len(model.blocks), model.heads, model.embedding.weight.shape) for model in models}) == 1
    assert len({trained.steps for trained in names["trained"].values()}) == 1


@pytest.mark.parametrize("shift", [0, 40, 96])
def test_15_a_shifted_text_has_the_rows_of_later_positions(names, shift):
    """Against a text of the same words that begins earlier, whose first positions nobody may look at."""
    ids = names["rotary"].texts(2, length=shift + 24)
    for name in names["names"]:
        model = names["trained"][name].model
        mask = model.mask(shift + 25)
        mask[:, :, :shift] = -1e9  # no key before the text; a query there sees all of them alike
        x = model.embed(ids)
        for layer, block in enumerate(model.blocks):
            x = block(x, mask, model.rotary_of(layer), is_causal=False)
        expected = model.output(model.norm(x))[:, shift:]
        found = names["changed"](model, shift)(ids[:, shift:])
        assert torch.allclose(found, expected, atol=2e-3), name


def test_15_where_the_learned_table_ends_there_is_no_position(names):
    ids = names["rotary"].texts(1, length=31)
    model = names["trained"]["learned"].model
    names["changed"](model, 96)(ids)
    with pytest.raises(ValueError, match="before position"):
        names["changed"](model, 97)(ids)
    assert "no such position" in names["take_away"]("a b c d e f", "learned", 20, 128, 20)


def test_15_a_shuffle_moves_what_is_read_and_nothing_else(names):
    texts = names["rotary"].texts(8, length=40)
    for kept in (1, 5):
        mixed = names["shuffled"](texts, kept)
        assert torch.equal(mixed[:, -1 - kept :], texts[:, -1 - kept :]) and not torch.equal(mixed, texts)
        assert torch.equal(mixed.sort().values, texts.sort().values)


def test_15_the_live_losses_are_those_of_one_context_after_the_other(names):
    model, each = names["rotary"].model, names["rotary"].texts(1, length=12)[0]
    plain = functional.cross_entropy(model(each[None, :-1])[0], each[1:], reduction="none").numpy()
    ids, most = tuple(each.tolist()), names["MOST"]
    assert names["losses"](ids, "rotary", most, 0, most) == pytest.approx(plain, abs=1e-4)
    rows = names["contexts"](each[:-1], 3)
    for n, row in enumerate(rows):
        assert torch.equal(row[max(0, n - 2) : n + 1], each[max(0, n - 2) : n + 1])
        assert torch.equal(row[: n + 1].sort().values, each[: n + 1].sort().values)
    one_by_one = [
        float(functional.cross_entropy(model(row[None, : n + 1])[0, -1], each[n + 1]))
        for n, row in enumerate(rows)
    ]
    assert names["losses"](ids, "rotary", 3, 0, most) == pytest.approx(one_by_one, abs=1e-4)


def test_15_in_the_first_layer_equal_tokens_get_equal_attention_without_positions(names):
    seen = names["seen"]["none"]
    assert torch.allclose(seen[0, :, 1], seen[0, :, 7], atol=1e-6)
    assert not torch.allclose(seen[1, :, 1], seen[1, :, 7], atol=1e-2)  # the mask
