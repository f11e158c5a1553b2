"""What files of exports are made of: bytes, text in columns, JSON, Parquet and archives."""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import json
import math
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from headcount.errors import DataError, option
from headcount.io.reading import LETTERS_OF_UTF8

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "BETWEEN",
    "as_dict",
    "as_list",
    "text_of",
    "joined",
    "LIMIT",
    "Stored",
    "decoded",
    "delimiter_of",
    "rows_of",
    "parsed",
    "is_object",
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


# The bytes of a file: as they are stored, unpacked, and as text.

LIMIT = 1 << 30
"""Bytes of a file, unpacked, above which it is not taken for an export."""
HEAD_BYTES = 1 << 20
"""Bytes at the start of a file by which it is recognised."""


class Stored:
    """A file, a member of an archive, or a folder, which has no bytes.

    Parameters
    ----------
    path : Path
    data : bytes, optional
        The content, if it is a member of an archive.
    """

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        self.path = path
        self._data = data

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.path.name

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self._data is None and self.path.is_dir()

    @cached_property
    def size(self) -> int | None:
        """Bytes as they are stored; None for a folder."""
        if self._data is not None:
            return len(self._data)
        return None if self.is_folder else self.path.stat().st_size

    @cached_property
    def sha256(self) -> str | None:
        """Checksum of the bytes as they are stored; None for a folder."""
        if self.is_folder:
            return None
        with self.open() as file:
            return hashlib.file_digest(cast("Any", file), "sha256").hexdigest()

    def open(self) -> io.BufferedIOBase:
        """Open the bytes as they are stored."""
        return io.BytesIO(self._data) if self._data is not None else self.path.open("rb")

    @cached_property
    def head(self) -> bytes:
        """The first megabyte, unpacked; nothing of what is damaged."""
        try:
            with self._unpacked() as file:
                return file.read(HEAD_BYTES)
        except (OSError, EOFError, zlib.error):
            return b""

    def all(self) -> bytes:
        """Return all bytes, unpacked; more than the limit is an error."""
        try:
            with self._unpacked() as file:
                data = file.read(LIMIT + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{self.name} cannot be read: {error}.") from None
        if len(data) > LIMIT:
            raise DataError(
                f"{self.name}: more than {LIMIT >> 30} GB, unpacked. Split it, or export a table "
                "of item, rater and label."
            )
        return data

    @contextmanager
    def _unpacked(self) -> Generator[io.BufferedIOBase]:
        with self.open() as stored:
            magic = stored.read(2)
            stored.seek(0)
            if magic == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=stored) as file:
                    yield file
            else:
                yield stored


def decoded(data: bytes, encoding: str | None, name: str, *, whole: bool) -> tuple[str, str]:
    """Read bytes as text.

    Parameters
    ----------
    data : bytes
    encoding : str or None
        By default UTF-8, UTF-16 if it is marked so, or else Windows' cp1252.
    name : str
        For messages.
    whole : bool
        Whether these are all bytes; the start of a file may end within a letter.

    Returns
    -------
    text, encoding : str
    """
    wanted = encoding
    if encoding is None:
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        errors = "strict" if whole or not wanted else "ignore"
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        return decoder.decode(data, final=whole).lstrip("\ufeff"), encoding
    except LookupError:
        raise DataError(f"{option('encoding')}: '{encoding}' is unknown.") from None
    except UnicodeError as error:
        if not whole:  # what a file is, is told by less than all of it
            return data.decode("cp1252", "replace"), "cp1252"
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        if encoding != "utf-8-sig" or wanted:
            raise DataError(
                f"{name}: byte {at:,} is not {encoding}; name another {option('encoding', ...)}."
            ) from None
        if LETTERS_OF_UTF8.search(data):
            raise DataError(
                f"{name}: byte {at:,} is not UTF-8, in a file that has letters in UTF-8. Export "
                f"the file again, or name its encoding with {option('encoding', 'cp1252')} or "
                "another."
            ) from None
        return decoded(data, "cp1252", name, whole=True)


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


