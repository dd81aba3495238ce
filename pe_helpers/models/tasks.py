"""Tasks on which nothing but positions counts, made on the fly.

`task(generator, batch, length)` returns (inputs, targets), int64 tensors of shape (batch, L) each, L being
what the task makes of `length`; what is not scored has the target IGNORED. `batch` and `length` are integers
≥ 1, `symbols` is one ≥ 2, `noise` is from 0 to 1; anything else raises ValueError.
"""

import torch

from .._arguments import integer, real

IGNORED = -100
SEPARATOR, FIRST = 0, 1  # symbols of the tasks: 0 separates, 1 … are what is copied


def recurrence(generator, batch, length, *, symbols=16, noise=0.1):
    """x_t = (x_{t-1} + x_{t-3}) mod `symbols`, replaced by a random symbol with probability `noise`.

    The first three are random. A causal model predicts the next symbol, so targets are the inputs one step
    later; both (batch, length). With 16 symbols and a noise of 0.1, whoever knows the rule is right 90.6 %
    of the time and has a loss of 0.565 nats; none can be better.
    """
    if not 0 <= real("noise", noise) <= 1:
        raise ValueError(f"noise must be a share from 0 to 1; got {noise!r}")
    x = _random(generator, batch, integer("length", length, 1) + 1, symbols)
    is_noise = torch.rand(x.shape, generator=generator) < noise
    for t in range(3, length + 1):
        x[:, t] = torch.where(is_noise[:, t], x[:, t], (x[:, t - 1] + x[:, t - 3]) % symbols)
    return x[:, :-1], x[:, 1:]


def copy(generator, batch, length, *, symbols=10):
    """`length` symbols, a separator, and the same again; what follows the separator is scored.

    Symbols are 1 … `symbols`, the separator is 0. Inputs and targets are (batch, 2 · length).
    """
    return _repeated(FIRST + _random(generator, batch, length, symbols), False)


def reverse(generator, batch, length, *, symbols=10):
    """As `copy`, with what follows the separator backwards."""
    return _repeated(FIRST + _random(generator, batch, length, symbols), True)


def reverse_at_once(generator, batch, length, *, symbols=10):
    """`length` symbols, and as targets the same backwards, both (batch, length); for models not causal."""
    x = FIRST + _random(generator, batch, length, symbols)
    return x, x.flip(1)


def addition(generator, batch, length):
    """Two numbers of `length` digits and their sum, all with the ones first: a + b = c; c is scored.

    Digits are 0 … 9, plus is 10, equals is 11; c has length + 1 digits. Inputs and targets are
    (batch, 3 · length + 2).
    """
    shape = 2, integer("batch", batch, 1), integer("length", length, 1)
    a, b = torch.randint(10, shape, generator=generator)
    digits, carry = [], torch.zeros(batch, dtype=torch.int64)
    for place in range(length):
        total = a[:, place] + b[:, place] + carry
        digits.append(total % 10)
        carry = total // 10
    c = torch.stack([*digits, carry], dim=1)
    plus, equals = torch.full((batch, 1), 10), torch.full((batch, 1), 11)
    return _scored_from(torch.cat([a, plus, b, equals, c], dim=1), 2 * length + 2)


def _random(generator, batch, length, symbols):
    """(batch, length) numbers from 0 to symbols - 1."""
    shape = integer("batch", batch, 1), integer("length", length, 1)
    return torch.randint(integer("symbols", symbols, 2), shape, generator=generator)


def _repeated(x, backwards):
    separator = torch.full((len(x), 1), SEPARATOR)
    return _scored_from(torch.cat([x, separator, x.flip(1) if backwards else x], dim=1), x.shape[1] + 1)


def _scored_from(x, start):
    """(inputs, targets) of predicting the next symbol; symbols before `start` are not scored."""
    inputs, targets = x[:, :-1], x[:, 1:].clone()
    targets[:, : start - 1] = IGNORED
    return inputs, targets
