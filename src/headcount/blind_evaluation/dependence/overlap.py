"""How far classifiers agree: overlap of what they find, Fleiss' kappa, and who stands apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from headcount.blind_evaluation.dependence.residuals import weighted_product
from headcount.blind_evaluation.votes import Votes
from headcount.stats.ratio import SMALL, ratio
from headcount.typing import Floats

__all__ = ["Overlap", "fleiss_without", "outliers", "overlap", "with_others"]

FAR = 3.5
"""Robust standard deviations below the median from which a classifier stands apart."""

LEAST_CLASSIFIERS = 5
"""Fewer have no rest to stand apart from."""


@dataclass(frozen=True, eq=False)
class Overlap:
    """Agreement of every two classifiers on the items that both labelled.

    Parameters
    ----------
    jaccard : (K, K) array
        Items that both give the positive label, over items to which either gives it; the mean
        over labels where none is the positive one. nan where neither gives any.
    agreement : (K, K) array
        Share of items to which both give the same label. nan without shared items.
    shared : (K, K) array
        Items that both labelled.
    """

    jaccard: Floats
    agreement: Floats
    shared: Floats


def overlap(votes: Votes, weight: Floats, *, positive: int | None = None) -> Overlap:
    """Find the overlap of every two classifiers.

    Notes
    -----
    O(labels x sum over rows of votes^2).

    References
    ----------
    Jung and Lease (2012), Table 2; Voorhees (2000) calls the Jaccard coefficient overlap.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 1, 2, 2, 3, 3], list("ababab"), [1, 1, 1, 0, 0, 0])
    >>> votes = collect(labels)
    >>> found = overlap(votes, votes.multiplicity.astype(float), positive=1)
    >>> found.jaccard[0, 1], found.agreement[0, 1].round(3)
    (np.float64(0.5), np.float64(0.667))
    """
    said = [votes.indicator(label) for label in range(len(votes.labels))]
    voted = sum(said[1:], start=said[0])
    shared = weighted_product(voted, weight, voted)
    same = np.zeros_like(shared)
    parts: list[Floats] = []
    for label, mine in enumerate(said):
        both = weighted_product(mine, weight, mine)
        same += both
        if positive in (None, label):
            gave = weighted_product(mine, weight, voted)
            parts.append(ratio(both, gave + gave.T - both))
    return Overlap(_mean(np.stack(parts), axis=0), ratio(same, shared), shared)


def fleiss_without(votes: Votes, weight: Floats) -> tuple[float, Floats]:
    r"""Fleiss' kappa of all classifiers, and of all but each: a number and (K,).

    The same as :func:`headcount.agreement.coefficients.fleiss.fleiss`, for unequal numbers of votes
    as well. Without a vote for label a, an item's pairs that agree, :math:`\sum_j r_j (r_j - 1)`,
    become fewer by :math:`2 (r_a - 1)`, so that leaving out each in turn costs as much as one
    kappa: O(votes x labels). nan where one label is left, or no item has two votes.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 1, 1, 2, 2, 2], list("abcabc"), [1, 1, 0, 0, 0, 1])
    >>> votes = collect(labels)
    >>> both, without = fleiss_without(votes, votes.multiplicity.astype(float))
    >>> round(both, 3), without
    (-0.333, array([-1., -1.,  1.]))
    """
    counts = votes.label_counts()
    row, who = votes.row, votes.classifier
    total, size = len(votes.classifiers), len(votes.labels)
    n = counts.sum(axis=1)
    agree = (counts * (counts - 1)).sum(axis=1)
    share = counts / n[:, None]

    # Sums over items: agreement, items with two votes, share of each label, items with a vote.
    sums = np.column_stack(
        [np.nan_to_num(ratio(agree, n * (n - 1))), n > 1, share, np.ones(len(n))]
    )
    n_left, often = n[row] - 1, weight[row]
    agree_left = agree[row] - 2 * (counts[row, votes.label] - 1)

    def without() -> Iterator[Floats]:
        """Each sum without a vote: one at a time, for there may be many votes."""
        yield np.nan_to_num(ratio(agree_left, n_left * (n_left - 1)))
        yield (n_left > 1).astype(np.float64)
        for label in range(size):
            yield np.nan_to_num(ratio(counts[row, label] - (votes.label == label), n_left))
        yield (n_left > 0).astype(np.float64)

    whole = weight @ sums
    each = np.column_stack(
        [
            np.bincount(who, weights=(part - sums[row, c]) * often, minlength=total)
            for c, part in enumerate(without())
        ]
    )
    kappas = _fleiss(np.vstack([whole, whole + each]))
    return float(kappas[0]), kappas[1:]


def outliers(found: Overlap) -> tuple[int, ...]:
    r"""Classifiers that agree far less with the others than is usual, farthest first.

    A classifier's agreement is the mean over the others, of labels (or of overlap). It stands
    apart if one of the two is below the median of all by more than 3.5 robust standard
    deviations, :math:`\sqrt{(1.4826\,\mathrm{MAD})^2 + m (1 - m) / n}` with MAD the median
    distance from the median m, and n the items that it shares with another, on average. The
    second part is for those that labelled few items. None where there are fewer than 5.
    """
    if len(found.shared) < LEAST_CLASSIFIERS:
        return ()
    far = np.fmax(_distance(found.agreement, found), _distance(found.jaccard, found))
    order = np.argsort(-np.nan_to_num(far), kind="stable")
    return tuple(int(k) for k in order if far[k] > FAR)


def with_others(table: Floats) -> Floats:
    """Mean of each classifier's agreement or overlap with the others: (K,), nan without any."""
    return _mean(np.where(np.eye(len(table), dtype=bool), np.nan, table), axis=1)


def _distance(table: Floats, found: Overlap) -> Floats:
    """Robust standard deviations by which each classifier's mean is below the median."""
    mean = with_others(table)
    known = mean[~np.isnan(mean)]
    if not len(known):
        return np.zeros(len(mean))
    middle = float(np.median(known))
    usual = 1.4826 * float(np.median(np.abs(known - middle)))
    others = ~np.isnan(table)
    np.fill_diagonal(others, False)
    items = np.nan_to_num(ratio((found.shared * others).sum(axis=1), others.sum(axis=1)))
    scale = np.sqrt(usual**2 + middle * (1 - middle) / np.maximum(items, 1))
    return np.nan_to_num(ratio(middle - mean, scale))


def _fleiss(sums: Floats) -> Floats:
    # What is left of a sum that cancels may miss 0 by rounding.
    observed = ratio(sums[:, 0], sums[:, 1], least=SMALL)
    pi = ratio(sums[:, 2:-1], sums[:, -1:], least=SMALL)
    chance = (pi**2).sum(axis=1)
    return 1 - ratio(1 - observed, 1 - chance, least=SMALL)


def _mean(table: Floats, axis: int) -> Floats:
    """Mean of what is known; nan where nothing is."""
    return ratio(np.nansum(table, axis=axis), (~np.isnan(table)).sum(axis=axis))
