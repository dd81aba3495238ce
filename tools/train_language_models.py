"""Train the course's small language models, one for each position scheme, and store them.

    python -m tools.build_language_corpus python3.11-doc_*.deb   # first, once
    python -m tools.train_language_models --steps 1200 6000 --seeds 3

Each training is one of --steps, its learning rate falling over all of it, for each seed and scheme: first all
schemes of seed 0 with the most steps. It runs on CUDA where there is a GPU, else on one CPU thread. What is
done is kept in build/language_models/: a run that was cut off goes on from there by the same command, and a
finished training is not done again, nor one that is in data/language_models/table.csv with the same sizes,
but for those of seed 0 whose weights could ship.
When all are finished, the table of all losses goes to data/language_models/, beside what is there, with the
weights of seed 0 and the list of files with their hashes: weights of the most steps that all schemes in the
table have, as only these can be compared. With --store this happens at once, with the trainings that are
finished. --anew leaves nothing of what is there.

Larger models and longer texts, on a GPU; with --losses their table alone is written, no weights:

    python -m tools.train_language_models --losses data/larger_language_models.csv --d-model 384 --heads 6 \\
        --layers 6 --length 1024 --batch-size 16 --rate 1e-3 --steps 1000 --bfloat16
"""

import argparse
import csv
import datetime
import hashlib
import io
import json
import math
import platform
import time
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pe_helpers.models import Trained, accelerator, loss_by_position
from pe_helpers.models.trained import build
from pe_helpers.words import BytePairs
from tools.run_length_generalisation import commented, processor, table

ROOT = Path(__file__).resolve().parent.parent
OUT, BUILD = ROOT / "data" / "language_models", ROOT / "build" / "language_models"
TOKENS, D_MODEL, HEADS = 1024, 128, 4  # of the models that ship
WARMUP, DECAY = 100, 0.1
SMALL = 0.05  # the learned table begins with rows of about this norm: then what it shows was learned
FASTER = 10  # times the learning rate for T5's bias: one number does what elsewhere a matrix does
LONGER, TEXTS = 8, {1: 256, 8: 32}  # lengths of the tests, in trained lengths: how many texts
EDGES = 0, *(2**power for power in range(13))  # of the groups of positions
KEEP = 100  # steps of which one number of the curve is the mean; a checkpoint is kept after one of them
MINUTES = 1  # between two checkpoints, at least
# name: (scheme, arguments of `Transformer`), in the order of the trainings
MODELS = {
    "rotary": ("rotary", {}),
    "sinusoidal": ("sinusoidal", {"embedding_scale": "√d_model"}),
    "none": ("none", {}),
    "learned": ("learned", {}),
    "alibi": ("alibi", {}),
    "t5": ("t5", {}),
    "sinusoidal_unscaled": ("sinusoidal", {}),
    "rotary_100": ("rotary", {"base": 100}),
    "rotary_1000000": ("rotary", {"base": 1_000_000}),
    "rotary_half": ("rotary", {"without_rotation": True}),
}
# trained only when asked for: as "rotary", but the pairs that do not come round within a text do not turn
CONTROLS = {"rotary_frozen": ("rotary", {"all_come_round_in": True})}


def options_of(name, length, layers, d_model=None, heads=HEADS):
    """The arguments of `Transformer`, with `base` in the place of `rates`, as a JSON file can hold them."""
    d_model = d_model or D_MODEL
    positions, options = (MODELS | CONTROLS)[name]
    options = dict(options)
    if positions in ("rotary", "sinusoidal"):
        options.setdefault("base", 10_000)
    if "embedding_scale" in options:
        options["embedding_scale"] = d_model**0.5
    if "without_rotation" in options:
        options["without_rotation"] = list(range(1, layers, 2))
    if "all_come_round_in" in options:
        options["all_come_round_in"] = length
    options["max_length"] = length if positions == "learned" else LONGER * length
    sizes = {"vocab_size": TOKENS, "d_model": d_model, "heads": heads, "layers": layers, "tied": True}
    return {"positions": positions, **sizes, **options}


def new_model(options, seed):
    """A model before its training."""
    torch.manual_seed(seed)
    model = build(options)
    for block in model.blocks:  # as in GPT-2: what the layers add begins small
        for layer in block.attention_output, block.feed_forward[2]:
            layer.weight.data /= (2 * len(model.blocks)) ** 0.5
    if model.positions == "learned":
        model.absolute.table.data *= SMALL
    return model


def asked_for(name, arguments):
    """`options_of` a scheme with the sizes that were asked for."""
    return options_of(name, arguments.length, arguments.layers, arguments.d_model, arguments.heads)


