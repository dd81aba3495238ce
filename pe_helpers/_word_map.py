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
from matplotlib.colors import to_rgba, to_rgba_array
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.transforms import IdentityTransform

from ._arguments import Array, float_array, strings
from .plots import BLUE, LIGHT, _label

FONT = FontProperties(size=11)
LINE = "#cccccc"  # that joins the dots in their order
LINKS = {LIGHT: 1.2, "black": 2.2}  # from a dot to another one, and to a neighbour of words in order
# in units of the axes: how far the middle of such a line is bent to either side, at most by a third of its
# length, where it would come nearer than CLEAR to a third dot
BENDS = np.array([0, *np.outer(np.linspace(0.04, 0.32, 8), (1, -1)).ravel()])
CLEAR = 0.075
# in units of the axes: of the two strokes at its end the tip's distance from the dot, their length along it
# and to its sides; of a short line they are smaller, so that two fit, but not smaller than this part
TIP, HEAD, SIDES, LEAST = 0.06, 0.08, 0.035, 0.4
BEHIND = 0.65  # of a label: how much its ground hides of such a line, which goes on below the letters
LEADER = {"color": "black", "linewidth": 0.9, "linestyle": (0, (1, 1.5))}  # from a dot to its label
SIZE, EDGE, RING = 6.5, 0.8, 1.6  # of a dot: its diameter and its edge, and that of a ring, in points
GAP = 4  # points from a dot's middle to its label, which stands at whole pixels
# points between two labels, beside and above each other: nearer ones touch, to the eye
APART = np.array([2, 3])
AWAY = (0, 10, 20, 30, 40)  # more points, with a thin line from dot to label, where that is taken
DIRECTIONS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]
PLACES = np.array([(*direction, away) for away in AWAY for direction in DIRECTIONS])  # (40, 3)
# (40, 2); in a corner it is near, too
GAPS = np.where(PLACES[:, :2].all(axis=1, keepdims=True), [1, GAP], GAP)
OWNER = np.where(PLACES[:, :2].all(axis=1), 2.5, 1.5)  # (40,): so many times as far as its own, another dot …
UNCLEAR = 9  # the cost of another dot that may be thought to own a label: more than of a line 20 points long
HIDDEN = 10 * UNCLEAR  # the cost of a label that finds no place
# of a label at another side of its dot than before: more than of the line that it then keeps off
MOVED = 4
REMEMBERED = 500  # arrangements of dots
MANY = 60  # words, of which no label need be read as another dot's, or keep off the line: there is no room


def word_map(
    axes: Axes,
    points: Array,
    words: Iterable[str],
    *,
    colours: Any = None,
    rings: Any = None,
    to: Any = None,
    in_order: bool = False,
    width: float = 1.1,
    **labels: str,
) -> WordMap:
    """Draw words as labelled dots into `axes`; return the WordMap, whose `set_data` shows others.

    >>> from pe_helpers.figures import plots
    >>> figure, axes = plots.new_figure(3, 3)
    >>> words = word_map(axes, [[0, 0], [0.5, 1]], ["king", "queen"], title="Two words")
    >>> axes.get_title()
    'Two words'

    points: (words, 2). The axes get equal units from -1.1 to 1.1 and no ticks: scale the points to fit,
        because only their arrangement counts.
    width: how far the axes reach to both sides, where that is not 1.1.
    colours: of the dots, one for each word, as matplotlib takes them; None means blue.
    rings: (words,), of which words the dot is a ring: what a colour says is seen without it, and of two that
        lie on each other both are; None means of none.
    to: (words,), the number of the word to which a line leads from each, as to its nearest, with a head
        where it is long enough, and bent where another dot is in its way; None means none.
    in_order: whether the words are numbered from 0; of the lines to others those to a neighbour, of which the
        number is one more or less, are bold; where `to` is None, a faint line leads from each to the next.
    labels: `title`, `x_label`, `y_label`.
    Raises ValueError unless there are one point, one colour and one of `rings` and of `to` for each word,
    and for points that are not finite.
    """
    warnings.filterwarnings("ignore", "Glyph .* missing")  # a letter that the font lacks is drawn as a box
    axes.set(xlim=(-width, width), ylim=(-1.1, 1.1), xticks=[], yticks=[], aspect="equal", adjustable="box")
    axes.spines[:].set(visible=True, color="#bbbbbb")
    return axes.add_artist(WordMap(axes, points, words, colours, rings, to, in_order, **_label(axes, labels)))


