"""Values of a column: which mean that there is none, which are written in two ways, which rows."""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

import numpy as np

from headcount.data.vocabulary import label_text, number_of
from headcount.errors import DataError, closest, count, option, some
from headcount.io.roles import given_role
from headcount.io.table import Coded, Table
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats

__all__ = ["MERGES", "Merge", "Several", "SomeRows", "check_codes", "merged", "rows_where"]


class Several(list[str]):
    """Values to give to an option: a list in Python, with commas in a command."""

    def __str__(self) -> str:
        return ",".join(self)


# Values that stand for 'no answer' in surveys: 99 and the like.

HIGH_CODES = frozenset({66, 77, 88, 96, 97, 98, 99, 666, 777, 888, 996, 997, 998, 999, 9999, 99999})
DIGIT_CODES = frozenset({8, 9})
NEGATIVE_CODES = frozenset({-1, -7, -8, -9, -66, -77, -88, -97, -98, -99, -998, -999, -9999})
NO_ANSWER = frozenset(
    {
        "?", "??", "dk", "idk", "don't know", "dont know", "do not know", "i don't know",
        "i do not know", "not sure", "unsure", "can't tell", "cannot tell", "can't say", "skip",
        "skipped", "no answer", "no response", "not answered", "unanswered", "refused",
        "prefer not to say", "prefer not to answer", "missing", "blank", "not applicable",
        "unknown", "undecided", "x",
    }
)  # fmt: skip
"""Words for 'no answer', where the other labels are numbers."""
CODES = HIGH_CODES | DIGIT_CODES | NEGATIVE_CODES
LEAST_SHARE = 0.01
"""Share of ratings from which a value is common; below, two raters must use it."""
MOST_OTHERS, LEAST_NUMBERS = 2, 3
"""So few words beside so many numbers are no labels."""
LEAST_GAP = 10
LARGEST_SHORT_SCALE = 7
"""Scales that end at most here have 8 and 9 for 'no answer'."""
LEAST_USES = 3
"""Uses of a digit and of the end of the scale that make a gap between the two no accident."""


def check_codes(labels: Coded, raters: Codes | None, source: str, notes: Notes) -> None:
    """Refuse labels that look like codes for 'no answer', such as 99 on a scale of 1 to 5.

    Parameters
    ----------
    labels : codes and texts
    raters : array of int or None
        Who gave them; None if nobody knows.
    source : str
    notes : Notes
        Where a rare value of this kind is warned of.

    Raises
    ------
    DataError
        If such a value is common: 1% of the ratings, or two raters.

    Examples
    --------
    >>> said = Notes()
    >>> check_codes((np.array([0, 1, 2, 3] * 9), ["1", "2", "5", "99"]), None, "r.csv", said)
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv: 9 of 36 ratings are '99', far from the other labels ('1' to
    '5'), as a code for 'no answer' is. Say missing=['99'] if it means that, or name all labels with
    labels=['1', '2', '5', '99'] if it is one.
    """
    codes, texts = labels
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    found = _look_like_codes(texts, counts)
    if not found:
        return
    total = int(counts.sum())
    number = int(counts[found].sum())
    common = number >= LEAST_SHARE * total
    if not common and raters is not None:
        given = np.isin(codes, found) & (raters >= 0)
        common = len(np.unique(raters[given])) > 1
    names = [texts[code] for code in found]
    known = all(number_of(name) is not None for name in names)
    others = sorted(
        (text for code, text in enumerate(texts) if counts[code] and code not in found),
        key=_in_order,
    )
    span = f"'{others[0]}' to '{others[-1]}'" if number_of(others[-1]) is not None else some(others)
    how = "far from" if known and names != ["-1"] else "beside"
    means = (
        f"{source}: {number:,} of {count(total, 'rating')} are {some(names, 5)}, {how} the "
        f"other labels ({span}), as a code for 'no answer' is. Say "
        f"{option('missing', Several(names))} if it means that"
    )
    if not common:
        notes.warning(f"{means}; it is read as a label.")
        return
    everything = Several(sorted([*others, *names], key=_in_order)) if len(others) <= 12 else ...
    raise DataError(
        f"{means}, or name all labels with {option('labels', everything)} if it is one."
    )


