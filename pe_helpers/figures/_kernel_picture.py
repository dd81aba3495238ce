"""The picture of a live figure that the kernel draws, whole: slower, and plain ipywidgets are enough."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as widgets
from traitlets import Unicode

from .plots import png


class KernelPicture(widgets.VBox):
    """An Image and the caption below it. While the kernel draws one frame the page sends no other value, only
    the last one when it is done: frames are dropped, never queued.
    """

    def __init__(self, owner: Any, label: str) -> None:
        self._owner = owner
        self._image = _NamedImage(
            format="png", layout={"max_width": "100%", "margin": "2px 0"}, tooltip=label
        )
        self._image.add_class("live-picture")
        self._problem, self._caption = widgets.HTML(), widgets.HTML()
        super().__init__([self._image, self._problem, self._caption])

    @property
    def value(self) -> bytes:
        """The picture as a PNG."""
        return self._image.value

    def show(self) -> None:
        """Show the figure, the caption and the problem as they are now."""
        problem = self._owner.problem
        self._image.layout.display = "none" if problem else None
        self._problem.layout.display = None if problem else "none"
        self._problem.value = _paragraph(problem, "role='alert'")
        self._caption.value = _paragraph(self._owner.caption, "aria-live='polite'")
        if not problem:
            self._image.layout.width = f"{round(self._owner.figure.bbox.width)}px"
            self._image.value = png(self._owner.figure)


class _NamedImage(widgets.Image):
    """An Image that has a name in the page: its `tooltip`, the title of the <img>.

    ipywidgets 8 writes a tooltip there only where the widget has a `description`; 7.7.1 ignores both.
    """

    description = Unicode("").tag(sync=True)
    tooltip = Unicode("").tag(sync=True)


def _paragraph(words: str, attribute: str) -> str:
    return f"<p {attribute} style='font-size: 1.1em; line-height: 1.4'>{html.escape(words)}</p>"
