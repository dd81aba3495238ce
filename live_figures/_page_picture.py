"""The picture of a live figure that the page draws itself: the kernel answers the requests of page.js."""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import ipywidgets as widgets
import traitlets

from . import dark
from ._controls import deserialize, serialize

if TYPE_CHECKING:
    from ._controls import Presets
    from ._display_list import DisplayList
    from ._kernel_picture import KernelPicture
    from ._picture import Picture, Source

CLIENTS = 8  # for so many pages the kernel remembers what it has sent to them
DRAWN = ":is(canvas:not([data-frames='0']), [role=alert]:not([hidden]))"  # the page's picture, or a problem
CSS = f"""
.live-figure {{ --jp-widgets-slider-handle-size: 24px }} /* for fingers and unsteady hands */
.live-figure :is(.noUi-horizontal, .noUi-horizontal *) {{ touch-action: pan-y }}
.live-figure .live-picture {{ background: white }} /* also on a dark page, under a transparent figure */
.live-either > .live-page:not(:has({DRAWN})),
.live-either:has(> .live-page {DRAWN}) > :not(.live-page) {{ display: none }}
/* without its kernel a figure says so once, above its controls, instead of by ipywidgets' icon at each */
.live-figure .jupyter-widgets-disconnected::before {{ display: none }}
.live-figure.jupyter-widgets-disconnected::before {{
    content: attr(data-gone);
    font: 600 1.1em var(--jp-ui-font-family, sans-serif); line-height: 2; color: inherit;
}}
.live-figure > [inert] {{ opacity: 0.4 }}
.live-figure.jupyter-widgets-disconnected [role=alert] {{ /* for readers of screens */
    position: absolute; clip-path: inset(50%);
}}
{dark.CSS}
"""


class PagePicture(anywidget.AnyWidget):
    """A `Picture`: a canvas, with the caption below it. The page sends its controls' values and gets a frame.

    A request has an `id`, the `client` that asks, the `values` of the controls, whether it is a `prefetch`,
    and whether the frame is to be computed `anew`. The answer repeats id and client; it has a `frame` and the
    digests of the display lists that this client lacks, in `sent`, with their bytes in the buffers; or an
    `error`; or neither, where a frame cannot be prefetched. Before all requests, as soon as a page has loaded
    page.js, comes a `hello`.
    """

    _esm = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
    _css = CSS
    png = b""
    is_loaded = False  # in a page, as far as is known
    controls = traitlets.Dict().tag(sync=True)  # {name of a control: the id of its model in the page}
    presets = traitlets.Dict().tag(sync=True)  # {text of a button: {control: its value in the page}}
    label = traitlets.Unicode().tag(sync=True)
    generation = traitlets.Int().tag(sync=True)  # grows when frames that pages keep are invalid

    def __init__(self, source: Source, presets: Presets, label: str) -> None:
        self._source = source
        self._sent: OrderedDict[str, set[str]] = OrderedDict()  # {client: digests that it has}
        models = {name: control.model_id for name, control in source.controls.items()}
        self._models = set(models.values())  # those whose messages change nothing that `update` uses
        buttons = {text: serialize(source.controls, values) for text, values in presets.items()}
        self.on_msg(self._answer)  # before there is a page to say hello
        super().__init__(controls=models, presets=buttons, label=label)
        self.add_class("live-page")
        self._models.add(self.model_id)
        _watch_cells(self)

    def draw(self) -> None:
        self._source.display_lists()

    def show(self, caption: str, problem: str) -> None:
        pass  # the page requests what it shows

    def requests_frame(self, change: Any) -> bool:
        return bool(change.owner._property_lock)  # ipywidgets sets it while a message of the page is handled

    def on_press(self, button: Any, action: Callable[[], None]) -> None:
        # The page moves the controls itself: it knows in what order the reader acted. Its message, which may
        # come late, would undo a later move.
        self.take(button)
        button.on_click(lambda _: action())

    def take(self, button: Any) -> None:
        """From now on the page itself does what a press does, and its message does nothing."""
        button.on_msg(button._handle_button_msg, remove=True)
        self._models.add(button.model_id)

    def invalidate(self) -> None:
        """Frames that were sent may no longer be true: a cell ran, or a callback of a widget."""
        if self._sent:
            self._sent.clear()
            self._source.restore()
            self.generation += 1

    def _answer(self, _: Any, request: dict, buffers: Any) -> None:
        if "hello" in request:
            self.is_loaded = True
            return
        client, is_prefetch = request["client"], request["prefetch"]
        answer = {"id": request["id"], "client": client}
        if is_prefetch and _running:  # a cell finds the figure as the reader left it
            self.send(answer)
            return
        try:
            values = deserialize(self._source.controls, request["values"])
            frame = self._source.frame_at(values, is_prefetch, request["anew"])
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            self.send(answer | {"error": message, "updateTime": self._source.update_time})
            if is_prefetch:
                return
            raise
        if frame is None:
            self.send(answer)
            return
        new = self._new_to(client, frame.display_lists)
        shown = {
            "caption": frame.caption,
            "displayLists": [each.digest for each in frame.display_lists],
            "size": frame.size,
            "updateTime": frame.update_time,
        }
        digests = [each.digest for each in new]
        self.send(answer | {"frame": shown, "sent": digests}, [each.data for each in new])

    def _new_to(self, client: str, lists: list[DisplayList]) -> list[DisplayList]:
        """The display lists that this client does not have, each after its resources."""
        has = self._sent.setdefault(client, set())
        self._sent.move_to_end(client)
        while len(self._sent) > CLIENTS:
            self._sent.popitem(last=False)
        needed = {part.digest: part for each in lists for part in (*each.resources, each)}
        new = [part for digest, part in needed.items() if digest not in has]
        has.update(needed)
        return new


