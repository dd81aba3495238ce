"""Time candidates in turn, round after round, so that a machine that slows down slows them all."""

import os
import random
import statistics
import subprocess
import sys
import time

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
MEMORY = {
    "reused": {"MALLOC_MMAP_THRESHOLD_": str(2**30), "MALLOC_TRIM_THRESHOLD_": str(2**31)},
    "fresh": {"MALLOC_MMAP_THRESHOLD_": str(2**22), "MALLOC_TRIM_THRESHOLD_": str(2**31)},
}


def run_here_in_both_memories(module):
    """Run `python -m module --here` on one thread, twice (glibc only), for results of many megabytes.

    Writing them costs more than the arithmetic, and how much depends on where the memory comes from. First
    the allocator keeps it and hands it out again, then it is fresh from the operating system every time.
    """
    for mood, settings in MEMORY.items():
        print(f"memory {mood}:", flush=True)
        environment = os.environ | ONE_THREAD | settings
        subprocess.run([sys.executable, "-m", module, "--here"], env=environment, check=True)


def time_in_turn(candidates, rounds):
    """{name: seconds of each round} for {name: function}; one more round goes first, uncounted.

    Every round has another order, because what ran before leaves the caches and the memory as it likes.
    """
    shuffle = random.Random(0).shuffle
    order = list(candidates)
    seconds = {name: [] for name in candidates}
    for counted in range(-1, rounds):
        shuffle(order)
        for name in order:
            start = time.perf_counter()
            result = candidates[name]()
            took = time.perf_counter() - start
            del result  # outside the time that is measured
            if counted >= 0:
                seconds[name].append(took)
    return seconds


def ratio(seconds, slower, faster):
    """The median over the rounds of how many times longer `slower` took than `faster`."""
    pairs = zip(seconds[slower], seconds[faster], strict=True)
    return statistics.median(one / other for one, other in pairs)


def print_table(seconds):
    for name, rounds in seconds.items():
        low, middle, high = min(rounds), statistics.median(rounds), max(rounds)
        print(f"  {name:44} {1000 * middle:8.2f} ms   ({1000 * low:.2f} to {1000 * high:.2f})")
