"""The live figures of a notebook, and values for their controls."""

import ipywidgets

from live_figures import LiveFigure, draw_in
from tests.conftest import run_notebook

draw_in("page")  # nobody looks: no picture of the kernel for every step
TYPED = [
    "",
    "  …  ",
    "dog",
    "dog dog dog",
    "zzyzx qwertz the of",
    "The KING, the queen; and (their) dog?",
    "日本語 の 犬 العربية שלום Ünïcödé",
    "🐶 chases 🐱 $x_1$ <b>bold</b> & \\alpha \x00",
    "king queen man woman dog wolf",
    " ".join(["the king and the queen of a red house"] * 25),
    "x" * 5000,
]


def live_figures(path):
    return [value for _, value in run_notebook(path).shown if isinstance(value, LiveFigure)]


def values_at(figure):
    """The values of its controls."""
    return {name: control.value for name, control in figure.controls.items()}


def picture_of(figure):
    """What tells the picture that a live figure shows from another."""
    return [each.digest for each in figure.display_lists()]


def values_of(control, rng):
    """Both ends of a control, then 20 random steps; all values of a menu or a switch."""
    if hasattr(control, "options"):
        return [value for _, value in control._options_full]
    if isinstance(control, ipywidgets.Checkbox):
        return [True, False, True]
    if isinstance(control, ipywidgets.Text):
        return TYPED
    if isinstance(control, ipywidgets.FloatLogSlider):
        exponents = [control.min, control.max, *rng.uniform(control.min, control.max, 20)]
        return [control.base**exponent for exponent in exponents]
    steps = round((control.max - control.min) / control.step)
    return [control.min + control.step * int(n) for n in (0, steps, *rng.integers(0, steps + 1, 20))]
