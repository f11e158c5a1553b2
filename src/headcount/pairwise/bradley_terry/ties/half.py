"""Ties as half wins."""

from __future__ import annotations

import math

import numpy as np

from headcount.pairwise.bradley_terry.ties import codes
from headcount.pairwise.bradley_terry.ties.base import TieModel, logistic, logistics
from headcount.typing import Floats

__all__ = ["HALF", "Half"]


class Half(TieModel):
    r"""A tie is half a win for either; so is any other share of the point.

    .. math:: P(l \succ r) = \frac{1}{1 + e^{-\eta}}
    """

    name = "half"
    title = "half a win for either"
    code = codes.HALF

    def start(self, share: float) -> float:
        """Return 0: there is no cut."""
        del share
        return 0.0

    def win_probability(self, gap: float, parameter: float = math.nan) -> float:
        """Return the logistic function of the gap."""
        del parameter
        return logistic(gap)

    def scores(self, eta: Floats, cut: float, outcome: Floats) -> tuple[Floats, Floats]:
        """Return the share of the point less the share expected; nothing by the cut."""
        del cut
        return outcome - logistics(eta), np.zeros(len(eta))

    def information(self, eta: Floats, cut: float) -> Floats:
        """Return p (1 - p), in one step."""
        del cut
        win = logistics(eta)
        return win * (1 - win)

    def probabilities(self, eta: Floats, cut: float) -> tuple[Floats, Floats, Floats]:
        """Return the logistic function and what is left: ties have no probability of their own."""
        del cut
        win = logistics(eta)
        return win, np.zeros(len(eta)), 1 - win


HALF = Half()
