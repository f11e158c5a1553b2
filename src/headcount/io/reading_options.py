"""Check the options that all readers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from headcount import options
from headcount.errors import OptionError, option
from headcount.io.open_table import ignored
from headcount.io.reading import Reading

__all__ = ["reading_of"]

MERGES = ("case", "space", "unicode", "number")
"""What may be said not to tell values apart."""


def reading_of(
    *,
    ignore: Any = (),
    where: Any = (),
    missing: Any = (),
    merge: Any = (),
    format: Any = None,
    encoding: Any = None,
    question: Any = None,
) -> Reading:
    """Make a reading of the keywords of a reader.

    Examples
    --------
    >>> reading = reading_of(ignore="gold", where={"split": "test"}, missing=[99])
    >>> reading.ignore, reading.where, reading.missing
    (('gold',), (('split', 'test'),), ('99',))
    """
    named = {"format": format, "encoding": encoding, "question": question}
    for name, value in named.items():
        if value is not None and not isinstance(value, str):
            raise OptionError(f"{option(name)} must be a name, not {value!r}.")
    return Reading(
        ignore=tuple(ignored(ignore)),
        where=_where(where),
        missing=tuple(str(one) for one in options.listed(missing, "missing", "values")),
        merge=options.several_of(merge, "merge", MERGES),
        **named,
    )


def _where(where: Any) -> tuple[tuple[str, str], ...]:
    """Pairs of a column and a value: from a dict, from pairs, or from text 'column=value'."""
    if isinstance(where, str):
        where = [where]
    if isinstance(where, Mapping):
        where = list(cast("Mapping[Any, Any]", where).items())
    pairs: list[tuple[str, str]] = []
    for one in options.listed(where, "where", "columns and values"):
        parts = one.split("=", 1) if isinstance(one, str) else one
        if not isinstance(parts, list | tuple) or len(cast("list[Any]", parts)) != 2:
            raise OptionError(
                f"{option('where')} must name a column and its value, such as 'split=test', not "
                f"{one!r}."
            )
        column, value = (str(part).strip() for part in cast("list[Any]", parts))
        pairs.append((column, value))
    return tuple(pairs)
