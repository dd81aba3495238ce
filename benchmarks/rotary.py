"""Turning queries and keys by their positions, in multiples of a plain copy of both.

Every number has to be read and written once, which is what a copy does; so a copy is the unit. All is
measured twice, with memory that is used again, and with fresh memory. Everybody has its table of cosines and
sines at hand, as within a model; two lines say what it costs to make ours each time.

Where there is CUDA: the same in bfloat16, as a share of the bandwidth of a copy on the device, beside
transformers, as it is and compiled, and the Triton kernel of liger-kernel, which rotates in place.
"""

import math
import os
import shutil
import sys
import warnings

from benchmarks.side_by_side import print_table, ratio, run_here_in_both_memories, time_in_turn

SHAPE = 1, 32, 2048, 128  # batch, heads, positions, columns
CUDA_SHAPE = 4, 32, 2048, 128
HALF, INTERLEAVED = "half", "interleaved"


def measure_cpu():
    import torch

    torch.set_num_threads(1)
    q, k = torch.randn(2, *SHAPE, generator=torch.Generator().manual_seed(0))
    candidates = ours(q, k) | peers(q, k)
    check(candidates, q, k)
    seconds = time_in_turn({"copy": lambda: (q.clone(), k.clone())} | candidates, rounds=21)
    print_table(seconds)
    for name in candidates:
        print(f"  {name:44} {ratio(seconds, name, 'copy'):5.2f} copies")


def ours(q, k):
    import torch

    from pe_helpers import angle_rates, apply_rotary, rotary_table, rotate_pairs

    length, d = q.shape[-2:]
    table = rotary_table(torch.arange(length), angle_rates(d))

    def with_table(turn, layout):
        return lambda: [turn(x, table, layout=layout) for x in (q, k)]

    def without_table(layout):
        return lambda: [apply_rotary(x, length, layout=layout) for x in (q, k)]

    found = {}
    for layout in (INTERLEAVED, HALF):
        found[f"pe_helpers, {layout}"] = with_table(rotate_pairs, layout)
        if shutil.which(os.environ.get("CXX", "g++")):
            found[f"pe_helpers, torch.compile, {layout}"] = with_table(torch.compile(rotate_pairs), layout)
        found[f"pe_helpers, table made twice, {layout}"] = without_table(layout)
    return found


def peers(q, k):
    """The libraries that are installed, each in its own layout."""
    import torch

    from pe_helpers import angles

    found = {}
    try:
        from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
    except ImportError:
        print("  not installed: transformers")
    else:
        theta = torch.asarray(angles(q.shape[-2], q.shape[-1])).repeat(1, 2)[None]
        cosine, sine = theta.cos().to(q.dtype), theta.sin().to(q.dtype)
        found[f"transformers, {HALF}"] = lambda: apply_rotary_pos_emb(q, k, cosine, sine)
    try:
        from rotary_embedding_torch import RotaryEmbedding
    except ImportError:
        print("  not installed: rotary-embedding-torch (benchmarks/requirements.txt)")
    else:
        turn = RotaryEmbedding(q.shape[-1]).requires_grad_(False).rotate_queries_or_keys
        found[f"rotary-embedding-torch, {INTERLEAVED}"] = lambda: [turn(q), turn(k)]
    return found


def check(candidates, q, k):
    """All of them turn by the same angles; those that form angles in float32 are off by 1e-4 rad at 2,047."""
    from pe_helpers import apply_rotary

    for name, function in candidates.items():
        layout = name.rsplit(", ")[-1]
        for x, turned in zip((q, k), function(), strict=True):
            exact = apply_rotary(x.double(), x.shape[-2], layout=layout)
            assert (turned - exact).abs().max() < 2e-3, name


def measure_cuda():
    import torch
    from triton.testing import do_bench  # comes with torch for CUDA; empties the cache before every run

    from pe_helpers import angle_rates, rotary_table, rotate_pairs
    from pe_helpers.models import RotaryPositions

    q, k = torch.randn(2, *CUDA_SHAPE, dtype=torch.bfloat16, device="cuda")
    length, d = q.shape[-2:]
    table = rotary_table(torch.arange(length, device="cuda"), angle_rates(d), dtype="float32")
    moved = 2 * (q.nbytes + k.nbytes)  # read and written

    parts = torch.stack([table.real, table.imag])  # torch.compile makes no code for complex numbers

    @torch.compile(dynamic=False)
    def turn_both(q, k, layout):
        return rotate_pairs(q, parts, layout=layout), rotate_pairs(k, parts, layout=layout)

    rotary = RotaryPositions(length, d).to("cuda")

    candidates = {"copy": lambda: (q.clone(), k.clone())}
    for layout in (INTERLEAVED, HALF):
        candidates[f"pe_helpers, {layout}"] = lambda layout=layout: [
            rotate_pairs(x, table, layout=layout) for x in (q, k)
        ]
        candidates[f"pe_helpers, torch.compile, {layout}"] = lambda layout=layout: turn_both(q, k, layout)
    name = f"RotaryPositions, torch.compile, {INTERLEAVED}"
    candidates |= {name: torch.compile(lambda: rotary(q, k), dynamic=False)} | peers_on_cuda(q, k)
    copy = math.nan
    for name, function in candidates.items():
        if name != "copy":
            layout = name.rsplit(", ")[-1]
            for x, turned in zip((q, k), function(), strict=True):
                exact = rotate_pairs(x.float(), table, layout=layout)
                # some form the products in bfloat16: 2^-8 of each of the two, which may cancel
                torch.testing.assert_close(turned.float(), exact, rtol=2**-8, atol=2**-4)
        took = do_bench(function, return_mode="median") / 1000
        copy = took if name == "copy" else copy
        speed = moved / took / 1e9
        print(f"  {name:44} {1e6 * took:8.1f} µs {speed:6.0f} GB/s, {copy / took:.0%} of the copy's")


def peers_on_cuda(q, k):
    """Two libraries in their own layout, with their cosines and sines at hand, in bfloat16."""
    import torch

    from pe_helpers import angles

    length, d = q.shape[-2:]
    theta = torch.asarray(angles(length, d), device="cuda").repeat(1, 2)[None]  # (1, length, d)
    cosine, sine = theta.cos().to(q.dtype), theta.sin().to(q.dtype)
    found = {}
    try:
        from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
    except ImportError:
        print("  not installed: transformers")
    else:
        compiled = torch.compile(apply_rotary_pos_emb, dynamic=False)
        found[f"transformers, {HALF}"] = lambda: apply_rotary_pos_emb(q, k, cosine, sine)
        found[f"transformers, torch.compile, {HALF}"] = lambda: compiled(q, k, cosine, sine)
    try:
        from liger_kernel.ops.rope import rope_forward
    except ImportError:
        print("  not installed: liger-kernel")
    else:  # it wants the memory of (batch, positions, heads, columns), and writes into what it is given
        own = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k)]
        found[f"liger-kernel, in place, {HALF}"] = lambda: rope_forward(*own, cosine, sine)[:2]
    return found


def main():
    print(f"q and k of {SHAPE}, float32, one thread, medians of 21 rounds in turn (lowest to highest)")
    run_here_in_both_memories("benchmarks.rotary")

    import torch

    if torch.cuda.is_available():
        print(f"{torch.cuda.get_device_name()}, q and k of {CUDA_SHAPE}, bfloat16")
        measure_cuda()
    else:
        print("no CUDA here: the GPU is not measured")


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "Dynamo detected")
    measure_cpu() if "--here" in sys.argv else main()
