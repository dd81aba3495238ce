"""Each notebook as slides for a projector, one a screen, made of its cells by rule.

What a question needs stands beside it: the prose, formula, table or small picture before it that no slide has
shown. Behind it comes what answers it: the next table and picture, or live figure, with the bold sentence that
concludes. A section without a question has its last words and its picture. The first slide says what one will be
able to do, the last what was seen; exercises and "Going deeper" have none. Keys lead to the next one and back,
and type shrinks where a screen is small (`site/slides.js`). The sliders are those of the site.
"""

import html
import re
from itertools import pairwise
from typing import NamedTuple

import nbformat
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

PART = re.compile(r"\s*(```.*?\n```|<details>.*?</details>|.+?)(?=\n\n|\Z)", re.S)
KINDS = {
    r"## ": "section",
    r"#": "part",
    r"> \*\*Predict\.\*\*": "question",
    r"<details>": "answer",
    r"\$\$": "formula",
    r"\|": "table",
    r"```": "print",
}  # how a part of a Markdown cell begins; prose otherwise
CONCLUSION = re.compile(r"\*\*([^\s*].{25,}?)\*\*(?:(?<![.!?]\*\*)([^.]*\.))?", re.S)
BADGE = re.compile(r" · \[!\[Open in Colab\].*")
PROSE = 900  # letters beside a question, about: what a screen holds in large type
COSTS = {"formula": 100, "table": 200, "print": 150, "picture": 250}  # in letters
LINES, LETTERS = 9, 80  # of printed text that a slide shows, at most
KEYS = "<p class='keys'>Arrow keys, Page Down and space go on, Home comes back here · <a href='{}'>the notebook</a></p>"
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


class Block(NamedTuple):
    """A part of a notebook: a paragraph, a formula, a question, a cell's code or what it has stored …"""

    kind: str
    text: str  # Markdown; for what a cell has stored HTML, and for a live figure nothing


class Slide(NamedTuple):
    kind: str  # the class of its element: title, question, answer, figure, words
    html: str


def slides(path, live_figure):
    """The HTML of a notebook's slides. live_figure: a function of the notebook's name and a number."""
    page = f"{path.stem}.html"
    (title, *first), *sections = in_sections(blocks(nbformat.read(path, as_version=4).cells))
    about = "\n\n".join(block.text for block in first if block.kind != "code" and block.text[0] != "<")
    name = title.text.removeprefix("# ")
    made = [Slide("title", f"<h1>{name}</h1>" + as_html(BADGE.sub("", about), page) + KEYS.format(page))]
    count = 0
    for head, *section in sections:
        if head.text == "## What you saw":
            made.append(
                Slide("words", as_html("\n\n".join([head.text, *(part.text for part in section)]), page))
            )
            break
        for slide in of_section(section, page):
            body = slide.html
            if slide.kind == "figure":
                count += 1
                body = live_figure(path.stem, count) + body
            made.append(slide._replace(html=as_html(head.text, page) + body))
    written = "\n".join(
        f"<section class='slide-{kind}'>\n{body}\n<p class='slide-number'>{number} / {len(made)}</p>\n</section>"
        for number, (kind, body) in enumerate(made, 1)
    )
    return PAGE.format(title=html.escape(name), slides=written)


# ── A notebook's parts ──


def blocks(cells):
    """The parts of a notebook in their order, as far as the exercises."""
    for cell in cells:
        if cell.cell_type == "markdown":
            for part in PART.findall(cell.source):
                if part == "## Exercises":
                    return
                yield Block(next((KINDS[start] for start in KINDS if re.match(start, part)), "prose"), part)
        else:
            yield Block("code", cell.source)
            for output in cell.outputs:
                yield from stored(output)


def stored(output):
    """What a cell has stored, as a part, if a slide can show it."""
    data = output.get("data", {})
    text = data.get("text/plain", output.get("text", "")).strip()
    if is_live_output(output):
        yield Block("live", "")
    elif "image/png" in data:
        picture = f"data:image/png;base64,{data['image/png'].strip()}"
        yield Block("picture", f'<img src="{picture}" alt="{html.escape(text)}">')
    elif "text/html" in data:
        yield Block("table", data["text/html"])
    elif text and text.count("\n") < LINES and max(map(len, text.split("\n"))) <= LETTERS:
        yield Block("print", f"<pre>{html.escape(text)}</pre>")


def is_live(cell):
    """Whether the stored output of a cell is a live figure's."""
    return any(map(is_live_output, cell.outputs))


def is_live_output(output):
    return output.get("data", {}).get("text/plain", "").startswith("Live figure")


def in_sections(parts):
    """[[title, …], [heading of a section, …], …]"""
    found = []
    for part in parts:
        if part.kind == "section" or not found:
            found.append([])
        found[-1].append(part)
    return found


# ── The slides of a section ──


