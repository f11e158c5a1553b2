"""Agreement by rater, by pair of raters and by item."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from headcount.agreement.coefficients.catalogue import PREFERRED, recommended
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.coefficients.per_item import item_disagreement
from headcount.agreement.estimates import Sampling, like_these
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.prepare import Prepared, prepare
from headcount.agreement.records import (
    CategoryAgreement,
    ItemDisagreement,
    PairAgreement,
    RaterAgreement,
)
from headcount.agreement.scales.kinds import NOMINAL
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.errors import OptionError, option
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import STUDENT
from headcount.stats.intervals.from_model import POSTERIOR
from headcount.typing import Ints

__all__ = ["category_view", "item_view", "pair_view", "rater_view", "same_labels"]

FEW_COMPARED = 3
"""Items that a rater shares with others, at least, for severity and consistency."""
MOST_CATEGORIES = 30
"""Labels whose agreement is looked at one by one, at most."""


def rater_view(data: Prepared, level: float) -> tuple[RaterAgreement, ...]:
    """Compare each rater with the others, and how harsh and consistent they are. O(n log n)."""
    return _with_severity(same_labels(data.labels, level), data)


def same_labels(labels: Labels, level: float) -> tuple[RaterAgreement, ...]:
    """Compare each rater with the others, lowest agreement first. O(n log n) in ratings.

    The interval is Student's, over the items of the rater.

    Examples
    --------
    >>> labels = Labels.from_triples([1, 1, 1], ["a", "b", "c"], ["x", "x", "y"])
    >>> [(r.rater, r.agreement.value) for r in same_labels(labels, 0.95)]
    [('c', 0.0), ('a', 0.5), ('b', 0.5)]
    """
    n_item = labels.ratings_per_item[labels.item]
    key = labels.item * len(labels.scale) + labels.label
    _, group = np.unique(key, return_inverse=True)
    said = np.bincount(group, labels.times)[group]
    if labels.item_times is not None:
        said = said / labels.item_times[labels.item]
    share = (said - 1) / np.maximum(n_item - 1, 1)
    shared = n_item > 1
    raters, each = len(labels.raters), np.ones(len(share))
    each = each if labels.times is None else labels.times.astype(np.float64)
    given = np.bincount(labels.rater, each, raters)
    who, times = labels.rater[shared], each[shared]
    n = np.bincount(who, times, raters)
    mean = np.bincount(who, share[shared] * times, raters) / np.maximum(n, 1)
    away = (share[shared] - mean[who]) ** 2 * times
    error = np.sqrt(np.bincount(who, weights=away, minlength=raters) / np.maximum(n * (n - 1), 1))
    order = np.lexsort((np.arange(raters), mean, n == 0))
    ids: list[str | int] = labels.raters.tolist()
    out: list[RaterAgreement] = []
    sorted_raters: list[int] = order.tolist()
    for j in sorted_raters:
        if not given[j]:
            continue
        if n[j]:
            agreement = Estimate.from_error(
                float(mean[j]),
                float(error[j]),
                level=level,
                method=STUDENT,
                n=int(n[j]),
                limits=(0.0, 1.0),
            )
        else:
            agreement = Estimate(float("nan"), undefined="nobody else rated the same items")
        out.append(RaterAgreement(ids[j], int(given[j]), int(n[j]), agreement))
    return tuple(out)


def _with_severity(
    raters: tuple[RaterAgreement, ...], data: Prepared
) -> tuple[RaterAgreement, ...]:
    """Add severity and consistency on a scale with an order, least consistent first. O(ratings)."""
    if not data.scale.ordered:
        return raters
    table = data.ratings
    shared = table.n > 1
    x = data.numbers[table.labels.label]
    others = (table.by_item(x)[table.labels.item] - x) / np.maximum(table.n - 1, 1)
    names: list[str | int] = table.labels.raters.tolist()
    rows = {str(name): row for row, name in enumerate(names)}
    out: list[RaterAgreement] = []
    order = np.argsort(table.labels.rater[shared], kind="stable")
    code = table.labels.rater[shared][order]
    start = np.searchsorted(code, np.arange(len(names) + 1))
    mine, theirs, times = x[shared][order], others[shared][order], table.rating_times[shared][order]
    for one in raters:
        row = rows[str(one.rater)]
        part = slice(start[row], start[row + 1])
        if one.compared < FEW_COMPARED:
            out.append(one)
            continue
        share = times[part] / times[part].sum()
        a, b = mine[part], theirs[part]
        severity = float(share @ (a - b))
        a, b = a - share @ a, b - share @ b
        spread = float(np.sqrt((share @ a**2) * (share @ b**2)))
        consistency = float(share @ (a * b)) / spread if spread else None
        out.append(replace(one, severity=severity, consistency=consistency))
    return tuple(sorted(out, key=lambda r: 2.0 if r.consistency is None else r.consistency))


def pair_view(engine: Engine, level: float) -> tuple[PairAgreement, ...]:
    """Find the agreement of every two raters who share an item. O(cells).

    Nothing where no mean over pairs has a value.
    """
    if not any(one.name in engine.values for one in engine.over_pairs):
        return ()
    table, data = engine.data.rater_pairs, engine.data
    # What is recommended for all raters, such as percent agreement, is shown of two as well.
    shown = {one.name: one for one in recommended()} | engine.coefficients
    columns: dict[str, list[Estimate]] = {}
    for name, one in shown.items():
        if (values := one.by_pair(data, level)) is not None:
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
    return tuple(sorted(pairs, key=lambda pair: _low(pair.coefficients[by[-1]])))


def _low(estimate: Estimate) -> float:
    """Sort by value, what has none last."""
    return 2.0 if estimate.undefined is not None else estimate.value


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
        found = _of_category(two, sampling)
        share = float(np.average(mine, weights=labels.times))
        out.append(CategoryAgreement(label=name, share=share, agreement=found))
    return tuple(sorted(out, key=lambda one: (one.agreement.undefined or "", one.agreement.value)))


def _of_category(two: Prepared, sampling: Sampling) -> Estimate:
    if (why := two.no_pair or PREFERRED.undefined(two)) is not None:
        return Estimate(float("nan"), undefined=why)
    crossed = like_these(PREFERRED, two)
    if crossed is None:
        weight = two.patterns.multiplicity[None, :].astype(np.float64)
        return Estimate(float(PREFERRED.kernel(two)(weight)[0]))
    return crossed.estimate(sampling.level, crossed=sampling.scope.crossed)


def item_view(data: Prepared, phi: PhiResult | None = None) -> tuple[ItemDisagreement, ...]:
    """List items with two ratings or more, most contested first. O(items log items).

    With the central value and the residual of each, where Phi has a posterior.
    """
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
    said = _said(data.labels)
    items = tuple(
        ItemDisagreement(
            item=ids[i],
            ratings=int(ratings[g]),
            disagreement=float(disagreement[g]),
            entropy=float(entropy[g]),
            counts=dict(counts[g]),
            said=said.get(i, {}),
        )
        for i, g in zip(item, pattern, strict=True)
    )
    return items if phi is None or not phi.has_items else _with_phi(items, phi)


def _said(labels: Labels) -> dict[int, dict[str, str]]:
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


def _with_phi(items: tuple[ItemDisagreement, ...], phi: PhiResult) -> tuple[ItemDisagreement, ...]:
    central = phi.items()
    ids: list[str | int] = central.item.tolist()
    rows = {str(name): row for row, name in enumerate(ids)}

    def add(item: ItemDisagreement) -> ItemDisagreement:
        row = rows.get(str(item.item))
        if row is None:
            return item
        mu, low, high = (float(end[row]) for end in (central.mu, central.low, central.high))
        value = Estimate(mu, low=low, high=high, level=central.level, method=POSTERIOR.name)
        return replace(item, central=value, residual=float(central.residual[row]))

    return tuple(add(item) for item in items)
