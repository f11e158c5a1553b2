"""What do raters beyond the data add? Fitted states against true ones, and intervals of a worth.

Run ``python docs/studies/scripts/survey_beyond.py`` to print the table of ``survey.md`` beside this
file (an hour on one core).
"""

from __future__ import annotations

import argparse

import numpy as np

from headcount import survey
from headcount.data.labels import Scale
from headcount.equivalence.combiners import States
from headcount.equivalence.power_curve import survey_score
from headcount.equivalence.scorers import as_scorer
from survey import POPULATIONS, Predictions, covers, drawn, mixture, ordinal, share

BITS = as_scorer("cross-entropy", Scale(("1", "2")), None)
MORE = {
    "3 kinds": mixture(0.1 + 0.7 * np.eye(3), np.ones(3)),
    "5 blunt kinds": mixture(0.12 + 0.4 * np.eye(5), np.ones(5)),
    "pairs of labels": mixture(
        [*(0.03 + 0.42 * (np.eye(5) + np.eye(5, k=1))[:4]), [0.9, 0.03, 0.03, 0.02, 0.02]],
        [1, 1, 1, 1, 2],
    ),
    "sharp, 2 labels": mixture([[0.97, 0.03], [0.03, 0.97], [0.5, 0.5]], [0.5, 0.3, 0.2]),
    "3 in order": ordinal(0.7, (-0.6, 0.6)),
}
NAMES = ("few kinds", "ordinal", "Dirichlet(1)", "agreed ordinal", "skewed ordinal", "3 labels")
CHOSEN = {**{name: POPULATIONS[name] for name in NAMES}, **MORE}


def added(population, most):
    """What raters beyond the second add, by who knows the population: of one more, of two ..."""
    some = np.random.default_rng(0).permutation(len(population.weight))[:500]
    theta, weight = population.theta[some], population.weight[some] / population.weight[some].sum()
    curve = [float(survey_score(theta, weight, k, States(), BITS)) for k in range(2, most + 1)]
    return np.array(curve[1:]) - curve[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=40)
    parser.add_argument("--items", type=int, default=300)
    parser.add_argument("--truth", type=int, default=4)
    options = parser.parse_args()
    for name, population in CHOSEN.items():
        true, found, worths = added(population, 4), [], []
        for seed in range(options.data_sets):
            rng = np.random.default_rng([seed, options.items, options.truth, 5])
            labels, states = drawn(population, options.items, 3, rng)
            told = population.predict(rng.multinomial(options.truth, states))
            judged = Predictions.from_probabilities(
                range(options.items), labels.scale.labels, {"judge": told.tolist()}
            )
            result = survey(labels, judged, bootstrap=200, seed=seed)
            found.append(result.ceiling.curve[3:5] - result.ceiling.curve[2])
            worths.append(result["judge"].worth)
        ratio = true / np.mean(found, axis=0)
        row = [name, f"{ratio[0]:.2f}", f"{ratio[1]:.2f}"]
        row += [f"{np.median([w.value for w in worths]):.2f}".replace("inf", "> 4")]
        row += [share([covers(w, options.truth) for w in worths]), str(len(worths))]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
