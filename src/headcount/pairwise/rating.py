"""Rate items by either method, and draw ratings to see how sure they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError, count, unknown_name
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.covariates import ItemNumbers
from headcount.pairwise.bradley_terry.model import TIES, centred
from headcount.pairwise.bradley_terry.normal_draws import normal_draws
from headcount.pairwise.bradley_terry.refits import By, Refits, check_drawn, drawn_weights, refit
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.elo.elo import Elo
from headcount.pairwise.elo.result import EloFit
from headcount.pairwise.graph import Graph, components, graph_sentences
from headcount.typing import Codes, Floats, Progress

__all__ = ["METHODS", "Rated", "Settings", "rate"]


Name = TypeVar("Name", bound=str)

UNITS: tuple[By, ...] = ("comparison", "rater")
METHODS = ("bradley-terry", "elo")
K = 0.1
"""Elo's step, in logits."""
STABLE = 1e-4
"""Elo is stable when items score as expected to within this, in points a comparison."""
MOST_EPOCHS = 2000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How items are rated; see :func:`headcount.pairs`. `k` is in logits."""

    method: str = "bradley-terry"
    ties: str = "half"
    position: bool = False
    prior: float | None = None
    covariates: ItemNumbers | None = None
    reliability: bool = False
    k: float | None = None
    epochs: int | None = None
    order: str = "shuffled"
    bootstrap: int = 0
    by: str = "comparison"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown_name("method", self.method, METHODS)
        if self.bootstrap < 0:
            raise OptionError(
                f"bootstrap (--bootstrap) is a number of draws, 0 for none, not {self.bootstrap}."
            )
        if _one_of(UNITS, "unit to draw", self.by) == "rater" and not self.bootstrap:
            raise OptionError(
                "raters are drawn by a bootstrap; say how often, as in bootstrap=200 "
                "(--bootstrap 200)."
            )
        if self.method == "elo":
            options = {
                "ties": self.ties != "half",
                "position": self.position,
                "prior": self.prior is not None,
                "covariates": self.covariates is not None,
                "reliability": self.reliability,
            }
            other, words = "bradley-terry", "Elo knows no"
        else:
            options = {
                "k": self.k is not None,
                "epochs": self.epochs is not None,
                "order": self.order != "shuffled",
            }
            other, words = "elo", "Bradley-Terry ratings have no"
        wrong = next((name for name, given in options.items() if given), None)
        if wrong is not None:
            raise OptionError(
                f"{words} {wrong} (--{wrong}); leave it out, or use --method {other}."
            )


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings of all items, in logits.

    Parameters
    ----------
    rating : (items,) array
        Infinite or nan where there is no finite rating.
    component : (items,) array of int
        What compares: all zeros with a prior, which makes everything compare.
    draws : (draws, items) array or None
    normal : bool
        Whether draws are normal, and not from a bootstrap.
    graph : Graph
    model : BradleyTerry or EloFit
    notes : tuple of str
    refits : Refits or None
        Bootstrap of Bradley-Terry.
    """

    rating: Floats
    component: Codes
    draws: Floats | None
    normal: bool
    graph: Graph
    model: BradleyTerry | EloFit
    notes: tuple[str, ...]
    refits: Refits | None = None


def rate(
    comparisons: Comparisons,
    settings: Settings,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Rated:
    """Rate items, and draw ratings by a bootstrap or, without one, from the Hessian."""
    graph = components(comparisons)
    if settings.method == "elo":
        return _elo(comparisons, settings, graph, rng, progress)
    fit = bradley_terry(
        comparisons,
        ties=_one_of(TIES, "ties", settings.ties),
        position=settings.position,
        prior=settings.prior,
        covariates=settings.covariates,
        reliability=settings.reliability,
    )
    component = fit.component if fit.prior is None else np.zeros_like(fit.component)
    if not settings.bootstrap:
        draws = normal_draws(fit, rng=rng)
        return Rated(fit.rating, component, draws, True, graph, fit, fit.notes)
    by = _one_of(UNITS, "unit to draw", settings.by)
    refits = refit(comparisons, fit, draws=settings.bootstrap, by=by, rng=rng, progress=progress)
    notes = (*fit.notes, *refits.notes)
    return Rated(fit.rating, component, refits.ratings, False, graph, fit, notes, refits)


def _elo(
    comparisons: Comparisons,
    settings: Settings,
    graph: Graph,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Rated:
    stable, played = _until_stable(settings), comparisons
    if stable:
        # Stable ratings are those of maximum likelihood, which run off to infinity elsewhere;
        # comparisons with such items say nothing of the finite ones.
        both = graph.finite[comparisons.left] & graph.finite[comparisons.right]
        played = comparisons.select(both)
    fit = _elo_fit(played, settings, rng)
    notes = list(comparisons.notes)
    rating = _of_items(fit, comparisons)
    if not stable:
        if not graph.all_finite:
            notes.append(
                "Some items have no finite rating by maximum likelihood: theirs depend on k and on "
                "the number of epochs alone."
            )
        notes += [s for s in graph_sentences(graph, comparisons.items) if "groups" in s]
    else:
        rating[~graph.finite] = np.array([np.nan, np.inf, -np.inf])[graph.direction[~graph.finite]]
        sentences = graph_sentences(graph, comparisons.items)
        notes += [s.replace("(--prior)", "(--prior, with Bradley-Terry)") for s in sentences]
        if not fit.converged:
            notes.append(
                f"Elo is not stable after {count(fit.n_epochs, 'epoch')}: an item's mean score is "
                f"{fit.misfit:.2g} off what the ratings expect."
            )
    rating[~graph.compared] = np.nan
    block = np.where(np.isfinite(rating), graph.component, -1)
    rating, draws = centred(rating, block), None
    if settings.bootstrap:
        by = _one_of(UNITS, "unit to draw", settings.by)
        check_drawn(comparisons, by)
        draws = np.tile(rating, (settings.bootstrap, 1))
        for draw in range(settings.bootstrap):
            weight = played.weights * drawn_weights(played, by, rng)
            again = _elo_fit(replace(played, weight=weight), settings, rng)
            drawn = centred(_of_items(again, comparisons), block)
            draws[draw] = np.where(block >= 0, drawn, rating)
            if progress is not None:
                progress(draw + 1, settings.bootstrap)
    return Rated(rating, graph.component, draws, False, graph, fit, tuple(notes))


def _until_stable(settings: Settings) -> bool:
    return settings.epochs is None and settings.order == "shuffled"


def _elo_fit(comparisons: Comparisons, settings: Settings, rng: np.random.Generator) -> EloFit:
    stop = _until_stable(settings)
    most = MOST_EPOCHS if stop else 1
    return Elo().fit(
        comparisons,
        k=K if settings.k is None else settings.k,
        epochs=most if settings.epochs is None else settings.epochs,
        order=settings.order,
        tolerance=STABLE if stop else None,
        rng=rng,
    )


def _of_items(fit: EloFit, comparisons: Comparisons) -> Floats:
    """Ratings in the order of the items; nan for those that were never compared."""
    known: dict[Any, float] = fit.to_dict()
    return np.array([known.get(item, math.nan) for item in comparisons.items.tolist()])


def _one_of(known: Sequence[Name], what: str, name: str) -> Name:
    """Find a name among those known."""
    found = next((one for one in known if one == name), None)
    if found is None:
        raise unknown_name(what, name, known)
    return found
