"""live_figures beside six others: the same picture with the same slider, in one JupyterLab and as files.

    python -m live_figures.tests.comparison.compare [--steps 42] [--features features.png]

in an environment with requirements.txt. In the notebook each way is a cell with one slider; in every round
each gets a few arrow keys, in another order each time, then clicks on its track, at places that nobody has
asked for before. Then each is written to a file as its own documentation says, and opened without a network:
does the picture follow the slider there? Last, `--features` draws ten things that matplotlib can in the three
ways that do not show matplotlib's own pixels, side by side, for a person to look at.
"""

import argparse
import base64
import math
import random
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

from live_figures.tests.browser.jupyter_page import chromium, lab, open_notebook, run_all, write_notebook
from live_figures.tests.comparison.key_presses import (
    BURST,
    ROOTS,
    WATCH,
    handle_of,
    jump,
    press,
    wait_for_picture,
)

SETUP = """
import ipywidgets
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

plt.close(plt.figure())  # pyplot is now as in any notebook
inline = matplotlib.get_backend()
from ipympl.backend_nbagg import Canvas, FigureManager

matplotlib.use(inline)  # ipympl makes itself pyplot's backend
x, rows = np.linspace(0, 10, 500), np.arange(50)[:, None]


def wave(x, rate):
    return np.sin(rate * x)


def cells(rate):
    return np.sin(rate * rows * 0.9 ** np.arange(128))


def build(figure, rate=1.0):
    left, right = figure.subplots(1, 2)
    (line,) = left.plot(x, wave(x, rate))
    image = right.imshow(cells(rate), cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    figure.colorbar(image)
    left.set(title="A wave", xlabel="x", ylim=(-1.1, 1.1))
    right.set(title="Its table", xlabel="dimension", ylabel="position")
    return line, image


def kept(figure, redraw):
    line, image = build(figure)

    def update(rate):
        line.set_ydata(wave(x, rate))
        image.set_data(cells(rate))
        redraw()
        return f"The rate is {rate:.2f}."

    return update


def a_slider():
    return ipywidgets.FloatSlider(value=1, min=0.5, max=5, step=0.05)


size = {"figsize": (8, 3), "dpi": 100, "layout": "constrained"}
"""
CELLS = {  # each ends with what the notebook shows
    "live_figures": """
from live_figures import live

figure = Figure(**size)
shown = live(figure, kept(figure, lambda: None), rate=a_slider())
shown
""",
    "interact": """
ipywidgets.interact(lambda rate: build(plt.figure(**size), rate) and None, rate=a_slider());
""",
    "ipympl": """
figure = Figure(**size)
canvas = Canvas(figure)
manager = FigureManager(canvas, 0)
update, control = kept(figure, canvas.draw_idle), a_slider()
control.observe(lambda change, update=update: update(change.new), names="value")
ipywidgets.VBox([control, canvas])
""",
    "mpl-interactions": """
from IPython.display import display
from matplotlib._pylab_helpers import Gcf
from mpl_interactions import ipyplot
from mpl_interactions.controller import Controls

figure = Figure(**size)
canvas = Canvas(figure)
manager = FigureManager(canvas, 1)
left, right = figure.subplots(1, 2)
controls = Controls(use_ipywidgets=True, rate=np.linspace(0.5, 5, 91))
given = {"controls": controls, "force_ipywidgets": True}
ipyplot.plot(x, wave, ax=left, **given)
ipyplot.imshow(cells, ax=right, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", **given)
Gcf.figs.clear()  # or pyplot, which knows the figure now, closes it after the cell
display(ipywidgets.VBox([controls.vbox, canvas]))
""",
    "plotly": """
import plotly.graph_objects as go
from plotly.subplots import make_subplots

figure = make_subplots(1, 2, subplot_titles=["A wave", "Its table"])
figure.add_scatter(x=x, y=wave(x, 1), row=1, col=1)
figure.add_heatmap(z=cells(1), colorscale="RdBu_r", zmin=-1, zmax=1, row=1, col=2)
figure.update_layout(width=800, height=300, showlegend=False)
shown = go.FigureWidget(figure)
control = a_slider()


def update(change, shown=shown):
    with shown.batch_update():
        shown.data[0].y = wave(x, change.new)
        shown.data[1].z = cells(change.new)


control.observe(update, names="value")
ipywidgets.VBox([control, shown])
""",
    "panel": """
import panel

panel.extension(inline=True)
figure = Figure(**size)
pane = panel.pane.Matplotlib(figure, dpi=100)
update = kept(figure, lambda pane=pane: pane.param.trigger("object"))
control = panel.widgets.FloatSlider(value=1, start=0.5, end=5, step=0.05)
control.param.watch(lambda event, update=update: update(event.new), "value")
panel.Column(control, pane)
""",
    "mpld3": """
import mpld3
from IPython.display import HTML, display


def show(rate):
    figure = plt.figure(**size)
    build(figure, rate)
    display(HTML(mpld3.fig_to_html(figure, include_libraries=False)))
    plt.close(figure)


ipywidgets.interact(show, rate=a_slider());
""",
}
MPLD3_FILE = """
figure.draw_without_rendering()
scripts = [open(file).read() for file in (mpld3.urls.D3_LOCAL, mpld3.urls.MPLD3MIN_LOCAL)]
drawn = mpld3.fig_to_html(figure, include_libraries=False)
open(path, "w").write("".join(f"<script>{script}</script>" for script in scripts) + drawn)
"""
RATES = "[round(0.5 + 0.05 * n, 2) for n in range(91)]"
EXPORTS = {  # what follows a cell to write the file `path` that its documentation offers
    "live_figures": "shown.to_html(path)",
    "plotly": f"""
frames = [go.Frame(name=str(r), data=[go.Scatter(y=wave(x, r)), go.Heatmap(z=cells(r))]) for r in {RATES}]
moved = go.Figure(figure.data, figure.layout, frames)
options = {{"mode": "immediate", "frame": {{"duration": 0, "redraw": True}}, "transition": {{"duration": 0}}}}
steps = [{{"method": "animate", "label": f.name, "args": [[f.name], options]}} for f in frames]
moved.update_layout(sliders=[{{"steps": steps, "active": 10}}])
moved.write_html(path)
""",
    "panel": f"""
from bokeh.resources import INLINE

shown = panel.Column(control, pane)
shown.save(path, embed=True, embed_states={{control: {RATES}}}, max_opts=91, resources=INLINE, progress=False)
""",
    "mpld3": f"figure = plt.figure(**size)\nbuild(figure)\n{MPLD3_FILE}",
}
FEATURES = {  # as in tests/gallery.py, small
    "imshow": "axes.imshow(grid)",
    "pcolormesh": "axes.pcolormesh(grid, cmap='magma')",
    "contourf": "axes.contourf(smooth, 8, cmap='viridis')",
    "log axis": "axes.loglog([1, 10, 100, 1000], [1, 30, 50, 2000], 'o-')",
    "polar": "axes.plot(np.linspace(0, 6.28, 100), 1 + np.sin(3 * np.linspace(0, 6.28, 100)))",
    "mathtext": "axes.set_title(r'$\\frac{\\omega_i}{2\\pi} = \\sqrt{x^2}$'), axes.plot([1, 2, 0])",
    "legend": "axes.plot([1, 2], label='one'), axes.plot([2, 1], 'r--', label='two'), axes.legend()",
    "hatching": "axes.bar([1, 2, 3], [3, 1, 2], hatch='//', edgecolor='black', color='tan')",
    "twin axes": "axes.plot([1, 2, 3]), axes.twinx().plot([300, 200, 250], 'r'), axes.set_ylabel('left')",
    "annotation": "axes.plot([1, 3]), axes.annotate('top', (1, 3), (1, 1), arrowprops={'arrowstyle': '->'})",
}
DRAW = """
import sys

import numpy as np
from matplotlib.figure import Figure

grid = np.random.default_rng(0).normal(size=(8, 12))
smooth = np.hypot(*np.mgrid[-2:2:30j, -2:2:30j])
figure = Figure((3, 2.2), dpi=100, layout="constrained")
axes = figure.add_subplot(projection="polar" if {is_polar} else None)
{drawing}
"""
WRITE = {
    "matplotlib": "import base64; from live_figures import png\n"
    "data = base64.b64encode(png(figure)).decode()\n"
    "open(path, 'w').write(f'<img src=\"data:image/png;base64,{data}\">')",
    "live_figures": "from live_figures import choice, live\n"
    "live(figure, lambda k: 'Drawn.', k=choice(['a'])).to_html(path)",
    "mpld3": f"import mpld3\n{MPLD3_FILE}",
    "plotly": "import plotly.tools; plotly.tools.mpl_to_plotly(figure).write_html(path)",
}


