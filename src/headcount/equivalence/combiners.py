"""Combiners: what a survey of k raters predicts for the next rater.

Most look at nothing but the survey: how many raters gave each label (:class:`FromCounts`). Others
learn what followed the same survey on other items, as the Anonymous Bayesian Combiner does. You can
write your own: a function that takes a dict of counts and returns a label, or a dict of
probabilities::

    def optimist(counts):
        return "yes" if counts["yes"] else "no"

    survey(labels, combiner=optimist, scorer="agreement")

To add one to the house, write its class here and put it into :data:`COMBINERS`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, Self, cast, runtime_checkable

import numpy as np

from headcount import options
from headcount.data.labels import Scale
from headcount.equivalence.scorers import ANY, SCORERS, Kind, Scorer, has_values, most_probable
from headcount.equivalence.states import FittedStates, can_fit
from headcount.equivalence.surveys import Asked, Pool, PooledItems, Surveys, log_factorials
from headcount.errors import OptionError, option, some, unknown_name
from headcount.results.notes import Notes
from headcount.stats.arrays import find_rows, group_rows
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = [
    "Predicted",
    "Learned",
    "Combiner",
    "FromCounts",
    "with_support",
    "Frequency",
    "Plurality",
    "Mean",
    "ABC",
    "leave_one_out",
    "States",
    "Written",
    "COMBINERS",
    "as_combiner",
    "check_pair",
    "note_pair",
]


class Predicted(NamedTuple):
    """What surveys predict, and where a combiner had too little to learn from.

    Parameters
    ----------
    prediction : (rows, labels) array
        Probabilities of labels, or chances of choosing each.
    unsupported : (rows,) array of bool
        Where no other item could show the survey followed by some label.
    share : (rows,) array or None
        Where a combiner predicts in several ways, whose scores are averaged: the share of this
        one. None where it is the only one.
    """

    prediction: Floats
    unsupported: Flags
    share: Floats | None = None


class Learned(Protocol):
    """A combiner that has learned from items what it needs."""

    def predictions(self, surveys: Surveys) -> Iterable[Predicted]:
        """Predict the next label in every row of the surveys of 0, then 1, 2 ... raters."""
        ...

    def sampled(self, surveys: Asked, shorter: Floats | None) -> Sequence[Predicted]:
        """Predict the next label after surveys of some raters, asked one after the other.

        Parameters
        ----------
        surveys : Asked
        shorter : (rows, labels) array or None
            What was predicted first for the same surveys before the last rater was asked, where
            that is known.
        """
        ...

    def predict(self, observed: Codes) -> Floats:
        """Predict the next label on a new item, after each row of label counts."""
        ...


@runtime_checkable
class Combiner(Protocol):
    """What turns surveys into predictions of the next rater's label."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def kind(self) -> Kind:
        """What it predicts: labels (hard), probabilities (soft) or a mean."""
        ...

    @property
    def bayesian(self) -> bool:
        """Whether it tends to the true probabilities of the next label as items are added."""
        ...

    @property
    def leaves_out(self) -> bool:
        """Whether it learns from all items but the one it predicts, so that learning costs it.

        Then its curve is too low by what it has not learned yet, most so at large surveys, and
        cannot be continued beyond the data.
        """
        ...

    def learn(self, items: PooledItems) -> Learned:
        """Learn from the items that are scored; O(patterns), not O(items)."""
        ...

    def limit_predictions(self, observed: Codes, next_label: Floats) -> Floats:
        """Predict after each observation, having learned from infinitely many items.

        Parameters
        ----------
        observed : (rows, labels) array of int
            Label counts of surveys.
        next_label : (..., rows, labels) array
            True probabilities of the next label after each.
        """
        ...


class FromCounts:
    """A combiner that looks at nothing but how many raters gave each label.

    A subclass has a `name` and a `kind`, and says in :meth:`predict` what a survey predicts.
    """

    bayesian = False
    leaves_out = False

    @abstractmethod
    def predict(self, observed: Codes) -> Floats:
        """Predict from each row of label counts: a row of probabilities or of chances."""

    def learn(self, items: PooledItems) -> Self:
        """Learn nothing."""
        return self

    def predictions(self, surveys: Surveys) -> Iterable[Predicted]:
        """Predict once for each observation."""
        return [with_support(self.predict(surveys.observed)[surveys.state])]

    def sampled(self, surveys: Asked, shorter: Floats | None) -> Sequence[Predicted]:
        """Predict from the label counts of each survey."""
        return [with_support(self.predict(surveys.observed))]

    def limit_predictions(self, observed: Codes, next_label: Floats) -> Floats:
        """Predict from the label counts, whatever other items would teach."""
        return np.broadcast_to(self.predict(observed), next_label.shape)


