"""Turn ids and labels into integer codes, with the vocabulary that leads back.

A code of -1 stands for missing: blank, None, NaN or null.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from headcount.errors import DataError
from headcount.typing import Codes, Ids

__all__ = [
    "MISSING",
    "as_double",
    "as_ids",
    "as_labels",
    "encode",
    "find_labels",
    "label_text",
    "match_ids",
    "number_of",
    "number_text",
]

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
    return code[group], [str(one) for one in different[order].tolist()]


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
    place = {label: code for code, label in enumerate(labels)}
    return tuple(labels), np.array([place[text] for text in written], dtype=np.int64)


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
    place = {label_text(label): code for code, label in enumerate(labels)}
    return np.array([place.get(label_text(text), MISSING) for text in texts], dtype=np.int64)


def match_ids(wanted: Ids, known: Ids) -> Codes:
    """Position in `known` of each id in `wanted`; -1 where it is not there.

    Integers and text meet as text, so that a file of 1, 2, 3 and one of 1, 2, x agree. Known ids
    are all different.

    Examples
    --------
    >>> match_ids(as_ids(["2", "x"]), as_ids(["1", "2"]))
    array([ 1, -1])
    """
    if wanted.dtype == known.dtype and np.array_equal(wanted, known):
        return np.arange(len(wanted))
    as_text = wanted.dtype == object or known.dtype == object
    keys = map(str, known) if as_text else known.tolist()
    place = {key: code for code, key in enumerate(keys)}
    sought = map(str, wanted) if as_text else wanted.tolist()
    return np.fromiter(
        (place.get(key, MISSING) for key in sought), dtype=np.int64, count=len(wanted)
    )
