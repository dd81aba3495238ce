"""Whole config.json files, layer by layer, against the classes and the attention of transformers.

`PUBLISHED` holds what published files say about positions, layers and heads, shortened to that, in the old
and the new style. The comment says which file. Nothing is downloaded.
"""

import importlib
import json

import numpy as np
import pytest
import torch
from transformers import CONFIG_MAPPING, AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

from pe_helpers import angle_rates, layers_from_config, rates_from_config
from pe_helpers.encodings.rope_config import MODEL_TYPES

LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_type": "llama3"}
LLAMA3["original_max_position_embeddings"] = 8192
YARN_40 = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096}
YARN_40 |= {"beta_fast": 32, "beta_slow": 1}
LONG = [1.118320672**pair for pair in range(31)] + [32.03, 32.1, 32.13, 32.23, 32.6, 32.61, 32.64, 32.66]
LONG += [32.7, 32.71, 32.93, 32.97, 33.28, 33.49, 33.5, 44.16, 47.77]


def shape(model_type, layers, hidden, heads, **more):
    sizes = {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads}
    return {"model_type": model_type, **sizes, **more}


def kinds(layers, every, other="sliding_attention"):
    """Every n-th layer has full attention, the others another one."""
    return ["full_attention" if (layer + 1) % every == 0 else other for layer in range(layers)]