def with_support(prediction: Floats, share: Floats | None = None) -> Predicted:
    """Say that nothing was lacking."""
    return Predicted(prediction, np.zeros(len(prediction), dtype=np.bool_), share)


@dataclass(frozen=True)
class Frequency(FromCounts):
    r"""The frequency of each label in the survey, kept away from 0 and 1.

    :math:`p_l \propto \min(\max(y_l / k, \epsilon), 1 - \epsilon)`; uniform with no raters.

    Parameters
    ----------
    eps : float
        Smallest probability before normalising; .02 in the paper. 0 leaves frequencies alone.

    Examples
    --------
    >>> Frequency(eps=0.02).predict(np.array([[2, 0], [0, 0]]))
    array([[0.98, 0.02],
           [0.5 , 0.5 ]])
    """

    eps: float = 0.02
    name: str = "frequency"
    kind: Kind = "soft"

    def __post_init__(self) -> None:
        options.number(self.eps, "eps", least=0, below=0.5, such_as="0.02")

    def predict(self, observed: Codes) -> Floats:
        """Probabilities of the next label, for each row of label counts."""
        k = observed.sum(axis=1, keepdims=True)
        share = observed / np.maximum(k, 1) + (k == 0) / observed.shape[1]
        kept = np.clip(share, self.eps, 1 - self.eps)
        return kept / kept.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Plurality(FromCounts):
    """The most common label; labels that tie are chosen at random, with equal chances.

    The choice is never drawn: each of the labels that tie gets its share. With no raters every
    label ties.

    Examples
    --------
    >>> Plurality().predict(np.array([[2, 1, 0], [1, 1, 0]]))
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ]])
    """

    name: str = "plurality"
    kind: Kind = "hard"

    def predict(self, observed: Codes) -> Floats:
        """Chances that each label is chosen, for each row of label counts."""
        return most_probable(observed.astype(np.float64))


@dataclass(frozen=True)
class Mean(FromCounts):
    r"""The mean of the observed labels, which must be numbers; for the correlation scorer.

    What is kept is the share of each label, whose mean :math:`\sum_l (y_l / k) v_l` the scorer
    takes; with no raters the shares are equal, and the prediction is the same for every item.

    Examples
    --------
    >>> import numpy as np
    >>> Mean().predict(np.array([[1, 3], [0, 0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """

    name: str = "mean"
    kind: Kind = "mean"

    def predict(self, observed: Codes) -> Floats:
        """Share of each label, for each row of label counts."""
        return Frequency(eps=0).predict(observed)


