"""Run every notebook and store it in the form that the tests expect.

    make notebooks                               run and store them all
    make notebooks ARGS=notebooks/03_heatmaps.ipynb
    make notebooks REPO=https://github.com/someone/course      and move the course to that address

The repository's address stands in pyproject.toml; from there it goes into the setup cells and badges.
"""

import argparse
import re
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_ONLY = {WIDGET_VIEW, "text/plain"}
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# code that only draws, tagged `hide-input` (the site's word), and the set-up are folded, in Colab, too
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}
SETUP = """\
# @title Set-up: run this cell first
import subprocess
import sys
from pathlib import Path

if "google.colab" in sys.modules:  # Colab: fetch the course; its own torch and numpy stay as they are
    address = "{repository}"
    course = Path("course").resolve()
    if not course.exists():
        fetch = ["git", "clone", "--quiet", "--depth=1", address, str(course)]
        subprocess.run(fetch, check=True)
    needed = ["array-api-compat>=1.12", "pooch>=1.8"]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", *needed]
    subprocess.run(install, check=True)
    sys.path.insert(0, str(course))

import pe_helpers

print("pe_helpers", pe_helpers.__version__, "is ready")
"""


def repository():
    """The address of the repository, https://github.com/owner/name."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"]


def move(address):
    """Write another address into every text file that holds the present one; notebooks follow by `tidy`."""
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(\.git)?/?", address)
    if not found:
        raise SystemExit(f"REPO must look like https://github.com/owner/name; got {address!r}")
    old, new = repository().removeprefix("https://github.com/"), found[1]
    for name in ("pyproject.toml", "README.md", "CITATION.cff", "deploy/README.md"):
        path = ROOT / name
        text = path.read_text().replace(old, new)
        path.write_text(text.replace(pages(old), pages(new)))


def pages(slug):
    """Where GitHub shows the site of a repository, owner/name."""
    owner, name = slug.split("/")
    return f"https://{owner}.github.io/{name}"


def tidy(notebook, name):
    """Bring a notebook into the stored form, in place: what `tests/test_notebook_form.py` checks."""
    address = repository()
    slug = address.removeprefix("https://github.com/")
    colab = f"https://colab.research.google.com/github/{slug}/blob/main/notebooks/{name}"
    title = notebook.cells[0]
    title.source = re.sub(r"https://colab\.research\.google\.com/github/[^)]*", colab, title.source)
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        folded = FOLDED if {"hide-input", "setup"} & set(tags) else {}
        cell.metadata = nbformat.from_dict(({"tags": tags} if tags else {}) | folded)
        if "setup" in tags:
            cell.source = SETUP.format(repository=address).strip()
        if cell.cell_type == "code":  # a progress bar is nothing without its kernel
            cell.outputs = [output for output in cell.outputs if set(output.get("data", ())) != WIDGET_ONLY]
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if output.output_type in ("display_data", "execute_result"):
                output.metadata = {}
    return notebook


def refresh(path):
    """Run one notebook from top to bottom in a fresh kernel and store it."""
    notebook = tidy(nbformat.read(path, as_version=4), path.name)
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        coalesce_streams=True,
        store_widget_state=False,
        record_timing=False,
    )
    client.execute()
    nbformat.write(tidy(notebook, path.name), path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path, help="by default all of them")
    parser.add_argument("--repo", help="the new address of the repository")
    arguments = parser.parse_args()
    if arguments.repo:
        move(arguments.repo)
    with ProcessPoolExecutor(2) as pool:
        for path in pool.map(refresh, [path.resolve() for path in arguments.notebooks] or NOTEBOOKS):
            print(f"stored {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
