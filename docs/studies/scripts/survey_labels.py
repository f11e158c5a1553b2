"""Judges that give one of many labels: is what raters say after each learned or remembered?

Run ``python docs/studies/scripts/survey_labels.py`` to print the table of ``survey.md`` beside this
file (some minutes). A judge is a rater, or gives a label at random in 40% of items; what raters say
after each label is known exactly.
"""

from __future__ import annotations

import argparse

import numpy as np

from headcount.equivalence.calibration import CALIBRATIONS, cross_fit
from headcount.equivalence.classifiers import cost_of_learning
from survey import Population, dirichlet, drawn, mixture

CELLS = [(12, 150), (12, 600), (20, 300), (30, 400), (30, 1200), (50, 500), (50, 1500)]


def falling(n):
    return (1 / np.arange(1, n + 1)) / (1 / np.arange(1, n + 1)).sum()


def kinds(n, weight):
    """Each label is the answer of some items, with 70% of raters; a tenth of the items is open."""
    rest = 0.3 / (n - 1)
    return mixture([*(rest + (0.7 - rest) * np.eye(n)), np.ones(n)], [*(0.9 * weight), 0.1])


def neighbours(n):
    """Each label is taken for two others."""
    eye = np.eye(n)
    return mixture(
        0.7 * eye + 0.18 * np.roll(eye, 1, axis=1) + 0.12 * np.roll(eye, 5, axis=1) + 0.03 / n,
        np.ones(n),
    )


LEARNED = {
    "Dirichlet": lambda n: dirichlet(*np.full(n, 1.5 / n)),
    "Dirichlet, falling shares": lambda n: dirichlet(*2 * falling(n)),
}
TESTED = {
    "kinds": lambda n: kinds(n, np.full(n, 1 / n)),
    "kinds, falling shares": lambda n: kinds(n, falling(n)),
    "neighbours": neighbours,
}


def run(population: Population, items: int, random: float, seed: int):
    """Error of the judge's score and its cost of learning, in raters; both in standard errors."""
    theta, weight = population.theta, population.weight
    n, rng = theta.shape[1], np.random.default_rng([seed, items])
    labels, _ = drawn(population, items, 4, rng)
    said = labels.label.reshape(items, 4)
    base = weight @ theta
    both = (theta * weight[:, None]).T @ theta
    step = (both * np.log(both / both.sum(axis=1, keepdims=True))).sum() - base @ np.log(base)
    judge = np.where(rng.random(items) < random, rng.choice(n, items, p=base), said[:, 3])
    joint = (1 - random) * both + random * np.outer(base, base)
    known = (joint / joint.sum(axis=1, keepdims=True))[judge]
    shares, table = np.eye(n)[said[:, :3]].mean(axis=1), np.eye(n)[judge]
    how, ids = CALIBRATIONS["empirical"], np.arange(items).astype(str)
    out = cross_fit(table, ids, shares, how, 0)
    made = cross_fit(table, ids, shares, how, 0, two_sided=True, held_out=out)
    error = (shares * np.log(made / known)).sum(axis=1).mean()
    gained = (shares * np.log(known / base)).sum(axis=1).std() / np.sqrt(items)
    return error / step, error / gained, cost_of_learning(out, made, shares, np.ones(items))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=12)
    options = parser.parse_args()
    for family in (LEARNED, TESTED):
        for name, make in family.items():
            for n, items in CELLS:
                population = make(n)
                for random in (0.0, 0.4):
                    found = [run(population, items, random, s) for s in range(options.data_sets)]
                    raters, errors, cost = np.mean(found, axis=0)
                    row = [f"{n}, {name}", f"{items:,}", f"{random:g}"]
                    row += [f"{cost:.1f}", f"{raters:+.3f}", f"{errors:+.2f}"]
                    print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
