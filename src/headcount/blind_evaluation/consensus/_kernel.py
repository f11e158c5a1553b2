"""The pass over the votes that all models of the true labels take: compiled, on plain arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headcount.stats.compiled import compiled

__all__ = ["expect"]


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
