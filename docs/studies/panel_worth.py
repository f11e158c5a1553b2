"""Do intervals of what panels are worth in raters hold? Panels whose worth is known.

Run ``python docs/studies/panel_worth.py`` to write ``panel_worth.md`` beside this file (some
minutes of one core); ``--data-sets 5`` for a quick look. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from blind_gold import Kept, table, three

from headcount import Labels, Predictions, panel_worth

DESIGNS = [(100, "alike"), (300, "alike"), (300, "copies"), (300, "unlike")]
"""Items with ratings, and what the three judges are like."""
RATINGS, RATERS, LARGE = 3, 12, 20_000
"""Ratings an item, raters in all, and items by which the true worth is found."""


def simulate(items, kind, rng):
    """Three ratings of each item, and labels of three judges, who are drawn as raters are.

    Where judges are `copies`, the second repeats the first on four of five items; where they are
    `unlike`, two of them answer at random half of the time.
    """
    state = rng.beta(0.6, 0.6, size=items)
    rated = np.array([rng.choice(RATERS, size=RATINGS, replace=False) for _ in range(items)])
    said = rng.random((items, RATINGS)) < state[:, None]
    judges = rng.random((items, 3)) < state[:, None]
    if kind == "copies":
        judges[:, 1] = np.where(rng.random(items) < 0.8, judges[:, 0], judges[:, 1])
    if kind == "unlike":
        guess = rng.random((items, 3)) < 0.5
        guess[:, 0] = False
        judges = np.where(guess, rng.random((items, 3)) < 0.5, judges)
    item = np.repeat(np.arange(items), RATINGS)
    people = Labels.from_triples(item, rated.ravel(), said.ravel().astype(int))
    names = {f"j{k}": judges[:, k].astype(int) for k in range(3)}
    return people, Predictions.from_labels(range(items), names)


def worths(found):
    """Worth of each judge alone and of all, and what each adds to the others: seven estimates."""
    members = sorted(found.members, key=lambda one: one.name)
    return [*(m.alone for m in members), found.everyone, *(m.adds for m in members)]


def measured(design, data_sets):
    """Whether intervals hold the truth, and how wide they are: (data sets, 7, 2)."""
    items, kind = design
    rng = np.random.default_rng([items, len(kind)])
    large = panel_worth(*simulate(LARGE, kind, rng), bootstrap=0)
    true = [one.value for one in worths(large)]
    rows = []
    for seed in range(data_sets):
        found = worths(panel_worth(*simulate(items, kind, rng), bootstrap=200, rng=seed))
        rows.append([[one.low <= x <= one.high, one.high - one.low]
                     for one, x in zip(found, true, strict=True)])  # fmt: skip
    return np.array(rows, dtype=float), true


def page(data_sets, kept):
    rows = []
    for design in DESIGNS:
        found, true = kept(measured, design, data_sets)
        parts = [slice(0, 3), slice(3, 4), slice(4, 7)]
        rows.append(
            [
                f"{design[0]} items, judges {design[1]}",
                f"{true[3]:.1f}",
                *(three(found[:, part, 0].mean()) for part in parts),
            ]
        )
        print(rows[-1], flush=True)
    head = ["", "all are worth", "one alone", "all together", "what one adds"]
    return f"""# What panels are worth in raters: do intervals hold?

Written by `docs/studies/panel_worth.py`, {data_sets} data sets a row. {RATINGS} of {RATERS} people
rate each item, and three judges label it, each as a person would; *copies*: the second repeats the
first on four of five items; *unlike*: two answer at random half of the time. Coverage is the share
of 95% intervals of `panel_worth` (200 bootstrap samples) that hold the worth on {LARGE:,} items.
The standard error of the coverage of one judge is about {three(np.sqrt(0.05 * 0.95 / data_sets))}.

{table(head, rows)}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=60, help="data sets in each design")
    parser.add_argument("--checkpoint", type=Path, help="a file that keeps what is done")
    given = parser.parse_args()
    text = page(given.data_sets, Kept(given.checkpoint))
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
