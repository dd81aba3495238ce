"""What differs from one type of model to another in its config.json, in one table: a new type is a new row.

Files leave out what the model's class has by default, and the same fact stands under different keys. The rows
of model_types.toml say which; `rope_config` and `model_config` read them and know no model by name. Other
types are refused.
"""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple


class ModelType(NamedTuple):
    """A row of `MODEL_TYPES`; what it does not say is as in Llama.

    defaults: keys that a file may leave out, with their values in the class, where Llama's would be wrong. A
        part of a head is rotated only if `partial_rotary_factor` is among them: other classes ignore the key.
    aliases: older keys, and what they are called now.
    required: the keys without which a file is refused, since a row cannot say what the class has instead; of
        two with a bar between them one is enough.
    bases: the keys of two bases, of the layers with a window and of the others, in files without a dict
        for each kind of layer.
    kinds: what these two kinds are called in `rope_parameters`.
    scales_all: whether a `rope_scaling` without kinds is also about the layers with a window.
    full_head_dim: the key of the columns of a head in layers of full attention, if not `head_dim`.
    not_rotated: the layer type without rotary positions.
    layer_type: of all layers, where a file doesn't say.
    window: the key of the window.
    two_sided: whether half of the window is on either side: True, or the key that says so.
    all_slide: whether all layers have the window; else the first `max_window_layers` see all keys.
    """

    defaults: dict[str, Any]
    aliases: dict[str, str]
    required: str = ""
    bases: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("sliding_attention", "full_attention")
    scales_all: bool = False
    full_head_dim: str = ""
    not_rotated: str = ""
    layer_type: str = "full_attention"
    window: str = "sliding_window"
    two_sided: bool | str = False
    all_slide: bool = False


_ROWS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["row"]
_NONE: dict[str, dict] = {"defaults": {}, "aliases": {}}
MODEL_TYPES = {name: ModelType(**(_NONE | row)) for row in _ROWS for name in row.pop("types").split()}
