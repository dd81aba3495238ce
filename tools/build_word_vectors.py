"""Make the word vectors that ship with the course from a WordNet 3.0 dictionary folder.

    python tools/build_word_vectors.py /usr/share/wordnet

Every entry is a short text: its words and their gloss. Two methods, each on glosses alone and on whole
entries, are held against groups of words that were chosen before anything was measured; the best is kept,
and only then held against the eleven words of notebook 07. It takes some ten minutes on two cores, most of
them for GloVe's objective (`--quick` leaves it out).
"""

import argparse
import collections
import re
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
import torch
from sklearn.decomposition import PCA
from sklearn.metrics import pairwise_distances, silhouette_score
from sklearn.utils.extmath import randomized_svd

from pe_helpers.words._vector_files import keep_words
from pe_helpers.words.word_vectors import EMBEDDED

WORDS, D, WINDOW, SEED = 10_000, 100, 5, 0
NORM = np.sqrt(D / 2)  # of every vector: that of a position with as many dimensions
GROUPS = [
    group.split()
    for group in """\
apple orange banana lemon grape peach cherry plum
arm leg hand foot knee shoulder
car truck train ship boat bus
piano violin guitar drum flute trumpet
mother father son daughter brother sister
rain snow wind storm fog
shirt coat dress hat shoe trousers
iron gold silver copper lead zinc
eagle hawk owl duck goose
house church castle school hospital
two three four five six seven
day week month year hour
france germany spain italy england
bread cheese meat soup cake
physics chemistry biology mathematics astronomy
horse cow sheep pig goat
tennis golf hockey baseball
doctor lawyer teacher engineer
river lake sea ocean
bacteria virus fungus parasite""".splitlines()
]
LAB = [
    group.split() for group in ("king queen man woman", "dog wolf", "football basketball", "red green yellow")
]


def entries(folder):
    """(words, gloss) of every entry, as lists of lower-case tokens (format: WordNet's `wndb(5WN)`)."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if not line.startswith("  "):  # the licence
                head, _, gloss = line.partition(" | ")
                fields = head.split()
                words = " ".join(fields[4 : 4 + 2 * int(fields[3], 16) : 2]).replace("_", " ")
                yield tokens(words), tokens(gloss)


def tokens(text):
    return re.findall(r"[a-z]+(?:['-][a-z]+)*", text.lower())


def cooccurrences(texts, words):
    """How often two words stand within WINDOW of each other, each time weighted by 1 / distance."""
    ids = {word: id for id, word in enumerate(words)}
    flat = np.array([ids.get(word, -1) for text in texts for word in text])
    text_of = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    total = sparse.csr_matrix((len(words), len(words)))
    for distance in range(1, WINDOW + 1):
        left, right = flat[:-distance], flat[distance:]
        both = (left >= 0) & (right >= 0) & (text_of[:-distance] == text_of[distance:])
        pairs = (np.full(both.sum(), 1 / distance), (left[both], right[both]))
        total = total + sparse.coo_matrix(pairs, total.shape).tocsr()
    return (total + total.T).tocoo()


def ppmi_svd(counts, power):
    """Positive pointwise mutual information, its SVD, U S^power (Levy, Goldberg and Dagan, 2015)."""
    row = np.asarray(counts.sum(axis=1)).ravel()
    context = np.asarray(counts.sum(axis=0)).ravel() ** 0.75
    information = np.log(counts.data * context.sum() / (row[counts.row] * context[counts.col]))
    kept = information > 0
    matrix = sparse.csr_matrix((information[kept], (counts.row[kept], counts.col[kept])), counts.shape)
    u, s, _ = randomized_svd(matrix, D, n_iter=7, random_state=SEED)
    return u * s**power


def glove(counts, epochs=25, learning_rate=0.05, x_max=10, batch=1 << 16):
    """GloVe's weighted least squares by AdaGrad (Pennington, Socher and Manning, 2014, equation 8)."""
    generator = torch.Generator().manual_seed(SEED)
    row, column = (torch.from_numpy(index.astype(np.int64)) for index in (counts.row, counts.col))
    count = torch.from_numpy(counts.data).float()
    target, weight = count.log(), (count / x_max).clamp(max=1) ** 0.75
    n = counts.shape[0]
    tables = [(torch.rand(n, D + 1, generator=generator) - 0.5) / D for _ in range(2)]  # last: the bias
    squares = [torch.ones(n, D + 1) for _ in range(2)]
    for _ in range(epochs):
        for part in torch.randperm(len(count), generator=generator).split(batch):
            words, contexts = tables[0][row[part]], tables[1][column[part]]
            products = (words[:, :D] * contexts[:, :D]).sum(1)
            error = weight[part] * (products + words[:, D] + contexts[:, D] - target[part])
            steps = error[:, None] * contexts, error[:, None] * words
            for table, square, ids, step in zip(
                tables, squares, (row[part], column[part]), steps, strict=True
            ):
                step[:, D] = error
                square += torch.zeros_like(square).index_add_(0, ids, step**2)
                table -= learning_rate * torch.zeros_like(table).index_add_(0, ids, step) / square.sqrt()
    return (tables[0] + tables[1])[:, :D].numpy()


