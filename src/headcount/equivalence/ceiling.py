"""The ceiling: how well infinitely many raters would predict the next one.

Once the distribution of item states is known (see :func:`fit_states`), so is what surveys of any
size would score, those larger than the data hold included: the power curve can be continued, its
limit is the score of knowing the state itself, and the number of raters that reach a target can be
read off.

K ratings an item tell K moments of the distribution of states, and no more. Several distributions
may fit the data equally well and have different ceilings; then the ceiling is a range, whatever the
number of items. It is wide for 3 ratings an item and negligible for 10.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.equivalence.combiners import Combiner
from headcount.equivalence.power_curve import BEYOND, Continued, Design, Scores, survey_score
from headcount.equivalence.scorers import Kind, Scorer, most_probable
from headcount.results.fields import Record, json_value
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate, decimals
from headcount.stats.intervals import EXACT, RANGE
from headcount.typing import Codes, Floats

__all__ = [
    "RatersFor",
    "Available",
    "available",
    "state_score",
    "find_ceiling",
    "States",
    "fit_states",
    "TINY",
    "maximise",
]


# The ceiling, and what follows from it, as a result holds them.


@dataclass(frozen=True)
class RatersFor(Record):
    """How many raters reach a target."""

    target: str
    raters: Estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class Available:
    """The score of infinitely many raters, and what follows from it.

    Parameters
    ----------
    score, gain : Estimate
        Of infinitely many raters; the gain is over no rater.
    performance_ratio : dict of str to Estimate
        For each classifier, its share of the available gain.
    raters_for : tuple of RatersFor
        Numbers of raters that gain a share of the ceiling.
    sizes, curve : arrays
        The power curve, continued beyond the data by the fitted states.
    states, weights : (states, labels) and (states,) arrays
        The fitted distribution of item states.
    draws : int
        Bootstrap samples that were refitted; 0 without intervals.
    narrow : bool
        Whether the ratings of an item are enough to tell the ceiling, but for chance.
    """

    score: Estimate
    gain: Estimate
    performance_ratio: dict[str, Estimate]
    raters_for: tuple[RatersFor, ...]
    sizes: Codes
    curve: Floats
    states: Floats
    weights: Floats
    draws: int
    narrow: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; performance ratios stand with the classifiers."""
        curve = zip(self.sizes.tolist(), self.curve.tolist(), strict=True)
        return json_value(
            {
                "score": self.score,
                "gain": self.gain,
                "raters_for": self.raters_for,
                "curve": [{"k": k, "score": score} for k, score in curve],
                "draws": self.draws,
                "narrow": self.narrow,
            }
        )


# How much there is to know: the ceiling, classifiers' shares of it, and raters to buy.

SHARES = (0.9, 0.95)
"""Shares of the ceiling for which the number of raters is told."""
LUMPY_DRAWS, LUMP_STEPS, MOST_LUMPS = 40, 300, 5
"""Bootstrap samples to which states that come in lumps are fitted, steps of EM, and lumps, at
most."""
AS_LIKELY = 3.0
"""Log likelihood that few lumps may lack of the best fit: .95 of chi-squared of a lump's two
numbers, over 2."""
_NARROW_RANGE = 0.02
"""Share of the gain up to which a range is not worth telling."""


