"""How a table lays comparisons out: which columns say who met, and who won."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import shorten
from typing import ClassVar

import numpy as np

from headcount.data.comparisons import BOTH_BAD, EXPECTED, plain_word, share_of
from headcount.data.vocabulary import MISSING, label_text, number_of, number_text
from headcount.errors import DataError, count, either, option, some
from headcount.io.cells import yes_or_no
from headcount.io.opening import ids, values_of
from headcount.io.reading import Reading
from headcount.io.roles import ROLES, find_role, find_roles, plain_name
from headcount.io.tables import Table
from headcount.io.values import FORMS, Several, spelt_as
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = [
    "find_sides",
    "check_third",
    "Read",
    "Layout",
    "CountedWins",
    "WinnerAndLoser",
    "TwoScores",
    "Sides",
    "counts_of",
]


# Which columns hold the two items of a comparison, and how outcomes call them.

ENDS = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"))
"""What tells the columns of the two sides apart."""
THINGS = ("model", "system", "player", "team", "candidate", "item", "method", "option", "response")
"""What is compared."""


def find_sides(table: Table, given: Mapping[str, str | None]) -> dict[str, int]:
    """Columns of the two items: those that the caller names, or those with usual names.

    Examples
    --------
    >>> from headcount.io.tables import columns_of
    >>> table = columns_of({"candidate_a": ["x"], "candidate_b": ["y"], "best": ["x"]}, "data")
    >>> find_sides(table, {"left": None, "right": None})
    {'left': 0, 'right': 1}
    """
    named = {role: given[role] for role in ("left", "right")}
    roles = find_roles(table, named)
    if len(roles) == len(named) or any(named.values()):
        return roles
    plain = [plain_name(name) for name in table.names]
    forms = [form.format(thing, "{}") for thing in THINGS for form in ("{}_{}", "{}{}")]
    forms += [f"{{}}_{thing}" for thing in THINGS]
    pairs = [(form.format(a), form.format(b)) for form in forms for a, b in ENDS]
    pair = next((pair for pair in pairs if {*pair} <= {*plain}), None)
    return roles if pair is None else dict(zip(named, map(plain.index, pair), strict=True))


def columns_of_sides(
    table: Table, given: Mapping[str, str | None], forms: Sequence[str], roles: Sequence[str]
) -> dict[str, int] | None:
    """Columns of the two items, and of something else of each, such as wins_a and wins_b.

    `forms` are what these are called around the name of a side, and `roles` what all four are.
    """
    plain = [plain_name(name) for name in table.names]
    sides = find_sides(table, given)
    own = [tuple(plain[column] for column in sides.values())] if len(sides) == 2 else []
    ends = (*own, *ENDS, ("home", "away"), ("white", "black"))
    pairs = [[form.format(side) for side in pair] for form in forms for pair in ends]
    pair = next((pair for pair in pairs if {*pair} <= {*plain}), None)
    if pair is None or not own:
        return None
    return dict(zip(roles, [*sides.values(), *map(plain.index, pair)], strict=True))


def check_third(table: Table, left: int, given: Mapping[str, str | None]) -> None:
    """Refuse a column for a third item beside those of two, unless these are named."""
    plain = [plain_name(name) for name in table.names]
    stem, end = plain[left][:-1], plain[left][-1:]
    third = f"{stem}{ {'a': 'c', '1': '3'}.get(end) }"
    if stem and third in plain and not (given["left"] and given["right"]):
        raise DataError(
            f"{table.source}: column '{table.names[plain.index(third)]}' holds a third item. Of "
            "three or more, say which is best, in columns item1, item2, ... and best; or name the "
            f"two that were compared with {option('left', '...')} and {option('right', '...')}."
        )


# Who won: what the cells of an outcome column mean.

SHARE_NAMES = frozenset({
    "outcome", "score", "score_a", "win", "result", "ergebnis", "résultat", "resultat",
    "resultado", "risultato",
})  # fmt: skip
"""Columns whose numbers from 0 to 1 are the left item's share of the point. In others, such as
`winner` or `choice`, 0 and 1 may as well be the number of a side."""


@dataclass(frozen=True, kw_only=True)
class OutcomeColumn:
    """An outcome column, with the items of each row, coded with one vocabulary.

    Parameters
    ----------
    table : Table
    column : int
    left, right : (rows,) arrays of int
        -1 where there is none.
    items : sequence of str
    codes : (rows,) array of int
        Place in `texts`; -1 where there is none.
    texts : sequence of str
        Outcomes as they are written.
    sides : tuple of str
        Names of the columns of the two items.
    """

    table: Table
    column: int
    left: Codes
    right: Codes
    items: Sequence[str]
    codes: Codes
    texts: Sequence[str]
    sides: tuple[str, str]

    @cached_property
    def compared(self) -> Flags:
        """Rows that compare two items and say who won."""
        both = (self.left >= 0) & (self.right >= 0) & (self.left != self.right)
        return both & (self.codes >= 0)

    @cached_property
    def used(self) -> list[str]:
        """Outcomes of these rows, but for words for a tie."""
        codes: list[int] = np.unique(self.codes[self.compared]).tolist()
        return [self.texts[code] for code in codes if not is_tie(self.texts[code])]

    @cached_property
    def numbers(self) -> list[float]:
        """Numbers among them, in order."""
        return sorted({n for text in self.used if (n := number_of(text)) is not None})

    def by_text(self, shares: Sequence[float]) -> Floats:
        """Follow the outcomes of rows to what each text stands for."""
        return np.array([*shares, np.nan], dtype=np.float64)[self.codes]

    def fits(self, share: Floats) -> bool:
        """Whether all outcomes are read."""
        return not np.isnan(share[self.compared]).any()

    def rarest(self, rows: Flags) -> tuple[str, str, int]:
        """Cell, text and row, for a message, of the outcome that the fewest of some rows have."""
        among = np.flatnonzero(self.compared & rows)
        times = None if self.table.times is None else self.table.times[among]
        uses = np.bincount(self.codes[among], weights=times)
        row = int(among[np.argmin(uses[self.codes[among]])])
        text = self.texts[int(self.codes[row])]
        return self.table.at(row, self.column), shorten(text, 40, placeholder="..."), row


def is_tie(text: str) -> bool:
    """Whether an outcome is a word for a tie."""
    return number_of(text) is None and share_of(text) == 0.5


def read_outcomes(outcome: OutcomeColumn, *, shares: bool) -> tuple[Floats, str]:
    """Read what cells mean: the left item's share of the point in each row, and words for a note.

    A cell is the name of one of the two items; or a side or a tie in words; or a number: from 0 to
    1 the left item's share, from 1 to 2 the number of the side. What can be read in two ways, or
    in none, is refused. `shares` says that numbers from 0 to 1 are shares for sure.
    """
    meant, named = _by_grammar(outcome), _by_name(outcome)
    fits_names = outcome.fits(named)
    if not outcome.fits(meant):
        if not fits_names:
            raise _unread(outcome, meant, named)
        return named, "the winner's name"
    differs = outcome.compared & (meant != named)
    if fits_names and differs.any():
        cell, text, _ = outcome.rarest(differs)
        raise DataError(
            f"{cell}: '{text}' may be a result from 0 to 1, a side or the name of an item. "
            f"{_both_ends(outcome)} For winners' names, give items names that are not numbers."
        )
    numbers = outcome.numbers
    if not numbers:
        return meant, "left, right or tie"
    if numbers[-1] > 1:
        more = ", numbers between them shares" * any(1 < number < 2 for number in numbers)
        return meant, f"1 for the left and 2 for the right item{more}"
    degrees = not {*numbers} <= {0, 0.5, 1}
    if not shares and not fits_names:
        more = " To read degrees as shares of the point, call the column outcome." * degrees
        raise DataError(
            f"{outcome.table.source}, column '{outcome.table.names[outcome.column]}': 0 and 1 may "
            "be the number of a side (0 the first, as programs count), or 1 means that the "
            f"left item won. {_both_ends(outcome)}{more}"
        )
    return meant, "the left item's share of the point" if degrees else _two_ways("1", "0")


def _by_grammar(outcome: OutcomeColumn) -> Floats:
    """Read words and numbers; a word that is the name of an item is none."""
    items = set(outcome.items)
    left, right = outcome.sides
    words = {plain_word(left): 1, plain_word(right): 0}
    number_sides = max(outcome.numbers, default=0) > 1

    def share(text: str) -> float:
        number = number_of(text)
        if number is not None:
            share = 2 - number if number_sides else number
        else:
            share = None if text in items else words.get(plain_word(text), share_of(text))
        return np.nan if share is None or not 0 <= share <= 1 else share

    return outcome.by_text([share(text) for text in outcome.texts])


def _by_name(outcome: OutcomeColumn) -> Floats:
    """Read names of winners, and words for a tie."""
    codes = {label_text(name): code for code, name in enumerate(outcome.items)}
    winner = np.array([*(codes.get(label_text(t), MISSING) for t in outcome.texts), MISSING])
    winner = winner[outcome.codes]
    tie = outcome.by_text([0.5 if is_tie(text) else np.nan for text in outcome.texts])
    named = (winner >= 0) & ((winner == outcome.left) | (winner == outcome.right))
    return np.where(named, (winner == outcome.left).astype(np.float64), tie)


def _unread(outcome: OutcomeColumn, meant: Floats, named: Floats) -> DataError:
    """Error for the rarest outcome that cannot be read, with what would read the column."""
    items = [label_text(item) for item in outcome.items]
    in_words = outcome.by_text([float(number_of(text) is None) for text in outcome.texts]) > 0
    sides = outcome.compared & in_words & np.isnan(named) & ~np.isnan(meant)
    winners = outcome.compared & np.isnan(meant) & ~np.isnan(named)
    if sides.any() and winners.any():
        cell, text, _ = outcome.rarest(sides)
        return DataError(
            f"{cell}: '{text}' is a side, and other cells name the winner, such as "
            f"'{outcome.rarest(winners)[1]}'. Write one of the two everywhere."
        )
    names = np.isnan(named[outcome.compared]).sum() < np.isnan(meant[outcome.compared]).sum()
    cell, text, row = outcome.rarest(np.isnan(named if names else meant))
    ways = [way.name for way in FORMS if spelt_as([text], outcome.items, [way.name])]
    if ways:
        spelt = spelt_as([text], outcome.items, ways)[text]
        return DataError(
            f"{cell}: winner '{text}' is spelt otherwise than the item '{spelt}'. If they are the "
            f"same, add {option('merge', Several(ways))}."
        )
    none = f", or say {option('missing', text)} if it means that there is no answer"
    if names:
        left, right = outcome.items[outcome.left[row]], outcome.items[outcome.right[row]]
        return DataError(
            f"{cell}: winner '{text}' is neither '{left}' nor '{right}'. Correct it, write tie or "
            f"leave it blank{'' if label_text(text) in items else none}."
        )
    if len(outcome.numbers) > 1 and len(outcome.numbers) == len({*map(label_text, outcome.used)}):
        low, high = map(number_text, (outcome.numbers[0], outcome.numbers[-1]))
        return DataError(
            f"{cell}: outcome '{text}'. Numbers from {low} to {high} do not say at which end the "
            f"left item won. {_both_ends(outcome)} Correct slips, and write tie in place of a "
            "number that means it."
        )
    two = len({*map(plain_word, outcome.used)}) <= 2 and not (sides & (meant != 0.5)).any()
    advice = _both_ends(outcome) if two else f"Leave it blank to leave the row out{none}."
    return DataError(
        f"{cell}: outcome '{text}'. {EXPECTED[:-1]}; the winner's name; or 1 and 2 for the left "
        f"and the right item. {advice}"
    )


# Who won, where the caller says which value is a win of the left item.


def read_by_value(outcome: OutcomeColumn, first_wins: str) -> tuple[Floats, str]:
    """Read outcomes of which the caller says which is a win of the left item; ties are words.

    Of numbers, `first_wins` is an end of their scale, or both ends (``7:1``), the left item's
    first: nearer to it the left item won, in the middle is a tie, and degrees count as wins. Of
    words, it is one of two.
    """
    numbers = [number_of(value) for value in first_wins.split(":")]
    ends = [number for number in numbers if number is not None]
    if len(ends) < len(numbers) or not outcome.numbers:
        return _by_word(outcome, first_wins)
    low, high = sorted(ends) if len(ends) == 2 else scale_of(outcome.numbers)
    if len(ends) == 1 and _value_for(outcome, ends[0]) != number_text(ends[0]):
        raise DataError(
            f"{outcome.table.source}: {option('first_wins', first_wins)} is not clear among the "
            f"outcomes {some(outcome.used, 8)}. {_both_ends(outcome)}"
        )
    best, worst = (low, high) if ends[0] == low else (high, low)
    middle = (low + high) / 2

    def share(text: str) -> float:
        number = number_of(text)
        if number is None or not low <= number <= high:
            zero_ties = number == 0 and (low, high) == (1, 2)  # 1 and 2 are sides
            return 0.5 if is_tie(text) or zero_ties else np.nan
        nearer = np.sign((number - middle) * (best - middle))
        return 1.0 if number == best else float(0.5 + 0.5 * nearer)

    shares = outcome.by_text([share(text) for text in outcome.texts])
    if not outcome.fits(shares):
        cell, text, _ = outcome.rarest(np.isnan(shares))
        raise DataError(
            f"{cell}: outcome '{text}' is not a number from {low:g} to {high:g}. Correct it, write "
            f"tie, or say {option('missing', text)} if it means that there is no answer."
        )
    kind = _two_ways(f"{best:g}", f"{worst:g}")
    if not {*outcome.numbers} <= {low, high}:
        kind = f"on a scale, {kind}; {middle:g} is a tie, and degrees count as wins"
    return shares, kind


def _by_word(outcome: OutcomeColumn, first_wins: str) -> tuple[Floats, str]:
    """Read two words, one of which is a win of the left item."""
    used = {plain_word(text): text for text in outcome.used}
    first = plain_word(first_wins)
    if first not in used or len(used) > 2:
        raise DataError(
            f"{outcome.table.source}: {option('first_wins', first_wins)} must be one of two "
            f"outcomes, beside ties. They are {some(used.values(), 8)}. Write tie where neither "
            f"won; {option('missing', ...)} says which mean that there is no answer."
        )
    other = next((text for word, text in used.items() if word != first), "another outcome")
    shares = [1.0 if plain_word(text) == first else 0.5 if is_tie(text) else 0.0
              for text in outcome.texts]  # fmt: skip
    return outcome.by_text(shares), _two_ways(f"'{used[first]}'", f"'{other}'")


def _two_ways(left: str, right: str) -> str:
    return f"{left} where the left item won and {right} where the right one did"


def scale_of(numbers: Sequence[float]) -> tuple[float, float]:
    """Find the ends of the scale that numbers are on: around 0 where some are negative.

    Examples
    --------
    >>> scale_of([-1, 0]), scale_of([1]), scale_of([1, 4, 7])
    ((-1, 1), (0, 1), (1, 7))
    """
    low, high = numbers[0], numbers[-1]
    if low < 0:
        return min(low, -high), max(-low, high)
    return (0, 1) if high <= 1 else (low, high)


def _value_for(outcome: OutcomeColumn, end: float) -> str:
    """Write `first_wins` for an end of the scale: both ends where one would not be clear.

    It is not if the end was never used, if numbers begin above 1, or if three or more whole numbers
    have no middle, so that the scale may well go on.
    """
    numbers, ends = outcome.numbers, scale_of(outcome.numbers)
    whole = all(number.is_integer() for number in numbers)
    has_middle = not whole or len(numbers) < 3 or sum(ends) % 2 == 0
    if end in numbers and end in ends and has_middle and ends[0] <= 1:
        return number_text(float(end))
    return f"{end:g}:{ends[end == ends[0]]:g}"


def _both_ends(outcome: OutcomeColumn) -> str:
    """Name the option that says who won, with its value either way."""
    if outcome.numbers:
        values = [_value_for(outcome, end) for end in reversed(scale_of(outcome.numbers))]
    else:
        values = list({plain_word(text): text for text in outcome.used}.values())
    ways = [option("first_wins", value) for value in values]
    if {*outcome.numbers} == {0, 1, 2}:
        ways.append(f"{option('first_wins', '1:2')} if 1 and 2 are the sides and 0 is a tie")
    more = " (that one first); give other ends if the scale has others"
    more *= any(":" in value for value in values)
    return f"Say which one means that the left item won: {either(ways)}{more}."


# Layouts: which columns say who met, and who won.

RATES = "Rates do not say of how many comparisons they are."
MOST_COUNTED = 20_000_000
"""Wins of a column that are written out one by one."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """Comparisons as they stand in a table.

    Parameters
    ----------
    left, right : (comparisons,) arrays of int
        Places in `items`; -1 where there is none.
    items : list of str
    share : (comparisons,) array of float
        Of the point that goes to the left item; NaN where it is not known.
    kind : str
        What the outcome is, for a note.
    row : (comparisons,) array of int or None
        The row that each comparison is of; None if each row is one.
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


