"""Files, parsed by DuckDB: CSV, TSV, JSON lines and Parquet, gzipped or not."""

from __future__ import annotations

import csv
import gzip
import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from headcount.errors import DataError, closest
from headcount.io.table import kept_columns
from headcount.typing import Codes

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["FileTable"]

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
DELIMITERS = ",\t;|"
UNCLOSED = "a double quote is opened but not closed. Close it, or double it."

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_WIDE_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")


class FileTable:
    """A file, held by an embedded database as columns of text.

    Parsing is DuckDB's; which delimiter, which columns and which types is decided here, so that
    the same file is always read the same way: every column is text.
    """

    backend = None

    def __init__(self, path: Path, ignore: Collection[str] = (), *, header: bool = True) -> None:
        self.source = path.name
        self._check(path)
        self._connection: DuckDBPyConnection = _connect()
        with path.open("rb") as file:
            magic = file.read(4)
        kind = "parquet" if magic == _PARQUET else _format(path)
        packed = magic.startswith(_GZIP)
        self._path, self._kind, self._packed = path, kind, packed
        # A header is row 1, as in a spreadsheet.
        self.first_row = 2 if kind == "csv" and header else 1
        self._delimiter: str | None = None
        try:
            if kind == "csv":
                self._header, self._delimiter = _header(path, packed)
                call = _csv(path, packed, len(self._header), self._delimiter, header)
                if not header:
                    self._header = [f"column {i + 1}" for i in range(len(self._header))]
            else:
                self._header, call = _records(self._connection, path, kind, packed)
            kept = kept_columns(self._header, ignore, self.source)
            self.names = [self._header[i] for i in kept]
            inner = _inner(self._header, kind)
            columns = ", ".join(
                f"{_as_text(inner[i], kind)} AS c{place}" for place, i in enumerate(kept)
            )
            self._connection.execute(f"CREATE TABLE t AS SELECT {columns} FROM {call}")
        except Exception as error:
            raise _explained(error, path, packed) from None
        counted = self._connection.execute("SELECT count(*) FROM t").fetchone()
        self._rows: int = counted[0] if counted else 0
        if not self._rows:
            raise DataError(f"{self.source} is empty: it has a header but no rows below it.")

    @staticmethod
    def _check(path: Path) -> None:
        if path.is_dir():
            raise DataError(f"'{path}' is a folder; give the file in it.")
        if path.exists() and not path.is_file():
            raise DataError(f"'{path}' is a pipe; save it to a file first.")
        if path.exists() and not os.access(path, os.R_OK):
            raise DataError(f"'{path}' may not be read; change its permissions (chmod +r).")
        if not path.exists():
            near = neighbour(path)
            hint = f" Did you mean '{near}'?" if near else ""
            raise DataError(f"no such file: '{path}'.{hint}")
        if path.stat().st_size == 0:
            raise DataError(f"{path.name} is empty; its first row must name the columns.")

    def index_name(self) -> str | None:
        """Name of an index beside the columns: a file has none."""
        return None

    def row_numbers(self) -> NDArray[np.int64]:
        """Numbers by which a user knows the rows, as in a spreadsheet: blank lines count.

        Only messages need them, so the file is gone through once more when there is one.
        """
        plain = np.arange(self._rows) + self.first_row
        if self._kind == "parquet":
            return plain
        with _opened(self._path, self._packed) as file:
            found = np.fromiter(_full_rows(_lines(file, "replace"), self._delimiter), np.int64)
        found = found[self.first_row - 1 :]  # without the header
        # In a single column a blank line is a blank value, so that all lines are rows.
        return found if len(found) == self._rows else plain

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is blank."""
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

    def numbers(self, column: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""
        found = self._connection.execute(
            f"SELECT coalesce(TRY_CAST(c{column} AS DOUBLE), 'NaN'::DOUBLE) AS number, "
            f"c{column} IS NOT NULL AND TRY_CAST(c{column} AS DOUBLE) IS NULL AS wrong FROM t"
        ).fetchnumpy()
        return np.asarray(found["number"], dtype=np.float64), np.asarray(found["wrong"], dtype=bool)


def _connect() -> DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.execute("SET enable_progress_bar = false")
    return connection


def _format(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes if s.lower() not in (".gz", ".gzip")]
    suffix = suffixes[-1] if suffixes else ""
    if suffix == ".json":
        raise DataError(
            f"{path.name}: JSON is read as JSON lines, one object a row; save it as .jsonl."
        )
    # A name such as ratings.v2 says nothing: text with columns is the likeliest.
    return FORMATS.get(suffix, "csv")


def neighbour(path: Path) -> Path | None:
    """File beside a path that is not there that may have been meant."""
    folder = path.parent
    here = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    near = closest(path.name, here)
    return folder / near[0] if near else None


def _opened(path: Path, packed: bool) -> BufferedIOBase:
    return gzip.open(path) if packed else path.open("rb")


def _lines(file: BufferedIOBase, errors: str = "strict") -> Iterator[str]:
    """Lines of text, ended as by Unix, Windows or an old Macintosh."""
    for block in file:
        for line in block.splitlines(keepends=True):
            yield line.decode("utf-8-sig", errors)


def _header(path: Path, packed: bool) -> tuple[list[str], str]:
    """Names in the header, and the delimiter: the one that makes the most of them."""
    names: list[str] = []
    chosen, unclosed = "", False
    with _opened(path, packed) as file:
        if file.read(2) in _WIDE_ENCODINGS:
            raise _encoding_error(path.name, 1, "UTF-16")
        file.seek(0)
        if not next(_lines(file), "").strip():
            raise DataError(f"{path.name}: the first row is blank; it must name the columns.")
        for delimiter in DELIMITERS:
            file.seek(0)
            try:
                # A name in quotes may run over several lines.
                found = next(csv.reader(_lines(file), delimiter=delimiter, strict=True))
            except csv.Error:
                unclosed = True
                continue
            if len(found) > len(names):
                names, chosen = [name.strip() for name in found], delimiter
    # One name that some delimiter cannot split: a quote is in the way.
    if len(names) < 2 and unclosed:
        raise DataError(f"{path.name}, row 1: {UNCLOSED}")
    return names, chosen


def _full_rows(lines: Iterator[str], delimiter: str | None) -> Iterator[int]:
    """Rows that are not blank, from 1 on. A record with line breaks in quotes is one row."""
    if delimiter is None:
        full = (line.strip() != "" for line in lines)
    else:
        records = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        full = (len(record) > 0 for record in records)
    # A field may be longer than Python's reader takes; then there are too few rows.
    with suppress(csv.Error):
        yield from (row for row, known in enumerate(full, 1) if known)


def _csv(path: Path, packed: bool, columns: int, delimiter: str, header: bool) -> str:
    """Write the call that reads the rows, which are those below the header if there is one."""
    spec = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(columns))
    packing = "gzip" if packed else "none"
    return (
        f"read_csv({_quoted(str(path))}, auto_detect=false, "
        f"header={str(header).lower()}, "
        f"delim={_quoted(delimiter)}, quote='\"', escape='\"', compression='{packing}', "
        f"columns={{{spec}}})"
    )


def _records(
    connection: DuckDBPyConnection, path: Path, kind: str, packed: bool
) -> tuple[list[str], str]:
    """Names of the fields of JSON lines or Parquet, and the call that reads them."""
    if kind == "parquet":
        call = f"read_parquet({_quoted(str(path))})"
        return [row[0] for row in connection.execute(f"DESCRIBE FROM {call}").fetchall()], call
    options = f"format='newline_delimited', compression='{'gzip' if packed else 'none'}'"
    scan = f"read_json({_quoted(str(path))}, {options}, sample_size=-1)"
    names = [str(row[0]) for row in connection.execute(f"DESCRIBE FROM {scan}").fetchall()]
    if names == ["json"]:
        raise DataError(
            f'{path.name}, row 1: expected one JSON object a row, such as {{"item": 1}}.'
        )
    # Read again with every field as text, so that 1, 1.0 and "1" keep what they say.
    spec = ", ".join(f"{_quoted(name)}: 'VARCHAR'" for name in names)
    return names, f"read_json({_quoted(str(path))}, {options}, columns={{{spec}}})"


def _inner(names: list[str], kind: str) -> list[str]:
    """Names by which the reading call knows the columns."""
    if kind == "csv":
        return [f"c{i}" for i in range(len(names))]
    return ['"' + name.replace('"', '""') + '"' for name in names]


def _as_text(column: str, kind: str) -> str:
    """Write the SQL for a column as text: blanks around it off, NULL where nothing is left."""
    text = f"nullif(trim({column}::VARCHAR), '')"
    if kind != "parquet":
        return text
    # A column of numbers with gaps comes as floats: 1.0 is 1, and NaN is missing.
    return (
        f"CASE WHEN typeof({column}) IN ('FLOAT', 'DOUBLE') THEN "
        f"nullif(regexp_replace({column}::VARCHAR, '\\.0$', ''), 'nan') "
        f"WHEN typeof({column}) = 'BOOLEAN' THEN "  # as Python writes them
        f"CASE {column}::VARCHAR WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' END "
        f"ELSE {text} END"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _encoding_error(source: str, row: int, found: str) -> DataError:
    return DataError(
        f"{source}, row {row}: the text is {found}, not UTF-8. Save the file as UTF-8, or convert "
        f"it: iconv -f {'UTF-16' if found == 'UTF-16' else 'LATIN1'} -t UTF-8 {source} > new.csv"
    )


def _explained(error: Exception, path: Path, packed: bool) -> Exception:
    """Say in a user's words what the parser could not read."""
    if isinstance(error, DataError):
        return error
    source, text = path.name, str(error)
    line = re.search(r"on Line: (\d+)", text)
    row = int(line.group(1)) if line else None
    at = source if row is None else f"{source}, row {row}"
    if isinstance(error, UnicodeDecodeError):
        return _encoding_error(source, 1, "in some other encoding")
    if isinstance(error, (gzip.BadGzipFile, EOFError)) or (packed and "gzip" in text.lower()):
        return DataError(f"{source}: the gzip archive is damaged. Pack it again.")
    if "unicode" in text.lower() or "utf-8" in text.lower() or "utf8" in text.lower():
        return _encoding_error(source, row or 1, "in some other encoding")
    if found := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        return DataError(
            f"{at}: {found.group(2)} columns where the header has {found.group(1)}. Correct the "
            "row; a field that holds the delimiter must stand in double quotes."
        )
    if "quote" in text.lower():
        return DataError(f"{at}: {UNCLOSED}")
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return DataError(f"{at} cannot be read: {first}")
