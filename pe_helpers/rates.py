"""The rates of rotary pairs for texts longer than the trained ones: which pairs slow down, and how far.

All of them start from `angle_rates(d_head, base=base)`, ω_i, for the d_head columns that turn, and stretch by
the factor s, how many times longer the text may be. They return a float64 NumPy array of shape (d_head/2,),
radians per position, for the `rates` of `apply_rotary` and `rotary_table`. They raise ValueError for an odd
or too small d_head, a base ≤ 1, and a factor, length or number of rotations that is not a finite number > 0.
"""

import json
import math

import numpy as np

from .arguments import boolean, even_dimension, one_of, real
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
    if boolean("truncate", truncate):
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
    Source: `apply_scaling` in Meta's llama-models, models/llama3/model.py; transformers' "llama3".
    """
    rates, factor = _angle_rates(d_head, base), real("factor", factor, above=0)
    rotations = real("trained_length", trained_length, above=0) * rates / (2 * math.pi)
    low = real("low_freq_factor", low_freq_factor, above=0)
    high = real("high_freq_factor", high_freq_factor, above=low)
    kept = np.clip((rotations - low) / (high - low), 0, 1)
    return rates * (kept + (1 - kept) / factor)


ROPE_TYPES = ("default", "linear", "dynamic", "yarn", "llama3")


def rates_from_config(d_head, config, *, length=None):
    """(rates, attention factor) as the `rope_scaling` or `rope_parameters` of a model's config.json asks.

    config: that object itself, a dict that holds it (`rope_theta` and `max_position_embeddings` may stand
        beside it), or the JSON text of either; braces around `"rope_scaling": {…}` may be left out.
        `rope_type` may be spelled `type`, a missing `rope_theta` is 10000, and `partial_rotary_factor` leaves
        that share of the pairs. Keys that the type does not use change nothing, as in transformers.
    length: of the text, in positions, which only "dynamic" asks for; None means within the trained length.
    Raises ValueError that names the key, its value and what is allowed: for text that is not JSON, a type
    that is none of `ROPE_TYPES`, and numbers that are missing, out of range or not numbers.
    Source: `transformers.modeling_rope_utils`, `ROPE_INIT_FUNCTIONS`.
    """
    given = rope_parameters(config)
    unscaled = "default" if "rope_theta" in given and "factor" not in given else None
    kind = one_of("rope_type", given.get("rope_type", given.get("type", unscaled)), ROPE_TYPES)
    base = real("rope_theta", _or(given.get("rope_theta"), 10000.0), above=1)
    share = real("partial_rotary_factor", _or(given.get("partial_rotary_factor"), 1.0), above=0)
    if share > 1:
        raise ValueError(f"partial_rotary_factor must be at most 1; got {share}")
    d_head = int(even_dimension(d_head, "d_head") * share)
    even_dimension(d_head, "d_head · partial_rotary_factor")
    if kind == "default":
        return _angle_rates(d_head, base), 1.0
    if given.get("factor") is None:
        raise ValueError(f"factor must be given for {kind}, a finite number ≥ 1; got none")
    factor = real("factor", given["factor"])
    if factor < 1:
        raise ValueError(f"factor must be a finite number ≥ 1; got {factor}")
    if kind == "linear":
        return interpolate_rates(d_head, factor, base=base), 1.0
    if kind == "dynamic":
        trained = _trained_length(given, "max_position_embeddings", "original_max_position_embeddings")
        return dynamic_ntk_rates(d_head, factor, _or(length, trained), trained, base=base), 1.0
    trained = _trained_length(given, "original_max_position_embeddings", "max_position_embeddings")
    if kind == "llama3":
        low = real("low_freq_factor", given.get("low_freq_factor"), above=0)
        bands = {"low_freq_factor": low, "high_freq_factor": given.get("high_freq_factor")}
        return llama3_rates(d_head, factor, trained, base=base, **bands), 1.0
    slow = real("beta_slow", given.get("beta_slow") or 1, above=0)
    fast = real("beta_fast", given.get("beta_fast") or 32, above=slow)
    whole = boolean("truncate", given.get("truncate", True))
    rates = yarn_rates(d_head, factor, trained, base=base, alpha=slow, beta=fast, truncate=whole)
    return rates, _attention_factor(given, factor)


def rope_parameters(config):
    """The rotary part of a model's config.json as one flat dict; it hides keys of the same name around it.

    config, errors: as in `rates_from_config`; no number is looked at.
    """
    allowed = "a JSON object, {…}, as in config.json"
    if isinstance(config, str):
        text = config.strip().rstrip(",")
        try:
            config = json.loads(f"{{{text}}}" if text.startswith('"') else text)
        except (ValueError, RecursionError) as error:
            why = f"{error.msg} at character {error.pos}" if hasattr(error, "msg") else type(error).__name__
            shown = text if len(text) <= 60 else text[:60] + " …"
            raise ValueError(f"config must be {allowed}; got {shown!r} ({why})") from None
    if not isinstance(config, dict):
        raise ValueError(f"config must be {allowed}; got {config!r}")
    names = [name for name in ("rope_scaling", "rope_parameters") if name in config]
    if not names:
        return config
    name = next((name for name in names if config[name]), names[0])
    part = config[name] or {"rope_type": "default"}
    if not isinstance(part, dict):
        raise ValueError(f"{name} must be {allowed}, or null; got {part!r}")
    own = {*names, "type", "rope_type"}
    return {key: value for key, value in config.items() if key not in own} | part


def _trained_length(given, *names):
    """The first of these keys that is there, as a length."""
    name = next((name for name in names if given.get(name) is not None), names[0])
    return real(name, given.get(name), above=0)


def _attention_factor(given, factor):
    """YaRN's, unless the config gives another, or DeepSeek's ratio of two that grow at different speeds."""
    if given.get("attention_factor") is not None:
        return real("attention_factor", given["attention_factor"], above=0)
    growth = yarn_attention_factor(factor) - 1
    speeds = [given.get(name) for name in ("mscale", "mscale_all_dim")]
    if not all(speeds):
        return 1 + growth
    above, below = (real(*pair, above=0) for pair in zip(("mscale", "mscale_all_dim"), speeds, strict=True))
    return (1 + growth * above) / (1 + growth * below)


def _or(value, default):
    return default if value is None else value


def _angle_rates(d_head, base):
    return angle_rates(even_dimension(d_head, "d_head"), base=base)
