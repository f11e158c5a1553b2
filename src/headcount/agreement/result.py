"""What :func:`headcount.agree` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.agreement.phi.records import NAME
from headcount.agreement.plot import plot_forest
from headcount.agreement.records import Agreement, AgreementProvenance, as_json
from headcount.agreement.text import page
from headcount.errors import unknown_name
from headcount.results.text import Page
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AgreementProvenance", "AgreementResult"]


class AgreementResult(Agreement):
    """Coefficients of agreement with intervals, and who and what disagrees.

    ``result["alpha"]`` is a coefficient; the fields are those of
    :class:`~headcount.agreement.records.Agreement`.
    """

    def __getitem__(self, name: str) -> Estimate:
        if name not in self.coefficients:
            raise unknown_name("coefficient", name, list(self.coefficients))
        return self.coefficients[name]

    @property
    def assumptions(self) -> dict[str, str]:
        """What each coefficient assumes, by name."""
        return {name: one.assumes for name, one in self.kinds.items()}

    def page(self) -> Page:
        """Say how much raters agree, and whether it is more than chance."""
        return page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a coefficient.

        Columns `name`, `title`, `value`, `low`, `high` (None where there is none), `method`,
        `undefined`, `chance` and `assumes`.
        """
        estimates = self.coefficients
        return {
            "name": list(estimates),
            "title": [self.kinds[name].title for name in estimates],
            "value": [None if e.undefined else float(e.value) for e in estimates.values()],
            "low": [e.low for e in estimates.values()],
            "high": [e.high for e in estimates.values()],
            "method": [e.method for e in estimates.values()],
            "undefined": [e.undefined for e in estimates.values()],
            "chance": [self.kinds[name].chance for name in estimates],
            "assumes": [self.kinds[name].assumes for name in estimates],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to agreement; each coefficient is a key."""
        p = self.provenance
        low, median, high = p.ratings_per_item
        return {
            **{name: as_json(estimate) for name, estimate in self.coefficients.items()},
            NAME: None if self.phi is None else self.phi.document(),
            "analytic": {name: as_json(estimate) for name, estimate in self.analytic.items()},
            "assumptions": self.assumptions,
            "raters": [rater.to_dict() for rater in self.raters],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "items": [item.to_dict() for item in self.items],
            "scale": p.scale,
            "scale_guessed": p.scale_guessed,
            "labels": list(p.labels),
            "n_items": {
                "used": p.items_used,
                "single": p.items_single,
                "unrated": p.items_unrated,
            },
            "n_ratings": p.n_ratings,
            "n_raters": p.n_raters,
            "ratings_per_item": {"min": low, "median": median, "max": high},
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw all coefficients with their intervals side by side (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_forest(self, ax)
