"""States of synthetic items, and simulated classifiers that see something of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from headcount import options
from headcount.data.labels import Counts
from headcount.data.predictions import SUM_TOLERANCE, Classifier, hard
from headcount.errors import OptionError, count, option, some, unknown_name
from headcount.typing import Codes, Floats, Ints

__all__ = [
    "States",
    "DiscreteStates",
    "DirichletStates",
    "draw_labels",
    "SimulatedClassifier",
    "Hard",
    "Calibrated",
    "Omniscient",
    "CLASSIFIERS",
    "read_classifiers",
    "simulate_classifiers",
]


# Where the states of synthetic items come from.
#
# The state of an item is the distribution of the labels that raters would give it. Two ways to draw
# one: from a list (:class:`DiscreteStates`), or from a Dirichlet distribution
# (:class:`DirichletStates`, with two labels a Beta). Each also knows what some labels of an item
# tell about its state, exactly.


@runtime_checkable
class States(Protocol):
    """A distribution of states."""

    @property
    def size(self) -> int:
        """Number of labels."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw the states of n items: an n x labels table whose rows sum to 1."""
        ...

    def posterior_mean(self, counts: ArrayLike) -> Floats:
        """Compute the expected state of items, given how often each label was seen on them."""
        ...


@dataclass(frozen=True)
class DiscreteStates:
    r"""A few states, each with its share of the items.

    Parameters
    ----------
    states : sequence of sequences of float
        For each state, the probability of each label.
    weights : sequence of float, optional
        Shares of the items; divided by their sum. Default: equal shares.

    Notes
    -----
    After labels with counts :math:`c`, state :math:`s` has a probability proportional to
    :math:`w_s \prod_l s_l^{c_l}`. O(rows x states x labels).

    Examples
    --------
    The states of the paper's running example, and the expected state of an item that two raters
    gave the second label:

    >>> states = DiscreteStates([(0.8, 0.2), (0.1, 0.9), (0.5, 0.5)], weights=(7, 2, 1))
    >>> states.posterior_mean([[0, 0], [0, 2]]).round(3)
    array([[0.63 , 0.37 ],
           [0.238, 0.762]])
    """

    states: Sequence[Sequence[float]]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        rows = [_floats(state) for state in options.listed(self.states, "states", "states")]
        if len({len(row) for row in rows}) != 1:
            raise OptionError(
                "every state gives a probability to the same labels, as in (0.8, 0.2), (0.1, 0.9); "
                f"got states of {[len(row) for row in rows]} labels."
            )
        for state, p in zip(self.states, rows, strict=True):
            if len(p) < 2 or not (p >= 0).all() or not abs(p.sum() - 1) <= SUM_TOLERANCE:
                raise OptionError(
                    f"state {_numbers(state)}: a state is a probability for each of at least two "
                    "labels, none negative, that sum to 1, as in 0.8,0.2."
                )
        _shares(self.weights, len(self.states))

    @property
    def size(self) -> int:
        """Number of labels."""
        return len(self.states[0])

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw the states of n items: an n x labels table whose rows sum to 1. O(n labels)."""
        shares = _shares(self.weights, len(self.states))
        return np.asarray(self.states, dtype=np.float64)[rng.choice(len(shares), size=n, p=shares)]

    def posterior_mean(self, counts: ArrayLike) -> Floats:
        """Compute the expected state of items, given how often each label was seen on them."""
        states = np.asarray(self.states, dtype=np.float64)
        # The floor makes 0 x log 0 nothing, and a label that a state never gives next to
        # impossible.
        log_p = np.log(np.maximum(states, 1e-300))
        with np.errstate(divide="ignore"):  # a share of 0 is allowed: its log is -inf
            logs = np.asarray(counts) @ log_p.T + np.log(_shares(self.weights, len(states)))
        top = logs.max(axis=1, keepdims=True)
        total = top + np.log(np.exp(logs - top).sum(axis=1, keepdims=True))
        return np.exp(logs - total) @ states


@dataclass(frozen=True)
class DirichletStates:
    r"""States from a Dirichlet distribution; with two labels, a Beta.

    Parameters
    ----------
    alpha : sequence of float
        A positive number for each label, proportional to the frequency of the label; the smaller
        their sum, the more raters agree on an item.

    Notes
    -----
    After labels with counts :math:`c`, label :math:`l` is expected with probability
    :math:`(\alpha_l + c_l) / \sum_j (\alpha_j + c_j)`. O(rows x labels).

    Examples
    --------
    >>> DirichletStates((2, 5)).posterior_mean([[0, 0], [3, 0]]).round(3)
    array([[0.286, 0.714],
           [0.5  , 0.5  ]])
    """

    alpha: Sequence[float]

    def __post_init__(self) -> None:
        alpha = _floats(self.alpha)
        if len(alpha) < 2 or not ((alpha > 0) & (alpha < np.inf)).all():
            raise OptionError(
                f"alpha {_numbers(self.alpha)}: a Beta or Dirichlet distribution needs a positive "
                "number for each of at least two labels, as in 2,5."
            )

    @property
    def size(self) -> int:
        """Number of labels."""
        return len(self.alpha)

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw the states of n items: an n x labels table whose rows sum to 1. O(n labels)."""
        return rng.dirichlet(np.asarray(self.alpha, dtype=np.float64), size=n)

    def posterior_mean(self, counts: ArrayLike) -> Floats:
        """Compute the expected state of items, given how often each label was seen on them."""
        total = np.asarray(self.alpha, dtype=np.float64) + np.asarray(counts)
        return total / total.sum(axis=1, keepdims=True)


