"""What most say is true: the votes of all, or of the others; and shares of votes."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from headcount.blind_evaluation.methods.base import FixedTruth, Situation
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Codes, Floats

__all__ = [
    "LeaveGroupOut",
    "LeaveOneOut",
    "Majority",
    "leave_group_out",
    "leave_one_out",
    "majority",
    "shares_of_others",
    "vote_shares",
    "winners",
]


class Majority(FixedTruth):
    """The label with most votes is true; ties are shared."""

    name = "majority"
    short = "majority"
    words = "the majority is right; a classifier's own vote counts"
    ranks_when = MappingProxyType({Situation.TWO: 3, Situation.DEPENDENT: 3})

    def truth(self, votes: Votes) -> Floats:
        """Find the majority of all votes."""
        return majority(votes)


class LeaveOneOut(FixedTruth):
    """The label with most votes of the others is true."""

    name = "leave-one-out"
    short = "leave one out"
    words = "the majority of the others is right"
    by_vote = True
    ranks_when = MappingProxyType(
        {
            Situation.TWO: 1,
            Situation.DEPENDENT: 2,
            Situation.INDEPENDENT: 4,
            Situation.CROWD: 4,
        }
    )
    checks = True
    look = 1

    def truth(self, votes: Votes) -> Floats:
        """Find the majority of the others, for each vote."""
        return leave_one_out(votes)


class LeaveGroupOut(FixedTruth):
    """The label with most votes of the other groups is true."""

    name = "leave-group-out"
    short = "leave group out"
    words = "the majority of the other groups is right, each group with the same weight"
    by_vote = True
    grouped = True
    ranks_when = MappingProxyType(
        {
            Situation.GROUPED: 1,
            Situation.TWO: 2,
            Situation.DEPENDENT: 1,
            Situation.INDEPENDENT: 3,
        }
    )
    look = 0

    def truth(self, votes: Votes) -> Floats:
        """Find the majority of the other groups, for each vote."""
        return leave_group_out(votes)


def vote_shares(votes: Votes) -> Floats:
    r"""Share of the votes that each label has: (rows, labels).

    Scores against it are the limit of the paper's sampling method. There every item takes its
    label from a classifier drawn at random, many times; on average it has label c with
    probability :math:`q_{mc}`, the share of votes for c. Accuracy and precision are sums over
    votes with a fixed denominator, so their means are exact. The denominators of recall and
    specificity are drawn too; there the ratio of means differs from the mean by O(1 / items).

    References
    ----------
    Jung and Lease (2012), Section 3.1.2, after Voorhees (2000).
    """
    counts = votes.counts()
    return counts / counts.sum(axis=1, keepdims=True)


def majority(votes: Votes) -> Floats:
    """Label with most votes, ties shared equally: the mean over random tie-breaks. (rows, labels).

    References
    ----------
    Jung and Lease (2012), Equation 1.
    """
    return winners(votes.counts())


def leave_one_out(votes: Votes) -> Floats:
    """Majority of the votes of all others, for each vote: (votes, labels).

    In a majority of all, a classifier votes for itself, and seems better than it is. Zeros where
    nobody else voted.
    """
    return winners(_others(votes, np.arange(len(votes.classifiers)), None))


def leave_group_out(votes: Votes) -> Floats:
    """Majority of the votes of other groups, each group with the same weight: (votes, labels).

    A vote weighs 1 / size of its group. Zeros where no other group voted.
    """
    return winners(_others(votes, votes.group, votes.group_weight))


def shares_of_others(votes: Votes) -> Floats:
    """Share of the votes of other groups that each label has, for each vote: (votes, labels).

    A vote weighs 1 / size of its group. Without groups every classifier is one of its own, and
    the others are all but itself. Zeros where no other group voted.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 1, 1], ["a", "b", "c"], ["no", "no", "yes"])
    >>> shares_of_others(collect(labels))
    array([[0.5, 0.5],
           [0.5, 0.5],
           [1. , 0. ]])
    """
    others = _others(votes, votes.group, votes.group_weight)
    total = others.sum(axis=1, keepdims=True)
    # Of weights such as 1/3, taken away again, rounding may be left.
    return np.divide(others, total, out=np.zeros_like(others), where=total > 1e-9)


def winners(counts: Floats) -> Floats:
    """Share of each label in the truth if the label with most votes is true; zeros without votes.

    Examples
    --------
    >>> winners(np.array([[3.0, 1], [2, 2], [0, 0]]))
    array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 0. ]])
    """
    most = counts.max(axis=1, keepdims=True)
    # Weights such as 1/3 add up to 1 only within rounding.
    best = (counts >= most - 1e-9 * (1 + most)) & (most > 1e-9)
    return best / np.maximum(best.sum(axis=1, keepdims=True), 1)


def _others(votes: Votes, group: Codes, weight: Floats | None) -> Floats:
    """Votes for each label in the row of each vote, without those of its own group."""
    size = len(votes.labels)
    mine = votes.row * len(votes.classifiers) + group[votes.classifier]
    _, own = np.unique(mine, return_inverse=True)
    value = None if weight is None else weight[votes.classifier]
    if votes.soft is None:
        cells = size * (own.max() + 1)
        said = np.bincount(own * size + votes.label, weights=value, minlength=cells)
        said = said.reshape(-1, size)
    else:
        said = np.zeros((int(own.max()) + 1, size))
        np.add.at(said, own, votes.soft if value is None else votes.soft * value[:, None])
    others = votes.counts(weight)[votes.row] - said[own]
    return np.maximum(others, 0)
