"""How well methods estimate, for people with gold: estimated against actual scores and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from headcount.blind_evaluation.comparison.text import tables_of
from headcount.blind_evaluation.methods.vote_truth import winners
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.ranking import copeland
from headcount.blind_evaluation.votes import Votes
from headcount.errors import DataError
from headcount.results.arrays import to_json
from headcount.stats.correlation import (
    hotelling,
    kendall,
    pearson,
    spearman,
    swaps,
)
from headcount.stats.multiple_tests import holm
from headcount.typing import Floats

__all__ = [
    "MEASURES",
    "Comparison",
    "Extreme",
    "Triangle",
    "compare_methods",
    "labelling_quality",
]

MEASURES = {"pearson": pearson, "spearman": spearman, "kendall": kendall, "swaps": swaps}
"""How to compare two lists. All but swaps, a percentage, are better the higher they are."""

TOP = 3
"""Best classifiers whose predicted ranks are shown."""


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True, eq=False)
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

    @property
    def measured(self) -> Floats:
        """What the paper reports: Pearson's r of scores, else of ranks. (methods, metrics, 4)."""
        return _as_paper(self.by_score, self.by_rank)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        names = list(MEASURES)

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
            "extremes": [extreme.to_dict() for extreme in self.extremes],
            "tests": [test.to_dict() for test in self.tests],
        }

    def text(self) -> list[str]:
        """Write the paper's Tables 5 to 9 in lines of at most 80 columns."""
        return tables_of(self)


def compare_methods(
    classifiers: Sequence[str],
    metrics: Sequence[str],
    actual: tuple[Floats, Floats | None],
    estimates: Mapping[str, tuple[Floats, Floats | None]],
    *,
    quality: Mapping[str, Floats] | None = None,
    level: float = 0.95,
) -> Comparison:
    """Compare estimated with actual scores and ranks, method by method.

    Parameters
    ----------
    classifiers, metrics : sequences of str
        Names, of K classifiers and M metrics.
    actual : pair of (M, K) arrays
        Scores on gold, and ranks. Without ranks (None), the order of scores.
    estimates : mapping of method to pair of (M, K) arrays
        Estimated scores, and ranks or None.
    quality : mapping of method to (M,) array, optional
        How good the labels are that a method takes as the truth: :func:`labelling_quality`. For
        methods that first find one truth and then score (combine and score).
    level : float
        Confidence of the tests.

    Notes
    -----
    Two methods are compared by Hotelling's triangle test, with the classifiers as cases, for
    each metric and measure. Swaps of s percent enter it as a correlation of 1 - 2 s / 100. P-values
    are Holm-corrected over the pairs of methods, and methods ranked by significant wins minus
    defeats. With few classifiers the tests tell little apart. O(methods^2 x metrics x K^2).

    References
    ----------
    Jung and Lease (2012), Sections 4.4 and 5.3 to 5.6, Tables 5 to 9.

    Examples
    --------
    >>> actual = np.array([[0.9, 0.8, 0.7, 0.6]])
    >>> good, bad = np.array([[0.8, 0.7, 0.7, 0.5]]), np.array([[0.6, 0.9, 0.5, 0.8]])
    >>> found = compare_methods(
    ...     "abcd", ["accuracy"], (actual, None), {"good": (good, None), "bad": (bad, None)}
    ... )
    >>> found.by_score[:, 0].round(2)
    array([[ 0.92,  0.95,  0.91,  0.  ],
           [-0.14,  0.  ,  0.  , 50.  ]])
    """
    scores = actual[0]
    if scores.shape != (len(metrics), len(classifiers)):
        raise DataError(
            f"scores are {scores.shape[0]} x {scores.shape[-1]}, where {len(metrics)} metrics and "
            f"{len(classifiers)} classifiers need {len(metrics)} x {len(classifiers)}."
        )
    names = tuple(estimates)
    truth = (scores, _ranks(actual))
    lists = [(own[0], _ranks(own)) for own in estimates.values()]
    size = (len(names), len(metrics), len(MEASURES))
    by_score, by_rank = np.full(size, np.nan), np.full(size, np.nan)
    error = np.full(size[:2], np.nan)
    for i, (own, places) in enumerate(lists):
        for m in range(len(metrics)):
            by_score[i, m] = [f(scores[m], own[m]) for f in MEASURES.values()]
            by_rank[i, m] = [f(truth[1][m], places[m]) for f in MEASURES.values()]
            distance = np.abs(scores[m] - own[m])
            if not np.isnan(distance).all():
                error[i, m] = np.nanmean(distance)
    tests, rank = _tests(metrics, names, truth, lists, level)
    good = dict(quality or {})
    return Comparison(
        tuple(classifiers),
        tuple(metrics),
        names,
        level,
        by_score,
        by_rank,
        error,
        tests,
        rank,
        good,
        _quality_correlation(_as_paper(by_score, by_rank), names, good),
        _extremes(classifiers, metrics, names, truth, lists),
    )


