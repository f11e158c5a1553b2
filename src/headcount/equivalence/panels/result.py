"""What panels of classifiers are worth, and the forms in which to have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.equivalence.panels.plot import plot_panels
from headcount.equivalence.panels.records import PanelRecord
from headcount.equivalence.panels.text import page_of
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PanelResult"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PanelResult(PanelRecord):
    """What panels of classifiers are worth in raters.

    See :class:`~headcount.equivalence.panels.records.PanelRecord` for its fields: `best`,
    `everyone`, `members`, `same`, `panels`, `curve`.
    """

    def page(self) -> Page:
        """Say what all are worth, then the best panel of each size and what each adds."""
        return page_of(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a panel, best first: size, members, score, raters that it is worth.

        `raters` is plus or minus infinity where it is censored, which files write as null;
        `raters_censored` then says "above" or "below" what surveys can tell.
        """
        return {
            "size": [len(one.members) for one in self.panels],
            "members": [" + ".join(one.members) for one in self.panels],
            "score": [one.score for one in self.panels],
            "raters": [one.worth.value for one in self.panels],
            "raters_censored": [one.worth.censored for one in self.panels],
        }

    def document(self) -> dict[str, Any]:
        """Return what ``to_dict()`` has beside data, options and notes (docs/reference/json.md)."""
        p = self.provenance
        return {
            "everyone": self.everyone.to_dict(),
            "best": [one.to_dict() for one in self.best],
            "classifiers": [one.to_dict() for one in self.members],
            "same": [list(pair) for pair in self.same],
            "panels": [one.to_dict() for one in self.panels],
            "curve": [
                {"k": point.k, "score": point.score.to_dict(), "gain": point.gain.to_dict()}
                for point in self.curve
            ],
            "considered": list(p.considered),
            "largest": p.largest,
            "labels": list(p.labels),
            "scorer": p.scorer,
            "unit": p.unit,
            "max_k": p.max_k,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what panels are worth by their size (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_panels(self, ax)
