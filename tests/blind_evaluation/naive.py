"""Models of the true labels in the slow way: loops, products, no rows, no logarithms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import digamma, gammaln

# Models of the true labels item by item, in plain loops: slow, and written apart.

Table = np.ndarray
"""Items x classifiers of label codes; -1 is missing."""


def shares(table: Table, size: int) -> np.ndarray:
    out = np.zeros((len(table), size))
    for i, row in enumerate(table):
        for label in row[row >= 0]:
            out[i, label] += 1
    return out / out.sum(axis=1, keepdims=True)


def beta_binomial(hits: list[float], number: list[float]) -> tuple[float, float]:
    mu = (sum(hits) + 0.5) / (sum(number) + 1)
    best, found = -math.inf, 1.0
    for power in range(11):
        k = 2.0**power
        a, b = k * mu, k * (1 - mu)
        total = sum(
            gammaln(h + a) + gammaln(n - h + b) - gammaln(n + k) - gammaln(a) - gammaln(b)
            + gammaln(k)
            for h, n in zip(hits, number, strict=True)
        )  # fmt: skip
        if total > best + 1e-12:
            best, found = total, k
    return found, mu


def naive_one_coin(table: Table, size: int, passes: int) -> np.ndarray:
    q = shares(table, size)
    items, workers = table.shape
    number = [float((table[:, j] >= 0).sum()) for j in range(workers)]
    for _ in range(passes):
        hits = [sum(q[i, table[i, j]] for i in range(items) if table[i, j] >= 0)
                for j in range(workers)]  # fmt: skip
        k, mu = beta_binomial(hits, number)
        errors = np.ones((size, size))  # true label, label given
        for i in range(items):
            for j in range(workers):
                for c in range(size):
                    if table[i, j] >= 0:
                        errors[c, table[i, j]] += q[i, c]
        new = np.zeros_like(q)
        for i in range(items):
            for c in range(size):
                log = 0.0
                for j in range(workers):
                    label = table[i, j]
                    if label < 0:
                        continue
                    right = (hits[j] + k * mu) / (number[j] + k)
                    other = errors[c].sum() - errors[c, c]
                    log += math.log(right if label == c else (1 - right) * errors[c, label] / other)
                new[i, c] = log
        q = np.exp(new - new.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
    return q


def naive_easy_hard(table: Table, size: int, passes: int) -> np.ndarray:
    share = shares(table, size)
    items, workers = table.shape
    top = share.max(axis=1)
    q = np.zeros((items, size, 2))
    for i in range(items):
        level = ((top < top[i]).sum() + 0.5 * (top == top[i]).sum()) / items
        near = [math.exp(-0.5 * ((level - at) * 2) ** 2) for at in (0.25, 0.75)]
        for s in range(2):
            q[i, :, s] = share[i] * near[s] / sum(near)
    for _ in range(passes):
        number = q.sum(axis=0)
        new = np.zeros_like(q)
        for c in range(size):
            for s in range(2):
                rows = np.ones((workers, size))
                rows[:, c] = 4
                for j in range(workers):
                    for i in range(items):
                        if table[i, j] >= 0:
                            rows[j, table[i, j]] += q[i, c, s]
                for i in range(items):
                    log = digamma(number[c].sum() + 1) - digamma(number.sum() + size)
                    log += digamma(number[c, s] + 0.05) - digamma(number[c].sum() + 0.1)
                    for j in range(workers):
                        if table[i, j] >= 0:
                            log += digamma(rows[j, table[i, j]]) - digamma(rows[j].sum())
                    new[i, c, s] = log
        q = np.exp(new - new.max(axis=(1, 2), keepdims=True))
        q /= q.sum(axis=(1, 2), keepdims=True)
    return q.sum(axis=2)


# Dawid and Skene's EM as it is written down, slowly: loops, products, no rows, no logarithms.
#
# Votes are (item, classifier, label) with codes from 0; weights are of items and of classifiers.

Triple = tuple[int, int, int]


@dataclass
class Fit:
    prior: list[float]
    confusion: list[list[list[float]]]  # classifier, class, label
    truth: dict[int, list[float]]
    log_likelihood: float
    objective: float


def weighted_shares(
    votes: list[Triple], classes: int, power: list[float]
) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for item, k, label in votes:
        found.setdefault(item, [0.0] * classes)[label] += power[k]
    return {item: [x / sum(row) for x in row] for item, row in found.items()}


def maximise(
    votes: list[Triple],
    truth: dict[int, list[float]],
    weight: dict[int, float],
    classifiers: int,
    smoothing: float,
) -> tuple[list[float], list[list[list[float]]]]:
    classes = range(len(next(iter(truth.values()))))
    total = sum(weight.values())
    prior = [sum(weight[item] * row[c] for item, row in truth.items()) / total for c in classes]
    confusion: list[list[list[float]]] = []
    for k in range(classifiers):
        matrix: list[list[float]] = []
        for c in classes:
            given = [
                smoothing
                + sum(weight[item] * truth[item][c] for item, j, x in votes if (j, x) == (k, label))
                for label in classes
            ]
            matrix.append([x / sum(given) if sum(given) else 1 / len(given) for x in given])
        confusion.append(matrix)
    return prior, confusion


def expect(
    votes: list[Triple],
    prior: list[float],
    confusion: list[list[list[float]]],
    weight: dict[int, float],
    power: list[float],
    smoothing: float,
) -> Fit:
    joint = {item: list(prior) for item, _, _ in votes}
    for item, k, label in votes:
        for c in range(len(prior)):
            joint[item][c] *= confusion[k][c][label] ** power[k]
    truth = {item: [x / sum(row) for x in row] for item, row in joint.items()}
    fit = sum(weight[item] * log(sum(row)) for item, row in joint.items())
    penalty = 0.0
    if smoothing:
        penalty = smoothing * sum(
            power[k] * log(p) for k, matrix in enumerate(confusion) for row in matrix for p in row
        )
    return Fit(prior, confusion, truth, fit, fit + penalty)


def fit(
    votes: list[Triple],
    *,
    classes: int,
    classifiers: int,
    steps: int,
    weight: dict[int, float] | None = None,
    power: list[float] | None = None,
    smoothing: float = 0.0,
) -> list[Fit]:
    """What EM passes through in its first steps from vote shares."""
    weight = weight or {item: 1.0 for item, _, _ in votes}
    power = power or [1.0] * classifiers
    truth = weighted_shares(votes, classes, power)
    path: list[Fit] = []
    for _ in range(steps):
        prior, confusion = maximise(votes, truth, weight, classifiers, smoothing)
        path.append(expect(votes, prior, confusion, weight, power, smoothing))
        truth = path[-1].truth
    return path
