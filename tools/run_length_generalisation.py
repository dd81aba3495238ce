"""Train every position scheme on short texts, test it on texts 16 times as long, and store the losses.

    python tools/run_length_generalisation.py --minutes 12

The task is `recurrence` of `pe_helpers.models`. It runs on CUDA where there is a GPU, else on one CPU
thread, seed by seed, all schemes for each. A seed is left out if the time was up before all schemes had begun
with it, so every scheme has the same seeds. The table is written at the end, whole or not at all.
"""

import argparse
import csv
import datetime
import io
import platform
import time
from itertools import pairwise
from pathlib import Path

import torch

from pe_helpers.models import SCHEMES, Settings, Transformer, accelerator, evaluate, recurrence, train
from pe_helpers.models.checkpoints import write_whole

OUT = Path(__file__).resolve().parent.parent / "data" / "length_generalisation.csv"
VOCAB_SIZE, TRAINED, TEXTS = 16, 32, 128
PLACES = [0, 8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512]  # one bucket ends where the next begins


def trained_and_tested(scheme, seed, steps, batch_size, device):
    """Rows of the table: the mean loss and accuracy of each bucket of places."""
    torch.manual_seed(seed)
    model = Transformer(VOCAB_SIZE, scheme).to(device)
    settings = Settings(steps=steps, batch_size=batch_size, lengths=(TRAINED, TRAINED), seed=seed)
    train(model, recurrence, settings, progress=False)
    loss, accuracy = evaluate(model, recurrence, PLACES[-1], batches=TEXTS // 32, batch_size=32)
    for start, stop in pairwise(PLACES):
        yield {
            "scheme": scheme,
            "seed": seed,
            "first_place": start,
            "last_place": stop - 1,
            "loss": f"{loss[start:stop].mean():.4f}",
            "accuracy": f"{accuracy[start:stop].mean():.4f}",
        }


def whole_seeds(arguments, device):
    """The rows of every seed that all schemes could begin in time."""
    rows, end = [], time.monotonic() + 60 * arguments.minutes
    for seed in range(arguments.seeds):
        of_seed, start = [], time.monotonic()
        for scheme in arguments.schemes:
            if time.monotonic() > end:
                return rows
            of_seed += trained_and_tested(scheme, seed, arguments.steps, arguments.batch_size, device)
            print(f"seed {seed}, {scheme}: {time.monotonic() - start:.0f} s", flush=True)
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


def table(rows, facts):
    """Comments with the facts, a header, the rows."""
    text = io.StringIO()
    text.writelines(f"# {name}: {value}\n" for name, value in facts.items())
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--schemes", nargs="+", choices=SCHEMES, default=SCHEMES)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=60, help="the budget of time")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    if arguments.out.is_dir() or not arguments.out.parent.is_dir():
        parser.error(f"argument --out: must be a file in a folder that exists; got {arguments.out}")
    torch.set_num_threads(1)
    device, start = accelerator(), time.monotonic()
    rows = whole_seeds(arguments, device)
    if not rows:
        raise SystemExit("no seed was done in time; raise --minutes or lower --steps")
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"one thread of {processor()}"
    seeds = len({row["seed"] for row in rows})
    facts = {
        "task": f"recurrence of {VOCAB_SIZE} symbols, trained on {TRAINED}, tested on {TEXTS} × {PLACES[-1]}",
        "training": f"{arguments.steps} steps of {arguments.batch_size} texts, {seeds} seeds",
        "device": name,
        "versions": f"torch {torch.__version__}, Python {platform.python_version()}",
        "date": datetime.date.today().isoformat(),
        "took": f"{(time.monotonic() - start) / 60:.0f} minutes",
    }
    write_whole(arguments.out, table(rows, facts).encode())
    print(f"{len(rows)} rows in {arguments.out}")


if __name__ == "__main__":
    main()
