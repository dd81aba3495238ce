"""What notebook 05's live figure says in words, and what its table marks."""

import itertools
import math
import re

import nbformat
import numpy as np
import torch
from matplotlib.text import Text

from live_figures import record
from live_figures._narrow import narrow
from live_figures.recording import NARROW
from pe_helpers.models import attention_maps, load_trained
from tests import driving
from tests.conftest import run_notebook
from tools.course import NOTEBOOKS


def test_05_the_caption_takes_two_lines_of_a_page_everywhere():
    """So what stands below does not jump: a line of a page 1,280 pixels wide has some ninety letters."""
    update = run_notebook(NOTEBOOKS[5]).names["update_shift"]
    for values in itertools.product((-30, -10, 0, 3, 30), (10, 100, 10_000, 1_000_000), (8, 16, 32)):
        assert 100 < len(update(*values)) < 180


def test_05_the_presets_are_what_they_are_called_and_the_caption_says_where_the_fast_hands_stand():
    update = run_notebook(NOTEBOOKS[5]).names["update_shift"]
    shown, _ = driving.live_figures(NOTEBOOKS[5])
    names = {name: preset["k"] for name, preset in shown.settings.items() if name != "reset"}
    assert names == {"k = −10": -10, "k = −1": -1, "k = 10": 10}
    assert "hand, by 0°" in update(0, 10_000, 32)
    assert "hand, by 172°" in update(3, 10_000, 32)


def test_05_the_caption_names_the_positions_in_the_thick_frame():
    update = run_notebook(NOTEBOOKS[5]).names["update_shift"]
    named = {-10: "positions −10 to −1", -1: "position −1", 1: "position 30", 10: "positions 30 to 39"}
    for k, said in named.items():
        assert f"Thick frame: {said}, not in the table." in update(k, 10_000, 8)
    assert "frame" not in update(0, 10_000, 8)


def test_05_dimension_0_of_the_product_is_nearly_the_tables_where_the_answer_says():
    names = run_notebook(NOTEBOOKS[5]).names
    table = names["sinusoidal"](30, 8)
    off = [abs(table @ names["shift_matrix"](k, 8) - table)[:, 0].max() for k in range(31)]
    nearest = [k for k in range(1, 30) if off[k] < min(off[k - 1], off[k + 1])]
    assert off[0] == 0 and nearest == [6, 13, 19, 25] and max(off[k] for k in nearest) < 0.45
    assert sorted(range(1, 31), key=off.__getitem__)[:4] == [25, 19, 6, 13]


def test_05_a_phone_shows_the_formula_in_a_row_and_no_control_makes_another_jump():
    shown, _ = driving.live_figures(NOTEBOOKS[5])
    *panels, bar = shown.figure.axes
    with narrow(shown.figure, NARROW):
        assert shown.figure.bbox.height < 300  # beside slider and caption on 667 pixels
        before, matrix, after = (axes.bbox for axes in panels)
        assert before.x1 < matrix.x0 and matrix.x1 < after.x0 and min(before.width, after.width) > 55
        assert np.allclose([before.y0, before.y1], [after.y0, after.y1])  # row beside row
        for k, d_model in itertools.product((-30, 0, 30), (8, 32)):
            shown.update(k, 10_000, d_model)
            boxes = [axes.get_tightbbox() for axes in panels]
            assert boxes[0].x1 < boxes[1].x0 and boxes[1].x1 < boxes[2].x0 and boxes[2].x1 <= NARROW
            assert bar.get_tightbbox().y1 < boxes[1].y0
            assert max(box.y1 for box in boxes) <= shown.figure.bbox.height
    shown.invalidate()
    recording = record(shown, steps=5)
    assert len(recording.frames) == math.prod(len(control.values) for control in recording.controls)


