"""A live figure that needs no kernel and no network: its recording, page.js and recording.js, as HTML."""

from __future__ import annotations

import base64
import html
import zlib
from pathlib import Path

from . import dark
from .recording import MAX_BYTES, Recording, steps_of

HERE = Path(__file__).parent
PAGE = """<!doctype html>
<html lang="en" class="live-alone">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ background: Canvas; color-scheme: light dark }}
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 70rem; padding: 0 1rem }}
</style>
{figure}
</html>
"""
FIGURE = """<style>
.live-control {{ align-items: center; display: flex; flex-wrap: wrap; gap: 0.3rem 0.8rem }}
.live-toured {{ display: none }}
.live-control > * {{ min-height: 2.75rem }}
.live-control > label {{ align-content: center; flex: 0 1 14rem }}
.live-track, .live-control > select {{ flex: 1 1 12rem; max-width: 32rem }}
.live-track {{ align-items: center; display: flex; gap: 0.3rem }}
.live-track > input {{ flex: 1; min-height: 2.75rem; min-width: 0 }}
.live-step {{ flex: none; font: inherit; height: 2.75rem; padding: 0; width: 2.75rem }}
.live-control > output {{ align-content: center }}
.live-checkbox > input {{ width: 1.5rem }}
.live-tour {{ display: flex; flex-wrap: wrap; gap: 0.5rem }}
.live-tour button {{ font: inherit; min-height: 2.75rem; padding: 0 1rem }}
.live-tour > a {{ align-self: center }}
.live-note {{ align-content: center; flex: 1 1 15rem; line-height: 1.35; margin: 0; min-height: 2.7em }}
.live-large {{ overflow-x: auto }}
.live-large > canvas {{ max-width: none !important }}
.live-recorded img, .live-recorded canvas {{ background: white; max-width: 100% }}
@media (pointer: coarse) {{
.live-track > input {{ appearance: none; background: linear-gradient(gray 0 0) center / 100% 4px no-repeat }}
.live-track > input::-webkit-slider-thumb {{ {thumb} }}
.live-track > input::-moz-range-thumb {{ {thumb} }}
}}
.live-many {{ display: contents }}
.live-many > button {{ flex: none }}
@media (max-width: 45rem) {{
.live-note {{ font-size: 0.8rem }}
.live-many {{ display: flex; flex: 0 0 100%; gap: 0.5rem; overflow-x: auto; padding: 3px }}
}}
@media (min-width: 60rem) {{ .live-enlarge {{ display: none }} }}
@media print {{ .live-recorded form, .live-steps {{ display: none }} }}
{dark_css}
</style>
<figure id="{id}" class="live-recorded{dark}" style="margin: 0">
<img alt="" src="{still}">
<figcaption>{caption}</figcaption>
</figure>
<small class="live-steps">{steps}</small>
<script type="module">
import {{ play }} from '{page}'
import {{ mount }} from '{recording}'
mount(document.getElementById('{id}'), '{data}', play, null, '{narrow}')
</script>"""


# of a slider under a finger: a dot of half its size
THUMB = """appearance: none; border: 0; border-radius: 0; height: 2.75rem; width: 2.75rem;
background: radial-gradient(closest-side, #06c 50%, transparent 55%)"""


def page_of(recording: Recording, title: str, max_bytes: int, narrow: Recording | None = None) -> str:
    """The page; see `LiveFigure.to_html`."""
    figure = figure_of(recording, "figure", max_bytes, narrow)
    return PAGE.format(title=html.escape(title), figure=figure)


def figure_of(
    recording: Recording, name: str = "", max_bytes: int = MAX_BYTES, narrow: Recording | None = None
) -> str:
    """The recorded figure as a piece of a page; its `name` there is by default made of what it shows.

    narrow: what is played instead where the page is narrow.
    """
    data = recording.to_bytes(max_bytes)
    small = narrow.to_bytes(max_bytes) if narrow else b""
    return figure_at(
        name or f"live-{zlib.crc32(data):08x}",
        recording.caption,
        steps_said(recording),
        is_dark=recording.figure.is_dark,
        still=_base64("image/png", recording.figure.still()),
        page=_base64("text/javascript", (HERE / "page.js").read_bytes()),
        recording=_base64("text/javascript", (HERE / "recording.js").read_bytes()),
        data=_base64("application/gzip", data),
        narrow=_base64("application/gzip", small) if small else "",
    )


def figure_at(
    name: str, caption: str, steps: str, narrow: str = "", is_dark: bool = False, **addresses: str
) -> str:
    """The same of files at these addresses: the `still`, the scripts `page` and `recording`, the `data`.

    narrow: of the data for a narrow page. is_dark: whether a dark page turns the picture dark.
    """
    said = {"caption": html.escape(caption), "steps": html.escape(steps)}
    look = {"dark": f" {dark.CLASS}", "dark_css": dark.CSS} if is_dark else {"dark": "", "dark_css": ""}
    return FIGURE.format(thumb=THUMB, id=name, narrow=narrow, **said, **look, **addresses)


def steps_said(recording: Recording) -> str:
    """A sentence that says what this page has of the figure's sliders."""
    every = {name: steps_of(widget) for name, widget in recording.figure.controls.items()}
    sliders = [control for control in recording.controls if control.kind == "range"]
    kept = [
        f"{control.label}: {len(control.values)} of {every[control.name]} steps"
        for control in sliders
        if len(control.values) < every[control.name]
    ]
    return f"On this page {'; '.join(kept)}." if kept else ""


def _base64(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
