"""What a dark page makes of a picture that may be turned dark: white nearly black, red still red."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np
from matplotlib.image import _ImageBase

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# White becomes nearly black, black nearly white; each hue stays what people call it. CSS's own invert and
# hue-rotate would make salmon of a dark red. Columns: red, green, blue, 1.
MATRIX = ((0.6, -1.19, -0.21, 0.9), (-0.68, 0.09, -0.21, 0.9), (-0.68, -1.19, 1.07, 0.9))
VALUES = " ".join(f"{red} {green} {blue} 0 {one}" for red, green, blue, one in MATRIX) + " 0 0 0 1 0"
SVG = f"""<svg xmlns="http://www.w3.org/2000/svg"><filter id="dark" color-interpolation-filters="sRGB">
<feColorMatrix values="{VALUES}"/></filter></svg>"""
ADDRESS = f"data:image/svg+xml,{quote(SVG)}#dark"
# JupyterLab and Notebook 7, VS Code, Colab, themes of Sphinx
PAGES = "[data-jp-theme-light='false'], .vscode-dark, html[theme='dark'], [data-theme='dark']"
CLASS = "live-dark"
TURNED = f'{{ border-radius: 4px; filter: url("{ADDRESS}") }}'
CSS = f""":is({PAGES}) .{CLASS} :is(img, canvas) {TURNED}
@media (prefers-color-scheme: dark) {{
:is(.live-alone, [data-theme='auto']) .{CLASS} :is(img, canvas) {TURNED}
}}
@media print {{ .{CLASS} :is(img, canvas) {{ filter: none !important }} }}"""


def has_photograph(figure: Figure) -> bool:
    """Whether a figure has an image of colours of its own, which nobody would know turned dark."""
    return any(np.ndim(image.get_array()) == 3 for image in figure.findobj(_ImageBase))
