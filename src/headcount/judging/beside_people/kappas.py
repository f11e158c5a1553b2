"""Kappa of each person with the others, and of the judge with the same others on the same items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.stats.grouping import group_sums
from headcount.typing import Codes, Flags, Floats

__all__ = ["InPlace", "RatingPairs", "compare", "pairs_of"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingPairs:
    """Every rating with every other rating of its item, both ways.

    Parameters
    ----------
    item : (pairs,) array of int
        Codes from 0 to items - 1.
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


@dataclass(frozen=True, eq=False, kw_only=True)
class InPlace:
    """What each person reaches, and the judge in that person's place.

    Parameters
    ----------
    person, judge : (people,) arrays
        Kappa with the others; NaN where it is undefined.
    person_changes, judge_changes : (items,) arrays
        What each item changes of its mean over people: influences, which sum to 0.
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
    item: Codes, rater: Codes, label: Codes, judge: Codes, *, compared: Codes, labels: int
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
    """
    judged = judge[item] >= 0
    order = np.argsort(item[judged], kind="stable")
    item, rater, label = (part[judged][order] for part in (item, rater, label))
    everybody = int(rater.max(initial=-1)) + 1
    place = np.full(everybody, -1)
    place[compared] = np.arange(len(compared))
    size = np.bincount(item, minlength=len(judge))
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    mine = np.flatnonzero(place[rater] >= 0)
    one = np.repeat(mine, size[item[mine]])
    begins = np.cumsum(size[item[mine]]) - size[item[mine]]
    two = start[item[one]] + np.arange(len(one)) - np.repeat(begins, size[item[mine]])
    one, two = one[one != two], two[one != two]
    used, code = np.unique(item[one], return_inverse=True)
    return RatingPairs(
        item=code,
        person=place[rater[one]],
        other=rater[two],
        says=label[one],
        other_says=label[two],
        judge_says=judge[item[one]],
        share=1.0 / (size[item[one]] - 1),
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
    bring no bias: it is Conger's kappa of the pairs with h. The change by an item is the derivative
    by its weight. O(pairs of ratings).

    Parameters
    ----------
    pairs : RatingPairs
    distance : (labels, labels) array
        How far labels are apart: 0 or 1 for names, the squared difference on an ordered scale.
    """
    key, group = np.unique(pairs.person * pairs.everybody + pairs.other, return_inverse=True)
    one = _kappa(pairs, group, key, distance, pairs.says)
    two = _kappa(pairs, group, key, distance, pairs.judge_says)
    both = np.isfinite(one.value) & np.isfinite(two.value)
    return InPlace(
        person=np.where(both, one.value, np.nan),
        judge=np.where(both, two.value, np.nan),
        person_changes=one.changes(both),
        judge_changes=two.changes(both),
        person_without=one.without,
        judge_without=two.without,
        expected=one.expected,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Kappa:
    """Kappa of each person (or of the judge in that place), and what pairs and others change."""

    pairs: RatingPairs
    value: Floats
    change: Floats
    without: Floats
    expected: float

    def changes(self, defined: Flags) -> Floats:
        """Find what each item changes of the mean over people for whom both are defined."""
        number = max(int(defined.sum()), 1)
        change = np.where(defined[self.pairs.person], self.change, 0.0) / number
        return group_sums(self.pairs.item, change, self.pairs.items)


def _kappa(pairs: RatingPairs, group: Codes, key: Codes, distance: Floats, says: Codes) -> _Kappa:
    size = len(key)
    n = np.bincount(group, minlength=size).astype(np.float64)
    far = distance[says, pairs.other_says]
    mine = _histogram(group, says, size, pairs.labels) @ distance
    theirs = _histogram(group, pairs.other_says, size, pairs.labels)
    counts: Flags = n > 1  # two who share one item leave nothing to expect
    seen = np.where(counts, group_sums(group, far, size), 0.0)
    rest = np.where(counts, (mine * theirs).sum(axis=1) - seen, 0.0)
    expected = rest / np.maximum(n - 1, 1)
    person = key // pairs.everybody
    top, bottom = (group_sums(person, part, pairs.people) for part in (seen, expected))
    value = 1 - _ratio(top, bottom)
    moved = mine[group, pairs.other_says] + (theirs @ distance)[group, says] - 2 * far
    moved = moved / np.maximum(n - 1, 1)[group] - (expected / n)[group]
    change = -_ratio(far - (1 - value)[pairs.person] * moved, bottom[pairs.person])
    table = np.zeros((2, pairs.people, pairs.everybody))
    table[0].flat[key], table[1].flat[key] = seen, expected
    return _Kappa(
        pairs=pairs,
        value=value,
        change=np.where(counts[group], np.nan_to_num(change), 0.0),
        without=1 - _ratio(top[:, None] - table[0], bottom[:, None] - table[1]),
        expected=float(bottom.sum() / max(n[counts].sum(), 1)),
    )


def _histogram(group: Codes, label: Codes, size: int, labels: int) -> Floats:
    """Count the labels of each group: (groups, labels)."""
    counted = np.bincount(group * labels + label, minlength=size * labels)
    return counted.reshape(size, labels).astype(np.float64)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Divide, where there is something to divide by."""
    enough = bottom > 1e-9
    return np.where(enough, top / np.where(enough, bottom, 1.0), np.nan)
