"""Counts and labels in a few words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import count
from headcount.io.look.records import Share
from headcount.typing import Floats, Ints

__all__ = ["by_number", "named", "shares", "spread"]

MOST_LISTED = 8
"""Labels that a sentence lists."""


def spread(counts: Any) -> dict[str, float]:
    """Smallest, median and largest of counts above 0.

    Examples
    --------
    >>> spread(np.array([3, 0, 1, 2]))
    {'min': 1, 'median': 2.0, 'max': 3}
    """
    given = np.asarray(counts)
    given = given[given > 0]
    if not len(given):
        return {"min": 0, "median": 0.0, "max": 0}
    return {"min": int(given.min()), "median": float(np.median(given)), "max": int(given.max())}


def named(labels: Sequence[str]) -> str:
    """Write labels in a few words.

    Examples
    --------
    >>> named(["1", "2", "3", "4", "5"]), named(["ok", "toxic"]), named(["x"] * 40)
    ('labels 1 to 5', 'labels ok, toxic', '40 labels')
    """
    numbers = [number_of(label) for label in labels]
    whole = sorted(int(n) for n in numbers if n is not None and n == int(n))
    if len(labels) > 2 and whole == [*range(whole[0], whole[0] + len(labels))] if whole else False:
        return f"labels {whole[0]} to {whole[-1]}"
    if len(labels) > MOST_LISTED or sum(map(len, labels)) > 60:
        return count(len(labels), "label")
    return f"{'label' if len(labels) == 1 else 'labels'} {', '.join(labels)}"


def shares(labels: Sequence[str], counts: Floats | Ints) -> tuple[Share, ...]:
    """Make the share of each label from its count."""
    return tuple(_shares(labels, counts))


def _shares(labels: Sequence[str], counts: Floats | Ints) -> Iterator[Share]:
    total = float(np.sum(counts))
    for label, number in zip(labels, counts.tolist(), strict=True):
        whole = int(number) if number == int(number) else number
        yield Share(label=label, count=whole, share=number / total if total else 0.0)


def by_number(label: str) -> tuple[bool, float, str]:
    """Order labels that are numbers by these, and words after them."""
    number = number_of(label)
    return number is None, number or 0.0, label
