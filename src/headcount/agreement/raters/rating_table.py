"""Ratings one by one, with what they are summed by: their items and their raters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from headcount.agreement.patterns import Patterns
from headcount.agreement.scales.distances import Distance
from headcount.data.labels import Labels
from headcount.stats.grouping import group_sums
from headcount.typing import Floats, Ints

__all__ = ["RatingTable", "rater_component"]

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
        entries, key = p.group * q + p.label, p.pattern[self.labels.item] * q + self._code
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

    @property
    def _code(self) -> Ints:
        return self.labels.label

    @cached_property
    def _habits(self) -> tuple[Ints, Ints, Ints]:
        """Distinct (rater, label): its rater, its label; and which of them each rating is."""
        q = len(self.labels.scale)
        key = self.labels.rater * q + self._code
        space = len(self.labels.raters) * q
        if space <= MOST_KEYS:
            used = np.flatnonzero(np.bincount(key, minlength=space))
            where = np.zeros(space, dtype=np.intp)
            where[used] = np.arange(len(used))
            return used // q, used % q, where[key]
        used, index = np.unique(key, return_inverse=True)
        return used // q, used % q, index

    def within_raters(self, distance: Distance, weight: Floats) -> Floats:
        """Sum of weight x weight x distance over all pairs of ratings of each rater: (raters,)."""
        rater, label, index = self._habits
        times = self.labels.times
        given = group_sums(index, weight if times is None else weight * times, len(rater))
        present, start = np.unique(rater, return_index=True)
        spread = distance.spread(label, given, start)
        out = np.zeros(len(self.labels.raters))
        out[present] = np.add.reduceat(given * spread, start)
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
    given = group_sums(table.labels.label, table.rating_times, len(table.labels.scale))
    spread = distance.spread(np.arange(len(given)), given, np.zeros(1, dtype=np.intp))
    total = float(given @ spread) / (2 * n)
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
