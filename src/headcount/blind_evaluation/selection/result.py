"""Items to have labelled, and the forms in which to have them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.selection.plot import plot_items
from headcount.blind_evaluation.selection.records import ItemsRecord
from headcount.blind_evaluation.selection.text import page_of
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ItemsToLabel"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ItemsToLabel(ItemsRecord):
    """Items to have labelled by a person, with the probability by which each was drawn.

    See :class:`~headcount.blind_evaluation.selection.records.ItemsRecord` for its fields: `items`,
    `label`, `probability`, `number`, `bands`.
    """

    def __len__(self) -> int:
        return self.number

    def page(self) -> Page:
        """Say how many items to have labelled, and how sure the model is of them."""
        return page_of(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return the file to fill in: item, label (blank for new items), probability."""
        return {
            "item": self.items.tolist(),
            "label": self.label.tolist(),
            "probability": self.probability.tolist(),
        }

    def document(self) -> dict[str, Any]:
        """Return what ``to_dict()`` has beside data, options and notes (docs/reference/json.md)."""
        columns = self.columns()
        return {
            "number": self.number,
            "bands": [asdict(band) for band in self.bands],
            "items": [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how sure the model is of items, of all and of those to label (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_items(self, ax)
