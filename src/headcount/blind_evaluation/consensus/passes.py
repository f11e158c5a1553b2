"""Passes over the votes until the truth stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from headcount.blind_evaluation.blocks import Blocks, TruthOf
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["Scores", "counted", "until_steady"]

Scores = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""From how common classes are, (classes,) items, and expected votes, (classifiers, labels,
classes), to the logarithms of the same as probabilities."""

STEADY = 1e-4
"""Largest change of a probability at which the truth is taken to stay."""
MOST_PASSES = 300


def until_steady(blocks: Blocks, first: TruthOf, scores: Scores) -> TruthOf:
    """Go over the votes from a first truth, (rows, classes), until it changes no more.

    Every group of classifiers has one vote. Returns the truth of any block: what the last pass
    made of it. O(votes x classes) a pass. The truth before a pass, by which changes are told, is
    held where votes are in memory, and else found again, until a block has changed.
    """
    from headcount.blind_evaluation.consensus._kernel import expect

    held: list[Floats] = []
    prior, count = 0.0, 0.0
    for votes, weight in blocks:
        truth = np.array(first(votes), dtype=np.float64, order="C")  # the kernel changes it
        prior, count = prior + weight @ truth, count + counted(votes, weight, truth)
        held += [truth] if blocks.at_once else []
    truth_of, vote_weight = first, blocks.group_weight[:, None, None]
    for _ in range(MOST_PASSES):
        log_prior, score = scores(np.asarray(prior), np.asarray(count))
        score = np.ascontiguousarray(score * vote_weight)
        prior, count, change = np.zeros(len(log_prior)), np.zeros(score.shape), 0.0
        for n, (v, weight) in enumerate(blocks):
            if held:
                truth = held[n]
            elif change < STEADY:
                truth = np.array(truth_of(v), dtype=np.float64, order="C")
            else:  # a block before it has changed, so that this is not the last pass anyhow
                truth = np.zeros((len(weight), len(log_prior)))
            moved = expect(v.start, v.classifier, v.label, weight, log_prior, score, truth, count)
            change = max(change, float(moved))
            prior += weight @ truth
        truth_of = partial(_posterior, log_prior, score)
        if change < STEADY:
            break
    return truth_of


def _posterior(log_prior: Floats, score: Floats, votes: Votes) -> Floats:
    """Probability of each class in each row of a block."""
    from headcount.blind_evaluation.dawid_skene._em_kernel import posterior

    truth = np.empty((len(votes.multiplicity), len(log_prior)))
    posterior(votes.start, votes.classifier, votes.label, log_prior, score, truth)
    return truth


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
