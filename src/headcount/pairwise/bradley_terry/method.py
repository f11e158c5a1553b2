"""Bradley-Terry as a way to rate items."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.answers.graph import components
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.bradley_terry.standard_errors.normal_draws import DENSE, normal_draws
from headcount.pairwise.bradley_terry.standard_errors.parameter import Parameter
from headcount.pairwise.bradley_terry.standard_errors.refits import refit
from headcount.pairwise.ids import plain_id
from headcount.pairwise.rating.rating_method import Rated, RatingMethod, Settings
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.ranks import Spread, ranks
from headcount.typing import Floats, Progress

__all__ = ["BRADLEY_TERRY", "BradleyTerryMethod"]

MOVES = 5
"""Items that moved most with controls, to tell of."""


class BradleyTerryMethod(RatingMethod):
    """Maximum likelihood; intervals from the Hessian, or from a bootstrap."""

    name = "bradley-terry"
    title = "Bradley-Terry"
    takes = frozenset(
        {"ties", "position", "prior", "covariates", "reliability", "errors", "cluster", "control"}
    )
    has_normal_draws = True
    takes_added_up = True

    @property
    def refuses(self) -> str:
        """Begin a sentence on an option that the method does not take."""
        return "Bradley-Terry ratings have no"

    def fit(
        self,
        comparisons: Comparisons,
        settings: Settings,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> Rated:
        """Fit the model, and draw ratings by a bootstrap or, without one, from the Hessian."""
        fit = bradley_terry(
            comparisons,
            ties=settings.ties,
            position=settings.position,
            prior=settings.prior,
            covariates=settings.covariates,
            reliability=settings.reliability,
            errors=settings.errors,
            cluster=settings.cluster,
            control=settings.control,
            level=settings.level,
        )
        notes = Notes(fit.notes)
        spread, draw = None if settings.bootstrap else _spread(fit), None
        if settings.bootstrap:
            refits = refit(
                comparisons,
                fit,
                draws=settings.bootstrap,
                by=settings.by,
                rng=rng,
                progress=progress,
            )
            draws = refits.ratings
            notes.extend(refits.notes)
        elif spread is None:
            refits, draws = None, normal_draws(fit, rng=rng)
        else:
            refits, draws, draw = None, None, partial(normal_draws, fit, rng=rng)
        return Rated(
            method=self,
            settings=settings,
            rating=fit.rating,
            standard_error=fit.standard_error,
            component=fit.component if fit.prior is None else np.zeros_like(fit.component),
            draws=draws,
            normal=not settings.bootstrap,
            graph=components(comparisons) if fit.graph is None else fit.graph,
            converged=fit.converged,
            notes=tuple(notes),
            model=fit,
            refits=refits,
            spread=spread,
            draw=draw,
            mean=fit.mean,
        )

    def details(self, rated: Rated) -> dict[str, Any]:
        """Return steps, likelihood, and what else was fitted."""
        fit, refits = rated.model, rated.refits
        unit, level = rated.settings.scale.per_logit, rated.settings.level
        return {
            "iterations": fit.n_iter,
            "gradient": fit.gradient,
            "log_likelihood": fit.log_likelihood,
            "prior": fit.prior,
            "prior_fitted": fit.prior_fitted,
            "position": _shown(fit.position, refits and refits.position, unit, level),
            "tie": _shown(fit.tie, refits and refits.tie, 1.0, level),
            "coefficients": [
                {"covariate": name} | (_shown(p, None, unit, level) or {})
                for name, p in zip(fit.covariates, fit.coefficients, strict=True)
            ],
            "controls": [
                {"control": name, **(_shown(p, None, unit, level) or {}), "unit": size}
                for name, p, size in zip(
                    fit.controls, fit.control_effects, fit.control_units.tolist(), strict=True
                )
            ],
            "moves": _moves(fit),
            "standard_errors": fit.method,
        }

    def probability(self, rated: Rated, items: tuple[object, object], i: int, j: int) -> Estimate:
        """Estimate it as the fit does; with a bootstrap, the interval is that of its draws."""
        level = rated.settings.level
        fitted: Estimate = rated.model.probability(*items, level=level)
        if rated.normal or rated.draws is None or fitted.low is None:
            return fitted
        drawn = np.array([rated.model.of_gap(gap) for gap in rated.gaps(i, j).tolist()])
        return Estimate.from_draws(fitted.value, drawn, level=level)


BRADLEY_TERRY = BradleyTerryMethod()


def _moves(fit: BradleyTerry) -> list[dict[str, Any]] | None:
    """Items that controls moved most, by rank without them and with; None without controls."""
    if fit.uncontrolled is None:
        return None
    before = ranks(fit.uncontrolled, component=fit.component)
    after = ranks(fit.rating, component=fit.component)
    moved = np.where(np.isnan(after), 0.0, np.abs(after - before))
    names: list[Any] = fit.items.tolist()
    return [
        {"item": plain_id(names[i]), "before": int(before[i]), "after": int(after[i])}
        for i in np.argsort(-moved, kind="stable")[:MOVES].tolist()
        if moved[i]
    ]


def _spread(fit: BradleyTerry) -> Spread | None:
    """How far ratings may be off together, where the covariance was written down."""
    n, found = len(fit.items), fit.covariance
    if found is None or (found.matrix is None and n <= DENSE):
        return None  # the draws know more than the standard errors
    return Spread(
        variance=found.variance[:n],
        covariance=None if found.matrix is None else found.matrix[:n, :n],
        df=None if np.isinf(found.df[:n]).all() else found.df[:n],
    )


def _shown(
    p: Parameter | None, draws: Floats | None, unit: float, level: float
) -> dict[str, Any] | None:
    """Write a parameter for JSON, with the interval of its bootstrap draws if it has any."""
    if p is None:
        return None
    if draws is None:
        return p.times(unit).estimate(level).to_dict()
    drawn = draws[~np.isnan(draws)]
    return Estimate.from_draws(p.value * unit, drawn * unit, level=level).to_dict()
