"""The trained language models: what ships, the instruments, the tokenizer and the run that made them."""

import hashlib
import json
import math
import zipfile
from itertools import product

import numpy as np
import pandas
import pytest
import torch

from pe_helpers import alibi_slopes, angle_rates
from pe_helpers.models import (
    Transformer,
    attention_maps,
    load_trained,
    loss_by_position,
    pair_norms,
    position_kernel,
    trained,
    with_rates,
)
from pe_helpers.words import BytePairs
from tools import build_language_corpus, train_further, train_language_models

FOLDER = trained.FOLDER
NAMES = list(json.loads((FOLDER / "models.json").read_text())["models"])
TABLE = pandas.read_csv(FOLDER / "table.csv", comment="#")


pytestmark = pytest.mark.usefixtures("one_thread")


def model_of(positions="rotary", seed=0, **options):
    torch.manual_seed(seed)
    sizes = {"d_model": 16, "heads": 2, "layers": 2, "max_length": 64, "tied": True}
    return Transformer(32, positions, **{**sizes, **options}).eval()


def ids_of(*shape):
    return torch.randint(32, shape, generator=torch.Generator().manual_seed(0))


# --- what ships ------------------------------------------------------------------------------------------


def test_every_scheme_ships_and_it_is_small():
    assert set(NAMES) == set(train_language_models.MODELS)
    sizes = {file.name: file.stat().st_size for file in FOLDER.iterdir()}
    assert max(sizes.values()) <= 1.5e6 and sum(sizes.values()) <= 16e6


def test_every_file_has_its_hash():
    hashes = json.loads((FOLDER / "models.json").read_text())["files"]
    assert {*hashes, "models.json", ".gitattributes"} == {file.name for file in FOLDER.iterdir()}
    for name, expected in hashes.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == expected, name


@pytest.mark.parametrize("name", NAMES)
def test_a_model_has_the_losses_of_the_table(name):
    found = load_trained(name)
    loss = loss_by_position(found.model, found.texts())
    assert loss.mean() == pytest.approx(found.loss, abs=1e-3)
    rows = TABLE[(TABLE.scheme == name) & (TABLE.seed == found.seed) & (TABLE.steps == found.steps)]
    short = rows[rows.window.isna() & (rows.length == found.length)]
    assert short["first"].iloc[0] == 0 and short["last"].iloc[-1] == found.length - 1
    for row in short.itertuples():
        assert loss[row.first : row.last + 1].mean() == pytest.approx(row.loss, abs=1e-3), row
    assert not found.model.training and found.loss < 4.6  # an even guess has ln 1024 = 6.93


def test_beyond_the_trained_length_too():
    found = load_trained("rotary")
    length = 8 * found.length
    rows = TABLE[(TABLE.scheme == "rotary") & (TABLE.seed == found.seed) & (TABLE.steps == found.steps)]
    rows = rows[rows.length == length]
    texts = found.texts(train_language_models.TEXTS[8], length)
    for window, some in rows.groupby("window", dropna=False):
        found.model.window = None if math.isnan(window) else int(window)
        loss = loss_by_position(found.model, texts)
        for row in some.itertuples():
            assert loss[row.first : row.last + 1].mean() == pytest.approx(row.loss, abs=1e-3), row
    assert rows.window.isna().any() and rows.window.notna().any()


def test_the_table_says_where_it_comes_from():
    for name in "table.csv", "curves.csv":
        head = [line for line in (FOLDER / name).read_text().splitlines() if line.startswith("#")]
        text = "\n".join(head)
        assert all(word in text for word in ("steps of", "torch", "Python", "minutes on", "202")), name
    assert not TABLE.duplicated(["scheme", "seed", "steps", "length", "window", "first"]).any()
    assert set(TABLE.scheme) == set(NAMES)