def available(
    design: Design,
    continued: Continued,
    observed: Scores,
    drawn: Scores,
    *,
    level: float,
    notes: Notes,
) -> Available:
    """Tell what infinitely many raters score, and what follows from it.

    The value is where the continued curve ends. K ratings an item tell K moments of the states and
    no more, so that other distributions may fit as well and end elsewhere: the interval covers
    their range. With two labels it is found exactly (:func:`find_ceiling`); with more, it reaches
    down to two raters more than the data hold, as states that come in a few kinds are taken for
    smoother ones, whose ceiling is higher by .05 to .1 bits (see ``docs/studies/survey.md``). The
    share of a classifier reaches up to 1 where the data do not show that a rater adds anything to
    it: then it may know all that there is to know, whatever states were fitted.

    Parameters
    ----------
    design : Design
    continued : Continued
    found, drawn : Scores
        Of the data, and of bootstrap samples of them.
    level : float
    notes : Notes
    """
    least, most = _range(design, continued)
    top, gain = continued.score[-1], continued.score[-1] - continued.score[0]
    low, high = continued.stretched(least, most)
    if design.scorer.in_bits:  # no probability is above 1
        most = min(most, -top)
        high = replace(high, score=np.minimum(high.score, 0), drawn=np.minimum(high.drawn, 0))
    narrow = bool(most - least <= _NARROW_RANGE * abs(gain))
    if not narrow:
        digits = decimals(max(abs(continued.score)))
        notes.caution(
            "with so few ratings per item, the ceiling (the score of infinitely many raters) is "
            f"known only to lie between {top + least:.{digits}f} and {top + most:.{digits}f}, "
            "however many items there are. More ratings of each item would narrow that."
        )

    def spread(value: float, ends: tuple[Floats, Floats]) -> Estimate:
        return range_estimate(value, np.minimum(*ends), np.maximum(*ends), level=level)

    def at_least(last: Floats, estimate: Estimate) -> Estimate:
        """Infinitely many raters are no worse than the largest survey, which more draws know."""
        bound = Estimate.from_draws(estimate.value, last, level=level)
        if bound.low is None or bound.high is None or estimate.low is None or estimate.high is None:
            return estimate
        low = min(max(estimate.low, bound.low), estimate.value)
        return replace(estimate, low=low, high=max(estimate.high, bound.high))

    def over_base(curve: Continued) -> Floats:
        return curve.drawn[:, -1] - curve.drawn[:, 0]

    def share(classifier: int) -> Estimate:
        if gain <= 0:
            return Estimate(np.nan, undefined="infinitely many raters gain nothing over no rater")
        h = drawn.classifiers[: len(continued.drawn), classifier] - continued.drawn[:, 0]
        ends = [
            np.clip(h / np.where(each > 0, each, np.inf), 0, 1)
            for each in (over_base(low), over_base(high))
        ]
        value = (float(observed.classifiers[0, classifier]) - continued.score[0]) / gain
        estimate = spread(float(np.clip(value, 0, 1)), (ends[0], ends[1]))
        return replace(estimate, high=1.0) if nothing_more(classifier) else estimate

    def nothing_more(classifier: int) -> bool:
        """Whether a rater may add nothing to a classifier, so that it has all there is."""
        both = drawn.together.get(design.classifiers[classifier].name)
        if both is None or not len(both):
            return False
        added = both - drawn.classifiers[:, classifier]
        return bool(np.quantile(added, (1 - level) / 2) <= 0)

    lumpy = _lumpy(design, continued, observed, drawn)

    def raters(part: float) -> RatersFor:
        value, _ = continued.raters_for_share(part)
        if not len(continued.drawn):
            return RatersFor(f"{part:.0%} of the ceiling", Estimate(value, method=EXACT.name))
        ends: list[float] = []
        for curve in (continued, low, high, *lumpy):
            of_data, of_draws = curve.raters_for_share(part)
            least, most = np.quantile(of_draws, [(1 - level) / 2, (1 + level) / 2]).tolist()
            ends += [of_data, least, most]
            if curve in lumpy:  # of few lumps, samples take more raters than the data at times
                ends.append(of_data**2 / most)
        estimate = Estimate(value, low=min(ends), high=max(ends), level=level, method=RANGE.name)
        return RatersFor(f"{part:.0%} of the ceiling", estimate)

    takes: list[RatersFor] = []
    for part in SHARES:  # a larger share never takes fewer
        made = raters(part)
        if takes and made.raters.low is not None and takes[-1].raters.low is not None:
            least = max(made.raters.low, takes[-1].raters.low)
            made = replace(made, raters=replace(made.raters, low=least))
        takes.append(made)
    sizes = np.isfinite(continued.sizes)
    base, last = drawn.curves[0][:, 0], drawn.curves[0][:, -1]
    return Available(
        score=at_least(last, spread(float(top), (low.drawn[:, -1], high.drawn[:, -1]))),
        gain=at_least(last - base, spread(float(gain), (over_base(low), over_base(high)))),
        performance_ratio={c.name: share(i) for i, c in enumerate(design.classifiers)},
        raters_for=tuple(takes),
        sizes=continued.sizes[sizes].astype(np.int64),
        curve=continued.score[sizes],
        states=design.pools[0].states.theta,
        weights=design.pools[0].states.weight,
        draws=len(continued.drawn),
        narrow=narrow,
    )


