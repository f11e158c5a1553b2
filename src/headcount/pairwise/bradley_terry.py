"""Bradley-Terry ratings by maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import count, option
from headcount.io.load import take_comparisons
from headcount.pairwise.answers import Graph, graph_sentences, win_graph
from headcount.pairwise.bradley_terry_result import BradleyTerry, fit_provenance
from headcount.pairwise.fit_options import (
    Controls,
    Covariates,
    FitOptions,
    ItemNumbers,
    check_control,
    check_covariates,
    choose_controls,
    climb_controls,
    coefficients,
    control_columns,
    standardised,
    start_of,
    that_count,
)
from headcount.pairwise.likelihood import (
    Climb,
    Model,
    PairWins,
    Point,
    centred,
    maximise,
    refuse_runaway,
)
from headcount.pairwise.plackett_luce import rate_rankings
from headcount.pairwise.priors import (
    WIDER,
    average_moves,
    check_prior,
    fit_prior,
    given_prior,
    needs_prior,
    tell_of_prior,
)
from headcount.pairwise.sandwich import AUTO_CLUSTERS, Clusters, choose_clusters, cluster_columns
from headcount.pairwise.standard_errors import (
    ERRORS,
    ROBUST,
    Controlled,
    Covariance,
    Factor,
    Fitted,
    Parameter,
    by_hessian,
    robust,
    scaled_by,
)
from headcount.pairwise.ties import HALF, TieModel, tie_model
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "bradley_terry",
    "Prepared",
    "take",
    "prepare",
    "climb",
]


def bradley_terry(
    comparisons: Comparisons | Any,
    *,
    ties: str | TieModel = HALF,
    position: bool = False,
    prior: float | str | None = None,
    covariates: ItemNumbers | None = None,
    reliability: bool = False,
    errors: str = ROBUST,
    cluster: str | Sequence[str] = AUTO_CLUSTERS,
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
    of two (see :mod:`~headcount.pairwise.plackett_luce`).

    Parameters
    ----------
    comparisons : Comparisons, or path or frame
        Or anything that :func:`headcount.read_comparisons` takes. Weights count as repetitions.
    ties : {"half", "davidson", "rao-kupper"} or TieModel
    position : bool
        Fit the advantage of the left side.
    prior : float or {"auto", "fitted", "none"}, optional
        Standard deviation, in logits, of a normal prior of the ratings around 0, or "fitted": by
        its marginal likelihood (see :mod:`~headcount.pairwise.priors`); "auto" is
        that where many ratings would have no bound, and none elsewhere. The
        log-likelihood is penalised by :math:`\sum \theta_i^2 / (2\,\text{prior}^2)`, and by the
        same of :math:`\delta`. It makes everything finite. Items of different components then
        compare as draws of one population, which is what the prior assumes and no answer says.
        Standard errors are those of the posterior around its mode.
    covariates : (items, p) array, mapping of item to p numbers, path or frame, optional
        What is known of the items; the numbers may have names, as in ``{"a": {"words": 12}}``, or
        come from what :func:`headcount.io.facts.read_covariates` takes. Ratings are then
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
        :mod:`~headcount.pairwise.fit_options`). Up to 2,000 items, without `prior` and
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
    clusters (:mod:`~headcount.pairwise.sandwich`): the right ones
    where ties count as halves, where weights are no repetitions, and where answers of a rater or
    on a prompt are alike. Above 2,000 items they are those of the Hessian, times one factor for how
    much answers vary. Those of the Hessian are exact for components of up to 2,000 items (with
    slopes, items and raters), else approximated to within 1% or so where items have many opponents
    (:mod:`~headcount.pairwise.standard_errors`).

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
    prior = check_prior(prior)
    check_covariates(covariates, prior)
    check_control(control, prior=prior, reliability=reliability)
    wanted = FitOptions(
        ties=tie_model(ties),
        position=options.switch(position, "position"),
        prior=prior,
        covariates=covariates,
        reliability=options.switch(reliability, "reliability"),
        errors=options.one_of(errors, "errors", ERRORS),
        cluster=cluster,
        control=control,
        start=start,
        tolerance=options.number(tolerance, "tolerance", above=0),
        max_iter=options.whole(max_iter, "max_iter", least=1),
        level=options.level(level),
    )
    played, notes = take(comparisons, wanted)
    if played.ranking is not None:
        return rate_rankings(played, wanted, notes)
    task = prepare(played, wanted, notes)
    return summarise(task, climb(task, notes), notes)


# What is fitted: comparisons added up by pair.

SLOPES_PRIOR = 5.0
"""Prior of ratings, in logits, where raters have slopes and no prior was given."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """What is fitted, and to what.

    Parameters
    ----------
    comparisons, played : Comparisons
        All, and those that count.
    options : FitOptions
    model : Model
    graph : Graph
    kept : (items,) array of bool
        Items that have a finite rating.
    covariates : Covariates
    start : (items,) array or None
        Ratings to start from.
    clusters : Clusters
        Comparisons that hang together.
    controls : Controls
        What else answers go by.
    prior_fitted : bool
        Whether the spread of the prior was fitted.
    noise : float
        Variance of answers as a share of what the model says, beside a prior that was fitted.
    """

    comparisons: Comparisons
    played: Comparisons
    options: FitOptions
    model: Model
    graph: Graph
    kept: Flags
    covariates: Covariates
    start: Floats | None
    clusters: Clusters
    controls: Controls
    prior_fitted: bool
    noise: float


def take(data: Any, wanted: FitOptions) -> tuple[Comparisons, Notes]:
    """Take comparisons, or read them, with notes on that."""
    comparisons = take_comparisons(
        data,
        clusters=cluster_columns(wanted.cluster),
        controls=control_columns(wanted.control),
        reduced=not wanted.reliability and not control_columns(wanted.control),
    )
    if wanted.reliability:
        comparisons = comparisons.with_raters()
    return comparisons, Notes(comparisons.notes)


def prepare(comparisons: Comparisons, wanted: FitOptions, notes: Notes) -> Prepared:
    """Add comparisons up, and see which ratings can be finite."""
    played = that_count(comparisons, wanted)
    prior = given_prior(wanted.prior)
    if wanted.reliability and prior is None:
        prior = SLOPES_PRIOR
        notes.info(
            f"Raters' slopes need a prior of the ratings; theirs is normal with a standard "
            f"deviation of {prior:g} logits."
        )
    wins = PairWins.of(
        played,
        split=not wanted.ties.has_cut,
        sided=wanted.position,
        by_rater=wanted.reliability,
    )
    tie = wins.tie if len(wins.tie) else 0.0
    graph = win_graph(wins.n_items, wins.first, wins.second, wins.win + tie, wins.loss + tie)
    kept = graph.finite & graph.compared
    fitted = prior is None and not control_columns(wanted.control)
    fitted = fitted and needs_prior(wanted.prior, graph)
    noise = 1.0
    if fitted:
        of_prior = fit_prior(
            wins, played, wanted.ties, sided=wanted.position, max_iter=wanted.max_iter
        )
        prior, noise = of_prior.penalty, of_prior.noise
    if prior is None:
        notes.extend(graph_sentences(graph, comparisons.items))
        wins = wins.within(kept)
    else:
        tell_of_prior(graph, comparisons, prior * noise**0.5, notes, fitted=fitted)
        kept[:] = True
    ties = wanted.ties
    if ties.has_cut and not wins.tie.any():
        ties, wins = HALF, replace(wins, tie=wins.tie[:0])
        among = "" if kept.all() else " among items with a finite rating"
        notes.info(
            f"There are no ties{among}, so {option('ties', wanted.ties.name)} makes no difference."
        )
    if prior is None and len(wins.first):
        refuse_runaway(wins, ties, sided=wanted.position, source=comparisons.source)
    covariates = standardised(wanted.covariates, comparisons)
    sided = wanted.position and bool(len(wins.first))
    return Prepared(
        comparisons=comparisons,
        played=played,
        options=wanted,
        model=Model(wins, ties=ties, sided=sided, prior=prior, covariates=covariates.x),
        graph=graph,
        kept=kept,
        covariates=covariates,
        start=start_of(wanted.start, comparisons),
        clusters=choose_clusters(wanted.cluster, played),
        controls=choose_controls(wanted.control, played, len(comparisons.items)),
        prior_fitted=fitted,
        noise=noise,
    )


# From what was prepared to the maximum, and from the maximum to what is reported.

SKEWED = 0.1
"""Move of the average, in standard deviations of the prior, from which ratings are skewed."""


def climb(task: Prepared, notes: Notes) -> Climb[Point]:
    """Maximise the log-likelihood, and say if that failed."""
    model, rating, wanted = task.model, task.start, task.options
    z, before = model.start(rating), 0
    if rating is not None and model.at(z).value < model.at(model.start()).value:
        z = model.start()  # a start that is worse than none
    if model.wins.n_raters:
        # With slopes there may be several maxima: the one near the ratings that trust all alike.
        alike = maximise(replace(model, slopes=False), z, tolerance=1e-3, max_iter=wanted.max_iter)
        z, before = alike.point.z, alike.n_iter
    top = maximise(model, z, tolerance=wanted.tolerance, max_iter=wanted.max_iter)
    top = top._replace(n_iter=before + top.n_iter)
    if not top.converged:
        notes.warning(
            f"The fit has not converged after {count(top.n_iter, 'step')}: the largest derivative "
            f"is {np.abs(top.point.gradient).max():.2g}, and {wanted.tolerance:g} was asked "
            f"for. Allow more steps ({option('max_iter', 10 * wanted.max_iter)}) or a larger "
            f"{option('tolerance')}."
        )
    return top


def summarise(task: Prepared, top: Climb[Point], notes: Notes) -> BradleyTerry:
    """Write down the ratings at the maximum with their standard errors."""
    point, model, kept, graph = top.point, top.point.model, task.kept, task.graph
    n, names = model.wins.n_items, task.covariates.names
    together = model.prior is not None and (len(names) > 0 or model.wins.n_raters > 0)
    block = np.where(kept, 0 if together else graph.component, -1)
    controlled = _controlled(task, top, block, notes)
    fitted = Fitted(
        point=point,
        played=task.played,
        block=block,
        clusters=task.clusters,
        controlled=controlled,
    )
    z = point.z if controlled is None else controlled.z
    errors = robust(fitted, notes) if task.options.errors == ROBUST else by_hessian(fitted)
    if task.noise != 1:
        errors = scaled_by(errors, Factor(task.noise, "ties, which are halves"))
    # With a prior the mean is 0 at the mode, but its derivative may be too small to get there.
    groups = np.where(kept, 0 if names else graph.component, -1)
    rating, without = centred(z[:n], groups), centred(point.z[:n], groups)
    rating[~kept] = without[~kept] = np.array([np.nan, np.inf, -np.inf])[graph.direction[~kept]]
    mean = _mean(task, top, rating, errors, notes) if task.prior_fitted else 0.0
    rating += mean
    slope, slope_error = _slopes(task, top, errors)
    return BradleyTerry(
        items=task.comparisons.items,
        rating=rating,
        standard_error=errors.errors[:n],
        covariance=errors,
        component=graph.component,
        tie_model=task.options.ties,
        tie=_tie(task, float(z[-1]), errors),
        position=_parameter(float(z[-2]), errors, -2) if model.sided else None,
        controls=task.controls.names,
        control_units=task.controls.unit,
        control_effects=tuple(
            _parameter(float(z[n + k]), errors, n + k) for k in range(len(task.controls.names))
        ),
        uncontrolled=None if controlled is None else without,
        covariates=names,
        coefficients=coefficients(point, task.covariates.unit),
        raters=None if slope is None else task.comparisons.raters,
        slope=slope,
        slope_error=slope_error,
        prior=None if model.prior is None else model.prior * task.noise**0.5,
        noise=task.noise,
        mean=mean,
        prior_fitted=task.prior_fitted,
        log_likelihood=point.log_likelihood if controlled is None else controlled.log_likelihood,
        converged=top.converged and (controlled is None or controlled.converged),
        n_iter=top.n_iter + (0 if controlled is None else controlled.n_iter),
        gradient=float(np.abs(point.gradient).max()) if controlled is None else controlled.gradient,
        method=errors.method,
        point=point,
        graph=graph,
        notes=tuple(notes),
        provenance=fit_provenance(task.comparisons, task.played, graph, task.options.level),
    )


def _mean(
    task: Prepared, top: Climb[Point], rating: Floats, errors: Covariance, notes: Notes
) -> float:
    """Tell by how much the ratings, drawn in by the prior, lie above the average item."""
    model = top.point.model
    if model.prior is None:
        return 0.0
    wide = replace(model, prior=WIDER * model.prior)
    climbed = maximise(wide, top.point.z.copy(), tolerance=1e-3, max_iter=task.options.max_iter)
    wider = climbed.point.z[: len(rating)]
    mean = average_moves(rating, errors.errors[: len(rating)], wider - wider.mean())
    if abs(mean) > SKEWED * model.prior * task.noise**0.5:
        side = "above" if mean < 0 else "below"
        notes.caution(
            f"Some items lie far {side} the others, and the prior draws them in: take intervals as "
            "approximate, and those items as further out than they are shown."
        )
    return mean


def _controlled(task: Prepared, top: Climb[Point], block: Codes, notes: Notes) -> Controlled | None:
    """Fit again with controls, if there are any, and say if that failed."""
    if not task.controls.names or not (block >= 0).any():
        return None
    wanted, model = task.options, top.point.model
    controlled = climb_controls(
        top.point.z,
        model.ties,
        task.played,
        task.controls,
        block,
        sided=model.sided,
        tolerance=max(wanted.tolerance, 1e-10 * float(task.played.weights.sum())),
        max_iter=wanted.max_iter,
    )
    if not controlled.converged:
        notes.warning(
            f"The fit with {option('control')} has not converged: the largest derivative is "
            f"{controlled.gradient:.2g}. The differences may tell every answer; leave some out."
        )
    return controlled


def _parameter(value: float, errors: Covariance, index: int) -> Parameter:
    return Parameter(value, float(errors.errors[index]), float(errors.df[index]))


def _slopes(
    task: Prepared, top: Climb[Point], errors: Covariance
) -> tuple[Floats | None, Floats | None]:
    """Slopes of raters and their errors; nan for a rater without comparisons."""
    wins, rater = top.point.model.wins, task.played.rater
    if not wins.n_raters or rater is None:
        return None, None
    answered = np.bincount(rater, minlength=wins.n_raters) > 0
    slope, error = top.point.z[wins.n_items : -2], errors.errors[wins.n_items : -2]
    return np.where(answered, slope, np.nan), np.where(answered, error, np.nan)


def _tie(task: Prepared, cut: float, errors: Covariance) -> Parameter | None:
    """Lead the cut back to nu or theta, its standard error by the delta method."""
    ties = task.options.ties
    if not ties.has_cut:
        return None
    if not task.model.ties.has_cut:
        return Parameter(ties.without_ties, math.nan)
    return _parameter(cut, errors, -1).of(math.exp(cut), math.exp(cut))
