"""Very many items: are intervals by sums over patterns those of items drawn one by one?

300,000 items with five ratings; judges of which some are rarely but badly wrong. Each is surveyed
twice: as usual, where bootstrap samples of the items of a pattern are taken for normal, and with
every item drawn.

    python docs/studies/scripts/many_items.py --draws 4000
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from headcount import Labels, Predictions, survey
from headcount.data.labels import Scale
from headcount.equivalence import methods as many_items

ITEMS, RATERS = 300_000, 5
SCALE = Scale(("no", "yes"))


def judges(rng):
    """True shares of 'yes', and what judges give for them."""
    share = rng.beta(0.6, 0.9, ITEMS)
    logit = np.log(share / (1 - share))
    noisy = logit + rng.normal(0, 1, ITEMS)
    rare = np.where(rng.random(ITEMS) < 1e-4, -20.7, 1) * np.abs(logit) * np.sign(logit)
    agreed = np.where(rng.random(ITEMS) < 0.3, 0.9999, 0.0001)
    sure = np.log(agreed / (1 - agreed)) * np.where(rng.random(ITEMS) < 1e-4, -1, 1)
    return {
        "well calibrated": (share, noisy / 2),
        "three times too sure": (share, 3 * noisy),
        "1 of 10,000 wrong beyond all measure": (share, rare),
        "raters agree, 1 of 10,000 wrong": (agreed, sure),
    }


def data(rng, share, logit):
    yes = rng.random((ITEMS, RATERS)) < share[:, None]
    item = np.repeat(np.arange(ITEMS), RATERS)
    rater = np.tile(np.arange(RATERS), ITEMS)
    labels = Labels.from_codes(
        (item, [str(one) for one in range(ITEMS)]),
        (rater, [f"r{one}" for one in range(RATERS)]),
        (yes.ravel().astype(np.int64), SCALE.labels),
        scale=SCALE,
    )
    p = np.clip(1 / (1 + np.exp(-np.clip(logit, -40, 40))), 1e-9, 1 - 1e-9)
    table = np.column_stack([1 - p, p])
    return labels, Predictions.from_probabilities(labels.items, SCALE.labels, {"judge": table})


def surveyed(both, draws, many):
    many_items.MANY = many
    start = time.process_time()
    found = survey(*both, bootstrap=draws, seed=1, ceiling=False)["judge"]
    return found.score, time.process_time() - start


def main(draws: int) -> None:
    rng = np.random.default_rng(7)
    print("| judge | score | standard error | low | high | seconds |\n|---|--:|--:|--:|--:|--:|")
    for name, (share, logit) in judges(rng).items():
        both = data(rng, share, logit)
        held, long = surveyed(both, draws, 10**9)
        sums, short = surveyed(both, draws, 2**18)
        error = (held.high - held.low) / (2 * 1.96)
        print(
            f"| {name} | {held.value:.5f} | {error:.5f} | {(sums.low - held.low) / error:+.2f} | "
            f"{(sums.high - held.high) / error:+.2f} | {long:.1f}, {short:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=4000)
    main(parser.parse_args().draws)
