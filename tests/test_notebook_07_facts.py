"""What notebook 07 says about new tables of word vectors, held against PyTorch."""

import pytest

torch = pytest.importorskip("torch")


def test_07_entries_of_a_new_embedding_have_variance_1():
    torch.manual_seed(0)
    entries = torch.nn.Embedding(10_000, 100).weight.detach()
    assert abs(entries.mean()) < 0.01 and abs(entries.var() - 1) < 0.01
