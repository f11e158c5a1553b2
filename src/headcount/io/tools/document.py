"""A file as readers of exports see it: what kind it is, its first records, and all of them."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import tempfile
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from headcount.errors import DataError, option, some
from headcount.io.tools.values import as_dict, as_list

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["LIMIT", "Document", "Form"]

LIMIT = 1 << 30
"""Bytes of a file, unpacked, above which it is not taken for an export."""
HEAD = 1 << 20
"""Bytes at the start of a file by which it is recognised."""
MOST_MEMBERS = 100_000
MOST_FILES = 10_000
FIELD = 1 << 24
_ZSTD = 93
_GLOB = frozenset("*?[]{}")


class Form(Enum):
    """Kinds of files that exports come in."""

    ARRAY = auto()
    OBJECT = auto()
    LINES = auto()
    COLUMNS = auto()
    ARCHIVE = auto()
    PARQUET = auto()
    EMPTY = auto()


class Document:
    """A file, or a folder of files.

    What is cheap is read first: the first megabyte, the names in an archive, the columns of
    Parquet. The rest is read when a tool that recognised it asks.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        Of text; by default UTF-8, UTF-16 if it is marked so, or else Windows' cp1252.
    data : bytes, optional
        The content, if it is a member of an archive.
    """

    def __init__(self, path: Path, encoding: str | None = None, data: bytes | None = None) -> None:
        self.path = path
        self.encoding: str | None = encoding
        self._data = data

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.path.name

    @property
    def stem(self) -> str:
        """Name without its ending, and that of gzip."""
        return Path(self.path.name.removesuffix(".gz")).stem

    @cached_property
    def size(self) -> int | None:
        """Bytes of the file as it is stored."""
        if self._data is not None:
            return len(self._data)
        return None if self.path.is_dir() else self.path.stat().st_size

    @cached_property
    def sha256(self) -> str | None:
        """Checksum of the bytes of the file as it is stored."""
        if self.path.is_dir():
            return None
        with self._stored() as file:
            return hashlib.file_digest(cast("Any", file), "sha256").hexdigest()

    @cached_property
    def form(self) -> Form:
        """Kind of file."""
        if self._data is None and self.path.is_dir():
            return Form.ARCHIVE
        head = self._head_bytes
        if head[:4] == b"PAR1":
            return Form.PARQUET
        if head[:4] == b"PK\x03\x04":
            return Form.ARCHIVE
        text = self.head_text.lstrip()
        if text.startswith("["):
            return Form.ARRAY
        if text.startswith("{"):
            first, _, rest = text.partition("\n")
            return Form.LINES if rest.strip() and _parses(first) else Form.OBJECT
        return Form.COLUMNS if text else Form.EMPTY

    # Text

    @cached_property
    def head_text(self) -> str:
        """Return the first megabyte as text."""
        return self._decoded(self._head_bytes, whole=False)

    def text(self) -> str:
        """Return all of the file as text."""
        return self._decoded(self.bytes(), whole=True)

    def bytes(self) -> bytes:
        """Return all of the file, unpacked; a file above the limit is an error."""
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

    # JSON

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
        if self.form is not Form.OBJECT:
            return {}
        try:
            return as_dict(self.json)
        except DataError:
            return {}

    @cached_property
    def head(self) -> list[dict[str, Any]]:
        """Return the first records of JSON, to recognise a tool by; [] if they are no objects."""
        if self.form is Form.LINES:
            lines = [line for line in self.head_text.split("\n")[:50] if line.strip()]
            records = [_parsed(line) for line in lines]
        elif self.form is Form.ARRAY:
            records = _first_elements(self.head_text)
            if not records:  # the first is longer than what was looked at
                try:
                    records = as_list(self.json)[:20]
                except DataError:
                    records = []
        elif self.form is Form.OBJECT:
            records = [self.object] if self.object else []
        else:
            records = []
        return [as_dict(record) for record in records if isinstance(record, dict)]

    def records(self) -> list[dict[str, Any]]:
        """Return all records: of an array, of lines, of columns or of Parquet."""
        if self.form is Form.PARQUET:
            return list(self._parquet_records())
        if self.form is Form.COLUMNS:
            return list(self._text_records())
        if self.form is Form.ARRAY:
            records = as_list(self.json)
        elif self.form is Form.LINES:
            records = list(self._lines())
        else:
            records = [cast("Any", self.object)]
        wrong = next((i for i, record in enumerate(records) if not isinstance(record, dict)), None)
        if wrong is not None:
            raise DataError(f"{self.name}, record {wrong + 1}: expected a JSON object.")
        return [as_dict(record) for record in records]

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

    def _lines(self) -> Iterator[Any]:
        for number, line in enumerate(self.text().split("\n"), 1):
            if line.strip():
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise DataError(
                        f"{self.name}, row {number}: the JSON cannot be read: {error}."
                    ) from None

    # Columns of text

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns of text or Parquet; [] if it is neither."""
        if self.form is Form.PARQUET:
            return list(self.types)
        return self.head_rows[0] if self.head_rows else []

    @cached_property
    def head_rows(self) -> list[list[str]]:
        """Return the first rows of columns of text, header included."""
        if self.form is not Form.COLUMNS:
            return []
        rows: list[list[str]] = []
        # The head may end within a field that is too long; the rows before it are whole.
        with suppress(csv.Error):
            rows.extend(islice(self._split(self.head_text), 4))
        return rows

    def rows(self) -> list[list[str]]:
        """Return all rows of columns of text, header included, blank ones left out."""
        try:
            return list(self._split(self.text()))
        except csv.Error as error:
            raise DataError(f"{self.name} cannot be read as columns: {error}.") from None

    @cached_property
    def _delimiter(self) -> str:
        def columns(delimiter: str) -> int:
            try:
                lines = io.StringIO(_without_sep(self.head_text), newline="")
                return len(next(csv.reader(lines, delimiter=delimiter), list[str]()))
            except csv.Error:
                return 0

        return max(",\t;|", key=columns)

    def _split(self, text: str) -> Iterator[list[str]]:
        before = csv.field_size_limit(FIELD)
        try:
            lines = io.StringIO(_without_sep(text), newline="")
            for row in csv.reader(lines, delimiter=self._delimiter):
                if any(cell.strip() for cell in row):
                    yield row
        finally:
            csv.field_size_limit(before)

    # Parquet

    @cached_property
    def types(self) -> dict[str, str]:
        """Columns of Parquet and DuckDB's types; {} if it is none."""
        if self.form is not Form.PARQUET:
            return {}
        try:
            with _Database(self.path) as (connection, place):
                found = connection.execute("DESCRIBE FROM read_parquet(?)", [place]).fetchall()
        except DataError:
            return {}
        return {str(row[0]): str(row[1]) for row in found}

    @cached_property
    def parquet_metadata(self) -> dict[str, str]:
        """Key-value metadata of Parquet."""
        with _Database(self.path) as (connection, place):
            found = connection.execute(
                "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [place]
            ).fetchall()
        return {str(key): str(value) for key, value in found}

    def _parquet_records(self) -> Iterator[dict[str, Any]]:
        with _Database(self.path) as (connection, place):
            found = connection.execute("FROM read_parquet(?)", [place])
            while rows := found.fetchmany(10_000):
                for row in rows:
                    yield dict(zip(self.types, row, strict=True))

    # Archives and folders

    @cached_property
    def members(self) -> list[str]:
        """Names of the files in an archive or a folder; [] if it is neither."""
        if self.form is not Form.ARCHIVE:
            return []
        if self._data is None and self.path.is_dir():
            found: list[str] = []
            for place in sorted([*self.path.glob("*"), *self.path.glob("*/*")]):
                if place.is_file() and not place.name.startswith("."):
                    found.append(place.relative_to(self.path).as_posix())
                if len(found) > MOST_FILES:
                    return []
            return found
        return list(self._infos) if len(self._infos) <= MOST_MEMBERS else []

    @cached_property
    def unpacked_size(self) -> int:
        """Bytes of all files of an archive, unpacked."""
        return sum(info.file_size for info in self._infos.values())

    def member(self, name: str) -> Document:
        """Return a file of an archive or a folder; of several of one name, the last."""
        if self._data is None and self.path.is_dir():
            return Document(self.path / name, self.encoding)
        info = self._infos[name]
        if info.file_size > LIMIT:
            raise DataError(f"{self.name}, {name}: more than {LIMIT >> 30} GB, unpacked.")
        data = self._unpacked_member(info)
        if data is None:
            raise DataError(f"{self.name}: '{name}' cannot be unpacked. Export it again.")
        return Document(Path(name), self.encoding, data)

    @cached_property
    def _infos(self) -> dict[str, zipfile.ZipInfo]:
        """Files in an archive by name; of several of one name, the last."""
        try:
            with self._stored() as file, zipfile.ZipFile(file) as archive:
                infos = archive.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return {}
        skipped = ("__MACOSX/",)
        return {i.filename: i for i in infos if not (i.is_dir() or i.filename.startswith(skipped))}

    def _unpacked_member(self, info: zipfile.ZipInfo) -> bytes | None:
        """Unpack a file of an archive; None if it is damaged, locked or packed in another way."""
        if info.flag_bits & 1 or info.header_offset < 0:
            return None
        with self._stored() as file:
            file.seek(info.header_offset)
            header = file.read(30)
            file.seek(sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28)), 1)
            packed = file.read(min(info.compress_size, LIMIT))
        if info.compress_type == _ZSTD:
            return self._zstd(packed)
        try:
            inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            data = packed if info.compress_type == 0 else inflate.decompress(packed, LIMIT)
        except zlib.error:
            return None
        whole = info.compress_type in (0, zipfile.ZIP_DEFLATED) and zlib.crc32(data) == info.CRC
        return data if whole else None

    def _zstd(self, packed: bytes) -> bytes:
        """Unpack what Python itself can from 3.14 on only; DuckDB can."""
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "member"
            place.write_bytes(packed)
            with _Database(place) as (connection, name):
                found = connection.execute(
                    "SELECT json FROM read_json_objects(?, compression='zstd', "
                    f"format='unstructured', maximum_object_size={LIMIT})",
                    [name],
                ).fetchall()
        return "\n".join(str(text) for (text,) in found).encode()

    # Bytes

    def _stored(self) -> io.BufferedIOBase:
        return io.BytesIO(self._data) if self._data is not None else self.path.open("rb")

    @contextmanager
    def _unpacked(self) -> Generator[io.BufferedIOBase]:
        with self._stored() as stored:
            magic = stored.read(2)
            stored.seek(0)
            if magic == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=stored) as file:
                    yield file
            else:
                yield stored

    @cached_property
    def _head_bytes(self) -> bytes:
        try:
            with self._unpacked() as file:
                return file.read(HEAD)
        except (OSError, EOFError, zlib.error):
            return b""

    def _decoded(self, data: bytes, *, whole: bool) -> str:
        if self.encoding is None:
            self.encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        try:
            return data.decode(self.encoding, "strict" if whole else "ignore").lstrip("\ufeff")
        except LookupError:
            raise DataError(f"{option('encoding')}: '{self.encoding}' is unknown.") from None
        except UnicodeDecodeError as error:
            if self.encoding != "utf-8-sig":
                raise DataError(
                    f"{self.name}: byte {error.start:,} is not {self.encoding}; name another "
                    f"{option('encoding', ...)}."
                ) from None
            self.encoding = "cp1252"
            return data.decode("cp1252", "replace")


