"""Tasks, models and the training loop: right by construction, the same again, and safe to interrupt."""

import itertools
import os
from copy import deepcopy

import numpy as np
import pandas
import pytest
import run_length_generalisation
import torch
from safetensors.torch import load_file, save_file

from pe_helpers import interpolate_rates
from pe_helpers.models.tasks import (
    FIRST,
    IGNORED,
    SEPARATOR,
    addition,
    copy,
    recurrence,
    reverse,
    reverse_at_once,
)
from pe_helpers.models.training import SCHEMES, Settings, Transformer, evaluate, train

TASKS = (recurrence, copy, reverse, reverse_at_once, addition)
SHORT = Settings(steps=60, batch=4, lengths=(3, 6), warmup=5)
SMALL = {"d_model": 16, "heads": 2, "layers": 2, "max_length": 64}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def model_of(positions="rotary", symbols=12, seed=0, **options):
    torch.manual_seed(seed)
    return Transformer(symbols, positions, **{**SMALL, **options})


def interrupted_at(step, task=copy, error=KeyboardInterrupt):
    """The task, until it is asked for the batch of that step."""
    calls = itertools.count()

    def wrapped(*arguments):
        if next(calls) == step:
            raise error
        return task(*arguments)

    return wrapped


# --- tasks --------------------------------------------------------------------------------------------


def test_recurrence_follows_its_rule_but_for_the_noise():
    inputs, targets = recurrence(generator(), 200, 40, symbols=16, noise=0.1)
    assert inputs.shape == targets.shape == (200, 40)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    follows = targets[:, 2:] == (inputs[:, 2:] + inputs[:, :-2]) % 16
    assert abs(float(follows.float().mean()) - (0.9 + 0.1 / 16)) < 0.02
    inputs, targets = recurrence(generator(), 20, 40, symbols=5, noise=0)
    assert torch.equal(targets[:, 2:], (inputs[:, 2:] + inputs[:, :-2]) % 5)
    assert set(inputs.unique().tolist()) == set(range(5))


@pytest.mark.parametrize(("task", "step"), [(copy, 1), (reverse, -1)])
def test_what_follows_the_separator_is_scored(task, step):
    inputs, targets = task(generator(), 7, 5, symbols=3)
    assert inputs.shape == targets.shape == (7, 10)
    assert (inputs[:, 5] == SEPARATOR).all() and (targets[:, :5] == IGNORED).all()
    for row, wanted in zip(inputs.tolist(), targets.tolist(), strict=True):
        assert set(row[:5]) <= set(range(FIRST, FIRST + 3))
        assert wanted[5:] == row[:5][::step] and wanted[5:-1] == row[6:]


def test_reverse_at_once():
    inputs, targets = reverse_at_once(generator(), 7, 5)
    assert targets.tolist() == [row[::-1] for row in inputs.tolist()]


def test_addition_adds():
    inputs, targets = addition(generator(), 50, 4)
    assert inputs.shape == targets.shape == (50, 14)
    for row, wanted in zip(inputs.tolist(), targets.tolist(), strict=True):
        a, b, c = (int("".join(map(str, part[::-1]))) for part in (row[:4], row[5:9], wanted[9:]))
        assert a + b == c and (row[4], row[9]) == (10, 11)
        assert wanted[:9] == [IGNORED] * 9 and wanted[9:-1] == row[10:]


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
    task = copy if causal else reverse_at_once
    result = train(model, task, Settings(steps=3, batch=2, lengths=(4, 4), warmup=1), progress=False)
    assert len(result.loss) == len(result.right) == 3 and result.ended == "all steps"
    loss, right = evaluate(model, task, 24, batches=1, batch=2)
    assert loss.shape == right.shape == (24,) and loss.dtype == right.dtype == np.float64
    assert np.isfinite(loss).all() and set(right) <= {0, 0.5, 1}
    assert model.training and not next(model.parameters()).isnan().any()
    with pytest.raises(ValueError, match="at most max_length = 64 columns; got 65"):
        model(torch.zeros(1, 65, dtype=torch.int64))


def test_it_learns():
    model = model_of("learned", d_model=32, causal=False)
    settings = Settings(steps=600, batch=32, lengths=(5, 5), warmup=20, rate=1e-2)
    result = train(model, reverse_at_once, settings, goal=0.95, progress=False)
    assert result.ended == "goal reached" and len(result.loss) < 600
    assert np.mean(result.right[-20:]) >= 0.95 > np.mean(result.right[-21:-1])


