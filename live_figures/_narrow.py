"""A figure for a narrow page, its panels one below the other, or for a slide: its text is large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec
from matplotlib.layout_engine import ConstrainedLayoutEngine, PlaceHolderLayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox, ScaledTranslation

LEAST, ON_SLIDES = 11, 22  # pixels of a letter's size
SHAPE = 2 / 3  # of a panel: its height, at least, for its width
ROW = 3 / 4  # of the page's width: the height of three or more beside each other; two are square
LOW, ROUND = 1 / 3, 2 / 5  # of one of three or more rows, and of one that keeps its proportion
SMALL = 0.35  # of the figure's width: a panel of fixed proportion that was no wider stays small
BAR = 12  # pixels across a colour bar below a panel
GAP = 15  # pixels between what stands below a panel and the title of the next


@contextmanager
def narrow(figure: Figure, width: int) -> Iterator[None]:
    """Lay out a figure of `subplots` for a page of so many pixels; afterwards it is as it was.

    Its panels stand one below the other, each as high as it was for its width, and at least two thirds of the
    width. Three or more have a third of it, or a little more, so that they are seen together, but for images.
    After `live(…, narrow_columns=4)` four stand beside each other, but for one that is as wide as its grid,
    and the first where one would be left over. Where all are in one row, they are as wide as their grid says,
    and a colour bar stands below the one that leaves room there. Its smallest letters have 11 pixels. A
    legend beside a panel stands below it, and a panel that used its neighbour's tick labels has its own, if
    that is no longer beside it. Raises ValueError where the panels are of several grids.

    >>> figure = Figure(figsize=(8, 3))
    >>> left, right = figure.subplots(1, 2)
    >>> with narrow(figure, 340):
    ...     print(left.get_position().y0 > right.get_position().y1)
    True
    """
    panels = {axes: axes.get_subplotspec() for axes in figure.axes if axes.get_subplotspec()}
    if len(grids := {spec.get_gridspec() for spec in panels.values()}) != 1:
        raise ValueError(f"figure must be laid out by one call of subplots for a narrow page; got {figure!r}")
    grid = grids.pop()
    rows, columns = grid.get_geometry()
    beside = getattr(figure, "_narrow_columns", 1)  # that stand beside each other
    dpi = _dpi(figure, LEAST)
    places = _places(panels, beside)
    count = 1 + max(row for row, _ in places.values())
    heights = []  # of each row
    for row in range(count):
        inside = [axes for axes, place in places.items() if place[0] == row]
        spec = panels[inside[0]]
        across, down = len(spec.colspan) / columns, len(spec.rowspan) / rows
        shape = figure.bbox.height * down / max(figure.bbox.width * across, width)
        if places[inside[0]][1] == slice(None):
            low = LOW if inside[0].get_aspect() == "auto" else ROUND
            is_low = count > 2 or (low == ROUND and inside[0].bbox.width < SMALL * figure.bbox.width)
            is_low = is_low and not any(axes.images for axes in inside)
            heights.append(width * (low if is_low else max(shape, SHAPE)) / dpi)
        elif all(axes.get_aspect() != "auto" for axes in inside):
            own = max(axes.get_aspect() * axes.get_data_ratio() for axes in inside)
            heights.append(width / beside * own / dpi)
        else:
            heights.append(width * (ROW if beside > 2 else 1 / beside) / dpi)
    is_row = len(heights) == 1 and beside > 1
    ratios = grid.get_width_ratios() if beside == columns else None
    new = GridSpec(len(heights), beside, figure, width_ratios=ratios)
    with ExitStack() as undo:  # what is entered first is undone last
        for text in figure.texts:  # the layout moves the figure's title
            undo.callback(text.set_position, text.get_position())
            undo.callback(text.set_wrap, text.get_wrap())
            text.set_wrap(True)
        for axes in figure.axes:
            undo.callback(axes._set_position, axes.get_position(False), "active")
            undo.callback(axes._set_position, axes.get_position(True), "original")
            if bar := getattr(axes, "_colorbar_info", None):
                undo.callback(bar.update, pad=bar["pad"])
                bar["pad"] *= figure.bbox.width / width  # as many pixels as before
                if is_row:
                    _take_out_of_layout(axes, undo)
        undo.callback(figure.set_size_inches, figure.get_size_inches())
        undo.callback(setattr, figure, "dpi", figure.dpi)
        for axes, spec in panels.items():
            undo.callback(axes.set_subplotspec, spec)
            axes.set_subplotspec(new[places[axes]])
            titles = axes.title, axes._left_title, axes._right_title
            for text in (*titles, axes.xaxis.label, axes.yaxis.label):
                undo.callback(text.set_wrap, text.get_wrap())
                text.set_wrap(True)
            is_alone = not axes.yaxis.get_tick_params()["labelleft"] and len(_sharing(axes)) > 1
            if is_alone and places[axes][1] in (slice(None), 0):
                undo.callback(axes.tick_params, axis="y", labelleft=False)
                axes.tick_params(axis="y", labelleft=True)
        keyed = [axes for axes in panels if (legend := axes.get_legend()) and _is_beside(legend, axes)]
        below = 0.0  # inches of legends below panels
        for axes in keyed:
            legend = axes.get_legend()
            below += legend.get_window_extent().height / figure.dpi
            for name in ("_bbox_to_anchor", "_loc_real"):
                undo.callback(setattr, legend, name, getattr(legend, name))
            legend.set_loc("upper center")
        undo.callback(figure.set_layout_engine, "none")
        figure.dpi = dpi
        figure.set_layout_engine("constrained")
        most = [*heights]
        gap = GAP / dpi  # inches
        line = 1.5 * LEAST / dpi  # inches that a title at the top or a label at the bottom may gain
        for room in (2, 1, 1, 1, 1):  # first with room; the ticks follow the layout, and it the ticks
            end = 0 if is_row or figure.get_supxlabel() else line
            whole = sum(heights) + below + gap * len(heights) + line + end
            new.set_height_ratios(heights)
            figure.set_size_inches(width / dpi, room * whole)
            rect = 0.01, end / whole, 0.98, 1 - (line + end) / whole
            if beside > 1:  # room between panels, and little at the edges
                over = 0.4 * GAP / width
                rect = -over, end / whole, 1 + 2 * over, 1 - (line + end) / whole
                figure.get_layout_engine().set(w_pad=0.55 * gap, wspace=0)
            figure.get_layout_engine().set(rect=rect, h_pad=gap / 2, hspace=0)
            for axes in keyed:
                labels = axes.xaxis.get_tightbbox().y0 - axes.bbox.y0 if axes.xaxis.get_visible() else 0
                down = ScaledTranslation(0, labels / dpi - 0.05, figure.dpi_scale_trans)
                axes.get_legend().set_bbox_to_anchor((0.5, 0), axes.transAxes + down)
            figure.draw_without_rendering()
            if room > 1 or is_row:
                continue
            crowded, wanted = [0.0] * len(heights), [0.0] * len(heights)  # of each row
            for axes, (row, _) in places.items():
                crowded[row] = max(crowded[row], _crowded(axes))
            for axes, (row, _) in places.items():
                wanted[row] = max(wanted[row], heights[row] + crowded[row] - _spare(axes))
            most = [high + more for high, more in zip(most, crowded, strict=True)]
            heights = [min(pair) for pair in zip(wanted, most, strict=True)]
        figure.draw_without_rendering()  # the margins follow the last heights
        figure.set_layout_engine("none")
        if is_row:
            _place_bars(panels, figure)
        elif beside == 1:
            _widen(panels, figure)
        yield


@contextmanager
def on_slide(figure: Figure, width: int, height: int) -> Iterator[None]:
    """Lay out a figure for so many pixels of a slide; afterwards it is as it was.

    Its smallest letters have 22 pixels, to be read from the last row. A figure whose layout was computed
    once, as a live one's, is laid out anew for them.

    >>> figure = Figure(figsize=(11, 4))
    >>> title = figure.subplots().set_title("Far away", size=12)
    >>> with on_slide(figure, 1200, 400):
    ...     print(round(figure.bbox.width), round(figure.bbox.height), round(figure.dpi * 10 / 72))
    1200 400 22
    """
    size, dpi = figure.get_size_inches(), figure.dpi
    figure.draw_without_rendering()  # ticks have their labels now
    with ExitStack() as undo:  # what is entered first is undone last
        if isinstance(figure.get_layout_engine(), PlaceHolderLayoutEngine):
            for axes in figure.axes:
                undo.callback(axes._set_position, axes.get_position(False), "active")
                undo.callback(axes._set_position, axes.get_position(True), "original")
            for text in figure.texts:
                undo.callback(text.set_position, text.get_position())
            undo.callback(figure.set_layout_engine, "none")
            figure.set_layout_engine("constrained")
        undo.callback(figure.set_size_inches, size)
        undo.callback(setattr, figure, "dpi", dpi)
        figure.dpi = _dpi(figure, ON_SLIDES)
        figure.set_size_inches(width / figure.dpi, height / figure.dpi)
        if isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
            figure.draw_without_rendering()  # a first layout may cut titles; from there the next one is whole
        yield


def _places(panels: dict[Axes, SubplotSpec], beside: int) -> dict[Axes, tuple[int, Any]]:
    """The row and the column of each panel where so many stand beside each other; or the whole row."""
    places: dict[SubplotSpec, tuple[int, Any]] = {}
    specs = sorted(set(panels.values()), key=lambda spec: spec.num1)
    whole = {spec for spec in specs if beside == 1 or len(spec.colspan) == spec.get_gridspec().ncols}
    if (len(specs) - len(whole)) % beside == 1:  # one would be left over
        whole.add(next(spec for spec in specs if spec not in whole))
    row, column = -1, beside
    for spec in specs:
        if spec in whole:
            row, column = row + 1, beside
            places[spec] = row, slice(None)
            continue
        row, column = (row + 1, 0) if column == beside else (row, column)
        places[spec] = row, column
        column += 1
    return {axes: places[spec] for axes, spec in panels.items()}


def _dpi(figure: Figure, least: int) -> float:
    """The dots an inch at which a figure's smallest letters have so many pixels."""
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    return max((72 * least / text.get_size() for text in texts), default=figure.dpi)


