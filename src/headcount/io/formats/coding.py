"""Texts of a column as codes, in the order in which they appear."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import lt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.vocabulary import number_text
from headcount.typing import Codes

__all__ = ["as_they_appear", "coded", "float_text", "parts", "tidied"]


def parts(texts: Sequence[str], most: int = 50_000) -> Iterator[list[str]]:
    """Give texts a part at a time: fresh memory for a million takes longer than what is done.

    Examples
    --------
    >>> list(parts("abc", 2))
    [['a', 'b'], ['c']]
    """
    for start in range(0, len(texts), most):
        yield list(texts[start : start + most])


def coded(values: NDArray[Any]) -> tuple[Codes, list[str]]:
    """Code an array of texts, blanks masked, in order of first appearance."""
    texts: list[str] = np.ma.getdata(values).tolist()
    is_blank = np.ma.getmask(values)
    if is_blank is not np.ma.nomask:
        codes = np.full(len(values), -1, dtype=np.int64)
        codes[~is_blank], known = coded(np.ma.getdata(values)[~is_blank])
        return codes, known
    # Ids are often in order, which is seen in a fifth of the time that a dict takes.
    if all(map(lt, texts, islice(texts, 1, None))):
        return np.arange(len(texts)), texts
    place = dict.fromkeys(texts, 0)
    if len(place) == len(texts):
        return np.arange(len(texts)), texts
    place = dict(zip(place, range(len(place)), strict=True))
    return np.fromiter(map(place.__getitem__, texts), np.int64, len(texts)), list(place)


def float_text(text: str) -> str:
    """Write a floating-point number as those of a frame are written: 1.0 is 1, and NaN is blank.

    Examples
    --------
    >>> float_text("1.0"), float_text("1e+16"), float_text("0.1"), float_text("nan")
    ('1', '10000000000000000', '0.1', '')
    """
    number = float(text)
    return "" if math.isnan(number) else number_text(number)


def tidied(codes: Codes, texts: list[str], write: Callable[[str], str]) -> tuple[Codes, list[str]]:
    """Write the texts of codes in another way; those that become the same become one.

    Examples
    --------
    >>> tidied(np.array([0, 1, 2, -1]), [" a", "1", "a"], str.strip)
    (array([ 1,  0,  1, -1]), ['1', 'a'])
    """
    if all(list(map(write, part)) == part for part in parts(texts)):
        return codes, texts
    written = list(map(write, texts))
    kept = sorted({text for text in written if text})
    place = {text: code for code, text in enumerate(kept)}
    recode = np.array([*(place.get(text, -1) for text in written), -1], dtype=np.int64)
    return recode[codes], kept


def as_they_appear(codes: Codes, texts: list[str]) -> tuple[Codes, list[str]]:
    """Put codes into the order in which they appear first. O(codes), if they are in order.

    Examples
    --------
    >>> as_they_appear(np.array([1, 0, -1, 1]), ["a", "b"])
    (array([ 0,  1, -1,  0]), ['b', 'a'])
    """
    first = np.zeros(len(texts) + 1, dtype=np.int64)  # the last is that of a blank, code -1
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    if bool((first[1:-1] > first[:-2]).all()):
        return codes, texts
    order = np.argsort(first[:-1])
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    place[-1] = -1
    return place[codes], [texts[code] for code in order.tolist()]