def _look_like_codes(texts: Sequence[str], counts: Codes) -> list[int]:
    """Codes of the values that are off all others and known to stand for 'no answer'."""
    used = [code for code in range(len(texts)) if counts[code]]
    numbers = {code: number for code in used if (number := number_of(texts[code])) is not None}
    if len(numbers) > 1:
        words = [code for code in used if _plain(texts[code]) in NO_ANSWER]
        if words:
            return words
        others = [code for code in used if code not in numbers]
        if _is_beside_numbers(others, numbers, texts, counts):
            return others
    candidates = {code: int(x) for code, x in numbers.items() if x in CODES}
    rest = [x for code, x in numbers.items() if code not in candidates]
    if not candidates:
        return []
    if not rest:
        # Words, and numbers that are codes only.
        words = len(used) - len(numbers) > 1
        return [c for c, x in candidates.items() if words and x not in DIGIT_CODES]
    low, high = min(rest), max(rest)
    if len(rest) < 2:
        return []
    found: list[int] = []
    for code, value in candidates.items():
        if value in HIGH_CODES:
            far = value - high >= max(LEAST_GAP, high - low)
        elif value in DIGIT_CODES:
            far = _digit_is_far(value, rest, counts[code], _uses(numbers, counts, high))
        else:
            far = low >= 0
        if far:
            found.append(code)
    # A digit between the scale and a code is a code too; with one that is none, neither is.
    digits = [code for code in candidates if candidates[code] in DIGIT_CODES]
    if not all(code in found for code in digits):
        found = [code for code in found if code not in digits]
    return found


def _is_beside_numbers(
    words: Sequence[int], numbers: Mapping[int, float], texts: Sequence[str], counts: Codes
) -> bool:
    """Whether a word or two stand beside a scale of numbers, such as '--' or 'n.d.'.

    Words with a number, such as '5+' and '10 or more', belong to the scale.
    """
    if not 0 < len(words) <= MOST_OTHERS or len(set(numbers.values())) < LEAST_NUMBERS:
        return False
    plain = [texts[code] for code in words if not texts[code].startswith("#")]  # as in #DIV/0!
    if any(letter.isdigit() for text in plain for letter in text):
        return False
    return int(counts[list(words)].sum()) < int(counts[list(numbers)].sum())


def _in_order(text: str) -> tuple[bool, float, str]:
    """Key that puts numbers first, in their order."""
    number = number_of(text)
    return number is None, number or 0.0, text


def _plain(text: str) -> str:
    """Write words in small letters, with straight quotes and single blanks."""
    return " ".join(text.lower().replace("\u2019", "'").split()).strip("()[].!")


def _digit_is_far(value: int, rest: list[float], uses: int, at_end: int) -> bool:
    """Whether 8 or 9 stands apart from a short scale that is used without gaps."""
    low, high = min(rest), max(rest)
    whole = all(x.is_integer() for x in rest) and len(rest) == high - low + 1
    apart = high <= LARGEST_SHORT_SCALE - (9 - value) - (value == 8)
    return whole and low in (0, 1) and apart and min(uses, at_end) >= LEAST_USES


def _uses(numbers: Mapping[int, float], counts: Codes, value: float) -> int:
    return sum(int(counts[code]) for code, x in numbers.items() if x == value)


# Values that are written in two ways.


class Merge(ABC):
    """What may tell two texts apart that mean the same. One class a way, in the list below.

    Attributes
    ----------
    name : str
        What users call it.
    what : str
        What tells the texts apart, in a sentence.
    """

    name: ClassVar[str]
    what: ClassVar[str]

    @abstractmethod
    def same(self, text: str) -> str:
        """Write a text so that those that mean the same are equal."""


class UnicodeForm(Merge):
    """Accents that are one character or two."""

    name = "unicode"
    what = "Unicode form"

    def same(self, text: str) -> str:
        """Compose characters."""
        return unicodedata.normalize("NFC", text)


class Case(Merge):
    """Capital and small letters."""

    name = "case"
    what = "case"

    def same(self, text: str) -> str:
        """Fold the case."""
        return text.casefold()


class Space(Merge):
    """Blanks: several in place of one, other kinds, invisible ones, those at the ends."""

    name = "space"
    what = "spaces"

    def same(self, text: str) -> str:
        """Keep one blank between words."""
        return " ".join(_INVISIBLE.sub("", text).split())


