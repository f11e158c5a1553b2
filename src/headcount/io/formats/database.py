"""Files that DuckDB parses, held by it as columns of text."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.errors import DataError
from headcount.io.formats.base import File
from headcount.io.table import Form, Table, kept_columns
from headcount.typing import Codes, Flags, Floats

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "UNCLOSED",
    "DatabaseTable",
    "Scan",
    "as_text",
    "column_types",
    "connect",
    "encoding_error",
    "quoted",
]

UNCLOSED = "a double quote is opened but not closed. Close it, or double it."


@dataclass(frozen=True, kw_only=True)
class Scan:
    """How DuckDB reads a file.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    texts : sequence of str
        SQL for each of them as text, blanks around it off, NULL where nothing is left.
    call : str
        SQL of the call that reads the rows.
    nested : frozenset of int
        Columns that hold lists or records.
    first_row : int
        Number by which a user knows the first row of data.
    full_rows : callable, optional
        Numbers of the rows that are not blank, header included; None if none can be.
    form : {"named", "records"}
    """

    names: Sequence[str]
    texts: Sequence[str]
    call: str
    nested: frozenset[int] = frozenset()
    first_row: int = 1
    full_rows: Callable[[], Iterator[int]] | None = None
    form: Form = "named"

    @classmethod
    def of_types(
        cls,
        types: Mapping[str, str],
        call: str,
        full_rows: Callable[[], Iterator[int]] | None = None,
    ) -> Scan:
        """Read columns that have names and DuckDB's types."""
        return cls(
            names=list(types),
            texts=[as_text(_quoted_name(name), type_) for name, type_ in types.items()],
            call=call,
            nested=frozenset(i for i, type_ in enumerate(types.values()) if _is_nested(type_)),
            full_rows=full_rows,
        )


class DatabaseTable(Table):
    """A file, held by an embedded database as columns of text.

    Parsing is DuckDB's; which delimiter, which columns and which types is decided by the format, so
    that the same file is always read the same way: every column is text.
    """

    def __init__(
        self,
        file: File,
        scanned: Callable[[DuckDBPyConnection], Scan],
        ignore: Collection[str],
    ) -> None:
        self.source = file.name
        self._connection = connect()
        try:
            scan = scanned(self._connection)
            kept = kept_columns(scan.names, ignore, self.source)
            columns = ", ".join(f"{scan.texts[i]} AS c{place}" for place, i in enumerate(kept))
            self._connection.execute(f"CREATE TABLE t AS SELECT {columns} FROM {scan.call}")
        except Exception as error:
            raise _explained(error, file) from None
        self.names = [scan.names[i] for i in kept]
        self.first_row, self.form = scan.first_row, scan.form
        self._nested = {place for place, i in enumerate(kept) if i in scan.nested}
        self._full_rows = scan.full_rows
        counted = self._connection.execute("SELECT count(*) FROM t").fetchone()
        self.rows = counted[0] if counted else 0
        if not self.rows:
            raise DataError(f"{self.source} is empty: it has a header but no rows below it.")

    def row_numbers(self) -> Codes:
        """Numbers by which a user knows the rows, as in a spreadsheet: blank lines count.

        Only messages need them, so the file is gone through once more when there is one.
        """
        plain = super().row_numbers()
        if self._full_rows is None:
            return plain
        full = np.fromiter(self._full_rows(), np.int64)[self.first_row - 1 :]  # without the header
        # In a single column a blank line is a blank value, so that all lines are rows.
        return full if len(full) == self.rows else plain

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is blank."""
        self._check_flat(column)
        run = self._connection.execute
        kind = f"kind_{column}"
        # An enumeration is a dictionary with a streaming look-up: no join, no sort of the rows.
        known = run("SELECT count(*) FROM duckdb_types() WHERE type_name = ?", [kind]).fetchone()
        if not known or known[0] == 0:
            run(
                f"CREATE TYPE {kind} AS ENUM (SELECT v FROM (SELECT c{column} AS v, min(rowid) AS "
                f"first FROM t WHERE c{column} IS NOT NULL GROUP BY v) ORDER BY first)"
            )
        coded = run(f"SELECT coalesce(enum_code(c{column}::{kind})::BIGINT, -1) AS code FROM t")
        codes = np.asarray(coded.fetchnumpy()["code"], dtype=np.int64)
        texts = run(f"SELECT unnest(enum_range(NULL::{kind}))::VARCHAR AS v").fetchall()
        return codes, [text for (text,) in texts]

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""
        self._check_flat(column)
        read = self._connection.execute(
            f"SELECT coalesce(TRY_CAST(c{column} AS DOUBLE), 'NaN'::DOUBLE) AS number, "
            f"c{column} IS NOT NULL AND TRY_CAST(c{column} AS DOUBLE) IS NULL AS wrong FROM t"
        ).fetchnumpy()
        return np.asarray(read["number"], dtype=np.float64), np.asarray(read["wrong"], dtype=bool)

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return sorted(self._nested)

    def cells(self, column: int) -> list[Any]:
        """Cells of a column that holds lists or records, as Python has them; None where blank."""
        texts = self._connection.execute(f"SELECT c{column} FROM t").fetchall()
        cells = [None if text is None else json.loads(text) for (text,) in texts]
        # A field of a JSON file is read as JSON already, and so is written twice.
        return [json.loads(cell) if isinstance(cell, str) else cell for cell in cells]

    def _check_flat(self, column: int) -> None:
        if column in self._nested:
            raise DataError(
                f"{self.source}, column '{self.names[column]}': its cells are lists or records. "
                "Write one value a cell."
            )


def connect() -> DuckDBPyConnection:
    """Open a database in memory, which says nothing on its own."""
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.execute("SET enable_progress_bar = false")
    return connection


def column_types(connection: DuckDBPyConnection, call: str) -> dict[str, str]:
    """Names of the columns of a call that reads a file, and DuckDB's types."""
    return {
        str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE FROM {call}").fetchall()
    }


