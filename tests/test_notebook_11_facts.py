"""Notebook 11: a table with more schemes, too, and what T5 learned."""

import nbformat
import pandas
import pytest
import torch

from pe_helpers.models import (
    Settings,
    Transformer,
    attention_maps,
    load_trained,
    recall,
    recall_distance,
    recurrence,
    train,
)
from tests.conftest import code_cells, run_cell, run_notebook
from tools.course import NOTEBOOKS

(PATH,) = (path for path in NOTEBOOKS if path.stem == "11_length_generalisation")


@pytest.fixture
def with_two_more(monkeypatch):
    """The names of the notebook after the cells of the table, in which two schemes are rotary's twins."""
    names, read_csv = dict(run_notebook(PATH).names), pandas.read_csv

    def more(*arguments, **options):
        table = read_csv(*arguments, **options)
        twins = [table[table.scheme == "rotary"].assign(scheme=twin) for twin in ("twin", "third")]
        return pandas.concat([table, *twins])

    monkeypatch.setattr(pandas, "read_csv", more)
    sources = [cell.source for cell in code_cells(nbformat.read(PATH, as_version=4))]
    (first,) = (number for number, source in enumerate(sources) if "runs = pd.read_csv" in source)
    (end,) = (
        number for number, source in enumerate(sources) if "choose the positions" in source.split("\n")[0]
    )
    for source in sources[first : end + 1]:
        run_cell(source, names)
    return names


def test_11_draws_the_schemes_that_a_table_has_more(with_two_more):
    curves, update = with_two_more["curves"], with_two_more["update"]
    captions = {name: update(name, "all") for name in curves[0]}
    assert captions["twin"] == captions["rotary"].replace("rotary", "twin")
    for of_task in curves:
        assert of_task.keys() == {*with_two_more["schemes"], "twin", "third"}
        assert (of_task["twin"].get_ydata() == of_task["rotary"].get_ydata()).all()
    with_two_more["figure"].draw_without_rendering()


def test_11_a_window_gives_rotary_its_near_names_back():
    """Section 1: what harms them in long texts is the far keys, not the way back."""
    accuracies = run_notebook(PATH).names["accuracies"]
    near = {window: accuracies("recall", "rotary", window)[0][:, :3] for window in (None, 32)}  # 2 to 31 back
    assert near[32].min() > 0.98 and (near[None].mean(axis=0) < 0.85).all()


def test_11_t5_lowers_far_keys_on_text_and_not_on_the_near_rule():
    """Sections 2 and 3: on the near rule each far key gets little, and all of them nearly everything."""
    torch.manual_seed(0)
    model = Transformer(16, "t5")
    train(model, recurrence, Settings(steps=250, batch_size=32, lengths=(32, 32), warmup_steps=25))
    with torch.no_grad():
        maps = attention_maps(model, recurrence(torch.Generator().manual_seed(1), 4, 512)[0])[..., 384:, :]
    far = maps * (torch.arange(384, 512)[:, None] - torch.arange(512) >= 32)
    assert far.amax() < 0.1 and (far.sum(-1).mean((1, 3)) > 0.9).all()
    numbers = {"near": model.bias.embedding.weight, "text": load_trained("t5").model.bias.embedding.weight}
    lowered = {name: each.amax(0) - each[-1] for name, each in numbers.items()}  # the last bucket, by head
    assert (lowered["near"] < 2).all() and (lowered["text"] > 4).all()


@pytest.mark.parametrize("scheme", ["rotary", "alibi"])
def test_11_what_still_points_to_values_far_back(scheme):
    """Sections 1 and 4: for rotary it is the name, in every head; for ALiBi it is the flat heads."""
    torch.manual_seed(0)
    model = Transformer(24, scheme)
    train(model, recall, Settings(steps=300, batch_size=32, lengths=(32, 32), warmup_steps=25))
    texts = recall(torch.Generator().manual_seed(1), 8, 512)[0]  # (texts, L)
    with torch.no_grad():
        weights = attention_maps(model, texts)[1]  # (texts, heads, queries, keys), of the second layer
    asked = (recall_distance(texts) >= 128).float()  # (texts, queries)
    is_right = torch.zeros_like(weights[:, 0])  # (texts, queries, keys): a value after the name asked for
    is_right[..., 1:] = texts[:, :, None] == texts[:, None, :-1]
    is_right = is_right.tril()
    mean = lambda of_query: float((of_query * asked).sum() / asked.sum())  # noqa: E731
    share = mean(is_right.sum(-1) / torch.arange(1, 513))  # of the keys
    of_head = [mean((head * is_right).sum(-1)) for head in weights.unbind(1)]  # the steepest first
    if scheme == "rotary":
        assert min(of_head) > 3 * share and share < 0.02
    else:
        assert of_head[0] < 0.01 and min(of_head[2:]) > 0.3


def test_11_the_names_of_the_lines_stand_clear_of_the_black_line_and_of_each_other():
    names = run_notebook(PATH).before["exercise-1"]
    figure = names["figure"]
    for positions in names["schemes"]:
        for sight in ("all", "nearest 32"):
            names["update"](positions, sight)
            figure.draw_without_rendering()
            for panel, named in zip(names["panels"], names["named"], strict=True):
                boxes = [each.get_window_extent() for each in named.values() if each.get_text()]
                line = panel.transData.transform((32, 0))[0]
                assert all(box.x1 < line + 2 or box.x0 > line - 2 for box in boxes), (positions, sight)
                pairs = [(a, b) for n, a in enumerate(boxes) for b in boxes[:n]]
                assert not any(a.overlaps(b) for a, b in pairs), (positions, sight)
