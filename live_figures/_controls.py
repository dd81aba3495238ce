"""The controls of a live figure: ipywidgets with a label, a unit and a checked range."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import ipywidgets as widgets
from traitlets import TraitError

Settings = Mapping[str, Any]  # the name of each control, and its widget or a value for it
Presets = Mapping[str, Settings]  # what each button says, and the values that it sets
LOG_STEPS = {10: (math.log10, 20), 2: (math.log2, 4)}  # of a logarithmic slider: to a factor of its base
LOOK = {"style": {"description_width": "13em"}, "layout": {"width": "45em", "max_width": "98%"}}


def slider(
    low: float, high: float, start: float | None = None, *, step: float = 0, label: str = "", unit: str = ""
) -> widgets.IntSlider | widgets.FloatSlider:
    """Return a slider from `low` to `high`. If all the numbers are integers, so are its values.

    >>> slider(0, 10, 2, label="offset", unit="positions").value
    2

    start: the first value, and the value after "reset"; None means `low`.
    step: the distance between two values; 0 means 1 for integers and a hundredth of the range otherwise.
    label: the text beside the slider; without one, the slider shows the name that it has in `live`.
    unit: follows the label in brackets.
    Raises ValueError for an empty range, a start outside the range or a negative step.
    """
    start = _start(low, high, start)
    is_whole = all(isinstance(number, Integral) for number in (low, high, start, step))
    step = _positive("step", step or (1 if is_whole else (high - low) / 100))
    kind = widgets.IntSlider if is_whole else widgets.FloatSlider
    return kind(value=start, min=low, max=high, step=step, description=_with_unit(label, unit), **LOOK)


def log_slider(
    low: float, high: float, start: float | None = None, *, base: int = 10, label: str = "", unit: str = ""
) -> widgets.FloatLogSlider:
    """Return a slider whose equal steps are equal factors.

    >>> log_slider(10, 100_000, 10_000, label="base").value
    10000.0

    One of the steps is at `start`, so the ends of the slider may be a little inside `low` and `high`.
    base: 10, 20 steps to a factor of ten, or 2, four to a doubling.
    start, label, unit: as in `slider`.
    Raises ValueError as `slider` does, for a `low` that is not positive, another base and a range without a
    step.
    """
    _positive("low", low)
    if base not in LOG_STEPS:
        raise ValueError(f"base must be 10 or 2; got {base!r}")
    start = _start(low, high, start)
    log, steps = LOG_STEPS[base]
    down, up = (math.floor(steps * abs(log(end / start)) + 1e-9) for end in (low, high))
    if down + up == 0:
        factor = base ** (1 / steps)
        raise ValueError(
            f"high must be at least one step, a factor of {factor:.3}, above low = {low}; got {high}"
        )
    ends = {"base": base, "min": log(start) - down / steps, "max": log(start) + up / steps, "step": 1 / steps}
    readout = ",.0f" if low >= 10 else ",.3r"  # whole numbers, or three digits
    look = {"description": _with_unit(label, unit), "readout_format": readout, **LOOK}
    return widgets.FloatLogSlider(value=start, **ends, **look)


def choice(
    options: Iterable[str] | Mapping[str, Any], start: Any = None, *, label: str = ""
) -> widgets.Dropdown:
    """Return a menu. `options` is a list of strings, or a mapping from what the menu shows to values.

    >>> choice({"half-split": "half", "adjacent": "interleaved"}, "interleaved").label
    'adjacent'

    start: one of the values; None means the first. label: as in `slider`.
    Raises ValueError for a start that is not among the values.
    """
    pairs = options.items() if isinstance(options, Mapping) else [(value, value) for value in options]
    values = [value for _, value in pairs]
    start = values[0] if values and start is None else start
    if start not in values:
        raise ValueError(f"start must be one of {values}; got {start!r}")
    return widgets.Dropdown(options=list(pairs), value=start, description=label, **LOOK)


def text(start: str = "", *, label: str = "") -> widgets.Text:
    """Return a line of text; the figure follows as the reader types.

    >>> text("the dog bites the man", label="sentence").value
    'the dog bites the man'

    label: as in `slider`.
    """
    wide = LOOK | {"layout": {"width": "60em", "max_width": "98%"}}  # a sentence has room
    return widgets.Text(value=start, description=label, **wide)


def _with_unit(label: str, unit: str) -> str:
    return f"{label} ({unit})" if unit else label


def _positive(name: str, value: Any) -> float:
    """Return `value` as a float if it is a finite number greater than 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and 0 < value <= sys.float_info.max):
        raise ValueError(f"{name} must be a finite number > 0; got {value!r}")
    return float(value)


