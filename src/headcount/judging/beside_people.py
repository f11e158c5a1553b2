"""The judge beside people: where it stands among them, and where it disagrees with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from headcount.agreement.raters import FIXED, SAMPLE, freedom_of
from headcount.data.facts import LEAST_CLUSTERS
from headcount.judging.prepare import Judged, Prepared
from headcount.judging.readiness import (
    InPlace,
    RatingPairs,
    bootstrap_t,
    boundary,
    class_below_people,
    compare,
    pairs_of,
)
from headcount.results.fields import Record, shown
from headcount.stats.arrays import group_sums
from headcount.stats.estimate import Estimate, digits_apart
from headcount.stats.intervals import BY_ITEMS, LINEARISED, share_interval
from headcount.stats.ranks import holm
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "CROSSED",
    "Standing",
    "FEWEST_ITEMS",
    "standing_of",
    "Disagreement",
    "find_disagreement",
    "linear_interval",
    "over_people",
    "lead",
    "signed",
]


# Where a judge stands among the people, as plain records.


def signed(x: float, digits: int = 2) -> str:
    """Write a difference with its sign, and never as minus nothing.

    Examples
    --------
    >>> signed(-0.001), signed(-0.126)
    ('+0.00', '-0.13')
    """
    return f"{round(x, digits) + 0.0:+.{digits}f}"


def lead(value: float, other: float) -> float:
    """Subtract two numbers as they are printed, so that what stands beside them adds up.

    Examples
    --------
    >>> lead(0.397, 0.383), signed(lead(3.106, 3.094))
    (0.02, '+0.02')
    """
    return round(round(value, 2) - round(other, 2), 2)


def _number(x: float) -> str:
    return f"{x:.2f}" if math.isfinite(x) else ""


@dataclass(frozen=True, kw_only=True)
class PersonStanding(Record):
    """One person against the others, and the judge in that person's place: the same items.

    Parameters
    ----------
    person : str or int
    items : int
        Items that the person, somebody else and the judge labelled.
    kappa, judge_kappa : float
        With the others; NaN where it is undefined.
    agreement, judge_agreement : float
        Mean over items of the share of the others who say the same.
    recall, judge_recall : mapping of label to float
        Where another says the label, the share of times that the person, or the judge, does.
    bias, judge_bias : float or None
        How much higher the labels are than the others', on average; of two labels, how much more
        often the positive one is given. None where labels have no order.
    """

    person: str | int = field(metadata=shown("person", str))
    items: int = field(metadata=shown("items"))
    kappa: float = field(metadata=shown("person kappa", _number))
    judge_kappa: float = field(metadata=shown("judge kappa", _number))
    agreement: float = field(metadata=shown("person agrees", ".0%"))
    judge_agreement: float = field(metadata=shown("judge agrees", ".0%"))
    recall: Mapping[str, float]
    judge_recall: Mapping[str, float]
    bias: float | None = field(metadata=shown("bias", signed))
    judge_bias: float | None = field(metadata=shown("judge bias", signed))


@dataclass(frozen=True, kw_only=True)
class ClassBelow(Record):
    """A class whose recall by the judge is significantly too low: the label, and both shares."""

    label: str
    recall: float
    people: float


@dataclass(frozen=True, kw_only=True)
class Standing(Record):
    """Where a judge stands among the people.

    Parameters
    ----------
    kappa, people_kappa : Estimate
        The judge's with the people and the people's with each other: means over people.
    difference : Estimate
        Mean over people of the judge's kappa in that person's place, minus that person's.
    over_half : Estimate
        The judge's kappa minus half of people's: below 0, it has less than half of theirs.
    error : float
        Standard error of the difference.
    holds_for : str
        For whom these intervals hold, in words.
    agreement, people_agreement : float
    bias : Estimate or None
        Mean over items of the judge's label minus the mean of people's; of two, how much more
        often it gives the positive one. None where labels have no order.
    spread : float or None
        Standard deviation of people's labels, in which a bias is measured.
    class_below : ClassBelow or None
        The class on which the judge significantly fails where people do not.
    people : tuple of PersonStanding
        Highest kappa first.
    better_than : int
        Of the people, those in whose place the judge agrees more with the others than they do.
    place : int
        Its place among the people and itself, 1 the best.
    items : int
    weights : str
        How kappa counts a disagreement: "nominal" or "quadratic".
    left_out : int
        People who share too few items with others to be compared.
    clusters : int or None
        Documents, conversations or prompts that the items are in; None where items stand alone.
    people_mean : float or None
        Mean over items of people's labels, from which the bias is measured.
    """

    kappa: Estimate
    people_kappa: Estimate
    difference: Estimate
    over_half: Estimate
    error: float
    holds_for: str
    agreement: float
    people_agreement: float
    bias: Estimate | None
    spread: float | None
    class_below: ClassBelow | None
    people: tuple[PersonStanding, ...]
    better_than: int
    place: int
    items: int
    weights: str
    left_out: int = 0
    clusters: int | None = None
    people_mean: float | None = None

    def allowed(self, margin: float) -> float:
        """Return what its kappa may lack of people's: the margin, but no more than half of it."""
        return min(margin, max(self.people_kappa.value, 0.0) / 2)

    @property
    def shown_difference(self) -> str:
        """The difference of kappas as they are printed, with its interval."""
        return self.against()

    def against(self, *limits: float) -> str:
        """Write that difference; each end so that it is seen on which side of limits it lies."""
        return _shown(lead(self.kappa.value, self.people_kappa.value), self.difference, limits)

    @property
    def shown_bias(self) -> str:
        """The difference of means as they are printed, with its interval; "" without an order."""
        return self.higher()

    def higher(self, *limits: float) -> str:
        """Write that difference; each end so that it is seen on which side of limits it lies."""
        mean, e = self.people_mean or 0.0, self.bias
        return "" if e is None else _shown(lead(mean + e.value, mean), e, limits)