class NumberForm(Merge):
    """Ways to write a number: 1, 1.0, 01, +1."""

    name = "number"
    what = "number form"

    def same(self, text: str) -> str:
        """Write a number without signs, zeros and fractions that say nothing."""
        found = _NUMBER.fullmatch(text)
        if found is None:
            return text
        minus, whole, fraction = found.groups()
        fraction = (fraction or "").rstrip("0")
        text = (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
        return f"-{text}" if minus == "-" and text != "0" else text


_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d*))?", re.ASCII)
_ODD_NUMBER = re.compile(r"^(?:\+\d|-?0\d|-?\d+\.(?:\d*0)?$)", re.ASCII | re.MULTILINE)

MERGES: tuple[Merge, ...] = (UnicodeForm(), Case(), Space(), NumberForm())
"""Ways in which one value is written as two, in the order in which they are undone."""


def merged(coded: Coded, role: str, merge: Collection[str], source: str, notes: Notes) -> Coded:
    """Merge values as asked, and warn of those that still differ only in how they are written.

    Parameters
    ----------
    coded : codes and texts
    role : {"item", "rater", "label"}
        What they are, for the notes.
    merge : collection of str
        Names in `MERGES`.
    source : str
    notes : Notes

    Returns
    -------
    codes and texts
        Of values that are one, the most frequent text stays.

    Examples
    --------
    >>> said = Notes()
    >>> merged((np.array([0, 1, 0, 2]), ["yes", "Yes", "no"]), "label", ["case"], "r.csv", said)
    (array([0, 0, 0, 1]), ['yes', 'no'])
    >>> list(said)
    ["r.csv: labels that differ only by case are merged: 'Yes' (1) into 'yes' (2)."]
    """
    codes, texts = coded
    if not _maybe_twins(texts):
        return coded
    asked = [one for one in MERGES if one.name in merge]
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    if asked:
        groups = _groups(texts, counts, asked)
        if groups:
            into = {text: group[0] for group in groups for text in group}
            kept = list(dict.fromkeys(into.get(text, text) for text in texts))
            place = {text: code for code, text in enumerate(kept)}
            recode = np.array([*(place[into.get(text, text)] for text in texts), -1])
            notes.info(
                f"{source}: {role}s that differ only by {_and([way.what for way in asked])} are "
                f"merged: {_listed(groups, texts, counts)}."
            )
            codes, texts = recode[codes], kept
            counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    _warn(codes, texts, counts, role, source, notes)
    return codes, texts


def _warn(
    codes: Codes, texts: Sequence[str], counts: Codes, role: str, source: str, notes: Notes
) -> None:
    """Warn of values that differ only in how they are written."""
    groups = _groups(texts, counts, MERGES)
    if role == "label":
        # 1 and 1.0 are one label already.
        one = [g for g in groups if len({label_text(text) for text in g}) == 1]
        if one:
            notes.info(
                f"{source}: labels that are the same number count as one: "
                f"{_listed(one, texts, counts, ' and ')}."
            )
        groups = [g for g in groups if g not in one]
    if not groups:
        return
    ways = [way for way in MERGES if any(_needs(group, way) for group in groups)] or MERGES
    notes.warning(
        f"{source}: {role}s that differ only by {_and([way.what for way in ways])} count as "
        f"different: {_listed(groups, texts, counts, ' and ')}. If they are the same, say "
        f"{option('merge', Several(way.name for way in ways))}."
    )


def _needs(group: Sequence[str], way: Merge) -> bool:
    """Whether texts would stay apart without one way to merge them."""
    others = [one for one in MERGES if one is not way]
    return len({_same(text, others) for text in group}) > 1


def _same(text: str, ways: Sequence[Merge]) -> str:
    for way in ways:
        text = way.same(text)
    return text


def _groups(texts: Sequence[str], counts: Codes, ways: Sequence[Merge]) -> list[list[str]]:
    """Texts that are one, the most frequent of each first; those that occur."""
    by: dict[str, list[str]] = {}
    uses = dict(zip(texts, counts.tolist(), strict=True))
    for text in texts:
        if uses[text]:
            by.setdefault(_same(text, ways), []).append(text)
    groups = [
        sorted(g, key=lambda text: (-uses[text], len(text), text))
        for g in by.values()
        if len(g) > 1
    ]
    return sorted(groups, key=lambda group: (-sum(uses[text] for text in group), group))


