"""The items that two sources share: one check of ids, which every command makes."""

from __future__ import annotations

import re

import numpy as np

from headcount.data.vocabulary import match_ids
from headcount.errors import DataError, count, some
from headcount.io.values import FORMS
from headcount.results.notes import Notes
from headcount.typing import Codes, Ids

__all__ = ["LEAST_SHARED", "match_items"]


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
