"""What a model's config.json says about its rotary positions, read as transformers reads it.

What differs from one type of model to another stands in `model_types.MODEL_TYPES`.
"""

from __future__ import annotations

import json
import math
from typing import Any, TypeAlias

import numpy as np

from .._arguments import even_dimension, float_array, integer, one_of, real
from .model_types import MODEL_TYPES
from .rates import dynamic_ntk_rates, interpolate_rates, llama3_rates, yarn_attention_factor, yarn_rates
from .sinusoidal import angle_rates

Config: TypeAlias = str | dict  # the text of a config.json, or what it says
ROPE_TYPES = ("default", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional")

_PARTS = ("rope_scaling", "rope_parameters")  # where both are given, the first counts
_OBJECT = "must be a JSON object, {…}, as in config.json"


def rates_from_config(
    config: Config, *, d_head: int | None = None, length: float | None = None, layer_type: str | None = None
) -> tuple[np.ndarray, float]:
    """Return (rates, attention factor) that a model's config.json asks for.

    config: the file, or only the part `rope_scaling` or `rope_parameters`, with or without what stands beside
        it (`rope_theta`, `max_position_embeddings`), as a dict or JSON text. Braces around
        `"rope_scaling": {…}` may be left out. `rope_type` may be spelled `type`. Keys that the type does not
        use change nothing. A whole file, with `num_hidden_layers`, needs its `model_type`. Of a model for
        several media the part about text is read, `text_config`.
    d_head: columns of a head, of which `partial_rotary_factor` is the share that is rotated. None reads it
        from the file.
    length: of the text, in positions. Only "dynamic" and "longrope" use it; None means a text that is no
        longer than the trained ones.
    layer_type: such as "full_attention", needed where layers have different rates.
    Returns the rates, a float64 NumPy array in radians per position, one for each pair of columns that is
    rotated, and the number by which cosines and sines are multiplied, which is 1 except for "yarn" and
    "longrope". For "proportional" there is one for each pair of the head, and 0 where it is not rotated.
    Raises ValueError that names the key, its value and what is allowed: for text that is not JSON, types that
    are not in `ROPE_TYPES` or `MODEL_TYPES`, and numbers that are missing, out of range or not numbers.

    What the model's attention does besides is in `layers_from_config`.
    Source: `transformers.modeling_rope_utils`, `ROPE_INIT_FUNCTIONS`.

    >>> rates, factor = rates_from_config({"type": "linear", "factor": 2.0}, d_head=4)
    >>> rates.round(4).tolist(), factor
    ([0.5, 0.005], 1.0)
    """
    given = rope_parameters(config, layer_type)
    unscaled = "default" if "rope_theta" in given and "factor" not in given else None
    kind = given.get("rope_type", given.get("type", unscaled))
    kind = one_of("rope_type", {"mrope": "default", "su": "longrope"}.get(str(kind), kind), ROPE_TYPES)
    base = number(given, "rope_theta", 10000.0, above=1)
    d_head, rotated = head_size(given, d_head)
    if kind == "default":
        return angle_rates(rotated, base=base), 1.0
    if kind == "proportional":  # the rates of a whole head, but the last ones stand still
        rates = angle_rates(d_head, base=base) / number(given, "factor", 1.0)
        return np.where(np.arange(len(rates)) < rotated // 2, rates, 0), 1.0
    if kind == "longrope":
        return _longrope(given, rotated, base, length)
    factor = number(given, "factor")
    if kind == "linear":
        return interpolate_rates(rotated, factor, base=base), 1.0
    if kind == "dynamic":
        trained = number(given, "max_position_embeddings")
        length = trained if length is None else length
        return dynamic_ntk_rates(rotated, factor, length, trained, base=base), 1.0
    trained = number(given, "original_max_position_embeddings")
    if kind == "llama3":
        bands = {name: number(given, name) for name in ("low_freq_factor", "high_freq_factor")}
        return llama3_rates(rotated, factor, trained, base=base, **bands), 1.0
    slow = number(given, "beta_slow", 1.0)
    ends = {"alpha": slow, "beta": number(given, "beta_fast", 32.0, above=slow)}
    rates = yarn_rates(rotated, factor, trained, base=base, truncate=given.get("truncate", True), **ends)
    attention_factor = yarn_attention_factor(factor)
    if given.get("mscale") and given.get("mscale_all_dim"):
        attention_factor = mscale(given, "mscale") / mscale(given, "mscale_all_dim")
    return rates, number(given, "attention_factor", attention_factor)


def rope_parameters(config: Config, layer_type: str | None = None) -> dict:
    """Return the rotary part of a model's config.json as one flat dict, with what stands beside it.

    What stands in the part hides keys of the same name beside it, except the two lengths,
    `max_position_embeddings` and `original_max_position_embeddings`. The second is the first if it is not
    given. Keys that are null are left out.
    config, layer_type: as in `rates_from_config`. Types and numbers of the part are not checked here.
    Raises ValueError for text that is not JSON, a config that is not an object, a `model_type` that is not
    read, and a `rope_scaling` or `rope_parameters` that is neither an object nor null.

    >>> rope_parameters('{"rope_theta": 500, "rope_scaling": {"type": "linear", "factor": 2}}')
    {'rope_theta': 500, 'type': 'linear', 'factor': 2}
    """
    config = read_config(config)
    model = MODEL_TYPES[config.get("model_type", "llama")]
    part = config.pop("rope_parameters", {})
    config = {key: value for key, value in config.items() if key not in ("model_type", "num_hidden_layers")}
    by_layer = nested = {key: value for key, value in part.items() if isinstance(value, dict)}
    for kind, base in zip(model.kinds, model.bases, strict=False):
        scaled = part if not nested and (model.scales_all or kind != model.kinds[0]) else {}
        by_layer = by_layer | {kind: {"rope_theta": config[base]} | nested.get(kind, scaled)}
    if by_layer:  # transformers looks for `truncate` beside the kinds, and for the trained length inside
        beside_kinds = {"truncate": part.get("truncate")} if nested else {}
        part = by_layer[one_of("layer_type", layer_type, by_layer)] | beside_kinds
        config.pop("original_max_position_embeddings", None)
    lengths = ("max_position_embeddings", "original_max_position_embeddings")
    part = part | {name: config[name] for name in lengths if name in config}
    part = {lengths[1]: part.get(lengths[0])} | part
    if "factor" in part and part["factor"] is None:
        part["factor"] = number(part, lengths[0]) / number(part, lengths[1])
    if layer_type == "full_attention" and model.full_head_dim in config:
        part = part | {"head_dim": config[model.full_head_dim]}
    return {key: value for key, value in (config | part).items() if value is not None}


def read_config(config: Config) -> dict:
    """Return the part of the file that is about text, with the defaults of its model type, without nulls.

    The rotary part, if there is one, is called `rope_parameters`.

    >>> read_config('{"model_type": "gemma", "sliding_window": null}')
    {'rope_theta': 10000.0, 'head_dim': 256, 'model_type': 'gemma'}
    """
    given: Any = config
    if isinstance(config, str):
        text = config.strip().rstrip(",")
        try:
            given = json.loads(f"{{{text}}}" if text.startswith('"') else text)
        except json.JSONDecodeError as error:
            raise ValueError(f"config {_OBJECT}; got {text[:60]!r} ({error})") from None
    if not isinstance(given, dict):
        raise ValueError(f"config {_OBJECT}; got {given!r}")
    if isinstance(given.get("text_config"), dict):
        given = {"model_type": given.get("model_type")} | given["text_config"]
    parts = {name: given[name] for name in _PARTS if name in given}
    for name, part in parts.items():
        if not isinstance(part, dict | None):
            raise ValueError(f"{name} {_OBJECT}, or null; got {part!r}")
    if parts:  # a type beside it is something of the file's own
        given = {key: value for key, value in given.items() if key not in (*_PARTS, "type", "rope_type")}
        given["rope_parameters"] = next(filter(None, parts.values()), {})
    if given.get("model_type") is not None:
        given = _with_defaults(given, str(given["model_type"]).removesuffix("_text"))
    elif "num_hidden_layers" in given:
        raise ValueError("model_type must be given in a whole file, 'llama' to read it as Llama's; got none")
    for override in given.get("per_layer_config", {}).values():  # Gemma 4 has one for each global layer
        given = given | {"global_head_dim": override.get("head_dim")}
    return {key: value for key, value in given.items() if value is not None}


def _with_defaults(given, name):
    """The keys of a whole file as the class of its model takes them."""
    if name not in MODEL_TYPES:
        known = f"one of the {len(MODEL_TYPES)} in model_types.toml, or 'llama' if it is read as Llama's"
        raise ValueError(f"model_type must be {known}; got {name!r}")
    model = MODEL_TYPES[name]
    given = {model.aliases.get(key, key): value for key, value in given.items()}
    for keys in model.required.split():
        if not any(map(given.get, keys.split("|"))):
            raise ValueError(f"{keys.replace('|', ' or ')} must be given for {name}; got none")
    if "partial_rotary_factor" not in model.defaults:
        part, share = given.get("rope_parameters"), given.pop("partial_rotary_factor", None)
        given["rope_parameters"] = part and _of_whole_heads(part, share, name)
    return {"rope_theta": 1e4} | model.defaults | given | {"model_type": name}


def _of_whole_heads(part, share, name):
    """A rotary part without the share of a head, which this class ignores; some types' formulas read it."""
    kind, share = part.get("rope_type", part.get("type", "default")), part.get("partial_rotary_factor", share)
    if kind not in ("default", "proportional") and share not in (None, 1):
        raise ValueError(f"partial_rotary_factor must be 1 for {name}; got {share}")
    kinds = {key: _of_whole_heads(each, share, name) for key, each in part.items() if isinstance(each, dict)}
    return part | kinds | {"partial_rotary_factor": share if kind == "proportional" else None}


def head_size(given: dict, d_head: int | None = None) -> tuple[int, int]:
    """Return (columns of a head's queries and keys, how many of them are rotated).

    >>> head_size({"qk_nope_head_dim": 128, "qk_rope_head_dim": 64})
    (192, 64)
    """
    if d_head is None and "qk_nope_head_dim" in given:  # DeepSeek keeps the rotated columns apart
        rotated = even_dimension(given.get("qk_rope_head_dim"), "qk_rope_head_dim")
        return integer("qk_nope_head_dim", given["qk_nope_head_dim"], 0) + rotated, rotated
    d_head = given.get("head_dim") if d_head is None else d_head
    if d_head is None and "num_attention_heads" in given:
        heads = integer("num_attention_heads", given["num_attention_heads"], 1)
        d_head = integer("hidden_size", given.get("hidden_size"), 1) // heads
    d_head = even_dimension(d_head, "d_head")
    share = number(given, "partial_rotary_factor", 1.0)
    if share > 1:
        raise ValueError(f"partial_rotary_factor must be at most 1; got {share}")
    return d_head, even_dimension(int(d_head * share), "d_head · partial_rotary_factor")


def mscale(given: dict, name: str) -> float:
    """Return 0.1 · m · ln s + 1, where the parameter of this name is m: DeepSeek's form of YaRN's factor.

    >>> round(mscale({"factor": 40, "mscale_all_dim": 1.0}, "mscale_all_dim"), 4)
    1.3689
    """
    return 1 + (yarn_attention_factor(number(given, "factor")) - 1) * number(given, name)


def _longrope(given, rotated, base, length):
    """Return each rate divided by its own number, one list up to the trained length and one beyond."""
    trained = number(given, "original_max_position_embeddings", above=1)
    is_long = length is not None and real("length", length, above=0) > trained
    name = "long_factor" if is_long else "short_factor"
    allowed = f"a list of {rotated // 2} numbers > 0, one for each pair"
    divisors = float_array(name, given.get(name), 1, allowed)
    if len(divisors) != rotated // 2 or divisors.min() <= 0:
        raise ValueError(f"{name} must be {allowed}; got {divisors.tolist()}")
    longer = number(given, "factor", number(given, "max_position_embeddings", trained) / trained)
    attention_factor = math.sqrt(1 + math.log(max(longer, 1)) / math.log(trained))
    return angle_rates(rotated, base=base) / divisors, number(given, "attention_factor", attention_factor)


def number(given: dict, name: str, default: float | None = None, above: float = 0) -> float:
    """Return a parameter as a float if it is a finite number greater than `above`.

    >>> number({"factor": 8}, "factor")
    8.0
    """
    return real(name, given.get(name, default), above)
