"""The package installs from its folder alone and works where nothing of any other project is.

The environment is new and empty. What the package needs is borrowed from the environment of the tests, by a
path alone: so nothing is downloaded, and packages that are installed there as editable stay out of sight.
"""

import shutil
import subprocess
import sys
import sysconfig
import venv

import pytest

from .browser.page_drawing import ENGINE

pytest.importorskip("setuptools", "77")  # builds it

RAIN = """
import importlib.util
import sys

import numpy as np
from matplotlib.figure import Figure

import live_figures
from live_figures import choice, draw_in, live, record, slider

assert live_figures.__file__.startswith(sys.prefix), live_figures.__file__
assert importlib.util.find_spec("pe_helpers") is None
RAIN = {"Bergen": [190, 152, 170, 114], "Lima": [1, 0, 0, 1]}  # mm a month
figure = Figure(figsize=(5, 3), dpi=100, layout="constrained")
axes = figure.subplots()
bars = axes.bar(["Jan", "Feb", "Mar", "Apr"], RAIN["Bergen"])
axes.set(ylim=(0, 400), ylabel="mm")


def update(town, factor):
    rain = np.array(RAIN[town]) * factor
    for bar, height in zip(bars, rain):
        bar.set_height(height)
    return f"In four months {rain.sum():.0f} mm fall in {town}."


shown = live(figure, update, {"dry": {"town": "Lima"}}, town=choice(list(RAIN)), factor=slider(0.0, 2.0, 1.0))
before = shown.display_lists()
shown.controls["factor"].value = 2.0
assert shown.caption == "In four months 1252 mm fall in Bergen."
assert len(set(shown.display_lists()) - set(before)) == 4
assert type(shown.picture).__name__ == "EitherPicture" and "export function play" in shown.picture._page._esm
recording = record(shown, steps=10)
shown.to_html("rain.html", title="Rain")
assert "<title>Rain</title>" in open("rain.html").read()
assert len(recording.to_bytes()) < 50_000 and len(recording.frames) == 2 * 11
draw_in("kernel")
shown = live(figure, update, town=choice(list(RAIN)), factor=slider(0.0, 2.0, 1.0))
assert bytes(shown.picture.children[0].value).startswith(b"\\x89PNG")
for name in ("torch", "pandas", "matplotlib.pyplot"):
    assert name not in sys.modules, name
print(live_figures.__version__)
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The Python of an environment with this package and what it needs."""
    home = tmp_path_factory.mktemp("alone")
    source = home / "source"
    shutil.copytree(
        ENGINE, source, ignore=shutil.ignore_patterns("tests", "build", "*.egg-info", "__pycache__")
    )
    builder = venv.EnvBuilder(with_pip=False)
    builder.create(home / "env")
    python = home / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    packages = sysconfig.get_path("purelib", vars={"base": str(home / "env"), "platbase": str(home / "env")})
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", packages, source]
    subprocess.run(command, check=True, cwd=home)
    with open(f"{packages}/borrowed.pth", "w") as borrowed:
        borrowed.write(sysconfig.get_path("purelib") + "\n")
    return python


def test_it_installs_alone_and_shows_the_rain(alone, tmp_path):
    command = [alone, "-I", "-c", RAIN]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()


def test_nothing_of_a_course_is_named():
    for file in [*ENGINE.glob("*.py"), *ENGINE.glob("*.js")]:
        assert "pe_helpers" not in file.read_text(), file.name
