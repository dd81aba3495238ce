"""Stored notebooks are in the agreed form: `make notebooks` writes it."""

import copy
import re
import urllib.parse
from itertools import pairwise

import nbformat
import pytest
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelspec import get_kernel_dict

from tests.conftest import code_cells
from tools import course, refresh_notebooks
from tools.course import NOTEBOOKS, ROOT

HEADING = re.compile(r"^(#+) (.+)$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OLD_PARTS = "Common mistakes", "Exercises", "What you saw"  # of a notebook that has no path and door yet
ANSWERS = re.compile(r"\*\*Predict\.\*\*.*?\n\n((?:<details>.*?</details>\s*)+)", re.S)
ANSWER = re.compile(r"<details><summary>(.*?)</summary>\s*(.*?)</details>", re.S)
REASON = re.compile(r"\S: |, as |\bbecause ")  # "at 1 : 1" gives none


def headings(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"```.*?```", "", cell.source, flags=re.S)
            yield from ((len(marks), title.strip()) for marks, title in HEADING.findall(prose))


def test_there_are_notebooks_and_their_numbers_have_no_gap():
    numbers = [int(path.name[:2]) for path in NOTEBOOKS]
    assert numbers and numbers == list(range(len(NOTEBOOKS)))


def test_it_validates_and_is_as_make_notebooks_stores_it(notebook, path):
    nbformat.validate(notebook)
    assert refresh_notebooks.tidy(copy.deepcopy(notebook), path.name) == notebook
    assert dict(notebook.metadata) == refresh_notebooks.metadata(notebook)


def test_its_metadata_are_what_jupyterlab_writes():
    """Else JupyterLab calls a notebook unsaved as soon as it is opened."""
    kernel, language = (refresh_notebooks.METADATA[key] for key in ("kernelspec", "language_info"))
    spec = get_kernel_dict()
    assert kernel == {"name": "python3"} | {key: spec[key] for key in ("display_name", "language")}
    assert language == IPythonKernel.language_info | {"version": language["version"]}


def test_it_was_executed_in_order_and_without_errors(notebook):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))
    for cell in code_cells(notebook):
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", output.text


def test_a_folded_cell_shows_no_bare_value(notebook):
    """Such as the `Text(0.5, 0.01, 'dimension')` that a last line leaves behind."""
    for cell in code_cells(notebook):
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            shown = [output for output in cell.outputs if output.output_type == "execute_result"]
            assert all(set(output.data) != {"text/plain"} for output in shown), cell.source


def test_no_stored_output_names_a_machine(notebook):
    texts = [output for cell in code_cells(notebook) for output in cell.outputs]
    outputs = re.sub(r"'image/png': '[^']*'", "", str(texts))
    assert not re.search(r"/(home|root|Users|tmp|work)/", outputs)


def test_live_figures_are_stored_as_picture_and_text(notebook):
    live = [cell for cell in code_cells(notebook) if re.search(r"^live\(", cell.source, re.M)]
    assert live, "no cell begins a line with live(: every notebook has a live figure"
    for cell in live:
        assert set(cell.outputs[-1].data) == {"image/png", "text/plain"}


def test_the_setup_cell_comes_first_and_is_the_same_everywhere(notebook):
    tagged = [cell for cell in notebook.cells if "setup" in cell.metadata.get("tags", [])]
    assert tagged == [notebook.cells[1]]
    assert tagged[0].source == refresh_notebooks.setup_cell(course.repository())


