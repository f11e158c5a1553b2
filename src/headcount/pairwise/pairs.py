"""Pairwise comparisons end to end: answers in, rated and labelled items out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, cast

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.engine.counts import ComparisonsScan
from headcount.engine.taking import bring_comparisons, sources_of
from headcount.errors import DataError, OptionError, count, option, some
from headcount.pairwise.answers import (
    COMPARISON,
    check_unit,
    repeated_answers,
)
from headcount.pairwise.board import (
    Among,
    left_side,
    moved_to,
    parts_by,
    take_fixed,
    tell_of_rows,
    tell_of_unread,
)
from headcount.pairwise.fit import check_control, control_columns
from headcount.pairwise.labels import (
    ABOVE,
    BELOW,
    SIGN,
    Anchors,
    LabelRule,
    choose_rule,
    known_label,
    rated_items,
    tell_of_labels,
)
from headcount.pairwise.methods import (
    AVERAGE,
    BRADLEY_TERRY,
    LOGIT,
    METHODS,
    RANKS,
    SCALES,
    Rated,
    RatingMethod,
    RatingScale,
    Settings,
    method_for,
    refusal,
)
from headcount.pairwise.priors import AUTO_PRIOR, check_prior, given_prior
from headcount.pairwise.result import Dropped, PairsProvenance, PairsResult
from headcount.pairwise.sandwich import (
    AUTO_CLUSTERS,
    BY_RATER,
    cluster_columns,
    cluster_names,
    unit_of,
    uses_raters,
)
from headcount.pairwise.spammers import find_spammers
from headcount.pairwise.ties import HALF, TieModel, choose, tie_model
from headcount.results.notes import Notes, few_draws
from headcount.typing import Progress, Seed

__all__ = [
    "pairs",
    "prepare",
    "provenance",
]


def pairs(
    comparisons: Comparisons | Any,
    *,
    method: str | RatingMethod = BRADLEY_TERRY,
    ties: str | TieModel = HALF,
    position: bool = False,
    prior: float | str | None = AUTO_PRIOR,
    cluster: str | Sequence[str] = AUTO_CLUSTERS,
    control: str | Sequence[str] | None = None,
    ranks: str = AVERAGE,
    label: str | LabelRule | Mapping[Any, str] | Iterable[Any] | Any = SIGN,
    by_rater: bool | str = False,
    bootstrap: int = 0,
    units: str | RatingScale = LOGIT,
    fix: Any = None,
    by: str | None = None,
    level: float = 0.95,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> PairsResult:
    """Rate items from 'A or B?' answers, rank and label them, and evaluate the raters.

    Parameters
    ----------
    comparisons : Comparisons, or path or frame
        The comparisons, or anything that :func:`headcount.read_comparisons` takes; or a list of
        several.
    method : {"bradley-terry", "plackett-luce", "elo"} or RatingMethod
        Maximum likelihood, or Elo: epochs in random order until ratings are stable. Plackett-Luce
        is Bradley-Terry for rankings; either name uses it for rankings. Options of a single method
        are set in an object, such as :class:`~headcount.pairwise.methods.EloMethod` (`k`, `epochs`,
        `order`).
    ties, position, control
        Options of Bradley-Terry: see :func:`headcount.pairwise.bradley_terry.bradley_terry`.
        Columns of `control` are read from the file.
    prior : float, {"auto", "fitted", "none"} or None
        As there. "auto" fits a prior if a rating would be infinite, that of an item that won or
        lost all its comparisons. It is in logits, whatever the units.
    cluster : str or sequence of str
        Clusters of correlated comparisons: "rater", or columns of the file, two at most; "none" for
        independent comparisons. Standard errors are clustered by them (see
        :func:`headcount.pairwise.bradley_terry.bradley_terry`, also for "auto"), and a bootstrap
        draws whole clusters: raters, or the values of one column; with "auto" and "none" it draws
        single comparisons.
    ranks : {"average", "each"}
        Intervals of ranks that are valid on average over items, with a set of items that may be
        first; or wider ones, which are valid for each item (see
        :func:`headcount.stats.ranks.rank_intervals`).
    label : str or LabelRule, or anchors: mapping of item to side, items, path or frame
        "sign": above or below the average item of the component. "quantile:Q": above or below the
        Q quantile of the ratings. Anchors, "anchors:FILE" if they are in a file: items known to be
        "positive" or "negative", which are cut half way between their means; or items that lie at
        the "boundary", which is cut at their mean.
    by_rater : bool or "drop"
        Evaluate the raters (see :mod:`headcount.pairwise.spammers`); with "drop", also rate again
        without those who answer at random.
    bootstrap : int
        Number of bootstrap samples for intervals. With 0, intervals come from standard errors (Elo
        has none). Draws do not depend on the order of rows.
    units : {"logit", "elo"} or RatingScale
        Ratings as natural log odds, or in Elo points: a difference of 400 means odds of 10 to 1.
    fix : mapping of item to rating, str, path or frame; optional
        For one item, as in "gpt-4=1000": its rating; all others are shifted by the same amount. For
        several, such as the file that `to_frame` or ``-o`` wrote: they keep their ratings, with the
        standard errors of their intervals, and the others are rated relative to them.
    by : str, optional
        A column of the comparisons, such as the category: the result also has a leaderboard for
        each value, such as ``result.by["coding"]``.
    level : float
        Coverage of intervals, and confidence level of the tests of raters.
    seed : int or Generator
    progress : callable, optional
        Called with the number of bootstrap samples done and the number in all.

    Returns
    -------
    PairsResult

    Notes
    -----
    Without a bootstrap, intervals of ratings are normal (Wald), or Student's with clusters.
    Intervals of ranks come from tests of all pairs of items.

    Examples
    --------
    >>> from headcount import Comparisons, pairs
    >>> left, right = "aababcab" * 5, "bcccaaba" * 5
    >>> outcome = ["left", "left", "left", "right", "left", "right", "left", "tie"] * 5
    >>> result = pairs(Comparisons.from_columns(left, right, outcome))
    >>> [(i.item, i.rating, i.label) for i in result.items][0]
    ('a', 0.4583 (-0.05252 to 0.9691), 'above')
    >>> result.probability("a", "c")
    0.7605 (0.5052 to 0.9081)
    """
    progress = options.callback(progress)
    method = choose(method, METHODS, RatingMethod, "method")
    settings = Settings(
        ties=tie_model(ties),
        position=options.switch(position, "position"),
        prior=check_prior(prior),
        cluster=cluster,
        control=control,
        ranks=options.one_of(ranks, "ranks", RANKS, "kind of ranks"),
        bootstrap=options.draws(bootstrap),
        unit=unit_of(cluster) if bootstrap else COMPARISON,
        units=choose(units, SCALES, RatingScale, "units"),
        level=options.level(level),
    )
    judges = by_rater == DROP or options.switch(by_rater, "by_rater")
    rng = options.seed(seed)
    fixed = {} if fix is None else take_fixed(fix, settings)
    everything, method, rule = prepare(comparisons, method, settings, judges, label, by, fixed)
    judged, used, dropped = None, everything, None
    if judges:
        prior = given_prior(settings.prior)
        judged = find_spammers(everything, prior=prior, level=settings.level, seed=rng)
    if by_rater == DROP and judged is not None and judged.spammers:
        used = _without(everything, judged.spammers)
        dropped = Dropped(tuple(judged.spammers), len(everything) - len(used))
    rated = method.fit(used, settings, rng, progress)
    if len(fixed) == 1:
        rated = moved_to(rated, used.items, fixed)
    items = rated_items(used, rated, rule)
    notes = Notes(rated.notes)
    tell_of_rows(used, notes)
    if any(item.rating.low is not None for item in items):
        tell_of_unread(used, settings, notes)
    notes.extend(() if judged is None else judged.notes)
    if dropped is not None:
        _tell_of_dropped(dropped, everything, notes)
    tell_of_labels(items, rule, notes)
    notes.extend(few_draws(settings.bootstrap, settings.level))
    return PairsResult(
        items=items,
        raters=None if judged is None else judged.raters,
        dropped=dropped,
        agreement=repeated_answers(used, level=settings.level),
        left=left_side(used, settings) if method is METHODS[0] and not settings.position else None,
        by={} if by is None else _boards(used, by, method, settings, rule, rng),
        fit=fit_details(rated, used),
        provenance=replace(
            provenance(method, settings, rule, rated, used, options.seed_number(seed)),
            by=by or "",
            fixed=len(fixed),
        ),
        notes=tuple(notes),
        rated=rated,
        compared=used,
    )


def _boards(
    used: Comparisons,
    by: str,
    method: RatingMethod,
    settings: Settings,
    rule: LabelRule,
    rng: np.random.Generator,
) -> dict[str, PairsResult]:
    """Rate the comparisons of each value of a column."""
    if isinstance(rule, Anchors):
        raise OptionError(
            f"{option('by')} and anchors ({option('label')}) do not go together; leave one out."
        )
    # Within one value of a column there are no clusters of it.
    clusters = [name for name in cluster_names(settings.cluster) if name != by]
    settings = replace(settings, cluster=",".join(clusters) or DEFAULTS.cluster)
    boards: dict[str, PairsResult] = {}
    for name, part in parts_by(used, by):
        rated = method.fit(part, settings, rng)
        boards[name] = PairsResult(
            items=rated_items(part, rated, rule),
            raters=None,
            dropped=None,
            agreement=None,
            fit=fit_details(rated, part),
            provenance=provenance(method, settings, rule, rated, part, None),
            notes=rated.notes,
            rated=rated,
            compared=part,
        )
    return boards


# What `pairs` is given: data that are read, and options that are checked.

DEFAULTS = Settings()
DROP = "drop"
"""Rate without raters who answer at random."""


def prepare(
    comparisons: Any,
    method: RatingMethod,
    settings: Settings,
    judges: bool,
    label: Any,
    by: str | None = None,
    fixed: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[Comparisons, RatingMethod, LabelRule]:
    """Refuse options that do not go together, and take the data."""
    _check_method_takes(method, settings)
    check_control(settings.control, prior=settings.prior)
    if control_columns(settings.control) and settings.bootstrap:
        raise OptionError(
            f"{option('control')} has intervals of its own, and no bootstrap; leave "
            f"{option('bootstrap')} out."
        )
    label = known_label(label)
    needs_raters = judges or settings.unit == BY_RATER
    data = _bring(
        comparisons,
        clusters=(*cluster_columns(settings.cluster), *(() if by is None else (by,))),
        controls=control_columns(settings.control),
        raters=needs_raters or uses_raters(settings.cluster),
    )
    if by is not None and by not in data.cluster_names:
        raise DataError(f"{data.source}: no column '{by}' was kept; name it when data are read.")
    if fixed is not None and len(fixed) > 1:
        if by is not None or method is not METHODS[0]:
            raise OptionError(
                f"{option('fix')} of several items goes with Bradley-Terry alone, without "
                f"{option('by')}; leave the other out."
            )
        data = Comparisons.joined([data], fixed)
        method = Among(fixed=fixed)
        _check_method_takes(method, settings)
    _check_added_up(data, method, settings, judges=judges)
    data = replace(data, sources=(*data.sources, *sources_of(label)))
    if needs_raters:
        data = data.with_raters()
    if not len(data):
        raise DataError(f"{data.source}: no comparisons.")
    if settings.bootstrap:
        check_unit(data, settings.unit)
    if data.ranking is not None:
        method = method_for(method, data)
        _check_method_takes(method, settings)
        if settings.bootstrap:
            raise OptionError(
                "Rankings have robust errors, with each ranking for itself, and no bootstrap; "
                f"leave {option('bootstrap')} out."
            )
    return data, method, choose_rule(label, data.items)


def _bring(comparisons: Any, **kept: Any) -> Comparisons:
    """Take comparisons, or several of them together, such as several files."""
    several = cast("Sequence[Any]", comparisons) if isinstance(comparisons, list | tuple) else ()
    if not several or not all(
        isinstance(part, str | PathLike | Comparisons | ComparisonsScan) for part in several
    ):
        return bring_comparisons(comparisons, **kept)
    parts = [bring_comparisons(part, **kept) for part in several]
    return parts[0] if len(parts) == 1 else Comparisons.joined(parts)


def _check_added_up(
    data: Comparisons, method: RatingMethod, settings: Settings, *, judges: bool
) -> None:
    """Refuse what needs answers one by one, where equal ones were added up."""
    needs = {
        "method": not method.takes_added_up,
        "by_rater": judges,
        "control": bool(control_columns(settings.control)),
    }
    for name, needed in needs.items():
        if data.times is not None and needed:
            raise OptionError(
                f"{data.source}: {option(name)} needs answers one by one, and equal ones were "
                "added up where they lie. Leave it out, or read the file into memory."
            )


def _check_method_takes(method: RatingMethod, settings: Settings) -> None:
    """Refuse options that mean nothing to the method."""
    if settings.cluster != DEFAULTS.cluster and not (method.has_normal_draws or settings.bootstrap):
        raise OptionError(
            f"{method.title} has no intervals without a bootstrap, which {option('cluster')} is "
            f"for; say how often it draws, as in {option('bootstrap', 200)}."
        )
    particular = frozenset[str]().union(*(each.takes for each in METHODS)) - method.takes
    for name in sorted(particular):
        value, default = getattr(settings, name), getattr(DEFAULTS, name)
        if value is default or (isinstance(value, str) and value == default):
            continue
        other = next(each for each in METHODS if name in each.takes)
        instead = "" if method.takes_rankings else f", or use {option('method', other.name)}"
        raise OptionError(f"{refusal(method)} {option(name)}; leave it out{instead}.")


# Rate by all who answered, or without those who answer at random, and see what that changes.


def _without(comparisons: Comparisons, spammers: Sequence[object]) -> Comparisons:
    """Keep the comparisons of the raters who are no spammers."""
    if comparisons.rater is None or comparisons.raters is None:
        return comparisons
    spammer = np.isin(comparisons.raters.astype(str), [str(name) for name in spammers])
    kept = ~spammer[comparisons.rater]
    if not kept.any():
        raise DataError(
            f"{comparisons.source}: every rater seems to answer at random, so nothing is left to "
            f"rate by. Look at them with {option('by_rater', True)}."
        )
    return comparisons.select(kept)


def _tell_of_dropped(dropped: Dropped, everything: Comparisons, notes: Notes) -> None:
    """Say that the ratings are not by all who answered."""
    raters = 0 if everything.raters is None else len(everything.raters)
    notes.caution(
        f"rated without {len(dropped.raters):,} of {count(raters, 'rater')}, spammers or reversed "
        f"({some(dropped.raters)}), and so without {dropped.comparisons:,} of "
        f"{count(len(everything), 'comparison')}; leave out {option('drop_spammers')} to rate by "
        "all."
    )


# How ratings came about: what was used, what was asked for, and how the fit went.


def fit_details(rated: Rated, used: Comparisons) -> dict[str, Any]:
    """Say how the fit went, for a program to read."""
    graph, names = rated.graph, used.items.tolist()
    return {
        "converged": rated.converged,
        "components": graph.n_components,
        "undefeated": [names[i] for i in graph.undefeated],
        "winless": [names[i] for i in graph.winless],
        "not_finite": int((~np.isfinite(rated.rating)).sum()),
        **rated.method.details(rated),
    }


def provenance(
    method: RatingMethod,
    settings: Settings,
    rule: LabelRule,
    rated: Rated,
    used: Comparisons,
    seed: int | None,
) -> PairsProvenance:
    """Gather what is known about a run."""
    compared = int(rated.graph.compared.sum())
    return PairsProvenance(
        source=used.source,
        sources=used.sources,
        dropped=used.dropped,
        items_used=compared,
        items_dropped=len(used.items) - compared,
        n_ratings=len(used),
        n_raters=None if used.rater is None else len(np.unique(used.rater[used.rater >= 0])),
        labels=(ABOVE, BELOW),
        level=settings.level,
        bootstrap=settings.bootstrap,
        seed=seed,
        backend=used.backend,
        n_items=len(used.items),
        n_comparisons=len(used),
        n_ties=int(used.answers[used.outcome == 0.5].sum()),
        n_rankings=used.n_rankings,
        method=method.name,
        ties=settings.ties.name,
        units=settings.units.name,
        label=rule.name,
        cut=rule.words,
        cluster=",".join(cluster_names(settings.cluster)),
    )
