"""What a leaderboard needs beside ratings: fixed ratings, win rates, sides, repeated rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import match_ids
from headcount.engine.taking import take_facts
from headcount.errors import DataError, OptionError, count, option, some, unknown_name
from headcount.io.facts import read_fixed
from headcount.pairwise.answers import components, sort_rows, together
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.methods import Rated, RatingMethod, Settings
from headcount.pairwise.sandwich import Meat, choose_clusters, cluster_names, clustered, hc3
from headcount.pairwise.standard_errors import EXACT, POSTERIOR, both_ways, widened
from headcount.pairwise.ties import HALF
from headcount.results.fields import Record
from headcount.results.notes import Notes
from headcount.stats.arrays import group_rows
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import WALD_LOG_ODDS
from headcount.stats.ranks import Spread
from headcount.typing import Floats, Progress

__all__ = [
    "Among",
    "LeftSide",
    "left_side",
    "parts_by",
    "take_fixed",
    "tell_of_rows",
    "tell_of_unread",
    "win_rates",
]


# Ratings that are given: of one item, or of many among which others are placed.

WIDER = 2.0
"""Standard deviations of new items around the mean of those that are fixed, in theirs."""
LEAST_SPREAD = 0.5
STEPS, LONGEST, CLOSE = 100, 2.0, 1e-10
WIDTH = 1.96
"""Standard errors from a rating to the end of its interval, in a file of them."""


def take_fixed(fix: Any, settings: Settings) -> dict[str, tuple[float, float]]:
    """Take ratings that are given: items with rating and standard error, in logits."""
    facts: dict[Any, Any]
    if isinstance(fix, str) and "=" in fix and not Path(fix).exists():
        facts = {}
        for part in fix.split(","):
            name, _, value = part.rpartition("=")
            facts[name.strip()] = value
    elif isinstance(fix, Mapping):
        facts = dict(cast("Mapping[Any, Any]", fix))
    else:
        facts = dict(take_facts(fix, read_fixed, "fix"))
    unit, out = settings.units.per_logit, dict[str, tuple[float, float]]()
    for name, given in facts.items():
        value, low, high = cast("Any", given) if isinstance(given, tuple) else (given, 0.0, 0.0)
        try:
            rating, error = float(value), (float(high) - float(low)) / (2 * WIDTH)
        except (TypeError, ValueError):
            rating = error = math.nan
        if not math.isfinite(rating):
            raise OptionError(
                f"{option('fix')}: expected a rating of '{name}', as in gpt-4=1000, not {value!r}."
            )
        out[str(name)] = rating / unit, error / unit
    if not out:
        raise OptionError(f"{option('fix')}: no ratings. Give an item and its rating.")
    return out


def moved_to(rated: Rated, items: Any, fixed: Mapping[str, tuple[float, float]]) -> Rated:
    """Move all ratings so that one item has the rating that was given."""
    ((name, (value, _)),) = fixed.items()
    index = int(match_ids(np.array([name], dtype=object), items)[0])
    if index < 0:
        raise unknown_name("item", name, [str(item) for item in items], option_name="fix")
    now = float(rated.rating[index])
    if not math.isfinite(now):
        raise DataError(f"{option('fix')}: '{name}' has no finite rating of its own to move.")
    by = np.where(rated.component == rated.component[index], value - now, 0.0)
    draws = None if rated.draws is None else rated.draws + by
    notes = Notes(rated.notes)
    notes.info(
        f"{name} is set to {value * rated.settings.units.per_logit:g}; intervals are relative to "
        "the average item."
    )
    return replace(rated, rating=rated.rating + by, draws=draws, notes=tuple(notes))


@dataclass(frozen=True, eq=False, kw_only=True)
class Among(RatingMethod):
    """Bradley-Terry ratings of new items among others that keep theirs.

    New items are believed to be like the fixed ones, but spread twice as far: a normal prior, so
    that one win is no rating. Errors of the fixed ratings count.

    Parameters
    ----------
    fixed : mapping of str to (float, float)
        Ratings and standard errors, in logits.
    """

    name = "bradley-terry"
    title = "Bradley-Terry"
    refuses = "Beside fixed ratings there is no"
    has_normal_draws = True
    fixed: Mapping[str, tuple[float, float]]

    def fit(
        self,
        comparisons: Comparisons,
        settings: Settings,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> Rated:
        """Climb to the posterior mode of the new ratings. O(comparisons + k^3) a step."""
        del rng, progress
        n, notes = len(comparisons.items), Notes(comparisons.notes)
        known = [self.fixed.get(str(item)) for item in comparisons.items.tolist()]
        held = np.array([each is not None for each in known])
        free = np.flatnonzero(~held)
        z = np.array([0.0 if each is None else each[0] for each in known])
        error = np.array([0.0 if each is None else each[1] for each in known])
        if not len(free):
            raise DataError(f"{comparisons.source}: every item is fixed; there is none to place.")
        if len(free) > EXACT:
            raise DataError(f"{comparisons.source}: more than {EXACT:,} items to place.")
        center, spread = float(z[held].mean()), WIDER * max(float(z[held].std()), LEAST_SPREAD)
        left, right = comparisons.left, comparisons.right
        rows = ~(held[left] & held[right])
        old = int(comparisons.answers[~rows].sum())
        if old:
            notes.info(f"{count(old, 'comparison')} between fixed items, not used.")
        z[free], played = center, comparisons.select(rows)
        converged, v = False, np.zeros((n + 2, n + 2))
        joint, inner = np.zeros((n, n)), np.eye(len(free)) * spread**2
        for _ in range(STEPS):
            joint, pull = _curvature(z, played)
            gradient = pull[free] - (z[free] - center) / spread**2
            own = np.diag(joint.sum(axis=1)) - joint
            inner = np.linalg.inv(own[np.ix_(free, free)] + np.eye(len(free)) / spread**2)
            step = inner @ gradient
            size = float(np.abs(step).max())
            z[free] += step * min(1.0, LONGEST / max(size, 1e-300))
            if converged := size < CLOSE:
                break
        v[np.ix_(free, free)] = inner
        matrix, df = v, np.full(n + 2, np.inf)
        clusters, how = choose_clusters(settings.cluster, played), POSTERIOR
        if clusters.names:
            extra = np.zeros((len(played.left), 1))
            every = np.ones(len(played.left), dtype=bool)
            meat = Meat.of(np.concatenate([z, [0.0, 0.0]]), HALF, played, every, extra)
            ways = [clustered(meat, v, codes) for codes in clusters.codes]
            crossed = clustered(meat, v, clusters.crossed) if len(ways) > 1 else None
            matrix, df = widened(v, both_ways(ways, crossed)[0], hc3(meat, v), ways[0].df)
            how = f"{POSTERIOR}, clustered by {clusters.title}"
        # What the errors of fixed ratings add: new ones follow the old ones they met.
        lead = np.zeros((n, n))
        lead[np.ix_(free, np.flatnonzero(held))] = inner @ joint[np.ix_(free, np.flatnonzero(held))]
        lead[held, held] = 1.0
        covariance = matrix[:n, :n] + (lead * error**2) @ lead.T
        names = [str(item) for item in comparisons.items[free]]
        notes.info(
            f"{count(int(held.sum()), 'item')} keep their ratings; placed among them: "
            f"{some(names)}."
        )
        return Rated(
            method=self,
            settings=settings,
            rating=z,
            standard_error=np.sqrt(np.maximum(np.diag(covariance), 0.0)),
            component=np.zeros(n, dtype=np.int64),
            draws=None,
            normal=True,
            graph=components(comparisons),
            converged=converged,
            notes=tuple(notes),
            model={"prior": spread, "fixed": int(held.sum()), "standard_errors": how},
            spread=Spread(variance=np.diag(covariance).copy(), covariance=covariance, df=df[:n]),
        )

    def details(self, rated: Rated) -> dict[str, Any]:
        """Return the prior of new items, and how many are fixed."""
        return rated.model


def _curvature(z: Floats, played: Comparisons) -> tuple[Floats, Floats]:
    """Information of each pair of items, and points won beyond what ratings expect."""
    n, left, right = len(z), played.left, played.right
    p = 0.5 * (1 + np.tanh((z[left] - z[right]) / 2))
    joint = np.bincount(left * n + right, played.weights * p * (1 - p), n * n).reshape(n, n)
    more = played.weights * (played.outcome - p)
    pull = np.bincount(left, more, n) - np.bincount(right, more, n)
    return (joint + joint.T).astype(np.float64), pull.astype(np.float64)


# Whether being shown on the left helps.

MIXED, MOSTLY = 0.2, 0.8
"""Share of an item's comparisons on either side, and of comparisons whose items have as much, from
which sides are mixed enough to tell them from the items."""


@dataclass(frozen=True, kw_only=True)
class LeftSide(Record):
    """How often the left of two equal items wins.

    Parameters
    ----------
    share : Estimate
        Of the points; .5 if sides do not matter.
    significant : bool
        Whether the interval leaves out .5.
    """

    share: Estimate
    significant: bool


def left_side(used: Comparisons, settings: Settings) -> LeftSide | None:
    """Test whether the left side wins more often than it should; None if data do not say."""
    n, decided = len(used.items), used.outcome[used.outcome != 0.5]
    if n > EXACT or used.ranking is not None or not (decided == 0).any() or decided.all():
        return None
    on_left = np.bincount(used.left, used.answers, n)
    share = on_left / np.maximum(on_left + np.bincount(used.right, used.answers, n), 1)
    mixed = (share >= MIXED) & (share <= 1 - MIXED)
    if np.average(mixed[used.left] & mixed[used.right], weights=used.answers) < MOSTLY:
        return None
    try:
        fit = bradley_terry(
            used,
            position=True,
            prior=settings.prior,
            cluster=settings.cluster,
            control=settings.control,
            level=settings.level,
        )
    except DataError:
        return None
    effect = None if fit.position is None else fit.position.estimate(settings.level)
    if effect is None or effect.low is None or effect.high is None or not fit.converged:
        return None
    value, low, high = (
        0.5 * (1 + math.tanh(x / 2)) for x in (effect.value, effect.low, effect.high)
    )
    estimate = Estimate(value, low, high, level=settings.level, method=WALD_LOG_ODDS.name)
    return LeftSide(share=estimate, significant=low > 0.5 or high < 0.5)


# How often each item won against each other one.


def win_rates(compared: Comparisons, items: Iterable[object]) -> tuple[Floats, Floats]:
    """Find the share of points that items took from each other, in an order; nan if they never met.

    Returns
    -------
    share, comparisons : (items, items) arrays
    """
    compared = sort_rows(compared)  # lest rounding of weights go by the order of rows
    place = {str(item): k for k, item in enumerate(items)}
    index = np.array([place.get(str(item), -1) for item in compared.items.tolist()])
    left, right, n = index[compared.left], index[compared.right], len(place)
    cell, turned = left * n + right, right * n + left
    weight, won = compared.weights, compared.weights * compared.outcome
    points = np.bincount(cell, won, n * n) + np.bincount(turned, weight - won, n * n)
    played = np.bincount(cell, weight, n * n) + np.bincount(turned, weight, n * n)
    with np.errstate(invalid="ignore"):
        share = np.where(played > 0, points / played, np.nan)
    return share.reshape(n, n), played.reshape(n, n).astype(np.float64)


# Boards of parts of the comparisons, such as categories.


def parts_by(comparisons: Comparisons, by: str) -> list[tuple[str, Comparisons]]:
    """Part comparisons by the values of a column that was kept, each with the items that it has."""
    codes, names = comparisons.clusters[by], comparisons.cluster_names[by]
    parts: list[tuple[str, Comparisons]] = []
    for code, name in enumerate(names.tolist()):
        some_ = comparisons.select(codes == code)
        kept = np.unique(np.concatenate([some_.left, some_.right]))
        left, right = (np.searchsorted(kept, side) for side in (some_.left, some_.right))
        items = comparisons.items[kept]
        parts.append((str(name), replace(some_, items=items, left=left, right=right, notes=())))
    return [part for part in parts if len(part[1])]


# Rows that came several times, and columns that were not read.

LEAST_ROWS, MOST_TIMES = 20, 10
ALIKE = 0.95
"""Share of different rows that come equally often, from which they were repeated."""


def tell_of_rows(comparisons: Comparisons, notes: Notes) -> None:
    """Warn if nearly every row is there two times, or three."""
    c = comparisons
    if c.times is not None or c.ranking is not None:
        return
    keys = [c.rater, c.weight, *c.clusters.values(), *c.controls.values()]
    _, cell = group_rows([c.left, c.right, c.outcome, *(key for key in keys if key is not None)])
    each = np.bincount(cell)
    often = [k for k in range(2, MOST_TIMES + 1) if np.mean(each % k == 0) >= ALIKE]
    if len(each) < LEAST_ROWS or not often:
        return
    notes.warning(
        f"{c.source}: nearly every row is there {often[-1]} times: {len(each):,} different rows of "
        f"{len(c):,}. Copies make intervals too narrow; keep one of each, unless people were asked "
        "again.",
        short=f"Nearly every row is there {often[-1]} times; intervals are too narrow.",
        rank=0,
    )


def tell_of_unread(comparisons: Comparisons, settings: Settings, notes: Notes) -> None:
    """Name the option for columns, such as the prompt, that make answers correlated."""
    named = cluster_names(settings.cluster)
    columns = [name for name in comparisons.unread if name not in named]
    if not columns or len(named) > 1 or named == ("none",) or settings.bootstrap:
        return
    add = option("cluster", together(comparisons, ",".join(named)))
    notes.caution(
        f"Comparisons with the same {columns[0]} are not independent. Intervals ignore that, and "
        f"may be too narrow. Add {add}.",
        short=f"Comparisons with the same {columns[0]} are not independent; these intervals "
        "ignore that.",
        rank=1,
    )
