"""TEACHING.md names sections and exercises that exist, and the exam's numbers are right."""

import re

import nbformat
import numpy as np
import pytest

from pe_helpers import angle_rates, rates_from_config, shift_matrix
from tools.course import NOTEBOOKS, ROOT
from tools.exam import exam, on_paper

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


def test_the_answers_to_what_the_course_takes_for_granted_are_right(capsys):
    questions, answers = re.search(
        r"## Before the first week\n(.*?)</summary>(.*?)</details>", GUIDE, re.S
    ).groups()
    told = dict(re.findall(r"(\d): (.+?)\.(?= \d:|\n)", answers))
    exec(re.search(r"```python\n(.*?)```", questions, re.S)[1], {})
    assert told["5"] == ", ".join(f"`{line}`" for line in capsys.readouterr().out.splitlines())
    product = np.ones((5, 2)) @ np.ones((2, 3))
    assert told["1"] == str(np.dot([1, 2], [3, -1]))
    assert told["2"].startswith("{} rows, {} columns;".format(*product.shape))
    right_angle = np.radians(90)
    assert told["3"] == "π/2; 1 and 0" and np.isclose(right_angle, np.pi / 2)
    assert np.allclose([np.sin(right_angle), np.cos(right_angle)], [1, 0])
    assert told["4"] == "20; 1/2" and np.isclose(np.exp(np.log(4) + np.log(5)), 20)
    assert told["6"] == "two" and np.isclose(np.log10(10_000 / 100), 2)


VARIANTS = [exam(seed) for seed in range(40)]


def numbers_of(question):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", question.replace(",", ""))]


def test_every_variant_of_the_exam_has_sixty_points_for_questions_on_all_of_the_path():
    notebooks = [path.stem[:2] for path in NOTEBOOKS][:15]
    for questions in VARIANTS:
        assert [question.notebook for question in questions] == notebooks
        assert sum(question.points for question in questions) == 60
    assert len({on_paper(questions)[0] for questions in VARIANTS}) == len(VARIANTS)
    paper, answers = on_paper(VARIANTS[0])
    assert all(question.answer in answers and question.answer not in paper for question in VARIANTS[0])


@pytest.mark.parametrize("questions", VARIANTS[::4], ids=lambda _: "")
def test_the_numbers_of_the_exam(questions):
    """Each is right with the real 2π and the real cosines, too, so that rounding decides nothing."""
    text = {question.notebook: (question.text, question.answer) for question in questions}
    rates = angle_rates(8)

    (_, _, length), (*_, done, every) = numbers_of(text["02"][0]), numbers_of(text["02"][1])
    assert done == (length * rates >= 2 * np.pi).sum() and every == 4

    fast, slow = numbers_of(text["04"][0])[:2]
    said = numbers_of(text["04"][1].partition(": ")[2])
    dots = [sum(np.cos(np.radians(each * k)) for each in (fast, slow)) for k in range(4)]
    assert said[:4] == pytest.approx(dots, abs=0.02)
    assert said[4:] == [k for k in range(1, 4) if dots[k] > dots[k - 1] + 0.1] != []

    rate, _, _, k = numbers_of(text["05"][0])[:4]
    matrix = shift_matrix(np.radians(rate * k), 2)  # its only rate is 1
    assert np.ravel(matrix) == pytest.approx(numbers_of(text["05"][1])[1:5], abs=0.01)

    part, margin, _, whole, back = numbers_of(text["09"][0].replace("1/", ""))
    reach = int(re.search(r"up to (\d+)", text["09"][1])[1])
    assert margin - reach / part > 0.01 and margin - (reach + 1) / part < -0.01
    assert whole - back / part == 2

    trained = numbers_of(text["10"][0])[4]
    new = numbers_of(re.search(r"rate (.+?)\. ", text["10"][1])[1])
    assert new == [rate for rate in rates if trained * rate < 2 * np.pi]

    file = {"model_type": "llama", "head_dim": 8, "rope_theta": 1e4}
    *_, window, context = numbers_of(text["12"][0])[:4]
    for span, count in zip((window, context), numbers_of(text["12"][1])[::2], strict=False):
        assert (span * rates_from_config(file, length=span)[0] < 2 * np.pi).sum() == count

    words, rows, columns, *_ = numbers_of(text["14"][0])
    positions = np.stack([np.full(4, words), [words, words + rows - 1] * 2, [words, words + columns - 1] * 2])
    assert numbers_of(text["14"][1])[-1] == positions.max() + 1
