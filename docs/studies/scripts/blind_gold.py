"""Do intervals and tests on few gold labels hold? Simulated judges, most of them very good.

Run ``python docs/studies/scripts/blind_gold.py`` to write its section of ``blind.md`` (a quarter of
an hour of one core); ``--data-sets 20 --again 50`` for a quick look. Set OPENBLAS_NUM_THREADS=1.
``--checkpoint FILE`` keeps what is done, so that a run which was stopped goes on from there.

The lowest of 600 cells is low by chance. So the designs of the lowest are run again, with other
random numbers and more data sets, and those numbers are the ones to go by.
"""

from __future__ import annotations

import argparse
import pickle
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from pages import write_section
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from headcount import Labels
from headcount.blind_evaluation.gold_methods import gold_truth, powered_scores
from headcount.blind_evaluation.metrics import METRICS, choose_metrics, rank
from headcount.blind_evaluation.scoring import covariance, gold_sizes, influence, tables
from headcount.blind_evaluation.votes import collect
from headcount.data.labels import Scale

RIGHT = (0.7, 0.85, 0.93, 0.98, 0.995)
"""Accuracies of the judges of one data set."""
DESIGNS = list(product((50, 100, 200), (500, 3000), (0.1, 0.4), (0.0, 2.0)))
"""Items with gold, items, share of the positive label, and spread of difficulty."""
RARE = list(product((50, 200), (500,), (0.05,), (0.0, 2.0)))
"""The same, for few positive items."""
SEVERAL = list(product((50, 100, 200), (3, 5)))
"""Items with gold of 1,000, and labels."""
EQUAL = list(product((50, 100, 200), (0.8, 0.95, 0.98), (0.0, 2.0)))
"""Items with gold of 1,000, accuracy of all four judges, and spread of difficulty."""
LEVEL = 0.95


@cache
def ease(right, spread):
    """Intercept at which a judge is right so often, over difficulties of that spread."""
    nodes, weight = np.polynomial.hermite_e.hermegauss(41)
    weight = weight / weight.sum()
    return brentq(lambda a: weight @ expit(a + spread * nodes) - right, -30, 30)


def simulate(right, items, prior, spread, rng):
    """Labels of judges and the truth; hard items are hard for all. Errors are any other label."""
    truth = rng.choice(len(prior), size=items, p=prior)
    hard = rng.normal(size=(items, 1))
    chance = expit(np.array([ease(r, spread) for r in right]) + spread * hard)
    is_right = rng.random((items, len(right))) < chance
    other = (truth[:, None] + rng.integers(1, len(prior), size=is_right.shape)) % len(prior)
    return np.where(is_right, truth[:, None], other), truth


def true_scores(metrics, right, prior):
    """Scores on infinitely many items: (metrics, judges)."""
    size = len(prior)
    wrong = (1 - np.eye(size)) / (size - 1)
    confusion = np.array([r * np.eye(size) + (1 - r) * wrong for r in right])
    return metrics.scores(np.array(prior)[None, :, None] * confusion).T


def votes_of(said, truth, gold, size):
    """Rows of votes; the first items, which are as good as random, have gold."""
    item, judge = np.indices(said.shape).reshape(2, -1)
    labels = Labels(
        np.arange(len(said)),
        np.array([f"c{k}" for k in range(said.shape[1])], dtype=object),
        Scale(tuple(map(str, range(size)))),
        item,
        judge,
        said.ravel(),
    )
    return collect(labels, gold={i: str(truth[i]) for i in range(gold)})


def evaluated(votes, metrics):
    """By direct evaluation and PPI: scores, covariance, sizes."""
    weight = votes.multiplicity.astype(float)
    truth = gold_truth(votes)
    plain = influence(votes, truth, weight, metrics)
    scores = metrics.scores(tables(votes, truth, weight)).T
    powered = powered_scores(votes, weight, metrics)
    n = float(weight[votes.gold >= 0].sum())
    return {
        "direct": (
            scores,
            covariance(plain, weight, n),
            gold_sizes(votes, truth, weight, metrics, plain, plain),
        ),
        "PPI": (powered.scores, powered.covariance, powered.sizes),
    }


def held(found, metrics, actual):
    """Whether old and new intervals cover the truth, and how wide they are: (2, 2, metrics, K)."""
    scores, spread, sizes = found
    out = np.full((2, 2, *scores.shape), np.nan)
    reach = ndtri((1 + LEVEL) / 2) * np.sqrt(np.einsum("mkk->mk", spread))
    for m, k in np.ndindex(*scores.shape):
        value = scores[m, k]
        if np.isnan(value):
            continue
        old = max(0.0, value - reach[m, k]), min(1.0, value + reach[m, k])
        new = metrics.interval(m, value, sizes.effective[m, k], LEVEL)
        for way, (low, high) in enumerate((old, new)):
            out[way, :, m, k] = low <= actual[m, k] <= high, high - low
    return out


