"""Files: whether one is there and can be read, and which was meant if not."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from headcount.errors import DataError, closest
from headcount.io.formats.base import File
from headcount.io.formats.catalogue import format_of
from headcount.io.table import Table

__all__ = ["neighbour", "open_file"]


def open_file(path: Path, *, ignore: Collection[str] = (), header: bool = True) -> Table:
    """Open a file as a table, in whatever format it is.

    Parameters
    ----------
    path : Path
    ignore : collection of str
        Columns that are not read.
    header : bool
        Whether the first row of a text file names the columns.
    """
    _check(path)
    file = File.at(path)
    return format_of(file).open(file, ignore=ignore, header=header)


def neighbour(path: Path) -> Path | None:
    """File beside a path that is not there that may have been meant."""
    folder = path.parent
    here = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    near = closest(path.name, here)
    return folder / near[0] if near else None


def _check(path: Path) -> None:
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
