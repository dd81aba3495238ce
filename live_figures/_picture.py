"""What a live figure and its picture ask of each other, whether the kernel draws or the page."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from ._narrow import narrow, on_slide

if TYPE_CHECKING:
    from ._display_list import DisplayList

NOTE = "Stored picture: run all cells, and it moves"
NOTE_HEIGHT = 24  # pixels of the note


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


def with_note(picture: bytes) -> bytes:
    """Return a PNG with a line below it that says what it is where no live figure stands in its place.

    JupyterLab shows a stored PNG without any text that could be heard or pointed at.
    """
    with Image.open(io.BytesIO(picture)) as image:
        line = Figure((image.width / 100, NOTE_HEIGHT / 100), dpi=100)
        line.text(1 - 8 / image.width, 0.5, NOTE, size=9, color="0.35", ha="right", va="center")
        noted = Image.new(image.mode, (image.width, image.height + NOTE_HEIGHT), "white")
        noted.paste(image)
        with Image.open(io.BytesIO(_png(line, 100))) as drawn:
            noted.paste(drawn.convert(image.mode), (0, image.height))
    about = PngInfo()
    about.add_text("Note", str(NOTE_HEIGHT))
    file = io.BytesIO()
    noted.save(file, "PNG", pnginfo=about)
    return file.getvalue()


def without_note(picture: bytes) -> bytes:
    """Return a stored PNG of a live figure without its last line, for pages where the figure does move.

    >>> from matplotlib.figure import Figure
    >>> from live_figures import live, slider, without_note
    >>> shown = live(Figure(), lambda k: f"The offset is {k}.", k=slider(0, 9))
    >>> without_note(shown.still()) == shown.still()  # it has none
    True
    """
    with Image.open(io.BytesIO(picture)) as image:
        height = image.info.get("Note")
        if not height:
            return picture
        file = io.BytesIO()
        image.crop((0, 0, image.width, image.height - int(height))).save(file, "PNG")
    return file.getvalue()
