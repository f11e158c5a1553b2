"""Kernels of blind evaluation: compiled, on plain arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headcount.stats.arrays import compiled

__all__ = [
    "count_expected",
    "count_shares",
    "posterior",
    "expect",
    "newton",
]


# Kernels of Dawid and Skene's EM: passes over the votes.
#
# Every function is compiled, runs without Python's lock, and takes plain arrays. Scores and counts
# are a prior of C classes and matrices as (classifiers, labels, classes), in which the C numbers
# that a vote needs lie side by side.
#
# `classes` is a tuple of C zeros. Its type tells the compiler C, which unrolls the loops over
# classes: up to twice as fast, for a second to compile when a new C comes.

U = np.uint64  # positions are never negative: without a sign there is no check for it


@compiled(nogil=True, inline="always")
def _normalise(belief: Any, n: Any) -> Any:
    """Turn logarithms into probabilities; return the logarithm of their sum.

    Zeros if all are -inf.
    """
    best = belief[0]
    for c in range(1, n):
        best = max(best, belief[c])
    if best == -math.inf:
        for c in range(n):
            belief[c] = 0.0
        return best
    total = 0.0
    for c in range(n):
        belief[c] = math.exp(belief[c] - best)
        total += belief[c]
    for c in range(n):
        belief[c] /= total
    return best + math.log(total)


@compiled(nogil=True)
def count_expected(
    start: Any,
    classifier: Any,
    label: Any,
    weight: Any,
    log_prior: Any,
    score: Any,
    classes: Any,
    prior_count: Any,
    count: Any,
) -> Any:
    """E step: add to the expected counts, and return the log-likelihood."""
    n = len(classes)
    flat_score, flat_count = score.ravel(), count.ravel()
    belief = np.empty(n)
    total, lost = 0.0, 0.0
    for row in range(len(weight)):
        w = weight[row]
        if w == 0.0:
            continue
        for c in range(n):
            belief[c] = log_prior[c]
        for at in range(U(start[row]), U(start[row + 1])):
            cell = U(n) * (U(classifier[at]) * U(n) + U(label[at]))
            for c in range(n):
                belief[c] += flat_score[cell + U(c)]
        term = w * _normalise(belief, n)
        for c in range(n):
            belief[c] *= w
            prior_count[c] += belief[c]
        for at in range(U(start[row]), U(start[row + 1])):
            cell = U(n) * (U(classifier[at]) * U(n) + U(label[at]))
            for c in range(n):
                flat_count[cell + U(c)] += belief[c]
        # Kahan's sum: late iterations gain less than what a plain sum of many terms loses.
        term -= lost
        more = total + term
        lost = (more - total) - term
        total = more
    return total


@compiled(nogil=True)
def count_shares(
    start: Any,
    classifier: Any,
    label: Any,
    weight: Any,
    vote_weight: Any,
    prior_count: Any,
    count: Any,
) -> Any:
    """Add the counts that are expected if a class is as probable as its share of the votes."""
    n = len(prior_count)
    share = np.empty(n)
    for row in range(len(weight)):
        share[:] = 0.0
        total = 0.0
        for at in range(start[row], start[row + 1]):
            share[label[at]] += vote_weight[classifier[at]]
            total += vote_weight[classifier[at]]
        for c in range(n):
            share[c] *= weight[row] / total
            prior_count[c] += share[c]
        for at in range(start[row], start[row + 1]):
            for c in range(n):
                count[classifier[at], label[at], c] += share[c]


@compiled(nogil=True)
def posterior(
    start: Any, classifier: Any, label: Any, log_prior: Any, score: Any, truth: Any
) -> Any:
    """Fill the probability of each class in each row."""
    n = len(log_prior)
    for row in range(len(truth)):
        belief = truth[row]
        belief[:] = log_prior
        for at in range(start[row], start[row + 1]):
            for c in range(n):
                belief[c] += score[classifier[at], label[at], c]
        _normalise(belief, n)


# The pass over the votes that all models of the true labels take: compiled, on plain arrays.


@compiled(nogil=True)
def expect(
    start: Any,
    classifier: Any,
    label: Any,
    weight: Any,
    log_prior: Any,
    score: Any,
    truth: Any,
    count: Any,
) -> Any:
    """Fill the probability of each class in each row, and add the expected votes of classifiers.

    `score` and `count` are (classifiers, labels, classes), `truth` (rows, classes): what it was
    before is compared, and the largest change of a probability is returned.
    """
    n = len(log_prior)
    belief = np.empty(n)
    change = 0.0
    for row in range(len(weight)):
        for c in range(n):
            belief[c] = log_prior[c]
        for at in range(start[row], start[row + 1]):
            own = score[classifier[at], label[at]]
            for c in range(n):
                belief[c] += own[c]
        best = belief[0]
        for c in range(1, n):
            best = max(best, belief[c])
        total = 0.0
        for c in range(n):
            belief[c] = math.exp(belief[c] - best)
            total += belief[c]
        for c in range(n):
            belief[c] /= total
            change = max(change, abs(belief[c] - truth[row, c]))
            truth[row, c] = belief[c]
            belief[c] *= weight[row]
        for at in range(start[row], start[row + 1]):
            own = count[classifier[at], label[at]]
            for c in range(n):
                own[c] += belief[c]
    return change


# Newton steps of a logistic regression with one slope: compiled, on plain arrays.


@compiled(nogil=True)
def newton(
    hits: Any,
    number: Any,
    nodes: Any,
    others: Any,
    ease: Any,
    slope: float,
    steps: int,
    most: float,
) -> Any:
    """Change intercepts, (labels, classifiers), in place; return the slope on nodes.

    `hits` and `number` are (labels, states, classifiers); `nodes`, (states,), is what the slope is
    of, and `others`, (states, classifiers), is added to log odds. Intercepts meet the slope only,
    so that they can be solved for one by one.
    """
    labels, states, size = hits.shape
    residual = np.empty((labels, size))
    own = np.empty((labels, size))
    cross = np.empty((labels, size))
    for _ in range(steps):
        by_slope = 0.0
        slope_own = 0.0
        shared = 0.0
        taken = 0.0
        for c in range(labels):
            for j in range(size):
                sum_residual = 0.0
                sum_curve = 0.0
                sum_cross = 0.0
                for h in range(states):
                    x = ease[c, j] + slope * nodes[h] + others[h, j]
                    x = min(max(x, -12.0), 12.0)
                    right = 1.0 / (1.0 + math.exp(-x))
                    off = hits[c, h, j] - number[c, h, j] * right
                    curve = number[c, h, j] * right * (1.0 - right) + 1e-9
                    sum_residual += off
                    sum_curve += curve
                    sum_cross += curve * nodes[h]
                    by_slope += off * nodes[h]
                    slope_own += curve * nodes[h] * nodes[h]
                residual[c, j], own[c, j], cross[c, j] = sum_residual, sum_curve, sum_cross
                shared += sum_cross / sum_curve * sum_residual
                taken += sum_cross * sum_cross / sum_curve
        step = (by_slope - shared) / (slope_own - taken + 1e-9)
        step = min(max(step, -0.5), 0.5)
        slope = min(max(0.0, slope + step), most)
        for c in range(labels):
            for j in range(size):
                own_step = (residual[c, j] - cross[c, j] * step) / own[c, j]
                own_step = min(max(own_step, -1.0), 1.0)
                ease[c, j] = min(max(ease[c, j] + own_step, -8.0), 8.0)
    return slope
