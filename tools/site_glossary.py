"""The words of the course: a page of them, and on every later page a word that can be asked what it means.

A sentence of its own says what a word means, for those who read nothing else. Where the notebook that says it
first says more, it is quoted; site/glossary.toml has both.
"""

import html
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

import nbformat

from tools import site_claims, site_search
from tools.course import NOTEBOOKS, ROOT

FILE = ROOT / "site" / "glossary.toml"
HEADING = re.compile(r"^#{1,4} (.+)$", re.M)
SECTION = re.compile(r"^##? (.+)$", re.M)
END_OF_THE_PATH = re.compile(r"^## (What you saw|Exercises|Going deeper|Sources)", re.M)
EMPHASIS = re.compile(r"(?<!\*)\*[^*\n]+\*(?!\*)")
NOT_PROSE = (
    r"<details>.*?</details>|<a .*?</a>|^>.*?$|^- .*?$|^\|.*?$"  # answers, claims, questions, lists, tables
)


@dataclass(frozen=True)
class Term:
    """A word of the course.

    notebook: the index of the notebook that says first what it means, in the passages `said` and `adds`, in
    Markdown. means: a sentence of its own, for those who read nothing else; `adds` says what it doesn't.
    forms: the word and what else it is called. is_everyday: whether it is also a word of every day.
    asked: what else readers look for who mean it; see: such words that stand on the page, too.
    is_used: whether its notebook only uses it; more: (notebook, passage) of another that says more, or None.
    """

    name: str
    notebook: int
    means: str
    said: tuple
    adds: tuple
    forms: tuple
    is_everyday: bool
    asked: tuple
    see: tuple
    is_used: bool
    more: tuple | None

    @property
    def page(self):
        """The name of the page that explains it."""
        return NOTEBOOKS[self.notebook].stem

    @property
    def heading(self):
        """The heading of the section that explains it, as its page has it."""
        return heading_of(self).replace("'", "’")

    @property
    def place(self):
        """The anchor of the word on the page of all words."""
        return place_of(self.name)

    @property
    def quote(self):
        """What its notebook says besides, or ""."""
        return alone(self.adds)

    @property
    def introduced(self):
        """What its notebook says where it introduces the word."""
        return alone(self.said or self.adds)

    @property
    def sentence(self):
        """What is said of it, in Markdown: what it means, and then what its notebook says besides."""
        return f"{self.means} {self.quote}".rstrip()

    @property
    def plain(self):
        """The sentence as a text without Markdown."""
        text = re.sub(r"\$([^$]+)\$", lambda found: site_search.as_letters(found[1]), self.sentence)
        return re.sub(r"[*$`]", "", text)

    @property
    def other_names(self):
        """What else it is called, without plurals and parts of its name.

        >>> [term.other_names for term in terms() if term.name in ("rate", "dot product", "sliding window")]
        [['scalar product'], ['angle rate'], []]
        """
        usual = {form[:-1] + end for form in self.forms for end in ("s", "ies", "ces")}
        usual |= {form + end for form in self.forms for end in ("s", "es")}
        return [form for form in self.forms if form not in usual and form not in self.name]

    def found(self, text):
        """The places in a text where the word stands, in any of its forms."""
        forms = "|".join(map(re.escape, sorted(self.forms, key=len, reverse=True)))
        return re.finditer(rf"(?<![\w-])(?:{forms})(?![\w-])", text, 0 if self.name[0].isupper() else re.I)


def place_of(name):
    """The anchor of a word, or of another name of it, on the page of all words.

    >>> place_of("dot product")
    'term-dot-product'
    """
    return f"term-{name.replace(' ', '-')}"


def alone(passages):
    """Passages of a notebook as sentences that stand alone: what is bold or a link is so for its reader.

    >>> alone(["the **base**", "a [hand](#hand) turns."])
    'The base. A hand turns.'
    """
    return re.sub(r"\[([^]]*)\]\([^)]*\)|\*\*", r"\1", " ".join(map(as_sentence, passages)))


def as_sentence(passage):
    """A part of a sentence with a capital letter and a full stop; formulas and code stay as they are.

    >>> as_sentence("*variance*: the mean squared distance")
    '*Variance*: the mean squared distance.'
    """
    begun = re.sub(r"^(\**)(\w)", lambda found: found[1] + found[2].upper(), passage)
    return begun if re.search(r"[.!?][*)]*$", begun) else f"{begun}."


