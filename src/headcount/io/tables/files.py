"""Files: whether one is there and can be read, and which was meant if not."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from pathlib import Path

from headcount.errors import DataError, OptionError, closest, option
from headcount.io.formats.base import MOST_UNPACKED, File
from headcount.io.formats.catalogue import format_of
from headcount.io.formats.scratch import Scratch
from headcount.io.reading import Reading
from headcount.io.tables.table import Table

__all__ = ["STDIN", "file_at", "neighbour", "open_file", "saved"]

STDIN = "-"
"""The name by which standard input is given."""
_BLOCK = 1 << 20
_piped: list[tuple[object, Path, Scratch]] = []
"""What came by standard input, which can be read once only."""


def open_file(
    path: Path,
    *,
    ignore: Collection[str] = (),
    header: bool = True,
    reading: Reading | None = None,
) -> Table:
    """Open a file as a table, in whatever format it is.

    Parameters
    ----------
    path : Path
        ``-`` is standard input.
    ignore : collection of str
        Columns that are not read.
    header : bool
        Whether the first row of a text file names the columns.
    reading : Reading, optional
        Its format and encoding, if they are not to be recognised.
    """
    reading = Reading() if reading is None else reading
    file = file_at(path, reading)
    found = format_of(file, reading.format)
    if reading.sheet is not None and not found.has_sheets:
        raise OptionError(
            f"{option('sheet')} names a sheet of a workbook, but {file.name} is {found.name} and "
            "has none. Leave it out."
        )
    return found.open(file, ignore=ignore, header=header)


def file_at(path: Path, reading: Reading | None = None) -> File:
    """Find a file, check that it can be read, and go through its bytes."""
    reading = Reading() if reading is None else reading
    encoding, sheet = reading.encoding, reading.sheet
    if str(path) == STDIN:
        saved, scratch = _standard_input()
        return File.at(saved, name="standard input", encoding=encoding, sheet=sheet, folder=scratch)
    _check(path)
    try:
        return File.at(path, encoding=encoding, sheet=sheet)
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror or error}.") from None


def saved(path: Path) -> Path:
    """Return the path itself; of standard input, where what came by it is saved."""
    return _standard_input()[0] if str(path) == STDIN else path


def neighbour(path: Path) -> Path | None:
    """File beside a path that is not there that may have been meant."""
    folder = path.parent
    try:
        here = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    except OSError:
        here = []
    near = closest(path.name, here)
    return folder / near[0] if near else None


def _standard_input() -> tuple[Path, Scratch]:
    """Save what comes by standard input; a second reader gets the same."""
    for stream, path, scratch in _piped:
        if stream is sys.stdin:
            return path, scratch
    # sys.stdin is None in a program without a console.
    if not sys.stdin or sys.stdin.closed or sys.stdin.isatty():
        raise DataError("nothing comes by standard input; pipe a file into the command.")
    scratch = Scratch()
    path, size = scratch.path / "standard input", 0
    with scratch.filling(), path.open("wb") as file:
        while block := sys.stdin.buffer.read(_BLOCK):
            size += len(block)
            if size > MOST_UNPACKED:
                raise DataError(
                    f"standard input: more than {MOST_UNPACKED:,} bytes, which is the limit. Save "
                    "it to a file and give that."
                )
            file.write(block)
    if not size:
        raise DataError("standard input is empty; its first row must name the columns.")
    _piped.append((sys.stdin, path, scratch))
    return path, scratch


def _check(path: Path) -> None:
    try:
        if path.is_dir():
            raise DataError(f"'{path}' is a folder; give the file in it.")
        if path.exists() and not path.is_file():
            raise DataError(f"'{path}' is a pipe; save it to a file first.")
        if path.exists() and not os.access(path, os.R_OK):
            raise DataError(f"'{path}' may not be read; change its permissions (chmod +r).")
        if not path.exists():
            near = neighbour(path)
            hint = f" Did you mean '{near}'?" if near else ""
            raise DataError(f"no such file: '{path}'.{hint}")
        if path.stat().st_size == 0:
            raise DataError(f"{path.name} is empty; its first row must name the columns.")
    except OSError as error:  # a name that is too long, say
        raise DataError(f"'{path}' cannot be read: {error.strerror or error}.") from None
