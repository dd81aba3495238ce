"""The four measures against scikit-learn's and NumPy's, on both kinds of array."""

import numpy as np
import pytest
import torch
from sklearn.metrics import pairwise

from pe_helpers import cosine_similarity, dot_products, euclidean_distances, pearson_correlation, sinusoidal

rows = np.random.default_rng(0).normal(size=(20, 7))
PEERS = {
    dot_products: lambda x: x @ x.T,
    cosine_similarity: pairwise.cosine_similarity,
    euclidean_distances: pairwise.euclidean_distances,
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
