"""Every public function names a bad argument, its value and what is allowed."""

import re

import numpy as np
import pytest
import torch
from ipywidgets import Image

import pe_helpers as pe
from pe_helpers.figures import choice, live, log_slider, plots, slider, text

ANY = object()  # any words for the value, such as the shape of an array
POSITIONS = [-1, True, 2.5, None, "abc", [[1, 2], [3]], np.ones((2, 2)), [1, np.nan], [1j], object()]
TABLE = np.ones((4, 3), complex)
MATRICES = [3, [1, 2], [["a"]], None, [[1], [1, 2]], [[1, np.inf]], np.ones((0, 3)), torch.ones(2, 2, 2)]
MATRICES.append([[torch.ones((), device="meta")]])  # a list of tensors that NumPy cannot take


def cases():
    for call in (pe.angle_rates, pe.layout_permutation):
        for d_model in (7, 0, -2, 8.0, "8", True, None):
            yield "d_model", d_model, lambda call=call, d=d_model: call(d)
    for base in (1, 0.5, np.nan, np.inf, "10", None):
        yield "base", base, lambda base=base: pe.sinusoidal(4, 8, base=base)
        yield "base", base, lambda base=base: pe.shift_matrix(4, 8, base=base)
    for word in ("papers", None, 3):
        yield "spacing", word, lambda word=word: pe.angles(4, 8, spacing=word)
        yield "layout", word, lambda word=word: pe.sinusoidal(4, 8, layout=word)
        yield "layout", word, lambda word=word: pe.shift_matrix(4, 8, layout=word)
    for offset in (np.nan, np.inf, "1", None, True):
        yield "offset", offset, lambda offset=offset: pe.shift_matrix(offset, 8)
    for positions in POSITIONS:
        yield "positions", ANY, lambda p=positions: pe.sinusoidal(p, 8)
        yield "positions", ANY, lambda p=positions: pe.angles(p, 8)
    for dtype in ("int32", np.int64, "float", torch.float32, 3):
        yield "dtype", dtype, lambda dtype=dtype: pe.sinusoidal(4, 8, dtype=dtype)
    for dtype in (np.float32, torch.int32):
        yield "dtype", dtype, lambda dtype=dtype: pe.sinusoidal(torch.arange(4), 8, dtype=dtype)
    for name in ("dot_products", "cosine_similarity", "euclidean_distances", "pearson_correlation"):
        for matrix in MATRICES:
            yield "x", ANY, lambda name=name, matrix=matrix: getattr(pe, name)(matrix)
    yield from rotary_cases()
    yield from bias_cases()
    for matrix in MATRICES:
        yield "matrix", ANY, lambda matrix=matrix: plots.heatmap(plots.new_figure(2, 2)[1], matrix)
    yield "colours", "jet", lambda: plots.heatmap(plots.new_figure(2, 2)[1], np.eye(2), colours="jet")
    for limits in (3, (1,), (1, 2, 3), (1, 1), (2, 1), (0, np.nan), "ab"):
        yield (
            "limits",
            limits,
            lambda limits=limits: plots.heatmap(plots.new_figure(2, 2)[1], np.eye(2), limits=limits),
        )
    yield "ys", ANY, lambda: plots.curves(plots.new_figure(2, 2)[1], range(3), [1, 2])
    yield "labels", ["a"], lambda: plots.curves(plots.new_figure(2, 2)[1], range(2), np.eye(2), labels=["a"])
    yield "base", 10**400, lambda: pe.angle_rates(8, base=10**400)
    yield "width", 0, lambda: plots.new_figure(0, 2)
    yield "rows", 0, lambda: plots.new_figure(2, 2, rows=0)
    yield "high", 1, lambda: slider(1, 1)
    yield "start", 9, lambda: slider(0, 5, 9)
    yield "step", 0, lambda: slider(0, 5, step=0)
    yield "low", None, lambda: slider(None, 5)
    yield "low", 0, lambda: log_slider(0, 5)
    yield "high", "x", lambda: log_slider(1, "x")
    yield "step", "x", lambda: slider(1, 2, step="x")
    yield "start", 0.5, lambda: log_slider(1, 5, 0.5)
    yield "high", 1.1, lambda: log_slider(1, 1.1)
    yield "high", 10**400, lambda: slider(0, 10**400)
    for options in ([], None, 3, {}):
        yield "options", options, lambda options=options: choice(options)
    yield "label", None, lambda: slider(0, 5, label=None)
    yield "start", 3, lambda: text(3)
    yield "picture", ANY, lambda: live(plots.new_figure(2, 2)[0], lambda picture: "", picture=Image())
    yield "start", "c", lambda: choice(["a", "b"], "c")
    yield "figure", None, lambda: live(None, lambda: "")
    yield "update", 3, lambda: live(plots.new_figure(2, 2)[0], 3)
    yield "k", 3, lambda: live(plots.new_figure(2, 2)[0], lambda k: "", k=3)
    yield "controls", ANY, lambda: live(plots.new_figure(2, 2)[0], lambda k: "", p=slider(0, 1))


