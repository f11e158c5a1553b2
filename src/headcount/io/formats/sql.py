"""The embedded database: a connection that reaches nothing else, and SQL for names and values."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "as_text",
    "column_types",
    "connect",
    "file_name",
    "is_nested",
    "quoted",
    "quoted_name",
    "seal",
    "seal_to",
]


@contextmanager
def _undisturbed() -> Generator[None]:
    """Let interrupts wait: one that meets the database while it is loaded ends in its own words."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
        if callable(signal.getsignal(number))
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def connect() -> DuckDBPyConnection:
    """Open a database in memory, which says nothing on its own and loads nothing from elsewhere."""
    with _undisturbed():
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


def seal(connection: DuckDBPyConnection, path: Path | None = None) -> None:
    """Take files and the network away from a database, for good, but for one file."""
    seal_to(connection, [] if path is None else [path])


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
