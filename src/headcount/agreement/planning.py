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
from headcount.agreement.ratings import Influence
from headcount.agreement.recommendation import note_scale
from headcount.agreement.scales import NOMINAL, SCALES, Metric, ScaleKind
from headcount.data.labels import Labels
from headcount.errors import DataError, OptionError, count, option, percent
from headcount.io.load import take_labels
from headcount.results.fields import Record, hidden, json_value
from headcount.results.notes import Notes, Provenance
from headcount.results.page import Page, Screen
from headcount.results.result import Result
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import Fisher
from headcount.typing import Floats, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plan_agreement",
    "ratings_per_item",
    "Components",
    "find_components",
    "assumed",
    "RATERS",
    "CROWD",
    "LEAST_ITEMS",
    "Target",
    "Design",
    "AgreementPlan",
]


def plan_agreement(
    labels: Labels | Any | None = None,
    *,
    half_width: float | None = None,
    at_least: float | None = None,
    alpha: float | None = None,
    n_labels: int | None = None,
    n_raters: int | None = None,
    cost: float | None = None,
    scale: str | None = None,
    sets: str | None = None,
    distance: Any = None,
    level: float = 0.95,
    seed: Seed = 0,
) -> AgreementPlan:
    r"""Plan how many items raters should rate so that agreement is known well enough.

    Give one of `half_width` and `at_least`; and the ratings of a pilot, or `alpha`, `n_labels` and
    `n_raters` without one. Every rater is to rate every item; or, if the pilot has many raters of
    whom each rated some of the items, items are to have as many ratings as there.

    Parameters
    ----------
    labels : Labels, path, frame or array, optional
        Ratings of a pilot, or what :func:`headcount.read_ratings` reads.
    half_width : float, optional
        Half the width that the interval of Krippendorff's alpha may have, such as 0.1.
    at_least : float, optional
        What the lower end of the interval is to reach, such as 0.667, if alpha stays what it is.
    alpha, n_labels : float and int, optional
        Without a pilot: what alpha may be, and how many labels there are.
    n_raters : int, optional
        Those who will rate. Default: those of the pilot, if they are fewer than six; else the plan
        says how many raters it takes, for an interval that holds for others like them.
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
    (:func:`~headcount.agreement.raters.crossed_variance`), so that the pilot's design has the
    pilot's interval; d is 0 where the plan is for given raters. The interval to expect is made of
    it as :func:`headcount.agree` would make it. O(ratings). Without a pilot the parts follow from a
    model: see :func:`assumed`.

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
    >>> plan_agreement(alpha=0.7, n_labels=2, n_raters=3, half_width=0.1).best.items
    123
    """
    target = check_target(half_width, at_least)
    if cost is not None:
        cost = options.number(cost, "cost", above=0)
    if n_raters is not None:
        n_raters = options.whole(n_raters, "n_raters", least=2, most=1000)
    level, generator = options.level(level), options.seed(seed)
    if labels is None:
        return _without_pilot(
            target,
            alpha,
            n_labels,
            n_raters,
            cost=cost,
            level=level,
            scale=scale,
            own=sets or distance,
        )
    if alpha is not None or n_labels is not None:
        raise OptionError(
            f"{option(PREFERRED.name)} and {option('n_labels')} are for a plan without a pilot: "
            "leave them out, or the ratings."
        )
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
    if n_raters is None and each is None and (scope.few or alone):
        n_raters = data.panel.raters
    if n_raters is not None:
        parts, each = replace(parts, crossed=False), None
    holds_for = scope.words if n_raters is None else FIXED.words
    planner = Planner(parts=parts, target=target, level=level, cost=cost, each=each, only=n_raters)
    designs, too_few = planner.designs()
    note_scale(notes, data, declared=scale is not None)
    note_pilot(notes, data, scope, given=n_raters is not None)
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
        pilot=parts.pilot.estimate(level, crossed=parts.crossed),
        assumed=False,
        noun=data.noun,
        holds_for=holds_for,
        target=target,
        cost=cost,
        components=parts,
        each=each,
        only=n_raters,
        designs=tuple(designs),
        best=planner.best(designs),
        rare=None,
        too_few=too_few,
    )


