"""Which interval for the ceiling is honest? Simulated data sets whose ceiling is known.

Run ``python docs/studies/ceiling.py`` to write ``ceiling.md`` beside this file (half an hour on
one core); ``--data-sets 20`` for a quick look.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import NormalDist

import numpy as np

from headcount import ABC, survey
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.equivalence.ceiling.ceiling import find_ceiling, refit_ceiling
from headcount.equivalence.ceiling.states import compositions
from headcount.equivalence.scorers.scorers import SCORERS

LEVEL = 0.95
TAIL = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
URN = np.array([[0.8, 0.2], [0.1, 0.9], [0.5, 0.5]])
URN_SHARE = np.array([0.7, 0.2, 0.1])
"""The running example."""
KINDS = {
    "running example": None,
    "uniform": (1.0, 1.0),
    "Beta(2, 2)": (2.0, 2.0),
    "Beta(.3, .7)": (0.3, 0.7),
    "Beta(8, 2)": (8.0, 2.0),
}
SIZES = [(1000, 10), (300, 10), (1000, 5), (3000, 5), (300, 5), (1000, 3), (3000, 3)]
SEVERAL = [(3, 5, 1000), (3, 10, 1000), (4, 5, 1000), (4, 10, 1000), (5, 5, 1000), (5, 10, 1000)]
METHODS = ("percentile", "basic", "bias-corrected", "smoothed", "range")


def entropy(p):
    return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)


def draw_states(parameters, items, rng):
    if parameters is None:
        return URN[rng.choice(3, size=items, p=URN_SHARE)]
    return rng.dirichlet(parameters, size=items)


def true_gain(parameters):
    """Entropy of the mean state less the mean entropy of states, in bits."""
    if parameters is None:
        return entropy(URN_SHARE @ URN) - URN_SHARE @ entropy(URN)
    # The entropy of states that are Dirichlet, by its derivative of moments (digamma functions).
    a = np.array(parameters)
    mean = a / a.sum()
    return entropy(mean) - (mean * (digamma(a.sum() + 1) - digamma(a + 1))).sum() / np.log(2)


def digamma(x):
    """Recurrence to large x, then the asymptotic series."""
    x = np.asarray(x, dtype=float)
    below = sum(1 / (x + i) for i in range(20))
    y = x + 20
    return np.log(y) - 1 / (2 * y) - 1 / (12 * y**2) + 1 / (120 * y**4) - below


def simulate(parameters, items, raters, rng):
    counts = rng.multinomial(raters, draw_states(parameters, items, rng))
    return np.unique(counts, axis=0, return_counts=True)


def intervals(patterns, multiplicity, draws, rng):
    """Gain of the ceiling, its range, and the interval of each method."""
    scorer = SCORERS["cross-entropy"](Scale(tuple("abcde"[: patterns.shape[1]])), None)
    n = int(multiplicity.sum())
    found = find_ceiling(patterns, multiplicity, ABC(), scorer)
    drawn = rng.multinomial(n, multiplicity / n, size=draws).astype(float)
    again = refit_ceiling(found, patterns, drawn, ABC(), scorer)
    value, gain = found.gain, again.gain
    low, high = np.quantile(gain, TAIL)
    normal = NormalDist()
    share = np.clip((gain < value).mean(), 0.5 / draws, 1 - 0.5 / draws)
    corrected = [normal.cdf(2 * normal.inv_cdf(share) + normal.inv_cdf(t)) for t in TAIL]
    raters = int(patterns.sum(axis=1).max())
    every = compositions(raters, patterns.shape[1])
    smooth = refit_ceiling(
        found, every, smoothed(found.states, every, n, draws, rng), ABC(), scorer
    )
    shift = smooth.gain - value
    return {
        "value": value,
        "range": (found.low - found.baseline, found.high - found.baseline),
        "bounds": {
            "percentile": (low, high),
            "basic": (2 * value - high, 2 * value - low),
            "bias-corrected": tuple(np.quantile(gain, corrected)),
            "smoothed": tuple(value - np.quantile(shift, TAIL[::-1])),
            "range": (
                np.quantile(again.low - again.baseline, TAIL[0]),
                np.quantile(again.high - again.baseline, TAIL[1]),
            ),
        },
        "draws": len(gain),
    }


def smoothed(states, patterns, n, draws, rng):
    """Data sets drawn from the fitted distribution of states itself."""
    raters = int(patterns.sum(axis=1).max())
    log_factorial = np.concatenate([[0], np.cumsum(np.log(np.arange(1, raters + 1)))])
    ways = np.exp(log_factorial[raters] - log_factorial[patterns].sum(axis=1))
    chance = ways * (np.prod(states.support[None] ** patterns[:, None], axis=-1) @ states.weight)
    return rng.multinomial(n, chance / chance.sum(), size=draws).astype(float)


def largest_survey(patterns, multiplicity):
    """Gain of all raters but one, as the power curve measures it, leaving items out."""
    raters = int(patterns.sum(axis=1).max())
    items = np.repeat(patterns, multiplicity, axis=0)
    n, n_labels = items.shape
    label = np.concatenate([np.repeat(np.arange(n_labels), item) for item in items])
    labels = Labels(
        items=np.arange(n),
        raters=np.array([str(j) for j in range(raters)], dtype=object),
        scale=Scale(tuple("abcde"[:n_labels])),
        item=np.repeat(np.arange(n), raters),
        rater=np.tile(np.arange(raters), n),
        label=label,
        source="simulation",
    )
    return survey(labels, bootstrap=0).curve[-1].gain.value


def study(parameters, items, raters, data_sets, draws, rng, *, several=False):
    """Bias, spread, mean range, and the share of data sets in which each interval covers."""
    truth = true_gain(parameters)
    rows = []
    for _ in range(data_sets):
        patterns, multiplicity = simulate(parameters, items, raters, rng)
        rows.append(intervals(patterns, multiplicity, draws, rng))
        if several:
            low, high = rows[-1]["bounds"]["range"]
            rows[-1]["bounds"]["floor"] = (min(low, largest_survey(patterns, multiplicity)), high)
    values = np.array([row["value"] for row in rows])
    ends = np.mean([row["range"] for row in rows], axis=0)
    out = [f"{truth:.3f}", f"{values.mean() - truth:+.3f}", f"{values.std():.3f}"]
    out.append(f"{ends[0]:.3f} to {ends[1]:.3f}")
    for method in (*METHODS, "floor") if several else METHODS:
        covers = [row["bounds"][method][0] <= truth <= row["bounds"][method][1] for row in rows]
        out.append(f"{np.mean(covers):.0%}".rstrip("%"))
    widths = [row["bounds"]["range"][1] - row["bounds"]["range"][0] for row in rows]
    return [*out, f"{np.mean(widths):.3f}"]


def table(head, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines)


PAGE = """# How far can the ceiling be trusted?

