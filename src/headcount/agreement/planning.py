"""How many items and raters it takes to measure agreement."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.agreement.coefficients import PREFERRED
from headcount.agreement.estimates import Coefficient, like_these
from headcount.agreement.prepare import Prepared, prepare, provenance_of
from headcount.agreement.raters import (
    FIXED,
    SAMPLE,
    Crossed,
    CrossedVariance,
    Scope,
    find_scope,
    freedom_of,
)
from headcount.agreement.recommendation import note_scale
from headcount.agreement.scales import Metric
from headcount.data.labels import Labels
from headcount.errors import DataError, OptionError, count, option, percent
from headcount.io.load import take_labels
from headcount.results.fields import Record, hidden, json_value
from headcount.results.notes import Notes
from headcount.results.page import Page
from headcount.results.result import Result
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plan_agreement",
    "ratings_per_item",
    "Components",
    "find_components",
    "RATERS",
    "CROWD",
    "LEAST_ITEMS",
    "Target",
    "Design",
    "AgreementPlan",
]


def plan_agreement(
    labels: Labels | Any,
    *,
    half_width: float | None = None,
    at_least: float | None = None,
    cost: float | None = None,
    scale: str | None = None,
    sets: str | None = None,
    distance: Any = None,
    level: float = 0.95,
    seed: Seed = 0,
) -> AgreementPlan:
    r"""Plan from a pilot how many raters should rate how many items.

    Give one of `half_width` and `at_least`. Every rater is to rate every item; or, if the pilot has
    many raters of whom each rated some of the items, items are to have as many ratings as there.

    Parameters
    ----------
    labels : Labels, path, frame or array
        Ratings of a pilot, or what :func:`headcount.read_ratings` reads.
    half_width : float, optional
        Half the width that the interval of Krippendorff's alpha may have, such as 0.1.
    at_least : float, optional
        What the lower end of the interval is to reach, such as 0.667, if alpha stays what it is.
    cost : float, optional
        Of one rating.
    scale, sets, distance, level, seed
        As in :func:`headcount.agree`.

    Returns
    -------
    AgreementPlan

    Notes
    -----
    The variance of the coefficient for N items of m ratings each by M raters is taken to be

    .. math:: V = \frac{1}{N} \left(a + \frac{4 b}{m} + \frac{2 c}{m (m - 1)}\right) + \frac{d}{M}

    where the parts of items, a, b and c, and of raters, d, are those of the pilot's own interval
    for raters like these (:func:`~headcount.agreement.raters.crossed_variance`). The
    interval to expect is made of it as :func:`headcount.agree` would make it. O(ratings).

    Few raters show little of how much others differ. The plan takes d to be what it is as likely to
    exceed as not; from a pilot of fewer than ten raters there is a second one, `safe`, with a d
    that is exceeded one time in five (``docs/studies/agreement.md``).

    References
    ----------
    Cochran (1977), "Sampling Techniques", section 10.4, for plans from components of variance.

    Examples
    --------
    >>> from headcount import plan_agreement, running_example
    >>> pilot, _ = running_example(100, 8, seed=1)
    >>> plan = plan_agreement(pilot, half_width=0.05)
    >>> plan.best.half_width <= 0.05
    True
    """
    target = check_target(half_width, at_least)
    if cost is not None:
        cost = options.number(cost, "cost", above=0)
    level, generator = options.level(level), options.seed(seed)
    labels, metric = take_labels(labels), Metric.of(scale, sets, distance)
    notes = Notes(labels.notes)
    data = prepare(*metric.apply(labels, notes))
    check_pilot(data, PREFERRED)
    scope = find_scope(data.panel, SAMPLE)
    parts = find_components(PREFERRED, data, scope, generator)
    if parts is None:
        raise DataError(
            f"{labels.source}: nothing varies in this pilot, so that it cannot show how much data "
            "it takes. Have more items rated."
        )
    # None where nearly everybody rated everything.
    each, per_item = None, ratings_per_item(data)
    if data.panel.reused and not data.labels.anonymous:
        each = None if per_item >= NEARLY_ALL * data.panel.raters else max(round(per_item), 2)
    alone = scope.kind is FIXED and not data.labels.anonymous
    only = data.panel.raters if alone else None
    planner = Planner(parts=parts, target=target, level=level, cost=cost, each=each, only=only)
    designs, too_few = planner.designs()
    best = planner.best(designs)
    few = parts.crossed and data.panel.raters < FEW_RATERS
    pilot = data.items_used, data.panel.raters if scope.crossed else round(per_item)
    note_scale(notes, data, declared=scale is not None)
    note_pilot(notes, data, scope)
    return AgreementPlan(
        provenance=provenance_of(
            labels,
            items_used=data.items_used,
            names=data.labels.scale.labels,
            level=level,
            seed=seed,
        ),
        notes=tuple(notes),
        coefficient=PREFERRED,
        scale=data.scale.name,
        distance=data.scale.title or None,
        pilot=parts.pilot.estimate(level, crossed=scope.crossed),
        holds_for=scope.words,
        target=target,
        cost=cost,
        components=parts,
        each=each,
        designs=tuple(designs),
        best=best,
        few_raters=few,
        safe=planner.safe() if few else None,
        otherwise=() if best is None else tuple(planner.same_money(best, *pilot)),
        too_few=too_few,
    )


# What a plan of ratings is made for, and from.

LEAST_PILOT = 20
"""Items of a pilot: fewer do not show how much items differ."""
FEW_RATERS = 10
"""Raters below which a pilot shows little of how much raters differ."""
NEARLY_ALL = 0.75
"""Share of the raters who rated an item, from which on all are to rate everything."""


def check_target(half_width: float | None, at_least: float | None) -> Target:
    """Check that one of the two is asked for."""
    if (half_width is None) == (at_least is None):
        raise OptionError(
            f"give one of {option('half_width', 0.1)} and {option('at_least', 0.667)}: what the "
            "interval is to reach."
        )
    if half_width is not None:
        half_width = options.number(half_width, "half_width", above=0, most=1)
    if at_least is not None:
        at_least = options.number(at_least, "at_least", above=0, below=1)
    return Target(half_width=half_width, at_least=at_least)


def check_pilot(data: Prepared, coefficient: Coefficient) -> None:
    """Refuse ratings from which nothing can be planned."""
    source = data.labels.source
    if why := data.no_pair or coefficient.undefined(data):
        raise DataError(f"{source}: a plan needs a pilot with some agreement: {why}.")
    if data.items_used < LEAST_PILOT:
        raise DataError(
            f"{source}: {count(data.items_used, 'item')} with two ratings or more are too few to "
            f"plan from. Have {LEAST_PILOT} or more rated."
        )


def ratings_per_item(data: Prepared) -> float:
    """Ratings of an item with two or more: their harmonic mean."""
    sizes = data.ratings.per_item
    used = sizes[sizes > 1]
    return len(used) / float((1 / used).sum())


# What a pilot says of the variance of a coefficient, and what follows for other designs.

LIKELY, SAFE = 0.5, 0.2
"""Probabilities that raters differ more than the plan takes them to; and than the safe one does."""
THIN, THINNINGS = (2, 3, 4), 10
"""Ratings that items are left with, at random, and how often that is done."""


@dataclass(frozen=True, kw_only=True)
class Components(Record):
    """Parts of the variance, each for one item, rater or rating.

    Parameters
    ----------
    pilot : Crossed
        The coefficient on the pilot, and what its interval is made of.
    crossed : bool
        Whether raters are a sample who differ; else `raters` plays no part.
    item, item_rating, item_pair : float
        Variance over items: what more ratings of each do not make smaller, what goes with one over
        their number, and what goes with one over the number of pairs.
    rater, most_rater : float
        Variance over raters: what it is as likely to exceed as not; and what it stays below four
        times in five, given how few raters it was seen on.
    rating : float
        Variance over single ratings, which those over items and raters share.
    """

    pilot: Crossed = field(metadata=hidden())
    crossed: bool = field(metadata=hidden())
    item: float
    item_rating: float
    item_pair: float
    rater: float
    most_rater: float
    rating: float

    @property
    def cautious(self) -> Components:
        """The same, with raters who differ as much as they may."""
        return replace(self, rater=self.most_rater)

    def variance(self, items: int, raters: int, each: int) -> CrossedVariance:
        r"""Find the variance where N items have m ratings `each`, spread over M raters.

        .. math:: V_I = \frac{1}{N} \left(a + \frac{4 b}{m} + \frac{2 c}{m (m - 1)}\right), \quad
            V_J - V_X = \frac{d}{M}, \quad V_X = \frac{e}{N m}

        The disagreement on an item is a mean over pairs of its ratings, a U-statistic of order 2:
        a, b and c are the variances of Hoeffding's decomposition (1948). Degrees of freedom
        are as for an interval of such data.
        """
        v_items = float(_weights(each) @ [self.item, self.item_rating, self.item_pair]) / items
        v_ratings = self.rating / (items * each)
        v_raters = self.rater / raters + v_ratings
        of_raters = freedom_of(float(raters))
        total = v_items + self.rater / raters
        bottom = v_items**2 / (items - 1) + v_raters**2 / of_raters
        freedom = max(total**2 / bottom, min(of_raters, items - 1)) if bottom > 0 else items - 1
        return CrossedVariance(v_items, v_raters, v_ratings, freedom)

    def expect(self, items: int, raters: int, each: int, level: float) -> Estimate:
        """Give the interval to expect of such a design, if the coefficient stays the same."""
        design = replace(
            self.pilot,
            variance=self.variance(items, raters, each),
            effective=float(raters),
            items=items,
        )
        return design.estimate(level, crossed=self.crossed)


def find_components(
    coefficient: Coefficient, data: Prepared, scope: Scope, rng: np.random.Generator
) -> Components | None:
    """Find the parts on a pilot; None where nothing varies. O(ratings), some thirty times.

    Leaving each item two, three and four of its ratings, at random, shows what the variance over
    items would be with so many.
    """
    pilot = like_these(coefficient, data)
    if pilot is None:
        return None
    sizes = data.ratings.per_item
    used = sizes[sizes > 1]
    n, k = float(len(used)), float(len(used) / (1 / used).sum())
    variances = {k: n * pilot.variance.items}
    for few in THIN:
        if few < k and (variance := _with_few(coefficient, data, few, rng)) is not None:
            variances[few] = variance
    item, item_rating, item_pair = _split(variances)
    # Of the influence of items and ratings, their sums of squares are all that is needed.
    nothing = np.zeros(0)
    slim = replace(pilot.influence, items=nothing, ratings=nothing, without=nothing)
    return Components(
        pilot=replace(pilot, influence=slim),
        crossed=scope.crossed,
        item=item,
        item_rating=item_rating,
        item_pair=item_pair,
        rater=_of_rater(pilot, data.panel.effective, LIKELY) if scope.crossed else 0.0,
        most_rater=_of_rater(pilot, data.panel.effective, SAFE) if scope.crossed else 0.0,
        rating=pilot.variance.ratings * float(used.sum()),
    )


def _of_rater(pilot: Crossed, raters: float, unlucky: float) -> float:
    r"""Give what the variance over one rater exceeds with a probability.

    .. math:: n_e \max\left(0, \frac{f}{\chi^2_{f, u}} V_J - V_X\right)

    A sum of squares over few raters is below its mean more often than above it, and less V_X it is
    often 0: taken as it is, a plan would promise too much.
    """
    from scipy.special import chdtri  # pyright: ignore[reportMissingTypeStubs]

    freedom = freedom_of(raters)
    times = freedom / float(chdtri(freedom, 1 - unlucky))
    return max(times * pilot.variance.raters - pilot.variance.ratings, 0.0) * raters


def _weights(ratings: float) -> Floats:
    """Give what each part weighs in the variance of an item with so many ratings."""
    return np.array([1.0, 4 / ratings, 2 / (ratings * (ratings - 1))])


def _split(variances: dict[float, float]) -> tuple[float, float, float]:
    """Find the parts, none below 0, from the variance with several numbers of ratings.

    With two ratings an item, all of it is taken to stay. With three, what stays is between
    2 C_1 - C_2 and C_1, covariances of pairs of ratings with one and with two in common: the middle
    is taken.
    """
    optimize: Any = import_module("scipy.optimize")  # untyped, and slow to import
    most = max(variances)
    if len(variances) == 1:
        return variances[most], 0.0, 0.0
    if len(variances) == 2:
        two = variances[2]
        single = min(max((variances[most] - two * _shared(most, 2)) / _shared(most, 1), 0.0), two)
        stays = (max(2 * single - two, 0.0) + single) / 2
        return stays, single - stays, max(two - 2 * single + stays, 0.0)
    rows = np.stack([_weights(ratings) for ratings in variances])
    value = np.array(list(variances.values()))
    parts: Floats = optimize.nnls(rows / value[:, None], np.ones(len(value)))[0]
    item, item_rating, item_pair = parts.tolist()
    return item, item_rating, item_pair


def _shared(ratings: float, common: int) -> float:
    """Share of two pairs of three ratings that have so many in common: one or two."""
    both = 2 / (ratings * (ratings - 1))
    return both if common == 2 else 1 - both


def _with_few(
    coefficient: Coefficient, data: Prepared, few: int, rng: np.random.Generator
) -> float | None:
    """Variance over items, times items, where each has so few ratings: mean over thinnings."""
    variances: list[float] = []
    for _ in range(THINNINGS):
        thin = replace(data, labels=_thinned(data.labels, few, rng))
        crossed = like_these(coefficient, thin) if coefficient.undefined(thin) is None else None
        if crossed is not None:
            variances.append(thin.items_used * crossed.variance.items)
    return float(np.mean(variances)) if variances else None


def _thinned(labels: Labels, few: int, rng: np.random.Generator) -> Labels:
    """Leave every item so many of its ratings, at random."""
    order = np.lexsort((rng.random(len(labels)), labels.item))
    item = labels.item[order]
    first = np.searchsorted(item, np.arange(len(labels.items)))
    kept = np.sort(order[np.arange(len(item)) - first[item] < few])
    return labels.only(kept)


# The designs that meet a target, and what the same money buys otherwise.

RATERS = (*range(2, 11), 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
"""Numbers of raters that are tried."""
CROWD = (150, 200, 300, 500, 1000)
"""More of them, where each rates some of the items only."""
LEAST_ITEMS, MOST_ITEMS = 20, 10**6
"""Items of a design: with fewer, intervals do not hold."""
LEAST_RATERS = 3
"""Raters who can show how others would differ."""
MORE = 1.1
"""How many times the fewest ratings the design of a crowd may have if that takes fewer raters: more
of them cost no more ratings, but must be found."""
STEPS = 200


@dataclass(frozen=True, kw_only=True)
class Planner:
    """What designs are made of, and made for.

    Parameters
    ----------
    parts : Components
    target : Target
    level : float
    cost : float or None
    each : int or None
        Ratings of an item; None where every rater rates every item.
    only : int or None
        The raters that there are, where others cannot be planned for.
    """

    parts: Components
    target: Target
    level: float
    cost: float | None
    each: int | None
    only: int | None

    def designs(self) -> tuple[list[Design], int | None]:
        """For each number of raters, find the fewest items; and the raters with whom none do."""
        listed: list[Design] = []
        too_few: int | None = None
        tried = RATERS if self.each is None else (*RATERS, *CROWD)
        for raters in tried if self.only is None else (self.only,):
            if raters < (self.each or self._least):
                continue
            items = self._fewest(raters)
            if items is None:
                too_few = raters if not listed else too_few
            else:
                listed.append(self._design("needed", items, raters, self._each(raters)))
        return listed, too_few

    def best(self, designs: list[Design]) -> Design | None:
        """Find the design with the fewest ratings; in a crowd, nearly so with fewer raters."""
        fewest = min((design.ratings for design in designs), default=0)
        most = fewest if self.each is None else MORE * fewest
        return next((design for design in designs if design.ratings <= most), None)

    def safe(self) -> Design | None:
        """Find the best design for raters who differ as much as they may."""
        cautious = replace(self, parts=self.parts.cautious)
        best = cautious.best(cautious.designs()[0])
        return None if best is None else replace(best, kind="safe")

    def same_money(self, best: Design, items: int, raters: int) -> list[Design]:
        """Spend as much on more items for a pilot's raters, or on more raters for its items."""
        if self.only is not None:
            return []
        each = self._each(raters)
        many = best.ratings // items
        ways = [
            ("more items", best.ratings // each, raters, each),
            ("more raters", items, round(raters * many / each), many),
        ]
        return [
            self._design(kind, n, m, ratings)
            for kind, n, m, ratings in ways
            if n >= LEAST_ITEMS and ratings >= self._least
        ]

    @property
    def _least(self) -> int:
        return LEAST_RATERS if self.parts.crossed and self.each is None else 2

    def _each(self, raters: int) -> int:
        return raters if self.each is None else self.each

    def _expect(self, items: int, raters: int, each: int) -> Estimate:
        return self.parts.expect(items, raters, each, self.level)

    def _design(self, kind: str, items: int, raters: int, each: int) -> Design:
        expected = self._expect(items, raters, each)
        return Design(
            kind=kind,
            raters=raters,
            items=items,
            each=each,
            ratings=items * each,
            total_cost=None if self.cost is None else self.cost * items * each,
            half_width=half_width(expected),
            expected=expected,
        )

    def _fewest(self, raters: int) -> int | None:
        """Find the fewest items that meet the target with so many raters; None if none do.

        With more items the variance falls, but less of it is of items, so that Student's
        distribution has fewer degrees of freedom: the width need not fall all the way. So a grid is
        gone through before the last step is halved.
        """

        def enough(items: int) -> bool:
            return self.target.met(self._expect(items, raters, self._each(raters)))

        grid = np.unique(np.geomspace(LEAST_ITEMS, MOST_ITEMS, STEPS).astype(int)).tolist()
        below = LEAST_ITEMS
        for items in grid:
            if enough(items):
                break
            below = items
        else:
            return None
        while items - below > 1:
            middle = (items + below) // 2
            below, items = (below, middle) if enough(middle) else (middle, items)
        return items


# What a pilot cannot tell, in sentences.


def note_pilot(notes: Notes, data: Prepared, scope: Scope) -> None:
    """Say what the pilot cannot tell."""
    if scope.kind is FIXED:
        anonymous = data.labels.anonymous
        pilot = "that says who rated what" if anonymous else "with three raters or more"
        notes.caution(
            f"the plan is {FIXED.words} only: {scope.why}. A pilot {pilot} shows how much raters "
            "differ."
        )
    if float(data.ratings.per_item.max()) < 3 and scope.kind is not FIXED:
        notes.info(
            "no item of the pilot has three ratings, so that what more ratings of an item bring is "
            "not known; the plan takes it to be nothing."
        )


# What a plan of ratings holds, as plain records.


def half_width(e: Estimate) -> float:
    """Half the width of an interval; nan without one."""
    return float("nan") if e.low is None or e.high is None else (e.high - e.low) / 2


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is wanted of the interval: one of the two.

    Parameters
    ----------
    half_width : float or None
        Half of its width, at most.
    at_least : float or None
        Its lower end, at least.
    """

    half_width: float | None
    at_least: float | None

    def met(self, expected: Estimate) -> bool:
        """Whether an interval is good enough."""
        if self.half_width is not None:
            return half_width(expected) <= self.half_width
        low = expected.low
        return self.at_least is not None and low is not None and low >= self.at_least


@dataclass(frozen=True, kw_only=True)
class Design(Record):
    """So many ratings of each of so many items, by so many raters.

    Parameters
    ----------
    kind : str
        Why it is listed: "needed" (with so many raters), "safe" (where raters differ as much as
        they may), "more items" or "more raters" (what the money for the plan buys otherwise).
    raters, items, each : int
        Ratings of `each` item: as many as there are raters if all rate everything.
    ratings : int
        In all.
    total_cost : float or None
        None without a cost.
    half_width : float
        Half the width of the interval to expect.
    expected : Estimate
        The coefficient of the pilot with the interval to expect.
    """

    kind: str
    raters: int
    items: int
    each: int
    ratings: int
    total_cost: float | None
    half_width: float
    expected: Estimate


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AgreementPlan(Result):
    """How many items and raters it takes.

    Parameters
    ----------
    coefficient : Coefficient
    scale : str
        What the labels are taken for.
    distance : str or None
        How far apart labels are, where they are sets or have distances of their own.
    pilot : Estimate
        The coefficient on the pilot.
    holds_for : str
        For whom intervals hold, in words.
    target : Target
    cost : float or None
        Of one rating.
    components : Components
        Parts of the variance that the plan is made of.
    each : int or None
        Ratings of an item, as in the pilot; None where every rater rates every item.
    designs : tuple of Design
        For each number of raters with which the target can be met, the items that it takes.
    best : Design or None
        The one with the fewest ratings (of a crowd, up to a tenth more if that takes fewer
        raters); None where the target cannot be met.
    few_raters : bool
        Whether the raters of the pilot are too few to show how much others differ.
    safe : Design or None
        What is then enough four times in five; None where they are not too few, or no plan is.
    otherwise : tuple of Design
        What the money for it buys in two other ways: more items for the raters of the pilot, and
        more raters for its items.
    too_few : int or None
        Raters with whom no number of items is enough, at most.
    provenance, notes
        Data, options and version; and what to beware of.

    Examples
    --------
    >>> from headcount import plan_agreement
    >>> plan = plan_agreement("example:ratings", half_width=0.1)
    >>> plan.best.half_width <= 0.1
    True
    """

    coefficient: Coefficient
    scale: str
    distance: str | None
    pilot: Estimate
    holds_for: str
    target: Target
    cost: float | None
    components: Components
    each: int | None
    designs: tuple[Design, ...]
    best: Design | None
    few_raters: bool
    safe: Design | None
    otherwise: tuple[Design, ...]
    too_few: int | None

    def page(self) -> Page:
        """Say how many raters should rate how many items, and what else the money buys."""
        if self.best is None:
            return Page([_never(self)], [], _foot(self))
        # Designs around the one with the fewest ratings.
        listed = list(self.designs)
        first = max(min(listed.index(self.best) - MOST_ROWS // 2, len(listed) - MOST_ROWS), 0)
        shown = listed[first : first + MOST_ROWS]
        blocks: list[Table | str] = [_table(self, shown, "raters and the items it takes")]
        if self.too_few is not None:
            blocks.append(
                f"With {count(self.too_few, 'rater')} or fewer no number of items is enough: "
                "raters differ too much from each other."
            )
        if self.otherwise:
            title = "the same money, with the raters or the items of the pilot"
            blocks.append(_table(self, list(self.otherwise), title, named=True))
        answer = [_answer(self, self.best), *([_safe(self)] if self.few_raters else [])]
        return Page(answer, blocks, _foot(self))

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a design: `kind`, `raters`, `items`, `each`, `ratings`, `total_cost` ...

        `kind` is "needed", "safe", "more items" or "more raters"; `low` and `high` are the interval
        to expect. The last row, of kind "pilot", is the pilot.
        """
        p = self.provenance
        pilot = {
            "kind": "pilot",
            "raters": p.n_raters,
            "items": p.items_used,
            "ratings": p.n_ratings,
            "half_width": json_value(half_width(self.pilot)),
            **self.pilot.to_dict(),
        }
        safe = [] if self.safe is None else [self.safe]
        listed = [
            {**design.to_dict(), **design.expected.to_dict()}
            for design in (*self.designs, *safe, *self.otherwise)
        ]
        names = (
            "kind", "raters", "items", "each", "ratings", "total_cost", "half_width", "value",
            "low", "high",
        )  # fmt: skip
        return {name: [row.get(name) for row in (*listed, pilot)] for name in names}

    def document(self) -> dict[str, Any]:
        """Return what is particular to a plan of ratings."""
        return {
            "coefficient": self.coefficient.name,
            "scale": self.scale,
            "distance": self.distance,
            "pilot": self.pilot.to_dict(),
            "holds_for": self.holds_for,
            "half_width": self.target.half_width,
            "at_least": self.target.at_least,
            "cost": self.cost,
            "best": json_value(self.best),
            "few_raters": self.few_raters,
            "safe": json_value(self.safe),
            "designs": json_value(self.designs),
            "otherwise": json_value(self.otherwise),
            "too_few_raters": self.too_few,
            "variance": self.components.to_dict(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the width to expect against ratings, for several numbers of raters."""
        from headcount.agreement.plot import plot_designs

        return plot_designs(self, ax)


# A plan of ratings in sentences and tables.

SPENT = {"more items": "its raters", "more raters": "its items"}
"""What stays of the pilot: the same money need not buy more than the pilot had."""
MOST_ROWS = 8
"""Designs that are printed; all are in the frame and the JSON."""


def _title(plan: AgreementPlan) -> str:
    return f"{plan.coefficient.title} ({plan.distance or plan.scale})"


def _buy(plan: AgreementPlan, design: Design) -> str:
    """Say what a design has whom do."""
    costs = "" if design.total_cost is None else f", for {design.total_cost:,.2f}"
    items = count(design.items, "item")
    buy = f"have {design.raters:,} raters rate {items} each"
    if plan.each is not None:
        buy = f"have {items} rated {design.each} times each, by {design.raters:,} raters in all"
    return f"{buy} ({design.ratings:,} ratings{costs})"


def _answer(plan: AgreementPlan, best: Design) -> str:
    if plan.target.half_width is not None:
        what = f"To know {_title(plan)} to within {_short(plan.target.half_width)}"
    else:
        low = _short(plan.target.at_least or 0.0)
        what = f"To show that {_title(plan)} is at least {low}, if it is {_value(plan)} "
        what += "as in the pilot"
    return f"{what}, {_buy(plan, best)}."


def _safe(plan: AgreementPlan) -> str:
    """Say what to buy in case raters differ more than the few of the pilot show."""
    raters = count(plan.provenance.n_raters or 0, "rater")
    few = f"The pilot's {raters} show little of how much others differ"
    if plan.safe is None:
        return (
            f"{few}: it may take more than {_most(plan)} raters. Have more of them rate the items "
            "of the pilot, and plan again."
        )
    return f"{few}: to have enough four times in five, {_buy(plan, plan.safe)}."


def _never(plan: AgreementPlan) -> str:
    least = plan.target.at_least
    if least is not None and plan.pilot.value <= least:
        return (
            f"{_title(plan)} is {_value(plan)} in the pilot, not above {_short(least)}: more "
            "ratings of this kind would not show that it is. Better instructions or raters might."
        )
    return (
        f"No plan of up to {_most(plan)} raters and a million items is enough: raters differ too "
        "much from each other. Ask for less, or train raters to agree."
    )


def _most(plan: AgreementPlan) -> str:
    """Write how many raters were tried."""
    return f"{(RATERS if plan.each is None else CROWD)[-1]:,}"


def _table(plan: AgreementPlan, designs: list[Design], title: str, *, named: bool = False) -> Table:
    level = percent(plan.provenance.level or 0)
    priced = plan.cost is not None
    head = ["raters", "items", "ratings", *(["cost"] if priced else []), f"{level} interval", "+-"]
    rows = [
        [
            f"{design.raters:,}",
            f"{design.items:,}",
            f"{design.ratings:,}",
            *([f"{design.total_cost or 0:,.2f}"] if priced else []),
            design.expected.interval(2),
            f"{design.half_width:.3f}",
        ]
        for design in designs
    ]
    if named:
        head = ["", *head]
        rows = [[SPENT[design.kind], *row] for design, row in zip(designs, rows, strict=True)]
    return Table(head, rows, title=title)


def _foot(plan: AgreementPlan) -> list[str]:
    p, e = plan.provenance, plan.pilot
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    level = percent(p.level or 0)
    how = "every rater rates every item"
    if plan.each is not None:
        how = f"items have {plan.each} ratings as in the pilot, spread evenly over the raters"
    return [
        f"pilot: {count(p.items_used, 'item')}{by}; {_title(plan)} {_value(plan)}, {level} "
        f"interval {plan.holds_for} {e.interval(2)}",
        f"intervals are those to expect {plan.holds_for}, if {how}",
    ]


def _value(plan: AgreementPlan) -> str:
    return plan.pilot.show(plan.pilot.value)


def _short(x: float) -> str:
    return f"{x:g}"
