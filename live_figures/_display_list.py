"""Display lists: what an artist draws, as bytes. Paths, glyphs and cells of a matrix in a page's own form.

The bytes of a display list are the length of its header (4 bytes, little-endian), the header (JSON) and a
body of numbers; header and each array of the body are padded to a multiple of four bytes. The header is
`[digests of its resources, operations]`; `page.js` draws the operations.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.image import PcolorImage
from matplotlib.path import Path
from matplotlib.textpath import text_to_path


class DisplayList(NamedTuple):
    """What one artist draws.

    digest: of the data; equal drawings have equal ones. resources: glyphs and colour tables that it uses,
    display lists themselves, which many others share.
    """

    digest: str
    data: bytes
    resources: tuple[DisplayList, ...] = ()

    @classmethod
    def of(
        cls, operations: list, arrays: Iterable[np.ndarray], resources: tuple[DisplayList, ...] = ()
    ) -> DisplayList:
        """The display list of these operations, whose numbers are those of the arrays in order."""
        digests = [resource.digest for resource in resources]
        header = json.dumps([digests, operations], separators=(",", ":")).encode()
        chunks = [_padded(header, b" ")] + [_padded(array.tobytes(), b"\0") for array in arrays]
        data = len(chunks[0]).to_bytes(4, "little") + b"".join(chunks)
        return cls(hashlib.blake2b(data, digest_size=6).hexdigest(), data, resources)


def _padded(data: bytes, filler: bytes) -> bytes:
    return data + filler * (-len(data) % 4)


def css_colour(colour: Any) -> str | None:
    """#rrggbbaa, None for what cannot be seen."""
    channels = [round(255 * channel) for channel in colour] if colour is not None else [0] * 4
    return "#" + bytes([*channels, 255][:4]).hex() if channels[3:] != [0] else None


def point_arrays(path: Any) -> tuple[np.ndarray, np.ndarray]:
    """(x and y of each point, matplotlib's code of each, or no codes where the path is one broken line)."""
    end = len(path.codes) - (path.codes[-1:] == Path.STOP).sum()
    points, codes = path.vertices[:end].astype("<f4"), path.codes[:end].astype(np.uint8)
    is_broken_line = (codes[:1] == Path.MOVETO).all() and (codes[1:] == Path.LINETO).all()
    return points, codes[:0] if is_broken_line else codes


def outlines(paths: Any, transforms: Any, master: np.ndarray) -> tuple[np.ndarray, ...] | None:
    """The paths of a collection, y down: how many points each has, the points, their codes, and matrices.

    Where there are matrices (a, b, c, d, x, y), they make a shape each of the one path; else the points are
    in pixels. None for a collection of another kind.
    """
    if len({path.codes is None for path in paths}) != 1 or (len(transforms) > 1 and len(paths) > 1):
        return None
    lengths = np.array([len(path.vertices) for path in paths], "<u4")
    points = np.concatenate([path.vertices for path in paths])
    codes = np.concatenate([np.zeros(0) if path.codes is None else path.codes for path in paths])
    each = np.reshape(transforms, (-1, 3, 3)) if len(transforms) else np.eye(3)
    whole = np.diag([1, -1, 1]) @ master @ each
    matrices = whole.reshape(-1, 3, 3)[:, :2].transpose(0, 2, 1).reshape(-1, 6)
    if len(matrices) == 1:
        points, matrices = points @ matrices[0, :4].reshape(2, 2) + matrices[0, 4:], matrices[:0]
    if not (np.isfinite(points).all() and np.isfinite(matrices).all()):
        return None
    return lengths, points.astype("<f4"), codes.astype(np.uint8), matrices.astype("<f4")


def is_even(edges: np.ndarray) -> bool:
    """Whether these numbers have equal steps."""
    steps = np.diff(edges)
    return bool(np.allclose(steps, steps[0]) and steps[0])


