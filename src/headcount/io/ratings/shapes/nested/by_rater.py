"""A record of rater to label in a cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from headcount.data.vocabulary import encode
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.ratings.shapes.nested.cells import flat, nested_items
from headcount.io.ratings.shapes.orientation import check_aspects
from headcount.io.roles.roles import find_role
from headcount.results.notes import Notes

__all__ = ["NestedByRater"]

_SCALAR = (str, int, float, bool)


class NestedByRater(Shape):
    """A record of rater to label in a cell, such as ``{"ann": "yes", "bob": "no"}``."""

    name = "nested by rater"

    def fits(self, asked: Asked) -> bool:
        """Whether a column of such records is named as labels or raters are."""
        return asked.may_nest and self._column(asked) is not None

    def read(self, asked: Asked) -> Ratings:
        """Take one rating from each entry of the records."""
        column = cast("int", self._column(asked))
        table, notes = asked.table, Notes()
        cells = [cast("Mapping[Any, Any]", cell or {}) for cell in table.cells(column)]
        check_aspects(table, list(dict.fromkeys(str(key) for cell in cells for key in cell)))
        items, item_name = nested_items(asked, column)
        rows = np.repeat(np.arange(len(cells)), [len(cell) for cell in cells])
        notes.info(
            f"{table.source}: read as labels by rater in '{table.names[column]}'; item = "
            f"'{item_name}'."
        )
        return Ratings(
            items=(items[0][rows], items[1]),
            raters=encode([rater for cell in cells for rater in cell]),
            labels=flat(table, column, [list(cell.values()) for cell in cells]),
            table=table,
            rows=rows,
            blanks=False,
            notes=notes,
        )

    def _column(self, asked: Asked) -> int | None:
        for column in asked.nested:
            name = asked.table.names[column]
            singular = re.sub(r"s$", "", name)
            if not (name == asked.given["label"] or _is_named([name]) or _is_named([singular])):
                continue
            cells = [cell for cell in asked.table.cells(column) if cell is not None]
            if cells and all(map(_is_record, cells)) and _is_shared(cells):
                return column
        return None


def _is_named(names: list[str]) -> bool:
    return find_role(names, "label") is not None or find_role(names, "rater") is not None


def _is_record(cell: Any) -> bool:
    if not isinstance(cell, Mapping):
        return False
    record = cast("Mapping[Any, Any]", cell)
    return bool(record) and all(v is None or isinstance(v, _SCALAR) for v in record.values())


def _is_shared(cells: list[Any]) -> bool:
    """Whether keys of one record are those of others, as raters are."""
    keys = [key for cell in cells for key, value in cell.items() if value is not None]
    return len(set(keys)) < len(keys)
