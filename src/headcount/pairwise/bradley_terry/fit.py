"""From what was prepared to the maximum, and from the maximum to what is reported."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from headcount.errors import count, option
from headcount.pairwise.bradley_terry.average_item import WIDER, average_moves
from headcount.pairwise.bradley_terry.controls import Controlled, climb_controls
from headcount.pairwise.bradley_terry.likelihood.covariates import coefficients
from headcount.pairwise.bradley_terry.likelihood.model import Point, centred
from headcount.pairwise.bradley_terry.likelihood.newton import Climb, maximise
from headcount.pairwise.bradley_terry.prepare import Prepared
from headcount.pairwise.bradley_terry.records import BradleyTerryProvenance
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.bradley_terry.standard_errors.covariance import Covariance
from headcount.pairwise.bradley_terry.standard_errors.kinds import ROBUST
from headcount.pairwise.bradley_terry.standard_errors.parameter import Parameter
from headcount.pairwise.bradley_terry.standard_errors.robust import (
    Factor,
    Fitted,
    by_hessian,
    robust,
    scaled_by,
)
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["climb", "summarise"]

SKEWED = 0.1
"""Move of the average, in standard deviations of the prior, from which ratings are skewed."""


def climb(task: Prepared, notes: Notes) -> Climb[Point]:
    """Maximise the log-likelihood, and say if that failed."""
    model, rating, asked = task.model, task.start, task.options
    z, before = model.start(rating), 0
    if rating is not None and model.at(z).value < model.at(model.start()).value:
        z = model.start()  # a start that is worse than none
    if model.wins.n_raters:
        # With slopes there may be several maxima: the one near the ratings that trust all alike.
        alike = maximise(replace(model, slopes=False), z, tolerance=1e-3, max_iter=asked.max_iter)
        z, before = alike.point.z, alike.n_iter
    top = maximise(model, z, tolerance=asked.tolerance, max_iter=asked.max_iter)
    top = top._replace(n_iter=before + top.n_iter)
    if not top.converged:
        notes.warning(
            f"The fit has not converged after {count(top.n_iter, 'step')}: the largest derivative "
            f"is {np.abs(top.point.gradient).max():.2g}, and {asked.tolerance:g} was asked for. "
            f"Allow more steps ({option('max_iter', 10 * asked.max_iter)}) or a larger "
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
        provenance=_provenance(task),
    )


def _mean(
    task: Prepared, top: Climb[Point], rating: Floats, errors: Covariance, notes: Notes
) -> float:
    """Tell by how much the ratings, drawn in by the prior, lie above the average item."""
    model = top.point.model
    if model.prior is None:
        return 0.0
    wide = replace(model, prior=WIDER * model.prior)
    found = maximise(wide, top.point.z.copy(), tolerance=1e-3, max_iter=task.options.max_iter)
    wider = found.point.z[: len(rating)]
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
    asked, model = task.options, top.point.model
    found = climb_controls(
        top.point.z,
        model.ties,
        task.played,
        task.controls,
        block,
        sided=model.sided,
        tolerance=max(asked.tolerance, 1e-10 * float(task.played.weights.sum())),
        max_iter=asked.max_iter,
    )
    if not found.converged:
        notes.warning(
            f"The fit with {option('control')} has not converged: the largest derivative is "
            f"{found.gradient:.2g}. The differences may tell every answer; leave some out."
        )
    return found


def _parameter(value: float, errors: Covariance, place: int) -> Parameter:
    return Parameter(value, float(errors.errors[place]), float(errors.df[place]))


def _slopes(
    task: Prepared, top: Climb[Point], errors: Covariance
) -> tuple[Floats | None, Floats | None]:
    """Slopes of raters and their errors; nan for a rater without comparisons."""
    wins, rater = top.point.model.wins, task.played.rater
    if not wins.n_raters or rater is None:
        return None, None
    asked = np.bincount(rater, minlength=wins.n_raters) > 0
    slope, error = top.point.z[wins.n_items : -2], errors.errors[wins.n_items : -2]
    return np.where(asked, slope, np.nan), np.where(asked, error, np.nan)


def _tie(task: Prepared, cut: float, errors: Covariance) -> Parameter | None:
    """Lead the cut back to nu or theta, its standard error by the delta method."""
    ties = task.options.ties
    if not ties.has_cut:
        return None
    if not task.model.ties.has_cut:
        return Parameter(ties.without_ties, math.nan)
    return _parameter(cut, errors, -1).of(math.exp(cut), math.exp(cut))


def _provenance(task: Prepared) -> BradleyTerryProvenance:
    played, compared = task.played, int(task.graph.compared.sum())
    return BradleyTerryProvenance(
        source=task.comparisons.source,
        sources=task.comparisons.sources,
        dropped=task.comparisons.dropped,
        items_used=compared,
        items_dropped=len(task.comparisons.items) - compared,
        n_ratings=len(played),
        n_comparisons=len(played),
        n_raters=None if played.rater is None else len(np.unique(played.rater[played.rater >= 0])),
        level=task.options.level,
        backend=task.comparisons.backend,
    )