def test_what_a_model_says_of_itself():
    found = load_trained("sinusoidal")
    assert (found.positions, found.base, found.model.embedding_scale) == ("sinusoidal", 10_000, 128**0.5)
    assert "held_out" not in repr(found) and "steps=" in repr(found)
    for name, base in ("rotary", 1e4), ("rotary_100", 100), ("rotary_1000000", 1e6):
        model = load_trained(name).model
        assert np.allclose(model.rates, angle_rates(32, base=base)), name
    assert load_trained("rotary_half").model.without_rotation == (1,)
    assert load_trained("none").base is None and load_trained("learned").model.max_length == found.length


def test_each_call_gives_a_model_of_its_own():
    load_trained("rotary").model.norm.weight.zero_()
    assert load_trained("rotary").model.norm.weight.any()


def test_text_goes_in_and_comes_out():
    found = load_trained("rotary")
    text = "def f(x):\n    return x**2  # ω, 你好, 🐍\n\n\tend"
    assert found.decode(found.encode(text)) == text
    page = found.decode(found.held_out)
    assert found.tokens.encode(page) == found.held_out.tolist()
    assert 190_000 < len(page.encode()) < 260_000
    texts = found.texts(5, 20)
    assert texts.shape == (5, 21) and texts.dtype == torch.int64
    assert torch.equal(texts[0], found.held_out[:21]) and torch.equal(texts[-1], found.held_out[-21:])


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("name", lambda: load_trained("gpt2")),
        ("text", lambda: load_trained("rotary").encode("")),
        ("count", lambda: load_trained("rotary").texts(0)),
        ("length", lambda: load_trained("rotary").texts(1, 0)),
        ("length", lambda: load_trained("rotary").texts(1, 10**6)),
        ("ids", lambda: load_trained("rotary").decode([-1])),
        ("model", lambda: with_rates(model_of("alibi"), angle_rates(8))),
        ("table", lambda: with_rates(model_of(), angle_rates(16))(ids_of(2, 4))),
        ("without_rotation", lambda: model_of(without_rotation=[2])),
        ("without_rotation", lambda: model_of("alibi", without_rotation=[0])),
        ("embedding_scale", lambda: model_of(embedding_scale=0)),
    ],
)
def test_an_error_names_the_argument(name, call):
    with pytest.raises(ValueError, match=rf"^{name} must "):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: BytePairs([(97, 256)]),
        lambda: position_kernel(model_of(), ids_of(2, 4), 2, 0),
        lambda: position_kernel(model_of(), ids_of(2, 4), 0, 2),
        lambda: load_trained("rotary").decode([10**6]),
    ],
)
def test_what_is_not_there_is_an_index_error(call):
    with pytest.raises(IndexError):
        call()


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A folder with the files that ship, which the loader reads."""
    for file in FOLDER.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(trained, "FOLDER", tmp_path)
    caches = [trained._tokens, trained._held_out]
    for cached in caches:
        cached.cache_clear()
    yield tmp_path
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize("name", ["rotary.npz", "tokenizer.json", "held_out.npy"])
def test_a_file_that_is_cut_off_or_missing_is_refused(copied, name):
    file = copied / name
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises((ValueError, zipfile.BadZipFile)):
        load_trained("rotary")
    file.unlink()
    with pytest.raises(OSError, match=f"No such file.*{name}"):
        load_trained("rotary")


# --- the model's new arguments ---------------------------------------------------------------------------


def test_a_tied_model_reads_and_writes_with_one_matrix():
    model, untied = model_of(), model_of(tied=False)
    assert model.output.weight is model.embedding.weight and model.output.bias is None
    assert len(list(untied.parameters())) == len(list(model.parameters())) + 2
    assert 0.8 < model.embedding.weight.norm(dim=1).mean() < 1.2


def test_the_scale_multiplies_the_words_before_positions_are_added():
    model, scaled = model_of("sinusoidal"), model_of("sinusoidal", embedding_scale=3)
    ids = ids_of(2, 9)
    expected = scaled(ids)
    model.output.weight = torch.nn.Parameter(model.embedding.weight.detach().clone())  # not scaled
    model.embedding.weight.data *= 3
    assert torch.allclose(model(ids), expected, atol=1e-6)


def test_a_layer_without_rotation_does_not_know_the_order_of_its_keys():
    """The last query sees the same set of keys in any order."""
    ids = ids_of(3, 9)
    shuffled = torch.cat(
        [ids[:, torch.randperm(8, generator=torch.Generator().manual_seed(1))], ids[:, 8:]], 1
    )
    for without, is_blind in ([0], True), ([], False):
        model = model_of(layers=1, without_rotation=without)
        assert (abs(model(ids) - model(shuffled))[:, -1].max() < 1e-5) == is_blind


# --- the instruments -------------------------------------------------------------------------------------


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary", "alibi", "t5"])
@pytest.mark.parametrize("options", [{}, {"window": 3}])
def test_attention_maps_are_what_the_model_computes_with(positions, options):
    """Values times the maps give the stream that the next layer reads."""
    model, ids = model_of(positions, **options), ids_of(2, 7)
    if positions == "t5":
        torch.nn.init.normal_(model.bias.embedding.weight)
    maps = attention_maps(model, ids)
    assert maps.shape == (2, 2, 2, 7, 7) and torch.allclose(maps.sum(-1), torch.ones(()), atol=1e-6)
    x = model.embedding(ids) if model.absolute is None else model.absolute(model.embedding(ids))
    for layer, block in enumerate(model.blocks):
        v = block.queries_keys_values(x, None)[2]
        x = x + block.attention_output((maps[layer] @ v).transpose(1, 2).flatten(2))
        x = x + block.feed_forward(block.feed_forward_norm(x))
    assert torch.allclose(model.output(model.norm(x)), model(ids), atol=1e-5)


def test_without_content_each_head_attends_evenly():
    model = model_of("none")
    for block in model.blocks:
        block.qkv.weight.data.zero_()
        block.qkv.bias.data.zero_()
    expected = torch.ones(6, 6).tril() / torch.arange(1, 7)[:, None]
    assert torch.allclose(attention_maps(model, ids_of(1, 6)), expected, atol=1e-6)


def test_the_kernel_of_a_bias_is_the_bias():
    model = model_of("alibi")
    model.blocks[1].qkv.weight.data.zero_()
    model.blocks[1].qkv.bias.data.zero_()
    for head, slope in enumerate(alibi_slopes(2)):
        for window in None, 5:
            model.window = window
            found = position_kernel(model, ids_of(3, 12), layer=1, head=head)
            seen = slice(window)
            assert np.allclose(found.kernel[seen], -slope * np.arange(12)[seen], atol=1e-6)
            assert np.isnan(found.kernel[window:]).all() if window else True
            assert found.share == pytest.approx(1)
            rows = np.nanmean(found.scores, axis=1)
            assert np.allclose(rows, 0, atol=1e-7) and np.isnan(found.scores[0, 1])


def with_scores(scores):
    """A model whose only head in layer 0 has these scores: its table has a unit vector for each position."""
    length = len(scores)
    model = model_of("learned", d_model=4 * length, heads=1, max_length=length)
    block = model.blocks[0]
    model.embedding.weight.data.zero_()
    table = torch.zeros(
        length, 4 * length
    )  # mean 0 and the same variance in each row, so the norm only scales
    table[:, :length], table[:, length : 2 * length] = torch.eye(length), -torch.eye(length)
    model.absolute.table.data = table
    block.qkv.weight.data.zero_()
    block.qkv.bias.data.zero_()
    normed = block.attention_norm(table)[0, 0].detach()
    one_hot = torch.eye(4 * length)[:length]
    block.qkv.weight.data[:length] = one_hot / normed
    block.qkv.weight.data[4 * length : 5 * length] = (
        torch.tensor(scores, dtype=torch.float32) @ one_hot * (4 * length) ** 0.5 / normed
    )
    return model


def test_the_share_of_the_offset_is_known_by_construction():
    """q of position i is the unit vector i and k of position j is column j of the scores that we chose."""
    rows, columns = np.indices((10, 10))
    offset = np.sin(rows - columns) - 0.3 * (rows - columns)
    ids = torch.zeros(1, 10, dtype=torch.int64)
    mere = position_kernel(
        with_scores(offset + 5 * np.cos(rows)), ids, 0, 0
    )  # what a row shares does not count
    assert mere.share == pytest.approx(1, abs=1e-5)
    assert np.allclose(mere.kernel, offset[:, 0] - offset[0, 0], atol=1e-4)
    noise = np.random.default_rng(0).normal(size=(10, 10))
    half = position_kernel(with_scores(noise), ids, 0, 0)
    assert half.share < 0.6
    # by least squares, written as a whole: a number for each row and one for each distance, or for each key
    seen = rows >= columns
    means = np.array([noise[i, : i + 1].mean() for i in range(10)])[rows[seen]]
    for share, groups in (half.share, rows - columns), (half.key_share, columns):
        design = np.hstack([np.eye(10)[rows[seen]], np.eye(10)[groups[seen]]])
        fitted = design @ np.linalg.lstsq(design, noise[seen])[0]
        expected = 1 - ((noise[seen] - fitted) ** 2).sum() / ((noise[seen] - means) ** 2).sum()
        assert share == pytest.approx(expected, abs=1e-4)
    assert half.spread == pytest.approx(np.sqrt(((noise[seen] - means) ** 2).mean()), abs=1e-4)


def test_without_positions_there_is_no_kernel():
    found = position_kernel(model_of("none"), ids_of(20)[:, None].expand(-1, 12), 0, 0)
    assert found.spread < 1e-5 and math.isnan(found.share) and np.allclose(found.kernel, 0, atol=1e-5)


def test_rotation_alone_depends_on_the_offset_alone():
    found = position_kernel(model_of("rotary"), ids_of(20)[:, None].expand(-1, 12), 0, 1)
    assert found.share == pytest.approx(1, abs=1e-6) and found.spread > 1e-3


def test_pairs_have_the_norms_that_were_put_in():
    for positions in "rotary", "none":
        model = model_of(positions)
        for block in model.blocks:
            block.qkv.weight.data.zero_()
            block.qkv.bias.data[:] = torch.arange(
                48.0
            )  # 16 columns of q, two heads of 4 pairs, then k, then v
        columns = torch.arange(32.0).view(2, 2, 4, 2).norm(dim=-1)  # (q or k, heads, pairs)
        for found, expected in zip(pair_norms(model, ids_of(3, 9)), columns, strict=True):
            assert found.shape == (2, 2, 4) and torch.allclose(found, expected.expand(2, 2, 4))


def test_other_rates_are_those_of_a_model_that_was_built_with_them():
    model, ids, rates = model_of(), ids_of(2, 9), angle_rates(8, base=100)
    built = model_of(rates=rates)
    built.load_state_dict(model.state_dict())
    changed = with_rates(model, torch.tensor(rates))
    assert torch.equal(changed(ids), built(ids)) and changed.rates == built.rates
    assert not torch.allclose(model(ids), built(ids), atol=1e-4)  # the model itself has its own
    still = model_of("none")
    still.load_state_dict(model.state_dict())
    assert torch.allclose(with_rates(model, np.zeros(4))(ids), still(ids), atol=1e-6)


def test_loss_by_position_of_an_even_guess_and_of_a_sure_one():
    model, texts = model_of(), ids_of(300, 41)
    model.norm.weight.data.zero_()
    model.norm.bias.data.zero_()
    assert np.allclose(loss_by_position(model, texts), math.log(32), atol=1e-6)
    model.norm.bias.data = 1e3 * torch.nn.functional.normalize(model.embedding.weight.data[5], dim=0)
    model.output.weight.data[5] *= 100
    texts[:, 7] = 5
    loss = loss_by_position(model, texts)
    assert loss.shape == (40,) and loss[6] < 1e-6 and loss[5] > 10


# --- the tokenizer ---------------------------------------------------------------------------------------


def test_encoding_is_the_librarys():
    """The same merges in the library `tokenizers` cut every text into the same pieces."""
    tokenizers = pytest.importorskip("tokenizers")
    ours = load_trained("rotary").tokens
    letters = build_language_corpus.letters()
    pieces = ["".join(letters[byte] for byte in piece) for piece in ours.pieces]
    merges = [(pieces[left], pieces[right]) for left, right in ours.merges]
    model = tokenizers.models.BPE({piece: id for id, piece in enumerate(pieces)}, merges)
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = build_language_corpus.cuts()
    text = load_trained("rotary").decode(load_trained("rotary").held_out) + " \u00a0 naïve\tété  \n \n x"
    assert theirs.encode(text).ids == ours.encode(text)


def test_the_corpus_is_read_once_and_split_by_page(tmp_path):
    folder = tmp_path / "usr" / "share" / "doc" / "python3.11" / "html" / "_sources"
    folder.mkdir(parents=True)
    (tmp_path / "usr" / "share" / "doc" / "python3.11-doc").symlink_to("python3.11")
    for number in range(30):
        (folder / f"{number:02}.rst.txt").write_text(f"page {number} " * 2000)
    (folder / "stub.rst.txt").write_text("stub")
    texts = build_language_corpus.pages(tmp_path)
    assert list(texts) == [f"{number:02}.rst.txt" for number in range(30)]
    kept, held_out = build_language_corpus.split(texts)
    assert sorted([*kept, *held_out]) == list(texts) and 8 <= len(held_out) <= 14
    assert build_language_corpus.split(texts) == (kept, held_out)


# --- the run ---------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Call the script with a folder of its own; a step of a training costs little here."""
    for name in "OUT", "BUILD":
        monkeypatch.setattr(train_language_models, name, tmp_path / name)
        (tmp_path / name).mkdir()
    for name in "tokenizer.json", "held_out.npy", "NOTICE.txt":
        (tmp_path / "OUT" / name).write_bytes((FOLDER / name).read_bytes())
    np.save(tmp_path / "BUILD" / "train.npy", np.load(FOLDER / "held_out.npy")[:2000])
    monkeypatch.setattr(train_language_models, "TEXTS", {1: 3, 8: 2})
    monkeypatch.setattr(train_language_models, "D_MODEL", 16)
    monkeypatch.setattr(train_language_models, "KEEP", 2)
    monkeypatch.setattr(train_language_models, "MINUTES", 0)

    def call(*options):
        sizes = ["--length", "8", "--batch-size", "2"]
        monkeypatch.setattr("sys.argv", ["", *sizes, *map(str, options)])
        train_language_models.main()

    call.out, call.build = tmp_path / "OUT", tmp_path / "BUILD"
    return call