def of_section(section, page):
    """The slides of a section, whose parts these are."""
    asked = [n for n, part in enumerate(section) if part.kind == "question"]
    shown = 0  # so many parts
    for n, end in pairwise([*asked, len(section)]):
        said = beside(section[shown:n], section[n].text)
        answers = []
        for part in section[n + 1 :]:
            if part.kind != "answer":
                break
            answers.append(part.text)
        question = section[n].text.removeprefix("> **Predict.** ").replace("\n> ", "\n")
        folds = "\n\n".join(answers).replace("<details>", "<details name='answers'>")
        yield Slide("question", columns(said, f"**{question}**\n\n{folds}", page))
        right = next(answer for answer in answers if "</summary>\n\nYes" in answer)
        outputs, shown = answered(section, n + 1 + len(answers), end)
        yield from answer_slides(outputs, conclusion(section[n:end]), f"*{question}*\n\n{as_line(right)}", page)
    if not asked:
        outputs, end = answered(section, 0, len(section))
        first = section.index(outputs[0]) if outputs else len(section)
        yield Slide("words", as_html(beside(section[:first], ""), page))
        yield from answer_slides(outputs, conclusion(section), "", page)


def beside(parts, question):
    """Markdown of what a question needs of the parts before it: the last ones, as many as a screen holds."""
    kinds = ("prose", *COSTS)
    start = next((n + 1 for n in range(len(parts))[::-1] if parts[n].kind == "part"), 0)
    parts = parts[start:]
    taken, room = [], PROSE
    for n in range(len(parts))[::-1]:
        kind, text = parts[n]
        if kind not in kinds:
            continue
        room -= COSTS.get(kind, len(text))
        is_led = taken and parts[taken[0]].kind == "prose" and parts[taken[0]].text[:2] != "- "
        if taken and room < 0 and is_led:
            break
        taken.insert(0, n)
    for others in (["formula"], ["table", "picture", "print"]):
        last = [n for n, part in enumerate(parts) if part.kind in others][-1:]
        if not any(parts[n].kind in others for n in taken):
            taken += last
    names = re.findall(r"`(\w+)`", question)
    lines = [line for kind, text in parts if kind == "code" for line in text.split("\n")]
    code = [line for line in lines if any(line.startswith(f"{name} = ") for name in names)]
    words, taken = [], sorted(taken)
    for n, following in pairwise([*taken, len(parts) + 3]):
        is_open = parts[n].text.endswith(":") and following > n + 2  # what it announces is not shown
        words.append(f"{parts[n].text[:-1]}." if is_open else parts[n].text)
    words += ["```\n" + "\n".join(code) + "\n```"] if code else []
    return "\n\n".join(words)


def answered(section, start, end):
    """(the outputs that answer a question, how many parts of the section were seen then)"""
    parts = section[start:end]
    own = next((n for n, part in enumerate(parts) if part.kind == "part"), len(parts))
    seen = [n for n, part in enumerate(parts[:own]) if part.kind in ("table", "picture", "print", "live")]
    drawn = [n for n in seen if parts[n].kind in ("picture", "live")]
    tables = [n for n in seen if parts[n].kind == "table" and parts[n].text.startswith("<")]
    chosen = {*tables[:1], *drawn[:1]} or {*seen[:1]}
    if drawn and tables and tables[0] > drawn[0]:
        chosen.remove(tables[0])
    chosen |= {n for n, part in enumerate(parts) if part.kind == "live"}
    chosen = sorted(chosen)
    return [parts[n] for n in chosen], start + (chosen[-1] + 1 if chosen else 0)


def conclusion(parts):
    """The last bold sentence of these parts, before a part with a heading of its own, as Markdown."""
    said = ""
    for kind, text in parts:
        if kind == "part":
            break
        for bold, rest in CONCLUSION.findall(text) if kind == "prose" else ():
            said = f"**{bold[0].upper()}{bold[1:]}**{rest}"
    return said


def answer_slides(outputs, concluded, right, page):
    """A slide for each output, the right answer on the first one, unless it is a live figure, and the bold
    sentence on the last one."""
    if not outputs and right:
        yield Slide("answer", as_html(f"{right}\n\n{concluded}", page))
    for n, (kind, text) in enumerate(outputs):
        below = as_html(concluded, page) if n == len(outputs) - 1 else ""
        above = as_html(right, page) if n == 0 else ""
        yield Slide("figure", below) if kind == "live" else Slide("answer", f"{above}{text}{below}")


def as_line(answer):
    """Markdown of an answer, its words in bold before what it says.

    >>> as_line("<details><summary>A little</summary>\\n\\nYes. It does.\\n\\n</details>")
    '**A little.** Yes. It does.'
    """
    said, told = re.match(r"<details><summary>(.*?)</summary>\s*(.*?)\s*</details>", answer, re.S).groups()
    return f"**{said}{'' if said[-1] in '.!?' else '.'}** {told}"


def columns(left, right, page):
    sides = [f"<div>\n{as_html(side, page)}</div>" for side in (left, right)]
    return f"<div class='slide-sides'>{sides[0]}{sides[1]}</div>" if left else sides[1]


def as_html(text, page):
    """HTML of Markdown; formulas are marked as Sphinx marks them, links lead to the notebooks' pages."""
    made = MarkdownWithMath(renderer=Renderer(escape=False)).render(text)
    made = re.sub(r'href="(\d\d_\w+)\.ipynb', r'href="\1.html', made)
    return made.replace('href="#', f'href="{page}#')


class Renderer(IPythonRenderer):
    def heading(self, text, level, **_):
        return f"<h{level}>{text}</h{level}>\n"

    def inline_math(self, body):
        return f'<span class="math">\\({html.escape(body)}\\)</span>'

    def block_math(self, body):
        return f'<div class="math">\\[{html.escape(body)}\\]</div>'
