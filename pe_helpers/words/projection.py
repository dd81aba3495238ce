"""Many dimensions to two: principal components whose signs are fixed."""

import numpy as np

from .._arguments import float_array, integer

ALLOWED = "a 2-D array of finite real numbers, a row for each point"


class Projection:
    """Principal component analysis, by NumPy's SVD of the centred rows, with a sign for every component.

    scikit-learn's PCA gives the same; to import it takes 70 MB of every kernel and a second.
    The sign of a principal component is arbitrary; here each component's entry of the largest absolute
    value (the first of several within a part in a million) is positive, so the same data gives the same
    picture with any version of any library.
    `components` is (n, d), `explained` (n,) the share of the variance along each, `mean` (d,).
    """

    def __init__(self, mean, components, explained):
        self.mean, self.components, self.explained = mean, components, explained

    @classmethod
    def fit(cls, x, n=2):
        """The n components along which the rows of `x` vary most.

        x: (points, d), at least 2 points and n dimensions. With fewer points than n + 1, or points that
        coincide, the components left over are 0, and explain 0. Raises ValueError for another shape.
        """
        n = integer("n", n, 1)
        x = float_array("x", x, 2, ALLOWED)
        if len(x) < 2 or x.shape[1] < n:
            raise ValueError(f"x must have at least 2 rows and {n} columns; got shape {x.shape}")
        components, explained = np.zeros((n, x.shape[1])), np.zeros(n)
        mean = x.mean(axis=0)
        spread = abs(x - mean).max()
        if spread > 1e-12 * abs(x).max():  # less is rounding
            _, strengths, axes = np.linalg.svd((x - mean) / spread, full_matrices=False)
            shares = strengths**2 / (strengths**2).sum()
            for row, (axis, share) in enumerate(zip(axes[:n], shares, strict=False)):
                if share > 1e-24:
                    strongest = np.argmax(abs(axis) >= (1 - 1e-6) * abs(axis).max())
                    components[row], explained[row] = axis * np.sign(axis[strongest]), share
        return cls(mean, components, explained)

    def transform(self, x):
        """The coordinates of the rows of `x` in these components, (points, n) float64."""
        x = float_array("x", x, 2, ALLOWED)
        if x.shape[1] != len(self.mean):
            raise ValueError(f"x must have {len(self.mean)} columns, as what was fitted; got {x.shape[1]}")
        return (x - self.mean) @ self.components.T
