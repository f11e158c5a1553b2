"""Ratings that are counted or nested: columns of counts, cross tables, lists and records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from headcount.data.vocabulary import MISSING, encode, label_text, number_of
from headcount.errors import DataError, count, of_verb, option, some
from headcount.io.cells import MISSING_WORDS
from headcount.io.classifier_outputs import columns_of_shares
from headcount.io.label_order import in_order
from headcount.io.roles import (
    LABEL_WORDS,
    REMARKS,
    SUMMARY_WORDS,
    ReadAs,
    are_raters,
    find_role,
    is_summary,
    item_column,
    plain_name,
)
from headcount.io.shapes import Asked, Ratings, Shape, check_aspects, numbered_rows, without_totals
from headcount.io.tables import Coded, Table, code_type
from headcount.io.tools.contents import listed, text_of
from headcount.io.values import Several
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = [
    "CountColumns",
    "check_counts",
    "check_shares",
    "Crosstab",
    "whole_counts",
    "counted_in_cells",
    "Nested",
]


# One item per row, one column per label, which says how many gave it.

LEAST_ROWS_OF_ONE_SUM = 5
"""Rows whose numbers add up to 1 that make columns probabilities of labels."""
COUNT_AFFIXES = (
    re.compile(r"(?i)(?:(?:n|num|count|counts|votes|n_votes)[_ .:-]|#\s*)(.+)"),
    re.compile(r"(?i)(.+)[_ .:-](?:count|counts|votes|n)"),
)
"""How columns are called that count a label: before it, or behind it."""


class CountColumns(Shape):
    """One item per row, one column per label, which says how many gave it."""

    name = "counts"

    def fits(self, asked: Asked) -> bool:
        """Whether columns are named as counts are, or as the labels that the caller names."""
        return bool(self._columns(asked))

    def read(self, asked: Asked) -> Ratings:
        """Make as many anonymous ratings of each label as are counted."""
        columns = self._columns(asked)
        if not columns:
            raise DataError(
                f"{asked.table.source}: no column counts labels. Name them with "
                f"{option('columns', '...')}."
            )
        item = item_column(asked.table, asked.given["item"])
        if item in columns:  # rows are items without names
            items, notes = numbered_rows(asked), Notes()
            notes.caution(f"{asked.table.source}: no column of items, so rows are numbered.")
        else:
            asked, items, notes = without_totals(asked, item)
        table = asked.table
        if not _are_counts(table, columns):
            raise DataError(
                f"{table.source}: columns {some([table.names[i] for i in columns])} must count how "
                "many raters gave each label: whole numbers from 0 on."
            )
        names = counted_labels([table.names[i] for i in columns])
        numbers = np.stack([np.nan_to_num(table.numbers(i)[0]) for i in columns], axis=1)
        times = numbers.astype(np.int64).ravel()
        rows = np.repeat(np.arange(table.rows), len(columns)).repeat(times)
        labels = np.tile(np.arange(len(columns)), table.rows).repeat(times)
        notes.info(
            f"{table.source}: read as counts of the labels {some(names, 12)}, by anonymous "
            f"raters. If columns are raters, say {option('shape', 'wide')}.",
            short=f"{table.source}: counts of labels",
        )
        made = anonymous(asked, items, rows, (labels, names), notes)
        return replace(made, labels_are_names=True)

    def _columns(self, asked: Asked) -> list[int]:
        """Columns that hold counts, as the caller or names say; none if they may be raters'."""
        table, roles = asked.table, asked.roles
        if asked.columns:
            return list(asked.columns) if asked.shape == self.name else []
        if table.form != "named" or asked.nested or asked.given["rater"] or asked.given["label"]:
            return []
        if asked.shape is None and ("rater" in roles or "label" in roles):
            return []
        others = [
            i
            for i in asked.rest({})
            if i != roles.get("item")
            and (
                _has_affix(table.names[i])
                or plain_name(table.names[i]) not in SUMMARY_WORDS | REMARKS
            )
        ]
        columns = [i for i in others if _has_affix(table.names[i])]
        if asked.shape == self.name:
            columns = others if "item" in roles else others[1:]
        elif len(columns) < 2 or not _are_counts(table, columns):
            columns = []
        names = counted_labels([table.names[i] for i in columns])
        if columns and asked.labels is None:
            _check_like_others(table, columns, names)
        if columns and (asked.labels is None or asked.shape == self.name):
            return columns
        same = {label_text(label) for label in asked.labels or ()}
        if columns:
            return [i for i, name in zip(columns, names, strict=True) if label_text(name) in same]
        counted = [i for i in others if label_text(table.names[i]) in same]
        counted = counted if len(others) - len(counted) < 2 else []
        if len(counted) < 2 or not _are_counts(table, counted):
            return []
        if all(number_of(table.names[i]) is not None for i in counted):
            raise _either(table, counted)  # raters may be called 1 and 2 too
        return counted