def _lumpy(
    design: Design, continued: Continued, observed: Scores, drawn: Scores
) -> list[Continued]:
    """Continue the curve under states that come in lumps and fit the ratings as well.

    The fitted states are smooth. Under a few lumps it takes fewer raters to come near the ceiling,
    since raters soon tell which lump an item is in. Of two labels, the fewest that fit are taken
    (:func:`fit_lumps`); of more, there are the rougher fits of
    :class:`~headcount.equivalence.states.FittedStates` alone.
    """
    pool, combiner, scorer = design.pools[0], design.combiner, design.scorer
    sizes = continued.sizes[np.isfinite(continued.sizes)].astype(np.int64).tolist()

    def curve(support: Floats, weight: Floats) -> Floats:
        made = [float(survey_score(support, weight, k, combiner, scorer)) for k in sizes]
        certain = most_probable(support) if combiner.kind == "hard" else support
        top = float(scorer.score(certain, support, weight, combiner.kind))
        return np.maximum.accumulate([*made, top])

    fit = pool.states
    if len(fit.used) != 2:
        made = [curve(fit.theta, weight) for weight in fit.as_good]
        return [Continued(continued.sizes, pool.max_k, each, each[None]) for each in made]
    draws = min(LUMPY_DRAWS, len(continued.drawn))
    if not draws:
        return []
    samples = np.vstack([observed.patterns[:1], drawn.patterns[:draws]])
    lumps = zip(*fit_lumps(pool.pool.patterns, samples), strict=True)
    made = np.array([curve(support, weight) for support, weight in lumps])
    return [Continued(continued.sizes, pool.max_k, made[0], made[1:])]


def fit_lumps(patterns: Codes, samples: Floats) -> tuple[Floats, Floats]:
    """Fit the fewest states that explain the label counts of items, of two labels, by EM.

    They are so many that any distribution of states is more likely by at most
    :data:`AS_LIKELY`; further data sets get as many.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
    samples : (data sets, patterns) array
        How many items show each pattern. The first data set says how many lumps there are.

    Returns
    -------
    support : (data sets, lumps, labels) array
    weight : (data sets, lumps) array

    Examples
    --------
    >>> patterns = np.array([[4, 0], [3, 1], [2, 2], [1, 3], [0, 4]])
    >>> support, weight = fit_lumps(patterns, np.array([[17.0, 4, 6, 4, 1]]))
    >>> support[0, :, 0].round(1), weight[0].round(1)
    (array([0.5, 1. ]), array([0.5, 0.5]))
    """
    samples = np.asarray(samples, dtype=np.float64)
    used = np.flatnonzero((patterns * (samples[0] > 0)[:, None]).any(axis=0))
    first, total = patterns[:, used[0]].astype(np.float64), patterns.sum(axis=1).astype(np.float64)
    best = fit_states(patterns, samples[0]).log_likelihood - AS_LIKELY
    share = first / np.maximum(total, 1)
    order = np.argsort(share)
    reached = samples[0][order].cumsum() / samples[0].sum()
    theta = weight = np.empty((1, 0))
    for lumps in range(1, MOST_LUMPS + 1):
        # Quantiles of items, drawn a little to the middle, and apart where they are the same.
        at = np.searchsorted(reached, (np.arange(lumps) + 0.5) / lumps)
        begin = 0.9 * share[order][at] + 0.05 + np.linspace(-0.02, 0.02, lumps)
        even = np.full((1, lumps), 1 / lumps)
        theta, weight, log_likelihood = _em(first, total, samples[:1], begin[None], even)
        if log_likelihood[0] >= best:
            break
    begin, even = (np.repeat(x, len(samples), axis=0) for x in (theta, weight))
    theta, weight, _ = _em(first, total, samples, begin, even)
    support = np.zeros((*theta.shape, patterns.shape[1]))
    support[..., used[0]], support[..., used[1]] = theta, 1 - theta
    return support, weight


