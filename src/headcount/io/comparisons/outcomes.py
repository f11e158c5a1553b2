"""Who won: the ways in which one column of outcomes says it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from headcount.data.outcomes import BOTH_BAD, EXPECTED, plain_word, share_of
from headcount.data.vocabulary import MISSING, label_text, number_of
from headcount.errors import DataError, option
from headcount.io.tables.table import Table
from headcount.io.values.merges import FORMS, spelt_as
from headcount.io.values.option_list import Several
from headcount.typing import Codes, Flags, Floats

__all__ = ["ONE_OR_NONE", "WAYS", "Outcomes", "Pairs", "Way", "read_outcomes"]

STRAY = "winner not in pair"
"""Why a comparison is left out whose winner was not compared."""
MOST_STRAY = 0.5
"""Share of winners that were not compared from which on the column is not one of winners."""


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """The items of each row, coded with one vocabulary, and the column that says who won.

    Parameters
    ----------
    left, right : (rows,) arrays of int
        -1 where there is none.
    items : sequence of str
    outcome : (rows,) array of int
        Place in `texts`; -1 where there is none.
    texts : sequence of str
        Outcomes as they are written.
    sides : dict of str to float
        Names of the columns of the two items, and the left item's share if it is named.
    letters : mapping of str to float
        Words for outcomes, which are read so if all are among them.
    """

    left: Codes
    right: Codes
    items: Sequence[str]
    outcome: Codes
    texts: Sequence[str]
    sides: dict[str, float]
    letters: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def whole(self) -> Flags:
        """Rows that compare two items and say who won."""
        both = (self.left >= 0) & (self.right >= 0) & (self.left != self.right)
        return both & (self.outcome >= 0)

    @property
    def used(self) -> list[str]:
        """Outcomes of the rows that count."""
        codes: list[int] = np.unique(self.outcome[self.whole]).tolist()
        return [self.texts[code] for code in codes]

    def by_text(self, shares: Sequence[float]) -> Floats:
        """Follow the outcomes of rows to what each text stands for."""
        return np.array([*shares, np.nan], dtype=np.float64)[self.outcome]


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """Outcomes of the rows, and how they were written.

    Parameters
    ----------
    share : (rows,) array of float
        Of the point that goes to the left item; NaN where nobody knows.
    kind : str
        What a note calls the way.
    both_bad : int
        Ties in which neither is any good.
    stray : (rows,) array of bool
        Rows that are left out because their winner was not compared.
    """

    share: Floats
    kind: str
    both_bad: int
    stray: Flags


class Way(ABC):
    """A way to write who won. To read another, write one such class and put it into the list."""

    title: str
    """What a note calls it."""
    meaning: str
    """What one of them may be, for a message."""

    @abstractmethod
    def shares(self, pairs: Pairs) -> Floats:
        """Left item's share of the point in each row; NaN where the outcome is no such thing."""

    def told(self, pairs: Pairs) -> str:
        """Say what the outcome is."""
        return self.title


class Words(Way):
    """left, right or tie, in one of the words for them; or the name of the winner's column."""

    title = "left, right or tie"
    meaning = "a side"

    def shares(self, pairs: Pairs) -> Floats:
        """Read words; numbers are none, nor are names of items."""
        known = set(pairs.items)
        words = {plain_word(text) for text in pairs.used}
        sides = dict(pairs.letters) if words <= {*pairs.letters} else pairs.sides
        shares = [self._share(text, sides, known) for text in pairs.texts]
        if words == {"a", "b", "c"} and not words & {name.lower() for name in known}:
            # A judge who may say A, B, or C for a tie.
            shares = [0.5 if plain_word(t) == "c" else s
                      for t, s in zip(pairs.texts, shares, strict=True)]  # fmt: skip
        return pairs.by_text(shares)

    def _share(self, text: str, sides: dict[str, float], items: set[str]) -> float:
        if number_of(text) is not None or text in items:
            return np.nan  # an item may be called a, or tie
        share = sides.get(plain_word(text), share_of(text))
        return np.nan if share is None else share


ONE_OR_NONE = "1 where the left item won and 0 where the right one did"


