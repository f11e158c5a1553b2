"""How well random comparisons label items whose ratings are spread in a known way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from headcount.typing import Floats

__all__ = ["Population", "normal_population"]

POINTS = 61
"""Ratings by which a normal distribution is known."""
ROUNDS = 30
MOST_EACH = 2000.0
"""Comparisons an item, beyond which it is not looked for what a target takes."""


@dataclass(frozen=True, eq=False)
class Population:
    r"""Ratings that items may have, and how noisy answers are.

    Comparisons are of random pairs, m an item: an item is in D of them, a Poisson number with
    mean 2m. Each tells :math:`u_k = \sum_l w_l\, p_{kl} (1 - p_{kl}) / \phi` of an item rated
    :math:`\theta_k`, or, since its opponents are not known better than to a variance v, only
    :math:`u_k / (1 + u_k v)`. Items are labelled by the side of the average on which their rating
    comes out, so that the share of labels that are right is

    .. math:: A(m) = \sum_k w_k\, E\, \Phi\!\left(|\theta_k - \bar\theta| \sqrt{D u_k}\right)

    Half of the items are positive, so that this is also f1.

    Parameters
    ----------
    rating, weight : (points,) arrays
        In logits; weights sum to 1.
    noise : float
        :math:`\phi`, the variance of answers as a share of that of coins.
    """

    rating: Floats
    weight: Floats
    noise: float

    def accuracy(self, each: float) -> float:
        """Foresee the share of labels that are right after so many comparisons an item."""
        special: Any = import_module("scipy.special")
        told = self._information(each)
        most = max(int(2 * each + 8 * math.sqrt(2 * each)) + 10, 12)
        degree = np.unique(np.round(np.linspace(0, most, min(most + 1, 200))))
        mass: Floats = special.pdtr(degree, 2 * each)
        mass = np.diff(mass, prepend=0.0)
        gap = np.abs(self.rating - self.weight @ self.rating)
        right: Floats = special.ndtr(gap[:, None] * np.sqrt(degree[None, :] * told[:, None]))
        return float(self.weight @ (right @ mass) / mass.sum())

    def needed(self, target: float) -> float:
        """Comparisons an item for a share of labels that are right; infinite if above 2,000."""
        low, high = -6.0, math.log(MOST_EACH)
        if self.accuracy(MOST_EACH) < target:
            return math.inf
        for _ in range(ROUNDS):
            middle = (low + high) / 2
            enough = self.accuracy(math.exp(middle)) >= target
            low, high = (low, middle) if enough else (middle, high)
        return math.exp((low + high) / 2)

    @cached_property
    def _against_all(self) -> Floats:
        """Information of a comparison about an item of each rating, if opponents were known."""
        gap = self.rating[:, None] - self.rating[None, :]
        return (0.25 / np.cosh(gap / 2) ** 2) @ self.weight / self.noise

    def _information(self, each: float) -> Floats:
        """Information of a comparison about an item of each rating, opponents being uncertain."""
        told = self._against_all
        centred = self.rating - self.weight @ self.rating
        prior = 1 / max(float(self.weight @ centred**2), 1e-12)
        left = 1 / prior
        for _ in range(ROUNDS):
            real = told / (1 + told * left)
            before, left = left, float(self.weight @ (1 / (prior + 2 * each * real)))
            if abs(left - before) < 1e-6 * before:
                break
        return told / (1 + told * left)


def normal_population(spread: float, noise: float) -> Population:
    """Take ratings for normal, with a standard deviation."""
    special: Any = import_module("scipy.special")
    z: Floats = special.ndtri((np.arange(POINTS) + 0.5) / POINTS)
    z *= spread / math.sqrt(float(np.mean(z**2)))
    return Population(z, np.full(POINTS, 1 / POINTS), noise)
