"""The words of the course: each is explained before it is used, in the words of its notebook."""

import re
from graphlib import CycleError, TopologicalSorter

import nbformat
import pytest

from tools import site_glossary
from tools.course import NOTEBOOKS

TERMS = site_glossary.terms()
ABOUT = {
    "ALiBi": ("how far apart words are", "fixed slope for each step from query to key"),
    "attention sink": ("at a text's beginning", "Weights must add up to 1"),
    "axial rotary encoding": "hands of each query and key",
    "attention": "weighted sum of the words' values",
    "array": ("in a table", "with all at once"),
    "base": (
        "A number b, often 10000: the larger, the slower",
        "vectors of d numbers",
        "(d = 8: 1, 0.1, 0.01, 0.001)",
    ),
    "bfloat16": ("in 16 bits", "binary", "of 257 (100000001) it keeps 256"),
    "batch": "rows of one array of ids",
    "layout": "the same numbers in another order",
    "learned positions": ("a row of a table", "training sets"),
    "network": ("numbers of its own", "a model"),
    "position": "counted from zero",
    "seed": "the same seed gives the same ones again",
    "slope": ("lowers a key's score", "from the query back"),
    "training": ("a network's numbers", "until it does well on examples", "learned"),
    "bias": "added to a score before the softmax",
    "bucket": ("group of offsets", "In T5"),
    "cache": ("The keys and values of all tokens so far", "kept while a model writes"),
    "causal mask": "later words get the weight zero",
    "context": ("longest text that a model is made for", "in 15 also the text itself"),
    "config.json": ("beside a published model", "how it is built"),
    "cosine": ("How far up", "an arrow of length one", "negative below"),
    "cosine similarity": "same direction",
    "dimension": ("A place in a vector", "called d_model"),
    "dot product": "two equally long rows of numbers",
    "dynamic NTK": ("NTK-aware scaling", "the longer the text, the larger the base", "shorter texts"),
    "embedding matrix": ("of which an embedding is one row", "for every id"),
    "embedding": ("stands for a word or a position", "one row of a table"),
    "encoding": ("tells a network where a word stands", "a vector for each position"),
    "sine": ("How far right", "an arrow of length one", "negative on the left"),
    "sinusoidal encoding": ("A vector for each position", "the sine and the cosine of position times rate"),
    "extrapolate": ("encode positions", "longer than those of training"),
    "context extension": ("longer texts than in training", "slower hands"),
    "factor": ("context extension", "s times as long as in training", "4096 tokens instead of 1024"),
    "float32": ("32 bits", "decimal digits"),
    "GPU": "thousands of numbers at once",
    "heatmap": "whose colour says how large it is",
    "kernel": ("In Jupyter", "on a GPU"),
    "GloVe": "word vectors",
    "GPT-2": ("A language model", "learned"),
    "half-split": ("vector's dimensions", "in the second half"),
    "hand": ("A pair of numbers", "sine and cosine of its angle", "the tip"),
    "head": "One attention with three learned matrices",
    "interleaved": ("vector's dimensions", "side by side"),
    "language model": "every token that it knows",
    "layer": ("A step of a network", "attention mixes them", "changes each alone"),
    "local layer": ("sliding window", "a global layer's see the whole text"),
    "linear probe": ("such as the position", "for new vectors"),
    "logits": ("one number for each token", "Softmax makes them probabilities"),
    "loss": ("language model", "minus the natural logarithm of the probability", "averaged", "in nats"),
    "M-RoPE": "time, row and column, and each hand turns by one of them",
    "matrix": ("A table of numbers", "a vector times a matrix is a new vector", "with the matrix's columns"),
    "module": ("In PyTorch", "a part of a model", "such as a layer", "outputs of its inputs"),
    "tensor": ("PyTorch", "array"),
    "trained length": "at most",
    "nat": ("surprises it by −ln P nats", "about a third"),
    "norm": "square root of the sum",
    "NoPE": "use rotary encoding",
    "NTK-aware": ("Rotary encoding for texts s times as long", "the base is larger", "NTK is only a name"),
    "offset": "How far it is from one position",
    "packing": ("less of it is padding", "a mask should keep each to itself"),
    "padding": ("stand for no word", "on the right or left", "all are equally long"),
    "patch": "A small square of a picture",
    "permutation-equivariant": ("Of a function", "without causal mask and positions"),
    "position interpolation": ("rotary encoding", "as in training", "every rate is divided by s"),
    "plane": "two numbers say where on it a point is",
    "principal component analysis": ("nearest point of one plane", "the largest variance"),
    "rate": ("in radians", "from one position to the next"),
    "rotation": ("orthogonal", "changes no vector's length"),
    "rotary encoding": ("queries and keys like a hand", "depend on words and offsets only"),
    "prompt": "given to go on from",
    "radian": "a full turn has",
    "recall": ("A task", "when a name comes again"),
    "scheme": ("to tell a model positions", "ALiBi"),
    "score": ("How well a key fits a query", "d counts the numbers of each"),
    "softmax": "positive ones with the sum one",
    "span": ("How many keys a query can see", "back from its own"),
    "key": ("A vector made from a word", "times a second learned matrix"),
    "Llama": "Meta",
    "query": ("A vector made from a word", "its own vector times a learned matrix"),
    "Qwen": "Alibaba",
    "shift matrix": ("PE_p, the sinusoidal encoding of any position p", "to get that of p + k"),
    "Transformer": "stack of layers",
    "sliding window": "a fixed number of nearest keys",
    "T5": ("A Transformer", "one learned number for each group of offsets and each head"),
    "token": "A piece of what a model reads",
    "Toeplitz": ("Of a matrix", "are equal"),
    "value": ("keys fit its query", "A vector made from a word", "times a third learned matrix"),
    "unfinished hand": ("too slow for a full turn within the trained length", "comes to new angles"),
    "variance": "squared distances from their mean",
    "vector": "A row of numbers",
    "wave": ("A curve", "the sine of a hand's angle"),
    "wavelength": "How many positions a hand takes for a full turn",
    "YaRN": ("RoPE extension", "as long as in training, unfinished hands turn s times slower"),
}  # of a word what its entry must say, else it is only for those who know where it stood
MOST = 25  # words of what a word means
NEW = 0.5  # of the longer words of a quotation after it, the least share that it must not have said
LEANS = r"(There|Here|This|That|These|Those|Such|So|It|Its|They|He|She|Then|And|But|We)\b"
ORDERS = """add ask call choose count cut divide draw find fit give keep let look make measure move multiply
press put read reorder say see set take think try turn write""".split()
END_OF_THE_PATH = r"^## (What you saw|Exercises|Going deeper|Sources)"


