"""One coin, as a method: a classifier is right as often whatever the label."""

from __future__ import annotations

from headcount.blind_evaluation.blocks import TruthOf
from headcount.blind_evaluation.consensus.one_coin import fit_one_coin
from headcount.blind_evaluation.methods.crowd_model import CrowdModel, group_shares
from headcount.blind_evaluation.methods.tasks import CrowdTask, Task

__all__ = ["OneCoin"]


class OneCoin(CrowdModel):
    """Every classifier has one accuracy, whatever the label."""

    name = "one-coin"
    short = "one coin"
    words = "classifiers err independently, and as often whatever the label"
    on_request = True

    def truth_of(self, task: Task | CrowdTask) -> TruthOf:
        """Fit the model."""
        return fit_one_coin(task.blocks, group_shares)
