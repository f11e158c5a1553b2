"""The Anonymous Bayesian Combiner: what followed the same observation on other items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.equivalence.combiners.base import Predicted, unhelped
from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.surveys.surveys import (
    Asked,
    Pool,
    PooledItems,
    Surveys,
    log_factorials,
)
from headcount.errors import OptionError, option
from headcount.stats.grouping import group_rows
from headcount.typing import Codes, Floats, Ints

__all__ = ["ABC", "LearnedABC", "leave_one_out", "shorter_prediction"]

_BLOCK_PAIRS = 4_000_000
MOST_ASKED = 200
"""Ratings after which a new item's next label is predicted at most."""
MOST_SHORTER = 200_000
"""Surveys with fewer of these raters that may have to be looked at, at most: a second's work."""


@dataclass(frozen=True)
class ABC:
    r"""The Anonymous Bayesian Combiner: what followed the same observation on other items.

    Let :math:`N_{yl}` be the expected number of *other* items on which a survey of k raters
    observes the counts y and the next rater says l. Then

    .. math:: p_l(y) = N_{yl} \,/\, \textstyle\sum_j N_{yj}

    which is Algorithms 5-6 of the paper, with the item itself left out: with one sequence
    probability in the numerator and one in the denominator, the number of orderings of y and the
    number of items cancel.

    Where no other item can show y followed by some label, that quotient says 0, or 0/0. There,
    one imaginary item is added that answers as the survey with one rater fewer (averaged over
    which rater is missing) predicts, :math:`q(y)`:

    .. math:: p_l(y) = (N_{yl} + q_l(y)) \,/\, (1 + \textstyle\sum_j N_{yj})

    and with no raters at all q is uniform. So a prediction is never 0, never undefined, does not
    look at the label that it will be scored against, and the correction fades as items are added.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence", section 4.
    """

    name: str = "abc"
    kind: Kind = "soft"
    bayesian: bool = True
    leaves_out: bool = True

    def learn(self, items: PooledItems) -> LearnedABC:
        """Count what followed each observation."""
        return LearnedABC(items)

    def limit_predictions(self, observed: Codes, next_label: Floats) -> Floats:
        """Predict the true probabilities, which infinitely many items teach."""
        return next_label


class LearnedABC:
    """The items from which ABC learns.

    Parameters
    ----------
    items : PooledItems
    both_sides : bool
        Whether to predict also with the item itself left in, and to average the two scores. What
        is lost by learning from few items, and what is won by having seen the item, are the same
        to first order, so that the mean is what very many items would give.
    """

    def __init__(self, items: PooledItems, *, both_sides: bool = False) -> None:
        self.items, self.both_sides = items, both_sides
        self._shorter: tuple[Surveys, Floats] | None = None

    def predictions(self, surveys: Surveys) -> Iterable[Predicted]:
        """Predict the next label in every row, learning from all other items.

        O(rows x labels) time and memory.
        """
        items = self.items.multiplicity[surveys.pattern][:, None]
        joint = surveys.probability[:, None] * surveys.next
        others = leave_one_out(surveys, items, joint)
        supported = leave_one_out(surveys, items, (joint > 0).astype(np.float64)) > 0.5
        helped = ~np.all(supported, axis=1)
        others = np.where(supported, others, 0.0)
        prediction = _shares(others)
        if helped.any():
            imaginary = shorter_prediction(surveys, self._shorter, np.flatnonzero(helped))
            prediction[helped] = _with_one_more(others[helped], imaginary)
        self._shorter = (surveys, prediction)
        if not self.both_sides:
            return [Predicted(prediction, helped)]
        half = np.full(len(prediction), 0.5)
        starts = surveys.starts
        every = np.add.reduceat(items * joint, starts, axis=0)[surveys.state]
        seen = _filled(_shares(every), prediction)
        return [Predicted(prediction, helped, half), unhelped(seen, half)]

    def sampled(self, asked: Asked, shorter: Floats | None) -> Sequence[Predicted]:
        """Predict the next label after surveys of some raters, learning from all other items.

        Where support is lacking, the shorter survey is the one without the rater asked last: over
        random orders that is the mean over which rater is missing.

        Notes
        -----
        O(observations x patterns + rows) time.
        """
        observed, n_labels = asked.observed, asked.n_labels
        first, group = group_rows(observed.T)
        joint, support = _expected_items(asked.pool, asked.multiplicity, observed[first])
        own = _joint_probability(asked.pool, asked.pattern, observed)
        others = joint[group] - own
        supported = support[group] - (own > 0) > 0.5
        helped = ~np.all(supported, axis=1)
        others = np.where(supported, others, 0.0)
        imaginary = np.full((int(helped.sum()), n_labels), 1 / n_labels)
        if helped.any() and asked.label.shape[1]:
            if shorter is None:
                before = asked.without_last(np.flatnonzero(helped))
                imaginary = self.sampled(before, None)[0].prediction
            else:
                imaginary = shorter[helped]
        prediction = _shares(others)
        prediction[helped] = _with_one_more(others[helped], imaginary)
        if not self.both_sides:
            return [Predicted(prediction, helped)]
        half = np.full(len(prediction), 0.5)
        seen = _filled(_shares(others + own), prediction)
        return [Predicted(prediction, helped, half), unhelped(seen, half)]

    def predict(self, observed: Codes) -> Floats:
        """Predict the next label on a new item, after each row of label counts.

        Where no item shows what was observed, surveys with one rater fewer are looked at, down to
        those that some item shows: O(product of the counts, each plus one).
        """
        if len(observed) and (
            observed.sum(axis=1).max() > MOST_ASKED
            or np.prod(observed + 1.0, axis=1).max() > MOST_SHORTER
        ):
            raise OptionError(
                f"{option('counts')} are of too many ratings to look for what followed them on "
                "other items. Give fewer."
            )
        return self._predict(observed)

    def _predict(self, observed: Codes) -> Floats:
        pool, multiplicity = self.items.pool, self.items.multiplicity
        joint, support = _expected_items(pool, multiplicity, observed)
        prediction = _shares(joint)
        lacking = np.any(support < 0.5, axis=1)
        if lacking.any():
            imaginary = self._one_fewer(observed[lacking])
            prediction[lacking] = _with_one_more(joint[lacking], imaginary)
        return prediction

    def _one_fewer(self, observed: Codes) -> Floats:
        """Mean prediction after each row with one of its raters missing; uniform after none."""
        row, label = np.nonzero(observed)
        k = observed.sum(axis=1, keepdims=True)
        mean = np.where(k > 0, 0.0, np.full(observed.shape, 1 / observed.shape[1]))
        if len(row):
            less = observed[row]
            less[np.arange(len(row)), label] -= 1
            # Each survey once: many of the rows lead to the same.
            first, group = group_rows(less.T)
            share = observed[row, label] / k[row, 0]
            np.add.at(mean, row, share[:, None] * self._predict(less[first])[group])
        return mean


