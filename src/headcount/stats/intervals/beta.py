"""Intervals of shares that are known as well as so many independent items would tell them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.stats.intervals.base import Ends, IntervalMethod
from headcount.typing import Floats

__all__ = [
    "BY_CROWD",
    "BY_GOLD",
    "BY_ITEMS",
    "BY_RATINGS",
    "FROM_SIZE",
    "FromSize",
    "share_interval",
]


def share_interval(
    value: Floats | float, size: Floats | float, level: float
) -> tuple[Floats, Floats]:
    r"""Interval of a share from its effective number of items.

    With :math:`n` items and :math:`x = n \theta` successes it goes from the :math:`\alpha / 2`
    quantile of :math:`\mathrm{Beta}(x + \frac14, n - x + \frac34)` to the :math:`1 - \alpha / 2`
    quantile of :math:`\mathrm{Beta}(x + \frac34, n - x + \frac14)`: half way between the interval
    of Clopper and Pearson and that of Jeffreys. It ends in 0 or 1 where the share does, is never
    of zero width, and always holds the share.

    Parameters
    ----------
    value : array
        Shares; what lies below 0 or above 1 counts as 0 or 1.
    size : array
        Independent items that would tell the share as well: :math:`\theta (1 - \theta)` over its
        variance, or the number of items times what a design gains.
    level : float
        Coverage.

    References
    ----------
    Korn and Graubard (1998), "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data", Survey Methodology 24; Brown, Cai and DasGupta
    (2001), "Interval estimation for a binomial proportion", Statistical Science 16.

    Examples
    --------
    All of 50 items right: at least .939; by Clopper and Pearson .929, by Jeffreys .951.

    >>> low, high = share_interval(1.0, 50.0, 0.95)
    >>> round(float(low), 3), float(high)
    (0.939, 1.0)
    """
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    quantile: Any = special.betaincinv  # pyright: ignore[reportUnknownMemberType]
    share = np.clip(np.asarray(value, dtype=np.float64), 0, 1)
    n = np.maximum(np.asarray(size, dtype=np.float64), 0)
    hits, misses, tail = share * n, (1 - share) * n, (1 - level) / 2
    low = np.asarray(quantile(hits + 0.25, misses + 0.75, tail), dtype=np.float64)
    high = np.asarray(quantile(hits + 0.75, misses + 0.25, 1 - tail), dtype=np.float64)
    return (
        np.where(share <= 0, 0.0, np.minimum(low, share)),
        np.where(share >= 1, 1.0, np.maximum(high, share)),
    )


class FromSize(IntervalMethod):
    """Beta interval of a share that so many independent items would tell as well."""

    undefined = "without items"

    def ends(self, value: float, size: float, level: float) -> Ends:
        """Find the ends."""
        low, high = share_interval(value, size, level)
        return Ends(float(low), float(high))


class ByGold(FromSize):
    """By the number of gold labels, and what votes add to them."""

    name = "beta, effective number of gold labels"
    assumes = "Items with gold labels are a random sample of all; classifiers stay as they are"


class ByCrowd(FromSize):
    """By the number of labels of a classifier, and what the crowd tells of it."""

    name = "beta, labels and crowd"
    assumes = "The model of the truth is right, and classifiers are a sample of those like them"


class ByRatings(FromSize):
    """By the ratings of people, and what judges add to them."""

    name = "beta, effective number of ratings"
    assumes = "Items that people rated are a random sample of all, and raters of other raters"


class ByItems(FromSize):
    """By the items, each of which may have several ratings."""

    name = "beta, effective number of items"
    assumes = "Items are a random sample; the raters are these"


BY_GOLD = ByGold()
BY_CROWD = ByCrowd()
BY_RATINGS = ByRatings()
BY_ITEMS = ByItems()
FROM_SIZE: tuple[IntervalMethod, ...] = (BY_GOLD, BY_CROWD, BY_RATINGS, BY_ITEMS)
