"""Live figures: a picture that follows its controls, in JupyterLab, Notebook, VS Code and Colab.

    figure, axes = plots.new_figure(8, 4)
    image = plots.heatmap(axes, sinusoidal(50, 128))

    def update(base):
        image.set_data(sinusoidal(50, 128, base=base))
        return f"With base {base:,.0f} …"          # the caption, a sentence for every reader

    live(figure, update, base=log_slider(10, 100_000, 10_000))

It needs nothing but ipywidgets, 7.7.1 (Colab) or 8.
"""

import base64
import html
import inspect
from contextlib import suppress

import ipywidgets as widgets
from matplotlib.figure import Figure
from traitlets import TraitError, Unicode

from ._canvas import Canvas


def live(figure, update, presets=None, /, **controls):
    """Show `figure` with `controls`; whenever one moves, call `update` and redraw what it changed.

    figure: a matplotlib Figure, built once; it is laid out now and keeps its margins.
    update: takes the controls' values by name, gives new data to the artists of the figure and returns
        the caption: a sentence that says what the picture shows now. It is plain text, not HTML.
    presets: {what a button says: {control: value}}, settings to go to at once; the others stay.
    controls: `slider`, `log_slider`, `choice`, `toggle`, `text` or any ipywidget with a `value`.
    Returns the LiveFigure, the last line of a cell. Raises ValueError where the parameters of `update`
    and the controls do not match or a preset sets anything else, TypeError where `update` does not
    return a string.
    """
    return LiveFigure(figure, update, controls, presets)


class LiveFigure(widgets.VBox):
    """Controls, picture and caption.

    `controls` maps names to widgets, `buttons` what they say to buttons (reset, then the presets),
    `picture` is the Image and `caption` the HTML below it; `refresh()` calls `update` and redraws. An
    exception in `update` is shown in place of the picture and raised to whoever moved the control. While
    the kernel works on one frame the page sends no other, only the control's last position when it is
    done: frames are dropped, never queued.
    """

    _ipython_display_ = None  # ipywidgets 7 would show the live view alone, without the still picture

    def __init__(self, figure, update, controls, presets=None):
        if not isinstance(figure, Figure):
            raise ValueError(f"figure must be a matplotlib Figure; got {figure!r}")
        _check_match(update, controls)
        _check_presets(presets or {}, controls)
        self.figure, self.update, self.controls = figure, update, dict(controls)
        self._canvas = Canvas.of(figure)
        self._start = self._values()
        self._is_busy = False

        self.picture = _NamedImage(format="png", layout={"max_width": "100%", "margin": "2px 0"})
        self.caption = widgets.HTML()
        self.problem = widgets.HTML(layout={"display": "none"})
        self.buttons = {"reset": self._button("reset", "back to the start", self._start)}
        for name, values in (presets or {}).items():
            told = ", ".join(f"{control} = {value}" for control, value in values.items())
            self.buttons[name] = self._button(name, told, values)
        self.refresh()
        for name, control in controls.items():
            label, unit = getattr(control, "wording", (control.description, ""))
            control.description = (label or name) + (f" ({unit})" if unit else "")
            control.observe(self._follow, names="value")
        buttons = widgets.HBox(list(self.buttons.values()), layout={"flex_flow": "row wrap"})
        followed = ", ".join(control.description for control in controls.values())
        self.picture.tooltip = f"Picture that follows {followed}; the text below says what it shows"
        super().__init__([*controls.values(), buttons, self.picture, self.problem, self.caption])
        self.add_class("live-figure")

    def _button(self, says, tooltip, values):
        button = widgets.Button(
            description=says, tooltip=tooltip, layout={"width": "auto", "min_width": "6em"}
        )
        button.on_click(lambda _: self.go_to(values))
        return button

    def refresh(self):
        """Call `update` with the controls' values as they are and show what it drew and said.

        Where `update` itself sets a control, it is called again with the new values, ten times at most.
        """
        self._is_busy = True
        try:
            for _ in range(10):
                values = self._values()
                caption = self.update(**values)
                if values == self._values():
                    break
            if not isinstance(caption, str):
                raise TypeError(f"update must return the caption, a string; it returned {caption!r}")
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

    def _values(self):
        return {name: control.value for name, control in self.controls.items()}

    def go_to(self, values):
        """Set controls, {name: value}, and redraw once."""
        self._is_busy = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._is_busy = False
        self.refresh()

    def to_start(self):
        """Set every control back to where it began, and redraw once."""
        self.go_to(self._start)

    def _follow(self, _):
        if not self._is_busy:
            self.refresh()

    def _show_problem(self, error):
        says = f"This picture could not be drawn. {type(error).__name__}: {error}"
        self.problem.value = _paragraph(says, "role='alert'")
        self.problem.layout.display, self.picture.layout.display = "block", "none"
        self.caption.value = ""

    def _repr_mimebundle_(self, include=None, exclude=None):
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


def _check_match(update, controls):
    if not callable(update):
        raise ValueError(f"update must be a function; got {update!r}")
    for name, control in controls.items():
        if not (isinstance(control, widgets.ValueWidget) and control.has_trait("description")):
            raise ValueError(
                f"{name} must be a slider, a choice or another ipywidget with a value; got {control!r}"
            )
    try:
        inspect.signature(update).bind(**controls)
    except TypeError as error:
        takes = ", ".join(inspect.signature(update).parameters)
        raise ValueError(
            f"the controls must be the parameters of update, ({takes}); got ({', '.join(controls)}): {error}"
        ) from None


def _check_presets(presets, controls):
    """Try every preset once, before anything is drawn: its controls must take its values as they are."""
    if not isinstance(presets, dict):
        raise ValueError(f"presets must be a mapping of names to settings; got {presets!r}")
    start = {name: control.value for name, control in controls.items()}
    for name, values in presets.items():
        told = f"{name!r}: {values!r}"
        if not isinstance(name, str) or name == "reset":
            raise ValueError(f"presets must be named by strings other than 'reset'; got {told}")
        if not isinstance(values, dict) or not values or not set(values) <= set(controls):
            raise ValueError(f"presets must set controls, {', '.join(controls)}; got {told}")
        for control, value in values.items():
            with suppress(TraitError):
                controls[control].value = value
            taken, controls[control].value = controls[control].value, start[control]
            if taken != value:
                raise ValueError(f"presets must give controls values that they can take; got {told}")


def _paragraph(words, attribute):
    return f"<p {attribute} style='font-size: 1.1em; line-height: 1.4'>{html.escape(words)}</p>"