def test_a_run_writes_all_that_ships(run, monkeypatch):
    names = "rotary", "learned", "rotary_half"
    run("--steps", 3, 1, "--seeds", 2, "--schemes", *names)
    table = pandas.read_csv(run.out / "table.csv", comment="#")
    assert table.groupby(["scheme", "seed", "steps"]).ngroups == 3 * 2 * 2
    one = table[(table.scheme == "rotary") & (table.seed == 1) & (table.steps == 3)]
    assert one[one.length == 8]["last"].tolist() == [0, 1, 3, 7]
    assert one[one.window == 8]["last"].tolist() == [0, 1, 3, 7, 15, 31, 63]
    assert set(table[table.scheme == "learned"].length) == {8}  # its table ends there
    curves = pandas.read_csv(run.out / "curves.csv", comment="#")
    assert curves[(curves.scheme == "learned") & (curves.seed == 0)].step.tolist() == [2, 3, 1]
    monkeypatch.setattr(trained, "FOLDER", run.out)
    for cached in trained._tokens, trained._held_out:
        cached.cache_clear()
    for name in names:
        found = load_trained(name)
        assert (found.steps, found.seed, found.length) == (3, 0, 8)
        losses = table[(table.scheme == name) & (table.seed == 0) & (table.steps == 3) & (table.length == 8)]
        loss = loss_by_position(found.model, found.texts(3))
        assert loss[4:].mean() == pytest.approx(losses.loss.iloc[-1], abs=1e-4)
    for cached in trained._tokens, trained._held_out:
        cached.cache_clear()


