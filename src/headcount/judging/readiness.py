"""What the verdict on a judge rests on: small-sample intervals, recall, recalibration, leaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headcount.stats.draws import keys, resample
from headcount.typing import Codes, Flags, Floats, Ids

if TYPE_CHECKING:
    from headcount.judging.beside_people import RatingPairs

__all__ = [
    "FEWEST_FOR_A_VERDICT",
    "RECALL_MARGIN",
    "Map",
    "boundary",
    "bootstrap_t",
    "class_below_people",
    "followed_person",
    "learn_map",
    "p_over_looks",
    "recalibrated",
    "step_down",
]

FEWEST_FOR_A_VERDICT = 80
"""Items below which one-sided errors exceed .035 for a nominal .025; see docs/studies/judge.md."""


# Intervals of kappa: quantiles of the studentised difference in bootstrap samples.

MOST_ITEMS, MOST_PAIRS = 1_000, 100_000
"""Items and pairs of ratings above which t itself is right, and resampling takes long."""
DRAWS = 799
"""Bootstrap samples of a studentised difference: the 20th and 780th are its ends at 95%."""
BLOCK_SIZE = 1_000_000
"""Numbers of a block of samples."""


class _Sums:
    """Sums of the columns of an array by group: (samples, pairs) to (samples, groups)."""

    def __init__(self, group: Codes, size: int) -> None:
        self.order = np.argsort(group, kind="stable")
        self.there, self.start = np.unique(group[self.order], return_index=True)
        self.size = size

    def __call__(self, values: Floats) -> Floats:
        out = np.zeros((len(values), self.size))
        out[:, self.there] = np.add.reduceat(values[:, self.order], self.start, axis=1)
        return out


@dataclass(frozen=True, eq=False)
class _Cells:
    """Pairs of ratings of one item of each pattern, and how many items have it."""

    multiplicity: Codes
    cell: Codes
    person: Codes
    group: Codes
    group_person: Codes
    says: tuple[Codes, Codes]
    other_says: Codes


def _cells(pairs: RatingPairs) -> _Cells:
    """Find the patterns of items (of clusters, where there are), in an order of their own."""
    columns = np.column_stack(
        [pairs.person, pairs.other, pairs.says, pairs.other_says, pairs.judge_says]
    ).astype(np.int64)
    unit = pairs.unit[pairs.item]
    order = np.lexsort((pairs.other, pairs.person, pairs.item, unit))
    columns, unit = columns[order], unit[order]
    start = np.flatnonzero(np.r_[True, unit[1:] != unit[:-1]])
    end = np.r_[start[1:], len(unit)]
    patterns: dict[bytes, list[int]] = {}
    for first, last in zip(start.tolist(), end.tolist(), strict=True):
        patterns.setdefault(columns[first:last].astype(">i8").tobytes(), []).append(first)
    ends = dict(zip(start.tolist(), end.tolist(), strict=True))
    ranked = sorted(patterns)
    firsts = [patterns[pattern][0] for pattern in ranked]
    lengths = [ends[first] - first for first in firsts]
    kept = np.concatenate([columns[first : ends[first]] for first in firsts])
    key, group = np.unique(kept[:, 0] * pairs.everybody + kept[:, 1], return_inverse=True)
    return _Cells(
        multiplicity=np.array([len(patterns[p]) for p in ranked]),
        cell=np.repeat(np.arange(len(ranked)), lengths),
        person=kept[:, 0],
        group=group,
        group_person=key // pairs.everybody,
        says=(kept[:, 2], kept[:, 4]),
        other_says=kept[:, 3],
    )


def bootstrap_t(
    pairs: RatingPairs, distance: Floats, contrasts: Sequence[tuple[float, float]], seed: int = 0
) -> Floats | None:
    r"""Find quantiles .025 and .975 of studentised contrasts of the judge's and people's kappa.

    .. math:: t^* = (\hat\theta^* - \hat\theta) / s^*

    over samples of items with replacement, with the standard error :math:`s^*` by influences in
    each sample. Kappa of few items is skewed: an interval by Student's t lies above the truth twice
    as often as it should, this one does not (docs/studies/judge.md).

    Parameters
    ----------
    pairs : RatingPairs
    distance : (labels, labels) array
    contrasts : sequence of (float, float)
        Multiples of the judge's and of people's mean kappa.
    seed : int

    Returns
    -------
    (contrasts, 2) array or None
        None where there are so many items that t holds, or where nothing varies.
    """
    if pairs.items > MOST_ITEMS or len(pairs.item) > MOST_PAIRS:
        return None
    cells = _cells(pairs)
    weights = cells.multiplicity[None, :].astype(np.float64)
    factors = np.array(contrasts)
    at, error = _studentised(cells, pairs, distance, factors, weights)
    drawn: list[Floats] = []
    block = max(BLOCK_SIZE // max(len(cells.cell), 1), 1)
    rng = np.random.default_rng(seed)
    for weights in resample(cells.multiplicity, DRAWS, rng, block=block):
        value, error = _studentised(cells, pairs, distance, factors, weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn.append((value - at) / error)
    t = np.concatenate(drawn)
    if not np.isfinite(t).all(axis=1).mean() > 0.9:
        return None
    return np.nanquantile(np.where(np.isfinite(t), t, np.nan), [0.025, 0.975], axis=0).T


def _studentised(
    cells: _Cells, pairs: RatingPairs, distance: Floats, factors: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Contrasts and their standard errors in each sample: two (samples, contrasts) arrays."""
    judge, people = (_kappas(cells, pairs, distance, weights, side) for side in (1, 0))
    both = np.isfinite(judge[0]) & np.isfinite(people[0])
    number = np.maximum(both.sum(axis=1), 1)[:, None]
    by_cell = _Sums(cells.cell, weights.shape[1])
    counted = both[:, cells.person]
    means, changes = list[Floats](), list[Floats]()
    for value, change in (judge, people):
        means.append(np.where(both, value, 0.0).sum(axis=1) / number[:, 0])
        changes.append(by_cell(np.where(counted, change, 0.0) / number))
    items = weights.sum(axis=1)
    values = np.stack(means, axis=1) @ factors.T
    errors: list[Floats] = []
    for judge_factor, people_factor in factors.tolist():
        change = judge_factor * changes[0] + people_factor * changes[1]
        errors.append(np.sqrt(items / (items - 1) * (weights * change**2).sum(axis=1)))
    return values, np.stack(errors, axis=1)


