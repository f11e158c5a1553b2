"""Shapes in which ratings come: long, wide, transposed, counted, nested, without raters."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from headcount.data.vocabulary import MISSING, encode, label_text, number_of
from headcount.errors import DataError, closest, count, option, some
from headcount.io.roles import (
    check_roles,
    described,
    find_role,
    find_roles,
    item_column,
    near_role,
)
from headcount.io.table import Coded, Table
from headcount.io.values import SomeRows
from headcount.io.words import WRITTEN_MISSING
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["SHAPES", "Asked", "Ratings", "Shape", "shape_of"]

MOST_WORDS, MOST_NUMBERS = 5, 20
"""A wide column with more values than this that no other column shares is not a rater's."""
LONG = ("item", "rater", "label")
"""Roles of the columns of long data, and the order of rows without names."""
LEAST_ROWS = 5
"""Rows whose numbers add up to the same sum that make columns counts of labels."""
COUNT_NAME = re.compile(
    r"(?i)(?:n|num|count|counts|votes|n_votes)[_ .:-](.+)|(.+)[_ .:-](?:count|counts|votes|n)"
)
RATER_NAME = re.compile(
    r"(?i)(?:r|rater|ann|annotator|coder|worker|judge|labell?er|reviewer|user|expert|person|"
    r"participant|respondent|assessor|observer|column)[_ .-]?\w{0,3}"
)
QUESTION_NAME = re.compile(r"(?i)(?:q|item|question|task|doc|document|image|stimulus)[_ .-]?\d+")
INDEX_NAME = re.compile(r"(?i)unnamed: ?\d+|index|level_\d+")


@dataclass(frozen=True)
class Asked:
    """A table of ratings, and what the user said of it.

    Parameters
    ----------
    table : Table
    given : mapping of str to str or None
        Columns that the user named, by role: item, rater, label.
    labels : sequence of str or None
        All labels, if they were named.
    question : str or None
        Which of several questions.
    transpose : bool or None
        Whether raters are the rows of wide data; None to go by names.
    skip : frozenset of str
        Columns that only choose rows.
    """

    table: Table
    given: Mapping[str, str | None]
    labels: Sequence[str] | None = None
    question: str | None = None
    transpose: bool | None = None
    skip: frozenset[str] = frozenset()

    @cached_property
    def roles(self) -> dict[str, int]:
        """Columns by role, by the names that the user gave or people use."""
        return find_roles(self.table, self.given)

    @cached_property
    def nested(self) -> list[int]:
        """Columns of lists or records."""
        return self.table.nested()

    @cached_property
    def may_nest(self) -> bool:
        """Whether ratings may be in nested columns: other columns do not name raters or items."""
        flat = {role for role, column in self.roles.items() if column not in self.nested}
        return bool(self.nested) and "rater" not in flat and not self._nested_item

    @property
    def _nested_item(self) -> bool:
        return self.roles.get("item") in self.nested

    @cached_property
    def asks(self) -> int | None:
        """Find the column that says which question was answered."""
        column = find_role(self.table.names, "asked")
        return None if column in self.roles.values() else column

    def rest(self, roles: Mapping[str, int]) -> list[int]:
        """Columns that play no role, and may."""
        names = self.table.names
        return [
            i
            for i, name in enumerate(names)
            if name
            and name not in self.skip
            and i not in roles.values()
            and i != self.asks
            and not INDEX_NAME.fullmatch(name)
        ]


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """Ratings as a shape gives them, before values are looked at.

    Parameters
    ----------
    items, labels : Coded
    raters : Coded or None
        None if nobody knows them.
    rows : array of int or None
        Row of the table that each rating comes from; None if each has its own.
    blanks : bool
        Whether a blank label is a row that is left out, and not an item that nobody rated.
    order : tuple of str or None
        The labels in order, if the table has them so.
    notes : Notes
    table : Table
        What is left of the table.
    """

    items: Coded
    raters: Coded | None
    labels: Coded
    table: Table
    rows: Codes | None = None
    blanks: bool = True
    order: tuple[str, ...] | None = None
    notes: Notes = field(default_factory=Notes)


