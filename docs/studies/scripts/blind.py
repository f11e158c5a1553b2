"""Do blind intervals hold? Simulated classifiers whose scores are known, and real ones with gold.

Run ``HEADCOUNT_DATA=folder python docs/studies/scripts/blind.py`` to write its section of ``blind.md``
(5 minutes of one core); ``--data-sets 10`` for a quick look. The folder is described in
docs/guide/data.md; without it the table on real data is left out. Matrices are small: set
OPENBLAS_NUM_THREADS=1, or threads that wait for each other take most of the time.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from pages import write_section

from headcount import Labels, blind, read_votes
from headcount.blind_evaluation.families import groups_by_pattern
from headcount.blind_evaluation.methods import METHODS
from headcount.blind_evaluation.metrics import METRICS, choose_metrics
from headcount.data.labels import Scale

BLIND = ("em", "majority", "leave-one-out", "sampling", "round-robin")
GROUPED = ("em", "grouped-em", "leave-one-out", "leave-group-out", "direct", "ppi")
CASES = [
    (2, 5, 200, 0.0),
    (2, 5, 2000, 0.0),
    (2, 10, 500, 0.3),
    (2, 20, 200, 0.5),
    (2, 20, 1000, 0.0),
    (3, 5, 500, 0.0),
    (3, 10, 200, 0.0),
    (3, 10, 1000, 0.3),
    (3, 20, 500, 0.5),
]
"""Labels, classifiers, items, share of labels that are missing."""
PRIORS = {2: np.array([0.6, 0.4]), 3: np.array([0.5, 0.3, 0.2])}
FAMILIES = [(0, 0.0), (4, 0.5), (8, 0.5), (8, 0.9)]
"""Classifiers of 12 that are a family, and the share of items on which they share their luck."""
GOLD = 200


def confusions(classifiers, labels, rng):
    """Draw each classifier's chance to give each label to items of each."""
    out = np.empty((classifiers, labels, labels))
    for k, label in np.ndindex(classifiers, labels):
        right = rng.uniform(0.6, 0.95)
        wrong = (1 - right) * rng.dirichlet(np.full(labels - 1, 3.0))
        out[k, label] = np.insert(wrong, label, right)
    return out


def simulate(confusion, items, missing, rng, family=0, shared=0.0):
    """Draw labels, -1 where missing, and the truth.

    The first `family` classifiers use the same random number on a `shared` part of the items:
    each errs as often as its confusions say, but they err together.
    """
    classifiers, labels, _ = confusion.shape
    truth = rng.choice(labels, size=items, p=PRIORS[labels])
    luck = rng.random((items, classifiers))
    if family:
        together = rng.random(items) < shared
        luck[together, :family] = rng.random((together.sum(), 1))
    below = confusion.cumsum(axis=-1)[:, truth].transpose(1, 0, 2)
    said = (luck[..., None] > below).sum(axis=-1).clip(0, labels - 1)
    said[rng.random(said.shape) < missing] = -1
    return said, truth


def as_labels(said, labels):
    item, classifier = np.nonzero(said >= 0)
    return Labels(
        np.arange(len(said)),
        np.array([f"c{k}" for k in range(said.shape[1])], dtype=object),
        Scale(tuple(map(str, range(labels)))),
        item,
        classifier,
        said[item, classifier],
    )


def held(result, truth, methods):
    """Whether each interval covers the truth, and errors: (methods, metrics, classifiers, 2).

    `truth` has a row per classifier and a column per metric. Nan where there is no interval.
    """
    out = np.full((len(methods), len(truth[0]), len(truth), 2), np.nan)
    for i, method in enumerate(methods):
        for k, row in enumerate(truth):
            for m, (metric, true) in enumerate(zip(METRICS, row, strict=False)):
                e = result[f"c{k}"].estimates[method][metric]
                if e.low is not None:
                    out[i, m, k] = e.low <= true <= e.high, e.value - true
    return out


def independent(case, data_sets):
    """(data sets, methods, metrics, 2): mean coverage and error over classifiers."""
    labels, classifiers, items, missing = case
    rng = np.random.default_rng([labels, classifiers, items])
    rows = []
    for seed in range(data_sets):
        confusion = confusions(classifiers, labels, rng)
        metrics = choose_metrics([str(x) for x in range(labels)])
        truth = metrics.scores(PRIORS[labels][None, :, None] * confusion)
        said, _ = simulate(confusion, items, missing, rng)
        result = blind(as_labels(said, labels), methods=BLIND, seed=seed)
        rows.append(np.nanmean(held(result, truth, BLIND), axis=2))
    return np.array(rows)