def _em(
    first: Floats, total: Floats, samples: Floats, theta: Floats, weight: Floats
) -> tuple[Floats, Floats, Floats]:
    """Take steps of EM for states of two labels: (data sets, lumps) arrays, and log likelihoods."""
    log_likelihood = np.empty(len(samples))
    for _ in range(LUMP_STEPS):
        inside = np.clip(theta, 1e-9, 1 - 1e-9)
        log_p = np.log(inside)[:, None] * first[:, None]
        log_p = log_p + np.log1p(-inside)[:, None] * (total - first)[:, None]
        scale = log_p.max(axis=2, keepdims=True)
        p = weight[:, None] * np.exp(log_p - scale)
        f = np.maximum(p.sum(axis=2, keepdims=True), TINY)
        items = p / f * samples[:, :, None]
        ratings = np.einsum("dpl,p->dl", items, total)
        there = np.einsum("dpl,p->dl", items, first)
        theta = np.where(ratings > 0, there / np.where(ratings > 0, ratings, 1.0), theta)
        weight = items.sum(axis=1) / samples.sum(axis=1, keepdims=True)
        log_likelihood = (samples * (np.log(f) + scale)[..., 0]).sum(axis=1)
    return theta, weight, log_likelihood


def range_estimate(value: float, low: Floats, high: Floats, *, level: float) -> Estimate:
    """Interval for a value that data determine only up to a range: see :class:`Range`.

    The range of the data themselves holds the value, and so does the interval.

    Examples
    --------
    >>> range_estimate(2.0, np.array([1.0, 1.5]), np.array([2.5, 3.0]), level=0.95)
    2 (1 to 3)
    """
    ends = RANGE.ends(low, high, level)
    if ends is None:
        return Estimate(value, method=EXACT.name)
    return Estimate(
        value,
        low=min(ends.low, value),
        high=max(ends.high, value),
        level=level,
        method=RANGE.name,
    )


def _range(design: Design, continued: Continued) -> tuple[float, float]:
    """How far below and above the ceiling others lie that fit the data as well."""
    pool, combiner, scorer = design.pools[0], design.combiner, design.scorer
    fit, top = pool.states, continued.score[-1]
    last = continued.score[continued.sizes <= pool.max_k].max()
    if len(fit.used) == 2:
        best = find_ceiling(
            pool.pool.patterns, pool.multiplicity.astype(np.float64), combiner, scorer
        )
        # All that fit best score alike up to the largest survey: they differ in what is beyond.
        states = best.states
        at = survey_score(states.support, states.weight, pool.max_k, combiner, scorer)
        ends = [float(last + each - at) - top for each in (best.low, best.high)]
        return max(min(ends[0], 0.0), last - top), max(ends[1], 0.0)
    tops = [
        float(scorer.score(fit.theta, fit.theta, weight, combiner.kind))
        - float(survey_score(fit.theta, weight, pool.max_k, combiner, scorer))
        for weight in fit.as_good
    ]
    # Two raters more than the data hold are what a worth is extrapolated to.
    near = continued.score[continued.sizes <= pool.max_k + BEYOND].max()
    return float(near - top), max(tops) - tops[0]


@dataclass(frozen=True, eq=False)
class Ceiling:
    """The score of infinitely many raters.

    Parameters
    ----------
    states : States
        The distribution of item states: the centre of those that fit best.
    score, low, high : (...) array
        The ceiling under it, and the lowest and highest among those that fit as well. Low and high
        differ by what the ratings of an item are too few to tell, not by chance; see
        :func:`range_estimate` for both.
    """

    states: States
    score: Floats
    low: Floats
    high: Floats


def state_score(states: States, scorer: Scorer, kind: Kind = "soft") -> Floats:
    r"""Score a prediction that knows the state of every item.

    The table has one row per state: prediction :math:`\theta_j`, distribution of the next label
    :math:`\theta_j`, weight :math:`g_j`. Where a label has to be predicted (`kind` is 'hard') it
    is the most probable one. O(states x labels), and O(states) a data set.

    Examples
    --------
    >>> from headcount.equivalence.scorers import SCORERS
    >>> from headcount.data.labels import Scale
    >>> cross_entropy = SCORERS["cross-entropy"](Scale(("yes", "no")), None)
    >>> patterns = np.array([[4, 0], [3, 1], [2, 2], [1, 3], [0, 4]])
    >>> states = fit_states(patterns, np.array([17.0, 4, 6, 4, 1]))  # half sure, half open
    >>> state_score(states, cross_entropy).round(3)
    np.float64(-0.5)
    """
    prediction = most_probable(states.support) if kind == "hard" else states.support
    return np.asarray(scorer.score(prediction, states.support, states.weight, kind))


