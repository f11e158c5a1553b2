"""Hard items or families? Which explanations votes allow, on data whose truth is known.

Run ``python docs/studies/scripts/blind_explanations.py`` to write its section of ``blind.md`` (some minutes of one core); ``--data-sets 5`` for a quick look. Set OPENBLAS_NUM_THREADS=1.
``--checkpoint FILE`` keeps what is done, so that a run which was stopped goes on from there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from blind_gold import Kept, table, three
from pages import write_section
from scipy.special import expit

from headcount import Labels
from headcount.blind_evaluation.explanations import explain
from headcount.blind_evaluation.votes import collect
from headcount.data.labels import Scale

ITEMS = 500


def spread(size):
    return np.linspace(0.65, 0.9, size)


def drawn(truth, right, labels, rng):
    wrong = (truth[:, None] + rng.integers(1, labels, size=(len(truth), len(right)))) % labels
    return np.where(rng.random(wrong.shape) < right, truth[:, None], wrong)


def independent(rng, labels=2, missing=0.0, size=8):
    truth = rng.integers(0, labels, ITEMS)
    said = drawn(truth, spread(size), labels, rng)
    said[rng.random(said.shape) < missing] = -1
    return said, truth, [], "independent"


def hard(rng, labels=2, missing=0.0):
    truth = rng.integers(0, labels, ITEMS)
    ease = np.linspace(0.8, 3, 8)
    right = expit(ease + 2 * rng.normal(size=(ITEMS, 1)))
    wrong = (truth[:, None] + rng.integers(1, labels, size=right.shape)) % labels
    said = np.where(rng.random(right.shape) < right, truth[:, None], wrong)
    said[rng.random(said.shape) < missing] = -1
    return said, truth, [], "difficulty"


def copied(rng, share):
    said, truth, _, _ = independent(rng)
    same = rng.random(ITEMS) < share
    said[:, 1] = np.where(same, said[:, 0], said[:, 1])
    return said, truth, [{0, 1}], "families"


def based(rng, families, size, labels=2, missing=0.0, difficulty=0.0):
    """Members follow a base of their own, 72% right, on 75% of items, and are on their own else."""
    truth = rng.integers(0, labels, ITEMS)
    said = drawn(truth, spread(size), labels, rng)
    if difficulty:
        hardness = difficulty * rng.normal(size=ITEMS)
        right = expit(np.linspace(0.8, 2.5, size) + hardness[:, None])
        wrong = (truth[:, None] + rng.integers(1, labels, size=right.shape)) % labels
        said = np.where(rng.random(right.shape) < right, truth[:, None], wrong)
    for family in families:
        base = drawn(truth, np.array([0.72]), labels, rng)[:, 0]
        for k in family:
            follows = rng.random(ITEMS) < 0.75
            said[:, k] = np.where(follows, base, said[:, k])
    said[rng.random(said.shape) < missing] = -1
    kind = "difficulty and families" if difficulty else "families"
    return said, truth, [set(family) for family in families], kind


def neighbours(rng, size=8):
    """Five grades, and errors that are the next grade: nobody errs together."""
    truth = rng.integers(0, 5, ITEMS)
    step = rng.choice([-1, 1], size=(ITEMS, size))
    wrong = truth[:, None] + step
    wrong = np.where((wrong < 0) | (wrong > 4), truth[:, None] - step, wrong)
    right = rng.random((ITEMS, size)) < spread(size)
    return np.where(right, truth[:, None], wrong), truth, [], "independent"


def look_alike(rng, labels, size=8):
    """Hard items look like one wrong label, which is three quarters of all errors on them."""
    truth = rng.integers(0, labels, ITEMS)
    right = expit(np.linspace(0.8, 3, size) + 2 * rng.normal(size=(ITEMS, 1)))
    like = (truth + rng.integers(1, labels, ITEMS)) % labels
    wrong = (truth[:, None] + rng.integers(1, labels, size=right.shape)) % labels
    wrong = np.where(rng.random(right.shape) < 0.75, like[:, None], wrong)
    said = np.where(rng.random(right.shape) < right, truth[:, None], wrong)
    return said, truth, [], "difficulty"


DESIGNS = {
    "8 independent": independent,
    "8, hard items (spread 2)": hard,
    "8, one an exact copy": lambda rng: copied(rng, 1.0),
    "8, one copies 60% of items": lambda rng: copied(rng, 0.6),
    "6 of 10 share a base": lambda rng: based(rng, [range(6)], 10),
    "4 + 3 + 3 share bases": lambda rng: based(rng, [range(4), range(4, 7), range(7, 10)], 10),
    "3 of 5 share a base": lambda rng: based(rng, [range(3)], 5),
    "3 labels, independent": lambda rng: independent(rng, labels=3),
    "3 labels, hard items": lambda rng: hard(rng, labels=3),
    "3 labels, 4 of 10 share a base": lambda rng: based(rng, [range(4)], 10, labels=3),
    "30% missing, hard items": lambda rng: hard(rng, missing=0.3),
    "30% missing, 4 of 10 share a base": lambda rng: based(rng, [range(4)], 10, missing=0.3),
    "hard items and 4 of 10 share a base": lambda rng: based(rng, [range(4)], 10, difficulty=1.5),
    "3 labels, hard items and 4 of 10 share a base": lambda rng: based(
        rng, [range(4)], 10, labels=3, difficulty=1.5
    ),
    "5 grades, errors are neighbours": neighbours,
    "5 labels, hard items look like another label": lambda rng: look_alike(rng, 5),
    "5 labels, 3 + 3 of 8 share bases": lambda rng: based(
        rng, [range(3), range(3, 6)], 8, labels=5
    ),
}


def labels_of(said):
    item, judge = np.nonzero(said >= 0)
    size = int(said.max()) + 1
    return Labels(
        np.arange(len(said)),
        np.array([f"c{k}" for k in range(said.shape[1])], dtype=object),
        Scale(tuple(map(str, range(size)))),
        item,
        judge,
        said[item, judge],
    )


def is_right(one, families, kind):
    found = [{int(name[1:]) for name in family} for family in one.families]
    if one.kind != kind or not families:
        return one.kind == kind
    return sorted(map(sorted, found)) == sorted(map(sorted, families))


def population(make, seed):
    """Accuracies on so many items that the next digit does not matter."""
    global ITEMS
    usual, ITEMS = ITEMS, 200_000
    said, truth, _, _ = make(np.random.default_rng([seed, 1]))
    ITEMS = usual
    return np.array([(said[said[:, k] >= 0, k] == truth[said[:, k] >= 0]).mean()
                     for k in range(said.shape[1])])  # fmt: skip


def measured(name, data_sets, seed):
    make = DESIGNS[name]
    rng = np.random.default_rng(seed)
    true = population(make, seed)
    rows = []
    for _ in range(data_sets):
        said, truth, families, kind = make(rng)
        known = said >= 0
        actual = np.array(
            [(said[known[:, k], k] == truth[known[:, k]]).mean() for k in range(said.shape[1])]
        )
        found = explain(collect(labels_of(said)))
        every = [
            np.abs(np.array([one.accuracy[f"c{k}"] for k in range(len(actual))]) - actual).mean()
            for one in found.explanations
        ]
        first = [found.explanations[0].estimates[f"c{k}"] for k in range(len(actual))]
        overall = [found.overall[f"c{k}"] for k in range(len(actual))]
        rows.append(
            [
                is_right(found.explanations[0], families, kind),
                any(is_right(one, families, kind) for one in found.explanations),
                len(found.explanations),
                every[0],
                min(every),
                found.gold_needed or np.nan,
                np.mean([holds(one, x) for one, x in zip(first, true, strict=True)]),
                np.mean([width(one) for one in first]),
                np.mean([holds(one, x) for one, x in zip(overall, true, strict=True)]),
                np.mean([width(one) for one in overall]),
                found.ranks[f"c{np.argmax(true)}"] == 1,
                list(found.ranks.values()).count(1) == 1,
            ]
        )
    return np.array(rows, dtype=float)


def holds(estimate, true):
    return np.nan if estimate.low is None else estimate.low <= true <= estimate.high


def width(estimate):
    return np.nan if estimate.low is None else estimate.high - estimate.low


def mean(values):
    known = values[~np.isnan(values)]
    return three(known.mean()) if len(known) else ""


def page(data_sets, kept):
    rows = []
    for seed, name in enumerate(DESIGNS):
        found = kept(measured, name, data_sets, seed)
        right = found[:, 0] > 0
        gold = found[:, 5][~np.isnan(found[:, 5])]
        rows.append(
            [
                name,
                f"{int(found[:, 0].sum())}/{len(found)}",
                f"{int(found[:, 1].sum())}/{len(found)}",
                f"{found[:, 2].mean():.1f}",
                three(found[:, 3].mean()),
                three(found[:, 4].mean()),
                f"{np.median(gold):.0f}" if len(gold) else "",
                f"{int(np.isnan(found[:, 6]).sum())}/{len(found)}",
                *(mean(found[part, 6]) for part in (right | True, right)),
                mean(found[:, 7]),
                mean(found[:, 8]),
                mean(found[:, 9]),
                *(f"{int(found[:, part].sum())}/{len(found)}" for part in (10, 11)),
            ]
        )
        print(rows[-1], flush=True)
    head = [
        "",
        "right first",
        "right listed",
        "listed",
        "error, first",
        "error, best listed",
        "gold",
        "no intervals",
        "coverage",
        "where right",
        "width",
        "of all listed",
        "width of all",
        "best in rank 1",
        "alone there",
    ]
    return f"""# Hard items or families?

