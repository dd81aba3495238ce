"""Recordings: a live figure with a frame for every state that a reader can reach, for pages without a kernel.

A state is the step of each control. Recorded are, from the start and from every preset, the whole sweep of
each slider, for every choice of the menus and check boxes; two sliders together where that is little; and all
sliders together at a few steps of each, so that none has to go back when another is moved.
`Recording.to_bytes` says how a recording is written; `recording.js` reads it.
"""

from __future__ import annotations

import gzip
import itertools
import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets as widgets
import numpy as np

from ._controls import Presets, Settings, values_of
from ._narrow import narrow
from ._picture import Frame

if TYPE_CHECKING:
    from ._display_list import DisplayList
    from ._live import LiveFigure

MAX_BYTES = 1_500_000  # of one recording; its sliders get fewer steps until it is no larger
NARROW = 340  # pixels of a picture on a phone's page
MAX_TOGETHER = 600  # frames of two sliders that move independently, of any two at a few steps, and of all
MANY = 100  # of these for each choice of the menus, where that is more
SHARES = (1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)  # of these; the last tells how many there is room for
FILLED = 0.9  # of the bytes of a recording, by that judgement
MAX_TEXT = 80  # letters of a text that stands in a menu; a longer one has the name of its preset
CHECKED = 20  # states that are drawn twice

State = tuple[int, ...]  # the step of each control
Examples = Mapping[str, Sequence[str]]  # for a line of text: texts that its menu has besides the presets'


def record(
    figure: LiveFigure,
    examples: Examples | None = None,
    *,
    steps: int = 0,
    width: int = 0,
    like: Recording | None = None,
    every: bool = False,
) -> Recording:
    """Return a recording of `figure`, which stays at its start.

    >>> from matplotlib.figure import Figure
    >>> from live_figures import live, slider
    >>> shown = live(Figure(), lambda k: f"The offset is {k}.", k=slider(0, 9))
    >>> len(record(shown).frames)
    10

    examples: {name of a line of text: texts}. A line of text becomes a menu of these and of its presets'.
    steps: of each slider, about so many; 0 means all.
    width: of the page in pixels, if it is narrow: the panels of a figure of `subplots` stand one below the
    other then, with letters of at least 11 pixels; 0 means as they are.
    like: a recording of the same figure, whose states this one has, too.
    every: whether all sliders move independently at all their steps, however many frames that takes. Else
    they do so at a few, and a slider that is moved on its own has all.
    Raises TypeError for a control that is no slider, menu, check box or text; RuntimeError if `update` sets
    controls, or if what it draws depends on what it drew before; ValueError for a figure of another kind and
    a width.
    """
    if not width:
        return Recording(figure, examples or {}, steps, like, every)
    figure.refresh()  # the layout is made for its start, not for what was recorded last
    with narrow(figure.figure, width):
        recording = Recording(figure, examples or {}, steps, like)
    figure.invalidate()
    return recording


class Control(NamedTuple):
    """A control as the page has it: its values in Python, and how the page shows each of them.

    kind: "range", "select" or "checkbox"; "text" for a menu of texts.
    """

    name: str
    label: str
    kind: str
    values: list[Any]
    shown: list[str]


