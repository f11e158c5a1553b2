"""One item a row, with pairs of columns: who rated it, and how."""

from __future__ import annotations

import numpy as np

from headcount.errors import count
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.roles.roles import ReadAs, find_role, item_column
from headcount.io.tables.table import Coded
from headcount.results.notes import Notes

__all__ = ["NumberedPairs"]


class NumberedPairs(Shape):
    """One item a row; columns ``rater_1, label_1, rater_2, label_2``."""

    name = "numbered pairs"

    def fits(self, asked: Asked) -> bool:
        """Whether columns of raters and of labels are numbered alike."""
        return not any(asked.given.values()) and len(self._pairs(asked)) > 1

    def read(self, asked: Asked) -> Ratings:
        """Take one rating from each pair."""
        table, pairs = asked.table, self._pairs(asked)
        column = item_column(table)
        items = table.codes(column)
        rows = np.tile(np.arange(table.rows), len(pairs))
        text = (
            f"{table.source}: read as {count(len(pairs), 'pair')} of rater and label in a row; "
            f"item = '{table.names[column]}'."
        )
        notes = Notes([ReadAs(text, {"item": table.names[column]})])
        return Ratings(
            items=(items[0][rows], items[1]),
            raters=_joined([table.codes(rater) for rater, _ in pairs]),
            labels=_joined([table.codes(label) for _, label in pairs]),
            table=table,
            rows=rows,
            blanks=False,
            notes=notes,
        )

    @staticmethod
    def _pairs(asked: Asked) -> list[tuple[int, int]]:
        """Columns of raters and of labels with the same number."""
        found: dict[str, dict[str, int]] = {"rater": {}, "label": {}}
        for i, name in enumerate(asked.table.names):
            word = name.rstrip("0123456789")  # a pattern would take long for many digits
            number = name[len(word) :]
            said = word[:-1] if word.endswith(("_", " ", ".", "-")) else word
            for role, places in found.items():
                if number and find_role([said], role) is not None:
                    places[number] = i
        if found["rater"].keys() != found["label"].keys():
            return []
        return [(i, found["label"][number]) for number, i in found["rater"].items()]


def _joined(columns: list[Coded]) -> Coded:
    """Put columns below each other."""
    texts = list(dict.fromkeys(text for _, own in columns for text in own))
    place = {text: code for code, text in enumerate(texts)}
    parts = [np.array([*(place[text] for text in own), -1])[codes] for codes, own in columns]
    return np.concatenate(parts), texts
