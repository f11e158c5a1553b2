"""Cells of exports: what is a dict, a list, a text; several labels as one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, cast

__all__ = ["BETWEEN", "as_dict", "as_list", "joined", "text_of"]

BETWEEN = " + "
"""What stands between the labels of an answer that has several."""


def as_dict(value: Any) -> dict[str, Any]:
    """Return a JSON object; an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return a JSON array; an empty one for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_of(value: Any) -> str | None:
    """Write an answer as a label; None if there is none, or if it is a record.

    Booleans are written as Python writes them, numbers without a fraction that says nothing,
    several labels as one.

    Examples
    --------
    >>> text_of(4.0), text_of(True), text_of(" ok "), text_of(float("nan")), text_of(["b", "a"])
    ('4', 'True', 'ok', None, 'a + b')
    """
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, list):
        cells = cast("list[Any]", value)
        return joined(text for cell in cells if (text := text_of(cell)) is not None)
    if value is None or isinstance(value, dict):
        return None
    return str(value).strip() or None


def joined(labels: Iterable[str]) -> str | None:
    """Write several labels as one, whatever order they were ticked in; None if there are none.

    Examples
    --------
    >>> joined(["service", "price"]), joined(["price"]), joined([])
    ('price + service', 'price', None)
    """
    return BETWEEN.join(sorted(set(labels))) or None