def test_05_the_figure_is_as_wide_as_its_page_with_panels_that_can_be_followed():
    shown, _ = driving.live_figures(NOTEBOOKS[5])
    *panels, bar = shown.figure.axes
    width = shown.figure.bbox.width
    assert 810 < width <= 824  # of a page 1,280 pixels wide
    assert min(axes.bbox.width for axes in panels) > 165
    assert bar.bbox.x0 - panels[-1].bbox.x1 >= 7
    texts = [text for text in shown.figure.findobj(Text) if text.get_visible() and text.get_text()]
    assert (
        min(text.get_size() for text in texts) * shown.figure.dpi / 72 * 1130 / width >= 20
    )  # pixels on a slide


def test_05_the_highest_score_of_each_query_is_bold():
    """One place left of the diagonal, which nobody finds among twenty-five plain numbers."""
    cells = nbformat.read(NOTEBOOKS[5], as_version=4).cells
    (cell,) = (cell for cell in cells if "largest=True" in cell.source)
    rows = re.findall(r"<tr>(<td>.*?)</tr>", cell.outputs[0].data["text/html"])
    assert [row.split("</td>").index("<td><b>5.657</b>") for row in rows[1:]] == [1, 2, 3, 4]


def test_05_a_hand_at_position_9_is_turned_by_what_the_answers_say():
    names = run_notebook(NOTEBOOKS[5]).before["exercise-1"]
    assert names["rate"] == 0.4 and names["k"] == 4
    assert np.allclose(names["hand"](9 * 0.4) @ names["rotation"](1.6), names["hand"](5.2))


def test_05_the_matrix_of_two_hands_is_what_its_cell_prints():
    cells = nbformat.read(NOTEBOOKS[5], as_version=4).cells
    n = next(n for n, cell in enumerate(cells) if "def blocks(" in cell.source)
    (formula,) = re.findall(r"\$\$T\(1\) = (.*?)\$\$", cells[n - 1].source, re.S)
    numbers = r"-?\d+\.?\d*"
    numerals = re.findall(r"\\(cos|sin) ([\d.]+) = ([\d.]+)", cells[n - 1].source)
    assert len(numerals) == 4
    assert all(f"{getattr(math, name)(float(angle)):.3f}" == value for name, angle, value in numerals)
    set_out, blank = re.findall(r"\\boxed\{\\begin\{matrix\}(.*?)\\end", formula), np.zeros((2, 2))
    fast, slow = (np.array(re.findall(numbers, block), float).reshape(2, 2) for block in set_out)
    printed = np.array(re.findall(numbers, cells[n].outputs[0].text), float).reshape(4, 4)
    assert (np.block([[fast, blank], [blank, slow]]) == printed).all()


def test_05_the_matrices_of_the_first_hand_are_those_of_the_helper():
    """R(½) and R(1), R(3) and R(−3); the first hand has rate 1, and T has its turn at the top left."""
    cells = nbformat.read(NOTEBOOKS[5], as_version=4).cells
    names = run_notebook(NOTEBOOKS[5]).before["exercise-1"]
    (set_out,) = (cell.source for cell in cells if r"R(\tfrac12)\,R(\tfrac12) =" in cell.source)
    written = [
        np.array(re.findall(r"-?\d\.\d+", matrix.replace(r"\phantom{-}", "")), float).reshape(2, 2)
        for matrix in re.findall(r"\\begin\{bmatrix\}(.*?)\\end", set_out)
    ]
    (printed,) = (cell.outputs[0].text for cell in cells if "T(½) T(½)" in cell.source)
    assert printed == "T(½) T(½) is T(1): True\nT(3) transposed is T(−3): True\n" and len(written) == 4
    for matrix, k in zip(written, (0.5, 1, 3, -3), strict=True):
        assert np.array_equal(matrix, names["rotation"](k).round(2))
        assert np.allclose(names["rotation"](k), names["shift_matrix"](k, 64)[:2, :2])


def test_05_the_frames_of_the_blocks_are_drawn_whole():
    """The last one's right and lower side stand on the edge of the panel, which would halve them."""
    names = run_notebook(NOTEBOOKS[5]).before["exercise-1"]
    frames = names["around_blocks"]
    across, down = frames.get_data()
    assert max(across[np.isfinite(across)]) == max(frames.axes.get_xlim())
    assert max(down[np.isfinite(down)]) == max(frames.axes.get_ylim())
    assert not frames.get_clip_on()


