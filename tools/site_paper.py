"""What paper says where a notebook's words move a figure.

`site/site.css` shows one of the two: what a screen has, or what paper has.
"""

import re
import tomllib

from tools.course import ROOT

FILE = ROOT / "site" / "paper.toml"
WORDS = tomllib.loads(FILE.read_text("utf-8"))  # {notebook: {what it says: what paper says}}
TAGS = r"(?:<[^<>]*>)*"


def mark(notebook, name, has_address=True):
    """Mark in a notebook called so, in place, what is for a screen alone, and put behind it what paper says.

    It is done last: words of the course, claims and sources may be marked within.
    has_address: whether the repository has one, by which the files are found that a notebook names.
    """
    for said, printed in WORDS.get(name, {}).items():
        pattern = TAGS.join(map(re.escape, said))
        enclose(notebook, pattern, '<span class="screen-words">', "</span>" + on_paper(printed))
    if not has_address:
        enclose(notebook, r"\[data/README\.md\]\([^)]*\)", after=on_paper(", a file of the course"))


def on_paper(words):
    return f'<span class="paper-words">{words}</span>' if words else ""


def enclose(notebook, pattern, before="", after=""):
    """Put this HTML before and after each place of a pattern in a notebook's words."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(pattern, lambda it: before + it[0] + after, cell.source)
