"""Models of the true labels item by item, in plain loops: slow, and written apart."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import digamma, gammaln

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
