"""What Sphinx wrote, made light: formulas are set and icons are drawn here, not in the reader's browser.

KaTeX sets the formulas, with MathML for those who listen; it needs node. A page fetches its style sheet and
the fonts that it uses, in place of a program of a megabyte, and icons as a few paths in place of all 2,000.
"""

import html
import json
import re
import shutil
import struct
import subprocess
import sys
from itertools import groupby, pairwise
from pathlib import Path

import tinycss2

from live_figures.dark import VALUES

KATEX = Path(sys.prefix) / "node_modules" / "katex"  # where the Makefile puts it
# as Sphinx writes them
FORMULA = r'<(?P<tag>span|div) class="math[^"]*"[^>]*>\s*\\([(\[])(.*?)\\[)\]]\s*</(?P=tag)>'
BEFORE, AFTER = r"([(“‘]*)", r"([.,;:!?)”’]*)"  # marks, which stay on the line of a short formula
ICON = r'<(i|span) class="([^"]*\bfa[bs]? [^"]*|[^"]*\bfa-(?:solid|brands) [^"]*)"([^>]*)>\s*</\1>'
PICTURE = r'<img alt="([^"]*)"(?: class="(cell-\d+)")? src="(_images/[^"]*)" />'  # of a cell
OF_SLIDES = r'<picture>\n<img alt="([^"]*)" data-cell="(cell-\d+)" src="[^"]*">\n</picture>'
PHONE = "(max-width: 599px)"  # pages that `recording.js` calls narrow
DOTS = {"slide": 2, "paper": 4 / 3}  # of pictures whose letters have 22 pixels: on each of these
ON_PAPER = 32 / 3  # pixels that these letters have there: 8 points
HIGH = 345  # pixels there: more than 9 cm, which only pictures have whose rows need it
# keys can scroll it
PRE = r'(<div class="(output )?[^"]*highlight-[^"]*"><div class="highlight">)<pre>(?=(.*?)</pre>)'
DRAWN = r"[\u2500-\u257f]"  # with what some code draws lines
NAMES = {"Toggle primary sidebar": "All notebooks", "Toggle secondary sidebar": "Contents of this page"}
# "Skip to main content" leads to the title, which takes the focus, so that it is seen where one is: in the
# main part the theme's buttons stand before it
MAIN, TEXT = '<a href="#main-content">', '<a href="#page-text">'
ARTICLE, TITLE = '<article class="bd-article">', "<h1>"
NAMED_TITLE = '<h1 id="page-text" tabindex="-1">'
DARK_FILTER = f"""<svg width="0" height="0" style="position: absolute" aria-hidden="true">
<filter id="dark-picture" color-interpolation-filters="sRGB">
<feColorMatrix values="{VALUES}"/></filter></svg>
</body>"""
SHORT = 25  # letters of TeX or code: a longer one may go on in the next line
CODE = r'<code class="docutils literal notranslate">(.*?)</code>'
NO_TEXT = r"(<(pre|script|style|math)\b.*?</\2>|<[^>]+>)"
PAIR = r"(\([-−]?[\w.]{1,6},) ([-−]?[\w.]{1,6}\))"
# every browser has taken woff2 for years
OTHER_FORMATS = r',url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)'
# a letter that KaTeX has no shape for is an error; a word in another script is not
SET = """const katex = require(process.argv[1])
const formulas = JSON.parse(require('fs').readFileSync(0, 'utf8'))
const strict = code => (code === 'unknownSymbol' ? 'error' : 'ignore')
const set = ([open, tex]) => katex.renderToString(tex, { displayMode: open === '[', strict })
console.log(JSON.stringify(formulas.map(set)))"""


