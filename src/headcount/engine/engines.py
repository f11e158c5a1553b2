"""Databases that reduce data: what an engine is, DuckDB, Spark and its sessions."""

from __future__ import annotations

import os
import re
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from headcount.data.vocabulary import as_double
from headcount.errors import DataError, ExtraError, HeadcountError, closest, option, some
from headcount.io.formats.database import connect, is_nested, quoted, seal_to
from headcount.io.reading import Scratch

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "DATABASE_MEMORY",
    "explained",
    "first_words",
    "MOST_ROWS",
    "Rows",
    "Column",
    "Engine",
    "DuckDB",
    "DuckDBRelation",
    "duckdb_kind",
    "SPARK",
    "Spark",
    "spark_frame",
    "spark_kind",
    "spark_session",
    "retry_briefly",
]


# What an engine could not do, in a user's words.


@contextmanager
def explained(title: str) -> Generator[None]:
    """Turn what an engine raises into one message that says what to do."""
    try:
        yield
    except HeadcountError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        if "interrupted" in text.lower():  # by the user
            raise KeyboardInterrupt from None
        raise DataError(_failure_words(title, text, type(error).__name__)) from None


def _failure_words(title: str, text: str, kind: str) -> str:
    low = text.lower()
    if "max_temp_directory_size" in low or "no space left" in low or "enospc" in low:
        return (
            f"{title}: the disk is full, or its temporary folder may not grow. Make room in the "
            "folder for temporary files (TMPDIR names another one), or allow more memory "
            f"({option('memory', '4GB')})."
        )
    if "java_gateway_exited" in low or "java gateway process exited" in low:
        return (
            f"{title} did not start: it needs Java 17 or newer. Install it, and check that 'java "
            "-version' runs or that JAVA_HOME names it; or use a server that has it "
            f"({option('engine', 'sc://localhost:15002')})."
        )
    if "out of memory" in low or "outofmemory" in kind.lower():
        return (
            f"{title}: the memory allowed is not enough. Allow more with {option('memory', '4GB')}."
        )
    if any(sign in low for sign in ("unavailable", "connection refused", "failed to connect",
                                    "connection reset", "goaway", "retries_exceeded",
                                    "py4jnetworkerror", "socket closed")):  # fmt: skip
        return (
            f"{title}: the connection to the server was lost. Nothing was written. Check that it "
            f"runs, and try again: {first_words(text)}"
        )
    return f"{title} cannot read or reduce the data: {first_words(text)}"


def first_words(text: str) -> str:
    """Keep the first sentences of a message, without the query that it repeats."""
    text = re.split(r" LINE \d+:|JVM stacktrace|== SQL|Candidate bindings", text)[0].strip()
    return text if len(text) <= 300 else f"{text[:297]}..."


# What an engine is: a database that runs one SQL text, and what it spells in its own way.

