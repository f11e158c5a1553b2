"""What an engine is: a database that runs one SQL text, and what it spells in its own way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from headcount.errors import DataError, option

__all__ = ["MOST_ROWS", "Column", "Dialect", "Engine", "Rows", "as_array"]

MOST_ROWS = 2_000_000
"""Rows that a reduction may give back."""
AT_ONCE = 12
"""Parts of items that are still grouped at once."""
Rows = dict[str, NDArray[Any]]
"""Columns of what came back, by name. Numbers are int64 or float64; nulls are NaN or None."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """What engines spell differently. Each entry is a text with places for its arguments.

    Parameters
    ----------
    text : str
        A value as text.
    hash : str
        A whole number from 0 on, below 2^63, that depends on a value alone.
    right : str
        A whole number shifted to the right by so many bits.
    bit : str
        The number of which one bit, the n-th, is set.
    md5_32 : str
        The first 32 bits of the md5 of a text, as a number.
    quote : str
        The sign around names.
    real : str
        The type of floating-point numbers.
    number : str
        A text as a floating-point number; null if it is none.
    whole : str
        A floating-point number without a fraction as a whole number.
    trim : str
        A text without some signs at its ends.
    unpivot : str
        A row for each of several columns: item, rater and label.
    """

    text: str
    hash: str
    right: str
    bit: str
    md5_32: str
    quote: str
    real: str
    number: str
    whole: str
    trim: str
    unpivot: str

    def name(self, column: str) -> str:
        """Write the name of a column."""
        return f"{self.quote}{column.replace(self.quote, 2 * self.quote)}{self.quote}"

    def literal(self, text: str) -> str:
        """Write a text."""
        written = "'" + text.replace("'", "''") + "'"
        # Spark takes a backslash for the beginning of another sign.
        return "(" + written.replace("\\", "' || chr(92) || '") + ")" if "\\" in text else written


@dataclass(frozen=True)
class Column:
    """A column of a relation.

    Parameters
    ----------
    name : str
    kind : {"text", "whole", "real", "boolean", "other", "nested"}
        What its values are.
    sql : str
        How SQL names it.
    """

    name: str
    kind: str
    sql: str


class Engine(ABC):
    """A database that reduces rows where they are. One class an engine, in the list.

    Attributes
    ----------
    name : str
        What users call it.
    title : str
        What results call it.
    dialect : Dialect
    """

    name: ClassVar[str]
    title: ClassVar[str]
    dialect: Dialect
    ranks_at_once: ClassVar[bool] = False
    """Whether it can number all rows of a sorted table, without one machine holding them."""

    @abstractmethod
    def fetch(self, sql: str) -> Rows:
        """Run a query, and bring all of what it gives."""

    @abstractmethod
    def keep(self, name: str, sql: str) -> str:
        """Hold what a query gives for later ones; return what stands after FROM."""

    def hold(self, name: str, sql: str) -> str:
        """Hold what a query gives, for many later ones; where it may not be, it is run again."""
        return self.keep(name, sql)

    def parts(self, held: str, key: str, number: int) -> Iterator[Rows]:
        """Bring what was held a part at a time.

        Parameters
        ----------
        held : str
            What stands after FROM.
        key : str
            A column of whole numbers by which rows are parted.
        number : int
            Parts, about.
        """
        for part in range(number):
            yield self.fetch(f"SELECT * FROM {held} WHERE {key} % {number} = {part}")

    def parts_for(self, groups: int) -> int:
        """Tell in how many parts so many groups should be made, so that each fits into memory."""
        return 1

    def is_much(self, groups: int) -> bool:
        """Whether so many groups take much more memory than is allowed, so that parts are better.

        What is a little too much goes to temporary files, which takes less time than to write rows
        in parts.
        """
        return self.parts_for(groups) > AT_ONCE

    def divided(self, name: str, sources: Sequence[str], part: str, number: int) -> str:
        """Give rows a column `part`, so that those of one part are read alone if that can be.

        Parameters
        ----------
        name : str
            Of what is written; what was written by that name before is removed.
        sources : sequence of str
            SELECTs of the rows, which are run one after the other.
        part : str
            SQL of the part of a row, from 0 on.
        number : int
            How many parts there are.

        Returns
        -------
        str
            SELECT of the rows and their part.
        """
        return f"SELECT *, {part} AS part FROM ({' UNION ALL '.join(sources)}) AS whole"

    def close(self) -> None:  # noqa: B027 - there may be nothing to close
        """Give back what is held: connections, temporary files."""

    def rows(
        self,
        sql: str,
        *,
        what: str,
        most: int = MOST_ROWS,
        advice: str | Callable[[], str] = "",
        error: type[DataError] = DataError,
    ) -> Rows:
        """Run a query that gives a bounded number of rows.

        Parameters
        ----------
        sql : str
        what : str
            What a row is, for a message: 'label patterns'.
        most : int
            Rows that may come back.
        advice : str, or function that gives it
            What to do if there are more.
        error : type
            What is raised then.

        Raises
        ------
        DataError
            If there are more.
        """
        found = self.fetch(f"SELECT * FROM ({sql}) AS bounded LIMIT {most + 1}")
        if found and len(next(iter(found.values()))) > most:
            memory = option("engine", "memory")
            hint = advice if isinstance(advice, str) else advice()
            raise error(
                f"more than {most:,} {what}, which is what {self.title} may give back. "
                f"{hint or f'Reduce the data, or read them into memory with {memory}.'}"
            )
        return found

    def one(self, sql: str) -> dict[str, Any]:
        """Run a query that gives one row."""
        return {name: values[0] for name, values in self.fetch(sql).items()}


def as_array(values: list[Any]) -> NDArray[Any]:
    """Make an array of Python's values: whole numbers, numbers, or objects."""
    kinds: set[type] = {type(one) for one in values}
    if kinds <= {int, bool} and kinds:
        return np.array(values, dtype=np.int64)
    if kinds <= {int, float, type(None)} and float in kinds:
        return np.array([np.nan if one is None else one for one in values], dtype=np.float64)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
