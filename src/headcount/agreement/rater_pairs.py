"""Pairs of raters: their kappas, the pooled kappa of all, and the limits of agreement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from headcount.agreement.ratings import Influence, RatingTable, rater_component
from headcount.agreement.scales import Distance
from headcount.data.labels import Labels
from headcount.results.fields import Record, hidden
from headcount.stats.arrays import SMALL, group_sums, ratio, sparse
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import STUDENT
from headcount.typing import Codes, Flags, Floats, Ints

if TYPE_CHECKING:
    from headcount.agreement.prepare import Prepared

__all__ = [
    "PairTable",
    "slopes",
    "MOST_LABELS",
    "pooled_influence",
    "LimitsOfAgreement",
    "limits_of_agreement",
]


# Cohen's kappa and Scott's pi of every two raters.

BLOCK = 10**6
"""Pairs of ratings that are listed at once."""

MOST_KEPT = 4 * 10**6
"""Pairs of ratings that are kept in memory, 100 MB, to be gone through again."""

MOST_KEYS = 2**24
"""Keys that are counted in a table; more are sorted."""


@dataclass(frozen=True, eq=False)
class PairTable:
    """How often each two raters gave each two labels to the same item: the cells that occur.

    Parameters
    ----------
    labels : Labels
    a, b : (pairs,) arrays of int
        The raters of each pair that shares an item, a before b.
    pair, label_a, label_b : (cells,) arrays of int
        Sorted by pair.
    count : (cells,) array of float
        Items on which it happened.
    key : (cells,) array of int
        The cell in one number.
    """

    labels: Labels
    a: Ints
    b: Ints
    pair: Ints
    label_a: Ints
    label_b: Ints
    count: Floats
    key: Ints

    @classmethod
    def from_labels(cls, labels: Labels) -> PairTable:
        """Count the cells. O(pairs of ratings), a block at a time; memory O(cells)."""
        raters, q = len(labels.raters), len(labels.scale)
        space = (raters * q) ** 2
        if space <= MOST_KEYS:
            counted = np.zeros(space, dtype=np.int64)
            for _, key in _rows(labels):
                counted += np.bincount(key, minlength=space)
            cell = np.flatnonzero(counted)
            count = counted[cell]
        else:
            parts = [np.unique(key, return_counts=True) for _, key in _rows(labels)]
            keys = [part for part, _ in parts]
            cell, where = np.unique(_joined(keys), return_inverse=True)
            count = np.bincount(where, weights=_joined([counts for _, counts in parts]))
        couple, both = cell // (q * q), cell % (q * q)
        couples, pair = np.unique(couple, return_inverse=True)
        return cls(
            labels=labels,
            a=couples // raters,
            b=couples % raters,
            pair=pair,
            label_a=both // q,
            label_b=both % q,
            count=count.astype(np.float64),
            key=cell,
        )

    def __len__(self) -> int:
        return len(self.a)

    @cached_property
    def start(self) -> Ints:
        """First cell of each pair."""
        return np.searchsorted(self.pair, np.arange(len(self)))

    @cached_property
    def shared(self) -> Floats:
        """Items that each pair shares."""
        return np.add.reduceat(self.count, self.start) if len(self) else np.zeros(0)

    @cached_property
    def margins(self) -> Margins:
        """Where to add up cells to get what each of two raters gave."""
        q = len(self.labels.scale)
        key_a, key_b = self.pair * q + self.label_a, self.pair * q + self.label_b
        entries, index = np.unique(np.concatenate([key_a, key_b]), return_inverse=True)
        return Margins(
            label=entries % q,
            start=np.searchsorted(entries // q, np.arange(len(self))),
            a=index[: len(key_a)],
            b=index[len(key_a) :],
        )

    def by_item(self, value: Floats) -> Floats:
        """Add up, for each item, a value of the cells that it is in: (cells,) to (items,) arrays.

        O(pairs of ratings).
        """
        return group_sums(self.labels.item, self.by_rating(value) / 2, len(self.labels.items))

    def by_rating(self, value: Floats) -> Floats:
        """Add up, for each rating, a value of the cells that it makes with its co-ratings.

        (cells,) array to a (ratings,) array; O(pairs of ratings).
        """
        n = len(self.labels)
        out = np.zeros(n)
        for left, right, cell in self._cell_couples():
            each = value[cell]
            out += group_sums(left, each, n) + group_sums(right, each, n)
        return out

    def _cell_couples(self) -> Iterable[tuple[Ints, Ints, Ints]]:
        """Every two ratings of an item, by their rows, and their cell; kept if they are few."""
        return self._kept if self.shared.sum() <= MOST_KEPT else self._find_couples()

    @cached_property
    def _kept(self) -> list[tuple[Ints, Ints, Ints]]:
        return list(self._find_couples())

    def _find_couples(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        find = self._finder()
        for left, right in _couples(self.labels):
            yield left, right, find(_keys(self.labels, left, right))

    def _finder(self) -> Callable[[Ints], Ints]:
        """Prepare to find cells by their keys: in a table, or by a search if it would be large."""
        space = (len(self.labels.raters) * len(self.labels.scale)) ** 2
        if space > MOST_KEYS:
            return lambda key: np.searchsorted(self.key, key)
        index = np.zeros(space, dtype=np.intp)
        index[self.key] = np.arange(len(self.key))
        return lambda key: index[key]


@dataclass(frozen=True, eq=False)
class Margins:
    """The labels that either rater of a pair gave, and which of them each cell adds to.

    `label` and `start` are entries and groups as :meth:`Distance.spread` takes them; `a` and `b`
    are the entry of each cell's two labels.
    """

    label: Ints
    start: Ints
    a: Ints
    b: Ints


def slopes(table: PairTable, distance: Distance, *, pooled: bool = False) -> tuple[Floats, Floats]:
    """Kappas of the pairs, and how each changes with the count of its cells: (pairs,), (cells,).

    kappa = 1 - D_o / D_e, on the items that both rated: D_o is the mean distance of their two
    labels, D_e the mean distance of a label of the one and a label of the other, drawn apart; with
    `pooled`, both from what the two gave together: Scott's pi in place of Cohen's kappa. NaN where
    a pair gave one label only, or shares a single item: whatever the two said of it, it would be 0
    or -1, and a mean over many such pairs would be far below 0.

    Items are independent, so the variance of a function of the kappas is the sum over items of
    its squared change, to first order; for one pair that is Fleiss, Cohen and Everitt (1969).
    Slopes are 0 where a kappa is undefined. O(cells): no table of labels squared is made.

    References
    ----------
    Scott (1955); Cohen (1960, 1968); Light (1971), "Measures of response agreement for
    qualitative data", for the mean over pairs.

    Examples
    --------
    >>> from headcount.agreement.scales import Nominal
    >>> labels = Labels.from_triples([1, 1, 2, 2], ["a", "b", "a", "b"], ["x", "x", "y", "y"])
    >>> slopes(PairTable.from_labels(labels), Nominal(np.arange(2.0)))[0]
    array([1.])
    """
    far = distance.between(table.label_a, table.label_b)
    expected, of_a, of_b = _expected(table, distance, pooled)
    n, observed = table.shared, np.add.reduceat(table.count * far, table.start)
    defined = (n > 1) & (expected > SMALL * n**2)
    value = 1 - ratio(n * observed, np.where(defined, expected, 0.0))
    bottom = np.where(defined, expected, 1.0)[table.pair]
    size, disagreement = n[table.pair], observed[table.pair]
    change = -(disagreement + size * far) / bottom
    change += size * disagreement * (of_a + of_b) / bottom**2
    return value, np.where(defined[table.pair], change, 0.0)


def _expected(table: PairTable, distance: Distance, pooled: bool) -> tuple[Floats, Floats, Floats]:
    """Find n^2 D_e of each pair, and what one more label in each cell's margins adds to it."""
    margins = table.margins
    size = len(margins.label)
    given_a, given_b = (group_sums(side, table.count, size) for side in (margins.a, margins.b))
    if pooled:
        given_a = given_b = (given_a + given_b) / 2
    to_b = distance.spread(margins.label, given_b, margins.start)
    to_a = to_b if pooled else distance.spread(margins.label, given_a, margins.start)
    return np.add.reduceat(given_a * to_b, margins.start), to_b[margins.a], to_a[margins.b]


