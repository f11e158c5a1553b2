"""Bradley-Terry ratings by maximum likelihood."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, some, unknown_name
from headcount.pairwise.bradley_terry.covariates import (
    Covariates,
    ItemNumbers,
    coefficients,
    read_covariates,
)
from headcount.pairwise.bradley_terry.errors import standard_errors
from headcount.pairwise.bradley_terry.existence import refuse_runaway
from headcount.pairwise.bradley_terry.model import TIES, Model, Ties, centred
from headcount.pairwise.bradley_terry.newton import Climb, maximise
from headcount.pairwise.bradley_terry.pair_wins import PairWins
from headcount.pairwise.bradley_terry.result import BradleyTerry, Parameter
from headcount.pairwise.graph import Graph, graph_sentences, win_graph
from headcount.typing import Floats

__all__ = ["BradleyTerry", "Parameter", "bradley_terry"]


PRIORS = (1e-6, 1e6)
"""Priors of ratings that can be computed with, in logits."""
SLOPES_PRIOR = 5.0
"""Prior of ratings, in logits, where raters have slopes and no prior was given."""


def bradley_terry(
    comparisons: Comparisons,
    *,
    ties: Ties = "half",
    position: bool = False,
    prior: float | None = None,
    covariates: ItemNumbers | None = None,
    reliability: bool = False,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iter: int = 100,
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

    Parameters
    ----------
    comparisons : Comparisons
        Weights count as repetitions.
    ties : {"half", "davidson", "rao-kupper"}
    position : bool
        Fit the advantage of the left side.
    prior : float, optional
        Standard deviation, in logits, of a normal prior of the ratings around 0: the
        log-likelihood is penalised by :math:`\sum \theta_i^2 / (2\,\text{prior}^2)`, and by the
        same of :math:`\delta`. It makes everything finite. Items of different components then
        compare as draws of one population, which is what the prior assumes and no answer says.
        Standard errors are those of the posterior around its mode.
    covariates : (items, p) array, or mapping of item to p numbers, optional
        What is known of the items; the numbers may have names, as in ``{"a": {"words": 12}}``.
        Ratings are then
        :math:`\theta_i = x_i^T \beta + u_i` with the prior on :math:`u_i`, and on what a standard
        deviation of each covariate adds. Needs `prior`: free ratings leave nothing to explain.
    reliability : bool
        Fit a slope of each rater: 0 for one who answers at random, negative for one who answers the
        wrong way round. Their mean over comparisons is 1, which sets the unit of the ratings; each
        has prior N(1, 0.5^2), since a rater whose few answers are all in order would run off to
        infinity. So would an item that only raters with slope 0 speak against; without `prior`,
        ratings therefore have one of 5 logits.
    start : (items,) array, optional
        Ratings to start from, such as those of an earlier fit.
    tolerance : float
        Largest absolute derivative of the log-likelihood at the end, in wins.
    max_iter : int
        Newton steps, at most.

    Returns
    -------
    BradleyTerry

    Notes
    -----
    Wins are added up by pair, and the maximum found by truncated Newton steps: conjugate gradients
    on the Hessian, with a line search. About 6 steps of O(pairs) each. Without slopes the
    log-likelihood is concave and the maximum is the only one; with them it is one near the ratings
    that trust all raters alike.

    Standard errors come from the inverse of the negative Hessian: exact for components of up to
    2,000 items (with slopes, items and raters), else approximated to within 1% or so where items
    have many opponents (see :func:`~headcount.pairwise.bradley_terry.errors.standard_errors`). With
    ties counted as halves they are a little too large, since a tie varies less than a coin does.

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
    >>> left, right = "aababcab", "bcccaaba"
    >>> outcome = ["left", "left", "left", "right", "left", "right", "left", "tie"]
    >>> fit = bradley_terry(Comparisons.from_columns(left, right, outcome))
    >>> fit
    Bradley-Terry ratings of 3 items
    >>> fit.items, fit.rating.round(3)
    (array(['a', 'b', 'c'], dtype=object), array([ 0.458,  0.239, -0.697]))
    >>> fit.probability("a", "c")
    0.7605 (0.238 to 0.97)
    """
    _check_options(comparisons, ties, prior, covariates, reliability, tolerance, max_iter)
    played = _with_weight(comparisons, ties)
    notes = list(comparisons.notes)
    if reliability and prior is None:
        prior = SLOPES_PRIOR
        notes.append(
            f"Raters' slopes need a prior of the ratings; theirs is normal with a standard "
            f"deviation of {prior:g} logits."
        )
    wins = PairWins.of(played, split=ties == "half", sided=position, by_rater=reliability)
    tie = wins.tie if len(wins.tie) else 0.0
    graph = win_graph(wins.n_items, wins.first, wins.second, wins.win + tie, wins.loss + tie)
    kept = graph.finite & graph.compared
    if prior is None:
        notes += graph_sentences(graph, comparisons.items)
        wins = wins.within(kept)
    else:
        notes += _prior_sentences(graph, comparisons, prior)
        kept[:] = True
    fitted_ties: Ties = ties
    if ties != "half" and not wins.tie.any():
        fitted_ties, wins = "half", replace(wins, tie=wins.tie[:0])
        among = "" if kept.all() else " among items with a finite rating"
        notes.append(f"There are no ties{among}, so ties='{ties}' makes no difference.")
    if prior is None and len(wins.first):
        refuse_runaway(wins, fitted_ties, sided=position, source=comparisons.source)
    known = read_covariates(covariates, comparisons)
    model = Model(wins, fitted_ties, position and bool(len(wins.first)), prior, known.x)
    climb = _climb(model, _ratings(start, comparisons), tolerance, max_iter)
    if not climb.converged:
        notes.append(
            f"The fit has not converged after {count(climb.n_iter, 'step')}: the largest "
            f"derivative is {np.abs(climb.point.gradient).max():.2g}, and {tolerance:g} was asked "
            "for. Allow more steps (max_iter) or a larger tolerance."
        )
    return _result(comparisons, played, ties, climb, graph, kept, known, notes)


