"""The standing of people and judge in the slow way, by loops over pairs of people."""

from __future__ import annotations

import math
from itertools import product


def kappas(ratings, judge, people, distance):
    """Kappa of each person with the others, and of the judge in that person's place.

    `ratings` is a dict of (item, person) to label, `judge` a dict of item to label.
    """
    found = {}
    for h in people:
        sums = {"person": [0.0, 0.0], "judge": [0.0, 0.0]}
        for g in people:
            if g == h:
                continue
            items = sorted(i for i, who in ratings if who == h and (i, g) in ratings and i in judge)
            n = len(items)
            if n < 2:
                continue
            for side in sums:
                mine = [ratings[i, h] if side == "person" else judge[i] for i in items]
                theirs = [ratings[i, g] for i in items]
                seen = sum(distance(a, b) for a, b in zip(mine, theirs, strict=True))
                apart = [
                    distance(mine[i], theirs[k]) for i, k in product(range(n), repeat=2) if i != k
                ]
                sums[side][0] += seen
                sums[side][1] += n * sum(apart) / (n * (n - 1))
        found[h] = tuple(
            1 - top / bottom if bottom > 1e-9 else math.nan for top, bottom in sums.values()
        )
    return found
