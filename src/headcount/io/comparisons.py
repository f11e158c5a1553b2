"""Read comparisons: two items a row, and which of them won."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Unpack

import numpy as np

from headcount.data.comparisons import Comparisons, share_of
from headcount.data.vocabulary import number_of
from headcount.errors import DataError, count, option, some
from headcount.io.comparison_layouts import (
    CountedWins,
    Layout,
    Read,
    Sides,
    TwoScores,
    WinnerAndLoser,
    check_third,
    counts_of,
    find_sides,
)
from headcount.io.opening import check_headers, ids_of, open_table, rows_where
from headcount.io.rankings import (
    BestWorst,
    InOneColumn,
    OneColumnAPlace,
    RankBesideItem,
    check_ranks,
)
from headcount.io.reading import Reading, ReadOptions
from headcount.io.roles import (
    ReadAs,
    check_roles,
    described,
    find_role,
    find_roles,
    given_role,
    named_roles,
    plain_name,
)
from headcount.io.tables import Table, WithFirstRow, check_names, with_row_numbers
from headcount.io.values import Several
from headcount.results.notes import Note, Notes
from headcount.typing import Codes, Floats, Ints

__all__ = [
    "read_comparisons",
    "holds_comparisons",
    "find_columns",
    "read_table",
    "LEAST_ROWS_COPIED",
    "COMMON_COPIES",
    "copies_message",
    "shares",
    "come_again",
]


HEADLESS: tuple[str, ...] = ("left", "right", "outcome", "rater")
"""What the columns are of a table without a header; the rater may be missing."""
LAYOUTS: tuple[Layout, ...] = (
    CountedWins(),
    WinnerAndLoser(),
    TwoScores(),
    BestWorst(),
    OneColumnAPlace(),
    InOneColumn(),
    RankBesideItem(),
)
"""Ways to lay comparisons out, by names of columns; the first that finds its columns is taken. Else
a column says who won."""
WINNER_NAMES = ("winner", "preference", "preferred", "better", "win", "result")
"""Outcome columns that say who won, and nothing else."""
_NO_NAME = re.compile(r"(column_?|f|v|x)?\d+", re.IGNORECASE)
"""Names that libraries give to columns that have none."""


def read_comparisons(
    data: Any,
    *,
    left: str | None = None,
    right: str | None = None,
    outcome: str | None = None,
    first_wins: object = None,
    rater: str | None = None,
    weight: str | None = None,
    clusters: Sequence[str] = (),
    controls: Sequence[str] = (),
    columns: Sequence[str] = (),
    name: str = "comparisons",
    **options: Unpack[ReadOptions],
) -> Comparisons:
    """Read comparisons from a file, a frame or what is in memory.

    There is one row per comparison: the two items, who won, and perhaps the rater and a weight.
    Columns are recognised by common names, such as left, right, outcome and rater; model_a,
    model_b, winner and judge (Chatbot Arena); or left, right, label and worker (crowd-kit). The
    outcome is left, right or tie; the left item's share of the point, 1, 0 or 0.5; 1 for the left
    and 2 for the right item (AlpacaEval); the winner's name; or the name of the winner's column.
    Other outcomes are refused unless `first_wins` says which of them is a win of the left item.
    Alternatively there may be columns winner and loser, and perhaps tie; columns that count wins or
    mark the result, such as winner_model_a, winner_model_b and winner_tie; or a score of each side.
    A file of three or four columns needs no header: they are the two items, the outcome and the
    rater.

    Rankings of several items are also read as comparisons: one per row, the best item first, in
    columns such as rank1, rank2, ...; in one column `ranking` ("a > b = c", or a list); with a rank
    for each item, as in system1Id, system1rank, ...; or as sets item1, item2, ... with columns best
    and worst.

    A row that compares an item with itself, or lacks an item or an outcome, is left out and
    counted. A row without a rater is kept, unless raters are evaluated, weighted or resampled.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        CSV, TSV, JSON lines or Parquet, gzipped or not; any frame that narwhals reads, including
        DuckDB relations; a dict of columns; a list of dicts or of tuples.
    left, right, outcome, rater, weight : str, optional
        The columns for these. A rater and a weight are optional.
    first_wins : str or number, optional
        The outcome that means that the left item won: one of two; or the end of a scale at which
        the left item wins (1 or 7; -1 or 1), or both ends, that one first ("7:1"). The middle of
        the scale is a tie, and degrees of preference count as wins.
    clusters : sequence of str
        Columns to keep as clusters of correlated comparisons, such as the prompt.
    controls : sequence of str
        Pairs of columns with numbers for the left and the right item, such as "len_a:len_b", whose
        difference is kept.
    columns : sequence of str
        Columns that each have the rank of the item they are named after, 1 for the best.
    name : str
        The name of the data in messages, if they are not a file.
    **options
        Further options of reading, as for :func:`headcount.read_ratings`.

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
    reading = Reading.of(**options)
    given = {
        "left": left,
        "right": right,
        "outcome": outcome,
        "first_wins": None if first_wins is None else str(first_wins),
        "rater": rater,
        "weight": weight,
    }
    told = bool(columns) or any(
        column is not None for role, column in given.items() if role != "first_wins"
    )
    table = open_table(
        data, name=name, kind="comparisons", unnamed=True, unique=False, reading=reading
    )
    if not told and table.form == "named" and first_row_is_data(table):
        if not table.sources:
            raise DataError(
                f"{table.source}: the names of the columns ({some(table.names)}) are a comparison. "
                "Read the file without a header (pandas: header=None, polars: has_header=False), "
                "or give its path."
            )
        table = WithFirstRow(table)
    check_names(table)
    table = rows_where(check_headers(table), reading.where)
    width = len(table.names)
    nameless = table.form != "named" or all(map(_NO_NAME.fullmatch, table.names))
    if nameless and not told and width in (3, 4):
        roles = {role: column for column, role in enumerate(HEADLESS[:width])}
        laid_out = LaidOut(Sides(given["first_wins"], shares=True), roles, roles)
    elif table.form != "named":
        raise DataError(
            f"{table.source}: expected rows of 3 or 4 values (left, right, outcome and perhaps "
            f"rater), not of {width}. Give rows that are dicts, or a frame, to name the columns."
        )
    else:
        laid_out = find_columns(table, given, columns)
    return read_table(
        table,
        laid_out,
        reading,
        clusters=clusters,
        controls=controls,
        notes=copied_rows(table, laid_out.roles),
        unread=_shared_columns(table, {*laid_out.roles.values()}, clusters),
    )


