"""The course as pages: from key press to finished drawing over every control of every figure, and more.

    python -m benchmarks.site_figures [--build] [--steps 12]

With --build the site is made anew first, recordings and all, and timed. A page is opened with nothing in the
browser's cache, at its first figure; that is usable when it has been drawn. Then come the keys: on each
slider and menu arrow keys, 30 ms from one picture to the next key; the first third of them goes to frames
that the page has not decoded yet.
"""

import argparse
import shutil
import subprocess
import sys
import time

import numpy as np

from live_figures.tests.browser.jupyter_page import chromium
from live_figures.tests.browser.static_page import DRAWN, live_figures, serve, weight
from tools.build_site import RECORDINGS
from tools.course import NOTEBOOKS, ROOT

SITE = ROOT / "_site"
REST = 30  # milliseconds from a picture to the next key
WATCH = """() => {  // when the key went down, and when the next drawing was finished
    const watch = window.watch = {first: null, down: 0, drawn: null}
    addEventListener('keydown', event => { watch.down = event.timeStamp; watch.drawn = null }, true)
    const look = changes => {
        if (!changes.some(change => change.target.matches?.('.live-picture'))) return
        watch.drawn ??= performance.now()
        watch.first ??= watch.drawn
    }
    const what = {subtree: true, childList: true, attributes: true, attributeFilter: ['data-frames']}
    const seen = new Set()
    const join = () => {
        for (const figure of document.querySelectorAll('.live-figure'))
            if (figure.querySelector('canvas') && !seen.has(figure)) {
                seen.add(figure)
                watch.first ??= performance.now()
                new MutationObserver(look).observe(figure, what)
            }
    }
    new MutationObserver(join).observe(document, {subtree: true, childList: true})
}"""


def press(page, control, steps):
    """Milliseconds from each key to the drawing; a control at its end moves back."""
    control.focus()
    page.wait_for_timeout(200)
    took = []
    for key in ["ArrowRight"] * (steps // 3) + ["ArrowLeft"] * (steps - steps // 3):
        before = page.evaluate("document.activeElement.value")
        page.keyboard.press(key)
        page.wait_for_timeout(REST)
        told = page.evaluate("[document.activeElement.value, watch.drawn && watch.drawn - watch.down]")
        if told[0] != before:
            took.append(told[1])
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--steps", type=int, default=12)
    arguments = parser.parse_args()
    if arguments.build:
        shutil.rmtree(RECORDINGS, ignore_errors=True)
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "tools.build_site"], cwd=ROOT, check=True)
        print(f"make site: {time.perf_counter() - start:.0f} s")
    sizes = [file.stat().st_size for file in SITE.glob("_static/*/*.bin")]
    whole = sum(file.stat().st_size for file in SITE.rglob("*") if file.is_file())
    print(f"{len(sizes)} figures, median {np.median(sizes) / 1e3:.0f} kB, most {max(sizes) / 1e3:,.0f} kB")
    print(f"the whole site: {whole / 1e6:.1f} MB")

    address = serve(SITE)
    usable, weights, all_keys = [], [], []
    with chromium() as browser:
        for name in ["index", *(path.stem for path in NOTEBOOKS)]:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.add_init_script(f"({WATCH})()")
            page.goto(f"{address}/{name}.html#figure-1")
            page.wait_for_selector(DRAWN)
            usable.append(page.evaluate("watch.first"))
            page.wait_for_load_state("networkidle")
            weights.append(weight(page) / 1e6)
            print(f"{name}: usable after {usable[-1]:.0f} ms, {weights[-1]:.2f} MB before its figures")
            for number, figure in enumerate(live_figures(page), 1):
                for control in figure.query_selector_all("input[type=range], select"):
                    took = press(page, control, arguments.steps)
                    all_keys += took
                    said = control.get_attribute("id").rpartition("-")[2]
                    print(f"    figure {number}, {said}: {np.median(took):.1f} ms, at most {max(took):.1f}")
            page.close()
    print(f"first figure usable: median {np.median(usable):.0f} ms, at most {max(usable):.0f} ms")
    print(f"before its figures: first page {weights[0]:.2f} MB, others at most {max(weights):.2f} MB")
    p50, p95 = np.percentile(all_keys, [50, 95])
    print(f"key press to finished drawing, {len(all_keys)} keys: p50 {p50:.1f} ms, p95 {p95:.1f} ms")


if __name__ == "__main__":
    main()
