"""The bytes of a file: as they are stored, unpacked, and as text."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from headcount.errors import DataError, option
from headcount.io.formats.text import LETTERS_OF_UTF8

__all__ = ["LIMIT", "Stored", "decoded"]

LIMIT = 1 << 30
"""Bytes of a file, unpacked, above which it is not taken for an export."""
HEAD = 1 << 20
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
                return file.read(HEAD)
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
