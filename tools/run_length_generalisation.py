"""Train every position scheme on short texts, test it on texts 16 times as long, and store the losses.

    python -m tools.run_length_generalisation --minutes 60

The tasks are `recurrence` and `recall` of `pe_helpers.models`. Each model is tested as it was trained, and
with a window as wide as the trained texts. It runs on CUDA where there is a GPU, else on one CPU thread, seed
by seed, all schemes for each. A seed is left out if the time was up before all schemes had begun with it, so
every scheme has the same seeds. The table is written at the end, whole or not at all.

    python -m tools.run_length_generalisation --schemes alibi t5

adds the rows of these schemes to the table that is there, in the place of theirs with the same seeds. All
other rows stay as they are.
"""

import argparse
import csv
import datetime
import io
import platform
import time
from functools import partial
from itertools import pairwise, product
from pathlib import Path

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
NEAR_T5 = f"t5 (max_distance {TRAINED})"  # T5's buckets end at 128 by default
LONGER = "alibi (4 × the steps)"
STEPS = {"recurrence": 500, "recall": 600}
TASKS = {"recurrence": (recurrence, 16), "recall": (recall, 24)}  # each with its number of symbols
# one group ends where the next begins: positions of a text, or distances to a key
EDGES = {
    "recurrence": [0, 8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512],
    "recall": [2, 8, 16, 32, 64, 128, 512],
}
COLUMNS = ["task", "scheme", "seed", "window", "length", "first", "last", "loss", "accuracy"]


def group_of(task, inputs):
    """The number of the group that each target belongs to."""
    positions = torch.arange(inputs.shape[1]).expand_as(inputs)
    measure = positions if task == "recurrence" else recall_distance(inputs).clamp(min=EDGES[task][0])
    return torch.bucketize(measure.contiguous(), torch.tensor(EDGES[task]), right=True) - 1


def trained_and_tested(task, scheme, seed, steps, batch_size, device):
    """Rows of the table: the mean loss and accuracy of each group, with all keys and with a window."""
    draw, vocab_size = TASKS[task]
    torch.manual_seed(seed)
    model = Transformer(vocab_size, {NEAR_T5: "t5", LONGER: "alibi"}.get(scheme, scheme), heads=HEADS)
    if scheme == NEAR_T5:
        model.bias = T5Bias(HEADS, bidirectional=False, max_distance=TRAINED)
    model.to(device)
    settings = Settings(steps=steps, batch_size=batch_size, lengths=(TRAINED, TRAINED), seed=seed)
    train(model, draw, settings)
    for window, length in (None, TRAINED), (None, LONG), (TRAINED, LONG):
        model.window = window
        by = partial(group_of, task)
        results = evaluate(model, draw, length, batches=TEXTS // 32, batch_size=32, by=by)
        for (start, stop), loss, accuracy in zip(pairwise(EDGES[task]), *results, strict=False):
            yield {
                "task": task,
                "scheme": scheme,
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
    rows, end = [], time.monotonic() + 60 * arguments.minutes
    for seed in range(arguments.seeds):
        of_seed, start = [], time.monotonic()
        for task, scheme in product(TASKS, arguments.schemes):
            if time.monotonic() > end:
                return rows
            steps = (arguments.steps or STEPS[task]) * (4 if scheme == LONGER else 1)
            of_seed += trained_and_tested(task, scheme, seed, steps, arguments.batch_size, device)
            print(f"seed {seed}, {task}, {scheme}: {time.monotonic() - start:.0f} s", flush=True)
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


def added(rows, facts, old_rows, old_comments):
    """The rows and the comments of a table with new rows in the place of the same schemes' and seeds'."""
    new = {(row["scheme"], str(row["seed"])) for row in rows}
    kept = [row for row in old_rows if (row["scheme"], row["seed"]) not in new]
    if not kept:
        return rows, commented(facts)
    schemes = dict.fromkeys(row["scheme"] for row in rows)
    gone = {f"# {scheme}" for scheme in schemes} - {f"# {row['scheme']}" for row in kept}
    comments = [comment for comment in old_comments if comment.partition(":")[0] not in gone]
    told = "; ".join(f"{name} {value}" for name, value in facts.items() if name != "tasks")
    return kept + rows, comments + [f"# {scheme}: {told}" for scheme in schemes]


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
    every_scheme = (*SCHEMES, NEAR_T5, LONGER)
    told = "by default all of them, for a new table; else their rows are added to the one that is there"
    parser.add_argument("--schemes", nargs="+", choices=every_scheme, help=told)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, help=f"by default {STEPS}")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=60, help="the budget of time")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    if arguments.out.is_dir() or not arguments.out.parent.is_dir():
        parser.error(f"argument --out: must be a file in a folder that exists; got {arguments.out}")
    is_new, arguments.schemes = not arguments.schemes, list(dict.fromkeys(arguments.schemes or every_scheme))
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
    seeds = len({row["seed"] for row in rows})
    facts = {
        "tasks": f"{', '.join(TASKS)}; trained on {TRAINED}, tested on {TEXTS} × {TRAINED} and {LONG}",
        "training": f"{arguments.steps or STEPS} steps of {arguments.batch_size} texts, {seeds} seeds",
        "device": name,
        "versions": f"torch {torch.__version__}, Python {platform.python_version()}",
        "date": datetime.date.today().isoformat(),
        "took": f"{(time.monotonic() - start) / 60:.0f} minutes",
    }
    old_rows, old_comments = ([], []) if is_new else stored(arguments.out)  # others may have added to it
    every_row, comments = added(rows, facts, old_rows, old_comments)
    write(arguments.out, every_row, comments)
    print(f"{len(every_row)} rows in {arguments.out}, {len(rows)} of them of this run")
    if not is_new:
        replaced = len(old_rows) + len(rows) - len(every_row)
        print(f"of the rows that were there {replaced} are replaced, {len(old_rows) - replaced} are kept")


if __name__ == "__main__":
    main()