class EitherPicture(widgets.VBox):
    """A `Picture`: the kernel's, and, from the first request of a page that has loaded page.js, the page's.

    The page's is shown no earlier than page.js has said hello: a page that cannot load anywidget would have
    an error in its place or, with ipywidgets 7, no figure. The kernel's stays until the page has drawn.
    """

    def __init__(self, kernel: KernelPicture, page: PagePicture) -> None:
        self._kernel, self._page = kernel, page
        self._now: Picture = kernel
        self._buttons: list[Any] = []
        super().__init__([kernel])
        self.add_class("live-either")
        page.on_msg(self._hear)
        if page.is_loaded:
            self._hear(page, {"hello": True}, [])

    def _hear(self, _: Any, message: dict, buffers: Any) -> None:
        if "hello" in message:
            self.children = self._kernel, self._page
        elif self._now is self._kernel:  # the first request, and it was answered
            self._now = self._page
            for button in self._buttons:
                self._page.take(button)
            self._kernel.children = ()

    @property
    def png(self) -> bytes:
        return self._now.png

    def draw(self) -> None:
        self._now.draw()

    def show(self, caption: str, problem: str) -> None:
        self._now.show(caption, problem)

    def invalidate(self) -> None:
        self._page.invalidate()

    def requests_frame(self, change: Any) -> bool:
        return self._now.requests_frame(change)

    def on_press(self, button: Any, action: Callable[[], None]) -> None:
        self._now.on_press(button, action)
        self._buttons.append(button)


_pictures: weakref.WeakSet[PagePicture] = weakref.WeakSet()
_running: list[Any] = []  # the cell that runs


def _watch_cells(picture: PagePicture) -> None:
    """From now on invalidate what this picture sent when a cell or a callback may have changed it."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if not _pictures and shell:
        shell.events.register("pre_run_cell", _begin_cell)
        shell.events.register("post_run_cell", _end_cell)
        shell.events.register("post_execute", _after_message)  # a widget's, too
    _pictures.add(picture)


def _begin_cell(cell: Any) -> None:
    _running[:] = [cell]
    _invalidate_all()


def _end_cell(_: Any) -> None:
    _running.clear()
    _invalidate_all()


def _after_message() -> None:
    """A page has moved a widget that is no live figure's; its callback may have changed anything."""
    message = sys.modules["IPython"].get_ipython().get_parent()
    model = message.get("content", {}).get("comm_id")
    if model and not any(model in picture._models for picture in list(_pictures)):
        _invalidate_all()


def _invalidate_all() -> None:
    for picture in list(_pictures):
        picture.invalidate()
