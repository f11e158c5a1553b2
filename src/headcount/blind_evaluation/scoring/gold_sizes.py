"""How many gold labels a score is worth, for intervals and tests that hold for few of them."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.scoring.sizes import Sizes
from headcount.blind_evaluation.scoring.tables import tables
from headcount.blind_evaluation.votes import Votes
from headcount.stats.intervals.beta import BY_GOLD
from headcount.stats.sparse import Matrix
from headcount.typing import Floats

__all__ = ["gold_sizes"]

MOST_GAIN = 20
"""Times as many items as have gold that votes may be taken to be worth."""


def gold_sizes(
    votes: Votes,
    truth: Floats,
    weight: Floats,
    metrics: Metrics,
    direct: list[Matrix],
    used: list[Matrix],
) -> Sizes:
    r"""Find how many items with gold each score is worth.

    With m the items that a score is a share of (those called positive for precision, those that
    are for recall), :math:`u = m^{-2}`, and the influences z of items on the score by gold alone
    and on the score that is used,

    .. math:: n_e = m / \max(.05, n / N, (V + u) / (V_0 + u)), \quad
        V_0 = \sum z_0^2, \quad V = \sum z^2,

    so that direct evaluation has m items, and votes that halve the variance double them; but never
    more than if all N items that a classifier labelled had gold, as n of them have. F1 of
    one label is found by Jaccard's share, of which m is true and false positives and false
    negatives. The mean over C labels has
    :math:`u = \sum_c (C m_c)^{-2}`, :math:`d = \sum_c (C m_c)^{-1}`,
    :math:`\theta_0 = (\theta + d) / (1 + 2 d)`, and

    .. math:: m = \min(\theta_0 (1 - \theta_0) / (V_0 + u), \sum_c m_c).

    Where items were drawn with probabilities that differ, and count w each, m is
    :math:`(\sum w)^2 / \sum w^2` (Kish), and :math:`V_0` the variance that as many items would
    have if drawn at random: :math:`\sum w z_0^2` of items that count 1, times :math:`\sum w / m`.

    Parameters
    ----------
    votes : Votes
    truth : (rows, labels) array
        Gold, times how much each item counts; zeros without.
    weight : (rows,) array
        How often each row counts.
    metrics : Metrics
    direct, used : list of sparse (classifiers, rows) arrays
        Influences of items by gold alone, and of the scores whose worth is asked for; one a
        metric, as of :func:`headcount.blind_evaluation.scoring.tables.influence`.

    References
    ----------
    Korn and Graubard (1998), "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data", Survey Methodology 24. Kish (1965), Survey
    sampling.
    """
    counted = tables(votes, truth, weight)
    scores = metrics.scores(counted).T
    counts = votes.gold_weight
    before = np.stack([(z * z) @ (weight / counts) for z in direct])
    after = np.stack([(z * z) @ weight for z in used])
    whole = np.einsum("mcij,kij->mkc", metrics.denominator, counted)
    squares = tables(votes, truth * counts[:, None], weight)
    squared = np.einsum("mcij,kij->mkc", metrics.denominator, squares)
    share = np.divide(whole, squared, out=np.ones_like(whole), where=squared > 0)
    bottom = whole * share  # Kish's number of items; `whole` itself where all count the same
    total = whole.sum(axis=2)
    before *= np.divide(total, bottom.sum(axis=2), out=np.ones_like(total), where=total > 0)
    least = np.maximum(_share_with_gold(votes, weight), 1 / MOST_GAIN)
    effective, added = np.zeros_like(scores), np.zeros_like(scores)
    for m, kind in enumerate(metrics.kinds):
        theta = np.nan_to_num(scores[m])
        if metrics.positive is not None or not kind.by_label:
            slope, size = np.ones_like(theta), np.maximum(bottom[m, :, 0], 1.0)
            if kind.of_union and metrics.positive is not None:
                # F1 = 2 TP / (P + S), and of the P + S those that are both count twice.
                size = np.maximum(bottom[m, :, 0] * (1 - theta / 2), 1.0)
                slope = 2 / (2 - theta) ** 2
            unit = size**-2.0
            seen, gained = before[m] * slope**2, after[m] * slope**2
        else:
            each = bottom[m] / 2 if kind.of_union else bottom[m]
            size, unit = _of_mean(theta, before[m], each, calls=kind.of_calls)
            seen, gained = before[m], after[m]
        effective[m] = size / np.maximum((gained + unit) / (seen + unit), least)
        added[m] = unit
    return Sizes(
        effective=effective,
        added=added,
        labelled=tables(votes, truth / counts[:, None], weight)
        .sum(axis=(1, 2))
        .round()
        .astype(np.int64),
        interval=BY_GOLD,
    )


def _share_with_gold(votes: Votes, weight: Floats) -> Floats:
    """Share of the items of each classifier that have gold."""
    often, known = weight[votes.row], (votes.gold >= 0)[votes.row]
    with_gold, items = (
        np.bincount(votes.classifier, part, minlength=len(votes.classifiers))
        for part in (often * known, often)
    )
    return np.divide(with_gold, items, out=np.ones_like(items), where=items > 0)


def _of_mean(
    theta: Floats, variance: Floats, each: Floats, *, calls: bool
) -> tuple[Floats, Floats]:
    """Items that a mean over labels is worth, and its unit; `each` is (classifiers, labels)."""
    # A label that is never true is left out; one that is never given counts, as one item.
    there = np.ones_like(each) if calls else (each > 0).astype(np.float64)
    share = there / np.maximum(there.sum(axis=1, keepdims=True), 1)
    one = share / np.maximum(each, 1)
    unit = np.maximum((one**2).sum(axis=1), 1e-12)
    step = one.sum(axis=1)
    middle = (theta + step) / (1 + 2 * step)
    size = np.minimum(middle * (1 - middle) / (variance + unit), each.sum(axis=1))
    return np.maximum(size, 1.0), unit