def _kappas(
    cells: _Cells, pairs: RatingPairs, distance: Floats, weights: Floats, side: int
) -> tuple[Floats, Floats]:
    """Kappa of each person, and what an item more of a cell changes by each of its pairs.

    As :func:`headcount.judging.beside_people.compare` has them, for many samples at once.
    """
    says, other = cells.says[side], cells.other_says
    groups, labels, samples = len(cells.group_person), pairs.labels, len(weights)
    w = weights[:, cells.cell]
    far = distance[says, other]
    n = _Sums(cells.group, groups)(w)
    observed = _Sums(cells.group, groups)(w * far)

    def histogram(label: Codes) -> Floats:
        counted = _Sums(cells.group * labels + label, groups * labels)(w)
        return counted.reshape(samples, groups, labels)

    mine, theirs = histogram(says) @ distance, histogram(other)
    more = n > 1
    observed = np.where(more, observed, 0.0)
    rest = np.where(more, (mine * theirs).sum(axis=2) - observed, 0.0)
    expected = rest / np.maximum(n - 1, 1)
    by_person = _Sums(cells.group_person, pairs.people)
    top, bottom = by_person(observed), by_person(expected)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(bottom > 1e-9, 1 - top / bottom, np.nan)
        g, p = cells.group, cells.person
        moved = mine[:, g, other] + (theirs @ distance)[:, g, says] - 2 * far
        moved = moved / np.maximum(n - 1, 1)[:, g] - (expected / np.maximum(n, 1))[:, g]
        change = -(far - (1 - value)[:, p] * moved) / bottom[:, p]
    return value, np.where(more[:, g], np.nan_to_num(change), 0.0)


# Looking again: a boundary that holds over any number of looks.

MIXTURE = 18.0
"""Items by which the mixture is spread: narrowest at some 150 items."""


def boundary(items: int, level: float) -> float:
    r"""Half-width in standard errors that holds at all sizes at once, and so at every look.

    .. math:: \sqrt{\frac{n + \rho}{n} \ln \frac{n + \rho}{\rho (1 - level)^2}}

    the normal-mixture confidence sequence [1]_ with :math:`\rho = 18` items.

    References
    ----------
    .. [1] Robbins, H. (1970). Statistical methods related to the law of the iterated logarithm.
       Annals of Mathematical Statistics 41(5), 1397-1409.

    Examples
    --------
    >>> round(boundary(150, 0.95), 2)
    3.04
    """
    n = max(items, 1) + MIXTURE
    return float(np.sqrt(n / max(items, 1) * np.log(n / MIXTURE / (1 - level) ** 2)))


