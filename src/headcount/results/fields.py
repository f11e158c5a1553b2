"""Fields of results, said once: JSON, rows of a frame and tables are made of the same record.

A record is a dataclass. Its fields have the names that JSON and frames have; a field that tables
show says so with :func:`shown`, beside its type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from itertools import islice
from typing import Any, cast

import numpy as np

from headcount.errors import count
from headcount.results.result import ALL_ENTRIES
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate

__all__ = ["Record", "by_row", "hidden", "json_value", "listing", "rows", "shown"]

Write = Callable[[Any], str]
MOST_ROWS = 10
"""Rows of a table that are printed; all are in the JSON document."""
LARGEST_INTEGER = 2**53
"""Up to which floats hold every whole number; larger ones are text in JSON."""


def shown(title: str, write: Write | str = "") -> dict[str, Any]:
    """Describe a field that tables show: ``field(metadata=shown("share", ".1%"))``.

    Parameters
    ----------
    title : str
        What stands above its column.
    write : callable or str
        How a value is written: a function, or the format of a number, such as ".2f". Default: as
        it is; whole numbers with commas, an estimate as its value with the interval beside it.
    """
    return {"title": title, "write": write}


def hidden() -> dict[str, Any]:
    """Describe a field that is for our own use, and in no JSON document."""
    return {"hidden": True}


class Record:
    """A dataclass that JSON holds as it is."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: every field by its name."""
        return {each.name: json_value(getattr(self, each.name)) for each in _listed(self)}


def json_value(value: Any) -> Any:
    """Write a value as JSON has it: null for what is not finite, records by their fields.

    Examples
    --------
    >>> json_value({"a": np.array([[1.0, np.nan]]), "b": (Estimate(0.5, 0.25, 0.75), None)})
    {'a': [[1.0, None]], 'b': [{'value': 0.5, 'low': 0.25, 'high': 0.75}, None]}
    >>> json_value([7, 2**53 + 1])
    [7, '9007199254740993']
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, int):
        # What reads JSON with floats would round the names of some items.
        return str(value) if abs(value) > LARGEST_INTEGER else value
    if isinstance(value, np.ndarray | np.generic):
        return json_value(cast("Any", value).tolist())
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: json_value(each) for key, each in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [json_value(each) for each in cast("Sequence[Any]", value)]
    return value


def rows(records: Sequence[Any], names: Iterable[str] = ()) -> dict[str, list[Any]]:
    """Return records as columns of a frame; of an estimate `name`, `name_low` and `name_high`.

    Parameters
    ----------
    records : sequence of dataclass
    names : iterable of str
        Fields, in this order. Default: all of them.
    """
    columns: dict[str, list[Any]] = {}
    for name in names or (each.name for record in records[:1] for each in _listed(record)):
        values = [getattr(record, name) for record in records]
        if any(isinstance(value, Estimate) for value in values):
            forms: list[dict[str, Any]] = [{} if v is None else v.to_dict() for v in values]
            for end, suffix in (("value", ""), ("low", "_low"), ("high", "_high")):
                columns[name + suffix] = [form.get(end) for form in forms]
        else:
            columns[name] = [v if isinstance(v, int) else json_value(v) for v in values]
    return columns


def by_row(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return columns as rows, such as JSON has them.

    Examples
    --------
    >>> by_row({"left": ["a", "b"], "right": ["c", "d"]})
    [{'left': 'a', 'right': 'c'}, {'left': 'b', 'right': 'd'}]
    """
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def listing(
    records: Sequence[Any],
    *,
    interval: str = "",
    title: str = "",
    noun: str = "row",
    most: int = MOST_ROWS,
    titles: Mapping[str, str] | None = None,
    rest_in: str = ALL_ENTRIES,
) -> Table:
    """Make a table of records: the fields that are shown, without those that no record has.

    Parameters
    ----------
    records : sequence of dataclass
        At least one.
    interval : str
        What stands above intervals, such as "95% interval".
    title : str
        A line above.
    noun : str
        What a record is, for the line that counts those which are not printed.
    most : int
        Records that are printed.
    titles : mapping of str to str, optional
        Other words above the columns of some fields.
    rest_in : str
        Where all records are; the JSON document by default.
    """
    head: list[str] = []
    cells: list[list[str]] = []
    printed = list(islice(records, most))
    for each in _listed(records[0]):
        values = [getattr(record, each.name) for record in printed]
        if "title" not in each.metadata or all(value is None for value in values):
            continue
        head.append(titles[each.name] if titles and each.name in titles else each.metadata["title"])
        cells.append([_written(value, each.metadata["write"]) for value in values])
        ends = [value.interval() if isinstance(value, Estimate) else "" for value in values]
        if any(ends):
            head.append(interval)
            cells.append(ends)
    rest = len(records) - len(printed)
    more = f"and {count(rest, f'more {noun}')}{rest_in}" if rest > 0 else ""
    return Table(head, list(zip(*cells, strict=True)), title=title, more=more)


def _written(value: Any, write: Write | str) -> str:
    if value is None:
        return ""
    if callable(write):
        return write(value)
    if isinstance(value, Estimate):
        return "" if value.undefined else value.show(value.value)
    if write:
        return f"{value:{write}}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _listed(record: Any) -> list[Field[Any]]:
    if not is_dataclass(record):
        raise TypeError(f"{type(record).__name__} is not a dataclass.")
    return [each for each in fields(record) if "hidden" not in each.metadata]
