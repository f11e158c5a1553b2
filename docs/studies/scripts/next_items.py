"""Items drawn by what they would tell: are scores unbiased, do intervals cover, what is gained?

    python docs/studies/scripts/next_items.py [data sets]

Seven judges label 1,000 items, of which 100 get gold: drawn at random, or by `next_items` and
weighted. Errors and coverage are of the score on all 1,000 items.
"""

from __future__ import annotations

import sys

import numpy as np

from headcount import Labels, next_items
from headcount.blind_evaluation.gold_methods import PPI, Direct
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.rate import PeopleRatings, correct
from headcount.blind_evaluation.scoring import Settings, Task
from headcount.blind_evaluation.votes import collect
from headcount.results.notes import Notes

ITEMS, GOLD = 1000, 100
METRICS = ("accuracy", "precision", "recall")
SKILL = np.array([2.8, 2.2, 1.8, 1.5, 1.2, 0.9, 0.6])


def votes_of(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw the truth and the labels of seven judges."""
    truth = rng.random(ITEMS) < 0.3
    logit = np.tile(SKILL, (ITEMS, 1))
    if kind == "hard items":
        logit = logit + 2 * rng.standard_normal((ITEMS, 1))
    right = rng.random(logit.shape) < 1 / (1 + np.exp(-logit))
    if kind == "family":  # four of seven do as the first does, in four of five items
        copies = rng.random((ITEMS, 3)) < 0.8
        right[:, 4:] = np.where(copies, right[:, [6]], right[:, 4:])
    return truth.astype(int), np.where(right, truth[:, None], ~truth[:, None]).astype(int)


def scored(labels: Labels, gold: dict, drawn: dict | None) -> dict[str, tuple]:
    """Score by gold, and by gold and votes: values, low and high ends."""
    votes = collect(labels, gold=gold, drawn=drawn)
    metrics = choose_metrics(votes.labels, names=METRICS, positive="1")
    task = Task(votes=votes, metrics=metrics, settings=Settings(smoothing=0.5), notes=Notes())
    out = {}
    for method in (Direct(), PPI()):
        found = method.score(task).scored
        ends = np.array(
            [
                [
                    metrics.interval(m, float(value), float(size), 0.95)
                    for value, size in zip(found.scores[m], found.sizes.effective[m], strict=True)
                ]
                for m in range(len(METRICS))
            ]
        )
        out[method.name] = (found.scores, ends[..., 0], ends[..., 1])
    return out


def one(kind: str, seed: int) -> dict[tuple[str, str], tuple]:
    """Score one data set, with random gold and with chosen gold."""
    rng = np.random.default_rng(seed)
    truth, said = votes_of(kind, rng)
    items, who = np.indices(said.shape).reshape(2, -1)
    labels = Labels.from_triples(items, who, said.ravel())
    everything = scored(labels, {i: str(y) for i, y in enumerate(truth)}, None)["direct"][0]
    random = rng.choice(ITEMS, GOLD, replace=False)
    chosen = next_items(labels, number=GOLD, seed=seed)
    drawn = dict(zip(chosen.items.tolist(), chosen.probability.tolist(), strict=True))
    designs = {"random": (random.tolist(), None), "next": (list(drawn), drawn)}
    out = {}
    for design, (picked, probability) in designs.items():
        gold = {i: str(truth[i]) for i in picked}
        for method, (value, low, high) in scored(labels, gold, probability).items():
            error = value - everything
            out[design, method] = (error, (low <= everything) & (everything <= high), high - low)
        judge = said[:, :3].mean(axis=1)
        people = PeopleRatings(
            item=np.array(picked),
            rater=np.arange(len(picked)),
            value=truth[picked].astype(float),
            drawn=None if probability is None else np.array([probability[i] for i in picked]),
        )
        rate, true = correct(judge, people), truth.mean()
        out[design, "rate"] = (
            np.full((3, 1), rate.value - true),
            np.full((3, 1), rate.low <= true <= rate.high),
            np.full((3, 1), rate.high - rate.low),
        )
    return out


def main(number: int) -> None:
    """Print bias, error and coverage."""
    print(f"{number} data sets, {GOLD} of {ITEMS} items with gold, 7 judges")
    print("items       estimate  metric     design   bias    RMSE  width  coverage (least)")
    for kind in ("independent", "hard items", "family"):
        runs = [one(kind, seed) for seed in range(number)]
        for method in ("direct", "ppi", "rate"):
            for m, metric in enumerate(METRICS[:1] if method == "rate" else METRICS):
                for design in ("random", "next"):
                    error, covers, width = (
                        np.array([run[design, method][part][m] for run in runs])
                        for part in range(3)
                    )
                    by_judge = np.nanmean(covers, axis=0)
                    print(
                        f"{kind:11} {method:9} {metric if method != 'rate' else 'rate':10} "
                        f"{design:7} {np.nanmean(error):+.4f} {np.sqrt(np.nanmean(error**2)):.4f} "
                        f"{np.nanmean(width):.3f}  {by_judge.mean():.3f} ({by_judge.min():.3f})"
                    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
