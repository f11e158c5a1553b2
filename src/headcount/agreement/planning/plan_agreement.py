"""How many items and raters it takes to measure agreement."""

from __future__ import annotations

from typing import Any

from headcount import options
from headcount.agreement.coefficients.catalogue import PREFERRED
from headcount.agreement.notes import note_scale
from headcount.agreement.planning.components import Components, find_components
from headcount.agreement.planning.designs import Planner
from headcount.agreement.planning.records import Target
from headcount.agreement.planning.result import AgreementPlan
from headcount.agreement.prepare import Prepared, prepare
from headcount.agreement.raters.interval import freedom_of
from headcount.agreement.raters.scope import FIXED, SAMPLE, Scope, find_scope
from headcount.data.labels import Labels
from headcount.errors import DataError, OptionError, count, option
from headcount.io.take import take_labels
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance
from headcount.typing import Seed

__all__ = ["plan_agreement"]

FEW_RATERS = 10
"""Raters below which a pilot says little about how much raters differ."""
NEARLY_ALL = 0.75
"""Share of the raters who rated an item, from which on all are to rate everything."""
UNLUCKY = 0.1
"""Probability with which the part of raters may be larger than a caution says."""


def plan_agreement(
    labels: Labels | Any,
    *,
    half_width: float | None = None,
    at_least: float | None = None,
    price: float | None = None,
    scale: str | None = None,
    level: float = 0.95,
    rng: Seed = 0,
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
    price : float, optional
        Of one rating.
    scale, level, rng
        As in :func:`headcount.agree`.

    Returns
    -------
    AgreementPlan

    Notes
    -----
    The variance of the coefficient for N items of m ratings each by M raters is taken to be

    .. math:: V = \frac{1}{N} \left(a + \frac{4 b}{m} + \frac{2 c}{m (m - 1)}\right) + \frac{d}{M}

    where the parts of items, a, b and c, and of raters, d, are those of the pilot's own interval
    for raters like these (:func:`~headcount.agreement.raters.interval.crossed_variance`). The
    interval to expect is made of it as :func:`headcount.agree` would make it. O(ratings).

    References
    ----------
    Cochran (1977), "Sampling Techniques", section 10.4, for plans from components of variance.

    Examples
    --------
    >>> from headcount import plan_agreement, running_example
    >>> pilot, _ = running_example(100, 8, rng=1)
    >>> plan = plan_agreement(pilot, half_width=0.05)
    >>> plan.best.half_width <= 0.05
    True
    """
    target = _target(half_width, at_least)
    if price is not None:
        price = options.number(price, "price", above=0)
    level, generator = options.level(level), options.seed(rng)
    labels = take_labels(labels)
    data = prepare(labels, scale)
    if why := data.no_pair or PREFERRED.undefined(data):
        raise DataError(f"{labels.source}: a plan needs a pilot with some agreement: {why}.")
    scope = find_scope(data.panel, SAMPLE)
    parts = find_components(PREFERRED, data, scope, generator)
    if parts is None:
        raise DataError(
            f"{labels.source}: nothing varies in this pilot, so that it cannot show how much data "
            "it takes. Have more items rated."
        )
    each = _each(data)
    planner = Planner(parts=parts, target=target, level=level, price=price, each=each)
    designs, too_few = planner.designs()
    best = planner.best(designs)
    pilot = data.items_used, data.panel.raters if scope.crossed else round(_per_item(data))
    notes = Notes(labels.notes)
    note_scale(notes, data, given=scale is not None)
    _note(notes, data, scope, parts)
    return AgreementPlan(
        provenance=_provenance(labels, data, level, rng),
        notes=tuple(notes),
        coefficient=PREFERRED,
        scale=data.scale.name,
        pilot=parts.pilot.estimate(level, crossed=scope.crossed),
        holds_for=scope.words,
        target=target,
        price=price,
        components=parts,
        each=each,
        designs=tuple(designs),
        best=best,
        otherwise=() if best is None else tuple(planner.same_money(best, *pilot)),
        too_few=too_few,
    )


def _target(half_width: float | None, at_least: float | None) -> Target:
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


def _per_item(data: Prepared) -> float:
    """Ratings of an item with two or more: their harmonic mean."""
    sizes = data.ratings.per_item
    used = sizes[sizes > 1]
    return len(used) / float((1 / used).sum())


def _each(data: Prepared) -> int | None:
    """Ratings of an item to plan for; None where nearly everybody rated everything."""
    each = _per_item(data)
    alone = data.labels.anonymous or not data.panel.reused
    return None if alone or each >= NEARLY_ALL * data.panel.raters else max(round(each), 2)


def _note(notes: Notes, data: Prepared, scope: Scope, parts: Components) -> None:
    """Say what the pilot cannot tell."""
    if scope.kind is FIXED:
        notes.caution(
            f"the plan is {FIXED.words} only: {scope.why}. A pilot with three raters or more shows "
            "how much raters differ."
        )
    raters = data.panel.raters
    if parts.crossed and parts.rater > 0 and raters < FEW_RATERS:
        from scipy.special import chdtri  # pyright: ignore[reportMissingTypeStubs]

        freedom = freedom_of(data.panel.effective)
        times = freedom / float(chdtri(freedom, 1 - UNLUCKY))
        much = f"{times:.2g}" if times < 20 else "many"
        notes.caution(
            f"how much raters differ rests on {count(raters, 'rater')}: it may be {much} times as "
            "much (one in ten), and then takes as many times the raters. Plan again when more have "
            "rated."
        )
    if float(data.ratings.per_item.max()) < 3:
        notes.info(
            "no item of the pilot has three ratings, so that what more ratings of an item bring is "
            "not known; the plan takes it to be nothing."
        )


def _provenance(labels: Labels, data: Prepared, level: float, rng: Seed) -> Provenance:
    return Provenance(
        source=labels.source,
        sources=labels.sources,
        dropped=labels.dropped,
        items_used=data.items_used,
        items_dropped=len(labels.items) - data.items_used,
        n_ratings=len(labels),
        n_raters=labels.n_raters,
        labels=data.labels.scale.labels,
        level=level,
        seed=options.seed_number(rng),
        backend=labels.backend,
    )
