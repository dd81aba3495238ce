"""What differs from one type of model to another in its config.json, in one table: a new type is a new row.

Files leave out what the model's class has by default, and the same fact stands under different keys. The rows
say which; `rope_config` and `model_config` read them and know no model by name. Other types are refused.
"""

from typing import NamedTuple


class ModelType(NamedTuple):
    """A row of `MODEL_TYPES`; what it does not say is as in Llama.

    defaults: keys that a file may leave out, with their values in the class, where Llama's would be wrong.
    required: the keys without which a file is refused, since a row cannot say what the class has instead.
    bases: the keys of two bases, of the layers with a window and of the others, in files without a dict
        for each kind of layer.
    kinds: what these two kinds are called in `rope_parameters`, if not by their layer types.
    scales_all: whether a `rope_scaling` without kinds is also about the layers with a window.
    full_head_dim: the key of the columns of a head in layers of full attention, if not `head_dim`.
    not_rotated: the layer type without rotary positions.
    window: the key of the window.
    two_sided: whether half of the window is on either side: True, or the key that says so.
    all_slide: whether all layers have the window; else the first `max_window_layers` see all keys.
    """

    defaults: dict
    required: str = ""
    bases: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    scales_all: bool = False
    full_head_dim: str = ""
    not_rotated: str = ""
    window: str = "sliding_window"
    two_sided: bool | str = False
    all_slide: bool = False


_DEEPSEEK_V4 = {"head_dim": 512, "partial_rotary_factor": 0.125, "attention_factor": 1.0}
_QWEN = {"use_sliding_window": False, "sliding_window": 4096}
_ROWS = {  # types that do the same share a row
    "cohere2": ModelType({"sliding_window_pattern": 4}, not_rotated="full_attention"),
    "deepseek_v2 deepseek_v3": ModelType({"qk_nope_head_dim": 128, "qk_rope_head_dim": 64}),
    "deepseek_v4": ModelType(
        {**_DEEPSEEK_V4, "compress_rope_theta": 1.6e5},
        required="compress_ratios",
        bases=("rope_theta", "compress_rope_theta"),
        kinds=("main", "compress"),
    ),
    "gemma": ModelType({"head_dim": 256}),
    "gemma2": ModelType({"head_dim": 256, "sliding_window_pattern": 2}),
    "gemma3": ModelType(
        {"head_dim": 256, "rope_theta": 1e6, "rope_local_base_freq": 1e4, "sliding_window_pattern": 6},
        bases=("rope_local_base_freq", "rope_theta"),
        two_sided="use_bidirectional_attention",
    ),
    "gemma4": ModelType(
        {"head_dim": 256, "global_head_dim": 512},
        required="layer_types rope_parameters",
        full_head_dim="global_head_dim",
    ),
    "glm glm4 glm4_moe": ModelType({"partial_rotary_factor": 0.5}),
    "glm4_moe_lite": ModelType({"qk_nope_head_dim": 192, "qk_rope_head_dim": 64}),
    "gpt_oss": ModelType(
        {"head_dim": 64, "rope_theta": 1.5e5, "sliding_window_pattern": 2}, required="rope_parameters"
    ),
    "llama olmo2": ModelType({}),
    "llama4": ModelType({"rope_theta": 5e5, "no_rope_layer_interval": 4, "attention_chunk_size": 8192}),
    "ministral mistral": ModelType({"sliding_window": 4096}),
    "ministral3": ModelType({}, required="rope_parameters"),
    "mixtral": ModelType({"rope_theta": 1e6}),
    "modernbert": ModelType(
        {"global_rope_theta": 1.6e5, "local_rope_theta": 1e4, "global_attn_every_n_layers": 3},
        bases=("local_rope_theta", "global_rope_theta"),
        scales_all=True,
        window="local_attention",
        two_sided=True,
    ),
    "olmo3": ModelType({"rope_theta": 5e5, "sliding_window_pattern": 4}, bases=("rope_theta", "rope_theta")),
    "phi3": ModelType({"original_max_position_embeddings": 4096}),
    "qwen2 qwen3": ModelType(_QWEN),
    "qwen2_vl qwen2_5_vl": ModelType({**_QWEN, "rope_theta": 1e6, "mrope_section": [16, 24, 24]}),
    "qwen3_moe": ModelType(_QWEN, all_slide=True),
    "qwen3_next": ModelType({"head_dim": 256, "partial_rotary_factor": 0.25, "full_attention_interval": 4}),
    "smollm3": ModelType({"rope_theta": 2e6, "use_sliding_window": False, "no_rope_layer_interval": 4}),
}
MODEL_TYPES = {name: row for names, row in _ROWS.items() for name in names.split()}
