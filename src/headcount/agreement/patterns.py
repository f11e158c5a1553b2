"""Ratings as label patterns, stored sparsely: memory follows ratings, not labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.data.labels import Labels
from headcount.stats.grouping import group_rows
from headcount.stats.sparse import sparse_product
from headcount.typing import Floats, Ints, Kernel

__all__ = ["Patterns", "item_weights"]


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
            said = _spelled(labels, items) if labels.reduced else (item, labels.label)
            first, pattern = group_rows(_ordered(*said, n_ratings[items], most).T)
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


def item_weights(patterns: Patterns, drawn: Floats, rng: np.random.Generator) -> Floats:
    """Turn draws of patterns into draws of items: (draws, patterns) to (draws, items).

    Given how often a pattern was drawn, each of its items is as likely at every draw, so that
    both together are a draw of items with replacement. O(items) a draw.
    """
    n = len(patterns.items)
    if len(patterns) == n:
        return drawn[:, patterns.pattern]
    order = np.argsort(patterns.pattern, kind="stable")
    first = np.cumsum(patterns.multiplicity) - patterns.multiplicity
    out = np.empty((len(drawn), n))
    for row, times in zip(out, drawn.astype(np.int64), strict=True):
        size = np.repeat(patterns.multiplicity, times)
        index = np.repeat(first, times) + (rng.random(len(size)) * size).astype(np.intp)
        row[order] = np.bincount(index, minlength=n)
    return out
