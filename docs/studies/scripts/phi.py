"""How far off is Phi, and does its interval hold? Simulated ratings whose Phi is known.

Run ``python docs/studies/scripts/phi.py`` to write ``phi.md`` beside this file (an hour on one core);
``--share .1`` for a quick look with a tenth of the data sets.
"""

from __future__ import annotations

import argparse
import math
from itertools import product
from pathlib import Path

import numpy as np

from headcount.agreement.phi import fit
from headcount.agreement.phi_model import ONE, Priors, binned, group, log_likelihood, mirror
from headcount.agreement.phi_ratings import PhiRatings, PhiScale
from headcount.agreement.raters import FIXED, Scope
from headcount.results.notes import Notes

LEVEL = 0.95
RATERS = (2, 3, 5, 10, 20)
POINTS = (3, 5, 11, 10_001, None)
"""None: numbers as drawn."""
ITEMS = {50: 60, 500: 24, 5000: 10}
"""Items, and how many data sets of that size."""
TRUTHS = (0.0, 0.5, 0.75)
CENTRES = {
    "uniform": lambda n, rng: rng.random(n),
    "concentrated": lambda n, rng: rng.beta(10, 10, n),
    "all .5": lambda n, rng: np.full(n, 0.5),
    "one-sided": lambda n, rng: rng.beta(6, 2, n),
    "all .9": lambda n, rng: np.full(n, 0.9),
}
"""Where the central values of the items lie."""
ONE_SIDED = ("one-sided", "all .9")
"""Those for which the prior of mu needs its two halves."""


def precision_of(phi):
    """Precision of a Phi: 2 - 2 log2(1 - Phi)."""
    return 2 - 2 * np.log2(1 - phi)


def ratings(items, raters, points, truth, centre, rng):
    """Draw ratings: numbers in (0, 1), or points from 0."""
    p = float(precision_of(np.array(truth)))
    mu = CENTRES[centre](items, rng)[:, None]
    # With shapes near 0 a draw may round to 0 or 1, where there is no density. Numbers can be much
    # closer to 0 than to 1, so what is lost is lost at 1.
    x = np.clip(rng.beta(p * mu, p * (1 - mu), (items, raters)), 1e-300, 1 - 1e-16)
    return x if points is None else np.minimum(np.floor(x * points), points - 1)


def estimate(x, points, method):
    items, raters = x.shape
    scale = PhiScale(0, 1) if points is None else PhiScale(0, points - 1, points, points)
    if method == "paper":
        scale = PhiScale(scale.low, scale.high, points, raters)
    data = PhiRatings(
        ids=np.arange(items),
        item=np.repeat(np.arange(items), raters),
        rater=np.tile(np.arange(raters), items),
        x=x.ravel(),
        scale=scale,
        unbiased=method != "paper",
    )
    return fit(data, LEVEL, Scope(FIXED), Notes(), check=False)


def study(share, centres=tuple(CENTRES), scales=POINTS):
    """Rows (centre, points, truth, items, raters, method, value, map, inside, width)."""
    rows = []
    for centre in centres:
        for points in scales:
            for truth in TRUTHS:
                for items, times in ITEMS.items():
                    for raters in RATERS:
                        seed = [items, raters, points or 0, round(100 * truth), len(centre)]
                        rng = np.random.default_rng(seed)
                        sets = max(2, round(times * share))
                        for turn in range(sets):
                            x = ratings(items, raters, points, truth, centre, rng)
                            key = (centre, points, truth, items, raters)
                            rows.append((*key, "unbiased", *error_of(x, points, "unbiased", truth)))
                            if turn < 4 and centre == "uniform":
                                rows.append((*key, "paper", *error_of(x, points, "paper", truth)))
        print(f"{centre}: done", flush=True)
    return rows


def error_of(x, points, method, truth):
    found = estimate(x, points, method)
    e = found.estimate
    low, high = e.low, e.high
    return (found.mean or 0.0) - truth, found.map - truth, low <= truth <= high, high - low


