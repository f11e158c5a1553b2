"""Does the interval of the corrected rate hold? Simulated raters of different leniency.

Run ``python docs/studies/scripts/blind_rate.py`` to write its section of ``blind.md`` (a few
minutes of one core); ``--data-sets 20`` for a quick look.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from pages import write_section
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from headcount.blind_evaluation.rate import PeopleRatings, correct

ITEMS = 2000
DESIGNS = [
    (raters, each, leniency, rate, rated)
    for raters, each, leniency, rate, rated in product(
        (8, 30, 200), (1, 3, 5), (0.0, 0.5, 1.0), (0.05, 0.3), (50, 200)
    )
]
"""Raters, labels per item, spread of leniency, rate, items that people rated."""
HEAD = ["", "PPI, normal: lowest / mean", "ours: lowest / mean", "width", "naive error", "error"]
AGAIN = 1500
SPREAD = 2.0
"""Of items on the logistic scale: most are clear."""


def centre(rate, leniency):
    """Mean of items at which a random rater calls a random item positive so often."""
    nodes, weight = np.polynomial.hermite_e.hermegauss(61)
    weight = weight / weight.sum()
    spread = np.sqrt(SPREAD**2 + leniency**2)
    return brentq(lambda a: weight @ expit(a + spread * nodes) - rate, -20, 20)


def simulate(design, at, rng):
    """A judge that is too lenient, and what people say of the first items."""
    raters, each, leniency, _, rated = design
    item = at + SPREAD * rng.normal(size=ITEMS)
    judge = (rng.random(ITEMS) < expit(1.5 * item + 1)).astype(float)
    own = leniency * rng.normal(size=raters)
    who = np.concatenate([rng.choice(raters, each, replace=False) for _ in range(rated)])
    what = np.repeat(np.arange(rated), each)
    value = (rng.random(len(what)) < expit(item[what] + own[who])).astype(float)
    return judge, PeopleRatings(item=what, rater=who, value=value)


def naive_interval(found, level=0.95):
    """The normal interval of PPI, as if raters were not drawn."""
    error = np.sqrt(found.from_items + found.from_judge)
    reach = ndtri((1 + level) / 2) * error
    return found.value - reach, found.value + reach


def measured(design, data_sets, run=()):
    """Coverage of PPI's normal interval and of ours, width, error of the naive rate and of ours."""
    rate = design[3]
    rng = np.random.default_rng([*(int(100 * x) for x in design), *run])
    at = centre(rate, design[2])
    rows = []
    for _ in range(data_sets):
        found = correct(*simulate(design, at, rng))
        low, high = naive_interval(found)
        rows.append(
            [
                low <= rate <= high,
                found.low <= rate <= found.high,
                found.high - found.low,
                (found.naive - rate) ** 2,
                (found.value - rate) ** 2,
            ]
        )
    mean = np.mean(rows, axis=0)
    return np.append(mean[:3], np.sqrt(mean[3:]))


def three(x):
    return f"{x:.3f}".removeprefix("0")


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def page(data_sets):
    found = {design: measured(design, data_sets) for design in DESIGNS}
    rows = []
    names = ("raters", "labels per item", "leniency", "rate", "rated items")
    for place, name in enumerate(names):
        for value in sorted({design[place] for design in DESIGNS}):
            part = np.array([x for design, x in found.items() if design[place] == value])
            rows.append(
                [
                    f"{name} {value:g}",
                    *(f"{three(part[:, i].min())} / {three(part[:, i].mean())}" for i in range(2)),
                    *(three(x) for x in part[:, 2:].mean(axis=0)),
                ]
            )
    every = np.array(list(found.values()))
    low = sorted(found, key=lambda design: found[design][1])[:6]
    worst = [
        [three(found[d][1]), three(measured(d, AGAIN, run=(1,))[1]), *(f"{x:g}" for x in d)]
        for d in low
    ]
    return f"""# The corrected rate: does its interval hold?

Written by [`blind_rate.py`](scripts/blind_rate.py), {data_sets} data sets per design, {len(DESIGNS)} designs. A
judge that is too lenient labels {ITEMS:,} items; people label some of them, one to five people per
item, and people differ in leniency (standard deviation on the logistic scale). The rate is the mean
over all items and all possible raters. The standard error of a cell is about
{three(np.sqrt(0.05 * 0.95 / data_sets))}.

Over all designs: 95% intervals cover the truth {three(every[:, 1].mean())} of the time, at least
{three(every[:, 1].min())} in a design; PPI's normal interval, which treats raters as fixed,
{three(every[:, 0].mean())} and {three(every[:, 0].min())}. The error of the judge's own rate is
{three(every[:, 3].mean())}, that of the corrected rate {three(every[:, 4].mean())} (root mean
square, mean over designs).

{table(HEAD, rows)}

The table shows the designs with the lowest coverage, some of which are low by chance, and the same
designs again with {AGAIN:,} other data sets:

{table(["coverage", "again", *names], worst)}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=300, help="data sets in each design")
    text = page(parser.parse_args().data_sets)
    write_section("blind.md", text)


if __name__ == "__main__":
    main()
