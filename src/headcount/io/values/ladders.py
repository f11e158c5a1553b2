"""Labels that name the steps of a scale, lowest first: never, sometimes, always; C, B-, B, A."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from headcount.data.vocabulary import number_of
from headcount.io.values.degrees import by_degree
from headcount.io.values.ladder_words import LADDERS
from headcount.io.values.sequences import SEQUENCES, Order

__all__ = ["MONTH", "are_numbered", "in_order"]

_BARE_POLES = (frozenset({"negative", "neutral", "positive"}),)
"""Labels that are steps to some and names to others."""
_NUMBERED = re.compile(r"\(?(\d+(?:\.\d+)?)\)?\s*(?:[-–—:=.,)]+\s*|\s)\s*\(?([^\d].*?)\)?")
_NUMBER_LAST = re.compile(
    r"([^\d(=:]*[^\d(=:\s-])\s*(?:[=:]|\s[-–—]|(?=\())\s*\(?(\d+(?:\.\d+)?)\)?"
)
"""A number, and what it means: ``1 - never``, ``5 (always)``; ``never (1)``, ``always = 5``."""
MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*\.?"
_MONTH = re.compile(MONTH)
"""Spreadsheets take 2-1 for a day of January."""
LEAST, MOST = 3, 20
"""Labels of which an order can be told."""
LONGEST = 80
"""Letters of a text from which on it is no step of a scale."""


def in_order(labels: Sequence[str]) -> tuple[str, ...] | None:
    """Put labels in order, lowest first, if they are steps of a scale that is known.

    It is known by its words, or by how labels are written (grades, ranges). Numbers of which some
    have words beside them are a scale too; numbers that all have words may be codes of names
    (``1 = cat``), and need words that are known.

    Examples
    --------
    >>> in_order(["often", "never", "sometimes"])
    ('never', 'sometimes', 'often')
    >>> in_order(["2", "3 (very good)", "1 (poor)"])
    ('1 (poor)', '2', '3 (very good)')
    >>> in_order(["21+", "0-10", "11-20"]), in_order(["B+", "A-", "C"])
    (('0-10', '11-20', '21+'), ('C', 'B+', 'A-'))
    >>> in_order(["1 = cat", "2 = dog", "3 = bird"])
    """
    if not LEAST <= len(labels) <= MOST or max(map(len, labels)) > LONGEST:
        return None
    plain = [_plain(label) for label in labels]
    if (steps := _first(SEQUENCES, plain)) is not None:
        return _sorted(labels, steps)
    written = [_parts(label.strip()) for label in labels]
    numbers = [number for number, _ in written]
    words = [_plain(word) for _, word in written]
    if any(map(_MONTH.fullmatch, words)):
        return None
    numbered = [number for number in numbers if number is not None]
    apart = len({*numbered}) == len(labels)
    bare = [number_of(label) is not None for label in labels]
    if apart and any(bare) and not all(bare):
        return _sorted(labels, numbered)
    steps = _steps(words if numbered else plain)
    if steps is None or (numbered and not apart):
        return None
    return _sorted(labels, numbered if apart else steps)


def are_numbered(labels: Sequence[str]) -> bool:
    """Whether all labels are numbers in a row, each with words: 1 = cat, 2 = dog, 3 = bird.

    Examples
    --------
    >>> are_numbered(["2 = dog", "1 = cat", "3 = bird"]), are_numbered(["1", "2", "3"])
    (True, False)
    """
    if not LEAST <= len(labels) <= MOST or any(number_of(label) is not None for label in labels):
        return False
    numbers = sorted(n for label in labels if (n := _parts(label.strip())[0]) is not None)
    return len(numbers) == len(labels) and numbers == [numbers[0] + k for k in range(len(numbers))]


def _parts(label: str) -> tuple[float | None, str]:
    """Take the number of a label apart from the words that say what it means."""
    if m := _NUMBERED.fullmatch(label):
        return float(m[1]), m[2]
    if m := _NUMBER_LAST.fullmatch(label):
        return float(m[2]), m[1]
    return number_of(label), label


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("\u2019", "'").split())


def _sorted(labels: Sequence[str], by: Sequence[float]) -> tuple[str, ...]:
    return tuple(label for _, label in sorted(zip(by, labels, strict=True)))


def _steps(words: Sequence[str]) -> list[float] | None:
    """Order of labels on the one scale that has them all, each on a step of its own."""
    if frozenset(words) in _BARE_POLES:
        return None
    found = _first((by_degree, _on_ladder), words)
    last = {word.rpartition(" ")[2] for word in words}
    if found is None and len(last) == 1:  # low risk, high risk
        return _on_ladder([word.rpartition(" ")[0] for word in words])
    return found


def _first(orders: Iterable[Order], words: Sequence[str]) -> list[float] | None:
    """Give the first order that is one of all words, each on a step of its own."""
    for order in orders:
        made = order(words)
        if made is not None and len({*made}) == len(words):
            return made
    return None


def _on_ladder(words: Sequence[str]) -> list[float] | None:
    """Place of each word on the one ladder that has them all, each on a step of its own."""
    for ladder in LADDERS:
        places = [next((n for n, s in enumerate(ladder) if word in s), None) for word in words]
        known = [float(place) for place in places if place is not None]
        if len({*known}) == len(words):
            return known
    return None
