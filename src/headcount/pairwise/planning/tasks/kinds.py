"""Why a pair is asked, and how such pairs are chosen.

A kind is a class here, and an entry of :data:`KINDS`.
"""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, TypeVar

import numpy as np

from headcount.pairwise.planning.tasks.information import Information, bend
from headcount.pairwise.planning.tasks.prepare import Design, Pair
from headcount.typing import Codes, Floats

__all__ = ["KINDS", "Check", "Informative", "Join", "Random", "TaskKind"]

NEAR = 16
"""Neighbours in rating that an item may meet, either way, and others drawn at random."""

Number = TypeVar("Number", float, Floats)


class TaskKind(ABC):
    """A reason to ask a pair.

    Attributes
    ----------
    name : str
    why : str
        The reason, in words.
    """

    name: ClassVar[str]
    why: ClassVar[str]

    @abstractmethod
    def choose(self, design: Design, wanted: int) -> list[Pair]:
        """Choose pairs, `wanted` at most, given those chosen so far."""


class Join(TaskKind):
    """Joins groups of items that no comparison joins: the largest to each of the others."""

    name = "join"
    why = "ties a group of items to the others"

    def choose(self, design: Design, wanted: int) -> list[Pair]:
        """Pair an item of each group with one of the largest: its least asked, the nearest."""
        return _joining(design.rating, design.group, wanted, design.rng)


class Informative(TaskKind):
    """Has the largest expected gain in information about the ratings."""

    name = "informative"
    why = "its answer tells most about the ratings"

    def choose(self, design: Design, wanted: int) -> list[Pair]:
        """Take the pairs with the largest gains, one by one."""
        known = design.information()
        return informative_pairs(known, wanted, design.taken, design.rng)


class Random(TaskKind):
    """Is drawn at random, which keeps the design from chasing its own mistakes."""

    name = "random"
    why = "keeps the choice from chasing its own mistakes"

    def choose(self, design: Design, wanted: int) -> list[Pair]:
        """Draw different pairs."""
        return _random(len(design.names), wanted, design.taken, design.rng)


class Check(TaskKind):
    """Repeats another task with sides swapped: a rater who looks says the same again."""

    name = "check"
    why = "repeats another task, sides swapped"

    def choose(self, design: Design, wanted: int) -> list[Pair]:
        """Repeat pairs that were chosen."""
        return [design.chosen[k] for k in self.repeated(design, wanted)]

    def repeated(self, design: Design, wanted: int) -> Codes:
        """Draw the tasks that are repeated, by number."""
        return design.rng.permutation(len(design.chosen))[:wanted]


JOIN, INFORMATIVE, RANDOM, CHECK = Join(), Informative(), Random(), Check()
KINDS: tuple[TaskKind, ...] = (JOIN, INFORMATIVE, RANDOM, CHECK)


def _joining(rating: Floats, group: Codes, most: int, rng: np.random.Generator) -> list[Pair]:
    """Pair an item of each group with one of the largest: its least asked, then the nearest."""
    sizes = np.bincount(group)
    main = np.flatnonzero(group == int(np.argmax(sizes)))
    asked = np.zeros(len(main))
    members = np.argsort(group, kind="stable")
    starts = np.cumsum(sizes) - sizes
    pairs: list[Pair] = []
    for k in rng.permutation(np.setdiff1d(np.unique(group), group[main[:1]]))[:most]:
        these = members[starts[k] : starts[k] + sizes[k]]
        one = int(these[np.argmin(np.abs(rating[these] - np.median(rating[these])))])
        # The nearest tells most, but none should have to meet all.
        apart = np.abs(rating[main] - rating[one])
        place = int(np.argmin(np.where(asked == asked.min(), apart, np.inf)))
        asked[place] += 1
        other = int(main[place])
        pairs.append((min(one, other), max(one, other)))
    return pairs


def informative_pairs(
    known: Information, wanted: int, taken: set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """Take the pairs with the largest gains one by one; `taken` pairs are left out, and grow.

    Gains only fall as information grows, so that an old one is a bound: the pair at the top of
    the heap is looked at again, and taken if it would stay there.
    """
    found: list[Pair] = []
    amount: list[float] = known.of_item.tolist()
    while len(found) < wanted:
        pairs, gain, more = _gains(known, amount, _candidates(known.rating, wanted, rng))
        heap = [(-gain(c), c) for c, pair in enumerate(pairs) if pair not in taken]
        if not heap:
            taken.clear()  # every pair has been asked in this batch: start another round
            continue
        heapq.heapify(heap)
        while heap and len(found) < wanted:
            c = heapq.heappop(heap)[1]
            now = gain(c)
            if heap and now < -heap[0][0]:
                heapq.heappush(heap, (-now, c))
                continue
            found.append(pairs[c])
            taken.add(pairs[c])
            for end in pairs[c]:
                amount[end] += more[c]
    return found


def _gains(
    known: Information, amount: list[float], candidates: tuple[Codes, Codes]
) -> tuple[list[Pair], Callable[[int], float], list[float]]:
    """Pairs, what tells the gain of one of them by the `amount` of information now, and p (1 - p).

    As plain numbers, since they are looked at one by one.
    """
    i, j = candidates
    shared, variance = known.shared(i, j), known.variance(i, j)
    # A difference that is not known well may be small: it is shrunk accordingly (MacKay).
    gap = (known.rating[i] - known.rating[j]) / np.sqrt(1 + math.pi / 8 * variance)
    more: list[float] = bend(gap).tolist()
    shares: list[float] = shared.tolist()
    scales: list[float] = (variance / _between(known.of_item[i], known.of_item[j], shared)).tolist()
    pairs: list[Pair] = list(zip(i.tolist(), j.tolist(), strict=True))

    def gain(c: int) -> float:
        a, b = (amount[end] for end in pairs[c])
        return 0.5 * math.log1p(more[c] * scales[c] * _between(a, b, shares[c]))

    return pairs, gain, more


def _between(a: Number, b: Number, shared: Number) -> Number:
    """Variance of a difference in ratings, were all other items known."""
    return (a + b - 2 * shared) / (a * b - shared**2)


def _candidates(rating: Floats, wanted: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Draw pairs to choose from, smaller code first: neighbours in rating, and any others.

    Four times as many of both as are wanted, or all pairs.
    """
    n = len(rating)
    each = max(NEAR, -(-4 * wanted // n))
    if 2 * each >= n - 1:
        i, j = np.triu_indices(n, 1)
        return i.astype(np.int64), j.astype(np.int64)
    order = np.argsort(rating, kind="stable")
    one = [order[:-k] for k in range(1, each + 1)]
    two = [order[k:] for k in range(1, each + 1)]
    others = rng.integers(0, n, n * each)
    one, two = (
        np.concatenate([*one, others]),
        np.concatenate([*two, (others + rng.integers(1, n, n * each)) % n]),
    )
    key = np.unique(np.minimum(one, two) * n + np.maximum(one, two))
    return key // n, key % n


def _random(n: int, wanted: int, taken: set[Pair], rng: np.random.Generator) -> list[Pair]:
    """Draw different pairs, none of them taken, as long as there are any."""
    found: list[Pair] = []
    while len(found) < wanted:
        if len(taken) >= n * (n - 1) // 2:
            taken.clear()
        i = int(rng.integers(n))
        j = (i + int(rng.integers(1, n))) % n
        pair = (min(i, j), max(i, j))
        if pair not in taken:
            taken.add(pair)
            found.append(pair)
    return found
