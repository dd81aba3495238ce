"""The table of 8,192 positions × 512 dimensions on one thread, against the usual ways to make it.

All is measured twice, with memory that is used again, and with fresh memory, as for a table made once.

Where there is CUDA: the same table there, as a share of the bandwidth of a fill.
"""

import math
import sys

from benchmarks.side_by_side import print_table, ratio, run_here_in_both_memories, time_in_turn

LENGTH, D_MODEL = 8192, 512
LONGER = 131_072  # of CUDA's second table: 268 MB, more than a cache holds


def measure():
    import numpy as np
    import torch

    from pe_helpers import sinusoidal

    torch.set_num_threads(1)

    def double_loop():
        table = np.zeros((LENGTH, D_MODEL))
        for p in range(LENGTH):
            for i in range(0, D_MODEL, 2):
                angle = p / 10_000 ** (i / D_MODEL)
                table[p, i] = math.sin(angle)
                table[p, i + 1] = math.cos(angle)
        return table

    def numpy_vectorised():
        angle = np.arange(LENGTH)[:, None] / 10_000 ** (np.arange(0, D_MODEL, 2) / D_MODEL)
        table = np.zeros((LENGTH, D_MODEL))
        table[:, 0::2] = np.sin(angle)
        table[:, 1::2] = np.cos(angle)
        return table

    def torch_usual():
        table = torch.zeros(LENGTH, D_MODEL)
        position = torch.arange(LENGTH).unsqueeze(1)
        rates = torch.exp(torch.arange(0, D_MODEL, 2) * (-math.log(10_000) / D_MODEL))
        table[:, 0::2] = torch.sin(position * rates)
        table[:, 1::2] = torch.cos(position * rates)
        return table

    tensor = torch.arange(LENGTH)
    write32, ours32 = "write 16 MB (np.full, float32)", "pe_helpers, float32"
    write64, ours64 = "write 32 MB (np.full, float64)", "pe_helpers, float64"
    vectorised, usual = "NumPy, vectorised sin and cos (float64)", "torch, the usual code (float32)"
    candidates = {
        vectorised: numpy_vectorised,
        usual: torch_usual,
        ours32: lambda: sinusoidal(LENGTH, D_MODEL, dtype="float32"),
        ours64: lambda: sinusoidal(LENGTH, D_MODEL),
        "pe_helpers, torch float32": lambda: sinusoidal(tensor, D_MODEL, dtype=torch.float32),
        "pe_helpers, float32, half-split": lambda: sinusoidal(
            LENGTH, D_MODEL, dtype="float32", layout="half"
        ),
        write32: lambda: np.full((LENGTH, D_MODEL), 1, np.float32),
        write64: lambda: np.full((LENGTH, D_MODEL), 1.0),
    }
    seconds = time_in_turn(candidates, rounds=21)
    print_table(seconds)
    print_table({"NumPy, double loop (once)": time_in_turn({"loop": double_loop}, 1)["loop"]})
    print(f"  faster than the vectorised NumPy code   {ratio(seconds, vectorised, ours32):5.1f} ×")
    print(f"  faster than the usual torch code        {ratio(seconds, usual, ours32):5.1f} ×")
    print(f"  slower than writing the array, float32  {ratio(seconds, ours32, write32):5.2f} ×")
    print(f"  slower than writing the array, float64  {ratio(seconds, ours64, write64):5.2f} ×")

    positions = np.arange(900_000, 1_000_001)
    exact = sinusoidal(positions.astype(float), 64)  # direct; the tests hold it against 40 digits
    for name, table in {
        "pe_helpers float64": sinusoidal(positions, 64),
        "pe_helpers float32": sinusoidal(positions, 64, dtype="float32"),
    }.items():
        print(f"  largest error up to position 1,000,000, {name}: {abs(table - exact).max():.1e}")
    error = abs(torch_usual().numpy() - sinusoidal(LENGTH, D_MODEL)).max()
    print(f"  largest error of the usual torch code up to position {LENGTH - 1:,}: {error:.1e}")


def measure_cuda():
    import torch
    from triton.testing import do_bench  # comes with torch for CUDA; empties the cache before every run

    from pe_helpers import sinusoidal

    for length in LENGTH, LONGER:
        positions = torch.arange(length, device="cuda")
        exact = sinusoidal(positions.double(), D_MODEL, dtype=torch.float64)
        rates = torch.exp(torch.arange(0, D_MODEL, 2, device="cuda") * (-math.log(10_000) / D_MODEL))

        def usual(positions=positions, rates=rates):
            table = torch.zeros(len(positions), D_MODEL, device="cuda")
            table[:, 0::2] = torch.sin(positions[:, None] * rates)
            table[:, 1::2] = torch.cos(positions[:, None] * rates)
            return table

        candidates = {
            "fill (torch.full, float32)": lambda length=length: torch.full(
                (length, D_MODEL), 1.0, device="cuda"
            ),
            "the usual code (float32)": usual,
            "pe_helpers, float32": lambda positions=positions: sinusoidal(
                positions, D_MODEL, dtype=torch.float32
            ),
        }
        took = {name: do_bench(make, return_mode="median") / 1000 for name, make in candidates.items()}
        fill = next(iter(took.values()))
        for name, make in candidates.items():
            speed, error = 4 * length * D_MODEL / took[name] / 1e9, (make() - exact).abs().max()
            told = "" if took[name] == fill else f", {fill / took[name]:.0%} of the fill's, error {error:.1e}"
            print(f"  {length:7,} positions: {name:28} {1e6 * took[name]:8.1f} µs {speed:6.0f} GB/s{told}")


def main():
    print(f"{LENGTH} × {D_MODEL}, one thread, medians of 21 rounds in turn (lowest to highest)")
    run_here_in_both_memories("benchmarks.encoding")

    import torch

    if torch.cuda.is_available():
        print(f"{torch.cuda.get_device_name()}, {D_MODEL} columns")
        measure_cuda()
    else:
        print("no CUDA here: the GPU is not measured")


if __name__ == "__main__":
    measure() if "--here" in sys.argv else main()
