"""Comparisons for tests of Bradley-Terry ratings, and the model written out plainly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from headcount.data.comparisons import Comparisons
from headcount.stats.arrays import group_rows


def random_comparisons(
    n: int,
    m: int,
    *,
    seed: int = 0,
    ties: float = 0.0,
    shift: float = 0.0,
    raters: int = 0,
    weights: bool = False,
    spread: float = 1.0,
    circle: bool = True,
) -> Comparisons:
    """Answers of a Bradley-Terry model; a circle of wins, both ways round, keeps all finite."""
    rng = np.random.default_rng(seed)
    theta = spread * rng.normal(size=n)
    left = rng.integers(0, n, m)
    right = (left + rng.integers(1, n, m)) % n
    eta = theta[left] - theta[right] + shift
    outcome = (rng.random(m) < 1 / (1 + np.exp(-eta))).astype(float)
    outcome[rng.random(m) < ties] = 0.5
    if circle:
        ring = np.arange(n)
        left = np.concatenate([left, ring, ring])
        right = np.concatenate([right, (ring + 1) % n, (ring + 1) % n])
        outcome = np.concatenate([outcome, np.ones(n), np.zeros(n)])
    total = len(left)
    return Comparisons(
        np.arange(n),
        left,
        right,
        outcome,
        rater=rng.integers(0, raters, total) if raters else None,
        raters=np.arange(raters) if raters else None,
        weight=rng.uniform(0.5, 2, total) if weights else None,
    )


def naive_value(
    comparisons: Comparisons,
    theta: np.ndarray,
    *,
    ties: str = "half",
    shift: float = 0.0,
    cut: float = 0.0,
) -> float:
    """Log-likelihood, comparison by comparison, from probabilities as the papers write them."""
    total = 0.0
    for k in range(len(comparisons)):
        i, j = comparisons.left[k], comparisons.right[k]
        strong, weak = np.exp(theta[i] - theta[j] + shift), 1.0
        share = comparisons.outcome[k]
        if ties == "half":
            win, loss = strong / (strong + weak), weak / (strong + weak)
            value = share * np.log(win) + (1 - share) * np.log(loss)
        else:
            if ties == "davidson":
                middle = np.exp(cut) * np.sqrt(strong * weak)
                win, loss = np.array([strong, weak]) / (strong + weak + middle)
            else:
                bar = np.exp(cut)
                win, loss = strong / (strong + bar * weak), weak / (bar * strong + weak)
            value = np.log({1.0: win, 0.0: loss, 0.5: 1 - win - loss}[share])
        total += comparisons.weights[k] * value
    return total


def unpack(z: np.ndarray, n: int) -> dict:
    """Parameters of :func:`naive_value` from ratings (the last left out), shift and cut."""
    theta = np.append(z[: n - 1], -z[: n - 1].sum())
    return {"theta": theta, "shift": z[n - 1], "cut": z[n]}


def naive_fit(comparisons: Comparisons, ties: str, *, sided: bool) -> dict:
    """Maximise the plain log-likelihood by BFGS, ratings with sum 0."""
    n = len(comparisons.items)
    on = np.ones(n + 1)
    on[-2:] = sided, ties != "half"

    def negative(z):
        return -naive_value(comparisons, ties=ties, **unpack(z * on, n))

    start = np.zeros(n + 1)
    start[-1] = 0.1
    found = minimize(negative, start, jac=lambda z: differences(negative, z), method="BFGS",
                     options={"gtol": 1e-7})  # fmt: skip
    return unpack(found.x * on, n)


def differences(f: Callable[[np.ndarray], np.ndarray | float], x: np.ndarray) -> np.ndarray:
    """Derivatives by central differences of fourth order; along the last axis."""
    h = 1e-3
    columns = []
    for k in range(len(x)):
        e = np.zeros(len(x))
        e[k] = h
        near = np.asarray(f(x + e)) - np.asarray(f(x - e))
        far = np.asarray(f(x + 2 * e)) - np.asarray(f(x - 2 * e))
        columns.append((8 * near - far) / (12 * h))
    return np.stack(columns, axis=-1)


def counted(comparisons: Comparisons, *, raters: bool = True) -> Comparisons:
    """Count equal answers, as a database would: those of each rater, or of all."""
    if not raters:
        comparisons = replace(comparisons, rater=None, raters=None)
    keys = [comparisons.rater, comparisons.weight, *comparisons.clusters.values()]
    rows = [comparisons.left, comparisons.right, comparisons.outcome]
    first, cell = group_rows([*rows, *(key for key in keys if key is not None)])
    return replace(comparisons.select(first), times=np.bincount(cell))
