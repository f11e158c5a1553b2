"""Kernels of Dawid and Skene's EM: passes over the votes.

Every function is compiled, runs without Python's lock, and takes plain arrays. Scores and counts
are a prior of C classes and matrices as (classifiers, labels, classes), in which the C numbers
that a vote needs lie side by side.

`classes` is a tuple of C zeros. Its type tells the compiler C, which unrolls the loops over
classes: up to twice as fast, for a second to compile when a new C comes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headcount.stats.compiled import compiled

__all__ = ["count_expected", "count_shares", "posterior"]

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
