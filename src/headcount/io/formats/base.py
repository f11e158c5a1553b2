"""What a format of files is: how to know it, and how to open a file of it as a table."""

from __future__ import annotations

import gzip
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import ClassVar

from headcount.io.table import Table

__all__ = ["File", "Format"]

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class File:
    """A file that is there, gzipped or not.

    Parameters
    ----------
    path : Path
    magic : bytes
        The first four bytes.
    """

    path: Path
    magic: bytes

    @classmethod
    def at(cls, path: Path) -> File:
        """Look at the first bytes of a file."""
        with path.open("rb") as file:
            return cls(path, file.read(4))

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.path.name

    @property
    def packed(self) -> bool:
        """Whether it is gzipped."""
        return self.magic.startswith(_GZIP)

    @property
    def suffix(self) -> str:
        """The ending of the name in small letters, without that of gzip; "" if there is none."""
        suffixes = [s.lower() for s in self.path.suffixes if s.lower() not in (".gz", ".gzip")]
        return suffixes[-1] if suffixes else ""

    def open(self) -> BufferedIOBase:
        """Open the bytes of the file, unpacked."""
        return gzip.open(self.path) if self.packed else self.path.open("rb")

    def lines(self, errors: str = "strict") -> Iterator[str]:
        """Lines of text, ended as by Unix, Windows or an old Macintosh."""
        with self.open() as file:
            for block in file:
                for line in block.splitlines(keepends=True):
                    yield line.decode("utf-8-sig", errors)


class Format(ABC):
    """A kind of file. To read another, write one such class and put it into the list of formats.

    Attributes
    ----------
    name : str
        What users call it.
    suffixes : tuple of str
        Endings of names by which files of the format are known.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()

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
