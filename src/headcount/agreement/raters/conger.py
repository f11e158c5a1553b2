"""Conger's kappa of all raters together, on data with missing ratings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from headcount.agreement.rater_pairs.pair_table import PairTable
from headcount.agreement.raters.influence import Influence
from headcount.agreement.raters.rating_table import RatingTable, rater_component
from headcount.agreement.scales.distances import Distance
from headcount.stats.grouping import group_sums
from headcount.stats.ratio import SMALL, ratio
from headcount.stats.sparse import sparse
from headcount.typing import Codes, Flags, Floats, Kernel

__all__ = ["MOST_LABELS", "pooled_conger", "pooled_influence"]

MOST_LABELS = 2000
"""Labels of a scale whose distances are held in a table, at most."""


class Features(ABC):
    """Distances as products, d(x, y) = a(x) . b(y), so that their sums are products of sums."""

    left: Floats
    right: Floats
    """a and b of each label: (labels, features)."""

    @abstractmethod
    def at(self, sums: Floats, rater: Codes, label: Codes) -> Floats:
        """a(label) . sums[rater] of each rating."""


class _Moments(Features):
    """(x - y)^2 = x^2 + y^2 - 2 x y."""

    def __init__(self, distance: Distance) -> None:
        x = distance.unit_values - 0.5
        one = np.ones(len(x))
        self.left = np.stack([x**2, one, -2 * x], axis=1)
        self.right = np.stack([one, x**2, x], axis=1)

    def at(self, sums: Floats, rater: Codes, label: Codes) -> Floats:
        """a(label) . sums[rater] of each rating."""
        return (self.left[label] * sums[rater]).sum(axis=1)


class _Table(Features):
    """All distances: a(x) is 1 at x, b(y) is the column of y."""

    def __init__(self, distance: Distance) -> None:
        code = np.arange(len(distance.values))
        self.left = np.eye(len(code))
        self.right = distance.between(code[:, None], code[None, :])

    def at(self, sums: Floats, rater: Codes, label: Codes) -> Floats:
        """a(label) . sums[rater] of each rating."""
        return sums[rater, label]


def _features(distance: Distance) -> Features:
    return _Moments(distance) if distance.squared else _Table(distance)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Sums by pair of raters: items shared, distances on them, and expected distances."""

    shared: Floats
    observed: Floats
    expected: Floats

    def only(self, some: Flags) -> _Pairs:
        """Let some pairs count, and the others not."""
        return _Pairs(self.shared * some, self.observed * some, self.expected * some)

    @property
    def value(self) -> Floats:
        """Kappa, of each draw."""
        bottom = self.expected.sum(axis=-1)
        least = SMALL * np.maximum(self.shared.sum(axis=-1), 1)
        bottom = np.where(bottom > least, bottom, 0.0)
        return 1 - ratio(self.observed.sum(axis=-1), bottom)


def _pairs(shared: Floats, observed: Floats, all_far: Floats, all_pairs: Floats) -> _Pairs:
    """Take same-item pairs out of all pairs of ratings of two raters.

    Two raters with one rating each, of the same item, leave nothing to expect: they do not count.
    """
    mean = ratio(np.maximum(all_far - observed, 0.0), all_pairs - shared)
    counts = ~np.isnan(mean)
    return _Pairs(
        np.where(counts, shared, 0.0),
        np.where(counts, observed, 0.0),
        np.where(counts, shared * np.nan_to_num(mean), 0.0),
    )


