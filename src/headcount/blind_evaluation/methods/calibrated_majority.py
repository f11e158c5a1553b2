"""Calibrated majority: a share of votes above a threshold that gold has taught."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from headcount.blind_evaluation.methods.base import Method, NotPossible, Scored, Scoring
from headcount.blind_evaluation.methods.cross_fitting import cross_fitted
from headcount.blind_evaluation.methods.tasks import Task
from headcount.blind_evaluation.methods.vote_truth import vote_shares, winners
from headcount.blind_evaluation.metrics import Metrics, Quality
from headcount.blind_evaluation.scoring.tables import covariance, influence, tables
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Codes, Floats

__all__ = ["CalibratedMajority", "calibrated_majority"]


class CalibratedMajority(Method):
    """A label whose share of votes is above a threshold is true; one threshold a metric."""

    name = "calibrated-majority"
    short = "calib. majority"
    words = "a label is right if its share of votes is above a threshold learned from gold"
    informed = True
    refitted = True

    def score(self, task: Task) -> Scoring:
        """Score each metric against the truth that was tuned for it."""
        votes, metrics = task.votes, task.metrics
        truths = calibrated_majority(votes, task.weight, metrics)
        scores = self._scores(task, truths, task.weight)
        spread = [
            covariance(influence(votes, truth, task.weight, metrics), task.weight)[m]
            for m, truth in enumerate(truths)
        ]

        def again(weights: Floats) -> Floats:
            out = np.full((len(weights), *task.shape), np.nan)
            for draw, weight in zip(out, weights, strict=True):
                with suppress(NotPossible):
                    tuned = calibrated_majority(votes, weight, metrics)
                    draw[:] = self._scores(task, tuned, weight)
            return out

        scored = Scored(
            scores=scores, draws=scores[None][:0], covariance=np.stack(spread), truth=truths[0]
        )
        return Scoring(scored, again)

    def _scores(self, task: Task, truths: list[Floats], weight: Floats) -> Floats:
        return np.stack(
            [
                task.metrics.scores(tables(task.votes, truth, weight))[:, m]
                for m, truth in enumerate(truths)
            ]
        )


def calibrated_majority(votes: Votes, weight: Floats, metrics: Metrics) -> list[Floats]:
    r"""Threshold on the share of votes, tuned to gold: (rows, labels) for each metric.

    With two labels an item is positive if the share of votes for the positive label is above t
    (half positive if it is t). With more, label c has a threshold against all others, and the
    label with the largest share :math:`q_{mc} / t_c` is true; with all t = 1/2 that is the
    majority. Ties are shared equally.

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array
        How often each row counts: its multiplicity, or a bootstrap sample.
    metrics : Metrics

    Returns
    -------
    list of (rows, labels) arrays
        One a metric.

    Raises
    ------
    NotPossible
        If the gold labels are too few.

    Notes
    -----
    The paper tunes t to make the metric of the truth itself, against gold, as good as can be.
    Alone, recall is best if all items are positive, specificity if none is, and precision if very
    few are; a truth like that tells nothing about a classifier. So what is tuned leans towards
    the metric, but has its best value in between: accuracy for accuracy; F1 for recall and F1;
    F1 of the negative label for specificity; for precision
    :math:`F_{1/2} = 5 TP / (4 TP + 4 FP + P)`, which weighs it above recall. Thresholds tried are
    1/2 and those half way between shares that occur; of equally good ones, that nearest to 1/2.

    Cross-fitted: an item with gold gets the thresholds learned from the other folds.
    O(folds x rows log rows).

    References
    ----------
    Jung and Lease (2012), Section 3.4.1.
    """
    share = vote_shares(votes)
    found: dict[Quality, Floats] = {}
    for quality in dict.fromkeys(kind.quality for kind in metrics.kinds):

        def learn(
            train: Floats, gold: Codes, known: Floats, rows: Floats, quality: Quality = quality
        ) -> Floats:
            return _thresholded(quality, metrics.positive, train, gold, known, rows)

        found[quality] = cross_fitted(votes, weight, share, learn)
    return [found[kind.quality] for kind in metrics.kinds]


def _thresholded(
    quality: Quality,
    positive: int | None,
    share: Floats,
    gold: Codes,
    weight: Floats,
    rows: Floats,
) -> Floats:
    """Learn thresholds from some shares, and label others by them."""
    size = share.shape[1]
    if size == 2:
        label = 1 if positive is None else positive
        # Equally good thresholds on both sides of 1/2 count half each.
        best = _best_thresholds(quality, share[:, label], weight * (gold == label), weight)
        scale = np.stack([best if label == c else 1 - best for c in range(2)], axis=1)
        return np.mean([winners(rows / t) for t in scale], axis=0)
    scale = [
        _best_thresholds(quality, share[:, c], weight * (gold == c), weight)[0] for c in range(size)
    ]
    return winners(rows / np.array(scale))


def _best_thresholds(quality: Quality, share: Floats, is_true: Floats, weight: Floats) -> Floats:
    """Find the best threshold, or two if they are as near to 1/2, on either side."""
    positive = float(is_true.sum())
    negative = float(weight.sum()) - positive
    half = np.array([0.5])
    if not positive or not negative:
        return half
    value = np.unique(share)
    tried = np.concatenate([half, (value[1:] + value[:-1]) / 2])
    hit = _above(share, is_true, tried)
    false = _above(share, weight - is_true, tried)
    score = quality(hit, false, positive, negative)
    # Sums in another order may differ by rounding.
    best = np.unique(tried[score >= score.max() - 1e-12])
    away = np.abs(best - 0.5)
    return best[away <= away.min() + 1e-12]


def _above(share: Floats, weight: Floats, threshold: Floats) -> Floats:
    """Weight of the shares above each threshold, and half the weight of those that are equal."""
    order = np.argsort(share)
    total = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])
    first = np.searchsorted(share, threshold, side="left", sorter=order)
    last = np.searchsorted(share, threshold, side="right", sorter=order)
    return (total[first] + total[last]) / 2
