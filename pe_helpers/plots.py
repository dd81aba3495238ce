"""The pictures of the course: Axes and arrays in, artists out. Hand new data to an artist to redraw it.

Nothing here imports pyplot, so a figure belongs to the cell that made it and to nobody else; as the last
line of a cell it shows itself.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Collection, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.image import PcolorImage
from matplotlib.lines import Line2D
from matplotlib.text import Text

from live_figures import png, with_minus

from ._arguments import Array, as_numpy, float_array, one_of
from ._description import description

# Okabe and Ito's palette: these stay apart under the common colour-vision deficiencies.
BLUE, ORANGE, GREEN, PINK, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#666666"
FAINT, LIGHT, DARK = "#dddddd", "#aaaaaa", "#444444"  # a grid; what is there to compare with; what is thin
PALE = "#8db4d3"  # the companion of BLUE
COLOURS = {
    "signed": "RdBu_r",  # diverging, white at 0
    "magnitude": "viridis",  # dark is small
    "angle": "twilight",  # cyclic: 360° looks like 0°
}
STYLE = {
    "axes.prop_cycle": matplotlib.cycler(color=[BLUE, ORANGE, GREEN, PINK, GREY]),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titley": 1.0,  # matplotlib need not look for its place in every frame
    "axes.labelsize": 11,
    "figure.titlesize": 13,
}
NOTE_SIZE, VALUE_SIZE = 11, 10  # of words in a picture, and of numbers beside bars
READABLE = 0.6  # how much of a cell's colour, the rest being white, lets its number be read; also when dark
DOTS = {"marker": "o", "markersize": 4, "linewidth": 1}  # for `curves` of whole numbers: dots, joined thinly


class Picture(Figure):
    """A matplotlib Figure that shows itself as a PNG, with its data in words, as the last line of a cell.

    >>> figure, axes = new_figure(3, 2)
    >>> figure._repr_mimebundle_()["text/plain"]
    'Picture'
    """

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        picture = base64.b64encode(png(self)).decode("ascii")
        return {"image/png": picture, "text/plain": " · ".join(filter(None, ["Picture", description(self)]))}


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1, *, mosaic: str = "", **options: Any
) -> tuple[Picture, Any]:
    """Return a figure of `width` × `height` inches, at 100 dots an inch, and its Axes.

    >>> figure, (left, right) = new_figure(8, 3, columns=2)
    >>> figure.get_size_inches().tolist()
    [8.0, 3.0]
    >>> figure, panels = new_figure(8, 5, mosaic="ab;cc")
    >>> [*panels]
    ['a', 'b', 'c']

    The second part is one Axes, or an array of them if rows or columns exceed 1, or with a mosaic a dict.
    mosaic: a letter for each cell, and `;` between rows; cells of one letter are one Axes.
    options: passed to matplotlib's `Figure.subplots` or `subplot_mosaic` (`width_ratios`, `sharex` …).
    """
    with matplotlib.rc_context(STYLE):
        figure = Picture(figsize=(width, height), dpi=100, layout="constrained")
        if mosaic:
            return figure, figure.subplot_mosaic(mosaic, **options)
        return figure, figure.subplots(rows, columns, **options)


class Heatmap(PcolorImage):
    """A matrix as coloured cells; `heatmap` makes one. The centres of the cells lie at whole numbers.

    >>> figure, axes = new_figure(3, 2)
    >>> heatmap(axes, [[1, -1], [0, 2]]).set_data([[1, 2, 3]])
    >>> [float(limit) for limit in axes.get_xlim()]
    [-0.5, 2.5]
    """

    def set_data(self, matrix: Array) -> None:
        """Show another (rows, columns) matrix; the axes' limits follow its shape."""
        matrix = float_array("matrix", matrix, 2, "a 2-D array of finite real numbers")
        rows, columns = matrix.shape
        if self._A is None or matrix.shape != self._A.shape:
            self.set_extent((-0.5, columns - 0.5, rows - 0.5, -0.5))
        super().set_data(np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5, matrix)


