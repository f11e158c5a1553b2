"""A shape in which ratings come, what it is asked of, and what it gives."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from headcount.io.roles.roles import find_role, find_roles
from headcount.io.tables.table import Coded, Table
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["INDEX_NAME", "LONG", "Asked", "Ratings", "Shape"]

LONG = ("item", "rater", "label")
"""Roles of the columns of long data, and the order of rows without names."""
INDEX_NAME = re.compile(r"(?i)unnamed: ?\d+(?:[._]\w+)*|index|level_\d+|row[_ .]?names?")
"""Names under which programs write the numbers of rows."""


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
    """

    table: Table
    given: Mapping[str, str | None]
    labels: Sequence[str] | None = None
    question: str | None = None
    transpose: bool | None = None
    skip: frozenset[str] = frozenset()
    people: bool = True
    merge: tuple[str, ...] = ()

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
        return bool(self.nested) and "rater" not in flat and not self._nested_item

    @property
    def _nested_item(self) -> bool:
        return self.roles.get("item") in self.nested

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
    notes: Notes = field(default_factory=Notes)


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
