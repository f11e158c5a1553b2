"""Elo ratings: online, a comparison at a time, or over many at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.engine.taking import take_comparisons
from headcount.errors import DataError, OptionError, closest, count, option
from headcount.pairwise.answers import sort_rows
from headcount.results.notes import Note, Notes
from headcount.typing import Codes, Flags, Floats, Seed

__all__ = [
    "GIVEN",
    "SHUFFLED",
    "ORDERS",
    "Elo",
    "EloFit",
]


# The order in which Elo goes through comparisons.

GIVEN = "given"
"""As the rows are."""
SHUFFLED = "shuffled"
"""At random, and another order in each pass; the order of the rows does not matter."""
ORDERS = (GIVEN, SHUFFLED)


# What Elo is given, checked.


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
            f"comparison {number}: result {share:g}. Expected 1 if player 1 won, 0 if player 2 "
            "won, or 0.5 for a tie."
        )
    return player1, player2, share


def too_large(k: float) -> DataError:
    """Error for ratings that are not numbers any more."""
    return DataError(
        f"ratings grew beyond all numbers with {option('k', k)}. Use a smaller {option('k')}."
    )


class UnknownItem(DataError, KeyError):
    """An item without a rating; also a KeyError, as in ``elo_rating``."""

    __str__ = Exception.__str__  # a KeyError puts its message in quotes


@dataclass(frozen=True, eq=False, kw_only=True)
class EloFit:
    """What :meth:`headcount.Elo.fit` did, and the ratings after it.

    Parameters
    ----------
    items : tuple
        In the order of `ratings`.
    ratings : (items,) array
    n_comparisons, n_epochs : int
        Comparisons, and passes over them.
    converged : bool or None
        Whether ratings are stable; None if nobody looked.
    misfit : float or None
        Largest difference of an item's mean score from what ratings expect, at the end.
    notes : tuple of Note
    """

    items: tuple[Any, ...]
    ratings: Floats
    n_comparisons: int
    n_epochs: int
    converged: bool | None
    misfit: float | None
    notes: tuple[Note, ...]


class Elo:
    r"""Elo ratings of items, from the outcomes of comparisons.

    The item on the left is expected to take

    .. math:: E = \frac{1}{1 + b^{(R_r - R_l) / d}}

    of the point. After the comparison its rating changes by `k` times the difference between the
    result and this expectation, and the other item's rating by the opposite amount [1]_ [2]_. In
    equation 2 of [1]_ the sign of the exponent is reversed; this one is right.

    A drop-in replacement for ``elo_rating.Elo``, with the same methods, defaults and numbers. But
    it refuses items compared with themselves, outcomes outside 0 to 1 and numbers that are not
    finite, and large differences in ratings do not overflow.

    Parameters
    ----------
    ratings : mapping, optional
        Ratings to start from, by item. They are copied.
    denom : float
        The denominator d: a difference of so many points multiplies the odds by `base`.
    base : float
        The base b. With the default, e, and a denominator of 1, ratings are logits; the paper uses
        10 and 400.

    References
    ----------
    .. [1] Narimanzadeh, Badie-Modiri, Smirnova and Chen (2023), Crowdsourcing subjective
       annotations using pairwise comparisons reduces bias and error compared to the
       majority-vote method, CSCW.
    .. [2] Elo (1978), The Rating of Chessplayers, Past and Present.

    Examples
    --------
    >>> elo = Elo(denom=400)
    >>> elo.add_match("p1", "p2", 1.0, k=30, default_rating=1400)
    >>> elo.add_matches([("p1", "p2", 1.0), ("p2", "p1", 0.5)], k=30, default_rating=1400)
    >>> {item: round(rating, 6) for item, rating in elo.ratings().items()}
    {'p1': 1428.335836, 'p2': 1371.664164}
    >>> round(elo.expected_score("p1", "p2"), 6)
    0.535361
    """

    def __init__(
        self,
        ratings: Mapping[Any, float] | None = None,
        denom: float = 1.0,
        *,
        base: float = math.e,
    ) -> None:
        self.base = options.number(base, "base", above=1)
        self.denom = options.number(denom, "denom", above=0)
        self._slope = math.log(self.base) / self.denom  # logits a point
        if not 0 < self._slope < math.inf:
            raise OptionError(f"{option('denom', self.denom)} is too extreme to compute with.")
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
        self.add_matches([(player1, player2, result)], k, default_rating)

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
        rows = [checked_match(number, each) for number, each in enumerate(matches)]
        before = dict(self._ratings)
        try:
            for row in rows:
                self._play(row, k, start)
        except DataError:
            self._ratings = before
            raise

    def _play(self, match: tuple[Any, Any, float], k: float, start: float) -> None:
        player1, player2, result = match
        rating1, rating2 = self._ratings.get(player1, start), self._ratings.get(player2, start)
        step = k * (result - self._expected(rating1, rating2))
        if not (math.isfinite(rating1 + step) and math.isfinite(rating2 - step)):
            raise too_large(k)
        self._ratings[player1], self._ratings[player2] = rating1 + step, rating2 - step

    def _expected(self, rating: float, other: float) -> float:
        """Share of the point expected at two ratings."""
        gap = self._slope * (rating - other)
        odds = math.exp(-abs(gap))  # never of a large number, so nothing overflows
        return (1 if gap >= 0 else odds) / (1 + odds)

    def fit(
        self,
        comparisons: Comparisons | Any,
        *,
        k: float = 0.1,
        default_rating: float = 0,
        epochs: int = 1,
        order: str = GIVEN,
        tolerance: float | None = None,
        seed: Seed = 0,
    ) -> EloFit:
        """Update ratings after many comparisons, in one pass over them or in several.

        Ratings that there are already are where it starts, so that more comparisons, and items
        not seen before, can be added at any time. A comparison's weight multiplies `k`.

        Parameters
        ----------
        comparisons : Comparisons, or path or frame
            Or anything that :func:`headcount.read_comparisons` takes.
        k : float
            How far a rating moves at most after a comparison of weight 1.
        default_rating : float
            Where an item that was not seen before starts.
        epochs : int
            Passes over the comparisons, at most.
        order : {"given", "shuffled"}
            Order of the comparisons in a pass: as they are, or random, and another in each. What
            is drawn at random does not depend on the order of the rows.
        tolerance : float, optional
            Stop when ratings are stable: when no item's mean score is further than this from what
            the ratings lead to expect, in points a comparison. Each random order is then also gone
            through backwards, which undoes most of what the order does to ratings. With a constant
            `k` they keep moving for ever, so it is halved after two passes that made them no
            better. Only in random order. Default: all passes are done, with the same `k`.
        seed : int or Generator
            Seed of the random orders.

        Returns
        -------
        EloFit

        Notes
        -----
        O(comparisons) a pass: 1,000,000 take some hundredths of a second in the order given, and
        several times that in random order. What is compiled on the first call is kept on disk.

        Ratings with a misfit of 0 are those of maximum likelihood, so a small tolerance leads
        there. An item that won or lost all its comparisons stops where that is expected to within
        the tolerance.

        Examples
        --------
        >>> played = Comparisons.from_columns("aabbca", "bcccab", [1, 1, 1, 0.5, 0, 0])
        >>> elo = Elo()
        >>> fit = elo.fit(played, epochs=500, order="shuffled", tolerance=0.01)
        >>> fit.converged
        True
        >>> {item: round(rating, 1) for item, rating in elo.ratings().items()}
        {'a': 0.8, 'b': 0.4, 'c': -1.3}
        """
        order = options.one_of(order, "order", ORDERS)
        if tolerance is not None:
            tolerance = options.number(tolerance, "tolerance", above=0)
            if order == GIVEN:
                raise OptionError(
                    f"a {option('tolerance')} needs random order: give {option('order', SHUFFLED)}."
                )
        from headcount.pairwise._kernels import elo_excess, elo_pass

        k, epochs = step_size(k), options.whole(epochs, "epochs", least=1)
        start, rng = finite("default_rating", default_rating), options.seed(seed)
        data = take_comparisons(comparisons)
        # What is drawn at random does not depend on the order of the rows.
        played = data if order == GIVEN else sort_rows(data)
        rating, seen = self._start(played, start), np.zeros(len(played.items), dtype=bool)
        # An empty array stands for weights that are all 1.
        weight = np.zeros(0) if played.weight is None else played.weight
        rows = (played.left, played.right, played.outcome, weight)

        def play(k: float, order: Codes) -> None:
            elo_pass(rating, seen, *rows, order, k, self._slope)
            if not np.isfinite(rating).all():
                raise too_large(k)

        def mean_excess() -> Floats:
            excess, number = elo_excess(rating, *rows, self._slope)
            return excess / np.where(number > 0, number, 1)

        notes, misfit, n_epochs = Notes(data.notes), None, epochs
        if tolerance is None:
            for _ in range(epochs):
                play(k, AS_GIVEN if order == GIVEN else rng.permutation(len(played)))
        else:
            n_epochs, misfit = _until_stable(
                play, mean_excess, len(played), k, epochs, tolerance, rng
            )
        converged = None if tolerance is None or misfit is None else misfit <= tolerance
        if converged is False:
            notes.warning(
                f"Elo is not stable after {count(n_epochs, 'epoch')}: an item's mean score is "
                f"{misfit:.2g} off what the ratings expect. Allow more "
                f"({option('epochs', 10 * n_epochs)})."
            )
        self._update(played, rating, seen)
        return EloFit(
            items=tuple(self._ratings),
            ratings=np.array(list(self._ratings.values())),
            n_comparisons=len(played),
            n_epochs=n_epochs,
            converged=converged,
            misfit=misfit,
            notes=tuple(notes),
        )

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

    def _update(self, comparisons: Comparisons, rating: Floats, rated: Flags) -> None:
        """Take over the ratings of the items that were seen."""
        rows = zip(self._keys(comparisons), rating.tolist(), rated.tolist(), strict=True)
        self._ratings = self._ratings | {key: value for key, value, was_seen in rows if was_seen}

    def __repr__(self) -> str:
        base = "e" if self.base == math.e else f"{self.base:g}"
        return f"Elo: {count(len(self._ratings), 'item')}; base {base}, denom {self.denom:g}"


AS_GIVEN = np.zeros(0, dtype=np.int64)
"""No order but that of the comparisons."""


def _until_stable(
    play: Callable[[float, Codes], None],
    mean_excess: Callable[[], Floats],
    n: int,
    k: float,
    epochs: int,
    tolerance: float,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Go through random orders forth and back, until items score what is expected of them.

    The step is halved once two passes have not made ratings better. Returns the passes, and the
    largest difference of a mean score from what ratings expect.
    """
    order, spread, misfit, done = AS_GIVEN, math.inf, math.inf, 0
    while done < epochs and misfit > tolerance:
        back = done % 2 == 1
        order = np.ascontiguousarray(order[::-1]) if back else rng.permutation(n)
        play(k, order)
        done += 1
        if back or done == epochs:
            mean = mean_excess()
            misfit, last, spread = float(np.abs(mean).max()), spread, float(mean @ mean)
            k = k / 2 if spread >= last else k
    return done, misfit
