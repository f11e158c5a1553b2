"""Lists in cells: of records of rater and label, or of raters and of labels side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

import numpy as np

from headcount.errors import DataError, count
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.ratings.shapes.nested.cells import anonymous, flat, lists_in, nested_items
from headcount.io.roles.roles import ReadAs, find_role
from headcount.io.tables.table import Table
from headcount.results.notes import Notes

__all__ = ["NestedRatings"]


class NestedRatings(Shape):
    """Lists in cells: of records of rater and label, or of raters and of labels side by side."""

    name = "nested"

    def fits(self, asked: Asked) -> bool:
        """Whether a column holds lists that can be ratings."""
        if not asked.may_nest:
            return False
        return self._records(asked) is not None or self._lists(asked) is not None

    def read(self, asked: Asked) -> Ratings:
        """Take one rating from each entry of the lists."""
        table = asked.table
        found = self._records(asked)
        if found is not None:
            column, rater_key, label_key = found
            cells = table.cells(column)
            labels = [[entry.get(label_key) for entry in cell or ()] for cell in cells]
            raters = (
                None
                if rater_key is None
                else [[entry.get(rater_key) for entry in cell or ()] for cell in cells]
            )
            roles = {"label": label_key} | ({} if rater_key is None else {"rater": rater_key})
            what = f"records in '{table.names[column]}', "
        else:
            label, rater = cast("tuple[int, int | None]", self._lists(asked))
            column = label
            labels = [list(cell) if cell is not None else [] for cell in table.cells(label)]
            raters, what, roles = None, "lists; ", {"label": table.names[label]}
            if rater is not None:
                raters = [list(cell) if cell is not None else [] for cell in table.cells(rater)]
                roles["rater"] = table.names[rater]
                for row, (a, b) in enumerate(zip(labels, raters, strict=True)):
                    if len(a) != len(b):
                        raise DataError(
                            f"{table.at(row)}: {count(len(a), 'label')} and "
                            f"{count(len(b), 'rater')}. The lists must be as long as each other."
                        )
        items, item_name = nested_items(asked, column)
        rows = np.repeat(np.arange(len(labels)), [len(cell) for cell in labels])
        coded = flat(table, column, labels)
        what += ", ".join(f"{role} = '{name}'" for role, name in roles.items())
        by = ", by anonymous raters" if raters is None else ""
        text = f"{table.source}: read as {what}{by}; item = '{item_name}'."
        notes = Notes([ReadAs(text, {**roles, "item": item_name})])
        if raters is None:
            return anonymous(asked, items, rows, coded, notes)
        return Ratings(
            items=(items[0][rows], items[1]),
            raters=flat(table, column, raters),
            labels=coded,
            table=table,
            rows=rows,
            notes=notes,
        )

    def _records(self, asked: Asked) -> tuple[int, str | None, str] | None:
        """Find a column of lists of records: its place, and the keys of rater and label."""
        for column in asked.nested:
            entries = [entry for cell in lists_in(asked.table, column) for entry in cell]
            if not entries or not all(isinstance(entry, Mapping) for entry in entries):
                continue
            keys = list(dict.fromkeys(str(key) for entry in entries for key in entry))
            rater, label = find_role(keys, "rater"), find_role(keys, "label")
            if label is None and rater is not None and len(keys) == 2:
                label = 1 - rater
            if label is not None:
                return column, None if rater is None else keys[rater], keys[label]
        return None

    def _lists(self, asked: Asked) -> tuple[int, int | None] | None:
        """Find a column of lists of labels, and perhaps one of lists of raters."""
        table = asked.table
        plain = [c for c in asked.nested if _plain_lists(table, c)]
        names = [re.sub(r"s$", "", re.sub(r"(_id)s$", r"\1", table.names[c])) for c in plain]
        role = {r: find_role(names, r) for r in ("rater", "label")}
        for one in ("rater", "label"):
            wanted = asked.given[one]
            places = [i for i, c in enumerate(plain) if table.names[c] == wanted]
            role[one] = places[0] if places else role[one]
        rater, label = role["rater"], role["label"]
        if label is None and rater is not None and len(plain) == 2:
            label = 1 - rater
        if label is None:
            return None
        return plain[label], None if rater is None else plain[rater]


def _plain_lists(table: Table, column: int) -> bool:
    """Whether a column holds lists of texts or numbers."""
    cells = lists_in(table, column)
    entries = [entry for cell in cells for entry in cell]
    return bool(entries) and all(entry is None or np.isscalar(entry) for entry in entries)
