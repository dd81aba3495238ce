"""The evidence in data/README.md: each number is computed again from the weights that ship."""

import re
from functools import cache

import numpy as np
import pandas
import pytest
import torch
from torch.nn import functional

from pe_helpers import apply_rotary
from pe_helpers.models import (
    Transformer,
    attention_maps,
    load_trained,
    loss_by_position,
    position_kernel,
    with_rates,
)
from pe_helpers.models.trained import FOLDER
from tools import train_further
from tools.course import ROOT

LENGTH = 128
NUMBER = r"[−+]?[\d,]*\.?\d+"
RANGE = rf"{NUMBER}(?: to {NUMBER})?|–"
ROW = re.compile(
    rf"^\| `(\w+)\(([^`]*)\)` \| [^|]* \| ({NUMBER}) \| ({RANGE}) \| ({RANGE}) "
    r"\| (\d\d(?:, \d\d)*|–) \|$",
    re.M,
)
SECTION = (ROOT / "data" / "README.md").read_text("utf-8").partition("## `language_models/`")[2]
ROWS = ROW.findall(SECTION.partition("\n## ")[0])


pytestmark = pytest.mark.usefixtures("one_thread")


loaded = cache(load_trained)


@cache
def table():
    return pandas.read_csv(FOLDER / "table.csv", comment="#")


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@torch.no_grad()
def last_loss(model, texts):
    """The mean loss of the last target alone."""
    logits = model(texts[:, :-1])[:, -1]
    return float(functional.cross_entropy(logits, texts[:, -1]))


@cache
def plain(name):
    """The mean loss of the last target of each of 256 texts."""
    return last_loss(loaded(name).model, loaded(name).texts(256))


def loss(name):
    """At the trained length, in nats."""
    return loaded(name).loss


def beyond(name, window="all"):
    """From the table: how much more a token costs at positions 512 … 1,023 than at 64 … 127."""
    found = loaded(name)
    rows = table()
    rows = rows[(rows.scheme == name) & (rows.seed == found.seed) & (rows.steps == found.steps)]
    rows = rows[rows.length == 8 * LENGTH]
    near = rows[(rows["first"] == 64) & rows.window.isna()].loss.item()
    here = rows[rows.window.isna() if window == "all" else rows.window == int(window)]
    return here[here["first"] == 512].loss.item() - near


def shuffled(name):
    """What it costs when all words but the last stand in a random order, at the last position."""
    found = loaded(name)
    mixed = found.texts(256)
    for text in mixed:
        text[: LENGTH - 1] = text[: LENGTH - 1][
            torch.randperm(LENGTH - 1, generator=generator(int(text.sum())))
        ]
    return last_loss(found.model, mixed) - plain(name)


