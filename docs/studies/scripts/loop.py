"""Plans and loops of comparisons on data in which the truth is known; see loop.md.

python docs/studies/scripts/loop.py plan --sets 20
python docs/studies/scripts/loop.py stop --sets 10
python docs/studies/scripts/loop.py rule --sets 6
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from scipy import stats

from headcount import Comparisons, next_pairs, pairs
from headcount.pairwise.planning.need import forecast
from headcount.pairwise.planning.tasks.goals import choose_goal
from headcount.pairwise.planning.tasks.posterior import fit_posterior, posterior_at

Floats = np.ndarray
Q = (np.arange(1000) + 0.5) / 1000

ITEMS: dict[str, Callable[[Floats], Floats]] = {
    "normal, sd .5": lambda u: 0.5 * stats.norm.ppf(u),
    "normal, sd 1": lambda u: stats.norm.ppf(u),
    "normal, sd 2": lambda u: 2 * stats.norm.ppf(u),
    "uniform": lambda u: 3.4 * u - 1.7,
    "heavy tails (t, 4 df)": lambda u: stats.t.ppf(u, 4),
    "skewed (exponential)": lambda u: stats.expon.ppf(u),
    "two clumps": lambda u: np.where(
        u < 0.5, stats.norm.ppf(2 * u, -1, 0.3), stats.norm.ppf(2 * u - 1, 1, 0.3)
    ),
    "two clumps, 30 to 70": lambda u: np.where(
        u < 0.7, stats.norm.ppf(u / 0.7, -0.5, 0.3), stats.norm.ppf((u - 0.7) / 0.3, 2, 0.3)
    ),
    "two clumps, 20 to 80": lambda u: np.where(
        u < 0.8, stats.norm.ppf(u / 0.8, -0.5, 0.3), stats.norm.ppf((u - 0.8) / 0.2, 1.5, 0.3)
    ),
    "two wide clumps": lambda u: np.where(
        u < 0.5, stats.norm.ppf(2 * u, -1, 0.6), stats.norm.ppf(2 * u - 1, 1, 0.6)
    ),
    "three clumps": lambda u: stats.norm.ppf(3 * u % 1, 1.5 * np.floor(3 * u) - 1.5, 0.3),
}
"""Ratings of items in logits, by their quantiles."""
np.seterr(invalid="ignore")  # of quantiles of the clump that an item is not in


class Crowd:
    """Bradley-Terry raters, of whom some tie close items and some do not look."""

    def __init__(self, theta: Floats, rng: np.random.Generator, ties: float, spam: float) -> None:
        self.theta, self.rng, self.ties, self.spam = theta, rng, ties, spam

    def answer(self, left: Floats, right: Floats) -> Floats:
        gap = self.theta[left] - self.theta[right]
        said = (self.rng.random(len(gap)) < 1 / (1 + np.exp(-gap))).astype(float)
        said[self.rng.random(len(gap)) < self.ties * np.exp(-np.abs(gap))] = 0.5
        spam = self.rng.random(len(gap)) < self.spam
        said[spam] = self.rng.integers(0, 3, spam.sum()) / 2
        return said


def random_pairs(n: int, number: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    left = rng.integers(0, n, number)
    return left, (left + rng.integers(1, n, number)) % n


def needed(kind: str, target: float = 0.8, items: int = 2000) -> float:
    """Comparisons an item, of random pairs, that the truth takes: simulated and interpolated."""
    theta = ITEMS[kind]((np.arange(items) + 0.5) / items)
    rng = np.random.default_rng(99)
    rng.shuffle(theta)
    crowd, each, found = Crowd(theta, rng, 0, 0), 2.0 ** np.arange(0, 7, 0.5), []
    left, right = random_pairs(items, int(each[-1] * items), rng)
    said = crowd.answer(left, right)
    for m in each:
        asked = Comparisons(np.arange(items), *(x[: int(m * items)] for x in (left, right, said)))
        known = posterior_at(asked, float(theta.std()), 1.0, None, items)
        found.append(np.mean((known.rating > 0) == (theta > theta.mean())))
        if found[-1] > target + 0.03:
            break
    return float(np.exp(np.interp(target, found, np.log(each[: len(found)]))))


def of_plan(sets: int) -> None:
    """Coverage of a plan's interval over pilots: 40 items, all pairs twice, f1 .8."""
    print("| ratings of items | true n / N | coverage | plan / truth: 10%, 50%, 90% | high / low |")
    print("|---|---|---|---|---|")
    first, second = np.triu_indices(40, 1)
    for kind, quantile in ITEMS.items():
        truth, rows = needed(kind), []
        for seed in range(sets):
            rng = np.random.default_rng(seed)
            crowd = Crowd(quantile(rng.random(40)), rng, 0, 0)
            left, right = np.tile(first, 2), np.tile(second, 2)
            pilot = Comparisons(np.arange(40), left, right, crowd.answer(left, right))
            found = forecast(pilot, rng).needed(0.8, 1000, 0.95)  # what a plan says, without votes
            rows.append(
                (
                    found.low <= 1000 * truth <= found.high,
                    found.value / truth / 1000,
                    found.high / found.low,
                )
            )
        table = np.array(rows, dtype=float)
        low, middle, high = np.quantile(table[:, 1], [0.1, 0.5, 0.9])
        print(
            f"| {kind} | {truth:.1f} | {table[:, 0].mean():.2f} | {low:.2f}, {middle:.2f}, "
            f"{high:.2f} | {np.median(table[:, 2]):.1f} |",
            flush=True,
        )


