"""Metrics of classifiers, and ranks that only differ where a test says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from headcount import options
from headcount.errors import DataError, OptionError, option, unknown_name
from headcount.stats.intervals import share_interval
from headcount.stats.ranks import holm
from headcount.typing import Codes, Floats

__all__ = [
    "Quality",
    "Metric",
    "METRICS",
    "Metrics",
    "choose_metrics",
    "head_of",
    "Ranking",
    "rank",
    "paired_tests",
]


# Metrics of classifiers, as ratios of sums over a table of truth and vote.

Terms = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""From what is true and what is said, (labels, labels) of 0 and 1, to numerator and denominator."""

Quality = Callable[[Floats, Floats, float, float], Floats]
"""How good a truth is: by true and false positives, of so many positive and negative items."""


@dataclass(frozen=True)
class Metric:
    """One metric.

    Parameters
    ----------
    name : str
    head : str
        Heads its column in a table.
    terms : callable
        Which cells of a table its numerator and denominator count, for one positive label.
    quality : callable
        What is tuned in its place where a truth is calibrated. Alone, recall is best if all items
        are positive, specificity if none is, and precision if very few are; this leans towards
        the metric, but has its best value in between.
    of_calls : bool
        Whether it is a share of what a classifier says; a label never given then counts as 0.
    by_label : bool
        Whether it looks at one label against the others; accuracy does not.
    of_union : bool
        Whether it is F1, which is no share of items, but grows with one: Jaccard's, of the items
        that are or are called positive those that are both.
    """

    name: str
    head: str
    terms: Terms
    quality: Quality
    of_calls: bool = False
    by_label: bool = True
    of_union: bool = False


def _accuracy(hit: Floats, false: Floats, positive: float, negative: float) -> Floats:
    return (hit + negative - false) / (positive + negative)


def _f_half(hit: Floats, false: Floats, positive: float, _: float) -> Floats:
    return 5 * hit / (4 * hit + 4 * false + positive)


def _f1(hit: Floats, false: Floats, positive: float, _: float) -> Floats:
    return 2 * hit / (hit + false + positive)


def _f1_of_negative(hit: Floats, false: Floats, positive: float, negative: float) -> Floats:
    return _f1(negative - false, positive - hit, negative, positive)


KINDS: dict[str, Metric] = {
    kind.name: kind
    for kind in (
        Metric(
            "accuracy",
            "ACC",
            lambda t, s: (np.eye(len(t)), np.ones_like(t)),
            _accuracy,
            by_label=False,
        ),
        Metric("precision", "PRE", lambda t, s: (t * s, s), _f_half, of_calls=True),
        Metric("recall", "REC", lambda t, s: (t * s, t), _f1),
        Metric("specificity", "SPE", lambda t, s: ((1 - t) * (1 - s), 1 - t), _f1_of_negative),
        Metric("f1", "F1", lambda t, s: (2 * t * s, t + s), _f1, of_union=True),
    )
}
METRICS = tuple(KINDS)
"""Their names. Quality is accuracy for accuracy, F1 for recall and F1, F1 of the negative label for
specificity, and F 1/2, which weighs it above recall, for precision."""


MANY_CELLS = 10**6
"""Cells of tables from which on products of matrices add them up, which are faster."""


def _sums(chosen: Floats, tables: Floats) -> Floats:
    """Sum of the chosen cells of tables, (..., labels, labels): (..., metrics, classes)."""
    if tables.ndim < 4 or tables.size < MANY_CELLS:
        return np.einsum("mcij,...ij->...mc", chosen, tables)
    flat = chosen.reshape(-1, chosen.shape[-1] ** 2).T
    out = np.empty((*tables.shape[:-2], *chosen.shape[:2]))
    for part, sums in zip(tables, out, strict=True):
        sums[:] = (part.reshape(-1, len(flat)) @ flat).reshape(sums.shape)
    return out


