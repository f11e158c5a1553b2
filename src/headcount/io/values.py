"""Values that are written in two ways: warned of and merged, and matched between two sources."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.data.vocabulary import label_text, match_ids
from headcount.errors import DataError, count, option, some
from headcount.io.cells import yes_or_no
from headcount.io.tables import Coded
from headcount.results.notes import Notes
from headcount.typing import Codes, Ids

__all__ = [
    "Several",
    "FORMS",
    "MERGES",
    "merged",
    "spelt_as",
    "any_form",
    "MONTH",
    "LEAST_SHARED",
    "match_items",
]


# Several values of an option, in a message.


class Several(list[str]):
    """Values to give to an option: a list in Python, with commas in a command."""

    def __str__(self) -> str:
        return ",".join(self)


# Values that are written in two ways: warned of, and merged where asked.


@dataclass(frozen=True)
class Merge:
    """What may tell two texts apart that mean the same. One entry per way, in the list below.

    Attributes
    ----------
    name : str
        What users call it.
    what : str
        What tells the texts apart, in a sentence.
    same : callable
        Writes a text so that those that mean the same are equal.
    """

    name: str
    what: str
    same: Callable[[str], str]


_SIGNS = ".,;:?!…*\"'`“”‘’。？！"
_DRAWN = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d*))?", re.ASCII)


def _composed(text: str) -> str:
    """Compose characters; leave out how an emoji is drawn, and its colour of skin."""
    return _DRAWN.sub("", unicodedata.normalize("NFC", text))


def _spaced(text: str) -> str:
    """Keep one blank between words, of whatever kind, and none at the ends."""
    return " ".join(_INVISIBLE.sub("", text).split())


def _unsigned(text: str) -> str:
    """Leave out signs at the ends, if anything is left."""
    return text.strip(_SIGNS + " ") or text


def _short_number(text: str) -> str:
    """Write a number without signs, zeros and fractions that say nothing: 1 for 1.0, 01, +1."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    minus, whole, fraction = match.groups()
    fraction = (fraction or "").rstrip("0")
    text = (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
    return f"-{text}" if minus == "-" and text != "0" else text


FORMS = (
    Merge("unicode", "Unicode form", _composed),
    Merge("case", "case", str.casefold),
    Merge("space", "spaces", _spaced),
    Merge("punctuation", "signs at the ends", _unsigned),
    Merge("number", "number form", _short_number),
)
"""Ways in which one value is written as two, in the order in which they are undone."""
YES_NO = Merge("yes-no", "the word for yes and no", yes_or_no)
MERGES = (*FORMS, YES_NO)
"""Those, and what is merged only where the caller says so."""


def merged(
    coded: Coded,
    role: str,
    merge: Collection[str],
    source: str,
    notes: Notes,
    *,
    counts: Codes | None = None,
) -> Coded:
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
    counts : array of int, optional
        Uses of each text, where they are not those of `codes`.

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
    ways = [way for way in (MERGES if role == "label" else FORMS) if way.name in merge]
    if not ways and len(texts) > MOST_COMPARED:
        return coded
    if counts is None:
        counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    if ways:
        groups = _groups(texts, counts, ways)
        if groups:
            into = {text: group[0] for group in groups for text in group}
            kept = list(dict.fromkeys(into.get(text, text) for text in texts))
            place = {text: code for code, text in enumerate(kept)}
            recode = np.array([*(place[into.get(text, text)] for text in texts), -1])
            notes.info(
                f"{source}: {role}s that differ only by {_and([way.what for way in ways])} are "
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
    groups = _groups(texts, counts, FORMS)
    if role == "label":
        # 1 and 1.0 are one label already.
        same = [g for g in groups if len({label_text(text) for text in g}) == 1]
        if same:
            notes.info(
                f"{source}: labels that are the same number count as one: "
                f"{_listed(same, texts, counts, ' and ')}."
            )
        # Of numbers that count as one, one stands for all: 1 and 1.0 beside 01.
        groups = [
            [*{label_text(text): text for text in reversed(g)}.values()][::-1] for g in groups
        ]
        groups = [g for g in groups if len(g) > 1]
        _warn_of_yes(texts, counts, source, notes)
    if not groups:
        return
    ways = list(FORMS)
    for way in reversed(FORMS):  # each without which the texts still become one is not named
        rest = [other for other in ways if other is not way]
        if all(len({_same(text, rest) for text in group}) == 1 for group in groups):
            ways = rest
    notes.warning(
        f"{source}: {role}s that differ only by {_and([way.what for way in ways])} count as "
        f"different: {_listed(groups, texts, counts, ' and ')}. If they are the same, add "
        f"{option('merge', Several(way.name for way in ways))}."
    )


def _warn_of_yes(texts: Sequence[str], counts: Codes, source: str, notes: Notes) -> None:
    """Warn of yes and no in two spellings each: yes, no, Y and N."""
    groups = _groups(texts, counts, MERGES)
    words = [g for g in groups if yes_or_no(g[0]) in ("yes", "no")]
    if len(words) == 2 and all(len({*map(any_form, group)}) > 1 for group in words):
        notes.warning(
            f"{source}: labels that may be yes and no in several spellings count as different: "
            f"{_listed(words, texts, counts, ' and ')}. If they are the same, say "
            f"{option('merge', 'yes-no')}."
        )


def spelt_as(texts: Sequence[str], known: Sequence[str], merge: Collection[str]) -> dict[str, str]:
    """Find which texts are known ones but for how they are written.

    Examples
    --------
    >>> spelt_as(["PASS", "FAIL", "unsure"], ["fail", "pass"], ["case"])
    {'PASS': 'pass', 'FAIL': 'fail'}
    """
    ways = [way for way in MERGES if way.name in merge]
    forms = {_same(text, ways): text for text in reversed(known)}
    return {
        text: forms[form]
        for text in texts
        if text not in known and (form := _same(text, ways)) in forms
    }


def any_form(text: str) -> str:
    """Write a text so that all ways to write it are equal."""
    return _same(text, FORMS)


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
    groups = [g for g in by.values() if len(g) > 1]
    english = YES_NO in ways
    for group in groups:
        group.sort(
            key=lambda text: (english and text not in ("yes", "no"), -uses[text], len(text), text)
        )
    return sorted(groups, key=lambda group: (-sum(uses[text] for text in group), group))


def _listed(groups: list[list[str]], texts: Sequence[str], counts: Codes, between: str = "") -> str:
    uses = dict(zip(texts, counts.tolist(), strict=True))
    shown = [[f"{text!r} ({uses[text]:,})" for text in group] for group in groups[:3]]
    listed = [between.join(g) if between else f"{', '.join(g[1:])} into {g[0]}" for g in shown]
    rest = len(groups) - len(listed)
    return "; ".join(listed) + (f"; and {rest:,} more" if rest > 0 else "")


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


MOST_COMPARED = 100_000
"""Items or raters up to which those written in two ways are looked for where nobody asks."""


MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*\.?"


LEAST_SHARED = 0.5
"""Share of the smaller source below which the items in both are few."""
MOST_SHIFTED = 2
"""A list may begin with 0, with 1, or with 2, the line of the first row below a header."""
LEAST_NUMBERED = 3
"""Items from which on numbers without a gap are a list, and not a few items."""
_NUMBERED = re.compile(r"(.*?)(\d{1,18})", re.DOTALL)


def match_items(source: str, items: Ids, other_source: str, others: Ids, notes: Notes) -> Codes:
    """Match the items of one source with those of another, and check that the ids fit.

    Parameters
    ----------
    source, other_source : str
        What messages call the two.
    items, others : array
        Their ids, each once.
    notes : Notes
        Takes a warning if few items are in both, or if ids may begin with 0 in one and 1 in the
        other.

    Returns
    -------
    (items,) array of int
        Place of each item among `others`; -1 where it is not there.

    Raises
    ------
    DataError
        If no item is in both, or one source numbers them from 0 and the other from 1.

    Examples
    --------
    >>> from headcount.data.vocabulary import as_ids
    >>> notes = Notes()
    >>> match_items("r.csv", as_ids(["1", "2", "3"]), "p.csv", as_ids(["3", "5", "7"]), notes)
    array([-1, -1,  0])
    >>> [note.partition(":")[0] for note in notes]
    ['1 item is in both r.csv (3 items) and p.csv (3 items)']
    """
    index = match_ids(items, others)
    shared = int((index >= 0).sum())
    if not shared:
        raise DataError(
            f"no item is in both {source} ({some(items.tolist())}) and {other_source} "
            f"({some(others.tolist())}).{_written_otherwise(items, others)} Check the item columns."
        )
    _check_numbering(source, items, other_source, others, notes)
    if shared < LEAST_SHARED * min(len(items), len(others)):
        are = "is" if shared == 1 else "are"
        notes.warning(
            f"{count(shared, 'item')} {are} in both {source} ({count(len(items), 'item')}) and "
            f"{other_source} ({count(len(others), 'item')}): few. The others are left out where "
            f"both are needed.{_written_otherwise(items, others)} Check the item columns."
        )
    return index


def _check_numbering(source: str, items: Ids, other_source: str, others: Ids, notes: Notes) -> None:
    """Refuse items that sources number from other starts; warn if they may be.

    Rows of a file without ids are called by their lines, so that one list may begin with 0, 1 or 2.
    """
    (prefix, numbers), (other_prefix, other_numbers) = _numbers(items), _numbers(others)
    if prefix != other_prefix or min(len(numbers), len(other_numbers)) < LEAST_NUMBERED:
        return
    zero, one = (source, items, numbers), (other_source, others, other_numbers)
    if numbers.min() > other_numbers.min():
        zero, one = one, zero
    (zero_source, zero_ids, from_zero), (one_source, one_ids, from_one) = zero, one
    first, last, end = zero_ids[from_zero.argmin()], from_zero.max(), from_one.max()
    shift = int(from_one.min()) - int(from_zero.min())
    alike = np.array_equal(np.sort(from_zero) + shift, np.sort(from_one))
    shifted = alike and 0 < shift <= MOST_SHIFTED
    if not shifted and (from_zero.min() != 0 or from_one.min() < 1):
        return
    listed = from_one.min() == 1 and _is_list(from_one)
    dense = 2 * len(from_zero) > last  # items without an answer are gaps
    if shifted or (dense and end == last + 1) or (listed and last < end):
        raise DataError(
            f"{zero_source} numbers items from {first} to {zero_ids[from_zero.argmax()]}, and "
            f"{one_source} from {one_ids[from_one.argmin()]} to {one_ids[from_one.argmax()]}: if "
            "that is the same list, each item stands beside the answers of another one. Number "
            f"both alike, in a column of items; if the ids are right, remove item {first} from "
            f"{zero_source}."
        )
    if listed and _is_list(from_zero):
        notes.warning(
            f"{zero_source} numbers items from {first}, and {one_source} from "
            f"{one_ids[from_one.argmin()]}: if that is the same list, each item stands beside the "
            "answers of the next one. Number both alike."
        )


def _is_list(numbers: Codes) -> bool:
    """Whether different numbers have no gap."""
    return int(numbers.max()) - int(numbers.min()) + 1 == len(numbers)


def _numbers(ids: Ids) -> tuple[str, Codes]:
    """Split ids into what stands before the number in all of them, and the numbers, if any."""
    if ids.dtype != object:
        return "", ids
    prefix, numbers = "", list[int]()
    for text in map(str, ids.tolist()):
        match = _NUMBERED.fullmatch(text)
        if match is None or (numbers and match[1] != prefix):
            return "", np.empty(0, dtype=np.int64)
        prefix = match[1]
        numbers.append(int(match[2]))
    return prefix, np.array(numbers, dtype=np.int64)


def _stem(item: str) -> str:
    """Write a file or an address by its name alone: data/i01.jpg is i01."""
    return re.sub(r"\.\w{1,5}$", "", re.split(r"[/\\]", item.rstrip("/"))[-1])


def _written_otherwise(items: Ids, others: Ids) -> str:
    """Say how many items that are not shared would be if they were written alike."""
    only_here = {str(item) for item in items[match_ids(items, others) < 0].tolist()}
    only_there = {str(item) for item in others[match_ids(others, items) < 0].tolist()}
    best, message = 0, ""
    for what, same in (*((way.what, way.same) for way in FORMS), ("folder or ending", _stem)):
        forms = {same(item): item for item in only_here}
        pairs = [(forms[same(item)], item) for item in only_there if same(item) in forms]
        if len(pairs) > best:
            best = len(pairs)
            here, there = min(pairs)
            them = "it" if best == 1 else "them"
            message = (
                f" {count(best, 'item')} would be but for {what} ('{here}' and '{there}'): write "
                f"{them} alike in both."
            )
    return message