def prose(number):
    """The text of a notebook's path, without code, formulas and links."""
    text = ""
    for cell in nbformat.read(NOTEBOOKS[number], as_version=4).cells[1:]:
        if cell.cell_type == "markdown":
            if re.search(END_OF_THE_PATH, cell.source, re.M):
                break
            text += cell.source + "\n\n"
    return re.sub(r"```.*?```|`[^`]*`|\$[^$]*\$|\[[^]]*\]\([^)]*\)", "", text, flags=re.S)


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_a_word_is_explained_as_its_notebook_says_it(term):
    assert site_glossary.heading_of(term)  # raises where the notebook says it otherwise
    assert not re.search(r"[\\{}]|[^ ]…", term.plain) and [*term.found(" ".join(term.said or term.adds))]


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_what_is_said_of_a_word_is_whole_sentences(term):
    for told in (term.plain, term.introduced, term.means, term.quote or "None."):
        assert re.search(r"[.!?][*)]*$", told) and not told.lstrip("*")[0].islower()


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_what_is_said_of_a_word_begins_with_what_it_is(term):
    """Not with an order, nor with a word that stands for another sentence's."""
    assert not re.match(LEANS, term.plain)
    assert re.match(r"\w+", term.plain)[0].lower() not in ORDERS


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_what_a_word_means_is_one_short_sentence(term):
    assert len(re.sub(r"\$[^$]*\$", "formula", term.means).split()) <= MOST
    assert len(re.findall(r"[.!?](?=[\s*]|$)", term.means)) == 1
    assert term.plain.startswith(re.sub(r"[*$`]", "", term.means)[:12])  # and stands first


