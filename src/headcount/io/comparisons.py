"""Read comparisons: two items a row, and which of them won."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from headcount.data.comparisons import Comparisons, share_of
from headcount.data.vocabulary import number_of, recoded, sorted_vocabulary
from headcount.errors import DataError, count, option, some
from headcount.io.comparison_layouts import (
    MOST_COUNTED,
    CountedWins,
    Layout,
    Read,
    Sides,
    TwoScores,
    WinMatrix,
    WinnerAndLoser,
    check_third,
    find_sides,
)
from headcount.io.findings import most_from_one
from headcount.io.opening import Columns, ids_of, opened
from headcount.io.rankings import (
    BestWorst,
    InOneColumn,
    OneColumnAPlace,
    OneRowAnItem,
    RankBesideItem,
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
from headcount.io.tables import Table, check_names, note_trimmed, with_row_numbers
from headcount.io.values import Several
from headcount.results.notes import Note, Notes
from headcount.typing import Codes, Floats

__all__ = [
    "read_comparisons",
    "holds_comparisons",
    "find_columns",
    "read_counted",
    "LEAST_ROWS_COPIED",
    "COMMON_COPIES",
    "copies_message",
]


HEADLESS: tuple[str, ...] = ("left", "right", "outcome", "rater")
"""What the columns of files are that need not have a header; the rater may be missing."""
LAYOUTS: tuple[Layout, ...] = (
    WinMatrix(),
    CountedWins(),
    WinnerAndLoser(),
    TwoScores(),
    BestWorst(),
    OneColumnAPlace(),
    InOneColumn(),
    RankBesideItem(),
    OneRowAnItem(),
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
    name: str = "comparisons",
    **options: Unpack[ReadOptions],
) -> Comparisons:
    """Read comparisons from a file, a frame or what is in memory.

    One row a comparison: the two items, who won, and perhaps who says so and how much it counts.
    Columns are found by the names people use, such as left, right, outcome and rater; model_a,
    model_b, winner and judge (Chatbot Arena); or left, right, label and worker (crowd-kit). The
    outcome is left, right or tie; the left item's share of the point, 1, 0 or 0.5; 1 for the left
    and 2 for the right item (AlpacaEval); the winner's name; or the name of the winner's column.
    Other outcomes are refused, unless `first_wins` says which of them is a win of the left item.
    In place of all this there may be columns winner and loser, and perhaps tie; columns that count
    wins or mark the result, such as winner_model_a, winner_model_b and winner_tie; a score of each
    side; or a table of items against items. A text file, or rows, of three or four columns need not
    have names: they are the two items, the outcome and the rater.

    Rankings of several items are comparisons too. They stand one a row, the best item first, in
    columns such as rank1, rank2, ...; in one column `ranking` ("a > b = c", or a list); as rows of
    item and rank with a column that says which ranking it is; with a rank beside each item, as in
    system1Id, system1rank, ...; or as sets item1, item2, ... with columns best and worst.

    A row that compares an item with itself, or lacks an item or an outcome, is left out and
    counted. One without a rater stays, except where raters are judged, weighed or drawn.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        CSV, TSV, JSON lines or Parquet, gzipped or not; any frame that narwhals reads, DuckDB's
        relations among them; a dict of columns; a list of dicts or of tuples.
    left, right, outcome, rater, weight : str, optional
        Columns that play these roles. A rater and a weight are optional.
    first_wins : str or number, optional
        The outcome that is a win of the left item: one of two; or the end of a scale at which the
        left item wins (1 or 7; -1 or 1), or both ends, that one first ("7:1"). The middle of the
        scale is a tie, and degrees count as wins.
    clusters : sequence of str
        Columns to keep by which comparisons hang together, such as the prompt.
    controls : sequence of str
        Two columns of numbers each, of the left and of the right item, such as "len_a:len_b", whose
        difference is kept.
    name : str
        What messages call it, if it is no file.
    **options
        What to read, and how; as for :func:`headcount.read_ratings`.

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
    told = any(column is not None for role, column in given.items() if role != "first_wins")
    opens = partial(opened, data, reading, name=name, kind="comparisons")
    # A header may turn out to be a comparison, in which a name may come twice.
    table = opens(columns=Columns(unnamed=True, unique=False))
    headless = not told and table.form == "named" and first_row_is_data(table)
    if headless:
        table = opens(columns=Columns(header=False, unnamed=True, unique=False))
        if table.form == "named":
            raise DataError(
                f"{table.source}: the names of the columns ({some(table.names)}) are a comparison. "
                "Read the file without a header (pandas: header=None, polars: has_header=False), "
                "or give its path."
            )
    check_names(table)
    width = len(table.names)
    nameless = table.form != "named" or all(map(_NO_NAME.fullmatch, table.names))
    if nameless and not told and width in (3, 4):
        layout: Layout = Sides(given["first_wins"], shares=True)
        columns = roles = {role: column for column, role in enumerate(HEADLESS[:width])}
    elif table.form != "named":
        raise DataError(
            f"{table.source}: expected rows of 3 or 4 values (left, right, outcome and perhaps "
            f"rater), not of {width}. Give rows that are dicts, or a frame, to name the columns."
        )
    else:
        layout, columns, roles = find_columns(table, given)
    notes = Notes(table.notes)
    read = layout.read(table, columns, reading, notes)
    if headless:
        notes.info(
            f"{table.source}: its first row is a comparison, so it has no header; read as left "
            f"item, right item, {read.kind}{', rater' if 'rater' in roles else ''}."
        )
    else:
        _note_columns(table, layout, roles, given, read, notes)
    note_copies(table, roles, notes)
    note_trimmed(table, notes)
    kept = _clusters(table, clusters, reading, notes)
    differences = {name: _difference(table, name) for name in controls}
    return _build(table, roles, read, reading, notes, kept, differences)


