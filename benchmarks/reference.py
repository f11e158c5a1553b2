"""Time `surveyequivalence` once; runs in its own environment, which knows nothing of headcount.

Usage: python reference.py data.json samples result.json
"""

from __future__ import annotations

import json
import random
import resource
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from surveyequivalence import (
    AnalysisPipeline,
    AnonymousBayesianCombiner,
    AUCScore,
    CrossEntropyScore,
    DiscreteDistributionPrediction,
)

SCORERS = {"cross-entropy": CrossEntropyScore, "auc": AUCScore}


class Combiner(AnonymousBayesianCombiner):
    """Their combiner, given the labels that are there.

    On ragged ratings version 0.1.3 ends in KeyError(None): it removes blanks from a list while
    walking through it, which leaves every second one.
    """

    def combine(self, allowable_labels, labels, W=None, item_id=None, to_predict_for=None):
        given = [pair for pair in labels if pair[1] is not None]
        return super().combine(allowable_labels, given, W, item_id, to_predict_for)


def cpu_seconds() -> float:
    """CPU time of this process and of the one that it starts for the curve."""
    uses = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def main(data: str, samples: int, result: str) -> None:
    task = json.loads(Path(data).read_text())
    names = task["labels"]
    # As its own example does with ragged ratings: one column per rating, padded with None.
    width = max(map(len, task["ratings"]))
    padded = [row + [None] * (width - len(row)) for row in task["ratings"]]
    ratings = pd.DataFrame(np.array(padded, dtype=object))
    predictions = pd.DataFrame(
        {
            classifier: [DiscreteDistributionPrediction(names, row) for row in rows]
            for classifier, rows in task["predictions"].items()
        }
    )
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  (it draws from numpy's global generator)

    start = cpu_seconds()
    pipeline = AnalysisPipeline(
        ratings,
        expert_cols=list(ratings.columns),
        classifier_predictions=predictions,
        combiner=Combiner(allowable_labels=names, W=ratings),  # W: with its memory of predictions
        scorer=SCORERS[task["scorer"]](),
        allowable_labels=names,
        num_bootstrap_item_samples=samples,
        max_K=task["max_k"] + 1,  # it stops one short
        anonymous_raters=True,
        verbosity=1,  # at 0 it scores the curve in another way than the classifiers
        procs=1,
    )
    seconds = cpu_seconds() - start

    curve, scores = pipeline.expert_power_curve, pipeline.classifier_scores
    answer = {
        "seconds": seconds,
        "curve": [float(curve.values[k]) for k in range(task["max_k"] + 1)],
        "scores": {name: float(scores.values[name]) for name in predictions},
        "equivalences": {
            name: float(curve.compute_equivalence_at_actuals(scores.values[name]))
            for name in predictions
        },
        "versions": {
            name: version(name) for name in ("surveyequivalence", "numpy", "pandas", "scikit-learn")
        },
    }
    Path(result).write_text(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
