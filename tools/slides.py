"""Each notebook's questions and live figures as pages for a projector, one below the other.

A key that moves by a page, as a presenter has it, goes to the next. The sliders are those of the site.
"""

import html
import re

import nbformat
from nbconvert.filters import markdown2html

from tools.course import ROOT

MATHJAX = ROOT / "site" / "mathjax.js"  # the settings of the other pages
PAGE = """<!doctype html>
<html lang="en" data-theme="light">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="_static/site.css">
<link rel="stylesheet" href="_static/slides.css">
<script type="module" src="_static/site.js"></script>
<script>
{mathjax}
MathJax.tex = {{ inlineMath: [['$', '$']] }}
</script>
<script defer src="_static/mathjax/tex-chtml.js"></script>
<main>
{slides}
</main>
</html>
"""


def slides(path, live_figure):
    """The HTML of a notebook's slides. live_figure: a function of the notebook's name and a number."""
    cells = nbformat.read(path, as_version=4).cells
    title = re.search(r"^# (.+)", cells[0].source, re.M)[1]
    made, head, count = [f"<h1>{title}</h1><p><a href='{path.stem}.html'>The notebook</a></p>"], "", 0
    for cell in cells:
        if cell.cell_type == "markdown":
            found = re.search(r"^## (.+)", cell.source, re.M)
            head = found[1] if found else head
            made += [heading(head) + as_html(question) for question in questions(cell.source)]
        elif is_live(cell):
            count += 1
            made.append(heading(head) + live_figure(path.stem, count))
    sections = "\n".join(f"<section>\n{slide}\n</section>" for slide in made)
    return PAGE.format(title=title, mathjax=MATHJAX.read_text(), slides=sections)


def is_live(cell):
    """Whether the stored output of a cell is a live figure's."""
    return any(
        output.get("data", {}).get("text/plain", "").startswith("Live figure") for output in cell.outputs
    )


def heading(text):
    return f"<h2>{html.escape(text)}</h2>\n"


def questions(text):
    """The predictions in a Markdown cell, each with its folded answers."""
    for part in text.split("> **Predict.**")[1:]:
        asked, *answers = re.split(r"(?=<details>)", part)
        end = answers[-1].index("</details>") + len("</details>") if answers else 0
        folded = [*answers[:-1], answers[-1][:end]] if answers else []
        yield asked.partition("\n\n")[0].strip().replace("\n> ", "\n") + "\n\n" + "".join(folded)


def as_html(text):
    """HTML of Markdown; formulas stay as they are, links to notebooks lead to their pages."""
    return re.sub(r'href="(\d\d_\w+)\.ipynb', r'href="\1.html', markdown2html(text))
