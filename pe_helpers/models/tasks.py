"""Two tasks: one needs near positions, the other a key wherever it stands. Every batch is drawn anew.

A task is a function `task(generator, batch_size, length)` that returns (inputs, targets): two int64 tensors
of shape (batch_size, L), where L is what the task makes of `length`. A target that is not scored is IGNORED.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch

from .._arguments import integer

IGNORED = -100  # torch's cross_entropy leaves it out
NOISE = 0.1  # the share of symbols of a `recurrence` that are drawn at random
Task: TypeAlias = Callable[[torch.Generator, int, int], tuple[torch.Tensor, torch.Tensor]]


def recurrence(
    generator: torch.Generator, batch_size: int, length: int, *, vocab_size: int = 16
) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw texts of x_t = (x_{t-1} + x_{t-3}) mod `vocab_size`; the first three symbols are random.

    With probability NOISE, 0.1, a symbol is replaced by a random one. The targets are the inputs one step
    later, for a causal model that predicts the next symbol. With a vocab_size of 16, a model that knows the
    rule has an accuracy of 90.6 % and a loss of 0.565 nats; no model can do better.
    Returns (inputs, targets), both of shape (batch_size, length).
    Raises ValueError for a batch_size or length below 1 and a vocab_size below 2.

    >>> inputs, targets = recurrence(torch.Generator().manual_seed(0), 64, 32)
    >>> inputs.shape, torch.equal(inputs[:, 1:], targets[:, :-1])
    (torch.Size([64, 32]), True)
    """
    size = integer("batch_size", batch_size, 1), integer("length", length, 1) + 1
    x = torch.randint(integer("vocab_size", vocab_size, 2), size, generator=generator)
    is_noise = torch.rand(x.shape, generator=generator) < NOISE
    for t in range(3, length + 1):
        x[:, t] = torch.where(is_noise[:, t], x[:, t], (x[:, t - 1] + x[:, t - 3]) % vocab_size)
    return x[:, :-1], x[:, 1:]


def recall(
    generator: torch.Generator, batch_size: int, length: int, *, keys: int = 16, values: int = 8
) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw texts of pairs, a key and then its value; the same key has the same value all through a text.

    Each text has its own values, drawn evenly, and its own frequent and rare keys (the r-th most frequent has
    a probability in proportion to 1/r), so a key may come again soon or after hundreds of positions. The
    target of a key that the text has had before is its value; nothing else is scored, and the lowest possible
    loss is 0. Keys are the ids 0 … keys-1, values those from `keys` on.
    Returns (inputs, targets), both of shape (batch_size, length).
    Raises ValueError for a batch_size, a number of keys or of values below 1, and for an odd length.
    Source: multi-query associative recall, Arora et al. (2023), https://arxiv.org/abs/2312.04927, section 3.

    >>> inputs, targets = recall(torch.Generator().manual_seed(0), 2, 8, keys=2, values=4)
    >>> targets.eq(inputs.roll(-1)).sum(1) + targets.eq(IGNORED).sum(1)
    tensor([8, 8])
    """
    if integer("length", length, 2) % 2:
        raise ValueError(f"length must be even; got {length!r}")
    shape = integer("batch_size", batch_size, 1), length // 2  # (batch_size, pairs)
    frequency = 1 / torch.arange(1.0, integer("keys", keys, 1) + 1)
    rank = torch.multinomial(frequency, shape[0] * shape[1], replacement=True, generator=generator)
    of_rank = torch.rand(batch_size, keys, generator=generator).argsort(1)  # (batch_size, keys)
    key = of_rank.gather(1, rank.view(shape))
    value_of = torch.randint(integer("values", values, 1), (batch_size, keys), generator=generator) + keys
    inputs = torch.stack([key, value_of.gather(1, key)], 2).flatten(1)  # (batch_size, length)
    is_known = recall_distance(inputs) > 0
    return inputs, torch.where(is_known, inputs.roll(-1, 1), IGNORED)


def recall_distance(inputs: torch.Tensor) -> torch.Tensor:
    """Return how many positions before each key of a `recall` the same key stood last, (batch_size, length).

    It is 0 for a key that is new and for values.

    >>> recall_distance(torch.tensor([[0, 5, 1, 4, 0, 5, 0, 5]])).tolist()
    [[0, 0, 0, 0, 4, 0, 2, 0]]
    """
    key = inputs[:, 0::2]
    pairs = torch.arange(key.shape[1])
    is_earlier = (key[:, :, None] == key[:, None, :]) & (pairs < pairs[:, None])  # (batch_size, pairs, pairs)
    last = torch.where(is_earlier, pairs, -1).amax(2)
    distance = torch.zeros_like(inputs)
    distance[:, 0::2] = torch.where(last < 0, 0, 2 * (pairs - last))
    return distance