def _shown(value: float, e: Estimate, limits: Sequence[float]) -> str:
    if e.low is None or e.high is None:
        return signed(value)
    low, high = (signed(end, digits_apart(end, limits)) for end in (e.low, e.high))
    return f"{signed(value)}, {low} to {high}"


# Where a judge stands among the people, with intervals.

FEWEST_ITEMS = 30
"""Items below which there are no intervals, and nothing is decided."""
FEWEST_SHARED = 10
"""Items that a person must share with others to be compared."""
MOST_PEOPLE = 50
"""People who are compared one by one, those with the most items."""
CONTRASTS = ((1.0, -1.0), (1.0, -0.5))
"""The judge's kappa minus people's, and minus half of theirs."""
CROSSED = 6
"""People from which on intervals allow for them being a sample."""


def standing_of(
    judged: Judged, prepared: Prepared, level: float, *, looks: bool = False
) -> Standing | None:
    """Compare the judge with each person, on the same items and against the same others.

    None where fewer than two people share ten items with somebody else and the judge. With `looks`
    intervals hold at every size at once, so that one may look again after more items.
    """
    people = prepared.people
    compared, left_out = _compared(judged, prepared)
    if len(compared) < 2:
        return None
    pairs = pairs_of(
        people.item,
        people.rater,
        people.label,
        judged.label,
        compared=compared,
        labels=len(prepared.labels),
        cluster=prepared.cluster,
    )
    kappas = compare(pairs, prepared.distance)
    defined = np.isfinite(kappas.person)
    if not defined.any():
        return None
    names = people.raters[compared].tolist()
    rows = _people(pairs, kappas, prepared, names)
    crossed = len(compared) >= CROSSED
    step = float(prepared.distance[prepared.distance > 0].min())
    interval = _Intervals(pairs, kappas, step=step, level=level, crossed=crossed, looks=looks)
    judge_minus = kappas.judge - kappas.person
    better = int((judge_minus[defined] > 0).sum())
    tails = bootstrap_t(pairs, prepared.distance, CONTRASTS)
    (difference, error), (over_half, _) = (
        interval.of(*contrast, None if tails is None else tails[index])
        for index, contrast in enumerate(CONTRASTS)
    )
    below = class_below_people(pairs, (1 - level) / 2, looks=looks)
    bias = spread = people_mean = None
    if prepared.values is not None:
        item, over, mean = over_people(judged, prepared, prepared.values)
        given = prepared.values[people.label[judged.label[people.item] >= 0]]
        spread = float(given.std(ddof=1)) if len(given) > 1 else 0.0
        people_mean = float(mean.mean())
        bias = mean_interval(over, prepared.unit_of(item), level, interval.reach)
    return Standing(
        kappa=interval.of(1, 0)[0],
        people_kappa=interval.of(0, 1)[0],
        difference=difference,
        over_half=over_half,
        error=error,
        holds_for=(SAMPLE if crossed else FIXED).words,
        agreement=float(np.mean([row.judge_agreement for row in rows])),
        people_agreement=float(np.mean([row.agreement for row in rows])),
        bias=bias,
        spread=spread,
        people_mean=people_mean,
        class_below=None
        if below is None
        else ClassBelow(label=prepared.labels[below[0]], recall=below[1], people=below[2]),
        people=tuple(sorted(rows, key=lambda row: -np.nan_to_num(row.kappa, nan=-2.0))),
        better_than=better,
        place=1 + int((judge_minus[defined] < 0).sum()),
        items=pairs.items,
        weights="quadratic" if prepared.ordered else "nominal",
        left_out=left_out,
        clusters=None if prepared.cluster is None else pairs.units,
    )


