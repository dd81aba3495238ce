"""What the workflows ask before something is published; git and Python are enough.

    python -m tools.publish site _site    refuse pages that still say OWNER
    python -m tools.publish version       refuse a package that differs from the tag of its version
    python -m tools.publish tag           make that tag on the remote, unless it is there

In Colab the set-up cells fetch the package by the tag of the version that they were stored with. A commit's
hash would not do: the commit that holds a notebook is not known when the notebook is stored.
"""

import argparse
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FETCHED = ["pe_helpers", "live_figures", "data", ":!*.md", ":!*/tests/*"]  # what a notebook uses of a clone


def version(root=ROOT):
    """The package's version, read without importing it."""
    (found,) = re.findall(r'^__version__ = "(.+)"$', (root / "pe_helpers" / "__init__.py").read_text(), re.M)
    return found


def git(*command, root=ROOT):
    run = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"git {' '.join(command)}: {run.stderr.strip()}")
    return run.stdout.strip()


def has_tag(tag, root=ROOT):
    """Whether the remote has this tag; then it is here, too, without its history."""
    if not git("ls-remote", "--tags", "origin", f"refs/tags/{tag}", root=root):
        return False
    git("fetch", "--quiet", "--depth=1", "origin", f"+refs/tags/{tag}:refs/tags/{tag}", root=root)
    return True


def check_version(root=ROOT):
    """Raise SystemExit where the package is not what the tag of its version holds."""
    tag = f"v{version(root)}"
    if has_tag(tag, root):
        changed = git("diff", "--name-only", tag, "HEAD", "--", *FETCHED, root=root)
        if changed:
            raise SystemExit(
                f"{changed}\n\ndiffer from {tag}, which notebooks in Colab fetch. "
                "Give pe_helpers/__init__.py a new __version__ and run `make notebooks`."
            )


def make_tag(root=ROOT):
    """Tag this commit with the package's version on the remote, unless there is such a tag."""
    tag = f"v{version(root)}"
    if not has_tag(tag, root):
        git("push", "--quiet", "origin", f"HEAD:refs/tags/{tag}", root=root)
        print(f"tagged {tag}")


def check_site(folder):
    """Raise SystemExit where pages, or the notebooks beside them, lead to an address with OWNER in it."""
    files = [file for file in sorted(folder.rglob("*")) if file.suffix in (".html", ".ipynb")]
    if not files:
        raise SystemExit(f"{folder} must be a folder that `make site` wrote; it has no page")
    wrong = [
        str(file.relative_to(folder)) for file in files if re.search(r"/OWNER[/.]", file.read_text("utf-8"))
    ]
    if wrong:
        raise SystemExit(
            f"{len(wrong)} files lead to OWNER, {wrong[0]} first. Say where the course is, and commit that: "
            "make notebooks REPO=https://github.com/you/your-course"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["site", "version", "tag"])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "_site", help="of the pages")
    arguments = parser.parse_args()
    if arguments.what == "site":
        check_site(arguments.folder)
    else:
        {"version": check_version, "tag": make_tag}[arguments.what]()


if __name__ == "__main__":
    main()
