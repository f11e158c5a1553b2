"""Place items among rated ones, and put two populations on one scale, from answers at hand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, count, percent, some, unknown_name
from headcount.io.load import take_comparisons
from headcount.pairwise.anchors import AnchorSearch, take_reference
from headcount.pairwise.answers import in_order
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry_result import BradleyTerry
from headcount.pairwise.standard_errors import HESSIAN, variance
from headcount.results.fields import Record, by_row, json_value, rows
from headcount.results.notes import Notes, Provenance
from headcount.results.page import ALL, Page
from headcount.results.result import Result
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import WALD_HELD, WALD_JOINT, Wald
from headcount.typing import Codes, Flags, Floats, Ids

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "place_items",
    "join_populations",
    "crossing",
    "winner",
    "Placement",
    "Joined",
]


# Place items among rated ones, from answers at hand.


def place_items(
    answers: Any, reference: BradleyTerry, *, prior: float | None = None, level: float = 0.95
) -> Placement:
    """Place items among those of a reference, which stay where they are.

    Each item by itself, from its comparisons with reference items alone, by the posterior of
    :class:`AnchorSearch`. To use comparisons among the new items too, see
    :func:`headcount.join_populations`.

    Parameters
    ----------
    answers : Comparisons, or what :func:`headcount.read_comparisons` takes
        Of new items with items of the reference, in either order.
    reference : BradleyTerry
    prior, level
        As for :class:`AnchorSearch`.

    Returns
    -------
    Placement

    Notes
    -----
    O(answers x grid).

    Examples
    --------
    >>> from headcount import Comparisons, bradley_terry
    >>> pairs = [("c", "b"), ("b", "a"), ("c", "a"), ("b", "c"), ("a", "b")] * 3
    >>> left, right = zip(*pairs)
    >>> reference = bradley_terry(Comparisons.from_columns(left, right, [1] * 15))
    >>> place_items(Comparisons.from_columns("xxxa", "abcx", [1, 1, 0.5, 0]), reference)
    1 item placed among 3 rated items.
    <BLANKLINE>
    item  rating         interval  rank among 3   ranks  n
    ------------------------------------------------------
    x      0.758  -0.720 to 2.300             1  1 to 4  4
    <BLANKLINE>
    Ratings in logits, on the scale of the reference; 95% intervals; n is the number
    of comparisons with it.
    """
    level = options.level(level)
    reference = take_reference(reference)
    data = in_order(take_comparisons(answers, "answers"))
    notes = Notes(data.notes)
    placed: list[Placed] = []
    for item, its_rows in anchored_rows(data, reference, notes).items():
        search = AnchorSearch(reference, prior=prior, level=level)
        for row in its_rows:
            mirrored = data.right[row] == item
            other = data.left[row] if mirrored else data.right[row]
            share = float(data.outcome[row])
            search.answer(
                data.items[other],
                1 - share if mirrored else share,
                weight=float(data.weights[row]),
            )
        name = data.items[[item]].tolist()[0]
        placed.append(Placed(name, search.rating, search.rank, len(its_rows)))
    placed.sort(key=lambda each: -each.rating.value)
    return Placement(
        items=tuple(placed),
        reference=int(reference.finite.sum()),
        provenance=Provenance(
            source=data.source,
            sources=data.sources,
            dropped=data.dropped,
            items_used=len(placed),
            items_dropped=int(np.sum(match_ids(data.items, reference.items) < 0)) - len(placed),
            n_ratings=sum(each.answers for each in placed),
            n_raters=None if data.raters is None else len(data.raters),
            level=level,
            backend=data.backend,
        ),
        notes=tuple(notes),
    )


# Put two populations that were rated apart on one scale, by comparisons between them.


def join_populations(
    comparisons_a: Any,
    comparisons_b: Any,
    bridges: Any,
    *,
    hold: bool = False,
    prior: float | None = None,
    level: float = 0.95,
) -> Joined:
    r"""Put the ratings of two populations on one scale.

    By default all comparisons are fitted together. With `hold`, each population is rated apart and
    stays as it is; bridges between i of a and j of b only say how far the second is to be moved,

    .. math:: P(i \succ j) = \frac{1}{1 + e^{-(\theta_i - \phi_j - \delta)}}

    by maximum likelihood.

    Parameters
    ----------
    comparisons_a, comparisons_b : Comparisons, or what :func:`headcount.read_comparisons` takes
        Within each population. They share no item.
    bridges : Comparisons, or what :func:`headcount.read_comparisons` takes
        Between items of both.
    hold : bool
        Keep the differences within each population as they are.
    prior : float, optional
        Standard deviation of a normal prior of ratings, in logits, which keeps those of undefeated
        items finite. With all fitted together it also pulls the two means together.
    level : float
        Coverage of the interval.

    Returns
    -------
    Joined

    Notes
    -----
    The standard error of the shift is that of the difference of the two means under the joint fit,
    exact at any size. With `hold`, W being the information :math:`\sum p(1-p)` of all bridges, and
    :math:`w_i` that of the bridges of an item with standard error :math:`s_i`, it is the root of
    :math:`1/W + \sum (w_i s_i / W)^2`: errors of the ratings of different items are taken as
    independent.

    Cost: that of the fits.

    Examples
    --------
    >>> from headcount import Comparisons
    >>> a = Comparisons.from_columns("abca", "bcab", [1, 1, 1, 0])
    >>> b = Comparisons.from_columns("xyzx", "yzxy", [1, 1, 1, 0])
    >>> bridges = Comparisons.from_columns("abcabc", "xyzyzx", [1, 1, 1, 0, 0, 1])
    >>> join_populations(a, b, bridges).shift
    -0.7955 (-2.607 to 1.016)
    """
    level = options.level(level)
    hold = options.switch(hold, "hold")
    if prior is not None:
        prior = options.number(prior, "prior", above=0, such_as="2")
    a = take_comparisons(comparisons_a, "comparisons_a")
    b = take_comparisons(comparisons_b, "comparisons_b")
    between = take_comparisons(bridges, "bridges")
    notes = Notes([*a.notes, *b.notes, *between.notes])
    used, won = crossing(a, b, between, notes)
    joint = Bridges(a=a, b=b, crossing=used, won=won, prior=prior, level=level, notes=notes)
    joined = joint.held() if hold else joint.together()
    return Joined(
        items_a=a.items,
        items_b=b.items,
        rating_a=joined.rating_a,
        rating_b=joined.rating_b,
        shift=joined.shift,
        bridges=joined.bridges,
        won_by_a=won,
        held=hold,
        provenance=Provenance(
            source=between.source,
            sources=between.sources,
            dropped=between.dropped,
            items_used=len(a.items) + len(b.items),
            n_ratings=len(a) + len(b) + joined.bridges,
            level=level,
            backend=between.backend,
        ),
        notes=tuple(notes),
    )


# The shift between two populations, from comparisons that bridge them.


class Shifted(NamedTuple):
    """Ratings of both populations on one scale, the shift, and the bridges that tell it."""

    rating_a: Floats
    rating_b: Floats
    shift: Estimate
    bridges: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Bridges:
    """Two populations, and the comparisons between them.

    Parameters
    ----------
    a, b : Comparisons
        Within each population.
    crossing : Comparisons
        Between items of both, that of a on the left.
    won : float
        Share of the points of all bridges that items of a took.
    prior : float or None
        Standard deviation of ratings, in logits.
    level : float
    notes : Notes
        Takes what a reader should know.
    """

    a: Comparisons
    b: Comparisons
    crossing: Comparisons
    won: float
    prior: float | None
    level: float
    notes: Notes

    def together(self) -> Shifted:
        """Fit all comparisons together."""
        fit = bradley_terry(self._joint(), prior=self.prior, errors=HESSIAN)
        self.notes.extend(fit.notes)
        of_a, of_b = (match_ids(each.items, fit.items) for each in (self.a, self.b))
        first = np.isin(np.arange(len(fit.items)), of_a)
        kept_a, kept_b = fit.finite & first, fit.finite & ~first
        joined = kept_a.any() and kept_b.any()
        joined &= self.prior is not None or len(np.unique(fit.component[fit.finite])) == 1
        if not joined or fit.point is None:
            rating_a, rating_b = fit.rating[of_a], fit.rating[of_b]
            return Shifted(rating_a, rating_b, self._undefined(), len(self.crossing))
        direction = np.zeros(fit.point.model.size)
        direction[np.flatnonzero(kept_b)] = 1 / kept_b.sum()
        direction[np.flatnonzero(kept_a)] = -1 / kept_a.sum()
        value = float(fit.rating[kept_b].mean() - fit.rating[kept_a].mean())
        shift = self._wald(value, variance(fit.point, direction), WALD_JOINT)
        rating = fit.rating - fit.rating[kept_a].mean()
        return Shifted(rating[of_a], rating[of_b], shift, len(self.crossing))

    def held(self) -> Shifted:
        """Rate both apart, and fit the shift alone."""
        fit_a, fit_b = (
            bradley_terry(each, prior=self.prior, errors=HESSIAN) for each in (self.a, self.b)
        )
        self.notes.extend([*fit_a.notes, *fit_b.notes])
        index_a = match_ids(self.crossing.items, self.a.items)[self.crossing.left]
        index_b = match_ids(self.crossing.items, self.b.items)[self.crossing.right]
        usable = _main(fit_a)[index_a] & _main(fit_b)[index_b]
        if not usable.all():
            self.notes.caution(
                f"{count(int(np.sum(~usable)), 'bridge')} of items without a finite rating in the "
                "largest group of their population, not used."
            )
        index_a, index_b = index_a[usable], index_b[usable]
        weight, outcome = self.crossing.weights[usable], self.crossing.outcome[usable]
        points = float(np.sum(weight * outcome))
        if not 0 < points < np.sum(weight):
            return Shifted(fit_a.rating, fit_b.rating, self._undefined(), len(index_a))
        gap = fit_a.rating[index_a] - fit_b.rating[index_b]
        value = _offset(gap, points, weight)
        each = weight * 0.25 / np.cosh((gap - value) / 2) ** 2
        total = float(each.sum())
        error_squared = 1 / total
        for index, fit in ((index_a, fit_a), (index_b, fit_b)):
            of_item = np.bincount(index, each, len(fit.items)) / total
            error_squared += float(np.sum((of_item * np.nan_to_num(fit.standard_error)) ** 2))
        shift = self._wald(value, error_squared, WALD_HELD)
        return Shifted(fit_a.rating, fit_b.rating + value, shift, len(index_a))

    def _joint(self) -> Comparisons:
        """Put all comparisons together, items of a first."""
        a, b, n_a = self.a, self.b, len(self.a.items)
        names = as_ids([*map(str, a.items), *map(str, b.items)])
        code = match_ids(self.crossing.items, names)
        left, right = code[self.crossing.left], code[self.crossing.right]
        return Comparisons(
            items=names,
            left=np.concatenate([a.left, n_a + b.left, left]),
            right=np.concatenate([a.right, n_a + b.right, right]),
            outcome=np.concatenate([a.outcome, b.outcome, self.crossing.outcome]),
            weight=np.concatenate([a.weights, b.weights, self.crossing.weights]),
            source="all comparisons",
        )

    def _wald(self, value: float, variance: float, method: Wald) -> Estimate:
        return Estimate.from_error(value, math.sqrt(variance), level=self.level, method=method)

    def _undefined(self) -> Estimate:
        if self.won in (0.0, 1.0):
            why = (
                f"{winner(self.won)} won every bridge, so that the shift has no bound. "
                f"{advice(self.won)}"
            )
        else:
            why = (
                "the bridges do not join items with finite ratings. Ask for more, or give a prior."
            )
        return Estimate(math.nan, undefined=why)


def _main(fit: BradleyTerry) -> Flags:
    """Items whose ratings are finite and compare with those of the largest group."""
    return fit.finite & ((fit.component == 0) | (fit.prior is not None))


def _offset(gap: Floats, points: float, weight: Floats) -> float:
    """Shift at which items of a are expected to take as many points as they did, by bisection."""
    low, high = float(gap.min()) - 50.0, float(gap.max()) + 50.0
    for _ in range(200):
        middle = (low + high) / 2
        expected = float(np.sum(weight * 0.5 * (1 + np.tanh((gap - middle) / 2))))
        # The larger the shift, the fewer points are expected of a.
        low, high = (middle, high) if expected > points else (low, middle)
    return (low + high) / 2


# Which comparisons place an item, and which join two populations.

FEW = 20
"""Bridges, and FEW_ITEMS items on either side, below which a note says that they are few."""
FEW_ITEMS = 5
ONE_SIDED = 0.1
"""Share of points that one side takes of all bridges, below which a note says so."""


def anchored_rows(answers: Comparisons, reference: BradleyTerry, notes: Notes) -> dict[int, Codes]:
    """Find the comparisons of each new item with rated items of the reference.

    Comparisons with weight 0 count for nothing.
    """
    in_reference = match_ids(answers.items, reference.items)
    left, right = in_reference[answers.left] >= 0, in_reference[answers.right] >= 0
    rated = np.zeros(len(answers.items), dtype=bool)
    rated[in_reference >= 0] = reference.finite[in_reference[in_reference >= 0]]
    anchored = rated[answers.left] | rated[answers.right]
    used = (left ^ right) & anchored & (answers.weights > 0)
    for dropped, why in (
        (left & right, "between two items of the reference"),
        (~left & ~right, "between two new items, which only join_populations() uses"),
        ((left ^ right) & ~anchored, "with items of the reference that have no finite rating"),
    ):
        if dropped.any():
            notes.caution(f"{count(int(dropped.sum()), 'comparison')} {why}, not used.")
    if not used.any():
        raise DataError(
            f"{answers.source}: no comparison of a new item with an item of the reference, such as "
            f"{some(reference.items[reference.finite])}. Check the names."
        )
    rows_of: dict[int, Codes] = {}
    for item in np.flatnonzero(in_reference < 0).tolist():
        rows = np.flatnonzero(used & ((answers.left == item) | (answers.right == item)))
        if len(rows):
            rows_of[item] = rows
        else:
            notes.caution(
                f"'{answers.items[item]}' met no item of the reference, so is not placed."
            )
    return rows_of


def crossing(
    a: Comparisons, b: Comparisons, bridges: Comparisons, notes: Notes
) -> tuple[Comparisons, float]:
    """Turn bridges so that the item of a is on the left; and the share of points these take."""
    shared = match_ids(b.items, a.items) >= 0
    if shared.any():
        raise DataError(
            f"{some(b.items[shared])} in both populations. Items in common join them by "
            "themselves: put all comparisons into one file and rate them together."
        )
    of_a, of_b = match_ids(bridges.items, a.items), match_ids(bridges.items, b.items)
    unknown = (of_a < 0) & (of_b < 0)
    if unknown.any():
        raise DataError(
            f"{bridges.source}: {some(bridges.items[unknown])} in neither population. Check the "
            "names."
        )
    in_a = of_a >= 0
    between = in_a[bridges.left] != in_a[bridges.right]
    if not between.all():
        inside = count(int(np.sum(~between)), "comparison")
        notes.caution(f"{inside} of {bridges.source} within one population, not used.")
    used = bridges.select(between)
    if not len(used):
        raise DataError(
            f"{bridges.source}: no comparison of an item of one population with one of the other."
        )
    flipped = ~in_a[used.left]
    used = replace(
        used,
        left=np.where(flipped, used.right, used.left),
        right=np.where(flipped, used.left, used.right),
        outcome=np.where(flipped, 1 - used.outcome, used.outcome),
    )
    won = float(np.sum(used.weights * used.outcome) / np.sum(used.weights))
    _tell(used, won, notes)
    return used, won


def _tell(used: Comparisons, won: float, notes: Notes) -> None:
    """Say if bridges are few, or if one side took nearly all points."""
    n_a, n_b = len(np.unique(used.left)), len(np.unique(used.right))
    if len(used) < FEW or min(n_a, n_b) < FEW_ITEMS:
        notes.warning(
            f"Few bridges: {len(used):,} between {count(n_a, 'item')} and {count(n_b, 'item')}. "
            f"{FEW} between {FEW_ITEMS} items of each make the shift less a matter of single items."
        )
    if 0 < min(won, 1 - won) < ONE_SIDED:
        notes.warning(
            f"One-sided bridges: {winner(won)} took {max(won, 1 - won):.0%} of the points, so "
            f"that few answers fix the shift. {advice(won)}"
        )


def winner(won: float) -> str:
    """Name the population that took more of the points."""
    return "the first population" if won > 0.5 else "the second population"


def advice(won: float) -> str:
    """Say which comparisons would tell more."""
    strong, weak = ("second", "first") if won > 0.5 else ("first", "second")
    return f"Compare strong items of the {strong} with weak ones of the {weak}."


# What items placed among others, and populations joined, hold.


@dataclass(frozen=True)
class Placed(Record):
    """An item among those of a reference.

    Parameters
    ----------
    item : object
    rating : Estimate
        On the scale of the reference.
    rank : Estimate
        That it would have among the reference; 1 is best.
    answers : int
        Comparisons with the reference.
    """

    item: object
    rating: Estimate
    rank: Estimate
    answers: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Placement(Result):
    """Items placed among those of a reference, best first.

    Parameters
    ----------
    items : tuple of Placed
        ``placement["name"]`` finds one.
    reference : int
        Items of the reference.
    provenance : Provenance
    notes : tuple of Note

    Examples
    --------
    >>> from headcount import Comparisons, bradley_terry, place_items
    >>> rated = bradley_terry("example:battles")
    >>> answers = Comparisons.from_columns("nnn", ["birch", "aster", "fern"], [0, 1, 1])
    >>> [item.item for item in place_items(answers, rated).items]
    ['n']
    """

    items: tuple[Placed, ...]
    reference: int

    def __getitem__(self, name: object) -> Placed:
        for item in self.items:
            if str(item.item) == str(name):
                return item
        raise unknown_name("item", str(name), [str(each.item) for each in self.items])

    def page(self) -> Page:
        """Say where items came out, best first."""
        head = ["item", "rating", "interval", f"rank among {self.reference:,}", "ranks", "n"]
        body = [
            [
                str(each.item),
                each.rating.show(each.rating.value),
                each.rating.interval(),
                f"{each.rank.value:.0f}",
                each.rank.interval(0),
                f"{each.answers:,}",
            ]
            for each in self.items[:SHOWN]
        ]
        headline = (
            f"{count(len(self.items), 'item')} placed among {count(self.reference, 'rated item')}."
        )
        foot = (
            "Ratings in logits, on the scale of the reference; "
            f"{percent(self.provenance.level or 0)} intervals; n is the number of comparisons with "
            "it."
        )
        return Page([headline], [Table(head, body, more=_more(len(self.items)))], [foot])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item: `item`, `rating` and `rank` with their ends, `answers`."""
        return rows(self.items)

    def document(self) -> dict[str, Any]:
        """Return what is particular to a placement in its JSON document."""
        return {"items": json_value(self.items), "reference": self.reference}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rating of each item with its interval (needs matplotlib)."""
        from headcount.pairwise.plot import plot_placement

        return plot_placement(self, ax)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Joined(Result):
    """Two populations on one scale, that of the first: its mean is 0.

    Parameters
    ----------
    items_a, items_b : arrays
    rating_a, rating_b : arrays
        In logits; as a fit gives them where they are not finite.
    shift : Estimate
        By how much the mean rating of b is above that of a, over items with finite ratings;
        undefined where bridges do not say.
    bridges : int
    won_by_a : float
        Share of the points of all bridges that items of a took.
    held : bool
        Whether both were rated apart and held; else all comparisons were fitted together.
    provenance : Provenance
    notes : tuple of Note

    Examples
    --------
    >>> from headcount import Comparisons, join_populations
    >>> a = Comparisons.from_columns("abca", "bcab", [1, 1, 1, 0])
    >>> b = Comparisons.from_columns("xyzx", "yzxy", [1, 1, 1, 0])
    >>> bridges = Comparisons.from_columns("abcabc", "xyzyzx", [1, 1, 0, 0, 0, 1])
    >>> join_populations(a, b, bridges).shift.low < 0
    True
    """

    items_a: Ids
    items_b: Ids
    rating_a: Floats
    rating_b: Floats
    shift: Estimate
    bridges: int
    won_by_a: float
    held: bool

    def page(self) -> Page:
        """Say how far the populations lie apart, and how all items compare."""
        body = [
            [name, f"{len(items):,}", f"{np.isfinite(rating).sum():,}", *_spread(rating)]
            for name, items, rating in (
                ("a", self.items_a, self.rating_a),
                ("b", self.items_b, self.rating_b),
            )
        ]
        head = ["population", "items", "rated", "mean", "lowest", "highest"]
        of, names, rating = self.columns().values()
        best = np.argsort(-np.array(rating), kind="stable")  # NaN comes last
        shown: list[list[str]] = [
            [names[k], of[k], f"{rating[k]:.3f}" if math.isfinite(rating[k]) else "not finite"]
            for k in best[:SHOWN].tolist()
        ]
        how = "each rated on its own and kept" if self.held else "all comparisons fitted together"
        foot = (
            f"{count(self.bridges, 'bridge')}, of whose points the first population took "
            f"{self.won_by_a:.0%}; {how}. Ratings in logits, on the scale of the first population."
        )
        table = Table(["item", "population", "rating"], shown, more=_more(len(names)))
        return Page([_shift(self)], [Table(head, body), table], [foot])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item: `population`, `item` and `rating`."""
        return {
            "population": ["a"] * len(self.items_a) + ["b"] * len(self.items_b),
            "item": [*map(str, self.items_a), *map(str, self.items_b)],
            "rating": [*self.rating_a.tolist(), *self.rating_b.tolist()],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to joined populations in their JSON document."""
        return json_value(
            {
                "shift": self.shift,
                "bridges": self.bridges,
                "won_by_a": self.won_by_a,
                "held": self.held,
                "items": by_row(self.columns()),
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratings of both populations on one scale (needs matplotlib)."""
        from headcount.pairwise.plot import plot_joined

        return plot_joined(self, ax)


# Items placed and populations joined, in words.

SHOWN = 30
"""Rows of a table, at most."""


def _shift(joined: Joined) -> str:
    shift = joined.shift
    if shift.undefined is not None:
        return f"The populations cannot be put on one scale: {shift.undefined}."
    side = "above" if shift.value >= 0 else "below"
    return (
        f"Items of the second population lie {abs(shift.value):.3f} logits {side} those of the "
        f"first on average (shift {shift.show(shift.value)}, {percent(shift.level or 0)} interval "
        f"{shift.interval()})."
    )


def _spread(rating: Floats) -> list[str]:
    finite = rating[np.isfinite(rating)]
    if not len(finite):
        return ["", "", ""]
    return [f"{round(float(x), 3) + 0.0:.3f}" for x in (finite.mean(), finite.min(), finite.max())]


def _more(rows: int) -> str:
    rest = rows - SHOWN
    return f"and {rest:,} more{ALL}" if rest > 0 else ""