def _either(table: Table, columns: Sequence[int], why: str = "") -> DataError:
    """Error for columns that may be raters, or labels of which each is counted."""
    names = some([table.names[i] for i in columns])
    why = why or "are called as labels are, and hold whole numbers"
    return DataError(
        f"{table.source}: columns {names} {why}. Say {option('shape', 'counts')} if they count how "
        f"many raters gave each label, or {option('shape', 'wide')} if each column is a rater."
    )


NOT_COUNTED = frozenset(
    {
        "total", "all", "sum", "overall", "words", "tokens", "characters", "chars", "letters",
        "sentences", "missing", "na", "blank", "skipped", "raters", "annotators", "ratings",
        "labels", "votes", "annotations", "items", "rows", "unique", "distinct", "likes",
        "retweets", "replies", "shares", "comments", "views", "clicks", "upvotes", "downvotes",
        "followers", "pages", "lines", "hits", "turns", "messages", "coders", "judges",
        "workers", "judgments", "judgements", "responses", "answers", "reviews", "paragraphs",
        "syllables", "hashtags", "mentions", "urls", "links", "images", "errors", "nan",
        "null", "empty", "invalid", "unrated", "unlabeled", "unlabelled",
    }
)  # fmt: skip
"""What is counted beside labels: how many there are in all, and what an item is like."""


def _has_affix(name: str) -> bool:
    return any(affix.fullmatch(name) for affix in COUNT_AFFIXES)


def counted_labels(names: Sequence[str]) -> list[str]:
    """Labels that columns count: their names without what most of them have before or behind.

    Examples
    --------
    >>> counted_labels(["n_yes", "n_no"]), counted_labels(["r_count", "n_count"])
    (['yes', 'no'], ['r', 'n'])
    """
    first, second = COUNT_AFFIXES
    prefixed, suffixed = (sum(bool(a.fullmatch(name)) for name in names) for a in (first, second))
    affix = second if suffixed > prefixed else first
    return [match[1] if (match := affix.fullmatch(name)) else name for name in names]


def _check_like_others(table: Table, columns: Sequence[int], labels: Sequence[str]) -> None:
    """Refuse a column beside counts of labels that counts something else, or is their sum."""
    numbers = np.stack([np.nan_to_num(table.numbers(i)[0]) for i in columns], axis=1)
    total = numbers.sum(axis=1)
    names = [table.names[i] for i in columns]
    affixed = [label != name for label, name in zip(labels, names, strict=True)]
    usual = 2 * sum(affixed) >= len(names)
    for n, name in enumerate(names):
        by_name = plain_name(labels[n]) in NOT_COUNTED or is_summary(plain_name(name))
        is_sum = len(columns) > 2 and np.array_equal(2 * numbers[:, n], total)
        if is_sum or by_name or affixed[n] != usual:
            what = "is the sum of the others" if is_sum else "counts no label, by its name"
            raise DataError(
                f"{table.source}: column '{name}' {what}, beside counts of labels. Leave it out "
                f"with {option('ignore', name)}; if it is a label, name all labels with "
                f"{option('labels', Several(labels))}."
            )


