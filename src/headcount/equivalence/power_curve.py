"""The survey power curve: on the data, where it reaches a score, and beyond the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb, lgamma
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from headcount.data.predictions import Classifier
from headcount.equivalence.combiners import Combiner, Learned, Predicted
from headcount.equivalence.scorers import Kind, Scorer, most_probable
from headcount.equivalence.states import can_fit
from headcount.equivalence.surveys import PooledItems, Surveys
from headcount.errors import OptionError, option
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats, Ints, Progress

__all__ = [
    "Block",
    "Design",
    "Scores",
    "Influence",
    "Method",
    "PowerCurve",
    "survey_equivalence",
    "crossings",
    "tells_nothing",
    "survey_score",
    "survey_sizes",
    "raters_for",
    "compositions",
    "BEYOND",
    "Continued",
    "why_not",
    "continue_curve",
]


# What is scored, and what every way of scoring it gives: the scores of many data sets.

_BLOCK = 2**17
"""Rows of a block: what is made of them fits into the cache of a processor, or nearly."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some of the rows, and what classifiers say of them.

    Parameters
    ----------
    pattern : (rows,) array of int
        The pattern of the first pool that each shows.
    weight : (rows,) array
        Items that each stands for.
    probability : sequence of (rows, labels) arrays
        Of each classifier.
    """

    pattern: Ints
    weight: Floats
    probability: Sequence[Floats]


@dataclass(frozen=True, eq=False, kw_only=True)
class Design:
    """Who is asked, who predicts, and how predictions are made and scored.

    Parameters
    ----------
    pools : sequence of PooledItems
        One power curve is drawn from each; classifiers are compared with the first.
    reference : (items, labels) array
        Distribution of the label against which classifiers are scored.
    classifiers : sequence of Classifier
    combiner : Combiner
    scorer : Scorer
    weight : (items,) array of int, optional
        Items that each row stands for, where rows are of several that are alike.
    cluster : (items,) array of int, optional
        The cluster of each item, where items are not independent.
    """

    pools: Sequence[PooledItems]
    reference: Floats
    classifiers: Sequence[Classifier]
    combiner: Combiner
    scorer: Scorer
    weight: Codes | None = None
    cluster: Codes | None = None

    @property
    def items(self) -> int:
        """Items that are scored."""
        return len(self.reference) if self.weight is None else int(self.weight.sum())

    def blocks(self) -> Iterator[Block]:
        """Give all rows, and what classifiers say of them, a part at a time."""
        pattern = self.pools[0].pattern
        for start in range(0, len(pattern), _BLOCK):
            part = slice(start, start + _BLOCK)
            weight = np.ones(len(pattern[part])) if self.weight is None else self.weight[part]
            yield Block(
                pattern[part],
                weight.astype(np.float64),
                [c.probability[part] for c in self.classifiers],
            )

    def by_pattern(self) -> Floats:
        """Return the reference of each pattern of the first pool: (patterns, labels)."""
        pattern = self.pools[0].pattern
        out = np.empty((len(self.pools[0].pool.patterns), self.reference.shape[1]))
        out[pattern] = self.reference
        return out


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of several data sets.

    Parameters
    ----------
    curves : list of (draws, sizes) arrays
        The power curve of each pool.
    classifiers : (draws, classifiers) array
    patterns : (draws, patterns) array
        The data sets: how many items show each pattern of the first pool.
    together : dict of str to (draws,) arrays
        Classifiers together with a rater, where that was scored.
    """

    curves: list[Floats]
    classifiers: Floats
    patterns: Floats
    together: dict[str, Floats] = field(default_factory=dict[str, Floats])


@dataclass(frozen=True, eq=False)
class Influence:
    """What each independent item, or cluster of items, adds to every score.

    Parameters
    ----------
    times : (rows,) array
        How many items a row stands for.
    scores : Scores
        Their slopes: (rows, sizes) arrays and so on, which add up to 0 over the items.
    """

    times: Floats
    scores: Scores

    def skewness(self, h: Floats) -> Floats:
        r"""Skewness of the lead of a score over surveys of each size, over the root of n: (sizes,).

        Of slopes u, :math:`\sum u^3 / (\sum u^2)^{3/2}`.
        """
        lead = h[:, None] - self.scores.curves[0]
        square = self.times @ lead**2
        return self.times @ lead**3 / np.maximum(square, 1e-150) ** 1.5


