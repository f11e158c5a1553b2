"""Ratings as label patterns, one by one, and as sums of squares with and without some."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.agreement.scales import Distance
from headcount.data.labels import Labels
from headcount.stats.arrays import group_rows, group_sums, ratio, sparse_product
from headcount.typing import Codes, Flags, Floats, Ints, Kernel

__all__ = [
    "Patterns",
    "Influence",
    "Harsher",
    "RatingTable",
    "rater_component",
    "Sums",
    "Components",
    "Jackknife",
]


# Ratings as label patterns, stored sparsely: memory follows ratings, not labels.

MOST_CELLS = 5 * 10**7
"""Cells that are sorted at most to find items that are alike; above it each is a pattern."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct label counts, how many items show each, and the way back to items.

    The same idea as :class:`headcount.Counts`, for any number of labels: a pattern is a run of
    entries, one a label that it holds. Items without a rating are left out.

    Parameters
    ----------
    start : (patterns,) array of int
        First entry of each pattern.
    label : (entries,) array of int
        Label of each entry, ascending within a pattern.
    count : (entries,) array of float
        How often the pattern holds that label.
    multiplicity : (patterns,) array of int
        Items that show each pattern.
    items : (n,) array of int
        Positions of the rated items in the labels' vocabulary.
    pattern : (n,) array of int
        The pattern of each of them.
    n_labels : int
        Labels of the scale, used or not.

    Examples
    --------
    >>> labels = Labels.from_triples([1, 1, 2, 2], ["a", "b", "a", "b"], ["x", "y", "x", "y"])
    >>> patterns = Patterns.from_labels(labels)
    >>> patterns.label, patterns.count, patterns.multiplicity
    (array([0, 1]), array([1., 1.]), array([2]))
    """

    start: Ints
    label: Ints
    count: Floats
    multiplicity: NDArray[np.int64]
    items: Ints
    pattern: Ints
    n_labels: int

    @classmethod
    def from_labels(cls, labels: Labels) -> Patterns:
        """Find the patterns. O(ratings + items x min(labels, most ratings) sorted)."""
        n_ratings = labels.ratings_per_item
        items = np.flatnonzero(n_ratings)
        index = np.zeros(len(labels.items), dtype=np.intp)
        index[items] = np.arange(len(items))
        item = index[labels.item]
        most = int(n_ratings.max(initial=0))
        if len(items) * min(len(labels.scale), most) > MOST_CELLS and not labels.reduced:
            first, pattern = np.arange(len(items)), np.arange(len(items))
        elif len(labels.scale) <= most:
            first, pattern = group_rows(labels.matrix()[items].T)
        else:
            spelled = _spelled(labels, items) if labels.reduced else (item, labels.label)
            first, pattern = group_rows(_ordered(*spelled, n_ratings[items], most).T)
        shown = np.zeros(len(items), dtype=bool)
        shown[first] = True
        kept = shown[item]
        key = pattern[item[kept]] * len(labels.scale) + labels.label[kept]
        entries, count = np.unique(key, return_counts=True)
        item_times = labels.item_times
        if labels.times is not None and item_times is not None:
            index = np.searchsorted(entries, key)
            whole = np.bincount(index, labels.times[kept], len(entries))
            count = whole / item_times[items][first][entries // len(labels.scale)]
            item_times = item_times[items]
        group = entries // len(labels.scale)
        return cls(
            start=np.searchsorted(group, np.arange(len(first))),
            label=entries % len(labels.scale),
            count=count.astype(np.float64),
            multiplicity=np.bincount(pattern, item_times, len(first)).astype(np.int64),
            items=items,
            pattern=pattern,
            n_labels=len(labels.scale),
        )

    def __len__(self) -> int:
        return len(self.start)

    @property
    def group(self) -> Ints:
        """Pattern of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.start, append=len(self.label)))

    @property
    def ratings(self) -> Floats:
        """Ratings in each pattern."""
        return self.sums(self.count)

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Whether a pattern holds a pair of ratings."""
        return self.ratings > 1

    def sums(self, entries: Floats) -> Floats:
        """Add up entries by pattern."""
        return np.add.reduceat(entries, self.start)

    def totals(self, entries: Floats) -> Kernel:
        """Prepare sums by label: (draws, patterns) weights to (draws, labels). O(entries) a draw.

        The sum over patterns of weight x entry.
        """
        return sparse_product(self.group, self.label, entries, (len(self), self.n_labels))

    def labels_used(self, patterns: NDArray[np.bool_] | None = None) -> Ints:
        """Labels that some pattern holds, or some of the chosen patterns."""
        label = self.label if patterns is None else self.label[patterns[self.group]]
        return np.flatnonzero(np.bincount(label, minlength=self.n_labels))


def _ordered(
    item: Ints, label: NDArray[np.int64], n_ratings: NDArray[np.int64], most: int
) -> NDArray[np.int64]:
    """Put the labels of each item in ascending order, -1 where there is none: (items, most)."""
    order = np.lexsort((label, item))
    first = np.cumsum(n_ratings) - n_ratings
    out = np.full((len(n_ratings), most), -1, dtype=np.int64)
    out[item[order], np.arange(len(item)) - np.repeat(first, n_ratings)] = label[order]
    return out


def _spelled(labels: Labels, items: Ints) -> tuple[Ints, NDArray[np.int64]]:
    """List the ratings of one item of each pattern: item and label of each."""
    counts = labels.matrix()[items]
    item, label = np.nonzero(counts)
    times = counts[item, label]
    return np.repeat(item, times), np.repeat(label, times)


# What a coefficient would be without each rater, and how it hangs on each item and rating.


@dataclass(frozen=True, eq=False, kw_only=True)
class Influence:
    """How a coefficient changes with items, raters and single ratings.

    Parameters
    ----------
    value : float
    items : (items,) array
        Change with each item, to first order: the sum of squares is the variance over items.
    ratings : (ratings,) array
        The same for each rating.
    without : (raters,) array
        The coefficient without each rater; NaN where that leaves nothing to compare.
    severity : float
        Disagreement that two raters have because one is harsher than the other on all items.
    harsher : callable
        The coefficient if two raters disagreed by so much more for that reason.
    item_times, rating_times : (items,) and (ratings,) arrays, or None
        How many items and ratings each stands for, where they were added up.
    cluster, cell : (items,) and (ratings,) arrays of int, or None
        The cluster of each item, and the cluster and rater of each rating, where items are not
        independent: changes are then added up before they are squared.
    """

    value: float
    items: Floats
    ratings: Floats
    without: Floats
    severity: float = 0.0
    harsher: Callable[[float], float] | None = None
    item_times: Codes | None = None
    rating_times: Codes | None = None
    cluster: Codes | None = None
    cell: Codes | None = None

    @property
    def item_squares(self) -> float:
        """Sum over items, or clusters of them, of their squared change."""
        return _squares(self.items, self.item_times, self.cluster)

    @property
    def rating_squares(self) -> float:
        """Sum over ratings, or those of a rater on a cluster, of their squared change."""
        return _squares(self.ratings, self.rating_times, self.cell)


def _squares(change: Floats, times: Codes | None, group: Codes | None) -> float:
    if group is not None and len(change):  # some coefficients have items alone
        change = group_sums(group, change, int(group.max(initial=-1)) + 1)
    return float((change**2).sum() if times is None else (change**2 * times).sum())


@dataclass(frozen=True)
class Harsher:
    """A coefficient 1 - observed / expected, if raters disagreed by so much more.

    `follows` says whether what is expected grows by as much.
    """

    observed: float
    expected: float
    follows: bool

    def __call__(self, more: float) -> float:
        """Give the coefficient."""
        return 1 - (self.observed + more) / (self.expected + more * self.follows)


# Ratings one by one, with what they are summed by: their items and their raters.

MOST_KEYS = 2**24
"""Raters times labels that are counted in a table; more are sorted."""


@dataclass(frozen=True, eq=False)
class RatingTable:
    """Ratings, their distances from the others of the same item, and the labels of each rater.

    Parameters
    ----------
    labels : Labels
        In which every item has a rating.
    patterns : Patterns
        Of the same labels.
    """

    labels: Labels
    patterns: Patterns
    _apart: dict[Distance, Floats] = field(default_factory=dict[Distance, Floats])

    @cached_property
    def n(self) -> Floats:
        """Ratings of the item of each rating."""
        return self.per_item[self.labels.item]

    @cached_property
    def per_item(self) -> Floats:
        """Ratings of each item."""
        return self.labels.ratings_per_item.astype(np.float64)

    @property
    def item_times(self) -> Floats:
        """Items that each stands for: 1, unless ratings were added up."""
        times = self.labels.item_times
        return np.ones(len(self.labels.items)) if times is None else times.astype(np.float64)

    @property
    def rating_times(self) -> Floats:
        """Ratings that each stands for."""
        times = self.labels.times
        return np.ones(len(self.labels.item)) if times is None else times.astype(np.float64)

    @property
    def harmonic_mean(self) -> float:
        """Harmonic mean of the ratings of an item."""
        return float(self.item_times.sum() / (self.item_times / self.per_item).sum())

    def by_item(self, values: Floats) -> Floats:
        """Sum over the ratings of each item; the mean of that over items that were added up."""
        times = self.labels.times
        sums = group_sums(
            self.labels.item, values if times is None else values * times, len(self.labels.items)
        )
        return sums if times is None else sums / self.item_times

    def by_rater(self, values: Floats) -> Floats:
        """Sum over the ratings of each rater."""
        times = self.labels.times
        values = values if times is None else values * times
        return group_sums(self.labels.rater, values, len(self.labels.raters))

    # What ratings with the same label, of items with the same labels, have in common is found once
    # for all of them: it has a number for each entry of the patterns.

    @cached_property
    def entry(self) -> Ints:
        """The entry of the patterns that each rating is counted in."""
        p, q = self.patterns, self.patterns.n_labels
        entries, key = p.group * q + p.label, p.pattern[self.labels.item] * q + self.labels.label
        if len(p) * q > MOST_KEYS:
            return np.searchsorted(entries, key)
        where = np.zeros(len(p) * q, dtype=np.intp)
        where[entries] = np.arange(len(entries))
        return where[key]

    @cached_property
    def times(self) -> Floats:
        """Ratings that each entry stands for."""
        p = self.patterns
        return p.count * p.multiplicity[p.group]

    @cached_property
    def sizes(self) -> Floats:
        """Ratings of an item, for each entry."""
        p = self.patterns
        return p.ratings[p.group]

    def apart(self, distance: Distance) -> Floats:
        """Distance of a rating from the others of its item, summed: (entries,)."""
        if distance not in self._apart:
            p = self.patterns
            self._apart[distance] = distance.spread(p.label, p.count, p.start)
        return self._apart[distance]

    def sums_of_items(self, entries: Floats) -> Floats:
        """Sum over the ratings of each item what they have by entry."""
        p = self.patterns
        return p.sums(p.count * entries)[p.pattern]

    def sums_of_raters(self, entries: Floats) -> Floats:
        """Sum over the ratings of each rater what they have by entry."""
        return self.by_rater(entries[self.entry])

    @cached_property
    def habits(self) -> tuple[Ints, Ints, Ints]:
        """Distinct (rater, label): its rater, its label; and which of them each rating is."""
        q = len(self.labels.scale)
        key = self.labels.rater * q + self.labels.label
        space = len(self.labels.raters) * q
        if space <= MOST_KEYS:
            used = np.flatnonzero(np.bincount(key, minlength=space))
            where = np.zeros(space, dtype=np.intp)
            where[used] = np.arange(len(used))
            return used // q, used % q, where[key]
        used, index = np.unique(key, return_inverse=True)
        return used // q, used % q, index

    def habit_counts(self, weight: Floats) -> Floats:
        """Sum a weight of the ratings by rater and label, as `habits` lists them."""
        rater, _, index = self.habits
        times = self.labels.times
        return group_sums(index, weight if times is None else weight * times, len(rater))

    def within_raters(self, distance: Distance, weight: Floats) -> Floats:
        """Sum of weight x weight x distance over all pairs of ratings of each rater: (raters,)."""
        rater, label, _ = self.habits
        counts = self.habit_counts(weight)
        present, start = np.unique(rater, return_index=True)
        spread = distance.spread(label, counts, start)
        out = np.zeros(len(self.labels.raters))
        out[present] = np.add.reduceat(counts * spread, start)
        return out


def rater_component(table: RatingTable, distance: Distance) -> float:
    """Disagreement of two raters that is due to the raters alone, whatever the item.

    Twice the variance component of raters by Henderson's first method, with sums of squares
    written as sums of distances: sum of squares = sum of distances of all pairs / (2 n).
    O(ratings).

    References
    ----------
    Henderson (1953), "Estimation of variance and covariance components", method 1.
    """
    ones = np.ones(len(table.labels.item))
    n, items = float(len(table.labels)), table.per_item
    raters = table.by_rater(ones)
    used = raters > 0
    counts = group_sums(table.labels.label, table.rating_times, len(table.labels.scale))
    spread = distance.spread(np.arange(len(counts)), counts, np.zeros(1, dtype=np.intp))
    total = float(counts @ spread) / (2 * n)
    by_item = float(table.times @ (table.apart(distance) / (2 * table.sizes)))
    within = table.within_raters(distance, ones)
    by_rater = float((within[used] / (2 * raters[used])).sum())
    item_size = float((table.item_times * items**2).sum()) / n
    rater_size = float((raters**2).sum()) / n
    spare = (n - table.labels.n_items, n - float(used.sum()), n + 1 - item_size - rater_size)
    if min(spare) <= 0:
        return 0.0
    rater_rest, item_rest = by_item / spare[0], by_rater / spare[1]
    left = (n - item_size) * item_rest + (n - rater_size) * rater_rest - total
    return 2 * max(rater_rest - left / spare[2], 0.0)


# Sums of squares by item and by rater, and what they are without an item, a rater or a rating.


@dataclass(frozen=True, eq=False, kw_only=True)
class Sums:
    """What analyses of variance start from; arrays of equal shape, one entry per set of ratings.

    Parameters
    ----------
    ratings, items, raters : arrays
        How many there are.
    total, squares : arrays
        Sums of the ratings, and of their squares.
    of_items, of_raters : arrays
        Sum over items (raters) of the squared total over the number of ratings.
    item_sizes, rater_sizes : arrays
        Sums of squared numbers of ratings.
    inverse : arrays
        Sum over items of one over the number of ratings.
    """

    ratings: Floats
    items: Floats
    raters: Floats
    total: Floats
    squares: Floats
    of_items: Floats
    of_raters: Floats
    item_sizes: Floats
    rater_sizes: Floats
    inverse: Floats

    @property
    def k(self) -> Floats:
        """Harmonic mean of the ratings of an item."""
        return ratio(self.items, self.inverse)

    def within_items(self) -> Floats:
        """Mean square within items."""
        return ratio(np.maximum(self.squares - self.of_items, 0.0), self.ratings - self.items)

    def between_items(self) -> Floats:
        """Mean square between items."""
        outside = self.of_items - ratio(self.total**2, self.ratings)
        return ratio(np.maximum(outside, 0.0), self.items - 1)

    @cached_property
    def components(self) -> Components:
        """Variances of items, raters and the rest, by Henderson's first method."""
        overall = ratio(self.total**2, self.ratings)
        item_size = ratio(self.item_sizes, self.ratings)
        rater_size = ratio(self.rater_sizes, self.ratings)
        # Rater and rest within items; item and rest within raters.
        rater_rest = ratio(self.squares - self.of_items, self.ratings - self.items)
        item_rest = ratio(self.squares - self.of_raters, self.ratings - self.raters)
        left = (self.ratings - item_size) * item_rest + (self.ratings - rater_size) * rater_rest
        spare = self.ratings + 1 - item_size - rater_size
        rest = ratio(left - (self.squares - overall), spare)
        return Components(item_rest - rest, rater_rest - rest, rest, rater_rest)


