"""The small language models that ship with the course, trained on Python's documentation.

data/README.md says how they were trained and what their losses are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .._arguments import integer, one_of
from ..encodings.sinusoidal import angle_rates
from ..words.byte_pairs import BytePairs
from .transformer import Transformer

FOLDER = Path(__file__).resolve().parents[2] / "data" / "language_models"


@dataclass(frozen=True)
class Trained:
    """A trained model, what was done to it, its tokenizer and a text that it has never seen.

    >>> trained = load_trained("rotary")
    >>> trained.positions, trained.base, trained.length
    ('rotary', 10000, 128)
    >>> ids = trained.encode("the end of the file")
    >>> trained.model(ids).shape == (1, ids.shape[1], 1024)
    True
    """

    name: str
    positions: str  # its scheme, one of SCHEMES
    base: float | None  # of the rates, for "sinusoidal" and "rotary"
    length: int  # of the texts in training, in tokens
    steps: int  # of the training
    seed: int  # of the initial weights and of the texts
    loss: float  # in nats for each token, mean over `texts()`
    model: Transformer = field(repr=False)  # on the CPU, in float32, in evaluation mode
    tokens: BytePairs = field(repr=False)
    held_out: Tensor = field(repr=False)  # the ids of pages that were not trained on, (ids,), int64

    def encode(self, text: str) -> Tensor:
        """Return a text's ids, (1, length), int64, as the model takes them.

        Raises ValueError for a text without characters.
        """
        if not text:
            raise ValueError(f"text must have at least one character; got {text!r}")
        return torch.tensor([self.tokens.encode(text)])

    def decode(self, ids: Tensor) -> str:
        """Return the text of ids of any shape, joined in their order.

        >>> trained = load_trained("rotary")
        >>> trained.decode(trained.encode("the end of the file"))
        'the end of the file'
        """
        return self.tokens.decode(ids)

    def texts(self, count: int = 256, length: int | None = None) -> Tensor:
        """Return texts of the held-out pages with their last target, (count, length + 1), int64.

        count: of texts; they begin at even distances. length: None means the trained length.
        Inputs are `texts[:, :-1]`, targets `texts[:, 1:]`.
        Raises ValueError for a count below 1 and a length below 1 or beyond what was held out.
        """
        length = integer("length", self.length if length is None else length, 1)
        last = len(self.held_out) - length - 1
        if last < 0:
            raise ValueError(f"length must be at most {len(self.held_out) - 1}; got {length}")
        first = np.linspace(0, last, integer("count", count, 1)).astype(int)
        return self.held_out[torch.from_numpy(first[:, None] + np.arange(length + 1))]


def load_trained(name: str = "rotary") -> Trained:
    """Return a trained model, ready to run; every call makes a model of its own.

    name: "none", "sinusoidal" (its word vectors multiplied by √d_model), "sinusoidal_unscaled", "learned",
        "t5", "alibi", "rotary" (base 10,000), "rotary_100", "rotary_1000000", or "rotary_half", in which
        every second layer does not rotate.
    Raises ValueError for another name, OSError for a file that is missing.

    >>> load_trained("rotary_100").base
    100
    """
    facts = json.loads((FOLDER / "models.json").read_text("utf-8"))["models"]
    description = facts[one_of("name", name, facts)]
    model = build(description["options"])
    with np.load(FOLDER / f"{name}.npz") as file:
        weights = {key: torch.from_numpy(file[key].astype(np.float32)) for key in file.files}
    model.load_state_dict({**weights, "output.weight": weights["embedding.weight"]})
    model.eval().requires_grad_(False)
    own = {key: description[key] for key in ("length", "steps", "seed", "loss")}
    positions, base = (description["options"].get(key) for key in ("positions", "base"))
    return Trained(name, positions, base, **own, model=model, tokens=_tokens(), held_out=_held_out())


def build(options: dict[str, Any]) -> Transformer:
    """Return the untrained model of an entry in models.json.

    options: the arguments of `Transformer`, with `base` in the place of `rates`. With `all_come_round_in`, a
        number of tokens, pairs that turn by less than 2π within it do not turn at all.
    """
    options = dict(options)
    base, tokens = options.pop("base", None), options.pop("all_come_round_in", None)
    if options["positions"] == "rotary":
        rates = angle_rates(options["d_model"] // options["heads"], base=base)
        options["rates"] = rates if tokens is None else np.where(rates * tokens < 2 * np.pi, 0.0, rates)
    return Transformer(**options)


@cache
def _tokens() -> BytePairs:
    return BytePairs(json.loads((FOLDER / "tokenizer.json").read_text("utf-8"))["merges"])


@cache
def _held_out() -> Tensor:
    return torch.from_numpy(np.load(FOLDER / "held_out.npy").astype(np.int64))
