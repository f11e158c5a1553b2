"""Dawid and Skene's EM as it is written down, slowly: loops, products, no rows, no logarithms.

Votes are (item, classifier, label) with codes from 0; weights are of items and of classifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

Triple = tuple[int, int, int]


@dataclass
class Fit:
    prior: list[float]
    confusion: list[list[list[float]]]  # classifier, class, label
    truth: dict[int, list[float]]
    log_likelihood: float
    objective: float


def shares(votes: list[Triple], classes: int, power: list[float]) -> dict[int, list[float]]:
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
    truth = shares(votes, classes, power)
    path: list[Fit] = []
    for _ in range(steps):
        prior, confusion = maximise(votes, truth, weight, classifiers, smoothing)
        path.append(expect(votes, prior, confusion, weight, power, smoothing))
        truth = path[-1].truth
    return path
