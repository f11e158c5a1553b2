"""How ratings lie in a relation: a row each, or a column a rater."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from headcount.data.scale import Scale
from headcount.engine.engines.base import Column
from headcount.engine.sources.relation import Relation
from headcount.errors import NotReducedError, option, some
from headcount.io.ratings.shapes.base import LONG, Asked
from headcount.io.ratings.shapes.beside.other_columns import (
    columns_beside,
    note_not_counted,
    says_what_counts,
)
from headcount.io.ratings.shapes.catalogue import shape_of
from headcount.io.ratings.shapes.long import Long
from headcount.io.ratings.shapes.merged_cells import check_merged
from headcount.io.ratings.shapes.name_grid import one_of_grid
from headcount.io.ratings.shapes.repeated_item import repeated_item
from headcount.io.ratings.shapes.unnamed import lacks_items
from headcount.io.ratings.shapes.wide import Wide
from headcount.io.reading import Reading
from headcount.io.roles.names import SUMMARY_WORDS
from headcount.io.roles.roles import ReadAs, check_roles, described, item_column, named_roles
from headcount.io.tables.table import Table
from headcount.results.notes import Notes

__all__ = ["Layout", "Scanned", "layout_of"]


class Scanned(Protocol):
    """What a user said of ratings."""

    @property
    def given(self) -> Mapping[str, str | None]:
        """Columns that were named, by role."""
        ...

    @property
    def scale(self) -> Scale | None:
        """All labels, if they were named."""
        ...

    @property
    def duplicates(self) -> str:
        """What to do with ratings of an item by the same rater."""
        ...

    @property
    def reading(self) -> Reading:
        """What to read."""
        ...

    @property
    def note(self) -> str:
        """Why they are reduced, if nobody asked for it."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Layout:
    """Where the item, the rater and the label of a row are.

    Parameters
    ----------
    relation : Relation
    rows : str
        What stands after FROM, with WHERE if some rows are chosen.
    item, label : str
        SQL of columns.
    rater : str or None
        None if nobody knows the raters.
    labels : tuple of Column
        Columns that hold labels.
    texts : bool
        Whether items are text; else they are whole numbers.
    rater_texts : bool
        Whether raters are.
    wide : bool
        Whether a row is an item, and raters are columns.
    """

    relation: Relation
    rows: str
    item: str
    rater: str | None
    label: str
    labels: tuple[Column, ...]
    texts: bool = True
    rater_texts: bool = True
    wide: bool = False


def layout_of(
    relation: Relation, scan: Scanned, condition: str, notes: Notes, *, people: bool = True
) -> Layout:
    """Find how ratings lie, by names of columns and the first rows, as readers do."""
    table = relation.first_rows(condition)
    asked = Asked(
        table,
        scan.given,
        labels=None if scan.scale is None else scan.scale.labels,
        skip=frozenset(column for column, _ in scan.reading.where),
        people=people,
    )
    roles = asked.roles
    if set(LONG) <= set(roles):
        check_roles(table, roles, LONG)
        _check_item(relation, asked, condition)
        return _long(relation, table, asked, roles, condition, notes)
    shape = shape_of(asked)
    if isinstance(shape, Wide):
        return _wide(relation, asked, condition, notes)
    if isinstance(shape, Long):
        if set(roles) == {"item", "label"} and not asked.rest(roles):
            return _long(relation, table, asked, roles, condition, notes)
        lacking = next(role for role in LONG if role not in roles)
        raise NotReducedError(
            f"{relation.source}: no column found for the {lacking}. Columns: "
            f"{some(relation.names, 12)}. Name it with {option(lacking, '...')}: of data that are "
            "reduced where they are, values do not tell it."
        )
    raise NotReducedError(
        f"{relation.source} looks like {shape.name.replace('_', ' ')}, which is read into memory "
        f"only ({option('engine', 'memory')}). Long data have a row a rating, with columns for "
        f"item, rater and label; name them ({option('item')}, {option('rater')}, "
        f"{option('label')})."
    )


def _check_item(relation: Relation, asked: Asked, condition: str) -> None:
    """Refuse ids that number the ratings where another column is read as the item in memory."""
    roles = asked.roles
    other = repeated_item(asked, roles)[0]["item"]
    if other == roles["item"]:
        return
    first, second = (relation.names[i] for i in (roles["item"], other))
    item = relation.identity(relation.column(first, "item"))
    # The first rows show it only if all others do.
    found = relation.engine.one(
        f"SELECT count(*) AS n, count(DISTINCT {item}) AS items FROM {relation.sql} "
        f"WHERE {condition}"
    )
    if found["n"] == found["items"]:
        raise NotReducedError(
            f"{relation.source}: '{first}' differs in every row and seems to number the ratings, "
            f"of which '{second}' may be the item. Say {option('item', second)}, or "
            f"{option('item', first)}."
        )


