"""Elo ratings online: a comparison at a time, and what they are so far."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, closest, count, option
from headcount.pairwise.elo.prepare import checked_match, finite, step_size, too_large
from headcount.typing import Flags, Floats

__all__ = ["OnlineElo", "UnknownItem"]


class OnlineElo:
    """Ratings by item that change with each comparison; :class:`headcount.Elo` says how."""

    def __init__(
        self,
        ratings: Mapping[Any, float] | None = None,
        denom: float = 1.0,
        *,
        base: float = math.e,
        denominator: float | None = None,
    ) -> None:
        if denominator is not None:
            if denom != 1.0:
                raise OptionError(
                    f"give {option('denom')} or {option('denominator')}, not both: they are the "
                    "same."
                )
            denom = denominator
        self.base = options.number(base, "base", above=1)
        self.denominator = options.number(denom, "denominator", above=0)
        self._slope = math.log(self.base) / self.denominator  # logits a point
        if not 0 < self._slope < math.inf:
            raise OptionError(
                f"a {option('denominator')} of {self.denominator:g} is too extreme to compute with."
            )
        self._ratings: dict[Any, float] = {
            item: finite(f"rating of '{item}'", rating) for item, rating in (ratings or {}).items()
        }

    def expected_score(self, player1: Hashable, player2: Hashable) -> float:
        """Share of the point that player 1 is expected to take from player 2."""
        return self._expected(self.rating(player1), self.rating(player2))

    def add_match(
        self,
        player1: Hashable,
        player2: Hashable,
        result: float,
        k: float = 0.1,
        default_rating: float = 0,
    ) -> None:
        """Update two ratings after a comparison.

        Parameters
        ----------
        player1, player2 : hashable
            The items. One not seen before starts at `default_rating`.
        result : float
            Share of the point that player 1 took: 1, 0, or 0.5 for a tie.
        k : float
            How far a rating moves at most.
        default_rating : float
        """
        k, start = step_size(k), finite("default_rating", default_rating)
        self._play(checked_match(0, (player1, player2, result)), k, start)

    def add_matches(
        self,
        matches: Iterable[tuple[Hashable, Hashable, float]],
        k: float = 0.1,
        default_rating: float = 0,
    ) -> None:
        """Update ratings after comparisons, one by one: (player 1, player 2, result) each.

        If one of them is wrong, none counts. :meth:`fit` does many at once, faster.
        """
        k, start = step_size(k), finite("default_rating", default_rating)
        rows = [checked_match(number, each) for number, each in enumerate(_rows(matches))]
        before = dict(self._ratings)
        try:
            for row in rows:
                self._play(row, k, start)
        except DataError:
            self._ratings = before
            raise

    def _play(self, match: tuple[Any, Any, float], k: float, start: float) -> None:
        player1, player2, result = match
        one, other = self._ratings.get(player1, start), self._ratings.get(player2, start)
        step = k * (result - self._expected(one, other))
        if not (math.isfinite(one + step) and math.isfinite(other - step)):
            raise too_large(k)
        self._ratings[player1], self._ratings[player2] = one + step, other - step

    def _expected(self, one: float, other: float) -> float:
        """Share of the point expected at two ratings."""
        gap = self._slope * (one - other)
        odds = math.exp(-abs(gap))  # never of a large number, so nothing overflows
        return (1 if gap >= 0 else odds) / (1 + odds)

    def ratings(self) -> dict[Any, float]:
        """Ratings by item: a copy."""
        return dict(self._ratings)

    def rating(self, player: Hashable) -> float:
        """Rating of an item."""
        if player not in self._ratings:
            near = closest(str(player), map(str, self._ratings))
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UnknownItem(f"no rating of '{player}': it is in no comparison so far.{hint}")
        return self._ratings[player]

    def items(self) -> list[Any]:
        """Items that have a rating, in the order in which they came."""
        return list(self._ratings)

    def rankings(self) -> dict[Any, int]:
        """Rank of each item, best first, from 0; equal ratings in the order of the names."""
        try:
            names = sorted(self._ratings)
        except TypeError:  # numbers and text
            names = sorted(self._ratings, key=str)
        best = sorted(names, key=lambda item: -self._ratings[item])
        return {item: rank for rank, item in enumerate(best)}

    def ranking(self, player: Hashable) -> int:
        """Rank of an item, from 0."""
        self.rating(player)
        return self.rankings()[player]

    def _keys(self, comparisons: Comparisons) -> list[Any]:
        """Items as they are known here; 1 and '1' are the same where only one of them is."""
        items: list[Any] = comparisons.items.tolist()
        if not self._ratings:
            return items
        by_text = {str(item): item for item in self._ratings}
        return [item if item in self._ratings else by_text.get(str(item), item) for item in items]

    def _start(self, comparisons: Comparisons, start: float) -> Floats:
        """Ratings at which items begin: theirs, or `start` where they have none."""
        keys = self._keys(comparisons)
        rating = np.full(len(keys), start)
        if self._ratings:
            rating[:] = [self._ratings.get(key, start) for key in keys]
        return rating

    def _update(self, comparisons: Comparisons, rating: Floats, seen: Flags) -> None:
        """Take over the ratings of the items that were seen."""
        rows = zip(self._keys(comparisons), rating.tolist(), seen.tolist(), strict=True)
        self._ratings = self._ratings | {key: value for key, value, known in rows if known}

    def __repr__(self) -> str:
        base = "e" if self.base == math.e else f"{self.base:g}"
        return (
            f"Elo: {count(len(self._ratings), 'item')}; base {base}, denominator "
            f"{self.denominator:g}"
        )


def _rows(matches: Any) -> list[Any]:
    """List comparisons; a number is none."""
    try:
        return list(matches)
    except TypeError:
        raise DataError(
            f"expected comparisons, each (player 1, player 2, result), not {matches!r}."
        ) from None


class UnknownItem(DataError, KeyError):
    """An item without a rating; also a KeyError, as in ``elo_rating``."""

    __str__ = Exception.__str__  # a KeyError puts its message in quotes
