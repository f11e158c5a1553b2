"""The designs that meet a target, and what the same money buys otherwise."""

from __future__ import annotations

import numpy as np

from headcount.agreement.planning.components import Components
from headcount.agreement.planning.records import Design, Target

__all__ = ["LEAST_ITEMS", "find_designs", "same_money"]

RATERS = (*range(2, 11), 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
"""Numbers of raters that are tried."""
LEAST_ITEMS, MOST_ITEMS = 20, 10**6
"""Items of a design: with fewer, intervals do not hold."""
LEAST_RATERS = 3
"""Raters who can show how others would differ."""
STEPS = 200


def find_designs(
    parts: Components, target: Target, level: float, price: float | None
) -> tuple[list[Design], int | None]:
    """For each number of raters, find the fewest items; and with how many raters none is enough."""
    found: list[Design] = []
    too_few: int | None = None
    for raters in RATERS:
        if parts.crossed and raters < LEAST_RATERS:
            continue
        items = _fewest(parts, target, level, raters)
        if items is None:
            too_few = raters if not found else too_few
        else:
            found.append(_design("needed", parts, items, raters, level, price))
    return found, too_few


def same_money(
    best: Design, parts: Components, pilot: tuple[int, int], level: float, price: float | None
) -> list[Design]:
    """Spend as much on more items for the raters of the pilot, or on more raters for its items."""
    items, raters = pilot
    ways = [
        ("more items", best.ratings // raters, raters),
        ("more raters", items, best.ratings // items),
    ]
    return [
        _design(kind, parts, n, m, level, price)
        for kind, n, m in ways
        if n >= LEAST_ITEMS and m >= (LEAST_RATERS if parts.crossed else 2)
    ]


def _design(
    kind: str, parts: Components, items: int, raters: int, level: float, price: float | None
) -> Design:
    return Design(
        kind=kind,
        raters=raters,
        items=items,
        cost=None if price is None else price * items * raters,
        expected=parts.expect(items, raters, level),
    )


def _fewest(parts: Components, target: Target, level: float, raters: int) -> int | None:
    """Find the fewest items that meet the target with so many raters; None if none do.

    With more items the variance falls, but less of it is of items, so that Student's distribution
    has fewer degrees of freedom: the width need not fall all the way. So a grid is gone through
    before the last step is halved.
    """

    def enough(items: int) -> bool:
        return target.met(parts.expect(items, raters, level))

    grid = np.unique(np.geomspace(LEAST_ITEMS, MOST_ITEMS, STEPS).astype(int)).tolist()
    below = LEAST_ITEMS
    for items in grid:
        if enough(items):
            break
        below = items
    else:
        return None
    while items - below > 1:
        middle = (items + below) // 2
        below, items = (below, middle) if enough(middle) else (middle, items)
    return items
