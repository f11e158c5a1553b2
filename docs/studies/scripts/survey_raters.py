"""What if the same three or five people rated everything? They differ in severity and skill.

Run ``python docs/studies/scripts/survey_raters.py`` to print the table at the end of ``survey.md`` beside
this file (some minutes on one core).
"""

from __future__ import annotations

import argparse

import numpy as np

from headcount import Labels, Predictions, survey
from headcount.data.labels import Scale
from survey import Population, _quantile

Z = 1.5 * np.array([_quantile((i + 0.5) / 200) for i in range(200)])
"""Items: how much there is in them of what makes raters say yes, in log odds."""
SEVERITIES = (0.0, 0.5, 1.0)
"""Standard deviation over raters of what they add to that; skill varies by half of it in logs."""


def raters(n, severity, rng):
    return severity * rng.standard_normal(n), np.exp(severity / 2 * rng.standard_normal(n))


def chance(z, who):
    b, a = who
    return 1 / (1 + np.exp(-a * (z[:, None] + b)))


def population(severity):
    """What a rater drawn at random says of each item."""
    yes = chance(Z, raters(20_000, severity, np.random.default_rng(1))).mean(axis=1)
    return Population(np.column_stack([1 - yes, yes]), np.full(len(Z), 1 / len(Z)))


def run(severity, items, who, truth, seed, *, fixed):
    """Worth of a judge, and whether its intervals cover the truth: over items, and over raters."""
    rng = np.random.default_rng([seed, items, truth])
    people = population_of[severity]
    item = rng.integers(len(Z), size=items)
    if fixed:
        yes = chance(Z[item], raters(who, severity, rng))
    else:
        yes = np.repeat(people.theta[item, 1:], who, axis=1)
    labels = Labels(
        items=np.arange(items),
        raters=np.array(list("abcdefghij")[:who], dtype=object),
        scale=Scale(("0", "1")),
        item=np.repeat(np.arange(items), who),
        rater=np.tile(np.arange(who), items),
        label=(rng.random((items, who)) < yes).astype(np.int64).ravel(),
        source="simulation",
    )
    judge = people.predict(rng.multinomial(truth, people.theta[item]))
    predictions = Predictions.from_probabilities(range(items), ("0", "1"), {"judge": judge})
    found = survey(labels, predictions, bootstrap=200, seed=seed)["judge"]
    worth, wide = found.worth, found.like_these
    return (
        worth.value,
        worth.low <= truth <= worth.high,
        wide.low <= truth <= wide.high,
        np.isfinite(wide.low) or np.isfinite(wide.high),
    )


population_of = {severity: population(severity) for severity in SEVERITIES}


def share(flags):
    return f"{np.mean(flags):.2f}".removeprefix("0")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=100)
    parser.add_argument("--raters", type=int, nargs="*", default=[3, 5])
    parser.add_argument("--severities", type=float, nargs="*", default=SEVERITIES)
    options = parser.parse_args()
    print(
        "| raters | sd of severity | items, true worth | drawn anew: median | covers "
        "| the same: median | covers | for raters like these: covers | has an end |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for who in options.raters:
        for severity in options.severities:
            for items, truth in ((100, 1), (1000, 1)):
                cells = [str(who), f"{severity:g}", f"{items:,}, {truth}"]
                for fixed in (False, True):
                    runs = [
                        run(severity, items, who, truth, seed, fixed=fixed)
                        for seed in range(options.data_sets)
                    ]
                    value, covers, wide, ends = zip(*runs, strict=True)
                    cells += [f"{np.median(value):.2f}", share(covers)]
                    cells += [share(wide), share(ends)] if fixed else []
                print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