# The Anonymous Bayesian Combiner: what followed the same observation on other items.

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

    These are Algorithms 5-6 of the paper, with the item itself left out: with one sequence
    probability in the numerator and one in the denominator, the number of orderings of y and the
    number of items cancel.

    If no other item shows y followed by some label, this quotient is 0 or 0/0. Then one imaginary
    item is added, which answers as the survey with one rater fewer (averaged over the missing
    rater) predicts, :math:`q(y)`:

    .. math:: p_l(y) = (N_{yl} + q_l(y)) \,/\, (1 + \textstyle\sum_j N_{yj})

    Without raters q is uniform. So a prediction is never 0 or undefined and does not use the label
    that it will be scored against, and the correction becomes smaller with more items.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence", section 4.

    Examples
    --------
    >>> from headcount import ABC, running_example, survey
    >>> people, _ = running_example(100, 4, seed=1)
    >>> survey(people, combiner=ABC(), bootstrap=0).curve[0].k
    0
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
        followed, others, unsupported = self._counted(surveys)
        prediction = _shares(others)
        if unsupported.any():
            imaginary = shorter_prediction(surveys, self._shorter, np.flatnonzero(unsupported))
            prediction[unsupported] = _with_one_more(others[unsupported], imaginary)
        self._shorter = (surveys, prediction)
        if not self.both_sides:
            return [Predicted(prediction, unsupported)]
        half = np.full(len(prediction), 0.5)
        every = np.add.reduceat(followed, surveys.starts, axis=0)[surveys.state]
        with_item = _filled(_shares(every), prediction)
        return [Predicted(prediction, unsupported, half), with_support(with_item, half)]

    def _counted(self, surveys: Surveys) -> tuple[Floats, Floats, Flags]:
        """Count items by what followed: those of each row, all others that observed the same.

        And tell where some label did not follow on any other item.
        """
        items = self.items.multiplicity[surveys.pattern][:, None]
        joint = surveys.probability[:, None] * surveys.next
        supported = leave_one_out(surveys, items, (joint > 0).astype(np.float64)) > 0.5
        others = np.where(supported, leave_one_out(surveys, items, joint), 0.0)
        return items * joint, others, ~np.all(supported, axis=1)

    def sampled(self, surveys: Asked, shorter: Floats | None) -> Sequence[Predicted]:
        """Predict the next label after surveys of some raters, learning from all other items.

        Where support is lacking, the shorter survey is the one without the rater asked last: over
        random orders that is the mean over which rater is missing.

        Notes
        -----
        O(observations x patterns + rows) time.
        """
        observed, n_labels = surveys.observed, surveys.n_labels
        first, group = group_rows(observed.T)
        joint, support = _expected_items(surveys.pool, surveys.multiplicity, observed[first])
        own = _joint_probability(surveys.pool, surveys.pattern, observed)
        others = joint[group] - own
        supported = support[group] - (own > 0) > 0.5
        unsupported = ~np.all(supported, axis=1)
        others = np.where(supported, others, 0.0)
        imaginary = np.full((int(unsupported.sum()), n_labels), 1 / n_labels)
        if unsupported.any() and surveys.label.shape[1]:
            if shorter is None:
                rows, label = np.flatnonzero(unsupported), surveys.label[unsupported, :-1]
                before = replace(surveys, pattern=surveys.pattern[rows], label=label)
                imaginary = self.sampled(before, None)[0].prediction
            else:
                imaginary = shorter[unsupported]
        prediction = _shares(others)
        prediction[unsupported] = _with_one_more(others[unsupported], imaginary)
        if not self.both_sides:
            return [Predicted(prediction, unsupported)]
        half = np.full(len(prediction), 0.5)
        with_item = _filled(_shares(others + own), prediction)
        return [Predicted(prediction, unsupported, half), with_support(with_item, half)]

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


def _filled(shares: Floats, instead: Floats) -> Floats:
    """Keep 0 off the labels that no item gave: a reference other than the next rater may."""
    least = 0.01 * np.where(shares > 0, 0.0, instead)
    return (shares + least) / (1 + least.sum(axis=1, keepdims=True))


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
    shorter_state = find_rows(before.observed.T, less.T)
    share = surveys.observed[state, label] / surveys.k
    starts = np.searchsorted(state, np.arange(len(surveys.observed) + 1))
    first, different = starts[surveys.state[rows]], np.diff(starts)[surveys.state[rows]]
    mean = np.zeros((len(rows), n_labels))
    for nth in range(int(different.max(initial=0))):
        has = np.flatnonzero(different > nth)
        pair = first[has] + nth
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
    learns = pool.learns
    next_label = left / np.maximum(n - k, 1)[:, None] if learns is None else learns[pattern]
    return np.exp(log_p)[:, None] * next_label


# What followed the same observation on other items, where many labels leave few of these.

IMAGINARY = tuple(2.0**power for power in range(-2, 11))
"""Imaginary items that are tried."""
SAME = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
"""How often they repeat a label of the survey, besides what the shorter survey predicts."""
MOST_NUMBERS = 1_000_000
"""Rows times labels from which the imaginary items are chosen."""


class LearnedMany(LearnedABC):
    r"""What followed each observation, counted with the item in and out, and smoothed.

    With :math:`N_{yl}` items that observed y before l, :math:`q(y)` what the survey with one rater
    fewer predicts, and y/k the shares of labels in the survey,

    .. math:: p_l(y) = \frac{N_{yl} + m \, (s y_l / k + (1 - s) q_l(y))}{\sum_j N_{yj} + m}.

    Of each size of survey, m and s are those under which items left out are most probable. Then
    what is lost on items left out is half of what is won by having them in: without imaginary
    items, or with one, it is less where labels are so many that most observations are rare.
    """

    def __init__(self, items: PooledItems) -> None:
        super().__init__(items, both_sides=True)

    def predictions(self, surveys: Surveys) -> Iterable[Predicted]:
        """Predict the next label in every row, by all other items, and by all."""
        followed, others, unsupported = self._counted(surveys)
        every = np.add.reduceat(followed, surveys.starts, axis=0)[surveys.state]
        shorter = shorter_prediction(surveys, self._shorter, np.arange(len(others)))
        same = (surveys.observed / max(surveys.k, 1))[surveys.state]
        m, instead = _imaginary(others, followed, shorter, same if surveys.k else shorter)
        prediction = (others + m * instead) / (others.sum(axis=1, keepdims=True) + m)
        with_item = (every + m * instead) / (every.sum(axis=1, keepdims=True) + m)
        self._shorter = (surveys, prediction)
        half = np.full(len(prediction), 0.5)
        return [Predicted(prediction, unsupported, half), with_support(with_item, half)]


