"""Intervals for raters like these: items and raters are both samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.agreement.raters.influence import Influence
from headcount.agreement.raters.panel import Panel
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.base import Ends, IntervalMethod
from headcount.stats.intervals.crossed import RATERS_LIKE_THESE
from headcount.stats.intervals.fisher import Fisher
from headcount.stats.intervals.from_error import LINEARISED

__all__ = ["Crossed", "CrossedVariance", "crossed_variance", "freedom_of"]

SHARE, LEAST_FREEDOM = 0.75, 0.8
"""Degrees of freedom that an effective number of raters n_e is worth, .75 (n_e - 1), and at least.
A sum of squares over raters is far from normal: both were found by simulation, see
docs/studies/agreement.md."""


@dataclass(frozen=True)
class CrossedVariance:
    """The variance of a coefficient when items and raters are both samples.

    Parameters
    ----------
    items, raters, ratings : float
        V_I over items, V_J by leaving out each rater, V_X over single ratings.
    freedom : float
        Degrees of freedom of the sum.
    """

    items: float
    raters: float
    ratings: float
    freedom: float

    @property
    def of_raters(self) -> float:
        """What raters add: single ratings vary in both parts, and count once."""
        return max(self.raters - self.ratings, 0.0)

    @property
    def total(self) -> float:
        """V_I + max(0, V_J - V_X)."""
        return self.items + self.of_raters


def crossed_variance(influence: Influence, panel: Panel, items: int) -> CrossedVariance:
    r"""Find the variance, by an exact delete-a-rater jackknife.

    .. math:: V = V_I + \max(0, V_J - V_X), \quad
        V_I = \tfrac{N}{N-1} \sum_i \phi_i^2, \quad
        V_J = \tfrac{M-1}{M} \sum_j (\theta_{(j)} - \theta)^2, \quad V_X = \sum_{ij} \psi_{ij}^2

    Degrees of freedom are Satterthwaite's, with the raters' part unsubtracted. O(ratings).
    """
    known = ~np.isnan(influence.without)
    raters = panel.raters
    change = influence.without[known] - influence.value
    v_items = items / max(items - 1, 1) * influence.item_squares
    v_raters = (raters - 1) / max(raters, 1) * float((change**2).sum())
    v_ratings = influence.rating_squares
    of_raters = freedom_of(panel.effective)
    total = v_items + max(v_raters - v_ratings, 0.0)
    bottom = v_items**2 / max(items - 1, 1) + v_raters**2 / of_raters
    freedom = total**2 / bottom if bottom > 0 else float(items - 1)
    freedom = max(freedom, min(of_raters, items - 1), LEAST_FREEDOM)
    return CrossedVariance(v_items, v_raters, v_ratings, freedom)


def freedom_of(raters: float) -> float:
    """Degrees of freedom that an effective number of raters is worth."""
    return max(SHARE * (raters - 1), LEAST_FREEDOM)


@dataclass(frozen=True)
class Crossed:
    """A value with Student's interval on Fisher's scale, for other items and raters like these.

    Parameters
    ----------
    value : float
    variance : CrossedVariance
    influence : Influence
    effective : float
        Effective number of raters.
    scale : Fisher
    items : int
        Items used.
    """

    value: float
    variance: CrossedVariance
    influence: Influence
    effective: float
    scale: Fisher
    items: int

    @property
    def error(self) -> float:
        """Standard error on Fisher's scale."""
        return float(np.sqrt(self.variance.total)) * self.scale.slope(self.value)

    def ends(self, level: float) -> Ends:
        """Find the interval.

        Few raters may be alike in severity by luck. So the lower end is at most where it would be
        if the variance of raters were at the upper end of its own interval, from the chi-squared
        distribution of n_e - 1 degrees of freedom.
        """
        error, freedom = float(np.sqrt(self.variance.total)), self.variance.freedom
        low, high = RATERS_LIKE_THESE.ends(
            self.value, error, level, freedom=freedom, scale=self.scale
        )
        return Ends(min(low, self._if_harsher(level)), max(high, self.value))

    def estimate(self, level: float, *, crossed: bool = True) -> Estimate:
        """Make the interval; over items only unless raters are a sample."""
        if crossed:
            low, high = self.ends(level)
            how: IntervalMethod = RATERS_LIKE_THESE
        else:
            error, freedom = float(np.sqrt(self.variance.items)), self.items - 1
            low, high = RATERS_LIKE_THESE.ends(
                self.value, error, level, freedom=max(freedom, 1), scale=self.scale
            )
            how = LINEARISED
        return Estimate(self.value, low=low, high=high, level=level, method=how.name)

    def _if_harsher(self, level: float) -> float:
        from scipy.special import chdtri  # pyright: ignore[reportMissingTypeStubs]

        one, freedom = self.influence, self.effective - 1
        if one.harsher is None or not one.severity or freedom <= 0:
            return self.value
        at_most = freedom / float(chdtri(freedom, (1 + level) / 2))
        return max(one.harsher(one.severity * max(at_most - 1, 0.0)), self.scale.low)

    def at_least(self, least: float) -> float:
        """Confidence that the value is at least so much."""
        from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

        if not self.error:
            return float(self.value >= least)
        away = (self.scale.to(self.value) - self.scale.to(least)) / self.error
        return float(stdtr(self.variance.freedom, away))