PUBLISHED = {
    "Llama 3.1 8B": shape(
        "llama", 32, 4096, 32, max_position_embeddings=131072, rope_theta=500000.0, rope_scaling=LLAMA3
    ),
    "Llama 3.2 1B": shape(
        "llama",
        16,
        2048,
        32,
        head_dim=64,
        max_position_embeddings=131072,
        rope_theta=500000.0,
        rope_scaling={**LLAMA3, "factor": 32.0},
    ),
    "DeepSeek-Coder 6.7B": shape(
        "llama",
        32,
        4096,
        32,
        max_position_embeddings=16384,
        rope_theta=100000,
        rope_scaling={"factor": 4.0, "type": "linear"},
    ),
    "Llama 4 Scout": {
        "model_type": "llama4",
        "text_config": shape(
            "llama4_text",
            48,
            5120,
            40,
            head_dim=128,
            attention_chunk_size=8192,
            attn_scale=0.1,
            attn_temperature_tuning=True,
            floor_scale=8192,
            max_position_embeddings=10485760,
            no_rope_layers=[],
            rope_theta=500000.0,
            rope_scaling={**LLAMA3, "factor": 16.0, "high_freq_factor": 1.0},
        ),
    },
    "Llama 4 Maverick": {
        "model_type": "llama4",
        "text_config": shape(
            "llama4_text",
            48,
            5120,
            40,
            head_dim=128,
            attention_chunk_size=8192,
            max_position_embeddings=1048576,
            no_rope_layers=[1, 1, 1, 0] * 12,
            rope_theta=500000.0,
            rope_scaling=None,
        ),
    },
    "Gemma 2 9B": shape(
        "gemma2",
        42,
        3584,
        16,
        head_dim=256,
        query_pre_attn_scalar=256,
        sliding_window=4096,
        rope_theta=10000.0,
    ),
    "Gemma 3 1B": shape(
        "gemma3_text",
        26,
        1152,
        4,
        head_dim=256,
        rope_theta=1000000,
        rope_local_base_freq=10000,
        rope_scaling=None,
        sliding_window=512,
        sliding_window_pattern=6,
        max_position_embeddings=32768,
    ),
    "Gemma 3 4B": {  # much is left out here
        "model_type": "gemma3",
        "text_config": {
            "hidden_size": 2560,
            "model_type": "gemma3_text",
            "num_hidden_layers": 34,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
            "sliding_window": 1024,
        },
    },
    "Gemma 3, new style": shape(
        "gemma3_text",
        26,
        1152,
        4,
        head_dim=256,
        layer_types=kinds(26, 6),
        sliding_window=512,
        rope_parameters={
            "full_attention": {"rope_theta": 1e6, "rope_type": "linear", "factor": 8.0},
            "sliding_attention": {"rope_theta": 1e4, "rope_type": "default"},
        },
    ),
    "EmbeddingGemma": shape(
        "gemma3_text",
        24,
        768,
        3,
        head_dim=256,
        use_bidirectional_attention=True,
        sliding_window=512,
        rope_theta=1000000.0,
        rope_local_base_freq=10000.0,
        layer_types=kinds(24, 6),
    ),
    "Gemma 4": {
        "model_type": "gemma4",
        "text_config": shape(
            "gemma4_text",
            35,
            1536,
            8,
            head_dim=256,
            global_head_dim=512,
            sliding_window=512,
            layer_types=kinds(35, 5),
            rope_parameters={
                "full_attention": {
                    "partial_rotary_factor": 0.25,
                    "rope_theta": 1000000.0,
                    "rope_type": "proportional",
                },
                "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"},
            },
        ),
    },
    "SmolLM3 3B": shape(
        "smollm3",
        36,
        2048,
        16,
        max_position_embeddings=65536,
        no_rope_layers=[1, 1, 1, 0] * 9,
        no_rope_layer_interval=4,
        layer_types=["full_attention"] * 36,
        rope_theta=5000000.0,
        rope_scaling=None,
        sliding_window=None,
        use_sliding_window=False,
    ),
    "DeepSeek-V2": shape(
        "deepseek_v2",
        60,
        5120,
        128,
        qk_nope_head_dim=128,
        qk_rope_head_dim=64,
        rope_theta=10000,
        max_position_embeddings=163840,
        rope_scaling={**YARN_40, "mscale": 1.0, "mscale_all_dim": 1.0},
    ),
    "DeepSeek-V2-Lite": shape(
        "deepseek_v2",
        27,
        2048,
        16,
        qk_nope_head_dim=128,
        qk_rope_head_dim=64,
        rope_theta=10000,
        max_position_embeddings=163840,
        rope_scaling={**YARN_40, "mscale": 0.707, "mscale_all_dim": 0.707},
    ),
    "DeepSeek-V3": shape(
        "deepseek_v3",
        61,
        7168,
        128,
        qk_nope_head_dim=128,
        qk_rope_head_dim=64,
        rope_theta=10000,
        max_position_embeddings=163840,
        rope_scaling={**YARN_40, "mscale": 1.0, "mscale_all_dim": 1.0},
    ),
    "a ratio of mscales": shape(  # not a published file
        "deepseek_v3",
        4,
        256,
        2,
        rope_theta=10000,
        rope_scaling={**YARN_40, "mscale": 1.0, "mscale_all_dim": 0.707},
    ),
    "DeepSeek-V4-Flash": shape(
        "deepseek_v4",
        43,
        4096,
        64,
        head_dim=512,
        qk_rope_head_dim=64,
        sliding_window=128,
        rope_theta=10000,
        compress_rope_theta=160000,
        compress_ratios=[0, 0, *[4, 128] * 20, 4, 0],
        max_position_embeddings=1048576,
        rope_scaling={**YARN_40, "factor": 16, "original_max_position_embeddings": 65536},
    ),
    "gpt-oss-20b": shape(
        "gpt_oss",
        24,
        2880,
        64,
        head_dim=64,
        sliding_window=128,
        layer_types=["sliding_attention", "full_attention"] * 12,
        max_position_embeddings=131072,
        rope_theta=150000,
        rope_scaling={
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "factor": 32.0,
            "original_max_position_embeddings": 4096,
            "rope_type": "yarn",
            "truncate": False,
        },
    ),
    "Phi-3 mini 4k": shape(
        "phi3",
        32,
        3072,
        32,
        max_position_embeddings=4096,
        original_max_position_embeddings=4096,
        rope_theta=10000.0,
        rope_scaling=None,
        sliding_window=2047,
    ),
    "Phi-4 mini": shape(
        "phi3",
        32,
        3072,
        24,
        max_position_embeddings=131072,
        original_max_position_embeddings=4096,
        partial_rotary_factor=0.75,
        rope_theta=10000.0,
        sliding_window=262144,
        rope_scaling={"long_factor": LONG, "short_factor": [1.0] * 48, "type": "longrope"},
    ),
    "GLM-4 9B": shape(
        "glm", 40, 4096, 32, head_dim=128, partial_rotary_factor=0.5, rope_theta=10000.0, rope_scaling=None
    ),
    "GLM-4-0414 32B": shape(
        "glm4", 61, 6144, 48, head_dim=128, partial_rotary_factor=0.5, rope_theta=10000.0
    ),
    "GLM-4.5": shape(
        "glm4_moe",
        92,
        5120,
        96,
        head_dim=128,
        partial_rotary_factor=0.5,
        rope_theta=1000000,
        rope_scaling=None,
    ),
    "Qwen2.5 7B with YaRN": shape(
        "qwen2",
        28,
        3584,
        28,
        max_position_embeddings=32768,
        max_window_layers=28,
        rope_theta=1000000.0,
        sliding_window=131072,
        use_sliding_window=False,
        rope_scaling={"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"},
    ),
    "Qwen2 with a window": shape(  # the upper layers slide; no published file switches it on
        "qwen2", 6, 256, 2, max_window_layers=4, sliding_window=64, use_sliding_window=True, rope_theta=1e6
    ),
    "Qwen3 8B": shape(
        "qwen3",
        36,
        4096,
        32,
        head_dim=128,
        max_position_embeddings=40960,
        max_window_layers=36,
        rope_theta=1000000,
        rope_scaling=None,
        sliding_window=None,
        use_sliding_window=False,
    ),
    "Qwen3 235B A22B": shape(
        "qwen3_moe",
        94,
        4096,
        64,
        head_dim=128,
        max_position_embeddings=40960,
        max_window_layers=94,
        rope_theta=1000000.0,
        rope_scaling=None,
        sliding_window=None,
        use_sliding_window=False,
    ),
    "Qwen3-Next 80B": shape(
        "qwen3_next",
        48,
        2048,
        16,
        head_dim=256,
        full_attention_interval=4,
        linear_key_head_dim=128,
        max_position_embeddings=262144,
        partial_rotary_factor=0.25,
        rope_theta=10000000,
        rope_scaling=None,
    ),
    "ModernBERT base": shape(
        "modernbert",
        22,
        768,
        12,
        global_attn_every_n_layers=3,
        global_rope_theta=160000.0,
        local_attention=128,
        local_rope_theta=10000.0,
    ),
    "ModernBERT, longer": shape(  # not a published file
        "modernbert", 22, 768, 12, local_attention=128, rope_scaling={"rope_type": "linear", "factor": 4.0}
    ),
    "OLMo 2 7B": shape("olmo2", 32, 4096, 32, rope_theta=500000, rope_scaling=None),
    "Olmo 3 7B": shape(
        "olmo3",
        32,
        4096,
        32,
        layer_types=kinds(32, 4),
        max_position_embeddings=65536,
        rope_theta=500000,
        sliding_window=4096,
        rope_scaling={
            "attention_factor": 1.2079441541679836,
            "beta_fast": 32,
            "beta_slow": 1,
            "factor": 8.0,
            "original_max_position_embeddings": 8192,
            "rope_type": "yarn",
        },
    ),
    "Qwen2-VL 7B": shape(
        "qwen2_vl",
        28,
        3584,
        28,
        max_position_embeddings=32768,
        max_window_layers=28,
        rope_theta=1000000.0,
        sliding_window=32768,
        use_sliding_window=False,
        rope_scaling={"type": "mrope", "mrope_section": [16, 24, 24]},
    ),
    "Qwen2.5-VL 7B": shape(
        "qwen2_5_vl",
        28,
        3584,
        28,
        max_position_embeddings=128000,
        max_window_layers=28,
        rope_theta=1000000.0,
        sliding_window=32768,
        use_sliding_window=False,
        rope_scaling={"type": "mrope", "mrope_section": [16, 24, 24]},
    ),
    "Mistral 7B v0.1": shape("mistral", 32, 4096, 32, rope_theta=10000.0, sliding_window=4096),
    "Mistral 7B v0.3": shape("mistral", 32, 4096, 32, rope_theta=1000000.0, sliding_window=None),
    "Mixtral 8x7B": shape("mixtral", 32, 4096, 32, rope_theta=1000000.0, sliding_window=None),
    "Ministral 8B": shape(  # with alternating windows, as the class for it reads them
        "ministral",
        36,
        4096,
        32,
        head_dim=128,
        rope_theta=100000000.0,
        sliding_window=32768,
        layer_types=["full_attention", *["sliding_attention"] * 3] * 9,
    ),
    "Ministral 3 8B": shape(
        "ministral3",
        34,
        4096,
        32,
        head_dim=128,
        max_position_embeddings=262144,
        sliding_window=None,
        rope_parameters={
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "factor": 16.0,
            "llama_4_scaling_beta": 0.1,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
            "original_max_position_embeddings": 16384,
            "rope_theta": 1000000.0,
            "rope_type": "yarn",
            "type": "yarn",
        },
    ),
    "Command R7B": shape(
        "cohere2",
        32,
        4096,
        32,
        rope_theta=50000,
        rope_scaling=None,
        sliding_window=4096,
        sliding_window_pattern=4,
        max_position_embeddings=8192,
    ),
    "Gemma 7B": shape(
        "gemma",
        28,
        3072,
        16,
        head_dim=256,
        rope_theta=10000.0,
        rope_scaling=None,
        max_position_embeddings=8192,
    ),
}

