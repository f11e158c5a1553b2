"""Statistics of values that stand for several equal ones each."""

from __future__ import annotations

import numpy as np

from headcount.typing import Floats

__all__ = ["repeated_quantiles"]


def repeated_quantiles(values: Floats, shares: Floats, weight: Floats | None = None) -> Floats:
    """Find quantiles of values, each repeated as often as its weight says, without repeating them.

    They are those of :func:`numpy.quantile` on the repeated values, between neighbours linearly.
    O(values log values).

    Examples
    --------
    >>> repeated_quantiles(np.array([1.0, 3.0]), np.array([0.5, 0.75]), np.array([2.0, 2.0]))
    array([2., 3.])
    >>> np.quantile([1, 1, 3, 3], [0.5, 0.75])
    array([2., 3.])
    """
    if weight is None:
        return np.asarray(np.quantile(values, shares), dtype=np.float64)
    order = np.argsort(values, kind="stable")
    ordered, upto = values[order], np.cumsum(weight[order])
    place: Floats = shares * (upto[-1] - 1)

    def at(end: Floats) -> Floats:
        return ordered[np.minimum(np.searchsorted(upto, end, side="right"), len(ordered) - 1)]

    low, high = at(np.floor(place)), at(np.ceil(place))
    return low + (high - low) * (place - np.floor(place))
