"""How tables lay out rankings of several items."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from headcount.data.comparisons import ranked_pairs, tied_items
from headcount.data.vocabulary import encode
from headcount.errors import DataError, count, option, some
from headcount.io.comparison_layouts import Layout, Read
from headcount.io.opening import ids
from headcount.io.reading import Reading
from headcount.io.roles import INDEX_NAME, find_role, plain_name
from headcount.io.tables import Table
from headcount.io.tools.contents import cells_of
from headcount.io.values import Several
from headcount.results.notes import Notes
from headcount.typing import Floats

__all__ = [
    "InOneColumn",
    "OneColumnAPlace",
    "RankBesideItem",
    "BestWorst",
    "check_ranks",
]


# What a layout of rankings is, and how the rankings that it reads become pairs.

TWICE, SHORT = "item twice in a ranking", "fewer than two items"
"""Why rankings are left out."""
MOST_PAIRS = 50_000_000
"""Pairs that rankings may have, in all."""
PAIR_ROLES = ("left", "right", "outcome", "winner", "loser")
"""Roles of comparisons of two."""


Rankings = Iterable[tuple[int, Sequence[Sequence[object]]]]
"""Rankings: a row of each, the first of several, and its items by level, the best first."""


class Ranked(Layout):
    """A layout of rankings."""

    is_ranking = True
    needed = ()
    kind: ClassVar[str]
    middle: ClassVar[int | None] = None
    """The level of items of which no order is known, if there is one."""

    @abstractmethod
    def rankings(self, table: Table, roles: Mapping[str, int], notes: Notes) -> Rankings:
        """Read the rankings."""

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Write rankings as the pairs that they put in order."""
        rows, names = list[int](), list[object]()
        ranking, level, dropped, pairs = list[int](), list[int](), Counter[str](), 0
        for row, levels in self.rankings(table, roles, notes):
            size = sum(map(len, levels))
            twice = len({name for tied in levels for name in tied}) < size
            if twice or size < 2:
                dropped[TWICE if twice else SHORT] += 1
                continue
            for index, tied in enumerate(levels):
                names += tied
                level += [index] * len(tied)
            ranking += [len(rows)] * size
            rows.append(row)
            pairs += size * (size - 1) // 2
        if not rows:
            raise DataError(
                f"{table.source}: no rankings; {count(dropped[TWICE], 'row')} name an item twice, "
                f"and {dropped[SHORT]:,} have fewer than two items."
            )
        if pairs > MOST_PAIRS:
            raise DataError(
                f"{table.source}: its rankings have {pairs:,} pairs of items; up to "
                f"{MOST_PAIRS:,} are read. Leave some rankings out."
            )
        for reason, number in dropped.items():
            notes.caution(f"{table.source}: {count(number, 'ranking')} left out ({reason}).")
        item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
        ordered = ranked_pairs(np.array(ranking), item, np.array(level), middle=self.middle)
        return Read(
            left=ordered.left,
            right=ordered.right,
            items=items,
            share=ordered.share,
            kind=self.kind,
            row=np.array(rows)[ordered.ranking],
            ranking=ordered.ranking,
            dropped=dropped,
        )


# Names of columns, and cells.

_NUMBERED = re.compile(r"([a-z_]*?)_?(\d+)(?:st|nd|rd|th)?")


def numbered(names: Sequence[str], stems: Sequence[str]) -> list[int]:
    """Columns that are numbered one after the other under one name, such as rank_1, rank_2, ...

    Examples
    --------
    >>> numbered(["rater", "Rank 1", "Rank 2"], ["rank"]), numbered(["rank1", "rank3"], ["rank"])
    ([1, 2], [])
    """
    columns: dict[str, dict[int, int]] = {}
    for column, name in enumerate(names):
        if (match := _NUMBERED.fullmatch(plain_name(name))) and match[1] in stems:
            columns.setdefault(match[1], {})[int(match[2])] = column
    for by_number in columns.values():
        numbers = sorted(by_number)
        if numbers[0] in (0, 1) and numbers[-1] - numbers[0] + 1 == len(numbers):
            return [by_number[number] for number in numbers]
    return []