def pooled_conger(table: PairTable, distance: Distance) -> Kernel:
    r"""Prepare Conger's kappa, pooled over pairs of raters: (draws, items) weights to (draws,).

    .. math:: \kappa = 1 - \frac{\sum_{jk} n_{jk} D_{o,jk}}{\sum_{jk} n_{jk} D_{e,jk}}, \quad
        D_{e,jk} = \frac{n_j n_k \bar D_{jk} - n_{jk} D_{o,jk}}{n_j n_k - n_{jk}}

    where n_jk items are shared by raters j and k, D_o,jk is their mean distance on these, and
    \bar D_jk the mean distance of a rating of the one from a rating of the other, over all that
    they rated. Same-item pairs are taken out of it, so that few shared items bring no bias; a mean
    of pairwise kappas has one. O(pairs of ratings) a draw.

    References
    ----------
    Conger (1980), "Integration and generalization of kappas for multiple raters".
    """
    features = _features(distance)
    far = distance.between(table.label_a, table.label_b)

    def found(weight: Floats) -> Floats:
        count, habits = table.counts(weight), table.habits(weight)
        n = habits.sum(axis=2)
        left, right = habits @ features.left, habits @ features.right
        return _pairs(
            np.add.reduceat(count, table.start, axis=1),
            np.add.reduceat(count * far, table.start, axis=1),
            (left[:, table.a] * right[:, table.b]).sum(axis=2),
            n[:, table.a] * n[:, table.b],
        ).value

    return found


def pooled_influence(
    ratings: RatingTable, table: PairTable, distance: Distance, *, among: Flags | None = None
) -> Influence:
    """Find how it changes with items, raters and ratings. O(pairs of ratings).

    `among` are the pairs of raters that count, all by default.

    Leaving out a rater takes away that rater's pairs and nothing else, so that it is exact at
    once. A rating changes its pairs, and through its rater's label frequencies what is expected
    of all pairs of that rater.
    """
    labels, features = table.labels, _features(distance)
    raters = len(labels.raters)
    ones = np.ones(len(labels))
    n = ratings.by_rater(ones)
    left, right = (_by_rater(ratings, side) for side in (features.left, features.right))
    far = distance.between(table.label_a, table.label_b)
    pairs = _pairs(
        table.shared,
        np.add.reduceat(table.count * far, table.start),
        (left[table.a] * right[table.b]).sum(axis=1),
        n[table.a] * n[table.b],
    )
    if among is not None:
        pairs = pairs.only(among)
    value, bottom = float(pairs.value), float(pairs.expected.sum())

    def of_rater(by_pair: Floats) -> Floats:
        return group_sums(table.a, by_pair, raters) + group_sums(table.b, by_pair, raters)

    left_over = _Pairs(
        (pairs.shared.sum() - of_rater(pairs.shared))[:, None],
        (pairs.observed.sum() - of_rater(pairs.observed))[:, None],
        (bottom - of_rater(pairs.expected))[:, None],
    )
    mean = np.nan_to_num(ratio(pairs.expected, pairs.shared))
    both = np.concatenate([table.a, table.b]), np.concatenate([table.b, table.a])
    weight = sparse(np.tile(pairs.shared, 2), *both, (raters, raters))
    each = np.maximum(n, 1)
    habits = weight @ (right / each[:, None])
    chancy = (
        features.at(habits, labels.rater, labels.label) - of_rater(pairs.expected)[labels.rater]
    )
    chancy = (1 - value) * chancy / each[labels.rater]
    counts = (pairs.shared > 0)[table.pair]
    apart = table.by_rating(counts * (far - (1 - value) * mean[table.pair]))
    shared, seen = float(pairs.shared.sum()), float(pairs.observed.sum())

    def harsher(more: float) -> float:
        return 1 - (seen + shared * more) / (bottom + shared * more)

    return Influence(
        value=value,
        items=ratings.by_item(-(apart / 2 - chancy) / bottom),
        ratings=-(apart - chancy) / bottom,
        without=left_over.value,
        severity=rater_component(ratings, distance),
        harsher=harsher,
    )


def _by_rater(ratings: RatingTable, side: Floats) -> Floats:
    """Sum of the features of the labels that each rater gave: (raters, features)."""
    labels = ratings.labels
    q, raters = len(labels.scale), len(labels.raters)
    given = sparse(np.ones(len(labels)), labels.rater, labels.label, (raters, q))
    return given @ side