@cache
def terms():
    """The words, in the order of their notebooks.

    >>> rate = next(term for term in terms() if term.name == "rate")
    >>> rate.notebook, rate.plain[-33:]
    (1, 'in formulas ω. A full turn is 2π.')
    """
    told = tomllib.loads(FILE.read_text("utf-8"))

    def passages(said):
        return (said,) if isinstance(said, str) else tuple(said)

    return tuple(
        Term(
            name,
            int(it["notebook"]),
            it["means"],
            passages(it.get("said", ())),
            passages(it.get("adds", ())),
            (name, *it.get("also", ())),
            it.get("everyday", False),
            tuple(it.get("asked", ())),
            tuple(it.get("see", ())),
            it.get("used", False),
            (int(it["more"]["notebook"]), it["more"]["said"]) if "more" in it else None,
        )
        for name, it in told.items()
    )


def heading_of(term, kind=HEADING):
    """The heading, of this kind, of the section that says what the word means: raises LookupError."""
    passages = term.said + term.adds
    headings = [heading_above(term.notebook, passage, kind) for passage in passages]
    named = (heading for heading, passage in zip(headings, passages, strict=True) if [*term.found(passage)])
    return next(named, headings[0])


def heading_above(number, passage, kind=HEADING):
    """The heading, of this kind, of the section of a notebook that has this passage: raises LookupError."""
    heading = None
    for cell in nbformat.read(NOTEBOOKS[number], as_version=4).cells:
        if cell.cell_type == "markdown":
            at = cell.source.find(passage)
            end = cell.source.find("\n", at) if at >= 0 else -1  # a heading may say it itself
            before = cell.source[: end if end >= 0 else len(cell.source)]
            heading = (kind.findall(before) or [heading])[-1]
            if at >= 0:
                return heading
    raise LookupError(f"notebook {number:02} does not say {passage!r}")


def page():
    """Markdown of the page of all words, by the alphabet."""
    ordered = sorted(terms(), key=lambda term: term.name.lower())
    led = [(name, term) for term in ordered for name in elsewhere(term)]
    entries = sorted([*((term.name, term) for term in ordered), *led], key=lambda entry: entry[0].lower())
    first = {}  # of each letter
    for name, _ in entries:
        first.setdefault(name[0].upper(), place_of(name))
    letters = "\n".join(to_word(letter, place) for letter, place in sorted(first.items()))
    about = "What each word means in this course. Where a notebook explains it, a link below leads there, "
    about += "“09 · 2” in notebook 09, section 2; some are quoted."
    bar = f'<nav class="letters" aria-label="Words by their first letter">\n{letters}\n</nav>'
    lines = ["# Words of this course", about, bar]
    for name, term in entries:
        letter, place = name[0].upper(), place_of(name)
        begins = f' data-letter="{letter}"' * (first[letter] == place)
        named = f'<span id="{place}"{begins}></span>**{name}**'
        if name != term.name:
            lines.append(f"{named}\n: see {to_word(term.name, term.place)}")
            continue
        others = f" ({', '.join(term.other_names)})" if term.other_names else ""
        means, _, quote = linked(term).partition("\n\n")
        if term.is_used:
            lines.append(f"{named}{others}\n: {means}")
            continue
        where = to_section(term.notebook, heading_of(term)) + (f": “{quote}”" if quote else "")
        if term.more:
            number, passage = term.more
            where += f"\\\n  {to_section(number, heading_above(number, passage))}"
        lines.append(f"{named}{others}\n: {means}\n\n  {where}")
    return "\n\n".join(lines)


def to_section(number, heading):
    """A link to a section of a notebook, in Markdown.

    >>> to_section(9, "2. A bias by hand")
    '[09 · 2. A bias by hand](<09_relative_bias.ipynb#2.-A-bias-by-hand>)'
    """
    path = NOTEBOOKS[number]
    return f"[{path.stem[:2]} · {heading}](<{path.name}#{heading.replace(' ', '-')}>)"


def elsewhere(term):
    """What else a word is called that stands elsewhere in the alphabet; of "learn" and "learned" the first.

    >>> {term.name: elsewhere(term) for term in terms() if term.name in ("encoding", "training", "rate")}
    {'encoding': ['positional encoding', 'PE'], 'rate': ['angle rate', 'frequency'], 'training': ['learn']}
    """
    names = [name for name in term.other_names if name[0].lower() != term.name[0].lower()]
    led = [name for name in names if not any(name != other and name.startswith(other) for other in names)]
    return [*led, *term.see]


def linked(term):
    """What is said of a word, what it means and what its notebook adds in paragraphs of their own, where the
    first use of each other word leads to what is said of that.

    Words of every day do so, too: here they have the sense of the course. Longer ones come first, so that
    "rotary encoding" leads to that and not to what an encoding is.
    """
    said = "\n\n".join(filter(None, [term.means, term.quote]))
    for other in sorted(terms(), key=lambda it: len(it.name), reverse=True):
        if other == term or not (span := first_place(said, other)):
            continue
        start, end = span
        if not any(start < last and first < end for first, last in (it.span() for it in term.found(said))):
            said = said[:start] + to_word(said[start:end], other.place) + said[end:]
    return said


