"""Run every notebook and store it in the form that the tests expect.

    make notebooks                               run and store them all
    make notebooks ARGS=notebooks/03_heatmaps.ipynb
    make notebooks REPO=https://github.com/someone/course      and move the course to that address

The repository's address stands in pyproject.toml, the version in pe_helpers/__init__.py; from there they
go into the setup cells, the address into the badges, too.
"""

import argparse
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tools import course
from tools.publish import version

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_ONLY = {WIDGET_VIEW, "text/plain"}
METADATA = {  # as JupyterLab writes it: a notebook that says less is "unsaved" as soon as it is opened
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": "3.11.7",  # one for all machines; JupyterLab writes another where the kernel's differs
    },
}
# code that only draws, tagged `hide-input` (the site's word), and the set-up are folded, in Colab, too;
# nbconvert leaves them out, as where its own TagRemovePreprocessor wrote `transient`
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form", "transient": {"remove_source": True}}
DOOR = {"jp-MarkdownHeadingCollapsed": True}  # a section behind "Going deeper" is folded when it is opened
SETUP = """\
# @title Set-up: menu Run, Run All Cells (in Colab: Runtime, Run all)
import subprocess
import sys
from pathlib import Path


class SetupError(Exception):
    def _render_traceback_(self):  # Jupyter shows the words alone
        return [str(self)]


address = "ADDRESS"
version = "VERSION"  # of the course, with which this notebook was stored
if "google.colab" in sys.modules:  # Colab: fetch the course; its own torch and numpy stay as they are
    course, quiet = Path("course").resolve(), {"capture_output": True, "text": True}
    if "OWNER" in address and not course.exists():
        raise SetupError(
            "This notebook does not know where its course is. Double-click on this cell's title, put the "
            "course's address in place of the one with OWNER, and run the cell again."
        )
    clone = ["git", "clone", "--quiet", "--depth=1", address, str(course)]
    if not course.exists() and subprocess.run([*clone, "--branch", version], **quiet).returncode:
        newest = subprocess.run(clone, **quiet)
        if newest.returncode:
            raise SetupError(
                f"The course could not be fetched from {address}. Is that its address, and can everybody "
                f"read it? If so, try again later. Git says: {newest.stderr.strip()}"
            )
        print("Found no", version, "of the course: this is its newest state.")
    needed = ["anywidget>=0.9", "array-api-compat>=1.12", "pooch>=1.8", "psygnal>=0.8.1"]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", *needed]
    installed = subprocess.run(pip, **quiet)
    if installed.returncode:
        raise SetupError(f"pip could not install what the course needs. It says: {installed.stderr.strip()}")
    sys.path.insert(0, str(course))

try:
    import pe_helpers
except ModuleNotFoundError as missing:
    raise SetupError(
        f"{missing.name} is not installed here. This notebook needs the whole course, {address}: "
        "type `make lab` in its folder, and open the notebook there."
    ) from None

ready = "is ready. Once all cells have run, pictures move and answers are checked."
print(f"The course's own code (pe_helpers {pe_helpers.__version__}) {ready}")
"""
# what stands below it before it runs; nbval passes over it, as the tag says
BEFORE = (
    "**First: menu *Run*, *Run All Cells*** (in Colab: *Runtime*, *Run all*). It takes a minute at most; "
    "if the page then shows its foot, scroll up again. Until all cells have run, pictures stand still, and "
    "no exercise is checked."
)


def setup_cell(address):
    """The source of the set-up cell, which fetches this version of the course from this address."""
    return SETUP.strip().replace("ADDRESS", address).replace("VERSION", f"v{version()}")


def metadata(notebook):
    """What is said about a notebook as a whole; Colab reads `accelerator`."""
    has_gpu_cell = any("gpu" in cell.metadata.get("tags", []) for cell in notebook.cells)
    return ({"accelerator": "GPU"} if has_gpu_cell else {}) | METADATA


def move(address):
    """Write another address into every text file that holds the present one; notebooks follow by `tidy`."""
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(\.git)?/?", address)
    if not found:
        raise SystemExit(f"REPO must look like https://github.com/owner/name; got {address!r}")
    old, new = course.repository().removeprefix("https://github.com/"), found[1]
    for name in ("pyproject.toml", "README.md", "CITATION.cff", "deploy/README.md"):
        path = course.ROOT / name
        text = path.read_text().replace(old, new)
        path.write_text(text.replace(pages(old), pages(new)))


def pages(slug):
    """Where GitHub shows the site of a repository, owner/name."""
    owner, name = slug.split("/")
    return f"https://{owner}.github.io/{name}"


def tidy(notebook, name):
    """Bring a notebook into the stored form, in place: what `tests/test_notebook_form.py` checks."""
    address = course.repository()
    slug = address.removeprefix("https://github.com/")
    colab = f"https://colab.research.google.com/github/{slug}/blob/main/notebooks/{name}"
    title = notebook.cells[0]
    title.source = re.sub(r"https://colab\.research\.google\.com/github/[^)]*", colab, title.source)
    notebook.metadata = nbformat.from_dict(metadata(notebook))
    doors = {id(cell) for cell in deeper(notebook) if cell.source.startswith("### ")}
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        tags = ["setup", "nbval-ignore-output"] if "setup" in tags else tags
        folded = FOLDED if {"hide-input", "setup"} & set(tags) else DOOR if id(cell) in doors else {}
        cell.metadata = nbformat.from_dict(({"tags": tags} if tags else {}) | folded)
        if "setup" in tags:
            cell.source = setup_cell(address)
            data = {"text/markdown": BEFORE, "text/plain": BEFORE.replace("*", "")}
            cell.outputs = [nbformat.v4.new_output("display_data", data)]
        if cell.cell_type == "code":  # a progress bar is nothing without its kernel
            cell.outputs = [output for output in cell.outputs if set(output.get("data", ())) != WIDGET_ONLY]
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if output.output_type in ("display_data", "execute_result"):
                output.metadata = {}
    return notebook


def deeper(notebook):
    """The cells behind the heading "Going deeper", none where there is no such heading."""
    is_deeper = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (found := re.match("## (.+)", cell.source)):
            is_deeper = found[1] == "Going deeper"
        if is_deeper:
            yield cell


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
        for path in pool.map(refresh, [path.resolve() for path in arguments.notebooks] or course.NOTEBOOKS):
            print(f"stored {path.relative_to(course.ROOT)}")


if __name__ == "__main__":
    main()
