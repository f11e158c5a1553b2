"""A file as readers of exports see it: cells, text in columns, JSON, Parquet, archives."""

from __future__ import annotations

import codecs
import csv
import fnmatch
import gzip
import io
import json
import math
import re
import tempfile
import zipfile
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from headcount.errors import DataError, option, some
from headcount.io.formats.database import (
    column_types,
    connect,
    file_name,
    is_nested,
    seal_to,
)
from headcount.io.formats.json import rows_in
from headcount.io.reading import File

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "BETWEEN",
    "as_dict",
    "as_dicts",
    "as_list",
    "text_of",
    "joined",
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


# The start of a file, by which it is recognised.

LIMIT = 1 << 30
"""Bytes of a file, unpacked, above which it is not read as an export."""
HEAD_BYTES = 1 << 20
_GZIP = b"\x1f\x8b"
_SQLITE = b"SQLite format 3\0"


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


# Text in columns: its delimiter, and its rows.

LONGEST_FIELD = 1 << 24
"""Letters of a field."""


def delimiter_of(text: str) -> str:
    r"""Find what stands between columns: what gives most of them in the first row.

    Examples
    --------
    >>> delimiter_of("sep=;\na;b,c;d\n"), delimiter_of("a,b\n")
    (';', ',')
    """

    def columns(delimiter: str) -> int:
        try:
            lines = io.StringIO(_without_sep(text), newline="")
            return len(next(csv.reader(lines, delimiter=delimiter), list[str]()))
        except csv.Error:
            return 0

    return max(",\t;|", key=columns)


def rows_of(text: str, delimiter: str) -> Iterator[list[str]]:
    """Split text into rows, blank ones left out; csv.Error for what cannot be split."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        lines = io.StringIO(_without_sep(text), newline="")
        for row in csv.reader(lines, delimiter=delimiter):
            if any(cell.strip() for cell in row):
                yield row
    finally:
        csv.field_size_limit(before)


def _without_sep(text: str) -> str:
    """Leave out a first line that names the delimiter for Excel; which one it is, others show."""
    first, _, rest = text.partition("\n")
    return rest if re.fullmatch(r'"?sep=[,;|\t]"?[,;|]*\r?', first, re.IGNORECASE) else text


# JSON in text: whole, by line, or as much of an array as the text holds.

MOST_ELEMENTS = 20
"""Elements of an array that are looked at."""


def parsed(text: str) -> Any:
    """Return what the text is; None if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def json_lines(text: str, name: str) -> Iterator[Any]:
    """Parse each line that is not blank; an error names the row."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(
                    f"{name}, row {number}: the JSON cannot be read: {error}."
                ) from None


def first_elements(text: str) -> list[Any]:
    """Elements at the start of a JSON array, as many as the text holds whole, up to 20."""
    decoder, elements = json.JSONDecoder(), list[Any]()
    index = text.find("[") + 1
    while len(elements) < MOST_ELEMENTS:
        while index < len(text) and text[index] in " \t\r\n,":
            index += 1
        try:
            element, index = decoder.raw_decode(text, index)
        except (ValueError, RecursionError):
            break
        elements.append(element)
    return elements


# Parquet, read by a database that can reach one file only.

_ROWS_AT_ONCE = 10_000


def parquet_types(path: Path) -> dict[str, str]:
    """Columns and DuckDB's types; {} if the file is damaged."""
    try:
        with _database(path) as connection:
            return column_types(connection, f"read_parquet({file_name(path)})")
    except DataError:
        return {}


def parquet_records(path: Path, most: int | None = None) -> Iterator[dict[str, Any]]:
    """Rows by column; the first of them, if there are more than `most`."""
    limit = "" if most is None else f" LIMIT {most}"
    with _database(path) as connection:
        result = connection.execute(f"FROM read_parquet({file_name(path)}){limit}")
        names = [str(column[0]) for column in result.description]
        while rows := result.fetchmany(_ROWS_AT_ONCE):
            for row in rows:
                yield dict(zip(names, row, strict=True))


@contextmanager
def _database(path: Path) -> Generator[DuckDBPyConnection]:
    """Open a database that can read one file only; its errors are ours."""
    import duckdb

    with connect() as connection:
        seal_to(connection, [path])
        try:
            yield connection
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            first = str(error).strip().split("\n")[0]
            raise DataError(f"{path.name} cannot be read: {first}") from None


# Files in a zip archive or in a folder.

MOST_MEMBERS = 100_000
MOST_FILES = 10_000
_ZSTD = 93
_SKIPPED = "__MACOSX/"
_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError)
"""What reading a damaged, locked or unusual archive raises."""


