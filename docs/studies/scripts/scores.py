"""Scores and ordered labels: is a judge's worth right, and how often does its interval cover it?

Items have a state t from N(0, 1); a rater says 1 to 5 by where t + logistic noise falls. A judge
gives the score t + s e, a number that is no label. s is chosen so that the judge is worth exactly
`truth` raters under the scorer, by numerical integration: nothing is simulated to find the truth.

    python docs/studies/scripts/scores.py --sets 100
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.special import expit

from headcount import Labels, Predictions, survey
from headcount.data.labels import Scale
from headcount.data.predictions import Score
from headcount.equivalence.calibration import CALIBRATIONS, cross_fit
from headcount.equivalence.combiners import COMBINERS, States
from headcount.equivalence.scorers import SCORERS

CUTS = np.array([-1.5, -0.5, 0.5, 1.5])
NOISE = 0.5
BENT = [np.asarray]
"""What is done to the judge's number, which changes no information: a score need not be linear."""
SCALE = Scale(("1", "2", "3", "4", "5"), kind="interval")
STATE = np.linspace(-5, 5, 401)
DENSITY = np.exp(-(STATE**2) / 2) / np.exp(-(STATE**2) / 2).sum()


def label_probabilities(t):
    below = expit((CUTS - np.asarray(t)[:, None]) / NOISE)
    return np.diff(np.pad(below, ((0, 0), (1, 1)), constant_values=(0, 1)), axis=1)


def best_score(scorer, joint):
    """Score of the best prediction after each observation, of P(observation, next label)."""
    seen = joint.sum(axis=1)
    posterior = joint / seen[:, None]
    return float(scorer.score(posterior, posterior, seen))


def curve(scorer, k):
    """Score of k = 0, 1, 2 raters whose answers are used as well as can be."""
    p = label_probabilities(STATE)
    said = np.ones((len(STATE), 1))
    for _ in range(k):
        said = (said[:, :, None] * p[:, None, :]).reshape(len(STATE), -1)
    return best_score(scorer, np.einsum("t,to,tl->ol", DENSITY, said, p))


def judge_score(scorer, spread):
    x = np.linspace(-8, 8, 801)
    likelihood = np.exp(-((x - STATE[:, None]) ** 2) / (2 * spread**2)) + 1e-300
    likelihood /= likelihood.sum(axis=1, keepdims=True)
    joint = np.einsum("t,tx,tl->xl", DENSITY, likelihood, label_probabilities(STATE))
    return best_score(scorer, joint[joint.sum(axis=1) > 1e-9])


def spread_for(scorer, truth):
    """Noise of a judge that scores as much as `truth` raters."""
    wanted, low, high = curve(scorer, truth), 0.05, 5.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if judge_score(scorer, middle) > wanted else (low, middle)
    return (low + high) / 2


def data_set(items, raters, spread, rng):
    t = rng.normal(size=items)
    noise = NOISE * rng.logistic(size=(items, raters))
    said = (t[:, None, None] + noise[:, :, None] > CUTS).sum(axis=2) + 1
    labels = Labels.from_triples(
        np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items), said.ravel(),
        scale=SCALE,
    )  # fmt: skip
    score = Score("judge", BENT[0](t + spread * rng.normal(size=items)))
    return labels, Predictions(items=labels.items, labels=(), classifiers=(), scores=(score,))