def dependent(family, shared, data_sets):
    """The same by the methods for groups and gold, for accuracy alone; and warnings."""
    rng = np.random.default_rng([family, int(10 * shared)])
    rows, warned = [], []
    groups = {f"c{k}": "family" for k in range(family)} or {"c0": "c0"}
    for seed in range(data_sets):
        confusion = confusions(12, 2, rng)
        truth = choose_metrics(["0", "1"]).scores(PRIORS[2][None, :, None] * confusion)[:, :1]
        said, true = simulate(confusion, 1000, 0.0, rng, family, shared)
        gold = {i: str(true[i]) for i in rng.choice(1000, size=GOLD, replace=False).tolist()}
        result = blind(
            as_labels(said, 2), gold=gold, groups=groups, methods=GROUPED, seed=seed,
            metrics=["accuracy"],
        )  # fmt: skip
        rows.append(held(result, truth, GROUPED)[:, 0])
        # A user who has neither groups nor gold has only this to go by.
        warned.append(blind(as_labels(said, 2), bootstrap=0).diagnostics.dependent)
    return np.array(rows), np.mean(warned)


def real(labels, gold, groups=None, **options):
    """Coverage and mean error of accuracy on all items with gold, by blind methods."""
    methods = [m for m in METHODS if not METHODS[m].informed and (groups or not METHODS[m].grouped)]
    result = blind(
        labels, gold=gold, groups=groups, methods=methods, metrics=["accuracy"], **options
    )
    found = {}
    for method in methods:
        pairs = [
            (c.estimates[method]["accuracy"], c.actual["accuracy"])
            for c in result.classifiers
            if c.estimates[method]["accuracy"].low is not None
        ]
        inside = np.mean([e.low <= actual.value <= e.high for e, actual in pairs])
        found[method] = inside, np.mean([e.value - actual.value for e, actual in pairs])
    return result, found


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def per_cent(inside, error=None):
    text = f"{100 * np.mean(inside):.1f}"
    return text if error is None else f"{text} ({np.mean(error):+.3f})"


def words(case):
    labels, classifiers, items, missing = case
    gone = f", {missing:.0%} missing" if missing else ""
    return f"{labels} labels, {classifiers} classifiers, {items:,} items{gone}"


def on_real_data(folder):
    rows = []
    for name in ("bluebirds", "sentiment", "rte"):
        labels = read_votes(folder / "blind" / name / "label.csv")
        gold = folder / "blind" / name / "truth.csv"
        rows.append([name, *real_row(*real(labels, gold))])
    labels, gold = llm_judges(folder / "blind" / "llmjudge")
    teams = groups_by_pattern([str(name) for name in labels.raters], "^[^-]+")
    for cut in (2, 1):
        for groups in (None, teams):
            which = f"llmjudge, relevant >= {cut}{', teams as groups' if groups else ''}"
            rows.append([which, *real_row(*real(labels, gold, groups, at_least=cut))])
    names = [METHODS[m].short for m in METHODS if not METHODS[m].informed]
    return table(["data", "classifiers", "EM warned of", *names], rows)


def real_row(result, found):
    return [
        str(len(result.classifiers)),
        "yes" if result.diagnostics.dependent else "no",
        *(
            f"{100 * found[m][0]:.0f} ({found[m][1]:+.3f})" if m in found else ""
            for m in METHODS
            if not METHODS[m].informed
        ),
    ]


def llm_judges(folder):
    """Grades from 0 to 3 by 33 judges and by assessors."""

    def grades(path):
        rows = (line.split() for line in path.read_text().splitlines() if line)
        return {f"{query} {passage}": grade for query, _, passage, grade in rows}

    triples = [
        (item, path.stem, grade)
        for path in sorted((folder / "scores").glob("*.txt"))
        for item, grade in grades(path).items()
    ]
    return Labels.from_triples(*zip(*triples, strict=True)), grades(folder / "gold_nist_qrels.txt")