def labelling_quality(votes: Votes, truth: Floats, metrics: Metrics) -> Floats:
    """Score the labels that a method takes as the truth against gold: (metrics,).

    Each item has the label that `truth` finds most probable; ties are shared, which is the mean
    over random tie-breaks. Over items with gold that have a truth; nan if there are none.

    Parameters
    ----------
    votes : Votes
        With gold.
    truth : (rows, labels) array
    metrics : Metrics
    """
    known = votes.gold >= 0
    said = winners(truth) * np.where(known, votes.multiplicity, 0)[:, None]
    right = np.where(known[:, None], np.eye(len(votes.labels))[votes.gold], 0.0)
    return metrics.scores(right.T @ said)


def _as_paper(by_score: Floats, by_rank: Floats) -> Floats:
    out = by_rank.copy()
    out[..., 0] = by_score[..., 0]
    return out


def _tests(
    metrics: Sequence[str],
    names: Sequence[str],
    truth: tuple[Floats, Floats],
    estimates: Sequence[tuple[Floats, Floats]],
    level: float,
) -> tuple[tuple[Triangle, ...], Floats]:
    """Test every two methods by every metric and measure, and rank them: (methods, metrics, 4)."""
    pairs = list(combinations(range(len(names)), 2))
    out: list[Triangle] = []
    rank = np.full((len(names), len(metrics), len(MEASURES)), np.nan)
    for m, metric in enumerate(metrics):
        for place, measure in enumerate(MEASURES):
            # A rank is high where the score is low.
            kind, sign = (0, 1) if measure == "pearson" else (1, -1)
            x, *lists = [sign * found[kind][m] for found in (truth, *estimates)]
            found = [
                hotelling(
                    _as_correlation(measure, x, lists[i]),
                    _as_correlation(measure, x, lists[j]),
                    _as_correlation(measure, lists[i], lists[j]),
                    int((~np.isnan(x + lists[i] + lists[j])).sum()),
                )
                for i, j in pairs
            ]
            adjusted = holm(np.array([test.p_value for test in found]))
            balance = np.zeros(len(names))
            for (i, j), test, p in zip(pairs, found, adjusted.tolist(), strict=True):
                if p <= round(1 - level, 12):
                    better, worse = (i, j) if test.t > 0 else (j, i)
                    balance[better] += 1
                    balance[worse] -= 1
                out.append(
                    Triangle(
                        metric,
                        measure,
                        names[i],
                        names[j],
                        test.t,
                        test.p_value,
                        p,
                        test.undefined,
                    )
                )
            known = ~np.isnan([_as_correlation(measure, x, y) for y in lists])
            rank[:, m, place] = copeland(balance, known)
    return tuple(out), rank


def _as_correlation(measure: str, x: Floats, y: Floats) -> float:
    value = MEASURES[measure](x, y)
    return 1 - 2 * value / 100 if measure == "swaps" else value


def _quality_correlation(
    measured: Floats, names: Sequence[str], quality: Mapping[str, Floats]
) -> Floats:
    """Pearson's r between labelling quality and each measure, over methods: (metrics, 4)."""
    out = np.full(measured.shape[1:], np.nan)
    mine = [i for i, name in enumerate(names) if name in quality]
    if len(mine) < 3:
        return out
    good = np.stack([quality[names[i]] for i in mine])
    for m, place in np.ndindex(*out.shape):
        out[m, place] = pearson(good[:, m], measured[mine, m, place])
    return out


def _extremes(
    classifiers: Sequence[str],
    metrics: Sequence[str],
    names: Sequence[str],
    truth: tuple[Floats, Floats],
    estimates: Sequence[tuple[Floats, Floats]],
) -> tuple[Extreme, ...]:
    out: list[Extreme] = []
    for m, metric in enumerate(metrics):
        scores = truth[0][m]
        order = [int(k) for k in np.argsort(-scores, kind="stable") if not np.isnan(scores[k])]
        places = [*range(min(TOP, len(order))), *([len(order) - 1] if len(order) > TOP else [])]
        for place in places:
            k = order[place]
            ranks = {
                name: float(own[m, k]) for name, (_, own) in zip(names, estimates, strict=True)
            }
            out.append(Extreme(metric, classifiers[k], place + 1, float(truth[1][m, k]), ranks))
    return tuple(out)


def _ranks(found: tuple[Floats, Floats | None]) -> Floats:
    """Ranks; by score alone where there are no tests."""
    scores, ranks = found
    return np.stack([copeland(row) for row in scores]) if ranks is None else ranks