def calibration_error(args):
    """Error of the judge's score, in thousandths of a bit, by how probabilities are learned."""
    print("\nerror of the judge's cross-entropy, milli-bits (standard error of the mean)")
    print(f"{'items':>6} {'calibration':>14} {'held-out':>16} {'two-sided':>16}")
    scorer = SCORERS["cross-entropy"](SCALE)
    spread = spread_for(scorer, 1)
    truth = judge_score(scorer, spread)
    for items in args.items:
        errors = {}
        for seed in range(args.sets):
            labels, said = data_set(items, 3, spread, np.random.default_rng([1, items, seed]))
            reference = labels.matrix() / 3
            x = said.scores[0].values[:, None]
            for name in ("ordered-logit", "logit", "empirical"):
                table = np.eye(10)[np.argsort(np.argsort(x[:, 0])) * 10 // items]
                for two_sided in (False, True):
                    p = cross_fit(
                        x if name != "empirical" else table, labels.items, reference,
                        CALIBRATIONS[name], 0, two_sided=two_sided,
                    )  # fmt: skip
                    found = float(scorer.score(p, reference, np.ones(items)))
                    errors.setdefault((name, two_sided), []).append(1000 * (found - truth))
        for name in ("ordered-logit", "logit", "empirical"):
            cells = [np.array(errors[name, side]) for side in (False, True)]
            texts = [f"{c.mean():7.1f} ({c.std() / len(c) ** 0.5:4.1f})" for c in cells]
            print(f"{items:6d} {name:>14} {texts[0]:>16} {texts[1]:>16}")


def worth(args):
    """Worth of a judge whose worth is known, and coverage of its interval."""
    print(f"\nworth of a score; 3 raters or 5, {args.sets} data sets, {args.bootstrap} draws, 95%")
    head = ("scorer", "combiner", "items", "raters", "truth", "median", "above", "cover", "s")
    print(" ".join(f"{h:>13}" if i < 2 else f"{h:>7}" for i, h in enumerate(head)))
    for name in args.scorers:
        scorer = SCORERS[name](SCALE)
        for truth, raters in ((1, 3), (2, 5)):
            spread = spread_for(scorer, truth)
            for items in args.items:
                for combiner in args.combiners:
                    _worth_cell(args, name, combiner, items, raters, truth, spread)


def another_rater(args):
    """Worth of one more rater as a judge, which is 1.

    As numbers, as numbers that are shuffled and so do not act in order, as names nobody else uses.
    """
    print(f"\nworth of one more rater, cross-entropy; 3 raters, {args.sets} data sets")
    head = ("labels", "combiner", "items", "raters", "truth", "median", "above", "cover", "s")
    print(" ".join(f"{h:>13}" if i < 2 else f"{h:>7}" for i, h in enumerate(head)))
    for kind in args.labels:
        for items in args.items:
            for combiner in args.combiners:
                _worth_cell(args, kind, combiner, items, 3, 1, None)


def one_more(kind, items, raters, rng):
    """Ratings, and what one more rater says of the items."""
    labels, _ = data_set(items, raters + 1, 1.0, rng)
    last = labels.rater == raters
    said = 10 - labels.label[last] if kind == "names" else labels.label[last]
    words = {"numbers": SCALE.labels, "shuffled": tuple("14253"), "names": tuple("vwxyz")}[kind]
    kept = ~last
    rest = Labels.from_triples(
        labels.item[kept], labels.rater[kept], [words[code] for code in labels.label[kept]],
        scale=Scale(tuple(sorted(words))),
    )  # fmt: skip
    texts = [f"name {code}" if kind == "names" else words[code] for code in said]
    return rest, Predictions.from_labels(rest.items, {"judge": texts})


def _worth_cell(args, name, combiner, items, raters, truth, spread):
    found, covered, above = [], 0, 0
    start = time.process_time()
    for seed in range(args.sets):
        rng = np.random.default_rng([2, items, raters, seed])
        if spread is None:
            data, scorer = one_more(name, items, raters, rng), "cross-entropy"
        else:
            data, scorer = data_set(items, raters, spread, rng), name
        result = survey(
            *data, scorer=scorer, combiner=combiner, ceiling=False, bootstrap=args.bootstrap,
            seed=seed,
        )  # fmt: skip
        e = result["judge"].worth
        found.append(float(e.value))
        above += e.censored == "above"
        ends = e.to_dict()
        low = -np.inf if ends.get("low_censored") == "below" else ends["low"]
        low = raters - 1 if ends.get("low_censored") == "above" else low
        high = np.inf if ends.get("high_censored") == "above" else ends["high"]
        covered += low is not None and high is not None and low <= truth <= high
    n = args.sets
    print(
        f"{name:>13} {combiner:>13} {items:7d} {raters:7d} {truth:7d} {np.median(found):7.2f} "
        f"{above / n:7.2f} {covered / n:7.3f} {(time.process_time() - start) / n:7.2f}",
        flush=True,
    )


def hard_judges(args):
    """Worth of one more rater as a judge, 1 if surveys are fair opponents, on many items."""
    rng = np.random.default_rng(3)
    items = 4000
    t = rng.normal(size=items)
    noise = NOISE * rng.logistic(size=(items, 6))
    said = (t[:, None, None] + noise[:, :, None] > CUTS).sum(axis=2) + 1
    labels = Labels.from_triples(
        np.repeat(np.arange(items), 5), np.tile(np.arange(5), items), said[:, :5].ravel(),
        scale=SCALE,
    )  # fmt: skip
    judged = Predictions.from_labels(labels.items, {"raw": said[:, 5].tolist()})
    print(f"\none more rater as a judge of {items} items: worth 1 if surveys are fair opponents")
    print(f"{'scorer':>15} {'combiner':>10} {'raw':>7} {'calibrated':>11}")
    for name in ("squared-error", "absolute-error", "rps", "spearman", "kappa", "kappa-linear"):
        for combiner in dict.fromkeys([*args.combiners, "plurality", "frequency", "mean"]):
            if COMBINERS[combiner].kind not in SCORERS[name].kinds:
                continue
            result = survey(
                labels, judged, scorer=name, combiner=combiner, ceiling=False, bootstrap=0,
                calibrate="ordered-logit",
            )  # fmt: skip
            shown = [c.worth.show(c.worth.value, 2) for c in result.classifiers]
            print(f"{name:>15} {combiner:>10} {shown[0]:>7} {shown[1]:>11}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--bootstrap", type=int, default=200)
    parser.add_argument("--items", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--combiners", nargs="+", default=list(dict.fromkeys([States.name, "abc"])))
    parser.add_argument("--scorers", nargs="+", default=["cross-entropy", "rps", "squared-error"])
    parser.add_argument("--labels", nargs="+", default=["numbers", "shuffled", "names"])
    parser.add_argument("--bend", choices=["no", "exp"], default="no", help="the judge's score")
    parser.add_argument("--parts", nargs="+", default=["error", "worth", "rater", "hard"])
    args = parser.parse_args()
    BENT[0] = {"no": np.asarray, "exp": np.exp}[args.bend]
    parts = {
        "error": calibration_error,
        "worth": worth,
        "rater": another_rater,
        "hard": hard_judges,
    }
    for name in args.parts:
        parts[name](args)


if __name__ == "__main__":
    main()
