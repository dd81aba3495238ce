"""What a model's config.json says about its rotary positions, read as transformers reads it."""

import json

from .._arguments import even_dimension, one_of, real
from .rates import (
    dynamic_ntk_rates,
    interpolate_rates,
    llama3_rates,
    yarn_attention_factor,
    yarn_rates,
)
from .sinusoidal import angle_rates

ROPE_TYPES = ("default", "linear", "dynamic", "yarn", "llama3")


def rates_from_config(d_head, config, *, length=None):
    """(rates, attention factor) as the `rope_scaling` or `rope_parameters` of a model's config.json asks.

    config: that object itself, a dict that holds it (`rope_theta` and `max_position_embeddings` may stand
        beside it), or the JSON text of either; braces around `"rope_scaling": {…}` may be left out.
        `rope_type` may be spelled `type`, a missing `rope_theta` is 10000, and `partial_rotary_factor` leaves
        that share of the pairs. Keys that the type does not use change nothing, as in transformers.
    length: of the text, in positions, which only "dynamic" asks for; None means within the trained length.
    Returns what the functions of `rates` return, a float64 NumPy array in radians per position, one for each
    pair of columns that turns; and the number that cosines and sines are multiplied by, 1 but for "yarn".
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
        return angle_rates(d_head, base=base), 1.0
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
    rates = yarn_rates(
        d_head, factor, trained, base=base, alpha=slow, beta=fast, truncate=given.get("truncate", True)
    )
    return rates, _attention_factor(given, factor)


def rope_parameters(config):
    """The rotary part of a model's config.json as one flat dict; it hides keys of the same name around it.

    config: as in `rates_from_config`; no type and no number is looked at.
    Raises ValueError for text that is not JSON, a config that is not an object, and a `rope_scaling` or
    `rope_parameters` that is neither an object nor null.
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
