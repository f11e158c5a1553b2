"""Time crowd-kit's Dawid-Skene once; runs in its own environment, which has no headcount.

Usage: python peers_blind.py classes iterations result.npz
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

import numpy as np

from harness import forget_peak, peak_mb

ITEMS, WORKERS, VOTES = 1_000_000, 1_000, 10
PEER_TOLERANCE = 1e-5  # crowd-kit's default, of its loss by vote


def crowd(items: int, classes: int, *, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Item, worker and label of votes: ten workers an item, each of its own share of a hundred.

    Workers are right with a probability of their own for each class, between .18 and .98; what
    they say instead is any other class.
    """
    rng = np.random.default_rng(seed)
    truth = rng.choice(classes, size=items, p=prior_of(classes))
    right = 0.18 + 0.8 * rng.beta(6, 3, size=(WORKERS, classes))
    block = WORKERS // VOTES
    worker = rng.integers(0, block, size=(items, VOTES)) + block * np.arange(VOTES)
    is_right = rng.random((items, VOTES)) < right[worker, truth[:, None]]
    other = (truth[:, None] + rng.integers(1, classes, size=(items, VOTES))) % classes
    label = np.where(is_right, truth[:, None], other)
    return np.repeat(np.arange(items), VOTES), worker.ravel(), label.ravel()


def prior_of(classes: int) -> np.ndarray:
    """Classes from common to rare."""
    weight = np.arange(classes + 1, 1, -1)
    return weight / weight.sum()


def main(classes: int, iterations: int, result: str) -> None:
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    item, worker, label = crowd(ITEMS, classes, seed=1)
    data = pd.DataFrame({"task": item, "worker": worker, "label": label})
    del item, worker, label
    few = data[data.task < 100]
    DawidSkene(n_iter=2).fit(few)  # imports are not what is measured
    forget_peak()
    # Its own rule stops it too early, so it is given the iterations that it needs.
    model = DawidSkene(n_iter=iterations, tol=-np.inf)
    start = time.process_time(), time.perf_counter()
    model.fit(data)
    cpu, wall = time.process_time() - start[0], time.perf_counter() - start[1]
    gains = np.diff(model.loss_history_)
    stops = np.flatnonzero(gains < PEER_TOLERANCE)
    codes = np.arange(classes)
    errors = model.errors_.reindex(
        pd.MultiIndex.from_product([range(WORKERS), codes], names=["worker", "label"])
    )[codes]
    found = {
        "version": version("crowd-kit"),
        "pandas": version("pandas"),
        "cpu": cpu,
        "wall": wall,
        "mb": peak_mb(),
        "iterations": len(model.loss_history_),
        "own_stop": int(stops[0]) + 2 if len(stops) else None,
    }
    np.savez(
        result,
        found=json.dumps(found),
        prior=model.priors_.loc[codes].to_numpy(),
        confusion=errors.fillna(0).to_numpy().reshape(WORKERS, classes, classes),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
