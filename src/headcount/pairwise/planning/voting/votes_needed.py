"""How many votes an item label as well as comparisons do."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from headcount.pairwise.planning.records import Voting
from headcount.simulation.labelling_model import LabellingModel
from headcount.typing import Floats

__all__ = ["majority_accuracy", "votes_needed"]

MOST = 99
"""Votes an item that are looked at."""
POINTS = 401


def votes_needed(target: float, items: int, crowd: LabellingModel, price: float | None) -> Voting:
    """Find the smallest odd number of votes an item whose majority is right often enough."""
    for votes in range(1, MOST + 1, 2):
        accuracy = majority_accuracy(votes, crowd)
        if accuracy >= target:
            return Voting(votes=votes, tasks=votes * items, f1=accuracy, price=price)
    return Voting(votes=None, tasks=None, f1=majority_accuracy(MOST, crowd), price=price)


def majority_accuracy(votes: int, crowd: LabellingModel) -> float:
    r"""Share of items that the majority of votes labels right, in the paper's model.

    An item has :math:`\theta \sim N(0, 1)`, and a rater calls it positive with probability
    :math:`q = \Phi(\theta / \sqrt{\sigma_p^2 + \sigma_t^2})`; the majority of an odd number V of
    votes is right with the probability that a binomial number exceeds V / 2.

    Examples
    --------
    >>> round(majority_accuracy(3, LabellingModel()), 3)
    0.859
    """
    special: Any = import_module("scipy.special")
    noise = math.hypot(crowd.perception_ambiguity, crowd.threshold_diversity)
    theta: Floats = special.ndtri((np.arange(POINTS) + 0.5) / POINTS)
    right: Floats = special.ndtr(np.abs(theta) / max(noise, 1e-9))
    majority: Floats = special.betainc((votes + 1) // 2, (votes + 1) // 2, right)
    return float(np.mean(majority))
