"""All surveys of k raters that the data can simulate, with their probabilities.

An item with label counts w shows a survey of k of its n raters the counts y with
multivariate-hypergeometric probability, and the next rater's label is then l with probability
(w_l - y_l) / (n - k). Nothing is drawn: the surveys of all items are enumerated, once a pattern.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.equivalence.scorers.base import most_probable
from headcount.stats.grouping import group_rows

__all__ = ["Pool", "Surveys", "consensus", "count_surveys", "log_factorials"]


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
    next : (rows, labels) array of float
        Distribution of the next rater's label, from which combiners learn:
        :math:`(w_l - y_l) / (n - k)`.
    reference : (rows, labels) array of float
        Distribution of the reference label, against which predictions are scored; that of the
        next rater unless the reference is another.
    """

    k: int
    observed: NDArray[np.int64]
    state: NDArray[np.intp]
    pattern: NDArray[np.intp]
    probability: NDArray[np.float64]
    next: NDArray[np.float64]
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


@dataclass(frozen=True, eq=False)
class Pool:
    """What surveys are drawn from, and what they are scored against.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        Label counts of the raters who can be asked.
    reference : int or (patterns, labels) array of float
        The number of raters, among those not asked, whose most common label is the reference; or
        the distribution of a reference label that is known otherwise.
    learns : (patterns, labels) array of float, optional
        Distribution of the label that a combiner learns to predict, where it is not that of the
        next rater of the same pool.
    """

    patterns: NDArray[np.int64]
    reference: int | NDArray[np.float64] = 1
    learns: NDArray[np.float64] | None = None

    def surveys(self, k: int) -> Surveys:
        """Enumerate the surveys of `k` raters from each pattern.

        O(rows x labels) time and memory; :func:`count_surveys` tells the rows beforehand.

        Examples
        --------
        >>> surveys = Pool(np.array([[2, 1]])).surveys(1)
        >>> surveys.observed
        array([[0, 1],
               [1, 0]])
        >>> surveys.probability
        array([0.33333333, 0.66666667])
        >>> surveys.reference
        array([[1. , 0. ],
               [0.5, 0.5]])
        """
        observed, pattern, probability = _subsets(self.patterns, k)
        first, state = group_rows(observed.T)
        order = np.argsort(state, kind="stable")
        pattern, state = pattern[order], state[order]
        left = self.patterns[pattern] - observed[order]
        if self.learns is None:
            next_label = left / left.sum(axis=1, keepdims=True)
        else:
            next_label = self.learns[pattern]
        if not isinstance(self.reference, int):
            reference = self.reference[pattern]
        elif self.reference == 1:
            reference = next_label
        else:
            first_left, group = group_rows(left.T)
            reference = consensus(left[first_left], self.reference)[group]
        return Surveys(
            k, observed[first], state, pattern, probability[order], next_label, reference
        )


def consensus(patterns: NDArray[np.int64], raters: int) -> NDArray[np.float64]:
    """Find the distribution of the most common label among `raters` random raters of each pattern.

    Labels that tie share the choice, as in the paper's HSCORE^r.

    Examples
    --------
    >>> consensus(np.array([[2, 1], [2, 2]]), 3)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    observed, pattern, probability = _subsets(patterns, raters)
    chosen = most_probable(observed.astype(np.float64)) * probability[:, None]
    out = np.zeros(patterns.shape)
    np.add.at(out, pattern, chosen)
    return out


def _subsets(
    patterns: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float64]]:
    """Label counts that k raters of each pattern can show; the pattern; the probability."""
    ratings = patterns.sum(axis=1)
    log_factorial = log_factorials(int(ratings.max()))

    def log_choose(n: NDArray[np.int64], m: NDArray[np.int64]) -> NDArray[np.float64]:
        return log_factorial[n] - log_factorial[m] - log_factorial[n - m]

    # Choose how many of each label the survey observes, one label after the other.
    pattern = np.arange(len(patterns))
    to_ask = np.full(len(patterns), k)
    log_p = -log_choose(ratings, to_ask)
    columns: list[NDArray[np.int64]] = []
    rest = ratings.copy()
    for label in range(patterns.shape[1]):
        available = patterns[:, label]
        rest = rest - available
        low = np.maximum(0, to_ask - rest[pattern])
        choices = np.minimum(available[pattern], to_ask) - low + 1
        row = np.repeat(np.arange(len(pattern)), choices)
        offset = np.arange(len(row)) - np.repeat(np.cumsum(choices) - choices, choices)
        taken = low[row] + offset
        columns = [column[row] for column in columns] + [taken]
        pattern, to_ask = pattern[row], to_ask[row] - taken
        log_p = log_p[row] + log_choose(available[pattern], taken)
    return np.column_stack(columns), pattern, np.exp(log_p)


def count_surveys(patterns: NDArray[np.int64], max_k: int) -> NDArray[np.float64]:
    """Count the rows that :meth:`Pool.surveys` makes for k = 0 .. max_k, without making them.

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


def log_factorials(n: int) -> NDArray[np.float64]:
    """Logarithms of 0! .. n!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
