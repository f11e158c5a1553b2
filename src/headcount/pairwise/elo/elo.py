"""Elo ratings: online, a comparison at a time, or over many at once."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, closest, count, option
from headcount.io.take import take_comparisons
from headcount.pairwise.elo.checks import checked_match, finite, plain, step_size, too_large
from headcount.pairwise.elo.orders import GIVEN, ORDERS, SHUFFLED
from headcount.pairwise.elo.passes import Passes
from headcount.pairwise.elo.records import EloProvenance
from headcount.pairwise.elo.result import EloFit
from headcount.pairwise.row_order import sort_rows
from headcount.typing import Seed

__all__ = ["Elo"]

FORMAT = "headcount elo 1"
"""First entry of a saved rating: what the file is."""


class Elo:
    r"""Elo ratings of items, from the outcomes of comparisons.

    The item on the left is expected to take

    .. math:: E = \frac{1}{1 + b^{(R_r - R_l) / d}}

    of the point; after the comparison its rating moves by `k` times what it took beyond that, and
    the other's by as much the other way [1]_ [2]_. Equation 2 of [1]_ has the sign of the exponent
    reversed; this is the right one.

    A drop-in for ``elo_rating.Elo``, with the same methods, defaults and numbers, but it refuses
    items compared with themselves, outcomes outside 0 to 1 and numbers that are not finite, and no
    difference in ratings overflows.

    Parameters
    ----------
    ratings : mapping, optional
        Ratings to start from, by item. They are copied.
    denom : float
        The denominator d: how many points make the odds `base` times larger.
    base : float
        The base b. The default, e, with a denominator of 1 makes ratings logits; the paper's are
        10 and 400.
    denominator : float, optional
        Another name of `denom`.

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

    # --- one by one -------------------------------------------------------------------------------

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

    # --- many at once -----------------------------------------------------------------------------

    def fit(
        self,
        comparisons: Comparisons | Any,
        *,
        k: float = 0.1,
        default_rating: float = 0,
        epochs: int = 1,
        order: str = GIVEN,
        tolerance: float | None = None,
        rng: Seed = 0,
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
        rng : int or Generator
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
        k, start = step_size(k), finite("default_rating", default_rating)
        epochs = options.whole(epochs, "epochs", least=1)
        order = options.one_of(order, "order", ORDERS)
        if tolerance is not None:
            tolerance = options.number(tolerance, "tolerance", above=0)
            if order == GIVEN:
                raise OptionError(
                    f"a {option('tolerance')} needs random order: give {option('order', SHUFFLED)}."
                )
        generator = options.seed(rng)
        given = take_comparisons(comparisons)
        keys = self._keys(given)
        rating = np.full(len(keys), start)
        if self._ratings:
            rating[:] = [self._ratings.get(key, start) for key in keys]
        passes = Passes(given if order == GIVEN else sort_rows(given), rating, self._slope)
        if order == GIVEN:
            passes.in_order(k, epochs)
        elif tolerance is None:
            passes.shuffled(k, epochs, generator)
        else:
            passes.until_stable(k, epochs, generator, tolerance)
        rated = dict(zip(keys, rating.tolist(), strict=True))
        if not passes.seen.all():
            rated = {key: rated[key] for key, seen in zip(keys, passes.seen, strict=True) if seen}
        self._ratings = self._ratings | rated if self._ratings else rated
        return EloFit(
            items=tuple(self._ratings),
            ratings=np.array(list(self._ratings.values())),
            n_comparisons=len(given),
            order=order,
            n_epochs=passes.n_epochs,
            converged=passes.converged,
            misfit=passes.misfit,
            notes=tuple(passes.notes(given.notes)),
            provenance=EloProvenance(
                source=given.source,
                sources=given.sources,
                dropped=given.dropped,
                items_used=int(passes.seen.sum()),
                items_dropped=int((~passes.seen).sum()),
                n_ratings=len(given),
                n_raters=None if given.raters is None else len(given.raters),
                seed=options.seed_number(rng) if order == SHUFFLED else None,
                backend=given.backend,
                k=k,
                base=self.base,
                denominator=self.denominator,
            ),
        )

    def _keys(self, comparisons: Comparisons) -> list[Any]:
        """Items as they are known here; 1 and '1' are the same where only one of them is."""
        items: list[Any] = comparisons.items.tolist()
        if not self._ratings:
            return items
        by_text = {str(item): item for item in self._ratings}
        return [item if item in self._ratings else by_text.get(str(item), item) for item in items]

    # --- what came out ----------------------------------------------------------------------------

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

    def save(self, path: str | Path) -> None:
        """Write the ratings as JSON, whole or not at all."""
        from headcount.io.write import replacing

        pairs = [[plain(item), rating] for item, rating in self._ratings.items()]
        saved = {
            "format": FORMAT,
            "base": self.base,
            "denominator": self.denominator,
            "ratings": pairs,
        }
        with replacing(Path(path)) as temporary:
            temporary.write_text(json.dumps(saved), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Elo:
        """Read ratings that :meth:`save` wrote."""
        try:
            saved = json.loads(Path(path).read_text(encoding="utf-8"))
            if saved["format"] != FORMAT:
                raise ValueError
            pairs: list[tuple[Any, float]] = [(item, rating) for item, rating in saved["ratings"]]
            return cls(dict(pairs), base=saved["base"], denominator=saved["denominator"])
        except OSError as error:
            raise DataError(f"cannot read '{path}': {error.strerror}.") from None
        except (ValueError, TypeError, KeyError):
            raise DataError(
                f"{Path(path).name} does not hold Elo ratings that headcount saved. Give a file "
                "that Elo.save wrote."
            ) from None

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