def make_light(made):
    """Set the formulas and draw the icons of all pages in the folder of a site that Sphinx made.

    Raises SystemExit where node or KaTeX is missing, or where a formula cannot be set.
    """
    script = made / "_static" / "scripts" / "fontawesome.js"
    icons = script.read_text("utf-8")
    pages = {file: in_folds(file.read_text("utf-8")) for file in made.glob("*.html")}
    found = dict.fromkeys(
        (written[2], html.unescape(written[3]))
        for page in pages.values()
        for written in re.finditer(FORMULA, page, re.S)
    )
    formulas = dict(zip(found, set_formulas(list(found)), strict=True))
    copy_katex(made / "_static" / "katex")
    style = '<link rel="stylesheet" href="_static/katex/katex.min.css">\n</head>'
    for file, page in pages.items():
        page, number = re.subn(
            BEFORE + FORMULA + AFTER, lambda it: formula(formulas, it[1], *it.groups()[2:]), page, flags=re.S
        )
        page = page.replace("</head>", style, 1) if number else page
        page = with_stills(page, made, file.stem)
        page = re.sub(PRE, named, with_short_parts_whole(page), flags=re.S)
        page = page.replace(' aria-label="Toggle hidden content"', "")  # the fold's words are its name
        for name, better in NAMES.items():
            page = page.replace(f'"{name}"', f'"{better}"')
        if ARTICLE in page:
            before, article, text = page.partition(ARTICLE)
            if TITLE in text:
                before, text = before.replace(MAIN, TEXT, 1), text.replace(TITLE, NAMED_TITLE, 1)
            page = before + article + text
        page = page.replace("</body>", DARK_FILTER, 1)
        page = with_whites(page, pages.get(file.with_stem(file.stem.removesuffix("_slides")), ""))
        page = re.sub(r"<script[^>]*fontawesome\.js[^>]*></script>\n?", "", page)
        file.write_text(re.sub(ICON, lambda it: icon(icons, it[2], it[3]), page), "utf-8")
    for file in {*script.parent.glob("fontawesome.js*"), *made.rglob("*.map")}:  # a map is for a debugger
        file.unlink()
    trim_theme(made)


def trim_theme(made):
    """Leave out of the theme's style sheet the rules for classes and ids that no page or script holds."""
    theme = made / "_static" / "styles" / "pydata-sphinx-theme.css"
    texts = [file.read_text("utf-8") for kind in ("html", "js") for file in made.rglob(f"*.{kind}")]
    held = {word for text in texts for word in re.findall(r"[\w-]+", text)}
    rules = tinycss2.parse_stylesheet(theme.read_text("utf-8"), skip_comments=True, skip_whitespace=True)
    theme.write_text("".join(used_rules(rules, held)), "utf-8")


def used_rules(rules, held):
    """The text of each CSS rule that may apply where classes and ids are among the words that are held.

    >>> rules = tinycss2.parse_stylesheet(".a .b, .c:not(.d) {x: 1}@media print {#e {y: 2}}.c p {z: 3}")
    >>> list(used_rules(rules, {"a", "c"}))
    [' .c:not(.d) {x: 1}', '.c p {z: 3}']
    """
    for rule in rules:
        if rule.type == "qualified-rule":
            # what stands in brackets, as :not(.d), is one token
            parts = [list(part) for _, part in groupby(rule.prelude, lambda token: token == ",")]
            used = [tinycss2.serialize(selector) for selector in parts[::2] if names_of(selector) <= held]
            if used:
                yield f"{','.join(used)}{{{tinycss2.serialize(rule.content)}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inside = "".join(used_rules(tinycss2.parse_rule_list(rule.content), held))
            if inside.strip():
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}"
        else:
            yield rule.serialize()


def names_of(selector):
    """The classes and ids that a selector asks for."""
    classes = {after.value for dot, after in pairwise(selector) if dot == "." and after.type == "ident"}
    return classes | {token.value for token in selector if token.type == "hash"}


