"""Long data whose names say too little: items, raters and labels by how columns cross."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from headcount.io.ratings.shapes.base import LONG, Asked
from headcount.io.ratings.shapes.beside.computed import is_fact
from headcount.io.roles.names import RECORD_ENDS, RECORD_WORDS, REMARKS
from headcount.io.roles.questions import which_question
from headcount.io.roles.roles import enumerated, plain_name
from headcount.typing import Codes, Flags

__all__ = ["MOST_LABELS", "crossed_roles"]

RATER_NAME = re.compile(
    r"(?:.*_)?(?:rater|annotator|coder|worker|labell?er|assessor|reviewer|grader|evaluator|judge|"
    r"person|expert)(?:_.*)?|\w+ed_by|by|who|e?mail(?:_address)?"
)
"""How columns of raters are called: ``annotator_email``, ``labelled_by``. Without such a name, what
crosses with items may as well be a visit, a question or a model."""
ID_NAME = re.compile(r"(?:.*_)?(?:id|key|hash|url|uuid)|idx|index")
MOST_COLUMNS, MOST_LABELS, LEAST_ROWS = 40, 20, 1.5
"""Columns that are looked at; labels of a column that no name calls so; rows an item or rater has
on average."""


def crossed_roles(asked: Asked, roles: Mapping[str, int]) -> dict[str, int] | None:
    """Find item, rater and label where each rater has at most one row an item.

    The item and the rater are the two columns of which no pair of values comes twice, while each
    of them repeats, and the one is called as raters are; the label is the column that differs
    within items and within raters, and has few values. `roles` are those that names tell. None
    unless there is exactly one way to read the table so. The cost is a sort of the rows for each
    two columns whose values are enough to tell all rows apart; wide data have none.

    Raises
    ------
    DataError
        If there are several columns of labels: they are listed.
    """
    columns = [i for i in asked.rest(roles) if i not in asked.nested]
    if any(RATER_NAME.fullmatch(plain_name(name)) for name in enumerated(asked.table.names)):
        return None  # a column for each rater
    elsewhere = asked.question is not None and "label" not in roles  # where questions are rows
    if elsewhere or len(columns) > MOST_COLUMNS or {asked.asks, asked.transpose} != {None}:
        return None
    crossing = Crossing(asked, columns, roles)
    pairs = crossing.pairs()
    if len(pairs) != 1:
        return None
    item, rater = pairs[0]
    labels = crossing.labels(item, rater)
    if len(labels) > 1:
        raise which_question(asked.table, [asked.table.names[i] for i in labels], None)
    return {"item": item, "rater": rater, "label": labels[0]} if labels else None


class Crossing:
    """How the columns of a table cross.

    Parameters
    ----------
    asked : Asked
    columns : list of int
        Columns that play no role yet.
    roles : mapping of str to int
        Roles that names tell.
    """

    def __init__(self, asked: Asked, columns: list[int], roles: Mapping[str, int]) -> None:
        self.roles = roles
        self.columns = [*columns, *(roles[role] for role in LONG if role in roles)]
        self.plain = {i: plain_name(asked.table.names[i]) for i in self.columns}
        self.codes = {i: asked.table.codes(i) for i in self.columns}

    def pairs(self) -> list[tuple[int, int]]:
        """Columns that may be the item and the rater, one pair for those that say the same."""
        raters = [
            i
            for i in self._choice("rater")
            if self._may_name(i) and ("rater" in self.roles or RATER_NAME.fullmatch(self.plain[i]))
        ]
        items = [i for i in self._choice("item") if self._may_name(i)]
        found = [(i, r) for r in raters for i in items if i != r and self._once(i, r)]
        alike: list[tuple[int, int]] = []
        for item, rater in sorted(found, key=self._liking):
            if not any(self._same(item, i) and self._same(rater, r) for i, r in alike):
                alike.append((item, rater))
        return alike

    def labels(self, item: int, rater: int) -> list[int]:
        """Columns that may be the label: few values, that differ within items and raters."""
        return [
            i
            for i in self._choice("label")
            if i not in (item, rater)
            and ("label" in self.roles or self._may_be_label(i))
            and not self._follows(i, item)
            and not self._follows(i, rater)
        ]

    def _choice(self, role: str) -> list[int]:
        """Columns that may play a role: the one that its name tells, or all that have none."""
        if role in self.roles:
            return [self.roles[role]]
        return [i for i in self.columns if i not in self.roles.values()]

    def _liking(self, pair: tuple[int, int]) -> tuple[bool, bool, tuple[int, int]]:
        """Ids before texts and names that say the same."""
        item, rater = (bool(ID_NAME.fullmatch(self.plain[i])) for i in pair)
        return not item, not rater, pair

    def _values(self, column: int) -> int:
        return len(self.codes[column][1])

    def _may_name(self, column: int) -> bool:
        """Whether a column may name items or raters: its values repeat, and are no times."""
        codes, texts = self.codes[column]
        filled = int((codes >= 0).sum())
        return len(texts) > 1 and filled >= LEAST_ROWS * len(texts) and not self._is_record(column)

    def _is_record(self, column: int) -> bool:
        """Whether a column says, by its name, how and when a row came to be."""
        name = self.plain[column]
        if ID_NAME.fullmatch(name) or RATER_NAME.fullmatch(name):
            return False
        return name in RECORD_WORDS or name.endswith(RECORD_ENDS)

    def _may_be_label(self, column: int) -> bool:
        name = self.plain[column]
        about = name in REMARKS or is_fact(name) or self._is_record(column)
        return not about and not ID_NAME.fullmatch(name) and 1 < self._values(column) <= MOST_LABELS

    def _same(self, column: int, other: int) -> bool:
        """Whether two columns name the same things."""
        return column == other or (self._follows(column, other) and self._follows(other, column))

    def _follows(self, column: int, other: int) -> bool:
        """Whether the value of a column is told by that of another."""
        known = self.codes[other][0][self._whole(column, other)]
        return len(np.unique(self._pairs(other, column))) <= len(np.unique(known))

    def _once(self, item: int, rater: int) -> bool:
        """Whether there are more items than raters, and no pair of them comes twice."""
        items, raters = self._values(item), self._values(rater)
        if items <= raters or items * raters < int(self._whole(item, rater).sum()):
            return False
        pairs = self._pairs(item, rater)
        return len(np.unique(pairs)) == len(pairs)

    def _whole(self, first: int, second: int) -> Flags:
        return (self.codes[first][0] >= 0) & (self.codes[second][0] >= 0)

    def _pairs(self, first: int, second: int) -> Codes:
        """Pairs of the values of two columns, as one number each."""
        joined = self.codes[first][0].astype(np.int64) * self._values(second)
        return (joined + self.codes[second][0])[self._whole(first, second)]
