"""Notebook 14 against transformers: the three numbers of M-RoPE, its sections, and what happens on text."""

from types import MethodType, SimpleNamespace

import numpy as np
import pytest
import torch

from pe_helpers import apply_rotary
from tests.conftest import run_notebook
from tools.course import NOTEBOOKS

qwen2_vl = pytest.importorskip("transformers.models.qwen2_vl.modeling_qwen2_vl")
qwen3_vl = pytest.importorskip("transformers.models.qwen3_vl.modeling_qwen3_vl")


@pytest.fixture(scope="module")
def names():
    return run_notebook(next(path for path in NOTEBOOKS if path.stem == "14_two_dimensions")).names


def their_triples(parts, **options):
    return their_numbers(parts, **options)[0]


def their_numbers(parts, model_class=qwen2_vl.Qwen2VLModel, videos=None):
    """The three numbers of each token, and the number of the first token that the model generates.

    The parts are words, and (frames, rows, columns) of tokens, pictures if there is one frame.

    With `videos` every part that is not text is a piece of one of these.
    """
    config = SimpleNamespace(vision_config=SimpleNamespace(spatial_merge_size=2))
    model = SimpleNamespace(config=config)
    for method in ("get_vision_position_ids", "get_rope_index"):
        setattr(model, method, MethodType(getattr(model_class, method), model))
    kinds, grids = [], {1: [], 2: []}
    for part in parts:
        kind = 0 if isinstance(part, int) else 1 if part[0] == 1 and not videos else 2
        kinds += [kind] * int(np.prod(part))
        if kind:
            grids[kind].append([part[0], 2 * part[1], 2 * part[2]])  # patches before 2 × 2 are merged
    if videos:
        grids[2] = [[frames, 2 * rows, 2 * columns] for frames, rows, columns in videos]
    pictures, videos = (torch.tensor(grids[kind]) if grids[kind] else None for kind in (1, 2))
    ids = torch.zeros(1, len(kinds), dtype=torch.long)
    triples, ahead = model.get_rope_index(ids, torch.tensor([kinds]), pictures, videos)
    return triples[:, 0].numpy(), len(kinds) + ahead.item()


def test_the_three_numbers_are_those_of_qwen2_vl(names):
    assert np.array_equal(names["triple"], their_triples([16, (1, 12, 16), 16]))
    for parts in ([3, (1, 2, 4), 2], [2, (1, 4, 3), 1, (3, 2, 4), 5, (1, 1, 1), 1], [(2, 3, 2), 1]):
        assert np.array_equal(names["numbered"](parts), their_triples(parts)), parts


def test_after_a_long_video_it_continues_as_the_last_exercise_says(names):
    theirs, generated = their_numbers([4, (60, 12, 16), 1])
    assert generated == theirs.max() + 1
    first_rule, second_rule = (
        names["numbered"]([4, (60, 12, 16), 1], *rule) for rule in ((), (names["side_rule"],))
    )
    assert np.array_equal(theirs[:, :-1], first_rule[:, :-1])
    assert theirs[:, -1].tolist() in (first_rule[:, -1].tolist(), second_rule[:, -1].tolist())


@pytest.mark.parametrize(
    ("family", "owner", "sections"),
    [
        ("qwen2_vl", "chunked", [16, 24, 24]),
        ("qwen2_5_vl", "chunked", [16, 24, 24]),
        ("qwen3_vl", "interleaved", [24, 20, 20]),
    ],
)
def test_each_pair_takes_the_same_number_as_theirs(names, family, owner, sections):
    module = pytest.importorskip(f"transformers.models.{family}.modeling_{family}")
    (kind,) = (
        value
        for name, value in vars(module).items()
        if name.endswith("RotaryEmbedding") and "Vision" not in name
    )
    rotary = SimpleNamespace(mrope_section=sections)
    taken = kind.recomposition_frequencies(rotary, torch.arange(3.0)[:, None, None, None].repeat(1, 1, 1, 64))
    assert np.array_equal(taken[0, 0, :64].numpy(), names[owner](sections))
    assert np.array_equal(taken[0, 0, 64:].numpy(), names[owner](sections))