def _without_pilot(
    target: Target,
    alpha: float | None,
    n_labels: int | None,
    n_raters: int | None,
    *,
    cost: float | None,
    level: float,
    scale: str | None,
    own: Any,
) -> AgreementPlan:
    """Plan from what alpha may be."""
    if alpha is None or n_labels is None or n_raters is None or own is not None:
        raise OptionError(
            f"without ratings of a pilot, give {option(PREFERRED.name, 0.7)}, "
            f"{option('n_labels', 2)} and {option('n_raters', 3)}; sets and distances of your own "
            "need a pilot."
        )
    alpha = options.number(alpha, PREFERRED.name, above=0, below=1)
    n_labels = options.whole(n_labels, "n_labels", least=2, most=100)
    name = options.one_of(scale or NOMINAL.name, "scale", list(SCALES))
    kind = NOMINAL if n_labels == 2 else SCALES[name]

    def planned(shares: Floats) -> tuple[Planner, list[Design]]:
        parts = assumed(alpha, shares, kind)
        planner = Planner(
            parts=parts, target=target, level=level, cost=cost, each=None, only=n_raters
        )
        return planner, planner.designs()[0]

    planner, designs = planned(np.full(n_labels, 1 / n_labels, dtype=np.float64))
    rare = None
    if kind is NOMINAL:  # the first label has nearly all items
        rest = (1 - RARE) / (n_labels - 1)
        other, others = planned(np.array([RARE] + [rest] * (n_labels - 1), dtype=np.float64))
        rare = other.best(others)
    notes = Notes()
    notes.caution(
        "nothing is known of these raters yet: the plan takes them to be equally good, items to be "
        "equally hard, and who does not know to guess. Plan again from the first 50 items.",
        short="Equally good raters and equally hard items are assumed.",
        rank=1,
    )
    return AgreementPlan(
        provenance=Provenance(source="no pilot", items_used=0, items_dropped=0, level=level),
        notes=tuple(notes),
        coefficient=PREFERRED,
        scale=kind.name,
        distance=None,
        pilot=Estimate(alpha),
        assumed=True,
        noun="rater" if kind.numeric else "coder",
        holds_for=FIXED.words,
        target=target,
        cost=cost,
        components=planner.parts,
        each=None,
        only=n_raters,
        designs=tuple(designs),
        best=planner.best(designs),
        rare=rare,
        too_few=None,
    )


# What a plan of ratings is made for, and from.

