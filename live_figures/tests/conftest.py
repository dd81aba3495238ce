"""What several tests of the engine need: a browser, a JupyterLab, and pictures as arrays."""

import io
import os
from functools import cache

import numpy as np
import pytest
from matplotlib.backends import backend_agg
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from .browser import jupyter_page

# with a parser of its own each picture that is drawn from nothing would parse the labels of its ticks anew
backend_agg.MathTextParser = cache(backend_agg.MathTextParser)


@pytest.fixture(scope="module")
def browser():
    if jupyter_page.CHROMIUM is None:
        message = "no Chromium on the PATH"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    pytest.importorskip("playwright.sync_api")
    with jupyter_page.chromium(jupyter_page.SHELL or jupyter_page.CHROMIUM) as browser:
        yield browser


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """(folder, address) of a JupyterLab on an empty folder."""
    folder = tmp_path_factory.mktemp("notebooks")
    with jupyter_page.lab(tmp_path_factory.mktemp("lab"), folder) as address:
        yield folder, address


def pixels(png):
    """The colours of a PNG's pixels, (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def fully_drawn(figure):
    """The pixels of a figure that is drawn from nothing."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()
