"""The task, the models and the training loop: the same curve again, and safe to interrupt."""

import itertools
import os
from copy import deepcopy
from functools import partial
from pathlib import Path

import numpy as np
import pandas
import pytest
import run_length_generalisation
import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from pe_helpers import interpolate_rates
from pe_helpers.models import SCHEMES, Settings, Transformer, evaluate, recurrence, train
from pe_helpers.models.tasks import IGNORED

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


def reversal(generator, batch_size, length):
    """Random symbols, and as targets the same backwards: for models that are not causal."""
    x = torch.randint(12, (batch_size, length), generator=generator)
    return x, x.flip(1)


def interrupted_at(step):
    """The task, until it is asked for the batch of that step."""
    calls = itertools.count()

    def wrapped(*arguments):
        if next(calls) == step:
            raise KeyboardInterrupt
        return task(*arguments)

    return wrapped


# --- the task --------------------------------------------------------------------------------------------


def test_recurrence_follows_its_rule_but_for_the_noise():
    inputs, targets = recurrence(generator(), 200, 40, vocab_size=16, noise=0.1)
    assert inputs.shape == targets.shape == (200, 40)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    follows = targets[:, 2:] == (inputs[:, 2:] + inputs[:, :-2]) % 16
    assert abs(float(follows.float().mean()) - (0.9 + 0.1 / 16)) < 0.02
    inputs, targets = recurrence(generator(), 20, 40, vocab_size=5, noise=0)
    assert torch.equal(targets[:, 2:], (inputs[:, 2:] + inputs[:, :-2]) % 5)
    assert set(inputs.unique().tolist()) == set(range(5))


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
def test_only_without_positions_is_a_model_that_sees_all_equivariant(positions):
    model = model_of(positions, causal=False).eval()
    if positions == "t5":
        torch.nn.init.normal_(model.bias.embedding.weight)  # it starts without preference
    ids = torch.randint(12, (3, 9), generator=generator())
    order = torch.randperm(9, generator=generator())
    difference = abs(model(ids[:, order]) - model(ids)[:, order]).max()
    assert (difference < 1e-5) == (positions == "none")


@pytest.mark.parametrize("positions", SCHEMES)
@pytest.mark.parametrize("causal", [True, False])
def test_every_scheme_trains_and_runs_on_longer_texts(positions, causal):
    model = model_of(positions, causal=causal)
    trained_on = task if causal else reversal
    settings = Settings(steps=3, batch_size=2, lengths=(4, 4), warmup_steps=1)
    result = train(model, trained_on, settings, progress=False)
    assert len(result.loss) == len(result.accuracy) == 3
    loss, accuracy = evaluate(model, trained_on, 24, batches=1, batch_size=2)
    assert loss.shape == accuracy.shape == (24,) and loss.dtype == accuracy.dtype == np.float64
    assert np.isfinite(loss).all() and set(accuracy) <= {0, 0.5, 1}
    assert model.training and not next(model.parameters()).isnan().any()
    with pytest.raises(ValueError, match="at most max_length = 64 columns; got 65"):
        model(torch.zeros(1, 65, dtype=torch.int64))


def test_it_learns():
    model = model_of("learned", d_model=32, causal=False)
    settings = Settings(steps=200, batch_size=32, lengths=(5, 5), warmup_steps=20, learning_rate=1e-2)
    result = train(model, reversal, settings, progress=False)
    assert np.mean(result.accuracy[:20]) < 0.4 and np.mean(result.accuracy[-20:]) >= 0.95
    assert np.mean(result.loss[-20:]) < 0.2


def test_other_rates_change_a_trained_model_from_position_1_on():
    model, stretched = model_of(), model_of(rates=interpolate_rates(8, 4), seed=1)
    stretched.load_state_dict(model.state_dict())
    ids = torch.randint(12, (2, 9), generator=generator())
    assert torch.allclose(stretched(ids)[:, 0], model(ids)[:, 0], atol=1e-6)
    assert abs(stretched(ids) - model(ids)).max() > 1e-3


def test_random_positions_increase_and_are_spread_evenly_in_evaluation():
    layer = model_of("random sinusoidal").absolute

    def positions():
        return torch.cdist(layer(torch.zeros(1, 10, 16))[0], layer.table).argmin(dim=1)

    drawn = torch.stack([positions() for _ in range(100)])
    assert (drawn.diff() > 0).all() and len(drawn.unique()) == 64
    layer.eval()
    assert positions().tolist() == [0, 7, 14, 21, 28, 35, 42, 49, 56, 63]


def test_evaluation_is_the_same_for_all_and_leaves_the_model_as_it_was():
    model = model_of().eval()
    once, again = (evaluate(model, task, 5, batches=2, batch_size=3) for _ in range(2))
    assert np.array_equal(once, again) and not model.training
    assert not np.array_equal(once[0], evaluate(model, task, 5, batches=2, batch_size=3, seed=1)[0])