def run(folder, code):
    """Run this code in a process of its own; the last line of what it complains, if it fails."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=folder, capture_output=True, text=True
    )
    return run.stderr.strip().splitlines()[-1] if run.returncode else ""


def measure(page, steps, jumps):
    """{way: (milliseconds of each key, of each click)}; nothing where the picture does not follow."""
    took = {way: ([], []) for way in CELLS}
    order = list(enumerate(CELLS, start=1))
    rng = random.Random(0)
    for number in range(-1, math.ceil(steps / BURST)):  # one round to warm up
        rng.shuffle(order)
        for place, way in order:
            milliseconds = press(page, handle_of(page, place), "ArrowRight" if number % 2 else "ArrowLeft")
            took[way][0].extend(milliseconds if number >= 0 else [])
    for number in range(jumps):
        rng.shuffle(order)
        for place, way in order:
            took[way][1].append(jump(page, handle_of(page, place), 0.3 + 0.68 * ((number * 0.618) % 1)))
    return took


def write_file(folder, way):
    """The file of this way in the folder."""
    path = folder / f"{way}.html"
    if way in EXPORTS:
        code = f"{SETUP}\npath = {str(path)!r}\n{CELLS[way]}\n{EXPORTS[way]}"
        problem = run(folder, code)
    else:
        write_notebook(folder / f"{way}.ipynb", [SETUP, CELLS[way]])
        convert = ["-m", "jupyter", "nbconvert", "--execute", "--to", "html", f"{way}.ipynb"]
        done = subprocess.run([sys.executable, *convert], cwd=folder, capture_output=True, text=True)
        problem = done.stderr[-200:] if done.returncode else ""
    assert not problem, (way, problem)
    return path


def moves(browser, path):
    """Whether the picture in this file follows a slider, without a network."""
    page = browser.new_context(offline=True).new_page()
    page.add_init_script(ROOTS)
    page.goto(path.as_uri())
    page.wait_for_timeout(4000)
    page.evaluate(WATCH)
    for slider in page.query_selector_all("input[type=range], .noUi-handle, .slider-grip-rect"):
        box = slider.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(500)
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(1000)
        if page.evaluate("watch.changed === null"):  # plotly's slider knows no keys
            page.mouse.click(box["x"] + box["width"] / 2 + 150, box["y"] + box["height"] / 2)
        try:
            wait_for_picture(page, 3000)
            return True
        except Exception:
            continue
    return False


def draw_features(browser, folder, path):
    """A sheet of pictures: a row for each feature, a column for each way."""
    ways = list(WRITE)
    rows = ["<tr><th>" + "".join(f"<th>{way}" for way in ways)]
    for name, drawing in FEATURES.items():
        row = f"<tr><th>{name}"
        for way in ways:
            file = folder / f"feature {name} {way}.html"
            code = DRAW.format(is_polar=name == "polar", drawing=drawing) + f"\npath = {str(file)!r}\n"
            problem = run(folder, code + WRITE[way])
            if problem:
                row += f"<td width=300>{problem[:120]}"
                continue
            page = browser.new_context(offline=True).new_page()
            page.goto(file.as_uri())
            page.wait_for_timeout(1500)
            drawn = page.query_selector(
                "canvas.live-picture, svg.mpld3-figure, .js-plotly-plot .svg-container, img"
            )
            shot = drawn.screenshot() if drawn else page.screenshot()
            row += f'<td><img width=300 src="data:image/png;base64,{base64.b64encode(shot).decode()}">'
            page.close()
        rows.append(row)
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_content(f"<table>{''.join(rows)}</table>")
    page.wait_for_timeout(500)
    page.screenshot(path=path, full_page=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, default=42)
    parser.add_argument("--jumps", type=int, default=12)
    parser.add_argument("--features", type=Path, help="a picture to write")
    arguments = parser.parse_args()
    packages = {way: "ipywidgets" if way == "interact" else way for way in CELLS if way != "live_figures"}
    print(", ".join(f"{name} {version(name)}" for name in ["jupyterlab", "matplotlib", *packages.values()]))
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        folder = Path(folder)
        if arguments.features:
            draw_features(browser, folder, arguments.features)
        write_notebook(folder / "compare.ipynb", [SETUP, *CELLS.values()])
        with lab(folder / "home", folder) as address:
            page = browser.new_page(viewport={"width": 1700, "height": 1000})
            page.add_init_script(ROOTS)
            open_notebook(page, address, "compare.ipynb")
            import mpld3

            for script in (mpld3.urls.D3_LOCAL, mpld3.urls.MPLD3MIN_LOCAL):  # in place of a network
                page.add_script_tag(path=script)
            errors = run_all(page)
            print(*errors, sep="\n", end="")
            page.wait_for_timeout(3000)
            page.evaluate(WATCH)
            took = measure(page, arguments.steps, arguments.jumps)
        print("| | key press: p50 | p95 | jump: p50 | file | it moves |")
        for way, (keys, clicks) in took.items():
            path = write_file(folder, way)
            p50, p95 = np.percentile(keys, [50, 95])
            cells = [f"{p50:.0f} ms", f"{p95:.0f} ms", f"{np.median(clicks):.0f} ms"]
            cells += [f"{path.stat().st_size / 1e6:.2f} MB", "yes" if moves(browser, path) else "no"]
            print(f"| {way} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