class Method(Protocol):
    """A way to score the surveys that the data hold."""

    name: str
    counts_all: bool
    """Whether every survey is counted, so that scores carry no error of sampling."""
    unsupported: Floats
    """Share of the surveys of each size, of the first pool, for which the combiner lacked support.

    Known once the data have been scored.
    """
    learned: Learned
    """The combiner, with what it learned from the first pool."""

    def observed(self) -> Scores:
        """Score the data themselves."""
        ...

    def bootstrap(self, draws: int, rng: np.random.Generator, progress: Progress | None) -> Scores:
        """Score `draws` resamples of the items, the same for curves and classifiers."""
        ...

    def influence(self) -> Influence | None:
        """Find what each item adds to the scores; None where items are many enough without."""
        ...


# Algorithm 3: the survey power curve, exactly.

_BLOCK_NUMBERS = 4_000_000


class PowerCurve:
    """Scores of surveys of k = 0, 1, 2 ... raters, as functions of how many items show a pattern.

    What surveys predict is learned once, from the data. Calling the curve scores data sets in
    which patterns are more or less frequent, such as bootstrap resamples.

    Parameters
    ----------
    items : PooledItems
        Whose surveys are scored, and from which a combiner may learn.
    combiner, scorer
        What turns a survey into a prediction, and what scores it.

    Attributes
    ----------
    learned : Learned
        The combiner, with what it learned.
    unsupported : (sizes,) array
        Share of the surveys for which the combiner lacked support.

    Notes
    -----
    O(rows x labels) to learn and to score. A scorer that is a function of means is summed once a
    pattern, and costs O(patterns) a data set; others O(rows).
    """

    def __init__(self, items: PooledItems, combiner: Combiner, scorer: Scorer) -> None:
        self.learned = combiner.learn(items)
        self.unsupported = np.zeros(items.max_k + 1)
        self._scored: list[Callable[[Floats], Floats]] = []
        for size in range(items.max_k + 1):
            surveys = items.pool.surveys(size)
            reached = items.multiplicity[surveys.pattern] * surveys.probability
            predicted = list(self.learned.predictions(surveys))
            table = _Table(surveys, scorer, combiner.kind, predicted[0].prediction.mean(axis=0))
            # A scorer that says its statistics is a function of their means.
            scored = table.summed if hasattr(scorer, "statistics") else table.listed
            self._scored.append(scored(predicted))
            lacking = max(reached @ each.unsupported for each in predicted)
            self.unsupported[size] = lacking / reached.sum()

    def __call__(self, multiplicity: Floats) -> Floats:
        """Score data sets (draws, patterns): the score of each size (draws, sizes)."""
        curve = np.empty((len(multiplicity), len(self._scored)))
        for size, scored in enumerate(self._scored):
            curve[:, size] = scored(multiplicity)
        return curve


