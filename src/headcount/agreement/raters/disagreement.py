r"""Coefficients that are one minus observed over expected disagreement, without each rater.

.. math:: \theta = 1 - D_o / D_e, \quad D_o = \sum_i u_i S_i / \sum_i u_i r_i (r_i - 1)

with S_i the sum of the distances of all pairs of ratings of item i, and D_e a function of how often
labels are given. The weights u_i of items, and m_i of ratings among label frequencies, are held
fixed while a rater is left out: an item does not weigh more or less because one of its raters does
not count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from headcount.agreement.raters.influence import Harsher, Influence
from headcount.agreement.raters.rating_table import RatingTable, rater_component
from headcount.agreement.scales.distances import Distance
from headcount.stats.grouping import group_sums
from headcount.stats.ratio import SMALL, ratio
from headcount.typing import Floats

__all__ = ["Chance", "Constant", "Guessing", "Replaced", "Unreplaced", "by_item", "by_rating"]


@dataclass(frozen=True, eq=False)
class Chance(ABC):
    """Expected disagreement, of label frequencies g, by Q = sum_kl g_k g_l d(k, l) and their sum n.

    Parameters
    ----------
    distance : Distance
        d in Q.
    """

    distance: Distance
    follows = True
    """Whether disagreement of all raters alike raises it too."""

    @abstractmethod
    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""

    @abstractmethod
    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """How it changes with Q and with n."""


class Unreplaced(Chance):
    """Two of all ratings, drawn without replacement: Q / (n (n - 1)). Krippendorff's."""

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""
        return ratio(q, n * (n - 1))

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """How it changes."""
        pairs = n * (n - 1)
        return 1 / pairs, -q * (2 * n - 1) / pairs**2


class Replaced(Chance):
    """Two labels drawn with replacement: Q / n^2. Fleiss'."""

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""
        return ratio(q, n**2)

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """How it changes."""
        return 1 / n**2, -2 * q / n**3


@dataclass(frozen=True, eq=False)
class Guessing(Replaced):
    """1 - factor Q / n^2, with Q by nominal distances. Gwet's."""

    factor: float = 1.0
    follows = False

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""
        return 1 - self.factor * ratio(q, n**2)

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """How it changes."""
        by_q, by_n = super().slopes(q, n)
        return -self.factor * by_q, -self.factor * by_n


class Constant(Replaced):
    """1, whatever the labels: what percent agreement compares with."""

    follows = False

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""
        return np.where(n > 0, 1.0, np.nan)

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """Say that it does not change."""
        return 0.0, 0.0


def by_rating(table: RatingTable, distance: Distance, chance: Chance) -> Influence:
    """Every rating of an item with two or more weighs the same: Krippendorff's alpha."""
    n = table.sizes
    paired = n > 1
    return _influence(
        table,
        distance,
        chance,
        pairs=np.divide(1, n - 1, out=np.zeros(len(n)), where=paired),
        margin=paired.astype(np.float64),
    )


def by_item(table: RatingTable, distance: Distance, chance: Chance) -> Influence:
    """Every item weighs the same: percent agreement, Fleiss' kappa, Gwet's coefficients."""
    n = table.sizes
    pairs = np.divide(1, n * (n - 1), out=np.zeros(len(n)), where=n > 1)
    return _influence(table, distance, chance, pairs=pairs, margin=1 / n)


def _influence(
    table: RatingTable, distance: Distance, chance: Chance, *, pairs: Floats, margin: Floats
) -> Influence:
    """Find it from the weights of pairs and of ratings, by entry of the patterns. O(ratings).

    A change of the weight of rating ij by one changes D_o by
    2 u_i (s_ij - (r_i - 1) D_o) / W, where s_ij is its distance from its co-ratings and
    W = sum_i u_i r_i (r_i - 1); with an item all its pairs go, each once.
    """
    far, count = pairs * table.apart(distance), pairs * (table.sizes - 1)
    far_all, count_all = float(table.times @ far), float(table.times @ count)
    observed = far_all / count_all
    own = chance.distance
    label = table.patterns.label
    given = group_sums(label, table.times * margin, len(table.labels.scale))
    spread = own.spread(np.arange(len(given)), given, np.zeros(1, dtype=np.intp))
    q, n = float(given @ spread), float(given.sum())
    expected = float(chance.expected(np.array(q), np.array(n)))
    value = 1 - observed / expected
    by_q, by_n = chance.slopes(q, n)
    apart = (far - count * observed) / count_all
    chancy = (1 - value) * margin * (2 * spread[label] * by_q + by_n)

    rater_n = table.sums_of_raters(margin)
    within = table.within_raters(own, margin[table.entry])
    rater_q = q - 2 * table.sums_of_raters(margin * spread[label]) + within
    left = count_all - 2 * table.sums_of_raters(count)
    seen = ratio(far_all - 2 * table.sums_of_raters(far), left, least=SMALL * count_all)
    chance_left = chance.expected(np.maximum(rater_q, 0.0), n - rater_n)

    return Influence(
        value=value,
        items=table.sums_of_items(-(apart - chancy) / expected),
        ratings=(-(2 * apart - chancy) / expected)[table.entry],
        without=1 - ratio(seen, chance_left, least=SMALL),
        severity=rater_component(table, distance),
        harsher=Harsher(observed, expected, chance.follows),
        item_times=table.labels.item_times,
        rating_times=table.labels.times,
    )
