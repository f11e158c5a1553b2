"""Direct evaluation: the gold labels of some items are the truth, and other items say nothing."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from headcount.blind_evaluation.methods.base import FixedTruth, Scoring, Situation, Task
from headcount.blind_evaluation.scoring.gold_sizes import gold_sizes
from headcount.blind_evaluation.scoring.tables import influence
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["Direct", "gold_truth", "weighted_gold"]


class Direct(FixedTruth):
    """Gold is true, and items without gold say nothing."""

    name = "direct"
    short = "direct"
    words = "items with gold are a random sample of all, or drawn with known probabilities"
    informed = True
    covers = True
    by_number = True
    direct = True
    ranks_when = MappingProxyType({Situation.GOLD: 2})

    def truth(self, votes: Votes) -> Floats:
        """Take the gold labels, each by the inverse of the probability that it was drawn with."""
        return weighted_gold(votes)

    def score(self, task: Task) -> Scoring:
        """Score on gold; how many labels there are tells how sure a score is."""
        votes, truth = task.votes, self.truth(task.votes)
        found = super().score(task)
        parts = influence(votes, truth, task.weight, task.metrics)
        sizes = gold_sizes(votes, truth, task.weight, task.metrics, parts, parts)
        return Scoring(replace(found.scored, sizes=sizes), None)

    def items(self, votes: Votes) -> int:
        """Count items with gold."""
        return int(votes.multiplicity[votes.gold >= 0].sum())


def weighted_gold(votes: Votes) -> Floats:
    """Gold label of each row, times how much it counts: (rows, labels). Zeros without gold.

    Scores against it are ratios of sums weighted by inverse probabilities (Hájek), which are right
    in the mean however items were drawn, if each could be.
    """
    return gold_truth(votes) * votes.gold_weight[:, None]


def gold_truth(votes: Votes) -> Floats:
    """Gold label of each row, as probabilities: (rows, labels). Zeros without gold.

    Scores against it are those of the whole population only if the items with gold are a random
    sample of it. O(rows x labels).

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 2, 3], ["a", "a", "a"], ["no", "yes", "no"])
    >>> votes = collect(labels, gold={1: "no", 2: "no"})
    >>> gold_truth(votes)[votes.row_of]
    array([[1., 0.],
           [1., 0.],
           [0., 0.]])

    References
    ----------
    Jung and Lease (2012), Section 3.3.
    """
    return np.equal.outer(votes.gold, np.arange(len(votes.labels))).astype(np.float64)
