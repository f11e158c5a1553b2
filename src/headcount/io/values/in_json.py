"""Answers of models that are JSON in a cell: {"score": 4, "reason": "..."}."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

__all__ = ["KEYS", "InJson", "in_json"]

KEYS = (
    "label", "score", "rating", "verdict", "answer", "grade", "decision", "judgment", "judgement",
    "choice", "class", "category", "result", "value",
)  # fmt: skip
"""Keys that hold an answer, likeliest first."""


@dataclass(frozen=True)
class InJson:
    """What texts say, and the key that says it."""

    key: str
    texts: list[str]


def in_json(texts: Sequence[str]) -> InJson | None:
    """Take the answer out of texts that are objects of JSON; None if some are none.

    Examples
    --------
    >>> in_json(['{"score": 4, "reason": "good"}', '{"score": 2, "reason": "so"}'])
    InJson(key='score', texts=['4', '2'])
    """
    if not texts or not all("{" in text[:20] for text in texts):
        return None
    read: list[dict[str, Any]] = []
    for text in texts:
        bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
        try:
            made: object = json.loads(bare)
        except (ValueError, RecursionError):
            return None
        if not isinstance(made, dict):
            return None
        read.append(cast("dict[str, Any]", made))
    for key in KEYS:
        values = [one.get(key) for one in read]
        if all(isinstance(value, str | int | float) for value in values):
            return InJson(key, [str(value) for value in values])
    return None
