"""How tables lay out rankings of several items."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from headcount.data.comparisons import ranked_pairs, tied_items
from headcount.data.vocabulary import encode
from headcount.errors import DataError, count
from headcount.io.comparison_layouts import Layout, Read
from headcount.io.opening import ids, ids_of
from headcount.io.reading import Reading
from headcount.io.roles import find_role, plain_name
from headcount.io.tables import Table
from headcount.results.notes import Notes
from headcount.typing import Codes, Ints

__all__ = [
    "InOneColumn",
    "OneColumnAPlace",
    "RankBesideItem",
    "OneRowAnItem",
    "BestWorst",
]


# What a layout of rankings is, and how the rankings that it reads become pairs.

TWICE, SHORT = "item twice in a ranking", "fewer than two items"
"""Why rankings are left out."""
MOST_PAIRS = 50_000_000
"""Pairs that rankings may have, in all."""
PAIR_ROLES = ("left", "right", "outcome", "winner", "loser")
"""Roles of comparisons of two."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Entries:
    """Items that stand in rankings: which ranking, item and level, and the row that says so.

    `middle` is the level of items of which no order is known, if there is one.
    """

    ranking: Ints
    item: Codes
    level: Ints
    row: Ints
    items: list[str]
    middle: int | None = None


class Ranked(Layout):
    """A layout of rankings."""

    is_ranking = True
    needed = ()
    kind: ClassVar[str]

    @abstractmethod
    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read which items stand where in which ranking."""

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Write rankings as the pairs that they put in order."""
        made = self.entries(table, roles, reading, notes)
        present = made.item >= 0
        ranking, item, level = made.ranking[present], made.item[present], made.level[present]
        n = int(made.ranking.max(initial=-1)) + 1
        size = np.bincount(ranking, minlength=n)
        key = ranking * max(len(made.items), 1) + item
        twice = np.zeros(n, dtype=bool)
        order = np.argsort(key, kind="stable")
        twice[ranking[order][1:][np.diff(key[order]) == 0]] = True
        short = ~twice & (size < 2)
        dropped = {TWICE: int(twice.sum()), SHORT: int(short.sum())}
        whole = ~(twice | short)
        if not whole.any():
            raise DataError(
                f"{table.source}: no rankings; {count(dropped[TWICE], 'row')} name an item twice, "
                f"and {dropped[SHORT]:,} have fewer than two items."
            )
        pairs = int(np.sum(size[whole] * (size[whole] - 1) // 2))
        if pairs > MOST_PAIRS:
            raise DataError(
                f"{table.source}: its rankings have {pairs:,} pairs of items; up to "
                f"{MOST_PAIRS:,} are read. Leave some rankings out."
            )
        for reason, number in dropped.items():
            if number:
                notes.caution(f"{table.source}: {count(number, 'ranking')} left out ({reason}).")
        kept = whole[ranking]
        ordered = ranked_pairs(ranking[kept], item[kept], level[kept], middle=made.middle)
        first = np.zeros(n, dtype=np.int64)
        first[made.ranking[::-1]] = made.row[::-1]
        return Read(
            left=ordered.left,
            right=ordered.right,
            items=made.items,
            share=ordered.share,
            kind=self.kind,
            row=first[ordered.ranking],
            ranking=ordered.ranking,
            dropped={reason: number for reason, number in dropped.items() if number},
        )


# Names of columns, and cells.

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth")  # fmt: skip
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
        plain = plain_name(name)
        if plain in ORDINALS:
            columns.setdefault("first", {})[ORDINALS.index(plain) + 1] = column
        elif (match := _NUMBERED.fullmatch(plain)) and match[1] in stems:
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


def texts_of(table: Table, column: int) -> list[str]:
    """Texts of a column by row; "" where there is none."""
    codes, texts = table.codes(column)
    with_none = [*texts, ""]
    return [with_none[code] for code in cast("list[int]", codes.tolist())]


def levels_of(cell: Any) -> list[list[object]]:
    """Items of a cell that holds a list; a list in it is a tie."""
    if not isinstance(cell, list | tuple):
        return []
    return [tied_items(level) for level in cast("Sequence[object]", cell)]


def _entries(
    table: Table, rankings: Sequence[Sequence[Sequence[object]]], reading: Reading, notes: Notes
) -> Entries:
    """Make entries of rankings by row: their levels, and the items of each."""
    rows, names, levels = list[int](), list[object](), list[int]()
    for row, ranking in enumerate(rankings):
        for level, tied in enumerate(ranking):
            rows += [row] * len(tied)
            names += tied
            levels += [level] * len(tied)
    item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
    row = np.array(rows, dtype=np.int64)
    level = np.array(levels, dtype=np.int64)
    return Entries(ranking=row, item=item, level=level, row=row, items=items)


def _tied(text: str) -> list[object]:
    """Items of one level, between which there is '='."""
    return [part.strip() for part in text.split("=") if part.strip()]


# Layouts of rankings.


class InOneColumn(Ranked):
    """One row a ranking, all of it in one cell: a list, or text such as `a > b = c`."""

    needed = ("ranking",)
    kind = "a ranking, the best item first"
    names = ("ranking", "rankings", "ranked_items")
    signs = (">", ";", "|", ",")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a column of that name."""
        columns = all_named(table.names, self.names)
        return None if not columns or any(given.values()) else {"ranking": columns[0]}

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read lists, or take texts apart at the first sign that they have."""
        column = roles["ranking"]
        if column in table.nested():
            return _entries(table, [*map(levels_of, table.cells(column))], reading, notes)
        texts = texts_of(table, column)
        sign = next((s for s in self.signs if any(s in text for text in texts)), "")
        if not sign:
            raise DataError(
                f"{table.source}, column '{table.names[column]}': expected rankings such as "
                f"'a > b = c', the best item first, found '{next(filter(None, texts), '')}'. If it "
                "holds the rank of an item, call the column rank."
            )
        rankings = [[_tied(part) for part in text.split(sign)] for text in texts]
        return _entries(table, rankings, reading, notes)


class OneColumnAPlace(Ranked):
    """One row a ranking, one column a place, the best first; `b=c` in a cell is a tie."""

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

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read one row after the other."""
        texts = [texts_of(table, column) for column in roles.values()]
        rankings = [[_tied(text) for text in row] for row in zip(*texts, strict=True)]
        return _entries(table, rankings, reading, notes)


class RankBesideItem(Ranked):
    """One row a ranking: columns of items, and beside each that of its rank, as WMT's files have.

    `system1Id` and `system1rank`, ...; without the first, `apple_rank` is the rank of apple.
    """

    kind = "the rank of an item, 1 for the best"
    rank_of = re.compile(r"(?i)(.+?)[\s_.-]*rank")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for two columns of ranks or more; all of them beside a column of items, or none."""
        if any(given.values()):
            return None
        if any(find_role(table.names, role) is not None for role in PAIR_ROLES):
            return None
        plain = [plain_name(name) for name in table.names]
        ranks = {m[1]: i for i, name in enumerate(plain) if (m := self.rank_of.fullmatch(name))}
        items = {
            stem: columns[0]
            for stem in ranks
            if (columns := all_named(plain, [stem + end for end in ("", "_id", "id", "_name")]))
        }
        if len(ranks) < 2 or len(items) not in (0, len(ranks)):
            return None
        roles = {f"rank {i}": column for i, column in enumerate(ranks.values(), 1)}
        return roles | {f"item {i}": items[stem] for i, stem in enumerate(ranks, 1) if items}

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read one column after the other; a rank below 1 is none."""
        columns = [column for role, column in roles.items() if role.startswith("rank ")]
        beside = [column for role, column in roles.items() if role.startswith("item ")]
        ranks = np.stack([table.only_numbers(column) for column in columns], axis=1)
        none = int((ranks < 1).sum())
        if none:
            notes.caution(f"{table.source}: {count(none, 'rank')} below 1 read as not ranked.")
        row, index = np.nonzero(ranks >= 1)
        texts = [texts_of(table, column) for column in beside] or [
            [re.sub(self.rank_of, r"\1", table.names[column])] * table.rows for column in columns
        ]
        cells = zip(index.tolist(), row.tolist(), strict=True)
        names = encode([texts[i][r] or None for i, r in cells])
        item, items = ids(names, reading, role="item", table=table, notes=notes)
        level: Ints = np.unique(ranks[row, index], return_inverse=True)[1].reshape(-1)
        return Entries(ranking=row, item=item, level=level, row=row, items=items)


BALLOTS = ("ranking", "ranking_id", "ballot", "ballot_id", "question", "question_id", "task",
           "task_id", "trial", "prompt", "prompt_id", "set", "set_id", "rater", "worker",
           "annotator", "judge", "user", "voter", "respondent", "parent_id")  # fmt: skip
"""Names of columns that say which ranking a row is of."""


class OneRowAnItem(Ranked):
    """One row an item of a ranking: which ranking, which item, and its place; equal is a tie."""

    needed = ("item", "rank")
    kind = "the rank of an item, 1 for the best"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for an item, its rank, and what says which rows belong together."""
        ranks = all_named(table.names, ("rank", "place", "position"))
        if not ranks or any(given.values()):
            return None
        if any(find_role(table.names, role) is not None for role in ("outcome", "loser")):
            return None
        item = find_role(table.names, "item")
        ranked = all_named(table.names, ("model", "system", "option", "candidate", "model_name"))
        # A question is what items are ranked for, where something else may be the item.
        if ranked and (item is None or plain_name(table.names[item]) in BALLOTS):
            item = ranked[0]
        who = find_role(table.names, "rater")
        ballots = [c for c in all_named(table.names, BALLOTS) if c not in (ranks[0], item)]
        if item is None or not ballots:
            return None
        apart = {f"ranking {i}": c for i, c in enumerate(ballots, 1) if c != who}
        return {"item": item, "rank": ranks[0]} | apart

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Put rows of the same ranking together."""
        item, items = ids_of(table, roles["item"], reading, role="item", notes=notes)
        level = table.only_numbers(roles["rank"])
        who = find_role(table.names, "rater")
        beside = {column for role, column in roles.items() if role not in self.needed}
        columns = sorted(beside | {who} - {None, roles["item"]})
        codes = np.stack([table.codes(column)[0] for column in columns])
        whole = (codes >= 0).all(axis=0) & ~np.isnan(level)
        return Entries(
            ranking=np.unique(codes[:, whole], axis=1, return_inverse=True)[1].reshape(-1),
            item=item[whole],
            level=np.unique(level[whole], return_inverse=True)[1].reshape(-1),
            row=np.flatnonzero(whole),
            items=items,
        )


BEST = ("best", "best_item", "bestitem", "most", "top", "chosen", "winner")
WORST = ("worst", "worst_item", "worstitem", "least", "bottom")
SHOWN = ("", "item", "choice", "option", "model", "system", "candidate", "answer", "response",
         "text")  # fmt: skip
"""What numbered columns of a set are called, before the number."""


class BestWorst(Ranked):
    """One row a set of items in numbered columns, or a list; which is best, and which is worst."""

    kind = "the best and the worst of a set"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a set of three items or more, and a column of the best or the worst."""
        named = {"best": all_named(table.names, BEST), "worst": all_named(table.names, WORST)}
        roles = {role: columns[0] for role, columns in named.items() if columns}
        if any(given.values()) or not roles:
            return None
        shown = numbered(table.names, SHOWN)
        if len(shown) >= 3:
            return roles | {f"item {i}": column for i, column in enumerate(shown, 1)}
        lists = [c for c in table.nested() if plain_name(table.names[c]) in ("items", "set")]
        return roles | {"items": lists[0]} if lists else None

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read the sets, and find the best and the worst in them."""
        sets = self._sets(table, roles)
        chosen = {role: texts_of(table, roles[role]) for role in ("best", "worst") if role in roles}
        rankings = [[list[object](), [*shown], list[object]()] for shown in sets]
        for role, texts in chosen.items():
            stray = [row for row, text in enumerate(texts) if text and text not in sets[row]]
            if stray:
                notes.warning(
                    f"{table.at(stray[0], roles[role])}: '{texts[stray[0]]}' is not among the "
                    f"items of its row; {count(len(stray), 'such answer')} left out."
                )
            for row, text in enumerate(texts):
                # A row that names the same item as best and as worst says nothing of it.
                if text in sets[row] and [t[row] for t in chosen.values()].count(text) == 1:
                    rankings[row][1].remove(text)
                    rankings[row][0 if role == "best" else 2].append(text)
        made = _entries(table, rankings, reading, notes)
        return Entries(
            ranking=made.ranking, item=made.item, level=made.level, row=made.row, items=made.items,
            middle=1,
        )  # fmt: skip

    def _sets(self, table: Table, roles: Mapping[str, int]) -> list[list[str]]:
        """Items that each row shows."""
        if "items" in roles:
            lists = [levels_of(cell) for cell in table.cells(roles["items"])]
            return [[str(name) for tied in shown for name in tied] for shown in lists]
        columns = [c for role, c in roles.items() if role not in ("best", "worst")]
        texts = [texts_of(table, column) for column in columns]
        return [[text for text in row if text] for row in zip(*texts, strict=True)]
