"""Train every position scheme on short texts, test it on texts 16 times as long, and store the losses.

    python -m tools.run_length_generalisation --minutes 60

The tasks are `recurrence` and `recall` of `pe_helpers.models`. Each model is tested as it was trained, and
with a window as wide as the trained texts. It runs on CUDA where there is a GPU, else on one CPU thread, seed
by seed, all schemes for each. When --minutes are over, no further training begins, and a seed that not all
schemes have begun is thrown away: every scheme of a run has the same seeds. The table is written at the
end, whole or not at all.

    python -m tools.run_length_generalisation --schemes alibi t5

adds the rows of these schemes to the table that is there, in the place of theirs with the same seeds. All
other rows stay as they are, so a scheme with too few seeds gets more of them:

    python -m tools.run_length_generalisation --schemes t5 --first-seed 2 --seeds 3  # 2, 3 and 4
"""

import argparse
import csv
import datetime
import io
import platform
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import torch

from pe_helpers.models import (
    SCHEMES,
    Settings,
    T5Bias,
    Transformer,
    accelerator,
    evaluate,
    recall,
    recall_distance,
    recurrence,
    train,
)

OUT = Path(__file__).resolve().parent.parent / "data" / "length_generalisation.csv"
TRAINED, LONG, TEXTS, HEADS = 32, 512, 128, 4
STEPS = {"recurrence": 500, "recall": 600}
TASKS = {"recurrence": (recurrence, 16), "recall": (recall, 24)}  # each with its number of symbols
# one group ends where the next begins: positions of a text, or distances to a key
EDGES = {
    "recurrence": [0, 8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512],
    "recall": [2, 8, 16, 32, 64, 128, 512],
}


class Variant(NamedTuple):
    """What is trained: a scheme of `Transformer`, as it is or otherwise."""

    name: str  # in the table
    positions: str
    bias: Callable[[], torch.nn.Module] | None = None  # in the place of the scheme's own
    times: int = 1  # as many steps as the others have


NEAR = partial(T5Bias, HEADS, bidirectional=False, max_distance=TRAINED)  # by default the buckets end at 128
VARIANTS = {scheme: Variant(scheme, scheme) for scheme in SCHEMES} | {
    "t5_near": Variant(f"t5 (max_distance {TRAINED})", "t5", bias=NEAR),
    "alibi_longer": Variant("alibi (4 × the steps)", "alibi", times=4),
}
COLUMNS = ["task", "scheme", "seed", "window", "length", "first", "last", "loss", "accuracy"]


def group_of(task, inputs):
    """The number of the group that each target belongs to."""
    positions = torch.arange(inputs.shape[1]).expand_as(inputs)
    measure = positions if task == "recurrence" else recall_distance(inputs).clamp(min=EDGES[task][0])
    return torch.bucketize(measure.contiguous(), torch.tensor(EDGES[task]), right=True) - 1


def steps_of(task, variant, arguments):
    return (arguments.steps or STEPS[task]) * variant.times


