"""The four measures against scikit-learn's and NumPy's, on both kinds of array."""

import numpy as np
import pytest
import torch

from pe_helpers import cosine_similarity, dot_products, euclidean_distances, pearson_correlation, sinusoidal


def pairwise():
    from sklearn.metrics import pairwise  # only where it is used, since it loads slowly

    return pairwise


rows = np.random.default_rng(0).normal(size=(20, 7))
PEERS = {
    dot_products: lambda x: x @ x.T,
    cosine_similarity: lambda x: pairwise().cosine_similarity(x),
    euclidean_distances: lambda x: pairwise().euclidean_distances(x),
    pearson_correlation: np.corrcoef,
}


@pytest.mark.parametrize("measure", PEERS, ids=lambda measure: measure.__name__)
def test_the_measures_are_what_others_compute(measure):
    assert np.allclose(measure(rows), PEERS[measure](rows))
    tensor = measure(torch.asarray(rows))
    assert isinstance(tensor, torch.Tensor) and np.allclose(tensor, measure(rows))
    assert measure(torch.asarray(rows, dtype=torch.float32)).dtype == torch.float32
    assert measure([[1, 2], [3, 5]]).dtype == np.float64


def test_rows_without_direction_have_similarity_zero():
    assert np.array_equal(cosine_similarity([[0, 0], [3, 4]]), [[0, 0], [0, 1]])
    assert np.array_equal(pearson_correlation([[0.1] * 3, [1, 2, 3], [0.1] * 3])[0], [0, 0, 0])


@pytest.mark.parametrize("kind", [np.asarray, torch.asarray])
@pytest.mark.parametrize(
    ("dtype", "unit"),
    [
        ("float16", 200),
        ("float16", 2**-14),
        ("float32", 1e20),
        ("float32", 1e-25),
        ("float64", 1e200),
        ("float64", 1e-200),
    ],
)
def test_squares_neither_overflow_nor_underflow(kind, dtype, unit):
    rows = np.array([[1, 2, 3], [3, 2, 1], [2, 2, 2], [0, 0, 0]])
    x = kind((rows * unit).astype(dtype))
    tolerance = {"rtol": 0, "atol": 2e-3 if dtype == "float16" else 1e-6}
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        for measure in (cosine_similarity, pearson_correlation):
            assert str(measure(x).dtype).endswith(dtype)
            assert np.allclose(measure(x), measure(rows), **tolerance)
    assert np.allclose(np.asarray(euclidean_distances(x)) / unit, euclidean_distances(rows), rtol=2e-3)


@pytest.mark.parametrize("unit", [1, 1e-200, 1e200])
def test_similarities_have_gradients(unit):
    x = torch.asarray(unit * rows[:4]).requires_grad_()
    for measure in (cosine_similarity, pearson_correlation):
        (gradient,) = torch.autograd.grad(measure(x)[0, 1], x)
        step = 1e-6 * unit
        moved = x.detach().clone()
        moved[0, 2] += step
        slope = (measure(moved)[0, 1] - measure(x)[0, 1]) / 1e-6
        assert slope != 0 and torch.isclose(gradient[0, 2] * unit, slope, rtol=1e-4)
    zeros = torch.zeros(2, 3, requires_grad=True)
    cosine_similarity(zeros).sum().backward()
    assert not zeros.grad.any()


def test_a_row_has_distance_zero_from_itself():
    assert not np.diag(euclidean_distances(sinusoidal(200, 100))).any()


def test_pearson_is_not_toeplitz_and_the_others_are():
    table = sinusoidal(100, 100)
    for measure in PEERS:
        drift = abs(np.diff(np.diag(measure(table), 1))).max()
        assert (drift > 1e-3) == (measure is pearson_correlation)


def test_distances_have_gradients():
    rows = torch.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    euclidean_distances(rows).sum().backward()
    assert torch.allclose(rows.grad, torch.tensor([[-1.2, -1.6], [1.2, 1.6]]))
