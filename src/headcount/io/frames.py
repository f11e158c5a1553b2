"""Data frames of any kind that narwhals knows: pandas, polars, pyarrow, DuckDB and others."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import NarwhalsError

from headcount.data.vocabulary import as_double
from headcount.errors import DataError
from headcount.io.tables import EXPECTED, ColumnTable, Table
from headcount.typing import Flags, Floats

__all__ = [
    "open_frame",
]


_DUCKDB = str(nw.Implementation.DUCKDB)


def open_frame(data: Any, source: str, ignore: Collection[str] = ()) -> Table:
    """Make a table of a frame; anything else is an error that says what was expected."""
    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(data)
        if isinstance(frame, nw.LazyFrame):
            if str(frame.implementation) == _DUCKDB:
                return _of_relation(data, source, ignore)
            frame = frame.collect()
        frame = _with_named_index(frame)
        names = [str(name) for name in frame.columns]
    except TypeError:
        raise DataError(f"{source}: {EXPECTED}, not {type(data).__name__}.") from None
    except NarwhalsError as error:
        raise DataError(f"{source}: {' '.join(str(error).split())}") from None
    return FrameTable(frame, names, source, ignore)


def _with_named_index(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Make the named levels of pandas' index the first columns, under their own names."""
    index: Any = nw.maybe_get_index(frame)
    levels = [] if index is None else list(index.names)
    columns = [str(name) for name in frame.columns]
    if not levels or None in levels or {*map(str, levels)} & {*columns}:
        return frame
    native: Any = frame.to_native().reset_index()
    return nw.from_native(native, eager_only=True)


def _of_relation(relation: Any, source: str, ignore: Collection[str]) -> Table:
    """Read a relation of DuckDB, which needs no other library of frames."""
    try:
        names = [str(name) for name in relation.columns]
        rows: list[tuple[Any, ...]] = relation.project("*").fetchall()  # a fresh one: not used up
    except Exception as error:
        raise DataError(f"{source}: the relation cannot be read: {error}") from None
    columns = list(zip(*rows, strict=True)) or [() for _ in names]
    return ColumnTable(columns, names, source, ignore=ignore)


class FrameTable(ColumnTable):
    """A data frame as a table."""

    def __init__(
        self, frame: nw.DataFrame[Any], names: list[str], source: str, ignore: Collection[str]
    ) -> None:
        self._frame = frame
        self.backend = frame.implementation.value
        # By name: pandas' names may be numbers, which in brackets are rows.
        columns = [frame.get_column(name) for name in frame.columns]
        super().__init__(columns, names, source, ignore=ignore)

    def values(self, column: int) -> Any:
        """Return the cells of a column."""
        series: nw.Series[Any] = super().values(column)
        if series.dtype == nw.Float32:
            return series.to_numpy().astype(np.float32)
        return series.to_list()

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return [i for i in range(len(self.names)) if _may_nest(super(FrameTable, self).values(i))]

    def categories(self, column: int) -> tuple[str, ...] | None:
        """Categories of a column in their order; None if it has no ordered categories."""
        series: nw.Series[Any] = super().values(column)
        if isinstance(series.dtype, nw.Enum):
            return tuple(map(str, series.dtype.categories))
        # narwhals does not say that a dictionary of pyarrow is in order.
        type_: Any = getattr(series.to_native(), "type", None)
        if series.dtype != nw.Categorical or not getattr(type_, "ordered", False):
            return None
        return tuple(map(str, series.cat.get_categories().to_list()))

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where missing), and where it is neither number nor missing."""
        series: nw.Series[Any] = super().values(column)
        if not series.dtype.is_numeric():
            return super().numbers(column)
        if series.dtype == nw.Float32:
            numbers = as_double(series.to_numpy().astype(np.float32))
        else:
            numbers = series.cast(nw.Float64).to_numpy().astype(np.float64)
        wrong = np.isinf(numbers)
        return np.where(wrong, np.nan, numbers) if wrong.any() else numbers, wrong

    def index_name(self) -> str | None:
        """Name of an index beside the columns that holds more than row numbers."""
        index: Any = nw.maybe_get_index(self._frame)
        if index is None or (index.name is None and str(index.dtype).startswith(("int", "uint"))):
            return None
        return str(index.name) if index.name is not None else "index"


def _may_nest(series: nw.Series[Any]) -> bool:
    """Whether the first cells are lists or records."""
    if isinstance(series.dtype, nw.List | nw.Struct | nw.Array):
        return True
    cells = series.head(20).to_list() if series.dtype == nw.Object else []
    return any(isinstance(cell, list | tuple | dict | np.ndarray) for cell in cells)
