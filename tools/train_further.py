"""Train finished rotary models further, on longer texts, with their hands slowed in one way or another.

    python -m tools.train_language_models --no-store --schemes rotary ...   # first, once, with the same sizes
    python -m tools.train_further --table data/further_training.csv --d-model 384 --heads 6 --layers 6 \\
        --length 1024 --batch-size 16 --steps 1000 --bfloat16 --rate 1e-4 --after 0 10 50 200

--steps says which models: those that were trained for so many. Each remedy of REMEDIES changes their rates
for texts LONGER times as long; then they are trained on such texts, as many tokens a step as before, at a
steady --rate (that at which their training ended), and tested after each number of --after steps, as all
models are, in texts of both lengths.
The table is written after each remedy, whole or not at all, with what is done by then.
"""

import argparse
import copy
import dataclasses
import datetime
import time
from pathlib import Path

import torch

from pe_helpers import angle_rates, interpolate_rates, ntk_rates, yarn_attention_factor, yarn_rates
from pe_helpers.models import accelerator, with_rates
from tools.run_length_generalisation import commented, write
from tools.train_language_models import (
    LONGER,
    add_sizes,
    batch_of,
    described,
    finished_runs,
    optimizer_of,
    rounded,
    sizes,
    take_step,
    tested,
    training_pages,
)

# name: the rates of a head, given its columns and the trained length
REMEDIES = {
    "none": lambda d_head, length: angle_rates(d_head),
    "slow all": lambda d_head, length: interpolate_rates(d_head, LONGER),
    "larger base": lambda d_head, length: ntk_rates(d_head, LONGER),
    "YaRN": lambda d_head, length: yarn_rates(d_head, LONGER, length),
}


def remedied(model, remedy, length):
    """A copy of the model at other rates; with YaRN its queries are larger, too, and so its scores."""
    changed = with_rates(model, REMEDIES[remedy](model.rotary.d_head, length))
    if remedy == "YaRN":
        d_model = model.embedding.embedding_dim
        for block in changed.blocks:
            for part in block.qkv.weight.data, block.qkv.bias.data:
                part[:d_model] *= yarn_attention_factor(LONGER) ** 2
    return changed.requires_grad_(True)


def further(trained, remedy, seed, arguments, device, ids):
    """Yield (steps so far, the model) after each number of --after steps."""
    model = remedied(trained.model, remedy, trained.length).to(device)
    optimizer, texts = optimizer_of(model), max(1, arguments.batch_size // LONGER)
    for group in optimizer.param_groups:
        group["lr"] = arguments.rate
    for step in range(max(arguments.after) + 1):
        if step in arguments.after:
            yield step, model
        if step == max(arguments.after):
            return
        seen = 1_000_003 * seed + arguments.steps[0] + step  # other texts than those of the first training
        take_step(model, optimizer, batch_of(ids, LONGER * trained.length, texts, seen), arguments.bfloat16)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add_sizes(parser)
    parser.add_argument("--steps", nargs=1, type=int, default=[1000], help="of the finished trainings")
    parser.add_argument("--after", nargs="+", type=int, default=[0, 10, 50, 200], help="steps of this one")
    parser.add_argument("--table", type=Path, required=True, help="where the losses are written")
    arguments = parser.parse_args()
    arguments.schemes = ["rotary"]
    torch.set_num_threads(1)
    device, start, rows = accelerator(), time.monotonic(), []
    ids = training_pages(device)
    for (seed, steps, name), state in finished_runs(arguments):
        trained = rounded(name, seed, steps, state, arguments)
        for remedy in REMEDIES:
            for step, model in further(trained, remedy, seed, arguments, device, ids):
                run = {"remedy": remedy, "seed": seed, "after": step}
                test = dataclasses.replace(trained, model=copy.deepcopy(model).requires_grad_(False))
                rows += [{**run, **columns, "loss": f"{loss:.5f}"} for columns, loss in tested(test, device)]
                print(f"{remedy}, seed {seed}: {step} of {max(arguments.after)}", flush=True)
            facts = sizes(arguments) | {
                "before": f"{steps} steps",
                "further": f"texts {LONGER} times as long, as many tokens a step, rate {arguments.rate:g}",
                "made": f"in {(time.monotonic() - start) / 60:.1f} minutes on {described(device)}, "
                f"{datetime.date.today().isoformat()}",
            }
            write(arguments.table, rows, commented(facts))
    if not rows:
        raise SystemExit("no training of a rotary model is finished with these sizes and steps")


if __name__ == "__main__":
    main()
