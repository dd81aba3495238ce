"""From key press to changed picture in the page: a real JupyterLab, a real browser, real key presses.

One generated notebook holds all candidates, each a cell with one slider. It is opened twice, from a server
as `make lab` starts it and from one with Jupyter's own settings. In every round every candidate gets a few
arrow keys, in another order each time, and the page notes when the picture (or, for the echo, the label)
has changed. Then each slider is dragged for two seconds, and the page counts the frames with a new picture.

It needs Chromium. `make bench` installs ipympl (benchmarks/requirements.txt) and runs it.
"""

import argparse
import contextlib
import math
import random
import tempfile
from pathlib import Path

import numpy as np

from live_figures.tests.browser.jupyter_page import chromium, open_notebook, run_all, write_notebook
from live_figures.tests.comparison.key_presses import BURST, WATCH, handle_of, press
from tests.course_lab import lab

NAME = "live_browser.ipynb"
WAYS = ("live", "interact", "ipympl")
SERVERS = {"make lab": [], "jupyter lab": ["NO_DELAY="]}

SETUP = """
import importlib.util

import ipywidgets
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from ipywidgets import interact
from matplotlib.figure import Figure
from sklearn.decomposition import PCA

from pe_helpers import sinusoidal
from pe_helpers.figures import plots
from pe_helpers.figures import live
from pe_helpers.figures import word_map

plt.close(plt.figure())  # pyplot is now as in any notebook
inline = matplotlib.get_backend()
if importlib.util.find_spec("ipympl"):
    import ipympl.backend_nbagg  # makes itself pyplot's backend

    matplotlib.use(inline)

words = "the dog bites a man and now he is not amused".split()
rng = np.random.default_rng(0)
meaning, position = rng.normal(size=(11, 100)), sinusoidal(11, 100)
pca = PCA(2).fit(np.vstack([meaning, position]))
heat = {"cmap": "RdBu_r", "vmin": -1, "vmax": 1, "aspect": "auto", "interpolation": "nearest"}


def small_data(base):
    return sinusoidal(50, 128, base=base)


def large_data(k):
    return sinusoidal(np.arange(k, k + 100), 50)


def scatter_data(weight):
    return pca.transform(meaning + weight * position)


def small(base):
    figure, axes = plt.subplots(figsize=(8, 4))
    figure.colorbar(axes.imshow(small_data(base), **heat))
    axes.set(title="Sinusoidal encoding", xlabel="dimension", ylabel="position")


def large(k):
    figure, axes = plt.subplots(figsize=(14, 8))
    figure.colorbar(axes.imshow(large_data(k), **heat))
    axes.set(title="Shifted encoding", xlabel="dimension", ylabel="position")


def label_words(axes, points):
    options = {"xytext": (5, 5), "textcoords": "offset points", "fontsize": 11}
    return [axes.annotate(word, point, **options) for word, point in zip(words, points)]


def style(axes):
    axes.set(title="Meaning + weight × position", xlabel="PC1", ylabel="PC2", xlim=(-30, 30), ylim=(-30, 30))


def scatter(weight):
    figure, axes = plt.subplots(figsize=(7, 6))
    points = scatter_data(weight)
    axes.scatter(*points.T, s=60)
    label_words(axes, points)
    style(axes)


def follow(figure, axes, kind, redraw):
    # the artists of a figure that is kept, and an update that moves them
    if kind == "scatter" and redraw is None:  # as notebook 07 does it
        labels = {"title": "Meaning + weight × position", "x_label": "PC1", "y_label": "PC2"}
        map_of_words = word_map(axes, scatter_data(1) / 30, words, **labels)
    elif kind == "scatter":
        points = axes.scatter(*scatter_data(1).T, s=60)
        labels = label_words(axes, scatter_data(1))
        style(axes)
    else:
        data = {"small": small_data, "large": large_data}[kind]
        labels = {"title": "Encoding", "x_label": "dimension", "y_label": "position"}
        image = plots.heatmap(axes, data(10), bar="value", **labels)

    def update(value):
        if kind == "scatter" and redraw is None:
            map_of_words.set_data(scatter_data(value) / 30, words)
        elif kind == "scatter":
            points.set_offsets(scatter_data(value))
            for label, point in zip(labels, scatter_data(value)):
                label.xy = point
                label.stale = True
        else:
            image.set_data(data(value))
        if redraw is not None:
            redraw()
        return f"The value is {value:.6g}."

    return update


def a_slider(kind):
    if kind == "small":
        return ipywidgets.FloatLogSlider(value=1000, min=1, max=5, step=0.05)
    if kind == "large":
        return ipywidgets.IntSlider(value=0, min=-60, max=60)
    return ipywidgets.FloatSlider(value=1, min=0, max=10, step=0.1)


sizes = {"small": (8, 4), "large": (14, 8), "scatter": (7, 6)}
"""
ECHO = """
control, label = ipywidgets.IntSlider(value=50, min=0, max=100), ipywidgets.Label("start")
control.observe(lambda change: setattr(label, "value", f"value {change.new}"), names="value")
ipywidgets.VBox([control, label])
"""
LIVE = """
figure, axes = plots.new_figure(*sizes["KIND"])
update = follow(figure, axes, "KIND", None)
live(figure, update, value=a_slider("KIND"))
"""
INTERACT = """
_ = interact(KIND, **{KIND.__code__.co_varnames[0]: a_slider("KIND")})
"""
IPYMPL = """
from ipympl.backend_nbagg import Canvas, FigureManager

figure = Figure(figsize=sizes["KIND"])
canvas = Canvas(figure)
manager = FigureManager(canvas, 0)
control = a_slider("KIND")
update = follow(figure, figure.subplots(), "KIND", canvas.draw_idle)
control.observe(lambda change, update=update: update(change.new), names="value")
ipywidgets.VBox([control, canvas])
"""
DRAG = """async ([handle, x, y, width, seconds]) => {  // a mouse tells its place once a frame
    const start = performance.now()
    for (let gone = 0; gone < seconds; gone = (performance.now() - start) / 1000) {
        const place = {clientX: x + width * gone / seconds, clientY: y, buttons: 1, bubbles: true}
        handle.dispatchEvent(new MouseEvent('mousemove', place))
        await new Promise(requestAnimationFrame)
    }
    return (performance.now() - start) / 1000
}"""


