"""A renderer of matplotlib that records what artists draw, as display lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.image import AxesImage, PcolorImage
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from ._display_list import (
    DisplayList,
    cell_box,
    css_colour,
    frame_of_curve,
    glyphs_of,
    is_even,
    is_indexable,
    outlines,
    point_arrays,
    text_extent,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist

MANY = 200  # items of a collection
CAPS = {"butt": "butt", "projecting": "square", "round": "round"}


class Recorder(RendererBase):
    """A renderer that appends operations to a display list instead of painting pixels.

    width, height: of the figure in pixels; dpi: dots an inch. An artist that no operation can say is drawn
    by matplotlib and becomes an image.
    """

    def __init__(self, width: float, height: float, dpi: float) -> None:
        super().__init__()
        self.width, self.height, self.dpi = width, height, dpi
        self._down = Affine2D().scale(1, -1).translate(0, height)  # in a page y begins at the top
        self._clear()

    def _clear(self) -> None:
        self._operations: list = []
        self._arrays: list[np.ndarray] = []
        self._resources: dict[DisplayList, int] = {}
        self._state: dict[str, Any] = {}

    def flush(self) -> list[DisplayList]:
        """What was recorded since the last call: one display list or none."""
        operations, arrays, resources = self._operations, self._arrays, tuple(self._resources)
        self._clear()
        return [DisplayList.of(operations, arrays, resources)] if operations else []

    def record(self, artist: Artist) -> list[DisplayList]:
        """What this artist draws: one display list or none."""
        try:
            if getattr(artist, "_is_drawn_first", False):
                self._append("curve", *frame_of_curve(artist, self.height))
            if not (isinstance(artist, AxesImage) and self._record_cells(artist)):
                type(artist).draw(artist, self)
        except (NotImplementedError, AttributeError):  # it needs what only matplotlib's own renderer has
            self._clear()
            self._record_raster(artist)
        return self.flush()

    # What matplotlib calls

    def points_to_pixels(self, points: Any) -> Any:
        return points * self.dpi / 72

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self.width, self.height

    def flipy(self) -> bool:
        return True

    def option_image_nocomposite(self) -> bool:
        return True

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
        return text_extent(s, prop, ismath, self.dpi)

    def start_filter(self) -> None:
        raise NotImplementedError

    def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
        clip = (0, 0, self.width, self.height) if rgbFace is None else None
        self._set_style(gc, rgbFace)
        self._append("path", *self._outline(gc, path, transform + self._down, clip))

    def draw_markers(
        self, gc: Any, marker_path: Any, marker_trans: Any, path: Any, trans: Any, rgbFace: Any = None
    ) -> None:
        places, _ = point_arrays(path.cleaned(trans + self._down, remove_nans=True))
        places = np.floor(places[(abs(places) < 2**23).all(axis=1)] + 0.5)  # whole pixels, as in matplotlib
        self._set_style(gc, rgbFace)
        down = marker_trans + Affine2D().scale(1, -1)
        points, codes = self._outline(gc, marker_path, down)
        is_round = np.array_equal(points, point_arrays(marker_path.cleaned(down, curves=True))[0])
        middle = 0.5 if is_round else 0  # of a pixel
        self._append("markers", points, codes, places + middle)

    def draw_path_collection(
        self,
        gc: Any,
        master: Any,
        paths: Any,
        transforms: Any,
        offsets: Any,
        placed: Any,
        *look: Any,
        **more: Any,
    ) -> None:
        """Many items as arrays that repeat as matplotlib says; few are drawn one by one, at whole pixels."""
        faces, edges, widths, styles, smooth = look[:5]
        items = max(len(paths), len(transforms), len(offsets))
        shapes = outlines(paths, transforms, master.get_matrix()) if items >= MANY else None
        if shapes is None or gc.get_hatch() or not all(smooth):
            given = gc, master, paths, transforms, offsets, placed, *look
            return super().draw_path_collection(*given, **more)
        places = placed.transform(offsets) if len(offsets) else np.zeros((1, 2))
        scale = self.points_to_pixels(1.0)
        dashes = [[[scale * length for length in on or ()], scale * (start or 0)] for start, on in styles]
        places = (places * (1, -1) + (0, self.height)).astype("<f4")
        colours = [np.round(np.reshape(each, (-1, 4)) * 255).astype(np.uint8) for each in (faces, edges)]
        look = scale * np.array(widths, "<f4"), dashes, CAPS[gc.get_capstyle()], str(gc.get_joinstyle())
        self._set_clip(gc)
        self._append("collection", items, places, *shapes, *colours, *look)

    def draw_quad_mesh(self, gc: Any, master_transform: Any, *mesh: Any) -> None:
        width, height, coordinates, offsets, _, faces, _, edges = mesh
        corners = master_transform.transform(np.reshape(coordinates, (-1, 2)))
        corners = corners.reshape(height + 1, width + 1, 2)
        x, y = corners[0, :, 0], corners[:, 0, 1]
        is_grid = is_even(x) and is_even(y) and np.allclose(corners, np.dstack(np.meshgrid(x, y)))
        has_edges = len(edges) > 0 and gc.get_linewidth() > 0
        if not is_grid or has_edges or len(faces) != width * height or np.any(offsets):
            raise NotImplementedError
        cells = np.round(np.reshape(faces, (height, width, 4)) * 255).astype(np.uint8)
        self._set_clip(gc)
        self._append_image(cells, (x[0], x[-1], y[0], y[-1]))

    def draw_image(self, gc: Any, x: float, y: float, im: Any, transform: Any = None) -> None:
        x, y = round(x), round(y)
        self._set_clip(gc)
        self._append_image(np.asarray(im), (x, x + im.shape[1], y, y + im.shape[0]))

    def draw_text(
        self, gc: Any, x: Any, y: Any, s: str, prop: Any, angle: Any, ismath: Any = False, mtext: Any = None
    ) -> None:
        glyphs, width = glyphs_of(s, prop, bool(ismath))
        size = self.points_to_pixels(prop.get_size_in_points()) / text_to_path.FONT_SCALE
        target = self.get_text_width_height_descent(s, prop, ismath)[0] / size
        wider = target / width if width else 1  # matplotlib moves glyphs to fit the pixels
        places: list[list[float]] = []  # for each glyph: its index among the resources, x, y and size
        for glyph, left, up, zoom in glyphs:
            index = self._resources.setdefault(glyph, len(self._resources))
            places.append([index, round(left * wider, 1), round(up, 1), round(zoom, 3)])
        self._set_clip(gc)
        self._set("fill", css_colour(gc.get_rgb()))
        self._append("text", round(x, 2), round(y, 2), round(float(angle), 3), round(size, 5), places)

    # What is recorded

    def _append(self, kind: str, *values: Any) -> None:
        """Append an operation; in place of an array its length."""
        self._arrays += [value for value in values if isinstance(value, np.ndarray)]
        self._operations.append([kind, *(len(v) if isinstance(v, np.ndarray) else v for v in values)])

    def _set(self, name: str, *value: Any) -> None:
        """Append a change of the state, where it is one."""
        if self._state.get(name) != value:
            self._state[name] = value
            self._operations.append([name, *value])

    def _set_style(self, gc: Any, face: Any) -> None:
        if gc.get_hatch():
            raise NotImplementedError
        self._set_clip(gc)
        if face is not None and (gc.get_forced_alpha() or len(face) == 3):
            face = (*face[:3], gc.get_alpha())
        self._set("fill", css_colour(face))
        width = self.points_to_pixels(gc.get_linewidth())
        self._set("stroke", css_colour(gc.get_rgb()) if width else None)
        if width:
            start, dashes = gc.get_dashes()
            lengths = [self.points_to_pixels(length) for length in (() if dashes is None else dashes)]
            self._set("line", width, CAPS[gc.get_capstyle()], str(gc.get_joinstyle()))
            self._set("dashes", lengths, self.points_to_pixels(start or 0))

    def _set_clip(self, gc: Any) -> None:
        box, (path, transform) = gc.get_clip_rectangle(), gc.get_clip_path()
        corners = None
        if box is not None:  # whole pixels, as in matplotlib
            left, bottom, right, top = np.floor(np.array(box.extents) + 0.5).astype(int).tolist()
            corners = [left, self.height - top, right - left, top - bottom]
        outline = () if path is None else point_arrays(path.cleaned(transform + self._down, curves=True))
        clip = (corners, *(array.tobytes() for array in outline))
        if self._state.get("clip", (None,)) != clip:
            self._state["clip"] = clip
            self._append("clip", corners, *outline)

    def _outline(self, gc: Any, path: Any, transform: Any, clip: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """A path as matplotlib's own picture has it: in pixels, at whole ones where it is to be sharp."""
        width = self.points_to_pixels(gc.get_linewidth()) if gc.get_rgb()[3] else 0.0
        how = {"stroke_width": width, "snap": gc.get_snap(), "sketch": gc.get_sketch_params()}
        simplify = path.should_simplify and clip is not None
        return point_arrays(path.cleaned(transform, True, clip, simplify=simplify, curves=True, **how))

    def _append_image(self, cells: np.ndarray, edges: Any, alpha: float = 1, table: Any = None) -> None:
        """Append cells, the lowest row first: (rows, columns, 4), or (rows, columns) and a table of colours.

        edges: left, right, bottom, top.
        """
        left, right, bottom, top = edges
        rows, columns = cells.shape[:2]
        index = [] if table is None else [self._resources.setdefault(table, len(self._resources))]
        box = [round(float(number), 3) for number in (left, self.height - bottom, right, self.height - top)]
        self._append("cells", *box, columns, rows, alpha, np.ascontiguousarray(cells).ravel(), *index)

    def _record_cells(self, image: Any) -> bool:
        """Append an image that is not smoothed as its matrix; False where it must be drawn otherwise."""
        if (
            type(image).make_image not in (AxesImage.make_image, PcolorImage.make_image)
            or not image.get_visible()
        ):
            return False
        box = cell_box(image)
        if box is None or image.get_agg_filter() is not None:
            return False
        matrix, alpha, colours = image.get_array(), image.get_alpha(), image.cmap
        if isinstance(image, AxesImage) and not isinstance(image, PcolorImage) and image.origin == "upper":
            matrix = matrix[::-1]
            alpha = alpha[::-1] if np.ndim(alpha) else alpha
        gc = self.new_gc()
        gc.set_clip_rectangle((image.get_clip_box() if image.get_clip_on() else None) or image.axes.bbox)
        gc.set_clip_path(image.get_clip_path() if image.get_clip_on() else None)
        self._set_clip(gc)
        share = image.norm(matrix) if matrix.ndim == 2 else None
        if share is None or np.ndim(alpha) or not is_indexable(colours, share):
            self._append_image(image.to_rgba(matrix, alpha=alpha, bytes=True), box)
        else:
            indices = np.clip(np.asarray(share) * 256, 0, 255).astype(np.uint8)
            table = DisplayList.of([["table", 256]], [colours((np.arange(256) + 0.5) / 256, bytes=True)])
            self._append_image(indices, box, 1 if alpha is None else alpha, table)
        image.stale = False
        return True

    def _record_raster(self, artist: Artist) -> None:
        """Append the image that matplotlib itself paints of this artist."""
        agg = RendererAgg(round(self.width), round(self.height), self.dpi)
        artist.draw(agg)
        pixels = np.asarray(agg.buffer_rgba())
        rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=axis)) for axis in (1, 0))
        if len(rows):
            top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
            self._clear()
            seen = pixels[top:bottom, left:right][::-1]
            self._append_image(seen, (left, right, self.height - bottom, self.height - top))
