"""What a Bradley-Terry fit gives: ratings, what else was fitted, and how, in words and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import OptionError, count, percent, unknown_name
from headcount.pairwise.answers import Graph
from headcount.pairwise.likelihood import Point
from headcount.pairwise.standard_errors import Covariance, Parameter
from headcount.pairwise.ties import TieModel
from headcount.results.fields import by_row, json_value
from headcount.results.notes import Provenance
from headcount.results.page import ALL, Page
from headcount.results.result import Result
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import LIMIT, WALD_LOG_ODDS
from headcount.typing import Codes, Flags, Floats, Ids

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "ends",
    "fit_provenance",
    "BradleyTerry",
]


# The ends of a long table.

Row = TypeVar("Row")


def ends(rows: Sequence[Row], most: int) -> tuple[list[Row], int]:
    """Take the first and the last rows, and say how many are between.

    Examples
    --------
    >>> ends([1, 2, 3, 4, 5], 4)
    ([1, 2, 4, 5], 1)
    """
    if len(rows) <= most:
        return list(rows), 0
    half = most // 2
    return [*rows[:half], *rows[-half:]], len(rows) - 2 * half


# What a Bradley-Terry fit gives, as fields.


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


def fit_provenance(
    comparisons: Comparisons, played: Comparisons, graph: Graph, level: float
) -> BradleyTerryProvenance:
    """Say what a fit is of: all comparisons, and those that count."""
    compared, rater = int(graph.compared.sum()), played.rater
    return BradleyTerryProvenance(
        source=comparisons.source,
        sources=comparisons.sources,
        dropped=comparisons.dropped,
        items_used=compared,
        items_dropped=len(comparisons.items) - compared,
        n_ratings=len(played),
        n_comparisons=len(played),
        n_rankings=played.n_rankings,
        n_raters=None if rater is None else len(np.unique(rater[rater >= 0])),
        level=level,
        backend=comparisons.backend,
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BradleyTerry(Result):
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
        Component of the comparison graph, the largest first.
    compares : (items,) array of int
        What ratings compare within: the component, or everything with a prior.
    tie_model : TieModel
    tie : Parameter or None
        Davidson's nu or Rao and Kupper's theta; its standard error is nan if there are no ties.
    position : Parameter or None
        Log odds that an item gains by being shown on the left; None also if no rating is finite.
    controls : tuple of str
        Names of differences that answers go by as well, such as "len_a:len_b".
    control_units : (controls,) array
        Their standard deviations.
    control_effects : tuple of Parameter
        Log odds that a standard deviation of each adds.
    uncontrolled : (items,) array or None
        Ratings without controls, if there are any.
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
        (see :mod:`~headcount.pairwise.priors`).

    Examples
    --------
    >>> from headcount import bradley_terry
    >>> fit = bradley_terry("example:battles")
    >>> [str(item) for item in fit.items][:2]
    ['aster', 'birch']
    """

    provenance: BradleyTerryProvenance
    items: Ids
    rating: Floats
    standard_error: Floats
    component: Codes
    compares: Codes
    tie_model: TieModel
    tie: Parameter | None = None
    position: Parameter | None = None
    controls: tuple[str, ...] = ()
    control_units: Floats = field(default_factory=lambda: np.zeros(0))
    control_effects: tuple[Parameter, ...] = ()
    uncontrolled: Floats | None = None
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
        order = np.lexsort((np.where(np.isnan(rating), np.inf, -rating), self.compares))
        return order.tolist()

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
        if self.compares[i] != self.compares[j]:
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
        return Page([_sentence(self)], [_table(self), *_effects(self)], [_foot(self)])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item, best first: its rating, standard error and component."""
        order = self.best_first
        return {
            "item": self.items[order].tolist(),
            "rating": json_value(self.rating[order]),
            "standard_error": json_value(self.standard_error[order]),
            "component": self.component[order].tolist(),
        }

    def document(self) -> dict[str, Any]:
        """Return items, best first, what else was fitted, and how the fit went."""

        def shown(parameter: Parameter | None) -> dict[str, Any] | None:
            if parameter is None:
                return None
            error = json_value(parameter.standard_error)
            return parameter.estimate(self.level).to_dict() | {"standard_error": error}

        rated = self.columns() | {"rating": [self.estimate(i) for i in self.best_first]}
        return {
            "items": json_value(by_row(rated)),
            "ties": self.ties,
            "tie": shown(self.tie),
            "position": shown(self.position),
            "controls": [
                {"control": name, **(shown(parameter) or {}), "unit": unit}
                for name, parameter, unit in zip(
                    self.controls, self.control_effects, self.control_units.tolist(), strict=True
                )
            ],
            "prior": self.prior,
            "prior_fitted": self.prior_fitted,
            "log_likelihood": self.log_likelihood,
            "converged": self.converged,
            "iterations": self.n_iter,
            "gradient": self.gradient,
            "standard_errors": self.method,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratings with their intervals, best first (needs matplotlib)."""
        from headcount.pairwise.plot import plot_fit

        return plot_fit(self, ax)

    def _index(self, item: object) -> int:
        index = int(match_ids(as_ids([str(item)]), self.items)[0])
        if index < 0:
            raise unknown_name("item", str(item), [str(name) for name in self.items])
        return index


