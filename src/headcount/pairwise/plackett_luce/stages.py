r"""Rankings as stages: at each, an item is chosen from those that are left.

.. math:: P(c \mid S) = \frac{e^{\theta_c}}{\sum_{j \in S} e^{\theta_j}}

A ranking is chosen from the best down (Plackett 1975, Luce 1959). Items that are tied are each
chosen with an equal share of every stage at which one of them goes, and count in what is left with
the share of them that is still there (Efron 1977): for two items, half a win for either. The worst
of a set, of which no more is known, is chosen with :math:`-\theta` in place of :math:`\theta`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = ["Stages"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Stages:
    """Choices from sets, one after the other: entries are the items of each set.

    Parameters
    ----------
    n_items : int
    start : (stages,) array of int
        First entry of each stage.
    item : (entries,) array of int
    part : (entries,) array of float
        How much of an item is in the set: 1, or less of those that are tied.
    chosen : (entries,) array of float
        What share of the choice an item has: 1 or 0, or less than 1 of those that are tied.
    sign : (stages,) array of float
        1 where the best was chosen, -1 where the worst was.
    weight : (stages,) array of float
    row : (stages,) array of int
        A comparison of the ranking that the stage is of.
    """

    n_items: int
    start: Ints
    item: Codes
    part: Floats
    chosen: Floats
    sign: Floats
    weight: Floats
    row: Ints

    @property
    def stage(self) -> Ints:
        """Stage of each entry."""
        return np.repeat(np.arange(len(self.start)), self.sizes)

    @property
    def sizes(self) -> Ints:
        """Items in each set."""
        return np.diff(self.start, append=len(self.item))

    @classmethod
    def of(cls, played: Comparisons, kept: Flags) -> Stages:
        """Put rankings together again from their pairs, among the items that are kept.

        Without some of its items, a ranking is one of the others. O(pairs log pairs).
        """
        n = len(played.items)
        rows = np.flatnonzero(kept[played.left] & kept[played.right])
        ranking = np.zeros(len(played), np.int64) if played.ranking is None else played.ranking
        names, whose = np.unique(ranking[rows], return_inverse=True)
        key = np.concatenate([whose * n + played.left[rows], whose * n + played.right[rows]])
        entries, index = np.unique(key, return_inverse=True)
        left, right = index[: len(rows)], index[len(rows) :]
        share = played.outcome[rows]
        size = len(entries)
        both = np.bincount(left, share, size) + np.bincount(right, 1 - share, size)
        won = both.astype(np.float64)
        met = np.bincount(left, minlength=size) + np.bincount(right, minlength=size)
        owner, item = entries // n, entries % n
        k = np.bincount(owner, minlength=len(names))
        complete = np.bincount(whose, minlength=len(names)) == k * (k - 1) // 2
        row = np.zeros(len(names), dtype=np.int64)
        row[whose[::-1]] = rows[::-1]
        made = _Builder(played=played, row=row)
        order = np.lexsort((item, -won, owner))
        start = np.concatenate([[0], np.cumsum(k)])
        _add_orders(made, order, start, item, won, complete)
        _add_extremes(made, order, start, item, (won, met), complete)
        return made.stages(n)


class _Builder:
    """Stages as they are found, set by set."""

    def __init__(self, *, played: Comparisons, row: Ints) -> None:
        self.played, self.row = played, row
        self.parts: list[tuple[Codes, Floats, Floats, Ints, Ints, Floats]] = []

    def sorted(
        self, ranking: Ints, order: Ints, start: Ints, item: Codes, k: int
    ) -> tuple[Ints, Codes]:
        """Rankings of k items, in the order of what they say, with their items, best first."""
        places: Ints = start[ranking][:, None] + np.arange(k)
        items = item[order[places]]
        weight = self.played.weights[self.row[ranking]]
        by_content = np.lexsort((weight, *items.T[::-1]))
        return ranking[by_content], items[by_content]

    def add(self, items: Codes, part: Floats, chosen: Floats, ranking: Ints, sign: float) -> None:
        """Add a stage of each of several rankings: (rankings, entries) items of one pattern."""
        n, k = len(items), len(part)
        self.parts.append(
            (
                items.ravel(),
                np.tile(part, n),
                np.broadcast_to(chosen, (n, k)).ravel(),
                np.full(n, k),
                ranking,
                np.full(n, sign),
            )
        )

    def stages(self, n_items: int) -> Stages:
        """Put all stages after one another, in the order of what they say."""
        item, part, chosen, size, ranking, sign = (
            np.concatenate(column) for column in zip(*self.parts, strict=True)
        )
        row = self.row[ranking]
        return Stages(
            n_items=n_items,
            start=np.cumsum(size) - size,
            item=item,
            part=part,
            chosen=chosen,
            sign=sign,
            weight=self.played.weights[row],
            row=row,
        )


def _add_orders(
    made: _Builder, order: Ints, start: Ints, item: Codes, won: Floats, complete: Flags
) -> None:
    """Add the stages of rankings of which the whole order is known, by their pattern of ties."""
    points = won[order]
    new = np.diff(points, prepend=np.inf) != 0
    new[start[:-1]] = True
    patterns: dict[bytes, list[int]] = {}
    for r in np.flatnonzero(complete).tolist():
        patterns.setdefault(new[start[r] : start[r + 1]].tobytes(), []).append(r)
    for pattern, members in sorted(patterns.items()):
        firsts = np.flatnonzero(np.frombuffer(pattern, dtype=bool))
        levels: list[int] = np.diff(firsts, append=len(pattern)).tolist()
        k = sum(levels)
        ranking, items = made.sorted(np.array(members), order, start, item, k)
        gone = 0
        for m in levels:
            last = 1 if k - gone - m else 2  # the last of those tied at the end needs no choice
            for left in range(m, last - 1, -1):
                part = np.ones(k - gone)
                part[:m] = left / m
                chosen = np.zeros(k - gone)
                chosen[:m] = 1 / m
                made.add(items[:, gone:], part, chosen, ranking, 1.0)
            gone += m


def _add_extremes(
    made: _Builder,
    order: Ints,
    start: Ints,
    item: Codes,
    points: tuple[Floats, Ints],
    complete: Flags,
) -> None:
    """Add the choice of the best, and that of the worst of the others, where no more is known."""
    won, met = points
    size = np.diff(start)
    first, last = order[start[:-1]], order[start[1:] - 1]
    best = (met[first] == size - 1) & (won[first] == size - 1)
    worst = (met[last] == size - 1) & (won[last] == 0)
    sizes: list[int] = np.unique(size[~complete]).tolist()
    for k in sizes:
        for has_best, has_worst in ((True, True), (True, False), (False, True)):
            same = ~complete & (size == k) & (best == has_best) & (worst == has_worst)
            ranking, items = made.sorted(np.flatnonzero(same), order, start, item, k)
            if has_best and len(ranking):
                made.add(items, np.ones(k), np.eye(k)[0], ranking, 1.0)
            if has_worst and len(ranking):
                rest, left = items[:, int(has_best) :], k - int(has_best)
                made.add(rest, np.ones(left), np.eye(left)[-1], ranking, -1.0)
