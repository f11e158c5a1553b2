"""Data frames of any kind that narwhals knows: pandas, polars, pyarrow and others."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from headcount.data.vocabulary import encode
from headcount.errors import DataError
from headcount.typing import Codes

__all__ = ["FrameTable"]


class FrameTable:
    """A data frame as a table."""

    first_row = 0

    def __init__(self, data: Any, source: str) -> None:
        try:
            frame: Any = nw.from_native(data)
        except TypeError:
            raise DataError(
                f"{source}: expected the path of a file or a data frame (pandas, polars, pyarrow "
                f"or another that narwhals reads), not {type(data).__name__}."
            ) from None
        self._frame: nw.DataFrame[Any] = (
            frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        )
        self.source = source
        self.names = [str(name) for name in self._frame.columns]
        self.backend = self._frame.implementation.value
        if not len(self._frame):
            raise DataError(f"{source} is empty: the frame has no rows.")

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is missing."""
        return encode(self._column(column).to_list())

    def numbers(self, column: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Column as numbers (NaN where missing), and where it is neither number nor missing."""
        values = self._column(column)
        if values.dtype.is_numeric():
            return values.cast(nw.Float64).to_numpy().astype(np.float64), np.zeros(
                len(values), bool
            )
        codes, texts = encode(values.to_list())
        numbers, wrong = np.full(len(texts) + 1, np.nan), np.zeros(len(texts) + 1, dtype=bool)
        for code, text in enumerate(texts):
            try:
                numbers[code] = float(text)
            except ValueError:
                wrong[code] = True
        return numbers[codes], wrong[codes]  # code -1 is the last entry: missing

    def index_name(self) -> str | None:
        """Name of an index beside the columns that holds more than row numbers."""
        index: Any = nw.maybe_get_index(self._frame)
        if index is None or (index.name is None and str(index.dtype).startswith(("int", "uint"))):
            return None
        return str(index.name) if index.name is not None else "index"

    def _column(self, column: int) -> nw.Series[Any]:
        # By name: pandas' names may be numbers, which in brackets are rows.
        return self._frame.get_column(self._frame.columns[column])