def trained_and_tested(task, variant, seed, arguments, device):
    """Rows of the table: the mean loss and accuracy of each group, with all keys and with a window."""
    draw, vocab_size = TASKS[task]
    torch.manual_seed(seed)
    model = Transformer(vocab_size, variant.positions, heads=HEADS)
    if variant.bias:
        model.bias = variant.bias()
    model.to(device)
    sizes = {"steps": steps_of(task, variant, arguments), "batch_size": arguments.batch_size}
    train(model, draw, Settings(**sizes, lengths=(TRAINED, TRAINED), seed=seed))
    for window, length in (None, TRAINED), (None, LONG), (TRAINED, LONG):
        model.window = window
        by = partial(group_of, task)
        results = evaluate(model, draw, length, batches=TEXTS // 32, batch_size=32, by=by)
        for (start, stop), loss, accuracy in zip(pairwise(EDGES[task]), *results, strict=False):
            yield {
                "task": task,
                "scheme": variant.name,
                "seed": seed,
                "window": window or "",
                "length": length,
                "first": start,
                "last": stop - 1,
                "loss": f"{loss:.4f}",
                "accuracy": f"{accuracy:.4f}",
            }


def whole_seeds(arguments, device):
    """The rows of every seed that all schemes could begin in time."""
    rows, start = [], time.monotonic()
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
        of_seed, begun = [], time.monotonic()
        for task, key in product(TASKS, arguments.schemes):
            if time.monotonic() > start + 60 * arguments.minutes:
                print(f"the time is up before {task}, {key}: seed {seed} is thrown away", flush=True)
                return rows
            of_seed += trained_and_tested(task, VARIANTS[key], seed, arguments, device)
            print(f"seed {seed}, {task}, {key}: {time.monotonic() - begun:.0f} s", flush=True)
        rows += of_seed
    return rows


def processor():
    """The CPU's name, as Linux names it; elsewhere its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def stored(path):
    """The rows and the comments of the table in a file; none where there is no file."""
    if not path.exists():
        return [], []
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    header, *rows = [*csv.reader(lines[len(comments) :])] or [[]]
    if header != COLUMNS or any(len(row) != len(COLUMNS) for row in rows):
        raise ValueError(f"must be a table with the columns {', '.join(COLUMNS)}; got {path}")
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows], comments


def commented(facts):
    """The comments of a table, a line for each fact."""
    return [f"# {name}: {value}" for name, value in facts.items()]


def trainings(rows, arguments):
    """{name of a variant in the rows: what a comment says of its training}."""
    seeds, told = sorted({int(row["seed"]) for row in rows}), {}
    which = f"seeds {seeds[0]} to {seeds[-1]}" if seeds[1:] else f"seed {seeds[0]}"
    for variant in map(VARIANTS.get, arguments.schemes):
        steps = " and ".join(f"{steps_of(task, variant, arguments):,} ({task})" for task in TASKS)
        told[variant.name] = f"{steps} steps of {arguments.batch_size} texts, {which}"
    return told


def added(rows, facts, told, old_rows, old_comments):
    """The rows and the comments of a table with new rows in the place of the same schemes' and seeds'.

    facts: of this run; told: of each scheme's training, `trainings`.
    """
    new = {(row["scheme"], str(row["seed"])) for row in rows}
    kept = [row for row in old_rows if (row["scheme"], row["seed"]) not in new]
    if not kept:
        usual = next(iter(told.values()))
        others = {name: f"training {training}" for name, training in told.items() if training != usual}
        return rows, commented({"tasks": facts["tasks"], "training": usual} | facts | others)
    gone = {f"# {name}" for name in told} - {f"# {row['scheme']}" for row in kept}
    comments = [comment for comment in old_comments if comment.partition(":")[0] not in gone]
    run = "; ".join(f"{name} {value}" for name, value in facts.items() if name != "tasks")
    return kept + rows, comments + commented(
        {name: f"training {training}; {run}" for name, training in told.items()}
    )


def table(rows, comments):
    """The text of a table: comments, a header, the rows."""
    text = io.StringIO()
    text.writelines(f"{comment}\n" for comment in comments)
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write(path, rows, comments):
    """Write a table whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(table(rows, comments), encoding="utf-8")
    part.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    told = (
        f"of {', '.join(VARIANTS)}:\nby default all, for a new table; else their rows join those of the table"
    )
    parser.add_argument("--schemes", nargs="+", choices=VARIANTS, metavar="SCHEME", help=told)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=5, help="how many")
    usual = " and ".join(f"{steps} ({task})" for task, steps in STEPS.items())
    parser.add_argument("--steps", type=int, help=f"by default {usual}")
    parser.add_argument("--batch-size", type=int, default=64)
    in_time = "a seed that not all schemes have begun when they are over is thrown away"
    parser.add_argument("--minutes", type=float, default=60, help=in_time)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    if arguments.out.is_dir() or not arguments.out.parent.is_dir():
        parser.error(f"argument --out: must be a file in a folder that exists; got {arguments.out}")
    is_new, arguments.schemes = not arguments.schemes, list(dict.fromkeys(arguments.schemes or VARIANTS))
    try:
        if not is_new:
            stored(arguments.out)
    except ValueError as error:  # now, and not after an hour
        parser.error(f"argument --out: {error}")
    torch.set_num_threads(1)
    device, start = accelerator(), time.monotonic()
    rows = whole_seeds(arguments, device)
    if not rows:
        raise SystemExit("no seed was done in time; raise --minutes or lower --steps")
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"one thread of {processor()}"
    facts = {
        "tasks": f"{', '.join(TASKS)}; trained on {TRAINED}, tested on {TEXTS} × {TRAINED} and {LONG}",
        "device": name,
        "versions": f"torch {torch.__version__}, Python {platform.python_version()}",
        "date": datetime.date.today().isoformat(),
        "took": f"{(time.monotonic() - start) / 60:.0f} minutes",
    }
    old_rows, old_comments = ([], []) if is_new else stored(arguments.out)  # others may have added to it
    every_row, comments = added(rows, facts, trainings(rows, arguments), old_rows, old_comments)
    write(arguments.out, every_row, comments)
    print(f"{len(every_row)} rows in {arguments.out}, {len(rows)} of them of this run")
    if not is_new:
        replaced = len(old_rows) + len(rows) - len(every_row)
        print(f"of the rows that were there {replaced} are replaced, {len(old_rows) - replaced} are kept")


if __name__ == "__main__":
    main()
