"""Exercises: the hole does not pass, the folded solution does, a typical mistake is named."""

import re

import pytest

from pe_helpers.exercises import Verdict
from tests.conftest import cell_with_tag, run_cell, run_notebook
from tests.wrong_answers import WRONG_ANSWERS
from tools.course import NOTEBOOKS


def numbers(path):
    tags = {tag for cell_tags, _ in run_notebook(path).shown for tag in cell_tags}
    return sorted(int(tag.removeprefix("exercise-")) for tag in tags if tag.startswith("exercise-"))


def verdict(path, number, answer):
    """What the check says if the hole of that exercise is filled with `answer`."""
    names = dict(run_notebook(path).before[f"exercise-{number}"])
    run_cell(answer, names)
    result = run_cell(cell_with_tag(path, f"check-{number}"), names)
    assert isinstance(result, Verdict)
    return result


def test_there_are_at_least_two(path):
    found = numbers(path)
    assert len(found) >= 2 and found == list(range(1, len(found) + 1)), (
        f"{path.name} has code exercises {found}: cells tagged exercise-1, exercise-2 and so on, at least two"
    )


def test_the_hole_does_not_pass_and_says_what_is_missing(path):
    for number in numbers(path):
        hole = cell_with_tag(path, f"exercise-{number}")
        result = verdict(path, number, hole)
        assert not result.passed
        if "return ..." in hole:
            assert "Not filled in yet" in result.message
        else:
            assert len(result.message.split()) >= 6


def test_the_solution_passes(path):
    for number in numbers(path):
        solution = cell_with_tag(path, f"solution-{number}")
        assert solution.count("<details>") == solution.count("</details>") == 2  # hint and solution
        (code,) = re.findall(r"```python\n(.*?)```", solution, re.S)
        result = verdict(path, number, code)
        assert result.passed, result.message


@pytest.mark.parametrize(("stem", "number"), [key for key in WRONG_ANSWERS])
def test_a_typical_wrong_answer_is_told_what_is_wrong(stem, number):
    (path,) = (path for path in NOTEBOOKS if path.stem == stem)
    for answer, told in WRONG_ANSWERS[stem, number].items():
        result = verdict(path, number, answer)
        assert not result.passed and told in result.message


def test_an_answer_that_is_judged_later_adds_no_check_to_the_run(path):
    """Else the editions, which are made from that run, would depend on which tests came before."""
    before = list(run_notebook(path).checks)
    for number in numbers(path):  # the first imports `check` anew, the others have what the notebook had
        verdict(path, number, cell_with_tag(path, f"exercise-{number}"))
    assert run_notebook(path).checks == before and len(before) == len(numbers(path))


def test_every_exercise_has_a_wrong_answer_here(path):
    missing = [(path.stem, number) for number in numbers(path) if (path.stem, number) not in WRONG_ANSWERS]
    assert not missing, f"tests/wrong_answers.py: typical wrong answers are missing for {missing}"


def test_an_answer_that_changes_at_the_end_is_judged_as_before(path):
    """Some names that a check or an answer needs mean something else by then."""
    run = run_notebook(path)

    def at_the_end(number, answer):
        (kept,) = (value for tags, value in run.shown if f"check-{number}" in tags)
        names = dict(run.names)
        run_cell(answer, names)
        return kept.judge(names[kept.answer.__name__])

    for number in numbers(path):
        solution = cell_with_tag(path, f"solution-{number}")
        assert at_the_end(number, re.findall(r"```python\n(.*?)```", solution, re.S)[0]).passed
        for answer, told in WRONG_ANSWERS[path.stem, number].items():
            assert told in at_the_end(number, answer).message
