"""What files of exports are made of: cells, text in columns, JSON, Parquet and archives."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import math
import re
import tempfile
import zipfile
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from headcount.errors import DataError
from headcount.io.formats.database import column_types, connect, file_name, metadata_of, seal_to

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "BETWEEN",
    "as_dict",
    "as_dicts",
    "as_list",
    "text_of",
    "joined",
    "HEAD_BYTES",
    "LIMIT",
    "first_bytes",
    "first_text",
    "delimiter_of",
    "rows_of",
    "parsed",
    "json_lines",
    "first_elements",
    "parquet_types",
    "parquet_metadata",
    "parquet_records",
    "Archive",
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


def parquet_metadata(path: Path) -> dict[str, bytes]:
    """Key-value metadata."""
    with _database(path) as connection:
        return metadata_of(connection, path)


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

    @property
    def unpacks_slowly(self) -> bool:
        """Whether files are packed in a way that Python unpacks from 3.14 on only."""
        return any(info.compress_type == _ZSTD for info in self._infos.values())

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
