"""The checks of the exercises say what is wrong."""

import base64
import functools
import sys
import zlib

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pe_helpers.exercises import check, fingerprint
from tools.sealing import Check, sealed


def double(x):
    return 2 * x


ON = [(1,), (np.array([1.0, 2.0]),)]


def says(answer, **options):
    verdict = check(answer, **({"expect": double, "on": ON} | options))
    assert bool(verdict.passed) == repr(verdict).startswith("✓")
    return repr(verdict)


def test_right():
    assert says(lambda x: x + x) == "✓ <lambda> is right in all 2 cases."
    assert says(lambda x: torch.asarray(x) * 2).startswith("✓")
    assert says(lambda x: torch.asarray(x, dtype=torch.float32, requires_grad=True) * 2).startswith("✓")
    assert says(double, expect=[2, [2, 4]]).startswith("✓")


def test_not_filled_in():
    assert "Not filled in yet" in says(lambda x: ...)
    assert "return gives it back" in says(lambda x: None)


def test_wrong_in_every_way():
    def stops(x):
        raise KeyError("lost")

    assert "stops(1) stops with KeyError: 'lost'" in says(stops)
    assert "gives 2 values; it should give one" in says(lambda x: np.ones(2))
    assert "(1) is 3; it should be 2" in says(lambda x: 3 * x)
    assert "[1] is 5; it should be 4 (1 of 2 values differ)" in says(
        lambda x: x + np.array([1, 3]), on=ON[1:]
    )
    assert "returns the text 'two'; it should return a number" in says(lambda x: "two")
    assert "it should return an array of numbers" in says(lambda x: {"a": 1}, on=ON[1:])
    for odd in (2 + 1j, "2", ["2", "4"], 10**400, (i for i in "ab"), object()):
        assert "✗" in says(lambda x, odd=odd: odd)
    assert says(3) == "✗ This must be a function; it is 3."
    assert len(says(lambda x: 1 / 0 if x is None else "x" * 10_000)) < 400
    assert "is nan" in says(lambda x: x * np.nan)


def test_true_and_false_are_called_so():
    def is_even(n):
        return True

    cases = [(2,), (np.int64(3),)]
    assert says(is_even, expect=[True, False], on=cases) == "✗ is_even(3) is True; it should be False."
    assert says(is_even, expect=[1, 0], on=cases) == "✗ is_even(3) is True; it should be 0."
    assert says(lambda n: 1, expect=[True, False], on=cases).endswith("is 1; it should be False.")
    assert says(lambda n: n < 3, expect=[True, False], on=cases).startswith("✓")
    assert "[1] is True; it should be False (1 of 2 " in says(
        lambda n: torch.tensor([True, True]), expect=[np.array([True, False])], on=[(2,)]
    )
    hidden = sealed(Check([1, 0], cases, {}), "test/2")
    assert says(is_even, expect=hidden, on=cases).endswith("case 2 of 2, where is_even(3) is True.")


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


def test_names_in_a_message_are_set_as_code():
    verdict = check(lambda x: 3 * x, double, ON, {"Count from `a<b`, not from `c`.": lambda x: 3 * x})
    assert repr(verdict) == "✗ Count from `a<b`, not from `c`."
    assert "Count from <code>a&lt;b</code>, not from <code>c</code>." in verdict._repr_html_()


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


NUMBERS = st.floats(-1e12, 1e12) | st.sampled_from([0.0, -0.0, 1.0, 0.5, -3.0, 1e300, np.inf])
EPSILON = st.floats(-1, 1)


@given(arrays(float, 7, elements=NUMBERS), arrays(float, 7, elements=EPSILON))
def test_what_differs_by_a_hundred_thousandth_has_the_same_fingerprint(values, part):
    values[np.isinf(values)] = 7
    right, shifts = fingerprint([values], "salt")
    near = values + part * 1e-5 * (1 + abs(values))
    assert fingerprint([near], "salt", shifts)[0] == right
    far = values.copy()
    far[3] += np.copysign(4e-5, part[3]) * (1 + abs(far[3]))
    assert fingerprint([far], "salt", shifts)[0] != right


def test_every_kind_of_number_has_the_same_fingerprint():
    right, shifts = fingerprint([[0, 1], 1], "salt")
    for same in (
        [[False, True], True],
        [np.array([-0.0, 1]), 1.0],
        [torch.tensor([0.0, 1.0]), np.float32(1)],
    ):
        assert fingerprint(same, "salt", shifts)[0] == right
    for other in ([[0], 1], [[[0, 1]], 1], [[0, 1], [1]], [[0, np.nan], 1], [[0, np.inf], 1], [[1, 0], 1]):
        found = fingerprint(other, "salt", shifts if np.size(other[0]) == 2 else "")
        assert found[0] != right
    assert fingerprint([[0, 1], 1], "pepper", shifts)[0] != right


MISTAKES = {"You tripled it.": lambda x: 3 * x, "You squared it.": lambda x: x**2, "broken": lambda x: 1 / 0}
SEALED = sealed(Check(double, ON, MISTAKES), "test/1")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda x: x + x, "✓ <lambda> is right in all 2 cases."),
        (lambda x: 2 * x * (1 + 1e-6), "✓ <lambda> is right in all 2 cases."),
        (lambda x: torch.asarray(x, dtype=torch.float32) * 2, "✓ <lambda> is right in all 2 cases."),
        (lambda x: x * x, "✗ You squared it."),
        (lambda x: 3 * x, "✗ You tripled it."),
        (
            lambda x: x + 1,
            "✗ Not right yet: case 2 of 2, where <lambda>(array of shape (2,)) is array of shape (2,).",
        ),
        (lambda x: 5 * x, "✗ Not right yet: case 1 of 2, where <lambda>(1) is 5."),
        (lambda x: x * np.nan, "✗ Not right yet: case 1 of 2, where <lambda>(1) is nan."),
        (lambda x: np.inf, "✗ Not right yet: case 1 of 2, where <lambda>(1) is inf."),
        (lambda x: np.ones(2), "✗ <lambda>(1) gives 2 values; it should give one."),
        (lambda x: "two", "✗ <lambda>(1) returns the text 'two'; it should return a number, True or False."),
        (lambda x: {} if np.ndim(x) else 2, "returns {}; it should return an array of numbers."),
        (lambda x: ..., "Not filled in yet"),
        (lambda x: 1 / 0, "stops with ZeroDivisionError"),
        (2, "✗ This must be a function; it is 2."),
    ],
)
def test_fingerprints_judge_as_results_do(answer, told):
    assert told in says(answer, expect=SEALED)


def test_what_is_sealed_tells_nothing():
    text = zlib.decompress(base64.b64decode(SEALED)).decode()
    for secret in ("tripled", "squared", "broken", "You", "2.0", "4.0"):
        assert secret not in text
        assert secret.encode().hex() not in text


def test_only_finite_numbers_can_be_sealed():
    for expect in ([1, [2, np.nan]], [np.inf, [2, 4]]):
        with pytest.raises(ValueError, match=r"results of test/1 must be finite real numbers; got "):
            sealed(Check(expect, ON, {}), "test/1")


def test_an_answer_that_ends_the_process_is_a_wrong_one():
    verdict = check(lambda x: sys.exit(), [1.0], [(1,)])
    assert not verdict.passed and "stops with SystemExit" in verdict.message


def test_a_check_without_cases_is_refused():
    with pytest.raises(ValueError, match=r"^on must have a tuple of arguments for each case; got \[\]"):
        check(lambda x: x, [], [])