def all_named(names: Sequence[str], usual: Sequence[str]) -> list[int]:
    """Columns that have usual names, in the order of these."""
    plain = [plain_name(name) for name in names]
    return [plain.index(name) for name in usual if name in plain]


def levels_of(cell: Any) -> list[list[object]]:
    """Items of a cell that holds a list; a list in it is a tie."""
    if not isinstance(cell, list | tuple):
        return []
    return [tied_items(level) for level in cast("Sequence[object]", cell)]


def tied_in(text: str) -> list[str]:
    """Items of one level, between which there is '='."""
    return [part.strip() for part in text.split("=") if part.strip()]


def in_order(ranked: Sequence[tuple[float, str]]) -> list[list[str]]:
    """Items by rank, the lowest first; those of the same rank are tied.

    Examples
    --------
    >>> in_order([(2, "a"), (1, "b"), (2, "c")])
    [['b'], ['a', 'c']]
    """
    levels: dict[float, list[str]] = {}
    for rank, item in sorted(ranked):
        levels.setdefault(rank, []).append(item)
    return list(levels.values())


# Layouts of rankings.


class InOneColumn(Ranked):
    """One row per ranking, all of it in one cell: a list, or text such as `a > b = c`."""

    needed = ("ranking",)
    kind = "a ranking, the best item first"
    names = ("ranking", "rankings", "ranked_items")
    signs = (">", ";", "|", ",")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a column of that name."""
        columns = all_named(table.names, self.names)
        return None if not columns or any(given.values()) else {"ranking": columns[0]}

    def rankings(self, table: Table, roles: Mapping[str, int], notes: Notes) -> Rankings:
        """Read lists, or take texts apart at the first sign that they have."""
        column = roles["ranking"]
        if column in table.nested():
            return enumerate(map(levels_of, table.cells(column)))
        texts = cells_of(table, column)
        sign = next((s for s in self.signs if any(s in text for text in texts)), None)
        if sign is None:
            raise DataError(
                f"{table.source}, column '{table.names[column]}': expected rankings such as "
                f"'a > b = c', the best item first, found '{next(filter(None, texts), '')}'. If it "
                "holds the rank of an item, make a column for the rank of each (apple_rank, ...)."
            )
        return enumerate([tied_in(part) for part in text.split(sign)] for text in texts)


class OneColumnAPlace(Ranked):
    """One row per ranking, one column per place, the best first; `b=c` in a cell is a tie."""

    kind = "the order of the columns, the best item first"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for three numbered columns or more, without one that names a winner."""
        columns = numbered(table.names, ("rank", "ranked", "place", "position"))
        beside = [find_role(table.names, role) for role in ("outcome", "winner")]
        if len(columns) < 3 or any(column not in (None, *columns) for column in beside):
            return None
        if any(given.values()) or all_named(table.names, (*BEST, *WORST)):
            return None
        return {f"place {i}": column for i, column in enumerate(columns, 1)}

    def rankings(self, table: Table, roles: Mapping[str, int], notes: Notes) -> Rankings:
        """Read one row after the other."""
        texts = [cells_of(table, column) for column in roles.values()]
        return enumerate([tied_in(text) for text in row] for row in zip(*texts, strict=True))