PHI = PUBLISHED["Phi-4 mini"]  # not a published file: two lengths, of which the one outside counts
INSIDE = {"original_max_position_embeddings": 8192}
PUBLISHED["Phi, two lengths"] = {**PHI, "rope_scaling": {**PHI["rope_scaling"], **INSIDE}}


def class_name(model_type):
    text = f"{model_type}_text"
    return text if text in CONFIG_MAPPING else model_type


def text_config(raw):
    return CONFIG_MAPPING[raw["model_type"]].from_dict(raw).get_text_config()


def model_class(config, ending):
    """The class of the model's own module whose name ends so, without those of other media."""
    module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    own = type(config).__name__.removesuffix("Config")
    names = [own + ending, own.removesuffix("Text") + ending]
    return next(getattr(module, name) for name in names if hasattr(module, name))


def rotary_of(config, layer_type):
    """(rates, factor of cosines and sines) in the model's own rotary module."""
    module = model_class(config, "RotaryEmbedding")(config)
    if config.model_type == "deepseek_v4":
        layer_type = "main" if layer_type == "sliding_attention" else "compress"
    prefix = f"{layer_type}_" if hasattr(module, f"{layer_type}_inv_freq") else ""
    return getattr(module, f"{prefix}inv_freq").numpy(), getattr(module, f"{prefix}attention_scaling")