def check_counts(asked: Asked, columns: Sequence[int]) -> None:
    """Refuse columns that may be raters, or may be labels and hold counts or marks of them.

    Raters' numbers go together, so that their sum varies more than they do; counts share a number
    of ratings, so that it varies less.
    """
    table = asked.table
    if asked.labels is not None or table.form != "named" or len(columns) < 2 or asked.shape:
        return
    names = [table.names[i] for i in columns]
    if not _are_counts(table, columns):
        return
    called = [i for i, name in enumerate(table.names) if plain_name(name) in LABEL_WORDS]
    if {*called} > {*columns} and _are_counts(table, called):
        raise _either(table, called)
    total = np.sum([np.nan_to_num(table.numbers(i)[0]) for i in columns], axis=0)
    for i in (i for i in range(len(table.names)) if i not in (*columns, *asked.nested)):
        counts = COUNT_WORD.search(table.names[i]) or _has_affix(table.names[i])
        if counts and np.array_equal(table.numbers(i)[0], total):
            raise _either(table, columns, f"add up to '{table.names[i]}' in every row")
    numbers = np.stack([table.numbers(column)[0] for column in columns], axis=1)
    whole = numbers[~np.isnan(numbers).any(axis=1)]
    numbers = whole if 2 * len(whole) >= len(numbers) else np.nan_to_num(numbers)  # blank for 0
    has_zeros = len(numbers) > 0 and numbers.min() == 0 and numbers.max() > 1
    # 1 to 5 or A to C may be raters, and may be labels; beside rows of raters they are items.
    in_turn = all(len(a) == len(b) == 1 and ord(b) == ord(a) + 1 for a, b in pairwise(names))
    if has_zeros and len(names) > 2 and in_turn and find_role(table.names, "rater") is None:
        why = "are called in turn, as points of a scale are, and some cells are 0"
        raise _either(table, columns, why)
    if are_raters(names):
        return
    counted = [n for n in names if not _has_affix(n) and plain_name(n) not in NOT_COUNTED]
    if _are_labels(counted or names):
        raise _either(table, columns)
    if not has_zeros:
        return
    spread = numbers.sum(axis=1).var() / max(numbers.var(axis=0).sum(), 1e-300)
    if spread < 1 - max(0.4, 2.5 / np.sqrt(len(numbers))):
        why = (
            "hold whole numbers that grow at each other's expense, as counts of labels do and "
            "raters' labels do not"
        )
        raise _either(table, columns, why)


AS_PREDICTIONS = of_verb(option("predictions", "predictions.csv"), "survey", ["predictions"])
"""How predictions are given beside ratings."""


def check_shares(asked: Asked, columns: Sequence[int]) -> None:
    """Refuse columns of shares of labels: probabilities, which no rater gives."""
    table = asked.table
    if asked.labels is not None or table.form != "named":
        return
    shares = columns_of_shares(table, columns) if table.rows >= LEAST_ROWS_OF_ONE_SUM else []
    names = [table.names[i] for i in shares or columns]
    if shares:
        why = "sum to 1 in every row, as the probabilities of labels do"
    elif len(names) > 1 and _are_labels(names) and _have_fractions(table, columns):
        why = "are named as labels are and hold fractions, as scores or shares of labels do"
    else:
        return
    raise DataError(
        f"{table.source}: columns {some(names)} {why}: predictions of a classifier, not ratings. "
        f"Give them as predictions beside people's ratings: {AS_PREDICTIONS}. If columns are "
        f"raters, name the labels with {option('labels', '...')}."
    )


def _have_fractions(table: Table, columns: Sequence[int]) -> bool:
    """Whether columns hold numbers only, some with fractions."""
    read = [table.numbers(column) for column in columns]
    return not any(wrong.any() for _, wrong in read) and any(
        bool((np.nan_to_num(numbers) % 1).any()) for numbers, _ in read
    )


def _are_labels(names: Sequence[str]) -> bool:
    """Whether columns are called as labels are: by known words, or steps of a known scale."""
    return all(plain_name(name) in LABEL_WORDS for name in names) or in_order(names) is not None


def _are_counts(table: Table, columns: Sequence[int]) -> bool:
    """Whether columns hold whole numbers from 0 on, words for missing ones, and nothing else."""
    for column in columns:
        numbers, wrong = table.numbers(column)
        given = numbers[~np.isnan(numbers)]
        if not len(given) or (given < 0).any() or (given % 1 != 0).any():
            return False
        if wrong.any():
            codes, texts = table.codes(column)
            if {texts[code] for code in codes[wrong].tolist()} - MISSING_WORDS:
                return False
    return True


