"""Does PPI gain by a proxy that gold has taught, and do its intervals still hold?

Run ``python docs/studies/scripts/blind_proxy.py`` to write its section of ``blind.md`` (half a
minute of one core); ``--data-sets 200`` for smaller errors. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse

import numpy as np
from blind_gold import RIGHT, held, simulate, table, three, true_scores
from pages import write_section

from headcount import Labels
from headcount.blind_evaluation.gold_methods import gold_truth, narrowest, ppi, proxies
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.scoring import covariance, gold_sizes, influence
from headcount.blind_evaluation.votes import collect
from headcount.data.labels import Scale

DESIGNS = ((50, 3000, 0.4, 0.0), (50, 500, 0.1, 2.0), (100, 500, 0.1, 0.0), (200, 3000, 0.1, 2.0),
           (200, 3000, 0.4, 0.0))  # fmt: skip
"""Items with gold, items, share of the positive label, and spread of difficulty."""


def votes_of(said, truth, gold):
    """Rows of votes; the first items, which are as good as random, have gold."""
    item, judge = np.indices(said.shape).reshape(2, -1)
    names = np.array([f"c{k}" for k in range(said.shape[1])], dtype=object)
    labels = Labels(np.arange(len(said)), names, Scale(("0", "1")), item, judge, said.ravel())
    return collect(labels, gold={i: str(truth[i]) for i in range(gold)})


def measured(design, data_sets):
    """Coverage and width, with shares of votes and with the better proxy: (2, 2, metrics, K)."""
    gold, items, share, spread = design
    prior = (1 - share, share)
    rng = np.random.default_rng([gold, items, int(100 * share), int(spread), 7])
    metrics = choose_metrics(["0", "1"])
    actual = true_scores(metrics, RIGHT, prior)
    out = []
    for _ in range(data_sets):
        said, truth = simulate(RIGHT, items, prior, spread, rng)
        votes = votes_of(said, truth, gold)
        weight, known = votes.multiplicity.astype(float), gold_truth(votes)
        plain = influence(votes, known, weight, metrics)
        each = [ppi(votes, weight, metrics, proxy) for proxy in proxies(votes, weight)]
        out.append([])
        for one in (each[0], narrowest(each, weight)):
            sizes = gold_sizes(votes, known, weight, metrics, plain, one.parts)
            found = one.scores, covariance(one.parts, weight), sizes
            out[-1].append(held(found, metrics, actual)[1])
    return np.nanmean(np.array(out), axis=0)


def page(data_sets):
    rows = []
    for design in DESIGNS:
        gold, items, share, spread = design
        row = [str(gold), f"{items:,}", three(share), "yes" if spread else "no"]
        for inside, width in measured(design, data_sets):
            for part in (slice(0, 1), slice(1, 5)):
                row.append(f"{three(inside[part].min())} / {three(inside[part].mean())}")
                row.append(three(width[part].mean()))
        rows.append(row)
        print(row, flush=True)
    head = ["gold", "items", "positive", "hard items"]
    for proxy in ("votes", "taught"):
        head += [f"{proxy}: accuracy", "width", "other metrics", "width"]
    return f"""# A proxy that gold has taught

Written by [`blind_proxy.py`](scripts/blind_proxy.py), {data_sets} data sets a design. Judges that are right in
{", ".join(three(r) for r in RIGHT)} of all items. The table shows the coverage of PPI's 95%
intervals, lowest and mean over judges (and metrics), and mean width: with the share of the other
votes as the proxy of the truth, and, for each score, with the better of that and naive Bayes,
cross-predicted from five folds of the gold labels. The standard error of the coverage of one judge is about
{three(np.sqrt(0.05 * 0.95 / data_sets))}.

{table(head, rows)}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=60, help="data sets in each design")
    text = page(parser.parse_args().data_sets)
    write_section("blind.md", text)


if __name__ == "__main__":
    main()
