"""The display lists of a figure, frame after frame: an artist that did not change keeps the one it has."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import Collection, PathCollection, QuadMesh
from matplotlib.figure import Figure, SubFigure
from matplotlib.image import AxesImage, BboxImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch
from matplotlib.spines import Spine
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform

from ._display_list import DisplayList, glyphs_of, text_extent
from ._recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.artist import Artist

# Artists that are drawn so are stale whenever they change; others are recorded in every frame: what they
# draw follows other artists (an annotation, a connection), or has parts that say nothing (a table, a key).
LINES_AND_AREAS = Line2D, Patch, FancyArrowPatch, Collection, PathCollection, QuadMesh
TELLING_DRAWS = {kind.draw for kind in (Axis, Spine, Text, Legend, AxesImage, *LINES_AND_AREAS)}


def display_lists(figure: Figure) -> list[DisplayList]:
    """Return what a figure shows now, in drawing order, as page.js draws it.

    >>> from matplotlib.figure import Figure
    >>> figure = Figure()
    >>> line, = figure.subplots().plot([1, 2])
    >>> before = display_lists(figure)
    >>> line.set_color("red")
    >>> len(set(display_lists(figure)) - set(before))
    1

    The layout is computed in the first call. An artist that has not changed since the last call is not
    drawn again; see DisplayCache.
    """
    return DisplayCache.of(figure).record()


class DisplayCache:
    """The display lists of a matplotlib figure; only artists that have changed are recorded again.

    matplotlib marks an artist as stale when it changes. Where it does not, the cache looks itself: at arrays
    and transforms changed in place, at rcParams, at artists with parts of their own. The layout is computed
    once, at the start: margins that move with a slider are hard to watch.
    """

    @classmethod
    def of(cls, figure: Figure) -> DisplayCache:
        """The cache of this figure: two of them would clear each other's stale marks."""
        if not hasattr(figure, "_display_cache"):
            figure._display_cache = cls(figure)
        return figure._display_cache

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        FigureCanvasAgg(figure)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        self.invalidate()

    def invalidate(self) -> None:
        """Record every artist next time: somebody else may have cleared the stale marks."""
        self._size: tuple[float, ...] = ()
        self._parameters: dict[str, Any] = {}

    def record(self) -> list[DisplayList]:
        """What the figure shows now, in drawing order."""
        size = (*self.figure.bbox.size.tolist(), self.figure.dpi)
        if size != self._size or not dict.__eq__(self._parameters, rcParams):
            self._size, self._recorder = size, Recorder(*size)
            self._parameters = dict(dict.items(rcParams))  # as they are: to ask for the backend sets it
            glyphs_of.cache_clear()  # fonts may be others now
            text_extent.cache_clear()
            self._lists: dict[Artist, list[DisplayList]] = {}
            self._views: dict[Axes, bytes] = {}
            self._silent: dict[Artist, Any] = {}
        owners = {child: owner for owner, child in _leaves(self.figure)}
        parts = {child: list(_parts(child)) for child in owners}
        stale = {child for child in owners if any(part.stale for part in parts[child])}
        changed = self._changed(owners, stale)
        lists: list[DisplayList] = []
        same_titles = set(owners.values()) - {owners[child] for child in changed if isinstance(child, Axis)}
        try:
            for child in owners:
                child.draw = self._draw_method(child, child in changed, lists)
            for owner in same_titles:
                owner._update_title_position = _do_nothing  # it is slow, and the titles stay where they are
            self.figure.draw(self._recorder)
        finally:
            for artist in [*owners, *same_titles]:
                vars(artist).pop("draw", None)
                vars(artist).pop("_update_title_position", None)
        self._lists = {child: self._lists[child] for child in owners if child in self._lists}
        for artist in [*set(owners.values()), *(part for child in owners for part in parts[child])]:
            artist.stale = False
        return lists + self._recorder.flush()

    def _draw_method(self, artist: Artist, is_changed: bool, lists: list[DisplayList]) -> Any:
        """What this artist's `draw` is while the figure is recorded."""

        def draw(renderer: Any) -> None:
            if renderer is not self._recorder:  # an image of this artist is needed
                return type(artist).draw(artist, renderer)
            lists.extend(renderer.flush())  # what its axes drew themselves
            if is_changed or artist.stale:
                self._lists[artist] = renderer.record(artist)
            lists.extend(self._lists[artist])

        return draw

    def _changed(self, owners: dict[Artist, Any], stale: set[Artist]) -> set[Artist]:
        """The artists that have to be recorded: those that are stale, and those that depend on them."""
        silent = {child: _silent_state(child, owner) for child, owner in owners.items()}
        stale |= {child for child, state in silent.items() if state != self._silent.get(child)}
        self._silent = silent
        active = {owners[child] for child in stale}
        every = {owner for owner in owners.values() if isinstance(owner, Axes)}
        moved = {axes for axes in every - active if axes.stale}  # limits, a scale, …
        moved |= {axes for axes in every if type(axes).draw is not Axes.draw}  # polar, 3-D, …
        moved |= {axes for axes in every if self._moves(axes)}
        return {
            child
            for child, owner in owners.items()
            if child in stale
            or child not in self._lists
            or owner in moved
            or (moved and not isinstance(child, Axis | Spine))  # it may follow the axes that moved
            or not _tells(child)
        }

    def _moves(self, axes: Axes) -> bool:
        """Whether the axes show another part of their data, or elsewhere, than in the last frame."""
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


def _tells(artist: Any) -> bool:
    """Whether this artist is stale whenever what it draws changes."""
    is_placed_freely = isinstance(artist, Legend) and artist._get_loc() == 0  # "best"
    return type(artist).draw in TELLING_DRAWS and not is_placed_freely and not isinstance(artist, BboxImage)


def _silent_state(artist: Any, owner: Any) -> list[Any]:
    """What may change without a mark: the numbers of arrays, a transform of the artist's own."""
    arrays = [array for name in ("_A", "_offsets") if (array := getattr(artist, name, None)) is not None]
    sums = [zlib.crc32(np.ascontiguousarray(part).data) for array in arrays for part in _data_and_mask(array)]
    own = artist._transform
    shared = own is None or own is getattr(owner, "transData", None) or isinstance(own, IdentityTransform)
    return [*sums, len(arrays), None if shared else own.get_affine().get_matrix().tobytes()]


def _data_and_mask(array: Any) -> tuple[np.ndarray, np.ndarray]:
    return np.ma.getdata(array), np.asarray(np.ma.getmask(array))
