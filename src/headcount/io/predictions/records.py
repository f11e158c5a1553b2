"""Columns of records, each of which holds the probability of every label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from headcount.data.probabilities import ROUNDING
from headcount.data.vocabulary import encode
from headcount.errors import DataError, some
from headcount.io.tables.table import Table
from headcount.typing import Floats

__all__ = ["labels_in", "may_be_shares", "spread"]


def labels_in(cells: Sequence[Any]) -> list[str] | None:
    """Labels that records of probabilities name; None if the cells are no such records."""
    labels: dict[str, None] = {}
    for cell in cells:
        if cell is None:
            continue
        record = _record(cell)
        if record is None or not all(isinstance(v, int | float | None) for v in record.values()):
            return None
        labels.update(dict.fromkeys(encode(list(record))[1]))
    return list(labels) or None


def may_be_shares(table: Table, column: int) -> bool:
    """Whether records may hold probabilities, and not counts of tokens and the like."""
    if labels_in(table.cells(column)) is None:
        return True  # for a message of its own
    values = np.nan_to_num(np.stack([*spread(table, column).values()]))
    return bool((values <= 1 + ROUNDING).all() or np.isclose(values.sum(axis=0), 100).all())


def _record(cell: Any) -> Mapping[Any, Any] | None:
    """Take a cell as probabilities by label; None if it is something else.

    A list of labels with their scores is what transformers' pipelines give.
    """
    if isinstance(cell, Mapping):
        return cast("Mapping[Any, Any]", cell)
    if not isinstance(cell, list) or not cell:
        return None
    record: dict[Any, Any] = {}
    for entry in cast("list[Any]", cell):
        if not isinstance(entry, Mapping) or set(cast("Any", entry)) != {"label", "score"}:
            return None
        if entry["label"] in record:
            return None
        record[entry["label"]] = entry["score"]
    return record


def _what(cells: Sequence[Any]) -> str:
    """Say what records hold instead, and what to do."""
    records = [cast("Mapping[Any, Any]", cell) for cell in cells if isinstance(cell, Mapping)]
    if not records:
        return ""
    keys = some([str(key) for key in records[0]])
    return f" These hold {keys}: give the verdict a column of its own, beside the item."


def spread(table: Table, column: int) -> dict[str, Floats]:
    """Columns of probabilities by label, of a column of records; a label left out has none."""
    cells = table.cells(column)
    labels = labels_in(cells)
    if labels is None:
        raise DataError(
            f"{table.source}, column '{table.names[column]}': expected records of labels and their "
            f'probabilities, such as {{"no": 0.3, "yes": 0.7}}.{_what(cells)}'
        )
    columns = {label: np.full(len(cells), np.nan) for label in labels}
    for row, cell in enumerate(cells):
        values = {encode([k])[1][0]: v for k, v in (_record(cell) or {}).items()}
        if any(value is not None for value in values.values()):
            for label in labels:
                value = values.get(label)
                columns[label][row] = 0.0 if value is None else float(value)
    return columns
