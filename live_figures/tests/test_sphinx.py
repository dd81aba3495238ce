"""`live_figures.sphinx`: one line in conf.py, and the pages that Sphinx makes move."""

import os
import re
import subprocess
import sys
from functools import partial

import pytest

from .browser.jupyter_page import PARENT
from .browser.static_page import DRAWN, serve

pytest.importorskip("sphinx")

CODE = """
from matplotlib.figure import Figure

from live_figures import live, slider

figure = Figure(figsize=(4, 3), dpi=100)
(bar,) = figure.subplots().bar(["rain"], [1])


def update(height):
    bar.set_height(height)
    return f"The rain is {height} mm high."


live(figure, update, height=slider(1, 9, 3))
"""
INDEX = """
Rain
====

.. live-figure:: rain.py

.. toctree::

   deep/more
"""
MORE = f"""
More
====

.. live-figure::
   :steps: 2
   :narrow:
{CODE.replace("3))", "3), dark=True)").replace(chr(10), chr(10) + "   ")}
"""


def run_sphinx(folder, builder="html", fails=False, **files):
    """Write a project and run Sphinx on it; returns (its output folder, what it printed)."""
    source, target = folder / "source", folder / builder
    (source / "deep").mkdir(parents=True, exist_ok=True)
    (source / "conf.py").write_text('extensions = ["live_figures.sphinx"]\nroot_doc = "index"\n')
    written = {"index.rst": INDEX, "rain.py": CODE, "deep/more.rst": MORE} | files
    for name, text in written.items():
        (source / name).write_text(text)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "2", "-b", builder]
    environment = os.environ | {"PYTHONPATH": str(PARENT)}
    run = subprocess.run(
        [*command, source, target], env=environment, capture_output=True, text=True, check=False
    )
    assert (run.returncode != 0) == fails, run.stderr
    return target, run.stderr


@pytest.fixture
def build(tmp_path):
    return partial(run_sphinx, tmp_path)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder of the project's pages."""
    return run_sphinx(tmp_path_factory.mktemp("project"))[0]


def test_the_pages_move(pages, browser):
    address = serve(pages)
    page = browser.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("response", lambda answer: answer.status < 400 or wrong.append(answer.url))
    for name, last in (("index.html", 9), ("deep/more.html", 9)):
        page.goto(f"{address}/{name}")
        page.wait_for_selector(DRAWN)
        assert "The rain is 3 mm high." in page.inner_text("figure")
        page.focus("input[type=range]")
        page.keyboard.press("End")
        page.wait_for_function(f"document.querySelector('figure').innerText.includes('is {last} mm')")
    assert "height: 4 of 9 steps" in page.inner_text("body")
    page.close()
    assert not wrong


def test_a_dark_page_turns_the_picture_dark_that_may_be(pages, browser):
    page = browser.new_page()
    for name, is_turned in (("index.html", False), ("deep/more.html", True)):
        page.goto(f"{serve(pages)}/{name}")
        page.wait_for_selector(DRAWN)
        filters = "getComputedStyle(document.querySelector('figure canvas')).filter"
        assert page.evaluate(filters) == "none"
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        assert ("#dark" in page.evaluate(filters)) is is_turned
    page.close()


def test_a_phone_gets_a_recording_of_its_own_where_the_page_asks_for_one(pages, browser):
    page = browser.new_page(viewport={"width": 375, "height": 800})
    for name, width in (("index.html", 400), ("deep/more.html", 340)):
        page.goto(f"{serve(pages)}/{name}")
        page.wait_for_selector(DRAWN)
        assert page.eval_on_selector("figure canvas", "canvas => canvas.style.width") == f"{width}px"
    page.close()


def test_without_scripts_there_is_the_still_picture_and_its_caption(pages, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{serve(pages)}/index.html")
    assert page.locator("figure img").evaluate("image => image.naturalWidth") == 400
    assert page.locator("figcaption").inner_text() == "The rain is 3 mm high."
    context.close()


def test_other_builders_have_the_still_picture_and_its_caption(build):
    target, _ = build("text")
    assert "The rain is 3 mm high." in (target / "index.txt").read_text()
    target, _ = build("latex")
    (made,) = target.glob("*.tex")
    (picture, _) = re.findall(r"\\sphinxincludegraphics\{\{(\w+)\}\.png\}", made.read_text())
    assert (target / f"{picture}.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_recorded_is_kept_until_the_code_changes(build, tmp_path):
    kept = tmp_path / "html" / ".doctrees" / "live_figures"
    build()
    before = {file.name: file.stat().st_mtime_ns for file in kept.iterdir()}
    build(**{"index.rst": INDEX + "\nMore rain.\n"})
    assert {file.name: file.stat().st_mtime_ns for file in kept.iterdir()} == before
    build(**{"rain.py": CODE.replace("3)", "4)")})
    assert len({*kept.iterdir()}) == len(before) + 3
    assert "The rain is 4 mm high." in (tmp_path / "html" / "index.html").read_text()


WRONG = {  # a page: (what is wrong there, what is said)
    "zero": (".. live-figure:: zero.py", r"zero\.py:2: ZeroDivisionError: division by zero"),
    "syntax": (".. live-figure:: syntax.py", r"syntax\.py:1: SyntaxError"),
    "number": (".. live-figure:: number.py", r"number\.py must end with live\(…\); got 42"),
    "endless": (".. live-figure:: endless.py", "got height="),
    "below": (MORE.replace("set_height", "set_hight"), r"below\.rst:18: AttributeError"),
    "snow": (".. live-figure:: snow.py", r"No such file or directory: .*snow\.py"),
    "free": (".. live-figure:: free.py\n   :narrow:", r"free\.py: figure must be laid out by one call"),
    "nothing": (".. live-figure::", "must have either a file or code"),
}
FILES = {
    "zero.py": "1\n2 / 0\n",
    "syntax.py": "for\n",
    "number.py": "41 + 1\n",
    "free.py": CODE.replace("subplots()", "add_axes((0.1, 0.1, 0.8, 0.8))"),
    "endless.py": CODE.replace("slider(1, 9, 3)", "__import__('ipywidgets').FloatText(3)"),
}


def test_what_goes_wrong_is_named_with_its_line(build):
    pages = {f"{name}.rst": f":orphan:\n\n{text}\n" for name, (text, _) in WRONG.items()}
    pages["below.rst"] = WRONG["below"][0]
    _, printed = build(fails=True, **pages, **FILES)
    lines = printed.splitlines()
    for name, (_, says) in WRONG.items():
        said = [line for line in lines if f"{name}.rst" in line]
        assert any(re.search(says, line) for line in said), (name, printed)
