"""Is the interval of the ceiling honest with two labels? Data sets whose ceiling is known.

Run ``python docs/studies/scripts/ceiling.py`` to print the table of ``survey.md`` beside this file (some
minutes on one core); ``--data-sets 10`` for a quick look; ``--raters`` for the raters that 90% and 95%
of the ceiling take. More labels are in ``survey.md``.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import binom

from headcount import Labels, survey
from headcount.data.labels import Scale

URN = np.array([0.8, 0.1, 0.5])
URN_SHARE = np.array([0.7, 0.2, 0.1])
"""The running example."""
SURE = np.array([1.0, 0.0, 0.5])
SURE_SHARE = np.array([0.4, 0.2, 0.4])
KINDS = {
    "running example": lambda n, rng: URN[rng.choice(3, n, p=URN_SHARE)],
    "uniform": lambda n, rng: rng.beta(1, 1, n),
    "Beta(2, 2)": lambda n, rng: rng.beta(2, 2, n),
    "Beta(.3, .7)": lambda n, rng: rng.beta(0.3, 0.7, n),
    "Beta(8, 2)": lambda n, rng: rng.beta(8, 2, n),
    "sure or open": lambda n, rng: SURE[rng.choice(3, n, p=SURE_SHARE)],
}
LUMPS = {
    "two lumps": lambda n, rng: np.array([0.3, 0.75])[rng.integers(2, size=n)],
    "three lumps": lambda n, rng: np.array([0.95, 0.4, 0.15])[rng.choice(3, n, p=[0.5, 0.2, 0.3])],
}
SHARES = (0.9, 0.95)
SIZES = [(1000, 10), (300, 10), (1000, 5), (300, 5), (1000, 3), (3000, 3)]


def true_gain(states):
    """Entropy of the mean state less the mean entropy of states, in bits, of very many."""
    theta = states(2_000_000, np.random.default_rng(0))
    return float(entropy(theta.mean()) - entropy(theta).mean())


def entropy(p):
    q = np.clip(np.stack([p, 1 - p]), 1e-300, 1)
    return -(q * np.log2(q)).sum(axis=0)


def true_raters(states):
    """Raters that gain each share of the ceiling, linear between whole numbers of raters."""
    theta = np.sort(states(400_000, np.random.default_rng(0)))
    theta = theta.reshape(4000, 100).mean(axis=1) if len(np.unique(theta)) > 10 else theta
    state, times = np.unique(theta, return_counts=True)
    weight = times / times.sum()
    base = entropy(weight @ state)
    gains = [0.0]
    while gains[-1] < max(SHARES) * (base - weight @ entropy(state)):
        k = len(gains)
        joint = binom.pmf(np.arange(k + 1)[:, None], k, state) * weight
        seen = joint.sum(axis=1)
        gains.append(base - seen @ entropy(joint @ state / np.where(seen > 0, seen, 1)))
    targets = np.array(SHARES) * (base - weight @ entropy(state))
    return np.interp(targets, gains, np.arange(len(gains)))


def raters_it_takes(data_sets, draws):
    print("| states | items x raters | share | true | estimate | range | covers |")
    print("|---|---|---|---|---|---|---|")
    for kind, states in (KINDS | LUMPS).items():
        truth = true_raters(states)
        for items, raters in ((1000, 10), (300, 10), (300, 5)):
            made = []
            for seed in range(data_sets):
                labels = simulate(
                    states, items, raters, np.random.default_rng([seed, items, raters])
                )
                takes = survey(labels, bootstrap=draws, seed=seed).ceiling.raters_for
                made.append([(t.raters.value, t.raters.low, t.raters.high) for t in takes])
            for share, true, each in zip(SHARES, truth, np.moveaxis(made, 1, 0), strict=True):
                value, low, high = np.median(each, axis=0)
                covers = np.mean((each[:, 1] <= true) & (true <= each[:, 2]))
                cells = (kind, f"{items:,} x {raters}", f"{share:.0%}", f"{true:.1f}")
                cells += (f"{value:.1f}", f"{low:.1f} to {high:.1f}", f"{covers:.0%}")
                print("| " + " | ".join(cells) + " |", flush=True)


def simulate(states, items, raters, rng):
    theta = states(items, rng)
    return Labels(
        items=np.arange(items),
        raters=np.array([str(j) for j in range(raters)], dtype=object),
        scale=Scale(("a", "b")),
        item=np.repeat(np.arange(items), raters),
        rater=np.tile(np.arange(raters), items),
        label=(rng.random((items, raters)) > theta[:, None]).astype(np.int64).ravel(),
        source="simulation",
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--raters", action="store_true")
    options = parser.parse_args()
    if options.raters:
        raters_it_takes(options.data_sets, options.draws)
        return
    print("| states | items x raters | true | bias | sd | covers | width |")
    print("|---|---|---|---|---|---|---|")
    for kind, states in KINDS.items():
        truth = true_gain(states)
        for items, raters in SIZES:
            gains = []
            for seed in range(options.data_sets):
                rng = np.random.default_rng([seed, items, raters])
                labels = simulate(states, items, raters, rng)
                result = survey(labels, bootstrap=options.draws, seed=seed)
                gains.append(result.ceiling.gain)
            value = np.array([g.value for g in gains])
            covers = np.mean([g.low <= truth <= g.high for g in gains])
            width = np.mean([g.high - g.low for g in gains])
            cells = (kind, f"{items:,} x {raters}", f"{truth:.3f}", f"{value.mean() - truth:+.3f}")
            cells += (f"{value.std():.3f}", f"{covers:.0%}", f"{width:.3f}")
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
