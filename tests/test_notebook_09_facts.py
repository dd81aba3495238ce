"""Notebook 09 against transformers: whose attention divides ALiBi's bias by √d, and whose does not."""

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