class Shares(Way):
    """The left item's share of the point, beside words for a tie."""

    title = "the left item's share of the point"
    meaning = "a share of the point"

    def shares(self, pairs: Pairs) -> Floats:
        """Read numbers from 0 to 1; a word for a tie may stand among them."""
        read = [number_of(text) for text in pairs.texts]
        if not any(number is not None for number in read):
            return np.full(len(pairs.outcome), np.nan)
        words = [share_of(text) for text in pairs.texts]
        return pairs.by_text([_within(one, 0, 1) for one in words])

    def told(self, pairs: Pairs) -> str:
        """Say which side 0 and 1 are, where there is nothing between them."""
        if {number_of(text) for text in pairs.used} == {0, 1}:
            return ONE_OR_NONE
        return self.title


class Preferences(Way):
    """1 for the first and 2 for the second, and what lies between, as AlpacaEval writes them."""

    title = "1 for the left and 2 for the right item"
    meaning = "the number of a side"

    def shares(self, pairs: Pairs) -> Floats:
        """Read numbers from 1 to 2; 1.5 is a tie, and so is 0 in old files of AlpacaEval."""
        numbers = [_within(number_of(text), 1, 2) for text in pairs.texts]
        shares = [2 - number for number in numbers]
        if any(side.lower().startswith("generator") for side in pairs.sides):
            old = [number_of(text) == 0 for text in pairs.texts]
            shares = [0.5 if zero else one for zero, one in zip(old, shares, strict=True)]
        ties = [_tie_in_words(text) for text in pairs.texts]
        return pairs.by_text([0.5 if tie else one for tie, one in zip(ties, shares, strict=True)])

    def told(self, pairs: Pairs) -> str:
        """Say what lies between, where something does."""
        between = any(1 < (number_of(text) or 0) < 2 for text in pairs.used)
        return f"{self.title}, numbers between them shares" if between else self.title


class Winners(Way):
    """The winner's name, or a word for a tie."""

    title = "the winner's name"
    meaning = "the name of an item"

    def shares(self, pairs: Pairs) -> Floats:
        """Compare names with those of the two items."""
        place = {label_text(name): code for code, name in enumerate(pairs.items)}
        codes = [place.get(label_text(text), MISSING) for text in pairs.texts]
        winner = np.array([*codes, MISSING])[pairs.outcome]
        named = (winner >= 0) & ((winner == pairs.left) | (winner == pairs.right))
        if not named[pairs.whole].any():
            return np.full(len(pairs.outcome), np.nan)
        tie = np.array([*(_tie_in_words(text) for text in pairs.texts), False])[pairs.outcome]
        share = np.where(tie, 0.5, np.nan)
        return np.where(named, (winner == pairs.left).astype(np.float64), share)


WORDS, SHARES, PREFERENCES, WINNERS = Words(), Shares(), Preferences(), Winners()
WAYS: tuple[Way, ...] = (WORDS, SHARES, PREFERENCES, WINNERS)
"""Ways to write outcomes; where several fit, they must say the same."""


def read_outcomes(table: Table, column: int, pairs: Pairs) -> Outcomes:
    """Read a column of outcomes in the one way in which all rows can be."""
    whole = pairs.whole
    read = {way: way.shares(pairs) for way in WAYS}
    fitting = [way for way, share in read.items() if not np.isnan(share[whole]).any()]
    stray = np.zeros(len(whole), dtype=bool)
    if not fitting:
        stray = _stray(table, read, pairs)
        if stray is None:
            raise _unread(table, column, pairs, read)
        fitting = [WINNERS]
    first = read[fitting[0]]
    for way in fitting[1:]:
        differs = np.flatnonzero(whole & (read[way] != first))
        if len(differs):
            raise _ambiguous(table, column, pairs, int(differs[0]), (fitting[0], way))
    items = set(pairs.items)
    words = [plain_word(text) in BOTH_BAD and text not in items for text in pairs.texts]
    bad = np.array([*words, False])[pairs.outcome]
    # What is said of an item and itself, or of one item alone, is left out for that alone.
    share = np.where(whole | stray, first, 0.5)
    return Outcomes(
        share=np.where(pairs.outcome < 0, np.nan, share),
        kind=fitting[0].told(pairs),
        both_bad=table.sources_rows(bad & whole),
        stray=stray,
    )


