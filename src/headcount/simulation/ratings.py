"""Synthetic ratings and predictions, where the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headcount import options
from headcount.data.classifiers import Classifier
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.scale import Scale
from headcount.errors import count
from headcount.simulation.classifiers import (
    CLASSIFIERS,
    SimulatedClassifier,
    read_classifiers,
    simulate_classifiers,
)
from headcount.simulation.prepare import Crowd, check_states, label_names
from headcount.simulation.states import (
    DirichletStates,
    DiscreteStates,
    MixtureStates,
    States,
    draw_labels,
)
from headcount.typing import Floats, Seed

__all__ = ["DirichletStates", "DiscreteStates", "MixtureStates", "Simulation", "simulate_ratings"]


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
        known = Classifier("state", "soft", self.states)
        return Predictions(
            items=self.labels.items,
            labels=self.labels.scale.labels,
            classifiers=(known,),
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
    rng: Seed = 0,
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
    classifiers : sequence of str or SimulatedClassifier
        Some of 'hard', 'soft', 'calibrated' and 'omniscient'. The first three have seen 3 labels
        of each item; 'calibrated:5', named calibrated_5, has seen 5. Classifiers that have seen as
        many labels have seen the same ones, and those who saw more saw these first. Or objects of a
        class of your own (:class:`headcount.simulation.classifiers.SimulatedClassifier`).
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
    a few seconds. At most 10,000,000 items and 100,000,000 ratings.

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
    crowd = Crowd.check(
        items,
        raters,
        ratings=ratings,
        missing=missing,
        noise=noise,
        experts=experts,
        amateur_noise=amateur_noise,
    )
    wanted = read_classifiers(classifiers)
    sharpness = options.number(sharpness, "sharpness", above=0, such_as="2")
    states = check_states(states)
    scale = Scale(label_names(labels, states.size))

    # One stream a purpose, so that changing one option changes only what it must.
    of_states, of_choice, of_labels, of_noise, of_view = options.seed(rng).spawn(5)
    state = states.draw(crowd.items, of_states)
    item, rater = np.nonzero(crowd.draw_raters(of_choice))
    label = draw_labels(state, item, of_labels)
    noise_of = crowd.noise_of
    if noise_of.any():
        astray = np.flatnonzero(of_noise.random(len(item)) < noise_of[rater])
        label[astray] = of_noise.integers(0, states.size, size=len(astray))

    names, rater_names = np.arange(crowd.items), crowd.names
    rated = Labels(
        items=names,
        raters=rater_names,
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
        experts=tuple(rater_names[: crowd.experts].tolist()),
    )