def test_the_parts_are_all_there_in_order(notebook):
    titles = list(headings(notebook))
    assert titles[0][0] == 1 and [level for level, _ in titles].count(1) == 1
    assert all(level <= before + 1 for (before, _), (level, _) in pairwise(titles))
    names = [title for _, title in titles]
    has_a_door = "Going deeper" in names
    parts = ("What you saw", "Exercises", "Going deeper", "Sources")
    parts = parts if has_a_door else OLD_PARTS
    missing = [name for name in parts if name not in names]
    assert not missing, f"the headings {missing} are missing; these must stand in this order: {parts}"
    last = [names.index(name) for name in parts]
    assert last == sorted(last) and last[-1] == len(names) - 1
    numbered = [title for title in names if re.match(r"\d", title)]
    assert [int(title.split(".")[0]) for title in numbered] == list(range(1, len(numbered) + 1))

    opening = notebook.cells[0].source
    assert "After this notebook you can" in opening and re.search(r"\*\*\d+ minutes\*\*", opening)
    assert "colab-badge.svg" in opening
    assert notebook.cells[-1].source.startswith("## Sources\n\n")


def test_the_doors_are_few_and_closed(notebook):
    """What only an expert misses stands behind the path, folded, and says for whom it is."""
    doors = [cell for cell in refresh_notebooks.deeper(notebook) if re.search("^### ", cell.source, re.M)]
    assert len(doors) <= 4
    for cell in doors:
        assert cell.source.startswith("### ") and len(HEADING.findall(cell.source)) == 1, cell.source
        assert cell.metadata["jp-MarkdownHeadingCollapsed"] is True
        first = cell.source.split("\n\n")[1]
        assert re.search(r"\b\d+ minutes\b", first), first


def test_cells_can_be_read_at_a_glance(notebook):
    for cell in code_cells(notebook):
        if not {"setup", "hide-input"} & set(cell.metadata.get("tags", [])):
            lines = len(cell.source.splitlines())
            told = "at most 20 may be visible: take some out, or fold what only draws (tag hide-input)"
            assert lines <= 20, f"{lines} lines, {told}:\n{cell.source}"
            wide = [line for line in cell.source.splitlines() if len(line) > 100]
            assert not wide, f"a page 1,280 pixels wide has room for 100 letters: {wide}"


def test_predictions_have_answers_to_open(notebook, path):
    asked = [cell.source for cell in notebook.cells if "**Predict.**" in cell.source]
    assert len(asked) >= 3, f"{path.name} has {len(asked)} cells with > **Predict.**, fewer than three"
    for question in asked:
        opened = question.count("<details>")
        told = "two to four answers stand below the question, each in its own <details>"
        assert 2 <= opened <= 4 and opened == question.count("</details>"), f"{told}: {question}"
        assert question.index("**Predict.**") < question.index("<details>"), f"{told}: {question}"


def predictions(notebook):
    """Of each prediction its answers, as they are read, and which of them is right."""
    for cell in notebook.cells:
        for answers in ANSWERS.findall(cell.source) if cell.cell_type == "markdown" else []:
            told, replies = zip(*ANSWER.findall(answers), strict=True)
            (right,) = (n for n, reply in enumerate(replies) if reply.startswith("Yes"))
            yield [re.sub(r"<[^>]+>", "", words) for words in told], right


def stands_out(marked, right):
    """Whether the right answer is the only one that is marked, or the only one that is not."""
    return marked.count(marked[right]) == 1


@pytest.mark.parametrize(
    ("told", "out"),
    [
        (["Both: it is near.", "Neither, as it is far.", "One."], True),
        (["Both.", "Neither.", "One, because it is near."], True),
        (["Both: it is near.", "Neither.", "One."], False),
        (["Both: it is near.", "Neither: it is far.", "One: it is next."], False),
        (["As many as at 1 : 1.", "Few.", "None."], False),
    ],
)
def test_an_answer_stands_out_that_alone_has_a_reason_or_none(told, out):
    assert stands_out([bool(REASON.search(words)) for words in told], right=2) == out


def test_the_form_of_the_answers_does_not_say_which_is_right(notebook, path):
    """Who knows nothing must not find it as the one without a reason, or as the shortest."""
    asked = list(predictions(notebook))
    assert len(asked) == sum(cell.source.count("> **Predict.**") for cell in notebook.cells)
    shortest = 0
    for told, right in asked:
        reasons = [bool(REASON.search(words)) for words in told]
        assert not stands_out(reasons, right), (
            f"the right answer alone has {'a' if reasons[right] else 'no'} reason: {told}"
        )
        shortest += all(len(told[right]) < len(words) for n, words in enumerate(told) if n != right)
    assert shortest <= len(asked) / 2 + 1, (
        f"the right answer is the shortest in {shortest} of {len(asked)} questions of {path.name}"
    )


