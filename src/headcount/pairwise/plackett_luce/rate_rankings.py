"""Ratings of items from rankings, by maximum likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError, count, option
from headcount.pairwise.answers.graph import Graph, components, graph_sentences
from headcount.pairwise.bradley_terry.fitted_prior import SPREAD_TOLERANCE
from headcount.pairwise.bradley_terry.likelihood.model import centred
from headcount.pairwise.bradley_terry.likelihood.newton import Climb, maximise
from headcount.pairwise.bradley_terry.prepare import (
    FitOptions,
    start_of,
    tell_of_prior,
    that_count,
)
from headcount.pairwise.bradley_terry.priors import given_prior, needs_prior, spread_of
from headcount.pairwise.bradley_terry.records import BradleyTerryProvenance
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.bradley_terry.standard_errors.clusters import choose_clusters
from headcount.pairwise.bradley_terry.standard_errors.kinds import ROBUST
from headcount.pairwise.plackett_luce.errors import ranking_errors
from headcount.pairwise.plackett_luce.model import RankingModel, RankingPoint
from headcount.pairwise.plackett_luce.stages import Stages
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags

__all__ = ["rate_rankings"]

TITLE = "Plackett-Luce"


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked:
    """Rankings to rate items by, what was asked, and what can be rated."""

    comparisons: Comparisons
    played: Comparisons
    options: FitOptions
    graph: Graph
    kept: Flags
    prior: float | None
    prior_fitted: bool


def rate_rankings(comparisons: Comparisons, asked: FitOptions, notes: Notes) -> BradleyTerry:
    """Rate items so that the rankings are as likely as they can be.

    Finite ratings exist where those of the pairs that rankings order do (Hunter 2004). Errors are
    robust with each ranking for itself, or with what they hang together by.

    Parameters
    ----------
    comparisons : Comparisons
        Pairs of rankings.
    asked : FitOptions
        Those that mean something to rankings; others are refused.
    notes : Notes

    Notes
    -----
    O(k^2) for each ranking of k items and step, of which there are about 6.

    References
    ----------
    Plackett (1975), The analysis of permutations, JRSS C 24(2). Luce (1959), Individual choice
    behavior. Hunter (2004), MM algorithms for generalized Bradley-Terry models, Annals of
    Statistics 32. Efron (1977), The efficiency of Cox's likelihood function for censored data, JASA
    72. Marley and Louviere (2005), Some probabilistic models of best, worst, and best-worst
    choices, Journal of Mathematical Psychology 49.
    """
    _refuse(asked)
    played = that_count(comparisons, asked)
    graph = components(played)
    kept = graph.finite & graph.compared
    prior, fitted = given_prior(asked.prior), needs_prior(asked.prior, graph)
    if fitted:
        prior = _fitted_prior(played, asked)
    if prior is None:
        notes.extend(graph_sentences(graph, comparisons.items))
    else:
        tell_of_prior(graph, comparisons, prior, notes, fitted=fitted)
        kept[:] = True
    task = Ranked(
        comparisons=comparisons, played=played, options=asked, graph=graph, kept=kept,
        prior=prior, prior_fitted=fitted,
    )  # fmt: skip
    if not kept.any():
        return _result(task, None, notes)
    model = RankingModel(Stages.of(played, kept), prior=prior)
    start = start_of(asked.start, comparisons)
    z = np.zeros(len(kept)) if start is None else np.where(np.isfinite(start), start, 0.0)
    top = maximise(model, z, tolerance=asked.tolerance, max_iter=asked.max_iter)
    if not top.converged:
        notes.warning(
            f"The fit has not converged after {count(top.n_iter, 'step')}: the largest derivative "
            f"is {np.abs(top.point.gradient).max():.2g}. Allow more steps "
            f"({option('max_iter', 10 * asked.max_iter)})."
        )
    return _result(task, top, notes)


def _refuse(asked: FitOptions) -> None:
    """Refuse options that mean nothing to rankings."""
    given = {
        "position": asked.position,
        "covariates": asked.covariates is not None,
        "reliability": asked.reliability,
        "control": asked.control is not None,
        "ties": asked.ties.has_cut,
    }
    for name, said in given.items():
        if said:
            raise OptionError(f"Rankings have no {option(name)}; leave it out.")


def _fitted_prior(played: Comparisons, asked: FitOptions) -> float:
    """Fit the spread of the prior of ratings."""
    stages = Stages.of(played, np.ones(len(played.items), dtype=bool))
    last = [np.zeros(len(played.items))]

    def climb(spread: float) -> tuple[RankingPoint, Any]:
        model = RankingModel(stages, prior=spread)
        top = maximise(model, last[-1], tolerance=SPREAD_TOLERANCE, max_iter=asked.max_iter)
        last.append(top.point.z)
        return top.point, top.point.sparse_hessian()

    return spread_of(climb)


def _result(task: Ranked, top: Climb[RankingPoint] | None, notes: Notes) -> BradleyTerry:
    """Write down the ratings with their errors."""
    comparisons, played, asked = task.comparisons, task.played, task.options
    graph, kept = task.graph, task.kept
    n = len(kept)
    rating = np.array([np.nan, np.inf, -np.inf])[graph.direction]
    error, covariance = np.full(n, np.nan), None
    if top is not None:
        block: Codes = np.where(kept, 0 if task.prior is not None else graph.component, -1)
        rating[kept] = centred(top.point.z, block)[kept]
        covariance = ranking_errors(
            top.point,
            block,
            choose_clusters(asked.cluster, played),
            robust=asked.errors == ROBUST,
            notes=notes,
        )
        error = covariance.errors
    compared = int(graph.compared.sum())
    rater = played.rater
    return BradleyTerry(
        items=comparisons.items,
        rating=rating,
        standard_error=error,
        component=graph.component,
        tie_model=asked.ties,
        tie=None,
        position=None,
        covariates=(),
        coefficients=(),
        controls=(),
        control_units=np.zeros(0),
        control_effects=(),
        uncontrolled=None,
        raters=None,
        slope=None,
        slope_error=None,
        prior=task.prior,
        prior_fitted=task.prior_fitted,
        log_likelihood=math.nan if top is None else top.point.log_likelihood,
        converged=top is None or top.converged,
        n_iter=0 if top is None else top.n_iter,
        gradient=0.0 if top is None else float(np.abs(top.point.gradient).max()),
        method="none" if covariance is None else covariance.method,
        covariance=covariance,
        point=None,
        graph=graph,
        title=TITLE,
        notes=tuple(notes),
        provenance=BradleyTerryProvenance(
            source=comparisons.source,
            sources=comparisons.sources,
            dropped=comparisons.dropped,
            items_used=compared,
            items_dropped=n - compared,
            n_ratings=len(played),
            n_comparisons=len(played),
            n_rankings=played.n_rankings,
            n_raters=None if rater is None else len(np.unique(rater[rater >= 0])),
            level=asked.level,
            backend=comparisons.backend,
        ),
    )
