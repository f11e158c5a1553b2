"""Read ratings, long or wide."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.data.vocabulary import MISSING, number_of
from headcount.errors import DataError, OptionError, count, option, some
from headcount.io.columns import ColumnTable
from headcount.io.open_table import ignored, open_table
from headcount.io.roles import check_roles, described, find_roles, item_column, near_role
from headcount.io.table import Coded, Table, with_row_numbers
from headcount.io.words import WRITTEN_MISSING, without_missing
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["read_ratings"]

MOST_WORDS, MOST_NUMBERS = 5, 20
"""A wide column with more values than this that no other column shares is not a rater's."""
LONG = ("item", "rater", "label")
"""Roles of the columns of long data, and the order of rows without names."""


def read_ratings(
    data: Any,
    *,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    duplicates: str = "error",
    ignore: Sequence[str] = (),
) -> Labels:
    """Read ratings from a file, a frame or what is in memory.

    Long data have a column each for item, rater and label, one row a rating; the columns are
    found by the names people use. Anything else is wide: the first column (or one named as items
    are) is the item, every other column a rater, blank is missing.

    Parameters
    ----------
    data : path, frame, dict of columns, rows or array
        CSV, TSV, JSON lines or Parquet, gzipped or not; any frame that narwhals reads, DuckDB's
        relations among them; a dict of columns; a list of dicts. Without names of columns: a list
        of tuples (item, rater, label), or an array or lists of items x raters, in which None and
        NaN are missing.
    item, rater, label : str, optional
        Columns that play these roles. Naming the rater or the label means that data are long.
    labels : sequence of str, optional
        All the labels that raters could choose from, in order. Default: those they used.
    duplicates : {"error", "first"}
        What to do when a rater labels an item twice.
    ignore : sequence of str
        Columns that are not read, such as a column of wide data that is no rater's.

    Returns
    -------
    Labels
        In canonical order: that of the rows does not matter.

    Notes
    -----
    Files are parsed and coded by DuckDB, in memory that does not grow with the number of text
    values but with that of ratings: about 120 bytes each.

    Examples
    --------
    >>> read_ratings({"item": ["a", "b"], "ann": ["yes", "no"], "bob": [None, "no"]})
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    >>> read_ratings([("a", "ann", "yes"), ("b", "ann", "no"), ("b", "bob", "no")])
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    >>> read_ratings([["yes", None], ["no", "no"]])
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    """
    ignore = ignored(ignore)
    given = {"item": item, "rater": rater, "label": label}
    for role, name in given.items():
        if name is not None and name in ignore:
            raise OptionError(
                f"column '{name}' is the {role}, and is to be left out ({option('ignore')}). "
                "Choose one."
            )
    table = open_table(data, name="ratings", ignore=ignore, unnamed=True)
    build = _Build(
        table=table,
        scale=_declared_scale(labels),
        duplicates=duplicates,
        told=None not in given.values(),
    )
    if table.form == "matrix":
        return build.wide(_matrix(table), "item")
    if table.form == "records":
        return build.long(_record_roles(table))
    roles = _long_roles(table, given)
    return build.wide(table, item) if roles is None else build.long(roles)


def _declared_scale(labels: Any) -> Scale | None:
    """Check the option that names all labels."""
    if labels is None:
        return None
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Collection):
        raise OptionError(
            f"{option('labels')} must be all the labels, such as ['no', 'yes'], not {labels!r}."
        )
    return Scale(tuple(map(str, cast("Collection[Any]", labels))))


