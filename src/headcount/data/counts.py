"""Label counts: all that survey equivalence and most agreement statistics need of an item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.stats.grouping import group_rows
from headcount.typing import Codes, Flags, Ints

__all__ = ["Counts"]


@dataclass(frozen=True, eq=False)
class Counts:
    """Label patterns with multiplicities, and the way back to items.

    Items that received the same number of each label are one pattern: 2,000 comments with ten
    binary labels each are 11 patterns.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        How often each label was given.
    multiplicity : (patterns,) array of int
        How many items show each pattern.
    pattern : (items,) array of int
        The pattern of each item.

    Examples
    --------
    >>> counts = Counts.from_matrix([[2, 1], [3, 0], [2, 1]])
    >>> counts.patterns
    array([[2, 1],
           [3, 0]])
    >>> counts.multiplicity, counts.pattern
    (array([2, 1]), array([0, 1, 0]))
    """

    patterns: Codes
    multiplicity: Codes
    pattern: Ints

    @classmethod
    def from_matrix(cls, counts: object) -> Counts:
        """Find the patterns of an items x labels matrix of counts. O(labels n log n)."""
        matrix = np.asarray(counts, dtype=np.int64)
        first, group = group_rows(matrix.T)
        return cls(
            patterns=matrix[first],
            multiplicity=np.bincount(group, minlength=len(first)),
            pattern=group,
        )

    @property
    def ratings(self) -> Codes:
        """Number of ratings in each pattern."""
        return self.patterns.sum(axis=1)

    @property
    def ratings_per_item(self) -> Codes:
        """Number of ratings of each item."""
        return self.ratings[self.pattern]

    def take(self, items: Flags | Ints) -> Counts:
        """Keep some items, and only the patterns that they show. O(n)."""
        pattern = self.pattern[items]
        multiplicity = np.bincount(pattern, minlength=len(self.patterns))
        kept = np.flatnonzero(multiplicity)
        place = np.zeros(len(self.patterns), dtype=np.intp)
        place[kept] = np.arange(len(kept))
        return Counts(
            patterns=self.patterns[kept], multiplicity=multiplicity[kept], pattern=place[pattern]
        )
