"""The index of the site's search, for `site/search.js`: prose by page and section, and the course's words."""

import json
import re

from bs4 import BeautifulSoup

PROSE = ("p", "li", "summary", "td", "th")
OF_SPHINX = r"<script[^>]*(?:searchtools|language_data|searchindex)\.js[^>]*></script>"


def write_index(made, pages, terms):
    """Write `search.json` into the folder of a site that Sphinx made, in place of Sphinx's own index.

    pages: the names of the pages that are searched, such as "08_rotary".
    terms: the words of the course, each a `site_glossary.Term`.
    """
    index = {
        "pages": [entry(name, (made / f"{name}.html").read_text("utf-8")) for name in pages],
        "words": [{"name": it.name, "id": it.place, "forms": it.forms, "text": it.plain} for it in terms],
    }
    (made / "search.json").write_text(json.dumps(index, ensure_ascii=False), "utf-8")
    for page in made.glob("*.html"):
        page.write_text(re.sub(OF_SPHINX, "", page.read_text("utf-8")), "utf-8")
    (made / "searchindex.js").unlink()


def entry(name, page):
    """{"page": …, "title": …, "sections": [[id, heading, paragraphs], …]} of a page, without its code.

    >>> page = "<article><section id='a'><h1>On a</h1><p>It is <b>a</b>.</p></section></article>"
    >>> entry("01", page)
    {'page': '01', 'title': 'On a', 'sections': [['a', 'On a', ['It is a.']]]}
    """
    article = BeautifulSoup(page, "html.parser").article
    for part in article.select(".cell, .live-figure, .headerlink, script, style, pre"):
        part.decompose()
    for formula in article.select(".math"):
        text = re.sub(r"^\\[([]|\\[)\]]$", "", formula.text.strip())
        formula.replace_with(text if re.fullmatch(r"[\w\s=+·(),.-]{1,20}", text) else "…")
    sections = []
    for section in article.select("section[id]"):
        heading = section.find(["h1", "h2", "h3"])
        own = [part for part in section.find_all(PROSE) if part.find_parent("section") is section]
        innermost = [words(part) for part in own if not part.find(PROSE)]
        sections.append([section["id"], words(heading), [text for text in innermost if text]])
    return {"page": name, "title": sections[0][1], "sections": sections}


def words(part):
    return " ".join(part.get_text().split())
