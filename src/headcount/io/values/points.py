"""Points of a scale: numbers that belong together though none of them is given twice."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["on_one_scale"]

LONGEST = 11
"""The highest point of a scale, as of one from 0 to 10 or from 1 to 11."""


def on_one_scale(one: Collection[str], other: Collection[str]) -> bool:
    """Whether numbers of one lie between those of the other, on a short scale.

    All may say 4 of an item, which nobody says of others.

    Examples
    --------
    >>> on_one_scale({"4"}, {"1", "2", "5"}), on_one_scale({"37"}, {"1", "5"})
    (True, False)
    """
    if not one or not other or not all(value.isdecimal() for value in (*one, *other)):
        return False
    ends = [(min(map(int, values)), max(map(int, values))) for values in (one, other)]
    (low, high), (least, most) = sorted(ends, key=lambda end: end[0] - end[1])
    return high <= LONGEST and low <= least and most <= high