class Shape(ABC):
    """A way in which ratings are laid out. To add one, write a class and put it into the list.

    Attributes
    ----------
    name : str
    """

    name: ClassVar[str]

    @abstractmethod
    def fits(self, asked: Asked) -> bool:
        """Whether a table has this shape."""

    @abstractmethod
    def read(self, asked: Asked) -> Ratings:
        """Take the ratings out of a table."""


def shape_of(asked: Asked) -> Shape:
    """Choose the shape of a table: the first in the list that fits."""
    return next(shape for shape in SHAPES if shape.fits(asked))


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
        own = len(seen) == len(LONG) and len(seen[0] - seen[1] - seen[2])
        if len(seen) == len(LONG) and (own > MOST_WORDS or not seen[0] & seen[2]):
            raise _ambiguous(table)
        names = [str(i) for i in range(len(columns))]
        items = (np.arange(table.rows), [str(i) for i in range(table.rows)])
        raters = list(range(len(columns)))
        if asked.transpose:
            return _spread(asked, items, raters, [f"{i}" for i in raters], transposed=True)
        notes = Notes([_wide_note(table, "item", names)])
        return replace(_spread(asked, items, raters, names), notes=notes)


class Records(Shape):
    """Rows without names of columns: item, rater, label."""

    name = "records"

    def fits(self, asked: Asked) -> bool:
        """Whether it is a list of tuples."""
        return asked.table.form == "records"

    def read(self, asked: Asked) -> Ratings:
        """Take one rating a row, unless rows may be those of a matrix."""
        table = asked.table
        seen = [set(table.codes(column)[1]) for column in range(len(table.names))]
        if len(seen) != len(LONG) or (seen[0] & seen[2] and seen[1] & seen[2]):
            raise _ambiguous(table)
        return _rows_of(asked, dict(zip(LONG, range(len(LONG)), strict=True)))


class Transposed(Shape):
    """One rater a row, one item a column."""

    name = "transposed"

    def fits(self, asked: Asked) -> bool:
        """Whether the user says so, or the first column is named as raters are."""
        if asked.transpose is not None:
            return asked.transpose
        table, roles = asked.table, asked.roles
        rater = roles.get("rater")
        if set(roles) != {"rater"} or rater not in asked.rest({})[:1]:
            return False
        if asked.given["rater"] is not None or len(asked.rest(roles)) < 2 or asked.nested:
            return False
        if near_role([table.names[i] for i in asked.rest(roles)], "label"):
            return False
        codes, texts = table.codes(rater)
        return len(texts) == len(codes)

    def read(self, asked: Asked) -> Ratings:
        """Take the raters from the rows."""
        table = asked.table
        named = asked.roles.get("rater", asked.roles.get("item"))
        column = (asked.rest({}) or [0])[0] if named is None else named
        items = [i for i in asked.rest({}) if i != column]
        if not items:
            raise _single(table, column)
        names = [table.names[i] for i in items]
        made = _spread(asked, table.codes(column), items, names, transposed=True)
        made.notes.info(
            f"{table.source}: read as wide with raters as rows; rater = '{table.names[column]}', "
            f"{count(len(items), 'item')}: {some(names, 12)}. If rows are items, say "
            f"{option('transpose', False)}."
        )
        return made


class NestedCounts(Shape):
    """A record of label to count in a cell, such as ``{"yes": 3, "no": 2}``."""

    name = "nested counts"

    def fits(self, asked: Asked) -> bool:
        """Whether a column holds such records."""
        return asked.may_nest and self._column(asked) is not None

    def read(self, asked: Asked) -> Ratings:
        """Make as many anonymous ratings of each label as are counted."""
        column = cast("int", self._column(asked))
        table, notes = asked.table, Notes()
        items, item_name = _nested_items(asked, column)
        rows: list[int] = []
        labels: list[object] = []
        for row, cell in enumerate(asked.table.cells(column)):
            for label, times in cast("Mapping[Any, Any]", cell or {}).items():
                number = int(times or 0)
                rows += [row] * number
                labels += [label] * number
        notes.info(
            f"{table.source}: read as counts of labels in '{table.names[column]}', by anonymous "
            f"raters; item = '{item_name}'."
        )
        return _anonymous(asked, items, np.array(rows, dtype=np.int64), encode(labels), notes)

    def _column(self, asked: Asked) -> int | None:
        for column in asked.nested:
            cells = [cell for cell in asked.table.cells(column) if cell is not None]
            if cells and all(map(_whole_numbers, cells)):
                return column
        return None


