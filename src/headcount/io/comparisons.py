"""Read comparisons: two items a row, and which of them won."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from headcount.data.comparisons import (
    BOTH_BAD,
    EXPECTED,
    Comparisons,
    plain_word,
    share_of,
)
from headcount.data.vocabulary import MISSING, label_text, number_of
from headcount.errors import DataError, count, some
from headcount.io.open_table import open_table
from headcount.io.roles import check_roles, described, find_roles
from headcount.io.table import Table, check_names, with_row_numbers
from headcount.io.words import without_missing
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats

__all__ = ["read_comparisons"]

HEADLESS = (3, 4)
"""Numbers of columns of files that need not have a header."""
BY_PLACE: tuple[str, ...] = ("left", "right", "outcome", "rater")
"""What their columns are."""
_NO_NAME = re.compile(r"(column_?|f|v|x)?\d+", re.IGNORECASE)
"""Names that libraries give to columns that have none."""


def read_comparisons(
    data: Any,
    *,
    left: str | None = None,
    right: str | None = None,
    outcome: str | None = None,
    rater: str | None = None,
    weight: str | None = None,
) -> Comparisons:
    """Read comparisons from a file, a frame or what is in memory.

    One row a comparison: the two items, who won, and perhaps who says so and how much it counts.
    Columns are found by the names people use, such as left, right, outcome and rater; model_a,
    model_b, winner and judge (Chatbot Arena); or left, right, label and worker (crowd-kit). The
    outcome is left, right or tie; the left item's share of the point, 1, 0 or 0.5; the winner's
    name; or the name of the winner's column. A text file, or rows, of three or four columns need
    not have names: they are the two items, the outcome and the rater.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        CSV, TSV, JSON lines or Parquet, gzipped or not; any frame that narwhals reads, DuckDB's
        relations among them; a dict of columns; a list of dicts or of tuples.
    left, right, outcome, rater, weight : str, optional
        Columns that play these roles. A rater and a weight are optional.

    Returns
    -------
    Comparisons

    Examples
    --------
    >>> columns = {"left": ["a", "b"], "right": ["b", "c"], "label": ["a", "c"]}
    >>> read_comparisons(columns | {"worker": ["ann", "bob"]})
    Comparisons: 2 of 3 items by 2 raters (0 ties)
    >>> read_comparisons([("a", "b", "left"), ("b", "c", "tie")])
    Comparisons: 2 of 3 items (1 tie)
    """
    given = {"left": left, "right": right, "outcome": outcome, "rater": rater, "weight": weight}
    told = any(name is not None for name in given.values())
    # A header may turn out to be a comparison, in which a name may come twice.
    table = open_table(data, name="comparisons", unnamed=True, unique=False)
    headless = not told and table.form == "named" and _first_row_is_data(table)
    if headless:
        table = open_table(data, name="comparisons", header=False, unnamed=True, unique=False)
        if table.form == "named":
            raise DataError(
                f"{table.source}: the names of the columns ({some(table.names)}) are a comparison. "
                "Read the file without a header (pandas: header=None, polars: has_header=False), "
                "or give its path."
            )
    check_names(table)
    width = len(table.names)
    nameless = table.form != "named" or all(map(_NO_NAME.fullmatch, table.names))
    if nameless and width in HEADLESS and not told:
        roles = {role: place for place, role in enumerate(BY_PLACE[:width])}
    elif table.form != "named":
        raise DataError(
            f"{table.source}: expected rows of {' or '.join(map(str, HEADLESS))} values (left, "
            f"right, outcome and perhaps rater), not of {width}. Give rows that are dicts, or a "
            "frame, to name the columns."
        )
    else:
        roles = find_roles(table, given)
        check_roles(table, roles, BY_PLACE[:3])
    return _read(table, roles, told=all(given[role] for role in roles), headless=headless)


def _first_row_is_data(table: Table) -> bool:
    """Whether what should be the header is a comparison: two items and an outcome."""
    names = table.names
    if len(names) not in HEADLESS or share_of(names[2]) is None:
        return False
    number = number_of(names[2])
    if number is not None:
        return 0 <= number <= 1
    # A word, such as left, may be the name of a column; items come again.
    return bool({*names[:2]} & {*table.codes(0)[1], *table.codes(1)[1]})


def _read(table: Table, roles: dict[str, int], *, told: bool, headless: bool) -> Comparisons:
    items = _items(table, roles)
    outcome = _outcomes(table, roles, items)
    notes = Notes()
    if headless:
        notes.info(
            f"{table.source}: its first row is a comparison, so it has no header; read as left "
            f"item, right item, {outcome.kind}{', rater' if 'rater' in roles else ''}."
        )
    elif not told:
        notes.info(f"{table.source}: {described(table, roles)}; the outcome is {outcome.kind}.")
    if outcome.both_bad:
        notes.info(f"{table.source}: {count(outcome.both_bad, 'answer')} 'both bad' read as a tie.")
    build = partial(
        Comparisons.from_codes,
        items,
        outcome.share,
        raters=table.codes(roles["rater"]) if "rater" in roles else None,
        weight=table.only_numbers(roles["weight"]) if "weight" in roles else None,
        source=table.source,
        notes=tuple(notes),
        backend=table.backend,
    )
    return with_row_numbers(table, lambda rows: build(rows=rows))


def _items(table: Table, roles: dict[str, int]) -> tuple[Codes, Codes, list[str]]:
    """Code both columns of items with one vocabulary."""
    left, texts = table.codes(roles["left"])
    right, others = table.codes(roles["right"])
    place = {text: code for code, text in enumerate(texts)}
    recode = np.array([place.setdefault(text, len(place)) for text in others] + [MISSING])
    return left, recode[right], list(place)


class _Outcomes(NamedTuple):
    """Outcomes of the rows, and how they were written."""

    share: Floats
    kind: str
    both_bad: int


def _outcomes(
    table: Table, roles: dict[str, int], items: tuple[Codes, Codes, list[str]]
) -> _Outcomes:
    """Read outcomes: as words or shares, or as names of winners, whichever all rows can be."""
    left, right, names = items
    codes, texts, _ = without_missing(*table.codes(roles["outcome"]))
    missing = codes < 0
    whole = (left >= 0) & (right >= 0) & ~missing

    sides = {table.names[roles["left"]]: 1.0, table.names[roles["right"]]: 0.0}
    sides = {name: share for name, share in sides.items() if number_of(name) is None}
    known = set(names)
    shares = [_share(text, sides, known) for text in texts]
    as_share = np.array([*shares, np.nan])[codes]
    is_share = ~np.isnan(as_share)

    place = {label_text(name): code for code, name in enumerate(names)}
    winner = np.array([*(place.get(label_text(text), MISSING) for text in texts), MISSING])[codes]
    named = (winner >= 0) & ((winner == left) | (winner == right))
    tie = [share == 0.5 and number_of(t) is None for t, share in zip(texts, shares, strict=True)]
    is_name = named | np.array([*tie, False])[codes]
    as_name = np.where(named, (winner == left).astype(np.float64), 0.5)

    by_share = bool(is_share[whole].all())
    by_name = bool(is_name[whole].all() and named[whole].any())
    if by_share and by_name and (as_share != as_name)[whole].any():
        row = int(np.flatnonzero(whole & (as_share != as_name))[0])
        raise DataError(
            f"{table.at(row, roles['outcome'])}: '{texts[int(codes[row])]}' may be a share of "
            "the point or the name of an item. Write left, right or tie."
        )
    if not (by_share or by_name):
        raise _unread(table, roles, items, whole, (is_share, is_name, named))
    numbers = all(number_of(text) is not None for text in texts)
    words = "the left item's share of the point" if numbers else "left, right or tie"
    bad = np.array([*(plain_word(text) in BOTH_BAD for text in texts), False])[codes]
    return _Outcomes(
        share=np.where(missing, np.nan, as_share if by_share else as_name),
        kind=words if by_share else "the winner's name",
        both_bad=int(np.sum(bad & whole & ~named)),
    )


def _share(text: str, sides: dict[str, float], names: set[str]) -> float:
    """Read an outcome that is not a winner's name; NaN if it is none."""
    if number_of(text) is None and text in names:
        return np.nan  # an item may be called a, or tie
    share = sides.get(text, share_of(text))
    return share if share is not None and 0 <= share <= 1 else np.nan


def _unread(
    table: Table,
    roles: dict[str, int],
    items: tuple[Codes, Codes, list[str]],
    whole: Flags,
    read: tuple[Flags, Flags, Flags],
) -> DataError:
    """Error for the first outcome that cannot be read, in the way in which most can."""
    left, right, names = items
    is_share, is_name, named = read
    codes, texts, _ = without_missing(*table.codes(roles["outcome"]))
    as_names = named[whole].sum() > is_share[whole].sum()
    row = int(np.flatnonzero(whole & ~(is_name if as_names else is_share))[0])
    cell, text = table.at(row, roles["outcome"]), texts[int(codes[row])]
    if as_names:
        return DataError(
            f"{cell}: winner '{text}' is neither '{names[left[row]]}' nor '{names[right[row]]}'. "
            "Correct it, write tie, or leave it blank."
        )
    return DataError(
        f"{cell}: outcome '{text}'. {EXPECTED} The winner's name will do as well. Leave it blank "
        "to leave the row out."
    )
