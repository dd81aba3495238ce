"""Positions as torch modules. The mathematics is in the room `encodings`.

`SinusoidalPositions` and `LearnedPositions` add a vector for each position to the word vectors.
`RotaryPositions` rotates queries and keys. `AlibiBias` and `T5Bias` return what is added to the attention
logits. The modules with a table of positions raise ValueError for a text that is longer than the table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .._arguments import even_dimension, integer
from ..encodings.bias import alibi_bias, t5_bucket
from ..encodings.rotary import rotary_table, rotate_pairs
from ..encodings.sinusoidal import angle_rates, sinusoidal


class SinusoidalPositions(nn.Module):
    """Adds the sinusoidal encoding. Its table follows `.to(...)`, but is neither trained nor saved.

    >>> SinusoidalPositions(max_length=10, d_model=4)(torch.zeros(2, 3, 4))[0, 0]
    tensor([0., 1., 0., 1.])
    """

    def __init__(self, max_length: int, d_model: int, **options: Any) -> None:
        """max_length: the number of rows of the table, for positions 0 … max_length-1. d_model: the columns.

        options: `base`, `spacing` and `layout` of `sinusoidal`.
        Raises ValueError for a max_length that is not an integer ≥ 1, and as `sinusoidal` does.
        """
        super().__init__()
        table = sinusoidal(integer("max_length", max_length, 1), d_model, **options)
        self.register_buffer("table", torch.tensor(table, dtype=torch.get_default_dtype()), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return x, (…, length, d_model), plus the rows of positions 0 … length-1."""
        return x + _rows(self.table, self.table.shape[1], x)


