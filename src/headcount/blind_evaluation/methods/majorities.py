"""Methods that take what most say for the truth: all, or all others."""

from __future__ import annotations

from headcount.blind_evaluation.methods.base import FixedTruth, Situation
from headcount.blind_evaluation.methods.vote_truth import leave_group_out, leave_one_out, majority
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["LeaveGroupOut", "LeaveOneOut", "Majority"]


class Majority(FixedTruth):
    """The label with most votes is true; ties are shared."""

    name = "majority"
    short = "majority"
    words = "the majority is right; a classifier's own vote counts"
    ranks_when = {Situation.TWO: 3, Situation.DEPENDENT: 3}

    def truth(self, votes: Votes) -> Floats:
        """Find the majority of all votes."""
        return majority(votes)


class LeaveOneOut(FixedTruth):
    """The label with most votes of the others is true."""

    name = "leave-one-out"
    short = "leave one out"
    words = "the majority of the others is right"
    ranks_when = {Situation.TWO: 1, Situation.DEPENDENT: 2, Situation.INDEPENDENT: 4}
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
    grouped = True
    ranks_when = {Situation.TWO: 2, Situation.DEPENDENT: 1, Situation.INDEPENDENT: 3}
    look = 0

    def truth(self, votes: Votes) -> Floats:
        """Find the majority of the other groups, for each vote."""
        return leave_group_out(votes)
