"""A small transformer whose position scheme is one argument. It trains in seconds on a CPU."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from .._arguments import integer, one_of, real
from .layers import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias

SCHEMES = ("none", "sinusoidal", "learned", "rotary", "alibi", "t5")


class Transformer(nn.Module):
    """A causal transformer with pre-norm blocks and without dropout.

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
        d_model: int = 64,
        heads: int = 4,
        layers: int = 2,
        max_length: int = 1024,
        rates: np.ndarray | None = None,
        window: int | None = None,
        tied: bool = False,
        embedding_scale: float = 1.0,
        without_rotation: Iterable[int] = (),
    ) -> None:
        """vocab_size: the ids are 0 … vocab_size-1.
        positions: one of SCHEMES.
        heads: of the attention, each with d_model / heads columns.
        max_length: of the longest text, for "sinusoidal", "learned" and "rotary"; the others take any.
        rates: for "rotary" only, as in `apply_rotary`; None means those of base 10,000.
        window: how many keys a query sees, its own included; None means all. The attribute of that name may
            be changed later.
        tied: whether the output layer is the embedding's matrix, without a bias, as in GPT-2. The matrix then
            begins with draws from N(0, 1/d_model), so each row's norm is about 1.
        embedding_scale: what the embedding's rows are multiplied by before positions are added; √d_model in
            Vaswani et al. (2017), https://arxiv.org/abs/1706.03762, section 3.4.
        without_rotation: for "rotary" only, the layers, counted from 0, that do not rotate.
        Raises ValueError for an unknown scheme, for rates or without_rotation with another scheme than
        "rotary", for layers that are not there, a scale that is not a finite number > 0, and for a window
        that is not an integer ≥ 1.
        """
        super().__init__()
        one_of("positions", positions, SCHEMES)
        if rates is not None and positions != "rotary":
            raise ValueError(f"rates must be None unless positions is 'rotary'; got {rates!r}")
        self.without_rotation = tuple(without_rotation)
        if not set(self.without_rotation) <= set(range(layers if positions == "rotary" else 0)):
            allowed = f"of layers 0 … {layers - 1}, and empty unless positions is 'rotary'"
            raise ValueError(f"without_rotation must be {allowed}; got {self.without_rotation!r}")
        self.embedding_scale = real("embedding_scale", embedding_scale, 0)
        self.positions, self.heads, self.max_length = positions, heads, max_length
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
            self.bias = T5Bias(heads, bidirectional=False)
        self.blocks = nn.ModuleList(_Block(d_model, heads) for _ in range(layers))
        self.norm, self.output = nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size, bias=not tied)
        if tied:
            nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
            self.output.weight = self.embedding.weight

    def forward(self, ids: Tensor) -> Tensor:
        """Return logits, (batch, length, vocab_size), for int64 ids, (batch, length).

        Raises ValueError for a text that is longer than a table of positions, which has max_length rows.
        """
        x = self.embed(ids)  # (batch, length, d_model)
        needs_mask = self.bias is not None or self.window is not None  # else `is_causal` says it all
        mask = self.mask(ids.shape[1]) if needs_mask else None
        for layer, block in enumerate(self.blocks):
            x = block(x, mask, self.rotary_of(layer), is_causal=not needs_mask)
        return self.output(self.norm(x))  # (batch, length, vocab_size)

    def embed(self, ids: Tensor) -> Tensor:
        """Return what enters the first block, (batch, length, d_model): words, with positions if added."""
        x = self.embedding_scale * self.embedding(ids)
        return x if self.absolute is None else self.absolute(x)

    def mask(self, length: int) -> Tensor:
        """Return what to add to the logits of a text: the bias, and -inf for keys that a query does not see.

        It is (heads or 1, queries, keys).
        """
        weight = self.embedding.weight
        mask = weight.new_zeros(1, length, length) if self.bias is None else self.bias(length)
        positions = torch.arange(length, device=weight.device)
        distance = positions[:, None] - positions  # (queries, keys)
        is_hidden = (distance < 0) | (distance >= (self.window or length))
        return mask.masked_fill(is_hidden, float("-inf"))

    def rotary_of(self, layer: int) -> RotaryPositions | None:
        """Return what rotates the queries and keys of a layer, counted from 0; None where nothing does."""
        return None if layer in self.without_rotation else self.rotary


class _Block(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.qkv, self.attention_output = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        hidden = 4 * d_model
        self.feed_forward = nn.Sequential(nn.Linear(d_model, hidden), nn.GELU(), nn.Linear(hidden, d_model))

    def forward(
        self, x: Tensor, mask: Tensor | None, rotary: RotaryPositions | None, is_causal: bool = False
    ) -> Tensor:
        q, k, v = self.queries_keys_values(x, rotary)
        attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal)
        x = x + self.attention_output(attended.transpose(1, 2).flatten(2))  # (batch, length, d_model)
        return x + self.feed_forward(self.feed_forward_norm(x))

    def queries_keys_values(self, x: Tensor, rotary: RotaryPositions | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return q and k, rotated if something rotates them, and v, each (batch, heads, length, d_head)."""
        qkv = self.qkv(self.attention_norm(x)).unflatten(-1, (3, self.heads, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        return (q, k, v) if rotary is None else (*rotary(q, k), v)