def is_new(term, quote):
    """Of a quotation's longer words, but for the term itself, the share that `means` lacks."""
    texts = (quote, term.means, " ".join(term.forms))
    stems, meant, own = ({word[:4] for word in re.findall(r"\w{4,}", text.lower())} for text in texts)
    return len(stems - own - meant) / len(stems - own)


def test_what_is_quoted_of_a_word_s_notebook_is_not_what_the_word_was_just_said_to_mean():
    """Who reads a thing twice looks for the difference."""
    quoted = {term.name: is_new(term, term.quote) for term in TERMS if term.quote}
    assert {"nat", "hand", "YaRN"} <= {*quoted} and min(quoted.values()) >= NEW, quoted
    by_name = {term.name: term for term in TERMS}
    again = ("score", "dot product", "norm", "packing", "padding", "head")  # left to a link
    assert not {*again} & {*quoted}
    assert all(is_new(by_name[name], by_name[name].introduced) < NEW for name in again)


def test_no_word_means_what_is_only_explained_by_itself():
    """A word of 00 cannot be learned from one that leads back to it."""
    graph = {term.name: in_words(term.means) - {term.name} for term in TERMS}
    TopologicalSorter(graph).prepare()  # raises where there is a cycle
    assert graph["attention"] >= {"query", "key", "value"} and "vector" in graph["norm"]
    with pytest.raises(CycleError):
        TopologicalSorter(graph | {"vector": {"norm"}}).prepare()


def in_words(means):
    """The names of the words that some text uses, the longer first: "rotary encoding" is no encoding."""
    text, found = re.sub(r"\$[^$]*\$", "", means), set()
    for term in sorted(TERMS, key=lambda term: -max(map(len, term.forms))):
        if places := [*term.found(text)]:
            found.add(term.name)
            for place in places:
                text = text[: place.start()] + " " * len(place[0]) + text[place.end() :]
    return found


def test_a_word_s_head_has_its_other_names_and_no_plurals():
    heads = re.findall(r"\*\*(.*)\*\* \((.*)\)", site_glossary.page())
    assert ("dot product", "scalar product") in heads and ("encoding", "positional encoding, PE") in heads
    assert not {"token", "query", "shift matrix", "sliding window", "interleaved"} & {*dict(heads)}


@pytest.mark.parametrize(("name", "about"), ABOUT.items())
def test_what_is_said_of_a_word_says_what_it_is_of(name, about):
    """For those who read this entry alone."""
    (term,) = [term for term in TERMS if term.name == name]
    for words in (about,) if isinstance(about, str) else about:
        assert words in term.plain


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_a_letter_is_introduced_where_it_stands(term):
    """`the last one by s`: by what?"""
    if found := re.search(r"\$s\$", term.sentence):
        before = term.sentence[: found.start()]
        assert before.endswith("*slope* ") or "$s$ times as long" in term.sentence
    if re.search(r"\bd\b", re.sub(r"'s\b", "", term.plain)):
        assert re.search(r"\bd (numbers|counts)\b", term.plain)


def test_a_word_leads_to_the_first_notebook_that_says_what_it_is():
    """Not into the last one of a course that says it in the first."""
    by_name = {term.name: term for term in TERMS}
    term = by_name["language model"]
    assert (term.notebook, site_glossary.heading_of(term)[:1]) == (0, "4")
    assert "predicts the next one" in term.introduced


def test_a_part_of_a_sentence_gets_a_capital_letter_and_a_full_stop():
    assert site_glossary.as_sentence("**a wave** goes on") == "**A wave** goes on."
    assert site_glossary.as_sentence("`rate` is it.") == "`rate` is it."
    assert site_glossary.as_sentence("(Is it *so?*)") == "(Is it *so?*)"


@pytest.mark.parametrize("term", [term for term in TERMS if not term.is_everyday], ids=lambda term: term.name)
def test_no_notebook_uses_a_word_before_one_explains_it(term):
    for number in range(term.notebook):
        text = prose(number)
        assert not [text[it.start() - 40 : it.end() + 20] for it in term.found(text)], number


