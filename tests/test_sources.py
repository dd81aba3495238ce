"""Words of the prose that name a source of the page's list; and no others."""

import re

import nbformat
import pytest

from tools import site_sources
from tools.course import NOTEBOOKS

SOURCES = """## Sources

Waves: Vaswani et al., [Attention Is All You Need](https://v.org) (2017), part 3; \
its table. Press, Smith and Lewis, [Train Short](https://p.org) (2021). Helices: Y. Yedidia, “A helix” \
(LessWrong, 2023). The map: TensorFlow, [Its notebook](https://t.org). Bases: [Llama 2](https://l.org/2), \
[Code Llama](https://l.org/c), [YaRN](https://y.org). GPT-2's table: [its code](https://g.org). \
Wrong: [pull 86](https://w.org). Endpoint spacing: PyTorch, [`Layer`](https://e.org). [data](../data.md)."""


def marked(*cells):
    """The texts with [words](number of the entry) where they name one."""
    made = [nbformat.v4.new_markdown_cell(source) for source in (*cells, SOURCES)]
    site_sources.mark(nbformat.v4.new_notebook(cells=made))
    link = r'<a class="source" href="#source-(\d+)">(.*?)</a>'
    return [re.sub(link, r"[\2](\1)", cell.source) for cell in made[:-1]]


@pytest.mark.parametrize(
    "prose",
    [
        # who wrote it, in every place
        "[Vaswani et al.](1) and ([Vaswani et al., 2017](1)), then [Vaswani et al. (2017)](1).",
        "[Press et al.](2), [Press and Smith](2), [Press (2021)](2).",
        "Its rows form a helix, says [Yedidia](3) ([Yedidia, 2023](3)).",
        "As [TensorFlow's notebook](4) draws it.",
        "- *It extrapolates* ([Press et al.](2)): no.\n\n<details>So say [Press et al.](2)</details>",
        # what it is called, in the first
        "*[Attention Is All You Need](1)* takes two. Later *Attention Is All You Need* takes one.",
        "[Llama 2](5) and Code Llama, not YaRN's.",
        "> Does YaRN?\n\n<details>YaRN</details>\n\n**[YaRN](5)** does.",
        "The rows of [GPT-2](6)'s table.",
        "*[Endpoint spacing](8)* closes the gap.",
    ],
)
def test_words_that_name_a_source_are_marked(prose):
    assert marked(re.sub(r"\[([^]]*)\]\(\d\)", r"\1", prose)) == [prose]


@pytest.mark.parametrize(
    "prose",
    [
        # another year, another source; words of every day; makers of more than one thing
        "Vaswani et al. (2019), Vaswani et al., 2019, Vaswani, Press *between*, Yedidia (2019), Yedidias",
        "TensorFlow has PyTorch's layer, “A helix”, *waves of it*, *all waves*, endpoint spacing",
        "Llama, Llama 2.1, Llama 2-70B, CodeLlama, NYaRN, Neo-YaRN, its code, data, Wrong, GPT-20, the GPT",
        # where nothing may be marked
        "# YaRN\n\n`YaRN` and $YaRN$, [YaRN](o)\n\n| YaRN | Press et al. |\n|---|---|\n\n```\nYaRN\n```",
        '<a class="claim" href="#cell-1">YaRN by 2, say Press et al.</a>',
        "[another](https://w.org/1), ![a picture](https://w.org)",
    ],
)
def test_words_that_name_none_are_not(prose):
    assert marked(prose) == [prose]


def test_a_link_to_the_same_address_leads_to_the_entry_first():
    assert marked("They [*were* mended](https://w.org).", "See [this](../data.md).") == [
        "They [*were* mended](7).",
        "See [this](9).",
    ]


def test_a_name_is_marked_in_one_cell():
    assert marked("Here.", "YaRN.", "YaRN.") == ["Here.", "[YaRN](5).", "YaRN."]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_list_of_a_notebook_stays_and_each_title_is_in_an_entry(path):
    notebook = nbformat.read(path, as_version=4)
    before = notebook.cells[-1].source
    site_sources.mark(notebook)
    after = notebook.cells[-1].source
    entry = r'<span class="source-entry" id="source-\d+">(.*?)</span>'
    assert re.sub(entry, r"\1", after) == before != after
    assert not site_sources.TITLE.search(re.sub(entry, "", after))
    assert all("](" in one or "“" in one for one in re.findall(entry, after))


def test_the_notebooks_name_their_sources():
    said = [site_sources.mark(nbformat.read(path, as_version=4)) for path in NOTEBOOKS]
    assert sum(map(len, said)) >= 45 and sum(map(bool, said)) >= 12
    assert {"Haviv et al., 2022", "were mended", "Nakanishi 2025", "YaRN"} <= {
        it for all_ in said for it in all_
    }
