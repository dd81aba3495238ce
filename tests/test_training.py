"""The tasks, the models and the training loop."""

import argparse
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas
import pytest
import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from pe_helpers import interpolate_rates
from pe_helpers.models import (
    SCHEMES,
    Settings,
    Transformer,
    evaluate,
    recall,
    recall_distance,
    recurrence,
    tasks,
    train,
)
from pe_helpers.models.tasks import IGNORED
from tools import run_length_generalisation

SHORT = Settings(steps=60, batch_size=4, lengths=(3, 6), warmup_steps=5)
SMALL = {"d_model": 16, "heads": 2, "layers": 2, "max_length": 64}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def model_of(positions="rotary", vocab_size=12, seed=0, **options):
    torch.manual_seed(seed)
    return Transformer(vocab_size, positions, **{**SMALL, **options})


task = partial(recurrence, vocab_size=12)


def first_symbol(generator, batch_size, length):
    """Random symbols, and the first of them as every target."""
    x = torch.randint(12, (batch_size, length), generator=generator)
    return x, x[:, :1].expand_as(x).clone()


# --- the tasks -------------------------------------------------------------------------------------------


def test_recurrence_follows_its_rule_but_for_the_noise(monkeypatch):
    inputs, targets = recurrence(generator(), 200, 40, vocab_size=16)
    assert inputs.shape == targets.shape == (200, 40)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    follows = targets[:, 2:] == (inputs[:, 2:] + inputs[:, :-2]) % 16
    assert abs(float(follows.float().mean()) - (0.9 + 0.1 / 16)) < 0.02
    monkeypatch.setattr(tasks, "NOISE", 0)
    inputs, targets = recurrence(generator(), 20, 40, vocab_size=5)
    assert torch.equal(targets[:, 2:], (inputs[:, 2:] + inputs[:, :-2]) % 5)
    assert set(inputs.unique().tolist()) == set(range(5))


def test_recall_scores_a_key_that_was_there_before_with_its_value():
    inputs, targets = recall(generator(), 50, 60, keys=5, values=3)
    distances = recall_distance(inputs)
    for text, wanted, distance in zip(inputs.tolist(), targets.tolist(), distances.tolist(), strict=True):
        value_of, last = {}, {}
        for position in range(0, 60, 2):
            key, value = text[position : position + 2]
            assert key < 5 <= value < 8 and value_of.setdefault(key, value) == value
            assert distance[position] == (position - last[key] if key in last else 0)
            assert wanted[position] == (value if key in last else IGNORED)
            last[key] = position
        assert distance[1::2] == [0] * 30 and wanted[1::2] == [IGNORED] * 30
    counts = np.sort([np.bincount(text[0::2], minlength=5) for text in inputs], axis=1)
    assert (
        11 < counts[:, -1].mean() < 17 and 1 < counts[:, 0].mean() < 3
    )  # 1/r: 13.1 and 2.6 of 30 on average


# --- the model ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("positions", SCHEMES)
def test_a_causal_model_does_not_see_ahead(positions):
    model = model_of(positions).eval()
    ids = torch.randint(12, (3, 9), generator=generator())
    changed = ids.clone()
    changed[:, 5:] = (changed[:, 5:] + 1) % 12
    difference = abs(model(ids) - model(changed)).amax(dim=(0, 2))
    assert difference[:5].max() < 1e-6 and difference[5:].min() > 1e-4


@pytest.mark.parametrize("positions", SCHEMES)
def test_only_without_positions_the_last_query_sees_no_order(positions):
    model = model_of(positions, layers=1).eval()
    if positions == "t5":
        torch.nn.init.normal_(model.bias.embedding.weight)  # it starts without preference
    ids = torch.randint(12, (3, 9), generator=generator())
    order = torch.cat([torch.randperm(8, generator=generator()), torch.tensor([8])])
    difference = abs(model(ids[:, order]) - model(ids))[:, -1].max()
    assert (difference < 1e-5) == (positions == "none")


@pytest.mark.parametrize("positions", SCHEMES)
def test_every_scheme_trains_and_runs_on_longer_texts(positions):
    model = model_of(positions)
    train(model, task, Settings(steps=3, batch_size=2, lengths=(4, 4), warmup_steps=1))
    loss, accuracy = evaluate(model, task, 24, batches=1, batch_size=2)
    assert loss.shape == accuracy.shape == (24,) and loss.dtype == accuracy.dtype == np.float64
    assert np.isfinite(loss).all() and set(accuracy) <= {0, 0.5, 1}
    assert model.training and not next(model.parameters()).isnan().any()


