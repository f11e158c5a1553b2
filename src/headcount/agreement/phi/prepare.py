"""What Phi starts from: ratings of items with two or more, and true values where there are any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from headcount import options
from headcount.agreement.phi.methods import Method
from headcount.agreement.phi.scale import PhiScale, Points, find_scale, label_values
from headcount.data.labels import Labels
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, count, option, some
from headcount.io.load import sources_of, take_facts
from headcount.results.notes import Notes
from headcount.results.provenance import Source
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = ["GoldValues", "Prepared", "prepare", "take_gold"]


@dataclass(frozen=True, eq=False)
class GoldValues:
    """True values of items, and how far from them raters may centre.

    Parameters
    ----------
    value : (items,) array
        In the order of the items; nan where there is none.
    sd : float
        In units of the labels; 0 where there are no true values.
    unmatched : list of str
        Items that nobody rated.
    sources : tuple of Source
        Files behind them.
    """

    value: Floats
    sd: float
    unmatched: list[str]
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """Ratings of the items with two or more.

    Parameters
    ----------
    ids : (items,) array
    item : (ratings,) array of int
        Item of each rating.
    rater : (ratings,) array of int
        Who gave it.
    x : (ratings,) array
        Ratings, in units of the labels.
    truth : (items,) array
        True values, nan where there is none.
    gold_sd : float
        Standard deviation of their priors, in units of the labels.
    scale : PhiScale
    weight : (items,) array or None
        Items that each stands for, of ratings that were added up by pattern; None: one.
    """

    ids: Ids
    item: Codes
    rater: Codes
    x: Floats
    truth: Floats
    gold_sd: float
    scale: PhiScale
    weight: Floats | None = None

    @property
    def n_items(self) -> int:
        """Items with two ratings or more."""
        return len(self.ids) if self.weight is None else int(self.weight.sum())

    @property
    def n_ratings(self) -> int:
        """Ratings of them."""
        return len(self.item) if self.weight is None else int(self.weight[self.item].sum())

    def keep(self, ratings: Flags) -> Prepared:
        """Leave out some ratings, and the items that are left with less than two."""
        n = np.bincount(self.item[ratings], minlength=len(self.ids))
        rest = replace(self, item=self.item[ratings], rater=self.rater[ratings], x=self.x[ratings])
        return rest if (n >= 2).all() else rest.only(n >= 2)

    def only(self, items: Flags) -> Prepared:
        """Keep some items."""
        rows = items[self.item]
        return replace(
            self,
            ids=self.ids[np.flatnonzero(items)],
            item=(np.cumsum(items) - 1)[self.item[rows]],
            rater=self.rater[rows],
            x=self.x[rows],
            truth=self.truth[items],
            weight=None if self.weight is None else self.weight[items],
        )

    def some_items(self, most: int) -> Prepared:
        """Take so many items at most, evenly spread over their order."""
        n = len(self.ids)
        if n <= most:
            return self
        kept = np.zeros(n, dtype=bool)
        kept[np.linspace(0, n - 1, most).astype(np.intp)] = True
        return self.only(kept)

    @cached_property
    def unanimous(self) -> bool:
        """Whether the raters of every item agree in full, and nobody says that they are wrong."""
        example = np.empty(len(self.truth))
        example[self.item] = self.x
        return not np.isfinite(self.truth).any() and bool((example[self.item] == self.x).all())


def prepare(
    labels: Labels,
    method: Method,
    *,
    limits: tuple[float, float] | None,
    points: Points | None,
    gold: GoldValues,
    notes: Notes,
) -> Prepared:
    """Find the scale, and keep the items with two ratings or more, as numbers. O(ratings)."""
    if not len(labels):
        raise DataError(f"{labels.source}: no ratings.")
    # Of anonymous raters there are at least as many as have rated one item.
    most = labels.n_raters or int(labels.ratings_per_item.max())
    squeeze = None if method.intervals else most
    scale = find_scale(labels, limits=limits, points=points, squeeze=squeeze, notes=notes)
    outside = np.flatnonzero((gold.value < scale.low) | (gold.value > scale.high))
    if len(outside):
        first = int(outside[0])
        raise DataError(
            f"{option('gold')} of {count(len(outside), 'item')} lies outside the limits "
            f"{scale.low:g} to {scale.high:g}; the first: item '{labels.items[first]}', "
            f"{gold.value[first]:g}."
        )
    if gold.unmatched:
        notes.caution(
            f"Phi: gold of {count(len(gold.unmatched), 'item')} without ratings ignored: "
            f"{some(gold.unmatched)}."
        )
    rated = labels.ratings_per_item
    times = np.ones(len(rated), dtype=np.int64) if labels.item_times is None else labels.item_times
    if single := int(times[rated == 1].sum()):
        notes.info(f"Phi: {count(single, 'item')} with a single rating left out.")
    kept = rated >= 2
    if labels.reduced:
        return _of_patterns(labels, scale, kept, times)
    rows = kept[labels.item]
    return Prepared(
        ids=labels.items[np.flatnonzero(kept)],
        item=(np.cumsum(kept) - 1)[labels.item[rows]],
        rater=labels.rater[rows],
        x=label_values(labels)[labels.label[rows]],
        truth=gold.value[kept],
        gold_sd=gold.sd,
        scale=scale,
    )


def _of_patterns(labels: Labels, scale: PhiScale, kept: Flags, times: Codes) -> Prepared:
    """Take each pattern of ratings that were added up for an item, with the number of them."""
    counts = labels.matrix()[kept]
    pattern, label = np.nonzero(counts)
    number = counts[pattern, label]
    return Prepared(
        ids=np.arange(len(counts)),
        item=np.repeat(pattern, number),
        rater=np.zeros(int(number.sum()), dtype=np.int64),
        x=label_values(labels)[np.repeat(label, number)],
        truth=np.full(len(counts), np.nan),
        gold_sd=0.0,
        scale=scale,
        weight=times[kept].astype(np.float64),
    )


def take_gold(gold: Any, gold_sd: float | None, labels: Labels) -> GoldValues:
    """Check true values, which are a mapping, an array, or what :func:`read_gold` reads."""
    none = np.full(len(labels.items), np.nan)
    if gold is None:
        if gold_sd is not None:
            raise OptionError(
                f"{option('gold_sd')} says how far raters may settle from true values; give "
                f"{option('gold', ...)} as well."
            )
        return GoldValues(none, 0.0, [])
    if gold_sd is None:
        raise OptionError(
            f"{option('gold')} needs {option('gold_sd', ...)}: how far from the true value raters "
            "may settle, in units of the labels."
        )
    sd = options.number(gold_sd, "gold_sd", above=0)
    if not isinstance(gold, Mapping | list | tuple | np.ndarray):
        from headcount.io.facts.gold import read_gold

        gold = take_facts(gold, read_gold, "gold")
    if isinstance(gold, Mapping):
        values = cast("Mapping[Any, Any]", gold)
        return _by_item(values, sd, labels, sources_of(values))
    value = _numbers(gold)
    if value.shape != none.shape:
        raise DataError(
            f"{option('gold')} has {value.size:,} values, but there are "
            f"{count(len(none), 'item')} in {labels.source}. Give one for each of labels.items, "
            "nan where there is none, or a mapping."
        )
    return GoldValues(value, sd, [])


def _by_item(
    gold: Mapping[Any, Any], sd: float, labels: Labels, sources: tuple[Source, ...]
) -> GoldValues:
    names = as_ids([str(key) for key in gold])
    given = _numbers(list(gold.values()))
    code = match_ids(names, labels.items)
    value = np.full(len(labels.items), np.nan)
    value[code[code >= 0]] = given[code >= 0]
    return GoldValues(value, sd, names[code < 0].tolist(), sources)


def _numbers(values: Any) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{option('gold')} must be numbers, one per item; nan where there is none."
        ) from None
