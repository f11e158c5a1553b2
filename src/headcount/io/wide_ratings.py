"""Ratings with one rater per column, or one item per column: one rating per cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, QuestionsError, count, option, some
from headcount.io.cells import MISSING_WORDS
from headcount.io.counted_ratings import check_counts, check_shares, side_by_side
from headcount.io.long_ratings import ambiguous, check_repeated, copies, lacks_items
from headcount.io.roles import (
    INDEX_NAME,
    PERSON_FACTS,
    SURVEY_TIMES,
    SURVEY_WHO,
    SURVEY_WORDS,
    ReadAs,
    are_raters,
    find_role,
    item_column,
    plain_name,
)
from headcount.io.shapes import (
    LONG,
    Asked,
    Ratings,
    Shape,
    are_items,
    check_first_row,
    check_orientation,
    check_totals,
    columns_beside,
    item_beside,
    numbered_rows,
    without_totals,
)
from headcount.io.tables import Coded, Table, code_type
from headcount.io.values import Several
from headcount.results.notes import Notes
from headcount.results.result import command

__all__ = [
    "Wide",
    "spread",
    "single",
    "Matrix",
    "Transposed",
    "check_grid",
]


# One item per row, one rater per column.


class Wide(Shape):
    """One item per row, one rater per column."""

    name = "wide"

    def fits(self, asked: Asked) -> bool:
        """Anything may be wide."""
        return True

    def read(self, asked: Asked) -> Ratings:
        """Take one item per row, and one rater per column."""
        if asked.columns:
            return self._named(asked)
        notes, totals, column = Notes(), Notes(), None
        _check_survey(asked)
        _check_flat(asked)
        if not lacks_items(asked):
            _check_roles(asked)
            column = item_column(asked.table, asked.given["item"])
            check_repeated(asked, column)
        raters = columns_beside(asked, -1 if column is None else column, notes)
        if not raters and column is not None:
            raise single(asked.table, column)
        check_counts(asked, raters)
        check_shares(asked, raters)
        names = [asked.table.names[i] for i in raters]
        if column is None:
            items = numbered_rows(asked)
            notes.caution(
                f"{asked.table.source}: no column says what the items are, so each row is one, "
                f"called by its number; {count(len(names), 'rater')}: {some(names, 12)}. If the "
                f"first column holds items, name it with {option('item', asked.table.names[0])}."
            )
        else:
            asked, items, totals = without_totals(asked, column)
            check_grid(asked, raters)
        made = spread(asked, items, raters, names)
        if column is not None:
            called = asked.table.names[column] or "first column"
            made.notes.extend([wide_note(asked.table, called, raters, names)])
            check_orientation(asked, column, items[1], names)
        made.notes.extend([*notes, *totals])
        return made

    @staticmethod
    def _named(asked: Asked) -> Ratings:
        """Take the raters that the caller names, and nothing else."""
        table, item = asked.table, item_beside(asked)
        names = [table.names[i] for i in asked.columns]
        notes = Notes()
        if item is None:
            items, called = numbered_rows(asked), "number of the row"
        else:
            called = table.names[item] or "first column"
            if item != asked.roles.get("item"):
                table.doubt = (
                    f"If '{called}' does not name the items, leave it out with "
                    f"{option('ignore', called)}. {table.doubt}"
                ).rstrip()
            asked, items, notes = without_totals(asked, item)
            table = asked.table
        made = spread(asked, items, asked.columns, names)
        made.notes.extend([wide_note(table, called, asked.columns, names), *notes])
        return made


def _check_survey(asked: Asked) -> None:
    """Refuse answers to a survey, of which rows are raters, unless it is said how to read them."""
    table, names = asked.table, [plain_name(name) for name in asked.table.names]
    if asked.transpose is not None or asked.given["item"] is not None or table.form != "named":
        return
    first = next((name for name in table.names if name and not INDEX_NAME.fullmatch(name)), "")
    if not asked.people or plain_name(first) not in SURVEY_WORDS or len(names) < 3:
        return
    item = asked.roles.get("item")
    questions = [table.names[i] for i in asked.rest({}) if names[i] not in SURVEY_WORDS]
    # Beside a column 'id' columns may be raters, unless they are called as questions are.
    asks = are_items(questions) or all("[" in name for name in questions)
    if not {*names} & SURVEY_TIMES or not (item is None or (names[item] in SURVEY_WHO and asks)):
        return
    about = [i for i, name in enumerate(names) if name in SURVEY_WORDS]
    likely = sorted(about, key=lambda i: [*SURVEY_WHO, names[i]].index(names[i]))
    apart = [i for i in likely if len(table.codes(i)[1]) == table.rows]
    who = option("rater", table.names[apart[0]] if apart else "...")
    beside = Several(table.names[i] for i in about if i not in apart[:1])
    raise DataError(
        f"{table.source}: rows seem to be answers of people to a survey. If columns are items, say "
        f"{option('transpose', True)}, with {who} or another column that names "
        f"people, and leave out what is no item with {option('ignore', beside or '...')}. If "
        f"rows are items, name their column with {option('item', '...')}."
    )


def _check_roles(asked: Asked) -> None:
    """Refuse a table with a column that is called as raters or labels are, unless it was said."""
    table = asked.table
    item = item_column(table, asked.given["item"])
    named = [role for role in ("rater", "label") if asked.roles.get(role, item) != item]
    if not named or asked.shape is not None or asked.transpose is not None or copies(table.names):
        return
    if {find_role(table.names, "left"), find_role(table.names, "right")}.isdisjoint({None}):
        raise DataError(
            f"{table.source} holds comparisons, two items per row, and not ratings. Use "
            f"{command('pairs', table.source)}."
        )
    column = table.names[asked.roles[named[0]]]
    others = [name for i, name in enumerate(table.names) if name and i != item]
    raise DataError(
        f"{table.source}: column '{column}' is called as {named[0]}s are, so that each row may be "
        f"a rating. Name the columns with {option('item', '...')}, {option('rater', '...')} and "
        f"{option('label', '...')}; or the raters, if each is a column, with "
        f"{option('columns', Several(others))}; or say {option('transpose', True)} if rows are "
        "raters and columns items."
    )


def _check_flat(asked: Asked) -> None:
    """Refuse lists in cells of which names do not say what they hold."""
    table = asked.table
    lists = [table.names[i] for i in asked.nested]
    if not lists:
        return
    raters = f" and that of their raters with {option('rater', '...')}" if len(lists) > 1 else ""
    raise DataError(
        f"{table.source}: cells of {some(lists)} are lists or records, and their names do not say "
        f"what they hold. Name the column of labels with {option('label', '...')}{raters}; leave "
        f"out what is neither with {option('ignore', lists[0])}."
    )


# What wide data have in common: one rating per cell.


def spread(
    asked: Asked,
    rows: Coded,
    columns: Sequence[int],
    names: Sequence[str],
    *,
    transposed: bool = False,
) -> Ratings:
    """Take one rating per cell: rows are items and columns raters, or the other way round."""
    table, notes = asked.table, Notes()
    if table.form == "named" and asked.labels is None and not asked.columns:
        check_first_row(table, [table.codes(i) for i in columns])
        if not transposed:
            check_totals(table, columns)
    codes, texts = side_by_side(table, columns)
    numbers = np.repeat(np.arange(len(rows[0]), dtype=code_type(len(rows[0]))), len(columns))
    each_its_own = bool((rows[0] == np.arange(len(rows[0]))).all())
    by_row = (numbers if each_its_own else np.repeat(rows[0], len(columns)), rows[1])
    each = np.arange(len(columns), dtype=code_type(len(columns)))
    each = np.broadcast_to(each, (len(rows[0]), len(columns)))
    by_column = (each.ravel(), list(names))
    orders = {table.categories(i) for i in columns}
    if empty := [name for i, name in zip(columns, names, strict=True) if not _is_filled(table, i)]:
        notes.caution(f"{table.source}: columns without a rating: {some(empty, 12)}.")
    return Ratings(
        items=by_column if transposed else by_row,
        raters=by_row if transposed else by_column,
        labels=(codes.ravel(), texts),
        table=table,
        rows=numbers,
        blanks=False,
        order=orders.pop() if len(orders) == 1 else None,
        notes=notes,
    )


def _is_filled(table: Table, column: int) -> bool:
    return bool({*table.codes(column)[1]} - MISSING_WORDS)


def wide_note(table: Table, item: str, columns: Sequence[int], names: Sequence[str]) -> ReadAs:
    """Say which columns were taken for what; those without a rating have a note of their own."""
    raters = [name for i, name in zip(columns, names, strict=True) if _is_filled(table, i)]
    text = (
        f"{table.source}: read as wide; item = '{item}', {count(len(raters), 'rater')}: "
        f"{some(raters, 12)}. Exclude columns with "
        f"{option('ignore', '...')}."
    )
    short = f"{table.source}: wide ({item}; {some(raters, 3)})"
    return ReadAs(text, {"item": item}, short=short)


def single(table: Table, column: int) -> DataError:
    """Error for a table without a column of ratings."""
    return DataError(
        f"{table.source}: a single column, '{table.names[column]}'. Long data need columns "
        "for item, rater and label; wide data one for the item and one per rater."
    )


# Rows and columns without names: items x raters.


class Matrix(Shape):
    """Rows and columns without names: items x raters."""

    name = "matrix"

    def fits(self, asked: Asked) -> bool:
        """Whether it is an array or a list of lists."""
        return asked.table.form == "matrix"

    def read(self, asked: Asked) -> Ratings:
        """Name items and raters by their numbers, from 0 on."""
        table = asked.table
        columns = [table.codes(column) for column in range(len(table.names))]
        seen = [set(texts) for _, texts in columns]
        # Three columns may be item, rater and label as well.
        if len(seen) == len(LONG) and not seen[0] & seen[2]:
            raise ambiguous(table)
        names = [str(i) for i in range(len(columns))]
        items = (np.arange(table.rows), [str(i) for i in range(table.rows)])
        raters = list(range(len(columns)))
        if asked.transpose:
            return spread(asked, items, raters, [f"{i}" for i in raters], transposed=True)
        notes = Notes([wide_note(table, "item", raters, names)])
        return replace(spread(asked, items, raters, names), notes=notes)


# One rater per row, one item per column.


class Transposed(Shape):
    """One rater per row, one item per column."""

    name = "transposed"

    def fits(self, asked: Asked) -> bool:
        """Whether the user says so."""
        return asked.transpose is True

    def read(self, asked: Asked) -> Ratings:
        """Take the raters from the rows."""
        table = asked.table
        named = asked.roles.get("rater", asked.roles.get("item"))
        column = _first(asked) if named is None else named
        items = [i for i in asked.rest({}) if i != column]
        if not items:
            raise single(table, column)
        raters, called = table.codes(column), table.names[column]
        facts = [i for i in items if plain_name(table.names[i]) in PERSON_FACTS]
        facts = facts if len(facts) < len(items) else []
        items = [i for i in items if i not in facts]
        names = [table.names[i] for i in items]
        made = spread(asked, raters, items, names, transposed=True)
        if facts:
            about = [table.names[i] for i in facts]
            made.notes.caution(
                f"{table.source}: {some(about, 12)}: left out, because names say that they are "
                f"about raters. If one is an item, rename it."
            )
        text = (
            f"{table.source}: read as wide with raters as rows; rater = '{called}', "
            f"{count(len(items), 'item')}: {some(names, 12)}. If rows are items, say "
            f"{option('transpose', False)}."
        )
        short = f"{table.source}: raters as rows ({called}), {count(len(items), 'item')} as columns"
        made.notes.extend([ReadAs(text, {"rater": called}, short=short)])
        return made


def _first(asked: Asked) -> int:
    """Column of raters where none is called so: the first, unless it only numbers the rows."""
    rest = asked.rest({}) or [0]
    if rest[0] == 0 or all(number_of(text) is not None for text in asked.table.codes(0)[1]):
        return rest[0]
    return 0  # without a name, as the index of a frame is written


# Columns of wide data whose names combine two things: a rater, and a question.

_SPLITS = (re.compile(r"([^_ .:|/-]+)[_ .:|/-]+(.+)"), re.compile(r"(.+)[_ .:|/-]+([^_ .:|/-]+)"))
"""Where a name may fall into two: at the first or the last of some signs."""
MOST_COLUMNS_OF_GRID, LONGEST_NAME_OF_GRID = 2_000, 100
"""Columns, and letters of their names, that are looked at."""


def check_grid(asked: Asked, columns: Sequence[int]) -> None:
    """Refuse columns called by two things, such as ``ann_toxic, ann_rude, bob_toxic, bob_rude``."""
    names = [asked.table.names[i] for i in columns]
    pairs = _grid(names)
    if pairs is None or asked.labels is not None or asked.shape is not None or are_raters(names):
        return
    firsts, seconds = (list(dict.fromkeys(part)) for part in zip(*pairs, strict=True))
    if not asked.people:  # a model and a prompt
        return
    one, other = (
        Several(name for name, pair in zip(names, pairs, strict=True) if pair[side] == first)
        for side, first in ((1, seconds[0]), (0, firsts[0]))
    )
    ways = (
        {
            name: [column for column, pair in zip(names, pairs, strict=True) if pair[side] == name]
            for name in parts
        }
        for side, parts in ((0, firsts), (1, seconds))
    )
    raise QuestionsError(
        f"{asked.table.source}: column names combine two things, {some(firsts, 12)} and "
        f"{some(seconds, 12)}, as answers of several raters to several questions are. Read one "
        f"question by naming its columns, such as {option('columns', one)} or "
        f"{option('columns', other)}; if each column is a rater, say {option('shape', 'wide')}.",
        *ways,
    )


def _grid(names: Sequence[str]) -> list[tuple[str, str]] | None:
    """Split names in two, if every pair of parts comes, and each part more than once."""
    if not 4 <= len(names) <= MOST_COLUMNS_OF_GRID or max(map(len, names)) > LONGEST_NAME_OF_GRID:
        return None
    for split in _SPLITS:
        matches = [split.fullmatch(name.strip()) for name in names]
        pairs = {(match[1], match[2]) for match in matches if match}
        firsts, seconds = {first for first, _ in pairs}, {second for _, second in pairs}
        several = len(firsts) > 1 and len(seconds) > 1
        if several and len(pairs) == len(names) == len(firsts) * len(seconds):
            return [(match[1], match[2]) for match in matches if match]
    return None