class NestedRatings(Shape):
    """Lists in cells: of records of rater and label, or of raters and of labels side by side."""

    name = "nested"

    def fits(self, asked: Asked) -> bool:
        """Whether a column holds lists that can be ratings."""
        if not asked.may_nest:
            return False
        return self._records(asked) is not None or self._lists(asked) is not None

    def read(self, asked: Asked) -> Ratings:
        """Take one rating from each entry of the lists."""
        table = asked.table
        found = self._records(asked)
        if found is not None:
            column, rater_key, label_key = found
            cells = table.cells(column)
            labels = [[entry.get(label_key) for entry in cell or ()] for cell in cells]
            raters = (
                None
                if rater_key is None
                else [[entry.get(rater_key) for entry in cell or ()] for cell in cells]
            )
            what = f"records in '{table.names[column]}', label = '{label_key}'" + (
                "" if rater_key is None else f", rater = '{rater_key}'"
            )
        else:
            label, rater = cast("tuple[int, int | None]", self._lists(asked))
            column = label
            labels = [list(cell) if cell is not None else [] for cell in table.cells(label)]
            raters, what = None, f"lists; label = '{table.names[label]}'"
            if rater is not None:
                raters = [list(cell) if cell is not None else [] for cell in table.cells(rater)]
                what += f", rater = '{table.names[rater]}'"
                for row, (a, b) in enumerate(zip(labels, raters, strict=True)):
                    if len(a) != len(b):
                        raise DataError(
                            f"{table.at(row)}: {count(len(a), 'label')} and "
                            f"{count(len(b), 'rater')}. The lists must be as long as each other."
                        )
        items, item_name = _nested_items(asked, column)
        rows = np.repeat(np.arange(len(labels)), [len(cell) for cell in labels])
        coded = _flat(table, column, labels)
        notes = Notes()
        if raters is None:
            notes.info(
                f"{table.source}: read as {what}, by anonymous raters; item = '{item_name}'."
            )
            return _anonymous(asked, items, rows, coded, notes)
        notes.info(f"{table.source}: read as {what}; item = '{item_name}'.")
        return Ratings(
            items=(items[0][rows], items[1]),
            raters=_flat(table, column, raters),
            labels=coded,
            table=table,
            rows=rows,
            notes=notes,
        )

    def _records(self, asked: Asked) -> tuple[int, str | None, str] | None:
        """Find a column of lists of records: its place, and the keys of rater and label."""
        for column in asked.nested:
            entries = [entry for cell in _lists_in(asked.table, column) for entry in cell]
            if not entries or not all(isinstance(entry, Mapping) for entry in entries):
                continue
            keys = list(dict.fromkeys(str(key) for entry in entries for key in entry))
            rater, label = find_role(keys, "rater"), find_role(keys, "label")
            if label is None and rater is not None and len(keys) == 2:
                label = 1 - rater
            if label is not None:
                return column, None if rater is None else keys[rater], keys[label]
        return None

    def _lists(self, asked: Asked) -> tuple[int, int | None] | None:
        """Find a column of lists of labels, and perhaps one of lists of raters."""
        table = asked.table
        plain = [c for c in asked.nested if _plain_lists(table, c)]
        names = [re.sub(r"s$", "", re.sub(r"(_id)s$", r"\1", table.names[c])) for c in plain]
        role = {r: find_role(names, r) for r in ("rater", "label")}
        for one in ("rater", "label"):
            wanted = asked.given[one]
            places = [i for i, c in enumerate(plain) if table.names[c] == wanted]
            role[one] = places[0] if places else role[one]
        rater, label = role["rater"], role["label"]
        if label is None and rater is not None and len(plain) == 2:
            label = 1 - rater
        if label is None:
            return None
        return plain[label], None if rater is None else plain[rater]


