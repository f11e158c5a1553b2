"""Do intervals of how far grades are off hold? Simulated judges, most of them very good.

Run ``python docs/studies/scripts/blind_grades.py`` to write its section of ``blind.md`` (a few
minutes of one core); ``--data-sets 50`` for a quick look. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from blind_gold import table, three
from pages import write_section
from scipy.special import ndtri

from headcount import Labels
from headcount.blind_evaluation.evidence import grade_errors
from headcount.blind_evaluation.gold_methods import weighted_gold
from headcount.blind_evaluation.votes import collect
from headcount.data.labels import Scale

WRONG = (0.005, 0.02, 0.05, 0.1, 0.3, 0.6)
"""How often each of the judges of one data set is off."""
KINDS = {
    "one grade, either way": ((1, -1), (0.5, 0.5)),
    "one grade, too high": ((1,), (1.0,)),
    "one grade, a tenth of them three, too high": ((1, 3), (0.9, 0.1)),
}
GOLD = (50, 100, 200)
ITEMS, GRADES = 400, 12
"""So many grades that no judge runs against the end of the scale."""


def simulate(kind, rng):
    truth = rng.integers(3, GRADES - 3, ITEMS)
    by, often = KINDS[kind]
    off = rng.choice(by, size=(ITEMS, len(WRONG)), p=often)
    return truth[:, None] + off * (rng.random(off.shape) < WRONG), truth


def drawn(gold, uneven, rng):
    """Items with gold: a random sample; or half of the items four times as often as the others."""
    if not uneven:
        return {int(i): 1.0 for i in rng.choice(ITEMS, gold, replace=False)}
    share = np.where(np.arange(ITEMS) < ITEMS // 2, 1.6, 0.4) * gold / ITEMS
    return {int(i): float(share[i]) for i in np.flatnonzero(rng.random(ITEMS) < share)}


def measured(design, data_sets):
    """Coverage of normal intervals and ours, and widths: (2, 2, judges), error and bias first."""
    gold, kind, uneven = design
    rng = np.random.default_rng([gold, list(KINDS).index(kind), uneven])
    by, often = (np.array(x) for x in KINDS[kind])
    actual = [np.array(WRONG) * (np.abs(by) @ often), np.array(WRONG) * (by @ often)]
    names = np.array([f"c{k}" for k in range(len(WRONG))], dtype=object)
    scale = Scale(tuple(map(str, range(GRADES))))
    item, judge = np.indices((ITEMS, len(WRONG))).reshape(2, -1)
    rows = []
    for _ in range(data_sets):
        said, truth = simulate(kind, rng)
        chosen = drawn(gold, uneven, rng)
        votes = collect(
            Labels(np.arange(ITEMS), names, scale, item, judge, said.ravel()),
            gold={i: str(truth[i]) for i in chosen},
            drawn=chosen if uneven else None,
        )
        rows.append(np.zeros((2, 3, len(WRONG))))
        for k, found in enumerate(grade_errors(votes, weighted_gold(votes), 0.95)):
            apart = (said[:, k] - truth)[list(chosen)]
            for m, x in enumerate((np.abs(apart), apart)):
                one = found[("mean_absolute_error", "bias")[m]]
                reach = ndtri(0.975) * x.std() / np.sqrt(len(x) - 1)
                true = actual[m][k]
                old = np.abs(one.value - true) <= reach
                rows[-1][m, :, k] = old, one.low <= true <= one.high, one.high - one.low
    return np.mean(rows, axis=0)


def page(data_sets):
    lines = []
    every = []
    for kind, uneven in product(KINDS, (False, True)):
        found = [measured((gold, kind, uneven), data_sets) for gold in GOLD]
        every.append(found)
        for gold, one in zip(GOLD, found, strict=True):
            how = f"{gold}, drawn unevenly" if uneven else str(gold)
            cells = [f"{three(x.min())} / {three(x.mean())}" for x in one[:, :2].reshape(4, -1)]
            lines.append([kind, how, *cells])
    cells = np.array(every)[:, :, :, 1]
    head = ["errors", "gold", "mean error: normal", "ours", "bias: normal", "ours"]
    return f"""# How far grades are off: do intervals hold?

Written by [`blind_grades.py`](scripts/blind_grades.py), {data_sets:,} data sets per row. Six judges grade
{ITEMS} items, and give a wrong grade to {", ".join(three(x) for x in WRONG)} of them. The table
shows the coverage of 95% intervals of the mean absolute error and of the bias on gold, lowest and
mean over judges: of normal intervals, and of those in the output. *Drawn unevenly*: half of the items have gold four times as often as the others, according to
their probabilities. The standard error of a cell is about {three(np.sqrt(0.05 * 0.95 / data_sets))}.

{table(head, lines)}

The lowest of all {cells.size} cells of the output's intervals is {three(cells.min())}. Normal intervals fail
for very good judges: without an error on the items with gold they have zero width.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=500, help="data sets in each row")
    text = page(parser.parse_args().data_sets)
    write_section("blind.md", text)


if __name__ == "__main__":
    main()
