"""Each notebook as slides for a projector, one a screen, made of its cells by rule.

Beside a question stands what it needs: the prose, the formula, and the table or small picture before it that
no slide has shown; where that is much, only the last of it, with the table that is given, and the rest on
slides before it. After it comes what answers it: the right answer with the next table and picture, or after
the next live figure, which has a slide to itself. Then stand, on slides of their own, formulas that are left
out of this, and paragraphs that say what a word means; and last, or below the picture where nothing follows
it, the bold sentence that concludes. The words of a cell tagged `slide-words` stand below the picture before
them, too. A section without a question has its words and its picture. The first slide says what one will be
able to do, the last what was seen; exercises and "Going deeper" have none. What a cell prints is shown where
words before it announce it, or where it answers a question and says itself what it is. Keys lead to the next
slide and back, and type is as large as the screen allows (`site/slides.js`). The sliders are those of the
site.
"""

import html
import re
from itertools import combinations, pairwise, takewhile
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
BOLD = re.compile(r"\*\*(.+?)\*\*(?:(?<![.!?]\*\*)([^.*]*\.))?", re.S)  # and the rest of its sentence
TERM = 25  # letters: what is bold and shorter is a term
NAMED = re.compile(rf"(?<![\w*])(\*\*?)(?![ *])([^*\n]{{4,{TERM}}}?)(?<![ *.])\1(?!\*)")  # what may be one
BADGE = re.compile(r" · \[!\[Open in Colab\].*")
PROSE = 900  # letters that a question needs, about
# letters that have room in large type: beside a question, and on a slide of their own
SIDE, SCREEN = 550, 740
ASKED = 150  # that a question takes
WALL, SHORT = 520, 100  # of them in prose, where it is of several paragraphs that are not short
LINE = 70  # of a formula, from its second on
COSTS = {"formula": 130, "table": 35, "print": 35, "picture": 350}  # in letters: of a row, of a line
DRAWN = "table", "picture", "print"
AROUND = 560  # letters above and below a picture, for which it leaves room
LINES, LETTERS = 9, 96  # of printed text that a slide shows, at most
FOR_READERS_OF_CODE = re.compile(r"torch\.|tensor\(|^\{'")
A_NAME = re.compile(r"\b(?!array\b|pre>|True|False)[A-Za-z]{3}")  # by which a print says what it is
SENT = re.compile(  # to what is drawn: a sentence of an answer, or a clause of it
    r"\b(?:[Ll]ook|[Cc]ompare|[Cc]ount|[Ww]atch)\b[^.?!:]*"
    r"\b(?:bars?|clocks?|curve|dots?|end|figure|line|map|plane|rows?|spots|steps|table)\b[^.?!:]*"
)
ANNOUNCES = re.compile(r"(?:(?<=[.?!])|(?<=[.?!]\)))\s+[^.?!]*:\Z")  # the sentence that ends in a colon
KEYS = (
    "<p class='slide-keys'>Arrow keys, Page Down and space go on, Home comes back here · "
    "<a href='{}'>the notebook</a></p>"
)
SLIDE = """<section class="slide-{kind}">
{body}
<p class="slide-number">{number} / {total}</p>
</section>"""
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
<main class="slides">
{slides}
</main>
</html>
"""


class Block(NamedTuple):
    """A part of a notebook: a paragraph, a formula, a question, a cell's code or what it has stored …"""

    kind: str
    text: str  # Markdown; for what a cell has stored HTML, and for a live figure nothing
    is_kept: bool = False  # with the picture before it: words of a cell that is tagged so


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
    defining = definitions(
        [first, *takewhile(lambda section: section[0].text != "## What you saw", sections)]
    )
    for head, *section in sections:
        if head.text == "## What you saw":
            made.append(
                Slide("words", as_html("\n\n".join([head.text, *(part.text for part in section)]), page))
            )
            break
        for slide in of_section(section, page, defining):
            body = slide.html
            if slide.kind == "figure":
                count += 1
                body = live_figure(path.stem, count) + body
            made.append(slide._replace(html=as_html(head.text, page) + body))
    written = "\n".join(
        SLIDE.format(kind=kind, body=body, number=number, total=len(made))
        for number, (kind, body) in enumerate(made, 1)
    )
    return PAGE.format(title=html.escape(name), slides=written)


