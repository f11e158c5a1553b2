"""Parquet, read by a database that can reach one file only."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headcount.errors import DataError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["guarded", "parquet_metadata", "parquet_records", "parquet_types"]

_GLOB = frozenset("*?[]{}")
_ROWS = 10_000


def parquet_types(path: Path) -> dict[str, str]:
    """Columns and DuckDB's types; {} if the file is damaged."""
    try:
        with guarded(path) as (query, place):
            found = query("DESCRIBE FROM read_parquet(?)", [place]).fetchall()
    except DataError:
        return {}
    return {str(row[0]): str(row[1]) for row in found}


def parquet_metadata(path: Path) -> dict[str, str]:
    """Key-value metadata."""
    with guarded(path) as (query, place):
        found = query(
            "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [place]
        ).fetchall()
    return {str(key): str(value) for key, value in found}


def parquet_records(path: Path) -> Iterator[dict[str, Any]]:
    """Rows by column."""
    with guarded(path) as (query, place):
        found = query("FROM read_parquet(?)", [place])
        names = [str(column[0]) for column in found.description]
        while rows := found.fetchmany(_ROWS):
            for row in rows:
                yield dict(zip(names, row, strict=True))


@contextmanager
def guarded(
    path: Path,
) -> Generator[tuple[Callable[[str, list[str]], DuckDBPyConnection], str]]:
    """Open a database that can read one file only.

    Yields
    ------
    query : callable
        Runs a statement with its parameters; its errors are ours.
    name : str
        What the database calls the file.
    """
    import duckdb

    place = path.resolve()
    with ExitStack() as stack:
        if _GLOB & set(str(place)):  # a name is never a pattern
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            link = Path(folder) / "file"
            link.symlink_to(place)
            place = link
        connection = stack.enter_context(duckdb.connect(":memory:"))
        connection.execute("SET enable_progress_bar = false")
        name = str(place).replace("'", "''")
        connection.execute(f"SET allowed_paths = ['{name}']")
        connection.execute("SET enable_external_access = false")

        def query(statement: str, parameters: list[str]) -> DuckDBPyConnection:
            try:
                return connection.execute(statement, parameters)
            except duckdb.InterruptException:
                raise KeyboardInterrupt from None
            except duckdb.Error as error:
                first = str(error).strip().split("\n")[0]
                raise DataError(f"{path.name} cannot be read: {first}") from None

        yield query, str(place)
