"""What a shape of ratings is, and whether the rows of a table are items or raters."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from headcount.errors import DataError, count, option, some
from headcount.io.roles import (
    ASPECTS,
    INDEX_NAME,
    RATED_AT,
    are_raters,
    find_role,
    find_roles,
    plain_name,
)
from headcount.io.tables import Coded, Table
from headcount.io.values import Several
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = [
    "LONG",
    "Asked",
    "Ratings",
    "numbered_rows",
    "Shape",
    "PERSON_NAMES",
    "are_items",
    "check_aspects",
    "check_orientation",
]


# A shape in which ratings come, what it is asked of, and what it gives.

LONG = ("item", "rater", "label")
"""Roles of the columns of long data, and the order of rows without names."""


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
    people : bool
        Whether raters are people, and not classifiers.
    merge : tuple of str
        What does not tell labels apart.
    columns : tuple of int
        Columns that the user named as those of raters, or of counted labels; none to go by names.
    shape : str or None
        How data are laid out, if the user said so.
    """

    table: Table
    given: Mapping[str, str | None]
    labels: Sequence[str] | None = None
    question: str | None = None
    transpose: bool | None = None
    skip: frozenset[str] = frozenset()
    people: bool = True
    merge: tuple[str, ...] = ()
    columns: tuple[int, ...] = ()
    shape: str | None = None

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
        nested_item = self.roles.get("item") in self.nested
        return bool(self.nested) and "rater" not in flat and not nested_item

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
    labels_are_names : bool
        Whether labels are names of columns, none of which says that a label is missing.
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
    labels_are_names: bool = False
    notes: Notes = field(default_factory=Notes)


def numbered_rows(table: Table) -> Coded:
    """Code rows that no column names: each is called by its number."""
    return np.arange(table.rows), [str(number) for number in table.row_numbers().tolist()]


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


# Whether the rows of a wide table are its items, as they are read, or may be its raters.

PERSON_NAMES = frozenset(
    {
        "person", "people", "who", "full_name", "first_name", "last_name", "initials", "email",
        "e_mail", "email_address", "student", "students", "member", "employee", "nickname",
        "rater_name", "annotator_name", "coder_name", "worker_name", "reviewer_name",
        "judge_name", "participant_name", "respondent_name", "user_name", "expert", "expert_name",
        "doctor", "physician", "reader", "pathologist", "radiologist", "evaluator", "grader",
        "scorer", "interviewer", "participant", "participant_id", "respondent", "user", "user_id",
        "username", "name", "names",
    }
)  # fmt: skip
"""What the first column is called if rows are people: raters, or those who are rated."""
DOUBTFUL_NAMES = frozenset({"", "id", "ids", "key", "index"})
"""What it is called if it does not say what rows are."""

_ITEM = re.compile(
    r"(?i)(?:q|t|item|question|task|doc|document|image|img|photo|stimulus|text|sentence|tweet|post|"
    r"comment|video|clip|essay|story|case|patient|slide|scan|sample|example|unit|prompt|abstract|"
    r"article|paper)[_ .#-]?\d+(?:[_.-]\d+)*|.*\?|"
    r".+\.(?:jpe?g|png|gif|txt|pdf|wav|mp[34]|html?|json)|https?:.*"
)
"""Names of items: numbered questions, files, addresses."""
_PLACE = re.compile(r"(?i)(?:rank|place)[_ .#-]?\d+|\d+(?:st|nd|rd|th)(?:[_ ]\w+)?|best|worst")
"""Names of places in a ranking."""
MANY_COLUMNS = 20
"""Columns from which on a table of few rows may have its items there."""


def are_items(names: Sequence[str]) -> bool:
    """Whether columns are all called as items or questions are."""
    return all(map(_ITEM.fullmatch, names))


def check_orientation(
    asked: Asked, column: int, rows: Sequence[str], names: Sequence[str], notes: Notes
) -> None:
    """Refuse a table of which rows may be the raters, unless the user says what they are.

    Parameters
    ----------
    asked : Asked
    column : int
        The one that is read as that of items.
    rows : sequence of str
        What stands in it.
    names : sequence of str
        Names of the columns that are read as raters.
    notes : Notes
        Where it is warned of rows that are few, but are called items.
    """
    table = asked.table
    if asked.transpose is not None or asked.given["item"] is not None or table.form != "named":
        return
    check_aspects(table, names)
    if len(names) > 1 and all(map(_PLACE.fullmatch, names)):
        raise DataError(
            f"{table.source}: columns are called {some(names)}, as the places of a ranking are, "
            "and no raters. Rankings are read by headcount.pairs; if columns are raters, rename "
            "them."
        )
    if len(names) > 1 and all(map(RATED_AT.fullmatch, names)):
        raise DataError(
            f"{table.source}: columns are called {some(names)}, by when items were rated, and by "
            "no raters. Put the answers of one time into a file, with one column per rater; if "
            f"each column is a rater, say {option('transpose', False)}."
        )
    if len(names) > 2 and are_items(names):
        raise _refused(asked, f"columns are called {some(names)}, as items or questions are")
    called = plain_name(table.names[column])
    of_raters = are_raters(names)
    if of_raters and called not in PERSON_NAMES and find_role([called], "rater") is not None:
        raise _refused(asked, f"rows ('{table.names[column]}') and columns are both called raters")
    if called in PERSON_NAMES and len(names) > 1 and not of_raters:
        raise _refused(
            asked, f"column '{table.names[column]}' names people, who may rate or be rated"
        )
    lying = len(names) >= MANY_COLUMNS and len(names) >= 5 * len(rows)
    if lying and called in DOUBTFUL_NAMES and not of_raters:
        raise _refused(asked, f"{count(len(rows), 'row')} and {len(names)} columns")
    if lying:
        notes.warning(
            f"{table.source}: {count(len(rows), 'row')} and {len(names)} columns, read as "
            f"items and raters. If raters are the rows, say {option('transpose', True)}; if "
            f"they are not, {option('transpose', False)}."
        )


def check_aspects(table: Table, names: Sequence[str]) -> None:
    """Refuse columns that are called by what is asked of items: helpfulness, ``gpt_tone``.

    Each answers a question of its own, so that nothing shows who agrees with whom.
    """
    aspects = [_aspect(name) for name in names]
    if len({*aspects}) < 2 or None in aspects:
        return
    others = [name for name, own in zip(names, aspects, strict=True) if own != aspects[0]]
    raise DataError(
        f"{table.source}: columns are called by what was asked ({some(names)}), so that each "
        "answers a question of its own. Read one question at a time, and leave the others out with "
        f"{option('ignore', Several(others))}; if these are raters or classifiers, rename them."
    )


def _aspect(name: str) -> str | None:
    """Take what is asked out of a name: tone of ``gpt_tone``."""
    plain = plain_name(name)
    ends = [aspect for aspect in ASPECTS if plain == aspect or plain.endswith(f"_{aspect}")]
    return max(ends, key=len, default=None)


def _refused(asked: Asked, why: str) -> DataError:
    return DataError(
        f"{asked.table.source}: {why}, so it is not clear whether a row is an item or a rater. Say "
        f"{option('transpose', True)} if rows are raters and columns items, or "
        f"{option('transpose', False)} if rows are items and columns raters."
    )
