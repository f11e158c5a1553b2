"""What :func:`headcount.compare_agreement` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.agreement.comparing.plot import plot_groups
from headcount.agreement.comparing.records import Comparison
from headcount.agreement.comparing.text import page
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AgreementComparison"]


class AgreementComparison(Comparison):
    """Agreement of several groups; the fields are those of :class:`Comparison`."""

    def page(self) -> Page:
        """Say which group agrees more."""
        return page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a group, then one a difference: `kind`, `name`, `value`, `low`, `high`."""
        rows = [("group", one.name, one.agreement) for one in self.groups]
        rows += [("difference", f"{one.a} – {one.b}", one.difference) for one in self.differences]
        return {
            "kind": [kind for kind, _, _ in rows],
            "name": [name for _, name, _ in rows],
            "value": [e.value for _, _, e in rows],
            "low": [e.low for _, _, e in rows],
            "high": [e.high for _, _, e in rows],
            "method": [e.method for _, _, e in rows],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to a comparison."""
        return {
            "coefficient": self.coefficient.name,
            "scale": self.scale,
            "distance": self.distance,
            "holds_for": self.holds_for,
            "groups": [one.to_dict() for one in self.groups],
            "differences": [one.to_dict() for one in self.differences],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the groups with their intervals (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_groups(self, ax)
