"""What the notebooks of the positional-encoding course share.

The mathematics is here at once: `from pe_helpers import sinusoidal, shift_matrix`. What is heavy comes from
its room: `from pe_helpers.figures import live, slider, plots`, `from pe_helpers.words import
load_word_vectors`, `from pe_helpers.models import Transformer`.
"""

from .encodings.bias import alibi_bias, alibi_slopes, t5_bucket
from .encodings.model_config import layers_from_config
from .encodings.rates import (
    dynamic_ntk_rates,
    interpolate_rates,
    llama3_rates,
    ntk_rates,
    yarn_attention_factor,
    yarn_rates,
)
from .encodings.rope_config import rates_from_config, rope_parameters
from .encodings.rotary import apply_rotary, rotary_table, rotate_pairs
from .encodings.similarity import cosine_similarity, dot_products, euclidean_distances, pearson_correlation
from .encodings.sinusoidal import angle_rates, angles, layout_permutation, shift_matrix, sinusoidal

__version__ = "0.1.0"