def normed(vectors):
    """Centred, then scaled to the same norm."""
    vectors = vectors - vectors.mean(axis=0)
    return vectors * (NORM / np.linalg.norm(vectors, axis=1, keepdims=True))


def measure(vectors, words, groups):
    """(nearest other word in the same group, silhouette by cosine) in all dimensions, then in 2-D PCA."""
    ids = {word: id for id, word in enumerate(words)}
    x = vectors[[ids[word] for group in groups for word in group]]
    group_of = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    results = []
    for points, metric in ((x, "cosine"), (PCA(2).fit_transform(x), "euclidean")):
        distances = pairwise_distances(points, metric=metric)
        np.fill_diagonal(distances, np.inf)
        results.append((group_of[distances.argmin(axis=1)] == group_of).mean())
        results.append(silhouette_score(points, group_of, metric=metric))
    return np.array(results)


def measure_draws(vectors, words, draws=300):
    """The mean of `measure` over draws of 4, 2, 2 and 3 words from four of the GROUPS, as in the lab."""
    rng = np.random.default_rng(SEED)
    results = []
    for _ in range(draws):
        chosen = rng.choice(len(GROUPS), 4, replace=False)
        picked = [
            rng.choice(GROUPS[group], size, replace=False)
            for group, size in zip(chosen, (4, 2, 2, 3), strict=True)
        ]
        results.append(measure(vectors, words, picked))
    return np.mean(results, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("wordnet", type=Path, help="the folder with data.noun, data.verb …")
    parser.add_argument("--out", type=Path, default=EMBEDDED)
    parser.add_argument("--quick", action="store_true", help="without GloVe's objective")
    arguments = parser.parse_args()

    found = list(entries(arguments.wordnet))
    print("candidate                     in group  silhouette   the same in 2-D     mean")
    candidates = {}
    for kind, texts in {
        "glosses": [gloss for _, gloss in found],
        "entries": [words + gloss for words, gloss in found],
    }.items():
        frequency = collections.Counter(word for text in texts for word in text)
        words = sorted(frequency, key=lambda word: (-frequency[word], word))[:WORDS]
        counts = cooccurrences(texts, words)
        methods = {f"PPMI + SVD, U S^{power}": lambda p=power, c=counts: ppmi_svd(c, p) for power in (0.5, 1)}
        if not arguments.quick:
            methods["GloVe's objective"] = lambda c=counts: glove(c)
        for method, make in methods.items():
            vectors = normed(make())
            result = measure_draws(vectors, words)
            candidates[f"{kind}, {method}"] = result.mean(), words, vectors
            print(f"{kind + ', ' + method:28}", *(f"{x:9.3f}" for x in (*result, result.mean())), flush=True)

    best = max(candidates, key=lambda name: candidates[name][0])
    _, words, vectors = candidates[best]
    print(f"kept: {best}")
    vectors = vectors.astype(np.float16)
    print("the lab's eleven words      ", *(f"{x:9.3f}" for x in measure(vectors.astype(float), words, LAB)))
    arguments.out.mkdir(parents=True, exist_ok=True)
    np.save(arguments.out / "vectors.npy", vectors)
    keep_words(arguments.out, [word.encode() for word in words])
    print(f"{len(words):,} words in {arguments.out}")


if __name__ == "__main__":
    main()