def _shares(numbers: Floats) -> Floats:
    total = numbers.sum(axis=-1, keepdims=True)
    return numbers / np.where(total > 0, total, 1.0)


def _with_one_more(numbers: Floats, imaginary: Floats) -> Floats:
    """Add an imaginary item that answers as the survey with one rater fewer predicts."""
    return (numbers + imaginary) / (1 + numbers.sum(axis=-1, keepdims=True))


def _filled(seen: Floats, instead: Floats) -> Floats:
    """Keep 0 off the labels that no item gave: a reference other than the next rater may."""
    least = 0.01 * np.where(seen > 0, 0.0, instead)
    return (seen + least) / (1 + least.sum(axis=1, keepdims=True))


def leave_one_out(surveys: Surveys, items: Codes, each: Floats) -> Floats:
    """Sum `each` over all items with the same observation, less one item of the row's pattern."""
    starts = surveys.starts
    total = np.add.reduceat(items * each, starts, axis=0)[surveys.state]
    others = total - each
    # Where an item is nearly alone with its observation, the difference is mostly rounding: sum
    # again without it. A row can be nearly alone for a label only once an observation.
    alone = np.flatnonzero(np.any((others < 1e-4 * each) & (each > 0), axis=1))
    ends = np.append(starts[1:], len(each))
    for row in alone.tolist():
        group = slice(int(starts[surveys.state[row]]), int(ends[surveys.state[row]]))
        weight = items[group].astype(np.float64)
        weight[row - group.start] -= 1
        others[row] = (weight * each[group]).sum(axis=0)
    return others


def shorter_prediction(
    surveys: Surveys, shorter: tuple[Surveys, Floats] | None, rows: Ints
) -> Floats:
    """Mean prediction of the surveys with one of the raters missing, for chosen rows."""
    n_labels = surveys.observed.shape[1]
    if shorter is None:
        return np.full((len(rows), n_labels), 1 / n_labels)
    before, prediction = shorter
    # Once a state and label that it holds: the state without that label, and its share.
    state, label = np.nonzero(surveys.observed)
    less = surveys.observed[state]
    less[np.arange(len(less)), label] -= 1
    shorter_state, share = before.find_states(less), surveys.observed[state, label] / surveys.k
    starts = np.searchsorted(state, np.arange(len(surveys.observed) + 1))
    first, different = starts[surveys.state[rows]], np.diff(starts)[surveys.state[rows]]
    mean = np.zeros((len(rows), n_labels))
    for place in range(int(different.max(initial=0))):
        has = np.flatnonzero(different > place)
        pair = first[has] + place
        source = before.find(surveys.pattern[rows[has]], shorter_state[pair])
        mean[has] += share[pair][:, None] * prediction[source]
    return mean


def _expected_items(pool: Pool, multiplicity: Codes, observed: Codes) -> tuple[Floats, Floats]:
    """Sum, for each observation and next label, expected items, and items that can show it."""
    joint, support = np.zeros(observed.shape), np.zeros(observed.shape)
    block = max(1, _BLOCK_PAIRS // pool.patterns.size)
    for start in range(0, len(observed), block):
        part = observed[start : start + block]
        fits = np.all(pool.patterns[None, :, :] >= part[:, None, :], axis=-1)
        state, pattern = np.nonzero(fits)
        each = _joint_probability(pool, pattern, part[state])
        items = multiplicity[pattern][:, None]
        np.add.at(joint, start + state, items * each)
        np.add.at(support, start + state, items * (each > 0))
    return joint, support


def _joint_probability(pool: Pool, pattern: Ints, observed: Codes) -> Floats:
    """Probability that an item of the pattern shows the observation, and then each label."""
    w = pool.patterns[pattern]
    n, k = w.sum(axis=1), observed.sum(axis=1)
    table = log_factorials(int(n.max(initial=0)))
    left = w - observed
    log_p = (table[w] - table[observed] - table[left]).sum(axis=1)
    log_p -= table[n] - table[k] - table[n - k]
    known = pool.learns
    next_label = left / np.maximum(n - k, 1)[:, None] if known is None else known[pattern]
    return np.exp(log_p)[:, None] * next_label