class WordMap(Artist):
    """Dots and their labels; `word_map` makes one. A label without a free place near its dot is not drawn.

    Each label has the ground of the axes behind it, through which a line between dots is faintly seen: it
    neither strikes the letters out nor seems to end there. A dotted line leads from a dot to a label that
    stands away from it.

    >>> from pe_helpers.figures import plots
    >>> figure, axes = plots.new_figure(3, 3)
    >>> words = word_map(axes, [[0, 0]], ["king"])
    >>> words.set_data([[5, 5], [0, 0]], ["outside", "inside"])
    >>> words.hidden()
    ['outside']
    """

    zorder = 4

    def __init__(
        self,
        axes: Axes,
        points: Array,
        words: Iterable[str],
        colours: Any,
        rings: Any = None,
        to: Any = None,
        in_order: bool = False,
    ) -> None:
        super().__init__()
        self._ground = axes.get_facecolor()
        self._dots = axes.scatter([], [], s=SIZE**2, zorder=3)
        look = {"fill": False, "zorder": 1, "capstyle": "round", "joinstyle": "round"}
        self._lines = [
            axes.add_patch(PathPatch(_strokes([], []), linewidth=width, **look)) for width in LINKS.values()
        ]
        self._in_order = in_order
        # for which axes and words, and where their labels are, by the dots and those before them
        self._placed: tuple[Any, dict[bytes, tuple[list[Any], Array]]] = None, {}
        self.set_data(points, words, colours, rings, to)

    def set_data(
        self,
        points: Array,
        words: Iterable[str],
        colours: Any = None,
        rings: Any = None,
        to: Any = None,
        *,
        way: Iterable[Array] = (),
    ) -> None:
        """Show other words at other points, (words, 2); None means blue, no rings, and no lines but in order.

        way: where the points were before, each (words, 2), in order: a label keeps the side of its dot that
            it had there, where it can. So labels seldom jump while a control moves the points, and after the
            same way the same points look the same, whatever was drawn before.
        """
        words = strings("words", words)
        points = _points("points", points, len(words))
        faces = to_rgba_array([BLUE] * len(words) if colours is None else colours)  # (words, 4)
        if len(faces) != len(words):
            raise ValueError(f"colours must be one for each of {len(words)} words; got {colours!r}")
        is_ring = np.zeros(len(words), bool) if rings is None else np.asarray(rings)
        if is_ring.shape != (len(words),) or is_ring.dtype != bool:
            raise ValueError(f"rings must be one bool for each of {len(words)} words; got {rings!r}")
        self._ends = _ends(to, len(words), self._in_order)
        self._points = points
        self._way = [_points("way", before, len(words)) for before in way]
        self._words = [f"{n} {word}" for n, word in enumerate(words)] if self._in_order else words
        self._dots.set_offsets(points)
        edges = np.where(is_ring[:, None], faces, to_rgba(self._ground))  # (words, 4)
        faces[is_ring, 3] = 0
        self._dots.set(facecolor=faces, edgecolor=edges, linewidth=np.where(is_ring, RING, EDGE))
        curves = _curves(points, self._ends) if to is not None else points[self._ends[[0, 0, 1]].T]
        is_beside = (abs(np.diff(self._ends, axis=0)[0]) == 1) & self._in_order & (to is not None)  # (lines,)
        for lines, colour, chosen in zip(self._lines, LINKS, (~is_beside, is_beside), strict=True):
            heads = _heads(curves[chosen]) if to is not None else []
            lines.set(path=_strokes(curves[chosen], heads), edgecolor=LINE if to is None else colour)
        self.stale = True

    def hidden(self) -> list[str]:
        """Return the words whose labels find no place, with the axes as they are now."""
        return [word for word, place in zip(self._words, self._places(), strict=True) if place is None]

    @allow_rasterization
    def draw(self, renderer: RendererBase) -> None:
        """Draw the dotted lines, the ground of the labels and these; matplotlib calls this."""
        dots, pen = self.axes.transData.transform(self._points), renderer.new_gc()
        pixels = {"figure": self.figure, "transform": IdentityTransform()}
        seen = [(n, place) for n, place in enumerate(self._places()) if place is not None]
        for n, (*box, _, is_away) in seen:
            if is_away:
                near = np.clip(dots[n], box[:2], box[2:])
                Line2D(*zip(dots[n], near, strict=True), **LEADER, **pixels).draw(renderer)
        if seen:
            pen.set_linewidth(0)
            ground = to_rgba(self._ground, BEHIND)
            renderer.draw_path(pen, _rectangles([box[:4] for _, box in seen]), IdentityTransform(), ground)
        for n, (left, bottom, *_, descent, _) in seen:
            base = renderer.height - bottom - descent if renderer.flipy() else bottom + descent
            renderer.draw_text(pen, left, base, self._words[n], FONT, 0, ismath=False)
        pen.restore()
        self.stale = False

    def _places(self) -> list[Any]:
        """For each word its label's (left, bottom, right, top, descent, is away) in pixels, or None.

        That is the best of PLACES where the label is inside the axes and over no dot and no label: near its
        dot, at no other that is about as near, off the line; or else at the end of a thin line that touches
        no other dot and no label. A side that a label had on the way to these points is preferred. The words
        come in alphabetical order, and where that leaves one unclear, in the reverse, too, and the better
        stands: their order in the data changes nothing but the line that joins the dots.
        """
        given = tuple(self.axes.bbox.extents), self.figure.dpi, self._words
        if self._placed[0] != given or len(self._placed[1]) > REMEMBERED:
            self._placed = given, {}
        found = [None] * len(self._points), np.full(len(self._points), -1)
        path = self._ends.tobytes()
        for points in [*self._way, self._points]:
            dots = self.axes.transData.transform(points)  # (words, 2)
            path += dots.tobytes()
            if path not in self._placed[1]:
                self._placed[1][path] = self._best(dots, found[1])
            found = self._placed[1][path]
        return found[0]

    def _best(self, dots: Array, before: Array) -> tuple[list[Any], Array]:
        """`_places` of dots in pixels, (words, 2), and the number of each side, or -1; before: such."""
        frame, scale = np.array(self.axes.bbox.extents), self.figure.dpi / 72  # (4,)
        sizes = scale * np.array([_extent(word) for word in self._words]).reshape(-1, 3)
        half = sizes[:, None, :2] / 2  # (words, 1, 2)
        middle = dots[:, None] + PLACES[:, :2] * (half + scale * (GAPS + PLACES[:, 2:]))  # (words, 40, 2)
        boxes = np.round(np.concatenate([middle - half, middle + half], axis=2))  # (words, 40, 4)
        inside: Array = ((boxes[..., :2] >= frame[:2]) & (boxes[..., 2:] <= frame[2:])).all(axis=2)
        cost = np.zeros((len(dots), 1)) + 4 * PLACES[:, 2] / AWAY[1]  # (words, 40)
        if len(dots) <= MANY:
            cost += UNCLEAR * _rivals(middle, half, dots, scale)
            is_other = np.arange(len(PLACES)) % len(DIRECTIONS) != before[:, None]  # (words, 40)
            cost += MOVED * (is_other & (before[:, None] >= 0))
            start, end = dots[self._ends]  # (lines, 2) each
            cost += _crossed(middle, half, start, end - start).any(axis=2)
        alphabetical = sorted(range(len(dots)), key=lambda n: (self._words[n], *dots[n]))
        best: list[Any] = []
        least = np.inf
        for order in (alphabetical, alphabetical[::-1]):
            found, total = _placed(order, dots, sizes, middle, boxes, np.where(inside, cost, np.inf), scale)
            best, least = (found, total) if total < least else (best, least)
            if least < UNCLEAR or len(dots) > MANY:
                break
        sides = [-1 if place is None else place[-1] % len(DIRECTIONS) for place in best]
        return [place and place[:-1] for place in best], np.array(sides, int)


