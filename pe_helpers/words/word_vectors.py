"""Word vectors: a small set that ships with the course, Stanford's GloVe, or any text file of vectors.

    vectors = load_word_vectors()                    # "embedded": offline, 10,000 words × 100
    vectors["king"], "wolf" in vectors, vectors.nearest("king", 5)

GloVe: Pennington, Socher and Manning (2014), https://nlp.stanford.edu/projects/glove/. How the embedded
set was made says data/README.md.
"""

import errno
import hashlib
import os
import shutil
import zipfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._arguments import float_array, integer, strings
from ._vector_files import MappedWords, WordVectorsError, faults_of, keep_text
from .vocabulary import PADDING, UNKNOWN

EMBEDDED = Path(__file__).resolve().parents[2] / "data" / "word_vectors"


class Source(NamedTuple):
    """One place on the network where a set of vectors can be had."""

    address: str
    checksum: str
    member: str | None = None


_GLOVE_ZIP = "sha256:617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb"
DOWNLOADS = {
    "glove.6B.100d": [
        Source(  # the same vectors alone, 128 MB
            "https://github.com/RaRe-Technologies/gensim-data/releases/download/"
            "glove-wiki-gigaword-100/glove-wiki-gigaword-100.gz",
            "md5:40ec481866001177b8cd4cb0df92924f",
        ),
        Source(  # all four sizes, 862 MB
            "https://huggingface.co/stanfordnlp/glove/resolve/main/glove.6B.zip",
            _GLOVE_ZIP,
            "glove.6B.100d.txt",
        ),
        Source(
            "https://nlp.stanford.edu/data/wordvecs/glove.6B.zip",
            _GLOVE_ZIP,
            "glove.6B.100d.txt",
        ),
    ]
}
FILES = "file-????????????????-????????????????-1.part"
TIMEOUT = 30  # seconds without an answer
BLOCK = 1024  # vectors that are compared at a time, in float64; the whole set would take twice its size
OFFLINE = 'load_word_vectors("embedded") needs no network.'


class WordVectors:
    """Words and their vectors: `words`, a sequence, and `vectors`, a read-only (words, d) float32 array."""

    def __init__(self, folder, name):
        self.name = name
        try:
            self.words = MappedWords(folder)
            self._stored = np.load(folder / "vectors.npy", mmap_mode="r")
            is_float = self._stored.dtype in (np.float16, np.float32)
            if self._stored.ndim != 2 or len(self._stored) != len(self.words) or not is_float:
                raise ValueError("vectors.npy has another form")
        except Exception as error:  # whatever NumPy makes of a damaged file
            mend = "Fetch the course again" if folder == EMBEDDED else "Delete the folder and try again"
            raise WordVectorsError(f"{folder} is missing or damaged. {mend}.") from error

    @property
    def vectors(self):
        if self._stored.dtype != np.float32:  # the embedded set is stored in half the space
            self._stored = self._stored.astype(np.float32)
            self._stored.flags.writeable = False
        return self._stored

    @property
    def d(self):
        """The dimensions of a vector."""
        return self._stored.shape[1]

    def __len__(self):
        return len(self.words)

    def __contains__(self, word):
        return isinstance(word, str) and self.words.row(word) is not None

    def __getitem__(self, word):
        """The vector of a word, (d,), a copy. Raises KeyError for a word that is not in the set."""
        if word not in self:
            hint = " Its words are in lower case." if isinstance(word, str) and word.lower() in self else ""
            raise KeyError(f"{word!r} is not among the {len(self):,} words of {self.name}.{hint}")
        return self._stored[self.words.row(word)].astype(np.float32)

    def __repr__(self):
        return f"WordVectors({self.name!r}: {len(self):,} words × {self.d})"

    def nearest(self, word, n=10):
        """The n words most alike to a word or to a (d,) vector: a list of (word, cosine similarity).

        A word is left out of its own list. Raises KeyError for an unknown word, ValueError for n < 1 or
        another shape.
        """
        n = integer("n", n, 1)
        if isinstance(word, str):
            vector, own = self[word].astype(float), self.words.row(word)
        else:
            vector, own = float_array("word", word, 1, f"a word or a vector of {self.d} numbers"), None
            if len(vector) != self.d:
                raise ValueError(f"word must be a word or a vector of {self.d} numbers; got {len(vector)}")
        vector /= abs(vector).max() or 1  # its length does not count, and its square could overflow
        products, lengths = np.empty((2, len(self)))
        for start in range(0, len(self), BLOCK):
            rows = slice(start, start + BLOCK)
            block = self.vectors[rows].astype(float)
            products[rows], lengths[rows] = block @ vector, np.linalg.norm(block, axis=1)
        lengths *= np.linalg.norm(vector)
        alike = np.divide(products, lengths, out=np.zeros(len(self)), where=lengths > 0)
        best = [row for row in np.argsort(-alike, kind="stable")[: n + 1] if row != own]
        return [(self.words[row], float(alike[row])) for row in best[:n]]

    def matrix(self, vocabulary):
        """The embedding matrix of a Vocabulary, (len(vocabulary), d) float32; unknown words have zeros.

        So has padding. Raises ValueError for anything else than a Vocabulary or a list of words.
        """
        words = getattr(vocabulary, "words", vocabulary)
        words = strings("vocabulary", words, "a Vocabulary or a list of words")
        rows = [None if word in (PADDING, UNKNOWN) else self.words.row(word) for word in words]
        matrix = np.zeros((len(rows), self.d), np.float32)
        known = [n for n, row in enumerate(rows) if row is not None]
        matrix[known] = self._stored[[rows[n] for n in known]]
        return matrix


