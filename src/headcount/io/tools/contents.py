"""A file as readers of exports see it: its start, by which it is known, and its records."""

from __future__ import annotations

import codecs
import csv
import fnmatch
import gzip
import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum, auto
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from headcount.errors import DataError
from headcount.io.formats.csv import DELIMITERS, Csv
from headcount.io.formats.database import connect, explained, file_name, seal_to
from headcount.io.formats.json import entries, parsed_json, rows_in
from headcount.io.reading import File, Scratch
from headcount.io.tables import Table, check_names

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "BETWEEN",
    "as_dict",
    "as_dicts",
    "as_list",
    "listed",
    "text_of",
    "joined",
    "cells_of",
    "LIMIT",
    "parsed",
    "Form",
    "Marks",
    "Document",
]


# Cells of exports: what is a dict, a list, a text; several labels as one.

BETWEEN = " + "
"""What stands between the labels of an answer that has several."""


def as_dict(value: Any) -> dict[str, Any]:
    """Return a JSON object; an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return a JSON array; an empty one for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_dicts(value: Any) -> list[dict[str, Any]]:
    """Return the entries of a JSON array, each as an object."""
    return [as_dict(entry) for entry in as_list(value)]


def listed(cell: Any) -> list[Any] | None:
    """Return a list, or a record of lists as a list of records; None for any other cell."""
    if isinstance(cell, Mapping):
        record = cast("Mapping[str, Any]", cell)
        if not record or not all(isinstance(part, list) for part in record.values()):
            return None
        return [dict(zip(record, row, strict=False)) for row in zip_longest(*record.values())]
    if cell is None:
        return []
    return list(cast("Any", cell)) if isinstance(cell, list | tuple | np.ndarray) else None


def text_of(value: Any) -> str | None:
    """Write an answer as a label; None if there is none, or if it is a record.

    Booleans are written as Python writes them, numbers without a fraction that says nothing,
    several labels as one.

    Examples
    --------
    >>> text_of(4.0), text_of(True), text_of(" ok "), text_of(float("nan")), text_of(["b", "a"])
    ('4', 'True', 'ok', None, 'a + b')
    """
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, list):
        cells = cast("list[Any]", value)
        return joined(text for cell in cells if (text := text_of(cell)) is not None)
    if value is None or isinstance(value, dict):
        return None
    return str(value).strip() or None


def joined(labels: Iterable[str]) -> str | None:
    """Write several labels as one, whatever order they were ticked in; None if there are none.

    Examples
    --------
    >>> joined(["service", "price"]), joined(["price"]), joined([])
    ('price + service', 'price', None)
    """
    return BETWEEN.join(sorted(set(labels))) or None


def cells_of(table: Table, column: int) -> list[str]:
    """Texts of a column by row; "" where there is none."""
    codes, texts = table.codes(column)
    with_none = [*texts, ""]
    return [with_none[code] for code in cast("list[int]", codes.tolist())]


# The start of a file, by which it is recognised.

LIMIT = 1 << 30
"""Bytes of a file, unpacked, above which it is not read as an export."""
HEAD_BYTES = 1 << 20
HEAD_RECORDS = 20
"""What of a file is looked at to recognise it."""
_GZIP = b"\x1f\x8b"
_SQLITE = b"SQLite format 3\0"
_COMMA = " \t\r\n,"
_SEP = re.compile(r'\A"?sep=[^\n]*\n', re.IGNORECASE)
"""A first line that names the delimiter, for Excel."""


def first_bytes(path: Path) -> bytes:
    """Return the first megabyte of a file, unpacked; nothing of a damaged or unreadable one."""
    try:
        with path.open("rb") as stored:
            packed = stored.read(len(_GZIP)) == _GZIP
            stored.seek(0)
            if not packed:
                return stored.read(HEAD_BYTES)
            with gzip.GzipFile(fileobj=stored) as file:
                return file.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error):
        return b""


def first_text(head: bytes, encoding: str | None) -> str:
    """Decode the start of a file, which may end within a letter."""
    wanted = encoding or ("utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    try:
        decoder = codecs.getincrementaldecoder(wanted)("replace" if encoding else "strict")
        return decoder.decode(head).lstrip("\ufeff")
    except UnicodeError:
        return head.decode("cp1252", "replace")


def parsed(text: str) -> Any:
    """Return what the text is; None if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def first_elements(text: str) -> Iterator[Any]:
    """Elements at the start of a JSON array, as many as the text holds whole."""
    decoder, index = json.JSONDecoder(), text.find("[") + 1
    with suppress(ValueError, RecursionError):
        while True:
            element, index = decoder.raw_decode(text, len(text) - len(text[index:].lstrip(_COMMA)))
            yield element


