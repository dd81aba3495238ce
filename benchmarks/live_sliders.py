"""Every slider of every notebook, in the notebook itself: key press to finished drawing in JupyterLab.

    python -m benchmarks.live_sliders [--steps 12] [NOTEBOOK …]

The reader turns to a slider, rests for a second and presses arrow keys, 30 ms from one picture to the next
key. Then comes a jump to a value that was never prefetched (a click on the track), and a drag over the whole
slider, 60 of its positions a second (one a frame) and two seconds at most, in which the page counts the new
pictures and what came through the socket. Below each notebook stands an echo, a slider whose value a label
repeats: what remains when nothing is drawn.
"""

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path

import nbformat
import numpy as np

from benchmarks.live_browser import ECHO, move_over_track
from live_figures.tests.browser.jupyter_page import chromium, open_notebook, run_all, shut_down
from live_figures.tests.comparison.key_presses import REST
from tests.course_lab import lab
from tools.course import NOTEBOOKS

SOCKET = """() => {  // what comes from the server, in bytes
    window.received = 0
    const count = ({data}) => { received += data.byteLength ?? data.length }
    window.WebSocket = class extends WebSocket {
        constructor(...given) { super(...given); this.addEventListener('message', count) }
    }
}"""
POSITIONS = """handle => {
    const { range, step } = handle.closest('.noUi-target').noUiSlider.options
    return (range.max - range.min) / step
}"""
WATCH = """echo => {  // when the key or the button went down, and when the next drawing was finished
    const watch = window.watch = {down: 0, drawn: null, pictures: 0}
    const begin = event => { watch.down = event.timeStamp; watch.drawn = null }
    for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, begin, true)
    const look = changes => changes.some(change => change.target.matches('.live-picture')) && drawn()
    const drawn = () => { watch.drawn ??= performance.now(); watch.pictures += 1 }
    new MutationObserver(look).observe(document.body,
        {subtree: true, attributes: true, attributeFilter: ['data-frames', 'src']})
    document.addEventListener('load', event => event.target.matches('.live-figure img') && drawn(), true)
    new MutationObserver(drawn).observe(echo, {childList: true, characterData: true, subtree: true})
}"""


def wait(page):
    """Milliseconds from the key or the button to the drawing; None where nothing was drawn."""
    try:
        page.wait_for_function("watch.drawn !== null", timeout=3000, polling=4)
    except Exception:
        return None
    return page.evaluate("watch.drawn - watch.down")


def press(page, handle, steps):
    handle.scroll_into_view_if_needed()
    handle.focus()
    page.wait_for_timeout(1000)
    took = []
    low, high, now = (float(handle.get_attribute(f"aria-value{name}")) for name in ("min", "max", "now"))
    keys = ("ArrowRight", "ArrowLeft") if now < (low + high) / 2 else ("ArrowLeft", "ArrowRight")
    for step in range(steps):
        page.keyboard.press(keys[step >= steps // 2])
        took.append(wait(page))
        page.wait_for_timeout(REST)
    return [value for value in took if value is not None]


def jump(page, handle, share):
    """A click on the track, at this share of its width."""
    track = handle.evaluate_handle("e => e.closest('.noUi-base')").as_element().bounding_box()
    page.mouse.click(track["x"] + share * track["width"], track["y"] + track["height"] / 2)
    return wait(page)


def drag(page, handle):
    """(new pictures a second, kB through the socket for each) while the handle is dragged over its track."""
    handle.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(700)
    page.evaluate("() => { watch.pictures = window.received = 0 }")
    seconds = move_over_track(page, handle, min(2, page.evaluate(POSITIONS, handle) / 60))
    pictures, received = page.evaluate("[watch.pictures, received]")
    page.mouse.up()
    return pictures / seconds, received / 1000 / max(pictures, 1)


def add_echo(notebook):
    """Put an echo below the last cell of a notebook's file."""
    cells = nbformat.read(notebook, as_version=4)
    cells.cells.append(nbformat.v4.new_code_cell("import ipywidgets\n" + ECHO.strip()))
    nbformat.write(cells, notebook)


def measure(page, steps):
    """([(p50, p95, jump, new pictures a second, kB for each) of each slider], [ms of the echo's steps])"""
    page.evaluate(WATCH, page.wait_for_selector(".widget-label:text-is('start')"))
    rows = []
    for handle in page.query_selector_all(".live-figure .noUi-handle"):
        took = press(page, handle, steps)
        row = jump(page, handle, 0.93) or np.nan, *drag(page, handle)
        if took:
            rows.append((np.median(took), np.percentile(took, 95), *row))
    return rows, press(page, page.query_selector_all(".noUi-handle")[-1], steps)


def report(rows, echo):
    p50, p95, jumped, pictures, size = np.nanmedian(rows, axis=0)
    slowest, floor = max(rows)[0], np.median(echo)
    print(f"{len(rows)} sliders, medians: p50 {p50:.0f} ms, p95 {p95:.0f} ms, jump {jumped:.0f} ms")
    print(f"    worst p50 {slowest:.0f} ms, echo {floor:.0f} ms")
    print(f"    drag: {pictures:.0f} new pictures a second, {size:.0f} kB through the socket for each")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("notebooks", nargs="*", help="what their names begin with, such as 05; without, all")
    parser.add_argument("--steps", type=int, default=12)
    arguments = parser.parse_args()
    wanted = tuple(arguments.notebooks) or ("",)
    names = [path.name for path in NOTEBOOKS if path.name.startswith(wanted)]
    all_rows, all_echoes = [], []
    print("| notebook | slider | p50 ms | p95 ms | jump ms | new pictures a second | kB each |")
    print("|---|---|---|---|---|---|---|")
    with contextlib.ExitStack() as stack:
        browser = stack.enter_context(chromium())
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder, address = stack.enter_context(lab(home))
        for name in names:
            add_echo(folder / name)
            page = browser.new_page(viewport={"width": 1700, "height": 1000})
            page.add_init_script(f"({SOCKET})()")
            open_notebook(page, address, f"notebooks/{name}")
            if errors := run_all(page):
                print(name, errors[:1], file=sys.stderr)
            page.wait_for_timeout(2000)
            rows, echo = measure(page, arguments.steps)
            all_rows += rows
            all_echoes += echo
            for number, row in enumerate(rows):
                cells = " | ".join(f"{value:.0f}" for value in row)
                print(f"| {name[:2]} | {number} | {cells} |", flush=True)
            shut_down(page)
            page.close()
    report(all_rows, all_echoes)


if __name__ == "__main__":
    main()