def loop(kind: str, goal: str, target: float, n: int, seed: int, ties: float, spam: float) -> tuple:
    """Run a loop until it stops: comparisons an item, batches, what is said and what is true."""
    rng = np.random.default_rng(seed)
    theta = ITEMS[kind](rng.random(n))
    theta -= theta.mean()
    crowd, answers, ahead = Crowd(theta, rng, ties, spam), [], []
    for batch in range(60):
        tasks = next_pairs(
            tuple(answers), items=range(n), until=f"{goal} {target}", checks=0, rng=seed + batch
        )
        asked = sum(map(len, answers))
        if tasks.standing.done:
            break
        if answers:
            ahead.append((asked, tasks.standing.more))
        left, right = (np.array([int(x) for x in side]) for side in (tasks.left, tasks.right))
        answers.append(Comparisons(np.arange(n), left, right, crowd.answer(left, right)))
    all_of_them = Comparisons(
        np.arange(n),
        *(np.concatenate([getattr(a, x) for a in answers]) for x in ("left", "right", "outcome")),
    )
    found = pairs(all_of_them)  # whose ratings and labels a user gets
    rating = np.array([found[item].rating.value for item in range(n)])
    # Items without a bound stand a logit beyond the others.
    beyond = np.sign(np.nan_to_num(rating)) * (np.abs(rating[np.isfinite(rating)]).max() + 1)
    rating = np.where(np.isfinite(rating), rating, beyond)
    true = float(choose_goal(goal).share(rating, theta[None, :])[0])
    if goal == "labels":
        true = np.mean([(found[item].label == "above") == (theta[item] > 0) for item in range(n)])
    held = [more.low <= asked - at <= more.high for at, more in ahead]
    return asked / n, batch, tasks.standing.share.value, true, np.sum(held), len(held)


def of_stop(sets: int) -> None:
    """Is a goal reached when the loop says so? 200 items."""
    print("| ratings of items | goal | n / N | batches | said | true | least | reached | held |")
    print("|---|---|---|---|---|---|---|---|---|")
    cells = [(kind, "labels", 0.9, 0.0, 0.0) for kind in ITEMS if kind != "normal, sd .5"]
    cells += [
        ("normal, sd 2", "labels", 0.9, 0.8, 0.0),
        ("normal, sd 2", "labels", 0.9, 0.0, 0.2),
        ("normal, sd 2", "top:20", 0.8, 0.0, 0.0),
        ("normal, sd 2", "ratings", 0.8, 0.0, 0.0),
    ]
    for kind, goal, target, ties, spam in cells:
        rows = np.array([loop(kind, goal, target, 200, s, ties, spam) for s in range(sets)])
        name = (
            kind + (", many ties" if ties else "") + (", a fifth of answers spam" if spam else "")
        )
        print(
            f"| {name} | {goal} {target} | {rows[:, 0].mean():.1f} | {rows[:, 1].mean():.1f} | "
            f"{rows[:, 2].mean():.3f} | {rows[:, 3].mean():.3f} | {rows[:, 3].min():.3f} | "
            f"{np.sum(rows[:, 3] >= target):.0f} of {sets} | "
            f"{rows[:, 4].sum() / rows[:, 5].sum():.2f} |",
            flush=True,
        )


def of_rule(sets: int) -> None:
    """What the rule reaches, beside random pairs: 500 items in batches of 500."""
    print("| ratings of items | goal | n / N | rule | random pairs | random n / N for the same |")
    print("|---|---|---|---|---|---|")
    for kind in ("normal, sd 1", "normal, sd 2"):
        for goal in ("labels", "top:50", "ratings"):
            curves = {
                share: np.mean([curve(kind, goal, share, s) for s in range(sets)], axis=0)
                for share in (0.0, 1.0)
            }
            each = np.arange(1, len(curves[1.0]) + 1)
            for at in (3, 6):
                rule, other = (curves[share][at - 1] for share in (0.0, 1.0))
                same = np.interp(rule, np.maximum.accumulate(curves[1.0]), each)
                more = f"{same:.1f}" if rule < curves[1.0].max() else f"> {len(each)}"
                print(f"| {kind} | {goal} | {at} | {rule:.3f} | {other:.3f} | {more} |", flush=True)


def curve(kind: str, goal: str, share: float, seed: int, n: int = 500, batches: int = 12) -> list:
    """What is reached after each batch."""
    rng = np.random.default_rng(seed)
    theta = ITEMS[kind](rng.random(n))
    theta -= theta.mean()
    crowd, answers, reached = Crowd(theta, rng, 0, 0), [], []
    for batch in range(batches if share else 6):
        tasks = next_pairs(
            tuple(answers),
            items=range(n),
            number=n,
            goal=goal,
            checks=0,
            random_share=share,
            rng=1000 * seed + batch,
        )
        left, right = (np.array([int(x) for x in side]) for side in (tasks.left, tasks.right))
        answers.append(Comparisons(np.arange(n), left, right, crowd.answer(left, right)))
        asked = Comparisons(
            np.arange(n),
            *(
                np.concatenate([getattr(a, x) for a in answers])
                for x in ("left", "right", "outcome")
            ),
        )
        known = fit_posterior(asked, n)
        reached.append(float(choose_goal(goal).share(known.rating, theta[None, :])[0]))
    return reached


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["plan", "stop", "rule"])
    parser.add_argument("--sets", type=int, default=20)
    given = parser.parse_args()
    {"plan": of_plan, "stop": of_stop, "rule": of_rule}[given.part](given.sets)