@dataclass(frozen=True, eq=False)
class Components:
    """Variances of items, of raters and of the rest; and of raters and rest together."""

    item: Floats
    rater: Floats
    rest: Floats
    rater_rest: Floats


@dataclass(frozen=True, eq=False)
class _Side:
    """One of the two groupings: the group of each rating, sums by group, and names of what is lost.

    `fields` are those of :class:`Sums` by the names that :func:`_loss` has for them.
    """

    code: Codes
    n: Floats
    total: Floats
    fields: Mapping[str, str]
    times: Floats
    each: Floats
    """Groups that each stands for, and ratings that each rating does."""

    def square(self, n: Floats, total: Floats) -> Floats:
        return np.divide(total**2, n, out=np.zeros(n.shape), where=n > 0)

    def left(self, whole: Sums, loss: Mapping[str, Floats]) -> dict[str, Any]:
        """Give the fields of sums that have lost something."""
        return {field: getattr(whole, field) - loss[name] for name, field in self.fields.items()}


ITEMS = {"groups": "items", "of": "of_items", "sizes": "item_sizes", "inverse": "inverse"}
RATERS = {"groups": "raters", "of": "of_raters", "sizes": "rater_sizes"}


def _scaled(number: Floats, times: Floats | None = None) -> Floats:
    """Take numbers from their mean, over their span, so that little cancels."""
    mean = number.mean() if times is None else (number @ times) / times.sum()
    return (number - mean) / (float(number.max() - number.min()) or 1.0)


