"""Agreement end to end: labels in; coefficients, raters, pairs, labels and items out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import pairwise
from re import Pattern
from typing import Any

import numpy as np

from headcount import options
from headcount.agreement.coefficients import PREFERRED, choose, recommended
from headcount.agreement.estimates import (
    Coefficient,
    Engine,
    Sampling,
    estimate,
    item_disagreement,
    like_these,
)
from headcount.agreement.prepare import Prepared, prepare
from headcount.agreement.rater_pairs import limits_of_agreement
from headcount.agreement.raters import RATERS, SAMPLE, find_scope
from headcount.agreement.recommendation import make_report, note_all, note_scale
from headcount.agreement.result import (
    RESERVED,
    AgreementProvenance,
    AgreementResult,
    CategoryAgreement,
    ItemDisagreement,
    PairAgreement,
    RaterAgreement,
)
from headcount.agreement.scales import INTERVAL, NOMINAL, Metric
from headcount.data.facts import Clusters, note_nesting
from headcount.data.labels import Labels, Scale
from headcount.engine.taking import bring_ratings
from headcount.errors import OptionError, option
from headcount.io.facts import take_clusters
from headcount.results.notes import Notes
from headcount.stats.arrays import SMALL, ratio
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import STUDENT
from headcount.typing import Codes, Floats, Ints, Seed

__all__ = [
    "agree",
]


Wanted = str | Coefficient | Callable[[Codes], Any]  # a name, or a caller's own


def agree(
    labels: Labels | Any,
    *,
    scale: str | None = None,
    sets: str | None = None,
    distance: Any = None,
    coefficients: Collection[Wanted] | Wanted | None = None,
    bootstrap: int | None = None,
    level: float = 0.95,
    seed: Seed = 0,
    intervals: str = SAMPLE.name,
    cluster: str | Mapping[Any, Any] | Pattern[str] | Clusters | None = None,
    details: bool = False,
    by_rater: bool = False,
    by_item: bool = False,
    by_category: bool = False,
    limits: tuple[float, float] | None = None,
) -> AgreementResult:
    """Measure how much raters agree, and say what to report; ratings may be missing anywhere.

    Parameters
    ----------
    labels : Labels, path, frame or array
        The ratings, or what :func:`headcount.read_ratings` reads.
    scale : {"nominal", "ordinal", "interval", "ratio"}, optional
        What labels are: names, names in order, numbers, or numbers from 0 whose ratios matter.
        Default: what the data declare; otherwise interval if there are more than two numbers, else
        nominal.
    sets : str, optional
        What separates labels if a cell contains several, such as ``";"``; "none" if each contains
        one. Default: cells contain sets if their parts are labels of other cells (a note says so).
    distance : {"masi", "jaccard"}, path, frame or dict, optional
        How far apart labels are. For sets: MASI (the default) or Jaccard's distance. Otherwise your
        own distance for each pair of labels (:func:`~headcount.io.label_order.read_distances`).
    coefficients : collection of str, Coefficient or function, optional
        Names of coefficients; default: all. You can add your own: a function of an (items, labels)
        table of counts that returns a number, an object with such a function, ``value``, a ``name``
        and a ``title``, or a :class:`~headcount.agreement.Coefficient`.
    bootstrap : int, optional
        Number of bootstrap samples of items, whose percentiles are the intervals for these raters;
        with 0, textbook intervals (irrCAC's, F intervals). Default: the jackknife over items, on
        Fisher's scale, which covers better with few items; and 500 samples for your own
        coefficients.
    level, seed
        Coverage of the intervals; seed or generator of the bootstrap.
    intervals : {"sample", "fixed"}
        Whether intervals hold for raters like these, of whom these are a sample, or for these
        raters only. With fewer than six raters the text shows both.
    cluster : str, mapping or re.Pattern, optional
        Groups of items that are not independent, as in :func:`headcount.survey`.
    details, by_rater, by_item, by_category : bool
        Whether to show all coefficients in the text; compare raters with each other; list items,
        most contested first; and measure the agreement on each label against all others.
    limits : (float, float), optional
        Ends of the scale, for :func:`headcount.phi`, which is also computed unless the scale is
        nominal.

    Returns
    -------
    AgreementResult

    Notes
    -----
    Intervals for raters like these: :func:`~headcount.agreement.raters.crossed_variance`,
    O(ratings), or O(pairs of ratings) for Conger's kappas. For these raters, items are resampled by
    a multinomial over label patterns, O(draws x patterns), or O(draws x pairs of ratings) if it
    matters who rated; if that is too slow, intervals are analytic.

    References
    ----------
    Krippendorff (2011) and others: see docs/methods/agreement.md.

    Examples
    --------
    >>> ratings = [[1, 1]] * 20 + [[0, 0]] * 10 + [[1, 0], [0, 1]] * 5  # 40 items, two raters
    >>> result = agree(ratings, seed=1)
    >>> result["percent"], result["alpha"]
    (0.75 (0.5868 to 0.8637), 0.4733 (0.1373 to 0.7117))
    >>> agree([[1, 1]] * 100)["alpha"]
    undefined: every rating is '1'
    """
    kinds = choose(coefficients, reserved=RESERVED)
    draws = None if bootstrap is None else options.draws(bootstrap)
    level, generator = options.level(level), options.seed(seed)
    kind = RATERS[options.one_of(intervals, "intervals", list(RATERS))]
    views = {
        "details": details, "by_rater": by_rater, "by_item": by_item, "by_category": by_category,
    }  # fmt: skip
    for name, value in views.items():
        options.switch(value, name)
    metric = Metric.of(scale, sets, distance)
    given, labels = labels, bring_ratings(labels, raters=kind is SAMPLE or by_rater)
    if by_rater:
        labels.check_raters("comparing raters")
    notes = Notes(labels.notes)
    clusters = None if cluster is None else take_clusters(cluster, given, labels)
    data = prepare(*metric.apply(labels, notes), clusters)
    if clusters is not None:
        clusters.note(data.labels.items, notes)
    elif not labels.reduced:
        note_nesting(data.labels.items, labels.nested_in, notes)
    chosen = coefficients is not None
    engine = Engine(data, kinds, chosen=chosen)
    sampling = Sampling(scope=find_scope(data.panel, kind), draws=draws, level=level)
    estimates = estimate(engine, sampling, generator)
    concentration = None
    if data.scale.ordered and not chosen:
        from headcount.agreement.phi import phi

        concentration = phi(data.for_phi, limits=limits, level=level, intervals=intervals)
    elif limits is not None:
        scales = option("scale", INTERVAL.name)
        why = "is not measured where coefficients are chosen: see headcount.phi."
        raise OptionError(
            f"{option('limits')} are of Phi, which "
            + (why if chosen else f"needs a scale with an order: say {scales}, or leave them out.")
        )
    retest = None
    if data.labels.again is not None:
        from headcount.agreement.comparison import measure_retest

        retest = measure_retest(data, level, kind)
    provenance = AgreementProvenance.of(labels, data, sampling, seed=seed)
    note_scale(notes, data, declared=scale is not None)
    report = make_report(kinds, estimates, data, sampling.scope)
    note_all(notes, engine, estimates, sampling, provenance, concentration, report)
    return AgreementResult(
        provenance=provenance,
        notes=tuple(notes),
        kinds={each.name: each for each in kinds},
        coefficients=estimates.coefficients,
        these_raters=estimates.these_raters,
        bare=frozenset(n for n, kind in engine.coefficients.items() if kind.bare(data)),
        scope=sampling.scope,
        report=report,
        raters=rater_view(data, level) if by_rater else (),
        pairs=pair_view(engine, level) if by_rater else (),
        categories=category_view(data, sampling) if by_category else (),
        items=item_view(data) if by_item else (),
        phi=concentration,
        retest=retest,
        bland_altman=None if chosen else limits_of_agreement(data, level),
        chosen=chosen,
        details=details,
    )


# Agreement by rater, by pair of raters and by item.

FEW_COMPARED = 3
"""Items that a rater shares with others, at least, for bias and consistency."""
MOST_CATEGORIES = 30
"""Labels whose agreement is looked at one by one, at most."""


def rater_view(data: Prepared, level: float) -> tuple[RaterAgreement, ...]:
    """Compare each rater with the others, lowest agreement first. O(n log n) in ratings.

    Intervals are Student's, over the items of the rater. On a scale with an order there are
    bias and consistency too, and the least consistent rater is first.

    Examples
    --------
    >>> labels = Labels.from_triples([1, 1, 1], ["a", "b", "c"], ["x", "x", "y"])
    >>> [(r.rater, r.agreement.value) for r in rater_view(prepare(labels, None), 0.95)]
    [('c', 0.0), ('a', 0.5), ('b', 0.5)]
    """
    table, labels, times = data.ratings, data.labels, data.ratings.rating_times
    item, rater, raters = labels.item, labels.rater, len(labels.raters)
    _, group = np.unique(item * len(labels.scale) + labels.label, return_inverse=True)
    same = np.bincount(group, times)[group] / table.item_times[item]
    others, weight = np.maximum(table.n - 1, 1), times * (table.n > 1)
    ratings, n = np.bincount(rater, times, raters), np.bincount(rater, weight, raters)

    def mean(values: Floats) -> Floats:
        return np.bincount(rater, values * weight, raters) / np.maximum(n, 1)

    share = (same - 1) / others
    agreed = mean(share)
    error = np.sqrt(mean((share - agreed[rater]) ** 2) / np.maximum(n - 1, 1))
    x = data.numbers[labels.label]
    rest = (table.by_item(x)[item] - x) / others
    bias = mean(x - rest)
    a, b = x - mean(x)[rater], rest - mean(rest)[rater]
    consistency = ratio(mean(a * b), np.sqrt(mean(a**2) * mean(b**2)))
    ids: list[str | int] = labels.raters.tolist()
    order: list[int] = np.lexsort((np.arange(raters), agreed, n == 0)).tolist()
    out: list[RaterAgreement] = []
    for j in order:
        if not ratings[j]:
            continue
        none = None if n[j] else "nobody else rated the same items"
        agreement = Estimate(float("nan"), undefined=data.too_fine or none)
        if agreement.undefined is None:
            agreement = Estimate(float(agreed[j]))
            if error[j] > SMALL:  # where nothing varies, an interval would be a point
                agreement = Estimate.from_error(
                    agreement.value,
                    float(error[j]),
                    level=level,
                    method=STUDENT,
                    n=int(n[j]),
                    limits=(0.0, 1.0),
                )
        told = RaterAgreement(ids[j], int(ratings[j]), int(n[j]), agreement)
        if data.scale.ordered and n[j] >= FEW_COMPARED:
            alike = None if np.isnan(consistency[j]) else float(consistency[j])
            told = replace(told, bias=float(bias[j]), consistency=alike)
        out.append(told)
    if data.scale.ordered:
        out.sort(key=lambda r: 2.0 if r.consistency is None else r.consistency)
    return tuple(out)


def pair_view(engine: Engine, level: float) -> tuple[PairAgreement, ...]:
    """Find the agreement of every two raters who share an item. O(cells).

    Nothing where no mean over pairs has a value.
    """
    if not any(kind.name in engine.values for kind in engine.over_pairs):
        return ()
    table, data = engine.data.rater_pairs, engine.data
    # What is recommended for all raters, such as percent agreement, is shown of two as well.
    shown = {kind.name: kind for kind in recommended()} | engine.coefficients
    columns: dict[str, list[Estimate]] = {}
    for name, kind in shown.items():
        if kind.nominal and data.too_fine is not None and name not in engine.values:
            continue  # of measurements hardly any two are the same
        if (values := kind.by_pair(data, level)) is not None:
            columns[name] = values
    ids: list[str | int] = data.labels.raters.tolist()
    first: list[int] = table.a.tolist()
    second: list[int] = table.b.tolist()
    shared = table.shared
    pairs = [
        PairAgreement(
            ids[a], ids[b], int(shared[row]), {name: each[row] for name, each in columns.items()}
        )
        for row, (a, b) in enumerate(zip(first, second, strict=True))
    ]
    # By the last coefficient, which on a scale with an order goes by its distances.
    by = [name for name in columns if shown[name].nominal != data.scale.ordered] or list(columns)

    def value(pair: PairAgreement) -> float:
        estimate = pair.coefficients[by[-1]]
        return 2.0 if estimate.undefined is not None else estimate.value  # what has none last

    return tuple(sorted(pairs, key=value))


def category_view(data: Prepared, sampling: Sampling) -> tuple[CategoryAgreement, ...]:
    """Find the agreement on each label against all others, lowest first. O(labels x ratings).

    Where labels are sets, on whether they hold it.
    """
    labels, categories = data.labels, data.categories
    if len(categories) > MOST_CATEGORIES:
        raise OptionError(
            f"{option('by_category')}: {len(categories)} labels are too many to look at each; at "
            f"most {MOST_CATEGORIES}."
        )
    out: list[CategoryAgreement] = []
    for name, holds in categories.items():
        mine = holds[labels.label].astype(np.int64)
        two = prepare(replace(labels, label=mine, scale=Scale((f"not {name}", name))), NOMINAL)
        two = replace(two, cluster=data.cluster)
        agreement = _of_category(two, sampling)
        share = float(np.average(mine, weights=labels.times))
        out.append(CategoryAgreement(label=name, share=share, agreement=agreement))
    return tuple(sorted(out, key=lambda c: (c.agreement.undefined or "", c.agreement.value)))


def _of_category(two: Prepared, sampling: Sampling) -> Estimate:
    if (why := two.no_pair or PREFERRED.undefined(two)) is not None:
        return Estimate(float("nan"), undefined=why)
    crossed = like_these(PREFERRED, two)
    if crossed is None:
        weight = two.patterns.multiplicity[None, :].astype(np.float64)
        return Estimate(float(PREFERRED.kernel(two)(weight)[0]))
    return crossed.estimate(sampling.level, crossed=sampling.scope.crossed)


def item_view(data: Prepared) -> tuple[ItemDisagreement, ...]:
    """List items with two ratings or more, most contested first. O(items log items)."""
    if data.labels.reduced:
        raise OptionError(
            f"{option('by_item')} lists items one by one, and ratings were added up where they "
            "lie. Leave it out, or give some items only."
        )
    p = data.patterns
    disagreement = item_disagreement(p, data.graded)
    share = p.count / p.ratings[p.group]
    entropy = np.maximum(-p.sums(share * np.log2(share)), 0.0)
    names = data.labels.scale.labels
    label: list[int] = p.label.tolist()
    ends: list[int] = [*p.start.tolist(), len(label)]
    counts = [
        {names[label[e]]: int(p.count[e]) for e in range(first, last)}
        for first, last in pairwise(ends)
    ]
    listed: Ints = np.flatnonzero(p.usable[p.pattern])
    own = p.pattern[listed]
    order = listed[np.lexsort((listed, -entropy[own], -disagreement[own]))]
    ids: list[str | int] = data.labels.items.tolist()
    item: list[int] = p.items[order].tolist()
    pattern: list[int] = p.pattern[order].tolist()
    ratings = p.ratings
    answers = _labels_of_raters(data.labels)
    return tuple(
        ItemDisagreement(
            item=ids[i],
            ratings=int(ratings[g]),
            disagreement=float(disagreement[g]),
            entropy=float(entropy[g]),
            counts=dict(counts[g]),
            said=answers.get(i, {}),
        )
        for i, g in zip(item, pattern, strict=True)
    )


def _labels_of_raters(labels: Labels) -> dict[int, dict[str, str]]:
    """List what each rater said of each item, by its place; nothing of anonymous raters."""
    if labels.anonymous:
        return {}
    raters: list[object] = labels.raters.tolist()
    rows: list[tuple[int, int, int]] = list(
        zip(labels.item.tolist(), labels.rater.tolist(), labels.label.tolist(), strict=True)
    )
    out: dict[int, dict[str, str]] = {}
    for item, rater, label in rows:
        out.setdefault(item, {})[str(raters[rater])] = labels.scale.labels[label]
    return out
