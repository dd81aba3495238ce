"""Word vectors: what they give, and that no fault of file, network or disk ever leaves a wrong one."""

import errno
import gzip
import hashlib
import http.server
import io
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import zipfile

import numpy as np
import pytest

from pe_helpers.words import _vector_files, word_vectors
from pe_helpers.words.vocabulary import Vocabulary
from pe_helpers.words.word_vectors import DOWNLOADS, Source, WordVectorsError, load_word_vectors

NUMBERS = np.random.default_rng(0).normal(0, 0.4, (500, 12)).round(5).astype(np.float32)
LINES = [f"w{n} " + " ".join(f"{x:.5f}" for x in row) for n, row in enumerate(NUMBERS)]
TEXT = "\n".join([*LINES, ""]).encode()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("PE_HELPERS_CACHE", str(folder))
    return folder


def kept(cache):
    """What the cache holds, without its lock."""
    return sorted(path.name for path in cache.iterdir() if path.name != "lock") if cache.exists() else []


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# --- what ships ---------------------------------------------------------------------------------------


def test_the_embedded_words():
    vectors = load_word_vectors()
    assert len(vectors) == 10_000 and vectors.vectors.shape == (10_000, 100)
    assert vectors.vectors.dtype == vectors["king"].dtype == np.float32
    assert np.isfinite(vectors.vectors).all()
    assert np.allclose(np.linalg.norm(vectors.vectors, axis=1), np.sqrt(50), rtol=1e-3)
    assert not vectors.vectors.flags.writeable
    assert len(set(vectors.words)) == 10_000 and list(vectors.words)[:3] == vectors.words[:3]
    for row in (0, 1, 5000, 9999):
        word = vectors.words[row]
        assert word in vectors and np.array_equal(vectors[word], vectors.vectors[row])
    assert sum(path.stat().st_size for path in word_vectors.EMBEDDED.iterdir()) < 3e6


def test_the_labs_eleven_words_lie_in_their_groups():
    from build_word_vectors import LAB, measure

    vectors = load_word_vectors()
    in_group, silhouette, in_group_2d, silhouette_2d = measure(vectors.vectors, vectors.words, LAB)
    assert in_group == 1 and in_group_2d >= 10 / 11
    assert silhouette >= 0.6 and silhouette_2d >= 0.6


def test_the_nearest_words():
    vectors = load_word_vectors()
    nearest = vectors.nearest("yellow", 5)
    assert len(nearest) == 5 and "yellow" not in dict(nearest)
    x = vectors.vectors / np.linalg.norm(vectors.vectors, axis=1, keepdims=True)
    expected = np.argsort(-(x @ x[vectors.words.row("yellow")]))[1:6]
    assert [word for word, _ in nearest] == [vectors.words[row] for row in expected]
    assert vectors.nearest(vectors["yellow"], 1)[0][0] == "yellow"
    long = vectors.nearest(1e300 * vectors["yellow"].astype(float))
    assert dict(long) == pytest.approx(dict(vectors.nearest(vectors["yellow"])))


def test_the_nearest_words_cost_no_copy_of_the_set():
    vectors = load_word_vectors()
    size = vectors.vectors.nbytes
    tracemalloc.start()
    try:
        vectors.nearest("yellow")
        assert tracemalloc.get_traced_memory()[1] < size / 2
    finally:
        tracemalloc.stop()


def test_the_matrix_has_zeros_for_padding_and_unknown_words():
    vectors = load_word_vectors()
    vocabulary = Vocabulary(["king", "zzyzx", "queen"])
    matrix = vectors.matrix(vocabulary)
    assert matrix.shape == (5, 100) and matrix.dtype == np.float32
    assert not matrix[[0, 1, 3]].any()
    assert np.array_equal(matrix[[2, 4]], [vectors["king"], vectors["queen"]])


@pytest.mark.parametrize("vocabulary", [3, None, "king", ["king", None], b"king", np.array(1)])
def test_a_matrix_of_something_else(vocabulary):
    with pytest.raises(ValueError, match="vocabulary must be a Vocabulary or a list of words; got"):
        load_word_vectors().matrix(vocabulary)


