"""Do intervals hold where items have few comparisons, on designs that the prior was not tuned on?

    python docs/studies/scripts/pairs_sparse.py [--sets 40] [--items 200] [--others | --raters]

Ratings that are normal, skewed, in two clumps or heavy-tailed; partners by rounds, at random, or
with hubs; heavy ties. The page pairs.md has what this printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.pairs import pairs

Array = np.ndarray
Rng = np.random.Generator


def clumps(rng: Rng, n: int) -> Array:
    """A tenth of the items far above the others."""
    return np.where(rng.random(n) < 0.1, 2.0, -0.2) + rng.normal(0, 0.3, n)


RATINGS: dict[str, Callable[[Rng, int], Array]] = {
    "normal, sd .5": lambda rng, n: rng.normal(0, 0.5, n),
    "normal, sd 1": lambda rng, n: rng.normal(0, 1.0, n),
    "normal, sd 2": lambda rng, n: rng.normal(0, 2.0, n),
    "normal, sd 3": lambda rng, n: rng.normal(0, 3.0, n),
    "skewed (exponential)": lambda rng, n: rng.exponential(1.0, n),
    "skewed twice as far": lambda rng, n: rng.exponential(2.0, n),
    "two clumps, 10 to 90": clumps,
    "heavy tails (t, 3 df)": lambda rng, n: rng.standard_t(3, n),
}
OTHERS: dict[str, Callable[[Rng, int], Array]] = {
    "normal, sd 1.5": lambda rng, n: rng.normal(0, 1.5, n),
    "uniform, -3 to 3": lambda rng, n: rng.uniform(-3, 3, n),
    "heavy tails (t, 4 df)": lambda rng, n: rng.standard_t(4, n),
    "gamma, shape 2": lambda rng, n: rng.gamma(2.0, 1.0, n),
    "lognormal, .8": lambda rng, n: np.exp(rng.normal(0, 0.8, n)),
    "lognormal, 1": lambda rng, n: np.exp(rng.normal(0, 1.0, n)),
    "skewed downwards": lambda rng, n: -rng.exponential(2.0, n),
    "one in 20 far above": lambda rng, n: rng.normal(0, 0.7, n) + 5.0 * (rng.random(n) < 0.05),
}
"""Ratings on which the limit from which intervals are called approximate was not chosen."""
EACH = (1, 2, 4, 10)
"""Comparisons that an item is in, on average."""


def rounds(rng: Rng, n: int, each: int) -> tuple[Array, Array]:
    """Every item as often, with another partner each time."""
    order = np.concatenate([rng.permutation(n) for _ in range(each)])
    return order[::2], order[1::2]


def at_random(rng: Rng, n: int, each: int) -> tuple[Array, Array]:
    """Pairs at random: some items are in many comparisons, some in none."""
    left = rng.integers(0, n, n * each // 2)
    return left, (left + rng.integers(1, n, len(left))) % n


def hubs(rng: Rng, n: int, each: int) -> tuple[Array, Array]:
    """Every item is compared with one of five, again and again."""
    left = np.tile(np.arange(5, n), max(each // 2, 1))
    return left, rng.integers(0, 5, len(left))


PARTNERS = {"rounds": rounds, "random": at_random, "hubs": hubs}


def limit(theta: Array, ties: float) -> Array:
    """Find the ratings that infinitely many comparisons of all pairs would have."""
    if not ties:
        return theta - theta.mean()
    left, right = np.triu_indices(len(theta), 1)
    p = (1 - ties) / (1 + np.exp(theta[right] - theta[left])) + ties / 2
    both = Comparisons(
        np.arange(len(theta)),
        np.tile(left, 2),
        np.tile(right, 2),
        np.repeat([1.0, 0.0], len(left)),
        weight=np.concatenate([p, 1 - p]) * 100,
    )
    return bradley_terry(both, errors="hessian").rating


def cell(kind: str, partners: str, each: int, ties: float, n: int, sets: int) -> str:
    """Study one design."""
    rng = np.random.default_rng([len(kind), len(partners), each, int(10 * ties)])
    tau, held, right, best, said, withheld = [], [], [], [], 0, 0
    for _ in range(sets):
        theta = (RATINGS | OTHERS)[kind](rng, n)
        left, other = PARTNERS[partners](rng, n, each)
        win = (rng.random(len(left)) < 1 / (1 + np.exp(theta[other] - theta[left]))).astype(float)
        win[rng.random(len(left)) < ties] = 0.5
        played = Comparisons(np.arange(n), left, other, win)
        result = pairs(played, prior="fitted")
        truth = limit(theta, ties)
        tau.append(result.fit["prior"])
        said += any("approximate" in str(note) for note in result.notes)
        for item in result.items:
            t = truth[int(str(item.item))]
            right.append((item.label == "above") == (t > 0))
            if item.rating.low is not None:
                held.append(item.rating.low <= t <= item.rating.high)
        withheld += not any(item.rating.low is not None for item in result.items)
        best.append(result[int(truth.argmax())].may_be_first)
    return (
        f"| {kind} | {partners}{', half of them ties' if ties else ''} | {each} | "
        f"{np.mean(tau):.2f} | {np.mean(held) if held else np.nan:.3f} | {np.mean(right):.2f} | "
        f"{np.mean(best):.2f} | {said} of {sets} |"
    )


def by_raters(number: int, taste: float, sets: int, n: int = 500, raters: int = 12) -> str:
    """Study items that each rater meets once or twice, with a prior and without."""
    rows: dict[str, list[tuple[float, float]]] = {"none": [], "fitted": []}
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        theta, own = rng.normal(0, 1.3, n), taste * rng.normal(size=(raters, n))
        left = rng.integers(n, size=number)
        right, who = (left + rng.integers(1, n, number)) % n, rng.integers(raters, size=number)
        gap = theta[left] + own[who, left] - theta[right] - own[who, right]
        won = (rng.random(number) < 1 / (1 + np.exp(-gap))).astype(float)
        names = np.array([f"r{k}" for k in range(raters)], dtype=object)
        played = Comparisons(np.arange(n), left, right, won, rater=who, raters=names)
        # What the average rater says: a logistic curve that tastes smear.
        truth = (theta - theta.mean()) / np.sqrt(1 + np.pi / 8 * 2 * taste**2)
        for prior, found in rows.items():
            items = [i for i in pairs(played, prior=prior).items if i.rating.low is not None]
            held = [i.rating.low <= truth[int(i.item)] <= i.rating.high for i in items]
            width = np.median([i.rating.high - i.rating.low for i in items])
            found.append((float(np.mean(held)), float(width)))
    cells = [f"{x:.3f} | {w:.2f}" for x, w in (np.mean(r, axis=0) for r in rows.values())]
    return f"| {number:,} | {taste:g} | {' | '.join(cells)} |"


def main() -> None:
    """Print one row per design."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--others", action="store_true", help="ratings of other kinds")
    parser.add_argument("--raters", action="store_true", help="raters who meet items once")
    asked = parser.parse_args()
    if asked.raters:
        print("| comparisons | taste | without a prior | width | fitted prior | width |")
        print("|---|---|---|---|---|---|")
        for number in (3000, 6000):
            for taste in (0.0, 1.0):
                print(by_raters(number, taste, asked.sets), flush=True)
        return
    print(
        "| ratings | partners | each | fitted | held | labels | best may be first | 'approximate' |"
    )
    print("|---|---|---|---|---|---|---|---|")
    designs = [(kind, "rounds", each, 0.0) for kind in RATINGS for each in EACH]
    others = ("normal, sd 1", "normal, sd 2", "skewed (exponential)")
    designs += [(kind, p, each, 0.0) for p in ("random", "hubs") for kind in others
                for each in (2, 4, 10)]  # fmt: skip
    designs += [(kind, "rounds", each, 0.5) for kind in others for each in (2, 4, 10)]
    if asked.others:
        designs = [(kind, "rounds", each, 0.0) for kind in OTHERS for each in (6, 16)]
    for kind, partners, each, ties in designs:
        print(cell(kind, partners, each, ties, asked.items, asked.sets), flush=True)


if __name__ == "__main__":
    main()