def find_columns(
    table: Table, given: Mapping[str, str | None]
) -> tuple[Layout, dict[str, int], dict[str, int]]:
    """Find how comparisons are laid out; columns of that, and with those of rater and weight.

    `given` are names of columns by role, and `first_wins`.
    """
    sides = {role: given[role] for role in ("left", "right", "outcome")}
    layout, columns = _layout(table, sides, given["first_wins"])
    beside = find_roles(table, {role: given[role] for role in ("rater", "weight")})
    beside = {role: c for role, c in beside.items() if c not in columns.values() or given[role]}
    if "rater" in beside and given["rater"] is None and beside["rater"] in table.nested():
        del beside["rater"]  # which a note says
    roles = columns | beside
    check_roles(table, roles, layout.needed)
    if "left" in roles:
        check_third(table, roles["left"], given)
    times = find_role(table.names, "times")
    if not (layout.is_ranking or layout.counts or times in (None, *roles.values())):
        roles["times"] = times
    return layout, columns, roles


def _layout(
    table: Table, given: Mapping[str, str | None], first_wins: str | None
) -> tuple[Layout, dict[str, int]]:
    """Find how comparisons are laid out, and the columns that say them."""
    layouts = LAYOUTS if first_wins is None else ()
    for layout in layouts:
        if (roles := layout.find(table, given)) is not None:
            return layout, roles
    sides = Sides(first_wins)
    return sides, sides.find(table, given)


def read_counted(
    table: Table,
    given: Mapping[str, str | None],
    reading: Reading,
    *,
    clusters: Sequence[str] = (),
    controls: Sequence[str] = (),
    notes: Iterable[Note] = (),
) -> Comparisons:
    """Read comparisons of a table whose rows stand for several, as a database counted them.

    `notes` are those on copies of rows, which the table does not show.
    """
    layout, columns, roles = find_columns(table, given)
    all_notes = Notes(table.notes)
    read = layout.read(table, columns, reading, all_notes)
    _note_columns(table, layout, roles, given, read, all_notes)
    all_notes.extend(notes)
    note_trimmed(table, all_notes)
    kept = _clusters(table, clusters, reading, all_notes)
    differences = {name: _difference(table, name) for name in controls}
    return _build(table, roles, read, reading, all_notes, kept, differences)


def _note_columns(
    table: Table,
    layout: Layout,
    roles: dict[str, int],
    given: Mapping[str, str | None],
    read: Read,
    notes: Notes,
) -> None:
    """Say which columns were read as what."""
    if not all(given.get(role) for role in roles):
        text = f"{table.source}: {described(table, roles)}; the outcome is {read.kind}."
        if layout.is_ranking:
            text = f"{table.source}: rankings; {_briefly(table, roles)}: {read.kind}."
        notes.extend([ReadAs(text, named_roles(table, roles))])
    who = find_role(table.names, "rater")
    if who is not None and who in table.nested() and "rater" not in roles:
        notes.info(
            f"{table.source}: cells of '{table.names[who]}' are lists or records, so that who gave "
            "an answer is not read."
        )


def _briefly(table: Table, roles: dict[str, int]) -> str:
    """Write which column plays which role, and of numbered ones the first and the last."""
    shown = {role: c for role, c in roles.items() if not role[-1].isdigit()}
    places = [table.names[column] for role, column in roles.items() if role[-1].isdigit()]
    few = (
        [f"'{places[0]}' to '{places[-1]}'" if len(places) > 1 else f"'{places[0]}'"]
        if places
        else []
    )
    return ", ".join([*few, *([described(table, shown)] if shown else [])])


