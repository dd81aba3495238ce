"""Live figures in the classic Notebook with ipywidgets 7.7.1, as in Colab; drawn in the page or the kernel.

The same as in ../browser, which needs a JupyterLab: `make test-colab` runs this in place of that.
"""

import os
import subprocess
import sys

import pytest

from ..browser import reader
from ..browser.jupyter_page import PARENT, TOKEN, free_port, wait_for, write_notebook
from ..every_control import ANOTHER, EVERY_CONTROL

IS_READY = """() => {  // the notebook, its kernel and the widgets' extension
    const notebook = window.Jupyter?.notebook
    return notebook?._fully_loaded && notebook.kernel?.is_connected() && notebook.kernel.widget_manager
}"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """(folder, address) of a classic Notebook."""
    home, port = tmp_path_factory.mktemp("classic"), free_port()
    own = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    environment = os.environ | own | {"PYTHONPATH": str(PARENT)}
    options = ["--no-browser", "--allow-root", f"--port={port}", f"--NotebookApp.token={TOKEN}"]
    command = [sys.executable, "-m", "notebook", *options, f"--notebook-dir={home}"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        wait_for(server, f"http://127.0.0.1:{port}/api?token={TOKEN}", home / "log")
        yield home, f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(params=["page", "kernel", "either", "no anywidget in the page"])
def page(request, browser, course):
    """A notebook with live figures, all its cells run."""
    folder, address = course
    name = f"{request.param}.ipynb"
    is_chosen = request.param in ("page", "kernel")
    setup = f"from live_figures import draw_in\n\ndraw_in({request.param!r})" if is_chosen else ""
    write_notebook(folder / name, [setup, EVERY_CONTROL, ANOTHER])
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    if request.param.startswith("no"):
        page.route("**/nbextensions/anywidget/**", lambda route: route.abort())
    page.goto(f"{address}/notebooks/{name}?token={TOKEN}")
    page.wait_for_function(IS_READY, timeout=60_000)
    page.wait_for_timeout(3000)  # until it has asked the kernel for old widgets: that clears new ones
    page.evaluate("Jupyter.notebook.execute_all_cells()")
    tag = "canvas" if request.param in ("page", "either") else "img"
    pictures = "[...document.querySelectorAll('.live-figure .live-picture')]"
    expected = f"({pictures}.length === 2 && {pictures}.every(e => e.matches('{tag}')))"
    page.wait_for_function(expected, timeout=60_000)
    yield page
    page.evaluate("Jupyter.notebook.session.delete()")
    page.close()


def test_every_control(page):
    first, second = page.query_selector_all(".live-figure")
    reader.wait_until(page, first, lambda now: "A sine of rate 3" in now[1], "it should be drawn")
    reader.wait_until(page, second, lambda now: "The ones stand 2" in now[1], "it should be drawn")
    untouched = reader.state(second)
    handles = first.query_selector_all(".ui-slider-handle")
    assert len(handles) == 2
    for handle in handles:
        before = reader.state(first)
        handle.focus()
        page.keyboard.press("ArrowRight")
        reader.wait_until_it_follows(page, first, before)
        reader.reset(page, first)
    reader.check_menus(page, first)
    reader.check_boxes(page, first)
    reader.check_texts(page, first)
    assert reader.state(second) == untouched
    problem = first.query_selector("[role=alert]")
    assert problem is None or not problem.inner_text()
