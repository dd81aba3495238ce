"""Whole config.json files, layer by layer, against the classes and the attention of transformers.

Nothing is downloaded: data/model_configs/ has what published files say about positions, layers and heads.
"""

import ast
import importlib
import inspect
import json

import numpy as np
import pytest
import torch
from transformers import CONFIG_MAPPING, AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

from pe_helpers import angle_rates, layers_from_config, rates_from_config
from pe_helpers.encodings import model_config, rope_config
from pe_helpers.encodings.model_types import MODEL_TYPES
from tools.course import ROOT

CONFIGS = ROOT / "data" / "model_configs"
YARN_40 = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096}
YARN_40 |= {"beta_fast": 32, "beta_slow": 1}


def file(name):
    return json.loads((CONFIGS / f"{name}.json").read_text())


def shape(model_type, layers, hidden, heads, **more):
    sizes = {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads}
    return {"model_type": model_type, **sizes, **more}


def without(config, keys):
    return {key: value for key, value in config.items() if key not in keys.split()}


PUBLISHED = {path.stem: file(path.stem) for path in sorted(CONFIGS.glob("*.json"))}
GEMMA_3, PHI = file("gemma-3-4b"), file("phi-4-mini")
BASES = {"full_attention": {"rope_theta": 1e6, "rope_type": "linear", "factor": 8.0}}
BASES |= {"sliding_attention": {"rope_theta": 1e4, "rope_type": "default"}}
VARIANTS = {  # no published files: another style, or what no published file switches on
    "deepseek_v3, a ratio of mscales": shape(
        "deepseek_v3", 4, 256, 2, rope_scaling={**YARN_40, "mscale": 1.0, "mscale_all_dim": 0.707}
    ),
    "gemma-3-4b, much left out": {
        "model_type": "gemma3",
        "text_config": without(GEMMA_3, "max_position_embeddings num_attention_heads"),
    },
    "gemma-3-1b, new style": {
        **without(file("gemma-3-1b"), "sliding_window_pattern rope_theta rope_local_base_freq rope_scaling"),
        "layer_types": file("embeddinggemma")["layer_types"] + ["sliding_attention"] * 2,
        "rope_parameters": BASES,
    },
    "llama-4-maverick, whole": {"model_type": "llama4", "text_config": file("llama-4-maverick")},
    "modernbert-base, longer": shape(
        "modernbert", 22, 768, 12, local_attention=128, rope_scaling={"rope_type": "linear", "factor": 4.0}
    ),
    "phi-4-mini, with its window": PHI | {"sliding_window": 262144},
    "phi-4-mini, two lengths": {  # of which the one outside counts
        **PHI,
        "rope_scaling": {**PHI["rope_scaling"], "original_max_position_embeddings": 8192},
    },
    "qwen2, upper layers slide": shape(
        "qwen2", 6, 256, 2, max_window_layers=4, sliding_window=64, use_sliding_window=True, rope_theta=1e6
    ),
}
FILES = PUBLISHED | VARIANTS


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
    kind = model_class(config, "Attention")
    try:
        with torch.device("meta"):
            return kind(config, layer)
    except TypeError as error:
        error.add_note(
            f"Does {kind.__name__} want more than (config, layer)? Give it that in `attention_of`."
        )
        raise


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
    names = ("qk_head_dim", "head_dim", "head_size")
    return next(getattr(attention, name) for name in names if hasattr(attention, name))


def window_of(config, attention, layer_type):
    """The keys that a query sees, from what the attention and the masks use."""
    if layer_type == "chunked_attention":
        return config.attention_chunk_size
    if layer_type not in (None, "sliding_attention"):
        return None
    window = getattr(attention, "sliding_window", None) or getattr(config, "sliding_window", None)
    is_encoder = config.model_type == "modernbert" or getattr(config, "use_bidirectional_attention", False)
    return 2 * window - 1 if window and is_encoder else window  # on both sides, the distances below it


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
        if MODEL_TYPES[config.model_type.removesuffix("_text")].not_rotated:
            has_positions = layer_type == "sliding_attention"
        rates, factor = expected[layer_type] if has_positions else (np.empty(0), 1.0)
        assert layer.rates.dtype == float
        np.testing.assert_allclose(layer.rates, rates, rtol=2e-4, atol=0)
        assert np.isclose(layer.attention_factor, factor)
        scale = scaling(config, attention) / scaling_without_positions(config, attention)
        assert np.isclose(layer.logit_factor, layer.attention_factor**2 * scale)
        assert layer.d_head == head_size(attention)
        assert layer.window == window_of(config, attention, layer_type)


