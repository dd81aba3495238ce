"""Each notebook as slides for a projector, one a screen, made of its cells by rule.

Beside a question stands what it needs: the prose, the formula, and the table or small picture before it that
no slide has shown; where that is much, only the last of it, with the table that is given, and the rest on
slides before it. After it comes what answers it: the right answer with the next table and picture, or after
the next live figure, whose slide says what to do there. Then stand formulas that are left out of this, and
paragraphs that say what a word means; and last, or below the picture where nothing follows it, the bold
sentence that concludes. The words of a cell tagged `slide-words` stand below the picture before them, too,
or below a live figure's still, on the slide before the figure. A section begins with its first words where
they have room; one without a question has its words and its picture. The first slide says what one will be
able to do, the last what was seen; exercises and "Going deeper" have none. What a cell prints is shown where
words before it announce it, and what is folded where a task stands before it. A short slide goes on with the
next; where there is room, words that an earlier notebook explains are explained again
(`tools/site_slide_words.py`). What `site/slides.toml` names stays with what stands before it, begins a slide,
or is a question that has a slide of its own. A link to a section of the same notebook leads to its first
slide; to what no slide holds there is none, as it would lead out of the lecture. Keys and the size of type
are those of `site/slides.js`.
"""

import base64
import html
import math
import re
import tomllib
from functools import cache
from itertools import accumulate, combinations, pairwise, takewhile
from string import Template
from typing import NamedTuple
from urllib.parse import unquote

import nbformat
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from live_figures import with_minus, without_note
from tools import site_slide_words
from tools.course import NOTEBOOKS, OF_NOTEBOOKS, ROOT

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
BY_HAND = tomllib.loads((ROOT / "site" / "slides.toml").read_text())  # how parts begin, by notebook
BADGE = re.compile(r" · \[!\[Open in Colab\].*")
PROSE = 900  # letters that a question needs, about
# letters that have room in large type: beside a question, and on a slide of their own
SIDE, SCREEN = 550, 740
ASKED = 150  # that a question takes
FEW = 250  # that leave a slide half empty
WALL, SHORT = 520, 100  # of them in prose, where it is of several paragraphs that are not short
LINE = 70  # of a formula, from its second on
COSTS = {"formula": 130, "table": 35, "print": 35, "picture": 350}  # in letters: of a row, of a line
DRAWN = "table", "picture", "print"
HEAD = 86  # of a heading and what stands beside it
AROUND = 560  # letters above and below a picture, for which it leaves room
FOR_READERS_OF_CODE = re.compile(r"torch\.|tensor\(|^\{'")
SENT = re.compile(  # to what is drawn: a sentence of an answer, or a clause of it
    r"\b(?:[Ll]ook|[Cc]ompare|[Cc]ount|[Ww]atch|[Ss]ee)\b[^.?!:]*"
    r"\b(?:bars?|clocks?|curve|dots?|end|figure|line|map|plane|rows?|spots|steps|table)\b[^.?!:]*"
)
ANNOUNCES = re.compile(r"(?:(?<=[.?!])|(?<=[.?!]\)))\s+[^.?!]*:\Z")  # the sentence that ends in a colon
FOLD = re.compile(  # a task's, and it
    r"^(?!>)([^\n]*\?)\n\n<details>.*?</summary>\s*(.*?)\s*</details>", re.M | re.S
)
TASK = re.compile(  # what to do with a live figure: a sentence, without what will be seen
    r"(?:^|(?<=[.?!)] ))(?:Now |Then )?(?:[Pp]ress|[Mm]ove|[Cc]hoose|[Ss]et|[Rr]aise|[Mm]ix)\b"
    r"[^.?!:]*(?::[^.?!]*\?|[.?!:])"
)
COURSE = re.search(r'^project = "(.*)"', (ROOT / "site" / "conf.py").read_text(), re.M)[1]
ABOVE = f"<p class='slide-course'><a href='index.html'>{COURSE}</a>\u00a0·\u00a0{{}}</p>"
KEYS = (  # parts with room between them: a dot would be left at the end of a line
    "<p class='slide-keys'><span class='slide-by-key'>Next slide: → or the arrow at the top right</span>"
    "<span class='slide-by-key'>Tab leads to answers and sliders, Escape back to the slides</span>"
    "<span class='slide-by-touch'>Scroll to the next slide</span>"
    "<a href='{}'>Read it as a page</a></p>"
)
# pixels of a screen of 1280 × 720: what head and edges leave of a slide, a line of prose with the room below
# its paragraph, and a row of a table; letters of such a line, and the least that a picture has
FREE, LINES, ROWS, ACROSS, LEAST = 604, (34, 14), 42, 91, 302
SLIDE = """<section class="slide-{kind}" id="slide-{number}">
{body}
<p class="slide-number">{number} / {total}</p>
</section>"""


