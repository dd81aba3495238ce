"""Live figures: a picture that follows its controls, in JupyterLab, Notebook, VS Code and Colab.

    figure, axes = plots.new_figure(8, 4)
    image = plots.heatmap(axes, sinusoidal(50, 128))

    def update(base):
        image.set_data(sinusoidal(50, 128, base=base))
        return f"With base {base:,.0f} …"          # the caption, a sentence for every reader

    live(figure, update, base=log_slider(10, 100_000, 10_000))

The page draws the picture; anywidget carries what it needs. Where it cannot, as in Colab, the kernel does:
see `draw_in`.
"""

from __future__ import annotations

import base64
import importlib.util
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import RLock, get_ident
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets as widgets
from matplotlib.figure import Figure

from .._arguments import one_of
from ._controls import Presets, Settings, check_match, check_presets
from ._frames import Frames
from ._kernel_picture import KernelPicture
from .plots import png

if TYPE_CHECKING:
    from ._pieces import Piece

PLACES = "page", "kernel"
_place: list[str] = []  # what `draw_in` was last told
_drawing = RLock()  # JupyterLab has a cell, a control's move and a picture's question in threads of their own


class Frame(NamedTuple):
    """What a figure shows for one setting of its controls.

    size: width and height in pixels; effort: the milliseconds that `update` took.
    """

    caption: str
    pieces: list[Piece]
    size: list[int]
    effort: float


def draw_in(place: str) -> None:
    """Say who draws the live figures that are made from now on.

    >>> draw_in("kernel")
    >>> draw_in("page")

    "page": the page, which is fast and sharp; it needs anywidget. "kernel": the kernel draws an Image, which
    needs no extension; this is what happens by default in Colab and where anywidget is missing.
    Raises ValueError for any other place.
    """
    _place[:] = [one_of("place", place, PLACES)]


def _draws_in_page() -> bool:
    can = "google.colab" not in sys.modules and importlib.util.find_spec("anywidget") is not None
    return _place[-1] == "page" if _place else can


def live(
    figure: Figure, update: Callable[..., str], presets: Presets | None = None, /, **controls: Any
) -> LiveFigure:
    """Show `figure` with `controls`; whenever one moves, call `update` and redraw what it changed.

    >>> from pe_helpers.figures import plots, slider
    >>> figure, axes = plots.new_figure(3, 2)
    >>> live(figure, lambda k: f"The offset is {k}.", {"far": {"k": 9}}, k=slider(0, 9)).buttons.keys()
    dict_keys(['reset', 'far'])

    figure: a matplotlib Figure, built once. It is laid out now and keeps its margins.
    update: takes the controls' values by name, gives new data to the artists of the figure and returns
        the caption: a sentence that says what the picture shows now. It is plain text, not HTML.
    presets: {what a button says: {control: value}}. A button sets these controls and leaves the others.
    controls: `slider`, `log_slider`, `choice`, `text` or any ipywidget with a `value`.
    Returns the LiveFigure; make it the last line of a cell. Raises ValueError if the parameters of
    `update` and the controls do not match or if a control cannot take a preset's value, TypeError if
    `update` returns anything but a string, RuntimeError if it sets controls without end.
    """
    return LiveFigure(figure, update, controls, presets or {})


