"""Notebook 11 takes the larger run's table as it is, with more schemes, too."""

import nbformat
import pandas
import pytest

from tests.conftest import code_cells, run_cell, run_notebook
from tools.course import NOTEBOOKS

(PATH,) = (path for path in NOTEBOOKS if path.stem == "11_length_generalisation")


@pytest.fixture
def with_two_more(monkeypatch):
    """The names of the notebook after the cells of the table, in which two schemes are rotary's twins."""
    names, read_csv = dict(run_notebook(PATH).names), pandas.read_csv

    def more(*arguments, **options):
        table = read_csv(*arguments, **options)
        twins = [table[table.scheme == "rotary"].assign(scheme=twin) for twin in ("twin", "third")]
        return pandas.concat([table, *twins])

    monkeypatch.setattr(pandas, "read_csv", more)
    sources = [cell.source for cell in code_cells(nbformat.read(PATH, as_version=4))]
    (first,) = (number for number, source in enumerate(sources) if "runs = pd.read_csv" in source)
    (end,) = (number for number, source in enumerate(sources) if source.startswith("# @title Choose a task"))
    for source in sources[first : end + 1]:
        run_cell(source, names)
    return names


def test_11_draws_the_schemes_that_a_table_has_more(with_two_more):
    curves, update = with_two_more["curves"], with_two_more["update"]
    captions = {name: update("near rule", name, "all") for name in curves}
    assert curves.keys() == {*with_two_more["schemes"], "twin", "third"}
    assert captions["twin"] == captions["rotary"].replace("rotary", "twin")
    assert (curves["twin"].get_ydata() == curves["rotary"].get_ydata()).all()
    curves["twin"].figure.draw_without_rendering()
