"""Words on slides that an earlier notebook explains: which of them are explained again, and how briefly."""

import re

from tools import site_glossary

EXPLAINED, SMALL = 800, 0.6  # letters of a slide with words that it explains; the room of a letter of theirs
LINE, MOST = 90, 3  # letters of a line at a slide's foot; how many lines may stand there
LONGER = re.compile(r"\w{4,}")  # words: of a text that has nearly all of an explanation's it need not be said
NUMBER = re.compile(r"\d")
OTHER = 0.3  # of them, which a text may lack
LEANS = re.compile(r"^(?:Then|That|This)\b|\b(?:[Ii]t|[Ss]uch|this)\b")  # a sentence on the one before it


def explained(slides, notebook, as_html):
    """Slides (of `tools.slides`) that explain words as an earlier notebook than this (its index) does, where
    there is room; a live figure explains what its controls are called, in two lines, but in no words that
    give a number: a control may change it.

    as_html: a function of Markdown and the name of its page.
    """
    known = {term for term in site_glossary.terms() if term.notebook >= notebook}
    for slide in slides:
        page, letters = slide.html, (EXPLAINED - slide.room) / SMALL
        if slide.controls:
            page, letters = "", 2 * LINE
        told = ""
        for term in unknown(page, known, letters, slide.controls):
            told += f"<dt>{term.name}</dt><dd>{as_html(brief(term), f'{term.page}.html')}</dd>"
        yield slide._replace(html=f"{slide.html}<dl>{told}</dl>" if told else slide.html)


def brief(term):
    """Markdown of what its notebook says of a word, if that is one line, or else the first sentence there
    that names it and those on which this leans. What the word means, where that is shorter, or its notebook
    doesn't set it off.

    >>> brief(next(term for term in site_glossary.terms() if term.name == "query"))
    "A word's question, *what am I looking for?*, is its query."
    """
    if not set_off(term, " ".join(term.said or term.adds), r"\*"):
        return term.means
    if len(re.sub(r"[*$`\\]", "", term.introduced)) <= LINE:
        return term.introduced
    sentences = re.split(r"(?<=[.!?])\s+(?=[^a-z])", term.introduced)
    last = next((n for n, sentence in enumerate(sentences) if [*term.found(sentence)]), 0)
    first = last
    while first and LEANS.search(sentences[first]):
        first -= 1
    return min(term.means, " ".join(sentences[first : last + 1]), key=len)


def set_off(term, text, before, after=None):
    """Whether a text sets the word off, in any of its forms, between two patterns or one of them twice."""
    forms = "|".join(map(re.escape, term.forms))
    return bool(re.search(rf"{before}(?:{forms}){after or before}", text))


def lines(term):
    """How many lines the word and its brief explanation take."""
    return -(-len(f"{term.name}  " + re.sub(r"[*$`\\]", "", brief(term))) // LINE)


def unknown(page, known, room, controls=""):
    """The words in some HTML that are not among the known ones, in their order there: as many as so many
    letters explain, in three lines. They are known from now on, and so is what the HTML sets off itself, or
    says in much the same words. A single word of every day comes after the others, and only with another
    of its notebook; among the names of controls each counts.
    """
    text, found, left = re.sub("<[^>]*>", " ", page), [], min(MOST, room / LINE)
    terms = [term for term in site_glossary.terms() if not term.is_used]  # no notebook explains those
    places = {term: place.start() for term in terms for place in [next(term.found(text), None)] if place}
    everyday = {term for term in terms if term.is_everyday and " " not in term.name}
    sure = {term.notebook for term in places if term not in everyday}
    named = [term for term in terms if any(term.found(controls)) and not NUMBER.search(brief(term))]
    wanted = [term for term in places.keys() - known if term.notebook in sure and term not in named]
    wanted.sort(key=lambda term: (term in everyday, places[term]))
    for term in [*(term for term in named if term not in known), *wanted]:
        is_set_off = set_off(term, page, "<(?:em|strong)>", "<")
        said = set(LONGER.findall(term.plain.lower())).difference(*map(LONGER.findall, term.forms))
        if is_set_off or len(said - set(LONGER.findall(text.lower()))) < OTHER * len(said):
            known.add(term)
        elif lines(term) <= left:
            left -= lines(term)
            known.add(term)
            found.append(term)
    return found