class LaidOut(NamedTuple):
    """How a table lays comparisons out.

    Parameters
    ----------
    layout : Layout
    columns : dict of str to int
        Columns of the layout, by role.
    roles : dict of str to int
        These, and columns of the rater, the weight and the count.
    """

    layout: Layout
    columns: dict[str, int]
    roles: dict[str, int]


def find_columns(
    table: Table, given: Mapping[str, str | None], ranks: Sequence[str] = ()
) -> LaidOut:
    """Find how comparisons are laid out; `given` are names of columns by role, and `first_wins`.

    `ranks` are the columns that the caller names as those of ranks.
    """
    sides = {role: given[role] for role in ("left", "right", "outcome")}
    layouts = [*(LAYOUTS if given["first_wins"] is None else ()), Sides(given["first_wins"])]
    tried = ((layout, layout.find(table, sides)) for layout in layouts)
    if ranks:
        columns = {f"rank {n}": given_role(table, "rank", name) for n, name in enumerate(ranks, 1)}
        layout: Layout = RankBesideItem()
    else:
        layout, columns = next((layout, roles) for layout, roles in tried if roles is not None)
        if isinstance(layout, Sides) and "left" not in columns and "outcome" not in columns:
            check_ranks(table)
    roles = dict(columns)
    for role in ("rater", "weight"):
        column = find_roles(table, {role: given[role]}).get(role)
        # Of a list of judges a note tells.
        free = column not in roles.values() and column not in table.nested()
        if column is not None and (given[role] or free):
            roles[role] = column
    check_roles(table, roles, layout.needed)
    if "left" in roles:
        check_third(table, roles["left"], given)
    times = find_role(table.names, "times")
    if not (layout.is_ranking or layout.counts or times in (None, *roles.values())):
        roles["times"] = times
    return LaidOut(layout, columns, roles)


