"""How much the answer to a pair would tell about ratings."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["Information", "bend"]

DRAWS = 64
"""Draws from the posterior: variances of differences are known to 18%."""
SOLVED = 0.03
"""Relative error of draws, small beside their number's."""


class Information:
    r"""What comparisons so far tell about ratings, in Fisher's sense.

    The posterior is taken as normal around `rating`, with precision :math:`H`: the Laplacian of
    the graph of pairs, each weighing :math:`\sum p (1 - p)`, plus the prior's on the diagonal.

    Parameters
    ----------
    rating : (items,) array
    first, second : (comparisons,) arrays of int
    weight : (comparisons,) array of float
    prior : float
        Standard deviation of ratings, in logits: what is known of an item before any comparison.
    rng : Generator

    Notes
    -----
    O((items + pairs) x draws) a step of conjugate gradients, about 20 of them.
    """

    def __init__(
        self,
        rating: Floats,
        first: Codes,
        second: Codes,
        weight: Floats,
        *,
        prior: float,
        rng: np.random.Generator,
    ) -> None:
        n = len(rating)
        self.rating = rating
        key = np.minimum(first, second) * n + np.maximum(first, second)
        self.key, pair = np.unique(key, return_inverse=True)
        self.low, self.high = self.key // n, self.key % n
        each = weight * bend(rating[first] - rating[second])
        self.of_pair = np.bincount(pair, each, len(self.key))
        self.of_item: Floats = np.full(n, prior**-2)
        self.of_item += np.bincount(self.low, self.of_pair, n)
        self.of_item += np.bincount(self.high, self.of_pair, n)
        self.draws = self._draw(prior, rng)

    def shared(self, i: Codes, j: Codes) -> Floats:
        """Look up the information in comparisons of i with j, i before j."""
        wanted = i * len(self.rating) + j
        place = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        return np.where(self.key[place] == wanted, self.of_pair[place], 0.0)

    def variance(self, i: Codes, j: Codes) -> Floats:
        """Estimate the posterior variances of differences in ratings."""
        return np.mean((self.draws[i] - self.draws[j]) ** 2, axis=1)

    def _draw(self, prior: float, rng: np.random.Generator) -> Floats:
        """Draw from N(0, H^-1); items x draws.

        Noise with covariance H is that of each pair, and of the prior, times the square root of
        its information; H^-1 times that has covariance H^-1.
        """
        sparse: Any = import_module("scipy.sparse")  # untyped, and slow to import
        n, pairs = len(self.rating), np.arange(len(self.key))
        ends = np.concatenate([self.low, self.high])
        sign = np.repeat([1.0, -1.0], len(pairs))
        incidence = sparse.csr_array((sign, (np.tile(pairs, 2), ends)), shape=(len(pairs), n))
        noise = rng.normal(size=(len(pairs), DRAWS)) * np.sqrt(self.of_pair)[:, None]
        right = incidence.T @ noise + rng.normal(size=(n, DRAWS)) / prior
        laplacian = incidence.T @ (incidence * self.of_pair[:, None]).tocsr()
        matrix = (laplacian + sparse.diags_array(np.full(n, prior**-2))).tocsr()
        return _solve(matrix, right, self.of_item)


def bend(gap: Floats) -> Floats:
    """Information in one comparison, p (1 - p), from a difference in ratings."""
    return 0.25 / np.cosh(gap / 2) ** 2


def _solve(matrix: Any, right: Floats, diagonal: Floats) -> Floats:
    """Solve H X = B by conjugate gradients, all columns at once, with H's diagonal divided out."""
    x = np.zeros_like(right)
    rest = right.copy()
    z = rest / diagonal[:, None]
    direction, size = z.copy(), np.sum(rest * z, axis=0)
    enough = SOLVED**2 * size
    for _ in range(10 * len(right)):
        if (size <= enough).all():
            break
        image: Floats = matrix @ direction
        step = size / np.sum(direction * image, axis=0)
        x += step * direction
        rest -= step * image
        z = rest / diagonal[:, None]
        before, size = size, np.sum(rest * z, axis=0)
        direction = z + size / before * direction
    return x
