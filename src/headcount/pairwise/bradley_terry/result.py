"""What :func:`headcount.bradley_terry` returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount import options
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import OptionError, unknown_name
from headcount.pairwise.bradley_terry.plot import plot_fit
from headcount.pairwise.bradley_terry.records import BradleyTerryRecord
from headcount.pairwise.bradley_terry.standard_errors.parameter import Parameter
from headcount.pairwise.bradley_terry.text import fit_page
from headcount.pairwise.ids import plain_id
from headcount.results.arrays import to_json
from headcount.results.text import Page
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import WALD_LOG_ODDS
from headcount.stats.intervals.no_interval import LIMIT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BradleyTerry", "Parameter"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BradleyTerry(BradleyTerryRecord):
    """Ratings of items by the Bradley-Terry model.

    Parameters
    ----------
    items : array
        As in the comparisons.
    rating : (items,) array
        Log odds, with mean 0 over the finite ones of a component. Infinite where the likelihood
        rises without end, nan where the data do not determine it.
    standard_error : (items,) array
        Of `rating`, relative to the mean of the component or, with a prior, of all items; nan where
        the rating is not finite.
    component : (items,) array of int
        Component of the comparison graph, the largest first. Without a prior ratings compare within
        a component only.
    tie_model : TieModel
    tie : Parameter or None
        Davidson's nu or Rao and Kupper's theta; its standard error is nan if there are no ties.
    position : Parameter or None
        Log odds that an item gains by being shown on the left; None also if no rating is finite.
    covariates : tuple of str
        Their names.
    coefficients : tuple of Parameter
        What a unit of each covariate adds to a rating.
    controls : tuple of str
        Names of differences that answers go by as well, such as "len_a:len_b".
    control_units : (controls,) array
        Their standard deviations.
    control_effects : tuple of Parameter
        Log odds that a standard deviation of each adds.
    uncontrolled : (items,) array or None
        Ratings without controls, if there are any.
    raters : array or None
    slope, slope_error : (raters,) arrays or None
        How much of a difference in ratings each rater sees, 1 being usual, and its standard error.
    prior : float or None
        Standard deviation of the prior of ratings, in logits.
    log_likelihood : float
        Without the penalty of the prior; its limit where ratings are infinite.
    converged : bool
    n_iter : int
        Newton steps.
    gradient : float
        Largest absolute derivative at the end.
    method : str
        How standard errors were found.
    covariance : Covariance or None
        Of all parameters.
    point : Point or None
        The model at its maximum; None for one of rankings.
    graph : Graph or None
        Who was compared with whom, and which ratings are finite.
    title : str
        "Bradley-Terry"; or "Plackett-Luce", for rankings of several items.
    prior_fitted : bool
        Whether the standard deviation of the prior was fitted.
    noise : float
        Variance of answers as a share of what the model says: less than 1 where ties are halves,
        beside a prior that was fitted.
    mean : float
        Mean of the ratings. It is 0, but for a prior that was fitted and draws more items in on one
        side than on the other: 0 is then the average item without it
        (see :mod:`~headcount.pairwise.bradley_terry.average_item`).
    """

    def probability(self, a: object, b: object, *, level: float | None = None) -> Estimate:
        """Estimate the probability that item `a` beats item `b` in one comparison.

        The sides are taken to be fair. Where ties count as halves, a tie is half a win for either;
        in the other models a tie is no win, and their parameter is taken as known. The interval is
        that of the difference in ratings, normal in log odds.

        Cost: one solution by conjugate gradients, O(pairs) each step.

        Examples
        --------
        >>> from headcount import Comparisons, bradley_terry
        >>> played = Comparisons.from_columns("aaaab", "bbbba", ["left"] * 3 + ["right"] + ["left"])
        >>> bradley_terry(played).probability("a", "b")
        0.6 (0.1381 to 0.9335)
        """
        level = self.level if level is None else level
        i, j = self._index(a), self._index(b)
        gap = float(self.rating[i]) - float(self.rating[j])
        if i == j:
            raise OptionError(f"'{a}' cannot be compared with itself; name two items.")
        if self.prior is None and self.component[i] != self.component[j]:
            return Estimate(
                math.nan, undefined=f"no comparisons join '{a}' and '{b}', even through others"
            )
        if math.isnan(gap):
            return Estimate(math.nan, undefined=f"the data do not say how '{a}' and '{b}' compare")
        if math.isinf(gap) or self.covariance is None:
            return Estimate(1.0 if gap > 0 else 0.0, method=LIMIT.name)
        df = float(min(self.covariance.df[i], self.covariance.df[j]))
        within = Parameter(gap, math.sqrt(self.covariance.of_gap(i, j)), df)
        half = (within.estimate(options.level(level)).high or gap) - gap
        value, low, high = (self.of_gap(x) for x in (gap, gap - half, gap + half))
        return Estimate(value, low=low, high=high, level=level, method=WALD_LOG_ODDS.name)

    def of_gap(self, gap: float) -> float:
        """Probability of a win from a difference in ratings."""
        parameter = math.nan if self.tie is None else self.tie.value
        return self.tie_model.win_probability(gap, parameter)

    def page(self) -> Page:
        """Write the ratings, what else was fitted, and how."""
        return fit_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item, best first: its rating, standard error and component."""
        order = self.best_first
        return {
            "item": self.items[order].tolist(),
            "rating": to_json(self.rating[order]),
            "standard_error": to_json(self.standard_error[order]),
            "component": self.component[order].tolist(),
        }

    def document(self) -> dict[str, Any]:
        """Return items, best first, what else was fitted, and how the fit went."""

        def shown(parameter: Parameter | None) -> dict[str, Any] | None:
            if parameter is None:
                return None
            error = to_json(parameter.standard_error)
            return parameter.estimate(self.level).to_dict() | {"standard_error": error}

        return {
            "items": [
                {
                    "item": plain_id(self.items[i : i + 1].tolist()[0]),
                    "rating": self.estimate(i).to_dict(),
                    "standard_error": to_json(float(self.standard_error[i])),
                    "component": int(self.component[i]),
                }
                for i in self.best_first
            ],
            "ties": self.ties,
            "tie": shown(self.tie),
            "position": shown(self.position),
            "coefficients": [
                {"covariate": name, **(shown(parameter) or {})}
                for name, parameter in zip(self.covariates, self.coefficients, strict=True)
            ],
            "controls": [
                {"control": name, **(shown(parameter) or {}), "unit": unit}
                for name, parameter, unit in zip(
                    self.controls, self.control_effects, self.control_units.tolist(), strict=True
                )
            ],
            "raters": self._slopes(),
            "prior": self.prior,
            "prior_fitted": self.prior_fitted,
            "log_likelihood": self.log_likelihood,
            "converged": self.converged,
            "iterations": self.n_iter,
            "gradient": self.gradient,
            "standard_errors": self.method,
        }

    def _slopes(self) -> list[dict[str, Any]] | None:
        if self.raters is None or self.slope is None or self.slope_error is None:
            return None
        rows = zip(self.raters.tolist(), self.slope, self.slope_error, strict=True)
        return [
            {"rater": plain_id(name), "slope": to_json(slope), "slope_error": to_json(error)}
            for name, slope, error in rows
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratings with their intervals, best first (needs matplotlib)."""
        return plot_fit(self, ax)

    def _index(self, item: object) -> int:
        index = int(match_ids(as_ids([str(item)]), self.items)[0])
        if index < 0:
            raise unknown_name("item", str(item), [str(name) for name in self.items])
        return index