def find_ceiling(
    patterns: Codes, multiplicity: Floats, combiner: Combiner, scorer: Scorer
) -> Ceiling:
    r"""Find the score of infinitely many raters, and the range that fits the data as well.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        Label counts of items, of two labels; they may have different numbers of ratings.
    multiplicity : (patterns,) array
        How many items show each pattern.
    combiner, scorer
        What predicts (only its kind matters here, and its prediction from no rater), and what
        scores it.

    Notes
    -----
    For a scorer that is a mean over items the ends of the range are exact: the score is linear in
    the weights of the states, and among the distributions of maximal likelihood the one with the
    largest is found (`lean` of :func:`fit_states`). Other scorers, such as F1 or AUC, are
    linearised at the fit to find the ends, which are then scored as they are.

    With 5 ratings an item or more the estimate is nearly unbiased (within .01 bits for 1,000
    items); with 3 it is the middle of a range that the data cannot narrow, so say 'at least' and
    'at most' (`low` and `high`). See ``docs/studies/survey.md``.

    Three fits; see :func:`fit_states` for their cost.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence", section 7, asks for it.

    Examples
    --------
    >>> from headcount import running_example
    >>> from headcount import ABC
    >>> from headcount.equivalence.scorers import SCORERS
    >>> labels, _ = running_example(1000, 10, seed=1)
    >>> counts = labels.counts()
    >>> scorer = SCORERS["cross-entropy"](labels.scale, None)
    >>> ceiling = find_ceiling(counts.patterns, counts.multiplicity, ABC(), scorer)
    >>> ceiling.score.round(3)
    np.float64(-0.688)
    """
    items = np.asarray(multiplicity, dtype=np.float64)
    states = fit_states(patterns, items)
    slope = _slope(states, scorer, combiner.kind)
    score, low, high = (
        state_score(each, scorer, combiner.kind)
        for each in (
            states,
            fit_states(patterns, items, lean=-slope),
            fit_states(patterns, items, lean=slope),
        )
    )
    # Linearised scorers and rounding can leave the ends on the wrong side by next to nothing.
    return Ceiling(states, score, np.minimum(low, score), np.maximum(high, score))


def _slope(states: States, scorer: Scorer, kind: Kind) -> Floats:
    """How the ceiling changes as items are moved to each state; exact for means over items."""
    step = 1e-4
    moved = (1 - step) * states.weight + step * np.eye(len(states.weight))
    before = state_score(states, scorer, kind)
    return (state_score(replace(states, weight=moved), scorer, kind) - before) / step


# The distribution of item states of two labels, by nonparametric maximum likelihood.
#
# The state of an item is the distribution of the labels that raters would give it. No state is ever
# seen, but the label counts of many items tell how states are distributed: the counts of an item
# with state theta are multinomial, and one can look for the distribution of states that makes the
# observed patterns most probable, whatever its shape. On a fixed set of possible states that is a
# convex problem, solved here to a certified distance from its optimum.

TOLERANCE = 1e-8
"""Largest mean gain of log-likelihood an item that any other distribution could still offer."""

LEAN = 0.02
"""Weight of a leaning, in items: next to nothing, but more than what the tolerance leaves open."""

_STEPS_PER_SD = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class States:
    """A distribution of item states.

    Parameters
    ----------
    support : (states, labels) array
        The possible states: distributions over labels.
    weight : (states,) array
        Share of the items in each state.
    converged : bool
        Whether the fit is certified to be within the tolerance of the optimum.
    n_iter : int
        Newton steps taken.
    log_likelihood : float
        Natural log of the probability of all ratings, in the order in which they were given.
    gap : float
        The certificate: no distribution on the support has a log-likelihood that is larger by
        more than this, in natural log units an item.
    """

    support: Floats
    weight: Floats
    converged: bool
    n_iter: int
    log_likelihood: float
    gap: float


