"""What notebook 13 says about transformers, checked with small random models; nothing is downloaded."""

import numpy as np
import pytest
import torch

from pe_helpers import apply_rotary

transformers = pytest.importorskip("transformers")

LLAMA = dict(vocab_size=50, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2)
LLAMA |= dict(num_key_value_heads=2, max_position_embeddings=64, attn_implementation="eager")
WORDS = torch.randint(1, 50, (1, 13), generator=torch.Generator().manual_seed(0))
PADDING = 5
MASK = torch.tensor([[0] * PADDING + [1] * 12])
PADDED = torch.cat([torch.zeros(1, PADDING, dtype=torch.long), WORDS[:, :12]], dim=1)


def llama(**settings):
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**{**LLAMA, **settings})).eval()
    for name, weight in model.named_parameters():
        if "proj" in name:
            weight.data *= 20  # so that attention is not nearly even
    return model


def gpt2():
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=50, n_positions=64, n_embd=32, n_layer=2, n_head=2, attn_implementation="eager"
    )
    return transformers.GPT2LMHeadModel(config).eval()


def difference(one, other):
    return (one - other).abs().max().item()


@torch.no_grad()
def test_generate_takes_positions_from_the_mask():
    positions = llama()._prepare_position_ids_for_generation(PADDED, {"attention_mask": MASK})
    assert positions.tolist() == [[0] * PADDING + list(range(12))]


@torch.no_grad()
def test_a_called_model_counts_slots_which_only_the_learned_table_notices():
    for model, notices in ((llama(), False), (gpt2(), True)):
        alone = model(WORDS[:, :12]).logits
        padded = model(PADDED, attention_mask=MASK).logits[:, PADDING:]
        positions = (MASK.cumsum(1) - 1).clamp(min=0)
        mended = model(PADDED, attention_mask=MASK, position_ids=positions).logits[:, PADDING:]
        assert difference(mended, alone) < 1e-4
        assert (difference(padded, alone) > 1e-3) == notices


@torch.no_grad()
def test_prefill_with_positions_and_decode_without_is_wrong_also_with_rotary():
    model, longer = llama(), torch.cat([MASK, torch.ones(1, 1, dtype=torch.long)], dim=1)
    alone, found = model(WORDS).logits[:, -1], {}
    for counted_by, given in (("slots", None), ("mask", torch.tensor([[12]]))):
        positions = (MASK.cumsum(1) - 1).clamp(min=0)
        cache = model(PADDED, attention_mask=MASK, position_ids=positions, use_cache=True).past_key_values
        new = model(WORDS[:, 12:], attention_mask=longer, past_key_values=cache, position_ids=given)
        found[counted_by] = difference(new.logits[:, -1], alone)
    assert found["mask"] < 1e-4 and found["slots"] > 1e-2, found


@torch.no_grad()
def test_llama_caches_keys_after_their_rotation():
    model = llama()
    cached = model(WORDS, use_cache=True).past_key_values.layers[0].keys  # (1, 2, 13, 16)
    layer = model.model.layers[0]
    keys = layer.self_attn.k_proj(layer.input_layernorm(model.model.embed_tokens(WORDS)))
    keys = keys.view(1, 13, 2, 16).transpose(1, 2)
    assert difference(cached, apply_rotary(keys, 13, layout="half")) < 1e-4 < 1e-2 < difference(cached, keys)


@torch.no_grad()
def test_with_dynamic_ntk_a_long_text_changes_the_rates_of_the_batch():
    short = WORDS[:, :10]
    long = torch.randint(1, 50, (1, 40), generator=torch.Generator().manual_seed(1))
    batch = torch.cat([torch.cat([torch.zeros(1, 30, dtype=torch.long), short], dim=1), long])
    mask = torch.ones_like(batch)
    mask[0, :30] = 0
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    scaling = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10_000.0}
    for settings, changes in (({}, False), ({"rope_parameters": scaling}, True)):
        model = llama(**settings, max_position_embeddings=16)
        alone = model(short).logits[0]
        among = model(batch, attention_mask=mask, position_ids=positions).logits[0, 30:]
        assert (difference(among, alone) > 1e-3) == changes


@torch.no_grad()
def test_with_dynamic_ntk_decoding_is_the_full_pass_only_up_to_the_trained_length():
    text = torch.randint(1, 50, (1, 30), generator=torch.Generator().manual_seed(1))
    scaling = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10_000.0}
    for settings, differs in (({}, False), ({"rope_parameters": scaling}, True)):
        model, cache = llama(**settings, max_position_embeddings=16).double(), None
        for begin, end in ((0, 12), *((n, n + 1) for n in range(12, 30))):
            step = model(text[:, begin:end], past_key_values=cache, use_cache=True)
            fresh = llama(**settings, max_position_embeddings=16).double()
            whole, cache = fresh(text[:, :end], use_cache=False), step.past_key_values
            off = difference(step.logits[:, -1], whole.logits[:, -1])
            assert (off > 1e-4) if differs and end > 16 else (off < 1e-6), (end, off)


def test_the_sliding_cache_counts_words_and_not_keys():
    from transformers.cache_utils import DynamicSlidingWindowLayer

    layer = DynamicSlidingWindowLayer(sliding_window=4)
    for _ in range(9):
        layer.update(torch.zeros(1, 1, 1, 8), torch.zeros(1, 1, 1, 8))
    assert layer.get_seq_length() == layer.cumulative_length == 9 and layer.keys.shape[2] == 3


def test_gpt_oss_has_a_learned_sink_in_the_denominator():
    from transformers.models.gpt_oss.modeling_gpt_oss import eager_attention_forward

    rng = np.random.default_rng(0)
    q, k, v = (torch.tensor(rng.standard_normal((1, 1, n, 8))) for n in (1, 5, 5))
    module = torch.nn.Module()
    module.sinks, module.num_key_value_groups, module.training = torch.tensor([1.5]).double(), 1, False
    _, weights = eager_attention_forward(module, q, k, v, None, scaling=1.0)
    logits = (q @ k.transpose(2, 3)).flatten().numpy()
    assert np.allclose(weights.flatten(), np.exp(logits) / (np.exp(1.5) + np.exp(logits).sum()))
