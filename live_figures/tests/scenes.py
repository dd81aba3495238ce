"""Figures with what matplotlib can draw, and changes: {name: a function, its result (figure, changes)}."""

import matplotlib.patheffects
import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox, TextArea
from matplotlib.patches import Circle, ConnectionPatch, Ellipse
from matplotlib.transforms import Affine2D

from .drawing import curves, heatmap, new_figure

SCENES = {}


def scene(function):
    SCENES[function.__name__] = function
    return function


def random(*shape):
    return np.random.default_rng(0).random(shape)


@scene
def what_notebooks_move():
    figure, (left, middle, right) = new_figure(9, 3, columns=3)
    image = heatmap(left, random(20, 16) - 0.5, title="map", xlabel="dimension", bar="value")
    mark = left.axhline(3, color="black")
    lines = curves(middle, range(5), np.eye(2, 5), names=["a", "b"], title="curves")
    bars = right.bar(range(3), [1, 2, 3])
    note = right.text(0, 2.5, "note")
    right.axis("off")
    headline = figure.suptitle("before")
    return figure, [
        lambda: image.set_data(random(20, 16)),
        lambda: image.set_data(random(30, 8)),
        lambda: mark.set_ydata([7, 7]),
        lambda: lines[0].set_ydata([3, 1, 4, 1, 5]),
        lambda: (middle.relim(), middle.autoscale_view()),
        lambda: bars[1].set_height(0.5),
        lambda: note.set_text("another"),
        lambda: middle.set_title("other curves"),
        lambda: middle.get_legend().get_texts()[0].set_text("c"),
        lambda: headline.set_text("after"),
        lambda: left.set_xticks([1, 2, 3]),
        lambda: image.set_clim(-0.5, 0.5),
        lambda: lines[1].set_visible(False),
        lambda: lines[1].set_visible(True),
        lambda: middle.plot([0, 4], [0, 1]),
        lambda: right.texts[0].remove() if right.texts else None,
        lambda: middle.set_facecolor("#ffeeee"),
    ]


@scene
def order_and_visibility():
    figure, (left, right) = new_figure(5, 3, columns=2)
    lines = curves(left, range(3), np.eye(3))
    points = right.scatter(range(3), range(3))
    right.grid(True)
    return figure, [
        lambda: lines[0].set_ydata([1, 2, 3]),
        lambda: points.set_offsets([[0, 1], [1, 2], [2, 0]]),
        lambda: lines[0].set_zorder(9),
        lambda: left.axis("off"),
        lambda: right.set_frame_on(False),
        lambda: right.set_visible(False),
        lambda: right.set_visible(True),
        lambda: left.xaxis.label.set_text("a label"),
        lambda: left.axis("on"),
        lambda: right.set_position([0.6, 0.2, 0.3, 0.3]),
        lambda: figure.set_size_inches(6, 4),
        lambda: left.get_xticklabels()[1].set_color("red"),
    ]


@scene
def legends():
    figure, axes = new_figure(4, 3)
    (line,) = axes.plot([0, 1, 2], [1, 3, 2], label="x")
    axes.plot([2, 1, 0], "o--", label=r"$\alpha^2$")
    axes.legend(loc="best", shadow=True)
    return figure, [lambda: line.set_ydata([3, 1, 1])]


@scene
def across_axes():
    figure, (left, right) = new_figure(5, 3, columns=2)
    figure.add_artist(
        ConnectionPatch((0.2, 0.2), (0.7, 0.7), left.transData, right.transData, arrowstyle="->", color="red")
    )
    arrow = {"arrowstyle": "->", "connectionstyle": "arc3,rad=.3"}
    box = {"boxstyle": "round", "facecolor": "yellow", "alpha": 0.5}
    note = left.annotate("here", (0.5, 0.5), (0.1, 0.8), arrowprops=arrow, bbox=box)
    return figure, [lambda: right.set_xlim(0, 3), lambda: note.set_text("there")]


@scene
def what_depends_on_others():
    figure, (left, right) = new_figure(7, 3, columns=2)
    left.set(xlim=(0, 10), ylim=(0, 10))
    (line,) = left.plot([6, 9.5], [9, 9], linewidth=30, label="the legend avoids it")
    left.legend(loc="best")
    right.set(xlim=(0, 3), ylim=(0, 3))
    (bar,) = right.bar([1], [1])
    right.annotate("on top", (0.5, 1), xycoords=bar, ha="center", va="bottom")
    right.add_artist(AnnotationBbox(TextArea("beside"), (1, 0.5), xycoords=bar, box_alignment=(0, 0.5)))
    return figure, [
        lambda: bar.set_height(2),
        lambda: line.set_data([0.5, 4], [9, 9]),
        lambda: line.set_data([6, 9.5], [9, 9]),
    ]


