"""Elo ratings: online, a comparison at a time, or over many at once."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, closest, count, option
from headcount.io.load import take_comparisons
from headcount.io.write import replacing
from headcount.pairwise.answers import sort_rows
from headcount.pairwise.bradley_terry_result import ends
from headcount.results.fields import by_row, json_value
from headcount.results.notes import Notes, Provenance
from headcount.results.page import ALL, Page
from headcount.results.result import Result
from headcount.results.tables import Table
from headcount.typing import Codes, Flags, Floats, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "GIVEN",
    "SHUFFLED",
    "ORDERS",
    "finite",
    "plain",
    "Elo",
    "Passes",
    "EloFit",
    "fitted",
]


# The order in which Elo goes through comparisons.

GIVEN = "given"
"""As the rows are."""
SHUFFLED = "shuffled"
"""At random, and another order in each pass; the order of the rows does not matter."""
ORDERS = (GIVEN, SHUFFLED)


# What Elo is asked, checked: comparisons, numbers, items, and how to go through them.


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


# Elo ratings online: a comparison at a time, and what they are so far.


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


FORMAT = "headcount elo 1"
"""First entry of a saved rating: what the file is."""


class UnknownItem(DataError, KeyError):
    """An item without a rating; also a KeyError, as in ``elo_rating``."""

    __str__ = Exception.__str__  # a KeyError puts its message in quotes


class Elo(OnlineElo):
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
        schedule = Schedule(
            k=step_size(k),
            start=finite("default_rating", default_rating),
            epochs=options.whole(epochs, "epochs", least=1),
            order=order,
            tolerance=tolerance,
            rng=options.seed(seed),
            seed=options.seed_number(seed) if order == SHUFFLED else None,
        )
        played = take_comparisons(comparisons)
        passes = Passes(played, self._start(played, schedule.start), self._slope, schedule)
        passes.run()
        self._update(played, passes.rating, passes.seen)
        return fitted(self, played, passes)

    def save(self, path: str | Path) -> None:
        """Write the ratings as JSON, whole or not at all."""
        saved = {
            "format": FORMAT,
            "base": self.base,
            "denominator": self.denominator,
            "ratings": [[plain(item), rating] for item, rating in self.ratings().items()],
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
            ratings: list[tuple[Any, float]] = [(item, rating) for item, rating in saved["ratings"]]
            return cls(dict(ratings), base=saved["base"], denominator=saved["denominator"])
        except OSError as error:
            raise DataError(f"cannot read '{path}': {error.strerror}.") from None
        except (ValueError, TypeError, KeyError):
            raise DataError(
                f"{Path(path).name} does not hold Elo ratings that headcount saved. Give a file "
                "that Elo.save wrote."
            ) from None


# Passes of Elo over comparisons: once, in random order, or until ratings are stable.

_AS_THEY_ARE = np.zeros(0, dtype=np.int64)
"""No order but that of the comparisons."""


class Passes:
    """Ratings that change with each pass.

    Parameters
    ----------
    comparisons : Comparisons
    rating : (items,) array
        Where ratings start; changed in place.
    slope : float
        Logits in a point.
    schedule : Schedule
        In which order, how often, and how far ratings move.

    Attributes
    ----------
    seen : (items,) array of bool
        Items that were compared.
    n_epochs : int
    converged : bool or None
        Whether ratings are stable; None if nobody looked.
    misfit : float or None
        Largest difference of an item's mean score from what ratings lead to expect.
    """

    def __init__(
        self, comparisons: Comparisons, rating: Floats, slope: float, schedule: Schedule
    ) -> None:
        if schedule.order != GIVEN:
            # What is drawn at random does not depend on the order of the rows.
            comparisons = sort_rows(comparisons)
        self.schedule = schedule
        self.rating = rating
        self.seen = np.zeros(len(rating), dtype=bool)
        self.n_epochs = 0
        self.converged: bool | None = None
        self.misfit: float | None = None
        self._slope = slope
        self._n = len(comparisons)
        # An empty array stands for weights that are all 1.
        weight = np.zeros(0) if comparisons.weight is None else comparisons.weight
        self._rows = (comparisons.left, comparisons.right, comparisons.outcome, weight)

    def run(self) -> None:
        """Go through comparisons as the schedule says."""
        schedule = self.schedule
        if schedule.tolerance is not None:
            self._until_stable(schedule.tolerance)
            return
        for _ in range(schedule.epochs):
            in_order = schedule.order == GIVEN
            self._pass(schedule.k, _AS_THEY_ARE if in_order else schedule.rng.permutation(self._n))

    def _until_stable(self, tolerance: float) -> None:
        """Go through random orders forth and back, until items score what is expected of them.

        With a constant `k` ratings keep moving for ever, so it is halved after two passes that made
        them no better.
        """
        k, epochs, rng = self.schedule.k, self.schedule.epochs, self.schedule.rng
        order, spread = _AS_THEY_ARE, np.inf
        self.converged = False
        while self.n_epochs < epochs and not self.converged:
            back = self.n_epochs % 2 == 1
            order = np.ascontiguousarray(order[::-1]) if back else rng.permutation(self._n)
            self._pass(k, order)
            if back or self.n_epochs == epochs:
                mean = self._mean_excess()
                self.misfit, last, spread = float(np.abs(mean).max()), spread, float(mean @ mean)
                self.converged = self.misfit <= tolerance
                k = k / 2 if spread >= last else k

    def _pass(self, k: float, order: Codes) -> None:
        from headcount.pairwise._kernels import elo_pass

        elo_pass(self.rating, self.seen, *self._rows, order, k, self._slope)
        self.n_epochs += 1
        if not np.isfinite(self.rating).all():
            raise too_large(k)

    def _mean_excess(self) -> Floats:
        """Points a comparison that each item took beyond what the ratings lead to expect."""
        from headcount.pairwise._kernels import elo_excess

        excess, played = elo_excess(self.rating, *self._rows, self._slope)
        return excess / np.where(played > 0, played, 1)

    def notes(self, notes: Iterable[str]) -> Notes:
        """Say what speaks against the ratings, after what was said before."""
        out = Notes(notes)
        if self.converged is False:
            out.warning(
                f"Elo is not stable after {count(self.n_epochs, 'epoch')}: an item's mean score "
                f"is {self.misfit:.2g} off what the ratings expect. Allow more "
                f"({option('epochs', 10 * self.n_epochs)})."
            )
        return out


# What a pass of Elo over many comparisons leaves, as fields.

MOST_ITEMS = 20
"""Items that are printed: the first ten and the last ten."""


@dataclass(frozen=True, kw_only=True)
class EloProvenance(Provenance):
    """How ratings came about.

    Parameters
    ----------
    k : float
        How far a rating moved at most, at the first pass.
    base, denominator : float
        Of the ratings: how many points make the odds `base` times larger.
    """

    k: float
    base: float
    denominator: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EloFit(Result):
    """What :meth:`headcount.Elo.fit` did, and the ratings after it.

    Parameters
    ----------
    items : tuple
        All items with a rating, earlier ones included.
    ratings : (items,) array of float
    n_comparisons : int
    order : {"given", "shuffled"}
    n_epochs : int
        Passes over the comparisons.
    converged : bool or None
        Whether ratings are stable; None if no tolerance was given.
    misfit : float or None
        Largest difference between an item's mean score and what the ratings lead to expect, in
        points a comparison; None if no tolerance was given.
    """

    provenance: EloProvenance
    items: tuple[Any, ...]
    ratings: Floats
    n_comparisons: int
    order: str
    n_epochs: int
    converged: bool | None
    misfit: float | None

    @property
    def ratings_by_item(self) -> dict[Any, float]:
        """Ratings by item."""
        return dict(zip(self.items, self.ratings.tolist(), strict=True))

    @property
    def best_first(self) -> list[int]:
        """Positions of the items, best first."""
        return np.argsort(-self.ratings, kind="stable").tolist()

    def page(self) -> Page:
        """Write the ratings, best first, and the passes that made them."""
        stable = {None: "", True: ", stable", False: ", not stable"}[self.converged]
        how = "random order" if self.order == SHUFFLED else "the order given"
        sentence = (
            f"Elo ratings of {count(len(self.items), 'item')} after "
            f"{count(self.n_comparisons, 'comparison')}, {count(self.n_epochs, 'epoch')} in "
            f"{how}{stable}"
        )
        shown, rest = ends(self.best_first, MOST_ITEMS)
        body = [[str(self.items[i]), f"{self.ratings[i]:.4g}"] for i in shown]
        more = f"and {count(rest, 'more item')} in between{ALL}" if rest else ""
        rules = [MOST_ITEMS // 2] if rest else []
        p = self.provenance
        foot = f"k = {p.k:g}; {p.denominator:g} points make the odds {p.base:.4g} times larger."
        table = Table(["item", "rating"], body, rules=rules, more=more)
        return Page([sentence], [table] if body else [], [foot])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item, best first."""
        best = self.best_first
        return {"item": [self.items[i] for i in best], "rating": self.ratings[best].tolist()}

    def document(self) -> dict[str, Any]:
        """Return the ratings, best first, and the passes that made them."""
        p = self.provenance
        return {
            "ratings": json_value(by_row(self.columns())),
            "k": p.k,
            "base": p.base,
            "denominator": p.denominator,
            "n_comparisons": self.n_comparisons,
            "order": self.order,
            "epochs": self.n_epochs,
            "converged": self.converged,
            "misfit": self.misfit,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratings, best first (needs matplotlib)."""
        from headcount.pairwise.plot import plot_elo

        return plot_elo(self, ax)


def fitted(elo: OnlineElo, comparisons: Comparisons, passes: Passes) -> EloFit:
    """Say what passes over comparisons did, and the ratings after them."""
    ratings, schedule, used = elo.ratings(), passes.schedule, int(passes.seen.sum())
    return EloFit(
        items=tuple(ratings),
        ratings=np.array(list(ratings.values())),
        n_comparisons=len(comparisons),
        order=schedule.order,
        n_epochs=passes.n_epochs,
        converged=passes.converged,
        misfit=passes.misfit,
        notes=tuple(passes.notes(comparisons.notes)),
        provenance=EloProvenance(
            source=comparisons.source,
            sources=comparisons.sources,
            dropped=comparisons.dropped,
            items_used=used,
            items_dropped=len(passes.seen) - used,
            n_ratings=len(comparisons),
            n_raters=None if comparisons.raters is None else len(comparisons.raters),
            seed=schedule.seed,
            backend=comparisons.backend,
            k=schedule.k,
            base=elo.base,
            denominator=elo.denominator,
        ),
    )
