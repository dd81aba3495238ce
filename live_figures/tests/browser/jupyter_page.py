"""A real JupyterLab, and Chromium to look at it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import nbformat

PARENT = Path(__file__).resolve().parents[3]  # of the folder of live_figures
SHELL = shutil.which("chromium-headless-shell")  # the same pages with a fifth less work
NAMES = "chromium", "chromium-browser", "google-chrome"  # what a reader has: benchmarks measure in it
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), SHELL)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",  # nothing else is found
]
TOKEN = "course"
# the module that is started, where its settings are, and where it shows a notebook
APPS = {
    "lab": ("jupyterlab", "LabApp", "lab"),
    "notebook": ("notebook", "JupyterNotebookApp", "notebooks"),  # Notebook 7
}
APP = os.environ.get("LIVE_FIGURES_TEST_IN", "lab")  # all tests can be tried in Notebook 7
IS_READY = "jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


@contextmanager
def lab(home, folder, command=(), cwd=None, pythonpath=PARENT, app=APP):
    """Start a JupyterLab on `folder`, with settings of its own in `home`.

    command: what starts it, by default Jupyter itself; its last word gets the options. pythonpath: where its
    kernels find what they import. app: one of APPS. Yields the address of JupyterLab in the page, without a
    slash at the end. Raises RuntimeError where the server does not start.
    """
    module, options_of, path = APPS[app]
    settings = {
        # every cell stays in the page, also those that are scrolled out of sight
        "notebook-extension/tracker": {"windowingMode": "none"},
    }
    for name, values in settings.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(values))
    environment = os.environ | {
        "PYTHONPATH": str(pythonpath),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),  # where trust in notebooks is kept: here none is
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }
    port = free_port()
    options = [
        "--no-browser",
        "--allow-root",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={TOKEN}",
        f"--{options_of}.expose_app_in_browser=True",
        f"--ServerApp.root_dir={folder}",
    ]
    if command:
        words = [*command[:-1], command[-1] + " ".join(options)]
    else:
        words = [sys.executable, "-m", module, *options]
    with (home / "log").open("w") as log:
        output = {"stdout": log, "stderr": log}
        server = subprocess.Popen(words, cwd=cwd, env=environment, start_new_session=True, **output)
    try:
        wait_for(server, f"http://127.0.0.1:{port}/api?token={TOKEN}", home / "log")
        yield f"http://127.0.0.1:{port}/{path}"
    finally:
        with suppress(ProcessLookupError):  # it has ended
            os.killpg(server.pid, signal.SIGTERM)  # with what it started: a shell between passes nothing on
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def write_notebook(path, sources):
    """A notebook whose code cells have these sources."""
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in sources]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    nbformat.write(nbformat.v4.new_notebook(metadata={"kernelspec": kernel}, cells=cells), path)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(server, address, log):
    """Wait a minute until the server answers; raise RuntimeError if it does not, at once if it has ended."""
    for _ in range(240):
        if server.poll() is not None:
            break
        try:
            urllib.request.urlopen(address, timeout=1)
            return
        except OSError:
            time.sleep(0.25)
    raise RuntimeError(f"Jupyter did not start: {log.read_text()[-2000:]}")


@contextmanager
def chromium(executable=CHROMIUM):
    """Chromium without a window; it is not there where CHROMIUM is None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


def open_lab(page, address):
    """Show JupyterLab in the page, with no notebook."""
    page.goto(f"{address}?reset&token={TOKEN}", wait_until="domcontentloaded")
    page.wait_for_function("window.jupyterapp?.commands.hasCommand('docmanager:open')", timeout=90_000)
    page.evaluate("async () => { await jupyterapp.restored }")


def open_next(page, name):
    """Show a notebook, by its path, in the JupyterLab that is in the page; wait until its kernel is ready."""
    show = "async path => { await jupyterapp.commands.execute('docmanager:open', { path }) }"
    page.evaluate(show, name)
    wait_until_ready(page)


def open_notebook(page, address, name):
    """Show a notebook, by its path, in the page, and wait until its kernel is ready; nothing is run."""
    folder = "/tree" if address.endswith("/lab") else ""
    page.goto(f"{address}{folder}/{name}?reset&token={TOKEN}", wait_until="domcontentloaded")
    wait_until_ready(page)


def wait_until_ready(page):
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
    page.wait_for_function(f"window.{IS_READY}", timeout=60_000)


def run_all(page, until=None):
    """Run the cells before this index, by default all, in folded sections, too; returns what they complained.

    Waits until they have run. What is returned are the errors and warnings that they printed.
    """
    page.evaluate("() => jupyterapp.commands.execute('notebook:expand-all-headings')")
    if until is None:
        page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    else:
        page.evaluate("index => { jupyterapp.shell.currentWidget.content.activeCellIndex = index }", until)
        page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-above')")
    marks = "() => [...document.querySelectorAll('.jp-InputPrompt')].every(e => !e.textContent.includes('*'))"
    page.wait_for_function(marks, timeout=600_000)  # notebook 11 trains for minutes
    kinds = [f'[data-mime-type="application/vnd.jupyter.{kind}"]' for kind in ("error", "stderr")]
    return [error.inner_text() for error in page.query_selector_all(", ".join(kinds))]


def close(page):
    """End the kernel of the notebook in the page, and close the notebook without saving it."""
    shut_down(page)
    page.evaluate("""async () => {
        const notebook = jupyterapp.shell.currentWidget
        await notebook.context.revert()
        notebook.dispose()
    }""")


def shut_down(page):
    """End the kernel of the notebook in the page."""
    page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")
