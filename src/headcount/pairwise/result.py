"""What :func:`headcount.pairs` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import unknown_name
from headcount.pairwise.json_document import document, item_document
from headcount.pairwise.plot import plot_ratings
from headcount.pairwise.records import Dropped, Move, PairsProvenance, PairsRecord, RatedItem
from headcount.pairwise.text import pairs_page
from headcount.results.text import Page
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Dropped", "Move", "PairsProvenance", "PairsResult", "RatedItem"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PairsResult(PairsRecord):
    """Items, best first, and how far to trust it.

    Parameters
    ----------
    items : tuple of RatedItem
        Best first, the largest component first; ``result["name"]`` finds one.
    raters : tuple of ComparingRater or None
        Spammers first, then by score, lowest first; None if they were not to be judged.
    dropped : Dropped or None
        What leaving out spammers changed; None if none was.
    agreement : Repeats or None
        How often answers to the same pair agree; None if no pair was compared twice.
    fit : mapping of str to object
        How the fit went: converged, components, undefeated and more.
    provenance : PairsProvenance
        Data, options and version.
    notes : tuple of Note
        What a reader should know, in sentences.
    rated : Rated
        The ratings as arrays, with the fit and the draws behind intervals.
    compared : Comparisons
        Those that were used.
    """

    def __getitem__(self, name: object) -> RatedItem:
        for item in self.items:
            if str(item.item) == str(name):
                return item
        raise unknown_name("item", str(name), [str(i.item) for i in self.items])

    def probability(self, a: object, b: object) -> Estimate:
        """Estimate the probability that item `a` beats item `b` in one comparison.

        By Bradley-Terry as its fit says (:meth:`headcount.BradleyTerry.probability`); by Elo the
        share of the point that it expects. With a bootstrap, the interval is that of its draws.
        """
        i, j = (self._index(name) for name in (a, b))
        return self.rated.method.probability(self.rated, (a, b), i, j)

    def page(self) -> Page:
        """Write who is best, the table of items, and the raters if they were judged."""
        return pairs_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item, best first."""
        rows = [item_document(i) for i in self.items]
        columns: dict[str, list[Any]] = {"item": [i.item for i in self.items]}
        for key in ("rating", "rank"):
            columns[key] = [row[key]["value"] for row in rows]
            columns |= {f"{key}_{end}": [row[key][end] for row in rows] for end in ("low", "high")}
        for key in ("may_be_first", "label", "probability", "comparisons", "component"):
            columns[key] = [row[key] for row in rows]
        return columns

    def document(self) -> dict[str, Any]:
        """Return items, raters, what dropping spammers changed, and how the fit went."""
        return document(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratings with their intervals, best first (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_ratings(self, ax)

    def _index(self, item: object) -> int:
        index = int(match_ids(as_ids([str(item)]), self.compared.items)[0])
        if index < 0:
            raise unknown_name("item", str(item), [str(i) for i in self.compared.items])
        return index
