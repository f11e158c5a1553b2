"""What placing items and joining populations return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.errors import unknown_name
from headcount.pairwise.anchoring.plot import plot_joined, plot_placement
from headcount.pairwise.anchoring.records import JoinedRecord, Placed, PlacementRecord
from headcount.pairwise.anchoring.text import joined_page, placement_page
from headcount.results.arrays import to_json
from headcount.results.text import Page
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Joined", "Placement"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Placement(PlacementRecord):
    """Items placed among those of a reference, best first.

    Parameters
    ----------
    items : tuple of Placed
        ``placement["name"]`` finds one.
    reference : int
        Items of the reference.
    provenance : Provenance
    notes : tuple of Note
    """

    def __getitem__(self, name: object) -> Placed:
        for item in self.items:
            if str(item.item) == str(name):
                return item
        raise unknown_name("item", str(name), [str(each.item) for each in self.items])

    def page(self) -> Page:
        """Say where items came out, best first."""
        return placement_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item: `item`, `rating` and `rank` with their ends, `answers`."""
        table: dict[str, list[Any]] = {"item": [each.item for each in self.items]}
        for name in ("rating", "rank"):
            found: list[Estimate] = [getattr(each, name) for each in self.items]
            table[name] = [each.value for each in found]
            table[f"{name}_low"] = [each.low for each in found]
            table[f"{name}_high"] = [each.high for each in found]
        table["answers"] = [each.answers for each in self.items]
        return table

    def document(self) -> dict[str, Any]:
        """Return what is particular to a placement in its JSON document."""
        return {
            "items": [
                {
                    "item": each.item,
                    "rating": each.rating.to_dict(),
                    "rank": each.rank.to_dict(),
                    "answers": each.answers,
                }
                for each in self.items
            ],
            "reference": self.reference,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rating of each item with its interval (needs matplotlib)."""
        return plot_placement(self, ax)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Joined(JoinedRecord):
    """Two populations on one scale, that of the first: its mean is 0.

    Parameters
    ----------
    items_a, items_b : arrays
    rating_a, rating_b : arrays
        In logits; as a fit gives them where they are not finite.
    shift : Estimate
        By how much the mean rating of b is above that of a, over items with finite ratings;
        undefined where bridges do not say.
    bridges : int
    won_by_a : float
        Share of the points of all bridges that items of a took.
    held : bool
        Whether both were rated apart and held; else all comparisons were fitted together.
    provenance : Provenance
    notes : tuple of Note
    """

    def page(self) -> Page:
        """Say how far the populations lie apart, and how all items compare."""
        return joined_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item: `population`, `item` and `rating`."""
        return {
            "population": ["a"] * len(self.items_a) + ["b"] * len(self.items_b),
            "item": [*map(str, self.items_a), *map(str, self.items_b)],
            "rating": [*self.rating_a.tolist(), *self.rating_b.tolist()],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to joined populations in their JSON document."""
        rows = zip(*self.columns().values(), strict=True)
        return {
            "shift": self.shift.to_dict(),
            "bridges": self.bridges,
            "won_by_a": self.won_by_a,
            "held": self.held,
            "items": [
                {"population": population, "item": item, "rating": to_json(rating)}
                for population, item, rating in rows
            ],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratings of both populations on one scale (needs matplotlib)."""
        return plot_joined(self, ax)
