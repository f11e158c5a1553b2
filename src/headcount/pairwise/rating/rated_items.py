"""Items with their ratings, ranks and labels, best first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import count, some
from headcount.pairwise.labelling.base import LabelRule
from headcount.pairwise.labelling.label_items import label_items
from headcount.pairwise.rating.rating_method import EACH, Rated
from headcount.pairwise.records import RatedItem
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import WALD, WALD_T
from headcount.stats.intervals.from_tests import PAIRWISE_TESTS, STEP_DOWN
from headcount.stats.ranks import Spread, rank_intervals, ranks
from headcount.typing import Floats, Ints

__all__ = ["item_ranks", "rated_items", "tell_of_labels"]

DECIMALS = 8
"""Digits of logits that tell ratings apart."""


def rated_items(used: Comparisons, rated: Rated, rule: LabelRule) -> tuple[RatedItem, ...]:
    """All items, best first, component by component."""
    component = rated.component
    known = rated.normal and rule.at_mean  # how far an item is from the mean needs no draws
    draws = rated.draws if known else rated.drawn()
    labels, above = label_items(
        rule,
        rated.rating,
        component,
        draws,
        error=rated.standard_error if rated.normal else None,
        df=None if rated.spread is None else rated.spread.df,
        mean=rated.mean,
    )
    why = _why(rated)
    rating, rank = _ratings(rated, why), _rank_estimates(rated)
    asked, group, over = used.appearances.tolist(), component.tolist(), above.tolist()
    names: list[Any] = used.items.tolist()
    order: list[int] = _best_first(rated).tolist()
    return tuple(
        RatedItem(
            item=names[i],
            rating=rating[i],
            rank=rank[i] if why[i] is None or rank[i].undefined is None
            else Estimate(math.nan, undefined=why[i]),
            label=labels[i],
            probability=None if math.isnan(over[i]) else over[i],
            comparisons=asked[i],
            component=group[i],
        )
        for i in order
    )  # fmt: skip


def item_ranks(rated: Rated) -> Floats:
    """Rank items; those below all others are so whether the others have ratings or not."""
    # Equal items differ by rounding, at most; they share a rank.
    rating, component = np.round(rated.rating, DECIMALS), rated.component
    rank = ranks(rating, component=component)
    size = np.bincount(component)
    lowest = np.isneginf(rating)
    last = size - np.bincount(component[lowest], minlength=len(size)) + 1
    return np.where(lowest, last[component], rank)


def _best_first(rated: Rated) -> Ints:
    """Best first, the undefeated before all, the winless after all; what is not rated last."""
    even = np.round(rated.rating, DECIMALS)
    extreme = np.zeros(len(even))
    extreme[list(rated.graph.undefeated)] = -1
    extreme[list(rated.graph.winless)] = 1
    return np.lexsort((extreme, np.where(np.isnan(even), np.inf, -even), rated.component))


def _rank_estimates(rated: Rated) -> list[Estimate]:
    rank, level = item_ranks(rated), rated.settings.level
    each = rated.settings.ranks == EACH
    low, high = _rank_intervals(rated, level, each)
    how = (STEP_DOWN if each else PAIRWISE_TESTS).name
    out: list[Estimate] = []
    told = (np.isfinite(rated.rating) & ~np.isnan(low)).tolist()
    rows = zip(rank.tolist(), told, low.tolist(), high.tolist(), strict=True)
    for value, has_interval, best, worst in rows:
        if math.isnan(value):
            out.append(Estimate(value, undefined="not rated"))
        elif has_interval:
            out.append(Estimate(value, low=best, high=worst, level=level, method=how))
        else:
            out.append(Estimate(value))
    return out


def _rank_intervals(rated: Rated, level: float, each: bool) -> tuple[Floats, Floats]:
    """Ranks that are left open, of items with finite ratings, within each component."""
    low, high = np.full((2, len(rated.rating)), np.nan)
    if rated.spread is None and rated.draws is None:
        return low, high
    for group in np.unique(rated.component):
        members = rated.component == group
        finite = np.flatnonzero(members & np.isfinite(rated.rating))
        if not len(finite):
            continue
        # Those without a finite rating above them come first.
        above = int(np.sum(members & np.isposinf(rated.rating)))
        spread = _spread(rated, finite)
        if spread is not None:
            found = rank_intervals(rated.rating[finite], spread, level=level, each=each)
            low[finite], high[finite] = (above + ends for ends in found)
    return low, high


def _spread(rated: Rated, items: Ints) -> Spread | None:
    """How far ratings of some items may be off; None with too few draws to tell."""
    if rated.spread is not None:
        return rated.spread.select(items)
    drawn = np.zeros((0, len(items))) if rated.draws is None else rated.draws[:, items]
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    return Spread.of_draws(drawn) if len(drawn) > 1 else None


def _ratings(rated: Rated, why: Sequence[str | None]) -> list[Estimate]:
    """Ratings with their intervals, in the units of the scale."""
    if rated.draws is not None and not rated.normal:
        return [_drawn_rating(rated, i, reason) for i, reason in enumerate(why)]
    unit, level = rated.settings.scale.per_logit, rated.settings.level
    df = None if rated.spread is None else rated.spread.df
    width: list[float] = (rated.standard_error * unit * _quantiles(df, level)).tolist()
    rows = zip((rated.rating * unit).tolist(), rated.rating.tolist(), width, why, strict=True)
    method = (WALD if df is None else WALD_T).name
    return [
        Estimate(plain, undefined=reason)
        if reason is not None
        else Estimate(value, low=value - half, high=value + half, level=level, method=method)
        if math.isfinite(half)
        else Estimate(value)
        for value, plain, half, reason in rows
    ]


def _quantiles(df: Floats | None, level: float) -> float | Floats:
    """Half widths of intervals in standard errors: the normal's, or Student's."""
    if df is None:
        return WALD.quantile(level)
    special: Any = import_module("scipy.special")
    students = special.stdtrit(np.where(np.isinf(df), 1.0, df), (1 + level) / 2)
    return np.where(np.isinf(df), WALD.quantile(level), students).astype(np.float64)


def _drawn_rating(rated: Rated, i: int, why: str | None) -> Estimate:
    unit, value = rated.settings.scale.per_logit, float(rated.rating[i])
    if why is not None or rated.draws is None:
        return Estimate(value, undefined=why)
    drawn = rated.draws[~np.isnan(rated.draws).all(axis=1), i]
    return Estimate.from_draws(value * unit, drawn * unit, level=rated.settings.level)


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


def tell_of_labels(items: tuple[RatedItem, ...], rule: LabelRule, notes: Notes) -> None:
    """Say which items have a rating and no label."""
    bare = [i.item for i in items if i.label is None and math.isfinite(i.rating.value)]
    if bare:
        notes.caution(
            f"{count(len(bare), 'item')} without a label, {rule.unlabelled}: {some(bare)}."
        )
