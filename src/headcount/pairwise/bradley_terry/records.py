"""What a Bradley-Terry fit gives, as fields."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from headcount.pairwise.answers.graph import Graph
from headcount.pairwise.bradley_terry.likelihood.model import Point
from headcount.pairwise.bradley_terry.standard_errors.covariance import Covariance
from headcount.pairwise.bradley_terry.standard_errors.parameter import Parameter
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = ["BradleyTerryProvenance", "BradleyTerryRecord"]


@dataclass(frozen=True, kw_only=True)
class BradleyTerryProvenance(Provenance):
    """How a fit came about.

    Parameters
    ----------
    n_comparisons : int
        Comparisons that count: those whose weight is not 0.
    n_rankings : int
        Rankings that they are of; 0 where each is an answer of its own.
    """

    n_comparisons: int
    n_rankings: int = 0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BradleyTerryRecord(Result):
    """Fields of :class:`headcount.BradleyTerry`, which says what they are."""

    provenance: BradleyTerryProvenance
    items: Ids
    rating: Floats
    standard_error: Floats
    component: Codes
    tie_model: TieModel
    tie: Parameter | None
    position: Parameter | None
    covariates: tuple[str, ...]
    coefficients: tuple[Parameter, ...]
    controls: tuple[str, ...]
    control_units: Floats
    control_effects: tuple[Parameter, ...]
    uncontrolled: Floats | None
    raters: Ids | None
    slope: Floats | None
    slope_error: Floats | None
    prior: float | None
    log_likelihood: float
    converged: bool
    n_iter: int
    gradient: float
    method: str
    covariance: Covariance | None = field(default=None, repr=False)
    point: Point | None = field(default=None, repr=False)
    graph: Graph | None = field(default=None, repr=False)
    title: str = "Bradley-Terry"
    prior_fitted: bool = False
    noise: float = 1.0
    mean: float = 0.0

    @property
    def ties(self) -> str:
        """Name of the model of ties."""
        return self.tie_model.name

    @property
    def finite(self) -> Flags:
        """Items with a finite rating."""
        return np.isfinite(self.rating)

    @property
    def level(self) -> float:
        """Coverage of intervals."""
        return self.provenance.level or 0.95

    def estimate(self, index: int) -> Estimate:
        """Return the rating of the item at a position, with its interval."""
        value = float(self.rating[index])
        if not np.isfinite(value):
            why = "not determined" if np.isnan(value) else "no upper bound"
            return Estimate(value, undefined="no lower bound" if value < 0 else why)
        return self.parameter(index).estimate(self.level)

    def parameter(self, index: int) -> Parameter:
        """Return the rating of the item at a position, with its standard error."""
        df = math.inf if self.covariance is None else float(self.covariance.df[index])
        return Parameter(float(self.rating[index]), float(self.standard_error[index]), df)

    @property
    def best_first(self) -> list[int]:
        """Positions of the items, best first, component by component."""
        # Equal items differ by rounding, at most; they keep their order.
        rating = np.round(self.rating, 8)
        group = self.component if self.prior is None else np.zeros_like(self.component)
        order = np.lexsort((np.where(np.isnan(rating), np.inf, -rating), group))
        return order.tolist()
