"""Synthetic ratings and predictions, where the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np

from headcount import options
from headcount.data.labels import Labels, Scale
from headcount.data.predictions import Classifier, Predictions, hard
from headcount.errors import OptionError, count, option
from headcount.simulation.states import (
    CLASSIFIERS,
    Calibrated,
    Hard,
    Omniscient,
    SimulatedClassifier,
    States,
    draw_labels,
    read_classifiers,
    simulate_classifiers,
)
from headcount.typing import Flags, Floats, Seed

__all__ = [
    "MOST_ITEMS",
    "Simulation",
    "simulate_ratings",
    "running_example",
]


# What a simulation of ratings is asked for, checked: sizes, who rates what, and how well.

MOST_ITEMS = 10_000_000
MOST_RATINGS = 100_000_000
"""Ratings that can be simulated at once: they take a few gigabytes."""
MOST_CELLS = 1_000_000_000
"""Items times raters: a byte each, to say who rates what."""
BLOCK = 4_000_000
"""Random numbers to hold at once when choosing who rates which item."""


def check_sizes(items: Any, raters: Any, each: int | None = None) -> tuple[int, int]:
    """Check how many items and raters there are to be, `each` item with so many ratings.

    Examples
    --------
    >>> check_sizes(10_000_000, 50)
    Traceback (most recent call last):
    headcount.errors.OptionError: 10,000,000 items with 50 ratings each are more than the
    100,000,000 ratings that can be simulated at once; have fewer.
    """
    items = options.whole(items, "items", least=1, most=MOST_ITEMS)
    raters = options.whole(raters, "raters", least=1, most=MOST_CELLS)
    ratings = raters if each is None else each
    if items * ratings > MOST_RATINGS:
        raise OptionError(
            f"{items:,} items with {count(ratings, 'rating')} each are more than the "
            f"{MOST_RATINGS:,} ratings that can be simulated at once; have fewer."
        )
    if items * raters > MOST_CELLS:
        raise OptionError(
            f"{items:,} items times {count(raters, 'rater')} are more than {MOST_CELLS:,}, the "
            "most that can be simulated at once; have fewer."
        )
    return items, raters


def label_names(labels: Any, size: int) -> tuple[str, ...]:
    """Name the labels of a state: as given, or a, b, c ...

    Examples
    --------
    >>> label_names(None, 3)
    ('a', 'b', 'c')
    """
    if labels is None:
        return tuple(ascii_lowercase[:size] if size <= 26 else map(str, range(1, size + 1)))
    names = [str(label) for label in options.listed(labels, "labels", "names")]
    if len(names) != size:
        raise OptionError(
            f"{option('labels')} names {count(len(names), 'label')}, but a state has {size} "
            "probabilities. Name each label once, in the order of the states."
        )
    return tuple(names)


def _draw_raters(
    items: int, raters: int, least: int, most: int, missing: float, rng: np.random.Generator
) -> Flags:
    """Draw whether each rater rates each item; items x raters."""
    rates = np.ones((items, raters), dtype=bool)
    wanted = rng.integers(least, most, size=items, endpoint=True)
    rows = max(1, BLOCK // raters)
    for start in range(0, items, rows):
        block = rates[start : start + rows]
        if least < raters:
            # The first few raters of a random order.
            order = rng.random(block.shape).argsort(axis=1)
            first = np.arange(raters) < wanted[start : start + rows, None]
            np.put_along_axis(block, order, first, axis=1)
        if missing:
            block &= rng.random(block.shape) >= missing
    if not rates.any():
        raise OptionError(f"no rating is left with {option('missing', missing)}; lower it.")
    return rates


def _ratings(ratings: Any, raters: int) -> tuple[int, int]:
    """Least and most ratings of an item: a number, a pair, or None for those of all raters."""
    if ratings is None:
        return raters, raters
    try:
        ends: list[Any] = list(ratings)
    except TypeError:
        ends = [ratings] * 2
    if len(ends) != 2:
        raise OptionError(
            f"{option('ratings')} must be a number of ratings, or the least and the most, not "
            f"{ratings!r}."
        )
    least, most = (options.whole(end, "ratings") for end in ends)
    if not 1 <= least <= most <= raters:
        shown = f"{least}" if least == most else f"{least}:{most}"
        raise OptionError(
            f"{option('ratings')} {shown}: an item has at least 1 rating and at most one of each "
            f"of the {count(raters, 'rater')}. Give a number, or the least and then the most; or "
            "have more raters."
        )
    return least, most


# Synthetic ratings and predictions, where the truth is known.


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
    states: Floats
    experts: tuple[str, ...] = ()

    @property
    def truth(self) -> Predictions:
        """The states, as predictions of a classifier called 'state'."""
        states = Classifier("state", "soft", self.states)
        return Predictions(
            items=self.labels.items,
            labels=self.labels.scale.labels,
            classifiers=(states,),
            source="states",
        )

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
    classifiers: Sequence[str | SimulatedClassifier] = tuple(CLASSIFIERS),
    sharpness: float = 2.0,
    seed: Seed = 0,
) -> Simulation:
    r"""Draw items with known states, raters who label them, and classifiers that predict.

    Each item has a state :math:`s`, a distribution over :math:`L` labels. A rater with noise
    :math:`\epsilon` gives label :math:`l` with probability

    .. math:: (1 - \epsilon)\, s_l + \epsilon / L,

    independently of the others: with probability :math:`\epsilon` the answer is any label with
    equal probability.

    A classifier has seen m labels of the item, without noise, that are not in the data, and knows
    how states are distributed. Its forecast is the exact distribution of the next label, given
    these m labels:
    :math:`q_l = (1 - \bar\epsilon)\, E[s_l \mid m \text{ labels}] + \bar\epsilon / L`, with
    :math:`\bar\epsilon` the mean noise of the raters.

    * `hard` gives the label with the largest :math:`q_l`; if several are equal, the first;
    * `soft` is miscalibrated: :math:`q_l^\gamma / \sum_j q_j^\gamma`, overconfident if
      :math:`\gamma > 1`, underconfident if it is less;
    * `calibrated` gives :math:`q`, which is calibrated by construction. Without noise, and
      with many items, it is worth m raters to the abc combiner with cross-entropy;
    * `omniscient` has seen the state itself: :math:`(1 - \bar\epsilon)\, s_l + \bar\epsilon / L`.

    Parameters
    ----------
    items, raters : int
        How many there are.
    states : DiscreteStates or DirichletStates
        The distribution of the states of items.
    labels : sequence of str, optional
        Names of the labels, in the order of the states. Default: a, b, c ... (1, 2, 3 ... if there
        are more than 26).
    noise : float
        Probability that a rater answers at random.
    ratings : int or (int, int), optional
        Ratings per item, by raters chosen at random: a number, or the smallest and largest of
        numbers with equal probability. Default: everyone rates every item.
    missing : float
        Probability that a rating is missing, independent of item, rater and label.
    experts : int
        How many of the raters are experts; the others are amateurs. With 0 there are neither.
    amateur_noise : float
        Probability that an amateur answers at random where an expert would not.
    classifiers : sequence of str or SimulatedClassifier
        Some of 'hard', 'soft', 'calibrated' and 'omniscient'. The first three have seen 3 labels
        of each item; 'calibrated:5', named calibrated_5, has seen 5. Classifiers that have seen the
        same number of labels have seen the same labels; those that have seen more have seen these
        first. Or objects of your own class
        (:class:`headcount.simulation.states.SimulatedClassifier`).
    sharpness : float
        :math:`\gamma` of the soft classifiers.
    seed : int or Generator
        Seed or generator; the same seed gives the same data. States, raters' choices, noise and
        classifiers each have their own stream of random numbers: with the same seed, other noise
        does not change the states, and other classifiers do not change the labels.

    Returns
    -------
    Simulation

    Notes
    -----
    O(ratings x labels) time, O(ratings + items x raters) memory: 1,000,000 items x 10 raters take
    a few seconds. At most 10,000,000 items and 100,000,000 ratings.

    Examples
    --------
    >>> from headcount import DirichletStates, DiscreteStates
    >>> made = simulate_ratings(1000, 8, states=DirichletStates((2, 5)), ratings=(2, 5), seed=1)
    >>> made
    Simulation: 3,527 ratings of 1,000 items by 8 raters; labels a, b; hard, soft, calibrated,
    omniscient
    >>> made.states[:2].round(3)
    array([[0.2  , 0.8  ],
           [0.153, 0.847]])

    Three experts and seven amateurs, who are often inattentive:

    >>> states = DiscreteStates([(0.9, 0.1), (0.2, 0.8)])
    >>> pools = simulate_ratings(500, 10, states=states, experts=3, amateur_noise=0.4, seed=1)
    >>> pools.experts
    ('expert_1', 'expert_2', 'expert_3')
    """
    raters = options.whole(raters, "raters", least=1, most=MOST_CELLS)
    least, most = _ratings(ratings, raters)
    items, raters = check_sizes(items, raters, most)
    missing = options.number(missing, "missing", least=0, below=1)
    noise = options.share(noise, "noise")
    amateur_noise = options.share(amateur_noise, "amateur_noise")
    experts = options.whole(experts, "experts", least=0, most=raters)
    if amateur_noise and not 0 < experts < raters:
        raise OptionError(
            f"{option('amateur_noise')} needs experts and amateurs: say with "
            f"{option('experts')} how many of the {count(raters, 'rater')} are experts, some "
            f"but not all. For noise in all raters use {option('noise')}."
        )
    wanted = read_classifiers(classifiers)
    sharpness = options.number(sharpness, "sharpness", above=0, such_as="2")
    if not isinstance(states, States):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(
            f"{option('states')} must be DiscreteStates or DirichletStates, not "
            f"{type(states).__name__}."
        )
    scale = Scale(label_names(labels, states.size))

    # One stream a purpose, so that changing one option changes only what it must.
    of_states, of_choice, of_labels, of_noise, of_view = options.seed(seed).spawn(5)
    state = states.draw(items, of_states)
    rates = _draw_raters(items, raters, least, most, missing, of_choice)
    item, rater = np.nonzero(rates)
    label = draw_labels(state, item, of_labels)
    noise_of = np.full(raters, noise)
    rater_names = [f"rater_{j + 1}" for j in range(raters)]
    if experts:
        noise_of[experts:] = 1 - (1 - noise) * (1 - amateur_noise)
        rater_names = [f"expert_{j + 1}" for j in range(experts)]
        rater_names += [f"amateur_{j + 1}" for j in range(raters - experts)]
    if noise_of.any():
        astray = np.flatnonzero(of_noise.random(len(item)) < noise_of[rater])
        label[astray] = of_noise.integers(0, states.size, size=len(astray))

    names = np.arange(items)
    rated = Labels(
        items=names,
        raters=np.array(rater_names, dtype=object),
        scale=scale,
        item=item,
        rater=rater,
        label=label,
        source="simulation",
    )
    predicted = simulate_classifiers(
        wanted, states, state, noise=float(noise_of.mean()), sharpness=sharpness, rng=of_view
    )
    return Simulation(
        labels=rated,
        predictions=Predictions(
            items=names, labels=scale.labels, classifiers=predicted, source="simulation"
        ),
        states=state,
        experts=tuple(rater_names[:experts]),
    )


# The running example of the survey equivalence paper: an urn of urns.

SHARE = np.array([0.7, 0.2, 0.1])
"""Share of the items in each state."""
P_CAT = np.array([0.8, 0.1, 0.5])
"""Probability that a rater says 'cat', in each state."""
P_HARD = np.array([0.9, 0.05, 0.5])
"""Probability that the hard classifier says 'cat', in each state."""


def running_example(
    items: int = 1000, raters: int = 10, *, seed: Seed = 0
) -> tuple[Labels, Predictions]:
    r"""Draw the running example of the survey equivalence paper: an urn of urns.

    Each item has a state, the probability :math:`s_i` that a rater says 'cat': .8 for 70% of
    items, .1 for 20%, .5 for 10%. Raters answer independently given the state. Three classifiers
    have some information about the state:

    * `hard` says 'cat' with probability .9, .05 and .5 in the three states;
    * `calibrated` replaces these answers by the frequency of 'cat' among raters given the answer:
      :math:`53/69 = .768` after 'cat' and :math:`10/31 = .323` after 'dog';
    * `omniscient` gives the state itself.

    Parameters
    ----------
    items, raters : int
        Size of the rating matrix.
    seed : int or Generator
        Seed or generator; the same seed gives the same data.

    Returns
    -------
    Labels, Predictions

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence", section 2.

    Examples
    --------
    >>> labels, predictions = running_example(100, 5, seed=1)
    >>> labels
    Labels: 500 ratings of 100 items by 5 raters; labels cat, dog
    >>> predictions
    Predictions for 100 items: hard (hard), calibrated (soft), omniscient (soft); labels cat, dog
    """
    items, raters = check_sizes(items, raters)
    generator = options.seed(seed)
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
            Calibrated.kind: np.column_stack([p_calibrated, 1 - p_calibrated]),
            Omniscient.kind: np.column_stack([p_state, 1 - p_state]),
        },
        source=labels.source,
    )
    classifiers = (hard(Hard.kind, says_dog.astype(np.int64), 2), *soft.classifiers)
    predictions = Predictions(
        items=names, labels=soft.labels, classifiers=classifiers, source=labels.source
    )
    return labels, predictions
