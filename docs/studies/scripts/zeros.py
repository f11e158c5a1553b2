"""Is a zero the lowest step of a scale, or 'not rated'? How often the reader tells, both ways.

Run ``python docs/studies/scripts/zeros.py`` to print the table of ``zeros.md`` (a minute on one core).
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from headcount import DataError
from headcount.io.values.zeros import check_zeros
from headcount.results.notes import Notes

SHAPES = [(1, 1), (2, 2), (2, 1), (1, 2), (0.7, 0.7)]
"""Of the beta distributions that items are drawn from, one a data set."""
SHARES = [0.02, 0.05, 0.1, 0.3]
"""Of ratings that are lacking, one a data set."""
RATERS = 3


def draw(rng, items, top, noise, lowest):
    """Rate items on a scale from `lowest` to `top`, with noise as a share of the scale."""
    a, b = SHAPES[rng.integers(len(SHAPES))]
    truth = lowest + rng.beta(a, b, (items, 1)) * (top - lowest)
    return np.clip(np.round(truth + rng.normal(0, noise * top, (items, RATERS))), lowest, top)


def told(values):
    """Say what a reader does with the zeros among values."""
    notes = Notes()
    texts = [str(n) for n in range(int(values.max()) + 1)]
    items = np.repeat(np.arange(len(values)), RATERS)
    try:
        check_zeros((values.astype(int).ravel(), texts), items, "ratings", notes)
    except DataError:
        return "refused"
    return "warned" if notes else "believed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=300)
    sets = parser.parse_args().data_sets
    print("| scale | items | noise | a step: believed | warned | refused "
          "| not rated: believed | warned | refused |")  # fmt: skip
    print("|---" * 9 + "|")
    rng = np.random.default_rng(0)
    for top in (3, 5, 10):
        for items in (40, 100, 300):
            for noise in (0.15, 0.3, 0.5):
                step, lacking = Counter(), Counter()
                for _ in range(sets):
                    values = draw(rng, items, top, noise, 0)
                    if (values == 0).any():
                        step[told(values)] += 1
                    values = draw(rng, items, top, noise, 1)
                    values[rng.random(values.shape) < SHARES[rng.integers(len(SHARES))]] = 0
                    if (values == 0).any():
                        lacking[told(values)] += 1
                cells = [
                    f"{one[how] / one.total():.2f}"
                    for one in (step, lacking)
                    for how in ("believed", "warned", "refused")
                ]
                print(f"| 0 or 1 to {top} | {items} | {noise} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