def _long(
    relation: Relation,
    table: Table,
    asked: Asked,
    roles: Mapping[str, int],
    condition: str,
    notes: Notes,
) -> Layout:
    """Take one rating a row."""
    columns = {role: relation.column(relation.names[i], role) for role, i in roles.items()}
    if None in asked.given.values():
        how = "long" if "rater" in roles else "long without raters"
        each = "each row a rating" if "rater" in roles else "each row from another one"
        tail = "" if "rater" in roles else " What compares raters cannot be told."
        text = f"{relation.source}: read as {how}, {each}; {described(table, roles)}.{tail}"
        notes.extend([ReadAs(text, named_roles(table, roles))])
    if "rater" in roles:
        check_merged(table, roles)
    for i in asked.rest(roles):
        if says_what_counts(relation.names[i]) and i not in asked.nested:
            values = relation.values(relation.columns[i], condition, what="different values")
            uses = {value.text: value.rows for value in values if value.text}
            note_not_counted(relation.names[i], uses, relation.source, notes)
    rater = columns.get("rater")
    return Layout(
        relation=relation,
        rows=f"{relation.sql} WHERE {condition}",
        item=relation.identity(columns["item"]),
        rater=None if rater is None else relation.identity(rater),
        label=relation.value(columns["label"]),
        labels=(columns["label"],),
        texts=columns["item"].kind != "whole",
        rater_texts=rater is not None and rater.kind != "whole",
    )


def _wide(relation: Relation, asked: Asked, condition: str, notes: Notes) -> Layout:
    """Take a row an item, and a column a rater."""
    table = asked.table
    if lacks_items(asked):
        raise NotReducedError(
            f"{relation.source}: no column says what the items are. Name it with "
            f"{option('item', '...')}; without, rows are numbered in memory only "
            f"({option('engine', 'memory')})."
        )
    place = item_column(table, asked.given["item"])
    # What the first rows show to be no rater's, readers leave out or refuse.
    made = Wide().read(asked)
    notes.extend(note for note in made.notes if note.severity != "info")
    called = {} if made.raters is None else dict.fromkeys(made.raters[1])
    beside = one_of_grid(asked, columns_beside(asked, place, Notes()))
    raters = [relation.columns[i] for i, name in zip(*beside, strict=True) if name in called]
    item = relation.column(relation.names[place], "item")
    for rater in raters:
        relation.column(rater.name, "rater")
    kinds = {rater.kind for rater in raters}
    if len(kinds) > 1:
        values = [relation.text(rater) for rater in raters]
        kind = "text"
    else:
        values, kind = [relation.value(rater) for rater in raters], kinds.pop()
    _check_totals(relation, item, condition)
    dialect = relation.engine.dialect
    names = ", ".join(dialect.literal(rater.name) for rater in raters)
    rows = dialect.unpivot.format(
        item=f"{relation.identity(item)} AS item",
        names=names,
        values=", ".join(values),
        pairs=", ".join(
            f"{dialect.literal(rater.name)}, {value}"
            for rater, value in zip(raters, values, strict=True)
        ),
        number=len(raters),
        relation=f"{relation.sql} WHERE {condition}",
    )
    notes.extend(
        [
            ReadAs(
                f"{relation.source}: read as wide, each row an item and each other column a rater; "
                f"item = '{item.name}'.",
                {"item": item.name},
            )
        ]
    )
    return Layout(
        relation=relation,
        rows=f"({rows}) AS unpivoted",
        item="item",
        rater="rater",
        label="label",
        labels=(Column("label", kind, "label"),),
        texts=item.kind != "whole",
        wide=True,
    )


def _check_totals(relation: Relation, item: Column, condition: str) -> None:
    """Refuse rows that are called totals, means and the like, which readers leave out."""
    if item.kind != "text":
        return
    dialect = relation.engine.dialect
    words = {word.replace("_", sign) for word in SUMMARY_WORDS for sign in "_ "}
    listed = ", ".join(map(dialect.literal, sorted(words | {f"{word}:" for word in words})))
    found = relation.engine.one(
        f"SELECT max({item.sql}) AS found FROM {relation.sql} WHERE ({condition}) AND "
        f"lower({item.sql}) IN ({listed})"
    )["found"]
    if found is not None:
        raise NotReducedError(
            f"{relation.source}: '{found}' is among the items: by the name, it was made of the "
            "others. Take the row out, or give it another name; readers into memory leave it out "
            f"({option('engine', 'memory')})."
        )
