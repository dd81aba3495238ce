"""Live figures: a picture that follows its controls, in JupyterLab, Notebook, VS Code and Colab.

    figure = Figure(figsize=(8, 4), dpi=100, layout="constrained")
    axes = figure.subplots()
    x = np.linspace(0, 10, 500)
    (line,) = axes.plot(x, np.sin(x))

    def update(rate):
        line.set_ydata(np.sin(rate * x))
        return f"At rate {rate:.1f} there are {10 * rate / 6.28:.1f} waves."   # the caption

    live(figure, update, rate=slider(0.5, 5, 1))

The kernel's picture stands first. Where the page can load anywidget, it says so and draws from then on: see
`draw_in`.
"""

from __future__ import annotations

import base64
import importlib.util
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import RLock, get_ident
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ._controls import Presets, Settings, check_controls, check_match, check_presets, values_of
from ._display_cache import DisplayCache
from ._html import figure_of, page_of
from ._kernel_picture import KernelPicture
from ._picture import Frame, Picture, png, with_note
from .dark import CLASS, has_photograph
from .recording import NARROW, record

if TYPE_CHECKING:
    from ._display_list import DisplayList

MINUS = re.compile(r"(?<![\w.,)-])-(?=\.?\d)")  # of a number: no dash between two, no exponent's
PLACES = "page", "kernel", "html"
_place: list[str] = []  # the last argument of `draw_in`
_dark = [False]  # the last argument of `turn_dark`
_drawing = RLock()  # JupyterLab has a cell, a control's move and a picture's request in threads of their own


def draw_in(place: str) -> None:
    """Say who draws the live figures that are made from now on.

    >>> draw_in("kernel")
    >>> draw_in("page")

    Without this, the page does wherever it can load anywidget, and the kernel elsewhere. "page": the page,
    which is fast and sharp. "kernel": the kernel draws an Image, which needs no extension. "html": the output
    of the cell is a recording, which moves without a kernel in the page that nbconvert makes of the notebook.
    The environment variable LIVE_FIGURES_DRAW_IN says the same from outside.
    Raises ValueError for any other place.
    """
    if not isinstance(place, str) or place not in PLACES:
        raise ValueError(f"place must be one of {', '.join(map(repr, PLACES))}; got {place!r}")
    _place[:] = [place]


if place := os.environ.get("LIVE_FIGURES_DRAW_IN"):
    draw_in(place)


def turn_dark(turn: bool = True) -> None:
    """Say whether a dark page turns the pictures of live figures dark that are made from now on.

    >>> turn_dark()
    >>> turn_dark(False)

    White becomes nearly black then, black nearly white, and red stays red. Without this a picture stands on
    white, as its author sees it. `live(…, dark=False)` leaves one picture white whose words say what in it
    is black or bright; one with a photograph is left by itself.
    Raises TypeError for anything but a bool.
    """
    if not isinstance(turn, bool):
        raise TypeError(f"turn must be True or False; got {turn!r:.80}")
    _dark[:] = [turn]


def with_minus(text: str) -> str:
    """Text whose negative numbers have a minus sign in place of a hyphen, as captions have it.

    >>> with_minus("from -1 to 2, pages 3-4")
    'from −1 to 2, pages 3-4'
    """
    return MINUS.sub("\N{MINUS SIGN}", text)


def live(
    figure: Figure,
    update: Callable[..., str],
    presets: Presets | None = None,
    /,
    *,
    draw_first: Line2D | None = None,
    narrow_columns: int = 1,
    dark: bool | None = None,
    **controls: Any,
) -> LiveFigure:
    """Show `figure` with `controls`; whenever one moves, call `update` and redraw what it changed.

    >>> from matplotlib.figure import Figure
    >>> from live_figures import slider
    >>> shown = live(Figure(), lambda k: f"The offset is {k}.", {"far": {"k": 9}}, k=slider(0, 9))
    >>> shown.buttons.keys()
    dict_keys(['reset', 'far'])

    figure: a matplotlib Figure, built once. It is laid out now and keeps its margins.
    update: takes the controls' values by name, gives new data to the artists of the figure and returns
        the caption: a sentence that says what the picture shows now. It is plain text, not HTML. The hyphen
        of a negative number becomes a minus sign, as in tick labels, by rcParams["axes.unicode_minus"].
    presets: {text of a button: {control: value}}. A button sets these controls and leaves the others.
    controls: `slider`, `log_slider`, `choice`, `text` or any ipywidget with a `value` and a `description`.
    draw_first: a line of the figure that the page hides until the reader has drawn it or asks for it; then
        the caption says how far off the drawing is. Its x grow; its axes are linear, x perhaps logarithmic.
        Where the kernel draws, the line is simply shown.
    narrow_columns: how many panels stand beside each other on a narrow page (`record(…, width=340)`), to be
        compared while a slider moves. A panel as wide as the figure has a row to itself, and so has the
        first where one would be left over.
    dark: whether a dark page turns the picture dark; by default as `turn_dark` says.
    Returns the LiveFigure; make it the last line of a cell. Raises ValueError if the parameters of
    `update` and the controls do not match, if a control cannot take a preset's value, if `draw_first` is a
    line of another figure or in axes of another kind or if the figure has fewer than `narrow_columns` panels
    in a row, TypeError for another kind of figure, of control or of `dark`, or if `update` returns anything
    but a string, RuntimeError if it sets controls without end.
    """
    return LiveFigure(figure, update, controls, presets or {}, draw_first, dark, narrow_columns)


