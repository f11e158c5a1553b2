"""Who rated, how often, and whether that can show how other raters would differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headcount.data.labels import Labels
from headcount.stats.grouping import group_sums
from headcount.typing import Floats, Ids

__all__ = ["Panel"]

FEW_RATERS = 6
"""Raters below which an interval for raters like these is so wide that both kinds are shown."""
LEAST_EFFECTIVE = 2.5
"""Effective number of raters below which nothing can be said of others."""
DOMINATES = 0.9
"""Share of the pairs of ratings that one rater may be part of, at most."""


@dataclass(frozen=True, eq=False)
class Panel:
    """The raters of a set of ratings.

    Parameters
    ----------
    paired : (raters,) array
        Ratings of each rater, on items that somebody else rated too.
    in_pairs : (raters,) array
        Pairs of ratings of an item that each rater is part of.
    anonymous : bool
        Whether nobody knows who gave which rating.
    names : (raters,) array or None
        Their ids, where one of them may have to be named.

    Examples
    --------
    >>> labels = Labels.from_triples([1, 1, 2, 2], ["a", "b", "a", "b"], ["x", "y", "x", "x"])
    >>> panel = Panel.from_labels(labels)
    >>> panel.raters, panel.effective, panel.reused
    (2, 2.0, True)
    """

    paired: Floats
    in_pairs: Floats
    anonymous: bool
    names: Ids | None = None

    @classmethod
    def from_labels(cls, labels: Labels) -> Panel:
        """Count what each rater gave. O(ratings)."""
        others = (labels.ratings_per_item[labels.item] - 1).astype(np.float64)
        raters, shared = len(labels.raters), (others > 0).astype(np.float64)
        if labels.times is not None:
            shared, others = shared * labels.times, others * labels.times
        paired = group_sums(labels.rater, shared, raters)
        in_pairs = group_sums(labels.rater, others, raters)
        return cls(paired, in_pairs, labels.anonymous, labels.raters)

    @cached_property
    def raters(self) -> int:
        """Raters who share an item with somebody."""
        return int(np.count_nonzero(self.paired))

    @cached_property
    def effective(self) -> float:
        """As many raters with equal shares would tell as much: (sum c)^2 / sum c^2."""
        squares = float((self.paired**2).sum())
        return float(self.paired.sum()) ** 2 / squares if squares else 0.0

    @cached_property
    def reused(self) -> bool:
        """Whether some rater is compared with others on two items or more."""
        return not self.anonymous and bool(self.paired.max(initial=0) > 1)

    @property
    def few(self) -> bool:
        """Whether raters are so few that they tell little about others."""
        return self.raters < FEW_RATERS

    @cached_property
    def silent(self) -> str | None:
        """Why nothing can be said of other raters, in words; None if something can."""
        if self.raters == 2:
            return "two raters cannot show how others would differ"
        if self.effective < LEAST_EFFECTIVE:
            two = self._named(2) or "two raters"
            return f"nearly all ratings are by {two}, who cannot show how others would differ"
        pairs = float(self.in_pairs.sum()) / 2
        if pairs and float(self.in_pairs.max()) > DOMINATES * pairs:
            one = self._named(1) or "one rater"
            return f"{one} is part of nearly all pairs of ratings, and cannot stand for others"
        return None

    def _named(self, most: int) -> str:
        """Name those who are part of most pairs of ratings."""
        if self.names is None:
            return ""
        first = self.names[np.argsort(-self.in_pairs, kind="stable")[:most]].tolist()
        return f"{'rater' if most == 1 else 'raters'} {' and '.join(map(repr, map(str, first)))}"
