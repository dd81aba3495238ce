"""Word vectors on disk: text files are read strictly and once; what is kept is mapped, not read.

The text forms are GloVe's (https://nlp.stanford.edu/projects/glove/: a line for each word, the word and
its numbers, one space between) and word2vec's (the same below a first line with the number of words and
of dimensions), plain, in gzip or in a zip archive.

What is kept is a folder: `vectors.npy`, (words, d); `words.txt`, a word a line; `index.npy`, int64 of
(2, words): where each word begins in words.txt, and the rows in the order of their words' bytes.
"""

import gzip
import io
import lzma
import mmap
import re
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path, PurePosixPath

import numpy as np

CHUNK = 1 << 23  # bytes of text that are turned into numbers at a time
IN_NUMBERS = b"0123456789+-.eE \n"
HARD_TO_ROUND = re.compile(rb"[0-9.]{16}|[eE][+-]?[0-9]{3}")
LONGEST_LINE = 1 << 26  # bytes; what is longer is not a file of word vectors
NOT_FINITE = (b"nan", b"inf", b"+inf", b"-inf")
FAULTS = (
    EOFError,
    NotImplementedError,  # a compression that zipfile does not know
    OSError,
    RuntimeError,  # an encrypted member
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
)


class WordVectorsError(ValueError):
    """Word vectors could not be had; the message says why and what to do."""


class MappedWords(Sequence):
    """The words of a kept folder in the order of their rows; they stay on disk until asked for."""

    def __init__(self, folder):
        with (folder / "words.txt").open("rb") as file:
            self._text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        index = np.load(folder / "index.npy", mmap_mode="r")
        if index.ndim != 2 or index.shape[0] != 2 or not index.shape[1] or index.dtype != np.int64:
            raise ValueError("index.npy has another form")
        self._starts, self._sorted = index
        if self._text.find(b"\n", int(self._starts[-1])) != len(self._text) - 1:
            raise ValueError("words.txt and index.npy are not of one piece")

    def __len__(self):
        return len(self._starts)

    def __getitem__(self, row):
        if isinstance(row, slice):
            return [self[n] for n in range(*row.indices(len(self)))]
        return self._bytes(range(len(self))[row]).decode()

    def __iter__(self):
        return iter(self._text[:-1].decode().split("\n"))

    def row(self, word):
        """The row of a word, None where it is not among them."""
        key = word.encode(errors="surrogatepass")
        place = bisect_left(self._sorted, key, key=self._bytes)
        found = int(self._sorted[place]) if place < len(self) else None
        return found if found is not None and self._bytes(found) == key else None

    def _bytes(self, row):
        start = int(self._starts[row])
        return self._text[start : self._text.find(b"\n", start)]


def keep(folder, words, vectors):
    """Write words and their (words, d) vectors into `folder`, in the form that is mapped."""
    np.save(folder / "vectors.npy", vectors)
    _keep_words(folder, [word.encode() for word in words])


def keep_text(path, folder, member=None):
    """Read a text file of word vectors and write it into `folder` in the form that is mapped.

    member: the file to read inside a zip archive; None means its only one.
    Raises WordVectorsError for a file that cannot be read, and for anything that is not a whole, well-formed
    one, naming the line.
    """
    with (folder / "vectors.npy").open("wb") as output, _opened(path, member) as text:
        words, d = [], 0
        output.write(_npy_header(0, 1))
        for body_words, vectors in _parsed(text):
            output.write(vectors)
            words += body_words
            d = vectors.shape[1]
        output.seek(0)
        output.write(_npy_header(len(words), d))
    _keep_words(folder, words)


def _keep_words(folder, words):
    text = b"\n".join([*words, b""])
    lengths = np.array([len(word) + 1 for word in words])
    order = sorted(range(len(words)), key=words.__getitem__)
    (folder / "words.txt").write_bytes(text)
    np.save(folder / "index.npy", np.stack([np.cumsum(lengths) - lengths, order]))


def _npy_header(rows, d):
    """The header of an array of (rows, d) float32; NumPy pads it to the same length for any shape."""
    file = io.BytesIO()
    header = {"descr": "<f4", "fortran_order": False, "shape": (rows, d)}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue()


@contextmanager
def _opened(path, member):
    """The bytes of a text file, plain or compressed: what it is, its first bytes say."""
    path = Path(path)
    with ExitStack() as stack:
        with faults_of(path):
            text = stack.enter_context(path.open("rb"))
            start = text.read(4)
            text.seek(0)
            if start[:2] == b"\x1f\x8b":
                text = stack.enter_context(gzip.open(text))
            elif start[:2] == b"PK":
                archive = stack.enter_context(zipfile.ZipFile(text))
                text = stack.enter_context(archive.open(_member(archive, member, path)))
        yield _Readable(text, path)


class _Readable:
    """A text whose faults are the file's, not those of what is written meanwhile."""

    def __init__(self, text, path):
        self._text, self._path = text, path

    def read(self, size):
        with faults_of(self._path):
            return self._text.read(size)


@contextmanager
def faults_of(path):
    """Whatever goes wrong with this file in here is raised as a WordVectorsError that says so."""
    try:
        yield
    except FAULTS as error:
        if getattr(error, "errno", None):  # the system's, not gzip's or bz2's own
            raise WordVectorsError(
                f"{path.name} cannot be read ({error.strerror}). See that it is there and whole, that you "
                "may read it and that its disk is sound, and try again."
            ) from error
        raise WordVectorsError(
            f"{path.name} is not a whole archive that can be read ({error}). Was the download cut off? Fetch "
            "it again, or unpack it and give the path of the text file."
        ) from error


