"""What is a classifier worth whose worth is known? Simulated data sets, abc and states.

Run ``python docs/studies/scripts/survey.py`` to print the tables of ``survey.md`` beside this file (half an
hour on one core); ``--data-sets 20 --cells "Dirichlet(1) 300 x 5, 2"`` for a quick look, ``--list`` for
the cells. What each data set gave is kept in a file, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headcount import Labels, Predictions, survey
from headcount.data.labels import Scale
from headcount.equivalence.combiners import FromCounts


@dataclass(frozen=True)
class Population:
    """Item states: distributions over labels, and how common each is."""

    theta: np.ndarray
    weight: np.ndarray

    def predict(self, counts):
        """Probabilities of the next label after label counts, as who knows the states says."""
        likelihood = np.exp(counts @ np.log(self.theta).T)
        joint = (likelihood * self.weight) @ self.theta
        return joint / joint.sum(axis=1, keepdims=True)

    @property
    def gain(self):
        """Bits that infinitely many raters gain over none."""
        mean = self.weight @ self.theta
        inner = self.weight @ (self.theta * np.log2(self.theta)).sum(axis=1)
        return float(inner - (mean * np.log2(mean)).sum())


@dataclass(frozen=True)
class Oracle(FromCounts):
    """A combiner that knows the population: its curve is the one to find."""

    population: Population
    name: str = "oracle"
    kind: str = "soft"

    def predict(self, observed):
        return self.population.predict(observed)


def dirichlet(*a):
    theta = np.random.default_rng(1).dirichlet(a, size=4000)
    theta = np.maximum(theta, 1e-9)
    return Population(theta / theta.sum(axis=1, keepdims=True), np.full(4000, 1 / 4000))


def ordinal(noise=0.8, cuts=(-1.2, -0.4, 0.4, 1.2)):
    """A latent number, normal over items; raters see it with noise and cut it into labels."""
    normal = np.array([_quantile((i + 0.5) / 400) for i in range(400)])
    below = _normal((np.array(cuts) - normal[:, None]) / noise)
    edges = np.hstack([np.zeros((400, 1)), below, np.ones((400, 1))])
    theta = np.maximum(np.diff(edges, axis=1), 1e-6)
    return Population(theta / theta.sum(axis=1, keepdims=True), np.full(400, 1 / 400))


def mixture(rows, weight):
    theta = np.maximum(np.array(rows, dtype=float), 1e-9)
    weight = np.array(weight, dtype=float)
    return Population(theta / theta.sum(axis=1, keepdims=True), weight / weight.sum())


def few_kinds():
    """Each label is the answer of some items, with 60% of raters; some items are open."""
    return mixture([*(0.1 + 0.5 * np.eye(5)), np.ones(5)], [0.3, 0.2, 0.15, 0.1, 0.1, 0.15])


def _normal(x):
    return 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def _quantile(p):
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


POPULATIONS = {
    # Those of the report that found the failure.
    "Dirichlet(1)": dirichlet(1, 1, 1, 1, 1),
    "Dirichlet(.3)": dirichlet(0.3, 0.3, 0.3, 0.3, 0.3),
    "Dirichlet(3)": dirichlet(3, 3, 3, 3, 3),
    "ordinal": ordinal(),
    "few kinds": few_kinds(),
    "uniform": dirichlet(1, 1),
    "running example": mixture([[0.8, 0.2], [0.1, 0.9], [0.5, 0.5]], [0.7, 0.2, 0.1]),
    # Designs of our own.
    "rare label": dirichlet(0.1, 1.9),
    "skewed": dirichlet(3, 1, 0.5, 0.2),
    "sure or open": mixture([[1, 0, 0], [0, 1, 0], [1, 1, 1]], [0.4, 0.3, 0.3]),
    "two camps": mixture([[0.9, 0.05, 0.05], [0.45, 0.5, 0.05], [0.1, 0.1, 0.8]], [0.4, 0.3, 0.3]),
    "agreed ordinal": ordinal(noise=0.4),
    "skewed ordinal": ordinal(noise=1.0, cuts=(-0.5, 0.5, 1.2, 1.8)),
    "3 labels": dirichlet(0.6, 0.6, 0.6),
    "8 labels": dirichlet(*[0.3] * 8),
}
CELLS = [
    # population, items, ratings per item, raters that the classifier is worth
    # Where abc fails, and what is beyond the data.
    ("Dirichlet(1)", 300, 5, 2),
    ("Dirichlet(1)", 100, 5, 2),
    ("Dirichlet(1)", 300, 3, 1),
    ("Dirichlet(.3)", 100, 5, 2),
    ("Dirichlet(3)", 1000, 5, 2),
    ("ordinal", 100, 3, 1),
    ("ordinal", 300, 5, 2),
    ("uniform", 50, 3, 1),
    ("running example", 100, 3, 1),
    ("few kinds", 300, 5, 2),
    ("Dirichlet(1)", 300, 3, 3),
    ("ordinal", 300, 3, 3),
    ("uniform", 1000, 3, 3),
    ("running example", 300, 3, 3),
    # Designs of our own.
    ("3 labels", 150, 4, 2),
    ("skewed", 300, 5, 2),
    ("sure or open", 200, 4, 1),
    ("two camps", 300, 4, 1),
    ("agreed ordinal", 300, 3, 1),
    ("rare label", 300, 3, 1),
    ("8 labels", 300, 4, 1),
    ("skewed ordinal", 100, 5, 2),
    ("running example", 1000, 10, 2),
    ("few kinds", 300, 3, 1),
    ("uniform", 300, 10, 4),
    ("few kinds", 300, 3, 3),
    ("3 labels", 300, 3, 4),
    ("Dirichlet(1)", 100, 3, 3),
    ("uniform", 20, 3, 1),
    ("3 labels", 20, 5, 2),
]


def name_of(cell):
    population, items, raters, truth = cell
    return f"{population} {items:,} x {raters}, {truth}"


def simulate(cell, rng):
    """Ratings, and a classifier that predicts what so many other raters of the item tell."""
    which, items, raters, truth = cell
    population = POPULATIONS[which]
    labels, states = drawn(population, items, raters, rng)
    hidden = population.predict(rng.multinomial(truth, states))
    names = labels.scale.labels
    return labels, Predictions.from_probabilities(range(items), names, {"judge": hidden.tolist()})


def drawn(population, items, raters, rng):
    """Ratings of items, and their states."""
    states = population.theta[rng.choice(len(population.weight), items, p=population.weight)]
    return rated(states, raters, rng), states


def rated(states, raters, rng, name="{}"):
    """Labels that raters give to items in these states."""
    items = len(states)
    cumulative = np.cumsum(states, axis=1)
    label = (rng.random((items, raters))[..., None] > cumulative[:, None, :-1]).sum(axis=-1)
    names = tuple(name.format(code + 1) for code in range(states.shape[1]))
    return Labels(
        items=np.arange(items),
        raters=np.array([str(j) for j in range(raters)], dtype=object),
        scale=Scale(names),
        item=np.repeat(np.arange(items), raters),
        rater=np.tile(np.arange(raters), items),
        label=label.ravel(),
        source="simulation",
    )


def run(cell, seed, draws):
    """What one data set gives, by abc and by states."""
    rng = np.random.default_rng([seed, cell[1], cell[2], cell[3]])
    labels, predictions = simulate(cell, rng)
    # The ceiling, and what is beyond the data, are those of states.
    abc = survey(labels, predictions, combiner="abc", bootstrap=draws, seed=seed, ceiling=False)
    population, truth = POPULATIONS[cell[0]], cell[3]
    start = time.process_time()
    result = survey(labels, predictions, bootstrap=draws, seed=seed)
    seconds = time.process_time() - start
    found = {"cell": name_of(cell), "seed": seed, "draws": draws, "seconds": seconds}
    for name, one in (("abc", abc), ("states", result)):
        worth = one["judge"].worth
        found[name] = {
            "worth": worth.value,
            "covers": covers(worth, truth),
            "above": bool(worth.value > one.provenance.max_k),
            "width": worth.high - worth.low if math.isfinite(worth.low) else math.inf,
        }
    oracle = survey(labels, combiner=Oracle(population), bootstrap=0, ceiling=False)
    pairs = zip(result.curve, oracle.curve, strict=True)
    found["error"] = [1000 * (a.score.value - b.score.value) for a, b in pairs]
    if result.ceiling is not None:
        g = result.ceiling.gain
        found["ceiling"] = [g.value - population.gain, bool(g.low <= population.gain <= g.high)]
    if result["judge"].with_rater:
        both = result["judge"].with_rater.worth
        found["with_one"] = [both.value, covers(both, truth + 1)]
    return found


def covers(worth, truth):
    """Whether an interval holds a number of raters; '> 4' holds all that is above 4."""
    if worth.undefined is not None:
        return None
    most = worth.bounds[1]
    return bool(worth.low <= truth <= worth.high or (truth > most and worth.high > most))


def row(cell, runs):
    """One line of the table: the cell, then abc, then states."""
    abc, states = ([r[name] for r in runs] for name in ("abc", "states"))
    gains, both = ([r[key] for r in runs if key in r] for key in ("ceiling", "with_one"))
    errors = np.mean([r["error"] for r in runs], axis=0) + 0.0
    return [
        name_of(cell),
        share([r["above"] for r in abc]),
        share([r["covers"] for r in abc]),
        f"{np.median([r['worth'] for r in states]):.2f}",
        share([r["above"] for r in states]),
        share([r["covers"] for r in states]),
        f"{np.median([r['states']['width'] for r in runs]):.1f}".replace("inf", "∞"),
        " ".join(f"{e:.0f}" for e in errors),
        f"{np.mean([g[0] for g in gains]):+.3f}" if gains else "",
        share([g[1] for g in gains]) if gains else "",
        f"{np.median([r[0] for r in both]):.2f}" if both else "",
        share([r[1] for r in both]) if both else "",
        f"{np.median([r['seconds'] for r in runs]):.2f}",
        str(len(runs)),
    ]


def share(flags):
    return f"{np.mean(flags):.2f}".removeprefix("0")


KNOWING = [
    (2, 150, 3, 0.05),
    (2, 300, 5, 0.2),
    (3, 300, 4, 0.2),
    (5, 150, 3, 0.05),
    (5, 300, 3, 0.3),
]
"""Labels, items, ratings per item, and how often a rater gives a label at random."""


def who_knows(data_sets):
    """Print the share of the available gain of judges who know the label, always and mostly."""
    for n_labels, items, raters, wrong in KNOWING:
        flat = np.full(n_labels, wrong / n_labels)
        theta = flat + (1 - wrong) * np.eye(n_labels)
        population = Population(theta, np.full(n_labels, 1 / n_labels))
        for errs in (0.0, 0.1):
            # Of what the judge says the truth is so distributed, and raters' labels so.
            after = (errs / n_labels + (1 - errs) * np.eye(n_labels)) @ theta
            known = math.log2(n_labels) + (after * np.log2(after)).sum(axis=1).mean()
            truth, found = known / population.gain, []
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, n_labels, items])
                labels, states = drawn(population, items, raters, rng)
                judge = states.argmax(axis=1)
                random = rng.random(items) < errs
                judge[random] = rng.integers(n_labels, size=random.sum())
                told = {str(i): labels.scale.labels[j] for i, j in enumerate(judge)}
                rows = [{"item": i, "judge": label} for i, label in told.items()]
                result = survey(labels, rows, bootstrap=200, seed=seed)
                found.append(next(iter(result.ceiling.performance_ratio.values())))
            row = [f"{n_labels} labels, {items} x {raters}, {wrong:g}", f"{truth:.2f}"]
            row += [f"{np.median([x.value for x in found]):.2f}"]
            row += [share([x.low - 1e-9 <= truth <= x.high + 1e-9 for x in found])]
            row += [f"{np.median([x.high - x.low for x in found]):.2f}", str(data_sets)]
            print("| " + " | ".join(row) + " |", flush=True)


HEAD = [
    "states, items x ratings, true worth",
    "abc: above max_k",
    "abc: covers",
    "median",
    "above max_k",
    "covers",
    "width",
    "error of the curve",
    "ceiling: bias",
    "ceiling: covers",
    "with a rater: median",
    "covers",
    "s",
    "data sets",
]


def read(results):
    """What was found before, by cell and seed; a line that was not written whole is left out."""
    found = {}
    if results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            try:
                one = json.loads(line)
            except json.JSONDecodeError:
                continue
            found[one["cell"], one["seed"]] = one
    return found


def table(found):
    lines = ["| " + " | ".join(r) + " |" for r in (HEAD, ["---"] * len(HEAD))]
    for cell in CELLS:
        runs = [one for (name, _), one in sorted(found.items()) if name == name_of(cell)]
        if runs:
            lines.append("| " + " | ".join(row(cell, runs)) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--cells", nargs="*", help="names of cells; all by default")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--who-knows", action="store_true", help="shares of judges who know alone")
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("survey_results.jsonl"),
        help="where to add a line per data set; those that are in it are not run again",
    )
    options = parser.parse_args()
    if options.list:
        print(*map(name_of, CELLS), sep="\n")
        return
    if options.who_knows:
        who_knows(options.data_sets)
        return
    chosen = [c for c in CELLS if not options.cells or name_of(c) in options.cells]
    found = read(options.results)
    with options.results.open("a", encoding="utf-8") as out:
        for seed in range(options.data_sets):  # so that a run that was stopped has seen all cells
            for cell in chosen:
                if (name_of(cell), seed) not in found:
                    one = run(cell, seed, options.draws)
                    found[name_of(cell), seed] = one
                    print(json.dumps(one), file=out, flush=True)
    print(table({k: v for k, v in found.items() if k[0] in set(map(name_of, chosen))}))


if __name__ == "__main__":
    main()
