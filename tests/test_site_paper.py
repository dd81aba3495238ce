"""What paper says in place of words that move a figure: each is found, and none is missing."""

import re

import nbformat
import pytest

from tools import site_paper
from tools.build_site import OF_NOTEBOOKS
from tools.course import NOTEBOOKS

ORDER = r"(?:Press|Choose|Drag|Raise|Move|Set|Try the ends) "
BEGINS = rf"(?:^|(?<=[.:;?!] )|(?<=, )|(?:Now|But|Then) )(?i:{ORDER})[^.:?]*"
OBEYED = ("Press et al", "set for 40 times", "Press, Smith")  # an author, and what a model is set for
PLACES = [(name, said) for name, words in site_paper.WORDS.items() for said in words]


def text_of(path):
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.sub(OF_NOTEBOOKS, "", text, flags=re.S)


@pytest.mark.parametrize(("name", "said"), PLACES)
def test_what_paper_says_otherwise_stands_once_in_its_notebook(name, said):
    [path] = [path for path in NOTEBOOKS if path.stem == name]
    assert text_of(path).count(said) == 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_paper_says_otherwise_begins_and_ends_within_no_claim(path):
    """A claim is a link by then: what crosses its edge would not be marked, or would break it."""
    cells = nbformat.read(path, as_version=4).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    claims = re.findall(r'claim\(\s*"([^"]+)"', code)
    text = text_of(path)
    for said in site_paper.WORDS.get(path.stem, ()):
        begin, end = text.index(said), text.index(said) + len(said)
        for claim in claims:
            for at in re.finditer(re.escape(claim), text):
                assert at.end() <= begin or at.start() >= end or begin <= at.start() < at.end() <= end, claim


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_paper_gives_no_order_that_moves_a_figure(path):
    text = text_of(path)
    for said, printed in site_paper.WORDS.get(path.stem, {}).items():
        text = text.replace(said, printed)
    found = re.findall(BEGINS, text, re.M)
    assert not [words for words in found if not words.startswith(OBEYED)]


def test_a_screen_and_paper_have_each_their_words():
    cell = nbformat.v4.new_markdown_cell
    said, printed = "Choose *count*: the", "With *count* the"
    notebook = nbformat.v4.new_notebook(cells=[cell('So. Choose *<a href="#x">count</a>*: the spot.')])
    site_paper.mark(notebook, "14_two_dimensions")
    screen, paper = 'Choose *<a href="#x">count</a>*: the', f'<span class="paper-words">{printed}</span>'
    assert notebook.cells[0].source == f'So. <span class="screen-words">{screen}</span>{paper} spot.'
    assert site_paper.WORDS["14_two_dimensions"] == {said: printed}


def test_an_answer_says_on_paper_that_what_it_calls_next_comes_after_the_question():
    """It stands at the end; what is no answer stands where it did."""
    [path] = [path for path in NOTEBOOKS if path.stem == "07_words_and_positions"]
    notebook = nbformat.read(path, as_version=4)
    site_paper.mark(notebook, path.stem)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    printed = '<span class="paper-words">table after the question</span>'
    assert f'See the <span class="screen-words">next table</span>{printed}' in text
    plain = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("See the next table.")])
    site_paper.mark(plain, path.stem)
    assert plain.cells[0].source == "See the next table."


def test_a_file_of_the_course_is_called_so_where_it_has_no_address():
    cell = nbformat.v4.new_markdown_cell("[data/README.md](../data/README.md)")
    files = nbformat.v4.new_notebook(cells=[cell])
    site_paper.mark(files, "01_formula")
    assert "paper-words" not in cell.source
    site_paper.mark(files, "01_formula", has_address=False)
    assert cell.source.endswith('<span class="paper-words">, a file of the course</span>')
