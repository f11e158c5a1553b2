"""Elo as a way to rate items."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import option
from headcount.pairwise.answers.graph import Graph, components, graph_sentences, group_sentences
from headcount.pairwise.answers.row_order import sort_rows
from headcount.pairwise.bradley_terry.likelihood.model import centred
from headcount.pairwise.elo.elo import Elo
from headcount.pairwise.elo.orders import SHUFFLED
from headcount.pairwise.elo.result import EloFit
from headcount.pairwise.rating.rating_method import Rated, RatingMethod, Settings
from headcount.results.notes import Notes
from headcount.typing import Floats, Progress

__all__ = ["ELO", "EloMethod"]

K = 0.1
"""Elo's step, in logits."""
STABLE = 1e-4
"""Elo is stable when items score as expected to within this, in points a comparison."""
MOST_EPOCHS = 2000
"""Passes until stable, at most."""
REMEDY = f"a prior ({option('prior', 1)}, with Bradley-Terry ratings)"


class EloMethod(RatingMethod):
    """Elo: passes in random order until ratings are stable, or as many as are asked for."""

    name = "elo"
    title = "Elo"
    takes = frozenset({"k", "epochs", "order"})

    def fit(
        self,
        comparisons: Comparisons,
        settings: Settings,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> Rated:
        """Rate items, and again by as many bootstrap samples as are asked for."""
        graph = components(comparisons)
        stable, played = _until_stable(settings), comparisons
        if stable:
            # Stable ratings are those of maximum likelihood, which run off to infinity elsewhere;
            # comparisons with such items say nothing of the finite ones.
            both = graph.finite[comparisons.left] & graph.finite[comparisons.right]
            played = comparisons.select(both)
        fit = _fit(played, settings, rng)
        rating = _of_items(fit, comparisons)
        if stable:
            infinite = np.array([np.nan, np.inf, -np.inf])[graph.direction]
            rating = np.where(graph.finite, rating, infinite)
        rating[~graph.compared] = np.nan
        block = np.where(np.isfinite(rating), graph.component, -1)
        rating, draws = centred(rating, block), None
        if settings.bootstrap:
            settings.by.check(comparisons)
            draws = np.tile(rating, (settings.bootstrap, 1))
            # In random order that of rows says nothing; in the order given it is what is asked.
            again = sort_rows(played) if settings.order == SHUFFLED else played
            for draw in range(settings.bootstrap):
                weight = again.weights * settings.by.weights(again, rng)
                drawn = _of_items(_fit(replace(again, weight=weight), settings, rng), comparisons)
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
            notes=tuple(_notes(fit, comparisons, graph, stable)),
            model=fit,
        )

    def details(self, rated: Rated) -> dict[str, Any]:
        """Return the step and the passes."""
        settings, fit = rated.settings, rated.model
        return {
            "k": (K if settings.k is None else settings.k) * settings.scale.per_logit,
            "epochs": fit.n_epochs,
            "order": fit.order,
            "misfit": fit.misfit,
        }


ELO = EloMethod()


def _until_stable(settings: Settings) -> bool:
    return settings.epochs is None and settings.order == SHUFFLED


def _fit(comparisons: Comparisons, settings: Settings, rng: np.random.Generator) -> EloFit:
    stable = _until_stable(settings)
    most = MOST_EPOCHS if stable else 1
    return Elo().fit(
        comparisons,
        k=K if settings.k is None else settings.k,
        epochs=most if settings.epochs is None else settings.epochs,
        order=settings.order,
        tolerance=STABLE if stable else None,
        rng=rng,
    )


def _of_items(fit: EloFit, comparisons: Comparisons) -> Floats:
    """Ratings in the order of the items; nan for those that were never compared."""
    ratings = fit.ratings_by_item
    return np.array([ratings.get(item, math.nan) for item in comparisons.items.tolist()])


def _notes(fit: EloFit, comparisons: Comparisons, graph: Graph, stable: bool) -> Notes:
    notes = Notes(comparisons.notes)
    if stable:
        notes.extend(graph_sentences(graph, comparisons.items, remedy=REMEDY))
        notes.extend(fit.notes)
        return notes
    if not graph.all_finite:
        notes.caution(
            f"Some items have no finite rating by maximum likelihood: theirs depend on "
            f"{option('k')} and on the number of {option('epochs')} alone."
        )
    notes.extend(group_sentences(graph))
    return notes
