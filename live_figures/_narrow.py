"""A figure for a narrow page: its panels one below the other, its text large enough to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.text import Text

LEAST = 11  # pixels of a letter's size


@contextmanager
def narrow(figure: Figure, width: int) -> Iterator[None]:
    """Lay out a figure of `subplots` for a page of so many pixels; afterwards it is as it was.

    Its panels stand one below the other, each as high as it was for its width, and at least two thirds of the
    width. Raises ValueError where the panels are of several grids, or one has several cells.

    >>> figure = Figure(figsize=(8, 3))
    >>> left, right = figure.subplots(1, 2)
    >>> with narrow(figure, 340):
    ...     print(left.get_position().y0 > right.get_position().y1)
    True
    """
    panels = {axes: axes.get_subplotspec() for axes in figure.axes if axes.get_subplotspec()}
    grids = {spec.get_gridspec() for spec in panels.values()}
    if len(grids) != 1 or any(spec.num1 != spec.num2 for spec in panels.values()):
        raise ValueError(f"figure must be laid out by one call of subplots for a narrow page; got {figure!r}")
    (grid,) = grids
    rows, columns = grid.get_geometry()
    places = {axes: (axes.get_position(True), axes.get_position(False)) for axes in figure.axes}
    before: Any = figure.get_size_inches(), figure.dpi
    moved = {text: text.get_position() for text in figure.texts}  # the layout moves the figure's title
    wrapped = {axes.title: axes.title.get_wrap() for axes in panels}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    dpi = max([figure.dpi, *(72 * LEAST / text.get_size() for text in texts)])
    height = figure.bbox.height / rows * min(1, width / (figure.bbox.width / columns))
    new = GridSpec(rows * columns, 1, figure)
    try:
        figure.dpi = dpi
        figure.set_size_inches(width / dpi, rows * columns * max(height, 2 * width / 3) / dpi)
        for axes, spec in panels.items():
            axes.set_subplotspec(new[spec.num1])
        for title in wrapped:
            title.set_wrap(True)
        figure.set_layout_engine("constrained")
        for _ in range(2):  # the ticks follow the layout, and the layout the ticks
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
        for title, was in wrapped.items():
            title.set_wrap(was)