MOST_ROWS = 2_000_000
"""Rows that a reduction may give back."""
Rows = dict[str, NDArray[Any]]
"""Columns of what came back, by name. Numbers are int64 or float64; nulls are NaN or None."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """What engines spell differently. Each entry is a text with places for its arguments.

    Parameters
    ----------
    text : str
        A value as text.
    hash : str
        A whole number of at least 0, below 2^63, that depends on a value alone.
    right : str
        A whole number shifted to the right by so many bits.
    bit : str
        The number of which one bit, the n-th, is set.
    md5_32 : str
        The first 32 bits of the md5 of a text, as a number.
    quote : str
        The sign around names.
    whole : str
        A floating-point number without a fraction as a whole number.
    trim : str
        A text without some signs at its ends.
    listed : str
        Whole numbers of a group in order, as text with commas; null or empty if all are null.
    unpivot : str
        A row for each of several columns: item, rater and label.
    """

    text: str
    hash: str
    right: str
    bit: str
    md5_32: str
    quote: str
    whole: str
    trim: str
    listed: str
    unpivot: str

    def name(self, column: str) -> str:
        """Write the name of a column."""
        return f"{self.quote}{column.replace(self.quote, 2 * self.quote)}{self.quote}"

    def literal(self, text: str) -> str:
        """Write a text."""
        written = "'" + text.replace("'", "''") + "'"
        # Spark takes a backslash for the beginning of another sign.
        return "(" + written.replace("\\", "' || chr(92) || '") + ")" if "\\" in text else written


@dataclass(frozen=True)
class Column:
    """A column of a relation.

    Parameters
    ----------
    name : str
    kind : {"text", "whole", "real", "boolean", "other", "nested"}
        What its values are.
    sql : str
        How SQL names it.
    """

    name: str
    kind: str
    sql: str


class Engine(ABC):
    """A database that reduces rows where they are. One class per engine, in the list.

    Attributes
    ----------
    title : str
        What results call it.
    dialect : Dialect
    """

    title: ClassVar[str]
    dialect: Dialect

    @abstractmethod
    def fetch(self, sql: str) -> Rows:
        """Run a query, and bring all of what it gives."""

    @abstractmethod
    def keep(self, name: str, sql: str) -> str:
        """Hold what a query gives for later ones; return what stands after FROM."""

    def close(self) -> None:  # noqa: B027 - there may be nothing to close
        """Give back what is held: connections, temporary files."""

    def rows(
        self, sql: str, *, what: str, most: int = MOST_ROWS, advice: str | Callable[[], str] = ""
    ) -> Rows:
        """Run a query that gives a bounded number of rows.

        Parameters
        ----------
        sql : str
        what : str
            What a row is, for a message: 'label patterns'.
        most : int
            Rows that may come back.
        advice : str, or function that gives it
            What to do if there are more.

        Raises
        ------
        DataError
            If there are more.
        """
        rows = self.fetch(f"SELECT * FROM ({sql}) AS bounded LIMIT {most + 1}")
        if rows and len(next(iter(rows.values()))) > most:
            memory = option("engine", "memory")
            hint = advice if isinstance(advice, str) else advice()
            raise DataError(
                f"more than {most:,} {what}, which is what {self.title} may give back. "
                f"{hint or f'Reduce the data, or read them into memory with {memory}.'}"
            )
        return rows

    def one(self, sql: str) -> dict[str, Any]:
        """Run a query that gives one row."""
        return {name: values[0] for name, values in self.fetch(sql).items()}


# DuckDB, embedded: out of core, within a limit of memory and with a folder for what is over.

DUCKDB = Dialect(
    text="CAST({0} AS VARCHAR)",
    hash="CAST(hash({0}) >> 1 AS BIGINT)",
    right="({0} >> {1})",
    bit="(CAST(1 AS BIGINT) << {0})",
    md5_32="CAST('0x' || substr(md5({0}), 1, 8) AS BIGINT)",
    quote='"',
    whole="CAST({0} AS HUGEINT)",
    trim="trim({0}, {1})",
    listed="array_to_string(list_sort(list({0}) FILTER ({0} IS NOT NULL)), ',')",
    unpivot="SELECT item, unnest([{names}]) AS rater, unnest(said) AS label FROM (SELECT {item}, "
    "[{values}] AS said FROM {relation}) AS listed",
)
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
          "UINTEGER", "UBIGINT")  # fmt: skip


DATABASE_MEMORY = 2 * 10**9
"""Bytes that a database may take where nobody says how many: groups of ten million items, of a
hundred million shuffled ratings, need them, and the rest goes to its temporary files."""


class DuckDB(Engine):
    """The embedded database: files of this machine, more than its memory holds.

    Parameters
    ----------
    memory : int
        Bytes that it may take. It fills whatever it may before it writes to its folder, which is
        removed.
    most_temporary : str, optional
        What the folder may hold, as DuckDB writes sizes. Default: what the disk has.
    """

    title = "DuckDB"
    dialect = DUCKDB

    def __init__(self, *, memory: int = DATABASE_MEMORY, most_temporary: str | None = None) -> None:
        self._scratch = Scratch()
        self._connection: DuckDBPyConnection = connect()
        run = self.run
        run(f"SET memory_limit = '{memory}B'")
        run(f"SET temp_directory = {quoted(self._scratch.path)}")
        run("SET preserve_insertion_order = false")
        run("SET allocator_background_threads = true")  # gives back what queries no longer use
        run(f"SET allowed_directories = [{quoted(self._scratch.path)}]")
        if most_temporary is not None:
            run(f"SET max_temp_directory_size = {quoted(most_temporary)}")

    def seal(self, paths: Sequence[Path]) -> None:
        """Allow these files to be read, and nothing else."""
        seal_to(self._connection, paths)

    def run(self, sql: str) -> Any:
        """Run a query."""
        return self._connection.execute(sql)

    def fetch(self, sql: str) -> Rows:
        """Run a query, and bring all of what it gives."""
        with explained(self.title):
            read: dict[str, Any] = self.run(sql).fetchnumpy()
        return {name: _plain(values) for name, values in read.items()}

    def keep(self, name: str, sql: str) -> str:
        """Hold what a query gives, within the limit of memory."""
        with explained(self.title):
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")
        return name

    def close(self) -> None:
        """Close the database, and remove its folder."""
        self._connection.close()
        self._scratch.remove()


class DuckDBRelation(DuckDB):
    """The database that a relation belongs to, whose limits are the user's.

    Parameters
    ----------
    base : DuckDBPyRelation
        Queries may call it 'base'.
    """

    def __init__(self, base: Any) -> None:
        self.base = base

    def run(self, sql: str) -> Any:
        """Run a query."""
        return self.base.query("base", sql)

    def keep(self, name: str, sql: str) -> str:
        """Hold nothing: the database is the user's."""
        return f"({sql}) AS {name}"

    def close(self) -> None:
        """Close nothing."""


