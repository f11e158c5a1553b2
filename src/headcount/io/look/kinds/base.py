"""What a kind of content is: how to tell it, how to read it, and what to count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from headcount.io.look.records import Share
from headcount.io.tables.table import Table
from headcount.typing import Ids

__all__ = ["ALL", "Kind"]


ALL = frozenset({"ignore", "where", "missing", "merge", "format", "encoding", "sheet", "question"})
"""Options that every reader of tables takes."""


class Kind(ABC):
    """Something that a file can hold. To tell another, write one such class and list it.

    Attributes
    ----------
    name : str
    reader : str
        The public function that reads it.
    takes : frozenset of str
        Options that it takes.
    """

    name: ClassVar[str]
    reader: ClassVar[str]
    takes: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def claims(self, table: Table, file: str) -> bool:
        """Whether a table is of this kind, by its columns; `file` is its name."""

    @abstractmethod
    def read(self, data: Any, options: Mapping[str, Any]) -> Any:
        """Read it."""

    @abstractmethod
    def sentence(self, data: Any) -> str:
        """Say what was read, after the name of the file."""

    @abstractmethod
    def counts(self, data: Any) -> dict[str, Any]:
        """Count what was read."""

    @abstractmethod
    def items(self, data: Any) -> Ids:
        """Ids of the items."""

    def balance(self, data: Any) -> dict[str, tuple[Share, ...]]:
        """How often each label is given, by whom."""
        return {}

    def shape(self, table: Table, options: Mapping[str, Any]) -> str | None:
        """How the table is laid out."""
        return None

    @abstractmethod
    def columns(self, data: Any) -> dict[str, list[Any]]:
        """Return it in long form."""
