"""Labels whose order is in how they are written: grades, ranges, Roman numbers, plus signs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

__all__ = ["SEQUENCES", "Order"]

Order = Callable[[Sequence[str]], list[float] | None]
"""Gives the order of labels, lowest first, as numbers; None if they are written otherwise."""

_GRADE = re.compile(r"([a-f])([+\-–−]?)")
_GRADES_ALONE = 4
"""Letters without a sign, F and no E among them, that are grades."""


def _grades(words: Sequence[str]) -> list[float] | None:
    """Letter grades: with a plus or minus, or A to F without E, which is no list of choices."""
    found = [_GRADE.fullmatch(word) for word in words]
    if not all(found):
        return None
    signed = any(m and m[2] for m in found)
    alone = "f" in words and "e" not in words and len(words) >= _GRADES_ALONE
    if not signed and not alone:
        return None
    return [-3.0 * ord(m[1]) + ((m[2] == "+") - (m[2] not in ("", "+"))) for m in found if m]


_N = r"[$€£]?\s?(\d{1,9}(?:[.,]\d{1,6})?)\s?[%k]?"
_UNIT = (
    r"(?:\s?(?:years?|yrs?|days?|weeks?|months?|hours?|hrs?|min(?:ute)?s?|times|points?|mm|cm))?"
)
_BETWEEN = re.compile(rf"(?:from )?{_N}\s?(?:-|–|—|to|bis|à)\s?{_N}{_UNIT}")
_BELOW = re.compile(rf"(?:<|≤|<=|under|below|less than|fewer than|up to|unter|bis)\s?{_N}{_UNIT}")
_ABOVE = re.compile(
    rf"(?:(?:>|≥|>=|over|above|more than|at least|über|ab)\s?{_N}{_UNIT}|"
    rf"{_N}{_UNIT}\s?(?:\+|(?:or|and|&) (?:more|older|above|over|higher|up)|und mehr))"
)
_ONE = re.compile(rf"{_N}{_UNIT}")


def _ranges(words: Sequence[str]) -> list[float] | None:
    """Ranges of numbers that do not overlap: 0-10, 11-20, 21+."""
    spans: list[tuple[float, float]] = []
    ranges = 0
    for word in words:
        ranges += not (word == "none" or _ONE.fullmatch(word))
        if m := _BETWEEN.fullmatch(word):
            spans.append((_number(m[1]), _number(m[2])))
        elif m := _BELOW.fullmatch(word):
            spans.append((float("-inf"), _number(m[1])))
        elif m := _ABOVE.fullmatch(word):
            spans.append((_number(m[1] or m[2]), float("inf")))
        elif m := _ONE.fullmatch(word):
            spans.append((_number(m[1]), _number(m[1])))
        elif word == "none":
            spans.append((float("-inf"), 0.0))
        else:
            return None
    ordered = sorted(spans)
    apart = all(a[1] <= b[0] for a, b in pairwise(ordered))
    if not ranges or not apart or any(low > high for low, high in spans):
        return None
    return [float(ordered.index(span)) for span in spans]


def _number(text: str) -> float:
    return float(text.replace(",", "."))


_STEP = re.compile(
    r"(?:stage|grade|level|lvl|tier|step|degree|score|rating|bi-?rads|asa|nyha|severity|phase|"
    r"stufe|grad|niveau|nivel)[ _-]?(\d{1,3}|[ivx]{1,5})([a-d]?)"
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")


def _steps(words: Sequence[str]) -> list[float] | None:
    """Numbered steps (Level 2, Stage IIIb), and Roman numbers alone."""
    found = [_STEP.fullmatch(word) for word in words]
    if all(found):
        parts = [(m[1], m[2]) for m in found if m]
    elif "ii" in words:
        parts = [(word, "") for word in words]
    else:
        return None
    if not all(number.isdigit() or number in _ROMAN for number, _ in parts):
        return None
    return [
        (int(n) if n.isdigit() else _ROMAN.index(n) + 1) + (ord(part) - 96 if part else 0) / 10
        for n, part in parts
    ]


_SIGNS = re.compile(r"\++|[-–−]+|0|\+/-|±|o")


def _signs(words: Sequence[str]) -> list[float] | None:
    """Plus and minus signs: --, -, 0, +, ++."""
    if not all(map(_SIGNS.fullmatch, words)) or not any("++" in word for word in words):
        return None
    return [
        0.0 if word in ("+/-", "±") else float(word.count("+") - sum(map(word.count, "-–−")))
        for word in words
    ]


_AGREE = {"sd": 0.0, "d": 1.0, "n": 2.0, "u": 2.0, "a": 3.0, "sa": 4.0}


def _initials(words: Sequence[str]) -> list[float] | None:
    """Short forms of agreement: SD, D, N, A, SA."""
    if not {*words} & {"sd", "sa"} or not {*words} <= {*_AGREE}:
        return None
    return [_AGREE[word] for word in words]


_LANGUAGE = re.compile(r"([abc])([12])")


def _language(words: Sequence[str]) -> list[float] | None:
    """Levels of language: A1, A2, B1, B2, C1, C2."""
    found = [_LANGUAGE.fullmatch(word) for word in words]
    if not all(found) or len({m[1] for m in found if m}) == 1:
        return None
    return [2.0 * ord(m[1]) + int(m[2]) for m in found if m]


SEQUENCES: tuple[Order, ...] = (
    _grades,
    _ranges,
    _steps,
    _signs,
    _initials,
    _language,
)
"""Ways in which the order of labels is written."""