def test_what_ships_stays_and_more_is_added(run, capsys):
    run("--steps", 3, "--seeds", 1, "--schemes", "rotary", "learned")
    first = {file.name: file.read_bytes() for file in run.out.glob("*.*")}
    for file in run.build.glob("*.pt"):
        file.unlink()
    run("--steps", 3, 5, "--seeds", 1, "--schemes", "rotary", "alibi")
    assert not [file.name for file in run.build.glob("rotary-0-3-*.pt")]  # it is in the table
    table = pandas.read_csv(run.out / "table.csv", comment="#")
    trainings = [
        f"{row.scheme} {row.steps}" for row in table[["scheme", "steps"]].drop_duplicates().itertuples()
    ]
    assert trainings == ["rotary 5", "alibi 5", "rotary 3", "learned 3", "alibi 3"]
    lines = first["table.csv"].decode().splitlines()
    assert set(lines) <= set((run.out / "table.csv").read_text().splitlines())
    models = json.loads((run.out / "models.json").read_text())["models"]
    assert {name: facts["steps"] for name, facts in models.items()} == {"rotary": 3, "learned": 3, "alibi": 3}
    assert {
        name: (run.out / name).read_bytes() for name in ("rotary.npz", "learned.npz")
    }.items() <= first.items()
    with pytest.raises(SystemExit, match="no training is finished that does not ship"):
        run("--steps", 3, 5, "--seeds", 1, "--schemes", "rotary", "--store")
    run("--steps", 5, "--seeds", 1, "--schemes", "learned")  # now all three have five steps
    models = json.loads((run.out / "models.json").read_text())["models"]
    assert {facts["steps"] for facts in models.values()} == {3}  # those of the others are not asked for
    run("--steps", 5, "--seeds", 1, "--schemes", "learned", "rotary", "alibi")
    models = json.loads((run.out / "models.json").read_text())["models"]
    assert {name: facts["steps"] for name, facts in models.items()} == {"rotary": 5, "learned": 5, "alibi": 5}
    assert (run.out / "rotary.npz").read_bytes() != first["rotary.npz"]
    run("--steps", 3, "--seeds", 1, "--schemes", "rotary", "--batch-size", 3)  # other sizes: another table
    assert len(pandas.read_csv(run.out / "table.csv", comment="#").groupby(["scheme", "steps"])) == 1


