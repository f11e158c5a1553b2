"""Coefficients and Phi in the slow way: loops over pairs of ratings, and dense integration."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, permutations, product
from statistics import fmean

import numpy as np
from scipy.special import betainc, betaincinv, betaln, gammaln

from headcount.agreement.phi_model import Priors
from headcount.agreement.phi_posterior import phi_of

# The definitions of the coefficients, slowly: loops over pairs of ratings, no patterns.
#
# Data are {item: {rater: number}}; every item has a rating. A value of None is undefined.

Data = dict[int, dict[int, int]]
Distance = Callable[[float, float], float]


def precision_of(phi):
    """Precision of a Phi: 2 - 2 log2(1 - Phi)."""
    return 2 - 2 * np.log2(1 - phi)


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


# Phi's likelihood and posterior by dense integration: no patterns, no search, no shared nodes.


def dense_mu(count=3000, reach=45.0):
    t = np.linspace(-reach, reach, count + 1)
    log_mu, log_rest = -np.logaddexp(0, -t), -np.logaddexp(0, t)
    return t[1] - t[0], log_mu, log_rest


def dense_log_likelihood(table, points, p, shapes):
    """Log likelihood of a table of ratings: points from 0, or numbers in (0, 1).

    One value for each of `shapes`, (a, b) of a prior that is half Beta(a, b), half Beta(b, a).
    """
    step, log_mu, log_rest = dense_mu()
    a, b = p * np.exp(log_mu), p * np.exp(log_rest)
    log_density = {}
    for x in {float(x) for row in table for x in row}:
        if points is None:
            beta = gammaln(p) - gammaln(a) - gammaln(b)
            log_density[x] = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) + beta
        else:
            low, high = x / points, (x + 1) / points
            near_low = betainc(a, b, high) - betainc(a, b, low)
            near_high = betainc(b, a, 1 - low) - betainc(b, a, 1 - high)
            mass = np.where(a < p * low, near_high, near_low)
            log_density[x] = np.log(np.maximum(mass, 1e-300))
    items = np.array([sum(log_density[float(x)] for x in row) for row in table])
    out = []
    for one, other in shapes:
        halves = one * log_mu + other * log_rest, other * log_mu + one * log_rest
        integrand = items + np.logaddexp(*halves) - np.log(2) - betaln(one, other)
        top = integrand.max(axis=1, keepdims=True)
        out.append(float((top[:, 0] + np.log(np.exp(integrand - top).sum(axis=1) * step)).sum()))
    return out


def shapes_of(spread, angle):
    """The prior of a spread and an angle: d is how far apart its halves are."""
    d = spread * math.cos(angle)
    k = (1 - d**2) / (spread * math.sin(angle)) ** 2 - 1
    return k * (1 + d) / 2, k * (1 - d) / 2


def prior_of(a, b):
    """A spread and an angle that lead to Beta(a, b) and Beta(b, a)."""
    d = abs(a - b) / (a + b)
    spread = math.sqrt(d**2 + (1 - d**2) / (a + b + 1))
    return Priors(np.array([spread]), np.array([math.acos(d / spread)]))


def dense_posterior(table, points, *, shapes):
    """Mean of Phi and P(Phi > 0), under flat priors on Phi and on `shapes`.

    mu is integrated over quantiles of its prior, which narrow priors need no fewer of.
    """
    x, place = np.unique(table, return_inverse=True)
    a, b = np.array(shapes).T[:, :, None]
    quantile = betaincinv(a, b, (np.arange(30) + 0.5) / 30).clip(1e-15, 1 - 1e-12)
    mu = np.stack([quantile, 1 - quantile])[..., None]
    p = 2 * np.exp((np.arange(-36, 24) + 0.5) / 6)  # half of a step on either side of Phi = 0
    post = np.empty(len(p))
    for at, each in enumerate(p):
        a, b = each * mu, each * (1 - mu)
        if points is None:
            beta = gammaln(each) - gammaln(a) - gammaln(b)
            density = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) + beta)
        else:
            density = betainc(a, b, (x + 1) / points) - betainc(a, b, x / points)
        items = [density[..., row].prod(axis=-1).mean(axis=(0, 2)) for row in place]
        post[at] = np.prod(items, axis=0).mean() * each * 2 ** (-each / 2)
    post /= post.sum()
    return float(post @ phi_of(p)), float(post[p > 2].sum())


ALL_SHAPES = [
    shapes_of((i + 0.5) / 14, (j + 0.5) / 7 * math.pi / 2) for i in range(14) for j in range(7)
]
