"""Synthetic ratings and predictions, where the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from headcount import options
from headcount.data.labels import Labels
from headcount.data.predictions import Classifier, Predictions, hard
from headcount.data.scale import Scale
from headcount.errors import OptionError, count
from headcount.simulation.classifiers import KINDS, read_classifiers, simulate_classifiers
from headcount.simulation.states import (
    DirichletStates,
    DiscreteStates,
    MixtureStates,
    States,
    Table,
    draw_labels,
)

__all__ = [
    "DirichletStates",
    "DiscreteStates",
    "MixtureStates",
    "Simulation",
    "running_example",
    "simulate_ratings",
]

BLOCK = 4_000_000
"""Random numbers to hold at once when choosing who rates which item."""

SHARE = np.array([0.7, 0.2, 0.1])
"""Share of the items in each state."""
P_CAT = np.array([0.8, 0.1, 0.5])
"""Probability that a rater says 'cat', in each state."""
P_HARD = np.array([0.9, 0.05, 0.5])
"""Probability that the hard classifier says 'cat', in each state."""


def running_example(
    items: int = 1000, raters: int = 10, *, rng: int | np.random.Generator = 0
) -> tuple[Labels, Predictions]:
    r"""Draw the running example of the survey equivalence paper: an urn of urns.

    Each item has a state, the probability :math:`s_i` that a rater says 'cat': .8 for 70% of
    items, .1 for 20%, .5 for 10%. Raters answer independently given the state. Three classifiers
    know something of the state:

    * `hard` says 'cat' with probability .9, .05 and .5 in the three states;
    * `calibrated` replaces its answers by the frequency of 'cat' among raters given that answer:
      :math:`53/69 = .768` after 'cat' and :math:`10/31 = .323` after 'dog';
    * `omniscient` gives the state itself.

    Parameters
    ----------
    items, raters : int
        Size of the rating matrix.
    rng : int or Generator
        Seed or generator; the same seed gives the same data.

    Returns
    -------
    Labels, Predictions

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence", section 2.

    Examples
    --------
    >>> labels, predictions = running_example(100, 5, rng=1)
    >>> labels
    Labels: 500 ratings of 100 items by 5 raters; labels cat, dog
    >>> predictions
    Predictions for 100 items: hard (hard), calibrated (soft), omniscient (soft); labels cat, dog
    """
    if items < 1 or raters < 1:
        raise OptionError(f"need at least one item and one rater, not {items} and {raters}.")
    generator = options.seed(rng)
    state = generator.choice(len(SHARE), size=items, p=SHARE)
    is_dog = generator.random((items, raters)) >= P_CAT[state][:, None]
    says_dog = generator.random(items) >= P_HARD[state]

    names = np.arange(items)
    labels = Labels(
        items=names,
        raters=np.array([f"rater_{j + 1}" for j in range(raters)], dtype=object),
        scale=Scale(("cat", "dog")),
        item=np.repeat(names, raters),
        rater=np.tile(np.arange(raters), items),
        label=is_dog.ravel().astype(np.int64),
        source="running example",
    )
    given_cat = (SHARE * P_HARD) @ P_CAT / (SHARE @ P_HARD)
    given_dog = (SHARE * (1 - P_HARD)) @ P_CAT / (SHARE @ (1 - P_HARD))
    p_calibrated = np.where(says_dog, given_dog, given_cat)
    p_state = P_CAT[state]
    soft = Predictions.from_probabilities(
        names,
        labels.scale.labels,
        {
            "calibrated": np.column_stack([p_calibrated, 1 - p_calibrated]),
            "omniscient": np.column_stack([p_state, 1 - p_state]),
        },
        source=labels.source,
    )
    classifiers = (hard("hard", says_dog.astype(np.int64), 2), *soft.classifiers)
    return labels, Predictions(names, soft.labels, classifiers, labels.source)


@dataclass(frozen=True, eq=False)
class Simulation:
    """Synthetic data and the truth behind them.

    Parameters
    ----------
    labels : Labels
    predictions : Predictions
    states : (items, labels) array
        The state of each item: the distribution of its labels before any noise.
    experts : tuple of str
        The raters who are experts, if there are pools of experts and amateurs; else empty.
    """

    labels: Labels
    predictions: Predictions
    states: Table
    experts: tuple[str, ...] = ()

    @property
    def truth(self) -> Predictions:
        """The states, as predictions of a classifier called 'state'."""
        known = Classifier("state", "soft", self.states)
        return Predictions(self.labels.items, self.labels.scale.labels, (known,), "states")

    def __repr__(self) -> str:
        experts = f"; {count(len(self.experts), 'expert')}" if self.experts else ""
        names = ", ".join(classifier.name for classifier in self.predictions.classifiers)
        return f"Simulation: {str(self.labels).removeprefix('Labels: ')}{experts}; {names}"


def simulate_ratings(
    items: int,
    raters: int,
    *,
    states: States,
    labels: Sequence[str] | None = None,
    noise: float = 0.0,
    ratings: int | tuple[int, int] | None = None,
    missing: float = 0.0,
    experts: int = 0,
    amateur_noise: float = 0.0,
    classifiers: Sequence[str] = KINDS,
    sharpness: float = 2.0,
    rng: int | np.random.Generator = 0,
) -> Simulation:
    r"""Draw items with known states, raters who label them, and classifiers that know something.

    Each item has a state :math:`s`, a distribution over :math:`L` labels. A rater with noise
    :math:`\epsilon` gives label :math:`l` with probability

    .. math:: (1 - \epsilon)\, s_l + \epsilon / L,

    independently of the others: with probability :math:`\epsilon` the answer is drawn from all
    labels alike.

    A classifier has seen m labels of the item in private, without noise, and knows how states are
    distributed. Its forecast is the exact distribution of the next label, given what it saw:
    :math:`q_l = (1 - \bar\epsilon)\, E[s_l \mid m \text{ labels}] + \bar\epsilon / L`, with
    :math:`\bar\epsilon` the mean noise of the raters.

    * `hard` says the label with the largest :math:`q_l`, the first of equals;
    * `soft` is miscalibrated: :math:`q_l^\gamma / \sum_j q_j^\gamma`, too sure of itself where
      :math:`\gamma > 1`, too modest where it is less;
    * `calibrated` gives :math:`q`, which is calibrated by construction. Without noise, and
      with many items, it is worth m raters to the abc combiner with cross-entropy;
    * `omniscient` has seen the state itself: :math:`(1 - \bar\epsilon)\, s_l + \bar\epsilon / L`.

    Parameters
    ----------
    items, raters : int
        How many there are.
    states : DiscreteStates, DirichletStates or MixtureStates
        Where the states of items come from.
    labels : sequence of str, optional
        Names of the labels, in the order of the states. Default: a, b, c ... (1, 2, 3 ... if there
        are more than 26).
    noise : float
        Probability that a rater answers at random.
    ratings : int or (int, int), optional
        Ratings of an item, by raters chosen at random: a number, or the least and the most, all
        alike likely. Default: everyone rates every item.
    missing : float
        Probability that a rating is lost, whatever the item, the rater and the label.
    experts : int
        How many of the raters are experts; the others are amateurs. With 0 there are no pools.
    amateur_noise : float
        Probability that an amateur answers at random where an expert would not.
    classifiers : sequence of str
        Some of 'hard', 'soft', 'calibrated' and 'omniscient'. The first three have seen 3 labels
        of each item; 'calibrated:5', named calibrated_5, has seen 5. Classifiers that have seen as
        many labels have seen the same ones, and those who saw more saw these first.
    sharpness : float
        :math:`\gamma` of the soft classifiers.
    rng : int or Generator
        Seed or generator; the same seed gives the same data. States, raters' choices, noise and
        classifiers have a stream of numbers each: with the same seed, other noise leaves the
        states as they are, and other classifiers leave the labels.

    Returns
    -------
    Simulation

    Notes
    -----
    O(ratings x labels) time, O(ratings + items x raters) memory: 1,000,000 items x 10 raters take
    a few seconds.

    Examples
    --------
    >>> made = simulate_ratings(1000, 8, states=DirichletStates((2, 5)), ratings=(2, 5), rng=1)
    >>> made
    Simulation: 3,527 ratings of 1,000 items by 8 raters; labels a, b; hard, soft, calibrated,
    omniscient
    >>> made.states[:2].round(3)
    array([[0.2  , 0.8  ],
           [0.153, 0.847]])

    Three experts and seven amateurs, who are often inattentive:

    >>> states = DiscreteStates([(0.9, 0.1), (0.2, 0.8)])
    >>> pools = simulate_ratings(500, 10, states=states, experts=3, amateur_noise=0.4, rng=1)
    >>> pools.experts
    ('expert_1', 'expert_2', 'expert_3')
    """
    _check_sizes(items, raters, ratings)
    for name, value in (("noise", noise), ("amateur_noise", amateur_noise), ("missing", missing)):
        _check_probability(name, value)
    _check_pools(raters, experts, amateur_noise)
    wanted = read_classifiers(classifiers, sharpness=sharpness)
    _check_states(states)
    scale = Scale(_names(labels, states.size))

    # One stream a purpose, so that changing one option changes only what it must.
    of_states, of_choice, of_labels, of_noise, of_view = options.seed(rng).spawn(5)
    state = states.draw(items, of_states)
    item, rater = np.nonzero(_who_rates(items, raters, ratings, missing, of_choice))
    if not len(item):
        raise OptionError(f"no rating is left with missing (--missing) {missing:g}; lower it.")
    label = draw_labels(state, item, of_labels)
    noise_of = np.full(raters, noise)
    if experts:
        noise_of[experts:] = 1 - (1 - noise) * (1 - amateur_noise)
    if noise_of.any():
        astray = np.flatnonzero(of_noise.random(len(item)) < noise_of[rater])
        label[astray] = of_noise.integers(0, states.size, size=len(astray))

    names = np.arange(items)
    rater_names = _rater_names(raters, experts)
    rated = Labels(names, rater_names, scale, item, rater, label, source="simulation")
    predicted = simulate_classifiers(
        wanted, states, state, noise=float(noise_of.mean()), sharpness=sharpness, rng=of_view
    )
    return Simulation(
        labels=rated,
        predictions=Predictions(names, scale.labels, predicted, "simulation"),
        states=state,
        experts=tuple(rater_names[:experts].tolist()),
    )


def _who_rates(
    items: int,
    raters: int,
    ratings: int | tuple[int, int] | None,
    missing: float,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Whether each rater rates each item; items x raters."""
    rates = np.ones((items, raters), dtype=bool)
    low, high = ratings if isinstance(ratings, tuple) else (ratings or raters,) * 2
    wanted = rng.integers(low, high, size=items, endpoint=True)
    rows = max(1, BLOCK // raters)
    for start in range(0, items, rows):
        block = rates[start : start + rows]
        if low < raters:
            # The first few raters of a random order.
            order = rng.random(block.shape).argsort(axis=1)
            first = np.arange(raters) < wanted[start : start + rows, None]
            np.put_along_axis(block, order, first, axis=1)
        if missing:
            block &= rng.random(block.shape) >= missing
    return rates


def _names(labels: Sequence[str] | None, size: int) -> tuple[str, ...]:
    if labels is None:
        return tuple(ascii_lowercase[:size] if size <= 26 else map(str, range(1, size + 1)))
    if len(labels) != size:
        raise OptionError(
            f"labels (--labels) names {count(len(labels), 'label')}, but a state has {size} "
            "probabilities. Name each label once, in the order of the states."
        )
    return tuple(labels)


def _rater_names(raters: int, experts: int) -> NDArray[np.object_]:
    if not experts:
        names = [f"rater_{j + 1}" for j in range(raters)]
    else:
        names = [f"expert_{j + 1}" for j in range(experts)]
        names += [f"amateur_{j + 1}" for j in range(raters - experts)]
    return np.array(names, dtype=object)


def _check_sizes(items: int, raters: int, ratings: int | tuple[int, int] | None) -> None:
    if items < 1 or raters < 1:
        raise OptionError(f"need at least one item and one rater, not {items} and {raters}.")
    if ratings is None:
        return
    low, high = ratings if isinstance(ratings, tuple) else (ratings, ratings)
    if not 1 <= low <= high <= raters:
        given = f"{low}" if low == high else f"{low}:{high}"
        raise OptionError(
            f"ratings (--ratings) {given}: an item has at least 1 rating and at most one of each "
            f"of the {count(raters, 'rater')}. Give a number, or the least and then the most; or "
            "have more raters."
        )


def _check_states(states: object) -> None:
    if not isinstance(states, States):
        raise OptionError(
            "states must be DiscreteStates, DirichletStates or MixtureStates, not "
            f"{type(states).__name__}."
        )


def _check_pools(raters: int, experts: int, amateur_noise: float) -> None:
    if not 0 <= experts <= raters:
        raise OptionError(
            f"experts (--experts) must be from 0 to the number of raters, {raters}, not {experts}."
        )
    if amateur_noise and not 0 < experts < raters:
        raise OptionError(
            "amateur_noise (--amateur-noise) needs experts and amateurs: say how many of the "
            f"{count(raters, 'rater')} are experts with experts (--experts), some but not all. "
            "For noise in all raters use noise (--noise)."
        )


def _check_probability(name: str, value: float) -> None:
    most = "below 1" if name == "missing" else "1"
    if not 0 <= value <= 1 or (name == "missing" and value == 1):
        option = name.replace("_", "-")
        raise OptionError(f"{name} (--{option}) is a probability, from 0 to {most}, not {value:g}.")
