"""How ratings came about: what was used, what was asked for, and how the fit went."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.labelling.base import ABOVE, BELOW
from headcount.pairwise.prepare import Task
from headcount.pairwise.rating.rating_method import Rated
from headcount.pairwise.records import PairsProvenance

__all__ = ["fit_details", "provenance"]


def fit_details(rated: Rated, used: Comparisons) -> dict[str, Any]:
    """Say how the fit went, for a program to read."""
    graph, names = rated.graph, used.items.tolist()
    return {
        "converged": rated.converged,
        "components": graph.n_components,
        "undefeated": [names[i] for i in graph.undefeated],
        "winless": [names[i] for i in graph.winless],
        "not_finite": int((~np.isfinite(rated.rating)).sum()),
        **rated.method.details(rated),
    }


def provenance(task: Task, rated: Rated, used: Comparisons, seed: int | None) -> PairsProvenance:
    """Gather what is known of a run."""
    settings, compared = task.settings, int(rated.graph.compared.sum())
    return PairsProvenance(
        source=used.source,
        sources=used.sources,
        dropped=used.dropped,
        items_used=compared,
        items_dropped=len(used.items) - compared,
        n_ratings=len(used),
        n_raters=None if used.rater is None else len(np.unique(used.rater[used.rater >= 0])),
        labels=(ABOVE, BELOW),
        level=settings.level,
        bootstrap=settings.bootstrap,
        seed=seed,
        backend=used.backend,
        n_items=len(used.items),
        n_comparisons=len(used),
        n_ties=int(used.answers[used.outcome == 0.5].sum()),
        n_rankings=used.n_rankings,
        method=task.method.name,
        ties=settings.ties.name,
        scale=settings.scale.name,
        label=task.rule.name,
        cut=task.rule.words,
        bootstrap_by=settings.by.name,
    )