def optimizer_of(model):
    """AdamW: weight decay for the layers' matrices, a higher rate for T5's bias and for no other."""
    faster = set(model.bias.parameters()) if model.positions == "t5" else set()
    groups = {(DECAY, 1): [], (0.0, 1): [], (0.0, FASTER): []}
    for name, parameter in model.named_parameters():
        is_matrix = parameter.ndim == 2 and name.startswith("blocks.")
        groups[(DECAY if is_matrix else 0.0, FASTER if parameter in faster else 1)].append(parameter)
    settings = [
        {"params": parameters, "weight_decay": decay, "times": times}
        for (decay, times), parameters in groups.items()
        if parameters
    ]
    return torch.optim.AdamW(settings, betas=(0.9, 0.95), fused=True)


def checkpoint(name, seed, steps, arguments):
    """Where a training is kept."""
    sizes = f"{arguments.length}-{arguments.layers}-{arguments.d_model}-{arguments.batch_size}"
    return BUILD / f"{name}-{seed}-{steps}-{sizes}.pt"


def train(name, seed, steps, arguments, device, ids):
    """Train one model as far as it is not, keeping checkpoints; return the last of them."""
    file = checkpoint(name, seed, steps, arguments)
    model = new_model(asked_for(name, arguments), seed).to(device)
    optimizer = optimizer_of(model)
    state = {"step": 0, "curve": [], "seconds": 0.0}
    if file.exists():
        state = torch.load(file, map_location=device)
        if state["step"] == steps:
            return state
        model.load_state_dict(state["weights"])
        optimizer.load_state_dict(state["optimizer"])
    kept = start = time.monotonic()
    losses = torch.zeros((), device=device)
    for step in range(state["step"], steps):
        batch = batch_of(ids, arguments.length, arguments.batch_size, 1_000_003 * seed + step)
        falling = 0.1 + 0.45 * (1 + math.cos(math.pi * step / steps))
        for group in optimizer.param_groups:
            group["lr"] = arguments.rate * group["times"] * min((step + 1) / WARMUP, falling)
        loss = take_step(model, optimizer, batch, arguments.bfloat16)
        losses += loss.detach()
        if (step + 1) % KEEP == 0 or step + 1 == steps:
            since = step % KEEP + 1
            state["curve"].append(round(float(losses) / since, 4))
            now = time.monotonic()
            state["step"], state["seconds"] = step + 1, state["seconds"] + now - start
            start, losses = now, torch.zeros((), device=device)
            took = f"{state['seconds'] / 60:.1f} minutes"
            print(f"{name}, seed {seed}: {step + 1} of {steps}, {state['curve'][-1]}, {took}", flush=True)
            if now - kept >= 60 * MINUTES or step + 1 == steps:
                kept = now
                state |= {"weights": model.state_dict(), "optimizer": optimizer.state_dict()}
                state |= {"device": described(device), "date": datetime.date.today().isoformat()}
                save(state, file)
    return state


def training_pages(device):
    return torch.tensor(np.load(BUILD / "train.npy").astype(np.int32), device=device)


def batch_of(ids, length, texts, seed):
    """Texts from random places of the training pages, each with the token after it, (texts, length + 1)."""
    generator = torch.Generator().manual_seed(seed)
    first = torch.randint(len(ids) - length, (texts, 1), generator=generator)
    return ids[(first + torch.arange(length + 1)).to(ids.device)].long()


