"""What a model's config.json says about its rotary positions, read as transformers reads it.

Only what the functions of `rates` compute is read. A model's own code may do more: layers without rotary
positions, another base for some layers, further scaling of the logits.
"""

from __future__ import annotations

import json

from .._arguments import Array, even_dimension, one_of, real
from .rates import dynamic_ntk_rates, interpolate_rates, llama3_rates, yarn_attention_factor, yarn_rates
from .sinusoidal import angle_rates

ROPE_TYPES = ("default", "linear", "dynamic", "yarn", "llama3")


def rates_from_config(d_head: int, config: str | dict, *, length: float | None = None) -> tuple[Array, float]:
    """Return (rates, attention factor) for the `rope_scaling` or `rope_parameters` of a model's config.json.

    config: that object itself, a dict that holds it (`rope_theta` and `max_position_embeddings` may stand
        beside it), or the JSON text of either; braces around `"rope_scaling": {…}` may be left out.
        `rope_type` may be spelled `type`. A missing `rope_theta` is 10000. `partial_rotary_factor` is the
        share of the columns that are rotated. Keys that the type does not use change nothing.
    length: of the text, in positions. Only "dynamic" uses it; None means the trained length.
    Returns the rates, a float64 NumPy array in radians per position, one for each pair of columns that is
    rotated, and the number by which cosines and sines are multiplied, which is 1 except for "yarn".
    Raises ValueError that names the key, its value and what is allowed: for text that is not JSON, a type
    that is none of `ROPE_TYPES` (such as "longrope"), and numbers that are missing, out of range or not
    numbers.

    The numbers are those of transformers, but not all that its models do. Not read are `mrope_section`,
    `rope_local_base_freq` and `no_rope_layers`; a dict of parameters for each type of layer is refused.
    DeepSeek's models also multiply the logits by the square of 0.1 · mscale_all_dim · ln s + 1.
    Source: `transformers.modeling_rope_utils`, `ROPE_INIT_FUNCTIONS`.

    >>> rates, factor = rates_from_config(4, {"rope_scaling": {"type": "linear", "factor": 2.0}})
    >>> rates.round(4).tolist(), factor
    ([0.5, 0.005], 1.0)
    """
    given = rope_parameters(config)
    unscaled = "default" if "rope_theta" in given and "factor" not in given else None
    kind = one_of("rope_type", given.get("rope_type", given.get("type", unscaled)), ROPE_TYPES)
    base = _number(given, "rope_theta", 10000.0, above=1)
    share = _number(given, "partial_rotary_factor", 1.0)
    if share > 1:
        raise ValueError(f"partial_rotary_factor must be at most 1; got {share}")
    d_head = even_dimension(int(even_dimension(d_head, "d_head") * share), "d_head · partial_rotary_factor")
    if kind == "default":
        return angle_rates(d_head, base=base), 1.0
    factor = _number(given, "factor") if "factor" in given else 0
    if factor < 1:
        raise ValueError(f"factor must be given for {kind}, a finite number ≥ 1; got {factor or 'none'}")
    if kind == "linear":
        return interpolate_rates(d_head, factor, base=base), 1.0
    if kind == "dynamic":
        trained = _number(given, "max_position_embeddings")
        length = trained if length is None else length
        return dynamic_ntk_rates(d_head, factor, length, trained, base=base), 1.0
    given.setdefault("original_max_position_embeddings", given.get("max_position_embeddings"))
    trained = _number(given, "original_max_position_embeddings")
    if kind == "llama3":
        bands = {name: _number(given, name) for name in ("low_freq_factor", "high_freq_factor")}
        return llama3_rates(d_head, factor, trained, base=base, **bands), 1.0
    slow = _number(given, "beta_slow", 1.0)
    ends = {"alpha": slow, "beta": _number(given, "beta_fast", 32.0, above=slow)}
    rates = yarn_rates(d_head, factor, trained, base=base, truncate=given.get("truncate", True), **ends)
    return rates, _attention_factor(given, factor)


def rope_parameters(config: str | dict) -> dict:
    """Return the rotary part of a model's config.json as one flat dict, without the keys that are null.

    What stands in the part hides keys of the same name beside it.
    config: as in `rates_from_config`. Types and numbers are not checked here.
    Raises ValueError for text that is not JSON, a config that is not an object, and a `rope_scaling` or
    `rope_parameters` that is neither an object nor null.

    >>> rope_parameters('{"rope_theta": 500, "rope_scaling": {"type": "linear", "factor": 2}}')
    {'rope_theta': 500, 'type': 'linear', 'factor': 2}
    """
    must = "must be a JSON object, {…}, as in config.json"
    if isinstance(config, str):
        text = config.strip().rstrip(",")
        try:
            config = json.loads(f"{{{text}}}" if text.startswith('"') else text)
        except json.JSONDecodeError as error:
            why = f"{error.msg} at character {error.pos}"
            raise ValueError(f"config {must}; got {text[:60]!r} ({why})") from None
    if not isinstance(config, dict):
        raise ValueError(f"config {must}; got {config!r}")
    names = [name for name in ("rope_scaling", "rope_parameters") if name in config]
    if names:
        name = next((name for name in names if config[name]), names[0])
        part = config[name] or {"rope_type": "default"}
        if not isinstance(part, dict):
            raise ValueError(f"{name} {must}, or null; got {part!r}")
        own = {*names, "type", "rope_type"}
        config = {key: value for key, value in config.items() if key not in own} | part
    return {key: value for key, value in config.items() if value is not None}


def _number(given, name, default=None, above=0):
    return real(name, given.get(name, default), above)


def _attention_factor(given, factor):
    """Return the config's own factor, or DeepSeek's ratio of two that grow at different speeds, or YaRN's."""
    if "attention_factor" in given:
        return _number(given, "attention_factor")
    growth = yarn_attention_factor(factor) - 1
    if not (given.get("mscale") and given.get("mscale_all_dim")):
        return 1 + growth
    return (1 + growth * _number(given, "mscale")) / (1 + growth * _number(given, "mscale_all_dim"))
