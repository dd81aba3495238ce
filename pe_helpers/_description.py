"""What a picture's data say, in words, for those who do not see it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

MANY, CELLS = 8, 30  # bars or words, and numbers of a matrix, that are said one by one


def description(figure: Figure) -> str:
    """For each panel its title, where its lines begin and end, how long bars are, its numbers, or its words.

    >>> figure = Figure()
    >>> axes = figure.subplots()
    >>> lines = axes.plot([0, 5, 10], [2, 4.5, 3], label="rotary")
    >>> description(figure)
    'rotary: from 2 at 0 to 3 at 10, at most 4.5 at 5'
    >>> bars = figure.subplots().barh(["dog", "man"], [0.25, 0.5])
    >>> description(figure)
    'rotary: from 2 at 0 to 3 at 10, at most 4.5 at 5. dog 0.25, man 0.5'
    """
    panels = [axes for axes in figure.axes if not hasattr(axes, "_colorbar_info")]
    return ". ".join(filter(None, map(_of_panel, panels)))


def _of_panel(axes: Axes) -> str:
    title = axes.get_title() or axes.get_title("left") or axes.get_ylabel()
    said = [*_of_bars(axes), *_of_cells(axes), *_of_rows(axes)]
    if lines := [*_of_lines(axes)]:
        over = [label for label in (axes.get_ylabel(), axes.get_xlabel()) if label and label != title]
        title = ", ".join(filter(None, [title, " over ".join(over)]))
        said += lines
    said = said or [", ".join(_words(axes)[:MANY])]
    return ": ".join(filter(None, [title.strip().replace("\n", " "), "; ".join(said)]))


def _of_bars(axes: Axes) -> Iterator[str]:
    for bars in axes.containers:
        if not isinstance(bars, BarContainer):
            continue
        axis = axes.yaxis if bars.orientation == "horizontal" else axes.xaxis
        names = [label.get_text().replace("\n", " ") for label in axis.get_ticklabels()]
        pairs = [f"{name} {_short(value)}" for name, value in zip(names, bars.datavalues, strict=False)]
        if len(names) != len(bars.datavalues) or len(pairs) > MANY:
            pairs = [f"{len(bars.datavalues)} bars {_range(bars.datavalues)}"]
        name = bars.get_label()
        yield ("" if name.startswith("_") or len(axes.containers) < 2 else f"{name}: ") + ", ".join(pairs)


def _of_lines(axes: Axes) -> Iterator[str]:
    drawn = [line for line in axes.lines if line.get_visible() and len(line.get_xdata()) > 2]
    named = [line for line in drawn if not line.get_label().startswith("_")]
    for line in named or drawn[:1]:  # without a legend all are alike
        x, y = (np.asarray(data, float) for data in (line.get_xdata(), line.get_ydata()))
        x, y = x[np.isfinite(y)], y[np.isfinite(y)]
        if len(y) < 2 or line.get_linestyle() == "None" or len({*np.sign(np.diff(x))}) > 1:
            continue  # no curve over x
        name = f"{line.get_label()}: " if line in named else ""
        others = [it for it in drawn if it not in named and it is not line]
        look = line.get_color(), line.get_linestyle()
        alike = [line, *(it for it in others if not named or (it.get_color(), it.get_linestyle()) == look)]
        if len(alike) > 1:  # several, of which the legend names one
            heights = [np.asarray(it.get_ydata(), float) for it in alike]
            first, last, least, most = zip(*((y[0], y[-1], min(y), max(y)) for y in heights), strict=True)
            ends = f"{_range(first)} at {_short(x[0])}, {_range(last)} at {_short(x[-1])}"
            beyond = np.ptp([*least, *most]) / 10
            if min(least) < min(*first, *last) - beyond:
                ends += f", their least numbers {_range(least)}"
            if max(most) > max(*first, *last) + beyond:
                ends += f", their largest {_range(most)}"
            yield f"{name}{len(alike)} lines, {ends}"
            continue
        ends = f"from {_short(y[0])} at {_short(x[0])} to {_short(y[-1])} at {_short(x[-1])}"
        beyond = max(np.ptp(y) / 10, 1e-6)
        if np.ptp(y) < beyond:
            ends = f"{_short(y[0])} throughout"
        for word, at in (("at least", y.argmin()), ("at most", y.argmax())):
            if min(abs(y[at] - y[[0, -1]])) > beyond:
                ends += f", {word} {_short(y[at])} at {_short(x[at])}"
        yield name + ends


def _of_rows(axes: Axes) -> Iterator[str]:
    """Dots that stand in rows, each with a name at the left."""
    labels = (label.get_text() for label in axes.get_yticklabels())  # none where a neighbour has them
    names = dict(zip(axes.get_yticks(), labels, strict=False))
    dots = [line for line in axes.lines if line.get_linestyle() == "None" and len({*line.get_ydata()}) == 1]
    for place, name in names.items():
        rows = [line.get_xdata() for line in dots if line.get_ydata()[0] == place]
        if rows and not re.fullmatch(r"[−\d.,]*", name):
            x = np.concatenate(rows)
            yield f"{name}: {len(x)} dots {_range(x)}"


def _of_cells(axes: Axes) -> Iterator[str]:
    for image in axes.images:
        values = image.get_array()
        if values.ndim == 2:
            rows, columns = values.shape
            whole = [", ".join(map(_short, row)) for row in values]
            named = [f"row {n}: {row}" for n, row in enumerate(whole)]
            yield (
                "; ".join(named)
                if values.size <= CELLS
                else f"{rows} rows of {columns} numbers {_range(values)}"
            )


def _words(axes: Axes) -> list[str]:
    texts = [text.get_text().strip().replace("\n", " ") for text in axes.texts if text.get_visible()]
    return [text for text in dict.fromkeys(texts) if text]


def _range(values: ArrayLike) -> str:
    return f"from {_short(np.min(values))} to {_short(np.max(values))}"


def _short(value: float) -> str:
    return f"{float(f'{round(value, 9):.3g}') + 0.0:,.10g}".replace("-", "−")
