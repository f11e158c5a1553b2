"""Rows that an engine can read: files, a relation of DuckDB, a table or frame of Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headcount.data.vocabulary import number_text
from headcount.engine.engines.base import Column, Engine
from headcount.errors import DataError, closest, some
from headcount.io.formats.coding import float_text
from headcount.io.tables.columns import ColumnTable
from headcount.io.values.missing import PROGRAMS_MISSING
from headcount.results.notes import Note
from headcount.results.provenance import Source

__all__ = ["BLANKS", "Relation", "Value"]

BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What Python takes for a blank at the ends of a text."""
SHOWN = 1000
"""Rows that show what columns hold."""
MOST_VALUES = 10_000
"""Different values of a column that may be looked at one by one."""


@dataclass(frozen=True)
class Value:
    """A value of a column: how SQL writes it, how readers write it ("" if blank), its rows."""

    literal: str
    text: str
    rows: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Relation:
    """Rows that an engine can read.

    Parameters
    ----------
    engine : Engine
    sql : str
        What stands after FROM.
    columns : list of Column
    source : str
        What messages call it.
    sources : tuple of Source
        Files behind it.
    notes : tuple of Note
    row : str or None
        SQL of the number of a row, if rows have an order.
    backend : str or None
        Kind of frame that it was given as.
    held : object
        What must not go while rows are read.
    """

    engine: Engine
    sql: str
    columns: Sequence[Column]
    source: str
    sources: tuple[Source, ...] = ()
    notes: tuple[Note, ...] = ()
    row: str | None = None
    backend: str | None = None
    held: object = None

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def column(self, name: str, role: str) -> Column:
        """Find a column by its name."""
        for column in self.columns:
            if column.name == name:
                if column.kind == "nested":
                    raise DataError(
                        f"{self.source}, column '{name}': its cells are lists or records. Write "
                        "one value a cell, or read it into memory."
                    )
                return column
        near = closest(name, self.names)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise DataError(
            f"{self.source} has no column '{name}' for the {role}.{hint} "
            f"Columns: {some(self.names, 12)}."
        )

    def first_rows(self, condition: str = "TRUE") -> ColumnTable:
        """Bring a few rows, as readers see them: they show what columns hold."""
        listed = ", ".join(
            f"{self.text(column)} AS v{i}" if column.kind != "nested" else f"'[]' AS v{i}"
            for i, column in enumerate(self.columns)
        )
        found = self.engine.fetch(
            f"SELECT {listed} FROM {self.sql} WHERE {condition} LIMIT {SHOWN}"
        )
        columns: list[Any] = [found[f"v{i}"].tolist() for i in range(len(self.columns))]
        return ColumnTable(columns, self.names, self.source)

    def value(self, column: Column) -> str:
        """Write the SQL of a column: numbers with fractions, dates and the like as text."""
        plain = column.kind in ("whole", "boolean", "text")
        return column.sql if plain else self.engine.dialect.text.format(column.sql)

    def identity(self, column: Column) -> str:
        """Write the SQL of a column of ids: whole numbers as they are, others as text."""
        return column.sql if column.kind == "whole" else self.text(column)

    def tidy(self, value: str) -> str:
        """Write the SQL of an id without blanks at its ends; null where it says there is none."""
        dialect = self.engine.dialect
        trimmed = dialect.trim.format(value, dialect.literal(BLANKS))
        return (
            f"CASE WHEN NOT ({self.is_odd(value)}) THEN {value} WHEN {trimmed} IN ({self._words}) "
            f"THEN NULL ELSE {trimmed} END"
        )

    def is_odd(self, value: str) -> str:
        """Write the SQL of whether an id must be tidied."""
        # To look at the ends takes a tenth of the time of trimming them.
        blanks = self.engine.dialect.literal(BLANKS)
        ends = " OR ".join(f"instr({blanks}, {end}({value}, 1)) > 0" for end in ("left", "right"))
        return f"{value} IN ({self._words}) OR {ends}"

    @property
    def _words(self) -> str:
        return ", ".join(map(self.engine.dialect.literal, ["", *sorted(PROGRAMS_MISSING)]))

    def text(self, column: Column) -> str:
        """Write the SQL of a column as text, of which blanks at the ends stay."""
        dialect, name = self.engine.dialect, column.sql
        if column.kind == "text":
            return name
        if column.kind == "boolean":
            return f"CASE {name} WHEN TRUE THEN 'True' WHEN FALSE THEN 'False' END"
        if column.kind == "real":
            whole = dialect.text.format(dialect.whole.format(name))
            return (
                f"CASE WHEN {name} = floor({name}) AND abs({name}) < 1e15 THEN {whole} ELSE "
                f"{dialect.text.format(name)} END"
            )
        return dialect.text.format(name)

    def values(
        self, column: Column, where: str = "TRUE", *, what: str, most: int = MOST_VALUES
    ) -> list[Value]:
        """Count the different values of a column; a bounded number of them."""
        value = self.value(column)
        found = self.engine.rows(
            f"SELECT {value} AS v, count(*) AS n FROM {self.sql} WHERE {where} GROUP BY {value}",
            what=f"{what} in column '{column.name}' of {self.source}",
            most=most,
            advice="Check that the column is the right one.",
        )
        return [
            Value(*self._written(value, column), rows)
            for value, rows in zip(found["v"].tolist(), found["n"].tolist(), strict=True)
        ]

    def _written(self, value: object, column: Column) -> tuple[str, str]:
        """How SQL writes a value, and how readers do."""
        if value is None or value != value:
            return "NULL", ""
        if column.kind == "boolean":
            return ("TRUE", "True") if value else ("FALSE", "False")
        if column.kind == "whole":
            text = number_text(float(value)) if isinstance(value, float) else str(value)
            return text, text
        text = str(value)
        literal = self.engine.dialect.literal(text)
        return literal, float_text(text) if column.kind == "real" else text.strip()
