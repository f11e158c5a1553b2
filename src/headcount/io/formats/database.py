"""Files that DuckDB parses, held by it as columns of text; Parquet."""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, option, some
from headcount.io.cells import written_numbers
from headcount.io.reading import File, Format
from headcount.io.tables import (
    Table,
    as_they_appear,
    check_columns,
    coded,
    float_text,
    kept_columns,
    tidied,
)
from headcount.results.notes import Note
from headcount.typing import Codes, Flags, Floats

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "connect",
    "seal_to",
    "column_types",
    "as_text",
    "is_nested",
    "file_name",
    "quoted",
    "quoted_name",
    "Scan",
    "check_flat",
    "MOST_ROW",
    "UNCLOSED",
    "explained",
    "DatabaseTable",
    "Parquet",
    "scan_parquet",
    "ordered_columns",
    "categories_of",
]


# The embedded database: a connection that reaches nothing else, and SQL for names and values.


def connect() -> DuckDBPyConnection:
    """Open a database in memory, which says nothing on its own and loads nothing from elsewhere."""
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
        },
    )
    connection.execute("SET enable_progress_bar = false")
    return connection


def seal_to(connection: DuckDBPyConnection, paths: Sequence[Path]) -> None:
    """Take files and the network away from a database, for good, but for some files."""
    if paths:
        # The name is looked up as it is asked for, and as it is found.
        names = ", ".join(f"{quoted(os.path.abspath(p))}, {file_name(p)}" for p in paths)
        connection.execute(f"SET allowed_paths = [{names}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def column_types(connection: DuckDBPyConnection, call: str) -> dict[str, str]:
    """Names of the columns of a call that reads a file, and DuckDB's types."""
    return {
        str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE FROM {call}").fetchall()
    }


def as_text(column: str, type_: str = "VARCHAR") -> str:
    """Write the SQL for a column as text; booleans are written as Python writes them.

    Blanks around a text stay: taking them off in every cell of many columns takes long, and the
    different texts of a column are few.
    """
    if is_nested(type_):
        return f"to_json({column})::VARCHAR"
    if type_ == "BOOLEAN":
        return f"CASE {column} WHEN true THEN 'True' WHEN false THEN 'False' END"
    return column if type_ == "VARCHAR" else f"{column}::VARCHAR"


def is_nested(type_: str) -> bool:
    """Whether a column of this type holds lists or records."""
    return type_.endswith("]") or type_.startswith(("STRUCT", "MAP", "UNION"))


def file_name(path: Path) -> str:
    """Write the path of one file as SQL: it is no pattern, and no address.

    Examples
    --------
    >>> file_name(Path("/data/run[1]*.csv"))
    "'/data/run[[]1][*].csv'"
    """
    whole = os.path.abspath(path)  # not resolved: a link may have a name that says more
    return quoted(re.sub(r"[\[*?]", lambda sign: f"[{sign.group()}]", whole))


def quoted(text: object) -> str:
    """Write a text as SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def quoted_name(name: str) -> str:
    """Write the name of a column as SQL."""
    return '"' + name.replace('"', '""') + '"'


# How DuckDB is to read a file.


@dataclass(frozen=True, kw_only=True)
class Scan:
    """How DuckDB reads a file.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    texts : sequence of str
        SQL for each of them as text.
    call : str
        SQL of the call that reads the rows.
    format : str
        Name of the format.
    nested, floats : frozenset of int
        Columns that hold lists or records, and floating-point numbers.
    by_column : bool
        Whether the file can be read again and again, column by column; else it is read once, whole.
    first_row : int
        Number by which a user knows the first row of data.
    full_rows : callable, optional
        Numbers of the rows of data that are not blank; None if none can be.
    delimiter : str or None
        Of text with one, in which numbers may be written in several ways.
    encoding : str or None
        Of text.
    notes : tuple of Note
        How the file was read.
    ordered : frozenset of str
        Columns of which the categories have an order.
    categories : callable, optional
        Categories of such a column in their order, given its name.
    features : mapping of str to object
        What the library datasets says of columns by name.
    """

    names: Sequence[str]
    texts: Sequence[str]
    call: str
    format: str
    nested: frozenset[int] = frozenset()
    floats: frozenset[int] = frozenset()
    by_column: bool = False
    first_row: int = 1
    full_rows: Callable[[], Iterator[int]] | None = None
    delimiter: str | None = None
    encoding: str | None = None
    notes: tuple[Note, ...] = ()
    ordered: frozenset[str] = frozenset()
    categories: Callable[[str], tuple[str, ...] | None] | None = None
    features: Mapping[str, Any] = field(default_factory=dict[str, Any])


def check_flat(table: Table, column: int) -> None:
    """Refuse a column of lists or records where one value a cell is needed."""
    if column in table.nested():
        raise DataError(
            f"{table.source}, column '{table.names[column]}': its cells are lists or records. "
            "Write one value a cell."
        )


# What the database could not parse, in a user's words.

MOST_ROW = 10_000_000
"""Bytes that a row of text may have."""
UNCLOSED = "a double quote is opened but not closed. Close it, or double it."


def explained(error: Exception, file: File | Path) -> BaseException:
    """Say in a user's words what the parser could not read; or that the user stopped it."""
    from duckdb import InterruptException

    if isinstance(error, InterruptException):
        return KeyboardInterrupt()
    if isinstance(error, DataError):
        return error
    source, text = file.name, str(error)
    line = re.search(r"on Line: (\d+)", text)
    row = int(line.group(1)) if line else None
    at = source if row is None else f"{source}, row {row}"
    if "maximum line size" in text.lower():
        return DataError(
            f"{at}: longer than {MOST_ROW:,} bytes, which is the limit. A double quote may be "
            "missing; or leave long texts out."
        )
    if columns := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        expected, actual = columns.groups()
        if int(actual) < int(expected):
            fix = "Add what is missing, delimiters included, or delete the row if it is not data."
        else:
            fix = (
                "Correct the row: put a field that contains the delimiter in double quotes, and "
                "give every column a name; delete what stands above the names."
            )
        return DataError(f"{at}: {actual} columns, but the header has {expected}. {fix}")
    if "quote" in text.lower():
        return DataError(f"{at}: {UNCLOSED}")
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return DataError(f"{at} cannot be read: {first}")


# Files that DuckDB parses, held by it as columns of text.

_KEPT, _KEPT_CELLS = 4, 12_000_000
"""Columns whose codes are kept, and cells up to which more are: to code them again takes long."""
_MOST_ENUM = 20_000
"""Values up to which a column is coded through an enumeration."""
_FEW_NUMBERS = 50
"""Values up to which a column is read as numbers through its codes."""
_AT_ONCE = 64
"""Columns that are gone through together."""


class DatabaseTable(Table):
    """A file, held by an embedded database as columns of text.

    Parsing is DuckDB's; which delimiter, which columns and which types is decided by the format, so
    that the same file is always read the same way: every column is text.

    Parameters
    ----------
    file : File
    scanned : callable
        How to read it, given the connection.
    ignore : collection of str
        Columns that are not read.
    """

    def __init__(
        self,
        file: File,
        scanned: Callable[[DuckDBPyConnection], Scan],
        ignore: Collection[str],
    ) -> None:
        self.source = file.name
        self._file = file
        self._connection = connect()
        try:
            scan = scanned(self._connection)
            kept = kept_columns(scan.names, ignore, self.source)
            columns = ", ".join(f"{scan.texts[i]} AS c{number}" for number, i in enumerate(kept))
            kind = "VIEW" if scan.by_column else "TABLE"
            self._connection.execute(f"CREATE {kind} t AS SELECT {columns} FROM {scan.call}")
            seal_to(self._connection, [file.path] if scan.by_column else [])
        except Exception as error:
            raise explained(error, file) from None
        self.names = [scan.names[i] for i in kept]
        self.first_row = scan.first_row
        self._nested = {number for number, i in enumerate(kept) if i in scan.nested}
        self._floats = {number for number, i in enumerate(kept) if i in scan.floats}
        self._full_rows, self._scan = scan.full_rows, scan
        self._different: dict[int, int] = {}
        self._last: dict[int, tuple[Codes, list[str]]] = {}
        self._few: dict[int, tuple[NDArray[Any], list[str]]] = {}
        self._numbers: dict[int, tuple[Floats, Flags]] = {}
        with self._explaining():
            counted = self._connection.execute("SELECT count(*) FROM t").fetchone()
        self.rows = counted[0] if counted else 0
        if not self.rows:
            raise DataError(f"{self.source} is empty: it has a header but no rows below it.")
        self.notes, self.decimal_comma = scan.notes, scan.delimiter == ";"
        self.sources = (file.source(scan.format, self.rows, scan.encoding, scan.delimiter),)

    def row_numbers(self) -> Codes:
        """Numbers by which a user knows the rows, as in a spreadsheet: blank lines count.

        Only messages need them, so the file is gone through once more when there is one.
        """
        plain = super().row_numbers()
        if self._full_rows is None:
            return plain
        full = np.fromiter(self._full_rows(), np.int64)
        # In a single column a blank line is a blank value, so that all lines are rows.
        return full if len(full) == self.rows else plain

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is blank.

        The last few columns are kept: a shape looks at the items before they are read, and copies
        of rows are looked for after. So codes and texts are the caller's to read, not to change.
        """
        if column not in self._last:
            kept = max(_KEPT, _KEPT_CELLS // max(self.rows, 1))
            self._last = dict([*self._last.items()][1 - kept :])
            self._last[column] = self._read_codes(column)
        return self._last[column]

    def _read_codes(self, column: int) -> tuple[Codes, list[str]]:
        check_flat(self, column)
        with self._explaining():
            if self._count(column) <= _MOST_ENUM:
                codes, texts = self._few.pop(column, None) or self._code_few(column)
                codes, texts = as_they_appear(codes, texts)
            elif self._different[column] > self.rows // 3:
                codes, texts = coded(self._fetch(f"SELECT c{column} AS v FROM t")["v"])
            else:
                codes, texts = self._code_many(column)
        if len(codes) != self.rows:
            raise DataError(f"{self.source} changed while it was read. Read it again.")
        return tidied(codes, texts, float_text if column in self._floats else str.strip)

    def _fetch(self, sql: str) -> dict[str, NDArray[Any]]:
        return cast("Any", self._connection.execute(sql)).fetchnumpy()

    def _beside(self, column: int) -> list[int]:
        """Place of a column and of those beside it, which will be asked for next."""
        start = column - column % _AT_ONCE
        indices = range(start, min(start + _AT_ONCE, len(self.names)))
        return [index for index in indices if index not in self._nested]

    def _count(self, column: int) -> int:
        """Count the values of a column, about, and those of its neighbours."""
        if column not in self._different:
            flat = self._beside(column)
            counts = ", ".join(f"approx_count_distinct(c{i})" for i in flat)
            with self._explaining():
                row = self._connection.execute(f"SELECT {counts} FROM t").fetchone() or ()
            self._different.update(zip(flat, row, strict=True))
        return self._different[column]

    def _code_few(self, column: int) -> tuple[NDArray[Any], list[str]]:
        """Code a column of few values, and those beside it, by enumerations: in two passes.

        A blank is a value more.
        """
        few = [i for i in self._beside(column) if self._different[i] <= _MOST_ENUM]
        listed = ", ".join(f"list(DISTINCT c{i}) AS v{i}" for i in few)
        row: Any = self._connection.execute(f"SELECT {listed} FROM t").fetchone()
        texts: dict[int, list[str]] = {
            i: sorted({"" if value is None else value for value in values})
            for i, values in zip(few, row, strict=True)
        }
        for i, values in texts.items():
            listed = ", ".join(map(quoted, values))
            self._connection.execute(f"CREATE OR REPLACE TYPE kind_{i} AS ENUM ({listed})")
        read = ", ".join(f"enum_code(coalesce(c{i}, '')::kind_{i}) AS v{i}" for i in few)
        codes = self._fetch(f"SELECT {read} FROM t")
        self._few = {i: (codes[f"v{i}"], texts[i]) for i in few}
        return self._few.pop(column)

    def _code_many(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column of many values by runs of equal ones, or by hashes."""
        value = f"coalesce(c{column}, '')"
        before = f"SELECT hash(c{column}) AS h, lag(hash(c{column})) OVER () AS b FROM t"
        if self._fetch(f"SELECT count(*) AS n FROM ({before}) WHERE h <> b")["n"] < self.rows // 3:
            runs = self._fetch(
                f"SELECT v, row - 1 AS start FROM (SELECT {value} AS v, row_number() OVER () AS "
                f"row, {value} IS DISTINCT FROM lag({value}) OVER () AS new FROM t) WHERE new"
            )
            codes, texts = coded(runs["v"])
            return np.repeat(codes, np.diff(runs["start"], append=self.rows)), texts
        rows = self._fetch(f"SELECT hash({value}) AS h FROM t")["h"]
        read = self._fetch(f"SELECT v, hash(v) AS h FROM (SELECT DISTINCT {value} AS v FROM t)")
        order = np.argsort(read["h"])
        hashes = read["h"][order]
        if (hashes[1:] == hashes[:-1]).any():  # once in ten million columns
            return coded(self._fetch(f"SELECT {value} AS v FROM t")["v"])
        return as_they_appear(np.searchsorted(hashes, rows), read["v"][order].tolist())

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""
        if column not in self._numbers:
            self._numbers[column] = self._read_numbers(column)
            for kept in self._numbers[column]:
                kept.flags.writeable = False  # they are handed out again and again
        return self._numbers[column]

    def _read_numbers(self, column: int) -> tuple[Floats, Flags]:
        check_flat(self, column)
        if self._count(column) <= _FEW_NUMBERS:  # of few values, each is read once
            return super().numbers(column)
        # The database takes 1_000 for a number.
        blank = "v IS NULL OR v = 'nan'" if column in self._floats else "v IS NULL"
        number = "CASE WHEN NOT contains(v, '_') THEN TRY_CAST(v AS DOUBLE) END"
        with self._explaining():
            read = self._fetch(
                f"SELECT {number} AS number, {blank} AS blank FROM (SELECT c{column} AS v FROM t)"
            )
        numbers = np.ma.filled(read["number"], np.nan).astype(np.float64)
        if not (np.isfinite(numbers) | read["blank"]).all():
            return super().numbers(column)
        return numbers, np.zeros(len(numbers), dtype=bool)

    def is_numeric(self, column: int) -> bool:
        """Whether every cell of a column is a number or blank."""
        if self._count(column) > _FEW_NUMBERS:
            return super().is_numeric(column)
        texts = self.codes(column)[1]
        written = written_numbers(texts, decimal_comma=self.decimal_comma)
        texts = texts if written is None else written.texts
        return all(number_of(text) is not None for text in texts)

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return sorted(self._nested)

    def cells(self, column: int) -> list[Any]:
        """Cells of a column that holds lists or records, as Python has them; None where blank."""
        with self._explaining():
            texts = self._connection.execute(f"SELECT c{column} FROM t").fetchall()
        cells = [None if text is None else json.loads(text) for (text,) in texts]
        return [by_names(cell, self._scan.features.get(self.names[column])) for cell in cells]

    def categories(self, column: int) -> tuple[str, ...] | None:
        """Categories of a column in their order; None if it has no ordered categories."""
        scan, name = self._scan, self.names[column]
        if scan.categories is None or name not in scan.ordered:
            return None
        return scan.categories(name)

    @contextmanager
    def _explaining(self) -> Generator[None]:
        """Say in a user's words what the database could not read."""
        try:
            yield
        except Exception as error:
            raise explained(error, self._file) from None


# Parquet.

_MAGIC = b"PAR1"
_FLOAT_TYPES = ("FLOAT", "DOUBLE")
_WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")


class Parquet(Format):
    """Columns with types, known by their first bytes whatever the name is."""

    name = "parquet"
    title = "Parquet"
    suffixes = (".parquet", ".pq")
    starts = (_MAGIC,)

    def knows(self, file: File) -> bool:
        """Whether the first bytes or the name say so."""
        return file.magic == _MAGIC or super().knows(file)

    def open(self, file: File, *, ignore: Collection[str]) -> Table:
        """Open a file as a table of text; the columns have names, so that there is no header."""
        return DatabaseTable(file, partial(scan_parquet, file=file), ignore)


def scan_parquet(connection: DuckDBPyConnection, *, file: File) -> Scan:
    """Find the columns, and say how to read each as text. Folders are no columns."""
    options = "hive_partitioning=false"
    types = column_types(connection, f"read_parquet({file_name(file.path)}, {options})")
    check_columns(len(types), file.name)
    names = _column_names(connection, file)
    metadata = metadata_of(connection, file.path)
    features = features_of(metadata)
    coded = {
        name: labels
        for name, feature in features.items()
        if types.get(name) in _WHOLE_TYPES and (labels := label_names(feature))
    }
    ordered = ordered_columns(metadata)
    return Scan(
        # DuckDB renames columns that differ by case only.
        names=names if len(names) == len(types) else list(types),
        texts=[
            _by_label_names(name, coded[name])
            if name in coded
            else as_text(quoted_name(name), type_)
            for name, type_ in types.items()
        ],
        categories=partial(categories_of, file.path) if ordered else None,
        ordered=ordered,
        features=features,
        notes=tuple(_schema_notes(file, coded, ordered)),
        call=f"read_parquet({file_name(file.path)}, {options})",
        by_column=True,
        format=Parquet.name,
        nested=frozenset(i for i, type_ in enumerate(types.values()) if is_nested(type_)),
        floats=frozenset(i for i, type_ in enumerate(types.values()) if type_ in _FLOAT_TYPES),
    )


def metadata_of(connection: DuckDBPyConnection, path: Path) -> dict[str, bytes]:
    """Take what the program that wrote the file says of it."""
    rows = connection.execute(
        f"SELECT key, value FROM parquet_kv_metadata({file_name(path)})"
    ).fetchall()
    return {bytes(key).decode("utf-8", "replace"): bytes(value) for key, value in rows}


def _by_label_names(column: str, names: list[str]) -> str:
    """Write the SQL for labels stored as numbers from 0 on; others, such as -1, are missing."""
    listed = ", ".join(map(quoted, names))
    code = quoted_name(column)
    return f"list_extract([{listed}], CASE WHEN {code} >= 0 THEN {code} + 1 END)"


def _schema_notes(
    file: File, coded: Mapping[str, list[str]], ordered: Collection[str]
) -> Iterator[Note]:
    for column, names in coded.items():
        yield Note(
            f"{file.name}: numbers of column '{column}' stand for {some(names, 6)}, as the file "
            "says."
        )
    if ordered and find_spec("pyarrow") is None:
        yield Note(
            f"{file.name}: categories of {some(sorted(ordered))} have an order, which is not read "
            f"without pyarrow. Install it, or name them in order with {option('labels', ...)}.",
            "caution",
        )


def _column_names(connection: DuckDBPyConnection, file: File) -> list[str]:
    """Names of the columns as they stand in the file."""
    rows = connection.execute(
        f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({file_name(file.path)})"
    ).fetchall()
    names: list[str] = []
    inside = 0  # fields of a column that holds lists or records, which are no columns
    for name, children in rows[1:]:  # the first is the table
        if inside:
            inside -= 1
        else:
            names.append(str(name))
        inside += int(children)
    return names


# What the writer of a Parquet file says of its columns: ordered categories, names of labels.


def ordered_columns(metadata: Mapping[str, bytes]) -> frozenset[str]:
    """Columns whose categories are in order, as Arrow's schema or pandas says; none without one."""
    try:
        library: Any = import_module("pyarrow")
    except ImportError:
        return _ordered_by_pandas(metadata)
    try:
        data = base64.b64decode(metadata.get("ARROW:schema", b""), validate=True)
        schema = library.ipc.read_schema(library.py_buffer(data)) if data else ()
        return frozenset(
            str(field.name) for field in schema if getattr(field.type, "ordered", False)
        )
    except (binascii.Error, OSError, ValueError, library.ArrowException):  # written by others
        return frozenset()


def _ordered_by_pandas(metadata: Mapping[str, bytes]) -> frozenset[str]:
    try:
        columns: Any = json.loads(metadata.get("pandas", b"{}"))["columns"]
        about: list[tuple[str, Any]] = [(str(one["name"]), one["metadata"]) for one in columns]
        return frozenset(name for name, known in about if known and known["ordered"])
    except (ValueError, KeyError, TypeError):  # written by others
        return frozenset()


def categories_of(path: Path, column: str) -> tuple[str, ...] | None:
    """Categories of a column in the order of its dictionary; None if pyarrow is not there."""
    try:
        library: Any = import_module("pyarrow.parquet")
    except ImportError:
        return None
    try:
        with library.ParquetFile(path) as file:
            read = file.read_row_group(0, columns=[column]).column(0)
        return tuple(map(str, read.chunk(0).dictionary.to_pylist()))
    except (AttributeError, OSError, ValueError):  # ArrowInvalid is a ValueError
        return None


def features_of(metadata: Mapping[str, bytes]) -> dict[str, Any]:
    """Features of the columns by name, as the library datasets writes them; {} if it did not."""
    features: dict[str, Any] = {}
    for text in metadata.values():
        try:
            features |= json.loads(text)["info"]["features"]
        except (ValueError, KeyError, TypeError):
            continue
    return features


def label_names(feature: Any) -> list[str] | None:
    """Names of labels that are stored as numbers (ClassLabel); None if a feature has none."""
    names: Any = cast("dict[str, Any]", feature).get("names") if isinstance(feature, dict) else None
    return list(map(str, cast("list[Any]", names))) if isinstance(names, list) else None


def by_names(cell: Any, feature: Any) -> Any:
    """Write labels that are stored as numbers by their names, in lists and records too.

    Examples
    --------
    >>> by_names([{"label": 1}], [{"label": {"names": ["no", "yes"]}}])
    [{'label': 'yes'}]
    """
    fields = cast("dict[str, Any]", feature if isinstance(feature, dict) else {})
    if isinstance(cell, list):
        inside: Any = fields.get("feature", feature)
        inside = [*cast("list[Any]", inside), None][0] if isinstance(inside, list) else inside
        return [by_names(part, inside) for part in cast("list[Any]", cell)]
    fields = cast("dict[str, Any]", fields.get("feature", fields))
    if isinstance(cell, dict):
        record = cast("dict[str, Any]", cell)
        return {name: by_names(part, fields.get(name)) for name, part in record.items()}
    names = label_names(fields)
    if names is None or not isinstance(cell, int):
        return cell
    return names[cell] if 0 <= cell < len(names) else None
