"""Read ratings, long or wide."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.data.vocabulary import MISSING, number_of
from headcount.errors import DataError, OptionError, count, some
from headcount.io.roles import find_role, given_role, missing_role, near_role
from headcount.io.table import Table, open_table, row_numbers
from headcount.typing import Codes

__all__ = ["read_ratings"]

Coded = tuple[Codes, Sequence[str]]
"""A column as codes, with the texts they stand for."""
WRITTEN_MISSING = frozenset({"None", "NaN", "nan", "null", "NULL", "<NA>"})
"""How programs write a missing value into text. A lower-case 'none' is a label."""
MOST_WORDS, MOST_NUMBERS = 5, 20
"""A wide column with more values than this that no other column shares is not a rater's."""


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
    """Read ratings from a file or a frame.

    Long data have a column each for item, rater and label, one row a rating; the columns are
    found by the names people use. Anything else is wide: the first column (or one named as items
    are) is the item, every other column a rater, blank is missing.

    Parameters
    ----------
    data : path or frame
        CSV, TSV, JSON lines or Parquet, gzipped or not; or any frame that narwhals reads.
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

    Notes
    -----
    Files are parsed and coded by DuckDB, in memory that does not grow with the number of text
    values but with that of ratings: about 120 bytes each.

    Examples
    --------
    >>> import polars as pl
    >>> read_ratings(pl.DataFrame({"item": ["a", "b"], "ann": ["yes", "no"], "bob": [None, "no"]}))
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    """
    ignore = [ignore] if isinstance(ignore, str) else ignore
    for role, name in (("item", item), ("rater", rater), ("label", label)):
        if name is not None and name in ignore:
            raise OptionError(f"column '{name}' is the {role}, and is to be left out. Choose one.")
    table = open_table(data, name="ratings", ignore=ignore)
    scale = None if labels is None else Scale(tuple(labels))
    roles = _long_roles(table, item, rater, label)
    if roles is not None:
        return _long(table, roles, scale, duplicates, told=bool(item and rater and label))
    return _wide(table, item, scale, duplicates)


def _long_roles(
    table: Table, item: str | None, rater: str | None, label: str | None
) -> dict[str, int] | None:
    """Columns for item, rater and label; None if the table is wide."""
    given = {"item": item, "rater": rater, "label": label}
    roles = {
        role: find_role(table.names, role) if name is None else given_role(table, role, name)
        for role, name in given.items()
    }
    found = {role: column for role, column in roles.items() if column is not None}
    clear = rater is not None or label is not None
    # Misspelt headers of long data: better to ask than to read them as raters.
    misspelt = near_role(table.names, "rater") and near_role(table.names, "label")
    if not clear and len(found) < 2 and not misspelt:
        return None
    for role in given:
        if role not in found:
            raise missing_role(table, role, found)
    if len(set(found.values())) < len(found):
        raise DataError(
            f"{table.source}: the same column cannot play two roles; "
            + ", ".join(f"{role} = '{table.names[column]}'" for role, column in found.items())
            + ". Name the columns with --item, --rater and --label."
        )
    return found


def _long(
    table: Table, roles: dict[str, int], scale: Scale | None, duplicates: str, *, told: bool
) -> Labels:
    coded = {role: table.codes(column) for role, column in roles.items()}
    notes: list[str] = []
    if not told:
        which = ", ".join(f"{role} = '{table.names[column]}'" for role, column in roles.items())
        notes.append(f"{table.source}: read as long, one row a rating; {which}.")
    labels, written = _without_missing(*coded["label"])
    for role, codes in (
        ("item", coded["item"][0]),
        ("rater", coded["rater"][0]),
        ("label", labels),
    ):
        blank = int((codes < 0).sum())
        if blank:
            notes.append(
                f"{table.source}: {count(blank, 'row')} without {'an' if role == 'item' else 'a'} "
                f"{role} left out{_written(written) if role == 'label' else ''}."
            )
    columns = coded["item"], coded["rater"], (labels, coded["label"][1])
    return _checked(table, columns, scale, duplicates, notes)


def _wide(table: Table, item: str | None, scale: Scale | None, duplicates: str) -> Labels:
    column = item_column(table, item)
    raters = [i for i in range(len(table.names)) if i != column and table.names[i]]
    check_names(table, raters)
    if not raters:
        raise DataError(
            f"{table.source}: a single column, '{table.names[column]}'. Long data need columns for "
            "item, rater and label; wide data one for the item and one a rater."
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
    stacked = np.stack(columns, axis=1)
    names = list(texts)
    label, written = _without_missing(stacked.ravel(), names)
    raters_names = [table.names[i] for i in raters]
    notes = [
        f"{table.source}: read as wide; item = '{table.names[column] or 'first column'}', "
        f"{count(len(raters), 'rater')}: {some(raters_names, 12)}. A column that is no rater's is "
        "left out with --ignore."
    ]
    nameless = len(table.names) - len(raters) - 1
    if nameless:
        notes.append(f"{table.source}: {count(nameless, 'column')} without a name left out.")
    if written:
        notes.append(f"{table.source}: some labels are missing{_written(written)}.")
    blank = int((items < 0).sum())
    if blank:
        notes.append(f"{table.source}: {count(blank, 'row')} without an item left out.")
    coded = (
        (np.repeat(items, len(raters)), item_texts),
        (np.tile(np.arange(len(raters)), len(items)), raters_names),
        (label, names),
    )
    return _checked(table, coded, scale, duplicates, notes, each=len(raters))


def _checked(
    table: Table,
    coded: tuple[Coded, Coded, Coded],
    scale: Scale | None,
    duplicates: str,
    notes: list[str],
    *,
    each: int = 1,
) -> Labels:
    """Build labels from items, raters and labels, `each` of them from one row of the table."""
    build = partial(
        Labels.from_codes,
        *coded,
        scale=scale,
        duplicates=duplicates,
        source=table.source,
        notes=notes,
        backend=table.backend,
    )
    with suppress(DataError):
        return build()
    # Raise it again with the numbers of the rows, which would take long to find each time.
    rows = row_numbers(table, len(coded[0][0]) // each)
    return build(rows=np.repeat(rows, each))


def item_column(table: Table, item: str | None) -> int:
    """Find the item column of a wide table: the one named, one that is called so, or the first."""
    if item is not None:
        return given_role(table, "item", item)
    column = find_role(table.names, "item")
    if column is not None:
        return column
    if (index := table.index_name()) is not None:
        raise DataError(
            f"{table.source}: the frame's index ('{index}') is not read. Call .reset_index() to "
            "make it the item column."
        )
    return 0


def check_names(table: Table, columns: list[int]) -> None:
    """Refuse columns that share a name."""
    names = [table.names[i] for i in columns]
    doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if doubled:
        raise DataError(
            f"{table.source}, row 1: several columns are called {some(doubled)}. Give each a name "
            "of its own."
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
                "the item, first, and one a rater; leave others out with ignore=[...] (--ignore "
                f"'{table.names[i]}'). If the data are long, name the columns with --item, --rater "
                "and --label."
            )


def _without_missing(codes: Codes, texts: Sequence[str]) -> tuple[Codes, list[str]]:
    """Take out labels that are only a written-out missing value, and say which."""
    written = [text for text in texts if text in WRITTEN_MISSING]
    if not written:
        return codes, []
    missing = np.array([text in WRITTEN_MISSING for text in texts])
    return np.where((codes >= 0) & missing[codes], MISSING, codes), written


def _written(words: list[str]) -> str:
    return f" (written as {some(words)})" if words else ""
