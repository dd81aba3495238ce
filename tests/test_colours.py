"""The colours stay apart for readers with colour-vision deficiencies, and keep their names on a dark page.

Machado, Oliveira and Fernandes (2009) give the simulation at full severity, CAM02-UCS the distance
between two colours; a distance of 1 can just be seen side by side. colorspacious computes both. What a
dark page makes of a colour is a matrix of tools/site_pages.py, the contrast of two colours WCAG 2.
"""

import re
from itertools import combinations

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_rgb

from live_figures import dark
from pe_helpers.figures import plots
from tests.conftest import run_notebook
from tools.course import NOTEBOOKS

colorspacious = pytest.importorskip("colorspacious")
VISIONS = ["usual", "protanomaly", "deuteranomaly", "tritanomaly"]
LINES = {name: getattr(plots, name) for name in ("BLUE", "ORANGE", "GREEN", "PINK", "GREY")}


def seen(colours, vision):
    """How these colours, (n, 3) in sRGB from 0 to 1, appear to somebody with this vision."""
    if vision == "usual":
        return np.asarray(colours)
    space = {"name": "sRGB1+CVD", "cvd_type": vision, "severity": 100}
    return np.clip(colorspacious.cspace_convert(colours, space, "sRGB1"), 0, 1)


def apart(one, other):
    return colorspacious.deltaE(one, other, input_space="sRGB1")


def on_map(kind, shares, vision):
    return seen(colormaps[plots.COLOURS[kind]](shares)[:, :3], vision)


def lightness(colours):
    return colorspacious.cspace_convert(colours, "sRGB1", "CAM02-UCS")[:, 0]


@pytest.mark.parametrize("vision", VISIONS)
def test_lines_differ_from_each_other_and_from_paper(vision):
    colours = dict(zip(LINES, seen([to_rgb(colour) for colour in LINES.values()], vision), strict=True))
    for one, other in combinations(colours, 2):
        assert apart(colours[one], colours[other]) > 10, (one, other)
    for name, colour in colours.items():
        assert apart(colour, np.ones(3)) > 30, name


@pytest.mark.parametrize("vision", VISIONS)
def test_signed_data_shows_its_sign_and_its_size(vision):
    share = np.linspace(0.2, 1, 30) / 2  # of the half of the map that belongs to one sign
    above, below = (on_map("signed", 0.5 + sign * share, vision) for sign in (1, -1))
    assert apart(above, below).min() > 10
    assert (np.diff(lightness(above)) < 0).all() and (np.diff(lightness(below)) < 0).all()


@pytest.mark.parametrize("vision", VISIONS)
def test_magnitudes_get_lighter_all_the_way(vision):
    assert (np.diff(lightness(on_map("magnitude", np.linspace(0, 1, 30), vision))) > 0).all()


@pytest.mark.parametrize("vision", VISIONS)
def test_angles_close_the_circle_and_a_quarter_turn_shows(vision):
    angles = np.arange(0, 1, 1 / 36)
    colours = on_map("angle", angles, vision)
    for turn in np.arange(0.25, 0.76, 0.05):
        assert apart(colours, on_map("angle", (angles + turn) % 1, vision)).min() > 10, turn
    assert apart(*on_map("angle", [0.0, 1.0], vision)) < 1


def test_the_usual_red_and_green_would_not_pass():
    red, green = (np.array(to_rgb(colour)) for colour in ("tab:red", "tab:green"))
    assert apart(red, green) > 30
    assert apart(*seen([red, green], "deuteranomaly")) < 10


def on_dark_page(colours):
    """What the pages' filter for pictures on a dark page makes of colours, (…, 3)."""
    matrix = np.array(dark.MATRIX)  # (3, 4)
    return np.clip(np.asarray(colours) @ matrix[:, :3].T + matrix[:, 3], 0, 1)


def contrast(one, other):
    """1 to 21; text wants 4.5."""
    colours = np.array([one, other])  # (2, 3)
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    low, high = np.sort(linear @ (0.2126, 0.7152, 0.0722))
    return (high + 0.05) / (low + 0.05)


def hue(colour):
    """In degrees."""
    return colorspacious.cspace_convert(colour, "sRGB1", "JCh")[2]


