"""What the verdict on a judge rests on: kappa in a person's place, its interval, recall, leaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from headcount.stats.arrays import ratio, sparse_product
from headcount.stats.draws import resample
from headcount.stats.ranks import holm
from headcount.typing import Codes, Flags, Floats, Kernel

__all__ = [
    "FEWEST_FOR_A_VERDICT",
    "RECALL_MARGIN",
    "InPlace",
    "RatingPairs",
    "bootstrap_t",
    "boundary",
    "class_below_people",
    "compare",
    "followed_person",
    "p_over_looks",
    "pairs_of",
]

FEWEST_FOR_A_VERDICT = 80
"""Items below which one-sided errors exceed .035 for a nominal .025; see docs/studies/judge.md."""


# Kappa of each person with the others, and of the judge with the same others on the same items.


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingPairs:
    """Every rating with every other rating of its item, both ways.

    Parameters
    ----------
    item : (pairs,) array of int
        Codes from 0 to items - 1.
    unit : (items,) array of int
        The cluster of each item, which is what varies; the item itself where there are none.
    person, other : (pairs,) arrays of int
        Who is compared (codes from 0 to people - 1), and with whom (to everybody - 1).
    says, other_says, judge_says : (pairs,) arrays of int
        Their labels of the item, and the judge's.
    share : (pairs,) array of float
        One over the number of others of the item, so that items count alike.
    compared : (people,) array of int
        Their codes among everybody.
    items, people, everybody, labels : int
        How many there are; `people` are those who are compared.
    """

    item: Codes
    unit: Codes
    person: Codes
    other: Codes
    says: Codes
    other_says: Codes
    judge_says: Codes
    share: Floats
    compared: Codes
    items: int
    people: int
    everybody: int
    labels: int

    @property
    def units(self) -> int:
        """Number of clusters; of items where there are none."""
        return int(self.unit.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False, kw_only=True)
class InPlace:
    """What each person reaches, and the judge in that person's place.

    Parameters
    ----------
    person, judge : (people,) arrays
        Kappa with the others; NaN where it is undefined.
    person_changes, judge_changes : (units,) arrays
        What each item, or cluster, changes of its mean over people: influences, which sum to 0.
    person_without, judge_without : (people, everybody) arrays
        Kappa of each row without the ratings of each column's person.
    expected : float
        Mean distance that chance leads to expect.
    """

    person: Floats
    judge: Floats
    person_changes: Floats
    judge_changes: Floats
    person_without: Floats
    judge_without: Floats
    expected: float


def pairs_of(
    item: Codes,
    rater: Codes,
    label: Codes,
    judge: Codes,
    *,
    compared: Codes,
    labels: int,
    cluster: Codes | None = None,
) -> RatingPairs:
    """Put ratings beside the other ratings of their items, where the judge says something.

    Parameters
    ----------
    item, rater, label : (ratings,) arrays of int
    judge : (items,) array of int
        The judge's label of each item; -1 where there is none.
    compared : array of int
        Codes of the raters who are compared, each with all others.
    labels : int
        Number of labels, the judge's included.
    cluster : (items,) array of int, optional
        The cluster of each item.
    """
    judged = judge[item] >= 0
    order = np.argsort(item[judged], kind="stable")
    item, rater, label = (part[judged][order] for part in (item, rater, label))
    everybody = int(rater.max(initial=-1)) + 1
    code_of = np.full(everybody, -1)
    code_of[compared] = np.arange(len(compared))
    size = np.bincount(item, minlength=len(judge))
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    rows = np.flatnonzero(code_of[rater] >= 0)
    first = np.repeat(rows, size[item[rows]])
    begins = np.cumsum(size[item[rows]]) - size[item[rows]]
    second = start[item[first]] + np.arange(len(first)) - np.repeat(begins, size[item[rows]])
    first, second = first[first != second], second[first != second]
    used, code = np.unique(item[first], return_inverse=True)
    unit = np.arange(len(used))
    if cluster is not None:
        unit = np.unique(cluster[used], return_inverse=True)[1]
    return RatingPairs(
        item=code,
        unit=unit,
        person=code_of[rater[first]],
        other=rater[second],
        says=label[first],
        other_says=label[second],
        judge_says=judge[item[first]],
        share=1.0 / (size[item[first]] - 1),
        compared=compared,
        items=len(used),
        people=len(compared),
        everybody=everybody,
        labels=labels,
    )


def compare(pairs: RatingPairs, distance: Floats) -> InPlace:
    r"""Find kappa of each person h with the others, and of the judge in place of h.

    .. math:: \kappa_h = 1 - \frac{\sum_g n_{hg} D_{hg}}{\sum_g E_{hg}}, \quad
        E_{hg} = \frac{1}{n_{hg} - 1} \sum_{i \ne k} d(x_{hi}, x_{gk})

    over the n items that h and another person g both rated, with D their mean distance there. For
    the judge, its own label stands in place of x_h on the same items, so that nothing but who
    answers differs. Same-item pairs are left out of what is expected, so that few shared items
    bring no bias: it is Cohen's kappa, pooled over the pairs with h. The change by an item is the
    derivative by its weight. O(pairs of ratings).

    Parameters
    ----------
    pairs : RatingPairs
    distance : (labels, labels) array
        How far labels are apart: 0 or 1 for names, the squared difference on an ordered scale.
    """
    kappas = _Kappas(pairs, distance)
    person, judge = kappas(np.ones((1, pairs.units)))
    both = np.isfinite(person.value) & np.isfinite(judge.value)
    return InPlace(
        person=np.where(both, person.value, np.nan)[0],
        judge=np.where(both, judge.value, np.nan)[0],
        person_changes=kappas.changes(person, both)[0],
        judge_changes=kappas.changes(judge, both)[0],
        person_without=kappas.without(person),
        judge_without=kappas.without(judge),
        expected=float(person.expected.sum() / max(kappas.shared, 1)),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Kappa:
    """Kappa of each person in each sample of units, and what it is made of.

    Parameters
    ----------
    value : (samples, people) array
    change : (samples, pairs) array
        What one more of a unit changes by each of its pairs.
    observed, expected : (samples, groups) arrays
        Of each person with each other.
    """

    value: Floats
    change: Floats
    observed: Floats
    expected: Floats


class _Kappas:
    """Kappa of each person, and of the judge in that place, for many samples of units at once."""

    def __init__(self, pairs: RatingPairs, distance: Floats) -> None:
        self.pairs, self.distance = pairs, distance
        self.key, self.group = np.unique(
            pairs.person * pairs.everybody + pairs.other, return_inverse=True
        )
        self.unit = pairs.unit[pairs.item]
        n = np.bincount(self.group, minlength=len(self.key))
        self.shared = int(n[n > 1].sum())
        self.by_group = _sums(self.group, len(self.key))
        self.by_person = _sums(self.key // pairs.everybody, pairs.people)
        self.by_unit = _sums(self.unit, pairs.units)

    def __call__(self, weights: Floats) -> tuple[_Kappa, _Kappa]:
        """Find the people's and the judge's; `weights` is (samples, units)."""
        w = weights[:, self.unit]
        theirs = self._histogram(self.pairs.other_says, w)
        n = self.by_group(w)
        return (
            self._of(self.pairs.says, w, n, theirs),
            self._of(self.pairs.judge_says, w, n, theirs),
        )

    def _of(self, says: Codes, w: Floats, n: Floats, theirs: Floats) -> _Kappa:
        group, person, other = self.group, self.pairs.person, self.pairs.other_says
        far = self.distance[says, other]
        mine = self._histogram(says, w) @ self.distance
        counts = n > 1  # two who share one item leave nothing to expect
        observed = np.where(counts, self.by_group(w * far), 0.0)
        rest = np.where(counts, (mine * theirs).sum(axis=2) - observed, 0.0)
        expected = rest / np.maximum(n - 1, 1)
        top, bottom = self.by_person(observed), self.by_person(expected)
        value = 1 - _ratio(top, bottom)
        moved = mine[:, group, other] + (theirs @ self.distance)[:, group, says] - 2 * far
        moved = moved / np.maximum(n - 1, 1)[:, group] - (expected / np.maximum(n, 1))[:, group]
        change = -_ratio(far - (1 - value)[:, person] * moved, bottom[:, person])
        change = np.where(counts[:, group], np.nan_to_num(change), 0.0)
        return _Kappa(value=value, change=change, observed=observed, expected=expected)

    def _histogram(self, says: Codes, w: Floats) -> Floats:
        """Count the labels of each group: (samples, groups, labels)."""
        groups, labels = len(self.key), self.pairs.labels
        counted = _sums(self.group * labels + says, groups * labels)(w)
        return counted.reshape(len(w), groups, labels)

    def changes(self, kappa: _Kappa, defined: Flags) -> Floats:
        """Find what each unit changes of the mean over people who are `defined`."""
        number = np.maximum(defined.sum(axis=1), 1)[:, None]
        return self.by_unit(np.where(defined[:, self.pairs.person], kappa.change, 0.0) / number)

    def without(self, kappa: _Kappa) -> Floats:
        """Kappa of each person without the ratings of each other one, in the first sample."""
        table = np.zeros((2, self.pairs.people, self.pairs.everybody))
        table[0].flat[self.key], table[1].flat[self.key] = kappa.observed[0], kappa.expected[0]
        left = table.sum(axis=2, keepdims=True) - table
        return 1 - _ratio(left[0], left[1])


def _sums(group: Codes, size: int) -> Kernel:
    """Prepare sums of the columns of an array by group: (samples, columns) to (samples, size)."""
    columns = np.arange(len(group))
    return sparse_product(columns, group, np.ones(len(group)), (len(group), size))


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Divide, where there is something to divide by."""
    return ratio(top, bottom, least=1e-9)


