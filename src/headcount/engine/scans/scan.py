"""Data that are to be reduced where they are: what both kinds of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from headcount.engine.engines.choice import MEMORY, EngineChoice
from headcount.engine.sources.opening import check_given
from headcount.errors import count, option
from headcount.io.reading import Reading

__all__ = ["Scan"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Scan(ABC):
    """Data that are to be reduced where they are.

    Parameters
    ----------
    data : path, relation or frame
    given : mapping of str to str or None
        Columns that the user named, by role.
    reading : Reading
        What to read of them.
    choice : EngineChoice
        Where they are reduced.
    name : str
        What messages call them if they are no file.
    note : str
        Why they are reduced, if nobody asked for it.

    Attributes
    ----------
    unit, counted : str
        What one of them is called, and what a database counts of them.
    """

    data: Any
    given: Mapping[str, str | None]
    reading: Reading
    choice: EngineChoice
    name: str
    note: str = ""

    unit: ClassVar[str]
    counted: ClassVar[str]

    def __post_init__(self) -> None:
        check_given(self.data, self.name)

    @abstractmethod
    def read(self, **options: Any) -> Any:
        """Read them into memory instead."""

    @property
    def in_memory(self) -> bool:
        """Whether somebody asked for them to be read."""
        return self.choice.engine == MEMORY

    def for_size(self, number: int) -> Self:
        """Say why they are reduced where they are, though nobody asked for it."""
        note = (
            f"about {count(number, self.unit)} are too many for {self.choice.memory / 1e9:g} GB of "
            f"memory: DuckDB counted {self.counted} where they are ({option('memory')}, "
            f"{option('engine')})."
        )
        return replace(self, note=note)

    def options(self) -> dict[str, Any]:
        """Return what was said of the data, for a step that uses them again."""
        said: dict[str, Any] = {role: name for role, name in self.given.items() if name}
        for name in ("ignore", "missing", "merge"):
            if values := list(getattr(self.reading, name)):
                said[name] = values
        if self.reading.where:
            said["where"] = [f"{column}={value}" for column, value in self.reading.where]
        for name in ("engine", "remote", "glob"):
            if value := getattr(self.choice, name):
                said[name] = value
        return said

    def readers_options(self) -> dict[str, Any]:
        """Return what a reader is told, in its words."""
        reading = self.reading
        return {
            **self.given,
            "ignore": reading.ignore,
            "where": {
                column: [value for other, value in reading.where if other == column]
                for column, _ in reading.where
            },
            "missing": reading.missing,
            "merge": reading.merge,
            "name": self.name,
        }
