"""What :func:`headcount.pairwise.bradley_terry.bradley_terry.bradley_terry` returns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import OptionError, count, unknown_name
from headcount.pairwise.bradley_terry.errors import variance
from headcount.pairwise.bradley_terry.model import Point, Ties
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats, Ids

__all__ = ["BradleyTerry", "Parameter"]


@dataclass(frozen=True)
class Parameter:
    """A fitted number and its standard error.

    Examples
    --------
    >>> Parameter(0.5, 0.1).estimate()
    0.5 (0.304 to 0.696)
    """

    value: float
    standard_error: float

    def estimate(self, level: float = 0.95) -> Estimate:
        """Add a normal (Wald) interval."""
        if not math.isfinite(self.standard_error):
            return Estimate(self.value)
        half = quantile(level) * self.standard_error
        return Estimate(self.value, self.value - half, self.value + half, level, "Wald")


@dataclass(frozen=True, eq=False)
class BradleyTerry:
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
    ties : {"half", "davidson", "rao-kupper"}
    tie : Parameter or None
        Davidson's nu or Rao and Kupper's theta; its standard error is nan if there are no ties.
    position : Parameter or None
        Log odds that an item gains by being shown on the left; None also if no rating is finite.
    covariates : tuple of str
        Their names.
    coefficients : tuple of Parameter
        What a unit of each covariate adds to a rating.
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
    notes : tuple of str
        What a reader should know.
    """

    items: Ids
    rating: Floats
    standard_error: Floats
    component: Codes
    ties: Ties
    tie: Parameter | None
    position: Parameter | None
    covariates: tuple[str, ...]
    coefficients: tuple[Parameter, ...]
    raters: Ids | None
    slope: Floats | None
    slope_error: Floats | None
    prior: float | None
    log_likelihood: float
    converged: bool
    n_iter: int
    gradient: float
    method: str
    notes: tuple[str, ...] = ()
    point: Point | None = field(default=None, repr=False)

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Items with a finite rating."""
        return np.isfinite(self.rating)

    def probability(self, a: object, b: object, *, level: float = 0.95) -> Estimate:
        """Estimate the probability that item `a` beats item `b` in one comparison.

        The sides are taken to be fair. With ties='half' a tie is half a win for either; with the
        other two, a tie is no win, and their parameter is taken as known. The interval is that of
        the difference in ratings, normal in log odds.

        Cost: one solution by conjugate gradients, O(pairs) each step.

        Examples
        --------
        >>> from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
        >>> from headcount.data.comparisons import Comparisons
        >>> played = Comparisons.from_columns("aaaab", "bbbba", ["left"] * 3 + ["right"] + ["left"])
        >>> bradley_terry(played).probability("a", "b")
        0.6 (0.2004 to 0.8998)
        """
        i, j = self._place(a), self._place(b)
        gap = float(self.rating[i]) - float(self.rating[j])
        if i == j:
            raise OptionError(f"'{a}' cannot be compared with itself; name two items.")
        if self.prior is None and self.component[i] != self.component[j]:
            return Estimate(
                math.nan, undefined=f"no comparisons join '{a}' and '{b}', even through others"
            )
        if math.isnan(gap):
            return Estimate(math.nan, undefined=f"the data do not say how '{a}' and '{b}' compare")
        if math.isinf(gap) or self.point is None:
            return Estimate(1.0 if gap > 0 else 0.0, method="limit of maximum likelihood")
        direction = np.zeros(self.point.model.size)
        direction[[i, j]] = 1.0, -1.0
        half = quantile(level) * math.sqrt(variance(self.point, direction))
        value, low, high = (self.of_gap(x) for x in (gap, gap - half, gap + half))
        return Estimate(value, low, high, level, "Wald, in log odds")

    def of_gap(self, gap: float) -> float:
        """Probability of a win from a difference in ratings."""
        if self.tie is None:
            return _logistic(gap)
        if self.ties == "davidson":
            rest = math.exp(-abs(gap) / 2)
            top = 1.0 if gap >= 0 else rest**2
            return top / (1 + rest**2 + self.tie.value * rest)
        return _logistic(gap - math.log(self.tie.value))

    def _place(self, item: object) -> int:
        place = int(match_ids(as_ids([str(item)]), self.items)[0])
        if place < 0:
            raise unknown_name("item", str(item), [str(name) for name in self.items])
        return place

    def __repr__(self) -> str:
        parts = [f"Bradley-Terry ratings of {count(len(self.items), 'item')}"]
        unrated = int((~self.finite).sum())
        if unrated:
            parts.append(f"{unrated:,} of them not finite")
        n = int(self.component.max(initial=0)) + 1
        if n > 1:
            parts.append(count(n, "component"))
        if not self.converged:
            parts.append(f"NOT CONVERGED (gradient {self.gradient:.2g})")
        return ", ".join(parts)


def _logistic(x: float) -> float:
    return 0.5 * (1 + math.tanh(x / 2))


def quantile(level: float) -> float:
    """Half width of a normal interval in standard errors."""
    if not 0 < level < 1:
        raise OptionError(f"level must lie between 0 and 1, such as .95, not {level:g}.")
    return -NormalDist().inv_cdf((1 - level) / 2)
