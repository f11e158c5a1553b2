"""Rated items: their ranks and their labels, by rules that cut ratings in two."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import Any, ClassVar, Self, cast

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.engine.taking import take_facts
from headcount.errors import OptionError, count, option, some, unknown_name
from headcount.io.facts import read_anchors
from headcount.pairwise.methods import EACH, Rated
from headcount.pairwise.result import RatedItem
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import PAIRWISE_TESTS, STEP_DOWN, WALD, WALD_T
from headcount.stats.ranks import Spread, rank_intervals, ranks
from headcount.typing import Codes, Floats, Ids, Ints

__all__ = [
    "ABOVE",
    "BELOW",
    "LabelRule",
    "SIGN",
    "Anchors",
    "RULES",
    "known_label",
    "choose_rule",
    "label_items",
    "rated_items",
    "item_ranks",
    "tell_of_labels",
]


# What a rule of labels is: where ratings are cut in two.

ABOVE, BELOW = "above", "below"


class LabelRule(ABC):
    """Where ratings are cut into two labels.

    An own rule extends this class, says in `cut` where ratings are cut, and is given as `label`.

    Attributes
    ----------
    name : str
    example : str
        How the rule is asked for.
    at_mean : bool
        Whether the cut is the mean of the component, of which the standard errors of ratings know.
    unlabelled : str
        Why an item with a rating may have no label.
    takes_argument : bool
        Whether something follows the name and a colon.
    """

    name: str
    example: ClassVar[str] = ""
    at_mean: ClassVar[bool] = False
    unlabelled: ClassVar[str] = "exactly at the cut"
    takes_argument: ClassVar[bool] = False

    @classmethod
    def read(cls, argument: str) -> Self:
        """Make the rule from what follows its name and a colon, which is "" unless it takes any."""
        return cls()

    @property
    @abstractmethod
    def words(self) -> str:
        """The rule in words, after 'above or below'."""

    @abstractmethod
    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the cut among the items of one component.

        Parameters
        ----------
        ratings : (..., items) array
            Of all items; nan where not finite.
        members : array of int
            Positions of the component's items, some of which have a rating.

        Returns
        -------
        (...,) array
            nan where there is no cut.
        """

    def at(self, ratings: Floats, component: Codes) -> Floats:
        """Find the cut that each item is held against, in that item's component.

        Parameters
        ----------
        ratings : (..., items) array
            Only finite ones count.
        component : (items,) array of int

        Returns
        -------
        (..., items) array
            nan in a component that has no cut.
        """
        out = np.full(ratings.shape, np.nan)
        finite = np.where(np.isfinite(ratings), ratings, np.nan)
        order = np.argsort(component, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(component[order])) + 1):
            if np.isnan(finite[..., members]).all():
                continue
            out[..., members] = self.cut(finite, members)[..., None]
        return out


class Sign(LabelRule):
    """Above or below the average item of the component."""

    name = "sign"
    example = "sign"
    at_mean = True

    @property
    def words(self) -> str:
        """The average item."""
        return "the average item"

    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the mean of the component."""
        return np.nanmean(ratings[..., members], axis=-1)


SIGN = Sign()


class Quantile(LabelRule):
    """Above or below a quantile of the ratings of the component."""

    name = "quantile"
    example = "quantile:0.75"
    takes_argument = True

    def __init__(self, quantile: float) -> None:
        self.quantile = quantile

    @classmethod
    def read(cls, argument: str) -> Self:
        """Read the quantile."""
        try:
            quantile = float(argument)
        except ValueError:
            quantile = math.nan
        if not 0 < quantile < 1:
            raise OptionError(
                f"{option('label', f'{cls.name}:{argument}')}: a quantile lies between 0 and 1, as "
                f"in {cls.example}, above which is the best quarter of the items."
            )
        return cls(quantile)

    @property
    def words(self) -> str:
        """Which quantile."""
        return f"the {self.quantile:g} quantile of the ratings"

    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the quantile."""
        return np.nanquantile(ratings[..., members], self.quantile, axis=-1)


# Items with a known label, between which is the cut.

BOUNDARY, POSITIVE, NEGATIVE = SIDES = ("boundary", "positive", "negative")
"""What an anchor can be known to be."""


