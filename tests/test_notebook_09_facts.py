"""Notebook 09 against transformers and PyTorch, and what it says of its models and texts, unclaimed."""

import numpy as np
import pytest
import torch

from pe_helpers.models import load_trained, loss_by_position
from tests.conftest import run_notebook
from tools.course import NOTEBOOKS

HEADS, HEAD_DIM, LENGTH = 8, 64, 6


@torch.no_grad()
def test_bloom_adds_the_slope_for_each_key_alone():
    bloom = pytest.importorskip("transformers.models.bloom.modeling_bloom")
    alibi = bloom.build_alibi_tensor(torch.ones(1, LENGTH, dtype=torch.long), HEADS, torch.float32)
    by_key = 0.5 ** np.arange(1, HEADS + 1)[:, None, None] * np.arange(LENGTH)
    assert alibi.shape == (HEADS, 1, LENGTH) and np.allclose(alibi.numpy(), by_key)


@torch.no_grad()
def test_t5_does_not_divide_and_its_queries_start_smaller():
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    sizes = {"d_model": 256, "d_kv": HEAD_DIM, "d_ff": 8, "num_heads": HEADS, "num_layers": 1}
    torch.manual_seed(0)
    model = t5.T5EncoderModel(t5.T5Config(**sizes, vocab_size=5, attn_implementation="eager")).eval()
    attention = model.encoder.block[0].layer[0].SelfAttention
    ratio = attention.k.weight.std() / attention.q.weight.std()
    assert np.isclose(ratio, np.sqrt(HEAD_DIM), rtol=0.02)
    attention.relative_attention_bias.weight.zero_()
    x = torch.randn(1, LENGTH, 256)
    q, k = (part(x).view(LENGTH, HEADS, HEAD_DIM).transpose(0, 1) for part in (attention.q, attention.k))
    weights = attention(x, output_attentions=True)[-1][0]
    assert torch.allclose(weights, (q @ k.mT).softmax(-1), atol=1e-5)


@torch.no_grad()
def test_all_layers_of_a_t5_stack_share_its_biases():
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    sizes = {"d_model": 16, "d_kv": 4, "d_ff": 8, "num_heads": 4, "num_layers": 3, "vocab_size": 5}
    model = t5.T5Model(t5.T5Config(**sizes, attn_implementation="eager")).eval()
    tables = [name for name, _ in model.named_parameters() if "relative_attention_bias" in name]
    assert [name.split(".")[0] for name in tables] == ["encoder", "decoder"]
    for name, parameter in model.named_parameters():
        if ".SelfAttention.q." in name:
            torch.nn.init.zeros_(parameter)
    biases = model.get_parameter(tables[1])  # (32, heads)
    biases.copy_(torch.randn(biases.shape, generator=torch.Generator().manual_seed(0)))
    words = torch.zeros(1, LENGTH, dtype=torch.long)
    layers = model(words, decoder_input_ids=words, output_attentions=True).decoder_attentions
    assert len(layers) == 3
    by_hand = biases[:LENGTH].flip(0).softmax(dim=0).T  # (heads, LENGTH): the last row, first key first
    for weights in layers:
        assert torch.allclose(weights[0, :, -1], by_hand, atol=1e-5)


def test_pytorch_divides_unless_told_not_to():
    q, k = torch.randn(2, 1, 4, 16, generator=torch.Generator().manual_seed(0))
    for scale, divisor in ((None, 4), (1.0, 1)):
        weights = torch.nn.functional.scaled_dot_product_attention(q, k, torch.eye(4)[None], scale=scale)
        assert torch.allclose(weights, (q @ k.transpose(1, 2) / divisor).softmax(dim=-1), atol=1e-5)


def test_the_functions_for_flexattention_are_the_modules():
    """What the notebook gives FlexAttention, at single indices."""
    names = run_notebook(NOTEBOOKS[9]).names
    for score_mod, module in ((names["of_alibi"], names["AlibiBias"](4)), (names["of_t5"], names["t5"])):
        for head, m, n in ((0, 5, 5), (1, 100, 3), (3, 127, 0), (2, 40, 39)):
            given = score_mod(torch.tensor(0.25), 0, torch.tensor(head), torch.tensor(m), torch.tensor(n))
            assert torch.isclose(given, 0.25 + module(128)[head, m, n])
        assert (
            score_mod(torch.tensor(0.25), 0, torch.tensor(0), torch.tensor(3), torch.tensor(4)) == -torch.inf
        )


def test_in_longer_texts_no_far_key_gets_a_higher_bias_than_in_training():
    for name in ("t5", "alibi"):
        last = load_trained(name).model.bias(1024)[:, -1].flip(-1)  # (heads, offsets)
        assert (last[:, 128:] <= last[:, 127:128]).all()


def test_the_later_parts_of_the_long_texts_are_easier():
    """Models that begin anew there read them as well as those that read on, and better than the beginning."""
    losses = run_notebook(NOTEBOOKS[9]).before["exercise-1"]["losses"]
    for name in ("t5", "alibi"):
        trained = load_trained(name)
        texts = trained.texts(16, length=1024)
        assert losses[name][512:].mean() < losses[name][64:128].mean() - 0.1
        starts = range(448, 896, 64)
        anew = [loss_by_position(trained.model, texts[:, at : at + 129])[64:].mean() for at in starts]
        assert abs(np.mean(anew) - losses[name][512:960].mean()) < 0.05
