"""How alike are the rows of a matrix? Four measures, each for every pair of rows at once.

All of them take an (L, d) NumPy array or torch tensor and return an (L, L) array of the same kind and
dtype (whole numbers become floating ones), on the same device. They raise ValueError for anything that
is not a 2-D array of finite real numbers.
"""

from .._arguments import as_floating, real_array


def dot_products(x):
    """x_p · x_q, the Gram matrix. For the sinusoidal encoding it is Σ cos ω_i (p - q), hence Toeplitz."""
    x, xp = _rows(x)
    return x @ xp.matrix_transpose(x)


def cosine_similarity(x):
    """x_p · x_q / (‖x_p‖ ‖x_q‖), in [-1, 1]. A row of zeros has similarity 0 with every row."""
    x, xp = _rows(x)
    norms = xp.linalg.vector_norm(x, axis=1, keepdims=True)
    x = x / xp.where(norms > 0, norms, xp.ones_like(norms))
    return xp.clip(x @ xp.matrix_transpose(x), -1.0, 1.0)


def euclidean_distances(x):
    """‖x_p - x_q‖, from ‖x_p‖² + ‖x_q‖² - 2 x_p · x_q; equal rows may come out as far apart as √ε ‖x‖."""
    x, xp = _rows(x)
    gram = x @ xp.matrix_transpose(x)
    squares = xp.linalg.diagonal(gram)
    squared = squares[:, None] + squares[None, :] - 2 * gram
    is_apart = squared > 0  # the gradient of a root at 0 would be infinite
    zero = xp.zeros_like(squared)
    return xp.where(is_apart, xp.sqrt(xp.where(is_apart, squared, zero + 1)), zero)


def pearson_correlation(x):
    """The cosine of the rows after each row's own mean is taken away; 0 for a row that is constant."""
    x, xp = _rows(x)
    is_constant = xp.max(x, axis=1, keepdims=True) == xp.min(x, axis=1, keepdims=True)
    centred = x - xp.mean(x, axis=1, keepdims=True)
    return cosine_similarity(xp.where(is_constant, xp.zeros_like(x), centred))


def _rows(x):
    """(x in a floating dtype, its array namespace), or a ValueError that says what x may be."""
    allowed = "a 2-D array of finite real numbers, one row per position"
    x, xp = real_array("x", x, 2, allowed)
    if 0 in x.shape:
        raise ValueError(f"x must be {allowed}; got shape {tuple(x.shape)}")
    return as_floating(x, xp), xp
