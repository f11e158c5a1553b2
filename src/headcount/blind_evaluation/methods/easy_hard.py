"""Easy and hard items, as a method."""

from __future__ import annotations

from headcount.blind_evaluation.blocks import TruthOf
from headcount.blind_evaluation.consensus.easy_hard import fit_easy_hard
from headcount.blind_evaluation.methods.crowd_model import CrowdModel, group_shares
from headcount.blind_evaluation.methods.tasks import CrowdTask, Task

__all__ = ["EasyHard"]


class EasyHard(CrowdModel):
    """Every label has easy and hard items, which classifiers confuse otherwise."""

    name = "easy-hard"
    short = "easy/hard"
    words = "classifiers err independently among items that are as hard (two kinds a label)"
    on_request = True

    def truth_of(self, task: Task | CrowdTask) -> TruthOf:
        """Fit the model."""
        return fit_easy_hard(task.blocks, group_shares)
