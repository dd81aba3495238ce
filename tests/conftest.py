"""What several tests need: settings, the notebooks, a way to run them here, and the reference figures."""

import ast
import gc
import json
import os
import re
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from unittest.mock import patch

import nbformat
import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from live_figures.tests.conftest import browser  # noqa: F401  # a fixture
from pe_helpers import exercises
from tests import course_lab
from tools import kept_models, sealing
from tools.course import NOTEBOOKS, ROOT

collect_ignore = ["hub"]  # `make hub-test` runs it: it needs a hub
settings.register_profile("course", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("course")

gc.set_threshold(10_000, 10, 20)  # a tenth of the time of a test process went into looking for garbage

FIGURES = ROOT / "tests" / "data" / "figures.json"
LONG = [
    "tests/browser/test_site.py",
    "tests/browser/test_jupyterlab.py",
    "11",
    "live_figures/tests/browser/test_live_figure.py",
    "06",
    "07",
]

SLOW = re.compile(  # what takes seconds: it installs, trains, compiles, starts processes, records figures
    r"test_(alone|devices|grading|javascript|no_delay|recorder|recording|setup_cell|sphinx|training|without_kernel)\.py"
    r"|test_(against_transformers|language_evidence|model_configs|word_map)\.py|compiler_sees|a_kill_while|two_processes|stanfords_text"
    r"|the_losses_of_the_table|beyond_the_trained_length|every_number_on_a_cell"
    r"|a_run_(writes|that)|what_ships_stays|losses_of_other_sizes|trained_further|can_be_trained"
    r"|as_transformers_reads|any_numbers|alibi_sees_what_mpt|no_complex_numbers|counts_as_memory"
)


def pytest_ignore_collect(collection_path, config):
    """Where nothing slow is wanted, files that are slow as a whole stay unread: they load transformers."""
    return True if config.option.markexpr == "not slow" and SLOW.search(collection_path.name) else None


def scope(nodeid):
    """What one process takes as a whole: a file, or a notebook: first nbval, then tests that share a run."""
    file = nodeid.partition("::")[0]
    notebook = re.search(r"(?:\[|^notebooks/|/test_notebook_|::test_)(\d\d)_", nodeid)
    return notebook[1] if notebook and not file.endswith("test_jupyterlab.py") else file


class ByNotebook(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        return scope(nodeid)


@pytest.hookimpl(optionalhook=True)  # there is none where xdist is off
def pytest_xdist_make_scheduler(config, log):
    return ByNotebook(config, log)


def pytest_collection_modifyitems(items):
    """What nbval trains is kept; what takes longest begins first, so that no process is alone at the end."""
    for item in items:
        if hasattr(item, "cell_num") and item.cell_num == 0:  # nbval's first of a notebook
            anew = os.environ.get("PE_KEPT_MODELS") != "1"
            item.cell.source = kept_models.first_cell(item.path, anew) + item.cell.source
        if SLOW.search(item.nodeid):
            item.add_marker("slow")
        if "/browser/" in item.nodeid:  # a race there is tried once more, and listed at the end (-r R)
            item.add_marker(pytest.mark.flaky(reruns=1))
    items.sort(key=lambda item: (place_of(scope(item.nodeid)), not hasattr(item, "cell_num")))


def pytest_collection_finish():
    gc.freeze()  # what was imported stays: it is not looked through again


def place_of(what):
    return LONG.index(what) if what in LONG else len(LONG)


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def one_thread():
    """torch computes with one thread: sums are then the same everywhere, and small models are no slower."""
    import torch  # not above: the process that hands out the tests needs none

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def notebook(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """(folder, address) of the notebooks of a fresh copy of the course in a JupyterLab of its own."""
    with course_lab.lab(tmp_path_factory.mktemp("lab")) as course:
        yield course


@pytest.fixture(scope="session")
def figures():
    """Figures published by other courses, which these notebooks must reproduce."""
    return json.loads(FIGURES.read_text())


@pytest.fixture(scope="session")
def glove_rows():
    """The path of the first 2,604 rows of Stanford's GloVe, 100 dimensions."""
    path = ROOT.parent / "shared" / "glove" / "glove.6B.100d.first2604.txt"
    if not path.exists():
        pytest.skip("the real GloVe rows are not beside this checkout")
    return path


@dataclass
class Run:
    """A notebook that was executed in this process."""

    names: dict  # its variables at the end
    shown: list = field(default_factory=list)  # (tags of the cell, value of its last line)
    before: dict = field(default_factory=dict)  # tag -> the variables before that cell ran
    checks: list = field(default_factory=list)  # what each exercise is checked with, a sealing.Check


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def run_cell(source, names):
    """Execute a cell as IPython does; return the value of its last line, if that is an expression."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    if last is not None:
        return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return None


@cache
def run_notebook(path):
    """Execute all code cells of a notebook, once a test process."""
    here = os.getcwd()
    run = Run({"__name__": "__main__"})
    os.chdir(path.parent)
    try:
        folder = kept_models.folder_of(path)
        with kept_models.remember(folder) if folder else nullcontext():
            run_cells(path, run)
    finally:
        os.chdir(here)
    return run


def run_cells(path, run):
    judge, seen = exercises.check, []

    def check(answer, expect, on, mistakes=None):
        seen.append(sealing.Check(expect, on, mistakes or {}))
        return judge(answer, expect, on, mistakes)

    with patch.object(exercises, "check", check):  # which the notebook imports
        for cell in code_cells(nbformat.read(path, as_version=4)):
            tags = tuple(cell.metadata.get("tags", []))
            run.before.update({tag: dict(run.names) for tag in tags})
            run.shown.append((tags, run_cell(cell.source, run.names)))
    run.checks.extend(seen)  # the names keep this `check`: what is asked later is no part of the run


def cell_with_tag(path, tag):
    """The source of the one cell of a notebook that has this tag."""
    cells = nbformat.read(path, as_version=4).cells
    (cell,) = (cell for cell in cells if tag in cell.metadata.get("tags", []))
    return cell.source
