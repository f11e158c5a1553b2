"""Bradley-Terry ratings by maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.engine.taking import take_comparisons
from headcount.errors import OptionError, option
from headcount.pairwise.answers import Graph, graph_sentences, win_graph
from headcount.pairwise.fit import (
    BradleyTerry,
    check_control,
    choose_controls,
    climb_controls,
    control_columns,
    tell_of_climb,
    that_count,
)
from headcount.pairwise.likelihood import (
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
from headcount.pairwise.sandwich import AUTO_CLUSTERS, choose_clusters, cluster_columns
from headcount.pairwise.standard_errors import (
    ERRORS,
    ROBUST,
    Covariance,
    Fitted,
    Parameter,
    by_hessian,
    robust,
)
from headcount.pairwise.ties import HALF, TieModel, tie_model
from headcount.results.notes import Notes
from headcount.typing import Floats

__all__ = [
    "bradley_terry",
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
        With a prior they are the posterior's, wider where answers of a cluster are correlated.
    cluster : str or sequence of str
        What comparisons are clustered by, for robust errors: "rater", or columns that were kept
        when they were read, two at most; "none" for comparisons that are independent of each other.
        "auto" is "rater" where raters are known.
    control : str or sequence of str, optional
        Two columns of numbers each, of the left and of the right item, such as "len_a:len_b", that
        were kept when comparisons were read. Log odds then also go by their difference, in its
        standard deviations, and ratings are those of items that do not differ in it (see
        :mod:`~headcount.pairwise.fit`). Up to 2,000 items, without `prior`.
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

    Robust standard errors are HC3, or CR3 with Student's t where comparisons are correlated in
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
    >>> fit.rating.round(3), fit.standard_error.round(3)
    (array([ 0.458,  0.239, -0.697]), array([0.734, 0.74 , 1.06 ]))
    >>> fit.probability("a", "c")
    0.7605 (0.108 to 0.9881)
    """
    ties, prior = tie_model(ties), check_prior(prior)
    check_control(control, prior=prior)
    position = options.switch(position, "position")
    errors = options.one_of(errors, "errors", ERRORS)
    tolerance = options.number(tolerance, "tolerance", above=0)
    max_iter = options.whole(max_iter, "max_iter", least=1)
    level = options.level(level)
    data = take_comparisons(
        comparisons,
        clusters=cluster_columns(cluster),
        controls=control_columns(control),
        reduced=not control_columns(control),
    )
    notes = Notes(data.notes)
    if data.ranking is not None:
        for name, given in {"position": position, "control": control, "ties": ties.has_cut}.items():
            if given:
                raise OptionError(f"Rankings have no {option(name)}; leave it out.")
        return rate_rankings(
            data,
            prior=prior,
            errors=errors,
            cluster=cluster,
            tolerance=tolerance,
            max_iter=max_iter,
            level=level,
            notes=notes,
        )
    played = that_count(data, ties, errors)
    model, graph, noise = _model(data, played, ties, position, prior, control, max_iter, notes)
    fitted = model.prior is not None and given_prior(prior) is None
    kept = np.full(len(data.items), True) if model.prior else graph.finite & graph.compared
    clusters = choose_clusters(cluster, played)
    controls = choose_controls(control, played, len(data.items))
    top = maximise(model, model.start(), tolerance=tolerance, max_iter=max_iter)
    point, n = top.point, model.wins.n_items
    tell_of_climb(top, tolerance, max_iter, notes)
    block = np.where(kept, graph.component, -1)
    controlled = None
    if controls.names and kept.any():
        controlled = climb_controls(
            point.z,
            model.ties,
            played,
            controls,
            block,
            sided=model.sided,
            tolerance=max(tolerance, 1e-10 * float(played.weights.sum())),
            max_iter=max_iter,
        )
        if not controlled.converged:
            notes.warning(
                f"The fit with {option('control')} has not converged: the largest derivative is "
                f"{controlled.gradient:.2g}. The differences may tell every answer; leave some out."
            )
    at = Fitted(
        point=point,
        played=played,
        block=block,
        clusters=clusters,
        controlled=controlled,
        noise=noise,
    )
    covariance = robust(at, notes) if errors == ROBUST else by_hessian(at)
    reached = point if controlled is None else controlled
    z, gradient = reached.z, float(np.abs(reached.gradient).max())
    # With a prior the mean is 0 at the mode, but its derivative may be too small to get there.
    rating = centred(z[:n], block)
    rating[~kept] = np.array([np.nan, np.inf, -np.inf])[graph.direction[~kept]]
    mean = _mean(point, graph, noise, rating, covariance, max_iter, notes) if fitted else 0.0
    return BradleyTerry(
        items=data.items,
        rating=rating + mean,
        standard_error=covariance.errors[:n],
        covariance=covariance,
        component=graph.component,
        compares=what_compares(prior, graph),
        tie_model=ties,
        tie=_tie(ties, model.ties, float(z[-1]), covariance),
        position=_parameter(float(z[-2]), covariance, -2) if model.sided else None,
        controls=controls.names,
        control_units=controls.unit,
        control_effects=tuple(
            _parameter(float(z[n + k]), covariance, n + k) for k in range(len(controls.names))
        ),
        prior=None if model.prior is None else model.prior * noise**0.5,
        noise=noise,
        mean=mean,
        prior_fitted=fitted,
        log_likelihood=reached.log_likelihood,
        converged=top.converged and (controlled is None or controlled.converged),
        n_iter=top.n_iter + (0 if controlled is None else controlled.n_iter),
        gradient=gradient,
        method=covariance.method,
        point=point,
        graph=graph,
        level=level,
        notes=tuple(notes),
    )