def kernels(model, found):
    """The kernel of each head of layer 0 for 256 words of the held-out pages, the same at every position."""
    words = found.held_out[:: len(found.held_out) // 256][:256, None].expand(-1, 64)
    return [position_kernel(model, words, 0, head) for head in range(model.heads)]


def share(name):
    """The smallest share of a head's position scores, in layer 0, that the offset alone explains."""
    found = loaded(name)
    return min(kernel.share for kernel in kernels(found.model, found))


def untrained_share(name):
    """The largest such share before training."""
    found = loaded(name)
    torch.manual_seed(0)
    options = {"embedding_scale": found.model.embedding_scale, "max_length": found.model.max_length}
    model = Transformer(1024, found.positions, d_model=128, tied=True, **options)
    return max(kernel.share for kernel in kernels(model, found))


def spread(name):
    """The largest standard deviation of a head's position scores in layer 0, in logits."""
    found = loaded(name)
    return max(kernel.spread for kernel in kernels(found.model, found))


def straight(name):
    """How near to a straight line in the distance the straightest kernel is, R²."""
    found = loaded(name)
    distance = np.arange(64)
    return max(np.corrcoef(distance, kernel.kernel)[0, 1] ** 2 for kernel in kernels(found.model, found))


def previous(name):
    """The most that a head gives to the token just before, mean over positions 32 … 127 of 32 texts."""
    found = loaded(name)
    maps = attention_maps(found.model, found.texts(32)[:, :-1])
    return float(maps.diagonal(-1, 3, 4)[..., 31:].mean((1, 3)).max())


def first_rows(name):
    """The share of the variance of a table's rows 0 … 126 that their first principal component has."""
    rows = loaded(name).model.absolute.table[: LENGTH - 1].double()
    spread = torch.linalg.svdvals(rows - rows.mean(0)) ** 2
    return float(spread[0] / spread.sum())


def frozen(name, pair):
    """What it costs when a pair of columns does not rotate in any head."""
    found = loaded(name)
    rates = np.array(found.model.rates)
    rates[int(pair)] = 0
    texts = found.texts(64)
    still = loss_by_position(with_rates(found.model, rates), texts).mean()
    return still - loss_by_position(found.model, texts).mean()


def misplaced(name, by):
    """What it costs when the last token, query and key, is rotated for another position, wrong by `by`."""
    found = loaded(name)
    positions = np.arange(LENGTH)
    positions[-1] = max(positions[-1] + int(by), 0)
    right = found.model.rotary.forward
    rates = np.array(found.model.rates)
    try:
        found.model.rotary.forward = lambda q, k: (
            apply_rotary(q, positions, rates=rates),
            apply_rotary(k, positions, rates=rates),
        )
        return last_loss(found.model, found.texts(256)) - plain(name)
    finally:
        found.model.rotary.forward = right


MEASURES = [
    loss,
    beyond,
    shuffled,
    share,
    untrained_share,
    spread,
    straight,
    previous,
    first_rows,
    frozen,
    misplaced,
]


def is_so(said, found):
    expected = float(said.replace("−", "-").replace(",", ""))
    return abs(found - expected) <= 0.5 * 10 ** -len(said.partition(".")[2]) + 1e-3


@pytest.mark.parametrize(("name", "arguments", "number"), [row[:3] for row in ROWS])
def test_a_number_of_the_evidence(name, arguments, number):
    measure = {function.__name__: function for function in MEASURES}[name]
    found = measure(*arguments.split(", "))
    assert is_so(number, found), found


@pytest.mark.parametrize(
    ("scheme", "others", "shorter"), [(row[1], *row[3:5]) for row in ROWS if row[0] == "loss"]
)
def test_the_losses_of_other_trainings_are_those_of_the_table(scheme, others, shorter):
    rows = table()
    rows = rows[(rows.scheme == scheme) & (rows.length == LENGTH)].assign(
        size=lambda r: r["last"] - r["first"] + 1
    )
    rows = rows.assign(loss=rows.loss * rows["size"] / LENGTH).groupby(["steps", "seed"]).loss.sum()
    short, long = rows[1200], rows[6000]
    assert list(short.index) == list(long.index) == [0, 1, 2]
    for said, losses in ((others, long[1:]), (shorter, short)):
        ends = said.split(" to ")
        assert is_so(ends[0], losses.min()) and is_so(ends[-1], losses.max())


def test_the_evidence_is_found_and_every_measure_used():
    assert len(ROWS) >= 20
    assert {name for name, *_ in ROWS} == {function.__name__ for function in MEASURES}
    assert all((ROOT / "notebooks").glob(f"{number}_*") for row in ROWS for number in row[5].split(", "))


def test_the_losses_of_the_larger_models_are_those_of_their_table():
    table = pandas.read_csv(ROOT / "data" / "larger_language_models.csv", comment="#")
    table["count"], table["window"] = (
        table["last"] - table["first"] + 1,
        table["window"].fillna(0).astype(int),
    )
    text = (ROOT / "data" / "README.md").read_text("utf-8").partition("## `larger_language_models.csv`")[2]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", text, re.M)
    assert [scheme for scheme, *_ in rows] == list(table.scheme.unique()) and len(rows) == 11
    for scheme, *cells in rows:
        for cell, (length, window) in zip(cells, [(1024, 0), (8192, 0), (8192, 1024)], strict=True):
            part = table[(table.scheme == scheme) & (table.length == length) & (table.window == window)]
            losses = [np.average(one.loss, weights=one["count"]) for _, one in part.groupby("seed")]
            told = f"{np.mean(losses):.2f} ({min(losses):.2f} to {max(losses):.2f})" if losses else "–"
            assert told == cell, (scheme, length, window)
            assert len(losses) == (3 if losses else 0)


def test_the_losses_of_further_training_are_those_of_their_table():
    table = pandas.read_csv(ROOT / "data" / "further_training.csv", comment="#").fillna({"window": 0})
    table["count"] = table["last"] - table["first"] + 1
    text = (ROOT / "data" / "README.md").read_text("utf-8").partition("## `further_training.csv`")[2]
    rows = re.findall(r"^\| ([\w ]+) \|" + r" ([^|]*) \|" * 5 + "$", text, re.M)[1:]  # without the head
    assert [remedy for remedy, *_ in rows] == list(table.remedy.unique()) == list(train_further.REMEDIES)
    short, far = table.length == 1024, (table.length == 8192) & (table["first"] == 4096) & (table.window == 0)
    for remedy, *cells in rows:
        asked = [(short, 0), (short, 200), (far, 0), (far, 10), (far, 200)]
        for cell, (part, after) in zip(cells, asked, strict=True):
            runs = table[part & (table.remedy == remedy) & (table.after == after)].groupby("seed")
            losses = [np.average(run.loss, weights=run["count"]) for _, run in runs]
            assert len(losses) == 3
            assert cell == f"{np.mean(losses):.2f} ({min(losses):.2f} to {max(losses):.2f})", (remedy, after)
