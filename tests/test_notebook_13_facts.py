"""What notebook 13 says about transformers, checked with small random models; nothing is downloaded."""

from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from pe_helpers import apply_rotary
from tests.conftest import run_notebook

transformers = pytest.importorskip("transformers")

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "13_decoding.ipynb"
LLAMA = dict(vocab_size=50, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2)
LLAMA |= dict(num_key_value_heads=2, max_position_embeddings=64, attn_implementation="eager")
WORDS = torch.randint(1, 50, (1, 13), generator=torch.Generator().manual_seed(0))
PADDING = 5
MASK = torch.tensor([[0] * PADDING + [1] * 12])
PADDED = torch.cat([torch.zeros(1, PADDING, dtype=torch.long), WORDS[:, :12]], dim=1)


def llama(**settings):
    torch.manual_seed(0)
    return uneven(transformers.LlamaForCausalLM(transformers.LlamaConfig(**{**LLAMA, **settings})))


def uneven(model):
    """The model with larger weights, so that its attention is not nearly even."""
    for name, weight in model.named_parameters():
        if "proj" in name:
            weight.data *= 20
    return model.eval()


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


TEXT = torch.cat([WORDS, WORDS.flip(1)], dim=1)  # (1, 26)
CALLS = [(0, 12), *((n, n + 1) for n in range(12, 26))]
CAUSAL = torch.ones(26, 26, dtype=torch.bool).tril()


