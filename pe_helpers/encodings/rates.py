"""The rates of rotary pairs for texts longer than the trained ones: which pairs slow down, and how far.

All of them start from `angle_rates(d_head, base=base)`, ω_i, for the d_head columns that turn, and stretch by
the factor s, how many times longer the text may be. They return a float64 NumPy array of shape (d_head/2,),
radians per position, for the `rates` of `apply_rotary` and `rotary_table`. They raise ValueError for an odd
or too small d_head, a base ≤ 1, and a factor, length or number of rotations that is not a finite number > 0.
"""

import math

import numpy as np

from .._arguments import even_dimension, real
from .sinusoidal import angle_rates


def interpolate_rates(d_head, factor, *, base=10000.0):
    """Position interpolation, ω_i / s: a text s times as long turns each pair as far as the trained one did.

    Source: Chen et al. (2023), section 2.3, https://arxiv.org/abs/2306.15595.
    """
    return _angle_rates(d_head, base) / real("factor", factor, above=0)


def ntk_rates(d_head, factor, *, base=10000.0):
    """NTK-aware scaling: the rates of the base · s^(d / (d-2)), from ω_0 as it was to exactly ω/s at the end.

    The factor is spread evenly over the exponents: the rate of pair i is divided by s^(i / (d/2 - 1)).
    Source: bloc97 (2023), as given in YaRN, definition 1, https://arxiv.org/abs/2309.00071.
    """
    rates = _angle_rates(d_head, base)
    pairs = len(rates)
    return rates * real("factor", factor, above=0) ** -(np.arange(pairs) / max(pairs - 1, 1))


def dynamic_ntk_rates(d_head, factor, length, trained_length, *, base=10000.0):
    """NTK-aware scaling by the current length ℓ: by s ℓ/L - (s - 1) beyond the trained length L, by 1 within.

    length, trained_length: in positions.
    Source: emozilla (2023), as `transformers.modeling_rope_utils` has it under "dynamic".
    """
    factor = real("factor", factor, above=0)
    longer = real("length", length, above=0) / real("trained_length", trained_length, above=0)
    return ntk_rates(d_head, 1 + factor * max(longer - 1, 0), base=base)


def yarn_rates(d_head, factor, trained_length, *, base=10000.0, alpha=1.0, beta=32.0, truncate=True):
    """YaRN: pairs with more than β rotations in the trained length stay, those with less than α get ω/s.

    Between them the share that is interpolated rises evenly with the number of the pair, as in the authors'
    code and in transformers; the paper lets it fall evenly with the rotations, as `llama3_rates` does.
    trained_length: L, in positions. alpha < beta: in rotations. truncate: whether the ramp begins and ends
        at whole pairs, as is usual.
    Raises ValueError also for a beta ≤ alpha.
    Source: Peng et al. (2023), section 3.2, https://arxiv.org/abs/2309.00071. YaRN also wants its
    `yarn_attention_factor`.
    """
    rates, factor = _angle_rates(d_head, base), real("factor", factor, above=0)
    trained_length = real("trained_length", trained_length, above=0)
    alpha = real("alpha", alpha, above=0)
    beta = real("beta", beta, above=alpha)
    pair_of_beta, pair_of_alpha = (  # where i solves L ω_i = 2π rotations
        len(rates) * math.log(trained_length / (2 * math.pi * rotations)) / math.log(base)
        for rotations in (beta, alpha)
    )
    if truncate:
        pair_of_beta, pair_of_alpha = math.floor(pair_of_beta), math.ceil(pair_of_alpha)
    end = min(pair_of_alpha, 2 * len(rates) - 1)
    start = min(max(pair_of_beta, 0), end)
    interpolated = np.clip((np.arange(len(rates)) - start) / max(end - start, 0.001), 0, 1)
    return rates * (1 - interpolated + interpolated / factor)


def yarn_attention_factor(factor):
    """0.1 ln s + 1, by which YaRN multiplies cosines and sines, hence the logits by its square; 1 for s ≤ 1.

    Source: Peng et al. (2023), section 3.4, https://arxiv.org/abs/2309.00071.
    """
    return 0.1 * math.log(max(real("factor", factor, above=0), 1)) + 1


def llama3_rates(d_head, factor, trained_length, *, base=10000.0, low_freq_factor=1.0, high_freq_factor=4.0):
    """Llama 3.1: pairs with more rotations than the high factor stay, those below the low one get ω/s.

    Between them the share that stays rises evenly with the rotations in the trained length, r = L ω / 2π.
    trained_length: L, in positions. low_freq_factor < high_freq_factor: in rotations.
    Raises ValueError also for a high_freq_factor ≤ low_freq_factor.
    Source: `apply_scaling` in Meta's llama-models, models/llama3/model.py; transformers' "llama3".
    """
    rates, factor = _angle_rates(d_head, base), real("factor", factor, above=0)
    rotations = real("trained_length", trained_length, above=0) * rates / (2 * math.pi)
    low = real("low_freq_factor", low_freq_factor, above=0)
    high = real("high_freq_factor", high_freq_factor, above=low)
    kept = np.clip((rotations - low) / (high - low), 0, 1)
    return rates * (kept + (1 - kept) / factor)


def _angle_rates(d_head, base):
    return angle_rates(even_dimension(d_head, "d_head"), base=base)
