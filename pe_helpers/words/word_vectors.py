"""Word vectors: the rows of Stanford's GloVe that ship with the course, all of GloVe, or any text file.

GloVe: Pennington, Socher and Manning (2014), https://nlp.stanford.edu/projects/glove/. data/README.md says
which rows ship.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from .._arguments import float_array, integer, strings
from ._vector_files import WordVectorsError, keep_text
from .vocabulary import PADDING, UNKNOWN, Vocabulary

SHIPPED = Path(__file__).resolve().parents[2] / "data" / "word_vectors"
SHIPPED_NAME = "glove.6B.100d.12000"
GENSIM = "https://github.com/RaRe-Technologies/gensim-data/releases/download/glove-wiki-gigaword-100"
ZIP_HASH = "sha256:617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb"
SOURCES = [  # address, checksum, file in the archive; the first is 128 MB, the others with more sizes 862 MB
    (f"{GENSIM}/glove-wiki-gigaword-100.gz", "md5:40ec481866001177b8cd4cb0df92924f", None),
    ("https://huggingface.co/stanfordnlp/glove/resolve/main/glove.6B.zip", ZIP_HASH, "glove.6B.100d.txt"),
    ("https://nlp.stanford.edu/data/wordvecs/glove.6B.zip", ZIP_HASH, "glove.6B.100d.txt"),
]
BLOCK = 1024  # vectors that are compared at a time, in float64; the whole set would take twice its size


class WordVectors:
    """Words and their vectors, from a folder in the form of `_vector_files`; `load_word_vectors` makes it.

    `words` is a sequence of strings, `vectors` a read-only float32 array (words, d), `d` the dimension of the
    vectors, `name` what was loaded. `word in vectors` and `len(vectors)` work as for a dict.

    >>> vectors = load_word_vectors()
    >>> vectors["king"].shape, "wolf" in vectors, len(vectors)
    ((100,), True, 12000)
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._text = np.load(folder / "words.npy", mmap_mode="r").data
        self._ends, self._order = np.asarray(np.load(folder / "index.npy", mmap_mode="r"))
        self.vectors = np.load(folder / "vectors.npy", mmap_mode="r").astype(np.float32, copy=False)
        self.vectors.flags.writeable = False
        self.d, self.name = self.vectors.shape[1], name

    @cached_property
    def words(self) -> list[str]:
        """All words, in the order of the rows of `vectors`."""
        return bytes(self._text[:-1]).decode().split("\n")

    def _bytes(self, row: int) -> bytes:
        start = self._ends[row - 1] if row else 0
        return bytes(self._text[start : self._ends[row] - 1])

    def _row(self, word: object) -> int | None:
        """The row of a word, or None if it is not in the set."""
        key = word.encode(errors="surrogatepass") if isinstance(word, str) else b""
        place = bisect_left(self._order, key, key=self._bytes)
        row = int(self._order[min(place, len(self) - 1)])
        return row if self._bytes(row) == key else None

    def __len__(self) -> int:
        return len(self.vectors)

    def __contains__(self, word: object) -> bool:
        return self._row(word) is not None

    def __getitem__(self, word: str) -> np.ndarray:
        """The vector of a word, (d,), a copy. Raises KeyError for a word that is not in the set."""
        row = self._row(word)
        if row is None:
            hint = " Its words are in lower case." if str(word).lower() in self else ""
            raise KeyError(f"{word!r} is not among the {len(self):,} words of {self.name}.{hint}")
        return np.array(self.vectors[row])

    def __repr__(self) -> str:
        return f"WordVectors({self.name!r}: {len(self):,} words × {self.d})"

    def nearest(self, word: str | Iterable[float], n: int = 10) -> list[tuple[str, float]]:
        """The n words most similar to a word or to a vector (d,), each with its cosine similarity.

        A word is left out of its own list. Raises KeyError for an unknown word, ValueError for n < 1 or a
        vector that is not finite or has another length.

        >>> [word for word, similarity in load_word_vectors().nearest("yellow", 3)]
        ['red', 'purple', 'pink']
        """
        n = integer("n", n, 1)
        own = self._row(word) if isinstance(word, str) else None
        vector = self[word] if isinstance(word, str) else word
        vector = float_array("word", vector, 1, f"a word or a vector of {self.d} numbers")
        vector /= abs(vector).max() or 1  # its length does not count, and its square could overflow
        similarity = np.zeros(len(self))
        for start in range(0, len(self), BLOCK):
            block = self.vectors[start : start + BLOCK].astype(float)  # (BLOCK, d)
            lengths = np.linalg.norm(block, axis=1) * np.linalg.norm(vector)
            np.divide(block @ vector, lengths, out=similarity[start : start + BLOCK], where=lengths > 0)
        best = [row for row in np.argsort(-similarity, kind="stable")[: n + 1] if row != own]
        return [(self._bytes(row).decode(), float(similarity[row])) for row in best[:n]]

    def matrix(self, vocabulary: Vocabulary | Iterable[str]) -> np.ndarray:
        """The embedding matrix of a vocabulary, (len(vocabulary), d) float32; its unknown words are 0.

        So is padding. Raises ValueError for anything else than a Vocabulary or a list of words.

        >>> matrix = load_word_vectors().matrix(Vocabulary(["king", "zzyzx"]))
        >>> matrix.shape, matrix.any(axis=1).tolist()
        ((4, 100), [False, False, True, False])
        """
        words = getattr(vocabulary, "words", vocabulary)
        words = strings("vocabulary", words, "a Vocabulary or a list of words")
        matrix = np.zeros((len(words), self.d), np.float32)
        for id, word in enumerate(words):
            row = None if word in (PADDING, UNKNOWN) else self._row(word)
            if row is not None:
                matrix[id] = self.vectors[row]
        return matrix


