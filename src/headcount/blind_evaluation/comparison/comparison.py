"""How well methods estimate, for people with gold: estimated against actual scores and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from headcount.blind_evaluation.comparison.measures import MEASURES
from headcount.blind_evaluation.comparison.records import Comparison, Extreme, Triangle, as_paper
from headcount.blind_evaluation.methods.direct import weighted_gold
from headcount.blind_evaluation.methods.vote_truth import winners
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.ranking import copeland
from headcount.blind_evaluation.votes import Votes
from headcount.errors import DataError
from headcount.stats.correlation import hotelling, pearson
from headcount.stats.multiple_tests import holm
from headcount.typing import Floats

__all__ = ["Estimated", "compare_methods", "labelling_quality"]

TOP = 3
"""Best classifiers whose predicted ranks are shown."""


@dataclass(frozen=True, eq=False)
class Estimated:
    """What one method says of K classifiers by M metrics.

    Parameters
    ----------
    scores : (M, K) array
    given_ranks : (M, K) array, optional
        Default: the order of scores.
    quality : (M,) array, optional
        How good the labels are that the method takes as the truth: :func:`labelling_quality`. For
        methods that first find one truth and then score (combine and score).
    title : str, optional
        What heads it in tables. Default: its name.
    """

    scores: Floats
    given_ranks: Floats | None = None
    quality: Floats | None = None
    title: str | None = None

    @property
    def ranks(self) -> Floats:
        """Ranks; by score alone where there are no tests."""
        if self.given_ranks is None:
            return np.stack([copeland(row) for row in self.scores])
        return self.given_ranks


def compare_methods(
    classifiers: Sequence[str],
    metrics: Sequence[str],
    actual: Estimated,
    estimates: Mapping[str, Estimated],
    *,
    level: float = 0.95,
) -> Comparison:
    """Compare estimated with actual scores and ranks, method by method.

    Parameters
    ----------
    classifiers, metrics : sequences of str
        Names, of K classifiers and M metrics.
    actual : Estimated
        Scores on gold, and ranks.
    estimates : mapping of method to Estimated
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
    >>> each = {"good": Estimated(good), "bad": Estimated(bad)}
    >>> found = compare_methods("abcd", ["accuracy"], Estimated(actual), each)
    >>> found.by_score[:, 0].round(2)
    array([[ 0.92,  0.95,  0.91,  0.  ],
           [-0.14,  0.  ,  0.  , 50.  ]])
    """
    scores = actual.scores
    if scores.shape != (len(metrics), len(classifiers)):
        raise DataError(
            f"scores are {scores.shape[0]} x {scores.shape[-1]}, where {len(metrics)} metrics and "
            f"{len(classifiers)} classifiers need {len(metrics)} x {len(classifiers)}."
        )
    names = tuple(estimates)
    truth = (scores, actual.ranks)
    lists = [(own.scores, own.ranks) for own in estimates.values()]
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
    good = {name: own.quality for name, own in estimates.items() if own.quality is not None}
    return Comparison(
        classifiers=tuple(classifiers),
        metrics=tuple(metrics),
        methods=names,
        level=level,
        by_score=by_score,
        by_rank=by_rank,
        error=error,
        tests=tests,
        rank=rank,
        quality=good,
        quality_correlation=_quality_correlation(as_paper(by_score, by_rank), names, good),
        extremes=_extremes(classifiers, metrics, names, truth, lists),
        titles={name: own.title for name, own in estimates.items() if own.title is not None},
    )


def labelling_quality(votes: Votes, truth: Floats, metrics: Metrics) -> Floats:
    """Score the labels that a method takes as the truth against gold: (metrics,).

    Each item has the label that `truth` finds most probable; ties are shared, which is the mean
    over random tie-breaks. Over items with gold that have a truth, by the inverse of the
    probability that they were drawn with; nan if there are none.

    Parameters
    ----------
    votes : Votes
        With gold.
    truth : (rows, labels) array
    metrics : Metrics
    """
    said = winners(truth) * votes.multiplicity[:, None]
    return metrics.scores(weighted_gold(votes).T @ said)


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
        for index, measure in enumerate(MEASURES.values()):
            # A rank is high where the score is low.
            kind, sign = (0, 1) if measure.of_scores else (1, -1)
            x, *lists = [sign * found[kind][m] for found in (truth, *estimates)]
            found = [
                hotelling(
                    measure.as_correlation(x, lists[i]),
                    measure.as_correlation(x, lists[j]),
                    measure.as_correlation(lists[i], lists[j]),
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
                        metric=metric,
                        measure=measure.name,
                        one=names[i],
                        two=names[j],
                        t=test.t,
                        p_value=test.p_value,
                        adjusted_p_value=p,
                        undefined=test.undefined,
                    )
                )
            known = ~np.isnan([measure.as_correlation(x, y) for y in lists])
            rank[:, m, index] = copeland(balance, known)
    return tuple(out), rank


def _quality_correlation(
    measured: Floats, names: Sequence[str], quality: Mapping[str, Floats]
) -> Floats:
    """Pearson's r between labelling quality and each measure, over methods: (metrics, 4)."""
    out = np.full(measured.shape[1:], np.nan)
    mine = [i for i, name in enumerate(names) if name in quality]
    if len(mine) < 3:
        return out
    good = np.stack([quality[names[i]] for i in mine])
    for m, index in np.ndindex(*out.shape):
        out[m, index] = pearson(good[:, m], measured[mine, m, index])
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
            out.append(
                Extreme(
                    metric=metric,
                    classifier=classifiers[k],
                    place=place + 1,
                    actual=float(truth[1][m, k]),
                    predicted=ranks,
                )
            )
    return tuple(out)
