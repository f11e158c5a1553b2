"""A file as readers of exports see it: what kind it is, its first records, and all of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum, auto
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, cast

from headcount.errors import DataError, some
from headcount.io.tools.contents.archive import Archive
from headcount.io.tools.contents.columns import delimiter_of, rows_of
from headcount.io.tools.contents.json_text import first_elements, is_object, json_lines, parsed
from headcount.io.tools.contents.parquet import parquet_metadata, parquet_records, parquet_types
from headcount.io.tools.contents.stored import Stored, decoded
from headcount.io.tools.values import as_dict, as_list

__all__ = ["Document", "Form"]

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
        self.encoding = self._wanted = encoding
        self._stored = Stored(path, data)
        self._archive = Archive(self._stored)

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.path.name

    @property
    def stem(self) -> str:
        """Name without its ending, and that of gzip."""
        return Path(self.path.name.removesuffix(".gz")).stem

    @property
    def size(self) -> int | None:
        """Bytes of the file as it is stored."""
        return self._stored.size

    @property
    def sha256(self) -> str | None:
        """Checksum of the bytes of the file as it is stored."""
        return self._stored.sha256

    @cached_property
    def form(self) -> Form:
        """Kind of file."""
        if self._stored.is_folder:
            return Form.ARCHIVE
        head = self._stored.head
        if head[:4] == b"PAR1":
            return Form.PARQUET
        if head[:4] == b"PK\x03\x04":
            return Form.ARCHIVE
        text = self.head_text.lstrip()
        if text.startswith("["):
            return Form.ARRAY
        if text.startswith("{"):
            first, _, rest = text.partition("\n")
            return Form.LINES if rest.strip() and is_object(first) else Form.OBJECT
        return Form.COLUMNS if text else Form.EMPTY

    # Text

    @cached_property
    def head_text(self) -> str:
        """Return the first megabyte as text."""
        return self._decoded(self._stored.head, whole=False)

    def text(self) -> str:
        """Return all of the file as text."""
        return self._decoded(self._stored.all(), whole=True)

    def _decoded(self, data: bytes, *, whole: bool) -> str:
        text, self.encoding = decoded(data, self._wanted, self.name, whole=whole)
        return text

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
            lines = self.head_text.split("\n")[:HEAD_LINES]
            records = [parsed(line) for line in lines if line.strip()]
        elif self.form is Form.ARRAY:
            records = first_elements(self.head_text)
            if not records:  # the first is longer than what was looked at
                with suppress(DataError):
                    records = as_list(self.json)[:HEAD_RECORDS]
        elif self.form is Form.OBJECT:
            records = cast("list[Any]", self._object_records[:HEAD_RECORDS])
        else:
            records = []
        return [as_dict(record) for record in records if isinstance(record, dict)]

    def records(self) -> list[dict[str, Any]]:
        """Return all records: of an array, of lines, of columns or of Parquet."""
        if self.form is Form.PARQUET:
            return list(parquet_records(self.path))
        if self.form is Form.COLUMNS:
            return list(self._text_records())
        if self.form is Form.ARRAY:
            records = as_list(self.json)
        elif self.form is Form.LINES:
            records = list(json_lines(self.text(), self.name))
        else:
            records = cast("list[Any]", self._object_records)
        wrong = next((i for i, record in enumerate(records) if not isinstance(record, dict)), None)
        if wrong is not None:
            raise DataError(f"{self.name}, record {wrong + 1}: expected a JSON object.")
        return [as_dict(record) for record in records]

    @cached_property
    def _object_records(self) -> list[dict[str, Any]]:
        """Records of a JSON object: its rows, if it is of columns, or else itself."""
        columns = self.object
        lengths = {len(as_list(cells)) for cells in columns.values() if isinstance(cells, list)}
        lists = all(isinstance(cells, list) for cells in columns.values())
        if len(columns) < 2 or not lists or len(lengths) != 1 or lengths == {0}:
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
    def head_rows(self) -> list[list[str]]:
        """Return the first rows of columns of text, header included."""
        if self.form is not Form.COLUMNS:
            return []
        rows: list[list[str]] = []
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

    @cached_property
    def parquet_metadata(self) -> dict[str, str]:
        """Key-value metadata of Parquet."""
        return parquet_metadata(self.path)

    # Archives and folders

    @property
    def members(self) -> list[str]:
        """Names of the files in an archive or a folder; [] if it is neither."""
        return self._archive.names if self.form is Form.ARCHIVE else []

    @property
    def unpacked_size(self) -> int:
        """Bytes of all files of an archive, unpacked."""
        return self._archive.unpacked_size

    @property
    def unpacks_slowly(self) -> bool:
        """Whether each file of an archive takes milliseconds to unpack."""
        return self._archive.unpacks_slowly

    def member(self, name: str) -> Document:
        """Return a file of an archive or a folder; of several of one name, the last."""
        path, data = self._archive.member(name)
        return Document(path, self._wanted, data)