class Block(NamedTuple):
    """A part of a notebook: a paragraph, a formula, a question, a cell's code or what it has stored …"""

    kind: str
    text: str  # Markdown; for what a cell has stored HTML, and for a live figure its still picture's
    is_kept: bool = False  # with the picture before it: words of a cell that is tagged so
    stays: bool = False  # with what stands before it, by hand
    is_alone: bool = False  # a question that has its slide for itself, by hand
    begins: bool = False  # a slide, by hand


class Slide(NamedTuple):
    kind: str  # the class of its element: title, question, answer, figure, words
    html: str
    room: float = math.inf  # that is taken, in letters of prose: by a picture or a question all
    tasks: tuple = ()  # Markdown of what to do, so many sentences of it as may stand beside the heading
    controls: str = ""  # their names
    begins: bool = False  # with what begins a slide by hand: it does not go on with the one before


def slides(path, live_figure=lambda name, number: ""):
    """The HTML of a notebook's slides. live_figure: a function of the notebook's name and a number."""
    page = f"{path.stem}.html"
    parts = by_hand(blocks(nbformat.read(path, as_version=4).cells), **BY_HAND.get(path.stem, {}))
    (title, *first), *sections = in_sections(parts)
    about = "\n\n".join(block.text for block in first if block.kind != "code" and block.text[0] != "<")
    name = title.text.removeprefix("# ")
    begin = f"{ABOVE.format(path.stem[:2])}<h1>{name}</h1>"
    takes = r"Read as a page it takes \1"
    about = re.sub(r"^(\*\*\d+ minutes\*\*), plus exercises", takes, BADGE.sub("", about), flags=re.M)
    about = re.sub(
        OF_NOTEBOOKS, "", about.replace("After this notebook", "After these slides", 1), flags=re.S
    )
    made = [Slide("title", begin + as_html(about, page) + KEYS.format(page))]
    count = 0
    taught = [*takewhile(lambda section: section[0].text != "## What you saw", sections)]
    defining = definitions([first, *taught])
    starts = {}  # {the anchor of a section: the number of its first slide}
    for head, *section in taught:
        starts[head.text.removeprefix("## ").replace(" ", "-")] = len(made) + 1
        for slide in filled(of_section(section, page, defining)):
            above, body = as_html(head.text, page), slide.html
            if slide.kind == "figure":
                count += 1
                shut = [re.sub(r"<details><summary>|</summary>.*", "", it, flags=re.S) for it in slide.tasks]
                fitting = slide.tasks[: sum(len(head.text + said) <= HEAD for said in shut)]
                task = as_html("".join(fitting[-1:]), page)
                task = task.replace("</summary>", " <small>answer</small></summary>")
                above = f"<header>{above}{task}</header>"
                body = live_figure(path.stem, count) + body
            made.append(slide._replace(html=above + body))
    made.append(Slide("words", as_html("\n\n".join(part.text for part in sections[len(taught)]), page)))
    shown = site_slide_words.explained(made, NOTEBOOKS.index(path), as_html)
    written = "\n".join(
        SLIDE.format(kind=kind, body=body, number=number, total=len(made))
        for number, (kind, body, *_) in enumerate(shown, 1)
    )
    written = re.sub(rf'<a href="{page}#(.*?)">(.*?)</a>', lambda it: link(starts, *it.groups()), written)
    whole = Template((ROOT / "site" / "slides.html").read_text())
    return whole.substitute(title=html.escape(name), slides=written)


