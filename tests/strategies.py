"""What the tests of the mathematics draw at random, and the rates of transformers."""

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


def rope_config(kind, d_head, base, trained_length, **parameters):
    """A model of transformers with these rotary parameters."""
    from transformers import LlamaConfig  # only where it is used, since it loads slowly

    parameters = {"rope_type": kind, "rope_theta": base, **parameters}
    return LlamaConfig(
        hidden_size=2 * d_head,
        num_attention_heads=2,
        head_dim=d_head,
        max_position_embeddings=trained_length,
        rope_parameters=parameters,
    )


def rates_of_transformers(kind, d_head, base, trained_length, *, length=None, **parameters):
    """(rates as a NumPy array, attention factor) as transformers computes them."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    config = rope_config(kind, d_head, base, trained_length, **parameters)
    rates, attention_factor = ROPE_INIT_FUNCTIONS[kind](config, seq_len=length)
    return rates.numpy(), attention_factor
