"""One coin, as a method: a classifier is right as often whatever the label."""

from __future__ import annotations

from headcount.blind_evaluation.consensus.one_coin import one_coin
from headcount.blind_evaluation.methods.base import Task
from headcount.blind_evaluation.methods.crowd_model import CrowdModel, group_shares
from headcount.typing import Floats

__all__ = ["OneCoin"]


class OneCoin(CrowdModel):
    """Every classifier has one accuracy, whatever the label."""

    name = "one-coin"
    short = "one coin"
    words = "classifiers err independently, and as often whatever the label"
    on_request = True

    def truth(self, task: Task) -> Floats:
        """Fit the model."""
        return one_coin(task.votes, task.weight, group_shares(task.votes))
