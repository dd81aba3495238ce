"""The configs of notebook 12 are defaults of classes, or files that transformers reads alike."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.conftest import run_notebook
from tools.course import NOTEBOOKS

transformers = pytest.importorskip("transformers")

from pe_helpers import angle_rates, layers_from_config  # noqa: E402
from pe_helpers.models.trained import FOLDER  # noqa: E402
from tests import test_model_configs  # noqa: E402

(TEN,) = (path for path in NOTEBOOKS if path.stem == "12_fourteen_configs")
PLACES = range(14)  # of its files: their names are known when it has run, which no collection should wait for


@pytest.fixture(scope="module")
def files():
    return run_notebook(TEN).names["FILES"]


@pytest.mark.parametrize("name", ["gpt-oss-120b", "ModernBERT base"])  # as transformers ships them
def test_defaults_are_those_of_the_class(files, name):
    known = transformers.CONFIG_MAPPING[files[name]["model_type"]]().to_dict()
    assert {key: known[key] for key in files[name]} == files[name]


@pytest.mark.parametrize("place", PLACES)
def test_layers_are_as_the_model_has_them(files, place):
    assert len(files) == len(PLACES)
    raw = json.loads(json.dumps(list(files.values())[place]))
    config = transformers.CONFIG_MAPPING[raw["model_type"]].from_dict(json.loads(json.dumps(raw)))
    test_model_configs.check(config, layers_from_config(raw))
    assert config.max_position_embeddings == raw["max_position_embeddings"]


def test_what_the_files_leave_to_the_class(files):
    """Section 2 and the doors: DeepSeek-V4's groups, Gemma 3's bases and width of a head."""
    assert "index_topk" not in files["DeepSeek-V4-Flash"]
    assert transformers.CONFIG_MAPPING["deepseek_v4"]().index_topk == 512
    gemma = transformers.CONFIG_MAPPING["gemma3_text"]()
    assert gemma.head_dim == 256
    bases = {kind: known["rope_theta"] for kind, known in gemma.rope_parameters.items()}
    assert bases == {"full_attention": 1_000_000, "sliding_attention": 10_000}


def test_the_groups_of_the_picture_are_as_section_3_says(files):
    """Six files whose base alone makes the rates, seven that slow hands, and Gemma 4, of fast ones alone."""
    names = run_notebook(TEN).names
    for place, name in enumerate(names["NAMES"]):
        takes, span = names["furthest"][name]
        turning = [layer for layer in names["LAYERS"][name] if layer.rates.any()]
        length = files[name]["max_position_embeddings"]
        layer = max(turning, key=lambda each: names["span_of"](each, length))
        slowed = takes / (2 * np.pi / angle_rates(2 * len(takes), base=layer.base))
        assert span == max(names["span_of"](each, length) for each in turning)
        if place < 6:
            assert np.allclose(slowed, 1)
        elif place < 13:
            assert slowed.min() > 0.999 and slowed[-1] > 2
        else:
            assert len(takes) == 64 < layer.d_head // 2 and takes[-1] < span / 1000
    assert len(names["NAMES"]) == len(files) == 14


def test_more_than_half_of_the_rise_without_positions_is_due_to_more_keys_than_in_training():
    """Section 4: in each of three trainings a window of the trained length takes it away."""
    runs = pd.read_csv(FOLDER / "table.csv", comment="#").fillna({"window": 0})
    runs = runs[(runs.scheme == "none") & (runs.steps == 6000) & (runs.length == 1024)]
    loss = runs.set_index(["first", "window", "seed"]).loss.sort_index()
    near, far, far_in_window = loss[64, 0], loss[512, 0], loss[512, 128]
    assert len(near) == 3 and ((far - far_in_window) / (far - near) > 0.5).all()