@dataclass(frozen=True, eq=False)
class Metrics:
    r"""Metrics :math:`\frac1C \sum_c \langle N_c, T \rangle / \langle D_c, T \rangle`.

    `T[i, j]` is the number of items (their expected number, where truth is uncertain) whose true
    label is i and to which the classifier gives j. One class c counts where a label is positive,
    else every label in turn counts as the positive one (macro average).

    Parameters
    ----------
    kinds : tuple of Metric
    labels : tuple of str
    positive : int or None
        The positive label, or None for macro averages.
    numerator, denominator : (metrics, classes, labels, labels) arrays
        N and D.
    """

    kinds: tuple[Metric, ...]
    labels: tuple[str, ...]
    positive: int | None
    numerator: Floats
    denominator: Floats

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(kind.name for kind in self.kinds)

    def ratios(self, tables: Floats) -> Floats:
        """Each class's ratio, (..., metrics, classes); nan where it is 0 / 0.

        `tables` are (..., labels, labels).
        """
        top, bottom = (_sums(part, tables) for part in (self.numerator, self.denominator))
        # A sum of weights that cancel may miss 0 by rounding.
        empty = bottom <= 1e-12 * (1 + np.abs(tables).sum(axis=(-1, -2))[..., None, None])
        return np.divide(top, bottom, out=np.full_like(top, np.nan), where=~empty)

    def counted(self, ratios: Floats) -> Codes:
        """Classes that each metric is the mean over, (..., metrics); 0 where it is undefined."""
        number = (~np.isnan(ratios)).sum(axis=-1)
        if self.positive is None:
            for m, kind in enumerate(self.kinds):
                if kind.of_calls:
                    number[..., m] = np.where(number[..., m] > 0, ratios.shape[-1], 0)
        return number

    def scores(self, tables: Floats) -> Floats:
        """Each metric, (..., metrics); nan where it is undefined.

        In a macro average a label that the classifier never gives has precision 0, and one that
        is never true is left out.
        """
        ratio = self.ratios(tables)
        number = self.counted(ratio)
        total = np.nansum(ratio, axis=-1)
        return np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)

    def interval(
        self, m: int, value: Floats | float, size: Floats | float, level: float
    ) -> tuple[Floats, Floats]:
        """Interval of scores by metric `m` that so many independent items tell as well.

        F1 of one label is :math:`2 J / (1 + J)` of Jaccard's share J, whose interval is mapped.
        """
        union = self.positive is not None and self.kinds[m].of_union
        share = np.clip(value, 0, 1)
        low, high = share_interval(share / (2 - share) if union else share, size, level)
        if union:
            low, high = 2 * low / (1 + low), 2 * high / (1 + high)
        return np.minimum(low, share), np.maximum(high, share)


def choose_metrics(
    labels: Sequence[str], *, names: Sequence[str] = METRICS, positive: str | None = None
) -> Metrics:
    """Make metrics by name.

    Parameters
    ----------
    labels : sequence of str
        The labels, in order.
    names : sequence of str
        accuracy, precision, recall, specificity, f1.
    positive : str, optional
        The positive label. Default: the second of two labels; macro averages with more.

    Examples
    --------
    >>> metrics = choose_metrics(["no", "yes"])
    >>> metrics.scores(np.array([[50, 10], [5, 35]])).round(3)
    array([0.85 , 0.778, 0.875, 0.833, 0.824])
    """
    wanted = options.several_of(names, "metrics", METRICS, "metric")
    if not wanted:
        raise OptionError(
            f"{option('metrics')} must name one metric or more: {', '.join(METRICS)}."
        )
    kinds = tuple(KINDS[name] for name in wanted)
    size = len(labels)
    if positive is not None and positive not in labels:
        raise unknown_name("positive label", positive, list(labels), option_name="positive")
    code = labels.index(positive) if positive is not None else 1 if size == 2 else None
    classes = list(range(size)) if code is None else [code]
    numerator = np.zeros((len(kinds), len(classes), size, size))
    denominator = np.zeros_like(numerator)
    for m, kind in enumerate(kinds):
        for c, label in enumerate(classes):
            is_true = np.zeros((size, size))
            is_true[label] = 1
            numerator[m, c], denominator[m, c] = kind.terms(is_true, is_true.T)
    return Metrics(
        kinds=kinds,
        labels=tuple(labels),
        positive=code,
        numerator=numerator,
        denominator=denominator,
    )


def head_of(name: str) -> str:
    """Say what heads the column of a metric in a table."""
    return KINDS[name].head if name in KINDS else name


# Ranks of classifiers that only differ where a test says so.

ROUNDING = 1e-12
"""Differences and variances below this share of what they are made of are rounding errors."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Places that differ only where a test says so.

    Parameters
    ----------
    rank : (K,) array
        1 and the number of others that are significantly better, so that those with rank 1 are
        the ones that are not significantly worse than the best. nan without a score.
    wins, defeats : (K,) arrays of int
        Others that it is significantly better, or worse, than.
    p_value, adjusted : (K, K) arrays
        Of the hypotheses that two have the same score, symmetric, nan without a test; and the same
        after Holm's correction over all pairs.
    level : float
        Confidence at which a difference counts.
    """

    rank: Floats
    wins: Codes
    defeats: Codes
    p_value: Floats
    adjusted: Floats
    level: float