@pytest.mark.parametrize("word", ["zzyzx", "", "king\nqueen", "zzzzzz", "\ud800", "日本", 3])
def test_a_word_that_is_not_there(word):
    vectors = load_word_vectors()
    assert word not in vectors
    with pytest.raises(KeyError, match="is not among the 10,000 words"):
        vectors[word]


def test_words_in_upper_case_get_a_hint():
    with pytest.raises(KeyError, match="lower case"):
        load_word_vectors()["King"]


# --- files --------------------------------------------------------------------------------------------


def test_a_text_file_gives_its_numbers_and_is_read_once(tmp_path, cache, monkeypatch):
    path = write(tmp_path / "mine.txt", TEXT)
    vectors = load_word_vectors(path)
    assert np.array_equal(vectors.vectors, NUMBERS) and list(vectors.words) == [f"w{n}" for n in range(500)]
    assert all(np.array_equal(vectors[f"w{n}"], NUMBERS[n]) for n in range(500))
    monkeypatch.setattr(_vector_files, "_parsed", None)  # a second reading would fail
    again = load_word_vectors(str(path))
    assert np.array_equal(again.vectors, NUMBERS)
    assert isinstance(again.vectors, np.memmap)
    assert len(kept(cache)) == 1


def test_a_file_that_changed_is_read_again(tmp_path, cache):
    path = write(tmp_path / "mine.txt", TEXT)
    load_word_vectors(path)
    write(path, "new 1 2\n")
    assert list(load_word_vectors(path).words) == ["new"]
    assert len(kept(cache)) == 1


def test_an_old_folder_that_cannot_be_renamed_stays_whole(tmp_path, cache, monkeypatch):
    path = write(tmp_path / "mine.txt", TEXT)
    before = load_word_vectors(path)
    (old,) = kept(cache)
    state, rename = path.stat(), type(path).rename

    def as_on_windows(folder, target):
        if folder.name == old:
            raise PermissionError(errno.EACCES, "Access is denied")
        return rename(folder, target)

    monkeypatch.setattr(type(path), "rename", as_on_windows)
    write(path, "new 1 2\n")
    assert list(load_word_vectors(path).words) == ["new"]
    assert len(kept(cache)) == 2 and old in kept(cache)
    assert np.array_equal(before.vectors, NUMBERS)
    write(path, TEXT)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert np.array_equal(load_word_vectors(path).vectors, NUMBERS)


