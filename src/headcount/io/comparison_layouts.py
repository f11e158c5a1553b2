"""How a table lays comparisons out: which columns say who met, and who won."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from headcount.data.comparisons import BOTH_BAD, EXPECTED, plain_word, share_of
from headcount.data.vocabulary import MISSING, label_text, number_of
from headcount.errors import DataError, count, option, some
from headcount.io.opening import ids, values_of
from headcount.io.plain_values import marked_answers
from headcount.io.reading import Reading
from headcount.io.roles import find_role, find_roles, plain_name
from headcount.io.tables import Table
from headcount.io.values import FORMS, Several, spelt_as
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "find_sides",
    "own_and_other",
    "twins",
    "check_third",
    "Pairs",
    "ONE_OR_NONE",
    "Read",
    "Layout",
    "OneColumnEach",
    "WinnerAndLoser",
    "TwoScores",
    "two_scores",
    "Sides",
    "SIDES",
    "sides_of",
    "flags_of",
]


# Which columns hold the two items of a comparison, and how outcomes call them.

SIDE_ENDS = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"))
"""How names of two columns end, or begin, that hold the same of two sides."""
OWN = ("model", "system", "player", "team", "candidate", "item", "challenger", "method", "name")
OTHERS = ("opponent", "baseline", "baseline_model", "opponent_model", "reference_model", "versus")
"""What an item is called, and what it was compared with, where results are its own."""
_TIES = {"draw": 0.5, "tie": 0.5, "d": 0.5, "t": 0.5}
_LETTERS: dict[str, dict[str, float]] = {
    "home": {"home": 1, "h": 1, "away": 0, "a": 0, "visitor": 0, **_TIES},
    "white": {"white": 1, "w": 1, "black": 0, "b": 0, **_TIES},
}
"""Words for outcomes of which one letter may be that of another side, by the name of the left."""
_OWN_RESULTS = {
    **dict.fromkeys(("win", "won", "w", "wins"), 1.0),
    **dict.fromkeys(("loss", "lose", "lost", "l", "loses"), 0.0),
    **_TIES,
}


def find_sides(table: Table, given: Mapping[str, str | None]) -> dict[str, int]:
    """Columns of the two items: those named, those that are called so, or the only two alike."""
    sides = {role: given[role] for role in ("left", "right")}
    roles = find_roles(table, sides)
    if roles or any(sides.values()):
        return roles
    if (both := own_and_other(table.names)) is not None:
        return dict(zip(("left", "right"), both, strict=True))
    # Lengths or scores of both sides are no items, nor are conversations.
    flat = [pair for pair in twins(table.names) if not {*pair} & {*table.nested()}]
    pairs = [pair for pair in flat if table.numbers(pair[0])[1].any()]
    return dict(zip(("left", "right"), pairs[0], strict=True)) if len(pairs) == 1 else {}


def own_and_other(names: Sequence[str]) -> tuple[int, int] | None:
    """Columns of an item and of what it was compared with, by their names: player, opponent."""
    plain = [plain_name(name) for name in names]
    own = next((plain.index(name) for name in OWN if name in plain), None)
    other = next((plain.index(name) for name in OTHERS if name in plain), None)
    return None if own is None or other is None else (own, other)


def twins(names: Sequence[str]) -> list[tuple[int, int]]:
    """Find columns of two sides, by their names.

    Examples
    --------
    >>> twins(["id", "candidate_a", "candidate_b", "left_video", "right_video", "winner"])
    [(1, 2), (3, 4)]
    """
    plain = [re.sub(r"(?<=[a-z])(?=[12]$)", "_", plain_name(name)) for name in names]
    place = {name: column for column, name in enumerate(plain)}
    found: list[tuple[int, int]] = []
    for column, name in enumerate(plain):
        for one, other in SIDE_ENDS:
            for form in ("_{}", "{}_"):
                end, its = form.format(one), form.format(other)
                begins = form[0] == "{"
                if not (name.startswith(end) if begins else name.endswith(end)):
                    continue
                stem = name.removeprefix(end) if begins else name.removesuffix(end)
                twin = its + stem if begins else stem + its
                if stem and twin in place:
                    found.append((column, place[twin]))
    return found


def check_third(table: Table, left: int, given: Mapping[str, str | None]) -> None:
    """Refuse a column for a third item beside those of two, unless these are named."""
    plain = [plain_name(name) for name in table.names]
    stem, end = plain[left][:-1], plain[left][-1:]
    third = f"{stem}{ {'a': 'c', '1': '3'}.get(end) }"
    if not stem or third not in plain or (given["left"] and given["right"]):
        return
    raise DataError(
        f"{table.source}: column '{table.names[plain.index(third)]}' holds a third item. Of three "
        "or more, say which is best, in columns item1, item2, ... and best; or name the two that "
        f"were compared with {option('left', '...')} and {option('right', '...')}."
    )


def side_letters(left: str, right: str) -> dict[str, float]:
    """How outcomes may call the sides, by the names of their columns; the left item's share.

    Examples
    --------
    >>> side_letters("HomeTeam", "AwayTeam")["a"], side_letters("model", "baseline")["win"]
    (0, 1.0)
    """
    if plain_name(right) in OTHERS:
        return _OWN_RESULTS
    found = [words for name, words in _LETTERS.items() if left.lower().startswith(name)]
    return found[0] if found else {}


# Who won: the ways in which one column of outcomes says it.

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
        """Say which side 0 and 1 are, where nothing but ties lies between them."""
        won = {number_of(text) for text in pairs.used if share_of(text) != 0.5}
        return ONE_OR_NONE if won <= {0, 1} else self.title


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


# How a table lays comparisons out: which columns say who met, and who won.

YES, NO = frozenset({"1", "true", "yes", "t", "y"}), frozenset({"0", "false", "no", "f", "n"})
"""How a column says that something is so, or not."""
LONG_TEXT = 4
"""Words from which on an outcome is a text."""
SKIPPED = ("skip", "skipped", "Skip", "Skipped", "ignore", "ignored", "SKIP")
"""How it is written that a rater gave no answer."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """Comparisons as they stand in a table.

    Parameters
    ----------
    left, right : (rows,) arrays of int
        Places in `items`; -1 where there is none.
    items : list of str
    share : (rows,) array of float
        Of the point that goes to the left item; NaN where it is not known.
    kind : str
        What the outcome is, for a note.
    both_bad : int
        Ties in which neither is any good.
    stray : (rows,) array of bool
        Rows that cannot be read and are left out.
    stray_reason, stray_note : str
        Why they are, in a word, and in a sentence.
    row : (comparisons,) array of int or None
        The row that each comparison is of, where a row may hold several; `left`, `right`, `share`
        and `stray` are then of comparisons too.
    ranking : (comparisons,) array of int or None
        The ranking that each comparison is of.
    dropped : mapping of str to int
        Rows that hold no comparison, by reason.
    """

    left: Codes
    right: Codes
    items: list[str]
    share: Floats
    kind: str
    both_bad: int
    stray: Flags
    stray_reason: str = STRAY
    stray_note: str = ""
    row: Codes | None = None
    ranking: Codes | None = None
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])


class Layout(ABC):
    """A way to lay comparisons out. To read another, write one such class and list it.

    Attributes
    ----------
    needed : tuple of str
        Roles that columns must play.
    is_ranking : bool
        Whether a row, or several, put more than two items in order.
    counts : bool
        Whether a row says how often each of its items won.
    """

    needed: tuple[str, ...]
    is_ranking: ClassVar[bool] = False
    counts: ClassVar[bool] = False

    @abstractmethod
    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Columns by role, with those that the user named; None if this is another layout."""

    @abstractmethod
    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Read the comparisons."""


class OneColumnEach(Layout):
    """Two items, and a column of 0 and 1 for each result, as the one-hot files of Arena have."""

    needed = ("left", "right", "left wins", "right wins")
    names: ClassVar[dict[str, tuple[str, ...]]] = {
        "left wins": ("a", "left", "1", "model_a", "item_a", "first"),
        "right wins": ("b", "right", "2", "model_b", "item_b", "second"),
        "tie": ("tie", "draw"),
        "both bad": ("tie_bothbad", "bothbad", "both_bad", "tie_both_bad", "neither"),
    }

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for columns winner_..., unless the outcome is said to be in one column."""
        if given["outcome"] is not None:
            return None
        sides = find_sides(table, given)
        if len(sides) < 2:
            return None
        plain = [re.sub(r"[\s.\-()]+", "_", name.lower()).strip("_") for name in table.names]
        own = {f"{side} wins": plain[column] for side, column in sides.items()}
        roles = dict(sides)
        for role, words in self.names.items():
            wanted = [f"winner_{word}" for word in (*filter(None, [own.get(role)]), *words)]
            place = next((plain.index(name) for name in wanted if name in plain), None)
            if place is not None:
                roles[role] = place
        return roles if "left wins" in roles and "right wins" in roles else None

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Read the result that is marked in each row; rows without a mark have no outcome."""
        left, right, items = sides_of(table, roles["left"], roles["right"], reading, notes)
        results = [role for role in self.names if role in roles]
        marks = np.stack([flags_of(table, roles[role], reading, notes) for role in results])
        several = np.flatnonzero(marks.sum(axis=0) > 1)
        if len(several):
            row = int(several[0])
            both = [
                table.names[roles[r]]
                for r, mark in zip(results, marks[:, row], strict=True)
                if mark
            ]
            raise DataError(
                f"{table.at(row)}: {some(both)} are all 1. Keep one result a row "
                f"({count(len(several), 'row')} like it)."
            )
        worth = {"left wins": 1.0, "right wins": 0.0}
        share = np.full(table.rows, np.nan)
        for role, mark in zip(results, marks, strict=True):
            share[mark] = worth.get(role, 0.5)
        bad = "both bad" in results
        return Read(
            left=left,
            right=right,
            items=items,
            share=share,
            kind="the column that is 1",
            both_bad=table.sources_rows(marks[results.index("both bad")]) if bad else 0,
            stray=np.zeros(table.rows, dtype=bool),
        )


class WinnerAndLoser(Layout):
    """The winner and the loser, and perhaps a column that marks ties."""

    needed = ("winner", "loser")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for both columns, where none is said to be a side or the outcome."""
        if any(name is not None for name in given.values()):
            return None
        roles = find_roles(table, dict.fromkeys((*self.needed, "tie")))
        sides = [find_role(table.names, role) for role in ("left", "right")]
        return None if None not in sides or not {*self.needed} <= roles.keys() else roles

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Put the winner on the left."""
        _check_cells(table, roles)
        left, right, items = sides_of(table, roles["winner"], roles["loser"], reading, notes)
        _check_texts(table, roles, items)
        share = np.ones(table.rows)
        if "tie" in roles:
            share[flags_of(table, roles["tie"], reading, notes)] = 0.5
        return Read(
            left=left,
            right=right,
            items=items,
            share=share,
            kind="a win, so that the sides on which items were shown are not known",
            both_bad=0,
            stray=np.zeros(table.rows, dtype=bool),
        )


def _check_cells(table: Table, roles: Mapping[str, int]) -> None:
    """Refuse conversations in place of who led them."""
    nested = [table.names[roles[role]] for role in WinnerAndLoser.needed
              if roles[role] in table.nested()]  # fmt: skip
    if nested:
        raise DataError(
            f"{table.source}: cells of {some(nested)} are lists or records, such as conversations, "
            "which are no names of items. Give a column for what wrote each of them: "
            "chosen_model and rejected_model."
        )


def _check_texts(table: Table, roles: Mapping[str, int], items: list[str]) -> None:
    """Refuse answers in place of who gave them: texts of which none comes again."""
    names = [table.names[roles[role]] for role in WinnerAndLoser.needed]
    if {*map(plain_name, names)} & {"chosen", "rejected"} and len(items) == 2 * table.rows > 2:
        raise DataError(
            f"{table.source}: {some(names)} hold {len(items):,} texts, of which none comes again, "
            "so that nothing can be rated. Give a column for what wrote each of them: "
            "chosen_model and rejected_model."
        )


class TwoScores(Layout):
    """A left and a right item, and a number for each, of which the higher wins."""

    needed = ("left", "right", "left score", "right score")
    names: ClassVar[tuple[tuple[str, str], ...]] = tuple(
        (form.format(a), form.format(b))
        for form in ("score_{}", "{}_score", "rating_{}", "{}_rating", "points_{}", "{}_points")
        for a, b in (("a", "b"), ("1", "2"), ("left", "right"), ("home", "away"))
    )

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a number of each side, where no column is called the outcome."""
        if given["outcome"] is not None:
            return None
        roles = find_sides(table, given)
        plain = [plain_name(name) for name in table.names]
        pair = next((pair for pair in self.names if {*pair} <= {*plain}), None)
        outcome = find_role(table.names, "outcome")
        if len(roles) < 2 or pair is None:
            return None
        places = dict(zip(("left score", "right score"), map(plain.index, pair), strict=True))
        said = outcome is not None and outcome not in places.values()
        return None if said else roles | places

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Let the higher number win; equal ones tie."""
        left, right, items = sides_of(table, roles["left"], roles["right"], reading, notes)
        scores = [table.only_numbers(roles[role]) for role in ("left score", "right score")]
        share = 0.5 + 0.5 * np.sign(scores[0] - scores[1])
        return Read(
            left=left,
            right=right,
            items=items,
            share=share,
            kind="the higher of two numbers",
            both_bad=0,
            stray=np.zeros(table.rows, dtype=bool),
        )


def two_scores(table: Table) -> bool:
    """Whether a table has a number for each of two sides."""
    return TwoScores().find(table, dict.fromkeys(("left", "right", "outcome"))) is not None


class Sides(Layout):
    """A left and a right item, and a column that says who won."""

    needed = ("left", "right", "outcome")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for the three columns by name."""
        return find_sides(table, given) | find_roles(table, {"outcome": given["outcome"]})

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Read the outcomes in the way in which they are written."""
        left, right, items = sides_of(table, roles["left"], roles["right"], reading, notes)
        skipped = [word for word in SKIPPED if word not in items]
        reading = replace(reading, missing=(*reading.missing, *skipped))
        outcome, texts = values_of(table, roles["outcome"], reading, role="outcome", notes=Notes())
        if any(map(_is_long, texts)) and (said := marked_answers(texts)) is not None:
            notes.caution(f"{table.source}: of outcomes in a text, what is marked is read.")
            texts = [f"[[{one}]]" for one in said]  # of which C is a tie
        names = table.names[roles["left"]], table.names[roles["right"]]
        # Names of winners may be spelt otherwise than those of items, if that is said to be so.
        alike = spelt_as(texts, items, reading.merge) if reading.merge else {}
        pairs = Pairs(
            left=left,
            right=right,
            items=items,
            outcome=outcome,
            texts=[alike.get(text, text) for text in texts],
            sides={plain_word(names[0]): 1.0, plain_word(names[1]): 0.0},
            letters=side_letters(*names),
        )
        read = read_outcomes(table, roles["outcome"], pairs)
        note = ""
        if read.stray.any():
            row = int(np.flatnonzero(read.stray)[0])
            cell, text = table.at(row, roles["outcome"]), texts[int(outcome[row])]
            note = (
                f"{cell}: winner '{text}' is neither "
                f"'{items[int(left[row])]}' nor '{items[int(right[row])]}'; "
                f"{count(table.sources_rows(read.stray), 'such comparison')} left out."
            )
        return Read(
            left=left,
            right=right,
            items=items,
            share=read.share,
            kind=read.kind,
            both_bad=read.both_bad,
            stray=read.stray,
            stray_note=note,
        )


SIDES = Sides()


def _is_long(text: str) -> bool:
    """Whether an outcome is no word or name, but a text that has one in it."""
    return len(text.split()) > LONG_TEXT


def sides_of(
    table: Table, one: int, other: int, reading: Reading, notes: Notes
) -> tuple[Codes, Codes, list[str]]:
    """Code both columns of items with one vocabulary."""
    left, texts = table.codes(one)
    right, others = table.codes(other)
    if _are_floats(texts) != _are_floats(others):
        # Numbers of a column in which one was missing are written 1.0 by libraries.
        texts, others = list(map(label_text, texts)), list(map(label_text, others))
    place = {text: code for code, text in enumerate(texts)}
    recode = np.array([place.setdefault(text, len(place)) for text in others] + [MISSING])
    codes, items = ids(
        (np.concatenate([left, recode[right]]), list(place)),
        reading,
        role="item",
        table=table,
        notes=notes,
    )
    return codes[: len(left)], codes[len(left) :], items


def _are_floats(texts: Sequence[str]) -> bool:
    """Whether all are whole numbers that are written with a fraction."""
    return bool(texts) and all(text.endswith(".0") and text[:-2].isdecimal() for text in texts)


def flags_of(table: Table, column: int, reading: Reading, notes: Notes) -> Flags:
    """Read a column of 0 and 1, or of yes and no; a blank is no."""
    codes, texts = values_of(table, column, reading, role="result", notes=notes)
    plain = [text.removesuffix(".0").lower() for text in texts]
    for code, text in enumerate(plain):
        if text not in YES and text not in NO:
            row = int(np.argmax(codes == code))
            raise DataError(
                f"{table.at(row, column)}: expected 0 or 1, found '{texts[code]}'. Correct it, or "
                "leave it blank."
            )
    return np.array([*(text in YES for text in plain), False])[codes]