def _points(name: str, value: Array, n: int) -> Array:
    """A copy of `value` as (n, 2), or an error that names it."""
    allowed = f"an array of shape ({n}, 2), a point for each word"
    points = float_array(name, value, 2, allowed)
    if points.shape != (n, 2):
        raise ValueError(f"{name} must be {allowed}; got shape {points.shape}")
    return points


def _ends(to: Any, n: int, in_order: bool) -> Array:
    """Where the lines between n words begin and end, (2, lines), or an error that names `to`."""
    if to is None:
        return np.stack([np.arange(n - 1), np.arange(1, n)])[:, : None if in_order else 0]
    ends = np.asarray(to)
    ends = ends if ends.size else ends.astype(int)
    if ends.shape != (n,) or ends.dtype.kind not in "iu" or not np.isin(ends, range(n)).all():
        raise ValueError(f"to must be the number of a word for each of {n} words; got {to!r}")
    return np.stack([np.arange(n), ends])


def _curves(points: Array, ends: Array) -> Array:
    """The start, control point and end of a quadratic curve for each line, (lines, 3, 2).

    It is the least bent of BENDS that keeps CLEAR of the other dots, or else the one farthest from them;
    those that lie at one of its ends are in no curve's way. Two lines between the same dots are one curve.
    """
    low, high = np.sort(ends, axis=0)
    start, end = points[low], points[high]  # (lines, 2)
    along = end - start
    lengths = np.hypot(*along.T)  # (lines,)
    across = along[:, ::-1] * (-1, 1) / np.maximum(lengths, 1e-9)[:, None]
    t = np.linspace(0, 1, 17)[:, None]
    straight = start[:, None] + t * along[:, None]  # (lines, 17, 2)
    bent = 4 * t * (1 - t) * across[:, None]
    bends = BENDS if len(points) <= MANY else BENDS[:1]
    curves = straight + bends[:, None, None, None] * bent  # (bends, lines, 17, 2)
    gaps = np.hypot(*np.moveaxis(curves[..., None, :] - points, -1, 0)).min(axis=2)  # (bends, lines, dots)
    at_end = [np.hypot(*np.moveaxis(points - one[:, None], -1, 0)) < CLEAR for one in (start, end)]
    room = np.where(at_end[0] | at_end[1], np.inf, gaps).min(axis=2)  # (bends, lines)
    room[abs(bends)[:, None] > lengths / 3] = -1
    bend = bends[np.minimum(room, CLEAR).argmax(axis=0)]  # (lines,)
    control = (start + end) / 2 + 2 * bend[:, None] * across
    return np.stack([points[ends[0]], control, points[ends[1]]], axis=1)


