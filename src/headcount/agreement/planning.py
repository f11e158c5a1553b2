"""How many items and raters it takes to measure agreement."""

from __future__ import annotations

from collections.abc import Sequence
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
from headcount.engine.taking import take_labels
from headcount.errors import DataError, OptionError, count, option
from headcount.results.fields import Record, hidden, json_value
from headcount.results.notes import Notes, Provenance
from headcount.results.result import Page, Result, Screen
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import Fisher
from headcount.typing import Floats, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plan_agreement",
    "Components",
    "find_components",
    "assumed",
    "RATERS",
    "CROWD",
    "LEAST_ITEMS",
    "half_width",
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
    r"""Plan how many items raters should rate to measure agreement precisely enough.

    Give one of `half_width` and `at_least`, and either the ratings of a pilot or `alpha`,
    `n_labels` and `n_raters`. Every rater is to rate every item; or, if the pilot has many raters
    who each rated some of the items, items get as many ratings as in the pilot.

    Parameters
    ----------
    labels : Labels, path, frame or array, optional
        Ratings of a pilot, or what :func:`headcount.read_ratings` reads.
    half_width : float, optional
        Largest half-width of the interval of Krippendorff's alpha, such as 0.1.
    at_least : float, optional
        The lower end that the interval should reach, such as 0.667, if alpha stays as it is.
    alpha, n_labels : float and int, optional
        Without a pilot: the alpha to expect, and the number of labels.
    n_raters : int, optional
        Number of raters. Default: that of the pilot, if it is below six; otherwise the plan also
        says how many raters are needed, for an interval that holds for raters like these. Required
        without a pilot.
    cost : float, optional
        Cost of one rating.
    scale, sets, distance, level, seed
        As in :func:`headcount.agree`.

    Returns
    -------
    AgreementPlan

    Notes
    -----
    The variance of the coefficient for N items with m ratings each by M raters is

    .. math:: V = \frac{1}{N} \left(a + \frac{4 b}{m} + \frac{2 c}{m (m - 1)}\right) + \frac{d}{M}

    where the contributions of items, a, b and c, and of raters, d, are those of the pilot's own
    interval (:func:`~headcount.agreement.raters.crossed_variance`), so that the plan for the
    pilot's design gives the pilot's interval; d is 0 if the plan is for given raters. The expected
    interval is computed from V as in :func:`headcount.agree`. O(ratings). Without a pilot the
    contributions follow from a model: see :func:`assumed`.

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
    if (half_width is None) == (at_least is None):
        raise OptionError(
            f"say what the interval should achieve: give either {option('half_width', 0.1)} or "
            f"{option('at_least', 0.667)}{'' if half_width is None else ', not both'}."
        )
    if half_width is not None:
        half_width = options.number(half_width, "half_width", above=0, most=1)
    if at_least is not None:
        at_least = options.number(at_least, "at_least", above=0, below=1)
    if cost is not None:
        cost = options.number(cost, "cost", above=0)
    if n_raters is not None:
        n_raters = options.whole(n_raters, "n_raters", least=2, most=1000)
    level, generator = options.level(level), options.seed(seed)
    if labels is None:
        if alpha is not None:
            alpha = options.number(alpha, PREFERRED.name, above=0, below=1)
        if sets or distance is not None:
            needs = option("distance" if distance is not None else "sets")
            raise OptionError(f"{needs} needs the ratings of a pilot.")
        if alpha is None or n_labels is None or n_raters is None:
            given = {PREFERRED.name: (alpha, 0.7), "n_labels": (n_labels, 2),
                     "n_raters": (n_raters, 3)}  # fmt: skip
            lacking = [option(name, usual) for name, (own, usual) in given.items() if own is None]
            raise OptionError(
                "without ratings of a pilot, also say what to expect, such as "
                f"{', '.join(lacking)}."
            )
        plan = _without_pilot(alpha, n_labels, n_raters, level, scale)
    elif alpha is not None or n_labels is not None:
        raise OptionError(
            f"{option(PREFERRED.name)} and {option('n_labels')} are for a plan without a pilot: "
            "leave them out, or the ratings."
        )
    else:
        metric = Metric.of(scale, sets, distance)
        plan = _from_pilot(labels, metric, n_raters, level, generator, declared=scale is not None)
        used = replace(plan.provenance, seed=options.seed_number(seed))
        plan = replace(plan, provenance=used)
    plan = replace(plan, half_width=half_width, at_least=at_least, cost=cost)
    if plan.rare_components is not None:
        unlucky = _with_designs(replace(plan, components=plan.rare_components))
        plan = replace(plan, rare=unlucky.best)
    return _with_designs(plan)


LEAST_PILOT = 20
"""Items of a pilot: fewer do not show how much items differ."""
FEW_RATERS = 10
"""Raters below which a pilot shows little of how much raters differ."""
RARE = 0.9
"""Share of a label beside which the others are rare."""
NEARLY_ALL = 0.75
"""Share of the raters who rated an item, from which on all are to rate everything."""


def _from_pilot(
    labels: Labels | Any,
    metric: Metric,
    n_raters: int | None,
    level: float,
    rng: np.random.Generator,
    *,
    declared: bool,
) -> AgreementPlan:
    """Start a plan from the ratings of a pilot."""
    labels = take_labels(labels)
    notes = Notes(labels.notes)
    data = prepare(*metric.apply(labels, notes))
    if why := data.no_pair or PREFERRED.undefined(data):
        raise DataError(f"{labels.source}: a plan needs a pilot with some agreement: {why}.")
    if data.items_used < LEAST_PILOT:
        raise DataError(
            f"{labels.source}: {count(data.items_used, 'item')} with two ratings or more are too "
            f"few to plan from. Have {LEAST_PILOT} or more rated."
        )
    scope = find_scope(data.panel, SAMPLE)
    parts = find_components(PREFERRED, data, scope, rng)
    if parts is None:
        raise DataError(
            f"{labels.source}: nothing varies in this pilot, so that it cannot show how much data "
            "it takes. Have more items rated."
        )
    # None where nearly everybody rated everything.
    each, per_item = None, _ratings_per_item(data)
    if data.panel.reused and per_item < NEARLY_ALL * data.panel.raters:
        each = max(round(per_item), 2)
    alone = scope.kind is FIXED and not data.labels.anonymous
    if n_raters is None and each is None and (scope.few or alone):
        n_raters = data.panel.raters
    if n_raters is not None:
        parts, each = replace(parts, crossed=False), None
    note_scale(notes, data, declared=declared)
    _note_pilot(notes, data, scope, given=n_raters is not None)
    names = data.labels.scale.labels
    return AgreementPlan(
        provenance=provenance_of(labels, items_used=data.items_used, names=names, level=level),
        notes=tuple(notes),
        scale=data.scale.name,
        distance=data.scale.title or None,
        pilot=parts.pilot.estimate(level, crossed=parts.crossed),
        holds_for=scope.words if n_raters is None else FIXED.words,
        components=parts,
        each=each,
        only=n_raters,
    )


def _without_pilot(
    alpha: float, n_labels: int, n_raters: int, level: float, scale: str | None
) -> AgreementPlan:
    """Start a plan from what alpha may be."""
    n_labels = options.whole(n_labels, "n_labels", least=2, most=100)
    name = options.one_of(scale or NOMINAL.name, "scale", list(SCALES))
    kind = NOMINAL if n_labels == 2 else SCALES[name]
    rest = (1 - RARE) / (n_labels - 1)  # the first label has nearly all items
    rare = assumed(alpha, np.array([RARE] + [rest] * (n_labels - 1)), kind)
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
        scale=kind.name,
        distance=None,
        pilot=Estimate(alpha),
        holds_for=FIXED.words,
        components=assumed(alpha, np.full(n_labels, 1 / n_labels), kind),
        rare_components=rare if kind is NOMINAL else None,
        each=None,
        only=n_raters,
    )


def _ratings_per_item(data: Prepared) -> float:
    """Ratings of an item with two or more: their harmonic mean."""
    sizes = data.ratings.per_item
    used = sizes[sizes > 1]
    return len(used) / float((1 / used).sum())


def _note_pilot(notes: Notes, data: Prepared, scope: Scope, *, given: bool) -> None:
    """Say what the pilot cannot tell."""
    if given or scope.kind is FIXED:
        why = f": {scope.why}" if scope.why else ""
        pilot = "that says who rated what" if data.labels.anonymous else "with six raters or more"
        notes.caution(
            f"the plan is {FIXED.words} only{why}. For an interval that holds for others like "
            f"them, plan from a pilot {pilot}.",
            short="Holds for these raters; other raters may differ, however many items.",
            rank=1,
        )
    elif data.panel.raters < FEW_RATERS:
        raters = count(data.panel.raters, "rater")
        notes.caution(
            f"the pilot's {raters} show little of how much others differ: the plan may be too "
            "small by far. More raters in the pilot show more.",
            short=f"The pilot's {raters} show little of how much others differ.",
            rank=1,
        )


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
    n, k = float(len(used)), _ratings_per_item(data)
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
        two, shared = variances[2], 2 / (most * (most - 1))
        single = min(max((variances[most] - two * shared) / (1 - shared), 0.0), two)
        stays = (max(2 * single - two, 0.0) + single) / 2
        return stays, single - stays, max(two - 2 * single + stays, 0.0)
    rows = np.stack([_weights(ratings) for ratings in variances])
    value = np.array(list(variances.values()))
    parts: Floats = optimize.nnls(rows / value[:, None], np.ones(len(value)))[0]
    item, item_rating, item_pair = parts.tolist()
    return item, item_rating, item_pair


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


def _with_designs(plan: AgreementPlan) -> AgreementPlan:
    """For each number of raters, find the fewest items; the best; and with whom none are enough.

    The best has the fewest ratings; in a crowd, nearly so with fewer raters.
    """
    listed: list[Design] = []
    too_few: int | None = None
    tried = set(RATERS if plan.each is None else (*RATERS, *CROWD))
    parts = plan.components
    if plan.only is not None:  # as many, or some more or less, if the pilot tells of them
        told = parts.item_rating + parts.item_pair > 0
        tried = {plan.only, *(raters for raters in RATERS if told and raters <= TEAM)}
    least = plan.each or (LEAST_RATERS if parts.crossed else 2)
    for raters in sorted(raters for raters in tried if raters >= least):
        items = _fewest(plan, raters)
        if items is not None:
            listed.append(_design(plan, items, raters))
        elif not listed:
            too_few = raters
    fewest = min((design.ratings for design in listed), default=0)
    most = fewest if plan.each is None else MORE * fewest
    good = (d for d in listed if plan.only == d.raters or (not plan.only and d.ratings <= most))
    return replace(plan, designs=tuple(listed), best=next(good, None), too_few=too_few)


def _design(plan: AgreementPlan, items: int, raters: int) -> Design:
    each = plan.each or raters
    expected = plan.components.expect(items, raters, each, plan.provenance.level or 0.95)
    return Design(
        raters=raters,
        items=items,
        each=each,
        ratings=items * each,
        total_cost=None if plan.cost is None else plan.cost * items * each,
        half_width=half_width(expected),
        expected=expected,
    )


def _fewest(plan: AgreementPlan, raters: int) -> int | None:
    """Find the fewest items that meet the target with so many raters; None if none do.

    With more items the variance falls, but less of it is of items, so that Student's
    distribution has fewer degrees of freedom: the width need not fall all the way. So a grid is
    gone through before the last step is halved.
    """

    def enough(items: int) -> bool:
        design = _design(plan, items, raters)
        if plan.half_width is not None:
            return design.half_width <= plan.half_width
        low = design.expected.low
        return plan.at_least is not None and low is not None and low >= plan.at_least

    grid = np.unique(np.geomspace(LEAST_ITEMS, MOST_ITEMS, STEPS).astype(int)).tolist()
    items = next((items for items in grid if enough(items)), None)
    if items is None:
        return None
    below = max((smaller for smaller in grid if smaller < items), default=LEAST_ITEMS)
    while items - below > 1:
        middle = (items + below) // 2
        below, items = (below, middle) if enough(middle) else (middle, items)
    return items


def half_width(e: Estimate) -> float:
    """Half the width of an interval; nan without one."""
    return float("nan") if e.low is None or e.high is None else (e.high - e.low) / 2


# What a plan of ratings holds, and how it is shown.


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
    scale : str
        What the labels are taken for.
    distance : str or None
        How far apart labels are, where they are sets or have distances of their own.
    pilot : Estimate
        The coefficient on the pilot, or the value that was assumed.
    holds_for : str
        For whom intervals hold, in words.
    half_width, at_least : float or None
        The target for the interval: its largest half-width, or its smallest lower end.
    cost : float or None
        Of one rating.
    components : Components
        Components of the variance on which the plan is based.
    each : int or None
        Ratings per item, as in the pilot; None if every rater rates every item.
    designs : tuple of Design
        For each number of raters that can reach the target, the number of items needed.
    best : Design or None
        The design with the fewest ratings (for a crowd, up to a tenth more if that needs fewer
        raters), or the design for `n_raters`; None if the target cannot be reached.
    only : int or None
        The number of raters, if the plan is for a given number; None if the plan chooses it.
    rare : Design or None
        Without a pilot: the design needed if one label has 90% of the items.
    too_few : int or None
        The largest number of raters for which no number of items is enough.
    rare_components : Components or None
        Components of the variance if one label has 90% of the items.
    provenance, notes
        Data, options and version; and what to beware of.

    Examples
    --------
    >>> from headcount import plan_agreement
    >>> plan = plan_agreement("example:ratings", half_width=0.1)
    >>> plan.best.half_width <= 0.1
    True
    """

    scale: str
    distance: str | None
    pilot: Estimate
    holds_for: str
    components: Components
    each: int | None
    only: int | None
    half_width: float | None = None
    at_least: float | None = None
    cost: float | None = None
    designs: tuple[Design, ...] = ()
    best: Design | None = None
    rare: Design | None = None
    rare_components: Components | None = None
    too_few: int | None = None

    @property
    def assumed(self) -> bool:
        """Whether there is no pilot."""
        return self.pilot.low is None

    def screen(self) -> Screen:
        """Say how many items to have rated, and what it takes with more or fewer raters."""
        if self.best is None:
            return Screen([_never(self)], data=_about(self))
        listed = list(self.designs)
        first = max(min(listed.index(self.best) - MOST_ROWS // 2, len(listed) - MOST_ROWS), 0)
        table = _table(self, listed[first : first + MOST_ROWS], "")
        return Screen(_sentences(self, self.best), table, data=_about(self))

    def page(self) -> Page:
        """Say how many raters should rate how many items."""
        how = "every rater rates every item"
        if self.each is not None:
            how = f"items have {self.each} ratings as in the pilot, spread evenly over the raters"
        foot = [
            f"{_about(self)}; {_title(self)}",
            f"intervals are those to expect {self.holds_for}, if {how}",
        ]
        if self.best is None:
            return Page([_never(self)], [], foot)
        table = _table(self, self.designs, "raters and the items it takes")
        return Page(_sentences(self, self.best), [table], foot)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per design: `raters`, `items`, `each`, `ratings`, `total_cost` ...

        `value`, `low` and `high` are the interval to expect.
        """
        names = (
            "raters", "items", "each", "ratings", "total_cost", "half_width", "value", "low", "high"
        )  # fmt: skip
        rows = [design.to_dict() | design.expected.to_dict() for design in self.designs]
        return {name: [row[name] for row in rows] for name in names}

    def document(self) -> dict[str, Any]:
        """Return what is particular to a plan of ratings."""
        names = (
            "scale", "distance", "pilot", "holds_for", "half_width", "at_least", "cost", "best",
            "assumed", "rare", "designs",
        )  # fmt: skip
        return {
            "coefficient": PREFERRED.name,
            **{name: json_value(getattr(self, name)) for name in names},
            "n_raters": self.only,
            "too_few_raters": self.too_few,
            "variance": self.components.to_dict(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the width to expect against ratings, for several numbers of raters."""
        from headcount.agreement.plot import plot_designs

        return plot_designs(self, ax)


MOST_ROWS = 8
"""Designs that are printed; all are in the frame and the JSON."""
MOST_TIMES = 20
"""Times the items of the pilot from which on a study is not practical."""
CHOSEN = f"chosen: the fewest raters within {MORE - 1:.0%} of the fewest ratings"
"""Why a crowd is as large as it is."""


def _digits(plan: AgreementPlan) -> int:
    """Digits of alpha: three beside a limit such as .667."""
    return 2 if plan.at_least is None else 3


def _title(plan: AgreementPlan) -> str:
    return f"{PREFERRED.title} ({plan.distance or plan.scale})"


def _buy(plan: AgreementPlan, design: Design) -> str:
    """Say what a design has whom do."""
    costs = "" if design.total_cost is None else f", for {design.total_cost:,.2f}"
    items = count(design.items, "item")
    buy = f"have {items} rated by {design.raters:,} raters"
    if plan.each is not None:
        buy = f"have {items} rated {design.each} times each, by {design.raters:,} raters in all"
    more = design.items - plan.provenance.items_used
    also = "" if plan.assumed or more <= 0 else f"; {count(more, 'item')} more than in the pilot"
    return f"{buy} ({design.ratings:,} ratings{costs}{also})"


def _sentences(plan: AgreementPlan, best: Design) -> list[str]:
    """Say what to buy, and what else it may take."""
    value = f"{plan.pilot.value:.{_digits(plan)}f}"
    if plan.at_least is None:
        what = f"To know {_title(plan)} to within {plan.half_width:g}"
        what += f", if it is about {value}" if plan.assumed else ""
    else:
        what = f"To show that {_title(plan)} is at least {plan.at_least:g}, if it is {value}"
        what += "" if plan.assumed else " as in the pilot"
    lines = [f"{what}, {_buy(plan, best)}."]
    far = best.items > MOST_TIMES * plan.provenance.items_used
    if plan.at_least is not None and not plan.assumed and far:
        lines = [
            f"The pilot's alpha of {value} is too close to {plan.at_least:g} for a practical "
            "study.",
            f"It would take {count(best.items, 'item')} by {best.raters:,} raters "
            f"({best.ratings:,} ratings) to show that it is at least {plan.at_least:g}.",
        ]
    if plan.rare is not None:
        lines.append(
            f"If 90% of the ratings are the same label, {plan.rare.items:,} items are needed "
            f"({plan.rare.ratings:,} ratings)."
        )
    if plan.too_few is not None:
        lines.append(
            f"With {count(plan.too_few, 'rater')} or fewer, no number of items is enough: raters "
            "differ too much."
        )
    return lines


def _never(plan: AgreementPlan) -> str:
    least = plan.at_least
    if least is not None and plan.pilot.value <= least:
        return (
            f"{_title(plan)} is {plan.pilot.value:.3f} in the pilot, below {least:g}: more "
            "ratings like these will hardly show otherwise. Better instructions or raters might."
        )
    return (
        f"No plan of up to {(RATERS if plan.each is None else CROWD)[-1]:,} raters and a million "
        "items is enough: raters differ too much from each other. Ask for less, or train raters to "
        "agree."
    )


def _table(plan: AgreementPlan, designs: Sequence[Design], title: str) -> Table:
    priced = plan.cost is not None
    head = ["raters", "items", "ratings", *(["cost"] if priced else [])]
    rows = [
        [
            f"{design.raters:,}",
            f"{design.items:,}",
            f"{design.ratings:,}",
            *([f"{design.total_cost or 0:,.2f}"] if priced else []),
        ]
        for design in designs
    ]
    why = [] if plan.each is None else [CHOSEN]
    if any(design.items == LEAST_ITEMS for design in designs):
        why.append(f"no plan has fewer than {LEAST_ITEMS} items")
    return Table(head, rows, title=title, more="; ".join(why))


def _about(plan: AgreementPlan) -> str:
    """Say what the plan is made from."""
    if plan.assumed:
        return "No pilot"
    p, e = plan.provenance, plan.pilot
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    about = f"alpha {e.value:.{_digits(plan)}f} ({e.interval(_digits(plan))})"
    return f"Pilot: {count(p.items_used, 'item')}{by}, {about}"