@contextmanager
def _database(path: Path) -> Generator[DuckDBPyConnection]:
    """Open a database that can read one file only; its errors are ours."""
    with connect() as connection:
        seal_to(connection, [path])
        try:
            yield connection
        except Exception as error:
            raise explained(error, path) from None


def parquet_records(path: Path, most: int | None = None) -> list[dict[str, Any]]:
    """Rows of Parquet by column; the first of them, if there are more than `most`."""
    limit = "" if most is None else f"LIMIT {most}"
    with _database(path) as connection:
        result = connection.execute(f"FROM read_parquet({file_name(path)}) {limit}")
        names = [str(column[0]) for column in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


# Files in an archive or in a folder.

MOST_FILES = 100_000
_ZSTD = 93
_SKIPPED = "__MACOSX/"
_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError)
"""What reading a damaged, locked or unusual archive raises."""


def extracted(archive: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path) -> Path:
    """Unpack a file of an archive into a folder."""
    if info.compress_type != _ZSTD:
        return Path(archive.extract(info, folder))
    # Python itself can unpack it from 3.14 on only; DuckDB can, if it holds JSON.
    member = folder / Path(info.filename).name
    with Path(str(archive.filename)).open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(30)
        file.seek(sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28)), 1)
        member.write_bytes(file.read(info.compress_size))
    with _database(member) as connection:
        texts = connection.execute(
            f"SELECT json FROM read_json_objects({file_name(member)}, compression='zstd', "
            f"format='unstructured', maximum_object_size={LIMIT})"
        ).fetchall()
    member.write_text("\n".join(str(text) for (text,) in texts), encoding="utf-8")
    return member


# A file as readers of exports see it: what kind it is, its first records, and all of them.


class Form(Enum):
    """Kinds of files that exports come in."""

    ARRAY = auto()
    OBJECT = auto()
    LINES = auto()
    COLUMNS = auto()
    ARCHIVE = auto()
    PARQUET = auto()
    SQLITE = auto()
    EMPTY = auto()


Marks = tuple[tuple[str, ...], ...]
"""Sets of names of which one is enough; a star stands for anything."""


