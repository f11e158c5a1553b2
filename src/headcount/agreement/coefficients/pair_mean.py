"""Means over pairs of raters, each on the items that both rated."""

from __future__ import annotations

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.prepare import Prepared
from headcount.agreement.rater_pairs.pair_table import kappas, mean_over_pairs, slopes
from headcount.agreement.scales.distances import Distance
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import DELTA
from headcount.typing import Floats, Kernel

__all__ = ["CELL", "PairMean", "too_many_pairs"]

MOST_ROWS = 10**9
"""Pairs of ratings that are gone through at most."""
MOST_KEYS = 2**62
"""Cells, of pairs of raters and of labels, that a number of 64 bits can tell apart."""
FEW_SHARED = 20
"""Items that pairs of raters should share for a mean of their kappas to say much: with fewer, it
comes out low by .02 and more."""
CELL = 40
"""What a cell of the tables costs, in multiplications; a pair of ratings costs one."""


class PairMean(Coefficient):
    """The mean over pairs of raters of a kappa of two.

    Attributes
    ----------
    pooled : bool
        Whether chance is from the labels of both raters together, not from each rater's own.
    """

    by_rater = True
    over_pairs = True
    symbol = "kappa"
    nominal: bool = True
    pooled: bool = False

    def distance(self, data: Prepared) -> Distance:
        """Distance of labels: whether they differ, or by a table of distances."""
        return data.unordered

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on cells of pairs of raters."""
        each = kappas(data.rater_pairs, self.distance(data), pooled=self.pooled)
        return lambda cells: mean_over_pairs(each(cells))

    def undefined(self, data: Prepared) -> str | None:
        """Say if there are too many pairs, or all ratings that can be compared are the same."""
        return too_many_pairs(data) or data.one_paired_label

    def no_value(self, data: Prepared) -> str:
        """Say what all pairs lack."""
        if data.rater_pairs.shared.max() < 2:
            return "no two raters share more than one item"
        return "each pair of raters gave one label only to the items that both rated"

    def slope(self, data: Prepared) -> Floats:
        """How it changes with the count of each cell."""
        kappa, slope = slopes(data.rater_pairs, self.distance(data), pooled=self.pooled)
        return slope / max(int((~np.isnan(kappa)).sum()), 1)

    def interval(
        self, data: Prepared, value: float, level: float, change: Floats | None = None
    ) -> Estimate | None:
        """Find a normal interval by the delta method over items.

        For two raters it is that of Fleiss, Cohen and Everitt (1969).
        """
        if change is None:
            return None
        return _normal(value, float(np.sqrt((change**2).sum())), len(change), level)

    def by_pair(self, data: Prepared, level: float) -> list[Estimate]:
        """Find the kappa of every two raters, with normal intervals."""
        table = data.rater_pairs
        value, slope = slopes(table, self.distance(data), pooled=self.pooled)
        error = np.sqrt(np.add.reduceat(table.count * slope**2, table.start))
        return [
            Estimate(float("nan"), undefined=_why(data, int(items), int(table.label_a[cell])))
            if np.isnan(x)
            else _normal(float(x), float(e), int(items), level)
            for x, e, items, cell in zip(value, error, table.shared, table.start, strict=True)
        ]

    def work(self, data: Prepared) -> int:
        """Pairs of ratings, and cells of the tables."""
        return data.pairs_of_ratings + CELL * len(data.rater_pairs.key)

    def bare(self, data: Prepared) -> bool:
        """Several pairs that share few items: no interval would hold."""
        table = data.rater_pairs
        return len(table) > 1 and float(np.median(table.shared)) < FEW_SHARED

    def biased(self, data: Prepared) -> bool:
        """Low where pairs share few items, and in draws of them again."""
        return len(data.rater_pairs) > 1


def too_many_pairs(data: Prepared) -> str | None:
    """Say if pairs of ratings are too many to go through."""
    q, raters = len(data.labels.scale), len(data.labels.raters)
    if data.pairs_of_ratings > MOST_ROWS or q * q * raters * raters > MOST_KEYS:
        return f"{data.pairs_of_ratings:,} pairs of ratings are too many to go through"
    return None


def _normal(value: float, error: float, items: int, level: float) -> Estimate:
    return Estimate.from_error(value, error, level=level, method=DELTA, n=items, limits=(-1.0, 1.0))


def _why(data: Prepared, items: int, label: int) -> str:
    if items < 2:
        return "they share a single item"
    return f"every rating is '{data.labels.scale.labels[label]}' on the items that both rated"
