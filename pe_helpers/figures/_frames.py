"""The pieces of a figure, frame after frame: an artist that did not change keeps what it drew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import Collection
from matplotlib.figure import SubFigure
from matplotlib.legend import Legend
from matplotlib.offsetbox import AnnotationBbox
from matplotlib.patches import ConnectionPatch
from matplotlib.projections.polar import PolarAxes
from matplotlib.spines import Spine
from matplotlib.text import Annotation

from ._pieces import Piece
from ._recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.artist import Artist
    from matplotlib.collections import Collection
from matplotlib.figure import Figure

LOOKING_AROUND = Annotation, AnnotationBbox, ConnectionPatch  # what they draw depends on other artists


class Frames:
    """A matplotlib figure as it is now, in pieces.

    matplotlib marks an artist as stale when it changes. An artist that is not keeps the piece that it drew
    last. Changes that matplotlib does not notice, such as a new value assigned to `annotation.xy`, show
    after `artist.stale = True`. The layout is computed once, at the start: margins that move with a slider
    are hard to watch.
    """

    @classmethod
    def of(cls, figure: Figure) -> Frames:
        """The frames of this figure: two of them would take each other's stale marks away."""
        if not hasattr(figure, "_live_frames"):
            figure._live_frames = cls(figure)
        return figure._live_frames

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        FigureCanvasAgg(figure)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        self.forget()

    def forget(self) -> None:
        """Record everything anew next time: somebody else may have taken the stale marks away."""
        self._size: tuple[float, ...] = ()

    def record(self) -> list[Piece]:
        """What the figure shows now, in drawing order."""
        size = (*self.figure.bbox.size.tolist(), self.figure.dpi)
        if size != self._size:
            self._size, self._recorder = size, Recorder(*size)
            self._kept: dict[Artist, list[Piece]] = {}
            self._views: dict[Axes, bytes] = {}
            self._arrays: dict[Artist, Any] = {}
        owners = {child: owner for owner, child in _leaves(self.figure)}
        parts = {child: list(_parts(child)) for child in owners}
        changed = self._changed(
            owners, {child for child in owners if any(part.stale for part in parts[child])}
        )
        pieces: list[Piece] = []
        calm = set(owners.values()) - {owners[child] for child in changed if isinstance(child, Axis)}
        try:
            for child in owners:
                child.draw = self._drawing(child, child in changed, pieces)
            for owner in calm:
                owner._update_title_position = _do_nothing  # slow, and the titles may stay where they are
            self.figure.draw(self._recorder)
        finally:
            for artist in [*owners, *calm]:
                vars(artist).pop("draw", None)
                vars(artist).pop("_update_title_position", None)
        self._kept = {child: self._kept[child] for child in owners if child in self._kept}
        for artist in [*set(owners.values()), *(part for child in owners for part in parts[child])]:
            artist.stale = False
        return pieces + self._recorder.take()

    def _drawing(self, artist: Artist, is_changed: bool, pieces: list[Piece]) -> Any:
        """What this artist's `draw` is while the figure is recorded."""

        def draw(renderer: Any) -> None:
            if renderer is not self._recorder:  # an image of this artist is needed
                return type(artist).draw(artist, renderer)
            pieces.extend(renderer.take())  # what its axes drew themselves
            if is_changed or artist.stale:
                self._kept[artist] = renderer.record(artist)
            pieces.extend(self._kept[artist])

        return draw

    def _changed(self, owners: dict[Artist, Any], stale: set[Artist]) -> set[Artist]:
        """The artists that have to be recorded: those that are stale, and what follows them."""
        arrays = {child: child.get_array() for child in owners if isinstance(child, Collection)}
        stale |= {
            child for child, array in arrays.items() if array is not self._arrays.get(child)
        }  # unmarked
        self._arrays = arrays
        active = {owners[child] for child in stale}
        every = {owner for owner in owners.values() if isinstance(owner, Axes)}
        moved = {axes for axes in every - active if axes.stale}  # limits, a scale, …
        moved |= {axes for axes in every if type(axes).draw not in (Axes.draw, PolarAxes.draw)}
        moved |= {axes for axes in every if self._moves(axes)}
        return {
            child
            for child, owner in owners.items()
            if child in stale
            or child not in self._kept
            or owner in moved
            or (moved and not isinstance(child, Axis | Spine))  # it may follow the axes that moved
            or (stale and _looks_around(child))
        }

    def _moves(self, axes: Axes) -> bool:
        """Whether the axes show another place of their data, or elsewhere, than in the last frame."""
        locator = axes.get_axes_locator()
        axes.apply_aspect(locator(axes, self._recorder) if locator else None)
        view = axes.viewLim.get_points()
        between = view[0] + np.array([[0.0], [0.3], [1.0]]) * (view[1] - view[0])
        places = axes.bbox.get_points(), view, axes.transData.transform(between)
        seen = b"".join(np.asarray(place).tobytes() for place in places)
        known, self._views[axes] = self._views.get(axes), seen
        return seen != known


def _do_nothing(renderer: Any) -> None:
    pass


def _leaves(group: Any) -> Iterator[tuple[Any, Artist]]:
    """(the figure or the axes it belongs to, the artist) for everything that is no figure or axes."""
    for child in group.get_children():
        if isinstance(child, Axes | SubFigure):
            yield from _leaves(child)
        else:
            yield group, child


def _parts(artist: Any) -> Iterator[Any]:
    """The artist and what it consists of."""
    yield artist
    ticks = isinstance(artist, Axis) and [*artist.majorTicks, *artist.minorTicks]  # it would compute new ones
    for part in [artist.label, artist.offsetText, *ticks] if ticks else artist.get_children():
        yield from _parts(part)


def _looks_around(artist: Artist) -> bool:
    is_placed_freely = isinstance(artist, Legend) and artist._get_loc() == 0  # "best"
    return is_placed_freely or isinstance(artist, LOOKING_AROUND)
