"""Ids and labels as integer codes: vocabularies, their canonical order, sets of labels."""

from __future__ import annotations

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import lt
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from headcount.errors import DataError
from headcount.typing import Codes, Ids, Ints

__all__ = [
    "MISSING",
    "encode",
    "as_double",
    "as_ids",
    "as_labels",
    "label_text",
    "number_of",
    "number_text",
    "find_labels",
    "match_ids",
    "in_order",
    "sorted_vocabulary",
    "recoded",
    "sorted_rows",
    "count_uses",
    "LISTS",
    "Sets",
    "split_all",
    "find_sets",
]


# Turn ids and labels into integer codes, with the vocabulary that leads back.
#
# A code of -1 stands for missing: blank, None, NaN or null.

MISSING = -1

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DECIMAL = re.compile(r"-?[0-9]+\.[0-9]*")
_BOOLS: tuple[type, ...] = (bool, np.bool_)
_NUMPY_FLOATS: tuple[type, ...] = (np.floating,)
_CONTAINERS: tuple[type, ...] = (list, tuple, dict, set, frozenset, np.ndarray)


def encode(values: Iterable[object] | NDArray[Any]) -> tuple[Codes, list[str]]:
    """Code `values` in the order of first appearance.

    Examples
    --------
    >>> encode(["b", "a", None, "b", float("nan"), 1.0])
    (array([ 0,  1, -1,  0, -1,  2]), ['b', 'a', '1'])
    """
    if isinstance(values, np.ndarray):
        array = cast("NDArray[Any]", values)
        if array.dtype.kind in "iu":
            return _encode_whole(array)
        values = as_double(array).tolist()  # Python's numbers instead of numpy's
    elif not isinstance(values, Sequence):
        values = list(values)
    codes: dict[object, int] = {}
    # True is 1 to a dict, but no number to a user.
    keys = (str(v) if isinstance(v, _BOOLS) else v for v in values)
    try:
        coded = np.fromiter((codes.setdefault(key, len(codes)) for key in keys), dtype=np.int64)
    except TypeError:  # what cannot be a key is a list, or the like
        cells = (v for v in values if isinstance(v, _CONTAINERS) or v.__hash__ is None)
        raise _no_value(next(cells)) from None
    # Distinct values may share a text (1 and 1.0 do), and several may be missing.
    texts: dict[str, int] = {}
    recode = np.array(
        [MISSING if (t := _text(v)) is None else texts.setdefault(t, len(texts)) for v in codes],
        dtype=np.int64,
    )
    return (recode[coded] if len(codes) else coded), list(texts)


def _encode_whole(values: NDArray[Any]) -> tuple[Codes, list[str]]:
    """Code whole numbers by one sort, without a Python object for each."""
    different, first, group = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    code = np.empty(len(order), dtype=np.int64)
    code[order] = np.arange(len(order))
    return code[group], [str(value) for value in different[order].tolist()]


def _text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, _NUMPY_FLOATS) and not isinstance(value, float):
        value = float(str(value))  # as it is written, not as it is widened
    if isinstance(value, float):
        return None if math.isnan(value) else number_text(value)
    if isinstance(value, _CONTAINERS):
        raise _no_value(value)
    text = str(value).strip()
    # pandas' NA and NaT are not NaN, but they are missing all the same.
    return None if text in ("", "<NA>", "NaT") else text


def _no_value(value: object) -> DataError:
    text = repr(value)
    text = text if len(text) <= 40 else f"{text[:37]}..."
    return DataError(
        f"expected one value a cell, text or a number, found a {type(value).__name__}, {text}."
    )


def as_double(values: NDArray[Any]) -> NDArray[Any]:
    """Widen floats of 32 bits to the numbers that they are written as: 0.1 is 0.1.

    So that a frame and the file that is written of it hold the same numbers. Other arrays stay.

    Examples
    --------
    >>> as_double(np.array([0.1, np.nan], dtype=np.float32))
    array([0.1, nan])
    """
    if values.dtype.kind == "f" and values.dtype.itemsize < 8:
        return values.astype(str).astype(np.float64)
    return values


