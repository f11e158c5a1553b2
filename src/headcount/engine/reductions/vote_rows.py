"""Rows of votes: items of which the same classifiers said the same, counted together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from headcount.data.canonical import recoded, sorted_vocabulary
from headcount.data.labels import Labels, without_raters
from headcount.engine.engines.base import Rows
from headcount.engine.engines.parts import ALL, added, together
from headcount.engine.ratings.duplicates import repeats
from headcount.engine.ratings.rated import Rated
from headcount.errors import DataError, count, option
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["FEWEST", "TooManyRowsError", "count_votes", "memory_option"]

BITS = 62
"""Bits of a whole number that are used, of 64."""
MOST_NUMBERS = 16
"""Whole numbers that the votes on an item may take while items are grouped."""
FEWEST = 10
"""Classifiers from which on votes may be gone over in parts: of fewer, what they have in common
tells more than what each says."""
MOST_APART = 100_000
"""Items that may be named in a query."""
_BYTES, _BYTES_A_LABEL = 120, 40
"""Memory that a vote of a row takes while methods run, about: and for each label that there is."""


class TooManyRowsError(DataError):
    """Votes cannot be counted by who said what, for there are too many ways."""


def count_votes(
    rated: Rated, *, apart: Collection[str], memory: int, enough: int, repeated: bool = False
) -> Labels:
    """Count items by who said what of them, in the database.

    The votes on an item are the digits of a few whole numbers: one digit for each classifier and
    label, which counts the votes. So items are grouped once, by adding up, and their numbers a
    second time. O(votes), and O(rows) comes back.

    Parameters
    ----------
    rated : Rated
    apart : collection of str
        Items that stay rows of their own, by name: those with gold.
    memory : int
        Bytes that methods may take with what comes back.
    enough : int
        Bytes that would hold all votes one by one, for messages.
    repeated : bool
        Whether a classifier may vote on an item several times, and each vote counts.

    Raises
    ------
    TooManyRowsError
        If classifiers, labels or rows are too many.
    DataError
        If nobody knows who voted, or if the items to keep apart are too many.
    """
    if rated.anonymous:
        raise without_raters(rated.source, "blind evaluation")
    digits = _Digits.of(rated, enough, repeated=repeated)
    if len(apart) > MOST_APART:
        raise DataError(
            f"{rated.source}: {count(len(apart), 'item')} with gold or crowd labels, and where "
            f"votes are counted {MOST_APART:,} may have them. Give fewer, or allow memory for "
            f"votes one by one ({memory_option(enough)})."
        )
    found = _rows(rated, digits, apart, memory, enough)
    name = found.get("name")
    names = np.full(len(found["items"]), None, dtype=object) if name is None else name
    item, who, label = digits.votes(found)
    item_times = found["items"].astype(np.int64)
    times = item_times[item]
    if int(times.sum()) != rated.n_ratings:
        raise DataError(
            f"{rated.source}: {rated.engine.title} reads names of classifiers differently when it "
            f"counts. Read the votes into memory ({option('engine', 'memory')})."
        )
    notes = Notes(rated.notes)
    again = (item[1:] == item[:-1]) & (who[1:] == who[:-1])
    if again.any():
        notes.info(f"{repeats(int(times[1:][again].sum()))}; each counts as a vote of its own.")
    raters, place = sorted_vocabulary(digits.raters)
    return Labels(
        items=names,
        raters=raters,
        scale=rated.scale,
        item=item,
        rater=recoded(who, place),
        label=label,
        source=rated.source,
        notes=tuple(notes),
        sources=rated.sources,
        dropped=rated.dropped,
        backend=rated.backend,
        item_times=item_times,
        times=times,
    )


@dataclass(frozen=True)
class _Digits:
    """How votes are written into whole numbers.

    Parameters
    ----------
    raters : list of str
        Classifiers.
    literals : list of str
        How SQL writes them.
    n_labels : int
    bits : int
        Bits of a digit, which holds as many votes as any item has.
    """

    raters: list[str]
    literals: list[str]
    n_labels: int
    bits: int

    @classmethod
    def of(cls, rated: Rated, enough: int, *, repeated: bool) -> _Digits:
        """Ask who the classifiers are, and how often one may vote on an item."""
        engine, n_labels = rated.engine, len(rated.scale)
        too_many = (
            f"for items to be counted by who said what. Allow memory for votes one by one "
            f"({memory_option(enough)}), or leave out classifiers."
        )
        if (rated.n_raters or 1) * n_labels > MOST_NUMBERS * BITS:
            raise TooManyRowsError(
                f"{rated.source}: {count(rated.n_raters or 1, 'classifier')} and "
                f"{count(n_labels, 'label')} are too many {too_many}"
            )
        found = engine.rows(
            f"SELECT DISTINCT rater FROM ({rated.ratings}) AS ratings",
            what=f"classifiers in {rated.source}",
        )["rater"].tolist()
        made = cls(
            raters=[str(one) for one in found],
            literals=[
                str(one) if isinstance(one, int) else engine.dialect.literal(str(one))
                for one in found
            ],
            n_labels=n_labels,
            bits=_most_votes(rated).bit_length() if repeated else 1,
        )
        if made.n_numbers > MOST_NUMBERS:
            raise TooManyRowsError(
                f"{rated.source}: {count(made.n_raters, 'classifier')}, {count(n_labels, 'label')} "
                f"and repeated votes are too many {too_many}"
            )
        return made

    @property
    def n_raters(self) -> int:
        """Number of classifiers."""
        return len(self.raters)

    @property
    def in_one(self) -> int:
        """Digits of one number."""
        return BITS // self.bits

    @property
    def n_numbers(self) -> int:
        """Numbers that hold all digits."""
        return -(-self.n_raters * self.n_labels // self.in_one)

    @property
    def names(self) -> list[str]:
        """Columns of the numbers."""
        return [f"v{n}" for n in range(self.n_numbers)]

    def grouped(self, rated: Rated, where: str = ALL) -> str:
        """Write the SELECT of one row an item, with its numbers; of items that meet a condition."""
        dialect = rated.engine.dialect
        first = " ".join(
            f"WHEN {literal} THEN {place * self.n_labels}"
            for place, literal in enumerate(self.literals)
        )
        numbers = list[str]()
        for n, name in enumerate(self.names):
            one = dialect.bit.format(f"CAST({self.bits} * (digit - {n * self.in_one}) AS INTEGER)")
            if self.n_numbers > 1:
                ends = f"{n * self.in_one} AND {(n + 1) * self.in_one - 1}"
                one = f"CASE WHEN digit BETWEEN {ends} THEN {one} END"
            numbers.append(f"CAST(coalesce(sum({one}), 0) AS BIGINT) AS {name}")
        return (
            f"SELECT item, {', '.join(numbers)} FROM (SELECT item, CASE rater {first} END + label "
            f"AS digit FROM ({rated.every}) AS every WHERE {where}) AS digits GROUP BY item"
        )

    def votes(self, found: Rows) -> tuple[Codes, Codes, Codes]:
        """Read rows, classifiers and labels of votes out of the numbers, in this order."""
        n_digits = self.n_raters * self.n_labels
        keys: list[Codes] = []
        for digit in range(n_digits):
            number, place = divmod(digit, self.in_one)
            times = found[f"v{number}"] >> (self.bits * place) & (2**self.bits - 1)
            row = np.flatnonzero(times)
            keys.append(np.repeat(row * n_digits + digit, times[row]))
        key = np.concatenate(keys)
        key.sort()
        row, digit = np.divmod(key, n_digits)
        return (row, *np.divmod(digit, self.n_labels))


def _most_votes(rated: Rated) -> int:
    """Find how many votes an item has at most: no classifier voted on it more often."""
    rows = rated.rows

    def most(where: str) -> str:
        counted = (
            f"SELECT item, count(*) AS n FROM ({rated.every}) AS every WHERE label IS NOT NULL AND "
            f"{where} GROUP BY item"
        )
        return f"SELECT coalesce(max(n), 0) AS n FROM ({counted}) AS counted"

    found = rows.within_memory(
        lambda: rated.engine.fetch(together(rows.grouped("votes_of_items", most)))
    )
    return int(found["n"].max())


def _rows(rated: Rated, digits: _Digits, apart: Collection[str], memory: int, enough: int) -> Rows:
    """Group items by their numbers; those with a name to keep are rows of their own."""
    size = digits.n_raters * (_BYTES + _BYTES_A_LABEL * digits.n_labels)
    dialect = rated.engine.dialect
    keys = ", ".join(digits.names)
    named = ""
    if apart:
        size *= 2  # what is learned from gold takes as much again
        text = dialect.text.format("item")
        listed = ", ".join(map(dialect.literal, sorted(apart)))
        named = f", CASE WHEN {text} IN ({listed}) THEN {text} END AS name"
        keys = f"{keys}, name"

    def counted(where: str) -> str:
        voted = digits.grouped(rated, where)
        return (
            f"SELECT {keys}, count(*) AS items FROM (SELECT *{named} FROM ({voted}) AS voted) AS "
            f"named GROUP BY {keys}"
        )

    def run() -> Rows:
        sql = added(rated.rows.grouped("voted", counted), keys, "items")

        def advice() -> str:
            rows = int(rated.engine.one(f"SELECT count(*) AS n FROM ({sql}) AS counted")["n"])
            needed = memory_option(min(rows * size, enough))
            return (
                f"There are {rows:,}: allow more memory ({needed}), leave out classifiers, or put "
                "labels into fewer groups."
            )

        return rated.engine.rows(
            sql,
            what=f"different rows of votes, who said what of an item, in {rated.source}",
            most=memory // size,
            # Without these, votes of a crowd are brought in parts.
            advice=advice if apart or digits.n_raters < FEWEST else "",
            error=TooManyRowsError,
        )

    return rated.rows.within_memory(run)


def memory_option(size: int) -> str:
    """Write the option that allows so many bytes."""
    return option("memory", f"{-(-size // 10**9)}GB")
