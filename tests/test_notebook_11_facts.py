"""Notebook 11 takes the larger run's table as it is, with more schemes, too; its ranges are the text's."""

import re

import nbformat
import pandas
import pytest

from tests.conftest import code_cells, run_cell, run_notebook
from tools.course import NOTEBOOKS

(PATH,) = (path for path in NOTEBOOKS if path.stem == "11_length_generalisation")
NOTEBOOK = nbformat.read(PATH, as_version=4)
SOURCES = [cell.source for cell in code_cells(NOTEBOOK)]


@pytest.fixture
def with_two_more(monkeypatch):
    """The names of the notebook after the cells of the table, in which two schemes are rotary's twins."""
    names, read_csv = dict(run_notebook(PATH).names), pandas.read_csv

    def more(*arguments, **options):
        table = read_csv(*arguments, **options)
        twins = [table[table.scheme == "rotary"].assign(scheme=twin) for twin in ("twin", "third")]
        return pandas.concat([table, *twins])

    monkeypatch.setattr(pandas, "read_csv", more)
    (first,) = (number for number, source in enumerate(SOURCES) if "pd.read_csv" in source)
    (end,) = (number for number, source in enumerate(SOURCES) if source.startswith("def reach"))
    for source in SOURCES[first:end]:
        run_cell(source, names)
    return names


def test_11_draws_the_schemes_that_a_table_has_more(with_two_more):
    figure, names, update = (with_two_more[name] for name in ("live_figure", "names", "update"))
    captions = {name: update("128 to 511", name) for name in names}
    assert captions["twin"] == captions["rotary"].replace("rotary, at", "twin, at")
    figure.draw_without_rendering()
    entries = [text.get_text() for text in figure.legends[0].get_texts()]
    assert entries[: len(names)] == list(names) and entries[7:9] == ["twin", "third"]
    marks = [with_two_more["marks"][None, name][2] for name in names]
    assert len({(mark.get_color(), mark.get_marker()) for mark in marks}) == len(names) == 9
    assert marks[7].get_xdata() == marks[0].get_xdata()


def test_11_the_ranges_that_are_checked_stand_in_the_text():
    text = "\n".join(cell.source for cell in NOTEBOOK.cells if cell.cell_type == "markdown")
    checked = {words for source in SOURCES for words in re.findall(r'"(\d\.\d\d(?: to \d\.\d\d)?)"', source)}
    assert len(checked) > 15 and all(words in text for words in checked)
    assert set(re.findall(r"\d\.\d\d to \d\.\d\d", text)) <= checked