def duckdb_kind(type_: str) -> str:
    """Say what values of one of DuckDB's types are."""
    if is_nested(type_):
        return "nested"
    if type_ in _WHOLE:
        return "whole"
    if type_ in ("FLOAT", "DOUBLE"):
        return "real"
    return {"VARCHAR": "text", "BOOLEAN": "boolean"}.get(type_, "other")


def _plain(values: Any) -> Any:
    """Make plain arrays: whole numbers as int64, numbers with NaN, texts with None."""
    data = np.ma.getdata(values)
    mask = np.ma.getmaskarray(values)
    if data.dtype.kind in "iub" and not mask.any():
        return data.astype(np.int64, copy=False)
    if data.dtype.kind == "O":
        out = data.copy()
        out[mask] = None
        return out
    numbers = as_double(data).astype(np.float64)
    numbers[mask] = np.nan
    return numbers


# Spark, classic or Connect: the same SQL, run by a cluster.

SPARK = Dialect(
    text="CAST({0} AS STRING)",
    hash="pmod(xxhash64({0}), 9223372036854775807)",
    right="shiftright({0}, {1})",
    bit="shiftleft(CAST(1 AS BIGINT), {0})",
    md5_32="CAST(conv(substr(md5({0}), 1, 8), 16, 10) AS BIGINT)",
    quote="`",
    whole="CAST({0} AS BIGINT)",
    trim="btrim({0}, {1})",
    listed="array_join(sort_array(collect_list({0})), ',')",
    unpivot="SELECT item, rater, label FROM (SELECT {item}, stack({number}, {pairs}) AS (rater, "
    "label) FROM {relation}) AS stacked",
)
_ARROW_WHOLE = ("int8", "int16", "int32", "int64")


class Spark(Engine):
    """A session of Spark, which the user's frame has or that is opened for an address.

    Parameters
    ----------
    session : SparkSession
    """

    title = "Spark"
    dialect = SPARK

    def __init__(self, session: Any) -> None:
        self.session = session
        self._views: list[str] = []

    def fetch(self, sql: str) -> Rows:
        """Run a query, and bring all of what it gives."""
        with explained(self.title):
            table: Any = self.session.sql(sql).toArrow()
        return {name: _arrow_values(table.column(name)) for name in table.column_names}

    def keep(self, name: str, sql: str) -> str:
        """Name what a query gives; it is computed where it is asked for."""
        return f"({sql}) AS {name}"

    def view(self, frame: Any) -> str:
        """Name a frame, for as long as this lives."""
        name = f"headcount_{uuid4().hex}"
        with explained(self.title):
            frame.createOrReplaceTempView(name)
        self._views.append(name)
        return name

    def close(self) -> None:
        """Forget the names of frames; the session is the user's."""
        while self._views:
            with suppress(Exception):  # a session that is gone holds no names
                self.session.catalog.dropTempView(self._views.pop())


