"""Notebook 09 against transformers and PyTorch: which code divides, and what the layers of T5 share."""

import numpy as np
import pytest
import torch

falcon = pytest.importorskip("transformers.models.falcon.modeling_falcon")
bloom = pytest.importorskip("transformers.models.bloom.modeling_bloom")
HEADS, HEAD_DIM, LENGTH = 8, 64, 6


def weights_of_equal_products(attention, alibi):
    """(heads, length, length): of a layer whose queries and keys are all 0."""
    for parameter in attention.parameters():
        torch.nn.init.zeros_(parameter)
    words = torch.ones(1, LENGTH, HEADS * HEAD_DIM)
    mask = torch.triu(torch.full((LENGTH, LENGTH), -1e9), 1)[None, None]
    extra = {"residual": words} if isinstance(attention, bloom.BloomAttention) else {}
    found = attention(words, alibi=alibi, attention_mask=mask, output_attentions=True, **extra)
    return found[-1][0].numpy()


@pytest.mark.parametrize(("code", "divisor"), [(falcon, np.sqrt(HEAD_DIM)), (bloom, 1)])
@torch.no_grad()
def test_falcon_divides_the_bias_and_bloom_does_not(code, divisor):
    name = "Falcon" if code is falcon else "Bloom"
    options = {"alibi": True, "num_attention_heads": HEADS} if code is falcon else {"n_head": HEADS}
    config = getattr(code, f"{name}Config")(hidden_size=HEADS * HEAD_DIM, **options)
    config._attn_implementation = "eager"
    attention = getattr(code, f"{name}Attention")(config, layer_idx=0).eval()
    alibi = code.build_alibi_tensor(torch.ones(1, LENGTH, dtype=torch.long), HEADS, torch.float32)
    weights = weights_of_equal_products(attention, alibi)
    steps = np.log(weights[:, -1, 1:] / weights[:, -1, :-1])
    assert np.allclose(steps, (0.5 ** np.arange(1, HEADS + 1) / divisor)[:, None], atol=1e-4)


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
