"""Cells with live figures: one with every kind of control, and another."""

EVERY_CONTROL = """
import ipywidgets
import numpy as np

from pe_helpers.figures import plots
from pe_helpers.figures import choice, live, log_slider, slider, text

figure, axes = plots.new_figure(11, 3)
x = np.linspace(0, 10, 200)
(line,) = plots.curves(axes, x, np.sin(x), title="A wave", x_label="position", y_label="value")
axes.set_ylim(-10, 10)


def update(rate, size, shape, is_flipped, words):
    angle = rate * x + len(words)
    wave = {"sine": np.sin, "cosine": np.cos, "square": lambda a: np.sign(np.sin(a))}[shape](angle)
    line.set_ydata((-1 if is_flipped else 1) * size * wave)
    turned = "upside down" if is_flipped else "upright"
    return f"A {shape} of rate {rate}, size {size:.3g}, {turned}, moved by the length of “{words}”."


live(
    figure,
    update,
    rate=slider(1, 9, 3, unit="rad"),
    size=log_slider(0.1, 10, 1),
    shape=choice(["sine", "cosine", "square"]),
    is_flipped=ipywidgets.Checkbox(description="flip"),
    words=text("the dog", label="text"),
)
"""
ANOTHER = """
other_figure, other_axes = plots.new_figure(6, 3)
heatmap = plots.heatmap(other_axes, np.eye(8), title="A shifted identity", bar="value")


def update_other(offset):
    heatmap.set_data(np.roll(np.eye(8), offset, axis=1))
    return f"The ones stand {offset} columns from the diagonal."


live(other_figure, update_other, offset=slider(0, 7, 2))
"""