class CountedWins(Layout):
    """Two items, and how often each of them won, or a mark for the result, as Arena's files have.

    There may be columns for ties, too.
    """

    needed = ("left", "right", "left wins", "right wins")
    counts = True
    forms = ("{}_wins", "wins_{}", "{}_win", "win_{}", "n_wins_{}", "wins{}", "win{}", "winner_{}")
    points: ClassVar[dict[str, float]] = {"left wins": 1.0, "right wins": 0.0}
    ties = ("tie", "ties", "draw", "draws", "n_ties", "winner_tie", "winner_tie_bothbad")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a column of wins for each side, unless the outcome is in one column."""
        roles = columns_of_sides(table, given, self.forms, self.needed)
        if roles is None or given["outcome"] is not None:
            return None
        plain = [plain_name(name).replace("(", "").replace(")", "") for name in table.names]
        return roles | {name: plain.index(name) for name in self.ties if name in plain}

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Write out each row as often as it says; rows without a result have no outcome."""
        left, right, items = sides_of(table, roles["left"], roles["right"], reading, notes)
        results = {role: column for role, column in roles.items() if role not in ("left", "right")}
        counts = np.stack([counts_of(table, c, reading, notes) for c in results.values()])
        total = counts.sum(axis=0)
        marks = plain_name(table.names[roles["left wins"]]).startswith("winner_")
        if marks and total.max(initial=0) > 1:
            row = int(np.argmax(total > 1))
            names = some(table.names[column] for column in results.values())
            raise DataError(f"{table.at(row)}: more than one of {names} is 1. Keep one result.")
        counts = np.vstack([counts, total == 0])
        shares = [*(self.points.get(role, 0.5) for role in results), np.nan]
        row = np.concatenate([np.repeat(np.arange(table.rows), number) for number in counts])
        share = np.repeat(shares, counts.sum(axis=1))
        kind = "the column that is 1" if marks else "how often each side won"
        left, right = left[row], right[row]
        return Read(left=left, right=right, items=items, share=share, kind=kind, row=row)