# What is fitted: comparisons added up by pair.


def _model(
    data: Comparisons,
    played: Comparisons,
    ties: TieModel,
    position: bool,
    prior: float | str | None,
    control: str | Sequence[str] | None,
    max_iter: int,
    notes: Notes,
) -> tuple[Model, Graph, float]:
    """Add comparisons up, see which ratings can be finite, and fit a prior where it takes one."""
    width, noise = given_prior(prior), 1.0
    wins = PairWins.of(played, split=not ties.has_cut, sided=position)
    tie = wins.tie if len(wins.tie) else 0.0
    graph = win_graph(wins.n_items, wins.first, wins.second, wins.win + tie, wins.loss + tie)
    kept = graph.finite & graph.compared
    fitted = width is None and not control_columns(control) and needs_prior(prior, graph)
    if fitted:
        of_prior = fit_prior(wins, played, ties, sided=position, max_iter=max_iter)
        width, noise = of_prior.penalty, of_prior.noise
    if width is None:
        notes.extend(graph_sentences(graph, data.items))
        wins = wins.within(kept)
    else:
        apart = bool(what_compares(prior, graph).any())
        tell_of_prior(graph, data, width * noise**0.5, notes, fitted=fitted, apart=apart)
        kept[:] = True
    if ties.has_cut and not wins.tie.any():
        among = "" if kept.all() else " among items with a finite rating"
        notes.info(f"There are no ties{among}, so {option('ties', ties.name)} makes no difference.")
        ties, wins = HALF, replace(wins, tie=wins.tie[:0])
    if width is None and len(wins.first):
        refuse_runaway(wins, ties, sided=position, source=data.source)
    sided = position and bool(len(wins.first))
    return Model(wins, ties=ties, sided=sided, prior=width), graph, noise


SKEWED = 0.1
"""Move of the average, in standard deviations of the prior, from which ratings are skewed."""


def _mean(
    point: Point,
    graph: Graph,
    noise: float,
    rating: Floats,
    covariance: Covariance,
    max_iter: int,
    notes: Notes,
) -> float:
    """Tell by how much the ratings, drawn in by the prior, lie above the average item."""
    model, errors = point.model, covariance.errors[: len(rating)]
    loose = graph.compared & ~graph.finite
    if model.prior is None or np.sum(loose) < MANY_ITEMS or what_compares(AUTO_PRIOR, graph).any():
        return 0.0
    wide = replace(model, prior=WIDER * model.prior)
    climbed = maximise(wide, point.z.copy(), tolerance=1e-3, max_iter=max_iter)
    wider = climbed.point.z[: len(rating)]
    mean = average_moves(rating, errors, wider - wider.mean())
    if abs(mean) > SKEWED * model.prior * noise**0.5:
        side = "above" if mean < 0 else "below"
        notes.caution(
            f"Some items lie far {side} the others, and the prior draws them in: take intervals as "
            "approximate, and those items as further out than they are shown."
        )
    return mean


def _parameter(value: float, covariance: Covariance, index: int) -> Parameter:
    return Parameter(value, float(covariance.errors[index]), float(covariance.df[index]))


def _tie(ties: TieModel, fitted: TieModel, cut: float, covariance: Covariance) -> Parameter | None:
    """Lead the cut back to nu or theta, its standard error by the delta method."""
    if not ties.has_cut:
        return None
    if not fitted.has_cut:
        return Parameter(ties.without_ties, math.nan)
    return _parameter(cut, covariance, -1).of(math.exp(cut), math.exp(cut))
