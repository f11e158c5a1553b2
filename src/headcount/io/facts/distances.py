"""Read how far apart labels are: a table of labels by labels, or one pair a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from headcount.data.distances import Distances
from headcount.data.vocabulary import as_labels, label_text
from headcount.errors import DataError, some
from headcount.io.tables.open_table import open_table
from headcount.io.tables.table import Table
from headcount.typing import Codes, Floats

__all__ = ["read_distances"]

SAME = 1e-9
"""Relative difference up to which two numbers are one that was written twice."""


def read_distances(data: Any, *, name: str = "distance") -> Distances:
    """Read distances of labels from a file, a frame, a dict or an array.

    Wide: the first column and the other columns are labels. Long: two columns of labels and one of
    distances, each pair once or twice; the distance of a label from itself may be left out.

    Parameters
    ----------
    data : path, frame, dict or array
        Also a dict of pairs ``{("a", "b"): 1}`` or of dicts ``{"a": {"b": 1}}``, and a pandas frame
        with labels as its index.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Distances

    Raises
    ------
    DataError
        If a distance is missing, negative or no number, is not 0 of a label from itself, or is
        another one way round; it names the row and the column.

    Examples
    --------
    >>> read_distances({("no", "maybe"): 1, ("maybe", "yes"): 1, ("no", "yes"): 3}).table
    array([[0., 1., 1.],
           [1., 0., 3.],
           [1., 3., 0.]])
    """
    if isinstance(data, Distances):
        return data
    table = open_table(_columns(data), name=name)
    first, texts = table.codes(0)
    names = [label_text(one) for one in table.names[1:]]
    rows = [label_text(one) for one in texts]
    wide = len(names) > 1 and set(names) == set(rows)
    if not wide and len(table.names) != 3:
        raise DataError(
            f"{table.source}: expected the same labels in the first column and as names of the "
            "others, or three columns (label, label, distance). Rows have "
            f"{some(rows)}, columns {some(names)}."
        )
    if (first < 0).any():
        raise DataError(f"{table.at(int((first < 0).argmax()), 0)}: a row without a label.")
    found = _wide(table, first, rows) if wide else _long(table, first, rows)
    return Distances(*found, source=table.source, sources=table.sources)


def _columns(data: Any) -> Any:
    """Write a dict of pairs, a dict of dicts, or a frame with an index as columns."""
    rows: list[tuple[Any, Any, Any]] = []
    if isinstance(data, Mapping):
        given = cast("Mapping[Any, Any]", data)
        if given and all(isinstance(key, tuple) and len(cast("Any", key)) == 2 for key in given):
            rows = [(*cast("tuple[Any, Any]", key), far) for key, far in given.items()]
        elif given and all(isinstance(row, Mapping) for row in given.values()):
            rows = [(a, b, far) for a, row in given.items() for b, far in row.items()]
        if rows:
            return {name: [row[i] for row in rows] for i, name in enumerate(("a", "b", "distance"))}
        return given
    if hasattr(data, "index") and hasattr(data, "columns"):
        index = [str(one) for one in data.index]
        names: list[Any] = list(data.columns)
        if set(index) == set(map(str, names)):
            return {"": index} | {str(name): list(data[name]) for name in names}
    return data


def _wide(table: Table, first: Codes, rows: list[str]) -> tuple[tuple[str, ...], Floats]:
    labels, place = as_labels(rows)
    if len(first) != len(labels):
        again = next(i for i in range(len(first)) if first[i] in first[:i])
        raise DataError(f"{table.at(again, 0)}: '{rows[first[again]]}' has a row already.")
    out = np.zeros((len(labels), len(labels)))
    column = {label_text(name): i for i, name in enumerate(table.names) if i}
    row = place[first]
    for code, name in enumerate(labels):
        out[row, code] = _numbers(table, column[name])
    at = {label: int(i) for i, label in enumerate(row.tolist())}

    def where(a: int, b: int) -> str:
        return table.at(at[a], column[labels[b]])

    for a, b in np.argwhere(np.isnan(out)).tolist():
        raise DataError(f"{where(a, b)}: no distance of '{labels[a]}' from '{labels[b]}'.")
    for a in np.flatnonzero(np.diag(out)).tolist():
        raise DataError(
            f"{where(a, a)}: '{labels[a]}' is {out[a, a]:g} from itself; a label is 0 from itself."
        )
    for a, b in np.argwhere(np.triu(_differ(out, out.T))).tolist():
        raise DataError(
            f"{where(a, b)}: '{labels[a]}' is {out[a, b]:g} from '{labels[b]}', but {out[b, a]:g} "
            f"in row '{labels[b]}'. A distance is the same both ways."
        )
    return labels, out


def _long(table: Table, first: Codes, rows: list[str]) -> tuple[tuple[str, ...], Floats]:
    second, others = table.codes(1)
    if (second < 0).any():
        raise DataError(f"{table.at(int((second < 0).argmax()), 1)}: a row without a label.")
    labels, place = as_labels([*rows, *others])
    a, b = place[: len(rows)][first], place[len(rows) :][second]
    far = _numbers(table, 2)
    out = np.full((len(labels), len(labels)), np.nan)
    np.fill_diagonal(out, 0.0)
    for row, (x, y, d) in enumerate(zip(a.tolist(), b.tolist(), far.tolist(), strict=True)):
        if np.isnan(d):
            raise DataError(f"{table.at(row, 2)}: no distance.")
        known = out[x, y]
        if not np.isnan(known) and _differ(known, d):
            before = "a label is 0 from itself" if x == y else f"it was {known:g} before"
            raise DataError(
                f"{table.at(row, 2)}: '{labels[x]}' is {d:g} from '{labels[y]}'; {before}."
            )
        out[x, y] = out[y, x] = d
    for x, y in np.argwhere(np.isnan(out)).tolist():
        raise DataError(
            f"{table.source}: no distance of '{labels[x]}' from '{labels[y]}'. Give one of every "
            "two labels."
        )
    return labels, out


def _numbers(table: Table, column: int) -> Floats:
    """Distances of a column; what is negative or endless is an error."""
    numbers = table.only_numbers(column)
    wrong = np.flatnonzero((numbers < 0) | np.isinf(numbers))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"{table.at(row, column)}: {numbers[row]:g}. A distance is 0 or a positive number."
        )
    return numbers


def _differ(a: Any, b: Any) -> Any:
    return np.abs(a - b) > SAME * (np.abs(a) + np.abs(b))
