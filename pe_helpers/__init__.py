"""What the notebooks of the positional-encoding course share.

The mathematics is here at once: `from pe_helpers import sinusoidal, shift_matrix`. The pictures and the
widgets are imported by those who need them: `from pe_helpers import plots`,
`from pe_helpers.live import live, slider`.
"""

from .similarity import cosine_similarity, dot_products, euclidean_distances, pearson_correlation
from .sinusoidal import angle_rates, angles, layout_permutation, shift_matrix, sinusoidal

__version__ = "0.1.0"
__all__ = [
    "angle_rates",
    "angles",
    "cosine_similarity",
    "dot_products",
    "euclidean_distances",
    "layout_permutation",
    "pearson_correlation",
    "shift_matrix",
    "sinusoidal",
]
