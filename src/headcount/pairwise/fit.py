"""A Bradley-Terry fit: the comparisons that count, controls, and what it gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, count, option, some, unknown_name
from headcount.pairwise.answers import Graph, has_exact_sums, is_plain, sort_rows
from headcount.pairwise.likelihood import Climb, Point
from headcount.pairwise.priors import AUTO_PRIOR, NO_PRIOR
from headcount.pairwise.sandwich import Meat, inverse
from headcount.pairwise.standard_errors import ROBUST, Controlled, Covariance, Parameter
from headcount.pairwise.ties import TieModel, check_outcomes
from headcount.results.notes import Note, Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import LIMIT, WALD_LOG_ODDS
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = [
    "check_control",
    "that_count",
    "Controls",
    "control_columns",
    "choose_controls",
    "climb_controls",
    "tell_of_climb",
    "BradleyTerry",
]


# The comparisons that count.


def check_control(control: Any, *, prior: object) -> None:
    """Refuse controls beside a prior, with which they are not fitted."""
    if control_columns(control) and prior not in (None, NO_PRIOR, AUTO_PRIOR):
        raise OptionError(
            f"{option('control')} and {option('prior')} are not fitted together; leave one out."
        )


def that_count(comparisons: Comparisons, ties: TieModel, errors: str) -> Comparisons:
    """Comparisons with a weight, after a look at their outcomes."""
    played = comparisons
    if comparisons.weight is not None and not comparisons.weight.all():
        played = comparisons.select(comparisons.weight > 0)
    if not len(comparisons):
        raise DataError(f"{comparisons.source}: no comparisons.")
    if not len(played):
        raise DataError(f"{comparisons.source}: every comparison has weight 0, so none counts.")
    check_outcomes(ties, played)
    # Where sums are rounded, the order of rows would tell.
    rounded = not has_exact_sums(played)
    # Robust errors add up pairs where that is all there is to a comparison, and rows elsewhere.
    by_row = errors == ROBUST and (ties.has_cut or not is_plain(played))
    return sort_rows(played) if rounded or by_row else played


def tell_of_climb(top: Climb[Any], tolerance: float, max_iter: int, notes: Notes) -> None:
    """Say if the maximum was not found."""
    if not top.converged:
        notes.warning(
            f"The fit has not converged after {count(top.n_iter, 'step')}: the largest derivative "
            f"is {np.abs(top.point.gradient).max():.2g}, and {tolerance:g} was asked for. Allow "
            f"more steps ({option('max_iter', 10 * max_iter)}) or a larger {option('tolerance')}."
        )


# What else answers go by: differences of the two items in what a comparison shows of them.
#
# .. math:: \eta = \theta_l - \theta_r + \delta + \sum_k \gamma_k d_k
#
# where :math:`d_k` is such a difference, in standard deviations: of the lengths of two answers,
# say. Ratings are then those of answers of the same length.

RELATIVE = "relative"
MOST_ITEMS = 2000
"""Items up to which matrices are written down."""


class Controls(NamedTuple):
    """Differences in standard deviations, (comparisons, controls); what that is; and names."""

    x: Floats
    unit: Floats
    names: tuple[str, ...]


def control_columns(controls: Any) -> tuple[str, ...]:
    """Return controls by name, such as ``("len_a:len_b",)``, from text with commas or several.

    Examples
    --------
    >>> control_columns("len_a:len_b, lists_a:lists_b")
    ('len_a:len_b', 'lists_a:lists_b')
    """
    if controls is None:
        return ()
    parts: list[object] = [controls]
    if isinstance(controls, str):
        parts = [part for part in controls.split(",") if part.strip()]
    elif isinstance(controls, list | tuple):
        parts = list(cast("Sequence[object]", controls))
    out: list[str] = []
    for part in parts:
        sides = [side.strip() for side in part.split(":")] if isinstance(part, str) else []
        relative = len(sides) == 3 and sides[2] == RELATIVE
        if not (relative or len(sides) == 2) or not all(sides):
            raise OptionError(
                f"{option('control')} must name two columns, of the left and of the right item, "
                f"such as len_a:len_b, or len_a:len_b:{RELATIVE} for (a - b) / (a + b); not "
                f"{part!r}."
            )
        out.append(":".join(sides))
    return tuple(dict.fromkeys(out))


def choose_controls(controls: Any, played: Comparisons, items: int) -> Controls:
    """Take the differences that were asked for, in their standard deviations around 0."""
    names = control_columns(controls)
    if not names:
        return Controls(np.zeros((len(played.left), 0)), np.zeros(0), ())
    if items > MOST_ITEMS:
        raise DataError(
            f"{played.source}: {option('control')} works up to {MOST_ITEMS:,} items, and there are "
            f"{items:,}."
        )
    missing = [name for name in names if name not in played.controls]
    if missing:
        kept = some([*played.controls]) if played.controls else "none"
        raise DataError(
            f"{played.source}: no differences {some(missing)} were read; there are: {kept}. Name "
            "them when the comparisons are read."
        )
    x = np.array([played.controls[name] for name in names]).T.reshape(len(played), -1)
    unit = np.sqrt(np.mean(x**2, axis=0))
    for name, size in zip(names, unit.tolist(), strict=True):
        if not size > 0:
            raise DataError(
                f"{played.source}: '{name}' is 0 in all comparisons, so that it explains nothing. "
                "Leave it out."
            )
    return Controls(x / unit, unit, names)


def climb_controls(
    start: Floats,
    ties: TieModel,
    played: Comparisons,
    controls: Controls,
    block: Codes,
    *,
    sided: bool,
    tolerance: float,
    max_iter: int,
) -> Controlled:
    """Maximise the log-likelihood with controls, by Fisher scoring with dense matrices.

    Parameters
    ----------
    start : (items + 2,) array
        The maximum without controls.
    ties : TieModel
    played : Comparisons
    controls : Controls
    block : (items,) array of int
        What is fitted together; -1 for items without a finite rating.
    sided : bool
        Whether the left side has an advantage.
    tolerance : float
        Largest absolute derivative at the end.
    max_iter : int

    Notes
    -----
    O(comparisons + k^3) a step for k items.
    """
    n, p = len(block), len(controls.names)
    extra = np.column_stack([controls.x, np.full(len(played), float(sided))])
    free = np.concatenate([np.ones(p, dtype=bool), [sided, ties.has_cut]])
    fitted = np.concatenate([block >= 0, free])
    rows = (block[played.left] >= 0) & (block[played.right] >= 0)
    z = np.concatenate([np.where(block >= 0, start[:n], 0.0), np.zeros(p), start[-2:]])

    def at(z: Floats) -> tuple[float, Meat]:
        meat = Meat.of(z, ties, played, rows, extra)
        return _log_likelihood(meat, ties, float(z[-1]), played.outcome[rows]), meat

    (value, meat), n_iter = at(z), 0
    while True:
        gradient = np.where(fitted, meat.sums(meat.by_eta, meat.by_cut), 0.0)
        v = inverse(_information(meat, ties, float(z[-1])), block, free)
        largest = float(np.abs(gradient).max())
        converged = largest <= tolerance
        if not converged and n_iter < max_iter:
            after = _step(z, v @ gradient, value, ties, at)
            if after is not None:
                (z, value, meat), n_iter = after, n_iter + 1
                continue
        return Controlled(
            z=z,
            extra=extra,
            free=free,
            inverse=v,
            gradient=largest,
            log_likelihood=value,
            converged=converged,
            n_iter=n_iter,
        )


def _step(
    z: Floats, step: Floats, value: float, ties: TieModel, at: Any
) -> tuple[Floats, float, Meat] | None:
    """Go a step uphill, or as far as it is uphill; None where it nowhere is."""
    part = ties.longest_step(float(z[-1]), float(step[-1])) if ties.has_cut else 1.0
    noise = 1e-12 * (1 + abs(value))
    while part > 1e-9:
        after, meat = at(z + part * step)
        if after >= value - noise:
            return z + part * step, after, meat
        part /= 2
    return None


def _log_likelihood(meat: Meat, ties: TieModel, cut: float, outcome: Floats) -> float:
    win, tie, loss = (np.log(np.maximum(p, 1e-300)) for p in ties.probabilities(meat.eta, cut))
    log_p = outcome * win + (1 - outcome) * loss
    if ties.has_cut:
        log_p = np.where(outcome == 0.5, tie, log_p)
    return float(np.sum(meat.weight * log_p))


def _information(meat: Meat, ties: TieModel, cut: float) -> Floats:
    """Add up the expected squares of the derivatives, as a matrix of the parameters."""
    both, of_cut = np.zeros((2, len(meat.eta)))
    if ties.has_cut:
        for p, y in zip(ties.probabilities(meat.eta, cut), (1.0, 0.5, 0.0), strict=True):
            by_eta, by_cut = ties.scores(meat.eta, cut, np.full(len(meat.eta), y))
            both += meat.weight * p * by_eta * by_cut
            of_cut += meat.weight * p * by_cut**2
    return meat.gram(meat.tell, both, of_cut)


# What a fit gives.


@dataclass(frozen=True, eq=False, kw_only=True)
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
    level : float
        Coverage of intervals.
    notes : tuple of Note
        What a reader should know, in sentences.
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
    >>> from headcount.pairwise.bradley_terry import bradley_terry
    >>> fit = bradley_terry("example:battles")
    >>> [str(item) for item in fit.items][:2]
    ['aster', 'birch']
    """

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
    prior: float | None
    log_likelihood: float
    converged: bool
    n_iter: int
    gradient: float
    method: str
    covariance: Covariance | None = field(default=None, repr=False)
    point: Point | None = field(default=None, repr=False)
    graph: Graph | None = field(default=None, repr=False)
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    prior_fitted: bool = False
    noise: float = 1.0
    mean: float = 0.0

    @property
    def finite(self) -> Flags:
        """Items with a finite rating."""
        return np.isfinite(self.rating)

    def parameter(self, index: int) -> Parameter:
        """Return the rating of the item at a position, with its standard error."""
        df = math.inf if self.covariance is None else float(self.covariance.df[index])
        return Parameter(float(self.rating[index]), float(self.standard_error[index]), df)

    def probability(self, a: object, b: object, *, level: float | None = None) -> Estimate:
        """Estimate the probability that item `a` beats item `b` in one comparison.

        The sides are taken to be fair. Where ties count as halves, a tie is half a win for either;
        in the other models a tie is no win, and their parameter is taken as known. The interval is
        that of the difference in ratings, normal in log odds.

        Cost: one solution by conjugate gradients, O(pairs) each step.

        Examples
        --------
        >>> from headcount import Comparisons
        >>> from headcount.pairwise.bradley_terry import bradley_terry
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

    def _index(self, item: object) -> int:
        index = int(match_ids(as_ids([str(item)]), self.items)[0])
        if index < 0:
            raise unknown_name("item", str(item), [str(name) for name in self.items])
        return index
