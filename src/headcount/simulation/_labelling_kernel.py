"""Kernels of the agent model: what raters see, say and compare.

Every function is compiled, runs without Python's lock, and takes plain arrays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headcount.stats.arrays import compiled, part_of_kernel

__all__ = ["compare", "draw_pairs", "vote"]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
ONE, TWO = np.uint64(1), np.uint64(2)
TO_UNIT = 2.0**-53
EMPTY = -1


@part_of_kernel(inline="always")
def _uniform(key: Any, at: Any) -> Any:
    """Compute number `at` of the SplitMix64 sequence that starts at `key`, in (0, 1]."""
    x = key + (at + ONE) * GOLDEN
    x = (x ^ (x >> S30)) * FIRST
    x = (x ^ (x >> S27)) * SECOND
    x = x ^ (x >> S31)
    return (float(x >> S11) + 1.0) * TO_UNIT


@part_of_kernel()
def _normal(key: Any, at: Any) -> Any:
    """Compute standard normal number `at` of a sequence, by Box and Muller."""
    u, v = _uniform(key, TWO * at), _uniform(key, TWO * at + ONE)
    return math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * v)


@part_of_kernel()
def _perceived(key: Any, ambiguity: Any, theta: Any, feature: Any, w: Any, rater: Any, item: Any):
    """Compute what one rater sees in one item: always the same, and stored nowhere."""
    seen = math.sqrt(1.0 - w[rater] * w[rater]) * theta[item]
    if feature[item]:
        seen += w[rater]
    if ambiguity > 0.0:
        at = np.uint64(rater) * np.uint64(len(theta)) + np.uint64(item)
        seen += ambiguity * _normal(key, at)
    return seen


@part_of_kernel()
def _pair(index: Any) -> Any:
    """Pair number `index` of (0, 1), (0, 2), (1, 2), (0, 3) ..., smaller item first."""
    high = int((1.0 + math.sqrt(8.0 * index + 1.0)) / 2.0)
    # The root may be off by one where 8 index + 1 is no longer exact.
    while high * (high - 1) // 2 > index:
        high -= 1
    while high * (high + 1) // 2 <= index:
        high += 1
    return index - high * (high - 1) // 2, high


@compiled(4, nogil=True)
def draw_pairs(rng: Any, items: int, n: int) -> Any:
    """Draw n different pairs of items, all alike likely, in random order and position.

    Up to half of all pairs: numbers of pairs are drawn until one is new, less than twice each on
    average, and kept in a hash table. Above: a shuffle of all of them, less than twice n. O(n).
    """
    pairs = items * (items - 1) // 2
    left, right = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    dense = 2 * n > pairs
    size = 16
    while not dense and size < 2 * n:
        size *= 2
    every = np.arange(pairs if dense else 0)
    table = np.full(0 if dense else size, EMPTY, dtype=np.int64)
    for place in range(n):
        if dense:
            other = place + int(rng.random() * (pairs - place))
            index = every[other]
            every[other] = every[place]
        else:
            index = _new(rng, pairs, table)
        low, high = _pair(index)
        swapped = rng.random() < 0.5
        left[place], right[place] = (high, low) if swapped else (low, high)
    return left, right


@part_of_kernel()
def _new(rng: Any, pairs: int, table: Any) -> Any:
    """Draw the number of a pair that is not in the table yet, and put it there."""
    while True:
        index = int(rng.random() * pairs)
        slot = int((np.uint64(index) * GOLDEN) >> S30) & (len(table) - 1)
        while table[slot] != EMPTY and table[slot] != index:
            slot = (slot + 1) & (len(table) - 1)
        if table[slot] == EMPTY:
            table[slot] = index
            return index


@compiled(10, nogil=True)
def compare(
    rng: Any,
    left: Any,
    right: Any,
    key: Any,
    perception: float,
    cutoff: float,
    theta: Any,
    feature: Any,
    w: Any,
    spammer: Any,
) -> Any:
    """Have each pair compared by a rater drawn at random: the left item's share, and who said so.

    A tie where the perceived values differ by less than `cutoff`. A spammer says left, tie or
    right, one as likely as another.
    """
    n = len(left)
    outcome = np.empty(n)
    rater = np.empty(n, dtype=np.int64)
    for place in range(n):
        who = int(rng.random() * len(w))
        rater[place] = who
        if spammer[who]:
            outcome[place] = 0.5 * int(rng.random() * 3)
            continue
        gap = _perceived(key, perception, theta, feature, w, who, left[place]) - _perceived(
            key, perception, theta, feature, w, who, right[place]
        )
        if abs(gap) < cutoff or gap == 0.0:
            outcome[place] = 0.5
        else:
            outcome[place] = 1.0 if gap > 0.0 else 0.0
    return outcome, rater


@compiled(30, nogil=True)
def vote(
    rng: Any,
    votes: int,
    key: Any,
    perception: float,
    theta: Any,
    feature: Any,
    threshold: Any,
    w: Any,
    spammer: Any,
) -> Any:
    """Have each item labelled by `votes` different raters: who, and whether they said positive."""
    items, raters = len(theta), len(w)
    said = np.empty((items, votes), dtype=np.bool_)
    rater = np.empty((items, votes), dtype=np.int64)
    crowd = np.arange(raters)
    for item in range(items):
        for turn in range(votes):
            # A few steps of a shuffle: any order to start from will do.
            other = turn + int(rng.random() * (raters - turn))
            who = crowd[other]
            crowd[other] = crowd[turn]
            crowd[turn] = who
            rater[item, turn] = who
            if spammer[who]:
                said[item, turn] = rng.random() < 0.5
            else:
                seen = _perceived(key, perception, theta, feature, w, who, item)
                said[item, turn] = seen > threshold[who]
    return said, rater