@cache
def room_of_pictures(path):
    """{the number of a still picture's cell: the pixels that words leave it below each other on a screen of
    1280 × 720; 0: it stands beside a question}.
    """
    found = {}
    for kind, body in re.findall(r'<section class="slide-(\w+)"[^>]*>(.*?)</section>', slides(path), re.S):
        for number in re.findall(r'data-cell="cell-(\d+)"', body):
            room = FREE - ROWS * body.count("<tr")
            for said in re.findall(r"<(?:p|li|dd)>(.*?)</(?:p|li|dd)>", body, re.S):
                letters = len(re.sub(r"<[^>]*>|\\\w+|[{}$\\()]", "", html.unescape(said)))
                room -= LINES[0] * math.ceil(letters / ACROSS) + LINES[1]
            found[int(number)] = 0 if kind == "question" else max(room, LEAST)
    return found


def link(starts, anchor, said):
    """HTML of a link to a place of the same notebook.

    >>> link({"2.-All": 9}, "2.-All", "one"), link({}, "Why", "nearly")
    ('<a href="#slide-9">one</a>', 'nearly')
    """
    number = starts.get(html.unescape(unquote(anchor)))
    return f'<a href="#slide-{number}">{said}</a>' if number else said


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
            for part in PART.findall(FOLD.sub(opened, source)):
                kind = next((KINDS[start] for start in KINDS if re.match(start, part)), "prose")
                last = Block(kind, part, kind == "prose" and "slide-words" in cell.metadata.get("tags", []))
                yield last
        else:
            yield Block("code", cell.source)
            for output in cell.outputs:
                is_told = last.text.endswith(":")
                yield from (part for part in stored(output, n) if part.kind != "print" or is_told)
            last = Block("code", "") if cell.outputs else last


def by_hand(parts, stays=(), alone=(), begins=()):
    """These parts, of which those that begin so stay with what stands before them, are questions alone, or
    begin a slide.
    """
    ways = {"stays": stays, "is_alone": alone, "begins": begins}
    named = {start: {way: True} for way, starts in ways.items() for start in starts}
    for part in parts:
        text = part.text.removeprefix("> **Predict.** ")
        begun = [start for start in named if text.startswith(start)]
        yield part._replace(**named.pop(begun[0])) if begun else part
    if named:
        raise ValueError(f"site/slides.toml: no part begins so: {[*named]}")


def stored(output, n=0):
    """What the cell of this number has stored, as a part, if a slide can show it."""
    data = output.get("data", {})
    text = data.get("text/plain", output.get("text", "")).strip()
    if "image/png" in data:
        picture = base64.b64encode(without_note(base64.b64decode(data["image/png"]))).decode()
        image = f'<img alt="{html.escape(text)}" data-cell="cell-{n}" src="data:image/png;base64,{picture}">'
        kind = "live" if text.startswith("Live figure") else "picture"
        yield Block(kind, f"<picture>\n{image}\n</picture>")  # a block for Markdown
    elif "text/html" in data:
        yield Block("table", with_minus(data["text/html"]))
    elif text and not FOR_READERS_OF_CODE.search(text):
        yield Block("print", f"<pre>{html.escape(text)}</pre>")


def is_stored(part):
    return part.kind in ("picture", "live") or (part.kind in DRAWN and part.text.startswith("<"))


def is_live(cell):
    """Whether the stored output of a cell is a live figure's."""
    said = (output.get("data", {}).get("text/plain", "") for output in cell.outputs)
    return any(text.startswith("Live figure") for text in said)


def in_sections(parts):
    """[[title, …], [heading of a section, …], …]"""
    found = []
    for part in parts:
        if part.kind == "section" or not found:
            found.append([])
        found[-1].append(part)
    return found


# ── The slides of a section ──


def filled(slides):
    """Slides of which a short one goes on with the words or table of the next, or ends the one before."""
    found = []
    for slide in slides:
        is_short = found and not slide.begins and min(found[-1].room, slide.room) <= FEW
        if is_short and found[-1].room + slide.room <= SCREEN:
            last = found.pop()
            slide = last._replace(html=last.html + slide.html, room=last.room + slide.room)
        found.append(slide)
    return found


