"""The majority at every threshold: how good its labels are against gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.blind_evaluation.methods.direct import weighted_gold
from headcount.blind_evaluation.methods.vote_truth import vote_shares
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.votes import Votes
from headcount.results.arrays import to_json
from headcount.typing import Floats

__all__ = ["ThresholdCurve", "threshold_curve"]

STEPS = 40
"""Thresholds that are tried between 0 and 1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ThresholdCurve:
    """How good labels are that more than a share of the votes is for.

    Parameters
    ----------
    label : str
        The label whose share is looked at.
    threshold : (thresholds,) array
    quality : (metrics, thresholds) array
        Scores of these labels against gold; nan where there is none.
    metrics : tuple of str
    """

    label: str
    threshold: Floats
    quality: Floats
    metrics: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "label": self.label,
            "threshold": self.threshold.tolist(),
            **{name: to_json(row) for name, row in zip(self.metrics, self.quality, strict=True)},
        }


def threshold_curve(votes: Votes, metrics: Metrics) -> ThresholdCurve | None:
    """Score the labels of a majority at thresholds from 0 to 1 against gold.

    An item has the positive label if more than the threshold of its votes are for it, and half of
    it where just as many are. None where no label is positive.

    References
    ----------
    Jung and Lease (2012), Section 3.4.1 and Figure 2.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.metrics import choose_metrics
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 1, 1, 2, 2, 2], list("abcabc"), list("yynnny"))
    >>> votes = collect(labels, gold={1: "y", 2: "n"})
    >>> found = threshold_curve(votes, choose_metrics(votes.labels, names=["accuracy"]))
    >>> [found.quality[0][k] for k in (4, 20, 38)]  # .1, .5, .95
    [np.float64(0.5), np.float64(1.0), np.float64(0.5)]
    """
    if metrics.positive is None or len(votes.labels) != 2:
        return None
    known = votes.gold >= 0
    share = vote_shares(votes)[known, metrics.positive]
    right = (weighted_gold(votes) * votes.multiplicity[:, None])[known]
    threshold = np.linspace(0, 1, STEPS + 1)
    quality = np.empty((len(metrics.names), len(threshold)))
    for n, t in enumerate(threshold):
        positive = (share > t) + 0.5 * (np.abs(share - t) < 1e-12)
        said = np.empty((len(share), 2))
        said[:, metrics.positive], said[:, 1 - metrics.positive] = positive, 1 - positive
        quality[:, n] = metrics.scores(right.T @ said)
    return ThresholdCurve(
        label=votes.labels[metrics.positive],
        threshold=threshold,
        quality=quality,
        metrics=metrics.names,
    )