def _compared(judged: Judged, prepared: Prepared) -> tuple[Codes, int]:
    """Find the people who share enough items; those with the most where there are many."""
    people = prepared.people
    ratings = np.bincount(people.item, minlength=len(people.items))
    counts = (judged.label >= 0) & (ratings > 1)
    items = np.bincount(people.rater[counts[people.item]], minlength=len(people.raters))
    enough = np.flatnonzero(items >= FEWEST_SHARED)
    kept = np.sort(enough[np.argsort(-items[enough], kind="stable")][:MOST_PEOPLE])
    return kept, int((items > 0).sum()) - len(kept)


class _Intervals:
    """Intervals of means over people: over items, and over people too where there are enough."""

    def __init__(
        self,
        pairs: RatingPairs,
        kappas: InPlace,
        *,
        step: float,
        level: float,
        crossed: bool,
        looks: bool,
    ) -> None:
        self.pairs, self.kappas, self.step = pairs, kappas, step
        self.level, self.crossed, self.looks = level, crossed, looks

    def reach(self, freedom: float) -> float:
        """Return the standard errors from a value to the ends of its interval."""
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        if self.looks:
            return boundary(self.pairs.units, self.level)
        return float(stdtrit(freedom, (1 + self.level) / 2))

    def of(
        self, judge: float, people: float, tails: Floats | None = None
    ) -> tuple[Estimate, float]:
        """Return `judge` times the judge's kappa plus `people` times people's, and its error.

        `tails` are the quantiles of :func:`~headcount.judging.readiness.bootstrap_t`.
        """
        kappas = self.kappas
        value = float(np.nanmean(judge * kappas.judge + people * kappas.person))
        changes = judge * kappas.judge_changes + people * kappas.person_changes
        without = judge * kappas.judge_without + people * kappas.person_without
        units = self.pairs.units
        v_items = units / max(units - 1, 1) * float((changes**2).sum())
        v_people = self._people(value, without) if self.crossed else 0.0
        error = float(np.sqrt(max(v_items, v_people)))
        most = abs(judge) + abs(people)
        return self._estimate(value, error, (v_items, v_people), most, tails), error

    def _estimate(
        self,
        value: float,
        error: float,
        parts: tuple[float, float],
        most: float,
        tails: Floats | None,
    ) -> Estimate:
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        items, units, (v_items, v_people) = self.pairs.items, self.pairs.units, parts
        if items < FEWEST_ITEMS or units < LEAST_CLUSTERS:
            return Estimate(value)
        freedom = float(units - 1)
        if v_people > 0 and error > 0:
            bottom = v_items**2 / freedom + v_people**2 / freedom_of(self._effective())
            freedom = max(error**4 / bottom, freedom_of(self._effective()))
        # Nobody differed on n items: they may, by one step of the scale, on 3 in n.
        least = 3 * self.step / (items * self.kappas.expected) if self.kappas.expected > 0 else 0.0
        below = above = self.reach(freedom) * error
        if tails is not None:
            usual = float(stdtrit(units - 1, 0.975))
            below, above = (max(1.0, q / usual) * below for q in (tails[1], -tails[0]))
        low, high = max(value - max(below, least), -most), min(value + max(above, least), most)
        return Estimate(value, low=low, high=high, level=self.level, method=LINEARISED.name)

    def _people(self, value: float, without: Floats) -> float:
        """Variance by leaving out each person, as one who is compared and as one of the others."""
        pairs = self.pairs
        there = np.unique(pairs.other)
        compared = np.full(pairs.everybody, -1)
        compared[pairs.compared] = np.arange(pairs.people)
        left: list[float] = []
        for person in there.tolist():
            rows = np.arange(pairs.people) != compared[person]
            left.append(float(np.nanmean(without[rows, person])))
        m = len(left)
        return (m - 1) / m * float(((np.array(left) - value) ** 2).sum())

    def _effective(self) -> float:
        """Effective number of people, by the pairs that each is in."""
        weight = np.bincount(self.pairs.other, minlength=self.pairs.everybody).astype(np.float64)
        return float(weight.sum() ** 2 / (weight**2).sum())