MOST_RATINGS = 20_000_000
"""Ratings that are made of counts."""


def side_by_side(table: Table, columns: Sequence[int]) -> tuple[Codes, list[str]]:
    """Code the cells of several columns alike: a row of codes for each row, and their texts."""
    texts: dict[str, int] = {}
    read = [table.codes(column) for column in columns]
    places = [[texts.setdefault(text, len(texts)) for text in own] for _, own in read]
    coded = np.empty((table.rows, len(columns)), dtype=code_type(len(texts)))
    for number, ((codes, _), place) in enumerate(zip(read, places, strict=True)):
        # Code -1 is the last entry: blank.
        coded[:, number] = np.array([*place, MISSING], dtype=coded.dtype)[codes]
    return coded, list(texts)


def whole_counts(table: Table, column: int) -> Codes:
    """Take a column of counts: whole numbers from 0 on; a blank is 0."""
    numbers = np.nan_to_num(table.only_numbers(column))
    wrong = np.flatnonzero((numbers < 0) | (numbers % 1 != 0))
    if len(wrong):
        raise DataError(
            f"{table.at(int(wrong[0]), column)}: expected a count, a whole number. If it is none, "
            f"leave the column out with {option('ignore', table.names[column])}."
        )
    if numbers.sum() > MOST_RATINGS:
        raise DataError(
            f"{table.source}: '{table.names[column]}' counts more than {MOST_RATINGS:,}. Leave it "
            f"out with {option('ignore', table.names[column])} if it is not a count."
        )
    return numbers.astype(np.int64)


# Two raters' labels against each other: a cross table, or confusion matrix.

MOST_LABELS_CROSSED = 100
_TWO_NAMES = re.compile(r"(.{1,60}?)(?:\s*[\\/|×]\s*|\s+(?:x|vs\.?|by|and)\s+)(.{1,60})")
"""What stands in the corner if it names rows and columns."""
_Square = tuple[list[str], list[str], Floats]
"""Labels of rows and of columns, and the numbers of items that have both."""


class Crosstab(Shape):
    """One label of a rater a row, one label of another a column: how many items have both."""

    name = "cross table"

    def fits(self, asked: Asked) -> bool:
        """Whether rows and columns are called alike, and cells hold numbers."""
        if asked.transpose is not None or any(asked.given.values()):
            return False
        square = _square(asked.table)
        return square is not None and (
            asked.labels is None or {*map(label_text, asked.labels)} >= {*square[0]}
        )

    def read(self, asked: Asked) -> Ratings:
        """Make as many items of each pair of labels as are counted."""
        table, square = asked.table, _square(asked.table)
        if square is None:
            raise DataError(f"{table.source}: no cross table.")
        rows, columns, counts = square
        named = _TWO_NAMES.fullmatch(table.names[0][:130].strip())
        whole = not ((counts < 0) | (counts % 1 != 0)).any()
        if not whole or (asked.labels is None and named is None):
            _check_crossed(asked, columns, counts)
        if not counts.any():
            raise DataError(f"{table.source}: a cross table without a count.")
        labels = list(dict.fromkeys([*rows, *columns]))
        left, right = np.nonzero(counts)
        times = counts[left, right].astype(np.int64)
        code = {label: n for n, label in enumerate(labels)}
        sides = [np.array([code[x] for x in side]) for side in (rows, columns)]
        patterns = np.stack([sides[0][left], sides[1][right]], axis=1)
        raters = [named[1].strip(), named[2].strip()] if named else ["rows", "columns"]
        total = int(times.sum())
        if 2 * total > MOST_RATINGS:
            raise DataError(
                f"{table.source}: counts of {total:,} items in all, of which at most "
                f"{MOST_RATINGS // 2:,} are read. Is it a table of counts?"
            )
        made = Ratings(
            items=(np.repeat(np.arange(total), 2), [str(n + 1) for n in range(total)]),
            raters=(np.tile(np.arange(2), total), raters),
            labels=(np.repeat(patterns, times, axis=0).ravel(), labels),
            table=table,
            rows=np.zeros(2 * total, dtype=np.int64),
            blanks=False,
        )
        made.notes.caution(
            f"{table.source}: rows and columns are called alike, so it is read as a cross table "
            f"of the labels of two raters, '{raters[0]}' and '{raters[1]}', which counts "
            f"{count(int(times.sum()), 'item')}. If rows are items, say "
            f"{option('transpose', False)}."
        )
        return made