def candidates(with_ipympl):
    """{(way, kind): the source of its cell}"""
    sources = {"live": LIVE, "interact": INTERACT, "ipympl": IPYMPL}
    ways = [way for way in WAYS if with_ipympl or way != "ipympl"]
    cells = {("echo", ""): ECHO}
    for kind in ("small", "large", "scatter"):
        cells |= {(way, kind): sources[way].replace("KIND", kind) for way in ways}
    return cells


def drag(page, handle, seconds=2):
    """How many frames with a new picture the page paints while the handle is dragged over its track."""
    handle.focus()
    page.keyboard.press("Home")
    handle.scroll_into_view_if_needed()
    page.wait_for_timeout(1000)
    page.evaluate("() => { watch.frames = 0; watch.isCounting = true }")
    move_over_track(page, handle, seconds)
    frames = page.evaluate("() => { watch.isCounting = false; return watch.frames }")
    page.mouse.up()
    page.wait_for_timeout(1000)
    return frames


def move_over_track(page, handle, seconds):
    """Drag the handle from the lower end over its track, and keep it; the seconds that it took."""
    box = handle.bounding_box()
    track = handle.evaluate("e => e.closest('.noUi-base').getBoundingClientRect().width")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return page.evaluate(DRAG, [handle, x, y, track, seconds])


def measure(pages, cells, steps, drags):
    """({(server, candidate): milliseconds of each step}, {(server, candidate): frames of each drag})"""
    rng = random.Random(0)
    took = {(server, cell): [] for server in pages for cell in cells}
    frames = {(server, cell): [] for server in pages for cell in cells}
    order = list(enumerate(cells, start=1))
    for number in range(-1, math.ceil(steps / BURST)):  # one round to warm up
        key = "ArrowRight" if number % 2 else "ArrowLeft"
        for server, page in pages.items():
            page.bring_to_front()
            rng.shuffle(order)
            for place, cell in order:
                milliseconds = press(page, handle_of(page, place), key)
                if number >= 0:
                    took[server, cell] += milliseconds
    for _ in range(drags):
        for server, page in pages.items():
            page.bring_to_front()
            rng.shuffle(order)
            for place, cell in order:
                frames[server, cell].append(drag(page, handle_of(page, place)))
    return took, frames


def print_results(took, frames, cells):
    print("| | | " + " | ".join(f"{server}: p50 | p95 | frames in 2 s" for server in SERVERS) + " |")
    print("|---|---|" + "---|" * 3 * len(SERVERS))
    middle = {key: float(np.median(values)) for key, values in took.items()}
    for cell in cells:
        columns = [
            f"{middle[server, cell]:.0f} ms | {np.percentile(took[server, cell], 95):.0f} ms | "
            f"{np.median(frames[server, cell]):.0f}"
            for server in SERVERS
        ]
        print(f"| {cell[1]} | {cell[0]} | " + " | ".join(columns) + " |")
    for server in SERVERS:
        over = middle[server, ("live", "small")] - middle[server, ("echo", "")]
        print(f"{server}: live takes {over:.0f} ms more than the echo at 8 × 4")
        for way, kind in cells:
            if way in ("interact", "ipympl"):
                times = middle[server, (way, kind)] / middle[server, ("live", kind)]
                more = np.median(frames[server, ("live", kind)]) / np.median(frames[server, (way, kind)])
                print(f"{server}, {kind}: {times:.1f} × faster than {way}, {more:.1f} × the frames")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, default=42)
    parser.add_argument("--drags", type=int, default=3)
    arguments = parser.parse_args()
    try:
        import ipympl  # noqa: F401

        cells = candidates(with_ipympl=True)
    except ImportError:
        print("ipympl is not installed (benchmarks/requirements.txt): left out")
        cells = candidates(with_ipympl=False)
    with contextlib.ExitStack() as stack:
        browser, pages = stack.enter_context(chromium()), {}
        for server, assignments in SERVERS.items():
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            folder, address = stack.enter_context(lab(home, *assignments))
            write_notebook(folder / NAME, [SETUP, *cells.values()])
            page = browser.new_page(viewport={"width": 1700, "height": 1000})
            open_notebook(page, address, f"notebooks/{NAME}")
            errors = run_all(page)
            assert not errors, errors
            page.wait_for_timeout(2000)
            page.evaluate(WATCH)
            pages[server] = page
        print_results(*measure(pages, cells, arguments.steps, arguments.drags), cells)


if __name__ == "__main__":
    main()