# ── A notebook's parts ──


def blocks(cells):
    """The parts of a notebook in their order, without what is printed and not said to be what, and without a
    sentence that announces code that shows nothing.
    """
    last = Block("prose", "")
    cells = list(cells)
    for n, cell in enumerate(cells):
        if cell.cell_type == "markdown":
            code = list(takewhile(lambda cell: cell.cell_type == "code", cells[n + 1 :]))
            is_silent = code and not any(cell.outputs for cell in code)
            source = ANNOUNCES.sub("", cell.source) if is_silent else cell.source
            for part in PART.findall(source):
                kind = next((KINDS[start] for start in KINDS if re.match(start, part)), "prose")
                last = Block(kind, part, kind == "prose" and "slide-words" in cell.metadata.get("tags", []))
                yield last
        else:
            yield Block("code", cell.source)
            for output in cell.outputs:
                yield from (part for part in stored(output, n) if part.kind != "print" or is_told(part, last))
            last = Block("code", "") if cell.outputs else last


def is_told(printed, last):
    """Whether one knows what is printed: what is before its code announces it, or it answers and names."""
    return last.text.endswith(":") or (last.kind == "answer" and bool(A_NAME.search(printed.text)))


def stored(output, index=0):
    """What the cell of this index has stored, as a part, if a slide can show it."""
    data = output.get("data", {})
    text = data.get("text/plain", output.get("text", "")).strip()
    if is_live_output(output):
        yield Block("live", "")
    elif "image/png" in data:
        picture = f"data:image/png;base64,{data['image/png'].strip()}"
        yield Block("picture", f'<img data-cell="{index}" src="{picture}" alt="{html.escape(text)}">')
    elif "text/html" in data:
        yield Block("table", data["text/html"])
    elif text and not FOR_READERS_OF_CODE.search(text) and is_short(text.split("\n")):
        yield Block("print", f"<pre>{html.escape(text)}</pre>")


def is_stored(part):
    return part.kind in ("picture", "live") or (part.kind in DRAWN and part.text.startswith("<"))


def is_short(lines):
    return len(lines) <= LINES and max(map(len, lines)) <= LETTERS


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


def of_section(section, page, defining=frozenset()):
    """The slides of a section, whose parts these are. defining: paragraphs that say what a word means."""
    asked = [n for n, part in enumerate(section) if part.kind == "question"]
    shown = 0  # so many parts
    for n, end in pairwise([*asked, len(section)]):
        before, following = section[shown:n], section[n + 1 : end]
        numbers = {*needed(before), *steps(before, defining), *read(before)}
        alone, beside = divided(before, sorted(numbers))
        yield from words(before, alone, page)
        answers = [part.text for part in takewhile(lambda part: part.kind == "answer", following)]
        question = section[n].text.removeprefix("> **Predict.** ").replace("\n> ", "\n")
        outputs = answered(following)
        folds = "\n\n".join(answers).replace("<details>", "<details name='answers'>")
        if outputs and not any(is_stored(before[m]) for m in beside):
            folds = SENT.sub(r"\g<0>, on the next slide", folds)
        yield Slide("question", columns(said(before, beside), f"**{question}**\n\n{folds}", page))
        right = next(answer for answer in answers if "</summary>\n\nYes" in answer)
        shown = n + 1 + (outputs[-1] + 1 if outputs else 0)
        until = len(following) if end == len(section) else shown - n - 1
        spans = zip([0, *outputs[1:]], [*outputs[1:], until], strict=True)
        kept = [m for n in outputs for m in kept_with(following, n)]
        left = [
            [m for m in steps(following, defining, kept + outputs) if start <= m < last]
            for start, last in spans
        ]
        above = f"*{question}*\n\n{as_line(right)}"
        answer = answer_slides(following, outputs, above, page, concludes=not left[-1])
        for some_slides, some in zip(answer, left, strict=True):
            yield from some_slides
            where, concluded = concluding(following, outputs[-1:])
            if some is not left[-1] or where in some:
                concluded = ""
            made = words(following, screens(following, some, SCREEN - len(concluded)), page)
            yield from made[:-1]
            for slide in made[-1:]:
                yield slide._replace(html=slide.html + as_html(concluded, page))
    if not asked:
        outputs = answered(section, len(section))
        before = section[: outputs[0]] if outputs else section
        first = needed(before)
        alone = screens(before, sorted(first + steps(before, defining, first)), SIDE)
        *slides, last = words(before, alone, page)
        answer = [slide for slides in answer_slides(section, outputs, "", page) for slide in slides]
        is_set = outputs and section[outputs[0]].kind in ("table", "print")
        if is_set and room_of(before, alone[-1]) + room_of(section, outputs[:1]) <= SIDE:
            last = Slide("words", last.html + answer.pop(0).html)
        yield from [*slides, last, *answer]


