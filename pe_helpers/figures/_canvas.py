"""A figure that is drawn again and again: only what changed is drawn, over a background that is kept."""

import math
import struct
import zlib
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.spines import Spine
from PIL import Image


class Canvas:
    """The pixels of a matplotlib figure, brought up to date with as little drawing as possible.

    matplotlib marks an artist as stale when it changes. An artist inside a set of axes that becomes stale
    (an image, a curve, a text) is from then on left out of the background and drawn over it, together with
    all that lies above it in the same axes. When an axis, a patch, the order of the artists or anything
    outside the axes changes, the background is drawn anew. Where drawing over it could hide something
    else (axes that overlap, artists of the figure itself), everything is. The picture is the one that a
    full draw gives, pixel by pixel. Changes that matplotlib does not notice, such as a new value assigned
    to `annotation.xy`, show after `figure.patch.stale = True`.

    The layout is computed once, at the start: margins that move with a slider are hard to watch.
    """

    @classmethod
    def of(cls, figure):
        """The canvas of this figure: two of them would take each other's stale marks away."""
        if not hasattr(figure, "_live_canvas"):
            figure._live_canvas = cls(figure)
        return figure._live_canvas

    def __init__(self, figure):
        self.figure = figure
        self._agg = FigureCanvasAgg(figure)
        self._movers = set()  # the artists that were seen to change
        self._overlay = []  # they and what lies above them, in drawing order
        self._background = None
        self._order = None  # what `_drawing_order` was when the background was drawn
        self._is_crowded = False
        self._agg.draw()
        figure.set_layout_engine("none")
        self._mark_clean()

    def png(self):
        """The figure as it is now, as the bytes of a PNG."""
        self._draw()
        return _png(np.asarray(self._agg.buffer_rgba()))

    def _draw(self):
        movers, background_changed = self._look()
        order = self._drawing_order()
        known = self._background is not None and order == self._order and movers <= self._movers
        if known and not background_changed and not (movers and self._is_crowded):
            self._agg.restore_region(self._background)
        else:
            self._order = order
            self._movers |= movers
            self._choose_overlay()
            self._draw_background()
        for artist in self._overlay:
            artist.draw(self._agg.get_renderer())
        self._mark_clean()

    def _draw_background(self):
        try:
            for artist in self._overlay:
                artist.set_animated(True)  # matplotlib's word for "leave it out"
            self._agg.draw()
        finally:
            for artist in self._overlay:
                artist.set_animated(False)
        self._background = self._agg.copy_from_bbox(self.figure.bbox)

    def _look(self):
        """(the artists inside axes that are stale, whether anything else is)."""
        movers, others = set(), False
        for child in self.figure.get_children():
            others |= child.stale and not isinstance(child, Axes)
        for axes in self.figure.axes:
            _ = axes.viewLim  # a pending autoscale takes place now, not while drawing
            stale = {child for child in axes.get_children() if any(part.stale for part in _parts(child))}
            fixed = {child for child in stale if isinstance(child, Axis) or child is axes.patch}
            others |= bool(fixed) or (axes.stale and not stale)
            movers |= stale - fixed
        return movers, others

    def _drawing_order(self):
        """All that decides which artists are drawn and in which order; compared from frame to frame."""
        frames = [
            (axes, axes.get_zorder(), axes.get_visible(), axes.axison, axes.get_frame_on(), axes.bbox.bounds)
            for axes in self.figure.axes
        ]
        artists = [(child, child.get_zorder()) for axes in self.figure.axes for child in axes.get_children()]
        return self.figure.bbox.bounds, frames, artists, len(self.figure.get_children())

    def _choose_overlay(self):
        self._overlay = []
        self._is_crowded = _something_overlaps(self.figure)
        if self._is_crowded:
            return  # all is background, drawn anew whenever something moves
        for axes in self.figure.axes:
            children = [child for child in axes.get_children() if axes.get_visible()]
            movers = self._movers.intersection(children)
            lowest = min((child.get_zorder() for child in movers), default=math.inf)
            above = [child for child in children if child in movers or _is_above(lowest, child, axes)]
            self._overlay += sorted(above, key=lambda child: child.get_zorder())

    def _mark_clean(self):
        for artist in self.figure.get_children():
            artist.stale = False
        for axes in self.figure.axes:
            for child in axes.get_children():
                for part in _parts(child):
                    part.stale = False


def _parts(artist):
    """The artist and, where it is a legend or another group, what it consists of."""
    return [artist, artist.label] if isinstance(artist, Axis) else artist.findobj()


def _something_overlaps(figure):
    """Whether axes lie over each other, artists of the figure lie over axes, or a title may have to move."""
    boxes = [axes.bbox for axes in figure.axes]
    crossing = any(
        min(one.x1, other.x1) > max(one.x0, other.x0) and min(one.y1, other.y1) > max(one.y0, other.y0)
        for one, other in combinations(boxes, 2)
    )
    headline = bool(figure.get_suptitle())
    loose = len(figure.get_children()) > len(boxes) + 1 + headline  # 1: the patch
    ticks_on_top = any(axes.xaxis.get_ticks_position() != "bottom" for axes in figure.axes if axes.axison)
    return crossing or loose or ticks_on_top


def _is_above(height, child, axes):
    """Whether a full draw would draw this child of the axes over the lowest that moves, `height`."""
    if child in (axes.patch, axes.title) or child.get_zorder() < height:
        return False
    if isinstance(child, Spine):
        return axes.axison and axes.get_frame_on()
    if isinstance(child, Axis):  # only grid lines and inward ticks lie over the artists
        ticks = child.get_major_ticks()
        inward = any(tick.get_tickdir() != "out" for tick in ticks[:1])
        return axes.axison and (inward or any(line.get_visible() for line in child.get_gridlines()))
    return True


def _png(pixels):
    """The bytes of a PNG of (height, width, 4) uint8 pixels, without their alpha.

    Each row is stored as its difference from the row above ("up", filter 2 in section 9 of the PNG
    specification, https://www.w3.org/TR/png-3/) and compressed at zlib's fastest level: for plots about
    a third of the time of Pillow's encoder at that level, and no larger.
    """
    height, width, _ = pixels.shape
    image = Image.frombuffer("RGBX", (width, height), pixels, "raw", "RGBX", 0, 1)
    rows = np.frombuffer(image.tobytes("raw", "RGB"), np.uint8).reshape(height, -1)
    filtered = np.empty((height, 1 + 3 * width), np.uint8)
    filtered[:, 0] = 2
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])

    def chunk(kind, data):
        checksum = zlib.crc32(data, zlib.crc32(kind))
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, red green blue
    body = zlib.compress(filtered.tobytes(), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