@scene
def fills_and_hatches():
    figure, axes = new_figure(4, 3)
    x = np.linspace(0, 6, 200)
    axes.fill_between(x, np.sin(x), alpha=0.3)
    steps = axes.stairs([1, 2, 0.5, -1], fill=True, alpha=0.5, color="green")
    axes.stairs([2, 1, 2])
    axes.bar([1, 2], [1, -1], hatch="/", edgecolor="k", alpha=0.7)
    return figure, [lambda: steps.set_data([2, 1, 1, 1])]


@scene
def scattered():
    figure, axes = new_figure(4, 3)
    sizes, colours = 5 + 200 * random(60), random(60)
    points = axes.scatter(*random(2, 60), s=sizes, c=colours, alpha=0.5, edgecolors="k")
    axes.scatter(*random(2, 30), marker="^")
    return figure, [lambda: points.set_offsets(random(60, 2)[::-1]), lambda: points.set_array(1 - colours)]


@scene
def polar():
    figure = Figure(figsize=(4, 4), dpi=100)
    axes = figure.add_subplot(projection="polar")
    (line,) = axes.plot(np.linspace(0, 9, 100), np.linspace(0, 1, 100))
    axes.bar([1, 2], [0.5, 1], alpha=0.4)
    return figure, [
        lambda: line.set_ydata(np.linspace(1, 0, 100)),
        lambda: axes.set_rlim(0, 2),
        lambda: axes.set_theta_zero_location("N"),
    ]


@scene
def dashes_and_mathematics():
    figure, axes = new_figure(4, 3)
    for n, style in enumerate(["--", ":", "-.", (3, (5, 1, 1, 1))]):
        axes.plot([0, 1, 2], [n + 1, n + 2, n + 1], linestyle=style, linewidth=1 + n, dash_capstyle="round")
    formula = axes.text(1, 1.5, r"$\sum_{i=0}^n \sqrt{\frac{a_i}{2}}$", rotation=30, size=16)
    axes.axhline(1.5, color="k")
    axes.axvspan(0.5, 0.8, alpha=0.2)
    axes.grid(True)
    return figure, [
        lambda: formula.set_rotation(60),
        lambda: axes.set_yscale("log"),
        lambda: axes.set_xticks([0, 1]),
    ]


@scene
def clipped():
    figure, axes = new_figure(4, 3)
    circle = Circle((0.5, 0.5), 0.3, transform=axes.transAxes)
    image = axes.imshow(random(30, 40), aspect="auto")
    image.set_clip_path(circle)
    (line,) = axes.plot([0, 40], [0, 30], linewidth=8)
    line.set_clip_path(circle)
    axes.add_patch(Ellipse((20, 15), 10, 5, angle=30, facecolor="none", edgecolor="w", linestyle="--"))
    return figure, [lambda: image.set_alpha(0.5)]


@scene
def meshes():
    figure, (left, middle, right) = new_figure(9, 3, columns=3)
    mesh = left.pcolormesh(random(10, 12))
    middle.pcolormesh(random(20, 20), shading="gouraud")
    right.pcolormesh([0, 1, 3, 4], [0, 1, 2], random(2, 3))
    figure.colorbar(mesh, ax=left, orientation="horizontal")
    return figure, [lambda: mesh.set_array(1 - random(10, 12))]


@scene
def images():
    figure, (left, middle, right) = new_figure(9, 3, columns=3)
    holes = random(5, 8)
    holes[2, 3] = np.nan
    image = left.imshow(holes)
    middle.imshow(random(4, 4, 3), origin="lower", interpolation="nearest", extent=(0, 2, 5, 9))
    middle.set_xlim(0.3, 1.2)
    right.imshow(random(4, 4), alpha=random(4, 4), cmap="twilight")
    right.invert_xaxis()
    right.imshow(random(9, 9), extent=(0, 2, 0, 2), interpolation="bilinear", zorder=3)
    return figure, [lambda: image.set_clim(0.2, 0.6), lambda: image.set_data(random(5, 8))]