def room_of(parts, numbers):
    """The room that these parts take, in letters of prose."""

    def room(kind, text):
        if kind == "formula":
            return COSTS[kind] + LINE * text.count(r"\\")
        lines = max(text.count("<tr"), text.strip().count("\n")) if kind in ("table", "print") else 1
        return COSTS[kind] * lines if kind in COSTS else len(text)

    return sum(room(*parts[n][:2]) for n in numbers)


def divided(parts, numbers):
    """(these numbers of parts by slides, those beside the question that follows): as many as have room there,
    if not all, then only what stands after the last cell of code; and where a table that is given stands on a
    slide before, that once more.
    """
    groups, taken = together(parts, numbers), []
    is_short = room_of(parts, numbers) <= SIDE and not any(parts[n].kind == "print" for n in numbers)
    start = -1 if is_short else after_code(parts, numbers)
    while groups and (not taken or groups[-1][0] > start):
        if room_of(parts, groups[-1] + joined(taken)) > SIDE:
            break
        taken.insert(0, groups.pop())
    while groups and len(taken) > 1 and is_evener(parts, groups, taken):
        groups.append(taken.pop(0))
    before, beside = joined(groups), joined(taken)
    given = [n for n in before if parts[n].kind == "table" and not is_stored(parts[n])][-1:]
    is_again = beside and room_of(parts, given + beside) <= SIDE
    return screens(parts, before), given + beside if is_again else beside


def joined(groups):
    return [n for group in groups for n in group]


def is_evener(parts, groups, taken):
    """Whether slides are more even if the first of the groups beside a question stands on the one before."""
    moved = [*groups, taken[0]]
    now, then = (screens(parts, joined(some)) for some in (groups, moved))
    before = [room_of(parts, now[-1]), room_of(parts, joined(taken)) + ASKED]
    after = [room_of(parts, then[-1]), room_of(parts, joined(taken[1:])) + ASKED]
    return len(now) == len(then) and max(after) < max(before)


def after_code(parts, numbers):
    """The last number of a cell of code before some of these parts, which has stored no table or picture; -1:
    there is none.
    """
    drawn = {n - 1 for n, part in enumerate(parts) if part.kind in ("table", "picture", "live")}
    found = [n for n in range(max(numbers, default=0)) if parts[n].kind == "code" and n not in drawn]
    return max(found, default=-1)


def definitions(sections):
    """The paragraphs that set a word off for the first time, which stands plain later, but no conclusions."""
    parts = [
        part for section in sections for part in section if part.kind in ("prose", "formula", "question")
    ]
    found, known = set(), set()
    for n, part in enumerate(parts):
        later = "\n\n".join(part.text for part in parts[n + 1 :])
        for _, name in NAMED.findall(part.text):
            if (
                name not in known
                and not conclusion([part])[1]
                and re.search(rf"(?<![\w*]){re.escape(name)}(?![\w*])", later)
            ):
                found.add(part.text)
            known.add(name)
    return found