def fit_states(
    patterns: Codes,
    multiplicity: Floats,
    *,
    support: Floats | None = None,
    lean: Floats | None = None,
    max_iter: int = 50,
) -> States:
    r"""Fit the distribution of item states to the label counts of items, of two labels.

    Maximises over the weights :math:`g` of the possible states :math:`\theta_j`

    .. math:: \ell(g) = \sum_p m_p \log f_p,
              \qquad f_p = \sum_j g_j f_{pj}, \qquad f_{pj} = \prod_l \theta_{jl}^{w_{pl}}

    with :math:`m_p` items that show the label counts :math:`w_p`, n items in all. Items may have
    different numbers of ratings.

    The possible states are a grid that is even in :math:`\arcsin \sqrt\theta`, where every state
    is equally hard to tell from its neighbours, with 5 steps to the standard error of an item. An
    even grid of :math:`\theta` would miss rare labels, to which entropy is sensitive.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        Label counts; two labels are in use at most.
    multiplicity : (patterns,) array
        How many items show each pattern.
    support : (states, labels) array, optional
        Possible states, instead of those above.
    lean : (states,) array, optional
        Several distributions may fit equally well: k ratings an item tell no more than k
        moments. Among the best, take the one with the largest mean of this (see Notes).
    max_iter : int
        Most Newton steps.

    Returns
    -------
    States

    Notes
    -----
    A primal-dual interior-point method, as Koenker and Mizera (2014) advise: see
    :func:`~headcount.equivalence.ceiling.maximise`. It needs 10 to 20 steps
    whatever the data, where EM needs thousands, and where the optimum is not unique it tends
    to the centre of the best fits, not to a corner. The certificate is the directional derivative
    (Lindsay 1983): :math:`\max_j \tfrac1n \sum_p m_p f_{pj} / f_p - 1`, over the states in use,
    bounds how much the log-likelihood can still gain an item. One step is O(patterns x states x
    min(patterns, states)).

    A leaning adds one pattern, with multiplicity .02 items (or :math:`2 \cdot 10^{-6} n`) and
    likelihood :math:`a_j` linear in `lean` under state j. That is too little evidence to move
    what the data determine, and decides what they leave open. `log_likelihood` leaves it out.

    References
    ----------
    Laird, "Nonparametric Maximum Likelihood Estimation of a Mixing Distribution", 1978.
    Lindsay, "The Geometry of Mixture Likelihoods", 1983.
    Koenker and Mizera, "Convex Optimization, Shape Constraints, Compound Decisions, and
    Empirical Bayes Rules", 2014.

    Examples
    --------
    Half of the items are always 'yes', half are 'yes' as often as 'no':

    >>> patterns = np.array([[4, 0], [3, 1], [2, 2], [1, 3], [0, 4]])
    >>> states = fit_states(patterns, np.array([17.0, 4, 6, 4, 1]))
    >>> states.converged
    True
    >>> for theta in (0.5, 1.0):
    ...     print(states.weight[np.abs(states.support[:, 0] - theta) < 0.02].sum().round(3))
    0.5
    0.5
    """
    items = np.asarray(multiplicity, dtype=np.float64)
    if support is None:
        support = _support(patterns, items)
    likelihood, scale = _likelihood(patterns, support)
    table, counted = likelihood, items
    if lean is not None:
        # Bounded away from 0, so that no state is ruled out by the leaning alone.
        row = lean - lean.min() + 1e-3 * max(np.ptp(lean), TINY)
        table = np.vstack([likelihood, row / row.max()])
        counted = np.append(items, max(LEAN, LEAN * 1e-4 * items.sum()))
    weight, gap, n_iter = maximise(table, counted[None] / counted.sum(), TOLERANCE, max_iter)
    fitted = np.where(items > 0, likelihood @ weight[0], 1.0)
    return States(
        support=support,
        weight=weight[0],
        converged=bool(gap[0] <= TOLERANCE),
        n_iter=int(n_iter[0]),
        log_likelihood=float(items @ (np.log(np.maximum(fitted, TINY)) + scale)),
        gap=float(gap[0]),
    )


