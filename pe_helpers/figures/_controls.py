"""The controls of a live figure: ipywidgets with a label, a unit and a range that was checked."""

import math
from numbers import Integral

import ipywidgets as widgets

from .._arguments import real

WIDE = {"description_width": "13em"}
LONG = {"width": "45em", "max_width": "98%"}


def slider(low, high, start=None, *, step=None, label="", unit=""):
    """A slider from `low` to `high`, starting at `start` (None: `low`); whole numbers stay whole.

    step: None means 1 if the others are whole, else a hundredth of the range.
    label: what stands beside it, by default the name it has in `live`; unit: follows it in brackets.
    Raises ValueError for a range that is empty, a step that is not positive or a start outside the range.
    """
    low, high, start = _range(low, high, start)
    is_whole = all(isinstance(value, Integral) for value in (low, high, start))
    step = (1 if is_whole else (high - low) / 100) if step is None else step
    if not 0 < real("step", step) <= high - low:
        raise ValueError(f"step must be positive and at most high - low = {high - low}; got {step}")
    is_whole = is_whole and isinstance(step, Integral)
    kind, number = (widgets.IntSlider, int) if is_whole else (widgets.FloatSlider, float)
    low, high, start, step = map(number, (low, high, start, step))
    control = kind(value=start, min=low, max=high, step=step, style=WIDE, layout=LONG)
    return _labelled(control, label, unit)


def log_slider(low, high, start=None, *, label="", unit=""):
    """A slider whose equal steps are equal factors, 20 to a power of ten, one of them at `start`.

    It ends at the last steps that lie within `low` and `high`. start: None means `low`.
    Raises ValueError as `slider` does, for a `low` that is not positive and for a range without a step.
    """
    low = real("low", low, above=0)
    low, high, start = _range(low, high, start)
    exponent = math.log10(start)
    down, up = (math.floor(20 * abs(math.log10(end / start)) + 1e-9) for end in (low, high))
    if not down + up:
        raise ValueError(f"high must be at least one step, a factor of 1.13, above low = {low}; got {high}")
    control = widgets.FloatLogSlider(
        value=start,
        min=exponent - down / 20,
        max=exponent + up / 20,
        step=0.05,
        readout_format=",.3r",
        style=WIDE,
        layout=LONG,
    )
    return _labelled(control, label, unit)


def choice(options, start=None, *, label=""):
    """A menu of a list of strings, or of a {shown: value} mapping.

    start: one of the values, None for the first. Raises ValueError for no options or another start.
    """
    if not isinstance(options, list | tuple | dict) or not options:
        raise ValueError(f"options must be a list or a mapping of at least one choice; got {options!r}")
    pairs = list(options.items()) if isinstance(options, dict) else [(value, value) for value in options]
    values = [value for _, value in pairs]
    start = values[0] if start is None else start
    if start not in values:
        raise ValueError(f"start must be one of {values}; got {start!r}")
    return _labelled(widgets.Dropdown(options=pairs, value=start, style=WIDE, layout=LONG), label)


def toggle(start=False, *, label=""):
    """A check box, True or False. Raises ValueError for a label that is not a string."""
    return _labelled(widgets.Checkbox(value=bool(start), style=WIDE), label)


def text(start="", *, label=""):
    """A line of text; the picture follows as the reader types.

    Raises ValueError for a start or a label that is not a string.
    """
    if not isinstance(start, str):
        raise ValueError(f"start must be a string; got {start!r}")
    return _labelled(widgets.Text(value=start, style=WIDE, layout=LONG), label)


def _labelled(control, label, unit=""):
    for name, words in {"label": label, "unit": unit}.items():
        if not isinstance(words, str):
            raise ValueError(f"{name} must be a string; got {words!r}")
    control.wording = (label, unit)
    return control


def _range(low, high, start):
    start = low if start is None else start
    for name, value in {"low": low, "high": high, "start": start}.items():
        real(name, value)
    if not low < high:
        raise ValueError(f"high must be greater than low = {low}; got {high}")
    if not low <= start <= high:
        raise ValueError(f"start must be from low = {low} to high = {high}; got {start}")
    return low, high, start