def coverage(design, data_sets, run=0):
    """By way to evaluate: coverage, width, zero widths: (old or new, 3, metrics, judges)."""
    gold, items, share, spread = design
    prior = (1 - share, share)
    rng = np.random.default_rng([gold, items, int(100 * share), int(spread), run])
    metrics = choose_metrics(["0", "1"])
    return averaged(RIGHT, prior, metrics, (gold, items, spread), data_sets, rng)


def coverage_of_means(design, data_sets):
    gold, size = design
    rng = np.random.default_rng([gold, size])
    weight = np.arange(size + 1, 1, -1)
    prior = weight / weight.sum()
    metrics = choose_metrics([str(c) for c in range(size)])
    return averaged(RIGHT, prior, metrics, (gold, 1000, 0.0), data_sets, rng)


def averaged(right, prior, metrics, design, data_sets, rng):
    gold, items, spread = design
    actual = true_scores(metrics, right, prior)
    rows = {"direct": [], "PPI": []}
    for _ in range(data_sets):
        said, truth = simulate(right, items, prior, spread, rng)
        for way, found in evaluated(votes_of(said, truth, gold, len(prior)), metrics).items():
            rows[way].append(held(found, metrics, actual))
    out = {}
    for way, each in rows.items():
        each = np.array(each)
        none = np.where(np.isnan(each[:, :, 1]), np.nan, each[:, :, 1] < 1e-9)
        mean = [np.nanmean(part, axis=0) for part in (each[:, :, 0], each[:, :, 1], none)]
        out[way] = np.stack(mean, axis=1)
    return out


