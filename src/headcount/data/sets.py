"""Tell cells that hold several labels from labels that hold a comma."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from headcount.data.vocabulary import label_text, number_of
from headcount.typing import Codes

__all__ = ["LISTS", "SEPARATORS", "Sets", "find_sets", "split_all"]

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
            held = "".join(m for one in self.members for m in one)
            between = next((s for s in SEPARATORS if s not in held), between)
        return [between.join(one) or "(none)" for one in self.members]

    def found_in(self, texts: Sequence[str]) -> str:
        """Say what cells hold, with the first text that shows it."""
        shown = next(
            text
            for text, one in zip(texts, self.members, strict=True)
            if len(one) > 1 or self.separator == LISTS
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
    given = {text: n for text, n in zip(texts, uses.tolist(), strict=True) if n}
    if any(_list(text) is not None for text in given):
        return Sets(tuple(_members(text) for text in texts), LISTS)
    for separator in SEPARATORS:
        if _are_sets(given, separator):
            return split_all(texts, separator)
    return None


def _are_sets(texts: Mapping[str, int], separator: str) -> bool:
    parts = {text: _split(text, separator) for text in texts}
    joined = [held for held in parts.values() if len(held) > 1]
    if not joined:
        return False
    if all(_numbers(held) for held in parts.values()):
        often = sum(n for text, n in texts.items() if len(parts[text]) > 1)
        if often < LEAST_OFTEN * sum(texts.values()):
            return False
        if separator == "," and all(len(held) == 2 for held in joined):
            return False
    within = Counter(part for one in joined for part in one)
    alone = {label_text(text.strip().strip(separator).strip()) for text in texts} & set(within)
    new = sum(n for part, n in within.items() if n == 1 and part not in alone)
    if new > MOST_NEW * within.total():
        return False
    return separator != "," or len(alone) >= LEAST_ALONE * len(within)


def _numbers(parts: Sequence[str]) -> bool:
    return all(number_of(part) is not None for part in parts)


def _split(text: str, separator: str) -> tuple[str, ...]:
    parts = {label_text(part.strip()) for part in text.split(separator)}
    return tuple(sorted(parts - {""}))


def _members(text: str) -> tuple[str, ...]:
    listed = _list(text)
    return (text,) if listed is None else tuple(sorted({label_text(one) for one in listed}))


def _list(text: str) -> list[str] | None:
    """Read a list as JSON or Python writes it; None if the text is none."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found: Any = read(text)
        except (ValueError, SyntaxError):
            continue
        if isinstance(found, list):
            parts = cast("list[Any]", found)
            if all(isinstance(one, str | int | float) for one in parts):
                return [str(one).strip() for one in parts if str(one).strip()]
    return None
