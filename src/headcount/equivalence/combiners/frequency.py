"""The share of each label among the raters asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount import options
from headcount.equivalence.combiners.base import FromCounts
from headcount.equivalence.scorers.base import Kind
from headcount.typing import Codes, Floats

__all__ = ["Frequency"]


@dataclass(frozen=True)
class Frequency(FromCounts):
    r"""The frequency of each label in the survey, kept away from 0 and 1.

    :math:`p_l \propto \min(\max(y_l / k, \epsilon), 1 - \epsilon)`; uniform with no raters.

    Parameters
    ----------
    eps : float
        Smallest probability before normalising; .02 in the paper. 0 leaves frequencies alone.

    Examples
    --------
    >>> Frequency(eps=0.02).predict(np.array([[2, 0], [0, 0]]))
    array([[0.98, 0.02],
           [0.5 , 0.5 ]])
    """

    eps: float = 0.02
    name: str = "frequency"
    kind: Kind = "soft"

    def __post_init__(self) -> None:
        options.number(self.eps, "eps", least=0, below=0.5, such_as="0.02")

    def predict(self, observed: Codes) -> Floats:
        """Probabilities of the next label, for each row of label counts."""
        k = observed.sum(axis=1, keepdims=True)
        share = observed / np.maximum(k, 1) + (k == 0) / observed.shape[1]
        kept = np.clip(share, self.eps, 1 - self.eps)
        return kept / kept.sum(axis=1, keepdims=True)
