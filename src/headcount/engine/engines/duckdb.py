"""DuckDB, embedded: out of core, within a limit of memory and with a folder for what is over."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.data.vocabulary import as_double
from headcount.engine.engines.base import Dialect, Engine, Rows
from headcount.engine.engines.failures import explained
from headcount.engine.engines.memory import DEFAULT_MEMORY, LEAST_MEMORY
from headcount.io.formats.scratch import Scratch
from headcount.io.formats.sql import connect, is_nested, quoted, seal_to

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["DUCKDB", "DuckDB", "DuckDBRelation", "kind_of"]

DUCKDB = Dialect(
    text="CAST({0} AS VARCHAR)",
    hash="CAST(hash({0}) >> 1 AS BIGINT)",
    right="({0} >> {1})",
    bit="(CAST(1 AS BIGINT) << {0})",
    md5_32="CAST('0x' || substr(md5({0}), 1, 8) AS BIGINT)",
    quote='"',
    real="DOUBLE",
    number="TRY_CAST({0} AS DOUBLE)",
    whole="CAST({0} AS HUGEINT)",
    trim="trim({0}, {1})",
    unpivot="SELECT item, unnest([{names}]) AS rater, unnest(said) AS label FROM (SELECT {item}, "
    "[{values}] AS said FROM {relation}) AS listed",
)
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
          "UINTEGER", "UBIGINT")  # fmt: skip


_BYTES_A_GROUP = 300
"""Memory that a group of an item takes, about, with what it takes to make it."""
_BYTES_A_ROW = 4000
"""Of the memory allowed, for each row that waits to be written in parts; fewer are no slower."""
_MOST_PARTS = 256
"""Parts that rows are written in; more take longer, and each has a file that is open."""


class DuckDB(Engine):
    """The embedded database: files of this machine, more than its memory holds.

    Parameters
    ----------
    memory : int
        Bytes that reading may take. The database fills whatever it may before it writes to its
        folder, which is removed, and is hardly quicker for it where rows are in order: it is
        given half, and the other half is for what comes back and for Python.
    paths : sequence of Path
        Files that it may read, and nothing else.
    most_temporary : str, optional
        What the folder may hold, as DuckDB writes sizes. Default: what the disk has.
    """

    name = "duckdb"
    title = "DuckDB"
    dialect = DUCKDB
    ranks_at_once = True

    def __init__(
        self,
        *,
        memory: int = DEFAULT_MEMORY,
        paths: Sequence[Path] = (),
        most_temporary: str | None = None,
    ) -> None:
        self.memory = memory
        self._scratch = Scratch()
        self._connection: DuckDBPyConnection = connect()
        run = self._connection.execute
        self._limit = max(memory // 2, LEAST_MEMORY)
        run(f"SET memory_limit = '{self._limit}B'")
        run(f"SET temp_directory = {quoted(self._scratch.path)}")
        run("SET preserve_insertion_order = false")
        run("SET allocator_background_threads = true")  # gives back what queries no longer use
        run(f"SET partitioned_write_flush_threshold = {self._limit // _BYTES_A_ROW}")
        run(f"SET allowed_directories = [{quoted(self._scratch.path)}]")
        if most_temporary is not None:
            run(f"SET max_temp_directory_size = {quoted(most_temporary)}")
        seal_to(self._connection, paths)

    def fetch(self, sql: str) -> Rows:
        """Run a query, and bring all of what it gives."""
        with explained(self.title):
            read = self._connection.execute(sql).fetchnumpy()
        return {name: _plain(values) for name, values in read.items()}

    def keep(self, name: str, sql: str) -> str:
        """Hold what a query gives, within the limit of memory."""
        with explained(self.title):
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")
        return name

    def parts(self, held: str, key: str, number: int) -> Iterator[Rows]:
        """Bring a table by the places of its rows, so that all parts are one scan."""
        del key
        rows = int(self.one(f"SELECT count(*) AS n FROM {held}")["n"])
        size = max(-(-rows // number), 1)
        for start in range(0, rows, size):
            yield self.fetch(
                f"SELECT * FROM {held} WHERE rowid >= {start} AND rowid < {start + size}"
            )

    def parts_for(self, groups: int) -> int:
        """Tell in how many parts so many groups should be made, so that each fits into memory."""
        return min(-(-groups * _BYTES_A_GROUP // self._limit), _MOST_PARTS)

    def divided(self, name: str, sources: Sequence[str], part: str, number: int) -> str:
        """Write rows to the folder, each part to files of its own."""
        folder = self._scratch.path / name
        shutil.rmtree(folder, ignore_errors=True)
        for source in sources:  # one at a time: rows of each wait for their turn in memory
            rows = super().divided(name, [source], part, number)
            with explained(self.title):
                self._connection.execute(
                    f"COPY ({rows}) TO {quoted(folder)} (FORMAT parquet, PARTITION_BY (part), "
                    "APPEND)"
                )
        if not any(folder.glob("*/*")):  # there are no rows
            return super().divided(name, sources, part, number)
        files = quoted(folder / "*" / "*.parquet")
        return f"SELECT * FROM read_parquet({files}, hive_types={{'part': BIGINT}})"

    def close(self) -> None:
        """Close the database, and remove its folder."""
        self._connection.close()
        self._scratch.remove()


class DuckDBRelation(Engine):
    """The database that a relation belongs to, whose limits are the user's.

    Parameters
    ----------
    base : DuckDBPyRelation
        Queries may call it 'base'.
    """

    name = "duckdb"
    title = "DuckDB"
    dialect = DUCKDB
    ranks_at_once = True

    def __init__(self, base: Any) -> None:
        self.base = base

    def fetch(self, sql: str) -> Rows:
        """Run a query, and bring all of what it gives."""
        with explained(self.title):
            read: dict[str, Any] = self.base.query("base", sql).fetchnumpy()
        return {name: _plain(values) for name, values in read.items()}

    def keep(self, name: str, sql: str) -> str:
        """Hold nothing: the database is the user's."""
        return f"({sql}) AS {name}"


def kind_of(type_: str) -> str:
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
