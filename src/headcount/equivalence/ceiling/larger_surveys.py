"""Surveys of more raters than the data hold, under a fitted distribution of item states."""

from __future__ import annotations

from math import comb, lgamma

import numpy as np

from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.scorers.base import Scorer
from headcount.typing import Codes, Floats, Ints

__all__ = ["compositions", "raters_for", "survey_score", "survey_sizes"]


MOST_OUTCOMES = 20_000
"""Outcomes of a survey, C(k + L - 1, L - 1), up to which the curve is continued."""

MOST_NUMBERS = 40_000_000
"""Outcomes x labels x draws, over all sizes, up to which the curve is continued."""

LARGEST_SURVEY = 1_000


def survey_score(
    support: Floats, weight: Floats, k: int, combiner: Combiner, scorer: Scorer
) -> Floats:
    r"""Score surveys of k raters under a distribution of states.

    A survey observes counts y with probability and next-label distribution

    .. math:: P(y) = \sum_j g_j \binom{k}{y} \prod_l \theta_{jl}^{y_l}, \qquad
              q_l(y) = \sum_j g_j \theta_{jl} \binom{k}{y} \prod_l \theta_{jl}^{y_l} / P(y).

    The score is that of the table with weight P(y), reference q(y), and as prediction q(y) for
    a combiner that learns, such as the Anonymous Bayesian Combiner: that is what very many items
    teach. Other combiners predict from y. O(outcomes x states x labels), times the number of data
    sets.
    """
    used = np.atleast_2d(weight).max(axis=0) > 0
    support, weight = support[used], weight[..., used]
    n_labels = support.shape[1]
    observed = compositions(k, n_labels)
    # Surveys that show a label which no state has have probability 0; a log of -1e4 says so.
    log_theta = np.maximum(np.log(np.maximum(support, 1e-300)), -1e4)
    log_theta[support == 0] = -1e4
    ways = lgamma(k + 1) - np.array([lgamma(y + 1) for y in range(k + 1)])[observed].sum(axis=1)
    likelihood = np.exp(log_theta @ observed.T + ways)
    joint = np.stack([(weight * theta) @ likelihood for theta in support.T], axis=-1)
    probability = joint.sum(axis=-1)
    mean = (weight @ support)[..., None, :]
    seen = probability > 0
    reference = np.where(seen[..., None], joint / np.where(seen, probability, 1.0)[..., None], mean)
    prediction = combiner.limit_predictions(observed, reference)
    return np.asarray(scorer.score(prediction, reference, probability, combiner.kind))


def survey_sizes(n_labels: int, data_sets: int = 1) -> Codes:
    """Sizes of surveys that can be scored: all up to 20, then in steps of a tenth.

    The last is the largest that :data:`LARGEST_SURVEY`, :data:`MOST_OUTCOMES` and, for many data
    sets, :data:`MOST_NUMBERS` allow; what would take more raters is censored.

    Examples
    --------
    >>> survey_sizes(2)[[0, 1, 20, 21, 22, -1]]
    array([   0,    1,   20,   22,   24, 1000])
    >>> [int(survey_sizes(n_labels, 100)[-1]) for n_labels in (2, 3, 4, 5)]
    [1000, 194, 46, 22]
    """
    sizes = [0]
    numbers = 0
    while sizes[-1] < LARGEST_SURVEY:
        last = sizes[-1]
        k = min(last + 1 if last < 20 else round(last * 1.1), LARGEST_SURVEY)
        outcomes = comb(k + n_labels - 1, n_labels - 1)
        numbers += outcomes * n_labels * data_sets
        if outcomes > MOST_OUTCOMES or numbers > MOST_NUMBERS:
            break
        sizes.append(k)
    return np.array(sizes)


def raters_for(sizes: Codes | Floats, curve: Floats, score: float | Floats) -> Floats:
    r"""Find the number of raters at which a continued curve reaches a score.

    The leftmost point, linear between whole numbers of raters as the survey equivalence is.
    Between sizes :math:`a < b` that are further apart the curve is taken to be linear in 1/k,
    which is how it nears its limit:

    .. math:: \frac1k = \frac1a + \frac{h - c_a}{c_b - c_a} \Big(\frac1b - \frac1a\Big).

    Parameters
    ----------
    sizes : (sizes,) array
        Ascending from 0; the last may be infinity.
    curve : (..., sizes) array
    score : (...) array
        The scores h to reach.

    Returns
    -------
    (...) array
        `-inf` below the score of no rater, `inf` where the largest size does not reach it.

    Examples
    --------
    >>> sizes, curve = np.array([0, 1, 2, 4]), np.array([0.0, 0.5, 0.75, 0.875])
    >>> raters_for(sizes, curve, np.array([0.25, 0.75, 0.8125, 0.9, -1]))
    array([0.5       , 2.        , 2.66666667,        inf,       -inf])
    """
    h = np.asarray(score, dtype=np.float64)
    c = np.broadcast_to(curve, (*np.broadcast_shapes(curve.shape[:-1], h.shape), len(sizes)))
    reached = c >= h[..., None]
    at = np.argmax(reached, axis=-1)
    before = np.maximum(at - 1, 0)

    def value(place: Ints) -> Floats:
        return np.take_along_axis(c, place[..., None], axis=-1)[..., 0]

    rise = value(at) - value(before)
    part = (h - value(before)) / np.where(rise > 0, rise, 1.0)
    a, b = sizes[before].astype(np.float64), sizes[at].astype(np.float64)
    inverse = 1 / np.maximum(a, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        curved = 1 / (inverse + part * (1 / np.maximum(b, 1) - inverse))
        raters = np.where(b - a > 1, curved, a + part * (b - a))
    raters = np.where(at > 0, raters, np.where(h == c[..., 0], 0.0, -np.inf))
    return np.where(reached.any(axis=-1), raters, np.inf)


def compositions(total: int, parts: int) -> Codes:
    """All ways to write `total` as a sum of `parts` counts, in lexicographic order.

    Examples
    --------
    >>> compositions(2, 2)
    array([[0, 2],
           [1, 1],
           [2, 0]])
    """
    rows = np.zeros((1, 0), dtype=np.int64)
    left = np.array([total])
    for _ in range(parts - 1):
        choices = left + 1
        row = np.repeat(np.arange(len(rows)), choices)
        taken = np.arange(len(row)) - np.repeat(np.cumsum(choices) - choices, choices)
        rows = np.column_stack([rows[row], taken])
        left = left[row] - taken
    return np.column_stack([rows, left])
