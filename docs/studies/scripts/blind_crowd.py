"""Do the accuracies of workers with few labels hold? Simulated sparse crowds.

Run ``python docs/studies/scripts/blind_crowd.py`` to write its section of ``crowds.md`` (a minute or
two of one core); ``--data-sets 5`` for a quick look. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse

import numpy as np
from pages import write_section

from headcount import Labels
from headcount.blind_evaluation.methods import Consensus
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.scoring import Settings, Task
from headcount.blind_evaluation.votes import collect, majority
from headcount.data.labels import Scale
from headcount.results.notes import Notes

DESIGNS = [
    (500, 100, 5, 2, (8, 2)),
    (500, 100, 5, 4, (6, 3)),
    (1000, 200, 3, 2, (8, 2)),
    (200, 50, 5, 2, (12, 2)),
    (2000, 100, 10, 3, (5, 3)),
]
"""Items, workers, labels per item, labels, and the Beta distribution of accuracies."""
FEW = 10


def simulate(design, rng):
    items, workers, each, size, (a, b) = design
    truth = rng.integers(0, size, items)
    right = rng.beta(a, b, workers)
    share = rng.pareto(1.2, workers) + 0.1  # few workers give most labels
    share /= share.sum()
    who = np.concatenate([rng.choice(workers, each, replace=False, p=share) for _ in range(items)])
    item = np.repeat(np.arange(items), each)
    wrong = (truth[item] + rng.integers(1, size, len(item))) % size
    label = np.where(rng.random(len(item)) < right[who], truth[item], wrong)
    return item, who, label, truth, right


def measured(design, data_sets):
    rng = np.random.default_rng([design[0], design[1], design[3]])
    held, few, width, hits = [], [], [], []
    for _ in range(data_sets):
        item, who, label, truth, right = simulate(design, rng)
        used, code = np.unique(who, return_inverse=True)
        names = np.array([f"w{k}" for k in used], dtype=object)
        scale = Scale(tuple(map(str, range(design[3]))))
        votes = collect(Labels(np.arange(design[0]), names, scale, item, code, label))
        metrics = choose_metrics(votes.labels, names=["accuracy"])
        task = Task(votes=votes, metrics=metrics, settings=Settings(smoothing=0.5), notes=Notes())
        found = Consensus().score(task).scored
        for k, name in enumerate(used):
            low, high = metrics.interval(0, found.scores[0, k], found.sizes.effective[0, k], 0.95)
            held.append(low <= right[name] <= high)
            width.append(high - low)
            few.append(votes.labelled[k] < FEW)
        hits.append(
            [
                (table[votes.row_of].argmax(axis=1) == truth).mean()
                for table in (majority(votes), found.truth)
            ]
        )
    held, few = np.array(held), np.array(few)
    return held[few].mean(), held[~few].mean(), np.mean(width), *np.mean(hits, axis=0)


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def page(data_sets):
    rows, lowest = [], []
    for design in DESIGNS:
        items, workers, each, size, _ = design
        name = f"{items:,} items, {workers} workers, {each} per item, {size} labels"
        found = measured(design, data_sets)
        lowest += found[:2]
        rows.append([name, *(f"{x:.3f}".removeprefix("0") for x in found)])
    head = ["", f"fewer than {FEW} labels", "more", "width", "majority right", "consensus right"]
    return f"""# Workers with few labels

Written by [`blind_crowd.py`](scripts/blind_crowd.py), {data_sets} data sets per row. Workers have accuracies drawn
from a Beta distribution, and few of them give most labels. Coverage of 95% intervals of accuracy by
`consensus`, for workers with fewer than {FEW} labels and for the others; mean width; and labels of
items that are right, by the majority and by `consensus`.

{table(head, rows)}

With few votes the truth of items is uncertain, and intervals then cover a little less often than
95%: {min(lowest):.3f} in the lowest cell.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=20, help="data sets in each row")
    text = page(parser.parse_args().data_sets)
    write_section("crowds.md", text)


if __name__ == "__main__":
    main()
