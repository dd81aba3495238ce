"""Reading 400,000 × 100 word vectors of text against the usual loop, and what a cached set costs later.

The file is generated in the form of glove.6B.100d.txt. Every measurement is a process of its own, since
its memory counts too; the candidates take turns.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.side_by_side import print_table, ratio

WORDS, D, ROUNDS = 400_000, 100, 3
LOOP = """
vectors = {}
with open(path, encoding="utf-8") as file:
    for line in file:
        word, *values = line.split(" ")
        vectors[word] = np.asarray(values, dtype="float32")
vectors["word300000"]
"""
READ = """
from pe_helpers.words import load_word_vectors
start = time.perf_counter()
vectors = load_word_vectors(path)
vectors["word300000"]
"""
KEEP = """
from pathlib import Path
from pe_helpers.words.word_vectors import read_text, write_folder
write_folder(read_text(Path(path)), Path(path).parent / "glove.6B.100d")
"""
LOAD = """
from pe_helpers.words import load_word_vectors
start = time.perf_counter()
vectors = load_word_vectors("glove.6B.100d")  # this text, kept as a download is
vectors["word300000"]
"""
MEASURE = """
import json, resource, sys, time
import numpy as np
path = sys.argv[1]
start = time.perf_counter()
{candidate}
seconds = time.perf_counter() - start
{more}
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, {result}]))
"""
SHARED = """
vectors.vectors.sum()  # every page is in memory now
print("ready", flush=True)
sys.stdin.readline()  # until the others have come so far
memory = dict.fromkeys(("Rss", "Pss"), 0)
mapped = False
for line in open("/proc/self/smaps"):
    if "-" in line.split()[0]:
        mapped = line.endswith("vectors.npy\\n")
    elif mapped and line.split(":")[0] in memory:
        memory[line.split(":")[0]] += int(line.split()[1]) / 1024
"""


def generate(path):
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for start in range(0, WORDS, 10_000):
            rows = rng.normal(0, 0.4, (10_000, D))
            for n, row in enumerate(rows, start):
                file.write(f"word{n} " + " ".join(f"{x:.5g}" for x in row) + "\n")


def start(candidate, path, more="", result="None"):
    code = MEASURE.format(candidate=candidate, more=more, result=result)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code, str(path)], **pipes)


def finish(process):
    told, _ = process.communicate("\n")
    if process.returncode:
        raise SystemExit("a measurement failed")
    return json.loads(told.splitlines()[-1])


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.txt"
        generate(path)
        os.environ["PE_HELPERS_CACHE"] = folder
        (Path(folder) / "glove.6B.100d").mkdir()
        finish(start(KEEP, path))
        candidates = {"the loop, line by line": LOOP, "a text file": READ, "a set in the cache": LOAD}
        seconds, memory = ({name: [] for name in candidates} for _ in range(2))
        for _ in range(ROUNDS):
            for name, candidate in candidates.items():
                took, peak, _ = finish(start(candidate, path))
                seconds[name].append(took)
                memory[name].append(peak)
        size = path.stat().st_size / 1e6
        print(
            f"{WORDS:,} × {D}, {size:.0f} MB of text, medians of {ROUNDS} rounds in turn (lowest to highest)"
        )
        print_table(seconds)
        loop, text, kept = candidates
        print(f"  a text file, faster than the loop       {ratio(seconds, loop, text):8.1f} ×")
        print(f"  a set in the cache, faster              {ratio(seconds, loop, kept):8.0f} ×")
        vectors = WORDS * D * 4 / 2**20
        for name, peaks in memory.items():
            print(
                f"  {name:44} {max(peaks):8.0f} MiB at its highest, {max(peaks) / vectors:.1f} × the vectors"
            )
        result = "[memory['Rss'], memory['Pss']]"
        kernels = [start(LOAD, path, SHARED, result) for _ in range(2)]
        for kernel in kernels:
            kernel.stdout.readline()
        shares = []
        for kernel in kernels:  # both still hold their pages
            kernel.stdin.write("\n")
            kernel.stdin.flush()
            shares.append(json.loads(kernel.stdout.readline())[2])
        print(f"  two kernels: {shares[0][0]:.0f} MiB mapped in each, {shares[0][1]:.0f} MiB its share")


if __name__ == "__main__":
    main()
