"""How well methods of blind evaluation estimate, for people with gold: Tables 5 to 9 of the paper.

``python docs/studies/scripts/blind_comparison.py votes.csv gold.csv [--figures FOLDER]`` prints the
tables of Jung and Lease (2012), and draws their Figures 2 to 5.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options, read_truth
from headcount.blind_evaluation.evidence import rankings
from headcount.blind_evaluation.gold_methods import weighted_gold
from headcount.blind_evaluation.methods import DIRECT, choose_methods
from headcount.blind_evaluation.metrics import (
    METRICS,
    Metrics,
    Ranking,
    choose_metrics,
    head_of,
)
from headcount.blind_evaluation.prepare import People, Prepared, prepare
from headcount.blind_evaluation.scoring import (
    Method,
    Scored,
    Settings,
    Task,
    score_all,
    seeds_of,
    tables,
)
from headcount.blind_evaluation.votes import Votes, vote_shares, winners
from headcount.errors import DataError, OptionError, option, percent
from headcount.results.fields import json_value
from headcount.results.notes import Notes
from headcount.results.plotting import (
    COLOURS,
    MARKERS,
    STYLES,
    bare,
    legend_above,
    new_figure,
    plain,
)
from headcount.results.result import Page, page_text
from headcount.results.tables import Table
from headcount.stats.arrays import group_rows
from headcount.stats.draws import keys
from headcount.stats.ranks import holm, kendall
from headcount.typing import Flags, Floats, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def compare(
    labels: Any,
    gold: Any,
    *,
    crowd: Any = None,
    groups: Any = None,
    at_least: float | None = None,
    metrics: Sequence[str] = METRICS,
    methods: Sequence[Any] | None = None,
    bootstrap: int = 200,
    level: float = 0.95,
    seed: Seed = 0,
) -> Comparison:
    """Compare the estimates of every method with the scores on gold.

    The parameters are those of :func:`headcount.blind`. Crowd labels teach methods in place of
    gold. Without them one half of the gold labels teaches the methods that learn, and all are
    judged on the other half: none is scored on gold that it has learned.
    """
    number, named = seeds_of(seed)
    settings = Settings(
        metrics=metrics,
        methods=methods,
        bootstrap=bootstrap,
        level=options.level(level),
        seed=number,
        named_seed=named,
    )
    known = (
        None if crowd is not None else choose_methods(methods, groups=groups is not None, gold=True)
    )
    if known is not None and any(m.informed and m is not DIRECT for m in known.values()):
        gold, crowd = halves(gold, settings.seed)
    people = People(gold=gold, crowd=crowd, groups=groups, at_least=at_least)
    data = prepare(labels, people, seed=settings.seed, notes=Notes())
    if data.gold_votes is None:
        raise OptionError("a comparison needs gold labels.")
    task = Task(
        votes=data.votes,
        metrics=choose_metrics(data.votes.labels, names=metrics),
        settings=settings,
        notes=Notes(),
    )
    chosen = choose_methods(
        methods,
        groups=bool(data.votes.groups),
        gold=True,
    )
    scored = score_all(task, chosen.values())
    on_gold = replace(task, votes=data.gold_votes)
    actual = score_all(on_gold, [DIRECT])[DIRECT.name]
    # Direct evaluation is what all are compared with, unless it is on crowd labels.
    compared = {
        name: method
        for name, method in chosen.items()
        if data.has_crowd or not _is_actual(method, scored[name], actual)
    }
    found = compare_methods(
        data.votes.classifiers,
        task.metrics.names,
        Estimated(actual.scores, _stacked(rankings(DIRECT, actual, data.gold_votes, level))),
        {
            name: Estimated(
                scored[name].scores,
                _stacked(rankings(method, scored[name], data.votes, level)),
                quality=None
                if method is DIRECT or (truth := scored[name].truth) is None
                else labelling_quality(data.gold_votes, _carried(data, truth), task.metrics),
                title=method.short,
            )
            for name, method in compared.items()
        },
        level=level,
    )
    return replace(found, threshold=threshold_curve(data.gold_votes, task.metrics))


def halves(gold: Any, seed: int) -> tuple[dict[str, str], dict[str, str]]:
    """Deal gold labels in two halves, by a key of the item: those that judge, those that teach."""
    if not isinstance(gold, Mapping):
        gold = read_truth(gold)
    names = np.array([str(item) for item in gold], dtype=object)
    order = np.lexsort((names.astype(str), keys(names, seed)))
    known = {str(item): str(label) for item, label in gold.items()}
    half = len(order) // 2
    parts = names[order[:half]], names[order[half:]]
    return tuple({item: known[item] for item in sorted(part)} for part in parts)


def _is_actual(method: Method, scored: Scored, actual: Scored) -> bool:
    """Whether a method is direct evaluation, as PPI is too where all items have gold."""
    if method is DIRECT or not method.informed or scored.truth is not None:
        return method is DIRECT
    return np.allclose(scored.scores, actual.scores, rtol=0, atol=1e-9, equal_nan=True)


def _stacked(ranks: list[Ranking] | None) -> Floats | None:
    """Ranks by significant wins minus defeats, as the paper compares methods by."""
    if ranks is None:
        return None
    return np.stack(
        [
            copeland((each.wins - each.defeats).astype(np.float64), ~np.isnan(each.rank))
            for each in ranks
        ]
    )


def copeland(balance: Floats, known: Flags | None = None) -> Floats:
    """Rank by wins minus defeats, the highest first: ties share the best of their places.

    Examples
    --------
    >>> copeland(np.array([1.0, -2, 1]))
    array([1., 3., 1.])
    """
    known = ~np.isnan(balance) if known is None else known
    ordered = np.sort(-balance[known])
    rank = np.searchsorted(ordered, -balance) + 1.0
    return np.where(known, rank, np.nan)


def _carried(data: Prepared, truth: Floats) -> Floats:
    """Truth of rows of votes, for the rows with gold, if they are others: means over items."""
    votes, other = data.votes, data.gold_votes
    if other is None or other is votes:
        return truth
    voted = votes.row_of >= 0
    row, gold_row = votes.row_of[voted], other.row_of[voted]
    # By pairs of rows, in their order, so that the order of items makes no difference to rounding.
    first, pair = group_rows([gold_row, row])
    weight = np.bincount(pair, data.labels.times_of_items[voted])[:, None]
    total = np.zeros((len(other.multiplicity), len(other.labels)))
    np.add.at(total, gold_row[first], weight * truth[row[first]])
    return total / other.multiplicity[:, None]


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


# Correlations, Hotelling's test of two of them, and swaps.

ROUNDING = 1e-12


@dataclass(frozen=True)
class Hotelling:
    """A triangle test.

    Parameters
    ----------
    t, p_value : float
        nan where there is no test.
    undefined : str or None
        Why there is none.
    """

    t: float
    p_value: float
    undefined: str | None = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.t, self.p_value))


def hotelling(r_xy: float, r_xz: float, r_yz: float, n: int) -> Hotelling:
    r"""Test whether y and z are equally correlated with x.

    Parameters
    ----------
    r_xy, r_xz, r_yz : float
        Correlations between x and y, x and z, y and z.
    n : int
        Cases that all three are known of.

    Returns
    -------
    Hotelling
        Unpacks to t and its two-sided p-value.

    Notes
    -----
    With :math:`|R| = 1 - r_{xy}^2 - r_{xz}^2 - r_{yz}^2 + 2 r_{xy} r_{xz} r_{yz}`,

    .. math:: t = (r_{xy} - r_{xz}) \sqrt{\frac{(n - 3) (1 + r_{yz})}{2 |R|}}

    with n - 3 degrees of freedom. It needs n > 3, and no correlation of 1 or -1. For rank
    correlations it is used as the paper does, without theory to support it.

    References
    ----------
    Hotelling (1940); Jung and Lease (2012), Equation 12.

    Examples
    --------
    >>> t, p = hotelling(0.73, 0.61, 0.66, 120)
    >>> round(t, 4), round(p, 4)
    (2.3784, 0.019)
    """
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    given = np.array([r_xy, r_xz, r_yz])
    if np.isnan(given).any():
        return _none("a correlation is undefined")
    if n <= 3:
        return _none(f"it needs 4 cases or more, and there are {n}")
    if (np.abs(given) >= 1 - ROUNDING).any():
        return _none("a correlation is 1 or -1")
    bottom = 1 - float(given @ given) + 2 * r_xy * r_xz * r_yz
    if bottom <= ROUNDING:
        # Three vectors in one plane; or rank correlations that no three lists of scores have.
        return _none("the three correlations determine each other")
    t = (r_xy - r_xz) * float(np.sqrt((n - 3) * (1 + r_yz) / (2 * bottom)))
    return Hotelling(t, float(2 * stdtr(n - 3, -abs(t))))


def pearson(x: Floats, y: Floats) -> float:
    """Correlation of two lists, where both are known; nan if one of them does not vary.

    Examples
    --------
    >>> round(pearson(np.array([1.0, 2, 3]), np.array([1.0, 2, 4])), 3)
    0.982
    """
    x, y = _known(x, y)
    if len(x) < 2:
        return float("nan")
    a, b = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    size = ROUNDING * len(x) * float(np.abs(x).max() * np.abs(y).max() + ROUNDING)
    return float(np.clip(a @ b / spread, -1, 1)) if spread > size else float("nan")


def spearman(x: Floats, y: Floats) -> float:
    """Correlation of the ranks of two lists; ties share their mean rank."""
    x, y = _known(x, y)
    return pearson(_mean_ranks(x), _mean_ranks(y))


def swaps(x: Floats, y: Floats) -> float:
    """Share of all pairs that one list has in the opposite order to the other, in percent.

    Pairs that are tied in either list count as no swap. nan without a pair.

    References
    ----------
    Voorhees (2000); Jung and Lease (2012), Section 4.4.

    Examples
    --------
    >>> round(swaps(np.array([1.0, 1, 3, 4]), np.array([2.0, 1, 4, 3])), 1)
    16.7
    """
    x, y = _known(x, y)
    first, second = np.triu_indices(len(x), 1)
    a, b = (
        np.sign(np.where(np.abs(d) > ROUNDING, d, 0.0))
        for d in (x[first] - x[second], y[first] - y[second])
    )
    return 100 * float((a * b < 0).sum()) / len(a) if len(a) else float("nan")


def _known(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def _mean_ranks(x: Floats) -> Floats:
    _, place, number = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(number)
    return (last - (number - 1) / 2)[place]


def _none(why: str) -> Hotelling:
    return Hotelling(float("nan"), float("nan"), why)


# Measures of how near an estimated list of scores or ranks comes to the actual one.


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One measure; call it with two lists.

    Parameters
    ----------
    name : str
    short, title : str
        Head of a column, and title of a table.
    function : callable
    of_scores : bool
        Whether it is reported of scores; else of ranks.
    of_errors : bool
        Whether it is a percentage of errors, better the lower it is; else a correlation.
    """

    name: str
    short: str
    title: str
    function: Callable[[Floats, Floats], float]
    of_scores: bool = False
    of_errors: bool = False

    def __call__(self, x: Floats, y: Floats) -> float:
        """Measure two lists; what is missing in one is left out."""
        return self.function(x, y)

    def as_correlation(self, x: Floats, y: Floats) -> float:
        """From -1 to 1, higher for lists that are more alike."""
        value = self.function(x, y)
        return 1 - 2 * value / 100 if self.of_errors else value


