"""Text to ids; two dimensions whose signs are fixed."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_helpers.words.projection import Projection
from pe_helpers.words.vocabulary import Vocabulary, words_of

TEXTS = st.text(max_size=60)


def test_the_embedding_layer_tutorial(figures):
    told = figures["keras_layer"]
    vocabulary = Vocabulary.from_texts(told["sentences"], told["vocab_size"])
    assert vocabulary.words == told["vocabulary"]
    ids = [list(vocabulary.encode(text, told["output_sequence_length"])) for text in told["sentences"]]
    assert ids == told["token_ids"]


def test_the_word_embedding_lab(figures):
    told = figures["word_embedding_lab"]
    vocabulary = Vocabulary.from_texts(told["sentences"], order="appearance")
    ids = np.array([vocabulary.encode(text, told["padded_length"]) for text in told["sentences"]])
    assert ids.shape == (2, told["padded_length"])
    assert np.array_equal(ids[:, :11] - 1, told["token_ids"])  # the lab has no [UNK], so it counts from 1
    assert not ids[:, 11:].any()


def test_words_are_lower_case_and_without_punctuation_at_their_ends():
    text = "  “Hello,” she said — don’t!\tIt's the king's (red) well-known… dog 🐶 日本語。 … Ünder"
    expected = "hello she said don’t it's the king's red well-known dog 🐶 日本語 ünder"
    assert words_of(text) == expected.split()
    assert words_of("e\u0301") == words_of("é") == ["é"]
    assert words_of("\u200bdog \ufeffcat \u202eking\u202c \u200b") == ["dog", "cat", "king"]
    assert words_of("👩\u200d🚀") == ["👩\u200d🚀"]  # joined into one picture


@given(TEXTS, st.integers(0, 30))
def test_encode_pads_and_cuts(text, length):
    vocabulary = Vocabulary.from_texts(["x", text])
    ids, words = vocabulary.encode(text, length), words_of(text)
    assert ids.shape == (length,) and ids.dtype == np.int64
    assert [vocabulary.words[id] for id in ids if id] == words[:length]
    assert not ids[len(words) :].any() and ids[: len(words)].all() and 1 not in ids


@given(TEXTS, TEXTS)
def test_unknown_words_become_1(known, text):
    vocabulary = Vocabulary.from_texts(["x", known])
    is_unknown = [word not in vocabulary.words for word in words_of(text)]
    assert np.array_equal(vocabulary.encode(text) == 1, is_unknown)


def test_the_size_counts_padding_and_unknown():
    vocabulary = Vocabulary.from_texts(["a b b c c c"], 4)
    assert vocabulary.words == ["", "[UNK]", "c", "b"]
    assert list(vocabulary.encode("a b c")) == [1, 3, 2]


BAD = {
    'Vocabulary(["a", "a"])': "words must be distinct, and other than '' and .*; got 'a' twice",
    'Vocabulary("king")': "words must be a list of strings; got 'king'",
    'Vocabulary(["a", ""])': "words must be distinct, and other than '' and .*; got '' twice",
    'Vocabulary(["a", "[UNK]"])': "words must be distinct, and other than '' and",
    'Vocabulary.from_texts("a b")': "texts must be a list of strings; got 'a b'",
    'Vocabulary.from_texts(["a"], 2)': "size must be an integer ≥ 3; got 2",
    'Vocabulary.from_texts(["a"], order="size")': "order must be one of",
    'Vocabulary(["a"]).encode("a", -1)': "length must be an integer ≥ 0; got -1",
    "Projection.fit(np.zeros((1, 3)))": "x must have at least 2 rows and 2 columns",
    "Projection.fit(np.zeros((5, 1)))": "x must have at least 2 rows and 2 columns",
    "Projection.fit(np.full((5, 3), np.nan))": "x must be a 2-D array of finite real numbers",
    "Projection.fit(np.zeros(5))": "x must be a 2-D array",
    "Projection.fit(np.eye(3)).transform(np.eye(4))": "x must have 3 columns.*got 4",
    "Projection.fit(np.eye(3)).transform(np.ones((4, 1)))": "x must have 3 columns.*got 1",
}


@pytest.mark.parametrize("call", BAD)
def test_bad_input_is_named(call):
    with pytest.raises(ValueError, match=BAD[call]):
        eval(call)


@given(st.integers(3, 40), st.integers(3, 30), st.integers(0, 10**6), st.integers(1, 3))
def test_it_is_scikit_learns_pca_up_to_sign(points, d, seed, n):
    from sklearn.decomposition import PCA  # only where it is used, since it loads slowly

    x = np.random.default_rng(seed).normal(size=(points, d)) * np.linspace(3, 1, d)
    n = min(n, points - 1)
    projection, pca = Projection.fit(x, n), PCA(n, svd_solver="full").fit(x)
    ours, theirs = projection.transform(x), pca.transform(x)
    signs = np.sign((ours * theirs).sum(axis=0))
    assert np.allclose(ours, theirs * signs, atol=1e-8)
    assert np.allclose(projection.explained, pca.explained_variance_ratio_)


@given(st.integers(0, 10**6))
def test_the_sign_does_not_depend_on_the_order_or_the_sign_of_the_data(seed):
    x = np.random.default_rng(seed).normal(size=(12, 6)) * np.linspace(3, 1, 6)
    first = Projection.fit(x)
    strongest = abs(first.components).argmax(axis=1)
    assert (first.components[[0, 1], strongest] > 0).all()
    assert np.allclose(first.components, Projection.fit(x[::-1]).components, atol=1e-6)
    assert np.allclose(first.components, Projection.fit(-x).components, atol=1e-6)


def test_few_or_equal_points():
    two = Projection.fit(np.array([[0.0, 0, 1], [0, 0, 3]]))
    assert np.allclose(two.components, [[0, 0, 1], [0, 0, 0]]) and np.allclose(two.explained, [1, 0])
    same = Projection.fit(np.ones((4, 3)))
    assert not same.components.any() and not same.explained.any()
    assert np.array_equal(same.transform(np.ones((2, 3))), np.zeros((2, 2)))


@pytest.mark.parametrize(("scale", "offset"), [(1e-200, 0), (1e-13, 0), (1e200, 0), (1, 1e6)])
def test_neither_scale_nor_offset_counts(scale, offset):
    x = np.random.default_rng(0).normal(size=(8, 5)) * [3, 2, 1, 1, 1]
    found, expected = Projection.fit(x * scale + offset), Projection.fit(x)
    assert np.allclose(found.components, expected.components, atol=1e-6)
    assert np.allclose(found.explained, expected.explained)


def test_the_sign_is_fixed_where_entries_tie():
    y = np.outer(np.random.default_rng(0).normal(size=9), [1, -1.0])
    orders = [np.random.default_rng(seed).permutation(9) for seed in range(50)]
    assert all(Projection.fit(y[order], 1).components[0, 0] > 0 for order in orders)


def test_points_on_a_line_have_one_component():
    line = Projection.fit([[1, 2, 3]] * 3 + [[3, 1, 0]] * 2)
    assert line.explained[0] == pytest.approx(1) and not line.components[1].any()


def test_tensors_are_welcome():
    x = torch.randn(8, 5, generator=torch.Generator().manual_seed(0))
    assert np.allclose(Projection.fit(x).transform(x), Projection.fit(x.numpy()).transform(x.numpy()))
