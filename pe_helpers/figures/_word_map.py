"""Words in a plane: a dot for each, and labels that never lie over one another."""

import math
import warnings
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba_array
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.transforms import IdentityTransform

from .._arguments import float_array, strings
from .plots import BLUE, GREY

GAP = 5  # pixels from a dot to its label
AWAY = (0, 14, 28, 42, 56)  # more pixels, with a thin line from dot to label, where that is taken
DIRECTIONS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]
PLACES = np.array([(*direction, away) for away in AWAY for direction in DIRECTIONS])


def word_map(axes, points, words, *, colours=None, title="", x_label="", y_label="", size=11):
    """Draw words as labelled dots into `axes`; returns the WordMap, whose `set_data` shows others.

    points: (len(words), 2). The axes get equal units from -1.1 to 1.1 and no ticks: scale the points so
    that they fit, for the arrangement is what counts. colours: of the dots, one for each word, None for
    blue. size: of the labels, in points.
    Raises ValueError for words that are not strings, and for points or colours that are not one for each.
    """
    axes.set(title=title, xlabel=x_label, ylabel=y_label, xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
    axes.set(xticks=[], yticks=[], aspect="equal", adjustable="box")
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color("#bbbbbb")
    words = WordMap(axes, points, words, colours, size)
    axes.add_artist(words)
    return words


class WordMap(Artist):
    """Dots and their labels. A label that finds no free place beside its dot is left out: see `hidden`."""

    zorder = 4

    def __init__(self, axes, points, words, colours, size):
        super().__init__()
        self._font = FontProperties(size=size)
        self._dots = axes.scatter([], [], s=36, zorder=3)
        self.set_data(points, words, colours)

    def set_data(self, points, words, colours=None):
        """Show other words at other points, (len(words), 2), in other colours, None for blue."""
        words = strings("words", words)
        allowed = f"an array of shape ({len(words)}, 2), a point for each word"
        points = float_array("points", points, 2, allowed)
        if points.shape != (len(words), 2):
            raise ValueError(f"points must be {allowed}; got shape {points.shape}")
        faces = BLUE if colours is None else _colours(colours, len(words))
        self._points, self._words, self._found = points, [_drawable(word) for word in words], None
        self._dots.set_offsets(points)
        self._dots.set_facecolor(faces)
        self.stale = True

    def hidden(self):
        """The words whose labels find no place, with the axes as they are now."""
        return [word for word, box in zip(self._words, self._places(), strict=True) if box is None]

    @allow_rasterization
    def draw(self, renderer):
        if not self.get_visible():
            return
        thin, pen = renderer.new_gc(), renderer.new_gc()
        thin.set_foreground(GREY)
        thin.set_linewidth(renderer.points_to_pixels(0.6))
        pen.set_foreground("black")
        dots = self.axes.transData.transform(self._points)
        with _quietly():
            for word, dot, place in zip(self._words, dots, self._places(), strict=True):
                if place is not None:
                    left, bottom, right, top, descent, is_away = place
                    if is_away:
                        near = np.clip(dot, (left, bottom), (right, top))
                        renderer.draw_path(thin, Path([dot, near]), IdentityTransform())
                    self._write(renderer, pen, word, left, bottom + descent)
        thin.restore()
        pen.restore()
        self.stale = False

    def _write(self, renderer, pen, word, x, y):
        """Draw a word from (x, y), the left end of its baseline, in pixels from the figure's lower left."""
        if isinstance(
            renderer, RendererAgg
        ):  # drawn once, then copied: the same pixels in a tenth of the time
            ink, margin = _ink(word, self._font, renderer.dpi)
            renderer.draw_image(pen, round(x) - margin, round(y) - margin, ink)
        else:
            y = renderer.height - y if renderer.flipy() else y
            renderer.draw_text(pen, round(x), round(y), word, self._font, 0, ismath=False)

    def _places(self):
        """For each word its label's (left, bottom, right, top, descent, is away) in pixels, or None.

        Greedy: word by word, the first of PLACES where the label lies inside the axes and over no dot and
        no label before it. The words take their turns by the alphabet, so that the same points have the
        same labels in whatever order they come.
        """
        dots = self.axes.transData.transform(self._points).reshape(-1, 2)
        frame = np.array([*self.axes.bbox.min, *self.axes.bbox.max])
        where = self.figure.dpi, frame.tolist(), dots.tolist()
        if self._found and self._found[0] == where:  # from `hidden`, in the same frame
            return self._found[1]
        self._found = where, self._find_places(dots, frame)
        return self._found[1]

    def _find_places(self, dots, frame):
        taken = np.concatenate([dots - 3, dots + 3], axis=1)
        found = [None] * len(dots)
        for n in sorted(range(len(dots)), key=lambda n: (self._words[n], *dots[n])):
            word, dot = self._words[n], dots[n]
            width, height, descent = (part * self.figure.dpi / 72 for part in _extent(word, self._font))
            boxes = _around(dot, width, height)
            near = taken[(taken[:, :2] < boxes[:, 2:].max(axis=0)).all(axis=1)]
            near = near[(near[:, 2:] > boxes[:, :2].min(axis=0)).all(axis=1)]
            inside = (boxes[:, :2] >= frame[:2]) & (boxes[:, 2:] <= frame[2:])
            crossing = (boxes[:, None, :2] < near[:, 2:]) & (boxes[:, None, 2:] > near[:, :2])
            free = np.flatnonzero(inside.all(axis=1) & ~crossing.all(axis=2).any(axis=1))
            if len(free):
                box = boxes[free[0]]
                taken = np.concatenate([taken, box[None]])
                found[n] = (*box, descent, PLACES[free[0], 2] > 0)
        return found


def _colours(colours, n):
    """Matplotlib's colours as numbers, (n, 4), or a ValueError that says what they may be."""
    try:
        found = to_rgba_array(colours)
    except (TypeError, ValueError):
        found = None
    if found is None or len(found) != n:
        raise ValueError(f"colours must be None or a list of {n} colours, one for each word; got {colours!r}")
    return found


def _drawable(word):
    """A word as it is drawn: of 40 letters at most, none of them half a character or a line break."""
    word = word.encode(errors="replace").decode().replace("\n", " ").replace("\t", " ")
    return word if len(word) <= 40 else word[:39] + "…"


def _around(dot, width, height):
    """(left, bottom, right, top) of a label at each of PLACES around a dot, (len(PLACES), 4)."""
    size = np.array([width, height])
    to, away = PLACES[:, :2], PLACES[:, 2:]
    middle = dot + to * (np.array([width / 2 + GAP, height + 1]) + away)
    return np.concatenate([middle - size / 2, middle + size / 2], axis=1)


@lru_cache(maxsize=4096)
def _extent(word, font):
    with _quietly():
        return text_to_path.get_text_width_height_descent(word, font, False)


@lru_cache(maxsize=4096)
def _ink(word, font, dpi):
    """(the pixels of a drawn word, RGBA, with a margin around it, the margin's width)."""
    width, height, _ = (math.ceil(part * dpi / 72) for part in _extent(word, font))
    margin = height // 2 + 2
    renderer = RendererAgg(width + 2 * margin, height + 2 * margin, dpi)
    renderer.draw_text(renderer.new_gc(), margin, height + margin, word, font, 0, ismath=False)
    return np.array(renderer.buffer_rgba())[::-1], margin


@contextmanager
def _quietly():
    """Without a warning for each letter that the font lacks: such a letter is drawn as a box."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield
