"""Each notebook's questions and live figures as pages for a projector, one below the other.

A question stands under the formula that its section has before it. Arrows, space and a presenter's keys go to
the next and back (`site/slides.js`). The sliders are those of the site.
"""

import html
import re

import nbformat
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

FORMULA = re.compile(r"^\$\$.*?\$\$", re.M | re.S)  # on lines of its own
PAGE = """<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="_static/favicon.svg">
<link rel="stylesheet" href="_static/site.css">
<link rel="stylesheet" href="_static/slides.css">
<script type="module" src="_static/site.js"></script>
<script type="module" src="_static/slides.js"></script>
</head>
<main>
{slides}
</main>
</html>
"""


def slides(path, live_figure):
    """The HTML of a notebook's slides. live_figure: a function of the notebook's name and a number."""
    cells = nbformat.read(path, as_version=4).cells
    title = re.search(r"^# (.+)", cells[0].source, re.M)[1]
    made = [f"<h1>{title}</h1><p><a href='{path.stem}.html'>The notebook</a></p>"]
    head, formula, count = "", "", 0  # of the section, the last one before a question
    for cell in cells:
        if cell.cell_type == "markdown":
            found = re.search(r"^## (.+)", cell.source, re.M)
            if found:
                head, formula = found[1], ""
            for before, question in questions(cell.source):
                formula = (FORMULA.findall(before) or [formula])[-1]
                made.append(heading(head) + as_html(f"{formula}\n\n{question}"))
            formula = (FORMULA.findall(cell.source) or [formula])[-1]
        elif is_live(cell):
            count += 1
            made.append(heading(head) + live_figure(path.stem, count))
    sections = "\n".join(f"<section>\n{slide}\n</section>" for slide in made)
    return PAGE.format(title=title, slides=sections)


def is_live(cell):
    """Whether the stored output of a cell is a live figure's."""
    return any(
        output.get("data", {}).get("text/plain", "").startswith("Live figure") for output in cell.outputs
    )


def heading(text):
    return f"<h2>{html.escape(text)}</h2>\n"


def questions(text):
    """(what stands before it, the prediction with its folded answers) of each one in a Markdown cell."""
    before, *parts = text.split("> **Predict.**")
    for part in parts:
        asked, *answers = re.split(r"(?=<details>)", part)
        end = answers[-1].index("</details>") + len("</details>") if answers else 0
        folded = [*answers[:-1], answers[-1][:end]] if answers else []
        yield before, asked.partition("\n\n")[0].strip().replace("\n> ", "\n") + "\n\n" + "".join(folded)
        before = part


def as_html(text):
    """HTML of Markdown; formulas are marked as Sphinx marks them, links to notebooks lead to their pages."""
    made = MarkdownWithMath(renderer=Renderer(escape=False)).render(text)
    return re.sub(r'href="(\d\d_\w+)\.ipynb', r'href="\1.html', made)


class Renderer(IPythonRenderer):
    def inline_math(self, body):
        return f'<span class="math">\\({html.escape(body)}\\)</span>'

    def block_math(self, body):
        return f'<div class="math">\\[{html.escape(body)}\\]</div>'