def test_other_rates_turn_a_trained_model_more_slowly():
    model, stretched = model_of(), model_of(rates=interpolate_rates(8, 4), seed=1)
    stretched.load_state_dict(model.state_dict())
    ids = torch.randint(12, (2, 9), generator=generator())
    assert torch.allclose(stretched(ids)[:, 0], model(ids)[:, 0], atol=1e-6)
    assert abs(stretched(ids) - model(ids)).max() > 1e-3


def test_evaluation_is_the_same_for_all_and_leaves_the_model_as_it_was():
    model = model_of().eval()
    once, again = (evaluate(model, copy, 5, batches=2, batch=3) for _ in range(2))
    assert np.array_equal(once, again) and not model.training
    assert not np.array_equal(once[0], evaluate(model, copy, 5, batches=2, batch=3, seed=1)[0])


def test_evaluation_averages_a_place_over_the_texts_that_score_it():
    drawn = []

    def task(*arguments):
        inputs, targets = reverse_at_once(*arguments)
        targets[torch.rand(targets.shape, generator=arguments[0]) < 0.5] = IGNORED
        targets[:, 2] = IGNORED
        drawn.append((inputs, targets))
        return inputs, targets

    model = model_of(causal=False).eval()
    found = np.transpose(evaluate(model, task, 6, batches=2, batch=50))
    inputs, targets = map(torch.cat, zip(*drawn, strict=True))
    logits = model(inputs).detach()
    for place, of_place in zip((0, 1, 3, 4, 5), found, strict=True):
        scored = targets[:, place] != IGNORED
        logits_here, wanted = logits[scored, place], targets[scored, place]
        loss = float(torch.nn.functional.cross_entropy(logits_here, wanted))
        right = float((logits_here.argmax(-1) == wanted).double().mean())
        assert of_place == pytest.approx((loss, right), rel=1e-5)


# --- the loop -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("positions", ["rotary", "random sinusoidal"])
def test_one_seed_gives_the_same_curve(positions):
    settings = SHORT._replace(steps=8)
    once, again = (train(model_of(positions), copy, settings, progress=False) for _ in range(2))
    assert once == again
    assert once.loss != train(model_of(positions), copy, settings._replace(seed=1), progress=False).loss


def test_what_the_model_draws_is_not_the_stream_of_the_batches():
    of_batches, of_models, model = [], [], model_of()

    def task(generator, *sizes):
        of_batches.append(generator.initial_seed())
        return copy(generator, *sizes)

    model.register_forward_pre_hook(lambda *_: of_models.append(torch.initial_seed()))
    train(model, task, SHORT._replace(steps=8), progress=False)
    assert len({*of_batches, *of_models}) == 16