def steps(parts, defining, others=()):
    """The numbers of definitions, of formulas with what leads to them, of what an "And" goes on from, and of
    what is printed just before these, but not these others, before a part with a heading of its own.
    """
    own = next((n for n, part in enumerate(parts) if part.kind == "part"), len(parts))
    found = {n for n in range(own) if parts[n].kind == "formula" or parts[n].text in defining}
    found |= {n - 1 for n in found if n and parts[n].kind == "formula" and parts[n - 1].kind == "prose"}
    found |= {n - 1 for n in found if n and parts[n].text.startswith("And ") and parts[n - 1].kind == "prose"}
    printed = {n - 1 for n in found if n and parts[n - 1].kind == "print" and is_stored(parts[n - 1])}
    led = {max((m for m in range(n) if parts[m].kind != "code"), default=n) for n in printed}
    return sorted((found | printed | led).difference(others))


def screens(parts, numbers, room=SCREEN):
    """These numbers of parts by slides that have so much room, as few as may be, and each about as full."""
    groups, found = together(parts, numbers), []

    def fits(some):
        prose = [n for n in joined(some) if parts[n].kind == "prose" and len(parts[n].text) > SHORT]
        is_wall = len(prose) > 1 and room_of(parts, prose) > WALL
        return len(some) == 1 or (room_of(parts, joined(some)) <= room and not is_wall)

    for cuts in (cuts for n in range(len(groups)) for cuts in combinations(range(1, len(groups)), n)):
        some = [groups[start:end] for start, end in pairwise([0, *cuts, len(groups)])]
        if all(map(fits, some)) and (not found or len(some) == len(found[0])):
            found.append([joined(slide) for slide in some])
    return min(found, key=lambda slides: max(room_of(parts, slide) for slide in slides), default=[])


def together(parts, numbers):
    """These numbers of parts in groups that stay on one slide: a formula with what leads to it; what a cell
    has stored, too, if that ends in a colon, or else with the words after it; a list, and what goes on in
    small letters or brackets, with the words before.
    """
    found = []
    for n in numbers:
        kind, text, _ = parts[n]
        last = parts[found[-1][-1]] if found else Block("", "")
        is_led = kind in DRAWN and last.text.endswith(":")
        is_read = kind == "prose" and is_stored(last) and len(found[-1]) == 1
        goes_on = kind == "formula" or (kind == "prose" and re.match(r"[(a-z]|- ", text))
        if found and (goes_on or is_led or is_read):
            found[-1].append(n)
        else:
            found.append([n])
    return found


def words(parts, screens, page):
    """Slides of these parts alone, whose numbers these are by slides."""
    return [Slide("words", as_html(said(parts, numbers), page)) for numbers in screens]


def needed(parts):
    """The numbers of what a question needs of the parts before it: the last, with one table or picture."""
    start = next((n + 1 for n in range(len(parts))[::-1] if parts[n].kind == "part"), 0)
    taken, room, is_drawn = [], PROSE, False
    for n in range(start, len(parts))[::-1]:
        kind = parts[n].kind
        if kind != "prose" and kind not in COSTS:
            continue
        room -= room_of(parts, [n])
        is_led = taken and parts[taken[0]].kind == "prose" and not parts[taken[0]].text.startswith("- ")
        if is_led and (room < 0 or (is_drawn and kind in DRAWN)):
            break
        is_drawn = is_drawn or kind in DRAWN
        taken.insert(0, n)
    for kinds in (["formula"], DRAWN):
        last = [n for n in range(start, len(parts)) if parts[n].kind in kinds][-1:]
        if not any(parts[n].kind in kinds for n in taken):
            taken += last + [n - 1 for n in last if n > start and parts[n - 1].kind == "prose"]
    return sorted({*taken})