class _Database:
    """A connection that can read one file only, and the name to give it."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> tuple[_Guarded, str]:
        import duckdb

        place = self._path
        if _GLOB & set(str(place)):  # a name is never a pattern
            self._folder = tempfile.TemporaryDirectory()
            place = Path(self._folder.name) / "file"
            place.symlink_to(self._path)
        self._connection = duckdb.connect(":memory:")
        self._connection.execute("SET enable_progress_bar = false")
        name = str(place).replace("'", "''")
        self._connection.execute(f"SET allowed_paths = ['{name}']")
        self._connection.execute("SET enable_external_access = false")
        return _Guarded(self._connection, self._path.name), str(place)

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        if self._folder is not None:
            self._folder.cleanup()


class _Guarded:
    """A connection whose errors are ours."""

    def __init__(self, connection: DuckDBPyConnection, name: str) -> None:
        self._connection, self._name = connection, name

    def execute(self, query: str, parameters: list[str]) -> DuckDBPyConnection:
        import duckdb

        try:
            return self._connection.execute(query, parameters)
        except duckdb.Error as error:
            first = str(error).strip().split("\n")[0]
            raise DataError(f"{self._name} cannot be read: {first}") from None


def _without_sep(text: str) -> str:
    """Leave out a first line that names the delimiter for Excel; which one it is, others show."""
    first, _, rest = text.partition("\n")
    return rest if re.fullmatch(r'"?sep=[,;|\t]"?[,;|]*\r?', first, re.IGNORECASE) else text


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _parses(line: str) -> bool:
    return isinstance(_parsed(line), dict)


def _first_elements(text: str) -> list[Any]:
    """Elements at the start of a JSON array, as many as the text holds whole, up to 20."""
    decoder, elements = json.JSONDecoder(), list[Any]()
    place = text.find("[") + 1
    while len(elements) < 20:
        while place < len(text) and text[place] in " \t\r\n,":
            place += 1
        try:
            element, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        elements.append(element)
    return elements