def _start(low: float, high: float, start: float | None) -> float:
    """Return `start`, or `low` for None, if it lies in a range that is not empty."""
    start = low if start is None else start
    if not low < high:
        raise ValueError(f"high must be greater than low = {low}; got {high}")
    if not low <= start <= high:
        raise ValueError(f"start must be from low = {low} to high = {high}; got {start}")
    return start


def check_match(update: Callable[..., str], controls: Settings) -> None:
    signature = inspect.signature(update)
    try:
        signature.bind(**controls)
    except TypeError as error:
        names = ", ".join(controls)
        raise ValueError(
            f"controls must be the parameters of update{signature}; got ({names}): {error}"
        ) from None


def check_presets(presets: Presets, controls: Settings) -> None:
    for name, values in presets.items():
        known = name != "reset" and set(values) <= set(controls)
        if not (known and all(_can_take(controls[control], value) for control, value in values.items())):
            allowed = f"names other than 'reset' and values that the controls {', '.join(controls)} can take"
            raise ValueError(f"presets must hold {allowed}; got {name!r}: {values!r}")


def _can_take(control: widgets.ValueWidget, value: Any) -> bool:
    """Whether a control can have exactly this value."""
    try:
        return bool(_validated(control, value) == value)
    except TraitError:
        return False


def check_controls(controls: Settings) -> None:
    for name, control in controls.items():
        has = control.trait_names() if isinstance(control, widgets.Widget) else []
        if "value" not in has or "description" not in has or isinstance(control, widgets.FileUpload):
            raise TypeError(
                "controls must be sliders, menus and texts, or ipywidgets whose value is a number, a text, a"
                f" date or a choice; got {name}={control!r:.80}"
            )


def values_of(controls: Settings) -> dict[str, Any]:
    return {name: control.value for name, control in controls.items()}


def serialize(controls: Settings, values: Settings) -> dict[str, Any]:
    """Values of controls as a page sends them: the index of a choice in its menu, a date in its parts."""
    return {name: _serialized(controls[name], value) for name, value in values.items()}


def _serialized(control: Any, value: Any) -> Any:
    value = _validated(control, value)
    if not hasattr(control, "_options_full"):
        to_json = control.trait_metadata("value", "to_json")
        return to_json(value, control) if to_json else value
    options = [option for _, option in control._options_full]
    if isinstance(control.index, tuple):  # several may be chosen
        return [options.index(each) for each in value]
    return None if value is None and None not in options else options.index(value)


def deserialize(controls: Settings, values: Settings) -> dict[str, Any]:
    """Values of a page as Python has them: a page has an index for a choice, and 1 for 1.0."""
    return {name: _deserialized(controls[name], value) for name, value in values.items()}


def _deserialized(control: Any, value: Any) -> Any:
    if not hasattr(control, "_options_full"):
        from_json = control.trait_metadata("value", "from_json")
        return _validated(control, from_json(value, control) if from_json else value)
    options = [option for _, option in control._options_full]
    if isinstance(value, list):
        return tuple(options[index] for index in value)
    return None if value is None else options[value]


def _validated(control: widgets.ValueWidget, value: Any) -> Any:
    """The value that this control would have. It does not move: other figures may follow it."""
    return control.traits()["value"]._validate(control, value)