def _square(table: Table) -> _Square | None:
    """Take a table whose rows and columns are called alike; None for any other."""
    names = table.names
    if table.form != "named" or table.exported or table.nested() or len(names) < 3:
        return None
    if table.rows > MOST_LABELS_CROSSED + 5 or plain_name(names[0]) in SUMMARY_WORDS:
        return None
    if any(find_role([names[0]], role) is not None for role in ("item", "rater")):
        return None
    columns = [i for i in range(1, len(names)) if plain_name(names[i]) not in SUMMARY_WORDS]
    codes, texts = table.codes(0)
    listed: list[int] = codes.tolist()
    rows = [
        row
        for row, code in enumerate(listed)
        if code >= 0 and plain_name(texts[code].rstrip(":")) not in SUMMARY_WORDS
    ]
    labels = [label_text(texts[int(codes[row])]) for row in rows]
    called = [label_text(names[i]) for i in columns]
    if 2 * len(labels) < len(called) or len(labels) < 2 or not {*labels} <= {*called}:
        return None
    numbers = [table.numbers(column) for column in columns]
    if len({*labels}) < len(labels) or any(wrong[rows].any() for _, wrong in numbers):
        return None
    return labels, called, np.stack([np.nan_to_num(cells[rows]) for cells, _ in numbers], axis=1)


def _check_crossed(asked: Asked, columns: list[str], counts: Floats) -> None:
    """Refuse shares in place of counts, and tables that may hold ratings of people by people."""
    what = f"{asked.table.source}: rows and columns are both called {some(columns)}"
    if (counts < 0).any() or (counts % 1).any():
        raise DataError(
            f"{what}, as in a cross table of two raters' labels, which needs whole numbers: how "
            "many items have both labels. Give the counts, not shares; if rows are items, say "
            f"{option('transpose', False)}."
        )
    numbers = [number_of(label) for label in columns]
    cells = {label_text(f"{value:g}") for value in np.unique(counts)}
    if None not in numbers and not cells <= {*columns}:
        return
    if None in numbers and all(plain_name(label) in LABEL_WORDS for label in columns):
        return
    raise DataError(
        f"{what}: a cross table of two raters' labels (confusion matrix), or ratings. Say "
        f"{option('labels', Several(columns))} if cells count items, or "
        f"{option('transpose', False)} if rows are items and columns raters."
    )


# Nested data: cells that hold lists or records.


class Told(NamedTuple):
    """What a nested column says.

    Parameters
    ----------
    column : int
    labels : sequence of sequences
        The labels of each row.
    raters : sequence of sequences or None
        Who gave them.
    how : str
        What the cells are, for a note.
    roles : dict of str to str
        Columns or fields by role.
    """

    column: int
    labels: Sequence[Sequence[Any]]
    raters: Sequence[Sequence[Any]] | None
    how: str
    roles: dict[str, str]


class Nested(Shape):
    """Lists or records in the cell of an item: labels, with their raters or counts, or without."""

    name = "nested"

    def fits(self, asked: Asked) -> bool:
        """Whether a column holds labels, and others do not name raters or items."""
        return asked.may_nest and self._told(asked) is not None

    def read(self, asked: Asked) -> Ratings:
        """Take one rating from each entry of the cells."""
        table, told = asked.table, self._told(asked)
        if told is None:
            raise DataError(f"{table.source}: no labels in lists or records.")
        column, labels, raters, how, roles = told
        for row, (given, who) in enumerate(zip(labels, raters or labels, strict=True)):
            if len(given) != len(who):
                raise DataError(
                    f"{table.at(row)}: {count(len(given), 'label')} and "
                    f"{count(len(who), 'rater')}. The lists must be as long as each other."
                )
        items, item_name = nested_items(asked)
        rows = np.repeat(np.arange(len(labels)), [len(cell) for cell in labels])
        by = ", by anonymous raters" if raters is None else ""
        text = f"{table.source}: read as {how}{by}; item = '{item_name}'."
        notes = Notes([ReadAs(text, {**roles, "item": item_name})])
        made = anonymous(asked, items, rows, flat(table, column, labels), notes)
        return made if raters is None else replace(made, raters=flat(table, column, raters))

    @staticmethod
    def _told(asked: Asked) -> Told | None:
        """Find the column, the surest way to write labels first."""
        ways = (counted_in_cells, _in_lists, _by_rater)
        return next((told for way in ways if (told := way(asked)) is not None), None)


