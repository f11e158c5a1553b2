"""A truth learned from items with gold, of which none sees its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headcount.blind_evaluation.methods.base import NotPossible
from headcount.blind_evaluation.votes import Votes
from headcount.stats.sparse import Matrix, sparse
from headcount.typing import Codes, Floats

__all__ = ["Learn", "cross_fitted", "cross_predicted", "features_of", "one_hot"]

Learn = Callable[[Any, Codes, Floats, Any], Floats]
"""Learns from features, gold and weights of some rows; gives the truth of rows by features."""


def cross_fitted(votes: Votes, weight: Floats, features: Any, learn: Learn) -> Floats:
    """Truth of every row; of rows with gold, as learned from the gold of other folds."""
    known = (votes.gold >= 0) & (weight > 0)
    truth = np.zeros((len(weight), len(votes.labels)))

    def fill(train: Codes, rows: Codes, where: str) -> None:
        _check_enough(votes, train, where)
        if len(rows):
            learned = features[train], votes.gold[train], (weight * votes.gold_weight)[train]
            truth[rows] = learn(*learned, features[rows])

    fill(np.flatnonzero(known), np.flatnonzero(votes.gold < 0), "")
    for part in np.unique(votes.fold[known]):
        mine = votes.fold == part
        where = "the gold labels from which one fold is predicted"
        fill(np.flatnonzero(known & ~mine), np.flatnonzero(mine), where)
    return truth


def cross_predicted(votes: Votes, weight: Floats, features: Any, learn: Learn) -> Floats:
    """Truth of every row by what folds teach: of rows with gold, all folds but their own.

    Rows without gold get the mean over the folds that are left out in turn, so that both kinds of
    rows are predicted by the same mixture of what was learned: the difference of their means is 0
    on average, whatever was learned (Zrnic and Candes, 2024).
    """
    known = (votes.gold >= 0) & (weight > 0)
    counts = weight * votes.gold_weight
    parts = np.unique(votes.fold[known])
    truth = np.zeros((len(weight), len(votes.labels)))
    others = np.flatnonzero(votes.gold < 0)
    for part in parts:
        mine = votes.fold == part
        train = np.flatnonzero(known & ~mine)
        _check_enough(votes, train, "the gold labels from which one fold is predicted")
        learned = features[train], votes.gold[train], counts[train]
        rows = np.flatnonzero(mine)
        truth[rows] = learn(*learned, features[rows])
        if len(others):
            # A fold counts as its items do: folds are dealt by names, and not quite equal.
            share = counts[known & mine].sum() / counts[known].sum()
            truth[others] += share * learn(*learned, features[others])
    return truth


def _check_enough(votes: Votes, train: Codes, where: str) -> None:
    found = np.unique(votes.gold[train])
    if len(found) < 2:
        what = f"all are '{votes.labels[found[0]]}'" if len(found) else "there are none"
        of = f" in {where}" if where else ""
        raise NotPossible(f"too few gold labels: {what}{of}")


def features_of(votes: Votes) -> Matrix:
    """Whether each classifier gave each label: a sparse (rows, classifiers * labels) matrix.

    Probabilities of labels, where classifiers gave these.
    """
    size = len(votes.labels)
    shape = (len(votes.multiplicity), len(votes.classifiers) * size)
    # scikit-learn's machines and trees take 32-bit indices only.
    row = votes.row.astype(np.int32)
    if votes.soft is not None:
        first = votes.classifier.astype(np.int32) * size
        cells = (first[:, None] + np.arange(size, dtype=np.int32)).ravel()
        return sparse(votes.soft.ravel(), np.repeat(row, size), cells, shape)
    column = (votes.classifier * size + votes.label).astype(np.int32)
    return sparse(np.ones(len(row)), row, column, shape)


def one_hot(codes: Codes, size: int) -> Floats:
    """Write codes as rows of 0 and 1: (codes, size)."""
    return np.equal.outer(codes, np.arange(size)).astype(np.float64)
