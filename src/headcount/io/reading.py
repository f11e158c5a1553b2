"""How to read a table: the options that all readers share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np

from headcount import options
from headcount.data.vocabulary import label_text
from headcount.errors import OptionError, option, some
from headcount.io.formats.text import known_encoding
from headcount.io.values.merges import MERGES

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
        What does not tell values apart: case, space, unicode, punctuation, number, yes-no.
    format : str or None
        Name of a format or a tool; None to recognise it.
    encoding : str or None
        Of text; None to recognise it.
    sheet : str or None
        Of a workbook; None to find the one that holds a table.
    question : str or None
        Which of several questions of one file.
    """

    ignore: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    merge: tuple[str, ...] = ()
    format: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    question: str | None = None

    @classmethod
    def of(
        cls,
        *,
        ignore: Any = (),
        where: Any = (),
        missing: Any = (),
        merge: Any = (),
        format: Any = None,
        encoding: Any = None,
        sheet: Any = None,
        question: Any = None,
    ) -> Self:
        """Check the options as a caller gives them; a text is a list of one.

        `where` are texts "column=value", or a dict of column to value or values.
        """
        return cls(
            ignore=_texts(ignore, "ignore", "names of columns, such as ['gold']"),
            where=_conditions(where),
            missing=_texts(missing, "missing", "values, such as ['99', '-1']"),
            merge=options.several_of(merge, "merge", [one.name for one in MERGES], "way to merge"),
            format=_text(format, "format", "a name, such as 'csv'"),
            encoding=_encoding(encoding),
            sheet=_text(sheet, "sheet", "the name of a sheet, such as 'Sheet1'"),
            question=None if question is None else str(question),
        )

    def check_labels(self, labels: Collection[str] | None) -> None:
        """Refuse a value that is declared to be a label and to be missing."""
        declared = {label_text(label) for label in labels or ()}
        both = [value for value in self.missing if label_text(value) in declared]
        if both:
            raise OptionError(
                f"{some(both)} cannot be a label ({option('labels')}) and missing "
                f"({option('missing')}). Choose one."
            )


def _text(value: Any, name: str, such_as: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise OptionError(f"{option(name)} must be {such_as}, not {value!r}.")


def _encoding(value: Any) -> str | None:
    """Check the encoding here: not every file that is given is text."""
    name = _text(value, "encoding", "a name, such as 'cp1252'")
    if name is not None:
        known_encoding(name)
    return name


def _texts(value: Any, name: str, such_as: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if name == "missing" and isinstance(value, int | float) and not isinstance(value, bool):
        return (label_text(str(value)),)
    if not isinstance(value, Collection) or isinstance(value, bytes | Mapping):
        raise OptionError(f"{option(name)} must be {such_as}, not {value!r}.")
    return tuple(str(one) for one in cast("Collection[Any]", value))


def _conditions(where: Any) -> tuple[tuple[str, str], ...]:
    """Read conditions on rows."""
    if isinstance(where, Mapping):
        pairs = cast("Mapping[Any, Any]", where).items()
        return tuple(
            (str(name), str(value))
            for name, values in pairs
            for value in options.listed(
                [values] if np.isscalar(values) else values, "where", "values"
            )
        )
    found: list[tuple[str, str]] = []
    for text in _texts(where, "where", "conditions, such as ['status=approved']"):
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise OptionError(
                f"{option('where')} must be a column and a value, such as 'status=approved', not "
                f"'{text}'."
            )
        found.append((name.strip(), value.strip()))
    return tuple(found)