def turned(one, other):
    """The angle between two hues, in degrees."""
    return abs((one - other + 180) % 360 - 180)


def numbers_on_cells(figure):
    """(number, its colour, the colour of the cell below) for each number that is written on a heatmap."""
    for axes in figure.axes:
        for image in axes.images:
            data, (left, right, bottom, top) = image.get_array(), image.get_extent()
            for words in axes.texts:
                x, y = words.get_position()
                is_on_it = min(left, right) < x < max(left, right) and min(bottom, top) < y < max(bottom, top)
                if is_on_it and re.fullmatch(r"−?[\d.]+", words.get_text()):
                    row, column = (int((y - top) / (bottom - top) * len(data)), int(x - left))
                    yield words.get_text(), to_rgb(words.get_color()), image.to_rgba(data)[row, column, :3]


WITH_NUMBERS = {0: 9 + 9 + 6 + 2 * 10, 1: 16 * 4, 3: 5 * 8}  # how many numbers on cells a notebook draws


@pytest.mark.parametrize("number", WITH_NUMBERS, ids=lambda number: NOTEBOOKS[number].stem)
def test_every_number_on_a_cell_can_be_read_on_a_light_page_and_on_a_dark_one(number):
    shown = [result for _, result in run_notebook(NOTEBOOKS[number]).shown]
    pictures = [result for result in shown if isinstance(result, plots.Picture)]
    written = [each for picture in pictures for each in numbers_on_cells(picture)]
    assert len(written) == WITH_NUMBERS[number]
    for words, ink, cell in written:
        assert contrast(ink, cell) > 4.5, words
        assert contrast(on_dark_page(ink), on_dark_page(cell)) > 4.5, words


def test_no_cell_is_too_strong_for_its_number():
    image = plots.heatmap(plots.new_figure(2, 2)[1], [[-1.0, 1.0]], numbers="{:.0f}")
    for colour in image.to_rgba(np.linspace(-1, 1, 99))[:, :3]:
        assert contrast((0, 0, 0), colour) > 4.5
        assert contrast(on_dark_page((0, 0, 0)), on_dark_page(colour)) > 4.5
    strong = colormaps["RdBu_r"](0.75)[:3]  # on which neither black nor white can be read when dark
    assert max(contrast(on_dark_page(ink), on_dark_page(strong)) for ink in (np.zeros(3), np.ones(3))) < 4.5


@pytest.mark.parametrize("name", LINES)
def test_a_line_keeps_its_name_on_a_dark_page(name):
    colour = np.array(to_rgb(LINES[name]))
    dark = on_dark_page(colour)
    assert contrast(dark, on_dark_page(np.ones(3))) > 3
    if name == "GREY":
        assert np.ptp(dark) < 0.01
        return
    apart_by = {other: turned(hue(dark), hue(to_rgb(LINES[other]))) for other in LINES if other != "GREY"}
    assert min(apart_by, key=apart_by.get) == name and apart_by[name] < 25, apart_by


def test_red_and_blue_keep_their_names_on_a_dark_page():
    red, blue = (hue(colormaps["RdBu_r"](share)[:3]) for share in (0.85, 0.15))
    image = plots.heatmap(plots.new_figure(2, 2)[1], [[-1.0, 1.0]], strength=0.7)
    for value in np.linspace(0.3, 1, 8):
        for page in (np.asarray, on_dark_page):
            below, above = map(hue, page(image.to_rgba([-value, value])[:, :3]))
            assert turned(below, blue) < 15 and turned(above, red) < 15, (value, page)
    assert (
        turned(hue(on_dark_page(colormaps["RdBu_r"](1.0)[:3])), red) > 20
    )  # pink; this is what strength is for
    for value in (0.8, 1.0):  # and nobody calls it salmon: it is strong, and not light
        light, chroma, _ = colorspacious.cspace_convert(
            on_dark_page(image.to_rgba([value])[0, :3]), "sRGB1", "JCh"
        )
        assert light < 60 and chroma > 65
    faint = on_dark_page(to_rgb(plots.LIGHT))  # the grey of "no value", beside the middle of the map
    assert apart(faint, on_dark_page(colormaps["RdBu_r"](0.5)[:3])) > 20
