"""The course as pages, made once for all tests, and pages of it in a browser.

Recording takes a while. So three notebooks are recorded here, with a few steps of each slider. With
PE_SITE=all the whole site in `_site` is tested, as in the workflow that publishes it.
"""

import os
import subprocess
import sys
from functools import cache

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


class Opener:
    """Opens pages of the site, and keeps what went wrong in any of them."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address
        self.contexts, self.wrong = [], []

    def note(self, request):  # the browser finds no other address: jupyter_page.FLAGS
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(f"asked for {request.url}")

    def complain(self, answer):
        if not answer.ok and answer.status != 304:  # it has not changed
            self.wrong.append(f"{answer.status}: {answer.url}")

    def __call__(self, name, width=1280, height=900, asks=False, **options):
        """asks: whether its predictions ask first, as for a new reader, or all answers are wanted at once."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        self.contexts.append(context)
        context.on("request", self.note)
        if not asks:
            context.add_init_script("localStorage['predictions-skip'] = true")
        page = context.new_page()
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        page.on("response", self.complain)
        page.goto(f"{self.address}/{name}")
        return page

    def close(self):
        for context in self.contexts:
            context.close()


@pytest.fixture
def open_page(browser, address):
    """Opens a page of the site; at the end nothing may have gone wrong in any of them."""
    opener = Opener(browser, address)
    yield opener
    opener.close()
    assert not opener.wrong


@pytest.fixture(scope="module")
def opened_once(browser, address):
    opener = Opener(browser, address)
    yield opener, cache(opener)
    opener.close()


@pytest.fixture
def read_page(opened_once):
    """As `open_page`, for tests that leave a page as it is: those that want the same one share it."""
    opener, read = opened_once
    opener.wrong.clear()
    yield read
    assert not opener.wrong