class LiveFigure(widgets.VBox):
    """Controls, picture and caption; `live` makes one.

    >>> from pe_helpers.figures import plots, slider
    >>> figure, axes = plots.new_figure(3, 2)
    >>> shown = live(figure, lambda k: f"The offset is {k}.", k=slider(0, 9))
    >>> shown.controls["k"].value = 7
    >>> shown.caption
    'The offset is 7.'

    `controls` maps names to widgets, and `buttons` what they say to buttons: "reset", then the presets.
    `picture` is the widget that shows the figure and the caption. `caption` and `problem` are what it says
    below: an exception in `update` is shown in place of the picture and raised to whoever moved the control.
    """

    _ipython_display_ = None  # ipywidgets 7 would show the live view alone, without the still picture

    def __init__(
        self, figure: Figure, update: Callable[..., str], controls: Settings, presets: Presets
    ) -> None:
        check_match(update, controls)
        check_presets(presets, controls)
        self.figure, self.update, self.controls = figure, update, controls
        self._frames = Frames.of(figure)
        self.caption = self.problem = ""
        self.pieces: list[Piece] = []
        self._start = self._values()
        self._at: Settings | None = None  # the values that caption and pieces are for
        self._busy: int | None = None  # the thread that calls `update` or sets controls
        self._set_by_update: dict[Any, Any] = {}  # controls that `update` set, and their values before
        self._sets_controls = False
        for name, control in controls.items():
            if control.description[:2] in ("", " ("):  # it has no label, at most a unit
                control.description = name + control.description
            control.add_class(f"live-control-{name}")
        followed = ", ".join(control.description for control in controls.values())
        label = f"Picture that follows {followed}; the text below says what it shows"
        settings = {"reset": self._start, **presets}
        if _draws_in_page():
            from ._page_picture import PagePicture

            self.picture = PagePicture(self, settings, label)
        else:
            self.picture = KernelPicture(self, label)
        self.buttons = {name: self._button(name, values) for name, values in settings.items()}
        self.refresh()
        for control in controls.values():
            control.observe(self._follow, names="value")
        buttons = widgets.HBox(list(self.buttons.values()), layout={"flex_flow": "row wrap"})
        super().__init__([*controls.values(), buttons, self.picture])
        self.add_class("live-figure")

    def _button(self, name: str, values: Settings) -> widgets.Button:
        told = ", ".join(f"{control} = {value}" for control, value in values.items())
        layout = {"width": "auto", "min_width": "6em"}
        button = widgets.Button(description=name, tooltip=told, layout=layout)
        if isinstance(self.picture, KernelPicture):
            button.on_click(lambda _: self.go_to(values))
        else:
            button.click = lambda: self.go_to(values)  # a page moves the controls itself: it knows the order
        return button

    def refresh(self) -> None:
        """Call `update` with the controls' values and show what it drew and said.

        If `update` itself sets a control it is called again with the new values, ten times at most.
        """
        with _drawing:
            for _ in range(10):
                values = self._values()
                self._evaluate(values)
                if values == self._values():
                    return
            self._fail(
                RuntimeError(f"update must stop setting controls; after ten calls it left {self._values()}")
            )

    def frame_at(self, values: Settings, is_ahead: bool) -> Frame | None:
        """What the figure shows for these values of its controls, which themselves stay where they are.

        is_ahead: whether nobody has asked for these values yet; then it is None if `update` sets controls.
        """
        with _drawing:
            if values != self._at:
                if is_ahead and self._sets_controls:
                    return None
                self._evaluate(values)
                if self._set_by_update:
                    self._sets_controls = True
                    if is_ahead:
                        self._set(self._set_by_update)
                        return None
            size = self.figure.bbox.size.round().astype(int).tolist()
            return Frame(self.caption, self.pieces, size, self.effort)

    def settle(self) -> None:
        """Let the figure be as its controls say, for whoever looks at it next."""
        with _drawing:
            self._frames.forget()
            if self._at != self._values():
                with suppress(Exception):  # it is shown when somebody asks
                    self.refresh()
            self._at = None

    def _evaluate(self, values: Settings) -> None:
        """Call `update` with these values; note caption and pieces, or the problem, and show them."""
        self._busy, self._at, self._set_by_update = get_ident(), None, {}
        try:
            start = time.perf_counter()
            try:
                caption = self.update(**values)
            finally:
                self.effort = 1000 * (time.perf_counter() - start)
            if not isinstance(caption, str):
                raise TypeError(f"update must return the caption, a string; it returned {caption!r}")
            if not isinstance(self.picture, KernelPicture):
                self.pieces = self._frames.record()
        except Exception as error:
            self._fail(error)
        finally:
            self._busy = None
        self.caption, self.problem, self._at = caption, "", values
        self.picture.show()

    def _fail(self, error: Exception) -> None:
        self.caption, self.problem = "", f"This picture could not be drawn. {type(error).__name__}: {error}"
        self.picture.show()
        raise error

    def _values(self) -> dict[str, Any]:
        return {name: control.value for name, control in self.controls.items()}

    def _set(self, values: dict[Any, Any]) -> None:
        self._busy = get_ident()
        try:
            for control, value in values.items():
                control.value = value
        finally:
            self._busy = None

    def go_to(self, values: Settings) -> None:
        """Set controls, {name: value}, and redraw once."""
        with _drawing:
            self._set({self.controls[name]: value for name, value in values.items()})
            self.refresh()

    def to_start(self) -> None:
        """Set every control back to where it began, and redraw once."""
        self.go_to(self._start)

    def _follow(self, change: Any) -> None:
        asks_itself = change.owner._property_lock and not isinstance(self.picture, KernelPicture)
        if self._busy == get_ident():
            self._set_by_update.setdefault(change.owner, change.old)
        elif not asks_itself:  # a page that moved the control asks for the frame itself
            self.refresh()

    def still(self) -> bytes:
        """The picture for the controls' values as a PNG, drawn by matplotlib."""
        with _drawing:
            if self._at != self._values():
                self.refresh()
            return png(self.figure)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """With a kernel the page shows the live view; elsewhere the still picture; both have the text."""
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return {
            "application/vnd.jupyter.widget-view+json": view,
            "image/png": base64.b64encode(self.still()).decode("ascii"),
            "text/plain": f"Live figure, controls: {', '.join(self.controls)}",
        }
