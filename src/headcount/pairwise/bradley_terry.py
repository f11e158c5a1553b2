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
    FitOptions,
    check_control,
    choose_controls,
    climb_controls,
    control_columns,
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
    AUTO_PRIOR,
    MANY_ITEMS,
    WIDER,
    average_moves,
    check_prior,
    fit_prior,
    given_prior,
    needs_prior,
    tell_of_prior,
    what_compares,
)
from headcount.pairwise.sandwich import AUTO_CLUSTERS, Clusters, choose_clusters, cluster_columns
from headcount.pairwise.standard_errors import (
    ERRORS,
    ROBUST,
    Controlled,
    Covariance,
    Fitted,
    Parameter,
    by_hessian,
    robust,
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
              \eta = \theta_l - \theta_r + \delta

    with ratings :math:`\theta` and the advantage :math:`\delta` of the left side (0 unless
    `position`). Ties count as half a win for
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
        that where a rating would have no bound, and none elsewhere. The log-likelihood is
        penalised by :math:`\sum \theta_i^2 / (2\,\text{prior}^2)`, and by the same of
        :math:`\delta`. It makes everything finite. Items of different components then compare as
        draws of one population, which is what the prior assumes and no answer says; "auto" leaves
        up to three of them apart. Standard errors are those of the posterior around its mode.
    errors : {"robust", "hessian"}
        Standard errors by how much the answers vary, whatever the model says; or as the model says.
        With a prior they are the posterior's, wider where answers of a cluster hang together.
    cluster : str or sequence of str
        What comparisons hang together by, for robust errors: "rater", or columns that were kept
        when they were read, two at most; "none" for comparisons that are independent of each other.
        "auto" is "rater" where raters are known.
    control : str or sequence of str, optional
        Two columns of numbers each, of the left and of the right item, such as "len_a:len_b", that
        were kept when comparisons were read. Log odds then also go by their difference, in its
        standard deviations, and ratings are those of items that do not differ in it (see
        :mod:`~headcount.pairwise.fit_options`). Up to 2,000 items, without `prior`.
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
    on the Hessian, with a line search. About 6 steps of O(pairs) each. The log-likelihood is
    concave and the maximum is the only one.

    Robust standard errors are HC3, or CR3 with Student's t where comparisons hang together in
    clusters (:mod:`~headcount.pairwise.sandwich`): the right ones
    where ties count as halves, where weights are no repetitions, and where answers of a rater or
    on a prompt are alike. Above 2,000 items they are those of the Hessian, times one factor for how
    much answers vary. Those of the Hessian are exact for components of up to 2,000
    items, else approximated to within 1% or so where items have many opponents
    (:mod:`~headcount.pairwise.standard_errors`).

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
    check_control(control, prior=prior)
    wanted = FitOptions(
        ties=tie_model(ties),
        position=options.switch(position, "position"),
        prior=prior,
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
        reduced=not control_columns(wanted.control),
    )
    return comparisons, Notes(comparisons.notes)


def prepare(comparisons: Comparisons, wanted: FitOptions, notes: Notes) -> Prepared:
    """Add comparisons up, and see which ratings can be finite."""
    played = that_count(comparisons, wanted)
    prior = given_prior(wanted.prior)
    wins = PairWins.of(played, split=not wanted.ties.has_cut, sided=wanted.position)
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
        apart = bool(what_compares(wanted.prior, graph).any())
        tell_of_prior(graph, comparisons, prior * noise**0.5, notes, fitted=fitted, apart=apart)
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
    sided = wanted.position and bool(len(wins.first))
    return Prepared(
        comparisons=comparisons,
        played=played,
        options=wanted,
        model=Model(wins, ties=ties, sided=sided, prior=prior),
        graph=graph,
        kept=kept,
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
    z = model.start(rating)
    if rating is not None and model.at(z).value < model.at(model.start()).value:
        z = model.start()  # a start that is worse than none
    top = maximise(model, z, tolerance=wanted.tolerance, max_iter=wanted.max_iter)
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
    n = model.wins.n_items
    block = np.where(kept, graph.component, -1)
    controlled = _controlled(task, top, block, notes)
    fitted = Fitted(
        point=point,
        played=task.played,
        block=block,
        clusters=task.clusters,
        controlled=controlled,
        noise=task.noise,
    )
    z = point.z if controlled is None else controlled.z
    errors = robust(fitted, notes) if task.options.errors == ROBUST else by_hessian(fitted)
    # With a prior the mean is 0 at the mode, but its derivative may be too small to get there.
    rating, without = centred(z[:n], block), centred(point.z[:n], block)
    rating[~kept] = without[~kept] = np.array([np.nan, np.inf, -np.inf])[graph.direction[~kept]]
    mean = _mean(task, top, rating, errors, notes) if task.prior_fitted else 0.0
    rating += mean
    return BradleyTerry(
        items=task.comparisons.items,
        rating=rating,
        standard_error=errors.errors[:n],
        covariance=errors,
        component=graph.component,
        compares=what_compares(task.options.prior, graph),
        tie_model=task.options.ties,
        tie=_tie(task, float(z[-1]), errors),
        position=_parameter(float(z[-2]), errors, -2) if model.sided else None,
        controls=task.controls.names,
        control_units=task.controls.unit,
        control_effects=tuple(
            _parameter(float(z[n + k]), errors, n + k) for k in range(len(task.controls.names))
        ),
        uncontrolled=None if controlled is None else without,
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
    loose = task.graph.compared & ~task.graph.finite
    if (
        model.prior is None
        or np.sum(loose) < MANY_ITEMS
        or what_compares(AUTO_PRIOR, task.graph).any()
    ):
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


def _tie(task: Prepared, cut: float, errors: Covariance) -> Parameter | None:
    """Lead the cut back to nu or theta, its standard error by the delta method."""
    ties = task.options.ties
    if not ties.has_cut:
        return None
    if not task.model.ties.has_cut:
        return Parameter(ties.without_ties, math.nan)
    return _parameter(cut, errors, -1).of(math.exp(cut), math.exp(cut))
