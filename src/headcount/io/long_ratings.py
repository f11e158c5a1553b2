"""Ratings of which every row is one: item, rater and label, with names of columns or without."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from headcount.data.vocabulary import encode
from headcount.errors import DataError, count, option, some
from headcount.io.counted_ratings import whole_counts
from headcount.io.roles import (
    INDEX_NAME,
    ROLES,
    ReadAs,
    are_raters,
    check_roles,
    described,
    find_role,
    is_remark,
    named_roles,
    plain_name,
    rows_of_question,
    which_question,
)
from headcount.io.shapes import (
    LONG,
    PERSON_NAMES,
    Asked,
    Ratings,
    Shape,
    is_beside,
    is_record,
    may_be_rated,
    note_left_out,
    note_rejected,
)
from headcount.io.tables import Coded, Table
from headcount.io.tools.contents import BETWEEN, text_of
from headcount.io.values import Several
from headcount.results.notes import Notes

__all__ = [
    "Long",
    "rows_of",
    "one_question",
    "third_role",
    "repeats",
    "check_merged",
    "copies",
    "lacks_items",
    "check_repeated",
    "Records",
    "check_labels",
    "ambiguous",
]


# One rating per row: columns for item, rater and label.


class Long(Shape):
    """One rating per row: columns for item, rater and label."""

    name = "long"

    def fits(self, asked: Asked) -> bool:
        """Whether the caller names the rater or the label, or names of columns say two roles."""
        if asked.given["rater"] is not None or asked.given["label"] is not None:
            return True
        asks = asked.question is not None and len(asked.roles) == 2
        return (len(asked.roles) >= 2 or asks) and not copies(asked.table.names)

    def read(self, asked: Asked) -> Ratings:
        """Take one rating per row."""
        notes = Notes()
        asked, roles = one_question(asked, third_role(asked), notes)
        if set(roles) == {"item", "label"}:
            return _without_raters(asked, roles)
        check_roles(asked.table, roles, LONG)
        check_labels(asked, roles)
        check_spans(asked, roles)
        if not {*roles.values()} & {*asked.nested}:
            check_merged(asked.table, roles)
        made = rows_of(asked, roles)
        made.notes.extend(notes)
        if asked.given["rater"] is None:
            doubt = f"{_other_raters(asked, roles)} {asked.table.doubt}"
            asked.table.doubt = doubt.strip()
        if asked.rest(roles):
            note_rejected(asked, roles, made.notes)
        if None in asked.given.values() and not asked.table.exported:
            made.notes.extend([read_as_long(asked.table, roles)])
        return made


def _other_raters(asked: Asked, roles: Mapping[str, int]) -> str:
    """Say which other columns may be the rater, for a refusal of ratings that seem to repeat."""
    names = [asked.table.names[i] for i in asked.rest(roles)]
    called = (*ROLES["rater"], *PERSON_NAMES)
    others = [n for n in names if (plain := plain_name(n)) in called or not is_beside(plain)][:3]
    ways = " or ".join(option("rater", name) for name in others)
    return f"If the rater is in {some(others)}, say {ways}." if others else ""


YES_NO_NAME = re.compile(
    r"(?:is|has)_(?!gold|valid|test|control|correct|dup|retweet|reply|quote|expert|train|dev|missing"
    r"|skipped|deleted|approved|complete|final|active|bot)\w+"
)
"""What columns are called that ask a question with yes and no, of items."""


def check_labels(asked: Asked, roles: Mapping[str, int]) -> None:
    """Refuse two columns that are called as labels are, unless one is called label."""
    table = asked.table
    named = [
        name
        for name in table.names
        if (plain := plain_name(name)) in ROLES["label"] or YES_NO_NAME.fullmatch(plain)
    ]
    said = asked.given["label"] is not None or asked.question is not None or table.exported
    label = plain_name(table.names[roles["label"]])
    if len(named) > 1 and not said and label not in ("label", "labels"):
        raise DataError(
            f"{table.source}: columns {some(named)} are all called as labels are. Say which one "
            f"holds them with {option('label', named[0])}."
        )
    if said or not {*LONG} <= roles.keys():
        return
    rest = [table.names[i] for i in asked.rest(roles) if i not in asked.nested]
    plain = {name: plain_name(name) for name in rest}
    beside = is_beside if label in ("label", "labels") else is_record
    others = [name for name in rest if not (is_remark(plain[name], ()) or beside(plain[name]))]
    if others and _tells_items(table, roles):
        own = table.names[roles["label"]]
        raise DataError(
            f"{table.source}: in all rows of an item '{own}' is the same, so that it may say what "
            f"the item is. Say {option('label', others[0])} if that is what raters say, or "
            f"{option('label', own)} if they all agree."
        )


def _tells_items(table: Table, roles: Mapping[str, int]) -> bool:
    """Whether a column of several labels has one for each item, whoever rates it."""
    items, labels = table.codes(roles["item"])[0], table.codes(roles["label"])
    pairs = np.unique(np.stack([items, labels[0]])[:, (items >= 0) & (labels[0] >= 0)], axis=1)
    number = len(np.unique(pairs[0]))
    return len(labels[1]) > 1 and number == pairs.shape[1] < len(items)


def _without_raters(asked: Asked, roles: Mapping[str, int]) -> Ratings:
    """Take one rating per row, or as many as a column counts, of raters whom nobody knows."""
    table, notes = asked.table, Notes()
    check_labels(asked, roles)
    rest = asked.rest(roles)
    times = find_role([table.names[i] for i in rest], "times")
    counts = None if times is None else rest[times]
    _check_beside(asked, roles, [i for i in rest if i != counts])
    note_rejected(asked, roles, notes)
    items, labels = table.codes(roles["item"]), labels_of(asked, roles["label"], notes)
    rows = None
    how = "each row from another one"
    if counts is not None:
        rows = np.arange(table.rows).repeat(whole_counts(table, counts))
        items, labels = (items[0][rows], items[1]), (labels[0][rows], labels[1])
        how = f"as many as '{table.names[counts]}' counts"
    text = (
        f"{table.source}: read as long without raters, {how}; {described(table, roles)}. Raters "
        "cannot be compared."
    )
    if not table.exported:
        short = f"{table.source}: long, without raters"
        notes.extend([ReadAs(text, named_roles(table, roles), short=short)])
    return Ratings(
        items=items,
        raters=None,
        labels=labels,
        table=table,
        rows=rows,
        order=table.categories(roles["label"]),
        notes=notes,
    )


def _check_beside(asked: Asked, roles: Mapping[str, int], columns: Sequence[int]) -> None:
    """Refuse columns beside items and labels that may be raters, if names do not say otherwise."""
    table = asked.table
    names = [
        name
        for i in columns
        if i not in asked.nested
        and (not is_beside(plain := plain_name(name := table.names[i])) or plain in PERSON_NAMES)
    ]
    if table.exported or not names:
        return
    if repeats(table, roles["item"]):
        raise DataError(
            f"{table.source}: items and labels are found, but not who gave them. Is it "
            f"{some(names)}? Say {option('rater', names[0])}; or leave out what is not a rater "
            f"with {option('ignore', Several(names))}."
        )
    label = table.names[roles["label"]]
    raise DataError(
        f"{table.source}: each item has one row, with a column '{label}' beside {some(names)}. If "
        f"each column is a rater, name them with {option('columns', Several(names))}; if '{label}' "
        f"alone holds the ratings, leave the others out with {option('ignore', Several(names))}."
    )


def read_as_long(table: Table, roles: Mapping[str, int]) -> ReadAs:
    """Say which column plays which role."""
    text = f"{table.source}: read as long (one row per rating); {described(table, roles)}."
    named = named_roles(table, roles)
    short = f"{table.source}: long ({', '.join(named.values())})"
    return ReadAs(text, named, short=short)


def copies(names: Sequence[str]) -> bool:
    """Whether columns of one name were told apart by a program: score, score.1, score.2."""
    plain = [plain_name(name) for name in names]
    return any(
        name in ROLES["label"] and {f"{name}_1", f"{name}_2"} & {*plain} and "rater" not in plain
        for name in plain
    )


def rows_of(asked: Asked, roles: Mapping[str, int]) -> Ratings:
    """Take one rating per row from three columns."""
    table, notes = asked.table, Notes()
    return Ratings(
        items=table.codes(roles["item"]),
        raters=table.codes(roles["rater"]),
        labels=labels_of(asked, roles["label"], notes),
        table=table,
        order=table.categories(roles["label"]),
        notes=notes,
    )


def labels_of(asked: Asked, column: int, notes: Notes) -> Coded:
    """Take the labels of a column; a list of several is one label, whatever its order."""
    table = asked.table
    cells = table.cells(column) if column in asked.nested else []
    if not cells or not all(cell is None or isinstance(cell, list) for cell in cells):
        return table.codes(column)
    texts = [text_of(cell) for cell in cells]
    several = next((text for text in texts if text is not None and BETWEEN in text), None)
    if several is not None:
        notes.info(
            f"{table.source}: cells of column '{table.names[column]}' are lists; several labels "
            f"are written as one, such as '{several}'."
        )
    return encode(texts)


def known_roles(asked: Asked) -> dict[str, int]:
    """Columns by role, by name; the question that the user chose is the label."""
    roles, names = dict(asked.roles), asked.table.names
    if asked.question in names and asked.given["label"] is None:
        roles["label"] = names.index(asked.question)
    return roles


def third_role(asked: Asked) -> dict[str, int]:
    """Columns by role; where the rater and one more are known and one column is left, it is that.

    Only where items repeat: in wide data, which a rater called 'judge' makes look long, they do
    not.
    """
    roles = known_roles(asked)
    lacking = [role for role in LONG if role not in roles]
    rest = asked.rest(roles)
    if lacking not in (["item"], ["label"]) or len(set(roles.values())) < 2 or len(rest) != 1:
        return roles
    if rest[0] in asked.nested:
        return roles
    filled = {**roles, lacking[0]: rest[0]}
    if not repeats(asked.table, filled["item"]):
        return roles
    return {role: filled[role] for role in LONG}


# Several questions of each item in one table of ratings: which one is read.


def one_question(asked: Asked, roles: dict[str, int], notes: Notes) -> tuple[Asked, dict[str, int]]:
    """Choose one question, where raters answer several of an item; list them if none is chosen.

    Columns whose names say that they hold no ratings are none, which `notes` say.
    """
    table, question = asked.table, asked.question
    if "label" not in roles and {"item", "rater"} <= set(roles):
        rest = [i for i in asked.rest(roles) if i not in asked.nested]
        if len(rest) > 1 and repeats(table, roles["item"]):
            asked_of = [i for i in rest if may_be_rated(plain_name(table.names[i]))]
            if len(asked_of) != 1:
                names = [table.names[i] for i in asked_of or rest]
                raise which_question(table.source, names, question)
            roles = {**roles, "label": asked_of[0]}
            out = [i for i in rest if i not in asked_of]
            note_left_out(table, out, "hold no ratings", "label", notes)
    if question is None and asked.asks is None:
        return asked, roles
    if question is not None and question in table.names:
        return asked, roles
    if asked.asks is None:
        raise which_question(table.source, [table.names[i] for i in asked.rest(roles)], question)
    texts = table.codes(asked.asks)[1]
    if question is not None:
        return replace(asked, table=rows_of_question(table, asked.asks, question)), roles
    # A question that each item has one of is its text.
    if "label" not in roles or "item" not in roles:
        return asked, roles
    pairs = np.stack([table.codes(column)[0] for column in (roles["item"], asked.asks)], axis=1)
    if len(np.unique(pairs, axis=0)) == len(np.unique(pairs[:, 0])):
        return asked, roles
    raise which_question(table.source, texts, None)


def repeats(table: Table, column: int) -> bool:
    """Whether a value stands in several rows."""
    codes, texts = table.codes(column)
    return int((codes >= 0).sum()) > len(texts)


# Rows that mark a part of a text, which is more than a label of an item.

SPAN_ENDS = {
    "start": "end", "begin": "end", "start_offset": "end_offset", "start_char": "end_char",
    "span_start": "span_end", "begin_offset": "end_offset", "char_start": "char_end",
}  # fmt: skip
"""What columns are called that say where a part of a text begins and ends."""


def check_spans(asked: Asked, roles: Mapping[str, int]) -> None:
    """Refuse rows that mark parts of texts."""
    table = asked.table
    beside = {plain_name(table.names[i]): i for i in asked.rest(roles)}
    for start, end in SPAN_ENDS.items():
        if start not in beside or end not in beside:
            continue
        ends = [beside[start], beside[end]]
        if any(i in asked.nested or table.numbers(i)[1].any() for i in ends):
            continue
        names = [table.names[i] for i in ends]
        raise DataError(
            f"{table.source}: rows mark parts of texts, from '{names[0]}' to '{names[1]}'. Spans "
            "are not read: make each token or sentence an item, with one row for each rater."
        )


# Long data in which an item, or a rater, stands only in the first of its rows.

LEAST_MERGED = 2
"""Values that have blanks below them."""
LEAST_BLANK = 0.3
"""Share of rows that are blank."""


def check_merged(table: Table, roles: Mapping[str, int]) -> None:
    """Refuse a column of items or raters that is blank below each first row, as merged cells are.

    Each value comes once, or nearly so, and the rows below it would be left out.
    """
    label = table.codes(roles["label"])[0] >= 0
    for role in ("item", "rater"):
        codes, texts = table.codes(roles[role])
        blank = (codes < 0) & label
        if blank.mean() < LEAST_BLANK or len(texts) < LEAST_MERGED or codes[0] < 0:
            continue
        if int((codes >= 0).sum()) <= 1.1 * len(texts):
            row = int(np.flatnonzero(blank)[0])
            raise DataError(
                f"{table.at(row, roles[role])}: blank, as {count(int(blank.sum()), 'row')} "
                f"{'are' if blank.sum() > 1 else 'is'} below the first of each {role}: merged "
                f"cells, it seems. Write the {role} into each row (unmerge the cells, and fill "
                "down)."
            )


# Wide tables without a column of items, and tables whose rows repeat one.


def lacks_items(asked: Asked) -> bool:
    """Whether every column is called as raters are, so that none holds the items."""
    table, names = asked.table, asked.table.names
    if asked.given["item"] is not None or asked.transpose is not None or table.form != "named":
        return False
    if find_role(names, "item") is not None or table.index_name() is not None or table.exported:
        return False
    if names[0] and not INDEX_NAME.fullmatch(names[0]):
        return are_raters([name for name in names if name and not INDEX_NAME.fullmatch(name)])
    # An index tells items apart, as it does in files of predictions that were written alike.
    codes, texts = table.codes(0)
    others = [name for name in names[1:] if name and not INDEX_NAME.fullmatch(name)]
    return len(texts) < len(codes) and are_raters(others)


def check_repeated(asked: Asked, column: int) -> None:
    """Refuse wide data of which most rows repeat an item: they seem to be ratings."""
    table = asked.table
    if any(asked.given.values()) or asked.transpose is not None or asked.shape is not None:
        return
    codes, texts = table.codes(column)
    called = find_role([table.names[column]], "item") is not None
    times = find_role(table.names, "times")
    if table.form == "named" and times is not None and len(texts) < len(codes):
        name = table.names[times]
        raise DataError(
            f"{table.source}: '{name}' seems to count how often each row holds, and rows are not "
            f"repeated. Repeat each row that many times, and leave '{name}' out; if it counts "
            f"nothing, say {option('ignore', name)}."
        )
    if table.form == "named" and not called and len(texts) < len(codes):
        table.doubt = (
            f"If '{table.names[column]}' is a rater as well, name all raters with "
            f"{option('columns', Several(table.names))}. {table.doubt}".rstrip()
        )
    if table.form == "named" and not called and (np.nan_to_num(table.numbers(column)[0]) % 1).any():
        why = "have fractions, so they are not ids of items"
    elif table.form == "named" and len(codes) >= max(3, 2 * len(texts)):
        why = "repeat, so each row seems to be a rating, not an item"
    else:
        return
    raise DataError(
        f"{table.source}: the values of '{table.names[column]}' {why}. Name the columns with "
        f"{option('item', '...')}, {option('rater', '...')} and {option('label', '...')}. If each "
        f"row is an item, name the raters with {option('columns', Several(table.names))}."
    )


# Rows without names of columns: item, rater, label.


class Records(Shape):
    """Rows without names of columns: item, rater, label."""

    name = "records"

    def fits(self, asked: Asked) -> bool:
        """Whether it is a list of tuples."""
        return asked.table.form == "records"

    def read(self, asked: Asked) -> Ratings:
        """Take one rating per row, unless rows may be those of a matrix."""
        table = asked.table
        seen = [set(table.codes(column)[1]) for column in range(len(table.names))]
        if len(seen) != len(LONG) or (seen[0] & seen[2] and seen[1] & seen[2]):
            raise ambiguous(table)
        return rows_of(asked, dict(zip(LONG, range(len(LONG)), strict=True)))


def ambiguous(table: Table) -> DataError:
    """Error for rows that may be records or those of a matrix."""
    return DataError(
        f"{table.source}: rows without names of columns are read as (item, rater, label), if they "
        "are tuples of three, or as a matrix of items x raters, if they are lists or an array; "
        'these may be something else. Give a dict of columns: {"item": [...], "rater": [...], '
        '"label": [...]} if they are long, {"item": [...], "ann": [...], "bob": [...]} if wide.'
    )
