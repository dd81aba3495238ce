"""The rates of rotary pairs for texts longer than the trained ones: which pairs slow down, and how much.

Every function starts from ω_i, the `angle_rates(d_head, base=base)` for the d_head columns that are rotated.
Its factor s says how many times longer the text may be. It returns a float64 NumPy array of shape
(d_head/2,), in radians per position, for the `rates` of `apply_rotary` and `rotary_table`. It raises
ValueError for an odd or too small d_head, a base ≤ 1, and a factor, a length or a number of rotations that
is not a finite number > 0.
"""

from __future__ import annotations

import math

import numpy as np

from .._arguments import even_dimension, real
from .sinusoidal import angle_rates


def interpolate_rates(d_head: int, factor: float, *, base: float = 1e4) -> np.ndarray:
    """Return position interpolation, ω_i / s: s times as many positions span the same angles as before.

    Source: Chen et al. (2023), section 2.3, https://arxiv.org/abs/2306.15595.

    >>> interpolate_rates(4, 2).round(4).tolist()
    [0.5, 0.005]
    """
    return _angle_rates(d_head, base) / real("factor", factor, above=0)


def ntk_rates(d_head: int, factor: float, *, base: float = 1e4) -> np.ndarray:
    """Return NTK-aware scaling, the rates of the base · s^(d / (d-2)): ω_0 stays, the last rate becomes ω/s.

    The factor is spread evenly over the exponents: the rate of pair i is divided by s^(i / (d/2 - 1)).
    Source: bloc97 (2023), as given in YaRN, appendix A.2, https://arxiv.org/abs/2309.00071v3.

    >>> ntk_rates(4, 2).round(4).tolist()
    [1.0, 0.005]
    """
    rates = _angle_rates(d_head, base)
    return rates * real("factor", factor, above=0) ** -np.linspace(0, 1, len(rates))


def dynamic_ntk_rates(
    d_head: int, factor: float, length: float, trained_length: float, *, base: float = 1e4
) -> np.ndarray:
    """Return NTK-aware scaling for the present length ℓ: by s ℓ/L - (s - 1) beyond the trained length L.

    Up to the trained length nothing changes. Each length has its own rates, so keys in a cache that were
    rotated at a shorter length do not fit queries at a longer one.
    length, trained_length: ℓ and L, in positions.
    Source: emozilla (2023), as `transformers.modeling_rope_utils` computes it under "dynamic".

    >>> dynamic_ntk_rates(4, 2, 150, 100).round(4).tolist()
    [1.0, 0.005]
    """
    factor = real("factor", factor, above=0)
    longer = real("length", length, above=0) / real("trained_length", trained_length, above=0)
    return ntk_rates(d_head, 1 + factor * max(longer - 1, 0), base=base)


def yarn_rates(
    d_head: int,
    factor: float,
    trained_length: float,
    *,
    base: float = 1e4,
    alpha: float = 1.0,
    beta: float = 32.0,
    truncate: bool = True,
) -> np.ndarray:
    """Return YaRN's rates: pairs with more than β rotations in the trained length stay, below α they get ω/s.

    Between them the interpolated share rises evenly with the number of the pair, as in the authors' code and
    in transformers. In the paper it falls evenly with the rotations, as in `llama3_rates`.
    trained_length: L, in positions. alpha < beta: in rotations. truncate: whether the ramp begins and ends
        at whole pairs, as is usual.
    Raises ValueError also for a beta ≤ alpha.
    Source: Peng et al. (2023), section 3.2, https://arxiv.org/abs/2309.00071v3. YaRN also needs its
    `yarn_attention_factor`.

    >>> (angle_rates(8) / yarn_rates(8, 4, 2048)).round(2).tolist()  # what each pair is divided by
    [1.0, 1.0, 1.6, 4.0]
    """
    rates, factor = _angle_rates(d_head, base), real("factor", factor, above=0)
    rotations = real("trained_length", trained_length, above=0) / (2 * math.pi)  # at a rate of 1
    alpha = real("alpha", alpha, above=0)
    beta = real("beta", beta, above=alpha)
    # The ramp goes from the pair i that makes β rotations (rotations · ω_i = β) to the one that makes α.
    start = len(rates) * math.log(rotations / beta, base)
    end = len(rates) * math.log(rotations / alpha, base)
    if truncate:
        start, end = math.floor(start), math.ceil(end)
    end = min(end, 2 * len(rates) - 1)
    start = min(max(start, 0), end)
    interpolated = np.clip((np.arange(len(rates)) - start) / max(end - start, 0.001), 0, 1)
    return rates * (1 - interpolated + interpolated / factor)


def yarn_attention_factor(factor: float) -> float:
    """Return 0.1 ln s + 1, or 1 for s ≤ 1: YaRN multiplies cosines and sines by it, so logits by its square.

    The formula was fitted to measurements by the authors, not derived.
    Source: Peng et al. (2023), section 3.3, https://arxiv.org/abs/2309.00071v3.

    >>> round(yarn_attention_factor(4), 4)
    1.1386
    """
    return 0.1 * math.log(max(real("factor", factor, above=0), 1)) + 1


def llama3_rates(
    d_head: int,
    factor: float,
    trained_length: float,
    *,
    base: float = 1e4,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
) -> np.ndarray:
    """Return Llama 3.1's rates: pairs with more rotations than the high factor stay, below the low one ω/s.

    Between them the share that stays rises evenly with the rotations in the trained length, r = L ω / 2π.
    trained_length: L, in positions. low_freq_factor ≤ high_freq_factor: in rotations. Where they are equal,
        as in Llama 4 Scout, no pair is between them.
    Raises ValueError also for a high_freq_factor < low_freq_factor.
    Source: `apply_scaling` in Meta's llama-models, models/llama3/model.py; transformers' "llama3".

    >>> (angle_rates(8) / llama3_rates(8, 8, 2048)).round(2).tolist()  # what each pair is divided by
    [1.0, 1.0, 1.28, 8.0]
    """
    rates, factor = _angle_rates(d_head, base), real("factor", factor, above=0)
    rotations = real("trained_length", trained_length, above=0) * rates / (2 * math.pi)
    low = real("low_freq_factor", low_freq_factor, above=0)
    high = real("high_freq_factor", high_freq_factor, above=0)
    if high < low:
        raise ValueError(
            f"high_freq_factor must be at least low_freq_factor, {low:g}; got {high_freq_factor!r}"
        )
    kept = np.clip((rotations - low) / max(high - low, 1e-9), 0, 1)
    return rates * (kept + (1 - kept) / factor)


def _angle_rates(d_head, base):
    return angle_rates(even_dimension(d_head, "d_head"), base=base)