def with_whites(deck, page):
    """A deck whose pictures stand on white on a dark page where those of its notebook's page do.

    >>> page = '<div class="cell tag_on-white" id="cell-3"><div id="figure-1"></div></div>'
    >>> with_whites('<div class="live-figure" id="figure-1"><i><picture data-cell="cell-4">', page)
    '<div class="live-figure on-white" id="figure-1"><i><picture data-cell="cell-4">'
    """
    white = False
    for found in re.finditer(r'<div class="cell([^"]*)" id="(cell-\d+)"|id="(figure-\d+)"', page):
        tags, cell, figure = found.groups()
        white = "tag_on-white" in tags if cell else white
        if white and cell:
            deck = deck.replace(
                f'<picture data-cell="{cell}"', f'<picture class="on-white" data-cell="{cell}"'
            )
        elif white:
            deck = deck.replace(f'"live-figure" id="{figure}"', f'"live-figure on-white" id="{figure}"')
    return deck


def with_stills(page, made, name):
    """A page, called so, where a cell's picture leads to itself; slides have the picture made for them, and
    phones have one, if there is one. Paper has that of slides, or one of its own.
    """

    def still(found):
        said, cell, address = found.groups()
        narrow = f"_static/{name}/{cell}-narrow.png"
        shown = picture(made, address, narrow, said)
        forms = (f"_static/{name}/{cell}-{form}.png" for form in DOTS)
        printed = next((on_paper(made, form, said) for form in forms if (made / form).exists()), "")
        return f'<a href="{address}" aria-label="Open the picture: {said}">{shown}</a>{printed}'

    def on_slide(found):
        said, cell = found.groups()
        own = f"_static/{name.removesuffix('_slides')}/{cell}"
        wide, low, narrow = (f"{own}-{form}.png" for form in ("slide", "low-slide", "narrow"))
        wide = low if (made / low).exists() else wide
        shown = picture(made, wide, narrow, said, "eager") if (made / wide).exists() else found[0]
        return shown.replace("<picture>", f'<picture data-cell="{cell}">')

    return re.sub(OF_SLIDES, on_slide, re.sub(PICTURE, still, page))


def picture(folder, address, narrow, said, loading="lazy"):
    """HTML of a picture; a phone has that at `narrow`, if it is there.

    folder: where these addresses begin. said: what the picture shows, as HTML. loading: "lazy", when a reader
    comes near it, or "eager".
    """
    source = ""
    if (folder / narrow).exists():
        width, height = size_of(folder / narrow)
        source = f'<source media="{PHONE}" srcset="{narrow} 2x" width="{width // 2}" height="{height // 2}">'
    width, height = size_of(folder / address)
    size = f'width="{width}" height="{height}" loading="{loading}"'
    return f'<picture>{source}<img alt="{said}" src="{address}" {size}></picture>'


def on_paper(folder, address, said):
    """HTML of a picture for paper alone: its letters, of 22 pixels on slides, have 8 points there."""
    dots = next(number for form, number in DOTS.items() if f"-{form}" in address)
    width, height = (round(each / dots * ON_PAPER / 22) for each in size_of(folder / address))
    size = f'width="{width}" height="{height}" loading="lazy"'
    form = "on-paper on-paper-high" if height > HIGH else "on-paper"
    return f'<img class="{form}" alt="{said}" src="{address}" {size}>'


def size_of(file):
    """(width, height) of a PNG in dots."""
    return struct.unpack(">II", file.read_bytes()[16:24])


def named(found):
    """What a match of `PRE` becomes: it has a name, read where the focus comes; a drawing is a picture.

    >>> text = '<div class="highlight-text"><div class="highlight"><pre>a  b\\n└─►\\nb  a</pre>'
    >>> print(re.search("<pre [^>]*>", re.sub(PRE, named, text, flags=re.S))[0])
    <pre role="img" aria-label="Arrows from “a b” to “b a”">
    """
    text = re.sub("<[^>]*>", "", found[3])
    if re.search(DRAWN, text):
        words = [" ".join(line.split()) for line in text.splitlines() if not re.search(DRAWN, line)]
        return f'{found[1]}<pre role="img" aria-label="Arrows from “{words[0]}” to “{words[-1]}”">'
    name = "Output" if found[2] else "Code"
    return f'{found[1]}<pre role="group" aria-label="{name}">'


