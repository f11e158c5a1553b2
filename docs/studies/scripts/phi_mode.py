"""Phi's posterior mode and mean against the truth: `python docs/studies/scripts/phi_mode.py`."""

from __future__ import annotations

import argparse

import numpy as np

from headcount import Labels, phi

CENTRES = {"uniform": (1, 1), "at both ends": (0.5, 0.5), "in the middle": (4, 4)}
TRUTHS = (-0.2, 0.3, 0.6, 0.875, 0.95)
ITEMS, RATERS, POINTS = (10, 30, 100), (2, 3, 5, 10), (5, None)


def errors(
    truth: float, items: int, raters: int, points: int | None, shape: tuple[float, float], seed: int
) -> tuple[float, float] | None:
    """Mean and mode less the truth; None where all raters agree in full."""
    rng = np.random.default_rng([seed, items, raters, round(1000 * truth) + 1000])
    p = 2 - 2 * np.log2(1 - truth)
    mu = np.clip(rng.beta(*shape, (items, 1)), 1e-3, 1 - 1e-3)
    x = rng.beta(mu * p, (1 - mu) * p, (items, raters))
    if points is None:
        x, limits = np.clip(x.round(6), 1e-6, 1 - 1e-6), (0, 1)
    else:
        x, limits = np.minimum(np.floor(x * points), points - 1), (0, points - 1)
    item, rater = np.indices(x.shape)
    labels = Labels.from_triples(item.ravel(), rater.ravel(), x.ravel())
    found = phi(
        labels,
        limits=limits,
        intervals="fixed",
        check=False,
        points=None if points else "continuous",
    )
    if found.unanimous or found.map is None or found.mean is None:
        return None
    return found.mean - truth, found.map - truth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=6)
    given = parser.parse_args()
    rows = [
        (f"Phi {truth:g}", f"{items} items", f"{raters} raters", *found)
        for truth in TRUTHS
        for items in ITEMS
        for raters in RATERS
        for points in POINTS
        for shape in CENTRES.values()
        for seed in range(given.data_sets)
        if (found := errors(truth, items, raters, points, shape, seed)) is not None
    ]
    print("| | mean: bias | RMSE | mode: bias | RMSE |\n| --- | --- | --- | --- | --- |")
    names = ["all", *dict.fromkeys(row[column] for column in range(3) for row in rows)]
    for name in names:
        table = np.array([row[3:] for row in rows if name == "all" or name in row[:3]])
        bias, rmse = table.mean(axis=0), np.sqrt((table**2).mean(axis=0))
        print(f"| {name} | {bias[0]:.3f} | {rmse[0]:.3f} | {bias[1]:.3f} | {rmse[1]:.3f} |")


if __name__ == "__main__":
    main()