def as_ids(texts: Sequence[str]) -> Ids:
    """Make a vocabulary of ids; integers only if all are written as integers are.

    Examples
    --------
    >>> as_ids(["10", "9"]), as_ids(["10", "09"])
    (array([10,  9]), array(['10', '09'], dtype=object))
    """
    if texts and all(map(_INTEGER.fullmatch, texts)):
        return np.array([int(text) for text in texts], dtype=np.int64)
    ids = np.empty(len(texts), dtype=object)
    ids[:] = texts
    return ids


def as_labels(texts: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    """Sort labels, as numbers if all are, and say where each text went.

    Numbers are written one way, so that 1 and 1.0 are the same label.

    Examples
    --------
    >>> as_labels(["10", "9.0", "9"])
    (('9', '10'), array([1, 0, 0]))
    >>> as_labels(["pos", "neg", "1.0"])
    (('1', 'neg', 'pos'), array([2, 1, 0]))
    """
    written = [label_text(text) for text in texts]
    labels = sorted(set(written))
    numbers = {label: number_of(label) for label in labels}
    if all(number is not None for number in numbers.values()):
        labels.sort(key=lambda label: numbers[label] or 0.0)
    code_of = {label: code for code, label in enumerate(labels)}
    return tuple(labels), np.array([code_of[text] for text in written], dtype=np.int64)


def label_text(text: str) -> str:
    """Write a label that is a number without a fraction that says nothing.

    Examples
    --------
    >>> label_text("1.0"), label_text("2.50"), label_text("v1.0")
    ('1', '2.5', 'v1.0')
    """
    if _DECIMAL.fullmatch(text):
        return text.rstrip("0").rstrip(".")
    return text


def number_of(text: str) -> float | None:
    """Read a finite number; None if the text is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    if "_" in text:  # which Python reads and nobody writes
        return None
    return number if math.isfinite(number) else None


def number_text(number: float) -> str:
    """Write a number as an id or a label: without a fraction where there is none."""
    return str(int(number)) if number.is_integer() else repr(float(number))


def find_labels(texts: Sequence[str], labels: Sequence[str]) -> Codes:
    """Code of each text among `labels`, however a number is written; -1 if it is not there.

    Examples
    --------
    >>> find_labels(["1.0", "0", "x"], ["0", "1"])
    array([ 1,  0, -1])
    """
    code_of = {label_text(label): code for code, label in enumerate(labels)}
    return np.array([code_of.get(label_text(text), MISSING) for text in texts], dtype=np.int64)


def match_ids(wanted: Ids, among: Ids) -> Codes:
    """Position in `among` of each id in `wanted`; -1 where it is not there.

    Integers and text meet as text, so that a file of 1, 2, 3 and one of 1, 2, x agree. Known ids
    are all different.

    Examples
    --------
    >>> match_ids(as_ids(["2", "x"]), as_ids(["1", "2"]))
    array([ 1, -1])
    """
    if wanted.dtype == among.dtype and np.array_equal(wanted, among):
        return np.arange(len(wanted))
    as_text = wanted.dtype == object or among.dtype == object
    keys = map(str, among) if as_text else among.tolist()
    code_of = {key: code for code, key in enumerate(keys)}
    sought = map(str, wanted) if as_text else wanted.tolist()
    return np.fromiter(
        (code_of.get(key, MISSING) for key in sought), dtype=np.int64, count=len(wanted)
    )


# The canonical order of data, so that nothing depends on the order in which rows came.
#
# Vocabularies are sorted: integers by number, text by code point. Rows follow their codes.

_LARGEST = 2**62


def in_order(ids: Ids) -> bool:
    """Whether ids are in canonical order, each once. O(ids).

    Examples
    --------
    >>> in_order(np.array([9, 10])), in_order(np.array(["9", "10"], dtype=object))
    (True, False)
    """
    if ids.dtype != object:
        return bool((ids[1:] > ids[:-1]).all())
    texts: list[str] = ids.tolist()
    return all(map(lt, texts, islice(texts, 1, None)))


def sorted_vocabulary(texts: Sequence[str]) -> tuple[Ids, Codes | None]:
    """Make a vocabulary of ids in canonical order, and say where each text went.

    Parameters
    ----------
    texts : sequence of str
        Ids, each once.

    Returns
    -------
    ids : array
        Integers if all are, else text.
    new_code : (ids,) array of int or None
        Place in `ids` of each text; None if all stayed where they were.

    Notes
    -----
    O(ids log ids); O(ids) if they are in order already.

    Examples
    --------
    >>> sorted_vocabulary(["10", "9"])
    (array([ 9, 10]), array([1, 0]))
    >>> sorted_vocabulary(["a10", "a9"])
    (array(['a10', 'a9'], dtype=object), None)
    """
    ids = as_ids(texts)
    if in_order(ids):
        return ids, None
    if ids.dtype != object:
        order = np.argsort(ids)
    else:
        # The list of texts sorts in half the time of the array of objects.
        order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    new_code = np.empty(len(order), dtype=np.int64)
    new_code[order] = np.arange(len(order))
    return ids[order], new_code


def recoded(codes: Codes, new_code: Codes | None) -> Codes:
    """Follow codes to where a vocabulary put them; -1, missing, stays. O(codes).

    Examples
    --------
    >>> recoded(np.array([0, -1, 1]), np.array([1, 0]))
    array([ 1, -1,  0])
    """
    if new_code is None:
        return codes
    return np.append(new_code, -1).astype(codes.dtype)[codes]  # code -1 is the last entry


_PART = 1 << 16
"""Rows that are looked at together, which stay in the cache."""


def count_uses(codes: Codes, texts: Sequence[str]) -> Codes:
    """Count how often each text is used.

    Examples
    --------
    >>> count_uses(np.array([0, -1, 0]), ["yes", "no"])
    array([2, 0])
    """
    uses = np.zeros(len(texts) + 1, dtype=np.int64)  # the first are blanks
    step = max(_PART, 4 * len(uses))
    for start in range(0, len(codes), step):
        uses += np.bincount(codes[start : start + step] + 1, minlength=len(uses))
    return uses[1:]


def _in_order(item: Codes, rater: Codes) -> bool:
    """Whether rows are in the order of item, and of rater within items."""
    for start in range(0, len(item), _PART):
        mine, who = item[start : start + _PART + 1], rater[start : start + _PART + 1]
        later, same = mine[1:] > mine[:-1], mine[1:] == mine[:-1]
        if not (later | (same & (who[1:] >= who[:-1]))).all():
            return False
    return True


def sorted_rows(item: Codes, rater: Codes, n_raters: int) -> Ints | None:
    """Rows in the order of item and rater, equal ones as they came; None if they are already.

    O(n log n) in rows; O(n) if they are sorted.

    Examples
    --------
    >>> sorted_rows(np.array([1, 0, 1]), np.array([1, 0, 0]), 2)
    array([1, 2, 0])
    """
    if _in_order(item, rater):
        return None
    key = item.astype(np.int64)
    key *= n_raters
    key += rater
    rows = len(key)
    if (int(key.max()) + 1) * rows > _LARGEST:
        return np.argsort(key, kind="stable")
    # The row as the last digit of the key: sorting numbers is quicker than sorting places.
    key *= rows
    for start in range(0, rows, _PART):
        part = key[start : start + _PART]
        part += np.arange(start, start + len(part))
    key.sort()
    key %= rows
    return key


# Tell cells that hold several labels from labels that hold a comma.

SEPARATORS = (";", "|", " + ", ",")
"""What stands between labels of a cell; ' + ' where they were read from a tool or a list."""
LISTS = "[]"
"""What stands for the separator of lists."""
MOST_NEW = 0.2
"""Share of the labels within cells that may occur nowhere else, at most."""
LEAST_OFTEN = 0.1
"""Share of cells with several labels, at least, where all labels are numbers: a few '3;4' are from
raters who could not decide between two places on a scale."""
LEAST_ALONE = 0.5
"""Share of different labels within cells that stand alone in some cell too, at least; asked of
commas, which ordinary labels hold."""


@dataclass(frozen=True)
class Sets:
    """The labels of cells, and how they were told apart.

    Parameters
    ----------
    members : tuple of tuple of str
        Of each text, sorted.
    separator : str
        Between them; `LISTS` for lists.
    """

    members: tuple[tuple[str, ...], ...]
    separator: str

    def names(self) -> list[str]:
        """Write each set in one way, whatever the order of its members."""
        between = self.separator
        if between == LISTS:
            held = "".join(m for members in self.members for m in members)
            between = next((s for s in SEPARATORS if s not in held), between)
        return [between.join(members) or "(none)" for members in self.members]

    def found_in(self, texts: Sequence[str]) -> str:
        """Say what cells hold, with the first text that shows it."""
        shown = next(
            text
            for text, members in zip(texts, self.members, strict=True)
            if len(members) > 1 or self.separator == LISTS
        )
        how = "lists" if self.separator == LISTS else f"labels separated by '{self.separator}'"
        return f"cells hold {how}, such as '{shown}'"


def split_all(texts: Sequence[str], separator: str) -> Sets:
    """Split every text.

    Examples
    --------
    >>> split_all(["b; a", "a;b", "c"], ";").members
    (('a', 'b'), ('a', 'b'), ('c',))
    """
    return Sets(tuple(_split(text, separator) for text in texts), separator)


def find_sets(texts: Sequence[str], uses: Codes) -> Sets | None:
    """Find whether cells hold several labels; None if each is one label.

    Lists, such as ``["a", "b"]``, do. So do texts with a separator where their parts occur in other
    cells as well: nearly all of them, and with commas half of the different ones alone in a cell.
    So 'Yes, surely' and 'New York, NY' stay labels, and 'joy,fear' beside 'joy' and 'fear' is a
    set. Numbers with a decimal comma are none, nor are a few cells with two numbers.

    Parameters
    ----------
    texts : sequence of str
        The different labels.
    uses : (labels,) array of int
        How often each is given.

    Examples
    --------
    >>> import numpy as np
    >>> find_sets(["joy,fear", "joy", "fear", "anger"], np.ones(4)).members
    (('fear', 'joy'), ('joy',), ('fear',), ('anger',))
    >>> find_sets(["Yes, surely", "Yes, maybe", "No"], np.ones(3)) is None
    True
    """
    used = {text: n for text, n in zip(texts, uses.tolist(), strict=True) if n}
    if any(_list(text) is not None for text in used):
        return Sets(tuple(_members(text) for text in texts), LISTS)
    for separator in SEPARATORS:
        if _are_sets(used, separator):
            return split_all(texts, separator)
    return None


def _are_sets(texts: Mapping[str, int], separator: str) -> bool:
    parts = {text: _split(text, separator) for text in texts}
    joined = [held for held in parts.values() if len(held) > 1]
    if not joined:
        return False
    if all(number_of(part) is not None for held in parts.values() for part in held):
        often = sum(n for text, n in texts.items() if len(parts[text]) > 1)
        if often < LEAST_OFTEN * sum(texts.values()):
            return False
        if separator == "," and all(len(held) == 2 for held in joined):
            return False
    within = Counter(part for members in joined for part in members)
    alone = {label_text(text.strip().strip(separator).strip()) for text in texts} & set(within)
    new = sum(n for part, n in within.items() if n == 1 and part not in alone)
    if new > MOST_NEW * within.total():
        return False
    return separator != "," or len(alone) >= LEAST_ALONE * len(within)


def _split(text: str, separator: str) -> tuple[str, ...]:
    parts = {label_text(part.strip()) for part in text.split(separator)}
    return tuple(sorted(parts - {""}))


def _members(text: str) -> tuple[str, ...]:
    listed = _list(text)
    return (text,) if listed is None else tuple(sorted({label_text(label) for label in listed}))


def _list(text: str) -> list[str] | None:
    """Read a list as JSON or Python writes it; None if the text is none."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            parsed: Any = read(text)
        except (ValueError, SyntaxError):
            continue
        if isinstance(parsed, list):
            parts = cast("list[Any]", parsed)
            if all(isinstance(part, str | int | float) for part in parts):
                return [str(part).strip() for part in parts if str(part).strip()]
    return None