def test_conclusions_are_prose(notebook, path):
    """Cells print no sentences: what they show are tables, numbers and pictures."""
    for cell in code_cells(notebook)[1:]:
        for output in cell.outputs:
            lines = output.get("text", "").splitlines()
            assert not [line for line in lines if re.search(r"[a-z]{2,} [a-z]{2,} .*\.$", line)], cell.source


def test_what_only_draws_is_folded(notebook, path):
    """A folded cell says in its first line what it does, for Colab's form."""
    for cell in code_cells(notebook):
        if "hide-input" in cell.metadata.get("tags", []):
            assert cell.source.startswith("# @title "), cell.source


def test_gpu_cells_stand_in_sight_beside_the_way_to_a_gpu(notebook):
    has_gpu_cell = False
    for before, cell in pairwise(notebook.cells):
        if "gpu" in cell.metadata.get("tags", []):
            has_gpu_cell = True
            assert "hide-input" not in cell.metadata.tags, cell.source
            assert "Runtime → Change runtime type → GPU" in before.source, before.source
            assert cell.outputs, cell.source  # which nbval compares, wherever it ran
    assert (notebook.metadata.get("accelerator") == "GPU") == has_gpu_cell  # Colab reads it
    source = "\n".join(cell.source for cell in code_cells(notebook))
    assert ("device = accelerator()" in source) == has_gpu_cell


def test_links_resolve(notebook, path):
    def anchors(other):
        return {title.replace(" ", "-") for _, title in headings(nbformat.read(other, as_version=4))}

    for cell in notebook.cells:
        for link in LINK.findall(cell.source) if cell.cell_type == "markdown" else []:
            assert link.isascii(), link  # of others the browser encodes a part, and JupyterLab finds nothing
            target, _, anchor = urllib.parse.unquote(link).partition("#")
            if not target.startswith("https://"):
                file = path.parent / target if target else path
                assert file.exists(), link
                assert not anchor or anchor in anchors(file), link


def test_the_readme_and_the_first_notebook_list_every_notebook():
    for page in (ROOT / "README.md", ROOT / "notebooks" / "00_start_here.ipynb"):
        listed = page.read_text()
        for path in NOTEBOOKS[1:]:
            assert path.name in listed, (page.name, path.name)


def test_the_readme_gives_the_time_that_the_notebook_gives(notebook, path):
    minutes = re.search(r"\*\*(\d+) minutes\*\*", notebook.cells[0].source)[1]
    lines = (ROOT / "README.md").read_text().splitlines()
    (row,) = (line for line in lines if line.startswith(f"| {path.name[:2]} |"))
    assert row.endswith(f"| {minutes} |")


def test_another_address_goes_everywhere(tmp_path, monkeypatch):
    (tmp_path / "deploy").mkdir()
    names = "pyproject.toml", "README.md", "CITATION.cff", "deploy/README.md"
    for name in names:
        (tmp_path / name).write_text((ROOT / name).read_text())
    monkeypatch.setattr(course, "ROOT", tmp_path)
    old = course.repository().removeprefix("https://github.com/")
    with pytest.raises(SystemExit, match="REPO must look like"):
        refresh_notebooks.move("git@example.org:someone/course")
    refresh_notebooks.move("https://github.com/someone/course.git")
    assert course.repository() == "https://github.com/someone/course"
    for name in names:
        text = (tmp_path / name).read_text()
        assert old not in text and "someone/course" in text
    assert "https://someone.github.io/course" in (tmp_path / "README.md").read_text()
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    moved = str(refresh_notebooks.tidy(notebook, NOTEBOOKS[0].name))
    assert old not in moved and "github.com/someone/course" in moved
    assert "colab.research.google.com/github/someone/course/blob/main/notebooks/00" in moved
