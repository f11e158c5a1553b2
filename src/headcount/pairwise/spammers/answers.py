"""Two kinds of raters: those who look at the items, and those who answer at random."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["RIGHT", "TIE", "LEFT", "Kinds", "fit_kinds", "trusting"]


RIGHT, TIE, LEFT = 0, 1, 2
"""Answers, in the order of the rows of a table of their probabilities."""

CHECKS = (9.0, 1.0)
"""Checks, right and wrong, that raters who look are believed to have answered already."""
SLIPS = 0.02
"""Share of the answers of a rater who looks that are random all the same."""
SPREADS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
"""Standard deviations of the logarithm of slopes to choose from."""
NODES = 5
"""Slopes that stand for all."""
ANSWERS = 10.0
"""Answers, spread as all answers are, that random raters are believed to have given already."""

# Of b, the shift and log nu: bounds, and mean and standard deviation of their priors.
BOUNDS = ((0.0, None), (None, None), (None, None))
CENTRE = np.array([1.0, 0.0, 0.0])
SPREAD = np.array([5.0, 1.0, 5.0])


@dataclass(frozen=True, eq=False)
class Kinds:
    r"""How either kind of rater answers.

    A rater who looks answers, after Davidson, with odds

    .. math:: P(\text{left}) : P(\text{right}) : P(\text{tie}) = e^{t/2} : e^{-t/2} : \nu, \quad
              t = b s x + \delta

    where x is the gap in ratings, made without that rater, and s the rater's own slope, lognormal
    around 1. A random one gives each answer with the same probability whatever the items. Who looks
    slips once in 50 answers, and then answers at random; so that no single answer condemns anybody.

    Parameters
    ----------
    x : (comparisons,) array
    right : (comparisons,) array of int or None
        The known answer, where a comparison is a check; -1 elsewhere.
    parameters : (3,) array
        b, :math:`\delta` and :math:`\log\nu`.
    ties : bool
        Whether there are any.
    check : float
        How often a rater who looks answers a check right.
    guess : (3,) array
        Probability of each answer of a random rater.
    share : float
        Share of random raters, as far as the mixture tells.
    doubt : (raters,) array
        Probability that each rater is random.
    spread : float
        Standard deviation of log s.
    """

    x: Floats
    right: Codes | None
    parameters: Floats
    ties: bool
    check: float
    guess: Floats
    share: float
    doubt: Floats
    spread: float = 0.0

    def of(self, rows: Codes) -> Kinds:
        """Keep some comparisons."""
        right = None if self.right is None else self.right[rows]
        return replace(self, x=self.x[rows], right=right)

    @property
    def random(self) -> Floats:
        """Log-probability of each answer of a random rater, whatever the items: (3, 1)."""
        return np.log(self.guess)[:, None]

    def looking(self, slope: float = 1.0) -> Floats:
        """Log-probability of each answer of a rater who looks: (3, comparisons)."""
        out = np.exp(_odds(self.parameters * [slope, 1.0, 1.0], self.x, self.ties))
        if self.right is not None:
            check = np.flatnonzero(self.right >= 0)
            out[:, check] = (1 - self.check) / 2
            out[self.right[check], check] = self.check
        return np.log((1 - SLIPS) * out + SLIPS * self.guess[:, None])

    def slopes(self) -> list[tuple[float, float]]:
        """Slopes of raters who look, and the share of each: nodes and weights of a quadrature."""
        if self.spread == 0:
            return [(1.0, 1.0)]
        z, weight = np.polynomial.hermite_e.hermegauss(NODES)
        s = np.exp(self.spread * z - self.spread**2 / 2)
        return list(zip(s.tolist(), (weight / weight.sum()).tolist(), strict=True))


def fit_kinds(
    x: Floats, answer: Codes, rater: Codes, n_raters: int, right: Codes | None = None
) -> Kinds:
    """Fit a mixture of the two kinds by expectation and maximisation.

    Parameters
    ----------
    x : (comparisons,) array
        Gap in ratings, shrunk for being uncertain (see
        :class:`~headcount.pairwise.spammers.left_out`).
    answer : (comparisons,) array of int
        RIGHT, TIE or LEFT.
    rater : (comparisons,) array of int
    n_raters : int
    right : (comparisons,) array of int, optional
        The known answer, where a comparison is a check; -1 elsewhere.

    Notes
    -----
    Weak normal priors keep all numbers finite: b around 1 and log nu around 0 with a standard
    deviation of 5, the shift around 0 with 1. All raters who look have the same slope at first; how
    much slopes differ is then the likeliest of 0, .1, .2 ... .6. O(comparisons) a step, 30 steps at
    most, and 30 more for the slopes.
    """
    places = np.arange(len(x))
    model = np.ones(len(x), dtype=bool) if right is None else right < 0
    every = np.bincount(answer, minlength=3) + 0.5
    ties = bool((answer[model] == TIE).any())
    doubt = np.full(n_raters, 0.1)
    kinds = Kinds(
        x=x,
        right=right,
        parameters=CENTRE,
        ties=ties,
        check=0.9,
        guess=every / every.sum(),
        share=0.1,
        doubt=doubt,
    )
    for _ in range(30):
        kinds = _fitted(kinds, answer, (1 - kinds.doubt)[rater])
        ratio = (kinds.looking() - kinds.random)[answer, places]
        odds = np.bincount(rater, ratio, n_raters) + np.log((1 - kinds.share) / kinds.share)
        before, doubt = kinds.doubt, 1 / (1 + np.exp(np.clip(odds, -50, 50)))
        kinds = replace(kinds, share=float(np.clip(doubt.mean(), 0.001, 0.5)), doubt=doubt)
        if np.abs(doubt - before).max() < 1e-3:
            break
    tried = [replace(kinds, spread=spread) for spread in SPREADS]
    return max(tried, key=lambda k: _likelihood(k, answer, rater, n_raters))


def trusting(kinds: Kinds, answer: Codes, rater: Codes, one: int) -> Kinds:
    """Fit again how those answer who look, with one rater among them, the others as before."""
    trust = np.where(rater == one, 1.0, (1 - kinds.doubt)[rater])
    return replace(_fitted(kinds, answer, trust), guess=kinds.guess)


def _fitted(kinds: Kinds, answer: Codes, trust: Floats) -> Kinds:
    """Fit how either kind answers, given how far each answer is trusted to be one of looking."""
    minimize: Any = import_module("scipy.optimize").minimize  # untyped, and slow to import
    check = np.zeros(len(answer), dtype=bool) if kinds.right is None else kinds.right >= 0
    model = ~check

    def loss(p: Floats) -> tuple[float, Floats]:
        return _loss(p, kinds.x[model], answer[model], trust[model], kinds.ties)

    hit = trust[check & (answer == kinds.right)].sum() + CHECKS[0]
    every = np.bincount(answer, minlength=3) + 0.5
    guess = np.bincount(answer, (1 - trust), 3) + ANSWERS * every / every.sum()
    return replace(
        kinds,
        parameters=minimize(loss, kinds.parameters, jac=True, method="L-BFGS-B", bounds=BOUNDS).x,
        check=float(hit / (trust[check].sum() + sum(CHECKS))),
        guess=guess / guess.sum(),
    )


def _likelihood(kinds: Kinds, answer: Codes, rater: Codes, n_raters: int) -> float:
    """Log-likelihood of the mixture, over slopes and kinds."""
    places = np.arange(len(answer))
    logs = [
        np.log((1 - kinds.share) * weight)
        + np.bincount(rater, kinds.looking(slope)[answer, places], n_raters)
        for slope, weight in kinds.slopes()
    ]
    guessed = np.bincount(rater, np.log(kinds.guess)[answer], n_raters)
    every = np.stack([*logs, np.log(kinds.share) + guessed])
    top = every.max(axis=0)
    return float(np.sum(top + np.log(np.exp(every - top).sum(axis=0))))


def _odds(p: Floats, x: Floats, ties: bool) -> Floats:
    """Logarithms of the probabilities of all answers."""
    t = p[0] * x + p[1]
    odds = np.stack([-t / 2, np.full(len(x), p[2] if ties else -np.inf), t / 2])
    top = odds.max(axis=0)
    return odds - (top + np.log(np.exp(odds - top).sum(axis=0)))


def _loss(p: Floats, x: Floats, answer: Codes, trust: Floats, ties: bool) -> tuple[float, Floats]:
    """Negative log-likelihood with its penalties, and the gradient."""
    logs = _odds(p, x, ties)
    chance = np.exp(logs)
    excess = (answer - 1) / 2 - (chance[LEFT] - chance[RIGHT]) / 2
    tied = (answer == TIE) - chance[TIE]
    score = np.array([np.sum(trust * excess * x), np.sum(trust * excess), np.sum(trust * tied)])
    off = (p - CENTRE) / SPREAD
    value = -np.sum(trust * logs[answer, np.arange(len(x))]) + np.sum(off**2) / 2
    return float(value), off / SPREAD - score
