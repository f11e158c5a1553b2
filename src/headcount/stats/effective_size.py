"""Intervals of shares that are known as well as so many independent items would tell them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.typing import Floats

__all__ = ["share_interval"]


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
