"""What a live figure and its picture ask of each other, whether the kernel draws or the page."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from matplotlib.text import Text

from ._narrow import narrow, on_slide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._display_list import DisplayList


class Frame(NamedTuple):
    """What a figure shows for one setting of its controls.

    size: width and height in pixels; update_time: the milliseconds that `update` took.
    """

    caption: str
    display_lists: list[DisplayList]
    size: list[int]
    update_time: float


class Picture(Protocol):
    """The widget that shows a live figure, with the caption below it.

    png: what the kernel drew last; nothing where the page draws.
    """

    png: bytes

    def draw(self) -> None:
        """Draw the figure as `update` has left it; what cannot be drawn raises here."""

    def show(self, caption: str, problem: str) -> None:
        """Show what was drawn last and this caption or, where there is one, this problem alone."""

    def invalidate(self) -> None:
        """Forget the frames that were kept or sent: they may no longer be true."""

    def requests_frame(self, change: Any) -> bool:
        """Whether a request for a frame follows this change of a control; if not, the figure draws now."""

    def on_press(self, button: Any, action: Callable[[], None]) -> None:
        """Let a press of this button move the controls as `action` does."""


class Source(Protocol):
    """Where a picture gets its frames: a live figure."""

    controls: Mapping[str, Any]
    update_time: float  # milliseconds that `update` took last

    def frame_at(
        self, values: Mapping[str, Any], is_prefetch: bool = False, is_anew: bool = False
    ) -> Frame | None:
        """The frame for these values of the controls; None where it cannot be prefetched."""

    def display_lists(self) -> list[DisplayList]:
        """What the figure shows now."""

    def restore(self) -> None:
        """Draw the figure anew for its controls' values: what `update` uses may have changed."""


def png(figure: Figure, width: int = 0, height: int = 0) -> bytes:
    """Return the picture of a figure as a PNG.

    >>> from matplotlib.figure import Figure
    >>> png(Figure())[1:4]
    b'PNG'

    width: of a narrow page in pixels: laid out for it as `record` does it, with two dots a pixel, as screens
    of phones have at least; 0 means as it is.
    height: with it, the picture is for so many pixels of a slide: panels stay where they are.
    Raises ValueError for a width alone and a figure that was not laid out by one call of `subplots`.
    """
    if width:
        with on_slide(figure, width, height) if height else narrow(figure, width):
            return _png(figure, 2 * figure.dpi)
    return _png(figure, figure.dpi)


def _png(figure: Figure, dpi: float) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    for text in figure.findobj(Text):
        text._renderer = None  # it would keep all pixels for as long as the notebook keeps the figure
    return file.getvalue()