class RankBesideItem(Ranked):
    """One row per ranking: columns of items, and beside each that of its rank, as WMT's files have.

    `system1Id` and `system1rank`, ...; without the first, `apple_rank` is the rank of apple.
    """

    kind = "the rank of an item, 1 for the best"
    rank_of = re.compile(r"(?i)(.+?)[\s_.-]*rank|rank(?:[\s_.-]*of)?[\s_.-]+(.+)")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for two columns of ranks or more; all of them beside a column of items, or none."""
        if any(given.values()):
            return None
        if any(find_role(table.names, role) is not None for role in PAIR_ROLES):
            return None
        plain = [plain_name(name) for name in table.names]
        ranks = {
            m[1] or m[2]: i for i, name in enumerate(plain) if (m := self.rank_of.fullmatch(name))
        }
        items = {
            stem: columns[0]
            for stem in ranks
            if (columns := all_named(plain, [stem + end for end in ("", "_id", "id", "_name")]))
        }
        if len(ranks) < 2 or len(items) not in (0, len(ranks)):
            return None
        roles = {f"rank {i}": column for i, column in enumerate(ranks.values(), 1)}
        return roles | {f"item {i}": items[stem] for i, stem in enumerate(ranks, 1) if items}

    def rankings(self, table: Table, roles: Mapping[str, int], notes: Notes) -> Rankings:
        """Put the items of a row in the order of their ranks; a rank below 1 is none."""
        columns = [column for role, column in roles.items() if role.startswith("rank ")]
        ranks = [table.only_numbers(column) for column in columns]
        if none := int(sum((rank < 1).sum() for rank in ranks)):
            notes.caution(f"{table.source}: {count(none, 'rank')} below 1 read as not ranked.")
        items = [cells_of(table, column) for role, column in roles.items() if "item" in role]
        if not items:
            named = [self.rank_of.fullmatch(table.names[column]) for column in columns]
            items = [
                [(match[1] or match[2]) if match else table.names[column]] * table.rows
                for match, column in zip(named, columns, strict=True)
            ]
        for row in range(table.rows):
            cells = [(rank[row], item[row]) for rank, item in zip(ranks, items, strict=True)]
            yield row, in_order([(rank, item) for rank, item in cells if rank >= 1 and item])


def check_ranks(table: Table) -> None:
    """Refuse columns that may hold the ranks of items that they are called after, and say how."""
    roles = {find_role(table.names, role) for role in ("rater", "item")}
    ranks: dict[int, Floats] = {}
    for i, name in enumerate(table.names):
        if i not in (*roles, *table.nested()) and not INDEX_NAME.fullmatch(name or "index"):
            numbers, wrong = table.numbers(i)
            if not wrong.any() and not (numbers % 1 != 0).any():
                ranks[i] = numbers
    if len(ranks) < 2:
        return
    values = np.sort(np.stack(list(ranks.values()), axis=1), axis=1)
    if (values == np.arange(1, len(ranks) + 1)).all():
        names = Several(table.names[i] for i in ranks)
        raise DataError(
            f"{table.source}: each row has the numbers from 1 to {len(ranks)} in columns "
            f"{some(names)}, as the ranks of items have. If they are ranks, 1 for the best, say "
            f"{option('columns', names)}."
        )


BEST = ("best", "best_item", "bestitem", "most", "top", "chosen", "winner")
WORST = ("worst", "worst_item", "worstitem", "least", "bottom")
SHOWN = ("", "item", "choice", "option", "model", "system", "candidate", "answer", "response",
         "text")  # fmt: skip
"""What numbered columns of a set are called, before the number."""


class BestWorst(Ranked):
    """One row per set of items in numbered columns; which is best, and which is worst."""

    kind = "the best and the worst of a set"
    middle = 1

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a set of three items or more, and a column of the best or the worst."""
        named = {"best": all_named(table.names, BEST), "worst": all_named(table.names, WORST)}
        roles = {role: columns[0] for role, columns in named.items() if columns}
        if any(given.values()) or not roles:
            return None
        shown = numbered(table.names, SHOWN)
        return roles | {f"item {i}": c for i, c in enumerate(shown, 1)} if len(shown) >= 3 else None

    def rankings(self, table: Table, roles: Mapping[str, int], notes: Notes) -> Rankings:
        """Read the sets, and put the best before and the worst behind what is left of them."""
        columns = [cells_of(table, c) for r, c in roles.items() if r not in ("best", "worst")]
        sets = [[text for text in row if text] for row in zip(*columns, strict=True)]
        blank = [""] * table.rows
        chosen = {r: cells_of(table, roles[r]) if r in roles else blank for r in ("best", "worst")}
        for role, texts in chosen.items():
            stray = [row for row, text in enumerate(texts) if text and text not in sets[row]]
            if stray:
                notes.warning(
                    f"{table.at(stray[0], roles[role])}: '{texts[stray[0]]}' is not among the "
                    f"items of its row; {count(len(stray), 'such answer')} left out."
                )
        for row, (shown, *ends) in enumerate(zip(sets, *chosen.values(), strict=True)):
            # A row that names the same item as best and as worst says nothing of it.
            best, worst = ([text] if text in shown and ends[0] != ends[1] else [] for text in ends)
            yield row, [best, [text for text in shown if text not in (*best, *worst)], worst]