def to_word(said, place):
    """A link to a word of this page, as HTML like the place itself: Markdown knows places of headings alone.

    >>> to_word("rates", "term-rate")
    '<a href="#term-rate">rates</a>'
    """
    return f'<a href="#{place}">{said}</a>'


def mark(notebook, number):
    """Mark in the path of a notebook, in place, the first use of each word that an earlier one explains.

    number: the notebook's index. It is done after the claims, whose words stay as they are.
    """
    left = [term for term in terms() if term.notebook < number and not term.is_everyday]
    for cell in path_of(notebook):
        for term in left[:]:
            if span := first_place(cell.source, term):
                cell.source = with_links(cell.source, [(*span, term)], number)
                left.remove(term)


def mark_own(notebook, number):
    """Mark a notebook's own words: in each section after the one that explains them their first use, those of
    every day, too, as they have the sense of the course then; before it, where they have no other, the first
    of all, and so what it only uses. A sentence has one mark, if it has no other, and a paragraph two. It is
    done after the sources, whose names stay theirs.
    """
    own = [term for term in terms() if term.notebook == number]
    at_hand = {
        term: {heading_above(number, it, SECTION) for it in term.said + term.adds if not term.is_used}
        for term in own
    }
    explained, done = set(), {term for term in own if term.is_everyday and not term.is_used}
    title = SECTION.findall(notebook.cells[0].source)[-1]
    begun = [(-1, 0, title)]
    for cell in path_of(notebook):
        source, found = cell.source, []
        emphases = [emphasis.span() for emphasis in EMPHASIS.finditer(source)]  # a name, or another word's
        taken = [marked.start() for marked in re.finditer('<a class="term"', source)]
        begun += [(*heading.span(), heading[1]) for heading in SECTION.finditer(source)]
        uses = [(*span, term) for term in own for span in places(source, term)]
        for start, end, it in sorted(begun + uses, key=lambda each: each[0]):
            if isinstance(it, str):
                here = {term for term in own if it in at_hand[term]}
                done = done - explained | here
                explained |= here
                continue
            is_name = any(first < start < last for first, last in emphases)
            if it not in done and not is_name and has_room(source, start, taken):
                found.append((start, end, it))
                done.add(it)
                taken.append(start)
        begun = []
        cell.source = with_links(source, found, number)


def has_room(source, place, taken):
    """Whether a mark at this place is the only one of its sentence, and one of two of its paragraph.

    taken: where other marks begin.
    """

    def beside(end):
        between = [re.sub("<[^>]*>", "", source[min(it, place) : max(it, place)]) for it in taken]
        return sum(not re.search(end, text) for text in between)

    return not beside(r"[.!?][)*]*\s|\n\n") and beside(r"\n\n") < 2


def path_of(notebook):
    """The Markdown cells of a notebook's path."""
    texts = (cell for cell in notebook.cells[1:] if cell.cell_type == "markdown")
    return takewhile(lambda cell: not END_OF_THE_PATH.search(cell.source), texts)


def places(source, term):
    """(start, end) of each place in the prose of a cell where the word can become a link."""
    closed = [found.span() for found in re.finditer(NOT_PROSE, source, re.S | re.M)]
    for found in term.found(source):
        start, end = found.span()
        if any(start < last and first < end for first, last in closed):
            continue
        if site_claims.open_span(source, start, end) == (start, end):
            yield start, end


def first_place(source, term):
    """(start, end) of the first of these places, or None."""
    return next(places(source, term), None)


def with_links(source, found, number):
    """A text of this notebook whose words became links. found: [(start, end, the term), …] in their order."""
    for start, end, term in reversed(found):
        source = source[:start] + link(source[start:end], term, number) + source[end:]
    return source


def link(words, term, number):
    """HTML of words of this notebook, which know what they mean and lead to where that is said."""
    stem, said = NOTEBOOKS[term.notebook].stem, html.escape(term.plain)
    place, leads = "the words of this course", ""
    if not term.is_used:
        anchor = heading_of(term).replace(" ", "-")
        place = section_of(term) if term.notebook == number else f"notebook {stem[:2]}"
        leads = f' data-leads="{stem}.html?open#{html.escape(anchor)}"'
    return (
        f'<a class="term" href="glossary.html#{term.place}" title="{said}" data-place="{place}"{leads}>'
        f"{words}</a>"
    )


def section_of(term):
    """What the section that explains a word is called on its own page.

    >>> [section_of(term) for term in terms() if term.name in ("Transformer", "softmax")]
    ['the beginning', 'section 1']
    """
    number = re.match(r"\d+(?=\. )", heading_of(term, SECTION))
    return f"section {number[0]}" if number else "the beginning"
