"""What Elo is asked, checked: comparisons, numbers, items, and how to go through them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount import options
from headcount.errors import DataError, OptionError, option
from headcount.pairwise.elo.orders import GIVEN, ORDERS, SHUFFLED
from headcount.typing import Seed

__all__ = ["Schedule", "checked_match", "finite", "plain", "step_size", "too_large"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Schedule:
    """How to go through many comparisons; :meth:`headcount.Elo.fit` says what the options mean."""

    k: float
    start: float
    epochs: int
    order: str
    tolerance: float | None
    rng: np.random.Generator
    seed: int | None

    @classmethod
    def checked(
        cls, *, k: Any, start: Any, epochs: Any, order: Any, tolerance: Any, rng: Seed
    ) -> Schedule:
        """Check the options."""
        k, start = step_size(k), finite("default_rating", start)
        epochs = options.whole(epochs, "epochs", least=1)
        order = options.one_of(order, "order", ORDERS)
        if tolerance is not None:
            tolerance = options.number(tolerance, "tolerance", above=0)
            if order == GIVEN:
                raise OptionError(
                    f"a {option('tolerance')} needs random order: give {option('order', SHUFFLED)}."
                )
        return cls(
            k=k,
            start=start,
            epochs=epochs,
            order=order,
            tolerance=tolerance,
            rng=options.seed(rng),
            seed=options.seed_number(rng) if order == SHUFFLED else None,
        )


def finite(what: str, value: object) -> float:
    """Read a finite number."""
    try:
        number = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"{what}: expected a finite number, not {value!r}.")
    return number


def step_size(k: Any) -> float:
    """Check how far a rating may move."""
    return options.number(k, "k", least=0, such_as="0.1")


def checked_match(number: int, match: Any) -> tuple[Any, Any, float]:
    """Check a comparison; `number` is its position."""
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
    return DataError(
        f"ratings grew beyond all numbers with {option('k', k)}. Use a smaller {option('k')}."
    )


def plain(item: Any) -> str | int:
    """Make an item what JSON can hold and give back the same."""
    plain: Any = item.item() if hasattr(item, "item") else item  # numpy's numbers
    if type(plain) in (str, int):  # and not a bool, which is an int too
        return plain
    raise DataError(
        f"item {item!r} cannot be saved: items must be text or whole numbers, not "
        f"{type(item).__name__}."
    )
