"""Do intervals of alpha with MASI and Jaccard's distance hold? Simulated sets, truth known.

Run ``python docs/studies/scripts/sets.py`` to print the table of ``agreement.md`` (minutes on one core);
``--data-sets 50`` for a quick look.
"""

from __future__ import annotations

import argparse

import numpy as np

from headcount import Labels, Scale
from headcount.agreement.coefficients import COEFFICIENTS
from headcount.agreement.estimates import Engine, like_these
from headcount.agreement.prepare import prepare
from headcount.agreement.scales import Metric
from headcount.results.notes import Notes

MEMBERS = "abcde"
NAMES = tuple(
    ";".join(m for place, m in enumerate(MEMBERS) if code >> place & 1) or "none"
    for code in range(2 ** len(MEMBERS))
)
DESIGNS = {  # items, raters, raters an item
    "100 x 3": (100, 3, 3),
    "100 x 5": (100, 5, 5),
    "1000 x 5": (1000, 5, 5),
    "100 x 10": (100, 10, 10),
    "300, 3 of 20": (300, 20, 3),
    "20 items x 5": (20, 5, 5),
}


def draw(items, raters, item, rater, rng):
    """Each label is ticked where what a rater sees of it is above a threshold of the rater's."""
    seen = rng.normal(size=(items, len(MEMBERS))) * 1.5
    threshold = 1.0 + rng.normal(size=raters) * 0.5
    noise = np.exp(rng.normal(size=raters) * 0.3)
    felt = seen[item] + noise[rater, None] * rng.normal(size=(len(item), len(MEMBERS)))
    label = (felt > threshold[rater, None]) @ (2 ** np.arange(len(MEMBERS)))
    every = np.arange(items), np.arange(raters)
    return Labels(*every, Scale(NAMES), item, rater, label)


def ready(labels, distance):
    return prepare(*Metric.of(sets=";", distance=distance).apply(labels, Notes()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=200)
    sets = parser.parse_args().data_sets
    alpha = COEFFICIENTS["alpha"]
    print("distance | design | alpha | items only | raters like these | width | width")
    for distance in ("masi", "jaccard"):
        rng = np.random.default_rng(1)
        many = np.repeat(np.arange(4000), 8), rng.integers(0, 4000, 32_000)
        true = Engine(ready(draw(4000, 4000, *many, rng), distance), [alpha]).values["alpha"]
        for name, (items, raters, each) in DESIGNS.items():
            rng, inside, width = np.random.default_rng([2, items, raters]), np.zeros(2), np.zeros(2)
            for _ in range(sets):
                chosen = np.argsort(rng.random((items, raters)), axis=1)[:, :each]
                pairs = np.repeat(np.arange(items), each), np.sort(chosen, axis=1).ravel()
                data = ready(draw(items, raters, *pairs, rng), distance)
                found = like_these(alpha, data)
                for row, crossed in enumerate((False, True)):
                    one = found.estimate(0.95, crossed=crossed)
                    inside[row] += one.low <= true <= one.high
                    width[row] += one.high - one.low
            covered, wide = inside / sets, width / sets
            print(
                f"| {distance} | {name} | {true:.3f} | {covered[0]:.3f} | {covered[1]:.3f} | "
                f"{wide[0]:.2f} | {wide[1]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