Written by [`blind_explanations.py`](scripts/blind_explanations.py), {data_sets} data sets of
{ITEMS} items per row. *Right first*: the explanation with the lowest BIC is the true one (with
exactly the true families); *right listed*: the true one is within 14 BIC of it, and so in the
output. *Listed*: how many explanations are listed, on average. *Error*: mean absolute error of the accuracies by the
first explanation, and by the best of those listed. *Gold*: median number of gold labels that would
decide between the two best. *No intervals*: data sets in which two classifiers agree more often
than the first explanation allows, so that it has no intervals and a warning says so. *Coverage*: of
the other 95% intervals of the accuracies by the first explanation, how many cover the accuracies on
infinitely many items, in all data sets and in those where it is the true one; and their mean width.
*Of all listed*: the same for the intervals of the main table, which go from the lowest end of all
listed explanations to the highest. *Best in rank 1*: the classifier that is truly best has rank 1,
so that the headline lists it among those that may be best; *alone there*: the headline names one as
the best.

On three quarters of the items, the members of a family copy a base that is right on .72 of the
items; with several labels, their errors are those of the base.

{table(head, rows)}

- Intervals of the main table, which span those of all listed explanations, cover .88 or more: they
  are called approximate. If one explanation is listed, they are those of this explanation.
- Votes alone cannot distinguish 3 of 5 judges that share a base from hard items: two thirds are
  taken for hard items, and .63 of the intervals of the first explanation cover the truth. The true
  family is always listed, so that .98 of the intervals of the main table cover the truth, at nearly three
  times the width, and the truly best judge always has rank 1.
- Of 4 + 3 + 3 judges the true families are listed in 36 of 40 data sets; in the others the truly best
  judge does not have rank 1.
- With 4 or 5 judges and few items votes mostly allow independent errors as well where items are hard for all,
  so that intervals of EM in the main table are widened for hard items.
- Grades that are mistaken for their neighbours, and hard items that look like another label to
  everybody, do not lead to false families.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=40, help="data sets in each row")
    parser.add_argument("--checkpoint", type=Path, help="a file that keeps what is done")
    given = parser.parse_args()
    text = page(given.data_sets, Kept(given.checkpoint))
    write_section("blind.md", text)


if __name__ == "__main__":
    main()
