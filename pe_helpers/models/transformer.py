"""A small transformer whose position scheme is one argument. It trains in seconds on a CPU."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from .._arguments import integer, one_of
from .layers import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias

SCHEMES = ("none", "sinusoidal", "learned", "rotary", "alibi", "t5")


class Transformer(nn.Module):
    """A transformer with pre-norm blocks and without dropout.

    The weights begin as torch draws them after `torch.manual_seed`; those of the T5 bias begin at 0.

    >>> model = Transformer(vocab_size=16, positions="rotary")
    >>> model(torch.zeros(2, 5, dtype=torch.int64)).shape
    torch.Size([2, 5, 16])
    """

    def __init__(
        self,
        vocab_size: int,
        positions: str,
        *,
        causal: bool = True,
        d_model: int = 64,
        heads: int = 4,
        layers: int = 2,
        max_length: int = 1024,
        rates: np.ndarray | None = None,
        window: int | None = None,
    ) -> None:
        """vocab_size: the ids are 0 … vocab_size-1.
        positions: one of SCHEMES.
        causal: whether a position attends to itself and those before it only.
        heads: of the attention, each with d_model / heads columns. max_length: of the longest text.
        rates: for "rotary" only, as in `apply_rotary`; None means those of base 10,000.
        window: how many keys a query of a causal model sees, its own included; None means all. The attribute
            of that name may be changed later.
        Raises ValueError for an unknown scheme, for a d_model that is not a multiple of 2 · heads, for rates
        with another scheme than "rotary", and for a window that is not an integer ≥ 1.
        """
        super().__init__()
        one_of("positions", positions, SCHEMES)
        if d_model % (2 * heads):
            raise ValueError(f"d_model must be a multiple of 2 · heads = {2 * heads}; got {d_model}")
        if rates is not None and positions != "rotary":
            raise ValueError(f"rates must be None unless positions is 'rotary'; got {rates!r}")
        self.positions, self.causal, self.heads, self.max_length = positions, causal, heads, max_length
        self.rates = None if rates is None else [float(rate) for rate in rates]
        self.window = None if window is None else integer("window", window, 1)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.absolute = self.rotary = self.bias = None
        if positions == "sinusoidal":
            self.absolute = SinusoidalPositions(max_length, d_model)
        elif positions == "learned":
            self.absolute = LearnedPositions(max_length, d_model)
        elif positions == "rotary":
            self.rotary = RotaryPositions(max_length, d_model // heads, rates=rates)
        elif positions == "alibi":
            self.bias = AlibiBias(heads)
        elif positions == "t5":
            self.bias = T5Bias(heads, bidirectional=not causal)
        self.blocks = nn.ModuleList(_Block(d_model, heads) for _ in range(layers))
        self.norm, self.output = nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size)

    def extra_repr(self) -> str:
        """Return what the weights' shapes do not tell, for `repr`."""
        names = ("positions", "causal", "heads", "max_length", "rates", "window")
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names)

    def forward(self, ids: Tensor) -> Tensor:
        """Return logits, (batch, length, vocab_size), for int64 ids, (batch, length).

        Raises ValueError for a text that is longer than max_length.
        """
        length = ids.shape[1]
        if length > self.max_length:
            raise ValueError(f"ids must have at most max_length = {self.max_length} columns; got {length}")
        x = self.embedding(ids)  # (batch, length, d_model)
        if self.absolute is not None:
            x = self.absolute(x)
        mask = None if self.bias is None else self.bias(length)  # (heads, length, length)
        if self.causal and (mask is not None or self.window is not None):
            positions = torch.arange(length, device=x.device)
            distance = positions[:, None] - positions  # (queries, keys)
            is_hidden = (distance < 0) | (distance >= (self.window or length))
            mask = x.new_zeros(length, length) if mask is None else mask
            mask = mask.masked_fill(is_hidden, float("-inf"))
        for block in self.blocks:
            x = block(x, mask, self.rotary, is_causal=self.causal and mask is None)
        return self.output(self.norm(x))  # (batch, length, vocab_size)


class _Block(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.qkv, self.attention_output = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        hidden = 4 * d_model
        self.feed_forward = nn.Sequential(nn.Linear(d_model, hidden), nn.GELU(), nn.Linear(hidden, d_model))

    def forward(
        self, x: Tensor, mask: Tensor | None, rotary: RotaryPositions | None, is_causal: bool
    ) -> Tensor:
        qkv = self.qkv(self.attention_norm(x)).unflatten(-1, (3, self.heads, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # each (batch, heads, length, d_head)
        if rotary is not None:
            q, k = rotary(q, k)
        attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal)
        x = x + self.attention_output(attended.transpose(1, 2).flatten(2))  # (batch, length, d_model)
        return x + self.feed_forward(self.feed_forward_norm(x))
