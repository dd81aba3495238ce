"""Small transformers whose position scheme is one argument; trained in seconds on a CPU."""

import contextlib
import math
import time
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from .._arguments import even_dimension, integer, one_of, real
from . import checkpoints
from .layers import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias
from .tasks import IGNORED

SCHEMES = ("none", "sinusoidal", "random sinusoidal", "learned", "rotary", "alibi", "t5")


class Transformer(nn.Module):
    """A small transformer whose position scheme is one argument.

    forward: int64 ids (batch, L) to logits (batch, L, symbols). Blocks normalise first (pre-norm) and have
    no dropout. Weights begin as torch draws them (`torch.manual_seed`), those of the T5 bias at 0.
    """

    def __init__(
        self,
        symbols,
        positions,
        *,
        causal=True,
        d_model=64,
        heads=4,
        layers=2,
        max_length=1024,
        rates=None,
    ):
        """symbols: how many ids there are.
        positions: one of SCHEMES. "random sinusoidal" draws growing positions below `max_length` while
            it trains and spreads them evenly when it is evaluated (after Ruoss et al., 2023,
            https://arxiv.org/abs/2305.16843); "learned" has `max_length` rows.
        causal: whether a place sees only itself and those before it.
        heads: of d_model / heads columns each. max_length: of the longest text, in positions.
        rates: of "rotary" alone, as in `apply_rotary`; None means those of base 10,000.
        Raises ValueError for anything else, and `forward` for a text that is longer.
        """
        super().__init__()
        one_of("positions", positions, SCHEMES)
        d_model, heads = even_dimension(d_model), integer("heads", heads, 1)
        if d_model % (2 * heads):
            raise ValueError(f"d_model must be a multiple of 2 · heads = {2 * heads}; got {d_model}")
        if rates is not None and positions != "rotary":
            raise ValueError(f"rates must be None unless positions is 'rotary'; got {rates!r}")
        self.positions, self.causal = positions, causal
        self.heads, self.max_length = heads, integer("max_length", max_length, 1)
        self.words = nn.Embedding(integer("symbols", symbols, 2), d_model)
        self.added = self.turned = self.bias = None
        if positions in ("sinusoidal", "random sinusoidal"):
            self.added = SinusoidalPositions(max_length, d_model)
        elif positions == "learned":
            self.added = LearnedPositions(max_length, d_model)
        elif positions == "rotary":
            self.turned = RotaryPositions(max_length, d_model // heads, rates=rates)
        elif positions == "alibi":
            self.bias = AlibiBias(heads)
        elif positions == "t5":
            self.bias = T5Bias(heads, bidirectional=not causal)
        blocks = integer("layers", layers, 1)
        self.blocks = nn.ModuleList(_Block(d_model, heads) for _ in range(blocks))
        self.norm, self.answer = nn.LayerNorm(d_model), nn.Linear(d_model, symbols)
        self.rates = None if rates is None else [float(rate) for rate in rates]

    def extra_repr(self):
        rates = "" if self.rates is None else f", rates={self.rates}"
        return (
            f"positions={self.positions!r}, causal={self.causal}, heads={self.heads}, "
            f"max_length={self.max_length}{rates}"
        )

    def forward(self, ids):
        length = ids.shape[1]
        if length > self.max_length:
            raise ValueError(f"ids must have at most max_length = {self.max_length} columns; got {length}")
        x = self.words(ids)
        if self.positions == "random sinusoidal":
            x = x + self.added.table[self._spread(length, ids.device)]
        elif self.added is not None:
            x = self.added(x)
        mask = self._mask(length, x)
        for block in self.blocks:
            x = block(x, mask, self.turned)
        return self.answer(self.norm(x))

    def _spread(self, length, device):
        if self.training:
            return torch.randperm(self.max_length, device=device)[:length].sort().values
        return torch.linspace(0, self.max_length - 1, length, device=device).long()

    def _mask(self, length, x):
        """What is added to the logits, (heads or 1, L, L), or None."""
        bias = None if self.bias is None else self.bias(length)
        if not self.causal:
            return bias
        ahead = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        nothing = torch.zeros(1, length, length, dtype=x.dtype, device=x.device)
        return (nothing if bias is None else bias).masked_fill(ahead, float("-inf"))


class _Block(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.wide, self.narrow = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

    def forward(self, x, mask, turned):
        q, k, v = self.qkv(self.norms[0](x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        if turned is not None:
            q, k = turned(q, k)
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + self.narrow(functional.gelu(self.wide(self.norms[1](x))))


class Settings(NamedTuple):
    """What decides a training besides the model and the task; a checkpoint is only taken up by the same."""

    steps: int = 500
    batch: int = 64  # texts a step
    lengths: tuple = (32, 32)  # what the task is given: the shortest and the longest, both included
    rate: float = 3e-3  # the learning rate at its highest
    warmup: int = 50  # steps in which it rises; then it falls along a cosine to a tenth
    seed: int = 0  # below 2**32


class Training(NamedTuple):
    """How a training went: loss in nats and share of right symbols for every step, and why it ended."""

    loss: list
    right: list
    ended: str  # "all steps", "goal reached" or "time is up"


SAVE_EVERY = 50  # steps


def train(model, task, settings=None, *, seconds=None, goal=None, checkpoint=None, progress=True):
    """Train a model with AdamW, in place; returns a Training.

    task: one of `pe_helpers.models.tasks`, or a function like them. settings: None means `Settings()`.
    seconds: a budget of time, looked at after every step. goal: stop when the share of right symbols, the
        mean of the last 20 steps, reaches it; at most 1. progress: whether a bar shows the steps.
    checkpoint: a path; every 50 steps and at the end the state is written there, whole or not at all
        (safetensors). Called again after an interrupt, with a model made in the same way, it goes on from
        there; a training that was complete is loaded and not repeated. A checkpoint does not know its task:
        with another one the training goes on just the same.
    Every step draws its batch from the seed and its number, so a training that was interrupted gives the
        same curve as one that was not, on the same device. torch's own seed is set for what the model draws.
    Raises ValueError for settings that cannot be, for a checkpoint of other settings or another model and
    for a file that is no checkpoint; RuntimeError that names what to lower where memory does not suffice.
    """
    from tqdm.auto import tqdm

    settings = _checked(Settings() if settings is None else settings)
    seconds = math.inf if seconds is None else real("seconds", seconds, above=0)
    goal = math.inf if goal is None else real("goal", goal, above=0)
    if 1 < goal < math.inf:
        raise ValueError(f"goal must be a share, above 0 and at most 1; got {goal!r}")
    optimizer = torch.optim.AdamW(model.parameters(), settings.rate, weight_decay=0.01)
    taken_up = checkpoints.load(checkpoint, model, optimizer, settings) if checkpoint else None
    loss, right = taken_up or ([], [])
    saved = len(loss) if taken_up else None  # steps in the file
    end = time.monotonic() + seconds
    model.train()
    enough = f"Settings.batch = {settings.batch} or Settings.lengths = {settings.lengths}"
    bar = tqdm(total=settings.steps, initial=len(loss), leave=False, disable=not progress)
    with bar, _memory_must_suffice(enough):
        while not (ended := _why_it_ends(loss, right, settings, goal, end)):
            of_batch = _step(model, optimizer, task, settings, len(loss))
            loss.append(of_batch[0])
            right.append(of_batch[1])
            bar.update()
            if checkpoint and len(loss) % SAVE_EVERY == 0:
                checkpoints.save(checkpoint, model, optimizer, settings, loss, right)
                saved = len(loss)
    if checkpoint and saved != len(loss):
        checkpoints.save(checkpoint, model, optimizer, settings, loss, right)
    return Training(loss, right, ended)


@torch.no_grad()
def evaluate(model, task, length, *, batches=4, batch=64, seed=10**6):
    """(loss in nats, share right) at every place of texts of `length`, two float64 NumPy arrays.

    batches × batch texts are drawn from `seed` (below 2**32), the same for every model. A place is averaged
    over the texts in which the task scores it; places that are never scored are left out, so for `copy` the
    first number is that of the first symbol copied. Raises ValueError for arguments that cannot be, and
    RuntimeError as `train` does.
    """
    length, batch, seed = integer("length", length, 1), integer("batch", batch, 1), _seed(seed)
    was_training, device = model.training, next(model.parameters()).device
    model.eval()
    of_batches = []
    try:
        with _memory_must_suffice(f"batch = {batch} or length = {length}"):
            for number in range(integer("batches", batches, 1)):
                inputs, targets = task(_generator(seed, number), batch, length)
                logits = model(inputs.to(device)).float().cpu()
                loss = functional.cross_entropy(
                    logits.transpose(1, 2), targets, ignore_index=IGNORED, reduction="none"
                )
                of_batches.append(torch.stack([loss, logits.argmax(-1) == targets, targets != IGNORED]))
    finally:
        model.train(was_training)
    loss, right, texts = torch.cat(of_batches, dim=1).double().sum(dim=1)
    scored = texts > 0
    return (loss / texts)[scored].numpy(), (right / texts)[scored].numpy()


def _checked(settings):
    """The same in plain numbers, which is what JSON takes."""
    if not isinstance(settings, Settings):
        raise ValueError(f"settings must be a Settings or None; got {settings!r}")
    lows = {"steps": 1, "batch": 1, "warmup": 0}
    plain = {name: integer(name, getattr(settings, name), low) for name, low in lows.items()}
    plain |= {"rate": real("rate", settings.rate, above=0), "seed": _seed(settings.seed)}
    try:
        low, high = settings.lengths
        low = integer("lengths", low, 1)
        return Settings(lengths=(low, integer("lengths", high, low)), **plain)
    except (TypeError, ValueError):
        allowed = "two integers, the shortest and the longest, 1 ≤ shortest ≤ longest"
        raise ValueError(f"lengths must be {allowed}; got {settings.lengths!r}") from None


def _seed(value):
    if integer("seed", value, 0) >= 2**32:
        raise ValueError(f"seed must be an integer from 0 to 2**32 - 1; got {value!r}")
    return int(value)


def _why_it_ends(loss, right, settings, goal, end):
    """The word for it, or None where the training goes on."""
    if len(right) >= 20 and sum(right[-20:]) / 20 >= goal:
        return "goal reached"
    if len(loss) >= settings.steps:
        return "all steps"
    return "time is up" if time.monotonic() > end else None


@contextlib.contextmanager
def _memory_must_suffice(for_what):
    try:
        yield
    except RuntimeError as error:
        if not isinstance(error, torch.cuda.OutOfMemoryError) and "DefaultCPUAllocator" not in str(error):
            raise
        raise RuntimeError(f"the memory does not suffice; lower {for_what}") from error


def _step(model, optimizer, task, settings, step):
    """One step of the optimizer; returns (loss, share right) of its batch."""
    generator, device = _generator(settings.seed, step), next(model.parameters()).device
    low, high = settings.lengths
    length = int(torch.randint(low, high + 1, (), generator=generator))
    inputs, targets = (part.to(device) for part in task(generator, settings.batch, length))
    torch.manual_seed(int(torch.randint(2**62, (), generator=generator)))  # for what the model itself draws
    for group in optimizer.param_groups:
        group["lr"] = settings.rate * _schedule(step, settings)
    logits = model(inputs)
    loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scored = targets != IGNORED
    return float(loss.detach()), float((logits.argmax(-1) == targets)[scored].float().mean())


def _schedule(step, settings):
    if step < settings.warmup:
        return (step + 1) / settings.warmup
    done = (step - settings.warmup) / max(settings.steps - settings.warmup, 1)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * done))


def _generator(seed, number):
    return torch.Generator().manual_seed(seed * 1_000_003 + number)
