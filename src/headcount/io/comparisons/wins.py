"""Wins that are counted: a column for each side, or a table of who beat whom how often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from headcount.data.vocabulary import encode
from headcount.errors import DataError, count
from headcount.io.comparisons.counted import MOST_REPEATED
from headcount.io.comparisons.layouts import Layout, Read, flags_of, sides_of
from headcount.io.comparisons.sides import find_sides
from headcount.io.reading import Reading
from headcount.io.roles.names import ROLES
from headcount.io.roles.roles import find_role, plain_name
from headcount.io.tables.table import Table
from headcount.io.values.cells import ids
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats, Ints

__all__ = ["WinMatrix", "WinsOfEach", "says_who_won"]

SURE = ("winner", "preference", "preferred", "better", "win")
"""What columns are called that say who won, and nothing else."""

WORTH = {"left wins": 1.0, "right wins": 0.0, "ties": 0.5}
"""Columns of counts, and the left item's share of the point in each."""


class WinsOfEach(Layout):
    """Two items, and how often each of them won; perhaps how often they tied."""

    needed = ("left", "right", "left wins", "right wins")
    counts = True
    forms: ClassVar[tuple[str, ...]] = (
        "{}_wins", "wins_{}", "{}_win", "win_{}", "{}_won", "n_wins_{}", "wins{}", "win{}",
    )  # fmt: skip
    sides: ClassVar[tuple[tuple[str, str], ...]] = (
        ("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("model_a", "model_b"),
        ("item_a", "item_b"), ("home", "away"), ("white", "black"),
    )  # fmt: skip
    ties: ClassVar[tuple[str, ...]] = ("tie", "ties", "draw", "draws", "n_ties", "tied")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a column of wins for each side, unless the outcome is in one column."""
        if given["outcome"] is not None:
            return None
        plain = [plain_name(name) for name in table.names]
        pairs = [(form.format(a), form.format(b)) for form in self.forms for a, b in self.sides]
        pair = next((pair for pair in pairs if {*pair} <= {*plain}), None)
        if pair is None:
            return None
        roles = find_sides(table, given)
        tie = next((plain.index(name) for name in self.ties if name in plain), None)
        roles |= {"left wins": plain.index(pair[0]), "right wins": plain.index(pair[1])}
        return roles if tie is None else roles | {"ties": tie}

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Write out each row as often as it says."""
        left, right, items = sides_of(table, roles["left"], roles["right"], reading, notes)
        counted = {
            WORTH[role]: _counts(table, column, reading, notes)
            for role, column in roles.items()
            if role in WORTH
        }
        row = np.concatenate([np.repeat(np.arange(table.rows), n) for n in counted.values()])
        share = np.repeat(list(counted), [int(n.sum()) for n in counted.values()])
        return _read(table, (left[row], right[row], items), share, row, "how often each side won")


class WinMatrix(Layout):
    """A row and a column for each item, and how often one beat the other."""

    needed = ()
    counts = True

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for rows that are called as the columns are."""
        names = table.names[1:]
        if any(given.values()) or table.rows != len(names) or table.rows < 2 or table.nested():
            return None
        if {*table.codes(0)[1]} != {*names}:
            return None
        return {"item": 0} | {f"item {i}": i for i in range(1, len(names) + 1)}

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Read the winner from the rows or the columns, as the name of the first column says."""
        corner = _corner(table)
        if corner not in (*ROLES["winner"], *ROLES["loser"]):
            raise DataError(
                f"{table.source}: a table of items against items, which does not say who won. Call "
                "its first column 'winner' if the item of the row beat that of the column as often "
                "as a cell says, or 'loser' if it is the other way round."
            )
        codes, texts = table.codes(0)
        across = [texts.index(name) for name in table.names[1:]]
        wins = np.stack([_counts(table, c, reading, notes) for c in range(1, len(roles))])
        column, row = np.nonzero(wins)
        of, at = codes[row], np.array(across)[column]
        kept = of != at
        times = wins[column, row][kept]
        row, first, second = (np.repeat(x[kept], times) for x in (row, of, at))
        if corner in ROLES["loser"]:
            first, second = second, first
        both, items = ids(
            encode([texts[code] for code in (*first, *second)]),
            reading, role="item", table=table, notes=notes,
        )  # fmt: skip
        sides = both[: len(first)], both[len(first) :], items
        return _read(table, sides, np.ones(len(first)), row, "how often one beat the other")


def says_who_won(table: Table) -> bool:
    """Whether a table of anything holds comparisons, though its items have no usual names."""
    nothing: dict[str, str | None] = dict.fromkeys(("left", "right", "outcome"))
    if {*WinsOfEach.needed} <= {*(WinsOfEach().find(table, nothing) or {})}:
        return True
    if WinMatrix().find(table, nothing):
        return _corner(table) in (*ROLES["winner"], *ROLES["loser"])
    outcome = find_role(table.names, "outcome")
    sure = outcome is not None and plain_name(table.names[outcome]) in SURE
    return sure and not table.nested() and len(find_sides(table, nothing)) == len(nothing) - 1


def _corner(table: Table) -> str:
    return plain_name(table.names[0])


def _read(
    table: Table, sides: tuple[Codes, Codes, list[str]], share: Floats, row: Ints, kind: str
) -> Read:
    left, right, items = sides
    if not len(row):
        raise DataError(f"{table.source}: no comparisons; all numbers of wins are 0.")
    return Read(
        left=left,
        right=right,
        items=items,
        share=share,
        kind=kind,
        both_bad=0,
        stray=np.zeros(len(row), dtype=bool),
        row=row,
    )


def _counts(table: Table, column: int, reading: Reading, notes: Notes) -> Ints:
    """Read whole numbers, or yes and no; a blank is none."""
    numbers, wrong = table.numbers(column)
    if wrong.any():
        return flags_of(table, column, reading, notes).astype(np.int64)
    numbers = np.nan_to_num(numbers)
    odd = np.flatnonzero((numbers < 0) | (numbers % 1 != 0))
    if len(odd):
        raise DataError(
            f"{table.at(int(odd[0]), column)}: expected how often it won, a whole number, found "
            f"{numbers[odd[0]]:g}. Rates of wins do not say of how many comparisons."
        )
    if numbers.sum() > MOST_REPEATED:
        raise DataError(
            f"{table.source}, column '{table.names[column]}': "
            f"{count(int(numbers.sum()), 'comparison')}; up to {MOST_REPEATED:,} are read."
        )
    return numbers.astype(np.int64)
