"""Davidson's model of ties."""

from __future__ import annotations

import math

from headcount.pairwise.bradley_terry.ties import codes
from headcount.pairwise.bradley_terry.ties.base import TieModel

__all__ = ["DAVIDSON", "Davidson"]


class Davidson(TieModel):
    r"""Ties are the likelier the closer the items, with a parameter :math:`\nu`.

    .. math:: P(l) : P(r) : P(\text{tie}) = e^{\eta/2} : e^{-\eta/2} : \nu

    References
    ----------
    Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments, JASA 65.

    Examples
    --------
    >>> round(DAVIDSON.win_probability(0.0, parameter=1.0), 4)
    0.3333
    """

    name = "davidson"
    title = "Davidson's model"
    code = codes.DAVIDSON
    parameter = "Davidson's nu"
    without_ties = 0.0

    def start(self, share: float) -> float:
        """Return log nu; ties have probability nu / (2 + nu) among equals."""
        return math.log(2 * share / (1 - share))

    def win_probability(self, gap: float, parameter: float) -> float:
        """Return the probability of a win, a tie being none."""
        rest = math.exp(-abs(gap) / 2)
        top = 1.0 if gap >= 0 else rest**2
        return top / (1 + rest**2 + parameter * rest)


DAVIDSON = Davidson()