def rotary_cases():
    x, rates = np.ones((4, 8)), pe.angle_rates(8)
    for bad in (3, [1, 2], [["a"]], None, np.ones((4, 8), complex), torch.ones(3), object()):
        yield "x", ANY, lambda bad=bad: pe.apply_rotary(bad, 4)
        yield "x", ANY, lambda bad=bad: pe.rotate_pairs(bad, TABLE)
    for d in (7, 1, 0):
        yield "x", d, lambda d=d: pe.apply_rotary(np.ones((4, d)), 4)
    for positions in (*POSITIONS, 3, 5, [1, 2, 3], torch.arange(5)):
        yield "positions", ANY, lambda p=positions: pe.apply_rotary(x, p)
    for positions in POSITIONS:
        yield "positions", ANY, lambda p=positions: pe.rotary_table(p, rates)
    for bad in (3, "abc", [[1.0]], [np.nan], [np.inf, 1], [1j], object()):
        yield "rates", ANY, lambda bad=bad: pe.apply_rotary(x, 4, rates=bad)
        yield "rates", ANY, lambda bad=bad: pe.rotary_table(4, bad)
    yield "rates", 5, lambda: pe.apply_rotary(x, 4, rates=np.ones(5))
    for word in ("halves", None, 3):
        yield "layout", word, lambda word=word: pe.apply_rotary(x, 4, layout=word)
        yield "layout", word, lambda word=word: pe.rotate_pairs(x, TABLE, layout=word)
    for dtype in ("int32", "complex64", np.int64, torch.float32, 3):
        yield "dtype", dtype, lambda dtype=dtype: pe.rotary_table(4, rates, dtype=dtype)
    for bad in (None, 3, "table", [[1j]], rates, TABLE.real, TABLE[0], TABLE[:3], np.ones((4, 5), complex)):
        yield "table", ANY, lambda bad=bad: pe.rotate_pairs(x, bad)
        yield "table", ANY, lambda bad=bad: pe.rotate_pairs(torch.ones(4, 8), bad)
    stretches = {
        pe.interpolate_rates: (2,),
        pe.ntk_rates: (2,),
        pe.dynamic_ntk_rates: (2, 100, 50),
        pe.yarn_rates: (2, 50),
        pe.llama3_rates: (2, 50),
    }
    for call, (factor, *lengths) in stretches.items():
        for bad in (7, 0, -2, 8.0, "8", True, None):
            yield "d_head", bad, lambda call=call, bad=bad, rest=(factor, *lengths): call(bad, *rest)
        for bad in (0, -1, np.nan, np.inf, "2", True, None):
            yield "factor", bad, lambda call=call, bad=bad, rest=lengths: call(8, bad, *rest)
        for bad in (1, 0.5, np.nan, "10", None):
            yield (
                "base",
                bad,
                lambda call=call, bad=bad, rest=(factor, *lengths): call(8, *rest, base=bad),
            )
    for bad in (0, -1, np.nan, np.inf, "2", True, None):
        yield "length", bad, lambda bad=bad: pe.dynamic_ntk_rates(8, 2, bad, 50)
        yield "trained_length", bad, lambda bad=bad: pe.dynamic_ntk_rates(8, 2, 50, bad)
        yield "trained_length", bad, lambda bad=bad: pe.yarn_rates(8, 2, bad)
        yield "trained_length", bad, lambda bad=bad: pe.llama3_rates(8, 2, bad)
        yield "alpha", bad, lambda bad=bad: pe.yarn_rates(8, 2, 50, alpha=bad)
        yield "low_freq_factor", bad, lambda bad=bad: pe.llama3_rates(8, 2, 50, low_freq_factor=bad)
        yield "factor", bad, lambda bad=bad: pe.yarn_attention_factor(bad)
    for bad in (1, 0.5, np.inf, "2", None):
        yield "beta", bad, lambda bad=bad: pe.yarn_rates(8, 2, 50, beta=bad)
        yield "high_freq_factor", bad, lambda bad=bad: pe.llama3_rates(8, 2, 50, high_freq_factor=bad)


def bias_cases():
    for bad in (0, -1, 2.0, "2", True, None):
        yield "heads", bad, lambda bad=bad: pe.alibi_slopes(bad)
        yield "heads", bad, lambda bad=bad: pe.alibi_bias(bad, 4)
        yield "buckets", bad, lambda bad=bad: pe.t5_bucket([1], buckets=bad)
        yield "max_distance", bad, lambda bad=bad: pe.t5_bucket([1], max_distance=bad)
    for positions in POSITIONS:
        yield "positions", ANY, lambda p=positions: pe.alibi_bias(2, p)
    for dtype in ("int32", np.int64, torch.float32, 3):
        yield "dtype", dtype, lambda dtype=dtype: pe.alibi_bias(2, 4, dtype=dtype)
    for bad in ([0.5], "abc", None, [[1, 2], [3]], [1j], [True], torch.ones(2), object()):
        yield "relative_position", ANY, lambda bad=bad: pe.t5_bucket(bad)
    yield "buckets", 3, lambda: pe.t5_bucket([1], buckets=3)
    yield "buckets", 1, lambda: pe.t5_bucket([1], buckets=1, bidirectional=False)
    yield "max_distance", 8, lambda: pe.t5_bucket([1], max_distance=8)
    yield "max_distance", 16, lambda: pe.t5_bucket([1], max_distance=16, bidirectional=False)


@pytest.mark.parametrize(("name", "value", "call"), list(cases()))
def test_bad_input_is_named(name, value, call):
    with pytest.raises(ValueError) as caught:
        call()
    told = re.fullmatch(rf"(the )?{name} must (be|hold) .*; got (.+)", str(caught.value), re.S)
    assert told and (value is ANY or told[3].startswith(repr(value))), caught.value
