"""Word vectors: the rows of Stanford's GloVe that ship with the course, all of GloVe, or any text file.

GloVe: Pennington, Socher and Manning (2014), https://nlp.stanford.edu/projects/glove/. data/README.md says
which rows ship. A folder of vectors holds `words.txt`, one word on each line, and `vectors.npy`, (words, d).
"""

from __future__ import annotations

import csv
import os
import zipfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from .vocabulary import PADDING, UNKNOWN, Vocabulary

SHIPPED = Path(__file__).resolve().parents[2] / "data" / "word_vectors"
SHIPPED_NAME, WHOLE_NAME = "glove.6B.100d.12000", "glove.6B.100d"
SOURCE = (  # address and checksum of all 400,000 words, as a word2vec text; 128 MB
    "https://github.com/RaRe-Technologies/gensim-data/releases/download/"
    "glove-wiki-gigaword-100/glove-wiki-gigaword-100.gz",
    "md5:40ec481866001177b8cd4cb0df92924f",
)
CHUNK = 20_000  # lines that are read at a time; the whole text at once would take six times its vectors


class WordVectorsError(ValueError):
    """Word vectors could not be loaded; the message says why and what to do."""


class WordVectors:
    """Words and their vectors; `load_word_vectors` makes it.

    `words` is a list of strings, `vectors` a read-only float32 array (words, d), `d` the dimension of the
    vectors, `name` what was loaded. `word in vectors` and `len(vectors)` work as for a dict.

    >>> vectors = load_word_vectors()
    >>> vectors["king"].shape, "wolf" in vectors, len(vectors)
    ((100,), True, 12000)
    """

    def __init__(self, words: list[str], vectors: np.ndarray, name: str) -> None:
        """words: distinct. vectors: a row for each of them, in their order."""
        self.words, self.vectors, self.d, self.name = words, vectors, vectors.shape[1], name
        self.vectors.flags.writeable = False
        self._rows = {word: row for row, word in enumerate(words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __getitem__(self, word: str) -> np.ndarray:
        """The vector of a word, (d,), a copy. Raises KeyError for a word that is not in the set."""
        if word not in self:
            hint = " Its words are in lower case." if str(word).lower() in self else ""
            raise KeyError(f"{word!r} is not among the {len(self):,} words of {self.name}.{hint}")
        return np.array(self.vectors[self._rows[word]])

    def __repr__(self) -> str:
        return f"WordVectors({self.name!r}: {len(self):,} words × {self.d})"

    def matrix(self, vocabulary: Vocabulary) -> np.ndarray:
        """The embedding matrix of a vocabulary, (entries, d) float32; padding and unknown words are 0.

        >>> matrix = load_word_vectors().matrix(Vocabulary(["king", "zzyzx"]))
        >>> matrix.shape, matrix.any(axis=1).tolist()
        ((4, 100), [False, False, True, False])
        """
        matrix = np.zeros((len(vocabulary.words), self.d), np.float32)
        for id, word in enumerate(vocabulary.words):
            if word in self and word not in (PADDING, UNKNOWN):
                matrix[id] = self[word]
        return matrix


def load_word_vectors(name: str | os.PathLike[str] = SHIPPED_NAME) -> WordVectors:
    """Word vectors of GloVe, or of a text file.

    name: "glove.6B.100d.12000", rows of Stanford's GloVe that ship with the course and need no network;
        "glove.6B.100d", all its 400,000 words × 100, which are downloaded once (128 MB);
        or the path of a text file in GloVe's or word2vec's form, plain or compressed (.gz, .bz2, .xz, or .zip
        with one file in it). On each line stand a word and its d numbers; in word2vec's form a first line
        gives the number of words and d.
    What ships is memory-mapped, so several kernels share the memory. A text is read anew each time: all of
    GloVe takes some 6 s. What was downloaded is kept in the user's cache, or in the folder that the
    environment variable PE_HELPERS_CACHE names.
    Raises WordVectorsError, a ValueError that says what to do, for another name, a download that fails, a
    file that is damaged or not well-formed, and a cache that cannot be written.

    >>> load_word_vectors()
    WordVectors('glove.6B.100d.12000': 12,000 words × 100)
    """
    if name == SHIPPED_NAME:
        return read_folder(SHIPPED, SHIPPED_NAME)
    if name == WHOLE_NAME:
        return read_text(_downloaded(), WHOLE_NAME)
    path = Path(name).expanduser()
    if not path.is_file():
        known = f"{SHIPPED_NAME!r}, {WHOLE_NAME!r}"
        raise WordVectorsError(f"name must be {known} or a file's path; got {name!r}")
    return read_text(path, path.name)


def read_text(path: Path, name: str) -> WordVectors:
    """Return the word vectors of a text file, as `load_word_vectors` does."""
    import pandas as pd  # takes 0.3 s

    options: dict[str, Any] = {"sep": r"\s+", "header": None, "na_filter": False, "quoting": csv.QUOTE_NONE}
    words: list[str] = []
    blocks: list[np.ndarray] = []
    try:
        if int(pd.__version__.partition(".")[0]) < 3:  # it rounds, and takes a zero byte for a number's end
            options["float_precision"] = "round_trip"
            _refuse_zero_bytes(path)
        first = pd.read_csv(path, nrows=1, dtype=str, **options).iloc[0]
        has_header = len(first) == 2 and first.str.isdecimal().all()
        options |= {"skiprows": int(has_header), "dtype": {0: str}, "chunksize": CHUNK}
        for table in pd.read_csv(path, **options):
            words += table.pop(0).tolist()
            numbers = table.apply(pd.to_numeric, errors="coerce")  # what is no number becomes NaN
            blocks.append(numbers.to_numpy(np.float32))
        vectors = np.ascontiguousarray(np.concatenate(blocks))  # (words, d)
        is_bad = ~np.isfinite(vectors).all(axis=1) | (vectors.size == 0)
        if is_bad.any():
            row = int(is_bad.argmax())
            raise ValueError(f"word {row + 1}, {words[row]!r}, must have as many finite numbers as others")
        (word, times), *_ = Counter(words).most_common(1)
        if times > 1:
            raise ValueError(f"each word must stand there once; {word!r} does {times} times")
        if has_header and len(words) != int(first[0]):
            raise ValueError(f"line 1 promises {first[0]} words; {len(words)} came")
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        advice = "Each line must hold a word and d numbers. If the file was downloaded, get it again."
        raise WordVectorsError(f"{path}: {str(error).strip()}. {advice}") from error
    return WordVectors(words, vectors, name)


def _refuse_zero_bytes(path: Path) -> None:
    from pandas.io.common import get_handle

    with get_handle(path, "rb", compression="infer", is_text=False) as opened:
        while block := opened.handle.read(1 << 20):
            if b"\0" in block:
                raise ValueError("a zero byte stands in it")


def read_folder(folder: Path, name: str) -> WordVectors:
    """Return the word vectors of a folder like the one that ships; they are memory-mapped."""
    words = (folder / "words.txt").read_text("utf-8").split("\n")[:-1]
    return WordVectors(words, np.load(folder / "vectors.npy", mmap_mode="r"), name)


def _downloaded() -> Path:
    """The path of the text of all of GloVe, which is fetched if the cache does not have it."""
    import pooch

    cache = os.environ.get("PE_HELPERS_CACHE") or pooch.os_cache("pe_helpers")
    try:
        return Path(pooch.retrieve(*SOURCE, path=cache, progressbar=True))
    except (OSError, ValueError) as error:  # no connection, no such page, no space left; another checksum
        advice = (
            f"Is there no connection, or is {cache} full or not writable? PE_HELPERS_CACHE can move it. "
            "Try later, give the path of a copy, or use load_word_vectors(), which needs no network."
        )
        raise WordVectorsError(f"{SOURCE[0]}: {error}. {advice}") from error