@pytest.mark.parametrize("positions", SCHEMES)
def test_only_tables_of_positions_end(positions):
    model, ids = model_of(positions), torch.zeros(1, 65, dtype=torch.int64)
    if positions in ("sinusoidal", "learned", "rotary"):
        with pytest.raises(ValueError, match=r"must end before position 64; got positions 0 … 64"):
            model(ids)
    else:
        assert model(ids).shape == (1, 65, 12)


def test_it_learns():
    model = model_of("learned", d_model=32)
    before = evaluate(model, first_symbol, 5)
    train(model, first_symbol, Settings(200, 32, (5, 5), learning_rate=1e-2, warmup_steps=20))
    after = evaluate(model, first_symbol, 5)
    assert before[1].mean() < 0.4 and after[1].mean() >= 0.95
    assert after[0].mean() < 0.2 < before[0].mean()


@pytest.mark.parametrize("positions", SCHEMES)
def test_a_window_hides_what_is_farther(positions):
    model = model_of(positions, layers=1).eval()
    ids = torch.randint(12, (3, 20), generator=generator())
    changed = ids.clone()
    changed[:, :10] = (changed[:, :10] + 1) % 12
    whole = model(ids)
    model.window = 20
    assert torch.allclose(model(ids), whole, atol=1e-6)
    model.window = 4
    difference = abs(model(ids) - model(changed)).amax(dim=(0, 2))
    assert difference[13:].max() < 1e-6 and difference[:13].min() > 1e-4
    assert not torch.allclose(model(ids), whole, atol=1e-4)


def test_other_rates_change_a_trained_model_from_position_1_on():
    model, stretched = model_of(), model_of(rates=interpolate_rates(8, 4), seed=1)
    stretched.load_state_dict(model.state_dict())
    ids = torch.randint(12, (2, 9), generator=generator())
    assert torch.allclose(stretched(ids)[:, 0], model(ids)[:, 0], atol=1e-6)
    assert abs(stretched(ids) - model(ids)).max() > 1e-3


def test_evaluation_is_the_same_for_all_and_leaves_the_model_as_it_was():
    model = model_of().eval()
    once, again = (evaluate(model, task, 5, batches=2, batch_size=3) for _ in range(2))
    assert np.array_equal(once, again) and not model.training


def test_evaluation_averages_a_position_over_the_texts_that_score_it():
    drawn = []

    def partly_scored(*arguments):
        inputs, targets = first_symbol(*arguments)
        targets[torch.rand(targets.shape, generator=arguments[0]) < 0.5] = IGNORED
        targets[:, 2] = IGNORED
        drawn.append((inputs, targets))
        return inputs, targets

    model = model_of().eval()
    found = np.transpose(evaluate(model, partly_scored, 6, batches=2, batch_size=50))
    inputs, targets = map(torch.cat, zip(*drawn, strict=True))
    logits = model(inputs).detach()
    for position, of_position in zip((0, 1, 3, 4, 5), found, strict=True):
        scored = targets[:, position] != IGNORED
        logits_here, wanted = logits[scored, position], targets[scored, position]
        loss = float(torch.nn.functional.cross_entropy(logits_here, wanted))
        accuracy = float((logits_here.argmax(-1) == wanted).double().mean())
        assert of_position == pytest.approx((loss, accuracy), rel=1e-5)


# --- the loop -----------------------------------------------------------------------------------------


def test_one_seed_gives_the_same_weights():
    models = [model_of() for _ in range(3)]
    for model, seed in zip(models, (0, 0, 1), strict=True):
        train(model, task, SHORT._replace(steps=8, seed=seed))
    once, again, other = (model.blocks[0].qkv.weight for model in models)
    assert torch.equal(once, again) and not torch.equal(once, other)


def test_the_learning_rate_rises_and_falls_to_a_tenth():
    rates = []
    hook = register_optimizer_step_pre_hook(
        lambda optimizer, *_: rates.append(optimizer.param_groups[0]["lr"])
    )
    train(model_of(), task, SHORT._replace(steps=25, learning_rate=0.01))
    hook.remove()
    assert rates[:6] == pytest.approx([0.002, 0.004, 0.006, 0.008, 0.01, 0.01])
    assert rates[15] == pytest.approx(0.0055) and 0.001 < rates[-1] < 0.0011
    assert (np.diff(rates[5:]) < 0).all()


class TwoLogits(torch.nn.Module):
    """The logits scale · (a, b); with a = b = 0 and target 0, the gradient is scale · (-1/2, 1/2)."""

    def __init__(self, scale):
        super().__init__()
        self.a, self.b = (torch.nn.Parameter(torch.zeros(1)) for _ in range(2))
        self.scale = scale

    def forward(self, ids):
        return self.scale * torch.cat([self.a, self.b]).expand(*ids.shape, 2)


