"""Bradley-Terry ratings by maximum likelihood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.fit import climb, summarise
from headcount.pairwise.bradley_terry.likelihood.covariates import ItemNumbers
from headcount.pairwise.bradley_terry.prepare import FitOptions, prepare, take
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.bradley_terry.standard_errors.clusters import AUTO
from headcount.pairwise.bradley_terry.standard_errors.kinds import ROBUST
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.pairwise.plackett_luce.rate_rankings import rate_rankings

__all__ = ["bradley_terry"]


def bradley_terry(
    comparisons: Comparisons | Any,
    *,
    ties: str | TieModel = HALF,
    position: bool = False,
    prior: float | str | None = None,
    covariates: ItemNumbers | None = None,
    reliability: bool = False,
    errors: str = ROBUST,
    cluster: str | Sequence[str] = AUTO,
    control: str | Sequence[str] | None = None,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iter: int = 100,
    level: float = 0.95,
) -> BradleyTerry:
    r"""Rate items so that the answers are as likely as they can be.

    The left item l beats the right item r with probability

    .. math:: P(l \succ r) = \frac{1}{1 + e^{-\eta}}, \quad
              \eta = s_k (\theta_l - \theta_r) + \delta

    with ratings :math:`\theta`, the advantage :math:`\delta` of the left side (0 unless `position`)
    and the slope :math:`s_k` of rater k (1 unless `reliability`). Ties count as half a win for
    either; or, after Davidson [2]_ and Rao and Kupper [3]_, they have a probability of their own:

    .. math:: \text{Davidson: } & P(l) : P(r) : P(\text{tie}) = e^{\eta/2} : e^{-\eta/2} : \nu \\
              \text{Rao-Kupper: } & P(l) = \frac{1}{1 + \theta e^{-\eta}}, \quad
              P(r) = \frac{1}{1 + \theta e^{\eta}}, \quad \theta \ge 1

    Finite ratings exist only for items between which wins and ties lead there and back again [4]_.
    Each component of the comparison graph is therefore rated apart, with mean 0; in it the largest
    such set of items gets ratings, and the others plus or minus infinity where they are above or
    below it, nan where the data do not say. A note says so.

    Rankings of several items are rated by the model of Plackett and Luce, of which this is the case
    of two (see :mod:`~headcount.pairwise.plackett_luce.stages`).

    Parameters
    ----------
    comparisons : Comparisons, or path or frame
        Or anything that :func:`headcount.read_comparisons` takes. Weights count as repetitions.
    ties : {"half", "davidson", "rao-kupper"} or TieModel
    position : bool
        Fit the advantage of the left side.
    prior : float or {"auto", "fitted", "none"}, optional
        Standard deviation, in logits, of a normal prior of the ratings around 0, or "fitted": by
        its marginal likelihood (see :mod:`~headcount.pairwise.bradley_terry.priors`); "auto" is
        that where many ratings would have no bound, and none elsewhere. The
        log-likelihood is penalised by :math:`\sum \theta_i^2 / (2\,\text{prior}^2)`, and by the
        same of :math:`\delta`. It makes everything finite. Items of different components then
        compare as draws of one population, which is what the prior assumes and no answer says.
        Standard errors are those of the posterior around its mode.
    covariates : (items, p) array, mapping of item to p numbers, path or frame, optional
        What is known of the items; the numbers may have names, as in ``{"a": {"words": 12}}``, or
        come from what :func:`headcount.read_covariates` takes. Ratings are then
        :math:`\theta_i = x_i^T \beta + u_i` with the prior on :math:`u_i`, and on what a standard
        deviation of each covariate adds. Needs `prior`: free ratings leave nothing to explain.
    reliability : bool
        Fit a slope of each rater: 0 for one who answers at random, negative for one who answers the
        wrong way round. Their mean over comparisons is 1, which sets the unit of the ratings; each
        has prior N(1, 0.5^2), since a rater whose few answers are all in order would run off to
        infinity. So would an item that only raters with slope 0 speak against; without `prior`,
        ratings therefore have one of 5 logits.
    errors : {"robust", "hessian"}
        Standard errors by how much the answers vary, whatever the model says; or as the model says.
        With `prior` or `reliability` they are always those of the posterior.
    cluster : str or sequence of str
        What comparisons hang together by, for robust errors: "rater", or columns that were kept
        when they were read, two at most; "none" for comparisons that are independent of each other.
        "auto" is "rater" where raters are known, five or more, with five answers each on average.
    control : str or sequence of str, optional
        Two columns of numbers each, of the left and of the right item, such as "len_a:len_b", that
        were kept when comparisons were read. Log odds then also go by their difference, in its
        standard deviations, and ratings are those of items that do not differ in it (see
        :mod:`~headcount.pairwise.bradley_terry.controls`). Up to 2,000 items, without `prior` and
        `reliability`.
    start : (items,) array, optional
        Ratings to start from, such as those of an earlier fit.
    tolerance : float
        Largest absolute derivative of the log-likelihood at the end, in wins.
    max_iter : int
        Newton steps, at most.
    level : float
        Coverage of the intervals that the result shows.

    Returns
    -------
    BradleyTerry

    Notes
    -----
    Wins are added up by pair, and the maximum found by truncated Newton steps: conjugate gradients
    on the Hessian, with a line search. About 6 steps of O(pairs) each. Without slopes the
    log-likelihood is concave and the maximum is the only one; with them it is one near the ratings
    that trust all raters alike.

    Robust standard errors are HC3, or CR3 with Student's t where comparisons hang together in
    clusters (:mod:`~headcount.pairwise.bradley_terry.standard_errors.sandwich`): the right ones
    where ties count as halves, where weights are no repetitions, and where answers of a rater or
    on a prompt are alike. Above 2,000 items they are those of the Hessian, times one factor for how
    much answers vary. Those of the Hessian are exact for components of up to 2,000 items (with
    slopes, items and raters), else approximated to within 1% or so where items have many opponents
    (:mod:`~headcount.pairwise.bradley_terry.standard_errors.hessian`).

    Slopes cost: in simulated crowds with 30 answers a rater, ratings come out 13 to 40% too far
    apart, with 100 still 5 to 11%; more, the fewer comparisons an item is in. A rater who answers
    at random has a slope of .2 or .3 with 30 answers, and of .1 with 100.

    References
    ----------
    .. [1] Bradley and Terry (1952), Rank analysis of incomplete block designs, Biometrika 39.
    .. [2] Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired
       comparison experiments, JASA 65.
    .. [3] Rao and Kupper (1967), Ties in paired-comparison experiments, JASA 62.
    .. [4] Ford (1957), Solution of a ranking problem from binary comparisons, The American
       Mathematical Monthly 64(8).

    Examples
    --------
    >>> from headcount import Comparisons
    >>> left, right = "aababcab", "bcccaaba"
    >>> outcome = ["left", "left", "left", "right", "left", "right", "left", "tie"]
    >>> fit = bradley_terry(Comparisons.from_columns(left, right, outcome))
    >>> fit
    Bradley-Terry ratings of 3 items: a is rated highest, 0.4583 (-0.9802 to 1.897)
    logits
    <BLANKLINE>
    item  rating  standard error     95% interval
    ---------------------------------------------
    a      0.458           0.734  -0.980 to 1.897
    b      0.239           0.740  -1.211 to 1.689
    c     -0.697           1.060  -2.775 to 1.381
    <BLANKLINE>
    8 comparisons. Ratings are in logits, with mean 0; ties: half a win for either.
    4 Newton steps; standard errors: robust (HC3).
    >>> fit.probability("a", "c")
    0.7605 (0.108 to 0.9881)
    """
    asked = FitOptions.checked(
        ties=ties,
        position=position,
        prior=prior,
        covariates=covariates,
        reliability=reliability,
        errors=errors,
        cluster=cluster,
        control=control,
        start=start,
        tolerance=tolerance,
        max_iter=max_iter,
        level=level,
    )
    played, notes = take(comparisons, asked)
    if played.ranking is not None:
        return rate_rankings(played, asked, notes)
    task = prepare(played, asked, notes)
    return summarise(task, climb(task, notes), notes)