def test_05_words_make_the_trained_heads_look_one_back():
    """Age gives pack more than half, and another age at the same place less, in every head and anywhere."""
    trained = load_trained("sinusoidal")
    pair = trained.encode(" package")
    assert [trained.decode(token) for token in pair[0]] == [" pack", "age"]
    names = run_notebook(NOTEBOOKS[5]).names
    to_age, to_pack, to_equal, to_all = names["shares"].values()
    for ids, shown in ((pair, to_pack), (pair[:, [1, 1]], to_age)):
        assert np.allclose(attention_maps(trained.model, ids)[0, 0, :, 1, 0], shown)
    assert (to_pack > 0.5).all() and (to_age < 0.5).all()
    assert (to_equal < 0.5).all() and (to_all > 0.5).all()
    for place in (9, 60, 120):
        filler = trained.texts(1)[:, :place]
        for one, is_more in ((pair[:, :1], True), (pair[:, 1:], False)):
            text = np.concatenate([filler, one, pair[:, 1:]], axis=1)
            given = attention_maps(trained.model, filler.new_tensor(text))[0, 0, :, -1, -2:]
            assert ((given[:, 0] > given[:, 1]) == is_more).all(), place


def test_05_what_stands_before_a_token_fits_its_query_better_than_what_does_not():
    """In each head of the first layer, at the place one back: why the words help, as the text supposes."""
    trained = load_trained("sinusoidal")
    model, texts = trained.model, trained.texts(256)[:, :128]
    query, key, _ = model.blocks[0].queries_keys_values(model.embed(texts), None)
    scores = [(query[:, :, 1:] * keys[:, :, :-1]).sum(-1).mean((0, 2)) for keys in (key, key.roll(1, 0))]
    assert (scores[0] > scores[1]).all()


def test_05_on_average_a_token_gives_another_one_before_it_more_than_half_and_a_copy_of_itself_less():
    """Not *pack* and *age* alone: all pairs of neighbours in some texts, as two tokens, in every head."""
    trained = load_trained("sinusoidal")
    texts = trained.texts(32)[:, :128]
    pairs = texts.unfold(1, 2, 1).reshape(-1, 2).unique(dim=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]][::2]
    assert len(pairs) > 1000
    before, copy = (attention_maps(trained.model, some)[0, :, :, 1, 0] for some in (pairs, pairs[:, [1, 1]]))
    assert (before.mean(0) > 0.5).all() and (copy.mean(0) < 0.5).all()
    assert ((copy < 0.5).double().mean(0) > 0.9).all()


def test_05_in_real_text_words_favour_the_token_before_over_the_token_itself_in_every_head():
    """Of the two scores' mean difference in real text, in which softmax cancels, what position leaves."""
    names = run_notebook(NOTEBOOKS[5]).names
    maps = attention_maps(names["model"], names["texts"])[0].double()  # (texts, heads, 128, 128)
    asks = np.arange(33, 128)
    in_text = (maps[..., asks, asks - 1] / maps[..., asks, asks]).log().mean((0, 2)).numpy()
    by_words = in_text - (names["alone"][:, 1] - names["alone"][:, 0])
    assert (by_words > 0.2).all(), by_words


def test_05_without_the_order_of_the_text_one_back_leads_all_the_same():
    """Words say "not itself", not who stands before: in every head, with the tokens shuffled."""
    trained = load_trained("sinusoidal")
    texts = trained.texts(32)[:, :128]
    shuffled = texts.flatten()[torch.randperm(texts.numel(), generator=torch.Generator().manual_seed(0))]
    maps = attention_maps(trained.model, shuffled.view_as(texts))[0]
    asks = np.arange(33, 128)
    given = np.stack([maps[..., asks, asks - back].mean((0, 2)) for back in range(9)], axis=1)  # (heads, 9)
    assert (given.argmax(axis=1) == 1).all(), given.round(3)
