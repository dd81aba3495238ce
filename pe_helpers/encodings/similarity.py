"""How alike are the rows of a matrix? Four measures, each for every pair of rows at once.

All of them take an (L, d) NumPy array or torch tensor and return an (L, L) array of the same kind and dtype
(integers become floating numbers), on the same device. They raise ValueError for anything that is not a 2-D
array of finite real numbers.
"""

from __future__ import annotations

from .._arguments import Array, ArrayLike, as_floating, real_array


def dot_products(x: ArrayLike) -> Array:
    """Return x_p · x_q, the Gram matrix.

    For the sinusoidal encoding it is Σ cos ω_i (p - q): it depends on the distance p - q alone.

    >>> dot_products([[1, 0], [2, 1]]).tolist()
    [[1.0, 2.0], [2.0, 5.0]]
    """
    x, xp = _rows(x)
    return x @ xp.matrix_transpose(x)  # (L, L)


def cosine_similarity(x: ArrayLike) -> Array:
    """Return x_p · x_q / (‖x_p‖ ‖x_q‖), in [-1, 1]. A row of zeros has similarity 0 with every row.

    >>> cosine_similarity([[3, 4], [6, 8], [-4, 3]]).round(4).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    x, xp = _rows(x)
    x = x / _largest(x, xp)
    norms = xp.linalg.vector_norm(x, axis=1, keepdims=True)  # (L, 1)
    x = x / xp.where(norms > 0, norms, 1)
    return xp.clip(x @ xp.matrix_transpose(x), -1.0, 1.0)


def euclidean_distances(x: ArrayLike) -> Array:
    """Return ‖x_p - x_q‖, computed as the root of ‖x_p‖² + ‖x_q‖² - 2 x_p · x_q.

    Rounding may leave equal rows as far apart as √ε ‖x‖, ε being the precision of the dtype.

    >>> euclidean_distances([[0, 0], [3, 4]]).tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """
    x, xp = _rows(x)
    unit = _largest(x, xp, axis=None)  # (1, 1)
    x = x / unit
    gram = x @ xp.matrix_transpose(x)  # (L, L)
    squares = xp.linalg.diagonal(gram)  # (L,)
    squared = squares[:, None] + squares[None, :] - 2 * gram
    is_apart = squared > 0  # the gradient of a root at 0 would be infinite
    return unit * xp.where(is_apart, xp.sqrt(xp.where(is_apart, squared, 1)), 0)


def pearson_correlation(x: ArrayLike) -> Array:
    """Return the cosine of the rows after each row's own mean is subtracted; 0 for a row that is constant.

    >>> pearson_correlation([[1, 2, 3], [30, 20, 10]]).round(4).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    x, xp = _rows(x)
    x = x / _largest(x, xp)
    x = x - x[:, :1]  # changes no correlation, and a constant row is exactly 0 now
    return cosine_similarity(x - xp.mean(x, axis=1, keepdims=True))


def _rows(x):
    """Return (x in a floating dtype, its array namespace), or raise a ValueError that says what x may be."""
    x, xp = real_array("x", x, 2, "a 2-D array of finite real numbers, one row per position")
    return as_floating(x, xp), xp


def _largest(x, xp, axis=1):
    """Return the largest absolute value, or 1 where all is 0; divided by it, no row's square overflows."""
    largest = xp.max(xp.abs(x), axis=axis, keepdims=True)
    return xp.where(largest > 0, largest, 1)