def _difference(table: Table, name: str) -> Floats:
    """Return what the left item has more of than the right one."""
    sides: list[Floats] = []
    for part in name.split(":"):
        column = given_role(table, "control", part)
        values = table.only_numbers(column)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise DataError(
                f"{table.at(row, column)}: expected a number, found none. A control needs one in "
                "every row."
            )
        sides.append(values)
    return sides[0] - sides[1]


def _clusters(
    table: Table, names: Sequence[str], reading: Reading, notes: Notes
) -> dict[str, Codes]:
    """Columns by which comparisons hang together: codes in the order of names, -1 if missing."""
    out: dict[str, Codes] = {}
    for name in names:
        column = given_role(table, "cluster", name)
        codes, texts = ids_of(table, column, reading, role=name, notes=notes)
        out[name] = recoded(codes, sorted_vocabulary(texts)[1])
    return out


def _build(
    table: Table,
    roles: dict[str, int],
    read: Read,
    reading: Reading,
    notes: Notes,
    clusters: dict[str, Codes],
    controls: dict[str, Floats],
) -> Comparisons:
    """Make comparisons of what was read, and say what was left out."""
    if read.both_bad:
        notes.info(f"{table.source}: {count(read.both_bad, 'answer')} 'both bad' read as a tie.")
    row = np.arange(table.rows) if read.row is None else read.row
    raters = None
    if "rater" in roles:
        raters = ids_of(table, roles["rater"], reading, role="rater", notes=notes)
    weight = table.only_numbers(roles["weight"]) if "weight" in roles else None
    times, kept = table.times, np.ones(len(row), dtype=bool)
    if "times" in roles:
        counts = _times(table, roles["times"], notes)
        times = counts if times is None else counts * times
        kept = times[row] > 0
        row = row[kept]
    build = partial(
        Comparisons.from_codes,
        (read.left[kept], read.right[kept], read.items),
        read.share[kept],
        raters=None if raters is None else (raters[0][row], raters[1]),
        weight=None if weight is None else weight[row],
        clusters={name: codes[row] for name, codes in clusters.items()},
        controls={name: values[row] for name, values in controls.items()},
        ranking=None if read.ranking is None else read.ranking[kept],
        times=None if times is None else times[row],
        source=table.source,
        notes=tuple(notes),
        sources=table.sources,
        dropped=Counter(table.dropped) + Counter(read.dropped),
        backend=table.backend,
    )
    made = with_row_numbers(table, lambda rows: build(rows=None if rows is None else rows[row]))
    if "times" in roles and made.times is not None and made.times.sum() <= MOST_COUNTED:
        order = np.repeat(np.arange(len(made.times)), made.times)
        made = replace(made, times=None).select(order)
    if made.rater is None or made.raters is None:
        return made
    more = most_from_one(table.source, made.raters, made.rater, "comparison", made.times)
    return replace(made, notes=(*made.notes, *more)) if more else made


def _times(table: Table, column: int, notes: Notes) -> Codes:
    """Read how often each row was the answer, from a column that is called a count.

    What does not count, or numbers the rows, is refused.
    """
    name = table.names[column]
    ignored = option("ignore", Several([name]))
    numbers = np.nan_to_num(table.only_numbers(column))
    odd = np.flatnonzero((numbers < 0) | (numbers % 1 != 0))
    if len(odd):
        raise DataError(
            f"{table.at(int(odd[0]), column)}: expected how often the row was the answer, a whole "
            f"number, found {numbers[odd[0]]:g}. Leave the column out with {ignored}."
        )
    each = numbers if table.times is None else np.repeat(numbers, table.times)
    if plain_name(name) == "n" and len(each) > 2 and (np.diff(np.sort(each)) == 1).all():
        raise DataError(
            f"{table.source}: column '{name}' seems to number the rows. Leave it out with "
            f"{ignored}; or, if it says how often each row was the answer, call it count."
        )
    notes.caution(
        f"{table.source}: column '{name}' says how often each row was the answer: "
        f"{count(int(each.sum()), 'comparison')}. If it does not, leave it out with {ignored}."
    )
    return numbers.astype(np.int64)