@pytest.mark.parametrize(("scale", "expected"), [(1, 0.5), (100, 0.5**0.5)])
def test_a_gradient_longer_than_1_is_cut_to_1_and_keeps_its_direction(scale, expected):
    found = []
    hook = register_optimizer_step_pre_hook(
        lambda optimizer, *_: found.extend(float(p.grad) for p in optimizer.param_groups[0]["params"])
    )
    settings = Settings(steps=1, batch_size=3, lengths=(4, 4))
    train(TwoLogits(scale), lambda _, *shape: (torch.zeros(shape).long(),) * 2, settings)
    hook.remove()
    assert found == pytest.approx([-expected, expected], rel=1e-4)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("positions", lambda: model_of("nope")),
        ("d_head", lambda: model_of(d_model=18)),
        ("d_model", lambda: model_of("sinusoidal", d_model=15)),
        ("rates", lambda: model_of("none", rates=[1.0])),
        ("window", lambda: model_of(window=0)),
        ("batch_size", lambda: train(model_of(), task, Settings(batch_size=0))),
        ("length", lambda: train(model_of(), task, Settings(lengths=(0, 0)))),
        ("length", lambda: evaluate(model_of(), task, 0)),
        ("batch_size", lambda: evaluate(model_of(), task, 3, batch_size=0)),
        ("vocab_size", lambda: recurrence(generator(), 2, 3, vocab_size=1)),
        ("length", lambda: recall(generator(), 2, 3)),
        ("keys", lambda: recall(generator(), 2, 4, keys=0)),
        ("values", lambda: recall(generator(), 2, 4, values=0)),
    ],
)
def test_an_error_names_the_argument(name, call):
    with pytest.raises(ValueError, match=rf"^{name} must "):
        call()


# --- the table of the larger run ----------------------------------------------------------------------


@pytest.fixture
def larger_run(tmp_path, monkeypatch):
    """Run the tool for some schemes, two texts a step; return what stands in its table."""
    monkeypatch.setattr(run_length_generalisation, "TEXTS", 32)
    monkeypatch.setattr(run_length_generalisation, "LONG", 64)
    path = tmp_path / "table.csv"

    def run(*schemes, first=0, seeds=1, steps=1, minutes=60):
        options = f"--first-seed {first} --seeds {seeds} --steps {steps} --minutes {minutes}"
        options = [*options.split(), "--batch-size", "2", "--out"]
        monkeypatch.setattr("sys.argv", ["", "--schemes", *schemes, *options, str(path)])
        run_length_generalisation.main()
        return path.read_text()

    run.path = path
    return run


def test_the_larger_run_writes_its_table(larger_run):
    larger_run("rotary", "t5_near", seeds=2)
    table = pandas.read_csv(larger_run.path, comment="#")
    assert table.groupby(["task", "scheme", "seed"], sort=False).ngroups == 8
    one = table[(table.scheme == "rotary") & (table.seed == 1)]
    near = one[one.task == "recurrence"]
    assert near[near.length == 32]["last"].tolist() == [7, 15, 23, 31]
    assert near[near.window == 32]["last"].tolist() == [7, 15, 23, 31, 39, 47, 63]
    far = one[one.task == "recall"]
    assert far[far.length == 32]["last"].tolist() == [7, 15, 31]
    assert far[far.window == 32]["last"].tolist() == [7, 15, 31, 63]
    assert table.loss.between(1, 5).all() and table.accuracy.between(0, 1).all()


def test_schemes_are_added_to_the_table_and_replace_their_own_seeds_only(larger_run, capsys):
    def rows_of(table, start):
        """The lines of the table in which one of the first three columns begins so."""
        return [line for line in table.splitlines() if re.match(rf"\w+,{start}", line)]

    first = larger_run("none", "rotary", seeds=2)
    each = len(rows_of(first, "none,0,"))
    assert each == len(rows_of(first, "rotary,1,")) == 18 + 11  # groups of the two tasks
    second = larger_run("alibi")
    assert second.splitlines()[:6] == first.splitlines()[:6]  # the facts of the first run
    told = "# alibi: training 1 (recurrence) and 1 (recall) steps of 2 texts, seed 0; device "
    assert told in second
    assert rows_of(second, "") == rows_of(first, "") + rows_of(second, "alibi,0,")
    assert f"of the rows that were there 0 are replaced, {4 * each} are kept" in capsys.readouterr().out
    third = larger_run("rotary", steps=2)
    assert rows_of(third, "rotary,0,") != rows_of(second, "rotary,0,")
    assert len(rows_of(third, "")) == len(rows_of(second, ""))
    for other in ("none,", "alibi,", "rotary,1,"):
        assert rows_of(third, other) == rows_of(second, other)
    assert f"of the rows that were there {each} are replaced, {4 * each} are kept" in capsys.readouterr().out
    for seeds, steps, told in (2, 2, [2]), (1, 3, [2, 3]), (2, 1, [1]):  # the facts of rows that are there
        table = larger_run("alibi", seeds=seeds, steps=steps)
        assert re.findall(r"^# alibi: training (\d) ", table, re.M) == [str(number) for number in told]
        assert re.findall(r"^# rotary: training (\d) ", table, re.M) == ["2"]