def _member(archive, member, path):
    names = [name for name in archive.namelist() if not name.endswith("/")]
    for name in names:
        parts = PurePosixPath(name.replace("\\", "/"))
        if parts.is_absolute() or ".." in parts.parts:
            raise WordVectorsError(
                f"{path.name} holds a file whose path leaves the archive, {name!r}. Do not use it."
            )
    if member in names:
        return member
    if member is None and len(names) == 1:
        return names[0]
    raise WordVectorsError(
        f"{path.name} holds {len(names)} files: {', '.join(map(repr, names))}. "
        f"Name one of them as if the archive were a folder: {path.name}/FILE."
    )


def _parsed(text):
    """(words, their vectors) for a piece of the text after the other."""
    d, promised, seen, line = None, None, {}, 1
    for lines in _pieces(text):
        if d is None:
            lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")  # the byte-order mark of some editors
            first = lines[0].split()
            if lines[0].lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml")):
                raise WordVectorsError("it is a web page, not word vectors. Fetch the file again.")
            if len(first) == 2 and all(part.isdigit() and len(part) < 10 for part in first):  # word2vec's
                promised, d = map(int, first)
                lines, line = lines[1:], 2
            else:
                d = lines[0].rstrip(b" \r").count(b" ")
                _as_floats([_split(lines[0].rstrip(b" \r"), d, 1)[1]], d, 1)
        words, numbers = [], []
        for number, content in zip(count(line), lines, strict=False):
            word, body = _split(content.rstrip(b" \r"), d, number)
            if seen.setdefault(word, number) != number:
                raise WordVectorsError(
                    f"line {number}: {word.decode()!r} stands in line {seen[word]} already. "
                    "Each word must have one vector."
                )
            words.append(word)
            numbers.append(body)
        if words:
            yield words, _as_floats(numbers, d, line)
        line += len(lines)
    if not seen:
        raise WordVectorsError("the file holds no word. Was the download cut off?")
    if promised not in (None, len(seen)):
        raise WordVectorsError(
            f"the first line promises {promised:,} words and {len(seen):,} came. Fetch the file again."
        )


def _pieces(text):
    """The lines of the text, without their ends, a list of whole lines at a time."""
    rest = b""
    while block := text.read(CHUNK):
        block = rest + block
        cut = block.rfind(b"\n") + 1
        rest = block[cut:]
        if len(rest) > LONGEST_LINE:
            raise WordVectorsError(
                f"a line is longer than {LONGEST_LINE:,} bytes: these are no word vectors."
            )
        if cut:
            yield block[: cut - 1].split(b"\n")
    if rest:
        raise WordVectorsError(
            f"the last line, {_shown(rest)}, has no end, so its last number may be cut. "
            "Fetch the file again; if it is whole, end it with a line break."
        )


def _split(content, d, number):
    """(the word, the text of its d numbers) of one line; a word may hold spaces."""
    extra = content.count(b" ") - d
    if extra == 0:
        word, _, body = content.partition(b" ")
    else:
        word, *parts = content.rsplit(b" ", d)
        body = b" ".join(parts)
    if d < 1 or extra < 0 or not _is_word(word):
        found = len(content.split()) - 1
        raise WordVectorsError(
            f"line {number}, {_shown(content)}, must hold a word and {max(d, 1)} numbers, one space "
            f"between; it has {max(found, 0)} after the word."
        )
    try:
        word.decode()
    except UnicodeDecodeError as error:
        raise WordVectorsError(f"line {number}: the word {word!r} is not UTF-8.") from error
    return word, body


def _is_word(word):
    """Whether this can be a word: one with spaces may not end in a number, which would be one too many."""
    last = word.rsplit(b" ", 1)[-1]
    is_number = b" " in word and (not _fault(last) or last.lower() in NOT_FINITE)
    is_spaced = not last or word[:1] == b" " or b"  " in word or any(mark in word for mark in (b"\t", b"\r"))
    return not (is_number or is_spaced)


def _fault(part):
    """What is wrong with the text of a number, empty if nothing is."""
    if part.translate(None, IN_NUMBERS):
        return "not a finite number"
    try:
        return "" if abs(float(part)) <= float(np.finfo(np.float32).max) else "too large for float32"
    except ValueError:
        return "not a number"


def _as_floats(numbers, d, line):
    import pandas as pd  # its parser is several times as fast as Python's float; 0.3 s to import

    body = b"\n".join([*numbers, b""])
    vectors = None
    if not body.translate(None, IN_NUMBERS):
        options = {"sep": " ", "header": None, "quoting": 3, "na_filter": False, "engine": "c"}
        if pd.__version__ < "3" and HARD_TO_ROUND.search(body):  # pandas 2 rounds right only so, and slower
            options["float_precision"] = "round_trip"
        try:
            with np.errstate(over="ignore"):
                vectors = pd.read_csv(io.BytesIO(body), dtype=np.float32, **options).to_numpy()
        except ValueError:
            pass  # the search below says where
    if vectors is None or vectors.shape != (len(numbers), d) or not np.isfinite(vectors).all():
        for number, content in zip(count(line), numbers, strict=False):
            for part in content.split(b" "):
                if fault := _fault(part):
                    raise WordVectorsError(f"line {number}: {_shown(part)} is {fault}.")
        raise WordVectorsError(f"the numbers from line {line} on could not be read.")
    return np.ascontiguousarray(vectors, dtype="<f4")


def _shown(content):
    words = content.decode(errors="replace")
    return repr(words if len(words) <= 60 else words[:60] + "…")
