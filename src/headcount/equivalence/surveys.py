"""All surveys of k raters that the data can simulate, with their probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headcount.equivalence.scorers import most_probable
from headcount.equivalence.states import FittedStates, can_fit, fit_states
from headcount.stats.arrays import counted, group_rows
from headcount.typing import Codes, Floats, Ints

__all__ = [
    "Surveys",
    "Pool",
    "PooledItems",
    "Asked",
    "count_labels",
    "consensus",
    "count_surveys",
    "surveys_of_each",
    "log_factorials",
]


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
    observed: Codes
    state: Ints
    pattern: Ints
    probability: Floats
    next: Floats
    reference: Floats

    @property
    def starts(self) -> Ints:
        """First row of each state."""
        return np.searchsorted(self.state, np.arange(len(self.observed)))

    def find(self, pattern: Ints, state: Ints) -> Ints:
        """Rows of the given patterns and states, which must be there."""
        patterns = int(self.pattern.max()) + 1
        # Rows are sorted by state, and those of a state by pattern.
        return np.searchsorted(self.state * patterns + self.pattern, state * patterns + pattern)


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

    patterns: Codes
    reference: int | Floats = 1
    learns: Floats | None = None

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
            k=k,
            observed=observed[first],
            state=state,
            pattern=pattern,
            probability=probability[order],
            next=next_label,
            reference=reference,
        )


@dataclass(frozen=True, eq=False)
class PooledItems:
    """A pool of raters, the pattern that each item shows of it, and the largest survey.

    Parameters
    ----------
    pool : Pool
    pattern : (items,) array of int
    max_k : int
    seed : int
        Which of the items of a pattern are held out together; see :func:`fit_states`.
    short : (other items, labels) array of int, optional
        Label counts of items with too few ratings to be scored.
    weight, short_weight : arrays of int, optional
        Items that each row stands for, where rows are of several that are alike.
    """

    pool: Pool
    pattern: Ints
    max_k: int
    seed: int = 0
    short: Codes | None = None
    weight: Codes | None = None
    short_weight: Codes | None = None

    @cached_property
    def multiplicity(self) -> Codes:
        """How many items show each pattern."""
        return counted(self.pattern, self.weight, len(self.pool.patterns))

    @cached_property
    def states(self) -> FittedStates:
        """The fitted distribution of item states.

        Items with too few ratings to be scored are used as well, unless those that are scored
        turn out to be less probable when held out: they may be items of another kind.
        """
        own = fit_states(self.pool.patterns, self.multiplicity, seed=self.seed)
        if self.short is None or not len(self.short):
            return own
        first, group = group_rows(self.short.T)
        patterns = np.vstack([self.pool.patterns, self.short[first]])
        if not can_fit(patterns):
            return own
        multiplicity = np.concatenate([self.multiplicity, counted(group, self.short_weight)])
        more = fit_states(patterns, multiplicity, seed=self.seed)
        fits = [self.multiplicity @ fit.held_out[: len(self.multiplicity)] for fit in (own, more)]
        return more if fits[1] >= fits[0] else own

    @property
    def counts(self) -> Codes:
        """Label counts of each item: (items, labels)."""
        return self.pool.patterns[self.pattern]


@dataclass(frozen=True, eq=False)
class Asked:
    """Surveys in which raters were asked one after the other, some of those that the data hold.

    Parameters
    ----------
    pool : Pool
    multiplicity : (patterns,) array of int
        How many items show each pattern.
    pattern : (rows,) array of int
        The pattern of the item of each survey.
    label : (rows, k) array of int
        What the raters said, in the order in which they were asked.
    """

    pool: Pool
    multiplicity: Codes
    pattern: Ints
    label: Codes

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.pool.patterns.shape[1]

    @property
    def observed(self) -> Codes:
        """Label counts of each survey: (rows, labels)."""
        return count_labels(self.label, self.n_labels)


def count_labels(label: Codes, n_labels: int) -> Codes:
    """Count the labels along the last axis.

    Examples
    --------
    >>> count_labels(np.array([[0, 1, 1], [2, 2, 2]]), 3)
    array([[1, 2, 0],
           [0, 0, 3]])
    """
    return np.stack([(label == code).sum(axis=-1) for code in range(n_labels)], axis=-1)


def consensus(patterns: Codes, raters: int) -> Floats:
    """Find the distribution of the most common label among `raters` random raters of each pattern.

    Labels that tie share the choice, as in the paper's HSCORE^r.

    Examples
    --------
    >>> consensus(np.array([[2, 1], [2, 2]]), 3)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    if raters == 1:  # No vote to count, which takes minutes with many labels.
        return patterns / patterns.sum(axis=1, keepdims=True)
    observed, pattern, probability = _subsets(patterns, raters)
    chosen = most_probable(observed.astype(np.float64)) * probability[:, None]
    out = np.zeros(patterns.shape)
    np.add.at(out, pattern, chosen)
    return out


def _subsets(patterns: Codes, k: int) -> tuple[Codes, Ints, Floats]:
    """Label counts that k raters of each pattern can show; the pattern; the probability."""
    ratings = patterns.sum(axis=1)
    log_factorial = log_factorials(int(ratings.max()))

    def log_choose(n: Codes, m: Codes) -> Floats:
        return log_factorial[n] - log_factorial[m] - log_factorial[n - m]

    # Choose how many of each label the survey observes, one label after the other.
    pattern = np.arange(len(patterns))
    to_ask = np.full(len(patterns), k)
    log_p = -log_choose(ratings, to_ask)
    columns: list[Codes] = []
    rest = ratings.copy()
    for label in range(patterns.shape[1]):
        available = patterns[:, label]
        rest = rest - available
        low = np.maximum(0, to_ask - rest[pattern])
        choices = np.minimum(available[pattern], to_ask) - low + 1
        row = np.repeat(np.arange(len(pattern)), choices)
        offset = np.arange(len(row)) - np.repeat(np.cumsum(choices) - choices, choices)
        shown = low[row] + offset
        columns = [column[row] for column in columns] + [shown]
        pattern, to_ask = pattern[row], to_ask[row] - shown
        log_p = log_p[row] + log_choose(available[pattern], shown)
    return np.column_stack(columns), pattern, np.exp(log_p)


def count_surveys(patterns: Codes, max_k: int) -> Floats:
    """Count the rows that :meth:`Pool.surveys` makes for k = 0 .. max_k, without making them.

    Examples
    --------
    >>> count_surveys(np.array([[2, 1], [3, 0]]), 2)
    array([2., 3., 3.])
    """
    return surveys_of_each(patterns, max_k).sum(axis=0)


def surveys_of_each(patterns: Codes, max_k: int) -> Floats:
    """Count the same for each pattern: (patterns, max_k + 1).

    The number of sub-multisets of size k is the coefficient of x^k in the product over labels of
    1 + x + ... + x^w. O(patterns x labels x max_k).
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
    return ways


def log_factorials(n: int) -> Floats:
    """Logarithms of 0! .. n!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