def take_step(model, optimizer, batch, bfloat16):
    """One step of training; return the loss before it."""
    with torch.autocast(batch.device.type, torch.bfloat16, enabled=bfloat16):
        logits = model(batch[:, :-1])
    loss = functional.cross_entropy(logits.float().flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss


def described(device):
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"one thread of {processor()}"
    return f"{name}, torch {torch.__version__}, Python {platform.python_version()}"


def save(state, file):
    part = file.with_suffix(".part")  # never half a checkpoint
    torch.save(state, part)
    part.replace(file)


def tested(trained, device="cpu"):
    """(columns of the table, loss) for each test of a model and each group of positions."""
    trained.model.to(device)
    for times, window in (1, None), (LONGER, None), (LONGER, trained.length):
        length = times * trained.length
        if length > trained.model.max_length:
            continue
        trained.model.window = window
        loss = loss_by_position(trained.model, trained.texts(TEXTS[times], length).to(device))
        trained.model.window = None
        for first, end in pairwise([*(edge for edge in EDGES if edge < length), length]):
            columns = {"length": length, "window": window or "", "first": first, "last": end - 1}
            yield columns, float(loss[first:end].mean())


def shipped(name, arguments):
    """(comments, rows) of a table in data/language_models/, if it is of models and texts of these sizes."""
    file = OUT / name
    lines = file.read_text().splitlines() if file.exists() and not arguments.anew else []
    comments = [line for line in lines if line.startswith("#")]
    if not set(commented(sizes(arguments))) <= set(comments):
        return [], []
    return comments, list(csv.DictReader(lines[len(comments) :]))


def sizes(arguments):
    """What all trainings of a table have in common."""
    model = f"{arguments.layers} layers, d_model {arguments.d_model}, {arguments.heads} heads"
    return {
        "models": f"{model}, weights rounded to float16",
        "training": f"steps of {arguments.batch_size} texts of {arguments.length} tokens",
    }


def training(row):
    """(seed, steps, scheme) of a row of a table."""
    return int(row["seed"]), int(row["steps"]), row["scheme"]


def in_order(rows):
    """First the lowest seed, of it the most steps, of them the schemes as above; the rest as it is."""
    places = [*MODELS, *CONTROLS]
    return sorted(rows, key=lambda row: (int(row["seed"]), -int(row["steps"]), places.index(row["scheme"])))


def store(arguments):
    """Write the finished trainings to data/language_models/; every file whole or not at all."""
    (comments, rows), (_, curves) = shipped("table.csv", arguments), shipped("curves.csv", arguments)
    known, models, made, finished = set(map(training, rows)), weights_shipped(arguments), {}, {}
    for (seed, steps, name), state in finished_runs(arguments):
        finished[seed, steps, name] = state
        if (seed, steps, name) in known:
            continue
        run = {"scheme": name, "seed": seed, "steps": steps}
        trained = rounded(name, seed, steps, state, arguments)
        rows += [{**run, **columns, "loss": f"{loss:.5f}"} for columns, loss in tested(trained)]
        ends = [*range(KEEP, steps, KEEP), steps]
        curves += [{**run, "step": end, "loss": loss} for end, loss in zip(ends, state["curve"], strict=True)]
        made.setdefault(state["device"] + ", " + state["date"], []).append(state["seconds"] / 60)
    if not finished:
        raise SystemExit("no training is finished")
    steps = steps_of_all({name for *_, name in known | set(finished)}, finished, models)
    files = {}
    for name in MODELS:
        if (0, steps, name) not in finished or models.get(name, {}).get("steps") == steps:
            continue
        trained = rounded(name, 0, steps, finished[0, steps, name], arguments)
        loss = float(loss_by_position(trained.model, trained.texts(TEXTS[1])).mean())
        facts = {"length": arguments.length, "steps": steps, "seed": 0, "loss": round(loss, 5)}
        models[name] = facts | {"options": asked_for(name, arguments)}
        weights = {key: value.half().numpy() for key, value in trained.model.state_dict().items()}
        del weights["output.weight"]  # the embedding's
        content = io.BytesIO()
        np.savez(content, **weights)
        files[f"{name}.npz"] = content.getvalue()
        print(f"{name}: {steps} steps, loss {loss:.4f}", flush=True)
    if not made and not files:
        raise SystemExit("no training is finished that does not ship")
    facts = sizes(arguments) | {
        "loss": f"nats for a token, mean over {TEXTS[1]} held-out texts, {TEXTS[LONGER]} of the long ones",
    }
    before = [comment for comment in comments if comment.startswith("# made")]
    news = {
        f"made ({number})": f"{len(minutes)} trainings in {sum(minutes):.0f} minutes on {where}"
        for number, (where, minutes) in enumerate(made.items(), len(before) + 1)
    }
    files["table.csv"] = table(in_order(rows), [*commented(facts), *before, *commented(news)]).encode()
    facts["loss"] = f"of training, mean over {KEEP} steps"
    files["curves.csv"] = table(in_order(curves), [*commented(facts), *before, *commented(news)]).encode()
    for name, content in files.items():
        replace(OUT / name, content)
    for name in "tokenizer.json", "held_out.npy", "NOTICE.txt", *(f"{name}.npz" for name in models):
        files[name] = (OUT / name).read_bytes()
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    replace(OUT / "models.json", (json.dumps({"models": models, "files": hashes}, indent=1) + "\n").encode())
    print(f"{len(models)} models, {len(rows)} rows, {sum(map(len, files.values())):,} bytes in {OUT}")


def finished_runs(arguments):
    """((seed, steps, scheme), its last checkpoint) of every training that is finished, in their order."""
    for seed, steps, name in runs(arguments):
        file = checkpoint(name, seed, steps, arguments)
        state = torch.load(file, map_location="cpu") if file.exists() else {"step": 0}
        if state["step"] == steps:
            yield (seed, steps, name), state


def store_losses(arguments):
    """Write the losses of the finished trainings to the file of --losses."""
    rows, minutes, where, device = [], [], set(), accelerator()
    for (seed, steps, name), state in finished_runs(arguments):
        trained = rounded(name, seed, steps, state, arguments)
        run = {"scheme": name, "seed": seed, "steps": steps}
        rows += [{**run, **columns, "loss": f"{loss:.5f}"} for columns, loss in tested(trained, device)]
        minutes.append(state["seconds"] / 60)
        where.add(state["device"] + ", " + state["date"])
    if not rows:
        raise SystemExit("no training is finished")
    facts = sizes(arguments) | {
        "rate": f"{arguments.rate:g} at its highest, in {'bfloat16' if arguments.bfloat16 else 'float32'}",
        "loss": f"nats for a token, mean over {TEXTS[1]} held-out texts, {TEXTS[LONGER]} of the long ones",
        "made": f"{len(minutes)} trainings in {sum(minutes):.1f} minutes on {'; '.join(sorted(where))}",
    }
    replace(arguments.losses, table(in_order(rows), commented(facts)).encode())
    print(f"{len(rows)} rows in {arguments.losses}")


def weights_shipped(arguments):
    """{scheme: what models.json says} of the weights in data/language_models/, if they are of these sizes."""
    return (
        json.loads((OUT / "models.json").read_text())["models"] if shipped("table.csv", arguments)[1] else {}
    )


def steps_of_all(schemes, finished, models):
    """The most steps of which there are weights of all schemes, of seed 0: only these can be compared."""
    there = {(steps, name) for seed, steps, name in finished if seed == 0}
    there |= {(facts["steps"], name) for name, facts in models.items()}
    for steps in sorted({steps for steps, _ in there}, reverse=True):
        if all((steps, name) in there for name in schemes):
            return steps
    raise SystemExit(f"no number of steps is finished by all of {', '.join(sorted(schemes))} with seed 0")


def rounded(name, seed, steps, state, arguments):
    """A finished training as it would ship: with weights of float16."""
    options = asked_for(name, arguments)
    model = build(options).eval()
    model.load_state_dict({key: value.half() for key, value in state["weights"].items()})
    tokens = BytePairs(json.loads((OUT / "tokenizer.json").read_text())["merges"])
    held_out = torch.from_numpy(np.load(OUT / "held_out.npy").astype(np.int64))
    facts = {"length": arguments.length, "steps": steps, "seed": seed, "loss": math.nan}
    scheme = {"positions": options["positions"], "base": options.get("base")}
    return Trained(name, **facts, **scheme, model=model, tokens=tokens, held_out=held_out)


def replace(file, content):
    part = file.with_suffix(".part")
    part.write_bytes(content)
    part.replace(file)


def runs(arguments):
    """(seed, steps, scheme) of every training, in their order."""
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    return product(seeds, sorted(arguments.steps)[::-1], arguments.schemes)


def add_sizes(parser):
    """The options that say which models, and how they are trained."""
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--length", type=int, default=128, help="of the texts, in tokens")
    parser.add_argument("--batch-size", type=int, default=16, help="texts in a step")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--d-model", type=int, default=D_MODEL)
    parser.add_argument("--heads", type=int, default=HEADS)
    parser.add_argument("--rate", type=float, default=2e-3, help="the highest learning rate")
    parser.add_argument(
        "--bfloat16", action="store_true", help="products of matrices in training are bfloat16"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--schemes", nargs="+", choices=[*MODELS, *CONTROLS], default=list(MODELS))
    parser.add_argument("--steps", nargs="+", type=int, default=[6000])
    add_sizes(parser)
    parser.add_argument("--losses", type=Path, help="only a table of losses is stored, in this file")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--store", action="store_true", help="store what is finished, train nothing")
    one.add_argument("--no-store", action="store_true", help="train only, as one of several processes")
    parser.add_argument("--anew", action="store_true", help="train also what ships, and keep nothing of it")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    write = store_losses if arguments.losses else store
    if arguments.store:
        return write(arguments)
    device = accelerator()
    ids = training_pages(device)
    known, models = set(map(training, shipped("table.csv", arguments)[1])), weights_shipped(arguments)
    for seed, steps, name in runs(arguments):
        ships = steps <= models.get(name, {"steps": 0})["steps"]
        if arguments.losses or (seed, steps, name) not in known or (seed == 0 and not ships):
            train(name, seed, steps, arguments, device, ids)
    if not arguments.no_store:
        write(arguments)


if __name__ == "__main__":
    main()
