"""Numbers with many values: is a judge's worth right? docs/studies/survey.md, 'Sliders'.

A rating is an item's state, plus a rater's level, plus an error; a judge gives the state with
noise. The truth follows from variances alone: a mean of k raters correlates with the next one by
C / sqrt(V (C + (V - C) / k)).

    python docs/studies/scripts/survey_numbers.py --sets 300
    python docs/studies/scripts/survey_numbers.py --sets 100 --raters
    python docs/studies/scripts/survey_numbers.py --sets 300 --others

With --raters the same few people rate everything, and differ in level (sd 8), in how far they use
the scale (sd .25) and in precision (sd .4 of logs), or not at all. With --others no model holds:
the truth is that of a million items.
"""

from __future__ import annotations

import argparse

import numpy as np

from headcount import Labels, Predictions, survey, survey_equivalence
from headcount.data.predictions import Score

STATE, ERROR = 15.0, 13.0
POPULATIONS = {
    "normal": {},
    "heavy tails (t with 3 df)": {"tails": True},
    "raters of other precision": {"precision": (0.4, 1.6)},
    "skewed states": {"skewed": True},
    "error grows with the state": {"grows": True},
    "raters of other levels": {"levels": 4.0},
}
CELLS = [(80, 3), (150, 3), (300, 5)]


def with_zeros(items, raters, rng):
    """0 to 100, of half of the items near 0: raters give 0 to many, and errors are cut off."""
    low = rng.random(items) < 0.5
    z = np.where(low, rng.uniform(0, 8, items), rng.uniform(5, 100, items))
    said = np.clip(z[:, None] + 10 * rng.normal(size=(items, raters)), 0, 100)
    said[rng.random(said.shape) < np.exp(-z / 10)[:, None]] = 0
    return said, np.clip(z + 14 * rng.normal(size=items), 0, 100)


def crowded_low(items, raters, rng):
    """0 to 100, most states low, and errors that grow with the state."""
    z = 100 * rng.beta(0.8, 5, items)
    error = (3 + 0.3 * z)[:, None] * rng.normal(size=(items, raters))
    return np.clip(z[:, None] + error, 0, 100), z + 8 * rng.normal(size=items)


def raters_at_random(items, raters, rng):
    """Raters of three precisions, drawn anew for each rating."""
    z = rng.normal(50, 15, items)
    error = rng.choice([5, 12, 25], (items, raters)) * rng.normal(size=(items, raters))
    return z[:, None] + error, z + 10 * rng.normal(size=items)


def long_tail(items, raters, rng):
    """No upper limit: states with a long tail, errors in proportion, and zeros."""
    z = rng.gamma(1.2, 18, items)
    said = z[:, None] * np.exp(0.35 * rng.normal(size=(items, raters)))
    said[rng.random(said.shape) < np.exp(-z / 12)[:, None]] = 0
    return said, z * np.exp(0.35 * rng.normal(size=items))


OTHERS = (with_zeros, crowded_low, raters_at_random, long_tail)
"""Populations whose truth is that of a million items."""


def large_truth(population):
    """What the judge is worth by correlation and by squared error, and the ceiling's correlation."""
    said, judge = population(1_000_000, 2, np.random.default_rng(1))
    v, c = said.var(), np.cov(said.T)[0, 1]
    with_judge = np.mean([np.cov(judge, own)[0, 1] for own in said.T]) / judge.std()
    explained = np.append(0.0, c**2 / (c + (v - c) / np.arange(1, 80)))
    by_correlation = survey_equivalence(np.sqrt(explained / v), with_judge / np.sqrt(v))
    by_error = survey_equivalence(explained, with_judge**2)
    return {"correlation": float(by_correlation), "squared-error": float(by_error)}, (c / v) ** 0.5


def of_others(sets: int) -> None:
    """Print a row a population and scorer, and one for the ceiling."""
    print("| population | of | truth | median | covers | low end above |")
    print("|---|---|---|---|---|---|")
    items, raters = 150, 3
    for population in OTHERS:
        truths, top = large_truth(population)
        found = {"correlation": [], "squared-error": [], "ceiling": []}
        for seed in range(sets):
            said, judge = population(items, raters, np.random.default_rng([seed, items]))
            labels = Labels.from_triples(
                np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items),
                np.round(said, 1).ravel(),
            )  # fmt: skip
            for scorer in truths:
                table = {"item": np.arange(items), "judge": judge}
                result = survey(labels, table, scorer=scorer, bootstrap=300, seed=seed)
                found[scorer].append(result.classifiers[-1].worth)
                if scorer == "correlation":
                    found["ceiling"].append(result.ceiling.score)
        for name, estimates in found.items():
            truth = truths.get(name, top)
            median = np.median([e.value for e in estimates])
            covers = np.mean([e.low <= truth <= e.high for e in estimates])
            low = np.mean([e.low > truth for e in estimates])
            title = population.__name__.replace("_", " ")
            print(f"| {title} | {name} | {truth:.2f} | {median:.2f} | {covers:.2f} | {low:.3f} |",
                  flush=True)  # fmt: skip


