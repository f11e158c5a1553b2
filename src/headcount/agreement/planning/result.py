"""What :func:`headcount.plan_agreement` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.agreement.planning.plot import plot_designs
from headcount.agreement.planning.records import PlanRecord
from headcount.agreement.planning.text import page
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AgreementPlan"]


class AgreementPlan(PlanRecord):
    """How many items and raters it takes; the fields are those of :class:`PlanRecord`."""

    def page(self) -> Page:
        """Say how many raters should rate how many items."""
        return page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a design: `kind`, `raters`, `items`, `each`, `ratings`, `cost` ...

        `kind` is "needed", "safe", "more items" or "more raters"; `low` and `high` are the interval
        to expect. The last row, of kind "pilot", is the pilot.
        """
        rows = [*self.designs, *([self.safe] if self.safe else []), *self.otherwise]
        pilot, p = self.pilot, self.provenance
        ends = None if pilot.low is None or pilot.high is None else (pilot.high - pilot.low) / 2
        return {
            "kind": [*(one.kind for one in rows), "pilot"],
            "raters": [*(one.raters for one in rows), p.n_raters],
            "items": [*(one.items for one in rows), p.items_used],
            "each": [*(one.each for one in rows), None],
            "ratings": [*(one.ratings for one in rows), p.n_ratings],
            "cost": [*(one.cost for one in rows), None],
            "half_width": [*(one.half_width for one in rows), ends],
            "value": [*(one.expected.value for one in rows), pilot.value],
            "low": [*(one.expected.low for one in rows), pilot.low],
            "high": [*(one.expected.high for one in rows), pilot.high],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to a plan of ratings."""
        parts = self.components
        return {
            "coefficient": self.coefficient.name,
            "scale": self.scale,
            "distance": self.distance,
            "pilot": self.pilot.to_dict(),
            "holds_for": self.holds_for,
            "half_width": self.target.half_width,
            "at_least": self.target.at_least,
            "price": self.price,
            "best": None if self.best is None else self.best.to_dict(),
            "few_raters": self.few_raters,
            "safe": None if self.safe is None else self.safe.to_dict(),
            "designs": [one.to_dict() for one in self.designs],
            "otherwise": [one.to_dict() for one in self.otherwise],
            "too_few_raters": self.too_few,
            "variance": {
                "item": parts.item,
                "item_rating": parts.item_rating,
                "item_pair": parts.item_pair,
                "rater": parts.rater,
                "most_rater": parts.most_rater,
                "rating": parts.rating,
            },
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the width to expect against ratings, for several numbers of raters."""
        return plot_designs(self, ax)