def _side(
    code: Codes, x: Floats, fields: Mapping[str, str], *, times: Floats, each: Floats
) -> _Side:
    groups = len(times)
    n = group_sums(code, each, groups) / times
    return _Side(code, n, group_sums(code, x * each, groups) / times, fields, times, each)


def _all(x: Floats, item: _Side, rater: _Side) -> Sums:
    def array(value: float) -> Floats:
        return np.array([float(value)])

    each, rated = item.each, item.n > 0
    return Sums(
        ratings=array(each.sum()),
        items=array(item.times[rated].sum()),
        raters=array(int(np.count_nonzero(rater.n))),
        total=array(float(x @ each)),
        squares=array(float(x**2 @ each)),
        of_items=array(float(item.times @ item.square(item.n, item.total))),
        of_raters=array(rater.square(rater.n, rater.total).sum()),
        item_sizes=array(float(item.times @ item.n**2)),
        rater_sizes=array((rater.n**2).sum()),
        inverse=array((item.times[rated] / item.n[rated]).sum()),
    )


def _loss(side: _Side, x: Floats) -> dict[str, Floats]:
    """Give what a grouping's sums lose with each single rating."""
    n, total = side.n[side.code], side.total[side.code]
    inverse = np.divide(1, n - 1, out=np.zeros(len(n)), where=n > 1)
    return {
        "groups": (n == 1).astype(np.float64),
        "of": side.square(n, total) - side.square(n - 1, total - x),
        "sizes": 2 * n - 1,
        "inverse": 1 / n - inverse,
    }


