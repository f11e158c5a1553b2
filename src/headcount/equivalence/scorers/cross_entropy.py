"""The logarithm of the probability of the reference label."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.scorers.base import SOFT, Kind
from headcount.equivalence.scorers.sums import SumScorer, expected
from headcount.typing import Floats

__all__ = ["CrossEntropy"]


class CrossEntropy(SumScorer):
    r"""Mean of :math:`\log_2 p_i(y_i)`, in bits: minus the cross-entropy. At most 0.

    Examples
    --------
    >>> from headcount.data.scale import Scale
    >>> scorer = CrossEntropy(Scale(("no", "yes")))
    >>> prediction, reference = np.array([[0.5, 0.5], [1, 0]]), np.array([[1, 0], [1.0, 0]])
    >>> scorer.score(prediction, reference, np.array([1.0, 3.0]))
    array(-0.25)
    """

    name, unit, kinds = "cross-entropy", "bits", SOFT
    unbounded = in_bits = True

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected logarithm of the probability of the reference label."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return expected(np.log2(prediction), reference)