def attention_of(config, layer):
    with torch.device("meta"):
        return model_class(config, "Attention")(config, layer)


def scaling(config, attention):
    if config.model_type == "modernbert":
        return attention.head_dim**-0.5
    return attention.scaling


def scaling_without_positions(config, attention):
    if config.model_type in ("gemma2", "gemma3_text"):
        return config.query_pre_attn_scalar**-0.5
    if config.model_type == "gemma4_text":
        return 1.0
    return head_size(attention) ** -0.5


def head_size(attention):
    return attention.qk_head_dim if hasattr(attention, "qk_head_dim") else attention.head_dim


def window_of(config, attention, layer_type):
    """The keys that a query sees, from what the attention and the masks use."""
    if layer_type == "chunked_attention":
        return config.attention_chunk_size
    if layer_type not in (None, "sliding_attention"):
        return None
    window = getattr(attention, "sliding_window", None) or getattr(config, "sliding_window", None)
    is_encoder = config.model_type == "modernbert" or getattr(config, "use_bidirectional_attention", False)
    return 2 * window - 1 if is_encoder else window  # on both sides, the distances below it


def check(config, layers):
    types = getattr(config, "layer_types", None) or [None] * config.num_hidden_layers
    assert len(layers) == config.num_hidden_layers == len(types)
    expected = {layer_type: rotary_of(config, layer_type) for layer_type in set(types) - {"linear_attention"}}
    attentions = {layer_type: attention_of(config, types.index(layer_type)) for layer_type in expected}
    for index, (layer_type, layer) in enumerate(zip(types, layers, strict=True)):
        assert layer.layer_type == (layer_type or layer.layer_type)
        if layer_type == "linear_attention":
            assert (layer.rates.size, layer.window, layer.d_head) == (0, None, config.linear_key_head_dim)
            continue
        attention = attentions[layer_type]
        has_positions = not hasattr(config, "no_rope_layers") or config.no_rope_layers[index]
        if config.model_type == "cohere2":
            has_positions = layer_type == "sliding_attention"
        rates, factor = expected[layer_type] if has_positions else (np.empty(0), 1.0)
        assert layer.rates.dtype == float
        np.testing.assert_allclose(layer.rates, rates, rtol=2e-4, atol=0)
        assert np.isclose(layer.attention_factor, factor)
        scale = scaling(config, attention) / scaling_without_positions(config, attention)
        assert np.isclose(layer.logit_factor, layer.attention_factor**2 * scale)
        assert layer.d_head == head_size(attention)
        assert layer.window == window_of(config, attention, layer_type)
        sections = getattr(model_class(config, "RotaryEmbedding")(config), "mrope_section", None)
        assert layer.sections == (sections and tuple(sections))


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_files_are_read_as_the_model_reads_them(name):
    raw = PUBLISHED[name]
    config = text_config(json.loads(json.dumps(raw)))
    check(config, layers_from_config(json.dumps(raw)))
    check(config, layers_from_config(config.to_dict()))


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_a_file_leaves_out_is_the_default_of_its_class_or_is_named(name):
    for key in set(PUBLISHED[name].get("text_config", PUBLISHED[name])) - {"model_type"}:
        if (name, key) == ("Ministral 8B", "head_dim"):
            continue  # its attention cannot be made without
        raw = json.loads(json.dumps(PUBLISHED[name]))
        del raw.get("text_config", raw)[key]
        try:
            layers = layers_from_config(raw)
        except ValueError as error:
            assert " must be " in str(error)
        else:
            check(text_config(raw), layers)


