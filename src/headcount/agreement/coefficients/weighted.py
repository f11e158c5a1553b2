"""What linear and quadratic weights have in common, whichever kappa they are of."""

from __future__ import annotations

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.prepare import Prepared
from headcount.agreement.scales.distances import Distance, Linear, Quadratic

__all__ = ["LinearWeights", "QuadraticWeights"]


class LinearWeights(Coefficient):
    """A disagreement counts by the difference of labels, or of their places."""

    nominal = False

    def distance(self, data: Prepared) -> Distance:
        """Difference of what labels are worth."""
        return Linear(data.numbers)

    def undefined(self, data: Prepared) -> str | None:
        """Say if labels have no order."""
        if not data.ordered:
            return "labels have no order"
        return super().undefined(data)


class QuadraticWeights(LinearWeights):
    """A disagreement counts by the squared difference of labels, or of their places."""

    def distance(self, data: Prepared) -> Distance:
        """Squared difference of what labels are worth."""
        return Quadratic(data.numbers)