class LearnedPositions(nn.Module):
    """Adds a table that is trained. It begins with draws from N(0, 1/d_model), so each row's norm is about 1.

    >>> LearnedPositions(max_length=10, d_model=4)(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(self, max_length: int, d_model: int) -> None:
        """max_length: the number of rows, for positions 0 … max_length-1. d_model: the number of columns."""
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, d_model) / d_model**0.5)

    def forward(self, x: Tensor) -> Tensor:
        """Return x, (…, length, d_model), plus the rows of positions 0 … length-1."""
        return x + _rows(self.table, self.table.shape[1], x)


class RotaryPositions(nn.Module):
    """Rotates queries and keys, in the interleaved layout, by their positions; values stay as they are.

    The table of rotations is neither trained nor saved. It follows `.to(device)`, but always stays in
    float32: rounded to bfloat16 it would rotate by other angles.

    >>> q, k = RotaryPositions(max_length=10, d_head=8)(torch.ones(2, 3, 8), torch.ones(2, 3, 8))
    >>> q.shape, k.shape
    (torch.Size([2, 3, 8]), torch.Size([2, 3, 8]))
    """

    def __init__(self, max_length: int, d_head: int, *, rates: np.ndarray | None = None) -> None:
        """max_length: positions 0 … max_length-1 are in the table. d_head: columns of queries and keys.

        rates: as in `apply_rotary`. None means `angle_rates(d_head)`; for another base give
            `angle_rates(d_head, base=...)`.
        Raises ValueError for a max_length that is not an integer ≥ 1, an odd d_head without rates, and as
        `rotary_table` does for rates. `forward` raises it for too many rates.
        """
        super().__init__()
        self.d_head = d_head
        rates = angle_rates(even_dimension(d_head, "d_head")) if rates is None else rates
        table = rotary_table(integer("max_length", max_length, 1), rates, dtype="float32")
        bits = torch.tensor(table.view("int32"))  # integers, because `.to(bfloat16)` does not round those
        self.register_buffer("bits", bits, persistent=False)

    @property
    def table(self) -> Tensor:
        """What `rotary_table` gives, (max_length, number of rates), complex64; not a copy."""
        return torch.view_as_complex(_pairs(self.bits))

    def forward(self, q: Tensor, k: Tensor, offset: int = 0) -> tuple[Tensor, Tensor]:
        """Return q and k, (…, length, d_head), rotated by the positions offset … offset + length - 1.

        offset: the number of positions before q and k, for example those whose rotated keys are in a cache.
        Raises ValueError for other shapes, an offset that is not an integer ≥ 0, and positions that are not
        in the table.
        """
        rows = _rows(self.bits, self.d_head, q, "q", integer("offset", offset, 0))
        if k.shape[-2:] != q.shape[-2:]:
            raise ValueError(f"k must be (…, {q.shape[-2]}, {self.d_head}), as q; got shape {tuple(k.shape)}")
        pairs = _pairs(rows)
        # torch.compile makes no code for complex numbers
        table = pairs.permute(2, 0, 1) if torch.compiler.is_compiling() else torch.view_as_complex(pairs)
        return rotate_pairs(q, table), rotate_pairs(k, table)


def _pairs(bits: Tensor) -> Tensor:
    """Return the cosines and sines whose bits these are, (L, number of rates, 2), float32; not a copy."""
    return bits.view(torch.float32).unflatten(-1, (-1, 2))


class AlibiBias(nn.Module):
    """`alibi_bias` on the device and in the dtype to which the module was moved; nothing is trained.

    >>> AlibiBias(heads=4)(3).shape
    torch.Size([4, 3, 3])
    """

    def __init__(self, heads: int) -> None:
        """heads: of the attention; each has its own slope. Raises ValueError if not an integer ≥ 1."""
        super().__init__()
        self.heads = integer("heads", heads, 1)
        self.register_buffer("like", torch.empty(0), persistent=False)  # knows the device and the dtype

    def forward(self, length: int) -> Tensor:
        """Return what to add to the logits, (heads, queries, keys), with `length` queries and keys.

        Raises ValueError for a length that is not an integer ≥ 1.
        """
        positions = torch.arange(integer("length", length, 1), device=self.like.device)
        return alibi_bias(self.heads, positions, dtype=self.like.dtype)


class T5Bias(nn.Module):
    """One trained number for every bucket of `t5_bucket` and every head.

    All begin at 0, so a bucket that does not occur in training stays without effect.

    >>> T5Bias(heads=4, bidirectional=False)(3).shape
    torch.Size([4, 3, 3])
    """

    def __init__(self, heads: int, *, buckets: int = 32, **options: Any) -> None:
        """heads: of the attention. buckets, options (`bidirectional`, `max_distance`): as in `t5_bucket`.

        Raises ValueError for heads that are not an integer ≥ 1; `forward` raises it as `t5_bucket` does.
        """
        super().__init__()
        self.options = {"buckets": buckets, **options}
        zeros = torch.zeros(buckets, integer("heads", heads, 1))
        self.embedding = nn.Embedding.from_pretrained(zeros, freeze=False)

    def forward(self, length: int) -> Tensor:
        """Return what to add to the logits, (heads, queries, keys), with `length` queries and keys.

        Raises ValueError for a length that is not an integer ≥ 1.
        """
        positions = torch.arange(integer("length", length, 1), device=self.embedding.weight.device)
        bucket = t5_bucket(positions[None, :] - positions[:, None], **self.options)  # (queries, keys)
        return self.embedding(bucket).permute(2, 0, 1)  # (heads, queries, keys)


def _rows(table: Tensor, columns: int, x: Tensor, name: str = "x", offset: int = 0) -> Tensor:
    """Return the table's rows for x, (…, length, columns), which begins at position `offset`."""
    if x.ndim < 2 or x.shape[-1] != columns:
        raise ValueError(f"{name} must be (…, length, {columns}); got shape {tuple(x.shape)}")
    end = offset + x.shape[-2]
    if end > len(table):
        raise ValueError(f"{name} must end before position {len(table)}; got positions {offset} … {end - 1}")
    return table[offset:end]