def _widen(panels: Iterable[Axes], figure: Figure) -> None:
    """Let panels go on to the right over the place of a colour bar that stands beside others."""
    bars = {axes: info["parents"] for axes in figure.axes if (info := getattr(axes, "_colorbar_info", None))}
    free = set(panels).difference(*bars.values()) if bars else set()
    right = max((axes.get_tightbbox().x1 for axes in bars), default=0)  # in pixels
    for axes in free:
        box, over = axes.get_position(original=True), max(axes.get_tightbbox().x1 - axes.bbox.x1, 0)
        x1 = max(box.x1, (right - over) / figure.bbox.width)
        axes._set_position(Bbox.from_extents(box.x0, box.y0, x1, box.y1))


def _take_out_of_layout(bar: Axes, undo: ExitStack) -> None:
    """Let a colour bar take no room from its panels, and have any shape."""
    undo.callback(bar.set_box_aspect, bar.get_box_aspect())
    bar.set_box_aspect(None)
    for axes in bar._colorbar_info["parents"]:
        undo.callback(setattr, axes, "_colorbars", axes._colorbars)
        axes._colorbars = [other for other in axes._colorbars if other is not bar]


def _place_bars(panels: Iterable[Axes], figure: Figure) -> None:
    """Put each colour bar below the panel of a row that leaves most room, in its middle."""
    bars = [axes for axes in figure.axes if hasattr(axes, "_colorbar_info")]
    above = max(panels, key=lambda axes: axes.get_tightbbox().y0)
    low, high = min(axes.bbox.y0 for axes in panels), above.get_tightbbox().y0 - GAP
    for n, bar in enumerate(bars):
        words = bar.get_tightbbox().x1 - bar.bbox.x1
        left = above.bbox.x0 + (n + 0.5) * above.bbox.width / len(bars) - (BAR + words) / 2
        box = Bbox.from_extents(left, low, left + BAR, high).transformed(figure.transFigure.inverted())
        bar._set_position(box)


def _spare(axes: Axes) -> float:
    """The inches of its height that a panel of a fixed proportion does not need, below 0: that it lacks."""
    if axes.get_aspect() == "auto":
        return 0
    wide, high = axes.figure.get_size_inches()
    whole, used = axes.get_position(original=True), axes.get_position(original=False)
    shape = used.height * high / (used.width * wide)
    return whole.height * high - whole.width * wide * shape


def _crowded(axes: Axes) -> float:
    """The inches that a panel is too low for the labels of its ticks, one below the other."""
    labels = [label.get_window_extent() for label in axes.get_yticklabels() if label.get_text()]
    return max(sum(1.1 * label.height for label in labels) - axes.bbox.height, 0) / axes.figure.dpi


def _sharing(axes: Axes) -> list[Axes]:
    """The axes that have the same y, and these."""
    return axes.get_shared_y_axes().get_siblings(axes)


def _is_beside(legend: Legend, axes: Axes) -> bool:
    return legend.get_window_extent().x0 >= axes.bbox.x1