def test_the_rotation_is_that_of_qwen2_vl_and_on_text_that_of_llama(names):
    rng = np.random.default_rng(0)
    x, triple = rng.standard_normal((224, 128)), names["triple"]
    owner = names["chunked"]([16, 24, 24])
    angle = torch.tensor(triple[owner].T * names["omega"])
    waves = [torch.cat([wave, wave], dim=1)[None] for wave in (angle.cos(), angle.sin())]
    q = torch.tensor(x)[None, None]
    theirs, _ = qwen2_vl.apply_rotary_pos_emb(q, q, *waves)
    np.testing.assert_allclose(names["rotate"](x, triple, owner), theirs[0, 0].numpy(), atol=1e-9)
    text = np.tile(np.arange(224), (3, 1))
    ordinary = apply_rotary(x, 224, base=1e6, layout="half")
    np.testing.assert_allclose(names["rotate"](x, text, owner), ordinary, atol=1e-9)


def test_qwen3_vl_writes_the_time_of_each_frame_and_numbers_it_as_a_picture(names):
    frames = [2, (1, 2, 4), 3, (1, 2, 4), 3, (1, 2, 4), 1]  # words stand before each frame
    theirs = their_triples(frames, model_class=qwen3_vl.Qwen3VLModel, videos=[(3, 2, 4)])
    assert np.array_equal(theirs, names["numbered"](frames))
    processing = pytest.importorskip("transformers.models.qwen3_vl.processing_qwen3_vl")
    processor = SimpleNamespace(
        video_processor=SimpleNamespace(merge_size=2, temporal_patch_size=2),
        vision_start_token="[",
        vision_end_token="]",
        video_token="v",
        _calculate_timestamps=lambda *_: [0.5, 1.5],
    )
    metadata = SimpleNamespace(fps=1, frames_indices=[0, 1, 2, 3])
    inputs = {"video_grid_thw": torch.tensor([[2, 2, 4]]), "video_metadata": [metadata]}
    text = processing.Qwen3VLProcessor.replace_video_token(processor, inputs, 0)
    assert text == "<0.5 seconds>[vv]<1.5 seconds>[vv]"


def test_the_bases_and_the_sections_by_default_are_those_named(names):
    ours, third = qwen2_vl.Qwen2VLConfig(), qwen3_vl.Qwen3VLConfig()
    assert ours.text_config.rope_parameters["rope_theta"] == names["config"]["rope_theta"] == 1_000_000
    assert third.text_config.rope_parameters["rope_theta"] == 500_000
    assert ours.vision_config.rope_parameters == {"rope_theta": 10_000, "rope_type": "axial"}
    for rotary, text, sections in (
        (qwen2_vl.Qwen2VLRotaryEmbedding, ours.text_config, [16, 24, 24]),
        (qwen3_vl.Qwen3VLTextRotaryEmbedding, third.text_config, [24, 20, 20]),
    ):
        assert list(rotary(text).mrope_section) == sections


def test_patches_of_qwen2_vl_do_not_see_what_comes_later():
    sizes = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "vocab_size": 8}
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]}
    text = qwen2_vl.Qwen2VLConfig(
        text_config=sizes | {"num_attention_heads": 2, "num_key_value_heads": 2, "rope_parameters": rope}
    ).text_config
    torch.manual_seed(0)
    model = qwen2_vl.Qwen2VLTextModel(text).eval()
    x = torch.randn(1, 8, 32)
    places = torch.from_numpy(np.indices((1, 2, 4)).reshape(3, 1, 8))  # one picture of 2 × 4 patches
    other = x.clone()
    other[0, 5] += 1
    with torch.no_grad():
        before, after = (
            model(inputs_embeds=each, position_ids=places).last_hidden_state[0] for each in (x, other)
        )
    assert torch.allclose(before[:5], after[:5], atol=1e-6)
    assert (before[5:] - after[5:]).abs().amax(dim=1).min() > 1e-4