# A Bradley-Terry fit in words and tables.

MOST_ITEMS = 20
"""Items that are printed: the first ten and the last ten."""


def _sentence(fit: BradleyTerry) -> str:
    parts = [f"{fit.title} ratings of {count(len(fit.items), 'item')}"]
    unrated = int((~fit.finite).sum())
    if unrated:
        parts.append(f"{unrated:,} of them not finite")
    groups = int(fit.component.max(initial=0)) + 1
    if groups > 1:
        parts.append(count(groups, "component"))
    if not fit.converged:
        parts.append(f"NOT CONVERGED (gradient {fit.gradient:.2g})")
        return ", ".join(parts)
    best = fit.best_first[0]
    rating = fit.estimate(best)
    highest = (
        f"rated highest, {rating!r} logits" if rating.undefined is None else "above all others"
    )
    return ", ".join(parts) + (
        f": {fit.items[best]} is {highest}" if rating.value > -math.inf else ""
    )


def _table(fit: BradleyTerry) -> Table:
    order = fit.best_first
    shown, rest = ends(order, MOST_ITEMS)
    groups = int(fit.component.max(initial=0)) > 0
    head = ["item", "rating", "standard error", f"{percent(fit.level)} interval"]
    head += ["group"] if groups else []
    body: list[list[str]] = []
    for i in shown:
        rating = fit.estimate(i)
        row = [str(fit.items[i]), rating.undefined or rating.show(rating.value)]
        error = float(fit.standard_error[i])
        row += ["" if math.isnan(error) else f"{error:.3f}", rating.interval()]
        body.append([*row, *([f"{fit.component[i] + 1}"] if groups else [])])
    more = f"and {count(rest, 'more item')} in between{ALL}" if rest else ""
    return Table(head, body, rules=[MOST_ITEMS // 2] if rest else [], more=more)


def _effects(fit: BradleyTerry) -> list[str]:
    """Say what else was fitted."""

    def shown(parameter: Parameter) -> str:
        return repr(parameter.estimate(fit.level))

    lines: list[str] = []
    if fit.position is not None:
        lines.append(f"Position: being on the left adds {shown(fit.position)} logits")
    if fit.tie is not None:
        lines.append(f"Ties: {fit.tie_model.parameter} {shown(fit.tie)}")
    for name, parameter in zip(fit.controls, fit.control_effects, strict=True):
        lines.append(f"{name}: a standard deviation more adds {shown(parameter)} logits")
    return lines


def _foot(fit: BradleyTerry) -> str:
    p = fit.provenance
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    prior = "" if fit.prior is None else f" Prior of ratings: {fit.prior:g} logits."
    answers = count(p.n_comparisons, "comparison")
    if p.n_rankings:
        answers = count(p.n_rankings, "ranking")
    return (
        f"{answers}{by}. Ratings are in logits, with mean 0; ties: "
        f"{fit.tie_model.title}.{prior} {count(fit.n_iter, 'Newton step')}; standard errors: "
        f"{fit.method}."
    )