class TwoScores(Layout):
    """A left and a right item, and a number for each, of which the higher wins."""

    needed = ("left", "right", "left score", "right score")
    forms = ("score_{}", "{}_score", "rating_{}", "{}_rating", "points_{}", "{}_points")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a number of each side, where no other column is called the outcome."""
        roles = columns_of_sides(table, given, self.forms, self.needed)
        outcome = find_role(table.names, "outcome")
        alone = roles and not given["outcome"] and outcome in (None, *roles.values())
        return roles if alone else None

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Let the higher number win; equal ones tie."""
        left, right, items = sides_of(table, roles["left"], roles["right"], reading, notes)
        scores = [table.only_numbers(roles[role]) for role in self.needed[2:]]
        share = 0.5 + 0.5 * np.sign(scores[0] - scores[1])
        kind = "the higher of two numbers"
        return Read(left=left, right=right, items=items, share=share, kind=kind)


class WinnerAndLoser(Layout):
    """The winner and the loser, and perhaps a column that marks ties."""

    needed = ("winner", "loser")

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for both columns by name, also where the caller names them as the two sides."""
        if given["outcome"] is not None:
            return None
        plain = [plain_name(name) for name in table.names]
        usual = [*zip(ROLES["winner"], ROLES["loser"], strict=True)]
        others = [(name, f"loser_{name[7:]}") for name in plain if name.startswith("winner_")]
        pairs = [pair for pair in dict.fromkeys([*usual, *others]) if {*pair} <= {*plain}]
        if given["left"] or given["right"]:
            named = find_roles(table, {"left": given["left"], "right": given["right"]})
            pairs = [pair for pair in pairs if [*map(plain.index, pair)] == [*named.values()]]
        elif None not in [find_role(table.names, role) for role in ("left", "right")]:
            return None
        elif len(pairs) > 1 and pairs[0] not in usual:
            named = [[table.names[plain.index(name)] for name in pair] for pair in pairs]
            ways = [f"{option('left', a)} with {option('right', b)}" for a, b in named]
            raise DataError(
                f"{table.source}: several columns of winners and losers: say {either(ways)}."
            )
        if not pairs:
            return None
        roles = dict(zip(self.needed, map(plain.index, pairs[0]), strict=True))
        return roles | find_roles(table, {"tie": None})

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Put the winner on the left."""
        left, right, items = sides_of(table, roles["winner"], roles["loser"], reading, notes)
        share = np.ones(table.rows)
        if "tie" in roles:
            share[counts_of(table, roles["tie"], reading, notes) > 0] = 0.5
        kind = "a win, so that the sides on which items were shown are not known"
        return Read(left=left, right=right, items=items, share=share, kind=kind)