def cell_box(image: Any) -> tuple[float, float, float, float] | None:
    """(left, right, bottom, top) of a matrix in pixels; None for an image that is smoothed or turned."""
    if isinstance(image, PcolorImage):
        if not (is_even(image._Ax) and is_even(image._Ay)):
            return None
        left, bottom, right, top = np.floor(np.array(image.axes.bbox.extents) + 0.5)
        view = image.axes.viewLim
        x = left + (image._Ax[[0, -1]] - view.x0) / (view.x1 - view.x0) * (right - left)
        y = bottom + (image._Ay[[0, -1]] - view.y0) / (view.y1 - view.y0) * (top - bottom)
        return x[0], x[1], y[0], y[1]
    transform = image.get_transform()
    if not transform.is_affine or transform.get_matrix()[[0, 1], [1, 0]].any():
        return None
    left, right, bottom, top = image.get_extent()
    (left, bottom), (right, top) = transform.transform([(left, bottom), (right, top)]).tolist()
    rows, columns = image.get_array().shape[:2]
    is_large = abs(right - left) > 3 * columns and abs(top - bottom) > 3 * rows
    smooth = image.get_interpolation() not in ("nearest", "none")
    if smooth and not (image.get_interpolation() in ("auto", "antialiased") and is_large):
        return None
    return left, right, bottom, top


def frame_of_curve(line: Any, height: float) -> tuple[list[list[float]], list[list[float]], bool, list[str]]:
    """(box of the axes in pixels; limits of x and y; whether x is logarithmic; what x and y are called).

    The box is [left, right] and [bottom, top]. Of a logarithmic axis the limits are logarithms, to base 10.
    """
    axes = line.axes
    left, bottom, right, top = axes.bbox.extents
    is_logarithmic = axes.get_xscale() == "log"
    x = np.log10(axes.get_xlim()) if is_logarithmic else np.array(axes.get_xlim())
    box = np.round([[left, right], [height - bottom, height - top]], 2)
    names = [axes.get_xlabel() or "x", axes.get_ylabel() or "y"]
    return box.tolist(), [x.tolist(), np.array(axes.get_ylim()).tolist()], is_logarithmic, names


def is_indexable(colours: Any, share: Any) -> bool:
    """Whether one byte a cell, its index in a colour table, gives every colour.

    It does not where cells are masked, or where values beyond an end of the table have a colour of their own.
    """
    ends = np.array_equal([colours.get_under(), colours.get_over()], colours([0.0, 1.0]))
    values = np.ma.getdata(share)
    is_number = values.dtype.kind == "f" and np.isfinite(values).all()
    return bool(ends and is_number and colours.N >= 64 and not np.ma.getmaskarray(share).any())


@lru_cache(maxsize=4096)
def text_extent(text: str, font: Any, ismath: Any, dpi: float) -> tuple[float, float, float]:
    """Width, height and descent of a text in pixels, as matplotlib's own picture has it."""
    return RendererAgg(1, 1, dpi).get_text_width_height_descent(text, font, ismath)


@lru_cache(maxsize=2048)
def glyphs_of(
    text: str, font: Any, is_mathematics: bool
) -> tuple[list[tuple[DisplayList, float, float, float]], float]:
    """([(outline, x, y, size) of each glyph], the width of the text), in units of text_to_path."""
    if is_mathematics:
        places, outlines, bars = text_to_path.get_glyphs_mathtext(font, text)
    else:
        places, outlines, bars = text_to_path.get_glyphs_with_font(text_to_path._get_font(font), text)
    glyphs = [(_glyph(*outlines[name]), x, y, size) for name, x, y, size in places]
    glyphs += [(_glyph(*bar), 0.0, 0.0, 1.0) for bar in bars]  # of fractions and roots
    scale = text_to_path.FONT_SCALE / font.get_size_in_points()
    width = text_to_path.get_text_width_height_descent(text, font, is_mathematics)[0]
    return glyphs, width * scale


def _glyph(points: Any, codes: Any) -> DisplayList:
    """The outline of a glyph, in 1/64 of text_to_path's units."""
    points = np.round(np.asarray(points, float).reshape(-1, 2) * 64).astype("<i2")
    return DisplayList.of([["glyph", len(points)]], [points, np.array(codes, np.uint8)])
