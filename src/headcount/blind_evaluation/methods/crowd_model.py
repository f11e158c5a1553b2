"""Methods that fit a truth to all votes, and judge a classifier by its labels and by the crowd."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from headcount.blind_evaluation.blocks import Blocks, TruthOf
from headcount.blind_evaluation.consensus.crowd import shrunk
from headcount.blind_evaluation.methods.base import (
    CrowdScored,
    Method,
    Scored,
    Scoring,
    crowd_tables,
)
from headcount.blind_evaluation.methods.tasks import CrowdTask, Task
from headcount.blind_evaluation.methods.vote_truth import winners
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.scoring.sizes import Sizes
from headcount.blind_evaluation.votes import Votes
from headcount.stats.intervals.beta import BY_CROWD
from headcount.typing import Floats

__all__ = ["CrowdModel", "group_shares", "variance_of_scores"]


class CrowdModel(Method):
    r"""A method that takes the crowd into account in what it says of a classifier.

    The table of truth and labels of each classifier gets that of all classifiers added, in the
    weight of k labels: accuracy is :math:`(h_j + k \mu) / (n_j + k)`. So five labels, all of them
    right, do not make an accuracy of 1. k is what the crowd says: see
    :func:`headcount.blind_evaluation.consensus.crowd.strength`. Intervals are Beta ones with the
    variance of the posterior, in which the truth of items is uncertain too.
    """

    by_number = True

    by_blocks = True

    @abstractmethod
    def truth_of(self, task: Task | CrowdTask) -> TruthOf:
        """Fit the truth: from a block of votes to the probability of each label in its rows."""

    def score(self, task: Task) -> Scoring:
        """Score by tables that the crowd has been added to."""
        truth = self.truth_of(task)(task.votes)
        found = self._scored(task, lambda _: truth)
        variance = found.variance
        scored = Scored(
            scores=found.scores,
            draws=found.scores[None][:0],
            covariance=None if variance is None else np.stack([np.diag(v) for v in variance]),
            truth=truth,
            sizes=found.sizes,
        )
        return Scoring(scored, None)

    def score_crowd(self, task: CrowdTask) -> CrowdScored:
        """Score by the same tables, added up over blocks: two passes after the model is fitted."""
        return self._scored(task, self.truth_of(task))

    def _scored(self, task: Task | CrowdTask, truth_of: TruthOf) -> CrowdScored:
        blocks, metrics = task.blocks, task.metrics
        decided = crowd_tables(blocks, lambda votes: winners(truth_of(votes)))
        counted = shrunk(crowd_tables(blocks, truth_of), decided)
        scores = metrics.scores(counted).T
        variance = variance_of_scores(blocks, truth_of, metrics, counted)
        return CrowdScored(
            scores=scores,
            truth=truth_of,
            variance=variance,
            sizes=Sizes(
                effective=_effective(metrics, scores, variance),
                added=np.zeros_like(scores),
                # A vote is as often in the tables as its row counts.
                labelled=decided.sum(axis=(1, 2)).round().astype(np.int64),
                interval=BY_CROWD,
            ),
        )


def group_shares(votes: Votes) -> Floats:
    """Share of the votes that each label has, a group counting as one vote: (rows, labels)."""
    counts = votes.counts(votes.group_weight)
    return counts / counts.sum(axis=1, keepdims=True)


def variance_of_scores(
    blocks: Blocks, truth_of: TruthOf, metrics: Metrics, counted: Floats
) -> Floats:
    r"""Variance of scores by tables with the crowd in them: (metrics, classifiers).

    A ratio :math:`\theta` of n items has :math:`\theta (1 - \theta) / (n + 1)`, as a Beta
    posterior; a mean over labels the mean of theirs. To that comes what the truth of each item,
    which is known up to probabilities, adds to first order. O(votes x labels x metrics).
    """
    ratio = metrics.ratios(counted)
    number = np.maximum(metrics.counted(ratio), 1)
    bottom = np.einsum("mcij,kij->kmc", metrics.denominator, counted)
    inverse = np.divide(1.0, bottom, out=np.zeros_like(bottom), where=bottom > 0)
    inverse /= number[..., None]
    ratio = np.nan_to_num(ratio)
    change = np.einsum("kmc,mcij->kmij", inverse, metrics.numerator)
    change -= np.einsum("kmc,kmc,mcij->kmij", inverse, ratio, metrics.denominator)
    out = np.empty((len(metrics.kinds), blocks.n_classifiers))
    for m, kind in enumerate(metrics.kinds):
        size = bottom[:, m] / (2 if kind.of_union else 1)
        # A share of 0 or 1 may still be otherwise, by half an item.
        middle = (ratio[:, m] * size + 0.5) / (size + 1)
        share = middle * (1 - middle) / (size + 1)
        if kind.by_label:
            out[m] = share.sum(axis=1) / number[:, m] ** 2
        else:  # the same for every label
            out[m] = share[:, 0]
    for votes, weight in blocks:
        row, truth = votes.row, truth_of(votes)
        often = weight[row]
        for m, add in enumerate(out):
            mean, square = np.zeros(len(row)), np.zeros(len(row))
            for label in range(truth.shape[1]):  # one by one, for there may be many votes
                likely, z = truth[row, label], change[votes.classifier, m, label, votes.label]
                mean += likely * z
                square += likely * z**2
            unknown = np.maximum(square - mean**2, 0)
            add += np.bincount(votes.classifier, often * unknown, minlength=len(add))
    return out


def _effective(metrics: Metrics, scores: Floats, variance: Floats) -> Floats:
    """Items of known truth that would give a share such a variance."""
    out = np.empty_like(scores)
    for m, kind in enumerate(metrics.kinds):
        share, own = np.nan_to_num(scores[m]), variance[m]
        if kind.of_union and metrics.positive is not None:
            own = own * (2 / (2 - share) ** 2) ** 2
            share = share / (2 - share)
        own = np.maximum(own, 1e-12)
        # At 0 or 1 the variance is that of half an item of n: .5 / n^2.
        out[m] = np.maximum(np.maximum(share * (1 - share) / own, np.sqrt(0.5 / own)) - 1, 0.5)
    return out