def _without_group(whole: Sums, x: Floats, group: _Side, other: _Side) -> Sums:
    """Give sums without each group of ratings, of which no two are in the same other group.

    Of items that were added up, what raters lose is the mean over them.
    """
    size = len(group.n)

    def summed(value: Floats) -> Floats:
        return group_sums(group.code, value * group.each, size) / group.times

    own = {
        "groups": (group.n > 0).astype(np.float64),
        "of": group.square(group.n, group.total),
        "sizes": group.n**2,
        "inverse": np.divide(1, group.n, out=np.zeros(size), where=group.n > 0),
    }
    return replace(
        whole,
        ratings=whole.ratings - group.n,
        total=whole.total - group.total,
        squares=whole.squares - summed(x**2),
        **group.left(whole, own),
        **other.left(whole, {name: summed(lost) for name, lost in _loss(other, x).items()}),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Jackknife:
    """Sums of all ratings, and what they are without each item, rater and rating.

    Exact, since the sums without any of them follow from those with it. O(ratings).

    Parameters
    ----------
    whole : Sums
    items, raters, ratings : Sums
        Without each of them.
    rated : (raters,) array of bool
        Whether the rater gave a rating.
    item_times, rating_times : arrays or None
        As :class:`~headcount.agreement.ratings.Influence` has them.
    """

    whole: Sums
    items: Sums
    raters: Sums
    ratings: Sums
    rated: Flags
    item_times: Codes | None = None
    rating_times: Codes | None = None

    @classmethod
    def of(cls, table: RatingTable, number: Floats) -> Jackknife:
        """Leave out each item, rater and rating; `number` are the ratings as numbers."""
        labels = table.labels
        each = table.rating_times
        x = _scaled(number, each if labels.reduced else None)
        item = _side(labels.item, x, ITEMS, times=table.item_times, each=each)
        rater = _side(labels.rater, x, RATERS, times=np.ones(len(labels.raters)), each=each)
        whole = _all(x, item, rater)
        return cls(
            whole=whole,
            items=_without_group(whole, x, item, rater),
            raters=_without_group(whole, x, rater, item),
            ratings=replace(
                whole,
                ratings=whole.ratings - np.ones(len(x)),
                total=whole.total - x,
                squares=whole.squares - x**2,
                **item.left(whole, _loss(item, x)),
                **rater.left(whole, _loss(rater, x)),
            ),
            rated=rater.n > 0,
            item_times=labels.item_times,
            rating_times=labels.times,
        )

    def influence(self, coefficient: Callable[[Sums], Floats]) -> Influence:
        """Find how a function of the sums changes."""
        value, n = float(coefficient(self.whole)[0]), float(self.whole.items[0])

        def change(sums: Sums) -> Floats:
            return np.nan_to_num(value - coefficient(sums))

        return Influence(
            value=value,
            items=change(self.items) * (n - 1) / n,
            ratings=change(self.ratings),
            without=np.where(self.rated, coefficient(self.raters), np.nan),
            severity=2 * max(float(self.whole.components.rater[0]), 0.0),
            item_times=self.item_times,
            rating_times=self.rating_times,
        )
