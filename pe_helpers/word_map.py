"""Words in a plane: a dot for each, and labels that never lie over one another."""

import warnings
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from .arguments import as_numpy, real_array
from .plots import BLUE

GAP = 5  # pixels from a dot to its label
DIRECTIONS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]


def word_map(axes, points, words, *, title="", x_label="", y_label="", size=11):
    """Draw words as labelled dots into `axes`; returns the WordMap, whose `set_data` shows others.

    points: (len(words), 2). The axes get equal units from -1.1 to 1.1 and no ticks: scale the points so
    that they fit, for the arrangement is what counts. size: of the labels, in points.
    Raises ValueError for points of another shape.
    """
    axes.set(title=title, xlabel=x_label, ylabel=y_label, xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
    axes.set(xticks=[], yticks=[], aspect="equal", adjustable="box")
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color("#bbbbbb")
    words = WordMap(axes, points, words, size)
    axes.add_artist(words)
    return words


class WordMap(Artist):
    """Dots and their labels. A label that finds no free place beside its dot is left out: see `hidden`."""

    zorder = 4

    def __init__(self, axes, points, words, size):
        super().__init__()
        self._font = FontProperties(size=size)
        (self._dots,) = axes.plot([], [], "o", color=BLUE, markersize=6, zorder=3)
        self.set_data(points, words)

    def set_data(self, points, words):
        """Show other words at other points, (len(words), 2)."""
        words = list(words)
        allowed = f"an array of shape ({len(words)}, 2), a point for each word"
        points = as_numpy(real_array("points", points, 2, allowed)[0])
        if points.shape != (len(words), 2):
            raise ValueError(f"points must be {allowed}; got shape {points.shape}")
        self._points, self._words = points, words
        self._dots.set_data(*points.T)
        self.stale = True

    def hidden(self):
        """The words whose labels find no place, with the axes as they are now."""
        return [word for word, box in zip(self._words, self._boxes(), strict=True) if box is None]

    @allow_rasterization
    def draw(self, renderer):
        if not self.get_visible():
            return
        pen = renderer.new_gc()
        pen.set_foreground("black")
        with _quietly():
            for word, box in zip(self._words, self._boxes(), strict=True):
                if box is not None:
                    left, bottom, _, _, descent = box
                    y = renderer.height - (bottom + descent)
                    renderer.draw_text(pen, round(left), round(y), word, self._font, 0, ismath=False)
        pen.restore()
        self.stale = False

    def _boxes(self):
        """For each word its label's (left, bottom, right, top, descent) in pixels, None for no place.

        Greedy: word by word, the first of eight directions where the label lies inside the axes and over
        no dot and no label before it.
        """
        dots = self.axes.transData.transform(self._points).reshape(-1, 2)
        frame = self.axes.bbox
        taken = np.concatenate([dots - 3, dots + 3], axis=1)
        boxes = []
        for word, (x, y) in zip(self._words, dots, strict=True):
            width, height, descent = (part * self.figure.dpi / 72 for part in _extent(word, self._font))
            places = np.array([_beside(x, y, width, height, *to) for to in DIRECTIONS])
            inside = (
                (places[:, 0] >= frame.x0)
                & (places[:, 1] >= frame.y0)
                & (places[:, 2] <= frame.x1)
                & (places[:, 3] <= frame.y1)
            )
            low, high = places[:, None, :2], places[:, None, 2:]
            crossing = ((low < taken[:, 2:]) & (high > taken[:, :2])).all(axis=2).any(axis=1)
            free = np.flatnonzero(inside & ~crossing)
            if len(free):
                box = places[free[0]]
                taken = np.concatenate([taken, box[None]])
                boxes.append((*box, descent))
            else:
                boxes.append(None)
        return boxes


def _beside(x, y, width, height, right, up):
    """(left, bottom, right, top) of a label on one side of a dot at (x, y)."""
    left = x - width / 2 + right * (width / 2 + GAP)
    bottom = y - height / 2 + up * (height + 1)
    return left, bottom, left + width, bottom + height


@lru_cache(maxsize=4096)
def _extent(word, font):
    with _quietly():
        return text_to_path.get_text_width_height_descent(word, font, False)


@contextmanager
def _quietly():
    """Without a warning for each letter that the font lacks: such a letter is drawn as a box."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield
