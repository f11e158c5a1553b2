"""Open whatever holds a table: a file, a frame, columns, rows or an array."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from headcount import options
from headcount.data.examples import replaced
from headcount.errors import DataError, OptionError, closest, option, some
from headcount.io.formats.catalogue import FORMATS
from headcount.io.reading import Reading
from headcount.io.tables.columns import columns_of
from headcount.io.tables.files import STDIN, neighbour, open_file, saved
from headcount.io.tables.table import Table, check_names
from headcount.io.tools.base import Kind
from headcount.io.tools.catalogue import TOOLS
from headcount.io.tools.read import read_export

__all__ = [
    "MAYBE_NAMED",
    "NAMED",
    "NO_HEADER",
    "Columns",
    "file_or_column",
    "ignored",
    "open_facts",
    "open_table",
]


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What is expected of the names of columns.

    Parameters
    ----------
    header : bool
        Whether the first line of a text file names them.
    unnamed : bool
        Whether they may be without names, as those of tuples and arrays are.
    unique : bool
        Whether names must differ.
    """

    header: bool = True
    unnamed: bool = False
    unique: bool = True


NAMED, MAYBE_NAMED = Columns(), Columns(unnamed=True)
NO_HEADER = Columns(header=False, unnamed=True)


def open_table(
    data: Any,
    *,
    name: str,
    kind: Kind | None = None,
    columns: Columns = NAMED,
    reading: Reading | None = None,
) -> Table:
    """Open a table.

    Parameters
    ----------
    data : path, frame, dict of columns, rows or array
        CSV, TSV, JSON, JSON lines, Parquet or Excel, gzipped or not; ``-`` for standard input; any
        frame that narwhals reads, DuckDB's relations among them; columns by name; rows that are
        dicts, tuples or lists; or a 2-D array.
    name : str
        What messages call it, if it is no file.
    kind : {"ratings", "predictions", "comparisons"}, optional
        What to read of an export of a tool, which is recognised by what it holds. Default: a file
        is no export.
    columns : Columns
        What is expected of their names.
    reading : Reading, optional
        What to read of it, and how.
    """
    reading = Reading() if reading is None else reading
    table = _open(data, name, reading, header=columns.header, kind=kind)
    if table.form != "named" and not columns.unnamed:
        raise DataError(
            f"{table.source}: the columns have no names. Give a dict of columns, such as "
            '{"item": [...], "label": [...]}, rows that are dicts, or a data frame.'
        )
    if columns.unique:
        check_names(table)
    return table


def _open(data: Any, name: str, reading: Reading, *, header: bool, kind: Kind | None) -> Table:
    if isinstance(data, str | Path) or hasattr(data, "__fspath__"):
        path = replaced(Path(os.fsdecode(data)))
        _check_format(reading.format)
        if kind is not None:
            table = read_export(saved(path), kind, reading)
            if table is not None:
                return table
        return open_file(path, ignore=reading.ignore, header=header, reading=reading)
    table = columns_of(data, name, reading.ignore)
    if table is None:
        from headcount.io.tables.frames import open_frame

        return open_frame(data, name, reading.ignore)
    return table


def _check_format(name: str | None) -> None:
    """Refuse a format that is neither one of files nor a tool's."""
    if name is not None:
        names = [*(one.name for one in FORMATS), *(tool.name for tool in TOOLS)]
        options.one_of(name, "format", names)


def open_facts(data: Any, *, name: str, columns: tuple[str, str]) -> Table:
    """Open what says one thing of each item: a table, or a dict of item to value.

    `columns` are the names that the two get, where a dict or pairs have none.
    """
    if isinstance(data, Mapping):
        facts = cast("Mapping[Any, Any]", data)
        if facts and all(value is None or np.isscalar(value) for value in facts.values()):
            data = {columns[0]: list(facts), columns[1]: list(facts.values())}
    table = open_table(data, name=name, columns=MAYBE_NAMED)
    if table.form != "named":
        if len(table.names) != len(columns):
            raise DataError(
                f"{table.source}: expected rows of two values, the {columns[0]} and the "
                f"{columns[1]}, not of {len(table.names)}. Give rows that are dicts, or a frame."
            )
        table.names = list(columns)
    return table


def file_or_column(source: Any, ratings: Any, name: str) -> tuple[Table, int | None]:
    """Open what an option names: a file, or else the ratings, of which it is a column.

    Parameters
    ----------
    source : path, str or anything else that holds a table
    ratings : path, frame, ...
        The ratings.
    name : str
        The option.

    Returns
    -------
    table : Table
    column : int or None
        Place of the column; None if a table of its own was given.
    """
    if not isinstance(source, str) or source == STDIN or replaced(Path(source)).is_file():
        return open_table(source, name=name), None
    table = open_table(ratings, name="ratings", kind="ratings")
    if source in table.names:
        return table, table.names.index(source)
    near = [*closest(source, table.names), *filter(None, [neighbour(Path(source))])]
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise DataError(
        f"{option(name)} '{source}' is neither a file nor a column of {table.source}.{hint} "
        f"Columns: {some(table.names, 12)}."
    )


def ignored(ignore: Any) -> list[str]:
    """Check the option that names columns not to read; a text is one name."""
    if isinstance(ignore, str):
        return [ignore]
    if not isinstance(ignore, Collection) or isinstance(ignore, bytes | Mapping):
        raise OptionError(
            f"{option('ignore')} must be names of columns, such as ['gold'], not {ignore!r}."
        )
    return [str(name) for name in cast("Collection[Any]", ignore)]
