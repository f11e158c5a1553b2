"""What a format of files is: how to know it, and how to open a file of it as a table."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import BufferedIOBase
from pathlib import Path
from typing import ClassVar

from headcount.errors import DataError
from headcount.io.formats.scratch import Scratch
from headcount.io.formats.text import Text, decoded, recognised
from headcount.io.tables.table import Table
from headcount.results.provenance import Source

__all__ = ["MOST_UNPACKED", "File", "Format"]

MOST_UNPACKED, MOST_TIMES = 2_000_000_000, 200
"""Bytes that a gzipped file may unpack to, and how many times its own size."""
_ALWAYS_UNPACKED = 50_000_000
"""Bytes to which any file may unpack, however well it is packed."""
_GZIP = b"\x1f\x8b"
_BLOCK = 1 << 20


@dataclass(frozen=True)
class File:
    """A file that is there, gzipped or not; its bytes have been gone through once.

    Parameters
    ----------
    path : Path
        Where the bytes are, unpacked.
    magic : bytes
        The first four of them.
    name : str
        What messages call the file.
    packed : bool
        Whether it was gzipped.
    size : int
        Bytes of the file itself.
    sha256 : str
        Checksum of these bytes.
    wanted : str or None
        The encoding that the user says the text is in.
    sheet : str or None
        The sheet of a workbook that the user names.
    folder : Scratch or None
        What holds the bytes, if that is no file of the user; it goes with this object.
    """

    path: Path
    magic: bytes
    name: str
    packed: bool
    size: int
    sha256: str
    wanted: str | None = None
    sheet: str | None = None
    folder: Scratch | None = field(default=None, compare=False, repr=False)

    @classmethod
    def at(
        cls,
        path: Path,
        *,
        name: str | None = None,
        encoding: str | None = None,
        sheet: str | None = None,
        folder: Scratch | None = None,
    ) -> File:
        """Go through the bytes of a file: sum them up, and unpack them if they are gzipped."""
        name = path.name if name is None else name
        with path.open("rb") as file:
            checksum = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
            file.seek(0)
            packed = file.read(len(_GZIP)) == _GZIP
        if packed:
            folder = Scratch()
            with folder.filling():
                path = _unpacked(path, name, size, folder.path)
        with path.open("rb") as file:
            magic = file.read(4)
        return cls(path, magic, name, packed, size, checksum, encoding, sheet, folder)

    @property
    def suffix(self) -> str:
        """The ending of the name in small letters, without that of gzip; "" if there is none."""
        endings = [ending.lower() for ending in Path(self.name).suffixes]
        suffixes = [ending for ending in endings if ending not in (".gz", ".gzip")]
        return suffixes[-1] if suffixes else ""

    @cached_property
    def text(self) -> Text:
        """How the bytes are text; an error if they are none."""
        return recognised(self.path, self.name, self.wanted)

    def open(self) -> BufferedIOBase:
        """Open the bytes of the file, unpacked."""
        return self.path.open("rb")

    def holds(self, sign: bytes) -> bool:
        """Whether a sign of one byte is anywhere in the file."""
        with self.path.open("rb") as file:
            return any(sign in block for block in iter(lambda: file.read(_BLOCK), b""))

    def lines(self, errors: str = "strict") -> Iterator[str]:
        """Lines of text, ended as by Unix, Windows or an old Macintosh."""
        return self.text.lines(errors)

    def utf8(self) -> tuple[Path, Scratch | None]:
        """Path of the text in UTF-8 without a mark, and what holds it if it is a copy."""
        if self.text.is_plain:
            return self.path, None
        folder = Scratch()
        copy = folder.path / "text"
        with folder.filling(), copy.open("w", encoding="utf-8", newline="") as file:
            file.writelines(decoded(self.path, self.name, self.text.encoding))
        return copy, folder

    def source(
        self,
        format_: str,
        rows: int,
        encoding: str | None = None,
        delimiter: str | None = None,
    ) -> Source:
        """Say what was read, for the result."""
        return Source(
            name=self.name,
            format=format_,
            rows=rows,
            size=self.size,
            sha256=self.sha256,
            encoding=encoding,
            delimiter=delimiter,
        )


def _unpacked(path: Path, name: str, size: int, folder: Path) -> Path:
    """Unpack a gzipped file, and check length and checksum; within the limits."""
    limit = min(MOST_UNPACKED, max(_ALWAYS_UNPACKED, MOST_TIMES * size))
    copy, written = folder / "unpacked", 0
    try:
        with gzip.open(path) as packed, copy.open("wb") as file:
            while block := packed.read(_BLOCK):
                written += len(block)
                if written > limit:
                    break
                file.write(block)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError(
            f"{name}: the gzip archive is damaged. Pack it again, or fetch it again."
        ) from None
    if written > limit:
        with suppress(OSError):
            copy.unlink()
        raise DataError(
            f"{name} has {size:,} bytes and unpacks to more than {limit:,}; the limit is "
            f"{MOST_TIMES} times the size and {MOST_UNPACKED:,} bytes. If it is what it should be, "
            "unpack it (gunzip) and give the file that comes out."
        )
    if not written:
        raise DataError(f"{name} is empty; its first row must name the columns.")
    return copy


class Format(ABC):
    """A kind of file. To read another, write one such class and put it into the list of formats.

    Attributes
    ----------
    name : str
        What users call it.
    title : str
        Its name in sentences; "" if it is the same.
    suffixes : tuple of str
        Endings of names by which files of the format are known.
    has_sheets : bool
        Whether a file may hold several tables by name.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    suffixes: ClassVar[tuple[str, ...]] = ()
    has_sheets: ClassVar[bool] = False

    def knows(self, file: File) -> bool:
        """Whether a file is of this format, by its name or its first bytes."""
        return file.suffix in self.suffixes

    @abstractmethod
    def open(self, file: File, *, ignore: Collection[str], header: bool) -> Table:
        """Open a file as a table.

        Parameters
        ----------
        file : File
        ignore : collection of str
            Columns that are not read.
        header : bool
            Whether the first row names the columns, in formats in which one may.
        """
