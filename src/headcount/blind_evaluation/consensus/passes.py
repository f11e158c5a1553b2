"""Passes over the votes until the truth stays as it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["Scores", "counted", "until_steady"]

Scores = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""From how common classes are, (classes,) items, and expected votes, (classifiers, labels,
classes), to the logarithms of the same as probabilities."""

STEADY = 1e-4
"""Largest change of a probability at which the truth is taken to stay."""
MOST_PASSES = 300


def until_steady(votes: Votes, weight: Floats, truth: Floats, scores: Scores) -> tuple[Floats, int]:
    """Go over the votes from a first truth, (rows, classes), until it changes no more.

    Every group of classifiers has one vote. Returns the truth and the number of passes.
    O(votes x classes) a pass.
    """
    from headcount.blind_evaluation.consensus._kernel import expect

    truth = np.array(truth, dtype=np.float64, order="C")  # a copy, which the kernel changes
    count = counted(votes, weight, truth)
    vote_weight = votes.group_weight[:, None, None]
    for n in range(1, MOST_PASSES + 1):
        log_prior, score = scores(weight @ truth, count)
        score = np.ascontiguousarray(score * vote_weight)
        change = expect(
            votes.start, votes.classifier, votes.label, weight, log_prior, score, truth, count
        )
        if change < STEADY:
            return truth, n
    return truth, MOST_PASSES


def counted(votes: Votes, weight: Floats, truth: Floats) -> Floats:
    """Count votes by classifier, label and class of the truth: (classifiers, labels, classes)."""
    size, classes = len(votes.labels), truth.shape[1]
    cell = votes.classifier.astype(np.int64) * size + votes.label
    by_vote = (weight[:, None] * truth)[votes.row]
    shape = (len(votes.classifiers) * size, classes)
    out = np.empty(shape)
    for c in range(classes):
        out[:, c] = np.bincount(cell, weights=by_vote[:, c], minlength=shape[0])
    return out.reshape(len(votes.classifiers), size, classes)
