"""What :func:`headcount.corrected_rate` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.rate.plot import plot_rate
from headcount.blind_evaluation.rate.records import RateRecord
from headcount.blind_evaluation.rate.text import page_of
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RateResult"]


class RateResult(RateRecord):
    """What share of all items people would call positive, beside what judges say.

    See :class:`~headcount.blind_evaluation.rate.records.RateRecord` for its fields: `rate`,
    `naive`, `people`, `power`, `variance`, `judges`.
    """

    def page(self) -> Page:
        """Say the rate as people would find it, and that of every judge."""
        return page_of(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a judge, and one for all of them (judge is null)."""
        rows = [(one.name, one.naive, one.corrected) for one in self.judges]
        rows.append((None, self.naive, self.rate))
        return {
            "judge": [name for name, *_ in rows],
            "naive": [naive for _, naive, _ in rows],
            **{
                part: [found.to_dict()[part] for *_, found in rows]
                for part in ("value", "low", "high")
            },
        }

    def document(self) -> dict[str, Any]:
        """Return what ``to_dict()`` has beside data, options and notes (docs/reference/json.md)."""
        p = self.provenance
        return {
            "rate": self.rate.to_dict(),
            "naive": self.naive,
            "people_alone": self.people,
            "power": self.power,
            "variance": dict(self.variance),
            "judges": [
                {
                    "name": one.name,
                    "naive": one.naive,
                    "rate": one.corrected.to_dict(),
                    "power": one.power,
                }
                for one in self.judges
            ],
            "positive": p.positive,
            "grades": None if p.positive is not None else [p.lowest, p.highest],
            "rated": {"items": p.rated, "ratings": p.people_ratings, "people": p.people},
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what judges say and what people would say (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_rate(self, ax)