def rank(
    scores: Floats,
    covariance: Floats,
    n: float | Codes,
    *,
    added: Floats | None = None,
    level: float = 0.95,
) -> Ranking:
    """Rank classifiers by one metric: by how many others are significantly better.

    Parameters
    ----------
    scores : (K,) array
        Higher is better; nan where there is none.
    covariance : (K, K) array
        Covariance of the scores over items, as of :func:`tables.covariance`.
    n : float or (K,) array of int
        Items, in all or of each classifier.
    added : (K,) array, optional
        Variance that each score has beyond what is seen; none by default.
    level : float
        Confidence at which a difference counts.

    Notes
    -----
    Paired t-tests of every two classifiers, and Holm's correction over all pairs. A rank is 1 and
    the number of others that are significantly better. So the best score always has rank 1, and
    shares it with all that no other is significantly better than; ranks below mean the same one
    step down. They need not go by scores: few labels tell little, so that a classifier with few
    may share a rank with much better ones. O(K^2 log K).

    The tests are for the labels that were taken as the truth. They do not know that those may be
    wrong.

    References
    ----------
    Jung and Lease (2012), Section 4.3; Holm (1979), "A simple sequentially rejective multiple
    test procedure".

    Examples
    --------
    The paper's example: a is better than c, and b differs significantly from neither.

    >>> found = rank(np.array([0.9, 0.8, 0.7]), np.eye(3) * 0.003, 1000)
    >>> found.adjusted[0].round(3)
    array([  nan, 0.394, 0.03 ])
    >>> found.rank
    array([1., 1., 2.])
    """
    options.level(level)
    p_value = paired_tests(scores, covariance, n, added)
    row, column = np.triu_indices(len(scores), 1)
    adjusted = np.full_like(p_value, np.nan)
    adjusted[row, column] = adjusted[column, row] = holm(p_value[row, column])
    # Guards against 1 - .95 = .050000000000000044.
    better = (adjusted <= round(1 - level, 12)) & (scores[:, None] > scores)
    wins, defeats = better.sum(axis=1), better.sum(axis=0)
    return Ranking(
        rank=np.where(np.isnan(scores), np.nan, 1.0 + defeats),
        wins=wins,
        defeats=defeats,
        p_value=p_value,
        adjusted=adjusted,
        level=level,
    )


def paired_tests(
    scores: Floats, covariance: Floats, n: float | Codes, added: Floats | None = None
) -> Floats:
    r"""Test the differences of every two scores: p-values, (K, K), nan where there is no test.

    :math:`t = (s_k - s_l) / \sqrt{S_{kk} + S_{ll} - 2 S_{kl} + u_k + u_l}` with n - 1 degrees of
    freedom (of the classifier with fewer items), two-sided; for accuracies on the same items, and
    nothing added, it is the paired t-test. Where the difference has no variance, p is 1 for equal
    scores and else 0.

    Examples
    --------
    >>> paired_tests(np.array([0.8, 0.6]), np.array([[0.01, 0.005], [0.005, 0.01]]), 26).round(4)
    array([[   nan, 0.0565],
           [0.0565,    nan]])
    """
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    items = np.broadcast_to(np.asarray(n, dtype=np.float64), scores.shape)
    if items.max(initial=0) < 2:
        raise DataError(f"a test needs 2 items or more, and there is {items.max(initial=0):g}.")
    own = covariance.diagonal()
    more = np.zeros_like(own) if added is None else added
    total = own[:, None] + own
    variance = total - 2 * covariance + more[:, None] + more
    difference = scores[:, None] - scores
    some = (variance > ROUNDING * total) & ~np.isnan(difference)
    t = np.where(np.abs(difference) > ROUNDING, np.inf, 0.0)
    np.divide(np.abs(difference), np.sqrt(np.maximum(variance, 0)), out=t, where=some)
    freedom = np.minimum(items[:, None], items) - 1
    t[np.isnan(difference) | (freedom < 1)] = np.nan
    np.fill_diagonal(t, np.nan)
    return np.asarray(2 * stdtr(freedom, -t), dtype=np.float64)
