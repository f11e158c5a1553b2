"""Ways to rate items, one class per method: their options, what they return, and draws."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, option
from headcount.pairwise.answers import (
    COMPARISON,
    Graph,
    check_unit,
    components,
    graph_sentences,
    group_sentences,
    sort_rows,
    unit_weights,
)
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.elo import ORDERS, SHUFFLED, Elo, EloFit
from headcount.pairwise.fit import BradleyTerry
from headcount.pairwise.likelihood import Model, PairWins, centred, maximise
from headcount.pairwise.priors import AUTO_PRIOR
from headcount.pairwise.sandwich import AUTO_CLUSTERS
from headcount.pairwise.standard_errors import Parameter
from headcount.pairwise.ties import HALF, TieModel
from headcount.results.notes import Note, Notes
from headcount.stats.estimate import Estimate
from headcount.stats.ranks import Spread
from headcount.typing import Codes, Flags, Floats, Progress, Seed

__all__ = [
    "RatingScale",
    "LOGIT",
    "SCALES",
    "AVERAGE",
    "EACH",
    "RANKS",
    "Settings",
    "Rated",
    "RatingMethod",
    "BradleyTerryMethod",
    "BRADLEY_TERRY",
    "normal_draws",
    "HOLD",
    "refit",
    "EloMethod",
    "METHODS",
    "refusal",
    "method_for",
]


# Units in which ratings are written.


@dataclass(frozen=True, kw_only=True)
class RatingScale:
    """A unit of ratings; an own one is given as `units`.

    Parameters
    ----------
    name : str
    per_logit : float
        Units in a logit.
    unit : str
        What the units are called.
    digits : int
        Digits after the point that are shown.
    meaning : str
        What a difference in ratings means, if that needs words.

    Examples
    --------
    >>> round(ELO_POINTS.per_logit * math.log(10))
    400
    """

    name: str
    per_logit: float
    unit: str
    digits: int
    meaning: str = ""


LOGIT = RatingScale(name="logit", per_logit=1.0, unit="logits", digits=3)
ELO_POINTS = RatingScale(
    name="elo",
    per_logit=400 / math.log(10),
    unit="points",
    digits=0,
    meaning="400 points make the odds of winning 10 times larger",
)
SCALES = (LOGIT, ELO_POINTS)
"""All scales by name."""


# What rates items: the options it is given, what it hands back, and what every method can do.

AVERAGE, EACH = RANKS = ("average", "each")
"""For whom intervals of ranks hold: on average over items, or for each of them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Settings:
    """How items are rated, checked; see :func:`headcount.pairs`.

    `unit` is what a bootstrap draws, as `cluster` says.
    """

    ties: TieModel = HALF
    position: bool = False
    prior: float | str | None = AUTO_PRIOR
    cluster: str | Sequence[str] = AUTO_CLUSTERS
    control: str | Sequence[str] | None = None
    ranks: str = AVERAGE
    bootstrap: int = 0
    unit: str = COMPARISON
    units: RatingScale = LOGIT
    level: float = 0.95


@dataclass(frozen=True, eq=False, kw_only=True)
class Rated:
    """Ratings of all items, in logits.

    Parameters
    ----------
    method : RatingMethod
    settings : Settings
    rating : (items,) array
        Infinite or nan where there is no finite rating.
    standard_error : (items,) array
        nan where there is none.
    component : (items,) array of int
        What compares: all zeros with a prior, which makes everything compare.
    draws : (draws, items) array or None
    normal : bool
        Whether draws are normal, and not from a bootstrap.
    graph : Graph
    converged : bool or None
        None for a method that does not ask.
    notes : tuple of Note
    model : object
        The fit behind it: a BradleyTerry or an EloFit.
    refits : object
        Bootstrap of Bradley-Terry: a Refits, or None.
    spread : Spread or None
        How far ratings may be off together, where that is known without draws.
    draw : callable or None
        Makes draws where there are none, since few ask for them.
    mean : float
        Mean of the ratings, if that is not where the average item lies.
    """

    method: RatingMethod
    settings: Settings
    rating: Floats
    standard_error: Floats
    component: Codes
    draws: Floats | None
    normal: bool
    graph: Graph
    converged: bool | None
    notes: tuple[Note, ...]
    model: Any = None
    refits: Any = None
    spread: Spread | None = None
    draw: Callable[[], Floats] | None = None
    mean: float = 0.0

    def drawn(self) -> Floats | None:
        """Return draws, and make them if need be."""
        return self.draw() if self.draws is None and self.draw is not None else self.draws

    def gaps(self, i: int, j: int) -> Floats:
        """Differences in two drawn ratings, but for draws that could not be fitted."""
        if self.draws is None:
            return np.zeros(0)
        gaps = self.draws[:, i] - self.draws[:, j]
        return gaps[~np.isnan(gaps)]


