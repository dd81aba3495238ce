"""Live figures through the widget manager of VS Code's Jupyter extension, which is on npm.

It is not VS Code itself: the page around the manager is `vscode.html`, its connection to the kernel goes to a
server, not through the extension, and modules of widgets are found here as the extension finds them.
"""

import json
import os
import re
import shutil
import sys
import tarfile
from pathlib import Path

import pytest
from jupyter_core.paths import jupyter_path

from ..every_control import ANOTHER, EVERY_CONTROL
from . import reader
from .jupyter_page import TOKEN
from .jupyter_page import lab as start_lab

PACKAGES = Path(sys.prefix) / "vscode"  # where the Makefile puts them
FILES = {  # what the page loads: the package that has it, and where
    "ipywidgets.js": ("vscode-jupyter-ipywidgets8", "dist/ipywidgets.js"),
    "services.js": ("jupyterlab-services", "dist/dist/index.js"),
    "require.js": ("requirejs", "require.js"),
}
MODULE = re.compile(r"""['"]?([\w@/-]+)['"]?:\s*['"](nbextensions/[^'"]+)""")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """(address of the page, the modules that it finds there), beside copies of the kernel's nbextensions."""
    if not any(PACKAGES.glob("*.tgz")):
        message = "VS Code's widget manager comes by npm"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    home = tmp_path_factory.mktemp("vscode")
    place = home / "static" / "vscode"
    for folder in reversed(jupyter_path("nbextensions")):
        if Path(folder).exists():
            shutil.copytree(folder, place / "nbextensions", dirs_exist_ok=True)
    shutil.copy(Path(__file__).with_name("vscode.html"), place)
    for name, (package, inside) in FILES.items():
        (archive,) = PACKAGES.glob(f"{package}-[0-9]*.tgz")
        with tarfile.open(archive) as files:
            (place / name).write_bytes(files.extractfile(f"package/{inside}").read())
    (home / "config").mkdir()
    settings = {"ServerApp": {"extra_static_paths": [str(home / "static")]}}
    (home / "config" / "jupyter_server_config.json").write_text(json.dumps(settings))
    with start_lab(home, home / "static", app="lab") as lab:
        yield lab.removesuffix("lab") + "static/vscode/vscode.html", modules(place)


def modules(place):
    """{module: its address}, as the extension finds them: in what each of the texts says to RequireJS."""
    scripts = (file.read_text() for file in place.glob("nbextensions/*/extension.js"))
    return {name: found for script in scripts for name, found in MODULE.findall(script)}


@pytest.fixture(params=["anywidget", "no anywidget"])
def page(request, browser, course):
    """A page with the outputs of two cells with live figures: drawn by the page, or by the kernel."""
    address, found = course
    draws_itself = request.param == "anywidget"
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}?token={TOKEN}")
    page.wait_for_function("'open_kernel' in window")
    page.evaluate("settings => open_kernel(...settings)", [TOKEN, found if draws_itself else {}])
    for cell in (EVERY_CONTROL, ANOTHER):
        page.evaluate("cell => vscode.run(cell)", cell)
    expected = "canvas:not([data-frames='0'])" if draws_itself else "img"
    pictures = "[...document.querySelectorAll('.live-figure .live-picture')]"
    page.wait_for_function(f'{pictures}.map(e => e.matches("{expected}")).join() === "true,true"')
    assert ("anywidget" in page.evaluate("vscode.loaded")) == draws_itself
    assert ("anywidget" in page.evaluate("vscode.failed")) != draws_itself
    yield page
    page.evaluate("vscode.kernel.shutdown()")
    page.close()


def test_every_control(page):
    first, second = page.query_selector_all(".live-figure")
    untouched = reader.state(second)
    reader.check_every_control_once(page, first)
    assert reader.state(second) == untouched
    assert not page.query_selector(".jupyter-widgets-error-widget")