def _climb(model: Model, rating: Floats | None, tolerance: float, max_iter: int) -> Climb:
    z, before = model.start(rating), 0
    if rating is not None and model.at(z).value < model.at(model.start()).value:
        z = model.start()  # a start that is worse than none
    if model.wins.n_raters:
        # With slopes there may be several maxima: the one near the ratings that trust all alike.
        alike = maximise(replace(model, slopes=False), z, tolerance=1e-3, max_iter=max_iter)
        z, before = alike.point.z, alike.n_iter
    climb = maximise(model, z, tolerance=tolerance, max_iter=max_iter)
    return climb._replace(n_iter=before + climb.n_iter)


def _result(
    comparisons: Comparisons,
    played: Comparisons,
    ties: Ties,
    climb: Climb,
    graph: Graph,
    kept: NDArray[np.bool_],
    known: Covariates,
    notes: list[str],
) -> BradleyTerry:
    point, model = climb.point, climb.point.model
    n = model.wins.n_items
    together = model.prior is not None and (len(known.names) > 0 or model.wins.n_raters > 0)
    block = np.where(kept, 0 if together else graph.component, -1)
    errors = standard_errors(point, block)
    # With a prior the mean is 0 at the mode, but its derivative may be too small to get there.
    rating = centred(point.z[:n], np.where(kept, 0 if known.names else graph.component, -1))
    rating[~kept] = np.array([np.nan, np.inf, -np.inf])[graph.direction[~kept]]
    slope = slope_error = None
    if model.wins.n_raters and played.rater is not None:
        asked = np.bincount(played.rater, minlength=model.wins.n_raters) > 0
        slope = np.where(asked, point.z[n:-2], np.nan)
        slope_error = np.where(asked, errors.values[n:-2], np.nan)
    return BradleyTerry(
        items=comparisons.items,
        rating=rating,
        standard_error=errors.values[:n],
        component=graph.component,
        ties=ties,
        tie=_tie(ties, model, float(point.z[-1]), float(errors.values[-1])),
        position=Parameter(float(point.z[-2]), float(errors.values[-2])) if model.sided else None,
        covariates=known.names,
        coefficients=coefficients(point, known.unit),
        raters=comparisons.raters if model.wins.n_raters else None,
        slope=slope,
        slope_error=slope_error,
        prior=model.prior,
        log_likelihood=point.log_likelihood,
        converged=climb.converged,
        n_iter=climb.n_iter,
        gradient=float(np.abs(point.gradient).max()),
        method=errors.method,
        notes=tuple(notes),
        point=point,
    )


