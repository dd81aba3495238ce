"""The training loop of a model on a task, its evaluation position by position, and where GPU cells run."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from .tasks import IGNORED, Task


def accelerator() -> torch.device:
    """Return the device on which cells tagged `gpu` run: CUDA if there is one, else the CPU.

    With PE_REQUIRE_GPU=1 in the environment, as in tests on a machine with a GPU, a missing GPU raises
    RuntimeError instead.

    >>> accelerator().type in ("cuda", "cpu")
    True
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    if os.environ.get("PE_REQUIRE_GPU") == "1":
        raise RuntimeError("PE_REQUIRE_GPU=1 asks for a CUDA GPU, and torch sees none on this machine.")
    return torch.device("cpu")


class Settings(NamedTuple):
    """What decides a training besides the model and the task.

    >>> Settings(steps=100, lengths=(8, 32)).batch_size
    64
    """

    steps: int = 500
    batch_size: int = 64  # texts per step
    lengths: tuple[int, int] = (32, 32)  # the task's shortest and longest `length`, both included
    learning_rate: float = 3e-3  # its highest value
    warmup_steps: int = 50  # in which the learning rate rises; then it falls along a cosine to a tenth
    seed: int = 0


def train(model: nn.Module, task: Task, settings: Settings) -> None:
    """Train a model with AdamW, in place; `evaluate` says how well it does then.

    task: `recurrence`, `recall`, or a function like them (see `pe_helpers.models.tasks`).
    The batch of a step depends only on the seed and the step's number. What the model itself draws, for
    dropout for example, comes from torch's global seed.

    >>> from pe_helpers.models import Transformer, recurrence
    >>> train(Transformer(16, "alibi"), recurrence, Settings(steps=2, batch_size=4, lengths=(5, 5)))
    """
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01, fused=True)
    device, (shortest, longest) = next(model.parameters()).device, settings.lengths
    model.train()
    for step in range(settings.steps):
        generator = _generator(settings.seed, step)
        length = int(torch.randint(shortest, longest + 1, (), generator=generator))
        inputs, targets = (x.to(device) for x in task(generator, settings.batch_size, length))
        optimizer.param_groups[0]["lr"] = settings.learning_rate * _schedule(step, settings)
        logits = model(inputs)  # (batch_size, L, vocab_size)
        loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())  # leaves IGNORED out
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


@torch.no_grad()
def evaluate(
    model: nn.Module,
    task: Task,
    length: int,
    *,
    batches: int = 4,
    batch_size: int = 64,
    by: Callable[[Tensor], Tensor] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (loss in nats, accuracy) at every position of texts of `length`, two float64 arrays.

    batches × batch_size texts are drawn, the same for every model. Each position is averaged over
    the texts in which the task scores it; positions that are never scored are left out.
    by: a function of the inputs, (batch, L), that returns a group for each target, int64 numbers from 0 on of
        the same shape. Then the results are for the groups, in their order, instead of the positions.

    >>> from pe_helpers.models import Transformer, recurrence
    >>> loss, accuracy = evaluate(Transformer(16, "none"), recurrence, 12, batches=1, batch_size=4)
    >>> loss.shape, accuracy.shape
    ((12,), (12,))
    """
    device, was_training, groups, results = next(model.parameters()).device, model.training, [], []
    model.eval()
    for number in range(batches):
        inputs, targets = task(_generator(10**6, number), batch_size, length)  # both (batch_size, L)
        logits = model(inputs.to(device)).float().cpu()  # (batch_size, L, vocab_size)
        loss = functional.cross_entropy(logits.mT, targets, reduction="none")  # (batch_size, L)
        group = by(inputs) if by else torch.arange(inputs.shape[1]).expand_as(inputs)
        groups.append(group.flatten())
        results.append(torch.stack([loss, logits.argmax(-1) == targets, targets != IGNORED]).flatten(1))
    model.train(was_training)
    group = torch.cat(groups)
    loss, correct, texts = (group.bincount(row.double()) for row in torch.cat(results, dim=1))
    scored = texts > 0
    return (loss / texts)[scored].numpy(), (correct / texts)[scored].numpy()


def _schedule(step: int, settings: Settings) -> float:
    """Return the learning rate at a step, relative to its highest value."""
    if step < settings.warmup_steps:
        return (step + 1) / settings.warmup_steps
    done = (step - settings.warmup_steps) / max(settings.steps - settings.warmup_steps, 1)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * done))


def _generator(seed: int, number: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed * 1_000_003 + number)
