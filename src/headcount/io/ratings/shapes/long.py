"""One rating a row: columns for item, rater and label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headcount.data.vocabulary import encode
from headcount.errors import DataError, option, some
from headcount.io.ratings.shapes.base import LONG, Asked, Ratings, Shape
from headcount.io.ratings.shapes.beside.other_columns import note_rejected
from headcount.io.ratings.shapes.crossed import crossed_roles
from headcount.io.ratings.shapes.merged_cells import check_merged
from headcount.io.ratings.shapes.questions import one_question, repeats
from headcount.io.ratings.shapes.repeated_item import repeated_item
from headcount.io.roles.names import ROLES
from headcount.io.roles.roles import (
    ReadAs,
    check_roles,
    described,
    enumerated,
    named_roles,
    near_role,
    plain_name,
)
from headcount.io.tables.table import Coded, Table
from headcount.io.tools.values import BETWEEN, text_of
from headcount.results.notes import Notes

__all__ = ["Long", "known_roles", "read_as_long", "rows_of"]


class Long(Shape):
    """One rating a row: columns for item, rater and label."""

    name = "long"

    def fits(self, asked: Asked) -> bool:
        """Whether names of columns say so, or may have meant to."""
        clear = asked.given["rater"] is not None or asked.given["label"] is not None
        # Misspelt headers of long data: better to ask than to read them as raters.
        names = asked.table.names
        rater = near_role(names, "rater")
        misspelt = rater is not None and near_role([n for n in names if n != rater], "label")
        misspelt = misspelt and asked.transpose is None and not enumerated(names)
        asks = asked.question is not None and len(asked.roles) == 2
        if not clear and _copies(names):
            return False
        return bool(clear or len(asked.roles) >= 2 or misspelt or asks)

    def read(self, asked: Asked) -> Ratings:
        """Take one rating a row."""
        by_name = _third_role(asked)
        crossed = None if len(by_name) == len(LONG) else crossed_roles(asked, by_name)
        asked, roles = one_question(asked, crossed or by_name)
        roles, items = repeated_item(asked, roles)
        if "rater" not in roles and _without_raters(asked, roles):
            return self._anonymous(asked, roles)
        _check_single(asked, roles)
        check_roles(asked.table, roles, LONG)
        if not {*roles.values()} & {*asked.nested}:
            check_merged(asked.table, roles)
        made = rows_of(asked, roles)
        note_rejected(asked, roles, made.notes)
        made.notes.extend(items)
        if None in asked.given.values() and not asked.table.exported:
            made.notes.extend([read_as_long(asked.table, roles, by_values=crossed is not None)])
        return made

    def _anonymous(self, asked: Asked, roles: Mapping[str, int]) -> Ratings:
        """Take one rating a row, of raters whom nobody knows."""
        table, notes = asked.table, Notes()
        note_rejected(asked, roles, notes)
        text = (
            f"{table.source}: read as long without raters, each row from another one; "
            f"{described(table, roles)}. What compares raters cannot be told."
        )
        if not table.exported:
            notes.extend([ReadAs(text, named_roles(table, roles))])
        return Ratings(
            items=table.codes(roles["item"]),
            raters=None,
            labels=labels_of(asked, roles["label"], notes),
            table=table,
            order=table.categories(roles["label"]),
            notes=notes,
        )


def read_as_long(table: Table, roles: Mapping[str, int], *, by_values: bool) -> ReadAs:
    """Say which column plays which role, and how that was found if not by names."""
    text = f"{table.source}: read as long, each row a rating; {described(table, roles)}."
    if by_values:
        text += (
            " These columns were found by their values: no rater rates an item twice. If they are "
            f"others, name them with {option('item', '...')}, {option('rater', '...')} and "
            f"{option('label', '...')}."
        )
    return ReadAs(text, named_roles(table, roles), "caution" if by_values else "info")


def _copies(names: Sequence[str]) -> bool:
    """Whether columns of one name were told apart by a program: score, score.1, score.2."""
    plain = [plain_name(name) for name in names]
    return any(
        name in ROLES["label"] and {f"{name}_1", f"{name}_2"} & {*plain} and "rater" not in plain
        for name in plain
    )


def _check_single(asked: Asked, roles: Mapping[str, int]) -> None:
    """Refuse wide data with a column that is called a label: the decision, it seems."""
    table = asked.table
    if set(roles) != {"item", "label"} or any(asked.given.values()):
        return
    if {*roles.values()} & {*asked.nested}:
        return
    rest = [i for i in asked.rest(roles) if i not in asked.nested]
    own = {*table.codes(roles["label"])[1]}
    alike = [i for i in rest if own & {*table.codes(i)[1]}]
    if len(alike) > 1 and not repeats(table, roles["item"]):
        name = table.names[roles["label"]]
        raise DataError(
            f"{table.source}: each item has one row, with a column '{name}' beside "
            f"{some([table.names[i] for i in alike])}. If it is what was decided in the end, leave "
            f"it out with {option('ignore', name)}; if it is a rater's, rename it."
        )


def rows_of(asked: Asked, roles: Mapping[str, int]) -> Ratings:
    """Take one rating a row from three columns."""
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


def _third_role(asked: Asked) -> dict[str, int]:
    """Columns by role; where two are known and one column is left, that is the third.

    Only where items repeat: in wide data, which a rater called 'judge' makes look long, they do
    not.
    """
    table, roles = asked.table, known_roles(asked)
    lacking = [role for role in LONG if role not in roles]
    rest = asked.rest(roles)
    if len(roles) != 2 or len(lacking) != 1 or len(set(roles.values())) < 2 or len(rest) != 1:
        return roles
    filled = {**roles, lacking[0]: rest[0]}
    if rest[0] in asked.nested or not repeats(table, filled["item"]):
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
    if set(roles) != {"item", "label"} or not repeats(asked.table, roles["item"]):
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