def the_notebooks_code(model):
    """What the door "The test on a real model" has in code, run on `model`: its names."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    (section,) = [cell.source for cell in notebook.cells if "def spy(" in cell.source]
    names = {"model": model, "text": TEXT, "calls": CALLS, "torch": torch}
    exec(section.split("```python\n")[1].split("```")[0], names)
    return names


def gemma3():
    sizes = {**LLAMA, "head_dim": 16, "num_key_value_heads": 1, "sliding_window": 8}
    config = transformers.Gemma3TextConfig(**sizes, layer_types=["sliding_attention", "full_attention"])
    torch.manual_seed(0)
    return uneven(transformers.Gemma3ForCausalLM(config))


def phi3():
    config = transformers.Phi3Config(**LLAMA, pad_token_id=0, bos_token_id=1, eos_token_id=2)
    torch.manual_seed(0)
    return uneven(transformers.Phi3ForCausalLM(config))


MODELS = {"llama": llama, "grouped": lambda: llama(num_key_value_heads=1), "gemma3": gemma3, "phi3": phi3}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
@torch.no_grad()
def test_the_notebooks_code_maps_every_layer_and_the_first_map_shows_an_offset(make):
    model = make().double()
    weights = model(TEXT, output_attentions=True).attentions[-1]  # the last layer sees all in each model
    names = the_notebooks_code(model)
    assert list(names["maps"]) == [0, 1] and not any(wrong.any() for wrong in names["maps"].values())
    scaling = getattr(model.model.layers[-1].self_attn, "scaling", 0.25) * 16**0.5
    full = torch.where(CAUSAL, names["full"][1] * scaling, -torch.inf)
    assert difference(weights, full.softmax(-1)) < 1e-5
    outputs = model(TEXT).logits

    def one_less(input_ids, past_key_values, use_cache):
        seen = past_key_values.get_seq_length()
        positions = torch.arange(seen, seen + input_ids.shape[1])[None] - int(seen > 0)
        found = model(input_ids, past_key_values=past_key_values, position_ids=positions)
        logits.append(found.logits)

    logits, names["model"] = [], one_less
    wrong = ((names["scores"](CALLS)[0] - names["full"][0]).abs().amax(dim=1) > 1e-3)[0] & CAUSAL
    assert difference(torch.cat(logits, dim=1), outputs) > 1e-3
    assert not wrong[:12].any() and not wrong[12:, 12:].any() and wrong[12:, :12].double().mean() > 0.9


@torch.no_grad()
def test_the_map_shows_a_cache_that_keeps_keys_unturned(monkeypatch):
    from transformers.cache_utils import DynamicLayer

    model, last, update = llama(num_hidden_layers=1).double(), {}, DynamicLayer.update
    model.model.layers[0].self_attn.k_proj.register_forward_hook(lambda *call: last.update(k=call[-1]))

    def keep_unturned(self, keys, values, *rest, **options):
        unturned = last["k"].unflatten(-1, (2, -1)).transpose(1, 2)
        kept, values = update(self, unturned, values, *rest, **options)
        return torch.cat([kept[:, :, : -keys.shape[2]], keys], dim=2), values

    monkeypatch.setattr(DynamicLayer, "update", keep_unturned)
    wrong = the_notebooks_code(model)["maps"][0][0]
    assert not wrong[:12].any() and not wrong.diagonal().any()
    assert wrong[12:, 1:12].double().mean() > 0.9 and not wrong[:, 0].any()


@torch.no_grad()
def test_a_fault_of_the_second_layer_shows_in_its_map_and_not_in_the_first(capsys):
    model = llama().double()

    def turn_nothing(module, given, options):  # in calls with one token
        cosines, sines = options["position_embeddings"]
        if cosines.shape[1] == 1:
            options["position_embeddings"] = torch.ones_like(cosines), torch.zeros_like(sines)
        return given, options

    model.model.layers[1].self_attn.register_forward_pre_hook(turn_nothing, with_kwargs=True)
    first, second = (wrong[0] for wrong in the_notebooks_code(model)["maps"].values())
    assert not first.any() and not second[:12].any() and second[13:, 12:].any()
    assert capsys.readouterr().out == "first wrong layer: 1\n"


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
        block = second[:, None] == second  # (13, 13): each text sees itself only
        block = (block & torch.ones_like(block).tril())[None, None]
        ones = torch.ones(1, 13, dtype=torch.long)
        for positions, use_cache, mask, separated in (
            (restarted, False, None, True),
            (restarted, True, None, False),
            (restarted, False, ones, False),
            (restarted, True, block, attention == "sdpa"),  # eager attention adds it: 0 and 1
            (restarted, True, torch.where(block, 0.0, -torch.inf), True),
            (torch.arange(13)[None], False, None, False),
        ):
            packed = model(WORDS, attention_mask=mask, position_ids=positions, use_cache=use_cache)
            assert (difference(packed.logits[:, 5:], alone) < 1e-4) == separated, (attention, use_cache)


@torch.no_grad()
def test_a_missing_block_mask_leaves_the_map_empty_and_shows_in_the_weights():
    model, second = llama(), torch.arange(13) >= 5
    restarted = torch.where(second, torch.arange(13) - 5, torch.arange(13))[None]
    block = (second[:, None] == second).tril()
    right = torch.where(block, 0.0, -torch.inf)[None, None]
    found = {}
    for name, mask in (("right", right), ("missing", None)):
        call = {"position_ids": restarted, "attention_mask": mask, "output_attentions": True}
        out = model(WORDS, **call, use_cache=True)
        found[name] = out.attentions[0][0], out.past_key_values.layers[0].keys, out.logits
    (here, keys, logits), (there, same_keys, other_logits) = found["right"], found["missing"]
    assert difference(logits, other_logits) > 0.1 and torch.equal(keys, same_keys)
    crosses = (here == 0) != (there == 0)  # (2 heads, 13, 13)
    assert torch.equal(crosses.any(dim=0), torch.ones(13, 13).tril().bool() & ~block)


@torch.no_grad()
def test_a_mask_forgotten_in_the_decode_steps_shows_in_the_weights_of_eager_attention():
    model, second = llama(), torch.arange(13) >= 5
    restarted = torch.where(second, torch.arange(13) - 5, torch.arange(13))[None]
    block = torch.where((second[:, None] == second).tril(), 0.0, -torch.inf)[None, None]
    full = model(WORDS, position_ids=restarted, attention_mask=block, output_attentions=True)
    start = {"position_ids": restarted[:, :9], "attention_mask": block[:, :, :9, :9]}
    cache = model(WORDS[:, :9], **start, use_cache=True).past_key_values
    for n in range(9, 13):
        call = {"position_ids": restarted[:, n : n + 1], "past_key_values": cache}
        step = model(WORDS[:, n : n + 1], **call, output_attentions=True)
        assert difference(step.logits[:, 0], full.logits[:, n]) > 0.1
        crosses = (step.attentions[0][0, :, 0] == 0) != (full.attentions[0][0, :, n, : n + 1] == 0)
        assert torch.equal(crosses.any(dim=0), ~second[: n + 1])


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


def test_pytorchs_is_causal_begins_at_the_upper_left_corner():
    values = torch.eye(17)[None, None]  # so that the outputs are the weights
    queries, keys = torch.ones(1, 1, 5, 4), torch.ones(1, 1, 17, 4)
    weights = torch.nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)[0, 0]
    assert (weights > 0).sum(dim=1).tolist() == [1, 2, 3, 4, 5]


def test_read_at_once_or_token_by_token_differs_by_rounding():
    """Section 4: the test decodes token by token, and the notebook's `decoded` reads all 64 in one call."""
    names = run_notebook(NOTEBOOK).names
    read, pages = names["read"], names["pages"][:2]
    for at in np.arange(64, 128), np.arange(63, 127):  # as it should be, and one too small
        one_call, steps = names["empty_cache"](2), names["empty_cache"](2)
        for cache in one_call, steps:
            read(pages[:, :64], np.arange(64), cache)
        written = [read(pages[:, 64 + n : 65 + n], at[n : n + 1], steps) for n in range(64)]
        assert difference(read(pages[:, 64:128], at, one_call), torch.cat(written, dim=1)) < 1e-3