def _heads(curves: Array) -> Array:
    """Two strokes that meet before the end of each line that has room for them, (heads, 3, 2)."""
    lengths = np.hypot(*(curves[:, 2] - curves[:, 0]).T)[:, None]  # (lines, 1)
    size = np.minimum((lengths - 2 * TIP) / (2 * HEAD), 1)  # (lines, 1): two heads fit
    is_long = size[:, 0] > LEAST
    size, (control, ends) = size[is_long], np.moveaxis(curves[is_long, 1:], 1, 0)
    unit = (ends - control) / np.hypot(*(ends - control).T)[:, None]
    tips, across = ends - TIP * unit, unit[:, ::-1] * (-1, 1)
    sides = [tips + size * (side * across - HEAD * unit) for side in (-SIDES, SIDES)]
    return np.stack([sides[0], tips, sides[1]], axis=1)


def _strokes(curves: Any, heads: Any) -> Path:
    """A path of quadratic curves, (lines, 3, 2), and of heads, (heads, 3, 2)."""
    curve, head = ([Path.MOVETO, code, code] for code in (Path.CURVE3, Path.LINETO))
    points = np.concatenate([np.reshape(part, (-1, 2)) for part in (curves, heads)])
    return Path(points, curve * len(curves) + head * len(heads))


