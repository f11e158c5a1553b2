"""On which side items of a pair are shown, in which order pairs are asked, and whom."""

from __future__ import annotations

import numpy as np

from headcount.typing import Codes

__all__ = ["arrange", "balanced"]


def balanced(
    first: Codes, second: Codes, more_left: Codes, rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """Choose sides so that each item is on the left about as often as on the right.

    Of a pair, the item that was on the left more often goes to the right; a coin decides ties.
    O(pairs).

    Parameters
    ----------
    first, second : (pairs,) arrays of int
    more_left : (items,) array of int
        How much more often each item was on the left so far; is changed.
    rng : Generator

    Examples
    --------
    >>> balanced(np.array([0, 0]), np.array([1, 2]), np.array([3, 0, 1]), np.random.default_rng(0))
    (array([1, 2]), array([0, 0]))
    """
    left, right = first.copy(), second.copy()
    coin = rng.random(len(first)) < 0.5
    for k in range(len(first)):
        i, j = left[k], right[k]
        lead = more_left[i] - more_left[j]
        if lead > 0 or (lead == 0 and coin[k]):
            left[k], right[k] = i, j = j, i
        more_left[i] += 1
        more_left[j] -= 1
    return left, right


def arrange(
    n: int, repeated: Codes, per_rater: int | None, rng: np.random.Generator
) -> tuple[Codes, Codes | None]:
    """Put tasks in random order, checks well after the task that they repeat.

    Parameters
    ----------
    n : int
        Tasks that are no checks, numbered from 0.
    repeated : (checks,) array of int
        Task that each check repeats; checks are numbered from n on.
    per_rater : int or None
        Tasks a rater has at most. From 2 on, a check goes to the rater of the task that it repeats,
        and there are as many raters as that takes.
    rng : Generator

    Returns
    -------
    order : (tasks,) array of int
    slot : (tasks,) array of int or None
        Rater of each task in that order, from 1 on.

    Examples
    --------
    >>> order, slot = arrange(4, np.array([2]), 3, np.random.default_rng(0))
    >>> order, slot
    (array([2, 4, 0, 3, 1]), array([1, 1, 1, 2, 2]))
    """
    time = rng.random(n)
    time[repeated] /= 2
    time = np.concatenate([time, time[repeated] + 0.5])
    if per_rater is None:
        return np.argsort(time), None
    total = n + len(repeated)
    twos = per_rater // 2
    slots = max(-(-total // per_rater), -(-len(repeated) // twos) if twos else 0)
    slot = np.full(total, -1)
    room = np.full(slots, per_rater)
    for k, task in enumerate(repeated if twos else ()):
        place = k % slots
        slot[[task, n + k]] = place
        room[place] -= 2
    rest = rng.permutation(np.flatnonzero(slot < 0))
    # What is left fills the raters evenly.
    turns = [(per_rater - k, place) for place in range(slots) for k in range(room[place], 0, -1)]
    slot[rest] = [place for _, place in sorted(turns)[: len(rest)]]
    order = np.lexsort((time, slot))
    return order, slot[order] + 1