def test_the_page_has_every_word_once_and_its_letters_lead_to_the_first_of_each():
    page = site_glossary.page()
    _, about, letters, *entries = page.split("\n\n")
    assert len(about.split()) < 35 and "link" in about and "quoted" in about
    assert "or first uses" not in about  # what is only used leads nowhere
    assert "“09 · 2” in notebook 09, section 2" in about  # else who knows what the numbers are?
    assert re.fullmatch(r'<nav class="letters" aria-label="[^"]+">.*</nav>', letters, re.S)
    heads = [(entry.split("**")[1][0].upper(), entry) for entry in entries if entry.startswith("<span")]
    first = dict(reversed(heads))
    led = re.findall(r'<a href="#([^"]+)">(.)</a>', letters)
    assert [letter for _, letter in led] == sorted(first)
    assert all(f'id="{place}"' in first[letter] for place, letter in led)
    assert re.findall(r'<span id="([^"]+)" data-letter="(.)">', page) == led  # each stands where it begins
    assert all(page.count(f'id="{term.place}"') == 1 for term in TERMS)


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_what_is_said_of_a_word_leads_to_every_other_word_in_it(term):
    """Once, and none to itself; words of every day, too: `each next hand turns`, what hand?"""
    said = site_glossary.linked(term)
    led = re.findall(r'<a href="#([^"]+)">', said)
    assert len(led) == len({*led}) and term.place not in led
    without = re.sub(r"<a .*?</a>|\$[^$]*\$|`[^`]*`", "", said)
    others = [other for other in TERMS if other.place not in {*led, term.place} and [*other.found(without)]]
    own = " ".join(found.group() for found in term.found(without))
    assert all([*other.found(own)] for other in others)


def test_what_is_bold_or_a_link_in_a_notebook_is_neither_among_the_words():
    entries = re.split(r"\n\n(?=<span)", site_glossary.page())[1:]
    led = [entry for entry in entries if "\n: see <a " in entry]
    entries = [entry for entry in entries if entry not in led]
    assert len(entries) == len(TERMS) and any("**positional encoding**" in entry for entry in led)
    used = [term.name for term in TERMS if term.is_used]
    assert {*used} == {"PyTorch", "array", "kernel", "matrix", "module", "plane", "seed"}
    alone = [entry for entry in entries if "](" not in entry]
    assert sorted(entry.split("**")[1] for entry in alone) == sorted(used)
    entries = [entry for entry in entries if entry not in alone]
    more = r"(\\\n  \[[^\n]*>\))?"
    assert all(re.search(rf"\n\n  \[[^\n]*>\)(: “[^“”]+[.!?]”)?{more}$", entry) for entry in entries)
    assert not [entry for entry in entries if "**" in entry.split("\n: ")[1]]
    led = {
        entry.split("**")[1]: re.findall(r"\]\(<(\d\d)", entry) for entry in entries
    }  # where it is explained
    assert {name: them for name, them in led.items() if len(them) != 1} == {
        "base": ["01", "02"],
        "padding": ["06", "13"],
    }
    assert led["trained length"] == ["02"]


@pytest.mark.parametrize(
    ("source", "marked"),
    [
        ("A rate is a number.", "A [rate] is a number."),
        ("# Rate\n\nTwo rates.", "# Rate\n\nTwo [rates]."),
        ("> **Predict.** Which rate?\n\nNo, a rate.", "> **Predict.** Which rate?\n\nNo, a [rate]."),
        ("<details><summary>A rate</summary>The rate</details>", None),
        (
            "`rate`, $rate$, [rate](x), accurate. **A rate**",
            "`rate`, $rate$, [rate](x), accurate. **A [rate]**",
        ),
        ('<a class="claim" href="#cell-1">a rate of two</a>', None),
    ],
)
def test_the_first_place_in_the_prose_is_marked(source, marked):
    rate = next(term for term in TERMS if term.name == "rate")
    span = site_glossary.first_place(source, rate)
    found = span and f"{source[: span[0]]}[{source[slice(*span)]}]{source[span[1] :]}"
    assert found == marked