LEAST_PILOT = 20
"""Items of a pilot: fewer do not show how much items differ."""
FEW_RATERS = 10
"""Raters below which a pilot shows little of how much raters differ."""
RARE = 0.9
"""Share of a label beside which the others are rare."""
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
    rater : float
        Variance over raters.
    rating : float
        Variance over single ratings, which those over items and raters share.
    """

    pilot: Crossed = field(metadata=hidden())
    crossed: bool = field(metadata=hidden())
    item: float
    item_rating: float
    item_pair: float
    rater: float
    rating: float

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
        of_raters, added = freedom_of(float(raters)), self.rater / raters if self.crossed else 0.0
        v_raters, total = added + v_ratings, v_items + added
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
    parts = np.array(_split(variances))
    # The pilot's own design has the pilot's own interval.
    item, item_rating, item_pair = (parts * variances[k] / float(_weights(k) @ parts)).tolist()
    # Of the influence of items and ratings, their sums of squares are all that is needed.
    nothing = np.zeros(0)
    slim = replace(pilot.influence, items=nothing, ratings=nothing, without=nothing)
    return Components(
        pilot=replace(pilot, influence=slim),
        crossed=scope.crossed,
        item=item,
        item_rating=item_rating,
        item_pair=item_pair,
        rater=pilot.variance.of_raters * data.panel.effective if scope.crossed else 0.0,
        rating=pilot.variance.ratings * float(used.sum()),
    )


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


def assumed(alpha: float, shares: Floats, kind: ScaleKind) -> Components:
    r"""Give the parts for raters who know an item's label or guess; exact, O(labels squared).

    A rater gives the item's own label t with probability :math:`\sqrt\alpha`, else any label as
    often as items have it, so that Krippendorff's alpha is :math:`\alpha`, whatever the distance.
    To first order an item changes it by a mean over pairs of its ratings of

    .. math:: h(x, y) = \frac{D_o - d(x, y) + (1 - \alpha) (g(x) + g(y) - 2 D_e)}{D_e}, \quad
        g(x) = \sum_y s_y d(x, y)

    with s the shares of the labels: a is the variance over t of its mean, b the mean of the
    variance over x of its mean over y, and c what is left of the variance of single pairs.

    Examples
    --------
    >>> parts = assumed(0.25, np.full(2, 0.5), NOMINAL)
    >>> round(parts.item, 4), round(parts.item_rating, 4), round(parts.item_pair, 4)
    (0.0, 0.1875, 0.5625)
    """
    q = len(shares)
    code = np.arange(q)
    numbers = (code + kind.from_zero).astype(np.float64)
    far = kind.distance(numbers).between(code[:, None], code[None, :])
    to_all: Floats = far @ shares
    expected = float(shares @ to_all)
    unlike = 1 - alpha
    pair = (unlike * expected - far + unlike * (to_all[:, None] + to_all - 2 * expected)) / expected
    knows = np.sqrt(alpha)
    given = knows * np.eye(q) + (1 - knows) * shares  # of each label, by the item's own
    single = np.einsum("ty,xy->tx", given, pair)
    mean = (given * single).sum(axis=1)
    square = np.einsum("tx,ty,xy->t", given, given, pair**2)
    rating = (given * single**2).sum(axis=1) - mean**2
    item = float(shares @ (mean - shares @ mean) ** 2)
    of_rating = float(shares @ rating)
    nothing = np.zeros(0)
    none = Influence(value=alpha, items=nothing, ratings=nothing, without=nothing)
    return Components(
        pilot=Crossed(
            value=alpha,
            variance=CrossedVariance(0.0, 0.0, 0.0, 1.0),
            influence=none,
            effective=2.0,
            scale=Fisher(),
            items=2,
        ),
        crossed=False,
        item=item,
        item_rating=of_rating,
        item_pair=max(float(shares @ (square - mean**2)) - 2 * of_rating, 0.0),
        rater=0.0,
        rating=0.0,
    )


# The designs that meet a target.

RATERS = (*range(2, 11), 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
"""Numbers of raters that are tried."""
CROWD = (150, 200, 300, 500, 1000)
"""More of them, where each rates some of the items only."""
LEAST_ITEMS, MOST_ITEMS = 50, 10**6
"""Items of a design: with fewer, intervals do not hold."""
LEAST_RATERS = 3
"""Raters who can show how others would differ."""
MORE = 1.1
"""How many times the fewest ratings the design of a crowd may have if that takes fewer raters: more
of them cost no more ratings, but must be found."""
STEPS = 200
TEAM = 8
"""Raters of a team up to which more and fewer of them are listed too."""


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
        The raters who will rate, where the plan is for these.
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
        tried = set(RATERS if self.each is None else (*RATERS, *CROWD))
        if self.only is not None:  # as many, or some more or less, if the pilot tells of them
            told = self.parts.item_rating + self.parts.item_pair > 0
            tried = {self.only, *(raters for raters in RATERS if told and raters <= TEAM)}
        for raters in sorted(tried):
            if raters < (self.each or self._least):
                continue
            items = self._fewest(raters)
            if items is None:
                too_few = raters if not listed else too_few
            else:
                listed.append(self._design(items, raters, self._each(raters)))
        return listed, too_few

    def best(self, designs: list[Design]) -> Design | None:
        """Find the design with the fewest ratings; in a crowd, nearly so with fewer raters."""
        if self.only is not None:
            return next((design for design in designs if design.raters == self.only), None)
        fewest = min((design.ratings for design in designs), default=0)
        most = fewest if self.each is None else MORE * fewest
        return next((design for design in designs if design.ratings <= most), None)

    @property
    def _least(self) -> int:
        return LEAST_RATERS if self.parts.crossed and self.each is None else 2

    def _each(self, raters: int) -> int:
        return raters if self.each is None else self.each

    def _expect(self, items: int, raters: int, each: int) -> Estimate:
        return self.parts.expect(items, raters, each, self.level)

    def _design(self, items: int, raters: int, each: int) -> Design:
        expected = self._expect(items, raters, each)
        return Design(
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


def note_pilot(notes: Notes, data: Prepared, scope: Scope, *, given: bool) -> None:
    """Say what the pilot cannot tell."""
    these = f"these {data.noun}s"
    if given or scope.kind is FIXED:
        anonymous = data.labels.anonymous
        why = f": {scope.why}" if scope.why else ""
        pilot = "that says who rated what" if anonymous else "with six raters or more"
        notes.caution(
            f"the plan is {FIXED.words} only{why}. For an interval that holds for others like "
            f"them, plan from a pilot {pilot}.",
            short=f"Holds for {these}; other {data.noun}s may differ, however many items.",
            rank=1,
        )
    elif data.panel.raters < FEW_RATERS:
        raters = count(data.panel.raters, data.noun)
        notes.caution(
            f"the pilot's {raters} show little of how much others differ: the plan may be too "
            "small by far. More raters in the pilot show more.",
            short=f"The pilot's {raters} show little of how much others differ.",
            rank=1,
        )
    if float(data.ratings.per_item.max()) < 3 and not (given or scope.kind is FIXED):
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
        The coefficient on the pilot; or what it is taken to be.
    assumed : bool
        Whether there is no pilot.
    noun : str
        What those who rate are called.
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
        raters), or that of the raters who will rate; None where the target cannot be met.
    only : int or None
        The raters who will rate, where the plan is for these; None where it says how many it takes.
    rare : Design or None
        Without a pilot: what it takes where one label has 90% of the items.
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
    assumed: bool
    noun: str
    holds_for: str
    target: Target
    cost: float | None
    components: Components
    each: int | None
    designs: tuple[Design, ...]
    best: Design | None
    only: int | None
    rare: Design | None
    too_few: int | None

    def screen(self) -> Screen:
        """Say how many items to have rated, and what it takes with more or fewer raters."""
        if self.best is None:
            return Screen([_never(self)], data=_about(self))
        return Screen(
            _sentences(self, self.best),
            _table(self, _around(self, self.best), ""),
            data=_about(self),
        )

    def page(self) -> Page:
        """Say how many raters should rate how many items."""
        if self.best is None:
            return Page([_never(self)], [], _foot(self))
        table = _table(self, list(self.designs), "raters and the items it takes")
        return Page(_sentences(self, self.best), [table], _foot(self))

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a design: `kind`, `raters`, `items`, `each`, `ratings`, `total_cost` ...

        `kind` is "needed", or "pilot" in the last row; `low` and `high` are the interval to expect.
        """
        p = self.provenance
        pilot = {
            "kind": "assumed" if self.assumed else "pilot",
            "raters": p.n_raters,
            "items": p.items_used,
            "ratings": p.n_ratings,
            "half_width": json_value(half_width(self.pilot)),
            **self.pilot.to_dict(),
        }
        listed = [
            {"kind": "needed", **design.to_dict(), **design.expected.to_dict()}
            for design in self.designs
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
            "assumed": self.assumed,
            "n_raters": self.only,
            "rare": json_value(self.rare),
            "designs": json_value(self.designs),
            "too_few_raters": self.too_few,
            "variance": self.components.to_dict(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the width to expect against ratings, for several numbers of raters."""
        from headcount.agreement.plot import plot_designs

        return plot_designs(self, ax)


# A plan of ratings in sentences and tables.

MOST_ROWS = 8
"""Designs that are printed; all are in the frame and the JSON."""


def _title(plan: AgreementPlan) -> str:
    return f"{plan.coefficient.title} ({plan.distance or plan.scale})"


def _buy(plan: AgreementPlan, design: Design) -> str:
    """Say what a design has whom do."""
    costs = "" if design.total_cost is None else f", for {design.total_cost:,.2f}"
    items = count(design.items, "item")
    buy = f"have {design.raters:,} {plan.noun}s rate {items} each"
    if plan.each is not None:
        buy = f"have {items} rated {design.each} times each, by {design.raters:,} raters in all"
    return f"{buy} ({design.ratings:,} ratings{costs})"


def _sentences(plan: AgreementPlan, best: Design) -> list[str]:
    """Say what to buy, and what else it may take."""
    if plan.target.half_width is not None:
        what = f"To know {_title(plan)} to within {_short(plan.target.half_width)}"
        what += f", if it is about {_value(plan)}" if plan.assumed else ""
    else:
        low = _short(plan.target.at_least or 0.0)
        what = f"To show that {_title(plan)} is at least {low}, if it is {_value(plan)} "
        what += "" if plan.assumed else "as in the pilot"
    lines = [f"{what.rstrip()}, {_buy(plan, best)}."]
    if plan.rare is not None:
        lines.append(f"If one label has 90% of the items, it takes {plan.rare.items:,}.")
    if plan.too_few is not None:
        lines.append(
            f"With {count(plan.too_few, 'rater')} or fewer no number of items is enough: raters "
            "differ too much."
        )
    return lines


def _around(plan: AgreementPlan, best: Design) -> list[Design]:
    """List the designs around the best."""
    listed = list(plan.designs)
    first = max(min(listed.index(best) - MOST_ROWS // 2, len(listed) - MOST_ROWS), 0)
    return listed[first : first + MOST_ROWS]


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


def _table(plan: AgreementPlan, designs: list[Design], title: str) -> Table:
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
    return Table([f"{plan.noun}s", *head[1:]], rows, title=title)


def _about(plan: AgreementPlan) -> str:
    """Say what the plan is made from."""
    if plan.assumed:
        return "No pilot"
    p, e = plan.provenance, plan.pilot
    by = "" if p.n_raters is None else f" by {count(p.n_raters, plan.noun)}"
    about = f"alpha {_value(plan)} ({e.interval(2)})"
    return f"Pilot: {count(p.items_used, 'item')}{by}, {about}"


def _foot(plan: AgreementPlan) -> list[str]:
    how = "every rater rates every item"
    if plan.each is not None:
        how = f"items have {plan.each} ratings as in the pilot, spread evenly over the raters"
    return [
        f"{_about(plan)}; {_title(plan)}",
        f"intervals are those to expect {plan.holds_for}, if {how}",
    ]


def _value(plan: AgreementPlan) -> str:
    return f"{plan.pilot.value:.2f}"


def _short(x: float) -> str:
    return f"{x:g}"
