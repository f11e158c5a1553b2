"""All surveys of k raters that the data can simulate, with their probabilities.

An item with label counts w shows a survey of k of its n raters the counts y with
multivariate-hypergeometric probability, and the next rater's label is then l with probability
(w_l - y_l) / (n - k). Nothing is drawn: the surveys of all items are enumerated, once a pattern.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.stats.grouping import group_rows

__all__ = ["Surveys", "count_surveys", "simulate_surveys"]


@dataclass(frozen=True, eq=False)
class Surveys:
    r"""Every pair of a pattern and a survey of k raters drawn from it.

    Rows are ordered by what was observed, so that equal observations stand together.

    Parameters
    ----------
    k : int
        Number of raters asked.
    observed : (states, labels) array of int
        The distinct label counts that a survey can observe.
    state : (rows,) array of int
        What each row observed; a position in `observed`, ascending.
    pattern : (rows,) array of int
        The pattern each row was drawn from.
    probability : (rows,) array of float
        Probability of the observation given the pattern:
        :math:`\prod_l \binom{w_l}{y_l} / \binom{n}{k}`.
    reference : (rows, labels) array of float
        Probability of the next rater's label: :math:`(w_l - y_l) / (n - k)`.
    """

    k: int
    observed: NDArray[np.int64]
    state: NDArray[np.intp]
    pattern: NDArray[np.intp]
    probability: NDArray[np.float64]
    reference: NDArray[np.float64]

    @property
    def starts(self) -> NDArray[np.intp]:
        """First row of each state."""
        return np.searchsorted(self.state, np.arange(len(self.observed)))

    def find(self, pattern: NDArray[np.intp], observed: NDArray[np.int64]) -> NDArray[np.intp]:
        """Rows of the given patterns and observations, which must be there."""
        wanted = np.column_stack([observed, pattern])
        known = np.column_stack([self.observed[self.state], self.pattern])
        _, group = group_rows(np.concatenate([known, wanted]).T)
        row = np.zeros(group.max() + 1, dtype=np.intp)
        row[group[: len(known)]] = np.arange(len(known))
        return row[group[len(known) :]]


def simulate_surveys(patterns: NDArray[np.int64], k: int) -> Surveys:
    """Enumerate the surveys of `k` raters from each of `patterns` (each of more than k ratings).

    O(rows x labels) time and memory; :func:`count_surveys` tells the rows beforehand.

    Examples
    --------
    >>> surveys = simulate_surveys(np.array([[2, 1]]), 1)
    >>> surveys.observed
    array([[0, 1],
           [1, 0]])
    >>> surveys.probability
    array([0.33333333, 0.66666667])
    >>> surveys.reference
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    n_labels = patterns.shape[1]
    ratings = patterns.sum(axis=1)
    log_factorial = _log_factorials(int(ratings.max()))

    def log_choose(n: NDArray[np.int64], m: NDArray[np.int64]) -> NDArray[np.float64]:
        return log_factorial[n] - log_factorial[m] - log_factorial[n - m]

    # Choose how many of each label the survey observes, one label after the other.
    pattern = np.arange(len(patterns))
    left = np.full(len(patterns), k)
    log_p = -log_choose(ratings, left)
    columns: list[NDArray[np.int64]] = []
    rest = ratings.copy()
    for label in range(n_labels):
        available = patterns[:, label]
        rest = rest - available
        low = np.maximum(0, left - rest[pattern])
        choices = np.minimum(available[pattern], left) - low + 1
        row = np.repeat(np.arange(len(pattern)), choices)
        offset = np.arange(len(row)) - np.repeat(np.cumsum(choices) - choices, choices)
        taken = low[row] + offset
        columns = [column[row] for column in columns] + [taken]
        pattern, left = pattern[row], left[row] - taken
        log_p = log_p[row] + log_choose(available[pattern], taken)

    first, state = group_rows(columns)
    order = np.argsort(state, kind="stable")
    observed = np.column_stack(columns)
    pattern, state = pattern[order], state[order]
    remaining = patterns[pattern] - observed[order]
    reference = remaining / (ratings[pattern] - k)[:, None]
    return Surveys(k, observed[first], state, pattern, np.exp(log_p[order]), reference)


def count_surveys(patterns: NDArray[np.int64], max_k: int) -> NDArray[np.float64]:
    """Count the rows that :func:`simulate_surveys` makes for k = 0 .. max_k, without making them.

    The number of sub-multisets of size k is the coefficient of x^k in the product over labels of
    1 + x + ... + x^w. O(patterns x labels x max_k).

    Examples
    --------
    >>> count_surveys(np.array([[2, 1], [3, 0]]), 2)
    array([2., 3., 3.])
    """
    # Floats: a count that cannot be served may be larger than any integer.
    ways = np.zeros((len(patterns), max_k + 1))
    ways[:, 0] = 1
    for label in range(patterns.shape[1]):
        cumulative = np.cumsum(ways, axis=1)
        # Coefficient k becomes the sum of coefficients k - w .. k.
        before = np.arange(max_k + 1) - patterns[:, label][:, None] - 1
        under = np.take_along_axis(cumulative, np.maximum(before, 0), axis=1)
        ways = cumulative - np.where(before >= 0, under, 0)
    return ways.sum(axis=0)


def _log_factorials(n: int) -> NDArray[np.float64]:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
