"""Word vectors: what they give, and that no fault of a file, a network or a disk leaves a wrong one."""

import errno
import gzip
import hashlib
import http.server
import io
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pe_helpers import cosine_similarity, euclidean_distances
from pe_helpers.words import Vocabulary, WordVectorsError, load_word_vectors, word_vectors
from tools import ship_word_vectors
from tools.course import ROOT

NUMBERS = np.random.default_rng(0).normal(0, 0.4, (500, 12)).round(5).astype(np.float32)
LINES = [f"w{n} " + " ".join(f"{x:.5f}" for x in row) for n, row in enumerate(NUMBERS)]
TEXT = "\n".join([*LINES, ""]).encode()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("PE_HELPERS_CACHE", str(folder))
    return folder


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def zipped(method=zipfile.ZIP_DEFLATED, **members):
    """The bytes of a zip archive; `a__b="..."` is the file a/b."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return file.getvalue()


# --- what ships ---------------------------------------------------------------------------------------


def test_the_words_that_ship():
    vectors = load_word_vectors()
    assert repr(vectors) == "WordVectors('glove.6B.100d.12000': 12,000 words × 100)"
    assert len(vectors) == 12_000 and vectors.vectors.shape == (12_000, 100) and vectors.d == 100
    assert vectors.vectors.dtype == vectors["king"].dtype == np.float32
    assert not vectors.vectors.flags.writeable
    assert len(set(vectors.words)) == 12_000 and vectors.words[:5] == ["the", ",", ".", "of", "to"]
    for row in (0, 1, 5000, 11_999):
        word = vectors.words[row]
        assert word in vectors and np.array_equal(vectors[word], vectors.vectors[row])
    assert sum(path.stat().st_size for path in word_vectors.SHIPPED.iterdir()) < 5.2e6


def text_of(vectors):
    """The rows as text: the shortest that gives each float32; a whole number as in its source."""
    numbers = [[str(number) for number in row] for row in vectors.vectors]
    numbers[:2604] = [[number.removesuffix(".0") for number in row] for row in numbers[:2604]]
    return "".join(f"{word} {' '.join(row)}\n" for word, row in zip(vectors.words, numbers, strict=True))


def test_they_print_as_in_stanfords_text():
    hash = re.search(r"SHA-256 `(\w{64})`", (ROOT / "data" / "README.md").read_text())[1]
    assert hashlib.sha256(text_of(load_word_vectors()).encode()).hexdigest() == hash


def test_the_labs_facts_on_these_vectors():
    vectors = load_word_vectors()
    words = "king queen man woman dog wolf football basketball red green yellow".split()
    group = np.array([0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3])
    x = np.array([vectors[word] for word in words], float)
    for distances, kept in ((euclidean_distances(x), 11), (-cosine_similarity(x), 10)):
        np.fill_diagonal(distances, np.inf)
        nearest = distances.argmin(axis=1)
        assert (group[nearest] == group).sum() == kept
    assert words[nearest[4]] == "man"  # by cosine the dog is nearest to the man
    cosine = cosine_similarity(x)
    for pair, value in {("king", "queen"): 0.751, ("man", "woman"): 0.832, ("red", "green"): 0.820}.items():
        assert cosine[words.index(pair[0]), words.index(pair[1])] == pytest.approx(value, abs=5e-4)


def test_the_matrix_has_zeros_for_padding_and_unknown_words():
    vectors = load_word_vectors()
    matrix = vectors.matrix(Vocabulary(["king", "zzyzx", "queen"]))
    assert matrix.shape == (5, 100) and matrix.dtype == np.float32
    assert not matrix[[0, 1, 3]].any()
    assert np.array_equal(matrix[[2, 4]], [vectors["king"], vectors["queen"]])


def test_a_set_with_its_own_unk_leaves_unknown_words_at_zero(tmp_path):
    vectors = load_word_vectors(write(tmp_path / "a.txt", "[UNK] 1 2\nking 3 4\n"))
    assert not vectors.matrix(Vocabulary(["zzyzx"])).any()
    assert vectors.matrix(Vocabulary(["king"])).tolist() == [[0, 0], [0, 0], [3, 4]]


@pytest.mark.parametrize("word", ["zzyzx", "", "king\nqueen", "zzzzzz", "\ud800", "日本", 3])
def test_a_word_that_is_not_there(word):
    vectors = load_word_vectors()
    assert word not in vectors
    with pytest.raises(KeyError, match="is not among the 12,000 words"):
        vectors[word]


def test_words_in_upper_case_get_a_hint():
    with pytest.raises(KeyError, match="lower case"):
        load_word_vectors()["King"]


# --- files that are good ------------------------------------------------------------------------------

GOOD = {
    "plain.txt": TEXT,
    "word2vec's first line.txt": b"500 12\n" + TEXT,
    "word2vec's space at the end of a line.txt": TEXT.replace(b"\n", b" \n"),
    "line ends of Windows.txt": TEXT.replace(b"\n", b"\r\n"),
    "a byte-order mark.txt": b"\xef\xbb\xbf" + TEXT,
    "a byte-order mark and a first line.txt": b"\xef\xbb\xbf500 12\n" + TEXT,
    "tabs.txt": TEXT.replace(b" ", b"\t"),
    "two spaces, and empty lines.txt": TEXT.replace(b" ", b"  ").replace(b"\n", b"\n\n"),
    "the last line without end.txt": TEXT[:-1],
    "gzip.gz": gzip.compress(TEXT),
    "zip.zip": zipped(folder__a=TEXT),
}


@pytest.mark.parametrize("form", GOOD)
@pytest.mark.parametrize("chunk", [7, 500, 20_000])
def test_every_form_gives_the_same_numbers(tmp_path, monkeypatch, form, chunk):
    monkeypatch.setattr(word_vectors, "CHUNK", chunk)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vectors = load_word_vectors(write(tmp_path / form, GOOD[form]))
    assert repr(vectors) == f"WordVectors({form!r}: 500 words × 12)" and vectors.vectors.dtype == np.float32
    assert np.array_equal(vectors.vectors, NUMBERS) and not vectors.vectors.flags.writeable
    assert vectors.words == [f"w{n}" for n in range(500)]
    assert all(np.array_equal(vectors[f"w{n}"], NUMBERS[n]) for n in range(500))


def test_a_file_that_changed_is_read_again(tmp_path):
    path = write(tmp_path / "mine.txt", "old 1 2\n")
    before = load_word_vectors(path)
    write(path, "new 3 4\n")
    assert load_word_vectors(str(path)).vectors.tolist() == [[3, 4]] and before["old"].tolist() == [1, 2]


def test_odd_words(tmp_path):
    words = [
        '"',
        '"a',
        "''",
        "#",
        "#b",
        "nan",
        "NA",
        "null",
        "None",
        "TRUE",
        "1.5",
        "-",
        "\\",
        "日本",
        "\x85",
        "\xa0",
        "<unk>",
    ]
    text = "".join(f"{word} {n} {n + 0.5}\n" for n, word in enumerate(words))
    vectors = load_word_vectors(write(tmp_path / "odd.txt", text))
    assert vectors.words == words
    assert all(vectors[word].tolist() == [n, n + 0.5] for n, word in enumerate(words))


EXACT = """0.13823368400335312 0.1382336840033531212345678 1e-0000000000000000005
    0.00000000000000000000000000000012345678901e31 1.00000005960464477540 1.0000000596046448 7.038531e-26
    16777217 -0 .5 5. 007 +3 1E5 1e-4294967297""".split()


@pytest.mark.parametrize("number", EXACT)
def test_numbers_are_exactly_what_their_text_says(tmp_path, number):
    vectors = load_word_vectors(write(tmp_path / "a.txt", f"a {number} 1.5\n"))
    assert vectors["a"].tolist() == [np.float32(float(number)), 1.5]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text("0123456789+-.eEnaif_x\0\t\v é", max_size=7), min_size=1, max_size=3))
def test_no_text_gives_a_wrong_number(tmp_path, fields):
    """Whatever is accepted is what Python makes of the same fields."""
    path = write(tmp_path / "a.txt", "".join(f"w{n} 1.5 {field}\n" for n, field in enumerate(fields)))
    try:
        with np.errstate(all="ignore"):
            vectors = load_word_vectors(path)
    except WordVectorsError:
        return
    rows = [line.split() for line in path.read_text().split("\n")[:-1]]
    assert vectors.words == [word for word, *_ in rows]
    assert vectors.vectors.tolist() == [[np.float32(float(x)) for x in numbers] for _, *numbers in rows]


@pytest.mark.parametrize("text", ["nan", "-inf", "NA", "", "1_0", "0x10", "1,5", "1\x005", "true-ish"])
def test_half_a_column_of_other_text_is_refused(tmp_path, text):
    rows = 30_000  # pandas guesses the kind of a column for some thousand rows at a time
    content = "".join(f"w{n} {text if n < rows / 2 else 1.5} 1.5\n" for n in range(rows))
    with pytest.raises(WordVectorsError, match="must hold a word and d numbers"):
        load_word_vectors(write(tmp_path / "a.txt", content))


def test_real_rows_of_glove(glove_rows):
    """Stanford's own text, read as a user's file, gives the rows that ship."""
    vectors, shipped = load_word_vectors(glove_rows), load_word_vectors()
    assert len(vectors) == 2604 and '"' in vectors and vectors.words == shipped.words[:2604]
    assert np.array_equal(vectors.vectors, shipped.vectors[:2604])


def test_the_script_that_ships_them(tmp_path, capsys):
    path, folder = write(tmp_path / "a.txt", "a 1 2\nb 3 4\nc 5 6\n"), tmp_path / "shipped"
    assert ship_word_vectors.main([str(path), "--folder", str(folder), "--write"]) == 0
    assert load_word_vectors(path).words == word_vectors.read_folder(folder, "").words == ["a", "b", "c"]
    assert ship_word_vectors.main([str(path), "--folder", str(folder)]) == 0
    assert "0 of the 3 shipped rows differ" in capsys.readouterr().out
    write(path, "c 5 7\nx 0 0\nb 3 4\n")
    assert ship_word_vectors.main([str(path), "--folder", str(folder)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["a: no row", "c: 1 numbers, first number 2: 7.0"] and "2 of the 3" in told[2]
    write(path, "a 1 2\nb 3\n")
    with pytest.raises(WordVectorsError, match="word 2"):
        ship_word_vectors.main([str(path), "--folder", str(folder), "--write"])
    assert len(word_vectors.read_folder(folder, "")) == 3  # what shipped before is still there
    assert sorted(tmp_path.iterdir()) == [path, folder]


# --- files that are not -------------------------------------------------------------------------------

BAD = {
    "too few numbers.txt": ("a 1 2\nb 3\n", "word 2, 'b', must have as many finite numbers"),
    "too many numbers.txt": ("a 1 2\nb 3 4 5\n", "Expected 3 fields in line 2, saw 4"),
    "too many in all lines but the first.txt": ("a 1\nb 3 4\nc 5 6\n", "Expected 2 fields in line 2, saw 3"),
    "too few after a good piece.txt": (TEXT + b"w500 1\n", "word 501, 'w500', must have as many"),
    "a word with spaces.txt": ("a 1 2\n. . 3 4\n", "Expected 3 fields in line 2, saw 4"),
    "no word.txt": ("a 1 2\n 3 4\n", "word 2, '3', must have as many"),
    "no numbers.txt": ("a\nb\n", "word 1, 'a', must have as many"),
    "not a number.txt": ("a 1 2\nb 3 4,5\n", "word 2, 'b', must have as many finite numbers"),
    "nan.txt": ("a 1 2\nb nan 4\n", "word 2, 'b', must have"),
    "infinity.txt": ("a 1 2\nb 3 -inf\n", "word 2, 'b', must have"),
    "too large.txt": ("a 1 2\nb 1e39 4\n", "word 2, 'b', must have"),
    "not UTF-8.txt": (b"a 1 2\n\xff\xfe 3 4\n", "can't decode byte 0xff"),
    "a word twice.txt": ("a 1 2\nb 3 4\na 5 6\n", "each word must stand there once; 'a' does 2 times"),
    "empty.txt": ("", "No columns to parse"),
    "gzip of nothing.gz": (gzip.compress(b""), "No columns to parse"),
    "a web page.txt": ("<!DOCTYPE html>\n<html>\n</html>\n", "word 1, '<!DOCTYPE', must have as many"),
    "cut off after a line.txt": ("3 2\na 1 2\nb 3 4\n", "line 1 promises 3 words; 2 came.* get it again"),
    "only a first line.txt": ("3 2\n", "No columns to parse"),
    "half a gzip.gz": (gzip.compress(TEXT)[:-200], "ended before the end-of-stream.* get it again"),
    "a damaged gzip.gz": (gzip.compress(TEXT)[:500] + b"x" * 500, "Error .* decompressing.* get it again"),
    "another checksum.gz": (gzip.compress(TEXT)[:-8] + bytes(8), "CRC check failed.* get it again"),
    "a gzip by another name.txt": (gzip.compress(TEXT), "can't decode byte|a zero byte stands in it"),
    "half a zip.zip": (zipped(a=TEXT)[:-200], "is not a zip file.* get it again"),
    "damaged.zip": (zipped(zipfile.ZIP_STORED, a=TEXT).replace(b"w7 ", b"v7 "), "Bad CRC-32.* again"),
    "an empty zip.zip": (zipped(), "Zero files found in ZIP"),
    "several files.zip": (zipped(a="a 1\n", b="b 1\n"), r"Multiple files found in ZIP.*\['a', 'b'\]"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("fault", BAD)
def test_a_bad_file_is_named(tmp_path, fault):
    content, message = BAD[fault]
    path = write(tmp_path / fault, content)
    with pytest.raises(WordVectorsError, match=message) as raised:
        load_word_vectors(path)
    assert str(raised.value).startswith(f"{path}: ")


def test_a_file_that_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr("pandas.read_csv", lambda *_, **__: (tmp_path / "gone").read_text())
    with pytest.raises(WordVectorsError, match=r"No such file or directory.*gone"):
        load_word_vectors(write(tmp_path / "mine.txt", TEXT))


@pytest.mark.parametrize("name", ["GloVe", "", "glove.6B.50d", "nowhere/file.txt"])
def test_other_names(name):
    with pytest.raises(WordVectorsError, match=r"name must be 'glove.6B.100d.12000', 'glove.6B.100d' or"):
        load_word_vectors(name)


# --- the network, and the cache ------------------------------------------------------------------------

GZ = gzip.compress(b"500 12\n" + TEXT)
HASH = "sha256:" + hashlib.sha256(GZ).hexdigest()
NAME = "glove.6B.100d"


class Server(http.server.ThreadingHTTPServer):
    """Serves GZ, well or badly: the path says how. `asked` are the paths that were asked for."""

    daemon_threads = True

    def __init__(self):
        self.asked, self.go_on = [], threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)

    def source(self, how, checksum=HASH):
        return f"http://127.0.0.1:{self.server_address[1]}/{how}.gz", checksum


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        how = self.path.strip("/").removesuffix(".gz")
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
        if how == "stalls":
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


def test_a_download_is_kept(server, cache, monkeypatch, capsys):
    monkeypatch.setattr(word_vectors, "SOURCE", server.source("good"))
    for _ in range(2):
        vectors = load_word_vectors(NAME)
        assert np.array_equal(vectors.vectors, NUMBERS) and vectors.name == NAME
    assert server.asked == ["good"] and len(list(cache.iterdir())) == 1
    assert "100%" in capsys.readouterr().err  # the progress bar


FAULTS = {
    "missing": "404 Client Error",
    "page": "hash .* does not match the known hash",
    "unsized": "hash .* does not match the known hash",
    "cut": "Connection broken",
    "stalls": "Read timed out",
}


@pytest.mark.parametrize("how", FAULTS)
def test_a_download_that_fails(server, cache, monkeypatch, how):
    monkeypatch.setattr("pooch.downloaders.DEFAULT_TIMEOUT", 0.5)
    monkeypatch.setattr(word_vectors, "SOURCE", server.source(how))
    with pytest.raises(WordVectorsError, match=FAULTS[how]) as raised:
        load_word_vectors(NAME)
    assert f"/{how}.gz: " in str(raised.value) and "which needs no network" in str(raised.value)
    assert not list(cache.iterdir())
    monkeypatch.setattr(word_vectors, "SOURCE", server.source("good"))
    assert np.array_equal(load_word_vectors(NAME).vectors, NUMBERS)


def test_a_download_that_was_damaged_later_is_fetched_again(server, cache, monkeypatch):
    monkeypatch.setattr(word_vectors, "SOURCE", server.source("good"))
    load_word_vectors(NAME)
    (file,) = cache.iterdir()
    file.write_bytes(GZ[:-10])
    assert np.array_equal(load_word_vectors(NAME).vectors, NUMBERS)
    assert server.asked == ["good", "good"]


def test_a_full_disk_while_downloading(server, cache, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(word_vectors, "SOURCE", server.source("good"))
    monkeypatch.setattr("pooch.core.shutil.move", full)
    with pytest.raises(WordVectorsError, match=r"No space left.*not writable\? PE_HELPERS_CACHE"):
        load_word_vectors(NAME)
    assert not list(cache.iterdir())


def test_the_cache_may_lie_in_the_home_folder(server, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PE_HELPERS_CACHE", "~/vectors")
    monkeypatch.setattr(word_vectors, "SOURCE", server.source("good"))
    load_word_vectors(NAME)
    assert list((tmp_path / "vectors").iterdir())


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setenv("PE_HELPERS_CACHE", str(write(tmp_path / "mine.txt", TEXT) / "below"))
    with pytest.raises(WordVectorsError, match=r"below full or not writable\? PE_HELPERS_CACHE"):
        load_word_vectors(NAME)


CHILD = """if True:
    import sys
    from pe_helpers.words import word_vectors
    word_vectors.SOURCE = sys.argv[1:]
    print(len(word_vectors.load_word_vectors("glove.6B.100d")))
"""


def child(source):
    command = [sys.executable, "-c", CHILD, *source]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(condition):
    for _ in range(400):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it did not happen within 20 s")


def test_a_kill_while_downloading(server, cache, monkeypatch):
    process = child(server.source("stalls"))
    wait_until(lambda: server.asked and list(cache.glob("*")))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    monkeypatch.setattr(word_vectors, "SOURCE", server.source("good"))
    assert np.array_equal(load_word_vectors(NAME).vectors, NUMBERS)


def test_two_processes_at_once(server, cache):
    processes = [child(server.source("stalls")) for _ in range(2)]
    wait_until(lambda: len(server.asked) == 2)
    server.go_on.set()
    for process in processes:
        told, problem = process.communicate(timeout=30)
        assert (told, process.returncode) == ("500\n", 0), problem
    assert len(list(cache.iterdir())) == 1