def over_people(
    judged: Judged, prepared: Prepared, values: Floats, some: Flags | None = None
) -> tuple[Codes, Floats, Floats]:
    """Find the items of both, how much higher the judge's labels are there, and people's means.

    Of all items, or of `some`.
    """
    people = prepared.people
    there = judged.label[people.item] >= 0
    if some is not None:
        there &= some[people.item]
    items, code = np.unique(people.item[there], return_inverse=True)
    mean = np.bincount(code, values[people.label[there]]) / np.bincount(code)
    labels = values[judged.label[items]] if judged.mean is None else judged.mean[items]
    return items, labels - mean, mean


def linear_interval(
    value: float, changes: Floats, level: float, reach: Callable[[float], float] | None = None
) -> Estimate:
    """Make the interval of what each unit changes by so much: by t, or by another reach."""
    from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

    n = len(changes)
    error = float(np.sqrt(n / (n - 1) * (changes**2).sum()))
    half = error * (stdtrit(n - 1, (1 + level) / 2) if reach is None else reach(n - 1))
    return Estimate(value, value - half, value + half, level=level, method=LINEARISED.name)


def mean_interval(
    over: Floats,
    unit: Codes,
    level: float,
    reach: Callable[[float], float] | None = None,
    *,
    fewest: int = FEWEST_ITEMS,
) -> Estimate:
    """Make the interval of a mean over items of so many units; none where they are few."""
    value = float(over.mean())
    changes = group_sums(unit, (over - value) / len(over), int(unit.max()) + 1)
    if len(over) < fewest or len(changes) < LEAST_CLUSTERS:
        return Estimate(value)
    return linear_interval(value, changes, level, reach)


