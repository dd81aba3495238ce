"""TEACHING.md names sections and exercises that exist, and its exam's numbers are right."""

import math
import re

import nbformat
import pytest

from tools.course import NOTEBOOKS, ROOT

GUIDE = (ROOT / "TEACHING.md").read_text(encoding="utf-8")


def markdown(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def numbers(text):
    return {int(number) for number in re.findall(r"\b\d{1,2}\b", text)}


def test_every_notebook_has_its_part(path):
    number, title = path.stem[:2], re.search(r"^# ([^:\n]+)", markdown(path), re.M)[1]
    part = re.search(rf"^### {number} · {title}\n(.*?)(?=^##|\Z)", GUIDE, re.M | re.S)
    assert part, f"### {number} · {title}"
    assert all(word in part[1] for word in ("**Aim.**", "**Votes.**", "**Stop**"))
    sections = set(map(int, re.findall(r"^## (\d+) · ", markdown(path), re.M)))
    told = re.findall(r"[Ss]ection (\d+)", part[1])
    assert set(map(int, told)) <= sections


def test_the_plan_names_sections_and_exercises_that_exist(path):
    (row,) = re.findall(rf"^\| {path.stem[:2]} \| (.+?) \| (.+?) \| (.+?) \|$", GUIDE, re.M)
    text = markdown(path)
    sections = set(map(int, re.findall(r"^## (\d+) · ", text, re.M)))
    assert numbers(row[0]) <= sections and numbers(row[1]) <= sections
    exercises = set(map(int, re.findall(r"^\*\*(\d)\.\*\* ", text, re.M)))
    assert numbers(row[2]) <= exercises, exercises


def test_the_numbers_of_the_exam():
    assert 64 * math.log(500 / (2 * math.pi)) / math.log(1e4) == pytest.approx(30.4, abs=0.05)
    near = 1 / (1 - math.exp(-1 / 4))
    assert near == pytest.approx(4.52, abs=0.005) and math.log(near) == pytest.approx(1.51, abs=0.005)
    assert (6 - math.log(near)) * 4 == pytest.approx(17.97, abs=0.005)
    for number in ("= 30.4:", "= 4.52", "= 1.51", "= 17.97", "6 / (1/4) = 24"):
        assert number in GUIDE
    asked = re.findall(r"^\d+\. .+\((\d\d)\)$", GUIDE, re.M)  # the notebook behind each question
    assert len(asked) == 12 and set(asked) <= {path.stem[:2] for path in NOTEBOOKS}
