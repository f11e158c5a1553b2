"""How often does the low end of a worth lie above the truth? docs/studies/survey.md, 'Low ends'.

Judges are worth exactly 1 rater, or 2: another rater's labels (calibrated), and the probabilities
that 1 or 2 other raters' labels tell under the true population. *Percentiles* are the intervals
without the correction for skewness, from the same bootstrap samples.

    python docs/studies/scripts/survey_low_ends.py --sets 300 --cells "uniform 80 x 3"
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from headcount import Predictions
from headcount.equivalence.survey import Choices, Kinds, Settings, _scored, estimate
from headcount.results.notes import Notes
from survey import POPULATIONS, dirichlet, drawn

POPULATIONS |= {"skewed two": dirichlet(0.3, 0.9)}
CELLS = [
    (population, items, raters)
    for population in ("uniform", "skewed two", "ordinal", "skewed ordinal")
    for items, raters in ((80, 2), (80, 3), (80, 5), (200, 2), (200, 3), (200, 5))
]


def judges(population, labels, states, rng):
    """A rater's labels, and probabilities after 1 and 2 raters' labels; what each is worth."""
    names, n = labels.scale.labels, len(states)
    said = [
        names[code] for code in (rng.random((n, 1)) > states.cumsum(axis=1)[:, :-1]).sum(axis=1)
    ]
    hidden = {f"p{k}": population.predict(rng.multinomial(k, states)).tolist() for k in (1, 2)}
    yield Predictions.from_labels(range(n), {"label": said}), {"label": 1}
    yield Predictions.from_probabilities(range(n), names, hidden), {"p1": 1, "p2": 2}


def data_set(cell, seed, draws):
    """Low and high ends by judge, without and with the correction, and the truth."""
    which, items, raters = cell
    rng = np.random.default_rng([seed, items, raters])
    labels, states = drawn(POPULATIONS[which], items, raters, rng)
    for predictions, worth in judges(POPULATIONS[which], labels, states, rng):
        settings = Settings(
            draws=draws, level=0.95, rng=rng, seed=seed, ceiling=False, together=False
        )
        kinds = Kinds.checked("states", "cross-entropy", labels.scale, None)
        choices, notes = Choices(), Notes()
        prepared, design, scoring, _ = _scored(labels, predictions, kinds, choices, settings)
        names = [c.name for c in prepared.classifiers]
        corrected, _ = estimate(design, scoring, choices, settings, notes)
        before = replace(corrected, influence=None).classifiers(names)
        for old, new in zip(before, corrected.classifiers(names), strict=True):
            truth = worth[old.name.split(" ")[0]]
            if truth <= prepared.max_k:
                yield old.name, truth, old.worth, new.worth


def main() -> None:
    """Print a row per cell and judge."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--cells", default="")
    given = parser.parse_args()
    print("| states, items x raters | judge | low end above: percentiles | corrected | covers |")
    print("|---|---|---|---|---|")
    every = []
    for cell in CELLS:
        name = f"{cell[0]} {cell[1]} x {cell[2]}"
        if given.cells and name not in given.cells.split(","):
            continue
        found: dict[str, list[tuple[bool, bool, bool]]] = {}
        for seed in range(given.sets):
            for judge, truth, old, new in data_set(cell, seed, given.draws):
                row = (old.low > truth, new.low > truth, new.low <= truth <= new.high)
                found.setdefault(judge, []).append(row)
        for judge, rows in found.items():
            before, after, covers = np.mean(rows, axis=0)
            print(f"| {name} | {judge} | {before:.3f} | {after:.3f} | {covers:.3f} |", flush=True)
            every += rows
    print(f"| all | | {' | '.join(f'{x:.3f}' for x in np.mean(every, axis=0))} |")


if __name__ == "__main__":
    main()