def _imaginary(
    others: Floats, followed: Floats, shorter: Floats, same: Floats
) -> tuple[float, Floats]:
    """Choose imaginary items, how many there are and what they say, by what follows items left out.

    Parameters
    ----------
    others : (rows, labels) array
        Other items that observed the same, by what followed.
    followed : (rows, labels) array
        Items of the row, by what followed.
    shorter, same : (rows, labels) arrays
        What the shorter survey predicts, and the shares of labels in the survey.
    """
    step = 1 + others.size // MOST_NUMBERS
    row, label = np.nonzero(followed[::step])
    weight, items, n = (
        followed[::step][row, label],
        others[::step][row, label],
        others[::step].sum(axis=1)[row],
    )
    by_same, by_shorter = same[::step][row, label], shorter[::step][row, label]

    def fits(m: float, s: float) -> float:
        answers = s * by_same + (1 - s) * by_shorter
        return float(weight @ np.log(np.maximum((items + m * answers) / (n + m), 1e-300)))

    ways = [(m, s) for s in SAME for m in IMAGINARY]
    m, s = max(ways, key=lambda way: fits(*way))
    return m, s * same + (1 - s) * shorter


# The states combiner: what the next rater says, given how item states are distributed.


@dataclass(frozen=True)
class States:
    r"""Bayes' rule under the fitted distribution of item states.

    With states :math:`\theta_j` of weight :math:`g_j`, the next rater after counts y says l with
    probability

    .. math:: q_l(y) = \sum_j g_j \theta_{jl} \prod_m \theta_{jm}^{y_m} \Big/
                       \sum_j g_j \prod_m \theta_{jm}^{y_m}.

    The distribution is fitted to all items, and again without each of twenty folds of them (see
    :func:`~headcount.equivalence.states.fit_states`). Each item is scored with both, with
    itself in and with itself out, and the two scores are averaged: to first order one is as much
    above what very many items would teach as the other is below, so that the curve is that of
    surveys and not of how many items there were to learn from.

    Where states cannot be fitted (many labels, or amateurs who predict experts), what followed the
    same observation is counted as ABC does, and averaged over both sides all the same; of many
    labels it is smoothed.
    """

    name: str = "states"
    kind: Kind = "soft"
    bayesian: bool = True
    leaves_out: bool = False

    def learn(self, items: PooledItems) -> Learned:
        """Fit the distribution of states."""
        if items.pool.learns is not None:
            return LearnedABC(items, both_sides=True)
        if not can_fit(items.pool.patterns):
            return LearnedMany(items)
        return LearnedStates(items.states, items.seed)

    def limit_predictions(self, observed: Codes, next_label: Floats) -> Floats:
        """Predict the true probabilities, which infinitely many items teach."""
        return next_label


@dataclass(frozen=True, eq=False)
class LearnedStates:
    """Predictions under the distribution of all items, and of all but those of a fold."""

    states: FittedStates
    seed: int

    def predictions(self, surveys: Surveys) -> Iterable[Predicted]:
        """Predict from each observation, in as many ways as there are folds and one more."""
        fit = self.states
        each = fit.predict(surveys.observed)
        yield with_support(each[0][surveys.state], np.full(len(surveys.state), 0.5))
        for prediction, share in zip(each[1:], fit.fold_share, strict=True):
            yield with_support(prediction[surveys.state], share[surveys.pattern] / 2)

    def sampled(self, surveys: Asked, shorter: Floats | None) -> Sequence[Predicted]:
        """Predict from each survey, with the item in and, in one of its folds, out."""
        fit = self.states
        first, group = group_rows(surveys.observed.T)
        each = fit.predict(surveys.observed[first])
        chance = np.cumsum(fit.fold_share, axis=0)[:, surveys.pattern]
        drawn = np.random.default_rng(self.seed).random(len(group))
        fold = np.minimum((drawn[None] > chance).sum(axis=0), len(chance) - 1)
        half = np.full(len(group), 0.5)
        return [with_support(each[0][group], half), with_support(each[1 + fold, group], half)]

    def predict(self, observed: Codes) -> Floats:
        """Predict the next label on a new item, after each row of label counts."""
        return self.states.predict(observed)[0]


# Combiners that users write: a function of counts.