def data_set(items, raters, noise, rng, *, tails=False, precision=None, skewed=False, grows=False,
             levels=0.0):  # fmt: skip
    """Ratings, a judge's numbers, and the variance of a rating that these raters give."""
    z = rng.exponential(size=items) - 1 if skewed else rng.normal(size=items)
    error = (
        rng.standard_t(3, (items, raters)) / 3**0.5 if tails else rng.normal(size=(items, raters))
    )
    size = np.full(raters, ERROR)
    if precision is not None:
        size = ERROR * np.linspace(*precision, raters)
    error = error * size
    if grows:
        error = error * (np.exp(0.4 * z) / np.exp(0.16))[:, None]
    said = np.round(50 + STATE * z[:, None] + levels * rng.normal(size=raters) + error, 1)
    judge = STATE * z + noise * rng.normal(size=items)
    return said, judge, STATE**2 + float(np.mean(size**2)) + levels**2


def truth_of(variance, noise, scorer):
    """What the judge is worth."""
    c, k = STATE**2, np.arange(1, 60)
    explained = np.append(0.0, c**2 / (c + (variance - c) / k))
    judge = c**2 / (c + noise**2)
    if scorer == "correlation":
        explained, judge = np.sqrt(explained), np.sqrt(judge)
    return float(survey_equivalence(explained, judge))


def of_raters(sets: int) -> None:
    """Print a row per panel: intervals over items, and for raters like these."""
    print("| raters | they | truth | over items | for raters like these | has an upper end |")
    print("|---|---|---|---|---|---|")
    items = 150
    for raters, truth in ((3, 1.0), (5, 2.0), (8, 2.0)):
        for differ in (True, False):
            level, slope, precision = (8.0, 0.25, 0.4) if differ else (0.0, 0.0, 0.0)
            spread = (1 + slope**2) * STATE**2 + level**2
            spread += ERROR**2 * np.exp(2 * precision**2)
            noise = ((spread - STATE**2) / truth) ** 0.5
            held = []
            for seed in range(sets):
                rng = np.random.default_rng([seed, raters, differ])
                z = STATE * rng.normal(size=items)
                size = ERROR * np.exp(precision * rng.normal(size=raters))
                said = (1 + slope * rng.normal(size=raters)) * z[:, None]
                said = 50 + said + level * rng.normal(size=raters)
                said = np.round(said + size * rng.normal(size=(items, raters)), 1)
                labels = Labels.from_triples(
                    np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items),
                    said.ravel(),
                )  # fmt: skip
                judge = z + noise * rng.normal(size=items)
                table = {"item": np.arange(items), "judge": judge}
                narrow, wide = (
                    survey(labels, table, bootstrap=300, seed=seed, intervals=kind)["judge"].worth
                    for kind in ("fixed", "sample")
                )
                covers = [w.low <= truth <= w.high for w in (narrow, wide)]
                held.append([*covers, np.isfinite(wide.high)])
            shares = " | ".join(f"{share:.2f}" for share in np.mean(held, axis=0))
            they = "differ" if differ else "are alike"
            print(f"| {raters} | {they} | {truth:g} | {shares} |", flush=True)


def main() -> None:
    """Print a row per population, size, noise and scorer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--raters", action="store_true")
    parser.add_argument("--others", action="store_true")
    given = parser.parse_args()
    if given.others:
        of_others(given.sets)
        return
    if given.raters:
        of_raters(given.sets)
        return
    print(
        "| population | items x raters | scorer | truth | median | above | covers | low end above |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, options in POPULATIONS.items():
        for items, raters in CELLS:
            for noise in (9.0, 13.0) if raters == 3 else (6.0,):
                rows = {"correlation": [], "squared-error": []}
                for seed in range(given.sets):
                    rng = np.random.default_rng([seed, items, raters])
                    said, judge, variance = data_set(items, raters, noise, rng, **options)
                    labels = Labels.from_triples(
                        np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items),
                        said.ravel(),
                    )  # fmt: skip
                    score = Score("judge", judge)
                    judges = Predictions(
                        items=labels.items, labels=(), classifiers=(), scores=(score,)
                    )
                    for scorer, found in rows.items():
                        result = survey(labels, judges, scorer=scorer, bootstrap=300, seed=seed)
                        worth = result.classifiers[-1].worth
                        found.append((truth_of(variance, noise, scorer), worth))
                for scorer, found in rows.items():
                    above = np.mean([w.censored == "above" for _, w in found])
                    covers = np.mean([w.low <= t <= w.high for t, w in found])
                    low = np.mean([w.low > t for t, w in found])
                    print(
                        f"| {name} | {items} x {raters} | {scorer} | {found[0][0]:.2f} | "
                        f"{np.median([w.value for _, w in found]):.2f} | {above:.2f} | {covers:.2f} | "
                        f"{low:.3f} |", flush=True,
                    )  # fmt: skip


if __name__ == "__main__":
    main()
