"""How tables lay out rankings of several items, and counted wins."""

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

from headcount.data.comparisons import RankedPairs, ranked_pairs, tied_items
from headcount.data.vocabulary import encode
from headcount.errors import DataError, count
from headcount.io.comparison_layouts import Layout, Read, find_sides, flags_of, sides_of
from headcount.io.opening import ids, ids_of
from headcount.io.reading import Reading
from headcount.io.roles import ROLES, find_role, plain_name
from headcount.io.tables import Table
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = [
    "numbered",
    "named",
    "InOneColumn",
    "IN_ORDER",
    "OneColumnAnItem",
    "OneRowAnItem",
    "BestWorst",
    "holds_rankings",
    "holds_ranks",
    "header_is_ranking",
    "rows_are_rankings",
    "uneven_rows",
    "MOST_REPEATED",
    "counts_column",
    "WinsOfEach",
    "WinMatrix",
    "says_who_won",
]


# What a layout of rankings is, and how the rankings that it reads become pairs.

TWICE, SHORT = "item twice in a ranking", "fewer than two items"
"""Why rankings are left out."""
MOST_PAIRS = 50_000_000
"""Pairs that rankings may have, in all."""


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


# Cells of rankings: texts, and lists of items.


def texts_of(table: Table, column: int) -> list[str]:
    """Texts of a column by row; "" where there is none."""
    codes, texts = table.codes(column)
    named, places = [*texts, ""], list[int](codes.tolist())
    return [named[code] for code in places]


def levels_of(cell: Any) -> list[list[object]]:
    """Items of a cell that holds a list; a list in it is a tie."""
    if not isinstance(cell, list | tuple):
        return []
    return [tied_items(one) for one in cast("Sequence[object]", cell)]


# What columns of rankings are called.

PLACES = ("", "item", "rank", "ranked", "place", "position", "pos", "choice", "option", "model",
          "system", "candidate", "answer", "response", "text")  # fmt: skip
"""What numbered columns of a ranking are called, before the number."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth")  # fmt: skip
BEST = ("best", "best_item", "bestitem", "most", "top", "chosen", "winner")
WORST = ("worst", "worst_item", "worstitem", "least", "bottom")
_NUMBERED = re.compile(r"([a-z_]*?)_?(\d+)(?:st|nd|rd|th)?")


def numbered(names: Sequence[str], besides: Sequence[int | None] = ()) -> list[int]:
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


def named(names: Sequence[str], known: Sequence[str]) -> int | None:
    """Position of the column that has one of the known names, the first of them that is there."""
    plain = [plain_name(name) for name in names]
    return next((plain.index(name) for name in known if name in plain), None)


def all_named(
    names: Sequence[str], known: Sequence[str], *, besides: Sequence[int | None]
) -> list[int]:
    """Columns that have known names, in the order of these."""
    plain = [plain_name(name) for name in names]
    found = [plain.index(name) for name in known if name in plain]
    return [column for column in found if column not in besides]


# One row a ranking, all of it in one cell.

RANKINGS = ("ranking", "rankings", "ranked", "order", "ordering", "ranked_items", "items_ranked")
"""Names of a column that holds whole rankings."""


class InOneColumn(Ranked):
    """One row a ranking, all of it in one cell: a list, or text such as `a > b = c`."""

    needed = ("ranking",)
    kind = "a ranking, the best item first"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a column of lists, or of text with a sign between items."""
        column = named(table.names, RANKINGS)
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
            rankings = [levels_of(cell) for cell in table.cells(column)]
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


def _sign(texts: Sequence[str]) -> str:
    """Find what stands between items in texts of rankings; "" if nothing does."""
    for sign in (">", ",", ";", "|"):
        if sum(sign in text for text in texts) > len(texts) / 2:
            return sign
    return ""


def _split(text: str, sign: str) -> list[list[object]]:
    parts = [part.split("=") for part in text.split(sign)]
    return [[one.strip() for one in tied if one.strip()] for tied in parts]


# One row a ranking, one column a place.


