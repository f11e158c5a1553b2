"""Compare documents to the last digit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

__all__ = ["Difference", "differences"]


class Difference(NamedTuple):
    """Where two documents differ, and what each says there."""

    where: str
    one: Any
    other: Any


def differences(one: Any, other: Any, *, ignore: Sequence[str] = ()) -> list[Difference]:
    """Compare two documents to the last digit.

    Examples
    --------
    >>> differences({"a": [1, 2.0]}, {"a": [1, 2.5]})
    [Difference(where='a[1]', one=2.0, other=2.5)]
    """
    return list(_compare(one, other, "", frozenset(ignore)))


def _compare(one: Any, other: Any, where: str, ignore: frozenset[str]) -> Iterator[Difference]:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        ours, theirs = cast("Mapping[Any, Any]", one), cast("Mapping[Any, Any]", other)
        for key in dict.fromkeys([*ours, *theirs]):
            if key not in ignore:
                here = f"{where}.{key}" if where else str(key)
                yield from _compare(ours.get(key), theirs.get(key), here, ignore)
        return
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        values, others = cast("Sequence[Any]", one), cast("Sequence[Any]", other)
        if len(values) == len(others):
            for place, pair in enumerate(zip(values, others, strict=True)):
                yield from _compare(*pair, f"{where}[{place}]", ignore)
            return
    if not _same(one, other):
        yield Difference(where, one, other)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and bool(one == other)
