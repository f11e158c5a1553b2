"""What :func:`headcount.anchor_items` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.pairwise.anchoring.search.plot import plot_anchoring
from headcount.pairwise.anchoring.search.records import AnchoringRecord
from headcount.pairwise.anchoring.search.text import anchoring_page
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Anchoring"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Anchoring(AnchoringRecord):
    """Items on their way to a place among anchors, and what to ask next.

    Parameters
    ----------
    items : tuple of SoughtItem
        The highest first.
    left, right : arrays
        Pairs to ask next, the sought item on the left; none once all items have their place.
    average : Estimate or None
        Mean rating of the items, if they stand for a population.
    probability : (anchors,) array or None
        That each anchor lies above that average.
    state : AnchoringState
        What the next step needs.
    file : str or None
        Where pairs were written, if they were.
    provenance : Provenance
    notes : tuple of Note
    """

    def labels(self) -> dict[str, list[Any]]:
        """Return a row an anchor: `item`, `rating`, `label` and `probability` of being above.

        Labels say on which side of the average of the other population an anchor lies; they are
        blank where items were named.
        """
        found: list[float | None] = [None] * len(self.state.anchors)
        if self.probability is not None:
            found = [float(p) for p in self.probability]
        return {
            "item": list(self.state.anchors),
            "rating": list(self.state.rating),
            "label": [None if p is None else "above" if p >= 0.5 else "below" for p in found],
            "probability": found,
        }

    def page(self) -> Page:
        """Say whether items have their place, and what to ask next."""
        return anchoring_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return the pairs to ask next; once there are none, a row an item."""
        if not self.done:
            return {"left": self.left.tolist(), "right": self.right.tolist()}
        return {
            "item": [each.item for each in self.items],
            "rating": [each.rating.value for each in self.items],
            "low": [each.rating.low for each in self.items],
            "high": [each.rating.high for each in self.items],
            "rank": [each.rank.value for each in self.items],
            "answers": [each.answers for each in self.items],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to a step in its JSON document."""
        labels = self.labels()
        return {
            "done": self.done,
            "items": [
                {
                    "item": each.item,
                    "rating": each.rating.to_dict(),
                    "rank": each.rank.to_dict(),
                    "answers": each.answers,
                    "done": each.done,
                }
                for each in self.items
            ],
            "pairs": [
                {"left": left, "right": right}
                for left, right in zip(self.left.tolist(), self.right.tolist(), strict=True)
            ],
            "average": None if self.average is None else self.average.to_dict(),
            "anchors": [
                dict(zip(labels, row, strict=True)) for row in zip(*labels.values(), strict=True)
            ],
            "file": self.file,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw where the items lie among the anchors (needs matplotlib)."""
        return plot_anchoring(self, ax)