def check_or_refused(raw, named=""):
    """What is read is as in the class, or the file is refused, by the name of a key."""
    try:
        layers = layers_from_config(raw)
    except ValueError as error:
        assert f"{named} must be " in str(error)
    else:
        check(text_config(raw), layers)


@pytest.mark.parametrize("name", FILES)
def test_published_files_are_read_as_the_model_reads_them(name):
    raw = FILES[name]
    config = text_config(json.loads(json.dumps(raw)))
    check(config, layers_from_config(json.dumps(raw)))
    check(config, layers_from_config(config.to_dict()))


@pytest.mark.parametrize("name", FILES)
def test_what_a_file_leaves_out_is_the_default_of_its_class_or_is_named(name):
    for key in set(FILES[name].get("text_config", FILES[name])) - {"model_type"}:
        if (name, key) == ("ministral-8b", "head_dim"):
            continue  # its attention cannot be made without
        raw = json.loads(json.dumps(FILES[name]))
        del raw.get("text_config", raw)[key]
        check_or_refused(raw)


@pytest.mark.parametrize("model_type", sorted(set(MODEL_TYPES) - {"glm4_moe"}))
def test_classes_are_read_as_they_ship(model_type):
    config = CONFIG_MAPPING[class_name(model_type)]()
    if model_type == "ministral":
        config.head_dim = 128  # its attention cannot be made without
    check(config, layers_from_config(config.to_json_string()))


def without_everywhere(part, keys):
    """The dict without these keys, in the dicts inside it, too."""
    inside = {key: without_everywhere(value, keys) for key, value in part.items() if isinstance(value, dict)}
    return {key: value for key, value in (part | inside).items() if key not in keys}