@dataclass(frozen=True)
class Sides(Layout):
    """A left and a right item, and a column that says who won.

    Parameters
    ----------
    first_wins : str or None
        The outcome that is a win of the left item, if the caller says so.
    shares : bool
        Whether numbers from 0 to 1 are shares for sure, as in files without a header.
    """

    needed = ("left", "right", "outcome")
    first_wins: str | None = None
    shares: bool = False

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for the three columns by name."""
        return find_sides(table, given) | find_roles(table, {"outcome": given["outcome"]})

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Read the outcomes as the caller says, or by what cells mean."""
        left, right, items = sides_of(table, roles["left"], roles["right"], reading, notes)
        column = roles["outcome"]
        codes, texts = values_of(table, column, reading, role="outcome", notes=Notes())
        # Names of winners may be spelt otherwise than those of items, if that is said to be so.
        alike = spelt_as(texts, items, reading.merge) if reading.merge else {}
        outcome = OutcomeColumn(
            table=table,
            column=column,
            left=left,
            right=right,
            items=items,
            codes=codes,
            texts=[alike.get(text, text) for text in texts],
            sides=(table.names[roles["left"]], table.names[roles["right"]]),
        )
        if self.first_wins is not None:
            share, kind = read_by_value(outcome, self.first_wins)
        else:
            sure = self.shares or plain_name(table.names[column]) in SHARE_NAMES
            share, kind = read_outcomes(outcome, shares=sure)
        # What is said of an item and itself, or of one item alone, is left out for that alone.
        share = np.where((codes >= 0) & ~outcome.compared, 0.5, share)
        if any(plain_word(text) in BOTH_BAD and text not in items for text in texts):
            kind += "; 'both bad' is a tie"
        return Read(left=left, right=right, items=items, share=share, kind=kind)