def anonymous(asked: Asked, items: Coded, rows: Codes, labels: Coded, notes: Notes) -> Ratings:
    """Make ratings of anonymous raters, each from a row of the table."""
    if not len(rows):
        raise DataError(f"{asked.table.source}: no ratings; all counts are 0.")
    return Ratings(
        items=(items[0][rows], items[1]),
        raters=None,
        labels=labels,
        table=asked.table,
        rows=rows,
        notes=notes,
    )


def nested_items(asked: Asked) -> tuple[Coded, str]:
    """Items of a table with nested columns: a column, or else the numbers of the rows."""
    table = asked.table
    flat = [i for i in range(len(table.names)) if i not in asked.nested and table.names[i]]
    found = asked.roles.get("item")
    if found is None and flat:
        first = flat[0]
        codes, texts = table.codes(first)
        found = first if len(texts) == len(codes) else None
    if found is None or found in asked.nested:
        return numbered_rows(asked), "number of the row"
    return table.codes(found), table.names[found]


def flat(table: Table, column: int, lists: Sequence[Sequence[Any]]) -> Coded:
    """Code the entries of all lists; one that is a list itself is several labels as one."""
    entries = [entry for cell in lists for entry in cell]
    try:
        return encode([text_of(entry) if isinstance(entry, list) else entry for entry in entries])
    except DataError as error:
        raise DataError(f"{table.source}, column '{table.names[column]}': {error}") from None


def lists_in(table: Table, column: int) -> list[Sequence[Any]]:
    """Return cells as lists, a record of lists as a list of records; none if others are not."""
    cells = [listed(cell) for cell in table.cells(column)]
    return [] if None in cells else cast("list[Sequence[Any]]", cells)


# Records of label to count, such as {"yes": 3, "no": 2}.

COUNT_WORD = re.compile(r"(?i)count|vote|tally|distribution|freq|histogram")
"""What names say of columns that count labels."""


def counted_in_cells(asked: Asked) -> Told | None:
    """Find a column of such records."""
    for column in asked.nested:
        cells = asked.table.cells(column)
        given = [cell for cell in cells if cell is not None]
        if given and all(map(_whole_numbers, given)) and _are_counted(asked, column, given):
            counts: list[dict[Any, Any]] = [cell or {} for cell in cells]
            labels = [
                [label for label, times in cell.items() for _ in range(int(times or 0))]
                for cell in counts
            ]
            how = f"counts of labels in '{asked.table.names[column]}'"
            return Told(column, labels, None, how, {})
    return None


def _are_counted(asked: Asked, column: int, cells: Sequence[Mapping[Any, Any]]) -> bool:
    """Whether numbers count labels, and are not labels themselves, given by raters."""
    name = asked.table.names[column]
    if asked.shape == "counts":
        return True
    if name == asked.given["label"] or asked.shape is not None:
        return False
    keys = sorted({str(key) for cell in cells for key in cell})
    if COUNT_WORD.search(name) or {*keys} <= set(asked.labels or ()):
        return True
    if _are_labels(keys):
        return True
    if (are_raters(keys) and max(map(len, keys)) > 1) or not _is_named(name):
        return False
    raise DataError(
        f"{asked.table.source}: records in '{name}', such as {cells[0]}, may say how many "
        f"raters gave each label, or which number each rater gave. Say "
        f"{option('shape', 'counts')} if {some(keys, 3)} are labels, or "
        f"{option('label', name)} if they are raters."
    )