class _Table:
    """Surveys of one size, with what they predict and are scored against."""

    def __init__(self, surveys: Surveys, scorer: Scorer, kind: Kind, common: Floats) -> None:
        self.surveys, self.scorer, self.common = surveys, scorer, common
        self.kind: Kind = kind

    def summed(self, predicted: Sequence[Predicted]) -> Callable[[Floats], Floats]:
        """Sum the statistics of each pattern once."""
        surveys, scorer = self.surveys, cast(Any, self.scorer)
        order = np.argsort(surveys.pattern, kind="stable")
        patterns = np.arange(int(surveys.pattern.max()) + 1)
        starts: Ints = np.searchsorted(surveys.pattern[order], patterns)
        parts: list[Floats] = []
        for each in predicted:
            weight = surveys.probability if each.share is None else surveys.probability * each.share
            prediction = each.prediction
            if not surveys.k and getattr(scorer, "relative", False):
                # Nothing was observed. Leaving the item out makes predictions differ by next to
                # nothing, but always against the item: what is relative would see only that.
                prediction = np.broadcast_to(self.common, prediction.shape)
            statistics = scorer.statistics(prediction, surveys.reference, self.kind)
            part = np.where(weight[:, None] > 0, weight[:, None] * statistics, 0.0)
            parts.append(np.add.reduceat(part[order], starts, axis=0))
        total = np.sum(parts, axis=0)

        def scored(multiplicity: Floats) -> Floats:
            means = multiplicity @ total / multiplicity.sum(axis=-1)[..., None]
            return scorer.finish(means)

        return scored

    def listed(self, predicted: Sequence[Predicted]) -> Callable[[Floats], Floats]:
        """List all rows, once a way to predict them."""
        surveys = self.surveys
        shares = [np.ones(len(surveys.state)) if p.share is None else p.share for p in predicted]
        rows = [np.flatnonzero(share) for share in shares]
        row = np.concatenate(rows)
        share = np.concatenate([s[r] for s, r in zip(shares, rows, strict=True)])
        prediction = np.concatenate([p.prediction[r] for p, r in zip(predicted, rows, strict=True)])
        bound = self.scorer.bind(prediction, surveys.reference[row], self.kind, surveys.state[row])
        weight, pattern = surveys.probability[row] * share, surveys.pattern[row]
        block = max(1, _BLOCK_NUMBERS // len(row))

        def scored(multiplicity: Floats) -> Floats:
            out = np.empty(len(multiplicity))
            for start in range(0, len(out), block):
                part = slice(start, start + block)
                out[part] = bound(multiplicity[part][:, pattern] * weight)
            return out

        return scored


# Algorithm 4: the number of raters at which the power curve reaches a score.

ROUNDING = 1e-12
"""Relative difference of scores that is taken for rounding."""


def survey_equivalence(curve: ArrayLike, score: ArrayLike) -> Floats:
    r"""Find the leftmost point at which a power curve reaches a score.

    With :math:`k` the smallest number of raters for which :math:`c_k \ge h`,

    .. math:: k - 1 + \frac{h - c_{k-1}}{c_k - c_{k-1}}

    is the fractional survey equivalence: ask :math:`k` raters about this fraction of the items and
    :math:`k - 1` about the others. If the curve is not monotone, the leftmost crossing counts.

    Parameters
    ----------
    curve : (..., max_k + 1) array
        Scores :math:`c_0 .. c_{max k}`.
    score : (...) array
        Scores h.

    Returns
    -------
    (...) array of float
        `-inf` if the score is below :math:`c_0`, `inf` if no :math:`c_k` reaches it.

    Notes
    -----
    The paper's text and its Algorithm 4 differ when scores are exactly equal. This follows the
    text: a score equal to :math:`c_k` is worth k raters, k = 0 and the last k included.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence", section 3.4.

    Examples
    --------
    >>> survey_equivalence([0.5, 0.7, 0.8], [0.6, 0.8, 0.4, 0.9])
    array([ 0.5,  2. , -inf,  inf])
    """
    try:
        c, h = (np.asarray(values, dtype=np.float64) for values in (curve, score))
    except (TypeError, ValueError):
        c = h = np.array(np.nan)
    if np.isnan(c).any() or np.isnan(h).any():  # None becomes nan
        raise OptionError(f"{option('curve')} and {option('score')} must be numbers.")
    if not c.ndim or not c.size:
        raise OptionError(
            f"{option('curve')} must hold the score of no rater, of one, of two and so on; it has "
            "none."
        )
    try:
        return crossings(c, h)
    except ValueError:
        raise OptionError(
            f"{option('curve')} of shape {c.shape} does not go with {option('score')} of shape "
            f"{h.shape}: give one curve, or one for each score."
        ) from None


def crossings(c: Floats, h: Floats) -> Floats:
    """Find what :func:`survey_equivalence` does, of arrays that may be empty."""
    c = np.broadcast_to(c, (*np.broadcast_shapes(c.shape[:-1], h.shape), c.shape[-1]))
    # Scores that are equal but for rounding are equal: a copy of one rater is worth one rater.
    slack = ROUNDING * np.maximum(1.0, np.abs(h))
    reached = c >= (h - slack)[..., None]
    k = np.argmax(reached, axis=-1)
    before = np.take_along_axis(c, np.maximum(k - 1, 0)[..., None], axis=-1)[..., 0]
    at = np.take_along_axis(c, k[..., None], axis=-1)[..., 0]
    rise = np.where(k > 0, at - before, 1.0)
    between = np.minimum(k - 1 + (h - before) / rise, k)
    value = np.where(k > 0, between, np.where(h >= c[..., 0] - slack, 0.0, -np.inf))
    return np.where(reached.any(axis=-1), value, np.inf)


def tells_nothing(worth: Estimate) -> bool:
    """Whether an interval reaches from below no rater to above all that the data can show.

    Or, of a share, from none of it to all.
    """
    ends = worth.to_dict()
    if worth.bounds is None:
        return worth.low == 0 and worth.high == 1
    return ends.get("low_censored") == "below" and ends.get("high_censored") == "above"


# Surveys of more raters than the data hold, under a fitted distribution of item states.

MOST_OUTCOMES = 20_000
"""Outcomes of a survey, C(k + L - 1, L - 1), up to which the curve is continued."""

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
    logs = _log_factorials(k)
    ways = logs[k] - logs[observed].sum(axis=1)
    likelihood = np.exp(log_theta @ observed.T + ways)
    joint = np.stack([(weight * theta) @ likelihood for theta in support.T], axis=-1)
    probability = joint.sum(axis=-1)
    mean = (weight @ support)[..., None, :]
    possible = probability > 0
    reference = np.where(
        possible[..., None], joint / np.where(possible, probability, 1.0)[..., None], mean
    )
    prediction = combiner.limit_predictions(observed, reference)
    return np.asarray(scorer.score(prediction, reference, probability, combiner.kind))


@lru_cache
def _log_factorials(most: int) -> Floats:
    """Compute logs of 0! to `most`!: surveys of one size are scored under many distributions."""
    return np.array([lgamma(y + 1) for y in range(most + 1)])


def survey_sizes(n_labels: int) -> Codes:
    """Sizes of surveys that can be scored: all up to 20, then in steps of a tenth.

    The last is the largest that :data:`LARGEST_SURVEY` and :data:`MOST_OUTCOMES` allow; what would
    take more raters is censored.

    Examples
    --------
    >>> survey_sizes(2)[[0, 1, 20, 21, 22, -1]]
    array([   0,    1,   20,   22,   24, 1000])
    >>> [int(survey_sizes(n_labels)[-1]) for n_labels in (2, 3, 4, 5)]
    [1000, 194, 46, 22]
    """
    sizes = [0]
    while sizes[-1] < LARGEST_SURVEY:
        last = sizes[-1]
        k = min(last + 1 if last < 20 else round(last * 1.1), LARGEST_SURVEY)
        if _outcomes(k, n_labels) > MOST_OUTCOMES:
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

    def value(index: Ints) -> Floats:
        return np.take_along_axis(c, index[..., None], axis=-1)[..., 0]

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
        count = np.arange(len(row)) - np.repeat(np.cumsum(choices) - choices, choices)
        rows = np.column_stack([rows[row], count])
        left = left[row] - count
    return np.column_stack([rows, left])


# The power curve beyond the data: what more raters than an item has would add.
#
# Up to its largest survey the curve is measured. From there it is continued by what the fitted
# distribution of item states says that more raters add, up to infinitely many, who know the state
# of every item. So all that is said of raters is read off one curve.

BEYOND = 2
"""Raters beyond the largest survey up to which a worth is extrapolated."""
FEW_ITEMS_BEYOND = 50
FEW_RATINGS = 3
MOST_WORK = 1e9
"""Floating-point operations of refits, and of scores, for all draws: some tenths of a second."""
MOST_DRAWS = 100
LEAST_DRAWS = 20
REFITTED_AT_ONCE = 20
"""Draws after which progress is told."""


@dataclass(frozen=True, eq=False)
class Continued:
    """The power curve from no rater to infinitely many, of the data and of bootstrap samples.

    Parameters
    ----------
    sizes : (sizes,) array of float
        Numbers of raters: 0, 1, 2 ..., some larger ones, infinity.
    max_k : int
        The largest survey that the data hold.
    score : (sizes,) array
        Of the data.
    drawn : (draws, sizes) array
        Of bootstrap samples; of some of them, where refitting all would take long.
    """

    sizes: Floats
    max_k: int
    score: Floats
    drawn: Floats

    def near(self, draws: int) -> tuple[Floats, Floats]:
        """Gains over the largest survey, of up to :data:`BEYOND` raters more, also of `draws`.

        What was refitted for some draws is used for the others again.
        """
        beyond = (self.sizes > self.max_k) & (self.sizes <= self.max_k + BEYOND)
        at = int(np.flatnonzero(self.sizes == self.max_k)[0])
        gain = self.score[beyond] - self.score[at]
        if not len(self.drawn):
            return gain, np.empty((0, len(gain)))
        drawn = self.drawn[:, beyond] - self.drawn[:, [at]]
        return gain, drawn[np.arange(draws) % len(drawn)]

    def stretched(self, least: float, most: float) -> tuple[Continued, Continued]:
        """Move the end of the curve, and what lies between it and the data in proportion."""
        beyond = self.sizes > self.max_k

        def moved(curve: Floats, by: float) -> Floats:
            top, last = curve[..., -1:], curve[..., [np.flatnonzero(~beyond)[-1]]]
            rise = np.where(top > last, top - last, 1.0)
            part = np.where(beyond, (curve - last) / rise, 0.0)
            return curve + part * np.maximum(by, last - top)

        low, high = (
            Continued(self.sizes, self.max_k, moved(self.score, by), moved(self.drawn, by))
            for by in (least, most)
        )
        return low, high

    def raters_for_share(self, share: float) -> tuple[float, Floats]:
        """Find how many raters gain a share of what infinitely many do: of the data, of draws."""

        def find(curve: Floats) -> Floats:
            base, top = curve[..., 0], curve[..., -1]
            return raters_for(self.sizes, curve, base + share * (top - base))

        return float(find(self.score)), find(self.drawn)


def why_not(design: Design) -> str | None:
    """Say why these data do not tell what more raters would add, if they do not."""
    pool = design.pools[0]
    patterns = pool.pool.patterns
    rated = patterns.sum(axis=1)
    ratings, items = int(rated.max()), int(pool.multiplicity @ (rated >= FEW_RATINGS))
    if not can_fit(patterns):
        return "states are not fitted for so many labels"
    if items < FEW_ITEMS_BEYOND:
        return (
            f"these ratings are too few to tell it ({items:,} items have {FEW_RATINGS} ratings or "
            f"more; it takes {FEW_ITEMS_BEYOND})"
        )
    if _outcomes(ratings, patterns.shape[1]) * 1e4 > MOST_WORK:
        return f"surveys of {ratings} raters have too many outcomes"
    return None


def continue_curve(
    design: Design, observed: Scores, drawn: Scores, progress: Progress | None = None
) -> Continued:
    r"""Continue the power curve of the data, and of bootstrap samples.

    With :math:`m_k` the score of surveys of k raters under the fitted states, and K the largest
    survey of the data,

    .. math:: c_k = c_K + (m_k - m_K), \qquad k > K,

    and :math:`m_\infty` the score of knowing the state. States are fitted anew to each draw. Of a
    combiner that is still learning (abc) the largest surveys are not to be built upon: there the
    curve is :math:`c_0 + (m_k - m_0)` for all k.

    Notes
    -----
    O(draws x steps x patterns x states), and O(draws x outcomes x states x labels) a size; as
    many draws as :data:`MOST_WORK` allows, 100 at most. `progress` is told of these, after all
    bootstrap samples.
    """
    pool, combiner, scorer = design.pools[0], design.combiner, design.scorer
    fit, max_k = pool.states, pool.max_k
    theta = fit.theta
    work = fit.steps * len(fit.patterns) * len(theta) * 4
    affordable = max(LEAST_DRAWS, int(MOST_WORK / max(work, 1)))
    most = min(len(drawn.patterns), MOST_DRAWS, affordable)
    first = 0 if combiner.leaves_out else max_k
    sizes = _sizes(first, max_k, len(fit.used), len(theta) * max(most, 1))

    def model(weight: Floats) -> Floats:
        certain = most_probable(theta) if combiner.kind == "hard" else theta
        scores = [survey_score(theta, weight, int(k), combiner, scorer) for k in sizes]
        top = np.asarray(scorer.score(certain, theta, weight, combiner.kind))
        return np.column_stack([*scores, top])

    def joined(curve: Floats, model: Floats) -> Floats:
        if combiner.leaves_out:
            made = curve[:, :1] + model - model[:, :1]
            # More raters than the data hold are never worse than the best survey of the data.
            beyond = np.append(sizes >= max_k, True)
            made = np.where(beyond, np.maximum(made, curve.max(axis=1, keepdims=True)), made)
        else:
            made = np.hstack([curve, curve[:, -1:] + model[:, 1:] - model[:, :1]])
        return np.minimum(made, 0.0) if scorer.in_bits else made  # no probability is above 1

    curve = joined(observed.curves[0], model(fit.weight[None]))[0]
    parts = [np.empty((0, len(curve)))]
    for start in range(0, most, REFITTED_AT_ONCE):
        some = slice(start, min(start + REFITTED_AT_ONCE, most))
        refitted = model(fit.refit(drawn.patterns[some]))
        parts.append(joined(drawn.curves[0][some], refitted))
        if progress is not None:
            total = len(drawn.patterns)
            progress(total + int(some.stop), total + most)
    draws = np.concatenate(parts)
    if combiner.bayesian:
        # More raters are never worse under the fitted states; rounding and steps apart.
        curve, draws = np.maximum.accumulate(curve), np.maximum.accumulate(draws, axis=1)
    return Continued(np.concatenate([np.arange(first), sizes, [np.inf]]), max_k, curve, draws)


def _sizes(first: int, max_k: int, n_labels: int, work: int) -> Codes:
    """Sizes to score: all up to two beyond the data, then some while they are cheap."""
    sizes = list(range(first, max_k + BEYOND + 1))
    spent = sum(_outcomes(k, n_labels) for k in sizes)
    for k in survey_sizes(n_labels).tolist():
        if k > sizes[-1] * 1.25:
            spent += _outcomes(k, n_labels)
            if spent * n_labels * work * 2 > MOST_WORK:
                break
            sizes.append(k)
    return np.array(sizes)


def _outcomes(k: int, n_labels: int) -> int:
    return comb(k + n_labels - 1, n_labels - 1)
