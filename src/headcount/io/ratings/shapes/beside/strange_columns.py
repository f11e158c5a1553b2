"""Columns of wide data that are clearly no rater's: topics, lengths, batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import Asked
from headcount.io.roles.roles import find_role
from headcount.io.tables.table import Coded, Table
from headcount.io.values.merges import FORMS, any_form, merges_of
from headcount.io.values.option_list import Several
from headcount.io.values.points import on_one_scale

__all__ = ["MOST_WORDS", "check_columns", "check_first_row"]

MOST_WORDS, MOST_NUMBERS = 5, 20
"""A wide column with more values than this that no other column shares is not a rater's."""
LEAST_ROWS = 5
"""Rows from which on a column of fewer values is none either, where the others share theirs."""


def check_columns(
    asked: Asked, columns: Sequence[int], seen: Sequence[set[str]], role: str
) -> None:
    """Refuse a wide table with a column that is clearly no rater's, or no item's.

    Columns are told by the values they share, however these are written: raters of one scale use
    the same ones. A column that shares none with the largest group of columns that do, or that
    lies off their scale, holds something else.
    """
    if len(columns) < 2 or asked.labels is not None:
        return
    table = asked.table
    values = [{any_form(text) for text in own} for own in seen]
    words = [way for way in merges_of([*set[str]().union(*values)]) if way not in FORMS]
    for way in words:
        if way.name in asked.merge:  # TRUE of one is yes of another
            values = [{way.same(text) for text in own} for own in values]
    if len(values) == 2 and _are_apart(*values, rows=table.rows):
        one, other = (table.names[i] for i in columns)
        raise DataError(
            f"{table.source}: all numbers of '{one}' are below those of '{other}', or above, so "
            f"that they are no two {role}s on one scale. Leave out what is none with "
            f"{option('ignore', other)}; if both are, name the labels with "
            f"{option('labels', '...')}."
        )
    crowd = _largest_group(values)
    if len(crowd) < 2:  # no two share a value: each is held against all others
        crowd = set(range(len(values)))
    worded = [any(number_of(text) is None for text in own) for own in seen]
    many = [len(own) > MOST_NUMBERS and not word for own, word in zip(seen, worded, strict=True)]
    # Where most columns are of many numbers, ratings are continuous and need share none.
    continuous = 2 * sum(many) > len(seen)
    size = len(columns) if role == "item" else table.rows
    strange: list[int] = []
    for place, own in enumerate(values):
        if not own or (many[place] and continuous):
            continue
        rest = [values[other] for other in crowd if other != place]
        most = MOST_WORDS if worded[place] else MOST_NUMBERS
        if len(own) <= most and not (size >= LEAST_ROWS and _share_few(rest, size)):
            continue
        if role == "item" and on_one_scale(own, set[str]().union(*rest)):
            continue  # a step that all give to one item alone
        if rest and (not own & set[str]().union(*rest) or _is_off_scale(own, rest)):
            strange.append(place)
    if strange:
        hint = f", or say {option('merge', Several(way.name for way in words))}" if words else ""
        raise _refusal(asked, [columns[place] for place in strange], values, strange, role, hint)


def check_first_row(table: Table, columns: Sequence[Coded]) -> None:
    """Refuse a first row of data that describes the columns: words that stand nowhere else."""
    if len(columns) < 2 or table.rows < 2 * LEAST_ROWS:
        return
    times: Counter[str] = Counter()
    first: list[str] = []
    for codes, texts in columns:
        if codes[0] < 0 or number_of(texts[int(codes[0])]) is not None:
            return
        counts: list[int] = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
        times.update(dict(zip(texts, counts, strict=True)))
        first.append(texts[int(codes[0])])
    here = Counter(first)
    if 2 * len(times) > table.rows:  # texts of which each row has its own
        return
    if all(times[text] == here[text] for text in first):
        raise DataError(
            f"{table.at(0)}: {some(dict.fromkeys(first))} stand nowhere below: a second row of the "
            "header, it seems, which describes the columns. Delete it, or name the labels with "
            f"{option('labels', '...')} if they are some."
        )


def _largest_group(values: Sequence[set[str]]) -> set[int]:
    """Columns that are joined by values they share; of groups of a size the first."""
    groups: list[tuple[set[int], set[str]]] = []
    for place, own in enumerate(values):
        members, union = {place}, set(own)
        apart: list[tuple[set[int], set[str]]] = []
        for group in groups:
            if group[1] & own:
                members |= group[0]
                union |= group[1]
            else:
                apart.append(group)
        groups = [*apart, (members, union)]
    return max(groups, key=lambda group: (len(group[0]), -min(group[0])))[0]


def _share_few(columns: Sequence[set[str]], rows: int) -> bool:
    """Whether columns have few values, and share two of them at least: a scale that they use."""
    every = set[str]().union(*columns)
    shared = [value for value in every if sum(value in own for own in columns) > 1]
    return len(shared) > 1 and 2 * len(every) <= rows


def _are_apart(one: set[str], other: set[str], *, rows: int) -> bool:
    """Whether numbers of two columns come again and again, and all of one are above the other's."""
    numbers = [[number_of(text) for text in own] for own in (one, other)]
    known = [[n for n in own if n is not None] for own in numbers]
    if any(not own or None in own or 2 * len(own) > rows for own in numbers) or rows < LEAST_ROWS:
        return False
    return max(known[0]) < min(known[1]) or max(known[1]) < min(known[0])


def _is_off_scale(own: set[str], rest: Sequence[set[str]]) -> bool:
    """Whether most numbers of a column lie off the few that all the others share: a length, say."""
    both, every = set[str].intersection(*rest), set[str]().union(*rest)
    numbers = [number_of(text) for text in every]
    if len(rest) < 2 or len(own) <= MOST_NUMBERS or 2 * len(both) < len(every) or None in numbers:
        return False
    scale = [number for number in numbers if number is not None]
    if not 1 < len(scale) <= MOST_NUMBERS:
        return False
    given = [number for text in own if (number := number_of(text)) is not None]
    off = sum(not min(scale) <= number <= max(scale) for number in given)
    return 2 * off > len(own)


def _refusal(
    asked: Asked,
    columns: Sequence[int],
    values: Sequence[set[str]],
    places: Sequence[int],
    role: str,
    hint: str,
) -> DataError:
    """Say what is wrong with columns, and how to read the table without or with them."""
    table = asked.table
    names = [table.names[i] for i in columns]
    for name in names:
        if find_role([name], "rater") is not None:
            return DataError(
                f"{table.source}: column '{name}' names raters, so it has one row per rating, but "
                f"its item or label is not found. Say which columns they are with "
                f"{option('item')} and {option('label')}, one label at a time."
            )
    own = values[places[0]]
    rest = [other for place, other in enumerate(values) if place not in places]
    shared = bool(own & set[str]().union(*rest))
    that = "lie mostly off the scale of the others" if shared else "no other column shares"
    if len(names) == 1:
        what = f"column '{names[0]}': {count(len(own), 'different value')} that {that}, so it is"
    else:
        what = f"columns {some(names, 12)}: values that other columns do not share, so they are"
    ignored = Several(names) if len(names) > 1 else names[0]
    return DataError(
        f"{table.source}, {what} no {role}'s. Wide data have one column for the item, first, and "
        f"one a rater; leave others out with {option('ignore', ignored)}. A rater who writes "
        f"labels in another way must write them as the others do{hint}. If the data are long, "
        f"name the columns with {option('item')}, {option('rater')} and {option('label')}; if all "
        f"are ratings, name the labels with {option('labels')}."
    )
