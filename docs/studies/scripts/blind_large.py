"""Large crowds, of which no two workers are compared: do intervals of accuracy hold?

3,000 workers, five labels an item; half of the workers give ten times as many labels as the others.
What a worker is right with is known, and not all crowds are as the models take them to be. Printed
is how often the 95% interval of a worker's accuracy by consensus holds, for workers with few and
with many labels; how far scores are off; and how they go with the truth.

    python docs/studies/scripts/blind_large.py --sets 5
"""

from __future__ import annotations

import argparse

import numpy as np

from headcount import Labels, blind

WORKERS, EACH, SPARE = 3000, 5, 20
KINDS = {
    "independent": "",
    "a tenth spams": "gives one label always",
    "all lean": "to the first label, by 0 to .5",
    "hard items": "on 30% of items half of what all say is a guess",
    "misleading items": "on 30% of items all are right half as often",
    "a third copies": "the first label of the item, half of the time",
}
SIZES = ((5, 20), (20, 100), (100, 10**9))
"""Labels of a worker, from and to."""


def crowd(rng, kind, labels, number):
    """Items, workers, what they said, and how often each worker is right."""
    items = WORKERS * number // EACH
    right = rng.uniform(0.55, 0.95, WORKERS)
    truth = rng.integers(0, labels, items)
    item = np.repeat(np.arange(items), EACH)
    worker = several(rng, items).ravel()
    true, p = truth[item], right[worker]
    hard = rng.random(items) < 0.3
    if kind == "hard items":
        p = np.where(hard[item], (p + 1 / labels) / 2, p)
        right = right * 0.85 + 0.15 / labels
    if kind == "misleading items":
        p = np.where(hard[item], p / 2, p)
        right = right * 0.85
    if kind == "all lean":
        lean = rng.uniform(0, 0.5, WORKERS)
        p = np.where(true == 0, (1 + p) / 2, np.maximum(p - lean[worker], 0.05))
        right = (1 + right) / 2 / labels + np.maximum(right - lean, 0.05) * (1 - 1 / labels)
    wrong = (true + rng.integers(1, labels, len(item))) % labels
    said = np.where(rng.random(len(item)) < p, true, wrong)
    if kind == "a tenth spams":
        spams = np.arange(WORKERS) % 10 == 0
        said = np.where(spams[worker], worker % labels, said)
        right = np.where(spams, 1 / labels, right)
    if kind == "a third copies":  # accuracies stay about what they are
        copies = (worker % 3 == 0) & (rng.random(len(item)) < 0.5)
        said = np.where(copies, said[item * EACH], said)
        mean = right.mean()
        right = np.where(np.arange(WORKERS) % 3 == 0, (right + mean) / 2, right)
    return item, worker, said, right


def several(rng, items):
    """Draw workers of each item, none twice."""
    share = np.repeat([1.0, 10.0], WORKERS // 2)
    drawn = rng.choice(WORKERS, size=(items, SPARE), p=share / share.sum())
    first = np.ones_like(drawn, dtype=bool)
    for k in range(1, SPARE):
        first[:, k] = (drawn[:, :k] != drawn[:, k : k + 1]).all(axis=1)
    place = np.cumsum(first, axis=1)
    return drawn[first & (place <= EACH)].reshape(items, EACH)


def main(sets: int) -> None:
    sizes = [f"{low} to {high - 1}" for low, high in SIZES[:-1]] + [f"{SIZES[-1][0]} or more"]
    print(f"| crowd | labels | of a worker | {' | '.join(sizes)} | error | correlation | warned |")
    print(f"|---|--:|--:|{'--:|' * len(SIZES)}--:|--:|--:|")
    for kind in KINDS:
        for labels, number in ((2, 20), (2, 100), (4, 50)):
            rows, warned = [], 0
            for n in range(sets):
                rng = np.random.default_rng([n, labels, number])
                item, worker, said, right = crowd(rng, kind, labels, number)
                found = blind(Labels.from_triples(item, worker, said))
                warned += any(note.severity == "warning" for note in found.notes)
                for c in found.classifiers:
                    own, true = c.estimates["consensus"]["accuracy"], right[int(c.name)]
                    rows.append((c.labelled, own.low <= true <= own.high, own.value, true))
            size, holds, value, true = map(np.array, zip(*rows, strict=True))
            cells = []
            for low, high in SIZES:
                those = (size >= low) & (size < high)
                cells.append(f"{holds[those].mean():.3f}" if those.sum() > 200 * sets else "")
            many = size >= SIZES[0][1]
            print(
                f"| {kind} | {labels} | {number} | {' | '.join(cells)} | "
                f"{(value - true).mean():+.3f} | {np.corrcoef(value[many], true[many])[0, 1]:.2f} "
                f"| {warned} of {sets} |",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=5)
    main(parser.parse_args().sets)
