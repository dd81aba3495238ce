"""What a model's config.json says about the positions of each layer, read as the model's own code reads it.

Oracle: the configuration classes and the attention of each model in `transformers.models`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._arguments import integer, one_of
from .model_types import MODEL_TYPES
from .rope_config import Config, head_size, mscale, number, rates_from_config, read_config, rope_parameters

_KINDS = "full sliding chunked linear indexed compressed_sparse heavily_compressed"
LAYER_TYPES = [f"{kind}_attention" for kind in _KINDS.split()]
_COMPRESSED = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}


class Layer(NamedTuple):
    """What `layers_from_config` says about one layer.

    layer_type: one of `LAYER_TYPES`.
    rates: (pairs,), in radians per position; empty for a layer without rotary positions.
    attention_factor: by which cosines and sines are multiplied.
    logit_factor: by which the part of the logits that comes from rotated columns is multiplied in all; the
        part that comes from the others is multiplied by logit_factor / attention_factor².
    window: the largest number of keys that a query sees, itself included, on both sides in an encoder. None
        means that no key is too far. DeepSeek-V4's compressed layers see far keys in groups.
    d_head: columns of a query or a key; 2 · len(rates) of them are rotated.
    base: the file's, or the type's where the file has none; None for a layer without rotary positions. With
        `rope_scaling` and the like the rates are other than `angle_rates` makes of it.
    """

    layer_type: str
    rates: np.ndarray
    attention_factor: float
    logit_factor: float
    window: int | None
    d_head: int
    base: float | None = None


def layers_from_config(config: Config, length: float | None = None) -> list[Layer]:
    """Return a `Layer` for each layer of the model that a config.json describes.

    config: the whole file, as a dict or JSON text; of a model for several media, its part about text is read.
        Its `model_type` must be given and known.
    length: of the text, in positions. Besides the rates of "dynamic" and "longrope", the temperature of
        Llama 4 (in layers without rotary positions) and of Ministral 3 depends on it: it differs from query
        to query, and `logit_factor` is that of the last one. None means a text that is no longer than the
        trained ones; then the temperature is 1.
    Raises ValueError as `rates_from_config` does, and for layer types, lists and windows that are missing or
    not as described. Of a model that numbers pictures in three counts (M-RoPE) the rates are read, not which
    pair takes which count: in a text the three are equal.
    Source: `transformers.models`, the configuration and attention of each model in `MODEL_TYPES`.

    >>> file = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 2}
    >>> [(layer.layer_type, layer.d_head, len(layer.rates)) for layer in layers_from_config(file)]
    [('full_attention', 8, 4), ('full_attention', 8, 4)]
    """
    config = read_config(config)
    length = None if length is None else integer("length", length, 1)
    model = MODEL_TYPES[config["model_type"]]
    flags = _rotary_flags(config, integer("num_hidden_layers", config.get("num_hidden_layers"), 1))
    types = _layer_types(config, model, flags)
    return [_layer(config, model, *layer, length) for layer in zip(types, flags, strict=True)]


def _layer(config, model, layer_type, is_rotated, length):
    given = rope_parameters(config, model.kinds[layer_type != "sliding_attention"])
    if layer_type == "linear_attention":
        d_head = integer("linear_key_head_dim", given.get("linear_key_head_dim"), 1)
        return Layer(layer_type, np.empty(0), 1.0, 1.0, None, d_head)
    rates, factor, base = np.empty(0), 1.0, None
    if is_rotated and layer_type != model.not_rotated:
        rates, factor = rates_from_config(given, length=length)
        base = number(given, "rope_theta", 10000.0, above=1)
    logit_factor = factor * factor * _scale(given, is_rotated, length)
    window, d_head = _window(config, model, layer_type), head_size(given)[0]
    return Layer(layer_type, rates, factor, logit_factor, window, d_head, base)


def _rotary_flags(config, count):
    """Return for each layer whether it has rotary positions, as far as `no_rope_layers` says so."""
    if config.get("no_rope_layers"):
        return [bool(flag) for flag in _one_a_layer(config, "no_rope_layers", count)]
    every = integer("no_rope_layer_interval", config.get("no_rope_layer_interval", count + 1), 1)
    return [(layer + 1) % every != 0 for layer in range(count)]


def _layer_types(config, model, flags):
    count = len(flags)
    if "layer_types" in config:
        types = _one_a_layer(config, "layer_types", count)
        return [one_of("layer_types", layer_type, LAYER_TYPES) for layer_type in types]
    if "compress_ratios" in config:
        ratios = _one_a_layer(config, "compress_ratios", count)
        return [one_of("compress_ratios", _COMPRESSED.get(ratio, ratio), LAYER_TYPES) for ratio in ratios]
    if "attention_chunk_size" in config:
        return ["chunked_attention" if is_rotated else "full_attention" for is_rotated in flags]
    for name in ("sliding_window_pattern", "full_attention_interval", "global_attn_every_n_layers"):
        if name in config:  # one layer in every so many has full attention, the first or the last of them
            every = integer(name, config[name], 1)
            full = 0 if name == "global_attn_every_n_layers" else every - 1
            other = "linear_attention" if name == "full_attention_interval" else "sliding_attention"
            return ["full_attention" if layer % every == full else other for layer in range(count)]
    if "sliding_window" not in config or config.get("use_sliding_window") is False:
        return [model.layer_type] * count
    if "use_sliding_window" not in config or model.all_slide:
        return ["sliding_attention"] * count
    first = integer("max_window_layers", config.get("max_window_layers"), 0)  # Qwen's upper layers slide
    return ["full_attention" if layer < first else "sliding_attention" for layer in range(count)]


def _one_a_layer(config, name, count):
    values = config.get(name)
    if not isinstance(values, list) or len(values) < count:
        raise ValueError(f"{name} must be a list of {count}, one for each layer; got {values!r}")
    return values[:count]


def _window(config, model, layer_type):
    if layer_type == "chunked_attention":
        return integer("attention_chunk_size", config.get("attention_chunk_size"), 1)
    if layer_type != "sliding_attention":
        return None
    window = integer(model.window, config.get(model.window), 1)
    if config.get("use_bidirectional_attention") == "all":
        raise ValueError("use_bidirectional_attention must be true, false or 'vision'; got 'all'")
    is_two_sided = model.two_sided is True or config.get(model.two_sided)
    return 2 * (window // 2) + 1 if is_two_sided else window


def _scale(given, is_rotated, length):
    """Return by what the logits are multiplied, besides by the cosines and sines."""
    if "attention_multiplier" in given:  # Granite: in the place of 1 / √d_head
        return number(given, "attention_multiplier") * math.sqrt(head_size(given)[0])
    if "qk_nope_head_dim" in given and given.get("mscale_all_dim"):  # DeepSeek-V2 and V3
        return mscale(given, "mscale_all_dim") ** 2
    if length and "llama_4_scaling_beta" in given:  # Ministral 3
        periods = (length - 1) // number(given, "original_max_position_embeddings")
        return 1 + number(given, "llama_4_scaling_beta", above=-1) * math.log1p(periods)
    if length and not is_rotated and given.get("attn_temperature_tuning", "floor_scale" in given):  # Llama 4
        return 1 + number(given, "attn_scale") * math.log1p(length // number(given, "floor_scale"))
    return 1.0