@pytest.mark.parametrize("chunk", [40, 1000, 1 << 23])
def test_pieces_of_any_size_give_the_same(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(_vector_files, "CHUNK", chunk)
    assert np.array_equal(load_word_vectors(write(tmp_path / "a", TEXT)).vectors, NUMBERS)


def test_compressed_files_and_word2vecs_first_line(tmp_path):
    for name, content in {
        "plain": TEXT,
        "header": b"500 12\n" + TEXT,
        "windows": TEXT.replace(b"\n", b"\r\n"),
        "byte-order mark": b"\xef\xbb\xbf500 12\n" + TEXT,
        "trailing space": TEXT.replace(b"\n", b" \n"),
        "zipped.gz": gzip.compress(TEXT),
        "zipped under another name.txt": gzip.compress(b"500 12\n" + TEXT),
    }.items():
        assert np.array_equal(load_word_vectors(write(tmp_path / name, content)).vectors, NUMBERS), name
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
        archive.writestr("inside.txt", TEXT)
    assert np.array_equal(load_word_vectors(tmp_path / "one.zip").vectors, NUMBERS)


def test_one_of_several_files_in_a_zip(tmp_path):
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a 1 2\n")
        archive.writestr("b.txt", "b 3 4\n")
    with pytest.raises(WordVectorsError, match=r"holds 2 files: 'a.txt', 'b.txt'.*set.zip/FILE"):
        load_word_vectors(path)
    assert list(load_word_vectors(path / "b.txt")["b"]) == [3, 4]
    assert list(load_word_vectors(path / "a.txt")["a"]) == [1, 2]


def test_files_in_folders_of_a_zip(tmp_path):
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("glove/a.txt", "a 1 2\n")
        archive.writestr("__MACOSX/a.txt", "x")
    assert list(load_word_vectors(path / "glove" / "a.txt")["a"]) == [1, 2]
    plain = write(tmp_path / "plain.txt", TEXT)
    for name in (plain / "a.txt", path / "glove" / "b.txt", path / "glove"):
        with pytest.raises(WordVectorsError, match=r"path of a file that exists|Name one of them"):
            load_word_vectors(name)


def test_archives_that_python_cannot_read(tmp_path, cache):
    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a 1 2\n")
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    for method, flags in ((99, 0), (0, 1)):  # an unknown compression; an encrypted member
        content[8] = content[central + 10] = method
        content[6] = content[central + 8] = flags
        path.write_bytes(content)
        with pytest.raises(WordVectorsError, match="not a whole archive that can be read"):
            load_word_vectors(path)
    assert kept(cache) == []


def test_archives_whose_compressed_part_is_damaged(tmp_path, cache):
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path = tmp_path / f"{method}.zip"
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("a.txt", TEXT)
        content = bytearray(path.read_bytes())
        content[200:600] = bytes(400)
        with pytest.raises(WordVectorsError, match="not a whole archive that can be read"):
            load_word_vectors(write(path, bytes(content)))
    assert kept(cache) == []


class Failing(io.BytesIO):
    """A file on a disk that gives so many bytes and then fails."""

    def __init__(self, content, good):
        super().__init__(content)
        self._good = good

    def read(self, size=-1):
        if self.tell() + max(size, 0) > self._good:
            raise OSError(errno.EIO, "Input/output error")
        return super().read(size)


@pytest.mark.parametrize("kind", ["plain", "gzip"])
@pytest.mark.parametrize("good", [0, 4])
def test_a_disk_that_fails_is_not_the_cache(tmp_path, cache, monkeypatch, kind, good):
    content = TEXT if kind == "plain" else gzip.compress(TEXT)
    path = write(tmp_path / "mine.txt", content)
    opened = type(path).open

    def failing(file, *mode):
        return Failing(content, good) if file == path else opened(file, *mode)

    with monkeypatch.context() as patch:
        patch.setattr(type(path), "open", failing)
        with pytest.raises(WordVectorsError, match=r"cannot be read \(Input/output error\)") as raised:
            load_word_vectors(path)
    assert "cache" not in str(raised.value).replace(str(tmp_path), "") and kept(cache) == []
    assert np.array_equal(load_word_vectors(path).vectors, NUMBERS)


@pytest.mark.parametrize(
    ("module", "step"),
    [(word_vectors, "_state"), (word_vectors, "keep_text"), (_vector_files, "_keep_words")],
)
def test_a_file_that_vanishes_is_not_the_cache(tmp_path, cache, monkeypatch, module, step):
    path = write(tmp_path / "mine.txt", TEXT)
    real = getattr(module, step)

    def vanished(*arguments):
        path.unlink()
        return real(*arguments)

    monkeypatch.setattr(module, step, vanished)
    with pytest.raises(WordVectorsError, match=r"mine.txt cannot be read \(No such file or directory\)"):
        load_word_vectors(path)
    assert kept(cache) == []


def test_a_fault_of_the_reading_is_not_the_files(tmp_path, monkeypatch):
    def broken(*_):
        raise NotImplementedError("a mistake of ours")

    monkeypatch.setattr(_vector_files, "_as_floats", broken)
    for content in (TEXT, gzip.compress(TEXT)):
        with pytest.raises(NotImplementedError):
            load_word_vectors(write(tmp_path / "a", content))


def test_a_file_that_changes_while_it_is_read(tmp_path, cache, monkeypatch):
    path = write(tmp_path / "mine.txt", TEXT)
    real = _vector_files._keep_words

    def meanwhile(*arguments):
        write(path, TEXT + b"w500 " + b"1 " * 11 + b"1\n")
        real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(_vector_files, "_keep_words", meanwhile)
        with pytest.raises(WordVectorsError, match="changed while it was read"):
            load_word_vectors(path)
    assert kept(cache) == [] and len(load_word_vectors(path)) == 501


@pytest.mark.parametrize(
    "number",
    [
        "0.13823368400335312",
        "1e-0000000000000000005",
        "0." + "0" * 30 + "12345678901e31",
        "-0",
        ".5",
        "5.",
        "007",
    ],
)
def test_numbers_are_exactly_what_their_text_says(tmp_path, number):
    vectors = load_word_vectors(write(tmp_path / "a.txt", f"a {number} 1\n"))
    assert vectors["a"][0] == np.float32(number)


def test_numbers_whose_exponent_is_absurd_are_refused_or_right(tmp_path):
    vectors = load_word_vectors(write(tmp_path / "small.txt", "a 1e-4294967297 1\n"))
    assert vectors["a"][0] == 0
    with pytest.raises(WordVectorsError, match="too large for float32"):
        load_word_vectors(write(tmp_path / "large.txt", "a 1e4294967297 1\n"))


def test_a_set_with_its_own_unk_leaves_unknown_words_at_zero(tmp_path):
    vectors = load_word_vectors(write(tmp_path / "a.txt", "[UNK] 1 2\nking 3 4\n"))
    assert not vectors.matrix(Vocabulary(["zzyzx"])).any()
    assert vectors.matrix(word for word in ["king"]).tolist() == [[3, 4]]


def test_cosines_of_very_small_and_very_large_vectors(tmp_path):
    text = "a 1e20 1e20\nb 1e20 1.1e20\nc 1e-25 1e-25\nd 0 0\n"
    vectors = load_word_vectors(write(tmp_path / "a.txt", text))
    nearest = dict(vectors.nearest("a", 3))
    assert nearest["c"] == pytest.approx(1) and nearest["b"] == pytest.approx(0.9989, abs=1e-4)
    assert nearest["d"] == 0


def test_odd_tokens(tmp_path):
    text = '" 1 2\n. . . 3 4\nat name@domain.com 5 6\n日本 7 8\nnan 9 10\n1.5 11 12\n# 13 14\n\x85 15 16\n'
    vectors = load_word_vectors(write(tmp_path / "odd.txt", text))
    assert list(vectors.words) == ['"', ". . .", "at name@domain.com", "日本", "nan", "1.5", "#", "\x85"]
    assert np.array_equal(vectors.vectors, np.arange(1.0, 17).reshape(8, 2))
    assert list(vectors["at name@domain.com"]) == [5, 6]


BAD = {
    "too few numbers": ("a 1 2\nb 3\n", "line 2, 'b 3', must hold a word and 2 numbers"),
    "too many numbers": ("a 1 2\nb 3 4.5 5 6\n", "line 2.*2 numbers.*it has 4"),
    "first line short": ("a 1\nb 3.5 4\n", "line 2.*1 numbers.*it has 2"),
    "an empty line": ("a 1 2\n\nb 3 4\n", "line 2, '', must hold a word"),
    "no word": ("a 1 2\n 3 4\n", "line 2.*must hold a word"),
    "no numbers": ("a\nb\n", "line 1.*must hold a word and 1 numbers"),
    "a word twice": ("a 1 2\nb 3 4\na 5 6\n", "line 3: 'a' stands in line 1 already"),
    "nan": ("a 1 2\nb nan 4\n", "line 2: 'nan' is not a finite number"),
    "infinity": ("a 1 2\nb 1e39 4\n", "line 2: '1e39' is too large for float32"),
    "true": ("a TRUE 2\n", "line 1: 'TRUE' is not a finite number"),
    "not a number": ("a 1 2\nb 3 .\n", r"line 2: '\.' is not a number"),
    "two spaces": ("a 1  2\nb 3 4\n", "line 1: '' is not a number"),
    "empty": ("", "the file holds no word"),
    "header only": ("0 5\n", "the file holds no word"),
    "a number too many, with an exponent": ("a 1.5 2\nb 1e-05 3 4\n", "line 2.*2 numbers"),
    "a number too many, whole": ("a 1.5 2\nb 7 3 4\n", "line 2.*2 numbers"),
    "a number too many, nan": ("a 1.5 2\nb nan 3 4\n", "line 2.*2 numbers"),
    "two spaces after a word": ("a 1 2\nb  3 4\n", "line 2.*one space"),
    "a space before a word": ("a 1 2\n b 3 4\n", "line 2.*one space"),
    "a tab": ("a 1 2\nb\t1.5 3 4\n", "line 2.*one space"),
    "a header of a wrong width": ("1 1\na 1 2\n", "line 2.*1 numbers"),
    "cut in a number": ("a 1 2\nb 3 4.", "the last line, 'b 3 4.', has no end"),
    "cut after a line": ("3 2\na 1 2\nb 3 4\n", "promises 3 words and 2 came"),
    "a page": ("<!DOCTYPE html>\n<html>\n</html>\n", "it is a web page"),
    "a page without spaces": ("<html>\n</html>\n", "it is a web page"),
    "not UTF-8": (b"a 1 2\n\xff\xfe 3 4\n", "line 2: the word .* is not UTF-8"),
    "half a gzip": (gzip.compress(TEXT)[:-200], "not a whole archive"),
    "a broken gzip": (gzip.compress(TEXT)[:500] + b"x" * 500, "not a whole archive"),
    "half a zip": (b"PK\x03\x04" + TEXT, "not a whole archive"),
    "an empty zip": (b"PK\5\6" + b"\0" * 18, "holds 0 files"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_file_is_named_and_leaves_nothing_behind(tmp_path, cache, fault):
    content, message = BAD[fault]
    path = write(tmp_path / "bad.txt", content)
    with pytest.raises(WordVectorsError, match=message) as raised:
        load_word_vectors(path)
    assert str(path) in str(raised.value)
    assert kept(cache) == []


def test_a_zip_whose_path_climbs_out(tmp_path, cache):
    for name in ("../../evil.txt", "/evil.txt", "a/../../evil.txt", "..\\evil.txt"):
        with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
            archive.writestr(name, TEXT)
        with pytest.raises(WordVectorsError, match="leaves the archive"):
            load_word_vectors(tmp_path / "evil.zip")
    assert kept(cache) == [] and not list(tmp_path.rglob("evil.txt"))


@pytest.mark.parametrize(
    "name",
    [
        "a\0b",
        "x" * 300,
        "~nobody-of-that-name/a",
        "GloVe",
        "",
        "glove.6B.50d",
        5,
        None,
        "nowhere/file.txt",
        ["embedded"],
    ],
)
def test_other_names(name):
    with pytest.raises(WordVectorsError, match=r"name must be 'embedded' or 'glove.6B.100d' or the path"):
        load_word_vectors(name)


def test_real_rows_of_glove(glove_rows):
    vectors = load_word_vectors(glove_rows)
    assert len(vectors) == 2604 and vectors.d == 100 and vectors.words[0] == "the" and '"' in vectors
    for line in glove_rows.read_text(encoding="utf-8").split("\n")[:-1:97]:
        word, *numbers = line.split(" ")
        assert np.array_equal(vectors[word], np.array(numbers, np.float32))

    def cosine(one, other):
        one, other = vectors[one], vectors[other]
        return one @ other / np.linalg.norm(one) / np.linalg.norm(other)

    assert cosine("king", "queen") == pytest.approx(0.75077, abs=1e-5)
    assert cosine("man", "woman") == pytest.approx(0.83235, abs=1e-5)
    assert cosine("football", "basketball") == pytest.approx(0.856, abs=1e-3)
    assert cosine("red", "green") == pytest.approx(0.820, abs=1e-3)
    assert dict(vectors.nearest("king", 3))["queen"] == pytest.approx(0.75077, abs=1e-5)


# --- the cache ----------------------------------------------------------------------------------------


def test_a_damaged_cache_is_named(tmp_path, cache):
    path = write(tmp_path / "mine.txt", TEXT)
    load_word_vectors(path)
    (folder,) = (cache / name for name in kept(cache))
    for name in ("vectors.npy", "words.txt", "index.npy"):
        whole = (folder / name).read_bytes()
        for broken in (b"", whole[: len(whole) // 2]):
            (folder / name).write_bytes(broken)
            with pytest.raises(WordVectorsError, match="Delete the folder and try again"):
                load_word_vectors(path)
        (folder / name).write_bytes(whole)
    assert np.array_equal(load_word_vectors(path).vectors, NUMBERS)


def test_all_is_on_the_disk_before_it_can_be_found(tmp_path, cache, monkeypatch):
    synced, fsync = set(), os.fsync

    def watched(file):
        assert [name.endswith(".part") for name in kept(cache)] == [True]
        synced.add(os.fstat(file).st_ino)
        fsync(file)

    monkeypatch.setattr(os, "fsync", watched)
    load_word_vectors(write(tmp_path / "mine.txt", TEXT))
    assert synced == {path.stat().st_ino for path in cache.glob("*/*")} and len(synced) == 3


def test_what_others_keep_in_the_cache_folder_stays(tmp_path, cache):
    (cache / "thesis.part").mkdir(parents=True)
    write(cache / "film.mkv.part", "x")
    load_word_vectors(write(tmp_path / "mine.txt", TEXT))
    assert {"thesis.part", "film.mkv.part"} < set(kept(cache))


def test_the_cache_may_lie_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PE_HELPERS_CACHE", "~/vectors")
    load_word_vectors(write(tmp_path / "mine.txt", TEXT))
    assert kept(tmp_path / "vectors")


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    path = write(tmp_path / "mine.txt", TEXT)
    monkeypatch.setenv("PE_HELPERS_CACHE", str(path / "below"))
    with pytest.raises(WordVectorsError, match=r"cannot be written.*PE_HELPERS_CACHE.*needs no network"):
        load_word_vectors(path)


@pytest.mark.parametrize("step", ["words.txt", "index.npy", "vectors.npy"])
def test_a_full_disk(tmp_path, cache, monkeypatch, step):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = write(tmp_path / "mine.txt", TEXT)
    target = {
        "words.txt": (type(path), "write_bytes"),
        "index.npy": (_vector_files.np, "save"),
        "vectors.npy": (_vector_files, "_npy_header"),
    }[step]
    with monkeypatch.context() as patch:
        patch.setattr(*target, full)
        with pytest.raises(WordVectorsError, match=r"No space left.*Make room.*PE_HELPERS_CACHE"):
            load_word_vectors(path)
    assert kept(cache) == []
    assert np.array_equal(load_word_vectors(path).vectors, NUMBERS)


# --- the network --------------------------------------------------------------------------------------

GZ = gzip.compress(b"500 12\n" + TEXT)
GOOD = "sha256:" + hashlib.sha256(GZ).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """Serves GZ, well or badly: the path says how. `asked` are the paths that were asked for."""

    daemon_threads = True

    def __init__(self):
        self.asked, self.go_on = [], threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)

    def source(self, how, checksum=GOOD):
        return Source(f"http://127.0.0.1:{self.server_address[1]}/{how}", checksum)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        how = self.path.strip("/")
        self.server.asked.append(how)
        if how == "missing":
            return self.send_error(404)
        body = b"<html>Not here</html>" if how == "page" else GZ
        self.send_response(200)
        if how != "unsized":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if how in ("cut", "unsized"):
            return self.wfile.write(body[: len(body) // 2])
        if how in ("stalls", "waits"):
            self.wfile.write(body[:100])
            self.wfile.flush()
            self.server.go_on.wait(20)
            body = body[100:]
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.go_on.set()
    server.shutdown()
    server.server_close()


def test_a_download_is_kept(server, cache, monkeypatch):
    monkeypatch.setitem(DOWNLOADS, "glove.6B.100d", [server.source("good")])
    for _ in range(2):
        assert np.array_equal(load_word_vectors("glove.6B.100d").vectors, NUMBERS)
    assert server.asked == ["good"]
    assert kept(cache) == ["glove.6B.100d-1"]
    assert sorted(path.name for path in (cache / "glove.6B.100d-1").iterdir()) == [
        "index.npy",
        "vectors.npy",
        "words.txt",
    ]


FAULTS = {
    "missing": "the server answers 404 Not Found",
    "page": "what came is not the file",
    "cut": "the server stopped half-way",
    "unsized": "what came is not the file",
    "stalls": "no answer within 0.5 s",
}


@pytest.mark.parametrize("how", FAULTS)
def test_a_download_that_fails(server, cache, monkeypatch, how):
    monkeypatch.setattr(word_vectors, "TIMEOUT", 0.5)
    monkeypatch.setitem(DOWNLOADS, "glove.6B.100d", [server.source(how)])
    with pytest.raises(WordVectorsError, match=FAULTS[how]) as raised:
        load_word_vectors("glove.6B.100d")
    message = str(raised.value)
    assert f"/{how}:" in message and 'load_word_vectors("embedded") needs no network' in message
    assert kept(cache) == []


def test_a_wrong_checksum_and_no_server(server, cache, monkeypatch):
    nobody = Source("http://127.0.0.1:9/", GOOD)
    monkeypatch.setitem(DOWNLOADS, "glove.6B.100d", [server.source("good", "md5:" + "0" * 32), nobody])
    with pytest.raises(WordVectorsError, match=r"another checksum(.|\n)*no connection"):
        load_word_vectors("glove.6B.100d")
    assert kept(cache) == []


def test_the_next_source_is_tried(server, monkeypatch):
    sources = [server.source("missing"), server.source("page"), server.source("good")]
    monkeypatch.setitem(DOWNLOADS, "glove.6B.100d", sources)
    assert np.array_equal(load_word_vectors("glove.6B.100d").vectors, NUMBERS)
    assert server.asked == ["missing", "page", "good"]


def test_a_full_disk_while_downloading(server, cache, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setitem(DOWNLOADS, "glove.6B.100d", [server.source("good"), server.source("good")])
    monkeypatch.setattr("pooch.core.shutil.move", full)
    with pytest.raises(WordVectorsError, match=r"No space left"):
        load_word_vectors("glove.6B.100d")
    assert server.asked == ["good"] and kept(cache) == []


CHILD = """if True:
    import sys, time
    from pe_helpers.words import _vector_files, word_vectors
    source = word_vectors.Source(sys.argv[1], sys.argv[2])
    word_vectors.DOWNLOADS["glove.6B.100d"] = [source]
    if sys.argv[3] == "slow":
        def wait(*arguments):
            print("reading", flush=True)
            time.sleep(20)
        _vector_files._keep_words = wait
    print(len(word_vectors.load_word_vectors("glove.6B.100d")), flush=True)
"""


def child(source, mood="usual"):
    arguments = [sys.executable, "-c", CHILD, source.address, source.checksum, mood]
    return subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"CI": ""}
    )


def wait_until(condition):
    for _ in range(400):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it did not happen within 20 s")


@pytest.mark.parametrize("moment", ["downloading", "reading"])
def test_a_kill_while(moment, server, cache, monkeypatch):
    process = child(server.source("stalls" if moment == "downloading" else "good"), "slow")
    if moment == "downloading":
        wait_until(lambda: server.asked and list(cache.glob("*.part/*")))
    else:
        assert process.stdout.readline() == "reading\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert kept(cache) == ["glove.6B.100d-1.part"]
    monkeypatch.setitem(DOWNLOADS, "glove.6B.100d", [server.source("good")])
    assert np.array_equal(load_word_vectors("glove.6B.100d").vectors, NUMBERS)
    assert kept(cache) == ["glove.6B.100d-1"]


def test_two_processes_at_once(server, cache):
    processes = [child(server.source("waits")) for _ in range(2)]
    wait_until(lambda: server.asked)
    time.sleep(1)  # the other one has come to the lock
    server.go_on.set()
    for process in processes:
        told, problem = process.communicate(timeout=30)
        assert (told, process.returncode) == ("500\n", 0), problem
    assert server.asked == ["waits"] and kept(cache) == ["glove.6B.100d-1"]