# Intervals of kappa: quantiles of the studentised difference in bootstrap samples.

MOST_ITEMS, MOST_PAIRS = 1_000, 100_000
"""Items and pairs of ratings above which t itself is right, and resampling takes long."""
DRAWS = 799
"""Bootstrap samples of a studentised difference: the 20th and 780th are its ends at 95%."""
BLOCK_SIZE = 1_000_000
"""Numbers of a block of samples."""


def patterns(pairs: RatingPairs) -> tuple[RatingPairs, Codes]:
    """Keep one item (one cluster, where there are) of each pattern; and how many have it.

    Patterns are in an order of their own, whatever the order of items.
    """
    columns = np.column_stack(
        [pairs.person, pairs.other, pairs.says, pairs.other_says, pairs.judge_says]
    ).astype(np.int64)
    unit = pairs.unit[pairs.item]
    order = np.lexsort((pairs.other, pairs.person, pairs.item, unit))
    columns = columns[order]
    rows = np.split(np.arange(len(order)), np.flatnonzero(np.diff(unit[order])) + 1)
    by_pattern: dict[bytes, list[Codes]] = {}
    for own in rows:
        by_pattern.setdefault(columns[own].astype(">i8").tobytes(), []).append(own)
    kept = [by_pattern[pattern] for pattern in sorted(by_pattern)]
    row = order[np.concatenate([alike[0] for alike in kept])]
    fields = ("person", "other", "says", "other_says", "judge_says", "share")
    return replace(
        pairs,
        item=np.repeat(np.arange(len(kept)), [len(alike[0]) for alike in kept]),
        unit=np.arange(len(kept)),
        **{name: getattr(pairs, name)[row] for name in fields},
    ), np.array([len(alike) for alike in kept])


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
    distinct, multiplicity = patterns(pairs)
    kappas, factors = _Kappas(distinct, distance), np.array(contrasts)
    at, _ = studentised(kappas, factors, multiplicity[None, :].astype(np.float64))
    drawn: list[Floats] = []
    block = max(BLOCK_SIZE // max(len(distinct.item), 1), 1)
    rng = np.random.default_rng(seed)
    for weights in resample(multiplicity, DRAWS, rng, block=block):
        value, error = studentised(kappas, factors, weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn.append((value - at) / error)
    t = np.concatenate(drawn)
    if not np.isfinite(t).all(axis=1).mean() > 0.9:
        return None
    return np.nanquantile(np.where(np.isfinite(t), t, np.nan), [0.025, 0.975], axis=0).T


def studentised(kappas: _Kappas, factors: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Contrasts and their standard errors in each sample: two (samples, contrasts) arrays."""
    people, judge = kappas(weights)
    both = np.isfinite(judge.value) & np.isfinite(people.value)
    number, sides = np.maximum(both.sum(axis=1), 1), (judge, people)
    means = [np.where(both, side.value, 0.0).sum(axis=1) / number for side in sides]
    changes = np.stack([kappas.changes(side, both) for side in sides])
    items = weights.sum(axis=1)
    errors = [
        np.sqrt(items / (items - 1) * (weights * change**2).sum(axis=1))
        for change in np.tensordot(factors, changes, 1)
    ]
    return np.stack(means, axis=1) @ factors.T, np.stack(errors, axis=1)


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


def class_below_people(
    pairs: RatingPairs, level: float, *, looks: bool = False
) -> tuple[int, float, float] | None:
    """Find a class whose recall is significantly too low: its code, the judge's and people's.

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
    adjusted = holm(np.array(p_values))
    below = [c for c, p in zip(classes, adjusted, strict=True) if p <= level]
    return min(below, key=lambda c: c[1] - c[2], default=None)


# Leaks: a judge that follows one person where that person stands against the others.

LEAK_LEVEL = 0.01
"""How often an honest judge may be accused, all people together."""
LIKELY = 0.5
"""From which probability on an honest judge may say what one person says of every item."""
MOST_HONEST, LEAST_HONEST = 0.9, 0.5
"""How often an honest judge, as good as an expert, says what an expert says alone; and at least."""


def followed_person(
    item: Codes, rater: Codes, label: Codes, judge: Codes, people: Sequence[int], labels: int
) -> int | None:
    """Find the person whom a judge follows where that person stands against all others.

    An honest judge says what a person says alone as often as the person is right there, by the
    accuracies that the agreement of every two people shows; allowed are nine times of ten, or more
    where the person is that good. The test is binomial, over the items on which the person differs
    from everybody else. A judge that says what the person says of *every* item is not told from a
    copy by any test. It is taken for one unless the person is more likely than not to be right
    wherever anybody differs, which is taken for at least half on each item.

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
            p = float(right[contested].prod() >= LIKELY)
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