@pytest.mark.parametrize("positions", ["t5", "random sinusoidal"])
def test_interrupted_and_taken_up_it_gives_the_same_curve(tmp_path, positions):
    path = tmp_path / "training.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train(model_of(positions), interrupted_at(55), SHORT, checkpoint=path, progress=False)
    assert len(load_file(path)["loss"]) == 50
    whole, taken_up = model_of(positions), model_of(positions, seed=9)
    result = train(taken_up, copy, SHORT, checkpoint=path, progress=False)
    assert result == train(whole, copy, SHORT, progress=False)
    for one, other in zip(whole.parameters(), taken_up.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("steps", [5, 50])
def test_what_was_complete_is_neither_repeated_nor_written_again(tmp_path, monkeypatch, steps):
    path, replaced, replace = tmp_path / "training.safetensors", [], os.replace
    monkeypatch.setattr("os.replace", lambda *paths: replaced.append(paths) or replace(*paths))
    settings = SHORT._replace(steps=steps)
    once = train(model_of(), copy, settings, checkpoint=path, progress=False)
    again = train(model_of(), interrupted_at(0), settings, checkpoint=path, progress=False)
    assert once == again and len(replaced) == 1


def test_a_training_without_time_leaves_a_checkpoint(tmp_path, monkeypatch):
    path = tmp_path / "training.safetensors"
    with monkeypatch.context() as patch:
        patch.setattr("time.monotonic", itertools.count().__next__)
        result = train(model_of(), copy, SHORT, seconds=0.5, checkpoint=path, progress=False)
    assert result == ([], [], "time is up") and path.exists()
    result = train(model_of(), copy, SHORT, checkpoint=path, progress=False)
    assert result == train(model_of(), copy, SHORT, progress=False)


def killed(*_):
    raise KeyboardInterrupt


def killed_with_half_of_it_written(file):
    os.ftruncate(file, os.fstat(file).st_size // 2)
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("name", "instead"),
    [("fsync", killed), ("fsync", killed_with_half_of_it_written), ("replace", killed)],
)
def test_a_file_half_written_leaves_the_old_checkpoint(tmp_path, monkeypatch, name, instead):
    path = tmp_path / "training.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train(model_of(), interrupted_at(55), SHORT, checkpoint=path, progress=False)
    before = path.read_bytes()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(f"os.{name}", instead)
        train(model_of(), copy, SHORT, checkpoint=path, progress=False)
    assert path.read_bytes() == before
    result = train(model_of(), copy, SHORT, checkpoint=path, progress=False)
    assert result == train(model_of(), copy, SHORT, progress=False)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    path = tmp_path / "training.safetensors"
    train(model_of(), copy, SHORT._replace(steps=5), checkpoint=path, progress=False)

    def refused(told, model, **settings):
        before = deepcopy(model.state_dict())
        with pytest.raises(ValueError, match=told):
            train(model, copy, SHORT._replace(**{"steps": 5, **settings}), checkpoint=path, progress=False)
        for name, weights in model.state_dict().items():
            assert torch.equal(weights, before[name])

    refused(
        r"checkpoint .* was made with other settings: .*'steps': 5.*'steps': 6", model_of(seed=1), steps=6
    )
    for options in ({"positions": "none"}, {"rates": interpolate_rates(8, 4)}, {"causal": False}):
        refused(r"was made with other model: .*'rotary'", model_of(**options, seed=1))
    refused(r"with other weights words.weight: \(12, 16\); now it is \(13, 16\)", model_of(symbols=13))
    refused(r"with other weights blocks.1.*; now it is None. Delete it or", model_of(layers=1, seed=1))
    refused(r"with other weights blocks.2.*: None; now it is", model_of(layers=3, seed=1))


def test_a_broken_file_is_refused(tmp_path):
    path = tmp_path / "training.safetensors"
    train(model_of(), copy, SHORT._replace(steps=5), checkpoint=path, progress=False)
    whole = path.read_bytes()
    for bytes_ in (b"", whole[:100], whole[:-10], b"\x80\x04pickle" * 20):
        path.write_bytes(bytes_)
        with pytest.raises(ValueError, match=r"^checkpoint must be a file that train wrote; .* Delete it"):
            train(model_of(), copy, SHORT._replace(steps=5), checkpoint=path, progress=False)
    save_file({"loss": torch.zeros(3)}, path)
    with pytest.raises(ValueError, match="must be a file that train wrote"):
        train(model_of(), copy, SHORT._replace(steps=5), checkpoint=path, progress=False)


def test_a_file_that_cannot_be_read_is_not_called_broken(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"^checkpoint must be in a folder that exists; got"):
        train(model_of(), copy, SHORT, checkpoint=tmp_path / "no" / "file", progress=False)
    told = r"^checkpoint must be a file that can be read; '.*' cannot: [^.]*$"
    with pytest.raises(ValueError, match=told):
        train(model_of(), copy, SHORT, checkpoint=tmp_path, progress=False)
    path = tmp_path / "training.safetensors"
    train(model_of(), copy, SHORT._replace(steps=5), checkpoint=path, progress=False)
    with monkeypatch.context() as patch, pytest.raises(ValueError, match=told):
        patch.setattr("pathlib.Path.read_bytes", lambda _: os.read(-1, 1))  # an OSError
        train(model_of(), copy, SHORT._replace(steps=5), checkpoint=path, progress=False)


def test_settings_of_numpy_numbers_are_those_of_plain_ones(tmp_path):
    path = tmp_path / "training.safetensors"
    plain = Settings(steps=5, batch=4, lengths=(3, 6), rate=0.25, warmup=5, seed=2**32 - 1)
    five, four, seed = np.int64(5), np.int32(4), np.int64(2**32 - 1)
    numbers = Settings(five, four, np.array([3, 6]), np.float32(0.25), five, seed)
    once = train(model_of(), copy, numbers, checkpoint=path, progress=False)
    assert once == train(model_of(), interrupted_at(0), plain, checkpoint=path, progress=False)


def test_time_and_goal_end_it_early():
    result = train(model_of(), copy, SHORT._replace(steps=10**6), seconds=0.2, progress=False)
    assert result.ended == "time is up" and 0 < len(result.loss) < 1000
    result = train(model_of(), copy, SHORT, goal=1e-9, progress=False)
    assert result.ended == "goal reached" and 20 <= len(result.loss) < 60


def too_much_for_the_cpu(*_):
    torch.empty(2**50)


def too_much_for_the_gpu(*_):
    raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate …")


@pytest.mark.parametrize("task", [too_much_for_the_cpu, too_much_for_the_gpu])
def test_too_little_memory_ends_in_a_sentence(task):
    with pytest.raises(RuntimeError, match=r"memory does not suffice; lower Settings.batch = 4 or Settings"):
        train(model_of(), task, SHORT, progress=False)
    with pytest.raises(RuntimeError, match="memory does not suffice; lower batch = 64 or length = 8"):
        evaluate(model_of(), task, 8)


def test_another_error_stays_what_it_is():
    with pytest.raises(RuntimeError, match=r"^something else$"):
        train(model_of(), interrupted_at(3, error=RuntimeError("something else")), SHORT, progress=False)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("positions", lambda: model_of("nope")),
        ("d_model", lambda: model_of(d_model=15)),
        ("d_model", lambda: model_of(d_model=18)),
        ("heads", lambda: model_of(heads=0)),
        ("layers", lambda: model_of(layers=0)),
        ("symbols", lambda: model_of(symbols=1)),
        ("max_length", lambda: model_of(max_length=0)),
        ("causal", lambda: model_of(causal="yes")),
        ("rates", lambda: model_of("none", rates=[1.0])),
        ("settings", lambda: train(model_of(), copy, {"steps": 3})),
        ("steps", lambda: train(model_of(), copy, Settings(steps=0))),
        ("batch", lambda: train(model_of(), copy, Settings(batch=0))),
        ("lengths", lambda: train(model_of(), copy, Settings(lengths=(5, 4)))),
        ("lengths", lambda: train(model_of(), copy, Settings(lengths=32))),
        ("rate", lambda: train(model_of(), copy, Settings(rate=0))),
        ("warmup", lambda: train(model_of(), copy, Settings(warmup=-1))),
        ("seed", lambda: train(model_of(), copy, Settings(seed=-1))),
        ("seed", lambda: train(model_of(), copy, Settings(seed=2**32))),
        ("seconds", lambda: train(model_of(), copy, seconds=0)),
        ("goal", lambda: train(model_of(), copy, goal=0)),
        ("goal", lambda: train(model_of(), copy, goal=1.01)),
        ("length", lambda: evaluate(model_of(), copy, 0)),
        ("batch", lambda: evaluate(model_of(), copy, 3, batch=0)),
        ("batches", lambda: evaluate(model_of(), copy, 3, batches=0)),
        ("seed", lambda: evaluate(model_of(), copy, 3, seed=-1)),
        ("seed", lambda: evaluate(model_of(), copy, 3, seed=2**32)),
        ("symbols", lambda: recurrence(generator(), 2, 3, symbols=1)),
        ("noise", lambda: recurrence(generator(), 2, 3, noise=-0.1)),
        ("noise", lambda: recurrence(generator(), 2, 3, noise=1.1)),
        ("noise", lambda: recurrence(generator(), 2, 3, noise="0.1")),
        *(("batch", lambda task=task: task(generator(), 0, 3)) for task in TASKS),
        *(("length", lambda task=task: task(generator(), 2, True)) for task in TASKS),
        *(("symbols", lambda task=task: task(generator(), 2, 3, symbols=2.5)) for task in TASKS[:-1]),
    ],
)
def test_an_error_names_the_argument(name, call):
    with pytest.raises(ValueError, match=rf"^{name} must "):
        call()


# --- the table of the larger run ----------------------------------------------------------------------


def test_the_larger_run_writes_its_table(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    options = "--schemes rotary alibi --seeds 2 --steps 1 --batch 2 --out".split()
    monkeypatch.setattr("sys.argv", ["", *options, str(path)])
    monkeypatch.setattr(run_length_generalisation, "PLACES", [0, 4, 9])
    run_length_generalisation.main()
    table = pandas.read_csv(path, comment="#")
    assert table.scheme.tolist() == 2 * (["rotary"] * 2 + ["alibi"] * 2)
    assert table.last_place.tolist() == 4 * [3, 8] and table.loss.between(1, 5).all()


def test_the_larger_run_fails_at_once_without_a_place_for_its_table(tmp_path, monkeypatch, capsys):
    for out in (tmp_path, tmp_path / "no" / "table.csv"):
        monkeypatch.setattr("sys.argv", ["", "--out", str(out)])
        with pytest.raises(SystemExit):
            run_length_generalisation.main()
        assert f"--out: must be a file in a folder that exists; got {out}" in capsys.readouterr().err
