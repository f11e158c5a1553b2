"""Expectation maximisation for Dawid and Skene's model: steps that never lose likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headcount.blind_evaluation.blocks import Blocks
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["Climb", "Model", "Parameters", "Step", "climb"]

ROUNDING = 1e-15
"""Relative error of a compensated sum: a smaller gain says nothing."""
FAST_GAIN = 1e-3
"""Steps that gain more, an item, are still choosing an optimum, and are left to EM alone."""
FARTHEST = 8.0
KEPT = 0.1
"""Least share of a probability after an EM step that an extrapolation leaves it."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """What the model has: how common classes are, and how each classifier confuses them.

    Parameters
    ----------
    prior : (classes,) array
    confusion : (classifiers, labels, classes) array
        Probability of a label where a class is true; sums to 1 over labels.
    """

    prior: Floats
    confusion: Floats


@dataclass(frozen=True, eq=False)
class Step:
    """One EM step.

    Parameters
    ----------
    log_likelihood : float
        Of the parameters that the step starts from.
    objective : float
        The same with smoothing: what no step lowers.
    count : (classifiers, labels, classes) array
        Expected votes, by label and true class, at these parameters.
    after : Parameters
        Where the step leads.
    """

    log_likelihood: float
    objective: float
    count: Floats
    after: Parameters


@dataclass(frozen=True, eq=False)
class Model:
    r"""Votes and what they are fitted with.

    With weights :math:`w_m` of items, :math:`v_k` of classifiers and s for smoothing, EM climbs

    .. math:: \sum_m w_m \log \sum_c p_c \prod_{k, l} \pi_{kcl}^{v_k n_{mkl}}
              + s \sum_k v_k \sum_{c, l} \log \pi_{kcl},

    where :math:`n_{mkl}` counts the votes of classifier k for label l on item m. Labels that a
    classifier is known to have given before are added to s, cell by cell.

    Parameters
    ----------
    blocks : Blocks
        Votes, and how often each row counts. A step goes over them once, and memory beside a block
        is that of the parameters.
    vote_weight : (classifiers,) array
    smoothing : float
    """

    blocks: Blocks
    vote_weight: Floats
    smoothing: float

    @property
    def added(self) -> Floats:
        """Votes added to each cell: smoothing, and what is known of classifiers."""
        known = self.blocks.known
        return np.asarray(self.smoothing if known is None else self.smoothing + known)

    @cached_property
    def items(self) -> float:
        """Weight of all rows."""
        return math.fsum(float(weight.sum()) for _, weight in self.blocks)

    def vote_shares(self) -> Parameters:
        """Find the parameters if each class is as probable as its share of the votes.

        O(votes x classes).
        """
        from headcount.blind_evaluation.dawid_skene._em_kernel import count_shares

        prior_count, count = self._zeros()
        for v, weight in self.blocks:
            count_shares(
                v.start, v.classifier, v.label, weight, self.vote_weight, prior_count, count
            )
        return self._maximise(prior_count, count)

    def step(self, at: Parameters) -> Step:
        """Take one EM step: a pass over the votes, O(votes x classes)."""
        from headcount.blind_evaluation.dawid_skene._em_kernel import count_expected

        log_prior, score = self._scores(at)
        prior_count, count = self._zeros()
        fits = [
            float(
                count_expected(
                    v.start,
                    v.classifier,
                    v.label,
                    weight,
                    log_prior,
                    score,
                    (0,) * len(log_prior),
                    prior_count,
                    count,
                )
            )
            for v, weight in self.blocks
        ]
        fit = math.fsum(fits)
        added = np.broadcast_to(self.added, score.shape)
        penalty = float((added[added > 0] * score[added > 0]).sum())
        return Step(fit, fit + penalty, count, self._maximise(prior_count, count))

    def posterior(self, at: Parameters, v: Votes) -> Floats:
        """Probability of each class in each row of a block: (rows, classes). O(votes x classes).

        Zeros in a row that no class can explain; only rows of weight 0 are such.
        """
        from headcount.blind_evaluation.dawid_skene._em_kernel import posterior

        log_prior, score = self._scores(at)
        truth = np.empty((len(v.multiplicity), len(log_prior)))
        posterior(v.start, v.classifier, v.label, log_prior, score, truth)
        return truth

    def _zeros(self) -> tuple[Floats, Floats]:
        size = self.blocks.n_labels
        return np.zeros(size), np.zeros((self.blocks.n_classifiers, size, size))

    def _scores(self, at: Parameters) -> tuple[Floats, Floats]:
        # 0 stays 0 in EM, so that it has to be -inf here: a small number in its place could grow.
        return _log(at.prior), self.vote_weight[:, None, None] * _log(at.confusion)

    def _maximise(self, prior_count: Floats, count: Floats) -> Parameters:
        """M step. The weight of a classifier's votes cancels in the shares of its own votes."""
        smoothed = count + self.added
        total = smoothed.sum(axis=1, keepdims=True)
        equal = np.full_like(smoothed, 1 / count.shape[1])
        confusion = np.divide(smoothed, total, out=equal, where=total > 0)
        return Parameters(prior_count / prior_count.sum(), confusion)