def _whole_numbers(cell: Any) -> bool:
    """Whether a cell is a record of counts; a key that others have is None here."""
    if not isinstance(cell, Mapping):
        return False
    record = cast("Mapping[Any, Any]", cell)
    values = [value for value in record.values() if value is not None]
    return bool(values) and all(
        isinstance(v, int | float) and not isinstance(v, bool) and v >= 0 and v == int(v)
        for v in values
    )


# Records of rater to label, such as {"ann": "yes", "bob": "no"}.


def _by_rater(asked: Asked) -> Told | None:
    """Find a column of such records that is named as labels or raters are."""
    table = asked.table
    for column in asked.nested:
        name, records = (
            table.names[column],
            [cell or dict[Any, Any]() for cell in table.cells(column)],
        )
        if name != asked.given["label"] and not _is_named(name):
            continue
        if not all(isinstance(record, Mapping) for record in records):
            continue
        cells: Sequence[Mapping[Any, Any]] = records
        keys = [key for cell in cells for key, value in cell.items() if value is not None]
        scalars = all(v is None or np.isscalar(v) for cell in cells for v in cell.values())
        if scalars and len({*keys}) < len(keys):  # as raters are, of one item and another
            check_aspects(table, list(dict.fromkeys(map(str, keys))))
            labels, raters = [list(cell.values()) for cell in cells], [list(cell) for cell in cells]
            return Told(column, labels, raters, f"labels by rater in '{name}'", {})
    return None


def _is_named(name: str) -> bool:
    """Whether a column is called as labels or raters are, one or several."""
    names = [name, re.sub(r"s$", "", name)]
    return find_role(names, "label") is not None or find_role(names, "rater") is not None


# Lists: of records of rater and label, or of raters and of labels side by side.


def _in_lists(asked: Asked) -> Told | None:
    """Find a column of lists of records with a label, or lists of labels, perhaps with raters."""
    beside: dict[str, list[Sequence[Any]]] = {}
    for column in asked.nested:
        cells, name = lists_in(asked.table, column), asked.table.names[column]
        entries = [entry for cell in cells for entry in cell]
        if entries and all(isinstance(entry, Mapping) for entry in entries):
            keys = dict.fromkeys(str(key) for entry in entries for key in entry)
            fields = {key: [[e.get(key) for e in cell] for cell in cells] for key in keys}
            told = _told_of(asked, column, fields, f"records in '{name}', ")
            if told is not None:
                return told
        elif _are_plain(entries):
            beside[name] = cells
    return _told_of(asked, None, beside, "lists; ")


def _told_of(
    asked: Asked, column: int | None, lists: Mapping[str, Sequence[Sequence[Any]]], what: str
) -> Told | None:
    """Find labels and raters by names; beside raters the other of two holds the labels."""
    names = fields = list(lists)
    if column is None:  # names of lists are plural
        fields = [re.sub(r"s$", "", plain_name(name)) for name in names]
        fields = [f if find_role([f], "rater") == 0 else f.rpartition("_")[2] for f in fields]
    roles: dict[str, str] = {}
    for role in ("label", "rater"):
        given, usual = asked.given[role], find_role(fields, role)
        if given is not None and given in lists:
            roles[role] = given
        elif usual is not None:
            roles[role] = names[usual]
    if "label" not in roles and "rater" in roles and len(names) == 2:
        (label,) = {*names} - {roles["rater"]}
        roles = {"label": label, **roles}
    if "label" not in roles:
        return None
    how = what + ", ".join(f"{role} = '{name}'" for role, name in roles.items())
    column = asked.table.names.index(roles["label"]) if column is None else column
    raters = lists[roles["rater"]] if "rater" in roles else None
    return Told(column, lists[roles["label"]], raters, how, roles)


def _are_plain(entries: Sequence[Any]) -> bool:
    """Whether entries of lists are texts or numbers, or lists of them."""
    inside = [cast("list[Any]", one) if isinstance(one, list) else [one] for one in entries]
    parts = [part for one in inside for part in one]
    return bool(parts) and all(part is None or np.isscalar(part) for part in parts)
