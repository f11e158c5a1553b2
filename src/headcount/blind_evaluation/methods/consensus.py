"""Consensus: the average of three models of the truth, which fail on different crowds."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from headcount.blind_evaluation.blocks import TruthOf
from headcount.blind_evaluation.consensus.easy_hard import fit_easy_hard
from headcount.blind_evaluation.consensus.one_coin import fit_one_coin
from headcount.blind_evaluation.methods.base import Situation
from headcount.blind_evaluation.methods.crowd_model import CrowdModel, group_shares
from headcount.blind_evaluation.methods.tasks import CrowdTask, Task

__all__ = ["Consensus"]


class Consensus(CrowdModel):
    """The average of one coin, Dawid and Skene's model, and easy and hard items.

    Dawid and Skene's has too many parameters for workers with few labels, one coin too few for
    those who lean to a label, and easy and hard items hurt where such workers are many. Of 9
    crowds, the average was nowhere more than .002 below the majority in labels right, ties
    counted in parts; each of the three alone was .01 to .04 below it somewhere
    (docs/studies/blind_pools.md).
    """

    name = "consensus"
    short = "consensus"
    words = "classifiers err independently; average of one coin, Dawid-Skene and easy/hard items"
    covers = True
    labels_items = True
    ranks_when = MappingProxyType({Situation.SPARSE: 1, Situation.CROWD: 1})

    def truth_of(self, task: Task | CrowdTask) -> TruthOf:
        """Average the three; every group has one vote."""
        blocks = task.blocks
        three = (
            fit_one_coin(blocks, group_shares),
            task.em_truth(grouped=bool((blocks.group_weight < 1).any())),
            fit_easy_hard(blocks, group_shares),
        )
        return lambda votes: np.mean([truth(votes) for truth in three], axis=0)
