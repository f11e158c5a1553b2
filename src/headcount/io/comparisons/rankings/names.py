"""What columns of rankings are called."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headcount.io.roles.roles import plain_name

__all__ = ["BEST", "ORDINALS", "WORST", "all_named", "named", "numbered"]

PLACES = ("", "item", "rank", "ranked", "place", "position", "pos", "choice", "option", "model",
          "system", "candidate", "answer", "response", "text")  # fmt: skip
"""What numbered columns of a ranking are called, before the number."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth")  # fmt: skip
BEST = ("best", "best_item", "bestitem", "most", "top", "chosen", "winner")
WORST = ("worst", "worst_item", "worstitem", "least", "bottom")
_NUMBERED = re.compile(r"([a-z_]*?)_?(\d+)(?:st|nd|rd|th)?")


def numbered(names: Sequence[str], besides: Sequence[int | None] = ()) -> list[int]:
    """Columns that are numbered one after the other under one name, such as rank_1, rank_2, ..."""
    found: dict[str, dict[int, int]] = {}
    for column, name in enumerate(names):
        plain = plain_name(name)
        if column in besides:
            continue
        if plain in ORDINALS:
            found.setdefault("first", {})[ORDINALS.index(plain) + 1] = column
        elif (match := _NUMBERED.fullmatch(plain)) and match[1] in PLACES:
            found.setdefault(match[1], {})[int(match[2])] = column
    for places in found.values():
        numbers = sorted(places)
        if numbers and numbers[0] in (0, 1) and numbers[-1] - numbers[0] + 1 == len(numbers):
            return [places[number] for number in numbers]
    return []


def named(names: Sequence[str], known: Sequence[str]) -> int | None:
    """Position of the column that has one of the known names, the first of them that is there."""
    plain = [plain_name(name) for name in names]
    return next((plain.index(name) for name in known if name in plain), None)


def all_named(
    names: Sequence[str], known: Sequence[str], *, besides: Sequence[int | None]
) -> list[int]:
    """Columns that have known names, in the order of these."""
    plain = [plain_name(name) for name in names]
    found = [plain.index(name) for name in known if name in plain]
    return [column for column in found if column not in besides]
