"""Positions as torch modules: thin, the mathematics is in `sinusoidal`, `rotary` and `bias`.

`SinusoidalPositions` and `LearnedPositions` take word vectors x of shape (..., length, d_model) and return x
plus the vectors of the positions 0 … length-1. `RotaryPositions` turns queries and keys. `AlibiBias` and
`T5Bias` return what is added to the attention logits. They raise ValueError for a text longer than their
table.
"""

import torch
from torch import nn

from .arguments import even_dimension, integer, one_of
from .bias import alibi_bias, alibi_slopes, t5_bucket
from .rotary import rotary_table, rotate_pairs
from .sinusoidal import LAYOUTS, angle_rates, sinusoidal


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
        return _with(self.table, x)


class LearnedPositions(nn.Module):
    """Adds a table of parameters, drawn from N(0, 1/d_model) and then trained."""

    def __init__(self, max_length, d_model):
        super().__init__()
        shape = integer("max_length", max_length, 1), even_dimension(d_model)
        self.table = nn.Parameter(torch.randn(shape) / d_model**0.5)

    def forward(self, x):
        return _with(self.table, x)


class RotaryPositions(nn.Module):
    """Turns queries and keys by their position; values stay as they are.

    The turns are a table in float32 for all positions below `max_length`, made once, not in `state_dict`.
    It follows `.to(device)`, but no dtype: rounded to bfloat16 it would turn by other angles.
    """

    def __init__(self, max_length, d_head, *, base=10000.0, layout="interleaved", rates=None):
        """base, layout, rates: as in `apply_rotary`; None means `angle_rates(d_head, base=base)`."""
        super().__init__()
        self.d_head = even_dimension(d_head, "d_head") if rates is None else integer("d_head", d_head, 2)
        self.layout = one_of("layout", layout, LAYOUTS)
        rates = angle_rates(d_head, base=base) if rates is None else rates
        table = rotary_table(integer("max_length", max_length, 1), rates, dtype="float32")
        if 2 * table.shape[1] > d_head:
            raise ValueError(f"rates must be at most d_head / 2 = {d_head // 2}; got {table.shape[1]}")
        bits = torch.tensor(table.view("int32"))  # whole numbers: `.to(bfloat16)` leaves them as they are
        self.register_buffer("bits", bits, persistent=False)

    @property
    def table(self):
        """What `rotary_table` gives, (max_length, pairs), complex64; no copy."""
        return torch.view_as_complex(self.bits.view(torch.float32).unflatten(-1, (-1, 2)))

    def forward(self, q, k, offset=0):
        """q and k, (..., length, d_head), turned by the positions offset … offset + length - 1.

        offset: how many positions came before, as when a cache already holds their turned keys.
        """
        for name, x in {"q": q, "k": k}.items():
            if x.shape[-2:] != (q.shape[-2], self.d_head):
                wanted = f"(..., {q.shape[-2]}, {self.d_head})"
                raise ValueError(f"{name} must be of shape {wanted}; got {tuple(x.shape)}")
        rows = _rows(self.table, q, integer("offset", offset, 0), name="q")
        return rotate_pairs(q, rows, layout=self.layout), rotate_pairs(k, rows, layout=self.layout)


class AlibiBias(nn.Module):
    """`alibi_bias` on the device and in the dtype that the module was moved to; nothing is learned."""

    def __init__(self, heads):
        super().__init__()
        slopes = torch.tensor(alibi_slopes(heads), dtype=torch.get_default_dtype())
        self.register_buffer("slopes", slopes, persistent=False)

    def forward(self, length):
        """(heads, length, length), to be added to the logits of queries × keys."""
        positions = torch.arange(integer("length", length, 1), device=self.slopes.device)
        return alibi_bias(len(self.slopes), positions, dtype=self.slopes.dtype)


class T5Bias(nn.Module):
    """A learned number for every bucket of `t5_bucket` and every head.

    All begin at 0, so a bucket that training never meets stays without preference.
    """

    def __init__(self, heads, *, buckets=32, **options):
        """options: `bidirectional` and `max_distance` of `t5_bucket`."""
        super().__init__()
        self.options = {"buckets": buckets, **options}
        t5_bucket([0], **self.options)  # what is wrong with them is said here
        nothing = torch.zeros(buckets, integer("heads", heads, 1))
        self.embedding = nn.Embedding.from_pretrained(nothing, freeze=False)

    def forward(self, length):
        """(heads, length, length), to be added to the logits of queries × keys."""
        positions = torch.arange(integer("length", length, 1), device=self.embedding.weight.device)
        bucket = t5_bucket(positions[None, :] - positions[:, None], **self.options)
        return self.embedding(bucket).permute(2, 0, 1)


def _with(table, x):
    """x plus the first rows of the table."""
    if x.shape[-1:] != table.shape[1:] or x.ndim < 2:
        raise ValueError(f"x must be (…, length, {table.shape[1]}); got shape {tuple(x.shape)}")
    return x + _rows(table, x)


def _rows(table, x, offset=0, name="x"):
    """The rows of the table for the positions of x, the first of which is `offset`."""
    if x.ndim < 2:
        raise ValueError(f"{name} must be (…, length, d_model); got shape {tuple(x.shape)}")
    end = offset + x.shape[-2]
    if end > len(table):
        begins = f" from offset {offset} on" if offset else ""
        allowed = max(len(table) - offset, 0)
        raise ValueError(f"{name} must have at most {allowed} positions{begins}; got shape {tuple(x.shape)}")
    return table[offset:end]