def test_losses_of_other_sizes_go_to_a_table_of_their_own(run):
    sizes = "--d-model", 24, "--heads", 2, "--layers", 3, "--steps", 3, "--seeds", 2, "--bfloat16"
    file = run.out / "larger.csv"
    asked = *sizes, "--schemes", "sinusoidal", "learned", "--losses", file
    run(*asked, "--seeds", 1, "--first-seed", 1, "--no-store")
    assert (
        not file.exists()
        and len(list(run.build.glob("*-1-3-*.pt"))) == len(list(run.build.glob("*.pt"))) == 2
    )
    for more in [(), ("--store",)]:  # the second finds what the first trained
        file.unlink(missing_ok=True)
        run(*asked, *more)
        text, table = file.read_text(), pandas.read_csv(file, comment="#")
        assert "3 layers, d_model 24, 2 heads" in text and "0.002 at its highest, in bfloat16" in text
        assert "4 trainings in" in text
        assert table.groupby(["scheme", "seed"]).ngroups == 4 and set(table.length) == {8, 64}
        assert set(table[table.scheme == "learned"].length) == {8}
    assert not (run.out / "table.csv").exists() and not (run.out / "models.json").exists()
    kept = torch.load(next(run.build.glob("sinusoidal-0-3-8-3-24-2.pt")))
    assert kept["weights"]["embedding.weight"].shape == (1024, 24)


