"""One frame of a live figure, kernel side: a heatmap of 8 × 4 inches whose base moves.

`interact` runs the cell's plotting code for every position of the slider: a new pyplot figure, printed to
PNG by the inline backend. The other candidates keep the figure and redraw more or less of it.
"""

import io
import itertools

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from IPython.core.pylabtools import print_figure

from benchmarks.side_by_side import print_table, ratio, time_in_turn
from pe_helpers import sinusoidal
from pe_helpers.figures import draw_in, live, log_slider, plots

ends = itertools.cycle([127.5, 127.4])
bases = iter(np.tile(np.geomspace(10, 100_000, 97), 100))


def new_pyplot_figure():
    figure, axes = plt.subplots(figsize=(8, 4))
    image = axes.imshow(sinusoidal(50, 128, base=next(bases)), cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
    figure.colorbar(image)
    axes.set(title="Sinusoidal encoding", xlabel="dimension", ylabel="position")
    png = print_figure(figure, "png")
    plt.close(figure)
    return png


kept_figure, kept_axes = plt.subplots(figsize=(8, 4))
kept_image = kept_axes.imshow(sinusoidal(50, 128), cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
kept_figure.colorbar(kept_image)
kept_axes.set(title="Sinusoidal encoding", xlabel="dimension", ylabel="position")


def kept_figure_drawn_whole():
    kept_image.set_data(sinusoidal(50, 128, base=next(bases)))
    file = io.BytesIO()
    kept_figure.savefig(file, format="png")
    return file.getvalue()


def make_live(**controls):
    figure, axes = plots.new_figure(8, 4)
    labels = {"title": "Sinusoidal encoding", "x_label": "dimension", "y_label": "position"}
    image = plots.heatmap(axes, sinusoidal(50, 128), bar="value", **labels)

    def update(base):
        image.set_data(sinusoidal(50, 128, base=base))
        return f"Base {base:,.0f}."

    return live(figure, update, **controls)


draw_in("page")  # display lists; what the kernel's picture takes is the kept figure above
live_figure = make_live(base=log_slider(10, 100_000, 10_000))


def live_frame():
    live_figure.controls["base"].value = next(bases)


def live_frame_all_drawn():
    live_figure.figure.axes[0].set_xlim(-0.5, next(ends))
    live_figure.controls["base"].value = next(bases)


if __name__ == "__main__":
    candidates = {
        "interact: a new pyplot figure, printed": new_pyplot_figure,
        "a kept pyplot figure, drawn whole, saved": kept_figure_drawn_whole,
        "live, when the axes change too": live_frame_all_drawn,
        "live": live_frame,
    }
    print("One frame of an 8 × 4 inch heatmap, medians of 30 rounds in turn (lowest to highest)")
    seconds = time_in_turn(candidates, rounds=30)
    print_table(seconds)
    first, *_, last = candidates
    print(f"  live is faster than interact by         {ratio(seconds, first, last):5.1f} ×")
