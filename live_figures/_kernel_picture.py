"""The picture of a live figure that the kernel draws, whole: slower, and plain ipywidgets are enough."""

from __future__ import annotations

import html
import math
import time
from collections.abc import Callable
from threading import get_ident
from typing import Any

import ipywidgets as widgets
from matplotlib.figure import Figure
from traitlets import Unicode

from ._display_cache import DisplayCache
from ._picture import png
from .dark import CSS

SOON = 0.02  # seconds after a drawing in which a press is handled that has waited for its end
HELD = 0.25  # seconds after such a press that a value which the page held back may take to come
WAIT = """<style>
.live-waits { animation: live-wait 2s step-end }
@keyframes live-wait { from { visibility: hidden } }
</style>"""


class KernelPicture(widgets.VBox):
    """A `Picture`: an Image and the caption below it.

    While the kernel draws one frame the page sends no other value, only the last one when it is done: frames
    are dropped, never queued. A button that is pressed meanwhile overtakes that value, which would undo the
    press: so a press counts until its picture is drawn and, if it waited for a drawing, a moment longer;
    what controls say until then is taken back.
    """

    def __init__(self, figure: Figure, label: str, is_dark: bool = False) -> None:
        self._figure, self.png = figure, b""
        self._image = _NamedImage(format="png", layout={"max_width": "100%", "margin": "0"}, tooltip=label)
        self._image.add_class("live-picture")
        self._press_ends = 0.0  # by time.monotonic()
        self._goes_back = False  # a control, to where the press put it
        self._shown_at = -math.inf  # the last drawing, by time.monotonic()
        self._presses: int | None = None  # the thread that handles a press
        self._is_late = False  # whether that press has waited for a drawing
        self._problem, self._caption = (widgets.HTML(layout={"margin": "0"}) for _ in range(2))
        super().__init__([self._image, self._problem, self._caption])
        if is_dark:  # on a dark page, also one that cannot load what `PagePicture` brings
            self.children += (widgets.HTML(f"<style>{CSS}</style>", layout={"display": "none"}),)

    def wait_for_page(self) -> None:
        """Be seen after two seconds: by then a page that can draw, and hides something, has drawn."""
        self.children += (widgets.HTML(WAIT, layout={"display": "none"}),)
        self.add_class("live-waits")

    def draw(self) -> None:
        self._image.layout.width = f"{round(self._figure.bbox.width)}px"
        self._image.value = self.png = png(self._figure)
        DisplayCache.of(self._figure).invalidate()  # that cleared the stale marks

    def show(self, caption: str, problem: str) -> None:
        self._image.layout.display = "none" if problem else None
        self._problem.layout.display = None if problem else "none"
        self._problem.value = _paragraph(problem, "role='alert'")
        self._caption.value = _paragraph(caption, "class='live-caption' aria-live='polite'")
        self._shown_at = time.monotonic()
        self._is_late |= self._presses not in (None, get_ident())

    def invalidate(self) -> None:
        pass  # it keeps no frame

    def requests_frame(self, change: Any) -> bool:
        # ipywidgets sets the lock while a message of the page is handled
        if time.monotonic() > self._press_ends or not change.owner._property_lock:
            return False
        if not self._goes_back:
            self._goes_back = True
            try:
                change.owner.value = change.old
            finally:
                self._goes_back = False
        return True  # the press draws

    def on_press(self, button: Any, action: Callable[[], None]) -> None:
        def press(_: Any) -> None:
            self._is_late = time.monotonic() - self._shown_at < SOON
            self._presses = get_ident()
            self._press_ends = math.inf  # other threads may handle what the page sends meanwhile
            try:
                action()
            finally:
                self._presses = None
                self._press_ends = time.monotonic() + HELD if self._is_late else -math.inf

        button.on_click(press)


class _NamedImage(widgets.Image):
    """An Image that has a name in the page: its `tooltip`, the title of the <img>.

    ipywidgets 8 writes a tooltip there only where the widget has a `description`; 7.7.1 ignores both.
    """

    description = Unicode("").tag(sync=True)
    tooltip = Unicode("").tag(sync=True)


def _paragraph(text: str, attribute: str) -> str:
    return f"<p {attribute} style='font-size: 1.1em; line-height: 1.4'>{html.escape(text)}</p>"