def with_short_parts_whole(page):
    """A page where short code, and a pair of numbers, are not parted at the end of a line.

    >>> with_short_parts_whole("<p>His key (2, -1)</p><pre>(2, 0)</pre>")
    '<p>His key (2,\\xa0-1)</p><pre>(2, 0)</pre>'
    >>> code = '<code class="docutils literal notranslate"><span>f(a,</span> <span>b)</span></code>'
    >>> with_short_parts_whole(code)
    '<code class="docutils literal notranslate short"><span>f(a,</span> <span>b)</span></code>'
    """

    def short(code):
        is_short = len(html.unescape(re.sub("<[^>]*>", "", code[1]))) <= SHORT
        return code[0].replace('notranslate"', 'notranslate short"', 1) if is_short else code[0]

    parts = re.split(NO_TEXT, re.sub(CODE, short, page, flags=re.S), flags=re.S)
    texts = [re.sub(PAIR, "\\1\xa0\\2", text) for text in parts[::3]]
    tags = [*parts[1::3], ""]
    return "".join(text + tag for text, tag in zip(texts, tags, strict=True))


def in_folds(page):
    r"""A page where formulas in the words of folds, which are HTML and no Markdown, are marked as all are.

    >>> in_folds("<summary>On $k$</summary> $5")
    '<summary>On <span class="math">\\(k\\)</span></summary> $5'
    """

    def marked(fold):
        return re.sub(r"\$([^$]+)\$", r'<span class="math">\\(\1\\)</span>', fold[0])

    return re.sub("<summary>.*?</summary>", marked, page)


def formula(formulas, before, opening, tex, after):
    """A formula that was set, with the marks that stand before it and behind it.

    >>> formula({("(", "d"): "𝑑"}, "(", "(", "d", "")
    '<span style="white-space: nowrap">(𝑑</span>'
    """
    done = before + formulas[opening, html.unescape(tex)] + after
    if not (before or after) or len(tex) > SHORT or opening == "[":
        return done
    return f'<span style="white-space: nowrap">{done}</span>'


def set_formulas(formulas):
    """The HTML of formulas, [(its opening, "(" within a line or "[" on lines of its own; its TeX), …]."""
    if not (KATEX.exists() and shutil.which("node")):
        raise SystemExit("KaTeX sets the formulas: install node 18 or newer with npm, then `make site`")
    command = ["node", "-e", SET, str(KATEX)]
    done = subprocess.run(command, input=json.dumps(formulas), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"KaTeX could not set a formula: {done.stderr.strip()}")
    return json.loads(done.stdout)


def copy_katex(target):
    """Its style sheet and fonts, each in the one format that every browser takes."""
    (target / "fonts").mkdir(parents=True)
    for file in (KATEX / "dist" / "fonts").glob("*.woff2"):
        shutil.copy(file, target / "fonts")
    shutil.copy(KATEX / "LICENSE", target)
    style = (KATEX / "dist" / "katex.min.css").read_text("utf-8")
    (target / "katex.min.css").write_text(re.sub(OTHER_FORMATS, "", style), "utf-8")


def icon(icons, classes, attributes):
    """An icon of the theme's Font Awesome as an element of its own, with the classes that the theme styles.

    >>> print(icon('{sun:[512,512,[1],"f185","M1 2z"]}', "fa-solid fa-sun", ' data-mode="light"'))
    <svg class="svg-inline--fa fa-solid fa-sun" data-mode="light" viewBox="0 0 512 512" aria-hidden="true">...
    """
    names = re.findall(r"\bfa-([a-z-]+)", classes)
    for name in names:
        if found := re.search(rf'[{{,]"?{name}"?:\[(\d+),(\d+),\[[^]]*\],"\w+","([^"]+)"\]', icons):
            width, height, path = found.groups()
            return (
                f'<svg class="svg-inline--fa {classes}"{attributes} viewBox="0 0 {width} {height}"'
                f' aria-hidden="true"><path fill="currentColor" d="{path}"/></svg>'
            )
    raise SystemExit(f"the theme has no icon of these names: {names}")
