"""Cells with live figures: one with every kind of control, and another."""

EVERY_CONTROL = """
import ipywidgets
import numpy as np
from matplotlib.figure import Figure

from live_figures import choice, live, log_slider, slider, text

figure = Figure(figsize=(11, 3), dpi=100, layout="constrained")
axes = figure.subplots()
x = np.linspace(0, 10, 200)
(line,) = axes.plot(x, np.sin(x))
axes.set(title="A wave", xlabel="position", ylabel="value", ylim=(-10, 10))


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
other_figure = Figure(figsize=(6, 3), dpi=100, layout="constrained")
image = other_figure.subplots().imshow(np.eye(8))
other_figure.colorbar(image, label="value")


def update_other(offset):
    image.set_data(np.roll(np.eye(8), offset, axis=1))
    return f"The ones stand {offset} columns from the diagonal."


live(other_figure, update_other, offset=slider(0, 7, 2))
"""