def pick(rows, **wanted):
    names = ("centre", "points", "truth", "items", "raters", "method")
    places = {names.index(name): value for name, value in wanted.items()}
    chosen = [row[6:] for row in rows if all(row[i] == v for i, v in places.items())]
    return np.array(chosen, dtype=float)


def number(x):
    text = f"{x:+.3f}"
    return "0" if float(text) == 0 else text.replace("0.", ".")


def name(points):
    return "continuous" if points is None else f"{points:,} points"


def bias_table(rows, method, centre, column=0):
    head = ["points", "true Phi", "items", *(f"{n} raters" for n in RATERS)]
    lines = [head, ["---"] * len(head)]
    for points in POINTS:
        for truth in TRUTHS:
            for items in ITEMS:
                cells = [name(points), f"{truth:g}", f"{items:,}"]
                for raters in RATERS:
                    got = pick(
                        rows, method=method, centre=centre, points=points, truth=truth,
                        items=items, raters=raters,
                    )  # fmt: skip
                    error = got[:, column].std(ddof=1) / math.sqrt(len(got))
                    cells.append(f"{number(got[:, column].mean())} ± {error:.3f}"[:14])
                lines.append(cells)
    return table(lines)


def coverage_table(rows):
    head = ["central values", "items", *(f"{n} raters" for n in RATERS)]
    lines = [head, ["---"] * len(head)]
    for centre in CENTRES:
        for items in ITEMS:
            cells = [centre, f"{items:,}"]
            for raters in RATERS:
                got = pick(rows, method="unbiased", centre=centre, items=items, raters=raters)
                cells.append(f"{100 * got[:, 2].mean():.0f}%")
            lines.append(cells)
    return table(lines)


def coverage_by_points(rows):
    head = ["central values", *map(name, POINTS), "data sets each"]
    lines = [head, ["---"] * len(head)]
    for centre in CENTRES:
        got = [pick(rows, method="unbiased", centre=centre, points=points) for points in POINTS]
        lines.append([centre, *(f"{100 * g[:, 2].mean():.1f}%" for g in got), f"{len(got[0]):,}"])
    return table(lines)


def worst_table(rows, least=0.03):
    """Cells whose bias is beyond `least` and beyond three standard errors of it."""
    head = ["central values", "points", "true Phi", "items", "raters", "bias of mean", "of mode"]
    lines = [head, ["---"] * len(head)]
    for centre, points, truth, items, raters in product(CENTRES, POINTS, TRUTHS, ITEMS, RATERS):
        got = pick(
            rows, method="unbiased", centre=centre, points=points, truth=truth, items=items,
            raters=raters,
        )  # fmt: skip
        bias, error = got[:, 0].mean(), got[:, 0].std(ddof=1) / math.sqrt(len(got))
        if abs(bias) > max(least, 3 * error):
            cells = [centre, name(points), f"{truth:g}", f"{items:,}", str(raters)]
            lines.append([*cells, number(bias), number(got[:, 1].mean())])
    return table(lines)


def sizes_table(rows):
    """Mean bias over all that varies but items and raters, of the mean and of the mode."""
    head = ["central values", "items", *(f"{n} raters" for n in RATERS)]
    lines = [head, ["---"] * len(head)]
    for centre in CENTRES:
        for items in ITEMS:
            got = [
                pick(rows, method="unbiased", centre=centre, items=items, raters=raters)
                for raters in RATERS
            ]
            cells = [f"{number(g[:, 0].mean())} ({number(g[:, 1].mean())})" for g in got]
            lines.append([centre, f"{items:,}", *cells])
    return table(lines)


