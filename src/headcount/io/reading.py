"""How to read a table: the options that all readers share."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Reading"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What to read of a source, and how.

    Parameters
    ----------
    ignore : tuple of str
        Columns that are not read.
    where : tuple of (str, str)
        Columns and the value that rows must have in them.
    missing : tuple of str
        Values that mean that there is none, besides the usual ones.
    merge : tuple of str
        What does not tell values apart: case, space, unicode, number.
    format : str or None
        Name of a format or a tool; None to recognise it.
    encoding : str or None
        Of text; None to recognise it.
    question : str or None
        Which of several questions of one file.
    """

    ignore: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    merge: tuple[str, ...] = ()
    format: str | None = None
    encoding: str | None = None
    question: str | None = None
