"""Davidson's model of ties."""

from __future__ import annotations

import math

import numpy as np

from headcount.pairwise.bradley_terry.ties import codes
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.typing import Floats

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

    def scores(self, eta: Floats, cut: float, outcome: Floats) -> tuple[Floats, Floats]:
        """Return half the point less half the lead expected, and ties less those expected."""
        win, tie, loss = self.probabilities(eta, cut)
        return outcome - 0.5 - (win - loss) / 2, (outcome == 0.5) - tie

    def probabilities(self, eta: Floats, cut: float) -> tuple[Floats, Floats, Floats]:
        """Return shares of e^(eta/2), nu and e^(-eta/2), without overflow."""
        logs = np.array([eta / 2, np.full(len(eta), cut), -eta / 2])
        win, tie, loss = np.exp(logs - logs.max(axis=0))
        total = win + tie + loss
        return win / total, tie / total, loss / total


DAVIDSON = Davidson()
