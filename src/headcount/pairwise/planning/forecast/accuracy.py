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
    mean 2m. It is labelled by whether it won more of them than the average item would have, by

    .. math:: \Delta_k = \sum_l w_l\, d_{kl}, \quad d_{kl} = p_{kl} - p_{0l}

    an answer for an item rated :math:`\theta_k`. Answers vary by
    :math:`V_k = \phi u_k (1 + u_k v / \phi) + \sum_l w_l (d_{kl} - \Delta_k)^2` around that, with
    :math:`u_k = \sum_l w_l\, p_{kl} (1 - p_{kl})`, since its opponents are not known better than to
    a variance v, and are not the same. So the share of labels that are right is

    .. math:: A(m) = \sum_k w_k\, E\, \Phi\!\left(|\Delta_k| \sqrt{D / V_k}\right)

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
        told, lead, differing = self._against_all
        variance = self.noise * told * (1 + told / self.noise * self._opponents(each)) + differing
        most = max(int(2 * each + 8 * math.sqrt(2 * each)) + 10, 12)
        degree = np.unique(np.round(np.linspace(0, most, min(most + 1, 200))))
        mass: Floats = special.pdtr(degree, 2 * each)
        mass = np.diff(mass, prepend=0.0)
        z = np.abs(lead) / np.sqrt(variance)
        right: Floats = special.ndtr(z[:, None] * np.sqrt(degree))
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
    def _against_all(self) -> tuple[Floats, Floats, Floats]:
        """Information about an item of each rating, its lead, and how the lead differs."""
        middle = self.weight @ self.rating
        wins = _logistic(self.rating[:, None] - self.rating)
        leads = wins - _logistic(middle - self.rating)
        lead = leads @ self.weight
        return (wins * (1 - wins)) @ self.weight, lead, leads**2 @ self.weight - lead**2

    def _opponents(self, each: float) -> float:
        """Find the variance to which opponents are known after so many comparisons an item."""
        told = self._against_all[0] / self.noise
        centred = self.rating - self.weight @ self.rating
        prior = 1 / max(float(self.weight @ centred**2), 1e-12)
        left = 1 / prior
        for _ in range(ROUNDS):
            real = told / (1 + told * left)
            before, left = left, float(self.weight @ (1 / (prior + 2 * each * real)))
            if abs(left - before) < 1e-6 * before:
                break
        return left


def _logistic(x: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(x / 2))


def normal_population(spread: float, noise: float) -> Population:
    """Take ratings for normal, with a standard deviation."""
    special: Any = import_module("scipy.special")
    z: Floats = special.ndtri((np.arange(POINTS) + 0.5) / POINTS)
    z *= spread / math.sqrt(float(np.mean(z**2)))
    return Population(z, np.full(POINTS, 1 / POINTS), noise)