def _likelihood(patterns: Codes, support: Floats) -> tuple[Floats, Floats]:
    """Probability of each pattern in each state, over its maximum; and the log of that maximum."""
    # A log of 0 times a count of 0 must be 0, and times any other count a probability of 0.
    log_theta = np.log(np.maximum(support, 1e-300)) * np.where(support > 0, 1.0, 1e3)
    log_p = patterns @ log_theta.T
    scale = log_p.max(axis=1)
    return np.exp(log_p - scale[:, None]), scale


def _support(patterns: Codes, items: Floats) -> Floats:
    """Possible states; see :func:`fit_states`."""
    used = np.flatnonzero((patterns * (items > 0)[:, None]).any(axis=0))
    points = np.ones((1, 1))
    if len(used) == 2:
        ratings = patterns.sum(axis=1).max()
        # The standard error of arcsin(sqrt(theta)) is 1 / (2 sqrt(ratings)); an odd number of
        # points puts one on 1/2.
        size = int(np.clip(np.pi * np.sqrt(ratings) * _STEPS_PER_SD, 100, 500)) | 1
        theta = np.sin(np.linspace(0, np.pi / 2, size)) ** 2
        points = np.column_stack([theta, 1 - theta])
    support = np.zeros((len(points), patterns.shape[1]))
    support[:, used] = points
    return support


# Maximum likelihood of a mixing distribution on given states, for many data sets at once.

TINY = 1e-300
"""Least probability, so that rounding divides nothing by 0."""


def maximise(
    likelihood: Floats, share: Floats, tol: float, max_iter: int
) -> tuple[Floats, Floats, Codes]:
    r"""Maximise :math:`\sum_p m_p \log \sum_j w_j A_{pj}` over distributions w.

    Parameters
    ----------
    likelihood : (patterns, states) array
        A: probability of each pattern in each state, but for a factor a pattern.
    share : (draws, patterns) array
        m: share of the items that show each pattern; each draw is a data set of its own.
    tol : float
        Stop a draw when :math:`\max_j \sum_p m_p A_{pj} / f_p - 1 \le tol`, with
        :math:`f = A w`: no other distribution gains more than that (Lindsay 1983).
    max_iter : int
        Most Newton steps.

    Returns
    -------
    weight : (draws, states) array
    gap : (draws,) array
        The left side of the stopping rule.
    n_iter : (draws,) array of int

    Notes
    -----
    With :math:`\nu = m / f` and slacks :math:`s \ge 0` of the dual constraints, the conditions
    of optimality are

    .. math:: A' \nu + s = 1, \qquad w s = \mu \to 0, \qquad \nu (A w) = m.

    Newton's method for them, with Mehrotra's predictor and corrector, starts at a strictly
    feasible point of the dual and keeps it so. A step is
    O(patterns x states x min(patterns, states)) a draw; 10 to 20 are enough.

    Examples
    --------
    Coins that always, or never, or half of the time show heads; both, one or no head in 2 throws:

    >>> likelihood = np.array([[1, 0.25, 0], [0, 0.5, 0], [0, 0.25, 1]])
    >>> weight, gap, n_iter = maximise(likelihood, np.array([[0.5, 0.2, 0.3]]), 1e-9, 50)
    >>> weight.round(6)
    array([[0.4, 0.4, 0.2]])
    """
    draws, size = len(share), likelihood.shape[1]
    weights = np.full((draws, size), 1 / size)
    best = np.full(draws, np.inf)
    steps = np.zeros(draws, dtype=np.int64)
    active = np.arange(draws)
    m, w = share, weights.copy()
    nu = m / np.maximum(w @ likelihood.T, TINY)
    nu = 0.9 * nu / (nu @ likelihood).max(axis=1, keepdims=True)
    s = 1 - nu @ likelihood
    for step in range(max_iter + 1):
        f = np.maximum(w @ likelihood.T, TINY)
        total = w.sum(axis=1, keepdims=True)
        gap = ((m * total / f) @ likelihood).max(axis=1) - 1
        # Rounding can spoil a step at the very end; the best weights are kept.
        better = gap < best[active]
        weights[active[better]] = (w / total)[better]
        best[active[better]] = gap[better]
        steps[active] = step
        go = np.isfinite(gap) & (gap > tol)
        if step == max_iter or not go.any():
            break
        if not go.all():
            active, m, w = active[go], m[go], w[go]
            nu, s, f = nu[go], s[go], f[go]
        newton = _Newton(likelihood, w, nu, s, f)
        mu = (w * s).mean(axis=1, keepdims=True)
        # Predictor: straight for the optimum. Its success sets how far the corrector aims.
        dw, ds, dnu = newton.direction(-w * s, m - nu * f)
        primal, dual = _reach(w, dw), np.minimum(_reach(s, ds), _reach(nu, dnu))
        aim = ((w + primal * dw) * (s + dual * ds)).mean(axis=1, keepdims=True)
        centre = (aim / mu) ** 3 * mu
        dw, ds, dnu = newton.direction(
            centre - w * s - dw * ds, m - nu * f - dnu * (dw @ likelihood.T)
        )
        primal = _reach(w, dw, 0.99)
        dual = np.minimum(_reach(s, ds, 0.99), _reach(nu, dnu, 0.99))
        w, s, nu = w + primal * dw, s + dual * ds, nu + dual * dnu
    return weights, best, steps


