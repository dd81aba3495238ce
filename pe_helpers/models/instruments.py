"""What can be measured inside a `Transformer`: attention, a head's kernel, pairs, the loss by position."""

from __future__ import annotations

import copy
import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from .._arguments import ArrayLike, as_numpy
from .layers import RotaryPositions
from .transformer import Transformer

TOKENS = 4096  # in one batch


@torch.no_grad()
def layers_of(model: Transformer, ids: Tensor) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Return (queries, keys, mask) of every layer while the model reads some texts.

    ids: (batch, length), int64.
    Queries and keys are (batch, heads, length, d_head), rotated if the layer rotates. The mask is that of
    `Transformer.mask`; it is added to q · k / √d_head.

    >>> model = Transformer(16, "rotary", d_model=64, heads=4)
    >>> [q.shape for q, k, mask in layers_of(model, torch.zeros(2, 5, dtype=torch.int64))]
    [torch.Size([2, 4, 5, 16]), torch.Size([2, 4, 5, 16])]
    """
    found = []
    x, mask = model.embed(ids), model.mask(ids.shape[1])
    for number, block in enumerate(model.blocks):
        rotary = model.rotary_of(number)
        q, k, _ = block.queries_keys_values(x, rotary)
        found.append((q, k, mask))
        x = block(x, mask, rotary)
    return found


def attention_maps(model: Transformer, ids: Tensor) -> Tensor:
    """Return how each head of each layer attends, (layers, batch, heads, queries, keys); each row sums to 1.

    ids: (batch, length), int64.

    >>> model = Transformer(16, "rotary", heads=4, layers=2)
    >>> attention_maps(model, torch.zeros(1, 5, dtype=torch.int64)).shape
    torch.Size([2, 1, 4, 5, 5])
    """
    maps = [q @ k.mT * q.shape[-1] ** -0.5 + mask for q, k, mask in layers_of(model, ids)]
    return torch.stack(maps).softmax(-1)


class PositionKernel(NamedTuple):
    """A head's scores when the words are averaged away; scores are logits, q · k / √d_head.

    >>> ids = torch.arange(16)[:, None].expand(-1, 4)
    >>> position_kernel(Transformer(16, "rotary"), ids, layer=0, head=0).kernel.shape
    (4,)
    """

    kernel: np.ndarray  # (length,): what a key so far before its query gets; 0 at distance 0
    share: float  # of the scores' variance within a query that this explains, from 0 to 1; nan for none
    spread: float  # the standard deviation of the scores within a query
    scores: np.ndarray  # (queries, keys), each row with mean 0; nan where a key is hidden
    key_share: float  # as share, but of what is explained by the key alone, whoever asks


def position_kernel(model: Transformer, ids: Tensor, layer: int, head: int) -> PositionKernel:
    """Return what a head prefers by position alone, and how much of it the offset or the key explains.

    Queries and keys are averaged over the texts, position by position. So give every position the same words:
    with `words[:, None].expand(-1, length)` each text is one word again and again, and in layer 0, which sees
    no context, nothing but the position is left. What all keys of a query share does not change attention and
    is taken away. The kernel is the function of the distance nearest to the rest, by least squares.
    ids: (texts, length), int64. layer, head: counted from 0.
    Raises IndexError for a layer or a head that is not there.

    >>> model = Transformer(16, "alibi", heads=4)
    >>> model.blocks[0].qkv.weight.data *= 0  # no content: only the bias is left, slope 1/4 in head 0
    >>> found = position_kernel(model, torch.arange(16)[:, None].expand(-1, 4), layer=0, head=0)
    >>> found.kernel.round(2), round(found.share, 3)
    (array([ 0.  , -0.25, -0.5 , -0.75]), 1.0)
    """
    q_mean = k_mean = torch.zeros(())
    for part in ids.split(max(1, TOKENS // ids.shape[1])):
        q, k, mask = layers_of(model, part)[layer]
        q_mean = q_mean + q[:, head].double().sum(0).cpu() / len(ids)  # (length, d_head)
        k_mean = k_mean + k[:, head].double().sum(0).cpu() / len(ids)
    bias = mask[head if len(mask) > 1 else 0].double().cpu()
    scores = (q_mean @ k_mean.mT * q.shape[-1] ** -0.5 + bias).numpy()  # (queries, keys)
    rows, distances = np.indices(scores.shape)
    is_seen = (rows >= distances) & np.isfinite(scores[rows, rows - distances])
    centred = _centred(np.where(is_seen, scores[rows, rows - distances], 0), is_seen)  # (queries, distances)
    spread = float(np.sqrt((centred**2).sum() / is_seen.sum()))
    by_key = np.full_like(scores, math.nan)
    by_key[rows[is_seen], (rows - distances)[is_seen]] = centred[is_seen]
    kernel, share = _explained(centred, is_seen)
    _, key_share = _explained(np.nan_to_num(by_key), np.isfinite(by_key))
    kernel = np.where(is_seen.any(0), kernel - kernel[0], math.nan)
    return PositionKernel(kernel, share, spread, by_key, key_share)


def _explained(centred: np.ndarray, is_seen: np.ndarray) -> tuple[np.ndarray, float]:
    """Return one number for each column, nearest to the rows by least squares, and what share it explains.

    centred, is_seen: as of `_centred`. The share is of each row's differences, without its mean; nan if there
    are none but for rounding.
    """
    counts = is_seen.sum(1, keepdims=True)
    normal = np.diag(is_seen.sum(0)) - (is_seen / counts).T @ is_seen  # least squares without the rows' means
    fitted = np.linalg.lstsq(normal, centred.sum(0), rcond=1e-10)[0]
    rest = centred - _centred(np.where(is_seen, fitted, 0), is_seen)
    squares = float((centred**2).sum())
    has_any = squares > 1e-10 * is_seen.sum()
    return fitted, 1 - float((rest**2).sum()) / squares if has_any else math.nan


def _centred(rows: np.ndarray, is_seen: np.ndarray) -> np.ndarray:
    """Return rows minus the mean of what is seen in each; the rest must be 0 and stays 0."""
    return np.where(is_seen, rows - rows.sum(1, keepdims=True) / is_seen.sum(1, keepdims=True), 0)


def pair_norms(model: Transformer, ids: Tensor) -> tuple[Tensor, Tensor]:
    """Return how long the pairs of columns that are rotated together are, in queries and in keys.

    Both are (layers, heads, d_head / 2), means over all positions of the texts; a rotation does not change
    them. Where neither is long, a pair has no say in the scores.
    ids: (batch, length), int64.

    >>> q, k = pair_norms(Transformer(16, "rotary"), torch.zeros(1, 5, dtype=torch.int64))
    >>> q.shape, k.shape
    (torch.Size([2, 4, 8]), torch.Size([2, 4, 8]))
    """
    queries, keys, _ = zip(*layers_of(model, ids), strict=True)
    q, k = (torch.stack(x).unflatten(-1, (-1, 2)).norm(dim=-1).mean((1, 3)) for x in (queries, keys))
    return q, k


def with_rates(model: Transformer, rates: ArrayLike) -> Transformer:
    """Return a copy of a rotary model that rotates at other rates; the weights are the same.

    rates: radians for each position, (pairs,), as in `apply_rotary`; a pair with rate 0 is frozen.
    Raises ValueError for a model with another scheme, and as `RotaryPositions` does.

    >>> frozen = with_rates(Transformer(16, "rotary"), np.zeros(8))
    >>> frozen.rates[0]
    0.0
    """
    if model.rotary is None:
        raise ValueError(f"model must be 'rotary'; got {model.positions!r}")
    numbers = as_numpy(rates).astype(float)
    changed = copy.deepcopy(model)
    changed.rates = numbers.tolist()
    rotary = RotaryPositions(model.max_length, model.rotary.d_head, rates=numbers)
    changed.rotary = rotary.to(model.embedding.weight.device)
    return changed


@torch.no_grad()
def loss_by_position(model: Transformer, texts: Tensor) -> np.ndarray:
    """Return the mean loss in nats at each position of some texts, (length,), float64.

    texts: (count, length + 1), int64: inputs and, one later, targets, as `Trained.texts` gives them.

    >>> model = Transformer(16, "none")
    >>> loss_by_position(model, torch.zeros(3, 6, dtype=torch.int64)).shape
    (5,)
    """
    total = np.zeros(texts.shape[1] - 1)
    for part in texts.split(max(1, TOKENS // len(total))):
        logits, targets = model(part[:, :-1]), part[:, 1:]
        loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
        total += loss.view(targets.shape).double().sum(0).cpu().numpy()
    return total / len(texts)
