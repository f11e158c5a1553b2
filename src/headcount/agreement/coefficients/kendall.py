"""Kendall's W: how far rankings of the same items go together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.icc import ICC3
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.anova import Jackknife, Sums
from headcount.agreement.raters.influence import Influence
from headcount.stats.intervals.fisher import Fisher
from headcount.stats.ratio import SMALL, ratio
from headcount.stats.sparse import sparse_product
from headcount.typing import Floats, Ints, Kernel

__all__ = ["KendallW", "concordance"]

LEAST_ITEMS = 3
"""Items that a ranking has, at least."""


def concordance(table: Ints, labels: int) -> Kernel:
    r"""Prepare Kendall's W of complete ratings: (draws, items) weights to (draws,).

    .. math:: W = \frac{12 S}{m^2 (n^3 - n) - m \sum_j T_j}, \quad
        S = \sum_i (R_i - \bar R)^2, \quad T_j = \sum_t (t^3 - t)

    where R_i is the sum of the ranks that m raters give to item i, ties have the mean of their
    ranks, and t are the sizes of the ties of rater j. O(ratings) a draw.

    Parameters
    ----------
    table : (items, raters) array of int
        Codes of the ratings, in ascending order.
    labels : int
        Different ratings.

    References
    ----------
    Kendall and Babington Smith (1939), "The problem of m rankings"; Siegel (1956),
    "Nonparametric Statistics", for ties.

    Examples
    --------
    >>> table = np.array([[0, 0, 1], [1, 2, 0], [2, 1, 2]])
    >>> concordance(table, 3)(np.ones((1, 3))).round(3)
    array([0.444])
    """
    items, raters = table.shape
    rows = np.flatnonzero(np.ones(items))
    ones, shape = np.ones(items), (items, labels)
    counts = [sparse_product(rows, column, ones, shape) for column in table.T]

    def found(weight: Floats) -> Floats:
        n = weight.sum(axis=1)
        total, ties = np.zeros(weight.shape), np.zeros(len(weight))
        for column, count in zip(table.T, counts, strict=True):
            given = count(weight)
            rank = np.cumsum(given, axis=1) - (given - 1) / 2
            ties += (given**3 - given).sum(axis=1)
            total += rank[:, column]
        mean = (weight * total).sum(axis=1) / n
        squares = (weight * (total - mean[:, None]) ** 2).sum(axis=1)
        most = raters**2 * (n**3 - n) - raters * ties
        return ratio(12 * squares, np.where(most > SMALL * n**3, most, 0.0))

    return found


class KendallW(Coefficient):
    """Kendall's W."""

    name = "kendall_w"
    title = "Kendall's W"
    symbol = "W"
    chance = "not corrected"
    assumes = (
        "Everybody rated all items, and only the order of a rater's ratings counts; ties have the "
        "mean of their ranks. From 0 to 1; m unrelated rankings give 1/m in the mean. An interval "
        "for raters like these is of W of as many raters."
    )
    corrected = False
    by_rater = True
    resampled = False  # an item that is drawn twice is a tie on which all agree
    least = 0.0

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on items."""
        return concordance(_table(data), len(data.labels.scale))

    def undefined(self, data: Prepared) -> str | None:
        """Say if labels have no order, or somebody did not rate everything."""
        if not data.ordered:
            return "labels on a nominal scale have no order"
        if data.labels.anonymous:
            return "it needs to know who gave which rating"
        if data.incomplete:
            return "it needs everybody's ratings of all items"
        if len(data.labels.items) < LEAST_ITEMS:
            return f"fewer than {LEAST_ITEMS} items are no ranking"
        return data.one_label

    def no_value(self, data: Prepared) -> str:
        """Say that nobody tells items apart."""
        return "every rater gave the same rating to all items"

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it is of rankings, where all ratings are."""
        # A ranking has each rank once; numbers that all differ are ratings, however fine.
        items = len(data.labels.items)
        if len(data.patterns.labels_used()) != items:
            return ""
        ranked = all(len(np.unique(column)) == items for column in _table(data).T)
        return "how far the rankings go together, whatever their numbers" if ranked else ""

    def influence(self, data: Prepared) -> Influence:
        r"""Leave out each item, rater and rating; ranks are held.

        W is :math:`(1 + (m - 1) \rho) / m`, where rho is ICC(3,1) of the ranks: without ties, the
        mean of Spearman's correlations of two raters. So it changes as ICC(3,1) does, and without a
        rater it is W of m others.
        """
        single, raters = ICC3(), data.panel.raters

        def value(sums: Sums) -> Floats:
            return (1 + (raters - 1) * single.value_of(sums, 1.0)) / raters

        table = _table(data)
        ranks = np.column_stack([_mid_ranks(column) for column in table.T])
        labels = data.labels
        rater = (np.cumsum(np.bincount(labels.rater) > 0) - 1)[labels.rater]
        return Jackknife.of(data.ratings, ranks[labels.item, rater]).influence(value)

    def fisher(self, data: Prepared) -> Fisher:
        """Take that of rho, from -1 to 1; W is no less than 0."""
        return _OfRanks(2 / data.panel.raters - 1)

    def work(self, data: Prepared) -> int:
        """Ratings, and labels of each rater."""
        return len(data.labels) + data.panel.raters * len(data.labels.scale)


@dataclass(frozen=True)
class _OfRanks(Fisher):
    """Fisher's transformation, of a number that is no less than 0."""

    def back(self, z: float) -> float:
        return max(super().back(z), 0.0)


def _mid_ranks(codes: Ints) -> Floats:
    """Ranks of codes from 0 on, from 1 to their number; ties have the mean of theirs."""
    given = np.bincount(codes)
    rank: Floats = (np.cumsum(given) - (given - 1) / 2)[codes]
    return rank


def _table(data: Prepared) -> Ints:
    """Give the ratings of everybody of all items, without which it is undefined."""
    table = data.complete_codes
    if table is None:
        raise ValueError("Kendall's W needs everybody's ratings of all items")
    return table