def of_section(section, page, defining=frozenset()):
    """The slides of a section, whose parts these are. defining: paragraphs that say what a word means."""
    asked = [n for n, part in enumerate(section) if part.kind == "question"]
    shown = 0  # so many parts
    for n, end in pairwise([*asked, len(section)]):
        before, following = section[shown:n], section[n + 1 : end]
        numbers = {*needed(before), *steps(before, defining), *read(before)}
        alone, beside = divided(before, sorted(numbers), section[n].is_alone)
        if alone and n == asked[0] and before[0].kind == "prose":  # it says why, if there is room
            first = divided(before, sorted({0, *numbers}), section[n].is_alone)
            alone = first[0] if (len(first[0]), first[1]) == (len(alone), beside) else alone
        yield from words(before, alone, page)
        answers = [part.text for part in takewhile(lambda part: part.kind == "answer", following)]
        question = section[n].text.removeprefix("> **Predict.** ").replace("\n> ", "\n")
        outputs = answered(following)
        folds = "\n\n".join(answers).replace("<details>", "<details name='answers'>")
        if outputs and not any(is_stored(before[m]) for m in beside):
            folds = SENT.sub(lambda it: f"{it[0].replace('the next', 'the')}, on the next slide", folds)
        yield Slide("question", columns(said(before, beside), f"**{question}**\n\n{folds}", page))
        right = next(answer for answer in answers if "</summary>\n\nYes" in answer)
        shown = n + 1 + (outputs[-1] + 1 if outputs else 0)
        until = len(following) if end == len(section) else shown - n - 1
        spans = zip([0, *outputs[1:]], [*outputs[1:], until], strict=True)
        kept = [m for n in outputs for m in kept_with(following, n)]
        own = steps(following, defining, kept + outputs)
        left = [[m for m in own if start <= m < last] for start, last in spans]
        whole = f"*{question}*\n\n{as_line(right)}"
        if not outputs:  # the words that follow go on with the answer
            following[0], left[0] = Block("answer", whole), [0, *left[0]]
        answer = answer_slides(following, outputs, whole, page, concludes=not left[-1])
        for some_slides, some in zip(answer, left, strict=True):
            yield from some_slides
            where, concluded = concluding(following, outputs[-1:])
            concluded = concluded if some and some is left[-1] and where not in some else ""
            told = list(words(following, screens(following, some, SCREEN - len(concluded)), page))
            yield from told if outputs else [told[0]._replace(kind="answer"), *told[1:]]
            if concluded:
                yield Slide("words", as_html(concluded, page), len(concluded))
    if not asked:
        outputs = answered(section, len(section))
        before = section[: outputs[0]] if outputs else section
        first = needed(before)
        alone = screens(before, sorted(first + steps(before, defining, first)), SIDE)
        yield from [*words(before, alone, page), *joined(answer_slides(section, outputs, "", page))]


def room_of(parts, numbers):
    """The room that these parts take, in letters of prose."""
    room = 0
    for kind, text, *_ in (parts[n] for n in numbers):
        lines = max(text.count("<tr"), text.strip().count("\n")) if kind in ("table", "print") else 1
        room += COSTS[kind] * lines if kind in COSTS else len(text)
        room += LINE * text.count(r"\\") if kind == "formula" else 0
    return room