@pytest.mark.parametrize("model_type", sorted(set(MODEL_TYPES) - {"glm4_moe", "ministral"}))
def test_a_file_with_its_sizes_and_what_its_row_requires_is_read_as_its_class(model_type):
    """So each default of a row is that of the class."""
    known, row = CONFIG_MAPPING[class_name(model_type)]().to_dict(), MODEL_TYPES[model_type]
    sizes = "num_hidden_layers hidden_size num_attention_heads max_position_embeddings linear_key_head_dim"
    names = {*sizes.split(), "sliding_window", "local_attention", *row.required.replace("|", " ").split()}
    raw = without_everywhere({name: known[name] for name in names & known.keys()}, row.defaults)
    if set(raw.get("layer_types", [])) == {"full_attention"} and known.get("sliding_window"):
        raw["layer_types"][::2] = ["sliding_attention"] * len(
            raw["layer_types"][::2]
        )  # else no window is read
    raw |= {"model_type": class_name(model_type)}
    check(text_config(json.loads(json.dumps(raw))), layers_from_config(raw))


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
# M-RoPE's, of 8 pairs, or of 2 where a quarter of the head is rotated
SECTIONS = {name: [2, 3, 3] for name in ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")}
SECTIONS |= {name: [1, 1, 0] for name in ("qwen3_5", "qwen3_5_moe")}
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
    if model_type in SECTIONS:
        sections = {"rope_type": "default", "mrope_section": SECTIONS[model_type]}
        more = {"rope_parameters": sections, **more}
    return known(**{name: value for name, value in TINY.items() if name in names}, **more)


LARGE = "deepseek_v4", "evolla", "phi4_multimodal"  # what they have beside the text takes ten seconds each
SMALL = [pytest.param(name, {}, id=name) for name in MODEL_TYPES if name not in LARGE]
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
    "mscale_all_dim in GLM": (
        "glm4_moe_lite",
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
    layers = layers_from_config(PUBLISHED["deepseek-v3"])
    assert {round(layer.logit_factor, 3) for layer in layers} == {1.874}
    assert {(layer.attention_factor, layer.d_head, len(layer.rates)) for layer in layers} == {(1.0, 192, 32)}

    layers = layers_from_config(PUBLISHED["command-r7b"])
    assert [len(layer.rates) for layer in layers[:4]] == [64, 64, 64, 0]
    assert [layer.window for layer in layers[:4]] == [4096, 4096, 4096, None]

    layers = layers_from_config(PUBLISHED["gemma-3-4b"])
    assert np.array_equal(layers[0].rates, angle_rates(256))
    assert np.array_equal(layers[5].rates, angle_rates(256, base=1e6) / 8)

    still = layers_from_config(PUBLISHED["gemma-4"])[4].rates == 0
    assert still.sum() == 192 and still[64:].all()

    compressed = [layer.layer_type for layer in layers_from_config(PUBLISHED["deepseek-v4-flash"])]
    assert compressed[:4] == ["sliding_attention"] * 2 + [
        "compressed_sparse_attention",
        "heavily_compressed_attention",
    ]


@pytest.mark.parametrize(("length", "factor"), [(None, 1), (8191, 1), (8192, 1 + 0.1 * np.log(2))])
def test_the_temperature_of_llama_4_is_that_of_the_last_query(length, factor):
    layers = layers_from_config(PUBLISHED["llama-4-scout"], length)
    assert [layer.logit_factor for layer in layers[:4]] == [1, 1, 1, factor]
    assert [len(layer.rates) for layer in layers[:4]] == [64, 64, 64, 0]


def test_long_texts_have_the_long_factors():
    raw = PUBLISHED["phi-4-mini"]
    config = text_config(json.loads(json.dumps(raw)))
    module = model_class(config, "RotaryEmbedding")(config)
    for length in (4096, 4097):
        module(torch.zeros(1), torch.arange(length)[None])
        for layer in layers_from_config(raw, length):
            np.testing.assert_allclose(layer.rates, module.inv_freq.numpy(), rtol=2e-4)


def test_one_kind_of_layer_can_be_asked_for():
    for layer_type, layer in [("sliding_attention", 0), ("full_attention", 5)]:
        rates, factor = rates_from_config(PUBLISHED["gemma-3-4b"], layer_type=layer_type)
        assert np.array_equal(rates, layers_from_config(PUBLISHED["gemma-3-4b"])[layer].rates) and factor == 1


@pytest.mark.parametrize("module", [rope_config, model_config])
def test_what_differs_between_types_stands_in_the_table(module):
    """The readers name no type but Llama, as which a file without a type is read."""
    nodes = ast.walk(ast.parse(inspect.getsource(module)))
    assert MODEL_TYPES.keys() & {node.value for node in nodes if isinstance(node, ast.Constant)} <= {"llama"}


def rotary_configs():
    """The configurations of all classes whose module has a rotary embedding that can be made, by type."""
    found = {}
    for name in CONFIG_MAPPING:
        try:
            config = CONFIG_MAPPING[name]().get_text_config()
            model_class(config, "RotaryEmbedding")(config)
        except Exception:  # another library is missing, or the class has no default; there is no oracle then
            continue
        found[config.model_type] = config
    return found


def test_every_class_with_rotary_positions_is_read_as_it_is_or_refused_by_name():
    read, refused = [], []
    for name, config in rotary_configs().items():
        if name == "ministral":
            config.head_dim = 128  # its attention cannot be made without
        try:
            layers = layers_from_config(config.to_json_string())
        except ValueError as error:
            assert " must be " in str(error) and len(str(error)) < 500
            refused.append(name)
        else:
            check(config, layers)
            read.append(name)
    assert len(read) >= 75 and len(read) + len(refused) >= 187, (len(read), len(refused))


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "gpt_neox", "phi3", "glm4"])
def test_a_part_of_the_head_counts_where_the_class_has_one(model_type):
    raw = {**CONFIG_MAPPING[model_type]().to_dict(), "partial_rotary_factor": 0.5}
    raw["rope_parameters"] = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}
    check(text_config(json.loads(json.dumps(raw))), layers_from_config(raw))


# of the two left out the attention rotates its 64 columns whatever the number of rates is, and fails
@pytest.mark.parametrize("rope_type", ["default", None])
@pytest.mark.parametrize("model_type", sorted(set(MODEL_TYPES) - {"glm4_moe_lite", "mistral4"}))
def test_a_part_of_the_head_in_any_place_is_read_as_the_class_does_or_refused(model_type, rope_type):
    config = CONFIG_MAPPING[class_name(model_type)]()
    if model_type == "ministral":
        config.head_dim = 128  # its attention cannot be made without
    raw = json.loads(json.dumps(config.get_text_config().to_dict()))
    parts = [part for part in raw["rope_parameters"].values() if isinstance(part, dict)]
    for part in parts or [raw["rope_parameters"]]:
        part["partial_rotary_factor"] = 0.5
        if rope_type:
            part["rope_type"] = part["type"] = rope_type
    check_or_refused(raw, "partial_rotary_factor")


