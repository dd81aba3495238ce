"""A figure for a narrow page: its panels one below the other, its text large enough to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
    places = {axes: (axes.get_position(True), axes.get_position(False)) for axes in figure.axes}
    before: Any = figure.get_size_inches(), figure.dpi
    moved = {text: text.get_position() for text in figure.texts}  # the layout moves the figure's title
    titles = [title for axes in panels for title in (axes.title, axes._left_title, axes._right_title)]
    wrapped = {text: text.get_wrap() for axes in panels for text in [*titles, *axes.texts]}
    bars = [axes._colorbar_info for axes in figure.axes if hasattr(axes, "_colorbar_info")]
    pads = [bar["pad"] for bar in bars]  # shares of what stands beside it
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    dpi = max(72 * LEAST / text.get_size() for text in texts) if texts else figure.dpi
    heights = {}  # of each panel, in their order
    for spec in sorted(panels.values(), key=lambda spec: spec.num1):
        across, down = len(spec.colspan) / columns, len(spec.rowspan) / rows
        shape = figure.bbox.height * down / max(figure.bbox.width * across, width)
        heights[spec.num1] = width * max(shape, SHAPE) / dpi
    new, order = GridSpec(len(heights), 1, figure, height_ratios=[*heights.values()]), [*heights]
    try:
        figure.dpi = dpi
        figure.set_size_inches(width / dpi, sum(heights.values()))
        for axes, spec in panels.items():
            axes.set_subplotspec(new[order.index(spec.num1)])
        for text in wrapped:
            text.set_wrap(True)
        for bar, pad in zip(bars, pads, strict=True):
            bar["pad"] = pad * before[0][0] * before[1] / width
        figure.set_layout_engine("constrained")
        for _ in range(3):  # the ticks follow the layout, and the layout the ticks
            figure.draw_without_rendering()
            spare = {spec.num1: _spare(axes) for axes, spec in panels.items()}
            heights = {panel: heights[panel] - spare[panel] for panel in order}
            new.set_height_ratios([*heights.values()])
            figure.set_size_inches(width / dpi, sum(heights.values()))
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        yield
    finally:
        figure.set_layout_engine("none")
        figure.dpi = before[1]
        figure.set_size_inches(before[0])
        for axes, spec in panels.items():
            axes.set_subplotspec(spec)
        for axes, (original, active) in places.items():
            axes._set_position(original, "original")
            axes._set_position(active, "active")
        for text, place in moved.items():
            text.set_position(place)
        for text, was in wrapped.items():
            text.set_wrap(was)
        for bar, pad in zip(bars, pads, strict=True):
            bar["pad"] = pad


def _spare(axes: Axes) -> float:
    """The inches of its height that a panel of a fixed proportion does not need."""
    whole, used = axes.get_position(original=True), axes.get_position(original=False)
    return (whole.height - used.height) * axes.figure.get_size_inches()[1]
