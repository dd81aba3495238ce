"""Record the live figures of a notebook: a frame for every state that a reader of the site can reach.

A state is the step of each control. Recorded are, from the start and from every preset, the whole sweep of
each slider, for every choice of the menus and check boxes; and two sliders together where that is little.
`encode` says how a recording is written; `site.js` reads it.
"""

from __future__ import annotations

import gzip
import itertools
import json
import math
import os
import random
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import ipywidgets as widgets
import kept_models
import nbformat
import numpy as np
from IPython.core.interactiveshell import InteractiveShell

from pe_helpers.figures import LiveFigure

STEPS = int(os.environ.get("SITE_STEPS", 0))  # of each slider, about so many, for a quick look; 0: all
MOST_TOGETHER = 0 if STEPS else 600  # frames for two sliders that move independently
MOST_BYTES = 1_500_000  # of one recording; its sliders get fewer steps until it is no larger
LONGEST = 80  # letters of a text that stand in a menu; of a longer one it has the preset's name

State = tuple[int, ...]  # the step of each control


class Control(NamedTuple):
    """A control as the page has it: its values in Python, and how the page shows each of them."""

    name: str
    label: str
    kind: str  # "range", "select", "checkbox"; "text" for a menu of examples
    values: list[Any]
    shown: list[str]

    @classmethod
    def of(cls, name: str, widget: Any, wanted: dict[str, Any], examples: list[str]) -> Control:
        """wanted: {"start" or a preset: the value that it gives this control}."""
        label = widget.description
        if hasattr(widget, "_options_full"):
            shown, values = zip(*widget._options_full, strict=True)
            return cls(name, label, "select", list(values), list(shown))
        if isinstance(widget, widgets.Checkbox):
            return cls(name, label, "checkbox", [False, True], ["no", "yes"])
        if isinstance(widget, widgets.Text):
            texts = list(dict.fromkeys([*wanted.values(), *examples]))
            said = {text: name for name, text in wanted.items() if len(text) > LONGEST}
            return cls(name, label, "text", texts, [said.get(text, text) for text in texts])
        every = steps_of(widget)
        few = {*every[:: max(len(every) // STEPS, 1)], every[-1]} if STEPS else every
        told = {readout(widget, value): value for value in [*few, *wanted.values()]}  # one value a text
        values = sorted(told.values())
        return cls(name, label, "range", values, [readout(widget, value) for value in values])


def steps_of(slider: Any) -> list[float]:
    places = [slider.min + n * slider.step for n in range(round((slider.max - slider.min) / slider.step) + 1)]
    values = [slider.base**place for place in places] if hasattr(slider, "base") else places
    return [type(slider.value)(f"{value:.12g}") for value in values]


def readout(slider: Any, value: float) -> str:
    if hasattr(slider, "base"):  # three digits that count
        return f"{float(f'{value:.3g}'):,.10g}"
    return format(value, slider.readout_format)


def states_of(controls: list[Control], bases: list[State]) -> list[State]:
    """Every state that a reader can reach. bases: the start and the presets."""
    steps = [range(len(control.values)) for control in controls]
    sliders = {n for n, control in enumerate(controls) if control.kind == "range"}
    choices = set(range(len(controls))) - sliders
    moving = [choices | {slider} for slider in sliders] or [choices]
    for pair in itertools.combinations(sliders, 2):
        if math.prod(len(steps[n]) for n in choices.union(pair)) <= MOST_TOGETHER:
            moving.append(choices.union(pair))
    found: dict[State, None] = {}  # in order, without repetitions
    for base, free in itertools.product(bases, moving):
        each = [step if n in free else [base[n]] for n, step in enumerate(steps)]
        found.update(dict.fromkeys(itertools.product(*each)))
    return list(found)


class Recording:
    """The frames of one live figure, {state: Frame, or a problem in words}."""

    def __init__(self, figure: LiveFigure, examples: dict[str, list[str]]) -> None:
        self.figure = figure
        self.controls, bases = controls_of(figure, examples)
        start = go_to(figure, "reset")
        self.caption = figure.caption
        self.bases = {said: self.state(values) for said, values in bases.items()}
        states = states_of(self.controls, list(self.bases.values()))
        self.frames = {state: self.frame(state) for state in states}
        if start != {name: widget.value for name, widget in figure.controls.items()}:
            raise RuntimeError("a figure whose update sets its controls cannot be recorded")
        for state in random.Random(0).sample(states, min(20, len(states))):
            if told(self.frame(state)) != told(self.frames[state]):
                raise RuntimeError(f"what the figure shows at {state} depends on what it showed before")

    def state(self, values: dict[str, Any]) -> State:
        return tuple(control.values.index(values[control.name]) for control in self.controls)

    def frame(self, state: State) -> Any:
        """What the kernel shows for this state."""
        values = {c.name: c.values[step] for c, step in zip(self.controls, state, strict=True)}
        try:
            return self.figure.frame_at(values, False)
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def thin_out(self) -> None:
        """Leave every second step of the slider that has most, its ends and what the bases need."""
        sliders = [n for n, control in enumerate(self.controls) if control.kind == "range"]
        at = max(sliders, key=lambda n: len(self.controls[n].values))
        control, last = self.controls[at], len(self.controls[at].values) - 1
        kept = sorted({*range(0, last, 2), last, *(base[at] for base in self.bases.values())})
        self.controls[at] = control._replace(
            values=[control.values[step] for step in kept], shown=[control.shown[step] for step in kept]
        )

        def moved(state: State) -> State:
            return (*state[:at], kept.index(state[at]), *state[at + 1 :])

        self.frames = {moved(state): frame for state, frame in self.frames.items() if state[at] in kept}
        self.bases = {said: moved(base) for said, base in self.bases.items()}

    def data(self) -> bytes:
        """The recording as a file of at most MOST_BYTES."""
        while len(data := encode(self)) > MOST_BYTES:
            self.thin_out()
        return data


def controls_of(
    figure: LiveFigure, examples: dict[str, list[str]]
) -> tuple[list[Control], dict[str, dict[str, Any]]]:
    """(the controls of a figure, {what a button says: the values that it sets})."""
    bases = {said: go_to(figure, said) for said in figure.buttons}
    controls = []
    for name, widget in figure.controls.items():
        wanted = {said: values[name] for said, values in bases.items()}
        controls.append(Control.of(name, widget, wanted, examples.get(name, [])))
    return controls, bases


def go_to(figure: LiveFigure, button: str) -> dict[str, Any]:
    """Press "reset", then this button; return the values that the controls have then."""
    figure.to_start()
    figure.buttons[button].click()
    return {name: widget.value for name, widget in figure.controls.items()}


def told(frame: Any) -> tuple[str, ...]:
    """What tells this frame from another: a problem, or its caption and the names of its pieces."""
    return (frame,) if isinstance(frame, str) else (frame.caption, *(piece.name for piece in frame.pieces))


def encode(recording: Recording) -> bytes:
    """A recording in bytes, gzipped: the length of the header (4 bytes), the header (JSON), and the pieces.

    The header's `frames` are [caption, piece, piece, ...] in drawing order, or [a problem]; `states` tells
    which frame a state has; `parts` are the pieces that others use. Most numbers of a piece are x and y in
    turn, four bytes each. A piece is written with the first of every eight bytes first, then the second of
    them all, and so on: so like stands beside like, which takes a third less.
    """
    pieces: dict[str, bytes] = {}
    parts: dict[str, bytes] = {}
    frames: dict[tuple[str, ...], int] = {}
    states = {}
    for state, frame in recording.frames.items():
        states[",".join(map(str, state))] = frames.setdefault(told(frame), len(frames))
        for piece in () if isinstance(frame, str) else frame.pieces:
            pieces[piece.name] = piece.data
            parts |= {part.name: part.data for part in piece.parts}
    pieces = parts | pieces
    number = {name: n for n, name in enumerate(pieces)}
    fields = "name", "label", "kind", "shown"
    head = {
        "label": recording.figure.picture.label,
        "size": recording.figure.figure.bbox.size.round().astype(int).tolist(),
        "controls": [{field: getattr(control, field) for field in fields} for control in recording.controls],
        "bases": recording.bases,
        "states": states,
        "frames": [[caption, *(number[name] for name in names)] for caption, *names in frames],
        "parts": len(parts),
        "pieces": [[name, len(data)] for name, data in pieces.items()],
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    body = [shuffled(data) for data in pieces.values()]
    return gzip.compress(len(text).to_bytes(4, "little") + text + b"".join(body), 9, mtime=0)


def shuffled(data: bytes) -> bytes:
    filled = data + bytes(-len(data) % 8)
    return np.frombuffer(filled, np.uint8).reshape(-1, 8).T.tobytes()


def record(path: Path, examples: dict[str, list[str]]) -> list[Recording]:
    """Run a notebook as far as its last live figure, and record each of them when its cell has run."""
    os.environ["MPLBACKEND"] = "agg"
    os.chdir(path.parent)
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    last = max((n for n, cell in enumerate(cells) if is_live(cell)), default=-1)
    trained = kept_models.folder_of(path)  # what the tests trained is not trained again
    shell = InteractiveShell.instance()
    recordings = []
    with kept_models.remember(trained) if trained else nullcontext():
        for cell in cells[: last + 1]:
            with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
                result = shell.run_cell(cell.source)
            result.raise_error()
            if is_live(cell):
                recordings.append(Recording(result.result, examples))
    return recordings


def is_live(cell: Any) -> bool:
    """Whether the stored output of a cell is a live figure's."""
    return any(
        output.get("data", {}).get("text/plain", "").startswith("Live figure") for output in cell.outputs
    )