class CountColumns(Shape):
    """One item a row, one column a label, which says how many gave it."""

    name = "counts"

    def fits(self, asked: Asked) -> bool:
        """Whether columns are named as counts are, or their numbers add up to the same sum."""
        return bool(self._columns(asked))

    def read(self, asked: Asked) -> Ratings:
        """Make as many anonymous ratings of each label as are counted."""
        table, notes = asked.table, Notes()
        columns = self._columns(asked)
        items = table.codes(item_column(table, asked.given["item"]))
        named = all(COUNT_NAME.fullmatch(table.names[i]) for i in columns)
        names = [_counted(table.names[i]) if named else table.names[i] for i in columns]
        numbers = np.stack([np.nan_to_num(table.numbers(i)[0]) for i in columns], axis=1)
        times = numbers.astype(np.int64).ravel()
        rows = np.repeat(np.arange(table.rows), len(columns)).repeat(times)
        labels = np.tile(np.arange(len(columns)), table.rows).repeat(times)
        sums = "" if named else ", as their numbers add up to the same sum in every row"
        notes.info(
            f"{table.source}: read as counts of the labels {some(names, 12)}, by anonymous "
            f"raters{sums}. If columns are raters, name the labels with {option('labels', ...)}."
        )
        return _anonymous(asked, items, rows, (labels, names), notes)

    def _columns(self, asked: Asked) -> list[int]:
        """Columns that hold counts; none if they may be anything else."""
        table, roles = asked.table, asked.roles
        if table.form != "named" or asked.nested or asked.given["rater"] or asked.given["label"]:
            return []
        if "rater" in roles or "label" in roles:
            return []
        column = item_column(table, asked.given["item"])
        others = [i for i in asked.rest({}) if i != column]
        named = [i for i in others if COUNT_NAME.fullmatch(table.names[i])]
        if len(named) > 1 and _are_counts(table, named):
            return named
        if len(others) < 2 or any(RATER_NAME.fullmatch(table.names[i]) for i in others):
            return []
        if asked.labels is not None:
            same = {label_text(label) for label in asked.labels}
            names = {label_text(table.names[i]) for i in others}
            return others if names <= same and _are_counts(table, others) else []
        return others if _same_sums(table, others) else []


class Long(Shape):
    """One rating a row: columns for item, rater and label."""

    name = "long"

    def fits(self, asked: Asked) -> bool:
        """Whether names of columns say so, or may have meant to."""
        clear = asked.given["rater"] is not None or asked.given["label"] is not None
        # Misspelt headers of long data: better to ask than to read them as raters.
        names = asked.table.names
        misspelt = near_role(names, "rater") and near_role(names, "label")
        misspelt = misspelt and asked.transpose is None
        asks = asked.question is not None and len(asked.roles) == 2
        return bool(clear or len(asked.roles) >= 2 or misspelt or asks)

    def read(self, asked: Asked) -> Ratings:
        """Take one rating a row."""
        asked, roles = _one_question(asked, _third_role(asked))
        if "rater" not in roles and _without_raters(asked, roles):
            return self._anonymous(asked, roles)
        check_roles(asked.table, roles, LONG)
        made = _rows_of(asked, roles)
        if None in asked.given.values():
            source = asked.table.source
            made.notes.info(
                f"{source}: read as long, one row a rating; {described(asked.table, roles)}."
            )
        return made

    def _anonymous(self, asked: Asked, roles: Mapping[str, int]) -> Ratings:
        """Take one rating a row, of raters whom nobody knows."""
        table, notes = asked.table, Notes()
        notes.info(
            f"{table.source}: read as long without raters, each row from another one; "
            f"{described(table, roles)}. What compares raters cannot be told."
        )
        return Ratings(
            items=table.codes(roles["item"]),
            raters=None,
            labels=table.codes(roles["label"]),
            table=table,
            order=table.categories(roles["label"]),
            notes=notes,
        )