def _tie(ties: str, model: Model, cut: float, error: float) -> Parameter | None:
    """Lead the cut back to nu or theta, its standard error by the delta method."""
    if ties == "half":
        return None
    if not model.by_cut:
        return Parameter(0.0 if ties == "davidson" else 1.0, math.nan)
    return Parameter(math.exp(cut), math.exp(cut) * error)


def _prior_sentences(graph: Graph, comparisons: Comparisons, prior: float) -> list[str]:
    notes: list[str] = []
    never = comparisons.items[~graph.compared].tolist()
    if graph.n_components - len(never) > 1:
        notes.append(
            f"The items fall into {graph.n_components - len(never):,} groups with no comparison "
            "between them; across groups ratings compare only as far as the prior is right that "
            "all groups have the same mean."
        )
    if never:
        notes.append(
            f"{count(len(never), 'item')} never compared; the rating is that of the prior: "
            f"{some(never)}."
        )
    held = int((~graph.finite).sum())
    if held:
        notes.append(
            f"{count(held, 'rating')} would have no bound, or not be determined, but for the prior "
            f"(its standard deviation in logits: {prior:g})."
        )
    return notes


def _with_weight(comparisons: Comparisons, ties: str) -> Comparisons:
    """Comparisons that count, after a look at their outcomes."""
    played = comparisons
    if comparisons.weight is not None and not comparisons.weight.all():
        played = comparisons.select(comparisons.weight > 0)
    if not len(played):
        raise DataError(f"{comparisons.source}: every comparison has weight 0, so none counts.")
    if ties == "half":
        return played
    between = ~np.isin(played.outcome, (0.0, 0.5, 1.0))
    if between.any():
        raise DataError(
            f"{comparisons.source}: outcome {played.outcome[between][0]:g} is neither a win nor a "
            f"tie ({count(int(between.sum()), 'comparison')} like it), but ties='{ties}' knows "
            "nothing else. Use ties='half' (--ties half)."
        )
    if (played.outcome == 0.5).all():
        raise DataError(
            f"{comparisons.source}: every comparison is a tie, which ties='{ties}' cannot rate. "
            "Use ties='half' (--ties half)."
        )
    return played


def _ratings(start: ArrayLike | None, comparisons: Comparisons) -> Floats | None:
    if start is None:
        return None
    rating = np.asarray(start, dtype=np.float64)
    if rating.shape != comparisons.items.shape:
        raise OptionError(
            f"start has {rating.size:,} ratings, but there are "
            f"{count(len(comparisons.items), 'item')} in {comparisons.source}. Give one for each "
            "of comparisons.items."
        )
    return rating


def _check_options(
    comparisons: Comparisons,
    ties: str,
    prior: float | None,
    covariates: object,
    reliability: bool,
    tolerance: float,
    max_iter: int,
) -> None:
    if ties not in TIES:
        raise unknown_name("ties", ties, TIES)
    if prior is not None and not PRIORS[0] <= prior <= PRIORS[1]:
        raise OptionError(
            f"prior (--prior) must be a standard deviation above 0, in logits, such as 1 or 2, not "
            f"{prior:g}."
        )
    if covariates is not None and prior is None:
        raise OptionError(
            "covariates need a prior (--prior): by how many logits the rating of an item may "
            "differ from what its covariates say of it, such as 1. Without, ratings are free and "
            "leave nothing to explain."
        )
    if reliability and comparisons.rater is None:
        raise DataError(
            f"{comparisons.source}: reliability needs to know who answered, and there is no rater "
            "column."
        )
    if not tolerance > 0:
        raise OptionError(f"tolerance must be a number above 0, not {tolerance:g}.")
    if max_iter < 1:
        raise OptionError(f"max_iter must be a whole number from 1 on, not {max_iter}.")
