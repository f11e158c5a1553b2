"""Which column plays which part: by the name the user gives, or by the names people use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Self

from headcount.errors import DataError, closest, option, some
from headcount.io.roles.names import REMARKS, ROLES
from headcount.io.tables.table import Table
from headcount.results.notes import Note, Severity

__all__ = [
    "ReadAs",
    "check_roles",
    "described",
    "enumerated",
    "find_role",
    "find_roles",
    "given_role",
    "is_remark",
    "item_column",
    "missing_role",
    "named_roles",
    "near_role",
    "plain_name",
    "roles_of",
    "written_lists",
]


class ReadAs(Note):
    """A note on how a table was read, with the names of the columns that play roles in it.

    Examples
    --------
    >>> note = ReadAs("r.csv: item = 'id'.", {"item": "id"})
    >>> note, note.roles
    ("r.csv: item = 'id'.", {'item': 'id'})
    """

    roles: dict[str, str]

    def __new__(cls, text: str, roles: Mapping[str, str], severity: Severity = "info") -> Self:
        """Keep the roles with the text."""
        made = super().__new__(cls, text, severity)
        made.roles = dict(roles)
        return made

    def __reduce__(self) -> tuple[type[ReadAs], tuple[Any, ...]]:
        return ReadAs, (self.marked, self.roles, self.severity)


LAYOUTS = {
    "left": " Comparisons have columns left, right and outcome, or winner and loser; rankings have "
    "a column for each place, a row for each item with its rank, or a column for each item that "
    "holds its rank, from 1 on."
}
"""What a table may look like in which a role is missing."""
_LOOKED_AT = 50
"""Columns, and values of each, that are looked at for an explanation."""


def find_role(names: Sequence[str], role: str, *, besides: int | None = None) -> int | None:
    """Position of the column that plays a role, by its name; None if no name fits.

    `besides` is a column that plays another role.

    Examples
    --------
    >>> find_role(["Task ID", "worker", "text"], "item")
    0
    """
    plain = [plain_name(name) for name in names]
    for known in ROLES[role]:
        if known in plain and plain.index(known) != besides:
            return plain.index(known)
    return None


def plain_name(name: str) -> str:
    """Write the name of a column as those that are known are written.

    Examples
    --------
    >>> plain_name(" Task ID")
    'task_id'
    """
    return re.sub(r"[\s.\-]+", "_", name.strip().lower())


REMARK_ENDS = ("_confidence", "_certainty", "_time", "_seconds", "_duration", "_timestamp", "_date")
"""How columns end that say something of another: ``ann_confidence`` beside ``ann``."""


def is_remark(name: str, others: Collection[str]) -> bool:
    """Whether a column holds remarks, by its plain name: a comment, or a reason for another column.

    Examples
    --------
    >>> is_remark("comment", []), is_remark("ann_reason", ["ann"]), is_remark("ann", ["bob"])
    (True, True, False)
    """
    stem, _, last = name.rpartition("_")
    if name in REMARKS or (stem and last in REMARKS and stem in others):
        return True
    if stem and last in ("comment", "comments", "notes", "reasoning", "rationale", "explanation"):
        return True
    return any(name.endswith(end) and name.removesuffix(end) in others for end in REMARK_ENDS)


def enumerated(names: Iterable[str]) -> set[str]:
    """Names that differ only by a number or a letter at their end: columns of several raters.

    Examples
    --------
    >>> sorted(enumerated(["post", "annotator_1", "annotator_2", "Coder A", "coder b"]))
    ['Coder A', 'annotator_1', 'annotator_2', 'coder b']
    """
    stems: dict[str, list[str]] = {}
    for name in names:
        plain = plain_name(name)
        numbered = plain.rstrip("0123456789")
        stem = numbered.removesuffix("_") if numbered != plain else re.sub("_[a-z]$", "", plain)
        if stem not in ("", plain):
            stems.setdefault(stem, []).append(name)
    return {name for alike in stems.values() if len(alike) > 1 for name in alike}


def given_role(table: Table, role: str, name: object) -> int:
    """Position of the column that the user named for a role."""
    name = str(name)  # pandas' names may be numbers
    if name in table.names:
        return table.names.index(name)
    near = closest(name, table.names)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise DataError(
        f"{table.source} has no column '{name}' for the {role}.{hint} "
        f"Columns: {some(table.names, 12)}."
    )


def find_roles(table: Table, given: Mapping[str, str | None]) -> dict[str, int]:
    """Columns by role: those that the user named, and those of others that names tell."""
    places = {
        role: find_role(table.names, role) if name is None else given_role(table, role, name)
        for role, name in given.items()
    }
    return {role: place for role, place in places.items() if place is not None}


def check_roles(table: Table, roles: Mapping[str, int], needed: Sequence[str]) -> None:
    """Refuse a table in which no column plays a role that is needed, or one plays two."""
    for role in needed:
        if role not in roles:
            raise missing_role(table, role, roles)
    if len(set(roles.values())) < len(roles):
        names = [option(role) for role in needed]
        raise DataError(
            f"{table.source}: the same column cannot play two roles; {described(table, roles)}. "
            f"Name the columns with {', '.join(names[:-1])} and {names[-1]}."
        )


def described(table: Table, roles: Mapping[str, int]) -> str:
    """Write which column plays which role."""
    return ", ".join(f"{role} = '{name}'" for role, name in named_roles(table, roles).items())


def named_roles(table: Table, roles: Mapping[str, int]) -> dict[str, str]:
    """Names of the columns that play roles."""
    return {role: table.names[column] for role, column in roles.items()}


def roles_of(notes: Iterable[Note]) -> dict[str, str]:
    """Columns by role, of notes on how a table was read."""
    found: dict[str, str] = {}
    for note in notes:
        if isinstance(note, ReadAs):
            found |= note.roles
    return found


def near_role(names: Sequence[str], role: str) -> str | None:
    """Name of the column that is likely a misspelt name for a role."""
    return next((name for name in names if closest(name, ROLES[role], cutoff=0.75)), None)


def missing_role(table: Table, role: str, roles: Mapping[str, int]) -> DataError:
    """Error for a role that no column plays, with the columns that come closest."""
    taken = {table.names[column] for column in roles.values()}
    near = near_role([name for name in table.names if name not in taken], role)
    hint = f" Did you mean '{near}'?" if near else ""
    more = LAYOUTS.get(role, "") + written_lists(table, range(len(table.names)))
    return DataError(
        f"{table.source}: no column found for the {role}.{hint} Columns: {some(table.names, 12)}. "
        f"Name it with {option(role, '...')}.{more}"
    )


def written_lists(table: Table, columns: Iterable[int]) -> str:
    """Say which columns hold lists that were written as text, as a frame writes them into CSV."""
    flat = [i for i in islice(columns, _LOOKED_AT) if i not in table.nested()]
    texts = {table.names[i]: table.codes(i)[1][:_LOOKED_AT] for i in flat}
    lists = [name for name, cells in texts.items() if cells and all(map(_is_list, cells))]
    if not lists:
        return ""
    return (
        f" Cells of {some(lists)} are lists written as text: save the data as JSON lines or "
        "Parquet, which keep lists, or with one answer a row."
    )


def _is_list(text: str) -> bool:
    answer = text.startswith("[[") and "," not in text  # [[A]], as models are told to write
    return text.startswith("[") and text.endswith("]") and not answer


def item_column(table: Table, item: str | None = None) -> int:
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
    return _id_column(table)


def _id_column(table: Table) -> int:
    """Find the column that is called an id and differs in every row, if the first does not."""

    def differs(column: int) -> bool:
        codes, texts = table.codes(column)
        return len(texts) == len(codes)

    plain = map(plain_name, table.names)
    named = [i for i, name in enumerate(plain) if name.endswith("_id") and name[0] != "_"]
    if named == [0] or not named or table.nested() or differs(0):
        return 0
    found = [i for i in named if differs(i)]
    return found[0] if len(found) == 1 else 0
