"""Frames drawn by page.js in Chromium, without Jupyter: what a reader sees of display lists."""

import base64
from pathlib import Path

from ..conftest import fully_drawn, pixels

ENGINE = Path(__file__).resolve().parents[2]
SCRIPT = ENGINE / "page.js"
START = """
window.fromBase64 = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0))
window.start = () => {
    let moved
    window.answer = null
    const request = async () => window.answer ?? Promise.reject(Error('nothing yet'))
    const client = {request, reset: () => {}, onInvalidate: () => {}}
    window.position = 0
    const controls = {values: () => ({n: window.position}), neighbours: () => [], onRest: () => {},
                      onMove: callback => { moved = callback }}
    document.body.replaceChildren()
    play(document.body.appendChild(document.createElement('div')), client, controls, 'a picture',
         new AbortController().signal)
    window.show = async ([frame, sent]) => {
        window.answer = {frame, sent: sent.map(([digest, data]) => [digest, fromBase64(data)])}
        const canvas = document.querySelector('canvas'), before = canvas.dataset.frames
        window.position += 1
        moved('n')
        for (let n = 0; n < 1000 && canvas.dataset.frames === before; n++)
            await new Promise(done => setTimeout(done, 2))
        if (canvas.dataset.frames === before) throw Error(document.body.textContent)
        return canvas.toDataURL('image/png')
    }
}
"""


class Screen:
    """A canvas in a browser's page that shows one frame after the other."""

    def __init__(self, browser, ratio=1):
        self.page = browser.new_page(viewport={"width": 1400, "height": 1200}, device_scale_factor=ratio)
        self.page.on("pageerror", lambda error: print(error))
        self.page.set_content("<body></body>")
        self.page.add_script_tag(type="module", content=SCRIPT.read_text() + "\nwindow.play = play\n" + START)
        self.page.wait_for_function("!!window.start")
        self.clear()

    def clear(self):
        self.page.evaluate("start()")
        self._known = set()

    def show(self, lists, size, caption=""):
        """The pixels, (height, width, 3), of a frame of these display lists."""
        sent = []
        for each in lists:
            for part in (*each.resources, each):
                if part.digest not in self._known:
                    self._known.add(part.digest)
                    sent.append([part.digest, base64.b64encode(part.data).decode()])
        frame = {"size": list(size), "caption": caption, "displayLists": [each.digest for each in lists]}
        return pixels(base64.b64decode(self.page.evaluate("show", [frame, sent]).split(",")[1]))


def size_of(figure):
    return figure.bbox.size.round().astype(int).tolist()


def check_likeness(drawn, figure):
    """The page's picture is matplotlib's, which is returned: in no square of 25 × 25 pixels does it differ by
    more than twice as much as matplotlib's own picture of twice the resolution does."""
    expected = fully_drawn(figure)
    assert drawn.shape == expected.shape
    assert _worst_square(drawn, expected) <= 2 * _worst_square(_from_twice_the_pixels(figure), expected) + 1
    return expected


def _from_twice_the_pixels(figure):
    dpi = figure.dpi
    figure.set_dpi(2 * dpi)
    large = fully_drawn(figure)
    figure.set_dpi(dpi)
    height, width = (length // 2 for length in large.shape[:2])
    return large.reshape(height, 2, width, 2, 3).mean(axis=(1, 3))


def _worst_square(one, other):
    height, width = (25 * (length // 25) for length in one.shape[:2])
    difference = abs(one.astype(float) - other)[:height, :width]
    return difference.reshape(height // 25, 25, width // 25, 25, 3).mean(axis=(1, 3, 4)).max()