def is_object(line: str) -> bool:
    """Whether a line is a JSON object."""
    return isinstance(parsed(line), dict)


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
    place = text.find("[") + 1
    while len(elements) < MOST_ELEMENTS:
        while place < len(text) and text[place] in " \t\r\n,":
            place += 1
        try:
            element, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        elements.append(element)
    return elements


# Parquet, read by a database that can reach one file only.

_GLOB = frozenset("*?[]{}")
_ROWS_AT_ONCE = 10_000


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
        while rows := found.fetchmany(_ROWS_AT_ONCE):
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


# Files in a zip archive or in a folder.

MOST_MEMBERS = 100_000
MOST_FILES = 10_000
_ZSTD = 93
_SKIPPED = ("__MACOSX/",)


class Archive:
    """An archive or a folder: the names of its files, and their bytes."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    @cached_property
    def names(self) -> list[str]:
        """Names of the files; [] if there are too many."""
        if not self._stored.is_folder:
            return list(self._infos) if len(self._infos) <= MOST_MEMBERS else []
        folder, found = self._stored.path, list[str]()
        for place in sorted([*folder.glob("*"), *folder.glob("*/*")]):
            if place.is_file() and not place.name.startswith("."):
                found.append(place.relative_to(folder).as_posix())
            if len(found) > MOST_FILES:
                return []
        return found

    @cached_property
    def unpacked_size(self) -> int:
        """Bytes of all files, unpacked; 0 for a folder."""
        return sum(info.file_size for info in self._infos.values())

    @cached_property
    def unpacks_slowly(self) -> bool:
        """Whether files are packed in a way that Python unpacks from 3.14 on only."""
        return any(info.compress_type == _ZSTD for info in self._infos.values())

    def member(self, name: str) -> tuple[Path, bytes | None]:
        """Return where a file is, and its bytes if it is in an archive."""
        stored = self._stored
        if stored.is_folder:
            return stored.path / name, None
        info = self._infos[name]
        if info.file_size > LIMIT:
            raise DataError(f"{stored.name}, {name}: more than {LIMIT >> 30} GB, unpacked.")
        data = self._unpacked(info)
        if data is None:
            raise DataError(f"{stored.name}: '{name}' cannot be unpacked. Export it again.")
        return Path(name), data

    @cached_property
    def _infos(self) -> dict[str, zipfile.ZipInfo]:
        """Files in an archive by name; of several of one name, the last."""
        if self._stored.is_folder:
            return {}
        try:
            with self._stored.open() as file, zipfile.ZipFile(file) as archive:
                infos = archive.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return {}
        files = (i for i in infos if i.filename and not i.is_dir())  # a damaged one has no name
        return {i.filename: i for i in files if not i.filename.startswith(_SKIPPED)}

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes | None:
        """Unpack a file of an archive; None if it is damaged, locked or packed in another way."""
        if info.flag_bits & 1 or info.header_offset < 0:
            return None
        with self._stored.open() as file:
            file.seek(info.header_offset)
            header = file.read(30)
            file.seek(sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28)), 1)
            packed = file.read(min(info.compress_size, LIMIT))
        if info.compress_type == _ZSTD:
            return _of_zstd(packed)
        try:
            inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            data = packed if info.compress_type == 0 else inflate.decompress(packed, LIMIT)
        except zlib.error:
            return None
        whole = info.compress_type in (0, zipfile.ZIP_DEFLATED) and zlib.crc32(data) == info.CRC
        return data if whole else None


def _of_zstd(packed: bytes) -> bytes:
    """Unpack what Python itself can from 3.14 on only; DuckDB can."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "member"
        place.write_bytes(packed)
        with guarded(place) as (query, name):
            found = query(
                "SELECT json FROM read_json_objects(?, compression='zstd', "
                f"format='unstructured', maximum_object_size={LIMIT})",
                [name],
            ).fetchall()
    return "\n".join(str(text) for (text,) in found).encode()
