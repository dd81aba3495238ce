"""Positions as torch modules: thin, the mathematics is in `sinusoidal`.

Both take word vectors x of shape (..., length, d_model) and return x plus the vectors of the positions
0 … length-1. They raise ValueError for a text longer than their table.
"""

import torch
from torch import nn

from .arguments import even_dimension, integer
from .sinusoidal import sinusoidal


class SinusoidalPositions(nn.Module):
    """Adds the sinusoidal encoding: a buffer, which follows `.to(...)` and is in no optimizer.

    It can be computed again at any time, so it is not in `state_dict`.
    """

    def __init__(self, max_length, d_model, **options):
        """options: `base`, `spacing` and `layout` of `sinusoidal`."""
        super().__init__()
        table = sinusoidal(integer("max_length", max_length, 1), d_model, **options)
        self.register_buffer("table", torch.tensor(table, dtype=torch.get_default_dtype()), persistent=False)

    def forward(self, x):
        return x + _rows(self.table, x)


class LearnedPositions(nn.Module):
    """Adds a table of parameters, drawn from N(0, 1/d_model) and then trained."""

    def __init__(self, max_length, d_model):
        super().__init__()
        shape = integer("max_length", max_length, 1), even_dimension(d_model)
        self.table = nn.Parameter(torch.randn(shape) / d_model**0.5)

    def forward(self, x):
        return x + _rows(self.table, x)


def _rows(table, x):
    if x.shape[-2] > len(table):
        raise ValueError(f"x must have at most {len(table)} positions; got shape {tuple(x.shape)}")
    return table[: x.shape[-2]]
