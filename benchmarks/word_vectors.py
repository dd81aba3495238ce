"""Reading 400,000 × 100 word vectors of text against the usual loop.

The file is generated in the form of glove.6B.100d.txt. Every measurement is a process of its own, since
its memory counts too; the candidates take turns.
"""

import json
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
MEASURE = """
import json, resource, sys, time
import numpy as np
path = sys.argv[1]
start = time.perf_counter()
{candidate}
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def generate(path):
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for start in range(0, WORDS, 10_000):
            rows = rng.normal(0, 0.4, (10_000, D))
            for n, row in enumerate(rows, start):
                file.write(f"word{n} " + " ".join(f"{x:.5g}" for x in row) + "\n")


def measure(candidate, path):
    """Seconds, and MiB at the highest."""
    command = [sys.executable, "-c", MEASURE.format(candidate=candidate), str(path)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.txt"
        generate(path)
        candidates = {"the loop, line by line": LOOP, "load_word_vectors": READ}
        seconds, memory = ({name: [] for name in candidates} for _ in range(2))
        for _ in range(ROUNDS):
            for name, candidate in candidates.items():
                took, peak = measure(candidate, path)
                seconds[name].append(took)
                memory[name].append(peak)
        size = path.stat().st_size / 1e6
        print(
            f"{WORDS:,} × {D}, {size:.0f} MB of text, medians of {ROUNDS} rounds in turn (lowest to highest)"
        )
        print_table(seconds)
        print(f"  load_word_vectors, faster than the loop {ratio(seconds, *candidates):8.1f} ×")
        vectors = WORDS * D * 4 / 2**20
        for name, peaks in memory.items():
            print(
                f"  {name:44} {max(peaks):8.0f} MiB at its highest, {max(peaks) / vectors:.1f} × the vectors"
            )


if __name__ == "__main__":
    main()
