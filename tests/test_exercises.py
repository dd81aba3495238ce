"""The checks of the exercises say what is wrong."""

import numpy as np
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
    assert "which is not a number" in says(lambda x: "two")
    assert "which is not an array" in says(lambda x: {"a": 1}, on=ON[1:])
    assert "is nan" in says(lambda x: x * np.nan)


def test_known_mistakes_are_told():
    mistakes = {"You tripled it.": lambda x: 3 * x, "You squared it.": lambda x: x**2}
    assert says(lambda x: x * x, mistakes=mistakes) == "✗ You squared it."
    assert "should be" in says(lambda x: x * 5, mistakes=mistakes)


def test_html_is_escaped():
    verdict = check(lambda x: "<b>", expect=double, on=ON)
    assert "<b>" not in verdict._repr_html_() and "&lt;b&gt;" in verdict._repr_html_()