def heatmap(
    axes: Axes,
    matrix: Array,
    *,
    colours: str = "signed",
    limits: Any = None,
    bar: str = "",
    rows: Sequence | None = None,
    numbers: str = "",
    strength: float | None = None,
    **options: Any,
) -> Heatmap:
    """Draw a matrix into `axes`, row 0 at the top; return the Heatmap.

    >>> figure, axes = new_figure(3, 2)
    >>> [float(limit) for limit in heatmap(axes, [[3, -1]], title="±3", numbers="{:.1f}").get_clim()]
    [-3.0, 3.0]
    >>> [words.get_text() for words in axes.texts]
    ['3.0', '−1.0']

    matrix: (rows, columns), an array or a tensor.
    colours: "signed" (diverging, white at 0), "magnitude" (sequential) or "angle" (cyclic, 0 to 360).
    limits: (low, high), the values at the two ends of the colours. None means ±max|matrix| for "signed",
        0 to the largest for "magnitude", 0 to 360 for "angle". They stay when the data changes.
    bar: the label of the colour bar, with its unit; without one there is no bar.
    rows: what to write beside each row.
    numbers: how to write its number into each cell, as "{:.2f}"; for a matrix that stays as it is. The
        colours are paler then, so that black can be read on all of them, and its opposite on a dark page.
    strength: of the red and the blue at the limits of signed data, from above 0 to 1. Below 1 both fade
        straight into white and keep their hues, also on a dark page, which turns the darkest red into pink.
        None means 1, or 0.6 under numbers.
    options: `title`, `x_label`, `y_label`, and properties of the artist (`alpha`, `zorder` …).
    Raises ValueError for a matrix that is not 2-D, finite and real, for unknown colours, for limits that are
    not finite or not in order, and for a strength outside (0, 1], or numbers, on other colours than "signed".
    """
    one_of("colours", colours, COLOURS)
    if (numbers or strength is not None) and colours != "signed":
        raise ValueError(f'colours must be "signed" under numbers, or for a strength; got {colours!r}')
    if strength is None:
        strength = READABLE if numbers else 1
    if not 0 < strength <= 1:
        raise ValueError(f"strength must be above 0 and at most 1; got {strength!r}")
    colour_map = matplotlib.colormaps[COLOURS[colours]]
    if strength < 1 or numbers:
        ends = colour_map([0.5 - strength / 2, 0.5, 0.5 + strength / 2])  # (3, 4): blue, white, red
        ends = 1 - READABLE * (1 - ends) if numbers else ends
        colour_map = LinearSegmentedColormap.from_list("fading", ends)
    image = Heatmap(axes, cmap=colour_map, **_label(axes, options))
    image.set_data(matrix)
    peak = abs(image.get_array()).max() or 1.0
    low, high = limits or {"signed": (-peak, peak), "magnitude": (0, peak), "angle": (0, 360)}[colours]
    if not 0 < high - low < math.inf:
        raise ValueError(f"limits must be None or two finite numbers, the lower first; got {limits!r}")
    image.set_clim(low, high)
    axes.add_image(image)
    image.set_clip_path(axes.patch)
    axes.grid(False)
    axes.spines[:].set(visible=True, color=LIGHT)  # without it a column of zeros is a gap
    if rows is not None:
        axes.set_yticks(range(len(rows)), rows)
    if numbers:
        for (row, column), number in np.ndenumerate(as_numpy(matrix)):
            note(axes, column, row, with_minus(numbers.format(number)), ha="center", va="center")
    if bar:
        colour_bar = axes.figure.colorbar(image, ax=axes, pad=0.02, label=bar)
        colour_bar.outline.set_visible(False)
        if colours == "angle":
            colour_bar.set_ticks(range(0, 361, 60))
    return image


def curves(
    axes: Axes, x: Array, ys: Array, *, labels: Sequence[str] | None = None, **options: Any
) -> list[Line2D]:
    """Draw one line over `x` for every row of `ys`, and a faint grid; return the list of lines.

    >>> figure, axes = new_figure(3, 2)
    >>> [line.get_label() for line in curves(axes, range(3), [[0, 1, 4], [0, 1, 8]], labels=["x²", "x³"])]
    ['x²', 'x³']

    ys: (lines, len(x)), or (len(x),) for one line. labels: one for each line, in a legend at the right.
    options: `title`, `x_label`, `y_label`, and what `Axes.plot` takes (`marker`, `linestyle` …).
    Raises ValueError if lengths differ.
    """
    rows = np.atleast_2d(as_numpy(ys))  # (lines, len(x))
    lines = axes.plot(as_numpy(x), rows.T, **{"linewidth": 2, **_label(axes, options)})
    grid(axes)
    if labels is not None:
        for line, label in zip(lines, labels, strict=True):
            line.set_label(label)
        legend(axes)
    return lines