def _listed(groups: list[list[str]], texts: Sequence[str], counts: Codes, between: str = "") -> str:
    uses = dict(zip(texts, counts.tolist(), strict=True))
    shown = [[f"{text!r} ({uses[text]:,})" for text in group] for group in groups[:3]]
    parts = [between.join(g) if between else f"{', '.join(g[1:])} into {g[0]}" for g in shown]
    rest = len(groups) - len(parts)
    return "; ".join(parts) + (f"; and {rest:,} more" if rest > 0 else "")


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _maybe_twins(texts: Sequence[str]) -> bool:
    """Whether a look at each text is worth it: cheap for a million ids, never wrong to say no."""
    if len(texts) < 2:
        return False
    whole = "\n" + "\n".join(texts) + "\n"
    if not whole.isascii() or "  " in whole or "\t" in whole:
        return True
    if whole.count("\n") > len(texts) + 1:
        return True  # texts of several lines
    # The pattern takes long, and few columns have what it looks for.
    zeros = whole.count("\n0") > whole.count("\n0\n")
    marked = zeros or any(mark in whole for mark in ("\n+", "\n-0", "."))
    if marked and _ODD_NUMBER.search(whole):
        return True
    lower = whole.lower()
    return lower != whole and len(set(lower.split("\n"))) <= len(texts)


# Rows.


def rows_where(table: Table, where: Sequence[tuple[str, str]]) -> Table:
    """Keep the rows in which columns have the values asked for.

    Several values of one column are alternatives; several columns must all fit.

    Raises
    ------
    DataError
        If a column is not there, or has no such value.
    """
    if not where:
        return table
    wanted: dict[int, list[str]] = {}
    for name, value in where:
        wanted.setdefault(given_role(table, "rows to keep", name), []).append(value)
    keep = np.ones(table.rows, dtype=bool)
    for column, values in wanted.items():
        codes, texts = table.codes(column)
        written = [label_text(text) for text in texts]
        for value in values:
            if label_text(value) not in written and value:
                near = closest(value, texts)
                hint = f" Did you mean '{near[0]}'?" if near else ""
                raise DataError(
                    f"{table.source}, column '{table.names[column]}': no row has '{value}'.{hint} "
                    f"Values: {some(texts, 12)}."
                )
        chosen = {label_text(value) for value in values}
        fits = np.array([*(text in chosen for text in written), "" in chosen])
        keep &= fits[codes]  # code -1, a blank, is the last entry
    if not keep.any():
        listed = some([f"{name}={value}" for name, value in where], 12)
        raise DataError(f"{table.source}: no row fits {option('where')} {listed}.")
    return table if keep.all() else SomeRows(table, keep, "not chosen by where")


class SomeRows(Table):
    """Some of the rows of a table.

    Parameters
    ----------
    table : Table
    keep : (rows,) array of bool
    reason : str
        Why the others are left out.
    """

    def __init__(self, table: Table, keep: Flags, reason: str) -> None:
        self._table, self._keep = table, keep
        self.names, self.source, self.form = table.names, table.source, table.form
        self.first_row, self.backend = table.first_row, table.backend
        self.notes, self.sources = table.notes, table.sources
        self.exported = table.exported
        self.rows = int(keep.sum())
        left_out = Counter({reason: table.rows - self.rows})
        self.dropped = Counter(table.dropped) + left_out

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column; values of other rows are not among the texts."""
        codes, texts = self._table.codes(column)
        codes = codes[self._keep]
        used = np.bincount(codes[codes >= 0], minlength=len(texts)) > 0
        place = np.append(np.where(used, np.cumsum(used) - 1, -1), -1)
        return place[codes], [text for text, there in zip(texts, used, strict=True) if there]

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""
        numbers, wrong = self._table.numbers(column)
        return numbers[self._keep], wrong[self._keep]

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return self._table.nested()

    def cells(self, column: int) -> list[object]:
        """Cells of a column that holds lists or records."""
        cells = self._table.cells(column)
        return [cells[row] for row in np.flatnonzero(self._keep).tolist()]

    def categories(self, column: int) -> tuple[str, ...] | None:
        """Ordered categories of a column."""
        return self._table.categories(column)

    def index_name(self) -> str | None:
        """Name of an index beside the columns that holds more than row numbers."""
        return self._table.index_name()

    def row_numbers(self) -> Codes:
        """Numbers by which a user knows the rows."""
        return self._table.row_numbers()[self._keep]