def divided(parts, numbers, is_alone=False):
    """(these numbers of parts by slides, those beside the question that follows, which may have to stand
    alone): as few slides as may be,
    the last and the question's about as full; if not all have room there, only what stands after the last
    cell of code; and where a table that is given stands on a slide before, that once more.
    """
    groups = together(parts, numbers)
    is_short = room_of(parts, numbers) <= SIDE and not any(parts[n].kind == "print" for n in numbers)
    start = -1 if is_short else after_code(parts, numbers)

    def split(cut):
        before, beside = screens(parts, joined(groups[:cut])), joined(groups[cut:])
        fullest = max(0, room_of(parts, beside) + ASKED, *(room_of(parts, slide) for slide in before[-1:]))
        return not beside, len(before), fullest, before, beside

    cuts = [n for n, group in enumerate(groups) if group[0] > start or group == groups[-1]]
    having = [cut for cut in cuts if not is_alone and room_of(parts, joined(groups[cut:])) <= SIDE]
    *_, before, beside = min(map(split, [*having, len(groups)]))
    tables = [n for n in joined(before) if parts[n].kind == "table" and not is_stored(parts[n])]
    given = [n for n in tables if not parts[n].stays][-1:]
    is_again = beside and room_of(parts, given + beside) <= SIDE
    return before, given + beside if is_again else beside


def joined(groups):
    return [n for group in groups for n in group]


def after_code(parts, numbers):
    """The number of the last cell of code before some of these parts that has drawn nothing, or -1."""
    drawn = {n - 1 for n, part in enumerate(parts) if part.kind in ("table", "picture", "live")}
    found = [n for n in range(max(numbers, default=0)) if parts[n].kind == "code" and n not in drawn]
    return max(found, default=-1)


def definitions(sections):
    """The paragraphs that set a word off for the first time, which stands plain later, but no conclusions."""
    kinds = "prose", "formula", "question"
    parts = [part for section in sections for part in section if part.kind in kinds]
    found, known = set(), set()
    for n, part in enumerate(parts):
        later = "\n\n".join(part.text for part in parts[n + 1 :])
        for _, name in NAMED.findall(part.text):
            comes_back = re.search(rf"(?<![\w*]){re.escape(name)}(?![\w*])", later)
            if comes_back and name not in known and not conclusion([part])[1]:
                found.add(part.text)
            known.add(name)
    return found


def steps(parts, defining, others=()):
    """The numbers of definitions, of what stays by hand with what stands before it, of formulas with what
    leads to them, of what an "And" goes on from, and of what is printed, or a table, that these announce or
    that is announced just before them or what concludes, with the "Why?" that follows it or a formula, but
    not these others, before a part with its own heading.
    """
    own = next((n for n, part in enumerate(parts) if part.kind == "part"), len(parts))
    found = {n for n in range(own) if parts[n].kind == "formula" or parts[n].text in defining}
    found |= {n - 1 for n in found if n and parts[n].kind == "formula" and parts[n - 1].kind == "prose"}
    found |= {n - 1 for n in found if n and parts[n].text.startswith("And ") and parts[n - 1].kind == "prose"}
    staying = [n for n in range(own) if parts[n].stays]
    before = [n for n in range(own) if parts[n].kind not in ("code", "answer")]
    found |= {*staying, *(max((m for m in before if m < n), default=n) for n in staying)}
    shown = [n for n in range(own) if parts[n].kind in ("table", "print") and is_stored(parts[n])]
    told = [*shown, *(n for n in found if parts[n].kind == "formula")]
    found |= {n + 1 for n in told if [*parts, Block("", "")][n + 1].text.startswith("Why? ")}
    leads = {n: max((m for m in range(n) if parts[m].kind != "code"), default=n) for n in shown}
    leads = {n: m for n, m in leads.items() if parts[m].text.endswith(":")}
    tables = [n for n in leads if parts[n].kind == "table" and n not in others]
    found |= {n + 1 for n in tables if n + 1 == conclusion(parts)[0]}
    led = {n: m for n, m in leads.items() if found & {m, n + 1}}
    return sorted((found | led.keys() | {*led.values()}).difference(others))