def identified_table():
    """How far the likelihood, at its best prior, falls from its top: 500 items of 5 raters."""
    at = (-0.5, 0.0, 0.25, 0.5, 0.75, 0.9)
    priors = Priors.grid(np.linspace(0, 1, 41), np.linspace(0, ONE, 9))
    lines = [["points", *(f"Phi {x:g}" for x in at)], ["---"] * (len(at) + 1)]
    for points in (2, 3, 5, 11):
        rng = np.random.default_rng(points)
        x = ratings(500, 5, points, 0.5, "uniform", rng).astype(int)
        item = np.repeat(np.arange(500), 5)
        patterns, _ = binned(item, x.ravel(), 500, points=points)
        groups = group(mirror(patterns))
        best = [log_likelihood(groups, float(precision_of(np.array(f))), priors).max() for f in at]
        fall = np.array(best) - max(best)
        lines.append([str(points), *(f"{x:.1f}" for x in fall)])
    return table(lines)


def table(lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def short(got):
    """Write the bias of mean and mode, and the coverage."""
    bias, of_mode, inside = got[:, 0].mean(), got[:, 1].mean(), 100 * got[:, 2].mean()
    return f"bias {number(bias)} (mode {number(of_mode)}), coverage {inside:.1f}%"


def page(rows, share):
    def some(centres, items=tuple(ITEMS)):
        each = product(centres, items)
        return np.concatenate([pick(rows, method="unbiased", centre=c, items=n) for c, n in each])

    sets = ", ".join(f"{max(2, round(t * share))} of {n:,} items" for n, t in ITEMS.items())
    parts = [
        f"""# Phi: bias and coverage

Written by [`phi.py`](scripts/phi.py). Ratings are drawn from Phi's own model: item i has a central value
mu_i, its ratings are Beta(mu_i p, (1 - mu_i) p) with a common p, and are recorded as they are
(continuous) or as one of 3, 5, 11 or 10,001 points (four decimals). Central values are uniform,
concentrated (Beta(10, 10)), all 1/2, one-sided (Beta(6, 2)) or all .9. Data sets in each cell:
{sets}; {len(pick(rows, method="unbiased")):,} in all.

Bias is the mean of (estimate - true Phi), ± its standard error. The estimate is the posterior mean
unless it says mode (`map`). Intervals are 95% highest-density intervals.

## In short

- All central values: {short(some(CENTRES))}.
- The same, with 500 items or more: {short(some(CENTRES, (500, 5000)))}.
- One-sided central values or all .9, with 500 items or more:
  {short(some(ONE_SIDED, (500, 5000)))}.
- Method 'paper', on the same ratings (uniform central values):
  {short(pick(rows, method="paper"))}.
- A two-point scale does not identify Phi, so no number is given (last table).
""",
        "## Bias by size\n\nMean over points and true Phi; that of the mode in brackets.\n",
        sizes_table(rows),
        "\n## Coverage by size\n",
        coverage_table(rows),
        "\n## Coverage by points\n",
        coverage_by_points(rows),
        """
## Where it fails

Cells with a bias beyond .03 and beyond three of its standard errors. They have two causes.
With few ratings (50 items, 2 or 3 raters, few points) the posterior is wide and its mean is pulled
from a high Phi towards 0, the mean of the flat prior; the mode is not, and the interval holds.
With all central values in the middle and few ratings, some spread of mu is taken for granted,
since it cannot be less than 0, and Phi comes out high.
""",
        worst_table(rows),
    ]
    for centre in CENTRES:
        parts += [f"\n## Bias of method 'unbiased': central values {centre}\n"]
        parts += [bias_table(rows, "unbiased", centre)]
    parts += [
        "\n## Bias of method 'paper': central values uniform\n",
        bias_table(rows, "paper", "uniform"),
        """
## Two points

Log likelihood below its top, at the best prior of mu for each Phi: 500 items, 5 raters, true Phi
.5. A difference of 2 is significant. On two points every Phi fits about as well with some
prior; on three and more, it does not.
""",
        identified_table(),
    ]
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the data sets")
    share = parser.parse_args().share
    (Path(__file__).parents[1] / "phi.md").write_text(page(study(share), share), encoding="utf-8")


if __name__ == "__main__":
    main()
