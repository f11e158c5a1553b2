"""Items that it would take to know on which side of a mark a value lies."""

from __future__ import annotations

import math
from statistics import NormalDist

__all__ = ["MOST_ITEMS", "MOST_TIMES", "items_needed", "more_items"]

POWER = 0.8
"""Probability with which so many items would decide, if the gap is as large as it seems."""
MOST_TIMES, MOST_ITEMS = 20, 10_000
"""Times the items at hand, and items, from which on a value is too close to its mark to tell."""


def items_needed(gap: float, error: float, items: int, level: float) -> float:
    r"""Items with which an interval clears its mark with a power of 80%, if the gap is as it seems.

    .. math:: n' = n \left( \frac{(z_{(1 + level)/2} + z_{.8}) \, s}{gap} \right)^2

    since a standard error s falls with the square root of the number of items n.

    Parameters
    ----------
    gap : float
        Distance of the value from its mark.
    error : float
        Standard error, on the side of the mark.
    items : int
        Items that it was found with.
    level : float
        Coverage of the interval.

    Examples
    --------
    >>> round(items_needed(0.2, 0.1, 100, 0.95))
    196
    """
    normal = NormalDist()
    reach = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(POWER)
    return math.inf if gap == 0 else items * (reach * error / gap) ** 2


def more_items(needed: float, items: int, *, least: int) -> int | None:
    """Items to label besides, to two digits; None where they would be too many.

    Parameters
    ----------
    needed : float
        As :func:`items_needed` finds them.
    items : int
        Items at hand.
    least : int
        Items below which nothing is decided.

    Examples
    --------
    >>> more_items(196.2, 100, least=30), more_items(4000, 100, least=30)
    (97, None)
    """
    most = min(MOST_TIMES * max(items, least), max(MOST_ITEMS, 2 * items))
    if needed > most:
        return None
    more = max(needed, least) - items
    # Where the interval has a shape of its own, it may take a few items even so.
    more = max(more, 0.1 * items, 1.0)
    step = 10 ** max(math.floor(math.log10(more)) - 1, 0)
    return math.ceil(more / step) * step
