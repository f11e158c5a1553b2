"""Coverage of 95% intervals where items are parts of documents: docs/studies/survey.md.

A document has a topic and an ease of its own: half of the variance of the log odds of 'yes' is
between documents. The judge sees the item with noise that is half the document's as well. Truth is
the same statistic of 4,000 documents. Every rating has a rater of its own.
"""

from __future__ import annotations

import sys

import numpy as np

import headcount
from headcount import Labels, agree, survey

RATERS = 4


def draw(rng: np.random.Generator, documents: int, items: int):
    """Draw ratings and a judge: (documents x items, raters) and (documents x items,)."""
    shape = (documents, items)
    of_document = rng.normal(0, 1.4, documents)[:, None]
    logit = of_document + rng.normal(0, 1.4, shape)
    seen = logit + rng.normal(0, 1.5, documents)[:, None] + rng.normal(0, 1.5, shape)
    p = 1 / (1 + np.exp(-logit.ravel()))
    ratings = (rng.random((p.size, RATERS)) < p[:, None]).astype(int)
    return ratings, (seen.ravel() > 0).astype(int)


def measure(ratings, judge, items, *, cluster, draws):
    n = len(ratings)
    names = np.repeat(np.arange(n), RATERS)
    labels = Labels.from_triples(names, np.arange(n * RATERS), ratings.ravel())
    clusters = {item: item // items for item in range(n)} if cluster else None
    alpha = agree(labels, coefficients="alpha", bootstrap=draws, cluster=clusters)["alpha"]
    predictions = {"item": np.arange(n), "judge": judge}
    result = survey(
        labels, predictions, bootstrap=draws, ceiling=False, cluster=clusters, scorer="agreement",
        combiner="plurality",
    )  # fmt: skip
    bits = survey(labels, predictions, bootstrap=draws, ceiling=False, cluster=clusters)
    return {
        "alpha": alpha,
        "agreement of the judge": result.classifiers[0].score,
        "worth": bits.classifiers[0].worth,
    }


def main(sets: int) -> None:
    """Print how often intervals cover the truth, by items and by document."""
    print(headcount.__file__, file=sys.stderr)
    rng = np.random.default_rng(1)
    truth = measure(*draw(rng, 4000, 8), 8, cluster=False, draws=0)
    for documents, items in ((10, 8), (20, 8), (40, 8), (20, 25)):
        held: dict[tuple[str, bool], list[bool]] = {}
        for _ in range(sets):
            ratings, judge = draw(rng, documents, items)
            for cluster in (False, True):
                found = measure(ratings, judge, items, cluster=cluster, draws=300)
                for name, each in found.items():
                    if each.low is not None:
                        inside = each.low <= truth[name].value <= each.high
                        held.setdefault((name, cluster), []).append(inside)
        for name in truth:
            by_item, by_document = (np.mean(held[name, cluster]) for cluster in (False, True))
            print(f"| {documents} x {items} | {name} | {by_item:.3f} | {by_document:.3f} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