def screens(parts, numbers, room=SCREEN):
    """These numbers of parts by slides that have so much room, as few as may be, and each about as full."""
    groups, found = together(parts, numbers), []
    begun = {n for n, group in enumerate(groups) if n and parts[group[0]].begins}

    def fits(some):
        prose = [n for n in joined(some) if parts[n].kind == "prose" and len(parts[n].text) > SHORT]
        is_wall = len(prose) > 1 and room_of(parts, prose) > WALL
        others = [n for n in joined(some) if parts[n].kind != "picture"]  # which may stand beside it
        fitting = room if len(others) == len(joined(some)) else AROUND
        asks = any(parts[n].text.endswith("?**") for n in joined(some))  # a task, as a question does
        return len(some) == 1 or (room_of(parts, others) <= fitting and not is_wall and not asks)

    for cuts in (cuts for n in range(len(groups)) for cuts in combinations(range(1, len(groups)), n)):
        some = [groups[start:end] for start, end in pairwise([0, *cuts, len(groups)])]
        if begun <= {*cuts} and all(map(fits, some)) and (not found or len(some) == len(found[0])):
            found.append([joined(slide) for slide in some])
    return min(found, key=lambda slides: max(room_of(parts, slide) for slide in slides), default=[])


def together(parts, numbers):
    """These numbers of parts in groups that stay on one slide: what does so by hand; a formula with what
    leads to it; what a cell has stored, too, if that ends in a colon, and what reads a picture, or a table in
    one line, where it has room; a list, a line that asks, a "Why?", and what goes on in small letters or
    brackets, with what stands before.
    """
    found = []
    for n in numbers:
        kind, text, *_ = parts[n]
        last = parts[found[-1][-1]] if found else Block("", "")
        is_led = kind in DRAWN and last.text.endswith(":")
        room = room_of(parts, [m for m in [*joined(found[-1:]), n] if parts[m].kind != "picture"])
        is_line = last.kind == "table" and len(text) <= SHORT
        has_room = room <= AROUND and (is_line or last.kind == "picture")
        is_read = kind == "prose" and is_stored(last) and (len(found[-1]) == 1 or has_room)
        goes_on = (
            parts[n].stays
            or kind == "formula"
            or (kind == "prose" and re.match(r"[(a-z]|- |Why\? |.{,99}\?\**\Z", text))
        )
        if found and not parts[n].begins and (goes_on or is_led or is_read):
            found[-1].append(n)
        else:
            found.append([n])
    return found


def words(parts, screens, page):
    """Slides of these parts alone, whose numbers these are by slides."""
    for numbers in screens:
        is_drawn = any(parts[n].kind == "picture" for n in numbers)
        room = math.inf if is_drawn else room_of(parts, numbers)
        yield Slide("words", as_html(said(parts, numbers), page), room, begins=parts[numbers[0]].begins)


