"""Algorithms 1-6 of the paper, slowly: real label lists, every subset, exact fractions.

Written from the paper's pseudo-code and the documentation of the abc combiner, without looking
at patterns, states or tables.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, factorial, log2

Item = list[str]
Distribution = dict[str, Fraction]


def probability_one_item(y: Counter[str], item: Item) -> Fraction:
    """PROBABILITYONEITEM: chance that random raters of the item give one sequence of labels."""
    k, w = y.total(), Counter(item)
    if any(w[label] < n for label, n in y.items()):
        return Fraction(0)
    ways = 1
    for label, n in y.items():
        ways *= comb(w[label], n) * factorial(n)
    return Fraction(ways, comb(len(item), k) * factorial(k))


def sequence_sum(y: Counter[str], others: list[Item]) -> Fraction:
    """SUMOFPROBABILITIES over the other items (the divisor of Algorithm 5 cancels)."""
    return sum((probability_one_item(y, item) for item in others), Fraction(0))


def abc(observed: Item, others: list[Item], labels: list[str]) -> Distribution:
    """Algorithm 6, with the documented imaginary item where a label lacks support."""
    y = Counter(observed)
    orderings = factorial(len(observed))
    for n in y.values():
        orderings //= factorial(n)
    n_next = {label: orderings * sequence_sum(y + Counter([label]), others) for label in labels}
    total = sum(n_next.values())
    if all(n_next.values()):
        return {label: n / total for label, n in n_next.items()}
    shorter = dict.fromkeys(labels, Fraction(1, len(labels)))
    if observed:
        rests = [
            abc(observed[:j] + observed[j + 1 :], others, labels) for j in range(len(observed))
        ]
        shorter = {label: sum(r[label] for r in rests) / len(rests) for label in labels}
    return {label: (n_next[label] + shorter[label]) / (1 + total) for label in labels}


def frequency(observed: Item, others: list[Item], labels: list[str]) -> Distribution:
    del others
    if not observed:
        return dict.fromkeys(labels, Fraction(1, len(labels)))
    eps = Fraction(2, 100)
    share = {label: Fraction(observed.count(label), len(observed)) for label in labels}
    kept = {label: min(max(p, eps), 1 - eps) for label, p in share.items()}
    return {label: p / sum(kept.values()) for label, p in kept.items()}


def plurality(observed: Item, others: list[Item], labels: list[str]) -> Distribution:
    """Chance of being picked, when labels that tie are picked at random."""
    del others
    most = max(observed.count(label) for label in labels)
    top = [label for label in labels if observed.count(label) == most]
    return {label: Fraction(label in top, len(top)) for label in labels}


def cross_entropy(p: Distribution, label: str) -> float:
    return log2(p[label])


def agreement(p: Distribution, label: str) -> float:
    """Chance of agreeing, when a distribution counts as its most probable labels."""
    most = max(p.values())
    top = [name for name, value in p.items() if value == most]
    return (label in top) / len(top)


def brier(p: Distribution, label: str) -> float:
    return -float(sum((value - (name == label)) ** 2 for name, value in p.items()))


COMBINERS = {"abc": abc, "frequency": frequency, "plurality": plurality}
SCORERS = {"cross-entropy": cross_entropy, "agreement": agreement, "brier": brier}


def power_curve(
    items: list[Item], labels: list[str], max_k: int, combiner: str, scorer: str
) -> list[float]:
    """Algorithm 3 with all subsets: mean over items, of the mean over subsets and references."""
    combine, score = COMBINERS[combiner], SCORERS[scorer]
    items = [item for item in items if len(item) > max_k]
    curve: list[float] = []
    for k in range(max_k + 1):
        per_item: list[float] = []
        for i, item in enumerate(items):
            others = items[:i] + items[i + 1 :]
            scores: list[float] = []
            for subset in combinations(range(len(item)), k):
                p = combine([item[j] for j in subset], others, labels)
                unused = [item[j] for j in range(len(item)) if j not in subset]
                scores += [score(p, label) for label in unused]
            per_item.append(sum(scores) / len(scores))
        curve.append(sum(per_item) / len(per_item))
    return curve


def classifier_score(
    items: list[Item], predictions: list[dict[str, float]], max_k: int, scorer: str
) -> float:
    """Algorithm 1, item by item."""
    score = SCORERS[scorer]
    means = [
        sum(score(p, label) for label in item) / len(item)
        for item, p in zip(items, predictions, strict=True)
        if len(item) > max_k
    ]
    return sum(means) / len(means)


def equivalence(curve: list[float], h: float) -> float:
    """Algorithm 4, with scores that are equal treated as the paper's text says."""
    if h < curve[0]:
        return float("-inf")
    for k, c in enumerate(curve):
        if c >= h:
            return float(k) if c == h else k - 1 + (h - curve[k - 1]) / (c - curve[k - 1])
    return float("inf")