class Document:
    """A file, or a folder of files.

    What is cheap is read first: the first megabyte, the names in an archive, the first rows of
    Parquet. The rest is read when a tool that recognised it asks, as that of any other file.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        Of text; by default it is recognised as that of any other file.
    folder : Scratch, optional
        What holds the file, if it is of an archive.
    """

    def __init__(
        self, path: Path, encoding: str | None = None, folder: Scratch | None = None
    ) -> None:
        self.path, self.name = path, path.name
        self._wanted, self._folder = encoding, folder

    @property
    def stem(self) -> str:
        """Name without its ending, and that of gzip."""
        return Path(self.name.removesuffix(".gz")).stem

    @cached_property
    def file(self) -> File | None:
        """The file, gone through and unpacked; None for a folder."""
        return None if self.path.is_dir() else File.at(self.path, encoding=self._wanted)

    @property
    def encoding(self) -> str | None:
        """Encoding of text; None for other forms."""
        is_text = self.form not in (Form.ARCHIVE, Form.PARQUET, Form.SQLITE, Form.EMPTY)
        return self.file.text.said if is_text and self.file is not None else None

    @cached_property
    def form(self) -> Form:
        """Kind of file."""
        if self.path.is_dir() or self._head_bytes.startswith(b"PK\x03\x04"):
            return Form.ARCHIVE
        if self._head_bytes.startswith(b"PAR1"):
            return Form.PARQUET
        if self._head_bytes.startswith(_SQLITE):
            return Form.SQLITE
        text = self.head_text.lstrip()
        if text.startswith("["):
            return Form.ARRAY
        if text.startswith("{"):
            first, _, rest = text.partition("\n")
            is_line = rest.strip() and isinstance(parsed(first), dict)
            return Form.LINES if is_line else Form.OBJECT
        return Form.COLUMNS if text else Form.EMPTY

    # The start

    @cached_property
    def _head_bytes(self) -> bytes:
        return first_bytes(self.path)

    @cached_property
    def head_text(self) -> str:
        """Return the first megabyte as text."""
        return first_text(self._head_bytes, self._wanted)

    @cached_property
    def head(self) -> list[dict[str, Any]]:
        """First records of JSON or Parquet, to know a tool by; [] of others."""
        records: list[Any] = []
        if self.form is Form.LINES:
            records = [parsed(line) for line in self.head_text.split("\n")[:HEAD_RECORDS]]
        elif self.form is Form.ARRAY:
            records = [*islice(first_elements(self.head_text), HEAD_RECORDS)]
        elif self.form is Form.PARQUET:
            with suppress(DataError):
                records = parquet_records(self.path, HEAD_RECORDS)
        if self.form is Form.OBJECT or (self.form is Form.ARRAY and not records):
            with suppress(DataError):  # one record, or one that is longer than what was looked at
                records = self.records()[:HEAD_RECORDS]
        return [as_dict(record) for record in records if isinstance(record, dict)]

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns of text or Parquet; [] if it is neither."""
        if self.form is Form.PARQUET:
            return [*self.head[0]] if self.head else []
        return self._head_rows[0] if self._head_rows else []

    @cached_property
    def _head_rows(self) -> list[list[str]]:
        """First rows of columns of text, header included."""
        if self.form is not Form.COLUMNS:
            return []
        text = _SEP.sub("", self.head_text)
        delimiter = max(DELIMITERS, key=text.lstrip().partition("\n")[0].count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        # The head may end within a field that is too long; the rows before it are whole.
        with suppress(csv.Error):
            return [*islice((row for row in rows if "".join(row).strip()), 3)]
        return []

    @cached_property
    def fields(self) -> list[str]:
        """Names of the columns, or of the fields of the first records of JSON."""
        return self.columns or list(dict.fromkeys(name for record in self.head for name in record))

    @cached_property
    def names(self) -> list[str]:
        """Names by which a tool is known: the form, columns or fields, and files in an archive.

        And `field.inner` for fields of the records in a field; and records in the third row of a
        table, with which Qualtrics says where columns are from.
        """
        third = [cell.strip() for row in self._head_rows[2:] for cell in row]
        records = [cell for cell in third if cell.startswith("{")]
        inner = [
            f"{name}.{key}"
            for record in self.head
            for name, value in record.items()
            for part in as_list(value)[:HEAD_RECORDS] or [value]
            for key in as_dict(part)
        ]
        return [self.form.name, *self.fields, *dict.fromkeys(inner), *self.members, *records]

    def has(self, marks: Marks) -> bool:
        """Whether there are all names of one of several sets."""
        own = set(self.names)
        return any(all(mark in own or self._fits(mark) for mark in names) for names in marks)

    def _fits(self, mark: str) -> bool:
        return "*" in mark and bool(fnmatch.filter(self.names, mark))

    # All of it

    def _whole(self) -> File:
        """Return the file to read all of it."""
        if self.file is None or self.file.path.stat().st_size > LIMIT:
            raise DataError(
                f"{self.name}: more than {LIMIT >> 30} GB, unpacked. Split it, or export a table "
                "of item, rater and label."
            )
        return self.file

    @cached_property
    def object(self) -> dict[str, Any]:
        """The JSON object; an empty one if the file is something else."""
        if self.form is not Form.OBJECT:
            return {}
        file = self._whole()
        return as_dict(parsed_json("".join(file.lines()), file, 1, json.loads))

    def records(self, inside: str | None = None) -> list[dict[str, Any]]:
        """Return all records: of an array, of lines, of columns or of Parquet.

        `inside` is the field of an object that lists them, where the file is one with that field.
        """
        if self.form is Form.OBJECT:
            listed = self.object.get(inside or "")
            return as_dicts(listed) if isinstance(listed, list) else self._object_records
        if self.form is Form.PARQUET:
            return parquet_records(self.path)
        if self.form is Form.COLUMNS:
            check_names(self.table)
            names, rows = self.table.names, zip(*self._cells(), strict=True)
            return [dict(zip(names, row, strict=True)) for row in rows]
        records = [*entries(self._whole(), json.loads)]
        wrong = next((n for n, record in records if not isinstance(record, dict)), None)
        if wrong is not None:
            raise DataError(f"{self.name}, record {wrong}: expected a JSON object.")
        return [as_dict(record) for _, record in records]

    @property
    def _object_records(self) -> list[dict[str, Any]]:
        """Records of a JSON object: its rows, if it is of columns, or else itself."""
        columns = self.object
        if {"columns", "data"} <= {*columns}:  # as pandas writes a table with orient="split"
            return rows_in(columns) or [columns]
        lengths = {len(as_list(cells)) for cells in columns.values()}
        if len(columns) < 2 or len(lengths) != 1 or lengths == {0}:
            return [columns] if columns else []
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    @cached_property
    def table(self) -> Table:
        """Columns of text, as those of any other file."""
        return Csv().open(self._whole(), ignore=())

    def _cells(self) -> list[list[str]]:
        return [cells_of(self.table, column) for column in range(len(self.table.names))]

    def rows(self) -> list[list[str]]:
        """Return all rows of columns of text, header included, blank ones left out."""
        return [self.table.names, *map(list, zip(*self._cells(), strict=True))]

    # Archives and folders

    @cached_property
    def _zip(self) -> zipfile.ZipFile | None:
        try:
            return zipfile.ZipFile(self.path)
        except _DAMAGED:
            return None

    @cached_property
    def members(self) -> list[str]:
        """Names of the files in an archive or a folder; [] if it is neither, or holds too many."""
        names: list[str] = []
        if self.path.is_dir():
            paths = sorted([*self.path.glob("*"), *self.path.glob("*/*")])
            files = [path for path in paths if path.is_file() and not path.name.startswith(".")]
            names = [path.relative_to(self.path).as_posix() for path in files]
        elif self.form is Form.ARCHIVE and self._zip is not None:
            named = [name for name in self._zip.namelist() if name and not name.endswith("/")]
            names = [name for name in dict.fromkeys(named) if not name.startswith(_SKIPPED)]
        return names if len(names) <= MOST_FILES else []

    @property
    def unpacked_size(self) -> int:
        """Bytes of all files of an archive, unpacked; 0 for a folder."""
        return sum(info.file_size for info in self._zip.infolist()) if self._zip else 0

    def member(self, name: str) -> Document:
        """Return a file of an archive or a folder; of several of one name, the last."""
        if self._zip is None:
            return Document(self.path / name, self._wanted)
        info, folder = self._zip.getinfo(name), Scratch()
        if info.file_size > LIMIT:
            raise DataError(f"{self.name}, {name}: more than {LIMIT >> 30} GB, unpacked.")
        try:
            with folder.filling():
                path = extracted(self._zip, info, folder.path)
        except _DAMAGED:
            raise DataError(f"{self.name}: '{name}' cannot be unpacked. Export it again.") from None
        return Document(path, self._wanted, folder)