def p_over_looks(reach: float, units: int) -> float:
    """One-sided p-value that holds at every look, of a lead in standard errors: boundary's inverse.

    Examples
    --------
    >>> round(p_over_looks(-boundary(150, 0.95), 150), 6)
    0.025
    """
    n = units + MIXTURE
    return float(min(np.sqrt(n / MIXTURE) * np.exp(-(reach**2) * units / n / 2) / 2, 1.0))


# Classes on which a judge fails where people do not.

FEWEST_OF_A_CLASS = 10
"""Items of a class below which its recall is no reason to reject a judge."""
RECALL_MARGIN = 0.1
"""What a judge's recall of a class may lack of people's, or half of theirs if that is less."""


def step_down(p_values: Sequence[float], level: float) -> list[bool]:
    """Reject by Holm's step-down rule.

    Examples
    --------
    >>> step_down([0.01, 0.04, 0.03], 0.05)
    [True, False, False]
    """
    rejected = [False] * len(p_values)
    for rank, index in enumerate(np.argsort(p_values).tolist()):
        if p_values[index] > level / (len(p_values) - rank):
            break
        rejected[index] = True
    return rejected


def class_below_people(
    pairs: RatingPairs, level: float, *, looks: bool = False
) -> tuple[int, float, float] | None:
    """Find the class whose recall is surely too low: its code, the judge's and people's recall.

    Recall of a class is the share of times that the person, or the judge in that place, says it
    where another person does. It is too low if it is more than .1 below people's, or below half
    of theirs; sure by one-sided tests with items as units, adjusted by Holm for all classes of ten
    items or more (of clusters, where there are). None if no class is.
    """
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    classes: list[tuple[int, float, float]] = []
    p_values: list[float] = []
    for code in range(pairs.labels):
        there = pairs.other_says == code
        units, unit = np.unique(pairs.unit[pairs.item[there]], return_inverse=True)
        if len(units) < FEWEST_OF_A_CLASS:
            continue
        n = np.bincount(unit).astype(np.float64)
        hits = [np.bincount(unit, says[there] == code) for says in (pairs.judge_says, pairs.says)]
        judge, people = (float(h.sum() / n.sum()) for h in hits)
        part, margin = (0.5, 0.0) if people < 2 * RECALL_MARGIN else (1.0, RECALL_MARGIN)
        lead = judge - part * people + margin
        change = (hits[0] - part * hits[1] - n * (judge - part * people)) / n.sum()
        error = float(np.sqrt(len(units) / (len(units) - 1) * (change**2).sum()))
        if error == 0 or lead >= 0:
            p = float(lead >= 0)
        elif looks:
            p = p_over_looks(lead / error, len(units))
        else:
            p = float(stdtr(len(units) - 1, lead / error))
        classes.append((code, judge, people))
        p_values.append(p)
    below = [c for c, rejected in zip(classes, step_down(p_values, level), strict=True) if rejected]
    return min(below, key=lambda c: c[1] - c[2], default=None)


# Recalibration: labels that are as frequent as people's, in the judge's own order.

FOLDS = 10
"""Parts of items; each is mapped by what the others teach."""


@dataclass(frozen=True, eq=False)
class Map:
    """A monotone map of a judge's labels or scores to people's labels.

    A value is replaced by the label that people give at its place: the share of values below it,
    and a part of those equal to it, which is drawn for each item.

    Parameters
    ----------
    values : array
        What the judge says of the items it was learned from, sorted.
    shares : (labels,) array
        How often people give each label, lowest first.
    """

    values: Floats
    shares: Floats

    def __call__(self, values: Floats, part: Floats) -> Codes:
        """Map values; `part`, from 0 to 1, breaks ties."""
        low = np.searchsorted(self.values, values, side="left") / len(self.values)
        high = np.searchsorted(self.values, values, side="right") / len(self.values)
        place = low + part * (high - low)
        ends = np.cumsum(self.shares)[:-1]
        return np.searchsorted(ends, place, side="right")


def learn_map(values: Floats, counts: Codes) -> Map:
    """Learn the map from a judge's values and people's label counts of the same items.

    Examples
    --------
    >>> made = learn_map(np.array([2.0, 3, 3, 4]), np.array([[1, 0], [1, 0], [1, 0], [0, 1]]))
    >>> made(np.array([2.0, 3, 4]), np.array([0.5, 0.5, 0.5]))
    array([0, 0, 1])
    """
    shares = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    return Map(np.sort(values), shares)


