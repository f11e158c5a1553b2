"""Answers of models that are JSON in a cell: {"score": 4, "reason": "..."}."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from headcount.io.roles.roles import is_remark, plain_name

__all__ = ["KEYS", "InJson", "in_json", "several_answers"]

KEYS = (
    "label", "score", "rating", "verdict", "answer", "grade", "decision", "judgment", "judgement",
    "choice", "class", "category", "result", "value",
)  # fmt: skip
"""Keys that hold an answer, likeliest first."""
MOST_BEFORE = 200
"""Letters before an object."""


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
    read = _objects(texts)
    if not read:
        return None
    for key in KEYS:
        values = [one.get(key) for one in read]
        if all(isinstance(value, str | int | float) for value in values):
            return InJson(key, [str(value) for value in values])
    others = answers_in(read[0])
    if len(others) == 1 and all(answers_in(one) == others for one in read):
        return InJson(others[0], [str(one[others[0]]) for one in read])
    return None


def answers_in(said: dict[str, Any]) -> list[str]:
    """Keys of an object that hold a value and are no remarks."""
    return [
        key
        for key, value in said.items()
        if isinstance(value, str | int | float) and not is_remark(plain_name(key), ())
    ]


def several_answers(texts: Sequence[str]) -> list[str]:
    """Keys of texts that are objects of JSON with several answers; none if they are not."""
    read = _objects(texts)
    return answers_in(read[0]) if read and in_json(texts) is None else []


def _objects(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Objects that texts are, perhaps with words around; none if some are not."""
    read: list[dict[str, Any]] = []
    for text in texts:
        start, end = text.find("{"), text.rfind("}")
        if not 0 <= start <= MOST_BEFORE or end < start:
            return []
        try:
            made: object = json.loads(text[start : end + 1])
        except (ValueError, RecursionError):
            return []
        if not isinstance(made, dict):
            return []
        read.append(cast("dict[str, Any]", made))
    return read
