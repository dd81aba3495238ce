"""Where the course's files are, and its address."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
OF_NOTEBOOKS = (  # what is said to those who run a notebook, and not on pages or slides
    r"At each \*\*Predict\*\*, decide[^\n]*(?:\n+- [^\n]*)*"
    r"|<details><summary>If nothing moves</summary>.*?</details>"
)


def repository():
    """The address of the repository, https://github.com/owner/name."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"]
