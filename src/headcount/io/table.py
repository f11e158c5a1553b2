"""A table of named columns, whatever it was read from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from headcount.errors import DataError, closest, some
from headcount.typing import Codes

__all__ = ["Table", "column_numbers", "kept_columns", "open_table", "row_numbers"]


class Table(Protocol):
    """Columns of a file or a frame; readers see nothing else of it."""

    @property
    def names(self) -> list[str]:
        """Column names, as they stand in the source."""
        ...

    @property
    def source(self) -> str:
        """What messages call the source."""
        ...

    @property
    def first_row(self) -> int:
        """Number by which a user knows the first row of data."""
        ...

    @property
    def backend(self) -> str | None:
        """Kind of frame, or None for a file."""
        ...

    def index_name(self) -> str | None:
        """Name of an index beside the columns that holds more than row numbers."""
        ...

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is blank."""
        ...

    def numbers(self, column: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""
        ...


def open_table(data: Any, *, name: str, ignore: Collection[str] = (), header: bool = True) -> Table:
    """Open a path or a frame; `name` is what messages call a frame, `ignore` columns not read.

    Without a `header`, the first line of a text file is data.
    """
    if isinstance(data, (str, Path)):
        from headcount.io.files import FileTable

        return FileTable(Path(data), ignore, header=header)
    import narwhals.stable.v2 as nw

    from headcount.io.frames import FrameTable

    table = FrameTable(data, name)
    if not ignore:
        return table
    frame: Any = nw.from_native(data)
    names = frame.collect_schema().names()
    return FrameTable(
        frame.select([names[i] for i in kept_columns(table.names, ignore, name)]), name
    )


def kept_columns(names: Sequence[str], ignore: Collection[str], source: str) -> list[int]:
    """Places of the columns that are not ignored; an ignored one that is not there is an error.

    Examples
    --------
    >>> kept_columns(["item", "gold", "ann"], ["gold"], "ratings.csv")
    [0, 2]
    """
    for name in ignore:
        if name not in names:
            near = closest(name, names)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise DataError(
                f"{source} has no column '{name}' to ignore.{hint} Columns: {some(names, 12)}."
            )
    kept = [i for i, name in enumerate(names) if name not in ignore]
    if ignore and not kept:
        raise DataError(f"{source}: every column is ignored ({some(names, 12)}). Keep some.")
    return kept


def row_numbers(table: Table, rows: int) -> NDArray[np.int64]:
    """Numbers by which a user knows the rows of data, for a message.

    Blank lines of a file are no rows of the table, but count: O(lines), so not for every table.
    """
    from headcount.io.files import FileTable

    if isinstance(table, FileTable):
        return table.row_numbers()
    return np.arange(rows) + table.first_row


def column_numbers(table: Table, column: int) -> NDArray[np.float64]:
    """Column as numbers; anything else than a number or a blank is an error."""
    numbers, wrong = table.numbers(column)
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        row = row_numbers(table, len(numbers))[place]
        codes, texts = table.codes(column)
        raise DataError(
            f"{table.source}, row {row}, column '{table.names[column]}': expected a number, found "
            f"'{texts[codes[place]]}'. Correct it, or leave it blank."
        )
    return numbers
