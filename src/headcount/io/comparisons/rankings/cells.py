"""Cells of rankings: texts, and lists of items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from headcount.data.ranked_pairs import tied_items
from headcount.io.tables.table import Table

__all__ = ["levels_of", "texts_of"]


def texts_of(table: Table, column: int) -> list[str]:
    """Texts of a column by row; "" where there is none."""
    codes, texts = table.codes(column)
    named, places = [*texts, ""], list[int](codes.tolist())
    return [named[code] for code in places]


def levels_of(cell: Any) -> list[list[object]]:
    """Items of a cell that holds a list; a list in it is a tie."""
    if not isinstance(cell, list | tuple):
        return []
    return [tied_items(one) for one in cast("Sequence[object]", cell)]
