"""Pairwise comparisons end to end: answers in, rated and labelled items out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from headcount import options
from headcount._version import __version__
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, some, unknown_name
from headcount.pairwise.bradley_terry.covariates import ItemNumbers
from headcount.pairwise.bradley_terry.result import BradleyTerry, Parameter
from headcount.pairwise.labelling import Cut, choose_cut, label_items
from headcount.pairwise.rating import K, Rated, Settings, rate
from headcount.pairwise.result import Dropped, Move, PairsProvenance, PairsResult, RatedItem
from headcount.pairwise.spammers.spammers import Raters, find_spammers
from headcount.results.notes import few_draws
from headcount.stats.estimate import Estimate
from headcount.stats.ranks import rank_intervals, ranks
from headcount.typing import Codes, Floats

__all__ = ["SCALES", "pairs"]


SCALES = {"logit": 1.0, "elo": 400 / math.log(10)}
"""Units in a logit, by the name of the scale."""
DECIMALS = 8
"""Logits that tell ratings apart."""
MOVES = 10
"""Items that moved most without spammers, to tell of."""


def pairs(
    comparisons: Comparisons,
    *,
    method: str = "bradley-terry",
    ties: str = "half",
    position: bool = False,
    prior: float | None = None,
    covariates: ItemNumbers | None = None,
    reliability: bool = False,
    k: float | None = None,
    epochs: int | None = None,
    order: str = "shuffled",
    label: str = "sign",
    anchors: Mapping[Any, str] | Iterable[Any] | None = None,
    by_rater: bool = False,
    drop_spammers: bool = False,
    checks: Comparisons | None = None,
    bootstrap: int = 0,
    by: str = "comparison",
    scale: str = "logit",
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: Callable[[int, int], None] | None = None,
) -> PairsResult:
    """Rate items from 'A or B?' answers, rank and label them, and judge the raters.

    Parameters
    ----------
    comparisons : Comparisons
    method : {"bradley-terry", "elo"}
        Maximum likelihood, or Elo: epochs in random order until ratings are stable.
    ties, position, prior, covariates, reliability
        Of Bradley-Terry: see :func:`headcount.pairwise.bradley_terry.bradley_terry.bradley_terry`.
        `prior` is in logits whatever the scale.
    k : float, optional
        Elo's step, in units of the scale. Default: 0.1 logits.
    epochs : int, optional
        Elo's passes over the comparisons. Default: until ratings are stable.
    order : {"shuffled", "given"}
        Elo's order in a pass; "given" makes one pass unless `epochs` says otherwise.
    label : str
        "sign": above or below the average item of the component. "quantile:Q": above or below the
        Q quantile of the ratings. "anchors": above or below a cut that `anchors` make.
    anchors : mapping of item to side, or items; optional
        Items known to be "positive" or "negative", which are cut half way between their means; or
        items that lie at the "boundary", which is cut at their mean.
    by_rater : bool
        Judge the raters (see :func:`headcount.pairwise.spammers.spammers.find_spammers`).
    drop_spammers : bool
        Judge the raters, rate again without those who answer at random, and tell what changed.
    checks : Comparisons, optional
        Pairs with a known answer, to judge raters by.
    bootstrap : int
        Bootstrap draws for intervals. 0: from the Hessian (Elo: none).
    by : {"comparison", "rater"}
        What the bootstrap draws.
    scale : {"logit", "elo"}
        Ratings as natural log odds, or in points of which 400 make the odds 10 times larger.
    level : float
        Coverage of intervals, and confidence of the tests of raters.
    rng : int or Generator
    progress : callable, optional
        Called with the number of bootstrap draws done and the number in all.

    Returns
    -------
    PairsResult

    Notes
    -----
    Without a bootstrap, intervals of ratings are normal (Wald), and those of ranks come from 1,000
    draws from the same normal distribution.

    Examples
    --------
    >>> from headcount import Comparisons, pairs
    >>> left, right = "aababcab" * 5, "bcccaaba" * 5
    >>> outcome = ["left", "left", "left", "right", "left", "right", "left", "tie"] * 5
    >>> result = pairs(Comparisons.from_columns(left, right, outcome))
    >>> [(i.item, i.rating, i.label) for i in result.items][0]
    ('a', 0.4583 (-0.02678 to 0.9434), 'above')
    >>> result.probability("a", "c")
    0.7605 (0.5296 to 0.8996)
    """
    if scale not in SCALES:
        raise unknown_name("scale", scale, list(SCALES))
    if not 0 < level < 1:
        raise OptionError(f"level must lie between 0 and 1, such as .95, not {level:g}.")
    unit = SCALES[scale]
    settings = Settings(
        method=method,
        ties=ties,
        position=position,
        prior=prior,
        covariates=covariates,
        reliability=reliability,
        k=None if k is None else k / unit,
        epochs=epochs,
        order=order,
        bootstrap=bootstrap,
        by=by,
    )
    if checks is not None and not (by_rater or drop_spammers):
        raise OptionError(
            "checks judge raters; ask for that with by_rater=True (--by-rater) or "
            "drop_spammers=True (--drop-spammers)."
        )
    generator = options.seed(rng)
    cut = choose_cut(label, anchors, comparisons.items)
    judged = dropped = None
    used, notes = comparisons, list[str]()
    if by_rater or drop_spammers:
        judged = find_spammers(comparisons, prior=prior, checks=checks, level=level, rng=generator)
        notes += judged.notes
    if drop_spammers and judged is not None and judged.spammers:
        used = _without(comparisons, judged)
        before = rate(comparisons, replace(settings, bootstrap=0, by="comparison"), generator)
        rated = rate(used, settings, generator, progress)
        dropped = _dropped(comparisons, used, judged, before, rated)
    else:
        rated = rate(used, settings, generator, progress)
    items = _items(used, rated, cut, unit, level)
    notes = [*rated.notes, *notes, *_cut_notes(items, cut), *few_draws(bootstrap, level)]
    return PairsResult(
        items=items,
        raters=None if judged is None else judged.raters,
        dropped=dropped,
        fit=_fit(rated, settings, comparisons, unit, level),
        provenance=PairsProvenance(
            __version__,
            comparisons.source,
            len(comparisons.items),
            len(used),
            int(np.sum(used.outcome == 0.5)),
            None if used.rater is None else len(np.unique(used.rater)),
            method,
            ties,
            scale,
            cut.rule,
            cut.words,
            bootstrap,
            by,
            level,
            rng if isinstance(rng, int) else None,
            comparisons.backend,
        ),
        notes=tuple(dict.fromkeys(notes)),
        rated=rated,
        compared=used,
    )


def _items(
    used: Comparisons, rated: Rated, cut: Cut, unit: float, level: float
) -> tuple[RatedItem, ...]:
    """All items, best first, component by component."""
    rating, component, draws = rated.rating, rated.component, rated.draws
    none = np.full(len(rating), np.nan)
    error = rated.model.standard_error if isinstance(rated.model, BradleyTerry) else none
    labels, above = label_items(
        cut, rating, component, draws, error=error if rated.normal else None
    )
    # Equal items differ by rounding, at most; they share a rank and keep their order.
    even = np.round(rating, DECIMALS)
    rank = _ranks(even, component)
    low, high = none, none
    if draws is not None:
        low, high = rank_intervals(draws, level=level, component=component)
    asked = np.bincount(used.left, minlength=len(rating)) + np.bincount(
        used.right, minlength=len(rating)
    )
    names: list[Any] = used.items.tolist()
    why = _why(rated)
    sure = None if draws is None else draws[~np.isnan(draws).all(axis=1)]
    # Best first, the undefeated before all, the winless after all; what the data do not rate last.
    extreme = np.zeros(len(rating))
    extreme[list(rated.graph.undefeated)] = -1
    extreme[list(rated.graph.winless)] = 1
    order = np.lexsort((extreme, np.where(np.isnan(even), np.inf, -even), component))
    out: list[RatedItem] = []
    places: list[int] = order.tolist()
    for i in places:
        finite = math.isfinite(rating[i])
        known = finite and not math.isnan(low[i])
        out.append(
            RatedItem(
                item=names[i],
                rating=Estimate(float(rating[i]), undefined=why[i])
                if why[i] is not None
                else _rating(rated, i, float(error[i]), sure, unit, level),
                rank=Estimate(math.nan, undefined=why[i])
                if math.isnan(rank[i])
                else Estimate(
                    float(rank[i]),
                    float(low[i]) if known else None,
                    float(high[i]) if known else None,
                    level if known else None,
                    "drawn ratings" if known else "",
                ),
                label=labels[i],
                probability=None if math.isnan(above[i]) else float(above[i]),
                comparisons=int(asked[i]),
                component=int(component[i]),
            )
        )
    return tuple(out)


def _ranks(rating: Floats, component: Codes) -> Floats:
    """Rank items; those below all others are so whether the others have ratings or not."""
    rank = ranks(rating, component=component)
    size = np.bincount(component)
    lowest = np.isneginf(rating)
    last = size - np.bincount(component[lowest], minlength=len(size)) + 1
    return np.where(lowest, last[component], rank)


def _rating(
    rated: Rated, i: int, error: float, sure: Floats | None, unit: float, level: float
) -> Estimate:
    value = float(rated.rating[i]) * unit
    if sure is not None and not rated.normal:
        return Estimate.from_draws(value, sure[:, i] * unit, level=level)
    if not math.isfinite(error):
        return Estimate(value)
    return Parameter(value, error * unit).estimate(level)


def _why(rated: Rated) -> list[str | None]:
    """Why an item has no finite rating; None for one that has."""
    graph, out = rated.graph, list[str | None]()
    undefeated, winless = set(graph.undefeated), set(graph.winless)
    for i, x in enumerate(rated.rating.tolist()):
        if math.isfinite(x):
            out.append(None)
        elif not graph.compared[i]:
            out.append("never compared")
        elif x == math.inf:
            out.append(
                "above all others: undefeated" if i in undefeated else "above the main group"
            )
        elif x == -math.inf:
            out.append("below all others: winless" if i in winless else "below the main group")
        else:
            out.append("not determined")
    return out


def _without(comparisons: Comparisons, judged: Raters) -> Comparisons:
    """Comparisons of the raters who are no spammers."""
    if comparisons.rater is None or comparisons.raters is None:
        raise ValueError("raters were judged")
    spammer = np.isin(comparisons.raters.astype(str), [str(name) for name in judged.spammers])
    kept = ~spammer[comparisons.rater]
    if not kept.any():
        raise DataError(
            f"{comparisons.source}: every rater seems to answer at random, so nothing is left to "
            "rate by. Look at them with --by-rater."
        )
    return comparisons.select(kept)


def _dropped(
    comparisons: Comparisons, used: Comparisons, judged: Raters, before: Rated, after: Rated
) -> Dropped:
    """Tell what ratings without spammers change."""
    old, new = (_ranks(np.round(r.rating, DECIMALS), r.component) for r in (before, after))
    both = np.isfinite(before.rating) & np.isfinite(after.rating)
    correlation = math.nan
    if both.sum() > 1:
        a, b = (ranks(r[both]) for r in (before.rating, after.rating))
        if np.ptp(a) > 0 and np.ptp(b) > 0:
            correlation = float(np.corrcoef(a, b)[0, 1])
    # Items that have a rank no longer moved furthest.
    moved = np.where(np.isnan(new) & ~np.isnan(old), np.inf, np.abs(new - old))
    moved[np.isnan(moved)] = 0.0
    far = np.argsort(-moved, kind="stable")[:MOVES]
    names: list[Any] = comparisons.items.tolist()
    return Dropped(
        tuple(judged.spammers),
        len(comparisons) - len(used),
        correlation,
        tuple(
            Move(names[i], int(old[i]), None if math.isnan(new[i]) else int(new[i]))
            for i in far.tolist()
            if moved[i]
        ),
    )


def _fit(
    rated: Rated, settings: Settings, comparisons: Comparisons, unit: float, level: float
) -> dict[str, Any]:
    """How the fit went, for a program to read."""
    graph, model, names = rated.graph, rated.model, comparisons.items.tolist()
    out: dict[str, Any] = {
        "converged": model.converged,
        "components": graph.n_components,
        "undefeated": [names[i] for i in graph.undefeated],
        "winless": [names[i] for i in graph.winless],
        "not_finite": int((~np.isfinite(rated.rating)).sum()),
    }
    if not isinstance(model, BradleyTerry):
        return out | {
            "k": (K if settings.k is None else settings.k) * unit,
            "epochs": model.n_epochs,
            "order": model.order,
            "misfit": model.misfit,
        }
    refits = rated.refits
    return out | {
        "iterations": model.n_iter,
        "gradient": model.gradient,
        "log_likelihood": model.log_likelihood,
        "prior": model.prior,
        "position": _shown(model.position, refits and refits.position, unit, level),
        "tie": _shown(model.tie, refits and refits.tie, 1.0, level),
        "coefficients": [
            {"covariate": name} | (_shown(p, None, unit, level) or {})
            for name, p in zip(model.covariates, model.coefficients, strict=True)
        ],
        "standard_errors": model.method,
    }


def _shown(
    p: Parameter | None, draws: Floats | None, unit: float, level: float
) -> dict[str, Any] | None:
    """Write a parameter for JSON, with the interval of its bootstrap draws if it has any."""
    if p is None:
        return None
    if draws is None:
        return Parameter(p.value * unit, p.standard_error * unit).estimate(level).to_dict()
    known = draws[~np.isnan(draws)]
    return Estimate.from_draws(p.value * unit, known * unit, level=level).to_dict()


def _cut_notes(items: tuple[RatedItem, ...], cut: Cut) -> list[str]:
    bare = [i.item for i in items if i.label is None and math.isfinite(i.rating.value)]
    if not bare:
        return []
    if cut.rule == "anchors":
        return [
            f"{count(len(bare), 'item')} without a label, at the cut or in a group without the "
            f"anchors it needs: {some(bare)}."
        ]
    return [f"{count(len(bare), 'item')} without a label, being at the cut: {some(bare)}."]
