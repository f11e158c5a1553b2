"""What a plan of ratings holds, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.planning.components import Components
from headcount.results.base import Result
from headcount.stats.estimate import Estimate

__all__ = ["Design", "PlanRecord", "Target"]


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is wanted of the interval: one of the two.

    Parameters
    ----------
    half_width : float or None
        Half of its width, at most.
    at_least : float or None
        Its lower end, at least.
    """

    half_width: float | None
    at_least: float | None

    def met(self, expected: Estimate) -> bool:
        """Whether an interval is good enough."""
        low, high = expected.low, expected.high
        if low is None or high is None:
            return False
        if self.half_width is not None:
            return (high - low) / 2 <= self.half_width
        return self.at_least is not None and low >= self.at_least


@dataclass(frozen=True, kw_only=True)
class Design:
    """So many ratings of each of so many items, by so many raters.

    Parameters
    ----------
    kind : str
        Why it is listed: "needed" (with so many raters), "safe" (where raters differ as much as
        they may), "more items" or "more raters" (what the money for the plan buys otherwise).
    raters, items, each : int
        Ratings of `each` item: as many as there are raters if all rate everything.
    cost : float or None
        None without a price.
    expected : Estimate
        The coefficient of the pilot with the interval to expect.
    """

    kind: str
    raters: int
    items: int
    each: int
    cost: float | None
    expected: Estimate

    @property
    def ratings(self) -> int:
        """Ratings in all."""
        return self.items * self.each

    @property
    def half_width(self) -> float:
        """Half the width of the interval to expect."""
        e = self.expected
        return float("nan") if e.low is None or e.high is None else (e.high - e.low) / 2

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "raters": self.raters,
            "items": self.items,
            "each": self.each,
            "ratings": self.ratings,
            "cost": self.cost,
            "half_width": self.half_width,
            "expected": self.expected.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PlanRecord(Result):
    """How many items and raters it takes.

    Parameters
    ----------
    coefficient : Coefficient
    scale : str
        What the labels are taken for.
    distance : str or None
        How far apart labels are, where they are sets or have distances of their own.
    pilot : Estimate
        The coefficient on the pilot.
    holds_for : str
        For whom intervals hold, in words.
    target : Target
    price : float or None
        Of one rating.
    components : Components
        Parts of the variance that the plan is made of.
    each : int or None
        Ratings of an item, as in the pilot; None where every rater rates every item.
    designs : tuple of Design
        For each number of raters with which the target can be met, the items that it takes.
    best : Design or None
        The one with the fewest ratings (of a crowd, up to a tenth more if that takes fewer
        raters); None where the target cannot be met.
    few_raters : bool
        Whether the raters of the pilot are too few to show how much others differ.
    safe : Design or None
        What is then enough four times in five; None where they are not too few, or no plan is.
    otherwise : tuple of Design
        What the money for it buys in two other ways: more items for the raters of the pilot, and
        more raters for its items.
    too_few : int or None
        Raters with whom no number of items is enough, at most.
    provenance, notes
        Data, options and version; and what to beware of.
    """

    coefficient: Coefficient
    scale: str
    distance: str | None
    pilot: Estimate
    holds_for: str
    target: Target
    price: float | None
    components: Components
    each: int | None
    designs: tuple[Design, ...]
    best: Design | None
    few_raters: bool
    safe: Design | None
    otherwise: tuple[Design, ...]
    too_few: int | None