def test_evaluation_averages_a_position_over_the_texts_that_score_it():
    drawn = []

    def partly_scored(*arguments):
        inputs, targets = reversal(*arguments)
        targets[torch.rand(targets.shape, generator=arguments[0]) < 0.5] = IGNORED
        targets[:, 2] = IGNORED
        drawn.append((inputs, targets))
        return inputs, targets

    model = model_of(causal=False).eval()
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


@pytest.mark.parametrize("positions", ["rotary", "random sinusoidal"])
def test_one_seed_gives_the_same_curve(positions):
    settings = SHORT._replace(steps=8)
    once, again = (train(model_of(positions), task, settings, progress=False) for _ in range(2))
    assert once == again
    assert once.loss != train(model_of(positions), task, settings._replace(seed=1), progress=False).loss


def test_what_the_model_draws_is_not_the_stream_of_the_batches():
    of_batches, of_models, model = [], [], model_of()

    def watched(generator, *sizes):
        of_batches.append(generator.initial_seed())
        return task(generator, *sizes)

    model.register_forward_pre_hook(lambda *_: of_models.append(torch.initial_seed()))
    train(model, watched, SHORT._replace(steps=8), progress=False)
    assert len({*of_batches, *of_models}) == 16


def test_the_learning_rate_rises_and_falls_to_a_tenth():
    rates = []
    hook = register_optimizer_step_pre_hook(
        lambda optimizer, *_: rates.append(optimizer.param_groups[0]["lr"])
    )
    train(model_of(), task, SHORT._replace(steps=25, learning_rate=0.01), progress=False)
    hook.remove()
    assert rates[:6] == pytest.approx([0.002, 0.004, 0.006, 0.008, 0.01, 0.01])
    assert rates[15] == pytest.approx(0.0055) and 0.001 < rates[-1] < 0.0011
    assert (np.diff(rates[5:]) < 0).all()


@pytest.mark.parametrize("positions", ["t5", "random sinusoidal"])
def test_interrupted_and_resumed_it_gives_the_same_curve(tmp_path, positions):
    path = tmp_path / "training.pt"
    with pytest.raises(KeyboardInterrupt):
        train(model_of(positions), interrupted_at(55), SHORT, checkpoint=path, progress=False)
    assert len(torch.load(path)["curves"][0]) == 50
    whole, resumed = model_of(positions), model_of(positions, seed=9)
    result = train(resumed, task, SHORT, checkpoint=path, progress=False)
    assert result == train(whole, task, SHORT, progress=False)
    for one, other in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("steps", [5, 50])
def test_what_was_complete_is_neither_repeated_nor_written_again(tmp_path, monkeypatch, steps):
    path, replaced, replace = tmp_path / "training.pt", [], os.replace
    monkeypatch.setattr("os.replace", lambda *paths: replaced.append(paths) or replace(*paths))
    settings = SHORT._replace(steps=steps)
    once = train(model_of(), task, settings, checkpoint=path, progress=False)
    again = train(model_of(), interrupted_at(0), settings, checkpoint=path, progress=False)
    assert once == again and len(replaced) == 1


class Tied(torch.nn.Module):
    """Two names for one tensor, as where the output layer shares the embedding's weights."""

    def __init__(self):
        super().__init__()
        self.embedding, self.output = torch.nn.Embedding(12, 8), torch.nn.Linear(8, 12, bias=False)
        self.output.weight = self.embedding.weight

    def forward(self, ids):
        return self.output(self.embedding(ids))


def test_tied_weights_are_saved_and_stay_tied(tmp_path):
    path, settings = tmp_path / "training.pt", SHORT._replace(steps=55)
    with pytest.raises(KeyboardInterrupt):
        train(Tied(), interrupted_at(52), settings, checkpoint=path, progress=False)
    resumed = Tied()
    train(resumed, task, settings, checkpoint=path, progress=False)
    assert resumed.output.weight is resumed.embedding.weight
    loaded = Tied()
    train(loaded, interrupted_at(0), settings, checkpoint=path, progress=False)
    assert torch.equal(loaded.output.weight, resumed.embedding.weight)


def killed(*_):
    raise KeyboardInterrupt


