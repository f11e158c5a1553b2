"""The mean of labels that are numbers."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.equivalence.combiners.base import FromCounts
from headcount.equivalence.combiners.frequency import Frequency
from headcount.equivalence.scorers.base import Kind
from headcount.typing import Codes, Floats

__all__ = ["Mean"]


@dataclass(frozen=True)
class Mean(FromCounts):
    r"""The mean of the observed labels, which must be numbers; for the correlation scorer.

    What is kept is the share of each label, whose mean :math:`\sum_l (y_l / k) v_l` the scorer
    takes; with no raters the shares are equal, and the prediction is the same for every item.

    Examples
    --------
    >>> import numpy as np
    >>> Mean().predict(np.array([[1, 3], [0, 0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """

    name: str = "mean"
    kind: Kind = "mean"

    def predict(self, observed: Codes) -> Floats:
        """Share of each label, for each row of label counts."""
        return Frequency(eps=0).predict(observed)