Written by `python docs/studies/ceiling.py`. The gain of infinitely many raters over none (abc,
cross-entropy, bits) is estimated from simulated data sets whose true gain is known. Coverage is the
share of data sets, in per cent, in which a 95% interval holds the truth.

- *percentile*, *basic*, *bias-corrected*: bootstrap of items, states fitted anew to each draw.
- *smoothed*: data sets drawn from the fitted states; basic interval.
- *range*: from the 2.5% quantile of the draws' lowest ceilings to the 97.5% quantile of their
  highest ones, among all distributions of states that fit a draw as well as the best. This is what
  headcount reports; with more than two labels its lower end is the largest survey's.

## Two labels

{two_sets} data sets a row, {two_draws} draws each; a coverage of 95 has a standard error of
{two_error}.

{two}

With 10 raters an item the ceiling is a point, and all intervals do. With 5 it is a narrow range,
with 3 a wide one: however many items there are, 3 ratings tell 3 moments of the states and no
more. Intervals that pretend otherwise fail, the more so the more items there are.

## Three to five labels

States are Dirichlet, with .4 for each label; 1,000 items. {several_sets} data sets a row,
{several_draws} draws each; a coverage of 95 has a standard error of {several_error}.

{several}

With more labels the fit follows chance as well as states: the ceiling is overstated, and no
bootstrap sees it. *floor* is the interval of *range* with its lower end brought down to the gain of
the largest survey in the data, which a ceiling cannot be below (measured leaving items out, so that
chance does not help it).
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--several", type=int, default=40)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--output", default=Path(__file__).with_suffix(".md"), type=Path)
    options = parser.parse_args()
    head = ["true", "bias", "sd", "mean range", *METHODS]
    two = []
    for kind, parameters in KINDS.items():
        for items, raters in SIZES:
            rng = np.random.default_rng([items, raters])
            row = study(parameters, items, raters, options.data_sets, options.draws, rng)
            two.append([kind, f"{items:,} x {raters}", *row])
            print(*two[-1], flush=True)
    several = []
    for n_labels, raters, items in SEVERAL:
        rng = np.random.default_rng([n_labels, raters])
        row = study(
            (0.4,) * n_labels, items, raters, options.several, options.draws // 4, rng, several=True
        )
        several.append([str(n_labels), str(raters), *row])
        print(*several[-1], flush=True)

    def error(data_sets):
        return f"{100 * np.sqrt(0.95 * 0.05 / data_sets):.1f}"

    page = PAGE.format(
        two_sets=options.data_sets,
        two_draws=options.draws,
        two_error=error(options.data_sets),
        two=table(["states", "items x raters", *head, "width of range"], two),
        several_sets=options.several,
        several_draws=options.draws // 4,
        several_error=error(options.several),
        several=table(["labels", "raters", *head, "floor", "width of range"], several),
    )
    options.output.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