def _stray(table: Table, read: dict[Way, Floats], pairs: Pairs) -> Flags | None:
    """Rows of a column of winners whose winner was not compared; None if it is no such column.

    A word that comes again and again is no slip, but a word for something.
    """
    whole = pairs.whole
    stray = whole & np.isnan(read[WINNERS])
    if table.sources_rows(stray) >= MOST_STRAY * table.sources_rows(whole):
        return None
    items = {label_text(name) for name in pairs.items}
    codes: list[int] = np.unique(pairs.outcome[stray]).tolist()
    for code in codes:
        text = pairs.texts[code]
        again = table.sources_rows(stray & (pairs.outcome == code)) > 1
        if label_text(text) not in items and again:
            return None
    return stray


def _ambiguous(
    table: Table, column: int, pairs: Pairs, row: int, ways: tuple[Way, Way]
) -> DataError:
    text = pairs.texts[int(pairs.outcome[row])]
    meant = " or ".join(way.meaning for way in ways)
    return DataError(f"{table.at(row, column)}: '{text}' may be {meant}. Write left, right or tie.")


def _unread(table: Table, column: int, pairs: Pairs, read: dict[Way, Floats]) -> DataError:
    """Error for the first outcome that cannot be read, in the way in which most can."""
    whole = pairs.whole
    numbers = sorted({n for text in pairs.used if (n := number_of(text)) is not None})
    known = {label_text(item) for item in pairs.items}
    if any(label_text(text) in known for text in pairs.used):
        numbers = []  # names of items
    if len(numbers) > 2 and numbers[-1] in (2, 3) and set(numbers) <= {0, 1, 2, 3}:
        codes = [f"{number:g}" for number in numbers]
        return DataError(
            f"{table.source}, column '{table.names[column]}': {', '.join(codes[:-1])} and "
            f"{codes[-1]} may mean several things ({codes[0]} or {codes[-1]} a tie, or a side). "
            "Write left, right or tie."
        )
    if numbers and numbers[-1] > 0 and (numbers[0] < 0 or (numbers[-1] > 2 and len(numbers) > 2)):
        # Numbers on both sides of a middle; to leave one out would turn the rest around.
        return DataError(
            f"{table.source}, column '{table.names[column]}': numbers from {numbers[0]:g} to "
            f"{numbers[-1]:g} seem to say which item is better, and how much; which end is the "
            "left item is not known. Write left, right or tie."
        )
    most = max(WAYS, key=lambda way: int(np.sum(~np.isnan(read[way][whole]))))
    row = int(np.flatnonzero(whole & np.isnan(read[most]))[0])
    cell, text = table.at(row, column), pairs.texts[int(pairs.outcome[row])]
    other = spelt_as([text], list(pairs.items), [way.name for way in FORMS])
    if other:
        ways = [way.name for way in FORMS if spelt_as([text], list(pairs.items), [way.name])]
        return DataError(
            f"{cell}: winner '{text}' is spelt otherwise than the item '{other[text]}'. If they "
            f"are the same, say {option('merge', Several(ways or [way.name for way in FORMS]))}."
        )
    if most is WINNERS:
        left, right = pairs.items[int(pairs.left[row])], pairs.items[int(pairs.right[row])]
        return DataError(
            f"{cell}: winner '{text}' is neither '{left}' nor '{right}'. Correct it, write tie, or "
            f"leave it blank; if it means that there is no answer, say {option('missing', text)}."
        )
    return DataError(
        f"{cell}: outcome '{text}'. {EXPECTED} The winner's name will do as well, or 1 and 2 for "
        "the left and the right item. Leave it blank to leave the row out, or say "
        f"{option('missing', text)} if it means that there is no answer."
    )


def _within(number: float | None, least: float, most: float) -> float:
    return np.nan if number is None or not least <= number <= most else number


def _tie_in_words(text: str) -> bool:
    return number_of(text) is None and share_of(text) == 0.5
