"""The set-up cell brings the course into Colab; where it cannot, it says in words what to do."""

import json
import os
import subprocess
import sys

import pytest

from tools import refresh_notebooks
from tools.course import ROOT
from tools.publish import version

READY = "is ready. Once all cells have run, pictures move and answers are checked."

SHELL = """if True:
    import importlib.metadata, json, sys, types
    from IPython.core.interactiveshell import InteractiveShell

    def installed():
        found = [(d.name, d.version, str(d.locate_file(""))) for d in importlib.metadata.distributions()]
        return sorted(map(str, found))

    place, times, cell = json.load(sys.stdin)
    if place == "colab":
        sys.modules["google"] = types.ModuleType("google")
        sys.modules["google.colab"] = types.ModuleType("google.colab")
    if place == "elsewhere":
        sys.modules["pe_helpers"] = None  # as where nobody has installed it
    shell, before = InteractiveShell.instance(), installed()
    ran = [shell.run_cell(cell) for _ in range(times)][-1]
    file = sys.modules["pe_helpers"].__file__ if ran.success else ""
    print(json.dumps([type(ran.error_in_exec).__name__, file, installed() == before, "torch" in sys.modules]))
"""


def git(*command, cwd):
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *command], cwd=cwd, check=True, capture_output=True)


def run(cell, cwd, place="colab", times=1):
    """Run a cell in IPython: (the lines that it printed, [error, pe_helpers, nothing installed, torch])."""
    environment = os.environ | {"IPYTHONDIR": str(cwd / ".ipython"), "PIP_NO_INDEX": "1"}
    command, given = [sys.executable, "-c", SHELL], json.dumps([place, times, cell])
    ran = subprocess.run(command, input=given, cwd=cwd, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    *printed, last = ran.stdout.splitlines()
    return printed, json.loads(last)


@pytest.fixture
def repository(tmp_path):
    """The address of a course whose newest state is 9.9.9, and a function that tags what it had before."""
    work, bare = tmp_path / "work", tmp_path / "course.git"
    package = work / "pe_helpers" / "__init__.py"
    package.parent.mkdir(parents=True)
    git("init", cwd=work)
    for stored in (version(), "9.9.9"):
        package.write_text(f'__version__ = "{stored}"\n')
        git("add", ".", cwd=work)
        git("commit", "--message", stored, cwd=work)
    git("clone", "--bare", work.as_uri(), str(bare), cwd=tmp_path)
    return bare.as_uri(), lambda: git("tag", f"v{version()}", "main~1", cwd=bare)


def folder(tmp_path):
    here = tmp_path / "colab"
    here.mkdir()
    return here


def test_it_fetches_the_version_that_the_notebook_was_stored_with(tmp_path, repository):
    address, tag = repository
    tag()
    here = folder(tmp_path)
    cell = refresh_notebooks.setup_cell(address)
    printed, (error, file, nothing_changed, torch_loaded) = run(cell, here, times=2)  # again does no harm
    assert printed == [f"The course's own code (pe_helpers {version()}) {READY}"] * 2 and error == "NoneType"
    assert file == str(here / "course" / "pe_helpers" / "__init__.py")
    assert nothing_changed and not torch_loaded


def test_without_that_tag_it_takes_the_newest_and_says_so(tmp_path, repository):
    printed, _ = run(refresh_notebooks.setup_cell(repository[0]), folder(tmp_path))
    said = f"Found no v{version()} of the course: this is its newest state."
    assert printed == [said, f"The course's own code (pe_helpers 9.9.9) {READY}"]


def test_the_course_as_it_is_here_can_be_fetched(tmp_path):
    here = folder(tmp_path)
    printed, (error, *_) = run(refresh_notebooks.setup_cell(ROOT.as_uri()), here)
    assert error == "NoneType" and printed[-1].endswith(READY)
    assert (here / "course" / "data").is_dir()


def check_words(printed, error, *parts):
    """Nothing but a sentence: no traceback, no name of an error."""
    assert error == "SetupError"
    text = "\n".join(printed)
    assert "Traceback" not in text and "Error" not in text and "---" not in text
    for part in parts:
        assert part in text, text


def test_an_address_that_nobody_has_set_is_said_in_words(tmp_path):
    here = folder(tmp_path)
    printed, (error, *_) = run(refresh_notebooks.setup_cell("https://github.com/OWNER/course"), here)
    check_words(printed, error, "does not know where its course is", "the one with OWNER")
    assert len(printed) == 1 and not (here / "course").exists()


def test_beside_the_course_no_address_is_needed(tmp_path, repository):
    here = folder(tmp_path)
    git("clone", repository[0], "course", cwd=here)
    printed, _ = run(refresh_notebooks.setup_cell("https://github.com/OWNER/course"), here)
    assert printed == [f"The course's own code (pe_helpers 9.9.9) {READY}"]


def test_a_course_that_cannot_be_fetched_is_said_in_words(tmp_path):
    here, address = folder(tmp_path), (tmp_path / "nothing").as_uri()
    printed, (error, *_) = run(refresh_notebooks.setup_cell(address), here)
    check_words(printed, error, f"could not be fetched from {address}", "Git says: fatal:")
    assert not (here / "course").exists()


def test_a_package_that_pip_does_not_find_is_said_in_words(tmp_path, repository):
    cell = refresh_notebooks.setup_cell(repository[0]).replace("pooch>=1.8", "pooch>=999")
    printed, (error, *_) = run(cell, folder(tmp_path))
    check_words([line for line in printed if "Found no" not in line], error, "pip could not", "pooch>=999")


def test_elsewhere_it_only_imports(tmp_path):
    here = folder(tmp_path)
    printed, _ = run(refresh_notebooks.setup_cell("https://nowhere.invalid"), here, "here")
    assert printed == [f"The course's own code (pe_helpers {version()}) {READY}"]
    assert [file.name for file in here.iterdir()] == [".ipython"]


def test_without_the_package_it_says_how_to_open_the_course(tmp_path):
    cell = refresh_notebooks.setup_cell("https://nowhere.invalid")
    printed, (error, *_) = run(cell, folder(tmp_path), "elsewhere")
    check_words(printed, error, "pe_helpers is not installed here", "`make lab`")
    assert len(printed) == 1
