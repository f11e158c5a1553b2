"""Raters of long data who are none: the gold standard, or the majority."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from headcount.errors import count, some
from headcount.io.ratings.shapes.base import Ratings
from headcount.io.roles.names import NO_PERSONS
from headcount.io.roles.roles import plain_name

__all__ = ["without_truth"]


def without_truth(made: Ratings) -> Ratings:
    """Leave out what is said by raters who are called the truth, or all others together."""
    if made.raters is None or made.rows is not None:  # of wide data, columns are left out
        return made
    codes, texts = made.raters
    found = [code for code, text in enumerate(texts) if plain_name(text) in NO_PERSONS]
    if not found or len(texts) - len(found) < 2:
        return made
    kept = ~np.isin(codes, found)
    names, number = [texts[code] for code in found], int((~kept).sum())
    made.notes.caution(
        f"{made.table.source}: {count(number, 'rating')} of {some(names)} left out: by the name, "
        "that is the truth, or what raters said together. If it is a rater, rename it."
    )
    table = made.table
    table.dropped = Counter(table.dropped) + Counter({f"rater is {some(names)}": number})
    left = [text for code, text in enumerate(texts) if code not in found]
    place = {text: code for code, text in enumerate(left)}
    recode = np.array([*(place.get(text, -1) for text in texts), -1])
    return replace(
        made,
        items=(made.items[0][kept], made.items[1]),
        raters=(recode[codes[kept]], left),
        labels=(made.labels[0][kept], made.labels[1]),
        rows=np.flatnonzero(kept),
    )
