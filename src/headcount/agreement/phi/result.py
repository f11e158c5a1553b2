"""What :func:`headcount.phi` returns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.agreement.phi.inference.mu import PhiItems
from headcount.agreement.phi.plot import plot_posterior
from headcount.agreement.phi.records import PhiRecord
from headcount.agreement.phi.text import Verdict, page, summary, verdict, words
from headcount.errors import DataError
from headcount.results.text import Page
from headcount.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PhiItems", "PhiResult"]


class PhiResult(PhiRecord):
    """Phi with its posterior; the fields are those of :class:`PhiRecord`."""

    @property
    def value(self) -> float:
        """Posterior mean; nan if undefined."""
        return self.estimate.value

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""
        return self.estimate.low

    @property
    def high(self) -> float | None:
        """Upper end of the interval."""
        return self.estimate.high

    @property
    def items_used(self) -> int:
        """Items with two ratings or more."""
        return self.provenance.items_used

    @property
    def items_dropped(self) -> int:
        """The other items."""
        return self.provenance.items_dropped

    @property
    def ratings_used(self) -> int:
        """Ratings of the items used."""
        return self.provenance.n_ratings or 0

    @property
    def verdict(self) -> Verdict:
        """What the interval says: agreement above 0, disagreement below; or why it is withheld."""
        return verdict(self)

    @property
    def words(self) -> str:
        """The verdict as a sentence."""
        return words(self)

    @property
    def summary(self) -> str:
        """The verdict with the mode and the probability that Phi > 0."""
        return summary(self)

    @property
    def density(self) -> tuple[Floats, Floats]:
        """Values of Phi and its posterior density there, for a plot; empty if it has none."""
        if self.posterior is None:
            return np.zeros(0), np.zeros(0)
        return self.posterior.density()

    @property
    def has_items(self) -> bool:
        """Whether there are central values of the items."""
        return self.posterior is not None and self.rated is not None

    def items(self, level: float | None = None) -> PhiItems:
        """Find the central value of each item, with an interval.

        O(patterns x nodes); for continuous ratings, items that differ in the sum of their logits
        only are interpolated from 256 of them.
        """
        if level is None or level == self.estimate.level:
            return self._items
        return self._central(options.level(level))

    @cached_property
    def _items(self) -> PhiItems:
        return self._central(self.estimate.level or 0.95)

    def _central(self, level: float) -> PhiItems:
        if self.posterior is None or self.rated is None:
            added = "ratings were added up where they are" if self.posterior else None
            why = added or self.estimate.undefined or "every item is unanimous"
            raise DataError(f"there are no central values without a posterior of Phi: {why}.")
        return self.rated.central(self.posterior, level)

    def page(self) -> Page:
        """Say how much raters agree, by Phi."""
        return page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item: its central value and how its spread compares.

        No rows where there is no posterior.
        """
        return self._items.columns() if self.has_items else PhiItems.no_columns()

    def document(self) -> dict[str, Any]:
        """Return what is particular to Phi."""
        return {
            **self.estimate.to_dict(),
            "undefined": self.estimate.undefined,
            "map": self.map,
            "p_positive": self.p_positive,
            "verdict": self.verdict,
            "method": self.method,
            "limits": None if self.limits is None else list(self.limits),
            "points": self.points,
            "unanimous": self.unanimous,
            "withheld": self.withheld,
            "fitted": None if self.fitted is None else self.fitted.to_dict(),
            "these_raters": None if self.these_raters is None else self.these_raters.to_dict(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the posterior density of Phi, with its interval shaded (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_posterior(self, ax)
