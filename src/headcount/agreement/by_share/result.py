"""What :func:`headcount.agree_by_share` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.agreement.by_share.plot import plot_share
from headcount.agreement.by_share.records import SharePoint, ShareRecord
from headcount.agreement.by_share.text import page
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ShareCurve", "SharePoint"]


class ShareCurve(ShareRecord):
    """Coefficients against the share of items used."""

    @property
    def level(self) -> float:
        """Share of the subsets that an interval holds."""
        return self.provenance.level or 0.0

    @property
    def backend(self) -> str | None:
        """The kind of frame that the data came from."""
        return self.provenance.backend

    def page(self) -> Page:
        """Say how far coefficients move with the share of items used."""
        return page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a share and coefficient: share, items, name, value, low, high."""
        rows = [
            (point.share, point.items, name, None if e.undefined else e.value, e.low, e.high)
            for point in self.points
            for name, e in point.coefficients.items()
        ]
        names = ("share", "items", "name", "value", "low", "high")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def document(self) -> dict[str, Any]:
        """Return what is particular to it: the coefficients at each share."""
        points = [
            {
                "share": point.share,
                "items": point.items,
                **{name: e.to_dict() for name, e in point.coefficients.items()},
            }
            for point in self.points
        ]
        return {"points": points, "repeats": self.repeats}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw coefficients against the share of the items used, with bands.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_share(self, ax)