class Archive:
    """An archive or a folder: the names of its files, and their bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_folder = path.is_dir()

    @cached_property
    def names(self) -> list[str]:
        """Names of the files; [] if there are too many."""
        if not self.is_folder:
            return list(self._infos) if len(self._infos) <= MOST_MEMBERS else []
        files = [
            path.relative_to(self.path).as_posix()
            for path in sorted([*self.path.glob("*"), *self.path.glob("*/*")])
            if path.is_file() and not path.name.startswith(".")
        ]
        return files if len(files) <= MOST_FILES else []

    @property
    def unpacked_size(self) -> int:
        """Bytes of all files, unpacked; 0 for a folder."""
        return sum(info.file_size for info in self._infos.values())

    def unpacked(self, name: str) -> bytes:
        """Return the bytes of a file of an archive."""
        info = self._infos[name]
        if info.file_size > LIMIT:
            raise DataError(f"{self.path.name}, {name}: more than {LIMIT >> 30} GB, unpacked.")
        try:
            if info.compress_type == _ZSTD:
                return self._of_zstd(info)
            return self._zip.read(info)
        except _DAMAGED:
            raise DataError(
                f"{self.path.name}: '{name}' cannot be unpacked. Export it again."
            ) from None

    @cached_property
    def _zip(self) -> zipfile.ZipFile:
        return zipfile.ZipFile(self.path)

    @cached_property
    def _infos(self) -> dict[str, zipfile.ZipInfo]:
        """Files in an archive by name; of several of one name, the last."""
        try:
            infos = self._zip.infolist()
        except _DAMAGED:
            return {}
        files = (info for info in infos if info.filename and not info.is_dir())
        return {info.filename: info for info in files if not info.filename.startswith(_SKIPPED)}

    def _of_zstd(self, info: zipfile.ZipInfo) -> bytes:
        """Unpack JSON that Python itself can unpack from 3.14 on only; DuckDB can."""
        with self.path.open("rb") as file:
            file.seek(info.header_offset)
            header = file.read(30)
            file.seek(sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28)), 1)
            packed = file.read(info.compress_size)
        with tempfile.TemporaryDirectory() as folder:
            member = Path(folder) / "member"
            member.write_bytes(packed)
            with _database(member) as connection:
                texts = connection.execute(
                    f"SELECT json FROM read_json_objects({file_name(member)}, compression='zstd', "
                    f"format='unstructured', maximum_object_size={LIMIT})"
                ).fetchall()
        return "\n".join(str(text) for (text,) in texts).encode()


# A file as readers of exports see it: what kind it is, its first records, and all of them.

HEAD_LINES, HEAD_RECORDS, HEAD_ROWS = 50, 20, 4
"""What of a file is looked at to recognise it."""


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

    What is cheap is read first: the first megabyte, the names in an archive, the columns of
    Parquet. The rest is read when a tool that recognised it asks.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        Of text; by default it is recognised as that of any other file.
    data : bytes, optional
        The content, if it is a member of an archive.
    """

    def __init__(self, path: Path, encoding: str | None = None, data: bytes | None = None) -> None:
        self.path = path
        self.name = path.name
        self._wanted = encoding
        self._data = data

    @property
    def stem(self) -> str:
        """Name without its ending, and that of gzip."""
        return Path(self.name.removesuffix(".gz")).stem

    @cached_property
    def file(self) -> File | None:
        """The file, gone through and unpacked; None for a folder or a member of an archive."""
        whole = self._data is None and not self.path.is_dir()
        return File.at(self.path, encoding=self._wanted) if whole else None

    @property
    def encoding(self) -> str | None:
        """Encoding of text; None for other forms."""
        is_text = self.form not in (Form.ARCHIVE, Form.PARQUET, Form.SQLITE, Form.EMPTY)
        return self.file.text.said if is_text and self.file is not None else None

    @cached_property
    def form(self) -> Form:
        """Kind of file."""
        head = self._head_bytes
        if head[:4] == b"PAR1":
            return Form.PARQUET
        if head.startswith(_SQLITE):
            return Form.SQLITE
        if (self._data is None and self.archive.is_folder) or head[:4] == b"PK\x03\x04":
            return Form.ARCHIVE
        text = self.head_text.lstrip()
        if text.startswith("["):
            return Form.ARRAY
        if text.startswith("{"):
            first, _, rest = text.partition("\n")
            is_line = rest.strip() and isinstance(parsed(first), dict)
            return Form.LINES if is_line else Form.OBJECT
        return Form.COLUMNS if text else Form.EMPTY

    # Text

    @cached_property
    def _head_bytes(self) -> bytes:
        return first_bytes(self.path) if self._data is None else self._data[:HEAD_BYTES]

    @cached_property
    def head_text(self) -> str:
        """Return the first megabyte as text."""
        return first_text(self._head_bytes, self._wanted)

    def text(self) -> str:
        """Return all of the file as text."""
        file = self.file
        if file is None:
            try:
                return (self._data or b"").decode(self._wanted or "utf-8-sig")
            except UnicodeError:
                raise DataError(
                    f"{self.name} is not UTF-8; name another {option('encoding', ...)}."
                ) from None
        if file.path.stat().st_size > LIMIT:
            raise DataError(
                f"{self.name}: more than {LIMIT >> 30} GB, unpacked. Split it, or export a table "
                "of item, rater and label."
            )
        return "".join(file.lines()).lstrip("\ufeff")

    # Records: of JSON, of lines, of columns or of Parquet

    @cached_property
    def json(self) -> Any:
        """The JSON document; None if it is none."""
        if self.form not in (Form.ARRAY, Form.OBJECT):
            return None
        try:
            return json.loads(self.text())
        except (ValueError, RecursionError) as error:
            raise DataError(f"{self.name}: the JSON cannot be read: {error}.") from None

    @cached_property
    def object(self) -> dict[str, Any]:
        """The JSON object; an empty one if the file is something else or no JSON."""
        try:
            return as_dict(self.json) if self.form is Form.OBJECT else {}
        except DataError:
            return {}

    @cached_property
    def head(self) -> list[dict[str, Any]]:
        """First records of JSON, or of Parquet with lists, to know a tool by; [] of others."""
        records: list[Any] = []
        if self.form is Form.LINES:
            lines = self.head_text.split("\n")[:HEAD_LINES]
            records = [parsed(line) for line in lines if line.strip()]
        elif self.form is Form.ARRAY:
            records = first_elements(self.head_text)
            if not records:  # the first is longer than what was looked at
                with suppress(DataError):
                    records = as_list(self.json)[:HEAD_RECORDS]
        elif self.form is Form.OBJECT:
            records = [*self._object_records[:HEAD_RECORDS]]
        elif self.form is Form.PARQUET and any(map(is_nested, self.types.values())):
            records = list(parquet_records(self.path, HEAD_RECORDS))
        return [as_dict(record) for record in records if isinstance(record, dict)]

    def records(self, inside: str | None = None) -> list[dict[str, Any]]:
        """Return all records: of an array, of lines, of columns or of Parquet.

        `inside` is the field of an object that lists them, where the file is one with that field.
        """
        if inside is not None and isinstance(self.object.get(inside), list):
            return as_dicts(self.object[inside])
        if self.form is Form.PARQUET:
            return list(parquet_records(self.path))
        if self.form is Form.COLUMNS:
            return list(self._text_records())
        if self.form is Form.ARRAY:
            records = as_list(self.json)
        elif self.form is Form.LINES:
            records = list(json_lines(self.text(), self.name))
        else:
            return self._object_records
        wrong = next((i for i, record in enumerate(records) if not isinstance(record, dict)), None)
        if wrong is not None:
            raise DataError(f"{self.name}, record {wrong + 1}: expected a JSON object.")
        return [as_dict(record) for record in records]

    @cached_property
    def _object_records(self) -> list[dict[str, Any]]:
        """Records of a JSON object: its rows, if it is of columns, or else itself."""
        columns = self.object
        if {"columns", "data"} <= {*columns}:  # as pandas writes a table with orient="split"
            return rows_in(columns) or [columns]
        lengths = {len(as_list(cells)) for cells in columns.values()}
        if len(columns) < 2 or len(lengths) != 1 or lengths == {0}:
            return [columns] if columns else []
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _text_records(self) -> Iterator[dict[str, Any]]:
        names, *rows = self.rows()
        doubled = sorted({name for name in names if name and names.count(name) > 1})
        if doubled:
            raise DataError(f"{self.name}: several columns are called {some(doubled)}.")
        for number, row in enumerate(rows, 2):
            if len(row) > len(names):
                raise DataError(
                    f"{self.name}, record {number}: {len(row)} cells where the header has "
                    f"{len(names)}. Export the file again."
                )
            yield dict(zip(names, row + [""] * (len(names) - len(row)), strict=True))

    # Columns of text or of Parquet

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns of text or Parquet; [] if it is neither."""
        if self.form is Form.PARQUET:
            return list(self.types)
        return self.head_rows[0] if self.head_rows else []

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
        third = [cell.strip() for row in self.head_rows[2:3] for cell in row]
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

    @cached_property
    def head_rows(self) -> list[list[str]]:
        """Return the first rows of columns of text, header included."""
        rows: list[list[str]] = []
        if self.form is Form.COLUMNS:
            # The head may end within a field that is too long; the rows before it are whole.
            with suppress(csv.Error):
                rows.extend(islice(rows_of(self.head_text, self._delimiter), HEAD_ROWS))
        return rows

    def rows(self) -> list[list[str]]:
        """Return all rows of columns of text, header included, blank ones left out."""
        try:
            return list(rows_of(self.text(), self._delimiter))
        except csv.Error as error:
            raise DataError(f"{self.name} cannot be read as columns: {error}.") from None

    @cached_property
    def _delimiter(self) -> str:
        return delimiter_of(self.head_text)

    @cached_property
    def types(self) -> dict[str, str]:
        """Columns of Parquet and DuckDB's types; {} if it is none."""
        return parquet_types(self.path) if self.form is Form.PARQUET else {}

    # Archives and folders

    @cached_property
    def archive(self) -> Archive:
        """The files in an archive or a folder."""
        return Archive(self.path)

    @property
    def members(self) -> list[str]:
        """Names of the files in an archive or a folder; [] if it is neither."""
        return self.archive.names if self.form is Form.ARCHIVE and self._data is None else []

    def member(self, name: str) -> Document:
        """Return a file of an archive or a folder; of several of one name, the last."""
        if self.archive.is_folder:
            return Document(self.path / name, self._wanted)
        return Document(Path(name), self._wanted, self.archive.unpacked(name))
