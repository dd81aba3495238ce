"""Positions as torch modules: thin, the mathematics is in `sinusoidal`, `rotary` and `bias`.

`SinusoidalPositions` and `LearnedPositions` take word vectors x of shape (..., length, d_model) and return x
plus the vectors of the positions 0 … length-1. `RotaryPositions` turns queries and keys. `AlibiBias` and
`T5Bias` return what is added to the attention logits. The modules with a table raise ValueError for a text
that is longer, or has another number of columns.
"""

import torch
from torch import nn

from .._arguments import even_dimension, integer, one_of
from ..encodings.bias import alibi_bias, t5_bucket
from ..encodings.rotary import rotary_table, rotate_pairs
from ..encodings.sinusoidal import LAYOUTS, angle_rates, sinusoidal


class SinusoidalPositions(nn.Module):
    """Adds the sinusoidal encoding: a buffer, which follows `.to(...)` and is in no optimizer.

    It can be computed again at any time, so it is not in `state_dict`.
    """

    def __init__(self, max_length, d_model, **options):
        """max_length: how many positions the table has, from 0 on; d_model: of how many columns, even.

        options: `base`, `spacing` and `layout` of `sinusoidal`.
        Raises ValueError for a max_length that is not an integer ≥ 1, and as `sinusoidal` does.
        """
        super().__init__()
        table = sinusoidal(integer("max_length", max_length, 1), d_model, **options)
        self.register_buffer("table", torch.tensor(table, dtype=torch.get_default_dtype()), persistent=False)

    def forward(self, x):
        return x + _rows(self.table, self.table.shape[1], x)


class LearnedPositions(nn.Module):
    """Adds a table of parameters, drawn from N(0, 1/d_model) and then trained."""

    def __init__(self, max_length, d_model):
        """max_length: how many positions the table has, from 0 on; d_model: of how many columns.

        Raises ValueError where one of them is not an integer ≥ 1.
        """
        super().__init__()
        shape = integer("max_length", max_length, 1), integer("d_model", d_model, 1)
        self.table = nn.Parameter(torch.randn(shape) / d_model**0.5)

    def forward(self, x):
        return x + _rows(self.table, self.table.shape[1], x)


class RotaryPositions(nn.Module):
    """Turns queries and keys by their position; values stay as they are.

    The turns are a table in float32 for all positions below `max_length`, made once, not in `state_dict`.
    It follows `.to(device)`, but no dtype: rounded to bfloat16 it would turn by other angles.
    """

    def __init__(self, max_length, d_head, *, base=10000.0, layout="interleaved", rates=None):
        """max_length: how many positions the table has, from 0 on; d_head: columns of queries and keys.

        base, layout, rates: as in `apply_rotary`; with rates d_head may be odd, as long as it has two columns
            for each of them.
        Raises ValueError for a max_length that is not an integer ≥ 1, an odd d_head without rates, one < 2 or
        too small for the rates, and as `apply_rotary` does for base, layout and rates.
        """
        super().__init__()
        self.d_head = even_dimension(d_head, "d_head") if rates is None else integer("d_head", d_head, 2)
        self.layout = one_of("layout", layout, LAYOUTS)
        rates = angle_rates(d_head, base=base) if rates is None else rates
        table = rotary_table(integer("max_length", max_length, 1), rates, dtype="float32")
        if 2 * table.shape[1] > d_head:
            most = f"at most half as many as queries have columns, {d_head // 2}"
            raise ValueError(f"rates must be {most}; got {table.shape[1]}")
        bits = torch.tensor(table.view("int32"))  # whole numbers: `.to(bfloat16)` leaves them as they are
        self.register_buffer("bits", bits, persistent=False)

    @property
    def table(self):
        """What `rotary_table` gives, (max_length, pairs), complex64; no copy."""
        return torch.view_as_complex(self.bits.view(torch.float32).unflatten(-1, (-1, 2)))

    def forward(self, q, k, offset=0):
        """q and k, (..., length, d_head), turned by the positions offset … offset + length - 1.

        offset: how many positions came before, as when a cache already holds their turned keys.
        Raises ValueError for other shapes, an offset that is not an integer ≥ 0, and positions that the table
        does not have.
        """
        rows = _rows(self.table, self.d_head, q, name="q", offset=integer("offset", offset, 0))
        if k.shape[-2:] != q.shape[-2:]:
            allowed = f"(…, {q.shape[-2]}, {self.d_head}), as q"
            raise ValueError(f"k must be {allowed}; got shape {tuple(k.shape)}")
        return rotate_pairs(q, rows, layout=self.layout), rotate_pairs(k, rows, layout=self.layout)


class AlibiBias(nn.Module):
    """`alibi_bias` on the device and in the dtype that the module was moved to; nothing is learned."""

    def __init__(self, heads):
        """heads: of the attention, each with its slope. Raises ValueError where it is not an integer ≥ 1."""
        super().__init__()
        self.heads = integer("heads", heads, 1)
        self.register_buffer("like", torch.empty(0), persistent=False)  # its device and dtype are the bias's

    def forward(self, length):
        """(heads, length, length), to be added to the logits of queries × keys.

        Raises ValueError for a length that is not an integer ≥ 1.
        """
        positions = torch.arange(integer("length", length, 1), device=self.like.device)
        return alibi_bias(self.heads, positions, dtype=self.like.dtype)


class T5Bias(nn.Module):
    """A learned number for every bucket of `t5_bucket` and every head.

    All begin at 0, so a bucket that training never meets stays without preference.
    """

    def __init__(self, heads, *, buckets=32, **options):
        """heads: of the attention, each with a number for every bucket; buckets: how many, as in `t5_bucket`.

        options: `bidirectional` and `max_distance` of `t5_bucket`.
        Raises ValueError for heads that are not an integer ≥ 1, and as `t5_bucket` does.
        """
        super().__init__()
        self.options = {"buckets": buckets, **options}
        t5_bucket([0], **self.options)  # what is wrong with them is said here
        nothing = torch.zeros(buckets, integer("heads", heads, 1))
        self.embedding = nn.Embedding.from_pretrained(nothing, freeze=False)

    def forward(self, length):
        """(heads, length, length), to be added to the logits of queries × keys.

        Raises ValueError for a length that is not an integer ≥ 1.
        """
        positions = torch.arange(integer("length", length, 1), device=self.embedding.weight.device)
        bucket = t5_bucket(positions[None, :] - positions[:, None], **self.options)
        return self.embedding(bucket).permute(2, 0, 1)


def _rows(table, columns, x, *, name="x", offset=0):
    """The rows of the table for x, (…, length, columns), whose first position is `offset`."""
    if x.ndim < 2 or x.shape[-1] != columns:
        raise ValueError(f"{name} must be (…, length, {columns}); got shape {tuple(x.shape)}")
    end = offset + x.shape[-2]
    if end > len(table):
        begins = f" from offset {offset} on" if offset else ""
        allowed = max(len(table) - offset, 0)
        raise ValueError(f"{name} must have at most {allowed} positions{begins}; got shape {tuple(x.shape)}")
    return table[offset:end]