def _long_roles(table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
    """Columns for item, rater and label; None if the table is wide."""
    roles = find_roles(table, given)
    clear = given["rater"] is not None or given["label"] is not None
    # Misspelt headers of long data: better to ask than to read them as raters.
    misspelt = near_role(table.names, "rater") and near_role(table.names, "label")
    if not clear and len(roles) < 2 and not misspelt:
        return None
    check_roles(table, roles, LONG)
    return roles


def _record_roles(table: Table) -> dict[str, int]:
    """Columns of rows without names: item, rater and label, unless they may be a matrix."""
    seen = [set(table.codes(column)[1]) for column in range(len(table.names))]
    if len(seen) != len(LONG) or (seen[0] & seen[2] and seen[1] & seen[2]):
        raise _ambiguous(table)
    return dict(zip(LONG, range(len(LONG)), strict=True))


def _matrix(table: Table) -> Table:
    """Name the rows and columns of a matrix of items x raters by their numbers, from 0 on."""
    columns = [table.codes(column) for column in range(len(table.names))]
    seen = [set(texts) for _, texts in columns]
    # Three columns may be item, rater and label as well.
    own = len(seen) == len(LONG) and len(seen[0] - seen[1] - seen[2])
    if len(seen) == len(LONG) and (own > MOST_WORDS or not seen[0] & seen[2]):
        raise _ambiguous(table)
    cells = [np.array([*texts, None], dtype=object)[codes].tolist() for codes, texts in columns]
    names = ["item", *map(str, range(len(cells)))]
    return ColumnTable([range(table.rows), *cells], names, table.source)


def _ambiguous(table: Table) -> DataError:
    return DataError(
        f"{table.source}: rows without names of columns are read as (item, rater, label), if they "
        "are tuples of three, or as a matrix of items x raters, if they are lists or an array; "
        'these may be something else. Give a dict of columns: {"item": [...], "rater": [...], '
        '"label": [...]} if they are long, {"item": [...], "ann": [...], "bob": [...]} if wide.'
    )


@dataclass(frozen=True, kw_only=True)
class _Build:
    """Make labels of a table: what is the same for long and wide data."""

    table: Table
    scale: Scale | None
    duplicates: str
    told: bool

    def long(self, roles: Mapping[str, int]) -> Labels:
        """Take one rating a row."""
        table, notes = self.table, Notes()
        coded = {role: table.codes(column) for role, column in roles.items()}
        if not self.told:
            notes.info(
                f"{table.source}: read as long, one row a rating; {described(table, roles)}."
            )
        codes, texts, written = without_missing(*coded["label"])
        columns = coded | {"label": (codes, texts)}
        for role in LONG:
            blank = int((columns[role][0] < 0).sum())
            if blank:
                how = _written(written) if role == "label" else ""
                notes.caution(
                    f"{table.source}: {count(blank, 'row')} without "
                    f"{'an' if role == 'item' else 'a'} {role} left out{how}."
                )
        return self._checked((columns["item"], columns["rater"], columns["label"]), notes)

    def wide(self, table: Table, item: str | None) -> Labels:
        """Take one item a row, and one rater a column."""
        column = item_column(table, item)
        raters = [i for i in range(len(table.names)) if i != column and table.names[i]]
        if not raters:
            raise DataError(
                f"{table.source}: a single column, '{table.names[column]}'. Long data need columns "
                "for item, rater and label; wide data one for the item and one a rater."
            )
        items, item_texts = table.codes(column)
        texts: dict[str, int] = {}
        columns: list[Codes] = []
        seen: list[set[str]] = []
        for i in raters:
            codes, own = table.codes(i)
            place = np.array([texts.setdefault(text, len(texts)) for text in own] or [0])
            columns.append(np.where(codes < 0, MISSING, place[codes]))
            seen.append(set(own) - WRITTEN_MISSING)
        _check_raters(table, raters, seen)
        label, names, written = without_missing(np.stack(columns, axis=1).ravel(), list(texts))
        rater_names = [table.names[i] for i in raters]
        notes = Notes()
        notes.info(
            f"{table.source}: read as wide; item = '{table.names[column] or 'first column'}', "
            f"{count(len(raters), 'rater')}: {some(rater_names, 12)}. A column that is no rater's "
            f"is left out with {option('ignore', '...')}."
        )
        nameless = len(table.names) - len(raters) - 1
        if nameless:
            notes.caution(f"{table.source}: {count(nameless, 'column')} without a name left out.")
        if written:
            notes.caution(f"{table.source}: some labels are missing{_written(written)}.")
        blank = int((items < 0).sum())
        if blank:
            notes.caution(f"{table.source}: {count(blank, 'row')} without an item left out.")
        coded = (
            (np.repeat(items, len(raters)), item_texts),
            (np.tile(np.arange(len(raters)), len(items)), rater_names),
            (label, names),
        )
        return self._checked(coded, notes, each=len(raters))

    def _checked(self, coded: tuple[Coded, Coded, Coded], notes: Notes, *, each: int = 1) -> Labels:
        """Build labels from items, raters and labels, `each` of them from one row of the table."""
        build = partial(
            Labels.from_codes,
            *coded,
            scale=self.scale,
            duplicates=self.duplicates,
            source=self.table.source,
            notes=tuple(notes),
            backend=self.table.backend,
        )
        return with_row_numbers(
            self.table, lambda rows: build(rows=None if rows is None else np.repeat(rows, each))
        )


def _check_raters(table: Table, raters: list[int], seen: list[set[str]]) -> None:
    """Refuse a wide table with a column that is clearly no rater's."""
    worded = [any(number_of(text) is None for text in own) for own in seen]
    many = [len(own) > MOST_NUMBERS and not word for own, word in zip(seen, worded, strict=True)]
    # Where most columns are of many numbers, ratings are continuous and need share none.
    continuous = 2 * sum(many) > len(seen)
    for place, i in enumerate(raters):
        if many[place] and continuous:
            continue
        others = set[str]().union(*(s for p, s in enumerate(seen) if p != place))
        most = MOST_WORDS if worded[place] else MOST_NUMBERS
        if len(raters) > 1 and len(seen[place]) > most and not seen[place] & others:
            raise DataError(
                f"{table.source}, column '{table.names[i]}': {len(seen[place]):,} different values "
                "that no other column shares, so it is no rater's. Wide data have one column for "
                "the item, first, and one a rater; leave others out with "
                f"{option('ignore', table.names[i])}. If the data are long, name the columns with "
                f"{option('item')}, {option('rater')} and {option('label')}."
            )


def _written(words: list[str]) -> str:
    return f" (written as {some(words)})" if words else ""
