"""The course as a reader meets it: `make lab` on a copy of it."""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

from live_figures.tests.browser import jupyter_page
from tools.course import ROOT


@contextmanager
def lab(home, *assignments):
    """Copy the course to `home`/course and start `make lab` there, with settings of its own.

    assignments: for make, such as "NO_DELAY=". Yields the folder of the notebooks and the address of
    JupyterLab in the page, without a slash at the end. Raises RuntimeError where the server does not start.
    """
    course = home / "course"
    for folder in ("notebooks", "pe_helpers", "live_figures", "data"):
        shutil.copytree(ROOT / folder, course / folder)
    here = [f"--makefile={ROOT / 'Makefile'}", "READY=", f"BIN={Path(sys.executable).parent}"]
    command = ["make", *here, "lab", *assignments, "ARGS="]
    with jupyter_page.lab(home, course, command, cwd=course, pythonpath=course) as address:
        yield course / "notebooks", address