class OneColumnAPlace(Ranked):
    """One row a ranking, one column a place, the best first; `b=c` in a cell is a tie."""

    needed = ()
    kind = "the order of the columns, the best item first"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for three numbered columns or more, without one that names a winner."""
        places = numbered(table.names)
        beside = [find_role(table.names, role) for role in ("outcome", "winner")]
        if len(places) < 3 or any(column not in (None, *places) for column in beside):
            return None
        if any(given.values()) or named(table.names, (*BEST, *WORST)) is not None:
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


# One row a ranking, one column an item, and its rank in the cell.

ROLES_BESIDE_ITEMS = ("rater", "item", "weight")
"""Roles of columns beside those of items: who ranked, and of what, or how much it counts."""
PAIR_ROLES = ("left", "right", "outcome", "winner", "loser")
"""Roles of comparisons of two."""
LEAST_RANKS = 0.95
"""Share of rows in which numbers must be ranks."""
LEAST_STRICT = 0.5
"""Share of rows that must be without ties."""


class OneColumnAnItem(Ranked):
    """One row a ranking, one column an item: 1 for the best; equal ranks are a tie."""

    needed = ()
    kind = "the rank of an item, 1 for the best"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for three columns of numbers or more which in each row are ranks, from 1 on."""
        if any(given.values()) or table.form != "named" or table.nested() or not table.rows:
            return None
        if any(find_role(table.names, role) is not None for role in PAIR_ROLES):
            return None  # before any column is read, which takes long
        beside = {find_role(table.names, role) for role in ROLES_BESIDE_ITEMS}
        columns = [column for column in range(len(table.names)) if column not in beside]
        if len(columns) < 3 or any(table.numbers(column)[1].any() for column in columns):
            return None
        if not _are_ranks(np.stack([table.numbers(column)[0] for column in columns], axis=1)):
            return None
        return {f"item {i}": column for i, column in enumerate(columns, 1)}

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read one column after the other; names of columns are the items."""
        ranks = np.stack([table.only_numbers(column) for column in roles.values()], axis=1)
        row, column = np.nonzero(~np.isnan(ranks))
        names = [table.names[place] for place in roles.values()]
        item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
        level: Ints = np.unique(ranks[row, column], return_inverse=True)[1].reshape(-1)
        notes.caution(
            f"{table.source}: numbers are read as ranks, of which 1 is the best. If the highest is "
            "the best, ratings are upside down: turn the numbers around."
        )
        return Entries(ranking=row, item=item[column], level=level, row=row, items=items)


def _are_ranks(numbers: Floats) -> bool:
    """Whether numbers of most rows are places, 1, 2, 3, ...; those of a tie are equal.

    After a tie of two the next is two places on, or one. Most rows have none: ratings on a scale
    from 1 on do.
    """
    known = ~np.isnan(numbers)
    size = known.sum(axis=1)
    ordered = np.sort(np.where(known, numbers, np.inf), axis=1)[size > 1]
    if not len(ordered):
        return False
    later: Floats = ordered[:, 1:]
    blank = ~np.isfinite(later)
    step = np.diff(np.where(np.isfinite(ordered), ordered, 0), axis=1)
    places: Floats = np.arange(2.0, numbers.shape[1] + 1)
    at_place, tie = later == places, step == 0
    first: Flags = ordered[:, 0] == 1.0
    strict = first & np.all(at_place | blank, axis=1)
    skipping = np.all(at_place | tie | blank, axis=1)
    dense = np.all((step == 1) | tie | blank, axis=1)
    different = np.any(~tie & ~blank, axis=1)
    ranked = first & (skipping | dense) & different
    share = [np.count_nonzero(rows) / len(ordered) for rows in (strict, ranked)]
    return bool(share[0] >= LEAST_STRICT and share[1] >= LEAST_RANKS)


# One row an item of a ranking, with its rank.

RANKS = ("rank", "place", "position", "ranking", "pos")
"""Names of a column that says which place an item has."""
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
        rank = named(table.names, RANKS)
        if rank is None or any(given.values()):
            return None
        if any(find_role(table.names, role) is not None for role in ("outcome", "loser")):
            return None
        item = find_role(table.names, "item")
        ranked = named(table.names, ("model", "system", "option", "candidate", "model_name"))
        # A question is what items are ranked for, where something else may be the item.
        asked = item is not None and plain_name(table.names[item]) in BALLOTS
        item = ranked if item in (None, rank) or (asked and ranked is not None) else item
        ballots = all_named(table.names, BALLOTS, besides=(rank, item))
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


# One row a set of items, of which the best and the worst are named.


class BestWorst(Ranked):
    """One row a set of items in numbered columns, or a list; which is best, and which is worst."""

    needed = ()
    kind = "the best and the worst of a set"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a set of three items or more, and a column of the best or the worst."""
        if any(given.values()):
            return None
        best, worst = named(table.names, BEST), named(table.names, WORST)
        if best is None and worst is None:
            return None
        shown = numbered(table.names, besides=(best, worst))
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
        chosen = {role: texts_of(table, roles[role]) for role in ("best", "worst") if role in roles}
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
            lists = [levels_of(cell) for cell in table.cells(roles["items"])]
            shown = [[name for tied in one for name in tied] for one in lists]
            rows = np.repeat(np.arange(len(shown)), [len(one) for one in shown])
            return rows, [str(name) for one in shown for name in one]
        columns = [c for role, c in roles.items() if role not in ("best", "worst")]
        texts = [texts_of(table, column) for column in columns]
        cells = [(row, one[row]) for row in range(table.rows) for one in texts if one[row]]
        return np.array([row for row, _ in cells], dtype=np.int64), [name for _, name in cells]


