"""What Elo refuses: comparisons, numbers and items that it cannot take."""

from __future__ import annotations

import math
from typing import Any

from headcount.errors import DataError, OptionError

__all__ = ["checked_match", "checked_option", "finite", "plain", "too_large"]


def finite(what: str, value: object) -> float:
    """Read a finite number."""
    try:
        number = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"{what}: expected a finite number, not {value!r}.")
    return number


def checked_option(name: str, value: float, *, above: float | None = None) -> float:
    """Check an option: above a limit, or not negative."""
    fits = value >= 0 if above is None else value > above
    if not (fits and math.isfinite(value)):
        least = "0 or more" if above is None else f"above {above:g}"
        raise OptionError(f"{name} must be finite, and {least}; not {value:g}.")
    return float(value)


def checked_match(number: int, match: Any) -> tuple[Any, Any, float]:
    """Check a comparison; `number` is its place."""
    try:
        player1, player2, result = match
    except (TypeError, ValueError):
        raise DataError(
            f"comparison {number}: expected (player 1, player 2, result), not {match!r}."
        ) from None
    for player in (player1, player2):
        if player is None or player != player:  # NaN is not itself
            raise DataError(f"comparison {number}: an item is missing.")
    if player1 == player2:
        raise DataError(f"comparison {number}: item '{player1}' is compared with itself.")
    share = finite(f"comparison {number}, result", result)
    if not 0 <= share <= 1:
        raise DataError(
            f"comparison {number}: result {share:g}. Expected player 1's share of the point: 1, "
            "0, or 0.5 for a tie."
        )
    return player1, player2, share


def too_large(k: float) -> DataError:
    """Error for ratings that are no numbers any more."""
    return DataError(f"ratings grew beyond all numbers with k = {k:g}. Use a smaller k.")


def plain(item: Any) -> str | int:
    """Make an item what JSON can hold and give back the same."""
    plain: Any = item.item() if hasattr(item, "item") else item  # numpy's numbers
    if type(plain) in (str, int):  # and not a bool, which is an int too
        return plain
    raise DataError(
        f"item {item!r} cannot be saved: items must be text or whole numbers, not "
        f"{type(item).__name__}."
    )
