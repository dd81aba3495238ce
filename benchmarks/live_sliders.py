"""Every slider of every notebook, in the notebook itself: key press to finished drawing in JupyterLab.

    PYTHONPATH=tools python benchmarks/live_sliders.py [--steps 12] [NOTEBOOK …]

The reader turns to a slider, rests for a second and presses arrow keys, 30 ms from one picture to the next
key. Then comes a jump to a value that was never asked for (a click on the track), and a drag over the whole
slider for two seconds, in which the page counts the new pictures.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from jupyter_page import chromium, lab, open_notebook, run_all, shut_down
from refresh_notebooks import NOTEBOOKS

REST = 30  # milliseconds from one picture to the next key: a key that is held down repeats as fast
WATCH = """() => {  // when the key or the button went down, and when the next drawing was finished
    const watch = window.watch = {down: 0, drawn: null, pictures: 0}
    const begin = event => { watch.down = event.timeStamp; watch.drawn = null }
    for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, begin, true)
    const look = changes => changes.some(change => change.target.matches('.live-picture')) && drawn()
    const drawn = () => { watch.drawn ??= performance.now(); watch.pictures += 1 }
    new MutationObserver(look).observe(document.body,
        {subtree: true, attributes: true, attributeFilter: ['data-frames', 'src']})
    document.addEventListener('load', event => event.target.matches('.live-figure img') && drawn(), true)
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


def drag(page, handle, seconds=2):
    """New pictures a second while the handle is dragged over its whole track."""
    track = handle.evaluate_handle("e => e.closest('.noUi-base')").as_element().bounding_box()
    handle.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(700)
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("() => { watch.pictures = 0 }")
    start = time.perf_counter()
    while (gone := time.perf_counter() - start) < seconds:
        page.mouse.move(x + track["width"] * gone / seconds, y)
        time.sleep(0.008)
    pictures = page.evaluate("watch.pictures") / (time.perf_counter() - start)
    page.mouse.up()
    return pictures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "notebooks", nargs="*", help="what their names begin with, such as 05; all by default"
    )
    parser.add_argument("--steps", type=int, default=12)
    arguments = parser.parse_args()
    chosen = [
        p for p in NOTEBOOKS if not arguments.notebooks or p.name.startswith(tuple(arguments.notebooks))
    ]
    rows = []
    print(
        "| notebook | slider | p50 ms | p95 ms | jump ms | new pictures a second |\n|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as home, lab(Path(home)) as (_, address), chromium() as browser:
        for path in chosen:
            page = browser.new_page(viewport={"width": 1700, "height": 1000})
            open_notebook(page, address, path.name)
            if errors := run_all(page):
                print(path.name, errors[:1], file=sys.stderr)
            page.wait_for_timeout(2000)
            page.evaluate(WATCH)
            for number, handle in enumerate(page.query_selector_all(".live-figure .noUi-handle")):
                took = press(page, handle, arguments.steps)
                jumped, pictures = jump(page, handle, 0.93), drag(page, handle)
                if took:
                    rows.append((np.median(took), np.percentile(took, 95), jumped or np.nan, pictures))
                    told = " | ".join(f"{value:.0f}" for value in rows[-1])
                    print(f"| {path.stem[:2]} | {number} | {told} |", flush=True)
            shut_down(page)
            page.close()
    middle = np.nanmedian(rows, axis=0)
    told = f"p50 {middle[0]:.0f} ms, p95 {middle[1]:.0f} ms, jump {middle[2]:.0f} ms"
    print(f"median of {len(rows)} sliders: {told}")
    print(f"worst p50 {np.max(rows, axis=0)[0]:.0f} ms; drag: {middle[3]:.0f} new pictures a second")


if __name__ == "__main__":
    main()
