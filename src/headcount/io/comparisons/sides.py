"""Which columns hold the two items of a comparison, and how outcomes call them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from headcount.errors import DataError, option
from headcount.io.roles.roles import find_roles, plain_name
from headcount.io.tables.table import Table

__all__ = ["check_third", "find_sides", "own_and_other", "side_letters", "twins"]

SIDE_ENDS = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"))
"""How names of two columns end, or begin, that hold the same of two sides."""
OWN = ("model", "system", "player", "team", "candidate", "item", "challenger", "method", "name")
OTHERS = ("opponent", "baseline", "baseline_model", "opponent_model", "reference_model", "versus")
"""What an item is called, and what it was compared with, where results are its own."""
_TIES = {"draw": 0.5, "tie": 0.5, "d": 0.5, "t": 0.5}
_LETTERS: dict[str, dict[str, float]] = {
    "home": {"home": 1, "h": 1, "away": 0, "a": 0, "visitor": 0, **_TIES},
    "white": {"white": 1, "w": 1, "black": 0, "b": 0, **_TIES},
}
"""Words for outcomes of which one letter may be that of another side, by the name of the left."""
_OWN_RESULTS = {
    **dict.fromkeys(("win", "won", "w", "wins"), 1.0),
    **dict.fromkeys(("loss", "lose", "lost", "l", "loses"), 0.0),
    **_TIES,
}


def find_sides(table: Table, given: Mapping[str, str | None]) -> dict[str, int]:
    """Columns of the two items: those named, those that are called so, or the only two alike."""
    sides = {role: given[role] for role in ("left", "right")}
    roles = find_roles(table, sides)
    if roles or any(sides.values()):
        return roles
    if (both := own_and_other(table.names)) is not None:
        return dict(zip(("left", "right"), both, strict=True))
    # Lengths or scores of both sides are no items, nor are conversations.
    flat = [pair for pair in twins(table.names) if not {*pair} & {*table.nested()}]
    pairs = [pair for pair in flat if table.numbers(pair[0])[1].any()]
    return dict(zip(("left", "right"), pairs[0], strict=True)) if len(pairs) == 1 else {}


def own_and_other(names: Sequence[str]) -> tuple[int, int] | None:
    """Columns of an item and of what it was compared with, by their names: player, opponent."""
    plain = [plain_name(name) for name in names]
    own = next((plain.index(name) for name in OWN if name in plain), None)
    other = next((plain.index(name) for name in OTHERS if name in plain), None)
    return None if own is None or other is None else (own, other)


def twins(names: Sequence[str]) -> list[tuple[int, int]]:
    """Find columns of two sides, by their names.

    Examples
    --------
    >>> twins(["id", "candidate_a", "candidate_b", "left_video", "right_video", "winner"])
    [(1, 2), (3, 4)]
    """
    plain = [re.sub(r"(?<=[a-z])(?=[12]$)", "_", plain_name(name)) for name in names]
    place = {name: column for column, name in enumerate(plain)}
    found: list[tuple[int, int]] = []
    for column, name in enumerate(plain):
        for one, other in SIDE_ENDS:
            for form in ("_{}", "{}_"):
                end, its = form.format(one), form.format(other)
                begins = form[0] == "{"
                if not (name.startswith(end) if begins else name.endswith(end)):
                    continue
                stem = name.removeprefix(end) if begins else name.removesuffix(end)
                twin = its + stem if begins else stem + its
                if stem and twin in place:
                    found.append((column, place[twin]))
    return found


def check_third(table: Table, left: int, given: Mapping[str, str | None]) -> None:
    """Refuse a column for a third item beside those of two, unless these are named."""
    plain = [plain_name(name) for name in table.names]
    stem, end = plain[left][:-1], plain[left][-1:]
    third = f"{stem}{ {'a': 'c', '1': '3'}.get(end) }"
    if not stem or third not in plain or (given["left"] and given["right"]):
        return
    raise DataError(
        f"{table.source}: column '{table.names[plain.index(third)]}' holds a third item. Of three "
        "or more, say which is best, in columns item1, item2, ... and best; or name the two that "
        f"were compared with {option('left', '...')} and {option('right', '...')}."
    )


def side_letters(left: str, right: str) -> dict[str, float]:
    """How outcomes may call the sides, by the names of their columns; the left item's share.

    Examples
    --------
    >>> side_letters("HomeTeam", "AwayTeam")["a"], side_letters("model", "baseline")["win"]
    (0, 1.0)
    """
    if plain_name(right) in OTHERS:
        return _OWN_RESULTS
    found = [words for name, words in _LETTERS.items() if left.lower().startswith(name)]
    return found[0] if found else {}