def killed_with_half_of_it_written(path, content, write=Path.write_bytes):
    write(path, content[: len(content) // 2])
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("name", "instead"),
    [("pathlib.Path.write_bytes", killed_with_half_of_it_written), ("os.replace", killed)],
)
def test_a_file_half_written_leaves_the_old_checkpoint(tmp_path, monkeypatch, name, instead):
    path = tmp_path / "training.pt"
    with pytest.raises(KeyboardInterrupt):
        train(model_of(), interrupted_at(55), SHORT, checkpoint=path, progress=False)
    before = path.read_bytes()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(name, instead)
        train(model_of(), task, SHORT, checkpoint=path, progress=False)
    assert path.read_bytes() == before
    result = train(model_of(), task, SHORT, checkpoint=path, progress=False)
    assert result == train(model_of(), task, SHORT, progress=False)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    path = tmp_path / "training.pt"
    train(model_of(), task, SHORT._replace(steps=5), checkpoint=path, progress=False)

    def refused(told, model, **settings):
        before = deepcopy(model.state_dict())
        with pytest.raises(ValueError, match=told):
            train(model, task, SHORT._replace(**{"steps": 5, **settings}), checkpoint=path, progress=False)
        for name, weights in model.state_dict().items():
            assert torch.equal(weights, before[name])

    refused(
        r"^checkpoint must have settings .*steps=6.*; got .*steps=5.* in .*\.pt$", model_of(seed=1), steps=6
    )
    for options in ({"positions": "none"}, {"rates": interpolate_rates(8, 4)}, {"causal": False}):
        refused(r"must have model .*; got .*positions='rotary', causal=True", model_of(**options, seed=1))
    refused(r"weights embedding.weight \(13, 16\); got \(12, 16\)", model_of(vocab_size=13))
    refused(r"weights blocks.1.* None; got \(", model_of(layers=1, seed=1))
    refused(r"weights blocks.2.* \(.*\); got None", model_of(layers=3, seed=1))


def test_a_broken_file_is_refused(tmp_path):
    path = tmp_path / "training.pt"
    train(model_of(), task, SHORT._replace(steps=5), checkpoint=path, progress=False)
    whole = path.read_bytes()
    for bytes_ in (b"", whole[:100], whole[:-10], b"\x80\x02pickle" * 20):
        path.write_bytes(bytes_)
        with pytest.raises(
            ValueError, match=r"^checkpoint must be a file that train wrote; got .*training.pt$"
        ):
            train(model_of(), task, SHORT._replace(steps=5), checkpoint=path, progress=False)
    torch.save({"loss": torch.zeros(3)}, path)
    with pytest.raises(ValueError, match="must be a file that train wrote"):
        train(model_of(), task, SHORT._replace(steps=5), checkpoint=path, progress=False)


def test_a_checkpoint_runs_no_code(tmp_path):
    path = tmp_path / "training.pt"
    torch.save({"description": Path("a file with an object in it")}, path)
    with pytest.raises(ValueError, match="must be a file that train wrote"):
        train(model_of(), task, SHORT, checkpoint=path, progress=False)


def test_a_folder_that_is_missing_is_told_before_the_first_step(tmp_path):
    with pytest.raises(ValueError, match=r"^checkpoint must be in a folder that exists; got"):
        train(model_of(), interrupted_at(0), SHORT, checkpoint=tmp_path / "no" / "file", progress=False)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("positions", lambda: model_of("nope")),
        ("d_model", lambda: model_of(d_model=15)),
        ("d_model", lambda: model_of(d_model=18)),
        ("rates", lambda: model_of("none", rates=[1.0])),
        ("batch_size", lambda: train(model_of(), task, Settings(batch_size=0))),
        ("length", lambda: train(model_of(), task, Settings(lengths=(0, 0)))),
        ("seed", lambda: train(model_of(), task, Settings(seed=-1))),
        ("seed", lambda: train(model_of(), task, Settings(seed=2**32))),
        ("length", lambda: evaluate(model_of(), task, 0)),
        ("batch_size", lambda: evaluate(model_of(), task, 3, batch_size=0)),
        ("seed", lambda: evaluate(model_of(), task, 3, seed=-1)),
        ("seed", lambda: evaluate(model_of(), task, 3, seed=2**32)),
        ("vocab_size", lambda: recurrence(generator(), 2, 3, vocab_size=1)),
        ("noise", lambda: recurrence(generator(), 2, 3, noise=-0.1)),
        ("noise", lambda: recurrence(generator(), 2, 3, noise=1.1)),
        ("noise", lambda: recurrence(generator(), 2, 3, noise="0.1")),
    ],
)
def test_an_error_names_the_argument(name, call):
    with pytest.raises(ValueError, match=rf"^{name} must "):
        call()


# --- the table of the larger run ----------------------------------------------------------------------


def test_the_larger_run_writes_its_table(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    options = "--schemes rotary alibi --seeds 2 --steps 1 --batch-size 2 --out".split()
    monkeypatch.setattr("sys.argv", ["", *options, str(path)])
    monkeypatch.setattr(run_length_generalisation, "PLACES", [0, 4, 9])
    run_length_generalisation.main()
    table = pandas.read_csv(path, comment="#")
    assert table.scheme.tolist() == 2 * (["rotary"] * 2 + ["alibi"] * 2)
    assert table.last_place.tolist() == 4 * [3, 8] and table.loss.between(1, 5).all()
    assert table.accuracy.between(0, 1).all()


def test_the_larger_run_fails_at_once_without_a_place_for_its_table(tmp_path, monkeypatch, capsys):
    for out in (tmp_path, tmp_path / "no" / "table.csv"):
        monkeypatch.setattr("sys.argv", ["", "--out", str(out)])
        with pytest.raises(SystemExit):
            run_length_generalisation.main()
        assert f"--out: must be a file in a folder that exists; got {out}" in capsys.readouterr().err
