"""What the tests of the mathematics draw at random."""

import torch
from hypothesis import strategies as st

dimensions = st.integers(1, 48).map(lambda pairs: 2 * pairs)
wide = dimensions.filter(lambda d: d > 2)  # with one pair transformers divides by d - 2
bases = st.floats(1.01, 1e6)
usual_bases = st.floats(100, 1e7)
spacings = st.sampled_from(["paper", "endpoint"])
layouts = st.sampled_from(["interleaved", "half"])
offsets = st.floats(-1000, 1000)
starts = st.integers(-10_000, 10_000)
lengths = st.integers(1, 300)
factors = st.floats(1, 64)  # by which a text is longer than the trained ones
seeds = st.integers(0, 1000)


def queries_and_keys(*shape, dtype=torch.float32, seed=0):
    """Two tensors of this shape in one, of normal numbers."""
    return torch.randn(2, *shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))
