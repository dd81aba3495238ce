"""Notebook 14 against transformers: the three numbers of M-RoPE, its sections, and what happens on text."""

from types import MethodType, SimpleNamespace

import numpy as np
import pytest
import torch
from conftest import NOTEBOOKS, run_notebook

from pe_helpers import apply_rotary

qwen2_vl = pytest.importorskip("transformers.models.qwen2_vl.modeling_qwen2_vl")
pytest.importorskip("transformers.models.qwen3_vl.modeling_qwen3_vl")


@pytest.fixture(scope="module")
def names():
    return run_notebook(next(path for path in NOTEBOOKS if path.stem == "14_two_dimensions")).names


def their_triples(parts):
    """What Qwen2-VL numbers: words, and (frames, rows, columns) of tokens, pictures if there is one frame."""
    config = SimpleNamespace(vision_config=SimpleNamespace(spatial_merge_size=2))
    model = SimpleNamespace(config=config)
    for method in ("get_vision_position_ids", "get_rope_index"):
        setattr(model, method, MethodType(getattr(qwen2_vl.Qwen2VLModel, method), model))
    kinds, grids = [], {1: [], 2: []}
    for part in parts:
        kind = 0 if isinstance(part, int) else 1 if part[0] == 1 else 2
        kinds += [kind] * int(np.prod(part))
        if kind:
            grids[kind].append([part[0], 2 * part[1], 2 * part[2]])  # patches before 2 × 2 are merged
    pictures, videos = (torch.tensor(grids[kind]) if grids[kind] else None for kind in (1, 2))
    ids = torch.zeros(1, len(kinds), dtype=torch.long)
    return model.get_rope_index(ids, torch.tensor([kinds]), pictures, videos)[0][:, 0].numpy()


def test_the_three_numbers_are_those_of_qwen2_vl(names):
    assert np.array_equal(names["triple"], their_triples([16, (1, 12, 16), 16]))
    for parts in ([3, (1, 2, 4), 2], [2, (1, 4, 3), 1, (3, 2, 4), 5, (1, 1, 1), 1], [(2, 3, 2), 1]):
        assert np.array_equal(names["numbered"](parts), their_triples(parts)), parts


def test_after_a_long_video_it_continues_as_the_last_exercise_says(names):
    theirs = their_triples([4, (60, 12, 16), 1])
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
