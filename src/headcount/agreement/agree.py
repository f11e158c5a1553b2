"""Agreement end to end: labels in, coefficients with intervals out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from headcount import options
from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.catalogue import choose
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.estimates import Sampling, estimate
from headcount.agreement.load import take
from headcount.agreement.phi.methods import UNBIASED
from headcount.agreement.phi.options import PhiOptions
from headcount.agreement.prepare import prepare
from headcount.agreement.rater_pairs.bland_altman import limits_of_agreement
from headcount.agreement.raters.populations import RATERS, SAMPLE, find_scope
from headcount.agreement.recommendation.notes import note_all, note_scale
from headcount.agreement.recommendation.recommendation import make_report
from headcount.agreement.records import TAKEN, AgreementProvenance
from headcount.agreement.result import AgreementResult
from headcount.agreement.retest.retest import measure_retest
from headcount.agreement.scales.metric import Metric
from headcount.agreement.views import category_view, item_view, pair_view, rater_view
from headcount.data.labels import Labels
from headcount.results.notes import Notes
from headcount.typing import Codes, Seed

__all__ = ["agree"]

Wanted = str | Coefficient | Callable[[Codes], Any]  # a name, or a caller's own


def agree(
    labels: Labels | Any,
    *,
    scale: str | None = None,
    sets: str | None = None,
    distance: Any = None,
    coefficients: Collection[Wanted] | Wanted | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    rng: Seed = 0,
    raters: str = SAMPLE.name,
    full: bool = False,
    by_rater: bool = False,
    by_item: bool = False,
    by_category: bool = False,
    limits: tuple[float, float] | None = None,
    method: str = UNBIASED.name,
    gold: Mapping[object, float] | Any | None = None,
    gold_sd: float | None = None,
) -> AgreementResult:
    """Find how much raters agree, and what to report of it; ratings may be missing anywhere.

    Parameters
    ----------
    labels : Labels, path, frame or array
        The ratings, or what :func:`headcount.read_ratings` reads.
    scale : {"nominal", "ordinal", "interval", "ratio"}, optional
        What labels are: names, names in order, numbers, numbers from 0 on of which ratios matter.
        Default: what they declare; else interval if they are more than two numbers, else nominal.
    sets : str, optional
        What separates labels where a cell holds several, such as ``";"``; "none" where each holds
        one. Default: whether parts of cells are labels of other cells (a note says so).
    distance : {"masi", "jaccard"}, path, frame, dict or array, optional
        How far apart labels are. Of sets: MASI (the default) or Jaccard's. Else your own of every
        two labels (:func:`~headcount.io.facts.distances.read_distances`); in an array, in order.
    coefficients : collection of str, Coefficient or function, optional
        Names of those wanted; all by default. Your own may be among them: a function of an (items,
        labels) table of counts that returns a number, an object with such a function, ``value``, a
        ``name`` and a ``title``, or a :class:`~headcount.agreement.Coefficient`.
    bootstrap : int
        Number of bootstrap samples of items, the same for all coefficients. With 0, intervals for
        these raters are analytic where there are standard ones.
    level, rng
        Coverage of the intervals; seed or generator of the bootstrap.
    raters : {"sample", "fixed"}
        For whom intervals hold: for raters like these, of whom these are a sample, or for these
        raters only. Below six raters the text shows both.
    full, by_rater, by_item, by_category : bool
        Whether the text shows all coefficients; to compare raters with each other; to list items,
        most contested first; and to find the agreement on each label against all others.
    limits, method, gold, gold_sd
        Of :func:`headcount.phi`, which is measured as well unless the scale is nominal.

    Returns
    -------
    AgreementResult

    Notes
    -----
    Intervals for raters like these: :func:`~headcount.agreement.raters.interval.crossed_variance`,
    O(ratings), or O(pairs of ratings) for Conger's kappas. For these raters, items are resampled by
    a multinomial over label patterns, O(draws x patterns), or O(draws x pairs of ratings) where it
    matters who rated; where that is too much, they are analytic.

    References
    ----------
    Krippendorff (2011) and others: see docs/methods/agreement.md.

    Examples
    --------
    >>> from headcount.agreement import agree, paradox
    >>> result = agree(paradox("8a"), rng=1)
    >>> result["percent"], result["alpha"]
    (0.75 (0.625 to 0.875), 0.4733 (0.1988 to 0.724))
    >>> agree(paradox("2"))["alpha"]
    undefined: every rating is '1'
    """
    kinds, _ = choose(coefficients, taken=TAKEN)
    draws, level, generator = options.draws(bootstrap), options.level(level), options.seed(rng)
    kind = RATERS[options.one_of(raters, "raters", list(RATERS))]
    views = {"full": full, "by_rater": by_rater, "by_item": by_item, "by_category": by_category}
    for name, value in views.items():
        options.switch(value, name)
    metric = Metric.of(scale, sets, distance)
    of_phi = PhiOptions(limits=limits, method=method, gold=gold, gold_sd=gold_sd)
    labels = take(labels, raters=kind is SAMPLE or by_rater)
    if by_rater:
        labels.check_raters("comparing raters")
    notes = Notes(labels.notes)
    data = prepare(*metric.apply(labels, notes))
    chosen = coefficients is not None
    engine = Engine(data, kinds, asked=chosen)
    sampling = Sampling(scope=find_scope(data.panel, kind), draws=draws, level=level)
    found = estimate(engine, sampling, generator)
    concentration = of_phi.measure(data, chosen=chosen, level=level, raters=raters)
    provenance = AgreementProvenance.of(labels, data, sampling, seed=options.seed_number(rng))
    note_scale(notes, data, given=scale is not None)
    report = make_report(kinds, found, data, sampling.scope)
    note_all(notes, engine, found, sampling, provenance, concentration, report)
    return AgreementResult(
        provenance=provenance,
        notes=tuple(notes),
        kinds={one.name: one for one in kinds},
        coefficients=found.coefficients,
        these_raters=found.these_raters,
        scope=sampling.scope,
        report=report,
        analytic=found.analytic,
        raters=rater_view(data, level) if by_rater else (),
        pairs=pair_view(engine, level) if by_rater else (),
        categories=category_view(data, sampling) if by_category else (),
        items=item_view(data, concentration) if by_item else (),
        phi=concentration,
        retest=measure_retest(data, level, kind),
        bland_altman=None if chosen else limits_of_agreement(data, level),
        full=full or chosen,
    )