def load_word_vectors(name="embedded"):
    """Word vectors, memory-mapped, so that several kernels share them.

    name: "embedded", the 10,000 words × 100 that ship with the course and need no network;
        "glove.6B.100d", Stanford's 400,000 words × 100: the first time it is downloaded (128 MB) and read
        once, and kept in the user's cache (166 MB; the folder PE_HELPERS_CACHE names, if set);
        or the path of a text file in GloVe's or word2vec's form, also in .gz or .zip (a file among
        several as if the archive were a folder, "glove.6B.zip/glove.6B.50d.txt"): read once, kept too.
    Returns WordVectors. Raises WordVectorsError, a ValueError, that says what to do: for another name, for
    a download that fails, a file that cannot be read or is not whole or well-formed, a cache that cannot be
    written.
    """
    if name == "embedded":
        return WordVectors(EMBEDDED, name)
    if isinstance(name, str) and name in DOWNLOADS:
        return WordVectors(_kept(f"{name}-1", lambda folder: _download(name, folder)), name)
    path, member = _existing(name)
    try:
        return WordVectors(_read(path, member), path.name)
    except WordVectorsError as error:
        raise WordVectorsError(f"{path}: {error}") from error


def cache_folder():
    """Where downloads and files that were read are kept: PE_HELPERS_CACHE, else the user's cache."""
    import pooch

    return Path(os.environ.get("PE_HELPERS_CACHE") or pooch.os_cache("pe_helpers")).expanduser().resolve()


def _existing(name):
    """(the path of a file, the member inside it or None)."""
    allowed = " or ".join(map(repr, ["embedded", *DOWNLOADS]))
    refusal = WordVectorsError(f"name must be {allowed} or the path of a file that exists; got {name!r}")
    if not isinstance(name, str | os.PathLike) or not os.fspath(name):
        raise refusal
    try:
        path = Path(name).expanduser().resolve()
        file = next((file for file in (path, *path.parents) if file.is_file()), None)
    except (OSError, RuntimeError, ValueError) as error:  # too long, a loop of links, a null byte …
        raise refusal from error
    if file is None or (file != path and not zipfile.is_zipfile(file)):
        raise refusal
    return file, None if file == path else path.relative_to(file).as_posix()


def _read(path, member):
    """The folder of the cache with what a text file holds as it is now."""
    state = _state(path)
    place = hashlib.sha256(os.fsencode(path) + f"/{member}".encode()).hexdigest()[:16]
    stamp = hashlib.sha256(b"%d %d" % state).hexdigest()[:16]

    def make(folder):
        keep_text(path, folder, member)
        if _state(path) != state:
            raise WordVectorsError("the file has changed while it was read; try again")
        for old in folder.parent.glob(f"file-{place}-*-1"):  # the file has changed since
            _discard(old)

    return _kept(f"file-{place}-{stamp}-1", make)