def told_apart(design, data_sets, run=0):
    """How often any two of four equal judges are told apart by PPI; and power, .95 from .75."""
    gold, right, spread = design
    rng = np.random.default_rng([gold, int(100 * right), int(spread), 7, run])
    metrics = choose_metrics(["0", "1"], names=["accuracy"])
    wrong, power = np.zeros(2), np.zeros(2)
    few = max(1, data_sets // 4)  # enough for a power near 1
    for n in range(data_sets):
        for judges, counts in (((right,) * 4, wrong), ((0.95, 0.95, 0.75, 0.75), power)):
            if counts is power and n >= few:
                continue
            said, truth = simulate(judges, 1000, (0.6, 0.4), spread, rng)
            scores, seen, sizes = evaluated(votes_of(said, truth, gold, 2), metrics)["PPI"]
            for way, added in enumerate((None, sizes.added[0])):
                found = rank(scores[0], seen[0], gold, added=added, level=LEVEL)
                apart = found.adjusted <= 1 - LEVEL
                counts[way] += apart.any() if counts is wrong else apart[:2, 2:].mean()
    return wrong / data_sets, power / few


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def three(x):
    return f"{x:.3f}".removeprefix("0")


def summary(found, way, keep):
    """Lowest and mean coverage, mean width and zero widths, old and new, over cells."""
    each = np.concatenate([part[way][:, :, keep].reshape(2, 3, -1) for part in found.values()], -1)
    out = []
    for old_or_new in range(2):
        inside, width, none = each[old_or_new]
        out += [
            f"{three(np.nanmin(inside))} / {three(np.nanmean(inside))}",
            three(np.nanmean(width)),
            f"{100 * np.nanmean(none):.0f}%",
        ]
    return out


class Kept:
    """Results of designs, in a file if one is given."""

    def __init__(self, path):
        self.path = path
        self.done = pickle.loads(path.read_bytes()) if path is not None and path.exists() else {}

    def __call__(self, measure, design, *options):
        key = (measure.__name__, design, *options)
        if key not in self.done:
            self.done[key] = measure(design, *options)
            if self.path is not None:
                self.path.write_bytes(pickle.dumps(self.done))
        return self.done[key]


def lowest(two, count):
    """Cells of the lowest coverage of PPI's new intervals: (coverage, design, metric, judge)."""
    cells = [
        (part["PPI"][1, 0, m, k], design, m, k)
        for design, part in two.items()
        for m, k in np.ndindex(5, len(RIGHT))
    ]
    return sorted(cells)[:count]


def lowest_again(two, kept, again):
    """Rows of the lowest cells, with their coverage in a second run."""
    rows = []
    for inside, design, m, k in lowest(two, 8):
        second = kept(coverage, design, again, 1)["PPI"][1, 0, m, k]
        gold, items, share, spread = design
        rows.append(
            [three(inside), three(second), METRICS[m], three(RIGHT[k]), str(gold), f"{items:,}",
             three(share), "yes" if spread else "no"]
        )  # fmt: skip
    return rows


def second_runs(two, kept, again):
    """Words on all cells of the designs that were run again."""
    designs = {design for _, design, _, _ in lowest(two, 8)}
    found = {design: kept(coverage, design, again, 1) for design in sorted(designs)}
    each = np.concatenate([part["PPI"][1, 0].ravel() for part in found.values()])
    return len(designs), len(each), three(each.min()), int((each < 0.92).sum())


def by_accuracy(two):
    """Rows of PPI's accuracy with 50 gold labels, a judge each."""
    near = [part for design, part in two.items() if design[0] == 50]
    rows = []
    for k, right in enumerate(RIGHT):
        mean = np.mean([part["PPI"][:, :, 0, k] for part in near], axis=0)
        row = [three(right)]
        for inside, width, none in mean:
            row += [three(inside), three(width), f"{100 * none:.0f}%"]
        rows.append(row)
    return rows


def tests(equal, kept, again):
    """Rows of the tests, a number of gold labels each; the highest is run again."""
    rows = []
    for gold in (50, 100, 200):
        mine = {design: part for design, part in equal.items() if design[0] == gold}
        wrong = np.array([part[0] for part in mine.values()])
        power = np.array([part[1] for part in mine.values()])
        highest = max(mine, key=lambda design: mine[design][0][1])
        second = kept(told_apart, highest, again, 1)[0][1]
        rows.append(
            [
                str(gold),
                *(f"{three(wrong[:, i].mean())} / {three(wrong[:, i].max())}" for i in range(2)),
                three(second),
                *(three(power[:, i].mean()) for i in range(2)),
            ]
        )
    return rows


def page(data_sets, again, kept):
    two = {design: kept(coverage, design, data_sets) for design in DESIGNS}
    rare = {design: kept(coverage, design, data_sets) for design in RARE}
    equal = {design: kept(told_apart, design, data_sets) for design in EQUAL[::-1]}
    several = {design: kept(coverage_of_means, design, data_sets) for design in SEVERAL}
    head = ["", "normal: lowest / mean", "width", "none", "ours: lowest / mean", "width", "none"]
    rows = []
    for title, found in (
        ("2 labels", two), ("2 labels, .05 positive", rare), ("3 or 5 labels, means", several)
    ):  # fmt: skip
        for way in ("direct", "PPI"):
            rows.append([f"{title}, {way}, accuracy", *summary(found, way, slice(0, 1))])
            rows.append([f"{title}, {way}, other metrics", *summary(found, way, slice(1, 5))])
            rows.append([f"{title}, {way}, F1", *summary(found, way, slice(4, 5))])
    error, smaller = (np.sqrt(0.95 * 0.05 / n) for n in (data_sets, again))
    designs, cells, least, below = second_runs(two, kept, again)
    return f"""# Intervals and tests on few gold labels

Written by [`blind_gold.py`](scripts/blind_gold.py), {data_sets} data sets per design. Coverage is the share of
95% intervals that cover the score on infinitely many items; its standard error in a cell is about
{three(error)}. *Normal* is the normal interval, cut at 0 and 1; *ours* the effective-size interval of
`direct` and `ppi`. *None* is the share of intervals with zero width. PPI uses the better of two proxies of
the truth for each score, as in the command: shares of votes, and naive Bayes learned from gold.

## Intervals

Judges that are right in {", ".join(three(r) for r in RIGHT)} of all items, with 50, 100 or 200 gold
labels. Two labels: of 500 or 3,000 items, .1 or .4 positive, all as hard or some harder for
everybody (logistic, spread 2): {len(two) * 25} cells of design, metric and judge; and .05 positive,
of 500 items, with 50 or 200 gold labels. Three and five labels: of 1,000 items; means over labels.

{table(head, rows)}

PPI's accuracy with 50 gold labels, by how good a judge is; means over designs:

{table(["right", "normal", "width", "none", "ours", "width", "none"], by_accuracy(two))}

The lowest of so many cells is low by chance. So the designs of the eight lowest (PPI, two labels)
were run again, with other random numbers and {again:,} data sets (standard error
{three(smaller)}):

{table(["first", "again", "metric", "right", "gold", "items", "positive", "hard items"],
       lowest_again(two, kept, again))}

Over all {cells} cells of these {designs} designs the lowest coverage in the second run is {least};
{below or "none"} below .92.

The weight of the votes is the slope on items with gold only: the slope of PPI++, on all items, biases
scores near 1 upwards.

## Tests

Four judges that are equally good (.8, .95 or .98; items all as hard, or not), 1,000 items: how often PPI
finds a significant difference between any two at 95%, mean and highest over designs; the highest again, with
other random numbers and {again:,} data sets; and how often it finds that between a judge of .95 and one of
.75 (a quarter as many data sets). *Seen only* is the same without the allowance for unseen errors: tests allow
for 1.25 more errors of each judge than were seen.

{table(["gold", "told apart: seen only", "ours", "highest again", "power: seen only", "ours"],
       tests(equal, kept, again))}
"""  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=200, help="data sets in each design")
    parser.add_argument("--again", type=int, default=1000, help="data sets in the second run")
    parser.add_argument("--checkpoint", type=Path, help="a file that keeps what is done")
    given = parser.parse_args()
    text = page(given.data_sets, given.again, Kept(given.checkpoint))
    write_section("blind.md", text)


if __name__ == "__main__":
    main()