class RatingMethod(ABC):
    """A way to rate items; an own one extends this class and is given as `method`.

    Attributes
    ----------
    name : str
    title : str
        What texts call it.
    takes : frozenset of str
        Options of :func:`headcount.pairs` that mean something to it.
    refuses : str
        What to say before the name of an option that it does not take; "Title knows no" if "".
    has_normal_draws : bool
        Whether it has intervals without a bootstrap.
    takes_rankings : bool
        Whether it rates by rankings of several items.
    takes_added_up : bool
        Whether counts of equal answers tell it all that the answers do.
    """

    name: str
    title: ClassVar[str]
    refuses: ClassVar[str] = ""
    takes: ClassVar[frozenset[str]] = frozenset()
    has_normal_draws: ClassVar[bool] = False
    takes_rankings: ClassVar[bool] = False
    takes_added_up: ClassVar[bool] = False

    @abstractmethod
    def fit(
        self,
        comparisons: Comparisons,
        settings: Settings,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> Rated:
        """Rate items, and draw ratings to see how sure they are."""

    def details(self, rated: Rated) -> dict[str, Any]:
        """Return how the fit went, for a program to read; what is particular to the method."""
        del rated
        return {}

    def probability(self, rated: Rated, items: tuple[object, object], i: int, j: int) -> Estimate:
        """Estimate the probability that one item, at i, beats another, at j.

        Here the share of the point that the difference in ratings lead to expect, with an interval
        from bootstrap draws.
        """
        a, b = items
        if i == j:
            raise OptionError(f"'{a}' cannot be compared with itself; name two items.")
        if rated.component[i] != rated.component[j]:
            return Estimate(
                math.nan, undefined=f"no comparisons join '{a}' and '{b}', even through others"
            )
        gap = float(rated.rating[i] - rated.rating[j])
        if math.isnan(gap):
            return Estimate(math.nan, undefined=f"the data do not say how '{a}' and '{b}' compare")
        value = 0.5 * (1 + math.tanh(gap / 2))
        if rated.draws is None or math.isinf(gap):
            return Estimate(value)
        drawn = 0.5 * (1 + np.tanh(rated.gaps(i, j) / 2))
        return Estimate.from_draws(value, drawn, level=rated.settings.level)


# Bradley-Terry as a way to rate items.


@dataclass(frozen=True, eq=False, kw_only=True)
class BradleyTerryMethod(RatingMethod):
    """Maximum likelihood; intervals from robust standard errors, or from a bootstrap."""

    name = "bradley-terry"
    title = "Bradley-Terry"
    refuses = "Bradley-Terry ratings have no"
    takes = frozenset({"ties", "position", "prior", "control"})
    has_normal_draws = True
    takes_added_up = True

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
                unit=settings.unit,
                seed=rng,
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
            component=fit.compares,
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
        unit, level = rated.settings.units.per_logit, rated.settings.level
        return {
            "iterations": fit.n_iter,
            "gradient": fit.gradient,
            "log_likelihood": fit.log_likelihood,
            "prior": fit.prior,
            "prior_fitted": fit.prior_fitted,
            "position": _shown(fit.position, refits and refits.position, unit, level),
            "tie": _shown(fit.tie, refits and refits.tie, 1.0, level),
            "controls": [
                {"control": name, **(_shown(p, None, unit, level) or {}), "unit": size}
                for name, p, size in zip(
                    fit.controls, fit.control_effects, fit.control_units.tolist(), strict=True
                )
            ],
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


def _spread(fit: BradleyTerry) -> Spread | None:
    """How far ratings may be off together, where the covariance was written down."""
    n, covariance = len(fit.items), fit.covariance
    if covariance is None:
        return None
    return Spread(
        variance=covariance.variance[:n],
        covariance=None if covariance.matrix is None else covariance.matrix[:n, :n],
        df=None if np.isinf(covariance.df[:n]).all() else covariance.df[:n],
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


# Ratings drawn from the normal distribution around a fit.

MOST_CELLS = 20_000_000
"""Draws times items, at most."""


def normal_draws(fit: BradleyTerry, *, draws: int = 1000, rng: np.random.Generator) -> Floats:
    """Draw ratings around a fit: normal, with its covariance.

    For ranks and labels, which have no formula of their own. Where the covariance was not written
    down, ratings are drawn with their standard errors, each for itself, which matters little among
    so many.

    Parameters
    ----------
    fit : BradleyTerry
    draws : int
        At most; fewer (but 100) for more than 20,000 items.
    rng : Generator

    Returns
    -------
    (draws, items) array
        Ratings that are not finite stay as they are.

    Notes
    -----
    O(k^3) for k items.

    Examples
    --------
    >>> from headcount.pairwise.bradley_terry import bradley_terry
    >>> from headcount.data.comparisons import Comparisons
    >>> played = Comparisons.from_columns("abab", "bcca", [1, 1, 0, 0])
    >>> fit = bradley_terry(played, errors="hessian")
    >>> drawn = normal_draws(fit, rng=np.random.default_rng(0))
    >>> fit.standard_error.round(2), drawn.std(axis=0).round(2)
    (array([0.83, 0.83, 0.96]), array([0.83, 0.81, 0.98]))
    """
    n, finite = len(fit.items), fit.finite
    draws = int(np.clip(MOST_CELLS // max(n, 1), min(100, draws), draws))
    out = np.tile(fit.rating, (draws, 1))
    if not finite.any():
        return out
    matrix = None if fit.covariance is None else fit.covariance.matrix
    if matrix is None:
        out[:, finite] += rng.normal(size=(draws, int(finite.sum()))) * fit.standard_error[finite]
        return out
    free = np.flatnonzero(finite)
    out[:, free] += _from_matrix(matrix[np.ix_(free, free)], draws, rng)
    return out


def _from_matrix(matrix: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draw errors with a covariance that may be singular."""
    values, vectors = np.linalg.eigh(matrix)
    noise = rng.normal(size=(draws, len(matrix)))
    return noise @ (vectors * np.sqrt(np.maximum(values, 0.0))).T


# Bootstrap of Bradley-Terry ratings: the same fit with other weights, many times.

HOLD = 10.0
"""Prior of ratings in refits, in logits, where the fit itself has none."""
TOLERANCE = 3e-3
"""Gradient at the end of a refit, in wins: far below what a resampled win or loss changes."""


@dataclass(frozen=True, eq=False)
class Refits:
    """Ratings of each bootstrap draw.

    Parameters
    ----------
    ratings : (draws, items) array
        Infinite or nan where the rating of the fit is, in all draws. A draw that cannot be fitted
        at all, without any comparison or with nothing but ties, is nan throughout.
    held : (items,) array of int
        In how many draws an item did not lose anything, or did not win anything, so that a prior
        held its rating.
    position, tie : (draws,) array or None
        Position effect, and Davidson's nu or Rao and Kupper's theta, where they are fitted.
    notes : tuple of Note
    """

    ratings: Floats
    held: Codes
    position: Floats | None = None
    tie: Floats | None = None
    notes: tuple[Note, ...] = ()


def refit(
    comparisons: Comparisons,
    fit: BradleyTerry,
    *,
    draws: int,
    unit: str = COMPARISON,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> Refits:
    """Fit the same model again to resampled comparisons.

    In each draw every comparison, or every rater with all their comparisons, has a weight drawn
    from the Poisson distribution with mean 1: the bootstrap, but for the total, which is random as
    well. Each draw starts from the fit. Infinite ratings stay as they are. The order of the
    comparisons does not matter: they are sorted before weights are drawn.

    Items that win or lose all that is left of them in a draw would run off to infinity there.
    Unless the fit has a prior, draws therefore have one, with a standard deviation of 10 logits:
    too wide to be felt otherwise. Such items end up 4 to 8 logits off, which makes the end of an
    interval large, not infinite; `held` counts their draws.

    Parameters
    ----------
    comparisons : Comparisons
        Those of the fit.
    fit : BradleyTerry
    draws : int
    unit : str
        Raters differ, and answers of one are alike: with a rater column, raters are the honest one.
    seed : int or Generator
    progress : callable, optional
        Called with the number of draws done and the number in all.

    Notes
    -----
    O(comparisons) a draw and Newton step, of which there are three or so.

    Examples
    --------
    >>> from headcount.pairwise.bradley_terry import bradley_terry
    >>> outcome = [1, 1, 1, 0, 1, 0, 1, 0.5]
    >>> played = Comparisons.from_columns("aababcab" * 50, "bcccaaba" * 50, outcome * 50)
    >>> fit = bradley_terry(played)
    >>> refits = refit(played, fit, draws=100)
    >>> refits.ratings.std(axis=0).round(2), fit.standard_error.round(2)
    (array([0.08, 0.07, 0.11]), array([0.08, 0.08, 0.11]))
    """
    draws = options.whole(draws, "draws", least=1, most=options.MOST_DRAWS)
    check_unit(comparisons, unit)
    if fit.point is None or len(fit.items) != len(comparisons.items):
        raise DataError(f"{comparisons.source}: these are not the comparisons of the fit.")
    generator = options.seed(seed)
    old, finite = fit.point.model, fit.finite
    # Comparisons with and among infinite ratings say nothing of the finite ones.
    rows = finite[comparisons.left] & finite[comparisons.right]
    played = sort_rows(comparisons if rows.all() else comparisons.select(rows))
    wins = PairWins.of(played, split=not old.ties.has_cut, sided=old.sided)
    model = replace(old, wins=wins, prior=HOLD if old.prior is None else old.prior)
    ratings = np.tile(fit.rating, (draws, 1))
    held = np.zeros(len(finite), dtype=np.int64)
    block = np.where(finite, fit.component, -1)
    position = np.full(draws, np.nan) if old.sided else None
    tie = np.full(draws, np.nan) if old.ties.has_cut else None
    failed = slow = 0
    for draw in range(draws):
        weight = unit_weights(played, unit, generator)
        drawn = wins.reweighted(played.outcome, played.weights * weight)
        held += _held(drawn) & finite
        z, converged = _fit_draw(replace(model, wins=drawn), fit.point.z)
        slow += not converged
        failed += z is None
        if z is None:
            ratings[draw] = np.nan
        else:
            ratings[draw, finite] = centred(z[: len(finite)], block)[finite] + fit.mean
            if position is not None:
                position[draw] = z[-2]
            if tie is not None:
                tie[draw] = np.exp(z[-1]) if drawn.tie.any() else old.ties.without_ties
        if progress is not None:
            progress(draw + 1, draws)
    notes = _refit_notes(draws, held, failed, slow - failed, old.prior)
    return Refits(ratings=ratings, held=held, position=position, tie=tie, notes=tuple(notes))


def _fit_draw(model: Model, start: Floats) -> tuple[Floats | None, bool]:
    """Fit one draw; None if there is nothing to fit."""
    wins = model.wins
    decided = float(wins.win.sum() + wins.loss.sum())
    if decided == 0:
        return None, False
    if model.ties.has_cut and not wins.tie.any():
        # A draw without ties has nu = 0 or theta = 1, as a plain model has.
        model = replace(model, wins=replace(wins, tie=wins.tie[:0]), ties=HALF)
    climb = maximise(model, start.copy(), tolerance=TOLERANCE, max_iter=50)
    return climb.point.z, climb.converged


def _held(wins: PairWins) -> Flags:
    """Items without a point, or without one lost, in this draw."""
    tie = 0.5 * wins.tie if len(wins.tie) else 0.0
    forth, back, n = wins.win + tie, wins.loss + tie, wins.n_items
    got = np.bincount(wins.first, forth, n) + np.bincount(wins.second, back, n)
    lost = np.bincount(wins.first, back, n) + np.bincount(wins.second, forth, n)
    return (got == 0) | (lost == 0)


def _refit_notes(draws: int, held: Codes, failed: int, slow: int, prior: float | None) -> Notes:
    notes = Notes()
    if held.any():
        bound = f"a prior of {HOLD:g} logits" if prior is None else "the prior"
        notes.caution(
            f"{count(int(np.count_nonzero(held)), 'item')} lost nothing or won nothing in up to "
            f"{int(held.max()):,} of {draws:,} bootstrap samples, where {bound} kept the rating "
            "finite; take that end of the interval as 'at least'."
        )
    if failed:
        notes.caution(f"{count(failed, 'bootstrap sample')} of {draws:,} could not be fitted.")
    if slow:
        notes.caution(f"{count(slow, 'bootstrap sample')} of {draws:,} did not converge.")
    return notes


# Plackett-Luce as a way to rate items.


@dataclass(frozen=True, eq=False, kw_only=True)
class PlackettLuceMethod(BradleyTerryMethod):
    """Bradley-Terry for rankings: of two items it is the same."""

    name = "plackett-luce"
    title = "Plackett-Luce"
    refuses = "Rankings have no"
    takes = frozenset({"prior"})
    takes_rankings = True


PLACKETT_LUCE = PlackettLuceMethod()


# Elo as a way to rate items.

ELO_K = 0.1
"""Elo's step, in logits."""
STABLE = 1e-4
"""Elo is stable when items score as expected to within this, in points a comparison."""
MOST_EPOCHS = 2000
"""Passes until stable, at most."""
ELO_REMEDY = f"a prior ({option('prior', 1)}, with Bradley-Terry ratings)"


@dataclass(frozen=True, eq=False, kw_only=True)
class EloMethod(RatingMethod):
    """Elo: passes in random order until ratings are stable, or as many as are asked for.

    Parameters
    ----------
    k : float, optional
        How far a rating moves at most, in units of the scale. Default: 0.1 logits.
    epochs : int, optional
        Passes over the comparisons. Default: until ratings are stable.
    order : {"shuffled", "given"}
        Order of the comparisons in a pass; "given" makes one pass unless `epochs` says otherwise.

    Examples
    --------
    >>> from headcount import Comparisons, pairs
    >>> played = Comparisons.from_columns("aab", "bba", ["left", "left", "left"])
    >>> pairs(played, method=EloMethod(k=0.2, order="given"))["a"].rating
    0.07126
    """

    name = "elo"
    title = "Elo"
    k: float | None = None
    epochs: int | None = None
    order: str = SHUFFLED

    def __post_init__(self) -> None:
        if self.k is not None:
            options.number(self.k, "k", least=0, such_as="0.1")
        if self.epochs is not None:
            options.whole(self.epochs, "epochs", least=1)
        options.one_of(self.order, "order", ORDERS)

    @property
    def until_stable(self) -> bool:
        """Whether passes go on until ratings are stable."""
        return self.epochs is None and self.order == SHUFFLED

    def fit(
        self,
        comparisons: Comparisons,
        settings: Settings,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> Rated:
        """Rate items, and again by as many bootstrap samples as are asked for."""
        graph = components(comparisons)
        stable, played = self.until_stable, comparisons
        if stable:
            # Stable ratings are those of maximum likelihood, which run off to infinity elsewhere;
            # comparisons with such items say nothing of the finite ones.
            both = graph.finite[comparisons.left] & graph.finite[comparisons.right]
            played = comparisons.select(both)
        fit = self._fit(played, settings, rng)
        rating = _of_items(fit, comparisons)
        if stable:
            infinite = np.array([np.nan, np.inf, -np.inf])[graph.direction]
            rating = np.where(graph.finite, rating, infinite)
        rating[~graph.compared] = np.nan
        block = np.where(np.isfinite(rating), graph.component, -1)
        rating, draws = centred(rating, block), None
        if settings.bootstrap:
            check_unit(comparisons, settings.unit)
            draws = np.tile(rating, (settings.bootstrap, 1))
            # In random order that of rows says nothing; in the order given it is what is asked.
            again = sort_rows(played) if self.order == SHUFFLED else played
            for draw in range(settings.bootstrap):
                weight = again.weights * unit_weights(again, settings.unit, rng)
                drawn_fit = self._fit(replace(again, weight=weight), settings, rng)
                drawn = _of_items(drawn_fit, comparisons)
                draws[draw] = np.where(block >= 0, centred(drawn, block), rating)
                if progress is not None:
                    progress(draw + 1, settings.bootstrap)
        return Rated(
            method=self,
            settings=settings,
            rating=rating,
            standard_error=np.full(len(rating), np.nan),
            component=graph.component,
            draws=draws,
            normal=False,
            graph=graph,
            converged=fit.converged,
            notes=tuple(_elo_notes(fit, comparisons, graph, stable)),
            model=fit,
        )

    def details(self, rated: Rated) -> dict[str, Any]:
        """Return the step and the passes."""
        fit, unit = rated.model, rated.settings.units.per_logit
        return {
            "k": self._logits(rated.settings) * unit,
            "epochs": fit.n_epochs,
            "order": self.order,
            "misfit": fit.misfit,
        }

    def _fit(
        self, comparisons: Comparisons, settings: Settings, rng: np.random.Generator
    ) -> EloFit:
        most = MOST_EPOCHS if self.until_stable else 1
        return Elo().fit(
            comparisons,
            k=self._logits(settings),
            epochs=most if self.epochs is None else self.epochs,
            order=self.order,
            tolerance=STABLE if self.until_stable else None,
            seed=rng,
        )

    def _logits(self, settings: Settings) -> float:
        return ELO_K if self.k is None else self.k / settings.units.per_logit


ELO = EloMethod()


def _of_items(fit: EloFit, comparisons: Comparisons) -> Floats:
    """Ratings in the order of the items; nan for those that were never compared."""
    ratings = dict(zip(fit.items, fit.ratings.tolist(), strict=True))
    return np.array([ratings.get(item, math.nan) for item in comparisons.items.tolist()])


def _elo_notes(fit: EloFit, comparisons: Comparisons, graph: Graph, stable: bool) -> Notes:
    notes = Notes(comparisons.notes)
    if stable:
        notes.extend(graph_sentences(graph, comparisons.items, remedy=ELO_REMEDY))
        notes.extend(fit.notes)
        return notes
    if not graph.all_finite:
        notes.caution(
            f"Some items have no finite rating by maximum likelihood: theirs depend on "
            f"{option('k')} and on the number of {option('epochs')} alone."
        )
    notes.extend(group_sentences(graph))
    return notes


# The ways to rate items, by name.

METHODS: tuple[RatingMethod, ...] = (BRADLEY_TERRY, PLACKETT_LUCE, ELO)
"""All methods; another one is a class of :class:`RatingMethod` listed here."""


def refusal(method: RatingMethod) -> str:
    """Begin a sentence on an option that a method does not take."""
    return method.refuses or f"{method.title} knows no"


def method_for(method: RatingMethod, data: Comparisons) -> RatingMethod:
    """Find the method for what was compared: rankings are no pairs."""
    if data.ranking is None or method.takes_rankings:
        return method
    if isinstance(method, BradleyTerryMethod):
        return PLACKETT_LUCE
    raise OptionError(
        f"{data.source}: {method.title} rates pairs, and these are rankings; use "
        f"{option('method', PLACKETT_LUCE.name)}."
    )