# Cells of items, of marks and of counts.


def sides_of(
    table: Table, left: int, right: int, reading: Reading, notes: Notes
) -> tuple[Codes, Codes, list[str]]:
    """Code both columns of items with one vocabulary."""
    left_codes, left_texts = table.codes(left)
    right_codes, right_texts = table.codes(right)
    if _are_floats(left_texts) != _are_floats(right_texts):
        # Numbers of a column in which one was missing are written 1.0 by libraries.
        left_texts = list(map(label_text, left_texts))
        right_texts = list(map(label_text, right_texts))
    codes = {text: code for code, text in enumerate(left_texts)}
    recode = np.array([codes.setdefault(text, len(codes)) for text in right_texts] + [MISSING])
    both, items = ids(
        (np.concatenate([left_codes, recode[right_codes]]), list(codes)),
        reading,
        role="item",
        table=table,
        notes=notes,
    )
    return both[: len(left_codes)], both[len(left_codes) :], items


def _are_floats(texts: Sequence[str]) -> bool:
    """Whether all are whole numbers that are written with a fraction."""
    return bool(texts) and all(text.endswith(".0") and text[:-2].isdecimal() for text in texts)


def counts_of(
    table: Table, column: int, reading: Reading, notes: Notes, advice: str = RATES
) -> Ints:
    """Read how often something was so: whole numbers, or yes and no; a blank is none."""
    codes, texts = values_of(table, column, reading, role="result", notes=notes)
    said = {"yes": 1.0, "no": 0.0}
    counts = [said.get(yes_or_no(text), number_of(text)) for text in texts]
    for code, number in enumerate(counts):
        if number is None or number < 0 or number % 1:
            cell = table.at(int(np.argmax(codes == code)), column)
            raise DataError(
                f"{cell}: expected how often that was so, a whole number, found '{texts[code]}'. "
                f"Correct it, or leave it blank. {advice}"
            )
    read = np.array([*counts, 0], dtype=np.int64)[codes]
    if read.sum() > MOST_COUNTED:
        raise DataError(
            f"{table.source}, column '{table.names[column]}': "
            f"{count(int(read.sum()), 'comparison')}; up to {MOST_COUNTED:,} are read."
        )
    return read
