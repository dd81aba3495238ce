"""The course as a reader meets it: a real JupyterLab in a real browser.

Needs Chromium on the PATH; without it these tests are skipped, and fail where CI is set.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest
from conftest import ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TOKEN = "course"
STATE = """async figure => {  // what a reader gets from a live figure: its picture and its caption
    const data = await (await fetch(figure.querySelector('img').src)).arrayBuffer()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', data))
    return [digest.join(), figure.querySelector('p').textContent]
}"""
HAS_FOLLOWED = f"""async ([figure, before]) => {{
    const now = await ({STATE})(figure)
    return now[0] !== before[0] && now[1] !== before[1]
}}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab on a fresh copy of the course, with settings of its own."""
    home = tmp_path_factory.mktemp("lab")
    for folder in ("notebooks", "pe_helpers", "data"):
        shutil.copytree(ROOT / folder, home / "course" / folder)
    settings = home / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    # every cell stays in the page, also those that are scrolled out of sight
    (settings / "tracker.jupyterlab-settings").write_text(json.dumps({"windowingMode": "none"}))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {
        "PYTHONPATH": str(home / "course"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    options = [f"--IdentityProvider.token={TOKEN}", "--LabApp.expose_app_in_browser=True"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, *options, f"--ServerApp.root_dir={home / 'course'}"],
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/api?token={TOKEN}", home / "log")
        yield f"http://127.0.0.1:{port}/lab/tree/notebooks"
    finally:
        server.terminate()
        server.wait(30)


def wait_for(address, log):
    for _ in range(120):
        try:
            urllib.request.urlopen(address, timeout=1)
            return
        except OSError:
            time.sleep(0.5)
    pytest.fail(f"JupyterLab did not start: {log.read_text()[-2000:]}")


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        message = "no Chromium on the PATH"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser, lab, path):
    """The notebook, opened and not yet run."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{lab}/{path.name}?reset&token={TOKEN}", wait_until="domcontentloaded")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
    page.wait_for_function("window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady", timeout=60_000)
    yield page
    page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()


def run_all(page):
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    marks = "() => [...document.querySelectorAll('.jp-InputPrompt')].every(e => !e.textContent.includes('*'))"
    page.wait_for_function(marks, timeout=120_000)
    page.wait_for_selector(".live-figure img")
    kinds = [f'[data-mime-type="application/vnd.jupyter.{kind}"]' for kind in ("error", "stderr")]
    assert [error.inner_text() for error in page.query_selector_all(", ".join(kinds))] == []


def state(figure):
    return figure.evaluate(STATE)


def wait_until_it_follows(page, figure, before):
    page.wait_for_function(HAS_FOLLOWED, arg=[figure, before], timeout=10_000)


def check_stored_pictures(page, path):
    stored = [
        output
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    page.wait_for_function(f"document.querySelectorAll('.jp-RenderedImage img').length === {len(stored)}")
    assert "model not found" not in page.inner_text(".jp-Notebook").lower()


def check_place(figure):
    figure.scroll_into_view_if_needed()
    box = figure.query_selector("img").bounding_box()
    assert box["width"] > 300 and box["x"] >= 0 and box["x"] + box["width"] <= 1280


def press(page, figure, handle, key):
    """Press a key on a slider; where its value changes, wait for the picture and the caption."""
    before, value = state(figure), handle.get_attribute("aria-valuenow")
    handle.focus()
    page.keyboard.press(key)
    if handle.get_attribute("aria-valuenow") != value:
        wait_until_it_follows(page, figure, before)


def check_sliders(page, figure):
    for handle in figure.query_selector_all(".noUi-handle"):
        for key in ("Home", "ArrowRight", "End"):
            press(page, figure, handle, key)
        before = state(figure)
        figure.query_selector("button").click()  # reset
        wait_until_it_follows(page, figure, before)


def check_menus(page, figure):
    for menu in figure.query_selector_all("select"):
        before = state(figure)
        menu.select_option(index=len(menu.query_selector_all("option")) - 1)
        wait_until_it_follows(page, figure, before)


def check_drag(page, figure):
    """A quick drag from one end to the other leaves the picture of the last value."""
    handle = figure.query_selector(".noUi-handle")
    press(page, figure, handle, "End")
    at_the_end = state(figure)
    press(page, figure, handle, "Home")
    start, track = handle.bounding_box(), figure.query_selector(".noUi-base").bounding_box()
    x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] + 20, y, steps=40)
    page.mouse.up()
    equals = f"async ([figure, end]) => String(await ({STATE})(figure)) === String(end)"
    page.wait_for_function(equals, arg=[figure, at_the_end], timeout=10_000)


def test_a_notebook_in_the_browser(page, path):
    check_stored_pictures(page, path)
    run_all(page)
    figures = page.query_selector_all(".live-figure")
    assert figures
    for figure in figures:
        check_place(figure)
        check_sliders(page, figure)
        check_menus(page, figure)
        check_drag(page, figure)
