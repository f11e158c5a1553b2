"""Sums of squares by item and by rater, and what they are without an item, a rater or a rating."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from headcount.agreement.raters.influence import Influence
from headcount.agreement.raters.rating_table import RatingTable
from headcount.stats.grouping import group_sums
from headcount.stats.ratio import ratio
from headcount.stats.sparse import sparse_product
from headcount.typing import Codes, Flags, Floats

__all__ = ["Components", "Jackknife", "Sums", "two_way"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Sums:
    """What analyses of variance start from; arrays of equal shape, one entry a set of ratings.

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


def two_way(
    item: Codes, rater: Codes, number: Floats, *, items: int, raters: int
) -> Callable[[Floats], Sums]:
    """Prepare the sums that variances of items, raters and the rest are found from.

    Parameters
    ----------
    item, rater : (ratings,) arrays of int
    number : (ratings,) array
        The rating.
    items, raters : int
        How many there are.

    Returns
    -------
    callable
        Of (draws, items) weights to :class:`Sums`. O(ratings) a
        draw.
    """
    n = np.bincount(item, minlength=items).astype(np.float64)
    x = _scaled(number)
    item_total = np.bincount(item, weights=x, minlength=items)
    square = np.bincount(item, weights=x**2, minlength=items)
    by_rater = sparse_product(item, rater, np.ones(len(item)), (items, raters))
    sum_by_rater = sparse_product(item, rater, x, (items, raters))
    inverse = np.divide(1.0, n, out=np.zeros(items), where=n > 0)
    rated = (n > 0).astype(np.float64)

    def found(weight: Floats) -> Sums:
        rater_ratings, rater_total = by_rater(weight), sum_by_rater(weight)
        return Sums(
            ratings=weight @ n,
            items=weight @ rated,
            raters=(rater_ratings > 0).sum(axis=1).astype(np.float64),
            total=weight @ item_total,
            squares=weight @ square,
            of_items=weight @ (item_total**2 * inverse),
            of_raters=np.nan_to_num(ratio(rater_total**2, rater_ratings)).sum(axis=1),
            item_sizes=weight @ n**2,
            rater_sizes=(rater_ratings**2).sum(axis=1),
            inverse=weight @ inverse,
        )

    return found


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
    def one(value: float) -> Floats:
        return np.array([float(value)])

    each, rated = item.each, item.n > 0
    return Sums(
        ratings=one(each.sum()),
        items=one(item.times[rated].sum()),
        raters=one(int(np.count_nonzero(rater.n))),
        total=one(float(x @ each)),
        squares=one(float(x**2 @ each)),
        of_items=one(float(item.times @ item.square(item.n, item.total))),
        of_raters=one(rater.square(rater.n, rater.total).sum()),
        item_sizes=one(float(item.times @ item.n**2)),
        rater_sizes=one((rater.n**2).sum()),
        inverse=one((item.times[rated] / item.n[rated]).sum()),
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


def _without_rating(whole: Sums, x: Floats, item: _Side, rater: _Side) -> Sums:
    return replace(
        whole,
        ratings=whole.ratings - np.ones(len(x)),
        total=whole.total - x,
        squares=whole.squares - x**2,
        **item.left(whole, _loss(item, x)),
        **rater.left(whole, _loss(rater, x)),
    )


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
    known : (raters,) array of bool
        Whether the rater gave a rating.
    item_times, rating_times : arrays or None
        As :class:`~headcount.agreement.raters.influence.Influence` has them.
    """

    whole: Sums
    items: Sums
    raters: Sums
    ratings: Sums
    known: Flags
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
            ratings=_without_rating(whole, x, item, rater),
            known=rater.n > 0,
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
            without=np.where(self.known, coefficient(self.raters), np.nan),
            severity=2 * max(float(self.whole.components.rater[0]), 0.0),
            item_times=self.item_times,
            rating_times=self.rating_times,
        )