@dataclass(frozen=True, eq=False)
class Climb:
    """Where EM ended.

    Parameters
    ----------
    at : Parameters
    step : Step
        The step from there, which tells its likelihood and expected counts.
    trace : tuple of float
        Objective at each point accepted; never falls.
    n_iter : int
        Passes over the votes.
    converged : bool
        Whether the last EM step gained less than the tolerance.
    """

    at: Parameters
    step: Step
    trace: tuple[float, ...]
    n_iter: int
    converged: bool


def climb(model: Model, at: Parameters, *, tolerance: float, max_iter: int) -> Climb:
    """Take EM steps until one gains less than `tolerance`.

    Notes
    -----
    Near an optimum EM moves along a line by ever smaller steps. So after two of them that gain
    little, one leaps ahead (squared extrapolation, on square roots of probabilities) and stays
    there only if the objective has not fallen. That halves the passes. Convergence is judged by
    EM steps alone.

    References
    ----------
    Varadhan and Roland (2008), "Simple and globally convergent methods for accelerating the
    convergence of any EM algorithm", Scandinavian Journal of Statistics 35.
    """
    now = model.step(at)
    trace, n_iter = [now.objective], 1
    slow = FAST_GAIN * model.items
    while n_iter < max_iter:
        following = model.step(now.after)
        n_iter += 1
        gain = following.objective - now.objective
        if gain < max(tolerance, ROUNDING * abs(now.objective)):
            if gain > 0:
                at, now = now.after, following
                trace.append(now.objective)
            return Climb(at, now, tuple(trace), n_iter, True)
        trace.append(following.objective)
        before, at, now = at, now.after, following
        if gain < slow and n_iter < max_iter:
            ahead = _leap(before, at, now.after)
            leapt = model.step(ahead)
            n_iter += 1
            if leapt.objective >= now.objective:
                at, now = ahead, leapt
                trace.append(now.objective)
    return Climb(at, now, tuple(trace), n_iter, False)


def _leap(first: Parameters, second: Parameters, third: Parameters) -> Parameters:
    r"""Extrapolate two EM steps: :math:`x_0 + 2 a r + a^2 v` with :math:`a = |r| / |v|`."""
    points = [np.concatenate([p.prior, p.confusion.ravel()]) for p in (first, second, third)]
    x, y, z = (np.sqrt(point) for point in points)
    r = y - x
    v = z - y - r
    bend = float(v @ v)
    length = np.clip(np.sqrt(r @ r / bend), 1.0, FARTHEST) if bend > 0 else 1.0
    # No probability that EM leaves above 0 may become 0, for it could not come back.
    end = np.maximum(x + 2 * length * r + length**2 * v, 0.0) ** 2
    end = np.maximum(end, KEPT * points[2])
    size = len(first.prior)
    prior, confusion = end[:size], end[size:].reshape(first.confusion.shape)
    return Parameters(prior / prior.sum(), confusion / confusion.sum(axis=1, keepdims=True))


def _log(probability: Floats) -> Floats:
    return np.log(probability, out=np.full_like(probability, -np.inf), where=probability > 0)