def _rows(labels: Labels) -> Iterator[tuple[Ints, Ints]]:
    """List every two ratings of an item as item and cell key, at most about BLOCK at once."""
    for left, right in _couples(labels):
        yield labels.item[left], _keys(labels, left, right)


def _keys(labels: Labels, left: Ints, right: Ints) -> Ints:
    """Cell of each pair of ratings in one number: both raters, then both labels."""
    q = len(labels.scale)
    couple = labels.rater[left] * len(labels.raters) + labels.rater[right]
    return (couple * q + labels.label[left]) * q + labels.label[right]


def _couples(labels: Labels) -> Iterator[tuple[Ints, Ints]]:
    """List every two ratings of an item, by their rows, that of the lower rater first."""
    order = np.lexsort((labels.rater, labels.item))
    n = np.bincount(labels.item, minlength=len(labels.items))
    first = np.cumsum(n) - n
    for size in np.unique(n[n > 1]).tolist():
        left, right = np.triu_indices(size, 1)
        items = np.flatnonzero(n == size)
        step = max(1, BLOCK // len(left))
        for begin in range(0, len(items), step):
            start = first[items[begin : begin + step]][:, None]
            yield order[(start + left).ravel()], order[(start + right).ravel()]


def _joined(parts: list[NDArray[np.int64]] | tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
    return np.concatenate(parts) if len(parts) else np.zeros(0, dtype=np.int64)


# Cohen's kappa pooled over pairs of raters, of whom two may share few items.

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
        ones = np.ones(len(x))
        self.left = np.stack([x**2, ones, -2 * x], axis=1)
        self.right = np.stack([ones, x**2, x], axis=1)

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


def pooled_influence(
    ratings: RatingTable, table: PairTable, distance: Distance, *, among: Flags | None = None
) -> Influence:
    r"""Find Cohen's kappa pooled over pairs of raters, and how it changes. O(pairs of ratings).

    .. math:: \kappa = 1 - \frac{\sum_{jk} n_{jk} D_{o,jk}}{\sum_{jk} n_{jk} D_{e,jk}}, \quad
        D_{e,jk} = \frac{n_j n_k \bar D_{jk} - n_{jk} D_{o,jk}}{n_j n_k - n_{jk}}

    where n_jk items are shared by raters j and k, D_o,jk is their mean distance on these, and
    \bar D_jk the mean distance of a rating of the one from a rating of the other, over all that
    they rated. Same-item pairs are taken out of it, so that few shared items bring no bias; a mean
    of pairwise kappas has one. `among` are the pairs of raters that count, all by default.

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
    shared, observed = float(pairs.shared.sum()), float(pairs.observed.sum())

    def harsher(more: float) -> float:
        return 1 - (observed + shared * more) / (bottom + shared * more)

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
    counts = sparse(np.ones(len(labels)), labels.rater, labels.label, (raters, q))
    return counts @ side


# Bland and Altman's limits of agreement of two raters.

LEAST_ITEMS = 3
"""Items that two raters share, at least, for limits of their differences."""
WITHIN = 1.959963984540054
"""Standard deviations within which 95% of normal differences lie."""


@dataclass(frozen=True, kw_only=True)
class LimitsOfAgreement(Record):
    """How two raters differ: a less b, on the items that both rated.

    Parameters
    ----------
    a, b : str or int
        The raters.
    items : int
        That both rated.
    bias : Estimate
        Mean difference.
    lower, upper : Estimate
        Limits of agreement, between which 95% of the differences lie if they are normal.
    mean, difference : (items,) arrays
        Of the two ratings of each item.
    """

    a: str | int
    b: str | int
    items: int
    bias: Estimate
    lower: Estimate
    upper: Estimate
    mean: Floats = field(repr=False, metadata=hidden())
    difference: Floats = field(repr=False, metadata=hidden())

    @property
    def rows(self) -> dict[str, Estimate]:
        """The three, by what they are called."""
        return {
            "mean difference": self.bias,
            "lower limit of agreement": self.lower,
            "upper limit of agreement": self.upper,
        }


def limits_of_agreement(data: Prepared, level: float) -> LimitsOfAgreement | None:
    r"""Find the limits of two raters on a scale of numbers; None for others.

    With differences d of n items, of mean :math:`\bar d` and standard deviation s, the limits are
    :math:`\bar d \pm 1.96 s`. Standard errors are :math:`s / \sqrt n` of the mean and
    :math:`s \sqrt{1/n + 1.96^2 / (2 (n - 1))}` of a limit; intervals are Student's, with n - 1
    degrees of freedom.

    References
    ----------
    Bland and Altman (1999), "Measuring agreement in method comparison studies".
    """
    labels = data.labels
    raters = np.unique(labels.rater)
    if labels.anonymous or labels.reduced or not data.scale.numeric or len(raters) != 2:
        return None
    table = np.full((len(labels.items), 2), np.nan)
    table[labels.item, np.searchsorted(raters, labels.rater)] = data.numbers[labels.label]
    table = table[~np.isnan(table).any(axis=1)]
    n = len(table)
    if n < LEAST_ITEMS:
        return None
    difference = table[:, 0] - table[:, 1]
    mean, sd = float(difference.mean()), float(difference.std(ddof=1))
    error = sd * float(np.sqrt(1 / n + WITHIN**2 / (2 * (n - 1))))

    def estimate(value: float, error: float) -> Estimate:
        return Estimate.from_error(value, error, level=level, method=STUDENT, n=n)

    names: list[str | int] = labels.raters[raters].tolist()
    return LimitsOfAgreement(
        a=names[0],
        b=names[1],
        items=n,
        bias=estimate(mean, sd / float(np.sqrt(n))),
        lower=estimate(mean - WITHIN * sd, error),
        upper=estimate(mean + WITHIN * sd, error),
        mean=table.mean(axis=1),
        difference=difference,
    )
