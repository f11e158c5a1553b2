"""Cohen's kappa and Scott's pi of every two raters, and their means over pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from headcount.agreement.scales.distances import Distance
from headcount.data.labels import Labels
from headcount.stats.grouping import group_sums
from headcount.stats.ratio import SMALL, ratio
from headcount.stats.sparse import sparse_product
from headcount.typing import Floats, Ints, Kernel

__all__ = ["PairTable", "kappas", "mean_over_pairs", "slopes"]

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
        a, b = index[: len(key_a)], index[len(key_a) :]
        cell, ones, shape = np.arange(len(a)), np.ones(len(a)), (len(a), len(entries))
        return Margins(
            label=entries % q,
            start=np.searchsorted(entries // q, np.arange(len(self))),
            a=a,
            b=b,
            sum_a=sparse_product(cell, a, ones, shape),
            sum_b=sparse_product(cell, b, ones, shape),
        )

    def counts(self, weight: Floats) -> Floats:
        """Count cells where each item counts so many times: (draws, items) to (draws, cells).

        O(pairs of ratings) a draw; where every item counts once, they are counted already.
        """
        return self.count[None, :] if _as_they_are(weight) else self._cells(weight)

    @cached_property
    def _cells(self) -> Kernel:
        items, cells = zip(*self._cell_rows(), strict=True)
        item, cell = _joined(items), _joined(cells)
        shape = (len(self.labels.items), len(self.key))
        return sparse_product(item, cell, np.ones(len(item)), shape)

    def habits(self, weight: Floats) -> Floats:
        """Count labels of each rater: (draws, items) weights to (draws, raters, labels)."""
        raters, q = len(self.labels.raters), len(self.labels.scale)
        if _as_they_are(weight):
            key = self.labels.rater * q + self.labels.label
            return np.bincount(key, minlength=raters * q).reshape(1, raters, q).astype(np.float64)
        return self._given(weight).reshape(len(weight), raters, q)

    @cached_property
    def _given(self) -> Kernel:
        labels, q = self.labels, len(self.labels.scale)
        size = (len(labels.items), len(labels.raters) * q)
        key = labels.rater * q + labels.label
        return sparse_product(labels.item, key, np.ones(len(labels)), size)

    def by_item(self, values: list[Floats]) -> list[Floats]:
        """Add up, for each item, each of several values of the cells that it is in.

        (cells,) arrays to (items,) arrays; O(pairs of ratings).
        """
        n = len(self.labels.items)
        out = [np.zeros(n) for _ in values]
        for item, cell in self._cell_rows():
            for total, value in zip(out, values, strict=True):
                total += np.bincount(item, weights=value[cell], minlength=n)
        return out

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

    def _cell_rows(self) -> Iterator[tuple[Ints, Ints]]:
        for left, _, cell in self._cell_couples():
            yield self.labels.item[left], cell

    def _cell_couples(self) -> Iterable[tuple[Ints, Ints, Ints]]:
        """Every two ratings of an item, by their rows, and their cell; kept if they are few."""
        return self._kept if self.shared.sum() <= MOST_KEPT else self._found()

    @cached_property
    def _kept(self) -> list[tuple[Ints, Ints, Ints]]:
        return list(self._found())

    def _found(self) -> Iterator[tuple[Ints, Ints, Ints]]:
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
    are the entry of each cell's two labels, and `sum_a` and `sum_b` add up (draws, cells) to them.
    """

    label: Ints
    start: Ints
    a: Ints
    b: Ints
    sum_a: Kernel
    sum_b: Kernel


