"""Every control of every live figure, driven to both ends and through random steps."""

import re
import symtable

import ipywidgets
import numpy as np
import pytest

from pe_helpers.figures import live, plots, slider
from tests.conftest import code_cells
from tests.driving import live_figures, picture_of, values_at, values_of


def test_every_control_moves_its_picture_and_its_caption(path):
    figures = live_figures(path)
    assert figures
    for figure in figures:
        for name, control in figure.controls.items():
            figure.to_start()
            pictures, captions = set(), set()
            for value in values_of(control, np.random.default_rng(0)):
                control.value = value  # an exception in `update` is raised here
                pictures.add(tuple(picture_of(figure)))
                captions.add(figure.caption)
            assert len(pictures) > 1, f"{name} does not change the picture"
            assert len(captions) > 1, f"{name} does not change the caption"
            signed = [caption for caption in captions if re.search(r"[-−+]0(\.0+)?(?![\d.]*\d)", caption)]
            assert not signed, f"zero has no sign: {signed}"


def test_what_is_kept_is_what_would_be_recorded_anew(path):
    for figure in live_figures(path):
        for control in figure.controls.values():
            for value in values_of(control, np.random.default_rng(1))[:4]:
                control.value = value
                kept = figure.display_lists()
                figure.restore()
                assert kept == figure.frame_at(values_at(figure)).display_lists


def test_all_controls_together(path):
    rng = np.random.default_rng(2)
    for figure in live_figures(path):
        for _ in range(20):
            for control in figure.controls.values():
                values = values_of(control, rng)
                control.value = values[rng.integers(len(values))]


def test_every_preset_changes_the_picture(path):
    for figure in live_figures(path):
        rng, changed = np.random.default_rng(3), []
        for name, button in figure.buttons.items():
            figure.to_start()
            for each, control in figure.controls.items():
                is_text, wanted = isinstance(control, ipywidgets.Text), figure.settings[name].get(each)
                values = ["other words"] if is_text else values_of(control, rng)
                control.value = next(value for value in values[::-1] if value != wanted)
            before = picture_of(figure), figure.caption
            button.click()
            assert figure.caption != before[1], name
            changed.append(picture_of(figure) != before[0])  # two of 10's remedies mark no hand
        assert sum(changed) > len(changed) / 2


def test_pictures_fit_the_page_and_can_be_read(path):
    for figure in live_figures(path):
        width, _ = figure.figure.get_size_inches()
        assert width <= 11
        texts = [text for text in figure.figure.findobj(plots.matplotlib.text.Text) if text.get_text()]
        assert min(text.get_fontsize() for text in texts) >= 10


def test_no_text_is_cut_at_the_edge(path):
    for figure in live_figures(path):
        for end in (0, 1):
            for control in figure.controls.values():
                control.value = values_of(control, np.random.default_rng(0))[end]
            edge = figure.figure.bbox
            for axes in figure.figure.axes:
                texts = [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
                for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
                    low, high = sorted(axis.get_view_interval())
                    texts += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
                for text in texts:
                    box = text.get_window_extent()
                    if text.get_text() and box.width:
                        assert box.y1 <= edge.y1 + 1 and box.y0 >= edge.y0 - 1, text
                        assert box.x1 <= edge.x1 + 1 and box.x0 >= edge.x0 - 1, text


def test_captions_are_sentences(path):
    for figure in live_figures(path):
        figure.to_start()
        words = figure.caption
        assert words.endswith(".") and len(words.split()) >= 8


def test_an_exception_in_update_fails_such_a_test():
    def update(k):
        if k > 3:
            raise ZeroDivisionError("k")
        return "A caption."

    broken = live(plots.new_figure(2, 2)[0], update, k=slider(0, 5))
    with pytest.raises(ZeroDivisionError):
        for value in values_of(broken.controls["k"], np.random.default_rng(0)):
            broken.controls["k"].value = value


def test_later_cells_do_not_overwrite_what_update_uses(notebook):
    """Variables of a notebook are global: a later `left = ...` would move titles of another picture."""
    cells = [symtable.symtable(cell.source, "cell", "exec") for cell in code_cells(notebook)]
    functions = {}
    for number, cell in enumerate(cells):
        defined = {table.get_name(): global_names(table) for table in cell.get_children()}
        functions |= defined
        if "update" in defined:
            used = follow(defined["update"], functions)
            for later in cells[number + 1 :]:
                stored = {symbol.get_name() for symbol in later.get_symbols() if symbol.is_assigned()}
                assert not used & stored


def global_names(table):
    """The global names that a function or class uses, also in the functions within it."""
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return names.union(*map(global_names, table.get_children()))


def follow(names, functions):
    """These names and all that the notebook's own functions among them use, {function: its names}."""
    found, new = set(), set(names)
    while new:
        found |= new
        new = set().union(*(functions.get(name, ()) for name in new)) - found
    return found
