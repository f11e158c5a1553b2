"""Answers of judges within records: {"score": 4, "reasoning": "..."}."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from headcount.io.tables.columns import ColumnTable
from headcount.io.tables.some_rows import SomeRows
from headcount.io.tables.table import Table
from headcount.io.values.json_answers import KEYS
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats

__all__ = ["unfolded"]

DEEPEST, SHOWN = 3, 100
"""Records within records that are looked into; cells that show where the answer is."""
Path = tuple[str, ...]


def unfolded(table: Table, notes: Notes) -> Table:
    """Put the answer in the place of each record that holds one, and say so.

    A record holds an answer if a key is called so (`score`, `verdict`, ...) and its value is a word
    or a number. Records of probabilities, which have labels as keys, stay as they are.
    """
    paths = {column: _path(table.cells(column)) for column in table.nested()}
    answers: dict[int, tuple[str, list[Any]]] = {}
    for column, path in paths.items():
        if path is None:
            continue
        name = path[-1] if path[-1] not in table.names else ".".join((table.names[column], *path))
        if name in (taken for taken, _ in answers.values()):
            name = ".".join((table.names[column], *path))
        answers[column] = (name, [_at(cell, path) for cell in table.cells(column)])
        notes.caution(
            f"{table.source}, column '{table.names[column]}': cells are records, of which "
            f"'{'.'.join(path)}' is read."
        )
    return Unfolded(table, answers) if answers else table


def _path(cells: Sequence[Any]) -> Path | None:
    """Find the keys that lead to the answer: the likeliest name of all, the least deep first."""
    given = [cell for cell in cells if cell is not None]
    if not all(isinstance(cell, Mapping) for cell in given):
        return None
    records = cast("list[Mapping[str, Any]]", given[:SHOWN])
    paths = dict.fromkeys(path for record in records for path in _paths(record))
    return min(paths, key=lambda path: (len(path), KEYS.index(path[-1].lower())), default=None)


def _paths(record: Mapping[str, Any], before: Path = ()) -> Iterator[Path]:
    """Keys that lead to what may be an answer."""
    for key, value in record.items():
        path = (*before, str(key))
        if isinstance(value, Mapping):
            if len(path) < DEEPEST:
                yield from _paths(cast("Mapping[str, Any]", value), path)
        elif str(key).lower() in KEYS and isinstance(value, str | int | float):
            yield path


def _at(cell: Any, path: Path) -> Any:
    """Follow keys into a record; None if it has no such answer."""
    for key in path:
        cell = cast("Mapping[str, Any]", cell).get(key) if isinstance(cell, Mapping) else None
    return cell if isinstance(cell, str | int | float) else None


class Unfolded(SomeRows):
    """A table of which some columns of records are replaced by their answers.

    Parameters
    ----------
    table : Table
    answers : mapping of int to (str, list)
        By column, what the answers are called, and one a row.
    """

    def __init__(self, table: Table, answers: Mapping[int, tuple[str, list[Any]]]) -> None:
        super().__init__(table, np.ones(table.rows, dtype=bool), "")
        self.names = [answers[i][0] if i in answers else name for i, name in enumerate(table.names)]
        names, cells = zip(*answers.values(), strict=True)
        self._answers = ColumnTable(cells, names, table.source)
        self._place = {column: place for place, column in enumerate(answers)}

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column, or the answers in it."""
        if column in self._place:
            return self._answers.codes(self._place[column])
        return super().codes(column)

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers, or the answers in it."""
        if column in self._place:
            return self._answers.numbers(self._place[column])
        return super().numbers(column)

    def nested(self) -> list[int]:
        """Columns that hold lists or records still."""
        return [column for column in super().nested() if column not in self._place]