def needed(parts):
    """The numbers of what a question needs of the parts before it: the last, with one table or picture."""
    start = next((n + 1 for n in range(len(parts))[::-1] if parts[n].kind == "part"), 0)
    taken, room, is_drawn = [], PROSE, False
    for n in (n for n in range(start, len(parts))[::-1] if parts[n].kind in ("prose", *COSTS)):
        kind = parts[n].kind
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
    """The numbers of tables and pictures with the paragraphs that announce and read them, if one reads."""
    start = next((n + 1 for n in range(len(parts))[::-1] if parts[n].kind == "part"), 0)
    drawn = [n for n in range(start, len(parts) - 1) if parts[n].kind in ("table", "picture")]
    found = [n for n in drawn if is_stored(parts[n]) and parts[n + 1].kind == "prose"]
    led = [max((m for m in range(start, n) if parts[m].text.endswith(":")), default=n) for n in found]
    return [m for n, first in zip(found, led, strict=True) for m in {first, n, n + 1}]


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
    table where it stands before that, at most so many paragraphs away.
    """
    own = next((n for n, part in enumerate(parts) if part.kind == "part"), len(parts))
    drawn = [n for n in range(own) if parts[n].kind in ("picture", "live")][:1]
    tables = [n for n in range(*(drawn or [own])) if parts[n].kind == "table" and is_stored(parts[n])][:1]
    near = [n for n in tables if sum(part.kind == "prose" for part in parts[:n]) <= paragraphs]
    others = [n for n, part in enumerate(parts) if part.kind == "live"]
    return sorted({*near, *drawn, *others})


def conclusion(parts):
    """(its part's number, Markdown) of the last bold sentence of these parts, before one with a heading of
    its own; (-1, ""): there is none.
    """
    last = -1, ""
    for n, (kind, text, *_) in enumerate(parts):
        if kind == "part":
            break
        for bold, rest in BOLD.findall(text) if kind == "prose" and not text.startswith("- ") else ():
            if len(bold) > TERM and bold[-1] != "?":
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


def answer_slides(parts, outputs, answer, page, concludes=True):
    """Slides for each of these outputs: with the first, or after it if it is a live figure, the answer with
    its question, below it the words that are kept with it, and with the last the bold sentence, if it
    `concludes`. A picture with no room for all stands on the slide after them. Words that are kept with a
    live figure have its still with the answer, if that has room, and the figure after them; where nothing
    is asked they stand after it.
    """
    _, concluded = concluding(parts, outputs) if concludes else (-1, "")
    if not outputs:
        yield [Slide("answer", as_html(concluded, page), len(concluded))] if concluded else []
    for n in outputs:
        kept, last = said(parts, kept_with(parts, n)), [concluded] if n == outputs[-1] and concluded else []
        if parts[n].kind == "live":
            kept = TASK.sub("", kept).strip()
        below = "\n\n".join([kept, *last]).strip()
        has_room = len(answer + below) <= AROUND
        if parts[n].kind == "live":
            named = re.findall('controls: (.*?)"', parts[n].text)
            alone = Slide("figure", "", tasks=tasks(parts, n), controls="".join(named))
            still = parts[n].text if answer and kept and has_room else ""
            kind = "answer" if answer else "words"
            told = Slide(kind, as_html(answer, page) + still + as_html(below, page))
            if answer or kept:
                yield [told, alone] if still else [alone, told]
            else:
                yield [alone._replace(html=told.html)]
        else:
            is_drawn = parts[n].kind == "picture"
            room = math.inf if is_drawn else len(answer + below) + room_of(parts, [n])
            above, shown = as_html(answer, page), parts[n].text + as_html(below, page)
            made = [above, shown] if answer and is_drawn and not has_room else [above + shown]
            yield [Slide("answer", body, room) for body in made]
        answer = ""


def tasks(parts, output):
    """What the words around this live figure tell one to do with it: a sentence, that and the next …; the
    last, where it asks and the rest of its paragraph is short and answers, with that in a fold.
    """
    ends = [n for n, part in enumerate(parts) if is_stored(part) or part.kind in ("part", "question")]
    start = max((n + 1 for n in ends if n < output), default=0)
    end = min((n for n in ends if n > output), default=len(parts))
    texts = [part.text for part in parts[start:end] if part.kind == "prose"]
    found = [(task[0], text[task.end() :].strip()) for text in texts for task in TASK.finditer(text)]
    said = [*accumulate((re.sub(":$", ".", task) for task, _ in found), "{} {}".format)]
    if found and found[-1][0].endswith("?") and re.fullmatch(rf".{{,{SHORT}}}\.", found[-1][1]):
        said[-1] = f"<details><summary>{said[-1]}</summary>\n\n{found[-1][1]}\n\n</details>"
    return tuple(said)


def opened(fold):
    """Markdown of a task, as FOLD finds it, with its answer: of a live figure's in the same paragraph."""
    task, told = fold.groups()
    is_of_figure = any(one[0].endswith("?") and one.end() == len(task) for one in TASK.finditer(task))
    return f"{task} {told}" if is_of_figure else f"**{task}**\n\n{told}"


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
    made = re.sub(r"<code>(\d+) : (\d+)</code>", "\\1\u00a0:\u00a0\\2", made)  # a ratio is no code
    made = re.sub(r"\b([Ss]ection|[Nn]otebook) (?=\d)", "\\1\u00a0", made)
    made = re.sub(r"(?<=>)(\d\d) · ", "\\1\u00a0·\u00a0", made)  # a link to a notebook
    return made.replace('href="#', f'href="{page}#')


class Renderer(IPythonRenderer):
    def heading(self, text, level, **_):
        return f"<h{level}>{text}</h{level}>\n"

    def inline_math(self, body):
        return f'<span class="math">\\({html.escape(body)}\\)</span>'

    def block_math(self, body):
        return f'<div class="math">\\[{html.escape(body)}\\]</div>'