def test_the_old_keys_of_gpt_neox_are_read():
    raw = shape("gpt_neox", 2, 64, 2, rotary_pct=0.5, rotary_emb_base=500.0, max_position_embeddings=64)
    check(text_config(dict(raw)), layers_from_config(raw))


@pytest.mark.parametrize("inside", [{}, {"truncate": False}, {"original_max_position_embeddings": 2048}])
@pytest.mark.parametrize("beside", [{}, {"original_max_position_embeddings": 1024}])
def test_what_stands_in_the_part_of_a_kind_of_layer_counts_as_in_transformers(inside, beside):
    yarn = {"rope_type": "yarn", "rope_theta": 5e5, "factor": 4.0, "original_max_position_embeddings": 4096}
    kinds = {
        "full_attention": yarn | inside,
        "sliding_attention": {"rope_type": "default", "rope_theta": 5e5},
    }
    raw = shape("olmo3", 4, 128, 2, max_position_embeddings=8192, sliding_window=64, **beside)
    raw["rope_parameters"] = kinds
    check(text_config(json.loads(json.dumps(raw))), layers_from_config(json.dumps(raw)))


def test_a_factor_of_null_is_the_ratio_of_the_lengths():
    yarn = {"rope_type": "yarn", "factor": None, "original_max_position_embeddings": 2048}
    raw = shape("llama", 2, 128, 2, max_position_embeddings=8192, rope_scaling=yarn)
    (layer, _), (known, _) = (
        layers_from_config(raw | {"rope_scaling": yarn | {"factor": factor}}) for factor in (None, 4.0)
    )
    assert np.array_equal(layer.rates, known.rates) and layer.attention_factor == known.attention_factor


@pytest.mark.parametrize("model_type", ["gemma", "gpt_neox", "mixtral", "qwen3_next"])
def test_a_file_without_its_type_is_refused(model_type):
    raw = CONFIG_MAPPING[model_type]().to_dict()
    del raw["model_type"]
    for read in (layers_from_config, rates_from_config):
        with pytest.raises(ValueError, match=r"^model_type must be given"):
            read(raw)


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
    ("rope_parameters", {**FILE, "model_type": "gemma4_text"}),
    ("layer_types", {**FILE, "model_type": "gemma4_text", "rope_parameters": BASES}),
    ("compress_ratios or layer_types", {**FILE, "model_type": "deepseek_v4"}),
    ("compress_ratios", {**FILE, "model_type": "deepseek_v4", "compress_ratios": [0, 4, 128, 7]}),
    ("sliding_window", {**SLIDING, "sliding_window": None}),
    ("sliding_window", {**SLIDING, "sliding_window": 0}),
    ("max_window_layers", {**FILE, "use_sliding_window": True, "sliding_window": 8}),
    ("sliding_window_pattern", {**FILE, "sliding_window_pattern": "LLLG"}),
    ("attention_chunk_size", {**FILE, "layer_types": ["chunked_attention"] * 4}),
    ("linear_key_head_dim", {**FILE, "layer_types": ["linear_attention"] * 4}),
    ("no_rope_layers", {**FILE, "no_rope_layers": [1, 0]}),
    ("use_bidirectional_attention", {**SLIDING, "sliding_window": 8, "use_bidirectional_attention": "all"}),
    ("model_type", {key: value for key, value in FILE.items() if key != "model_type"}),
    ("partial_rotary_factor", {**FILE, "partial_rotary_factor": 0.5, "rope_scaling": YARN_40}),
    ("rope_scaling", {**FILE, "rope_scaling": "yarn"}),
    ("mscale_all_dim", {**PUBLISHED["deepseek-v3"], "rope_scaling": {**YARN_40, "mscale_all_dim": "1"}}),
    ("d_head · partial_rotary_factor", shape("glm4_moe", 46, 4096, 96)),  # 21 columns, as its class ships
]


@pytest.mark.parametrize(("key", "config"), BAD)
def test_what_cannot_be_read_is_named(key, config):
    with pytest.raises(ValueError, match=rf"^{key} must be .*; got ") as refused:
        layers_from_config(config)
    assert len(str(refused.value)) < 500