def load_word_vectors(name: str | os.PathLike[str] = SHIPPED_NAME) -> WordVectors:
    """Word vectors, memory-mapped, so that several kernels share the memory.

    name: "glove.6B.100d.12000", rows of Stanford's GloVe that ship with the course and need no network;
        "glove.6B.100d", all its 400,000 words × 100, which are downloaded once (128 MB);
        or the path of a text file in GloVe's or word2vec's form, plain, .gz or .zip (one of several files as
        if the archive were a folder, "glove.6B.zip/glove.6B.50d.txt").
    What was downloaded or read is stored in the user's cache (for GloVe 166 MB), or in the folder that the
    environment variable PE_HELPERS_CACHE names. A file that has changed is read again.
    Raises WordVectorsError, a ValueError that says what to do, for another name, a download that fails, a
    file that is damaged or not well-formed, and a cache that cannot be written. Warns if the last line of a
    plain text file has no line break.

    >>> load_word_vectors()
    WordVectors('glove.6B.100d.12000': 12,000 words × 100)
    """
    if name == SHIPPED_NAME:
        return WordVectors(SHIPPED, SHIPPED_NAME)
    if name == "glove.6B.100d":
        return WordVectors(_stored(name, "2", _download), name)
    path, file, member = _file(name)
    place = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    version = f"{file.stat().st_size}-{file.stat().st_mtime_ns}"
    return WordVectors(_stored(f"file-{place}", version, partial(keep_text, file, member)), file.name)


def read_text(name: str | os.PathLike[str], folder: Path) -> None:
    """Check a text file of word vectors and store it in `folder`, in the form that WordVectors reads.

    Raises WordVectorsError as `load_word_vectors` does.
    """
    _, file, member = _file(name)
    keep_text(file, member, folder)


def _file(name: str | os.PathLike[str]) -> tuple[Path, Path, str | None]:
    """The path of a text of vectors, the file it is or is in, and its name in that archive."""
    path = Path(name).expanduser().resolve()
    file = next((file for file in (path, *path.parents) if file.is_file()), None)
    if file is None:
        known = f"{SHIPPED_NAME!r}, 'glove.6B.100d'"
        raise WordVectorsError(f"name must be {known} or a file's path; got {name!r}")
    return path, file, path.relative_to(file).as_posix() if path != file else None


def _stored(name: str, version: str, make: Callable[[Path], None]) -> Path:
    """The folder `name-version` of the cache, filled by `make(folder)` if it is missing.

    It is filled under another name and renamed when it is complete and on the disk, so nothing incomplete is
    ever found, whatever interrupts the work. One process does it at a time. Other versions are deleted.
    """
    import pooch

    root = Path(os.environ.get("PE_HELPERS_CACHE") or pooch.os_cache("pe_helpers")).expanduser().resolve()
    final, unfinished = root / f"{name}-{version}", root / f"{name}-unfinished"
    if final.is_dir():
        return final
    from filelock import FileLock

    try:
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(root / "lock"):
            if not final.is_dir():
                for old in root.glob(f"{name}-*"):  # another version, or what a killed process left
                    shutil.rmtree(old, ignore_errors=True)
                unfinished.mkdir()
                try:
                    make(unfinished)
                    for path in unfinished.iterdir():
                        with path.open("rb+") as file:
                            os.fsync(file)
                    unfinished.rename(final)
                finally:
                    shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        advice = "Is the file readable? Is the cache writable, with space left? PE_HELPERS_CACHE can move it."
        raise WordVectorsError(f"{error} (cache: {root}). {advice}") from error
    return final


def _download(folder: Path) -> None:
    """Fetch GloVe from the first source that has it, and store it in `folder`."""
    import pooch
    import requests

    message = "glove.6B.100d could not be downloaded:\n"
    for address, checksum, member in SOURCES:
        try:
            file = pooch.retrieve(address, checksum, "download", folder, progressbar=True)
            keep_text(Path(file), member, folder)
            os.remove(file)
            return
        except (requests.HTTPError, ValueError) as error:  # no such page; another checksum
            message += f"  {address}: {error}\n"
        except requests.RequestException:
            message += f"  {address}: no connection, or it broke off, or no answer for 30 s\n"
    advice = "Try again later, or use load_word_vectors(), which needs no network."
    raise WordVectorsError(message + advice)
