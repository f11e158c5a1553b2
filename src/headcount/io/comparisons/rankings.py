"""How a table lays rankings out: several items that somebody put in order at once."""

from __future__ import annotations

import csv
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from headcount.data.comparisons import tied_items
from headcount.data.ranked_pairs import RankedPairs, ranked_pairs
from headcount.data.vocabulary import encode
from headcount.errors import DataError, count
from headcount.io.comparisons.layouts import Layout, Read
from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role, plain_name
from headcount.io.tables.table import Table
from headcount.io.values.cells import ids, ids_of
from headcount.results.notes import Notes
from headcount.typing import Codes, Ints

__all__ = [
    "IN_ORDER",
    "BestWorst",
    "InOneColumn",
    "OneColumnAPlace",
    "OneRowAnItem",
    "Ranked",
    "header_is_ranking",
    "holds_rankings",
    "rows_are_rankings",
    "uneven_rows",
]

TWICE, SHORT = "item twice in a ranking", "fewer than two items"
"""Why rankings are left out."""
MOST_PAIRS = 50_000_000
"""Pairs that rankings may have, in all."""
PLACES = ("", "item", "rank", "ranked", "place", "position", "pos", "choice", "option", "model",
          "system", "candidate", "answer", "response", "text")  # fmt: skip
