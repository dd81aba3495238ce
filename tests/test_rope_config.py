"""The rotary part of config.json, as people paste it: read as transformers reads it, or refused in words."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import factors, rates_of_transformers, usual_bases, wide

from pe_helpers import angle_rates, rates_from_config, rope_parameters, yarn_attention_factor
from pe_helpers.encodings.rope_config import ROPE_TYPES

LLAMA = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
QWEN = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
DEEPSEEK = {
    "type": "yarn",
    "factor": 40,
    "original_max_position_embeddings": 4096,
    "beta_fast": 32,
    "beta_slow": 1,
    "mscale": 1.0,
    "mscale_all_dim": 0.707,
}
EXAMPLES = {  # (base, trained length, the object)
    "Llama 3.1": (500_000.0, 8192, LLAMA),
    "Qwen2.5": (1_000_000.0, 32768, QWEN),
    "DeepSeek-V2": (10_000, 4096, DEEPSEEK),
    "given factor": (10_000, 4096, {**QWEN, "attention_factor": 1.5, "beta_fast": 20, "truncate": False}),
    "DeepSeek-Coder": (100_000, 16384, {"type": "linear", "factor": 4.0}),
    "InternLM2.5": (1_000_000, 32768, {"type": "dynamic", "factor": 2.0}),
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("length", [None, 1000, 100_000])
def test_known_models_are_read_as_transformers_reads_them(name, length):
    base, trained, part = EXAMPLES[name]
    kind = part.get("rope_type", part.get("type"))
    parameters = {key: value for key, value in part.items() if key not in ("type", "rope_type")}
    expected, factor = rates_of_transformers(kind, 128, base, trained, length=length, **parameters)

    beside = {"rope_theta": base, "max_position_embeddings": trained}
    other = {key if key != "type" else "rope_type": value for key, value in part.items()}
    whole = {"architectures": ["LlamaForCausalLM"], "rope_scaling": part, **beside}
    ways = [
        {**part, **beside},
        {**other, **beside},
        whole,
        {"rope_scaling": None, "rope_parameters": {**other, **beside}},
        json.dumps(whole, indent=2),
        json.dumps(whole)[1:-1] + ",",
        json.dumps({**part, **beside}),
    ]
    for config in ways:
        rates, mine = rates_from_config(128, config, length=length)
        assert rates.dtype == float
        assert np.allclose(rates, expected, rtol=2e-4, atol=0)
        assert np.isclose(mine, factor)


@given(wide, usual_bases, factors, st.integers(64, 200_000), st.sampled_from(ROPE_TYPES[1:]))
def test_any_numbers(d, base, factor, trained, kind):
    part = {"factor": factor, "original_max_position_embeddings": trained}
    part |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0} if kind == "llama3" else {}
    expected, theirs_factor = rates_of_transformers(kind, d, base, trained, **part)
    config = {"rope_theta": base, "rope_type": kind, "max_position_embeddings": trained, **part}
    rates, mine = rates_from_config(d, config)
    assert np.allclose(rates, expected, rtol=2e-4, atol=0)
    assert np.isclose(mine, theirs_factor)


@pytest.mark.parametrize(
    "config",
    [
        {"rope_type": "default"},
        {"rope_theta": None, "rope_type": "default", "rope_unknown": 3},
        {"rope_scaling": None, "type": "something of the config's own"},
        '"rope_scaling": null, "rope_theta": 10000.0,',
    ],
)
def test_without_scaling_the_rates_are_those_of_the_base(config):
    rates, factor = rates_from_config(64, config)
    assert np.array_equal(rates, angle_rates(64)) and factor == 1


def test_a_part_of_the_head_is_rotated():
    rates, _ = rates_from_config(64, {"type": "default", "partial_rotary_factor": 0.5})
    assert np.array_equal(rates, angle_rates(32))


def test_what_stands_inside_hides_what_stands_around():
    config = {"rope_theta": 10_000, "rope_scaling": {"type": "linear", "factor": 2, "rope_theta": 500}}
    assert np.array_equal(rates_from_config(8, config)[0], angle_rates(8, base=500) / 2)


def test_the_parameters_are_one_flat_dict():
    part = {"type": "linear", "factor": 2.0}
    whole = {"rope_scaling": part, "rope_theta": 500, "rope_parameters": None}
    for config in (whole, json.dumps(whole), json.dumps(whole)[1:-1]):
        flat = rope_parameters(config)
        assert flat == {**part, "rope_theta": 500}
        unscaled, _ = rates_from_config(8, {**flat, "rope_type": "default"})
        assert np.array_equal(unscaled, angle_rates(8, base=500))


def test_null_means_as_usual():
    part = {**QWEN, "beta_fast": None, "beta_slow": None, "attention_factor": None, "mscale": None}
    rates, factor = rates_from_config(128, part)
    assert np.array_equal(rates, rates_from_config(128, QWEN)[0])
    assert factor == yarn_attention_factor(4)


def without(part, key):
    return {name: value for name, value in part.items() if name != key}


BAD = [
    *[("config", text) for text in ("", "{", "x" * 5000, "{'type': 'yarn'}", "日本語", "\x00")],
    *[("config", value) for value in ("3", "[]", '"yarn"', "null", None, 3, [QWEN])],
    *[("rope_type", {"rope_type": kind}) for kind in ("longrope", "ntk", None, 3, [], {}, "YARN")],
    *[("rope_type", part) for part in ({}, {"factor": 2}, {"rope_scaling": {"factor": 2}})],
    *[("rope_scaling", {"rope_scaling": value}) for value in (3, "yarn", [1])],
    ("rope_parameters", {"rope_parameters": 3}),
    *[("factor", {**QWEN, "factor": value}) for value in (None, "4", 0, 0.5, -1, True, [4], np.nan, 10**400)],
    ("factor", without(QWEN, "factor")),
    ("factor", '{"type": "linear", "factor": NaN}'),
    *[("rope_theta", {**QWEN, "rope_theta": value}) for value in ("1e6", 1, 0, True, [1], np.inf)],
    *[
        ("original_max_position_embeddings", {**QWEN, "original_max_position_embeddings": value})
        for value in ("4096", 0, -1, None, [])
    ],
    ("original_max_position_embeddings", without(LLAMA, "original_max_position_embeddings")),
    ("max_position_embeddings", {"type": "dynamic", "factor": 2}),
    ("low_freq_factor", without(LLAMA, "low_freq_factor")),
    ("high_freq_factor", without(LLAMA, "high_freq_factor")),
    ("high_freq_factor", {**LLAMA, "high_freq_factor": 1}),
    ("beta_slow", {**QWEN, "beta_slow": "1"}),
    ("beta_fast", {**QWEN, "beta_fast": 0.5}),
    ("attention_factor", {**QWEN, "attention_factor": "1"}),
    ("mscale", {**DEEPSEEK, "mscale": -1}),
    ("mscale_all_dim", {**DEEPSEEK, "mscale_all_dim": "x"}),
    *[("partial_rotary_factor", {"type": "default", "partial_rotary_factor": v}) for v in (0, 2, "x", 1e308)],
]


@pytest.mark.parametrize(("key", "config"), BAD, ids=lambda value: repr(value)[:60])
def test_what_cannot_be_read_is_refused_in_words(key, config):
    with pytest.raises(ValueError, match=rf"^{re.escape(key)} must be .*") as refused:
        rates_from_config(128, config)
    message = str(refused.value)
    assert "got" in message and len(message) < 500


def test_the_message_says_where_the_text_goes_wrong():
    with pytest.raises(ValueError, match=r"at character 17\)"):
        rates_from_config(128, '{"type": "yarn", factor: 4}')
    with pytest.raises(ValueError, match="'default', 'linear', 'dynamic', 'yarn', 'llama3'; got 'longrope'"):
        rates_from_config(128, {"type": "longrope"})
    with pytest.raises(ValueError, match="factor must be given for linear, a finite number ≥ 1; got none"):
        rates_from_config(128, {"type": "linear"})


@pytest.mark.parametrize("d_head", [7, 0, "8", None])
def test_the_dimension_is_checked_too(d_head):
    with pytest.raises(ValueError, match="d_head must be"):
        rates_from_config(d_head, QWEN)
    with pytest.raises(ValueError, match=r"d_head · partial_rotary_factor must be .* got 5"):
        rates_from_config(10, {"type": "default", "partial_rotary_factor": 0.5})


@pytest.mark.parametrize("length", [0, -1, "x", np.nan])
def test_the_length_is_checked_where_it_is_used(length):
    with pytest.raises(ValueError, match=r"^length must be"):
        rates_from_config(8, {"type": "dynamic", "factor": 2, "max_position_embeddings": 32}, length=length)
