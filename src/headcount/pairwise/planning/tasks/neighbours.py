"""Pairs of items that stand close to each other, as far as is known."""

from __future__ import annotations

import numpy as np

from headcount.pairwise.planning.tasks.goals import Goal
from headcount.pairwise.planning.tasks.posterior import Posterior
from headcount.typing import Codes, Floats

__all__ = ["Groups", "Pair", "expected_sd", "neighbours"]

TOLD = 0.2
"""Information of an answer about an item: p (1 - p) of close items, some of it about the other."""
NEAREST, FARTHEST = 4, 64
"""Items that an item is paired with rather, the nearest ones; and those it may be paired with."""
FAR = 3.0
"""Logits between items whose answer is not worth asking for, besides what is not known of them."""

Pair = tuple[int, int]


class Groups:
    """Groups of items that comparisons join."""

    def __init__(self, group: Codes) -> None:
        first = np.full(int(group.max(initial=-1)) + 1, -1)
        first[group[::-1]] = np.arange(len(group))[::-1]
        self.parent: list[int] = first[group].tolist()

    def find(self, item: int) -> int:
        """Find the item that stands for the group of an item."""
        while self.parent[item] != item:
            self.parent[item] = item = self.parent[self.parent[item]]
        return item

    def join(self, one: int, two: int) -> bool:
        """Join two groups; False if they are one already."""
        a, b = self.find(one), self.find(two)
        self.parent[b] = a
        return a != b


def expected_sd(sd: Floats, noise: float) -> Floats:
    """Foresee standard deviations once each item was asked about once more."""
    return sd / np.sqrt(1 + TOLD / noise * sd**2)


def neighbours(
    known: Posterior,
    goal: Goal,
    groups: Groups,
    times: dict[Pair, int],
    wanted: int,
    rng: np.random.Generator,
) -> list[tuple[Pair, bool]]:
    """Choose pairs of items that stand close to each other; and say if they join groups.

    As many places as there are items are filled in four rounds, or more if the goal is about few of
    them, each by the items with which the goal has most to gain; their standard deviations then
    come down as one answer is expected to bring them. Items are ordered by ratings that are drawn
    from what is known of them, and neighbours are paired. Of the four nearest the one goes first
    that was asked for least often, then one that joins two groups. No pair comes twice while there
    are others. At the start, this is a random matching: every item once, and none more often.

    O(pairs + items log items) a batch, about 10 ms for 10,000 items.

    Parameters
    ----------
    known : Posterior
    goal : Goal
    groups : Groups
        Is changed.
    times : dict of pair to int
        How often pairs were asked for, the smaller code first; is changed.
    wanted : int
    rng : Generator
    """
    n, sd = len(known.rating), known.sd.copy()
    matching = _Matching(known, groups, times)
    found: list[tuple[Pair, bool]] = []
    again = False
    while len(found) < wanted:
        # A few items may have met all others of them: then look at as many as there are.
        places = n - n % 2 if again else min(n - n % 2, 2 * (wanted - len(found)))
        items = _fill(known, goal, sd, places, rng)
        drawn = known.rating[items] + known.sd[items] * rng.standard_normal(len(items))
        order: list[int] = items[np.argsort(drawn, kind="stable")].tolist()
        pairs = matching.pairs(order)
        found += [(pair, groups.join(*pair)) for pair in pairs]
        if again and not pairs:
            matching.relax()
        again = not pairs
    return found[:wanted]


def _fill(known: Posterior, goal: Goal, sd: Floats, places: int, rng: np.random.Generator) -> Codes:
    """Fill places with the items that gain most, as many at a time as the goal says."""
    n, gap = len(sd), known.rating - goal.cut(known.rating, sd)
    filled: list[Codes] = []
    had = np.zeros(n)
    while places > 0:
        gain = goal.gain(gap, sd)
        each = min(goal.at_once(gain), places)
        # Of items with the same gain, such as all at the start, those go first that came least.
        order = np.lexsort((rng.random(n), had, -gain))
        best = order[:each]
        sd[best] = expected_sd(sd[best], known.noise)
        had[best] += 1
        filled.append(best)
        places -= each
    return np.concatenate(filled)


class _Matching:
    """Pairs neighbours in an order of items that may hold an item several times."""

    def __init__(self, known: Posterior, groups: Groups, times: dict[Pair, int]) -> None:
        self.rating: list[float] = known.rating.tolist()
        self.sd: list[float] = known.sd.tolist()
        self.groups, self.times = groups, times
        self.chosen: dict[Pair, int] = {}
        self.most, self.reach = 1, FAR

    def relax(self) -> None:
        """Let pairs come again, and items meet that lie further apart."""
        self.most, self.reach = self.most + 1, 2 * self.reach

    def pairs(self, order: list[int]) -> list[Pair]:
        """Pair items, each with one of those after it."""
        found: list[Pair] = []
        used = [False] * len(order)
        for k, item in enumerate(order):
            place = None if used[k] else self._other(order, used, k)
            if place is not None:
                used[k] = used[place] = True
                pair = _pair(item, order[place])
                found.append(pair)
                self.times[pair] = self.times.get(pair, 0) + 1
                self.chosen[pair] = self.chosen.get(pair, 0) + 1
        return found

    def _other(self, order: list[int], used: list[bool], k: int) -> int | None:
        """Find the place of the item to pair with: near, seldom asked for, of another group."""
        best: tuple[int, bool, int] | None = None
        seen = 0
        for place in range(k + 1, len(order)):
            if used[place] or order[place] == order[k]:
                continue
            seen += 1
            if self._allowed(order[k], order[place]):
                joined = self.groups.find(order[k]) == self.groups.find(order[place])
                key = (self.times.get(_pair(order[k], order[place]), 0), joined, place)
                best = key if best is None else min(best, key)
            if (seen >= NEAREST and best is not None) or seen >= FARTHEST:
                break
        return None if best is None else best[2]

    def _allowed(self, one: int, two: int) -> bool:
        """Whether a pair was not chosen too often, and its answer is open."""
        apart = abs(self.rating[one] - self.rating[two]) - self.sd[one] - self.sd[two]
        return apart < self.reach and self.chosen.get(_pair(one, two), 0) < self.most


def _pair(one: int, two: int) -> Pair:
    return (min(one, two), max(one, two))