def read(parts):
    """The numbers of tables and pictures with a paragraph after them that reads them, and of that."""
    start = next((n + 1 for n in range(len(parts))[::-1] if parts[n].kind == "part"), 0)
    found = [n for n in range(start, len(parts) - 1) if is_stored(parts[n]) and parts[n].kind != "print"]
    return [m for n in found if parts[n + 1].kind == "prose" for m in (n, n + 1)]


def said(parts, numbers):
    """Markdown of these parts; one that announces what is not among them ends in a full stop."""
    told = []
    for n, following in pairwise([*numbers, len(parts)]):
        after = next((m for m in range(n + 1, len(parts)) if parts[m].kind != "code"), len(parts))
        is_open = parts[n].text.endswith(":") and (following > after or after == len(parts))
        told.append(f"{parts[n].text[:-1]}." if is_open else parts[n].text)
    return "\n\n".join(told)


def answered(parts, paragraphs=1):
    """The numbers of the parts that answer the question before them: the first picture or live figure, and a
    table where it stands before that, at most so many paragraphs away; where there is neither, a print.
    """
    own = next((n for n, part in enumerate(parts) if part.kind == "part"), len(parts))
    drawn = [n for n in range(own) if parts[n].kind in ("picture", "live")][:1]
    near = []
    for kind in ("table",) if drawn else ("table", "print"):
        near = (
            near or [n for n in range(*(drawn or [own])) if parts[n].kind == kind and is_stored(parts[n])][:1]
        )
    near = [n for n in near if sum(part.kind == "prose" for part in parts[:n]) <= paragraphs]
    others = [n for n, part in enumerate(parts) if part.kind == "live"]
    return sorted({*near, *drawn, *others})


def conclusion(parts):
    """(its part's number, Markdown) of the last bold sentence of these parts, before one with a heading of
    its own; (-1, ""): there is none.
    """
    last = -1, ""
    for n, (kind, text, _) in enumerate(parts):
        if kind == "part":
            break
        for bold, rest in BOLD.findall(text) if kind == "prose" and not text.startswith("- ") else ():
            if len(bold) > TERM:
                last = n, f"**{bold[0].upper()}{bold[1:]}**{rest}"
    return last


def concluding(parts, outputs):
    """As `conclusion`: after the last of these outputs and before the next, or else in the end."""
    start = outputs[-1] if outputs else 0
    following = next((m for m in range(start + 1, len(parts)) if is_stored(parts[m])), len(parts))
    for end in (following, len(parts)):
        n, told = conclusion(parts[start:end])
        if told:
            return start + n, told
    return -1, ""


def kept_with(parts, output):
    """The numbers of the parts after this output that are kept with it, as far as what concludes."""
    where, _ = conclusion(parts[output:])
    following = takewhile(lambda n: parts[n].is_kept and n != output + where, range(output + 1, len(parts)))
    return list(following)


def answer_slides(parts, outputs, right, page, concludes=True):
    """Slides for each of these outputs: with the first, or after it if it is a live figure, the right answer,
    below it the words that are kept with it, and with the last the bold sentence, if it `concludes`. Where
    that leaves a picture too little room, the right answer stands on a slide before it.
    """
    _, concluded = concluding(parts, outputs) if concludes else (-1, "")
    if not outputs:
        yield [Slide("answer", as_html(f"{right}\n\n{concluded}", page))]
    for n in outputs:
        last = [concluded] if n == outputs[-1] and concluded else []
        below = "\n\n".join([said(parts, kept_with(parts, n)), *last]).strip()
        above = right if n == outputs[0] else ""
        if parts[n].kind == "live":
            told = as_html(f"{above}\n\n{below}", page)
            yield [Slide("figure", ""), Slide("answer", told)] if above else [Slide("figure", told)]
            continue
        first, shown = as_html(above, page), parts[n].text + as_html(below, page)
        is_full = above and parts[n].kind == "picture" and len(above) + len(below) > AROUND
        yield (
            [Slide("answer", first), Slide("answer", shown)] if is_full else [Slide("answer", first + shown)]
        )


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