"""What numbered columns of a ranking are called, before the number."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth")  # fmt: skip
RANKINGS = ("ranking", "rankings", "ranked", "order", "ordering", "ranked_items", "items_ranked")
"""Names of a column that holds whole rankings."""
RANKS = ("rank", "place", "position", "ranking", "pos")
"""Names of a column that says which place an item has."""
BALLOTS = ("ranking", "ranking_id", "ballot", "ballot_id", "question", "question_id", "task",
           "task_id", "trial", "prompt", "prompt_id", "set", "set_id", "rater", "worker",
           "annotator", "judge", "user", "voter", "respondent")  # fmt: skip
"""Names of columns that say which ranking a row is of."""
BEST = ("best", "best_item", "bestitem", "most", "top", "chosen", "winner")
WORST = ("worst", "worst_item", "worstitem", "least", "bottom")
MOST_TEXT = 50_000_000
"""Characters of a file of rankings of different lengths, at most."""
KNOWN = ("outcome", "winner", "loser", "rater")
"""Roles whose names tell a header from a ranking."""
MOST_TWICE = 0.05
"""Share of rows that may name an item twice if rows are rankings."""
_NUMBERED = re.compile(r"([a-z_]*?)_?(\d+)(?:st|nd|rd|th)?")


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
    kind: ClassVar[str]

    @abstractmethod
    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read which items stand where in which ranking."""

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Write rankings as the pairs that they put in order."""
        made = self.entries(table, roles, reading, notes)
        known = made.item >= 0
        ranking, item, level = made.ranking[known], made.item[known], made.level[known]
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
        kept = whole[ranking]
        made_pairs = ranked_pairs(ranking[kept], item[kept], level[kept], middle=made.middle)
        for reason, number in dropped.items():
            if number:
                notes.caution(f"{table.source}: {count(number, 'ranking')} left out ({reason}).")
        return self._read(made, made_pairs, dropped)

    def _read(self, made: Entries, pairs: RankedPairs, dropped: dict[str, int]) -> Read:
        first = np.zeros(int(made.ranking.max(initial=0)) + 1, dtype=np.int64)
        first[made.ranking[::-1]] = made.row[::-1]
        return Read(
            left=pairs.left,
            right=pairs.right,
            items=made.items,
            share=pairs.share,
            kind=self.kind,
            both_bad=0,
            stray=np.zeros(len(pairs.left), dtype=bool),
            row=first[pairs.ranking],
            ranking=pairs.ranking,
            dropped={reason: number for reason, number in dropped.items() if number},
        )


class OneColumnAPlace(Ranked):
    """One row a ranking, one column a place, the best first; `b=c` in a cell is a tie."""

    needed = ()
    kind = "the order of the columns, the best item first"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for three numbered columns or more, without one that names a winner."""
        places = _numbered(table.names)
        beside = [find_role(table.names, role) for role in ("outcome", "winner")]
        if len(places) < 3 or any(column not in (None, *places) for column in beside):
            return None
        if any(given.values()) or _named(table.names, (*BEST, *WORST)) is not None:
            return None
        return {f"place {i}": column for i, column in enumerate(places, 1)}

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read one column after the other."""
        rows, names, levels = list[Ints](), list[object](), list[Ints]()
        for level, column in enumerate(roles.values()):
            codes, texts = table.codes(column)
            tied = [[part.strip() for part in text.split("=")] for text in texts]
            sizes = np.array([*map(len, tied), 0], dtype=np.int64)
            rows.append(np.repeat(np.arange(len(codes)), sizes[codes]))
            levels.append(np.full(len(rows[-1]), level))
            whole: list[int] = codes[codes >= 0].tolist()
            for code in whole:
                names += tied[code]
        row = np.concatenate(rows)
        item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
        return Entries(ranking=row, item=item, level=np.concatenate(levels), row=row, items=items)


IN_ORDER = OneColumnAPlace()


class InOneColumn(Ranked):
    """One row a ranking, all of it in one cell: a list, or text such as `a > b = c`."""

    needed = ("ranking",)
    kind = "a ranking, the best item first"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a column of lists, or of text with a sign between items."""
        column = _named(table.names, RANKINGS)
        if column is None or any(given.values()):
            return None
        if column in table.nested() or _sign(table.codes(column)[1]):
            return {"ranking": column}
        return None

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read lists, or take texts apart."""
        column = roles["ranking"]
        if column in table.nested():
            rankings = [_levels(cell) for cell in table.cells(column)]
        else:
            codes, texts = table.codes(column)
            sign = _sign(texts)
            parts = [_split(text, sign) for text in texts] + [[]]
            places: list[int] = codes.tolist()
            rankings = [parts[code] for code in places]
        rows, names, levels = list[int](), list[object](), list[int]()
        for row, ranking in enumerate(rankings):
            for level, tied in enumerate(ranking):
                rows += [row] * len(tied)
                names += tied
                levels += [level] * len(tied)
        item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
        row = np.array(rows, dtype=np.int64)
        return Entries(ranking=row, item=item, level=np.array(levels), row=row, items=items)


class OneRowAnItem(Ranked):
    """One row an item of a ranking: which ranking, which item, and its place; equal is a tie."""

    needed = ("item", "rank")
    kind = "the rank of an item, 1 for the best"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for an item, its rank, and what says which rows belong together."""
        rank = _named(table.names, RANKS)
        if rank is None or any(given.values()):
            return None
        if any(find_role(table.names, role) is not None for role in ("outcome", "loser")):
            return None
        item = find_role(table.names, "item")
        item = _named(table.names, ("model", "system", "option")) if item in (None, rank) else item
        ballots = _all_named(table.names, BALLOTS, besides=(rank, item))
        if item is None or not ballots or table.numbers(rank)[1].any():
            return None
        who = find_role(table.names, "rater")
        apart = {f"ranking {i}": c for i, c in enumerate(ballots, 1) if c != who}
        return {"item": item, "rank": rank} | apart

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Put rows of the same ranking together."""
        item, items = ids_of(table, roles["item"], reading, role="item", notes=notes)
        level = table.only_numbers(roles["rank"])
        who = find_role(table.names, "rater")
        beside = [column for role, column in roles.items() if role not in self.needed]
        columns = [*beside, *([] if who is None or who in roles.values() else [who])]
        codes = np.stack([table.codes(column)[0] for column in columns])
        known = (codes >= 0).all(axis=0) & ~np.isnan(level)
        ranking = np.unique(codes[:, known], axis=1, return_inverse=True)[1].reshape(-1)
        return Entries(
            ranking=ranking,
            item=item[known],
            level=np.unique(level[known], return_inverse=True)[1].reshape(-1),
            row=np.flatnonzero(known),
            items=items,
        )


class BestWorst(Ranked):
    """One row a set of items in numbered columns, or a list; which is best, and which is worst."""

    needed = ()
    kind = "the best and the worst of a set"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a set of three items or more, and a column of the best or the worst."""
        if any(given.values()):
            return None
        best, worst = _named(table.names, BEST), _named(table.names, WORST)
        if best is None and worst is None:
            return None
        shown = _numbered(table.names, besides=(best, worst))
        lists = [c for c in table.nested() if plain_name(table.names[c]) in ("items", "set")]
        if len(shown) < 3 and not lists:
            return None
        sides = {"best": best, "worst": worst}
        roles = {role: column for role, column in sides.items() if column is not None}
        if len(shown) < 3:
            return roles | {"items": lists[0]}
        return roles | {f"item {i}": column for i, column in enumerate(shown, 1)}

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read the sets, and find the best and the worst in them."""
        rows, names = self._sets(table, roles)
        chosen = {role: _texts(table, roles[role]) for role in ("best", "worst") if role in roles}
        level = np.ones(len(names), dtype=np.int64)
        marks = {role: np.zeros(table.rows, dtype=bool) for role in chosen}
        for i, (row, name) in enumerate(zip(rows.tolist(), names, strict=True)):
            for role, texts in chosen.items():
                if texts[row] == name:
                    level[i] = 0 if role == "best" else 2
                    marks[role][row] = True
        for role, texts in chosen.items():
            stray = [row for row, text in enumerate(texts) if text and not marks[role][row]]
            if stray:
                notes.warning(
                    f"{table.at(stray[0], roles[role])}: '{texts[stray[0]]}' is not among the "
                    f"items of its row; {count(len(stray), 'such answer')} left out."
                )
        # A row that names the same item as best and as worst says nothing of it.
        both = (
            [a and a == b for a, b in zip(*chosen.values(), strict=True)] if len(chosen) > 1 else []
        )
        level[np.isin(rows, np.flatnonzero(both))] = 1
        item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
        return Entries(ranking=rows, item=item, level=level, row=rows, items=items, middle=1)

    def _sets(self, table: Table, roles: Mapping[str, int]) -> tuple[Ints, list[str]]:
        """Rows and names of all items that were shown."""
        if "items" in roles:
            lists = [_levels(cell) for cell in table.cells(roles["items"])]
            shown = [[name for tied in one for name in tied] for one in lists]
            rows = np.repeat(np.arange(len(shown)), [len(one) for one in shown])
            return rows, [str(name) for one in shown for name in one]
        columns = [c for role, c in roles.items() if role not in ("best", "worst")]
        texts = [_texts(table, column) for column in columns]
        cells = [(row, one[row]) for row in range(table.rows) for one in texts if one[row]]
        return np.array([row for row, _ in cells], dtype=np.int64), [name for _, name in cells]


def _texts(table: Table, column: int) -> list[str]:
    codes, texts = table.codes(column)
    named, places = [*texts, ""], list[int](codes.tolist())
    return [named[code] for code in places]


def _levels(cell: Any) -> list[list[object]]:
    """Items of a cell that holds a list; a list in it is a tie."""
    if not isinstance(cell, list | tuple):
        return []
    return [tied_items(one) for one in cast("Sequence[object]", cell)]


def _sign(texts: Sequence[str]) -> str:
    """Find what stands between items in texts of rankings; "" if nothing does."""
    for sign in (">", ",", ";", "|"):
        if sum(sign in text for text in texts) > len(texts) / 2:
            return sign
    return ""


def _split(text: str, sign: str) -> list[list[object]]:
    parts = [part.split("=") for part in text.split(sign)]
    return [[one.strip() for one in tied if one.strip()] for tied in parts]


def _numbered(names: Sequence[str], besides: Sequence[int | None] = ()) -> list[int]:
    """Columns that are numbered one after the other under one name, such as rank_1, rank_2, ..."""
    found: dict[str, dict[int, int]] = {}
    for column, name in enumerate(names):
        plain = plain_name(name)
        if column in besides:
            continue
        if plain in ORDINALS:
            found.setdefault("first", {})[ORDINALS.index(plain) + 1] = column
        elif (match := _NUMBERED.fullmatch(plain)) and match[1] in PLACES:
            found.setdefault(match[1], {})[int(match[2])] = column
    for places in found.values():
        numbers = sorted(places)
        if numbers and numbers[0] in (0, 1) and numbers[-1] - numbers[0] + 1 == len(numbers):
            return [places[number] for number in numbers]
    return []


def _named(names: Sequence[str], known: Sequence[str]) -> int | None:
    plain = [plain_name(name) for name in names]
    return next((plain.index(name) for name in known if name in plain), None)


def _all_named(
    names: Sequence[str], known: Sequence[str], *, besides: Sequence[int | None]
) -> list[int]:
    plain = [plain_name(name) for name in names]
    found = [plain.index(name) for name in known if name in plain]
    return [column for column in found if column not in besides]


def holds_rankings(table: Table) -> bool:
    """Whether a table of anything holds rankings, by names that nothing else has.

    Numbered columns may as well be raters': they must be called ranks or places, or stand beside
    the best or the worst.
    """
    nothing: dict[str, str | None] = dict.fromkeys(("left", "right", "outcome"))
    if BestWorst().find(table, nothing) or InOneColumn().find(table, nothing):
        return True
    places = IN_ORDER.find(table, nothing) or {}
    names = [plain_name(table.names[column]) for column in places.values()]
    sure = ("rank", "place", *ORDINALS)
    return bool(names) and all(name.startswith(sure) for name in names)


def header_is_ranking(table: Table) -> bool:
    """Whether what should be the header is a ranking: names that come again below it."""
    names = [name.strip() for name in table.names]
    if len(names) < 3 or not all(names) or len(set(names)) < len(names) or _numbered(names):
        return False
    if table.nested() or any(find_role(names, role) is not None for role in KNOWN):
        return False  # before any column is read, which takes long
    known = {text for column in range(len(names)) for text in table.codes(column)[1]}
    return set(names) <= known and rows_are_rankings(table)


def rows_are_rankings(table: Table) -> bool:
    """Whether rows without names of columns are items in order, and not a pair and its outcome.

    All columns hold the same items, of which none comes twice in a row.
    """
    columns = range(len(table.names))
    if len(columns) < 3 or table.nested() or not table.rows:
        return False
    texts = [set(table.codes(column)[1]) for column in columns]
    first = texts[0] | texts[1]
    if not all(2 * len(one & first) > len(one) for one in texts[2:]):
        return False
    coded = [table.codes(column) for column in columns]
    place = {text: i for i, text in enumerate(dict.fromkeys(t for _, ts in coded for t in ts))}
    rows = np.stack([np.array([*(place[t] for t in ts), -1])[codes] for codes, ts in coded])
    rows = np.sort(rows, axis=0)
    twice = ((rows[1:] == rows[:-1]) & (rows[1:] >= 0)).any(axis=0)
    return bool(twice.mean() < MOST_TWICE)


def uneven_rows(data: Any) -> list[tuple[str | None, ...]] | None:
    """Rows of a text file of rankings of different lengths, which no reader of tables takes.

    None for anything else: one with a header, or in which items do not come again.
    """
    if not isinstance(data, str | PathLike):
        return None
    path = Path(cast("str | PathLike[str]", data))
    if path.suffix.lower() not in (".csv", ".tsv", ".txt") or not path.is_file():
        return None
    try:
        with path.open(encoding="utf-8-sig") as file:
            first = file.readline(MOST_TEXT)
            sign = max(",;\t", key=first.count)
            names = [cell.strip() for cell in first.split(sign)]
            if any(find_role(names, role) is not None for role in KNOWN):
                return None  # before all of it is read
            lines = [first, *file.readlines(MOST_TEXT)]
            if file.readline(1):
                return None  # more than is read here: none of it, rather than some
        read = csv.reader(lines, delimiter=sign)
        rows = [[cell.strip() for cell in row] for row in read if row]
    except (OSError, UnicodeDecodeError, csv.Error):
        return None
    widths = {len(row) for row in rows}
    if len(widths) < 2 or min(widths) < 2:
        return None
    items = [cell for row in rows for cell in row]
    again = set(rows[0]) <= {cell for row in rows[1:] for cell in row}
    if not again or 2 * len(set(items)) > len(items) or any(len({*r}) < len(r) for r in rows):
        return None
    width = max(widths)
    return [(*row, *[None] * (width - len(row))) for row in rows]