def marked(number):
    """[(heading of a ## section, the word as it stands there, its term), …] of a page's path."""
    notebook, found, heading = nbformat.read(NOTEBOOKS[number], as_version=4), [], None
    site_glossary.mark(notebook, number)
    site_glossary.mark_own(notebook, number)
    named = {term.place: term for term in TERMS}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            kinds = r'^##? (.+)$|<a class="term" href="glossary.html#([^"]+)"[^>]*>(.*?)</a>'
            for title, place, words in re.findall(kinds, cell.source, re.M):
                heading = title or heading
                if place:
                    found.append((heading, words, named[place]))
    return found


def test_a_page_marks_its_own_words_in_the_sections_after_the_one_that_explains_them():
    assert [(heading[:1], words) for heading, words, _ in marked(0)] == [
        ("2", "matrix"),  # which it only uses
        ("2", "Transformer"),
        ("2", "attention"),
        ("2", "keys"),
        ("2", "weight"),
        ("3", "dot product"),
        ("3", "query"),
        ("3", "key"),
        ("4", "positions"),
    ]
    links = " ".join(
        site_glossary.link("keys", term, n) for term in TERMS if term.name == "key" for n in (0, 1)
    )
    assert re.findall('data-place="([^"]*)"', links) == ["section 1", "notebook 00"]


@pytest.mark.parametrize("number", range(len(NOTEBOOKS)))
def test_a_section_marks_a_word_once_and_none_that_it_explains(number):
    own = [(heading, term) for heading, _, term in marked(number) if term.notebook == number]
    assert len(own) == len({*own})
    for heading, term in own:
        assert term.is_used or heading != site_glossary.heading_of(term, site_glossary.SECTION)
        assert not term.is_used or [it for _, it in own].count(term) == 1


@pytest.mark.parametrize("number", range(len(NOTEBOOKS)))
def test_a_page_is_no_rash_of_dashes(number):
    notebook = nbformat.read(NOTEBOOKS[number], as_version=4)
    site_glossary.mark(notebook, number)
    site_glossary.mark_own(notebook, number)
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    text = re.split(END_OF_THE_PATH, text, maxsplit=1, flags=re.M)[0]
    counts = [part.count('class="term"') for part in text.split("\n\n") if re.match(r"[\w*<$(]", part)]
    assert max(counts) <= 3 and sum(counts) < 0.5 * len(counts), counts


@pytest.mark.parametrize(
    ("text", "has_room"),
    [
        ('A <a class="term" title="One. Two.">key</a> and a HERE.', False),
        ('A <a class="term" title="One.">key</a>. And a HERE.', True),
        ('A <a class="term" title="One.">key</a>.\n\nA HERE', True),
        ('A <a class="term">key</a>. A <a class="term">head</a>. A HERE.', False),
    ],
)
def test_a_sentence_has_one_mark_and_a_paragraph_two(text, has_room):
    taken = [found.start() for found in re.finditer("<a", text)]
    assert site_glossary.has_room(text, text.index("HERE"), taken) is has_room


def test_what_others_call_a_word_leads_to_it_on_the_page_and_is_not_marked_in_notebooks():
    page = site_glossary.page()
    called = {"clock": "hand", "frequency": "rate", "mask": "causal mask", "relative position": "offset"}
    for name, here in called.items():
        (term,) = [term for term in TERMS if term.name == here]
        link = site_glossary.to_word(here, term.place)
        assert f'<span id="{site_glossary.place_of(name)}"' in page and f"**{name}**\n: see {link}" in page
        assert not [*term.found(name)] or name in here


def test_what_families_of_models_do_is_shown_where_their_files_are():
    by_name = {term.name: term for term in TERMS}
    families = [by_name[name] for name in ("DeepSeek", "Gemma", "Llama", "Qwen")]
    assert {term.page for term in families} == {"12_fourteen_configs"}
    assert site_glossary.heading_of(by_name["Qwen"])[:1] == "1"


def test_what_the_course_s_first_picture_is_made_of_needs_no_word_of_another_field():
    """Sine and cosine by an arrow, as 01 draws them; a network without its training."""
    by_name = {term.name: term for term in TERMS}
    for name in ("sine", "cosine", "network", "array", "plane"):
        assert not in_words(by_name[name].means) - {name}, name
    assert in_words(by_name["hand"].means) >= {"sine", "cosine"} and "network" in in_words(
        by_name["training"].means
    )
