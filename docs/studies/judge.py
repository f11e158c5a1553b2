"""The judge card on data in which the truth is known: docs/studies/judge.md.

python docs/studies/judge.py --repeats 500
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from headcount import Labels, Predictions, judge

DESIGNS = {
    "two labels, kappa .50": ("two", 0.5),
    "two labels, kappa .33": ("two", 1.0),
    "two labels, people differ": ("severe", 1.5),
    "1 to 5": ("stars", 0.7),
}
"""How people label: shares drawn from Beta(a, a); logits with people's own severity; stars."""


class World:
    """Items, and people who label them: each new one is drawn from the same distribution."""

    def __init__(self, kind: str, size: float, items: int, rng: np.random.Generator) -> None:
        self.kind, self.size, self.rng = kind, size, rng
        self.state = rng.normal(size=items)
        if kind == "two":
            self.state = rng.beta(size, size, items)
        if kind == "severe":
            self.state *= 2

    def person(self) -> list[str]:
        """Label all items as a new person does."""
        rng, n = self.rng, len(self.state)
        if self.kind == "two":
            return np.where(rng.random(n) < self.state, "yes", "no").tolist()
        if self.kind == "severe":
            chance = 1 / (1 + np.exp(-(self.state + rng.normal() * 0.7)))
            return np.where(rng.random(n) < chance, "yes", "no").tolist()
        stars = np.rint(3 + 1.1 * self.state + self.size * rng.normal(size=n))
        return [str(int(x)) for x in np.clip(stars, 1, 5)]

    def coin(self) -> list[str]:
        """Label all items at random."""
        labels = ["1", "2", "3", "4", "5"] if self.kind == "stars" else ["no", "yes"]
        return self.rng.choice(labels, len(self.state)).tolist()


def card(kind: str, size: float, items: int, raters: int, seed: int, *, coin: bool, draws: int):
    world = World(kind, size, items, np.random.default_rng(seed))
    said = [world.person() for _ in range(raters)]
    who = [f"person {k}" for k in range(raters)]
    labels = Labels.from_triples(
        list(range(items)) * raters, np.repeat(who, items), [x for one in said for x in one]
    )
    judged = world.coin() if coin else world.person()
    predictions = Predictions.from_labels(range(items), {"judge": judged})
    return judge(labels, predictions, worth_at_least=1, like_a_person=0.2, bootstrap=draws)


def cell(name: str, items: int, raters: int, repeats: int, draws: int, *, coin: bool) -> None:
    kind, size = DESIGNS[name]
    like: Counter[str] = Counter()
    closer: Counter[str] = Counter()
    worth: Counter[str] = Counter()
    covered = held = failed = 0
    more: list[int] = []
    for seed in range(repeats):
        try:
            result = card(kind, size, items, raters, seed, coin=coin, draws=draws)
        except Exception as error:  # such as all ratings the same
            failed += 1
            print("   ", seed, error)
            continue
        one = result["judge"]
        by_worth, by_kappa = one.conditions
        like[by_kappa.status] += 1
        worth[by_worth.status] += 1
        more += [c.more_items for c in one.conditions if c.more_items is not None]
        found = one.standing.difference
        if found.low is not None:
            closer["pass" if found.low > -0.1 else "fail" if found.high < -0.1 else "?"] += 1
            held += found.low <= 0 <= found.high
        e = one.worth
        covered += e.low <= 1 <= e.high
    n = repeats - failed
    print(
        f"{name:26} {items:4} x {raters}  {'coin  ' if coin else 'person'}  "
        f"like a person at .2: pass {like['pass'] / n:.3f} fail {like['fail'] / n:.3f}; at .1: "
        f"pass {closer['pass'] / n:.3f} fail {closer['fail'] / n:.3f}; difference holds 0 "
        f"{held / n:.3f}; worth holds 1 {covered / n:.3f}; worth at least 1: pass "
        f"{worth['pass'] / n:.3f} fail {worth['fail'] / n:.3f}; more items, median "
        f"{np.median(more) if more else 0:.0f}; n {n}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=500)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--designs", default="; ".join(DESIGNS))
    parser.add_argument("--only", choices=["person", "coin", "few"], default=None)
    parser.add_argument("--raters", type=int, default=3)
    given = parser.parse_args()
    for name in given.designs.split("; "):
        if given.only in (None, "person"):
            cell(name, 150, given.raters, given.repeats, given.draws, coin=False)
        if given.only in (None, "coin"):
            cell(name, 150, given.raters, max(given.repeats // 5, 10), given.draws, coin=True)
        if given.only in (None, "few"):
            cell(name, 20, given.raters, max(given.repeats // 5, 10), given.draws, coin=False)


if __name__ == "__main__":
    main()
