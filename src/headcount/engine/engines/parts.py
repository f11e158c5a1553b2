"""Groups by item that take more memory than is allowed: made in parts, which are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from headcount.engine.engines.base import Engine
from headcount.engine.engines.failures import NotEnoughMemoryError

__all__ = ["ALL", "in_parts", "within_memory"]

ALL = "TRUE"
"""The condition that every item meets."""
PARTS = (4, 16, 64)
"""Parts of the items that are grouped one after the other, until they are small enough."""
Found = TypeVar("Found")


def within_memory(
    engine: Engine, name: str, select: Callable[[str], str], run: Callable[[str], Found]
) -> Found:
    """Run a query on groups of items; where all at once take too much memory, on parts of them.

    Parameters
    ----------
    engine : Engine
    name : str
        Of what is kept.
    select : function
        Writes the SELECT of the groups of items that meet a condition.
    run : function
        Runs a query on such a SELECT.
    """
    try:
        return run(select(ALL))
    except NotEnoughMemoryError:
        return run(in_parts(engine, name, select))


def in_parts(engine: Engine, name: str, select: Callable[[str], str]) -> str:
    """Group items in parts by a hash, keep each part, and return the SELECT of them all.

    Each part is a scan of all rows, and the parts have equal sizes whatever the order of rows is.
    """
    *fewer, most = PARTS
    for number in fewer:
        try:
            return _kept(engine, name, select, number)
        except NotEnoughMemoryError:
            continue
    return _kept(engine, name, select, most)


def _kept(engine: Engine, name: str, select: Callable[[str], str], number: int) -> str:
    """Keep so many parts, and write the SELECT of them all."""
    key = engine.dialect.hash.format("item")
    parts = [
        engine.keep(f"{name}_{part}", select(f"{key} % {number} = {part}"))
        for part in range(number)
    ]
    return " UNION ALL ".join(f"SELECT * FROM {part}" for part in parts)
