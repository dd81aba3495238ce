"""Figures for the tests, as somebody's own helpers would make them."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.image import PcolorImage


def new_figure(width, height, rows=1, columns=1):
    """(a figure of so many inches, its axes)"""
    figure = Figure(figsize=(width, height), dpi=100, layout="constrained")
    return figure, figure.subplots(rows, columns)


class Heatmap(PcolorImage):
    """A matrix as cells whose centres lie at whole numbers; the axes' limits follow its shape."""

    def set_data(self, matrix):
        rows, columns = matrix.shape
        if self._A is None or matrix.shape != self._A.shape:
            self.set_extent((-0.5, columns - 0.5, rows - 0.5, -0.5))
        super().set_data(np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5, matrix)


def heatmap(axes, matrix, colours="RdBu_r", limits=None, bar="", **labels):
    """Draw a matrix into axes, row 0 at the top; return the Heatmap."""
    axes.set(**labels)
    image = Heatmap(axes, cmap=colours)
    image.set_data(matrix)
    image.set_clim(limits or (-abs(matrix).max(), abs(matrix).max()))
    axes.add_image(image)
    image.set_clip_path(axes.patch)
    if bar:
        axes.figure.colorbar(image, ax=axes, label=bar)
    return image


def curves(axes, x, ys, names=(), **labels):
    """Draw a line for each row; return the lines."""
    axes.set(**labels)
    lines = axes.plot(x, np.atleast_2d(ys).T, linewidth=2)
    axes.grid(True, color="#dddddd")
    for line, name in zip(lines, names, strict=False):
        line.set_label(name)
    if names:
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return lines


DRAW_FIRST = """
import numpy as np
from matplotlib.figure import Figure

from live_figures import live, slider

figure = Figure(figsize=(6, 3), dpi=100, layout="constrained")
axes = figure.subplots()
x = np.linspace(0, 10, 200)
(line,) = axes.plot(x, 0 * x, color="#00ff00", lw=4)
axes.set(xlim=(0, 10), ylim=(-4, 4))


def update(height):
    line.set_ydata(0 * x + height)
    return f"A line at {height}."


shown = live(figure, update, height=slider(-3, 3, 1), draw_first=line)
shown
"""
IS_SEEN = """() => {  // whether the curve is in the picture
    const canvas = document.querySelector('canvas.live-picture')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return new Uint32Array(data.buffer).includes(0xff00ff00)
}"""
