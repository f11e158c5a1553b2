"""Draw two figures of Checco and others (2017) anew: Phi's bias, and the share of the data used.

Usage: python docs/studies/scripts/phi_figures.py [--data-sets 5] [--subsets 100], which writes phi_bias.png
and phi_share.png beside this file and prints the numbers of the first.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from agreement_by_share import agree_by_share, plot_share  # beside this script

from headcount import Labels, phi
from headcount.results.plotting import COLOURS, MARKERS, STYLES, bare, new_figure

IMAGES = Path(__file__).parents[2] / "images"
RATERS, ITEMS = (2, 3, 5, 10, 20), 500
METHODS = {"paper": "as published", "unbiased": "headcount's default"}


def as_labels(table: np.ndarray) -> Labels:
    item, rater = np.indices(table.shape)
    return Labels.from_triples(
        item.ravel().tolist(), [f"r{j}" for j in rater.ravel()], table.ravel().tolist()
    )


def bias(data_sets: int) -> dict[str, list[np.ndarray]]:
    """Phi of ratings at random, of which the truth is 0: by method, for each number of raters."""
    found: dict[str, list[np.ndarray]] = {name: [] for name in METHODS}
    for raters in RATERS:
        rng = np.random.default_rng(raters)
        drawn = [as_labels(rng.random((ITEMS, raters)).round(6)) for _ in range(data_sets)]
        for name, values in found.items():
            values.append(
                np.array(
                    [
                        phi(one, limits=(0, 1), method=name, intervals="fixed", check=False).value
                        for one in drawn
                    ]
                )
            )
    return found


def draw_bias(found: dict[str, list[np.ndarray]], data_sets: int) -> None:
    figure = new_figure(5.6, 3.6)
    axes = figure.subplots()
    for row, (name, values) in enumerate(found.items()):
        mean = [value.mean() for value in values]
        spread = [value.std(ddof=1) if len(value) > 1 else 0 for value in values]
        axes.errorbar(
            RATERS,
            mean,
            yerr=spread,
            color=COLOURS[row],
            marker=MARKERS[row],
            linestyle=STYLES[row],
            capsize=3,
            label=METHODS[name],
        )
    axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    axes.set_xticks(RATERS, [str(raters) for raters in RATERS])
    axes.minorticks_off()
    axes.set_xlabel("raters")
    axes.set_ylabel("Phi of ratings at random (truth: 0)")
    axes.set_title(
        f"{ITEMS} items, uniform ratings; mean of {data_sets} data sets, bars: standard deviation",
        fontsize="small",
        loc="left",
    )
    axes.legend(frameon=False)
    bare(axes)
    figure.savefig(IMAGES / "phi_bias.png")


def draw_share(subsets: int) -> None:
    """Ratings of Phi's own model, on five points: 100 items x 5 raters, Phi .65."""
    rng = np.random.default_rng(1)
    mu = rng.uniform(0.05, 0.95, size=(100, 1))
    x = rng.beta(5 * mu, 5 * (1 - mu), size=(100, 5))
    labels = as_labels(np.minimum((x * 5).astype(int), 4) + 1)
    curve = agree_by_share(
        labels,
        shares=(0.1, 0.2, 0.4, 0.6, 0.8, 1),
        coefficients=["percent", "alpha", "phi"],
        repeats=subsets,
        limits=(1, 5),
    )
    plot_share(curve).figure.savefig(IMAGES / "phi_share.png")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=5)
    parser.add_argument("--subsets", type=int, default=100)
    given = parser.parse_args()
    found = bias(given.data_sets)
    print("| method | " + " | ".join(f"{raters} raters" for raters in RATERS) + " |")
    print("| --- " * (len(RATERS) + 1) + "|")
    for name, values in found.items():
        print(f"| {METHODS[name]} | " + " | ".join(f"{v.mean():.3f}" for v in values) + " |")
    draw_bias(found, given.data_sets)
    draw_share(given.subsets)


if __name__ == "__main__":
    main()