def recalibrated(values: Floats, counts: Codes, items: Ids, seed: int) -> Codes:
    """Map each item by what the other folds teach: labels, or -1 where the judge says nothing.

    Folds and ties are keyed by seed and item, so that rows in another order change nothing.
    """
    label = np.full(len(values), -1)
    used = np.flatnonzero(np.isfinite(values) & (counts.sum(axis=1) > 0))
    if len(used) < FOLDS:
        return label
    order = np.argsort(keys(items[used], seed), kind="stable")
    fold = np.empty(len(used), dtype=np.int64)
    fold[order] = np.arange(len(used)) % FOLDS
    part = keys(items[used], seed + 1) / 2.0**32
    for number in range(FOLDS):
        others, own = used[fold != number], fold == number
        made = learn_map(values[others], counts[others])
        label[used[own]] = made(values[used[own]], part[own])
    return label


# Leaks: a judge that follows one person where that person stands against the others.

LEAK_LEVEL = 0.01
"""How often an honest judge may be accused, all people together."""
MOST_HONEST, LEAST_HONEST = 0.9, 0.5
"""How often an honest judge, as good as an expert, says what an expert says alone; and at least."""


def followed_person(
    item: Codes, rater: Codes, label: Codes, judge: Codes, people: Sequence[int], labels: int
) -> int | None:
    """Find the person whom a judge follows where that person stands against all others.

    An honest judge says what a person says alone as often as the person is right there, by the
    accuracies that the agreement of every two people shows; allowed are nine times of ten, or more
    where the person is that good. The test is binomial, over the items on which the person differs
    from everybody else. Of a judge that says what the person says of *every* item, the probability
    that the person is right wherever anybody differs is asked instead, taken for at least half on
    each item.

    Returns
    -------
    int or None
        The code of the rater.
    """
    from scipy.special import bdtrc  # pyright: ignore[reportMissingTypeStubs]

    table = np.full((len(judge), max(people, default=-1) + 1), -1)
    among = np.isin(rater, np.array(people, dtype=np.int64))
    table[item[among], rater[among]] = label[among]
    says = table[:, list(people)]
    wrong = _log_odds_of_errors(says, labels)
    best: tuple[float, int] | None = None
    for index, person in enumerate(people):
        others, mine = np.delete(says, index, axis=1), says[:, index]
        there, like = others >= 0, others == mine[:, None]
        answered: Flags = (mine >= 0) & (judge >= 0)
        contested = answered & (there & ~like).any(axis=1)
        log_odds = (there * np.where(like, -1.0, 1.0)) @ np.delete(wrong, index) - wrong[index]
        right = np.maximum(1 / (1 + np.exp(-log_odds)), LEAST_HONEST)
        same = judge == mine
        if same[answered].all():
            p = float(right[contested].prod())
        else:
            enough = there.sum(axis=1) >= min(2, len(people) - 1)
            alone = contested & enough & ~like.any(axis=1)
            n, sides = int(alone.sum()), int(same[alone].sum())
            honest = max(float(right[alone].mean()), MOST_HONEST) if n else 1.0
            p = float(bdtrc(sides - 1, n, honest)) if sides else 1.0
        if p < LEAK_LEVEL / len(people) and (best is None or p < best[0]):
            best = (p, person)
    return None if best is None else best[1]


def _log_odds_of_errors(says: Codes, labels: int) -> Floats:
    """Log odds of each person's giving one wrong label rather than the right one.

    If people err independently, the kappa of two is the product of what each has above chance, so
    that every three people determine three accuracies.
    """
    people = says.shape[1]
    kappa = np.full((people, people), np.nan)
    for a in range(people):
        for b in range(a):
            both = (says[:, a] >= 0) & (says[:, b] >= 0)
            if both.sum() < FEWEST_OF_A_CLASS:
                continue
            same = float((says[both, a] == says[both, b]).mean())
            kappa[a, b] = kappa[b, a] = max((same - 1 / labels) / (1 - 1 / labels), 0.02)
    skill = np.full(people, np.nan)
    for a in range(people):
        triples = [
            kappa[a, b] * kappa[a, c] / kappa[b, c]
            for b in range(people)
            for c in range(b)
            if a not in (b, c) and np.isfinite(kappa[a, b] * kappa[a, c] * kappa[b, c])
        ]
        if triples:
            skill[a] = np.sqrt(np.median(triples))
    mean = float(np.nanmean(skill)) if np.isfinite(skill).any() else 0.7
    skill = np.clip(np.where(np.isfinite(skill), skill, mean), 0.1, 0.97)
    accuracy = skill + (1 - skill) / labels
    return np.log((1 - accuracy) / accuracy / (labels - 1))