def _placed(
    order: list[int], dots: Array, sizes: Array, middle: Array, boxes: Array, cost: Array, scale: float
) -> tuple[list[Any], float]:
    """Where labels stand that choose in this order, as `_places` has them, and what that costs together.

    sizes: (words, 3), with the descent; middle: as below; boxes: of the labels, (words, places, 4);
    cost: of each place as if it were alone, (words, places), infinite outside the axes.
    """
    has_line, half = PLACES[:, 2] > 0, sizes[:, None, :2] / 2  # (40,), (words, 1, 2)
    apart = scale * np.concatenate([-APART, APART])
    radius = scale * SIZE / 2
    taken = np.concatenate([dots - radius, dots + radius], axis=1)  # (dots + labels, 4)
    found: list[Any] = [None] * len(dots)
    labels: list[Any] = []  # the middle and half the size of those with a place
    leaders: list[Any] = []  # the start and the extent of the thin lines
    total = 0.0
    for n in order:
        crossing = (boxes[n, :, None, :2] < taken[:, 2:]) & (boxes[n, :, None, 2:] > taken[:, :2])
        own = np.where(np.any(crossing.all(axis=2), axis=1), np.inf, cost[n])  # (40,)
        if np.isinf(own).all():
            total += HIDDEN
            continue
        if leaders:
            starts, along = np.swapaxes(leaders, 0, 1)  # (lines, 2)
            own += UNCLEAR * _crossed(middle[n], half[n], starts, along).any(axis=1)
        best = own.argmin()
        if has_line[best]:  # what only lines cost counts now: seldom is there one
            along = np.clip(dots[n], middle[n] - half[n], middle[n] + half[n]) - dots[n]  # (40, 2)
            touched = _touched(along, dots - dots[n], scale * (SIZE / 2 + 1))
            if labels:
                at, reach = np.swapaxes(labels, 0, 1)  # (labels, 2)
                touched += _crossed(at, reach, dots[n], along).any(axis=0)
            own += UNCLEAR * touched * has_line
            best = own.argmin()
            if has_line[best]:
                leaders.append((dots[n], along[best]))
        labels.append((middle[n, best], half[n, 0]))
        taken = np.concatenate([taken, boxes[n, best, None] + apart])
        found[n] = (*boxes[n, best], sizes[n, 2], has_line[best], best)
        total += own[best]
    return found, total


def _rivals(middle: Array, half: Array, dots: Array, scale: float) -> Array:
    """Of how many other dots a label might be thought to be, (words, places).

    They are about as near to it as its own; a label with a thin line has those where an owner would be.
    middle: of the labels, (words, places, 2); half: of their widths and heights, (words, 1, 2); scale: pixels
    of a point.
    """
    away = abs(middle[:, :, None] - dots) - half[:, :, None]  # (words, places, dots, 2)
    distances = np.hypot(*np.moveaxis(np.maximum(away, 0), 3, 0))  # (words, places, dots)
    own = np.diagonal(distances, axis1=0, axis2=2).T  # (words, places)
    limit = np.where(PLACES[:, 2] > 0, 2 * GAP * scale, OWNER * own)
    return (distances < limit[..., None]).sum(axis=2) - (own < limit)


def _touched(along: Array, to: Array, radius: float) -> Array:
    """To how many dots each line comes, within the radius, (lines,).

    They start at 0 and go `along`, (lines, 2). to: the dots, (dots, 2). One near the start counts for those
    lines alone that come nearer to it.
    """
    share = np.clip(along @ to.T / (along**2).sum(axis=1, keepdims=True), 0, 1)  # of a line, (lines, dots)
    gaps = np.hypot(*np.moveaxis(to - share[..., None] * along[:, None], 2, 0))  # (lines, dots)
    return ((gaps < radius) & (gaps < 0.9 * np.hypot(*to.T))).sum(axis=1)


def _crossed(middle: Array, half: Array, starts: Array, along: Array) -> Array:
    """Whether labels lie on lines, (…, lines): these begin at `starts` and go `along`, both (lines, 2).

    middle, half: of the labels, (…, 2), as above.
    """
    away = middle[..., None, :] - (starts + along / 2)  # (…, lines, 2)
    half = half[..., None, :]
    across = along[:, ::-1] * (-1, 1)  # (lines, 2)
    is_near = (abs(away) < half + abs(along) / 2).all(axis=-1)
    return is_near & (abs((away * across).sum(axis=-1)) < (half * abs(across)).sum(axis=-1))


def _rectangles(boxes: list[Any]) -> Path:
    """A path of rectangles, each (left, bottom, right, top)."""
    corners = np.array(boxes)[:, [0, 1, 2, 1, 2, 3, 0, 3, 0, 1]].reshape(-1, 2)
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(corners, codes * len(boxes))


@lru_cache(maxsize=4096)
def _extent(word: str) -> tuple[float, float, float]:
    """(width, height, descent) of a word, in points."""
    return text_to_path.get_text_width_height_descent(word, FONT, False)