class LiveFigure(widgets.VBox):
    """Controls, picture and caption; `live` makes one.

    >>> from matplotlib.figure import Figure
    >>> from live_figures import slider
    >>> shown = live(Figure(), lambda k: f"The offset is {k}.", k=slider(0, 9))
    >>> shown.controls["k"].value = 7
    >>> shown.caption
    'The offset is 7.'

    `controls` maps names to widgets, and `buttons` their texts to buttons: "reset", then the presets;
    `settings` has what each sets, {text of a button: {control: value}}.
    `is_dark`: whether a dark page turns the picture dark.
    `picture` is the widget that shows the figure and the caption, `label` its name for screen readers.
    `caption` and `problem` are the text below: an exception in `update` is shown in place of the picture
    and raised to whoever moved the control.
    """

    _ipython_display_ = None  # ipywidgets 7 would show the live view alone, without the still picture

    def __init__(
        self,
        figure: Figure,
        update: Callable[..., str],
        controls: Settings,
        presets: Presets,
        curve: Any = None,
        dark: bool | None = None,
        narrow_columns: int = 1,
    ) -> None:
        if not isinstance(figure, Figure):
            raise TypeError(f"figure must be a matplotlib Figure; got {figure!r:.80}")
        check_controls(controls)
        check_match(update, controls)
        check_presets(presets, controls)
        if dark not in (True, False, None):
            raise TypeError(f"dark must be True, False or None; got {dark!r:.80}")
        if curve is not None:
            _check_curve(curve, figure)
            curve._is_drawn_first = True  # by which the recorder knows it
        specs = [spec for axes in figure.axes if (spec := axes.get_subplotspec())]
        columns = max((spec.get_gridspec().ncols for spec in specs), default=1)
        if narrow_columns not in range(1, columns + 1):
            allowed = f"a whole number from 1 to {columns}, the panels in a row of the figure"
            raise ValueError(f"narrow_columns must be {allowed}; got {narrow_columns!r:.80}")
        figure._narrow_columns = int(narrow_columns)  # a cell may run twice, with another choice
        self._curve = curve  # that the reader draws first
        self.is_dark = _dark[-1] and not has_photograph(figure) if dark is None else bool(dark)
        self.figure, self.update, self.controls = figure, update, controls
        self.caption = self.problem = ""
        self.update_time = 0.0
        self._cache = DisplayCache.of(figure)
        self._lists: list[DisplayList] | None = None  # for the last call of `update`, once they are needed
        self._start = values_of(controls)
        self._drawn_at: Settings | None = None  # the values of the last call of `update`, if it succeeded
        self._busy: int | None = None  # the thread that calls `update` or sets controls
        self._set_by_update: dict[Any, Any] = {}  # controls that `update` set, and their values before
        self._sets_controls = False
        for name, control in controls.items():
            if control.description[:2] in ("", " ("):  # it has no label, at most a unit
                control.description = name + control.description
            control.add_class(f"live-control-{name}")
        followed = ", ".join(control.description for control in controls.values())
        self.label = f"Picture that follows {followed}; the text below says what it shows"
        self.settings = {"reset": self._start, **presets}
        self.picture = self._new_picture(self.settings)
        self.buttons = {text: self._new_button(text, values) for text, values in self.settings.items()}
        self.refresh()
        for control in controls.values():
            control.observe(self._follow, names="value")
            control.observe(self._show_pressed, names="value")
        self._show_pressed()
        buttons = widgets.HBox(list(self.buttons.values()), layout={"flex_flow": "row wrap"})
        super().__init__([*controls.values(), buttons, self.picture])
        self.add_class("live-figure")
        if self.is_dark:
            self.add_class(CLASS)

    def _new_picture(self, settings: Presets) -> Picture:
        place = _place[-1] if _place else ""
        if place == "kernel" or not (place or importlib.util.find_spec("anywidget")):
            return KernelPicture(self.figure, self.label, self.is_dark)
        from ._page_picture import EitherPicture, PagePicture

        page = PagePicture(self, settings, self.label)
        if place:
            return page
        kernel = KernelPicture(self.figure, self.label, self.is_dark)
        if self._curve:
            kernel.wait_for_page()
        return EitherPicture(kernel, page)

    def _new_button(self, text: str, values: Settings) -> widgets.Button:
        tooltip = ", ".join(f"{control} = {value}" for control, value in values.items())
        layout = {"width": "auto", "min_width": "6em"}
        button = widgets.Button(description=text, tooltip=tooltip, layout=layout)
        button.add_class("live-preset")  # by which page.js tells it from a control's buttons
        self.picture.on_press(button, lambda: self.go_to(values))
        return button

    def _show_pressed(self, _: Any = None) -> None:
        """Let the buttons say which of their settings are shown."""
        now = values_of(self.controls)
        for text, values in [*self.settings.items()][1:]:  # but "reset"
            is_shown = all(now[name] == value for name, value in values.items())
            self.buttons[text].button_style = "primary" if is_shown else ""

    def refresh(self) -> None:
        """Call `update` with the controls' values and show what it drew and said.

        If `update` itself sets a control it is called again with the new values, ten times at most.
        """
        with _drawing:
            for _ in range(10):
                values = values_of(self.controls)
                self._evaluate(values, self.picture)
                if values == values_of(self.controls):
                    return
            left = values_of(self.controls)
            error = RuntimeError(f"update must stop setting controls; after ten calls it left {left}")
            self._fail(error, self.picture)

    def frame_at(self, values: Settings, is_prefetch: bool = False, is_anew: bool = False) -> Frame | None:
        """What the figure shows for these values of its controls, which themselves stay where they are.

        is_prefetch: whether the reader has not asked for these values yet; then the answer is None if
        `update` sets controls. is_anew: whether nothing that was kept counts, of values or of artists.
        """
        with _drawing:
            if is_anew:
                self._cache.invalidate()
                self._drawn_at = None
            if values != self._drawn_at:
                if is_prefetch and self._sets_controls:
                    return None
                self._evaluate(values)
                if self._set_by_update:
                    self._sets_controls = True
                    if is_prefetch:
                        self._set(self._set_by_update)
                        return None
            size = self.figure.bbox.size.round().astype(int).tolist()
            return Frame(self.caption, self.display_lists(), size, self.update_time)

    def display_lists(self) -> list[DisplayList]:
        """What the figure shows since the last call of `update`, in drawing order."""
        with _drawing:
            if self._lists is None:
                self._lists = self._cache.record()
            return self._lists

    def invalidate(self) -> None:
        """Forget what was kept and prefetched, and draw anew: what `update` uses has changed.

        After a cell and after a widget's callback this happens by itself, and where the reader rests the
        picture is computed anew. A thread or a task that changes what `update` uses calls it, so that the
        change is seen at once.

        >>> from live_figures import live, slider
        >>> data = [1, 2, 3]
        >>> shown = live(Figure(), lambda k: f"The largest is {max(data)}.", k=slider(0, 9))
        >>> data.append(8)
        >>> shown.invalidate()
        >>> shown.caption
        'The largest is 8.'
        """
        with _drawing:
            self._cache.invalidate()
            self.picture.invalidate()
            self.refresh()

    def restore(self) -> None:
        """Draw the figure anew for its controls' values: what `update` uses may have changed."""
        with _drawing:
            self._cache.invalidate()
            if self._drawn_at != values_of(self.controls):
                with suppress(Exception):  # it is shown when somebody asks for this frame
                    self.refresh()
            self._drawn_at = None

    def _evaluate(self, values: Settings, picture: Picture | None = None) -> None:
        """Call `update` with these values and draw what it did; a picture shows this, or the problem."""
        self._busy, self._drawn_at, self._lists, self._set_by_update = get_ident(), None, None, {}
        try:
            start = time.perf_counter()
            try:
                caption = self.update(**values)
            finally:
                self.update_time = 1000 * (time.perf_counter() - start)
            if not isinstance(caption, str):
                raise TypeError(f"update must return the caption, a string; it returned {caption!r}")
            if rcParams["axes.unicode_minus"]:
                caption = with_minus(caption)
            draw = picture.draw if picture else self.display_lists
            draw()
        except Exception as error:
            self._fail(error, picture)
        finally:
            self._busy = None
        self.caption, self.problem, self._drawn_at = caption, "", values
        if picture:
            picture.show(caption, "")

    def _fail(self, error: Exception, picture: Picture | None) -> None:
        self.caption, self.problem = "", f"This picture could not be drawn. {type(error).__name__}: {error}"
        if picture:
            picture.show("", self.problem)
        raise error

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
        if self._busy == get_ident():
            self._set_by_update.setdefault(change.owner, change.old)
        elif not self.picture.requests_frame(change):
            self.refresh()

    def still(self) -> bytes:
        """The picture for the controls' values as a PNG, drawn by matplotlib."""
        with _drawing:
            self._draw_latest()
            parts = set(self.figure.get_children()) - {self.figure.patch}  # which savefig marks as stale
            kept = b"" if any(part.stale for part in parts) else self.picture.png
            return kept or png(self.figure)

    def stored(self, width: int = 0, height: int = 0) -> bytes:
        """The same as notebooks store it: a curve that the reader draws first is left to them.

        width: of a narrow page in pixels, as for `png`; and with `height` of a slide.
        """
        with _drawing:
            if not (self._curve or width):
                return self.still()
            self._draw_latest()
            if not self._curve:
                return png(self.figure, width, height)
            is_visible = self._curve.get_visible()
            self._curve.set_visible(False)
            try:
                return png(self.figure, width, height)
            finally:
                self._curve.set_visible(is_visible)

    def _draw_latest(self) -> None:
        """Redraw, if the figure was drawn last for other values than its controls have now."""
        if self._drawn_at != values_of(self.controls):
            self.refresh()

    def to_html(
        self,
        path: str | os.PathLike[str],
        examples: Mapping[str, Sequence[str]] | None = None,
        *,
        title: str = "A live figure",
        steps: int = 0,
        narrow: bool = False,
        max_bytes: int = 1_500_000,
    ) -> None:
        """Write one file that shows this figure, and moves, without a kernel and without a network.

        path: of the file; one that is there is replaced. examples, steps: as in `record`. title: of the page.
        narrow: whether the file also holds a recording for pages of 340 pixels, as on a phone: see `record`.
        max_bytes: of the recording; beyond that its sliders get fewer steps, and the page says so.
        The page keeps its state in its address and prints its picture. Raises as `record` does.

        >>> import os, tempfile
        >>> from matplotlib.figure import Figure
        >>> from live_figures import live, slider
        >>> shown = live(Figure(), lambda k: f"The offset is {k}.", k=slider(0, 9))
        >>> path = os.path.join(tempfile.mkdtemp(), "offset.html")
        >>> shown.to_html(path)
        >>> open(path).read()[:15]
        '<!doctype html>'
        """
        usual = record(self, examples, steps=steps)
        small = record(self, examples, steps=steps, width=NARROW, like=usual) if narrow else None
        page = page_of(usual, title, max_bytes, small)
        Path(path).write_text(page, encoding="utf-8")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict]:
        """With a kernel the page shows the live view; elsewhere the still picture; both have the text.

        About the still is said that it needs a light ground, on a dark page, too, and that it is one.
        """
        picture = self.still() if _place[-1:] == ["html"] else with_note(self.stored())
        still = {
            "image/png": base64.b64encode(picture).decode("ascii"),
            "text/plain": f"Live figure, controls: {', '.join(self.controls)}",
        }
        said = {"needs_background": "light"}
        if _place[-1:] == ["html"]:
            return still | {"text/html": figure_of(record(self))}, said
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return still | {"application/vnd.jupyter.widget-view+json": view}, said


def _check_curve(line: Any, figure: Figure) -> None:
    """Raise for what a reader cannot draw first."""
    if not isinstance(line, Line2D):
        raise TypeError(f"draw_first must be a Line2D, as plot returns them in a list; got {line!r:.80}")
    if line not in figure.findobj(Line2D) or line.axes is None:
        raise ValueError(f"draw_first must be a line of the figure; got {line!r:.80}")
    axes = line.axes
    scales = axes.name, axes.get_xscale(), axes.get_yscale()
    if scales not in [("rectilinear", "linear", "linear"), ("rectilinear", "log", "linear")]:
        allowed = "in rectilinear axes, y linear and x linear or log"
        raise ValueError(f"draw_first must be {allowed}; got {', '.join(scales)}")
    x = np.asarray(line.get_xdata(), float)
    if (np.diff(x[np.isfinite(x)]) <= 0).any():
        raise ValueError(f"draw_first must be a line whose x grow; got {x!r:.80}")
