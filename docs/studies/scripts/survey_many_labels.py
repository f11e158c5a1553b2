"""More than ten labels: does the worth come out right on populations that nothing was tuned on?

Run ``python docs/studies/scripts/survey_many_labels.py`` to print the tables of ``survey.md`` beside
this file (half an hour on one core); ``--data-sets 4 --cells "topics, 12"`` for a quick look. What
each data set gave is kept in a file, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import math
from functools import cache
from math import comb, lgamma
from pathlib import Path

import numpy as np
from survey_labels import LEARNED, TESTED, falling

from headcount import survey
from headcount.data.predictions import Predictions
from headcount.equivalence.power_curve import compositions, crossings
from survey import Oracle, Population, _normal, _quantile, rated, share

STATES = 1500
"""Item states that stand for a population."""


def _made(theta):
    theta = np.maximum(theta, 1e-6)
    n = len(theta)
    return Population(theta / theta.sum(axis=1, keepdims=True), np.full(n, 1 / n))


def topics(n, rng):
    """Labels in groups of four; raters of an item mostly stay within one group."""
    group = np.arange(n) // 4
    chosen = rng.choice(group.max() + 1, STATES)
    within = rng.dirichlet(np.full(n, 0.6), STATES) * (group == chosen[:, None]) + 1e-9
    return _made(0.88 * within / within.sum(axis=1, keepdims=True) + 0.12 * falling(n))


def two_answers(n, rng):
    """Each item has two labels that raters choose between, whichever two; shares fall."""
    first, second = (rng.choice(n, STATES, p=falling(n)) for _ in range(2))
    split = rng.beta(2, 1, STATES)[:, None]
    eye = np.eye(n)
    return _made(0.92 * (split * eye[first] + (1 - split) * eye[second]) + 0.08 / n)


def factors(n, rng):
    """Three hidden numbers of an item raise and lower all labels."""
    logits = rng.normal(size=(STATES, 3)) @ rng.normal(size=(3, n)) * 1.6
    return _made(np.exp(logits - logits.max(axis=1, keepdims=True)))


def easy_and_hard(n, rng):
    """One right label, in falling shares; on hard items raters answer as of any item."""
    right, ease = rng.choice(n, STATES, p=falling(n)), rng.beta(1.5, 0.8, STATES)[:, None]
    return _made(ease * np.eye(n)[right] + (1 - ease) * (0.5 * falling(n) + 0.5 / n))


def long_scale(n, rng):
    """Numbers in order; on half of the items raters are three times as far from each other."""
    latent = np.array([_quantile((i + 0.5) / STATES) for i in range(STATES)])
    noise = np.where(rng.random(STATES) < 0.5, 0.25, 0.75)[:, None]
    below = _normal((np.linspace(-1.7, 1.7, n - 1) - latent[:, None]) / noise)
    edges = np.hstack([np.zeros((STATES, 1)), below, np.ones((STATES, 1))])
    return _made(np.diff(edges, axis=1))


def agreed(n, rng):
    """One right label, in falling shares, that nearly every rater gives."""
    right = rng.choice(n, STATES, p=falling(n))
    return _made(0.95 * np.eye(n)[right] + 0.05 / n)


def mostly_agreed(n, rng):
    """The same, but raters of a sixth of the items are of many minds."""
    right, open_item = rng.choice(n, STATES, p=falling(n)), rng.random(STATES)[:, None] < 1 / 6
    ease = np.where(open_item, rng.beta(1, 2, (STATES, 1)), 0.97)
    return _made(ease * np.eye(n)[right] + (1 - ease) * (0.5 * falling(n) + 0.5 / n))


CHOSEN_ON = {
    "topics": topics,
    "two answers": two_answers,
    "factors": factors,
    "easy and hard": easy_and_hard,
    "long scale": long_scale,
}
"""Populations on which it was chosen how wrong what is learned of labels may be."""
OTHERS = {name: lambda n, _, make=make: make(n) for name, make in (LEARNED | TESTED).items()}
"""Populations on which the limits were set before."""
AGREED = {"agreed": agreed, "mostly agreed": mostly_agreed}
"""Populations whose raters agree strongly, for judges that are nearly always right."""
GENERATORS = CHOSEN_ON | OTHERS | AGREED
SIZES = [
    # labels, items, ratings per item
    (11, 150, 3),
    (12, 100, 5),
    (12, 500, 4),
    (20, 300, 4),
    (20, 1000, 3),
    (30, 400, 5),
]
AGREED_SIZES = [
    (12, 150, 3),
    (12, 300, 3),
    (12, 300, 5),
    (12, 1000, 5),
    (20, 400, 3),
    (20, 1000, 3),
]
CELLS = [(name, *size) for size in SIZES for name in CHOSEN_ON | OTHERS]
CELLS += [(name, *size) for size in AGREED_SIZES for name in AGREED]
JUDGES = ("1", "2", "rater", "random .4", "best label", "right .97", "right .99")
"""Probabilities that are worth 1 and 2 raters; labels of a rater, of one who gives any label on
40% of items, of one who knows what most raters would say, and of one who knows it of .97 and .99
of the items."""
LARGEST = 6
MOST_OUTCOMES = 50_000
"""Raters, and outcomes of their surveys, up to which the true curve is found."""


def name_of(cell):
    name, labels, items, raters = cell
    return f"{name}, {labels} labels, {items:,} x {raters}"


@cache
def population_of(name, n_labels):
    """A population, the true worth of every judge of it, and how likely their labels are."""
    population = GENERATORS[name](n_labels, np.random.default_rng([7, n_labels]))
    curve = curve_of(population)
    return population, *judges_of(population, curve, name in AGREED)


def curve_of(population):
    """What 0, 1, 2 ... raters tell of the next one, in bits, by who knows the population: exact."""
    theta, weight, curve = population.theta, population.weight, []
    for k in range(LARGEST + 1):
        if comb(k + theta.shape[1] - 1, k) > MOST_OUTCOMES:
            break
        score = 0.0
        observed = compositions(k, theta.shape[1])
        ways = lgamma(k + 1) - np.vectorize(lgamma)(observed + 1.0).sum(axis=1)
        for some in np.array_split(np.arange(len(observed)), 1 + len(observed) // 2000):
            likely = np.exp(np.log(theta) @ observed[some].T + ways[some])
            joint = (likely * weight[:, None]).T @ theta
            score += (joint * np.log2(joint / joint.sum(axis=1, keepdims=True))).sum()
        curve.append(float(score))
    return np.array(curve)


def worth_of(curve, population, label):
    """What labels are worth, given how likely each is for each state."""
    joint = (label * population.weight[:, None]).T @ population.theta
    joint = joint[joint.sum(axis=1) > 0]
    after = joint / joint.sum(axis=1, keepdims=True)
    return float(crossings(curve, np.asarray((joint * np.log2(after)).sum())))


def judges_of(population, curve, nearly_always_right):
    """The true worth of every judge, and how likely each label of theirs is for each state."""
    theta = population.theta
    base = population.weight @ theta
    labels = {
        "rater": theta,
        "random .4": 0.6 * theta + 0.4 * base,
        "best label": np.eye(theta.shape[1])[theta.argmax(axis=1)],
    }
    if nearly_always_right:
        best = labels["best label"]
        labels = {
            f"right {p:g}".replace("0.", "."): p * best + (1 - p) * base for p in (0.97, 0.99)
        }
    worth = {name: worth_of(curve, population, likely) for name, likely in labels.items()}
    return {"1": 1.0, "2": 2.0} | worth | ({"rater": 1.0} if "rater" in labels else {}), labels


def run(cell, seed, draws, only):
    """What one data set gives: the worth of each judge, and the error of the curve."""
    population, _, said = population_of(*cell[:2])
    name, n_labels, items, raters = cell
    rng = np.random.default_rng([seed, n_labels, items, raters])
    state = rng.choice(len(population.weight), items, p=population.weight)
    states = population.theta[state]
    # Names, but for a scale, whose labels are numbers.
    labels = rated(states, raters, rng, "{}" if name == "long scale" else "label {}")
    names = labels.scale.labels
    soft = {str(m): population.predict(rng.multinomial(m, states)) for m in (1, 2)}
    hard = {
        judge: [names[rng.choice(n_labels, p=p / p.sum())] for p in likely[state]]
        for judge, likely in said.items()
    }
    told = {
        "probabilities": Predictions.from_probabilities(
            range(items), names, {k: v.tolist() for k, v in soft.items()}
        ),
        "labels": {"item": list(range(items)), **hard},
    }
    found = {"cell": name_of(cell), "seed": seed}
    for judges in only:
        result = survey(labels, told[judges], bootstrap=draws, seed=seed)
        found |= {one.name: _kept(one.worth) for one in result.classifiers}
    most = result.provenance.max_k
    known = Oracle(population)
    oracle = survey(labels, combiner=known, bootstrap=0, ceiling=False, max_k=most)
    pairs = zip(result.curve, oracle.curve, strict=True)
    found["error"] = [1000 * (a.score.value - b.score.value) for a, b in pairs]
    return found


def _kept(worth):
    if worth.undefined is not None:
        return None
    return [worth.value, worth.low, worth.high, worth.bounds[1]]


def covers(kept, truth):
    """Whether an interval holds a number of raters; '> 1' holds all that is above 1."""
    _, low, high, most = kept
    return low <= truth <= high or (truth > most and high > most)


def rows(cell, runs):
    """Lines of the table: one a judge."""
    truths = population_of(*cell[:2])[1]
    sizes = min(len(one["error"]) for one in runs)
    errors = np.mean([one["error"][:sizes] for one in runs], axis=0) + 0.0
    for judge in filter(runs[0].__contains__, JUDGES):
        told = [one[judge] for one in runs if one[judge] is not None]
        cells = [f"{cell[0]}, {cell[1]}", f"{cell[2]:,} x {cell[3]}", judge, f"{truths[judge]:.2f}"]
        cells.append(share([one[judge] is None for one in runs]))
        cells += ["", ""]
        if told:
            median, most = (np.median([one[i] for one in told]) for i in (0, 3))
            cells[-2] = f"{median:.2f}" if math.isfinite(median) else f"> {most:g}"
            cells[-1] = share([covers(one, truths[judge]) for one in told])
        cells += [" ".join(f"{e:.0f}" for e in errors), str(len(runs))]
        yield "| " + " | ".join(cells) + " |"


def pooled(runs):
    """Lines of a shorter table: all populations of a family together, one line per size and judge."""
    families = {"these": CHOSEN_ON, "others": OTHERS, "agreed": AGREED}
    for title, family in families.items():
        for size in dict.fromkeys(SIZES + AGREED_SIZES):
            cells = [cell for cell in runs if cell[0] in family and cell[1:] == size]
            for judge in JUDGES:
                told = [
                    (one[judge], population_of(*cell[:2])[1][judge])
                    for cell in cells
                    for one in runs[cell]
                    if judge in one
                ]
                known = [covers(kept, truth) for kept, truth in told if kept is not None]
                if known:
                    labels, items, raters = size
                    row = [title, str(labels)]
                    row += [
                        f"{items:,} x {raters}",
                        judge,
                        share([kept is None for kept, _ in told]),
                    ]
                    yield "| " + " | ".join([*row, share(known), str(len(told))]) + " |"


def read(path):
    """What was found before, by cell and seed."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {(one["cell"], one["seed"]): one for one in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=40)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument(
        "--cells", nargs="*", help="beginnings of the names of cells; all by default"
    )
    kinds = ["probabilities", "labels"]
    parser.add_argument("--only", nargs="*", default=kinds, choices=kinds)
    parser.add_argument("--results", type=Path, default=Path("survey_many_labels.jsonl"))
    options = parser.parse_args()
    chosen = [
        cell
        for cell in CELLS
        if not options.cells or name_of(cell).startswith(tuple(options.cells))
    ]
    found = read(options.results)
    with options.results.open("a", encoding="utf-8") as out:
        for seed in range(options.data_sets):  # so that a run that was stopped has seen all cells
            for cell in chosen:
                if (name_of(cell), seed) not in found:
                    one = run(cell, seed, options.draws, options.only)
                    found[name_of(cell), seed] = one
                    print(json.dumps(one), file=out, flush=True)
    runs = {
        cell: [one for (name, _), one in found.items() if name == name_of(cell)] for cell in chosen
    }
    for cell, some in runs.items():
        print(*rows(cell, some), sep="\n")
    print(*pooled(runs), sep="\n")


if __name__ == "__main__":
    main()