# Whether data hold rankings: tables with names of columns, without, and uneven rows.

MOST_TEXT = 50_000_000
"""Characters of a file of rankings of different lengths, at most."""
HEADER_ROLES = ("outcome", "winner", "loser", "rater")
"""Roles whose names tell a header from a ranking."""
MOST_TWICE = 0.05
"""Share of rows that may name an item twice if rows are rankings."""


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


def holds_ranks(table: Table) -> bool:
    """Whether rows of a table are ranks of its columns, which may as well be ratings."""
    nothing: dict[str, str | None] = dict.fromkeys(("left", "right", "outcome"))
    return table.rows > 2 and OneColumnAnItem().find(table, nothing) is not None


def header_is_ranking(table: Table) -> bool:
    """Whether what should be the header is a ranking: names that come again below it."""
    names = [name.strip() for name in table.names]
    if len(names) < 3 or not all(names) or len(set(names)) < len(names) or numbered(names):
        return False
    if table.nested() or any(find_role(names, role) is not None for role in HEADER_ROLES):
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
            names = [cell.strip() for row in csv.reader([first], delimiter=sign) for cell in row]
            if any(find_role(names, role) is not None for role in HEADER_ROLES):
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


# Comparisons of which a column says how often each row was the answer.

MOST_REPEATED = 20_000_000
"""Comparisons that are written out one by one."""


def counts_column(table: Table, roles: Mapping[str, int]) -> int | None:
    """Find the column that counts answers; None if there is none, or it may be something else.

    Where answers are counted, no two rows are alike but for the count. A column that only numbers
    the rows is none.
    """
    column = find_role(table.names, "times")
    if column is None or column in roles.values() or column in table.nested() or not table.rows:
        return None
    numbers, wrong = table.numbers(column)
    if wrong.any() or np.isnan(numbers).any() or (numbers < 0).any() or (numbers % 1).any():
        return None
    if (np.diff(numbers) == 1).all() or not (numbers > 1).any():
        return None
    rows = np.stack([table.codes(i)[0] for i in roles.values()], axis=1)
    return column if len(np.unique(rows, axis=0)) == len(rows) else None


# Wins that are counted: a column for each side, or a table of who beat whom how often.

WINNER_NAMES = ("winner", "preference", "preferred", "better", "win")
"""What columns are called that say who won, and nothing else."""

POINTS_OF_COUNTS = {"left wins": 1.0, "right wins": 0.0, "ties": 0.5}
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
            POINTS_OF_COUNTS[role]: _counts(table, column, reading, notes)
            for role, column in roles.items()
            if role in POINTS_OF_COUNTS
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
    sure = outcome is not None and plain_name(table.names[outcome]) in WINNER_NAMES
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
