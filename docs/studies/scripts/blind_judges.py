"""Three to eight judges, few items, no gold: do the intervals of the main table hold?

Run ``python docs/studies/scripts/blind_judges.py`` to print the tables of ``blind.md`` beside this
file (an hour of one core); ``--data-sets 5`` for a quick look. Set OPENBLAS_NUM_THREADS=1.
``--checkpoint FILE`` keeps what is done, so that a run which was stopped goes on from there.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from blind_explanations import labels_of
from blind_gold import Kept, table, three

from headcount import blind
from headcount.errors import DataError

JUDGES, ITEMS, LABELS = (3, 4, 5, 8), (50, 100, 300), (2, 3, 5)
SKILLS = {"good": (0.95, 0.85), "fair": (0.9, 0.7), "poor": (0.75, 0.6)}
"""Accuracies of the best and the worst judge; others lie between, evenly."""
METHODS = ("leave-one-out", "em", "consensus")


def simulate(right, items, labels, rng):
    truth = rng.integers(0, labels, items)
    wrong = (truth[:, None] + rng.integers(1, labels, size=(items, len(right)))) % labels
    return np.where(rng.random(wrong.shape) < right, truth[:, None], wrong)


def share(estimates, right):
    """Share of the intervals that hold; nothing where there are none."""
    held = [one.low <= x <= one.high for one, x in zip(estimates, right, strict=True)
            if one.low is not None]  # fmt: skip
    return np.mean(held) if held else np.nan


def _mean(shares):
    """Mean of the shares that there are."""
    known = [one for one in shares if not np.isnan(one)]
    return np.mean(known) if known else np.nan


def measured(skill, judges, items, labels, data_sets):
    right = np.linspace(*SKILLS[skill], judges)
    rng = np.random.default_rng([judges, items, labels])
    rows = []
    for seed in range(data_sets):
        try:
            found = blind(labels_of(simulate(right, items, labels, rng)), methods=METHODS,
                          metrics=["accuracy"], seed=seed)  # fmt: skip
        except DataError:  # all labels are the same
            continue
        judged = [found[f"c{k}"] for k in range(judges)]
        cells = [[c.confusion[true][true] for c in judged] for true in found.provenance.labels]
        main = [c.score for c in judged]
        ends = [(one.low, one.high) for one in main if one.low is not None]
        rows.append([
            share(main, right),
            *(share([c.estimates[name]["accuracy"] for c in judged], right)
              for name in ("em", "consensus")),
            _mean([share(row, right) for row in cells]),
            float(np.mean([high - low for low, high in ends])) if ends else np.nan,
            "c0" in found.leaders,
            not found.leaders,
            found.leaders == ("c0",),
            len(found.leaders) == 1 and "c0" not in found.leaders,
        ])  # fmt: skip
    return np.array(rows, dtype=float)


def page(data_sets, kept, sizes, skills=()):
    head = ["judges", "items", "labels", "data sets", "main table", "EM", "consensus",
            "confusions", "width", "best in the set", "none named", "best alone",
            "another alone"]  # fmt: skip
    parts = []
    for skill, (best, worst) in SKILLS.items():
        if skills and skill not in skills:
            continue
        rows = []
        for size in sizes:
            found = kept(measured, skill, *size, data_sets)
            rows.append([*map(str, size), str(len(found)),
                         *map(three, np.nanmean(found, axis=0))])  # fmt: skip
            print(skill, rows[-1], flush=True)
        parts.append(f"## Accuracies from {best} to {worst}\n\n{table(head, rows)}\n")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=100, help="data sets in each row")
    parser.add_argument("--checkpoint", type=Path, help="a file that keeps what is done")
    parser.add_argument("--skills", nargs="*", choices=SKILLS, help="only some of the judges")
    parser.add_argument("--items", nargs="*", type=int, default=ITEMS)
    parser.add_argument("--labels", nargs="*", type=int, default=LABELS)
    given = parser.parse_args()
    sizes = list(product(JUDGES, given.items, given.labels))
    print(page(given.data_sets, Kept(given.checkpoint), sizes, given.skills))


if __name__ == "__main__":
    main()
