"""Live figures: a picture that follows its controls, in JupyterLab, Notebook, VS Code and Colab.

    figure, axes = plots.new_figure(8, 4)
    image = plots.heatmap(axes, sinusoidal(50, 128))

    def update(base):
        image.set_data(sinusoidal(50, 128, base=base))
        return f"With base {base:,.0f} …"          # the caption, a sentence for every reader

    live(figure, update, base=log_slider(10, 100_000, 10_000))

It needs nothing but ipywidgets, 7.7.1 (Colab) or 8.
"""

from __future__ import annotations

import base64
import html
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets
from matplotlib.figure import Figure
from traitlets import TraitError, Unicode

from ._canvas import Canvas

Settings = Mapping[str, Any]  # the name of each control, and its widget or a value for it
Presets = Mapping[str, Settings]  # what each button says, and the values that it sets


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
    >>> "The offset is 7." in shown.caption.value
    True

    `controls` maps names to widgets, and `buttons` what they say to buttons: "reset", then the presets.
    `picture` is the Image, `caption` the HTML below it. An exception in `update` is shown in place of the
    picture and raised to whoever moved the control. While the kernel draws one frame the page waits, and
    then sends only the control's last position: frames are dropped, never queued.
    """

    _ipython_display_ = None  # ipywidgets 7 would show the live view alone, without the still picture

    def __init__(
        self, figure: Figure, update: Callable[..., str], controls: Settings, presets: Presets
    ) -> None:
        _check_match(update, controls)
        _check_presets(presets, controls)
        self.figure, self.update, self.controls = figure, update, controls
        self._canvas = Canvas.of(figure)
        self._start = self._values()
        self._is_busy = False

        self.picture = _NamedImage(format="png", layout={"max_width": "100%", "margin": "2px 0"})
        self.caption = widgets.HTML()
        self.problem = widgets.HTML(layout={"display": "none"})
        settings = {"reset": self._start, **presets}
        self.buttons = {name: self._button(name, values) for name, values in settings.items()}
        self.refresh()
        for name, control in controls.items():
            if control.description[:2] in ("", " ("):  # it has no label, at most a unit
                control.description = name + control.description
            control.observe(self._follow, names="value")
        followed = ", ".join(control.description for control in controls.values())
        self.picture.tooltip = f"Picture that follows {followed}; the text below says what it shows"
        buttons = widgets.HBox(list(self.buttons.values()), layout={"flex_flow": "row wrap"})
        super().__init__([*controls.values(), buttons, self.picture, self.problem, self.caption])
        self.add_class("live-figure")

    def _button(self, name: str, values: Settings) -> widgets.Button:
        told = ", ".join(f"{control} = {value}" for control, value in values.items())
        layout = {"width": "auto", "min_width": "6em"}
        button = widgets.Button(description=name, tooltip=told, layout=layout)
        button.on_click(lambda _: self.go_to(values))
        return button

    def refresh(self) -> None:
        """Call `update` with the controls' values and show what it drew and said.

        If `update` itself sets a control it is called again with the new values, ten times at most.
        """
        self._is_busy = True
        try:
            caption = self._updated()
            png = self._canvas.png()
        except Exception as error:
            self._show_problem(error)
            raise
        finally:
            self._is_busy = False
        self.problem.layout.display, self.picture.layout.display = "none", None
        self.picture.layout.width = f"{round(self.figure.bbox.width)}px"
        self.picture.value = png
        self.caption.value = _paragraph(caption, "aria-live='polite'")

    def _updated(self) -> str:
        """Call `update` until it leaves the controls where they are; return the caption."""
        for _ in range(10):
            values = self._values()
            caption = self.update(**values)
            if not isinstance(caption, str):
                raise TypeError(f"update must return the caption, a string; it returned {caption!r}")
            if values == self._values():
                return caption
        raise RuntimeError(f"update must stop setting controls; after ten calls it left {self._values()}")

    def _values(self) -> dict[str, Any]:
        return {name: control.value for name, control in self.controls.items()}

    def go_to(self, values: Settings) -> None:
        """Set controls, {name: value}, and redraw once."""
        self._is_busy = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._is_busy = False
        self.refresh()

    def to_start(self) -> None:
        """Set every control back to where it began, and redraw once."""
        self.go_to(self._start)

    def _follow(self, _: Any) -> None:
        if not self._is_busy:
            self.refresh()

    def _show_problem(self, error: Exception) -> None:
        says = f"This picture could not be drawn. {type(error).__name__}: {error}"
        self.problem.value = _paragraph(says, "role='alert'")
        self.problem.layout.display, self.picture.layout.display = "block", "none"
        self.caption.value = ""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """With a kernel the page shows the live view; elsewhere the still picture; both have the text."""
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return {
            "application/vnd.jupyter.widget-view+json": view,
            "image/png": base64.b64encode(self.picture.value).decode("ascii"),
            "text/plain": f"Live figure, controls: {', '.join(self.controls)}",
        }


class _NamedImage(widgets.Image):
    """An Image that has a name in the page: its `tooltip`, the title of the <img>.

    ipywidgets 8 writes a tooltip there only where the widget has a `description`; 7.7.1 ignores both.
    """

    description = Unicode("").tag(sync=True)
    tooltip = Unicode("").tag(sync=True)


def _check_match(update: Callable[..., str], controls: Settings) -> None:
    signature = inspect.signature(update)
    try:
        signature.bind(**controls)
    except TypeError as error:
        told = f"got ({', '.join(controls)}): {error}"
        raise ValueError(f"controls must be the parameters of update{signature}; {told}") from None


def _check_presets(presets: Presets, controls: Settings) -> None:
    for name, values in presets.items():
        known = name != "reset" and set(values) <= set(controls)
        if not (known and all(_can_take(controls[control], value) for control, value in values.items())):
            allowed = f"names other than 'reset' and values that the controls {', '.join(controls)} can take"
            raise ValueError(f"presets must hold {allowed}; got {name!r}: {values!r}")


def _can_take(control: widgets.ValueWidget, value: Any) -> bool:
    """Whether a control can have exactly this value. It does not move: other figures may follow it."""
    try:
        return bool(control.traits()["value"]._validate(control, value) == value)
    except TraitError:
        return False


def _paragraph(words: str, attribute: str) -> str:
    return f"<p {attribute} style='font-size: 1.1em; line-height: 1.4'>{html.escape(words)}</p>"
