"""The training loop of a model on a task, and its evaluation position by position."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from tqdm.auto import tqdm

from .._arguments import integer
from . import checkpoints
from .tasks import IGNORED, Task

SAVE_EVERY = 50  # steps


class Settings(NamedTuple):
    """What decides a training besides the model and the task. A checkpoint needs the same to be resumed.

    >>> Settings(steps=100, lengths=(8, 32)).batch_size
    64
    """

    steps: int = 500
    batch_size: int = 64  # texts per step
    lengths: tuple[int, int] = (32, 32)  # the task's shortest and longest `length`, both included
    learning_rate: float = 3e-3  # its highest value
    warmup_steps: int = 50  # in which the learning rate rises; then it falls along a cosine to a tenth
    seed: int = 0  # below 2**32


class Training(NamedTuple):
    """The loss in nats and the accuracy, from 0 to 1, at every step."""

    loss: list[float]
    accuracy: list[float]


def train(
    model: nn.Module,
    task: Task,
    settings: Settings | None = None,
    *,
    checkpoint: str | Path | None = None,
    progress: bool = True,
) -> Training:
    """Train a model with AdamW, in place; return the loss and the accuracy at every step, a Training.

    task: `recurrence`, or a function like it (see `pe_helpers.models.tasks`).
    settings: None means `Settings()`. progress: whether a progress bar is shown.
    checkpoint: the path of a file to which the state is saved every 50 steps and at the end, completely or
        not at all. After an interrupt call train again, with a model made in the same way: it resumes from
        the file. A training that is complete is loaded and not repeated. The file does not say which task was
        trained, so train cannot refuse another one.
    The batch of a step depends only on the seed and the step's number, so a resumed training gives the same
    losses as one without interrupt on the same device. torch's global seed is set, for what the model draws.
    Raises ValueError for a seed that is not an integer from 0 to 2**32 - 1, and for a checkpoint that is
    broken or was made with another model or other settings.

    >>> from pe_helpers.models import Transformer, recurrence
    >>> settings = Settings(steps=2, batch_size=4, lengths=(5, 5))
    >>> len(train(Transformer(16, "alibi"), recurrence, settings, progress=False).loss)
    2
    """
    settings = settings or Settings()
    options = {"lr": settings.learning_rate, "weight_decay": 0.01, "fused": True}
    optimizer = torch.optim.AdamW(model.parameters(), **options)
    path = Path(checkpoint) if checkpoint else None
    loss, accuracy = checkpoints.load(path, model, optimizer, settings) if path else ([], [])
    device, (shortest, longest) = next(model.parameters()).device, settings.lengths
    model.train()
    for step in tqdm(range(len(loss), settings.steps), leave=False, disable=not progress):
        generator = _generator(settings.seed, step)
        length = int(torch.randint(shortest, longest + 1, (), generator=generator))
        inputs, targets = (x.to(device) for x in task(generator, settings.batch_size, length))
        torch.manual_seed(int(torch.randint(2**62, (), generator=generator)))  # for what the model draws
        optimizer.param_groups[0]["lr"] = settings.learning_rate * _schedule(step, settings)
        logits = model(inputs)  # (batch_size, L, vocab_size)
        batch_loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        batch_loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        is_correct = (logits.argmax(-1) == targets)[targets != IGNORED]
        loss.append(float(batch_loss.detach()))
        accuracy.append(float(is_correct.float().mean()))
        if path and (len(loss) % SAVE_EVERY == 0 or len(loss) == settings.steps):
            checkpoints.save(path, model, optimizer, settings, loss, accuracy)
    return Training(loss, accuracy)


@torch.no_grad()
def evaluate(
    model: nn.Module, task: Task, length: int, *, batches: int = 4, batch_size: int = 64, seed: int = 10**6
) -> tuple[np.ndarray, np.ndarray]:
    """Return (loss in nats, accuracy) at every position of texts of `length`, two float64 arrays.

    batches × batch_size texts are drawn from `seed`, the same for every model. Each position is averaged over
    the texts in which the task scores it; positions that are never scored are left out.
    Raises ValueError for a seed that is not an integer from 0 to 2**32 - 1.

    >>> from pe_helpers.models import Transformer, recurrence
    >>> loss, accuracy = evaluate(Transformer(16, "none"), recurrence, 12, batches=1, batch_size=4)
    >>> loss.shape, accuracy.shape
    ((12,), (12,))
    """
    device, was_training, results = next(model.parameters()).device, model.training, []
    model.eval()
    for number in range(batches):
        inputs, targets = task(_generator(seed, number), batch_size, length)  # both (batch_size, L)
        logits = model(inputs.to(device)).float().cpu()  # (batch_size, L, vocab_size)
        loss = functional.cross_entropy(logits.mT, targets, reduction="none")  # (batch_size, L)
        results.append(torch.stack([loss, logits.argmax(-1) == targets, targets != IGNORED]))
    model.train(was_training)
    loss, correct, texts = torch.cat(results, dim=1).double().sum(dim=1)  # each (L,)
    scored = texts > 0
    return (loss / texts)[scored].numpy(), (correct / texts)[scored].numpy()


def _schedule(step: int, settings: Settings) -> float:
    """Return the learning rate at a step, relative to its highest value."""
    if step < settings.warmup_steps:
        return (step + 1) / settings.warmup_steps
    done = (step - settings.warmup_steps) / max(settings.steps - settings.warmup_steps, 1)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * done))


def _generator(seed: int, number: int) -> torch.Generator:
    if integer("seed", seed, 0) >= 2**32:  # torch uses the lower 32 bits only
        raise ValueError(f"seed must be an integer from 0 to 2**32 - 1; got {seed!r}")
    return torch.Generator().manual_seed(int(seed) * 1_000_003 + number)
