"""What is published leads to a course, and set-up cells fetch the package that they were stored with."""

import subprocess

import pytest

from tests.test_setup_cell import git
from tools import course, publish
from tools.course import NOTEBOOKS, ROOT

VERSION = '__version__ = "{}"\n'


@pytest.fixture
def work(tmp_path):
    """A checkout of a small course, whose remote is beside it."""
    work, remote = tmp_path / "work", tmp_path / "remote.git"
    (work / "pe_helpers").mkdir(parents=True)
    git("init", "--bare", str(remote), cwd=tmp_path)
    git("init", cwd=work)
    git("remote", "add", "origin", remote.as_uri(), cwd=work)
    change(work, "pe_helpers/__init__.py", VERSION.format("1.0"))
    return work


def change(work, name, text):
    (work / name).parent.mkdir(parents=True, exist_ok=True)
    (work / name).write_text(text)
    git("add", ".", cwd=work)
    git("commit", "--message", name, cwd=work)
    git("push", "origin", "HEAD:main", cwd=work)


def tags(work):
    asked = ["git", "ls-remote", "--tags", "origin"]
    lines = subprocess.run(asked, cwd=work, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name.removeprefix("refs/tags/"): commit for commit, name in (line.split() for line in lines)}


def test_it_reads_the_version_without_importing_the_package():
    assert f'__version__ = "{publish.version()}"' in (ROOT / "pe_helpers" / "__init__.py").read_text()


def test_a_version_is_tagged_once(work):
    publish.check_version(work)  # nothing to compare with yet
    publish.make_tag(work)
    (first,) = tags(work).items()
    assert first[0] == "v1.0"
    change(work, "README.md", "later")
    publish.make_tag(work)
    assert tags(work) == dict([first])
    change(work, "pe_helpers/__init__.py", VERSION.format("1.1"))
    publish.make_tag(work)
    assert set(tags(work)) == {"v1.0", "v1.1"}


@pytest.mark.parametrize("name", ["pe_helpers/words/new.py", "live_figures/page.js", "data/table.csv"])
def test_what_notebooks_fetch_does_not_change_without_a_new_version(work, name):
    publish.make_tag(work)
    publish.check_version(work)
    change(work, name, "new")
    with pytest.raises(SystemExit, match=rf"{name}\n\ndiffer from v1\.0.*a new __version__"):
        publish.check_version(work)
    change(work, "pe_helpers/__init__.py", VERSION.format("1.1"))
    publish.check_version(work)


@pytest.mark.parametrize("name", ["notebooks/00.ipynb", "data/README.md", "live_figures/tests/test_page.py"])
def test_what_they_do_not_fetch_may_change(work, name):
    publish.make_tag(work)
    change(work, name, "new")
    publish.check_version(work)


def test_a_checkout_without_history_and_tags_is_enough(work, tmp_path):
    """As in GitHub's workflows."""
    publish.make_tag(work)
    change(work, "pe_helpers/new.py", "new")
    remote = (tmp_path / "remote.git").as_uri()
    git("clone", "--depth=1", "--no-tags", "--branch=main", remote, "shallow", cwd=tmp_path)
    with pytest.raises(SystemExit, match=r"pe_helpers/new\.py\n"):
        publish.check_version(tmp_path / "shallow")
    publish.make_tag(tmp_path / "shallow")
    assert len(tags(work)) == 1


def test_a_remote_that_does_not_answer_is_no_missing_tag(work):
    git("remote", "set-url", "origin", "file:///nowhere", cwd=work)
    with pytest.raises(SystemExit, match="nowhere"):
        publish.make_tag(work)


def site_of(folder, slug):
    """A site with one page and one notebook, whose badge and set-up cell lead to this repository."""
    present = course.repository().removeprefix("https://github.com/")
    (folder / "notebooks").mkdir(parents=True)
    notebook = NOTEBOOKS[0].read_text("utf-8").replace(present, slug)
    (folder / "notebooks" / "00.ipynb").write_text(notebook, "utf-8")
    (folder / "index.html").write_text("<p>No address</p>", "utf-8")
    return folder


def test_a_site_without_an_address_is_refused(tmp_path):
    publish.check_site(site_of(tmp_path / "fork", "someone/course"))
    site = site_of(tmp_path / "site", "OWNER/course")
    with pytest.raises(SystemExit, match=r"^1 files .*notebooks/00\.ipynb first.*make notebooks REPO="):
        publish.check_site(site)
    (tmp_path / "fork" / "index.html").write_text('<a href="https://OWNER.github.io/course/">', "utf-8")
    with pytest.raises(SystemExit, match=r"index\.html first"):
        publish.check_site(tmp_path / "fork")


def test_no_page_is_no_site(tmp_path):
    with pytest.raises(SystemExit, match="has no page"):
        publish.check_site(tmp_path)


def steps(workflow, job):
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load((ROOT / ".github" / "workflows" / workflow).read_text())["jobs"][job]
    return found, [step.get("run") or step["uses"] for step in found["steps"]]


def test_the_workflows_ask_before_they_publish():
    job, commands = steps("site.yml", "build")
    asked = commands.index("python -m tools.publish site _site")
    assert any(command.startswith("make site") for command in commands[:asked])
    assert any("upload-pages-artifact" in command for command in commands[asked:])
    assert job["steps"][asked]["if"] == "github.ref == 'refs/heads/main'"  # the one that is published
    assert "python3 -m tools.publish version" in steps("ci.yml", "version")[1]
    job, commands = steps("ci.yml", "tag")
    assert commands[-1] == "python3 -m tools.publish tag" and set(job["needs"]) == {
        "test",
        "colab",
        "version",
    }
    assert job["if"] == "github.ref == 'refs/heads/main'" and job["permissions"] == {"contents": "write"}