class Wide(Shape):
    """One item a row, one rater a column."""

    name = "wide"

    def fits(self, asked: Asked) -> bool:
        """Anything may be wide."""
        return True

    def read(self, asked: Asked) -> Ratings:
        """Take one item a row, and one rater a column."""
        table = asked.table
        column = item_column(table, asked.given["item"])
        raters = [
            i
            for i, name in enumerate(table.names)
            if i != column and name and name not in asked.skip
        ]
        if not raters:
            raise _single(table, column)
        names = [table.names[i] for i in raters]
        made = _spread(asked, table.codes(column), raters, names)
        made.notes.info(_wide_note(table, table.names[column] or "first column", names))
        nameless = sum(not name for i, name in enumerate(table.names) if i != column)
        if nameless:
            made.notes.caution(
                f"{table.source}: {count(nameless, 'column')} without a name left out."
            )
        asked_of = [name for name in names if QUESTION_NAME.fullmatch(name)]
        if asked.transpose is None and len(names) > 2 and len(asked_of) == len(names):
            made.notes.warning(
                f"{table.source}: columns are called {some(names)}, as items are. If raters are "
                f"the rows, say {option('transpose', True)}."
            )
        return made


SHAPES: tuple[Shape, ...] = (
    Matrix(),
    Records(),
    Transposed(),
    NestedCounts(),
    NestedRatings(),
    CountColumns(),
    Long(),
    Wide(),
)
"""Shapes, in the order in which they are tried."""


# What long data need.


def _rows_of(asked: Asked, roles: Mapping[str, int]) -> Ratings:
    """Take one rating a row from three columns."""
    table = asked.table
    return Ratings(
        items=table.codes(roles["item"]),
        raters=table.codes(roles["rater"]),
        labels=table.codes(roles["label"]),
        table=table,
        order=table.categories(roles["label"]),
    )


def _third_role(asked: Asked) -> dict[str, int]:
    """Columns by role; where two are known and one column is left, that is the third.

    Only where items repeat: in wide data, which a rater called 'judge' makes look long, they do
    not.
    """
    table, roles = asked.table, dict(asked.roles)
    if (
        asked.question is not None
        and asked.question in table.names
        and asked.given["label"] is None
    ):
        roles["label"] = table.names.index(asked.question)
    lacking = [role for role in LONG if role not in roles]
    rest = asked.rest(roles)
    if len(roles) != 2 or len(lacking) != 1 or len(set(roles.values())) < 2 or len(rest) != 1:
        return roles
    filled = {**roles, lacking[0]: rest[0]}
    if rest[0] in asked.nested or not _repeats(table, filled["item"]):
        return roles
    item = table.codes(filled["item"])[0]
    rater, rater_texts = table.codes(filled["rater"])
    label_texts = table.codes(filled["label"])[1]
    if set(rater_texts) & set(label_texts):
        return roles
    if lacking[0] == "rater":
        # What is the same in all rows of an item is no rater; nor is what no two items share.
        whole = (item >= 0) & (rater >= 0)
        pairs = item[whole] * max(len(rater_texts), 1) + rater[whole]
        if len(np.unique(pairs)) < len(pairs) or 2 * len(rater_texts) > len(rater):
            return roles
    return {role: filled[role] for role in LONG}


def _without_raters(asked: Asked, roles: Mapping[str, int]) -> bool:
    """Whether there are items and labels alone: items repeat, other columns are facts of them."""
    if set(roles) != {"item", "label"} or not _repeats(asked.table, roles["item"]):
        return False
    misspelt = near_role([asked.table.names[i] for i in asked.rest(roles)], "rater")
    item = asked.table.codes(roles["item"])[0]
    for column in asked.rest(roles):
        if column in asked.nested:
            continue
        codes, texts = asked.table.codes(column)
        pairs = np.unique(item * (len(texts) + 1) + codes)
        if len(pairs) > len(np.unique(item)):
            return False
    return misspelt is None


def _repeats(table: Table, column: int) -> bool:
    """Whether a value stands in several rows."""
    codes, texts = table.codes(column)
    return int((codes >= 0).sum()) > len(texts)