def read_table(
    table: Table,
    laid_out: LaidOut,
    reading: Reading,
    *,
    clusters: Sequence[str] = (),
    controls: Sequence[str] = (),
    notes: Iterable[Note] = (),
    unread: tuple[str, ...] = (),
) -> Comparisons:
    """Make comparisons of a table, of which rows may stand for several, and say what was left out.

    `notes` are those on copies of rows, and `unread` columns by which rows hang together.
    """
    all_notes, roles = Notes(table.notes), laid_out.roles
    read = laid_out.layout.read(table, laid_out.columns, reading, all_notes)
    _note_columns(table, laid_out, read, all_notes)
    all_notes.extend(notes)
    row = np.arange(table.rows) if read.row is None else read.row
    left, right, share = read.left, read.right, read.share
    if "times" in roles:
        row = np.repeat(row, _times(table, roles["times"], reading, all_notes))
        left, right, share = left[row], right[row], share[row]
    raters = None
    if "rater" in roles:
        codes, texts = ids_of(table, roles["rater"], reading, role="rater", notes=all_notes)
        raters = codes[row], texts
    groups: dict[str, tuple[Codes, Sequence[str]]] = {}
    for name in clusters:
        column = given_role(table, "", name)
        codes, texts = ids_of(table, column, reading, role=name, notes=all_notes)
        groups[name] = codes[row], texts
    build = partial(
        Comparisons.from_codes,
        (left, right, read.items),
        share,
        raters=raters,
        weight=table.only_numbers(roles["weight"])[row] if "weight" in roles else None,
        clusters=groups,
        unread=unread,
        controls={name: _difference(table, name)[row] for name in controls},
        ranking=read.ranking,
        times=None if table.times is None else table.times[row],
        source=table.source,
        notes=tuple(all_notes),
        sources=table.sources,
        dropped=Counter(table.dropped) + Counter(read.dropped),
        backend=table.backend,
    )
    made = with_row_numbers(table, lambda rows: build(rows=None if rows is None else rows[row]))
    return made


def _note_columns(table: Table, laid_out: LaidOut, read: Read, notes: Notes) -> None:
    """Say which columns were read as what; of numbered ones the first and the last."""
    roles = laid_out.roles
    if isinstance(table, WithFirstRow):
        notes.info(
            f"{table.source}: its first row is a comparison, so it has no header; read as left "
            f"item, right item, {read.kind}{', rater' * ('rater' in roles)}."
        )
    else:
        numbered = [column for role, column in roles.items() if role[-1].isdigit()]
        shown = {role: c for role, c in roles.items() if c not in numbered[1:-1]}
        what = "rankings; " if laid_out.layout.is_ranking else ""
        text = f"{table.source}: {what}{described(table, shown)}; the outcome is {read.kind}."
        notes.extend([ReadAs(text, named_roles(table, roles))])
    rater = find_role(table.names, "rater")
    if rater is not None and rater in table.nested() and "rater" not in roles:
        name = table.names[rater]
        notes.info(f"{table.source}: cells of '{name}' are lists, so that raters are not read.")


def _shared_columns(table: Table, read: set[int], clusters: Sequence[str]) -> tuple[str, ...]:
    """Find columns that were not read, such as the prompt, whose values come again."""
    found: list[str] = []
    for column, name in enumerate(table.names):
        if column in read or name in clusters or column in table.nested() or not shares(name):
            continue
        codes = table.codes(column)[0]
        if come_again(len(np.unique(codes[codes >= 0])), table.rows):
            found.append(name)
    return tuple(found)


def shares(name: str) -> bool:
    """Whether a column is called as those are by which comparisons hang together."""
    return plain_name(name) in SHARED_BY


def come_again(values: int, rows: int) -> bool:
    """Whether so many different values of a column come again often enough to matter."""
    return 1 < values <= MOST_SHARED * rows


def _difference(table: Table, name: str) -> Floats:
    """Return what the left item has more of than the right one; or that as a share of both."""
    sides: list[Floats] = []
    parts = name.split(":")
    for part in parts[:2]:
        column = given_role(table, "control", part)
        values = table.only_numbers(column)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise DataError(
                f"{table.at(row, column)}: expected a number, found none. A control needs one in "
                "every row."
            )
        sides.append(values)
    if len(parts) < 3:
        return sides[0] - sides[1]
    both = np.abs(sides[0]) + np.abs(sides[1])
    return (sides[0] - sides[1]) / np.where(both > 0, both, 1.0)