MEASURES = {
    measure.name: measure
    for measure in (
        Measure(
            name="pearson",
            short="r",
            title="Pearson's r of estimated with actual scores",
            function=pearson,
            of_scores=True,
        ),
        Measure(
            name="spearman",
            short="rho",
            title="Spearman's rho of estimated with actual ranks",
            function=spearman,
        ),
        Measure(
            name="kendall",
            short="tau",
            title="Kendall's tau of estimated with actual ranks",
            function=kendall,
        ),
        Measure(
            name="swaps",
            short="swaps",
            title="Swaps: pairs ranked in the wrong order, in percent",
            function=swaps,
            of_errors=True,
        ),
    )
}


# Sampling as the paper draws it.


def sampled_scores(
    votes: Votes, metrics: Metrics, *, draws: int, rng: np.random.Generator
) -> Floats:
    """Mean score over label sets in which every item takes the label of a random classifier.

    :func:`headcount.blind_evaluation.votes.vote_shares` gives its limit without drawing.

    Returns
    -------
    (metrics, classifiers) array
        The mean over the draws in which a score is defined; nan where it never is.

    Notes
    -----
    Items with the same votes draw their labels together, as a multinomial. O(draws x votes).

    References
    ----------
    Jung and Lease (2012), Section 3.1.2, with 1,000 draws.
    """
    share = vote_shares(votes)
    number = votes.multiplicity
    weight = number.astype(np.float64)
    total = np.zeros((len(votes.classifiers), len(metrics.names)))
    defined = np.zeros_like(total)
    for _ in range(draws):
        truth = rng.multinomial(number, share) / number[:, None]
        score = metrics.scores(tables(votes, truth, weight))
        total += np.nan_to_num(score)
        defined += ~np.isnan(score)
    return np.divide(total, defined, out=np.full_like(total, np.nan), where=defined > 0).T