def _one_question(asked: Asked, roles: dict[str, int]) -> tuple[Asked, dict[str, int]]:
    """Choose one question, where raters answer several of an item; list them if none is chosen."""
    table, question = asked.table, asked.question
    if "label" not in roles and {"item", "rater"} <= set(roles):
        rest = [i for i in asked.rest(roles) if i not in asked.nested]
        if len(rest) > 1 and _repeats(table, roles["item"]):
            raise _which(table, [table.names[i] for i in rest], question)
    if question is None and asked.asks is None:
        return asked, roles
    if question is not None and question in table.names:
        return asked, roles
    if asked.asks is None:
        raise _which(table, [table.names[i] for i in asked.rest(roles)], question)
    codes, texts = table.codes(asked.asks)
    if question is None:
        if len(texts) < 2 or "label" not in roles or not _answers_repeat(table, roles):
            return asked, roles
        raise _which(table, texts, None)
    if question not in texts:
        raise _which(table, texts, question)
    kept = SomeRows(table, codes == texts.index(question), "another question")
    return replace(asked, table=kept), roles


def _answers_repeat(table: Table, roles: Mapping[str, int]) -> bool:
    """Whether a rater answers an item more than once."""
    if "rater" not in roles or "item" not in roles:
        return True
    item, rater = table.codes(roles["item"])[0], table.codes(roles["rater"])
    pairs = item * (len(rater[1]) + 1) + rater[0]
    return len(np.unique(pairs)) < len(pairs)


def _which(table: Table, questions: Sequence[str], question: str | None) -> DataError:
    if question is None:
        return DataError(
            f"{table.source}: several questions of each item: {some(questions, 20)}. Choose one "
            f"with {option('question', questions[0])}."
        )
    near = closest(question, questions)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return DataError(
        f"{table.source}: no question '{question}'.{hint} Questions: {some(questions, 20)}."
    )


# What wide data need.


def _spread(
    asked: Asked,
    rows: Coded,
    columns: Sequence[int],
    names: Sequence[str],
    *,
    transposed: bool = False,
) -> Ratings:
    """Take one rating a cell: rows are items and columns raters, or the other way round."""
    table = asked.table
    texts: dict[str, int] = {}
    coded: list[Codes] = []
    seen: list[set[str]] = []
    for i in columns:
        codes, own = table.codes(i)
        place = np.array([texts.setdefault(text, len(texts)) for text in own] or [0])
        coded.append(np.where(codes < 0, MISSING, place[codes]))
        seen.append(set(own) - WRITTEN_MISSING)
    if table.form == "named":
        _check_raters(table, columns, seen)
    labels = (np.stack(coded, axis=1).ravel(), list(texts))
    by_row = (np.repeat(rows[0], len(columns)), rows[1])
    by_column = (np.tile(np.arange(len(columns)), len(rows[0])), list(names))
    orders = {table.categories(i) for i in columns}
    return Ratings(
        items=by_column if transposed else by_row,
        raters=by_row if transposed else by_column,
        labels=labels,
        table=table,
        rows=np.repeat(np.arange(len(rows[0])), len(columns)),
        blanks=False,
        order=orders.pop() if len(orders) == 1 else None,
    )


def _check_raters(table: Table, raters: Sequence[int], seen: list[set[str]]) -> None:
    """Refuse a wide table with a column that is clearly no rater's."""
    worded = [any(number_of(text) is None for text in own) for own in seen]
    many = [len(own) > MOST_NUMBERS and not word for own, word in zip(seen, worded, strict=True)]
    # Where most columns are of many numbers, ratings are continuous and need share none.
    continuous = 2 * sum(many) > len(seen)
    for place, i in enumerate(raters):
        if many[place] and continuous:
            continue
        most = MOST_WORDS if worded[place] else MOST_NUMBERS
        if len(raters) < 2 or len(seen[place]) <= most:
            continue
        others = set[str]().union(*(s for p, s in enumerate(seen) if p != place))
        if not seen[place] & others:
            raise DataError(
                f"{table.source}, column '{table.names[i]}': {len(seen[place]):,} different values "
                "that no other column shares, so it is no rater's. Wide data have one column for "
                "the item, first, and one a rater; leave others out with "
                f"{option('ignore', table.names[i])}. If the data are long, name the columns with "
                f"{option('item')}, {option('rater')} and {option('label')}."
            )