def as_text(column: str, type_: str = "VARCHAR") -> str:
    """Write the SQL for a column as text: blanks around it off, NULL where nothing is left.

    A column of numbers with gaps comes as floats: 1.0 is 1, and NaN is missing. Booleans are
    written as Python writes them.
    """
    if _is_nested(type_):
        return f"to_json({column})::VARCHAR"
    text = f"nullif(trim({column}::VARCHAR), '')"
    if type_ in ("FLOAT", "DOUBLE"):
        return f"nullif(regexp_replace({text}, '\\.0$', ''), 'nan')"
    if type_ == "BOOLEAN":
        return f"CASE {text} WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' END"
    return text


def _is_nested(type_: str) -> bool:
    """Whether a column of this type holds lists or records."""
    return type_.endswith("]") or type_.startswith(("STRUCT", "MAP", "UNION"))


def quoted(text: object) -> str:
    """Write a text as SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def _quoted_name(name: str) -> str:
    """Write the name of a column as SQL."""
    return '"' + name.replace('"', '""') + '"'


def encoding_error(source: str, row: int, encoding: str) -> DataError:
    """Error for text that is not UTF-8."""
    return DataError(
        f"{source}, row {row}: the text is {encoding}, not UTF-8. Save the file as UTF-8, or "
        f"convert it: iconv -f {'UTF-16' if encoding == 'UTF-16' else 'LATIN1'} -t UTF-8 {source} "
        "> new.csv"
    )


def _explained(error: Exception, file: File) -> Exception:
    """Say in a user's words what the parser could not read."""
    if isinstance(error, DataError):
        return error
    source, text = file.name, str(error)
    line = re.search(r"on Line: (\d+)", text)
    row = int(line.group(1)) if line else None
    at = source if row is None else f"{source}, row {row}"
    if isinstance(error, UnicodeDecodeError):
        return encoding_error(source, 1, "in some other encoding")
    damaged = isinstance(error, (gzip.BadGzipFile, EOFError))
    if damaged or (file.packed and "gzip" in text.lower()):
        return DataError(f"{source}: the gzip archive is damaged. Pack it again.")
    if "unicode" in text.lower() or "utf-8" in text.lower() or "utf8" in text.lower():
        return encoding_error(source, row or 1, "in some other encoding")
    if columns := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        return DataError(
            f"{at}: {columns.group(2)} columns where the header has {columns.group(1)}. Correct "
            "the row; a field that holds the delimiter must stand in double quotes."
        )
    if "quote" in text.lower():
        return DataError(f"{at}: {UNCLOSED}")
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return DataError(f"{at} cannot be read: {first}")