class Anchors(LabelRule):
    """Above or below what items with a known label say.

    The cut is the mean of items at the boundary, or half way between the means of positive and of
    negative ones.

    Parameters
    ----------
    anchors : mapping of str to (anchors,) array of int
        Positions of the boundary, positive and negative anchors.
    """

    name = "anchors"
    example = "anchors:FILE"
    takes_argument = True
    unlabelled = "at the cut or in a group without the anchors it needs"

    def __init__(self, anchors: Mapping[str, Codes]) -> None:
        self.anchors = anchors

    @classmethod
    def of(cls, anchors: Any, items: Ids) -> Self:
        """Find the anchors among the items.

        Parameters
        ----------
        anchors : mapping of item to side, items, path or frame
            Without sides all items lie at the boundary.
        items : array
            All items.
        """
        sides = _sides(anchors)
        for side in sides.values():
            if side not in SIDES:
                raise unknown_name("side of an anchor", side, SIDES, option_name="label")
        index = match_ids(as_ids(list(sides)), items)
        for name, i in zip(sides, index, strict=True):
            if i < 0:
                names = [str(item) for item in items]
                raise unknown_name("anchor", name, names, option_name="label")
        side_of = np.array(list(sides.values()))
        out = {side: index[side_of == side] for side in SIDES}
        if len(out[BOUNDARY]) and len(out[BOUNDARY]) < len(sides):
            raise OptionError(
                f"{option('label')}: anchors lie at the boundary, or are positive and negative; "
                "give one kind or the other."
            )
        if not len(out[BOUNDARY]) and not (len(out[POSITIVE]) and len(out[NEGATIVE])):
            raise OptionError(
                f"{option('label')}: give at least one positive and one negative item."
            )
        return cls(out)

    @property
    def words(self) -> str:
        """What the anchors are."""
        if len(self.anchors[BOUNDARY]):
            return "the mean of the anchors at the boundary"
        return "half way between the positive and the negative anchors"

    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the mean of the anchors in the component, or the mean of their two means."""
        means = {
            side: _mean(ratings[..., index[np.isin(index, members)]])
            for side, index in self.anchors.items()
        }
        if len(self.anchors[BOUNDARY]):
            return means[BOUNDARY]
        return (means[POSITIVE] + means[NEGATIVE]) / 2


def _sides(anchors: Any) -> dict[str, str]:
    """Items with what each is known to be."""
    if isinstance(anchors, list | tuple | set | frozenset | np.ndarray | KeysView | Iterator):
        return dict.fromkeys(map(str, cast("Iterable[Any]", anchors)), BOUNDARY)
    if isinstance(anchors, Mapping):
        side_of = cast("Mapping[Any, Any]", anchors)
    else:
        side_of = take_facts(anchors, read_anchors, "label")
    return {str(item): str(side).strip().lower() for item, side in side_of.items()}


def _mean(ratings: Floats) -> Floats:
    """Mean of the finite ratings, nan without any."""
    finite = ~np.isnan(ratings)
    total = np.where(finite, ratings, 0.0).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return total / finite.sum(axis=-1)


# The rules of labels, by name.

RULES: tuple[type[LabelRule], ...] = (Sign, Quantile, Anchors)
"""All rules; another one is a class of :class:`LabelRule` listed here."""


def known_label(label: Any) -> Any:
    """Read anchors that are in a file, which the result then names; leave other rules as given."""
    name, _, path = label.partition(":") if isinstance(label, str) else ("", "", "")
    if name == Anchors.name:
        if not path:
            raise OptionError(
                f"{option('label', name)} needs the anchors: a file of items with a known label, "
                f"or known to lie at the boundary ({option('label', Anchors.example)})."
            )
        return take_facts(path, read_anchors, "label")
    return take_facts(label, read_anchors, "label") if isinstance(label, PathLike) else label


def choose_rule(label: Any, items: Ids) -> LabelRule:
    """Read how items are to be labelled.

    Parameters
    ----------
    label : str or LabelRule, or anchors: mapping of item to side, items, path or frame
        "sign", or "quantile:Q" with Q between 0 and 1. Anchors are known to be "positive" or
        "negative", or to lie at the "boundary", as all do if no side is given.
    items : array
        All items.

    Examples
    --------
    >>> import numpy as np
    >>> items = np.array(["a", "b", "c"], dtype=object)
    >>> choose_rule("quantile:0.9", items).words
    'the 0.9 quantile of the ratings'
    >>> rule = choose_rule({"a": "positive", "c": "negative"}, items)
    >>> rule.at(np.array([2.0, 1.5, 0.0]), np.zeros(3, dtype=int))
    array([1., 1., 1.])
    """
    if isinstance(label, LabelRule):
        return label
    if not isinstance(label, str | None):
        return Anchors.of(label, items)
    name, _, argument = label.partition(":") if isinstance(label, str) else ("", "", "")
    for rule in RULES:
        if rule.name == name and (rule.takes_argument or not argument):
            return rule.read(argument)
    raise unknown_name("label", label, [rule.example for rule in RULES], option_name="label")


# Labels of items: above the cut or below it, and how sure that is.


def label_items(
    rule: LabelRule,
    rating: Floats,
    component: Codes,
    draws: Floats | None,
    *,
    error: Floats | None = None,
    df: Floats | None = None,
    mean: float = 0.0,
) -> tuple[list[str | None], Floats]:
    """Label items, and say how likely each is to lie above the cut.

    The cut moves with the ratings: it is found again in each draw. Normal draws give the standard
    error of the distance to the cut, and its normal probability; others the share of draws in which
    the item lies above, a draw at the cut counting half. Standard errors of ratings are those of
    the distance to their mean already, so that a cut there needs no draws.

    Parameters
    ----------
    rule : LabelRule
    rating : (items,) array
    component : (items,) array of int
    draws : (draws, items) array or None
    error : (items,) array, optional
        Standard errors of the ratings, if draws come from a normal distribution around them.
    df : (items,) array, optional
        Their degrees of freedom, where these are few.
    mean : float
        Mean of the ratings, if that is not where the average item lies.

    Returns
    -------
    labels : list of str or None
        None at the cut, and where there is no cut or no rating.
    above : (items,) array
        Probability of lying above; nan for those without a finite rating, or without draws.
    """
    at = rule.at(rating, component) - (mean if rule.at_mean else 0.0)
    distance = rating - at
    near = np.abs(distance) <= 1e-9 * (1 + np.abs(at))
    labels = [
        None if math.isnan(d) or edge else ABOVE if d > 0 else BELOW
        for d, edge in zip(distance.tolist(), near.tolist(), strict=True)
    ]
    above = np.full(len(rating), np.nan)
    rated = np.flatnonzero(np.isfinite(distance))
    if not len(rated):
        return labels, above
    if error is not None and rule.at_mean:
        spread = error[rated]
    else:
        drawn = None if draws is None else draws[~np.isnan(draws).all(axis=1)]
        if drawn is None or not len(drawn):
            return labels, above
        off = (drawn - rule.at(drawn, component))[:, rated] + (mean if rule.at_mean else 0.0)
        if error is None:
            above[rated] = ((off > 0) + 0.5 * (off == 0)).mean(axis=0)
            return labels, above
        spread = off.std(axis=0)
    special: Any = import_module("scipy.special")
    z = np.where(near[rated], 0.0, distance[rated]) / np.maximum(spread, 1e-300)
    above[rated] = special.ndtr(z) if df is None else special.stdtr(np.minimum(df[rated], 1e6), z)
    return labels, above


# Items with their ratings, ranks and labels, best first.

DECIMALS = 8
"""Digits of logits that tell ratings apart."""


def rated_items(used: Comparisons, rated: Rated, rule: LabelRule) -> tuple[RatedItem, ...]:
    """All items, best first, component by component."""
    component = rated.component
    drawless = rated.normal and rule.at_mean  # how far an item is from the mean needs no draws
    draws = rated.draws if drawless else rated.drawn()
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
    rating, rank = _ratings(rated, why), _rank_estimates(rated, why)
    comparisons, group, over = used.appearances.tolist(), component.tolist(), above.tolist()
    names: list[Any] = used.items.tolist()
    order: list[int] = _best_first(rated).tolist()
    return tuple(
        RatedItem(
            item=names[i],
            rating=rating[i],
            rank=rank[i],
            may_be_first=(rank[i].value if rank[i].low is None else rank[i].low) == 1,
            label=labels[i],
            probability=None if math.isnan(over[i]) else over[i],
            comparisons=comparisons[i],
            component=group[i],
        )
        for i in order
    )


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


def _rank_estimates(rated: Rated, why: Sequence[str | None]) -> list[Estimate]:
    rank, level = item_ranks(rated), rated.settings.level
    each = rated.settings.ranks == EACH
    low, high = _rank_intervals(rated, level, each)
    how = (STEP_DOWN if each else PAIRWISE_TESTS).name
    out: list[Estimate] = []
    has_intervals = (np.isfinite(rated.rating) & ~np.isnan(low)).tolist()
    rows = zip(rank.tolist(), has_intervals, low.tolist(), high.tolist(), why, strict=True)
    for value, has_interval, best, worst, reason in rows:
        if math.isnan(value):
            out.append(Estimate(value, undefined=reason or "not rated"))
        elif has_interval:
            out.append(Estimate(int(value), int(best), int(worst), level=level, method=how))
        else:
            out.append(Estimate(int(value)))
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
        # Those without a finite rating may stand anywhere, and bar nobody.
        others = int(np.sum(members & np.isinf(rated.rating)))
        spread = _spread(rated, finite)
        if spread is not None:
            best, worst = rank_intervals(rated.rating[finite], spread, level=level, each=each)
            low[finite], high[finite] = best, worst + others
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
    unit, level = rated.settings.units.per_logit, rated.settings.level
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
    unit, value = rated.settings.units.per_logit, float(rated.rating[i])
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