def _people(
    pairs: RatingPairs, kappas: InPlace, prepared: Prepared, names: Sequence[str | int]
) -> list[PersonStanding]:
    """Describe each person, and the judge in that person's place."""
    sides = [_Side(pairs, says, prepared) for says in (pairs.says, pairs.judge_says)]
    items = group_sums(pairs.person, pairs.share, pairs.people)
    return [
        PersonStanding(
            person=name,
            items=round(float(items[k])),
            kappa=float(kappas.person[k]),
            judge_kappa=float(kappas.judge[k]),
            agreement=float(sides[0].agreement[k]),
            judge_agreement=float(sides[1].agreement[k]),
            recall=sides[0].recall(k),
            judge_recall=sides[1].recall(k),
            bias=sides[0].bias(k),
            judge_bias=sides[1].bias(k),
        )
        for k, name in enumerate(names)
    ]


class _Side:
    """What the people, or the judge in their places, share with the others."""

    def __init__(self, pairs: RatingPairs, says: Codes, prepared: Prepared) -> None:
        people, labels = pairs.people, pairs.labels
        items = group_sums(pairs.person, pairs.share, people)
        same = (says == pairs.other_says) * pairs.share
        self.labels = prepared.people.scale.labels
        self.agreement = group_sums(pairs.person, same, people) / items
        cell = pairs.person * labels + pairs.other_says
        self.given = np.bincount(cell, minlength=people * labels).reshape(people, labels)
        hits = np.bincount(cell, says == pairs.other_says, people * labels)
        self.hits = hits.reshape(people, labels)
        self.biases: Floats | None = None
        if prepared.values is not None:
            over = (prepared.values[says] - prepared.values[pairs.other_says]) * pairs.share
            self.biases = group_sums(pairs.person, over, people) / items

    def recall(self, person: int) -> dict[str, float]:
        """By label, of those that others give."""
        return {
            label: float(self.hits[person, code] / self.given[person, code])
            for code, label in enumerate(self.labels)
            if self.given[person, code]
        }

    def bias(self, person: int) -> float | None:
        """How much higher, on average."""
        return None if self.biases is None else float(self.biases[person])


# Where judge and people disagree, as plain records.


@dataclass(frozen=True, kw_only=True)
class ClassRecall(Record):
    """Of the ratings by which people gave a label, the share of which the judge says the same."""

    label: str
    ratings: int
    items: int
    recall: Estimate


@dataclass(frozen=True, kw_only=True)
class GroupShare(Record):
    """How far judge and people agree in one group of items.

    Parameters
    ----------
    group : str
    items : int
    agreement : Estimate
        Mean over items of the share of people who say what the judge says; an interval by the
        number of items, none below ten.
    people : float or None
        How far people agree with each other there; None where no item has two ratings.
    bias : Estimate or None
        How much higher the judge's labels are than people's there; None without an order.
    worth : Estimate or None
        In raters, on the items of the group alone; None of groups with few items.
    p_value : float or None
        Of a difference of its agreement from that in all other groups, adjusted by Holm.
    """

    group: str
    items: int
    agreement: Estimate
    people: float | None
    bias: Estimate | None = None
    worth: Estimate | None = None
    p_value: float | None = None


@dataclass(frozen=True, kw_only=True)
class ItemToRead(Record):
    """An item on which the judge disagrees with people who agree with each other.

    Parameters
    ----------
    item : str or int
    judge : str
        What the judge says.
    said : mapping of rater to label
        What each person said; numbered where nobody knows who.
    distance : float
        Mean distance of the judge from the people, from 0 to 1.
    between : float
        Mean distance of the people from each other.
    text : str or None
        What the item says, where it was given.
    """

    item: str | int
    judge: str
    said: Mapping[str, str]
    distance: float
    between: float
    text: str | None = None


@dataclass(frozen=True, kw_only=True)
class Disagreement(Record):
    """Where judge and people disagree.

    Parameters
    ----------
    labels, judge_labels : tuple of str
        What people say, and what the judge says: rows and columns of `confusion`.
    confusion : tuple of tuples of int
        Ratings by what people and the judge say.
    agreement : Estimate
        Mean over items of the share of people who say what the judge says.
    classes : tuple of ClassRecall
    groups : tuple of GroupShare
        Least agreement first; empty unless asked for.
    items : tuple of ItemToRead
        Worst first.
    more_items : int
        Items on which most people contradict the judge, beyond those listed.
    """

    labels: tuple[str, ...]
    judge_labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    agreement: Estimate
    classes: tuple[ClassRecall, ...]
    groups: tuple[GroupShare, ...]
    items: tuple[ItemToRead, ...]
    more_items: int


