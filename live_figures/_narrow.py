"""A figure for a narrow page: its panels one below the other, its text large enough to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.text import Text

LEAST = 11  # pixels of a letter's size
SHAPE = 2 / 3  # of a panel: its height, at least, for its width


@contextmanager
def narrow(figure: Figure, width: int) -> Iterator[None]:
    """Lay out a figure of `subplots` for a page of so many pixels; afterwards it is as it was.

    Its panels stand one below the other, each as high as it was for its width, and at least two thirds of the
    width; its smallest letters have 11 pixels. Raises ValueError where the panels are of several grids.

    >>> figure = Figure(figsize=(8, 3))
    >>> left, right = figure.subplots(1, 2)
    >>> with narrow(figure, 340):
    ...     print(left.get_position().y0 > right.get_position().y1)
    True
    """
    panels = {axes: axes.get_subplotspec() for axes in figure.axes if axes.get_subplotspec()}
    if len(grids := {spec.get_gridspec() for spec in panels.values()}) != 1:
        raise ValueError(f"figure must be laid out by one call of subplots for a narrow page; got {figure!r}")
    rows, columns = grids.pop().get_geometry()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    dpi = max(72 * LEAST / text.get_size() for text in texts) if texts else figure.dpi
    heights = {}  # of each panel, in their order
    for spec in sorted(panels.values(), key=lambda spec: spec.num1):
        across, down = len(spec.colspan) / columns, len(spec.rowspan) / rows
        shape = figure.bbox.height * down / max(figure.bbox.width * across, width)
        heights[spec.num1] = width * max(shape, SHAPE) / dpi
    new, order = GridSpec(len(heights), 1, figure), [*heights]
    with ExitStack() as undo:  # what is entered first is undone last
        for text in figure.texts:  # the layout moves the figure's title
            undo.callback(text.set_position, text.get_position())
        for axes in figure.axes:
            undo.callback(axes._set_position, axes.get_position(False), "active")
            undo.callback(axes._set_position, axes.get_position(True), "original")
            if bar := getattr(axes, "_colorbar_info", None):
                undo.callback(bar.update, pad=bar["pad"])
                bar["pad"] *= figure.bbox.width / width  # as many pixels as before
        undo.callback(figure.set_size_inches, figure.get_size_inches())
        undo.callback(setattr, figure, "dpi", figure.dpi)
        for axes, spec in panels.items():
            undo.callback(axes.set_subplotspec, spec)
            axes.set_subplotspec(new[order.index(spec.num1)])
            titles = axes.title, axes._left_title, axes._right_title
            for text in (*titles, axes.xaxis.label, axes.yaxis.label):
                undo.callback(text.set_wrap, text.get_wrap())
                text.set_wrap(True)
        undo.callback(figure.set_layout_engine, "none")
        figure.dpi = dpi
        figure.set_layout_engine("constrained")
        line = 1.5 * LEAST / dpi  # inches that a title at the top or a label at the bottom may gain
        for _ in range(4):  # the ticks follow the layout, and the layout the ticks
            whole = sum(heights.values()) + 2 * line
            new.set_height_ratios([*heights.values()])
            figure.set_size_inches(width / dpi, whole)
            figure.get_layout_engine().set(rect=(0, line / whole, 1, 1 - 2 * line / whole))
            figure.draw_without_rendering()
            spare = {spec.num1: _spare(axes) for axes, spec in panels.items()}
            heights = {panel: heights[panel] - spare[panel] for panel in order}
        figure.set_layout_engine("none")
        yield


def _spare(axes: Axes) -> float:
    """The inches of its height that a panel of a fixed proportion does not need."""
    whole, used = axes.get_position(original=True), axes.get_position(original=False)
    return (whole.height - used.height) * axes.figure.get_size_inches()[1]
