"""Where judge and people part."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.judging.disagreements.records import ClassRecall, GroupShare, ItemToRead, Parting
from headcount.judging.prepare import Judged, Prepared
from headcount.stats.estimate import Estimate
from headcount.stats.grouping import group_sums
from headcount.stats.intervals.beta import BY_ITEMS, share_interval
from headcount.typing import Codes, Flags, Floats

__all__ = ["parting_of"]

FEWEST = 10
"""Items of a group or label below which a share has no interval."""
MOST_ITEMS = 50
"""Items to read again that are kept."""


def parting_of(judged: Judged, prepared: Prepared, level: float) -> Parting:
    """Find where a judge parts from people, on the items of both."""
    people = prepared.people
    there = judged.label[people.item] >= 0
    item, label = people.item[there], people.label[there]
    judge = judged.label[item]
    share = _Shares(item, judge == label, len(people.items), level)
    rows, columns = len(people.scale), len(prepared.labels)
    table = np.bincount(label * columns + judge, minlength=rows * columns).reshape(rows, columns)
    items, more = _items(judged, prepared, there)
    return Parting(
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
        groups=() if prepared.groups is None else _by_group(prepared, share, item, label),
        items=items,
        more_items=more,
    )


class _Shares:
    """Shares of ratings with which the judge agrees, with intervals that know the items."""

    def __init__(self, item: Codes, same: Flags, items: int, level: float) -> None:
        self.item, self.same, self.items, self.level = item, same, items, level

    def of(self, some: Flags, *, by_rating: bool = False) -> Estimate:
        """Find the share among some ratings, each item counting alike or each rating.

        The variance is that of a ratio over items, and the interval that of a share that so many
        independent items would tell as well; at most as many as there are.
        """
        n = np.bincount(self.item[some], minlength=self.items)
        hits = np.bincount(self.item[some & self.same], minlength=self.items)
        used = n > 0
        weight = n[used] if by_rating else np.ones(int(used.sum()))
        mean = hits[used] / n[used]
        size = len(mean)
        value = float((weight * mean).sum() / weight.sum())
        if size < FEWEST:
            return Estimate(value)
        off = weight * (mean - value) / weight.sum()
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
    prepared: Prepared, share: _Shares, item: Codes, label: Codes
) -> tuple[GroupShare, ...]:
    """Find the agreement in each group of items, least first."""
    groups = np.array([g if g is not None else "" for g in prepared.groups or []], dtype=object)
    known = np.array([g is not None for g in prepared.groups or []])
    between = _agreement_between(item, label, len(prepared.people.items), len(prepared.labels))
    out: list[GroupShare] = []
    for name in sorted(set(groups[known].tolist())):
        mine = (groups == name) & known
        some = mine[item]
        if not some.any():
            continue
        both = between[mine & np.isfinite(between)]
        out.append(
            GroupShare(
                group=name,
                items=len(np.unique(item[some])),
                agreement=share.of(some),
                people=float(both.mean()) if len(both) else None,
            )
        )
    # What is too small for an interval comes last, however low.
    return tuple(sorted(out, key=lambda one: (one.agreement.low is None, one.agreement.value)))


def _agreement_between(item: Codes, label: Codes, items: int, labels: int) -> Floats:
    """Share of pairs of people who say the same, of each item; NaN for one rating."""
    counts = np.bincount(item * labels + label, minlength=items * labels).reshape(items, labels)
    n = counts.sum(axis=1).astype(np.float64)
    same = (counts * (counts - 1)).sum(axis=1)
    return np.where(n > 1, same / np.maximum(n * (n - 1), 1), np.nan)


def _items(judged: Judged, prepared: Prepared, there: Flags) -> tuple[tuple[ItemToRead, ...], int]:
    """Find the items on which the judge is far from people who are close to each other.

    Worst first: by how much farther the judge is from the people than they are from each other,
    then by the number of people, then by the order of items.
    """
    people = prepared.people
    item, label = people.item[there], people.label[there]
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
    )
