"""The rotary part of config.json, as people paste it: read as transformers reads it, or refused in words."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_helpers import angle_rates, rates_from_config, rope_parameters, yarn_attention_factor
from tests.strategies import factors, rates_of_transformers, usual_bases, wide

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
PHI = {
    "type": "longrope",
    "original_max_position_embeddings": 4096,
    "short_factor": [1.0 + pair / 100 for pair in range(64)],
    "long_factor": [1.0 + pair for pair in range(64)],
}
EXAMPLES = {  # (base, trained length, the object)
    "Llama 3.1": (500_000.0, 8192, LLAMA),
    "Qwen2.5": (1_000_000.0, 32768, QWEN),
    "DeepSeek-V2": (10_000, 4096, DEEPSEEK),
    "given factor": (10_000, 4096, {**QWEN, "attention_factor": 1.5, "beta_fast": 20, "truncate": False}),
    "DeepSeek-Coder": (100_000, 16384, {"type": "linear", "factor": 4.0}),
    "longrope": (10_000, 131072, PHI),
    "longrope with a factor": (10_000, 4096, {**PHI, "factor": 8.0}),
    "longrope with both": (10_000, 4096, {**PHI, "factor": 8.0, "attention_factor": 1.5}),
    "Gemma 4": (1_000_000, 131072, {"rope_type": "proportional", "partial_rotary_factor": 0.25}),
    "proportional and slower": (10_000, 4096, {"type": "proportional", "factor": 2.0}),
    "Llama 4 Scout": (500_000, 8192, {**LLAMA, "factor": 16.0, "high_freq_factor": 1.0}),
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
        rates, mine = rates_from_config(config, d_head=128, length=length)
        assert rates.dtype == float
        assert np.allclose(rates, expected, rtol=2e-4, atol=0)
        assert np.isclose(mine, factor)


@given(
    wide,
    usual_bases,
    factors,
    st.integers(64, 200_000),
    st.sampled_from(["linear", "dynamic", "yarn", "llama3", "proportional"]),
)
def test_any_numbers(d, base, factor, trained, kind):
    part = {"factor": factor, "original_max_position_embeddings": trained}
    part |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0} if kind == "llama3" else {}
    expected, theirs_factor = rates_of_transformers(kind, d, base, trained, **part)
    config = {"rope_theta": base, "rope_type": kind, "max_position_embeddings": trained, **part}
    rates, mine = rates_from_config(config, d_head=d)
    assert np.allclose(rates, expected, rtol=2e-4, atol=0)
    assert np.isclose(mine, theirs_factor)


@pytest.mark.parametrize(
    "config",
    [
        {"rope_type": "default"},
        {"rope_theta": None, "rope_type": "default", "rope_unknown": 3},
        {"rope_theta": 10000.0, "rope_scaling": None, "type": "something of the config's own"},
        '"rope_scaling": null, "rope_theta": 10000.0,',
    ],
)
def test_without_scaling_the_rates_are_those_of_the_base(config):
    rates, factor = rates_from_config(config, d_head=64)
    assert np.array_equal(rates, angle_rates(64)) and factor == 1


def test_a_part_of_the_head_is_rotated():
    rates, _ = rates_from_config({"type": "default", "partial_rotary_factor": 0.5}, d_head=64)
    assert np.array_equal(rates, angle_rates(32))


def test_what_stands_inside_hides_what_stands_around():
    config = {"rope_theta": 10_000, "rope_scaling": {"type": "linear", "factor": 2, "rope_theta": 500}}
    assert np.array_equal(rates_from_config(config, d_head=8)[0], angle_rates(8, base=500) / 2)


def test_the_parameters_are_one_flat_dict():
    part = {"type": "linear", "factor": 2.0}
    whole = {"rope_scaling": part, "rope_theta": 500, "rope_parameters": None}
    for config in (whole, json.dumps(whole), json.dumps(whole)[1:-1]):
        flat = rope_parameters(config)
        assert flat == {**part, "rope_theta": 500}
        unscaled, _ = rates_from_config({**flat, "rope_type": "default"}, d_head=8)
        assert np.array_equal(unscaled, angle_rates(8, base=500))


def test_null_means_as_usual():
    part = {**QWEN, "beta_fast": None, "beta_slow": None, "attention_factor": None, "mscale": None}
    rates, factor = rates_from_config(part, d_head=128)
    assert np.array_equal(rates, rates_from_config(QWEN, d_head=128)[0])
    assert factor == yarn_attention_factor(4)


def without(part, key):
    return {name: value for name, value in part.items() if name != key}


BAD = [
    *[("config", value) for value in ("3", "[]", "null", None, 3, [QWEN])],
    *[("rope_type", {"rope_type": kind}) for kind in ("mscale", "ntk", None, 3, [], {}, "YARN")],
    *[("rope_type", part) for part in ({}, {"factor": 2}, {"rope_scaling": {"factor": 2}})],
    *[("rope_scaling", {"rope_scaling": value}) for value in (3, "yarn", [1])],
    ("rope_parameters", {"rope_parameters": 3}),
    *[("factor", {**QWEN, "factor": value}) for value in (None, "4", 0, -1, True, [4], np.nan)],
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
    ("high_freq_factor", {**LLAMA, "high_freq_factor": 0.5}),
    ("beta_slow", {**QWEN, "beta_slow": "1"}),
    ("beta_fast", {**QWEN, "beta_fast": 0.5}),
    ("attention_factor", {**QWEN, "attention_factor": "1"}),
    ("mscale", {**DEEPSEEK, "mscale": -1}),
    ("mscale_all_dim", {**DEEPSEEK, "mscale_all_dim": "x"}),
    ("short_factor", without(PHI, "short_factor")),
    *[("short_factor", {**PHI, "short_factor": value}) for value in (3, ["x"] * 64, [0.0] * 64, [1.0] * 63)],
    ("original_max_position_embeddings", without(PHI, "original_max_position_embeddings")),
    ("attention_factor", {**PHI, "attention_factor": -1}),
    *[("model_type", {"model_type": value}) for value in ("gpt2", "bert", 3, [], "")],
    ("layer_type", {"rope_parameters": {"main": QWEN, "compress": QWEN}}),
    ("layer_type", {"model_type": "gemma3_text"}),
    *[("rope_parameters", {"model_type": name}) for name in ("gemma4", "gpt_oss", "ministral3")],
    *[("partial_rotary_factor", {"type": "default", "partial_rotary_factor": v}) for v in (0, 2, "x", 1e308)],
]


@pytest.mark.parametrize(("key", "config"), BAD, ids=lambda value: repr(value)[:60])
def test_what_cannot_be_read_is_refused_in_words(key, config):
    with pytest.raises(ValueError, match=rf"^{re.escape(key)} must be .*") as refused:
        rates_from_config(config, d_head=128)
    message = str(refused.value)
    assert "got" in message and len(message) < 500


@pytest.mark.parametrize("text", ["", "{", "x" * 5000, "{'type': 'yarn'}", "日本語", "\x00", '"yarn"'])
def test_what_is_no_json_is_refused_by_its_reader(text):
    with pytest.raises(ValueError, match=r"^config must be .*; got .*char \d+\)\)$") as refused:
        rates_from_config(text, d_head=128)
    assert len(str(refused.value)) < 250


def test_the_message_says_where_the_text_goes_wrong():
    with pytest.raises(ValueError, match=r"\(char 17\)"):
        rates_from_config('{"type": "yarn", factor: 4}', d_head=128)
    with pytest.raises(ValueError, match="'longrope', 'llama3', 'proportional'; got 'ntk'"):
        rates_from_config({"type": "ntk"}, d_head=128)
    with pytest.raises(
        ValueError, match="short_factor must be a list of 64 numbers > 0, one for each pair; got"
    ):
        rates_from_config({**PHI, "short_factor": [1.0]}, d_head=128)
    with pytest.raises(ValueError, match="factor must be a finite number > 0; got None"):
        rates_from_config({"type": "linear"}, d_head=128)


@pytest.mark.parametrize("d_head", [7, 0, "8", None])
def test_the_dimension_is_checked_too(d_head):
    with pytest.raises(ValueError, match="d_head must be"):
        rates_from_config(QWEN, d_head=d_head)
    with pytest.raises(ValueError, match=r"d_head · partial_rotary_factor must be .* got 5"):
        rates_from_config({"type": "default", "partial_rotary_factor": 0.5}, d_head=10)


@pytest.mark.parametrize("length", [0, -1, "x", np.nan])
@pytest.mark.parametrize("kind", ["dynamic", "longrope"])
def test_the_length_is_checked_where_it_is_used(kind, length):
    config = {**PHI, "type": kind, "factor": 2, "max_position_embeddings": 32}
    with pytest.raises(ValueError, match=r"^length must be"):
        rates_from_config(config, d_head=128, length=length)


WHOLE = {"hidden_size": 64, "num_attention_heads": 4, "rope_theta": 500}


def test_the_head_size_is_read():
    for more, columns in [({}, 16), ({"head_dim": 32}, 32), ({"head_dim": None}, 16)]:
        rates, _ = rates_from_config({**WHOLE, **more})
        assert np.array_equal(rates, angle_rates(columns, base=500))
    assert np.array_equal(rates_from_config(WHOLE, d_head=8)[0], angle_rates(8, base=500))
    for key in ("hidden_size", "num_attention_heads"):
        with pytest.raises(ValueError, match=r"^(hidden_size|d_head) must be"):
            rates_from_config(without(WHOLE, key))


def test_kinds_of_layers_have_their_own_rates():
    config = {"rope_parameters": {"main": {"rope_theta": 500}, "compress": {**QWEN, "rope_theta": 700}}}
    assert np.array_equal(rates_from_config(config, d_head=8, layer_type="main")[0], angle_rates(8, base=500))
    assert rope_parameters(config, "compress") == {**QWEN, "rope_theta": 700}
    with pytest.raises(
        ValueError, match="layer_type must be one of 'main', 'compress'; got 'full_attention'"
    ):
        rates_from_config(config, d_head=8, layer_type="full_attention")


def test_flat_parameters_are_read_as_the_file_they_came_from():
    """What `rope_parameters` returns needs no model type any more."""
    for config, layer_type in [
        (
            {**WHOLE, "model_type": "gemma3_text", "rope_scaling": {"type": "linear", "factor": 8}},
            "full_attention",
        ),
        ({**WHOLE, "model_type": "llama4_text", "rope_scaling": LLAMA}, None),
        ({**WHOLE, "model_type": "glm"}, None),
    ]:
        rates, factor = rates_from_config(config, layer_type=layer_type)
        again, same = rates_from_config(rope_parameters(config, layer_type))
        assert np.array_equal(rates, again) and factor == same


def test_su_is_the_first_name_of_longrope():
    rates, factor = rates_from_config({**PHI, "type": "su", "factor": 32}, d_head=128, length=5000)
    assert np.array_equal(rates, angle_rates(128) / PHI["long_factor"])
    assert factor == np.sqrt(1 + np.log(32) / np.log(4096))
