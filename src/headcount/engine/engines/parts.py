"""Rows of items that take too much memory to be grouped at once: written and grouped in parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from headcount.engine.engines.base import Engine
from headcount.engine.engines.failures import NotEnoughMemoryError

__all__ = ["ALL", "ItemRows", "added", "together"]

ALL = "TRUE"
"""The condition that every row meets."""
SHOWN = 10**6
"""Rows that show how close together those of an item are."""
TOGETHER = 2
"""Rows of an item that are close to each other, on average, if rows are in order."""
FEWEST, UNKNOWN = 4, 16
"""Parts in which rows are at least, and where nobody knows how many rows there are."""
Found = TypeVar("Found")


@dataclass(eq=False)
class ItemRows:
    """Rows with an item each, which are grouped by it: all at once, or a part at a time.

    Groups of many items, or of items whose rows are far from each other, take more memory than is
    allowed. Then rows are written once, in parts by a hash of the item, so that each part is read
    alone: a scan and a copy, however many parts there are.

    Parameters
    ----------
    engine : Engine
    name : str
        Of what is written.
    sql : str
        SELECT of the rows, with a column `item`; once they are in parts, also with their `part`.
    total : int or None
        How many rows there are, about.
    number : int
        Parts; 1 while rows are not in parts.
    """

    engine: Engine
    name: str
    sql: str
    total: int | None = None
    number: int = 1

    def __post_init__(self) -> None:
        self._whole = self.sql

    @cached_property
    def groups(self) -> int | None:
        """How many groups of items are held at once, about, as far as the first rows show.

        A group is held as often as its rows are far from each other, so that rows in order take
        much less than shuffled ones. A wrong guess costs time only.
        """
        if self.total is None or not self.engine.is_much(self.total):
            return self.total
        seen = self.engine.one(
            "SELECT count(*) AS n, count(DISTINCT item) AS items FROM (SELECT item FROM "
            f"({self.sql}) AS every LIMIT {SHOWN}) AS shown"
        )
        return int(self.total * int(seen["items"]) / max(int(seen["n"]), 1))

    @property
    def many(self) -> bool:
        """Whether there are so many groups that they do not fit into memory."""
        return self.groups is not None and self.engine.is_much(self.groups)

    def divide_if_shuffled(self) -> None:
        """Write rows in parts if groups would not fit and rows of an item are not together.

        In order, groups are made at once: those that are done can go to temporary files.
        """
        if self.groups is not None and self.many and self.groups * TOGETHER > (self.total or 0):
            self.divide(self.engine.parts_for(self.groups))

    def divide(self, number: int | None = None) -> None:
        """Write rows in so many parts; by default so many that shuffled rows fit."""
        if number is None:
            number = UNKNOWN if self.total is None else self.engine.parts_for(self.total)
        number = max(number, FEWEST)
        self.sql = self.engine.divided(self.name, [self._whole], self._part(number), number)
        self.number = number

    @property
    def part(self) -> str:
        """SQL of the part of an item, whether it is a text or a whole number."""
        return self._part(self.number)

    def _part(self, number: int) -> str:
        dialect = self.engine.dialect
        return f"{dialect.hash.format(dialect.text.format('item'))} % {number}"

    @property
    def conditions(self) -> list[str]:
        """Conditions under which a row is in each part."""
        return [ALL] if self.number == 1 else [f"part = {i}" for i in range(self.number)]

    def within_memory(self, run: Callable[[], Found]) -> Found:
        """Run a query on groups of items; where it takes too much memory, once more on parts."""
        try:
            return run()
        except NotEnoughMemoryError:
            if self.number > 1:
                raise
        self.divide()
        return run()

    def grouped(self, name: str, select: Callable[[str], str]) -> list[str]:
        """Write the SELECT of groups of items, of each part one, which is kept.

        Parameters
        ----------
        name : str
            Of what is kept.
        select : function
            Writes the SELECT of the groups of rows that meet a condition.
        """
        if self.number == 1:
            return [select(ALL)]
        return [
            f"SELECT * FROM {self.engine.keep(f'{name}_{i}', select(where))}"
            for i, where in enumerate(self.conditions)
        ]


def together(parts: Sequence[str]) -> str:
    """Write the SELECT of all rows of several."""
    return " UNION ALL ".join(parts)


def added(parts: Sequence[str], keys: str, number: str) -> str:
    """Write the SELECT of numbers by some columns, added up over parts."""
    if len(parts) == 1:
        return parts[0]
    return (
        f"SELECT {keys}, CAST(sum({number}) AS BIGINT) AS {number} FROM ({together(parts)}) AS "
        f"parts GROUP BY {keys}"
    )
