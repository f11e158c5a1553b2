"""A table of named columns, whatever it was read from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from headcount.errors import DataError
from headcount.labels.vocabulary import Codes

__all__ = ["Table", "open_table"]


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


def open_table(data: Any, *, name: str) -> Table:
    """Open a path or a frame; `name` is what messages call a frame."""
    if isinstance(data, (str, Path)):
        from headcount.io.files import FileTable

        return FileTable(Path(data))
    from headcount.io.frames import FrameTable

    return FrameTable(data, name)


def column_numbers(table: Table, column: int) -> NDArray[np.float64]:
    """Column as numbers; anything else than a number or a blank is an error."""
    numbers, wrong = table.numbers(column)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        codes, texts = table.codes(column)
        raise DataError(
            f"{table.source}, row {row + table.first_row}, column '{table.names[column]}': "
            f"expected a number, found '{texts[codes[row]]}'. Correct it, or leave it blank."
        )
    return numbers