# Where judge and people disagree.

FEWEST = 10
"""Items of a group or label below which a share has no interval."""
MOST_ITEMS = 50
"""Items to read again that are kept."""


def find_disagreement(judged: Judged, prepared: Prepared, level: float) -> Disagreement:
    """Find where a judge disagrees with people, on the items of both."""
    people = prepared.people
    both = judged.label[people.item] >= 0
    item, label = people.item[both], people.label[both]
    judge = judged.label[item]
    unit = prepared.unit_of(np.arange(len(people.items)))
    share = _Shares(item, judge == label, unit, level)
    rows, columns = len(people.scale), len(prepared.labels)
    table = np.bincount(label * columns + judge, minlength=rows * columns).reshape(rows, columns)
    items, more = _items(judged, prepared, both)
    return Disagreement(
        labels=people.scale.labels,
        judge_labels=prepared.labels,
        confusion=tuple(tuple(row) for row in table.tolist()),
        agreement=share.of(np.ones(len(item), dtype=bool)),
        classes=tuple(
            ClassRecall(
                label=name,
                ratings=int((label == code).sum()),
                items=len(np.unique(item[label == code])),
                recall=share.of(label == code, by_rating=True),
            )
            for code, name in enumerate(people.scale.labels)
            if (label == code).any()
        ),
        groups=() if prepared.groups is None else _by_group(judged, prepared, share, item, label),
        items=items,
        more_items=more,
    )


class _Shares:
    """Shares of ratings with which the judge agrees, with intervals that know the items.

    `unit` is the cluster of each item; the item itself where there are none.
    """

    def __init__(self, item: Codes, same: Flags, unit: Codes, level: float) -> None:
        self.item, self.same, self.unit, self.level = item, same, unit, level

    def of(self, some: Flags, *, by_rating: bool = False) -> Estimate:
        """Find the share among some ratings, each item counting alike or each rating.

        The variance is that of a ratio over items, and the interval that of a share that so many
        independent items would tell as well; at most as many as there are.
        """
        n = np.bincount(self.item[some], minlength=len(self.unit))
        hits = np.bincount(self.item[some & self.same], minlength=len(self.unit))
        used = n > 0
        weight = n[used] if by_rating else np.ones(int(used.sum()))
        mean = hits[used] / n[used]
        units, unit = np.unique(self.unit[used], return_inverse=True)
        size = len(units)
        value = float((weight * mean).sum() / weight.sum())
        if size < FEWEST:
            return Estimate(value)
        off = group_sums(unit, weight * (mean - value) / weight.sum(), size)
        variance = size / (size - 1) * float((off**2).sum())
        certain = variance <= 0 or value in (0.0, 1.0)
        effective = float(size) if certain else value * (1 - value) / variance
        # With few items a variance may come out small by luck; items are all that is known.
        effective = min(effective, float(n[used].sum()))
        low, high = share_interval(value, effective, self.level)
        return Estimate(
            value, low=float(low), high=float(high), level=self.level, method=BY_ITEMS.name
        )


