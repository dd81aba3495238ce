"""The index of the site's search, for `site/search.js`: prose by page and section, and the course's words."""

import json
import re
import unicodedata

from bs4 import BeautifulSoup

from tools.site_pages import in_folds

END = (*".!?:…",)  # of a paragraph
ENDS = tuple(end + mark for end in END for mark in ("", *')”’"'))
PROSE = ("p", "li", "summary", "td", "th")
FEWEST = 4  # words of a sentence
SIGNS = {
    "approx": "≈",
    "cdot": "·",
    "dots": "…",
    "ge": "≥",
    "infty": "∞",
    "le": "≤",
    "lfloor": "⌊",
    "pm": "±",
    "rfloor": "⌋",
    "times": "×",
}  # by their names in TeX
FUNCTIONS = "cos|ln|sin"
LONGEST = 60  # letters of a formula in a line of text
ONWARD = "Next:"  # so begins a line that only names other pages
OF_SPHINX = r"<script[^>]*(?:searchtools|language_data|searchindex)\.js[^>]*></script>"


def write_index(made, pages, terms):
    """Write `search.json` into the folder of a site that Sphinx made, in place of Sphinx's own index.

    pages: the names of the pages that are searched, such as "08_rotary".
    terms: the words of the course, each a `site_glossary.Term`.
    """
    index = {
        "pages": [entry(name, (made / f"{name}.html").read_text("utf-8")) for name in pages],
        "words": [
            {
                "name": it.name,
                "id": it.place,
                "page": "" if it.is_used else it.page,  # which explains it
                "heading": "" if it.is_used else it.heading,
                "forms": it.forms + it.asked + it.see,
                "text": it.plain,
            }
            for it in terms
        ],
    }
    (made / "search.json").write_text(json.dumps(index, ensure_ascii=False), "utf-8")
    for page in made.glob("*.html"):
        page.write_text(re.sub(OF_SPHINX, "", page.read_text("utf-8")), "utf-8")
    (made / "searchindex.js").unlink()


def entry(name, page):
    """{"page": …, "title": …, "sections": [[id, heading, paragraphs, is optional, others], …]}, without code.

    A paragraph that a formula on a line of its own goes on from ends in "…"; one that leads on is left out.
    Others are what is no sentence, such as the cells of a table: found, but not shown.

    >>> page = "<article><section id='a'><h1>On a</h1><p>It is really <b>a</b>.</p></section></article>"
    >>> entry("01", page)
    {'page': '01', 'title': 'On a', 'sections': [['a', 'On a', ['It is really a.'], False, []]]}
    """
    article = BeautifulSoup(in_folds(page), "html.parser").article
    no_text = ".cell, .live-figure, .headerlink, script, style, pre, .paper-words"
    for part in article.select(no_text):
        part.decompose()
    for part in article.select("p:has(.ways)"):
        if needs := needed(part):
            part.string = needs
        else:
            part.decompose()
    for formula in article.select("div.math"):
        before = formula.find_previous_sibling()
        if before and before.name == "p" and before.text.rstrip()[-1:] not in END:
            before.append(" …")
    for formula in article.select(".math"):
        formula.replace_with(as_letters(re.sub(r"^\\[([]|\\[)\]]$", "", formula.text.strip())))
    sections = []
    for section in article.select("section[id]"):
        heading = section.find(["h1", "h2", "h3"])
        own = [part for part in section.find_all(PROSE) if part.find_parent("section") is section]
        innermost = [(words(part), is_prose(part)) for part in own if not part.find(PROSE)]
        is_optional = section.find_parent(id="going-deeper") is not None
        found = [each for each in innermost if each[0] and not each[0].startswith(ONWARD)]
        texts = [text for text, is_sentence in found if is_sentence]
        others = [text for text, is_sentence in found if not is_sentence]
        sections.append([section["id"], words(heading), texts, is_optional, others])
    return {"page": name, "title": sections[0][1], "sections": sections}


def needed(facts):
    """What the line below a title says that a reader needs, as a sentence; "" for another notebook."""
    for part in facts.select(".ways"):
        part.decompose()
    needs = facts.text.partition("needs: ")[2].strip()
    return f"Needs: {needs}." if needs and not facts.a else ""


def as_letters(tex):
    """A formula as a line of text; "…" where it is no such line.

    >>> [as_letters(tex) for tex in (r"2\\cos \\omega_i k", r"\\sqrt{d/2}", r"e^{-t}", r"QK^\\top")]
    ['2 cos ω_i k', '√(d/2)', 'e^(−t)', 'QKᵀ']
    >>> [as_letters(tex) for tex in (r"-\\tfrac14", r"\\sum_i x_i", r"\\|a\\|^2 \\approx \\ln\\text{base}")]
    ['−1/4', '…', '‖a‖² ≈ ln base']
    >>> as_letters(r"\\text{half-split} - 1")
    'half-split − 1'
    """
    text = re.sub(r"(\\text\{[^{}]*\})|-", lambda it: it[1] or "−", tex)  # in words it is a hyphen
    text = re.sub(rf"(?<=\w)(?=\\(?:{FUNCTIONS}))", " ", text)
    text = re.sub(rf"(\\(?:{FUNCTIONS}))(?=\\)", r"\1 ", text)
    text = re.sub(r"\\(?:text|mathrm|operatorname)(?:\{([^{}]*)\}| (\w))", lambda it: it[1] or it[2], text)
    text = re.sub(r"\\[, ]", " ", text).replace(r"\!", "").replace(r"\|", "‖")
    text = re.sub(r"\\t?frac(?:\{([^{}]*)\}\{([^{}]*)\}|(\w)(\w))", fraction, text)
    text = re.sub(r"\^\{?\\top\}?", "ᵀ", text)
    text = re.sub(r"\\([A-Za-z]+)", sign, text)
    text = re.sub(r"(√ ?|\^)\{([^{}]*)\}", lambda it: it[1].strip() + in_brackets(it[2]), text)
    text = re.sub(r"√ (?=\w)", "√", re.sub(r"\^2(?!\w)", "²", re.sub(r"_\{(\w+)\}", r"_\1", text)))
    text = " ".join(text.split())
    return "…" if re.search(r"[\\{}&]", text) or len(text) > LONGEST else text


def in_brackets(text):
    return text if len(text) == 1 else f"({text})"


def fraction(found):
    over, under = (part for part in found.groups() if part is not None)
    return f"{in_brackets(over)}/{in_brackets(under)}"


def sign(found):
    """What a name in TeX stands for, if that is a letter or a word."""
    name = found[1]
    if name in FUNCTIONS.split("|") or name in SIGNS or name == "sqrt":
        return {**SIGNS, "sqrt": "√"}.get(name, name)
    case, letter = ("SMALL" if name.islower() else "CAPITAL"), name.upper().replace("LAMBDA", "LAMDA")
    try:
        return unicodedata.lookup(f"GREEK {case} LETTER {letter}")
    except KeyError:
        return found[0]


def is_prose(part):
    """Whether a part of a page is sentences, and no cell of a table or a name."""
    text = words(part)
    return part.name not in ("td", "th") and text.endswith(ENDS) and len(text.split()) >= FEWEST


def words(part):
    return " ".join(part.get_text().split())