def kappas(table: PairTable, distance: Distance, *, pooled: bool = False) -> Kernel:
    """Prepare the kappa of each pair of raters: (draws, cells) counts to (draws, pairs).

    kappa = 1 - D_o / D_e, on the items that both rated: D_o is the mean distance of their two
    labels, D_e the mean distance of a label of the one and a label of the other, drawn apart.

    Parameters
    ----------
    table : PairTable
    distance : Distance
        Nominal, linear or quadratic.
    pooled : bool
        Draw both from what the two gave together: Scott's pi instead of Cohen's kappa.

    Returns
    -------
    Kernel
        NaN where a pair gave one label only, or shares a single item: whatever the two said of it,
        it would be 0 or -1, and a mean over many such pairs would be far below 0.

    Notes
    -----
    O(cells) a draw: no table of labels squared is made.

    References
    ----------
    Scott (1955); Cohen (1960, 1968); Light (1971), "Measures of response agreement for
    qualitative data", for the mean over pairs.

    Examples
    --------
    >>> from headcount.agreement.scales.distances import Nominal
    >>> labels = Labels.from_triples([1, 1, 2, 2], ["a", "b", "a", "b"], ["x", "x", "y", "y"])
    >>> table = PairTable.from_labels(labels)
    >>> kappas(table, Nominal(np.arange(2.0)))(table.count[None, :])
    array([[1.]])
    """
    far = distance.between(table.label_a, table.label_b)
    sides = _expected(table, distance, pooled)
    several = table.shared > 1

    def found(counts: Floats) -> Floats:
        n = np.add.reduceat(counts, table.start, axis=1)
        observed = np.add.reduceat(counts * far, table.start, axis=1)
        expected, _, _ = sides(counts)
        expected = np.where(several & (expected > SMALL * n**2), expected, 0.0)
        return 1 - ratio(n * observed, expected)

    return found


def mean_over_pairs(values: Floats) -> Floats:
    """Mean over the pairs that have a value: (draws, pairs) to (draws,); NaN where none has."""
    known = ~np.isnan(values)
    n = known.sum(axis=1)
    total = np.where(known, values, 0.0).sum(axis=1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def slopes(table: PairTable, distance: Distance, *, pooled: bool = False) -> tuple[Floats, Floats]:
    """Kappas of the pairs, and how each changes with the count of its cells: (pairs,), (cells,).

    Items are independent, so the variance of a function of the kappas is the sum over items of
    its squared change, to first order; for one pair that is Fleiss, Cohen and Everitt (1969).
    Slopes are 0 where a kappa is undefined. O(cells).
    """
    counts = table.count[None, :]
    far = distance.between(table.label_a, table.label_b)
    value = kappas(table, distance, pooled=pooled)(counts)[0]
    expected, of_a, of_b = _expected(table, distance, pooled)(counts)
    n = np.add.reduceat(table.count, table.start)
    observed = np.add.reduceat(table.count * far, table.start)
    known = ~np.isnan(value)
    bottom = np.where(known, expected[0], 1.0)[table.pair]
    size, seen = n[table.pair], observed[table.pair]
    change = -(seen + size * far) / bottom
    change += size * seen * (of_a + of_b)[0] / bottom**2
    return value, np.where(known[table.pair], change, 0.0)


def _expected(
    table: PairTable, distance: Distance, pooled: bool
) -> Callable[[Floats], tuple[Floats, Floats, Floats]]:
    """Prepare n^2 D_e of each pair, and what one more label in each cell's margins adds to it."""
    margins = table.margins

    def found(counts: Floats) -> tuple[Floats, Floats, Floats]:
        given_a, given_b = margins.sum_a(counts), margins.sum_b(counts)
        if pooled:
            given_a = given_b = (given_a + given_b) / 2
        to_b = distance.spread(margins.label, given_b, margins.start)
        to_a = to_b if pooled else distance.spread(margins.label, given_a, margins.start)
        expected = np.add.reduceat(given_a * to_b, margins.start, axis=1)
        return expected, to_b[:, margins.a], to_a[:, margins.b]

    return found


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
        one, two = np.triu_indices(size, 1)
        items = np.flatnonzero(n == size)
        step = max(1, BLOCK // len(one))
        for begin in range(0, len(items), step):
            start = first[items[begin : begin + step]][:, None]
            yield order[(start + one).ravel()], order[(start + two).ravel()]


def _as_they_are(weight: Floats) -> bool:
    """Whether it is one draw, in which every item counts once."""
    return len(weight) == 1 and bool((weight == 1).all())


def _joined(parts: list[NDArray[np.int64]] | tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
    return np.concatenate(parts) if len(parts) else np.zeros(0, dtype=np.int64)