@scene
def heatmaps():
    figure, (left, right) = new_figure(7, 3, columns=2)
    first = heatmap(left, np.arange(12.0).reshape(3, 4), bar="v")
    second = heatmap(right, np.eye(5) - 0.5, colours="twilight", limits=(-1, 1))
    return figure, [
        lambda: first.set_data(np.ones((30, 50))),
        lambda: right.set_xlim(0.5, 2.7),
        lambda: right.invert_yaxis(),
        lambda: second.set_data(-np.eye(5)),
    ]


@scene
def effects_and_insets():
    figure, axes = new_figure(5, 4)
    stroke = [matplotlib.patheffects.withStroke(linewidth=3, foreground="r")]
    text = axes.text(0.5, 0.5, "outlined", size=20, color="w", path_effects=stroke)
    axes.quiver([0, 0.5], [0.1, 0.2], [1, 0], [0, 1])
    inset = axes.inset_axes([0.6, 0.6, 0.3, 0.3])
    inset.plot([1, 2])
    axes.indicate_inset([0.1, 0.1, 0.3, 0.3], inset)
    twin = axes.twinx()
    twin.plot([0.1, 0.9], [4, 5], "r")
    axes.set_title("title")
    axes.xaxis.tick_top()
    return figure, [lambda: text.set_text("other"), lambda: axes.set_xlim(-1, 2)]


@scene
def three_dimensions():
    figure = Figure(figsize=(4, 4), dpi=100)
    axes = figure.add_subplot(projection="3d")
    axes.plot([0, 1, 2], [0, 1, 0], [0, 1, 3])
    axes.scatter([1], [1], [1])
    return figure, [lambda: axes.view_init(60, 20)]


@scene
def subfigures():
    figure = Figure(figsize=(6, 3), dpi=100, layout="constrained")
    left, right = figure.subfigures(1, 2)
    left.suptitle("left")
    left.set_facecolor("#eee")
    (line,) = left.subplots().plot([1, 2])
    right.subplots(2, 1)[0].plot([2, 1])
    return figure, [lambda: line.set_ydata([2, 0]), lambda: right.suptitle("right")]


@scene
def parts_of_their_own():
    """Artists that change without a mark of matplotlib's."""
    figure, (left, middle, right) = new_figure(9, 3, columns=3)
    table = left.table([["1", "2"], ["3", "4"]], loc="center")
    arrows = middle.quiver([0, 1], [0, 1], [1, 0], [0, 1])
    key = middle.quiverkey(arrows, 0.8, 1.05, 1, "one")
    line = right.axline((0, 0), slope=1)
    return figure, [
        lambda: table[0, 0].get_text().set_text("5"),
        lambda: key.text.set_text("two"),
        lambda: line.set_slope(0.5),
        lambda: arrows.set_UVC([0, 1], [1, 0]),
    ]


@scene
def polar_labels():
    figure = Figure(figsize=(4, 4), dpi=100)
    axes = figure.add_subplot(projection="polar")
    axes.plot([0, 1, 2], [0, 1, 2])
    return figure, [
        lambda: axes.set_thetagrids([0, 90], ["east", "north"]),
        lambda: axes.set_rlabel_position(60),
    ]


@scene
def changed_in_place():
    figure, (left, right) = new_figure(6, 3, columns=2)
    image = left.imshow(random(5, 8))
    points = right.scatter(*random(2, 9))
    turn = Affine2D()
    right.add_patch(Ellipse((0.5, 0.5), 0.6, 0.2, transform=turn + right.transData))
    left.text(1, 1, r"$\alpha^2$")

    return figure, [
        lambda: image.get_array().__setitem__((0, 0), 9),
        lambda: points.get_offsets().__setitem__((0, 0), 0.9),
        lambda: turn.rotate_deg_around(0.5, 0.5, 30),
        lambda: rcParams.update({"mathtext.fontset": "cm"}),
        lambda: rcParams.update({"mathtext.fontset": "dejavusans"}),
    ]


@scene
def filtered():
    figure, axes = new_figure(3, 2)
    (line,) = axes.plot([0, 1], linewidth=9)
    line.set_agg_filter(lambda pixels, dpi: (pixels / 2, 0, 0))
    axes.plot([1, 0]).pop().set_rasterized(True)
    return figure, [lambda: line.set_ydata([1, 1])]