def test_rotary_models_are_trained_further_on_longer_texts(run, monkeypatch):
    sizes = "--length", 8, "--batch-size", 16, "--d-model", 24, "--heads", 2, "--layers", 2, "--seeds", 2
    file = run.out / "further.csv"

    def further(*options):
        monkeypatch.setattr("sys.argv", ["", *map(str, (*sizes, "--table", file, *options))])
        train_further.main()

    with pytest.raises(SystemExit, match="no training of a rotary model is finished"):
        further("--steps", 3)
    run(*sizes, "--steps", 3, "--schemes", "rotary", "--no-store")
    further("--steps", 3, "--after", 0, 2, "--rate", 1e-2)
    table = pandas.read_csv(file, comment="#").fillna({"window": 0})
    runs = table.groupby(["remedy", "seed", "after"])
    assert set(runs.groups) == {
        (*run, after) for run in product(train_further.REMEDIES, (0, 1)) for after in (0, 2)
    }
    assert set(table.length) == {8, 64}
    last = table[(table.length == 64) & (table.window == 0)].groupby(["remedy", "seed", "after"]).loss.last()
    assert len(set(last)) == len(last)  # each remedy and each step changes the loss
    state = torch.load(run.build / "rotary-1-3-8-2-24-16.pt")
    options = train_language_models.options_of("rotary", 8, 2, 24, 2)
    model = trained.build(options)
    model.load_state_dict({key: value.half() for key, value in state["weights"].items()})
    slowed = with_rates(model.eval().requires_grad_(False), np.array(model.rates) / 8)
    loss = loss_by_position(slowed, load_trained("rotary").texts(2, length=64))[32:].mean()
    assert last["slow all", 1, 0] == pytest.approx(loss, abs=1e-4)


