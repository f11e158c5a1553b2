"""What the ratings say of a rater's comparisons when that rater has no part in them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.likelihood.model import Model
from headcount.pairwise.bradley_terry.likelihood.newton import maximise
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.standard_errors.refits import HOLD, TOLERANCE
from headcount.stats.draws import folds
from headcount.typing import Codes, Floats, Ids

__all__ = ["LeftOut", "left_out"]


MOST_FITS = 200
"""Raters, at most, each of whom is left out alone."""
GROUPS = 50
"""Groups of raters that are left out where there are more: ratings lack 2% of the answers then."""


class LeftOut(NamedTuple):
    """Of each comparison, by ratings that its rater did not make.

    Parameters
    ----------
    gap : (comparisons,) array
        Rating of the left item less that of the right one, in logits.
    variance : (comparisons,) array
        Of `gap`, to first order.
    """

    gap: Floats
    variance: Floats

    @property
    def evidence(self) -> Floats:
        r"""The gap, shrunk for being uncertain.

        A logistic curve smeared by a normal error of variance v is nearly a logistic curve of
        :math:`\text{gap} / \sqrt{1 + \pi v / 8}` [1]_.

        References
        ----------
        .. [1] MacKay (1992), The evidence framework applied to classification networks, Neural
           Computation 4(5).
        """
        return self.gap / np.sqrt(1 + np.pi / 8 * self.variance)


def left_out(comparisons: Comparisons, *, prior: float | None, seed: int = 0) -> LeftOut:
    """Rate the items without each rater in turn, and look at that rater's comparisons.

    Ties count as half a win. Every fit starts from the ratings by all, a Newton step or two away.
    Ratings have a prior of 10 logits unless there is a narrower one, since an item may have won all
    that is left of its comparisons.

    Parameters
    ----------
    comparisons : Comparisons
        With raters.
    prior : float or None
        Standard deviation of ratings.
    seed : int
        Puts raters into 50 groups by their names, where more than 200 answered.

    Notes
    -----
    O(comparisons) a step and rater, or group of raters.

    Examples
    --------
    >>> played = Comparisons.from_columns(
    ...     "ababab", "bababa", [1, 0, 1, 0, 1, 1], rater=[1, 1, 2, 2, 3, 3]
    ... )
    >>> left_out(played, prior=1.0).gap.round(2)
    array([ 0.68, -0.68,  0.68, -0.68,  1.48, -1.48])
    """
    if comparisons.rater is None or comparisons.raters is None:
        raise ValueError("left_out needs raters")
    wins = PairWins.of(comparisons, split=True, sided=False, by_rater=False)
    model = Model(wins, prior=HOLD if prior is None else prior)
    start = maximise(model, model.start(), tolerance=TOLERANCE, max_iter=100).point.z
    gap, variance = np.zeros(len(comparisons)), np.full(len(comparisons), np.inf)
    for rows in _held_out(comparisons.rater, comparisons.raters, seed):
        weight = comparisons.weights.copy()
        weight[rows] = 0.0
        rest = replace(model, wins=wins.reweighted(comparisons.outcome, weight))
        point = maximise(rest, start.copy(), tolerance=TOLERANCE, max_iter=50).point
        left, right = comparisons.left[rows], comparisons.right[rows]
        gap[rows] = point.z[left] - point.z[right]
        variance[rows] = 1 / point.diagonal[left] + 1 / point.diagonal[right]
    return LeftOut(gap, variance)


def _held_out(rater: Codes, raters: Ids, seed: int) -> list[Codes]:
    """Comparisons of each rater, or of each group of raters."""
    who, group_of = np.unique(rater, return_inverse=True)
    if len(who) > MOST_FITS:
        group_of = folds(raters[who], GROUPS, seed)[group_of]
    order = np.argsort(group_of, kind="stable")
    ends = np.flatnonzero(np.diff(group_of[order])) + 1
    return [rows for rows in np.split(order, ends) if len(rows)]
