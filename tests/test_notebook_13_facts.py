"""What notebook 13 says about transformers, checked with small random models; nothing is downloaded."""

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
        for padding, too_long in ((2, False), (30, True)):  # alone in its batch, slots as positions
            seen = torch.tensor([[0] * padding + [1] * 10])
            padded = torch.cat([torch.zeros(1, padding, dtype=torch.long), short], dim=1)
            slots = model(padded, attention_mask=seen).logits[0, padding:]
            assert (difference(slots, alone) > 1e-3) == (changes and too_long)
        mended = (seen.cumsum(1) - 1).clamp(min=0)
        from_mask = model(padded, attention_mask=seen, position_ids=mended).logits[0, padding:]
        assert difference(from_mask, alone) < 1e-4


@torch.no_grad()
def test_the_map_of_the_first_layer_shows_the_fault_in_a_llama(monkeypatch):
    from transformers.models.llama import modeling_llama

    rotated, rotate = [], modeling_llama.apply_rotary_pos_emb

    def recorded(*arguments):
        rotated.append(rotate(*arguments))
        return rotated[-1]

    monkeypatch.setattr(modeling_llama, "apply_rotary_pos_emb", recorded)
    model, text = llama().double(), torch.cat([WORDS, WORDS.flip(1)], dim=1)  # 26 words, 12 are the prompt
    outputs, maps = {}, {}
    for way, calls, shift in (
        ("full", [(0, 26)], 0),
        ("right", [(0, 12), *((n, n + 1) for n in range(12, 26))], 0),
        ("new - 1", [(0, 12), *((n, n + 1) for n in range(12, 26))], 1),
    ):
        cache, logits = None, []
        rotated.clear()
        for begin, end in calls:
            positions = torch.arange(begin, end)[None] - shift * (begin >= 12)
            found = model(text[:, begin:end], position_ids=positions, past_key_values=cache, use_cache=True)
            cache = found.past_key_values
            logits.append(found.logits)
        outputs[way] = torch.cat(logits, dim=1)
        queries = torch.cat([q for q, _ in rotated[::2]], dim=2)  # of the first of two layers
        maps[way] = queries @ cache.layers[0].keys.transpose(2, 3)  # (1, 2 heads, 26, 26)
    assert difference(outputs["right"], outputs["full"]) < 1e-5
    assert difference(maps["right"], maps["full"]) < 1e-5
    assert difference(outputs["new - 1"], outputs["full"]) > 1e-2
    wrong = ((maps["new - 1"] - maps["full"]).abs() > 1e-3)[0].tril()  # the causal mask's cells
    assert wrong[:, 12:, :12].double().mean() > 0.9
    assert not wrong[:, :12].any() and not wrong[:, 12:, 12:].any()
    weights = model(text, output_attentions=True).attentions[0]
    assert difference(weights.sum(-1), torch.ones_like(weights.sum(-1))) < 1e-5


def test_bfloat16_has_eight_significant_bits():
    assert torch.finfo(torch.bfloat16).eps == 2**-7


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


@torch.no_grad()
def test_dynamic_ntk_keeps_the_rates_of_an_earlier_call_until_a_batch_is_shorter_than_the_trained_length():
    text = torch.randint(1, 50, (1, 30), generator=torch.Generator().manual_seed(1))
    scaling = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10_000.0}
    for settings, kept in (({}, ()), ({"rope_parameters": scaling}, (16, 17, 20))):
        for end in (12, 15, 16, 17, 20):
            used, fresh = (llama(**settings, max_position_embeddings=16).double() for _ in range(2))
            used(text, use_cache=False)  # the earlier call, with 30 words
            off = difference(used(text[:, :end]).logits, fresh(text[:, :end]).logits)
            assert (off > 1e-4) if end in kept else (off < 1e-6), (end, off)
            used(text[:, :15])  # shorter than 16: the rates are as they were
            off = difference(used(text[:, :end]).logits, fresh(text[:, :end]).logits)
            assert off < 1e-6, (end, off)


@torch.no_grad()
def test_with_dynamic_ntk_one_call_with_the_whole_text_is_no_reference_for_its_first_words():
    text = torch.randint(1, 50, (1, 30), generator=torch.Generator().manual_seed(1))
    scaling = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10_000.0}
    for settings, differs in (({}, False), ({"rope_parameters": scaling}, True)):
        one_call, so_far = (llama(**settings, max_position_embeddings=16).double() for _ in range(2))
        off = difference(one_call(text).logits[:, :12], so_far(text[:, :12]).logits)
        assert (off > 1e-4) == differs, off


@torch.no_grad()
def test_without_mask_and_cache_llama_separates_packed_texts_where_the_positions_restart():
    second = torch.arange(13) >= 5
    restarted = torch.where(second, torch.arange(13) - 5, torch.arange(13))[None]
    for attention in ("eager", "sdpa"):
        model = llama(attn_implementation=attention)
        alone = model(WORDS[:, 5:]).logits
        for positions, use_cache, separated in (
            (restarted, False, True),
            (restarted, True, False),
            (torch.arange(13)[None], False, False),
        ):
            packed = model(WORDS, position_ids=positions, use_cache=use_cache).logits[:, 5:]
            assert (difference(packed, alone) < 1e-4) == separated, (attention, use_cache)


def test_bfloat16_rounds_position_257():
    assert torch.tensor([256.0, 257.0]).bfloat16().tolist() == [256.0, 256.0]


def test_the_code_for_flash_attention_finds_the_borders_in_a_batch_of_one_row():
    from transformers.masking_utils import flash_attention_mask
    from transformers.modeling_flash_attention_utils import _is_packed_sequence

    restarted = torch.cat([torch.arange(5), torch.arange(8)])[None]
    assert _is_packed_sequence(restarted, 1) and not _is_packed_sequence(torch.arange(13)[None], 1)
    assert not _is_packed_sequence(restarted.repeat(2, 1), 2)
    size = {"batch_size": 1, "q_length": 13, "kv_length": 13}
    assert flash_attention_mask(**size, attention_mask=torch.ones(1, 13, dtype=torch.bool)) is None


@torch.no_grad()
def test_a_hook_on_q_proj_gives_the_queries_of_the_map():
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    model, found = llama(), []
    layer = model.model.layers[0].self_attn
    layer.q_proj.register_forward_hook(lambda *call: found.append(call[-1]))
    out = model(WORDS, use_cache=True, output_attentions=True)
    queries = found[0].view(1, 13, 2, 16).transpose(1, 2)
    queries, _ = apply_rotary_pos_emb(
        queries, queries, *model.model.rotary_emb(queries, torch.arange(13)[None])
    )
    logits = queries @ out.past_key_values.layers[0].keys.mT / 4  # √16
    causal = torch.where(torch.ones(13, 13).tril() > 0, logits, -torch.inf)
    assert difference(causal.softmax(-1), out.attentions[0]) < 1e-5
