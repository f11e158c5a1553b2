"""How methods compare with gold, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.blind_evaluation.comparison.measures import MEASURES
from headcount.blind_evaluation.comparison.threshold import ThresholdCurve
from headcount.results.arrays import to_json
from headcount.typing import Floats

__all__ = ["Comparison", "Extreme", "Triangle", "as_paper"]


@dataclass(frozen=True, kw_only=True)
class Triangle:
    """Hotelling's test of two methods.

    Parameters
    ----------
    metric, measure : str
    one, two : str
        Methods.
    t, p_value, adjusted_p_value : float
        Positive if the first has the higher correlation with actual scores; Holm's correction is
        over the pairs of methods. nan where there is no test.
    undefined : str or None
        Why there is none.
    """

    metric: str
    measure: str
    one: str
    two: str
    t: float
    p_value: float
    adjusted_p_value: float
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        numbers = ("t", "p_value", "adjusted_p_value")
        return {k: to_json(v) if k in numbers else v for k, v in vars(self).items()}


@dataclass(frozen=True, kw_only=True)
class Extreme:
    """Where methods rank one of the best classifiers, or the worst.

    Parameters
    ----------
    metric, classifier : str
    place : int
        Place by actual score, 1 for the best; that of the worst is the number of classifiers.
    actual : float
        Actual rank, which classifiers that gold does not tell apart share.
    predicted : mapping of method to float
        nan where the method has no rank for it.
    """

    metric: str
    classifier: str
    place: int
    actual: float
    predicted: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "metric": self.metric,
            "classifier": self.classifier,
            "place": self.place,
            "actual_rank": to_json(self.actual),
            "predicted_rank": {name: to_json(x) for name, x in self.predicted.items()},
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison:
    """Methods compared by how near their estimates come to the scores on gold.

    Parameters
    ----------
    classifiers, metrics, methods : tuple of str
    level : float
        Confidence of the tests.
    by_score, by_rank : (methods, metrics, 4) arrays
        Pearson's r, Spearman's rho, Kendall's tau-b and swaps in percent, between estimated and
        actual scores, and between estimated and actual ranks; nan where they are undefined.
    error : (methods, metrics) array
        Mean absolute difference of estimated from actual scores.
    tests : tuple of Triangle
        Every two methods, by each metric and measure.
    rank : (methods, metrics, 4) array
        Ranks of the methods by significant wins minus defeats, as Table 5 of the paper.
    quality : mapping of method to (metrics,) array
        Scores of the labels that a method takes as the truth, as Table 7.
    quality_correlation : (metrics, 4) array
        Pearson's r over these methods between that quality and each measure, as Table 8.
    extremes : tuple of Extreme
        Predicted ranks of the best and the worst classifiers, as Table 9.
    titles : mapping of method to str
        What heads a method in tables; its name where there is none.
    threshold : ThresholdCurve or None
        The majority at every threshold, as Figure 2; None where no label is positive.
    """

    classifiers: tuple[str, ...]
    metrics: tuple[str, ...]
    methods: tuple[str, ...]
    level: float
    by_score: Floats
    by_rank: Floats
    error: Floats
    tests: tuple[Triangle, ...]
    rank: Floats
    quality: Mapping[str, Floats]
    quality_correlation: Floats
    extremes: tuple[Extreme, ...]
    titles: Mapping[str, str]
    threshold: ThresholdCurve | None = None

    @property
    def measured(self) -> Floats:
        """What the paper reports: Pearson's r of scores, else of ranks. (methods, metrics, 4)."""
        return as_paper(self.by_score, self.by_rank)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        names = MEASURES

        def by_name(table: Floats) -> dict[str, Any]:
            """One entry a metric."""
            return {
                metric: dict(zip(names, to_json(row), strict=True))
                for metric, row in zip(self.metrics, table, strict=True)
            }

        return {
            "level": self.level,
            "methods": {
                method: {
                    "scores": by_name(self.by_score[i]),
                    "ranks": by_name(self.by_rank[i]),
                    "method_rank": by_name(self.rank[i]),
                    "mean_absolute_error": dict(
                        zip(self.metrics, to_json(self.error[i]), strict=True)
                    ),
                    "labelling_quality": dict(
                        zip(self.metrics, to_json(self.quality[method]), strict=True)
                    )
                    if method in self.quality
                    else None,
                }
                for i, method in enumerate(self.methods)
            },
            "quality_correlation": by_name(self.quality_correlation),
            "threshold": None if self.threshold is None else self.threshold.to_dict(),
            "extremes": [extreme.to_dict() for extreme in self.extremes],
            "tests": [test.to_dict() for test in self.tests],
        }


def as_paper(by_score: Floats, by_rank: Floats) -> Floats:
    """Take measures of scores or of ranks, whichever is reported."""
    of_scores = [measure.of_scores for measure in MEASURES.values()]
    return np.where(of_scores, by_score, by_rank)
