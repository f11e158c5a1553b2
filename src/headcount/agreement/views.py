"""Agreement by rater, by pair of raters and by item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from headcount.agreement.coefficients.engine import BY_PAIR, Engine
from headcount.agreement.coefficients.intervals import normal_interval, t_interval
from headcount.agreement.coefficients.kappas import item_disagreement
from headcount.agreement.coefficients.rater_pairs import slopes
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.prepare import Setting
from headcount.data.labels import Labels
from headcount.stats.estimate import Estimate
from headcount.typing import Ints

__all__ = [
    "ItemDisagreement",
    "PairAgreement",
    "RaterAgreement",
    "item_view",
    "pair_view",
    "rater_view",
]


@dataclass(frozen=True)
class RaterAgreement:
    """How far a rater agrees with the others on the same items.

    Parameters
    ----------
    rater : str or int
    ratings : int
        Ratings given.
    compared : int
        Of these, on items that somebody else rated too.
    agreement : Estimate
        Mean over those items of the share of the other raters who gave the same label.
    """

    rater: str | int
    ratings: int
    compared: int
    agreement: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "agreement": as_json(self.agreement)}


@dataclass(frozen=True)
class PairAgreement:
    """How far two raters agree on the items that both rated.

    `percent`, `scott`, `cohen`, `cohen_linear` and `cohen_quadratic`, by name in `coefficients`.
    """

    a: str | int
    b: str | int
    items: int
    coefficients: dict[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        found = {name: as_json(estimate) for name, estimate in self.coefficients.items()}
        return {"a": self.a, "b": self.b, "items": self.items, **found}


@dataclass(frozen=True)
class ItemDisagreement:
    """How contested an item is.

    Parameters
    ----------
    item : str or int
    ratings : int
    disagreement : float
        Mean distance of two of its ratings, as AC2 measures it on the scale, from 0 to 1: on a
        nominal scale the share of pairs that differ.
    entropy : float
        Of the labels given, in bits.
    counts : dict
        How often each label was given.
    central : Estimate or None
        The value that its ratings centre on, by Phi.
    residual : float or None
        Its spread as a multiple of what Phi leads to expect; see :class:`PhiItems`.
    """

    item: str | int
    ratings: int
    disagreement: float
    entropy: float
    counts: dict[str, int]
    central: Estimate | None = None
    residual: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        central = None if self.central is None else self.central.to_dict()
        return {**vars(self), "central": central}


def as_json(estimate: Estimate) -> dict[str, float | int | str | None]:
    """Return the JSON form, with `undefined` also where it is null, and the method."""
    return {**estimate.to_dict(), "undefined": estimate.undefined, "method": estimate.method}


def rater_view(labels: Labels, level: float) -> tuple[RaterAgreement, ...]:
    """Compare each rater with the others, lowest agreement first. O(n log n) in ratings.

    The interval is Student's, over the items of the rater.

    Examples
    --------
    >>> labels = Labels.from_triples([1, 1, 1], ["a", "b", "c"], ["x", "x", "y"])
    >>> [(r.rater, r.agreement.value) for r in rater_view(labels, 0.95)]
    [('c', 0.0), ('a', 0.5), ('b', 0.5)]
    """
    n_item = np.bincount(labels.item, minlength=len(labels.items))[labels.item]
    key = labels.item * len(labels.scale) + labels.label
    _, where, times = np.unique(key, return_inverse=True, return_counts=True)
    share = (times[where] - 1) / np.maximum(n_item - 1, 1)
    shared = n_item > 1
    raters = len(labels.raters)
    given = np.bincount(labels.rater, minlength=raters)
    who = labels.rater[shared]
    n = np.bincount(who, minlength=raters)
    mean = np.bincount(who, weights=share[shared], minlength=raters) / np.maximum(n, 1)
    away = (share[shared] - mean[who]) ** 2
    error = np.sqrt(np.bincount(who, weights=away, minlength=raters) / np.maximum(n * (n - 1), 1))
    order = np.lexsort((np.arange(raters), mean, n == 0))
    ids: list[str | int] = labels.raters.tolist()
    out: list[RaterAgreement] = []
    sorted_raters: list[int] = order.tolist()
    for j in sorted_raters:
        if not given[j]:
            continue
        if n[j]:
            found = t_interval(float(mean[j]), float(error[j]), int(n[j]), level, low=0.0)
        else:
            found = Estimate(float("nan"), undefined="nobody else rated the same items")
        out.append(RaterAgreement(ids[j], int(given[j]), int(n[j]), found))
    return tuple(out)


def pair_view(engine: Engine, level: float) -> tuple[PairAgreement, ...]:
    """Find the kappas of every two raters who share an item. O(cells).

    Intervals are normal, with the variance of Fleiss, Cohen and Everitt (1969).
    """
    table, labels = engine.table, engine.setting.labels
    n = table.shared
    same = np.add.reduceat(table.count * (table.label_a == table.label_b), table.start) / n
    columns: dict[str, list[Estimate]] = {"percent": [Estimate(float(x)) for x in same]}
    for name in BY_PAIR:
        if name not in engine.by_pair:
            continue
        value, slope = slopes(table, engine.distance(name), pooled=name == "scott")
        error = np.sqrt(np.add.reduceat(table.count * slope**2, table.start))
        columns[name] = [
            Estimate(float("nan"), undefined=_why(labels, int(items), int(table.label_a[cell])))
            if np.isnan(x)
            else normal_interval(float(x), float(e), int(items), level)
            for x, e, items, cell in zip(value, error, n, table.start, strict=True)
        ]
    ids: list[str | int] = labels.raters.tolist()
    first: list[int] = table.a.tolist()
    second: list[int] = table.b.tolist()
    return tuple(
        PairAgreement(ids[a], ids[b], int(n[i]), {name: c[i] for name, c in columns.items()})
        for i, (a, b) in enumerate(zip(first, second, strict=True))
    )


def _why(labels: Labels, items: int, code: int) -> str:
    if items < 2:
        return "they share a single item"
    return f"every rating is '{labels.scale.labels[code]}' on the items that both rated"


def item_view(setting: Setting) -> tuple[ItemDisagreement, ...]:
    """List items with two ratings or more, most contested first. O(items log items)."""
    p = setting.patterns
    disagreement = item_disagreement(p, setting.graded)
    share = p.count / p.ratings[p.group]
    entropy = np.maximum(-p.sums(share * np.log2(share)), 0.0)
    names = setting.labels.scale.labels
    label: list[int] = p.label.tolist()
    ends: list[int] = [*p.start.tolist(), len(label)]
    counts = [
        {names[label[e]]: int(p.count[e]) for e in range(first, last)}
        for first, last in pairwise(ends)
    ]
    listed: Ints = np.flatnonzero(p.usable[p.pattern])
    own = p.pattern[listed]
    order = listed[np.lexsort((listed, -entropy[own], -disagreement[own]))]
    ids: list[str | int] = setting.labels.items.tolist()
    item: list[int] = p.items[order].tolist()
    pattern: list[int] = p.pattern[order].tolist()
    ratings = p.ratings
    return tuple(
        ItemDisagreement(
            ids[i], int(ratings[g]), float(disagreement[g]), float(entropy[g]), dict(counts[g])
        )
        for i, g in zip(item, pattern, strict=True)
    )


def with_phi(items: tuple[ItemDisagreement, ...], phi: PhiResult) -> tuple[ItemDisagreement, ...]:
    """Add the central value and the residual of each item, where Phi has a posterior."""
    if phi.posterior is None or phi.rated is None:
        return items
    found = phi.items()
    ids: list[str | int] = found.item.tolist()
    place = {str(name): row for row, name in enumerate(ids)}

    def add(item: ItemDisagreement) -> ItemDisagreement:
        row = place.get(str(item.item))
        if row is None:
            return item
        mu, low, high = (float(end[row]) for end in (found.mu, found.low, found.high))
        central = Estimate(mu, low, high, found.level, "posterior")
        return replace(item, central=central, residual=float(found.residual[row]))

    return tuple(add(item) for item in items)
