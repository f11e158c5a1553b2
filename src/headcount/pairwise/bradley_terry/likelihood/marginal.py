r"""How likely a spread of the ratings is, with the ratings integrated out.

The derivative of the marginal likelihood of :math:`\tau`, the standard deviation of n ratings, is

.. math:: \frac{d \log p(\tau)}{d \log \tau} = \frac{1}{\tau^2} \sum_i E[\theta_i^2] - n

(Fisher's identity), with the mean over what the answers leave open at that spread. That is found by
expectation propagation: each pair of items passes a normal message on to both, such that the mean
and variance of their difference are right if everything else is normal. It is exact where pairs do
not touch each other, and close wherever items have few answers, which is where Laplace's
approximation draws the spread down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.typing import Codes, Floats

__all__ = ["Evidence"]

NODES = 24
"""Points at which a difference is integrated over."""
MOST_EACH = 10.0
"""Answers to a pair that count, at most: more would be too sharp for the points."""
ROUNDS, CLOSE, DAMPED = 60, 1e-4, 0.3
"""Rounds of messages, at most; changes at which they end; what is kept of the last message."""
CHUNK = 50_000
"""Pairs that are integrated at a time."""


@dataclass(eq=False, kw_only=True)
class Evidence:
    """Answers to pairs, and the messages that they passed on last, to start from.

    Parameters
    ----------
    wins : PairWins
    ties : TieModel
    shift, cut : float
        Advantage of the left side, and the parameter of ties.
    noise : float
        Variance of answers as a share of what the model says: less than 1 with ties as halves.
    """

    wins: PairWins
    ties: TieModel
    shift: float = 0.0
    cut: float = 0.0
    noise: float = 1.0

    def __post_init__(self) -> None:
        wins, cells = self.wins, len(self.wins.first)
        tie = wins.tie if len(wins.tie) else np.zeros(cells)
        number = wins.win + tie + wins.loss
        scale = np.minimum(1.0, MOST_EACH / np.maximum(number, MOST_EACH)) / self.noise
        self._told = np.array([wins.win, tie, wins.loss]) * scale
        self._side: Codes = np.concatenate([wins.first, wins.second]).astype(np.int64)
        self._precision = np.zeros(2 * cells)
        self._pull = np.zeros(2 * cells)
        self._nodes, self._node_weights = np.polynomial.hermite_e.hermegauss(NODES)

    def slope(self, spread: float) -> float:
        """Differentiate the log marginal likelihood by the logarithm of the spread."""
        mean, variance = self.moments(spread)
        return float(np.sum(mean**2 + variance)) / spread**2 - self.wins.n_items

    def moments(self, spread: float) -> tuple[Floats, Floats]:
        """Find means and variances of the ratings, at a spread. O(pairs) a round."""
        half = len(self.wins.first)
        for _ in range(ROUNDS):
            total, pull = self._totals(spread)
            rest = total[self._side] - self._precision
            variance = 1 / rest
            mean = (pull[self._side] - self._pull) * variance
            gap, spread_of_gap = mean[:half] - mean[half:], variance[:half] + variance[half:]
            new_gap, new_spread = self._integrated(gap, spread_of_gap)
            part = variance / np.tile(spread_of_gap, 2)
            moved = np.concatenate([new_gap - gap, gap - new_gap])
            after = variance + part**2 * np.tile(new_spread - spread_of_gap, 2)
            precision = np.maximum(1 / after - rest, 0.0)
            pulled = (mean + part * moved) / after - mean * rest
            change = np.abs(precision - self._precision).max(initial=0.0)
            change = max(change, np.abs(pulled - self._pull).max(initial=0.0))
            self._precision += (1 - DAMPED) * (precision - self._precision)
            self._pull += (1 - DAMPED) * (pulled - self._pull)
            if change < CLOSE:
                break
        total, pull = self._totals(spread)
        return pull / total, 1 / total

    def _totals(self, spread: float) -> tuple[Floats, Floats]:
        n = self.wins.n_items
        told: Floats = np.bincount(self._side, self._precision, n).astype(np.float64)
        return spread**-2 + told, np.bincount(self._side, self._pull, n).astype(np.float64)

    def _integrated(self, gap: Floats, variance: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of differences, normal before their answers are counted."""
        out = np.empty((2, len(gap)))
        for start in range(0, len(gap), CHUNK):
            part = slice(start, start + CHUNK)
            at = gap[part, None] + np.sqrt(variance[part, None]) * self._nodes
            fits = np.zeros(at.shape)
            chances = self.ties.probabilities((at + self.shift).ravel(), self.cut)
            for told, chance in zip(self._told[:, part], chances, strict=True):
                if told.any():
                    fits += told[:, None] * np.log(np.maximum(chance, 1e-300)).reshape(at.shape)
            fits = self._node_weights * np.exp(fits - fits.max(axis=1, keepdims=True))
            fits /= fits.sum(axis=1, keepdims=True)
            mean = np.sum(fits * at, axis=1)
            out[:, part] = mean, np.sum(fits * (at - mean[:, None]) ** 2, axis=1)
        return out[0], np.maximum(out[1], 1e-12 * variance)
