"""Many dimensions to two: principal components whose signs are fixed."""

from __future__ import annotations

import numpy as np

from .._arguments import Array, float_array


class Projection:
    """Principal components with fixed signs; points that vary in fewer than n directions are taken, too.

    `components` is (n, d), `explained` (n,) the share of the variance along each, `mean` (d,).
    The sign of a principal component is arbitrary. Here the entry with the largest absolute value is positive
    (the first of them, if several agree to a part in a million), so the same data gives the same picture with
    any version of any library.

    >>> plane = Projection.fit([[0, 0, 1], [0, 0, 3], [1, 0, 2]])
    >>> plane.transform([[0, 0, 4]]).round(2).tolist(), plane.explained.round(2).tolist()
    ([[2.0, -0.33]], [0.75, 0.25])
    """

    def __init__(self, mean: np.ndarray, components: np.ndarray, explained: np.ndarray) -> None:
        self.mean, self.components, self.explained = mean, components, explained

    @classmethod
    def fit(cls, x: Array, n: int = 2) -> Projection:
        """The n components along which the rows of `x` vary most.

        x: (points, d), with at least 2 points and n dimensions. If there are fewer than n + 1 points, or some
        coincide, the components that are left over are 0 and explain 0. Raises ValueError for another shape.
        """
        x = float_array("x", x, 2, "a 2-D array of finite real numbers, a row for each point")
        if len(x) < 2 or x.shape[1] < n:
            raise ValueError(f"x must have at least 2 rows and {n} columns; got shape {x.shape}")
        components, explained = np.zeros((n, x.shape[1])), np.zeros(n)
        mean = x.mean(axis=0)
        _, lengths, axes = np.linalg.svd(x - mean, full_matrices=False)  # (m,) and (m, d), m = min(points, d)
        rank = int((lengths > 1e-12 * abs(x).max()).sum())  # less is rounding
        for row in range(min(n, rank)):
            strongest = np.argmax(abs(axes[row]) >= (1 - 1e-6) * abs(axes[row]).max())
            components[row] = axes[row] * np.sign(axes[row, strongest])
            explained[row] = 1 / ((lengths / lengths[row]) ** 2).sum()
        return cls(mean, components, explained)

    def transform(self, x: Array) -> np.ndarray:
        """The coordinates of the rows of `x` in these components, (points, n) float64.

        Raises ValueError if `x` has not as many columns as the data that was fitted.
        """
        x = float_array("x", x, 2, "a 2-D array of finite real numbers, a row for each point")  # (points, d)
        if x.shape[1] != len(self.mean):
            raise ValueError(f"x must have {len(self.mean)} columns, as the fitted data; got {x.shape[1]}")
        return (x - self.mean) @ self.components.T  # (points, n)