class _Newton:
    """The linear system of one Newton step, in patterns or in states, whichever are fewer."""

    def __init__(self, a: Floats, w: Floats, nu: Floats, s: Floats, f: Floats) -> None:
        self.a, self.w, self.nu, self.s, self.f = a, w, nu, s, f
        self.by_pattern = a.shape[0] <= a.shape[1]
        # Scaled by the square root of nu or w, so that patterns not drawn (nu = 0) and states
        # without weight do no harm.
        if self.by_pattern:
            self.root, diagonal = np.sqrt(nu), f
            matrix = (a * (w / s)[:, None, :]) @ a.T
        else:
            self.root, diagonal = np.sqrt(w), s
            matrix = (np.ascontiguousarray(a.T) * (nu / f)[:, None, :]) @ a
        matrix *= self.root[:, :, None] * self.root[:, None, :]
        index = np.arange(len(matrix[0]))
        matrix[:, index, index] += diagonal
        self.unit = 1 / np.sqrt(matrix[:, index, index])
        matrix *= self.unit[:, :, None] * self.unit[:, None, :]
        matrix[:, index, index] += 1e-13
        self.matrix = matrix

    def direction(self, r_w: Floats, r_nu: Floats) -> tuple[Floats, Floats, Floats]:
        """Solve s dw + w ds = r_w, f dnu + nu (A dw) = r_nu and A' dnu + ds = 0."""
        dw, ds, dnu = self._direction(r_w, r_nu)
        if not self.by_pattern:
            return dw, ds, dnu
        # Near the optimum w / s is huge and magnifies rounding; what is left over is solved again.
        more = self._direction(
            r_w - self.s * dw - self.w * ds,
            r_nu - self.f * dnu - self.nu * (dw @ self.a.T),
        )
        return dw + more[0], ds + more[1], dnu + more[2]

    def _direction(self, r_w: Floats, r_nu: Floats) -> tuple[Floats, Floats, Floats]:
        a, w, nu, s, f = self.a, self.w, self.nu, self.s, self.f
        if self.by_pattern:
            some = self.root > 0
            right = (r_nu - nu * ((r_w / s) @ a.T)) / np.where(some, self.root, 1.0)
            dnu = self._solve(np.where(some, right, 0.0))
            ds = -(dnu @ a)
            return (r_w - w * ds) / s, ds, dnu
        dw = self._solve(r_w / self.root + self.root * ((r_nu / f) @ a))
        dnu = (r_nu - nu * (dw @ a.T)) / f
        return dw, -(dnu @ a), dnu

    def _solve(self, right: Floats) -> Floats:
        x = np.linalg.solve(self.matrix, (self.unit * right)[..., None])[..., 0]
        return self.root * self.unit * x


def _reach(x: Floats, dx: Floats, share: float = 1.0) -> Floats:
    """How far, up to 1, one can go along dx before an x turns negative, times `share`."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        limit = np.where(dx < 0, -x / dx, np.inf).min(axis=1, keepdims=True)
    return np.minimum(1.0, share * limit)
