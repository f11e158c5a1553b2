"""Ways to label the items of a simulated study, by votes or by comparisons.

A method is a class here, and an entry of :func:`catalogue`. To add one, derive from
:class:`LabellingMethod`; :func:`headcount.labelling_experiment` also takes an object of a user's
own class.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.likelihood.model import Model
from headcount.pairwise.bradley_terry.likelihood.newton import maximise
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "NAMES",
    "PRIOR_SD",
    "BradleyTerryLabels",
    "EloLabels",
    "LabellingMethod",
    "Majority",
    "Study",
    "catalogue",
]

ELO_SLOPE = math.log(10) / 400
"""Log odds of a point of the paper's Elo: base 10, denominator 400."""
PRIOR_SD = 2.0
"""Of the logits that Bradley-Terry rates by. Without a prior, items that won or lost all of their
few comparisons would be infinitely far out. From 1 to 5 it matters little."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """What one simulated study asked, as far as a method may see it.

    Parameters
    ----------
    items : int
    votes : (items, votes) array of bool
        Whether votes are positive; without columns if no method votes.
    left, right : (comparisons,) arrays of int
    outcome : (comparisons,) array of float
        Share of the point that goes to the left item.
    rng : Generator
        For what is left to chance.
    """

    items: int
    votes: Flags
    left: Codes
    right: Codes
    outcome: Floats
    rng: np.random.Generator


class LabellingMethod(ABC):
    """A way to label items as positive or negative.

    Attributes
    ----------
    name : str
    by_votes : bool
        Whether it labels by votes; else it does by comparisons.
    """

    name: ClassVar[str]
    by_votes: ClassVar[bool] = False

    @abstractmethod
    def label(self, study: Study) -> Flags:
        """Say whether each item is positive; (items,) array."""


class Majority(LabellingMethod):
    """The label of most votes; a coin decides where there are as many for either."""

    name = "majority"
    by_votes = True

    def label(self, study: Study) -> Flags:
        """Say whether each item is positive."""
        from headcount.pairwise.experiments._kernel import majority

        return majority(study.rng, study.votes)


@dataclass(frozen=True)
class EloLabels(LabellingMethod):
    """Elo as published, started from 0; items above it are positive.

    Parameters
    ----------
    k : float
        Step.
    epochs : int
        Passes through the comparisons, each in a new random order.
    """

    name = "elo"

    k: float
    epochs: int

    def label(self, study: Study) -> Flags:
        """Say whether each item is positive."""
        from headcount.pairwise.experiments._kernel import elo

        played = study.left, study.right, study.outcome
        return elo(study.rng, study.items, *played, self.k, self.epochs, ELO_SLOPE) > 0


class BradleyTerryLabels(LabellingMethod):
    """What Elo tends to, found directly; items above the mean are positive."""

    name = "bradley-terry"

    def label(self, study: Study) -> Flags:
        """Say whether each item is positive."""
        if not len(study.left):
            return np.zeros(study.items, dtype=bool)
        compared = Comparisons(
            items=np.arange(study.items),
            left=study.left,
            right=study.right,
            outcome=study.outcome,
        )
        wins = PairWins.of(compared, split=True, sided=False, by_rater=False)
        target = Model(wins, prior=PRIOR_SD)
        # To well below what could change a label.
        found = maximise(target, target.start(), tolerance=1e-6, max_iter=100)
        return found.point.z[: study.items] > 0


def catalogue(k: float, epochs: int) -> dict[str, LabellingMethod]:
    """List the methods by name; k and epochs are those of Elo."""
    known: list[LabellingMethod] = [Majority(), EloLabels(k, epochs), BradleyTerryLabels()]
    return {method.name: method for method in known}


NAMES = tuple(each.name for each in (Majority, EloLabels, BradleyTerryLabels))
