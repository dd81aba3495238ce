"""What paper says where a notebook's words move a figure.

`site/site.css` shows one of the two: what a screen has, or what paper has.
"""

import re
import tomllib

from tools.course import ROOT

FILE = ROOT / "site" / "paper.toml"
WORDS = tomllib.loads(FILE.read_text("utf-8"))  # {notebook: {what it says: what paper says}}
TAGS = r"(?:<[^<>]*>)*"
FOLD = r"<details>.*?</details>"
SHOWN = "(table|picture|figure)"
IS_NEXT = rf"\bnext {SHOWN}\b(?:'s ([\w ]*\w))?|\b{SHOWN} below\b"


def mark(notebook, name, has_address=True):
    """Mark in a notebook called so, in place, what is for a screen alone, and put behind it what paper says.

    It is done last: words of the course, claims and sources may be marked within.
    has_address: whether the repository has one, by which the files are found that a notebook names.
    """
    for said, printed in WORDS.get(name, {}).items():
        pattern = TAGS.join(map(re.escape, said))
        enclose(notebook, pattern, *instead(printed))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(FOLD, lambda it: at_the_end(it[0]), cell.source, flags=re.S)
    if not has_address:
        enclose(notebook, r"\[data/README\.md\]\([^)]*\)", after=on_paper(", a file of the course"))


def at_the_end(fold):
    """A fold which on paper, at the end, says of what it calls next that it comes after the question.

    >>> print(re.sub("<span.*?>", "|", at_the_end("See the next table.").replace("</span>", "")))
    See the |next table|table after the question.
    >>> print(re.sub("<span.*?>", "|", at_the_end("The next picture's large dots.").replace("</span>", "")))
    The |next picture's large dots|large dots of the picture after the question.
    """

    def said(it):
        shown = f"{it[2]} of the {it[1]}" if it[2] else it[1] or it[3]
        return it[0].join(instead(f"{shown} after the question"))

    return re.sub(IS_NEXT, said, fold)


def instead(printed):
    """HTML before and after words that a screen has, where paper has these."""
    return '<span class="screen-words">', "</span>" + on_paper(printed)


def on_paper(words):
    return f'<span class="paper-words">{words}</span>' if words else ""


def enclose(notebook, pattern, before="", after=""):
    """Put this HTML before and after each place of a pattern in a notebook's words."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(pattern, lambda it: before + it[0] + after, cell.source)
