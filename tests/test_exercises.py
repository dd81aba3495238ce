"""The checks of the exercises say what is wrong."""

import functools

import numpy as np
import pytest
import torch

from pe_helpers.exercises import check


def double(x):
    return 2 * x


ON = [(1,), (np.array([1.0, 2.0]),)]


def says(answer, **options):
    verdict = check(answer, **({"expect": double, "on": ON} | options))
    assert verdict.passed == repr(verdict).startswith("✓")
    return repr(verdict)


def test_right():
    assert says(lambda x: x + x) == "✓ <lambda> is right in all 2 cases."
    assert says(lambda x: torch.asarray(x) * 2).startswith("✓")
    assert says(lambda x: torch.asarray(x, dtype=torch.float32, requires_grad=True) * 2).startswith("✓")
    assert says(double, expect=[2, [2, 4]]).startswith("✓")


def test_not_filled_in():
    assert "Not filled in yet" in says(lambda x: ...)
    assert "Not filled in yet" in says(lambda x: None)


def test_wrong_in_every_way():
    def stops(x):
        raise KeyError("lost")

    assert "stops(1) stops with KeyError: 'lost'" in says(stops)
    assert "has shape (2,); it should be ()" in says(lambda x: np.ones(2))
    assert "(1) is 3; it should be 2" in says(lambda x: 3 * x)
    assert "[1] is 5; it should be 4 (1 of 2 values differ)" in says(
        lambda x: x + np.array([1, 3]), on=ON[1:]
    )
    assert "which is not a real number" in says(lambda x: "two")
    assert "which is not an array of real numbers" in says(lambda x: {"a": 1}, on=ON[1:])
    for odd in (2 + 1j, "2", ["2", "4"], 10**400, (i for i in "ab"), object()):
        assert "✗" in says(lambda x, odd=odd: odd)
    assert says(3) == "✗ This must be a function; it is 3."
    assert len(says(lambda x: 1 / 0 if x is None else "x" * 10_000)) < 400
    assert "is nan" in says(lambda x: x * np.nan)


def test_known_mistakes_are_told():
    mistakes = {"You tripled it.": lambda x: 3 * x, "You squared it.": lambda x: x**2}
    assert says(lambda x: x * x, mistakes=mistakes) == "✗ You squared it."
    assert "should be" in says(lambda x: x * 5, mistakes=mistakes)


def test_an_expectation_that_is_no_number_is_an_error_for_the_author():
    for expect in (["two", [2, 4]], lambda x: "two", [None, None], [2, {"a": 1}]):
        for answer in (double, lambda x: 3 * x, lambda x: ..., 7):
            with pytest.raises(ValueError, match=r"^expect must give real numbers in every case; got "):
                check(answer, expect, ON)


def test_html_is_escaped():
    verdict = check(lambda x: "<b>", expect=double, on=ON)
    assert "<b>" not in verdict._repr_html_() and "&lt;b&gt;" in verdict._repr_html_()


def test_arguments_are_not_shared():
    def overwrite(x):
        x[:] = 7
        return x

    values = np.array([1.0, 2.0])
    assert not check(overwrite, expect=lambda x: x, on=[(values,)]).passed
    assert list(values) == [1, 2]

    def in_place(x):
        x *= 2
        return x

    assert check(in_place, expect=double, on=[(values,), (values,)]).passed


def test_all_kinds_of_functions_and_results_are_judged():
    assert check(functools.partial(np.multiply, 2), double, ON).passed
    assert check(torch.nn.Identity(), lambda x: x, [(torch.ones(2),)]).passed
    assert check(lambda x: torch.asarray(x, dtype=torch.bfloat16) * 2, double, ON).passed
    needs_gradient = torch.ones(2, requires_grad=True)
    assert not check(lambda: [1, 2], [needs_gradient], [()]).passed
    broken = {"never told": lambda x: 1 / 0}
    assert "should be" in repr(check(lambda x: 5 * x, double, ON, broken))
