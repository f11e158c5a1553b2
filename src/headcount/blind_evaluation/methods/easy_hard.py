"""Easy and hard items, as a method."""

from __future__ import annotations

from headcount.blind_evaluation.consensus.easy_hard import easy_hard
from headcount.blind_evaluation.methods.base import Task
from headcount.blind_evaluation.methods.crowd_model import CrowdModel, group_shares
from headcount.typing import Floats

__all__ = ["EasyHard"]


class EasyHard(CrowdModel):
    """Every label has easy and hard items, which classifiers confuse otherwise."""

    name = "easy-hard"
    short = "easy/hard"
    words = "classifiers err independently among items that are as hard (two kinds a label)"
    on_request = True

    def truth(self, task: Task) -> Floats:
        """Fit the model."""
        return easy_hard(task.votes, task.weight, group_shares(task.votes))
