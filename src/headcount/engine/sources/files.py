"""Files of which DuckDB reads the rows: one, or several that are alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from headcount.engine.engines.base import Column, Engine
from headcount.engine.engines.duckdb import kind_of
from headcount.engine.engines.failures import explained, first_words
from headcount.engine.sources.relation import Relation
from headcount.errors import DataError, NotReducedError, option, some
from headcount.io.formats.base import File
from headcount.io.formats.catalogue import format_of
from headcount.io.formats.csv import Csv, Head, csv_call, find_header
from headcount.io.formats.parquet import Parquet, scan_parquet
from headcount.io.formats.sql import column_types, connect, file_name, quoted_name
from headcount.io.tables.files import file_at
from headcount.results.notes import Note
from headcount.results.provenance import Source

__all__ = ["FileRows", "rows_of_files"]

_MOST_ROWS = 2**40
"""More rows than a file has."""


@dataclass(frozen=True, kw_only=True)
class FileRows:
    """How DuckDB reads some files that are alike.

    Parameters
    ----------
    paths : sequence of Path
    call : str
        SQL of the call.
    columns : list of Column
    row : str or None
        SQL of the number of a row.
    source : function of rows
        Says what was read.
    notes : tuple of Note
    held : object
        What must not go while rows are read: unpacked copies.
    """

    paths: Sequence[Path]
    call: str
    columns: list[Column]
    row: str | None
    source: Callable[[int], Source]
    notes: tuple[Note, ...] = ()
    held: object = None

    def relation(self, engine: Engine, name: str) -> Relation:
        """Make rows of an engine, and count them."""
        rows = int(engine.one(f"SELECT count(*) AS n FROM {self.call}")["n"])
        if not rows:
            raise DataError(f"{name} is empty: it has no rows.")
        return Relation(
            engine=engine,
            sql=self.call,
            columns=self.columns,
            source=name,
            sources=(self.source(rows),),
            notes=self.notes,
            row=self.row,
            held=self.held,
        )


def rows_of_files(paths: Sequence[Path], name: str) -> FileRows:
    """Say how to read the rows of files, all of one format and with the same columns."""
    first = file_at(paths[0])
    kind = format_of(first, None)
    if isinstance(kind, Parquet):
        return _parquet(paths, first, name)
    if isinstance(kind, Csv):
        return _csv(paths, first, name)
    raise NotReducedError(
        f"{name} is {kind.name}, which is read into memory only ({option('engine', 'memory')}). "
        "Save it as Parquet or CSV."
    )


def _parquet(paths: Sequence[Path], first: File, name: str) -> FileRows:
    """Say how to read Parquet: folders are no columns, and every file has the same ones."""
    listed = ", ".join(map(file_name, paths))
    call = f"read_parquet([{listed}], hive_partitioning=false)"
    with explained(name), connect() as connection:
        scan = scan_parquet(connection, file=first)
        types = column_types(
            connection, f"read_parquet({file_name(first.path)}, hive_partitioning=false)"
        )
        if len(paths) > 1:
            _check_alike(paths, [_schema(connection, path) for path in paths])
    columns = [
        # Numbers that stand for labels, as the file says, are written as these.
        Column(shown, "text", text)
        if text.startswith("list_extract(")
        else Column(shown, kind_of(type_), quoted_name(sql))
        for shown, text, (sql, type_) in zip(scan.names, scan.texts, types.items(), strict=True)
    ]
    source = _source(paths, first, name, Parquet.name)
    # Files come one after the other, in the order of their names.
    row = f"file_index * {_MOST_ROWS} + file_row_number"
    return FileRows(
        paths=paths, call=call, columns=columns, row=row, source=source, notes=scan.notes
    )


def _schema(connection: object, path: Path) -> dict[str, str]:
    from duckdb import DuckDBPyConnection

    if not isinstance(connection, DuckDBPyConnection):
        return {}
    try:
        return column_types(connection, f"read_parquet({file_name(path)}, hive_partitioning=false)")
    except Exception as error:
        said = first_words(" ".join(str(error).split()))
        raise DataError(
            f"{path}: this file cannot be read: {said.rstrip('.')}. Write it again, or leave it "
            "out of the pattern."
        ) from None


def _check_alike(paths: Sequence[Path], schemas: Sequence[dict[str, str]]) -> None:
    """Refuse files whose columns differ."""
    for path, schema in zip(paths, schemas, strict=True):
        if schema == schemas[0]:
            continue
        lacks = [column for column in schemas[0] if column not in schema]
        more = [column for column in schema if column not in schemas[0]]
        other = [c for c in schema if c in schemas[0] and schema[c] != schemas[0][c]]
        parts = [
            f"lacks {some(lacks)}" if lacks else "",
            f"has {some(more)} besides" if more else "",
            f"has {some([f'{c} as {schema[c]}, not {schemas[0][c]}' for c in other])}"
            if other
            else "",
            "" if lacks or more or other else "has them in another order",
        ]
        raise DataError(
            f"{path}: its columns are not those of {paths[0].name}: it "
            f"{'; it '.join(filter(None, parts))}. All files of a pattern need the same columns."
        )


def _csv(paths: Sequence[Path], first: File, name: str) -> FileRows:
    """Say how to read text with a delimiter: every column as text, in UTF-8."""
    files = [first, *(file_at(path) for path in paths[1:])]
    head = find_header(first, header=True)
    held: list[object] = []
    texts: list[Path] = []
    for file, path in zip(files, paths, strict=True):
        other = head if file is first else find_header(file, header=True)
        _check_header(path, other, paths[0], head)
        text, copy = file.utf8()
        texts.append(text)
        held.extend([file, copy])
    names = [f"c{i}" for i in range(len(head.names))]
    return FileRows(
        paths=texts,
        call=csv_call(texts, names, head, header=True),
        columns=[Column(shown, "text", sql) for shown, sql in zip(head.names, names, strict=True)],
        row="row_number() OVER ()",  # by one thread, in the order of the files
        source=_source(paths, first, name, Csv.name, first.text.said, head.delimiter),
        notes=(*first.text.notes, *head.notes),
        held=held,
    )


def _check_header(path: Path, head: Head, first: Path, wanted: Head) -> None:
    if (head.names, head.delimiter, head.skip) != (wanted.names, wanted.delimiter, wanted.skip):
        raise DataError(
            f"{path}: its columns are {some(head.names, 12)}, and those of {first.name} "
            f"{some(wanted.names, 12)}. All files of a pattern need the same columns, in the same "
            "order, with the same delimiter."
        )


def _source(
    paths: Sequence[Path],
    first: File,
    name: str,
    format_: str,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Callable[[int], Source]:
    """Say what was read: of one file with its checksum, of several with their size."""

    def said(rows: int) -> Source:
        if len(paths) == 1:
            return first.source(format_, rows, encoding, delimiter)
        size = sum(path.stat().st_size for path in paths)
        return Source(
            name=name, format=format_, rows=rows, size=size, encoding=encoding, delimiter=delimiter
        )

    return said