def page(data_sets, folder):
    found = {case: independent(case, data_sets) for case in CASES}
    everything = np.concatenate(list(found.values()))
    em = everything[:, 0, :, 0].mean(axis=1)
    lowest = min(100 * rows[:, 0, :, 0].mean(axis=0).min() for rows in found.values())
    highest = max(100 * rows[:, 0, :, 0].mean(axis=0).max() for rows in found.values())
    by_case = [
        [words(case), *(per_cent(rows[:, 0, m, 0]) for m in range(5))]
        for case, rows in found.items()
    ]
    by_method = [
        [METHODS[name].short, *(per_cent(*everything[:, i, m].T) for m in range(5))]
        for i, name in enumerate(BLIND)
    ]
    accuracy = [
        [words(case), *(per_cent(*rows[:, i, 0].T) for i in range(len(BLIND)))]
        for case, rows in found.items()
    ]
    short = [METHODS[name].short for name in BLIND]
    parts = [
        f"""# Blind evaluation: do intervals hold?

Written by [`blind.py`](scripts/blind.py). Coverage is the share, in per cent, of 95% intervals (200
bootstrap samples) that contain the true score. In brackets: bias, the mean of (estimate - true score).

## Independent classifiers

{data_sets} data sets per row. For each label, a classifier is right with a probability drawn between
.6 and .95; its errors are spread over the other labels at random; labels have shares of .6 and .4, or .5, .3
and .2 (macro averages). Missing labels are missing at random. True scores are those on infinitely
many items. Intervals of one data set are not independent, so that the standard errors are over data sets.

**EM**: {100 * em.mean():.1f} ± {100 * em.std(ddof=1) / np.sqrt(len(em)):.1f} in all. The cells of
this table go from {lowest:.1f} to {highest:.1f}, with standard errors of about
{typical_error(found):.1f}.
""",
        table(["EM", *METRICS], by_case),
        """
**The other methods**, over all rows. They are biased even if classifiers err independently, and
more draws do not help: what they use as the truth is not the truth. The majority of all is biased
upwards, since each classifier votes for itself; the majority of the others makes errors, too, so
that all scores are too low. Round robin uses single classifiers as the truth. Their intervals show
how much an estimate would vary with other items, not how biased it is.
""",
        table(["method", *METRICS], by_method),
        "\nThe more classifiers, the more often the majority is right. Accuracy:\n",
        table(["", *short], accuracy),
        dependence(data_sets),
    ]
    if folder is not None:
        parts.append(
            f"""
## Real classifiers

The truth is the accuracy on all items with gold; blind intervals are from 200 bootstrap samples.

{on_real_data(folder)}

Crowd workers who never met (bluebirds, sentiment, rte) nearly satisfy the assumption, though some
items mislead most of them; LLM judges, many of them prompts to one model, do not. There nearly every blind
interval fails, also those for groups: errors of different teams are still correlated. The order of
the judges may be right nevertheless: see [llm-judges.md](../guide/llm-judges.md).
"""
        )
    return "\n".join(parts).rstrip("\n") + "\n"


def typical_error(found):
    errors = [rows[:, 0, :, 0].std(axis=0, ddof=1) / np.sqrt(len(rows)) for rows in found.values()]
    return 100 * float(np.mean(errors))


def dependence(data_sets):
    rows = []
    for family, shared in FAMILIES:
        got, warned = dependent(family, shared, data_sets)
        parts = [("all", slice(None))]
        if family:
            parts = [("family", slice(0, family)), ("others", slice(family, None))]
        for place, (who, part) in enumerate(parts):
            cells = [per_cent(*got[:, i, part].reshape(-1, 2).T) for i in range(len(GROUPED))]
            kind = f"{family} of 12, {shared:.0%} of items" if family else "none"
            first = ["", ""] if place else [kind, f"{100 * warned:.0f}"]
            rows.append([*first, who, *cells])
    head = ["family", "warned", "of whom", *(METHODS[name].short for name in GROUPED)]
    return f"""
## Classifiers that err together

12 classifiers, 2 labels, 1,000 items, {data_sets} data sets per row; accuracy. Some classifiers form a
family: on a share of the items they use the same random number, so that each errs as often as
before, but together with the others. *Warned*: percentage of data sets in which the diagnostics
say, without groups and gold, that EM is unreliable. The methods for groups know the family, and
those with gold have {GOLD} labels.

{table(head, rows)}

EM mistakes the family for the truth: its members look better than they are and the others worse.
The more errors the family shares, the more often intervals miss the truth. With groups the family
no longer has this advantage, and grouped EM is right about the others. But a truth based on fewer votes is wrong more
often: grouped EM underestimates members of the family, and leave group out underestimates
everybody. Direct evaluation and PPI do not need independence; their intervals cover the truth,
although those of a family are correlated.

**The absence of a warning proves nothing.** If 8 of 12 share half of the items, nearly every
interval of EM fails, and more than half of the data sets have no warning: what the majority shares
looks like the truth. A smaller family is detected more often.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=80, help="data sets in each row")
    folder = os.environ.get("HEADCOUNT_DATA")
    text = page(parser.parse_args().data_sets, None if folder is None else Path(folder))
    write_section("blind.md", text)


if __name__ == "__main__":
    main()
