"""The course as pages, made once for all tests, and pages of it in a browser.

Recording takes a while. So three notebooks are recorded here, with a few steps of each slider. With
PE_SITE=all the whole site in `_site` is tested, as in the workflow that publishes it.
"""

import os
import subprocess
import sys

import pytest
from filelock import FileLock

from live_figures.tests.browser.static_page import serve
from tools import build_site, site_pages
from tools.course import ROOT

IS_WHOLE = os.environ.get("PE_SITE") == "all"
SITE = ROOT / "_site" if IS_WHOLE else ROOT / "build" / "quick_site"
STEPS = 0 if IS_WHOLE else 6  # of each slider; 0: all
ONLY = () if IS_WHOLE else ("00_start_here", "07_words_and_positions", "09_relative_bias")


@pytest.fixture(scope="session")
def site():
    """The folder of the site, built unless it is there already, made of what is there now."""
    if not site_pages.KATEX.exists() and not os.environ.get("CI"):
        pytest.skip("the site's formulas are set by KaTeX, which needs node and npm")
    (ROOT / "build").mkdir(exist_ok=True)
    with FileLock(ROOT / "build" / "site.lock"):
        key = SITE / ".key"
        if not key.exists() or key.read_text() != build_site.key(STEPS, ONLY):
            options = ["--steps", str(STEPS), "--to", SITE, *(["--only", *ONLY] if ONLY else [])]
            subprocess.run([sys.executable, "-m", "tools.build_site", *options], cwd=ROOT, check=True)
    return SITE


@pytest.fixture(scope="session")
def address(site):
    return serve(site)


@pytest.fixture
def open_page(browser, address):
    """Opens a page of the site; at the end nothing may have gone wrong in any of them.

    asks: whether its predictions ask first, as for a new reader, or the reader wants all answers at once.
    """
    contexts, wrong = [], []

    def note(request):  # the browser finds no other address: jupyter_page.FLAGS
        if not request.url.startswith((address, "data:", "blob:")):
            wrong.append(f"asked for {request.url}")

    def complain(answer):
        if not answer.ok and answer.status != 304:  # it has not changed
            wrong.append(f"{answer.status}: {answer.url}")

    def open_page(name, width=1280, height=900, asks=False, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.on("request", note)
        if not asks:
            context.add_init_script("localStorage['predictions-skip'] = true")
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
        page.on("response", complain)
        page.goto(f"{address}/{name}")
        return page

    open_page.wrong = wrong
    yield open_page
    for context in contexts:
        context.close()
    assert not wrong
