"""A table whose equal rows a database has counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headcount.data.vocabulary import encode, number_of
from headcount.io.tables.table import Table, has_blanks
from headcount.results.notes import Note
from headcount.results.provenance import Source
from headcount.typing import Codes, Flags, Floats

__all__ = ["CountedTable"]


class CountedTable(Table):
    """Columns as codes, and how many rows of the source each row stands for.

    Parameters
    ----------
    columns : sequence of (codes, values)
        The values of a column, each once, and their places; -1 where there is none.
    names : sequence of str
    times : (rows,) array of int
    source, sources, notes, dropped, backend
        As every table has them.
    """

    def __init__(
        self,
        columns: Sequence[tuple[Codes, Sequence[object]]],
        names: Sequence[str],
        times: Codes,
        *,
        source: str,
        sources: tuple[Source, ...] = (),
        notes: tuple[Note, ...] = (),
        dropped: Mapping[str, int] | None = None,
        backend: str | None = None,
    ) -> None:
        self.names, self.times = list(names), times
        self.source, self.sources, self.notes = source, sources, notes
        self.dropped, self.backend = dict(dropped or {}), backend
        self.rows = len(times)
        self._columns = columns
        self._coded: dict[int, tuple[Codes, list[str]]] = {}
        self._trimmed: dict[str, int] = {}

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column; -1 where it is blank."""
        if column not in self._coded:
            code, values = self._columns[column]
            place, texts = encode(values)
            self._coded[column] = np.append(place, -1)[code], texts
            odd = np.array([*(has_blanks(one) for one in values), False])[code]
            if cells := self.sources_rows(odd):
                self._trimmed[self.names[column]] = cells
        return self._coded[column]

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""
        codes, texts = self.codes(column)
        read = [number_of(text) for text in texts]
        numbers = np.array([np.nan if number is None else number for number in [*read, None]])
        wrong = np.array([*(number is None for number in read), False])
        return numbers[codes], wrong[codes]

    @property
    def trimmed(self) -> Mapping[str, int]:
        """Cells from which blanks at the ends were left out, by column, of those read so far."""
        return self._trimmed

    def at(self, row: int, column: int | None = None) -> str:
        """Where a cell stands, for a message; rows have no numbers any more."""
        del row
        return self.source if column is None else f"{self.source}, column '{self.names[column]}'"