Written = Callable[[dict[str, int]], str | Mapping[str, float]]
"""A function that takes a dict of counts and returns a label, or a dict of probabilities."""


@dataclass(frozen=True)
class FromFunction(FromCounts):
    """A combiner that a user wrote as a function of a dict of counts.

    What it predicts, labels or probabilities, is found by asking it about no rater.
    """

    function: Written
    labels: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the function."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    @property
    def kind(self) -> Kind:
        """What it returns after no rater."""
        return self._call([0] * len(self.labels))[0]

    def predict(self, observed: Codes) -> Floats:
        """Call the function for each row of label counts."""
        rows = [self._call([int(c) for c in counts]) for counts in observed]
        return np.array([row for _, row in rows])

    def _call(self, counts: Sequence[int]) -> tuple[Kind, list[float]]:
        labels = self.labels
        table = dict(zip(labels, counts, strict=True))
        answer = self.function(dict(table))
        if not isinstance(answer, Mapping):
            if answer not in labels:
                raise OptionError(
                    f"combiner '{self.name}' returned label '{answer}' for {table}; it must return "
                    f"one of {some(labels, 10)}, or a dict of their probabilities."
                )
            return "hard", [float(label == answer) for label in labels]
        probabilities = [float(answer.get(label, 0.0)) for label in labels]
        wrong = set(answer) - set(labels) or min(probabilities) < 0
        if wrong or abs(sum(probabilities) - 1) > 1e-6:
            raise OptionError(
                f"combiner '{self.name}' returned {dict(answer)} for {table}; it must return a "
                f"label, or a dict that gives {some(labels, 10)} probabilities that sum to 1."
            )
        return "soft", probabilities


COMBINERS: dict[str, Combiner] = {
    c.name: c for c in (States(), ABC(), Frequency(), Plurality(), Mean())
}
"""Combiners by name; the first is the default."""

_PREDICTS: dict[Kind, str] = {"hard": "labels", "soft": "probabilities", "mean": "means"}


def as_combiner(combiner: Any, labels: tuple[str, ...]) -> Combiner:
    """Find a combiner by name, or wrap a function that a user wrote."""
    if isinstance(combiner, str):
        if combiner not in COMBINERS:
            raise unknown_name("combiner", combiner, list(COMBINERS), option_name="combiner")
        return COMBINERS[combiner]
    if isinstance(combiner, Combiner):
        return combiner
    if callable(combiner):
        return FromFunction(cast(Written, combiner), labels)
    raise OptionError(
        f"{option('combiner')} must be the name of a combiner, or a function of a dict of counts, "
        f"not {type(combiner).__name__}."
    )


def check_pair(combiner: Combiner, scorer: Scorer, scale: Scale) -> None:
    """Raise OptionError where the scorer cannot score what the combiner predicts."""
    if combiner.kind in scorer.kinds:
        return
    numeric = has_values(scale)
    fitting = [s for s in SCORERS.values() if combiner.kind in s.kinds]
    scorers = [s.name for s in fitting if numeric or not s.needs_numbers]
    scorers = scorers or [f"{s.name}, on labels that are numbers" for s in fitting]
    combiners = [c.name for c in COMBINERS.values() if c.kind in scorer.kinds]
    why = "" if combiner.kind in ANY else str(getattr(scorer, "unfair", ""))
    raise OptionError(
        f"combiner '{combiner.name}' predicts {_PREDICTS[combiner.kind]}, which scorer "
        f"'{scorer.name}' does not score. With {scorer.name} use combiner "
        f"{' or '.join(combiners)}; with {combiner.name} use scorer {' or '.join(scorers)}."
        f"{why and f' {why}'}"
    )


def note_pair(combiner: Combiner, scorer: Scorer, notes: Notes) -> None:
    """Say where surveys are no fair opponents under a scorer."""
    best: Kind | None = getattr(scorer, "fairest", None)
    if best is not None and combiner.kind != best:
        names = [c.name for c in COMBINERS.values() if c.kind == best]
        notes.caution(
            f"{scorer.name} rewards predictions that vary as much as labels do, so that labels "
            f"chosen by '{combiner.name}' score a little low and a classifier looks worth somewhat "
            f"more; {option('combiner', names[0])} is the fairer opponent."
        )
    if getattr(scorer, "calibrates", False) and not combiner.bayesian:
        names = [c.name for c in COMBINERS.values() if c.bayesian]
        notes.caution(
            f"'{combiner.name}' does not learn what best to say after a survey, so that under "
            f"{scorer.name} a classifier looks worth more raters than it is; "
            f"{option('combiner', names[0])} does."
        )