def bars(
    axes: Axes,
    names: Sequence[str],
    groups: dict[str, Array],
    form: str,
    colours: Sequence = (BLUE, PALE),
) -> None:
    """Draw horizontal bars, the first name at the top, a bar for every group, and at its right its value.

    >>> figure, axes = new_figure(3, 2)
    >>> bars(axes, ["dog", "man"], {"before": [0.3, 0.1], "after": [0.2, 0.2]}, "{group} {value:.0%}")
    >>> [words.get_text() for words in axes.texts]
    ['before 30%', 'before 10%', 'after 20%', 'after 20%']

    groups: the values, one for each name, from the upper bar to the lower.
    form: how a value is written, with `{value}` and, where it is wanted, `{group}`.
    """
    height = 0.8 / len(groups)
    for n, ((group, values), colour) in enumerate(zip(groups.items(), colours, strict=True)):
        places = np.arange(len(names)) + (n - (len(groups) - 1) / 2) * height
        axes.barh(places, values, 0.95 * height, color=colour, label=group)
        for place, value in zip(places, values, strict=True):
            words, at = with_minus(form.format(value=value, group=group)), (max(value, 0), place)
            axes.annotate(words, at, (3, 0), textcoords="offset points", va="center", size=VALUE_SIZE)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)


def grid(axes: Axes, which: str = "both") -> None:
    """Draw a faint grid behind the curves; `which` is "x", "y" or "both".

    >>> figure, axes = new_figure(3, 2)
    >>> grid(axes, "x")
    """
    axes.grid(True, axis=which, color=FAINT, linewidth=0.8)


def legend(axes: Axes, place: str = "right", **options: Any) -> None:
    """Say what the labelled artists are: at the right of the axes, or at one of matplotlib's places in them.

    >>> figure, axes = new_figure(3, 2)
    >>> lines = axes.plot([1, 2], label="a line")
    >>> legend(axes, "upper left", ncols=2)
    """
    outside = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
    axes.legend(**{"frameon": False, **(outside if place == "right" else {"loc": place}), **options})


def key(
    figure: Figure, colours: dict[str, str], rings: Collection[str] = (), lines: Collection[str] = ()
) -> None:
    """Say below a whole figure what the colours of its dots mean: {words: colour}; those of rings, of lines.

    >>> figure, panels = new_figure(6, 2, columns=2)
    >>> key(figure, {"dogs": BLUE, "cats": ORANGE}, rings=[ORANGE])
    >>> [words.get_text() for words in figure.legends[0].texts]
    ['dogs', 'cats']
    """
    drawn = []
    for colour in colours.values():
        dot = {"marker": "o", "linestyle": "", "markerfacecolor": "none" if colour in rings else colour}
        look = {"linewidth": 1.5} if colour in lines else {"markeredgewidth": 1.6, **dot}
        drawn.append(Line2D([], [], color=colour, **look))
    options = {"ncols": min(len(colours), 2), "frameon": False, "fontsize": NOTE_SIZE, "handlelength": 1}
    figure.legend(drawn, [*colours], loc="outside lower center", **options)


def note(axes: Axes, x: float, y: float, words: str = "", colour: str = "black", **options: Any) -> Text:
    """Write into the picture at (x, y), in the data's units; return the Text.

    >>> figure, axes = new_figure(3, 2)
    >>> note(axes, 0.5, 0.5, "here", ORANGE, ha="center").get_text()
    'here'
    """
    return axes.text(x, y, words, **{"color": colour, "fontsize": NOTE_SIZE, **options})


def dots(axes: Axes, x: Array, y: Array, colour: str = BLUE, size: float = 8, **options: Any) -> Line2D:
    """Draw dots that no line joins, with a diameter of `size` points; return them as a Line2D.

    >>> figure, axes = new_figure(3, 2)
    >>> dots(axes, [1, 2], [3, 4], ORANGE).get_marker()
    'o'
    """
    (drawn,) = axes.plot(
        x, y, **{"marker": "o", "linestyle": "", "color": colour, "markersize": size, **options}
    )
    return drawn


def log_scale(axes: Axes, which: str, ticks: Sequence[float]) -> None:
    """Make the "x" or the "y" axis logarithmic, with these ticks alone, written as 1,024.

    >>> figure, axes = new_figure(3, 2)
    >>> log_scale(axes, "x", [1, 1024])
    >>> [label.get_text() for label in axes.get_xticklabels()]
    ['1', '1,024']
    """
    axes.set(**{f"{which}scale": "log"})
    axis = getattr(axes, f"{which}axis")
    axis.set_ticks(ticks, [f"{tick:,.10g}" for tick in ticks])
    axis.minorticks_off()


def _label(axes: Axes, options: dict[str, Any]) -> dict[str, Any]:
    """Give `axes` the title and the labels among these options; return the others."""
    words = {"title": "title", "x_label": "xlabel", "y_label": "ylabel"}
    axes.set(**{words[name]: options[name] for name in words if name in options})
    return {name: value for name, value in options.items() if name not in words}
