"""The colours stay apart for readers with the common colour-vision deficiencies.

Machado, Oliveira and Fernandes (2009) give the simulation at full severity, CAM02-UCS the distance
between two colours; a distance of 1 can just be seen side by side. colorspacious computes both.
"""

from itertools import combinations

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_rgb

from pe_helpers.figures import plots

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