def _wide_note(table: Table, item: str, raters: Sequence[str]) -> str:
    return (
        f"{table.source}: read as wide; item = '{item}', {count(len(raters), 'rater')}: "
        f"{some(raters, 12)}. A column that is no rater's is left out with "
        f"{option('ignore', '...')}."
    )


def _single(table: Table, column: int) -> DataError:
    return DataError(
        f"{table.source}: a single column, '{table.names[column]}'. Long data need columns "
        "for item, rater and label; wide data one for the item and one a rater."
    )


def _ambiguous(table: Table) -> DataError:
    return DataError(
        f"{table.source}: rows without names of columns are read as (item, rater, label), if they "
        "are tuples of three, or as a matrix of items x raters, if they are lists or an array; "
        'these may be something else. Give a dict of columns: {"item": [...], "rater": [...], '
        '"label": [...]} if they are long, {"item": [...], "ann": [...], "bob": [...]} if wide.'
    )


# What counts and nested data need.


def _anonymous(asked: Asked, items: Coded, rows: Codes, labels: Coded, notes: Notes) -> Ratings:
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


def _nested_items(asked: Asked, column: int) -> tuple[Coded, str]:
    """Items of a table with nested columns: a column, or else the numbers of the rows."""
    table = asked.table
    flat = [i for i in range(len(table.names)) if i not in asked.nested and table.names[i]]
    found = asked.roles.get("item")
    if found is None and flat:
        first = flat[0]
        codes, texts = table.codes(first)
        found = first if len(texts) == len(codes) else None
    if found is None or found in asked.nested:
        numbers = [str(number) for number in table.row_numbers().tolist()]
        return (np.arange(table.rows), numbers), "number of the row"
    return table.codes(found), table.names[found]


def _flat(table: Table, column: int, lists: Sequence[Sequence[Any]]) -> Coded:
    """Code the entries of all lists."""
    try:
        return encode([entry for cell in lists for entry in cell])
    except DataError as error:
        raise DataError(f"{table.source}, column '{table.names[column]}': {error}") from None


def _lists_in(table: Table, column: int) -> list[Sequence[Any]]:
    """Return cells that are lists; none if others are not."""
    cells = [cell for cell in table.cells(column) if cell is not None]
    if not all(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
        return []
    return cast("list[Sequence[Any]]", cells)


def _plain_lists(table: Table, column: int) -> bool:
    """Whether a column holds lists of texts or numbers."""
    cells = _lists_in(table, column)
    entries = [entry for cell in cells for entry in cell]
    return bool(entries) and all(entry is None or np.isscalar(entry) for entry in entries)


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


def _are_counts(table: Table, columns: Sequence[int]) -> bool:
    """Whether columns hold whole numbers from 0 on, and nothing else."""
    for column in columns:
        numbers, wrong = table.numbers(column)
        given = numbers[~np.isnan(numbers)]
        if wrong.any() or not len(given) or (given < 0).any() or (given % 1 != 0).any():
            return False
    return True


def _same_sums(table: Table, columns: Sequence[int]) -> bool:
    """Whether all rows add up to the same sum, and yet differ, as counts of a full panel do."""
    if table.rows < LEAST_ROWS or not _are_counts(table, columns):
        return False
    numbers = np.stack([table.numbers(column)[0] for column in columns], axis=1)
    sums = numbers.sum(axis=1)
    same = not np.isnan(sums).any() and sums.min() == sums.max() and sums[0] > 1
    return bool(same and len(np.unique(numbers, axis=0)) > 2)


def _counted(name: str) -> str:
    """Label whose count a column is."""
    found = COUNT_NAME.fullmatch(name)
    return name if found is None else cast("str", found.group(1) or found.group(2))
