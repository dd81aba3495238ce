"""What notebook 08 says about models holds in the transformers library."""

import re

import numpy as np
import pytest
import torch

from pe_helpers import apply_rotary, layout_permutation
from pe_helpers.models import load_trained, pair_norms
from tests.conftest import run_notebook
from tests.driving import live_figures
from tools.course import NOTEBOOKS

transformers = pytest.importorskip("transformers")

from transformers.models.cohere.modeling_cohere import rotate_half as cohere  # noqa: E402
from transformers.models.deepseek_v3.modeling_deepseek_v3 import (  # noqa: E402
    apply_rotary_pos_emb_interleave as deepseek_v3,
)
from transformers.models.gptj.modeling_gptj import rotate_every_two as gpt_j  # noqa: E402
from transformers.models.llama.modeling_llama import rotate_half as llama  # noqa: E402
from transformers.models.llama4.modeling_llama4 import apply_rotary_emb as llama4  # noqa: E402
from transformers.models.qwen2.modeling_qwen2 import rotate_half as qwen  # noqa: E402

NEIGHBOURS, HALVES = [-2.0, 1.0, -4.0, 3.0], [-3.0, -4.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "quarter_turn, expected", [(llama, HALVES), (qwen, HALVES), (cohere, NEIGHBOURS), (gpt_j, NEIGHBOURS)]
)
def test_which_columns_are_a_pair(quarter_turn, expected):
    columns = torch.tensor([1.0, 2.0, 3.0, 4.0]).reshape(1, 1, 1, 4)
    assert quarter_turn(columns).flatten().tolist() == expected


def rotated_by_llama4(x, angle):
    return llama4(x, x, torch.polar(torch.ones(1, 1, 2), angle * torch.ones(1, 1, 2)))[0]


def rotated_by_deepseek_v3(x, angle):
    angles = angle * torch.ones(1, 1, 4)
    return deepseek_v3(x, x, angles.cos(), angles.sin())[0]


@pytest.mark.parametrize("rotate", [rotated_by_llama4, rotated_by_deepseek_v3])
def test_which_columns_are_partners(rotate):
    """A quarter turn takes each column to its partner, whatever the order of the columns that come back."""
    columns = torch.eye(4).reshape(4, 1, 1, 4)
    before, after = (rotate(columns, angle).reshape(4, 4) for angle in (0.0, np.pi / 2))
    quarter_turn = torch.tensor([[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1], [0, 0, -1, 0]])
    assert torch.allclose(after @ before.T, quarter_turn.float(), atol=1e-6)


def test_deepseek_v3_pairs_neighbours_unless_told_otherwise():
    assert transformers.CONFIG_MAPPING["deepseek_v3"]().rope_interleave


def test_gpt_neox_20b_rotates_a_quarter():
    assert transformers.GPTNeoXConfig().rope_parameters["partial_rotary_factor"] == 0.25


@pytest.mark.parametrize("name", ["llama", "qwen3", "gemma3_text", "deepseek_v3"])
def test_families_that_use_rotary(name):
    assert transformers.CONFIG_MAPPING[name]().rope_parameters


def attention_of(name):
    """The first attention of a small model of this family, its two heads with 8 columns each."""
    heads = {"hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8}
    small = {"intermediate_size": 8, "vocab_size": 8, "num_hidden_layers": 1}
    config = transformers.CONFIG_MAPPING[name](**heads, **small)
    return transformers.AutoModel.from_config(config).layers[0].self_attn


def test_biases_and_gains_of_queries_and_keys():
    qwen2, qwen3 = map(attention_of, ("qwen2", "qwen3"))
    assert qwen2.q_proj.bias.shape == qwen2.k_proj.bias.shape == (16,)
    assert qwen3.q_norm.weight.shape == qwen3.k_norm.weight.shape == (8,)  # one for each column of a head


def test_the_cure_for_the_other_layout_needs_biases_and_gains_in_the_same_order():
    d, rng = 64, np.random.default_rng(0)
    words, weights = rng.standard_normal((30, d)), rng.standard_normal((2, d, d)) / d**0.5
    biases, gains = rng.standard_normal((2, 2, d))

    def scores(layout, of_weights, of_biases, of_gains):
        both = words @ weights[:, of_weights].swapaxes(1, 2) + biases[:, None, of_biases]  # (2, 30, d)
        both = both / (both**2).mean(axis=2, keepdims=True) ** 0.5 * gains[:, None, of_gains]
        q, k = (apply_rotary(x, 30, layout=layout) for x in both)
        return q @ k.T

    kept, rows = np.arange(d), np.argsort(layout_permutation(d))
    trained = scores("half", kept, kept, kept)
    assert np.allclose(scores("interleaved", rows, rows, rows), trained)
    for forgotten in ((rows, kept, rows), (rows, rows, kept)):
        assert np.std(scores("interleaved", *forgotten) - trained) > 0.5 * np.std(trained)


@pytest.mark.parametrize("base", [2.0, 100.0, 10_000.0])
def test_a_pairs_part_is_the_wave_that_the_prose_writes(base):
    names = run_notebook(NOTEBOOKS[8]).names
    query, key, offsets = names["query"], names["key"], np.arange(-40, 41)
    rates = base ** (-np.arange(3) / 3)
    angle = np.angle(query) - np.angle(key)  # from the key to the query, anticlockwise, at offset zero
    wave = (abs(query) * abs(key))[:, None] * np.cos(np.outer(rates, offsets) + angle[:, None])
    assert np.allclose(names["parts_at"](offsets, base), wave)


def test_the_titles_say_the_offset_and_what_each_pair_adds_and_stay_when_both_move_on():
    (figure,) = live_figures(NOTEBOOKS[8])
    titles = []
    for both in (0, 30):
        figure.go_to({"m": 8, "both": both, "base": 100})
        titles.append([axes.get_title() for axes in figure.figure.axes])
    *circles, score = titles[0]
    assert score.endswith("at offset 7") and titles[0] == titles[1]
    added = [float(re.search(": (.*)", title)[1].replace("−", "-")) for title in circles]
    assert abs(sum(added) - float(score.split()[1])) < 0.02


def test_the_fast_pairs_cost_far_more_together_than_one_by_one():
    names = run_notebook(NOTEBOOKS[8]).names
    assert names["fast"] > 3 * names["costs"][:8].sum()
    slow = np.rad2deg(127 * names["rates"][8:])  # over the whole text, as the question says
    assert (round(slow[0]), round(slow[-1], 1)) == (73, 1.3)
    assert (slow < 15).sum() > len(slow) / 2  # most of them hardly turn


def test_the_two_pairs_with_the_highest_waves_in_the_trained_model_are_six_and_seven():
    trained = load_trained("rotary")
    of_queries, of_keys = pair_norms(trained.model, trained.texts(32)[:, :-1])
    assert set((of_queries * of_keys).mean((0, 1)).argsort()[-2:].tolist()) == {6, 7}
