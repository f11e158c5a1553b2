"""Is the interval of the ceiling honest with two labels? Data sets whose ceiling is known.

Run ``python docs/studies/scripts/ceiling.py`` to print the table of ``survey.md`` beside this file (some
minutes on one core); ``--data-sets 10`` for a quick look. More labels are in ``survey.md``.
"""

from __future__ import annotations

import argparse

import numpy as np

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
SIZES = [(1000, 10), (300, 10), (1000, 5), (300, 5), (1000, 3), (3000, 3)]


def true_gain(states):
    """Entropy of the mean state less the mean entropy of states, in bits, of very many."""
    theta = states(2_000_000, np.random.default_rng(0))

    def entropy(p):
        q = np.clip(np.stack([p, 1 - p]), 1e-300, 1)
        return -(q * np.log2(q)).sum(axis=0)

    return float(entropy(theta.mean()) - entropy(theta).mean())


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
    options = parser.parse_args()
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
