"""Rao and Kupper's model of ties."""

from __future__ import annotations

import math

import numpy as np

from headcount.pairwise.bradley_terry.ties import codes
from headcount.pairwise.bradley_terry.ties.base import TieModel, logistic, logistics
from headcount.typing import Floats

__all__ = ["RAO_KUPPER", "RaoKupper"]


class RaoKupper(TieModel):
    r"""A tie is a difference too small to see, with a threshold :math:`\log\theta`.

    .. math:: P(l) = \frac{1}{1 + \theta e^{-\eta}}, \quad
              P(r) = \frac{1}{1 + \theta e^{\eta}}, \quad \theta \ge 1

    References
    ----------
    Rao and Kupper (1967), Ties in paired-comparison experiments, JASA 62.

    Examples
    --------
    >>> round(RAO_KUPPER.win_probability(0.0, parameter=2.0), 4)
    0.3333
    """

    name = "rao-kupper"
    title = "Rao and Kupper's model"
    code = codes.RAO_KUPPER
    parameter = "Rao and Kupper's theta"
    without_ties = 1.0

    def start(self, share: float) -> float:
        """Return log theta; ties have probability (theta - 1) / (theta + 1) among equals."""
        return 2 * math.atanh(share)

    def win_probability(self, gap: float, parameter: float) -> float:
        """Return the probability of a win, a tie being none."""
        return logistic(gap - math.log(parameter))

    def scores(self, eta: Floats, cut: float, outcome: Floats) -> tuple[Floats, Floats]:
        """Return the derivatives of log P(win), log P(loss) and log P(tie), as the outcome is."""
        up, down = logistics(cut - eta), logistics(cut + eta)
        tie, left = outcome == 0.5, outcome == 1.0
        by_eta = np.where(tie, up - down, np.where(left, up, -down))
        per_tie = 2 / -math.expm1(-2 * cut) if cut > 0 else math.inf
        by_cut = np.where(tie, per_tie - up - down, -np.where(left, up, down))
        return by_eta, by_cut

    def probabilities(self, eta: Floats, cut: float) -> tuple[Floats, Floats, Floats]:
        """Return the two logistic functions beyond the threshold, and what lies between."""
        win, loss = logistics(eta - cut), logistics(-eta - cut)
        return win, np.maximum(1 - win - loss, 0.0), loss

    def longest_step(self, cut: float, step: float) -> float:
        """Keep log theta above 0."""
        return -0.9 * cut / step if cut + step <= 0 else 1.0


RAO_KUPPER = RaoKupper()