@pytest.mark.parametrize("model_type", sorted(set(MODEL_TYPES) - {"glm4_moe"}))
def test_classes_are_read_as_they_ship(model_type):
    config = CONFIG_MAPPING[class_name(model_type)]()
    if model_type == "ministral":
        config.head_dim = 128  # its attention cannot be made without
    check(config, layers_from_config(config.to_json_string()))


TINY = {"vocab_size": 8, "hidden_size": 32, "intermediate_size": 16, "num_hidden_layers": 4, "head_dim": 16}
TINY |= {"num_attention_heads": 2, "num_key_value_heads": 2, "pad_token_id": 0, "sliding_window": 6}
TINY |= {
    "max_position_embeddings": 64,
    "attention_chunk_size": 6,
    "local_attention": 6,
    "use_sliding_window": True,
}
TINY |= {"num_local_experts": 2, "num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 8}
TINY |= {"qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 8, "kv_lora_rank": 8, "q_lora_rank": 8}
TINY |= {"first_k_dense_replace": 4, "mlp_only_layers": [0, 1, 2, 3], "decoder_sparse_step": 1}
TINY |= {"intermediate_size_mlp": 16, "moe_layers": [], "floor_scale": 4, "max_window_layers": 2}
TINY |= {"linear_num_key_heads": 2, "linear_num_value_heads": 2, "linear_key_head_dim": 8}
TINY |= {"linear_value_head_dim": 8, "hidden_size_per_layer_input": 0, "global_head_dim": 32}
LENGTH = 16


def logits_and_masks(config):
    """Layer by layer, from the model's own code: the logits of one head and which keys are seen, (L, L).

    All tokens are the same, and attention gives nothing back. So queries and keys differ between places only
    by what positions do to them.
    """
    recorded = {}

    def record(module, query, key, value, attention_mask, scaling=None, **_):
        logits = query[0, 0] @ key[0, 0].mT * scaling
        seen = torch.ones(LENGTH, LENGTH) if attention_mask is None else attention_mask[0, 0] == 0
        recorded[module.layer_idx] = logits.numpy(), seen.numpy()
        return torch.zeros(1, LENGTH, query.shape[1], value.shape[-1]), None

    AttentionInterface.register("record", record)
    AttentionMaskInterface.register("record", eager_mask)
    torch.manual_seed(0)
    config._attn_implementation = "record"
    model = model_class(config, "Model")(config).eval()
    for name, parameter in model.named_parameters():
        if "linear_attn.out_proj" in name:
            parameter.data.zero_()
    with torch.no_grad():
        model(input_ids=torch.full((1, LENGTH), 3))
    return [recorded.get(layer) for layer in range(config.num_hidden_layers)]


def tiny(model_type, **more):
    known = CONFIG_MAPPING[class_name(model_type)]
    names = set(known().to_dict())
    if model_type == "gemma4":
        names.add("global_head_dim")
    if model_type.startswith("deepseek"):
        names.remove("head_dim")
    if model_type in ("qwen2_vl", "qwen2_5_vl"):
        more = {"rope_parameters": {"rope_type": "default", "mrope_section": [2, 3, 3]}, **more}
    return known(**{name: value for name, value in TINY.items() if name in names}, **more)


SMALL = [pytest.param(name, {}, id=name) for name in MODEL_TYPES if name != "deepseek_v4"]
SMALL.append(pytest.param("gemma3", {"use_bidirectional_attention": True}, id="gemma3-encoder"))


@pytest.mark.parametrize(("model_type", "more"), SMALL)
def test_a_small_model_uses_positions_and_windows_as_read(model_type, more):
    config = tiny(model_type, **more)
    check(config, layers_from_config(config.to_dict()))
    for layer, recorded in zip(layers_from_config(config.to_dict()), logits_and_masks(config), strict=True):
        if layer.layer_type == "linear_attention":
            assert recorded is None
            continue
        logits, seen = recorded
        assert seen.sum(1).max() == (layer.window or LENGTH)
        sees_no_place = np.allclose(logits, logits[:, :1], rtol=1e-4)  # a query finds all keys alike
        assert sees_no_place == (not len(layer.rates))


PLAIN = {"rope_type": "default", "rope_theta": 1e4}
YARN = {**PLAIN, "rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 8}
BY_LAYER = {"full_attention": YARN, "sliding_attention": PLAIN}
SCALED = {
    "yarn": ("llama", {"rope_parameters": YARN}, {}),
    "mscale_all_dim": (
        "deepseek_v3",
        {"rope_parameters": {**YARN, "mscale": 1.0, "mscale_all_dim": 1.0}},
        {},
    ),
    "mscale of another model": (
        "llama",
        {"rope_parameters": {**YARN, "mscale": 1.0, "mscale_all_dim": 0.7}},
        {},
    ),
    "by layer": ("olmo3", {"rope_parameters": BY_LAYER}, {"rope_parameters": dict.fromkeys(BY_LAYER, PLAIN)}),
    "Llama 4": ("llama4", {"attn_scale": 0.3}, {"attn_temperature_tuning": False}),
    "Ministral 3": ("ministral3", {"rope_parameters": {**YARN, "llama_4_scaling_beta": 0.3}}, {}),
}


@pytest.mark.parametrize("name", SCALED)
def test_a_small_model_multiplies_its_logits_as_read(name):
    model_type, more, without = SCALED[name]
    plain = {**PLAIN, "original_max_position_embeddings": 8, "llama_4_scaling_beta": 0.0}
    plain = plain if model_type == "ministral3" else PLAIN
    config = tiny(model_type, **json.loads(json.dumps(more)))
    layers = layers_from_config(config.to_dict(), LENGTH)
    multiplied = logits_and_masks(config)
    once = logits_and_masks(tiny(model_type, **json.loads(json.dumps({"rope_parameters": plain} | without))))
    assert any(layer.logit_factor > 1.1 for layer in layers)
    for layer, (theirs, _), (before, _) in zip(layers, multiplied, once, strict=True):
        assert np.isclose(theirs[-1, -1] / before[-1, -1], layer.logit_factor, rtol=1e-4)


def test_known_numbers():
    layers = layers_from_config(PUBLISHED["DeepSeek-V3"])
    assert {round(layer.logit_factor, 3) for layer in layers} == {1.874}
    assert {(layer.attention_factor, layer.d_head, len(layer.rates)) for layer in layers} == {(1.0, 192, 32)}

    layers = layers_from_config(PUBLISHED["Command R7B"])
    assert [len(layer.rates) for layer in layers[:4]] == [64, 64, 64, 0]
    assert [layer.window for layer in layers[:4]] == [4096, 4096, 4096, None]

    layers = layers_from_config(PUBLISHED["Gemma 3 4B"])
    assert np.array_equal(layers[0].rates, angle_rates(256))
    assert np.array_equal(layers[5].rates, angle_rates(256, base=1e6) / 8)

    still = layers_from_config(PUBLISHED["Gemma 4"])[4].rates == 0
    assert still.sum() == 192 and still[64:].all()

    compressed = [layer.layer_type for layer in layers_from_config(PUBLISHED["DeepSeek-V4-Flash"])]
    assert compressed[:4] == ["sliding_attention"] * 2 + [
        "compressed_sparse_attention",
        "heavily_compressed_attention",
    ]


@pytest.mark.parametrize(("length", "factor"), [(None, 1), (8191, 1), (8192, 1 + 0.1 * np.log(2))])
def test_the_temperature_of_llama_4_is_that_of_the_last_query(length, factor):
    layers = layers_from_config(PUBLISHED["Llama 4 Scout"], length)
    assert [layer.logit_factor for layer in layers[:4]] == [1, 1, 1, factor]
    assert [len(layer.rates) for layer in layers[:4]] == [64, 64, 64, 0]


def test_long_texts_have_the_long_factors():
    raw = PUBLISHED["Phi-4 mini"]
    config = text_config(json.loads(json.dumps(raw)))
    module = model_class(config, "RotaryEmbedding")(config)
    for length in (4096, 4097):
        module(torch.zeros(1), torch.arange(length)[None])
        for layer in layers_from_config(raw, length):
            np.testing.assert_allclose(layer.rates, module.inv_freq.numpy(), rtol=2e-4)


def test_one_kind_of_layer_can_be_asked_for():
    for layer_type, layer in [("sliding_attention", 0), ("full_attention", 5)]:
        rates, factor = rates_from_config(PUBLISHED["Gemma 3 4B"], layer_type=layer_type)
        assert np.array_equal(rates, layers_from_config(PUBLISHED["Gemma 3 4B"])[layer].rates) and factor == 1


FILE = shape("qwen2", 4, 64, 4, rope_theta=500.0)
SLIDING = {**FILE, "layer_types": ["sliding_attention"] * 4}
BAD = [
    ("num_hidden_layers", {**FILE, "num_hidden_layers": None}),
    ("d_head", {**FILE, "num_attention_heads": None}),
    ("hidden_size", {**FILE, "hidden_size": "64"}),
    ("model_type", {**FILE, "model_type": "t5"}),
    ("model_type", {"model_type": "idefics", "text_config": FILE | {"model_type": "unheard_of"}}),
    ("layer_types", {**FILE, "layer_types": ["full_attention"] * 3}),
    ("layer_types", {**FILE, "layer_types": ["mamba"] * 4}),
    ("layer_types", {**FILE, "model_type": "gemma4_text"}),
    ("compress_ratios", {**FILE, "model_type": "deepseek_v4"}),
    ("compress_ratios", {**FILE, "model_type": "deepseek_v4", "compress_ratios": [0, 4, 128, 7]}),
    ("sliding_window", {**SLIDING, "sliding_window": None}),
    ("sliding_window", {**SLIDING, "sliding_window": 0}),
    ("max_window_layers", {**FILE, "use_sliding_window": True, "sliding_window": 8}),
    ("sliding_window_pattern", {**FILE, "sliding_window_pattern": "LLLG"}),
    ("attention_chunk_size", {**FILE, "layer_types": ["chunked_attention"] * 4}),
    ("linear_key_head_dim", {**FILE, "layer_types": ["linear_attention"] * 4}),
    ("no_rope_layers", {**FILE, "no_rope_layers": [1, 0]}),
    ("use_bidirectional_attention", {**SLIDING, "sliding_window": 8, "use_bidirectional_attention": "all"}),
    *[("mrope_section", {**FILE, "mrope_section": value}) for value in ([2, 3], 8, [2, 3, "3"])],
    ("mrope_interleaved", {**FILE, "mrope_section": [2, 3, 3], "mrope_interleaved": True}),
    ("mscale_all_dim", {**PUBLISHED["DeepSeek-V3"], "rope_scaling": {**YARN_40, "mscale_all_dim": "1"}}),
    ("d_head · partial_rotary_factor", shape("glm4_moe", 46, 4096, 96)),  # 21 columns, as its class ships
]


@pytest.mark.parametrize(("key", "config"), BAD)
def test_what_cannot_be_read_is_named(key, config):
    with pytest.raises(ValueError, match=rf"^{key} must be .*; got ") as refused:
        layers_from_config(config)
    assert len(str(refused.value)) < 500
