"""The sources on the pages: words of the prose that name one open its entry in the list at the page's end.

What names an entry is read from the entry itself; `site/claims.js` shows it at the words.
"""

import re

from tools import site_claims

LIST = "## Sources\n\n"
# An entry ends with a full stop or a semicolon, but not with one in these.
WHOLE = r"`[^`]*`|\[[^]]*\]\([^)]*\)|\([^)]*\)|“[^”]*”|\b[A-Z]\.(?= )"
ENTRY = re.compile(rf"(?=[^\s.;])(?:{WHOLE}|[^.;]|[.;](?=\S))+")
TITLE = re.compile(r"(?<!!)\[(?P<said>[^][]*)\]\((?P<address>[^)]*)\)|“[^”]*”")
# "Vaswani et al., ", "T. Denk, ", "TensorFlow's " stands before a title, or "Haviv et al." is one
AUTHORS = re.compile(
    r"(?P<first>[A-Z][\w-]+)(?P<others>(?:(?:, | and )[A-Z][\w-]+)*(?: et al\.)?)(?:, |'s |$)$"
)
YEAR = r"\b(?:19|20)\d\d\b"
SHORT = re.compile(r"\w[A-Z\d]|[ -][A-Z\d]")  # YaRN, GPT-2, Code Llama: no words of every day
CLOSED = r"<a .*?</a>|^\|.*?$"  # claims, words of the glossary, tables
FOLDED = rf"{CLOSED}|<details>.*?</details>|^>.*?$"  # answers and questions, too


def mark(notebook):
    """Mark in a notebook, in place, the entries of its list and the words that name one; return these words.

    Who wrote it and its address are marked everywhere, what it is called where it first stands open. It is
    done after claims and the glossary, whose words stay.
    """
    *cells, last = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    head, heading, text = last.source.partition(LIST)
    marked = []

    def link(cell, start, end, words=None):
        words = words or cell.source[start:end]
        marked.append(words)
        cell.source = f'{cell.source[:start]}<a class="source" href="#{place}">{words}</a>{cell.source[end:]}'

    for number, entry in enumerate(entries_of(text), 1):
        place = f"source-{number}"
        addresses, authors, names = names_of(entry)
        for cell in cells:
            for found in reversed([*TITLE.finditer(cell.source)]):
                if found["address"] in addresses:
                    link(cell, *found.span(), found["said"])
            for span in reversed([*places(cell.source, authors, CLOSED)]):
                link(cell, *span)
        called = ((cell, *span) for cell in cells for span in places(cell.source, names, FOLDED))
        if first := next(called, None):
            link(*first)
        text = text.replace(entry, f'<span class="source-entry" id="{place}">{entry}</span>', 1)
    last.source = head + heading + text
    return marked


def places(source, names, closed):
    """(start, end) of each place in a cell's prose where one of the names stands, which are patterns."""
    shut = [found.span() for found in re.finditer(closed, source, re.S | re.M)]
    for found in re.finditer(rf"(?<![\w-])(?:{'|'.join(names)})(?![\w-]|\.\d)", source) if names else ():
        start, end = found.span()
        if any(start < last and first < end for first, last in shut):
            continue
        if site_claims.open_span(source, start, end) == (start, end):
            yield start, end


def entries_of(text):
    """The entries of a list; what has no title goes with the entry before.

    >>> entries_of("Lee, [Sets](x) (2019), section 1; here: 2. Waves: T. Denk, [All](y).")
    ['Lee, [Sets](x) (2019), section 1; here: 2', 'Waves: T. Denk, [All](y)']
    """
    spans = []
    for found in ENTRY.finditer(text):
        start = found.start() if TITLE.search(found[0]) or not spans else spans.pop()[0]
        spans.append((start, found.end()))
    return [text[start:end] for start, end in spans]


def names_of(entry):
    """(the addresses of an entry, patterns of who wrote it, patterns of what it is called).

    Authors count with "et al.", with another author or with the year of the entry, and not with another year;
    one person's name alone counts if the entry has a year, a firm's only as in "TensorFlow's notebook". A
    title counts if it is no word of every day, a topic, such as "Endpoint spacing: …", also in emphasis.
    """
    year = (re.findall(YEAR, re.sub(r"\]\([^)]*\)", "]", entry)) or [""])[0]
    dated = rf"(?:,? {year}\b|,? \({year}\))" if year else "(?!)"
    addresses, authors, names = set(), [], []
    for title in TITLE.finditer(entry):
        addresses |= {title["address"]} - {None}
        said = (title["said"] or "").strip("`")
        written = AUTHORS.search(said if "et al." in said else entry[: title.start()])
        if "et al." not in said and SHORT.search(said.partition("'s ")[0]):
            names.append(re.escape(said.partition("'s ")[0]))
        if written and written["others"]:
            alone = rf"{written['first']} (?:et al\.|and [A-Z][\w-]+)"
            authors.append(rf"{alone}{dated}|{alone}(?!,? \(?{YEAR})|{written['first']}{dated}")
        elif written:
            authors.append(written["first"] + (rf"(?:{dated}|(?!,? \(?{YEAR}))" if year else "'s notebook"))
    label, colon, _ = entry.partition(": ")
    if colon and not TITLE.search(label):
        thing = label.partition("'s ")[0]
        if thing[0].isupper() and SHORT.search(thing.split()[0]):
            names.append(re.escape(thing))
        names += [rf"(?<=\*)(?i:{re.escape(part)})(?=\*)" for part in re.split(", | and ", label)]
    return addresses, authors, names
