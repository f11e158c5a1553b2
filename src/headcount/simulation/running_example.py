"""The running example of the survey equivalence paper: an urn of urns."""

from __future__ import annotations

import numpy as np

from headcount import options
from headcount.data.classifiers import hard
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.scale import Scale
from headcount.simulation.classifiers import Calibrated, Hard, Omniscient
from headcount.simulation.prepare import check_sizes
from headcount.typing import Seed

__all__ = ["running_example"]

SHARE = np.array([0.7, 0.2, 0.1])
"""Share of the items in each state."""
P_CAT = np.array([0.8, 0.1, 0.5])
"""Probability that a rater says 'cat', in each state."""
P_HARD = np.array([0.9, 0.05, 0.5])
"""Probability that the hard classifier says 'cat', in each state."""


def running_example(
    items: int = 1000, raters: int = 10, *, rng: Seed = 0
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
    items, raters = check_sizes(items, raters)
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