def _arrow_values(column: Any) -> NDArray[Any]:
    """Make an array of a column: whole numbers, numbers, or objects; 32-bit floats as written."""
    kind = str(column.type)
    if kind in _ARROW_WHOLE and not column.null_count:
        return column.to_numpy().astype(np.int64)
    values: list[Any] = column.to_pylist()
    if kind == "float":
        numbers = as_double(column.to_numpy()).tolist()
        values = [None if number != number else number for number in numbers]
    kinds: set[type] = {type(value) for value in values}
    if kinds <= {int, bool} and kinds:
        return np.array(values, dtype=np.int64)
    if kinds <= {int, float, type(None)} and float in kinds:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


# Frames, tables and files that Spark reads, and its sessions.

_SPARK_KINDS = {"string": "text", "boolean": "boolean", "float": "real", "double": "real"}
_SPARK_WHOLE = ("tinyint", "smallint", "int", "bigint")
_PATIENCE, _RETRIES = 10.0, 4
"""Seconds to wait for a server, and how often a call is tried again: some five seconds in all."""
_SPARK_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv"}


def spark_frame(engine: Spark, text: str, *, glob: bool) -> Any:
    """Read files by the ending of their names, or else a table."""
    suffix = Path(text).suffix.lower()
    kind = _SPARK_FORMATS.get(suffix)
    with explained(engine.title):
        if kind == "parquet":
            return engine.session.read.option("recursiveFileLookup", "false").parquet(text)
        if kind == "csv":
            delimiter = "\t" if suffix == ".tsv" else ","
            reader = engine.session.read.option("header", "true").option("delimiter", delimiter)
            reader = reader.option("quote", '"').option("escape", '"').option("mode", "FAILFAST")
            return reader.option("inferSchema", "false").csv(text)
        if glob:
            raise DataError(
                f"'{text}': {option('glob')} needs a pattern that ends in .parquet or .csv, so "
                "that Spark knows what to read."
            )
        if engine.session.catalog.tableExists(text):
            return engine.session.table(text)
        tables = [str(table.name) for table in engine.session.catalog.listTables()]
    near = closest(text, tables)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise DataError(
        f"Spark has no table '{text}', and a file must end in .parquet or .csv.{hint} Tables: "
        f"{some(tables, 12) if tables else 'none'}."
    )


def spark_kind(type_: str) -> str:
    """Say what values of one of Spark's types are."""
    if type_.startswith(("array", "map", "struct")):
        return "nested"
    return "whole" if type_ in _SPARK_WHOLE else _SPARK_KINDS.get(type_, "other")


def _check_reachable(address: str) -> None:
    """Refuse an address at which nobody answers, for which Spark would wait ten minutes."""
    url = urlsplit(address.split(";")[0])
    host, port = url.hostname or "localhost", url.port or 15002
    try:
        socket.create_connection((host, port), timeout=_PATIENCE).close()
    except OSError as error:
        raise DataError(
            f"no Spark Connect server answers at '{address}' ({error.strerror or error}). Check "
            f"{option('engine')}, and that the server runs."
        ) from None


def retry_briefly(session: Any) -> None:
    """Give a server that is gone some seconds to come back, not ten minutes."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])


def spark_session(remote: str | None) -> Any:
    """Open a session: on a server, the one that runs already, or one on this machine."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ExtraError("Spark", "pyspark", "spark") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    with explained("Spark"):
        if remote is not None:
            _check_reachable(remote)
            session: Any = builder.remote(remote).getOrCreate()
            retry_briefly(session)
            return session
        active: Any = SparkSession.getActiveSession()
        if active is not None:
            return active
        return (
            builder.master("local[*]")
            .config("spark.ui.enabled", "false")
            .config("spark.log.level", "ERROR")
            # Spark's bar is for a terminal; in a file it is a page of returns.
            .config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
            .appName("headcount")
            .getOrCreate()
        )
