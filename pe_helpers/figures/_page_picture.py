"""The picture of a live figure that the page draws itself: the kernel sends what the page asks for."""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

if TYPE_CHECKING:
    from ._pieces import Piece

PAGES = 8  # of so many pages the kernel remembers what it sent to them


class PagePicture(anywidget.AnyWidget):
    """A canvas, with the caption below it. The page tells its controls' values and gets a frame."""

    _esm = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
    controls = traitlets.Dict().tag(sync=True)  # name of each control: of its model in the page
    presets = traitlets.Dict().tag(sync=True)  # what a button says: {control: its value in the page}
    label = traitlets.Unicode().tag(sync=True)
    generation = traitlets.Int().tag(sync=True)  # grows when frames that pages keep may no longer be true

    def __init__(self, owner: Any, presets: Any, label: str) -> None:
        self._owner = owner
        self._sent: OrderedDict[str, set[str]] = OrderedDict()  # a page's memory: the pieces that it has
        models = {name: control.model_id for name, control in owner.controls.items()}
        told = {name: _told(owner.controls, values) for name, values in presets.items()}
        super().__init__(controls=models, presets=told, label=label)
        self.on_msg(self._answer)
        _watch_cells(self)

    @property
    def value(self) -> bytes:
        """What tells this picture from another: the names of its pieces."""
        return b" ".join(piece.name.encode() for piece in self._owner.pieces)

    def show(self) -> None:
        """The page asks by itself."""

    def forget(self) -> None:
        """Frames that were sent may no longer be true: a cell ran."""
        if self._sent:
            self._sent.clear()
            self._owner.settle()
            self.generation += 1

    def _answer(self, _: Any, question: dict, buffers: Any) -> None:
        memory, is_ahead = question["memory"], question["ahead"]
        answer = {"number": question["number"], "memory": memory}
        controls = self._owner.controls
        if is_ahead and _running:  # a cell finds the figure as the reader left it
            self.send(answer)
            return
        try:
            values = {name: _taken(controls[name], value) for name, value in question["values"].items()}
            frame = self._owner.frame_at(values, is_ahead)
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            self.send(answer | {"error": told, "effort": self._owner.effort})
            if is_ahead:
                return
            raise
        if frame is None:
            self.send(answer)
            return
        news = self._news(memory, frame.pieces)
        told = frame._asdict() | {"pieces": [piece.name for piece in frame.pieces]}
        names = [piece.name for piece in news]
        self.send(answer | {"frame": told, "news": names}, [piece.data for piece in news])

    def _news(self, memory: str, pieces: list[Piece]) -> list[Piece]:
        """The pieces that this page does not have, each after its parts."""
        has = self._sent.setdefault(memory, set())
        self._sent.move_to_end(memory)
        while len(self._sent) > PAGES:
            self._sent.popitem(last=False)
        needed = {part.name: part for piece in pieces for part in (*piece.parts, piece)}
        news = [piece for name, piece in needed.items() if name not in has]
        has.update(needed)
        return news


def _told(controls: Any, values: Any) -> dict[str, Any]:
    """Values of controls as the page has them: of a choice its place."""
    told = {name: controls[name].traits()["value"]._validate(controls[name], values[name]) for name in values}
    for name in told:
        if hasattr(controls[name], "_options_full"):
            told[name] = [value for _, value in controls[name]._options_full].index(told[name])
    return told


def _taken(control: Any, value: Any) -> Any:
    """A control's value as Python has it; the page has the place of a choice, and whole numbers for 1.0."""
    if hasattr(control, "_options_full"):
        return control._options_full[value][1]
    return control.traits()["value"]._validate(control, value)


_pictures: weakref.WeakSet[PagePicture] = weakref.WeakSet()
_running: list[Any] = []  # the cell that runs


def _watch_cells(picture: PagePicture) -> None:
    """From now on this picture forgets what it sent when a cell begins and when it ends."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if not _pictures and shell:
        shell.events.register("pre_run_cell", _begin)
        shell.events.register("post_run_cell", _end)
    _pictures.add(picture)


def _begin(cell: Any) -> None:
    _running[:] = [cell]
    _forget()


def _end(_: Any) -> None:
    _running.clear()
    _forget()


def _forget() -> None:
    for picture in list(_pictures):
        picture.forget()