# The majority at every threshold: how good its labels are against gold.

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
            **{name: json_value(row) for name, row in zip(self.metrics, self.quality, strict=True)},
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


# How methods compare with gold, as plain records.


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
        return {k: json_value(v) if k in numbers else v for k, v in vars(self).items()}


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
            "actual_rank": json_value(self.actual),
            "predicted_rank": {name: json_value(x) for name, x in self.predicted.items()},
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
            """One entry per metric."""
            return {
                metric: dict(zip(names, json_value(row), strict=True))
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
                        zip(self.metrics, json_value(self.error[i]), strict=True)
                    ),
                    "labelling_quality": dict(
                        zip(self.metrics, json_value(self.quality[method]), strict=True)
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


# Comparison of methods as tables.


def tables_of(c: Comparison) -> list[Table | str]:
    """Write Tables 5 to 9 of the paper, after a paragraph that says what they are."""
    head = ["method", *(head_of(metric) for metric in c.metrics)]
    blocks: list[Table | str] = [
        f"Estimates compared with gold, {len(c.classifiers):,} classifiers. In brackets: rank of "
        "the method by significant wins minus defeats against the others (Hotelling's triangle "
        f"test, {percent(c.level)}, Holm)."
    ]
    for index, measure in enumerate(MEASURES.values()):
        digits = 1 if measure.of_errors else 2
        body = [
            [
                _title(c, name),
                *(_ranked(c, (i, m, index), digits) for m in range(len(c.metrics))),
            ]
            for i, name in enumerate(c.methods)
        ]
        blocks.append(Table(head, body, title=measure.title, words=True))
    errors = dict(zip(c.methods, c.error, strict=True))
    blocks.append(_by_metric(c, head, "Mean error of estimated scores", errors))
    if c.quality:
        title = "The truth as each method sees it, scored as a labelling against gold"
        blocks.append(_by_metric(c, head, title, dict(c.quality)))
    if not np.isnan(c.quality_correlation).all():
        body = [
            [metric, *(_number(x, 2) for x in row)]
            for metric, row in zip(c.metrics, c.quality_correlation, strict=True)
        ]
        title = "Correlation of that quality with how well the method estimates"
        blocks.append(
            Table(["metric", *(measure.short for measure in MEASURES.values())], body, title=title)
        )
    return [*blocks, *_extreme_tables(c)]


def _by_metric(c: Comparison, head: list[str], title: str, rows: dict[str, Floats]) -> Table:
    body = [[_title(c, name), *(_number(x, 3) for x in row)] for name, row in rows.items()]
    return Table(head, body, title=title, words=True)


def _extreme_tables(c: Comparison) -> list[Table]:
    """Where methods rank the best and the worst by the first metric."""
    mine = [extreme for extreme in c.extremes if extreme.metric == c.metrics[0]]
    if not mine:
        return []
    names = {1: "best", 2: "2nd", 3: "3rd"}
    heads = [names.get(extreme.place, "worst") for extreme in mine]
    body = [["actual", *(_number(extreme.actual, 0) for extreme in mine)]]
    body += [
        [_title(c, name), *(_number(extreme.predicted[name], 0) for extreme in mine)]
        for name in c.methods
    ]
    who = "; ".join(f"{head}: {e.classifier}" for head, e in zip(heads, mine, strict=True))
    title = f"Predicted rank, by {c.metrics[0]}, of the classifiers that are actually {who}"
    return [Table(["method", *heads], body, title=title, rules=[1], words=True)]


def _ranked(c: Comparison, cell: tuple[int, int, int], digits: int) -> str:
    value, rank = c.measured[cell], c.rank[cell]
    return f"{_number(value, digits)} ({rank:.0f})" if not np.isnan(value + rank) else ""


def _number(x: float, digits: int) -> str:
    return "" if np.isnan(x) else f"{round(x, digits) + 0.0:.{digits}f}"


def _title(c: Comparison, name: str) -> str:
    return c.titles.get(name, name)


# Figures 2 to 5 of Jung and Lease (2012): thresholds, methods by metric, quality and correlation.
#
# All need a comparison of methods with gold.


def plot_threshold(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw how good the labels of a majority are at every threshold (Figure 2)."""
    curve = comparison.threshold
    if curve is None:
        raise OptionError(
            "a threshold curve needs two labels, of which one is positive "
            f"({option('positive', ...)}, or {option('at_least', ...)} for numbers)."
        )
    axes: Any = new_figure(6.4, 4.0).subplots() if ax is None else ax
    for n, (metric, row) in enumerate(zip(curve.metrics, curve.quality, strict=True)):
        colour, style = COLOURS[n % len(COLOURS)], STYLES[n % len(STYLES)]
        axes.plot(curve.threshold, row, color=colour, linestyle=style, label=metric)
        if not np.isnan(row).all():
            best = int(np.nanargmax(row))
            mark = MARKERS[n % len(MARKERS)]
            at = curve.threshold[best], row[best]
            axes.plot(*at, mark, color=colour, markersize=5, clip_on=False)
    axes.axvline(0.5, color="#cccccc", linestyle="--", linewidth=1, zorder=0)
    axes.set_xlabel(
        plain(f"share of votes above which an item is '{curve.label}'")
        + "\nmarks: where a metric is highest"
    )
    axes.set_ylabel("score of these labels against gold")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.03)
    bare(axes)
    legend_above(axes, 4)
    return axes


def plot_methods(comparison: Comparison) -> Figure:
    """Draw how well every method estimates every metric, one panel per measure (Figures 3, 4)."""
    c = comparison
    shown = _drawn(c, range(len(c.methods)))
    figure: Any = new_figure(3.4 * len(shown) + 1.2, 1.4 + 0.27 * len(c.methods))
    every: list[Any] = list(figure.subplots(1, len(shown), sharey=True, squeeze=False)[0])
    offset = np.linspace(-0.3, 0.3, len(c.metrics)) if len(c.metrics) > 1 else np.zeros(1)
    for axes, (index, measure) in zip(every, shown, strict=True):
        for m, metric in enumerate(c.metrics):
            axes.plot(
                c.measured[:, m, index],
                np.arange(len(c.methods)) + offset[m],
                MARKERS[m % len(MARKERS)],
                color=COLOURS[m % len(COLOURS)],
                markersize=4,
                label=metric,
            )
        axes.set_title(measure.title.split(" of ")[0], fontsize="small")
        axes.set_xlim(min(-0.02, float(np.nanmin(c.measured[:, :, index])) - 0.05), 1.03)
        axes.grid(axis="both", color="#eeeeee", linewidth=0.6)
        axes.set_axisbelow(True)
        bare(axes)
    first = every[0]
    titles = [plain(c.titles.get(name, name)) for name in c.methods]
    first.set_yticks(range(len(c.methods)), titles, fontsize="small")
    first.set_ylim(len(c.methods) - 0.5, -0.5)
    handles, names = first.get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside lower center", ncols=len(names), frameon=False,
        fontsize="small",
    )  # fmt: skip
    return figure


def plot_quality(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw how good a method's labels are against how well it estimates classifiers (Figure 5)."""
    c = comparison
    mine = [i for i, name in enumerate(c.methods) if name in c.quality]
    if len(mine) < 3:
        raise OptionError(
            "this plot needs three methods or more that find labels of items "
            f"({option('methods', ...)})."
        )
    axes: Any = new_figure(5.4, 4.6).subplots() if ax is None else ax
    good = np.stack([c.quality[c.methods[i]] for i in mine])
    shown = _drawn(c, mine)
    for place, (index, measure) in enumerate(shown):
        x, y = c.measured[mine][:, :, index].ravel(), good.ravel()
        both = ~np.isnan(x + y)
        x, y, colour = x[both], y[both], COLOURS[place]
        strength = pearson(x, y)
        name = measure.title.split(" of ")[0]
        name += "" if np.isnan(strength) else f" (correlation {strength:.2f})"
        axes.plot(x, y, MARKERS[place], color=colour, markersize=4, alpha=0.7, label=name)
        if len(x) > 1 and np.ptp(x) > 0:
            slope = float(np.cov(x, y)[0, 1] / x.var(ddof=1))
            ends = np.array([x.min(), x.max()])
            axes.plot(ends, y.mean() + slope * (ends - x.mean()), color=colour, linewidth=1)
    axes.set_xlabel("correlation of estimated with actual scores or ranks")
    axes.set_ylabel("quality of the labels that a method finds")
    bare(axes)
    legend_above(axes)
    return axes


def _drawn(comparison: Comparison, methods: Sequence[int]) -> list[tuple[int, Measure]]:
    """List measures that some method has a value of, by place; ties leave ranks without one."""
    values = comparison.measured[list(methods)]
    found = [
        (n, measure)
        for n, measure in enumerate(MEASURES.values())
        if not measure.of_errors and not np.isnan(values[:, :, n]).all()
    ]
    if not found:
        raise OptionError(
            "too few classifiers that gold tells apart: no method's estimates can be compared with "
            f"it. Give gold labels of more items ({option('gold', ...)})."
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("votes", type=Path)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--groups", type=Path)
    parser.add_argument("--at-least", type=float)
    parser.add_argument("--bootstrap", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="print a JSON document instead")
    parser.add_argument("--figures", type=Path, help="folder to draw Figures 2 to 5 into")
    given = parser.parse_args()
    found = compare(
        given.votes,
        given.gold,
        groups=given.groups,
        at_least=given.at_least,
        bootstrap=given.bootstrap,
    )
    print(json.dumps(found.to_dict()) if given.json else page_text(Page([], tables_of(found))))
    if given.figures is not None:
        plot_threshold(found).figure.savefig(given.figures / "threshold.png")
        plot_methods(found).savefig(given.figures / "methods.png")
        plot_quality(found).figure.savefig(given.figures / "quality.png")


if __name__ == "__main__":
    main()
