"""Bradley-Terry ratings after each of several numbers of comparisons, compiled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headcount.stats.compiled import compiled

__all__ = ["rate_steps"]

NONE = -1
MOST_SWEEPS = 200
LONGEST = 2.0


@compiled(nogil=True)
def rate_steps(
    start: Any,
    left: Any,
    right: Any,
    outcome: Any,
    weight: Any,
    slope: Any,
    steps: Any,
    precision: float,
) -> Any:
    """Most probable logits by the first steps[0], steps[1], ... comparisons; steps x items.

    Newton steps of one item at a time, round and round until none moves by more than .001, from
    where the number of comparisons before ended. Comparisons of an item are a linked list, to
    which new ones are added in front. O(comparisons) a round, of which a step needs about 5.

    Parameters
    ----------
    start : (items,) array
        Ratings to start from.
    left, right, outcome, weight : (comparisons,) arrays
    slope : (comparisons,) array
        How much of a difference in ratings counts: less than 1 where it is uncertain.
    steps : (steps,) array of int
        Rising.
    precision : float
        Of the normal prior around 0.
    """
    items = len(start)
    head = np.full(items, NONE, dtype=np.int64)
    # Comparison c is link 2c in the list of its left item, and 2c + 1 in that of its right one.
    after = np.full(2 * len(left), NONE, dtype=np.int64)
    rating = start.copy()
    rated = np.zeros((len(steps), items))
    done = 0
    for step in range(len(steps)):
        while done < steps[step]:
            after[2 * done], head[left[done]] = head[left[done]], 2 * done
            after[2 * done + 1], head[right[done]] = head[right[done]], 2 * done + 1
            done += 1
        for _ in range(MOST_SWEEPS if done else 0):
            moved = 0.0
            for i in range(items):
                gradient, curve = -precision * rating[i], precision
                link = head[i]
                while link != NONE:
                    c = link // 2
                    on_left = link % 2 == 0
                    other = right[c] if on_left else left[c]
                    won = outcome[c] if on_left else 1.0 - outcome[c]
                    p = 0.5 * (1.0 + math.tanh(0.5 * slope[c] * (rating[i] - rating[other])))
                    gradient += weight[c] * (won - p)
                    curve += weight[c] * slope[c] * p * (1.0 - p)
                    link = after[link]
                move = min(max(gradient / curve, -LONGEST), LONGEST)
                rating[i] += move
                moved = max(moved, abs(move))
            if moved < 1e-3:
                break
        rated[step] = rating
    return rated
