"""What notebook 08 says about models holds in the transformers library."""

import pytest
import torch

transformers = pytest.importorskip("transformers")

from transformers.models.cohere.modeling_cohere import rotate_half as cohere  # noqa: E402
from transformers.models.gptj.modeling_gptj import rotate_every_two as gpt_j  # noqa: E402
from transformers.models.llama.modeling_llama import rotate_half as llama  # noqa: E402
from transformers.models.qwen2.modeling_qwen2 import rotate_half as qwen  # noqa: E402

NEIGHBOURS, HALVES = [-2.0, 1.0, -4.0, 3.0], [-3.0, -4.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "quarter_turn, expected", [(llama, HALVES), (qwen, HALVES), (cohere, NEIGHBOURS), (gpt_j, NEIGHBOURS)]
)
def test_which_columns_are_a_pair(quarter_turn, expected):
    columns = torch.tensor([1.0, 2.0, 3.0, 4.0]).reshape(1, 1, 1, 4)
    assert quarter_turn(columns).flatten().tolist() == expected


def test_gpt_neox_20b_rotates_a_quarter():
    assert transformers.GPTNeoXConfig().rope_parameters["partial_rotary_factor"] == 0.25


@pytest.mark.parametrize("name", ["llama", "qwen3", "gemma3_text", "deepseek_v3"])
def test_families_that_use_rotary(name):
    assert transformers.CONFIG_MAPPING[name]().rope_parameters