def _control(name: str, widget: Any, presets: Settings, examples: Iterable[str], steps: int) -> Control:
    """presets: {name of a preset: the value that this control has there}."""
    label = widget.description
    if hasattr(widget, "_options_full") and not isinstance(widget.index, tuple):
        options = widget._options_full
        return Control(name, label, "select", [value for _, value in options], [text for text, _ in options])
    if isinstance(widget.value, bool):
        return Control(name, label, "checkbox", [False, True], ["no", "yes"])
    if isinstance(widget, widgets.Text | widgets.Textarea):
        texts = list(dict.fromkeys([*presets.values(), *examples]))
        long = {text: preset for preset, text in presets.items() if len(text) > MAX_TEXT}
        return Control(name, label, "text", texts, [long.get(text, text) for text in texts])
    if not isinstance(widget, widgets.IntSlider | widgets.FloatSlider | widgets.FloatLogSlider):
        allowed = "sliders, menus, check boxes or texts"
        raise TypeError(f"controls must be {allowed} to be recorded; got {name}={widget!r:.80}")
    every = _values_of_slider(widget)
    few = [*every[:: max(len(every) // steps, 1)], every[-1]] if steps else every
    if isinstance(widget, widgets.FloatLogSlider):  # a preset's value takes the place of a step close to it
        few = [value for value in few if not _is_beside(value, presets.values(), widget)]
    by_text = {_readout(widget, value): value for value in [*few, *presets.values()]}  # one value a text
    values = sorted(by_text.values())
    return Control(name, label, "range", values, [_readout(widget, value) for value in values])


def steps_of(widget: Any) -> int:
    """How many steps a slider has in the notebook; 0 for another control."""
    return len(_values_of_slider(widget)) if hasattr(widget, "step") else 0


def _values_of_slider(slider: Any) -> list[float]:
    places = [slider.min + n * slider.step for n in range(round((slider.max - slider.min) / slider.step) + 1)]
    values = [slider.base**place for place in places] if hasattr(slider, "base") else places
    return [type(slider.value)(f"{value:.12g}") for value in values]


def _is_beside(value: float, presets: Iterable[float], slider: Any) -> bool:
    """Whether a value is less than half a step from another of these."""
    far = (abs(math.log(preset / value, slider.base)) for preset in presets)
    return any(1e-9 < each < slider.step / 2 for each in far)


def _readout(slider: Any, value: float) -> str:
    if slider.readout_format.endswith("r"):  # three significant digits
        return f"{float(f'{value:.3g}'):,.10g}"
    return format(value, slider.readout_format)


def _sliders(controls: Iterable[Control]) -> list[int]:
    """The numbers of those that are sliders."""
    return [n for n, control in enumerate(controls) if control.kind == "range"]


Crossed = list[list[int]]  # for each control the steps at which sliders are crossed


def _crossed(controls: list[Control], presets: Iterable[State], share: float = 1) -> tuple[Crossed, Crossed]:
    """The steps at which all sliders are crossed, and those at which any two of more than two are: the
    start's and every so many from there, the ends, and those of the presets. Empty where there are no two
    sliders, or too many even of these.

    share: of the states that there may be of each kind: MAX_TOGETHER, or MANY for each choice of the menus.
    """
    sliders = _sliders(controls)
    if len(sliders) < 2:
        return [], []
    kept = zip(*presets, strict=True)  # of each control
    spreads = [_spreads(control, steps) for control, steps in zip(controls, kept, strict=True)]

    choices = math.prod(len(each[0]) for n, each in enumerate(spreads) if n not in sliders)

    def most(room: float, together: int) -> Crossed:
        """As many steps as `room` has states in which so many sliders move."""
        found, more = [each[0] for each in spreads], [each[1:] for each in spreads]

        def is_little(crossed: Crossed) -> bool:
            groups = itertools.combinations([len(crossed[n]) for n in sliders], together)
            return choices * sum(map(math.prod, groups)) <= room

        def with_more(n: int) -> Crossed:
            return [*found[:n], more[n][0], *found[n + 1 :]]

        while able := [n for n in sliders if more[n] and is_little(with_more(n))]:
            fewest = min(able, key=lambda n: len(found[n]))
            found[fewest] = more[fewest].pop(0)
        return found if is_little(found) else []

    room = share * max(MAX_TOGETHER, MANY * choices)
    if len(sliders) == 2:
        return most(room, 2), []
    return most(room / 2, len(sliders)), most(room, 2)


def _spreads(control: Control, kept: Sequence[int]) -> list[list[int]]:
    """Choices of a slider's steps, from few to all, these among them; of another control, all that it has."""
    last = len(control.values) - 1
    if control.kind != "range":
        return [[*range(last + 1)]]
    every = range(max(last, 1), 0, -1)  # so many steps apart
    choices = [sorted({0, *range(kept[0] % apart, last, apart), last, *kept}) for apart in every]
    by_length = {len(steps): steps for steps in choices}
    return [by_length[length] for length in sorted(by_length)]


def _reachable(
    controls: list[Control], presets: Iterable[State], together: Crossed, pairs: Crossed
) -> list[State]:
    """Every state that a reader can reach from the presets."""
    steps = [range(len(control.values)) for control in controls]
    sliders = _sliders(controls)
    choices = set(range(len(controls))).difference(sliders)
    moving = [choices | {slider} for slider in sliders] or [choices]
    for pair in itertools.combinations(sliders, 2):
        if math.prod(len(steps[n]) for n in choices.union(pair)) <= MAX_TOGETHER:
            moving.append(choices.union(pair))
    found: dict[State, None] = {}  # in order, without repetitions
    for preset, free in itertools.product(presets, moving):
        each = [step if n in free else [preset[n]] for n, step in enumerate(steps)]
        found.update(dict.fromkeys(itertools.product(*each)))
    start = next(iter(presets))
    for pair in itertools.combinations(sliders, 2) if pairs else ():
        each = [pairs[n] if n in choices.union(pair) else [start[n]] for n in range(len(controls))]
        found.update(dict.fromkeys(itertools.product(*each)))
    found.update(dict.fromkeys(itertools.product(*together) if together else ()))
    return list(found)


class Recording:
    """The frames of one live figure; `record` makes one.

    controls: a Control for each of the figure's. presets: {text of a button: its state}, the start's first.
    sets: {text of a button: the numbers of the controls that it sets}.
    together, pairs: for each control the steps at which all sliders are crossed, and any two where there are
    more; empty where they are not.
    frames: {state: a Frame, or the text of an error}. caption: that of the start.
    """

    def __init__(
        self,
        figure: LiveFigure,
        examples: Examples,
        steps: int,
        like: Recording | None = None,
        every: bool = False,
    ) -> None:
        self.figure = figure
        self.size = figure.figure.bbox.size.round().astype(int).tolist()
        self.controls, settings = controls_of(figure, examples, steps)
        names = [control.name for control in self.controls]
        start = _press(figure, "reset")
        self.caption = figure.caption
        self.together: Crossed = []
        self.pairs: Crossed = []
        if like:
            self.controls, self.together, self.pairs = [*like.controls], [*like.together], [*like.pairs]
        elif every:
            self.together = [[*range(len(control.values))] for control in self.controls]
        self.presets = {text: self.state_of(values) for text, values in settings.items()}
        self.sets = {text: [names.index(name) for name in values] for text, values in figure.settings.items()}
        self.frames: dict[State, Frame | str] = {}
        self._draw_all()
        if not like and not every:
            self._cross()
        states = [*self.frames]
        if start != values_of(figure.controls):
            raise RuntimeError("a figure whose update sets its controls cannot be recorded")
        for state in random.Random(0).sample(states, min(CHECKED, len(states))):
            if _content(self.draw(state, is_anew=True)) != _content(self.frames[state]):
                raise RuntimeError(f"what the figure shows at {state} depends on what it showed before")

    def _reachable(self) -> list[State]:
        return _reachable(self.controls, self.presets.values(), self.together, self.pairs)

    def _draw_all(self) -> None:
        """Draw the states that a reader can reach now and that are not drawn yet; forget all others."""
        self.frames = {state: self.frames.get(state) or self.draw(state) for state in self._reachable()}

    def _cross(self) -> None:
        """Cross the sliders at as many steps as there is room for, judged by a few of them; where there is no
        room a slider gets fewer steps.
        """
        presets = self.presets.values()
        while options := [each for share in SHARES if (each := _crossed(self.controls, presets, share))[0]]:
            alone, size = len(self.frames), len(self._compressed())
            self.together, self.pairs = options[-1]
            self._draw_all()
            frame = (len(self._compressed()) - size) / max(len(self.frames) - alone, 1)
            for crossed in options:
                self.together, self.pairs = crossed
                if size + frame * (len(self._reachable()) - alone) <= FILLED * MAX_BYTES:
                    return self._draw_all()
            self.together, self.pairs = [], []
            self._draw_all()
            self._drop_steps()
            presets = self.presets.values()

    def state_of(self, values: Settings) -> State:
        """The state where the controls have these values."""
        return tuple(control.values.index(values[control.name]) for control in self.controls)

    def draw(self, state: State, is_anew: bool = False) -> Frame | str:
        """What the kernel shows for this state: a frame, or the text of an error."""
        values = {c.name: c.values[step] for c, step in zip(self.controls, state, strict=True)}
        try:
            frame = self.figure.frame_at(values, is_anew=is_anew)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        assert frame is not None  # only a prefetch may have none
        return frame

    def thin_out(self) -> None:
        """Cross the sliders at half as many steps of the one that has most there; where they have their ends
        and those of the presets alone, drop every second step of the slider that has most.
        """
        sliders = _sliders(self.controls)
        crossed = [(grid, n) for grid in (self.together, self.pairs) if grid for n in sliders]
        if able := [(grid, n) for grid, n in crossed if self._halved(grid[n], n) != grid[n]]:
            grid, at = max(able, key=lambda found: len(found[0][found[1]]))
            grid[at] = self._halved(grid[at], at)
            self.frames = {state: self.frames[state] for state in self._reachable() if state in self.frames}
        else:
            self._drop_steps()

    def _drop_steps(self) -> None:
        """Drop every second step of the slider that has most; keep its ends and those of the presets."""
        sliders = _sliders(self.controls)
        at = max(sliders, key=lambda n: len(self.controls[n].values))
        control = self.controls[at]
        kept = self._halved([*range(len(control.values))], at)
        self.controls[at] = control._replace(
            values=[control.values[step] for step in kept], shown=[control.shown[step] for step in kept]
        )

        def moved(state: State) -> State:
            return (*state[:at], kept.index(state[at]), *state[at + 1 :])

        self.frames = {moved(state): frame for state, frame in self.frames.items() if state[at] in kept}
        self.presets = {text: moved(preset) for text, preset in self.presets.items()}
        for grid in (self.together, self.pairs):
            if grid:
                grid[at] = [kept.index(step) for step in grid[at] if step in kept]

    def _halved(self, steps: list[int], at: int) -> list[int]:
        """Every second of these steps of a control, the last, and those of the presets."""
        return sorted({*steps[:-1:2], steps[-1], *(preset[at] for preset in self.presets.values())})

    def to_bytes(self, max_bytes: int = MAX_BYTES) -> bytes:
        """The recording as a gzipped file of at most `max_bytes`; where it is larger, it is thinned out.

        It holds the length of the header (4 bytes), the header (JSON) and the display lists. The header's
        `frames` are [caption, number of a display list, …] in drawing order, or [text of an error]; `states`
        maps each state to its frame; the first `resources` of the display lists are what others use.
        """
        while len(data := self._compressed()) > max_bytes:
            self.thin_out()
        return data

    def _compressed(self) -> bytes:
        orders = [gzip.compress(self._serialize(n), 9, mtime=0) for n in _sliders(self.controls) or [0]]
        return min(orders, key=len)

    def _serialize(self, along: int) -> bytes:
        """along: the number of a control. What an artist draws at its steps stands side by side: gzip looks
        back 32 KB, and finds there what stays or only moves from step to step.
        """
        lists: dict[str, bytes] = {}
        resources: dict[str, bytes] = {}
        frames: dict[tuple[str, ...], int] = {}
        states = {}
        drawn: list[tuple[int, State, DisplayList]] = []  # (number of the artist, its place, what it draws)
        for state, frame in self.frames.items():
            states[",".join(map(str, state))] = frames.setdefault(_content(frame), len(frames))
            place = (*state[:along], *state[along + 1 :], state[along])
            lists_of = () if isinstance(frame, str) else frame.display_lists
            drawn += [(artist, place, each) for artist, each in enumerate(lists_of)]
        for _, _, each in sorted(drawn, key=lambda item: item[:2]):
            lists[each.digest] = each.data
            resources |= {resource.digest: resource.data for resource in each.resources}
        lists = resources | lists
        number = {digest: n for n, digest in enumerate(lists)}
        fields = "name", "label", "kind", "shown"
        header = {
            "label": self.figure.label,
            "size": self.size,
            "controls": [{field: getattr(control, field) for field in fields} for control in self.controls],
            "presets": self.presets,
            "sets": self.sets,
            "together": self.together,
            "states": states,
            "frames": [[caption, *(number[digest] for digest in digests)] for caption, *digests in frames],
            "resources": len(resources),
            # by what others call it, or by its number: so short that it costs nothing
            "displayLists": [
                [digest if digest in resources else n, len(data)]
                for n, (digest, data) in enumerate(lists.items())
            ],
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        return len(text).to_bytes(4, "little") + text + b"".join(map(_shuffled, lists.values()))


def controls_of(figure: LiveFigure, examples: Examples, steps: int = 0) -> tuple[list[Control], Presets]:
    """(the controls of a recording, {text of a button: the values that it sets}); see `record`."""
    settings = {text: _press(figure, text) for text in figure.buttons}
    controls = []
    for name, widget in figure.controls.items():
        presets = {text: values[name] for text, values in settings.items()}
        controls.append(_control(name, widget, presets, examples.get(name, ()), steps))
    return controls, settings


def _press(figure: LiveFigure, button: str) -> dict[str, Any]:
    """Press "reset", then this button; return the values that the controls have then."""
    figure.to_start()
    figure.buttons[button].click()
    return values_of(figure.controls)


def _content(frame: Frame | str) -> tuple[str, ...]:
    """What tells this frame from another: an error, or its caption and the digests of its display lists."""
    if isinstance(frame, str):
        return (frame,)
    return (frame.caption, *(each.digest for each in frame.display_lists))


def _shuffled(data: bytes) -> bytes:
    """The first of every eight bytes, then the second of them all, and so on: gzip makes a third less of it.

    Most numbers of a display list are x and y in turn, four bytes each; so like stands beside like.
    """
    filled = data + bytes(-len(data) % 8)
    return np.frombuffer(filled, np.uint8).reshape(-1, 8).T.tobytes()
