"""Words that name the steps of a scale, lowest first: never, sometimes, always."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headcount.data.vocabulary import number_of

__all__ = ["in_order"]

_LADDERS = tuple(
    tuple(frozenset(step.split("|")) for step in ladder.split(", "))
    for ladder in (
        "very strongly disagree, strongly disagree|completely disagree|totally disagree, disagree, "
        "somewhat disagree|slightly disagree|mildly disagree, neutral|neither agree nor disagree|"
        "neither|undecided|unsure, somewhat agree|slightly agree|mildly agree, agree, "
        "strongly agree|completely agree|totally agree, very strongly agree",
        "never, almost never|very rarely, rarely|seldom, sometimes|occasionally, "
        "often|frequently, usually|very often, almost always, always",
        "terrible|awful|very bad|very poor, bad|poor, fair|average|acceptable|okay|ok|mediocre, "
        "good, very good, excellent|outstanding",
        "not at all, slightly|a little|a little bit, somewhat|moderately, quite|quite a bit, "
        "very|very much, extremely",
        "none|absent, minimal|very mild|trace, mild|slight, moderate, severe|marked, "
        "very severe|critical|extreme",
        "very low, low, medium|moderate, high, very high",
        "very unlikely|extremely unlikely, unlikely, possible|neutral|neither likely nor unlikely, "
        "likely, very likely|extremely likely",
        "irrelevant|not relevant|non-relevant, marginally relevant|slightly relevant, "
        "partially relevant|somewhat relevant, relevant, highly relevant|very relevant, "
        "perfectly relevant",
        "very dissatisfied, dissatisfied, neutral|neither satisfied nor dissatisfied, satisfied, "
        "very satisfied",
        "very negative, negative, neutral, positive, very positive",
        "strongly oppose, oppose, neutral, support, strongly support",
    )
)
"""Scales, as steps; a step has several names."""
_BARE_POLES = (frozenset({"negative", "neutral", "positive"}),)
"""Labels that are steps to some and names to others."""
_NUMBERED = re.compile(r"\(?(\d+(?:\.\d+)?)\)?\s*(?:[-–—:=.,)]+\s*|\s)\s*\(?([^\d].*?)\)?")
"""A number, and what it means: ``1 - never``, ``5 (always)``."""
LEAST, MOST = 3, 20
"""Labels of which an order can be told."""
LONGEST = 80
"""Letters of a text from which on it is no step of a scale."""


def in_order(labels: Sequence[str]) -> tuple[str, ...] | None:
    """Put labels in order, lowest first, if they are steps of a scale that is known by its words.

    Numbers of which some have words beside them are a scale too; numbers that all have words may
    be codes of names (``1 = cat``), and need words that are known.

    Examples
    --------
    >>> in_order(["often", "never", "sometimes"])
    ('never', 'sometimes', 'often')
    >>> in_order(["2", "3 (very good)", "1 (poor)"])
    ('1 (poor)', '2', '3 (very good)')
    >>> in_order(["1 = cat", "2 = dog", "3 = bird"])
    """
    if not LEAST <= len(labels) <= MOST or max(map(len, labels)) > LONGEST:
        return None
    found = [_NUMBERED.fullmatch(label.strip()) for label in labels]
    words = [m[2] if m else label for m, label in zip(found, labels, strict=True)]
    numbers = [float(m[1]) if m else number_of(t) for m, t in zip(found, labels, strict=True)]
    numbered = [number for number in numbers if number is not None]
    apart = len({*numbered}) == len(labels)
    bare = [number_of(label) is not None for label in labels]
    if apart and any(bare) and not all(bare):
        return _sorted(labels, numbered)
    steps = _steps([" ".join(word.lower().split()) for word in words])
    if steps is None:
        return None
    if numbered and not apart:
        return None
    return _sorted(labels, numbered if apart else steps)


def _sorted(labels: Sequence[str], by: Sequence[float]) -> tuple[str, ...]:
    return tuple(label for _, label in sorted(zip(by, labels, strict=True)))


def _steps(words: Sequence[str]) -> list[float] | None:
    """Place of each word on the one scale that has them all, each on a step of its own."""
    if frozenset(words) in _BARE_POLES:
        return None
    for ladder in _LADDERS:
        places = [next((n for n, s in enumerate(ladder) if word in s), None) for word in words]
        known = [float(place) for place in places if place is not None]
        if len({*known}) == len(words):
            return known
    return None
