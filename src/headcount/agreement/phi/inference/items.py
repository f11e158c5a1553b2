"""Items reduced to what Phi's likelihood needs of them: few patterns, however many items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.agreement.phi.inference.model import Binned, Continuous, Gold, Group, Ratings
from headcount.stats.grouping import group_rows, group_sums
from headcount.typing import Codes, Floats

__all__ = ["Patterns", "binned", "compress", "continuous", "group", "mirror", "moments"]


DEGREE = 24
"""Chebyshev nodes a panel."""
PANEL = 3.0
"""Width of a panel, in mean logits. The log likelihood of an item is an analytic function of its
mean logit up to about i pi from the real line, so that 24 nodes interpolate it to some 1e-9."""
HALVINGS = 7
"""Towards a mean logit of 0 panels get as narrow as PANEL / 2^7: an item there may belong to either
half of a prior whose halves are far apart, and the logarithm of their sum bends sharply."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct items, and how many of each there are.

    Parameters
    ----------
    ratings : Ratings
    n : (patterns,) array
        Ratings of each.
    gold : (patterns,) array
        Known central value from 0 to 1; nan where there is none.
    weight : (patterns,) or (subsets, patterns) array
        Number of items, in all or in each of several subsets; or what a Chebyshev node stands for,
        after :func:`compress`.
    """

    ratings: Ratings
    n: Floats
    gold: Floats
    weight: Floats

    def take(self, rows: NDArray[np.intp]) -> Patterns:
        """Keep some patterns."""
        weight = self.weight[..., rows]
        return Patterns(self.ratings.take(rows), self.n[rows], self.gold[rows], weight)


def continuous(
    item: Codes, unit: Floats, gold: Floats, *, points: int | None = None
) -> tuple[Patterns, Floats]:
    """Sum up ratings between 0 and 1; each item is a pattern. O(ratings).

    Parameters
    ----------
    item : (ratings,) array of int
    unit : (ratings,) array
        Ratings, between 0 and 1.
    gold : (items,) array
    points : int, optional
        Number of points of the scale: ratings at its ends then count as intervals.

    Returns
    -------
    Patterns
    log_product : (items,) array
        As in :func:`~headcount.agreement.phi.inference.model.log_likelihood`, of each item.
    """
    size = len(gold)
    width = 1 / points if points else 0.0
    low, high = unit < width, unit > 1 - width
    inner = ~(low | high)
    log_x, log_rest = np.log(unit[inner]), np.log1p(-unit[inner])
    ratings = Continuous(
        n=np.bincount(item[inner], minlength=size).astype(float),
        total=group_sums(item[inner], log_x - log_rest, size),
        low=np.bincount(item[low], minlength=size).astype(float),
        high=np.bincount(item[high], minlength=size).astype(float),
        end=width,
    )
    n = np.bincount(item, minlength=size).astype(float)
    log_product = group_sums(item[inner], (log_x + log_rest) / 2, size)
    return Patterns(ratings, n, gold, np.ones(size)), log_product


def binned(
    item: Codes, point: Codes, gold: Floats, *, points: int, times: Floats | None = None
) -> tuple[Patterns, Codes]:
    """Find items with the same number of ratings at each point, and the same gold value.

    `times` are the items that each stands for.

    Returns
    -------
    Patterns
    pattern : (items,) array of int
        The pattern of each item.

    Notes
    -----
    O(ratings + items log items). Counts are the digits of one number as long as a float holds it
    exactly, so that a single sort finds the patterns.
    """
    base = int(np.bincount(item).max()) + 1
    if points * np.log2(base) < 53:
        key = np.bincount(item, float(base) ** point, len(gold)).astype(np.int64)
    else:
        size = len(gold) * points
        table = np.bincount(item * points + point, minlength=size).reshape(len(gold), points)
        key = group_rows(table.T)[1]
    first, pattern = group_rows([key, gold] if np.isfinite(gold).any() else [key])
    row = np.full(len(gold), -1)
    row[first] = np.arange(len(first))
    shown = row[item] >= 0
    counts = np.bincount(row[item[shown]] * points + point[shown], minlength=len(first) * points)
    counts = counts.reshape(len(first), points).astype(float)
    weight = np.bincount(pattern, times).astype(float)
    return Patterns(Binned(counts), counts.sum(axis=1), gold[first], weight), pattern


def mirror(of: Patterns) -> Patterns:
    """Turn items so that an item and its mirror image look the same, and merge what is equal.

    A symmetric prior of mu gives both the same likelihood. Items with a gold value stay.
    """
    ratings = of.ratings.turned(np.isnan(of.gold))
    if ratings.columns is None:
        return Patterns(ratings, of.n, of.gold, of.weight)
    first, group = group_rows([*ratings.columns, of.gold])
    weight = _by_group(group, of.weight, len(first))
    return Patterns(ratings.take(first), of.n[first], of.gold[first], weight)


def compress(of: Patterns) -> Patterns:
    """Replace many continuous items by few Chebyshev nodes with weights.

    Items that differ in nothing but their total D lie in panels of D. Within a panel
    sum_i f(D_i) = sum_m w_m f(D_m) for every polynomial f of degree below 24, with
    w_m = sum_i l_m(D_i), l_m the Lagrange polynomials of the nodes; and nearly so for the log
    likelihood, which is smooth. O(24 items), once.
    """
    ratings = of.ratings.smooth
    if ratings is None:
        return of
    n, total = np.maximum(ratings.n, 1), ratings.total
    start, end = _panel(total / n)
    first, group = group_rows([ratings.n, ratings.low, ratings.high, of.gold, start])
    many = np.bincount(group) > DEGREE
    if not many.any():
        return of
    rows = np.flatnonzero(many[group])
    at = (np.cumsum(many) - 1)[group[rows]]
    head = first[many]
    half = (end - start)[head] * n[head] / 2
    centre = (end + start)[head] * n[head] / 2
    x = (total[rows] - centre[at]) / half[at]
    now = of.weight[..., rows]
    moments, after = np.empty((*now.shape[:-1], DEGREE, len(head))), now * x
    for degree in range(DEGREE):
        moments[..., degree, :] = _by_group(at, now, len(head))
        now, after = after, 2 * x * after - now
    angle = np.pi * (np.arange(DEGREE) + 0.5) / DEGREE
    lagrange = np.cos(np.outer(angle, np.arange(DEGREE))) * (2 / DEGREE)
    lagrange[:, 0] /= 2
    kept, nodes = np.flatnonzero(~many[group]), np.tile(head, DEGREE)
    totals = (centre + np.outer(np.cos(angle), half)).ravel()
    a, b = ratings.take(kept), ratings.take(nodes)
    joined = Continuous(
        np.concatenate([a.n, b.n]),
        np.concatenate([a.total, totals]),
        np.concatenate([a.low, b.low]),
        np.concatenate([a.high, b.high]),
        a.end,
    )
    rows = np.concatenate([kept, nodes])
    interpolating = (lagrange @ moments).reshape(*moments.shape[:-2], -1)
    weight = np.concatenate([of.weight[..., kept], interpolating], axis=-1)
    return Patterns(joined, of.n[rows], of.gold[rows], weight)


def _by_group(group: Codes, weight: Floats, groups: int) -> Floats:
    """Add up weights by group, in each subset of the items if there are several."""
    sums = [group_sums(group, one, groups) for one in np.atleast_2d(weight)]
    return np.reshape(sums, (*weight.shape[:-1], groups))


def _panel(mean: Floats) -> tuple[Floats, Floats]:
    """Find the ends of the panel of each mean logit."""
    # Those that end at 1/2, 1/4, ... of PANEL begin at half of that, but for the last.
    halvings = np.ceil(np.log2(PANEL / np.maximum(np.abs(mean), PANEL * 2.0**-HALVINGS)))
    width = PANEL * 2.0 ** -np.clip(halvings, 0, HALVINGS)
    start = width * np.floor(mean / width)
    return start, start + width


def group(of: Patterns, gold_sd: float) -> list[Group]:
    """Split patterns into groups that share nodes.

    Items with many more ratings need closer nodes, and the others should not pay for them: a group
    holds items with up to twice as many ratings as the least of them. Gold items have priors of
    their own.
    """
    size = np.ceil(np.log2(np.maximum(of.n, 2)))
    free = np.isnan(of.gold)
    out: list[Group] = []
    for one in np.unique(size).tolist():
        for known in (False, True):
            rows = np.flatnonzero((size == one) & (free != known))
            if len(rows):
                part = of.take(rows)
                prior = Gold(part.gold, gold_sd) if known else None
                out.append(Group(part.ratings, part.weight, int(part.n.max()), prior))
    return out


def moments(
    item: Codes, unit: Floats, *, points: int | None = None, times: Floats | None = None
) -> tuple[float, float]:
    """Guess the precision and the spread of mu from first and second moments. O(ratings).

    Pairs of ratings of an item give the mean of mu (1 - mu), which is (1 - s^2) / 4; over
    the variance of its ratings, less that of rounding to points, it is 1 + p. `times` are the items
    that each stands for.

    Examples
    --------
    >>> p, spread = moments(np.array([0, 0, 1, 1]), np.array([0.1, 0.3, 0.4, 0.7]))
    >>> round(p, 2), round(spread, 2)
    (5.77, 0.35)
    """
    n = np.bincount(item)
    first, second = group_sums(item, unit, len(n)), group_sums(item, unit**2, len(n))
    pairs = n * (n - 1)
    variance = float(np.average((n * second - first**2) / pairs, weights=times))
    if points is not None:
        variance -= 1 / (12 * points**2)
    between = float(np.average(first / n - (first**2 - second) / pairs, weights=times))
    between = min(max(between, 0.01), 0.25)
    p = between / max(variance, 1e-3 * between) - 1
    return min(max(p, 0.1), 500.0), float(np.sqrt(1 - 4 * between))
