"""Words in a plane: a dot for each, and labels that never lie over one another."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import to_rgba_array
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from matplotlib.transforms import IdentityTransform

from ._arguments import Array, float_array, strings
from .plots import BLUE, GREY, _label

FONT = FontProperties(size=11)
GAP = 5  # pixels from a dot to its label
AWAY = (0, 14, 28, 42, 56)  # more pixels, with a thin line from dot to label, where that is taken
DIRECTIONS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]
PLACES = np.array([(*direction, away) for away in AWAY for direction in DIRECTIONS])  # (40, 3)


def word_map(
    axes: Axes, points: Array, words: Iterable[str], *, colours: Any = None, **labels: str
) -> WordMap:
    """Draw words as labelled dots into `axes`; return the WordMap, whose `set_data` shows others.

    >>> from pe_helpers.figures import plots
    >>> figure, axes = plots.new_figure(3, 3)
    >>> words = word_map(axes, [[0, 0], [0.5, 1]], ["king", "queen"], title="Two words")
    >>> axes.get_title()
    'Two words'

    points: (words, 2). The axes get equal units from -1.1 to 1.1 and no ticks: scale the points to fit,
        because only their arrangement counts.
    colours: of the dots, one for each word, as matplotlib takes them; None means blue.
    labels: `title`, `x_label`, `y_label`.
    Raises ValueError unless there are one point and one colour for each word, and for points that are not
    finite.
    """
    warnings.filterwarnings("ignore", "Glyph .* missing")  # a letter that the font lacks is drawn as a box
    axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), xticks=[], yticks=[], aspect="equal", adjustable="box")
    axes.spines[:].set(visible=True, color="#bbbbbb")
    return axes.add_artist(WordMap(axes, points, words, colours, **_label(axes, labels)))


class WordMap(Artist):
    """Dots and their labels; `word_map` makes one. A label without a free place near its dot is not drawn.

    >>> from pe_helpers.figures import plots
    >>> figure, axes = plots.new_figure(3, 3)
    >>> words = word_map(axes, [[0, 0]], ["king"])
    >>> words.set_data([[5, 5], [0, 0]], ["outside", "inside"])
    >>> words.hidden()
    ['outside']
    """

    zorder = 4

    def __init__(self, axes: Axes, points: Array, words: Iterable[str], colours: Any) -> None:
        super().__init__()
        self._dots = axes.scatter([], [], s=36, zorder=3)
        self.set_data(points, words, colours)

    def set_data(self, points: Array, words: Iterable[str], colours: Any = None) -> None:
        """Show other words at other points, (words, 2), in other colours; None means blue."""
        words = strings("words", words)
        allowed = f"an array of shape ({len(words)}, 2), a point for each word"
        points = float_array("points", points, 2, allowed)
        if points.shape != (len(words), 2):
            raise ValueError(f"points must be {allowed}; got shape {points.shape}")
        faces = to_rgba_array([BLUE] * len(words) if colours is None else colours)  # (words, 4)
        if len(faces) != len(words):
            raise ValueError(f"colours must be one for each of {len(words)} words; got {colours!r}")
        self._points, self._words = points, words
        self._dots.set_offsets(points)
        self._dots.set_facecolor(faces)
        self.stale = True

    def hidden(self) -> list[str]:
        """Return the words whose labels find no place, with the axes as they are now."""
        return [word for word, place in zip(self._words, self._places(), strict=True) if place is None]

    @allow_rasterization
    def draw(self, renderer: RendererBase) -> None:
        """Draw the labels and the thin lines; matplotlib calls this."""
        dots, pen = self.axes.transData.transform(self._points), renderer.new_gc()
        pixels = {"figure": self.figure, "transform": IdentityTransform()}
        for word, dot, place in zip(self._words, dots, self._places(), strict=True):
            if place is not None:
                left, bottom, right, top, descent, is_away = place
                if is_away:
                    near = np.clip(dot, (left, bottom), (right, top))
                    Line2D(*zip(dot, near, strict=True), color=GREY, linewidth=0.6, **pixels).draw(renderer)
                base = renderer.height - bottom - descent if renderer.flipy() else bottom + descent
                renderer.draw_text(pen, left, base, word, FONT, 0, ismath=False)
        pen.restore()
        self.stale = False

    def _places(self) -> list[Any]:
        """For each word its label's (left, bottom, right, top, descent, is away) in pixels, or None.

        That is the first of PLACES where the label is inside the axes and over no dot and no label. The words
        come in alphabetical order, so their order in the data changes nothing.
        """
        dots = self.axes.transData.transform(self._points)  # (words, 2)
        frame = np.array(self.axes.bbox.extents)  # (4,)
        taken = np.concatenate([dots - 3, dots + 3], axis=1)  # (dots + labels, 4)
        found: list[Any] = [None] * len(dots)
        for n in sorted(range(len(dots)), key=lambda n: (self._words[n], *dots[n])):
            width, height, descent = (part * self.figure.dpi / 72 for part in _extent(self._words[n]))
            steps = np.array([width / 2 + GAP, height + 1]) + PLACES[:, 2:]
            middle, half = dots[n] + PLACES[:, :2] * steps, np.array([width, height]) / 2
            boxes = np.concatenate([middle - half, middle + half], axis=1)  # (40, 4)
            inside = (boxes[:, :2] >= frame[:2]) & (boxes[:, 2:] <= frame[2:])
            crossing = (boxes[:, None, :2] < taken[:, 2:]) & (boxes[:, None, 2:] > taken[:, :2])
            free = np.flatnonzero(inside.all(axis=1) & ~np.any(crossing.all(axis=2), axis=1))
            if len(free):
                box = boxes[free[0]]
                taken = np.concatenate([taken, box[None]])
                found[n] = (*box, descent, PLACES[free[0], 2] > 0)
        return found


@lru_cache(maxsize=4096)
def _extent(word: str) -> tuple[float, float, float]:
    """(width, height, descent) of a word, in points."""
    return text_to_path.get_text_width_height_descent(word, FONT, False)
