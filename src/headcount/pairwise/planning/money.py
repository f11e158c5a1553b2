"""Amounts of money in words."""

from __future__ import annotations

import math

from headcount.stats.estimate import Estimate

__all__ = ["money", "priced"]

CENTS_BELOW = 100
"""Amount from which on cents are not written."""


def money(x: float, *, cents: bool = True) -> str:
    """Write an amount, with cents if it is small.

    Examples
    --------
    >>> money(12), money(1234.5)
    ('12.00', '1,234')
    """
    return f"{x:,.2f}" if cents and x < CENTS_BELOW else f"{x:,.0f}"


def priced(cost: Estimate) -> str:
    """Write a cost and its interval, all with cents or all without.

    Examples
    --------
    >>> priced(Estimate(66.0, low=18.0, high=1877.0))
    '66 (18 to 1,877)'
    """
    most = cost.bounds[1] if cost.bounds else math.inf
    inside = cost.censored is None and cost.low is not None and cost.high is not None
    amounts = [cost.value, cost.low or 0.0, cost.high or 0.0] if inside else [cost.value]
    cents = min(max(amounts), most) < CENTS_BELOW
    value, *ends = (
        f"more than {money(most, cents=cents)}" if x > most else money(x, cents=cents)
        for x in amounts
    )
    return f"{value} ({' to '.join(ends)})" if ends else value
