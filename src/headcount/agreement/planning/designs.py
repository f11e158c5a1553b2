"""The designs that meet a target, and what the same money buys otherwise."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from headcount.agreement.planning.components import Components
from headcount.agreement.planning.records import Design, Target
from headcount.stats.estimate import Estimate

__all__ = ["CROWD", "LEAST_ITEMS", "RATERS", "Planner"]

RATERS = (*range(2, 11), 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
"""Numbers of raters that are tried."""
CROWD = (150, 200, 300, 500, 1000)
"""More of them, where each rates some of the items only."""
LEAST_ITEMS, MOST_ITEMS = 20, 10**6
"""Items of a design: with fewer, intervals do not hold."""
LEAST_RATERS = 3
"""Raters who can show how others would differ."""
MORE = 1.1
"""How many times the fewest ratings the design of a crowd may have if that takes fewer raters: more
of them cost no more ratings, but must be found."""
STEPS = 200


@dataclass(frozen=True, kw_only=True)
class Planner:
    """What designs are made of, and made for.

    Parameters
    ----------
    parts : Components
    target : Target
    level : float
    price : float or None
    each : int or None
        Ratings of an item; None where every rater rates every item.
    only : int or None
        The raters that there are, where others cannot be planned for.
    """

    parts: Components
    target: Target
    level: float
    price: float | None
    each: int | None
    only: int | None

    def designs(self) -> tuple[list[Design], int | None]:
        """For each number of raters, find the fewest items; and the raters with whom none do."""
        found: list[Design] = []
        too_few: int | None = None
        tried = RATERS if self.each is None else (*RATERS, *CROWD)
        for raters in tried if self.only is None else (self.only,):
            if raters < (self.each or self._least):
                continue
            items = self._fewest(raters)
            if items is None:
                too_few = raters if not found else too_few
            else:
                found.append(self._design("needed", items, raters, self._each(raters)))
        return found, too_few

    def best(self, designs: list[Design]) -> Design | None:
        """Find the design with the fewest ratings; in a crowd, nearly so with fewer raters."""
        fewest = min((one.ratings for one in designs), default=0)
        most = fewest if self.each is None else MORE * fewest
        return next((one for one in designs if one.ratings <= most), None)

    def safe(self) -> Design | None:
        """Find the best design for raters who differ as much as they may."""
        cautious = replace(self, parts=self.parts.cautious)
        best = cautious.best(cautious.designs()[0])
        return None if best is None else replace(best, kind="safe")

    def same_money(self, best: Design, items: int, raters: int) -> list[Design]:
        """Spend as much on more items for a pilot's raters, or on more raters for its items."""
        if self.only is not None:
            return []
        each = self._each(raters)
        many = best.ratings // items
        ways = [
            ("more items", best.ratings // each, raters, each),
            ("more raters", items, round(raters * many / each), many),
        ]
        return [
            self._design(kind, n, m, ratings)
            for kind, n, m, ratings in ways
            if n >= LEAST_ITEMS and ratings >= self._least
        ]

    @property
    def _least(self) -> int:
        return LEAST_RATERS if self.parts.crossed and self.each is None else 2

    def _each(self, raters: int) -> int:
        return raters if self.each is None else self.each

    def _expect(self, items: int, raters: int, each: int) -> Estimate:
        return self.parts.expect(items, raters, each, self.level)

    def _design(self, kind: str, items: int, raters: int, each: int) -> Design:
        return Design(
            kind=kind,
            raters=raters,
            items=items,
            each=each,
            cost=None if self.price is None else self.price * items * each,
            expected=self._expect(items, raters, each),
        )

    def _fewest(self, raters: int) -> int | None:
        """Find the fewest items that meet the target with so many raters; None if none do.

        With more items the variance falls, but less of it is of items, so that Student's
        distribution has fewer degrees of freedom: the width need not fall all the way. So a grid is
        gone through before the last step is halved.
        """

        def enough(items: int) -> bool:
            return self.target.met(self._expect(items, raters, self._each(raters)))

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
