"""The share of reference labels that are predicted."""

from __future__ import annotations

from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.scorers.sums import SumScorer, choice, expected
from headcount.typing import Floats

__all__ = ["Agreement"]


class Agreement(SumScorer):
    r"""Share of reference labels that equal the predicted label: mean of :math:`[h(i) = y_i]`.

    A soft prediction counts as its most probable label; labels that tie share the choice.
    """

    name, unit = "agreement", "share of labels"
    by_choice = True

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the probability that the reference label is the one predicted."""
        return expected(choice(prediction, kind), reference)