@pytest.mark.parametrize("name", train_language_models.MODELS)
def test_every_scheme_can_be_trained(name):
    """A step changes every weight; none is left out of the optimizer, and the matrices alone decay."""
    model = train_language_models.new_model(train_language_models.options_of(name, 8, 2), seed=0)
    optimizer = train_language_models.optimizer_of(model)
    groups = optimizer.param_groups
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))
    decayed = {id(weight) for group in groups if group["weight_decay"] for weight in group["params"]}
    assert decayed == {id(weight) for weight in model.blocks.parameters() if weight.ndim == 2}
    faster = [weight for group in groups if group["times"] != 1 for weight in group["params"]]
    assert faster == ([model.bias.embedding.weight] if name == "t5" else [])
    loss = model(ids_of(2, 8)).logsumexp(-1).mean()
    loss.backward()
    assert all(weight.grad.any() for weight in model.parameters())


def test_a_bias_that_is_not_t5s_learns_as_all_else():
    model = train_language_models.new_model(train_language_models.options_of("alibi", 8, 2), seed=0)
    model.bias = torch.nn.Linear(1, 4)
    groups = train_language_models.optimizer_of(model).param_groups
    assert {group["times"] for group in groups} == {1}


def test_a_run_that_was_cut_off_goes_on(run, monkeypatch):
    options = "--steps", 5, "--seeds", 1, "--schemes", "rotary", "t5"
    run(*options)
    whole = {name: (run.out / name).read_bytes() for name in ("rotary.npz", "t5.npz")}
    for file in [*run.build.glob("*.pt"), run.out / "models.json", run.out / "table.csv"]:
        file.unlink()
    saved, save = [], train_language_models.save

    def broken(state, file):
        if len(saved) == 4:  # rotary has three checkpoints
            raise KeyboardInterrupt
        saved.append(file)
        save(state, file)

    monkeypatch.setattr(train_language_models, "save", broken)
    with pytest.raises(KeyboardInterrupt):
        run(*options)
    assert not (run.out / "table.csv").exists()
    again = []

    def noted(state, file):
        again.append(state["step"])
        save(state, file)

    monkeypatch.setattr(train_language_models, "save", noted)
    run(*options)
    assert again == [4, 5]  # of t5; the rest was there
    assert {name: (run.out / name).read_bytes() for name in whole} == whole
    assert not list(run.out.glob("*.part"))


def test_nothing_finished_stores_nothing(run):
    with pytest.raises(SystemExit, match="no training is finished"):
        run("--store")
    assert not (run.out / "models.json").exists()
