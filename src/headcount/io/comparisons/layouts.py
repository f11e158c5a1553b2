"""How a table lays comparisons out: which columns say who met, and who won."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from headcount.data.outcomes import plain_word
from headcount.data.vocabulary import MISSING, label_text
from headcount.errors import DataError, count, some
from headcount.io.comparisons.outcomes import STRAY, Pairs, read_outcomes
from headcount.io.comparisons.sides import find_sides, side_letters
from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role, find_roles, plain_name
from headcount.io.tables.table import Table
from headcount.io.values.answers import marked_answers
from headcount.io.values.cells import ids, values_of
from headcount.io.values.merges import spelt_as
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "SIDES",
    "Layout",
    "OneColumnEach",
    "Read",
    "Sides",
    "TwoScores",
    "WinnerAndLoser",
    "flags_of",
    "sides_of",
    "two_scores",
]

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
