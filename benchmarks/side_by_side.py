"""Time candidates in turn, round after round, so that a machine that slows down slows them all."""

import random
import statistics
import time


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
