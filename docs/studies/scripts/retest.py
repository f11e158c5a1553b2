"""Do intervals of raters' agreement with themselves hold? Simulated data whose truth is known.

Run ``python docs/studies/scripts/retest.py`` to print the tables of ``agreement.md`` (a minute on one core);
``--data-sets 50`` for a quick look.
"""

from __future__ import annotations

import argparse

import numpy as np

from headcount import Labels, Scale
from headcount.agreement.comparison import measure_retest
from headcount.agreement.prepare import prepare
from headcount.agreement.raters import FIXED, SAMPLE

CUTS = {
    "interval": np.array([-1.5, -0.5, 0.5, 1.5]),
    "nominal": np.array([0.0]),
    "skewed": np.array([2.0]),
}


def draw(kind, items, raters, rng, *, noise=None):
    """Ratings of items by raters twice: a severity and a noise each, and what one sees stays."""
    own = rng.normal(size=(items, raters)) * 0.5
    severity = rng.normal(size=raters) * 0.5
    noise = np.exp(rng.normal(size=raters) * 0.3) * 0.8 if noise is None else np.full(raters, noise)
    seen = rng.normal(size=(items, 1)) * 1.2 + severity * (noise.std() > 0) + own
    item, rater = np.indices((items, raters)).reshape(2, -1)
    scale = Scale(tuple(map(str, range(len(CUTS[kind]) + 1))))
    first, second = (
        np.searchsorted(CUTS[kind], (seen + noise * rng.normal(size=seen.shape)).ravel())
        for _ in range(2)
    )
    who = np.arange(items), np.arange(raters)
    again = Labels(*who, scale, item, rater, second)
    return Labels(*who, scale, item, rater, first, again=again)


def measured(labels, kind, raters=SAMPLE):
    scale = "interval" if kind == "interval" else "nominal"
    return measure_retest(prepare(labels, scale), 0.95, raters)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=400)
    sets = parser.parse_args().data_sets
    print("all raters together")
    print("labels | items x raters | truth | these raters | raters like these | width | width")
    for kind in CUTS:
        rng = np.random.default_rng(1)
        true = measured(draw(kind, 400, 3000, rng), kind, FIXED).agreement.value
        for items, raters in ((20, 3), (40, 3), (40, 5), (200, 5), (40, 10), (20, 20)):
            rng = np.random.default_rng([2, items, raters])
            inside, width, counted = np.zeros(2), np.zeros(2), 0
            for _ in range(sets):
                found = measured(draw(kind, items, raters, rng), kind)
                for row, one in enumerate((found.these_raters, found.agreement)):
                    if one.low is not None:
                        counted += row
                        inside[row] += one.low <= true <= one.high
                        width[row] += one.high - one.low
            covered, wide = inside / counted, width / counted
            print(
                f"| {kind} | {items} x {raters} | {true:.3f} | {covered[0]:.3f} | {covered[1]:.3f} "
                f"| {wide[0]:.2f} | {wide[1]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
