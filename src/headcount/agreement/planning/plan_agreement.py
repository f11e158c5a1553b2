"""How many items and raters it takes to measure agreement."""

from __future__ import annotations

from typing import Any

from headcount import options
from headcount.agreement.coefficients.catalogue import PREFERRED
from headcount.agreement.planning.components import find_components
from headcount.agreement.planning.designs import Planner
from headcount.agreement.planning.notes import note_pilot
from headcount.agreement.planning.prepare import (
    FEW_RATERS,
    check_pilot,
    check_target,
    ratings_each,
    ratings_per_item,
)
from headcount.agreement.planning.result import AgreementPlan
from headcount.agreement.prepare import Prepared, prepare
from headcount.agreement.raters.populations import FIXED, SAMPLE, find_scope
from headcount.agreement.recommendation.notes import note_scale
from headcount.agreement.scales.metric import Metric
from headcount.data.labels import Labels
from headcount.errors import DataError
from headcount.io.load import take_labels
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance
from headcount.typing import Seed

__all__ = ["plan_agreement"]


def plan_agreement(
    labels: Labels | Any,
    *,
    half_width: float | None = None,
    at_least: float | None = None,
    price: float | None = None,
    scale: str | None = None,
    sets: str | None = None,
    distance: Any = None,
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
    scale, sets, distance, level, rng
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

    Few raters show little of how much others differ. The plan takes d to be what it is as likely to
    exceed as not; from a pilot of fewer than ten raters there is a second one, `safe`, with a d
    that is exceeded one time in five (``docs/studies/agreement_plan.md``).

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
    target = check_target(half_width, at_least)
    if price is not None:
        price = options.number(price, "price", above=0)
    level, generator = options.level(level), options.seed(rng)
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
    each = ratings_each(data)
    alone = scope.kind is FIXED and not data.labels.anonymous
    only = data.panel.raters if alone else None
    planner = Planner(parts=parts, target=target, level=level, price=price, each=each, only=only)
    designs, too_few = planner.designs()
    best = planner.best(designs)
    few = parts.crossed and data.panel.raters < FEW_RATERS
    pilot = data.items_used, data.panel.raters if scope.crossed else round(ratings_per_item(data))
    note_scale(notes, data, given=scale is not None)
    note_pilot(notes, data, scope)
    return AgreementPlan(
        provenance=_provenance(labels, data, level, rng),
        notes=tuple(notes),
        coefficient=PREFERRED,
        scale=data.scale.name,
        distance=data.scale.title or None,
        pilot=parts.pilot.estimate(level, crossed=scope.crossed),
        holds_for=scope.words,
        target=target,
        price=price,
        components=parts,
        each=each,
        designs=tuple(designs),
        best=best,
        few_raters=few,
        safe=planner.safe() if few else None,
        otherwise=() if best is None else tuple(planner.same_money(best, *pilot)),
        too_few=too_few,
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
