"""A figure that is drawn again and again: only what changed is drawn, over a background that is kept."""

import struct
import zlib

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.spines import Spine


class Canvas:
    """The pixels of a matplotlib figure, brought up to date with as little drawing as possible.

    matplotlib marks an artist as stale when it changes. An artist inside a set of axes that becomes stale
    (an image, a curve, a text) is from then on left out of the background and drawn over it, together with
    all that lies above it in the same axes. When an axis, a patch or anything outside the axes becomes
    stale, the background is drawn anew. The picture is the one that a full draw gives, pixel by pixel.

    The layout is computed once, at the start: margins that move with a slider are hard to watch.
    """

    def __init__(self, figure):
        self.figure = figure
        self._agg = FigureCanvasAgg(figure)
        self._movers = set()  # the artists that were seen to change
        self._overlay = []  # they and what lies above them, in drawing order
        self._background = None
        self._agg.draw()
        figure.set_layout_engine("none")
        self._mark_clean()

    def png(self):
        """The figure as it is now, as the bytes of a PNG."""
        self._draw()
        return _png(np.asarray(self._agg.buffer_rgba()))

    def _draw(self):
        present, movers, background_changed = self._look()
        if not (movers <= self._movers and present.issuperset(self._overlay)):
            self._movers = (self._movers | movers) & present
            self._choose_overlay()
            background_changed = True
        if background_changed or self._background is None:
            self._draw_background()
        else:
            self._agg.restore_region(self._background)
        for artist in self._overlay:
            artist.draw(self._agg.get_renderer())
        self._mark_clean()

    def _draw_background(self):
        for artist in self._overlay:
            artist.set_animated(True)  # matplotlib's word for "leave it out"
        self._agg.draw()
        self._background = self._agg.copy_from_bbox(self.figure.bbox)
        for artist in self._overlay:
            artist.set_animated(False)

    def _look(self):
        """(all artists inside axes, those of them that are stale, whether anything else is)."""
        present, movers, others = set(), set(), False
        for child in self.figure.get_children():
            others |= child.stale and not isinstance(child, Axes)
        for axes in self.figure.axes:
            _ = axes.viewLim  # a pending autoscale takes place now, not while drawing
            children = axes.get_children()
            stale = {child for child in children if any(part.stale for part in _parts(child))}
            fixed = {child for child in stale if isinstance(child, Axis) or child is axes.patch}
            others |= bool(fixed) or (axes.stale and not stale)
            movers |= stale - fixed
            present.update(children)
        return present, movers, others

    def _choose_overlay(self):
        self._overlay = []
        for axes in sorted(self.figure.axes, key=Axes.get_zorder):
            children = axes.get_children()
            heights = [child.get_zorder() for child in children if child in self._movers]
            self._overlay += sorted(
                (
                    child
                    for child in children
                    if child in self._movers or (heights and _is_above(min(heights), child, axes))
                ),
                key=lambda child: child.get_zorder(),
            )

    def _mark_clean(self):
        for artist in self.figure.get_children():
            artist.stale = False
        for axes in self.figure.axes:
            for child in axes.get_children():
                for part in _parts(child):
                    part.stale = False


def _parts(artist):
    """The artist and, where it is a legend or another group, what it consists of; an axis counts as one."""
    return [artist] if isinstance(artist, Axis) else artist.findobj()


def _is_above(height, child, axes):
    """Whether a full draw would draw this child of the axes over the lowest that moves, `height`."""
    if child in (axes.patch, axes.title) or child.get_zorder() < height:
        return False
    if isinstance(child, Spine):
        return axes.axison and axes.get_frame_on()
    if isinstance(child, Axis):  # its ticks and labels lie outside; only grid lines lie over the artists
        return axes.axison and any(line.get_visible() for line in child.get_gridlines())
    return True


def _png(pixels):
    """The bytes of a PNG of (height, width, 4) uint8 pixels, without their alpha.

    Each row is stored as its difference from the row above ("up", filter 2 in section 9 of the PNG
    specification, https://www.w3.org/TR/png-3/) and compressed at zlib's fastest level: for plots about
    half the time of Pillow's encoder at that level, and no larger.
    """
    height, width, _ = pixels.shape
    rows = np.ascontiguousarray(pixels[..., :3]).reshape(height, -1)
    filtered = np.empty((height, 1 + 3 * width), np.uint8)
    filtered[:, 0] = 2
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])

    def chunk(kind, data):
        checksum = zlib.crc32(data, zlib.crc32(kind))
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, red green blue
    body = zlib.compress(filtered, 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
