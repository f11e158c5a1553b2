"""The definitions of the coefficients, slowly: loops over pairs of ratings, no patterns.

Data are {item: {rater: number}}; every item has a rating. A value of None is undefined.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations, product
from statistics import fmean

Data = dict[int, dict[int, int]]
Distance = Callable[[float, float], float]


def nominal(x: float, y: float) -> float:
    return float(x != y)


def linear(x: float, y: float) -> float:
    return abs(x - y)


def quadratic(x: float, y: float) -> float:
    return (x - y) ** 2


def ratio(x: float, y: float) -> float:
    return ((x - y) / (x + y)) ** 2 if x + y else 0.0


def ranks(x: float, y: float) -> float:
    """Gwet's ordinal distance: pairs of labels from x to y, both included."""
    return abs(x - y) * (abs(x - y) + 1) / 2


def usable(data: Data) -> list[list[int]]:
    return [list(item.values()) for item in data.values() if len(item) > 1]


def one_minus(observed: float, expected: float) -> float | None:
    return None if expected < 1e-9 else 1 - observed / expected


def percent(data: Data) -> float | None:
    items = usable(data)
    if not items:
        return None
    return fmean(fmean(x == y for x, y in combinations(item, 2)) for item in items)


def shares(data: Data, labels: list[int]) -> dict[int, float]:
    """Mean over items of the share of each label."""
    return {
        k: fmean(fmean(x == k for x in item.values()) for item in data.values()) for k in labels
    }


def fleiss(data: Data, labels: list[int]) -> float | None:
    if not usable(data):
        return None
    pi = shares(data, labels)
    return one_minus(1 - percent(data), 1 - sum(p * p for p in pi.values()))


def gwet(data: Data, labels: list[int], distance: Distance) -> float | None:
    items = usable(data)
    if not items:
        return None
    most = max(distance(x, y) for x, y in product(labels, repeat=2))
    weight = {(x, y): 1 - distance(x, y) / most for x, y in product(labels, repeat=2)}
    agreed = fmean(fmean(weight[pair] for pair in permutations(item, 2)) for item in items)
    pi, q = shares(data, labels), len(labels)
    chance = sum(weight.values()) / (q * (q - 1)) * sum(p * (1 - p) for p in pi.values())
    return one_minus(1 - agreed, 1 - chance)


def alpha(data: Data, distance: Distance) -> float | None:
    items = usable(data)
    everything = [x for item in items for x in item]
    n = len(everything)
    if not n:
        return None
    observed = sum(
        distance(x, y) / (len(item) - 1) for item in items for x, y in permutations(item, 2)
    )
    expected = sum(distance(x, y) for x, y in permutations(everything, 2)) / (n - 1)
    return one_minus(observed / n, expected / n)


def alpha_ordinal(data: Data) -> float | None:
    """Krippendorff's ordinal metric, as a sum over the labels between two."""
    everything = [x for item in usable(data) for x in item]

    def distance(x: float, y: float) -> float:
        low, high = min(x, y), max(x, y)
        between = sum(low <= z <= high for z in everything)
        ends = (everything.count(low) + everything.count(high)) / 2
        return 0.0 if x == y else (between - ends) ** 2

    return alpha(data, distance)


def shared(data: Data) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Ratings by both raters, for every two raters who share an item."""
    raters = sorted({rater for item in data.values() for rater in item})
    out = {
        (a, b): [(item[a], item[b]) for item in data.values() if a in item and b in item]
        for a, b in combinations(raters, 2)
    }
    return {pair: both for pair, both in out.items() if both}


def kappa(both: list[tuple[int, int]], distance: Distance, *, pooled: bool) -> float | None:
    first, second = [x for x, _ in both], [y for _, y in both]
    if pooled:
        first = second = first + second
    observed = fmean(distance(x, y) for x, y in both)
    return one_minus(observed, fmean(distance(x, y) for x, y in product(first, second)))


def mean_kappa(data: Data, distance: Distance, *, pooled: bool = False) -> float | None:
    pairs = [both for both in shared(data).values() if len(both) > 1]
    values = [kappa(both, distance, pooled=pooled) for both in pairs]
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def icc1(data: Data) -> float | None:
    """One-way analysis of variance."""
    groups = [list(item.values()) for item in data.values()]
    everything = [x for group in groups for x in group]
    n, items = len(everything), len(groups)
    if items < 2 or n == items:
        return None
    mean = fmean(everything)
    msb = sum(len(g) * (fmean(g) - mean) ** 2 for g in groups) / (items - 1)
    msw = sum((x - fmean(g)) ** 2 for g in groups for x in g) / (n - items)
    size = (n - sum(len(g) ** 2 for g in groups) / n) / (items - 1)
    total = msb + (size - 1) * msw
    return None if total < 1e-9 else (msb - msw) / total


def icc2k(data: Data) -> float | None:
    """Two-way analysis of variance of complete data."""
    rows = [[item[rater] for rater in sorted(item)] for item in data.values()]
    n, k = len(rows), len(rows[0])
    if n < 2 or k < 2:
        return None
    mean = fmean(x for row in rows for x in row)
    by_item = [fmean(row) for row in rows]
    by_rater = [fmean(column) for column in zip(*rows, strict=True)]
    msb = k * sum((m - mean) ** 2 for m in by_item) / (n - 1)
    msj = n * sum((m - mean) ** 2 for m in by_rater) / (k - 1)
    mse = sum(
        (x - by_item[i] - by_rater[j] + mean) ** 2
        for i, row in enumerate(rows)
        for j, x in enumerate(row)
    ) / ((n - 1) * (k - 1))
    total = msb + (msj - mse) / n
    return None if total < 1e-9 else (msb - mse) / total
