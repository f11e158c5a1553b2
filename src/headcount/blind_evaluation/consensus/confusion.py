"""How each classifier confuses labels, given what a model takes for the truth."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.blocks import Blocks, TruthOf
from headcount.blind_evaluation.consensus.crowd import shrunk
from headcount.blind_evaluation.methods.base import crowd_tables
from headcount.blind_evaluation.methods.vote_truth import winners
from headcount.stats.intervals.beta import share_interval
from headcount.typing import Floats

__all__ = ["confusion_intervals"]


def confusion_intervals(blocks: Blocks, truth_of: TruthOf, level: float) -> Floats:
    r"""Probability of what a classifier gives (column) where a label is true (row).

    The table of each classifier has that of the crowd added
    (:func:`headcount.blind_evaluation.consensus.crowd.shrunk`); a row of R labels has the cells
    :math:`\theta`, whose variance is about :math:`\theta (1 - \theta) / (R + 1)` and what the truth
    of the items adds, which is known up to probabilities. Beta intervals. O(votes x labels).

    Returns
    -------
    (3, classifiers, labels, labels) array
        Values, and lower and upper ends.
    """
    decided = crowd_tables(blocks, lambda votes: winners(truth_of(votes)))
    table = shrunk(crowd_tables(blocks, truth_of), decided)
    total = table.sum(axis=2, keepdims=True)
    value = np.divide(table, total, out=np.full_like(table, 1 / blocks.n_labels), where=total > 0)
    unsure = crowd_tables(blocks, lambda votes: truth_of(votes) * (1 - truth_of(votes)))
    every = unsure.sum(axis=2, keepdims=True)
    # Of the unsure labels those that are the cell's are 1 - theta from it, the others theta.
    from_truth = (unsure * (1 - value) ** 2 + (every - unsure) * value**2) / total**2
    # A cell of none or all may still be otherwise, by half a label.
    middle = (value * total + 0.5) / (total + 1)
    spread = middle * (1 - middle)
    effective = np.maximum(spread / (spread / (total + 1) + from_truth) - 1, 0.5)
    low, high = share_interval(value, effective, level)
    return np.stack([value, low, high])
