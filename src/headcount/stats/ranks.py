"""Ranks of ratings, 1 being the best, and how sure they are."""

from __future__ import annotations

import numpy as np

from headcount.errors import OptionError
from headcount.stats.intervals.from_draws import end_positions
from headcount.typing import Codes, Floats

__all__ = ["rank_intervals", "ranks"]


def ranks(ratings: Floats, *, component: Codes | None = None) -> Floats:
    """Rank items: one more than the number of items that are rated higher.

    Ratings that differ by less than a fit can tell (8 digits after the point) share a rank.

    Parameters
    ----------
    ratings : (..., items) array
        Infinite ratings are ranked; nan is not, and neither ranks nor counts.
    component : (items,) array of int, optional
        Items are ranked within each.

    Notes
    -----
    O(n log n) for n items.

    Examples
    --------
    >>> ranks(np.array([0.5, np.inf, -1.0, np.nan, 0.5]))
    array([ 2.,  1.,  4., nan,  2.])
    """
    table = np.atleast_2d(ratings)
    out = np.full(table.shape, np.nan)
    groups = np.zeros(table.shape[1], dtype=np.int64) if component is None else component
    order = np.argsort(groups, kind="stable")
    ends = np.flatnonzero(np.diff(groups[order])) + 1
    for members in np.split(order, ends):
        for row, into in zip(-np.round(table[:, members], 8), out, strict=True):
            # nan sorts to the end, where nobody is rated higher because of it.
            into[members] = np.searchsorted(np.sort(row), row, side="left") + 1.0
    out[np.isnan(table)] = np.nan
    return out.reshape(ratings.shape)


def rank_intervals(
    draws: Floats, *, level: float = 0.95, component: Codes | None = None
) -> tuple[Floats, Floats]:
    """Percentile interval of each item's rank over bootstrap draws.

    Ends are ranks that were drawn, rounded outwards.

    Parameters
    ----------
    draws : (draws, items) array
        Ratings, as the refits of a bootstrap have them. Draws that are nan throughout are left
        out.
    level : float
    component : (items,) array of int, optional
        Items are ranked within each.

    Returns
    -------
    low, high : (items,) arrays
        nan for items without a rating.

    Examples
    --------
    >>> low, high = rank_intervals(np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0]]))
    >>> low, high
    (array([1., 1., 3.]), array([2., 2., 3.]))
    """
    if not 0 < level < 1:
        raise OptionError(f"level must lie between 0 and 1, such as .95, not {level:g}.")
    drawn = draws[~np.isnan(draws).all(axis=1)]
    if not len(drawn):
        none = np.full(draws.shape[1], np.nan)
        return none, none
    table = np.sort(ranks(drawn, component=component), axis=0)
    low, high = end_positions(len(table), level)
    return table[low], table[high]