def _by_group(
    judged: Judged, prepared: Prepared, share: _Shares, item: Codes, label: Codes
) -> tuple[GroupShare, ...]:
    """Find the agreement in each group of items, least first."""
    groups = np.array([g if g is not None else "" for g in prepared.groups or []], dtype=object)
    named = np.array([g is not None for g in prepared.groups or []])
    # Share of pairs of people who say the same, of each item; NaN for one rating.
    items, labels = len(prepared.people.items), len(prepared.labels)
    counts = np.bincount(item * labels + label, minlength=items * labels).reshape(items, labels)
    n = counts.sum(axis=1).astype(np.float64)
    same = (counts * (counts - 1)).sum(axis=1)
    between = np.where(n > 1, same / np.maximum(n * (n - 1), 1), np.nan)
    out: list[GroupShare] = []
    for name in sorted(set(groups[named].tolist())):
        members = (groups == name) & named
        ratings = members[item]
        if not ratings.any():
            continue
        agreements = between[members & np.isfinite(between)]
        agreement, others = share.of(ratings), ~ratings & named[item]
        out.append(
            GroupShare(
                group=name,
                items=len(np.unique(item[ratings])),
                agreement=agreement,
                people=float(agreements.mean()) if len(agreements) else None,
                bias=_bias_in(judged, prepared, members, share.level),
                p_value=_differs(agreement, share.of(others)) if others.any() else None,
            )
        )
    tested = [group for group in out if group.p_value is not None]
    adjusted = iter(holm(np.array([group.p_value for group in tested], dtype=float)).tolist())
    out = [g if g.p_value is None else replace(g, p_value=next(adjusted)) for g in out]
    # What is too small for an interval comes last, however low.
    return tuple(
        sorted(out, key=lambda group: (group.agreement.low is None, group.agreement.value))
    )


def _bias_in(judged: Judged, prepared: Prepared, members: Flags, level: float) -> Estimate | None:
    """How much higher the judge's labels are than people's, on some items."""
    if prepared.values is None:
        return None
    items, over, _ = over_people(judged, prepared, prepared.values, members)
    return mean_interval(over, prepared.unit_of(items), level, fewest=FEWEST)


def _differs(one: Estimate, other: Estimate) -> float | None:
    """Two-sided p-value of a difference of two shares, by the widths of their intervals."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return None
    normal = NormalDist()
    reach = 2 * normal.inv_cdf((1 + (one.level or 0.95)) / 2)
    error = math.hypot((one.high - one.low) / reach, (other.high - other.low) / reach)
    return 2 * normal.cdf(-abs(one.value - other.value) / error) if error > 0 else 1.0


def _items(judged: Judged, prepared: Prepared, both: Flags) -> tuple[tuple[ItemToRead, ...], int]:
    """Find the items on which the judge is far from people who are close to each other.

    Worst first: by how much farther the judge is from the people than they are from each other,
    then by the number of people, then by the order of items.
    """
    people = prepared.people
    item, label = people.item[both], people.label[both]
    size = len(people.items)
    n = np.bincount(item, minlength=size)
    far = group_sums(item, prepared.distance[judged.label[item], label], size) / np.maximum(n, 1)
    q = len(prepared.labels)
    counts = np.bincount(item * q + label, minlength=size * q).reshape(size, q)
    pairs = np.maximum(n * (n - 1), 1)
    between = (counts @ prepared.distance * counts).sum(axis=1) / pairs
    worse = far - between
    most = np.bincount(item[judged.label[item] != label], minlength=size) * 2 > n
    wanted = np.flatnonzero(most & (worse > 0))
    order = wanted[np.lexsort((wanted, -n[wanted], -worse[wanted].round(12)))]
    out = [
        _item(int(i), judged, prepared, float(far[i]), float(between[i]))
        for i in order[:MOST_ITEMS]
    ]
    return tuple(out), len(order) - len(out)


def _item(
    code: int, judged: Judged, prepared: Prepared, distance: float, between: float
) -> ItemToRead:
    people = prepared.people
    where = np.flatnonzero(people.item == code)
    name: Any = people.items[code]
    return ItemToRead(
        item=name.item() if hasattr(name, "item") else name,
        judge=prepared.labels[int(judged.label[code])],
        said={
            str(people.raters[people.rater[k]]): people.scale.labels[int(people.label[k])]
            for k in where.tolist()
        },
        distance=distance,
        between=between,
        text=prepared.texts.get(f"{name}"),
    )
