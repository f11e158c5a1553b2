"""Plans and loops of comparisons on data in which the truth is known; see pairs.md.

python docs/studies/scripts/loop.py plan --sets 60
python docs/studies/scripts/loop.py formula --sets 3
python docs/studies/scripts/loop.py stop --sets 40
python docs/studies/scripts/loop.py raters --sets 20
python docs/studies/scripts/loop.py rule --sets 12
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from scipy import stats

from headcount import Comparisons, next_pairs, pairs
from headcount.pairwise.forecast import Population, fit_posterior, forecast, posterior_at
from headcount.pairwise.goals import choose_goal

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
    """Bradley-Terry raters, of whom some tie close items, some do not look, and each has a taste."""

    def __init__(
        self, theta: Floats, rng: np.random.Generator, ties: float, spam: float,
        raters: int = 0, taste: float = 0.0,
    ) -> None:  # fmt: skip
        self.theta, self.rng, self.ties, self.spam = theta, rng, ties, spam
        self.raters = raters
        self.own = theta + taste * rng.standard_normal((max(raters, 1), len(theta)))

    def compare(self, left: Floats, right: Floats) -> Comparisons:
        who = self.rng.integers(0, max(self.raters, 1), len(left))
        known = {} if self.raters == 0 else {"raters": np.arange(self.raters), "rater": who}
        return Comparisons(
            np.arange(len(self.theta)), left, right, self.answer(left, right, who), **known
        )

    def answer(self, left: Floats, right: Floats, who: Floats | int = 0) -> Floats:
        gap = self.own[who, left] - self.own[who, right]
        said = (self.rng.random(len(gap)) < 1 / (1 + np.exp(-gap))).astype(float)
        said[self.rng.random(len(gap)) < self.ties * np.exp(-np.abs(gap))] = 0.5
        spam = self.rng.random(len(gap)) < self.spam
        said[spam] = self.rng.integers(0, 3, spam.sum()) / 2
        return said


def random_pairs(n: int, number: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    left = rng.integers(0, n, number)
    return left, (left + rng.integers(1, n, number)) % n


def needed(kind: str, target: float = 0.8, items: int = 2000, sets: int = 6) -> float:
    """Comparisons an item, of random pairs, that the truth takes: simulated and interpolated."""
    each, found = 2.0 ** np.arange(0, 7, 0.5), []
    theta = ITEMS[kind]((np.arange(items) + 0.5) / items)
    crowds = [Crowd(theta, np.random.default_rng(99 + k), 0, 0) for k in range(sets)]
    asked = [random_pairs(items, int(each[-1] * items), crowd.rng) for crowd in crowds]
    said = [crowd.answer(*pairs) for crowd, pairs in zip(crowds, asked, strict=True)]
    for m in each:
        n, right = int(m * items), []
        for pairs_, answers in zip(asked, said, strict=True):
            part = Comparisons(np.arange(items), *(x[:n] for x in pairs_), answers[:n])
            known = posterior_at(part, float(theta.std()), 1.0, None, items)
            right.append(np.mean((known.rating > 0) == (theta > theta.mean())))
        found.append(np.mean(right))
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
            f"| {kind} | {truth:.1f} | {table[:, 0].sum():.0f} of {sets} | {low:.2f}, {middle:.2f}, "
            f"{high:.2f} | {np.median(table[:, 2]):.1f} |",
            flush=True,
        )


def of_formula(sets: int) -> None:
    """Share of labels that are right, simulated with 2,500 items a set, and by the formula."""
    each, items = (1, 2, 4, 8, 16), 2500
    print("| ratings of items |", " | ".join(f"n / N = {m}" for m in each), "|")
    print("|---" * (len(each) + 1) + "|")
    for kind, quantile in ITEMS.items():
        found = []
        for seed in range(sets):
            rng = np.random.default_rng(seed)
            theta = quantile((np.arange(items) + 0.5) / items)
            rng.shuffle(theta)
            left, right = random_pairs(items, each[-1] * items, rng)
            said = Crowd(theta, rng, 0, 0).answer(left, right)
            for m in each:
                part = (x[: m * items] for x in (left, right, said))
                known = posterior_at(
                    Comparisons(np.arange(items), *part), float(theta.std()), 1.0, None, items
                )
                found.append(np.mean((known.rating > 0) == (theta > theta.mean())))
        points = quantile((np.arange(400) + 0.5) / 400)
        formula = [Population(points, np.full(400, 1 / 400), 1.0).accuracy(m) for m in each]
        for how, row in (
            ("simulated", np.reshape(found, (sets, -1)).mean(axis=0)),
            ("formula", formula),
        ):
            print(f"| {kind}, {how} |", " | ".join(f"{x:.3f}" for x in row), "|", flush=True)


def loop(
    kind: str, goal: str, target: float, n: int, seed: int, ties: float = 0, spam: float = 0,
    raters: int = 0, taste: float = 0,
) -> tuple:  # fmt: skip
    """Run a loop until it stops: comparisons per item, batches, what is said and what is true.

    With raters it also stops where it says that it takes more of them: the last number is 1 then.
    """
    rng = np.random.default_rng(seed)
    theta = ITEMS[kind](rng.random(n))
    theta -= theta.mean()
    crowd, answers, ahead = Crowd(theta, rng, ties, spam, raters, taste), [], []
    for batch in range(60):
        tasks = next_pairs(
            tuple(answers), items=range(n), until=f"{goal} {target}", checks=0, seed=seed + batch
        )
        asked = sum(map(len, answers))
        if tasks.standing.done or tasks.standing.raters is not None:
            break
        if answers:
            ahead.append((asked, tasks.standing.more))
        left, right = (np.array([int(x) for x in side]) for side in (tasks.left, tasks.right))
        answers.append(crowd.compare(left, right))
    found = pairs(Comparisons.joined(answers, map(str, range(n))))  # what a user gets
    rating = np.array([found[item].rating.value for item in range(n)])
    # Items without a bound stand a logit beyond the others.
    beyond = np.sign(np.nan_to_num(rating)) * (np.abs(rating[np.isfinite(rating)]).max() + 1)
    rating = np.where(np.isfinite(rating), rating, beyond)
    true = float(choose_goal(goal).share(rating, theta[None, :])[0])
    if goal == "labels":
        true = np.mean([(found[item].label == "above") == (theta[item] > 0) for item in range(n)])
    held = [more.low <= asked - at <= more.high for at, more in ahead]
    few = tasks.standing.raters is not None
    return asked / n, batch, tasks.standing.share.value, true, np.sum(held), len(held), few


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


def of_raters(sets: int) -> None:
    """Is a goal reached when the loop says so, with few raters who have tastes? 100 items, sd 2."""
    print(
        "| raters | taste | goal | reached when done | done | asks for more raters | n / N | true |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for raters, taste in ((8, 1), (20, 1), (60, 1), (8, 0)):
        for goal, target in (("labels", 0.9), ("ratings", 0.8)):
            rows = np.array(
                [
                    loop("normal, sd 2", goal, target, 100, s, raters=raters, taste=taste)
                    for s in range(sets)
                ]
            )
            few = rows[:, 6] > 0
            done = ~few & (rows[:, 1] < 59)
            print(
                f"| {raters} | {taste} | {goal} {target} | "
                f"{np.sum(rows[done, 3] >= target)} of {done.sum()} | {done.sum()} | {few.sum()} | "
                f"{rows[:, 0].mean():.1f} | {rows[:, 3].mean():.3f} |",
                flush=True,
            )


DESIGNS = [(500, "labels"), (500, "ratings"), (500, "top:3"), (100, "top:10"), (1000, "top:100")]
AT = (3, 4, 6, 8, 12)
"""Comparisons an item after which matchings are looked at; the rule is at 3 and 6."""


def of_rule(sets: int) -> None:
    """What the rule reaches, beside random matchings, in batches of as many tasks as items."""
    print("| ratings of items | items | goal | n / N | rule | matchings | n / N for the same |")
    print("|---|---|---|---|---|---|---|")
    for kind in ("normal, sd 1", "normal, sd 2"):
        for n, goal in DESIGNS:
            number = range(sets if n < 1000 else max(sets // 4, 2))
            rule = np.mean([curve(kind, goal, n, s, AT[:3:2]) for s in number], axis=0)
            matched = np.mean([curve(kind, goal, n, s, AT, by_rule=False) for s in number], axis=0)
            for at, reached in zip(AT[:3:2], rule, strict=True):
                same = np.interp(reached, np.maximum.accumulate(matched), AT)
                more = f"{same:.1f}" if reached < matched.max() else f"> {AT[-1]}"
                other = matched[AT.index(at)]
                print(f"| {kind} | {n:,} | {goal} | {at} | {reached:.3f} | {other:.3f} | {more} |",
                      flush=True)  # fmt: skip


def curve(kind: str, goal: str, n: int, seed: int, at: tuple, *, by_rule: bool = True) -> list:
    """What is reached after so many comparisons per item."""
    rng = np.random.default_rng(seed)
    theta = ITEMS[kind](rng.random(n))
    theta -= theta.mean()
    crowd, reached = Crowd(theta, rng, 0, 0), []
    none = np.zeros(0, dtype=np.int64)
    asked = Comparisons(np.arange(n), none, none, np.zeros(0))
    for batch in range(at[-1]):
        left, right = np.concatenate([rng.permutation(n), rng.permutation(n)]).reshape(-1, 2).T
        if by_rule:
            tasks = next_pairs(
                asked if batch else None, items=range(n), number=n, goal=goal, checks=0,
                seed=1000 * seed + batch,
            )  # fmt: skip
            left, right = (np.array([int(x) for x in side]) for side in (tasks.left, tasks.right))
        new = left, right, crowd.answer(left, right)
        old = asked.left, asked.right, asked.outcome
        asked = Comparisons(np.arange(n), *map(np.concatenate, zip(old, new, strict=True)))
        if batch + 1 in at:
            known = fit_posterior(asked, n)
            reached.append(float(choose_goal(goal).share(known.rating, theta[None, :])[0]))
    return reached


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["plan", "formula", "stop", "raters", "rule"])
    parser.add_argument("--sets", type=int, default=20)
    given = parser.parse_args()
    parts = {
        "plan": of_plan, "formula": of_formula, "stop": of_stop, "raters": of_raters, "rule": of_rule,
    }  # fmt: skip
    parts[given.part](given.sets)