def first_row_is_data(table: Table) -> bool:
    """Whether what should be the header is a comparison: two items and an outcome."""
    names = table.names
    if len(names) not in (3, 4) or table.nested():
        return False
    if any(find_role(names, role) is not None for role in ("winner", "loser", "rater")):
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
    names, nothing = table.names, dict.fromkeys(("left", "right", "outcome"))
    for layout in LAYOUTS:
        roles = layout.find(table, nothing)
        if roles is None or not {*layout.needed} <= {*roles}:
            continue
        if isinstance(layout, WinMatrix):
            return layout.says_who_won(table)
        return not isinstance(layout, OneRowAnItem)  # which may be ratings
    sides, outcome = find_sides(table, nothing), find_role(names, "outcome")
    if len({*sides.values()}) < 2 or outcome is None or table.nested():
        return False
    usual = None not in [find_role(names, role) for role in ("left", "right")]
    return usual or plain_name(names[outcome]) in WINNER_NAMES


# Rows that stand in a file more than once, which would make answers seem surer than they are.

MANY_ROWS, MANY_KINDS = 50, 10
"""Rows, and different ones among them, that do not come again in the same order by chance."""
LEAST_ROWS_COPIED = 20
"""Rows below which the same answers may well come again."""
MOST_TIMES_COPIED = 10
"""How often a file may stand in itself, at most, to be noticed."""
COMMON_COPIES = 0.05
"""Share of rows that are copies of others from which that is said."""


def note_copies(table: Table, roles: dict[str, int], notes: Notes) -> None:
    """Warn if the rows are the same ones several times over, or if many rows come again.

    A row is a copy if it is the same as another in every column. Where a file has no columns but
    the items, the outcome, the rater and the weight, equal rows may be answers of their own, and
    only a file that repeats itself from beginning to end is spoken of.

    Notes
    -----
    O(rows) for the columns that were read; others are read until few copies are left.
    """
    used = sorted(set(roles.values()) - set(table.nested()))
    if not used:
        return
    n = len(table.codes(used[0])[0])
    if n < LEAST_ROWS_COPIED:
        return
    codes = [table.codes(column)[0] for column in used]
    if (times := _copies_of_file(codes, n)) > 1:
        notes.warning(
            f"{table.source}: all {n:,} rows are the same {n // times:,} comparisons {times} times "
            "over. Each counts as an answer of its own, so that intervals are too narrow, "
            "unless answers are clustered by rater or prompt; keep one copy of the file."
        )
        return
    apart = {*used, *table.nested()}
    others = [column for column in range(len(table.names)) if column not in apart]
    copies = _copies(table, codes, others) if others else 0
    if copies > COMMON_COPIES * n:
        notes.warning(copies_message(table.source, copies, n))


def copies_message(source: str, copies: int, rows: int) -> str:
    """Say that many rows are copies of others, and what to do."""
    return (
        f"{source}: {copies:,} of {count(rows, 'row')} are exact copies of other rows. Each counts "
        "as an answer of its own, so that intervals are too narrow, unless answers are clustered "
        "by rater or prompt; remove the copies, if the same question was not asked again."
    )


def _copies_of_file(codes: list[Codes], n: int) -> int:
    """How often the file stands in itself: the largest number, 1 if it does not."""
    for times in range(min(MOST_TIMES_COPIED, n // LEAST_ROWS_COPIED * 2), 1, -1):
        step = n // times
        if n % times == 0 and all(bool((code[step:] == code[:-step]).all()) for code in codes):
            # Rows that say 'a beats b' forty times are no copies of anything.
            return times if _is_varied([code[:step] for code in codes], step) else 1
    return 1


def _copies(table: Table, codes: list[Codes], others: list[int]) -> int:
    """Rows that are the same as an earlier one in all columns."""
    n, group = len(codes[0]), _groups(codes)
    for column in others:
        if n - int(group.max(initial=-1)) - 1 <= COMMON_COPIES * n:
            break
        group = _joined(group, table.codes(column)[0])
    return n - int(group.max(initial=-1)) - 1


def _groups(codes: list[Codes]) -> Codes:
    """Give rows that are the same in all columns the same number."""
    group = np.zeros(len(codes[0]), dtype=np.int64)
    for code in codes:
        group = _joined(group, code)
    return group


def _is_varied(codes: list[Codes], n: int) -> bool:
    """Whether rows differ so much that the same ones do not come again, in order, by themselves.

    Most of them are of their own; or they are many, and too many for a cycle of a few.
    """
    times = np.bincount(_groups(codes))
    return 2 * len(times) > n or (n >= MANY_ROWS and len(times) >= MANY_KINDS)


def _joined(group: Codes, code: Codes) -> Codes:
    """Give rows that are the same in both the same number."""
    key = group * (int(code.max(initial=0)) + 2) + code + 1
    return np.unique(key, return_inverse=True)[1].reshape(-1)
