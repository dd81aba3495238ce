"""A text file of word vectors is checked and read once, and stored in a form that can be memory-mapped.

The text has one line for each word: the word and its d numbers, one space between them, as in GloVe's files
(https://nlp.stanford.edu/projects/glove/). In word2vec's form a first line gives the number of words and d.
The file may be plain, compressed by gzip, or in a zip archive.

The stored form is a folder with three files: `vectors.npy`, (words, d); `words.npy`, the bytes of a text with
one word on each line, in UTF-8; `index.npy`, int64 (2, words): where each line of that text ends, and the
rows in the order of their words.
"""

from __future__ import annotations

import gzip
import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO

import numpy as np

CHUNK = 1 << 23  # bytes of text that are turned into numbers at a time
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


class WordVectorsError(ValueError):
    """Word vectors could not be loaded; the message says why and what to do."""


def keep_words(folder: Path, words: list[bytes]) -> None:
    """Write `words.npy` and `index.npy`. Raises ValueError for the same word twice."""
    order = sorted(range(len(words)), key=words.__getitem__)
    for row, next_row in pairwise(order):
        if words[row] == words[next_row]:  # each word has one vector
            raise ValueError(f"{words[row].decode()!r} is both word {row + 1} and word {next_row + 1}")
    np.save(folder / "words.npy", np.frombuffer(b"\n".join([*words, b""]), np.uint8))
    np.save(folder / "index.npy", np.stack([np.cumsum([len(word) + 1 for word in words]), order]))


def keep_text(path: Path, member: str | None, folder: Path) -> None:
    """Read a text file of word vectors and store it in `folder`.

    member: the file to read in a zip archive; None means its only one.
    Raises WordVectorsError for a damaged archive and for text that is not well-formed; it names the line.
    """
    words: list[bytes] = []
    try:
        with path.open("rb") as file, (folder / "vectors.npy").open("wb") as output:
            _write_header(output, (0, 0))
            for some_words, vectors in _parsed(file, member):
                words += some_words
                output.write(vectors.tobytes())
            keep_words(folder, words)
            output.seek(0)  # NumPy leaves room in the header for any number of rows
            _write_header(output, (len(words), vectors.shape[1]))
    except (ValueError, EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
        raise WordVectorsError(f"{path}: {error}. If it was downloaded, get it again.") from error


def _write_header(file: IO[bytes], shape: tuple[int, int]) -> None:
    np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})


def _opened(file: io.BufferedReader, member: str | None) -> IO[bytes] | gzip.GzipFile:
    """The text in a file: the file itself, or what an archive holds. Its first two bytes tell which."""
    start = file.peek(2)[:2]
    if member is None and start != b"PK":
        return gzip.open(file) if start == b"\x1f\x8b" else file
    archive = zipfile.ZipFile(file)
    names = [name for name in archive.namelist() if not name.endswith("/")]
    found = [name for name in names if member in (None, name) and ".." not in name]
    if len(found) != 1:
        raise ValueError(f"name one file of the archive, as FILE.zip/MEMBER, without '..' in it: {names}")
    return archive.open(found[0])


def _parsed(file: io.BufferedReader, member: str | None) -> Iterator[tuple[list[bytes], np.ndarray]]:
    """(words, their vectors) for one piece of the text after the other."""
    import pandas as pd  # its parser is several times as fast as Python's float; it takes 0.3 s to import

    text = _opened(file, member)
    precision = None if pd.__version__ >= "3" else "round_trip"  # from pandas 3 on numbers are always exact
    options = {"na_filter": False, "quoting": 3, "float_precision": precision}
    head = text.readline().removeprefix(b"\xef\xbb\xbf")  # the byte-order mark of some editors
    if not head or head.lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        raise ValueError("it must hold word vectors; it is empty or a web page")
    fields = head.split()
    has_header = len(fields) == 2 and all(field.isdigit() and int(field) for field in fields)
    d = max(1, int(fields[1]) if has_header else len(fields) - 1)
    lines, number = ([], 2) if has_header else ([head], 1)
    while lines := lines + text.readlines(CHUNK):
        if text is file and not lines[-1].endswith(b"\n"):
            warnings.warn("the last line has no line break: its last number may be cut off", stacklevel=2)
        lines = [line.rstrip().replace(b"\t", b" ") for line in lines]
        words = [line.partition(b" ")[0] for line in lines]
        block = b"\n".join(lines)
        try:
            table = pd.read_csv(io.BytesIO(block), sep=" ", header=None, **options)
            numbers = table.iloc[:, 1:].to_numpy()  # (words, d) float64
            is_table = numbers.shape == (len(lines), d) and numbers.dtype.kind in "fiu"
            if not is_table or not abs(numbers).max() < 3.4e38 or not all(words) or b"\0" in block:
                raise ValueError("a word or a number is missing or has another form")
        except ValueError as error:  # pandas' own: lines of different widths, or not UTF-8
            raise ValueError(_fault(lines, number, d)) from error
        yield words, numbers.astype("<f4", order="C")
        number, lines = number + len(lines), []
    if has_header and number - 2 != int(fields[0]):
        raise ValueError(f"line 1 promises {int(fields[0])} words; {number - 2} came")


def _fault(lines: list[bytes], number: int, d: int) -> str:
    """What is wrong with the first bad line; the first of `lines` is line `number` of the file."""
    for n, line in enumerate(lines, number):
        word, *fields = line.decode(errors="replace").split(" ")
        bad = [field for field in fields if not NUMBER.fullmatch(field)]
        if not word or len(fields) != d or bad:
            among = f", {bad[0]!r} among them" if bad else ""
            return f"line {n} must hold a word and {d} finite numbers; {word!r} has {len(fields)}{among}"
    return f"lines {number} to {n} must hold UTF-8 text and numbers below 3.4e38"
