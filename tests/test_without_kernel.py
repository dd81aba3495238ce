"""Stored notebooks without a kernel: nbconvert shows the still picture of every live figure.

That they validate and hold no widget state is checked in test_notebook_form.py, that JupyterLab shows the
pictures of a copy it does not trust in browser/test_jupyterlab.py.
"""

import base64
import html.parser
import re

import pytest

from tests.conftest import code_cells

nbconvert = pytest.importorskip("nbconvert")  # comes with JupyterLab


def stored_pictures(notebook):
    """The bytes of the pictures that live figures left, in order."""
    outputs = [output.get("data", {}) for cell in code_cells(notebook) for output in cell.outputs]
    live = [data for data in outputs if data.get("text/plain", "").startswith("Live figure")]
    return [base64.b64decode(data["image/png"]) for data in live]


class Pictures(html.parser.HTMLParser):
    """Collects the PNGs that a page holds in itself."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        source = dict(attributes).get("src", "")
        if tag == "img" and source.startswith("data:image/png;base64,"):
            self.found.append(base64.b64decode(source.partition(",")[2]))


def test_html_and_markdown_show_every_live_figure(notebook):
    stored = stored_pictures(notebook)
    assert stored
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert [picture for picture in Pictures(page).found if picture in stored] == stored
    assert "widget-view" not in page and "model not found" not in page.lower()

    text, resources = nbconvert.MarkdownExporter().from_notebook_node(notebook)
    linked = [resources["outputs"][name] for name in re.findall(r"!\[png\]\(([^)]+)\)", text)]
    assert [picture for picture in linked if picture in stored] == stored