def _state(path):
    """(size, time of the last change) of a file."""
    with faults_of(path):
        state = path.stat()
        return state.st_size, state.st_mtime_ns


def _discard(folder):
    """Remove a folder of the cache, whole or not at all: Windows forbids it while a kernel has it mapped."""
    part = folder.with_name(f"{folder.name}.part")
    with suppress(OSError):
        folder.rename(part)
        shutil.rmtree(part)


def _kept(name, make):
    """The folder `name` of the cache, made first by `make(folder)` where it is missing.

    It is made under another name and renamed when it is whole and on the disk, so whatever interrupts it,
    be it the power, nothing half written is ever found. One process at a time; what a killed one left
    behind is removed.
    """
    root = cache_folder()
    final, part = root / name, root / f"{name}.part"
    try:
        if final.is_dir():
            return final
        with _alone(root):
            if not final.is_dir():
                for left_behind in [root / f"{name}-1.part" for name in DOWNLOADS] + [*root.glob(FILES)]:
                    shutil.rmtree(left_behind, ignore_errors=True)
                try:
                    part.mkdir()
                    make(part)
                    for path in part.iterdir():
                        with path.open("rb+") as file:
                            os.fsync(file.fileno())
                    part.rename(final)
                finally:
                    shutil.rmtree(part, ignore_errors=True)
        return final
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        advice = "Make room" if full else "Make it writable"
        raise WordVectorsError(
            f"the cache {root} cannot be written ({error.strerror or error}). {advice}, or name another "
            f"folder in the environment variable PE_HELPERS_CACHE. {OFFLINE}"
        ) from error


@contextmanager
def _alone(root):
    """Only one process at a time gets past here; the lock of one that died is free."""
    from filelock import FileLock

    root.mkdir(parents=True, exist_ok=True)
    with FileLock(root / "lock"):
        yield


def _download(name, folder):
    """Fetch the set from the first source that has it, and read it into `folder`."""
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    problems = []
    for source in DOWNLOADS[name]:
        downloader = pooch.HTTPDownloader(progressbar=_Progress(name), chunk_size=1 << 18, timeout=TIMEOUT)
        try:
            file = pooch.retrieve(
                source.address, source.checksum, fname="download", path=folder, downloader=downloader
            )
        except requests.RequestException as error:
            problems.append(f"{source.address}: {_in_words(error)}")
        except ValueError:  # pooch compares the checksums
            problems.append(f"{source.address}: what came is not the file (another checksum)")
        else:
            keep_text(file, folder, source.member)
            os.remove(file)
            return
    listed = "\n".join(f"  {problem}" for problem in problems)
    raise WordVectorsError(
        f"{name} could not be downloaded:\n{listed}\nTry again later, or fetch the file by other means and "
        f"give load_word_vectors its path. {OFFLINE}"
    )


def _in_words(error):
    """A network error without the library's inner names."""
    import requests

    if error.response is not None:
        return f"the server answers {error.response.status_code} {error.response.reason}"
    kinds = {
        requests.Timeout: f"no answer within {TIMEOUT} s",
        requests.exceptions.ChunkedEncodingError: "the server stopped half-way",
        requests.ConnectionError: "no connection",
    }
    timeout = requests.packages.urllib3.exceptions.ReadTimeoutError
    if any(isinstance(reason, timeout) for reason in error.args):  # amid the file: a ConnectionError
        return kinds[requests.Timeout]
    return next((words for kind, words in kinds.items() if isinstance(error, kind)), str(error))


class _Progress:
    """A tqdm bar that begins when the size is known; pooch sets `total`, then calls the rest."""

    def __init__(self, name):
        self._name, self._bar = name, None

    @property
    def total(self):
        return self._bar.total

    @total.setter
    def total(self, size):
        from tqdm.auto import tqdm

        self._bar = tqdm(total=size or None, desc=self._name, unit="B", unit_scale=True)

    def update(self, size):
        self._bar.update(size)

    def reset(self):
        self._bar.reset()

    def close(self):
        self._bar.close()
