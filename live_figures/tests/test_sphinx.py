"""`live_figures.sphinx`: one line in conf.py, and the pages that Sphinx makes move."""

import os
import re
import subprocess
import sys

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
{CODE.replace(chr(10), chr(10) + "   ")}
"""


@pytest.fixture
def build(tmp_path):
    """Write a project and run Sphinx on it; returns (its output folder, what it printed)."""

    def build(builder="html", fails=False, **files):
        source = tmp_path / "source"
        (source / "deep").mkdir(parents=True, exist_ok=True)
        (source / "conf.py").write_text('extensions = ["live_figures.sphinx"]\nroot_doc = "index"\n')
        written = {"index.rst": INDEX, "rain.py": CODE, "deep/more.rst": MORE} | files
        for name, text in written.items():
            (source / name).write_text(text)
        target = tmp_path / builder
        command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "2", "-b", builder]
        environment = os.environ | {"PYTHONPATH": str(PARENT)}
        run = subprocess.run(
            [*command, source, target], env=environment, capture_output=True, text=True, check=False
        )
        assert (run.returncode != 0) == fails, run.stderr
        return target, run.stderr

    return build


def test_the_pages_move(build, browser):
    target, _ = build()
    address = serve(target)
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


def test_without_scripts_there_is_the_still_picture_and_its_caption(build, browser):
    target, _ = build()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{serve(target)}/index.html")
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


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"rain.py": "1\n2 / 0\n"}, r"rain\.py:2: ZeroDivisionError: division by zero"),
        ({"rain.py": "for\n"}, r"rain\.py:1: SyntaxError"),
        ({"rain.py": "41 + 1\n"}, r"rain\.py must end with live\(…\); got 42"),
        (
            {"rain.py": CODE.replace("slider(1, 9, 3)", "__import__('ipywidgets').FloatText(3)")},
            "got height=",
        ),
        ({"deep/more.rst": MORE.replace("set_height", "set_hight")}, r"more\.rst:17: AttributeError"),
        ({"index.rst": INDEX.replace("rain.py", "snow.py")}, r"No such file or directory: .*snow\.py"),
        ({"index.rst": INDEX.replace(":: rain.py", "::")}, "must have either a file or code"),
    ],
)
def test_what_goes_wrong_is_named_with_its_line(build, files, says):
    _, printed = build(fails=True, **files)
    assert re.search(says, printed), printed
