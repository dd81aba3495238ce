"""The pictures of the course: Axes and arrays in, artists out. Hand new data to an artist to redraw it.

Nothing here imports pyplot, so a figure belongs to the cell that made it and to nobody else; as the last
line of a cell it shows itself.
"""

import base64
import io

import matplotlib
import numpy as np
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.image import PcolorImage
from matplotlib.text import Text

from .._arguments import as_numpy, float_array, integer, one_of, real

# Okabe and Ito's palette: these stay apart under the common colour-vision deficiencies.
BLUE, ORANGE, GREEN, PINK, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#666666"
COLOURS = {
    "signed": "RdBu_r",  # diverging, white at 0
    "magnitude": "viridis",  # dark is small
    "angle": "twilight",  # cyclic: 360° looks like 0°
}
DPI = 100
STYLE = {
    "axes.prop_cycle": matplotlib.cycler(color=[BLUE, ORANGE, GREEN, PINK, GREY]),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 12,
    "axes.labelsize": 11,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
    "figure.titlesize": 13,
}


class Picture(Figure):
    """A matplotlib Figure that shows itself as a PNG where it is the last line of a cell."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=self.dpi)
        for text in self.findobj(Text):
            text._renderer = None  # it would keep all pixels for as long as the notebook keeps the figure
        png = base64.b64encode(file.getvalue()).decode("ascii")
        titles = [axes.get_title() for axes in self.axes if axes.get_title()]
        return {"image/png": png, "text/plain": " · ".join(["Picture", *titles])}


def new_figure(width, height, rows=1, columns=1, **options):
    """A figure of `width` × `height` inches at 100 dots an inch, and its Axes.

    options: passed to matplotlib's `Figure.subplots` (`width_ratios`, `sharex` …).
    Returns (figure, axes): one Axes, or an array of them where rows or columns exceed 1.
    """
    size = real("width", width, above=0), real("height", height, above=0)
    rows, columns = integer("rows", rows, 1), integer("columns", columns, 1)
    with matplotlib.rc_context(STYLE):
        figure = Picture(figsize=size, dpi=DPI, layout="constrained")
        return figure, figure.subplots(rows, columns, **options)


class Heatmap(PcolorImage):
    """A matrix as coloured cells, with whole numbers at their centres; `set_data` may change its shape."""

    def __init__(self, axes, matrix, upright, **options):
        super().__init__(axes, **options)
        self._upright = upright
        self.set_data(matrix)

    def set_data(self, matrix):
        """Show another (rows, columns) matrix; the axes' limits follow its shape."""
        matrix = _matrix(matrix)
        if self._A is None or matrix.shape != self._A.shape:
            bottom, top = (-0.5, matrix.shape[0] - 0.5)[:: 1 if self._upright else -1]
            self.set_extent((-0.5, matrix.shape[1] - 0.5, bottom, top))
        edges = (np.arange(length + 1) - 0.5 for length in matrix.shape[::-1])
        super().set_data(*edges, matrix)


def _matrix(matrix):
    allowed = "a 2-D array of finite real numbers, not empty"
    array = float_array("matrix", matrix, 2, allowed)
    if not array.size:
        raise ValueError(f"matrix must be {allowed}; got shape {array.shape}")
    return array


def _limits(limits):
    try:
        low, high = (real("limits", value) for value in limits)
    except (TypeError, ValueError):
        low = high = 0
    if not low < high:
        raise ValueError(f"limits must be None or two finite numbers, the lower first; got {limits!r}")
    return low, high


def heatmap(
    axes,
    matrix,
    *,
    title="",
    x_label="",
    y_label="",
    colours="signed",
    limits=None,
    upright=False,
    bar="",
):
    """Draw a matrix into `axes`, row 0 at the top (`upright`: at the bottom); returns the Heatmap.

    matrix: (rows, columns), an array or a tensor.
    colours: "signed" (diverging, white at 0), "magnitude" (sequential) or "angle" (cyclic, 0 to 360).
    limits: the values at the two ends of the colours. None means ±max|matrix| for "signed", 0 to max for
        "magnitude", 0 to 360 for "angle". They stay as they are when the data changes.
    bar: the label of the colour bar, with its unit; an empty one leaves the bar out.
    Raises ValueError for a matrix that is not 2-D, finite and real, for unknown colours or odd limits.
    """
    one_of("colours", colours, COLOURS)
    matrix = _matrix(matrix)
    if limits is None:
        peak = abs(matrix).max() or 1.0
        limits = {"signed": (-peak, peak), "magnitude": (0, peak), "angle": (0, 360)}[colours]
    norm = Normalize(*_limits(limits))
    image = Heatmap(axes, matrix, upright, cmap=COLOURS[colours], norm=norm)
    axes.add_image(image)
    image.set_clip_path(axes.patch)
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    axes.grid(False)
    if bar:
        colour_bar = axes.figure.colorbar(image, ax=axes, pad=0.02, label=bar)
        colour_bar.outline.set_visible(False)
        if colours == "angle":
            colour_bar.set_ticks(range(0, 361, 60))
    return image


def curves(axes, x, ys, *, labels=None, title="", x_label="", y_label="", **options):
    """Draw one line for every row of `ys` over `x` and a faint grid; returns the list of lines.

    ys: (lines, len(x)), or (len(x),) for one line; labels: one for each line, in a legend at the right.
    options: passed to `Axes.plot` (`marker`, `linestyle` …). Raises ValueError where lengths differ.
    """
    x, ys = as_numpy(x), np.atleast_2d(as_numpy(ys))
    if ys.ndim != 2 or ys.shape[1:] != x.shape:
        raise ValueError(f"ys must be one or more rows as long as x, {x.shape}; got shape {ys.shape}")
    if labels is not None and len(labels) != len(ys):
        raise ValueError(f"labels must be one for each of {len(ys)} lines; got {labels!r}")
    lines = axes.plot(x, ys.T, **{"linewidth": 2, **options})
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    axes.grid(True, color="#dddddd", linewidth=0.8)
    if labels is not None:
        for line, label in zip(lines, labels, strict=True):
            line.set_label(label)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return lines
