"""Round robin: every classifier is the truth for all others in turn."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from headcount.blind_evaluation.methods.base import Method, Scored, Scoring, Situation
from headcount.blind_evaluation.methods.tasks import Task
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.scoring.tables import covariance
from headcount.blind_evaluation.votes import Votes
from headcount.stats.sparse import Matrix, sparse_columns
from headcount.typing import Floats

__all__ = ["RoundRobin", "duels", "robin_influence", "round_robin"]

MOST_DENSE = 10**7
"""Cells up to which a dense product beats a sparse one."""
MOST_WORK = 2 * 10**10
"""Multiplications up to which it is worked out, on the data and in all bootstrap samples."""


class RoundRobin(Method):
    """Each classifier is the truth for all others in turn."""

    name = "round-robin"
    short = "round robin"
    words = "each classifier is the truth for all others in turn"
    ranks_when = MappingProxyType({Situation.TWO: 4, Situation.DEPENDENT: 4})
    look = 4

    def score(self, task: Task) -> Scoring:
        """Score, with intervals if that does not take too long."""
        votes, weight, metrics = task.votes, task.weight, task.metrics
        scores = round_robin(votes, weight, metrics)
        work = len(weight) * (len(votes.classifiers) * len(votes.labels)) ** 2
        if work > MOST_WORK:
            task.notes.caution("Round robin has no intervals and ranks: classifiers are too many.")
            return Scoring(Scored(scores=scores, draws=scores[None][:0]), None)
        spread = covariance(robin_influence(votes, weight, metrics), weight)
        scored = Scored(scores=scores, draws=scores[None][:0], covariance=spread)
        if work * task.settings.bootstrap > MOST_WORK:
            task.notes.caution(
                "Intervals of round robin are normal ones, to first order: a bootstrap would take "
                "too long."
            )
            return Scoring(scored, None)
        return Scoring(
            scored,
            lambda weights: np.stack([round_robin(votes, w, metrics) for w in weights]),
        )


def duels(votes: Votes, weight: Floats) -> Floats:
    """Tables of every two classifiers on the items that both labelled: (K, K, labels, labels).

    Entry ``[k, l, i, j]`` counts the items to which l gives label i and k gives label j: l is the
    truth, and k is judged. O(sum over rows of votes^2).
    """
    total, size = len(votes.classifiers), len(votes.labels)
    said = _said(votes)
    both = _dense((said.T * weight) @ said)
    return both.reshape(total, size, total, size).transpose(2, 0, 1, 3)


def round_robin(votes: Votes, weight: Floats, metrics: Metrics) -> Floats:
    """Mean score of each classifier with every other as the truth: (metrics, classifiers).

    Others that share no item with it, or for which the score is undefined, are left out of the
    mean; nan where none is left.

    References
    ----------
    Jung and Lease (2012), Section 3.1.1.
    """
    score = _judged(metrics.scores(duels(votes, weight)))
    number = (~np.isnan(score)).sum(axis=1)
    total = np.nansum(score, axis=1)
    return np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0).T


def robin_influence(votes: Votes, weight: Floats, metrics: Metrics) -> list[Matrix]:
    """Find what one item of each row adds to the error of each mean score, to first order.

    The mean over the others of the influence with each of them as the truth; see
    :func:`headcount.blind_evaluation.scoring.tables.influence`. O(sum over rows of votes^2).
    """
    total, size = len(votes.classifiers), len(votes.labels)
    tables = duels(votes, weight)
    ratio = metrics.ratios(tables)
    usable = ~np.isnan(_judged(metrics.scores(tables)))
    bottom = np.einsum("mcij,klij->klmc", metrics.denominator, tables)
    number = np.maximum(usable.sum(axis=1, keepdims=True), 1)
    number = number * np.maximum(metrics.counted(ratio), 1)
    share = np.divide(1.0, bottom, out=np.zeros_like(bottom), where=~np.isnan(ratio))
    share *= (usable / number)[..., None]
    share_of_ratio = share * np.nan_to_num(ratio)
    said = _dense(_said(votes))
    out: list[Matrix] = []
    for m in range(len(metrics.names)):
        change = np.einsum("klc,cij->klij", share[:, :, m], metrics.numerator[m])
        change -= np.einsum("klc,cij->klij", share_of_ratio[:, :, m], metrics.denominator[m])
        # For each row and what k says (j), the sum over what the others (l) say (i).
        by_label = said @ change.transpose(1, 2, 0, 3).reshape(total * size, total * size)
        value = by_label[votes.row, votes.classifier.astype(np.int64) * size + votes.label]
        shape = (total, len(votes.multiplicity))
        out.append(sparse_columns(value, votes.classifier, votes.start, shape))
    return out


def _judged(score: Floats) -> Floats:
    """Leave out classifiers as their own truth."""
    own = np.arange(len(score))
    score[own, own] = np.nan
    return score


def _dense(matrix: Matrix) -> Floats:
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def _said(votes: Votes) -> Matrix:
    """Whether each classifier gave each label: (rows, classifiers * labels), dense if small."""
    said = votes.said.T
    return said.toarray() if said.shape[0] * said.shape[1] <= MOST_DENSE else said