def _times(table: Table, column: int, reading: Reading, notes: Notes) -> Ints:
    """Read how often each row was the answer, from a column that is called a count."""
    name = table.names[column]
    ignored = option("ignore", Several([name]))
    counts = counts_of(table, column, reading, notes, f"Or leave the column out with {ignored}.")
    each = counts if table.times is None else np.repeat(counts, table.times)
    if plain_name(name) == "n" and len(each) > 2 and (np.diff(np.sort(each)) == 1).all():
        raise DataError(
            f"{table.source}: column '{name}' seems to number the rows. Leave it out with "
            f"{ignored}; or, if it says how often each row was the answer, call it count."
        )
    notes.caution(
        f"{table.source}: column '{name}' says how often each row was the answer: "
        f"{count(int(each.sum()), 'comparison')}. If it does not, leave it out with {ignored}."
    )
    return counts


def first_row_is_data(table: Table) -> bool:
    """Whether what should be the header is a comparison: two items and an outcome."""
    names = table.names
    if len(names) not in (3, 4) or table.nested():
        return False
    known = ("item", "outcome", "winner", "loser", "rater")
    if any(find_role(names, role) is not None for role in known):
        return False
    if names[2] in names[:2]:
        return names[0] != names[1]  # the winner's name
    number = number_of(names[2])
    if number is not None or share_of(names[2]) is None:
        return number is not None and 0 <= number <= 1
    # A word, such as left, may be the name of a column; items come again.
    first = {*table.codes(0)[1]}
    return bool({*names[:2]} & (first | {*table.codes(1)[1]})) and first != {*names[1:]}


def holds_comparisons(table: Table) -> bool:
    """Whether a table of anything holds comparisons or rankings, by names that nothing else has."""
    if table.form != "named":
        return len(table.names) == len(HEADLESS)
    if first_row_is_data(table):
        return True
    names = table.names
    nothing: dict[str, str | None] = dict.fromkeys(("left", "right", "outcome"))
    for layout in LAYOUTS:
        roles = layout.find(table, nothing)
        if roles is not None and {*layout.needed} <= {*roles}:
            return True
    sides, outcome = find_sides(table, nothing), find_role(names, "outcome")
    if len({*sides.values()}) < 2 or outcome is None or table.nested():
        return False
    usual = None not in [find_role(names, role) for role in ("left", "right")]
    return usual or plain_name(names[outcome]) in WINNER_NAMES


SHARED_BY = frozenset(
    ("prompt", "prompt_id", "question", "question_id", "conversation", "conversation_id", "conv_id",
     "instruction", "instruction_id", "task_id", "query", "query_id", "example_id")
)  # fmt: skip
"""What columns are called by which comparisons hang together."""
MOST_SHARED = 0.9
"""Values, as a share of the rows, up to which they come again often enough to matter."""


# Copies of rows, which would make answers seem surer than they are.

LEAST_ROWS_COPIED = 20
"""Rows below which the same answers may well come again."""
COMMON_COPIES = 0.05
"""Share of rows that are copies of others from which that is said."""


def copied_rows(table: Table, roles: Mapping[str, int]) -> list[Note]:
    """Warn if many rows are the same as others in every column.

    Where a file has no columns but the items, the outcome, the rater and the weight, equal rows may
    be answers of their own, and nothing is said.

    Notes
    -----
    O(rows) for the columns that were read; others are read until few copies are left.
    """
    flat = [column for column in range(len(table.names)) if column not in table.nested()]
    if table.rows < LEAST_ROWS_COPIED or {*flat} <= {*roles.values()}:
        return []
    group, copies = np.zeros(table.rows, dtype=np.int64), table.rows
    for column in sorted(flat, key=lambda column: column not in roles.values()):
        codes = table.codes(column)[0]
        key = group * (int(codes.max(initial=0)) + 2) + codes + 1
        group = np.unique(key, return_inverse=True)[1].reshape(-1)
        copies = table.rows - int(group.max(initial=-1)) - 1
        if copies <= COMMON_COPIES * table.rows:
            return []
    return [Note(copies_message(table.source, copies, table.rows), "warning")]


def copies_message(source: str, copies: int, rows: int) -> str:
    """Say that many rows are copies of others, and what to do."""
    return (
        f"{source}: {copies:,} of {count(rows, 'row')} are exact copies of other rows. Each counts "
        "as an answer of its own, so that intervals are too narrow, unless answers are clustered "
        "by rater or prompt; remove the copies, if the same question was not asked again."
    )