def test_a_scheme_gets_more_seeds(larger_run):
    first = larger_run("t5", "none", seeds=2)
    both = larger_run("t5", first=2, seeds=2, steps=2)
    assert first.splitlines()[7:] == both.splitlines()[8 : len(first.splitlines()) + 1]
    table = pandas.read_csv(larger_run.path, comment="#")
    assert table.groupby("scheme").seed.unique().map(list).to_dict() == {"none": [0, 1], "t5": [0, 1, 2, 3]}
    assert "# training: 1 (recurrence) and 1 (recall) steps of 2 texts, seeds 0 to 1\n" in both
    assert "# t5: training 2 (recurrence) and 2 (recall) steps of 2 texts, seeds 2 to 3; " in both
    more = larger_run("t5", first=4)
    assert "seeds 2 to 3; " in more and "seed 4; " in more  # each seed's facts are there


def test_the_comments_say_how_long_each_was_trained(larger_run, monkeypatch):
    steps, train = [], run_length_generalisation.train

    def noted(model, task, settings):
        steps.append(settings.steps)
        train(model, task, settings)

    monkeypatch.setattr(run_length_generalisation, "train", noted)
    new = larger_run("alibi", "alibi_longer", steps=2)
    assert steps == [2, 8, 2, 8]
    assert "# training: 2 (recurrence) and 2 (recall) steps of 2 texts, seed 0\n" in new
    longer = "# alibi (4 × the steps): training {0} (recurrence) and {0} (recall) steps of 2 texts, seed 0"
    assert longer.format(8) + "\n" in new
    assert longer.format(4) + "; device " in larger_run("alibi_longer", steps=1)


def test_the_comments_of_the_table_that_ships_are_as_the_tool_writes_them():
    tool = run_length_generalisation
    rows, comments = tool.stored(tool.OUT)
    usual = argparse.Namespace(schemes=list(tool.VARIANTS), steps=None, batch_size=64)
    told = tool.trainings(rows, usual)
    assert told.keys() == {row["scheme"] for row in rows}
    assert f"# training: {told['rotary']}" in comments
    (longer,) = (comment for comment in comments if comment.startswith("# alibi (4 × the steps): "))
    assert longer.startswith(f"# alibi (4 × the steps): training {told['alibi (4 × the steps)']}; device ")


def test_a_seed_that_is_not_done_in_time_is_thrown_away_and_the_run_says_so(larger_run, monkeypatch, capsys):
    clock = iter(range(0, 10_000, 25))
    monkeypatch.setattr(run_length_generalisation, "time", SimpleNamespace(monotonic=clock.__next__))
    larger_run("none", seeds=3, minutes=3)
    assert set(pandas.read_csv(larger_run.path, comment="#").seed) == {0}
    assert "the time is up before recall, none: seed 1 is thrown away" in capsys.readouterr().out


def test_a_larger_run_that_is_cut_off_leaves_the_table_as_it_was(larger_run, monkeypatch):
    before = larger_run("none")

    def cut_off(*_, **__):
        raise KeyboardInterrupt

    for owner, name in (run_length_generalisation, "evaluate"), (Path, "replace"), (Path, "write_text"):
        with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
            broken.setattr(owner, name, cut_off)
            larger_run("none", "alibi", steps=2)
        assert larger_run.path.read_text() == before
    with pytest.raises(SystemExit, match="no seed was done in time"):
        larger_run("none", "alibi", minutes=0)
    assert larger_run.path.read_text() == before


def test_what_is_no_table_is_refused_before_the_training(larger_run, capsys):
    whole = larger_run("none")
    for damaged in ("", "task,scheme\n", whole[:-9]):
        larger_run.path.write_text(damaged)
        with pytest.raises(SystemExit):
            larger_run("alibi", steps=10**9)
        assert "--out: must be a table with the columns task, scheme, seed" in capsys.readouterr().err
        assert larger_run.path.read_text() == damaged


def test_the_larger_run_fails_at_once_without_a_place_for_its_table(tmp_path, monkeypatch, capsys):
    for out in (tmp_path, tmp_path / "no" / "table.csv"):
        monkeypatch.setattr("sys.argv", ["", "--out", str(out)])
        with pytest.raises(SystemExit):
            run_length_generalisation.main()
        assert f"--out: must be a file in a folder that exists; got {out}" in capsys.readouterr().err
