"""The numbers on the pages that can be asked: a claim's words in the prose lead to what computed them.

The link says the value, recomputed for the pages, and its code; `site/claims.js` shows it at the words.
"""

import ast
import html
import re

# Where words cannot become a link: code, formulas on lines of their own, links, headings, answers to choose.
CLOSED = r"```.*?```|\$\$.*?\$\$|!?\[[^]]*\]\([^)]*\)|^#.*?$|<summary>.*?</summary>|<[^>]+>"
WHOLE = (
    r"(?<!\$)\$[^$\n]+\$|`[^`\n]+`|\*\*[^*]+\*\*|(?<!\*)\*[^*\n]+\*(?!\*)"  # taken as a whole, or not at all
)
MARKS = r"[][*_`$]"  # which mean something in Markdown, where code has them


def marked(notebook, claims):
    """Mark a notebook's claims in its Markdown cells, in place; return the words that found no place.

    claims: [{"cell": index of the cell that claims, "words": …, "value": a number or [lowest, highest]}, …].
    Of several places the nearest to the cell is taken, before it or behind.
    """
    places, lost = {}, []  # {index of a cell: [(start, end, the claim)]}
    for claim in claims:
        found = nearest(notebook, claim, places)
        if found is None:
            lost.append(claim["words"])
        else:
            places.setdefault(found[0], []).append((*found[1:], claim))
    for index, spans in places.items():
        source = notebook.cells[index].source
        for start, end, claim in sorted(spans, key=lambda span: span[0], reverse=True):
            place, code = place_of(notebook, claim), code_of(notebook, claim)
            source = source[:start] + link(source[start:end], claim, place, code) + source[end:]
        notebook.cells[index].source = source
    return lost


def nearest(notebook, claim, taken):
    """(index of a cell, start, end) of the claim's words nearest to its cell; None: they cannot be marked."""
    order = sorted(range(len(notebook.cells)), key=lambda index: abs(index - claim["cell"]))
    for index in order:
        cell = notebook.cells[index]
        if cell.cell_type != "markdown":
            continue
        for found in re.finditer(re.escape(claim["words"]), cell.source):
            span = open_span(cell.source, *found.span())
            others = taken.get(index, ())
            if span and not any(span[0] < end and start < span[1] for start, end, _ in others):
                return index, *span
    return None


def open_span(source, start, end):
    """The words from start to end, made as wide as the formulas and emphases that they cut; None: closed."""
    if any(start < found.end() and found.start() < end for found in re.finditer(CLOSED, source, re.S | re.M)):
        return None
    while True:
        cut = [
            found.span()
            for found in re.finditer(WHOLE, source)
            if found.start() < end
            and start < found.end()  # they meet …
            and not (start <= found.start() and found.end() <= end)  # … and it is not within the words …
            and not (found[0][0] == "*" and within(found, start, end))  # … nor are they within an emphasis
        ]
        if not cut:
            return start, end
        start, end = min(start, *(a for a, _ in cut)), max(end, *(b for _, b in cut))


def within(found, start, end):
    stars = len(found[0]) - len(found[0].lstrip("*"))
    return found.start() + stars <= start and end <= found.end() - stars


def parts_of(cell):
    """The parts of a cell's code, as `ast` names them, from the whole to its names; of a text none."""
    return [*ast.walk(ast.parse(cell.source))] if cell.cell_type == "code" else []


def place_of(notebook, claim):
    """The name on the page of the line with the claim's words, or of its cell, which puts them together."""
    parts = parts_of(notebook.cells[claim["cell"]])
    lines = (part.lineno for part in parts if isinstance(part, ast.Constant) and part.value == claim["words"])
    return "-".join(map(str, ["cell", claim["cell"], *[*lines][:1]]))


def code_of(notebook, claim):
    """The code of which a claim says the value; "": its words are put together, or it only names a place.

    Where that is a name alone, it is what the cell computes for that name, if it does so once.
    """
    cell = notebook.cells[claim["cell"]]
    parts = parts_of(cell)
    calls = [part for part in parts if isinstance(part, ast.Call) and len(part.args) == 2]
    values = [call.args[1] for call in calls if getattr(call.args[0], "value", None) == claim["words"]]
    if not values:
        return ""
    value = values[0]
    if isinstance(value, ast.Name):
        names = [part for part in parts if isinstance(part, ast.Name) and part.id == value.id]
        stored = [name for name in names if isinstance(name.ctx, ast.Store)]
        made = [part.value for part in parts if isinstance(part, ast.Assign) and part.targets == stored]
        value = next(filter(has_name, made), value)
    return " ".join(ast.get_source_segment(cell.source, value).split()) if computes(value) else ""


def has_name(code):
    """Whether code computes something: it is no empty list, say, to be filled later."""
    return any(isinstance(part, ast.Name) for part in ast.walk(code))


def computes(code):
    """Whether code says how a value came about: names and numbers in brackets only say where it is kept."""
    kept = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.Tuple, ast.Slice, ast.UnaryOp)
    return any(isinstance(part, ast.expr) and not isinstance(part, kept) for part in ast.walk(code))


def link(words, claim, place, code):
    """HTML of the words, which lead to this place, and know the value and the code that has it."""
    by = f"by {code}" if code else "for this page"
    said = f"{value_in_words(claim['value'], claim['words'])} · computed {by}"
    said = re.sub(MARKS, lambda mark: f"&#{ord(mark[0])};", html.escape(said))
    return f'<a class="claim" href="#{place}" title="{said}">{words}</a>'


def value_in_words(value, words=""):
    """A value to one digit more than words have in a number, at least three: "0.183", "18.3 %", "0.5 to 0.7".

    >>> value_in_words(0.18342, "about 18 %"), value_in_words([1, 2.5]), value_in_words(1e6)
    ('18.3 %', '1 to 2.5', '1,000,000')
    >>> value_in_words(1.21762, "at most 1.22 times"), value_in_words(1234567.8)
    ('1.218', '1,234,568')
    """
    low, high = value if isinstance(value, list) else (value, value)
    is_share = "%" in words
    digits = 1 + max([2, *(len(re.sub(r"\D", "", number)) for number in re.findall(r"[\d.,]+", words))])
    said = " to ".join(
        in_digits(100 * number if is_share else number, digits) for number in dict.fromkeys([low, high])
    )
    return said.replace("-", "−") + (" %" if is_share else "")


def in_digits(number, digits):
    """A number to so many digits; a whole one, and those before the point, in full."""
    if 0 < abs(number) < 1e-4:
        return f"{number:.{digits}g}"
    whole = len(str(int(abs(number))))
    digits = whole if number == round(number) else max(digits, whole)
    return f"{float(f'{number:.{digits}g}'):,.12g}"