def draw_labels(state: Floats, item: Ints, rng: np.random.Generator) -> Codes:
    """Draw a label of each item in `item`: the first whose cumulated probability is above u.

    O(len(item) x labels).

    Examples
    --------
    >>> draw_labels(np.array([[1, 0], [0, 1]]), np.array([0, 1, 1]), np.random.default_rng(0))
    array([0, 1, 1])
    """
    u = rng.random(len(item))
    label = np.zeros(len(item), dtype=np.int64)
    for bound in np.ascontiguousarray(state.cumsum(axis=1).T[:-1]):
        label += u >= bound[item]
    return label


def _shares(weights: Sequence[float] | None, n: int) -> Floats:
    """Weights as shares of 1; equal if there are none."""
    if weights is None:
        return np.full(n, 1 / n)
    values = _floats(weights)
    if values.shape != (n,) or not ((values >= 0) & (values < np.inf)).all() or not values.any():
        raise OptionError(
            f"weights {_numbers(weights)}: {count(n, 'state')} need as many weights, none "
            "negative and not all 0. They are divided by their sum."
        )
    return values / values.sum()


def _floats(values: Any) -> Floats:
    """Numbers of a sequence; none at all if it is not a sequence of numbers."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.zeros(0)
    return numbers if numbers.ndim == 1 else np.zeros(0)


def _numbers(values: Any) -> str:
    try:
        return ",".join(map(str, values))
    except TypeError:
        return str(values)


# Simulated classifiers: what they have seen of an item, and what they make of it.
#
# A kind is a class here, and an entry of :data:`CLASSIFIERS`. To add one, derive from
# :class:`SimulatedClassifier`; :func:`headcount.simulate_ratings` also takes an object of a user's
# own class.

VIEW = 3
"""Labels of an item that a classifier has seen, unless it says how many."""
MOST_SEEN = 1000


@dataclass(frozen=True, eq=False)
class Sight:
    """What a simulated classifier may use.

    Parameters
    ----------
    expected : (items, labels) array
        Distribution of the next label, given the labels that it has seen.
    state : (items, labels) array
        Distribution of the next label, given the state of the item.
    sharpness : float
        Power of classifiers that exaggerate.
    """

    expected: Floats
    state: Floats
    sharpness: float


@dataclass(frozen=True)
class SimulatedClassifier(ABC):
    """A classifier that has seen `seen` labels of each item, or as many as usual (None).

    Attributes
    ----------
    kind : str
        How it is asked for.
    has_view : bool
        Whether it makes anything of labels that it has seen.
    """

    kind: ClassVar[str]
    has_view: ClassVar[bool] = True

    seen: int | None = None

    @property
    def name(self) -> str:
        """Name among the predictions: the kind, and how many labels it has seen if not usual."""
        return self.kind if self.seen is None else f"{self.kind}_{self.seen}"

    @property
    def view(self) -> int:
        """Labels of each item that it has seen."""
        return (VIEW if self.seen is None else self.seen) if self.has_view else 0

    @abstractmethod
    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""


class Hard(SimulatedClassifier):
    """Says the likeliest label, the first of equals."""

    kind = "hard"

    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""
        return hard(self.name, sight.expected.argmax(axis=1), sight.expected.shape[1])


class Soft(SimulatedClassifier):
    """Miscalibrated: raises probabilities to a power, and makes them sum to 1 again."""

    kind = "soft"

    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""
        # Relative to the largest, so that a large power leaves one label at least.
        q = (sight.expected / sight.expected.max(axis=1, keepdims=True)) ** sight.sharpness
        return Classifier(self.name, "soft", q / q.sum(axis=1, keepdims=True))


class Calibrated(SimulatedClassifier):
    """Gives the distribution of the next label, given what it has seen."""

    kind = "calibrated"

    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""
        return Classifier(self.name, "soft", sight.expected)


class Omniscient(SimulatedClassifier):
    """Has seen the state itself."""

    kind = "omniscient"
    has_view = False

    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""
        return Classifier(self.name, "soft", sight.state)


CLASSIFIERS: dict[str, type[SimulatedClassifier]] = {
    each.kind: each for each in (Hard, Soft, Calibrated, Omniscient)
}


def read_classifiers(wanted: Any) -> list[SimulatedClassifier]:
    """Read classifiers as they are written, and refuse what cannot be served.

    Parameters
    ----------
    wanted : iterable of str or SimulatedClassifier
        'kind', or 'kind:labels seen'.

    Examples
    --------
    >>> read_classifiers(["hard", "calibrated:5"])
    [Hard(seen=None), Calibrated(seen=5)]
    """
    each = options.listed(wanted, "classifiers", f"names among {', '.join(CLASSIFIERS)}")
    classifiers = [
        classifier if isinstance(classifier, SimulatedClassifier) else _read_classifier(classifier)
        for classifier in each
    ]
    names = [classifier.name for classifier in classifiers]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated or not classifiers:
        raise OptionError(
            f"{option('classifiers')} names each of at least one classifier once; "
            f"{f'repeated: {some(sorted(repeated))}' if repeated else 'none is named'}. "
            f"Known: {', '.join(CLASSIFIERS)}."
        )
    return classifiers


def _read_classifier(text: Any) -> SimulatedClassifier:
    """Read 'kind' or 'kind:labels seen'."""
    kind, colon, view = str(text).partition(":")
    if kind not in CLASSIFIERS:
        raise unknown_name("classifier", text, list(CLASSIFIERS), option_name="classifiers")
    made = CLASSIFIERS[kind]
    if not colon:
        return made()
    if not made.has_view or not view.isdecimal() or int(view) > MOST_SEEN:
        raise OptionError(
            f"classifier '{text}': the number after the colon says how many labels of an item it "
            f"has seen, {MOST_SEEN:,} at most, as in {Calibrated.kind}:5; the {Omniscient.kind} "
            "classifier has none."
        )
    return made(int(view))


def simulate_classifiers(
    wanted: Sequence[SimulatedClassifier],
    states: States,
    state: Floats,
    *,
    noise: float,
    sharpness: float,
    rng: np.random.Generator,
) -> tuple[Classifier, ...]:
    """Let classifiers look at items and predict the next label.

    Parameters
    ----------
    wanted : sequence of SimulatedClassifier
    states : States
        The distribution of states, which classifiers know.
    state : (items, labels) array
        The state of each item, of which they see labels.
    noise : float
        Noise of a rater chosen at random.
    sharpness : float
        Power of the soft classifiers.
    rng : Generator

    Notes
    -----
    O(items x labels) for each label seen.
    """

    def next_label(p: Floats) -> Floats:
        return (1 - noise) * p + noise / states.size

    views = {classifier.view for classifier in wanted}
    expected: dict[int, Floats] = {}
    every = np.arange(len(state))
    sampled = np.zeros(state.shape, dtype=np.int64)
    for view in range(max(views) + 1):
        if view:
            sampled[every, draw_labels(state, every, rng)] += 1
        if view in views:
            # Many items look the same: what to expect is worked out once a pattern.
            patterns = Counts.from_matrix(sampled)
            means = states.posterior_mean(patterns.patterns)
            expected[view] = next_label(means)[patterns.pattern]
    truth = next_label(state)
    return tuple(
        classifier.predict(Sight(expected[classifier.view], truth, sharpness))
        for classifier in wanted
    )
